/* The command `diff`. */
#ifndef CLI_COMMANDS_DIFF_DIFF_H
#define CLI_COMMANDS_DIFF_DIFF_H

#include "core/command.h"

extern const cli_pass cli_diff_pass;

#endif
