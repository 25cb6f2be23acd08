/* graphsplit_downsets.h - an add-on of graphsplit.h: stages of units that depend on each other
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Stages of a pipeline of the smallest bottleneck, in any order that the dependences allow: a stage
 * is what one downset has beyond another, and a downset contains all that its units need. On
 * devices with replicas, beside CPU cores, with a lower bound. Takes units, values and weights, and
 * makes them of a graph. Needs graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_DOWNSETS_IMPLEMENTATION
 *     #include "graphsplit_downsets.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 * With GSP_NO_COST the lower bound beside CPU cores is weaker.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>downsets           Stages of units, of the smallest bottleneck
 *     >>units              Units of a graph
 *     >>impl               Implementation guard
 *
 *     gsp_downsets_run     within max_work    41 per unit, 4 per dependence, 12 per value and 4 per
 *                                             unit of it; and per set 0.25 per unit, 40, 4 per
 *                                             doubling of sets, 16 per number of devices and cores
 *     gsp_downsets_graph_run   O(n + m)       185 per node, 44 per edge, 64 per item, 16 per read,
 *                                             60 per own move
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_DOWNSETS_H_INCLUDED
#define GRAPHSPLIT_DOWNSETS_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_DOWNSETS_IMPLEMENTATION)
#error "graphsplit_downsets: GRAPHSPLIT_STATIC needs GRAPHSPLIT_DOWNSETS_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>downsets   Stages of units, of the smallest bottleneck (API)
 * ---- */

#define GSP_DOWNSETS_WORK  ((uint64_t)1u << 26u)
#define GSP_DOWNSETS_BYTES ((uint64_t)1u << 27u)
#define GSP_DOWNSETS_SETS  (1u << 22u)

/* What a unit takes, or what a value takes beside its units. Only units have a time, a host and the
 * two flags; only values have a move. */
typedef struct gsp_downsets_weight {
    uint64_t time;      /* ticks on a device */
    uint64_t host;      /* ticks on a CPU core */
    uint64_t move;      /* ticks, where some units of the value are in a stage and others are not */
    uint64_t bytes;     /* that a device holds all the time */
    uint64_t sync;      /* ticks to move what replicas have to agree on */
    uint64_t stash;     /* bytes per microbatch */
    uint32_t no_device; /* 1 if the unit needs a CPU core */
    uint32_t no_host;   /* 1 if the unit needs a device */
} gsp_downsets_weight;

/* Units 0 .. n - 1, in an order that works. A value is what several units make or read. */
typedef struct gsp_downsets_units {
    uint32_t n;
    uint32_t n_values;
    gsp_edges after;                /* [n] units that come after one, whose numbers are greater */
    gsp_edges values;               /* [n] values that a unit makes or reads, ascending */
    const gsp_downsets_weight *own; /* [n] */
    const gsp_downsets_weight *shared; /* [n_values] */
} gsp_downsets_units;

/* Bytes that a stage on a device needs beside those of its units. place: [n] 0 before the stage, 1
 * in it, 2 after it. */
typedef uint64_t (*gsp_downsets_peak_func)(void *user, const uint8_t *place);

/* Called before the sets of a size are made, and before the stages that begin after a set are
 * tried. Returns nonzero to stop with the best stages so far. */
typedef int (*gsp_downsets_progress_func)(void *user, uint64_t work);

/* Devices, and what a stage costs. On a device: its units, and the values that cross its ends. On d
 * devices: that / d, and sync * 4 (d - 1) / d / microbatches, as in PipeDream and Piper. On a CPU
 * core: its units alone. All zero asks for one stage. */
typedef struct gsp_downsets_desc {
    uint32_t start_canary;
    uint32_t n_devices;          /* 0 means 1 */
    uint32_t n_cores;            /* CPU cores, of one stage each, without limit of memory */
    uint32_t exact;              /* 1 if every device has a stage */
    uint32_t replicas;           /* 1 if a stage may have several devices */
    uint32_t carried;            /* 1 if values pass through every stage up to their last reader */
    uint32_t by_bytes;           /* 1 if the bottleneck is memory, 0 if it is time */
    uint32_t microbatches;       /* that a stage stashes, as in 1F1B; 0 for inference */
    const uint32_t *held;        /* [n_devices] stashed, by the devices before, non-increasing; NULL
                                  * means 1F1B */
    uint64_t copies;             /* of bytes; 0 means 1 */
    uint64_t memory;             /* bytes per device; 0 means no limit */
    uint64_t first_time;         /* ticks added to the first stage */
    uint64_t last_time;          /* ticks added to the last stage */
    gsp_downsets_peak_func peak; /* or NULL */
    void *peak_user;
    uint64_t peak_most;       /* no peak is above it */
    uint64_t peak_work;       /* of one call, in units that enter a stage */
    uint32_t n_start;         /* stages to begin with, on a device each; 0 if there are none */
    const uint32_t *start;    /* [n] the stage of a unit */
    uint64_t start_objective; /* their bottleneck; only smaller ones count */
    uint32_t max_sets;        /* downsets that are kept, at most GSP_DOWNSETS_SETS; 0 means as many
                               * as GSP_DOWNSETS_BYTES hold, about */
    uint64_t max_work;        /* see gsp_downsets_result.work; 0 means GSP_DOWNSETS_WORK */
    gsp_downsets_progress_func progress; /* or NULL */
    void *progress_user;
    uint32_t end_canary;
} gsp_downsets_desc;

/* Both arrays are read-only. */
typedef struct gsp_downsets_result {
    uint32_t n_stages;         /* 0 if there are none */
    uint32_t n_sets;           /* downsets of the last search; 0 without one */
    uint32_t all_sets;         /* 1 if these are all downsets */
    uint32_t complete;         /* 1 if so, and the work was enough: nothing is better */
    uint32_t stopped;          /* 1 if progress ended the search early */
    const uint32_t *stage_of;  /* [n] */
    const uint32_t *n_devices; /* [n_stages] 0 for a CPU core */
    uint64_t objective;        /* ticks or bytes of the greatest stage; UINT64_MAX without stages */
    uint64_t lower_bound;      /* no stages have a smaller one */
    uint64_t work;             /* units that entered a stage, more where a stage can run in many
                                * ways; and entries of tables / 4 */
} gsp_downsets_result;

/* gsp_downsets_bound: bytes for the run; SIZE_MAX without units. Time: O(1). */
GSP_API size_t gsp_downsets_bound(const gsp_downsets_units *units, const gsp_downsets_desc *desc);

/* gsp_downsets_run: stages of the smallest bottleneck.
 *
 * What:    Dynamic programming over downsets, from the whole one back to the empty one, finds for
 *          each set, and each number of devices and cores, the least bottleneck of what the set
 *          lacks. First over at most 96 sets per size, those with the least to move, and the
 *          beginnings of a few orders: for bottlenecks that ascend from the lower bound. Unless
 *          these are all sets, moves of units between neighbours improve what that found, except
 *          with carried values; then all sets are searched, if they are at most max_sets and
 *          max_work / 256. With few max_sets there are fewer per size, and none if they are not
 *          more than the units.
 * Errors:  ARG (NULL_ARGUMENT; RANGE: rows of unit `node`, or n_start; STAGE: the start of unit
 *          `node`; HELD: stage `node` keeps more microbatches than the one before it), DESC
 *          (CANARY), OVERFLOW (SIZE: all that can be added exceeds 2^61; TOO_MANY)
 * Time:    max_work times the values of a unit
 * Memory:  the bound; stage_of and n_devices stay
 * Order:   of equal stages those found first
 * Example: examples/downsets.c
 * See:     Tarnawski et al., NeurIPS 2020; Narayanan et al. 2019 (PipeDream, 1F1B)
 */
GSP_API gsp_status gsp_downsets_run(gsp_arena *arena, const gsp_downsets_units *units,
    const gsp_downsets_desc *desc, gsp_downsets_result *result, gsp_error *err);

/* ----
 * >>units   Units of a graph (API)
 * ---- */

/* What the nodes of a graph take. Weights are those of gsp_downsets_units: nodes have no move,
 * outputs and items have neither time, nor host, nor flags. Each field may be 0. */
typedef struct gsp_downsets_graph_desc {
    uint32_t start_canary;
    uint32_t n_items;                   /* parameters, and what else nodes have in common */
    const gsp_downsets_weight *nodes;   /* [n_nodes] what a node takes; or NULL */
    const gsp_downsets_weight *outputs; /* [n_nodes] what its output takes; or NULL */
    const gsp_downsets_weight *items;   /* [n_items] */
    gsp_edges reads;                    /* [n_nodes] items that a node reads; or NULL */
    const uint32_t *move_begin;      /* [n_nodes + 1] rows of moves, as long as those of users, or
                                      * empty; or NULL */
    const uint64_t *moves;           /* ticks to move the output of a node to one user alone */
    const uint32_t *group;           /* [n_nodes] nodes of equal ids (< n_nodes) are one unit; else
                                      * GSP_NONE; or NULL */
    const uint8_t *skip;             /* [n_nodes] 1 for a call that is in no unit; or NULL */
    const uint8_t *backward;         /* [n_nodes] 1 for a call of the backward part; or NULL */
    const gsp_downsets_desc *stages; /* the search that units are for; or NULL */
    uint32_t end_canary;
} gsp_downsets_graph_desc;

/* All arrays are read-only. */
typedef struct gsp_downsets_graph_result {
    gsp_downsets_units units;
    uint32_t has_backward;   /* 1 if some node is of the backward part */
    uint32_t has_writes;     /* 1 if some call writes, or is a barrier */
    const uint32_t *unit_of; /* [n_nodes] GSP_NONE if in no unit */
    const uint8_t *backward; /* [n_nodes] 1 for a call of the backward part, and what depends on it
                              */
} gsp_downsets_graph_result;

/* gsp_downsets_graph_bound: bytes for the run; SIZE_MAX for more than 2^32 rows. Time: O(1). */
GSP_API size_t gsp_downsets_graph_bound(
    const gsp_graph *graph, const gsp_downsets_graph_desc *desc);

/* gsp_downsets_graph_run: the calls of a graph as units, with what they take and share.
 *
 * What:    A unit is a call, the calls of a group, or what depends on each other in a circle. Calls
 *          follow what they read. Units of backward calls alone do so in the opposite order, as
 *          they run on the devices of the forward part; others ignore their backward calls. If
 *          calls write, or are barriers, all units keep the order of the graph. What several units
 *          make or read, or an item of several, is a value; its weight is theirs if one unit has
 *          it. With own moves an output is a value for each of its users in other units.
 *
 *          A unit joins the only other one that it has edges with if it is nowhere better than
 *          there: it takes no time, needs no core, with cores runs on any in no time, and with
 *          replicas has nothing that these agree on. None joins if calls write, `stages` has
 *          by_bytes, exact, first_time or last_time, or its memory is less than the bytes of all.
 * Errors:  ARG (NULL_ARGUMENT; RANGE: group, reads or move_begin of node), DESC (CANARY), OVERFLOW
 *          (TOO_MANY)
 * Time:    O(nodes + edges + items + rows)
 * Memory:  the bound; all results stay. Sums are at most 2^64 - 1.
 * Order:   units in an order that works, with ties by the first node
 * Example: examples/units.c
 * See:     Tarjan 1972; Tarnawski et al., NeurIPS 2021 (Piper)
 */
GSP_API gsp_status gsp_downsets_graph_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_downsets_graph_desc *desc, gsp_downsets_graph_result *result, gsp_error *err);

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_DOWNSETS_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_DOWNSETS_IMPLEMENTATION
#ifndef GRAPHSPLIT_DOWNSETS_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_DOWNSETS_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_DOWNSETS_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_DOWNSETS_END       _Pragma("GCC diagnostic pop")
#define GSPI_DOWNSETS_OWN_FRAME __attribute__((noinline)) static /* not on that of its caller */
#else
#define GSPI_DOWNSETS_BEGIN
#define GSPI_DOWNSETS_END
#define GSPI_DOWNSETS_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_DOWNSETS_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>downsets   Stages of units, of the smallest bottleneck (implementation)
 * ---- */

#define GSPI_DOWNSETS_BEAM   96u /* sets per size, if they are not all there */
#define GSPI_DOWNSETS_ORDERS 4u  /* by number, breadth first, depth first, the start */

/* Of all that can be added: a sum, a product and a rounding on top of it fit. */
#define GSPI_DOWNSETS_MOST ((uint64_t)1u << 61u)

/* A condition that no input makes, or one of gigabytes; `make cov` does not count it. */
#define GSPI_DOWNSETS_NEVER(x) (x)

/* The error names an argument or field; a second NUL says that no count makes it required. */
#ifdef GSP_NO_MESSAGES
#define GSPI_DOWNSETS_FIELD(text)       ""
#define GSPI_DOWNSETS_ROWS(text, count) ""
#else
#define GSPI_DOWNSETS_FIELD(text)       text "\0"
#define GSPI_DOWNSETS_ROWS(text, count) text "\0" count
#endif

static gsp_status gspi_downsets_fail(
    gsp_error *err, gsp_status status, gsp_detail detail, uint32_t unit, const char *field)
{
    if (err != NULL) {
        uint32_t const what = unit == GSP_NONE ? GSP_WHAT_NONE : GSP_WHAT_NODE;
        gsp_error const e = {status, detail, what, unit, GSP_NONE, 0, 0, 0, 0u, field};
        *err = e;
    }
    return status;
}

/* OK if so many bytes are left. */
static gsp_status gspi_downsets_space(const gsp_arena *arena, size_t bound, gsp_error *err)
{
    size_t const left = gsp_arena_left(arena);
    if (bound == SIZE_MAX) {
        return gspi_downsets_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE, "");
    }
    if (left >= bound) {
        return gspi_downsets_fail(err, GSP_OK, GSP_DETAIL_NONE, GSP_NONE, "");
    }
    (void)gspi_downsets_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, "");
    if (err != NULL) {
        err->need = bound;
        err->limit = left;
    }
    return GSP_STATUS_NOMEM;
}

static uint64_t gspi_downsets_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* No product is by 0. */
static uint64_t gspi_downsets_times(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t gspi_downsets_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void gspi_downsets_fill(uint32_t *words, size_t n, uint32_t value)
{
    for (size_t i = 0; i < n; i++) {
        words[i] = value;
    }
}

static void gspi_downsets_copy(uint32_t *to, const uint32_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = from[i];
    }
}

/* ---- What a search knows ---- */

/* Rows of numbers: of i, at[begin[i] .. begin[i + 1]). */
typedef struct gspi_downsets_rows {
    uint32_t *begin;
    uint32_t *at;
} gspi_downsets_rows;

/* Sets that fit. */
typedef struct gspi_downsets_room {
    uint32_t beam;    /* sets kept per size; 0 for all sets */
    uint32_t limit;   /* then: how many */
    uint64_t kept;    /* sets, */
    uint64_t ring;    /* those of a size and of the next one, */
    uint64_t fresh;   /* those of a size before some are dropped, */
    uint64_t all;     /* those that are kept and these, */
    uint64_t n_edges; /* and edges between them */
} gspi_downsets_room;

/* Downsets by their size; the first is empty, the last is whole. Edges lead to sets with one unit
 * more. */
typedef struct gspi_downsets_sets {
    uint32_t n;
    uint32_t complete; /* 1 if these are all downsets */
    size_t width;      /* words of a set */
    uint32_t *rows;    /* [kept * width] */
    uint32_t *begin;   /* [kept + 1] edges of a set */
    uint32_t *unit;    /* [n_edges] */
    uint32_t *to;      /* [n_edges] */
    uint64_t *move;    /* [all] ticks of the values that have units on both sides of a set, */
    uint64_t *stash;   /* [all] and their bytes */
} gspi_downsets_sets;

/* While sets are made. */
typedef struct gspi_downsets_growth {
    uint32_t *ready; /* [ring * width] units that can be next */
    uint32_t *hash;  /* [all] */
    uint32_t *from;  /* [all] the set before the last unit, */
    uint32_t *last;  /* [all] and that unit */
    uint32_t *slots; /* [mask + 1] hash table of the sets of the next size */
    uint32_t *place; /* [fresh] of a set of the next size, once some are dropped */
    uint32_t *best;  /* [beam] */
    uint32_t reach[GSPI_DOWNSETS_ORDERS]; /* beginnings of the orders */
    uint32_t n_orders;
    uint32_t mask;
    uint32_t begin; /* the first set of this size */
    uint32_t level; /* and of the next one */
    int odd;        /* 1 if this size is at the end of `ready` */
    uint32_t n_edges;
    uint64_t n_ever; /* edges with those removed; each counts more if sets are wide */
} gspi_downsets_growth;

/* Of the dynamic programming. */
typedef struct gspi_downsets_tables {
    uint32_t *seen;  /* [sets] the last set from which a stage reached it */
    uint32_t *low;   /* [sets] least devices and cores of a plan for what a set lacks, */
    uint32_t *high;  /* [sets] and most; less if there is none */
    uint64_t *left;  /* [sets] least ticks of what a set lacks */
    uint64_t *best;  /* [sets * (n_cores + 1) * (n_devices + 1)] bottleneck of what it lacks */
    uint32_t *next;  /* the same: the set after the first stage, */
    uint32_t *taken; /* and its devices; 0 for a core */
    uint64_t *ticks; /* [n_devices + 1] of a stage, by its devices; UINT64_MAX if it is no plan's */
} gspi_downsets_tables;

/* What the units of a stage take, by sums. */
typedef struct gspi_downsets_stage {
    gsp_downsets_weight sum;
    uint32_t n; /* units */
} gspi_downsets_stage;

/* Of moves of single units. */
typedef struct gspi_downsets_plan {
    gspi_downsets_stage *at; /* [stages] */
    uint64_t *cost;          /* [stages] */
    uint32_t *count;         /* [stages * n_values] units of a value in a stage */
    uint32_t *rest;          /* [stages + 1] devices from a stage on */
} gspi_downsets_plan;

typedef struct gspi_downsets_frame {
    uint32_t set;
    uint32_t edge;
    uint32_t unit; /* that came last */
} gspi_downsets_frame;

/* What all searches share. */
typedef struct gspi_downsets_base {
    uint32_t *stage_of;         /* [n] */
    uint32_t *n_devices;        /* [stages] */
    gspi_downsets_rows before;  /* [n] units that come before one */
    gspi_downsets_rows members; /* [n_values] units of a value */
    uint32_t *orders;           /* [GSPI_DOWNSETS_ORDERS * n] */
    uint32_t *waits;            /* [n] units before one that are not in the order, or a heap */
    uint32_t *count;            /* [n_values] units of the stage */
    uint32_t *earlier;          /* [n_values] see gspi_downsets_is_stashed() */
    gspi_downsets_frame *path;  /* [n + 1] */
    uint8_t *place;             /* [n] of a stage whose peak is asked for */
} gspi_downsets_base;

typedef struct gspi_downsets {
    gsp_arena *arena;
    const gsp_downsets_units *u;
    gsp_downsets_desc d;
    gsp_downsets_result r;
    gspi_downsets_base base;
    gspi_downsets_room room;
    gspi_downsets_sets sets;
    gspi_downsets_growth grow;
    gspi_downsets_tables t;
    gspi_downsets_plan p;
    uint32_t least; /* devices and cores that a set can leave to what it lacks */
    uint32_t most;
    uint64_t cost; /* work of a stage: 1, and 1 per 4 ways to run it */
} gspi_downsets;

/* ---- Room ---- */

/* A layout pushes all arrays in order; without an arena it measures them. */
typedef struct gspi_downsets_bump {
    gsp_arena *arena;
    uint64_t used;
} gspi_downsets_bump;

GSPI_DOWNSETS_OWN_FRAME void *gspi_downsets_push(
    gspi_downsets_bump *b, uint64_t count, uint32_t size, int high)
{
    uint64_t const most = (UINT64_MAX >> 8u) / size;
    uint64_t const bytes =
        (count * size + (GSP_GAP + GSP_ALIGN - 1u)) & ~((uint64_t)GSP_ALIGN - 1u);
    b->used = gspi_downsets_add(b->used, count > most ? UINT64_MAX : bytes);
    return b->arena == NULL ? NULL
           : high           ? gsp_arena_push_high(b->arena, (size_t)count, size)
                            : gsp_arena_push(b->arena, (size_t)count, size);
}

static uint32_t *gspi_downsets_words(gspi_downsets_bump *b, uint64_t count)
{
    return (uint32_t *)gspi_downsets_push(b, count, sizeof(uint32_t), 1);
}

static uint64_t *gspi_downsets_longs(gspi_downsets_bump *b, uint64_t count)
{
    return (uint64_t *)gspi_downsets_push(b, count, sizeof(uint64_t), 1);
}

/* Each stage has a unit, and a device or a core; those of the start may be empty. */
static uint64_t gspi_downsets_stages(const gsp_downsets_units *u, const gsp_downsets_desc *d)
{
    uint64_t const most = gspi_downsets_least(u->n, (uint64_t)d->n_devices + d->n_cores);
    return most > d->n_start ? most : d->n_start;
}

static uint32_t gspi_downsets_ends(const gsp_edges *rows, uint32_t n)
{
    return n == 0u ? 0u : rows->begin[n];
}

/* The results first; they stay. */
static void gspi_downsets_layout(gspi_downsets_bump *b, gspi_downsets_base *w,
    const gsp_downsets_units *u, const gsp_downsets_desc *d)
{
    uint64_t const n = (uint64_t)u->n + 1u;
    uint64_t const n_values = (uint64_t)u->n_values + 1u;
    w->stage_of = (uint32_t *)gspi_downsets_push(b, n, sizeof(uint32_t), 0);
    w->n_devices =
        (uint32_t *)gspi_downsets_push(b, gspi_downsets_stages(u, d) + 1u, sizeof(uint32_t), 0);
    w->before.begin = gspi_downsets_words(b, n);
    w->before.at = gspi_downsets_words(b, gspi_downsets_ends(&u->after, u->n));
    w->members.begin = gspi_downsets_words(b, n_values);
    w->members.at = gspi_downsets_words(b, gspi_downsets_ends(&u->values, u->n));
    w->orders = gspi_downsets_words(b, GSPI_DOWNSETS_ORDERS * n);
    w->waits = gspi_downsets_words(b, n);
    w->count = gspi_downsets_words(b, n_values);
    w->earlier = gspi_downsets_words(b, n_values);
    w->path = (gspi_downsets_frame *)gspi_downsets_push(b, n, sizeof(gspi_downsets_frame), 1);
    w->place = (uint8_t *)gspi_downsets_push(b, n, 1u, 1);
}

static size_t gspi_downsets_width(const gsp_downsets_units *u)
{
    return u->n / 32u + 1u;
}

static void gspi_downsets_layout_sets(gspi_downsets_bump *b, gspi_downsets_sets *w,
    const gsp_downsets_units *u, const gspi_downsets_room *room)
{
    w->rows = gspi_downsets_words(b, room->kept * gspi_downsets_width(u));
    w->begin = gspi_downsets_words(b, room->kept + 1u);
    w->unit = gspi_downsets_words(b, room->n_edges);
    w->to = gspi_downsets_words(b, room->n_edges);
    w->move = gspi_downsets_longs(b, room->all);
    w->stash = gspi_downsets_longs(b, room->all);
}

#define GSPI_DOWNSETS_SLOTS 256u /* at least */

static void gspi_downsets_layout_growth(gspi_downsets_bump *b, gspi_downsets_growth *w,
    const gsp_downsets_units *u, const gspi_downsets_room *room)
{
    w->ready = gspi_downsets_words(b, room->ring * gspi_downsets_width(u));
    w->hash = gspi_downsets_words(b, room->all);
    w->from = gspi_downsets_words(b, room->all);
    w->last = gspi_downsets_words(b, room->all);
    w->slots = gspi_downsets_words(b, 4u * room->fresh + GSPI_DOWNSETS_SLOTS);
    w->place = gspi_downsets_words(b, room->beam != 0u ? room->fresh : 0u);
    w->best = gspi_downsets_words(b, room->beam);
}

/* Numbers of devices and cores. */
static uint64_t gspi_downsets_ways(const gsp_downsets_desc *d)
{
    return gspi_downsets_times((uint64_t)d->n_cores + 1u, (uint64_t)d->n_devices + 1u);
}

static void gspi_downsets_layout_tables(
    gspi_downsets_bump *b, gspi_downsets_tables *w, const gsp_downsets_desc *d, uint64_t sets)
{
    uint64_t const entries = gspi_downsets_times(sets, gspi_downsets_ways(d));
    w->seen = gspi_downsets_words(b, sets);
    w->low = gspi_downsets_words(b, sets);
    w->high = gspi_downsets_words(b, sets);
    w->left = gspi_downsets_longs(b, sets);
    w->best = gspi_downsets_longs(b, entries);
    w->next = gspi_downsets_words(b, entries);
    w->taken = gspi_downsets_words(b, entries);
    w->ticks = gspi_downsets_longs(b, (uint64_t)d->n_devices + 1u);
}

static void gspi_downsets_layout_plan(gspi_downsets_bump *b, gspi_downsets_plan *w,
    const gsp_downsets_units *u, const gsp_downsets_desc *d)
{
    uint64_t const n = gspi_downsets_stages(u, d);
    w->at = (gspi_downsets_stage *)gspi_downsets_push(b, n, sizeof(gspi_downsets_stage), 1);
    w->cost = gspi_downsets_longs(b, n);
    w->count = gspi_downsets_words(b, n * u->n_values);
    w->rest = gspi_downsets_words(b, n + 1u);
}

/* Sets of so many corners of a cube have at most n / 2 log2 n edges (Harper 1964). */
static uint64_t gspi_downsets_edges(uint64_t n)
{
    uint64_t bits = 0;
    while (((uint64_t)1u << bits) < n) {
        bits++;
    }
    return n * bits / 2u + 1u;
}

/* Room for so many sets; n units have no more than 2^n. */
static void gspi_downsets_fit(
    gspi_downsets_room *room, uint32_t n, uint64_t kept, uint64_t fresh, uint64_t all)
{
    uint64_t const most = n < 32u ? (uint64_t)1u << n : UINT64_MAX;
    room->kept = gspi_downsets_least(kept, most);
    room->fresh = gspi_downsets_least(fresh, most);
    room->all = gspi_downsets_least(all, most);
    room->n_edges = gspi_downsets_edges(room->all);
}

/* Some sets of each size, and beginnings of orders; no set if there is no room for one. */
static void gspi_downsets_room_some(
    gspi_downsets_room *room, const gsp_downsets_units *u, const gsp_downsets_desc *d)
{
    uint64_t const beam =
        gspi_downsets_least(d->max_sets / ((uint64_t)u->n + 1u), GSPI_DOWNSETS_BEAM);
    uint64_t const size = beam + GSPI_DOWNSETS_ORDERS - (d->n_start == 0u ? 1u : 0u);
    uint64_t const each = size * u->n;
    room->beam = (uint32_t)beam;
    room->limit = (uint32_t)gspi_downsets_least(d->max_work / 8u, UINT32_MAX);
    gspi_downsets_fit(room, u->n, each + 1u, each, 2u * each + 1u);
    room->ring = gspi_downsets_least(2u * size, room->kept);
}

/* All sets. The last set before there are too many can lead to n others. */
static void gspi_downsets_room_all(
    gspi_downsets_room *room, const gsp_downsets_units *u, const gsp_downsets_desc *d)
{
    uint64_t const limit = gspi_downsets_least(d->max_work / 256u, d->max_sets);
    room->beam = 0;
    room->limit = (uint32_t)limit;
    gspi_downsets_fit(room, u->n, limit + 1u, limit + u->n + 1u, limit + u->n + 1u);
    room->ring = room->kept;
}

GSPI_DOWNSETS_OWN_FRAME uint64_t gspi_downsets_measure(
    const gsp_downsets_units *u, const gsp_downsets_desc *d)
{
    gspi_downsets_bump b = {NULL, 2u * GSP_BOUND_SLACK};
    gspi_downsets_base base;
    (void)gspi_downsets_push(&b, 1, sizeof(gspi_downsets), 1);
    gspi_downsets_layout(&b, &base, u, d);
    return b.used;
}

GSPI_DOWNSETS_OWN_FRAME uint64_t gspi_downsets_measure_growth(
    const gsp_downsets_units *u, const gspi_downsets_room *room)
{
    gspi_downsets_bump b = {NULL, 0u};
    gspi_downsets_growth growth;
    gspi_downsets_layout_growth(&b, &growth, u, room);
    return b.used;
}

/* Of the work on sets that are made. */
GSPI_DOWNSETS_OWN_FRAME uint64_t gspi_downsets_measure_use(
    const gsp_downsets_units *u, const gsp_downsets_desc *d, uint64_t sets)
{
    gspi_downsets_bump b = {NULL, 0u};
    gspi_downsets_bump moves = {NULL, 0u};
    gspi_downsets_tables tables;
    gspi_downsets_plan plan;
    gspi_downsets_layout_tables(&b, &tables, d, sets);
    gspi_downsets_layout_plan(&moves, &plan, u, d);
    return b.used > moves.used ? b.used : moves.used;
}

/* Of sets, and the most that is needed beside them at once. */
GSPI_DOWNSETS_OWN_FRAME uint64_t gspi_downsets_measure_sets(
    const gsp_downsets_units *u, const gsp_downsets_desc *d, const gspi_downsets_room *room)
{
    gspi_downsets_bump b = {NULL, 0u};
    gspi_downsets_sets sets;
    uint64_t const growth = gspi_downsets_measure_growth(u, room);
    uint64_t const use = gspi_downsets_measure_use(u, d, room->kept);
    gspi_downsets_layout_sets(&b, &sets, u, room);
    return gspi_downsets_add(b.used, growth > use ? growth : use);
}

/* Sets that fit in the bytes, by a rough count of what each takes. */
static uint32_t gspi_downsets_default(const gsp_downsets_units *u, const gsp_downsets_desc *d)
{
    uint64_t const each = gspi_downsets_add(8u * (uint64_t)gspi_downsets_width(u) + 64u,
        gspi_downsets_times(gspi_downsets_ways(d), 16u));
    return (uint32_t)(GSP_DOWNSETS_BYTES / each);
}

/* The desc with its defaults. */
GSPI_DOWNSETS_OWN_FRAME void gspi_downsets_want(
    const gsp_downsets_units *u, const gsp_downsets_desc *desc, gsp_downsets_desc *d)
{
    static gsp_downsets_desc const none = {0u, 0, 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0, NULL, NULL, 0,
        0, 0, NULL, 0, 0, 0, NULL, NULL, 0u};
    *d = desc != NULL ? *desc : none;
    d->n_devices = d->n_devices == 0u ? 1u : d->n_devices;
    d->copies = d->copies == 0u ? 1u : d->copies;
    d->memory = d->memory == 0u ? UINT64_MAX : d->memory;
    d->max_sets = d->max_sets == 0u ? gspi_downsets_default(u, d) : d->max_sets;
    d->max_sets = d->max_sets > GSP_DOWNSETS_SETS ? GSP_DOWNSETS_SETS : d->max_sets;
    d->max_work = d->max_work == 0u ? GSP_DOWNSETS_WORK : d->max_work;
}

static size_t gspi_downsets_bound(const gsp_downsets_units *u, const gsp_downsets_desc *d)
{
    uint64_t used = gspi_downsets_measure(u, d);
    gspi_downsets_room room;
    gspi_downsets_room_some(&room, u, d);
    if (room.beam != 0u) {
        uint64_t const some = gspi_downsets_measure_sets(u, d, &room);
        gspi_downsets_room_all(&room, u, d);
        uint64_t const all = gspi_downsets_measure_sets(u, d, &room);
        used = gspi_downsets_add(used, some > all ? some : all);
    }
    return used < SIZE_MAX && (uint64_t)d->n_devices + d->n_cores < GSP_NONE ? (size_t)used
                                                                             : SIZE_MAX;
}

/* ---- What is given ---- */

static const char *gspi_downsets_missing(const gsp_downsets_units *u)
{
    if (u->n == 0u) {
        return NULL;
    }
    return u->after.begin == NULL                                ? GSPI_DOWNSETS_FIELD("after")
           : u->after.begin[u->n] != 0u && u->after.at == NULL   ? GSPI_DOWNSETS_FIELD("after")
           : u->values.begin == NULL                             ? GSPI_DOWNSETS_FIELD("values")
           : u->values.begin[u->n] != 0u && u->values.at == NULL ? GSPI_DOWNSETS_FIELD("values")
           : u->own == NULL                                      ? GSPI_DOWNSETS_FIELD("own")
           : u->n_values != 0u && u->shared == NULL ? GSPI_DOWNSETS_ROWS("shared", "n_values")
                                                    : NULL;
}

size_t gsp_downsets_bound(const gsp_downsets_units *units, const gsp_downsets_desc *desc)
{
    if (units == NULL || gspi_downsets_missing(units) != NULL) {
        return SIZE_MAX;
    }
    gsp_downsets_desc d;
    gspi_downsets_want(units, desc, &d);
    return gspi_downsets_bound(units, &d);
}

/* The first unit whose row does not ascend, or leaves the range; n if none does. With `own` a row
 * need not ascend, but is above the number of its unit. */
static uint32_t gspi_downsets_stray(const gsp_edges *rows, uint32_t n, uint32_t end, int own)
{
    uint32_t unit = 0;
    for (; unit < n; unit++) {
        uint32_t const first = rows->begin[unit];
        uint32_t const last = rows->begin[unit + 1u];
        if (first > last || (unit == 0u && first != 0u)) {
            break;
        }
        uint32_t k = first;
        while (k < last && rows->at[k] < end &&
               (own ? rows->at[k] > unit : k == first || rows->at[k] > rows->at[k - 1u])) {
            k++;
        }
        if (k < last) {
            break;
        }
    }
    return unit;
}

/* No device keeps more microbatches. */
static uint64_t gspi_downsets_most_held(const gsp_downsets_desc *d)
{
    return d->held != NULL ? d->held[0] : d->microbatches;
}

/* More than all that a search adds. */
static uint64_t gspi_downsets_sum(const gsp_downsets_units *u, const gsp_downsets_desc *d)
{
    uint64_t const held = gspi_downsets_most_held(d) + 1u;
    uint64_t sum = gspi_downsets_add(d->first_time, d->last_time);
    sum = gspi_downsets_add(sum, (uint64_t)d->n_devices * d->microbatches);
    for (uint64_t i = 0; i < (uint64_t)u->n + u->n_values; i++) {
        const gsp_downsets_weight *w = i < u->n ? &u->own[i] : &u->shared[i - u->n];
        sum = gspi_downsets_add(sum, gspi_downsets_add(w->time, w->host));
        sum = gspi_downsets_add(sum, gspi_downsets_times(w->move, 2u));
        sum = gspi_downsets_add(sum, gspi_downsets_times(w->sync, 4u));
        sum = gspi_downsets_add(sum, gspi_downsets_times(w->bytes, d->copies));
        sum = gspi_downsets_add(sum, gspi_downsets_times(w->stash, held));
    }
    return sum;
}

/* The first unit whose stage of the start does not exist, or is after one that comes later. */
static uint32_t gspi_downsets_torn(const gsp_downsets_units *u, const gsp_downsets_desc *d)
{
    uint32_t unit = 0;
    for (; d->n_start != 0u && unit < u->n; unit++) {
        uint32_t k = u->after.begin[unit];
        while (k < u->after.begin[unit + 1u] && d->start[unit] <= d->start[u->after.at[k]]) {
            k++;
        }
        if (d->start[unit] >= d->n_start || k < u->after.begin[unit + 1u]) {
            return unit;
        }
    }
    return u->n;
}

static gsp_status gspi_downsets_check_desc(
    const gsp_downsets_units *u, const gsp_downsets_desc *d, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_downsets_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE, "");
    }
    if (d->n_start > d->n_devices) {
        return gspi_downsets_fail(
            err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_NONE, GSPI_DOWNSETS_FIELD("n_start"));
    }
    if (d->n_start != 0u && u->n != 0u && d->start == NULL) {
        const char *field = GSPI_DOWNSETS_ROWS("start", "n_start");
        return gspi_downsets_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    for (uint32_t s = 1; s < d->n_devices && d->held != NULL; s++) {
        if (d->held[s] > d->held[s - 1u]) {
            (void)gspi_downsets_fail(err, GSP_STATUS_ARG, GSP_DETAIL_HELD, s, "");
            if (err != NULL) {
                err->what = GSP_WHAT_STAGE;
            }
            return GSP_STATUS_ARG;
        }
    }
    return GSP_OK;
}

static gsp_status gspi_downsets_check(
    const gsp_downsets_units *u, const gsp_downsets_desc *d, gsp_error *err)
{
    gsp_status const status = gspi_downsets_check_desc(u, d, err);
    if (status != GSP_OK) {
        return status;
    }
    const char *field = GSPI_DOWNSETS_FIELD("after");
    uint32_t stray = gspi_downsets_stray(&u->after, u->n, u->n, 1);
    if (stray == u->n) {
        field = GSPI_DOWNSETS_FIELD("values");
        stray = gspi_downsets_stray(&u->values, u->n, u->n_values, 0);
    }
    if (stray < u->n) {
        return gspi_downsets_fail(err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, stray, field);
    }
    uint32_t const torn = gspi_downsets_torn(u, d);
    if (torn < u->n) {
        return gspi_downsets_fail(err, GSP_STATUS_ARG, GSP_DETAIL_STAGE, torn, "");
    }
    return gspi_downsets_sum(u, d) <= GSPI_DOWNSETS_MOST
               ? GSP_OK
               : gspi_downsets_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, GSP_NONE, "");
}

/* ---- Sets ---- */

static int gspi_downsets_in(const uint32_t *set, uint32_t unit)
{
    return (set[unit / 32u] >> (unit % 32u) & 1u) != 0u;
}

static void gspi_downsets_put(uint32_t *set, uint32_t unit)
{
    set[unit / 32u] |= (uint32_t)1u << (unit % 32u);
}

static uint32_t *gspi_downsets_row(const gspi_downsets *w, uint32_t set)
{
    return w->sets.rows + w->sets.width * set;
}

static int gspi_downsets_has(const gspi_downsets *w, uint32_t set, uint32_t unit)
{
    return gspi_downsets_in(gspi_downsets_row(w, set), unit);
}

static uint32_t gspi_downsets_hash(uint32_t unit)
{
    uint32_t h = (unit + 1u) * 0x9E3779B1u;
    h = (h ^ h >> 16u) * 0x85EBCA6Bu;
    return h ^ h >> 13u;
}

static int gspi_downsets_is_ready(const gspi_downsets *w, uint32_t unit, const uint32_t *set)
{
    const gspi_downsets_rows *before = &w->base.before;
    uint32_t k = before->begin[unit];
    while (k < before->begin[unit + 1u] && gspi_downsets_in(set, before->at[k])) {
        k++;
    }
    return k == before->begin[unit + 1u];
}

static int gspi_downsets_goes_on(gspi_downsets *w)
{
    if (w->d.progress != NULL && w->r.stopped == 0u) {
        w->r.stopped = w->d.progress(w->d.progress_user, w->r.work) != 0 ? 1u : 0u;
    }
    return w->r.stopped == 0u;
}

/* ---- The table of the next size ---- */

/* Whether each of two sets of this size has one unit that the other lacks. */
static int gspi_downsets_is_near(const gspi_downsets *w, uint32_t a, uint32_t b)
{
    const uint32_t *x = gspi_downsets_row(w, a);
    const uint32_t *y = gspi_downsets_row(w, b);
    uint32_t n = 0;
    for (size_t i = 0; i < w->sets.width && n < 2u; i++) {
        for (uint32_t only = x[i] & ~y[i]; only != 0u; only &= only - 1u) {
            n++;
        }
    }
    return n == 1u;
}

/* Whether a set of the next size is what another one becomes with a unit. */
static int gspi_downsets_is_same(const gspi_downsets *w, uint32_t set, uint32_t from, uint32_t unit)
{
    const gspi_downsets_growth *g = &w->grow;
    return gspi_downsets_has(w, g->from[set], unit) && gspi_downsets_has(w, from, g->last[set]) &&
           gspi_downsets_is_near(w, g->from[set], from);
}

/* The place of what a set becomes with a unit. */
static uint32_t *gspi_downsets_slot(
    const gspi_downsets *w, uint32_t from, uint32_t unit, uint32_t hash)
{
    const gspi_downsets_growth *g = &w->grow;
    uint32_t slot = hash & g->mask;
    while (
        g->slots[slot] != GSP_NONE && (g->hash[g->slots[slot]] != hash ||
                                          !gspi_downsets_is_same(w, g->slots[slot], from, unit))) {
        slot = (slot + 1u) & g->mask;
    }
    return &g->slots[slot];
}

/* Sets from `level` on, in a table that is at most half full. All are different. */
static void gspi_downsets_fill_slots(gspi_downsets *w)
{
    const gspi_downsets_growth *g = &w->grow;
    gspi_downsets_fill(g->slots, (size_t)g->mask + 1u, GSP_NONE);
    for (uint32_t i = g->level; i < w->sets.n; i++) {
        uint32_t slot = g->hash[i] & g->mask;
        while (g->slots[slot] != GSP_NONE) {
            slot = (slot + 1u) & g->mask;
        }
        g->slots[slot] = i;
    }
}

/* ---- From one size to the next ---- */

/* The values that have units on both sides, after the last unit has come. */
static void gspi_downsets_weigh(gspi_downsets *w, uint32_t set)
{
    const gspi_downsets_rows *members = &w->base.members;
    const gsp_edges *values = &w->u->values;
    gspi_downsets_sets *s = &w->sets;
    uint32_t const unit = w->grow.last[set];
    const uint32_t *row = gspi_downsets_row(w, w->grow.from[set]);
    s->move[set] = s->move[w->grow.from[set]];
    s->stash[set] = s->stash[w->grow.from[set]];
    for (uint32_t k = values->begin[unit]; k < values->begin[unit + 1u]; k++) {
        uint32_t const value = values->at[k];
        uint32_t const end = members->begin[value + 1u];
        uint32_t in = 1;
        for (uint32_t i = members->begin[value]; i < end; i++) {
            in += gspi_downsets_in(row, members->at[i]) ? 1u : 0u;
        }
        if (in == 1u) {
            s->move[set] += w->u->shared[value].move;
            s->stash[set] += w->u->shared[value].stash;
        }
        if (in == end - members->begin[value]) {
            s->move[set] -= w->u->shared[value].move;
            s->stash[set] -= w->u->shared[value].stash;
        }
    }
}

/* Adds what a set becomes with a unit, unless it is there. */
static void gspi_downsets_add_set(gspi_downsets *w, uint32_t from, uint32_t unit)
{
    gspi_downsets_sets *s = &w->sets;
    gspi_downsets_growth *g = &w->grow;
    uint32_t const hash = g->hash[from] ^ gspi_downsets_hash(unit);
    uint32_t *slot = gspi_downsets_slot(w, from, unit, hash);
    s->unit[g->n_edges] = unit;
    s->to[g->n_edges++] = *slot == GSP_NONE ? s->n : *slot;
    if (*slot != GSP_NONE) {
        return;
    }
    *slot = s->n;
    g->hash[s->n] = hash;
    g->from[s->n] = from;
    g->last[s->n] = unit;
    gspi_downsets_weigh(w, s->n++);
    if ((s->n - g->level) * 2u >= g->mask) {
        g->mask = g->mask * 2u + 1u;
        gspi_downsets_fill_slots(w);
    }
}

/* The units that can come next after a set of this size, or of the next one. Sizes lie at either
 * end in turn. */
static uint32_t *gspi_downsets_ready(const gspi_downsets *w, uint32_t set)
{
    const gspi_downsets_growth *g = &w->grow;
    int const is_next = set >= g->level;
    size_t const i = set - (is_next ? g->level : g->begin);
    return g->ready + w->sets.width * (is_next == g->odd ? i : (size_t)w->room.ring - 1u - i);
}

/* The rows of the sets of the next size, and which units are ready. */
static void gspi_downsets_write_rows(gspi_downsets *w)
{
    const gspi_downsets_growth *g = &w->grow;
    const gsp_edges *after = &w->u->after;
    size_t const width = w->sets.width;
    for (uint32_t set = g->level; set < w->sets.n; set++) {
        uint32_t const unit = g->last[set];
        uint32_t *row = gspi_downsets_row(w, set);
        uint32_t *ready = gspi_downsets_ready(w, set);
        gspi_downsets_copy(row, gspi_downsets_row(w, g->from[set]), width);
        gspi_downsets_copy(ready, gspi_downsets_ready(w, g->from[set]), width);
        gspi_downsets_put(row, unit);
        ready[unit / 32u] &= ~((uint32_t)1u << (unit % 32u));
        for (uint32_t k = after->begin[unit]; k < after->begin[unit + 1u]; k++) {
            if (gspi_downsets_is_ready(w, after->at[k], row)) {
                gspi_downsets_put(ready, after->at[k]);
            }
        }
    }
}

/* The unit that an order has at a place. */
static uint32_t gspi_downsets_unit_at(const gspi_downsets *w, uint32_t order, uint32_t place)
{
    return w->base.orders[(size_t)order * w->u->n + place];
}

/* Edges of a set of this size, of which `end` is the end. */
static uint32_t gspi_downsets_last_edge(const gspi_downsets *w, uint32_t set, uint32_t end)
{
    return set + 1u < end ? w->sets.begin[set + 1u] : w->grow.n_edges;
}

/* The edge by which a set gets a unit; `last` if it has none. */
static uint32_t gspi_downsets_edge_of(
    const gspi_downsets *w, uint32_t set, uint32_t unit, uint32_t last)
{
    uint32_t k = w->sets.begin[set];
    while (k < last && w->sets.unit[k] != unit) {
        k++;
    }
    return k;
}

/* Follows the orders to the sets of the next size. */
static void gspi_downsets_follow(gspi_downsets *w, uint32_t size, uint32_t end)
{
    gspi_downsets_growth *g = &w->grow;
    for (uint32_t i = 0; i < g->n_orders; i++) {
        uint32_t const last = gspi_downsets_last_edge(w, g->reach[i], end);
        uint32_t const unit = gspi_downsets_unit_at(w, i, size);
        g->reach[i] = w->sets.to[gspi_downsets_edge_of(w, g->reach[i], unit, last)];
    }
}

static int gspi_downsets_is_beginning(const gspi_downsets *w, uint32_t set)
{
    uint32_t i = 0;
    while (i < w->grow.n_orders && w->grow.reach[i] != set) {
        i++;
    }
    return i < w->grow.n_orders;
}

/* Marks the `beam` sets of the next size with least to move, of equal ones the first. */
static void gspi_downsets_mark_best(gspi_downsets *w)
{
    const uint64_t *move = w->sets.move + w->grow.level;
    uint32_t const n = w->sets.n - w->grow.level;
    uint32_t const beam = w->room.beam;
    uint32_t *best = w->grow.best; /* ascending */
    uint32_t n_best = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = n_best;
        w->grow.place[i] = 0;
        if (at == beam && move[best[at - 1u]] <= move[i]) {
            continue;
        }
        at -= at == beam ? 1u : 0u;
        for (; at > 0u && move[best[at - 1u]] > move[i]; at--) {
            best[at] = best[at - 1u];
        }
        best[at] = i;
        n_best += n_best < beam ? 1u : 0u;
    }
    for (uint32_t i = 0; i < n_best; i++) {
        w->grow.place[best[i]] = 1u;
    }
}

/* Of the sets of the next size the `beam` with least to move remain, and the beginnings of orders;
 * edges from `first_edge` on lead to them. */
static void gspi_downsets_keep_best(gspi_downsets *w, uint32_t first_edge)
{
    gspi_downsets_sets *s = &w->sets;
    gspi_downsets_growth *g = &w->grow;
    uint32_t const end = s->n;
    gspi_downsets_mark_best(w);
    s->n = g->level;
    for (uint32_t set = g->level; set < end; set++) {
        uint32_t *to = &g->place[set - g->level];
        if (*to == 0u && !gspi_downsets_is_beginning(w, set)) {
            *to = GSP_NONE;
            continue;
        }
        g->hash[s->n] = g->hash[set];
        g->from[s->n] = g->from[set];
        g->last[s->n] = g->last[set];
        s->move[s->n] = s->move[set];
        s->stash[s->n] = s->stash[set];
        *to = s->n++;
    }
    for (uint32_t i = first_edge; i < g->n_edges; i++) {
        s->to[i] = g->place[s->to[i] - g->level];
    }
    for (uint32_t i = 0; i < g->n_orders; i++) {
        g->reach[i] = g->place[g->reach[i] - g->level];
    }
}

/* Edges of removed sets are removed, too. */
static void gspi_downsets_close_edges(gspi_downsets *w, uint32_t begin, uint32_t end)
{
    gspi_downsets_sets *s = &w->sets;
    uint32_t const n_edges = w->grow.n_edges;
    uint32_t at = s->begin[begin];
    w->grow.n_edges = at;
    for (uint32_t set = begin; set < end; set++) {
        uint32_t const last = set + 1u < end ? s->begin[set + 1u] : n_edges;
        s->begin[set] = w->grow.n_edges;
        for (; at < last; at++) {
            if (s->to[at] != GSP_NONE) {
                s->unit[w->grow.n_edges] = s->unit[at];
                s->to[w->grow.n_edges++] = s->to[at];
            }
        }
    }
}

/* The sets after one: with all ready units, or, if it begins some of the orders, with their next
 * units. */
static void gspi_downsets_expand(gspi_downsets *w, uint32_t set, int all, uint32_t size)
{
    const gspi_downsets_growth *g = &w->grow;
    const uint32_t *ready = gspi_downsets_ready(w, set);
    for (size_t i = 0; i < w->sets.width && all; i++) {
        uint32_t unit = (uint32_t)i * 32u;
        for (uint32_t units = ready[i]; units != 0u; units >>= 1u, unit++) {
            if ((units & 1u) != 0u) {
                gspi_downsets_add_set(w, set, unit);
            }
        }
    }
    for (uint32_t i = 0; i < g->n_orders && !all; i++) {
        uint32_t const unit = gspi_downsets_unit_at(w, i, size);
        if (g->reach[i] == set && gspi_downsets_edge_of(w, set, unit, g->n_edges) == g->n_edges) {
            gspi_downsets_add_set(w, set, unit);
        }
    }
}

/* From one size to the next; 0 if there are too many sets. A beam has only the orders once `limit`
 * edges were there. */
static int gspi_downsets_advance(gspi_downsets *w, uint32_t size)
{
    gspi_downsets_sets *s = &w->sets;
    gspi_downsets_growth *g = &w->grow;
    uint32_t const end = s->n;
    uint32_t const first_edge = g->n_edges;
    uint32_t const beam = w->room.beam;
    int const all = beam == 0u || g->n_ever < w->room.limit;
    g->level = end;
    g->mask = all ? g->mask : GSPI_DOWNSETS_SLOTS - 1u;
    s->complete = s->complete != 0u && all ? 1u : 0u;
    gspi_downsets_fill_slots(w);
    for (uint32_t i = g->begin; i < end; i++) {
        s->begin[i] = g->n_edges;
        gspi_downsets_expand(w, i, all, size);
        if (beam == 0u && s->n > w->room.limit) {
            return 0;
        }
    }
    gspi_downsets_follow(w, size, end);
    g->n_ever += (g->n_edges - first_edge) * (1u + (uint64_t)s->width / 64u);
    if (beam != 0u && s->n - g->level > beam) {
        gspi_downsets_keep_best(w, first_edge);
        gspi_downsets_close_edges(w, g->begin, end);
        s->complete = 0;
    }
    gspi_downsets_write_rows(w);
    g->begin = end;
    g->odd = !g->odd;
    return 1;
}

/* The empty set. */
static void gspi_downsets_start(gspi_downsets *w)
{
    gspi_downsets_sets *s = &w->sets;
    gspi_downsets_growth *g = &w->grow;
    s->n = 1;
    s->complete = 1;
    s->width = gspi_downsets_width(w->u);
    gspi_downsets_fill(s->rows, s->width, 0);
    gspi_downsets_fill(g->ready, s->width, 0);
    gspi_downsets_fill(g->reach, GSPI_DOWNSETS_ORDERS, 0);
    s->move[0] = 0;
    s->stash[0] = 0;
    g->hash[0] = 0;
    g->mask = GSPI_DOWNSETS_SLOTS - 1u;
    g->begin = 0;
    g->level = 1;
    g->odd = 0;
    g->n_edges = 0;
    g->n_ever = 0;
    for (uint32_t unit = 0; unit < w->u->n; unit++) {
        if (gspi_downsets_is_ready(w, unit, s->rows)) {
            gspi_downsets_put(g->ready, unit);
        }
    }
}

/* Sets of all sizes in turn; 0 if the last one is not the whole. */
GSPI_DOWNSETS_OWN_FRAME int gspi_downsets_make(gspi_downsets *w)
{
    gspi_downsets_sets *s = &w->sets;
    gspi_downsets_bump b = {w->arena, 0u};
    gspi_downsets_layout_sets(&b, s, w->u, &w->room);
    gsp_mark const mark = gsp_arena_mark(w->arena);
    gspi_downsets_layout_growth(&b, &w->grow, w->u, &w->room);
    gspi_downsets_start(w);
    uint32_t size = 0;
    while (size < w->u->n && gspi_downsets_goes_on(w) && gspi_downsets_advance(w, size)) {
        size++;
    }
    gsp_arena_rewind(w->arena, mark);
    if (size < w->u->n) {
        return 0;
    }
    s->begin[s->n - 1u] = w->grow.n_edges; /* of the whole set */
    s->begin[s->n] = w->grow.n_edges;
    return 1;
}

/* ---- What a stage costs ---- */

static void gspi_downsets_join(gsp_downsets_weight *a, const gsp_downsets_weight *b)
{
    a->time += b->time;
    a->host += b->host;
    a->bytes += b->bytes;
    a->sync += b->sync;
    a->stash += b->stash;
    a->no_device += b->no_device != 0u ? 1u : 0u;
    a->no_host += b->no_host != 0u ? 1u : 0u;
}

static void gspi_downsets_part(gsp_downsets_weight *a, const gsp_downsets_weight *b)
{
    a->time -= b->time;
    a->host -= b->host;
    a->bytes -= b->bytes;
    a->sync -= b->sync;
    a->stash -= b->stash;
    a->no_device -= b->no_device != 0u ? 1u : 0u;
    a->no_host -= b->no_host != 0u ? 1u : 0u;
}

/* Whether a value is carried by what comes before the stage, which begins after the set `from`; not
 * if that is GSP_NONE. What is known of a value stays while the set is the same. */
static int gspi_downsets_is_stashed(gspi_downsets *w, uint32_t value, uint32_t from)
{
    const gspi_downsets_rows *members = &w->base.members;
    uint32_t *earlier = &w->base.earlier[value];
    uint32_t k = members->begin[value];
    if (from == GSP_NONE) {
        return 0;
    }
    if (*earlier / 2u != from + 1u) {
        while (k < members->begin[value + 1u] && !gspi_downsets_has(w, from, members->at[k])) {
            k++;
        }
        *earlier = (from + 1u) * 2u + (k < members->begin[value + 1u] ? 1u : 0u);
    }
    return (int)(*earlier & 1u);
}

/* `count`: units of each value in the stage. */
static void gspi_downsets_enter(
    gspi_downsets *w, gspi_downsets_stage *at, uint32_t unit, uint32_t *count, uint32_t from)
{
    const gsp_downsets_units *u = w->u;
    const uint32_t *members = w->base.members.begin;
    gspi_downsets_join(&at->sum, &u->own[unit]);
    at->n++;
    for (uint32_t k = u->values.begin[unit]; k < u->values.begin[unit + 1u]; k++) {
        uint32_t const value = u->values.at[k];
        const gsp_downsets_weight *shared = &u->shared[value];
        count[value]++;
        if (count[value] == 1u) {
            at->sum.move += shared->move;
            at->sum.bytes += shared->bytes;
            at->sum.sync += shared->sync;
            at->sum.stash += gspi_downsets_is_stashed(w, value, from) ? 0u : shared->stash;
        }
        if (count[value] == members[value + 1u] - members[value]) {
            at->sum.move -= shared->move;
        }
    }
}

static void gspi_downsets_exit(
    gspi_downsets *w, gspi_downsets_stage *at, uint32_t unit, uint32_t *count, uint32_t from)
{
    const gsp_downsets_units *u = w->u;
    const uint32_t *members = w->base.members.begin;
    gspi_downsets_part(&at->sum, &u->own[unit]);
    at->n--;
    for (uint32_t k = u->values.begin[unit]; k < u->values.begin[unit + 1u]; k++) {
        uint32_t const value = u->values.at[k];
        const gsp_downsets_weight *shared = &u->shared[value];
        if (count[value] == members[value + 1u] - members[value]) {
            at->sum.move += shared->move;
        }
        if (count[value] == 1u) {
            at->sum.move -= shared->move;
            at->sum.bytes -= shared->bytes;
            at->sum.sync -= shared->sync;
            at->sum.stash -= gspi_downsets_is_stashed(w, value, from) ? 0u : shared->stash;
        }
        count[value]--;
    }
}

/* Microbatches that a replica keeps; `rest`: devices from the stage on. */
static uint64_t gspi_downsets_held(const gsp_downsets_desc *d, uint32_t rest, uint32_t devices)
{
    uint64_t const most = rest < d->microbatches ? rest : d->microbatches;
    uint64_t const held = d->held != NULL ? d->held[d->n_devices - rest] : most;
    return (held + devices - 1u) / devices;
}

static uint64_t gspi_downsets_ticks(
    const gsp_downsets_desc *d, const gsp_downsets_weight *w, uint64_t extra, uint32_t devices)
{
    uint64_t const share = (uint64_t)devices * d->microbatches;
    uint64_t const ticks = w->time + w->move + extra;
    if (devices == 1u) {
        return ticks;
    }
    return (ticks + devices - 1u) / devices +
           (share != 0u ? (w->sync * 4u + share - 1u) / share * (devices - 1u) : 0u);
}

/* `ticks`: see gspi_downsets_ticks(), or UINT64_MAX. `peak`: bytes beside those of the units. The
 * result is UINT64_MAX if it does not fit. */
static uint64_t gspi_downsets_cost(const gsp_downsets_desc *d, const gsp_downsets_weight *w,
    uint64_t ticks, uint64_t peak, uint32_t rest, uint32_t devices)
{
    if (ticks == UINT64_MAX || w->no_device != 0u) {
        return UINT64_MAX;
    }
    if (!d->by_bytes && d->memory == UINT64_MAX) {
        return ticks;
    }
    uint64_t const bytes = gspi_downsets_add(
        w->bytes * d->copies + w->stash * gspi_downsets_held(d, rest, devices), peak);
    return bytes > d->memory ? UINT64_MAX : d->by_bytes ? bytes : ticks;
}

static uint64_t gspi_downsets_core_cost(
    const gsp_downsets_desc *d, const gsp_downsets_weight *w, uint64_t extra)
{
    return w->no_host != 0u ? UINT64_MAX : d->by_bytes ? 0u : w->host + extra;
}

/* Ticks that a unit takes wherever it is. */
static uint64_t gspi_downsets_least_time(const gsp_downsets_desc *d, const gsp_downsets_weight *w)
{
    int const host =
        d->n_cores != 0u && w->no_host == 0u && (w->host < w->time || w->no_device != 0u);
    return host ? w->host : w->time;
}

/* Whether a stage, and all that contain it, cost too much. */
static int gspi_downsets_is_over(
    const gsp_downsets_desc *d, const gsp_downsets_weight *w, uint64_t best)
{
    uint32_t const most = d->replicas ? d->n_devices : 1u;
    uint64_t const bytes = w->bytes * d->copies;
    int const device =
        w->no_device == 0u && bytes <= d->memory && (d->by_bytes ? bytes : w->time / most) < best;
    int const core = d->n_cores != 0u && w->no_host == 0u && (d->by_bytes || w->host < best);
    return !device && !core;
}

/* ---- Dynamic programming ---- */

static size_t gspi_downsets_entry(
    const gspi_downsets *w, uint32_t cores, uint32_t devices, uint32_t set)
{
    return ((size_t)set * ((size_t)w->d.n_cores + 1u) + cores) * ((size_t)w->d.n_devices + 1u) +
           devices;
}

static void gspi_downsets_offer(
    gspi_downsets *w, size_t at, uint64_t cost, size_t after, uint32_t to, uint32_t devices)
{
    gspi_downsets_tables *t = &w->t;
    uint64_t const worst = cost > t->best[after] ? cost : t->best[after];
    if (worst < t->best[at]) {
        t->best[at] = worst;
        t->next[at] = to;
        t->taken[at] = devices;
    }
}

/* The peak of the stage from one set to another. */
static uint64_t gspi_downsets_peak(gspi_downsets *w, uint32_t from, uint32_t to)
{
    for (uint32_t unit = 0; unit < w->u->n; unit++) {
        w->base.place[unit] = (uint8_t)(gspi_downsets_has(w, from, unit) ? 0u
                                        : gspi_downsets_has(w, to, unit) ? 1u
                                                                         : 2u);
    }
    w->r.work = gspi_downsets_add(w->r.work, w->d.peak_work);
    return w->d.peak(w->d.peak_user, w->base.place);
}

/* The peak of a stage, or one above it that fits, too. */
static uint64_t gspi_downsets_peak_within(
    gspi_downsets *w, const gsp_downsets_weight *sum, uint32_t from, uint32_t to)
{
    const gsp_downsets_desc *d = &w->d;
    uint64_t const rest = sum->bytes * d->copies + sum->stash * gspi_downsets_most_held(d);
    return d->by_bytes || gspi_downsets_add(rest, d->peak_most) > d->memory
               ? gspi_downsets_peak(w, from, to)
               : d->peak_most;
}

/* Ticks by devices; those that are no less than the objective are no plan's. Returns the most
 * devices, or 0 if none. */
static uint32_t gspi_downsets_find_ticks(
    gspi_downsets *w, const gsp_downsets_weight *sum, uint64_t extra)
{
    const gsp_downsets_desc *d = &w->d;
    uint64_t *found = w->t.ticks;
    uint32_t const most = d->replicas ? d->n_devices : 1u;
    uint32_t last = 0;
    for (uint32_t devices = 1; devices <= most && sum->no_device == 0u; devices++) {
        found[devices] = UINT64_MAX;
        if (devices == 1u || d->microbatches % devices == 0u) {
            uint64_t const ticks = d->by_bytes ? 0u : gspi_downsets_ticks(d, sum, extra, devices);
            found[devices] = ticks < w->r.objective ? ticks : UINT64_MAX;
        }
        last = found[devices] != UINT64_MAX ? devices : last;
    }
    return last;
}

/* A stage from one set to another. */
typedef struct gspi_downsets_step {
    const gsp_downsets_weight *sum;
    uint32_t from;
    uint32_t to;
    uint32_t most; /* devices */
    uint64_t core; /* its cost on a core */
    uint64_t peak; /* UINT64_MAX until it is asked for */
} gspi_downsets_step;

/* The stage as the first one on so many cores and devices. */
static void gspi_downsets_try_rest(
    gspi_downsets *w, gspi_downsets_step *s, uint32_t cores, uint32_t rest)
{
    const gsp_downsets_desc *d = &w->d;
    const uint64_t *best = w->t.best;
    size_t const at = gspi_downsets_entry(w, cores, rest, s->from);
    if (cores > 0u && s->core < w->r.objective) {
        gspi_downsets_offer(
            w, at, s->core, gspi_downsets_entry(w, cores - 1u, rest, s->to), s->to, 0);
    }
    for (uint32_t devices = 1; devices <= s->most && devices <= rest; devices++) {
        size_t const after = gspi_downsets_entry(w, cores, rest - devices, s->to);
        uint64_t const ticks = w->t.ticks[devices];
        if (best[after] >= best[at]) {
            continue;
        }
        if (s->peak == UINT64_MAX &&
            gspi_downsets_cost(d, s->sum, ticks, 0, rest, devices) < best[at]) {
            s->peak = gspi_downsets_peak_within(w, s->sum, s->from, s->to);
        }
        gspi_downsets_offer(w, at, gspi_downsets_cost(d, s->sum, ticks, s->peak, rest, devices),
            after, s->to, devices);
    }
}

/* All ways to run the stage from one set to another. */
static void gspi_downsets_try(
    gspi_downsets *w, const gsp_downsets_weight *sum, uint32_t from, uint32_t to)
{
    const gsp_downsets_desc *d = &w->d;
    const gspi_downsets_tables *t = &w->t;
    uint64_t const extra =
        (from == 0u ? d->first_time : 0u) + (to + 1u == w->sets.n ? d->last_time : 0u);
    gspi_downsets_step s = {sum, from, to, 0, UINT64_MAX, d->peak != NULL ? UINT64_MAX : 0u};
    s.core = d->n_cores != 0u ? gspi_downsets_core_cost(d, sum, extra) : s.core;
    s.most = gspi_downsets_find_ticks(w, sum, extra);
    uint32_t const least = t->low[to] < w->least ? w->least : t->low[to] + 1u;
    uint64_t last = (uint64_t)t->high[to] + (s.most > 1u ? s.most : 1u);
    last = last < w->most ? last : w->most;
    for (uint32_t cores = 0; cores <= d->n_cores; cores++) {
        uint32_t const begin = least > cores ? least - cores : 0u;
        for (uint32_t rest = begin; rest <= d->n_devices && cores + rest <= last; rest++) {
            gspi_downsets_try_rest(w, &s, cores, rest);
        }
    }
}

/* The stage from one set to another, whose units `at` sums, if what remains has a plan. */
static void gspi_downsets_try_to(
    gspi_downsets *w, const gspi_downsets_stage *at, uint32_t from, uint32_t to)
{
    if (w->t.low[to] > w->t.high[to]) {
        return;
    }
    gsp_downsets_weight sum = at->sum;
    if (w->d.carried) {
        sum.move = w->sets.move[from] + w->sets.move[to];
        sum.stash += w->sets.stash[from];
    }
    gspi_downsets_try(w, &sum, from, to);
}

/* Stages that begin after a set, by their edges; returns 0 if no work remains. */
GSPI_DOWNSETS_OWN_FRAME int gspi_downsets_extend(gspi_downsets *w, uint32_t from)
{
    const gspi_downsets_sets *sets = &w->sets;
    gspi_downsets_frame *path = w->base.path;
    uint32_t *count = w->base.count;
    uint32_t const carries = w->d.carried ? from : GSP_NONE;
    uint32_t depth = 1;
    gspi_downsets_stage at = {{0, 0, 0, 0, 0, 0, 0, 0}, 0};
    path[0].set = from;
    path[0].edge = sets->begin[from];
    while (depth > 0u) {
        gspi_downsets_frame *f = &path[depth - 1u];
        uint32_t const to = f->edge < sets->begin[f->set + 1u] ? sets->to[f->edge] : from;
        if (to == from) {
            if (--depth > 0u) {
                gspi_downsets_exit(w, &at, f->unit, count, carries);
            }
            continue;
        }
        path[depth].unit = sets->unit[f->edge++];
        if (w->t.seen[to] == from) {
            continue;
        }
        w->t.seen[to] = from;
        gspi_downsets_enter(w, &at, path[depth].unit, count, carries);
        w->r.work = gspi_downsets_add(w->r.work, w->cost);
        if (w->r.work > w->d.max_work) {
            return 0;
        }
        if (gspi_downsets_is_over(&w->d, &at.sum, w->r.objective)) {
            gspi_downsets_exit(w, &at, path[depth].unit, count, carries);
            continue;
        }
        path[depth].set = to;
        path[depth++].edge = sets->begin[to];
        gspi_downsets_try_to(w, &at, from, to);
    }
    return 1;
}

/* How many devices and cores may be left to what a set lacks, so that neither that nor what comes
 * before is too much for them; 0 if no number is right. */
static int gspi_downsets_find_range(gspi_downsets *w, uint32_t set)
{
    uint64_t const all = (uint64_t)w->d.n_devices + w->d.n_cores;
    uint64_t const each = w->r.objective;
    uint64_t const before = w->t.left[0] - w->t.left[set];
    w->least = 0;
    w->most = (uint32_t)all;
    if (w->d.by_bytes || each > UINT64_MAX / (all + 1u)) {
        return 1;
    }
    while (w->least <= all && w->least * each <= w->t.left[set]) {
        w->least++;
    }
    while (w->most > 0u && before != 0u && (all - w->most) * each <= before) {
        w->most--;
    }
    return w->least <= w->most;
}

/* The stages of the best entry of the empty set. */
static void gspi_downsets_take_plan(gspi_downsets *w, uint32_t cores, uint32_t devices)
{
    uint32_t set = 0;
    uint32_t n = 0;
    while (set + 1u < w->sets.n) {
        size_t const at = gspi_downsets_entry(w, cores, devices, set);
        uint32_t const to = w->t.next[at];
        for (uint32_t unit = 0; unit < w->u->n; unit++) {
            if (gspi_downsets_has(w, to, unit) && !gspi_downsets_has(w, set, unit)) {
                w->base.stage_of[unit] = n;
            }
        }
        w->base.n_devices[n++] = w->t.taken[at];
        cores -= w->t.taken[at] == 0u ? 1u : 0u;
        devices -= w->t.taken[at];
        set = to;
    }
    w->r.n_stages = n;
}

/* The best of all numbers of devices, of equal ones the first; 0 if none is below the objective. */
static int gspi_downsets_take_best(gspi_downsets *w)
{
    uint32_t const n = w->d.n_devices;
    uint32_t best_cores = 0;
    uint32_t best_devices = 0;
    int found = 0;
    for (uint32_t cores = 0; cores <= w->d.n_cores; cores++) {
        for (uint32_t devices = w->d.exact ? n : 0u; devices <= n; devices++) {
            uint64_t const cost = w->t.best[gspi_downsets_entry(w, cores, devices, 0)];
            if (cost < w->r.objective) {
                w->r.objective = cost;
                best_cores = cores;
                best_devices = devices;
                found = 1;
            }
        }
    }
    if (found) {
        gspi_downsets_take_plan(w, best_cores, best_devices);
    }
    return found;
}

/* Tables of the sets, and the least ticks of what each of them lacks. */
GSPI_DOWNSETS_OWN_FRAME void gspi_downsets_open_tables(gspi_downsets *w)
{
    const gspi_downsets_sets *s = &w->sets;
    gspi_downsets_bump b = {w->arena, 0u};
    gspi_downsets_layout_tables(&b, &w->t, &w->d, s->n);
    for (uint32_t set = s->n; set-- > 0u;) {
        uint32_t const k = s->begin[set];
        w->t.left[set] =
            k == s->begin[set + 1u]
                ? 0u
                : w->t.left[s->to[k]] + gspi_downsets_least_time(&w->d, &w->u->own[s->unit[k]]);
    }
}

/* No plans but that of the whole set. */
static void gspi_downsets_clear_tables(gspi_downsets *w)
{
    uint32_t const n = w->sets.n;
    size_t const all = gspi_downsets_entry(w, 0, 0, n);
    for (size_t i = 0; i < all; i++) {
        w->t.best[i] = UINT64_MAX;
    }
    w->r.work = gspi_downsets_add(w->r.work, all / 4u);
    gspi_downsets_fill(w->t.seen, n, GSP_NONE);
    gspi_downsets_fill(w->t.low, n, GSP_NONE);
    gspi_downsets_fill(w->t.high, n, 0);
    gspi_downsets_fill(w->base.earlier, w->u->n_values, 0);
    gspi_downsets_fill(w->base.count, w->u->n_values, 0);
    w->t.best[gspi_downsets_entry(w, 0, 0, n - 1u)] = 0;
    w->t.low[n - 1u] = 0;
}

/* Notes with how many devices and cores a set has plans. */
static void gspi_downsets_close_set(gspi_downsets *w, uint32_t set)
{
    gspi_downsets_tables *t = &w->t;
    for (uint32_t cores = 0; cores <= w->d.n_cores; cores++) {
        for (uint32_t devices = 0; devices <= w->d.n_devices; devices++) {
            uint32_t const all = cores + devices;
            if (t->best[gspi_downsets_entry(w, cores, devices, set)] != UINT64_MAX) {
                t->low[set] = all < t->low[set] ? all : t->low[set];
                t->high[set] = all > t->high[set] ? all : t->high[set];
            }
        }
    }
}

/* Plans below a bottleneck: 1 if one is found, 0 if there is none, -1 if no work is left. */
static int gspi_downsets_run_below(gspi_downsets *w, uint64_t bottleneck)
{
    int goes_on = 1;
    w->r.objective = bottleneck;
    gspi_downsets_clear_tables(w);
    for (uint32_t set = w->sets.n - 1u; goes_on && set-- > 0u;) {
        goes_on = gspi_downsets_goes_on(w);
        if (goes_on && gspi_downsets_find_range(w, set)) {
            goes_on = gspi_downsets_extend(w, set);
            gspi_downsets_close_set(w, set);
        }
    }
    return goes_on ? gspi_downsets_take_best(w) : -1;
}

/* No stage costs as much. */
static uint64_t gspi_downsets_greatest(const gsp_downsets_units *u, const gsp_downsets_desc *d)
{
    uint64_t const held = gspi_downsets_most_held(d);
    uint64_t sum = d->by_bytes ? d->peak_most : d->first_time + d->last_time;
    for (uint32_t i = 0; i < u->n; i++) {
        const gsp_downsets_weight *w = &u->own[i];
        sum = gspi_downsets_add(sum, d->by_bytes ? w->bytes * d->copies + w->stash * held
                                                 : w->time + w->host + 4u * w->sync);
    }
    for (uint32_t i = 0; i < u->n_values; i++) {
        const gsp_downsets_weight *w = &u->shared[i];
        sum = gspi_downsets_add(sum,
            d->by_bytes ? w->bytes * d->copies + w->stash * held : 2u * w->move + 4u * w->sync);
    }
    return gspi_downsets_add(sum, (uint64_t)d->n_devices + 1u);
}

/* What a search without plan leaves: that of before. */
static void gspi_downsets_go_back(gspi_downsets *w, uint64_t known)
{
    w->r.objective = w->r.n_stages != 0u ? known : UINT64_MAX;
}

/* Guesses ascend from the lower bound. With all downsets, a guess without plan is a new bound. */
static void gspi_downsets_run_guesses(gspi_downsets *w)
{
    gsp_downsets_result *r = &w->r;
    uint64_t const known = gspi_downsets_least(r->objective, gspi_downsets_greatest(w->u, &w->d));
    uint64_t guess = r->lower_bound;
    uint64_t const step = known / 64u + 1u;
    gsp_mark const mark = gsp_arena_mark(w->arena);
    int found = 0;
    gspi_downsets_open_tables(w);
    while (found == 0 && guess < known) {
        guess = known - guess <= guess / 8u + step ? known : guess + guess / 8u + step;
        found = gspi_downsets_run_below(w, guess);
        if (found == 0 && r->complete) {
            r->lower_bound = guess;
        }
    }
    gsp_arena_rewind(w->arena, mark);
    if (found != 1) {
        gspi_downsets_go_back(w, known);
    } else if (r->complete) {
        r->lower_bound = r->objective;
    }
    r->complete = found >= 0 ? r->complete : 0u;
}

/* ---- Lower bounds ---- */

#ifndef GSP_NO_COST

/* Whether unit a comes before unit b: it needs a core, or it takes less there than b does, in
 * relation to devices. */
static int gspi_downsets_is_first(const gsp_downsets_weight *own, uint32_t a, uint32_t b)
{
    const gsp_downsets_weight *x = &own[a];
    const gsp_downsets_weight *y = &own[b];
    double const left = (double)x->host * (double)y->time;
    double const right = (double)y->host * (double)x->time;
    if ((x->no_device != 0u) != (y->no_device != 0u)) {
        return x->no_device != 0u;
    }
    if (left < right) {
        return 1;
    }
    return left > right ? 0 : a < b;
}

/* Lets ids[root] sink in a heap with the last unit on top. */
static void gspi_downsets_sink(
    const gsp_downsets_weight *own, uint32_t *ids, uint32_t root, uint32_t end)
{
    uint32_t const id = ids[root];
    while (root < end / 2u) {
        uint32_t child = 2u * root + 1u;
        if (child + 1u < end && gspi_downsets_is_first(own, ids[child], ids[child + 1u])) {
            child++;
        }
        if (!gspi_downsets_is_first(own, id, ids[child])) {
            break;
        }
        ids[root] = ids[child];
        root = child;
    }
    ids[root] = id;
}

/* Units that need a core come first, then by how much longer they take there than on a device. */
static void gspi_downsets_sort(const gsp_downsets_weight *own, uint32_t *ids, uint32_t n)
{
    for (uint32_t i = n / 2u; i > 0u; i--) {
        gspi_downsets_sink(own, ids, i - 1u, n);
    }
    for (uint32_t i = n; i > 1u; i--) {
        uint32_t const top = ids[0];
        ids[0] = ids[i - 1u];
        ids[i - 1u] = top;
        gspi_downsets_sink(own, ids, 0, i - 1u);
    }
}

/* Whether devices and cores could do all units in `ticks` each, if units were divided at will: the
 * linear relaxation of the assignment. */
static int gspi_downsets_is_enough(
    const gspi_downsets *w, const uint32_t *sorted, uint32_t n, double load, double ticks)
{
    double left = ticks * (double)w->d.n_cores;
    for (uint32_t i = 0; i < n; i++) {
        const gsp_downsets_weight *own = &w->u->own[sorted[i]];
        double const host = (double)own->host;
        if (own->no_device != 0u && host > left) {
            return 0;
        }
        if (host > left) {
            load -= (double)own->time * (left / host);
            break;
        }
        left -= host;
        load -= own->no_device == 0u ? (double)own->time : 0.0;
    }
    return load * (1.0 - 1e-9) <= ticks * (double)w->d.n_devices;
}

/* The least bottleneck of that relaxation, where cores work beside the devices. */
static uint64_t gspi_downsets_shared_bound(const gspi_downsets *w, uint64_t low)
{
    uint32_t *sorted = w->base.waits;
    uint32_t n = 0;
    double load = 0.0;
    uint64_t high = low;
    for (uint32_t i = 0; i < w->u->n; i++) {
        const gsp_downsets_weight *own = &w->u->own[i];
        load += own->no_device == 0u ? (double)own->time : 0.0;
        high += own->no_device != 0u ? own->host : own->time;
        if (own->no_host == 0u) {
            sorted[n++] = i;
        }
    }
    gspi_downsets_sort(w->u->own, sorted, n);
    while (low < high) {
        uint64_t const middle = low + (high - low) / 2u;
        if (gspi_downsets_is_enough(w, sorted, n, load, (double)middle)) {
            high = middle;
        } else {
            low = middle + 1u;
        }
    }
    return low;
}

#endif /* GSP_NO_COST */

/* No plan is below the mean of all devices, nor below the greatest unit. */
static uint64_t gspi_downsets_simple_bound(const gsp_downsets_units *u, const gsp_downsets_desc *d)
{
    uint64_t const n = (uint64_t)d->n_devices + d->n_cores;
    uint64_t sum = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < u->n; i++) {
        const gsp_downsets_weight *own = &u->own[i];
        uint64_t least = d->by_bytes ? own->bytes * d->copies : gspi_downsets_least_time(d, own);
        least = d->by_bytes && d->n_cores != 0u && own->no_host == 0u ? 0u : least;
        sum += least;
        least = d->replicas && !d->by_bytes ? least / d->n_devices : least;
        most = least > most ? least : most;
    }
    sum = d->by_bytes && d->replicas ? 0u : (sum + n - 1u) / n;
    return sum > most ? sum : most;
}

static uint64_t gspi_downsets_lower(const gspi_downsets *w)
{
    uint64_t low = gspi_downsets_simple_bound(w->u, &w->d);
#ifndef GSP_NO_COST
    if (w->d.n_cores != 0u && !w->d.by_bytes) {
        low = gspi_downsets_shared_bound(w, low);
    }
#endif
    return low;
}

/* ---- Where to start ---- */

/* An order of the units: by number (0), the ready unit that became so first (1) or last (2). */
static void gspi_downsets_make_order(const gspi_downsets *w, uint32_t kind, uint32_t *order)
{
    const gsp_edges *after = &w->u->after;
    uint32_t *waits = w->base.waits;
    uint32_t const n = w->u->n;
    uint32_t n_ready = 0;
    for (uint32_t i = 0; i < n; i++) {
        waits[i] = w->base.before.begin[i + 1u] - w->base.before.begin[i];
        if (kind == 0u || waits[i] == 0u) {
            order[n_ready++] = i;
        }
    }
    for (uint32_t at = 0; kind != 0u && at < n; at++) {
        uint32_t const unit = kind == 2u ? order[n_ready - 1u] : order[at];
        if (kind == 2u) {
            for (uint32_t i = n_ready - 1u; i > at; i--) {
                order[i] = order[i - 1u];
            }
            order[at] = unit;
        }
        for (uint32_t i = after->begin[unit]; i < after->begin[unit + 1u]; i++) {
            if (--waits[after->at[i]] == 0u) {
                order[n_ready++] = after->at[i];
            }
        }
    }
}

/* The order of the stages that the caller has. */
static void gspi_downsets_order_by_stage(const gspi_downsets *w, uint32_t *order)
{
    uint32_t n = 0;
    for (uint32_t at = 0; n < w->u->n; at++) {
        for (uint32_t i = 0; i < w->u->n; i++) {
            if (w->d.start[i] == at) {
                order[n++] = i;
            }
        }
    }
}

/* What comes before each unit, and the units of each value, by counting. `begin` has n_rows + 1. */
static void gspi_downsets_turn(
    const gsp_edges *rows, uint32_t n, uint32_t n_rows, gspi_downsets_rows *made)
{
    uint32_t const ends = gspi_downsets_ends(rows, n);
    uint32_t sum = 0;
    gspi_downsets_fill(made->begin, (size_t)n_rows + 1u, 0);
    for (uint32_t k = 0; k < ends; k++) {
        made->begin[rows->at[k]]++;
    }
    for (uint32_t i = 0; i <= n_rows; i++) {
        sum += made->begin[i];
        made->begin[i] = sum;
    }
    for (uint32_t unit = n; unit-- > 0u;) {
        for (uint32_t k = rows->begin[unit]; k < rows->begin[unit + 1u]; k++) {
            made->at[--made->begin[rows->at[k]]] = unit;
        }
    }
}

/* ---- Moves of single units ---- */

static uint64_t gspi_downsets_stage_cost(gspi_downsets *w, uint32_t i)
{
    const gsp_downsets_desc *d = &w->d;
    const gspi_downsets_plan *p = &w->p;
    const gsp_downsets_weight *sum = &p->at[i].sum;
    uint32_t const devices = w->base.n_devices[i];
    uint64_t const extra =
        (i == 0u ? d->first_time : 0u) + (i + 1u == w->r.n_stages ? d->last_time : 0u);
    uint64_t peak = 0;
    if (devices == 0u) {
        return gspi_downsets_core_cost(d, sum, extra);
    }
    for (uint32_t unit = 0; d->peak != NULL && unit < w->u->n; unit++) {
        uint32_t const at = w->base.stage_of[unit];
        w->base.place[unit] = (uint8_t)(at < i ? 0u : at == i ? 1u : 2u);
    }
    if (d->peak != NULL) {
        w->r.work = gspi_downsets_add(w->r.work, d->peak_work);
        peak = d->peak(d->peak_user, w->base.place);
    }
    return gspi_downsets_cost(
        d, sum, gspi_downsets_ticks(d, sum, extra, devices), peak, p->rest[i], devices);
}

/* A unit leaves a stage for another one. */
static void gspi_downsets_shift(gspi_downsets *w, uint32_t unit, uint32_t from, uint32_t to)
{
    gspi_downsets_plan *p = &w->p;
    size_t const n_values = w->u->n_values;
    gspi_downsets_exit(w, &p->at[from], unit, p->count + from * n_values, GSP_NONE);
    gspi_downsets_enter(w, &p->at[to], unit, p->count + to * n_values, GSP_NONE);
    w->base.stage_of[unit] = to;
}

/* Moves a unit to an adjacent stage if the greater of the two costs falls, or the lesser and the
 * greater does not rise. */
static int gspi_downsets_try_move(gspi_downsets *w, uint32_t unit, uint32_t to)
{
    uint64_t *cost = w->p.cost;
    uint32_t const from = w->base.stage_of[unit];
    uint64_t const old_most = cost[from] > cost[to] ? cost[from] : cost[to];
    uint64_t const old_least = cost[from] > cost[to] ? cost[to] : cost[from];
    w->r.work = gspi_downsets_add(w->r.work, 1u);
    gspi_downsets_shift(w, unit, from, to);
    uint64_t const a = gspi_downsets_stage_cost(w, from);
    uint64_t const b = gspi_downsets_stage_cost(w, to);
    uint64_t const most = a > b ? a : b;
    if (most > old_most || (most == old_most && gspi_downsets_least(a, b) >= old_least)) {
        gspi_downsets_shift(w, unit, to, from);
        return 0;
    }
    cost[from] = gspi_downsets_stage_cost(w, from);
    cost[to] = gspi_downsets_stage_cost(w, to);
    return 1;
}

/* Whether the order allows a unit in another stage, and its own keeps one. */
static int gspi_downsets_may_move(const gspi_downsets *w, uint32_t unit, uint32_t to)
{
    const uint32_t *stage_of = w->base.stage_of;
    int const back = to < stage_of[unit];
    const uint32_t *begin = back ? w->base.before.begin : w->u->after.begin;
    const uint32_t *at = back ? w->base.before.at : w->u->after.at;
    uint32_t k = begin[unit];
    while (k < begin[unit + 1u] && (back ? stage_of[at[k]] <= to : stage_of[at[k]] >= to)) {
        k++;
    }
    return k == begin[unit + 1u] && w->p.at[stage_of[unit]].n > 1u;
}

/* The sums and costs of the stages. */
static void gspi_downsets_open_plan(gspi_downsets *w)
{
    gspi_downsets_plan *p = &w->p;
    gspi_downsets_stage const none = {{0, 0, 0, 0, 0, 0, 0, 0}, 0};
    uint32_t const n = w->r.n_stages;
    size_t const n_values = w->u->n_values;
    gspi_downsets_bump b = {w->arena, 0u};
    gspi_downsets_layout_plan(&b, p, w->u, &w->d);
    gspi_downsets_fill(p->count, n * n_values, 0);
    for (uint32_t i = 0; i < n; i++) {
        p->at[i] = none;
    }
    for (uint32_t unit = 0; unit < w->u->n; unit++) {
        uint32_t const i = w->base.stage_of[unit];
        gspi_downsets_enter(w, &p->at[i], unit, p->count + i * n_values, GSP_NONE);
    }
    p->rest[n] = 0;
    for (uint32_t i = n; i-- > 0u;) {
        p->rest[i] = p->rest[i + 1u] + w->base.n_devices[i];
        p->cost[i] = gspi_downsets_stage_cost(w, i);
    }
}

static void gspi_downsets_move_units(gspi_downsets *w)
{
    gsp_downsets_result *r = &w->r;
    gsp_mark const mark = gsp_arena_mark(w->arena);
    int moved = 1;
    gspi_downsets_open_plan(w);
    while (moved && r->work < w->d.max_work && gspi_downsets_goes_on(w)) {
        moved = 0;
        for (uint32_t unit = 0; unit < w->u->n; unit++) {
            uint32_t const from = w->base.stage_of[unit];
            if (from > 0u && gspi_downsets_may_move(w, unit, from - 1u) &&
                gspi_downsets_try_move(w, unit, from - 1u)) {
                moved = 1;
            } else if (from + 1u < r->n_stages && gspi_downsets_may_move(w, unit, from + 1u) &&
                       gspi_downsets_try_move(w, unit, from + 1u)) {
                moved = 1;
            }
        }
    }
    r->objective = 0;
    for (uint32_t i = 0; i < r->n_stages; i++) {
        r->objective = w->p.cost[i] > r->objective ? w->p.cost[i] : r->objective;
    }
    gsp_arena_rewind(w->arena, mark);
}

/* ---- The pass ---- */

/* With the few downsets of a beam, or all if they are few. Returns whether these are all. */
GSPI_DOWNSETS_OWN_FRAME int gspi_downsets_search_some(gspi_downsets *w)
{
    gsp_downsets_result *r = &w->r;
    gsp_mark const mark = gsp_arena_mark(w->arena);
    gspi_downsets_room_some(&w->room, w->u, &w->d);
    int const made = gspi_downsets_make(w);
    if (made) {
        r->n_sets = w->sets.n;
        r->all_sets = w->sets.complete;
        r->complete = w->sets.complete;
        gspi_downsets_run_guesses(w);
        if (r->lower_bound < r->objective && r->n_stages != 0u && !w->d.carried) {
            gspi_downsets_move_units(w);
        }
    }
    gsp_arena_rewind(w->arena, mark);
    return made && w->sets.complete != 0u;
}

/* With all downsets: a better plan, or the proof that there is none. */
GSPI_DOWNSETS_OWN_FRAME void gspi_downsets_search_all(gspi_downsets *w)
{
    gsp_downsets_result *r = &w->r;
    gsp_mark const mark = gsp_arena_mark(w->arena);
    uint64_t const known = gspi_downsets_least(r->objective, gspi_downsets_greatest(w->u, &w->d));
    gspi_downsets_room_all(&w->room, w->u, &w->d);
    w->grow.n_orders = 0;
    if (r->lower_bound != known && gspi_downsets_make(w)) {
        r->n_sets = w->sets.n;
        r->all_sets = 1;
        gspi_downsets_open_tables(w);
        int const found = gspi_downsets_run_below(w, known);
        r->complete = found >= 0 ? 1u : 0u;
        if (found <= 0) {
            gspi_downsets_go_back(w, known);
        }
        r->lower_bound = found >= 0 ? gspi_downsets_least(r->objective, known) : r->lower_bound;
    }
    gsp_arena_rewind(w->arena, mark);
}

/* What is given, the other way, and orders to begin with. */
static void gspi_downsets_prepare(gspi_downsets *w)
{
    const gsp_downsets_units *u = w->u;
    uint32_t *orders = w->base.orders;
    gspi_downsets_turn(&u->after, u->n, u->n, &w->base.before);
    gspi_downsets_turn(&u->values, u->n, u->n_values, &w->base.members);
    for (uint32_t i = 0; i + 1u < GSPI_DOWNSETS_ORDERS; i++) {
        gspi_downsets_make_order(w, i, orders + (size_t)i * u->n);
    }
    w->grow.n_orders = GSPI_DOWNSETS_ORDERS - 1u;
    if (w->d.n_start != 0u) {
        gspi_downsets_order_by_stage(w, orders + (size_t)w->grow.n_orders * u->n);
        w->grow.n_orders++;
        gspi_downsets_copy(w->base.stage_of, w->d.start, u->n);
        gspi_downsets_fill(w->base.n_devices, w->d.n_start, 1);
        w->r.n_stages = w->d.n_start;
        w->r.objective = w->d.start_objective;
    }
}

GSPI_DOWNSETS_OWN_FRAME gspi_downsets *gspi_downsets_open(
    gsp_arena *arena, const gsp_downsets_units *u, const gsp_downsets_desc *d)
{
    gsp_downsets_result const none = {0, 0, 0, 0, 0, NULL, NULL, UINT64_MAX, 0, 0};
    gspi_downsets_bump b = {arena, 0u};
    gspi_downsets *w = (gspi_downsets *)gspi_downsets_push(&b, 1, sizeof(gspi_downsets), 1);
    uint64_t const ways =
        gspi_downsets_times(gspi_downsets_ways(d), d->replicas ? d->n_devices : 2u);
    w->arena = arena;
    w->u = u;
    w->d = *d;
    w->r = none;
    w->cost = 1u + ways / 8u;
    gspi_downsets_layout(&b, &w->base, u, d);
    w->r.stage_of = w->base.stage_of;
    w->r.n_devices = w->base.n_devices;
    gspi_downsets_prepare(w);
    w->r.lower_bound = gspi_downsets_lower(w);
    return w;
}

static gsp_status gspi_downsets_arguments(const gsp_arena *arena, const gsp_downsets_units *units,
    const gsp_downsets_result *result, gsp_error *err)
{
    const char *field = arena == NULL    ? GSPI_DOWNSETS_FIELD("arena")
                        : units == NULL  ? GSPI_DOWNSETS_FIELD("units")
                        : result == NULL ? GSPI_DOWNSETS_FIELD("result")
                                         : gspi_downsets_missing(units);
    return field == NULL
               ? GSP_OK
               : gspi_downsets_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
}

/* What is given, checked, and the search in the arena. */
GSPI_DOWNSETS_OWN_FRAME gsp_status gspi_downsets_begin(gsp_arena *arena,
    const gsp_downsets_units *units, const gsp_downsets_desc *desc, gspi_downsets **w,
    gsp_error *err)
{
    gsp_downsets_desc d;
    gspi_downsets_want(units, desc, &d);
    gsp_status status = gspi_downsets_check(units, &d, err);
    if (status == GSP_OK) {
        status = gspi_downsets_space(arena, gspi_downsets_bound(units, &d), err);
    }
    if (status == GSP_OK) {
        *w = gspi_downsets_open(arena, units, &d);
    }
    return status;
}

gsp_status gsp_downsets_run(gsp_arena *arena, const gsp_downsets_units *units,
    const gsp_downsets_desc *desc, gsp_downsets_result *result, gsp_error *err)
{
    gspi_downsets *w = NULL;
    gsp_status status = gspi_downsets_arguments(arena, units, result, err);
    if (status != GSP_OK) {
        return status;
    }
    gsp_mark mark = gsp_arena_mark(arena);
    status = gspi_downsets_begin(arena, units, desc, &w, err);
    if (status != GSP_OK) {
        return status;
    }
    mark.low = gsp_arena_mark(arena).low;
    gspi_downsets_room_some(&w->room, units, &w->d);
    if (w->room.beam != 0u && !gspi_downsets_search_some(w) && w->r.stopped == 0u) {
        gspi_downsets_search_all(w);
    }
    *result = w->r;
    gsp_arena_rewind(arena, mark);
    return GSP_OK;
}

/* ----
 * >>units   Units of a graph (implementation)
 * ---- */

/* Pairs that become rows. */
typedef struct gspi_downsets_pairs {
    uint32_t *key;
    uint32_t *value;
    uint32_t n;
} gspi_downsets_pairs;

/* Lengths of what is given. */
typedef struct gspi_downsets_counts {
    uint64_t nodes;
    uint64_t edges;
    uint64_t items;
    uint64_t reads;
    uint64_t moves;
} gspi_downsets_counts;

/* While units are made. The arrays without a comment have nodes + 1 numbers. */
typedef struct gspi_downsets_graph {
    const gsp_graph *g;
    gsp_downsets_graph_desc d;
    gsp_downsets_desc *s; /* with its defaults */
    gsp_downsets_graph_result r;
    uint32_t n;        /* units so far */
    uint32_t *unit_of; /* [nodes] */
    uint8_t *backward; /* [nodes] */
    gsp_downsets_weight *own;
    gsp_downsets_weight *shared; /* [nodes + items + moves] */
    gspi_downsets_pairs order;   /* [nodes + edges] one unit comes before the other */
    gspi_downsets_pairs list;    /* neighbours, then units and their values */
    gspi_downsets_rows rows;     /* of pairs, or of items */
    uint32_t *stamp;             /* [nodes + items + moves] */
    uint32_t *index;
    uint32_t *low;
    uint32_t *open;
    uint32_t *path;
    uint32_t *cursor;
    uint32_t *number;
    uint32_t n_open; /* of the search for components */
    uint32_t n_path;
    uint32_t n_seen;
    uint32_t n_made;
} gspi_downsets_graph;

static gspi_downsets_counts gspi_downsets_count(
    const gsp_graph *g, const gsp_downsets_graph_desc *d)
{
    gspi_downsets_counts c;
    c.nodes = g->n_nodes;
    c.edges = gsp_graph_counts(g).edges;
    c.items = d->n_items;
    c.reads = d->reads.begin != NULL ? d->reads.begin[g->n_nodes] : 0u;
    c.moves = d->move_begin != NULL ? d->move_begin[g->n_nodes] : 0u;
    return c;
}

/* Values and units: of an output its own unit and those of its users, with moves two for each. */
static uint64_t gspi_downsets_most_pairs(const gspi_downsets_counts *c)
{
    return c->nodes + 2u * c->edges + c->reads;
}

static uint64_t gspi_downsets_most_values(const gspi_downsets_counts *c)
{
    return c->nodes + c->items + c->moves;
}

/* Of the results, but for the rows. */
static void gspi_downsets_layout_results(
    gspi_downsets_bump *b, gspi_downsets_graph *w, const gspi_downsets_counts *c)
{
    uint32_t const size = sizeof(gsp_downsets_weight);
    w->unit_of = (uint32_t *)gspi_downsets_push(b, c->nodes, sizeof(uint32_t), 0);
    w->backward = (uint8_t *)gspi_downsets_push(b, c->nodes, 1, 0);
    w->own = (gsp_downsets_weight *)gspi_downsets_push(b, c->nodes, size, 0);
    w->shared = (gsp_downsets_weight *)gspi_downsets_push(b, gspi_downsets_most_values(c), size, 0);
}

static void gspi_downsets_layout_graph(
    gspi_downsets_bump *b, gspi_downsets_graph *w, const gspi_downsets_counts *c)
{
    uint64_t const n = c->nodes + 1u;
    uint64_t const pairs = gspi_downsets_most_pairs(c);
    w->s = (gsp_downsets_desc *)gspi_downsets_push(b, 1, sizeof(gsp_downsets_desc), 1);
    w->order.key = gspi_downsets_words(b, c->nodes + c->edges);
    w->order.value = gspi_downsets_words(b, c->nodes + c->edges);
    w->list.key = gspi_downsets_words(b, pairs);
    w->list.value = gspi_downsets_words(b, pairs);
    w->rows.begin = gspi_downsets_words(b, n + c->items);
    w->rows.at = gspi_downsets_words(b, pairs);
    w->stamp = gspi_downsets_words(b, gspi_downsets_most_values(c));
    w->index = gspi_downsets_words(b, n);
    w->low = gspi_downsets_words(b, n);
    w->open = gspi_downsets_words(b, n);
    w->path = gspi_downsets_words(b, n);
    w->cursor = gspi_downsets_words(b, n);
    w->number = gspi_downsets_words(b, n);
}

static gspi_downsets_rows gspi_downsets_layout_rows(
    gspi_downsets_bump *b, uint64_t n, uint64_t ends)
{
    gspi_downsets_rows rows;
    rows.begin = (uint32_t *)gspi_downsets_push(b, n + 1u, sizeof(uint32_t), 0);
    rows.at = (uint32_t *)gspi_downsets_push(b, ends, sizeof(uint32_t), 0);
    return rows;
}

GSPI_DOWNSETS_OWN_FRAME uint64_t gspi_downsets_measure_graph(const gspi_downsets_counts *c)
{
    gspi_downsets_bump b = {NULL, 2u * GSP_BOUND_SLACK};
    gspi_downsets_graph w;
    (void)gspi_downsets_push(&b, 1, sizeof(gspi_downsets_graph), 1);
    gspi_downsets_layout_results(&b, &w, c);
    gspi_downsets_layout_graph(&b, &w, c);
    (void)gspi_downsets_layout_rows(&b, c->nodes, c->nodes + c->edges);
    (void)gspi_downsets_layout_rows(&b, c->nodes, gspi_downsets_most_pairs(c));
    return b.used;
}

static const gsp_downsets_graph_desc *gspi_downsets_given(const gsp_downsets_graph_desc *desc)
{
    static gsp_downsets_graph_desc const none = {
        0u, 0, NULL, NULL, NULL, {NULL, NULL}, NULL, NULL, NULL, NULL, NULL, NULL, 0u};
    return desc != NULL ? desc : &none;
}

size_t gsp_downsets_graph_bound(const gsp_graph *graph, const gsp_downsets_graph_desc *desc)
{
    gspi_downsets_counts const c = gspi_downsets_count(graph, gspi_downsets_given(desc));
    uint64_t const most = gspi_downsets_most_pairs(&c) + gspi_downsets_most_values(&c);
    uint64_t const bytes = gspi_downsets_measure_graph(&c);
    if (GSPI_DOWNSETS_NEVER(bytes >= SIZE_MAX)) {
        return SIZE_MAX;
    }
    return most < GSP_NONE ? (size_t)bytes : SIZE_MAX;
}

/* ---- What is given of a graph ---- */

static const char *gspi_downsets_lacks(const gsp_downsets_graph_desc *d, uint32_t n)
{
    return d->n_items != 0u && d->items == NULL ? GSPI_DOWNSETS_ROWS("items", "n_items")
           : d->reads.begin != NULL && d->reads.begin[n] != 0u && d->reads.at == NULL
               ? GSPI_DOWNSETS_FIELD("reads")
           : d->move_begin != NULL && d->move_begin[n] != 0u && d->moves == NULL
               ? GSPI_DOWNSETS_FIELD("moves")
               : NULL;
}

/* The row of a node begins where that before ends, and ends in the array. */
static int gspi_downsets_is_row(const uint32_t *begin, gsp_node v, uint32_t n)
{
    return begin[v] <= begin[v + 1u] && begin[v + 1u] <= begin[n] && (v != 0u || begin[0] == 0u);
}

static int gspi_downsets_reads_fit(const gsp_downsets_graph_desc *d, gsp_node v, uint32_t n)
{
    const uint32_t *begin = d->reads.begin;
    if (begin == NULL) {
        return 1;
    }
    if (!gspi_downsets_is_row(begin, v, n)) {
        return 0;
    }
    uint32_t k = begin[v];
    while (k < begin[v + 1u] && d->reads.at[k] < d->n_items) {
        k++;
    }
    return k == begin[v + 1u];
}

static int gspi_downsets_moves_fit(const gsp_graph *g, const gsp_downsets_graph_desc *d, gsp_node v)
{
    const uint32_t *begin = d->move_begin;
    uint32_t n_users;
    (void)gsp_node_users(g, v, &n_users);
    return begin == NULL || (gspi_downsets_is_row(begin, v, g->n_nodes) &&
                                (begin[v] == begin[v + 1u] || begin[v + 1u] - begin[v] == n_users));
}

static gsp_status gspi_downsets_check_graph(
    const gsp_graph *g, const gsp_downsets_graph_desc *d, gsp_error *err)
{
    uint32_t const n = g->n_nodes;
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_downsets_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE, "");
    }
    const char *field = gspi_downsets_lacks(d, n);
    if (field != NULL) {
        return gspi_downsets_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    for (gsp_node v = 0; v < n; v++) {
        uint32_t const group = d->group != NULL ? d->group[v] : GSP_NONE;
        field = group != GSP_NONE && group >= n     ? GSPI_DOWNSETS_FIELD("group")
                : !gspi_downsets_reads_fit(d, v, n) ? GSPI_DOWNSETS_FIELD("reads")
                : !gspi_downsets_moves_fit(g, d, v) ? GSPI_DOWNSETS_FIELD("move_begin")
                                                    : NULL;
        if (field != NULL) {
            return gspi_downsets_fail(err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, v, field);
        }
    }
    return GSP_OK;
}

static const gsp_downsets_weight *gspi_downsets_weight_of(
    const gsp_downsets_weight *weights, uint32_t i)
{
    static gsp_downsets_weight const none = {0, 0, 0, 0, 0, 0, 0, 0};
    return weights != NULL ? &weights[i] : &none;
}

static int gspi_downsets_is_call(const gspi_downsets_graph *w, gsp_node v)
{
    return gsp_node_is_callable(w->g, v) && (w->d.skip == NULL || w->d.skip[v] == 0u);
}

/* ---- Rows ---- */

static void gspi_downsets_pair(gspi_downsets_pairs *p, uint32_t key, uint32_t value)
{
    if (key != value) {
        p->key[p->n] = key;
        p->value[p->n++] = value;
    }
}

/* Rows 0 .. n - 1 of values below n_values by key, each once, in the order of the pairs. */
static void gspi_downsets_gather(const gspi_downsets_pairs *p, uint32_t n, uint32_t *stamp,
    uint32_t n_values, const gspi_downsets_rows *made)
{
    uint32_t sum = 0;
    uint32_t kept = 0;
    gspi_downsets_fill(made->begin, (size_t)n + 1u, 0);
    gspi_downsets_fill(stamp, n_values, GSP_NONE);
    for (uint32_t i = 0; i < p->n; i++) {
        made->begin[p->key[i]]++;
    }
    for (uint32_t k = 0; k <= n; k++) {
        sum += made->begin[k];
        made->begin[k] = sum;
    }
    for (uint32_t i = p->n; i-- > 0u;) {
        made->at[--made->begin[p->key[i]]] = p->value[i];
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = made->begin[k];
        uint32_t const end = made->begin[k + 1u];
        made->begin[k] = kept;
        for (; i < end; i++) {
            uint32_t const value = made->at[i];
            if (stamp[value] != k) {
                stamp[value] = k;
                made->at[kept++] = value;
            }
        }
    }
    made->begin[n] = kept;
}

/* ---- Groups and circles ---- */

/* What reads a backward node is one too. */
static void gspi_downsets_find_backward(gspi_downsets_graph *w)
{
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *inputs = gsp_node_inputs(w->g, v, &n);
        int found = w->d.backward != NULL && w->d.backward[v] != 0u && gspi_downsets_is_call(w, v);
        for (; n > 0u; n--) {
            found = found || w->backward[inputs[n - 1u]] != 0u;
        }
        w->backward[v] = (uint8_t)found;
        w->r.has_backward |= w->backward[v];
    }
}

/* Calls of a group are a unit, others have their own. */
static void gspi_downsets_find_units(gspi_downsets_graph *w)
{
    uint32_t *first = w->index;
    gspi_downsets_fill(first, w->g->n_nodes, GSP_NONE);
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        uint32_t const group = w->d.group != NULL ? w->d.group[v] : GSP_NONE;
        w->unit_of[v] = GSP_NONE;
        if (!gspi_downsets_is_call(w, v)) {
            continue;
        }
        w->unit_of[v] = group == GSP_NONE || first[group] == GSP_NONE ? w->n++ : first[group];
        if (group != GSP_NONE) {
            first[group] = w->unit_of[v];
        }
        w->r.has_writes |=
            gsp_node_is_barrier(w->g, v) || gsp_node_attr(w->g, v, GSP_KEY_MUTATES).data != NULL
                ? 1u
                : 0u;
    }
}

/* Units of backward calls alone are ordered like a mirror image. */
static void gspi_downsets_order_inputs(
    gspi_downsets_graph *w, gsp_node v, const uint32_t *has_forward)
{
    uint32_t n;
    const gsp_node *inputs = gsp_node_inputs(w->g, v, &n);
    uint32_t const to = w->unit_of[v];
    for (; n > 0u; n--) {
        uint32_t const from = w->unit_of[inputs[n - 1u]];
        if (from == GSP_NONE) {
            continue;
        }
        if (w->backward[v] == 0u) {
            gspi_downsets_pair(&w->order, from, to);
        } else if (w->backward[inputs[n - 1u]] != 0u &&
                   (has_forward[from] == 0u || has_forward[to] == 0u)) {
            gspi_downsets_pair(&w->order, to, from);
        }
    }
}

static void gspi_downsets_order_units(gspi_downsets_graph *w)
{
    uint32_t *has_forward = w->index;
    uint32_t before = GSP_NONE;
    gspi_downsets_fill(has_forward, w->n, 0);
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        if (w->unit_of[v] != GSP_NONE && w->backward[v] == 0u) {
            has_forward[w->unit_of[v]] = 1;
        }
    }
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        if (w->unit_of[v] == GSP_NONE) {
            continue;
        }
        gspi_downsets_order_inputs(w, v, has_forward);
        if (w->r.has_writes != 0u && w->backward[v] == 0u) {
            before = before == GSP_NONE ? w->unit_of[v] : before;
            gspi_downsets_pair(&w->order, before, w->unit_of[v]);
            before = w->unit_of[v];
        }
    }
}

/* Units become others. */
static void gspi_downsets_renumber(gspi_downsets_graph *w, const uint32_t *number, uint32_t n)
{
    gspi_downsets_pairs *p = &w->order;
    uint32_t const n_pairs = p->n;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        w->unit_of[v] = w->unit_of[v] == GSP_NONE ? GSP_NONE : number[w->unit_of[v]];
    }
    p->n = 0;
    for (uint32_t i = 0; i < n_pairs; i++) {
        gspi_downsets_pair(p, number[p->key[i]], number[p->value[i]]);
    }
    w->n = n;
}

/* The search for strongly connected components (Tarjan 1972). Those before one have lower numbers.
 */
static void gspi_downsets_visit(gspi_downsets_graph *w, uint32_t i)
{
    w->index[i] = w->low[i] = ++w->n_seen;
    w->cursor[i] = w->rows.begin[i];
    w->open[w->n_open++] = i;
    w->path[w->n_path++] = i;
}

static void gspi_downsets_leave(gspi_downsets_graph *w, uint32_t i)
{
    w->n_path--;
    if (w->n_path > 0u && w->low[i] < w->low[w->path[w->n_path - 1u]]) {
        w->low[w->path[w->n_path - 1u]] = w->low[i];
    }
    if (w->low[i] == w->index[i]) {
        uint32_t at;
        do {
            at = w->open[--w->n_open];
            w->number[at] = w->n_made;
        } while (at != i);
        w->n_made++;
    }
}

/* Units that depend on each other become one. */
static void gspi_downsets_merge(gspi_downsets_graph *w)
{
    gspi_downsets_pairs const before = {w->order.value, w->order.key, w->order.n};
    gspi_downsets_gather(&before, w->n, w->stamp, w->n, &w->rows);
    gspi_downsets_fill(w->index, w->n, 0);
    gspi_downsets_fill(w->number, w->n, GSP_NONE);
    w->n_seen = w->n_made = 0;
    for (uint32_t root = 0; root < w->n; root++) {
        if (w->index[root] == 0u) {
            gspi_downsets_visit(w, root);
        }
        while (w->n_path > 0u) {
            uint32_t const at = w->path[w->n_path - 1u];
            uint32_t const to =
                w->cursor[at] < w->rows.begin[at + 1u] ? w->rows.at[w->cursor[at]++] : GSP_NONE;
            if (to == GSP_NONE) {
                gspi_downsets_leave(w, at);
            } else if (w->index[to] == 0u) {
                gspi_downsets_visit(w, to);
            } else if (w->index[to] < w->low[at] && w->number[to] == GSP_NONE) {
                w->low[at] = w->index[to];
            }
        }
    }
    gspi_downsets_renumber(w, w->number, w->n_made);
}

/* ---- Units that take no time ---- */

/* Whether no stage has more bytes than a device, and stages that take no time are of no use. */
static int gspi_downsets_may_join(const gspi_downsets_graph *w)
{
    if (w->r.has_writes != 0u || w->s->by_bytes != 0u || w->s->exact != 0u ||
        (w->s->first_time | w->s->last_time) != 0u) {
        return 0;
    }
    uint64_t const held = gspi_downsets_most_held(w->s);
    uint64_t sum = w->s->peak != NULL ? w->s->peak_most : 0u;
    for (uint64_t i = 0; i < 2u * (uint64_t)w->g->n_nodes + w->d.n_items; i++) {
        uint32_t const n = w->g->n_nodes;
        const gsp_downsets_weight *takes =
            i < n        ? gspi_downsets_weight_of(w->d.nodes, (uint32_t)i)
            : i < 2u * n ? gspi_downsets_weight_of(w->d.outputs, (uint32_t)i - n)
                         : &w->d.items[i - 2u * n];
        sum = gspi_downsets_add(sum, gspi_downsets_times(takes->bytes, w->s->copies));
        sum = gspi_downsets_add(sum, held == 0u ? 0u : gspi_downsets_times(takes->stash, held));
    }
    return sum <= w->s->memory;
}

/* Units that take time somewhere, or whose replicas have to agree. */
static void gspi_downsets_find_busy(const gspi_downsets_graph *w, uint32_t *busy)
{
    const uint32_t *begin = w->d.reads.begin;
    gspi_downsets_fill(busy, w->n, 0);
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        const gsp_downsets_weight *own = gspi_downsets_weight_of(w->d.nodes, v);
        const gsp_downsets_weight *output = gspi_downsets_weight_of(w->d.outputs, v);
        uint32_t const unit = w->unit_of[v];
        if (unit == GSP_NONE) {
            continue;
        }
        busy[unit] |= own->time != 0u || own->no_device != 0u ? 1u : 0u;
        busy[unit] |= w->s->n_cores != 0u && (own->host | own->no_host) != 0u ? 1u : 0u;
        busy[unit] |= w->s->replicas != 0u && (own->sync | output->sync) != 0u ? 1u : 0u;
        for (uint32_t k = begin != NULL ? begin[v] : 0u; begin != NULL && k < begin[v + 1u]; k++) {
            const gsp_downsets_weight *item = &w->d.items[w->d.reads.at[k]];
            busy[unit] |= w->s->replicas != 0u && (item->bytes | item->sync) != 0u ? 1u : 0u;
        }
    }
}

/* The units that a unit has edges with, as rows. */
static void gspi_downsets_find_neighbours(gspi_downsets_graph *w)
{
    w->list.n = 0;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *inputs = gsp_node_inputs(w->g, v, &n);
        uint32_t const to = w->unit_of[v];
        for (; n > 0u && to != GSP_NONE; n--) {
            uint32_t const from = w->unit_of[inputs[n - 1u]];
            if (from != GSP_NONE) {
                gspi_downsets_pair(&w->list, from, to);
                gspi_downsets_pair(&w->list, to, from);
            }
        }
    }
    gspi_downsets_gather(&w->list, w->n, w->stamp, w->n, &w->rows);
}

/* Joins units with the only neighbour that they have, in rounds: those that have one now, then
 * those that have one then. Of two that have each other the first joins. Into `parent`: the unit
 * that one joins, or itself. Returns how many are in the queue, in the order in which they join. */
static uint32_t gspi_downsets_join_leaves(gspi_downsets_graph *w, uint32_t *parent, uint32_t *queue)
{
    uint32_t *busy = w->index; /* or the number of its round */
    uint32_t *degree = w->low;
    uint32_t n = 0;
    gspi_downsets_find_busy(w, busy);
    for (uint32_t i = 0; i < w->n; i++) {
        parent[i] = i;
        degree[i] = w->rows.begin[i + 1u] - w->rows.begin[i];
        if (degree[i] == 1u && busy[i] == 0u) {
            busy[i] = 2;
            queue[n++] = i;
        }
    }
    for (uint32_t at = 0; at < n; at++) {
        uint32_t const i = queue[at];
        uint32_t k = w->rows.begin[i];
        while (degree[i] == 1u && parent[w->rows.at[k]] != w->rows.at[k]) {
            k++;
        }
        uint32_t const to = w->rows.at[k];
        if (degree[i] != 1u || (busy[to] == busy[i] && to < i)) {
            continue;
        }
        parent[i] = to;
        degree[to]--;
        if (degree[to] == 1u && busy[to] == 0u) {
            busy[to] = busy[i] + 1u;
            queue[n++] = to;
        }
    }
    return n;
}

/* A unit that takes no time is nowhere better than with its only neighbour, if memory is no
 * question. */
static void gspi_downsets_join_units(gspi_downsets_graph *w)
{
    uint32_t *parent = w->path;
    uint32_t *queue = w->open;
    uint32_t n = 0;
    gspi_downsets_find_neighbours(w);
    uint32_t joined = gspi_downsets_join_leaves(w, parent, queue);
    for (uint32_t i = 0; i < w->n; i++) {
        w->number[i] = parent[i] == i ? n++ : GSP_NONE;
    }
    while (joined-- > 0u) { /* what one joins joins later, if at all */
        uint32_t const i = queue[joined];
        w->number[i] = w->number[parent[i]];
    }
    gspi_downsets_renumber(w, w->number, n);
}

/* ---- Weights ---- */

static void gspi_downsets_load(gsp_downsets_weight *to, const gsp_downsets_weight *takes)
{
    to->time = gspi_downsets_add(to->time, takes->time);
    to->host = gspi_downsets_add(to->host, takes->host);
    to->no_device |= takes->no_device;
    to->no_host |= takes->no_host;
    to->bytes = gspi_downsets_add(to->bytes, takes->bytes);
    to->sync = gspi_downsets_add(to->sync, takes->sync);
    to->stash = gspi_downsets_add(to->stash, takes->stash);
}

static void gspi_downsets_add_nodes(gspi_downsets_graph *w)
{
    gsp_downsets_weight const none = {0, 0, 0, 0, 0, 0, 0, 0};
    for (uint32_t i = 0; i < w->n; i++) {
        w->own[i] = none;
    }
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        if (w->unit_of[v] != GSP_NONE) {
            gspi_downsets_load(&w->own[w->unit_of[v]], gspi_downsets_weight_of(w->d.nodes, v));
        }
    }
}

/* The unit of a node has the next value, too. Returns 1 if it is new there. */
static int gspi_downsets_see(gspi_downsets_graph *w, gsp_node v)
{
    gspi_downsets_pairs *p = &w->list;
    uint32_t const value = w->r.units.n_values;
    uint32_t const unit = w->unit_of[v];
    if (unit == GSP_NONE || w->stamp[unit] == value) {
        return 0;
    }
    w->stamp[unit] = value;
    p->key[p->n] = unit;
    p->value[p->n++] = value;
    return 1;
}

/* What units since `begin` take is a value if they are several. */
static void gspi_downsets_settle(
    gspi_downsets_graph *w, uint32_t begin, const gsp_downsets_weight *takes, uint64_t move)
{
    gsp_downsets_weight const none = {0, 0, 0, 0, 0, 0, 0, 0};
    if (w->list.n == begin + 1u) {
        uint32_t const unit = w->list.key[begin];
        gspi_downsets_load(&w->own[unit], takes);
        w->stamp[unit] = GSP_NONE;
        w->list.n = begin;
    } else if (w->list.n > begin) {
        gsp_downsets_weight *value = &w->shared[w->r.units.n_values++];
        *value = none;
        value->move = move;
        gspi_downsets_load(value, takes);
    }
}

/* An output with own moves: a value per user. What else it takes is of its unit. */
static void gspi_downsets_add_moves(gspi_downsets_graph *w, gsp_node v, const uint64_t *moves)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(w->g, v, &n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const begin = w->list.n;
        (void)gspi_downsets_see(w, v);
        (void)gspi_downsets_see(w, users[i]);
        gspi_downsets_settle(w, begin, gspi_downsets_weight_of(NULL, 0), moves[i]);
    }
    gspi_downsets_load(&w->own[w->unit_of[v]], gspi_downsets_weight_of(w->d.outputs, v));
}

static void gspi_downsets_add_outputs(gspi_downsets_graph *w)
{
    const uint32_t *row = w->d.move_begin;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *users = gsp_node_users(w->g, v, &n);
        const gsp_downsets_weight *takes = gspi_downsets_weight_of(w->d.outputs, v);
        uint32_t const begin = w->list.n;
        if (w->unit_of[v] == GSP_NONE) {
            continue;
        }
        if (row != NULL && row[v] != row[v + 1u]) {
            gspi_downsets_add_moves(w, v, w->d.moves + row[v]);
            continue;
        }
        (void)gspi_downsets_see(w, v);
        for (; n > 0u; n--) {
            (void)gspi_downsets_see(w, users[n - 1u]);
        }
        gspi_downsets_settle(w, begin, takes, takes->move);
    }
}

static void gspi_downsets_add_items(gspi_downsets_graph *w)
{
    gspi_downsets_turn(&w->d.reads, w->g->n_nodes, w->d.n_items, &w->rows);
    for (uint32_t item = 0; item < w->d.n_items; item++) {
        uint32_t const begin = w->list.n;
        for (uint32_t k = w->rows.begin[item]; k < w->rows.begin[item + 1u]; k++) {
            (void)gspi_downsets_see(w, w->rows.at[k]);
        }
        gspi_downsets_settle(w, begin, &w->d.items[item], 0);
    }
}

/* ---- The pass over a graph ---- */

GSPI_DOWNSETS_OWN_FRAME gspi_downsets_graph *gspi_downsets_open_graph(
    gsp_arena *arena, const gsp_graph *g, const gsp_downsets_graph_desc *d)
{
    static gsp_downsets_units const none = {0, 0, {NULL, NULL}, {NULL, NULL}, NULL, NULL};
    gspi_downsets_counts const c = gspi_downsets_count(g, d);
    gspi_downsets_bump b = {arena, 0u};
    gspi_downsets_graph *w =
        (gspi_downsets_graph *)gspi_downsets_push(&b, 1, sizeof(gspi_downsets_graph), 1);
    w->g = g;
    w->d = *d;
    gspi_downsets_layout_results(&b, w, &c);
    gspi_downsets_layout_graph(&b, w, &c);
    gspi_downsets_want(&none, d->stages, w->s);
    w->r.units = none;
    w->r.has_backward = w->r.has_writes = 0;
    w->r.unit_of = w->unit_of;
    w->r.backward = w->backward;
    w->n = w->n_open = w->n_path = 0;
    w->order.n = w->list.n = 0;
    return w;
}

/* The units as a search takes them. */
static void gspi_downsets_fill_units(gspi_downsets_graph *w, gsp_arena *arena)
{
    gsp_downsets_units *u = &w->r.units;
    gspi_downsets_bump b = {arena, 0u};
    w->list.n = 0;
    gspi_downsets_fill(w->stamp, w->n, GSP_NONE);
    gspi_downsets_add_nodes(w);
    gspi_downsets_add_outputs(w);
    if (w->d.reads.begin != NULL) {
        gspi_downsets_add_items(w);
    }
    gspi_downsets_rows const after = gspi_downsets_layout_rows(&b, w->n, w->order.n);
    gspi_downsets_rows const values = gspi_downsets_layout_rows(&b, w->n, w->list.n);
    gspi_downsets_gather(&w->order, w->n, w->stamp, w->n, &after);
    gspi_downsets_gather(&w->list, w->n, w->stamp, u->n_values, &values);
    u->n = w->n;
    u->after.begin = after.begin;
    u->after.at = after.at;
    u->values.begin = values.begin;
    u->values.at = values.at;
    u->own = w->own;
    u->shared = w->shared;
}

static gsp_status gspi_downsets_graph_arguments(const gsp_arena *arena, const gsp_graph *graph,
    const gsp_downsets_graph_result *result, gsp_error *err)
{
    const char *field = arena == NULL    ? GSPI_DOWNSETS_FIELD("arena")
                        : graph == NULL  ? GSPI_DOWNSETS_FIELD("graph")
                        : result == NULL ? GSPI_DOWNSETS_FIELD("result")
                                         : NULL;
    return field == NULL
               ? GSP_OK
               : gspi_downsets_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
}

/* What is given, checked, and the units to be in the arena. */
GSPI_DOWNSETS_OWN_FRAME gsp_status gspi_downsets_begin_graph(gsp_arena *arena, const gsp_graph *g,
    const gsp_downsets_graph_desc *desc, gspi_downsets_graph **w, gsp_error *err)
{
    const gsp_downsets_graph_desc *d = gspi_downsets_given(desc);
    gsp_status status = gspi_downsets_check_graph(g, d, err);
    if (status == GSP_OK) {
        status = gspi_downsets_space(arena, gsp_downsets_graph_bound(g, d), err);
    }
    if (status == GSP_OK) {
        *w = gspi_downsets_open_graph(arena, g, d);
    }
    return status;
}

GSPI_DOWNSETS_OWN_FRAME void gspi_downsets_make_graph(gspi_downsets_graph *w, gsp_arena *arena)
{
    gspi_downsets_find_backward(w);
    gspi_downsets_find_units(w);
    gspi_downsets_order_units(w);
    gspi_downsets_merge(w);
    if (gspi_downsets_may_join(w)) {
        gspi_downsets_join_units(w);
        gspi_downsets_merge(w);
    }
    gspi_downsets_fill_units(w, arena);
}

gsp_status gsp_downsets_graph_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_downsets_graph_desc *desc, gsp_downsets_graph_result *result, gsp_error *err)
{
    gspi_downsets_graph *w = NULL;
    gsp_status status = gspi_downsets_graph_arguments(arena, graph, result, err);
    if (status != GSP_OK) {
        return status;
    }
    gsp_mark mark = gsp_arena_mark(arena);
    status = gspi_downsets_begin_graph(arena, graph, desc, &w, err);
    if (status != GSP_OK) {
        return status;
    }
    gspi_downsets_make_graph(w, arena);
    *result = w->r;
    mark.low = gsp_arena_mark(arena).low;
    gsp_arena_rewind(arena, mark);
    return GSP_OK;
}

#ifdef __cplusplus
}
#endif

GSPI_DOWNSETS_END

#endif /* GRAPHSPLIT_DOWNSETS_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_DOWNSETS_IMPLEMENTATION */
