/* The command `emit-c`. */
#ifndef CLI_COMMANDS_EMIT_C_EMIT_C_H
#define CLI_COMMANDS_EMIT_C_EMIT_C_H

#include "core/command.h"

extern const cli_pass cli_emit_c_pass;

#endif
