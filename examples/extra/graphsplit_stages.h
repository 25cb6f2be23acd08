/* graphsplit_stages.h - an add-on of graphsplit.h: stages of a pipeline and their costs
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Time and memory of any stages, and stages of the smallest bottleneck, with a bound. Needs
 * graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_STAGES_IMPLEMENTATION
 *     #include "graphsplit_stages.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 * With GSP_NO_PIPELINE there are no costs of nodes, and this header is empty.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>stages             Costs of stages, stages of the smallest bottleneck
 *     >>impl               Implementation guard
 *
 *     gsp_stage_costs_run          O(n + m)                 64 per node, 12 per edge, 76 per stage
 *     gsp_stages_optimal_run       desc.max_work
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_STAGES_H_INCLUDED
#define GRAPHSPLIT_STAGES_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_STAGES_IMPLEMENTATION)
#error "graphsplit_stages: GRAPHSPLIT_STATIC needs GRAPHSPLIT_STAGES_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>stages   Costs of stages, stages of the smallest bottleneck (API)
 * ---- */
#ifndef GSP_NO_PIPELINE

/* Model of costs. The cost of a stage is that of its nodes, and of each value that enters or
 * leaves, once; placeholders and returned values of the root move at no cost. */
typedef struct gsp_stage_model {
    const gsp_costs *costs; /* required */
    uint32_t carried;       /* 1 if values pass through the stages between to their readers */
    uint32_t microbatches;  /* 1F1B: stage s of k stashes min(k - s, this); 0 for inference */
    const uint32_t *held;   /* [stages] stashed microbatches, non-increasing; NULL means 1F1B */
    uint32_t copies;        /* of parameters, with gradients, optimizer state, ...; 0 means 1 */
    uint64_t first_time;    /* ticks added to the first stage */
    uint64_t last_time;     /* ticks added to the last stage */
} gsp_stage_model;

/* Stages of any policy, and the model of their costs. */
typedef struct gsp_stage_costs_desc {
    uint32_t start_canary;
    uint32_t n_stages;
    const uint32_t *stage_of; /* [n] or GSP_NONE; required */
    gsp_stage_model model;
    uint32_t end_canary;
} gsp_stage_costs_desc;

/* One stage; time = compute + enter + leave + first_time or last_time of the model. */
typedef struct gsp_stage_cost {
    uint32_t n_nodes;
    uint32_t held;    /* microbatches whose stash it keeps */
    uint64_t time;    /* ticks */
    uint64_t compute; /* ticks of its nodes */
    uint64_t enter;   /* ticks of the values that enter */
    uint64_t leave;   /* ticks of the values that leave */
    uint64_t params;  /* bytes of the parameters that it reads */
    uint64_t stash;   /* bytes of values that it computes and receives per microbatch */
    uint64_t memory;  /* params * copies + stash * held */
} gsp_stage_cost;

/* The costs of all stages. */
typedef struct gsp_stage_costs_result {
    uint32_t n_stages;
    uint32_t slowest;             /* first stage of the largest time, or GSP_NONE */
    uint32_t greatest;            /* first stage of the largest memory, or GSP_NONE */
    const gsp_stage_cost *stages; /* [n_stages] */
} gsp_stage_costs_result;

/* gsp_stage_costs_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_stage_costs_bound(const gsp_graph *graph, const gsp_stage_costs_desc *desc);

/* gsp_stage_costs_run: time and memory of each stage, for stages of any policy.
 *
 * Errors:  ARG (NULL_ARGUMENT: costs, stage_of or bytes of items; COSTS: of another graph, no such
 *          item; STAGE: no such stage of node, or it reads other, of a later one), OVERFLOW (SIZE)
 * Time:    O(nodes + edges + items + stages). Memory: the bound
 * Example: examples/balance.c
 * See:     Narayanan et al. 2019 (PipeDream, 1F1B)
 */
GSP_API gsp_status gsp_stage_costs_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_stage_costs_desc *desc, gsp_stage_costs_result *result, gsp_error *err);

/* The minimised bottleneck. */
typedef enum gsp_stages_optimal_goal {
    GSP_STAGES_OPTIMAL_TIME,  /* time of the slowest stage */
    GSP_STAGES_OPTIMAL_BYTES, /* memory of the largest stage */
    GSP_STAGES_OPTIMAL_COUNT,
    GSP_STAGES_OPTIMAL_FORCE_U32 = 0x7FFFFFFF
} gsp_stages_optimal_goal;

#define GSP_STAGES_OPTIMAL_ORDERS 14u /* distinct orders */

typedef struct gsp_stages_optimal_desc {
    uint32_t start_canary;
    uint32_t n_devices;    /* 0 means 1 */
    uint32_t n_chunks;     /* stages per device, stage s on device s % n_devices; 0 means 1 */
    uint32_t goal;         /* gsp_stages_optimal_goal */
    uint32_t n_orders;     /* orders to try, graph order first, at most 14; 0 means 1 */
    uint32_t keep_groups;  /* 1 never cuts between nodes of the same group= */
    gsp_stage_model model; /* costs are required */
    uint64_t memory;       /* bytes per device, in equal shares for its stages; 0 means no limit */
    uint64_t max_work;     /* nodes visited per order; 0 means 2^26, UINT64_MAX no limit */
    const char *marker;    /* target of markers; NULL means PyTorch's */
    uint32_t end_canary;
} gsp_stages_optimal_desc;

/* The best plan found, and a lower bound. */
typedef struct gsp_stages_optimal_result {
    uint32_t n_nodes;
    uint32_t n_stages;    /* devices * chunks; fewer only where nodes are fewer */
    uint32_t order;       /* the order that the stages cut; 0 is graph order */
    uint32_t proved;      /* 1 if no stages of the orders tried have a smaller objective */
    uint32_t *stage_of;   /* [n] GSP_NONE if not callable, or a marker */
    uint64_t objective;   /* ticks of the slowest stage, or bytes of the largest */
    uint64_t lower_bound; /* in the orders tried */
    uint64_t reference;   /* objective of stages of equal node counts, memory ignored */
    uint64_t work;        /* nodes visited, all orders */
} gsp_stages_optimal_result;

/* gsp_stages_optimal_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_stages_optimal_bound(
    const gsp_graph *graph, const gsp_stages_optimal_desc *desc);

/* gsp_stages_optimal_run: stages, contiguous in a topological order, of the smallest bottleneck. It
 * makes n_devices * n_chunks stages, none empty, each within the memory. Among orders of equal
 * objective the first wins. When max_work ends the search, the result is the best plan so far, and
 * lower_bound holds. Order 0 is graph order; the others are the kinds of gsp_topo_order_run(), with
 * backward, and depth first with seeds. Nodes with mutates= or barrier= allow graph order only.
 *
 * Errors:  ARG (NULL_ARGUMENT, COSTS: see gsp_stage_costs_run(); HELD: stage `node` keeps more
 *          microbatches than the one before it), OVERFLOW (SIZE), NO_FIT (need = least memory per
 *          device that suffices, limit = the memory)
 * Time:    O(nodes + edges) per bound tried, with carried values O(nodes log nodes); and the nodes
 *          of all stages that could be in a plan within the bound, at most max_work, with their
 *          edges
 * Memory:  the bound
 * Order:   starts of the last stage ascend; only a strictly better one replaces another
 * Example: examples/balance.c
 * See:     Tarnawski et al., NeurIPS 2020; Archer et al., ICML 2024
 */
GSP_API gsp_status gsp_stages_optimal_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_stages_optimal_desc *desc, gsp_stages_optimal_result *result, gsp_error *err);

#endif /* GSP_NO_PIPELINE */

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_STAGES_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_STAGES_IMPLEMENTATION
#ifndef GRAPHSPLIT_STAGES_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_STAGES_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_STAGES_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_STAGES_END       _Pragma("GCC diagnostic pop")
#define GSPI_STAGES_OWN_FRAME __attribute__((noinline)) static /* not on the stack of its caller */
#else
#define GSPI_STAGES_BEGIN
#define GSPI_STAGES_END
#define GSPI_STAGES_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_STAGES_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>stages   Costs of stages, stages of the smallest bottleneck (implementation)
 * ---- */
#ifndef GSP_NO_PIPELINE

/* A condition that only inputs of gigabytes can cause; `make cov` does not count it. */
#define GSPI_STAGES_NEVER(x) (x)

static gsp_status gspi_stages_fail(gsp_error *err, gsp_status status, gsp_detail detail,
    gsp_what what, uint32_t item, uint32_t other)
{
    if (err != NULL) {
        uint32_t const of = item == GSP_NONE ? (uint32_t)GSP_WHAT_NONE : (uint32_t)what;
        gsp_error const e = {status, detail, of, item, other, 0, 0, 0, 0u, ""};
        *err = e;
    }
    return status;
}

/* Fails unless `cond` holds, naming two nodes or GSP_NONE. */
#define GSPI_STAGES_CHECK(cond, status, detail, node, other) \
    do { \
        if (!(cond)) { \
            return gspi_stages_fail( \
                err, GSP_STATUS_##status, GSP_DETAIL_##detail, GSP_WHAT_NODE, node, other); \
        } \
    } while (0)

/* Names an argument or field, and its count after a NUL. */
static gsp_status gspi_stages_fail_field(
    gsp_error *err, gsp_status status, gsp_detail detail, const char *field)
{
    (void)gspi_stages_fail(err, status, detail, GSP_WHAT_NONE, GSP_NONE, GSP_NONE);
#ifdef GSP_NO_MESSAGES
    (void)field;
#else
    if (err != NULL) {
        err->field = field;
    }
#endif
    return status;
}

static gsp_status gspi_stages_missing(gsp_error *err, const char *field)
{
    return gspi_stages_fail_field(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, field);
}

static gsp_status gspi_stages_given(
    const gsp_arena *arena, const gsp_graph *graph, const void *result, gsp_error *err)
{
    if (arena == NULL || graph == NULL || result == NULL) {
        const char *later = graph == NULL ? "graph\0" : "result\0";
        return gspi_stages_missing(err, arena == NULL ? "arena\0" : later);
    }
    return GSP_OK;
}

static gsp_status gspi_stages_lack(
    gsp_error *err, gsp_status status, gsp_detail detail, uint64_t need, uint64_t limit)
{
    (void)gspi_stages_fail_field(err, status, detail, "");
    if (err != NULL) {
        err->need = need;
        err->limit = limit;
    }
    return status;
}

/* Saturating arithmetic; no product is by 0. */
static size_t gspi_stages_mul_add(size_t a, size_t b, size_t c)
{
    return GSPI_STAGES_NEVER(a > SIZE_MAX / b || a * b > SIZE_MAX - c) ? SIZE_MAX : a * b + c;
}

static size_t gspi_stages_add(size_t a, size_t b)
{
    return GSPI_STAGES_NEVER(a > SIZE_MAX - b) ? SIZE_MAX : a + b;
}

static uint64_t gspi_stages_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t gspi_stages_times(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static void gspi_stages_fill(uint32_t *at, size_t n, uint32_t value)
{
    for (size_t i = 0; i < n; i++) {
        at[i] = value;
    }
}

static void gspi_stages_fill64(uint64_t *at, size_t n, uint64_t value)
{
    for (size_t i = 0; i < n; i++) {
        at[i] = value;
    }
}

static int gspi_stages_less(uint32_t a, uint32_t b, const uint64_t *key)
{
    return key[a] < key[b] || (key[a] == key[b] && a < b);
}

static void gspi_stages_sift(uint32_t *ids, uint32_t root, uint32_t end, const uint64_t *key)
{
    uint32_t const id = ids[root];
    while (root < end / 2u) {
        uint32_t child = 2u * root + 1u;
        if (child + 1u < end && gspi_stages_less(ids[child], ids[child + 1u], key)) {
            child++;
        }
        if (!gspi_stages_less(id, ids[child], key)) {
            break;
        }
        ids[root] = ids[child];
        root = child;
    }
    ids[root] = id;
}

/* Heapsort, ascending by key, ties by id. */
static void gspi_stages_sort(uint32_t *ids, uint32_t n, const uint64_t *key)
{
    for (uint32_t i = n / 2u; i > 0u; i--) {
        gspi_stages_sift(ids, i - 1u, n, key);
    }
    for (uint32_t i = n; i > 1u; i--) {
        uint32_t const top = ids[0];
        ids[0] = ids[i - 1u];
        ids[i - 1u] = top;
        gspi_stages_sift(ids, 0, i - 1u, key);
    }
}

/* Counting sort: member[begin[s] .. begin[s + 1]) are the nodes of stage s, ascending. */
static void gspi_stages_rows(
    const uint32_t *stage_of, uint32_t n, uint32_t n_stages, uint32_t *begin, gsp_node *member)
{
    uint32_t sum = 0;
    gspi_stages_fill(begin, (size_t)n_stages + 1u, 0);
    for (gsp_node v = 0; v < n; v++) {
        if (stage_of[v] != GSP_NONE) {
            begin[stage_of[v]]++;
        }
    }
    for (uint32_t s = 0; s <= n_stages; s++) {
        sum += begin[s];
        begin[s] = sum;
    }
    for (gsp_node v = n; v > 0u; v--) {
        if (stage_of[v - 1u] != GSP_NONE) {
            member[--begin[stage_of[v - 1u]]] = v - 1u;
        }
    }
}

/* A layout pushes all arrays in order; without an arena it measures them. */
typedef struct gspi_stages_bump {
    gsp_arena *arena;
    size_t used; /* SIZE_MAX after an overflow */
} gspi_stages_bump;

/* Pushes an array at either end. Inlining makes compilers warn of NULL from a full arena, which
 * gspi_stages_room() excludes. */
GSPI_STAGES_OWN_FRAME void *gspi_stages_push(
    gspi_stages_bump *b, size_t count, size_t size, int high)
{
    size_t const bytes = gspi_stages_mul_add(count, size, GSP_GAP + GSP_ALIGN - 1u);
    b->used = gspi_stages_add(b->used, bytes & ~((size_t)GSP_ALIGN - 1u)); /* above GSP_ALIGN */
    return b->arena == NULL ? NULL
           : high           ? gsp_arena_push_high(b->arena, count, size)
                            : gsp_arena_push(b->arena, count, size);
}

static uint32_t *gspi_stages_words(gspi_stages_bump *b, size_t count)
{
    return (uint32_t *)gspi_stages_push(b, count, sizeof(uint32_t), 1);
}

/* Fails for less than `bound` bytes. */
static gsp_status gspi_stages_room(const gsp_arena *arena, size_t bound, gsp_error *err)
{
    size_t const left = gsp_arena_left(arena);
    if (GSPI_STAGES_NEVER(bound == SIZE_MAX)) {
        return gspi_stages_lack(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, 0u, 0u);
    }
    return left >= bound ? GSP_OK
                         : gspi_stages_lack(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, bound, left);
}

/* Releases the scratch; the results stay. */
static gsp_status gspi_stages_leave(gsp_arena *arena, gsp_mark mark, gsp_error *err)
{
    mark.low = gsp_arena_mark(arena).low;
    gsp_arena_rewind(arena, mark);
    return gspi_stages_fail(err, GSP_OK, GSP_DETAIL_NONE, GSP_WHAT_NONE, GSP_NONE, GSP_NONE);
}

typedef struct gspi_stages_row {
    const gsp_node *at; /* [n] */
    uint32_t n;
} gspi_stages_row;

static gspi_stages_row gspi_stages_inputs(const gsp_graph *g, gsp_node v)
{
    gspi_stages_row row;
    row.at = gsp_node_inputs(g, v, &row.n);
    return row;
}

/* The id of the value of an attribute, or GSP_NONE. */
static gsp_atom gspi_stages_attr(const gsp_graph *g, gsp_node v, gsp_key key)
{
    const gsp_attr *a = g->module->attrs + g->module->attr[g->first + v];
    while (a->key != GSP_KEY_NONE && a->key != (gsp_atom)key) {
        a++;
    }
    return a->key == GSP_KEY_NONE ? GSP_NONE : a->value;
}

/* 1 for a call that is no marker. */
static int gspi_stages_member(const gsp_graph *g, gsp_node v, gsp_str marker)
{
    return gsp_node_is_callable(g, v) && !(gsp_node_op(g, v) == GSP_OP_CALL_FUNCTION &&
                                             gsp_str_equal(gsp_node_target(g, v), marker));
}

/* ---- A line of nodes, cut into stages ---- */

/* Nodes of stages in topological order, at places 0 .. n - 1. */
typedef struct gspi_line {
    const gsp_graph *g;
    const gsp_stage_model *m;
    uint32_t n; /* places */
    uint32_t n_stages;
    gsp_node *node;         /* [n] at a place */
    uint32_t *place;        /* [nodes] of a node, GSP_NONE if in no stage */
    uint64_t *time;         /* [n + 1] ticks of the nodes before a place */
    uint64_t *move;         /* [n] */
    uint64_t *stash;        /* [n] */
    uint64_t *own;          /* [n] bytes of items with no other reader */
    uint32_t *in_begin;     /* [n + 1] into inputs */
    uint32_t *inputs;       /* [edges] */
    uint32_t *input_before; /* [edges] reader of the same value before this one, or the value */
    uint32_t *last;         /* [n] last reader of a value; its own place without one */
    uint32_t *shared_begin; /* [n + 1] into shared */
    uint32_t *shared;       /* [n + edges] items that several nodes read */
    uint32_t *shared_since; /* [n + edges] 1 + reader of the same item before this one, or 0 */
    uint64_t *cross;        /* [n + 1] carried: ticks of the values that cross this place */
    uint64_t *carry;        /* [n + 1] and their bytes */
    uint32_t *item;         /* [n + edges] number of readers, at most 2, or 3 + the last one */
    uint32_t *first;        /* [n] first reader of a value, or n; this and the next in searches */
    uint32_t *input_after;  /* [edges] reader of the same value after this one, or n */
    uint32_t *shared_after; /* [n + edges] reader of the same item after this one, or n */
    uint64_t work;          /* nodes visited */
} gspi_line;

/* Consecutive places as a stage. */
typedef struct gspi_span {
    uint32_t begin;
    uint32_t end;
    uint64_t enter;
    uint64_t leave;
    uint64_t params;
    uint64_t stash;
} gspi_span;

static uint64_t gspi_stages_cost(const uint64_t *costs, gsp_node v)
{
    return costs == NULL ? 0u : costs[v];
}

/* Without rows no node reads an item. */
static uint32_t gspi_stages_items(const gsp_costs *costs)
{
    return costs->item_begin == NULL ? 0u : costs->n_items;
}

/* Microbatches stashed by stage s of n. */
static uint32_t gspi_stages_held(const gsp_stage_model *model, uint32_t s, uint32_t n)
{
    uint32_t const deep = n - s < model->microbatches ? n - s : model->microbatches;
    return model->held != NULL ? model->held[s] : deep;
}

/* Checks costs of a caller: made for this graph, ascending rows of existing items, sums of at most
 * 61 bits if each value is moved `moves` times and stashed `stashes` times. */
GSPI_STAGES_OWN_FRAME gsp_status gspi_stages_check_costs(
    const gsp_graph *g, const gsp_stage_model *m, uint64_t moves, uint64_t stashes, gsp_error *err)
{
    const gsp_costs *c = m->costs;
    uint64_t const most = UINT64_MAX / 16u;
    uint64_t const most_move = most / moves;
    uint64_t const most_stash = most / stashes;
    uint32_t const n_items = gspi_stages_items(c);
    uint64_t const reads = (uint64_t)g->n_nodes + gsp_graph_counts(g).edges;
    uint64_t time = gspi_stages_sum(m->first_time, m->last_time);
    uint64_t move = 0;
    uint64_t stash = 0;
    uint64_t bytes = 0;
    uint32_t at = 0;
    GSPI_STAGES_CHECK(c->n_nodes == g->n_nodes && n_items <= reads, ARG, COSTS, GSP_NONE, GSP_NONE);
    if (c->item_bytes == NULL && n_items != 0u) {
        return gspi_stages_missing(err, "item_bytes\0n_items");
    }
    GSPI_STAGES_CHECK(
        c->item_begin == NULL || c->item_begin[0] == 0u, ARG, COSTS, GSP_NONE, GSP_NONE);
    for (uint32_t i = 0; i < n_items; i++) {
        bytes = gspi_stages_sum(bytes, c->item_bytes[i]);
    }
    GSPI_STAGES_CHECK(time <= most && gspi_stages_times(bytes, m->copies) <= most, OVERFLOW, SIZE,
        GSP_NONE, GSP_NONE);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t const end = c->item_begin == NULL ? 0u : c->item_begin[v + 1u];
        int good = end >= at && end <= reads;
        for (; good && at < end; at++) {
            good = c->items != NULL && c->items[at] < n_items;
        }
        GSPI_STAGES_CHECK(good, ARG, COSTS, v, GSP_NONE);
        uint64_t const more_time = gspi_stages_cost(c->time, v);
        uint64_t const more_move = gspi_stages_cost(c->move, v);
        uint64_t const more_stash = gspi_stages_cost(c->stash, v);
        time += more_time;
        move += more_move;
        stash += more_stash;
        GSPI_STAGES_CHECK((more_time | more_move | more_stash) <= most && time <= most &&
                              move <= most_move && stash <= most_stash,
            OVERFLOW, SIZE, v, GSP_NONE);
    }
    return GSP_OK;
}

static void gspi_line_layout(
    gspi_stages_bump *b, gspi_line *l, const gsp_graph *g, const gsp_stage_model *m)
{
    gsp_counts const c = gsp_graph_counts(g);
    size_t const n = c.nodes;
    size_t const reads = gspi_stages_add(n, c.edges);
    l->g = g;
    l->m = m;
    l->node = gspi_stages_words(b, n);
    l->place = gspi_stages_words(b, n);
    l->time = (uint64_t *)gspi_stages_push(b, n + 1u, sizeof(uint64_t), 1);
    l->move = (uint64_t *)gspi_stages_push(b, n, sizeof(uint64_t), 1);
    l->stash = (uint64_t *)gspi_stages_push(b, n, sizeof(uint64_t), 1);
    l->own = (uint64_t *)gspi_stages_push(b, n, sizeof(uint64_t), 1);
    l->in_begin = gspi_stages_words(b, n + 1u);
    l->inputs = gspi_stages_words(b, c.edges);
    l->input_before = gspi_stages_words(b, c.edges);
    l->last = gspi_stages_words(b, n);
    l->shared_begin = gspi_stages_words(b, n + 1u);
    l->shared = gspi_stages_words(b, reads);
    l->shared_since = gspi_stages_words(b, reads);
    l->item = gspi_stages_words(b, reads);
    l->cross = (uint64_t *)gspi_stages_push(b, m->carried ? n + 1u : 0u, sizeof(uint64_t), 1);
    l->carry = (uint64_t *)gspi_stages_push(b, m->carried ? n + 1u : 0u, sizeof(uint64_t), 1);
}

/* The weight of values that cross each place, as a sum of differences. */
static void gspi_line_cross(const gspi_line *l, const uint64_t *weight, uint64_t *cross)
{
    gspi_stages_fill64(cross, (size_t)l->n + 1u, 0);
    for (uint32_t p = 0; p < l->n; p++) {
        cross[p + 1u] += weight[p];
        cross[l->last[p] + 1u] -= weight[p];
        cross[p + 1u] += cross[p];
    }
}

/* Fills the line from node[0 .. n). Nodes without a place are ignored; items with one reader are
 * summed per place. */
GSPI_STAGES_OWN_FRAME void gspi_line_make(gspi_line *l)
{
    const gsp_costs *c = l->m->costs;
    uint32_t const reads = c->item_begin == NULL ? 0u : c->item_begin[l->g->n_nodes];
    uint32_t *readers = l->item;
    uint32_t n_inputs = 0;
    uint32_t n_shared = 0;
    gspi_stages_fill(l->place, l->g->n_nodes, GSP_NONE);
    gspi_stages_fill(readers, gspi_stages_items(c), 0);
    for (uint32_t i = 0; i < reads; i++) {
        readers[c->items[i]] += readers[c->items[i]] < 2u;
    }
    l->time[0] = 0;
    for (uint32_t p = 0; p < l->n; p++) {
        gsp_node const v = l->node[p];
        gspi_stages_row const inputs = gspi_stages_inputs(l->g, v);
        l->place[v] = p;
        l->last[p] = p;
        l->in_begin[p] = n_inputs;
        l->shared_begin[p] = n_shared;
        l->time[p + 1u] = l->time[p] + gspi_stages_cost(c->time, v);
        l->move[p] = gspi_stages_cost(c->move, v);
        l->stash[p] = gspi_stages_cost(c->stash, v);
        l->own[p] = 0;
        for (uint32_t i = 0; i < inputs.n; i++) {
            uint32_t const u = l->place[inputs.at[i]];
            if (u != GSP_NONE) {
                l->input_before[n_inputs] = l->last[u];
                l->inputs[n_inputs++] = u;
                l->last[u] = p;
            }
        }
        uint32_t const end = reads == 0u ? 0u : c->item_begin[v + 1u];
        for (uint32_t i = reads == 0u ? 0u : c->item_begin[v]; i < end; i++) {
            uint32_t const item = c->items[i];
            if (readers[item] == 1u) {
                l->own[p] += c->item_bytes[item];
            } else {
                l->shared_since[n_shared] = readers[item] - 2u;
                l->shared[n_shared++] = item;
                readers[item] = p + 3u;
            }
        }
    }
    l->in_begin[l->n] = n_inputs;
    l->shared_begin[l->n] = n_shared;
    l->work = 0;
    if (l->m->carried) {
        gspi_line_cross(l, l->move, l->cross);
        gspi_line_cross(l, l->stash, l->carry);
    }
}

static gspi_span gspi_span_open(const gspi_line *l, uint32_t begin)
{
    gspi_span r = {begin, begin, 0, 0, 0, 0u};
    if (l->m->carried) {
        r.enter = l->cross[begin];
        r.stash = l->carry[begin];
    }
    return r;
}

/* Extends the span by the next place. */
static void gspi_span_step(gspi_line *l, gspi_span *r)
{
    uint32_t const p = r->end++;
    for (uint32_t i = l->in_begin[p]; i < l->in_begin[p + 1u]; i++) {
        uint32_t const u = l->inputs[i];
        if (u >= r->begin) {
            r->leave -= l->last[u] == p ? l->move[u] : 0u;
        } else if (l->input_before[i] < r->begin && !l->m->carried) {
            r->enter += l->move[u];
            r->stash += l->stash[u];
        }
    }
    for (uint32_t i = l->shared_begin[p]; i < l->shared_begin[p + 1u]; i++) {
        if (l->shared_since[i] <= r->begin) {
            r->params += l->m->costs->item_bytes[l->shared[i]];
        }
    }
    r->leave += l->last[p] != p ? l->move[p] : 0u;
    r->params += l->own[p];
    r->stash += l->stash[p];
    l->work++;
}

/* Places begin .. end - 1 as a stage. */
static gspi_span gspi_span_of(gspi_line *l, uint32_t begin, uint32_t end)
{
    gspi_span r = gspi_span_open(l, begin);
    while (r.end < end) {
        gspi_span_step(l, &r);
    }
    return r;
}

/* Bytes of a span as stage s; non-decreasing as it grows. */
static uint64_t gspi_span_bytes(const gspi_line *l, const gspi_span *r, uint32_t s)
{
    return r->params * l->m->copies + r->stash * gspi_stages_held(l->m, s, l->n_stages);
}

/* Ticks of a span as stage s, without values that leave; non-decreasing as it grows. */
static uint64_t gspi_span_ticks(const gspi_line *l, const gspi_span *r, uint32_t s)
{
    return l->time[r->end] - l->time[r->begin] + r->enter + (s == 0u ? l->m->first_time : 0u) +
           (s + 1u == l->n_stages ? l->m->last_time : 0u);
}

static uint64_t gspi_span_leave(const gspi_line *l, const gspi_span *r)
{
    return l->m->carried ? l->cross[r->end] : r->leave;
}

/* ---- Costs of given stages ---- */

/* The nodes, sorted by stage, form a line that the stages cut. A span of the line is extended node
 * by node, as in the search of stages_optimal, so plans and their evaluation use the same sums.
 * Time: O(nodes + edges). */

typedef struct gspi_stage_costs {
    gspi_line line;
    gsp_stage_cost *stages; /* [stages] */
    uint32_t *begin;        /* [stages + 1] places */
} gspi_stage_costs;

static gsp_stage_costs_desc gspi_stage_costs_desc(const gsp_stage_costs_desc *desc)
{
    static const gsp_stage_costs_desc zero = {0u, 0, NULL, {NULL, 0, 0, NULL, 0, 0, 0}, 0};
    gsp_stage_costs_desc d = desc == NULL ? zero : *desc;
    d.model.copies = d.model.copies == 0u ? 1u : d.model.copies;
    return d;
}

static void gspi_stage_costs_layout(
    gspi_stages_bump *b, gspi_stage_costs *w, const gsp_graph *g, const gsp_stage_costs_desc *d)
{
    w->stages = (gsp_stage_cost *)gspi_stages_push(b, d->n_stages, sizeof(gsp_stage_cost), 0);
    w->begin = gspi_stages_words(b, (size_t)d->n_stages + 1u);
    gspi_line_layout(b, &w->line, g, &d->model);
}

size_t gsp_stage_costs_bound(const gsp_graph *graph, const gsp_stage_costs_desc *desc)
{
    gsp_stage_costs_desc const d = gspi_stage_costs_desc(desc);
    gspi_stages_bump b = {NULL, GSP_BOUND_ARRAY(sizeof(gspi_stage_costs), 1) + GSP_BOUND_SLACK};
    gspi_stage_costs w;
    gspi_stage_costs_layout(&b, &w, graph, &d);
    return b.used;
}

/* Checks that stages exist and none reads a later one. */
static gsp_status gspi_stage_costs_check(
    const gsp_graph *g, const gsp_stage_costs_desc *d, gsp_error *err)
{
    const uint32_t *stage_of = d->stage_of;
    uint32_t held = 1;
    for (uint32_t s = 0; s < d->n_stages; s++) {
        uint32_t const now = gspi_stages_held(&d->model, s, d->n_stages);
        held = now > held ? now : held;
    }
    gsp_status const status = gspi_stages_check_costs(g, &d->model, 2, held, err);
    if (status != GSP_OK) {
        return status;
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        gspi_stages_row const inputs = gspi_stages_inputs(g, v);
        if (stage_of[v] == GSP_NONE) {
            continue;
        }
        GSPI_STAGES_CHECK(stage_of[v] < d->n_stages && gsp_node_op(g, v) != GSP_OP_OUTPUT, ARG,
            STAGE, v, GSP_NONE);
        for (uint32_t i = 0; i < inputs.n; i++) {
            uint32_t const s = stage_of[inputs.at[i]];
            GSPI_STAGES_CHECK(s == GSP_NONE || s <= stage_of[v], ARG, STAGE, v, inputs.at[i]);
        }
    }
    return GSP_OK;
}

gsp_status gsp_stage_costs_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_stage_costs_desc *desc, gsp_stage_costs_result *result, gsp_error *err)
{
    gsp_stage_costs_desc const d = gspi_stage_costs_desc(desc);
    gsp_stage_costs_result r = {0u, GSP_NONE, GSP_NONE, NULL};
    gsp_status status = gspi_stages_given(arena, graph, result, err);
    if (status != GSP_OK) {
        return status;
    }
    GSPI_STAGES_CHECK(d.start_canary == 0u && d.end_canary == 0u, DESC, CANARY, GSP_NONE, GSP_NONE);
    if (d.model.costs == NULL || d.stage_of == NULL) {
        return gspi_stages_missing(err, d.model.costs == NULL ? "costs\0" : "stage_of\0");
    }
    status = gspi_stage_costs_check(graph, &d, err);
    if (status == GSP_OK) {
        status = gspi_stages_room(arena, gsp_stage_costs_bound(graph, &d), err);
    }
    if (status != GSP_OK) {
        return status;
    }
    gsp_mark const mark = gsp_arena_mark(arena);
    gspi_stages_bump b = {arena, 0};
    gspi_stage_costs *w = (gspi_stage_costs *)gspi_stages_push(&b, 1, sizeof(gspi_stage_costs), 1);
    gspi_stage_costs_layout(&b, w, graph, &d);
    gspi_stages_rows(d.stage_of, graph->n_nodes, d.n_stages, w->begin, w->line.node);
    w->line.n = w->begin[d.n_stages];
    w->line.n_stages = d.n_stages;
    gspi_line_make(&w->line);
    for (uint32_t s = 0; s < d.n_stages; s++) {
        gspi_span const span = gspi_span_of(&w->line, w->begin[s], w->begin[s + 1u]);
        gsp_stage_cost *load = &w->stages[s];
        load->n_nodes = span.end - span.begin;
        load->held = gspi_stages_held(&d.model, s, d.n_stages);
        load->compute = w->line.time[span.end] - w->line.time[span.begin];
        load->enter = span.enter;
        load->leave = gspi_span_leave(&w->line, &span);
        load->time = gspi_span_ticks(&w->line, &span, s) + load->leave;
        load->params = span.params;
        load->stash = span.stash;
        load->memory = gspi_span_bytes(&w->line, &span, s);
        r.slowest = s == 0u || load->time > w->stages[r.slowest].time ? s : r.slowest;
        r.greatest = s == 0u || load->memory > w->stages[r.greatest].memory ? s : r.greatest;
    }
    r.n_stages = d.n_stages;
    r.stages = w->stages;
    *result = r;
    return gspi_stages_leave(arena, mark, err);
}

/* ---- Stages of the smallest bottleneck ---- */

/* Dynamic programming over prefixes: best[e] is the least bottleneck of the first e nodes in s
 * stages. A row extends one stage node by node, without a table of all spans. A search is limited
 * to plans within a guess: each cut has few places, since the other stages must hold the rest. A
 * guess below the optimum finds no plan and proves a lower bound. Guesses grow from a first bound,
 * the share of the total or the greatest node. A feasible guess gives the result of the full table,
 * ties included, since it omits only states of plans above it. */

/* Keeps `down`, a difference, positive; sums of ticks are below it. */
#define GSPI_CARRIED_OFFSET ((uint64_t)1u << 61)

typedef struct gspi_optimal {
    gsp_stages_optimal_result *r;
    uint32_t *stage_of;
    const gsp_stages_optimal_desc *d;
    int by_time;
    uint64_t memory;      /* per stage, UINT64_MAX without limit */
    gspi_line line;       /* the nodes of an order */
    uint64_t *weight;     /* [n + 1] minimum cost of the nodes before a place in any stages */
    uint32_t *room;       /* [n + 1] places for cuts after this one; GSP_NONE if not allowed here */
    uint32_t *group_last; /* [strings] last place of a group to keep */
    /* carried values */
    uint64_t *up;      /* [n + 1] */
    uint64_t *down;    /* [n + 1] plus the offset */
    uint32_t *by_up;   /* [n + 1] places, ascending */
    uint32_t *by_down; /* [n + 1] */
    uint32_t *rank;    /* [n + 1] of a place in by_up */
    uint32_t *reach;   /* [n + 1] length of the prefix of by_up where spans from here may end */
    uint32_t *tree;    /* [n + 2] minima over prefixes of ranks (Fenwick tree) */
    uint32_t *fewest;  /* [n + 1] stages from here on, GSP_NONE if infeasible */
    uint32_t *most;    /* [n + 1] */
    /* plans */
    uint64_t *best;     /* [n + 1] of prefixes in s stages */
    uint64_t *next;     /* [n + 1] in s + 1 */
    uint32_t low;       /* least place of best with a plan; above high without one */
    uint32_t high;      /* greatest */
    uint32_t *from;     /* [stages * (n + 1)] begin of the last stage */
    uint32_t *cut;      /* [stages + 1] best plan of this order */
    uint32_t *trial;    /* [stages + 1] */
    uint64_t objective; /* of cut, or UINT64_MAX */
    uint64_t least;     /* lower bound of a cut */
    uint64_t guess;     /* bottleneck sought */
    uint64_t lower;     /* lower bound of this order */
} gspi_optimal;

static uint32_t gspi_optimal_asked(const gsp_stages_optimal_desc *d, uint32_t n)
{
    uint64_t const stages = (uint64_t)d->n_devices * d->n_chunks;
    return stages < n ? (uint32_t)stages : n;
}

GSPI_STAGES_OWN_FRAME void gspi_optimal_layout(
    gspi_stages_bump *b, gspi_optimal *w, const gsp_graph *g, const gsp_stages_optimal_desc *d)
{
    gsp_counts const c = gsp_graph_counts(g);
    size_t const n = c.nodes;
    size_t const stages = gspi_optimal_asked(d, c.nodes);
    size_t const places = d->model.carried ? n + 1u : 0u;
    w->d = d;
    w->by_time = d->goal == GSP_STAGES_OPTIMAL_TIME;
    w->r =
        (gsp_stages_optimal_result *)gspi_stages_push(b, 1, sizeof(gsp_stages_optimal_result), 1);
    w->stage_of = (uint32_t *)gspi_stages_push(b, n, sizeof(uint32_t), 0);
    gspi_line_layout(b, &w->line, g, &d->model);
    w->line.first = gspi_stages_words(b, n);
    w->line.input_after = gspi_stages_words(b, c.edges);
    w->line.shared_after = gspi_stages_words(b, gspi_stages_add(n, c.edges));
    w->weight = (uint64_t *)gspi_stages_push(b, n + 1u, sizeof(uint64_t), 1);
    w->room = gspi_stages_words(b, n + 1u);
    w->group_last = gspi_stages_words(b, d->keep_groups ? c.strings : 0u);
    w->up = (uint64_t *)gspi_stages_push(b, places, sizeof(uint64_t), 1);
    w->down = (uint64_t *)gspi_stages_push(b, places, sizeof(uint64_t), 1);
    w->by_up = gspi_stages_words(b, places);
    w->by_down = gspi_stages_words(b, places);
    w->rank = gspi_stages_words(b, places);
    w->reach = gspi_stages_words(b, places);
    w->tree = gspi_stages_words(b, places == 0u ? 0u : places + 1u);
    w->fewest = gspi_stages_words(b, places);
    w->most = gspi_stages_words(b, places);
    w->best = (uint64_t *)gspi_stages_push(b, n + 1u, sizeof(uint64_t), 1);
    w->next = (uint64_t *)gspi_stages_push(b, n + 1u, sizeof(uint64_t), 1);
    w->from = gspi_stages_words(b, gspi_stages_mul_add(stages, n + 1u, 0));
    w->cut = gspi_stages_words(b, stages + 1u);
    w->trial = gspi_stages_words(b, stages + 1u);
}

static gsp_stages_optimal_desc gspi_optimal_desc(const gsp_stages_optimal_desc *desc)
{
    static const gsp_stages_optimal_desc zero = {
        0u, 0, 0, 0, 0, 0, {NULL, 0, 0, NULL, 0, 0, 0}, 0, 0, NULL, 0};
    gsp_stages_optimal_desc d = desc == NULL ? zero : *desc;
    d.n_devices = d.n_devices == 0u ? 1u : d.n_devices;
    d.n_chunks = d.n_chunks == 0u ? 1u : d.n_chunks;
    d.n_orders = d.n_orders == 0u ? 1u : d.n_orders;
    d.n_orders = d.n_orders > GSP_STAGES_OPTIMAL_ORDERS ? GSP_STAGES_OPTIMAL_ORDERS : d.n_orders;
    d.model.copies = d.model.copies == 0u ? 1u : d.model.copies;
    d.max_work = d.max_work == 0u ? (uint64_t)1u << 26 : d.max_work;
    d.marker = d.marker == NULL ? GSP_STAGES_MARKER : d.marker;
    return d;
}

/* Bytes of the pass without its orders. */
GSPI_STAGES_OWN_FRAME size_t gspi_optimal_own(const gsp_graph *g, const gsp_stages_optimal_desc *d)
{
    gspi_stages_bump b = {NULL, GSP_BOUND_ARRAY(sizeof(gspi_optimal), 1) + GSP_BOUND_SLACK};
    gspi_optimal w;
    gspi_optimal_layout(&b, &w, g, d);
    return b.used;
}

static size_t gspi_optimal_bound(const gsp_graph *g, const gsp_stages_optimal_desc *d)
{
    size_t const orders = d->n_orders > 1u ? gsp_topo_order_bound(g, NULL) : 0u;
    return gspi_stages_add(gspi_optimal_own(g, d), orders);
}

size_t gsp_stages_optimal_bound(const gsp_graph *graph, const gsp_stages_optimal_desc *desc)
{
    gsp_stages_optimal_desc const d = gspi_optimal_desc(desc);
    return gspi_optimal_bound(graph, &d);
}

/* Allows no cut inside a group to keep. room[]: allowed cuts after a place. */
static void gspi_optimal_room(gspi_optimal *w, const gsp_graph *g)
{
    gspi_line *l = &w->line;
    uint32_t found = 0;
    uint32_t reach = 0;
    gspi_stages_fill(w->room, (size_t)l->n + 1u, 0);
    for (uint32_t p = 0; p < l->n && w->d->keep_groups; p++) {
        gsp_atom const group = gspi_stages_attr(g, l->node[p], GSP_KEY_GROUP);
        if (group != GSP_NONE) {
            w->group_last[group] = p;
        }
    }
    for (uint32_t p = 1; p < l->n && w->d->keep_groups; p++) {
        gsp_atom const group = gspi_stages_attr(g, l->node[p - 1u], GSP_KEY_GROUP);
        if (group != GSP_NONE && w->group_last[group] > reach) {
            reach = w->group_last[group];
        }
        w->room[p] = reach >= p ? GSP_NONE : 0u;
    }
    for (uint32_t p = l->n; p > 1u; p--) {
        if (w->room[p - 1u] != GSP_NONE) {
            w->room[p - 1u] = found++;
        }
    }
    w->room[0] = found;
}

/* Finds the next reader of each value and shared item read. */
static void gspi_line_after(const gspi_line *l)
{
    gspi_stages_fill(l->item, gspi_stages_items(l->m->costs), l->n);
    gspi_stages_fill(l->first, l->n, l->n);
    for (uint32_t p = l->n; p-- > 0u;) {
        for (uint32_t i = l->in_begin[p]; i < l->in_begin[p + 1u]; i++) {
            l->input_after[i] = l->first[l->inputs[i]];
            l->first[l->inputs[i]] = p;
        }
        for (uint32_t i = l->shared_begin[p]; i < l->shared_begin[p + 1u]; i++) {
            l->shared_after[i] = l->item[l->shared[i]];
            l->item[l->shared[i]] = p;
        }
    }
}

/* Makes a line of an order (graph order if NULL). The weight is ticks, or bytes counted once. */
static void gspi_optimal_line(gspi_optimal *w, const gsp_graph *g, const gsp_node *order)
{
    const gsp_stage_model *m = &w->d->model;
    gspi_line *l = &w->line;
    gsp_str const marker = gsp_str_of(w->d->marker);
    l->n = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        gsp_node const v = order == NULL ? i : order[i];
        if (gspi_stages_member(g, v, marker)) {
            l->node[l->n++] = v;
        }
    }
    gspi_line_make(l);
    gspi_line_after(l);
    gspi_optimal_room(w, g);
    uint32_t const stages = gspi_optimal_asked(w->d, l->n);
    uint64_t const held = stages == 0u ? 0u : gspi_stages_held(m, stages - 1u, stages);
    w->weight[0] = 0;
    for (uint32_t p = 0; p < l->n; p++) {
        uint64_t const bytes = l->own[p] * m->copies + l->stash[p] * held;
        w->weight[p + 1u] = w->weight[p] + (w->by_time ? l->time[p + 1u] - l->time[p] : bytes);
    }
    l->n_stages = gspi_optimal_asked(w->d, l->n == 0u ? 0u : w->room[0] + 1u);
}

/* Extends the span by the place before it; updates bytes only. */
static void gspi_span_step_back(gspi_line *l, gspi_span *r)
{
    uint32_t const p = --r->begin;
    if (l->m->carried) {
        r->stash += l->stash[p] + l->carry[p] - l->carry[p + 1u];
    } else {
        for (uint32_t i = l->in_begin[p]; i < l->in_begin[p + 1u]; i++) {
            r->stash += l->input_after[i] >= r->end ? l->stash[l->inputs[i]] : 0u;
        }
        r->stash += l->first[p] >= r->end ? l->stash[p] : 0u;
    }
    for (uint32_t i = l->shared_begin[p]; i < l->shared_begin[p + 1u]; i++) {
        r->params += l->shared_after[i] >= r->end ? l->m->costs->item_bytes[l->shared[i]] : 0u;
    }
    r->params += l->own[p];
    l->work++;
}

/* Takes the first place off the span. */
static void gspi_span_drop(gspi_line *l, gspi_span *r)
{
    uint32_t const p = r->begin++;
    if (l->m->carried) {
        r->enter = l->cross[p + 1u];
        r->stash += l->carry[p + 1u] - l->carry[p] - l->stash[p];
    } else {
        for (uint32_t i = l->in_begin[p]; i < l->in_begin[p + 1u]; i++) {
            if (l->input_after[i] >= r->end) {
                r->enter -= l->move[l->inputs[i]];
                r->stash -= l->stash[l->inputs[i]];
            }
        }
        if (l->first[p] < r->end) {
            r->enter += l->move[p];
        } else {
            r->stash -= l->stash[p];
        }
    }
    for (uint32_t i = l->shared_begin[p]; i < l->shared_begin[p + 1u]; i++) {
        r->params -= l->shared_after[i] >= r->end ? l->m->costs->item_bytes[l->shared[i]] : 0u;
    }
    r->leave -= l->last[p] >= r->end ? l->move[p] : 0u;
    r->params -= l->own[p];
    l->work++;
}

/* Non-decreasing part of the cost as stage s. */
static uint64_t gspi_span_floor(const gspi_optimal *w, const gspi_span *r, uint32_t s)
{
    return w->by_time ? gspi_span_ticks(&w->line, r, s) : gspi_span_bytes(&w->line, r, s);
}

/* Extends a span to the next end of stage s within memory and load, with room for later cuts. */
static int gspi_span_next(
    gspi_optimal *w, gspi_span *r, uint32_t s, uint64_t within, uint64_t *load)
{
    gspi_line *l = &w->line;
    while (r->end < l->n) {
        gspi_span_step(l, r);
        uint64_t const floor = gspi_span_floor(w, r, s);
        if (floor > within || gspi_span_bytes(l, r, s) > w->memory) {
            return 0;
        }
        uint32_t const room = w->room[r->end];
        if (s + 1u == l->n_stages
                ? r->end < l->n
                : r->end == l->n || room == GSP_NONE || room + s + 2u < l->n_stages) {
            continue;
        }
        *load = floor + (w->by_time ? gspi_span_leave(l, r) : 0u);
        if (*load <= within) {
            return 1;
        }
    }
    return 0;
}

/* ---- Carried values ---- */

/* If each cut carries all live values, load(i, j) = up[j] - down[i]. The feasible ends of a start
 * are a prefix of by_up. Minima over prefixes give the fewest and most stages from each place, in
 * O(n log n) per guess; bisection finds the least feasible guess. */

/* Finds the ends of each start within a guess by merging two ascending orders. */
static void gspi_carried_reach(const gspi_optimal *w, uint64_t guess)
{
    uint32_t ends = 0;
    for (uint32_t i = 0; i <= w->line.n; i++) {
        uint64_t const most = w->down[w->by_down[i]] + guess;
        while (ends <= w->line.n && w->up[w->by_up[ends]] + GSPI_CARRIED_OFFSET <= most) {
            ends++;
        }
        w->reach[w->by_down[i]] = ends;
    }
}

static void gspi_carried_count(const gspi_optimal *w, int most, uint32_t *count)
{
    const gspi_line *l = &w->line;
    uint32_t const places = l->n + 1u;
    gspi_stages_fill(w->tree, (size_t)places + 1u, GSP_NONE);
    for (uint32_t p = places; p > 0u; p--) {
        uint32_t const at = p - 1u;
        uint32_t least = at == l->n ? (most ? GSP_NONE - 1u : 0u) : GSP_NONE;
        for (uint32_t i = at == l->n ? 0u : w->reach[at]; i > 0u; i &= i - 1u) {
            least = w->tree[i] < least ? w->tree[i] : least;
        }
        count[at] =
            least == GSP_NONE ? GSP_NONE : (most ? GSP_NONE - 1u - least : least) + (at < l->n);
        if (least == GSP_NONE || w->room[at] == GSP_NONE) {
            continue;
        }
        least = most ? GSP_NONE - 1u - count[at] : count[at];
        for (uint32_t i = w->rank[at] + 1u; i <= places; i += i & (0u - i)) {
            w->tree[i] = least < w->tree[i] ? least : w->tree[i];
        }
    }
}

/* Raises w->lower to the least guess for which l->n_stages stages suffice. */
static void gspi_carried_lower(gspi_optimal *w)
{
    gspi_line *l = &w->line;
    const gsp_stage_model *m = &w->d->model;
    for (uint32_t p = 0; p <= l->n; p++) {
        w->up[p] = l->time[p] + l->cross[p] + (p == l->n ? m->last_time : 0u);
        w->down[p] =
            GSPI_CARRIED_OFFSET + l->time[p] - l->cross[p] - (p == 0u ? m->first_time : 0u);
        w->by_up[p] = p;
        w->by_down[p] = p;
    }
    gspi_stages_sort(w->by_up, l->n + 1u, w->up);
    gspi_stages_sort(w->by_down, l->n + 1u, w->down);
    for (uint32_t p = 0; p <= l->n; p++) {
        w->rank[w->by_up[p]] = p;
    }
    for (uint64_t high = w->objective; w->lower < high;) {
        uint64_t const middle = w->lower + (high - w->lower) / 2u;
        gspi_carried_reach(w, middle);
        gspi_carried_count(w, 0, w->fewest);
        l->work += l->n;
        if (w->fewest[0] <= l->n_stages) {
            high = middle;
        } else {
            w->lower = middle + 1u;
        }
    }
}

/* Makes stages within w->lower in trial, with the earliest cuts; returns 0 if none is found. */
static int gspi_carried_plan(gspi_optimal *w)
{
    gspi_carried_reach(w, w->lower);
    gspi_carried_count(w, 0, w->fewest);
    gspi_carried_count(w, 1, w->most);
    w->trial[0] = 0;
    for (uint32_t s = 0; s < w->line.n_stages; s++) {
        uint32_t const left = w->line.n_stages - s - 1u;
        uint32_t const ends = w->reach[w->trial[s]];
        uint32_t p = w->trial[s] + 1u;
        while (p <= w->line.n && (w->room[p] == GSP_NONE || w->rank[p] >= ends ||
                                     w->fewest[p] > left || w->most[p] < left)) {
            p++;
        }
        if (p > w->line.n) {
            return 0;
        }
        w->trial[s + 1u] = p;
    }
    return 1;
}

/* Makes greedy stages of load <= `within` in trial. Returns the bottleneck, or UINT64_MAX. */
static uint64_t gspi_optimal_greedy(gspi_optimal *w, uint64_t within)
{
    uint64_t bottleneck = 0;
    w->trial[0] = 0;
    for (uint32_t s = 0; s < w->line.n_stages && bottleneck != UINT64_MAX; s++) {
        gspi_span r = gspi_span_open(&w->line, w->trial[s]);
        uint64_t load = UINT64_MAX;
        for (uint64_t here; gspi_span_next(w, &r, s, within, &here);) {
            load = here;
            w->trial[s + 1u] = r.end;
        }
        bottleneck = load > bottleneck ? load : bottleneck;
    }
    return bottleneck;
}

/* The bottleneck of trial, memory ignored. */
static uint64_t gspi_optimal_bottleneck(gspi_optimal *w)
{
    uint64_t bottleneck = 0;
    for (uint32_t s = 0; s < w->line.n_stages; s++) {
        gspi_span const r = gspi_span_of(&w->line, w->trial[s], w->trial[s + 1u]);
        uint64_t const load =
            gspi_span_floor(w, &r, s) + (w->by_time ? gspi_span_leave(&w->line, &r) : 0u);
        bottleneck = load > bottleneck ? load : bottleneck;
    }
    return bottleneck;
}

static void gspi_optimal_equal(gspi_optimal *w)
{
    w->trial[0] = 0;
    for (uint32_t s = 0; s < w->line.n_stages; s++) {
        uint32_t const rest = w->line.n - w->trial[s];
        uint32_t const left = w->line.n_stages - s;
        w->trial[s + 1u] = w->trial[s] + rest / left + (rest % left != 0u);
    }
}

/* Makes greedy stages within `memory` in trial, last first. Returns 0 if no plan exists, since
 * neither a larger stage nor an earlier stage of a node saves memory. */
static int gspi_optimal_fit(gspi_optimal *w, uint64_t memory)
{
    w->trial[w->line.n_stages] = w->line.n;
    for (uint32_t s = w->line.n_stages; s > 0u; s--) {
        gspi_span r = gspi_span_open(&w->line, w->trial[s]);
        w->trial[s - 1u] = GSP_NONE;
        while (r.begin > 0u) {
            gspi_span_step_back(&w->line, &r);
            uint32_t p = r.begin;
            if (gspi_span_bytes(&w->line, &r, s - 1u) > memory) {
                break;
            }
            if (s == 1u ? p == 0u
                        : p > 0u && w->room[p] != GSP_NONE && w->room[0] - w->room[p] + 1u >= s) {
                w->trial[s - 1u] = p;
            }
        }
        if (w->trial[s - 1u] == GSP_NONE) {
            return 0;
        }
    }
    return 1;
}

static void gspi_optimal_keep(gspi_optimal *w, uint64_t bottleneck)
{
    if (bottleneck < w->objective) {
        w->objective = bottleneck;
        for (uint32_t s = 0; s <= w->line.n_stages; s++) {
            w->cut[s] = w->trial[s];
        }
    }
}

/* Sets lower, an equal share or the greatest node, and the least cost of a cut. */
static void gspi_optimal_lower(gspi_optimal *w)
{
    gspi_line *l = &w->line;
    uint64_t const k = l->n_stages;
    uint64_t least = w->by_time && k > 1u ? UINT64_MAX : 0u;
    uint64_t all = w->weight[l->n];
    w->lower = 0;
    for (uint32_t p = 0; p < l->n; p++) {
        uint64_t const one = w->weight[p + 1u] - w->weight[p];
        w->lower = one > w->lower ? one : w->lower;
        if (p == 0u || w->room[p] == GSP_NONE || least == 0u) {
            continue;
        }
        uint64_t cost = l->last[p - 1u] >= p ? l->move[p - 1u] : 0u;
        for (uint32_t i = l->in_begin[p]; i < l->in_begin[p + 1u]; i++) {
            cost += l->move[l->inputs[i]];
        }
        cost = w->d->model.carried ? 2u * l->cross[p] : cost;
        least = cost < least ? cost : least;
    }
    all += w->by_time ? w->d->model.first_time + w->d->model.last_time : 0u;
    all += least * (k - 1u);
    all = all / k + (all % k != 0u);
    w->lower = all > w->lower ? all : w->lower;
    w->least = least;
}

/* 1 if `left` stages within the guess may hold the nodes from place p on. */
static int gspi_optimal_holds(const gspi_optimal *w, uint32_t p, uint64_t left)
{
    uint64_t const tail = w->by_time ? w->d->model.last_time : 0u;
    uint64_t const need = w->weight[w->line.n] - w->weight[p] + tail + w->least * (left - 1u);
    return need <= gspi_stages_times(w->guess, left);
}

/* Moves the span forward to [p, end). */
static void gspi_span_slide(gspi_line *l, gspi_span *r, uint32_t p, uint32_t end)
{
    if (r->end <= p) {
        *r = gspi_span_open(l, p);
    }
    while (r->end < end) {
        gspi_span_step(l, r);
    }
    while (r->begin < p) {
        gspi_span_drop(l, r);
    }
}

/* Finds the best plans of prefixes in s + 1 stages within the guess from those in s. Ends from
 * which the later stages cannot hold the rest are skipped: a base slides to the first other end,
 * and each span starts as a copy of it. So no end that an earlier stage left needs the check. */
GSPI_STAGES_OWN_FRAME void gspi_optimal_stage(gspi_optimal *w, uint32_t s)
{
    gspi_line *l = &w->line;
    uint64_t *swap = w->best;
    uint32_t *from = w->from + (size_t)s * ((size_t)l->n + 1u);
    uint32_t const left = l->n_stages - s;
    uint32_t const high = w->high;
    uint32_t first = left == 1u ? l->n : w->low;
    gspi_span base = gspi_span_open(l, w->low);
    while (first < l->n && !gspi_optimal_holds(w, first, left - 1u)) {
        first++;
    }
    uint32_t p = w->low;
    w->low = GSP_NONE;
    w->high = 0;
    for (; p <= high && l->work <= w->d->max_work; p++) {
        uint64_t const before = w->best[p];
        w->best[p] = UINT64_MAX;
        if (before == UINT64_MAX) {
            continue;
        }
        gspi_span_slide(l, &base, p, first > p ? first - 1u : p);
        gspi_span r = base;
        for (uint64_t load; gspi_span_next(w, &r, s, w->guess, &load);) {
            load = load > before ? load : before;
            if (load < w->next[r.end]) {
                w->next[r.end] = load;
                from[r.end] = p;
                w->low = r.end < w->low ? r.end : w->low;
                w->high = r.end > w->high ? r.end : w->high;
            }
        }
    }
    w->best = w->next;
    w->next = swap;
}

/* Finds the best plan within the guess. Returns 0 if infeasible, -1 after max_work. */
static int gspi_optimal_search(gspi_optimal *w)
{
    gspi_line *l = &w->line;
    uint32_t const n = l->n;
    gspi_stages_fill64(w->best, (size_t)n + 1u, UINT64_MAX);
    gspi_stages_fill64(w->next, (size_t)n + 1u, UINT64_MAX);
    w->best[0] = 0;
    w->low = 0;
    w->high = 0;
    for (uint32_t s = 0; s < l->n_stages && w->low <= w->high; s++) {
        gspi_optimal_stage(w, s);
        if (l->work > w->d->max_work) {
            return -1;
        }
    }
    if (w->best[n] == UINT64_MAX) {
        return 0;
    }
    w->trial[l->n_stages] = n;
    for (uint32_t s = l->n_stages; s > 0u; s--) {
        w->trial[s - 1u] = w->from[(size_t)(s - 1u) * ((size_t)n + 1u) + w->trial[s]];
    }
    return 1;
}

/* Finds cut, objective and lower of the best plan of at most `cap`; returns 0 with too little
 * memory. */
static int gspi_optimal_solve(gspi_optimal *w, uint64_t cap)
{
    const gsp_stages_optimal_desc *d = w->d;
    int found = 0;
    w->objective = UINT64_MAX;
    gspi_optimal_lower(w);
    uint64_t step = w->lower / 1024u + 1u;
    if (!gspi_optimal_fit(w, w->memory)) {
        return 0;
    }
    gspi_optimal_keep(w, gspi_optimal_bottleneck(w));
    if (w->memory == UINT64_MAX && !d->keep_groups) {
        gspi_optimal_equal(w);
        gspi_optimal_keep(w, gspi_optimal_bottleneck(w));
    }
    if (d->model.carried && w->by_time) {
        gspi_carried_lower(w);
        if (w->memory == UINT64_MAX && gspi_carried_plan(w)) {
            gspi_optimal_keep(w, gspi_optimal_bottleneck(w));
        }
    }
    /* tightens greedy stages until the gap is small */
    for (uint64_t low = w->lower; low < w->objective && w->objective - low > w->lower / 4096u;) {
        uint64_t const middle = low + (w->objective - low) / 2u;
        uint64_t const bottleneck = gspi_optimal_greedy(w, middle);
        low = bottleneck == UINT64_MAX ? middle + 1u : low;
        gspi_optimal_keep(w, bottleneck);
    }
    cap = cap < w->objective ? cap : w->objective;
    while (found == 0 && w->lower <= cap) {
        w->guess = step < cap - w->lower ? w->lower + step : cap;
        found = gspi_optimal_search(w);
        if (found > 0) {
            w->objective = UINT64_MAX;
            gspi_optimal_keep(w, w->best[w->line.n]);
            w->lower = w->objective;
        } else if (found == 0) {
            w->lower = w->guess + 1u;
            step *= 4;
        }
    }
    return 1;
}

/* Solves one line. Returns 0 if a plan exists, else the least feasible memory per stage. */
static uint64_t gspi_optimal_one(gspi_optimal *w, uint32_t number)
{
    gsp_stages_optimal_result *r = w->r;
    w->line.work = 0;
    if (number == 0u) {
        gspi_optimal_equal(w);
        r->reference = gspi_optimal_bottleneck(w);
    }
    if (!gspi_optimal_solve(w, r->objective - 1u)) {
        uint64_t low = 0;
        for (uint64_t high = UINT64_MAX - 1u; low < high;) {
            uint64_t const middle = low + (high - low) / 2u;
            int const fits = gspi_optimal_fit(w, middle);
            low = fits ? low : middle + 1u;
            high = fits ? middle : high;
        }
        return low;
    }
    r->lower_bound = w->lower < r->lower_bound ? w->lower : r->lower_bound;
    if (w->objective < r->objective) {
        r->objective = w->objective;
        r->order = number;
        r->n_stages = w->line.n_stages;
        for (uint32_t s = 0; s < r->n_stages; s++) {
            for (uint32_t p = w->cut[s]; p < w->cut[s + 1u]; p++) {
                w->stage_of[w->line.node[p]] = s;
            }
        }
    }
    r->work += w->line.work;
    return 0;
}

/* Tries graph order, kinds of orders, then seeds, forward and backward. */
GSPI_STAGES_OWN_FRAME gsp_status gspi_optimal_try(
    gsp_arena *arena, gspi_optimal *w, const gsp_graph *g, gsp_error *err)
{
    gsp_stages_optimal_result *r = w->r;
    uint32_t n_orders = w->d->n_orders;
    uint64_t need = UINT64_MAX;
    for (gsp_node v = 0; v < g->n_nodes && n_orders > 1u; v++) {
        if (gspi_stages_attr(g, v, GSP_KEY_MUTATES) != GSP_NONE ||
            gspi_stages_attr(g, v, GSP_KEY_BARRIER) != GSP_NONE) {
            n_orders = 1;
        }
    }
    gspi_stages_fill(w->stage_of, g->n_nodes, GSP_NONE);
    for (uint32_t i = 0; i < n_orders && r->objective > 0u; i++) {
        uint32_t const deep = GSP_TOPO_ORDER_DEPTH;
        gsp_mark const mark = gsp_arena_mark(arena);
        gsp_topo_order_desc order = {0u, 0, 0, 0, 0u};
        gsp_topo_order_result made = {0u, NULL};
        order.backward = i % 2u;
        order.kind = i / 2u < deep ? i / 2u : deep;
        order.seed = i / 2u - order.kind;
        if (i > 0u) {
            (void)gsp_topo_order_run(arena, g, &order, &made, NULL);
        }
        gspi_optimal_line(w, g, made.order);
        gsp_arena_rewind(arena, mark);
        if (w->line.n == 0u) {
            r->objective = 0;
        } else {
            uint64_t const least = gspi_optimal_one(w, i);
            need = least != 0u && least < need ? least : need;
        }
    }
    r->lower_bound = r->lower_bound < r->objective ? r->lower_bound : r->objective;
    r->proved = r->lower_bound == r->objective;
    if (r->objective == UINT64_MAX) {
        return gspi_stages_lack(err, GSP_STATUS_NO_FIT, GSP_DETAIL_MEMORY,
            gspi_stages_times(need, w->d->n_chunks), w->d->memory);
    }
    return GSP_OK;
}

/* Checks what the desc of a caller needs. */
static gsp_status gspi_optimal_check(
    const gsp_graph *g, const gsp_stages_optimal_desc *d, gsp_error *err)
{
    const gsp_stage_model *m = &d->model;
    uint32_t const stages = gspi_optimal_asked(d, g->n_nodes);
    GSPI_STAGES_CHECK(
        d->start_canary == 0u && d->end_canary == 0u, DESC, CANARY, GSP_NONE, GSP_NONE);
    if (d->goal >= (uint32_t)GSP_STAGES_OPTIMAL_COUNT) {
        return gspi_stages_fail_field(err, GSP_STATUS_DESC, GSP_DETAIL_CHOICE, "goal\0");
    }
    if (m->costs == NULL) {
        return gspi_stages_missing(err, "costs\0");
    }
    uint64_t const held = 1u + (stages == 0u ? 0u : (uint64_t)gspi_stages_held(m, 0, stages));
    for (uint32_t s = 1; s < stages && m->held != NULL; s++) {
        if (m->held[s] > m->held[s - 1u]) {
            return gspi_stages_fail(
                err, GSP_STATUS_ARG, GSP_DETAIL_HELD, GSP_WHAT_STAGE, s, GSP_NONE);
        }
    }
    /* sums fit 61 bits, with all cuts and all microbatches */
    return gspi_stages_check_costs(g, m, 2u * (uint64_t)stages + 1u, 2u * held, err);
}

gsp_status gsp_stages_optimal_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_stages_optimal_desc *desc, gsp_stages_optimal_result *result, gsp_error *err)
{
    gsp_stages_optimal_result const empty = {0u, 0, 0, 0, NULL, UINT64_MAX, UINT64_MAX, 0, 0};
    gsp_stages_optimal_desc const d = gspi_optimal_desc(desc);
    gsp_status status = gspi_stages_given(arena, graph, result, err);
    if (status == GSP_OK) {
        status = gspi_optimal_check(graph, &d, err);
    }
    if (status == GSP_OK) {
        status = gspi_stages_room(arena, gspi_optimal_bound(graph, &d), err);
    }
    if (status != GSP_OK) {
        return status;
    }
    gsp_mark const mark = gsp_arena_mark(arena);
    gspi_stages_bump b = {arena, 0};
    gspi_optimal *w = (gspi_optimal *)gspi_stages_push(&b, 1, sizeof(gspi_optimal), 1);
    gspi_optimal_layout(&b, w, graph, &d);
    *w->r = empty;
    w->r->stage_of = w->stage_of;
    w->r->n_nodes = graph->n_nodes;
    w->memory = d.memory == 0u ? UINT64_MAX : d.memory / d.n_chunks;
    status = gspi_optimal_try(arena, w, graph, err);
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    *result = *w->r;
    return gspi_stages_leave(arena, mark, err);
}

#endif /* GSP_NO_PIPELINE */

#ifdef __cplusplus
}
#endif

GSPI_STAGES_END

#endif /* GRAPHSPLIT_STAGES_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_STAGES_IMPLEMENTATION */
