/* A lower bound of the cut of balanced parts, by a flow between all pairs of nodes (Leighton and
 * Rao 1999): parts within their limits separate many pairs, whose flow passes through what is cut.
 * Each round sends it along shortest ways, and busy edges are longer for the next one. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

#define MOST_WORK   ((uint64_t)1 << 25) /* ends of edges that are met, of all rounds */
#define MOST_ROUNDS 32u
#define FEW_ROUNDS  4u
#define GROWTH      0.5          /* of the length of the busiest edge, per round */
#define SLACK       (1.0 - 1e-9) /* for rounding */

typedef struct edge {
    gsp_node ends[2];
    double room;
    double flow; /* of all rounds */
    double last; /* of this one */
    double length;
} edge;

typedef struct entry {
    double distance;
    gsp_node node;
} entry;

typedef struct flow {
    const cli_cut_bound_desc *d;
    edge *edges;
    uint32_t n_edges;
    uint32_t *begin;  /* [n + 1] of the edges at a node */
    uint32_t *at;     /* [2 * n_edges] */
    double *distance; /* [n] below 0: no way so far */
    uint32_t *by;     /* [n] the edge on the way to a node */
    gsp_node *order;  /* [n] as reached */
    double *load;     /* [n] of the ways that end at a node or behind it */
    entry *heap;      /* [2 * n_edges + 1] */
    uint32_t n_heap;
    double apart; /* demand of pairs without a way, each counted twice */
} flow;

/* ---- the graph ---- */

static int is_edge(const cli_cut_bound_desc *d, gsp_node from, gsp_node to)
{
    return gsp_node_is_callable(d->graph, to) && gsp_node_is_callable(d->graph, from) &&
           (!d->bytes || gsp_node_bytes(d->graph, from) != 0);
}

static uint32_t count_edges(const cli_cut_bound_desc *d)
{
    uint32_t n_edges = 0;
    for (gsp_node v = 0; v < d->graph->n_nodes; v++) {
        uint32_t n;
        const gsp_node *inputs = gsp_node_inputs(d->graph, v, &n);
        while (n > 0) {
            n_edges += is_edge(d, inputs[--n], v) ? 1u : 0u;
        }
    }
    return n_edges;
}

/* The bytes of a value are divided among its readers, since one part may have them all. */
static void make_edges(flow *f)
{
    const gsp_graph *g = f->d->graph;
    cli_session *const s = f->d->session;
    uint32_t *readers = (uint32_t *)cli_alloc(s, (size_t)g->n_nodes + 1u, sizeof *readers);
    edge *e = f->edges = (edge *)cli_alloc(s, f->n_edges, sizeof *f->edges);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *inputs = gsp_node_inputs(g, v, &n);
        while (n > 0) {
            gsp_node const u = inputs[--n];
            if (is_edge(f->d, u, v)) {
                e->ends[0] = u;
                e++->ends[1] = v;
                readers[u]++;
            }
        }
    }
    for (uint32_t i = 0; i < f->n_edges; i++) {
        gsp_node const u = f->edges[i].ends[0];
        f->edges[i].room = f->d->bytes ? (double)gsp_node_bytes(g, u) / readers[u] : 1.0;
        f->edges[i].length = 1.0 / f->edges[i].room;
    }
    cli_release(s, readers);
}

static void list_edges(flow *f)
{
    uint32_t const n = f->d->graph->n_nodes;
    for (uint32_t i = 0; i < 2u * f->n_edges; i++) {
        f->begin[f->edges[i / 2u].ends[i % 2u] + 1u]++;
    }
    for (uint32_t v = 0; v < n; v++) {
        f->begin[v + 1u] += f->begin[v];
    }
    for (uint32_t i = 2u * f->n_edges; i-- > 0;) {
        gsp_node const v = f->edges[i / 2u].ends[i % 2u];
        f->at[--f->begin[v + 1u]] = i / 2u;
    }
    for (uint32_t v = 0; v < n; v++) { /* each has become the begin of its own */
        f->begin[v] = f->begin[v + 1u];
    }
    f->begin[n] = 2u * f->n_edges;
}

/* ---- shortest ways ---- */

static void push(flow *f, double distance, gsp_node node)
{
    uint32_t at = f->n_heap++;
    while (at > 0 && f->heap[(at - 1u) / 2u].distance > distance) {
        f->heap[at] = f->heap[(at - 1u) / 2u];
        at = (at - 1u) / 2u;
    }
    f->heap[at].distance = distance;
    f->heap[at].node = node;
}

static entry pop(flow *f)
{
    entry const top = f->heap[0];
    entry const last = f->heap[--f->n_heap];
    uint32_t at = 0;
    for (uint32_t child = 1; child < f->n_heap; child = 2u * at + 1u) {
        child += child + 1u < f->n_heap && f->heap[child + 1u].distance < f->heap[child].distance;
        if (f->heap[child].distance >= last.distance) {
            break;
        }
        f->heap[at] = f->heap[child];
        at = child;
    }
    f->heap[at] = last;
    return top;
}

/* Nodes by their distance from one, with the edge that leads to each. Returns how many. */
static uint32_t find_ways(flow *f, gsp_node from)
{
    uint32_t n = 0;
    for (gsp_node v = 0; v < f->d->graph->n_nodes; v++) {
        f->distance[v] = -1.0;
        f->load[v] = -1.0; /* not reached */
    }
    f->distance[from] = 0.0;
    push(f, 0.0, from);
    while (f->n_heap != 0) {
        entry const top = pop(f);
        if (f->load[top.node] >= 0.0) {
            continue;
        }
        f->load[top.node] = (double)f->d->weight[top.node];
        f->order[n++] = top.node;
        for (uint32_t i = f->begin[top.node]; i < f->begin[top.node + 1u]; i++) {
            const edge *e = &f->edges[f->at[i]];
            gsp_node const to = e->ends[e->ends[0] == top.node ? 1u : 0u];
            double const distance = top.distance + e->length;
            if (f->distance[to] < 0.0 || distance < f->distance[to]) {
                f->distance[to] = distance;
                f->by[to] = f->at[i];
                push(f, distance, to);
            }
        }
    }
    return n;
}

/* Sends the flow of a node to all others, and counts pairs without a way. */
static void send_from(flow *f, gsp_node from, int first)
{
    double const own = (double)f->d->weight[from];
    uint32_t n = find_ways(f, from);
    for (gsp_node v = 0; first && v < f->d->graph->n_nodes; v++) {
        f->apart += f->load[v] < 0.0 ? own * (double)f->d->weight[v] : 0.0;
    }
    while (n-- > 1u) {
        gsp_node const v = f->order[n];
        edge *e = &f->edges[f->by[v]];
        e->last += own * f->load[v];
        f->load[e->ends[e->ends[0] == v ? 1u : 0u]] += f->load[v];
    }
}

/* ---- bounds ---- */

static int by_size(const cli_cut_bound_desc *d, uint32_t a, uint32_t b)
{
    return d->capacity[a] != d->capacity[b] ? d->capacity[a] > d->capacity[b] : a < b;
}

/* The demand, each pair counted twice, that parts separate at least: they separate least where as
 * few as possible are full. */
static double separated(const cli_cut_bound_desc *d)
{
    uint64_t left = 0;
    double all = 0.0;
    double inside = 0.0;
    uint32_t last = GSP_NONE;
    for (gsp_node v = 0; v < d->graph->n_nodes; v++) {
        left += d->weight[v];
    }
    all = (double)left * (double)left;
    for (uint32_t k = 0; k < d->n_parts && left != 0; k++) {
        uint32_t most = GSP_NONE;
        uint64_t load;
        for (uint32_t i = 0; i < d->n_parts; i++) {
            if ((last == GSP_NONE || by_size(d, last, i)) &&
                (most == GSP_NONE || by_size(d, i, most))) {
                most = i;
            }
        }
        load = cli_add(d->capacity[most], d->excess);
        load = load < left ? load : left;
        inside += (double)load * (double)load;
        left -= load;
        last = most;
    }
    return all - inside;
}

/* The flow of all rounds so far, divided by them, passes each edge within `busiest` times its room:
 * what is cut has room for the separated demand divided by that. */
static double bound_after(flow *f, uint32_t rounds, double demand)
{
    double busiest = 0.0;
    double most = 0.0;
    for (uint32_t i = 0; i < f->n_edges; i++) {
        edge *e = &f->edges[i];
        double const now = e->last / e->room;
        double all;
        e->flow += e->last;
        all = e->flow / e->room;
        busiest = all > busiest ? all : busiest;
        most = now > most ? now : most;
    }
    for (uint32_t i = 0; i < f->n_edges; i++) {
        edge *e = &f->edges[i];
        double const share = e->last / e->room / (most > 0.0 ? most : 1.0);
        e->length *= 1.0 + GROWTH * share;
        e->last = 0.0;
    }
    return busiest > 0.0 ? demand * rounds / busiest : 0.0;
}

static double run_rounds(flow *f, uint32_t rounds)
{
    double const demand = separated(f->d);
    double best = 0.0;
    for (uint32_t round = 1; round <= rounds; round++) {
        double bound;
        for (gsp_node v = 0; v < f->d->graph->n_nodes; v++) {
            if (f->d->weight[v] != 0 && gsp_node_is_callable(f->d->graph, v)) {
                send_from(f, v, round == 1u);
            }
        }
        bound = bound_after(f, round, demand - f->apart);
        best = bound > best ? bound : best;
    }
    return best;
}

uint64_t cli_cut_bound(const cli_cut_bound_desc *desc)
{
    cli_session *const s = desc->session;
    size_t const n = (size_t)desc->graph->n_nodes + 2u;
    uint64_t work;
    double best = 0.0;
    flow f;
    memset(&f, 0, sizeof f);
    f.d = desc;
    f.n_edges = count_edges(desc);
    work = (uint64_t)desc->graph->n_nodes * (2u * (uint64_t)f.n_edges + desc->graph->n_nodes);
    if (work <= MOST_WORK / FEW_ROUNDS && f.n_edges != 0) {
        uint64_t const rounds = MOST_WORK / work;
        f.begin = (uint32_t *)cli_alloc(s, n, sizeof *f.begin);
        f.at = (uint32_t *)cli_alloc(s, 2u * (size_t)f.n_edges, sizeof *f.at);
        f.distance = (double *)cli_alloc(s, n, sizeof *f.distance);
        f.by = (uint32_t *)cli_alloc(s, n, sizeof *f.by);
        f.order = (gsp_node *)cli_alloc(s, n, sizeof *f.order);
        f.load = (double *)cli_alloc(s, n, sizeof *f.load);
        f.heap = (entry *)cli_alloc(s, 2u * (size_t)f.n_edges + 1u, sizeof *f.heap);
        make_edges(&f);
        list_edges(&f);
        best = run_rounds(&f, rounds < MOST_ROUNDS ? (uint32_t)rounds : MOST_ROUNDS) * SLACK;
        cli_release(s, f.heap);
        cli_release(s, f.load);
        cli_release(s, f.order);
        cli_release(s, f.by);
        cli_release(s, f.distance);
        cli_release(s, f.at);
        cli_release(s, f.begin);
        cli_release(s, f.edges);
    }
    return best < 1e18 ? (uint64_t)best + (best > (double)(uint64_t)best ? 1u : 0u) : 0u;
}
