/* The porcelain of `memory` with several memories. */
#ifndef CLI_COMMANDS_MEMORY_PORCELAIN_MEMORIES_H
#define CLI_COMMANDS_MEMORY_PORCELAIN_MEMORIES_H

#include "commands/memory/facts.h"

void memory_porcelain_memories(const memory *m, cli_buffer *out);

#endif
