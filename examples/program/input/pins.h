/* Pins with wildcards that would take too long. */
#ifndef CLI_INPUT_PINS_H
#define CLI_INPUT_PINS_H

#include "input/accelerators.h"

/* cli_pins_check: LIMIT if patterns times nodes are too many. */
int cli_pins_check(cli_session *s, const cli_place *place, const gsp_graph *graph);

#endif
