/* Progress of a search, and interrupts. */
#ifndef CLI_COMMANDS_PARTITION_PROGRESS_H
#define CLI_COMMANDS_PARTITION_PROGRESS_H

#include "commands/partition/facts.h"

void partition_watch(partition *p);
void partition_unwatch(const partition *p);

#endif
