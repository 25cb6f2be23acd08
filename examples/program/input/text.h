/* Graph text as a file format. */
#ifndef CLI_INPUT_TEXT_H
#define CLI_INPUT_TEXT_H

#include "core/format.h"

/* Takes any file. */
extern const cli_format cli_text_format;
int cli_text_part(cli_session *s, const cli_part *part, cli_buffer *out);

/* cli_graph_read: a file as graph text; an error that says so for a model in another format. */
int cli_graph_read(cli_session *s, const char *path, char **data, size_t *size);

#endif
