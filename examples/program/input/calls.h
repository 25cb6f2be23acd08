/* Where calls of graphs go. */
#ifndef CLI_INPUT_CALLS_H
#define CLI_INPUT_CALLS_H

#include "input/accelerators.h"

/* cli_place_calls: a call of a graph goes where all nodes of that graph go, and so does what takes
 * its results apart, unless pins, acc= or operators speak of it. */
int cli_place_calls(cli_session *s, const cli_place *place, const gsp_graph *graph,
                    gsp_placement *io);

#endif
