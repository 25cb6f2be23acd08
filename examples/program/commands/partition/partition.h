/* The command `partition`. */
#ifndef CLI_COMMANDS_PARTITION_PARTITION_H
#define CLI_COMMANDS_PARTITION_PARTITION_H

#include "core/command.h"

extern const cli_pass cli_partition_pass;

#endif
