/* --trace of `pipe`: the schedule as a trace in Chrome's format. */
#ifndef CLI_COMMANDS_PIPE_TRACE_H
#define CLI_COMMANDS_PIPE_TRACE_H

#include "commands/pipe/facts.h"

void pipe_trace(const pipe *p, cli_buffer *out);

#endif
