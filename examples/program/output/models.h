/* Models of parts, for formats whose parts are graph text besides. */
#ifndef CLI_OUTPUT_MODELS_H
#define CLI_OUTPUT_MODELS_H

#include "core/format.h"

/* cli_models_find: which parts have a model; appends the names of their files, and says which part
 * has none and why. Returns an exit status. */
int cli_models_find(
    cli_session *s, cli_part *parts, size_t n_parts, const char **files, size_t *n_files);

/* cli_model_name: the file of a model, after `dir` if given; NULL: the part has none. */
char *cli_model_name(cli_session *s, const cli_part *part, const char *dir);

/* cli_model_write: writes it, if there is one. Returns an exit status. */
int cli_model_write(cli_session *s, const cli_part *part, const char *dir);

#endif
