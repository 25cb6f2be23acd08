/* graphsplit_offload.h - an add-on of graphsplit.h: what is worth offloading, in least time
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Assigns nodes to the CPU or to accelerators in least time, with launches and transfers, and a
 * lower bound: one thing after the other, or all devices at work at the same time. Needs
 * graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_OFFLOAD_IMPLEMENTATION
 *     #include "graphsplit_offload.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 * With GSP_NO_FLOW there are no minimum cuts, and this header is empty. Bounds of sides and overlap
 * are floating point; with GSP_NO_COST both are left out.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>network            Minimum cuts of a network that is built arc by arc
 *     >>offload            The CPU or the accelerator, in least time
 *     >>sides              The CPU or one of several accelerators, in least time
 *     >>overlap            The CPU and accelerators at work at the same time
 *     >>impl               Implementation guard
 *
 *     gsp_network_cut              as gsp_min_cut_run()        73 per arc
 *     gsp_offload_run              desc.max_work               79 per node, 8 per edge, 73 per arc
 *     gsp_sides_run                desc.max_work               87 and 8 per kind for a node, 20 per
 *                                                              edge; with a search 58, 1 per kind,
 *                                                              73 per arc more
 *     gsp_overlap_run              desc.max_work               645, 29 per kind, for a node, 184
 *                                                              per edge, 73 per arc, 90000
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
    uint64_t max_work;    /* arcs scanned, nodes visited; 0 means 2^40 / (nodes + edges), from
                             2^25 to 2^28 */
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

#ifndef GSP_NO_COST

/* ----
 * >>sides   The CPU or one of several accelerators, in least time (API)
 * ---- */

/* A problem. A value moves by way of the CPU's memory: out of the accelerator that makes it, once,
 * and into each other one that reads it, once. Placeholders and the returned values are on the CPU.
 * All times together are below 2^58 ticks. */
typedef struct gsp_sides_desc {
    uint32_t start_canary;
    uint32_t n_kinds;             /* 1 to 255; kind 0 is the CPU */
    const uint8_t *const *can;    /* [n_kinds] of [n] 1 if the node may be there; required */
    const uint64_t *const *ticks; /* [n_kinds] of [n] of callable nodes; required */
    const uint64_t *launch;       /* [n_kinds] ticks per subgraph of an accelerator; NULL means 0 */
    const uint64_t *move;         /* [n] ticks of the value into or out of one; NULL means 0 */
    const uint32_t *group;        /* [n] as in gsp_offload_desc, or NULL */
    const uint8_t *const *starts; /* [n_starts] of [n] kinds of choices that compete */
    uint32_t n_starts;
    uint32_t max_arcs;    /* as in gsp_offload_desc */
    uint64_t max_work;    /* arcs scanned, nodes visited; 0 means 2^27 */
    const uint8_t *given; /* [n] kinds of a choice that is timed, without a search; or NULL */
    uint32_t end_canary;
} gsp_sides_desc;

/* The best choice found, or the given one. A subgraph is one of an accelerator. */
typedef struct gsp_sides_result {
    const uint8_t *kind;   /* [n] for gsp_placement: below n_kinds; GSP_KIND_NONE if not callable */
    const uint32_t *phase; /* [n] for gsp_split_desc */
    uint64_t time;         /* ticks */
    uint64_t lower_bound;  /* no choice takes less; `time` if that is proved; 0 if one is given */
    uint64_t reference;    /* ticks of the first start; without one, `time` */
    uint64_t cpu_only;     /* ticks without accelerators; UINT64_MAX if a node cannot be there */
    uint64_t work;
    uint32_t n_subgraphs;
} gsp_sides_result;

/* gsp_sides_bound: bytes for the run; few if a choice is given. Time: O(kinds). */
GSP_API size_t gsp_sides_bound(const gsp_graph *graph, const gsp_sides_desc *desc);

/* gsp_sides_run: kinds of least time, one thing after the other; or the time of given ones.
 *
 * What:    Nodes of a group, and of groups that read each other in turns, stay together. They are
 *          on the CPU if no kind can have all of them. In a start, those that are apart, or where
 *          they cannot be, are on the first kind that can have them. The result is never worse than
 *          a start, than the CPU or than one accelerator alone. With two kinds and no launch times
 *          it is exact unless the work ends; else the bound is that of a Lagrangian relaxation,
 *          and choices come from its cuts and from alpha expansions
 * Errors:  ARG (NULL_ARGUMENT; KIND: no kinds, or 256), DESC (CANARY); after NOMEM: ARG (RANGE:
 *          group of a node; KIND: of a node in a start, or in the given choice), OVERFLOW (SIZE:
 *          2^58 ticks or more)
 * Time:    max_work; O(kinds * nodes + edges) if a choice is given
 * Memory:  the bound
 * Example: examples/sides.c
 * See:     Boykov, Veksler, Zabih 2001 (alpha expansion); Held, Wolfe, Crowder 1974 (multipliers)
 */
GSP_API gsp_status gsp_sides_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_sides_desc *desc, gsp_sides_result *result, gsp_error *err);

/* ----
 * >>overlap   The CPU and accelerators at work at the same time (API)
 * ---- */

/* What a step does. */
typedef enum gsp_overlap_what {
    GSP_OVERLAP_NODE,   /* runs a node */
    GSP_OVERLAP_LAUNCH, /* launches an accelerator */
    GSP_OVERLAP_OUT,    /* moves the value of a node out of an accelerator, */
    GSP_OVERLAP_IN,     /* or into one */
    GSP_OVERLAP_COUNT,
    GSP_OVERLAP_FORCE_U32 = 0x7FFFFFFF
} gsp_overlap_what;

/* Something that a resource does: kinds 0 to n_kinds - 1, then the channels of kinds from 1 on. */
typedef struct gsp_overlap_step {
    uint64_t begin; /* ticks */
    uint64_t end;
    uint32_t what;     /* gsp_overlap_what */
    uint32_t resource; /* also of a node of no time, which waits for it */
    gsp_node node;     /* GSP_NONE of a launch */
} gsp_overlap_step;

/* The shortest schedule found, or that of the given choice. */
typedef struct gsp_overlap_result {
    const uint8_t *kind;           /* this and the next as in gsp_sides_result */
    const uint32_t *phase;         /* of one thing after the other */
    const gsp_overlap_step *steps; /* [n_steps] by begin */
    const uint64_t *busy;          /* [n_resources] ticks */
    uint32_t n_steps;
    uint32_t n_resources;
    uint64_t makespan;    /* ticks */
    uint64_t path;        /* bounds of any choice: the longest path, */
    uint64_t share;       /* the best division of the work and of what moves, */
    uint64_t lower_bound; /* and the larger one; `makespan` if that is proved */
    uint64_t reference;   /* makespan of the first start; without one, of the result */
    uint64_t work;
    uint32_t n_subgraphs; /* of one thing after the other */
} gsp_overlap_result;

/* gsp_overlap_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_overlap_bound(const gsp_graph *graph, const gsp_sides_desc *desc);

/* gsp_overlap_run: kinds and a schedule so that all nodes end early, or a schedule of given kinds.
 *
 * What:    The CPU, each accelerator and a channel of each do one thing at a time, all of them at
 *          the same time. An accelerator is launched as often as a path enters it; a node runs
 *          after as many launches as paths to it need, and one of no time waits for its device as
 *          well. Lists by several priorities make schedules; units move from the starts or the
 *          CPU, and two simple choices, while that is of use. All choices and active schedules of
 *          a small graph are seen. Starts as in gsp_sides_run(): its result is a good one. Bounds
 *          are the longest path, on which values take the best way, and weighted means of the work
 *          of all resources, which are minimum cuts
 * Errors:  as gsp_sides_run()
 * Time:    max_work. Memory: the bound
 * Example: examples/overlap.c
 * See:     Giffler, Thompson 1960 (active schedules)
 */
GSP_API gsp_status gsp_overlap_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_sides_desc *desc, gsp_overlap_result *result, gsp_error *err);

#endif /* GSP_NO_COST */
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
#define GSPI_OFFLOAD_WORK       ((uint64_t)1u << 40u) /* of units and readers, by default */
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

/* Arcs for which a network has room; 0 as `max_arcs` is the default. */
static uint32_t gspi_offload_most_arcs(gsp_counts c, uint32_t max_arcs)
{
    uint64_t const n = (uint64_t)c.nodes + 3u;
    uint64_t const linear = 6u * (n + c.edges) + 2u;
    uint64_t const turn = gspi_offload_per_turn(n, c.edges, 1);
    uint64_t const most = max_arcs == 0u ? GSPI_OFFLOAD_MOST_ARCS : max_arcs;
    uint64_t const labels = turn < most / n ? turn * n : most;
    uint64_t const larger = linear > labels ? linear : labels;
    return larger < GSP_NONE ? (uint32_t)larger : GSP_NONE;
}

/* None for a given choice. */
static uint32_t gspi_offload_arcs(gsp_counts c, const gsp_offload_desc *d)
{
    return d == NULL          ? gspi_offload_most_arcs(c, 0)
           : d->given != NULL ? 0u
                              : gspi_offload_most_arcs(c, d->max_arcs);
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

static uint64_t gspi_offload_default_work(const gspi_offload *o)
{
    uint64_t const work = GSPI_OFFLOAD_WORK / ((uint64_t)o->n + o->n_readers + 1u);
    return work > (uint64_t)1u << 28u   ? (uint64_t)1u << 28u
           : work < (uint64_t)1u << 25u ? (uint64_t)1u << 25u
                                        : work;
}

GSPI_OFFLOAD_OWN_FRAME gsp_status gspi_offload_solve(gspi_offload *o, gsp_error *err)
{
    gsp_status status = gspi_offload_check(o, err);
    if (status != GSP_OK) {
        return status;
    }
    gspi_offload_read_units(o);
    gspi_offload_read_tensors(o);
    o->max_work = o->d->max_work != 0u ? o->d->max_work : gspi_offload_default_work(o);
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

/* Bytes of a run whose network has room for so many arcs. */
static size_t gspi_offload_bytes(gsp_counts c, uint32_t n_arcs)
{
    size_t const network = gsp_network_bound(n_arcs);
    uint64_t const all = network == SIZE_MAX ? UINT64_MAX : network + gspi_offload_own(c);
    return all < SIZE_MAX ? (size_t)all : SIZE_MAX;
}

size_t gsp_offload_bound(const gsp_graph *graph, const gsp_offload_desc *desc)
{
    gsp_counts const c = gsp_graph_counts(graph);
    return gspi_offload_bytes(c, gspi_offload_arcs(c, desc));
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

#ifndef GSP_NO_COST

/* ----
 * >>sides   The CPU or one of several accelerators, in least time (implementation)
 * ---- */

/* Every value moves by way of the CPU's memory, so that the time is a sum over accelerators of what
 * two kinds would take, this one or elsewhere, in which a unit is on one of them at most. With a
 * multiplier per unit for that (Lagrange), each term is a minimum cut, and the sum of the cuts is a
 * lower bound. Choices come from those cuts, and from moves of any set of units to one kind, which
 * are minimum cuts, too (alpha expansion). */

#define GSPI_SIDES_NEVER    UINT64_MAX /* ticks where a unit cannot be */
#define GSPI_SIDES_WORK     ((uint64_t)1u << 27u)
#define GSPI_SIDES_TIME     ((uint64_t)1u << 57u) /* in networks */
#define GSPI_SIDES_ARCS     ((uint32_t)1u << 24u)
#define GSPI_SIDES_SMALL    1000u /* units of a graph in which moves may take long from the start */
#define GSPI_SIDES_STEPS    150u  /* of the multipliers */
#define GSPI_SIDES_LAUNCHES 8u    /* of them with launches */
#define GSPI_SIDES_IDLE     6u    /* steps after which they become shorter */
#define GSPI_SIDES_WITHIN   50u   /* improved if so small a part above the best */

/* Rows of numbers. */
typedef struct gspi_sides_rows {
    uint32_t *begin; /* [n + 1] */
    uint32_t *at;
} gspi_sides_rows;

/* A value that other units read, or the return. */
typedef struct gspi_sides_value {
    uint64_t move;
    uint32_t unit;  /* that makes it; n: a placeholder */
    uint32_t begin; /* into readers */
    uint32_t end;
} gspi_sides_value;

/* Units are numbered in an order that works. */
typedef struct gspi_sides { /* not on the stack */
    const gsp_graph *g;
    const gsp_sides_desc *d;
    uint32_t kinds;
    uint32_t n;
    uint32_t n_values;
    uint32_t n_readers;
    uint32_t n_subgraphs; /* of accelerators, of the choice that was timed last */
    uint32_t has_launch;
    uint64_t most; /* no choice takes more */
    uint64_t work;
    uint32_t *unit;  /* [nodes] n if not called, on the CPU; GSP_NONE of an attribute */
    uint64_t *ticks; /* [n * kinds] */
    gspi_sides_value *values;
    uint32_t *readers;      /* units, or n for the return */
    gspi_sides_rows before; /* [n] */
    gspi_sides_rows after;
    uint32_t *phase; /* [n] of the choice that was timed last */
    uint8_t *at;     /* [n] that is tried */
    uint8_t *best;   /* [n] */
    uint32_t *ready; /* [kinds] the first unit of those that may run, or GSP_NONE */
    uint32_t *waits; /* [nodes], as all that follow, but for the pairs: [edges] */
    uint32_t *next;
    uint32_t *trial;
    uint32_t *mark;
    uint32_t *end;
    uint32_t *cursor;
    uint32_t *first;
    uint32_t *whole;
    uint64_t *tail;
    uint32_t *from;
    uint32_t *to;
    uint8_t *result_kind;
    uint32_t *result_phase;
    gsp_mark start; /* of the arena, before the run */
} gspi_sides;

static uint64_t gspi_sides_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t gspi_sides_times(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static void gspi_sides_fill(uint32_t *row, uint64_t n, uint32_t value)
{
    for (uint64_t i = 0; i < n; i++) {
        row[i] = value;
    }
}

static void gspi_sides_copy(uint32_t *to, const uint32_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = from[i];
    }
}

static uint64_t gspi_sides_launch(const gspi_sides *x, uint32_t kind)
{
    return x->d->launch == NULL || kind == 0 ? 0u : x->d->launch[kind];
}

static uint64_t gspi_sides_move(const gspi_sides *x, gsp_node v)
{
    return x->d->move == NULL ? 0u : x->d->move[v];
}

static uint64_t gspi_sides_ticks(const gspi_sides *x, uint32_t u, uint32_t kind)
{
    return x->ticks[(size_t)u * x->kinds + kind];
}

static int gspi_sides_can(const gspi_sides *x, uint32_t u, uint32_t kind)
{
    return gspi_sides_ticks(x, u, kind) != GSPI_SIDES_NEVER;
}

/* This kind if the unit can be there, else the first one where it can. */
static uint8_t gspi_sides_settle(const gspi_sides *x, uint32_t u, uint32_t kind)
{
    if (!gspi_sides_can(x, u, kind)) {
        kind = 0;
        while (!gspi_sides_can(x, u, kind)) {
            kind++;
        }
    }
    return (uint8_t)kind;
}

static void gspi_sides_layout(gspi_offload_bump *b, gspi_sides *x, gsp_counts c)
{
    uint64_t const n = (uint64_t)c.nodes + 2u;
    uint64_t const edges = (uint64_t)c.edges + 1u;
    uint32_t **const nodes[] = {&x->unit, &x->before.begin, &x->after.begin, &x->phase, &x->waits,
        &x->next, &x->trial, &x->mark, &x->end, &x->cursor, &x->first, &x->whole};
    uint32_t **const pairs[] = {&x->readers, &x->before.at, &x->after.at, &x->from, &x->to};
    for (uint32_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
        *nodes[i] = (uint32_t *)gspi_offload_push(b, n, sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        *pairs[i] = (uint32_t *)gspi_offload_push(b, edges, sizeof(uint32_t));
    }
    x->ready = (uint32_t *)gspi_offload_push(b, x->kinds, sizeof(uint32_t));
    x->tail = (uint64_t *)gspi_offload_push(b, n, sizeof(uint64_t));
    x->ticks = (uint64_t *)gspi_offload_push(b, n * x->kinds, sizeof(uint64_t));
    x->values = (gspi_sides_value *)gspi_offload_push(b, n, sizeof(gspi_sides_value));
    x->at = (uint8_t *)gspi_offload_push(b, n, 1);
    x->best = (uint8_t *)gspi_offload_push(b, n, 1);
}

/* ---- Units ---- */

/* Rows 0 to n - 1 of `to` by `from`, each number once per row, in the order of the pairs. */
static void gspi_sides_make_rows(gspi_sides *x, uint32_t n, uint32_t n_pairs, gspi_sides_rows *rows)
{
    uint32_t *end = x->end;
    uint32_t kept = 0;
    uint32_t begin = 0;
    gspi_sides_fill(end, (uint64_t)n + 1u, 0);
    gspi_sides_fill(x->mark, (uint64_t)x->g->n_nodes + 1u, 0);
    for (uint32_t i = 0; i < n_pairs; i++) {
        end[x->from[i] + 1u]++;
    }
    for (uint32_t k = 0; k < n; k++) {
        end[k + 1u] += end[k];
    }
    for (uint32_t i = 0; i < n_pairs; i++) {
        rows->at[end[x->from[i]]++] = x->to[i];
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t const last = end[k];
        rows->begin[k] = kept;
        for (; begin < last; begin++) {
            uint32_t const at = rows->at[begin];
            if (x->mark[at] != k + 1u) {
                x->mark[at] = k + 1u;
                rows->at[kept++] = at;
            }
        }
    }
    rows->begin[n] = kept;
}

/* The search for strongly connected components (Tarjan 1972). Components of what a node reads have
 * lower numbers. */
typedef struct gspi_sides_tarjan {
    uint32_t *index;  /* [n] 0 if not seen */
    uint32_t *low;    /* [n] */
    uint32_t *open;   /* stack of those without component, */
    uint32_t *path;   /* and of the search, */
    uint32_t *cursor; /* with the next entry of a row */
    uint32_t n_open;
    uint32_t n_path;
    uint32_t n_seen;
    uint32_t n_made;
} gspi_sides_tarjan;

static void gspi_sides_enter(const gspi_sides *x, gspi_sides_tarjan *t, uint32_t v)
{
    t->index[v] = t->low[v] = ++t->n_seen;
    t->cursor[v] = x->before.begin[v];
    t->open[t->n_open++] = v;
    t->path[t->n_path++] = v;
}

static void gspi_sides_leave(const gspi_sides *x, gspi_sides_tarjan *t, uint32_t v)
{
    t->n_path--;
    if (t->n_path > 0 && t->low[v] < t->low[t->path[t->n_path - 1u]]) {
        t->low[t->path[t->n_path - 1u]] = t->low[v];
    }
    if (t->low[v] == t->index[v]) {
        uint32_t at;
        do {
            at = t->open[--t->n_open];
            x->unit[at] = t->n_made;
        } while (at != v);
        t->n_made++;
    }
}

/* Components of `before`, into `unit`. Returns how many there are. */
static uint32_t gspi_sides_components(gspi_sides *x)
{
    uint32_t const n = x->g->n_nodes;
    gspi_sides_tarjan t = {x->waits, x->next, x->phase, x->trial, x->cursor, 0, 0, 0, 0};
    gspi_sides_fill(t.index, n, 0);
    gspi_sides_fill(x->unit, n, GSP_NONE);
    for (uint32_t root = 0; root < n; root++) {
        if (t.index[root] == 0) {
            gspi_sides_enter(x, &t, root);
        }
        while (t.n_path > 0) {
            uint32_t const at = t.path[t.n_path - 1u];
            uint32_t const to =
                t.cursor[at] < x->before.begin[at + 1u] ? x->before.at[t.cursor[at]++] : GSP_NONE;
            if (to == GSP_NONE) {
                gspi_sides_leave(x, &t, at);
            } else if (t.index[to] == 0) {
                gspi_sides_enter(x, &t, to);
            } else if (t.index[to] < t.low[at] && x->unit[to] == GSP_NONE) {
                t.low[at] = t.index[to];
            }
        }
    }
    return t.n_made;
}

/* Pairs of a node, or the first of its group, and of what it reads. Returns how many. */
static uint32_t gspi_sides_join_groups(gspi_sides *x)
{
    uint32_t n_pairs = 0;
    for (gsp_node v = 0; v < x->g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(x->g, v, &n);
        int const called = gsp_node_is_callable(x->g, v);
        uint32_t const group = called && x->d->group != NULL ? x->d->group[v] : GSP_NONE;
        x->whole[v] = v;
        if (group != GSP_NONE) {
            x->first[group] = x->first[group] != 0 ? x->first[group] : v + 1u;
            x->whole[v] = x->first[group] - 1u;
        }
        for (uint32_t i = 0; i < n && called; i++) {
            x->from[n_pairs] = x->whole[v];
            x->to[n_pairs++] = x->whole[in[i]];
        }
    }
    return n_pairs;
}

/* Nodes of one group, and of groups that read each other in turns, are one unit. */
static void gspi_sides_number_units(gspi_sides *x)
{
    uint32_t const n = x->g->n_nodes;
    gspi_sides_make_rows(x, n, gspi_sides_join_groups(x), &x->before);
    uint32_t const n_rows = gspi_sides_components(x);
    gspi_sides_fill(x->first, n, 0);
    for (gsp_node v = 0; v < n; v++) {
        x->unit[v] = x->unit[x->whole[v]];
        x->first[x->unit[v]] |= gsp_node_is_callable(x->g, v) ? 1u : 0u;
    }
    for (uint32_t i = 0; i < n_rows; i++) { /* components become units */
        x->first[i] = x->first[i] != 0 ? x->n++ : GSP_NONE;
    }
    for (gsp_node v = 0; v < n; v++) {
        x->unit[v] = gsp_node_op(x->g, v) == GSP_OP_GET_ATTR ? GSP_NONE
                     : gsp_node_is_callable(x->g, v)         ? x->first[x->unit[v]]
                                                             : x->n;
    }
}

/* A unit that could be nowhere is on the CPU, as elsewhere a group with a node that must be. */
static void gspi_sides_settle_unit(gspi_sides *x, uint32_t u)
{
    uint64_t *row = &x->ticks[(size_t)u * x->kinds];
    uint64_t most = 0;
    int any = 0;
    for (uint32_t p = 0; p < x->kinds; p++) {
        any |= row[p] != GSPI_SIDES_NEVER;
        most = row[p] != GSPI_SIDES_NEVER && row[p] > most ? row[p] : most;
    }
    row[0] = any ? row[0] : x->tail[u];
    x->most = gspi_sides_add(x->most, any ? most : x->tail[u]);
}

static void gspi_sides_sum_ticks(gspi_sides *x)
{
    const gsp_sides_desc *d = x->d;
    for (gsp_node v = 0; v < x->g->n_nodes; v++) {
        uint32_t const u = x->unit[v];
        if (!gsp_node_is_callable(x->g, v)) {
            continue;
        }
        x->tail[u] = gspi_sides_add(x->tail[u], d->ticks[0][v]);
        for (uint32_t p = 0; p < x->kinds; p++) {
            uint64_t *sum = &x->ticks[(size_t)u * x->kinds + p];
            *sum = d->can[p][v] != 0 ? gspi_sides_add(*sum, d->ticks[p][v]) : GSPI_SIDES_NEVER;
        }
    }
    for (uint32_t u = 0; u < x->n; u++) {
        gspi_sides_settle_unit(x, u);
    }
}

/* Readers in other units, each once; `mark` has the last value that a unit reads. */
static void gspi_sides_add_value(gspi_sides *x, gsp_node v)
{
    gspi_sides_value *made = &x->values[x->n_values];
    uint32_t n;
    const gsp_node *users = gsp_node_users(x->g, v, &n);
    made->unit = x->unit[v];
    made->move = gspi_sides_move(x, v);
    made->begin = made->end = x->n_readers;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const reader = x->unit[users[i]];
        if (reader != made->unit && x->mark[reader] != v + 1u) {
            x->mark[reader] = v + 1u;
            x->readers[made->end++] = reader;
        }
    }
    if (made->end == made->begin) {
        return;
    }
    uint64_t const times = (uint64_t)(made->end - made->begin) + 1u;
    x->n_readers = made->end;
    x->n_values++;
    x->most = gspi_sides_add(x->most, gspi_sides_times(made->move, times));
}

static void gspi_sides_list_values(gspi_sides *x)
{
    uint32_t n = 0;
    gspi_sides_fill(x->mark, (uint64_t)x->n + 1u, 0);
    for (gsp_node v = 0; v < x->g->n_nodes; v++) {
        if (x->unit[v] != GSP_NONE) {
            gspi_sides_add_value(x, v);
        }
    }
    for (uint32_t i = 0; i < x->n_values; i++) {
        const gspi_sides_value *value = &x->values[i];
        for (uint32_t k = value->begin; k < value->end && value->unit != x->n; k++) {
            x->to[n] = value->unit;
            x->from[n] = x->readers[k];
            n += x->readers[k] != x->n ? 1u : 0u;
        }
    }
    gspi_sides_make_rows(x, x->n, n, &x->before);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const from = x->from[i];
        x->from[i] = x->to[i];
        x->to[i] = from;
    }
    gspi_sides_make_rows(x, x->n, n, &x->after);
}

/* Units where all their nodes are. */
static void gspi_sides_enter_choice(gspi_sides *x, const uint8_t *kind)
{
    for (gsp_node v = x->g->n_nodes; v > 0; v--) {
        if (gsp_node_is_callable(x->g, v - 1u)) {
            x->at[x->unit[v - 1u]] = kind[v - 1u];
        }
    }
    for (gsp_node v = 0; v < x->g->n_nodes; v++) {
        if (gsp_node_is_callable(x->g, v) && x->at[x->unit[v]] != kind[v]) {
            x->at[x->unit[v]] = 0;
        }
    }
    for (uint32_t u = 0; u < x->n; u++) {
        x->at[u] = gspi_sides_settle(x, u, x->at[u]);
    }
}

/* ---- The order of subgraphs ---- */

/* Which accelerator runs next, of those with units that are ready. */
typedef enum gspi_sides_rule {
    GSPI_SIDES_LONGEST,
    GSPI_SIDES_FIRST,
    GSPI_SIDES_LAST,
    GSPI_SIDES_TURNS,
    GSPI_SIDES_RULES
} gspi_sides_rule;

/* The launches on paths that begin behind a unit. */
static void gspi_sides_measure_tails(gspi_sides *x, const uint8_t *at)
{
    for (uint32_t u = x->n; u > 0; u--) {
        uint64_t most = 0;
        for (uint32_t e = x->after.begin[u - 1u]; e < x->after.begin[u]; e++) {
            uint32_t const v = x->after.at[e];
            uint64_t const step =
                at[v] != at[u - 1u] && at[v] != 0 ? gspi_sides_launch(x, at[v]) + 1u : 0u;
            most = x->tail[v] + step > most ? x->tail[v] + step : most;
        }
        x->tail[u - 1u] = most;
    }
}

/* The longest tail of the units of a kind that are ready. */
static uint64_t gspi_sides_longest(const gspi_sides *x, uint32_t kind)
{
    uint64_t longest = 0;
    for (uint32_t u = x->ready[kind]; u != GSP_NONE; u = x->next[u]) {
        longest = x->tail[u] > longest ? x->tail[u] : longest;
    }
    return longest;
}

/* An accelerator, or 0 if none has units that are ready. */
static uint32_t gspi_sides_pick(const gspi_sides *x, gspi_sides_rule rule, uint32_t last)
{
    uint32_t const n = x->kinds;
    uint32_t best = 0;
    uint64_t most = 0;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t const p = rule == GSPI_SIDES_TURNS ? 1u + (last + i - 1u) % (n - 1u) : i;
        uint64_t const longest = rule == GSPI_SIDES_LONGEST ? gspi_sides_longest(x, p) : 0u;
        if (x->ready[p] != GSP_NONE && (best == 0 || rule == GSPI_SIDES_LAST || longest > most)) {
            best = p;
            most = longest;
        }
    }
    return best;
}

static void gspi_sides_put_ready(gspi_sides *x, const uint8_t *at, uint32_t u)
{
    x->next[u] = x->ready[at[u]];
    x->ready[at[u]] = u;
}

/* Runs all units of a kind that are ready, or become so. */
static void gspi_sides_run_phase(gspi_sides *x, const uint8_t *at, uint32_t kind, uint32_t phase)
{
    while (x->ready[kind] != GSP_NONE) {
        uint32_t const u = x->ready[kind];
        x->ready[kind] = x->next[u];
        x->trial[u] = phase;
        for (uint32_t e = x->after.begin[u]; e < x->after.begin[u + 1u]; e++) {
            if (--x->waits[x->after.at[e]] == 0) {
                gspi_sides_put_ready(x, at, x->after.at[e]);
            }
        }
    }
}

/* Runs all that is ready on the CPU, then on an accelerator, and so on. Returns the launches. */
static uint64_t gspi_sides_run_phases(
    gspi_sides *x, const uint8_t *at, gspi_sides_rule rule, uint32_t *n_subgraphs)
{
    uint32_t phase = 0;
    uint32_t kind = 0;
    uint64_t sum = 0;
    gspi_sides_fill(x->ready, x->kinds, GSP_NONE);
    *n_subgraphs = 0;
    for (uint32_t u = x->n; u > 0; u--) {
        x->waits[u - 1u] = x->before.begin[u] - x->before.begin[u - 1u];
        if (x->waits[u - 1u] == 0) {
            gspi_sides_put_ready(x, at, u - 1u);
        }
    }
    do {
        gspi_sides_run_phase(x, at, kind, phase);
        phase++;
        kind = x->ready[0] != GSP_NONE ? 0u : gspi_sides_pick(x, rule, kind);
        sum += gspi_sides_launch(x, kind);
        *n_subgraphs += kind != 0 ? 1u : 0u;
    } while (kind != 0 || x->ready[0] != GSP_NONE);
    x->work += 4u * (uint64_t)x->n + 2u * x->after.begin[x->n];
    return sum;
}

/* The launches of the best rule, whose phases stay. */
static uint64_t gspi_sides_least_launches(gspi_sides *x, const uint8_t *at)
{
    uint32_t const rules = x->has_launch && x->kinds > 2u ? (uint32_t)GSPI_SIDES_RULES : 1u;
    uint64_t least = UINT64_MAX;
    gspi_sides_measure_tails(x, at);
    for (uint32_t r = 0; r < rules; r++) {
        uint32_t n_subgraphs;
        uint64_t const sum = gspi_sides_run_phases(x, at, (gspi_sides_rule)r, &n_subgraphs);
        if (sum < least) {
            uint32_t *const other = x->phase;
            x->phase = x->trial;
            x->trial = other;
            x->n_subgraphs = n_subgraphs;
            least = sum;
        }
    }
    return least;
}

/* ---- Times ---- */

/* How often a value moves: out, and into each kind. */
static uint64_t gspi_sides_moves(
    const gspi_sides *x, const gspi_sides_value *value, const uint8_t *at)
{
    uint64_t seen[4] = {0};
    uint32_t const from = value->unit == x->n ? 0u : at[value->unit];
    uint64_t n = 0;
    for (uint32_t k = value->begin; k < value->end; k++) {
        uint32_t const to = x->readers[k] == x->n ? 0u : at[x->readers[k]];
        if (to != from && (seen[to / 64u] >> (to % 64u) & 1u) == 0) {
            seen[to / 64u] |= (uint64_t)1u << (to % 64u);
            n += to != 0 ? 1u : 0u;
            seen[0] |= 1u; /* by way of the CPU's memory */
        }
    }
    return n + (from != 0 ? seen[0] & 1u : 0u);
}

/* Ticks of a choice, one thing after the other. */
GSPI_OFFLOAD_OWN_FRAME uint64_t gspi_sides_time(gspi_sides *x, const uint8_t *at)
{
    uint64_t sum = gspi_sides_least_launches(x, at);
    for (uint32_t u = 0; u < x->n; u++) {
        sum += gspi_sides_ticks(x, u, at[u]);
    }
    for (uint32_t i = 0; i < x->n_values; i++) {
        sum += x->values[i].move * gspi_sides_moves(x, &x->values[i], at);
    }
    x->work += x->n_readers;
    return sum;
}

/* ---- Networks ---- */

typedef struct gspi_sides_search { /* not on the stack */
    gspi_sides *x;
    gsp_arena arena;  /* of the network or of the search for two kinds, */
    uint8_t *memory;  /* which are not there at the same time */
    size_t n_bytes;   /* of it */
    uint32_t n_arcs;  /* for which a network has room */
    uint32_t n_pairs; /* the same of the search for two kinds */
    gsp_network net;
    gsp_offload_desc pair; /* of it */
    uint64_t scale;        /* parts of a tick in networks, so that prices are fine, */
    uint64_t *weight;      /* [kinds] or how many a tick of each kind has, */
    uint64_t *channel;     /* [kinds] and of a move into or out of each */
    uint64_t work;         /* of searches for two kinds */
    uint64_t max_work;
    uint64_t limit;   /* of all work for now */
    uint32_t is_last; /* moves that take long are made, too */
    uint32_t expands; /* from the choice `at`; else units are there or elsewhere */
    uint64_t base;    /* what no cut avoids */
    uint32_t to;      /* kind that units may move to */
    uint32_t n_path;
    uint8_t *on;      /* [n * kinds] 1 if the cut of a kind has the unit there */
    int64_t *price;   /* [n] of a place among accelerators */
    int64_t *kept;    /* [n] prices of the best bound */
    uint64_t *at_cpu; /* [n] ticks elsewhere, in the terms of accelerators */
    uint8_t *can;     /* [nodes] for searches with two kinds */
    uint64_t *cpu;
    uint64_t *acc;
    uint64_t *move;
    uint32_t *group;
    uint32_t *path; /* [n_path] units, each of which the next one reads; the most that there are */
    uint64_t time;
    uint64_t lower_bound;
    uint64_t cpu_only;
} gspi_sides_search;

/* In parts of ticks. */
static uint64_t gspi_sides_parts(const gspi_sides_search *q, uint32_t u, uint32_t kind)
{
    uint64_t const ticks = gspi_sides_ticks(q->x, u, kind);
    return ticks == GSPI_SIDES_NEVER ? GSPI_SIDES_NEVER : ticks * q->weight[kind];
}

static int gspi_sides_may_go_on(const gspi_sides_search *q)
{
    return q->work + q->x->work + q->net.work < q->limit;
}

/* An empty network, whose work goes on. */
static void gspi_sides_open_network(gspi_sides_search *q)
{
    uint64_t const work = q->net.work;
    gsp_arena_init(&q->arena, q->memory, q->n_bytes);
    (void)gsp_network_init(&q->arena, q->n_arcs, &q->net, NULL); /* it fits */
    q->net.work = work;
    q->net.max_work = q->max_work;
}

/* An arc that a cut can contain. */
static void gspi_sides_put_arc(
    gspi_sides_search *q, int reverse, uint32_t from, uint32_t to, uint64_t capacity)
{
    uint32_t const a = reverse ? to : from;
    uint32_t const b = reverse ? from : to;
    if (a == GSP_NETWORK_SINK || b == GSP_NETWORK_SOURCE) {
        return;
    }
    if (a == GSP_NETWORK_SOURCE && b == GSP_NETWORK_SINK) {
        q->base += capacity;
    } else {
        gsp_network_arc(&q->net, a, b, capacity);
    }
}

/* The node of "the unit is on this kind": a unit moves on the side of the source. Whoever is there
 * and may leave is on the other side; all of a term are read alike. */
static uint32_t gspi_sides_literal(const gspi_sides_search *q, uint32_t u, uint32_t kind)
{
    const gspi_sides *x = q->x;
    int const moves = u != x->n && gspi_sides_can(x, u, q->to);
    int const is_there = q->expands && u != x->n && x->at[u] == kind;
    int const always = kind == q->to ? is_there : !is_there;
    return always ? GSP_NETWORK_SOURCE : moves ? u + 2u : GSP_NETWORK_SINK;
}

/* What units cost if one is on a kind. Out: if the writer is there and some reader is not; in: if
 * some reader is there and the writer is not. */
static void gspi_sides_put_term(gspi_sides_search *q, uint32_t kind, int is_in, uint64_t cost,
    uint32_t from, const uint32_t *readers, uint32_t n_readers)
{
    int const negated = kind != q->to;
    uint32_t const writer = gspi_sides_literal(q, from, kind);
    int const reverse = negated != is_in;
    uint32_t const never = reverse ? GSP_NETWORK_SOURCE : GSP_NETWORK_SINK;
    uint32_t const always = reverse ? GSP_NETWORK_SINK : GSP_NETWORK_SOURCE;
    uint32_t n = 0;
    uint32_t one = GSP_NONE;
    if (writer == never) {
        return;
    }
    for (uint32_t k = 0; k < n_readers; k++) {
        uint32_t const reader = gspi_sides_literal(q, readers[k], kind);
        n += reader != always ? 1u : 0u;
        one = reader != always && one != never ? reader : one;
    }
    if (n == 1u || one == never) {
        gspi_sides_put_arc(q, reverse, writer, one, cost);
    } else if (n > 1u) {
        uint32_t const any = gsp_network_node(&q->net);
        gspi_sides_put_arc(q, reverse, writer, any, cost);
        for (uint32_t k = 0; k < n_readers; k++) {
            uint32_t const reader = gspi_sides_literal(q, readers[k], kind);
            gspi_sides_put_arc(q, reverse, any, reader, GSP_CUT_INFINITE);
        }
    }
}

static void gspi_sides_begin_network(gspi_sides_search *q, uint32_t to, uint32_t expands)
{
    q->to = to;
    q->expands = expands;
    q->base = 0;
    gsp_network_start(&q->net);
    for (uint32_t u = 0; u < q->x->n; u++) {
        (void)gsp_network_node(&q->net);
    }
}

/* Values that move, and launches: as many as the longest path has entries. */
static void gspi_sides_put_values(gspi_sides_search *q, uint32_t kind)
{
    const gspi_sides *x = q->x;
    uint64_t const launch = gspi_sides_launch(x, kind) * q->weight[kind];
    for (uint32_t i = 0; i < x->n_values; i++) {
        const gspi_sides_value *value = &x->values[i];
        uint64_t const move = value->move * q->channel[kind];
        for (int is_in = 0; is_in < 2 && move != 0; is_in++) {
            gspi_sides_put_term(q, kind, is_in, move, value->unit, x->readers + value->begin,
                value->end - value->begin);
        }
    }
    for (uint32_t i = 0; i < q->n_path && launch != 0; i++) {
        gspi_sides_put_term(q, kind, 1, launch, i > 0 ? q->path[i - 1u] : x->n, q->path + i, 1u);
    }
}

static void gspi_sides_put_choice(gspi_sides_search *q, uint32_t u, int64_t more)
{
    if (more > 0) {
        gspi_sides_put_arc(q, 0, u + 2u, GSP_NETWORK_SINK, (uint64_t)more);
    } else {
        gspi_sides_put_arc(q, 0, GSP_NETWORK_SOURCE, u + 2u, (uint64_t)-more);
    }
}

/* ---- Choices ---- */

static uint64_t gspi_sides_try(gspi_sides_search *q, const uint8_t *at)
{
    uint64_t const time = gspi_sides_time(q->x, at);
    if (time < q->time) {
        q->time = time;
        gspi_offload_copy(q->x->best, at, q->x->n);
    }
    return time;
}

/* Takes over `on` if that is better than `at`. */
static int gspi_sides_try_moved(gspi_sides_search *q, uint64_t *now)
{
    uint64_t const time = gspi_sides_try(q, q->on);
    if (time < *now) {
        *now = time;
        gspi_offload_copy(q->x->at, q->on, q->x->n);
        return 1;
    }
    return 0;
}

/* The best set of units that move to a kind, from `at`. Returns 0 if none is better. */
static int gspi_sides_expand(gspi_sides_search *q, uint32_t to, uint64_t *now)
{
    const gspi_sides *x = q->x;
    gspi_sides_begin_network(q, to, 1);
    for (uint32_t p = 1; p < x->kinds; p++) {
        gspi_sides_put_values(q, p);
    }
    for (uint32_t u = 0; u < x->n; u++) {
        if (gspi_sides_can(x, u, to) && x->at[u] != to) {
            int64_t const there = (int64_t)gspi_sides_parts(q, u, to);
            gspi_sides_put_choice(q, u, there - (int64_t)gspi_sides_parts(q, u, x->at[u]));
        }
    }
    if (!gsp_network_cut(&q->net)) {
        return 0;
    }
    for (uint32_t u = 0; u < x->n; u++) {
        q->on[u] = q->net.side[u + 2u] != 0 ? (uint8_t)to : x->at[u];
    }
    return gspi_sides_try_moved(q, now);
}

/* Whole subgraphs to other kinds. Returns 0 if none is better. */
static int gspi_sides_move_subgraphs(gspi_sides_search *q, uint64_t *now)
{
    gspi_sides *x = q->x;
    uint32_t *phase = x->first;
    uint32_t n_phases = 0;
    int any = 0;
    (void)gspi_sides_time(x, x->at);
    gspi_sides_copy(phase, x->phase, x->n);
    for (uint32_t u = 0; u < x->n; u++) {
        n_phases = phase[u] >= n_phases ? phase[u] + 1u : n_phases;
    }
    for (uint32_t i = 0; i < n_phases; i++) {
        for (uint32_t to = 0; to < x->kinds && gspi_sides_may_go_on(q); to++) {
            for (uint32_t u = 0; u < x->n; u++) {
                int const moves = phase[u] == i && gspi_sides_can(x, u, to);
                q->on[u] = moves ? (uint8_t)to : x->at[u];
            }
            any |= gspi_sides_try_moved(q, now);
        }
    }
    return any;
}

static int gspi_sides_move_units(gspi_sides_search *q, uint64_t *now)
{
    gspi_sides *x = q->x;
    int any = 0;
    for (uint32_t u = 0; u < x->n; u++) {
        for (uint32_t to = 0; to < x->kinds && gspi_sides_may_go_on(q); to++) {
            uint8_t const from = x->at[u];
            if (to == from || !gspi_sides_can(x, u, to)) {
                continue;
            }
            x->at[u] = (uint8_t)to;
            uint64_t const time = gspi_sides_try(q, x->at);
            x->at[u] = time < *now ? x->at[u] : from;
            any |= time < *now;
            *now = time < *now ? time : *now;
        }
    }
    return any;
}

/* From `at`, until no move is better. */
GSPI_OFFLOAD_OWN_FRAME void gspi_sides_improve(gspi_sides_search *q, uint64_t now)
{
    int any = 1;
    while (any && gspi_sides_may_go_on(q) && q->time > q->lower_bound) {
        any = 0;
        for (uint32_t p = 0; p < q->x->kinds; p++) {
            any |= gspi_sides_expand(q, p, &now);
        }
        if (!any && q->is_last) {
            any = gspi_sides_move_subgraphs(q, &now) || gspi_sides_move_units(q, &now);
        }
    }
}

/* ---- Bounds ---- */

/* A unit that cannot be on the CPU is on one of the accelerators. */
static int gspi_sides_is_pinned(const gspi_sides_search *q, uint32_t u)
{
    return !gspi_sides_can(q->x, u, 0);
}

/* Prices with which a unit is on its best kind alone, if values do not move. */
static void gspi_sides_start_prices(gspi_sides_search *q)
{
    for (uint32_t u = 0; u < q->x->n; u++) {
        uint64_t least[2] = {UINT64_MAX, UINT64_MAX};
        for (uint32_t p = 1; p < q->x->kinds; p++) {
            uint64_t const ticks = gspi_sides_parts(q, u, p);
            least[1] = ticks < least[0] ? least[0] : ticks < least[1] ? ticks : least[1];
            least[0] = ticks < least[0] ? ticks : least[0];
        }
        q->at_cpu[u] = gspi_sides_is_pinned(q, u) ? least[0] : gspi_sides_parts(q, u, 0);
        q->price[u] = least[1] < q->at_cpu[u] ? (int64_t)(q->at_cpu[u] - least[1]) : 0;
    }
}

/* The term of a kind; 0 if the work ended. A unit that cannot be there is in no arc, and so on the
 * side of the sink. */
static int gspi_sides_cut_term(gspi_sides_search *q, uint32_t kind, int64_t *bound)
{
    const gspi_sides *x = q->x;
    gspi_sides_begin_network(q, kind, 0);
    gspi_sides_put_values(q, kind);
    for (uint32_t u = 0; u < x->n; u++) {
        if (gspi_sides_can(x, u, kind)) {
            int64_t const there = (int64_t)gspi_sides_parts(q, u, kind);
            int64_t const more = there - (int64_t)q->at_cpu[u] + q->price[u];
            *bound += more < 0 ? more : 0;
            gspi_sides_put_choice(q, u, more);
        }
    }
    if (!gsp_network_cut(&q->net)) {
        return 0;
    }
    *bound += (int64_t)(q->base + q->net.value);
    for (uint32_t u = 0; u < x->n; u++) {
        q->on[(size_t)u * x->kinds + kind] = q->net.side[u + 2u];
    }
    return 1;
}

/* The problem of a kind or elsewhere. A unit counts at one of its nodes. */
static void gspi_sides_make_pair(gspi_sides_search *q, uint32_t kind, int64_t *bound)
{
    gspi_sides *x = q->x;
    gspi_sides_fill(x->next, x->n, 0);
    for (gsp_node v = 0; v < x->g->n_nodes; v++) {
        uint32_t const u = x->unit[v];
        int const called = gsp_node_is_callable(x->g, v);
        q->can[v] = (uint8_t)(called && gspi_sides_can(x, u, kind));
        q->group[v] = called ? u : GSP_NONE;
        q->cpu[v] = q->acc[v] = 0;
        if (called && x->next[u] == 0) {
            uint64_t const there = q->can[v] ? gspi_sides_parts(q, u, kind) : 0u;
            int64_t const price = q->price[u];
            x->next[u] = 1;
            q->cpu[v] = q->at_cpu[u] + (price < 0 ? (uint64_t)-price : 0u);
            q->acc[v] = there + (price > 0 ? (uint64_t)price : 0u);
            *bound -= (int64_t)q->cpu[v];
        }
    }
    q->pair.launch = gspi_sides_launch(x, kind) * q->scale;
}

/* The term of a kind with launches, by the search for two kinds. */
static int gspi_sides_run_term(gspi_sides_search *q, uint32_t kind, int64_t *bound)
{
    const gspi_sides *x = q->x;
    gspi_sides_make_pair(q, kind, bound);
    gsp_arena_init(&q->arena, q->memory, q->n_bytes);
    gspi_offload *o = gspi_offload_open(&q->arena, x->g, &q->pair);
    if (GSPI_OFFLOAD_NEVER(o == NULL)) {
        return 0;
    }
    int const done = gspi_offload_solve(o, NULL) == GSP_OK;
    if (done) {
        q->work += o->work + o->net.work;
        *bound += (int64_t)o->result.lower_bound;
        for (gsp_node v = 0; v < x->g->n_nodes; v++) {
            if (q->group[v] != GSP_NONE) {
                q->on[(size_t)x->unit[v] * x->kinds + kind] = o->best[o->unit[v]];
            }
        }
    }
    gspi_sides_open_network(q);
    return done;
}

/* The choice in which a unit is on the best of its kinds in the cuts. */
static void gspi_sides_resolve(gspi_sides_search *q)
{
    const gspi_sides *x = q->x;
    for (uint32_t u = 0; u < x->n; u++) {
        uint64_t least = UINT64_MAX;
        x->at[u] = 0;
        for (uint32_t p = 1; p < x->kinds; p++) {
            uint64_t const ticks = gspi_sides_parts(q, u, p);
            int const there = q->on[(size_t)u * x->kinds + p] || gspi_sides_is_pinned(q, u);
            if (there && ticks < least) {
                least = ticks;
                x->at[u] = (uint8_t)p;
            }
        }
    }
}

/* How many kinds too many a unit has. */
static int64_t gspi_sides_excess(const gspi_sides_search *q, uint32_t u)
{
    int64_t n = -1;
    for (uint32_t p = 1; p < q->x->kinds; p++) {
        n += q->on[(size_t)u * q->x->kinds + p];
    }
    return n == -1 && !gspi_sides_is_pinned(q, u) && q->price[u] <= 0 ? 0 : n;
}

/* Prices towards one kind per unit. Returns 0 if all have one. */
static int gspi_sides_move_prices(gspi_sides_search *q, double distance)
{
    double norm = 0.0;
    for (uint32_t u = 0; u < q->x->n; u++) {
        int64_t const n = gspi_sides_excess(q, u);
        norm += (double)(n * n);
    }
    double const step = norm > 0.0 ? distance / norm : 0.0;
    for (uint32_t u = 0; u < q->x->n; u++) {
        int64_t const n = gspi_sides_excess(q, u);
        int64_t const moved = q->price[u] + (int64_t)(step * (double)n);
        q->price[u] = moved < 0 && !gspi_sides_is_pinned(q, u) ? 0 : moved;
    }
    return step >= 1.0;
}

/* What does not depend on kinds, with these prices. */
static int64_t gspi_sides_constant(const gspi_sides_search *q)
{
    int64_t sum = 0;
    for (uint32_t u = 0; u < q->x->n; u++) {
        sum += (int64_t)q->at_cpu[u] - q->price[u];
    }
    return sum;
}

/* Terms of all kinds, and the constant; 0 if the work ended. */
static int gspi_sides_bound_once(gspi_sides_search *q, int launches, int64_t *bound)
{
    int done = 1;
    *bound = gspi_sides_constant(q);
    for (uint32_t p = 1; p < q->x->kinds && done; p++) {
        done = launches ? gspi_sides_run_term(q, p, bound) : gspi_sides_cut_term(q, p, bound);
    }
    return done;
}

GSPI_OFFLOAD_OWN_FRAME void gspi_sides_raise(gspi_sides_search *q, uint32_t steps, int launches)
{
    double shorter = 1.0;
    uint32_t idle = 0;
    int64_t highest = -INT64_MAX - 1;
    for (uint32_t i = 0; i < steps && q->time > q->lower_bound && gspi_sides_may_go_on(q); i++) {
        uint64_t const best = q->time;
        int64_t bound;
        if (!gspi_sides_bound_once(q, launches, &bound)) {
            return;
        }
        idle++;
        if (bound > highest) {
            for (uint32_t u = 0; u < q->x->n; u++) {
                q->kept[u] = q->price[u];
            }
            highest = bound;
            idle = 0;
        }
        uint64_t const whole = bound > 0 ? ((uint64_t)bound + q->scale - 1u) / q->scale : 0u;
        q->lower_bound = whole > q->lower_bound ? whole : q->lower_bound;
        double const distance = (double)(best * q->scale) - (double)bound;
        int const moved = gspi_sides_move_prices(q, distance * shorter);
        gspi_sides_resolve(q);
        uint64_t const time = gspi_sides_try(q, q->x->at);
        if (time < best + best / GSPI_SIDES_WITHIN && i % GSPI_SIDES_IDLE == 0) {
            gspi_sides_improve(q, time);
        }
        if (!moved) {
            return;
        }
        if (idle == GSPI_SIDES_IDLE) {
            idle = 0;
            shorter /= 2.0;
        }
    }
}

/* The choices of the search for two kinds. */
static void gspi_sides_try_pairs(gspi_sides_search *q)
{
    uint32_t const k = q->x->kinds;
    gspi_sides_start_prices(q);
    for (uint32_t u = 0; u < q->x->n; u++) {
        q->price[u] = 0;
    }
    for (uint32_t p = 1; p < k && gspi_sides_may_go_on(q); p++) {
        int64_t bound = 0;
        for (size_t i = 0; i < (size_t)q->x->n * k; i++) {
            q->on[i] = 0;
        }
        if (gspi_sides_run_term(q, p, &bound)) {
            gspi_sides_resolve(q);
            gspi_sides_improve(q, gspi_sides_try(q, q->x->at));
        }
    }
}

/* ---- The pass ---- */

/* The most units of which each one reads the one before. */
static void gspi_sides_find_path(gspi_sides_search *q)
{
    const gspi_sides *x = q->x;
    uint32_t *length = x->first;
    uint32_t last = GSP_NONE;
    for (uint32_t u = 0; u < x->n; u++) {
        length[u] = 0;
        for (uint32_t e = x->before.begin[u]; e < x->before.begin[u + 1u]; e++) {
            uint32_t const w = x->before.at[e];
            length[u] = length[w] > length[u] ? length[w] : length[u];
        }
        length[u]++;
        last = last == GSP_NONE || length[u] > length[last] ? u : last;
    }
    q->n_path = last != GSP_NONE ? length[last] : 0u;
    for (uint32_t i = q->n_path; i > 0; i--) {
        uint32_t before = GSP_NONE;
        q->path[i - 1u] = last;
        for (uint32_t e = x->before.begin[last]; e < x->before.begin[last + 1u]; e++) {
            before = length[x->before.at[e]] + 1u == i ? x->before.at[e] : before;
        }
        last = before;
    }
}

/* Units on this kind or, where they cannot be, on their first. */
GSPI_OFFLOAD_OWN_FRAME void gspi_sides_try_kind(gspi_sides_search *q, uint32_t kind)
{
    gspi_sides *x = q->x;
    int moved = 0;
    for (uint32_t u = 0; u < x->n; u++) {
        x->at[u] = gspi_sides_settle(x, u, kind);
        moved |= x->at[u] != kind;
    }
    uint64_t const time = gspi_sides_try(q, x->at);
    q->cpu_only = kind != 0 ? q->cpu_only : moved ? UINT64_MAX : time;
    gspi_sides_improve(q, time);
}

/* What units take at least, wherever each is. */
GSPI_OFFLOAD_OWN_FRAME uint64_t gspi_sides_least_ticks(const gspi_sides *x)
{
    uint64_t sum = 0;
    for (uint32_t u = 0; u < x->n; u++) {
        uint64_t least = UINT64_MAX;
        for (uint32_t p = 0; p < x->kinds; p++) {
            uint64_t const ticks = gspi_sides_ticks(x, u, p);
            least = ticks < least ? ticks : least;
        }
        sum += least;
    }
    return sum;
}

static void gspi_sides_find(gspi_sides_search *q, gsp_sides_result *r)
{
    gspi_sides *x = q->x;
    q->lower_bound = gspi_sides_least_ticks(x);
    for (uint32_t i = 0; i < x->d->n_starts; i++) {
        gspi_sides_enter_choice(x, x->d->starts[i]);
        uint64_t const time = gspi_sides_try(q, x->at);
        r->reference = i == 0 ? time : r->reference;
        gspi_sides_improve(q, time);
    }
    for (uint32_t p = 0; p < x->kinds; p++) {
        gspi_sides_try_kind(q, p);
    }
    gspi_sides_start_prices(q);
    gspi_sides_raise(q, GSPI_SIDES_STEPS, 0);
    if (x->has_launch) {
        gspi_sides_try_pairs(q);
        for (uint32_t u = 0; u < x->n; u++) {
            q->price[u] = q->kept[u];
        }
        gspi_sides_raise(q, GSPI_SIDES_LAUNCHES, 1);
    }
    q->limit = q->max_work;
    q->is_last = x->has_launch;
    gspi_offload_copy(x->at, x->best, x->n);
    gspi_sides_improve(q, q->time);
}

/* Whether a launch takes time. */
static uint32_t gspi_sides_has_launch(const gsp_sides_desc *d)
{
    uint32_t any = 0;
    for (uint32_t p = 1; d != NULL && d->launch != NULL && p < d->n_kinds; p++) {
        any |= d->launch[p] != 0 ? 1u : 0u;
    }
    return any;
}

/* Arcs for which a network has room. */
static uint32_t gspi_sides_arcs(gsp_counts c, uint64_t kinds)
{
    uint64_t const n = (uint64_t)c.nodes + 1u;
    uint64_t const arcs = 6u * (c.edges + n) + 2u * n * (1u + kinds);
    return arcs < GSPI_SIDES_ARCS ? (uint32_t)arcs : GSPI_SIDES_ARCS;
}

static void gspi_sides_layout_search(
    gspi_offload_bump *b, gspi_sides_search *q, gsp_counts c, uint64_t kinds)
{
    uint64_t const n = (uint64_t)c.nodes + 1u;
    uint64_t **const ticks[] = {&q->at_cpu, &q->cpu, &q->acc, &q->move};
    uint64_t **const weights[] = {&q->weight, &q->channel};
    int64_t **const prices[] = {&q->price, &q->kept};
    for (uint32_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
        *ticks[i] = (uint64_t *)gspi_offload_push(b, n, sizeof(uint64_t));
    }
    for (uint32_t i = 0; i < sizeof(prices) / sizeof(prices[0]); i++) {
        *prices[i] = (int64_t *)gspi_offload_push(b, n, sizeof(int64_t));
    }
    for (uint32_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
        *weights[i] = (uint64_t *)gspi_offload_push(b, kinds, sizeof(uint64_t));
    }
    q->group = (uint32_t *)gspi_offload_push(b, n, sizeof(uint32_t));
    q->path = (uint32_t *)gspi_offload_push(b, n, sizeof(uint32_t));
    q->can = (uint8_t *)gspi_offload_push(b, n, 1);
    q->on = (uint8_t *)gspi_offload_push(b, n * kinds, 1);
}

/* Whether there is room for everything but the network. */
GSPI_OFFLOAD_OWN_FRAME uint64_t gspi_sides_own(gsp_counts c, uint64_t kinds)
{
    gspi_sides x;
    gspi_offload_bump b = {NULL, GSP_BOUND_SLACK};
    x.kinds = (uint32_t)kinds;
    (void)gspi_offload_push(&b, 1, sizeof(gspi_sides));
    gspi_sides_layout(&b, &x, c);
    (void)gspi_offload_push(&b, c.nodes, 1);                /* kind */
    (void)gspi_offload_push(&b, c.nodes, sizeof(uint32_t)); /* phase */
    return b.used;
}

/* Bytes of the search without its network. */
GSPI_OFFLOAD_OWN_FRAME uint64_t gspi_sides_own_search(gsp_counts c, uint64_t kinds)
{
    gspi_sides_search q;
    gspi_offload_bump b = {NULL, 0};
    (void)gspi_offload_push(&b, 1, sizeof(gspi_sides_search));
    gspi_sides_layout_search(&b, &q, c, kinds);
    return b.used + GSP_BOUND_ARRAY(0, 1) + GSP_ALIGN;
}

/* Bytes of the network, or of the search for two kinds. */
static size_t gspi_sides_network(gsp_counts c, const gsp_sides_desc *d, uint32_t n_arcs)
{
    size_t const network = gsp_network_bound(n_arcs);
    size_t pair = 0;
    if (gspi_sides_has_launch(d) != 0) {
        pair = gspi_offload_bytes(c, gspi_offload_most_arcs(c, d->max_arcs));
    }
    return pair > network ? pair : network;
}

static uint64_t gspi_sides_kinds(const gsp_sides_desc *d)
{
    return d == NULL ? 0u : d->n_kinds;
}

size_t gsp_sides_bound(const gsp_graph *graph, const gsp_sides_desc *desc)
{
    gsp_counts const c = gsp_graph_counts(graph);
    uint64_t const kinds = gspi_sides_kinds(desc);
    uint64_t all = gspi_sides_own(c, kinds);
    if (desc == NULL || desc->given == NULL) {
        size_t const network = gspi_sides_network(c, desc, gspi_sides_arcs(c, kinds));
        all = gspi_sides_add(all, network == SIZE_MAX ? UINT64_MAX : network);
        all = gspi_sides_add(all, gspi_sides_own_search(c, kinds));
    }
    return all < SIZE_MAX ? (size_t)all : SIZE_MAX;
}

/* ---- Arguments ---- */

/* Names the field at fault, and the count that makes it required. */
#ifdef GSP_NO_MESSAGES
#define GSPI_OFFLOAD_ROWS(text, count) ""
#else
#define GSPI_OFFLOAD_ROWS(text, count) text "\0" count
#endif

/* The first required array that is missing, or NULL. */
static const char *gspi_sides_lacks(const gsp_sides_desc *d)
{
    const char *can = GSPI_OFFLOAD_FIELD("can");
    const char *ticks = GSPI_OFFLOAD_FIELD("ticks");
    const char *starts = GSPI_OFFLOAD_ROWS("starts", "n_starts");
    const char *lacks = d->can == NULL                           ? can
                        : d->ticks == NULL                       ? ticks
                        : d->starts == NULL && d->n_starts != 0u ? starts
                                                                 : NULL;
    for (uint32_t p = 0; p < d->n_kinds && lacks == NULL; p++) {
        lacks = d->can[p] == NULL ? can : d->ticks[p] == NULL ? ticks : NULL;
    }
    for (uint32_t i = 0; i < d->n_starts && lacks == NULL; i++) {
        lacks = d->starts[i] == NULL ? starts : NULL;
    }
    return lacks;
}

/* Whatever the graph is. */
static gsp_status gspi_sides_check_desc(const gsp_sides_desc *d, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_network_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE, GSP_NONE, "");
    }
    if (d->n_kinds - 1u >= GSP_KIND_NONE) {
        return gspi_network_fail(err, GSP_STATUS_ARG, GSP_DETAIL_KIND, GSP_NONE, GSP_NONE,
            GSPI_OFFLOAD_FIELD("n_kinds"));
    }
    const char *lacks = gspi_sides_lacks(d);
    return lacks == NULL ? GSP_OK : gspi_network_missing(err, lacks);
}

/* Kinds of callable nodes exist. */
static gsp_status gspi_sides_check_kinds(
    const gspi_sides *x, const uint8_t *kind, const char *field, gsp_error *err)
{
    for (gsp_node v = 0; v < x->g->n_nodes; v++) {
        if (gsp_node_is_callable(x->g, v) && kind[v] >= x->kinds) {
            return gspi_network_fail(err, GSP_STATUS_ARG, GSP_DETAIL_KIND, v, GSP_NONE, field);
        }
    }
    return GSP_OK;
}

static gsp_status gspi_sides_check_nodes(const gspi_sides *x, gsp_error *err)
{
    const gsp_sides_desc *d = x->d;
    gsp_status status = GSP_OK;
    for (gsp_node v = 0; v < x->g->n_nodes && d->group != NULL; v++) {
        if (d->group[v] >= x->g->n_nodes && d->group[v] != GSP_NONE) {
            return gspi_network_fail(
                err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, v, GSP_NONE, GSPI_OFFLOAD_FIELD("group"));
        }
    }
    if (d->given != NULL) {
        return gspi_sides_check_kinds(x, d->given, GSPI_OFFLOAD_FIELD("given"), err);
    }
    for (uint32_t i = 0; i < d->n_starts && status == GSP_OK; i++) {
        status = gspi_sides_check_kinds(x, d->starts[i], GSPI_OFFLOAD_FIELD("starts"), err);
    }
    return status;
}

/* Units, and what moves between them. */
GSPI_OFFLOAD_OWN_FRAME gsp_status gspi_sides_read(gspi_sides *x, gsp_error *err)
{
    gsp_status const status = gspi_sides_check_nodes(x, err);
    if (status != GSP_OK) {
        return status;
    }
    gspi_sides_number_units(x);
    gspi_sides_sum_ticks(x);
    gspi_sides_list_values(x);
    for (uint32_t p = 1; p < x->kinds; p++) {
        uint64_t const launches = gspi_sides_times(gspi_sides_launch(x, p), x->n);
        x->most = gspi_sides_add(x->most, launches);
    }
    return x->most < GSPI_OFFLOAD_MOST_TIME ? GSP_OK
                                            : gspi_network_fail(err, GSP_STATUS_OVERFLOW,
                                                  GSP_DETAIL_SIZE, GSP_NONE, GSP_NONE, "");
}

/* Room for a run, in an arena with as many bytes as the bound. */
GSPI_OFFLOAD_OWN_FRAME gspi_sides *gspi_sides_open(
    gsp_arena *arena, const gsp_graph *g, const gsp_sides_desc *d)
{
    gspi_offload_bump b = {arena, 0};
    gspi_sides *x = (gspi_sides *)gspi_offload_push(&b, 1, sizeof(gspi_sides));
    if (GSPI_OFFLOAD_NEVER(x == NULL)) { /* analysers see no room */
        return NULL;
    }
    x->g = g;
    x->d = d;
    x->kinds = d->n_kinds;
    x->has_launch = gspi_sides_has_launch(d);
    gspi_sides_layout(&b, x, gsp_graph_counts(g));
    x->result_kind = (uint8_t *)gsp_arena_push(arena, g->n_nodes, 1);
    x->result_phase = (uint32_t *)gsp_arena_push(arena, g->n_nodes, sizeof(uint32_t));
    return x;
}

/* The units of a problem for which there are `bound` bytes. An error leaves the arena. */
GSPI_OFFLOAD_OWN_FRAME gsp_status gspi_sides_begin(gsp_arena *arena, const gsp_graph *graph,
    const gsp_sides_desc *desc, size_t bound, gspi_sides **made, gsp_error *err)
{
    gsp_mark const mark = gsp_arena_mark(arena);
    gsp_status status = gspi_network_room(arena, bound, err);
    if (status != GSP_OK) {
        return status;
    }
    gspi_sides *x = gspi_sides_open(arena, graph, desc);
    if (GSPI_OFFLOAD_NEVER(x == NULL)) {
        return gspi_network_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, GSP_NONE, "");
    }
    x->start = mark;
    *made = x;
    status = gspi_sides_read(x, err);
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
    }
    return status;
}

GSPI_OFFLOAD_OWN_FRAME gsp_status gspi_sides_check(const gsp_arena *arena, const gsp_graph *graph,
    const gsp_sides_desc *desc, const void *result, gsp_error *err)
{
    if (arena == NULL || graph == NULL || desc == NULL || result == NULL) {
        const char *field = GSPI_OFFLOAD_FIELD("result");
        field = desc == NULL ? GSPI_OFFLOAD_FIELD("desc") : field;
        field = graph == NULL ? GSPI_OFFLOAD_FIELD("graph") : field;
        return gspi_network_missing(err, arena == NULL ? GSPI_OFFLOAD_FIELD("arena") : field);
    }
    return gspi_sides_check_desc(desc, err);
}

/* Kinds and phases of the best choice. */
static void gspi_sides_write(gspi_sides *x)
{
    (void)gspi_sides_time(x, x->best);
    for (gsp_node v = 0; v < x->g->n_nodes; v++) {
        int const called = gsp_node_is_callable(x->g, v);
        x->result_kind[v] = called ? x->best[x->unit[v]] : (uint8_t)GSP_KIND_NONE;
        x->result_phase[v] = called ? x->phase[x->unit[v]] : GSP_NONE;
    }
}

/* The arena keeps the results alone. */
static void gspi_sides_end(const gspi_sides *x, gsp_arena *arena)
{
    gsp_mark mark = x->start;
    mark.low = gsp_arena_mark(arena).low;
    gsp_arena_rewind(arena, mark);
}

/* A search whose network, and what takes turns with it, has so many bytes. */
GSPI_OFFLOAD_OWN_FRAME gspi_sides_search *gspi_sides_open_search(
    gspi_sides *x, gsp_arena *arena, size_t n_bytes)
{
    gspi_offload_bump b = {arena, 0};
    gsp_counts const c = gsp_graph_counts(x->g);
    gspi_sides_search *q = (gspi_sides_search *)gspi_offload_push(&b, 1, sizeof(gspi_sides_search));
    if (GSPI_OFFLOAD_NEVER(q == NULL)) {
        return NULL;
    }
    gspi_sides_layout_search(&b, q, c, x->kinds);
    q->x = x;
    q->n_arcs = gspi_sides_arcs(c, x->kinds);
    q->n_bytes = n_bytes;
    q->memory = (uint8_t *)gsp_arena_push_high(arena, q->n_bytes, 1);
    q->max_work = x->d->max_work != 0u ? x->d->max_work : GSPI_SIDES_WORK;
    q->limit = q->max_work / 4u * 3u;
    q->time = UINT64_MAX;
    q->scale = 1024;
    while (q->scale > 1u && x->most > GSPI_SIDES_TIME / q->scale) {
        q->scale /= 2u;
    }
    gspi_sides_open_network(q);
    gspi_sides_find_path(q);
    return q;
}

/* All kinds count alike; the search for two kinds has what does not change. */
GSPI_OFFLOAD_OWN_FRAME void gspi_sides_prepare(gspi_sides_search *q)
{
    const gspi_sides *x = q->x;
    q->is_last = x->has_launch != 0 && x->n < GSPI_SIDES_SMALL;
    for (uint32_t p = 0; p < x->kinds; p++) {
        q->weight[p] = q->channel[p] = q->scale;
    }
    for (gsp_node v = 0; v < x->g->n_nodes; v++) {
        q->move[v] = gspi_sides_move(x, v) * q->scale;
    }
    q->pair.kind = q->can;
    q->pair.group = q->group;
    q->pair.cpu = q->cpu;
    q->pair.acc = q->acc;
    q->pair.move = q->move;
    q->pair.max_arcs = x->d->max_arcs;
    q->pair.max_work = q->max_work / (8u * GSPI_SIDES_LAUNCHES * (uint64_t)x->kinds) + 1u;
}

/* The least time. */
static void gspi_sides_solve(gspi_sides *x, gsp_arena *arena, gsp_sides_result *r)
{
    gsp_counts const c = gsp_graph_counts(x->g);
    size_t const n_bytes = gspi_sides_network(c, x->d, gspi_sides_arcs(c, x->kinds));
    gspi_sides_search *q = gspi_sides_open_search(x, arena, n_bytes);
    if (GSPI_OFFLOAD_NEVER(q == NULL)) {
        return;
    }
    gspi_sides_prepare(q);
    r->reference = UINT64_MAX;
    gspi_sides_find(q, r);
    r->reference = x->d->n_starts != 0 ? r->reference : q->time;
    r->time = q->time;
    r->lower_bound = q->lower_bound;
    r->cpu_only = q->cpu_only;
    r->work = q->work + q->net.work;
}

/* The time of the given choice. */
GSPI_OFFLOAD_OWN_FRAME void gspi_sides_take(gspi_sides *x, gsp_sides_result *r)
{
    gspi_sides_enter_choice(x, x->d->given);
    gspi_offload_copy(x->best, x->at, x->n);
    r->time = r->reference = gspi_sides_time(x, x->best);
    r->lower_bound = r->cpu_only = r->work = 0;
}

gsp_status gsp_sides_run(gsp_arena *arena, const gsp_graph *graph, const gsp_sides_desc *desc,
    gsp_sides_result *result, gsp_error *err)
{
    gspi_sides *x = NULL;
    gsp_status status = gspi_sides_check(arena, graph, desc, result, err);
    if (status == GSP_OK) {
        status = gspi_sides_begin(arena, graph, desc, gsp_sides_bound(graph, desc), &x, err);
    }
    if (status != GSP_OK) {
        return status;
    }
    if (desc->given != NULL) {
        gspi_sides_take(x, result);
    } else {
        gspi_sides_solve(x, arena, result);
    }
    gspi_sides_write(x);
    result->kind = x->result_kind;
    result->phase = x->result_phase;
    result->n_subgraphs = x->n_subgraphs;
    result->work += x->work;
    gspi_sides_end(x, arena);
    return GSP_OK;
}

/* ----
 * >>overlap   The CPU and accelerators at work at the same time (implementation)
 * ---- */

/* A choice makes steps: nodes, launches, and transfers by way of the CPU's memory. Lists by several
 * priorities run each step on its resource once what it waits for is done; single units move to
 * other kinds while that makes the makespan less. For a small graph all choices are seen, and for
 * each all active schedules that a bound does not rule out. */

#define GSPI_OVERLAP_WORK       ((uint64_t)1u << 27u)
#define GSPI_OVERLAP_SMALL      64u /* steps */
#define GSPI_OVERLAP_CHOICES    ((uint64_t)1u << 14u)
#define GSPI_OVERLAP_SMALL_WORK ((uint64_t)1u << 24u) /* visits of steps */
#define GSPI_OVERLAP_SHARES     200u /* changes of weights for the division of the work, */
#define GSPI_OVERLAP_CUTS       40u  /* and of that with transfers */

typedef enum gspi_overlap_priority {
    GSPI_OVERLAP_BY_PATH,
    GSPI_OVERLAP_BY_PATH_AND_READERS,
    GSPI_OVERLAP_BY_LENGTH,
    GSPI_OVERLAP_BY_READERS,
    GSPI_OVERLAP_BY_ORDER,
    GSPI_OVERLAP_PRIORITIES
} gspi_overlap_priority;

typedef struct gspi_overlap_entry {
    uint64_t key;
    uint32_t step;
} gspi_overlap_entry;

typedef struct gspi_overlap_heap {
    gspi_overlap_entry *at;
    uint32_t n;
    uint32_t busy;
} gspi_overlap_heap;

/* The search for all schedules of a choice; by depth, the number of steps that run. */
typedef struct gspi_overlap_small {                       /* not on the stack */
    uint64_t est[GSPI_OVERLAP_SMALL][GSPI_OVERLAP_SMALL]; /* the earliest begin of a step */
    uint32_t left[GSPI_OVERLAP_SMALL][GSPI_OVERLAP_SMALL];
    uint64_t idle_at[GSPI_OVERLAP_SMALL][GSPI_OVERLAP_SMALL]; /* and of what a resource does next */
    uint64_t begin[GSPI_OVERLAP_SMALL];                       /* of steps that run */
    uint32_t first[GSPI_OVERLAP_SMALL]; /* the step that can end first is a candidate; others */
    uint64_t limit[GSPI_OVERLAP_SMALL]; /* on its resource are if they begin below its end, */
    uint32_t next[GSPI_OVERLAP_SMALL];  /* from this step on */
    uint32_t chosen[GSPI_OVERLAP_SMALL];
    uint64_t
        head[GSPI_OVERLAP_SMALL]; /* of the steps of a resource that are left: the least begin, */
    uint64_t sum[GSPI_OVERLAP_SMALL];
    uint64_t rest[GSPI_OVERLAP_SMALL]; /* and the shortest path behind one */
    uint8_t done[GSPI_OVERLAP_SMALL];
    uint64_t work;
    uint64_t max_work;
} gspi_overlap_small;

typedef struct gspi_overlap { /* not on the stack */
    gspi_sides *x;
    uint32_t kinds;
    uint32_t n_resources;
    uint32_t n;
    uint32_t n_edges;
    uint64_t work;
    uint64_t max_work;
    gsp_overlap_step *steps;     /* [n] in an order that works */
    gsp_overlap_step *kept;      /* [n_kept] of the best schedule */
    uint64_t *busy;              /* [n_resources] of it */
    uint64_t *length;            /* [n] */
    uint64_t *tail;              /* [n] with the step itself */
    uint64_t *key;               /* [n] */
    uint64_t *when;              /* [n] begins of the last list */
    uint32_t *waits;             /* [n] */
    uint32_t *left;              /* [n] */
    uint32_t *begin;             /* [n + 1] of those that wait for a step */
    uint32_t *after;             /* [n_edges] */
    uint32_t *from;              /* [n_edges] */
    uint32_t *to;                /* [n_edges] */
    uint32_t *task;              /* [nodes] */
    uint32_t *out;               /* [nodes] transfers, or GSP_NONE */
    uint32_t *in;                /* [nodes * kinds] */
    uint32_t *level;             /* [units * kinds] launches that paths to a unit need */
    uint32_t *launch;            /* [kinds * (units + 1)] */
    uint64_t *end;               /* [nodes * kinds] */
    uint64_t *idle_at;           /* [kinds] */
    double *weight;              /* [n_resources] of 1 in all */
    double *load;                /* [n_resources] ticks */
    double *best_weight;         /* [n_resources] */
    gspi_overlap_entry *entries; /* [n] of all heaps of steps that are ready */
    gspi_overlap_heap *ready;    /* [n_resources] */
    gspi_overlap_heap running;
    gspi_overlap_small *few;
    gspi_sides_search *cuts; /* for the bound */
    gsp_overlap_result r;
} gspi_overlap;

/* Steps, and pairs of them, for which there is room. */
static uint64_t gspi_overlap_most(gsp_counts c)
{
    return 3u * (uint64_t)c.nodes + c.edges + 2u;
}

static void gspi_overlap_layout(gspi_offload_bump *b, gspi_overlap *q, gsp_counts c, uint64_t kinds)
{
    uint64_t const nodes = (uint64_t)c.nodes + 1u;
    uint64_t const n = gspi_overlap_most(c);
    uint32_t **const words[] = {&q->waits, &q->left, &q->begin};
    uint64_t **const longs[] = {&q->length, &q->tail, &q->key, &q->when};
    uint32_t **const pairs[] = {&q->after, &q->from, &q->to};
    uint32_t **const by_kind[] = {&q->in, &q->level, &q->launch};
    for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        *words[i] = (uint32_t *)gspi_offload_push(b, n + 2u, sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < sizeof(longs) / sizeof(longs[0]); i++) {
        *longs[i] = (uint64_t *)gspi_offload_push(b, n, sizeof(uint64_t));
    }
    for (uint32_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        *pairs[i] = (uint32_t *)gspi_offload_push(b, 2u * n, sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < sizeof(by_kind) / sizeof(by_kind[0]); i++) {
        *by_kind[i] = (uint32_t *)gspi_offload_push(b, nodes * kinds, sizeof(uint32_t));
    }
    q->task = (uint32_t *)gspi_offload_push(b, nodes, sizeof(uint32_t));
    q->out = (uint32_t *)gspi_offload_push(b, nodes, sizeof(uint32_t));
    q->end = (uint64_t *)gspi_offload_push(b, nodes * kinds, sizeof(uint64_t));
    q->idle_at = (uint64_t *)gspi_offload_push(b, kinds, sizeof(uint64_t));
    q->weight = (double *)gspi_offload_push(b, 2u * kinds, sizeof(double));
    q->load = (double *)gspi_offload_push(b, 2u * kinds, sizeof(double));
    q->best_weight = (double *)gspi_offload_push(b, 2u * kinds, sizeof(double));
    q->steps = (gsp_overlap_step *)gspi_offload_push(b, n, sizeof(gsp_overlap_step));
    q->entries = (gspi_overlap_entry *)gspi_offload_push(b, n, sizeof(gspi_overlap_entry));
    q->running.at = (gspi_overlap_entry *)gspi_offload_push(b, n, sizeof(gspi_overlap_entry));
    q->ready = (gspi_overlap_heap *)gspi_offload_push(b, 2u * kinds, sizeof(gspi_overlap_heap));
    q->few = (gspi_overlap_small *)gspi_offload_push(b, 1, sizeof(gspi_overlap_small));
}

static uint32_t gspi_overlap_kind_of(const gspi_overlap *q, gsp_node v)
{
    uint32_t const u = q->x->unit[v];
    return u == q->x->n ? 0u : q->x->at[u];
}

/* ---- Steps of a choice ---- */

static uint32_t gspi_overlap_add_step(
    gspi_overlap *q, gsp_overlap_what what, uint32_t resource, gsp_node v, uint64_t length)
{
    gsp_overlap_step *made = &q->steps[q->n];
    made->what = (uint32_t)what;
    made->resource = resource;
    made->node = v;
    q->length[q->n] = length;
    return q->n++;
}

static void gspi_overlap_add_edge(gspi_overlap *q, uint32_t from, uint32_t to)
{
    if (from != GSP_NONE) {
        q->from[q->n_edges] = from;
        q->to[q->n_edges++] = to;
    }
}

/* Launches as paths need them. */
static void gspi_overlap_count_levels(gspi_overlap *q)
{
    const gspi_sides *x = q->x;
    uint32_t const k = q->kinds;
    gspi_sides_fill(q->launch, (uint64_t)k * (x->n + 1u), GSP_NONE);
    for (uint32_t u = 0; u < x->n && x->has_launch != 0; u++) {
        uint32_t *row = &q->level[(size_t)u * k];
        gspi_sides_fill(row, k, 0);
        row[x->at[u]] = 1;
        for (uint32_t e = x->before.begin[u]; e < x->before.begin[u + 1u]; e++) {
            uint32_t const w = x->before.at[e];
            for (uint32_t p = 1; p < k; p++) {
                uint32_t const enters = p == x->at[u] && x->at[w] != p ? 1u : 0u;
                uint32_t const level = q->level[(size_t)w * k + p] + enters;
                row[p] = level > row[p] ? level : row[p];
            }
        }
    }
}

/* The launch before a unit, made with those before it. */
static uint32_t gspi_overlap_launch_of(gspi_overlap *q, uint32_t unit, uint32_t kind)
{
    uint32_t *row = &q->launch[(size_t)kind * (q->x->n + 1u)];
    uint32_t const level = q->level[(size_t)unit * q->kinds + kind];
    for (uint32_t i = 1; i <= level; i++) {
        if (row[i] == GSP_NONE) {
            uint64_t const length = gspi_sides_launch(q->x, kind);
            row[i] = gspi_overlap_add_step(q, GSP_OVERLAP_LAUNCH, kind, GSP_NONE, length);
            gspi_overlap_add_edge(q, i > 1u ? row[i - 1u] : GSP_NONE, row[i]);
        }
    }
    return row[level];
}

/* What a step on a kind waits for to have the value of v. */
static uint32_t gspi_overlap_arrival(gspi_overlap *q, gsp_node v, uint32_t kind)
{
    uint32_t const from = gspi_overlap_kind_of(q, v);
    uint32_t const task = q->task[v];
    uint64_t const move = gspi_sides_move(q->x, v);
    uint32_t *in = &q->in[(size_t)v * q->kinds + kind];
    if (from == kind || move == 0) {
        return task;
    }
    if (from != 0 && q->out[v] == GSP_NONE) {
        q->out[v] = gspi_overlap_add_step(q, GSP_OVERLAP_OUT, q->kinds - 1u + from, v, move);
        gspi_overlap_add_edge(q, task, q->out[v]);
    }
    if (kind == 0) {
        return q->out[v];
    }
    if (*in == GSP_NONE) {
        *in = gspi_overlap_add_step(q, GSP_OVERLAP_IN, q->kinds - 1u + kind, v, move);
        gspi_overlap_add_edge(q, from != 0 ? q->out[v] : task, *in);
    }
    return *in;
}

/* Rows of what waits for a step, and the longest path from each on. */
static void gspi_overlap_sort_edges(gspi_overlap *q)
{
    gspi_sides_fill(q->begin, (uint64_t)q->n + 2u, 0);
    gspi_sides_fill(q->waits, q->n, 0);
    for (uint32_t e = 0; e < q->n_edges; e++) {
        q->begin[q->from[e] + 2u]++;
        q->waits[q->to[e]]++;
    }
    for (uint32_t i = 2; i <= q->n; i++) {
        q->begin[i] += q->begin[i - 1u];
    }
    for (uint32_t e = 0; e < q->n_edges; e++) {
        q->after[q->begin[q->from[e] + 1u]++] = q->to[e];
    }
    for (uint32_t i = q->n; i > 0; i--) {
        uint64_t most = 0;
        for (uint32_t e = q->begin[i - 1u]; e < q->begin[i]; e++) {
            uint64_t const tail = q->tail[q->after[e]];
            most = tail > most ? tail : most;
        }
        q->tail[i - 1u] = most + q->length[i - 1u];
    }
}

/* A heap has room for all steps of its resource. */
static void gspi_overlap_divide_entries(gspi_overlap *q)
{
    gspi_overlap_entry *at = q->entries;
    for (uint32_t k = 0; k < q->n_resources; k++) {
        q->ready[k].n = 0;
    }
    for (uint32_t i = 0; i < q->n; i++) {
        q->ready[q->steps[i].resource].n++;
    }
    for (uint32_t k = 0; k < q->n_resources; k++) {
        q->ready[k].at = at;
        at += q->ready[k].n;
    }
}

/* The step of a node behind its launch and what its inputs wait for. */
GSPI_OFFLOAD_OWN_FRAME void gspi_overlap_add_node(gspi_overlap *q, gsp_node v)
{
    const gspi_sides *x = q->x;
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(x->g, v, &n);
    int const called = gsp_node_is_callable(x->g, v);
    uint32_t const kind = gspi_overlap_kind_of(q, v);
    uint32_t const launch = called && gspi_sides_launch(x, kind) != 0
                                ? gspi_overlap_launch_of(q, x->unit[v], kind)
                                : GSP_NONE;
    uint32_t n_waits = 0;
    for (uint32_t i = 0; i < n; i++) { /* transfers come before the step */
        if (x->unit[in[i]] != GSP_NONE) {
            q->left[n_waits++] = gspi_overlap_arrival(q, in[i], kind);
        }
    }
    if (called) {
        q->task[v] = gspi_overlap_add_step(q, GSP_OVERLAP_NODE, kind, v, x->d->ticks[kind][v]);
        gspi_overlap_add_edge(q, launch, q->task[v]);
        for (uint32_t i = 0; i < n_waits; i++) {
            gspi_overlap_add_edge(q, q->left[i], q->task[v]);
        }
    }
}

/* Steps come after what they wait for, in the order of the graph. */
static void gspi_overlap_make_steps(gspi_overlap *q)
{
    const gsp_graph *g = q->x->g;
    q->n = 0;
    q->n_edges = 0;
    gspi_sides_fill(q->task, g->n_nodes, GSP_NONE);
    gspi_sides_fill(q->out, g->n_nodes, GSP_NONE);
    gspi_sides_fill(q->in, (uint64_t)g->n_nodes * q->kinds, GSP_NONE);
    gspi_overlap_count_levels(q);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (gsp_node_is_callable(g, v) || gsp_node_op(g, v) == GSP_OP_OUTPUT) {
            gspi_overlap_add_node(q, v);
        }
    }
    gspi_overlap_sort_edges(q);
    gspi_overlap_divide_entries(q);
    q->work += (uint64_t)q->n + q->n_edges + g->n_nodes;
}

/* ---- Lists ---- */

static int gspi_overlap_is_before(gspi_overlap_entry a, gspi_overlap_entry b)
{
    return a.key != b.key ? a.key < b.key : a.step < b.step;
}

static void gspi_overlap_push(gspi_overlap_heap *h, uint64_t key, uint32_t step)
{
    uint32_t i = h->n++;
    gspi_overlap_entry const made = {key, step};
    while (i > 0 && gspi_overlap_is_before(made, h->at[(i - 1u) / 2u])) {
        h->at[i] = h->at[(i - 1u) / 2u];
        i = (i - 1u) / 2u;
    }
    h->at[i] = made;
}

/* The step of the least key. */
static uint32_t gspi_overlap_pop(gspi_overlap_heap *h)
{
    uint32_t const first = h->at[0].step;
    gspi_overlap_entry const last = h->at[--h->n];
    uint32_t i = 0;
    uint32_t child = 1;
    while (child < h->n) {
        int const right =
            child + 1u < h->n && gspi_overlap_is_before(h->at[child + 1u], h->at[child]);
        child += right ? 1u : 0u;
        if (!gspi_overlap_is_before(h->at[child], last)) {
            break;
        }
        h->at[i] = h->at[child];
        i = child;
        child = 2u * i + 1u;
    }
    h->at[i] = last;
    return first;
}

/* The least key runs first; what takes no time holds up nothing. */
static void gspi_overlap_make_keys(gspi_overlap *q, gspi_overlap_priority by)
{
    for (uint32_t i = 0; i < q->n; i++) {
        uint32_t const readers = q->begin[i + 1u] - q->begin[i];
        uint64_t const path = q->tail[i];
        q->key[i] = q->length[i] == 0               ? 0u
                    : by == GSPI_OVERLAP_BY_ORDER   ? i
                    : by == GSPI_OVERLAP_BY_LENGTH  ? UINT64_MAX - q->length[i]
                    : by == GSPI_OVERLAP_BY_READERS ? UINT64_MAX - readers
                    : by == GSPI_OVERLAP_BY_PATH
                        ? UINT64_MAX - path
                        : UINT64_MAX - path - path / 16u * (readers < 8u ? readers : 8u);
    }
}

static void gspi_overlap_add_ready(gspi_overlap *q, uint32_t step)
{
    gspi_overlap_push(&q->ready[q->steps[step].resource], q->key[step], step);
}

static void gspi_overlap_begin_list(gspi_overlap *q)
{
    q->running.n = 0;
    for (uint32_t k = 0; k < q->n_resources; k++) {
        q->ready[k].n = q->ready[k].busy = 0;
    }
    gspi_sides_copy(q->left, q->waits, q->n);
    for (uint32_t i = 0; i < q->n; i++) {
        if (q->left[i] == 0) {
            gspi_overlap_add_ready(q, i);
        }
    }
}

/* The next step of each resource that waits. */
static void gspi_overlap_start(gspi_overlap *q, uint64_t now)
{
    for (uint32_t k = 0; k < q->n_resources; k++) {
        gspi_overlap_heap *ready = &q->ready[k];
        if (ready->busy == 0 && ready->n != 0) {
            uint32_t const step = gspi_overlap_pop(ready);
            ready->busy = 1;
            q->when[step] = now;
            gspi_overlap_push(&q->running, now + q->length[step], step);
        }
    }
}

/* The makespan of a list; begins are in `when`. */
static uint64_t gspi_overlap_run_list(gspi_overlap *q)
{
    uint64_t now = 0;
    gspi_overlap_begin_list(q);
    gspi_overlap_start(q, now);
    while (q->running.n != 0) {
        now = q->running.at[0].key;
        while (q->running.n != 0 && q->running.at[0].key == now) {
            uint32_t const step = gspi_overlap_pop(&q->running);
            q->ready[q->steps[step].resource].busy = 0;
            for (uint32_t e = q->begin[step]; e < q->begin[step + 1u]; e++) {
                if (--q->left[q->after[e]] == 0) {
                    gspi_overlap_add_ready(q, q->after[e]);
                }
            }
        }
        gspi_overlap_start(q, now);
    }
    q->work += 4u * (uint64_t)q->n + q->n_edges;
    return now;
}

/* ---- Choices ---- */

/* Takes over a schedule of `at`; begin: [n] */
static void gspi_overlap_keep(gspi_overlap *q, const uint64_t *begin, uint64_t makespan)
{
    q->r.makespan = makespan;
    q->r.n_steps = q->n;
    gspi_offload_copy(q->x->best, q->x->at, q->x->n);
    for (uint32_t k = 0; k < q->n_resources; k++) {
        q->busy[k] = 0;
    }
    for (uint32_t i = 0; i < q->n; i++) {
        q->kept[i] = q->steps[i];
        q->kept[i].begin = begin[i];
        q->kept[i].end = begin[i] + q->length[i];
        q->busy[q->steps[i].resource] += q->length[i];
    }
}

/* The makespan of `at` by the first `n` priorities. */
static uint64_t gspi_overlap_try(gspi_overlap *q, uint32_t n)
{
    uint64_t least = UINT64_MAX;
    gspi_overlap_make_steps(q);
    for (uint32_t i = 0; i < n; i++) {
        gspi_overlap_make_keys(q, (gspi_overlap_priority)i);
        uint64_t const makespan = gspi_overlap_run_list(q);
        if (makespan < q->r.makespan) {
            gspi_overlap_keep(q, q->when, makespan);
        }
        least = makespan < least ? makespan : least;
    }
    return least;
}

/* Single units of `at` to other kinds while that is of use. Returns the makespan before. */
static uint64_t gspi_overlap_improve(gspi_overlap *q)
{
    const gspi_sides *x = q->x;
    uint64_t const before = gspi_overlap_try(q, (uint32_t)GSPI_OVERLAP_PRIORITIES);
    uint64_t now = before;
    int moved = 1;
    while (moved && q->work < q->max_work && q->r.makespan > q->r.lower_bound) {
        moved = 0;
        for (uint32_t u = 0; u < x->n; u++) {
            for (uint32_t p = 0; p < q->kinds && q->work < q->max_work; p++) {
                uint8_t const from = x->at[u];
                if (p == from || !gspi_sides_can(x, u, p)) {
                    continue;
                }
                x->at[u] = (uint8_t)p;
                uint64_t const makespan = gspi_overlap_try(q, 2u);
                moved |= makespan < now;
                x->at[u] = makespan < now ? x->at[u] : from;
                now = makespan < now ? makespan : now;
            }
        }
    }
    return before;
}

/* Each unit where it ends first, in the order of units; channels do not count. */
static void gspi_overlap_place_by_finish(gspi_overlap *q)
{
    const gspi_sides *x = q->x;
    uint64_t *end = q->end; /* of units */
    for (uint32_t p = 0; p < q->kinds; p++) {
        q->idle_at[p] = 0;
    }
    for (uint32_t u = 0; u < x->n; u++) {
        uint64_t best = UINT64_MAX;
        uint64_t ready = 0;
        for (uint32_t e = x->before.begin[u]; e < x->before.begin[u + 1u]; e++) {
            uint64_t const before = end[x->before.at[e]];
            ready = before > ready ? before : ready;
        }
        for (uint32_t p = 0; p < q->kinds; p++) {
            uint64_t const begin = q->idle_at[p] > ready ? q->idle_at[p] : ready;
            uint64_t const finish = gspi_sides_add(begin, gspi_sides_ticks(x, u, p));
            if (finish < best) {
                best = finish;
                x->at[u] = (uint8_t)p;
            }
        }
        end[u] = best;
        q->idle_at[x->at[u]] = best;
    }
}

/* The fastest kind of each unit. */
static void gspi_overlap_place_by_speed(const gspi_overlap *q)
{
    const gspi_sides *x = q->x;
    for (uint32_t u = 0; u < x->n; u++) {
        uint64_t least = UINT64_MAX;
        for (uint32_t p = 0; p < q->kinds; p++) {
            uint64_t const ticks = gspi_sides_ticks(x, u, p);
            x->at[u] = ticks < least ? (uint8_t)p : x->at[u];
            least = ticks < least ? ticks : least;
        }
    }
}

/* ---- Bounds ---- */

/* The earliest end of a value on a kind, if all that it reads takes the best way. */
static uint64_t gspi_overlap_arrives(const gspi_overlap *q, gsp_node v, uint32_t kind)
{
    uint64_t const move = gspi_sides_move(q->x, v);
    uint64_t first = UINT64_MAX;
    for (uint32_t from = 0; from < q->kinds; from++) {
        uint64_t const moves = from == kind ? 0u : (from != 0 ? 1u : 0u) + (kind != 0 ? 1u : 0u);
        uint64_t const at = gspi_sides_add(q->end[(size_t)v * q->kinds + from], moves * move);
        first = at < first ? at : first;
    }
    return first;
}

static uint64_t gspi_overlap_ends(const gspi_overlap *q, gsp_node v, uint32_t kind)
{
    const gspi_sides *x = q->x;
    uint32_t const unit = x->unit[v];
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(x->g, v, &n);
    uint64_t begin = gspi_sides_launch(x, kind);
    if (unit == x->n ? kind != 0 : !gspi_sides_can(x, unit, kind)) {
        return UINT64_MAX;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint64_t const first =
            x->unit[in[i]] != GSP_NONE ? gspi_overlap_arrives(q, in[i], kind) : 0u;
        begin = first > begin ? first : begin;
    }
    return begin + (unit == x->n ? 0u : x->d->ticks[kind][v]);
}

/* The longest path if each value takes the best way. */
static uint64_t gspi_overlap_longest_path(gspi_overlap *q)
{
    uint64_t longest = 0;
    for (gsp_node v = 0; v < q->x->g->n_nodes; v++) {
        uint64_t least = UINT64_MAX;
        for (uint32_t p = 0; p < q->kinds && q->x->unit[v] != GSP_NONE; p++) {
            uint64_t *end = &q->end[(size_t)v * q->kinds + p];
            *end = gspi_overlap_ends(q, v, p);
            least = *end < least ? *end : least;
        }
        longest = q->x->unit[v] != GSP_NONE && least > longest ? least : longest;
    }
    return longest;
}

/* What units take at least if a tick of each kind counts as its weight says, of 1 in all. */
static double gspi_overlap_weighted(gspi_overlap *q)
{
    const gspi_sides *x = q->x;
    double sum = 0.0;
    for (uint32_t p = 0; p < q->kinds; p++) {
        q->load[p] = 0.0;
    }
    for (uint32_t u = 0; u < x->n; u++) {
        double least = 0.0;
        uint32_t best = GSP_NONE;
        for (uint32_t p = 0; p < q->kinds; p++) {
            uint64_t const ticks = gspi_sides_ticks(x, u, p);
            double const cost = q->weight[p] * (double)ticks;
            if (ticks != GSPI_SIDES_NEVER && (best == GSP_NONE || cost < least)) {
                least = cost;
                best = p;
            }
        }
        uint64_t const taken = gspi_sides_ticks(x, u, best);
        sum += least;
        q->load[best] += (double)taken;
    }
    return sum;
}

/* Weights of the first resources move towards those with most of the work. */
static void gspi_overlap_move_weights(gspi_overlap *q, uint32_t n, double bound, uint32_t turn)
{
    double all = 0.0;
    for (uint32_t k = 0; k < n; k++) {
        double const over = bound > 0.0 ? q->load[k] / bound : 0.0;
        q->weight[k] *= 1.0 + (over - 1.0) / (2.0 + turn / 4.0) * 0.5;
        all += q->weight[k];
    }
    for (uint32_t k = 0; k < n; k++) {
        q->weight[k] /= all;
    }
}

/* The work of nodes, divided in the best way. */
static uint64_t gspi_overlap_best_share(gspi_overlap *q)
{
    double best = 0.0;
    for (uint32_t p = 0; p < q->kinds; p++) {
        q->weight[p] = 1.0 / q->kinds;
    }
    for (uint32_t i = 0; i < GSPI_OVERLAP_SHARES; i++) {
        double const bound = gspi_overlap_weighted(q);
        for (uint32_t p = 0; p < q->kinds && bound > best; p++) {
            q->best_weight[p] = q->weight[p];
        }
        best = bound > best ? bound : best;
        gspi_overlap_move_weights(q, q->kinds, bound, i);
    }
    double const sure = best - best * 1e-11; /* sums of doubles are not exact */
    return (uint64_t)sure + (sure > (double)(uint64_t)sure ? 1u : 0u);
}

/* Whole weights for networks. Returns their sum. */
static uint64_t gspi_overlap_round_weights(const gspi_overlap *q)
{
    gspi_sides_search *s = q->cuts;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < q->n_resources; k++) {
        uint64_t const whole = (uint64_t)(q->weight[k] * (double)s->scale);
        uint64_t *to = k < q->kinds ? &s->weight[k] : &s->channel[k - q->kinds + 1u];
        *to = whole;
        sum += whole;
    }
    return sum;
}

static int gspi_overlap_is_on(const gspi_overlap *q, uint32_t unit, uint32_t kind)
{
    return unit != q->x->n && q->cuts->on[(size_t)unit * q->kinds + kind] != 0;
}

/* What moves through the channel of a kind in its cut. */
static uint64_t gspi_overlap_moved(const gspi_overlap *q, uint32_t kind)
{
    const gspi_sides *x = q->x;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < x->n_values; i++) {
        const gspi_sides_value *value = &x->values[i];
        int const from = gspi_overlap_is_on(q, value->unit, kind);
        uint32_t apart = 0;
        for (uint32_t k = value->begin; k < value->end; k++) {
            apart |= gspi_overlap_is_on(q, x->readers[k], kind) != from ? 1u : 0u;
        }
        sum += value->move * apart;
    }
    return sum;
}

/* Launches of a kind in its cut. */
static uint64_t gspi_overlap_launched(const gspi_overlap *q, uint32_t kind)
{
    const gspi_sides_search *s = q->cuts;
    uint64_t sum = 0;
    int before = 0;
    for (uint32_t i = 0; i < s->n_path; i++) {
        int const now = gspi_overlap_is_on(q, s->path[i], kind);
        sum += now && !before ? gspi_sides_launch(q->x, kind) : 0u;
        before = now;
    }
    return sum;
}

/* The work of all resources in the cuts. */
static void gspi_overlap_load_cuts(gspi_overlap *q)
{
    const gspi_sides *x = q->x;
    for (uint32_t p = 0; p < q->kinds; p++) {
        uint64_t sum = 0;
        for (uint32_t u = 0; u < x->n; u++) {
            int elsewhere = p == 0;
            for (uint32_t k = 1; k < q->kinds && elsewhere; k++) {
                elsewhere = !gspi_overlap_is_on(q, u, k);
            }
            int const there =
                p == 0 ? elsewhere && gspi_sides_can(x, u, 0) : gspi_overlap_is_on(q, u, p);
            sum += there ? gspi_sides_ticks(x, u, p) : 0u;
        }
        sum += gspi_overlap_launched(q, p);
        q->load[p] = (double)sum;
        if (p != 0) {
            uint64_t const moved = gspi_overlap_moved(q, p);
            q->load[q->kinds - 1u + p] = (double)moved;
        }
    }
}

/* A bound in parts of ticks; 0 if the work ended. Prices and none are best in turns. */
static int gspi_overlap_cut_all(const gspi_overlap *q, uint32_t turn, int64_t *bound)
{
    gspi_sides_search *s = q->cuts;
    int done = 1;
    gspi_sides_start_prices(s);
    for (uint32_t u = 0; u < q->x->n && turn % 2u != 0; u++) {
        s->price[u] = 0;
    }
    *bound = gspi_sides_constant(s);
    for (uint32_t p = 1; p < q->kinds && done; p++) {
        done = gspi_sides_cut_term(s, p, bound);
    }
    return done;
}

/* The same with launches and transfers. No resource is busy for longer than the makespan, and so is
 * no weighted mean of them; the least mean of all choices is a minimum cut for two kinds, and for
 * more it is at least as large as the sum of the cuts of each kind or elsewhere. */
static uint64_t gspi_overlap_best_cuts(gspi_overlap *q)
{
    gspi_sides_search *s = q->cuts;
    uint64_t best = 0;
    for (uint32_t k = 0; k < q->n_resources; k++) {
        q->weight[k] = k < q->kinds ? q->best_weight[k] * 0.75 : 0.25 / (q->kinds - 1u);
    }
    for (uint32_t i = 0; i < GSPI_OVERLAP_CUTS && gspi_sides_may_go_on(s); i++) {
        uint64_t const parts = gspi_overlap_round_weights(q);
        int64_t bound;
        if (!gspi_overlap_cut_all(q, i, &bound)) {
            break;
        }
        uint64_t const whole = bound > 0 ? ((uint64_t)bound + parts - 1u) / parts : 0u;
        best = whole > best ? whole : best;
        gspi_overlap_load_cuts(q);
        gspi_overlap_move_weights(q, q->n_resources, (double)bound / (double)parts, i);
    }
    return best;
}

/* ---- Small graphs ---- */

/* When a step begins at the earliest. */
static uint64_t gspi_overlap_earliest(const gspi_overlap *q, uint32_t depth, uint32_t step)
{
    uint32_t const resource = q->steps[step].resource;
    uint64_t const est = q->few->est[depth][step];
    uint64_t const idle = q->few->idle_at[depth][resource];
    return idle > est ? idle : est;
}

/* Counts a step for the bound of its resource. */
static void gspi_overlap_count_step(gspi_overlap *q, uint32_t step, uint64_t begin)
{
    gspi_overlap_small *m = q->few;
    uint32_t const resource = q->steps[step].resource;
    uint64_t const behind = q->tail[step] - q->length[step];
    m->head[resource] = begin < m->head[resource] ? begin : m->head[resource];
    m->rest[resource] = behind < m->rest[resource] ? behind : m->rest[resource];
    m->sum[resource] += q->length[step];
}

/* The steps that a schedule can continue with; 0 if none is better than the best. */
static int gspi_overlap_open_depth(gspi_overlap *q, uint32_t depth)
{
    gspi_overlap_small *m = q->few;
    uint64_t first = UINT64_MAX;
    uint32_t which = 0;
    for (uint32_t k = 0; k < q->n_resources; k++) {
        m->head[k] = m->rest[k] = UINT64_MAX;
        m->sum[k] = 0;
    }
    for (uint32_t i = 0; i < q->n; i++) {
        uint64_t const begin = gspi_overlap_earliest(q, depth, i);
        if (m->done[i] != 0) {
            continue;
        }
        if (begin + q->tail[i] >= q->r.makespan) {
            return 0;
        }
        gspi_overlap_count_step(q, i, begin);
        if (m->left[depth][i] == 0 && begin + q->length[i] < first) {
            first = begin + q->length[i];
            which = i;
        }
    }
    for (uint32_t k = 0; k < q->n_resources; k++) {
        if (m->head[k] != UINT64_MAX && m->head[k] + m->sum[k] + m->rest[k] >= q->r.makespan) {
            return 0;
        }
    }
    m->limit[depth] = first;
    m->first[depth] = which;
    m->next[depth] = 0;
    m->work += q->n;
    return 1;
}

/* The next candidate, or GSP_NONE. */
static uint32_t gspi_overlap_next_step(gspi_overlap *q, uint32_t depth)
{
    gspi_overlap_small *m = q->few;
    uint32_t const first = m->first[depth];
    uint32_t const resource = q->steps[first].resource;
    while (m->next[depth] < q->n) {
        uint32_t const i = m->next[depth]++;
        if (m->done[i] != 0 || m->left[depth][i] != 0 || q->steps[i].resource != resource) {
            continue;
        }
        if (i == first || gspi_overlap_earliest(q, depth, i) < m->limit[depth]) {
            return i;
        }
    }
    return GSP_NONE;
}

static void gspi_overlap_enter(gspi_overlap *q, uint32_t depth, uint32_t i)
{
    gspi_overlap_small *m = q->few;
    uint32_t const resource = q->steps[i].resource;
    uint64_t const begin = gspi_overlap_earliest(q, depth, i);
    uint64_t const end = begin + q->length[i];
    for (uint32_t k = 0; k < GSPI_OVERLAP_SMALL; k++) {
        m->est[depth + 1u][k] = m->est[depth][k];
        m->left[depth + 1u][k] = m->left[depth][k];
        m->idle_at[depth + 1u][k] = m->idle_at[depth][k];
    }
    m->begin[i] = begin;
    m->done[i] = 1;
    m->chosen[depth] = i;
    m->idle_at[depth + 1u][resource] = end;
    for (uint32_t e = q->begin[i]; e < q->begin[i + 1u]; e++) {
        uint32_t const j = q->after[e];
        m->left[depth + 1u][j]--;
        m->est[depth + 1u][j] = end > m->est[depth + 1u][j] ? end : m->est[depth + 1u][j];
    }
}

/* A schedule of all steps. It is no worse than the best: each step ends before the best of when it
 * was entered, and a better one since then has the same steps up to there. */
static void gspi_overlap_take(gspi_overlap *q)
{
    uint64_t makespan = 0;
    for (uint32_t k = 0; k < q->n; k++) {
        uint64_t const end = q->few->begin[k] + q->length[k];
        makespan = end > makespan ? end : makespan;
    }
    gspi_overlap_keep(q, q->few->begin, makespan);
}

static void gspi_overlap_begin_search(gspi_overlap *q)
{
    gspi_overlap_small *m = q->few;
    for (uint32_t k = 0; k < GSPI_OVERLAP_SMALL; k++) {
        m->done[k] = 0;
        m->est[0][k] = m->idle_at[0][k] = 0;
        m->left[0][k] = k < q->n ? q->waits[k] : 0u;
    }
}

/* All active schedules of a choice whose steps are made. */
static void gspi_overlap_see_schedules(gspi_overlap *q)
{
    gspi_overlap_small *m = q->few;
    uint32_t depth = 0;
    gspi_overlap_begin_search(q);
    if (q->n == 0 || !gspi_overlap_open_depth(q, 0)) {
        return;
    }
    for (;;) {
        uint32_t const i = m->work < m->max_work ? gspi_overlap_next_step(q, depth) : GSP_NONE;
        if (i != GSP_NONE) {
            gspi_overlap_enter(q, depth, i);
            if (depth + 1u == q->n) {
                gspi_overlap_take(q);
                m->done[i] = 0;
            } else if (gspi_overlap_open_depth(q, depth + 1u)) {
                depth++;
            } else {
                m->done[i] = 0;
            }
        } else if (depth == 0) {
            return;
        } else {
            m->done[m->chosen[--depth]] = 0;
        }
    }
}

/* The next choice, as a number with a digit per unit; 0 after the last. */
static int gspi_overlap_next_choice(const gspi_overlap *q)
{
    uint8_t *at = q->x->at;
    for (uint32_t u = 0; u < q->x->n; u++) {
        do {
            at[u]++;
        } while (at[u] < q->kinds && !gspi_sides_can(q->x, u, at[u]));
        if (at[u] < q->kinds) {
            return 1;
        }
        at[u] = gspi_sides_settle(q->x, u, 0);
    }
    return 0;
}

/* How many choices there are, if they are few; `at` is the first one. */
static uint64_t gspi_overlap_count_choices(const gspi_overlap *q)
{
    uint64_t choices = 1;
    for (uint32_t u = 0; u < q->x->n && choices <= GSPI_OVERLAP_CHOICES; u++) {
        uint64_t n = 0;
        for (uint32_t p = 0; p < q->kinds; p++) {
            n += gspi_sides_can(q->x, u, p) ? 1u : 0u;
        }
        q->x->at[u] = gspi_sides_settle(q->x, u, 0);
        choices *= n;
    }
    return choices;
}

/* Proves the best, or finds a better one, where choices are few. */
static void gspi_overlap_see_all(gspi_overlap *q)
{
    int fits = 1;
    if (gspi_overlap_count_choices(q) > GSPI_OVERLAP_CHOICES ||
        q->n_resources > GSPI_OVERLAP_SMALL) {
        return;
    }
    do {
        gspi_overlap_make_steps(q);
        fits = q->n < GSPI_OVERLAP_SMALL;
        if (fits) {
            gspi_overlap_see_schedules(q);
        }
    } while (fits && q->few->work < q->few->max_work && q->r.makespan > q->r.lower_bound &&
             gspi_overlap_next_choice(q));
    if (fits && q->few->work < q->few->max_work) {
        q->r.lower_bound = q->r.makespan;
    }
}

/* ---- The pass ---- */

static int gspi_overlap_is_step_before(const gsp_overlap_step *a, const gsp_overlap_step *b)
{
    return a->begin != b->begin ? a->begin < b->begin
           : a->end != b->end   ? a->end < b->end
           : a->node != b->node ? a->node < b->node
                                : a->what < b->what;
}

/* Steps by begin, by merging. */
static void gspi_overlap_sort_steps(gspi_overlap *q)
{
    uint32_t const n = q->r.n_steps;
    for (uint32_t width = 1; width < n; width *= 2u) {
        for (uint32_t i = 0; i < n; i++) {
            q->steps[i] = q->kept[i];
        }
        for (uint32_t first = 0; first < n; first += 2u * width) {
            uint32_t const middle = n - first > width ? first + width : n;
            uint32_t const last = n - first > 2u * width ? first + 2u * width : n;
            uint32_t a = first;
            uint32_t b = middle;
            for (uint32_t i = first; i < last; i++) {
                int const right = b < last && (a == middle || gspi_overlap_is_step_before(
                                                                  &q->steps[b], &q->steps[a]));
                q->kept[i] = right ? q->steps[b++] : q->steps[a++];
            }
        }
    }
}

static void gspi_overlap_find(gspi_overlap *q)
{
    const gsp_sides_desc *d = q->x->d;
    for (uint32_t i = 0; i < d->n_starts; i++) {
        gspi_sides_enter_choice(q->x, d->starts[i]);
        uint64_t const before = gspi_overlap_improve(q);
        q->r.reference = i == 0 ? before : q->r.reference;
    }
    for (uint32_t u = 0; u < q->x->n; u++) {
        q->x->at[u] = gspi_sides_settle(q->x, u, 0);
    }
    if (d->n_starts == 0) {
        (void)gspi_overlap_improve(q);
    }
    gspi_overlap_place_by_finish(q);
    (void)gspi_overlap_improve(q);
    gspi_overlap_place_by_speed(q);
    (void)gspi_overlap_improve(q);
    gspi_overlap_see_all(q);
}

/* Bytes of a run. */
GSPI_OFFLOAD_OWN_FRAME uint64_t gspi_overlap_own(gsp_counts c, uint64_t kinds)
{
    gspi_overlap q;
    gspi_offload_bump b = {NULL, 0};
    (void)gspi_offload_push(&b, 1, sizeof(gspi_overlap));
    gspi_overlap_layout(&b, &q, c, kinds);
    (void)gspi_offload_push(&b, gspi_overlap_most(c), sizeof(gsp_overlap_step));
    (void)gspi_offload_push(&b, 2u * kinds, sizeof(uint64_t));
    return b.used;
}

size_t gsp_overlap_bound(const gsp_graph *graph, const gsp_sides_desc *desc)
{
    gsp_counts const c = gsp_graph_counts(graph);
    uint64_t const kinds = gspi_sides_kinds(desc);
    size_t const network = gsp_network_bound(gspi_sides_arcs(c, kinds));
    uint64_t all = gspi_sides_add(gspi_sides_own(c, kinds), gspi_overlap_own(c, kinds));
    all = gspi_sides_add(all, network == SIZE_MAX ? UINT64_MAX : network);
    all = gspi_sides_add(all, gspi_sides_own_search(c, kinds));
    return all < SIZE_MAX ? (size_t)all : SIZE_MAX;
}

GSPI_OFFLOAD_OWN_FRAME gspi_overlap *gspi_overlap_open(gspi_sides *x, gsp_arena *arena)
{
    gspi_offload_bump b = {arena, 0};
    gsp_counts const c = gsp_graph_counts(x->g);
    uint64_t const most = gspi_overlap_most(c);
    gspi_overlap *q = (gspi_overlap *)gspi_offload_push(&b, 1, sizeof(gspi_overlap));
    if (GSPI_OFFLOAD_NEVER(q == NULL)) {
        return NULL;
    }
    gspi_overlap_layout(&b, q, c, x->kinds);
    q->kept = (gsp_overlap_step *)gsp_arena_push(arena, (size_t)most, sizeof(gsp_overlap_step));
    q->busy = (uint64_t *)gsp_arena_push(arena, 2u * (size_t)x->kinds, sizeof(uint64_t));
    size_t const network = gsp_network_bound(gspi_sides_arcs(c, x->kinds));
    q->cuts = gspi_sides_open_search(x, arena, network);
    if (GSPI_OFFLOAD_NEVER(q->cuts == NULL)) {
        return NULL;
    }
    q->cuts->limit = q->cuts->max_work / 4u;
    q->x = x;
    q->kinds = x->kinds;
    q->n_resources = 2u * x->kinds - 1u;
    q->max_work = x->d->max_work != 0u ? x->d->max_work : GSPI_OVERLAP_WORK;
    q->few->max_work =
        q->max_work < GSPI_OVERLAP_SMALL_WORK ? q->max_work : GSPI_OVERLAP_SMALL_WORK;
    q->r.makespan = UINT64_MAX;
    q->r.reference = UINT64_MAX;
    return q;
}

/* The shortest schedule, and what bounds it. */
GSPI_OFFLOAD_OWN_FRAME void gspi_overlap_solve(gspi_overlap *q)
{
    q->r.path = gspi_overlap_longest_path(q);
    uint64_t const nodes = gspi_overlap_best_share(q);
    uint64_t const all = gspi_overlap_best_cuts(q);
    q->r.share = nodes > all ? nodes : all;
    q->r.lower_bound = q->r.path > q->r.share ? q->r.path : q->r.share;
    if (q->x->d->given != NULL) {
        gspi_sides_enter_choice(q->x, q->x->d->given);
        (void)gspi_overlap_try(q, (uint32_t)GSPI_OVERLAP_PRIORITIES);
    } else {
        gspi_overlap_find(q);
    }
    q->r.reference = q->r.reference == UINT64_MAX ? q->r.makespan : q->r.reference;
    gspi_overlap_sort_steps(q);
}

gsp_status gsp_overlap_run(gsp_arena *arena, const gsp_graph *graph, const gsp_sides_desc *desc,
    gsp_overlap_result *result, gsp_error *err)
{
    gspi_sides *x = NULL;
    gspi_overlap *q;
    gsp_status status = gspi_sides_check(arena, graph, desc, result, err);
    if (status == GSP_OK) {
        status = gspi_sides_begin(arena, graph, desc, gsp_overlap_bound(graph, desc), &x, err);
    }
    if (status != GSP_OK) {
        return status;
    }
    q = gspi_overlap_open(x, arena);
    if (GSPI_OFFLOAD_NEVER(q == NULL)) {
        return gspi_network_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, GSP_NONE, "");
    }
    gspi_overlap_solve(q);
    gspi_sides_write(x);
    *result = q->r;
    result->kind = x->result_kind;
    result->phase = x->result_phase;
    result->steps = q->kept;
    result->busy = q->busy;
    result->n_resources = q->n_resources;
    result->n_subgraphs = x->n_subgraphs;
    result->work = x->work + q->work + q->cuts->net.work;
    gspi_sides_end(x, arena);
    return GSP_OK;
}

#endif /* GSP_NO_COST */
#endif /* GSP_NO_FLOW */

#ifdef __cplusplus
}
#endif

GSPI_OFFLOAD_END

#endif /* GRAPHSPLIT_OFFLOAD_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_OFFLOAD_IMPLEMENTATION */
