/* The porcelain of `dedup`. */
#ifndef CLI_COMMANDS_DEDUP_PORCELAIN_H
#define CLI_COMMANDS_DEDUP_PORCELAIN_H

#include "commands/dedup/facts.h"

void dedup_porcelain(const dedup *p, cli_buffer *out);

#endif
