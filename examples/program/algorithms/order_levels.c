/* Levels of a graph as phases of two kinds that alternate: a call is in the level of the longest
 * chain of calls before it at the earliest. The minimum cut of --order min-traffic:resident then
 * finds levels between which the fewest bytes are kept. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

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
    for (i = 0; i < w->tasks.n; i++) {
        at[r->phase[w->nodes.at[w->nodes.begin[i + 1u] - 1u]] + 1u]++;
    }
    for (i = 0; i < r->n_phases; i++) {
        at[i + 1u] += at[i];
    }
    for (i = 0; i < w->tasks.n; i++) {
        order[at[r->phase[w->nodes.at[w->nodes.begin[i + 1u] - 1u]]]++] = i;
    }
    cli_release(w->session, at);
}

/* Each task once and after those before it: writes and barriers are no part of the cut. */
static int is_order(const order_graph *w, const uint32_t *order)
{
    const order_tasks *t = &w->tasks;
    uint32_t *place = (uint32_t *)cli_alloc(w->session, (size_t)t->n + 1u, sizeof *place);
    int good = 1;
    uint32_t i;
    uint32_t k;
    for (i = 0; i < t->n; i++) {
        place[order[i]] = i;
    }
    for (i = 0; i < t->n; i++) {
        good = good && t->earliest[i] <= place[i];
        for (k = t->before.begin[i]; k < t->before.begin[i + 1u]; k++) {
            good = good && place[t->before.at[k]] < place[i];
        }
    }
    cli_release(w->session, place);
    return good;
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
            found = is_order(w, order);
        }
        cli_release(s, block);
    }
    cli_release(s, kind);
    return found;
}
