/* The JSON of `split`. */
#ifndef CLI_COMMANDS_SPLIT_JSON_H
#define CLI_COMMANDS_SPLIT_JSON_H

#include "commands/split/facts.h"

void split_json(const split *p, cli_buffer *out);

#endif
