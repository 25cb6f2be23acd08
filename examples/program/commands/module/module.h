/* The command `module`. */
#ifndef CLI_COMMANDS_MODULE_MODULE_H
#define CLI_COMMANDS_MODULE_MODULE_H

#include "core/command.h"

extern const cli_pass cli_module_pass;

#endif
