/* --svg of `memory`: the arena over time. */
#ifndef CLI_COMMANDS_MEMORY_SVG_H
#define CLI_COMMANDS_MEMORY_SVG_H

#include "commands/memory/facts.h"

void memory_svg(const memory *m, cli_buffer *out);

#endif
