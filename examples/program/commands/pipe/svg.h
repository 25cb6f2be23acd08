/* --svg of `pipe`: the schedule as a chart. */
#ifndef CLI_COMMANDS_PIPE_SVG_H
#define CLI_COMMANDS_PIPE_SVG_H

#include "commands/pipe/facts.h"

void pipe_svg(const pipe *p, cli_buffer *out);

#endif
