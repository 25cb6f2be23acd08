/* The time of each node on the CPU and on the accelerator, and to move its value between them. */
#ifndef CLI_INPUT_COSTS_H
#define CLI_INPUT_COSTS_H

#include "core/session.h"

#define CLI_COSTS_BANDWIDTH UINT64_C(107374182400) /* 100 GiB/s */

/* Among the options of a pass. */
typedef struct cli_costs_options {
    const char *costs;
    const char *profile;
    const char *cpu_rates;
    const char *acc_rates;
    uint64_t bandwidth; /* UINT64_MAX: not given */
} cli_costs_options;

/* In nanoseconds; [n_nodes], 0 where nothing is called. */
typedef struct cli_costs {
    uint64_t *cpu;
    uint64_t *acc;
    uint64_t *move;
    uint32_t n_called;
    uint32_t n_measured;  /* by --profile */
    uint32_t n_estimated; /* from shapes, on either side */
    uint32_t n_on_cpu;    /* of them: on the CPU */
    uint32_t n_on_acc;
    uint32_t n_sizeless;   /* of them: without sizes, 1 ns */
    const char *cpu_rates; /* as the options take them */
    const char *acc_rates;
    uint64_t bandwidth;
} cli_costs;

/* cli_costs_read: a line of --costs comes before --profile, this before cpu= and compute=, these
 * before estimates. Errors are reported. Returns an exit status. */
int cli_costs_read(
    cli_session *s, const cli_costs_options *options, const gsp_graph *graph, cli_costs *costs);

#endif
