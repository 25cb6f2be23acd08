/* Edit distance of two names. */
#ifndef CLI_CORE_DISTANCE_H
#define CLI_CORE_DISTANCE_H

#include "core/session.h"

/* cli_distance: edits between two texts (insert, delete, replace), whatever the case of letters;
 * bytes beyond 63 do not count. */
uint32_t cli_distance(gsp_str a, gsp_str b);

/* cli_distance_below: the same with regard to case, if it is below the limit, else the limit:
 * O(63 limit) at most. */
uint32_t cli_distance_below(gsp_str a, gsp_str b, uint32_t limit);

/* cli_put_near: "; near it: a, b, c", the names that are most like one that no node has; nothing
 * if there are none. */
void cli_put_near(const gsp_graph *graph, gsp_str name, cli_buffer *out);

#endif
