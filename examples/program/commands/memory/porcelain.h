/* The porcelain of `memory`. */
#ifndef CLI_COMMANDS_MEMORY_PORCELAIN_H
#define CLI_COMMANDS_MEMORY_PORCELAIN_H

#include "commands/memory/facts.h"

void memory_porcelain(const memory *m, cli_buffer *out);

#endif
