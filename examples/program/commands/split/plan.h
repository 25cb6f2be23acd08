/* --save-plan of `split`. */
#ifndef CLI_COMMANDS_SPLIT_PLAN_H
#define CLI_COMMANDS_SPLIT_PLAN_H

#include "commands/split/facts.h"

int split_save_plan(const split *p);

#endif
