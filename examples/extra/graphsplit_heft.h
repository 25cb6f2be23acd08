/* graphsplit_heft.h - an add-on of graphsplit.h: partitions on devices that end early
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Places nodes on devices with memories of their own by the list heuristic HEFT and local search,
 * or finds any placement that fits, by a complete search. Needs graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_HEFT_IMPLEMENTATION
 *     #include "graphsplit_heft.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 * With GSP_NO_PARTITION or GSP_NO_SCORE there is nothing to compare, and this header is empty.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>heft               Nodes on devices, for a short makespan
 *     >>impl               Implementation guard
 *
 *     gsp_heft_run         desc.max_work, max_visits       230 per node, 8 per node and device, and
 *                                                          states
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_HEFT_H_INCLUDED
#define GRAPHSPLIT_HEFT_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_HEFT_IMPLEMENTATION)
#error "graphsplit_heft: GRAPHSPLIT_STATIC needs GRAPHSPLIT_HEFT_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef GSP_NO_PARTITION
#ifndef GSP_NO_SCORE

/* ----
 * >>heft   Nodes on devices, for a short makespan (API)
 * ---- */

/* Called before each evaluation; `left` decreases. Returns 0 to continue, else the best placement
 * so far is kept. */
typedef int (*gsp_heft_progress_func)(void *user, double seconds, uint64_t left);

/* Devices, and limits of the search. */
typedef struct gsp_heft_desc {
    uint32_t start_canary;
    uint32_t n_devices;        /* at least 1 */
    const gsp_device *devices; /* [n_devices] */
    const double *mem;         /* this and the next three as in gsp_partition_desc */
    const double *compute;
    double transfer_rate;
    uint32_t has_rate;
    uint32_t any; /* 1 if any placement that fits will do; times do not count */
    uint32_t n_starts;
    const gsp_assignment *starts; /* [n_starts] compete; those of gsp_assign_run(), or your own */
    uint64_t seed;                /* of the order in which nodes try to move; 0 is graph order */
    uint64_t max_work;            /* nodes and edges of all evaluations; 0 means 2^25 */
    uint64_t max_visits; /* nodes, inputs and devices visited to find what fits; 0 means 2^27 */
    uint32_t max_states; /* kept during that search, 4 bytes per node and more; 0 means 4096 */
    gsp_heft_progress_func progress; /* or NULL */
    void *progress_user;
    uint32_t end_canary;
} gsp_heft_desc;

/* Whether there is a placement. */
typedef enum gsp_heft_found {
    GSP_HEFT_FOUND,
    GSP_HEFT_UNKNOWN, /* the search ended without one */
    GSP_HEFT_NONE,    /* no placement fits: proved */
    GSP_HEFT_COUNT,
    GSP_HEFT_FORCE_U32 = 0x7FFFFFFF
} gsp_heft_found;

/* All arrays are read-only. Parts are in the order in which they run. */
typedef struct gsp_heft_result {
    uint32_t found; /* gsp_heft_found */
    uint32_t n_parts;
    uint32_t stopped;          /* 1 if progress ended the search early */
    const uint32_t *part_of;   /* [n] GSP_NONE if not callable */
    const uint32_t *device_of; /* [n_parts] index in devices */
    const double *finish;      /* [n_parts] seconds; NULL if `any` */
    const uint32_t *waits;     /* [n_parts] the part that ends last before it begins: it makes an
                                * input, or has the same device; GSP_NONE without; NULL if `any` */
    double seconds;            /* makespan; 0 if `any` */
    double lower_bound;        /* the critical path without transfers; 0 if `any` */
    double reference; /* makespan of the first start, or of one device if that is shorter; without,
                       * of the other starts, else of the result */
} gsp_heft_result;

/* gsp_heft_bytes: bytes of all nodes as devices count them: outputs, parameters, and what the
 * graphs need that a node runs. At most UINT64_MAX. Time: O(nodes). */
GSP_API uint64_t gsp_heft_bytes(const gsp_graph *graph);

/* gsp_heft_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_heft_bound(const gsp_graph *graph, const gsp_heft_desc *desc);

/* gsp_heft_run: devices for nodes so that all of them end early; a device runs one part at a time.
 *
 * What:    The makespan is `serial` of gsp_score_run(). HEFT ranks nodes by their longest path to
 *          an end, and puts each where it begins first and has room. Moves of nodes, then of cuts
 *          between the nodes of a device, then of nodes between parts improve that; random moves
 *          continue from the best until the work ends. The starts and one device compete, so the
 *          result is never worse; a start with a part that has no device does not, nor one for
 *          which devices have no room. Where HEFT has no room, or with `any`,
 *          nodes go where they add fewest bytes, then move, then a depth-first search with its
 *          failed states finds a placement, or proves that there is none.
 * Errors:  ARG (NULL_ARGUMENT), DESC (CANARY), ARG (DEVICES: none; RATE); after NOMEM: OVERFLOW
 *          (SIZE: node; all values, each once per user, and parameters exceed 63 bits), ARG
 *          (LATENCY: node), OVERFLOW (LATENCY: the times of all nodes, or of nodes and transfers,
 *          have no finite sum), EMPTY (CALLABLE), ARG (RATE_ZERO)
 *          Without a placement, found is not GSP_HEFT_FOUND, and n_parts is 0; that is no error
 * Time:    max_work, max_visits. Memory: the bound
 * Example: examples/heft.c
 * See:     Topcuoglu, Hariri, Wu 2002
 */
GSP_API gsp_status gsp_heft_run(gsp_arena *arena, const gsp_graph *graph, const gsp_heft_desc *desc,
    gsp_heft_result *result, gsp_error *err);

#endif /* GSP_NO_SCORE */
#endif /* GSP_NO_PARTITION */

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_HEFT_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_HEFT_IMPLEMENTATION
#ifndef GRAPHSPLIT_HEFT_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_HEFT_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_HEFT_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_HEFT_END       _Pragma("GCC diagnostic pop")
#define GSPI_HEFT_OWN_FRAME __attribute__((noinline)) static /* not on the stack of its caller */
#else
#define GSPI_HEFT_BEGIN
#define GSPI_HEFT_END
#define GSPI_HEFT_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_HEFT_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

#ifndef GSP_NO_PARTITION
#ifndef GSP_NO_SCORE

/* ----
 * >>heft   Nodes on devices, for a short makespan (implementation)
 * ---- */

/* Three views of an assignment. A placement says which device a node is on, and keeps the bytes of
 * devices while nodes move. A timeline runs nodes one after the other on each device, which is fast
 * to evaluate. Parts are what runs: their makespan is that of gsp_score_run(). */

#define GSPI_HEFT_SWEEPS  4u
#define GSPI_HEFT_KICK    12u                   /* nodes */
#define GSPI_HEFT_WORK    ((uint64_t)1u << 25u) /* nodes and edges of all evaluations */
#define GSPI_HEFT_VISITS  ((uint64_t)1u << 27u)
#define GSPI_HEFT_STATES  4096u
#define GSPI_HEFT_WORDS   ((uint64_t)1u << 24u)  /* of all states */
#define GSPI_HEFT_FOREVER 1.7976931348623157e308 /* seconds of what is no result */

/* A condition that no input makes; `make cov` does not count it. */
#define GSPI_HEFT_NEVER(x) (x)

/* What is sorted. */
typedef struct gspi_heft_key {
    double time;
    uint32_t first; /* these before the time */
    uint32_t second;
    uint32_t last; /* and this after it */
    gsp_node node;
} gspi_heft_key;

/* Rows of the devices by time; the head of device d is row n + d. */
typedef struct gspi_heft_rows {
    uint32_t *before; /* [n + n_devices] on the same device */
    uint32_t *after;  /* [n + n_devices] */
} gspi_heft_rows;

/* Parts, not all of which need to have nodes. */
typedef struct gspi_heft_parts {
    uint32_t n;
    uint32_t *part_of;   /* [n] GSP_NONE if not callable */
    uint32_t *device_of; /* [n] of parts */
    double serial;
} gspi_heft_parts;

/* An evaluation of parts. */
typedef struct gspi_heft_eval { /* not on the stack */
    uint32_t *end;              /* [n + 1] of the rows of parts in `nodes` */
    gsp_node *nodes;            /* [n] by part, each in graph order */
    uint32_t *missing;          /* [n] edges from parts not done */
    uint32_t *order;            /* [n] of parts: topological, first in first out */
    uint32_t *seen;             /* [n] the last part that received a node */
    uint32_t *reader;           /* [n] the last part to which a part sent */
    uint64_t *volume;           /* [n] bytes from it to `reader` */
    double *top;                /* [n] seconds of the critical path to a node in its part */
} gspi_heft_eval;

/* The search for a placement that fits. */
typedef struct gspi_heft_fit { /* not on the stack */
    uint32_t *tried;           /* [n_calls] devices, from the one with the least added on */
    uint32_t *choices;         /* [n_calls][n_devices] */
    uint64_t *added;           /* [n_devices] */
    uint64_t *least;           /* [n_devices] */
    uint64_t *bytes;           /* [n] of the output */
    uint32_t *reader;          /* [n] 1 + index of the last call that reads a node, or 0 */
    uint64_t visits;
    uint32_t stride; /* words of a state */
    uint32_t n_failed;
    uint32_t most_failed;
    uint32_t most_states;
    uint64_t n_words; /* of `states`, */
    uint64_t n_bytes; /* and entries of `in_use` */
    uint32_t *table;  /* [most_states] 1 + the last failed state of a hash */
    uint32_t *next;   /* [most_states] 1 + the one before */
    uint32_t *states; /* [most_failed + 1][stride] */
    uint64_t *in_use; /* [most_failed][n_devices] */
} gspi_heft_fit;

typedef struct gspi_heft { /* not on the stack */
    gsp_arena *arena;
    const gsp_graph *g;
    const gsp_heft_desc *d;
    uint32_t n;
    uint32_t n_devices;
    uint32_t n_calls;
    /* The placement. */
    gsp_node *calls;     /* [n_calls] callable nodes in graph order */
    uint32_t *device_of; /* [n] of a callable node; GSP_NONE if not placed */
    uint64_t *used;      /* [n_devices] gsp_part_bytes() of its nodes */
    uint32_t *row;       /* [n] of a placeholder or get_attr in `held` */
    uint32_t *held;      /* [rows][n_devices] nodes of a device that read it */
    /* The timeline. */
    double *seconds; /* [n] of a node */
    double *begin;   /* [n + n_devices] */
    double *end;     /* [n + n_devices] */
    gsp_node *list;  /* [n_calls] by non-increasing rank */
    gspi_heft_rows rows;
    gspi_heft_rows gaps; /* those with a gap behind them */
    uint64_t passed;     /* rows that the last run passed */
    gspi_heft_key *keys; /* [n] */
    /* Parts. */
    uint64_t random;
    uint64_t left;    /* of max_work */
    uint64_t n_steps; /* of an evaluation */
    gsp_node *order;  /* [n_calls] in which nodes try to move */
    gsp_node *seq;    /* [n_calls] by device and time */
    uint8_t *cut;     /* [n_calls] 1 if a part begins */
    uint32_t *run;    /* [n] index in seq */
    uint32_t *number; /* [n + 1] nodes of a part, or its number */
    uint32_t *on;     /* [n_devices] the last part */
    gspi_heft_parts best;
    gspi_heft_parts trial;
    double *finish;  /* [n] of the parts that were evaluated last */
    uint32_t *waits; /* [n] */
    gspi_heft_fit *fit;
    gspi_heft_eval *eval;
    gsp_heft_result result;
} gspi_heft;

/* Names the argument or field at fault, and the count that makes it required. */
#ifdef GSP_NO_MESSAGES
#define GSPI_HEFT_FIELD(text)       ""
#define GSPI_HEFT_ROWS(text, count) ""
#else
#define GSPI_HEFT_FIELD(text)       text "\0"
#define GSPI_HEFT_ROWS(text, count) text "\0" count
#endif

static gsp_status gspi_heft_fail(
    gsp_error *err, gsp_status status, gsp_detail detail, const char *field)
{
    if (err != NULL) {
        gsp_error const e = {status, detail, GSP_WHAT_NONE, GSP_NONE, GSP_NONE, 0, 0, 0, 0u, field};
        *err = e;
    }
    return status;
}

static gsp_status gspi_heft_fail_node(
    gsp_error *err, gsp_status status, gsp_detail detail, gsp_node v)
{
    (void)gspi_heft_fail(err, status, detail, "");
    if (err != NULL) {
        err->what = GSP_WHAT_NODE;
        err->node = v;
    }
    return status;
}

static gsp_status gspi_heft_missing(gsp_error *err, const char *field)
{
    return gspi_heft_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, field);
}

/* OK if so many bytes are left. */
static gsp_status gspi_heft_room(const gsp_arena *arena, size_t bound, gsp_error *err)
{
    if (bound == SIZE_MAX) {
        return gspi_heft_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, "");
    }
    if (gsp_arena_left(arena) >= bound) {
        return gspi_heft_fail(err, GSP_OK, GSP_DETAIL_NONE, "");
    }
    (void)gspi_heft_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, "");
    if (err != NULL) {
        err->need = bound;
        err->limit = gsp_arena_left(arena);
    }
    return GSP_STATUS_NOMEM;
}

static uint64_t gspi_heft_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t gspi_heft_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static double gspi_heft_later(double a, double b)
{
    return a > b ? a : b;
}

/* ---- Layout ---- */

/* A layout pushes all arrays in order; without an arena it measures them. */
typedef struct gspi_heft_bump {
    gsp_arena *arena;
    uint64_t used;
} gspi_heft_bump;

GSPI_HEFT_OWN_FRAME void *gspi_heft_push(gspi_heft_bump *b, uint64_t count, uint32_t size, int high)
{
    uint64_t const most = (UINT64_MAX >> 8u) / size;
    uint64_t const bytes =
        (count * size + (GSP_GAP + GSP_ALIGN - 1u)) & ~((uint64_t)GSP_ALIGN - 1u);
    b->used = gspi_heft_sum(b->used, count > most ? UINT64_MAX : bytes);
    return b->arena == NULL ? NULL
           : high           ? gsp_arena_push_high(b->arena, (size_t)count, size)
                            : gsp_arena_push(b->arena, (size_t)count, size);
}

static uint32_t *gspi_heft_words(gspi_heft_bump *b, uint64_t count)
{
    return (uint32_t *)gspi_heft_push(b, count, sizeof(uint32_t), 1);
}

static uint64_t *gspi_heft_longs(gspi_heft_bump *b, uint64_t count)
{
    return (uint64_t *)gspi_heft_push(b, count, sizeof(uint64_t), 1);
}

static double *gspi_heft_times(gspi_heft_bump *b, uint64_t count)
{
    return (double *)gspi_heft_push(b, count, sizeof(double), 1);
}

static void gspi_heft_layout_fit(
    gspi_heft_bump *b, gspi_heft_fit *f, uint64_t n, uint64_t n_devices)
{
    uint64_t const longest = n * n_devices; /* words of a state */
    f->n_words = gspi_heft_least(GSPI_HEFT_WORDS, f->most_states * longest) + longest;
    f->n_bytes = gspi_heft_least(GSPI_HEFT_WORDS / 2u, f->most_states * n_devices) + n_devices;
    f->tried = gspi_heft_words(b, n);
    f->choices = gspi_heft_words(b, n * n_devices);
    f->added = gspi_heft_longs(b, n_devices);
    f->least = gspi_heft_longs(b, n_devices);
    f->bytes = gspi_heft_longs(b, n);
    f->reader = gspi_heft_words(b, n);
    f->table = gspi_heft_words(b, f->most_states);
    f->next = gspi_heft_words(b, f->most_states);
    f->states = gspi_heft_words(b, f->n_words);
    f->in_use = gspi_heft_longs(b, f->n_bytes);
}

/* The results first; they stay. */
static void gspi_heft_layout(gspi_heft_bump *b, gspi_heft *h)
{
    uint64_t const n = (uint64_t)h->n + 1u;
    uint64_t const rows = n + h->n_devices;
    h->best.part_of = (uint32_t *)gspi_heft_push(b, n, sizeof(uint32_t), 0);
    h->best.device_of = (uint32_t *)gspi_heft_push(b, n, sizeof(uint32_t), 0);
    h->finish = (double *)gspi_heft_push(b, n, sizeof(double), 0);
    h->waits = (uint32_t *)gspi_heft_push(b, n, sizeof(uint32_t), 0);
    h->trial.part_of = gspi_heft_words(b, n);
    h->trial.device_of = gspi_heft_words(b, n);
    h->seconds = gspi_heft_times(b, rows);
    h->begin = gspi_heft_times(b, rows);
    h->end = gspi_heft_times(b, rows);
    h->list = gspi_heft_words(b, n);
    h->rows.before = gspi_heft_words(b, rows);
    h->rows.after = gspi_heft_words(b, rows);
    h->gaps.before = gspi_heft_words(b, rows);
    h->gaps.after = gspi_heft_words(b, rows);
    h->keys = (gspi_heft_key *)gspi_heft_push(b, n, sizeof(gspi_heft_key), 1);
    h->order = gspi_heft_words(b, n);
    h->seq = gspi_heft_words(b, n);
    h->cut = (uint8_t *)gspi_heft_push(b, n, 1u, 1);
    h->run = gspi_heft_words(b, n);
    h->number = gspi_heft_words(b, n);
    h->on = gspi_heft_words(b, h->n_devices);
    h->calls = gspi_heft_words(b, n);
    h->device_of = gspi_heft_words(b, n);
    h->used = gspi_heft_longs(b, h->n_devices);
    h->row = gspi_heft_words(b, n);
    h->held = gspi_heft_words(b, n * h->n_devices);
    h->fit = (gspi_heft_fit *)gspi_heft_push(b, 1, sizeof(gspi_heft_fit), 1);
    h->eval = (gspi_heft_eval *)gspi_heft_push(b, 1, sizeof(gspi_heft_eval), 1);
}

static void gspi_heft_layout_eval(gspi_heft_bump *b, gspi_heft_eval *e, uint64_t n)
{
    e->end = gspi_heft_words(b, n + 1u);
    e->nodes = gspi_heft_words(b, n);
    e->missing = gspi_heft_words(b, n);
    e->order = gspi_heft_words(b, n);
    e->seen = gspi_heft_words(b, n);
    e->reader = gspi_heft_words(b, n);
    e->volume = gspi_heft_longs(b, n);
    e->top = gspi_heft_times(b, n);
}

static uint32_t gspi_heft_states(const gsp_heft_desc *d)
{
    uint32_t const given = d == NULL ? 0u : d->max_states;
    return given == 0u ? GSPI_HEFT_STATES : given;
}

GSPI_HEFT_OWN_FRAME void gspi_heft_measure_fit(
    gspi_heft_bump *b, const gsp_heft_desc *d, uint64_t n, uint64_t n_devices)
{
    gspi_heft_fit f;
    f.most_states = gspi_heft_states(d);
    gspi_heft_layout_fit(b, &f, n, n_devices);
}

GSPI_HEFT_OWN_FRAME void gspi_heft_measure_eval(gspi_heft_bump *b, uint64_t n)
{
    gspi_heft_eval e;
    gspi_heft_layout_eval(b, &e, n);
}

size_t gsp_heft_bound(const gsp_graph *graph, const gsp_heft_desc *desc)
{
    gspi_heft h;
    gspi_heft_bump b = {NULL, 2u * GSP_BOUND_SLACK};
    h.n = gsp_graph_counts(graph).nodes;
    h.n_devices = desc == NULL ? 0u : desc->n_devices;
    (void)gspi_heft_push(&b, 1, sizeof h, 1);
    gspi_heft_layout(&b, &h);
    gspi_heft_measure_fit(&b, desc, (uint64_t)h.n + 1u, h.n_devices);
    gspi_heft_measure_eval(&b, (uint64_t)h.n + 1u);
    return b.used < SIZE_MAX ? (size_t)b.used : SIZE_MAX;
}

static void gspi_heft_fill(uint32_t *words, uint32_t n, uint32_t value)
{
    for (uint32_t i = 0; i < n; i++) {
        words[i] = value;
    }
}

static void gspi_heft_copy(uint32_t *to, const uint32_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = from[i];
    }
}

/* ---- Sorting ---- */

static int gspi_heft_is_before(const gspi_heft_key *x, const gspi_heft_key *y)
{
    if (x->first != y->first) {
        return x->first < y->first;
    }
    if (x->second != y->second) {
        return x->second < y->second;
    }
    if (x->time < y->time) {
        return 1;
    }
    return x->time > y->time ? 0 : x->last < y->last;
}

/* Lets keys[i] sink in a heap with the last key on top. */
static void gspi_heft_sink(gspi_heft_key *keys, uint32_t n, uint32_t i)
{
    gspi_heft_key const key = keys[i];
    for (uint32_t k = 2u * i + 1u; k < n; k = 2u * i + 1u) {
        if (k + 1u < n) {
            k += gspi_heft_is_before(&keys[k], &keys[k + 1u]) ? 1u : 0u;
        }
        if (!gspi_heft_is_before(&key, &keys[k])) {
            break;
        }
        keys[i] = keys[k];
        i = k;
    }
    keys[i] = key;
}

/* Heapsort: no two keys are equal. */
static void gspi_heft_sort(gspi_heft_key *keys, uint32_t n)
{
    for (uint32_t i = n / 2u; i > 0; i--) {
        gspi_heft_sink(keys, n, i - 1u);
    }
    for (uint32_t i = n; i > 1u; i--) {
        gspi_heft_key const last = keys[i - 1u];
        keys[i - 1u] = keys[0];
        keys[0] = last;
        gspi_heft_sink(keys, i - 1u, 0);
    }
}

/* ---- The placement ---- */

/* A device holds, per node, its output, its parameters and the values that it reads from other
 * devices, and each placeholder and get_attr once. */
static uint64_t gspi_heft_node_bytes(const gsp_graph *g, gsp_node v)
{
    const uint64_t *run = g->module->run_bytes;
    uint64_t bytes = gsp_node_bytes(g, v);
    if (gsp_node_is_callable(g, v)) {
        bytes = gspi_heft_sum(bytes, gsp_node_params(g, v));
        bytes = gspi_heft_sum(bytes, run == NULL ? 0u : run[g->first + v]);
    }
    return bytes;
}

uint64_t gsp_heft_bytes(const gsp_graph *graph)
{
    uint64_t sum = 0;
    for (gsp_node v = 0; v + 1u < graph->n_nodes; v++) {
        sum = gspi_heft_sum(sum, gspi_heft_node_bytes(graph, v));
    }
    return sum;
}

/* Adds `sign` times the bytes of v on a device that does not have it. */
static void gspi_heft_count(gspi_heft *h, gsp_node v, uint32_t device, uint32_t sign)
{
    uint64_t const factor = sign == 1u ? 1u : UINT64_MAX; /* -1, modulo 2^64 */
    uint64_t bytes = gspi_heft_node_bytes(h->g, v);
    uint32_t n;
    const gsp_node *at = gsp_node_inputs(h->g, v, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (gsp_node_is_callable(h->g, at[i])) {
            bytes += h->device_of[at[i]] != device ? gsp_node_bytes(h->g, at[i]) : 0u;
        } else {
            uint32_t *held = &h->held[(size_t)h->row[at[i]] * h->n_devices + device];
            uint32_t const readers = *held + (sign == 1u ? 0u : UINT32_MAX); /* besides v */
            *held += sign;
            bytes += readers == 0 ? gsp_node_bytes(h->g, at[i]) : 0u;
        }
    }
    at = gsp_node_users(h->g, v, &n);
    for (uint32_t i = 0; i < n; i++) {
        bytes -= h->device_of[at[i]] == device ? gsp_node_bytes(h->g, v) : 0u;
    }
    h->used[device] += factor * bytes;
}

static void gspi_heft_put(gspi_heft *h, gsp_node v, uint32_t device)
{
    gspi_heft_count(h, v, device, 1u);
    h->device_of[v] = device;
}

static void gspi_heft_take(gspi_heft *h, gsp_node v)
{
    uint32_t const device = h->device_of[v];
    h->device_of[v] = GSP_NONE;
    gspi_heft_count(h, v, device, UINT32_MAX);
}

static void gspi_heft_clear(gspi_heft *h)
{
    for (uint32_t i = 0; i < h->n_calls; i++) {
        if (h->device_of[h->calls[i]] != GSP_NONE) {
            gspi_heft_take(h, h->calls[i]);
        }
    }
}

static int gspi_heft_fits(const gspi_heft *h, uint32_t device)
{
    return h->used[device] <= h->d->devices[device].bytes;
}

static void gspi_heft_shift(gspi_heft *h, gsp_node v, uint32_t to)
{
    gspi_heft_take(h, v);
    gspi_heft_put(h, v, to);
}

/* Moves v if both devices fit afterwards. */
static int gspi_heft_move(gspi_heft *h, gsp_node v, uint32_t to)
{
    uint32_t const from = h->device_of[v];
    gspi_heft_shift(h, v, to);
    if (gspi_heft_fits(h, from) && gspi_heft_fits(h, to)) {
        return 1;
    }
    gspi_heft_shift(h, v, from);
    return 0;
}

/* The nodes that must run before a node: by values, or by writes where the graph has an order. */
static const gsp_node *gspi_heft_before(const gsp_graph *g, gsp_node v, uint32_t *count)
{
    const gsp_order *o = g->order;
    if (o == NULL) {
        return gsp_node_inputs(g, v, count);
    }
    *count = o->before.begin[v + 1u] - o->before.begin[v];
    return o->before.at + o->before.begin[v];
}

/* The same of those that must run after it. */
static const gsp_node *gspi_heft_after(const gsp_graph *g, gsp_node v, uint32_t *count)
{
    const gsp_order *o = g->order;
    if (o == NULL) {
        return gsp_node_users(g, v, count);
    }
    *count = o->after.begin[v + 1u] - o->after.begin[v];
    return o->after.at + o->after.begin[v];
}

/* Acyclic parts: the nodes of a part have one device, and equally many changes of the device before
 * them. */
static void gspi_heft_make_phases(gspi_heft *h, gspi_heft_parts *q)
{
    uint32_t *phase = h->run;
    gspi_heft_fill(phase, h->n, 0);
    q->n = 0;
    for (uint32_t i = 0; i < h->n_calls; i++) {
        gsp_node const v = h->calls[i];
        uint32_t n_in;
        const gsp_node *in = gspi_heft_before(h->g, v, &n_in);
        for (uint32_t k = 0; k < n_in; k++) {
            uint32_t const at = h->device_of[in[k]];
            uint32_t const step = at == h->device_of[v] || at == GSP_NONE ? 0u : 1u;
            phase[v] = phase[in[k]] + step > phase[v] ? phase[in[k]] + step : phase[v];
        }
        gspi_heft_key const key = {0.0, phase[v], h->device_of[v], v, v};
        h->keys[i] = key;
    }
    gspi_heft_sort(h->keys, h->n_calls);
    for (uint32_t i = 0; i < h->n_calls; i++) {
        const gspi_heft_key *at = &h->keys[i];
        if (i == 0 || at->first != at[-1].first || at->second != at[-1].second) {
            q->device_of[q->n++] = at->second;
        }
        q->part_of[at->node] = q->n - 1u;
    }
}

/* ---- A placement that fits ---- */

/* Every node where it adds least, then moves, then a bounded search. */
static uint64_t gspi_heft_excess_of(const gspi_heft *h, uint32_t device)
{
    return gspi_heft_fits(h, device) ? 0u : h->used[device] - h->d->devices[device].bytes;
}

/* Bytes above capacities. */
static uint64_t gspi_heft_excess(const gspi_heft *h)
{
    uint64_t sum = 0;
    for (uint32_t d = 0; d < h->n_devices; d++) {
        sum += gspi_heft_excess_of(h, d);
    }
    return sum;
}

/* Each node where the least is above, and the least added. */
static void gspi_heft_fill_devices(gspi_heft *h)
{
    for (uint32_t i = 0; i < h->n_calls; i++) {
        uint32_t best = 0;
        uint64_t least_above = UINT64_MAX;
        uint64_t least = UINT64_MAX;
        for (uint32_t d = 0; d < h->n_devices; d++) {
            uint64_t const before = h->used[d];
            gspi_heft_put(h, h->calls[i], d);
            uint64_t const above = gspi_heft_excess_of(h, d);
            uint64_t const added = h->used[d] - before;
            gspi_heft_take(h, h->calls[i]);
            if (above < least_above || (above == least_above && added < least)) {
                best = d;
                least_above = above;
                least = added;
            }
        }
        gspi_heft_put(h, h->calls[i], best);
    }
}

/* Moves a node where it lowers the excess most. */
static int gspi_heft_lower(gspi_heft *h, gsp_node v, uint64_t *now)
{
    uint32_t const from = h->device_of[v];
    uint32_t best = from;
    for (uint32_t d = 0; d < h->n_devices; d++) {
        uint64_t then = *now;
        if (d != from) {
            gspi_heft_shift(h, v, d);
            then = gspi_heft_excess(h);
        }
        if (then < *now) {
            *now = then;
            best = d;
        }
    }
    gspi_heft_shift(h, v, best);
    return best != from;
}

/* Until no move lowers it, or as many visits are made as the search may make. */
static int gspi_heft_lower_all(gspi_heft *h, uint64_t most)
{
    uint64_t now = gspi_heft_excess(h);
    int moved = now != 0;
    while (moved && h->fit->visits < most) {
        moved = 0;
        for (uint32_t i = 0; i < h->n_calls && now != 0; i++) {
            moved |= gspi_heft_lower(h, h->calls[i], &now);
        }
        h->fit->visits += (uint64_t)h->n_calls * h->n_devices * h->n_devices;
    }
    return now == 0;
}

/* The search is depth first, in graph order: the bytes that a node adds to its device are known
 * when it is placed. Later nodes depend on the bytes in use and on the devices of live values, so a
 * state fails if one with the same devices, and no more bytes on any, has failed. */

/* least[d]: bytes that v takes at least on device d, given the nodes that are placed. */
static void gspi_heft_find_least(gspi_heft *h, gsp_node v)
{
    uint64_t all = gspi_heft_node_bytes(h->g, v);
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(h->g, v, &n);
    for (uint32_t d = 0; d < h->n_devices; d++) {
        h->fit->least[d] = 0;
    }
    h->fit->visits += (uint64_t)h->n_devices + n;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t const at = h->device_of[in[k]];
        if (at != GSP_NONE) {
            all += h->fit->bytes[in[k]];
            h->fit->least[at] += h->fit->bytes[in[k]];
        }
    }
    for (uint32_t d = 0; d < h->n_devices; d++) {
        h->fit->least[d] = all - h->fit->least[d];
    }
}

/* Whether each node from i on has a device for itself, and all of them room together. */
static int gspi_heft_may_fit(gspi_heft *h, uint32_t i)
{
    uint64_t left = 0;
    for (uint32_t d = 0; d < h->n_devices; d++) {
        left = gspi_heft_sum(left, h->d->devices[d].bytes - h->used[d]);
    }
    for (; i < h->n_calls; i++) {
        uint64_t least = UINT64_MAX;
        gspi_heft_find_least(h, h->calls[i]);
        for (uint32_t d = 0; d < h->n_devices; d++) {
            uint64_t const need = h->fit->least[d];
            uint64_t const fits = need <= h->d->devices[d].bytes - h->used[d] ? need : UINT64_MAX;
            least = gspi_heft_least(least, fits);
        }
        if (least > left) {
            return 0;
        }
        left -= least;
    }
    return 1;
}

/* 1 if an earlier empty device has as many bytes. */
static int gspi_heft_is_twin(const gspi_heft *h, uint32_t device)
{
    int twin = 0;
    for (uint32_t k = 0; k < device && h->used[device] == 0; k++) {
        uint64_t const used = h->used[k];
        twin |= used == 0 && h->d->devices[k].bytes == h->d->devices[device].bytes;
    }
    return twin;
}

/* Devices for node i by what it adds; of equal empty ones only the first. */
static uint32_t gspi_heft_choose(gspi_heft *h, uint32_t i)
{
    uint32_t *order = h->fit->choices + (size_t)i * h->n_devices;
    uint32_t n = 0;
    for (uint32_t d = 0; d < h->n_devices; d++) {
        uint64_t const before = h->used[d];
        int const twin = gspi_heft_is_twin(h, d);
        gspi_heft_put(h, h->calls[i], d);
        h->fit->added[d] = h->used[d] - before;
        if (!twin && gspi_heft_fits(h, d)) {
            uint32_t k = n++;
            for (; k > 0 && h->fit->added[order[k - 1u]] > h->fit->added[d]; k--) {
                order[k] = order[k - 1u];
            }
            order[k] = d;
        }
        gspi_heft_take(h, h->calls[i]);
    }
    gspi_heft_fill(order + n, h->n_devices - n, GSP_NONE);
    return n;
}

/* Appends the state before call i to the failed ones; returns its hash. */
static uint32_t gspi_heft_put_state(gspi_heft *h, uint32_t i)
{
    uint32_t *state = h->fit->states + (size_t)h->fit->n_failed * h->fit->stride;
    uint32_t hash = 2166136261u;
    uint32_t n = 0;
    gspi_heft_fill(state, h->fit->stride, 0);
    state[n++] = i;
    for (gsp_node v = 0; v < h->n; v++) {
        if (h->fit->reader[v] <= i) {
            continue;
        }
        if (gsp_node_is_callable(h->g, v)) {
            state[n++] = h->device_of[v]; /* GSP_NONE for a later node */
        } else {
            for (uint32_t d = 0; d < h->n_devices; d++) {
                state[n++] = h->held[(size_t)h->row[v] * h->n_devices + d] != 0;
            }
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        hash = (hash ^ state[k]) * 16777619u;
    }
    return (hash ^ hash >> 15u) % h->fit->most_states;
}

/* 1 if the state after the last failed one is that of `other`, and devices have no less in use. */
static int gspi_heft_is_state(const gspi_heft *h, uint32_t other)
{
    const uint32_t *state = h->fit->states + (size_t)h->fit->n_failed * h->fit->stride;
    const uint32_t *failed = h->fit->states + (size_t)other * h->fit->stride;
    const uint64_t *in_use = h->fit->in_use + (size_t)other * h->n_devices;
    uint32_t n = 0;
    for (uint32_t d = 0; d < h->n_devices; d++) {
        n += in_use[d] <= h->used[d] ? 1u : 0u;
    }
    if (n < h->n_devices) {
        return 0;
    }
    for (n = 0; n < h->fit->stride; n++) {
        if (state[n] != failed[n]) {
            return 0;
        }
    }
    return 1;
}

static int gspi_heft_has_failed(gspi_heft *h, uint32_t i)
{
    uint32_t k = h->fit->table[gspi_heft_put_state(h, i)];
    while (k != 0) {
        h->fit->visits++;
        if (gspi_heft_is_state(h, k - 1u)) {
            return 1;
        }
        k = h->fit->next[k - 1u];
    }
    return 0;
}

static void gspi_heft_add_failed(gspi_heft *h, uint32_t i)
{
    if (h->fit->n_failed == h->fit->most_failed) {
        return;
    }
    uint32_t const hash = gspi_heft_put_state(h, i);
    uint64_t *in_use = h->fit->in_use + (size_t)h->fit->n_failed * h->n_devices;
    for (uint32_t d = 0; d < h->n_devices; d++) {
        in_use[d] = h->used[d];
    }
    h->fit->next[h->fit->n_failed] = h->fit->table[hash];
    h->fit->table[hash] = ++h->fit->n_failed;
}

static uint32_t gspi_heft_search_all(gspi_heft *h, uint64_t most)
{
    uint32_t i = 0;
    (void)gspi_heft_choose(h, 0);
    while (h->fit->visits < most) {
        uint32_t const t = h->fit->tried[i]++;
        uint32_t const d =
            t < h->n_devices ? h->fit->choices[(size_t)i * h->n_devices + t] : GSP_NONE;
        if (d == GSP_NONE) { /* back */
            h->fit->tried[i] = 0;
            gspi_heft_add_failed(h, i);
            if (i == 0) {
                return GSP_HEFT_NONE;
            }
            gspi_heft_take(h, h->calls[--i]);
            continue;
        }
        gspi_heft_put(h, h->calls[i], d);
        if (i + 1u == h->n_calls) {
            return GSP_HEFT_FOUND;
        }
        if (gspi_heft_may_fit(h, i + 1u) && !gspi_heft_has_failed(h, i + 1u) &&
            gspi_heft_choose(h, i + 1u) != 0) {
            i++;
        } else {
            gspi_heft_take(h, h->calls[i]);
        }
    }
    return GSP_HEFT_UNKNOWN;
}

static void gspi_heft_start_search(gspi_heft *h)
{
    h->fit->stride = 1;
    h->fit->visits = 0;
    h->fit->n_failed = 0;
    for (gsp_node v = 0; v < h->n; v++) {
        h->fit->stride += gsp_node_is_callable(h->g, v) ? 1u : h->n_devices;
        h->fit->bytes[v] = gsp_node_bytes(h->g, v);
        h->fit->reader[v] = 0;
    }
    for (uint32_t i = 0; i < h->n_calls; i++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(h->g, h->calls[i], &n);
        for (uint32_t k = 0; k < n; k++) {
            h->fit->reader[in[k]] = i + 1u;
        }
    }
    uint64_t const most =
        gspi_heft_least(h->fit->n_words / h->fit->stride - 1u, h->fit->n_bytes / h->n_devices);
    h->fit->most_failed = (uint32_t)gspi_heft_least(most, h->fit->most_states);
    gspi_heft_fill(h->fit->table, h->fit->most_states, 0);
    gspi_heft_fill(h->fit->tried, h->n_calls, 0);
}

/* Places all nodes, none of which is placed. */
static uint32_t gspi_heft_find_placement(gspi_heft *h)
{
    uint64_t const most = h->d->max_visits == 0u ? GSPI_HEFT_VISITS : h->d->max_visits;
    gspi_heft_fill_devices(h);
    h->fit->visits = 0;
    if (gspi_heft_lower_all(h, most)) {
        return GSP_HEFT_FOUND;
    }
    gspi_heft_clear(h);
    gspi_heft_start_search(h);
    return gspi_heft_search_all(h, most);
}

/* ---- The timeline ---- */

/* A node takes the first gap on its device after its inputs arrive. */
static double gspi_heft_transfer(const gspi_heft *h, gsp_node v)
{
    uint64_t const bytes = gsp_node_bytes(h->g, v);
    double const rate = h->d->has_rate ? h->d->transfer_rate : 0.0;
    return rate > 0.0 ? (double)bytes / rate : 0.0;
}

/* Inputs come before their readers: no rank is below that of a reader; ties are by number. */
static void gspi_heft_make_list(gspi_heft *h)
{
    double *rank = h->begin;
    for (uint32_t i = h->n_calls; i > 0; i--) {
        gsp_node const v = h->calls[i - 1u];
        double const transfer = gspi_heft_transfer(h, v);
        uint32_t n;
        const gsp_node *users = gsp_node_users(h->g, v, &n);
        double below = 0.0;
        for (uint32_t k = 0; k < n; k++) {
            double const way = rank[users[k]] + transfer;
            double const then = gsp_node_is_callable(h->g, users[k]) ? way : 0.0;
            below = gspi_heft_later(below, then);
        }
        rank[v] = h->seconds[v] + below;
        gspi_heft_key const key = {-rank[v], 0u, 0u, v, v};
        h->keys[i - 1u] = key;
    }
    gspi_heft_sort(h->keys, h->n_calls);
    for (uint32_t i = 0; i < h->n_calls; i++) {
        h->list[i] = h->keys[i].node;
    }
}

static double gspi_heft_time_of(const gsp_graph *g, const double *given, gsp_key key, gsp_node v)
{
    return given != NULL ? given[v] : gsp_node_seconds(g, v, key);
}

/* No number below zero, no infinity, no NaN. */
static int gspi_heft_is_time(double seconds)
{
    return seconds >= 0.0 && seconds <= GSPI_HEFT_FOREVER;
}

static void gspi_heft_read_seconds(gspi_heft *h)
{
    const gsp_heft_desc *d = h->d;
    for (size_t row = 0; row < (size_t)h->n + h->n_devices; row++) {
        h->seconds[row] = h->begin[row] = h->end[row] = 0.0;
    }
    for (uint32_t i = 0; i < h->n_calls; i++) {
        gsp_node const v = h->calls[i];
        double const mem = gspi_heft_time_of(h->g, d->mem, GSP_KEY_MEM, v);
        double const compute = gspi_heft_time_of(h->g, d->compute, GSP_KEY_COMPUTE, v);
        h->seconds[v] = gspi_heft_later(mem, compute);
    }
}

/* Every time of the timeline is below that with which rows end. */
static int gspi_heft_is_finite(const gspi_heft *h)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < h->n_calls; i++) {
        sum += h->seconds[h->calls[i]] + gspi_heft_transfer(h, h->calls[i]);
    }
    return sum < GSPI_HEFT_FOREVER * 0.999;
}

/* The time at which the inputs of v are on a device. */
static double gspi_heft_arrival(const gspi_heft *h, gsp_node v, uint32_t device)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(h->g, v, &n);
    double at = 0.0;
    for (uint32_t k = 0; k < n; k++) {
        gsp_node const u = in[k];
        if (h->device_of[u] != GSP_NONE) {
            double const moved = h->device_of[u] != device ? gspi_heft_transfer(h, u) : 0.0;
            double const there = h->end[u] + moved;
            at = gspi_heft_later(at, there);
        }
    }
    return at;
}

/* The begin of v on a device; *after: the row before it there. What takes no time begins when
 * another ends; anything else fits into gaps alone. */
static double gspi_heft_earliest(gspi_heft *h, gsp_node v, uint32_t device, uint32_t *after)
{
    const gspi_heft_rows *way = h->seconds[v] > 0.0 ? &h->gaps : &h->rows;
    double at = gspi_heft_arrival(h, v, device);
    uint32_t x = way->before[h->n + device];
    while (x < h->n && h->end[x] > at) {
        x = way->before[x];
        h->passed++;
    }
    while (h->begin[h->rows.after[x]] - at < h->seconds[v]) {
        x = way->after[x];
        at = gspi_heft_later(at, h->end[x]);
        h->passed++;
    }
    *after = x;
    return at;
}

static void gspi_heft_link(const gspi_heft_rows *r, uint32_t v, uint32_t x)
{
    uint32_t const next = r->after[x];
    r->before[v] = x;
    r->after[v] = next;
    r->after[x] = v;
    r->before[next] = v;
}

static void gspi_heft_insert(const gspi_heft *h, gsp_node v, double begin, uint32_t x)
{
    uint32_t const next = h->rows.after[x];
    h->begin[v] = begin;
    h->end[v] = begin + h->seconds[v];
    if (h->begin[next] > h->end[v]) {
        gspi_heft_link(&h->gaps, v, x);
    }
    if (x < h->n && h->begin[next] > h->end[x] && !(begin > h->end[x])) {
        uint32_t const before = h->gaps.before[x];
        h->gaps.after[before] = h->gaps.after[x];
        h->gaps.before[h->gaps.after[x]] = before;
    }
    gspi_heft_link(&h->rows, v, x);
}

/* No row but the heads of the devices, which end at 0 and begin after all others. */
static void gspi_heft_clear_rows(gspi_heft *h)
{
    for (uint32_t head = h->n; head < h->n + h->n_devices; head++) {
        h->rows.before[head] = h->rows.after[head] = head;
        h->gaps.before[head] = h->gaps.after[head] = head;
        h->begin[head] = GSPI_HEFT_FOREVER;
    }
    h->passed = 0;
}

/* 1 if a device that has no v has room for it. */
static int gspi_heft_has_room(gspi_heft *h, gsp_node v, uint32_t device)
{
    gspi_heft_put(h, v, device);
    int const fits = gspi_heft_fits(h, device);
    gspi_heft_take(h, v);
    return fits;
}

/* Places each node of the list where it begins first among the devices with room; 0 if a node has
 * no room. */
static int gspi_heft_place(gspi_heft *h)
{
    gspi_heft_clear_rows(h);
    for (uint32_t i = 0; i < h->n_calls; i++) {
        gsp_node const v = h->list[i];
        uint32_t best = GSP_NONE;
        double begin = GSPI_HEFT_FOREVER;
        uint32_t after = GSP_NONE;
        for (uint32_t d = 0; d < h->n_devices; d++) {
            uint32_t x;
            double const at = gspi_heft_earliest(h, v, d, &x);
            if (at < begin && gspi_heft_has_room(h, v, d)) {
                best = d;
                begin = at;
                after = x;
            }
        }
        if (best == GSP_NONE) {
            return 0;
        }
        gspi_heft_put(h, v, best);
        gspi_heft_insert(h, v, begin, after);
    }
    return 1;
}

/* Seconds until all nodes have ended on their devices; from `limit` on, no less than that. */
static double gspi_heft_run_line(gspi_heft *h, double limit)
{
    double total = 0.0;
    gspi_heft_clear_rows(h);
    for (uint32_t i = 0; i < h->n_calls && total < limit; i++) {
        gsp_node const v = h->list[i];
        uint32_t after;
        double const at = gspi_heft_earliest(h, v, h->device_of[v], &after);
        gspi_heft_insert(h, v, at, after);
        total = gspi_heft_later(total, h->end[v]);
    }
    return total;
}

/* ---- Evaluation ---- */

static uint32_t gspi_heft_draw(gspi_heft *h, uint32_t n)
{
    h->random = h->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((h->random >> 33u) % n);
}

/* Counts an evaluation; 0 after the last are made, or progress ends them. */
static int gspi_heft_may_go_on(gspi_heft *h)
{
    const gsp_heft_desc *d = h->d;
    if (h->left < h->n_steps) {
        return 0;
    }
    h->left -= h->n_steps;
    if (d->progress != NULL && d->progress(d->progress_user, h->best.serial, h->left) != 0) {
        h->result.stopped = 1;
        h->left = 0;
    }
    return 1;
}

/* Counts what an evaluation passes beyond 16 rows per step. */
static void gspi_heft_pay(gspi_heft *h, uint64_t rows)
{
    uint64_t const steps = rows / 16u;
    h->left -= gspi_heft_least(steps - gspi_heft_least(steps, h->n_steps), h->left);
}

/* The nodes of each part, and its edges from others. */
static void gspi_heft_make_rows(const gspi_heft *h, const gspi_heft_parts *q)
{
    const gspi_heft_eval *e = h->eval;
    uint32_t begin = 0;
    gspi_heft_fill(e->end, q->n + 1u, 0);
    gspi_heft_fill(e->missing, q->n, 0);
    for (uint32_t i = 0; i < h->n_calls; i++) {
        uint32_t const part = q->part_of[h->calls[i]];
        uint32_t n;
        const gsp_node *in = gspi_heft_before(h->g, h->calls[i], &n);
        e->end[part]++;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t const from = q->part_of[in[k]];
            e->missing[part] += from != GSP_NONE && from != part ? 1u : 0u;
        }
    }
    for (uint32_t k = 0; k <= q->n; k++) {
        uint32_t const n = e->end[k];
        e->end[k] = begin;
        begin += n;
    }
    for (uint32_t i = 0; i < h->n_calls; i++) {
        e->nodes[e->end[q->part_of[h->calls[i]]]++] = h->calls[i];
    }
}

/* A part reads u of another part: from when it is there. The begin of a part is monotone in the
 * bytes from each part, so the last value decides. */
static double gspi_heft_receive(
    const gspi_heft *h, const gspi_heft_parts *q, gsp_node u, uint32_t part)
{
    const gspi_heft_eval *e = h->eval;
    uint32_t const from = q->part_of[u];
    double move = 0.0;
    if (h->d->has_rate && q->device_of[from] != q->device_of[part]) {
        uint64_t const bytes = gsp_node_bytes(h->g, u);
        double const rate = h->d->transfer_rate;
        e->volume[from] = (e->reader[from] == part ? e->volume[from] : 0u) + bytes;
        e->reader[from] = part;
        if (e->volume[from] != 0) {
            move = rate > 0.0 ? (double)e->volume[from] / rate : GSPI_HEFT_FOREVER;
        }
    }
    return h->finish[from] + move;
}

/* When a part begins after the last one on its device. */
static double gspi_heft_begin_of(const gspi_heft *h, const gspi_heft_parts *q, uint32_t part)
{
    const gspi_heft_eval *e = h->eval;
    uint32_t const last = h->on[q->device_of[part]];
    double begin = last != GSP_NONE ? h->finish[last] : 0.0;
    h->waits[part] = last;
    for (uint32_t i = part > 0 ? e->end[part - 1u] : 0u; i < e->end[part]; i++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(h->g, e->nodes[i], &n);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t const from = q->part_of[in[k]];
            if (from == GSP_NONE || from == part || e->seen[in[k]] == part) {
                continue;
            }
            e->seen[in[k]] = part;
            double const there = gspi_heft_receive(h, q, in[k], part);
            h->waits[part] = there > begin ? from : h->waits[part];
            begin = gspi_heft_later(begin, there);
        }
    }
    return begin;
}

/* Seconds of the critical path of a part. */
static double gspi_heft_path_of(const gspi_heft *h, const gspi_heft_parts *q, uint32_t part)
{
    const gspi_heft_eval *e = h->eval;
    double path = 0.0;
    for (uint32_t i = part > 0 ? e->end[part - 1u] : 0u; i < e->end[part]; i++) {
        gsp_node const v = e->nodes[i];
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(h->g, v, &n);
        double top = 0.0;
        for (uint32_t k = 0; k < n; k++) {
            double const before = q->part_of[in[k]] == part ? e->top[in[k]] : 0.0;
            top = gspi_heft_later(top, before);
        }
        e->top[v] = top + h->seconds[v];
        path = gspi_heft_later(path, e->top[v]);
    }
    return path;
}

/* Appends the parts that wait for this one alone to an order of `n` parts; returns their number. */
static uint32_t gspi_heft_release(
    const gspi_heft *h, const gspi_heft_parts *q, uint32_t part, uint32_t n)
{
    const gspi_heft_eval *e = h->eval;
    for (uint32_t i = part > 0 ? e->end[part - 1u] : 0u; i < e->end[part]; i++) {
        uint32_t n_after;
        const gsp_node *after = gspi_heft_after(h->g, e->nodes[i], &n_after);
        for (uint32_t k = 0; k < n_after; k++) {
            uint32_t const to = q->part_of[after[k]];
            if (to != GSP_NONE && to != part) {
                e->missing[to]--;
                if (e->missing[to] == 0) {
                    e->order[n++] = to;
                }
            }
        }
    }
    return n;
}

/* Finds finish times, what parts wait for, and the makespan: without an end for a cycle. */
GSPI_HEFT_OWN_FRAME double gspi_heft_serial(const gspi_heft *h, gspi_heft_parts *q)
{
    const gspi_heft_eval *e = h->eval;
    uint32_t n = 0;
    double serial = 0.0;
    gspi_heft_make_rows(h, q);
    gspi_heft_fill(e->seen, h->n, GSP_NONE);
    gspi_heft_fill(e->reader, q->n, GSP_NONE);
    gspi_heft_fill(h->on, h->n_devices, GSP_NONE);
    for (uint32_t p = 0; p < q->n; p++) {
        if (e->missing[p] == 0) {
            e->order[n++] = p;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const p = e->order[i];
        h->finish[p] = gspi_heft_begin_of(h, q, p) + gspi_heft_path_of(h, q, p);
        h->on[q->device_of[p]] = p;
        serial = gspi_heft_later(serial, h->finish[p]);
        n = gspi_heft_release(h, q, p, n);
    }
    q->serial = n == q->n && serial < GSPI_HEFT_FOREVER ? serial : GSPI_HEFT_FOREVER;
    return q->serial;
}

static void gspi_heft_copy_parts(
    const gspi_heft *h, gspi_heft_parts *to, const gspi_heft_parts *from)
{
    to->n = from->n;
    to->serial = from->serial;
    gspi_heft_copy(to->part_of, from->part_of, h->n);
    gspi_heft_copy(to->device_of, from->device_of, from->n);
}

static void gspi_heft_keep_better(gspi_heft *h)
{
    if (h->trial.serial < h->best.serial) {
        gspi_heft_copy_parts(h, &h->best, &h->trial);
    }
}

/* ---- What competes ---- */

/* Whether the parts of a start have devices, and those have room: then it is the trial. */
static int gspi_heft_enter_start(gspi_heft *h, const gsp_assignment *a)
{
    uint32_t wrong = 0;
    if (a->n_parts > h->n_calls) {
        return 0;
    }
    for (uint32_t k = 0; k < a->n_parts; k++) {
        wrong += a->device_of[k] < h->n_devices ? 0u : 1u;
    }
    for (uint32_t i = 0; i < h->n_calls; i++) {
        wrong += a->part_of[h->calls[i]] < a->n_parts ? 0u : 1u;
    }
    if (wrong != 0) {
        return 0;
    }
    h->trial.n = a->n_parts;
    gspi_heft_copy(h->trial.device_of, a->device_of, a->n_parts);
    for (uint32_t i = 0; i < h->n_calls; i++) {
        uint32_t const part = a->part_of[h->calls[i]];
        h->trial.part_of[h->calls[i]] = part;
        gspi_heft_put(h, h->calls[i], a->device_of[part]);
    }
    for (uint32_t d = 0; d < h->n_devices; d++) {
        wrong += gspi_heft_fits(h, d) ? 0u : 1u;
    }
    gspi_heft_clear(h);
    return wrong == 0;
}

static void gspi_heft_try_start(gspi_heft *h, uint32_t i)
{
    if (i < h->d->n_starts && gspi_heft_enter_start(h, &h->d->starts[i])) {
        (void)gspi_heft_serial(h, &h->trial);
        gspi_heft_keep_better(h);
    }
}

/* All on the first of the largest devices, whether it has room or not: the critical path. */
static void gspi_heft_try_single(gspi_heft *h)
{
    const gsp_device *devices = h->d->devices;
    uint32_t largest = 0;
    for (uint32_t d = 1; d < h->n_devices; d++) {
        largest = devices[d].bytes > devices[largest].bytes ? d : largest;
    }
    h->trial.n = 1;
    h->trial.device_of[0] = largest;
    for (uint32_t i = 0; i < h->n_calls; i++) {
        h->trial.part_of[h->calls[i]] = 0;
    }
    h->result.lower_bound = gspi_heft_serial(h, &h->trial);
    if (gsp_heft_bytes(h->g) <= devices[largest].bytes) {
        gspi_heft_keep_better(h);
    }
}

/* The reference, too. */
static void gspi_heft_try_others(gspi_heft *h)
{
    gspi_heft_try_start(h, 0);
    gspi_heft_try_single(h);
    h->result.reference = h->best.serial;
    for (uint32_t i = 1; i < h->d->n_starts; i++) {
        gspi_heft_try_start(h, i);
    }
    if (h->result.reference >= GSPI_HEFT_FOREVER) {
        h->result.reference = h->best.serial;
    }
}

/* ---- Nodes on devices ---- */

/* Moves v to a device if that makes the timeline shorter. */
static int gspi_heft_try_device(gspi_heft *h, gsp_node v, uint32_t device, double *now)
{
    uint32_t const from = h->device_of[v];
    if (device == from || !gspi_heft_may_go_on(h) || !gspi_heft_move(h, v, device)) {
        return 0;
    }
    double const then = gspi_heft_run_line(h, *now);
    gspi_heft_pay(h, h->passed);
    if (then < *now) {
        *now = then;
        return 1;
    }
    gspi_heft_shift(h, v, from);
    return 0;
}

/* Single nodes to other devices while that makes the timeline shorter. */
static void gspi_heft_move_on_line(gspi_heft *h)
{
    double now = gspi_heft_run_line(h, GSPI_HEFT_FOREVER);
    int moved = 1;
    for (uint32_t sweep = 0; sweep < GSPI_HEFT_SWEEPS && moved; sweep++) {
        moved = 0;
        for (uint32_t i = 0; i < h->n_calls; i++) {
            for (uint32_t d = 0; d < h->n_devices; d++) {
                moved |= gspi_heft_try_device(h, h->order[i], d, &now);
            }
        }
    }
    (void)gspi_heft_run_line(h, GSPI_HEFT_FOREVER);
}

/* ---- Runs of a device as parts ---- */

/* Numbers by the first node of the list. */
static void gspi_heft_make_runs(gspi_heft *h)
{
    uint32_t run = 0;
    h->trial.n = 0;
    for (uint32_t i = 0; i < h->n_calls; i++) {
        run = h->cut[i] ? i : run;
        h->run[h->seq[i]] = run;
        h->number[i] = GSP_NONE;
    }
    for (uint32_t i = 0; i < h->n_calls; i++) {
        gsp_node const v = h->list[i];
        uint32_t const at = h->run[v];
        if (h->number[at] == GSP_NONE) {
            h->number[at] = h->trial.n;
            h->trial.device_of[h->trial.n++] = h->device_of[v];
        }
        h->trial.part_of[v] = h->number[at];
    }
}

/* Joins or cuts two runs if that is no slower; a cut must be faster. */
static int gspi_heft_flip(gspi_heft *h, uint32_t i, double *now)
{
    if (h->device_of[h->seq[i]] != h->device_of[h->seq[i - 1u]] || !gspi_heft_may_go_on(h)) {
        return 0;
    }
    h->cut[i] ^= 1u;
    gspi_heft_make_runs(h);
    double const then = gspi_heft_serial(h, &h->trial);
    int const keeps = h->cut[i] != 0 ? then < *now : then <= *now;
    if (keeps) {
        *now = then;
    } else {
        h->cut[i] ^= 1u;
    }
    return keeps;
}

static void gspi_heft_flip_cuts(gspi_heft *h)
{
    int changed = 1;
    gspi_heft_make_runs(h);
    double now = gspi_heft_serial(h, &h->trial);
    for (uint32_t sweep = 0; sweep < GSPI_HEFT_SWEEPS && changed; sweep++) {
        changed = 0;
        for (uint32_t i = 1; i < h->n_calls; i++) {
            changed |= gspi_heft_flip(h, i, &now);
        }
    }
    gspi_heft_make_runs(h);
    (void)gspi_heft_serial(h, &h->trial);
    gspi_heft_keep_better(h);
}

/* Runs of one node each in the order of time, or those of phases. */
static void gspi_heft_try_runs(gspi_heft *h, int phases)
{
    uint32_t const n = h->n_calls;
    if (phases) {
        gspi_heft_make_phases(h, &h->trial);
    }
    for (uint32_t i = 0; i < n; i++) {
        gsp_node const v = h->list[i];
        uint32_t const phase = phases ? h->trial.part_of[v] : 0u;
        gspi_heft_key const key = {h->begin[v], h->device_of[v], phase, i, v};
        h->keys[i] = key;
    }
    gspi_heft_sort(h->keys, n);
    for (uint32_t i = 0; i < n; i++) {
        const gspi_heft_key *at = &h->keys[i];
        uint32_t const before = i > 0 ? at[-1].second : GSP_NONE;
        h->seq[i] = at->node;
        h->cut[i] = (uint8_t)(phases ? at->second != before : 1);
    }
    gspi_heft_flip_cuts(h);
}

/* ---- Moves between parts ---- */

/* Where the nodes of `best` are. */
static void gspi_heft_enter_best(gspi_heft *h)
{
    gspi_heft_clear(h);
    gspi_heft_fill(h->number, h->n_calls + 1u, 0);
    for (uint32_t i = 0; i < h->n_calls; i++) {
        uint32_t const part = h->best.part_of[h->calls[i]];
        h->number[part]++;
        gspi_heft_put(h, h->calls[i], h->best.device_of[part]);
    }
}

/* Moves v to a part if its devices have room. */
static int gspi_heft_shift_part(gspi_heft *h, gsp_node v, uint32_t to)
{
    if (!gspi_heft_move(h, v, h->best.device_of[to])) {
        return 0;
    }
    h->number[h->best.part_of[v]]--;
    h->number[to]++;
    h->best.part_of[v] = to;
    return 1;
}

/* Moves v if that is faster. */
static int gspi_heft_try_move(gspi_heft *h, gsp_node v, uint32_t to)
{
    gspi_heft_parts *q = &h->best;
    uint32_t const from = q->part_of[v];
    double const now = q->serial;
    if (to == from || !gspi_heft_may_go_on(h) || !gspi_heft_shift_part(h, v, to)) {
        return 0;
    }
    if (gspi_heft_serial(h, q) < now) {
        return 1;
    }
    gspi_heft_shift(h, v, q->device_of[from]);
    h->number[to]--;
    h->number[from]++;
    q->part_of[v] = from;
    q->serial = now;
    return 0;
}

/* v to the parts of other nodes. */
static int gspi_heft_move_to(gspi_heft *h, gsp_node v, const gsp_node *at, uint32_t n)
{
    int moved = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (gsp_node_is_callable(h->g, at[k])) {
            moved |= gspi_heft_try_move(h, v, h->best.part_of[at[k]]);
        }
    }
    return moved;
}

/* v to the parts of its inputs and users. */
static int gspi_heft_move_near(gspi_heft *h, gsp_node v)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(h->g, v, &n);
    int const moved = gspi_heft_move_to(h, v, in, n);
    const gsp_node *users = gsp_node_users(h->g, v, &n);
    return gspi_heft_move_to(h, v, users, n) | moved;
}

/* v to any part, and to a part of its own on any device. */
static int gspi_heft_move_far(gspi_heft *h, gsp_node v)
{
    gspi_heft_parts *q = &h->best;
    int moved = 0;
    uint32_t empty = 0;
    for (uint32_t k = 0; k < q->n; k++) {
        moved |= h->number[k] != 0 && gspi_heft_try_move(h, v, k);
    }
    for (uint32_t d = 0; d < h->n_devices; d++) {
        while (empty < q->n && h->number[empty] != 0) {
            empty++;
        }
        if (empty == h->n_calls) {
            break;
        }
        q->n = empty == q->n ? empty + 1u : q->n;
        q->device_of[empty] = d;
        moved |= gspi_heft_try_move(h, v, empty);
    }
    return moved;
}

/* All nodes of a part to another if that is no slower. */
static int gspi_heft_try_join(gspi_heft *h, uint32_t from, uint32_t to)
{
    gspi_heft_parts *q = &h->best;
    uint32_t const device = q->device_of[from];
    double const now = q->serial;
    if (!gspi_heft_may_go_on(h)) {
        return 0;
    }
    for (uint32_t i = 0; i < h->n_calls; i++) {
        gsp_node const v = h->calls[i];
        h->run[v] = q->part_of[v];
        if (q->part_of[v] == from) {
            q->part_of[v] = to;
            gspi_heft_shift(h, v, q->device_of[to]);
        }
    }
    if (gspi_heft_fits(h, device) && gspi_heft_fits(h, q->device_of[to]) &&
        gspi_heft_serial(h, q) <= now) {
        h->number[to] += h->number[from];
        h->number[from] = 0;
        return 1;
    }
    for (uint32_t i = 0; i < h->n_calls; i++) {
        gsp_node const v = h->calls[i];
        if (h->run[v] == from) {
            q->part_of[v] = from;
            gspi_heft_shift(h, v, device);
        }
    }
    q->serial = now;
    return 0;
}

static int gspi_heft_join_parts(gspi_heft *h)
{
    int joined = 0;
    for (uint32_t a = 0; a < h->best.n; a++) {
        for (uint32_t b = 0; b < h->best.n && h->number[a] != 0; b++) {
            joined |= a != b && h->number[b] != 0 && gspi_heft_try_join(h, a, b);
        }
    }
    return joined;
}

/* Moves and joins until none is of use. */
static void gspi_heft_improve(gspi_heft *h)
{
    int far_too = 0;
    int moved = 1;
    while (moved || !far_too) {
        far_too = !moved;
        moved = 0;
        for (uint32_t i = 0; i < h->n_calls; i++) {
            moved |=
                far_too ? gspi_heft_move_far(h, h->order[i]) : gspi_heft_move_near(h, h->order[i]);
        }
        moved |= far_too && gspi_heft_join_parts(h);
    }
}

/* From the best, some nodes anywhere, and improved again. */
static void gspi_heft_kick(gspi_heft *h)
{
    gspi_heft_copy_parts(h, &h->trial, &h->best);
    for (uint32_t k = 0; k < GSPI_HEFT_KICK; k++) {
        gsp_node const v = h->calls[gspi_heft_draw(h, h->n_calls)];
        uint32_t const to = gspi_heft_draw(h, h->best.n);
        if (h->number[to] != 0) {
            (void)gspi_heft_shift_part(h, v, to);
        }
    }
    (void)gspi_heft_serial(h, &h->best);
    gspi_heft_improve(h);
    if (h->trial.serial < h->best.serial) {
        gspi_heft_copy_parts(h, &h->best, &h->trial);
        gspi_heft_enter_best(h);
    }
}

static void gspi_heft_search(gspi_heft *h)
{
    gspi_heft_enter_best(h);
    gspi_heft_improve(h);
    while (h->best.serial > h->result.lower_bound && h->left >= h->n_steps) {
        gspi_heft_kick(h);
    }
}

/* ---- Results ---- */

/* Drops empty parts, and numbers the others in the order in which the evaluator runs them. */
GSPI_HEFT_OWN_FRAME void gspi_heft_number_parts(gspi_heft *h)
{
    gspi_heft_parts *made = &h->trial;
    const gspi_heft_eval *e = h->eval;
    (void)gspi_heft_serial(h, &h->best);
    made->n = 0;
    for (uint32_t i = 0; i < h->best.n; i++) {
        uint32_t const part = e->order[i];
        if (e->end[part] != (part > 0 ? e->end[part - 1u] : 0u)) {
            made->device_of[made->n] = h->best.device_of[part];
            h->number[part] = made->n++;
        }
    }
    gspi_heft_fill(made->part_of, h->n, GSP_NONE);
    for (uint32_t i = 0; i < h->n_calls; i++) {
        made->part_of[h->calls[i]] = h->number[h->best.part_of[h->calls[i]]];
    }
    made->serial = h->best.serial;
    gspi_heft_copy_parts(h, &h->best, made);
    h->result.seconds = gspi_heft_serial(h, &h->best);
}

/* ---- The pass ---- */

static void gspi_heft_open_nodes(gspi_heft *h)
{
    uint32_t n_rows = 0;
    h->n_calls = 0;
    for (gsp_node v = 0; v < h->n; v++) {
        uint32_t n_in;
        (void)gsp_node_inputs(h->g, v, &n_in);
        h->n_steps += n_in;
        h->device_of[v] = GSP_NONE;
        h->best.part_of[v] = h->trial.part_of[v] = GSP_NONE;
        if (gsp_node_is_callable(h->g, v)) {
            h->calls[h->n_calls++] = v;
        } else {
            h->row[v] = n_rows++;
        }
    }
    for (size_t i = 0; i < (size_t)n_rows * h->n_devices; i++) {
        h->held[i] = 0;
    }
    for (uint32_t d = 0; d < h->n_devices; d++) {
        h->used[d] = 0;
    }
    for (uint32_t i = 0; i < h->n_calls; i++) { /* graph order if seed is 0 */
        uint32_t const k = h->d->seed != 0 ? gspi_heft_draw(h, i + 1u) : i;
        h->order[i] = h->order[k];
        h->order[k] = h->calls[i];
    }
}

/* Room for a run, in an arena with as many bytes as the bound. */
GSPI_HEFT_OWN_FRAME gspi_heft *gspi_heft_open(
    gsp_arena *arena, const gsp_graph *g, const gsp_heft_desc *d)
{
    gspi_heft_bump b = {arena, 0};
    gsp_heft_result const none = {0u, 0u, 0u, NULL, NULL, NULL, NULL, 0.0, 0.0, 0.0};
    gspi_heft *h = (gspi_heft *)gspi_heft_push(&b, 1, sizeof(gspi_heft), 1);
    if (GSPI_HEFT_NEVER(h == NULL)) { /* analysers see no room */
        return NULL;
    }
    h->n = gsp_graph_counts(g).nodes;
    h->n_devices = d->n_devices;
    gspi_heft_layout(&b, h);
    if (GSPI_HEFT_NEVER(h->eval == NULL)) {
        return NULL;
    }
    h->fit->most_states = gspi_heft_states(d);
    gspi_heft_layout_fit(&b, h->fit, (uint64_t)h->n + 1u, h->n_devices);
    gspi_heft_layout_eval(&b, h->eval, (uint64_t)h->n + 1u);
    h->arena = arena;
    h->g = g;
    h->d = d;
    h->n_steps = (uint64_t)h->n + 1u;
    h->left = d->max_work == 0u ? GSPI_HEFT_WORK : d->max_work;
    h->random = d->seed;
    h->best.n = h->trial.n = 0;
    h->best.serial = h->trial.serial = GSPI_HEFT_FOREVER;
    h->result = none;
    gspi_heft_open_nodes(h);
    return h;
}

/* Any placement that fits. */
static gsp_status gspi_heft_find_any(gspi_heft *h)
{
    h->result.found = gspi_heft_find_placement(h);
    if (h->result.found == (uint32_t)GSP_HEFT_FOUND) {
        gspi_heft_make_phases(h, &h->best);
    }
    return GSP_OK;
}

static gsp_status gspi_heft_find_best(gspi_heft *h, gsp_error *err)
{
    gspi_heft_read_seconds(h);
    gspi_heft_try_others(h);
    if (h->best.serial <= h->result.lower_bound) {
        return GSP_OK;
    }
    if (!gspi_heft_is_finite(h)) {
        return gspi_heft_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_LATENCY, "");
    }
    gspi_heft_make_list(h);
    if (!gspi_heft_place(h)) {
        gspi_heft_clear(h);
        h->result.found = gspi_heft_find_placement(h);
    }
    if (h->result.found == (uint32_t)GSP_HEFT_FOUND) {
        gspi_heft_move_on_line(h);
        gspi_heft_try_runs(h, 1);
        gspi_heft_try_runs(h, 0);
    }
    if (h->best.serial < GSPI_HEFT_FOREVER) {
        h->result.found = GSP_HEFT_FOUND;
        gspi_heft_search(h);
    } else if (h->result.found ==
               (uint32_t)GSP_HEFT_FOUND) { /* some value has to move, and cannot */
        return gspi_heft_fail(err, GSP_STATUS_ARG, GSP_DETAIL_RATE_ZERO, "");
    }
    return GSP_OK;
}

static gsp_status gspi_heft_solve(gspi_heft *h, gsp_error *err)
{
    gsp_status status;
    if (h->d->any != 0u) {
        return gspi_heft_find_any(h);
    }
    status = gspi_heft_find_best(h, err);
    if (status != GSP_OK || h->result.found != (uint32_t)GSP_HEFT_FOUND) {
        return status;
    }
    gspi_heft_number_parts(h);
    if (h->result.reference >= GSPI_HEFT_FOREVER) {
        h->result.reference = h->best.serial;
    }
    h->result.finish = h->finish;
    h->result.waits = h->waits;
    return status;
}

static gsp_status gspi_heft_check_desc(const gsp_heft_desc *d, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_heft_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, "");
    }
    if (d->devices == NULL) {
        return gspi_heft_missing(err, GSPI_HEFT_FIELD("devices"));
    }
    if (d->starts == NULL && d->n_starts != 0u) {
        return gspi_heft_missing(err, GSPI_HEFT_ROWS("starts", "n_starts"));
    }
    if (d->n_devices == 0u) {
        return gspi_heft_fail(err, GSP_STATUS_ARG, GSP_DETAIL_DEVICES, "");
    }
    if (d->has_rate != 0u && !gspi_heft_is_time(d->transfer_rate)) {
        return gspi_heft_fail(err, GSP_STATUS_ARG, GSP_DETAIL_RATE, "");
    }
    return GSP_OK;
}

/* No sum of bytes that a device holds wraps. */
static gsp_status gspi_heft_check_bytes(const gsp_graph *g, gsp_error *err)
{
    uint64_t sum = 0;
    for (gsp_node v = 0; v + 1u < g->n_nodes; v++) {
        uint32_t n;
        (void)gsp_node_users(g, v, &n);
        sum = gspi_heft_sum(sum, gspi_heft_node_bytes(g, v));
        for (uint32_t k = 0; k < n; k++) {
            sum = gspi_heft_sum(sum, gsp_node_bytes(g, v));
        }
        if (sum > INT64_MAX) {
            return gspi_heft_fail_node(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, v);
        }
    }
    return GSP_OK;
}

static gsp_status gspi_heft_check_times(const gsp_graph *g, const gsp_heft_desc *d, gsp_error *err)
{
    double sum = 0.0;
    uint32_t n = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (gsp_node_is_callable(g, v)) {
            double const mem = gspi_heft_time_of(g, d->mem, GSP_KEY_MEM, v);
            double const compute = gspi_heft_time_of(g, d->compute, GSP_KEY_COMPUTE, v);
            if (!gspi_heft_is_time(mem) || !gspi_heft_is_time(compute)) {
                return gspi_heft_fail_node(err, GSP_STATUS_ARG, GSP_DETAIL_LATENCY, v);
            }
            sum += mem + compute;
            n++;
        }
    }
    if (!gspi_heft_is_time(sum)) {
        return gspi_heft_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_LATENCY, "");
    }
    return n != 0 ? GSP_OK : gspi_heft_fail(err, GSP_STATUS_EMPTY, GSP_DETAIL_CALLABLE, "");
}

/* No sum overflows, and there is something to place. */
GSPI_HEFT_OWN_FRAME gsp_status gspi_heft_check(
    const gsp_graph *g, const gsp_heft_desc *d, gsp_error *err)
{
    gsp_status const status = gspi_heft_check_bytes(g, err);
    return status == GSP_OK ? gspi_heft_check_times(g, d, err) : status;
}

gsp_status gsp_heft_run(gsp_arena *arena, const gsp_graph *graph, const gsp_heft_desc *desc,
    gsp_heft_result *result, gsp_error *err)
{
    if (arena == NULL || graph == NULL || desc == NULL || result == NULL) {
        const char *field = GSPI_HEFT_FIELD("result");
        field = desc == NULL ? GSPI_HEFT_FIELD("desc") : field;
        field = graph == NULL ? GSPI_HEFT_FIELD("graph") : field;
        return gspi_heft_missing(err, arena == NULL ? GSPI_HEFT_FIELD("arena") : field);
    }
    gsp_status status = gspi_heft_check_desc(desc, err);
    if (status == GSP_OK) {
        status = gspi_heft_room(arena, gsp_heft_bound(graph, desc), err);
    }
    if (status == GSP_OK) {
        status = gspi_heft_check(graph, desc, err);
    }
    if (status != GSP_OK) {
        return status;
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gspi_heft *h = gspi_heft_open(arena, graph, desc);
    if (GSPI_HEFT_NEVER(h == NULL)) {
        return gspi_heft_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, "");
    }
    status = gspi_heft_solve(h, err);
    if (status == GSP_OK) {
        h->result.n_parts = h->best.n;
        h->result.part_of = h->best.part_of;
        h->result.device_of = h->best.device_of;
        *result = h->result;
        mark.low = gsp_arena_mark(arena).low; /* the results stay */
    }
    gsp_arena_rewind(arena, mark);
    return status;
}

#endif /* GSP_NO_SCORE */
#endif /* GSP_NO_PARTITION */

#ifdef __cplusplus
}
#endif

GSPI_HEFT_END

#endif /* GRAPHSPLIT_HEFT_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_HEFT_IMPLEMENTATION */
