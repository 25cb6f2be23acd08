/* The operator lists of the program, by name. */
#ifndef CLI_INPUT_OPERATORS_H
#define CLI_INPUT_OPERATORS_H

#include "core/session.h"
#include "data/operator_lists.h"

/* cli_operators_find, _near: the list of that name; the one that may have been meant; or NULL. */
const cli_operator_list *cli_operators_find(gsp_str name);
const cli_operator_list *cli_operators_near(gsp_str name);

/* cli_operators_text: a list as an operator file. */
void cli_operators_text(const cli_operator_list *list, cli_buffer *out);

/* cli_operators_unknown: says that there is no such list. Returns CLI_EXIT_USAGE. */
int cli_operators_unknown(cli_session *s, const char *name);

#endif
