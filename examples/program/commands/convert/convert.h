/* The command `convert`. */
#ifndef CLI_COMMANDS_CONVERT_CONVERT_H
#define CLI_COMMANDS_CONVERT_CONVERT_H

#include "core/command.h"

extern const cli_pass cli_convert_pass;

#endif
