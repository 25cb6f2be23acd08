/* The porcelain of `pipe`. */
#ifndef CLI_COMMANDS_PIPE_PORCELAIN_H
#define CLI_COMMANDS_PIPE_PORCELAIN_H

#include "commands/pipe/facts.h"

void pipe_porcelain(const pipe *p, cli_buffer *out);

#endif
