/* Units: nodes that a compiler takes as one, and that a split must not tear. */
#ifndef CLI_INPUT_UNITS_H
#define CLI_INPUT_UNITS_H

#include "input/accelerators.h"

/* cli_units_run: the groups of --units in a placement. Nodes of group= stay where they are. */
int cli_units_run(cli_session *s, const gsp_graph *graph, gsp_placement *placement);

#endif
