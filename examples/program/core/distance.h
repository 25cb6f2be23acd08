/* Edit distance of two names. */
#ifndef CLI_CORE_DISTANCE_H
#define CLI_CORE_DISTANCE_H

#include "graphsplit.h"

/* cli_distance: edits between two texts (insert, delete, replace); bytes beyond 63 do not count. */
uint32_t cli_distance(gsp_str a, gsp_str b);

#endif
