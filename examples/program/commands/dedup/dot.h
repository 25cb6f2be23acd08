/* --dot of `dedup`. */
#ifndef CLI_COMMANDS_DEDUP_DOT_H
#define CLI_COMMANDS_DEDUP_DOT_H

#include "commands/dedup/facts.h"

/* dedup_dot: draws one instance of the subgraph that --subgraph names, else of the one that saves
 * most nodes; if there is none, the graph. Returns an exit status. */
int dedup_dot(const dedup *p, cli_buffer *out);

#endif
