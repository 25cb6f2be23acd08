/* Orders of ZB_H1, ZB_H2, V_HALF and V_MIN: a pattern, from which a device departs while it would
 * have to wait. */
#ifndef CLI_ALGORITHMS_GREEDY_H
#define CLI_ALGORITHMS_GREEDY_H

#include "algorithms/layout.h"
#include "algorithms/schedule.h"

/* How good an order is. */
typedef struct cli_greedy_score {
    uint64_t span;
    uint64_t windows; /* of all devices, from the first task to the last */
} cli_greedy_score;

/* A task is a code: 2 * part + chunk; part 0 is forward, 1 input, 2 parameters. The n-th task of a
 * code on its device is that of microbatch n. */
typedef struct cli_greedy {
    cli_schedule_desc d;
    uint32_t n_stages;
    int is_v;
    uint32_t limit;    /* microbatches of a stage that a device keeps */
    uint32_t each;     /* tasks per device */
    uint8_t *row;      /* [tasks] the pattern, per device, */
    uint32_t *same;    /* [tasks] the next task of its code, GSP_NONE: none */
    uint32_t *next;    /* [6 * devices] the next task of every code that is left */
    uint8_t *queue;    /* [2 * microbatches] chunks whose part for the parameters is left */
    uint8_t *order;    /* [tasks] that is made, */
    uint8_t *best;     /* [tasks] and the best so far */
    uint32_t *done;    /* [6 * devices] tasks per code */
    uint32_t *ended;   /* [devices] tasks */
    uint32_t *kept;    /* [devices] microbatches */
    uint64_t *end[2];  /* [microbatches * stages] of forward and input tasks; UINT64_MAX: unknown */
    uint64_t *free_at; /* [devices] */
    uint64_t *begun;   /* [devices] begin of the first task */
    uint64_t *wake;    /* [width] next time to look for a task; UINT64_MAX: never */
    uint64_t *ticks;   /* [6 * devices] per code */
    uint32_t *first;   /* [2 * width] a tree: the device that wakes first */
    uint32_t width;
    cli_greedy_score score; /* of the best */
} cli_greedy;

/* cli_greedy_lay_out: counts or assigns the arrays. `d` has no defaults left. */
void cli_greedy_lay_out(cli_greedy *g, cli_layout *l, const cli_schedule_desc *d);

/* cli_greedy_run: the actions, devices one after the other. begin: [devices + 1] */
void cli_greedy_run(cli_greedy *g, cli_action *actions, uint32_t *begin);

#endif
