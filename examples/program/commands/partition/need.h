/* Parameters and live values: what must be in memory at once. */
#ifndef CLI_COMMANDS_PARTITION_NEED_H
#define CLI_COMMANDS_PARTITION_NEED_H

#include "commands/partition/facts.h"

/* partition_sum: bytes of all nodes, as the modes add them; at most UINT64_MAX. */
uint64_t partition_sum(const gsp_graph *g);

/* partition_at_once: parameters and peak. */
uint64_t partition_at_once(const partition_need *need);

/* partition_find_whole: of the whole graph. partition_find_needs: of it, and of every device. If
 * the live values are not known (alias= is wrong), --count peak fails, else p->has_needs stays 0.
 */
int partition_find_whole(partition *p);
int partition_find_needs(partition *p);

/* partition_fill: --mode size with --count peak, as an assignment for --mode aot. */
int partition_fill(partition *p);

/* partition_check_capacities: of the devices of --mode aot. */
int partition_check_capacities(partition *p);

#endif
