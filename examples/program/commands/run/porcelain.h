/* The porcelain of `run`. */
#ifndef CLI_COMMANDS_RUN_PORCELAIN_H
#define CLI_COMMANDS_RUN_PORCELAIN_H

#include "commands/run/facts.h"

void run_porcelain(const run_work *w, cli_buffer *out);

#endif
