/* The porcelain of `split`. */
#ifndef CLI_COMMANDS_SPLIT_PORCELAIN_H
#define CLI_COMMANDS_SPLIT_PORCELAIN_H

#include "commands/split/facts.h"

void split_porcelain(const split *p, cli_buffer *out);

#endif
