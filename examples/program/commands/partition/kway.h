/* --mode kway: acyclic parts of equal load, without devices of given memory. */
#ifndef CLI_COMMANDS_PARTITION_KWAY_H
#define CLI_COMMANDS_PARTITION_KWAY_H

#include "commands/partition/facts.h"

/* partition_kway_options: refuses options of other modes, and those of kway in other modes. Returns
 * an exit status. */
int partition_kway_options(partition *p);

/* partition_kway: assigns the nodes; every part becomes a partition on a device of its own. Returns
 * an exit status. */
int partition_kway(partition *p);

/* partition_cut_least: the cut is in bytes, of which some are not known. */
int partition_cut_least(const partition *p);

/* partition_cut_proved: no parts have a smaller cut. */
int partition_cut_proved(const partition *p);

#endif
