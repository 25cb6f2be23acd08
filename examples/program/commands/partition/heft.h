/* --mode heft: devices that finish early, one partition at a time per device. */
#ifndef CLI_COMMANDS_PARTITION_HEFT_H
#define CLI_COMMANDS_PARTITION_HEFT_H

#include "commands/partition/facts.h"

/* partition_heft: assigns the nodes. Returns an exit status. */
int partition_heft(partition *p);

/* partition_heft_times: finish times of the result where a partition waits for its device, too. */
void partition_heft_times(partition *p);

#endif
