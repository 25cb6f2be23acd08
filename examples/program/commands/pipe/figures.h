/* Costs of the stages, and the schedule. */
#ifndef CLI_COMMANDS_PIPE_FIGURES_H
#define CLI_COMMANDS_PIPE_FIGURES_H

#include "commands/pipe/facts.h"

/* pipe_plan_make: costs of the stages and the schedule, if asked for. Returns an exit status. */
int pipe_plan_make(pipe *p);

/* pipe_schedule_run: the tasks with their times; an order is made if the kind has no formula.
 * Returns an exit status. */
int pipe_schedule_run(pipe *p, cli_schedule_desc *d, cli_schedule *result);

#endif
