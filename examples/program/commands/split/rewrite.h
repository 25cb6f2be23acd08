/* The order in which to support operators, and the fewest that reach a goal. */
#ifndef CLI_COMMANDS_SPLIT_REWRITE_H
#define CLI_COMMANDS_SPLIT_REWRITE_H

#include "commands/split/facts.h"

/* The split with the operators of this step and of all steps before it. */
typedef struct split_rewrite_step {
    uint32_t op; /* of split_facts.operators */
    uint32_t subgraphs;
    uint64_t on_acc;  /* nodes */
    uint64_t bytes;   /* that cross the boundary of an accelerator */
    int is_timed;     /* all nodes that moved so far have cpu= and compute= */
    double cpu_saved; /* seconds: cpu= less compute= of these nodes */
} split_rewrite_step;

typedef struct split_rewrite {
    split_rewrite_step *steps; /* [n_steps] the most important operator first */
    uint32_t n_steps;
    uint32_t n_missing; /* operators with unsupported nodes */
    uint32_t goal;      /* most subgraphs; 0: nothing on the CPU; GSP_NONE: no goal */
    uint32_t greedy;    /* steps that reach the goal; GSP_NONE: none do */
    uint32_t *least;    /* [n_least] the fewest operators that reach the goal, once proved */
    uint32_t n_least;   /* GSP_NONE: no set is known that does */
    uint32_t bound;     /* no set of fewer operators reaches the goal */
    int is_proved;
} split_rewrite;

/* split_rewrite_make: the steps, and with --rewrite-to K the least set. The work is limited: there
 * may be no steps, and the least set may stay unproved. */
void split_rewrite_make(const split *p, const split_facts *f, split_rewrite *r);

#endif
