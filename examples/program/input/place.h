/* From options to a placement. */
#ifndef CLI_INPUT_PLACE_H
#define CLI_INPUT_PLACE_H

#include "input/accelerators.h"

/* cli_place_run: gsp_support_run() in memory of its own. */
int cli_place_run(cli_session *s, const cli_place *place, const gsp_graph *graph,
                  gsp_placement *out);

#endif
