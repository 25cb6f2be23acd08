/* Shared by the reports for people. */
#ifndef CLI_OUTPUT_PEOPLE_H
#define CLI_OUTPUT_PEOPLE_H

#include "core/buffer.h"

/* cli_put_heading: a title after an empty line, with a note (or NULL). */
void cli_put_heading(cli_buffer *out, const char *title, const char *note);

/* cli_rows: how many of n rows to show: all with --all, else at most `most`. */
uint32_t cli_rows(const cli_session *s, uint32_t n, uint32_t most);

/* cli_put_rest: the number of rows not shown; `what` names them, or NULL. */
void cli_put_rest(cli_buffer *out, uint32_t n, uint32_t shown, const char *what);

/* cli_kind_style: the colour of the CPU or of an accelerator. */
cli_style cli_kind_style(uint32_t kind);

#endif
