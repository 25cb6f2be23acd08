/* Operators and pins of the options that match no node. */
#ifndef CLI_INPUT_UNMATCHED_H
#define CLI_INPUT_UNMATCHED_H

#include "input/accelerators.h"

/* cli_place_check: reports operators and pins of the user that match no node, where that helps. An
 * error for a word that is almost the name of a list, or names a file. */
int cli_place_check(cli_session *s, const cli_place *place, const gsp_graph *graph);

/* cli_place_tell_nothing: tells when neither options nor the graph say what an accelerator runs. */
void cli_place_tell_nothing(cli_session *s, const cli_place *place, const gsp_graph *graph);

/* cli_place_limit: LIMIT where lists are so long that the graph would take more than seconds. */
int cli_place_limit(cli_session *s, const cli_place *place, const gsp_graph *graph);

/* cli_place_near: the likely meaning of a pin that matches nothing, as the end of a sentence. */
void cli_place_near(cli_session *s, const cli_place *place, const gsp_graph *graph,
    const gsp_pin *pin, cli_buffer *out);

#endif
