/* Graph text as a file format. */
#ifndef CLI_INPUT_TEXT_H
#define CLI_INPUT_TEXT_H

#include "core/format.h"

/* Accepts any file. */
extern const cli_format cli_text_format;
int cli_text_part(cli_session *s, const cli_part *part, cli_buffer *out);

/* cli_graph_read: reads a file as graph text; a model in another format gets an error that says so.
 * */
int cli_graph_read(cli_session *s, const char *path, char **data, size_t *size);

/* cli_text_take: session->text into session->module. Returns an exit status. */
int cli_text_take(cli_session *s);

#endif
