/* The JSON of `memory` with several memories. */
#ifndef CLI_COMMANDS_MEMORY_JSON_MEMORIES_H
#define CLI_COMMANDS_MEMORY_JSON_MEMORIES_H

#include "commands/memory/facts.h"

void memory_json_memories(const memory *m, cli_buffer *out);

#endif
