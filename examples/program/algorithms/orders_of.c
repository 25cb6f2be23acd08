/* Orders of a graph with the least peak, and orders by levels to begin with. Levels are phases of
 * two kinds that alternate: a call is in the level of the longest chain of calls before it at the
 * earliest. The minimum cut of --order min-traffic:resident then finds levels between which the
 * fewest bytes are kept. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

/* ---- orders ---- */

#define STATES ((uint64_t)1u << 26u) /* sets times tasks: with them 300 MB */
#define LARGE  4096u                 /* tasks; each of more takes longer to try */

gsp_status order_graph_make(order_graph *w, gsp_error *err)
{
    gsp_arena arena;
    cli_arena(w->session, &arena, gsp_tasks_bound(w->g, &w->desc));
    return gsp_tasks_run(&arena, w->g, &w->desc, &w->tasks, err);
}

int order_find(const order_graph *w, const gsp_least_peak_desc *desc, gsp_least_peak_result *result)
{
    gsp_arena arena;
    cli_arena(w->session, &arena, gsp_least_peak_bound(&w->tasks, desc));
    return gsp_least_peak_run(&arena, &w->tasks, desc, result, NULL) == GSP_OK;
}

int order_find_best(const order_graph *w, gsp_least_peak_desc *desc, gsp_least_peak_result *result)
{
    desc->max_states = STATES;
    if (desc->max_work == 0 && w->tasks.n_tasks > LARGE) {
        desc->max_work = GSP_LEAST_PEAK_WORK / 4u;
    }
    return order_find(w, desc, result);
}

/* ---- levels ---- */

/* Kinds of calls by their level of n; 0 if all chains are shorter. */
static int find_kinds(const order_graph *w, uint32_t n, uint8_t *kind)
{
    const gsp_graph *g = w->g;
    uint32_t *depth = (uint32_t *)cli_alloc(w->session, (size_t)g->n_nodes + 1u, sizeof *depth);
    uint32_t most = 0;
    gsp_node v;
    uint32_t i;
    for (v = 0; v < g->n_nodes; v++) {
        uint32_t n_in;
        const gsp_node *in = cli_before(g, v, &n_in);
        for (i = 0; i < n_in; i++) {
            depth[v] = depth[in[i]] > depth[v] ? depth[in[i]] : depth[v];
        }
        depth[v] += gsp_node_is_callable(g, v) ? 1u : 0u;
        most = depth[v] > most ? depth[v] : most;
    }
    for (v = 0; v < g->n_nodes; v++) {
        kind[v] = !gsp_node_is_callable(g, v)
                      ? (uint8_t)GSP_KIND_NONE
                      : (uint8_t)((uint64_t)(depth[v] - 1u) * n / ((uint64_t)most + 1u) & 1u);
    }
    cli_release(w->session, depth);
    return most >= n;
}

/* The tasks by phase of their last call, those of one phase as they are. */
static void sort_tasks(const order_graph *w, const gsp_traffic_result *r, uint32_t *order)
{
    uint32_t *at = (uint32_t *)cli_alloc(w->session, (size_t)r->n_phases + 1u, sizeof *at);
    uint32_t i;
    for (i = 0; i < w->tasks.n_tasks; i++) {
        at[r->phase[w->tasks.nodes.at[w->tasks.nodes.begin[i + 1u] - 1u]] + 1u]++;
    }
    for (i = 0; i < r->n_phases; i++) {
        at[i + 1u] += at[i];
    }
    for (i = 0; i < w->tasks.n_tasks; i++) {
        order[at[r->phase[w->tasks.nodes.at[w->tasks.nodes.begin[i + 1u] - 1u]]]++] = i;
    }
    cli_release(w->session, at);
}

int order_levels(const order_graph *w, uint32_t n, uint32_t *order)
{
    cli_session *s = w->session;
    size_t const nodes = w->g->n_nodes;
    size_t const room = gsp_traffic_bound(w->g, NULL);
    uint8_t *kind = (uint8_t *)cli_alloc(s, nodes + 1u, 1u);
    gsp_traffic_desc desc;
    gsp_traffic_result r;
    int found = find_kinds(w, n, kind);
    memset(&desc, 0, sizeof desc);
    desc.measure = GSP_TRAFFIC_RESIDENT;
    desc.kind = kind;
    if (found) {
        void *block = cli_grow(s, NULL, room);
        gsp_arena arena;
        gsp_arena_init(&arena, block, room);
        found = gsp_traffic_run(&arena, w->g, &desc, &r, NULL) == GSP_OK;
        if (found) {
            sort_tasks(w, &r, order);
        }
        cli_release(s, block);
    }
    cli_release(s, kind);
    return found;
}
