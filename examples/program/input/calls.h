/* Placement of calls of graphs. */
#ifndef CLI_INPUT_CALLS_H
#define CLI_INPUT_CALLS_H

#include "input/accelerators.h"

/* cli_place_calls: a call of a graph, and the getitem nodes that unpack it, run where all nodes of
 * that graph run, unless pins, acc= or operators place them. */
int cli_place_calls(
    cli_session *s, const cli_place *place, const gsp_graph *graph, gsp_placement *io);

#endif
