/* The result of every minimum size, and the recommended one. */
#ifndef CLI_COMMANDS_SPLIT_CURVE_H
#define CLI_COMMANDS_SPLIT_CURVE_H

#include "commands/split/facts.h"

/* A recommended minimum keeps at least this percentage of the accelerator's nodes. */
#define SPLIT_KEEP_PERCENT 95u

/* The result when all accelerator subgraphs below a minimum move to the CPU. */
typedef struct split_curve_point {
    uint32_t minimum;
    uint32_t subgraphs;
    uint32_t n_acc;
    uint32_t nodes; /* on accelerators */
} split_curve_point;

typedef struct split_curve {
    split_curve_point *points; /* by ascending minimum; the first is minimum 1 */
    uint32_t n_points;
    uint32_t best;
} split_curve;

void split_curve_make(const split *p, split_curve *c);

/* split_curve_present: the point of the present split; the first if no subgraph was too small. */
uint32_t split_curve_present(const split *p, const split_curve *c);

#endif
