/* Names of operators and of nodes that no node of the graph answers to. */
#ifndef CLI_INPUT_UNMATCHED_H
#define CLI_INPUT_UNMATCHED_H

#include "input/accelerators.h"

/* cli_place_check: says which of the user's operators and pins no node answers to, where that
 * helps. An error for a word that is almost the name of a list, or names a file. */
int cli_place_check(cli_session *s, const cli_place *place, const gsp_graph *graph);

/* cli_place_near: what a pin that names nothing may have meant, as the end of a sentence. */
void cli_place_near(cli_session *s, const cli_place *place, const gsp_graph *graph,
                    const gsp_pin *pin, cli_buffer *out);

#endif
