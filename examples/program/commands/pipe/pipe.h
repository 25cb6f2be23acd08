/* The command `pipe`. */
#ifndef CLI_COMMANDS_PIPE_PIPE_H
#define CLI_COMMANDS_PIPE_PIPE_H

#include "core/command.h"

extern const cli_pass cli_pipe_pass;

#endif
