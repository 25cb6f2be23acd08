/* graphsplit_offload.h - an add-on of graphsplit.h: what is worth offloading, in least time
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Assigns nodes to the CPU or the accelerator in least time, with launches and transfers, and a
 * lower bound. Needs graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_OFFLOAD_IMPLEMENTATION
 *     #include "graphsplit_offload.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 * With GSP_NO_FLOW there are no minimum cuts, and this header is empty.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>network            Minimum cuts of a network that is built arc by arc
 *     >>offload            The CPU or the accelerator, in least time
 *     >>impl               Implementation guard
 *
 *     gsp_network_cut              as gsp_min_cut_run()        73 per arc
 *     gsp_offload_run              desc.max_work               79 per node, 8 per edge, 73 per arc
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_OFFLOAD_H_INCLUDED
#define GRAPHSPLIT_OFFLOAD_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_OFFLOAD_IMPLEMENTATION)
#error "graphsplit_offload: GRAPHSPLIT_STATIC needs GRAPHSPLIT_OFFLOAD_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef GSP_NO_FLOW

/* ----
 * >>network   Minimum cuts of a network that is built arc by arc (API)
 * ---- */

#define GSP_NETWORK_SOURCE 0u
#define GSP_NETWORK_SINK   1u

/* A network and its last cut. Arcs may be read; set max_work at will. */
typedef struct gsp_network {
    gsp_arena *arena;
    gsp_cut_arc *arcs; /* [most] */
    uint32_t most;     /* arcs, and nodes, for which there is room */
    uint32_t n_nodes;
    uint64_t n_arcs;     /* arcs above `most` are counted alone */
    const uint8_t *side; /* [n_nodes] 1 on the side of the source, until the arena is used again */
    uint64_t value;      /* of the minimum cut; a lower bound if the work ended */
    uint64_t work;       /* arcs scanned and read, by all cuts */
    uint64_t max_work;   /* UINT64_MAX, no limit, from gsp_network_init() */
} gsp_network;

/* gsp_network_bound: bytes for a network of so many arcs, and as many nodes. Time: O(1). */
GSP_API size_t gsp_network_bound(uint32_t most);

/* gsp_network_init: room for the arcs in the arena, whose rest is for the cuts. The network keeps
 * the arena, and is empty until gsp_network_start().
 * Errors: ARG, NOMEM, OVERFLOW. Time: O(1). Memory: the bound. */
GSP_API gsp_status gsp_network_init(
    gsp_arena *arena, uint32_t most, gsp_network *network, gsp_error *err);

/* gsp_network_start: the source and the sink alone, without an arc. Time: O(1). */
GSP_API void gsp_network_start(gsp_network *network);

/* gsp_network_node: the number of one more node. Time: O(1). */
GSP_API uint32_t gsp_network_node(gsp_network *network);

/* gsp_network_both: an arc and its reverse; GSP_CUT_INFINITE is never cut. Time: O(1). */
GSP_API void gsp_network_both(
    gsp_network *network, uint32_t from, uint32_t to, uint64_t capacity, uint64_t back);

/* gsp_network_arc: an arc. Time: O(1). */
GSP_API void gsp_network_arc(gsp_network *network, uint32_t from, uint32_t to, uint64_t capacity);

/* gsp_network_fits: 1 if there was room for all arcs and nodes. Time: O(1). */
GSP_API int gsp_network_fits(const gsp_network *network);

/* gsp_network_cut: 1 with a minimum cut; 0 without: the network has no room, the work ended, all
 * cuts are infinite, or what gsp_min_cut_run() refuses. Time: as gsp_min_cut_run(). */
GSP_API int gsp_network_cut(gsp_network *network);

/* ----
 * >>offload   The CPU or the accelerator, in least time (API)
 * ---- */

#define GSP_OFFLOAD_CURVE 65u

/* A problem. The time of a choice is that of its nodes, of its launches and of its transfers;
 * placeholders and the returned values are on the CPU. All times together are below 2^58 ticks. */
typedef struct gsp_offload_desc {
    uint32_t start_canary;
    uint32_t resident;     /* 1 moves values at each boundary up to the last reader, 0 once */
    const uint8_t *kind;   /* [n] 1 if the accelerator supports the node; required */
    const uint8_t *pinned; /* [n] 1 if a supported node must run there; NULL means none */
    const uint32_t
        *group;           /* [n] of nodes that stay together, below n; GSP_NONE if alone; or NULL */
    const uint64_t *cpu;  /* [n] ticks of callable nodes; required */
    const uint64_t *acc;  /* [n] ticks on the accelerator; required */
    const uint64_t *move; /* [n] ticks to move the value to the other side; NULL means 0 */
    uint64_t launch;      /* ticks per accelerator subgraph */
    uint64_t max_work;    /* arcs scanned, nodes visited; 0 means 2^28, of large graphs 2^26 */
    uint32_t max_arcs;    /* of networks with launches, 73 bytes each; 0 means 2^21 */
    const uint8_t *given; /* [n] kinds of a choice that is timed, without a search; or NULL */
    uint32_t end_canary;
} gsp_offload_desc;

/* The best choice found, or the given one. A subgraph is one of the accelerator. */
typedef struct gsp_offload_result {
    const uint8_t *kind;     /* [n] for gsp_placement: 0 or 1, GSP_KIND_NONE if not callable */
    const uint32_t *phase;   /* [n] for gsp_split_desc, if resident; otherwise NULL */
    const uint64_t *at_most; /* [GSP_OFFLOAD_CURVE] least time found with at most so many subgraphs,
                                or UINT64_MAX */
    uint64_t time;           /* ticks */
    uint64_t lower_bound;    /* no choice takes less; `time` if that is proved */
    uint64_t all;            /* ticks if all supported nodes are offloaded; UINT64_MAX if cyclic */
    uint64_t cpu_only;       /* ticks without the accelerator; UINT64_MAX if nodes are pinned */
    uint64_t work;
    uint32_t n_subgraphs;
} gsp_offload_result;

/* gsp_offload_bound: bytes for the run; few if a choice is given. Time: O(1). */
GSP_API size_t gsp_offload_bound(const gsp_graph *graph, const gsp_offload_desc *desc);

/* gsp_offload_run: kinds of least time, never worse than all or nothing; or the time of given ones.
 *
 * What:    Exact without a launch time, and for `resident`, unless the work ends or the network has
 *          no room; otherwise the best of both copies of a Lagrangian decomposition and of local
 *          searches. A group with a node that is not supported is on the CPU. A given choice may
 *          leave pinned nodes on the CPU; `lower_bound`, `all` and `cpu_only` are 0.
 * Errors:  ARG; after NOMEM: ARG (RANGE: group of a node; KIND: given to a node that is not
 *          supported, or to a node of the group of other), OVERFLOW (SIZE: node; 2^58 ticks or
 *          more), CYCLE (PARTS_CYCLE: subgraphs of any choice, or of the given one, read each other
 *          because of groups)
 * Time:    max_work; O(nodes + edges) if a choice is given, times subgraphs if groups interleave
 * Memory:  the bound
 * Example: examples/offload.c
 * See:     Picard 1976; Ishikawa 2003; Guignard, Kim 1987 (Lagrangian decomposition)
 */
GSP_API gsp_status gsp_offload_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_offload_desc *desc, gsp_offload_result *result, gsp_error *err);

#endif /* GSP_NO_FLOW */

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_OFFLOAD_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_OFFLOAD_IMPLEMENTATION
#ifndef GRAPHSPLIT_OFFLOAD_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_OFFLOAD_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_OFFLOAD_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_OFFLOAD_END       _Pragma("GCC diagnostic pop")
#define GSPI_OFFLOAD_OWN_FRAME __attribute__((noinline)) static /* not on the stack of its caller */
#else
#define GSPI_OFFLOAD_BEGIN
#define GSPI_OFFLOAD_END
#define GSPI_OFFLOAD_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_OFFLOAD_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

#ifndef GSP_NO_FLOW

/* ----
 * >>network   Minimum cuts of a network that is built arc by arc (implementation)
 * ---- */

/* Names the argument or field at fault; a second NUL says that no count makes it required. */
#ifdef GSP_NO_MESSAGES
#define GSPI_OFFLOAD_FIELD(text) ""
#else
#define GSPI_OFFLOAD_FIELD(text) text "\0"
#endif

static gsp_status gspi_network_fail(gsp_error *err, gsp_status status, gsp_detail detail,
    gsp_node node, gsp_node other, const char *field)
{
    if (err != NULL) {
        uint32_t const what = node == GSP_NONE ? GSP_WHAT_NONE : GSP_WHAT_NODE;
        gsp_error const e = {status, detail, what, node, other, 0, 0, 0, 0u, field};
        *err = e;
    }
    return status;
}

static gsp_status gspi_network_missing(gsp_error *err, const char *field)
{
    return gspi_network_fail(
        err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, GSP_NONE, field);
}

/* OK if so many bytes are left. */
static gsp_status gspi_network_room(const gsp_arena *arena, size_t bound, gsp_error *err)
{
    if (bound == SIZE_MAX) {
        return gspi_network_fail(
            err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE, GSP_NONE, "");
    }
    if (gsp_arena_left(arena) >= bound) {
        return gspi_network_fail(err, GSP_OK, GSP_DETAIL_NONE, GSP_NONE, GSP_NONE, "");
    }
    (void)gspi_network_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, GSP_NONE, "");
    if (err != NULL) {
        err->need = bound;
        err->limit = gsp_arena_left(arena);
    }
    return GSP_STATUS_NOMEM;
}

size_t gsp_network_bound(uint32_t most)
{
    gsp_min_cut_desc const desc = {0, GSP_BOUND_MAX(most, 2u), most, NULL, 0, 0};
    uint64_t const cut = gsp_min_cut_bound(&desc);
    uint64_t const arcs = (uint64_t)most * sizeof(gsp_cut_arc) + GSP_BOUND_ARRAY(0, 1) + GSP_ALIGN;
    uint64_t const all = cut == SIZE_MAX ? UINT64_MAX : cut + arcs;
    return all < SIZE_MAX ? (size_t)all : SIZE_MAX;
}

gsp_status gsp_network_init(gsp_arena *arena, uint32_t most, gsp_network *network, gsp_error *err)
{
    gsp_network const empty = {arena, NULL, most, 0, 0, NULL, 0, 0, UINT64_MAX};
    if (arena == NULL || network == NULL) {
        const char *field = GSPI_OFFLOAD_FIELD("network");
        return gspi_network_missing(err, arena == NULL ? GSPI_OFFLOAD_FIELD("arena") : field);
    }
    gsp_status const status = gspi_network_room(arena, gsp_network_bound(most), err);
    if (status == GSP_OK) {
        *network = empty;
        network->arcs = (gsp_cut_arc *)gsp_arena_push(arena, most, sizeof(gsp_cut_arc));
    }
    return status;
}

void gsp_network_start(gsp_network *network)
{
    network->n_nodes = 2;
    network->n_arcs = 0;
    network->side = NULL;
    network->value = 0;
}

uint32_t gsp_network_node(gsp_network *network)
{
    return network->n_nodes++;
}

void gsp_network_both(
    gsp_network *network, uint32_t from, uint32_t to, uint64_t capacity, uint64_t back)
{
    if (network->n_arcs < network->most) {
        gsp_cut_arc const arc = {capacity, back, from, to};
        network->arcs[network->n_arcs] = arc;
    }
    network->n_arcs++;
}

void gsp_network_arc(gsp_network *network, uint32_t from, uint32_t to, uint64_t capacity)
{
    gsp_network_both(network, from, to, capacity, 0);
}

int gsp_network_fits(const gsp_network *network)
{
    return network->n_arcs <= network->most && network->n_nodes <= network->most;
}

int gsp_network_cut(gsp_network *network)
{
    gsp_min_cut_desc desc = {0, network->n_nodes, (uint32_t)network->n_arcs, network->arcs, 0, 0};
    gsp_mark const mark = gsp_arena_mark(network->arena);
    gsp_min_cut_result r;
    if (!gsp_network_fits(network) || network->work >= network->max_work) {
        return 0;
    }
    desc.max_work = network->max_work - network->work;
    if (gsp_min_cut_run(network->arena, &desc, &r, NULL) != GSP_OK) {
        return 0;
    }
    gsp_arena_rewind(network->arena, mark); /* nothing is allocated before the next cut */
    network->work += r.work + network->n_arcs;
    network->side = r.side;
    network->value = r.value;
    return r.side != NULL;
}

/* ----
 * >>offload   The CPU or the accelerator, in least time (implementation)
 * ---- */

/* Whether a unit, a group or a node alone, is on the accelerator is one bit. Transfers between both
 * sides are submodular in these bits, so without launches one minimum cut is exact (Picard 1976).
 *
 * Launches count how often a path enters the accelerator. Labels that no edge lowers, even ones on
 * the CPU, odd ones on the accelerator, count them: that is one cut, too (Ishikawa 2003), also with
 * transfers at each boundary, but not with transfers once. For these the bits exist twice, in a
 * network with transfers and in one with launches, and multipliers make both copies agree. The sum
 * of both cuts is a lower bound (Lagrangian decomposition), both copies are candidates. */

#define GSPI_OFFLOAD_MOST_TIME  ((uint64_t)1u << 58u)
#define GSPI_OFFLOAD_MOST_ARCS  ((uint32_t)1u << 21u) /* of a network with labels */
#define GSPI_OFFLOAD_MOST_SMALL 4096u /* units and readers of a graph that may take longer */
#define GSPI_OFFLOAD_ITERATIONS 300u
#define GSPI_OFFLOAD_FIXED_CPU  1u
#define GSPI_OFFLOAD_FIXED_ACC  2u

/* A value that other units read. */
typedef struct gspi_offload_tensor {
    uint64_t move;
    uint32_t unit;  /* that writes it */
    uint32_t begin; /* into reader */
    uint32_t end;
} gspi_offload_tensor;

typedef struct gspi_offload {
    const gsp_graph *g;
    const gsp_offload_desc *d;
    uint64_t launch;
    uint64_t base;                /* all on the CPU */
    gspi_offload_tensor *tensors; /* [n_tensors] in graph order */
    int64_t *gain;                /* [n] CPU time less accelerator time */
    int64_t *rest;                /* [n] gains in the network with launches */
    int64_t *price;       /* [n] multipliers: share of `gain` in the network with transfers */
    uint32_t *unit;       /* [nodes] GSP_NONE for an attribute */
    uint32_t *phase;      /* [n] of the choice that was timed last */
    uint32_t *best_phase; /* [n] */
    uint32_t *node;       /* [n] of the network */
    uint32_t *part;       /* [n] */
    uint32_t *writer;     /* [n_readers] units that write what `reader` reads */
    uint32_t *reader;     /* [n_readers] other units */
    uint8_t *fixed;       /* [n] */
    uint8_t *is_source;   /* [n] a placeholder */
    uint8_t *is_read;     /* [n] */
    uint8_t *best;        /* [n] */
    uint8_t *at;          /* [n] that is tried */
    uint8_t *other;       /* [n] */
    uint64_t *at_most;
    uint32_t n; /* units; placeholders and outputs are some, on the CPU */
    uint32_t n_tensors;
    uint32_t n_readers;
    uint32_t n_acc; /* accelerator subgraphs of the choice that was timed last */
    uint32_t resident;
    uint64_t work;
    uint64_t max_work;
    gsp_arena arena; /* of the network */
    gsp_network net;
    gsp_offload_result result;
} gspi_offload;

/* A layout pushes all arrays in order; without an arena it measures them. */
typedef struct gspi_offload_bump {
    gsp_arena *arena;
    uint64_t used;
} gspi_offload_bump;

/* Pushes an array of zeros at the high end. */
GSPI_OFFLOAD_OWN_FRAME void *gspi_offload_push(gspi_offload_bump *b, uint64_t count, size_t size)
{
    uint64_t const bytes = count * size;
    b->used += (bytes + (GSP_GAP + GSP_ALIGN - 1u)) & ~((uint64_t)GSP_ALIGN - 1u);
    uint8_t *made =
        b->arena == NULL ? NULL : (uint8_t *)gsp_arena_push_high(b->arena, (size_t)count, size);
    for (uint64_t i = 0; made != NULL && i < bytes; i++) {
        made[i] = 0;
    }
    return made;
}

/* Arcs per turn of the accelerator in the network with labels. */
static uint64_t gspi_offload_per_turn(uint64_t n, uint64_t n_readers, uint32_t resident)
{
    return 4u * n + (resident != 0 ? 8u : 2u) * n_readers + 1u;
}

/* Arcs for which a network has room; 0 for a given choice. */
static uint32_t gspi_offload_arcs(gsp_counts c, const gsp_offload_desc *d)
{
    uint64_t const n = (uint64_t)c.nodes + 3u;
    uint64_t const linear = 6u * (n + c.edges) + 2u;
    uint64_t const turn = gspi_offload_per_turn(n, c.edges, 1);
    uint64_t const most = d == NULL || d->max_arcs == 0u ? GSPI_OFFLOAD_MOST_ARCS : d->max_arcs;
    uint64_t const labels = turn < most / n ? turn * n : most;
    uint64_t const larger = linear > labels ? linear : labels;
    return d != NULL && d->given != NULL ? 0u : larger < GSP_NONE ? (uint32_t)larger : GSP_NONE;
}

static void gspi_offload_layout(gspi_offload_bump *b, gspi_offload *o, gsp_counts c)
{
    uint64_t const n = (uint64_t)c.nodes + 3u; /* labels are at most n + 1 */
    uint32_t **const words[] = {&o->unit, &o->phase, &o->best_phase, &o->node, &o->part};
    uint8_t **const bytes[] = {&o->fixed, &o->is_source, &o->is_read, &o->best, &o->at, &o->other};
    int64_t **const ticks[] = {&o->gain, &o->rest, &o->price};
    o->tensors = (gspi_offload_tensor *)gspi_offload_push(b, n, sizeof(gspi_offload_tensor));
    for (uint32_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
        *ticks[i] = (int64_t *)gspi_offload_push(b, n, sizeof(int64_t));
    }
    for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        *words[i] = (uint32_t *)gspi_offload_push(b, n, sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
        *bytes[i] = (uint8_t *)gspi_offload_push(b, n, 1);
    }
    o->writer = (uint32_t *)gspi_offload_push(b, c.edges, sizeof(uint32_t));
    o->reader = (uint32_t *)gspi_offload_push(b, c.edges, sizeof(uint32_t));
}

static void gspi_offload_copy(uint8_t *to, const uint8_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = from[i];
    }
}

static uint32_t gspi_offload_add_unit(gspi_offload *o, uint8_t fixed)
{
    o->fixed[o->n] = fixed;
    return o->n++;
}

/* A group is the unit of its first node. */
static void gspi_offload_read_units(gspi_offload *o)
{
    uint32_t *of_group = o->part; /* 1 + its unit */
    for (gsp_node v = 0; v < o->g->n_nodes; v++) {
        int const called = gsp_node_is_callable(o->g, v);
        uint32_t const group = called && o->d->group != NULL ? o->d->group[v] : GSP_NONE;
        if (gsp_node_op(o->g, v) == GSP_OP_GET_ATTR) {
            o->unit[v] = GSP_NONE;
        } else if (group != GSP_NONE && of_group[group] != 0u) {
            o->unit[v] = of_group[group] - 1u;
        } else {
            o->unit[v] = gspi_offload_add_unit(o, (uint8_t)(called ? 0u : GSPI_OFFLOAD_FIXED_CPU));
            o->is_source[o->unit[v]] = gsp_node_op(o->g, v) == GSP_OP_PLACEHOLDER;
            if (group != GSP_NONE) {
                of_group[group] = o->unit[v] + 1u;
            }
        }
        if (called) {
            uint8_t *fixed = &o->fixed[o->unit[v]];
            if (o->d->kind[v] != 1u) {
                *fixed = GSPI_OFFLOAD_FIXED_CPU;
            } else if (*fixed == 0u && o->d->pinned != NULL && o->d->pinned[v] != 0u) {
                *fixed = GSPI_OFFLOAD_FIXED_ACC;
            }
            o->gain[o->unit[v]] += (int64_t)o->d->cpu[v] - (int64_t)o->d->acc[v];
            o->base += o->d->cpu[v];
        }
    }
}

static void gspi_offload_read_tensors(gspi_offload *o)
{
    uint32_t *seen = o->node; /* 1 + the last node that a unit reads */
    for (gsp_node v = 0; v < o->g->n_nodes; v++) {
        gspi_offload_tensor *t = &o->tensors[o->n_tensors];
        uint32_t n_users;
        const gsp_node *users = gsp_node_users(o->g, v, &n_users);
        t->unit = o->unit[v];
        t->begin = o->n_readers;
        for (uint32_t i = 0; i < n_users && t->unit != GSP_NONE; i++) {
            uint32_t const unit = o->unit[users[i]];
            if (unit != t->unit && seen[unit] != v + 1u) {
                seen[unit] = v + 1u;
                o->writer[o->n_readers] = t->unit;
                o->reader[o->n_readers++] = unit;
            }
        }
        t->end = o->n_readers;
        if (t->end > t->begin) {
            t->move = o->d->move == NULL ? 0u : o->d->move[v];
            o->is_read[t->unit] = 1;
            o->n_tensors++;
        }
    }
}

/* Every sum of times is below 2^58. */
static gsp_status gspi_offload_check(const gspi_offload *o, gsp_error *err)
{
    const gsp_offload_desc *d = o->d;
    uint32_t const n = o->g->n_nodes;
    uint64_t const share = GSPI_OFFLOAD_MOST_TIME / ((uint64_t)n * 8u + 8u);
    uint64_t most = d->launch;
    for (gsp_node v = 0; v < n; v++) {
        if (d->group != NULL && d->group[v] >= n && d->group[v] != GSP_NONE) {
            return gspi_network_fail(
                err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, v, GSP_NONE, GSPI_OFFLOAD_FIELD("group"));
        }
        most = d->cpu[v] > most ? d->cpu[v] : most;
        most = d->acc[v] > most ? d->acc[v] : most;
        most = d->move != NULL && d->move[v] > most ? d->move[v] : most;
        if (most >= share) {
            return gspi_network_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, v, GSP_NONE, "");
        }
    }
    return GSP_OK;
}

/* The earliest phases with the CPU first; two turns suffice unless groups interleave. */
static int gspi_offload_find_phases(gspi_offload *o, const uint8_t *on_acc)
{
    int changed = 1;
    int circular = 0;
    for (uint32_t u = 0; u < o->n; u++) {
        o->phase[u] = on_acc[u];
    }
    while (changed && !circular) {
        changed = 0;
        for (uint32_t e = 0; e < o->n_readers; e++) {
            uint32_t const u = o->writer[e];
            uint32_t const r = o->reader[e];
            uint32_t const least = o->phase[u] + (on_acc[u] != on_acc[r] ? 1u : 0u);
            if (o->phase[r] < least && least <= o->n + 1u) {
                o->phase[r] = least;
                changed = 1;
            }
            circular |= least > o->n + 1u;
        }
    }
    o->n_acc = 0;
    for (uint32_t u = 0; u < o->n; u++) {
        uint32_t const acc = on_acc[u] ? (o->phase[u] + 1u) / 2u : 0u;
        o->n_acc = acc > o->n_acc ? acc : o->n_acc;
    }
    o->work += (uint64_t)o->n + o->n_readers;
    return !circular;
}

/* A value moves once if a reader is on the other side, or at each boundary up to the last reader;
 * placeholders arrive as late as possible. */
static uint64_t gspi_offload_moves_of(
    const gspi_offload *o, const gspi_offload_tensor *t, const uint8_t *on_acc)
{
    uint32_t last = o->phase[t->unit];
    uint32_t first = UINT32_MAX;
    int apart = 0;
    for (uint32_t e = t->begin; e < t->end; e++) {
        uint32_t const r = o->reader[e];
        apart |= on_acc[r] != on_acc[t->unit];
        last = o->phase[r] > last ? o->phase[r] : last;
        first = o->phase[r] - on_acc[r] < first ? o->phase[r] - on_acc[r] : first;
    }
    return !o->resident ? (uint64_t)apart
                        : last - (o->is_source[t->unit] ? first : o->phase[t->unit]);
}

/* Of the phases as they are. */
static uint64_t gspi_offload_time_in_phases(gspi_offload *o, const uint8_t *on_acc)
{
    uint64_t sum = o->base + o->launch * o->n_acc;
    for (uint32_t i = 0; i < o->n; i++) {
        sum -= on_acc[i] ? (uint64_t)o->gain[i] : 0u;
    }
    for (uint32_t i = 0; i < o->n_tensors; i++) {
        sum += o->tensors[i].move * gspi_offload_moves_of(o, &o->tensors[i], on_acc);
    }
    o->work += (uint64_t)o->n + o->n_readers;
    return sum;
}

/* `resident`: a later return saves moves of placeholders that the graph returns; the time is convex
 * in the phase of the return. */
static uint64_t gspi_offload_time_of(gspi_offload *o, const uint8_t *on_acc)
{
    uint32_t *end = &o->phase[o->unit[o->g->n_nodes - 1u]];
    uint64_t time =
        gspi_offload_find_phases(o, on_acc) ? gspi_offload_time_in_phases(o, on_acc) : UINT64_MAX;
    uint64_t before = o->resident ? UINT64_MAX : time;
    while (time < before) {
        before = time;
        *end += 2u;
        time = gspi_offload_time_in_phases(o, on_acc);
        if (time >= before) {
            *end -= 2u;
            time = before;
        }
    }
    return time;
}

/* Keeps a choice if it is the first, or better. */
static uint64_t gspi_offload_keep(gspi_offload *o, const uint8_t *on_acc, uint64_t time)
{
    if (time != UINT64_MAX && o->n_acc < GSP_OFFLOAD_CURVE && time < o->at_most[o->n_acc]) {
        o->at_most[o->n_acc] = time;
    }
    if (time < o->result.time) {
        o->result.time = time;
        o->result.n_subgraphs = o->n_acc;
        gspi_offload_copy(o->best, on_acc, o->n);
        for (uint32_t i = 0; i < o->n; i++) {
            o->best_phase[i] = o->phase[i];
        }
    }
    return time;
}

static uint64_t gspi_offload_attempt(gspi_offload *o, const uint8_t *on_acc)
{
    return gspi_offload_keep(o, on_acc, gspi_offload_time_of(o, on_acc));
}

static int gspi_offload_ended(const gspi_offload *o)
{
    return o->work + o->net.work >= o->max_work;
}

static int gspi_offload_cut(gspi_offload *o)
{
    o->net.max_work = o->max_work > o->work ? o->max_work - o->work : 0u;
    return gsp_network_cut(&o->net);
}

/* In the network with transfers a unit on the accelerator is on the side of the source. */
static void gspi_offload_emit_transfer(gspi_offload *o, const gspi_offload_tensor *t)
{
    gsp_network *net = &o->net;
    uint32_t const from = o->node[t->unit];
    uint32_t const first = o->node[o->reader[t->begin]];
    if (t->move == 0) {
        return;
    }
    if (t->end - t->begin == 1u) {
        gsp_network_both(net, first, from, t->move, t->move);
        return;
    }
    uint32_t const in = gsp_network_node(net);
    uint32_t const out = gsp_network_node(net);
    gsp_network_arc(net, in, from, t->move);
    gsp_network_arc(net, from, out, t->move);
    for (uint32_t e = t->begin; e < t->end; e++) {
        uint32_t const reader = o->node[o->reader[e]];
        gsp_network_arc(net, reader, in, GSP_CUT_INFINITE);
        gsp_network_arc(net, out, reader, GSP_CUT_INFINITE);
    }
}

static void gspi_offload_emit_transfers(gspi_offload *o, const int64_t *gain)
{
    gsp_network *net = &o->net;
    gsp_network_start(net);
    for (uint32_t i = 0; i < o->n; i++) {
        o->node[i] = o->fixed[i] == GSPI_OFFLOAD_FIXED_CPU   ? GSP_NETWORK_SINK
                     : o->fixed[i] == GSPI_OFFLOAD_FIXED_ACC ? GSP_NETWORK_SOURCE
                                                             : gsp_network_node(net);
        if (o->fixed[i] == 0 && gain[i] > 0) {
            gsp_network_arc(net, GSP_NETWORK_SOURCE, o->node[i], (uint64_t)gain[i]);
        } else if (o->fixed[i] == 0 && gain[i] < 0) {
            gsp_network_arc(net, o->node[i], GSP_NETWORK_SINK, (uint64_t)-gain[i]);
        }
    }
    for (uint32_t i = 0; i < o->n_tensors; i++) {
        gspi_offload_emit_transfer(o, &o->tensors[i]);
    }
}

static void gspi_offload_read_bits(const gspi_offload *o, uint8_t *on_acc)
{
    for (uint32_t i = 0; i < o->n; i++) {
        on_acc[i] = o->net.side[o->node[i]];
    }
}

/* What the capacities leave out: gains of the units that pay for the CPU, and of fixed ones. */
static int64_t gspi_offload_constant_of(const gspi_offload *o, const int64_t *gain)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < o->n; i++) {
        sum -= o->fixed[i] == GSPI_OFFLOAD_FIXED_ACC || (o->fixed[i] == 0 && gain[i] > 0) ? gain[i]
                                                                                          : 0;
    }
    return sum;
}

/* The node for "the label of a unit is t at least", of labels 0 to 2 n_acc. */
static uint32_t gspi_offload_literal(
    const gspi_offload *o, uint32_t unit, uint32_t t, uint32_t n_acc)
{
    uint32_t const node = o->node[unit];
    if (o->fixed[unit] == GSPI_OFFLOAD_FIXED_CPU) {
        return node + (t + 1u) / 2u - 1u;
    }
    if (o->fixed[unit] == GSPI_OFFLOAD_FIXED_ACC) {
        return t == 1u           ? GSP_NETWORK_SOURCE
               : t == 2u * n_acc ? GSP_NETWORK_SINK
                                 : node + t / 2u - 1u;
    }
    return node + t - 1u;
}

static void gspi_offload_emit_labels(gspi_offload *o, uint32_t unit, int64_t gain, uint32_t n_acc)
{
    gsp_network *net = &o->net;
    uint32_t const n = o->fixed[unit] == 0                        ? 2u * n_acc
                       : o->fixed[unit] == GSPI_OFFLOAD_FIXED_CPU ? n_acc
                                                                  : n_acc - 1u;
    o->node[unit] = net->n_nodes;
    net->n_nodes += n;
    for (uint32_t t = 0; t <= n; t++) {
        uint32_t const from = t == 0 ? GSP_NETWORK_SOURCE : o->node[unit] + t - 1u;
        uint32_t const to = t == n ? GSP_NETWORK_SINK : o->node[unit] + t;
        int const on_acc = (t & 1u) != 0;
        uint64_t const cost = o->fixed[unit] != 0   ? 0u
                              : on_acc && gain < 0  ? (uint64_t)-gain
                              : !on_acc && gain > 0 ? (uint64_t)gain
                                                    : 0u;
        uint64_t const back = t > 0 && t < n ? GSP_CUT_INFINITE : 0u;
        if (cost != 0 || back != 0) {
            gsp_network_both(net, from, to, cost, back);
        }
    }
}

/* A value is kept at boundary t if its unit has an earlier label, and a reader not. */
static void gspi_offload_emit_boundary(
    gspi_offload *o, const gspi_offload_tensor *t, uint32_t at, uint32_t n_acc)
{
    gsp_network *net = &o->net;
    uint32_t const to = gspi_offload_literal(o, t->unit, at, n_acc);
    uint32_t from = gspi_offload_literal(o, o->reader[t->begin], at, n_acc);
    if (t->end - t->begin > 1u) {
        from = gsp_network_node(net);
        for (uint32_t e = t->begin; e < t->end; e++) {
            gsp_network_arc(
                net, gspi_offload_literal(o, o->reader[e], at, n_acc), from, GSP_CUT_INFINITE);
        }
    }
    gsp_network_arc(net, from, to, t->move);
}

/* With `launch` per accelerator subgraph. */
static void gspi_offload_emit_launches(
    gspi_offload *o, const int64_t *gain, uint32_t n_acc, uint64_t launch)
{
    gsp_network *net = &o->net;
    gsp_network_start(net);
    for (uint32_t i = 0; i < o->n; i++) {
        gspi_offload_emit_labels(o, i, gain[i], n_acc);
    }
    for (uint32_t i = 0; i < o->n_tensors; i++) {
        const gspi_offload_tensor *v = &o->tensors[i];
        for (uint32_t t = 1; t <= 2u * n_acc; t++) {
            for (uint32_t e = v->begin; e < v->end; e++) {
                gsp_network_arc(net, gspi_offload_literal(o, v->unit, t, n_acc),
                    gspi_offload_literal(o, o->reader[e], t, n_acc), GSP_CUT_INFINITE);
            }
            if (o->resident && v->move != 0) {
                gspi_offload_emit_boundary(o, v, t, n_acc);
            }
        }
    }
    for (uint32_t t = 1; t < 2u * n_acc && launch != 0; t += 2u) {
        uint32_t const any = gsp_network_node(net);
        gsp_network_arc(net, any, GSP_NETWORK_SINK, launch);
        for (uint32_t i = 0; i < o->n; i++) {
            if (!o->is_read[i]) {
                gsp_network_arc(net, gspi_offload_literal(o, i, t, n_acc), any, GSP_CUT_INFINITE);
            }
        }
    }
}

/* Consecutive phases of one kind become one, which saves launches and moves. A placeholder arrives
 * late, whatever its phase. */
static void gspi_offload_close_gaps(gspi_offload *o)
{
    uint32_t *number = o->node; /* 1 if it occurs; then the new number */
    uint32_t last = 0;
    for (uint32_t i = 0; i < o->n + 2u; i++) {
        number[i] = 0;
    }
    for (uint32_t i = 0; i < o->n; i++) {
        number[o->phase[i]] |= !o->is_source[i];
    }
    for (uint32_t i = 0; i < o->n + 2u; i++) {
        last += number[i] != 0 ? (i ^ last) & 1u : 0u;
        number[i] = last;
    }
    for (uint32_t i = 0; i < o->n; i++) {
        o->phase[i] = o->is_source[i] ? 0u : number[o->phase[i]];
    }
    o->n_acc = (last + 1u) / 2u;
}

/* Labels become phases. */
static void gspi_offload_read_labels(gspi_offload *o, uint8_t *on_acc, uint32_t n_acc)
{
    for (uint32_t i = 0; i < o->n; i++) {
        o->phase[i] = 0;
        for (uint32_t t = 1; t <= 2u * n_acc; t++) {
            o->phase[i] += o->net.side[gspi_offload_literal(o, i, t, n_acc)] != 0 ? 1u : 0u;
        }
        on_acc[i] = o->phase[i] & 1u;
    }
    gspi_offload_close_gaps(o);
}

/* So many turns of the accelerator at most, for which the network fits. */
static uint32_t gspi_offload_most_turns(const gspi_offload *o)
{
    return (uint32_t)(o->net.most / gspi_offload_per_turn(o->n, o->n_readers, o->resident));
}

/* More turns than these cost more than the best choice. */
static uint32_t gspi_offload_useful_turns(const gspi_offload *o, uint64_t least)
{
    uint64_t const most = o->launch == 0 ? UINT64_MAX : (o->result.time - least) / o->launch;
    uint32_t const all = (o->n + 1u) / 2u;
    return most == 0 ? 1u : most < all ? (uint32_t)most : all;
}

static uint32_t gspi_offload_find_part(uint32_t *part, uint32_t u)
{
    while (part[u] != u) {
        part[u] = part[part[u]];
        u = part[u];
    }
    return u;
}

static void gspi_offload_join(uint32_t *part, uint32_t u, uint32_t with)
{
    part[gspi_offload_find_part(part, u)] = gspi_offload_find_part(part, with);
}

/* The connected parts of subgraphs; 0 for those of whole subgraphs. */
static void gspi_offload_find_parts(gspi_offload *o, const uint8_t *on_acc, int connected)
{
    for (uint32_t i = 0; i < o->n + 2u; i++) {
        o->part[i] = i;
        o->node[i] = GSP_NONE;
    }
    for (uint32_t e = 0; e < o->n_readers && connected; e++) {
        uint32_t const u = o->writer[e];
        uint32_t const r = o->reader[e];
        if (on_acc[r] && on_acc[u] && o->phase[r] == o->phase[u]) {
            gspi_offload_join(o->part, r, u);
        }
    }
    for (uint32_t i = 0; i < o->n && !connected; i++) {
        uint32_t *first = &o->node[o->phase[i]];
        *first = on_acc[i] && *first == GSP_NONE ? i : *first;
        o->part[i] = on_acc[i] ? *first : i;
    }
    for (uint32_t i = 0; i < o->n; i++) {
        o->part[i] = gspi_offload_find_part(o->part, i);
    }
}

/* Moves parts of `at` to the CPU as long as that helps; returns its time. */
static uint64_t gspi_offload_drop_parts(gspi_offload *o, uint64_t time, int connected)
{
    (void)gspi_offload_find_phases(o, o->at);
    gspi_offload_find_parts(o, o->at, connected);
    for (uint32_t p = 0; p < o->n && !gspi_offload_ended(o); p++) {
        int moves = 0;
        if (o->part[p] != p || !o->at[p]) {
            continue;
        }
        gspi_offload_copy(o->other, o->at, o->n);
        for (uint32_t i = 0; i < o->n; i++) {
            if (o->part[i] == p && o->fixed[i] == 0) {
                o->other[i] = 0;
                moves |= o->at[i];
            }
        }
        uint64_t const now = moves ? gspi_offload_attempt(o, o->other) : UINT64_MAX;
        if (now < time) {
            time = now;
            gspi_offload_copy(o->at, o->other, o->n);
        }
    }
    return time;
}

/* In `at` all units of two phases that follow each other choose again; every second pair at once,
 * from `first`. The number of accelerator subgraphs does not grow. */
static uint64_t gspi_offload_choose_again(gspi_offload *o, uint64_t time, uint32_t first)
{
    (void)gspi_offload_find_phases(o, o->at);
    gspi_offload_emit_transfers(o, o->gain);
    for (uint32_t i = 0; i < o->n; i++) {
        if (o->fixed[i] == 0 && (o->phase[i] < first || (o->phase[i] == 2u * o->n_acc && !first))) {
            gsp_network_arc(&o->net, o->node[i], GSP_NETWORK_SINK, GSP_CUT_INFINITE);
        }
    }
    for (uint32_t e = 0; e < o->n_readers; e++) {
        uint32_t const from = first ? o->reader[e] : o->writer[e];
        uint32_t const to = first ? o->writer[e] : o->reader[e];
        if ((o->phase[from] + first) / 2u == (o->phase[to] + first) / 2u) {
            gsp_network_arc(&o->net, o->node[from], o->node[to], GSP_CUT_INFINITE);
        }
    }
    if (!gspi_offload_cut(o)) {
        return time;
    }
    gspi_offload_read_bits(o, o->other);
    uint64_t const now = gspi_offload_attempt(o, o->other);
    if (now < time) {
        time = now;
        gspi_offload_copy(o->at, o->other, o->n);
    }
    return time;
}

/* From `at`. */
static void gspi_offload_improve(gspi_offload *o)
{
    uint64_t before = UINT64_MAX; /* so is the time if no order of subgraphs is possible */
    uint64_t time = gspi_offload_attempt(o, o->at);
    while (time < before && !gspi_offload_ended(o)) {
        before = time;
        time = gspi_offload_drop_parts(o, time, 0);
        time = gspi_offload_drop_parts(o, time, 1);
        time = gspi_offload_choose_again(o, time, 0);
        time = gspi_offload_choose_again(o, time, 1);
    }
}

/* The price of each unit follows the difference of both copies; returns 0 where they agree. Prices
 * stay below 2^63, as no network is cut whose capacities are 2^61 or more together. */
static int gspi_offload_move_prices(gspi_offload *o, uint64_t distance, uint32_t halvings)
{
    uint64_t apart = 0;
    for (uint32_t i = 0; i < o->n; i++) {
        apart += o->at[i] != o->other[i] ? 1u : 0u;
    }
    int64_t const step = apart == 0 ? 0 : (int64_t)((distance / apart) >> halvings);
    for (uint32_t i = 0; i < o->n; i++) {
        o->price[i] += ((int64_t)o->other[i] - (int64_t)o->at[i]) * step;
    }
    return step > 0;
}

/* Raises the lower bound; a network has `turns` of the useful ones. */
static void gspi_offload_raise(
    gspi_offload *o, int64_t bound, uint32_t turns, uint32_t useful, uint64_t least)
{
    uint64_t const beyond = turns < useful ? least + o->launch * (turns + 1u) : UINT64_MAX;
    uint64_t const given = bound < 0 ? 0u : (uint64_t)bound;
    uint64_t const both = given < beyond ? given : beyond;
    o->result.lower_bound = both > o->result.lower_bound ? both : o->result.lower_bound;
}

/* One pair of cuts, with `at` and `other` as their choices; 0 if the work ended. */
static int gspi_offload_cut_both(gspi_offload *o, uint64_t least, int64_t *bound)
{
    uint32_t const useful = gspi_offload_useful_turns(o, least);
    uint32_t const fits = gspi_offload_most_turns(o);
    uint32_t const turns = useful < fits ? useful : fits;
    gspi_offload_emit_transfers(o, o->price);
    int done = gspi_offload_cut(o);
    if (done) {
        gspi_offload_read_bits(o, o->at);
        *bound = (int64_t)(o->base + o->net.value) + gspi_offload_constant_of(o, o->price);
        for (uint32_t i = 0; i < o->n; i++) {
            o->rest[i] = o->gain[i] - o->price[i];
        }
        *bound += gspi_offload_constant_of(o, o->rest);
        gspi_offload_emit_launches(o, o->rest, turns, o->launch);
        done = gspi_offload_cut(o);
        *bound += (int64_t)o->net.value; /* a flow is a bound, also when the work ended */
        gspi_offload_raise(o, *bound, turns, useful, least);
    }
    if (done) {
        gspi_offload_read_labels(o, o->other, turns);
    }
    return done;
}

/* Tries the choice of a network with labels, or UINT64_MAX. */
static uint64_t gspi_offload_try_turns(
    gspi_offload *o, const int64_t *gain, uint32_t turns, uint64_t launch)
{
    gspi_offload_emit_launches(o, gain, turns, launch);
    if (!gspi_offload_cut(o)) {
        return UINT64_MAX;
    }
    gspi_offload_read_labels(o, o->at, turns);
    return o->resident ? gspi_offload_keep(o, o->at, gspi_offload_time_in_phases(o, o->at))
                       : gspi_offload_attempt(o, o->at);
}

/* Few turns of the accelerator: each network with labels leaves transfers to what follows. */
static void gspi_offload_try_few_turns(gspi_offload *o)
{
    static const uint8_t few[] = {1, 2, 3, 4, 6, 8, 10, 12, 15, 20};
    uint64_t const most = o->max_work;
    for (uint32_t i = 0; i < sizeof few && few[i] <= gspi_offload_most_turns(o); i++) {
        o->max_work = most / 2u;
        if (gspi_offload_try_turns(o, o->gain, few[i], 0) != UINT64_MAX && !o->resident) {
            gspi_offload_improve(o);
        }
        o->max_work = most;
    }
}

/* Exact: transfers at each boundary are part of the network with labels. */
static void gspi_offload_search_resident(gspi_offload *o, uint64_t least)
{
    uint32_t const useful = gspi_offload_useful_turns(o, least);
    uint32_t const fits = gspi_offload_most_turns(o);
    uint32_t const turns = useful < fits ? useful : fits;
    if (turns != 0) {
        (void)gspi_offload_try_turns(o, o->gain, turns, o->launch);
        int64_t const bound =
            (int64_t)(o->base + o->net.value) + gspi_offload_constant_of(o, o->gain);
        gspi_offload_raise(o, bound, turns, useful, least);
    }
}

/* Transfers at each boundary are as many as transfers once, or a few more. */
static void gspi_offload_try_resident(gspi_offload *o, uint64_t least)
{
    uint64_t const most = o->max_work;
    uint32_t const useful = gspi_offload_useful_turns(o, least);
    o->resident = 1;
    uint32_t const fits = gspi_offload_most_turns(o);
    uint32_t const turns = useful < fits ? useful : fits;
    o->max_work = most / 4u;
    if (turns != 0) {
        gspi_offload_emit_launches(o, o->gain, turns, o->launch);
    }
    if (turns != 0 && gspi_offload_cut(o)) {
        gspi_offload_read_labels(o, o->at, turns);
        o->resident = 0;
        gspi_offload_improve(o);
    }
    o->resident = 0;
    o->max_work = most;
}

/* a * b / c, rounded down; a < c < 2^61. */
static uint64_t gspi_offload_share(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t quotient = 0;
    uint64_t rest = 0;
    for (uint32_t bit = 64; bit > 0u; bit--) {
        rest = 2u * rest + (b >> (bit - 1u) & 1u) * a;
        quotient = 2u * quotient + rest / c;
        rest %= c;
    }
    return quotient;
}

/* A part gives up at most what it gains. */
static void gspi_offload_share_launch(gspi_offload *o)
{
    uint64_t const launch = o->launch;
    for (uint32_t i = 0; i < o->n; i++) {
        o->rest[i] = 0;
    }
    for (uint32_t i = 0; i < o->n; i++) {
        o->rest[gspi_offload_find_part(o->part, i)] +=
            o->fixed[i] == 0 && o->gain[i] > 0 ? o->gain[i] : 0;
    }
    for (uint32_t i = 0; i < o->n; i++) {
        uint64_t const sum = (uint64_t)o->rest[gspi_offload_find_part(o->part, i)];
        uint64_t const gain = o->fixed[i] == 0 && o->gain[i] > 0 ? (uint64_t)o->gain[i] : 0u;
        o->price[i] =
            o->gain[i] - (int64_t)(launch < sum ? gspi_offload_share(launch, gain, sum) : gain);
    }
}

/* The first prices: one launch is shared by each subgraph of the best choice, and by each part that
 * it leaves on the CPU. */
static void gspi_offload_start_prices(gspi_offload *o)
{
    gspi_offload_copy(o->at, o->best, o->n);
    (void)gspi_offload_find_phases(o, o->at);
    gspi_offload_find_parts(o, o->at, 0);
    for (uint32_t e = 0; e < o->n_readers; e++) {
        uint32_t const u = o->writer[e];
        uint32_t const r = o->reader[e];
        if ((o->at[r] | o->at[u] | o->fixed[r] | o->fixed[u]) == 0) {
            gspi_offload_join(o->part, r, u);
        }
    }
    gspi_offload_share_launch(o);
}

static void gspi_offload_search_once(gspi_offload *o, uint64_t least)
{
    uint32_t halvings = 0;
    uint32_t idle = 0;
    gspi_offload_start_prices(o);
    for (uint32_t i = 0; i < GSPI_OFFLOAD_ITERATIONS && o->result.time > o->result.lower_bound;
         i++) {
        uint64_t const before = o->result.lower_bound;
        uint64_t const best = o->result.time;
        int64_t bound;
        if (!gspi_offload_cut_both(o, least, &bound) ||
            !gspi_offload_move_prices(o, (uint64_t)((int64_t)best - bound), halvings)) {
            break;
        }
        (void)gspi_offload_attempt(o, o->at);
        if (gspi_offload_attempt(o, o->other) < best + best / 50u) {
            gspi_offload_copy(o->at, o->other, o->n);
            gspi_offload_improve(o);
        }
        idle = o->result.lower_bound > before ? 0u : idle + 1u;
        if (idle == 6u) {
            idle = 0;
            halvings++;
        }
    }
}

static void gspi_offload_search(gspi_offload *o)
{
    gspi_offload_emit_transfers(o, o->gain);
    if (gspi_offload_cut(o)) {
        gspi_offload_read_bits(o, o->at);
        (void)gspi_offload_attempt(o, o->at);
    }
    uint64_t const least =
        (uint64_t)((int64_t)(o->base + o->net.value) + gspi_offload_constant_of(o, o->gain));
    o->result.lower_bound = least;
    gspi_offload_improve(o);
    gspi_offload_try_few_turns(o);
    if (o->resident) {
        gspi_offload_search_resident(o, least);
    } else {
        gspi_offload_try_resident(o, least);
        gspi_offload_search_once(o, least);
    }
}

static void gspi_offload_try_extremes(gspi_offload *o)
{
    int pinned = 0;
    for (uint32_t i = 0; i < o->n; i++) {
        o->at[i] = o->fixed[i] != GSPI_OFFLOAD_FIXED_CPU;
        o->other[i] = o->fixed[i] == GSPI_OFFLOAD_FIXED_ACC;
        pinned |= o->other[i];
    }
    uint64_t const least = gspi_offload_attempt(o, o->other);
    o->result.all = gspi_offload_attempt(o, o->at);
    o->result.cpu_only = pinned ? UINT64_MAX : least;
}

static void gspi_offload_find(gspi_offload *o)
{
    gspi_offload_try_extremes(o);
    gspi_offload_search(o);
    for (uint32_t i = 1; i < GSP_OFFLOAD_CURVE; i++) {
        uint64_t const fewer = o->at_most[i - 1u];
        o->at_most[i] = fewer < o->at_most[i] ? fewer : o->at_most[i];
    }
}

/* The time of the given choice. */
static gsp_status gspi_offload_take(gspi_offload *o, gsp_error *err)
{
    const uint8_t *given = o->d->given;
    uint32_t *first = o->part; /* [units] 1 + the first node */
    for (uint32_t u = 0; u < o->n; u++) {
        first[u] = 0;
    }
    for (gsp_node v = 0; v < o->g->n_nodes; v++) {
        uint8_t const on_acc = given[v] == 1u;
        if (!gsp_node_is_callable(o->g, v)) {
            continue;
        }
        uint32_t const unit = o->unit[v];
        gsp_node const other = first[unit] == 0u ? GSP_NONE : first[unit] - 1u;
        int const apart = other != GSP_NONE && o->at[unit] != on_acc;
        if (apart || (on_acc != 0u && o->fixed[unit] == GSPI_OFFLOAD_FIXED_CPU)) {
            return gspi_network_fail(
                err, GSP_STATUS_ARG, GSP_DETAIL_KIND, v, other, GSPI_OFFLOAD_FIELD("given"));
        }
        first[unit] = other == GSP_NONE ? v + 1u : first[unit];
        o->at[unit] = on_acc;
    }
    (void)gspi_offload_attempt(o, o->at);
    return GSP_OK;
}

static void gspi_offload_write(gspi_offload *o, uint8_t *kind, uint32_t *phase)
{
    for (gsp_node v = 0; v < o->g->n_nodes; v++) {
        int const called = gsp_node_is_callable(o->g, v);
        kind[v] = called ? o->best[o->unit[v]] : (uint8_t)GSP_KIND_NONE;
        if (phase != NULL) {
            phase[v] = called ? o->best_phase[o->unit[v]] : GSP_NONE;
        }
    }
    o->result.kind = kind;
    o->result.phase = phase;
    o->result.at_most = o->at_most;
    o->result.work = o->work + o->net.work;
}

static gsp_status gspi_offload_solve(gspi_offload *o, gsp_error *err)
{
    gsp_status status = gspi_offload_check(o, err);
    if (status != GSP_OK) {
        return status;
    }
    gspi_offload_read_units(o);
    gspi_offload_read_tensors(o);
    int const is_small = o->n + o->n_readers < GSPI_OFFLOAD_MOST_SMALL;
    o->max_work = o->d->max_work != 0u ? o->d->max_work : (uint64_t)1u << (is_small ? 28u : 26u);
    if (o->d->given != NULL) {
        status = gspi_offload_take(o, err);
    } else {
        gspi_offload_find(o);
    }
    if (status == GSP_OK && o->result.time == UINT64_MAX) {
        return gspi_network_fail(
            err, GSP_STATUS_CYCLE, GSP_DETAIL_PARTS_CYCLE, GSP_NONE, GSP_NONE, "");
    }
    return status;
}

/* Bytes of the pass without its network. */
static uint64_t gspi_offload_own(gsp_counts c)
{
    gspi_offload o;
    gspi_offload_bump b = {NULL, GSP_BOUND_SLACK};
    (void)gspi_offload_push(&b, 1, sizeof o);
    gspi_offload_layout(&b, &o, c);
    (void)gspi_offload_push(&b, c.nodes, 1);                /* kind */
    (void)gspi_offload_push(&b, c.nodes, sizeof(uint32_t)); /* phase */
    (void)gspi_offload_push(&b, GSP_OFFLOAD_CURVE, sizeof(uint64_t));
    return b.used + GSP_BOUND_ARRAY(0, 1) + GSP_ALIGN;
}

size_t gsp_offload_bound(const gsp_graph *graph, const gsp_offload_desc *desc)
{
    gsp_counts const c = gsp_graph_counts(graph);
    size_t const network = gsp_network_bound(gspi_offload_arcs(c, desc));
    uint64_t const all = network == SIZE_MAX ? UINT64_MAX : network + gspi_offload_own(c);
    return all < SIZE_MAX ? (size_t)all : SIZE_MAX;
}

/* A condition that no input makes; `make cov` does not count it. */
#define GSPI_OFFLOAD_NEVER(x) (x)

/* Room for a run, in an arena with as many bytes as the bound. */
static gspi_offload *gspi_offload_open(
    gsp_arena *arena, const gsp_graph *g, const gsp_offload_desc *d)
{
    gspi_offload_bump b = {arena, 0};
    gsp_counts const c = gsp_graph_counts(g);
    gspi_offload *o = (gspi_offload *)gspi_offload_push(&b, 1, sizeof(gspi_offload));
    uint32_t const most = gspi_offload_arcs(c, d);
    size_t const bytes = gsp_network_bound(most);
    if (GSPI_OFFLOAD_NEVER(o == NULL)) { /* analysers see no room */
        return NULL;
    }
    gspi_offload_layout(&b, o, c);
    o->at_most = (uint64_t *)gsp_arena_push(arena, GSP_OFFLOAD_CURVE, sizeof(uint64_t));
    for (uint32_t i = 0; i < GSP_OFFLOAD_CURVE; i++) {
        o->at_most[i] = UINT64_MAX;
    }
    gsp_arena_init(&o->arena, gsp_arena_push_high(arena, bytes, 1), bytes);
    (void)gsp_network_init(&o->arena, most, &o->net, NULL); /* it fits */
    o->g = g;
    o->d = d;
    o->launch = d->launch;
    o->resident = d->resident;
    o->result.time = UINT64_MAX;
    return o;
}

/* The first required array that is missing, or NULL. */
static const char *gspi_offload_lacks(const gsp_offload_desc *d)
{
    return d->kind == NULL  ? GSPI_OFFLOAD_FIELD("kind")
           : d->cpu == NULL ? GSPI_OFFLOAD_FIELD("cpu")
           : d->acc == NULL ? GSPI_OFFLOAD_FIELD("acc")
                            : NULL;
}

gsp_status gsp_offload_run(gsp_arena *arena, const gsp_graph *graph, const gsp_offload_desc *desc,
    gsp_offload_result *result, gsp_error *err)
{
    if (arena == NULL || graph == NULL || desc == NULL || result == NULL) {
        const char *field = GSPI_OFFLOAD_FIELD("result");
        field = desc == NULL ? GSPI_OFFLOAD_FIELD("desc") : field;
        field = graph == NULL ? GSPI_OFFLOAD_FIELD("graph") : field;
        return gspi_network_missing(err, arena == NULL ? GSPI_OFFLOAD_FIELD("arena") : field);
    }
    if (desc->start_canary != 0u || desc->end_canary != 0u) {
        return gspi_network_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE, GSP_NONE, "");
    }
    if (gspi_offload_lacks(desc) != NULL) {
        return gspi_network_missing(err, gspi_offload_lacks(desc));
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_status status = gspi_network_room(arena, gsp_offload_bound(graph, desc), err);
    if (status != GSP_OK) {
        return status;
    }
    gspi_offload *o = gspi_offload_open(arena, graph, desc);
    if (GSPI_OFFLOAD_NEVER(o == NULL)) {
        return gspi_network_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, GSP_NONE, "");
    }
    uint8_t *kind = (uint8_t *)gsp_arena_push(arena, graph->n_nodes, 1);
    uint32_t *phase = NULL;
    if (desc->resident != 0u) {
        phase = (uint32_t *)gsp_arena_push(arena, graph->n_nodes, sizeof(uint32_t));
    }
    status = gspi_offload_solve(o, err);
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    gspi_offload_write(o, kind, phase);
    *result = o->result;
    mark.low = gsp_arena_mark(arena).low; /* the results stay */
    gsp_arena_rewind(arena, mark);
    return GSP_OK;
}

#endif /* GSP_NO_FLOW */

#ifdef __cplusplus
}
#endif

GSPI_OFFLOAD_END

#endif /* GRAPHSPLIT_OFFLOAD_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_OFFLOAD_IMPLEMENTATION */
