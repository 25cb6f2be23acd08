/* Why tensors do not fit into several memories. */
#ifndef CLI_COMMANDS_MEMORY_MISFIT_H
#define CLI_COMMANDS_MEMORY_MISFIT_H

#include "commands/memory/facts.h"

/* memory_misfit: an error that says why, and names a minimal set of tensors that do not fit. */
int memory_misfit(memory *m, const char *why);

#endif
