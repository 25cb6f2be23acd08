/* Searches that would take too much time are refused before they begin, with their trials, and COST
 * after too many. --work allows them. */
#include "commands/partition/partition.h"

#include <inttypes.h>

#define MOST_TRIALS 1048576u            /* per merge or sweep, without --work */
#define MOST_WORK   ((uint64_t)1 << 36) /* nodes squared and four per edge, of all trials of COST */

uint32_t partition_called(const gsp_graph *graph)
{
    uint32_t n = 0;
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        n += gsp_node_is_callable(graph, v) ? 1u : 0u;
    }
    return n;
}

uint64_t partition_trials(const gsp_graph *graph)
{
    uint64_t const n = partition_called(graph);
    return MOST_WORK / (n * n + 4u * (uint64_t)gsp_graph_counts(graph).edges + 1u) + 1u;
}

/* A graph that fits one device, or not all of them, is not searched. */
static int is_searched(const partition *p)
{
    uint64_t bytes = gsp_heft_bytes(&p->graph);
    uint64_t largest = 0;
    uint64_t room = 0;
    uint32_t i;
    for (i = 0; i < p->n_devices; i++) {
        uint64_t has = p->devices[i].bytes;
        largest = has > largest ? has : largest;
        room = has <= UINT64_MAX - room ? room + has : UINT64_MAX;
    }
    return bytes > largest && bytes <= room;
}

static int has_times(const partition *p)
{
    gsp_node v = 0;
    while (v < p->graph.n_nodes && !(gsp_node_seconds(&p->graph, v, GSP_KEY_MEM) > 0.0) &&
           !(gsp_node_seconds(&p->graph, v, GSP_KEY_COMPUTE) > 0.0)) {
        v++;
    }
    return p->desc.has_rate || v < p->graph.n_nodes;
}

/* How often the trials are made, or how much longer each takes on so many devices. */
static uint32_t weight(const partition *p)
{
    return p->opt.mode == GSP_PARTITION_COST
               ? 1u + p->n_devices / 16u
               : (p->desc.n_sweeps == 0u ? 1u : p->desc.n_sweeps) * (1u + p->n_devices / 1024u);
}

int partition_check_search(partition *p)
{
    cli_session *s = p->session;
    int merges = p->opt.mode == GSP_PARTITION_COST;
    uint64_t const n = partition_called(&p->graph);
    if ((!merges && p->opt.mode != GSP_PARTITION_KL) || !is_searched(p)) {
        return CLI_EXIT_OK;
    }
    if (merges && p->opt.work == 0) {
        p->desc.max_work = partition_trials(&p->graph);
    }
    if (p->opt.work != 0 || n * n <= MOST_TRIALS / weight(p) || (!merges && !has_times(p))) {
        return CLI_EXIT_OK;
    }
    return cli_error(s, GSP_STATUS_LIMIT,
        "--mode %s makes up to %" PRIu64 " trials per %s on %" PRIu64 " nodes and %" PRIu32
        " devices: --work N ends it after N of them with the best result so far",
        partition_modes[p->opt.mode], merges ? n * (n - 1u) / 2u : n * n,
        merges ? "merge" : "sweep", n, p->n_devices);
}

int partition_check_end(partition *p, const gsp_error *err)
{
    int const reached = p->tried + PARTITION_TRIALS >= p->desc.max_work;
    int const stopped = err->status == GSP_OK && p->result.stopped != 0;
    int const unplaced = err->status == GSP_STATUS_NO_FIT && reached;
    if (p->opt.mode != GSP_PARTITION_COST || p->opt.work != 0 || p->desc.max_work == 0 ||
        p->interrupted || (!stopped && !unplaced)) {
        return CLI_EXIT_OK;
    }
    return cli_error(p->session, GSP_STATUS_LIMIT,
        "--mode cost has no result after %" PRIu64
        " trials: --work N ends it after N of them with the best result so far",
        p->desc.max_work);
}
