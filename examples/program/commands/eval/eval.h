/* The command `eval`. */
#ifndef CLI_COMMANDS_EVAL_EVAL_H
#define CLI_COMMANDS_EVAL_EVAL_H

#include "core/command.h"

extern const cli_pass cli_eval_pass;

#endif
