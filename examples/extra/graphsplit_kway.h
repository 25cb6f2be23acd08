/* graphsplit_kway.h - an add-on of graphsplit.h: acyclic parts of equal load
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Assigns nodes to parts of limited load, with few edges between them and none to a lower part.
 * Needs graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_KWAY_IMPLEMENTATION
 *     #include "graphsplit_kway.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 * With GSP_NO_FLOW there are no minimum cuts, and this header is empty.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>kway               Acyclic parts of equal load
 *     >>impl               Implementation guard
 *
 *     gsp_kway_run         0.1 s for 1000 nodes     73 per node, 56 per edge, 28 per part; together
 *                                                   at most 6 MB for minimum cuts
 *     gsp_kway_floor_run   desc.max_work            40 per node, 80 per edge, of graphs whose flow
 *                                                   max_work allows; of others 8 per node
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_KWAY_H_INCLUDED
#define GRAPHSPLIT_KWAY_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_KWAY_IMPLEMENTATION)
#error "graphsplit_kway: no bodies; define GRAPHSPLIT_KWAY_IMPLEMENTATION beside GRAPHSPLIT_STATIC"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>kway   Acyclic parts of equal load (API)
 * ---- */
#ifndef GSP_NO_FLOW

/* All zero but n_parts minimises the edge cut, with loads up to 3 % above ceil(total / n_parts). */
typedef struct gsp_kway_desc {
    uint32_t start_canary;
    uint32_t n_parts;
    uint32_t bytes;           /* 1 minimises the communication volume, 0 the edge cut */
    uint32_t attempts;        /* at most, fewer if none wins; the best counts; 0 means 8 */
    uint32_t imbalance;       /* loads above that in millionths of it; 0 means 30000 */
    const uint64_t *weight;   /* [n] load of a node; NULL means 1 each */
    const uint64_t *capacity; /* [n_parts]; NULL means by imbalance, at least the heaviest node */
    const uint32_t *pin;      /* [n] its only part, or GSP_NONE; or NULL */
    uint64_t seed;            /* of random ties */
    uint32_t best_effort; /* 1 exceeds capacities by as little as was found, instead of NO_FIT */
    uint32_t end_canary;
} gsp_kway_desc;

/* Parts in topological order, none of them empty. */
typedef struct gsp_kway_result {
    uint64_t cut;      /* edges or bytes, as gsp_score_run() counts them */
    uint32_t *part_of; /* [n] GSP_NONE if not callable */
    uint64_t excess;   /* load above capacities, at most; 0 unless best_effort */
} gsp_kway_result;

/* gsp_kway_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_kway_bound(const gsp_graph *graph, const gsp_kway_desc *desc);

/* gsp_kway_run: parts of limited load with a small edge cut or communication volume and no cycle.
 *
 * What:    Bisects by prefixes of topological orders and improves by moves and minimum cuts,
 *          without proof; most attempts make a few adjacent parts of the best anew. Where loads
 *          exceed capacities, fills one part after the other.
 * Errors:  ARG (RANGE: no parts); after NOMEM: ARG (RANGE: pin of a node), OVERFLOW (SIZE: node; 60
 *          bits of bytes of edges and weights), CYCLE (PARTS_ORDER: node, pinned before input
 *          other), NO_FIT (PARTS_LOAD: need, limit of all; or node: a part too large, its limit,
 *          and need, the limit with which parts were found, 0 for too few nodes)
 * Time:    in practice O(attempts * (nodes * parts + edges * log(nodes * parts)))
 * Memory:  the bound
 * Example: examples/kway.c
 * See:     Fiduccia, Mattheyses 1982; Herrmann et al. 2019 (dagP)
 */
GSP_API gsp_status gsp_kway_run(gsp_arena *arena, const gsp_graph *graph, const gsp_kway_desc *desc,
    gsp_kway_result *result, gsp_error *err);

#ifndef GSP_NO_COST

/* All zero but n_parts and capacity asks for the least edge cut of nodes of load 1. */
typedef struct gsp_kway_floor_desc {
    uint32_t start_canary;
    uint32_t n_parts;
    uint32_t bytes;           /* 1 bounds the communication volume, 0 the edge cut */
    const uint64_t *weight;   /* [n] load of a node; NULL means 1 each */
    const uint64_t *capacity; /* [n_parts]; required */
    uint64_t cut;             /* a bound as high as this one is enough; 0 means no end */
    uint64_t max_work;        /* ends of edges met by the flow; 0 means 2^25 */
    uint32_t end_canary;
} gsp_kway_floor_desc;

/* Capacities that are too small for all nodes are not refused; the bound then means nothing. */
typedef struct gsp_kway_floor_result {
    uint64_t floor;   /* edges or bytes, as gsp_score_run() counts them */
    uint64_t work;    /* ends of edges met; 0 if the graph is too large for max_work */
    uint32_t by_flow; /* 1 if the flow proves more than numbers of parts and components */
} gsp_kway_floor_result;

/* gsp_kway_floor_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_kway_floor_bound(const gsp_graph *graph, const gsp_kway_floor_desc *desc);

/* gsp_kway_floor_run: a lower bound of the cut of any parts within capacities, none of them empty.
 *
 * What:    Parts within capacities separate many pairs of nodes. A flow between all pairs that
 *          passes no edge more often than `busiest` shows that what is cut has room for the
 *          separated pairs divided by `busiest`. Each round makes busy edges longer. Beside that,
 *          each part above the number of connected components cuts an edge, or a value.
 * Errors:  ARG (RANGE: no parts; NULL_ARGUMENT: capacity); after NOMEM: OVERFLOW (SIZE: node; 60
 *          bits of bytes of edges and weights)
 * Time:    max_work
 * Memory:  the bound, all of it free again after the run
 * Example: examples/kway.c
 * See:     Leighton, Rao 1999
 */
GSP_API gsp_status gsp_kway_floor_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_kway_floor_desc *desc, gsp_kway_floor_result *result, gsp_error *err);

#endif /* GSP_NO_COST */
#endif /* GSP_NO_FLOW */

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_KWAY_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_KWAY_IMPLEMENTATION
#ifndef GRAPHSPLIT_KWAY_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_KWAY_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_KWAY_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_KWAY_END       _Pragma("GCC diagnostic pop")
#define GSPI_KWAY_OWN_FRAME __attribute__((noinline)) static /* not on the stack of its caller */
#else
#define GSPI_KWAY_BEGIN
#define GSPI_KWAY_END
#define GSPI_KWAY_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_KWAY_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>kway   Acyclic parts of equal load (implementation)
 * ---- */
#ifndef GSP_NO_FLOW

/* No edge leads to a lower part. Moves improve two adjacent parts, side 0 and side 1. A node of
 * side 0 may move if side 0 does not read it, one of side 1 if it reads nothing of side 1. A
 * bisection is the same; each side then becomes several parts. */

#define GSPI_KWAY_LOCKED  (GSP_NONE - 1u)
#define GSPI_KWAY_MANY    8192u /* nodes; from here on only the best order is improved */
#define GSPI_KWAY_FEW     256u  /* nodes; below, filling tries more orders */
#define GSPI_KWAY_ASIDE   256u  /* nodes that do not fit before a part counts as full */
#define GSPI_KWAY_NETWORK ((uint32_t)2u << 20u) /* bytes, 16 per node and 32 per arc */
#define GSPI_KWAY_ORDERS  8u                    /* two ends, four kinds of ties */
#define GSPI_KWAY_MOST    ((uint64_t)1u << 62u) /* of capacities; all load has 60 bits */
#define GSPI_KWAY_VAIN    200u                  /* a climb ends after as many vain moves */
#define GSPI_KWAY_PATIENCE \
    16384u                   /* nodes of vain attempts in a row, of which there are at least 2 */
#define GSPI_KWAY_WHOLE   4u /* one of as many attempts makes all parts */
#define GSPI_KWAY_WINDOW  4u /* the others make as many at most */
#define GSPI_KWAY_BY_GAIN 7u /* a kind of order: gain, then random ties */

/* A condition that only inputs of gigabytes can cause; `make cov` does not count it. */
#define GSPI_KWAY_NEVER(x) (x)

static gsp_status gspi_kway_fail(
    gsp_error *err, gsp_status status, gsp_detail detail, gsp_node node, gsp_node other)
{
    if (err != NULL) {
        uint32_t const what = node == GSP_NONE ? GSP_WHAT_NONE : GSP_WHAT_NODE;
        gsp_error const e = {status, detail, what, node, other, 0, 0, 0, 0u, ""};
        *err = e;
    }
    return status;
}

/* Names the argument or field at fault; a second NUL says that no count makes it required. */
#ifdef GSP_NO_MESSAGES
#define GSPI_KWAY_FIELD(text) ""
#else
#define GSPI_KWAY_FIELD(text) text "\0"
#endif

GSPI_KWAY_OWN_FRAME gsp_status gspi_kway_fail_arg(
    gsp_error *err, gsp_detail detail, gsp_node node, const char *field)
{
    (void)gspi_kway_fail(err, GSP_STATUS_ARG, detail, node, GSP_NONE);
    if (err != NULL) {
        err->field = field;
    }
    return GSP_STATUS_ARG;
}

static gsp_status gspi_kway_lack(
    gsp_error *err, gsp_status status, gsp_detail detail, uint64_t need, uint64_t limit)
{
    (void)gspi_kway_fail(err, status, detail, GSP_NONE, GSP_NONE);
    if (err != NULL) {
        err->need = need;
        err->limit = limit;
    }
    return status;
}

static uint64_t gspi_kway_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Saturating arithmetic. */
static uint64_t gspi_kway_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t gspi_kway_times(uint64_t a, uint64_t b)
{
    return b != 0u && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static void gspi_kway_fill(uint32_t *at, uint32_t value, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        at[i] = value;
    }
}

static void gspi_kway_copy(uint32_t *to, const uint32_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = from[i];
    }
}

/* A layout pushes all arrays in order; without an arena it measures them. */
typedef struct gspi_kway_bump {
    gsp_arena *arena;
    uint64_t used;
} gspi_kway_bump;

/* Pushes an array at the high end. Inlining makes compilers warn of NULL from a full arena, which
 * gsp_kway_run() excludes. */
GSPI_KWAY_OWN_FRAME void *gspi_kway_push(gspi_kway_bump *b, size_t count, size_t size)
{
    uint64_t const bytes = (uint64_t)count * size + (GSP_GAP + GSP_ALIGN - 1u);
    b->used += bytes & ~((uint64_t)GSP_ALIGN - 1u);
    return b->arena == NULL ? NULL : gsp_arena_push_high(b->arena, count, size);
}

typedef struct gspi_kway_row {
    const gsp_node *at; /* [n] */
    uint32_t n;
} gspi_kway_row;

typedef struct gspi_kway {
    const gsp_graph *g;
    const gsp_kway_desc *d;
    const uint64_t *bytes; /* [n] */
    gsp_edges before;      /* nodes that run before each node */
    gsp_edges after;
    gsp_edges users;
    gsp_kway_result r;
    uint32_t *part;       /* [n] GSP_NONE if not callable */
    uint32_t *saved;      /* [n] */
    gsp_node *nodes;      /* [n] called nodes by part */
    const gsp_node *list; /* [.n] nodes of both sides, in graph order */
    gsp_node *moved;      /* [n] */
    gsp_node *heap[2];    /* [n] nodes of a side that may move */
    uint32_t *place;      /* [n] in the heap, or in the network */
    uint32_t *tie;        /* [n] */
    uint32_t *readers[2]; /* [n] users on a side */
    uint32_t *inputs;     /* [n] inputs on side 1, of a node of side 1 */
    int64_t *gain;        /* [n] */
    uint64_t *capacity;   /* [n_parts] */
    uint64_t *load;       /* [n_parts] */
    uint32_t *width;      /* [n_parts] parts to be made of it */
    uint32_t *seen;       /* [n_parts] */
    uint32_t *begin;      /* [n_parts + 1] of each part in nodes */
    gsp_cut_arc *arcs;    /* [n_arcs] of a network */
    void *network;        /* [network_bytes] memory of a minimum cut */
    size_t network_bytes;
    uint64_t random;
    uint64_t weight; /* of all nodes */
    uint64_t heaviest;
    uint64_t lightest;
    uint64_t cut;
    uint64_t room[2];
    uint64_t side_load[2];
    uint32_t side[2]; /* parts */
    uint32_t least[2];
    uint32_t count[2];
    uint32_t n_heap[2];
    uint32_t n;
    uint32_t n_arcs;
    uint32_t kind;
    uint32_t shift; /* of weights, so that they have 32 bits */
    uint32_t stamp;
    int edges;
} gspi_kway;

static void gspi_kway_layout(gspi_kway_bump *b, gspi_kway *w, const gsp_graph *g, size_t k)
{
    gsp_counts const c = gsp_graph_counts(g);
    size_t const n = c.nodes;
    uint32_t **const words[] = {&w->part, &w->saved, &w->nodes, &w->moved, &w->heap[0], &w->heap[1],
        &w->place, &w->tie, &w->readers[0], &w->readers[1], &w->inputs};
    gsp_min_cut_desc most = {0, 0, 0, NULL, 0, 0};
    most.n_nodes = c.nodes < GSPI_KWAY_NETWORK / 16u - 2u ? c.nodes + 2u : GSPI_KWAY_NETWORK / 16u;
    most.n_arcs = c.edges < GSPI_KWAY_NETWORK / 32u ? c.edges : GSPI_KWAY_NETWORK / 32u;
    w->n_arcs = most.n_arcs;
    w->network_bytes = gsp_min_cut_bound(&most);
    for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        *words[i] = (uint32_t *)gspi_kway_push(b, n, sizeof(uint32_t));
    }
    w->gain = (int64_t *)gspi_kway_push(b, n, sizeof(int64_t));
    w->capacity = (uint64_t *)gspi_kway_push(b, k, sizeof(uint64_t));
    w->load = (uint64_t *)gspi_kway_push(b, k, sizeof(uint64_t));
    w->width = (uint32_t *)gspi_kway_push(b, k, sizeof(uint32_t));
    w->seen = (uint32_t *)gspi_kway_push(b, k, sizeof(uint32_t));
    w->begin = (uint32_t *)gspi_kway_push(b, k + 1u, sizeof(uint32_t));
    w->arcs = (gsp_cut_arc *)gspi_kway_push(b, w->n_arcs, sizeof(gsp_cut_arc));
    w->network = gspi_kway_push(b, w->network_bytes, 1);
}

static gspi_kway_row gspi_kway_at(gsp_edges e, gsp_node v)
{
    gspi_kway_row const row = {e.at + e.begin[v], e.begin[v + 1u] - e.begin[v]};
    return row;
}

static uint64_t gspi_kway_weight(const gspi_kway *w, gsp_node v)
{
    return w->d->weight == NULL ? 1u : w->d->weight[v];
}

static int gspi_kway_pinned(const gspi_kway *w, gsp_node v)
{
    return w->d->pin != NULL && gsp_node_is_callable(w->g, v) && w->d->pin[v] != GSP_NONE;
}

static uint32_t gspi_kway_side(const gspi_kway *w, gsp_node v)
{
    return w->part[v] == w->side[1];
}

static int gspi_kway_inside(const gspi_kway *w, gsp_node v)
{
    return w->part[v] == w->side[0] || w->part[v] == w->side[1];
}

/* The weight of node u in the edge cut or in the communication volume. */
static uint64_t gspi_kway_cost(const gspi_kway *w, gsp_node u)
{
    return w->edges ? 1u : w->bytes[u];
}

static void gspi_kway_shift(gspi_kway *w, gsp_node v, uint32_t s)
{
    w->side_load[s] -= gspi_kway_weight(w, v);
    w->side_load[1u - s] += gspi_kway_weight(w, v);
    w->count[s]--;
    w->count[1u - s]++;
}

/* Clears the counts of nodes of both sides and of their inputs. */
static void gspi_kway_clear(gspi_kway *w)
{
    w->cut = w->side_load[0] = w->side_load[1] = 0;
    w->count[0] = w->count[1] = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        gsp_node const v = w->list[i];
        gspi_kway_row const inputs = gspi_kway_at(w->before, v);
        w->readers[0][v] = w->readers[1][v] = w->inputs[v] = 0;
        for (uint32_t j = 0; j < inputs.n; j++) {
            w->readers[0][inputs.at[j]] = w->readers[1][inputs.at[j]] = 0;
        }
    }
}

static void gspi_kway_count(gspi_kway *w)
{
    gspi_kway_clear(w);
    for (uint32_t i = 0; i < w->n; i++) {
        gsp_node const v = w->list[i];
        gspi_kway_row const inputs = gspi_kway_at(w->before, v);
        uint32_t const s = gspi_kway_side(w, v);
        w->side_load[s] += gspi_kway_weight(w, v);
        w->count[s]++;
        for (uint32_t j = 0; j < inputs.n; j++) {
            gsp_node const u = inputs.at[j];
            int const counts = w->readers[s][u]++ == 0u || w->edges;
            if (w->part[u] != GSP_NONE && w->part[u] != w->part[v] && counts) {
                w->cut += gspi_kway_cost(w, u);
            }
            w->inputs[v] += s == 1u && w->part[u] == w->side[1];
        }
    }
}

/* Overload above room[]; a node below the least count weighs more than all load. */
static uint64_t gspi_kway_excess(const gspi_kway *w)
{
    uint64_t sum = 0;
    for (uint32_t s = 0; s < 2u; s++) {
        uint64_t const load = w->side_load[s];
        uint64_t const missing = w->count[s] < w->least[s] ? w->least[s] - w->count[s] : 0u;
        sum = gspi_kway_sum(sum, gspi_kway_max(load, w->room[s]) - w->room[s]);
        sum = gspi_kway_sum(sum, gspi_kway_times(missing, w->weight + 1u));
    }
    return sum;
}

/* The gain of a move of v, the decrease of the cut (Fiduccia, Mattheyses 1982); `gain` is that of a
 * move to side 1. */
static int64_t gspi_kway_gain(const gspi_kway *w, gsp_node v)
{
    gspi_kway_row const inputs = gspi_kway_at(w->before, v);
    uint32_t const s = gspi_kway_side(w, v);
    uint32_t const n = w->readers[0][v] + w->readers[1][v];
    int64_t gain = (int64_t)gspi_kway_cost(w, v) * (int64_t)(w->edges || n == 0u ? n : 1u);
    int64_t outside = 0;
    for (uint32_t i = 0; i < inputs.n; i++) {
        gsp_node const u = inputs.at[i];
        int64_t const cost = (int64_t)gspi_kway_cost(w, u);
        if (gspi_kway_inside(w, u)) {
            gain -= w->edges || w->readers[1][u] == s ? cost : 0;
        } else if (w->part[u] != GSP_NONE && !w->edges) {
            outside += w->readers[s][u] == 1u ? cost : 0;
            outside -= w->readers[1u - s][u] == 0u ? cost : 0;
        }
    }
    return outside + (s == 0u ? gain : -gain);
}

static int gspi_kway_before(const gspi_kway *w, gsp_node a, gsp_node b)
{
    if (w->gain[a] != w->gain[b]) {
        return w->gain[a] > w->gain[b];
    }
    return w->tie[a] > w->tie[b];
}

/* Inserts v into the heap of its side, from the free index i. */
static void gspi_kway_settle(gspi_kway *w, uint32_t s, uint32_t i, gsp_node v)
{
    gsp_node *heap = w->heap[s];
    for (; i > 0u && gspi_kway_before(w, v, heap[(i - 1u) / 2u]); i = (i - 1u) / 2u) {
        heap[i] = heap[(i - 1u) / 2u];
        w->place[heap[i]] = i;
    }
    while (i < w->n_heap[s] / 2u) {
        uint32_t child = 2u * i + 1u;
        if (child + 1u < w->n_heap[s] && gspi_kway_before(w, heap[child + 1u], heap[child])) {
            child++;
        }
        if (!gspi_kway_before(w, heap[child], v)) {
            break;
        }
        heap[i] = heap[child];
        w->place[heap[i]] = i;
        i = child;
    }
    heap[i] = v;
    w->place[v] = i;
}

static void gspi_kway_remove(gspi_kway *w, gsp_node v, uint32_t place)
{
    uint32_t const s = gspi_kway_side(w, v);
    uint32_t const i = w->place[v];
    gsp_node const last = w->heap[s][--w->n_heap[s]];
    if (last != v) {
        gspi_kway_settle(w, s, i, last);
    }
    w->place[v] = place;
}

/* Inserts v into its heap if it may move, else removes it. */
static void gspi_kway_offer(gspi_kway *w, gsp_node v)
{
    uint32_t const s = gspi_kway_side(w, v);
    int const offered = w->place[v] != GSP_NONE;
    if (w->place[v] == GSPI_KWAY_LOCKED || gspi_kway_pinned(w, v)) {
        return;
    }
    if ((s == 0u ? w->readers[0][v] : w->inputs[v]) != 0u) {
        if (offered) {
            gspi_kway_remove(w, v, GSP_NONE);
        }
        return;
    }
    w->gain[v] = w->kind == GSPI_KWAY_BY_GAIN ? gspi_kway_gain(w, v) : 0;
    if (!offered) {
        uint32_t const ties[] = {~w->stamp, w->stamp, v, (uint32_t)(w->random >> 32u)};
        w->tie[v] = ties[w->kind % 4u]; /* a queue, a stack, graph order, random */
        w->random = w->random * 6364136223846793005u + 1442695040888963407u;
        w->stamp++;
        w->place[v] = w->n_heap[s]++;
    }
    gspi_kway_settle(w, s, w->place[v], v);
}

/* Moves v, and updates all counts. */
static void gspi_kway_move(gspi_kway *w, gsp_node v)
{
    gspi_kway_row const inputs = gspi_kway_at(w->before, v);
    gspi_kway_row const users = gspi_kway_at(w->after, v);
    uint32_t const s = gspi_kway_side(w, v);
    int64_t const gain = gspi_kway_gain(w, v);
    gspi_kway_shift(w, v, s);
    w->cut -= (uint64_t)gain; /* modulo 2^64 */
    w->part[v] = w->side[1u - s];
    for (uint32_t i = 0; i < inputs.n; i++) {
        w->readers[s][inputs.at[i]]--;
        w->readers[1u - s][inputs.at[i]]++;
    }
    for (uint32_t i = 0; i < users.n; i++) {
        w->inputs[users.at[i]] += s == 0u ? 1u : UINT32_MAX;
    }
}

/* Offers all nodes whose gains depend on v, which has left side s. */
static void gspi_kway_reoffer(gspi_kway *w, gsp_node v, uint32_t s)
{
    gspi_kway_row const inputs = gspi_kway_at(w->before, v);
    gspi_kway_row const users = gspi_kway_at(w->after, v);
    for (uint32_t i = 0; i < inputs.n; i++) {
        gsp_node const u = inputs.at[i];
        uint32_t const here = w->readers[s][u];
        uint32_t const there = w->readers[1u - s][u];
        if (w->part[u] == GSP_NONE) {
            continue;
        }
        if (gspi_kway_inside(w, u)) {
            gspi_kway_offer(w, u);
        }
        if (!w->edges && (here < 2u || there < 3u)) {
            gspi_kway_row const row =
                gspi_kway_at(w->after, u); /* their gains depend on these counts */
            for (uint32_t j = 0; j < row.n; j++) {
                if (gspi_kway_inside(w, row.at[j]) && w->place[row.at[j]] != GSP_NONE) {
                    gspi_kway_offer(w, row.at[j]);
                }
            }
        }
    }
    for (uint32_t i = 0; i < users.n; i++) {
        if (gspi_kway_inside(w, users.at[i])) {
            gspi_kway_offer(w, users.at[i]);
        }
    }
}

/* The side of the next move; both sides have nodes that may move. */
static int gspi_kway_choose(const gspi_kway *w, uint64_t excess)
{
    int64_t const gain = w->gain[w->heap[0][0]];
    int64_t const back = w->gain[w->heap[1][0]];
    uint64_t const left[2] = {w->room[0] - w->side_load[0], w->room[1] - w->side_load[1]};
    int const fits[2] = {gspi_kway_weight(w, w->heap[0][0]) <= left[1] && w->count[0] > w->least[0],
        gspi_kway_weight(w, w->heap[1][0]) <= left[0] && w->count[1] > w->least[1]};
    if (excess != 0u) {
        return w->side_load[1] > w->room[1] || w->count[0] < w->least[0];
    }
    if (fits[0] != fits[1]) {
        return fits[1];
    }
    return gain == back ? left[1] < left[0] : back > gain;
}

/* Takes the node of the next move from its heap; GSP_NONE if none is left. */
static gsp_node gspi_kway_next(gspi_kway *w, uint64_t excess)
{
    int const both = w->n_heap[0] != 0u && w->n_heap[1] != 0u;
    uint32_t const s = (both ? gspi_kway_choose(w, excess) : w->n_heap[0] == 0u) ? 1u : 0u;
    gsp_node v = GSP_NONE;
    if (w->n_heap[s] != 0u) {
        v = w->heap[s][0];
        gspi_kway_remove(w, v, GSPI_KWAY_LOCKED);
    }
    return v;
}

/* Takes back all moves but the first `kept`, and empties the heaps. */
static void gspi_kway_undo(gspi_kway *w, uint32_t kept, uint32_t n_moved)
{
    for (uint32_t s = 0; s < 2u; s++) {
        while (w->n_heap[s] > 0u) {
            w->place[w->heap[s][--w->n_heap[s]]] = GSP_NONE;
        }
    }
    for (uint32_t i = n_moved; i > 0u; i--) {
        w->place[w->moved[i - 1u]] = GSP_NONE;
        if (i > kept) {
            gspi_kway_move(w, w->moved[i - 1u]);
        }
    }
}

/* Moves each node once, and keeps the best prefix; returns 1 if it is better. */
static int gspi_kway_climb(gspi_kway *w, uint32_t kind)
{
    uint64_t const first_cut = w->cut;
    uint64_t const first = gspi_kway_excess(w);
    uint64_t cut = w->cut;
    uint64_t least = first;
    uint64_t excess = first;
    uint32_t n_moved = 0;
    uint32_t kept = 0;
    uint32_t n_vain = 0;
    w->kind = kind;
    w->stamp = w->n_heap[0] = w->n_heap[1] = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        gspi_kway_offer(w, w->list[i]);
    }
    while (n_moved - kept <= GSPI_KWAY_VAIN || excess != 0u || kind != GSPI_KWAY_BY_GAIN) {
        gsp_node const v = gspi_kway_next(w, excess);
        if (v == GSP_NONE) {
            break;
        }
        uint32_t const s = gspi_kway_side(w, v);
        gspi_kway_shift(w, v, s);
        uint64_t const now = gspi_kway_excess(w);
        gspi_kway_shift(w, v, 1u - s);
        if (now > gspi_kway_max(excess, w->heaviest)) {
            w->moved[w->n - ++n_vain] = v;
            continue;
        }
        excess = now;
        gspi_kway_move(w, v);
        gspi_kway_reoffer(w, v, s);
        w->moved[n_moved++] = v;
        if (excess < least || (excess == least && w->cut < cut)) {
            least = excess;
            cut = w->cut;
            kept = n_moved;
        }
    }
    while (n_vain > 0u) {
        w->place[w->moved[w->n - n_vain--]] = GSP_NONE;
    }
    gspi_kway_undo(w, kept, n_moved);
    return least < first || cut < first_cut;
}

/* Appends nodes of side s near the other one to `moved`, after their users (s = 0) or inputs. */
static uint32_t gspi_kway_band(gspi_kway *w, uint32_t s, uint64_t scale, uint32_t n)
{
    uint64_t const load = w->side_load[1u - s];
    uint64_t left = gspi_kway_times(scale, gspi_kway_max(load, w->room[1u - s]) - load);
    uint32_t *missing = s == 0u ? w->readers[0] : w->inputs;
    uint32_t const first = n;
    uint32_t end = n;
    for (uint32_t i = 0; i < w->n; i++) {
        gsp_node const v = w->list[i];
        if (missing[v] == 0u && gspi_kway_side(w, v) == s) {
            w->moved[end++] = v;
        }
    }
    for (uint32_t i = n; i < end; i++) {
        gsp_node const v = w->moved[i];
        gspi_kway_row const row = s == 0u ? gspi_kway_at(w->before, v) : gspi_kway_at(w->after, v);
        uint64_t const weight = gspi_kway_weight(w, v);
        if (weight > left || gspi_kway_pinned(w, v)) {
            continue;
        }
        left -= weight;
        w->place[v] = 2u + n;
        w->moved[n++] = v;
        for (uint32_t j = 0; j < row.n; j++) {
            if (w->part[row.at[j]] == w->side[s] && --missing[row.at[j]] == 0u) {
                w->moved[end++] = row.at[j];
            }
        }
    }
    for (uint32_t i = first; i < n; i++) {
        gsp_node const v = w->moved[i];
        gspi_kway_row const row = s == 0u ? gspi_kway_at(w->before, v) : gspi_kway_at(w->after, v);
        for (uint32_t j = 0; j < row.n; j++) {
            missing[row.at[j]] += w->part[row.at[j]] == w->side[s] ? 1u : 0u;
        }
    }
    return n;
}

/* The node of the network; else the source for side 0 and the sink for side 1. */
static uint32_t gspi_kway_end(const gspi_kway *w, gsp_node v)
{
    return w->place[v] != GSP_NONE ? w->place[v] : gspi_kway_side(w, v);
}

/* Appends the arc from u to its user v to `d`, or counts it if there is no room. The cost of u is
 * divided among its users. The inputs of a node of side 0 are on side 0, so the arc back is
 * infinite. */
static void gspi_kway_connect(const gspi_kway *w, gsp_min_cut_desc *d, gsp_node u, gsp_node v)
{
    uint32_t const n_users = gspi_kway_at(w->after, u).n;
    uint64_t const cost = w->edges ? 1u : w->bytes[u] / (n_users + 1u) + 1u;
    uint32_t const from = gspi_kway_end(w, u);
    uint32_t const to = gspi_kway_end(w, v);
    if (d->n_arcs < w->n_arcs) {
        gsp_cut_arc const arc = {cost, from > 1u && to > 1u ? GSP_CUT_INFINITE : 0u, from, to};
        w->arcs[d->n_arcs] = arc;
    }
    d->n_arcs++;
}

/* Appends all arcs of v to users, and those of inputs that are not in the network. */
static void gspi_kway_connect_all(const gspi_kway *w, gsp_min_cut_desc *d, gsp_node v)
{
    gspi_kway_row const inputs = gspi_kway_at(w->before, v);
    gspi_kway_row const users = gspi_kway_at(w->after, v);
    for (uint32_t i = 0; i < inputs.n; i++) {
        if (gspi_kway_inside(w, inputs.at[i]) && gspi_kway_end(w, inputs.at[i]) < 2u) {
            gspi_kway_connect(w, d, inputs.at[i], v);
        }
    }
    for (uint32_t i = 0; i < users.n; i++) {
        if (gspi_kway_inside(w, users.at[i])) {
            gspi_kway_connect(w, d, v, users.at[i]);
        }
    }
}

/* The nodes on the source's side of the minimum cut; NULL for a network that is too large or takes
 * too much work. */
static const uint8_t *gspi_kway_min_cut(const gspi_kway *w, uint32_t n_open)
{
    gsp_min_cut_desc d = {0, 2u + n_open, 0, w->arcs, (uint64_t)1u << 20u, 0};
    gsp_min_cut_result r = {NULL, 0, 0};
    gsp_arena memory;
    for (uint32_t i = 0; i < n_open; i++) {
        gspi_kway_connect_all(w, &d, w->moved[i]);
    }
    if (d.n_nodes * (uint64_t)16u + d.n_arcs * (uint64_t)32u > GSPI_KWAY_NETWORK) {
        return NULL;
    }
    gsp_arena_init(&memory, w->network, w->network_bytes);
    (void)gsp_min_cut_run(&memory, &d, &r, NULL);
    return r.side;
}

/* A minimum cut within `scale` times the load that may move; returns 1 if it is better. Users move
 * before their inputs to side 1, and after them to side 0. A network without a smaller cut sets
 * the scale to 0, as smaller ones have none either. */
static int gspi_kway_flow(gspi_kway *w, uint64_t *scale)
{
    uint64_t const excess = gspi_kway_excess(w);
    uint64_t const cut = w->cut;
    uint32_t const n_left = gspi_kway_band(w, 0, *scale, 0);
    uint32_t const n_open = gspi_kway_band(w, 1, *scale, n_left);
    const uint8_t *side = gspi_kway_min_cut(w, n_open);
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_open; i++) {
        gsp_node const v = w->moved[i];
        w->place[v] = GSP_NONE;
        if (side != NULL && (side[2u + i] == 0u) != (i >= n_left)) {
            gspi_kway_move(w, v);
            w->moved[n++] = v;
        }
    }
    uint64_t const now = gspi_kway_excess(w);
    if (now < excess || (now == excess && w->cut < cut)) {
        return 1;
    }
    if (side != NULL && w->edges && excess == 0u && w->cut >= cut) {
        *scale = 0;
    }
    while (n > 0u) {
        gspi_kway_move(w, w->moved[--n]);
    }
    return 0;
}

static void gspi_kway_refine(gspi_kway *w, uint32_t rounds)
{
    for (int better = 1; better && rounds > 0u; rounds--) {
        better = 0;
        while (gspi_kway_climb(w, GSPI_KWAY_BY_GAIN)) {
            better = 1;
        }
        for (uint64_t scale = 16; scale > 0u; scale /= 2u) {
            better |= gspi_kway_flow(w, &scale);
        }
    }
}

/* ---- nodes by part ---- */

/* Sorts the called nodes by part, each part in graph order. */
static void gspi_kway_sort(gspi_kway *w)
{
    uint32_t const k = w->d->n_parts;
    uint32_t begin = 0;
    gspi_kway_fill(w->place, GSP_NONE, w->g->n_nodes);
    gspi_kway_fill(w->begin, 0, k + 1u);
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        w->begin[w->part[v] == GSP_NONE ? k : w->part[v]]++;
    }
    for (uint32_t p = 0; p <= k; p++) {
        uint32_t const n = w->begin[p];
        w->begin[p] = begin;
        begin += n;
    }
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        if (w->part[v] != GSP_NONE) {
            w->nodes[w->begin[w->part[v]]++] = v;
        }
    }
    for (uint32_t p = k; p > 0u; p--) {
        w->begin[p] = w->begin[p - 1u];
    }
    w->begin[0] = 0;
}

/* Sides are part a and part b, whose nodes follow each other up to `end`. */
static void gspi_kway_list(gspi_kway *w, uint32_t a, uint32_t b, uint32_t end)
{
    w->side[0] = a;
    w->side[1] = b;
    w->list = w->nodes + w->begin[a];
    w->n = end - w->begin[a];
}

/* Merges the nodes of both sides, so that all are in graph order. */
static void gspi_kway_merge(gspi_kway *w)
{
    gsp_node *at = w->nodes + w->begin[w->side[0]];
    uint32_t const middle = w->begin[w->side[1]] - w->begin[w->side[0]];
    uint32_t from = 0;
    uint32_t other = middle;
    gspi_kway_copy(w->moved, at, w->n);
    for (uint32_t i = 0; i < w->n; i++) {
        int const first = other == w->n || (from < middle && w->moved[from] < w->moved[other]);
        at[i] = w->moved[first ? from : other];
        from += first ? 1u : 0u;
        other += first ? 0u : 1u;
    }
}

/* Separates the nodes of both sides, each in graph order. */
static void gspi_kway_separate(gspi_kway *w)
{
    gsp_node *at = w->nodes + w->begin[w->side[0]];
    uint32_t n[2] = {0, 0};
    for (uint32_t i = 0; i < w->n; i++) {
        gsp_node const v = at[i];
        uint32_t const s = gspi_kway_side(w, v);
        *(s == 0u ? at + n[0] : w->moved + n[1]) = v;
        n[s]++;
    }
    gspi_kway_copy(at + n[0], w->moved, n[1]);
    w->begin[w->side[1]] = w->begin[w->side[0]] + n[0];
}

/* ---- bisection ---- */

/* Each level of bisection may use an equal share of the slack. */
static void gspi_kway_rooms(gspi_kway *w, uint32_t width)
{
    uint32_t levels = 0;
    while (((width - 1u) >> levels) != 0u) {
        levels++;
    }
    gspi_kway_count(w);
    for (uint32_t s = 0; s < 2u; s++) {
        w->least[s] = (width + s) / 2u;
        uint64_t const mean = w->side_load[0] / width * w->least[s];
        uint64_t room = 0;
        for (uint32_t i = 0; i < w->least[s]; i++) {
            room = gspi_kway_sum(room, w->capacity[w->side[s] + i]);
        }
        uint64_t const slack = gspi_kway_max(room, mean) - mean;
        w->room[s] = room - (slack - slack / levels);
    }
}

/* Puts all nodes on one side, except where pins forbid it; then moves nodes by `order`. */
static void gspi_kway_start(gspi_kway *w, uint32_t order)
{
    uint32_t const s = order % 2u;
    uint32_t const away = 1u - s;
    for (uint32_t i = 0; i < w->n; i++) {
        gsp_node const v = w->list[s == 0u ? i : w->n - 1u - i];
        gspi_kway_row const row = s == 0u ? gspi_kway_at(w->before, v) : gspi_kway_at(w->after, v);
        int stays = gspi_kway_pinned(w, v) && (w->d->pin[v] >= w->side[1]) == (away == 1u);
        for (uint32_t j = 0; j < row.n && !stays; j++) {
            stays = w->part[row.at[j]] == w->side[away];
        }
        w->part[v] = w->side[stays ? away : s];
    }
    gspi_kway_count(w);
    (void)gspi_kway_climb(w, order / 2u);
}

/* Bisects a part by one order; with GSP_NONE, by the best order, improved. */
static void gspi_kway_bisect(gspi_kway *w, uint32_t a, uint32_t order)
{
    uint32_t const width = w->width[a];
    uint64_t least = UINT64_MAX;
    uint64_t cut = UINT64_MAX;
    gspi_kway_list(w, a, a + width / 2u, w->begin[a + width]);
    gspi_kway_rooms(w, width);
    for (uint32_t i = 0; i < (order == GSP_NONE ? GSPI_KWAY_ORDERS : 1u); i++) {
        gspi_kway_start(w, order == GSP_NONE ? i : order);
        if (order == GSP_NONE && w->n < GSPI_KWAY_MANY) {
            gspi_kway_refine(w, 12);
        }
        uint64_t const excess = gspi_kway_excess(w);
        if (i == 0u || excess < least || (excess == least && w->cut < cut)) {
            least = excess;
            cut = w->cut;
            for (uint32_t j = 0; j < w->n; j++) {
                w->saved[w->list[j]] = w->part[w->list[j]];
            }
        }
    }
    for (uint32_t j = 0; j < w->n; j++) {
        w->part[w->list[j]] = w->saved[w->list[j]];
    }
    if (order == GSP_NONE) {
        gspi_kway_count(w);
        gspi_kway_refine(w, 2);
    }
    gspi_kway_separate(w);
    w->width[w->side[1]] = width - width / 2u;
    w->width[a] = width / 2u;
}

/* Finds the cut; returns the largest load above a capacity. An empty part counts more than all
 * load. */
static uint64_t gspi_kway_evaluate(gspi_kway *w)
{
    uint32_t const k = w->d->n_parts;
    uint64_t most = 0;
    w->cut = 0;
    gspi_kway_fill(w->seen, GSP_NONE, k);
    for (uint32_t p = 0; p < k; p++) {
        w->load[p] = 0;
    }
    for (gsp_node u = 0; u < w->g->n_nodes; u++) {
        gspi_kway_row const users = gspi_kway_at(w->users, u);
        uint32_t const part = w->part[u];
        if (part == GSP_NONE) {
            continue;
        }
        w->seen[part] = u;
        w->load[part] += gspi_kway_weight(w, u);
        for (uint32_t i = 0; i < users.n; i++) {
            uint32_t const p = w->part[users.at[i]];
            if (p != GSP_NONE && p != part && (w->edges || w->seen[p] != u)) {
                w->cut += gspi_kway_cost(w, u);
                w->seen[p] = u;
            }
        }
    }
    for (uint32_t p = 0; p < k; p++) {
        uint64_t const above = gspi_kway_max(w->load[p], w->capacity[p]) - w->capacity[p];
        most = gspi_kway_max(most, w->seen[p] == GSP_NONE ? w->weight + 1u : above);
    }
    return most;
}

/* Improves adjacent parts from `first` to `last`. */
static uint64_t gspi_kway_improve(gspi_kway *w, uint32_t first, uint32_t last)
{
    gspi_kway_sort(w);
    for (uint32_t i = 0; i < 3u; i++) {
        for (uint32_t a = first; a < last; a++) {
            gspi_kway_list(w, a, a + 1u, w->begin[a + 2u]);
            gspi_kway_merge(w);
            for (uint32_t s = 0; s < 2u; s++) {
                w->least[s] = 1;
                w->room[s] = w->capacity[a + s];
            }
            gspi_kway_count(w);
            gspi_kway_refine(w, 2);
            gspi_kway_separate(w);
        }
    }
    return gspi_kway_evaluate(w);
}

/* Makes m of the best parts anew, from part a on, and improves them and their neighbours. Bisects
 * by `order`; where all parts are made, only once, and then by the best order. */
static uint64_t gspi_kway_attempt(gspi_kway *w, uint32_t a, uint32_t m, uint32_t order)
{
    uint32_t const k = w->d->n_parts;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        uint32_t const p = w->r.part_of[v];
        w->part[v] = p != GSP_NONE && p >= a && p - a < m ? a : p;
    }
    gspi_kway_sort(w);
    gspi_kway_fill(w->width, 1, k);
    w->width[a] = m;
    for (uint32_t p = a; p - a < m; p++) {
        while (w->width[p] > 1u) {
            int const chosen = m < k || w->width[p] == k;
            gspi_kway_bisect(w, p, chosen ? order : GSP_NONE);
        }
    }
    return gspi_kway_improve(w, a > 0u ? a - 1u : 0u, k - a > m ? a + m : k - 1u);
}

/* Keeps parts that are better than those kept; returns 1 if they are. */
static int gspi_kway_keep(gspi_kway *w, uint64_t excess)
{
    if (excess > w->r.excess || (excess == w->r.excess && w->cut >= w->r.cut)) {
        return 0;
    }
    w->r.excess = excess;
    w->r.cut = w->cut;
    gspi_kway_copy(w->r.part_of, w->part, w->g->n_nodes);
    return 1;
}

/* A number below n. */
static uint32_t gspi_kway_draw(gspi_kway *w, uint32_t n)
{
    w->random = w->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((w->random >> 32u) % n);
}

/* The best of all attempts, with the excess over capacities. Some make all parts; most make a few
 * adjacent ones of the best anew, at random. The larger the graph, the fewer may be vain. */
static void gspi_kway_attempts(gspi_kway *w)
{
    uint32_t const k = w->d->n_parts;
    uint32_t const n = w->d->attempts == 0u ? 8u : w->d->attempts;
    uint32_t const patience = GSPI_KWAY_PATIENCE / (w->g->n_nodes + 1u) + 2u;
    uint32_t n_vain = 0;
    w->r.excess = UINT64_MAX;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        w->r.part_of[v] = gsp_node_is_callable(w->g, v) ? 0u : GSP_NONE;
    }
    for (uint32_t i = 0; i < n && n_vain < patience; i++) {
        uint32_t order = i == 1u ? 0u : GSP_NONE;
        uint32_t m = k;
        uint32_t a = 0;
        if (i > 1u && i % GSPI_KWAY_WHOLE != 0u && k > 1u) {
            m = 2u + gspi_kway_draw(w, (k < GSPI_KWAY_WINDOW ? k : GSPI_KWAY_WINDOW) - 1u);
            a = gspi_kway_draw(w, k - m + 1u);
            order = gspi_kway_draw(w, 3) == 0u ? GSP_NONE : gspi_kway_draw(w, GSPI_KWAY_ORDERS);
        }
        n_vain = gspi_kway_keep(w, gspi_kway_attempt(w, a, m, order)) ? 0u : n_vain + 1u;
    }
}

/* ---- filling one part after the other, where bisections exceed capacities ---- */

/* First come nodes that the pin of a user wants early; among them, by `kind`: graph order, heavy
 * nodes, a stack, or at random with and without weights. */
static void gspi_kway_ready(gspi_kway *w, gsp_node v)
{
    uint64_t const weight = gspi_kway_weight(w, v) >> w->shift;
    uint64_t const chance = w->random >> 32u;
    uint64_t const random[] = {chance, (weight * (chance / 2u + ((uint64_t)1u << 31u))) >> 32u};
    uint64_t const ties[] = {UINT32_MAX - v, weight, w->stamp};
    w->random = w->random * 6364136223846793005u + 1442695040888963407u;
    w->stamp++;
    w->gain[v] = -(int64_t)w->saved[v];
    w->tie[v] = (uint32_t)(w->kind < 3u ? ties[w->kind] : random[w->kind % 2u]);
    w->n_heap[0]++;
    gspi_kway_settle(w, 0, w->n_heap[0] - 1u, v);
}

/* Finds the last part of each node by the pins of its users, and nodes without called inputs.
 * Returns the number of called nodes. */
static uint32_t gspi_kway_fill_start(gspi_kway *w, uint32_t kind)
{
    uint32_t called = 0;
    w->kind = kind;
    w->random = (w->d->seed + kind + 1u) * 6364136223846793005u;
    w->stamp = w->n_heap[0] = 0;
    w->side[0] = w->side[1] = GSPI_KWAY_LOCKED; /* all nodes are in the first heap */
    gspi_kway_fill(w->part, GSP_NONE, w->g->n_nodes);
    for (gsp_node v = w->g->n_nodes; v-- > 0u;) {
        gspi_kway_row const users = gspi_kway_at(w->after, v);
        w->saved[v] = gspi_kway_pinned(w, v) ? w->d->pin[v] : w->d->n_parts - 1u;
        for (uint32_t i = 0; i < users.n; i++) {
            uint32_t const last = w->saved[users.at[i]];
            w->saved[v] = last < w->saved[v] ? last : w->saved[v];
        }
    }
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        gspi_kway_row const inputs = gspi_kway_at(w->before, v);
        w->inputs[v] = 0;
        for (uint32_t i = 0; i < inputs.n; i++) {
            w->inputs[v] += gsp_node_is_callable(w->g, inputs.at[i]) ? 1u : 0u;
        }
        if (gsp_node_is_callable(w->g, v)) {
            called++;
            if (w->inputs[v] == 0u) {
                gspi_kway_ready(w, v);
            }
        }
    }
    return called;
}

/* Places v in part p. */
static void gspi_kway_put(gspi_kway *w, gsp_node v, uint32_t p)
{
    gspi_kway_row const users = gspi_kway_at(w->after, v);
    w->part[v] = p;
    for (uint32_t i = 0; i < users.n; i++) {
        gsp_node const u = users.at[i];
        if (gsp_node_is_callable(w->g, u) && --w->inputs[u] == 0u) {
            gspi_kway_ready(w, u);
        }
    }
}

/* Fills part p with nodes whose inputs are placed, and leaves `rest` nodes to other parts. Returns
 * how many are left; GSP_NONE if the part is empty or a node that must be in it does not fit. */
static uint32_t gspi_kway_fill_part(gspi_kway *w, uint32_t p, uint32_t left, uint32_t rest)
{
    uint64_t room = w->capacity[p];
    uint32_t const first = left;
    uint32_t aside = 0;
    while (w->n_heap[0] != 0u && aside < GSPI_KWAY_ASIDE) {
        gsp_node const v = w->heap[0][0];
        int const must = w->saved[v] <= p;
        int const late = gspi_kway_pinned(w, v) && w->d->pin[v] > p;
        int const fits = gspi_kway_weight(w, v) <= room && left > rest && !late;
        if (!must && (room < w->lightest || left == rest)) {
            break;
        }
        if (must && !fits) {
            return GSP_NONE;
        }
        gspi_kway_remove(w, v, GSP_NONE);
        if (!fits) {
            w->moved[aside++] = v;
            continue;
        }
        room -= gspi_kway_weight(w, v);
        left--;
        gspi_kway_put(w, v, p);
    }
    while (aside > 0u) {
        gspi_kway_ready(w, w->moved[--aside]);
    }
    return left == first ? GSP_NONE : left;
}

/* Returns 1 if all nodes fit. */
static int gspi_kway_fill_all(gspi_kway *w, uint32_t kind)
{
    uint32_t const k = w->d->n_parts;
    uint32_t left = gspi_kway_fill_start(w, kind);
    for (uint32_t p = 0; p < k && left != GSP_NONE; p++) {
        left = left < k - p ? GSP_NONE : gspi_kway_fill_part(w, p, left, k - 1u - p);
    }
    return left == 0u;
}

static void gspi_kway_raise(gspi_kway *w, uint64_t extra)
{
    for (uint32_t p = 0; p < w->d->n_parts; p++) {
        w->capacity[p] += extra; /* modulo 2^64, so that 0 - extra takes it back */
    }
}

/* Whether all nodes fit if capacities are larger by `extra`. */
static int gspi_kway_fits(gspi_kway *w, uint32_t kind, uint64_t extra)
{
    gspi_kway_raise(w, extra);
    int const fits = gspi_kway_fill_all(w, kind);
    gspi_kway_raise(w, (uint64_t)0u - extra);
    return fits;
}

/* The least increase of capacities with which some kind of order fills them; more than all load if
 * none does. */
static uint64_t gspi_kway_least(gspi_kway *w, uint32_t *kind)
{
    int const large = w->g->n_nodes >= GSPI_KWAY_MANY;
    uint32_t const kinds = large ? 4u : w->g->n_nodes < GSPI_KWAY_FEW ? 256u : 32u;
    uint64_t most = w->weight + 1u;
    for (uint32_t i = 0; i < kinds && most != 0u; i++) {
        int const fits_now = gspi_kway_fits(w, i, 0);
        uint64_t low = 1;
        if (!fits_now && (most == 1u || !gspi_kway_fits(w, i, most - 1u))) {
            continue;
        }
        most = fits_now ? 0u : most - 1u;
        *kind = i;
        while (low + (large ? most / 1024u : 0u) < most) {
            uint64_t const middle = low + (most - low) / 2u;
            int const fits = gspi_kway_fits(w, i, middle);
            low = fits ? low : middle + 1u;
            most = fits ? middle : most;
        }
    }
    return most;
}

/* Parts whose loads exceed capacities by as little as is found; the search finds parts again if
 * capacities are larger by that. */
static void gspi_kway_relax(gspi_kway *w)
{
    uint64_t const bisected = w->r.excess;
    uint32_t kind = GSP_NONE;
    uint64_t const filled = gspi_kway_least(w, &kind);
    if (bisected < filled) {
        gspi_kway_raise(w, bisected);
        gspi_kway_attempts(w);
        gspi_kway_raise(w, (uint64_t)0u - bisected);
        w->r.excess += bisected;
    }
    if (kind == GSP_NONE || w->r.excess < filled) {
        return;
    }
    gspi_kway_raise(w, filled);
    (void)gspi_kway_fill_all(w, kind);
    (void)gspi_kway_improve(w, 0, w->d->n_parts - 1u);
    gspi_kway_raise(w, (uint64_t)0u - filled);
    (void)gspi_kway_keep(w, filled);
    if (filled != 0u) {
        (void)gspi_kway_keep(w, gspi_kway_improve(w, 0, w->d->n_parts - 1u));
    }
}

/* NO_FIT at the first part above its capacity. */
static gsp_status gspi_kway_refuse(gspi_kway *w, gsp_error *err)
{
    uint32_t p = 0;
    gspi_kway_copy(w->part, w->r.part_of, w->g->n_nodes);
    (void)gspi_kway_evaluate(w);
    while (w->seen[p] != GSP_NONE && w->load[p] <= w->capacity[p]) {
        p++;
    }
    (void)gspi_kway_lack(err, GSP_STATUS_NO_FIT, GSP_DETAIL_PARTS_LOAD,
        w->r.excess <= w->weight ? w->capacity[p] + w->r.excess : 0u, w->capacity[p]);
    if (err != NULL) {
        err->what = GSP_WHAT_PART;
        err->node = p;
    }
    return GSP_STATUS_NO_FIT;
}

static gsp_status gspi_kway_search(gspi_kway *w, gsp_error *err)
{
    gspi_kway_attempts(w);
    if (w->r.excess != 0u) {
        gspi_kway_relax(w);
    }
    int const allowed = w->d->best_effort != 0u && w->r.excess <= w->weight;
    return w->r.excess == 0u || allowed ? GSP_OK : gspi_kway_refuse(w, err);
}

/* Capacities: (1 + imbalance) * ceil(load / parts) rounded down, at least the heaviest node. */
static gsp_status gspi_kway_limits(gspi_kway *w, gsp_error *err)
{
    uint64_t const million = 1000000;
    uint64_t const given = w->d->imbalance == 0u ? 30000u : w->d->imbalance;
    uint32_t const k = w->d->n_parts;
    uint64_t const mean = w->weight / k + (w->weight % k != 0u ? 1u : 0u);
    uint64_t const above =
        gspi_kway_sum(gspi_kway_times(mean / million, given), mean % million * given / million);
    uint64_t const limit = gspi_kway_max(gspi_kway_sum(mean, above), w->heaviest);
    uint64_t room = 0;
    for (uint32_t p = 0; p < k; p++) {
        uint64_t const capacity = w->d->capacity != NULL ? w->d->capacity[p] : limit;
        w->capacity[p] = capacity < GSPI_KWAY_MOST ? capacity : GSPI_KWAY_MOST;
        room = gspi_kway_sum(room, w->capacity[p]);
    }
    return room >= w->weight || w->d->best_effort != 0u
               ? GSP_OK
               : gspi_kway_lack(err, GSP_STATUS_NO_FIT, GSP_DETAIL_PARTS_LOAD, w->weight, room);
}

/* Finds weights; checks that pins ascend along edges. */
GSPI_KWAY_OWN_FRAME gsp_status gspi_kway_read(gspi_kway *w, gsp_error *err)
{
    uint32_t const k = w->d->n_parts;
    uint32_t *lowest = w->tie;
    uint64_t sum = 0;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        gspi_kway_row const inputs = gspi_kway_at(w->before, v);
        uint64_t const bytes = gspi_kway_times(w->bytes[v], gspi_kway_at(w->users, v).n);
        uint64_t const weight = gsp_node_is_callable(w->g, v) ? gspi_kway_weight(w, v) : 0u;
        uint32_t const pin = gspi_kway_pinned(w, v) ? w->d->pin[v] : GSP_NONE;
        if (pin != GSP_NONE && pin >= k) {
            return gspi_kway_fail_arg(err, GSP_DETAIL_RANGE, v, GSPI_KWAY_FIELD("pin"));
        }
        sum = gspi_kway_sum(sum, gspi_kway_sum(bytes, weight));
        if (sum >> 60u != 0u) {
            return gspi_kway_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, v, GSP_NONE);
        }
        w->heaviest = gspi_kway_max(w->heaviest, weight);
        if (gsp_node_is_callable(w->g, v) && weight < w->lightest) {
            w->lightest = weight;
        }
        w->weight += weight;
        lowest[v] = 0;
        for (uint32_t i = 0; i < inputs.n; i++) {
            gsp_node const u = inputs.at[i];
            lowest[v] = lowest[u] > lowest[v] ? lowest[u] : lowest[v];
            if (pin < lowest[v]) {
                return gspi_kway_fail(err, GSP_STATUS_CYCLE, GSP_DETAIL_PARTS_ORDER, v, u);
            }
        }
        lowest[v] = pin != GSP_NONE ? pin : lowest[v];
    }
    while (w->heaviest >> w->shift > UINT32_MAX) {
        w->shift++;
    }
    return gspi_kway_limits(w, err);
}

size_t gsp_kway_bound(const gsp_graph *graph, const gsp_kway_desc *desc)
{
    gspi_kway w;
    gspi_kway_bump b = {NULL, GSP_BOUND_ARRAY(sizeof w, 1) + GSP_BOUND_SLACK};
    (void)gspi_kway_push(&b, gsp_graph_counts(graph).nodes, sizeof(uint32_t)); /* part_of */
    gspi_kway_layout(&b, &w, graph, desc == NULL ? 0u : desc->n_parts);
    return GSPI_KWAY_NEVER(b.used >= SIZE_MAX) ? SIZE_MAX : (size_t)b.used;
}

/* Prepares a run in an arena with room for its arrays. */
static void gspi_kway_open(
    gspi_kway *w, gspi_kway_bump *b, const gsp_graph *g, const gsp_kway_desc *d)
{
    const gsp_module *m = g->module;
    gspi_kway_layout(b, w, g, d->n_parts);
    w->r.part_of = (uint32_t *)gsp_arena_push(b->arena, g->n_nodes, sizeof(uint32_t));
    w->g = g;
    w->d = d;
    w->bytes = m->bytes + g->first;
    w->users.begin = w->after.begin = m->user_begin + g->first;
    w->users.at = w->after.at = m->users;
    w->before.begin = m->in_begin + g->first;
    w->before.at = m->inputs;
    if (g->order != NULL) {
        w->before = g->order->before;
        w->after = g->order->after;
    }
    w->edges = d->bytes == 0u;
    w->random = d->seed;
    w->weight = w->heaviest = 0;
    w->lightest = UINT64_MAX;
    w->shift = 0;
}

static gsp_status gspi_kway_check(const gsp_arena *arena, const gsp_graph *graph, const void *desc,
    const void *result, gsp_error *err)
{
    if (arena == NULL || graph == NULL || desc == NULL || result == NULL) {
        const char *field = GSPI_KWAY_FIELD("result");
        field = desc == NULL ? GSPI_KWAY_FIELD("desc") : field;
        field = graph == NULL ? GSPI_KWAY_FIELD("graph") : field;
        field = arena == NULL ? GSPI_KWAY_FIELD("arena") : field;
        return gspi_kway_fail_arg(err, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    return GSP_OK;
}

static gsp_status gspi_kway_check_desc(
    uint32_t start_canary, uint32_t end_canary, uint32_t n_parts, gsp_error *err)
{
    if (start_canary != 0u || end_canary != 0u) {
        return gspi_kway_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE, GSP_NONE);
    }
    return n_parts != 0u
               ? GSP_OK
               : gspi_kway_fail_arg(err, GSP_DETAIL_RANGE, GSP_NONE, GSPI_KWAY_FIELD("n_parts"));
}

gsp_status gsp_kway_run(gsp_arena *arena, const gsp_graph *graph, const gsp_kway_desc *desc,
    gsp_kway_result *result, gsp_error *err)
{
    gsp_status status = gspi_kway_check(arena, graph, desc, result, err);
    if (status == GSP_OK) {
        status = gspi_kway_check_desc(desc->start_canary, desc->end_canary, desc->n_parts, err);
    }
    if (status != GSP_OK) {
        return status;
    }
    size_t const bound = gsp_kway_bound(graph, desc);
    size_t const left = gsp_arena_left(arena);
    if (GSPI_KWAY_NEVER(bound == SIZE_MAX)) {
        return gspi_kway_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE, GSP_NONE);
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gspi_kway_bump b = {arena, 0};
    gspi_kway *w = left < bound ? NULL : (gspi_kway *)gspi_kway_push(&b, 1, sizeof(gspi_kway));
    if (w == NULL) {
        return gspi_kway_lack(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, bound, left);
    }
    gspi_kway_open(w, &b, graph, desc);
    status = gspi_kway_read(w, err);
    if (status == GSP_OK) {
        status = gspi_kway_search(w, err);
    }
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    *result = w->r;
    mark.low = gsp_arena_mark(arena).low; /* the results stay */
    gsp_arena_rewind(arena, mark);
    return gspi_kway_fail(err, GSP_OK, GSP_DETAIL_NONE, GSP_NONE, GSP_NONE);
}

/* ---- a lower bound of the cut ---- */

#ifndef GSP_NO_COST

#define GSPI_KWAY_FLOOR_WORK   ((uint64_t)1u << 25u)
#define GSPI_KWAY_FLOOR_ROUNDS 32u          /* at most, */
#define GSPI_KWAY_FLOOR_FEW    4u           /* and at least */
#define GSPI_KWAY_FLOOR_GROWTH 0.5          /* of the length of the busiest edge, per round */
#define GSPI_KWAY_FLOOR_SLACK  (1.0 - 1e-9) /* for rounding */

typedef struct gspi_kway_edge {
    gsp_node ends[2];
    double room;
    double flow; /* of all rounds */
    double last; /* of this one */
    double length;
} gspi_kway_edge;

typedef struct gspi_kway_entry {
    double distance;
    gsp_node node;
} gspi_kway_entry;

typedef struct gspi_kway_floor {
    const gsp_graph *g;
    const gsp_kway_floor_desc *d;
    uint32_t *root;  /* [n] of the component of a node */
    uint32_t *begin; /* [n + 1] of the edges at a node */
    uint32_t rounds; /* of the flow; without any, what follows is not there */
    uint32_t round;  /* from 1 on */
    uint32_t n_edges;
    gspi_kway_edge *edges;
    uint32_t *at;          /* [2 * n_edges] */
    double *distance;      /* [n] negative without a way so far */
    uint32_t *by;          /* [n] the edge on the way to a node */
    gsp_node *order;       /* [n] as reached */
    double *load;          /* [n] of the ways that end at a node or behind it */
    gspi_kway_entry *heap; /* [2 * n_edges + 1] */
    uint32_t n_heap;
    double apart; /* demand of pairs without a way, each counted twice */
} gspi_kway_floor;

/* Rounds that max_work allows; 0 if too few. */
static uint32_t gspi_kway_floor_rounds(gsp_counts c, const gsp_kway_floor_desc *d)
{
    uint32_t const k = d == NULL ? 0u : d->n_parts;
    uint64_t const most = d == NULL || d->max_work == 0u ? GSPI_KWAY_FLOOR_WORK : d->max_work;
    uint64_t const each = gspi_kway_times(c.nodes, (uint64_t)c.edges * 2u + c.nodes);
    uint64_t const rounds = most / gspi_kway_max(each, 1u);
    int const is_small = gspi_kway_times(k, k) <= most && c.edges != 0u;
    return !is_small || rounds < GSPI_KWAY_FLOOR_FEW ? 0u
           : rounds < GSPI_KWAY_FLOOR_ROUNDS         ? (uint32_t)rounds
                                                     : GSPI_KWAY_FLOOR_ROUNDS;
}

static void gspi_kway_floor_layout(gspi_kway_bump *b, gspi_kway_floor *f, gsp_counts c)
{
    size_t const n = c.nodes;
    size_t const e = c.edges;
    f->begin = (uint32_t *)gspi_kway_push(b, n + 1u, sizeof(uint32_t));
    f->root = (uint32_t *)gspi_kway_push(b, n, sizeof(uint32_t));
    if (f->rounds != 0u) {
        f->edges = (gspi_kway_edge *)gspi_kway_push(b, e, sizeof(gspi_kway_edge));
        f->at = (uint32_t *)gspi_kway_push(b, 2u * e, sizeof(uint32_t));
        f->distance = (double *)gspi_kway_push(b, n, sizeof(double));
        f->by = (uint32_t *)gspi_kway_push(b, n, sizeof(uint32_t));
        f->order = (gsp_node *)gspi_kway_push(b, n, sizeof(gsp_node));
        f->load = (double *)gspi_kway_push(b, n, sizeof(double));
        f->heap = (gspi_kway_entry *)gspi_kway_push(b, 2u * e + 1u, sizeof(gspi_kway_entry));
    }
}

static uint64_t gspi_kway_floor_weight(const gspi_kway_floor *f, gsp_node v)
{
    return !gsp_node_is_callable(f->g, v) ? 0u : f->d->weight == NULL ? 1u : f->d->weight[v];
}

GSPI_KWAY_OWN_FRAME gsp_status gspi_kway_floor_check(const gspi_kway_floor *f, gsp_error *err)
{
    uint64_t sum = 0;
    for (gsp_node v = 0; v < f->g->n_nodes; v++) {
        uint32_t n_users;
        (void)gsp_node_users(f->g, v, &n_users);
        sum = gspi_kway_sum(sum, gspi_kway_times(gsp_node_bytes(f->g, v), n_users));
        sum = gspi_kway_sum(sum, gspi_kway_floor_weight(f, v));
        if (sum >> 60u != 0u) {
            return gspi_kway_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, v, GSP_NONE);
        }
    }
    return GSP_OK;
}

/* ---- components ---- */

static uint32_t gspi_kway_root_of(uint32_t *root, uint32_t v)
{
    while (root[v] != v) {
        root[v] = root[root[v]];
        v = root[v];
    }
    return v;
}

/* Each part above the number of components cuts one edge more, or the smallest value. */
static uint64_t gspi_kway_floor_by_count(gspi_kway_floor *f)
{
    uint64_t smallest = UINT64_MAX;
    uint64_t n = 0;
    for (gsp_node v = 0; v < f->g->n_nodes; v++) {
        uint32_t n_inputs;
        const gsp_node *inputs = gsp_node_inputs(f->g, v, &n_inputs);
        f->root[v] = v;
        n += gsp_node_is_callable(f->g, v) ? 1u : 0u;
        for (uint32_t i = 0; i < n_inputs && gsp_node_is_callable(f->g, v); i++) {
            uint64_t const bytes = f->d->bytes != 0u ? gsp_node_bytes(f->g, inputs[i]) : 1u;
            if (gsp_node_is_callable(f->g, inputs[i])) {
                uint32_t const from = gspi_kway_root_of(f->root, inputs[i]);
                uint32_t const to = gspi_kway_root_of(f->root, v);
                smallest = bytes < smallest ? bytes : smallest;
                n -= from != to ? 1u : 0u;
                f->root[from] = to;
            }
        }
    }
    n = f->d->n_parts > n ? f->d->n_parts - n : 0u;
    return smallest == UINT64_MAX ? 0u : gspi_kway_times(n, smallest);
}

/* ---- edges ---- */

static int gspi_kway_is_edge(const gspi_kway_floor *f, gsp_node from, gsp_node to)
{
    return gsp_node_is_callable(f->g, to) && gsp_node_is_callable(f->g, from) &&
           (f->d->bytes == 0u || gsp_node_bytes(f->g, from) != 0u);
}

/* The bytes of a value are divided among its readers, since one part may have them all. */
static void gspi_kway_floor_read(gspi_kway_floor *f)
{
    uint32_t *const readers = f->by;
    gspi_kway_edge *e = f->edges;
    gspi_kway_fill(readers, 0, f->g->n_nodes);
    for (gsp_node v = 0; v < f->g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *inputs = gsp_node_inputs(f->g, v, &n);
        for (; n > 0u; n--) {
            gsp_node const u = inputs[n - 1u];
            if (gspi_kway_is_edge(f, u, v)) {
                e->ends[0] = u;
                e++->ends[1] = v;
                readers[u]++;
            }
        }
    }
    f->n_edges = (uint32_t)(e - f->edges);
    for (e = f->edges; e < f->edges + f->n_edges; e++) {
        uint64_t const bytes = gsp_node_bytes(f->g, e->ends[0]);
        e->room = f->d->bytes != 0u ? (double)bytes / readers[e->ends[0]] : 1.0;
        e->flow = e->last = 0.0;
        e->length = 1.0 / e->room;
    }
}

static void gspi_kway_floor_list(gspi_kway_floor *f)
{
    uint32_t const n = f->g->n_nodes;
    gspi_kway_fill(f->begin, 0, n + 1u);
    for (uint32_t i = 0; i < 2u * f->n_edges; i++) {
        f->begin[f->edges[i / 2u].ends[i % 2u]]++;
    }
    for (uint32_t v = 1; v <= n; v++) { /* the end of each row, */
        f->begin[v] += f->begin[v - 1u];
    }
    for (uint32_t i = 2u * f->n_edges; i-- > 0u;) { /* and its begin, once its edges are there */
        f->at[--f->begin[f->edges[i / 2u].ends[i % 2u]]] = i / 2u;
    }
}

/* ---- shortest ways ---- */

static void gspi_kway_reach(gspi_kway_floor *f, double distance, gsp_node node)
{
    uint32_t at = f->n_heap++;
    while (at > 0u && f->heap[(at - 1u) / 2u].distance > distance) {
        f->heap[at] = f->heap[(at - 1u) / 2u];
        at = (at - 1u) / 2u;
    }
    f->heap[at].distance = distance;
    f->heap[at].node = node;
}

static gspi_kway_entry gspi_kway_nearest(gspi_kway_floor *f)
{
    gspi_kway_entry const top = f->heap[0];
    gspi_kway_entry const last = f->heap[--f->n_heap];
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

static void gspi_kway_reach_from(gspi_kway_floor *f, gspi_kway_entry from)
{
    for (uint32_t i = f->begin[from.node]; i < f->begin[from.node + 1u]; i++) {
        const gspi_kway_edge *e = &f->edges[f->at[i]];
        gsp_node const to = e->ends[e->ends[0] == from.node ? 1u : 0u];
        double const distance = from.distance + e->length;
        if (f->distance[to] < 0.0 || distance < f->distance[to]) {
            f->distance[to] = distance;
            f->by[to] = f->at[i];
            gspi_kway_reach(f, distance, to);
        }
    }
}

/* Nodes by their distance from one, with the edge that leads to each. Returns how many. */
static uint32_t gspi_kway_find_ways(gspi_kway_floor *f, gsp_node from)
{
    uint32_t n = 0;
    for (gsp_node v = 0; v < f->g->n_nodes; v++) {
        f->distance[v] = -1.0;
        f->load[v] = -1.0; /* not reached */
    }
    f->distance[from] = 0.0;
    gspi_kway_reach(f, 0.0, from);
    while (f->n_heap != 0u) {
        gspi_kway_entry const top = gspi_kway_nearest(f);
        if (f->load[top.node] < 0.0) {
            uint64_t const weight = gspi_kway_floor_weight(f, top.node);
            f->load[top.node] = (double)weight;
            f->order[n++] = top.node;
            gspi_kway_reach_from(f, top);
        }
    }
    return n;
}

/* Sends the flow of a node to all others; the first time, counts pairs without a way. */
static void gspi_kway_send_from(gspi_kway_floor *f, gsp_node from, int is_first)
{
    uint64_t const weight = gspi_kway_floor_weight(f, from);
    double const own = (double)weight;
    uint32_t n = gspi_kway_find_ways(f, from);
    for (gsp_node v = 0; is_first && v < f->g->n_nodes; v++) {
        uint64_t const other = gspi_kway_floor_weight(f, v);
        f->apart += f->load[v] < 0.0 ? own * (double)other : 0.0;
    }
    while (n-- > 1u) {
        gsp_node const v = f->order[n];
        gspi_kway_edge *e = &f->edges[f->by[v]];
        e->last += own * f->load[v];
        f->load[e->ends[e->ends[0] == v ? 1u : 0u]] += f->load[v];
    }
}

/* ---- what parts separate ---- */

/* Whether part a comes before part b by falling capacity. */
static int gspi_kway_is_larger(const gsp_kway_floor_desc *d, uint32_t a, uint32_t b)
{
    return d->capacity[a] != d->capacity[b] ? d->capacity[a] > d->capacity[b] : a < b;
}

/* The largest part after `last`; GSP_NONE for the first. */
static uint32_t gspi_kway_next_largest(const gsp_kway_floor_desc *d, uint32_t last)
{
    uint32_t most = GSP_NONE;
    for (uint32_t i = 0; i < d->n_parts; i++) {
        if ((last == GSP_NONE || gspi_kway_is_larger(d, last, i)) &&
            (most == GSP_NONE || gspi_kway_is_larger(d, i, most))) {
            most = i;
        }
    }
    return most;
}

/* The demand, each pair counted twice, that parts separate at least: they separate least where as
 * few as possible are full. */
static double gspi_kway_separated(const gspi_kway_floor *f)
{
    uint32_t last = GSP_NONE;
    uint64_t left = 0;
    double inside = 0.0;
    for (gsp_node v = 0; v < f->g->n_nodes; v++) {
        left += gspi_kway_floor_weight(f, v);
    }
    double const all = (double)left * (double)left;
    for (uint32_t k = 0; k < f->d->n_parts && left != 0u; k++) {
        last = gspi_kway_next_largest(f->d, last);
        uint64_t const load = f->d->capacity[last] < left ? f->d->capacity[last] : left;
        inside += (double)load * (double)load;
        left -= load;
    }
    return all - inside;
}

/* The flow of all rounds so far, divided by them, passes each edge within `busiest` times its room:
 * what is cut has room for the separated demand divided by that. */
static uint64_t gspi_kway_floor_after(gspi_kway_floor *f, double demand)
{
    double busiest = 0.0;
    double most = 0.0;
    for (uint32_t i = 0; i < f->n_edges; i++) {
        gspi_kway_edge *e = &f->edges[i];
        e->flow += e->last;
        busiest = e->flow / e->room > busiest ? e->flow / e->room : busiest;
        most = e->last / e->room > most ? e->last / e->room : most;
    }
    if (!(most > 0.0) || !(demand > 0.0)) {
        return 0;
    }
    for (uint32_t i = 0; i < f->n_edges; i++) {
        gspi_kway_edge *e = &f->edges[i];
        e->length *= 1.0 + GSPI_KWAY_FLOOR_GROWTH * (e->last / e->room / most);
        e->last = 0.0;
    }
    double const floor = demand * f->round / busiest * GSPI_KWAY_FLOOR_SLACK;
    uint64_t const whole = (uint64_t)floor; /* below all edges or bytes, of 60 bits */
    return whole + (uint64_t)(floor > (double)whole);
}

GSPI_KWAY_OWN_FRAME uint64_t gspi_kway_floor_by_flow(gspi_kway_floor *f)
{
    uint64_t floor = 0;
    gspi_kway_floor_read(f);
    gspi_kway_floor_list(f);
    double const demand = gspi_kway_separated(f);
    for (f->round = 1; f->round <= f->rounds && (f->d->cut == 0u || floor < f->d->cut);
         f->round++) {
        for (gsp_node v = 0; v < f->g->n_nodes; v++) {
            if (gspi_kway_floor_weight(f, v) != 0u) {
                gspi_kway_send_from(f, v, f->round == 1u);
            }
        }
        floor = gspi_kway_max(floor, gspi_kway_floor_after(f, demand - f->apart));
    }
    return floor;
}

size_t gsp_kway_floor_bound(const gsp_graph *graph, const gsp_kway_floor_desc *desc)
{
    gspi_kway_floor f;
    gspi_kway_bump b = {NULL, GSP_BOUND_SLACK};
    gsp_counts const c = gsp_graph_counts(graph);
    f.rounds = gspi_kway_floor_rounds(c, desc);
    gspi_kway_floor_layout(&b, &f, c);
    return GSPI_KWAY_NEVER(b.used >= SIZE_MAX) ? SIZE_MAX : (size_t)b.used;
}

/* Bounds of both kinds, in an arena with room. */
static void gspi_kway_floor_find(gspi_kway_floor *f, gsp_kway_floor_result *result)
{
    gsp_counts const c = gsp_graph_counts(f->g);
    result->by_flow = 0;
    result->work = 0;
    result->floor = gspi_kway_floor_by_count(f);
    if (f->rounds != 0u && (f->d->cut == 0u || result->floor < f->d->cut)) {
        uint64_t const floor = gspi_kway_floor_by_flow(f);
        result->by_flow = floor > result->floor;
        result->floor = gspi_kway_max(floor, result->floor);
        result->work = (f->round - 1u) * (uint64_t)c.nodes * (2u * (uint64_t)c.edges + c.nodes);
    }
}

gsp_status gsp_kway_floor_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_kway_floor_desc *desc, gsp_kway_floor_result *result, gsp_error *err)
{
    gsp_status status = gspi_kway_check(arena, graph, desc, result, err);
    if (status == GSP_OK) {
        status = gspi_kway_check_desc(desc->start_canary, desc->end_canary, desc->n_parts, err);
    }
    if (status != GSP_OK) {
        return status;
    }
    if (desc->capacity == NULL) {
        return gspi_kway_fail_arg(
            err, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, GSPI_KWAY_FIELD("capacity"));
    }
    size_t const bound = gsp_kway_floor_bound(graph, desc);
    size_t const left = gsp_arena_left(arena);
    if (GSPI_KWAY_NEVER(bound == SIZE_MAX)) {
        return gspi_kway_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE, GSP_NONE);
    }
    if (left < bound) {
        return gspi_kway_lack(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, bound, left);
    }
    gsp_mark const mark = gsp_arena_mark(arena);
    gspi_kway_bump b = {arena, 0};
    gspi_kway_floor f;
    f.g = graph;
    f.d = desc;
    f.n_heap = 0;
    f.apart = 0.0;
    f.rounds = gspi_kway_floor_rounds(gsp_graph_counts(graph), desc);
    gspi_kway_floor_layout(&b, &f, gsp_graph_counts(graph));
    status = gspi_kway_floor_check(&f, err);
    if (status == GSP_OK) {
        gspi_kway_floor_find(&f, result);
    }
    gsp_arena_rewind(arena, mark);
    return status != GSP_OK ? status
                            : gspi_kway_fail(err, GSP_OK, GSP_DETAIL_NONE, GSP_NONE, GSP_NONE);
}

#endif /* GSP_NO_COST */
#endif /* GSP_NO_FLOW */

#ifdef __cplusplus
}
#endif

GSPI_KWAY_END

#endif /* GRAPHSPLIT_KWAY_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_KWAY_IMPLEMENTATION */
