/* --plan of `split`. */
#ifndef CLI_COMMANDS_SPLIT_REPLAY_H
#define CLI_COMMANDS_SPLIT_REPLAY_H

#include "commands/split/facts.h"

/* split_from_plan: --plan instead of the splitter: the result, the tags, all of it. */
int split_from_plan(split *p);

/* split_plan_error: the modules of a plan cannot be made. */
int split_plan_error(const split *p, const gsp_error *err);

#endif
