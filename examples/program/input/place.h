/* From options to a placement. */
#ifndef CLI_INPUT_PLACE_H
#define CLI_INPUT_PLACE_H

#include "input/accelerators.h"

/* cli_place_run: gsp_support_run() in memory of its own. */
int cli_place_run(
    cli_session *s, const cli_place *place, const gsp_graph *graph, gsp_placement *out);

/* cli_run_once: takes off accelerator `kind` what stands behind its first subgraph: nodes that a
 * path reaches which entered it and left it. Pins and acc= stay. */
void cli_run_once(cli_session *s, const gsp_graph *graph, uint32_t kind, gsp_placement *p);

#endif
