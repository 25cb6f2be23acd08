/* The command `dedup`. */
#ifndef CLI_COMMANDS_DEDUP_DEDUP_H
#define CLI_COMMANDS_DEDUP_DEDUP_H

#include "core/command.h"

extern const cli_pass cli_dedup_pass;

#endif
