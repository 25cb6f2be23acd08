/* The report of `memory` for people. */
#ifndef CLI_COMMANDS_MEMORY_PEOPLE_H
#define CLI_COMMANDS_MEMORY_PEOPLE_H

#include "commands/memory/facts.h"

void memory_people(const memory *m, cli_buffer *out);

#endif
