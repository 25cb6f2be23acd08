/* Operators in the order of reports, and the effect of supporting one. */
#ifndef CLI_COMMANDS_SPLIT_OPERATORS_H
#define CLI_COMMANDS_SPLIT_OPERATORS_H

#include "commands/split/facts.h"

/* split_operators_by_cpu, _by_cuts: all operators, those with most nodes on the CPU or with most
 * cuts first. */
const split_operator **split_operators_by_cpu(const split *p, const split_facts *f);
const split_operator **split_operators_by_cuts(const split *p, const split_facts *f);

/* Limit of node visits for all trials. */
#define SPLIT_TRIAL_WORK 4000000u

/* Splits as if the first accelerator supported more operators. */
typedef struct split_trial {
    gsp_arena arena;
    gsp_mark start;
    gsp_placement placement;
    gsp_split_desc desc;
    uint8_t *supported; /* [n_operators] 1: the accelerator supports it as well */
    gsp_split_result result;
} split_trial;

void split_trial_init(const split *p, const split_facts *f, split_trial *t);

/* split_trial_run: makes the result, which is valid until the next run; 0: there is none. */
int split_trial_run(const split *p, const split_facts *f, split_trial *t);

/* split_trial_one: the number of subgraphs with this operator as well; GSP_NONE: unknown. */
uint32_t split_trial_one(const split *p, const split_facts *f, split_trial *t, uint32_t op);

#endif
