/* Edit distance of two names. */
#ifndef CLI_CORE_DISTANCE_H
#define CLI_CORE_DISTANCE_H

#include "graphsplit.h"

/* cli_distance: edits between two texts (insert, delete, replace); bytes beyond 63 do not count. */
uint32_t cli_distance(gsp_str a, gsp_str b);

/* cli_distance_below: the same if it is below the limit, else the limit: O(63 limit) at most. */
uint32_t cli_distance_below(gsp_str a, gsp_str b, uint32_t limit);

#endif
