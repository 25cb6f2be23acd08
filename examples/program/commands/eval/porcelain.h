/* The porcelain of `eval`. */
#ifndef CLI_COMMANDS_EVAL_PORCELAIN_H
#define CLI_COMMANDS_EVAL_PORCELAIN_H

#include "commands/eval/facts.h"

void eval_porcelain(const eval *e, cli_buffer *out);

#endif
