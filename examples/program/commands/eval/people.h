/* The report of `eval` for people. */
#ifndef CLI_COMMANDS_EVAL_PEOPLE_H
#define CLI_COMMANDS_EVAL_PEOPLE_H

#include "commands/eval/facts.h"

void eval_people(const eval *e, cli_buffer *out);

#endif
