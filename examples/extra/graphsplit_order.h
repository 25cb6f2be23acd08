/* graphsplit_order.h - an add-on of graphsplit.h: orders of a graph that need the least memory
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Finds an order of the nodes whose peak of live bytes is least, and a lower bound that proves it;
 * and the orders of which none is better by both that peak and the bytes that cross between phases.
 * Needs graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_ORDER_IMPLEMENTATION
 *     #include "graphsplit_order.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>tasks              A graph as tasks that make and read tensors
 *     >>least_peak         Orders of tasks with the least peak
 *     >>tradeoff           Orders of tasks by peak and by bytes that cross
 *     >>impl               Implementation guard
 *
 *     gsp_tasks_run        O(n + m)           82 per node, 64 per edge, and a memory plan
 *     gsp_least_peak_run   within max_work    49 per node, 24 per read; at work 112 per set of a
 *                                             step, 0.75 per set and task, and 4 per max_states
 *     gsp_tradeoff_run     within max_work    24 per point, 4 per point and task, 20 per task, 12
 *                                             per use, and max_bytes, about
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_ORDER_H_INCLUDED
#define GRAPHSPLIT_ORDER_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_ORDER_IMPLEMENTATION)
#error "graphsplit_order: GRAPHSPLIT_STATIC needs GRAPHSPLIT_ORDER_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(GSP_NO_MEMORY) && !defined(GSP_NO_DEDUP)

/* ----
 * >>tasks   A graph as tasks that make and read tensors (API)
 * ---- */

/* Phases are those of gsp_split_desc.phase: calls of even and of odd phases alternate. */
typedef struct gsp_tasks_desc {
    uint32_t start_canary;
    uint32_t skip_inputs;    /* 1 if placeholders have no tensor */
    const uint64_t *scratch; /* [n] bytes needed while a call runs; NULL means run_bytes */
    uint32_t n_phases;       /* 0 if there are none */
    const uint32_t *early;   /* [n] of a call: the first and the last phase in which it may run; */
    const uint32_t *late;    /* it runs in a phase as even or odd as the first one */
    uint32_t end_canary;
} gsp_tasks_desc;

/* gsp_tasks.kind of a task that ends a phase. */
#define GSP_TASK_CHANGE 2u

/* Task i is done after all of before[i]. A tensor is live from the task that makes it to the last
 * one that reads it. What exists in the caller's arrays is as the pass made it. */
typedef struct gsp_tasks {
    uint32_t n_nodes;
    uint32_t n_tasks;   /* n_calls, then one after each phase but the last */
    uint32_t n_calls;   /* a call, often with the constants that it alone reads */
    uint32_t n_tensors; /* those of gsp_memory_plan_run() */
    gsp_edges nodes;    /* [n_tasks] the nodes of a task, in graph order */
    gsp_edges before;   /* [n_tasks] tasks that must run before one */
    gsp_edges after;    /* [n_tasks] the same, the other way */
    gsp_edges makes;    /* [n_tasks] tensors, each by one task at most */
    gsp_edges reads;    /* [n_tasks + 1] tensors of others; the last row lives to the end */
    gsp_edges readers;  /* [n_tensors] the same, the other way */
    uint32_t *task_of;  /* [n] of a call; n_tasks of the output; GSP_NONE for others */
    uint64_t *bytes;    /* [n_tensors] */
    uint64_t *extra;    /* [n_tasks] bytes needed only while a task runs */
    uint32_t *earliest; /* [n_tasks] calls that barriers keep before a call */
    uint8_t *kind;      /* [n_tasks] 0, 1, GSP_TASK_CHANGE; NULL without phases */
    uint64_t live;      /* bytes that are live before the first task */
    uint64_t least;     /* peak of all inputs, or of all outputs */
} gsp_tasks;

/* gsp_tasks_bound: bytes; SIZE_MAX for more than 2^32 reads. Time: O(nodes + edges). */
GSP_API size_t gsp_tasks_bound(const gsp_graph *graph, const gsp_tasks_desc *desc);

/* gsp_tasks_run: the calls of a graph as tasks.
 *
 * What:    Tensors are those of gsp_memory_plan_run(): elements of an aggregate are tensors that
 *          its call makes, and what reads the aggregate as a whole reads them too. Where a getitem
 *          that nothing reads makes a difference, tasks need less than the graph. Writes keep their
 *          order and nothing moves across a barrier. Without phases, a call that reads no tensor
 *          and has one user is a part of that user's task: some best order runs it right before.
 * Errors:  ARG (NULL_ARGUMENT; RANGE: phases of node), DESC, OVERFLOW (TOO_MANY), those of
 *          gsp_memory_plan_run() and gsp_dependences_run()
 * Time:    O(nodes + edges), and once more per reader of a whole aggregate
 * Memory:  the bound
 * Order:   tasks by their last node; 0, 1, 2, ... is an order that works if there are no phases
 * Example: examples/least_peak.c
 */
GSP_API gsp_status gsp_tasks_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_tasks_desc *desc, gsp_tasks *result, gsp_error *err);

/* gsp_tasks_step: what a task makes of the live bytes and of their peak so far. `done` has a bit
 * per task that ran before, in words of 32. Time: O(readers of what it reads). */
GSP_API void gsp_tasks_step(
    const gsp_tasks *tasks, const uint32_t *done, uint32_t task, uint64_t *live, uint64_t *peak);

/* ----
 * >>least_peak   Orders of tasks with the least peak (API)
 * ---- */

#define GSP_LEAST_PEAK_STATES ((uint64_t)1u << 20u)
#define GSP_LEAST_PEAK_WORK   ((uint64_t)3u << 22u)
#define GSP_LEAST_PEAK_TRIES  64u

typedef struct gsp_least_peak_desc {
    uint32_t start_canary;
    const uint32_t *start; /* [n_tasks] order to begin with, required with phases; or NULL */
    uint32_t rule;  /* without it: 0 begins with the best of five orders, 1 breadth first, 2 depth
                    * first, 3 with least live bytes first, each other one at random */
    uint32_t beam;  /* sets of tasks kept per step; 0 means 4, 64, 1024, 16384 in turn */
    uint32_t tries; /* searches in vain with the last beam; 0 means GSP_LEAST_PEAK_TRIES */
    uint64_t max_states; /* sets times tasks, without `beam`; 0 means GSP_LEAST_PEAK_STATES, 1 no
                            * search: the result has the figures of the order to begin with */
    uint64_t max_work;   /* tasks tried as the next one; 0 means GSP_LEAST_PEAK_WORK */
    uint32_t end_canary;
} gsp_least_peak_desc;

/* Both arrays are read-only. */
typedef struct gsp_least_peak_result {
    uint32_t *order;      /* [n_tasks] tasks as they run */
    gsp_node *nodes;      /* [n_nodes] all nodes: inputs, calls in this order, the output */
    uint64_t peak;        /* bytes */
    uint64_t lower_bound; /* no order has a smaller peak */
    uint64_t work;        /* tasks tried as the next one */
    uint64_t bytes;       /* memory of the last search */
    uint32_t proved;      /* 1 if peak is the lower bound */
} gsp_least_peak_result;

/* gsp_least_peak_bound: bytes. Time: O(1). */
GSP_API size_t gsp_least_peak_bound(const gsp_tasks *tasks, const gsp_least_peak_desc *desc);

/* gsp_least_peak_run: an order of tasks with the least peak of live bytes.
 *
 * What:    Dynamic programming over sets of done tasks, step by step (Ahn et al. 2020, SERENITY).
 *          Of equal sets the least peak remains, and of all sets of a step the best `beam`. A task
 *          that neither raises the live bytes nor the peak is the only one tried. The first search
 *          allows the peak so far; the next ones allow what is just below the best known peak, some
 *          only around it. Once a search drops no set, the result is proved. At last, if all beams
 *          are within max_states, 256 sets are ranked a little at random, `tries` times.
 * Errors:  ARG (NULL_ARGUMENT; ORDER: `start` is no order of the tasks), DESC, OVERFLOW (TOO_MANY)
 * Time:    max_work times the readers of what a task reads
 * Memory:  the bound; `order` and `nodes` stay
 * Order:   of equal orders the one found first
 * Example: examples/least_peak.c
 */
GSP_API gsp_status gsp_least_peak_run(gsp_arena *arena, const gsp_tasks *tasks,
    const gsp_least_peak_desc *desc, gsp_least_peak_result *result, gsp_error *err);

/* ----
 * >>tradeoff   Orders of tasks by peak and by bytes that cross (API)
 * ---- */

#define GSP_TRADEOFF_POINTS 64u
#define GSP_TRADEOFF_BYTES  ((uint64_t)1u << 26u)
#define GSP_TRADEOFF_WORK   ((uint64_t)1u << 22u)

/* What crosses from one phase to a later one. Numbers of tasks are those of gsp_tasks. */
typedef struct gsp_tradeoff_desc {
    uint32_t start_canary;
    uint32_t n_starts;
    const uint32_t *starts; /* [n_starts][n_tasks] orders to begin with; or NULL */
    gsp_edges uses;         /* [n_tasks] the calls that made what one reads, each once */
    const uint64_t *bytes;  /* [n_tasks] of a call, which cross if a later phase uses it */
    uint64_t fixed;         /* bytes that cross in any order */
    const uint32_t *group;  /* [n_tasks] calls that run in one phase, a number below n_tasks;
                             * GSP_NONE if alone; or NULL */
    uint64_t weight_peak;   /* a point is better if the sum of both figures times their weights is
                           * less; without weights if one figure is less, and none is more */
    uint64_t weight_crossed;
    uint64_t most_peak;  /* orders with a larger one do not count; 0 means no limit */
    uint64_t least_peak; /* no order has a smaller one; 0 if not known */
    uint32_t max_points; /* 0 means GSP_TRADEOFF_POINTS */
    uint64_t max_bytes;  /* of a search, about; 0 means GSP_TRADEOFF_BYTES */
    uint64_t max_work;   /* see gsp_tradeoff_result.work; 0 means GSP_TRADEOFF_WORK */
    uint32_t end_canary;
} gsp_tradeoff_desc;

/* An order and its figures. */
typedef struct gsp_tradeoff_point {
    uint64_t peak;    /* bytes */
    uint64_t crossed; /* bytes, with the fixed ones */
    uint32_t *order;  /* [n_tasks] read-only */
} gsp_tradeoff_point;

/* What is better is said by the weights. Arrays are read-only. */
typedef struct gsp_tradeoff_result {
    const gsp_tradeoff_point *points; /* by ascending peak; crossed descends */
    uint32_t n_points;
    uint32_t best;     /* the point of the least weighted sum, the first of equal ones; GSP_NONE
                        * without points */
    uint32_t complete; /* 1 if no other point is better */
    uint64_t work;     /* tasks tried as the next one, and sets compared */
} gsp_tradeoff_result;

/* gsp_tradeoff_bound: bytes for the run; SIZE_MAX without tasks or desc. Time: O(1). */
GSP_API size_t gsp_tradeoff_bound(const gsp_tasks *tasks, const gsp_tradeoff_desc *desc);

/* gsp_tradeoff_run: orders of which none has both a smaller peak and fewer bytes that cross.
 *
 * What:    The search of gsp_least_peak_run(), with beams of 16, 128, 1024, ... sets. What a call
 *          makes is fresh in its phase, and crosses once that ends before its last reader. Of equal
 *          sets those remain that are not dominated: one dominates another if its peak is not
 *          larger, and its bytes are not, even if all crosses that is fresh in it alone. A task is
 *          the only one tried if neither figure can suffer. With the weight of the peak alone a
 *          search is repeated as long as it finds a better point.
 * Errors:  ARG (NULL_ARGUMENT; RANGE: uses or groups that are no tasks; ORDER: a start is no order
 *          of the tasks, or tears a group), DESC, OVERFLOW (SIZE: all bytes, times the sum of the
 *          weights, exceed 2^62; TOO_MANY)
 * Time:    max_work times the readers of what a task reads
 * Memory:  the bound; points and orders stay
 * Order:   of points that are equal in both figures the one found first
 * Example: examples/tradeoff.c
 */
GSP_API gsp_status gsp_tradeoff_run(gsp_arena *arena, const gsp_tasks *tasks,
    const gsp_tradeoff_desc *desc, gsp_tradeoff_result *result, gsp_error *err);

#endif

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_ORDER_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_ORDER_IMPLEMENTATION
#ifndef GRAPHSPLIT_ORDER_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_ORDER_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_TASKS_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_TASKS_END        _Pragma("GCC diagnostic pop")
#define GSPI_TASKS_LEAF(name) __builtin_##name
#define GSPI_TASKS_OWN_FRAME  __attribute__((noinline)) static /* not on the stack of its caller */
#else
#include <string.h>
#define GSPI_TASKS_BEGIN
#define GSPI_TASKS_END
#define GSPI_TASKS_LEAF(name) name
#define GSPI_TASKS_OWN_FRAME  static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_TASKS_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(GSP_NO_MEMORY) && !defined(GSP_NO_DEDUP)

/* ----
 * >>tasks   A graph as tasks that make and read tensors (implementation)
 * ---- */

/* A condition that no input makes, or one of gigabytes; `make cov` does not count it. */
#define GSPI_TASKS_NEVER(x) (x)

#ifdef GSP_NO_MESSAGES
#define GSPI_TASKS_FIELD(text) ""
#else
#define GSPI_TASKS_FIELD(text) text "\0"
#endif

static gsp_status gspi_tasks_fail(
    gsp_error *err, gsp_status status, gsp_detail detail, gsp_node node, const char *field)
{
    if (err != NULL) {
        gsp_error e = {status, detail, GSP_WHAT_NONE, node, GSP_NONE, 0, 0, 0, 0u, field};
        e.what = node == GSP_NONE ? (uint32_t)GSP_WHAT_NONE : (uint32_t)GSP_WHAT_NODE;
        *err = e;
    }
    return status;
}

static int gspi_tasks_has(const uint32_t *set, uint32_t i)
{
    return (set[i / 32u] >> (i % 32u) & 1u) != 0u;
}

static void gspi_tasks_put(uint32_t *set, uint32_t i)
{
    set[i / 32u] |= (uint32_t)1u << (i % 32u);
}

static void gspi_tasks_take(uint32_t *set, uint32_t i)
{
    set[i / 32u] &= ~((uint32_t)1u << (i % 32u));
}

/* A set has room for task n, too. */
static uint32_t gspi_tasks_width(const gsp_tasks *t)
{
    return t->n_tasks / 32u + 1u;
}

static void gspi_tasks_clear(const gsp_tasks *t, uint32_t *set)
{
    (void)GSPI_TASKS_LEAF(memset)(set, 0, gspi_tasks_width(t) * sizeof(uint32_t));
}

/* 1 if all of a row are in a set, or are `task`. */
static int gspi_tasks_all_in(const gsp_edges *rows, uint32_t i, const uint32_t *set, uint32_t task)
{
    for (uint32_t k = rows->begin[i]; k < rows->begin[i + 1u]; k++) {
        if (rows->at[k] != task && !gspi_tasks_has(set, rows->at[k])) {
            return 0;
        }
    }
    return 1;
}

/* A layout pushes all arrays; without an arena it measures them. */
typedef struct gspi_tasks_bump {
    gsp_arena *arena;
    uint64_t used;
    uint64_t plain; /* without alignment and gaps */
} gspi_tasks_bump;

GSPI_TASKS_OWN_FRAME void *gspi_tasks_push(
    gspi_tasks_bump *b, uint64_t count, size_t size, int high)
{
    b->plain += count * size;
    b->used += (count * size + (GSP_GAP + GSP_ALIGN - 1u)) & ~((uint64_t)GSP_ALIGN - 1u);
    return b->arena == NULL ? NULL
           : high           ? gsp_arena_push_high(b->arena, (size_t)count, size)
                            : gsp_arena_push(b->arena, (size_t)count, size);
}

static uint32_t *gspi_tasks_words(gspi_tasks_bump *b, uint64_t count, int high)
{
    return (uint32_t *)gspi_tasks_push(b, count, sizeof(uint32_t), high);
}

/* Fails for less than the bound. */
GSPI_TASKS_OWN_FRAME gsp_status gspi_tasks_room(
    const gsp_arena *arena, size_t bound, gsp_error *err)
{
    size_t const left = gsp_arena_left(arena);
    if (bound == SIZE_MAX) {
        return gspi_tasks_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE, "");
    }
    if (left >= bound) {
        return gspi_tasks_fail(err, GSP_OK, GSP_DETAIL_NONE, GSP_NONE, "");
    }
    (void)gspi_tasks_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, "");
    if (err != NULL) {
        err->need = bound;
        err->limit = left;
    }
    return GSP_STATUS_NOMEM;
}

/* ---- Layout ---- */

typedef struct gspi_tasks_rows {
    uint32_t *begin; /* [rows + 2] */
    uint32_t *at;
} gspi_tasks_rows;

typedef struct gspi_tasks_arrays {
    gspi_tasks_rows nodes;
    gspi_tasks_rows before;
    gspi_tasks_rows after;
    gspi_tasks_rows makes;
    gspi_tasks_rows reads;
    gspi_tasks_rows readers;
    uint32_t *task_of;
    uint64_t *bytes;
    uint64_t *extra;
    uint32_t *earliest;
    uint8_t *kind;
    uint32_t *key; /* pairs that become rows */
    uint32_t *value;
    uint32_t *last; /* [tensors] the last node that reads one */
    uint8_t *waits; /* [n] 1 for nodes with dependences besides what they read */
} gspi_tasks_arrays;

typedef struct gspi_tasks { /* not on the stack */
    const gsp_graph *g;
    gsp_tasks_desc d;
    gsp_tasks t;
    gspi_tasks_arrays a;
    uint32_t n_pairs;
    gsp_memory_plan_result plan;
    gsp_dependences order;
} gspi_tasks;

/* What can be counted beforehand. */
typedef struct gspi_tasks_most {
    uint64_t tasks;
    uint64_t tensors;
    uint64_t reads;
    uint64_t waits;
    uint64_t pairs;
} gspi_tasks_most;

/* Who reads an aggregate may read all its elements. */
static gspi_tasks_most gspi_tasks_count(const gsp_graph *g, const gsp_tasks_desc *d)
{
    uint64_t const n = g->n_nodes;
    uint64_t const phases = d->n_phases == 0u ? 0u : 2u * n + d->n_phases;
    gspi_tasks_most m = {0u, 0u, 0u, 0u, 0u};
    m.tasks = n + d->n_phases;
    m.tensors = d->scratch == NULL ? n : 2u * n;
    m.waits = 3u * (uint64_t)gsp_graph_counts(g).edges + n + phases;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t n_in;
        uint32_t n_users;
        const gsp_node *in = gsp_node_inputs(g, v, &n_in);
        m.reads += 1u + 2u * (uint64_t)n_in;
        for (uint32_t i = 0; i < n_in; i++) {
            (void)gsp_node_users(g, in[i], &n_users);
            m.reads += gsp_node_value_kind(g, in[i]) == GSP_VALUE_AGGREGATE ? n_users : 0u;
        }
    }
    m.pairs = m.reads > m.waits ? m.reads : m.waits;
    return m;
}

static gspi_tasks_rows gspi_tasks_kept(gspi_tasks_bump *b, uint64_t rows, uint64_t entries)
{
    gspi_tasks_rows r;
    r.begin = gspi_tasks_words(b, rows + 2u, 0);
    r.at = gspi_tasks_words(b, entries, 0);
    return r;
}

GSPI_TASKS_OWN_FRAME void gspi_tasks_layout(
    gspi_tasks_bump *b, gspi_tasks_arrays *a, const gspi_tasks_most *m, uint32_t n)
{
    a->nodes = gspi_tasks_kept(b, m->tasks, n);
    a->before = gspi_tasks_kept(b, m->tasks, m->waits);
    a->after = gspi_tasks_kept(b, m->tasks, m->waits);
    a->makes = gspi_tasks_kept(b, m->tasks, m->tensors);
    a->reads = gspi_tasks_kept(b, m->tasks + 1u, m->reads);
    a->readers = gspi_tasks_kept(b, m->tensors, m->reads);
    a->task_of = gspi_tasks_words(b, n, 0);
    a->earliest = gspi_tasks_words(b, m->tasks, 0);
    a->bytes = (uint64_t *)gspi_tasks_push(b, m->tensors, sizeof(uint64_t), 0);
    a->extra = (uint64_t *)gspi_tasks_push(b, m->tasks, sizeof(uint64_t), 0);
    a->kind = (uint8_t *)gspi_tasks_push(b, m->tasks, 1, 0);
    a->key = gspi_tasks_words(b, m->pairs, 1);
    a->value = gspi_tasks_words(b, m->pairs, 1);
    a->last = gspi_tasks_words(b, m->tensors, 1);
    a->waits = (uint8_t *)gspi_tasks_push(b, n, 1, 1);
}

/* With bytes that nodes need while they run. */
static gsp_tasks_desc gspi_tasks_given(const gsp_graph *g, const gsp_tasks_desc *desc)
{
    gsp_tasks_desc d = {0u, 0u, NULL, 0u, NULL, NULL, 0u};
    if (desc != NULL) {
        d = *desc;
    }
    if (d.scratch == NULL && g->module->run_bytes != NULL) {
        d.scratch = g->module->run_bytes + g->first;
    }
    return d;
}

/* A plan, of which only the tensors are used. */
static gsp_memory_plan_desc gspi_tasks_plan(const gsp_tasks_desc *d)
{
    gsp_memory_plan_desc plan = {0u, 1u, 0u, NULL, 1u, 0u, NULL, NULL, NULL, 0u};
    plan.skip_inputs = d->skip_inputs;
    plan.scratch = d->scratch;
    return plan;
}

GSPI_TASKS_OWN_FRAME uint64_t gspi_tasks_passes(const gsp_graph *g, const gsp_tasks_desc *d)
{
    gsp_memory_plan_desc const plan = gspi_tasks_plan(d);
    return (uint64_t)gsp_memory_plan_bound(g, &plan) + gsp_dependences_bound(g, NULL);
}

GSPI_TASKS_OWN_FRAME uint64_t gspi_tasks_own(const gsp_graph *g, const gspi_tasks_most *m)
{
    gspi_tasks_bump b = {NULL, 0u, 0u};
    gspi_tasks_arrays a;
    (void)gspi_tasks_push(&b, 1, sizeof(gspi_tasks), 1);
    gspi_tasks_layout(&b, &a, m, g->n_nodes);
    return b.used + 2u * (uint64_t)GSP_BOUND_SLACK;
}

size_t gsp_tasks_bound(const gsp_graph *graph, const gsp_tasks_desc *desc)
{
    gsp_tasks_desc const d = gspi_tasks_given(graph, desc);
    gspi_tasks_most const most = gspi_tasks_count(graph, &d);
    if (most.pairs > UINT32_MAX) {
        return SIZE_MAX;
    }
    uint64_t const bytes = gspi_tasks_own(graph, &most) + gspi_tasks_passes(graph, &d);
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

/* ---- Rows from pairs ---- */

static void gspi_tasks_pair(gspi_tasks *w, uint32_t key, uint32_t value)
{
    w->a.key[w->n_pairs] = key;
    w->a.value[w->n_pairs++] = value;
}

/* The rows of keys, in the order of the pairs. */
static gsp_edges gspi_tasks_sort(uint32_t n_pairs, const gspi_tasks_rows *rows, uint32_t n,
    const uint32_t *key, const uint32_t *value)
{
    gsp_edges made;
    (void)GSPI_TASKS_LEAF(memset)(rows->begin, 0, ((size_t)n + 2u) * sizeof(uint32_t));
    for (uint32_t i = 0; i < n_pairs; i++) {
        rows->begin[key[i] + 2u]++;
    }
    for (uint32_t i = 2; i < n + 2u; i++) {
        rows->begin[i] += rows->begin[i - 1u];
    }
    for (uint32_t i = 0; i < n_pairs; i++) {
        rows->at[rows->begin[key[i] + 1u]++] = value[i];
    }
    made.begin = rows->begin;
    made.at = rows->at;
    return made;
}

/* ---- Tasks ---- */

/* The call of which a getitem takes an element; GSP_NONE if it is none. */
static gsp_node gspi_tasks_taken_from(const gsp_graph *g, gsp_node v)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(g, v, &n);
    if (n == 0u || gsp_node_op(g, v) != GSP_OP_CALL_FUNCTION ||
        !gsp_str_equal(gsp_node_target(g, v), gsp_str_of("operator.getitem"))) {
        return GSP_NONE;
    }
    return gsp_node_is_callable(g, in[0]) && gsp_node_value_kind(g, in[0]) == GSP_VALUE_AGGREGATE
               ? in[0]
               : GSP_NONE;
}

/* The only user of a call that reads no tensor and needs nothing else; GSP_NONE if there is none.
 */
static gsp_node gspi_tasks_only_user(const gspi_tasks *w, gsp_node v)
{
    uint32_t n;
    const gsp_node *at = gsp_node_inputs(w->g, v, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (gsp_node_is_callable(w->g, at[i]) || w->plan.tensor_of[at[i]] != GSP_NONE) {
            return GSP_NONE;
        }
    }
    at = gsp_node_users(w->g, v, &n);
    if (n != 1u || !gsp_node_is_callable(w->g, at[0]) ||
        w->order.segment[v] != w->order.segment[at[0]]) {
        return GSP_NONE;
    }
    return w->d.scratch == NULL || w->d.scratch[v] == 0u ? at[0] : GSP_NONE;
}

static void gspi_tasks_mark_waits(gspi_tasks *w)
{
    const gsp_dependences *d = &w->order;
    (void)GSPI_TASKS_LEAF(memset)(w->a.waits, 0, w->g->n_nodes);
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        for (uint32_t i = d->dependent_begin[v]; i < d->dependent_begin[v + 1u]; i++) {
            w->a.waits[v] = w->a.waits[d->dependents[i]] = 1;
        }
    }
}

GSPI_TASKS_OWN_FRAME void gspi_tasks_number(gspi_tasks *w)
{
    gsp_tasks *t = &w->t;
    uint32_t const n = w->g->n_nodes;
    gspi_tasks_mark_waits(w);
    for (gsp_node v = 0; v < n; v++) {
        int const stays = w->a.waits[v] || w->d.n_phases != 0u;
        t->task_of[v] = GSP_NONE;
        if (gsp_node_is_callable(w->g, v) && (stays || gspi_tasks_only_user(w, v) == GSP_NONE)) {
            t->task_of[v] = t->n_calls++;
        }
    }
    for (gsp_node v = 0; v < n; v++) {
        if (gsp_node_is_callable(w->g, v)) {
            if (t->task_of[v] == GSP_NONE) {
                t->task_of[v] = t->task_of[gspi_tasks_only_user(w, v)];
            }
            gspi_tasks_pair(w, t->task_of[v], v);
        }
    }
    t->n_tasks = t->n_calls + (w->d.n_phases != 0u ? w->d.n_phases - 1u : 0u);
    t->nodes = gspi_tasks_sort(w->n_pairs, &w->a.nodes, t->n_tasks, w->a.key, w->a.value);
    t->task_of[n - 1u] = t->n_tasks;
}

/* ---- Tensors ---- */

/* Inputs are live from the first task on. What calls need while they run is in `extra`, and has no
 * bytes here. */
GSPI_TASKS_OWN_FRAME void gspi_tasks_add_tensors(gspi_tasks *w)
{
    gsp_tasks *t = &w->t;
    w->n_pairs = 0;
    t->n_tensors = w->plan.n_tensors;
    for (uint32_t i = 0; i < t->n_tensors; i++) {
        const gsp_tensor *tensor = &w->plan.tensors[i];
        t->bytes[i] = tensor->scratch ? 0u : tensor->bytes;
        w->a.last[i] = GSP_NONE;
        if (gsp_node_is_callable(w->g, tensor->node)) {
            gspi_tasks_pair(w, t->task_of[tensor->begin], i);
        } else {
            t->least += t->bytes[i];
        }
    }
    t->makes = gspi_tasks_sort(w->n_pairs, &w->a.makes, t->n_tasks, w->a.key, w->a.value);
}

/* Node v reads a tensor, unless its own task makes it. */
static void gspi_tasks_read(gspi_tasks *w, gsp_node v, uint32_t tensor)
{
    const gsp_tensor *made = &w->plan.tensors[tensor];
    uint32_t const task = w->t.task_of[v];
    int const own = gsp_node_is_callable(w->g, made->node) && w->t.task_of[made->begin] == task;
    if (w->a.last[tensor] != v && !own) {
        w->a.last[tensor] = v;
        gspi_tasks_pair(w, task, tensor);
    }
}

/* What node v reads: a tensor, or all that a call makes. */
static void gspi_tasks_read_value(gspi_tasks *w, gsp_node v, gsp_node from)
{
    const gsp_edges *makes = &w->t.makes;
    uint32_t const maker = w->t.task_of[from];
    if (w->plan.tensor_of[from] != GSP_NONE) {
        gspi_tasks_read(w, v, w->plan.tensor_of[from]);
    }
    if (maker == GSP_NONE) {
        return;
    }
    for (uint32_t i = makes->begin[maker]; i < makes->begin[maker + 1u]; i++) {
        if (w->plan.tensors[makes->at[i]].begin == from) {
            gspi_tasks_read(w, v, makes->at[i]);
        }
    }
}

/* A getitem reads the element, as the first getitem of it has it. */
static void gspi_tasks_read_node(gspi_tasks *w, gsp_node v)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(w->g, v, &n);
    uint32_t const own = w->plan.tensor_of[v];
    if (gspi_tasks_taken_from(w->g, v) == GSP_NONE) {
        for (uint32_t i = 0; i < n; i++) {
            gspi_tasks_read_value(w, v, in[i]);
        }
    } else if (own != GSP_NONE && w->plan.tensors[own].node != v) {
        gspi_tasks_pair(w, w->t.task_of[v], own);
    }
}

GSPI_TASKS_OWN_FRAME void gspi_tasks_add_reads(gspi_tasks *w)
{
    gsp_tasks *t = &w->t;
    uint64_t kept = 0;
    w->n_pairs = 0;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        gspi_tasks_read_node(w, v);
    }
    t->reads = gspi_tasks_sort(w->n_pairs, &w->a.reads, t->n_tasks + 1u, w->a.key, w->a.value);
    t->readers = gspi_tasks_sort(w->n_pairs, &w->a.readers, t->n_tensors, w->a.value, w->a.key);
    for (uint32_t i = 0; i < t->n_tensors; i++) {
        int const is_read = t->readers.begin[i] < t->readers.begin[i + 1u];
        if (is_read && !gsp_node_is_callable(w->g, w->plan.tensors[i].node)) {
            t->live += t->bytes[i];
        }
    }
    for (uint32_t i = t->reads.begin[t->n_tasks]; i < t->reads.begin[t->n_tasks + 1u]; i++) {
        kept += t->bytes[t->reads.at[i]];
    }
    t->least = kept > t->least ? kept : t->least;
}

/* ---- What waits for what ---- */

/* A getitem of an element follows the first one, so that it stays the first. */
static void gspi_tasks_wait_for_inputs(gspi_tasks *w, gsp_node v)
{
    uint32_t const own = w->plan.tensor_of[v];
    uint32_t const task = w->t.task_of[v];
    gsp_node const call = gspi_tasks_taken_from(w->g, v);
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(w->g, v, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (gsp_node_is_callable(w->g, in[i]) && w->t.task_of[in[i]] != task) {
            gspi_tasks_pair(w, w->t.task_of[in[i]], task);
        }
    }
    if (call != GSP_NONE && own != GSP_NONE) {
        gsp_node const first = w->plan.tensors[own].node;
        if (first < v && gspi_tasks_taken_from(w->g, first) == call) {
            gspi_tasks_pair(w, w->t.task_of[first], task);
        }
    }
}

/* Calls come after the change to their earliest phase and before that from their latest. */
static void gspi_tasks_wait_for_phases(gspi_tasks *w, gsp_node v)
{
    uint32_t const change = w->t.n_calls - 1u; /* to phase i: change + i */
    uint32_t const task = w->t.task_of[v];
    w->t.kind[task] = (uint8_t)(w->d.early[v] & 1u);
    if (w->d.early[v] > 0u) {
        gspi_tasks_pair(w, change + w->d.early[v], task);
    }
    if (w->d.late[v] + 1u < w->d.n_phases) {
        gspi_tasks_pair(w, task, change + w->d.late[v] + 1u);
    }
}

/* Only calls wait: nothing else reads or writes, but the output, which depends on nothing. */
static void gspi_tasks_wait_for_writes(gspi_tasks *w, gsp_node v)
{
    const gsp_dependences *d = &w->order;
    for (uint32_t i = d->dependent_begin[v]; i < d->dependent_begin[v + 1u]; i++) {
        uint32_t const task = w->t.task_of[d->dependents[i]];
        if (GSPI_TASKS_NEVER(w->t.task_of[v] >= w->t.n_tasks || task >= w->t.n_tasks)) {
            continue;
        }
        gspi_tasks_pair(w, w->t.task_of[v], task);
    }
}

/* Reads, the order of writes, barriers and phases. */
GSPI_TASKS_OWN_FRAME void gspi_tasks_add_waits(gspi_tasks *w)
{
    gsp_tasks *t = &w->t;
    const uint32_t *segment = w->order.segment;
    w->n_pairs = 0;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        if (gsp_node_is_callable(w->g, v)) {
            gspi_tasks_wait_for_inputs(w, v);
        }
    }
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        gspi_tasks_wait_for_writes(w, v);
    }
    for (uint32_t i = t->n_calls; i < t->n_tasks; i++) {
        t->kind[i] = (uint8_t)GSP_TASK_CHANGE;
        if (i > t->n_calls) {
            gspi_tasks_pair(w, i - 1u, i);
        }
    }
    for (gsp_node v = 0; w->d.n_phases != 0u && v < w->g->n_nodes; v++) {
        if (gsp_node_is_callable(w->g, v)) {
            gspi_tasks_wait_for_phases(w, v);
        }
    }
    (void)GSPI_TASKS_LEAF(memset)(t->earliest, 0, (size_t)t->n_tasks * sizeof(uint32_t));
    for (uint32_t i = 1; i < t->n_calls; i++) {
        gsp_node const at = t->nodes.at[t->nodes.begin[i]];
        gsp_node const before = t->nodes.at[t->nodes.begin[i - 1u]];
        t->earliest[i] = segment[at] == segment[before] ? t->earliest[i - 1u] : i;
    }
    t->before = gspi_tasks_sort(w->n_pairs, &w->a.before, t->n_tasks, w->a.value, w->a.key);
    t->after = gspi_tasks_sort(w->n_pairs, &w->a.after, t->n_tasks, w->a.key, w->a.value);
}

static void gspi_tasks_add_extra(gspi_tasks *w)
{
    (void)GSPI_TASKS_LEAF(memset)(w->t.extra, 0, (size_t)w->t.n_tasks * sizeof(uint64_t));
    for (gsp_node v = 0; w->d.scratch != NULL && v < w->g->n_nodes; v++) {
        if (gsp_node_is_callable(w->g, v)) {
            w->t.extra[w->t.task_of[v]] += w->d.scratch[v];
        }
    }
}

/* ---- The pass ---- */

GSPI_TASKS_OWN_FRAME gsp_status gspi_tasks_check(
    const gsp_graph *g, const gsp_tasks_desc *d, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_tasks_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE, "");
    }
    if (d->n_phases == 0u) {
        return GSP_OK;
    }
    if (d->early == NULL || d->late == NULL) {
        const char *field = GSPI_TASKS_FIELD("late");
        field = d->early == NULL ? GSPI_TASKS_FIELD("early") : field;
        return gspi_tasks_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        int const is_range = d->early[v] <= d->late[v] && d->late[v] < d->n_phases;
        if (!is_range && gsp_node_is_callable(g, v)) {
            return gspi_tasks_fail(
                err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, v, GSPI_TASKS_FIELD("late"));
        }
    }
    return GSP_OK;
}

GSPI_TASKS_OWN_FRAME gspi_tasks *gspi_tasks_open(
    gsp_arena *arena, const gsp_graph *g, const gsp_tasks_desc *d)
{
    gspi_tasks_most const most = gspi_tasks_count(g, d);
    gspi_tasks_bump b = {arena, 0u, 0u};
    gspi_tasks *w = (gspi_tasks *)gspi_tasks_push(&b, 1, sizeof(gspi_tasks), 1);
    (void)GSPI_TASKS_LEAF(memset)(w, 0, sizeof(gspi_tasks));
    gspi_tasks_layout(&b, &w->a, &most, g->n_nodes);
    w->t.task_of = w->a.task_of;
    w->t.bytes = w->a.bytes;
    w->t.extra = w->a.extra;
    w->t.earliest = w->a.earliest;
    w->t.kind = d->n_phases == 0u ? NULL : w->a.kind;
    w->g = g;
    w->d = *d;
    w->t.n_nodes = g->n_nodes;
    return w;
}

/* The tensors and what waits for what, on top of the results. */
static gsp_status gspi_tasks_ask(gspi_tasks *w, gsp_arena *arena, gsp_error *err)
{
    gsp_memory_plan_desc const plan = gspi_tasks_plan(&w->d);
    gsp_status const status = gsp_memory_plan_run(arena, w->g, &plan, &w->plan, err);
    return status != GSP_OK ? status : gsp_dependences_run(arena, w->g, NULL, &w->order, err);
}

gsp_status gsp_tasks_run(gsp_arena *arena, const gsp_graph *graph, const gsp_tasks_desc *desc,
    gsp_tasks *result, gsp_error *err)
{
    if (arena == NULL || graph == NULL || result == NULL) {
        const char *field = GSPI_TASKS_FIELD("result");
        field = graph == NULL ? GSPI_TASKS_FIELD("graph") : field;
        field = arena == NULL ? GSPI_TASKS_FIELD("arena") : field;
        return gspi_tasks_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    gsp_tasks_desc const d = gspi_tasks_given(graph, desc);
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_status status = gspi_tasks_check(graph, &d, err);
    if (status == GSP_OK) {
        status = gspi_tasks_room(arena, gsp_tasks_bound(graph, &d), err);
    }
    if (status != GSP_OK) {
        return status;
    }
    gspi_tasks *w = gspi_tasks_open(arena, graph, &d);
    size_t const low = gsp_arena_mark(arena).low;
    status = gspi_tasks_ask(w, arena, err);
    if (status == GSP_OK) {
        gspi_tasks_number(w);
        gspi_tasks_add_tensors(w);
        gspi_tasks_add_reads(w);
        gspi_tasks_add_waits(w);
        gspi_tasks_add_extra(w);
        *result = w->t;
        mark.low = low;
    }
    gsp_arena_rewind(arena, mark);
    return status;
}

void gsp_tasks_step(
    const gsp_tasks *tasks, const uint32_t *done, uint32_t task, uint64_t *live, uint64_t *peak)
{
    const gsp_tasks *t = tasks;
    uint64_t freed = 0;
    uint64_t now = *live;
    for (uint32_t k = t->makes.begin[task]; k < t->makes.begin[task + 1u]; k++) {
        uint32_t const tensor = t->makes.at[k];
        now += t->bytes[tensor];
        if (t->readers.begin[tensor] == t->readers.begin[tensor + 1u]) {
            freed += t->bytes[tensor];
        }
    }
    for (uint32_t k = t->reads.begin[task]; k < t->reads.begin[task + 1u]; k++) {
        uint32_t const tensor = t->reads.at[k];
        if (gspi_tasks_all_in(&t->readers, tensor, done, task)) {
            freed += t->bytes[tensor];
        }
    }
    *peak = now + t->extra[task] > *peak ? now + t->extra[task] : *peak;
    *live = now - freed;
}

/* ----
 * >>least_peak   Orders of tasks with the least peak (implementation)
 * ---- */

#define GSPI_PEAK_NARROW 4u
#define GSPI_PEAK_WIDE   16384u
#define GSPI_PEAK_RANDOM 256u /* sets of a search that ranks at random */
#define GSPI_PEAK_WINDOW 32u

typedef struct gspi_peak_state {
    uint64_t live;
    uint64_t peak;
    uint32_t hash;
    uint32_t from; /* place of its predecessor * n_tasks + task; GSP_NONE if dropped */
} gspi_peak_state;

/* For each state two sets: the tasks that are done, and those that can be next. */
typedef struct gspi_peak_layer {
    gspi_peak_state *at;
    uint32_t *rows;
    uint32_t n;
} gspi_peak_layer;

/* A task that can be the last of those that are left. */
typedef struct gspi_peak_entry {
    uint64_t added; /* bytes, */
    uint64_t freed; /* less these */
    uint32_t task;
} gspi_peak_entry;

typedef struct gspi_peak { /* not on the stack */
    const gsp_tasks *t;
    gsp_arena *arena;
    gsp_least_peak_result r;
    uint64_t max_work;
    uint64_t floor;  /* peaks up to this do not matter */
    size_t width;    /* words of a set */
    uint32_t *set;   /* [2 * width] tasks that are done or can be next */
    uint32_t *place; /* [n_tasks] of a task in the best order */

    /* orders to begin with */
    uint32_t *order;       /* [n_tasks] */
    uint32_t *left;        /* [n_tasks + 2] */
    uint32_t *list;        /* [n_tasks + 2] */
    uint8_t *seen;         /* [n_tasks or n_tensors] */
    gspi_peak_entry *heap; /* [n_tasks + reads] */
    uint32_t n_heap;

    /* a search */
    gspi_peak_layer now;
    gspi_peak_layer next; /* room for 2 * beam + 1 states */
    uint32_t *slots;      /* [mask + 1] hash table of the next states */
    uint32_t *worst;      /* [2 * beam] a heap of them */
    uint32_t *from;       /* [n_tasks * beam] of the states of each step, or from_short */
    uint16_t *from_short;
    uint32_t beam;
    uint32_t mask;
    uint32_t end;  /* tasks from this place on stay there */
    uint32_t seed; /* of the scores, or 0 */
    int lost;      /* a state was dropped */
} gspi_peak;

/* ---- Layout ---- */

static uint32_t gspi_peak_count(const gsp_tasks *t)
{
    return t->n_tasks > t->n_tensors ? t->n_tasks : t->n_tensors;
}

GSPI_TASKS_OWN_FRAME void gspi_peak_layout(gspi_tasks_bump *b, gspi_peak *w, const gsp_tasks *t)
{
    uint64_t const n = t->n_tasks;
    w->width = gspi_tasks_width(t);
    w->r.order = gspi_tasks_words(b, n, 0);
    w->r.nodes = gspi_tasks_words(b, t->n_nodes, 0);
    w->set = gspi_tasks_words(b, 2u * (uint64_t)w->width, 1);
    w->place = gspi_tasks_words(b, n, 1);
}

GSPI_TASKS_OWN_FRAME void gspi_peak_layout_start(
    gspi_tasks_bump *b, gspi_peak *w, const gsp_tasks *t)
{
    uint64_t const n = t->n_tasks;
    w->order = gspi_tasks_words(b, n, 1);
    w->left = gspi_tasks_words(b, n + 2u, 1);
    w->list = gspi_tasks_words(b, n + 2u, 1);
    w->seen = (uint8_t *)gspi_tasks_push(b, gspi_peak_count(t), 1, 1);
    w->heap = (gspi_peak_entry *)gspi_tasks_push(
        b, n + t->reads.begin[t->n_tasks], sizeof(gspi_peak_entry), 1);
}

/* Places in the sets of a step, and a task, are one number. */
static uint32_t gspi_peak_beam(const gsp_tasks *t, uint32_t beam)
{
    uint32_t const most = (GSP_NONE - 1u) / t->n_tasks;
    return beam < most ? beam : most;
}

GSPI_TASKS_OWN_FRAME void gspi_peak_layout_search(
    gspi_tasks_bump *b, gspi_peak *w, const gsp_tasks *t, uint32_t wanted)
{
    uint64_t const beam = gspi_peak_beam(t, wanted);
    uint64_t const width = gspi_tasks_width(t);
    uint64_t mask = 7u;
    while (mask < 4u * beam) {
        mask = 2u * mask + 1u;
    }
    w->beam = (uint32_t)beam;
    w->mask = (uint32_t)mask;
    b->plain += (2u * width + t->n_tasks) * sizeof(uint32_t); /* the set and places */
    w->now.at = (gspi_peak_state *)gspi_tasks_push(b, beam, sizeof(gspi_peak_state), 1);
    w->next.at = (gspi_peak_state *)gspi_tasks_push(b, 2u * beam + 1u, sizeof(gspi_peak_state), 1);
    w->now.rows = gspi_tasks_words(b, 2u * beam * width, 1);
    w->next.rows = gspi_tasks_words(b, (4u * beam + 2u) * width, 1);
    w->slots = gspi_tasks_words(b, mask + 1u, 1);
    w->worst = gspi_tasks_words(b, 2u * beam, 1);
    w->from = NULL;
    w->from_short = NULL;
    if (beam * t->n_tasks <= UINT16_MAX) {
        w->from_short = (uint16_t *)gspi_tasks_push(b, beam * t->n_tasks, sizeof(uint16_t), 1);
    } else {
        w->from = gspi_tasks_words(b, beam * t->n_tasks, 1);
    }
    w->r.bytes = b->plain;
}

/* The bytes of a search, or of what comes before it. */
GSPI_TASKS_OWN_FRAME uint64_t gspi_peak_measure_search(
    const gsp_tasks *t, uint32_t beam, uint64_t most)
{
    gspi_tasks_bump b = {NULL, 0u, 0u};
    gspi_peak w;
    if (beam == 0u) {
        gspi_peak_layout_start(&b, &w, t);
    } else if (t->n_tasks != 0u) {
        gspi_peak_layout_search(&b, &w, t, beam);
    }
    return b.used > most ? b.used : most;
}

GSPI_TASKS_OWN_FRAME uint64_t gspi_peak_own(const gsp_tasks *t)
{
    gspi_tasks_bump b = {NULL, 0u, 0u};
    gspi_peak w;
    (void)gspi_tasks_push(&b, 1, sizeof(gspi_peak), 1);
    gspi_peak_layout(&b, &w, t);
    return b.used + 2u * (uint64_t)GSP_BOUND_SLACK;
}

static gsp_least_peak_desc gspi_peak_given(const gsp_least_peak_desc *desc)
{
    gsp_least_peak_desc d = {0u, NULL, 0u, 0u, 0u, 0u, 0u, 0u};
    if (desc != NULL) {
        d = *desc;
    }
    d.tries = d.tries == 0u ? GSP_LEAST_PEAK_TRIES : d.tries;
    d.max_states = d.max_states == 0u ? GSP_LEAST_PEAK_STATES : d.max_states;
    d.max_work = d.max_work == 0u ? GSP_LEAST_PEAK_WORK : d.max_work;
    return d;
}

/* The first beam, the next one, and whether one is within max_states. */
static int gspi_peak_fits(const gsp_tasks *t, const gsp_least_peak_desc *d, uint32_t beam)
{
    return beam <= GSPI_PEAK_WIDE && (uint64_t)beam * t->n_tasks <= d->max_states;
}

size_t gsp_least_peak_bound(const gsp_tasks *tasks, const gsp_least_peak_desc *desc)
{
    gsp_least_peak_desc const d = gspi_peak_given(desc);
    uint64_t most = gspi_peak_measure_search(tasks, 0u, 0u);
    if (d.beam != 0u) {
        most = gspi_peak_measure_search(tasks, d.beam, most);
    }
    for (uint32_t beam = GSPI_PEAK_NARROW; d.beam == 0u && gspi_peak_fits(tasks, &d, beam);
         beam *= 16u) {
        most = gspi_peak_measure_search(tasks, beam, most);
    }
    uint64_t const bytes = most + gspi_peak_own(tasks);
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

/* ---- Figures of an order ---- */

/* Whether a task may run at a step after so many changes of phases. */
static int gspi_peak_may_run(const gsp_tasks *t, uint32_t task, uint32_t step, uint32_t changes)
{
    if (t->earliest[task] > step - changes) {
        return 0;
    }
    return t->kind == NULL || task >= t->n_calls || t->kind[task] == (changes & 1u);
}

/* Whether all tasks are there, each after those before it; `set` is room for one. */
GSPI_TASKS_OWN_FRAME int gspi_peak_is_order(
    const gsp_tasks *t, const uint32_t *order, uint32_t *set)
{
    uint32_t changes = 0;
    gspi_tasks_clear(t, set);
    for (uint32_t i = 0; i < t->n_tasks; i++) {
        uint32_t const task = order[i];
        if (task >= t->n_tasks || gspi_tasks_has(set, task)) {
            return 0;
        }
        if (!gspi_tasks_all_in(&t->before, task, set, GSP_NONE) ||
            !gspi_peak_may_run(t, task, i, changes)) {
            return 0;
        }
        changes += task >= t->n_calls ? 1u : 0u;
        gspi_tasks_put(set, task);
    }
    return 1;
}

/* The peak of an order; *step: where it is first. */
static uint64_t gspi_peak_measure(const gspi_peak *w, const uint32_t *order, uint32_t *step)
{
    uint64_t live = w->t->live;
    uint64_t peak = w->t->least;
    *step = 0;
    gspi_tasks_clear(w->t, w->set);
    for (uint32_t i = 0; i < w->t->n_tasks; i++) {
        uint64_t const before = peak;
        gsp_tasks_step(w->t, w->set, order[i], &live, &peak);
        gspi_tasks_put(w->set, order[i]);
        *step = peak > before ? i : *step;
    }
    return peak;
}

/* A task needs what it reads, what it makes and `extra` at once. */
GSPI_TASKS_OWN_FRAME uint64_t gspi_peak_least(const gsp_tasks *t)
{
    uint64_t least = t->least;
    for (uint32_t i = 0; i < t->n_tasks; i++) {
        uint64_t alone = t->extra[i];
        for (uint32_t k = t->reads.begin[i]; k < t->reads.begin[i + 1u]; k++) {
            alone += t->bytes[t->reads.at[k]];
        }
        for (uint32_t k = t->makes.begin[i]; k < t->makes.begin[i + 1u]; k++) {
            alone += t->bytes[t->makes.at[k]];
        }
        least = alone > least ? alone : least;
    }
    return least;
}

/* Keeps an order if it is the first one, or better. */
static void gspi_peak_try(gspi_peak *w, const uint32_t *order)
{
    uint32_t step;
    uint64_t const peak = gspi_peak_measure(w, order, &step);
    if (peak < w->r.peak) {
        w->r.peak = peak;
        (void)GSPI_TASKS_LEAF(memcpy)(w->r.order, order, w->t->n_tasks * sizeof(uint32_t));
    }
}

/* ---- Orders to begin with ---- */

static uint32_t gspi_peak_hash(uint32_t task)
{
    uint32_t h = (task + 1u) * 0x9E3779B1u;
    h = (h ^ h >> 16) * 0x85EBCA6Bu;
    return h ^ h >> 13;
}

/* By a rule, less is better; `place` in the list of tasks that can be next. */
static uint64_t gspi_peak_rank(const gspi_peak *w, uint32_t rule, uint32_t task, uint32_t place)
{
    uint64_t live = UINT64_MAX / 2u;
    uint64_t peak = 0;
    switch (rule) {
    case 1:
        return place;
    case 2:
        return GSP_NONE - place;
    case 3:
        gsp_tasks_step(w->t, w->set, task, &live, &peak);
        return live;
    default:
        return gspi_peak_hash(task ^ gspi_peak_hash(rule - 1u));
    }
}

/* The place of the best task that can be next. */
static uint32_t gspi_peak_pick(const gspi_peak *w, uint32_t rule, uint32_t n, uint32_t step)
{
    uint32_t best = GSP_NONE;
    uint64_t least = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (w->t->earliest[w->list[k]] <= step) {
            uint64_t const rank = gspi_peak_rank(w, rule, w->list[k], k);
            if (best == GSP_NONE || rank < least) {
                least = rank;
                best = k;
            }
        }
    }
    return best;
}

GSPI_TASKS_OWN_FRAME void gspi_peak_by_rule(gspi_peak *w, uint32_t rule)
{
    const gsp_tasks *t = w->t;
    uint32_t n = 0;
    gspi_tasks_clear(w->t, w->set);
    (void)GSPI_TASKS_LEAF(memset)(w->seen, 0, t->n_tasks);
    for (uint32_t i = 0; i < t->n_tasks; i++) {
        if (t->before.begin[i] == t->before.begin[i + 1u]) {
            w->list[n++] = i;
        }
    }
    for (uint32_t i = 0; i < t->n_tasks; i++) {
        uint32_t const best = gspi_peak_pick(w, rule, n, i);
        uint32_t const task = w->list[best];
        w->order[i] = task;
        gspi_tasks_put(w->set, task);
        n--;
        (void)GSPI_TASKS_LEAF(memmove)(
            w->list + best, w->list + best + 1u, (n - best) * sizeof(uint32_t));
        for (uint32_t k = t->after.begin[task]; k < t->after.begin[task + 1u]; k++) {
            uint32_t const next = t->after.at[k];
            if (!w->seen[next] && gspi_tasks_all_in(&t->before, next, w->set, GSP_NONE)) {
                w->seen[next] = 1;
                w->list[n++] = next;
            }
        }
    }
}

/* Depth first from the tasks that none waits for; `last`: the last predecessor first. */
GSPI_TASKS_OWN_FRAME void gspi_peak_depth_first(gspi_peak *w, int last)
{
    const gsp_tasks *t = w->t;
    uint32_t depth = 0;
    uint32_t n = 0;
    (void)GSPI_TASKS_LEAF(memset)(w->left, 0, t->n_tasks * sizeof(uint32_t));
    (void)GSPI_TASKS_LEAF(memset)(w->seen, 0, t->n_tasks);
    for (uint32_t i = 0; i < t->n_tasks; i++) {
        if (t->after.begin[i] == t->after.begin[i + 1u]) {
            w->list[depth++] = i;
            w->seen[i] = 1;
        }
        while (depth != 0u) {
            uint32_t const at = w->list[depth - 1u];
            uint32_t const begin = t->before.begin[at];
            uint32_t const end = t->before.begin[at + 1u];
            uint32_t const k = w->left[at]++;
            if (k == end - begin) {
                w->order[n++] = at;
                depth--;
            } else {
                uint32_t const next = t->before.at[last ? end - 1u - k : begin + k];
                w->list[depth] = next;
                depth += w->seen[next] ? 0u : 1u;
                w->seen[next] = 1;
            }
        }
    }
}

/* By the longest chain of tasks that wait, longest first; equal ones as they are. */
GSPI_TASKS_OWN_FRAME void gspi_peak_as_late(gspi_peak *w)
{
    const gsp_tasks *t = w->t;
    uint32_t const n = t->n_tasks;
    uint32_t *chain = w->left;
    uint32_t *end = w->list;
    (void)GSPI_TASKS_LEAF(memset)(end, 0, ((size_t)n + 2u) * sizeof(uint32_t));
    for (uint32_t i = n; i-- > 0u;) {
        chain[i] = 0;
        for (uint32_t k = t->after.begin[i]; k < t->after.begin[i + 1u]; k++) {
            uint32_t const behind = chain[t->after.at[k]] + 1u;
            chain[i] = behind > chain[i] ? behind : chain[i];
        }
        end[n - chain[i]]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        end[i + 1u] += end[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        w->order[end[n - chain[i] - 1u]++] = i;
    }
}

/* What is live before a task, if it is the last one, and what is not. */
static gspi_peak_entry gspi_peak_entry_of(const gspi_peak *w, uint32_t task)
{
    const gsp_tasks *t = w->t;
    gspi_peak_entry made = {0, 0, 0};
    made.task = task;
    for (uint32_t k = t->reads.begin[task]; k < t->reads.begin[task + 1u]; k++) {
        made.added += w->seen[t->reads.at[k]] ? 0u : t->bytes[t->reads.at[k]];
    }
    for (uint32_t k = t->makes.begin[task]; k < t->makes.begin[task + 1u]; k++) {
        made.freed += w->seen[t->makes.at[k]] ? t->bytes[t->makes.at[k]] : 0u;
    }
    return made;
}

/* Ties: the later task is placed first, so that equal ones keep their order. */
static int gspi_peak_is_better(const gspi_peak_entry *a, const gspi_peak_entry *b)
{
    uint64_t const left = a->added + b->freed;
    uint64_t const right = b->added + a->freed;
    return left != right ? left < right : a->task > b->task;
}

static void gspi_peak_push(gspi_peak *w, uint32_t task)
{
    gspi_peak_entry const made = gspi_peak_entry_of(w, task);
    uint32_t i = w->n_heap++;
    while (i != 0u && gspi_peak_is_better(&made, &w->heap[(i - 1u) / 2u])) {
        w->heap[i] = w->heap[(i - 1u) / 2u];
        i = (i - 1u) / 2u;
    }
    w->heap[i] = made;
}

static gspi_peak_entry gspi_peak_pop(gspi_peak *w)
{
    gspi_peak_entry *heap = w->heap;
    gspi_peak_entry const best = heap[0];
    gspi_peak_entry const last = heap[--w->n_heap];
    uint32_t i = 0;
    uint32_t child = 1;
    while (child < w->n_heap) {
        if (child + 1u < w->n_heap && gspi_peak_is_better(&heap[child + 1u], &heap[child])) {
            child++;
        }
        if (!gspi_peak_is_better(&heap[child], &last)) {
            break;
        }
        heap[i] = heap[child];
        i = child;
        child = 2u * i + 1u;
    }
    heap[i] = last;
    return best;
}

/* What a task reads becomes live: other readers need fewer bytes now. */
static void gspi_peak_place_last(gspi_peak *w, uint32_t task)
{
    const gsp_tasks *t = w->t;
    w->left[task] = GSP_NONE;
    for (uint32_t k = t->reads.begin[task]; k < t->reads.begin[task + 1u]; k++) {
        uint32_t const tensor = t->reads.at[k];
        uint32_t const end = w->seen[tensor] ? 0u : t->readers.begin[tensor + 1u];
        w->seen[tensor] = 1;
        for (uint32_t i = t->readers.begin[tensor]; i < end; i++) {
            if (w->left[t->readers.at[i]] == 0u) { /* what the output reads was live */
                gspi_peak_push(w, t->readers.at[i]);
            }
        }
    }
    for (uint32_t k = t->before.begin[task]; k < t->before.begin[task + 1u]; k++) {
        if (--w->left[t->before.at[k]] == 0u) {
            gspi_peak_push(w, t->before.at[k]);
        }
    }
}

/* From the end, the task that leaves the fewest live bytes before it. The heap may have a task
 * several times; the first one has the fewest bytes, and later ones are passed over. */
GSPI_TASKS_OWN_FRAME void gspi_peak_from_end(gspi_peak *w)
{
    const gsp_tasks *t = w->t;
    uint32_t n = t->n_tasks;
    (void)GSPI_TASKS_LEAF(memset)(w->seen, 0, t->n_tensors);
    w->n_heap = 0;
    for (uint32_t k = t->reads.begin[n]; k < t->reads.begin[n + 1u]; k++) {
        w->seen[t->reads.at[k]] = 1;
    }
    for (uint32_t i = 0; i < t->n_tasks; i++) {
        w->left[i] = t->after.begin[i + 1u] - t->after.begin[i];
        if (w->left[i] == 0u) {
            gspi_peak_push(w, i);
        }
    }
    while (n != 0u) {
        gspi_peak_entry const best = gspi_peak_pop(w);
        if (w->left[best.task] == 0u) {
            w->order[--n] = best.task;
            gspi_peak_place_last(w, best.task);
        }
    }
}

/* The order of the tasks, and three more, which barriers do not keep. */
GSPI_TASKS_OWN_FRAME void gspi_peak_start_best(gspi_peak *w)
{
    const gsp_tasks *t = w->t;
    for (uint32_t i = 0; i < t->n_tasks; i++) {
        w->order[i] = i;
    }
    gspi_peak_try(w, w->order);
    if (t->n_tasks != 0u && t->earliest[t->n_tasks - 1u] == 0u) {
        gspi_peak_depth_first(w, 0);
        gspi_peak_try(w, w->order);
        gspi_peak_depth_first(w, 1);
        gspi_peak_try(w, w->order);
        gspi_peak_as_late(w);
        gspi_peak_try(w, w->order);
        gspi_peak_from_end(w);
        gspi_peak_try(w, w->order);
    }
}

GSPI_TASKS_OWN_FRAME void gspi_peak_start(gspi_peak *w, const gsp_least_peak_desc *d)
{
    gsp_mark const mark = gsp_arena_mark(w->arena);
    gspi_tasks_bump b = {w->arena, 0u, 0u};
    gspi_peak_layout_start(&b, w, w->t);
    w->r.peak = UINT64_MAX;
    w->r.lower_bound = gspi_peak_least(w->t);
    if (d->start != NULL) {
        gspi_peak_try(w, d->start);
    } else if (d->rule != 0u) {
        gspi_peak_by_rule(w, d->rule);
        gspi_peak_try(w, w->order);
    } else {
        gspi_peak_start_best(w);
    }
    gsp_arena_rewind(w->arena, mark);
}

/* ---- States of the next step ---- */

static uint32_t *gspi_peak_row(const gspi_peak *w, const gspi_peak_layer *l, uint32_t i)
{
    return l->rows + 2u * w->width * i;
}

/* The slot of state i, which is free or has an earlier equal set. */
static uint32_t *gspi_peak_slot(const gspi_peak *w, uint32_t i)
{
    const gspi_peak_layer *l = &w->next;
    uint32_t const hash = l->at[i].hash;
    uint32_t slot = hash & w->mask;
    while (w->slots[slot] != GSP_NONE) {
        uint32_t const other = w->slots[slot];
        if (l->at[other].hash == hash &&
            GSPI_TASKS_LEAF(memcmp)(gspi_peak_row(w, l, other), gspi_peak_row(w, l, i),
                w->width * sizeof(uint32_t)) == 0) {
            break;
        }
        slot = (slot + 1u) & w->mask;
    }
    return &w->slots[slot];
}

/* Live bytes, and in later searches more at random, up to a half, all, twice, four times. */
static uint64_t gspi_peak_score(const gspi_peak *w, const gspi_peak_state *at)
{
    uint64_t const part = at->live / (512u >> w->seed % 4u);
    return at->live + (w->seed == 0u ? 0u : part * (gspi_peak_hash(at->hash ^ w->seed) >> 24));
}

/* By peak, then score, then age. */
static int gspi_peak_is_worse(const gspi_peak *w, uint32_t a, uint32_t b)
{
    const gspi_peak_state *at = w->next.at;
    uint64_t const peak_a = at[a].peak > w->floor ? at[a].peak : w->floor;
    uint64_t const peak_b = at[b].peak > w->floor ? at[b].peak : w->floor;
    uint64_t const score_a = gspi_peak_score(w, &at[a]);
    uint64_t const score_b = gspi_peak_score(w, &at[b]);
    if (peak_a != peak_b) {
        return peak_a > peak_b;
    }
    return score_a != score_b ? score_a > score_b : a > b;
}

/* A heap with the worst state at its root. */
static void gspi_peak_sift(const gspi_peak *w, uint32_t n, uint32_t i)
{
    uint32_t *heap = w->worst;
    uint32_t const id = heap[i];
    uint32_t child = 2u * i + 1u;
    while (child < n) {
        if (child + 1u < n && gspi_peak_is_worse(w, heap[child + 1u], heap[child])) {
            child++;
        }
        if (!gspi_peak_is_worse(w, heap[child], id)) {
            break;
        }
        heap[i] = heap[child];
        i = child;
        child = 2u * i + 1u;
    }
    heap[i] = id;
}

static void gspi_peak_clear_slots(const gspi_peak *w)
{
    (void)GSPI_TASKS_LEAF(memset)(w->slots, 0xFF, ((size_t)w->mask + 1u) * sizeof(uint32_t));
}

/* Keeps the best states of the next step. */
static void gspi_peak_keep_best(gspi_peak *w)
{
    gspi_peak_layer *l = &w->next;
    uint32_t n = l->n;
    for (uint32_t i = 0; i < n; i++) {
        w->worst[i] = i;
    }
    for (uint32_t i = n / 2u; i > 0u; i--) {
        gspi_peak_sift(w, n, i - 1u);
    }
    for (; n > w->beam; n--) {
        l->at[w->worst[0]].from = GSP_NONE;
        w->worst[0] = w->worst[n - 1u];
        gspi_peak_sift(w, n - 1u, 0u);
    }
    gspi_peak_clear_slots(w);
    n = l->n;
    l->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (l->at[i].from != GSP_NONE) {
            l->at[l->n] = l->at[i];
            (void)GSPI_TASKS_LEAF(memmove)(gspi_peak_row(w, l, l->n), gspi_peak_row(w, l, i),
                2u * w->width * sizeof(uint32_t));
            *gspi_peak_slot(w, l->n) = l->n;
            l->n++;
        }
    }
    w->lost = 1;
}

/* What can be next once a task is done. */
static void gspi_peak_follow(
    const gsp_tasks *t, const uint32_t *done, uint32_t *ready, uint32_t task)
{
    gspi_tasks_take(ready, task);
    for (uint32_t k = t->after.begin[task]; k < t->after.begin[task + 1u]; k++) {
        if (gspi_tasks_all_in(&t->before, t->after.at[k], done, GSP_NONE)) {
            gspi_tasks_put(ready, t->after.at[k]);
        }
    }
}

/* Adds what a state becomes by a task. */
static void gspi_peak_add(
    gspi_peak *w, const uint32_t *done, uint32_t task, const gspi_peak_state *s)
{
    gspi_peak_layer *l = &w->next;
    const gsp_tasks *t = w->t;
    if (l->n == 2u * w->beam) {
        gspi_peak_keep_best(w);
    }
    w->r.work += w->width / 16u; /* as long as it takes */
    uint32_t *row = gspi_peak_row(w, l, l->n);
    (void)GSPI_TASKS_LEAF(memcpy)(row, done, 2u * w->width * sizeof(uint32_t));
    gspi_tasks_put(row, task);
    l->at[l->n] = *s;
    uint32_t *slot = gspi_peak_slot(w, l->n);
    if (*slot != GSP_NONE) {
        if (s->peak < l->at[*slot].peak) {
            l->at[*slot] = *s;
        }
        return;
    }
    *slot = l->n++;
    gspi_peak_follow(t, row, row + w->width, task);
}

/* The least member from `i` on, or GSP_NONE. */
static uint32_t gspi_peak_next_in(const uint32_t *set, size_t width, uint32_t i)
{
    size_t word = i / 32u;
    uint32_t bits = set[word] & UINT32_MAX << (i % 32u);
    while (bits == 0u) {
        if (++word == width) {
            return GSP_NONE;
        }
        bits = set[word];
    }
    for (i = (uint32_t)word * 32u; (bits & 1u) == 0u; bits >>= 1) {
        i++;
    }
    return i;
}

/* Phases so far: changes are done one after the other. */
static uint32_t gspi_peak_changes(const gsp_tasks *t, const uint32_t *done)
{
    uint32_t low = t->n_calls;
    uint32_t high = t->n_tasks;
    while (low < high) {
        uint32_t const middle = low + (high - low) / 2u;
        if (gspi_tasks_has(done, middle)) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low - t->n_calls;
}

/* Tries the moves of a state: a free one alone, or all that stay below the best peak. By exchange,
 * some best order begins with a free one. */
static void gspi_peak_expand(gspi_peak *w, uint32_t i, uint32_t step)
{
    gspi_peak_state const now = w->now.at[i];
    const uint32_t *done = gspi_peak_row(w, &w->now, i);
    const uint32_t *ready = done + w->width;
    uint64_t const allowed = now.peak > w->floor ? now.peak : w->floor;
    uint32_t const changes = gspi_peak_changes(w->t, done);
    for (int all = 0; all < 2; all++) {
        for (uint32_t task = gspi_peak_next_in(ready, w->width, 0); task != GSP_NONE;
             task = gspi_peak_next_in(ready, w->width, task + 1u)) {
            gspi_peak_state s = now;
            if (w->place[task] >= w->end || !gspi_peak_may_run(w->t, task, step, changes)) {
                continue;
            }
            w->r.work++;
            gsp_tasks_step(w->t, done, task, &s.live, &s.peak);
            int const is_free = s.peak <= allowed && s.live <= now.live && task < w->t->n_calls;
            if (s.peak < w->r.peak && (all || is_free)) {
                s.hash ^= gspi_peak_hash(task);
                s.from = i * w->t->n_tasks + task;
                gspi_peak_add(w, done, task, &s);
            }
            if (is_free) {
                return;
            }
        }
    }
}

/* From one step to the next; 0 if nothing leads on, or the work is used up. */
static int gspi_peak_advance(gspi_peak *w, uint32_t step, uint32_t begin)
{
    size_t const first = (size_t)(step - begin) * w->beam;
    w->next.n = 0;
    gspi_peak_clear_slots(w);
    for (uint32_t i = 0; i < w->now.n; i++) {
        if (w->r.work >= w->max_work) {
            w->lost = 1;
            return 0;
        }
        gspi_peak_expand(w, i, step);
    }
    if (w->next.n > w->beam) {
        gspi_peak_keep_best(w);
    }
    w->now.n = w->next.n;
    for (uint32_t i = 0; i < w->next.n; i++) {
        w->now.at[i] = w->next.at[i];
        if (w->from == NULL) {
            w->from_short[first + i] = (uint16_t)w->next.at[i].from;
        } else {
            w->from[first + i] = w->next.at[i].from;
        }
    }
    (void)GSPI_TASKS_LEAF(memcpy)(
        w->now.rows, w->next.rows, 2u * w->width * w->next.n * sizeof(uint32_t));
    return w->now.n != 0u;
}

/* ---- Searches ---- */

/* The state at a place of the best order. */
GSPI_TASKS_OWN_FRAME void gspi_peak_start_at(gspi_peak *w, uint32_t begin)
{
    gspi_peak_state *s = w->now.at;
    s->live = w->t->live;
    s->peak = 0;
    s->hash = 0;
    (void)GSPI_TASKS_LEAF(memset)(w->set, 0, 2u * w->width * sizeof(uint32_t));
    for (uint32_t i = 0; i < w->t->n_tasks; i++) {
        w->place[w->r.order[i]] = i;
        if (i < begin) {
            gsp_tasks_step(w->t, w->set, w->r.order[i], &s->live, &s->peak);
            gspi_tasks_put(w->set, w->r.order[i]);
        }
    }
    for (uint32_t i = begin; i < w->t->n_tasks; i++) {
        if (gspi_tasks_all_in(&w->t->before, w->r.order[i], w->set, GSP_NONE)) {
            gspi_tasks_put(w->set + w->width, w->r.order[i]);
        }
    }
    s->peak = w->t->least;
    w->now.n = 1;
    (void)GSPI_TASKS_LEAF(memcpy)(w->now.rows, w->set, 2u * w->width * sizeof(uint32_t));
}

/* Searches an order below the best peak, between two places of the best order. Returns whether
 * there is one. */
static int gspi_peak_improve(gspi_peak *w, uint32_t begin, uint32_t end)
{
    uint32_t from = 0;
    w->lost = 0;
    w->end = end;
    gspi_peak_start_at(w, begin);
    for (uint32_t step = begin; step < end; step++) {
        if (!gspi_peak_advance(w, step, begin)) {
            return 0;
        }
    }
    for (uint32_t step = end; step > begin; step--) {
        size_t const at = (size_t)(step - 1u - begin) * w->beam + from;
        from = w->from == NULL ? w->from_short[at] : w->from[at];
        w->r.order[step - 1u] = from % w->t->n_tasks;
        from /= w->t->n_tasks;
    }
    w->r.peak = gspi_peak_measure(w, w->r.order, &from);
    return 1;
}

/* Improves the best order around its peak, further and further around. */
static void gspi_peak_improve_windows(gspi_peak *w)
{
    uint32_t const n = w->t->n_tasks;
    uint32_t size = GSPI_PEAK_WINDOW;
    while (size < n && w->r.peak > w->r.lower_bound && w->r.work < w->max_work) {
        uint32_t at;
        (void)gspi_peak_measure(w, w->r.order, &at);
        uint32_t const begin = at > size / 2u ? at - size / 2u : 0u;
        uint32_t const end = n - begin > size ? begin + size : n;
        w->floor = w->r.peak - 1u;
        size = gspi_peak_improve(w, begin, end) ? GSPI_PEAK_WINDOW : 2u * size;
    }
}

/* Better orders while there is work left, until `tries` searches have found none. */
GSPI_TASKS_OWN_FRAME void gspi_peak_search(gspi_peak *w, uint32_t beam, uint32_t tries)
{
    gsp_mark const mark = gsp_arena_mark(w->arena);
    gspi_tasks_bump b = {w->arena, 0u, 0u};
    if (w->r.peak <= w->r.lower_bound) {
        return;
    }
    gspi_peak_layout_search(&b, w, w->t, beam);
    w->seed = 0;
    w->floor = w->r.lower_bound;
    (void)gspi_peak_improve(w, 0u, w->t->n_tasks);
    if (!w->lost) {
        w->r.lower_bound = w->r.peak;
    }
    gspi_peak_improve_windows(w);
    while (w->r.peak > w->r.lower_bound && w->seed < tries) {
        w->floor = w->r.peak - 1u;
        if (gspi_peak_improve(w, 0u, w->t->n_tasks)) {
            gspi_peak_improve_windows(w);
            continue;
        }
        w->seed++;
        if (!w->lost) {
            w->r.lower_bound = w->r.peak;
        }
    }
    gsp_arena_rewind(w->arena, mark);
}

/* With wider and wider beams. */
static void gspi_peak_search_all(gspi_peak *w, const gsp_least_peak_desc *d)
{
    uint32_t beam = GSPI_PEAK_NARROW;
    if (d->beam != 0u) {
        gspi_peak_search(w, d->beam, d->tries);
        return;
    }
    while (gspi_peak_fits(w->t, d, beam)) {
        gspi_peak_search(w, beam, 1u);
        beam *= 16u;
    }
    if (beam > GSPI_PEAK_WIDE) {
        gspi_peak_search(w, GSPI_PEAK_RANDOM, d->tries);
    }
}

/* ---- The pass ---- */

/* Inputs first, and the output last. */
GSPI_TASKS_OWN_FRAME void gspi_peak_list_nodes(gspi_peak *w)
{
    const gsp_tasks *t = w->t;
    uint32_t n = 0;
    for (gsp_node v = 0; v < t->n_nodes; v++) {
        if (t->task_of[v] == GSP_NONE) {
            w->r.nodes[n++] = v;
        }
    }
    for (uint32_t i = 0; i < t->n_tasks; i++) {
        uint32_t const task = w->r.order[i];
        for (uint32_t k = t->nodes.begin[task]; k < t->nodes.begin[task + 1u]; k++) {
            w->r.nodes[n++] = t->nodes.at[k];
        }
    }
    w->r.nodes[n] = t->n_nodes - 1u;
}

GSPI_TASKS_OWN_FRAME gspi_peak *gspi_peak_open(gsp_arena *arena, const gsp_tasks *t)
{
    gspi_tasks_bump b = {arena, 0u, 0u};
    gspi_peak *w = (gspi_peak *)gspi_tasks_push(&b, 1, sizeof(gspi_peak), 1);
    (void)GSPI_TASKS_LEAF(memset)(w, 0, sizeof(gspi_peak));
    gspi_peak_layout(&b, w, t);
    w->t = t;
    w->arena = arena;
    return w;
}

static gsp_status gspi_peak_check(const gsp_tasks *t, const gsp_least_peak_desc *d, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_tasks_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE, "");
    }
    if (t->kind != NULL && d->start == NULL) {
        return gspi_tasks_fail(
            err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, GSPI_TASKS_FIELD("start"));
    }
    return GSP_OK;
}

gsp_status gsp_least_peak_run(gsp_arena *arena, const gsp_tasks *tasks,
    const gsp_least_peak_desc *desc, gsp_least_peak_result *result, gsp_error *err)
{
    if (arena == NULL || tasks == NULL || result == NULL) {
        const char *field = GSPI_TASKS_FIELD("result");
        field = tasks == NULL ? GSPI_TASKS_FIELD("tasks") : field;
        field = arena == NULL ? GSPI_TASKS_FIELD("arena") : field;
        return gspi_tasks_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    gsp_least_peak_desc const d = gspi_peak_given(desc);
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_status status = gspi_peak_check(tasks, &d, err);
    if (status == GSP_OK) {
        status = gspi_tasks_room(arena, gsp_least_peak_bound(tasks, &d), err);
    }
    if (status != GSP_OK) {
        return status;
    }
    gspi_peak *w = gspi_peak_open(arena, tasks);
    if (d.start != NULL && !gspi_peak_is_order(tasks, d.start, w->set)) {
        gsp_arena_rewind(arena, mark);
        return gspi_tasks_fail(err, GSP_STATUS_ARG, GSP_DETAIL_ORDER, GSP_NONE, "");
    }
    w->max_work = d.max_work;
    gspi_peak_start(w, &d);
    gspi_peak_search_all(w, &d);
    gspi_peak_list_nodes(w);
    w->r.proved = w->r.peak <= w->r.lower_bound ? 1u : 0u;
    *result = w->r;
    mark.low = gsp_arena_mark(arena).low;
    gsp_arena_rewind(arena, mark);
    return GSP_OK;
}

/* ----
 * >>tradeoff   Orders of tasks by peak and by bytes that cross (implementation)
 * ---- */

#define GSPI_TRADEOFF_NARROW 16u
#define GSPI_TRADEOFF_WIDE   524288u
#define GSPI_TRADEOFF_MOST   ((uint64_t)1u << 62u) /* of sums times weights */
#define GSPI_TRADEOFF_ROOM   ((uint64_t)1u << 33u) /* of a search: sets times tasks fit 32 bits */

typedef struct gspi_tradeoff_state {
    uint64_t live;
    uint64_t peak;
    uint64_t crossed;
    uint32_t hash; /* of the set */
    uint32_t next; /* another one with the same set, or GSP_NONE */
    uint32_t from; /* place of its predecessor * n_tasks + task; GSP_NONE if dropped */
} gspi_tradeoff_state;

/* For each state three sets: tasks that are done, that can be next, and that made what is fresh. */
typedef struct gspi_tradeoff_layer {
    gspi_tradeoff_state *at;
    uint32_t *rows;
    uint32_t n;
} gspi_tradeoff_layer;

typedef struct gspi_tradeoff { /* not on the stack */
    const gsp_tasks *t;
    gsp_arena *arena;
    gsp_tradeoff_desc d;
    gsp_tradeoff_result r;
    gsp_tradeoff_point *points; /* [max_points] those from n_points on are free */
    uint32_t *orders;           /* [max_points][n_tasks] */
    gspi_tasks_rows user_rows;
    gspi_tasks_rows group_rows;
    gsp_edges users;  /* [n_tasks] the uses, the other way */
    gsp_edges groups; /* [n_groups] their calls */
    uint32_t n_groups;
    uint32_t *key; /* [n_tasks or uses] pairs that become rows */
    uint32_t *value;
    uint32_t *set;   /* [width] tasks that are done */
    uint32_t *order; /* [n_tasks] */

    /* a search */
    gspi_tradeoff_layer now;
    gspi_tradeoff_layer next; /* room for 2 * beam + 1 states */
    uint32_t *slots;          /* [mask + 1] hash table of the next states: the first of a set */
    uint32_t *worst;          /* [2 * beam + 1] a heap of them */
    uint32_t *from;           /* [n_tasks * beam] of the states of each step */
    uint64_t least;           /* objective of the best point, with weights */
    uint64_t floor;           /* peaks up to this do not matter */
    size_t width;             /* words of a set */
    uint32_t beam;
    uint32_t mask;
    int lost; /* a state was dropped */
    int full; /* a point was dropped */
} gspi_tradeoff;

/* ---- Layout ---- */

static void gspi_tradeoff_take(gsp_tradeoff_desc *d, const gsp_tradeoff_desc *given)
{
    *d = *given;
    d->most_peak = d->most_peak == 0u ? UINT64_MAX : d->most_peak;
    d->max_points = d->max_points == 0u ? GSP_TRADEOFF_POINTS : d->max_points;
    d->max_work = d->max_work == 0u ? GSP_TRADEOFF_WORK : d->max_work;
    d->max_bytes = d->max_bytes == 0u ? GSP_TRADEOFF_BYTES : d->max_bytes;
    d->max_bytes = d->max_bytes < GSPI_TRADEOFF_ROOM ? d->max_bytes : GSPI_TRADEOFF_ROOM;
}

static uint32_t gspi_tradeoff_uses(const gsp_tasks *t, const gsp_tradeoff_desc *d)
{
    return d->uses.begin == NULL ? 0u : d->uses.begin[t->n_tasks];
}

/* Whether there is room for the sets of a search. */
static int gspi_tradeoff_fits(const gsp_tasks *t, const gsp_tradeoff_desc *d, uint32_t beam)
{
    uint64_t const each = 4u * (uint64_t)t->n_tasks + 9u * ((uint64_t)t->n_tasks / 8u + 4u) + 200u;
    return beam <= GSPI_TRADEOFF_WIDE && beam * each <= d->max_bytes;
}

/* The results first; they stay. */
GSPI_TASKS_OWN_FRAME void gspi_tradeoff_layout(
    gspi_tasks_bump *b, gspi_tradeoff *w, const gsp_tasks *t, const gsp_tradeoff_desc *d)
{
    uint64_t const n = t->n_tasks;
    uint64_t const uses = gspi_tradeoff_uses(t, d);
    uint64_t const pairs = uses > n ? uses : n;
    w->points =
        (gsp_tradeoff_point *)gspi_tasks_push(b, d->max_points, sizeof(gsp_tradeoff_point), 0);
    w->orders = gspi_tasks_words(b, d->max_points * n, 0);
    w->user_rows.begin = gspi_tasks_words(b, n + 2u, 1);
    w->user_rows.at = gspi_tasks_words(b, uses, 1);
    w->group_rows.begin = gspi_tasks_words(b, n + 2u, 1);
    w->group_rows.at = gspi_tasks_words(b, n, 1);
    w->key = gspi_tasks_words(b, pairs, 1);
    w->value = gspi_tasks_words(b, pairs, 1);
    w->set = gspi_tasks_words(b, gspi_tasks_width(t), 1);
    w->order = gspi_tasks_words(b, n, 1);
}

GSPI_TASKS_OWN_FRAME void gspi_tradeoff_layout_search(
    gspi_tasks_bump *b, gspi_tradeoff *w, const gsp_tasks *t, uint32_t wanted)
{
    uint64_t const beam = wanted;
    uint64_t const width = gspi_tasks_width(t);
    w->beam = wanted;
    for (w->mask = 7u; w->mask < 4u * beam; w->mask = 2u * w->mask + 1u) {
    }
    w->now.at = (gspi_tradeoff_state *)gspi_tasks_push(b, beam, sizeof(gspi_tradeoff_state), 1);
    w->next.at =
        (gspi_tradeoff_state *)gspi_tasks_push(b, 2u * beam + 1u, sizeof(gspi_tradeoff_state), 1);
    w->now.rows = gspi_tasks_words(b, 3u * beam * width, 1);
    w->next.rows = gspi_tasks_words(b, (6u * beam + 3u) * width, 1);
    w->slots = gspi_tasks_words(b, (uint64_t)w->mask + 1u, 1);
    w->worst = gspi_tasks_words(b, 2u * beam + 1u, 1);
    w->from = gspi_tasks_words(b, beam * t->n_tasks, 1);
}

size_t gsp_tradeoff_bound(const gsp_tasks *tasks, const gsp_tradeoff_desc *desc)
{
    gspi_tasks_bump b = {NULL, 2u * (uint64_t)GSP_BOUND_SLACK, 0u};
    gspi_tradeoff w;
    uint32_t widest = 0;
    if (tasks == NULL || desc == NULL) {
        return SIZE_MAX;
    }
    gspi_tradeoff_take(&w.d, desc);
    (void)gspi_tasks_push(&b, 1, sizeof(gspi_tradeoff), 1);
    gspi_tradeoff_layout(&b, &w, tasks, &w.d);
    for (uint32_t beam = GSPI_TRADEOFF_NARROW; gspi_tradeoff_fits(tasks, &w.d, beam); beam *= 8u) {
        widest = beam;
    }
    if (widest != 0u) {
        gspi_tradeoff_layout_search(&b, &w, tasks, widest);
    }
    return b.used < SIZE_MAX ? (size_t)b.used : SIZE_MAX;
}

/* ---- Points ---- */

static uint64_t gspi_tradeoff_sum(const gspi_tradeoff *w, uint64_t peak, uint64_t crossed)
{
    return w->d.weight_peak * peak + w->d.weight_crossed * crossed;
}

static int gspi_tradeoff_is_weighted(const gspi_tradeoff *w)
{
    return (w->d.weight_peak | w->d.weight_crossed) != 0u;
}

static uint64_t gspi_tradeoff_raised(const gspi_tradeoff *w, uint64_t peak)
{
    return peak > w->floor ? peak : w->floor;
}

/* Whether no better point can come of these figures. */
static int gspi_tradeoff_is_hopeless(const gspi_tradeoff *w, uint64_t peak, uint64_t crossed)
{
    uint64_t const least = gspi_tradeoff_raised(w, peak);
    if (peak > w->d.most_peak) {
        return 1;
    }
    if (gspi_tradeoff_is_weighted(w)) {
        return gspi_tradeoff_sum(w, least, crossed) >= w->least;
    }
    for (uint32_t i = 0; i < w->r.n_points && w->points[i].peak <= least; i++) {
        if (w->points[i].crossed <= crossed) {
            return 1;
        }
    }
    return 0;
}

static void gspi_tradeoff_remove(gspi_tradeoff *w, uint32_t i)
{
    uint32_t *order = w->points[i].order;
    w->r.n_points--;
    (void)GSPI_TASKS_LEAF(memmove)(
        w->points + i, w->points + i + 1u, (w->r.n_points - i) * sizeof(gsp_tradeoff_point));
    w->points[w->r.n_points].order = order;
}

static void gspi_tradeoff_insert(
    gspi_tradeoff *w, uint32_t i, uint64_t peak, uint64_t crossed, const uint32_t *order)
{
    gsp_tradeoff_point const point = {peak, crossed, w->points[w->r.n_points].order};
    (void)GSPI_TASKS_LEAF(memmove)(
        w->points + i + 1u, w->points + i, (w->r.n_points - i) * sizeof(gsp_tradeoff_point));
    w->points[i] = point;
    (void)GSPI_TASKS_LEAF(memcpy)(point.order, order, w->t->n_tasks * sizeof(uint32_t));
    w->r.n_points++;
}

/* Adds a point, unless another is as good; removes those that are not better. Returns whether. */
static int gspi_tradeoff_add(
    gspi_tradeoff *w, uint64_t peak, uint64_t crossed, const uint32_t *order)
{
    const gsp_tradeoff_point *p = w->points;
    uint32_t i = 0;
    while (i < w->r.n_points && p[i].peak < peak) {
        i++;
    }
    if (peak > w->d.most_peak || (i > 0u && p[i - 1u].crossed <= crossed) ||
        (i < w->r.n_points && p[i].peak == peak && p[i].crossed <= crossed)) {
        return 0;
    }
    while (i < w->r.n_points && p[i].crossed >= crossed) {
        gspi_tradeoff_remove(w, i);
    }
    if (w->r.n_points == w->d.max_points) {
        w->full = 1;
        return 0;
    }
    gspi_tradeoff_insert(w, i, peak, crossed, order);
    return 1;
}

static uint32_t gspi_tradeoff_best(const gspi_tradeoff *w)
{
    uint64_t least = UINT64_MAX;
    uint32_t best = GSP_NONE;
    for (uint32_t i = 0; i < w->r.n_points; i++) {
        uint64_t const sum = gspi_tradeoff_sum(w, w->points[i].peak, w->points[i].crossed);
        best = sum < least ? i : best;
        least = sum < least ? sum : least;
    }
    return best;
}

/* ---- Tasks ---- */

/* The bytes of what is in a and not in b that would cross; without b, of all in a. */
static uint64_t gspi_tradeoff_bytes(const gspi_tradeoff *w, const uint32_t *a, const uint32_t *b)
{
    uint64_t sum = 0;
    for (size_t word = 0; word < w->width; word++) {
        uint32_t i = (uint32_t)word * 32u;
        for (uint32_t bits = a[word] & ~(b == NULL ? 0u : b[word]); bits != 0u; bits >>= 1, i++) {
            sum += (bits & 1u) != 0u ? w->d.bytes[i] : 0u;
        }
    }
    return sum;
}

/* Whether a change of phases tears a group, of which all or none are done. */
static int gspi_tradeoff_tears(const gspi_tradeoff *w, const uint32_t *done)
{
    const gsp_edges *groups = &w->groups;
    for (uint32_t g = 0; g < w->n_groups; g++) {
        for (uint32_t k = groups->begin[g] + 1u; k < groups->begin[g + 1u]; k++) {
            if (gspi_tasks_has(done, groups->at[k]) != gspi_tasks_has(done, groups->at[k - 1u])) {
                return 1;
            }
        }
    }
    return 0;
}

/* Whether others of its group are done, or it has none. */
static int gspi_tradeoff_may_move(const gspi_tradeoff *w, const uint32_t *done, uint32_t task)
{
    uint32_t const g = w->d.group == NULL ? GSP_NONE : w->d.group[task];
    if (g == GSP_NONE) {
        return 1;
    }
    for (uint32_t k = w->groups.begin[g]; k < w->groups.begin[g + 1u]; k++) {
        if (gspi_tasks_has(done, w->groups.at[k])) {
            return 1;
        }
    }
    return 0;
}

/* The bytes of what is fresh and cannot cross once a task is done; `left`, or NULL, loses it. */
static uint64_t gspi_tradeoff_saved(
    const gspi_tradeoff *w, const uint32_t *done, uint32_t task, uint32_t *left)
{
    const gsp_edges *uses = &w->d.uses;
    const uint32_t *fresh = done + 2u * w->width;
    uint64_t saved = 0;
    for (uint32_t k = uses->begin[task]; k < uses->begin[task + 1u]; k++) {
        uint32_t const from = uses->at[k];
        if (gspi_tasks_has(fresh, from) && gspi_tasks_all_in(&w->users, from, done, task)) {
            saved += w->d.bytes[from];
            if (left != NULL) {
                gspi_tasks_take(left, from);
            }
        }
    }
    return saved;
}

/* The bytes that cross if a user of what a task makes runs in a later phase. */
static uint64_t gspi_tradeoff_made(const gspi_tradeoff *w, uint32_t task)
{
    return w->users.begin[task] != w->users.begin[task + 1u] ? w->d.bytes[task] : 0u;
}

/* Adds the point of an order; 0 if it tears a group. */
GSPI_TASKS_OWN_FRAME int gspi_tradeoff_measure(gspi_tradeoff *w, const uint32_t *order)
{
    const gsp_tasks *t = w->t;
    uint32_t *phase = w->key;
    uint64_t live = t->live;
    uint64_t peak = t->least;
    uint64_t crossed = w->d.fixed;
    uint32_t now = 0;
    gspi_tasks_clear(t, w->set);
    for (uint32_t i = 0; i < t->n_tasks; i++) {
        int const changes = order[i] >= t->n_calls;
        if (changes && gspi_tradeoff_tears(w, w->set)) {
            return 0;
        }
        gsp_tasks_step(t, w->set, order[i], &live, &peak);
        gspi_tasks_put(w->set, order[i]);
        phase[order[i]] = now;
        now += changes ? 1u : 0u;
    }
    for (uint32_t i = 0; i < t->n_tasks; i++) {
        int crosses = 0;
        for (uint32_t k = w->users.begin[i]; k < w->users.begin[i + 1u]; k++) {
            crosses = crosses || phase[w->users.at[k]] != phase[i];
        }
        crossed += crosses ? w->d.bytes[i] : 0u;
    }
    (void)gspi_tradeoff_add(w, peak, crossed, order);
    return 1;
}

/* ---- States of the next step ---- */

static uint32_t *gspi_tradeoff_row(const gspi_tradeoff *w, const gspi_tradeoff_layer *l, uint32_t i)
{
    return l->rows + 3u * w->width * i;
}

/* The slot of the set of state i, which is free or has an equal set. */
static uint32_t *gspi_tradeoff_slot(const gspi_tradeoff *w, uint32_t i)
{
    const gspi_tradeoff_layer *l = &w->next;
    uint32_t slot = l->at[i].hash & w->mask;
    while (w->slots[slot] != GSP_NONE &&
           (l->at[w->slots[slot]].hash != l->at[i].hash ||
               GSPI_TASKS_LEAF(memcmp)(gspi_tradeoff_row(w, l, w->slots[slot]),
                   gspi_tradeoff_row(w, l, i), w->width * sizeof(uint32_t)) != 0)) {
        slot = (slot + 1u) & w->mask;
    }
    return &w->slots[slot];
}

static void gspi_tradeoff_clear_slots(const gspi_tradeoff *w)
{
    (void)GSPI_TASKS_LEAF(memset)(w->slots, 0xFF, ((size_t)w->mask + 1u) * sizeof(uint32_t));
}

/* The objective, or the sum of both figures if there are no weights. */
static uint64_t gspi_tradeoff_rank(const gspi_tradeoff *w, const gspi_tradeoff_state *s)
{
    uint64_t const peak = gspi_tradeoff_raised(w, s->peak);
    return gspi_tradeoff_is_weighted(w) ? gspi_tradeoff_sum(w, peak, s->crossed)
                                        : peak + s->crossed;
}

/* By rank, then live bytes, then age. */
static int gspi_tradeoff_is_worse(const gspi_tradeoff *w, uint32_t a, uint32_t b)
{
    const gspi_tradeoff_state *at = w->next.at;
    uint64_t const rank_a = gspi_tradeoff_rank(w, &at[a]);
    uint64_t const rank_b = gspi_tradeoff_rank(w, &at[b]);
    if (rank_a != rank_b) {
        return rank_a > rank_b;
    }
    return at[a].live != at[b].live ? at[a].live > at[b].live : a > b;
}

/* A heap with the worst state at its root. */
static void gspi_tradeoff_sift(const gspi_tradeoff *w, uint32_t n, uint32_t i)
{
    uint32_t *heap = w->worst;
    uint32_t const id = heap[i];
    uint32_t child = 2u * i + 1u;
    while (child < n) {
        if (child + 1u < n && gspi_tradeoff_is_worse(w, heap[child + 1u], heap[child])) {
            child++;
        }
        if (!gspi_tradeoff_is_worse(w, heap[child], id)) {
            break;
        }
        heap[i] = heap[child];
        i = child;
        child = 2u * i + 1u;
    }
    heap[i] = id;
}

/* Puts a state, whose row is there, in front of those with an equal set. */
static void gspi_tradeoff_link(gspi_tradeoff *w, uint32_t i)
{
    uint32_t *slot = gspi_tradeoff_slot(w, i);
    w->next.at[i].next = *slot;
    *slot = i;
}

/* Drops the worst states of the next step until the beam holds the rest. */
GSPI_TASKS_OWN_FRAME void gspi_tradeoff_drop(gspi_tradeoff *w)
{
    const gspi_tradeoff_layer *l = &w->next;
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->at[i].from != GSP_NONE) {
            w->worst[n++] = i;
        }
    }
    for (uint32_t i = n / 2u; i > 0u; i--) {
        gspi_tradeoff_sift(w, n, i - 1u);
    }
    for (; n > w->beam; n--) {
        l->at[w->worst[0]].from = GSP_NONE;
        w->worst[0] = w->worst[n - 1u];
        gspi_tradeoff_sift(w, n - 1u, 0u);
        w->lost = 1;
    }
}

/* Keeps the best states of the next step. */
static void gspi_tradeoff_keep_best(gspi_tradeoff *w)
{
    gspi_tradeoff_layer *l = &w->next;
    uint32_t const n = l->n;
    gspi_tradeoff_drop(w);
    gspi_tradeoff_clear_slots(w);
    l->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (l->at[i].from != GSP_NONE) {
            l->at[l->n] = l->at[i];
            (void)GSPI_TASKS_LEAF(memmove)(gspi_tradeoff_row(w, l, l->n),
                gspi_tradeoff_row(w, l, i), 3u * w->width * sizeof(uint32_t));
            gspi_tradeoff_link(w, l->n);
            l->n++;
        }
    }
}

/* Whether state a makes state b, of an equal set, needless. */
static int gspi_tradeoff_dominates(const gspi_tradeoff *w, uint32_t a, uint32_t b)
{
    const gspi_tradeoff_layer *l = &w->next;
    const gspi_tradeoff_state *at = l->at;
    return gspi_tradeoff_raised(w, at[a].peak) <= gspi_tradeoff_raised(w, at[b].peak) &&
           at[a].crossed <= at[b].crossed &&
           at[b].crossed - at[a].crossed >= gspi_tradeoff_bytes(w,
                                                gspi_tradeoff_row(w, l, a) + 2u * w->width,
                                                gspi_tradeoff_row(w, l, b) + 2u * w->width);
}

/* What is fresh once a task is done, which comes after those of `done`. */
static void gspi_tradeoff_freshen(
    const gspi_tradeoff *w, const uint32_t *done, uint32_t task, uint32_t *fresh)
{
    if (task >= w->t->n_calls) {
        gspi_tasks_clear(w->t, fresh);
        return;
    }
    (void)gspi_tradeoff_saved(w, done, task, fresh);
    if (gspi_tradeoff_made(w, task) != 0u) {
        gspi_tasks_put(fresh, task);
    }
}

/* Adds what a state becomes by a task. */
static void gspi_tradeoff_put(
    gspi_tradeoff *w, const uint32_t *done, uint32_t task, const gspi_tradeoff_state *s)
{
    gspi_tradeoff_layer *l = &w->next;
    if (l->n == 2u * w->beam) {
        gspi_tradeoff_keep_best(w);
    }
    w->r.work += w->width / 16u; /* as long as it takes */
    uint32_t *row = gspi_tradeoff_row(w, l, l->n);
    (void)GSPI_TASKS_LEAF(memcpy)(row, done, 3u * w->width * sizeof(uint32_t));
    gspi_tradeoff_freshen(w, done, task, row + 2u * w->width);
    gspi_tasks_put(row, task);
    l->at[l->n] = *s;
    for (uint32_t i = *gspi_tradeoff_slot(w, l->n); i != GSP_NONE; i = l->at[i].next) {
        w->r.work++;
        if (l->at[i].from != GSP_NONE && gspi_tradeoff_dominates(w, i, l->n)) {
            return;
        }
        if (gspi_tradeoff_dominates(w, l->n, i)) {
            l->at[i].from = GSP_NONE;
        }
    }
    gspi_peak_follow(w->t, row, row + w->width, task);
    gspi_tradeoff_link(w, l->n++);
}

/* Runs a task in a state. Returns 0 if it cannot, 1, or 2 if it has to be the only one tried. */
static int gspi_tradeoff_try(const gspi_tradeoff *w, const gspi_tradeoff_state *now,
    const uint32_t *done, uint32_t task, gspi_tradeoff_state *s)
{
    *s = *now;
    if (task >= w->t->n_calls) {
        s->crossed += gspi_tradeoff_bytes(w, done + 2u * w->width, NULL);
        return !gspi_tradeoff_tears(w, done);
    }
    gsp_tasks_step(w->t, done, task, &s->live, &s->peak);
    if (s->peak > gspi_tradeoff_raised(w, now->peak) || s->live > now->live ||
        !gspi_tradeoff_may_move(w, done, task)) {
        return 1;
    }
    return gspi_tradeoff_made(w, task) <= gspi_tradeoff_saved(w, done, task, NULL) ? 2 : 1;
}

/* Tries the moves of a state: a free one alone, or all that can lead to a better point. */
static void gspi_tradeoff_expand(gspi_tradeoff *w, uint32_t i, uint32_t step)
{
    const gspi_tradeoff_state *now = &w->now.at[i];
    const uint32_t *done = gspi_tradeoff_row(w, &w->now, i);
    const uint32_t *ready = done + w->width;
    uint32_t const changes = gspi_peak_changes(w->t, done);
    for (int all = 0; all < 2; all++) {
        for (uint32_t task = gspi_peak_next_in(ready, w->width, 0); task != GSP_NONE;
             task = gspi_peak_next_in(ready, w->width, task + 1u)) {
            gspi_tradeoff_state s;
            if (!gspi_peak_may_run(w->t, task, step, changes)) {
                continue;
            }
            w->r.work++;
            int const kind = gspi_tradeoff_try(w, now, done, task, &s);
            if ((kind == 2 || (all && kind == 1)) &&
                !gspi_tradeoff_is_hopeless(w, s.peak, s.crossed)) {
                s.hash ^= gspi_peak_hash(task);
                s.from = i * w->t->n_tasks + task;
                gspi_tradeoff_put(w, done, task, &s);
            }
            if (kind == 2) {
                return;
            }
        }
    }
}

/* From one step to the next; 0 if nothing leads on, or the work is used up. */
static int gspi_tradeoff_advance(gspi_tradeoff *w, uint32_t step)
{
    w->next.n = 0;
    gspi_tradeoff_clear_slots(w);
    for (uint32_t i = 0; i < w->now.n; i++) {
        if (w->r.work >= w->d.max_work) {
            w->lost = 1;
            return 0;
        }
        gspi_tradeoff_expand(w, i, step);
    }
    gspi_tradeoff_keep_best(w);
    w->now.n = w->next.n;
    for (uint32_t i = 0; i < w->next.n; i++) {
        w->now.at[i] = w->next.at[i];
        w->from[(size_t)step * w->beam + i] = w->next.at[i].from;
    }
    (void)GSPI_TASKS_LEAF(memcpy)(
        w->now.rows, w->next.rows, 3u * w->width * w->next.n * sizeof(uint32_t));
    return w->now.n != 0u;
}

/* ---- Searches ---- */

/* The state before the first task. */
static void gspi_tradeoff_start(gspi_tradeoff *w)
{
    const gsp_tasks *t = w->t;
    gspi_tradeoff_state const s = {t->live, t->least, w->d.fixed, 0u, GSP_NONE, 0u};
    (void)GSPI_TASKS_LEAF(memset)(w->now.rows, 0, 3u * w->width * sizeof(uint32_t));
    for (uint32_t i = 0; i < t->n_tasks; i++) {
        if (t->before.begin[i] == t->before.begin[i + 1u]) {
            gspi_tasks_put(w->now.rows + w->width, i);
        }
    }
    w->now.at[0] = s;
    w->now.n = 1;
    w->lost = 0;
}

/* The points of all states in which all tasks are done; returns whether they are new. */
static int gspi_tradeoff_collect(gspi_tradeoff *w)
{
    uint32_t const n = w->t->n_tasks;
    int added = 0;
    for (uint32_t i = 0; i < w->now.n; i++) {
        uint32_t at = i;
        for (uint32_t step = n; step > 0u; step--) {
            uint32_t const from = w->from[(size_t)(step - 1u) * w->beam + at];
            w->order[step - 1u] = from % n;
            at = from / n;
        }
        added |= gspi_tradeoff_add(w, w->now.at[i].peak, w->now.at[i].crossed, w->order);
    }
    return added;
}

/* One search; returns whether it added a point. With the peak alone, all peaks below the best are
 * equal. */
GSPI_TASKS_OWN_FRAME int gspi_tradeoff_search_once(gspi_tradeoff *w)
{
    uint32_t const best = gspi_tradeoff_best(w);
    w->least = UINT64_MAX;
    w->floor = w->d.least_peak;
    if (best != GSP_NONE) {
        const gsp_tradeoff_point *p = &w->points[best];
        int const alone = w->d.weight_peak != 0u && w->d.weight_crossed == 0u;
        w->least = gspi_tradeoff_sum(w, p->peak, p->crossed);
        w->floor = alone && p->peak != 0u ? p->peak - 1u : w->floor;
    }
    gspi_tradeoff_start(w);
    for (uint32_t step = 0; step < w->t->n_tasks; step++) {
        if (!gspi_tradeoff_advance(w, step)) {
            return 0;
        }
    }
    return gspi_tradeoff_collect(w);
}

/* With wider and wider beams, until one drops nothing. */
GSPI_TASKS_OWN_FRAME void gspi_tradeoff_search(gspi_tradeoff *w)
{
    int const once = w->d.weight_peak == 0u || w->d.weight_crossed != 0u; /* finds the best */
    uint32_t beam = GSPI_TRADEOFF_NARROW;
    w->lost = w->t->n_tasks != 0u;
    while (w->lost && w->r.work < w->d.max_work && gspi_tradeoff_fits(w->t, &w->d, beam)) {
        gsp_mark const mark = gsp_arena_mark(w->arena);
        gspi_tasks_bump b = {w->arena, 0u, 0u};
        gspi_tradeoff_layout_search(&b, w, w->t, beam);
        while (gspi_tradeoff_search_once(w) && !once) {
        }
        gsp_arena_rewind(w->arena, mark);
        beam *= 8u;
    }
}

/* ---- The pass ---- */

/* Who uses what a call makes, and the calls of a group. */
GSPI_TASKS_OWN_FRAME void gspi_tradeoff_rows(gspi_tradeoff *w)
{
    const gsp_edges *uses = &w->d.uses;
    uint32_t const n = w->t->n_tasks;
    uint32_t n_pairs = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = uses->begin[i]; k < uses->begin[i + 1u]; k++) {
            w->value[n_pairs++] = i;
        }
    }
    w->users = gspi_tasks_sort(n_pairs, &w->user_rows, n, uses->at, w->value);
    n_pairs = 0;
    for (uint32_t i = 0; w->d.group != NULL && i < n; i++) {
        if (w->d.group[i] != GSP_NONE) {
            w->key[n_pairs] = w->d.group[i];
            w->value[n_pairs++] = i;
            w->n_groups = w->d.group[i] >= w->n_groups ? w->d.group[i] + 1u : w->n_groups;
        }
    }
    w->groups = gspi_tasks_sort(n_pairs, &w->group_rows, n, w->key, w->value);
}

/* Uses and groups are tasks. */
static gsp_status gspi_tradeoff_range(
    const gsp_tasks *t, const gsp_tradeoff_desc *d, gsp_error *err)
{
    const char *field = GSPI_TASKS_FIELD("uses");
    int good = t->n_tasks == 0u || d->uses.begin[0] == 0u;
    for (uint32_t i = 0; i < t->n_tasks && good; i++) {
        good = d->uses.begin[i] <= d->uses.begin[i + 1u];
    }
    for (uint32_t i = 0; good && i < gspi_tradeoff_uses(t, d); i++) {
        good = d->uses.at[i] < t->n_calls;
    }
    for (uint32_t i = 0; good && d->group != NULL && i < t->n_tasks; i++) {
        good = d->group[i] < t->n_tasks || d->group[i] == GSP_NONE;
        field = GSPI_TASKS_FIELD("group");
    }
    return good ? GSP_OK : gspi_tasks_fail(err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_NONE, field);
}

/* Adds to a sum; 0 if that exceeds `most`. */
static int gspi_tradeoff_plus(uint64_t *sum, uint64_t bytes, uint64_t most)
{
    int const fits = bytes <= most && *sum <= most - bytes;
    *sum += fits ? bytes : 0u;
    return fits;
}

/* No sum of figures times weights overflows. */
static gsp_status gspi_tradeoff_sizes(
    const gsp_tasks *t, const gsp_tradeoff_desc *d, gsp_error *err)
{
    uint64_t weights = 0;
    uint64_t sum = 0;
    int fits = gspi_tradeoff_plus(&weights, d->weight_peak, GSPI_TRADEOFF_MOST) &&
               gspi_tradeoff_plus(&weights, d->weight_crossed, GSPI_TRADEOFF_MOST);
    uint64_t const most = GSPI_TRADEOFF_MOST / (weights == 0u ? 1u : weights);
    fits = fits && d->least_peak <= most && gspi_tradeoff_plus(&sum, t->least, most) &&
           gspi_tradeoff_plus(&sum, d->fixed, most);
    for (uint32_t i = 0; fits && i < t->n_tensors; i++) {
        fits = gspi_tradeoff_plus(&sum, t->bytes[i], most);
    }
    for (uint32_t i = 0; fits && i < t->n_tasks; i++) {
        fits = gspi_tradeoff_plus(&sum, t->extra[i], most) &&
               gspi_tradeoff_plus(&sum, d->bytes[i], most);
    }
    return fits ? GSP_OK : gspi_tasks_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, GSP_NONE, "");
}

GSPI_TASKS_OWN_FRAME gsp_status gspi_tradeoff_check(
    const gsp_tasks *t, const gsp_tradeoff_desc *d, gsp_error *err)
{
    const char *field = NULL;
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_tasks_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE, "");
    }
    if (t->n_tasks != 0u) {
        field = d->n_starts != 0u && d->starts == NULL ? GSPI_TASKS_FIELD("starts") : field;
        field = d->bytes == NULL ? GSPI_TASKS_FIELD("bytes") : field;
        field = d->uses.begin == NULL ? GSPI_TASKS_FIELD("uses") : field;
    }
    if (field != NULL) {
        return gspi_tasks_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    gsp_status const status = gspi_tradeoff_range(t, d, err);
    return status == GSP_OK ? gspi_tradeoff_sizes(t, d, err) : status;
}

GSPI_TASKS_OWN_FRAME gspi_tradeoff *gspi_tradeoff_open(
    gsp_arena *arena, const gsp_tasks *t, const gsp_tradeoff_desc *desc)
{
    gspi_tasks_bump b = {arena, 0u, 0u};
    gspi_tradeoff *w = (gspi_tradeoff *)gspi_tasks_push(&b, 1, sizeof(gspi_tradeoff), 1);
    (void)GSPI_TASKS_LEAF(memset)(w, 0, sizeof(gspi_tradeoff));
    w->t = t;
    w->arena = arena;
    gspi_tradeoff_take(&w->d, desc);
    w->width = gspi_tasks_width(t);
    gspi_tradeoff_layout(&b, w, t, &w->d);
    w->r.points = w->points;
    for (uint32_t i = 0; i < w->d.max_points; i++) {
        w->points[i].order = w->orders + (size_t)i * t->n_tasks;
    }
    gspi_tradeoff_rows(w);
    return w;
}

/* The points of the orders to begin with; 0 if one is no order. */
static int gspi_tradeoff_begin(gspi_tradeoff *w)
{
    for (uint32_t i = 0; i < w->d.n_starts; i++) {
        const uint32_t *order = w->d.starts + (size_t)i * w->t->n_tasks;
        if (!gspi_peak_is_order(w->t, order, w->set) || !gspi_tradeoff_measure(w, order)) {
            return 0;
        }
    }
    return 1;
}

gsp_status gsp_tradeoff_run(gsp_arena *arena, const gsp_tasks *tasks, const gsp_tradeoff_desc *desc,
    gsp_tradeoff_result *result, gsp_error *err)
{
    if (arena == NULL || tasks == NULL || desc == NULL || result == NULL) {
        const char *field = GSPI_TASKS_FIELD("result");
        field = desc == NULL ? GSPI_TASKS_FIELD("desc") : field;
        field = tasks == NULL ? GSPI_TASKS_FIELD("tasks") : field;
        field = arena == NULL ? GSPI_TASKS_FIELD("arena") : field;
        return gspi_tasks_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_status status = gspi_tradeoff_check(tasks, desc, err);
    status =
        status == GSP_OK ? gspi_tasks_room(arena, gsp_tradeoff_bound(tasks, desc), err) : status;
    if (status != GSP_OK) {
        return status;
    }
    gspi_tradeoff *w = gspi_tradeoff_open(arena, tasks, desc);
    if (!gspi_tradeoff_begin(w)) {
        gsp_arena_rewind(arena, mark);
        return gspi_tasks_fail(err, GSP_STATUS_ARG, GSP_DETAIL_ORDER, GSP_NONE, "");
    }
    gspi_tradeoff_search(w);
    w->r.best = gspi_tradeoff_best(w);
    w->r.complete = !w->lost && !w->full ? 1u : 0u;
    *result = w->r;
    mark.low = gsp_arena_mark(arena).low;
    gsp_arena_rewind(arena, mark);
    return GSP_OK;
}

#endif

#ifdef __cplusplus
}
#endif

GSPI_TASKS_END

#endif /* GRAPHSPLIT_ORDER_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_ORDER_IMPLEMENTATION */
