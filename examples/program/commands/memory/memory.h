/* The command `memory`. */
#ifndef CLI_COMMANDS_MEMORY_MEMORY_H
#define CLI_COMMANDS_MEMORY_MEMORY_H

#include "core/command.h"

extern const cli_pass cli_memory_pass;

#endif
