/* Operators in the order of reports, and what the support of one would bring. */
#ifndef CLI_COMMANDS_SPLIT_OPERATORS_H
#define CLI_COMMANDS_SPLIT_OPERATORS_H

#include "commands/split/facts.h"

/* split_operators_by_cpu, _by_cuts: all of them; first those with most nodes on the CPU, or with
 * most cuts. */
const split_operator **split_operators_by_cpu(const split *p, const split_facts *f);
const split_operator **split_operators_by_cuts(const split *p, const split_facts *f);

/* Node visits that may be spent on trials. */
#define SPLIT_TRIAL_WORK 4000000u

/* What a trial run needs, made once. */
typedef struct split_trial {
    gsp_arena arena;
    gsp_placement placement;
    gsp_split_desc desc;
} split_trial;

void split_trial_init(const split *p, split_trial *t);

/* split_trial_run: subgraphs if the first accelerator supported this operator; GSP_NONE: it cannot
 * be said. */
uint32_t split_trial_run(const split *p, const split_facts *f, split_trial *t, uint32_t op);

#endif
