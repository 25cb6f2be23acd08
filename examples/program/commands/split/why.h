/* --why: why a node is where it is. */
#ifndef CLI_COMMANDS_SPLIT_WHY_H
#define CLI_COMMANDS_SPLIT_WHY_H

#include "commands/split/facts.h"

int split_why(const split *p, cli_buffer *out);

/* split_put_objection: why an accelerator does not support a node, as a phrase: a type, or the
 * program of another vendor; nothing when it is the operator. */
void split_put_objection(const split *p, cli_buffer *out, gsp_node v);

#endif
