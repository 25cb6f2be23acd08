/* --map of `dedup`. */
#ifndef CLI_COMMANDS_DEDUP_MAP_H
#define CLI_COMMANDS_DEDUP_MAP_H

#include "commands/dedup/facts.h"

void dedup_map(const dedup *p, cli_buffer *out);

#endif
