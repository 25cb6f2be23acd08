/* How good the stages are, and when they run. */
#ifndef CLI_COMMANDS_PIPE_FIGURES_H
#define CLI_COMMANDS_PIPE_FIGURES_H

#include "commands/pipe/facts.h"

/* pipe_plan_make: figures of the stages and the schedule, where asked for. Returns an exit
 * status. */
int pipe_plan_make(pipe *p);

#endif
