/* Constraints of operator files that can never hold. */
#ifndef CLI_INPUT_CONSTRAINTS_H
#define CLI_INPUT_CONSTRAINTS_H

#include "input/accelerators.h"

/* cli_constraints_tell: one line on standard error per constraint of the user on an attribute that
 * no operator of the line has. */
void cli_constraints_tell(cli_session *s, const cli_place *place, const gsp_graph *graph);

#endif
