/* Phases of a split with the fewest bytes between them. */
#ifndef CLI_ALGORITHMS_TRAFFIC_H
#define CLI_ALGORITHMS_TRAFFIC_H

#include "graphsplit.h"

/* What counts of a tensor that other subgraphs read. */
typedef enum cli_traffic_measure {
    CLI_TRAFFIC_WRITTEN,  /* its bytes */
    CLI_TRAFFIC_READ,     /* its bytes per subgraph that reads it */
    CLI_TRAFFIC_RESIDENT, /* its bytes per boundary up to the last one that does */
    CLI_TRAFFIC_COUNT
} cli_traffic_measure;

typedef struct cli_traffic_desc {
    uint32_t measure;              /* cli_traffic_measure */
    const gsp_split_result *split; /* of this graph, with one accelerator at most */
    uint32_t best_start;           /* as in gsp_split_desc */
    uint64_t max_work;             /* arcs scanned; 0: 2^25 */
} cli_traffic_desc;

typedef struct cli_traffic {
    const uint32_t *phase; /* [n] for gsp_split_desc.phase */
    uint32_t n_phases;
    uint64_t bytes[CLI_TRAFFIC_COUNT];     /* by measure */
    uint64_t reference[CLI_TRAFFIC_COUNT]; /* of the phases of gsp_split_run() */
    uint64_t lower_bound; /* of the measure, in so many phases; its bytes if that is proved */
    uint64_t work;
} cli_traffic;

/* cli_traffic_bound: bytes for the run. */
size_t cli_traffic_bound(const gsp_graph *graph);

/* cli_traffic_run: as many phases as gsp_split_run() has, with the fewest bytes between them.
 * RESIDENT is exact unless the work ends. WRITTEN and READ are as good as choices between two
 * phases make them. Never worse than the earliest phases. ARG (KIND), OVERFLOW (SIZE), NOMEM. */
gsp_status cli_traffic_run(gsp_arena *arena, const gsp_graph *graph, const cli_traffic_desc *desc,
    cli_traffic *result, gsp_error *err);

#endif
