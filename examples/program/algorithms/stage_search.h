/* Stages of units with the least bottleneck. Knows no graphs. */
#ifndef CLI_ALGORITHMS_STAGE_SEARCH_H
#define CLI_ALGORITHMS_STAGE_SEARCH_H

#include "algorithms/downsets.h"

/* Devices, and what a stage costs: on d devices (units + values that cross it) / d + sync * 4
 * (d - 1) / d / microbatches, as in PipeDream and Piper; on a CPU core its units alone. */
typedef struct cli_stage_desc {
    const cli_units *units;
    uint32_t n_devices;
    uint32_t n_cores;      /* CPU cores, one stage each, without limit of memory */
    uint32_t exact;        /* every device has a stage */
    uint32_t replicas;     /* a stage may have several devices */
    uint32_t carried;      /* values pass through every stage up to the last */
    uint32_t by_bytes;     /* the bottleneck is memory */
    uint32_t microbatches; /* a stage stashes; 0: inference */
    const uint32_t *held;  /* [n_devices] stashed microbatches; NULL: as in 1F1B */
    uint64_t copies;       /* of bytes */
    uint64_t memory;       /* per device; UINT64_MAX: no limit */
    uint64_t first_time;
    uint64_t last_time;
    uint64_t max_work;  /* units that enter a stage */
    uint64_t max_bytes; /* of the downsets */
} cli_stage_desc;

typedef struct cli_stage_result {
    uint32_t n_stages;   /* 0: none found */
    uint32_t *stage_of;  /* [units] */
    uint32_t *n_devices; /* [stages] 0: a CPU core */
    uint64_t objective;
    uint64_t lower_bound;
    uint64_t work;
    uint32_t n_downsets;
    int complete; /* all downsets were searched */
} cli_stage_result;

/* cli_stage_search: stages with a bottleneck below `objective` of the result, which the caller
 * sets; the result's stage_of, if not NULL, is where the search starts. */
void cli_stage_search(cli_session *s, const cli_stage_desc *desc, cli_stage_result *result);

#endif
