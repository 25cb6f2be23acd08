/* --minimise time: what is worth offloading. */
#ifndef CLI_COMMANDS_SPLIT_WORTH_H
#define CLI_COMMANDS_SPLIT_WORTH_H

#include "commands/split/facts.h"
#include "algorithms/offload.h"

/* An accelerator subgraph, of the result or of a split that offloads all that is supported. */
typedef struct split_worth_row {
    uint32_t subgraph;
    gsp_node first;
    uint32_t nodes;
    uint32_t kept; /* of them are on the accelerator in the result */
    uint64_t cpu;  /* nanoseconds of its nodes */
    uint64_t acc;
    int64_t saves; /* the CPU would take so much longer; INT64_MIN: not known */
} split_worth_row;

typedef struct split_worth_rows {
    split_worth_row *rows;
    uint32_t n;
} split_worth_rows;

struct split_worth {
    cli_costs costs;
    uint64_t launch;
    cli_offload *offload;
    cli_offload_result r;
    gsp_split_result all; /* offloads all that is supported */
    uint32_t n_all;       /* its accelerator subgraphs */
};

/* split_worth_check: the options that --minimise time takes, and those that it excludes. Returns an
 * exit status. */
int split_worth_check(split *p);

/* split_worth_choose: changes placement and desc to what takes the least time. */
int split_worth_choose(split *p);

/* split_worth_rows_make: what each accelerator subgraph saves, of the result or of all. */
void split_worth_rows_make(
    const split *p, const gsp_split_result *of, const uint8_t *kind, split_worth_rows *rows);

#endif
