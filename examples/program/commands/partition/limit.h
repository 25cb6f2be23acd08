/* Searches that would take too much time or memory. */
#ifndef CLI_COMMANDS_PARTITION_LIMIT_H
#define CLI_COMMANDS_PARTITION_LIMIT_H

#include "commands/partition/facts.h"

int partition_check_search(partition *p);

#endif
