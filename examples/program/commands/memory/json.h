/* The JSON of `memory`. */
#ifndef CLI_COMMANDS_MEMORY_JSON_H
#define CLI_COMMANDS_MEMORY_JSON_H

#include "commands/memory/facts.h"

void memory_json(const memory *m, cli_buffer *out);

#endif
