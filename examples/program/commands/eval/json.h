/* The JSON of `eval`. */
#ifndef CLI_COMMANDS_EVAL_JSON_H
#define CLI_COMMANDS_EVAL_JSON_H

#include "commands/eval/facts.h"

void eval_json(const eval *e, cli_buffer *out);

#endif
