/* --emit of `pipe`. */
#ifndef CLI_COMMANDS_PIPE_EMIT_H
#define CLI_COMMANDS_PIPE_EMIT_H

#include "commands/pipe/facts.h"

int pipe_emit(const pipe *p);

#endif
