/* graphsplit_repeats.h - an add-on of graphsplit.h: groups of equal regions that save most nodes
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * A group is a set of equal regions: calls of one subgraph can replace them. gsp_regions_run()
 * finds the groups of PyTorch; the search here looks for groups whose calls replace most nodes.
 * gsp_dedup_run() takes them as `given`. Needs graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_REPEATS_IMPLEMENTATION
 *     #include "graphsplit_repeats.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 * With GSP_NO_DEDUP there are no regions, and this header is empty.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>repeats            Groups of equal regions that save most nodes
 *     >>impl               Implementation guard
 *
 *     gsp_repeats_run      within max_work    34 per node, 20 per argument, 48 per edge, 4 per
 *                                             dependence; and per node that has an equal one 60,
 *                                             16 per state
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_REPEATS_H_INCLUDED
#define GRAPHSPLIT_REPEATS_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_REPEATS_IMPLEMENTATION)
#error "graphsplit_repeats: GRAPHSPLIT_STATIC needs GRAPHSPLIT_REPEATS_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>repeats   Groups of equal regions that save most nodes (API)
 * ---- */

#ifndef GSP_NO_DEDUP

#define GSP_REPEATS_WORK       70000000u
#define GSP_REPEATS_MAX_WORK   ((uint64_t)1u << 31u)
#define GSP_REPEATS_STATES     24u
#define GSP_REPEATS_MAX_STATES 65536u

/* Called before the regions of a group grow by a node each, and before a region is tried beside
 * others. Returns nonzero to stop with the best groups so far. */
typedef int (*gsp_repeats_progress_func)(void *user, uint64_t work);

/* All zero is good for the whole graph. */
typedef struct gsp_repeats_desc {
    uint32_t start_canary;
    uint32_t max_states;              /* kept in a round, at most GSP_REPEATS_MAX_STATES; 0 means
                                       * GSP_REPEATS_STATES */
    const uint32_t *part_of;          /* [n] a region stays in one part, and takes no node with
                                       * GSP_NONE; or NULL for one part */
    const gsp_dedup_selection *calls; /* of the regions, to begin with as well; or NULL */
    uint64_t max_work; /* see gsp_repeats_result.work, at most GSP_REPEATS_MAX_WORK; 0 means
                        * GSP_REPEATS_WORK; a start from calls takes at most a quarter more */
    gsp_repeats_progress_func progress; /* or NULL */
    void *progress_user;
    uint32_t end_canary;
} gsp_repeats_desc;

/* Groups for gsp_dedup_desc.given. */
typedef struct gsp_repeats_result {
    gsp_regions regions; /* the groups, in the order found; classes and dependences are those that
                          * were given */
    uint64_t saved;      /* nodes that calls replace: of each group rows * (columns - 1) */
    uint64_t most;       /* no groups save more */
    uint64_t work;       /* arguments, users and nodes that are looked at */
    uint32_t stopped;    /* 1 if progress ended the search early */
} gsp_repeats_result;

/* gsp_repeats_bound: bytes for the run; `regions` as for the run. Time: O(1). */
GSP_API size_t gsp_repeats_bound(
    const gsp_graph *graph, const gsp_regions *regions, const gsp_repeats_desc *desc);

/* gsp_repeats_run: groups of equal regions whose calls replace most nodes.
 *
 * What:    `regions`: the result of gsp_regions_run(), or of gsp_dedup_run(), for this graph, of
 *          which the classes and dependences count. A beam search: a state is a set of groups that
 *          share no node and, with each region as one node, close no cycle. A round extends it by
 *          the best groups that grow from nodes which are still free. A group grows in lockstep
 *          from a node and its equals: a step adds an input, a user or another reader of an outer
 *          value to all its regions, and drops those without an equal node. Every group on the way
 *          counts. It has two rows and two columns or more, an outer value, and none that is an
 *          aggregate. Rounds keep 1 state, then 6, then max_states, until a set of groups saves
 *          `most` nodes. Then a search begins with the regions that `calls` replace. No group has
 *          nodes that write, or are views, nor those that these read, except for calls.
 * Errors:  ARG (NULL_ARGUMENT; RANGE: regions or calls of another graph), DESC (CANARY), OVERFLOW
 *          (TOO_MANY)
 * Time:    max_work, and O(n + m) per group that extends a state
 * Memory:  the bound; the groups stay
 * Order:   rows and columns as in gsp_regions
 * Example: examples/repeats.c
 */
GSP_API gsp_status gsp_repeats_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_regions *regions, const gsp_repeats_desc *desc, gsp_repeats_result *result,
    gsp_error *err);

#endif /* GSP_NO_DEDUP */

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_REPEATS_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_REPEATS_IMPLEMENTATION
#ifndef GRAPHSPLIT_REPEATS_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_REPEATS_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_REPEATS_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_REPEATS_END       _Pragma("GCC diagnostic pop")
#define GSPI_REPEATS_OWN_FRAME __attribute__((noinline)) static /* not on that of its caller */
#else
#define GSPI_REPEATS_BEGIN
#define GSPI_REPEATS_END
#define GSPI_REPEATS_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_REPEATS_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>repeats   Groups of equal regions that save most nodes (implementation)
 * ---- */

#ifndef GSP_NO_DEDUP

#define GSPI_REPEATS_USERS   64u  /* of a value, that steps look at */
#define GSPI_REPEATS_OUTSIDE 256u /* nodes visited outside of a region; with more, paths return */
#define GSPI_REPEATS_PILOTS  4u   /* of a class, where a graph is large */
#define GSPI_REPEATS_SMALL   64u  /* nodes up to which each is a pilot, with every first step */

/* Kinds of steps: to an argument of a row, to a reader of a row, to one of an outer value. */
#define GSPI_REPEATS_INPUT  0u
#define GSPI_REPEATS_READER 1u
#define GSPI_REPEATS_BESIDE 2u

/* A neighbour of a region: argument `at` of row `from`, or a reader with that argument of row or
 * outer value `from`. */
typedef struct gspi_repeats_step {
    uint32_t kind;
    uint32_t from;
    uint32_t at;
    uint32_t class_of; /* of readers */
    uint32_t most;     /* columns that can take it; GSP_NONE once it is taken or out of reach */
} gspi_repeats_step;

/* A region that grows. */
typedef struct gspi_repeats_column {
    gsp_node next; /* of the present step, or GSP_NONE */
    gsp_node low;
    gsp_node high;
    uint32_t shallow; /* least and most level */
    uint32_t deep;
    uint32_t lost; /* the last trial in which an earlier column took one of its nodes */
} gspi_repeats_column;

/* Equal regions: rows of equal nodes, a region per column. */
typedef struct gspi_repeats_group {
    uint32_t rows;
    uint32_t columns;
} gspi_repeats_group;

/* A group that may extend a state. */
typedef struct gspi_repeats_offer {
    gspi_repeats_group size;
    gsp_node *members; /* [rows * columns] row by row */
    uint64_t saved;
    uint64_t mark; /* hash of its nodes */
} gspi_repeats_offer;

/* Groups that share no node and close no cycle. */
typedef struct gspi_repeats_state {
    gspi_repeats_group *groups; /* [n] */
    gsp_node *members;          /* [n_members] group by group */
    uint32_t n;
    uint32_t n_members;
    uint64_t saved;
    uint64_t most; /* nodes saved, and the most that other nodes may save */
    uint64_t mark; /* of its groups */
} gspi_repeats_state;

/* Between growths the first four arrays are those of the units of a graph in which each region is
 * one node. */
typedef struct gspi_repeats_words {
    uint32_t *grown; /* [n] the last growth in which a column holds a node ... */
    uint32_t *owner; /* [n] ... that column ... */
    uint32_t *row;   /* [n] ... and its row there */
    uint32_t *stack; /* [n] */
    uint32_t *unit;  /* grown: the first node of a unit, */
    uint32_t *edges; /* owner: edges into it, */
    uint32_t *next;  /* row: the next node of a unit, */
    uint32_t *queue; /* stack: units without edges into them */
    uint32_t *claimed;
    uint32_t *seen;
    uint32_t *level; /* [n] longest path to a node */
    uint32_t *begin; /* [n + 1] into after */
    gsp_node *after; /* nodes that come after one, by values and by memory */
    uint32_t *open;  /* [classes] nodes that a group may take */
    uint8_t *closed; /* [n] 1 for nodes that no group may take, */
    uint8_t *used;   /* [n] and for those that groups of a state have */
} gspi_repeats_words;

/* A group that grows; the first column, the pilot, is the pattern. */
typedef struct gspi_repeats_tables {
    gsp_node *table; /* [rows * columns] */
    gsp_node *outer; /* [n_outer * columns] outer values of columns, in order of first use */
    gspi_repeats_column *columns;
    gspi_repeats_step *steps;
} gspi_repeats_tables;

typedef struct gspi_repeats_beam {
    gspi_repeats_offer *offers; /* [max_states + 3] groups that grew, the best first */
    gspi_repeats_state *now;    /* [max_states] */
    gspi_repeats_state *later;  /* [max_states] */
    gspi_repeats_state first;
    gspi_repeats_state best;
} gspi_repeats_beam;

typedef struct gspi_repeats {
    const gsp_graph *g;
    const gsp_regions *known;
    gsp_repeats_desc d;
    gsp_repeats_result r;
    uint64_t max_work;
    gspi_repeats_words a;
    gspi_repeats_tables t;
    gspi_repeats_beam b;
    uint32_t n_columns;
    uint32_t n_rows;
    uint32_t n_outer;
    uint32_t n_steps;
    uint32_t number; /* of this growth */
    uint32_t trial;
    uint32_t n_seen;
    uint32_t n_offers;
    uint32_t most_offers;
    uint64_t open_saved; /* the most that nodes which are in no group of the state may save */
} gspi_repeats;

/* The error names an argument; a second NUL says that no count makes it required. */
#ifdef GSP_NO_MESSAGES
#define GSPI_REPEATS_FIELD(text) ""
#else
#define GSPI_REPEATS_FIELD(text) text "\0"
#endif

static gsp_status gspi_repeats_fail(
    gsp_error *err, gsp_status status, gsp_detail detail, const char *field)
{
    if (err != NULL) {
        gsp_error const e = {status, detail, GSP_WHAT_NONE, GSP_NONE, GSP_NONE, 0, 0, 0, 0u, field};
        *err = e;
    }
    return status;
}

/* OK if so many bytes are left. */
static gsp_status gspi_repeats_space(const gsp_arena *arena, size_t bound, gsp_error *err)
{
    size_t const left = gsp_arena_left(arena);
    if (bound == SIZE_MAX) {
        return gspi_repeats_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, "");
    }
    if (left >= bound) {
        return gspi_repeats_fail(err, GSP_OK, GSP_DETAIL_NONE, "");
    }
    (void)gspi_repeats_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, "");
    if (err != NULL) {
        err->need = bound;
        err->limit = left;
    }
    return GSP_STATUS_NOMEM;
}

static void gspi_repeats_fill(uint32_t *words, size_t n, uint32_t value)
{
    for (size_t i = 0; i < n; i++) {
        words[i] = value;
    }
}

static void gspi_repeats_copy(uint32_t *to, const uint32_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = from[i];
    }
}

/* The work that is left, at most GSP_REPEATS_MAX_WORK. */
static uint32_t gspi_repeats_left(const gspi_repeats *w)
{
    return w->r.work < w->max_work ? (uint32_t)(w->max_work - w->r.work) : 0u;
}

static int gspi_repeats_goes_on(gspi_repeats *w)
{
    if (w->r.stopped == 0u && w->d.progress != NULL &&
        w->d.progress(w->d.progress_user, w->r.work) != 0) {
        w->r.stopped = 1;
    }
    return w->r.stopped == 0u && gspi_repeats_left(w) != 0u;
}

/* ---- Room ---- */

/* A layout pushes all arrays in order; without an arena it measures them. */
typedef struct gspi_repeats_bump {
    gsp_arena *arena;
    uint64_t used;
} gspi_repeats_bump;

/* What a graph has. */
typedef struct gspi_repeats_counts {
    uint32_t nodes;
    uint32_t equal; /* nodes of classes */
    uint32_t classes;
    uint32_t args;
    uint32_t edges;
    uint32_t dependences;
    uint32_t states;
} gspi_repeats_counts;

GSPI_REPEATS_OWN_FRAME void *gspi_repeats_push(
    gspi_repeats_bump *b, uint64_t count, uint32_t size, int high)
{
    b->used += (count * size + (GSP_GAP + GSP_ALIGN - 1u)) & ~((uint64_t)GSP_ALIGN - 1u);
    return b->arena == NULL ? NULL
           : high           ? gsp_arena_push_high(b->arena, (size_t)count, size)
                            : gsp_arena_push(b->arena, (size_t)count, size);
}

static uint32_t *gspi_repeats_push_words(gspi_repeats_bump *b, uint64_t count)
{
    return (uint32_t *)gspi_repeats_push(b, count, sizeof(uint32_t), 1);
}

GSPI_REPEATS_OWN_FRAME gspi_repeats_counts gspi_repeats_count(
    const gsp_graph *g, const gsp_regions *known, const gsp_repeats_desc *d)
{
    gsp_counts const c = gsp_graph_counts(g);
    const gsp_node_classes *k = &known->classes;
    gspi_repeats_counts counts;
    counts.nodes = c.nodes;
    counts.equal = k->n_classes == 0u ? 0u : k->class_begin[k->n_classes];
    counts.classes = k->n_classes;
    counts.args = c.args;
    counts.edges = c.edges;
    counts.dependences = known->dependences.n_dependences;
    counts.states = d == NULL || d->max_states == 0u ? GSP_REPEATS_STATES : d->max_states;
    counts.states = counts.states < GSP_REPEATS_MAX_STATES ? counts.states : GSP_REPEATS_MAX_STATES;
    return counts;
}

static void gspi_repeats_layout_words(
    gspi_repeats_bump *b, gspi_repeats_words *a, const gspi_repeats_counts *c)
{
    a->grown = a->unit = gspi_repeats_push_words(b, c->nodes);
    a->owner = a->edges = gspi_repeats_push_words(b, c->nodes);
    a->row = a->next = gspi_repeats_push_words(b, c->nodes);
    a->stack = a->queue = gspi_repeats_push_words(b, c->nodes);
    a->claimed = gspi_repeats_push_words(b, c->nodes);
    a->seen = gspi_repeats_push_words(b, c->nodes);
    a->level = gspi_repeats_push_words(b, c->nodes);
    a->begin = gspi_repeats_push_words(b, (uint64_t)c->nodes + 1u);
    a->after = gspi_repeats_push_words(b, (uint64_t)c->edges + c->dependences);
    a->open = gspi_repeats_push_words(b, c->classes);
    a->closed = (uint8_t *)gspi_repeats_push(b, c->nodes, 1u, 1);
    a->used = (uint8_t *)gspi_repeats_push(b, c->nodes, 1u, 1);
}

/* Regions share no node. A value is outer where an edge enters a region. Of a pilot, arguments give
 * a step each, and edges one where a value is outer and one where it is a row. */
static void gspi_repeats_layout_growth(
    gspi_repeats_bump *b, gspi_repeats_tables *w, const gspi_repeats_counts *c)
{
    w->table = gspi_repeats_push_words(b, c->equal);
    w->outer = gspi_repeats_push_words(b, c->edges);
    w->columns = (gspi_repeats_column *)gspi_repeats_push(b, c->equal, sizeof(*w->columns), 1);
    w->steps = (gspi_repeats_step *)gspi_repeats_push(
        b, c->args + (uint64_t)2u * c->edges, sizeof(*w->steps), 1);
}

/* A group has four nodes or more. */
static void gspi_repeats_layout_state(
    gspi_repeats_bump *b, gspi_repeats_state *s, const gspi_repeats_counts *c)
{
    gspi_repeats_state const none = {NULL, NULL, 0, 0, 0, 0, 0};
    *s = none;
    s->groups = (gspi_repeats_group *)gspi_repeats_push(b, c->equal / 4u, sizeof(*s->groups), 1);
    s->members = gspi_repeats_push_words(b, c->equal);
}

/* The results are low. */
static void gspi_repeats_layout_result(
    gspi_repeats_bump *b, gsp_regions *r, const gspi_repeats_counts *c)
{
    uint64_t const most = c->equal / 4u;
    r->group_begin = (uint32_t *)gspi_repeats_push(b, most + 1u, sizeof(uint32_t), 0);
    r->group_regions = (uint32_t *)gspi_repeats_push(b, most, sizeof(uint32_t), 0);
    r->members = (gsp_node *)gspi_repeats_push(b, c->equal, sizeof(gsp_node), 0);
}

/* A beam, but for the arrays of its states and offers. */
static void gspi_repeats_layout_beam(
    gspi_repeats_bump *b, gspi_repeats_beam *w, const gspi_repeats_counts *c)
{
    gspi_repeats_layout_state(b, &w->first, c);
    gspi_repeats_layout_state(b, &w->best, c);
    w->now = (gspi_repeats_state *)gspi_repeats_push(b, c->states, sizeof(*w->now), 1);
    w->later = (gspi_repeats_state *)gspi_repeats_push(b, c->states, sizeof(*w->later), 1);
    w->offers = (gspi_repeats_offer *)gspi_repeats_push(b, c->states + 3u, sizeof(*w->offers), 1);
}

static void gspi_repeats_layout_states(
    gspi_repeats_bump *b, const gspi_repeats_beam *w, const gspi_repeats_counts *c)
{
    for (uint32_t i = 0; i < c->states; i++) {
        gspi_repeats_layout_state(b, &w->now[i], c);
        gspi_repeats_layout_state(b, &w->later[i], c);
    }
    for (uint32_t i = 0; i < c->states + 3u; i++) {
        w->offers[i].members = gspi_repeats_push_words(b, c->equal);
    }
}

GSPI_REPEATS_OWN_FRAME uint64_t gspi_repeats_measure_words(const gspi_repeats_counts *c)
{
    gspi_repeats_bump b = {NULL, 0u};
    gspi_repeats_words words;
    gspi_repeats_tables tables;
    gspi_repeats_layout_words(&b, &words, c);
    gspi_repeats_layout_growth(&b, &tables, c);
    return b.used;
}

/* All states have the same arrays, and so have all offers. */
GSPI_REPEATS_OWN_FRAME uint64_t gspi_repeats_measure_beam(const gspi_repeats_counts *c)
{
    gspi_repeats_bump b = {NULL, 0u};
    gspi_repeats_bump state = {NULL, 0u};
    gspi_repeats_bump offer = {NULL, 0u};
    gspi_repeats_beam beam;
    gspi_repeats_layout_beam(&b, &beam, c);
    gspi_repeats_layout_state(&state, &beam.first, c);
    (void)gspi_repeats_push_words(&offer, c->equal);
    return b.used + 2u * state.used * c->states + offer.used * (c->states + 3u);
}

GSPI_REPEATS_OWN_FRAME uint64_t gspi_repeats_measure(const gspi_repeats_counts *c)
{
    gspi_repeats_bump b = {NULL, 2u * GSP_BOUND_SLACK};
    gsp_regions regions;
    (void)gspi_repeats_push(&b, 1, sizeof(gspi_repeats), 1);
    gspi_repeats_layout_result(&b, &regions, c);
    return b.used + gspi_repeats_measure_words(c) + gspi_repeats_measure_beam(c);
}

/* All numbers of edges and steps fit in 32 bits. */
static size_t gspi_repeats_bound(const gspi_repeats_counts *c)
{
    uint64_t const steps = c->args + (uint64_t)2u * c->edges + c->dependences;
    uint64_t const used = steps < GSP_NONE ? gspi_repeats_measure(c) : UINT64_MAX;
    return used < SIZE_MAX ? (size_t)used : SIZE_MAX;
}

size_t gsp_repeats_bound(
    const gsp_graph *graph, const gsp_regions *regions, const gsp_repeats_desc *desc)
{
    gspi_repeats_counts const c = gspi_repeats_count(graph, regions, desc);
    return gspi_repeats_bound(&c);
}

/* ---- What a column holds ---- */

static int gspi_repeats_is_held(const gspi_repeats *w, gsp_node v)
{
    return w->a.grown[v] == w->number;
}

static int gspi_repeats_is_in(const gspi_repeats *w, uint32_t c, gsp_node v)
{
    return gspi_repeats_is_held(w, v) && w->a.owner[v] == c;
}

/* The place of a value among the first n outer values of a column; n if it is none of them. */
static uint32_t gspi_repeats_find_outer(gspi_repeats *w, uint32_t c, gsp_node v, uint32_t n)
{
    const gsp_node *at = w->t.outer + c;
    uint32_t i = 0;
    while (i < n && at[(size_t)i * w->n_columns] != v) {
        i++;
    }
    w->r.work += i;
    return i;
}

/* Argument `at` of a node if it is a node, else GSP_NONE. */
static gsp_node gspi_repeats_argument(const gspi_repeats *w, gsp_node v, uint32_t at)
{
    uint32_t n;
    const gsp_arg *args = gsp_node_args(w->g, v, &n);
    return at < n && args[at].kind == GSP_ARG_NODE ? args[at].value : GSP_NONE;
}

/* 1 if two arguments, of the pilot and of another column, are the same row, or the same outer
 * value; earlier arguments of the nodes come before those that are new. */
static int gspi_repeats_is_same_argument(
    gspi_repeats *w, uint32_t c, const gsp_arg *x, const gsp_arg *y, uint32_t at)
{
    gsp_node const a = x[at].value;
    gsp_node const b = y[at].value;
    if (gspi_repeats_is_in(w, 0, a) || gspi_repeats_is_in(w, c, b)) {
        return gspi_repeats_is_in(w, 0, a) && gspi_repeats_is_in(w, c, b) &&
               w->a.row[a] == w->a.row[b];
    }
    uint32_t const i = gspi_repeats_find_outer(w, 0, a, w->n_outer);
    uint32_t const k = gspi_repeats_find_outer(w, c, b, w->n_outer);
    if (i < w->n_outer || k < w->n_outer) {
        return i == k;
    }
    w->r.work += at;
    for (uint32_t before = 0; before < at; before++) {
        if (x[before].kind == GSP_ARG_NODE && (x[before].value == a) != (y[before].value == b)) {
            return 0;
        }
    }
    return 1;
}

/* 1 if node u of column c has the wiring of node v of the pilot; they are identical nodes. */
static int gspi_repeats_is_same_wiring(gspi_repeats *w, uint32_t c, gsp_node v, gsp_node u)
{
    uint32_t n;
    const gsp_arg *x = gsp_node_args(w->g, v, &n);
    const gsp_arg *y = gsp_node_args(w->g, u, &n);
    if (gspi_repeats_find_outer(w, 0, v, w->n_outer) !=
        gspi_repeats_find_outer(w, c, u, w->n_outer)) {
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (x[i].kind != y[i].kind ||
            (x[i].kind == GSP_ARG_NODE && !gspi_repeats_is_same_argument(w, c, x, y, i))) {
            return 0;
        }
    }
    w->r.work += n;
    return 1;
}

/* ---- Paths that leave a region and return ---- */

/* 1 if a path from u, or to it, may end in a column. */
static int gspi_repeats_is_between(
    const gspi_repeats *w, const gspi_repeats_column *c, gsp_node u, int by_users)
{
    uint32_t const level = w->a.level[u];
    return by_users ? u < c->high && level < c->deep : u > c->low && level > c->shallow;
}

/* Follows paths from v over users, or inputs, that run outside of a column. Returns 1 if such a
 * path returns to the column, or if it visits too many nodes. */
static int gspi_repeats_is_reached(gspi_repeats *w, uint32_t c, gsp_node v, int by_users)
{
    uint32_t depth = 0;
    uint32_t visited = 0;
    gsp_node at = v;
    w->n_seen++;
    for (;;) {
        uint32_t n;
        const gsp_node *next =
            by_users ? gsp_node_users(w->g, at, &n) : gsp_node_inputs(w->g, at, &n);
        w->r.work += n;
        while (n-- > 0u) {
            gsp_node const u = next[n];
            if (gspi_repeats_is_in(w, c, u)) {
                if (at != v) {
                    return 1;
                }
            } else if (w->a.seen[u] != w->n_seen &&
                       gspi_repeats_is_between(w, &w->t.columns[c], u, by_users)) {
                w->a.seen[u] = w->n_seen;
                w->a.stack[depth++] = u;
                visited++;
            }
        }
        if (depth == 0u || visited > GSPI_REPEATS_OUTSIDE) {
            return depth != 0u;
        }
        at = w->a.stack[--depth];
    }
}

/* ---- Steps ---- */

static uint32_t gspi_repeats_part(const gspi_repeats *w, gsp_node v)
{
    return w->d.part_of == NULL ? 0u : w->d.part_of[v];
}

/* A column may take a node of a later column, or of an earlier one that cannot take the step. */
static int gspi_repeats_may_take(const gspi_repeats *w, uint32_t c, gsp_node v, uint32_t class_of)
{
    const uint32_t *segment = w->known->dependences.segment;
    gsp_node const end = w->t.table[c];
    uint32_t const owner = w->a.owner[v];
    return w->known->classes.class_of[v] == class_of && w->a.used[v] == 0u &&
           w->a.claimed[v] != w->trial && gspi_repeats_part(w, v) == gspi_repeats_part(w, end) &&
           segment[v] == segment[end] &&
           (!gspi_repeats_is_held(w, v) || owner > c ||
               (owner > 0u && owner < c && w->t.columns[owner].next == GSP_NONE));
}

/* A reader of v by argument `at`; one that no column holds, if there is one. */
static gsp_node gspi_repeats_find_reader(
    gspi_repeats *w, uint32_t c, gsp_node v, const gspi_repeats_step *e)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(w->g, v, &n);
    gsp_node other = GSP_NONE;
    uint32_t i;
    for (i = 0; i < n && i < GSPI_REPEATS_USERS; i++) {
        gsp_node const u = users[i];
        if (gspi_repeats_argument(w, u, e->at) == v &&
            gspi_repeats_may_take(w, c, u, e->class_of)) {
            if (!gspi_repeats_is_held(w, u)) {
                return u;
            }
            other = other == GSP_NONE ? u : other;
        }
    }
    w->r.work += i;
    return other;
}

static gsp_node gspi_repeats_step_node(gspi_repeats *w, uint32_t c, const gspi_repeats_step *e)
{
    const gsp_node *from = e->kind == GSPI_REPEATS_BESIDE ? w->t.outer : w->t.table;
    gsp_node const v = from[(size_t)e->from * w->n_columns + c];
    return e->kind == GSPI_REPEATS_INPUT ? gspi_repeats_argument(w, v, e->at)
                                         : gspi_repeats_find_reader(w, c, v, e);
}

/* 1 if the work that is left suffices for a row of nodes like v, whose arguments are compared with
 * each other and with the outer values. */
static int gspi_repeats_has_work(const gspi_repeats *w, gsp_node v, uint32_t columns)
{
    uint32_t const left = gspi_repeats_left(w);
    uint32_t n;
    (void)gsp_node_args(w->g, v, &n);
    uint64_t const each = (uint64_t)(n + w->n_outer) * columns;
    return each <= left && each * n <= left;
}

/* The node that a column can add, or GSP_NONE. */
static gsp_node gspi_repeats_try_column(gspi_repeats *w, uint32_t c, const gspi_repeats_step *e)
{
    const uint32_t *class_of = w->known->classes.class_of;
    gsp_node const v = w->t.columns[c].lost == w->trial || gspi_repeats_left(w) == 0u
                           ? GSP_NONE
                           : gspi_repeats_step_node(w, c, e);
    w->r.work += 4u;
    if (v == GSP_NONE) {
        return GSP_NONE;
    }
    gsp_node const pilot = c == 0u ? v : w->t.columns[0].next;
    return gspi_repeats_may_take(w, c, v, class_of[pilot]) &&
                   (c == 0u ? gspi_repeats_has_work(w, v, w->n_columns)
                            : gspi_repeats_is_same_wiring(w, c, pilot, v)) &&
                   !gspi_repeats_is_reached(w, c, v, 0) && !gspi_repeats_is_reached(w, c, v, 1)
               ? v
               : GSP_NONE;
}

/* Counts the columns that can take a step; sets `next` of all. */
static uint32_t gspi_repeats_try_step(gspi_repeats *w, const gspi_repeats_step *e)
{
    uint32_t count = 0;
    w->trial++;
    for (uint32_t c = 0; c < w->n_columns; c++) {
        gsp_node const v = gspi_repeats_try_column(w, c, e);
        w->t.columns[c].next = v;
        if (v == GSP_NONE) {
            if (c == 0u) {
                return 0;
            }
            continue;
        }
        if (gspi_repeats_is_held(w, v) && w->a.owner[v] > c) {
            w->t.columns[w->a.owner[v]].lost = w->trial;
        }
        w->a.claimed[v] = w->trial;
        count++;
    }
    return count;
}

static void gspi_repeats_push_step(
    gspi_repeats *w, uint32_t kind, uint32_t from, uint32_t at, uint32_t class_of)
{
    gspi_repeats_step const e = {kind, from, at, class_of, w->n_columns};
    w->t.steps[w->n_steps++] = e;
}

/* The readers of a value of the pilot, as steps. */
static void gspi_repeats_push_readers(gspi_repeats *w, uint32_t kind, uint32_t from, gsp_node v)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(w->g, v, &n);
    for (uint32_t i = 0; i < n && n <= GSPI_REPEATS_USERS; i++) {
        uint32_t const class_of = w->known->classes.class_of[users[i]];
        uint32_t at = 0;
        if (class_of != GSP_NONE && !gspi_repeats_is_in(w, 0, users[i])) {
            while (gspi_repeats_argument(w, users[i], at) != v) {
                at++;
            }
            w->r.work += at;
            gspi_repeats_push_step(w, kind, from, at, class_of);
        }
    }
}

/* ---- Rows ---- */

/* Adds `next` of a column as the next row; returns the number of its outer values. */
static uint32_t gspi_repeats_add_node(gspi_repeats *w, uint32_t c)
{
    gspi_repeats_column *col = &w->t.columns[c];
    gsp_node const v = col->next;
    uint32_t const level = w->a.level[v];
    uint32_t n_outer = w->n_outer;
    uint32_t n;
    const gsp_arg *args = gsp_node_args(w->g, v, &n);
    w->t.table[(size_t)w->n_rows * w->n_columns + c] = v;
    col->low = w->n_rows == 0u || v < col->low ? v : col->low;
    col->high = w->n_rows == 0u || v > col->high ? v : col->high;
    col->shallow = w->n_rows == 0u || level < col->shallow ? level : col->shallow;
    col->deep = w->n_rows == 0u || level > col->deep ? level : col->deep;
    w->a.grown[v] = w->number;
    w->a.owner[v] = c;
    w->a.row[v] = w->n_rows;
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].kind == GSP_ARG_NODE && !gspi_repeats_is_in(w, c, args[i].value) &&
            gspi_repeats_find_outer(w, c, args[i].value, n_outer) == n_outer) {
            w->t.outer[(size_t)n_outer * w->n_columns + c] = args[i].value;
            n_outer++;
        }
    }
    return n_outer;
}

/* The steps that a new row of the pilot opens. */
static void gspi_repeats_open_steps(gspi_repeats *w, uint32_t row, uint32_t n_outer)
{
    gsp_node const v = w->t.table[(size_t)row * w->n_columns];
    uint32_t n;
    const gsp_arg *args = gsp_node_args(w->g, v, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].kind == GSP_ARG_NODE && w->known->classes.class_of[args[i].value] != GSP_NONE &&
            !gspi_repeats_is_in(w, 0, args[i].value)) {
            gspi_repeats_push_step(w, GSPI_REPEATS_INPUT, row, i, GSP_NONE);
        }
    }
    gspi_repeats_push_readers(w, GSPI_REPEATS_READER, row, v);
    for (uint32_t i = n_outer; i < w->n_outer; i++) {
        gsp_node const outer = w->t.outer[(size_t)i * w->n_columns];
        if (gsp_node_op(w->g, outer) != GSP_OP_GET_ATTR) {
            gspi_repeats_push_readers(w, GSPI_REPEATS_BESIDE, i, outer);
        }
    }
}

/* Rows of a table without the columns that cannot take the step. */
static void gspi_repeats_squeeze(const gspi_repeats *w, gsp_node *table, uint32_t rows)
{
    const gsp_node *from = table;
    gsp_node *to = table;
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t c = 0; c < w->n_columns; c++) {
            *to = *from++;
            to += w->t.columns[c].next != GSP_NONE ? 1 : 0;
        }
    }
}

/* Columns without a next node leave their nodes to others. */
static void gspi_repeats_drop_columns(gspi_repeats *w)
{
    uint32_t kept = 0;
    for (uint32_t c = 0; c < w->n_columns; c++) {
        int const stays = w->t.columns[c].next != GSP_NONE;
        for (uint32_t i = 0; i < w->n_rows; i++) {
            gsp_node const v = w->t.table[(size_t)i * w->n_columns + c];
            w->a.grown[v] = stays ? w->number : 0u;
            w->a.owner[v] = kept;
        }
        kept += stays ? 1u : 0u;
        w->r.work += w->n_rows;
    }
    gspi_repeats_squeeze(w, w->t.table, w->n_rows);
    gspi_repeats_squeeze(w, w->t.outer, w->n_outer);
    kept = 0;
    for (uint32_t c = 0; c < w->n_columns; c++) {
        w->t.columns[kept] = w->t.columns[c];
        kept += w->t.columns[c].next != GSP_NONE ? 1u : 0u;
    }
    w->n_columns = kept;
}

/* Columns are wired alike: each has as many new outer values. */
static void gspi_repeats_add_row(gspi_repeats *w)
{
    uint32_t const before = w->n_outer;
    uint32_t n_outer = 0;
    for (uint32_t c = 0; c < w->n_columns; c++) {
        n_outer = gspi_repeats_add_node(w, c);
    }
    w->n_outer = n_outer;
    w->n_rows++;
    gspi_repeats_open_steps(w, w->n_rows - 1u, before);
}

/* The step that most columns may take; NULL without one. */
static gspi_repeats_step *gspi_repeats_best_step(gspi_repeats *w)
{
    gspi_repeats_step *best = NULL;
    for (uint32_t i = 0; i < w->n_steps; i++) {
        gspi_repeats_step *e = &w->t.steps[i];
        if (e->most != GSP_NONE && (best == NULL || e->most > best->most)) {
            best = e;
        }
    }
    w->r.work += w->n_steps;
    return best;
}

/* Sets up the step that most columns can take, or the forced one. Returns 0 if no two columns can
 * take one. Counts fall as regions grow, so that an old count is an upper bound. */
static uint32_t gspi_repeats_choose_step(gspi_repeats *w, uint32_t forced)
{
    for (;;) {
        gspi_repeats_step *best = gspi_repeats_best_step(w);
        int const must = forced < w->n_steps;
        best = must ? &w->t.steps[forced] : best;
        if (best == NULL || gspi_repeats_left(w) == 0u) {
            return 0;
        }
        uint32_t const count = gspi_repeats_try_step(w, best);
        if (count >= 2u && (count >= best->most || must)) {
            best->most = GSP_NONE;
            return count;
        }
        best->most = count < 2u ? GSP_NONE : count;
        forced = GSP_NONE;
    }
}

/* ---- Groups ---- */

static uint64_t gspi_repeats_saved(gspi_repeats_group size)
{
    return size.columns > 1u ? (uint64_t)size.rows * (size.columns - 1u) : 0u;
}

/* 1 if calls cannot replace the present group: it reads nothing, or an aggregate. */
static int gspi_repeats_is_given_up(const gspi_repeats *w)
{
    uint32_t n_read = 0;
    for (uint32_t i = 0; i < w->n_outer; i++) {
        gsp_node const v = w->t.outer[(size_t)i * w->n_columns];
        if (gspi_repeats_is_in(w, 0, v)) {
            continue; /* it became a row */
        }
        if (gsp_node_value_kind(w->g, v) == GSP_VALUE_AGGREGATE) {
            return 1;
        }
        n_read++;
    }
    return w->n_rows < 2u || n_read == 0u;
}

/* A hash of the nodes of the present group, independent of their order. */
static uint64_t gspi_repeats_signature(const gspi_repeats *w)
{
    size_t const n = (size_t)w->n_rows * w->n_columns;
    uint64_t sum = w->n_columns;
    for (size_t i = 0; i < n; i++) {
        uint64_t const x = (w->t.table[i] + 1u) * ((uint64_t)0x9E3779B9u << 32u | 0x7F4A7C15u);
        sum += x ^ (x >> 29u);
    }
    return sum;
}

/* What the last of the best groups saves; 0 if there is room for more. */
static uint64_t gspi_repeats_least_offer(const gspi_repeats *w)
{
    return w->n_offers == w->most_offers ? w->b.offers[w->n_offers - 1u].saved : 0u;
}

/* Keeps the present group if it is one of the best and new. */
static void gspi_repeats_offer_group(gspi_repeats *w)
{
    gspi_repeats_offer made = {{w->n_rows, w->n_columns}, NULL, 0, 0};
    gspi_repeats_offer *list = w->b.offers;
    uint32_t at = w->n_offers == w->most_offers ? w->n_offers - 1u : w->n_offers;
    made.saved = gspi_repeats_saved(made.size);
    if (made.saved <= gspi_repeats_least_offer(w) || gspi_repeats_is_given_up(w)) {
        return;
    }
    made.mark = gspi_repeats_signature(w);
    for (uint32_t i = 0; i < w->n_offers; i++) {
        if (list[i].saved == made.saved && list[i].mark == made.mark) {
            return;
        }
    }
    made.members = list[at].members;
    w->n_offers = at + 1u;
    for (; at > 0u && list[at - 1u].saved < made.saved; at--) {
        list[at] = list[at - 1u];
    }
    gspi_repeats_copy(made.members, w->t.table, (size_t)w->n_rows * w->n_columns);
    list[at] = made;
}

/* The columns of one row: the pilot, then its equals in graph order. Returns 0 without work for
 * them. */
static int gspi_repeats_start(gspi_repeats *w, gsp_node pilot)
{
    const gsp_node_classes *k = &w->known->classes;
    uint32_t const of = k->class_of[pilot];
    gspi_repeats_column const none = {GSP_NONE, 0, 0, 0, 0, 0};
    w->number++;
    w->n_rows = 0;
    w->n_outer = 0;
    w->n_columns = 1;
    w->n_steps = 0;
    if (!gspi_repeats_has_work(w, pilot, k->class_begin[of + 1u] - k->class_begin[of])) {
        return 0;
    }
    w->t.columns[0] = none;
    w->t.columns[0].next = pilot;
    for (uint32_t i = k->class_begin[of]; i < k->class_begin[of + 1u]; i++) {
        gsp_node const v = k->nodes[i];
        if (v != pilot && w->a.used[v] == 0u &&
            gspi_repeats_is_same_wiring(w, w->n_columns, pilot, v)) {
            w->t.columns[w->n_columns] = none;
            w->t.columns[w->n_columns].next = v;
            w->n_columns++;
        }
    }
    gspi_repeats_add_row(w);
    return 1;
}

/* 1 if the nodes that are left suffice for a group of so many columns that is one of the best. */
static int gspi_repeats_is_hopeful(gspi_repeats *w, uint32_t columns)
{
    uint32_t const n = w->known->classes.n_classes;
    uint64_t const least = gspi_repeats_least_offer(w);
    uint64_t rows = 0;
    uint32_t c;
    for (c = 0; c < n && rows * (columns - 1u) <= least; c++) {
        rows += w->a.open[c] / columns;
    }
    w->r.work += c;
    return rows * (columns - 1u) > least;
}

/* Offers the groups that grow from `pilot` and nodes of its class. Returns the number of first
 * steps; `forced` is one of them, or GSP_NONE. */
static uint32_t gspi_repeats_grow(gspi_repeats *w, gsp_node pilot, uint32_t forced)
{
    if (!gspi_repeats_start(w, pilot)) {
        return 0;
    }
    uint32_t const opened = w->n_steps;
    while (gspi_repeats_goes_on(w)) {
        uint32_t const count = gspi_repeats_choose_step(w, forced);
        if (count == 0u) {
            break;
        }
        if (count < w->n_columns) {
            gspi_repeats_offer_group(w);
            if (!gspi_repeats_is_hopeful(w, count)) {
                return opened;
            }
            gspi_repeats_drop_columns(w);
        }
        gspi_repeats_add_row(w);
        forced = GSP_NONE;
    }
    gspi_repeats_offer_group(w);
    return opened;
}

/* Marks what a state has; counts the other nodes of classes. Of n nodes, calls replace n - 1. */
static void gspi_repeats_open_state(gspi_repeats *w, const gspi_repeats_state *s)
{
    const gsp_node_classes *k = &w->known->classes;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        w->a.used[v] = w->a.closed[v];
    }
    for (uint32_t i = 0; i < s->n_members; i++) {
        w->a.used[s->members[i]] = 1;
    }
    w->open_saved = 0;
    for (uint32_t c = 0; c < k->n_classes; c++) {
        uint32_t n = 0;
        for (uint32_t i = k->class_begin[c]; i < k->class_begin[c + 1u]; i++) {
            n += w->a.used[k->nodes[i]] == 0u ? 1u : 0u;
        }
        w->a.open[c] = n;
        w->open_saved += n > 1u ? n - 1u : 0u;
    }
}

/* From a node; in a small graph, by every first step. */
static void gspi_repeats_grow_from(gspi_repeats *w, gsp_node pilot)
{
    uint32_t const opened = gspi_repeats_grow(w, pilot, GSP_NONE);
    for (uint32_t i = 0; i < opened && w->g->n_nodes <= GSPI_REPEATS_SMALL; i++) {
        (void)gspi_repeats_grow(w, pilot, i);
    }
}

/* Offers the groups that grow from nodes in no group of a state. */
static void gspi_repeats_grow_all(gspi_repeats *w, const gspi_repeats_state *s)
{
    const gsp_node_classes *k = &w->known->classes;
    uint32_t const n = w->g->n_nodes;
    uint32_t const most = n <= GSPI_REPEATS_SMALL ? UINT32_MAX : GSPI_REPEATS_PILOTS;
    gspi_repeats_open_state(w, s);
    gspi_repeats_fill(w->a.grown, n, 0);
    gspi_repeats_fill(w->a.claimed, n, 0);
    gspi_repeats_fill(w->a.seen, n, 0);
    w->number = 0;
    w->trial = 0;
    w->n_seen = 0;
    w->n_offers = 0;
    for (uint32_t c = k->n_classes; c-- > 0u;) {
        uint32_t pilots = 0;
        for (uint32_t i = k->class_begin[c]; i < k->class_begin[c + 1u] && pilots < most; i++) {
            if (w->n_offers != 0u && s->saved + w->b.offers[0].saved == s->most) {
                return;
            }
            if (w->a.used[k->nodes[i]] == 0u) {
                pilots++;
                gspi_repeats_grow_from(w, k->nodes[i]);
            }
        }
    }
}

/* ---- Cycles ---- */

/* Lists the nodes that come after each, by values and by memory. */
static void gspi_repeats_list_after(const gspi_repeats *w)
{
    const gsp_dependences *d = &w->known->dependences;
    uint32_t n_after = 0;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *users = gsp_node_users(w->g, v, &n);
        uint32_t const others = d->dependent_begin[v + 1u] - d->dependent_begin[v];
        w->a.begin[v] = n_after;
        gspi_repeats_copy(w->a.after + n_after, users, n);
        n_after += n;
        gspi_repeats_copy(w->a.after + n_after, d->dependents + d->dependent_begin[v], others);
        n_after += others;
    }
    w->a.begin[w->g->n_nodes] = n_after;
}

/* Makes all nodes of a column one unit. */
static void gspi_repeats_join(
    const gspi_repeats *w, gspi_repeats_group size, const gsp_node *members, uint32_t column)
{
    gsp_node const first = members[column];
    gsp_node before = first;
    for (uint32_t i = 0; i < size.rows; i++) {
        gsp_node const v = members[(size_t)i * size.columns + column];
        w->a.unit[v] = first;
        w->a.next[before] = v;
        before = v;
    }
    w->a.next[before] = GSP_NONE;
}

/* Makes each node of a column a unit again. */
static void gspi_repeats_part_column(
    const gspi_repeats *w, gspi_repeats_group size, const gsp_node *members, uint32_t column)
{
    for (uint32_t i = 0; i < size.rows; i++) {
        gsp_node const v = members[(size_t)i * size.columns + column];
        w->a.unit[v] = v;
        w->a.next[v] = GSP_NONE;
    }
}

/* Counts the edges into units; returns the units without one, in the queue. */
static uint32_t gspi_repeats_count_edges(gspi_repeats *w, uint32_t *n_units)
{
    const gspi_repeats_words *a = &w->a;
    uint32_t const n = w->g->n_nodes;
    uint32_t ready = 0;
    gspi_repeats_fill(a->edges, n, 0);
    *n_units = 0;
    for (gsp_node v = 0; v < n; v++) {
        for (uint32_t k = a->begin[v]; k < a->begin[v + 1u]; k++) {
            uint32_t const to = a->unit[a->after[k]];
            a->edges[to] += to != a->unit[v] ? 1u : 0u;
        }
    }
    w->r.work += a->begin[n] > n ? a->begin[n] : n;
    for (gsp_node v = 0; v < n; v++) {
        *n_units += a->unit[v] == v ? 1u : 0u;
        if (a->unit[v] == v && a->edges[v] == 0u) {
            a->queue[ready++] = v;
        }
    }
    return ready;
}

/* Kahn's algorithm on units. */
static int gspi_repeats_is_acyclic(gspi_repeats *w)
{
    const gspi_repeats_words *a = &w->a;
    uint32_t n_units;
    uint32_t ready = gspi_repeats_count_edges(w, &n_units);
    for (uint32_t i = 0; i < ready; i++) {
        for (gsp_node v = a->queue[i]; v != GSP_NONE; v = a->next[v]) {
            for (uint32_t k = a->begin[v]; k < a->begin[v + 1u]; k++) {
                uint32_t const u = a->unit[a->after[k]];
                if (u != a->queue[i] && --a->edges[u] == 0u) {
                    a->queue[ready++] = u;
                }
            }
        }
    }
    return ready == n_units;
}

/* The units of a state and of a group. */
static void gspi_repeats_join_all(
    const gspi_repeats *w, const gspi_repeats_state *s, const gspi_repeats_offer *group)
{
    const gsp_node *members = s->members;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        w->a.unit[v] = v;
        w->a.next[v] = GSP_NONE;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        for (uint32_t c = 0; c < s->groups[i].columns; c++) {
            gspi_repeats_join(w, s->groups[i], members, c);
        }
        members += (size_t)s->groups[i].rows * s->groups[i].columns;
    }
    for (uint32_t c = 0; c < group->size.columns; c++) {
        gspi_repeats_join(w, group->size, group->members, c);
    }
}

/* Moves the columns that stay, from the front, in front of the others. */
static void gspi_repeats_swap_columns(const gspi_repeats_offer *group, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < group->size.rows; i++) {
        gsp_node *row = group->members + (size_t)i * group->size.columns;
        gsp_node const v = row[a];
        row[a] = row[b];
        row[b] = v;
    }
}

/* Drops the columns of a group that close a cycle; 0 if fewer than two are left. */
static int gspi_repeats_fit(gspi_repeats *w, const gspi_repeats_state *s, gspi_repeats_offer *group)
{
    gspi_repeats_group const size = group->size;
    uint32_t kept = 0;
    gspi_repeats_join_all(w, s, group);
    if (gspi_repeats_is_acyclic(w)) {
        return 1;
    }
    for (uint32_t c = 0; c < size.columns; c++) {
        gspi_repeats_part_column(w, size, group->members, c);
    }
    for (uint32_t c = 0; c < size.columns && gspi_repeats_goes_on(w); c++) {
        gspi_repeats_join(w, size, group->members, c);
        if (gspi_repeats_is_acyclic(w)) {
            gspi_repeats_swap_columns(group, kept, c);
            kept++;
        } else {
            gspi_repeats_part_column(w, size, group->members, c);
        }
    }
    for (uint32_t i = 0; i < size.rows; i++) {
        gspi_repeats_copy(
            group->members + (size_t)i * kept, group->members + (size_t)i * size.columns, kept);
    }
    group->size.columns = kept;
    group->saved = gspi_repeats_saved(group->size);
    return kept > 1u;
}

/* ---- Rounds ---- */

/* A state with a group more; its arrays stay. */
static void gspi_repeats_add_group(gspi_repeats_state *s, const gspi_repeats_offer *group)
{
    uint32_t const n = group->size.rows * group->size.columns;
    gspi_repeats_copy(s->members + s->n_members, group->members, n);
    s->n_members += n;
    s->groups[s->n++] = group->size;
    s->saved += group->saved;
    s->mark += group->mark;
}

static void gspi_repeats_copy_state(gspi_repeats_state *to, const gspi_repeats_state *from)
{
    gspi_repeats_copy(to->members, from->members, from->n_members);
    for (uint32_t i = 0; i < from->n; i++) {
        to->groups[i] = from->groups[i];
    }
    to->n = from->n;
    to->n_members = from->n_members;
    to->saved = from->saved;
    to->most = from->most;
    to->mark = from->mark;
}

/* What a row of a group takes from the nodes that its class may save. */
static uint32_t gspi_repeats_taken(uint32_t open, uint32_t columns)
{
    return open > columns ? columns : open - 1u;
}

/* The most that a state may save if it gets a group. */
static uint64_t gspi_repeats_most_with(
    const gspi_repeats *w, const gspi_repeats_state *s, const gspi_repeats_offer *group)
{
    uint32_t const columns = group->size.columns;
    uint64_t most = s->saved + group->saved + w->open_saved;
    for (uint32_t i = 0; i < group->size.rows; i++) {
        uint32_t const c = w->known->classes.class_of[group->members[(size_t)i * columns]];
        most -= gspi_repeats_taken(w->a.open[c], columns);
        w->a.open[c] -= columns;
    }
    for (uint32_t i = 0; i < group->size.rows; i++) {
        w->a.open[w->known->classes.class_of[group->members[(size_t)i * columns]]] += columns;
    }
    return most;
}

/* The order of states: by what they save and may save. */
static uint64_t gspi_repeats_worth(const gspi_repeats_state *s)
{
    return s->saved + s->most;
}

/* Keeps a state with a group more if it is one of the `width` best and new. */
static void gspi_repeats_keep_state(gspi_repeats *w, const gspi_repeats_state *s,
    const gspi_repeats_offer *group, uint32_t width, uint32_t *n)
{
    gspi_repeats_state *list = w->b.later;
    gspi_repeats_state made = *s;
    uint32_t at;
    made.saved += group->saved;
    made.mark += group->mark;
    made.most = gspi_repeats_most_with(w, s, group);
    for (at = 0; at < *n; at++) {
        if (list[at].saved == made.saved && list[at].mark == made.mark) {
            return;
        }
    }
    if (made.saved > w->b.best.saved) {
        gspi_repeats_copy_state(&w->b.best, s);
        gspi_repeats_add_group(&w->b.best, group);
    }
    if (*n == width && gspi_repeats_worth(&made) <= gspi_repeats_worth(&list[width - 1u])) {
        return;
    }
    at = *n < width ? (*n)++ : width - 1u;
    gspi_repeats_copy_state(&list[at], s);
    gspi_repeats_add_group(&list[at], group);
    list[at].most = made.most;
    made = list[at];
    for (; at > 0u && gspi_repeats_worth(&list[at - 1u]) < gspi_repeats_worth(&made); at--) {
        list[at] = list[at - 1u];
    }
    list[at] = made;
}

/* Extends a state by each of the best groups. */
static void gspi_repeats_extend(
    gspi_repeats *w, const gspi_repeats_state *s, uint32_t width, uint32_t *n_later)
{
    w->most_offers = width + 3u;
    gspi_repeats_grow_all(w, s);
    for (uint32_t i = 0; i < w->n_offers; i++) {
        if (gspi_repeats_fit(w, s, &w->b.offers[i])) {
            gspi_repeats_keep_state(w, s, &w->b.offers[i], width, n_later);
        }
    }
}

/* Extends states by groups until none is left; `width` states and groups of each. */
static void gspi_repeats_search(gspi_repeats *w, uint32_t width)
{
    uint32_t n = 1;
    gspi_repeats_copy_state(&w->b.now[0], &w->b.first);
    while (n > 0u) {
        gspi_repeats_state *const now = w->b.now;
        uint32_t n_later = 0;
        for (uint32_t i = 0; i < n; i++) {
            if (now[i].most > w->b.best.saved && gspi_repeats_goes_on(w)) {
                gspi_repeats_extend(w, &now[i], width, &n_later);
            }
        }
        w->b.now = w->b.later;
        w->b.later = now;
        n = n_later;
    }
}

/* ---- Calls to begin with ---- */

/* 1 if a region is in one part, and none of its nodes is in another region. Takes its nodes. */
static int gspi_repeats_take_region(
    const gspi_repeats *w, const gsp_node *at, gspi_repeats_group size)
{
    uint32_t const part = gspi_repeats_part(w, at[0]);
    for (uint32_t i = 0; i < size.rows; i++) {
        gsp_node const v = at[(size_t)i * size.columns];
        if (part == GSP_NONE || gspi_repeats_part(w, v) != part || w->a.seen[v] != 0u) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < size.rows; i++) {
        w->a.seen[at[(size_t)i * size.columns]] = 1;
    }
    return 1;
}

/* The group of the regions that calls of a subgraph replace, as the first offer. */
static const gspi_repeats_offer *gspi_repeats_group_of_calls(gspi_repeats *w, uint32_t subgraph)
{
    const gsp_dedup_selection *a = w->d.calls;
    const gsp_regions *r = w->known;
    uint32_t const of = a->group_of[subgraph];
    const gsp_node *table = r->members + r->group_begin[of];
    gspi_repeats_group size;
    gspi_repeats_offer *group = &w->b.offers[0];
    size.columns = r->group_regions[of];
    size.rows = (r->group_begin[of + 1u] - r->group_begin[of]) / size.columns;
    group->size.rows = size.rows;
    group->size.columns = 0;
    group->mark = of + 1u;
    for (uint32_t c = a->call_begin[subgraph]; c < a->call_begin[subgraph + 1u]; c++) {
        if (gspi_repeats_take_region(w, table + a->region_of[c], size)) {
            w->a.stack[group->size.columns++] = a->region_of[c];
        }
    }
    for (uint32_t i = 0; i < size.rows; i++) {
        for (uint32_t c = 0; c < group->size.columns; c++) {
            group->members[(size_t)i * group->size.columns + c] =
                table[(size_t)i * size.columns + w->a.stack[c]];
        }
    }
    group->saved = gspi_repeats_saved(group->size);
    return group;
}

/* Begins with the groups that calls replace. */
static void gspi_repeats_begin_with_calls(gspi_repeats *w)
{
    gspi_repeats_fill(w->a.seen, w->g->n_nodes, 0);
    for (uint32_t i = 0; i < w->d.calls->n_subgraphs; i++) {
        const gspi_repeats_offer *group = gspi_repeats_group_of_calls(w, i);
        if (group->saved != 0u) {
            gspi_repeats_add_group(&w->b.first, group);
        }
    }
    gspi_repeats_open_state(w, &w->b.first);
    w->b.first.most = w->b.first.saved + w->open_saved;
    w->r.most = w->b.first.most > w->r.most ? w->b.first.most : w->r.most;
    if (w->b.first.saved > w->b.best.saved) {
        gspi_repeats_copy_state(&w->b.best, &w->b.first);
    }
}

/* ---- The groups as tables ---- */

/* Where the members of the best groups go: columns by their last node, rows by the node of the
 * first column. Places are found by passes over all nodes. */
typedef struct gspi_repeats_places {
    uint32_t *at;     /* [n] the place of a node among the members, or GSP_NONE; */
    uint32_t *group;  /* [n] then its group */
    uint32_t *column; /* [n] from the begin of a group: the new place of a column, */
    uint32_t *row;    /* [n] and of a row */
    uint32_t *left;   /* [n] columns and then rows of a group without a new place */
} gspi_repeats_places;

static uint32_t gspi_repeats_old_row(const gsp_regions *r, const gspi_repeats_places *p, gsp_node v)
{
    uint32_t const of = p->group[v];
    return (p->at[v] - r->group_begin[of]) / r->group_regions[of];
}

static uint32_t gspi_repeats_old_column(
    const gsp_regions *r, const gspi_repeats_places *p, gsp_node v)
{
    uint32_t const of = p->group[v];
    return (p->at[v] - r->group_begin[of]) % r->group_regions[of];
}

/* The sizes of the groups, and where their nodes are. */
static void gspi_repeats_find_members(
    gsp_regions *r, const gspi_repeats_state *best, const gspi_repeats_places *p, uint32_t n)
{
    r->n_groups = best->n;
    r->group_begin[0] = 0;
    gspi_repeats_fill(p->at, n, GSP_NONE);
    gspi_repeats_fill(p->column, n, GSP_NONE);
    for (uint32_t i = 0; i < best->n; i++) {
        uint32_t const begin = r->group_begin[i];
        r->group_regions[i] = best->groups[i].columns;
        r->group_begin[i + 1u] = begin + best->groups[i].rows * best->groups[i].columns;
        for (uint32_t k = begin; k < r->group_begin[i + 1u]; k++) {
            p->at[best->members[k]] = k;
            p->group[best->members[k]] = i;
        }
    }
}

/* The last node of a column comes first, from the end. */
static void gspi_repeats_place_columns(
    const gsp_regions *r, const gspi_repeats_places *p, uint32_t n)
{
    gspi_repeats_copy(p->left, r->group_regions, r->n_groups);
    for (gsp_node v = n; v-- > 0u;) {
        if (p->at[v] != GSP_NONE) {
            uint32_t const of = p->group[v];
            uint32_t const column = r->group_begin[of] + gspi_repeats_old_column(r, p, v);
            if (p->column[column] == GSP_NONE) {
                p->column[column] = --p->left[of];
            }
        }
    }
}

static void gspi_repeats_place_rows(const gsp_regions *r, const gspi_repeats_places *p, uint32_t n)
{
    for (gsp_node v = 0; v < n; v++) { /* all columns have a place: none is left */
        if (p->at[v] != GSP_NONE) {
            uint32_t const of = p->group[v];
            uint32_t const begin = r->group_begin[of];
            if (p->column[begin + gspi_repeats_old_column(r, p, v)] == 0u) {
                p->row[begin + gspi_repeats_old_row(r, p, v)] = p->left[of]++;
            }
        }
    }
}

static void gspi_repeats_put_groups(gspi_repeats *w)
{
    gsp_regions *r = &w->r.regions;
    uint32_t const n = w->g->n_nodes;
    gspi_repeats_places const p = {w->a.unit, w->a.edges, w->a.next, w->a.queue, w->a.claimed};
    gspi_repeats_find_members(r, &w->b.best, &p, n);
    gspi_repeats_place_columns(r, &p, n);
    gspi_repeats_place_rows(r, &p, n);
    for (uint32_t k = 0; k < w->b.best.n_members; k++) {
        gsp_node const v = w->b.best.members[k];
        uint32_t const of = p.group[v];
        uint32_t const begin = r->group_begin[of];
        uint32_t const row = p.row[begin + gspi_repeats_old_row(r, &p, v)];
        uint32_t const column = p.column[begin + gspi_repeats_old_column(r, &p, v)];
        r->members[begin + row * r->group_regions[of] + column] = v;
    }
}

/* ---- The pass ---- */

/* Marks nodes that no group may have: those of no part, those that write values or are views, and
 * the values that these read; calls cannot replace them. */
static void gspi_repeats_close_nodes(const gspi_repeats *w)
{
    const gsp_graph *g = w->g;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        w->a.closed[v] = gspi_repeats_part(w, v) == GSP_NONE ? 1u : 0u;
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(g, v, &n);
        if (gsp_node_attr(g, v, GSP_KEY_MUTATES).size != 0u ||
            gsp_node_attr(g, v, GSP_KEY_ALIAS).size != 0u) {
            w->a.closed[v] = 1;
            while (n-- > 0u) {
                w->a.closed[in[n]] = 1;
            }
        }
    }
}

/* The longest paths to nodes. */
static void gspi_repeats_find_levels(const gspi_repeats *w)
{
    uint32_t *level = w->a.level;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(w->g, v, &n);
        level[v] = 0;
        while (n-- > 0u) {
            level[v] = level[in[n]] >= level[v] ? level[in[n]] + 1u : level[v];
        }
    }
}

GSPI_REPEATS_OWN_FRAME gspi_repeats *gspi_repeats_open(gsp_arena *arena, const gsp_graph *g,
    const gsp_regions *known, const gsp_repeats_desc *d, const gspi_repeats_counts *c)
{
    static gsp_repeats_desc const all = {0u, 0, NULL, NULL, 0, NULL, NULL, 0u};
    gspi_repeats_bump b = {arena, 0u};
    gspi_repeats *w = (gspi_repeats *)gspi_repeats_push(&b, 1, sizeof(gspi_repeats), 1);
    w->g = g;
    w->known = known;
    w->d = d != NULL ? *d : all;
    w->r.regions = *known;
    w->r.work = 0;
    w->r.stopped = 0;
    w->d.max_states = c->states;
    w->max_work = w->d.max_work == 0u ? GSP_REPEATS_WORK : w->d.max_work;
    w->max_work = w->max_work < GSP_REPEATS_MAX_WORK ? w->max_work : GSP_REPEATS_MAX_WORK;
    gspi_repeats_layout_result(&b, &w->r.regions, c);
    gspi_repeats_layout_words(&b, &w->a, c);
    gspi_repeats_layout_growth(&b, &w->t, c);
    gspi_repeats_layout_beam(&b, &w->b, c);
    gspi_repeats_layout_states(&b, &w->b, c);
    gspi_repeats_find_levels(w);
    gspi_repeats_list_after(w);
    gspi_repeats_close_nodes(w);
    gspi_repeats_open_state(w, &w->b.first);
    w->b.first.most = w->open_saved;
    w->r.most = w->open_saved;
    return w;
}

/* Rounds that keep more and more states, then those that begin with calls. */
static void gspi_repeats_solve(gspi_repeats *w)
{
    uint64_t const more = w->max_work / 4u;
    uint32_t width = 1;
    uint32_t searched = 0;
    while (width > searched && w->b.best.saved < w->r.most) {
        gspi_repeats_search(w, width);
        searched = width;
        width = width == 1u ? 6u : w->d.max_states;
        width = width < w->d.max_states ? width : w->d.max_states;
    }
    if (w->d.calls != NULL && w->b.best.saved < w->r.most) {
        w->max_work = w->r.work + more;
        gspi_repeats_begin_with_calls(w);
        gspi_repeats_search(w, 1);
    }
    w->r.saved = w->b.best.saved;
    gspi_repeats_put_groups(w);
}

static gsp_status gspi_repeats_check(
    const gsp_graph *g, const gsp_regions *known, const gsp_repeats_desc *d, gsp_error *err)
{
    if (d != NULL && (d->start_canary != 0u || d->end_canary != 0u)) {
        return gspi_repeats_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, "");
    }
    if (known->classes.n_nodes != g->n_nodes || known->dependences.n_nodes != g->n_nodes) {
        return gspi_repeats_fail(
            err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSPI_REPEATS_FIELD("regions"));
    }
    if (d != NULL && d->calls != NULL && d->calls->n_nodes != g->n_nodes) {
        return gspi_repeats_fail(
            err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSPI_REPEATS_FIELD("calls"));
    }
    return GSP_OK;
}

gsp_status gsp_repeats_run(gsp_arena *arena, const gsp_graph *graph, const gsp_regions *regions,
    const gsp_repeats_desc *desc, gsp_repeats_result *result, gsp_error *err)
{
    const char *field = arena == NULL     ? GSPI_REPEATS_FIELD("arena")
                        : graph == NULL   ? GSPI_REPEATS_FIELD("graph")
                        : regions == NULL ? GSPI_REPEATS_FIELD("regions")
                        : result == NULL  ? GSPI_REPEATS_FIELD("result")
                                          : NULL;
    if (field != NULL) {
        return gspi_repeats_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, field);
    }
    gsp_status status = gspi_repeats_check(graph, regions, desc, err);
    if (status != GSP_OK) {
        return status;
    }
    gspi_repeats_counts const c = gspi_repeats_count(graph, regions, desc);
    status = gspi_repeats_space(arena, gspi_repeats_bound(&c), err);
    if (status != GSP_OK) {
        return status;
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gspi_repeats *w = gspi_repeats_open(arena, graph, regions, desc, &c);
    gspi_repeats_solve(w);
    *result = w->r;
    mark.low = gsp_arena_mark(arena).low; /* the groups stay */
    gsp_arena_rewind(arena, mark);
    return GSP_OK;
}

#endif /* GSP_NO_DEDUP */

#ifdef __cplusplus
}
#endif

GSPI_REPEATS_END

#endif /* GRAPHSPLIT_REPEATS_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_REPEATS_IMPLEMENTATION */
