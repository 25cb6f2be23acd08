/* --plan of `split`. */
#ifndef CLI_COMMANDS_SPLIT_REPLAY_H
#define CLI_COMMANDS_SPLIT_REPLAY_H

#include "commands/split/facts.h"

/* split_from_plan: uses --plan instead of the splitter: the whole result and the tags. */
int split_from_plan(split *p);

/* split_plan_error: reports that the parts of a plan make no module. */
int split_plan_error(const split *p, const gsp_error *err);

#endif
