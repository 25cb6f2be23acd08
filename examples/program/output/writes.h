/* Nodes that write, and the order in which parts run. */
#ifndef CLI_OUTPUT_WRITES_H
#define CLI_OUTPUT_WRITES_H

#include "core/session.h"

/* cli_check_writes: warns about nodes that depend on others by mutates= or barrier= and run in an
 * earlier part. part: [n] of callable nodes, numbered in the order in which parts run; GSP_NONE:
 * other nodes. */
void cli_check_writes(cli_session *s, const gsp_graph *graph, const uint32_t *part);

#endif
