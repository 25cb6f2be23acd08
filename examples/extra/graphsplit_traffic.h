/* graphsplit_traffic.h - an add-on of graphsplit.h: a split with the fewest bytes between subgraphs
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Finds phases for gsp_split_run(), as few as there can be, with the fewest bytes written, read, or
 * kept between their subgraphs, and a lower bound. Needs graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_TRAFFIC_IMPLEMENTATION
 *     #include "graphsplit_traffic.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 * With GSP_NO_FLOW there are no minimum cuts, and this header is empty.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>traffic            Phases of a split with the fewest bytes between them
 *     >>impl               Implementation guard
 *
 *     gsp_traffic_run              desc.max_work               48 per node, 4 per edge, 73 per arc
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_TRAFFIC_H_INCLUDED
#define GRAPHSPLIT_TRAFFIC_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_TRAFFIC_IMPLEMENTATION)
#error "graphsplit_traffic: GRAPHSPLIT_STATIC needs GRAPHSPLIT_TRAFFIC_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef GSP_NO_FLOW

/* ----
 * >>traffic   Phases of a split with the fewest bytes between them (API)
 * ---- */

/* What counts of a value that other subgraphs read. */
typedef enum gsp_traffic_measure {
    GSP_TRAFFIC_WRITTEN,  /* its bytes */
    GSP_TRAFFIC_READ,     /* its bytes per subgraph that reads it */
    GSP_TRAFFIC_RESIDENT, /* its bytes per boundary up to the last one that does */
    GSP_TRAFFIC_COUNT,
    GSP_TRAFFIC_FORCE_U32 = 0x7FFFFFFF
} gsp_traffic_measure;

/* Called before each cut; `work` increases. Returns 0 to continue, else the best so far is kept. */
typedef int (*gsp_traffic_progress_func)(void *user, uint64_t work);

/* Kinds and groups are those of gsp_split_result. Nodes that are not callable have none. */
typedef struct gsp_traffic_desc {
    uint32_t start_canary;
    uint32_t measure;    /* gsp_traffic_measure */
    const uint8_t *kind; /* [n] 0 or 1, which is the accelerator; required */
    const uint32_t
        *group;           /* [n] of nodes that stay together, below n; GSP_NONE if alone; or NULL */
    uint32_t best_start;  /* as in gsp_split_desc */
    uint32_t other_start; /* 1 begins with the other kind, with as many phases */
    uint64_t max_work;    /* arcs scanned; 0 means 2^25 */
    uint32_t max_arcs;    /* of the cut for RESIDENT, 73 bytes each; 0 means 2^21 */
    gsp_traffic_progress_func progress; /* or NULL */
    void *progress_user;
    uint32_t end_canary;
} gsp_traffic_desc;

/* All arrays are read-only. A unit is a group, or a node alone, and has the id of its last node. */
typedef struct gsp_traffic_result {
    const uint32_t *phase; /* [n] for gsp_split_desc.phase; GSP_NONE if not callable */
    const uint32_t *unit;  /* [n] GSP_NONE if not callable */
    const uint32_t *early; /* [n] of a unit: the first and the last phase in which it may run */
    const uint32_t *late;
    uint32_t n_phases; /* 0 without callable nodes, and without a search if other_start has more */
    uint32_t stopped;  /* 1 if progress ended the search early */
    uint64_t bytes[GSP_TRAFFIC_COUNT];     /* by measure */
    uint64_t reference[GSP_TRAFFIC_COUNT]; /* of the phases of gsp_split_run() */
    uint64_t lower_bound; /* of the measure, in so many phases; its bytes if that is proved */
    uint64_t work;        /* arcs scanned and read */
} gsp_traffic_result;

/* gsp_traffic_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_traffic_bound(const gsp_graph *graph, const gsp_traffic_desc *desc);

/* gsp_traffic_run: as many phases as gsp_split_run() has, with the fewest bytes between them.
 *
 * What:    A unit may be in every second phase from its earliest to its latest. RESIDENT is exact,
 *          by one minimum cut, unless the work ends or the network has no room. WRITTEN and READ
 *          are as good as minimum cuts between two phases per unit make them, from three starts.
 *          Never worse than the earliest phases.
 * Errors:  ARG, DESC (CHOICE: the measure); after NOMEM: ARG (KIND: of a node, or another one than
 *          that of other in its group; RANGE: group of a node), OVERFLOW (SIZE: bytes up to node,
 *          times nodes, are 2^61 or more), CYCLE (PARTS_CYCLE: groups read each other through the
 *          other kind)
 * Time:    max_work, and O(nodes + edges) per cut, times nodes if groups interleave
 * Memory:  the bound
 * Example: examples/traffic.c
 * See:     Picard 1976; Ishikawa 2003; Boykov, Veksler, Zabih 2001 (swap moves)
 */
GSP_API gsp_status gsp_traffic_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_traffic_desc *desc, gsp_traffic_result *result, gsp_error *err);

#endif /* GSP_NO_FLOW */

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_TRAFFIC_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_TRAFFIC_IMPLEMENTATION
#ifndef GRAPHSPLIT_TRAFFIC_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_TRAFFIC_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_TRAFFIC_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_TRAFFIC_END       _Pragma("GCC diagnostic pop")
#define GSPI_TRAFFIC_OWN_FRAME __attribute__((noinline)) static /* not on the stack of its caller */
#else
#define GSPI_TRAFFIC_BEGIN
#define GSPI_TRAFFIC_END
#define GSPI_TRAFFIC_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_TRAFFIC_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

#ifndef GSP_NO_FLOW

/* ----
 * >>traffic   Phases of a split with the fewest bytes between them (implementation)
 * ---- */

/* RESIDENT is convex in the phases of writer and reader, so one minimum cut over "the phase is p at
 * least" is exact (Ishikawa 2003). The other measures are submodular where each unit has two
 * phases: one cut lets all units of a kind choose, those in p and p + 2 between these two, for
 * every fourth p. */

#define GSPI_TRAFFIC_ARCS   ((uint32_t)1u << 21u) /* of the largest cut for RESIDENT */
#define GSPI_TRAFFIC_WORK   ((uint64_t)1u << 25u)
#define GSPI_TRAFFIC_MOST   ((uint64_t)1u << 61u) /* bytes times nodes */
#define GSPI_TRAFFIC_SOURCE 0u
#define GSPI_TRAFFIC_SINK   1u

/* A condition that no input makes; `make cov` does not count it. */
#define GSPI_TRAFFIC_NEVER(x) (x)

typedef struct gspi_traffic { /* not on the stack */
    gsp_arena *arena;
    const gsp_graph *g;
    const gsp_traffic_desc *d;
    uint32_t *best;   /* [n] phases of the result */
    uint32_t *unit;   /* [n] */
    uint32_t *early;  /* [n] of units */
    uint32_t *late;   /* [n] */
    uint32_t *begin;  /* [n + 1] into reader */
    uint32_t *end;    /* [n] of the units that read a node; others must run later */
    uint32_t *reader; /* [m] other units that run later than a node */
    uint32_t *at;     /* [n] the phases that are tried */
    uint32_t *low;    /* [n] the lower phase to choose; GSP_NONE without a choice */
    uint32_t *node;   /* [n] of the network */
    uint32_t *stamp;  /* [n + 1] of phases */
    uint32_t *join;   /* [n + 1] nodes of the network, by phase */
    uint32_t n;
    uint32_t n_phases;
    uint64_t fixed;      /* what all phases cost, of RESIDENT */
    gsp_cut_arc *arcs;   /* [most] */
    uint32_t most;       /* arcs, and nodes of the network, for which there is room */
    uint32_t n_nodes;    /* of the network */
    uint64_t n_arcs;     /* those above `most` are counted alone */
    uint64_t value;      /* of the last cut, or a lower bound */
    uint64_t max_work;   /* of the search so far */
    const uint8_t *side; /* of the last cut: 1 on the side of the source */
    gsp_traffic_result result;
} gspi_traffic;

/* Names the argument or field at fault; a second NUL says that no count makes it required. */
#ifdef GSP_NO_MESSAGES
#define GSPI_TRAFFIC_FIELD(text) ""
#else
#define GSPI_TRAFFIC_FIELD(text) text "\0"
#endif

static gsp_status gspi_traffic_fail(gsp_error *err, gsp_status status, gsp_detail detail,
    gsp_node node, gsp_node other, const char *field)
{
    if (err != NULL) {
        uint32_t const what = node == GSP_NONE ? GSP_WHAT_NONE : GSP_WHAT_NODE;
        gsp_error const e = {status, detail, what, node, other, 0, 0, 0, 0u, field};
        *err = e;
    }
    return status;
}

static gsp_status gspi_traffic_missing(gsp_error *err, const char *field)
{
    return gspi_traffic_fail(
        err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, GSP_NONE, field);
}

/* OK if so many bytes are left. */
static gsp_status gspi_traffic_room(const gsp_arena *arena, size_t bound, gsp_error *err)
{
    if (bound == SIZE_MAX) {
        return gspi_traffic_fail(
            err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE, GSP_NONE, "");
    }
    if (gsp_arena_left(arena) >= bound) {
        return gspi_traffic_fail(err, GSP_OK, GSP_DETAIL_NONE, GSP_NONE, GSP_NONE, "");
    }
    (void)gspi_traffic_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, GSP_NONE, "");
    if (err != NULL) {
        err->need = bound;
        err->limit = gsp_arena_left(arena);
    }
    return GSP_STATUS_NOMEM;
}

/* ---- Layout ---- */

/* A layout pushes all arrays in order; without an arena it measures them. */
typedef struct gspi_traffic_bump {
    gsp_arena *arena;
    uint64_t used;
} gspi_traffic_bump;

GSPI_TRAFFIC_OWN_FRAME void *gspi_traffic_push(
    gspi_traffic_bump *b, uint64_t count, size_t size, int high)
{
    b->used += (count * size + (GSP_GAP + GSP_ALIGN - 1u)) & ~((uint64_t)GSP_ALIGN - 1u);
    return b->arena == NULL ? NULL
           : high           ? gsp_arena_push_high(b->arena, (size_t)count, size)
                            : gsp_arena_push(b->arena, (size_t)count, size);
}

/* Arcs for which the network has room. */
static uint32_t gspi_traffic_most(gsp_counts c, const gsp_traffic_desc *d)
{
    uint64_t const sum = (uint64_t)c.nodes + c.edges;
    uint64_t const linear = 5u * sum + 2u; /* for choices between two */
    uint64_t const exact = 1024u * sum;
    uint64_t const given = d == NULL || d->max_arcs == 0u ? GSPI_TRAFFIC_ARCS : d->max_arcs;
    uint64_t const most = exact < given ? exact : given;
    uint64_t const larger = most > linear ? most : linear;
    return larger < GSP_NONE ? (uint32_t)larger : GSP_NONE;
}

/* The results first; they stay. */
static void gspi_traffic_layout(gspi_traffic_bump *b, gspi_traffic *t, gsp_counts c)
{
    uint32_t **const words[] = {&t->best, &t->unit, &t->early, &t->late, &t->begin, &t->end, &t->at,
        &t->low, &t->node, &t->stamp, &t->join};
    for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        *words[i] =
            (uint32_t *)gspi_traffic_push(b, (uint64_t)c.nodes + 1u, sizeof(uint32_t), i >= 4u);
    }
    t->reader = (uint32_t *)gspi_traffic_push(b, c.edges, sizeof(uint32_t), 1);
    t->arcs = (gsp_cut_arc *)gspi_traffic_push(b, t->most, sizeof(gsp_cut_arc), 1);
}

size_t gsp_traffic_bound(const gsp_graph *graph, const gsp_traffic_desc *desc)
{
    gspi_traffic t;
    gsp_counts const c = gsp_graph_counts(graph);
    gspi_traffic_bump b = {NULL, 2u * GSP_BOUND_SLACK};
    t.most = gspi_traffic_most(c, desc);
    gsp_min_cut_desc const cut = {0, t.most, t.most, NULL, 0, 0};
    size_t const network = gsp_min_cut_bound(&cut);
    (void)gspi_traffic_push(&b, 1, sizeof t, 1);
    gspi_traffic_layout(&b, &t, c);
    uint64_t const all = network == SIZE_MAX ? UINT64_MAX : network + b.used;
    return all < SIZE_MAX ? (size_t)all : SIZE_MAX;
}

static void gspi_traffic_fill(uint32_t *words, uint32_t n, uint32_t value)
{
    for (uint32_t i = 0; i < n; i++) {
        words[i] = value;
    }
}

static void gspi_traffic_copy(uint32_t *to, const uint32_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = from[i];
    }
}

/* ---- The network ---- */

static void gspi_traffic_start(gspi_traffic *t)
{
    t->n_nodes = 2;
    t->n_arcs = 0;
    t->value = 0;
}

static void gspi_traffic_arc(gspi_traffic *t, uint32_t from, uint32_t to, uint64_t capacity)
{
    if (t->n_arcs < t->most) {
        gsp_cut_arc const arc = {capacity, 0, from, to};
        t->arcs[t->n_arcs] = arc;
    }
    t->n_arcs++;
}

static int gspi_traffic_fits(const gspi_traffic *t)
{
    return (t->n_arcs > t->n_nodes ? t->n_arcs : t->n_nodes) <= t->most;
}

/* Once it is asked to stop, no cut has any work left. */
static void gspi_traffic_report(gspi_traffic *t)
{
    const gsp_traffic_desc *d = t->d;
    if (d->progress != NULL && d->progress(d->progress_user, t->result.work) != 0) {
        t->result.stopped = 1;
        t->max_work = 0;
    }
}

/* 1 with a minimum cut; 0 without: the network has no room, or the work ended. */
static int gspi_traffic_cut(gspi_traffic *t)
{
    gsp_min_cut_desc desc = {0, t->n_nodes, (uint32_t)t->n_arcs, t->arcs, 0, 0};
    gsp_mark const mark = gsp_arena_mark(t->arena);
    gsp_min_cut_result r;
    gspi_traffic_report(t);
    if (!gspi_traffic_fits(t) || t->result.work >= t->max_work) {
        return 0;
    }
    desc.max_work = t->max_work - t->result.work;
    if (GSPI_TRAFFIC_NEVER(gsp_min_cut_run(t->arena, &desc, &r, NULL) != GSP_OK)) {
        return 0; /* there is room, and the capacities are below 2^61 */
    }
    gsp_arena_rewind(t->arena, mark); /* nothing is allocated before the next cut */
    t->result.work += r.work + t->n_arcs;
    t->side = r.side;
    t->value = r.value;
    return r.side != NULL;
}

/* ---- Units and phases ---- */

static uint32_t gspi_traffic_group(const gspi_traffic *t, gsp_node v)
{
    return t->d->group == NULL ? GSP_NONE : t->d->group[v];
}

/* A kind per group; every sum of bytes times phases is below 2^61. */
static gsp_status gspi_traffic_check(const gspi_traffic *t, gsp_error *err)
{
    uint32_t *first = t->at; /* [n] of a group, or GSP_NONE */
    uint64_t sum = 0;
    gspi_traffic_fill(first, t->n, GSP_NONE);
    for (gsp_node v = 0; v < t->n; v++) {
        uint32_t const group = gspi_traffic_group(t, v);
        uint64_t const bytes = gsp_node_bytes(t->g, v);
        if (!gsp_node_is_callable(t->g, v)) {
            continue;
        }
        if (t->d->kind[v] > 1u) {
            return gspi_traffic_fail(
                err, GSP_STATUS_ARG, GSP_DETAIL_KIND, v, GSP_NONE, GSPI_TRAFFIC_FIELD("kind"));
        }
        if (bytes >= GSPI_TRAFFIC_MOST / t->n - sum) {
            return gspi_traffic_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, v, GSP_NONE, "");
        }
        sum += bytes;
        if (group == GSP_NONE) {
            continue;
        }
        if (group >= t->n) {
            return gspi_traffic_fail(
                err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, v, GSP_NONE, GSPI_TRAFFIC_FIELD("group"));
        }
        first[group] = first[group] == GSP_NONE ? v : first[group];
        if (t->d->kind[first[group]] != t->d->kind[v]) {
            return gspi_traffic_fail(
                err, GSP_STATUS_ARG, GSP_DETAIL_KIND, v, first[group], GSPI_TRAFFIC_FIELD("kind"));
        }
    }
    return GSP_OK;
}

/* The nodes that must run before a node: by values, or by writes where the graph has an order. */
static const gsp_node *gspi_traffic_before(const gsp_graph *g, gsp_node v, uint32_t *count)
{
    const gsp_order *o = g->order;
    if (o == NULL) {
        return gsp_node_inputs(g, v, count);
    }
    *count = o->before.begin[v + 1u] - o->before.begin[v];
    return o->before.at + o->before.begin[v];
}

/* The same for those after it, its users first. */
static const gsp_node *gspi_traffic_after(const gsp_graph *g, gsp_node v, uint32_t *count)
{
    const gsp_order *o = g->order;
    if (o == NULL) {
        return gsp_node_users(g, v, count);
    }
    *count = o->after.begin[v + 1u] - o->after.begin[v];
    return o->after.at + o->after.begin[v];
}

static void gspi_traffic_read_readers(gspi_traffic *t)
{
    uint32_t n = 0;
    for (gsp_node v = 0; v < t->n; v++) {
        uint32_t n_users, n_after;
        const gsp_node *after = gspi_traffic_after(t->g, v, &n_after);
        (void)gsp_node_users(t->g, v, &n_users);
        n_after = t->unit[v] == GSP_NONE ? 0u : n_after;
        t->begin[v] = t->end[v] = n;
        for (uint32_t i = 0; i < n_after; i++) {
            uint32_t const unit = t->unit[after[i]];
            if (unit != GSP_NONE && unit != t->unit[v]) {
                t->reader[n++] = unit;
                t->end[v] = i < n_users ? n : t->end[v];
            }
        }
    }
    t->begin[t->n] = n;
}

static void gspi_traffic_read_units(gspi_traffic *t)
{
    uint32_t *last = t->at; /* [n] of a group */
    for (gsp_node v = 0; v < t->n; v++) {
        uint32_t const group = gspi_traffic_group(t, v);
        t->unit[v] = gsp_node_is_callable(t->g, v) ? v : GSP_NONE;
        if (t->unit[v] != GSP_NONE && group != GSP_NONE) {
            last[group] = v;
        }
    }
    for (gsp_node v = 0; v < t->n; v++) {
        uint32_t const group = gspi_traffic_group(t, v);
        if (t->unit[v] != GSP_NONE && group != GSP_NONE) {
            t->unit[v] = last[group];
        }
    }
    gspi_traffic_read_readers(t);
}

/* Moves phases of units up, or down, until each reader is in the phase of what it reads or later.
 * Two turns suffice unless groups interleave. Returns the highest phase, or n + 2 and more if there
 * is none that suits all. */
static uint32_t gspi_traffic_put_in_order(const gspi_traffic *t, uint32_t *phase, int down)
{
    uint32_t highest = 0;
    int changed = 1;
    while (changed && highest < t->n + 2u) {
        changed = 0;
        for (uint32_t i = 0; i < t->n; i++) {
            gsp_node const u = down ? t->n - 1u - i : i;
            for (uint32_t e = t->begin[u]; e < t->begin[u + 1u]; e++) {
                uint32_t *from = &phase[t->unit[u]];
                uint32_t *to = &phase[t->reader[e]];
                uint32_t const step = (*from ^ *to) & 1u;
                if (*from + step > *to) {
                    *from = down ? *to - step : *from;
                    *to = down ? *to : *from + step;
                    highest = *to > highest ? *to : highest;
                    changed = 1;
                }
            }
        }
    }
    return highest;
}

/* The earliest phases with this first kind, or the other if that has none; returns how many. */
static uint32_t gspi_traffic_find_early(gspi_traffic *t, uint32_t start)
{
    uint32_t n_phases = 0;
    uint32_t first = 1;
    for (gsp_node v = 0; v < t->n; v++) {
        t->early[v] = t->d->kind[v] == start ? 0u : 1u;
    }
    if (gspi_traffic_put_in_order(t, t->early, 0) >= t->n + 2u) {
        return GSP_NONE;
    }
    for (gsp_node v = 0; v < t->n; v++) {
        first = t->unit[v] == v && t->early[v] == 0 ? 0u : first;
    }
    for (gsp_node v = 0; v < t->n; v++) {
        if (t->unit[v] == v) {
            t->early[v] -= first;
            n_phases = t->early[v] >= n_phases ? t->early[v] + 1u : n_phases;
        }
    }
    return n_phases;
}

static void gspi_traffic_find_late(gspi_traffic *t)
{
    uint32_t const last = t->n_phases - 1u;
    for (gsp_node v = 0; v < t->n; v++) {
        t->late[v] = last - ((t->early[v] ^ last) & 1u);
    }
    (void)gspi_traffic_put_in_order(t, t->late, 1);
}

/* ---- Bytes ---- */

/* The bytes by measure when units are in these phases. */
static void gspi_traffic_count(const gspi_traffic *t, const uint32_t *phase, uint64_t *bytes)
{
    gspi_traffic_fill(t->stamp, t->n + 1u, 0);
    bytes[GSP_TRAFFIC_WRITTEN] = bytes[GSP_TRAFFIC_READ] = bytes[GSP_TRAFFIC_RESIDENT] = 0;
    for (gsp_node u = 0; u < t->n; u++) {
        uint64_t const size = gsp_node_bytes(t->g, u);
        uint64_t reads = 0;
        uint32_t span = 0;
        for (uint32_t e = t->begin[u]; e < t->end[u]; e++) {
            uint32_t const p = phase[t->reader[e]];
            uint32_t const apart = p - phase[t->unit[u]];
            span = apart > span ? apart : span;
            reads += apart != 0 && t->stamp[p] != u + 1u ? 1u : 0u;
            t->stamp[p] = u + 1u;
        }
        bytes[GSP_TRAFFIC_WRITTEN] += reads != 0 ? size : 0u;
        bytes[GSP_TRAFFIC_READ] += reads * size;
        bytes[GSP_TRAFFIC_RESIDENT] += span * size;
    }
}

/* Keeps these phases if they are the first, or better. */
GSPI_TRAFFIC_OWN_FRAME void gspi_traffic_keep(gspi_traffic *t, const uint32_t *phase)
{
    uint64_t bytes[GSP_TRAFFIC_COUNT];
    gspi_traffic_count(t, phase, bytes);
    if (t->result.phase != NULL && bytes[t->d->measure] >= t->result.bytes[t->d->measure]) {
        return;
    }
    for (uint32_t i = 0; i < (uint32_t)GSP_TRAFFIC_COUNT; i++) {
        t->result.bytes[i] = bytes[i];
    }
    for (gsp_node v = 0; v < t->n; v++) {
        t->best[v] = t->unit[v] == GSP_NONE ? GSP_NONE : phase[t->unit[v]];
    }
    t->result.phase = t->best;
}

/* What no phases avoid: readers of the other kind, and those that are always later. */
static uint64_t gspi_traffic_least(const gspi_traffic *t)
{
    uint64_t sum = 0;
    for (gsp_node u = 0; u < t->n; u++) {
        uint32_t reads[2] = {0, 0}; /* by the own kind, by the other */
        for (uint32_t e = t->begin[u]; e < t->end[u]; e++) {
            uint32_t const first = t->early[t->reader[e]];
            uint32_t const other = (first ^ t->early[t->unit[u]]) & 1u;
            reads[other] |= other != 0 || first > t->late[t->unit[u]] ? 1u : 0u;
        }
        if (t->d->measure != (uint32_t)GSP_TRAFFIC_READ && reads[1] != 0) {
            reads[0] = 0;
        }
        sum += gsp_node_bytes(t->g, u) * (reads[0] + reads[1]);
    }
    return sum;
}

/* ---- One cut for RESIDENT ---- */

/* The node of the network for "the phase of a unit is p at least". */
static uint32_t gspi_traffic_literal(const gspi_traffic *t, uint32_t unit, uint32_t p)
{
    return p <= t->early[unit] ? GSPI_TRAFFIC_SOURCE
           : p > t->late[unit] ? GSPI_TRAFFIC_SINK
                               : t->node[unit] + (p - t->early[unit] - 1u) / 2u;
}

/* u is kept at boundary p if it is in an earlier phase, and a reader in this one or a later one, in
 * which some reader may be. */
static void gspi_traffic_emit_boundary(gspi_traffic *t, gsp_node u, uint32_t p)
{
    uint64_t const size = gsp_node_bytes(t->g, u);
    uint32_t const to = gspi_traffic_literal(t, t->unit[u], p);
    uint32_t from = GSPI_TRAFFIC_SINK;
    for (uint32_t e = t->begin[u]; e < t->end[u] && from != GSPI_TRAFFIC_SOURCE; e++) {
        uint32_t const reads = gspi_traffic_literal(t, t->reader[e], p);
        from = reads == GSPI_TRAFFIC_SINK     ? from
               : reads == GSPI_TRAFFIC_SOURCE ? GSPI_TRAFFIC_SOURCE
                                              : GSP_NONE;
    }
    if (from == GSP_NONE) {
        from = t->n_nodes++;
        for (uint32_t e = t->begin[u]; e < t->end[u]; e++) {
            uint32_t const reads = gspi_traffic_literal(t, t->reader[e], p);
            if (reads != GSPI_TRAFFIC_SINK) {
                gspi_traffic_arc(t, reads, from, GSP_CUT_INFINITE);
            }
        }
    }
    if (from == GSPI_TRAFFIC_SOURCE && to == GSPI_TRAFFIC_SINK) {
        t->fixed += size;
    } else {
        gspi_traffic_arc(t, from, to, size);
    }
}

/* A reader of the other kind is in p + 1 at least: its literals for p and p + 1 are one. */
static void gspi_traffic_emit_edge(gspi_traffic *t, uint32_t unit, uint32_t reader)
{
    for (uint32_t p = t->early[unit] + 2u; p <= t->late[unit]; p += 2u) {
        uint32_t const to = gspi_traffic_literal(t, reader, p);
        if (to != GSPI_TRAFFIC_SOURCE) {
            gspi_traffic_arc(t, gspi_traffic_literal(t, unit, p), to, GSP_CUT_INFINITE);
        }
    }
}

static void gspi_traffic_emit_unit(gspi_traffic *t, uint32_t unit)
{
    t->node[unit] = t->n_nodes;
    for (uint32_t p = t->early[unit] + 2u; p <= t->late[unit]; p += 2u) {
        uint32_t const node = t->n_nodes++;
        if (node > t->node[unit]) {
            gspi_traffic_arc(t, node, node - 1u, GSP_CUT_INFINITE);
        }
    }
}

/* As far as it fits. */
GSPI_TRAFFIC_OWN_FRAME void gspi_traffic_emit_resident(gspi_traffic *t)
{
    gspi_traffic_start(t);
    t->fixed = 0;
    for (gsp_node u = 0; u < t->n && gspi_traffic_fits(t); u++) {
        if (t->unit[u] == u) {
            gspi_traffic_emit_unit(t, u);
        }
    }
    for (gsp_node u = 0; u < t->n && gspi_traffic_fits(t); u++) {
        uint32_t last = 0;
        for (uint32_t e = t->begin[u]; e < t->begin[u + 1u]; e++) {
            uint32_t const late = t->late[t->reader[e]];
            last = late > last && e < t->end[u] ? late : last;
            gspi_traffic_emit_edge(t, t->unit[u], t->reader[e]);
        }
        for (uint32_t p = last > 0 ? t->early[t->unit[u]] + 1u : 1u; p <= last; p++) {
            gspi_traffic_emit_boundary(t, u, p);
        }
    }
}

/* The phases that the cut says become those that are tried. */
static void gspi_traffic_read_cut(gspi_traffic *t)
{
    for (gsp_node v = 0; v < t->n; v++) {
        uint32_t const late = t->unit[v] == v ? t->late[v] : 0u;
        while (t->at[v] + 2u <= late && t->side[gspi_traffic_literal(t, v, t->at[v] + 2u)] != 0) {
            t->at[v] += 2u;
        }
    }
}

/* Phases of least RESIDENT become those that are tried. */
static void gspi_traffic_cut_resident(gspi_traffic *t)
{
    t->result.lower_bound = gspi_traffic_least(t);
    gspi_traffic_emit_resident(t);
    gspi_traffic_copy(t->at, t->early, t->n);
    if (gspi_traffic_cut(t)) {
        gspi_traffic_read_cut(t);
    }
    if (t->d->measure == (uint32_t)GSP_TRAFFIC_RESIDENT && gspi_traffic_fits(t)) {
        uint64_t const bound = t->value + t->fixed; /* also when the work ended */
        t->result.lower_bound = bound > t->result.lower_bound ? bound : t->result.lower_bound;
    }
    gspi_traffic_keep(t, t->at);
}

/* ---- Choices between two phases ---- */

/* 1 if a reader is in another phase than u in any case. */
static int gspi_traffic_is_apart(const gspi_traffic *t, gsp_node u)
{
    uint32_t const low = t->low[t->unit[u]];
    int apart = low == GSP_NONE;
    for (uint32_t e = t->begin[u]; e < t->end[u]; e++) {
        apart |= t->low[t->reader[e]] != low;
    }
    return apart;
}

/* Readers in the later phase of two cost, unless u is there too; so do those in the earlier one. */
static void gspi_traffic_emit_tensor(gspi_traffic *t, gsp_node u)
{
    uint32_t const unit = t->unit[u];
    uint64_t const size = gsp_node_bytes(t->g, u);
    int const written = t->d->measure == (uint32_t)GSP_TRAFFIC_WRITTEN;
    uint32_t const end = written && gspi_traffic_is_apart(t, u) ? t->begin[u] : t->end[u];
    for (uint32_t e = t->begin[u]; e < end; e++) {
        uint32_t const node = t->node[t->reader[e]];
        uint32_t const low = t->low[t->reader[e]];
        int const own = low == t->low[unit];
        if (low == GSP_NONE) {
            continue;
        }
        if (t->stamp[low] != u + 1u) {
            t->stamp[low] = u + 1u;
            t->join[low] = t->n_nodes++;
            gspi_traffic_arc(t, t->join[low], own ? t->node[unit] : GSPI_TRAFFIC_SINK, size);
            if (!own) {
                gspi_traffic_arc(t, GSPI_TRAFFIC_SOURCE, t->n_nodes++, size);
            }
        }
        gspi_traffic_arc(t, node, t->join[low], GSP_CUT_INFINITE);
        if (!own) {
            gspi_traffic_arc(t, t->join[low] + 1u, node, GSP_CUT_INFINITE);
        }
    }
}

/* No reader is before what it reads, also where only one of the two chooses. */
static void gspi_traffic_emit_choice_edge(gspi_traffic *t, uint32_t unit, uint32_t reader)
{
    uint32_t const low = t->low[unit];
    uint32_t const reads = t->low[reader];
    if (low != GSP_NONE && reads != GSP_NONE) {
        if (low == reads) {
            gspi_traffic_arc(t, t->node[unit], t->node[reader], GSP_CUT_INFINITE);
        }
    } else if (low != GSP_NONE && t->at[reader] < low + 2u) {
        gspi_traffic_arc(t, t->node[unit], GSPI_TRAFFIC_SINK, GSP_CUT_INFINITE);
    } else if (reads != GSP_NONE && t->at[unit] > reads) {
        gspi_traffic_arc(t, GSPI_TRAFFIC_SOURCE, t->node[reader], GSP_CUT_INFINITE);
    }
}

GSPI_TRAFFIC_OWN_FRAME void gspi_traffic_emit_choices(gspi_traffic *t)
{
    gspi_traffic_start(t);
    gspi_traffic_fill(t->stamp, t->n + 1u, 0);
    for (gsp_node u = 0; u < t->n; u++) {
        t->node[u] = t->low[u] != GSP_NONE ? t->n_nodes++ : GSPI_TRAFFIC_SINK;
    }
    for (gsp_node u = 0; u < t->n; u++) {
        for (uint32_t e = t->begin[u]; e < t->begin[u + 1u]; e++) {
            gspi_traffic_emit_choice_edge(t, t->unit[u], t->reader[e]);
        }
        if (t->begin[u] < t->end[u]) {
            gspi_traffic_emit_tensor(t, u);
        }
    }
}

/* The lower phase of the two from which a unit may choose, or GSP_NONE. */
static uint32_t gspi_traffic_choice(const gspi_traffic *t, gsp_node v, uint32_t first)
{
    uint32_t const turn = (t->at[v] - first) & 3u;
    uint32_t const high = t->at[v] + (turn == 2u ? 0u : 2u);
    int const is_one = t->unit[v] == v && (turn & 1u) == 0u;
    return is_one && high >= 2u && high < t->n_phases ? high - 2u : GSP_NONE;
}

/* The units in `first`, `first` + 2, and every fourth phase from there, choose; 1 if that helps. */
GSPI_TRAFFIC_OWN_FRAME int gspi_traffic_choose(gspi_traffic *t, uint32_t first)
{
    uint64_t before[GSP_TRAFFIC_COUNT];
    uint64_t after[GSP_TRAFFIC_COUNT];
    gspi_traffic_count(t, t->at, before);
    for (gsp_node v = 0; v < t->n; v++) {
        t->low[v] = gspi_traffic_choice(t, v, first);
    }
    gspi_traffic_emit_choices(t);
    if (!gspi_traffic_cut(t)) {
        return 0;
    }
    for (gsp_node v = 0; v < t->n; v++) {
        t->low[v] = t->low[v] == GSP_NONE      ? t->at[v]
                    : t->side[t->node[v]] != 0 ? t->low[v] + 2u
                                               : t->low[v];
    }
    gspi_traffic_count(t, t->low, after);
    if (after[t->d->measure] >= before[t->d->measure]) {
        return 0;
    }
    gspi_traffic_copy(t->at, t->low, t->n);
    return 1;
}

/* Chooses from the phases that are tried as long as that helps. */
static void gspi_traffic_improve(gspi_traffic *t, const uint32_t *from)
{
    uint32_t idle = 0;
    if (from != t->at) {
        gspi_traffic_copy(t->at, from, t->n);
    }
    for (uint32_t i = 0; idle < 4u && t->result.work < t->max_work; i++) {
        idle = gspi_traffic_choose(t, i & 3u) ? 0u : idle + 1u;
    }
    gspi_traffic_keep(t, t->at);
}

static void gspi_traffic_search(gspi_traffic *t)
{
    uint64_t const most = t->d->max_work == 0u ? GSPI_TRAFFIC_WORK : t->d->max_work;
    gspi_traffic_find_late(t);
    gspi_traffic_keep(t, t->late);
    t->max_work = most / 2u;
    gspi_traffic_cut_resident(t);
    t->max_work = t->result.stopped ? 0u : most;
    if (t->result.bytes[t->d->measure] > t->result.lower_bound) {
        gspi_traffic_improve(t, t->at);
        gspi_traffic_improve(t, t->early);
        gspi_traffic_improve(t, t->late);
    }
}

/* ---- The pass ---- */

/* 1 if no callable node is before a node. */
static int gspi_traffic_is_first(const gspi_traffic *t, gsp_node v)
{
    uint32_t n_in;
    const gsp_node *in = gspi_traffic_before(t->g, v, &n_in);
    uint32_t called = 0;
    for (uint32_t i = 0; i < n_in; i++) {
        called |= (uint32_t)gsp_node_is_callable(t->g, in[i]);
    }
    return called == 0u;
}

/* PyTorch's first kind: the CPU if it has a node without callable inputs. */
static uint32_t gspi_traffic_reference_start(const gspi_traffic *t)
{
    for (gsp_node v = 0; v < t->n; v++) {
        uint32_t const kind = t->unit[v] == GSP_NONE ? 1u : t->d->kind[v];
        if (kind == GSP_KIND_CPU && gspi_traffic_is_first(t, v)) {
            return GSP_KIND_CPU;
        }
    }
    return 1;
}

/* The earliest phases, as few as there can be, and what the reference has. */
static gsp_status gspi_traffic_begin(gspi_traffic *t, gsp_error *err)
{
    uint32_t first = gspi_traffic_reference_start(t);
    t->n_phases = gspi_traffic_find_early(t, first);
    if (t->n_phases == GSP_NONE) {
        return gspi_traffic_fail(
            err, GSP_STATUS_CYCLE, GSP_DETAIL_PARTS_CYCLE, GSP_NONE, GSP_NONE, "");
    }
    gspi_traffic_count(t, t->early, t->result.reference);
    if (t->d->best_start != 0) {
        uint32_t const other = gspi_traffic_find_early(t, first ^ 1u);
        if (other < t->n_phases) {
            t->n_phases = other;
            first ^= 1u;
        } else {
            (void)gspi_traffic_find_early(t, first);
        }
    }
    if (t->d->other_start != 0 && gspi_traffic_find_early(t, first ^ 1u) > t->n_phases) {
        t->n_phases = 0;
    }
    gspi_traffic_copy(t->late, t->early, t->n);
    gspi_traffic_keep(t, t->early);
    return GSP_OK;
}

/* Room for a run, in an arena with as many bytes as the bound. */
static gspi_traffic *gspi_traffic_open(
    gsp_arena *arena, const gsp_graph *g, const gsp_traffic_desc *d)
{
    gspi_traffic_bump b = {arena, 0};
    gsp_traffic_result const none = {
        NULL, NULL, NULL, NULL, 0u, 0u, {0u, 0u, 0u}, {0u, 0u, 0u}, 0u, 0u};
    gspi_traffic *t = (gspi_traffic *)gspi_traffic_push(&b, 1, sizeof(gspi_traffic), 1);
    if (GSPI_TRAFFIC_NEVER(t == NULL)) { /* analysers see no room */
        return NULL;
    }
    t->most = gspi_traffic_most(gsp_graph_counts(g), d);
    gspi_traffic_layout(&b, t, gsp_graph_counts(g));
    t->arena = arena;
    t->g = g;
    t->d = d;
    t->n = g->n_nodes;
    t->max_work = 0;
    t->result = none;
    return t;
}

static gsp_status gspi_traffic_solve(gspi_traffic *t, gsp_error *err)
{
    gsp_status status = gspi_traffic_check(t, err);
    if (status == GSP_OK) {
        gspi_traffic_read_units(t);
        status = gspi_traffic_begin(t, err);
    }
    if (status != GSP_OK) {
        return status;
    }
    if (t->n_phases > 0) {
        gspi_traffic_search(t);
    }
    t->result.n_phases = t->n_phases;
    t->result.unit = t->unit;
    t->result.early = t->early;
    t->result.late = t->late;
    return GSP_OK;
}

/* What any desc is checked for. */
static gsp_status gspi_traffic_check_desc(const gsp_traffic_desc *d, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_traffic_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE, GSP_NONE, "");
    }
    if (d->measure >= (uint32_t)GSP_TRAFFIC_COUNT) {
        return gspi_traffic_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CHOICE, GSP_NONE, GSP_NONE,
            GSPI_TRAFFIC_FIELD("measure"));
    }
    return d->kind != NULL ? GSP_OK : gspi_traffic_missing(err, GSPI_TRAFFIC_FIELD("kind"));
}

gsp_status gsp_traffic_run(gsp_arena *arena, const gsp_graph *graph, const gsp_traffic_desc *desc,
    gsp_traffic_result *result, gsp_error *err)
{
    if (arena == NULL || graph == NULL || desc == NULL || result == NULL) {
        const char *field = GSPI_TRAFFIC_FIELD("result");
        field = desc == NULL ? GSPI_TRAFFIC_FIELD("desc") : field;
        field = graph == NULL ? GSPI_TRAFFIC_FIELD("graph") : field;
        return gspi_traffic_missing(err, arena == NULL ? GSPI_TRAFFIC_FIELD("arena") : field);
    }
    gsp_status status = gspi_traffic_check_desc(desc, err);
    if (status == GSP_OK) {
        status = gspi_traffic_room(arena, gsp_traffic_bound(graph, desc), err);
    }
    if (status != GSP_OK) {
        return status;
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gspi_traffic *t = gspi_traffic_open(arena, graph, desc);
    if (GSPI_TRAFFIC_NEVER(t == NULL)) {
        return gspi_traffic_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, GSP_NONE, "");
    }
    status = gspi_traffic_solve(t, err);
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    *result = t->result;
    mark.low = gsp_arena_mark(arena).low; /* the results stay */
    gsp_arena_rewind(arena, mark);
    return GSP_OK;
}

#endif /* GSP_NO_FLOW */

#ifdef __cplusplus
}
#endif

GSPI_TRAFFIC_END

#endif /* GRAPHSPLIT_TRAFFIC_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_TRAFFIC_IMPLEMENTATION */
