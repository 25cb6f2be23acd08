/* Reports of failures. */
#ifndef CLI_CORE_ERROR_H
#define CLI_CORE_ERROR_H

#include "core/session.h"

/* cli_usage_error: one sentence and a hint on standard error. Returns CLI_EXIT_USAGE. */
int cli_usage_error(cli_session *s, const char *format, ...) CLI_PRINTF(2, 3);

/* cli_file_error: the same for a file that cannot be opened; about the options there is nothing to
 * learn. */
int cli_file_error(cli_session *s, const char *format, ...) CLI_PRINTF(2, 3);

/* cli_error: replaces the output so far by `error NAME` (porcelain) or its JSON, and prints one
 * sentence on standard error. Returns CLI_EXIT_FAILED. */
int cli_error(cli_session *s, gsp_status status, const char *format, ...) CLI_PRINTF(3, 4);

/* cli_text_error: a text that cannot be read, with path:line:column. Returns CLI_EXIT_FAILED. */
int cli_text_error(cli_session *s, const char *path, gsp_str text, const gsp_error *err);

/* cli_text_wrong: the same with a sentence of the caller. */
int cli_text_wrong(
    cli_session *s, const char *path, gsp_str text, const gsp_error *err, const char *sentence);

/* cli_pass_error: the error of a library call on `graph`. Returns CLI_EXIT_FAILED. */
int cli_pass_error(cli_session *s, const gsp_graph *graph, const gsp_error *err);

#endif
