/* Dimensions that are no numbers: --dim NAME=N sets them, and a line tells those that are left. */
#ifndef CLI_INPUT_DIMS_H
#define CLI_INPUT_DIMS_H

#include "core/session.h"

/* cli_dims_set: the module with the dimensions that are given. */
int cli_dims_set(cli_session *s);

/* cli_read_again: the module that an option writes as text, which must stay. */
int cli_read_again(cli_session *s, const cli_buffer *text, const char *option);

/* cli_dims_tell: one line on standard error, if some dimensions are not known. */
void cli_dims_tell(cli_session *s);

/* cli_unknown_tell: one line on standard error, if some values have no shape, but others have. */
void cli_unknown_tell(cli_session *s);

#endif
