/* The report of `partition` for people. */
#ifndef CLI_COMMANDS_PARTITION_PEOPLE_H
#define CLI_COMMANDS_PARTITION_PEOPLE_H

#include "commands/partition/facts.h"

void partition_people(const partition *p, cli_buffer *out);

#endif
