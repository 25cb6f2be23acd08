/* Nodes that write, and the order in which parts run. */
#ifndef CLI_OUTPUT_WRITES_H
#define CLI_OUTPUT_WRITES_H

#include "core/session.h"

/* cli_check_writes: tells nodes that have to wait for others because of what is written (mutates=,
 * barrier=) and run in an earlier part (writes.c). part: [n] of callable nodes, by the order in
 * which parts run; GSP_NONE: others. */
void cli_check_writes(cli_session *s, const gsp_graph *graph, const uint32_t *part);

#endif
