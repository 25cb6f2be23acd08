/* The command `run`. */
#ifndef CLI_COMMANDS_RUN_RUN_H
#define CLI_COMMANDS_RUN_RUN_H

#include "core/command.h"

extern const cli_pass cli_run_pass;

#endif
