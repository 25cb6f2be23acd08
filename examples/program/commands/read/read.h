/* The command `read`. */
#ifndef CLI_COMMANDS_READ_READ_H
#define CLI_COMMANDS_READ_READ_H

#include "core/command.h"

extern const cli_pass cli_read_pass;

#endif
