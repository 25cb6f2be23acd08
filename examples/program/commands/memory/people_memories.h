/* The report of `memory` with several memories, for people. */
#ifndef CLI_COMMANDS_MEMORY_PEOPLE_MEMORIES_H
#define CLI_COMMANDS_MEMORY_PEOPLE_MEMORIES_H

#include "commands/memory/facts.h"

/* memory_people_cost: the lines of the summary. */
void memory_people_cost(const memory *m, cli_buffer *out);

/* memory_people_memories: tables of the memories, and of tensors that are not where they cost
 * least; nothing without several memories. */
void memory_people_memories(const memory *m, cli_buffer *out);

#endif
