/* --map: from the names of the input to those of the split module. */
#ifndef CLI_COMMANDS_SPLIT_MAP_H
#define CLI_COMMANDS_SPLIT_MAP_H

#include "commands/split/facts.h"

void split_map(const split *p, cli_buffer *out);

#endif
