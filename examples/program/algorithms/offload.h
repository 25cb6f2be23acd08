/* The nodes that are worth offloading: least time, with transfers and launches. */
#ifndef CLI_ALGORITHMS_OFFLOAD_H
#define CLI_ALGORITHMS_OFFLOAD_H

#include "graphsplit.h"

#define CLI_OFFLOAD_CURVE 65u

typedef struct cli_offload cli_offload;

/* Times are in ticks; all together are below 2^58. */
typedef struct cli_offload_desc {
    const gsp_graph *graph;
    const uint8_t *kind;   /* [n] 1: the accelerator supports the node */
    const uint8_t *pinned; /* [n] 1: it must run there */
    const uint32_t *group; /* [n] of nodes that stay together; GSP_NONE: alone */
    const uint64_t *cpu;   /* [n] of callable nodes */
    const uint64_t *acc;   /* [n] */
    const uint64_t *move;  /* [n] to move the value of a node to the other side */
    uint64_t launch;       /* per accelerator subgraph */
    uint32_t resident;     /* 1: a value moves at each boundary up to its last reader */
    uint64_t max_work;     /* arcs scanned, nodes visited; 0: 2^28, of large graphs 2^26 */
} cli_offload_desc;

typedef struct cli_offload_result {
    const uint8_t *kind;   /* [n] for gsp_split_run() */
    const uint32_t *phase; /* [n] of callable nodes, for resident; otherwise NULL */
    uint64_t time;
    uint64_t lower_bound; /* no choice takes less; `time` if that is proved */
    uint64_t all;         /* everything that is supported is offloaded */
    uint64_t cpu_only;    /* UINT64_MAX: nodes are pinned to the accelerator */
    uint64_t work;
    uint64_t at_most[CLI_OFFLOAD_CURVE]; /* the best known with so many accelerator subgraphs, or
                                            fewer; UINT64_MAX: none is known */
} cli_offload_result;

/* cli_offload_bound: bytes for the problem and its run. */
size_t cli_offload_bound(const cli_offload_desc *desc);

/* cli_offload_make: the problem, in an arena that it keeps. NULL: the times are 2^58 or more
 * together, or the arena is too small. */
cli_offload *cli_offload_make(gsp_arena *arena, const cli_offload_desc *desc);

/* cli_offload_run: the best choice found, never worse than all or nothing. Exact without a launch
 * time, and for `resident`, unless the work ends or the network is too large. */
void cli_offload_run(cli_offload *o, cli_offload_result *result);

/* cli_offload_time: of nodes on these kinds, each as early as possible. UINT64_MAX: no order of
 * subgraphs is possible. */
uint64_t cli_offload_time(cli_offload *o, const uint8_t *kind);

#endif
