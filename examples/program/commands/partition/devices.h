/* Devices, and the assignment of --mode aot, from the options. */
#ifndef CLI_COMMANDS_PARTITION_DEVICES_H
#define CLI_COMMANDS_PARTITION_DEVICES_H

#include "commands/partition/facts.h"

int partition_read_devices(partition *p);
int partition_read_assignment(partition *p);

#endif
