/* Searches that would take too much time or memory are refused before they begin, with what they
 * need. --work and --arena allow them. */
#include "commands/partition/limit.h"

#include "core/error.h"

#include <inttypes.h>

#define MOST_TRIALS 1048576u /* without --work: some seconds */
#define MOST_BYTES \
    (256u * 1048576u) /* without --arena; only cost needs more per node than others */

/* Bytes of all nodes, as the modes add them; at most UINT64_MAX. */
static uint64_t all_bytes(const gsp_graph *g)
{
    uint64_t sum = 0;
    gsp_node v;
    for (v = 0; v + 1u < g->n_nodes; v++) {
        uint64_t bytes = gsp_node_bytes(g, v);
        uint64_t params = gsp_node_op(g, v) == GSP_OP_CALL_MODULE ? gsp_node_params(g, v) : 0u;
        sum = sum <= UINT64_MAX - bytes ? sum + bytes : UINT64_MAX;
        sum = sum <= UINT64_MAX - params ? sum + params : UINT64_MAX;
    }
    return sum;
}

/* A graph that fits one device, or not all of them, is not searched. */
static int is_searched(const partition *p)
{
    uint64_t bytes = all_bytes(&p->graph);
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

int partition_check_search(partition *p)
{
    cli_session *s = p->session;
    int merges = p->opt.mode == GSP_PARTITION_COST;
    uint64_t n = 0;
    gsp_node v;
    if ((!merges && p->opt.mode != GSP_PARTITION_KL) || !is_searched(p)) {
        return CLI_EXIT_OK;
    }
    if (merges && p->bound > MOST_BYTES && s->common.arena == UINT64_MAX) {
        gsp_partition_desc kl = p->desc;
        kl.mode = GSP_PARTITION_KL;
        return cli_error(s, GSP_STATUS_LIMIT,
                         "--mode cost needs %zu bytes for %" PRIu32 " nodes and %" PRIu32
                         " devices, which --arena %zu gives it; --mode kl needs %zu",
                         p->bound, p->graph.n_nodes, p->n_devices, p->bound,
                         gsp_partition_bound(&p->graph, &kl));
    }
    for (v = 0; v < p->graph.n_nodes; v++) {
        n += gsp_node_is_callable(&p->graph, v) ? 1u : 0u;
    }
    if (p->opt.work != 0 || n * n <= MOST_TRIALS / gsp_partition_resolve(&p->desc).n_sweeps ||
        (!merges && !has_times(p))) {
        return CLI_EXIT_OK;
    }
    return cli_error(s, GSP_STATUS_LIMIT,
                     "--mode %s makes up to %" PRIu64 " trials per %s on %" PRIu64
                     " nodes: --work N ends it after N of them with the best result so far",
                     partition_modes[p->opt.mode], merges ? n * (n - 1u) / 2u : n * n,
                     merges ? "merge" : "sweep", n);
}
