/* The command `preview`. */
#ifndef CLI_COMMANDS_PREVIEW_PREVIEW_H
#define CLI_COMMANDS_PREVIEW_PREVIEW_H

#include "core/command.h"

extern const cli_pass cli_preview_pass;

#endif
