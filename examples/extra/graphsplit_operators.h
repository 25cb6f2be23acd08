/* graphsplit_operators.h - an add-on of graphsplit.h: operators that an accelerator should learn
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * In which order an accelerator should support more operators, which of them are the fewest that
 * reach a goal, and the split with any of them. Needs graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_OPERATORS_IMPLEMENTATION
 *     #include "graphsplit_operators.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>operators          Operators that an accelerator should learn
 *     >>impl               Implementation guard
 *
 *     gsp_operators_run       splits within max_work   16 per operator; at work 15 per node, 13 per
 *                                                      operator, and a split
 *     gsp_operators_split_run       a split            that of the split; at work 10 per node and
 *                                                      1 per operator more
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_OPERATORS_H_INCLUDED
#define GRAPHSPLIT_OPERATORS_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_OPERATORS_IMPLEMENTATION)
#error "graphsplit_operators: GRAPHSPLIT_STATIC needs GRAPHSPLIT_OPERATORS_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>operators   Operators that an accelerator should learn (API)
 * ---- */

#ifndef GSP_NO_SPLIT

#define GSP_OPERATORS_WORK ((uint64_t)40000000u)

/* Called before each operator of the order is chosen, and at each step of the search. Returns
 * nonzero to stop with the best set so far. */
typedef int (*gsp_operators_progress_func)(void *user, uint64_t work);

/* A node is missing if it is on the CPU, as unsupported where the placement has reasons, and has an
 * operator. Without a goal, no operators are enough. */
typedef struct gsp_operators_desc {
    uint32_t start_canary;
    uint32_t n_operators;
    const uint32_t *operator_of; /* [n] of a callable node, below n_operators; GSP_NONE keeps it
                                  * where it is; required */
    const gsp_split_desc *split; /* as for gsp_split_run(), whose limit and max_acc are not read;
                                  * required */
    uint32_t kind;               /* the accelerator that learns; 0 means 1 */
    uint32_t max_subgraphs;      /* the goal: at most so many; 0 means any number, */
    uint32_t min_nodes;          /* and at least so many nodes on accelerators */
    uint64_t max_work;           /* of the order, and of the search; 0 means GSP_OPERATORS_WORK */
    gsp_operators_progress_func progress; /* or NULL */
    void *progress_user;
    uint32_t end_canary;
} gsp_operators_desc;

/* All arrays are read-only. */
typedef struct gsp_operators_result {
    uint32_t n;                  /* operators with missing nodes */
    uint32_t ordered;            /* 1 if they are in order */
    const uint32_t *order;       /* [n] the most important first */
    const uint32_t *n_subgraphs; /* [n + 1] with the first k of them; only [0] if not ordered */
    const uint32_t *n_nodes;     /* [n + 1] nodes on accelerators, likewise */
    uint32_t n_greedy;           /* the first so many reach the goal; GSP_NONE if none are known */
    uint32_t n_least;            /* the fewest that are known to reach it; GSP_NONE if none are */
    const uint32_t *least;       /* [n_least] */
    uint32_t bound;              /* no set of fewer operators reaches it */
    uint32_t proved;             /* 1 if bound = n_least, or if no set reaches it */
    uint32_t stopped;            /* 1 if progress ended the search early */
    uint64_t work;               /* nodes visited: n + 1 per split */
} gsp_operators_result;

/* gsp_operators_bound: bytes for gsp_operators_run(); SIZE_MAX without a split. Time: O(1). */
GSP_API size_t gsp_operators_bound(const gsp_graph *graph, const gsp_operators_desc *desc);

/* gsp_operators_run: in which order to support operators, and the fewest that reach a goal.
 *
 * What:    The order is made backwards: of all operators, the last is the one that the accelerator
 *          can best do without. The fewest subgraphs remain, then the most nodes on accelerators,
 *          and of equal operators the one that is last in the order so far, ascending at first.
 *          There is no order if it needs more than max_work. The least set is searched by size, in
 *          the sequence of the order. A branch ends when no set within it can reach the goal: it
 *          cannot have enough nodes; or, with one accelerator, no sizes, `accept`, phases or
 *          move_non_tensor, the kinds that all its sets share need too many phases. Among sets of
 *          equal size the first is taken.
 * Errors:  ARG (NULL_ARGUMENT; KIND: of desc.kind, or the placement is of another graph; RANGE: the
 *          operator of `node`), DESC (CANARY), OVERFLOW (TOO_MANY); after NOMEM: those of
 *          gsp_split_run()
 * Time:    a split per pair of operators, and per set that is tried, within max_work
 * Memory:  the bound; order, n_subgraphs, n_nodes and least stay
 * Example: examples/operators.c
 */
GSP_API gsp_status gsp_operators_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_operators_desc *desc, gsp_operators_result *result, gsp_error *err);

/* gsp_operators_split_bound: bytes for gsp_operators_split_run(); SIZE_MAX without a split.
 * Time: O(1). */
GSP_API size_t gsp_operators_split_bound(const gsp_graph *graph, const gsp_operators_desc *desc);

/* gsp_operators_split_run: the split as if the accelerator supported these operators as well.
 *
 * What:    gsp_split_run() with missing nodes of operators[n_more] on desc.kind. The goal, max_work
 *          and progress are not read.
 * Errors:  as gsp_operators_run(); ARG (RANGE: an operator is none)
 * Time:    that of gsp_split_run(). Memory: the bound; the result stays
 * Example: examples/operators.c
 */
GSP_API gsp_status gsp_operators_split_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_operators_desc *desc, const uint32_t *operators, uint32_t n_more,
    gsp_split_result *result, gsp_error *err);

#endif /* GSP_NO_SPLIT */

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_OPERATORS_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_OPERATORS_IMPLEMENTATION
#ifndef GRAPHSPLIT_OPERATORS_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_OPERATORS_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_OPERATORS_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_OPERATORS_END       _Pragma("GCC diagnostic pop")
#define GSPI_OPERATORS_OWN_FRAME __attribute__((noinline)) static /* not on that of its caller */
#else
#define GSPI_OPERATORS_BEGIN
#define GSPI_OPERATORS_END
#define GSPI_OPERATORS_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_OPERATORS_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>operators   Operators that an accelerator should learn (implementation)
 * ---- */

#ifndef GSP_NO_SPLIT

/* Where nodes are in a trial. */
typedef struct gspi_operators_places {
    uint32_t *of;      /* [n] operator of a missing node, else GSP_NONE */
    gsp_node *culprit; /* [n] */
    uint8_t *kind;     /* [n] */
    uint8_t *reason;   /* [n] */
    uint8_t *more;     /* [n_operators] 1 if the accelerator supports it as well */
} gspi_operators_places;

/* Splits as if the accelerator supported more operators. */
typedef struct gspi_operators_trial { /* not on the stack */
    const gsp_graph *g;
    const gsp_operators_desc *d;
    gsp_placement placement;
    gsp_split_desc split;
    gspi_operators_places at;
} gspi_operators_trial;

/* Of m operators at most. */
typedef struct gspi_operators_rows {
    uint32_t *order;       /* [m] of the result, */
    uint32_t *n_subgraphs; /* [m + 1] */
    uint32_t *n_nodes;     /* [m + 1] */
    uint32_t *least;       /* [m] */
    uint32_t *count;       /* [n_operators] missing nodes */
    uint32_t *top;         /* [m + 1] missing nodes of the k operators that have most */
    uint32_t *pick;        /* [m] places in the order, ascending */
    uint32_t *phase;       /* [n + 1] the least of a node in a branch */
    uint8_t *fixed;        /* [n] kind of a node in all sets of a branch */
} gspi_operators_rows;

typedef enum gspi_operators_state {
    GSPI_OPERATORS_SEARCHES,
    GSPI_OPERATORS_FOUND,
    GSPI_OPERATORS_NONE, /* no set of this size */
    GSPI_OPERATORS_ENDED /* out of work, or stopped */
} gspi_operators_state;

typedef struct gspi_operators { /* not on the stack */
    gspi_operators_trial t;
    gsp_arena *arena;
    gsp_error *err;
    gsp_mark mark; /* before the last split */
    gsp_split_result made;
    gsp_operators_result r;
    uint32_t on_acc; /* its nodes on accelerators */
    uint32_t reach;  /* the most that are there with the picked operators */
    uint64_t end;    /* of work */
    int shares;      /* 1 if the sets of a branch share kinds */
    gspi_operators_state state;
    gspi_operators_rows a;
} gspi_operators;

#define GSPI_OPERATORS_OPEN 2u /* the kind differs */

/* A condition that no input makes, or one of gigabytes; `make cov` does not count it. */
#define GSPI_OPERATORS_NEVER(x) (x)

#ifdef GSP_NO_MESSAGES
#define GSPI_OPERATORS_FIELD(text) ""
#else
#define GSPI_OPERATORS_FIELD(text) text "\0"
#endif

static gsp_status gspi_operators_fail(
    gsp_error *err, gsp_status status, gsp_detail detail, gsp_node node, const char *field)
{
    if (err != NULL) {
        uint32_t const what = node == GSP_NONE ? GSP_WHAT_NONE : GSP_WHAT_NODE;
        gsp_error const e = {status, detail, what, node, GSP_NONE, 0, 0, 0, 0u, field};
        *err = e;
    }
    return status;
}

static uint64_t gspi_operators_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* ---- Layout ---- */

/* A layout pushes all arrays; without an arena it measures them. */
typedef struct gspi_operators_bump {
    gsp_arena *arena;
    uint64_t used;
} gspi_operators_bump;

GSPI_OPERATORS_OWN_FRAME void *gspi_operators_push(
    gspi_operators_bump *b, uint64_t count, size_t size, int high)
{
    b->used += (count * size + (GSP_GAP + GSP_ALIGN - 1u)) & ~((uint64_t)GSP_ALIGN - 1u);
    return b->arena == NULL ? NULL
           : high           ? gsp_arena_push_high(b->arena, (size_t)count, size)
                            : gsp_arena_push(b->arena, (size_t)count, size);
}

static uint32_t *gspi_operators_words(gspi_operators_bump *b, uint64_t count, int high)
{
    return (uint32_t *)gspi_operators_push(b, count, sizeof(uint32_t), high);
}

GSPI_OPERATORS_OWN_FRAME void gspi_operators_places_layout(gspi_operators_bump *b,
    gspi_operators_places *p, const gsp_graph *g, const gsp_operators_desc *d)
{
    p->of = gspi_operators_words(b, g->n_nodes, 1);
    p->culprit = gspi_operators_words(b, g->n_nodes, 1);
    p->kind = (uint8_t *)gspi_operators_push(b, g->n_nodes, 1, 1);
    p->reason = (uint8_t *)gspi_operators_push(b, g->n_nodes, 1, 1);
    p->more = (uint8_t *)gspi_operators_push(b, d->n_operators, 1, 1);
}

GSPI_OPERATORS_OWN_FRAME void gspi_operators_layout(
    gspi_operators_bump *b, gspi_operators_rows *a, const gsp_graph *g, const gsp_operators_desc *d)
{
    uint64_t const n = g->n_nodes;
    uint64_t const m = d->n_operators < n ? d->n_operators : n;
    a->order = gspi_operators_words(b, m, 0);
    a->n_subgraphs = gspi_operators_words(b, m + 1u, 0);
    a->n_nodes = gspi_operators_words(b, m + 1u, 0);
    a->least = gspi_operators_words(b, m, 0);
    a->count = gspi_operators_words(b, d->n_operators, 1);
    a->top = gspi_operators_words(b, m + 1u, 1);
    a->pick = gspi_operators_words(b, m, 1);
    a->phase = gspi_operators_words(b, n + 1u, 1);
    a->fixed = (uint8_t *)gspi_operators_push(b, n, 1, 1);
}

static size_t gspi_operators_size(uint64_t used, const gsp_graph *g, const gsp_operators_desc *d)
{
    uint64_t const own = used + 2u * (uint64_t)GSP_BOUND_SLACK;
    uint64_t const bytes = gspi_operators_sum(own, gsp_split_bound(g, d->split));
    return GSPI_OPERATORS_NEVER(bytes >= SIZE_MAX) ? SIZE_MAX : (size_t)bytes;
}

size_t gsp_operators_bound(const gsp_graph *graph, const gsp_operators_desc *desc)
{
    gspi_operators_bump b = {NULL, 0u};
    gspi_operators_rows a;
    gspi_operators_places p;
    if (desc == NULL || desc->split == NULL) {
        return SIZE_MAX;
    }
    (void)gspi_operators_push(&b, 1, sizeof(gspi_operators), 1);
    gspi_operators_layout(&b, &a, graph, desc);
    gspi_operators_places_layout(&b, &p, graph, desc);
    return gspi_operators_size(b.used, graph, desc);
}

size_t gsp_operators_split_bound(const gsp_graph *graph, const gsp_operators_desc *desc)
{
    gspi_operators_bump b = {NULL, 0u};
    gspi_operators_places p;
    if (desc == NULL || desc->split == NULL) {
        return SIZE_MAX;
    }
    (void)gspi_operators_push(&b, 1, sizeof(gspi_operators_trial), 1);
    gspi_operators_places_layout(&b, &p, graph, desc);
    return gspi_operators_size(b.used, graph, desc);
}

/* ---- Arguments ---- */

static uint32_t gspi_operators_kind(const gsp_operators_desc *d)
{
    return d->kind == 0u ? 1u : d->kind;
}

/* What is required and not there; NULL if nothing is. */
static const char *gspi_operators_missing(
    const gsp_arena *arena, const gsp_graph *g, const gsp_operators_desc *d, const void *result)
{
    return arena == NULL      ? GSPI_OPERATORS_FIELD("arena")
           : g == NULL        ? GSPI_OPERATORS_FIELD("graph")
           : d == NULL        ? GSPI_OPERATORS_FIELD("desc")
           : result == NULL   ? GSPI_OPERATORS_FIELD("result")
           : d->split == NULL ? GSPI_OPERATORS_FIELD("split")
           : d->split->placement == NULL || d->split->placement->kind == NULL
               ? GSPI_OPERATORS_FIELD("placement")
           : d->operator_of == NULL ? GSPI_OPERATORS_FIELD("operator_of")
                                    : NULL;
}

static gsp_status gspi_operators_check(const gsp_arena *arena, const gsp_graph *g,
    const gsp_operators_desc *d, const void *result, gsp_error *err)
{
    const char *field = gspi_operators_missing(arena, g, d, result);
    if (field != NULL) {
        return gspi_operators_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_operators_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE, "");
    }
    if (d->split->placement->n_nodes != g->n_nodes ||
        gspi_operators_kind(d) >= d->split->placement->n_kinds) {
        return gspi_operators_fail(
            err, GSP_STATUS_ARG, GSP_DETAIL_KIND, GSP_NONE, GSPI_OPERATORS_FIELD("kind"));
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (gsp_node_is_callable(g, v) && d->operator_of[v] != GSP_NONE &&
            d->operator_of[v] >= d->n_operators) {
            return gspi_operators_fail(
                err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, v, GSPI_OPERATORS_FIELD("operator_of"));
        }
    }
    return GSP_OK;
}

/* OK if so many bytes are left. */
static gsp_status gspi_operators_space(const gsp_arena *arena, size_t bound, gsp_error *err)
{
    size_t const left = gsp_arena_left(arena);
    if (GSPI_OPERATORS_NEVER(bound == SIZE_MAX)) {
        return gspi_operators_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE, "");
    }
    if (left >= bound) {
        return gspi_operators_fail(err, GSP_OK, GSP_DETAIL_NONE, GSP_NONE, "");
    }
    (void)gspi_operators_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, "");
    if (err != NULL) {
        err->need = bound;
        err->limit = left;
    }
    return GSP_STATUS_NOMEM;
}

/* ---- Splits with more operators ---- */

/* The placement as it is given, and which of its nodes are missing. */
GSPI_OPERATORS_OWN_FRAME void gspi_operators_trial_open(
    gspi_operators_trial *t, const gsp_graph *g, const gsp_operators_desc *d)
{
    const gsp_placement *p = d->split->placement;
    t->g = g;
    t->d = d;
    t->placement = *p;
    t->placement.kind = t->at.kind;
    t->placement.reason = p->reason == NULL ? NULL : t->at.reason;
    t->placement.culprit = p->culprit == NULL ? NULL : t->at.culprit;
    t->split = *d->split;
    t->split.placement = &t->placement;
    t->split.limit = t->split.max_acc = 0u;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t const reason = p->reason == NULL ? (uint32_t)GSP_REASON_UNSUPPORTED : p->reason[v];
        int const missing = gsp_node_is_callable(g, v) && p->kind[v] == GSP_KIND_CPU &&
                            reason == GSP_REASON_UNSUPPORTED;
        t->at.of[v] = missing ? d->operator_of[v] : GSP_NONE;
        t->at.kind[v] = p->kind[v];
        t->at.reason[v] = (uint8_t)reason;
        t->at.culprit[v] = p->culprit == NULL ? GSP_NONE : p->culprit[v];
    }
    for (uint32_t i = 0; i < d->n_operators; i++) {
        t->at.more[i] = 0;
    }
}

GSPI_OPERATORS_OWN_FRAME void gspi_operators_place(gspi_operators_trial *t)
{
    const gsp_placement *p = t->d->split->placement;
    uint8_t const kind = (uint8_t)gspi_operators_kind(t->d);
    for (gsp_node v = 0; v < t->g->n_nodes; v++) {
        if (t->at.of[v] != GSP_NONE) {
            int const more = t->at.more[t->at.of[v]];
            t->at.kind[v] = more ? kind : (uint8_t)GSP_KIND_CPU;
            t->at.reason[v] = (uint8_t)(more ? GSP_REASON_SUPPORTED : GSP_REASON_UNSUPPORTED);
            t->at.culprit[v] = more || p->culprit == NULL ? GSP_NONE : p->culprit[v];
        }
    }
}

gsp_status gsp_operators_split_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_operators_desc *desc, const uint32_t *operators, uint32_t n_more,
    gsp_split_result *result, gsp_error *err)
{
    gsp_status status = gspi_operators_check(arena, graph, desc, result, err);
    if (status == GSP_OK && operators == NULL && n_more != 0u) {
        return gspi_operators_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE,
            GSPI_OPERATORS_FIELD("operators"));
    }
    for (uint32_t i = 0; status == GSP_OK && i < n_more; i++) {
        if (operators[i] >= desc->n_operators) {
            return gspi_operators_fail(
                err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_NONE, GSPI_OPERATORS_FIELD("operators"));
        }
    }
    if (status == GSP_OK) {
        status = gspi_operators_space(arena, gsp_operators_split_bound(graph, desc), err);
    }
    if (status != GSP_OK) {
        return status;
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gspi_operators_bump b = {arena, 0u};
    gspi_operators_trial *t =
        (gspi_operators_trial *)gspi_operators_push(&b, 1, sizeof(gspi_operators_trial), 1);
    gspi_operators_places_layout(&b, &t->at, graph, desc);
    gspi_operators_trial_open(t, graph, desc);
    for (uint32_t i = 0; i < n_more; i++) {
        t->at.more[operators[i]] = 1;
    }
    gspi_operators_place(t);
    status = gsp_split_run(arena, graph, &t->split, result, err);
    mark.low = status == GSP_OK ? gsp_arena_mark(arena).low : mark.low;
    gsp_arena_rewind(arena, mark);
    return status;
}

GSPI_OPERATORS_OWN_FRAME gsp_status gspi_operators_try(gspi_operators *w)
{
    uint32_t const n = w->t.g->n_nodes;
    gsp_arena_rewind(w->arena, w->mark);
    w->r.work += (uint64_t)n + 1u;
    w->on_acc = 0;
    gspi_operators_place(&w->t);
    gsp_status const status = gsp_split_run(w->arena, w->t.g, &w->t.split, &w->made, w->err);
    for (gsp_node v = 0; status == GSP_OK && v < n; v++) {
        uint32_t const s = w->made.subgraph_of[v];
        w->on_acc += s != GSP_NONE && w->made.subgraph_kind[s] != GSP_KIND_CPU ? 1u : 0u;
    }
    return status;
}

static int gspi_operators_reaches(const gspi_operators *w, uint32_t n_subgraphs, uint32_t n_nodes)
{
    uint32_t const most = w->t.d->max_subgraphs;
    return (most == 0u || n_subgraphs <= most) && n_nodes >= w->t.d->min_nodes;
}

/* Stops for good, once asked to. */
static int gspi_operators_stops(gspi_operators *w)
{
    const gsp_operators_desc *d = w->t.d;
    if (d->progress != NULL && d->progress(d->progress_user, w->r.work) != 0) {
        w->r.stopped = 1;
    }
    return w->r.stopped != 0u;
}

/* ---- The order ---- */

static void gspi_operators_note(gspi_operators *w, uint32_t k, uint32_t n_subgraphs, uint32_t nodes)
{
    w->a.n_subgraphs[k] = n_subgraphs;
    w->a.n_nodes[k] = nodes;
}

/* Of the operators up to `last`, the one that the accelerator can best do without becomes the one
 * at `last`, and is no longer supported. */
static gsp_status gspi_operators_choose(gspi_operators *w, uint32_t last)
{
    uint32_t best = 0;
    uint32_t fewest = GSP_NONE;
    uint32_t most = 0;
    for (uint32_t i = 0; i <= last; i++) {
        w->t.at.more[w->a.order[i]] = 0;
        gsp_status const status = gspi_operators_try(w);
        if (status != GSP_OK) {
            return status;
        }
        if (w->made.n_subgraphs < fewest || (w->made.n_subgraphs == fewest && w->on_acc >= most)) {
            best = i;
            fewest = w->made.n_subgraphs;
            most = w->on_acc;
        }
        w->t.at.more[w->a.order[i]] = 1;
    }
    uint32_t const op = w->a.order[best];
    for (uint32_t i = best; i < last; i++) {
        w->a.order[i] = w->a.order[i + 1u];
    }
    w->a.order[last] = op;
    w->t.at.more[op] = 0;
    gspi_operators_note(w, last, fewest, most);
    return GSP_OK;
}

/* Orders the operators backwards, from all of them to one. */
GSPI_OPERATORS_OWN_FRAME gsp_status gspi_operators_sort(gspi_operators *w)
{
    uint32_t const n = w->r.n;
    uint64_t const pairs = (uint64_t)n * ((uint64_t)n + 1u) / 2u;
    gsp_status status = gspi_operators_try(w); /* as it is now */
    gspi_operators_note(w, 0, w->made.n_subgraphs, w->on_acc);
    if (status != GSP_OK || pairs > w->end / ((uint64_t)w->t.g->n_nodes + 1u)) {
        return status;
    }
    for (uint32_t i = 0; i < n; i++) {
        w->t.at.more[w->a.order[i]] = 1;
    }
    status = gspi_operators_try(w);
    gspi_operators_note(w, n, w->made.n_subgraphs, w->on_acc);
    for (uint32_t i = n; status == GSP_OK && i > 1u && !gspi_operators_stops(w); i--) {
        status = gspi_operators_choose(w, i - 1u);
    }
    for (uint32_t i = 0; i < n; i++) {
        w->t.at.more[w->a.order[i]] = 0;
    }
    w->r.ordered = w->r.stopped == 0u ? 1u : 0u;
    return status;
}

/* The first operators of the order that reach the goal. */
static void gspi_operators_greedy(gspi_operators *w)
{
    uint32_t const last = w->r.ordered ? w->r.n : 0u;
    uint32_t k = 0;
    while (k <= last && !gspi_operators_reaches(w, w->a.n_subgraphs[k], w->a.n_nodes[k])) {
        k++;
    }
    w->r.n_greedy = k <= last ? k : GSP_NONE;
    w->r.n_least = w->r.n_greedy;
    for (uint32_t i = 0; k <= last && i < k; i++) {
        w->a.least[i] = w->a.order[i];
    }
}

/* ---- The least set ---- */

/* The sets of a branch share the kinds of most nodes: those of the smallest set that are on the
 * accelerator, and those of the largest that are on the CPU. Below these options that holds, and a
 * subgraph is a phase. */
static int gspi_operators_shares(const gsp_split_desc *d)
{
    return d->placement->n_kinds == 2u && d->min_size <= 1u && d->min_sizes == NULL &&
           d->max_size == 0u && d->max_sizes == NULL && d->accept == NULL && d->phase == NULL &&
           d->move_non_tensor == 0u;
}

/* The nodes that run before a node. */
static const gsp_node *gspi_operators_before(const gsp_graph *g, gsp_node v, uint32_t *n)
{
    if (g->order == NULL) {
        return gsp_node_inputs(g, v, n);
    }
    const gsp_edges *before = &g->order->before;
    *n = before->begin[v + 1u] - before->begin[v];
    return before->at + before->begin[v];
}

/* The phases that fixed kinds force, if the first phase has kind `start`. */
static uint32_t gspi_operators_phases(gspi_operators *w, uint32_t start)
{
    const gsp_graph *g = w->t.g;
    uint32_t last = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t const kind = w->a.fixed[v];
        uint32_t const odd = kind != start ? 1u : 0u;
        uint32_t n;
        const gsp_node *in = gspi_operators_before(g, v, &n);
        w->a.phase[v] = kind >= GSPI_OPERATORS_OPEN ? 0u : odd;
        for (uint32_t i = 0; kind != GSP_KIND_NONE && i < n; i++) {
            uint32_t least = w->a.phase[in[i]];
            least += kind != GSPI_OPERATORS_OPEN && (least & 1u) != odd ? 1u : 0u;
            w->a.phase[v] = w->a.phase[v] > least ? w->a.phase[v] : least;
        }
        last = w->a.phase[v] > last ? w->a.phase[v] : last;
    }
    return last + 1u;
}

/* 1 if no set reaches the goal that holds the picked operators and some from `next` on. Splits
 * without phases do not fail, once one of this placement did not. */
GSPI_OPERATORS_OWN_FRAME int gspi_operators_is_hopeless(gspi_operators *w, uint32_t next)
{
    uint32_t const n = w->t.g->n_nodes;
    uint32_t const most = w->t.d->max_subgraphs;
    if (!w->shares || most == 0u) {
        return 0;
    }
    (void)gspi_operators_try(w);
    for (gsp_node v = 0; v < n; v++) {
        w->a.fixed[v] = w->made.kind[v];
    }
    for (uint32_t i = next; i < w->r.n; i++) {
        w->t.at.more[w->a.order[i]] = 1;
    }
    (void)gspi_operators_try(w);
    for (uint32_t i = next; i < w->r.n; i++) {
        w->t.at.more[w->a.order[i]] = 0;
    }
    for (gsp_node v = 0; v < n; v++) {
        uint8_t const kind = w->a.fixed[v];
        w->a.fixed[v] = kind == w->made.kind[v] ? kind : (uint8_t)GSPI_OPERATORS_OPEN;
    }
    return gspi_operators_phases(w, GSP_KIND_CPU) > most && gspi_operators_phases(w, 1u) > most;
}

/* Supports the pick at `depth`, or no longer. */
static void gspi_operators_set(gspi_operators *w, uint32_t depth, uint8_t more)
{
    uint32_t const op = w->a.order[w->a.pick[depth]];
    w->t.at.more[op] = more;
    w->reach = more ? w->reach + w->a.count[op] : w->reach - w->a.count[op];
}

/* Takes the pick at *depth, tries the set if it is whole, and goes to the next pick. */
static gsp_status gspi_operators_take(gspi_operators *w, uint32_t size, uint32_t *depth)
{
    uint32_t const at = *depth;
    uint32_t const left = size - at - 1u;
    gsp_status status = GSP_OK;
    gspi_operators_set(w, at, 1);
    if ((uint64_t)w->reach + w->a.top[left] < w->t.d->min_nodes) {
        w->r.work++;
    } else if (left > 0u) {
        w->a.pick[at + 1u] = w->a.pick[at] + 1u;
        (*depth)++;
        return GSP_OK;
    } else {
        status = gspi_operators_try(w);
        if (status == GSP_OK && gspi_operators_reaches(w, w->made.n_subgraphs, w->on_acc)) {
            w->state = GSPI_OPERATORS_FOUND;
            return GSP_OK;
        }
    }
    gspi_operators_set(w, at, 0);
    w->a.pick[at]++;
    return status;
}

/* All sets of `size` operators in lexicographic order, until one reaches the goal. */
static gsp_status gspi_operators_search(gspi_operators *w, uint32_t size)
{
    uint32_t depth = 0;
    gsp_status status = GSP_OK;
    w->a.pick[0] = 0;
    w->state = GSPI_OPERATORS_SEARCHES;
    while (status == GSP_OK && w->state == GSPI_OPERATORS_SEARCHES) {
        uint32_t const left = size - depth;
        uint32_t const rest = w->r.n - w->a.pick[depth];
        if (w->r.work > w->end || gspi_operators_stops(w)) {
            w->state = GSPI_OPERATORS_ENDED;
            return GSP_OK;
        }
        if (rest >= left &&
            (left == 1u || rest == left || !gspi_operators_is_hopeless(w, w->a.pick[depth]))) {
            status = gspi_operators_take(w, size, &depth);
        } else if (depth == 0u) {
            w->state = GSPI_OPERATORS_NONE;
        } else {
            gspi_operators_set(w, --depth, 0);
            w->a.pick[depth]++;
        }
    }
    return status;
}

/* The fewest operators whose nodes are enough, all of them and one more if none are. */
static uint32_t gspi_operators_fewest(const gspi_operators *w)
{
    uint32_t k = 0;
    while (k < w->r.n && (uint64_t)w->reach + w->a.top[k] < w->t.d->min_nodes) {
        k++;
    }
    return (uint64_t)w->reach + w->a.top[k] < w->t.d->min_nodes ? k + 1u : k > 0u ? k : 1u;
}

GSPI_OPERATORS_OWN_FRAME gsp_status gspi_operators_find(gspi_operators *w)
{
    uint32_t const greedy = w->r.n_greedy;
    uint32_t const most = greedy != GSP_NONE ? greedy - 1u : w->r.n;
    gsp_status status = GSP_OK;
    w->end = gspi_operators_sum(w->r.work, w->end);
    w->state = GSPI_OPERATORS_NONE;
    w->r.bound = gspi_operators_fewest(w);
    while (status == GSP_OK && w->state == GSPI_OPERATORS_NONE && w->r.bound <= most) {
        status = gspi_operators_search(w, w->r.bound);
        w->r.bound += w->state == GSPI_OPERATORS_NONE ? 1u : 0u;
    }
    w->r.proved = w->state != GSPI_OPERATORS_ENDED ? 1u : 0u;
    if (w->state == GSPI_OPERATORS_FOUND) {
        w->r.n_least = w->r.bound;
        for (uint32_t i = 0; i < w->r.bound; i++) {
            w->a.least[i] = w->a.order[w->a.pick[i]];
        }
    }
    return status;
}

/* ---- The pass ---- */

/* Lists the operators with missing nodes, and counts these. */
GSPI_OPERATORS_OWN_FRAME void gspi_operators_count(gspi_operators *w)
{
    uint32_t const n = w->t.g->n_nodes;
    uint32_t *having = w->a.phase; /* [n + 1] operators with so many missing nodes */
    for (uint32_t i = 0; i <= n; i++) {
        having[i] = 0;
    }
    for (uint32_t i = 0; i < w->t.d->n_operators; i++) {
        w->a.count[i] = 0;
    }
    for (gsp_node v = 0; v < n; v++) {
        int const on_acc = gsp_node_is_callable(w->t.g, v) && w->t.at.kind[v] != GSP_KIND_CPU;
        w->reach += on_acc ? 1u : 0u;
        if (w->t.at.of[v] != GSP_NONE) {
            w->a.count[w->t.at.of[v]]++;
        }
    }
    for (uint32_t i = 0; i < w->t.d->n_operators; i++) {
        having[w->a.count[i]]++;
        if (w->a.count[i] != 0u) {
            w->a.order[w->r.n++] = i;
        }
    }
    w->a.top[0] = 0;
    for (uint32_t i = n, k = 0; k < w->r.n; i--) {
        for (uint32_t end = k + having[i]; k < end; k++) {
            w->a.top[k + 1u] = w->a.top[k] + i;
        }
    }
}

/* A workspace in the arena; the results, which stay, end at mark.low. */
GSPI_OPERATORS_OWN_FRAME gspi_operators *gspi_operators_open(
    gsp_arena *arena, const gsp_graph *g, const gsp_operators_desc *d, gsp_error *err)
{
    gspi_operators_bump b = {arena, 0u};
    gspi_operators *w = (gspi_operators *)gspi_operators_push(&b, 1, sizeof(gspi_operators), 1);
    gsp_operators_result const none = {
        0u, 0u, NULL, NULL, NULL, GSP_NONE, GSP_NONE, NULL, 0u, 0u, 0u, 0u};
    gspi_operators_layout(&b, &w->a, g, d);
    gspi_operators_places_layout(&b, &w->t.at, g, d);
    gspi_operators_trial_open(&w->t, g, d);
    w->arena = arena;
    w->err = err;
    w->mark = gsp_arena_mark(arena);
    w->r = none;
    w->r.order = w->a.order;
    w->r.n_subgraphs = w->a.n_subgraphs;
    w->r.n_nodes = w->a.n_nodes;
    w->r.least = w->a.least;
    w->on_acc = w->reach = 0;
    w->end = d->max_work == 0u ? GSP_OPERATORS_WORK : d->max_work;
    w->shares = gspi_operators_shares(d->split);
    gspi_operators_count(w);
    return w;
}

gsp_status gsp_operators_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_operators_desc *desc, gsp_operators_result *result, gsp_error *err)
{
    gsp_status status = gspi_operators_check(arena, graph, desc, result, err);
    if (status == GSP_OK) {
        status = gspi_operators_space(arena, gsp_operators_bound(graph, desc), err);
    }
    if (status != GSP_OK) {
        return status;
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gspi_operators *w = gspi_operators_open(arena, graph, desc, err);
    status = gspi_operators_sort(w);
    if (status == GSP_OK) {
        gspi_operators_greedy(w);
        w->r.proved = w->r.n_greedy == 0u ? 1u : 0u;
    }
    if (status == GSP_OK && w->r.proved == 0u && w->r.stopped == 0u) {
        status = gspi_operators_find(w);
    }
    if (status == GSP_OK) {
        *result = w->r;
        mark.low = w->mark.low;
    }
    gsp_arena_rewind(arena, mark);
    return status;
}

#endif /* GSP_NO_SPLIT */

#ifdef __cplusplus
}
#endif

GSPI_OPERATORS_END

#endif /* GRAPHSPLIT_OPERATORS_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_OPERATORS_IMPLEMENTATION */
