/* The porcelain of `partition`. */
#ifndef CLI_COMMANDS_PARTITION_PORCELAIN_H
#define CLI_COMMANDS_PARTITION_PORCELAIN_H

#include "commands/partition/facts.h"

void partition_porcelain(const partition *p, cli_buffer *out);

#endif
