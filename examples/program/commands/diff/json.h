/* The JSON of `diff`. */
#ifndef CLI_COMMANDS_DIFF_JSON_H
#define CLI_COMMANDS_DIFF_JSON_H

#include "commands/diff/facts.h"

void diff_json(const diff *d, cli_buffer *out);

#endif
