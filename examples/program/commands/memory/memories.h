/* Several memories (--memory): what they are, what may lie where, and the assignment. */
#ifndef CLI_COMMANDS_MEMORY_MEMORIES_H
#define CLI_COMMANDS_MEMORY_MEMORIES_H

#include "commands/memory/facts.h"

/* memory_memories_read: the memories of the options, as m->several. */
int memory_memories_read(memory *m);

/* memory_memories_run: assigns the tensors of m->memory_plan, state and, with --weights, parameters
 * to the memories. m->memory_plan lists them all then, with their offsets. */
int memory_memories_run(memory *m);

#endif
