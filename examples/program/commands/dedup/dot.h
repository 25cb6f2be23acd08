/* --dot of `dedup`. */
#ifndef CLI_COMMANDS_DEDUP_DOT_H
#define CLI_COMMANDS_DEDUP_DOT_H

#include "commands/dedup/facts.h"

/* dedup_dot: one instance of the subgraph that --subgraph names, or of the one that takes most
 * nodes away; without any, the graph. Returns an exit status. */
int dedup_dot(const dedup *p, cli_buffer *out);

#endif
