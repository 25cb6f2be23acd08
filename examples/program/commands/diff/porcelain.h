/* The porcelain of `diff`. */
#ifndef CLI_COMMANDS_DIFF_PORCELAIN_H
#define CLI_COMMANDS_DIFF_PORCELAIN_H

#include "commands/diff/facts.h"

void diff_porcelain(const diff *d, cli_buffer *out);

#endif
