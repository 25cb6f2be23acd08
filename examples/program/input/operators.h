/* The operator lists of the program, by name. */
#ifndef CLI_INPUT_OPERATORS_H
#define CLI_INPUT_OPERATORS_H

#include "core/session.h"
#include "data/operator_lists.h"

/* cli_operators_find: the list of that name; cli_operators_near: the list of the most similar name.
 * NULL: none. */
const cli_operator_list *cli_operators_find(gsp_str name);
const cli_operator_list *cli_operators_near(gsp_str name);

/* cli_operators_have: 1 when a list has an operator of that name. */
int cli_operators_have(gsp_str name);

/* cli_operators_text: a list in the format of an operator file. */
void cli_operators_text(const cli_operator_list *list, cli_buffer *out);

/* cli_operators_are_bound: the list has a line "# Upper bound": it leaves conditions out. */
int cli_operators_are_bound(gsp_str text);

/* cli_operators_run_once: the list has a line "# One subgraph": its compiler makes one subgraph,
 * and takes nothing behind it. */
int cli_operators_run_once(gsp_str text);

/* cli_operators_unknown: reports an unknown list. Returns CLI_EXIT_USAGE. */
int cli_operators_unknown(cli_session *s, const char *name);

#endif
