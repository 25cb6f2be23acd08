/* graphsplit_limits.h - an add-on of graphsplit.h: limits of accelerator subgraphs
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Cuts accelerator subgraphs that are above limits on bytes, parameters, inputs or outputs. Needs
 * graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_LIMITS_IMPLEMENTATION
 *     #include "graphsplit_limits.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>limits             Limits of accelerator subgraphs
 *     >>impl               Implementation guard
 *
 *     gsp_limits_run       O(n (n + m)) within max_work     14 per node; at work 50, a split with
 *                                                           its peaks, and 24 per string
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_LIMITS_H_INCLUDED
#define GRAPHSPLIT_LIMITS_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_LIMITS_IMPLEMENTATION)
#error "graphsplit_limits: GRAPHSPLIT_STATIC needs GRAPHSPLIT_LIMITS_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>limits   Limits of accelerator subgraphs (API)
 * ---- */

#if !defined(GSP_NO_SPLIT) && !defined(GSP_NO_FLOW) && !defined(GSP_NO_MEMORY)

/* What one accelerator subgraph may have; 0 means no limit. */
typedef struct gsp_limit {
    uint64_t bytes;   /* parameters, and the peak inside it as gsp_liveness_run() counts it */
    uint64_t params;  /* bytes of parameters, each counted once */
    uint32_t inputs;  /* values from outside, without parameters */
    uint32_t outputs; /* values that are read outside */
} gsp_limit;

#define GSP_LIMITS_WORK ((uint64_t)1u << 26u)

typedef struct gsp_limits_desc {
    uint32_t start_canary;
    const gsp_split_desc *split; /* as for gsp_split_run(); required */
    const gsp_limit *limits;     /* [n_kinds] that of the CPU is not read; required */
    uint64_t max_work;           /* nodes and edges visited; 0 means GSP_LIMITS_WORK */
    uint32_t end_canary;
} gsp_limits_desc;

/* `placement` and `phase` belong into a copy of desc.split, for gsp_split_run(). */
typedef struct gsp_limits_result {
    gsp_placement placement; /* nodes above a limit by themselves are on the CPU, reason LARGE */
    const uint32_t *phase;   /* [n] subgraph of every callable node */
    uint32_t n_subgraphs;
    uint32_t n_acc;   /* accelerator subgraphs */
    uint32_t n_least; /* lower bound of n_acc for this placement and these subgraphs */
    uint32_t n_large; /* nodes that are above a limit by themselves, or with their group */
    uint64_t bytes;   /* values that leave a subgraph only because it was cut */
    uint64_t work;    /* nodes and edges visited */
    uint32_t proved; /* 1 if no other cut of these subgraphs has fewer, or as many and less bytes */
} gsp_limits_result;

/* gsp_limits_bound: bytes; SIZE_MAX if required arrays are missing. Time: O(1). */
GSP_API size_t gsp_limits_bound(const gsp_graph *graph, const gsp_limits_desc *desc);

/* gsp_limits_run: a placement and phases whose accelerator subgraphs are within their limits.
 *
 * What:    A node, or a group that must stay together, that is above a limit by itself moves to the
 *          CPU. Each accelerator subgraph of gsp_split_run() that is above a limit is cut into
 *          consecutive subgraphs of its topological order, as few as this order allows and, among
 *          these, with the fewest bytes that leave a subgraph only because of the cuts. If each
 *          node reads the one before it, there is no other order, and the result is proved. Above
 *          max_work, bounds replace peaks, which can add subgraphs, and bytes are not minimised.
 *          Sizes, numbers of subgraphs, `accept` and move_non_tensor of desc.split have no effect
 *          here. They apply when gsp_split_run() takes the result.
 * Errors:  ARG, DESC, OVERFLOW (SIZE), those of gsp_split_run(); LIMIT (WORK: limits on inputs or
 *          outputs need more than max_work)
 * Time:    O(nodes + edges) per node of an accelerator subgraph that is above a limit, at most
 *          max_work, and a split per round in which nodes move to the CPU
 * Memory:  the bound
 * Example: examples/limits.c
 */
GSP_API gsp_status gsp_limits_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_limits_desc *desc, gsp_limits_result *result, gsp_error *err);

#endif

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_LIMITS_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_LIMITS_IMPLEMENTATION
#ifndef GRAPHSPLIT_LIMITS_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_LIMITS_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_LIMITS_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_LIMITS_END       _Pragma("GCC diagnostic pop")
#define GSPI_LIMITS_OWN_FRAME __attribute__((noinline)) static /* not on the stack of its caller */
#else
#define GSPI_LIMITS_BEGIN
#define GSPI_LIMITS_END
#define GSPI_LIMITS_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_LIMITS_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>limits   Limits of accelerator subgraphs (implementation)
 * ---- */

#if !defined(GSP_NO_SPLIT) && !defined(GSP_NO_FLOW) && !defined(GSP_NO_MEMORY)

/* A condition that no input makes, or one of gigabytes; `make cov` does not count it. */
#define GSPI_LIMITS_NEVER(x) (x)

/* A unit is a node, or a group that must stay together; a window is a range of units of one
 * subgraph. `first` marks where units begin. Windows grow at the back and shrink at the front,
 * since a window within another one has no more bytes and no more parameters. */

typedef struct gspi_limits_rows {
    uint32_t *phase; /* [n] */
    gsp_node *at;    /* [n] callable nodes by subgraph, each in an order with contiguous groups */
    uint32_t *position; /* [n] */
    uint32_t *last;     /* [n] position of the last reader in the same subgraph, or 0 */
    uint32_t *part;     /* [n] for gsp_liveness_run() */
    uint32_t *read_at;  /* [n] stamp of the last window that read a value from outside */
    uint32_t *low;      /* [n + 1] least position from which a window that ends here fits */
    uint32_t *pieces;   /* [n + 1] fewest up to a position */
    uint32_t *from;     /* [n + 1] where the last of these begins */
    uint64_t *cost;     /* [n + 1] bytes that leave pieces only because of cuts */
    uint64_t *upper;    /* [n + 1] sums of what units need, by position */
    uint64_t *size;     /* [2 strings] bytes of a parameter, or of a called module */
    uint32_t *count;    /* [2 strings] its readers in the window */
    uint8_t *first;     /* [n + 1] by position: a unit begins */
    uint8_t *leaves;    /* [n] 1 if another subgraph or the output reads the value */
} gspi_limits_rows;

typedef struct gspi_limits { /* not on the stack */
    const gsp_graph *g;
    const gsp_limits_desc *d;
    gsp_arena *arena;
    gsp_error *err;
    gsp_limits_result r;
    gsp_split_desc split;  /* for whole subgraphs */
    gsp_split_result made; /* whole subgraphs */
    gsp_liveness_desc window;
    gsp_liveness_result live; /* of the window */
    const gsp_limit *limit;   /* of the present subgraph */
    uint64_t max_work;
    uint64_t work;
    uint64_t params; /* of the window */
    uint32_t stamp;  /* of the next window */
    gspi_limits_rows a;
} gspi_limits;

#ifdef GSP_NO_MESSAGES
#define GSPI_LIMITS_FIELD(text) ""
#else
#define GSPI_LIMITS_FIELD(text) text "\0"
#endif

static gsp_status gspi_limits_fail(
    gsp_error *err, gsp_status status, gsp_detail detail, const char *field)
{
    if (err != NULL) {
        gsp_error const e = {status, detail, GSP_WHAT_NONE, GSP_NONE, GSP_NONE, 0, 0, 0, 0u, field};
        *err = e;
    }
    return status;
}

static uint64_t gspi_limits_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* ---- Layout ---- */

/* A layout pushes all arrays; without an arena it measures them. */
typedef struct gspi_limits_bump {
    gsp_arena *arena;
    uint64_t used;
} gspi_limits_bump;

GSPI_LIMITS_OWN_FRAME void *gspi_limits_push(
    gspi_limits_bump *b, uint64_t count, size_t size, int high)
{
    b->used += (count * size + (GSP_GAP + GSP_ALIGN - 1u)) & ~((uint64_t)GSP_ALIGN - 1u);
    return b->arena == NULL ? NULL
           : high           ? gsp_arena_push_high(b->arena, (size_t)count, size)
                            : gsp_arena_push(b->arena, (size_t)count, size);
}

static uint32_t *gspi_limits_words(gspi_limits_bump *b, uint64_t count)
{
    return (uint32_t *)gspi_limits_push(b, count, sizeof(uint32_t), 1);
}

static uint64_t *gspi_limits_longs(gspi_limits_bump *b, uint64_t count)
{
    return (uint64_t *)gspi_limits_push(b, count, sizeof(uint64_t), 1);
}

/* The arrays of a placement, which stay if `high` is 0. */
static gsp_placement gspi_limits_placement(gspi_limits_bump *b, uint32_t n, int high)
{
    gsp_placement p = {0u, 0u, 0u, NULL, NULL, NULL, NULL};
    p.n_nodes = n;
    p.kind = (uint8_t *)gspi_limits_push(b, n, 1, high);
    p.reason = (uint8_t *)gspi_limits_push(b, n, 1, high);
    p.culprit = (gsp_node *)gspi_limits_push(b, n, sizeof(gsp_node), high);
    p.group = (uint32_t *)gspi_limits_push(b, n, sizeof(uint32_t), high);
    return p;
}

GSPI_LIMITS_OWN_FRAME gsp_placement gspi_limits_layout(
    gspi_limits_bump *b, gspi_limits_rows *a, const gsp_graph *g)
{
    uint32_t const n = g->n_nodes;
    uint64_t const keys = 2u * (uint64_t)g->module->counts.strings;
    gsp_placement const kept = gspi_limits_placement(b, n, 0);
    a->phase = (uint32_t *)gspi_limits_push(b, n, sizeof(uint32_t), 0);
    a->cost = gspi_limits_longs(b, (uint64_t)n + 1u);
    a->upper = gspi_limits_longs(b, (uint64_t)n + 1u);
    a->size = gspi_limits_longs(b, keys);
    a->count = gspi_limits_words(b, keys);
    a->at = gspi_limits_words(b, n);
    a->position = gspi_limits_words(b, n);
    a->last = gspi_limits_words(b, n);
    a->part = gspi_limits_words(b, n);
    a->read_at = gspi_limits_words(b, n);
    a->low = gspi_limits_words(b, (uint64_t)n + 1u);
    a->pieces = gspi_limits_words(b, (uint64_t)n + 1u);
    a->from = gspi_limits_words(b, (uint64_t)n + 1u);
    a->first = (uint8_t *)gspi_limits_push(b, (uint64_t)n + 1u, 1, 1);
    a->leaves = (uint8_t *)gspi_limits_push(b, n, 1, 1);
    return kept;
}

/* What gsp_liveness_run() is asked: peaks of units, whose number is below that of nodes. */
static gsp_liveness_desc gspi_limits_parts(const uint32_t *part, uint32_t n_parts)
{
    gsp_liveness_desc d = {0u, 0u, NULL, NULL, 0u, 0u, NULL, 0u};
    d.part_of = part;
    d.n_parts = n_parts;
    return d;
}

/* After the split: an order with contiguous groups, or peaks. */
GSPI_LIMITS_OWN_FRAME uint64_t gspi_limits_passes(const gsp_graph *g)
{
    gsp_liveness_desc const parts = gspi_limits_parts(NULL, g->n_nodes);
    uint64_t bytes = gsp_liveness_bound(g, &parts);
#ifndef GSP_NO_FUSE
    gspi_limits_bump b = {NULL, 0u};
    (void)gspi_limits_placement(&b, g->n_nodes, 0);
    uint64_t const order = b.used + gsp_fuse_bound(g, NULL);
    bytes = bytes > order ? bytes : order;
#endif
    return bytes;
}

/* The workspace itself. */
GSPI_LIMITS_OWN_FRAME uint64_t gspi_limits_own(const gsp_graph *g)
{
    gspi_limits_bump b = {NULL, 0u};
    gspi_limits_rows a;
    (void)gspi_limits_push(&b, 1, sizeof(gspi_limits), 1);
    (void)gspi_limits_layout(&b, &a, g);
    return b.used + 2u * (uint64_t)GSP_BOUND_SLACK;
}

static uint64_t gspi_limits_bytes(const gsp_graph *g, const gsp_limits_desc *d)
{
    uint64_t const passes = gspi_limits_sum(gspi_limits_passes(g), gsp_split_bound(g, d->split));
    return gspi_limits_sum(gspi_limits_own(g), passes);
}

size_t gsp_limits_bound(const gsp_graph *graph, const gsp_limits_desc *desc)
{
    uint64_t const bytes =
        desc == NULL || desc->split == NULL ? UINT64_MAX : gspi_limits_bytes(graph, desc);
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

/* ---- Whole subgraphs and their orders ---- */

/* The split without sizes, numbers and callbacks, of this placement. */
static gsp_status gspi_limits_split(gspi_limits *w, const gsp_placement *p)
{
    gsp_split_desc *d = &w->split;
    *d = *w->d->split;
    d->placement = p;
    d->limit = d->max_acc = d->min_size = d->max_size = d->move_non_tensor = 0u;
    d->min_sizes = d->max_sizes = NULL;
    d->accept = NULL;
    return gsp_split_run(w->arena, w->g, d, &w->made, w->err);
}

/* An order in which groups are contiguous; NULL means graph order. */
static const gsp_node *gspi_limits_order(const gspi_limits *w)
{
    const gsp_node *order = NULL;
#ifndef GSP_NO_FUSE
    gspi_limits_bump b = {w->arena, 0u};
    gsp_placement p = gspi_limits_placement(&b, w->g->n_nodes, 0);
    gsp_fuse_desc const desc = {0u, 1u, 0u};
    gsp_fuse_result fused;
    p.n_kinds = w->made.n_kinds;
    for (gsp_node v = 0; v < p.n_nodes; v++) {
        p.kind[v] = w->made.kind[v];
        p.reason[v] = w->made.reason[v];
        p.culprit[v] = w->made.culprit[v];
        p.group[v] = w->made.group[v];
    }
    if (GSPI_LIMITS_NEVER(gsp_fuse_run(w->arena, w->g, &desc, &p, &fused, NULL) != GSP_OK)) {
        return NULL; /* the split has done the same */
    }
    order = fused.order;
#else
    (void)w;
#endif
    return order;
}

/* Lists nodes by subgraph in that order, and marks where units begin. */
GSPI_LIMITS_OWN_FRAME void gspi_limits_sort(gspi_limits *w)
{
    const gsp_split_result *s = &w->made;
    const uint32_t *group = s->group;
    const gsp_node *order = gspi_limits_order(w);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_subgraphs; i++) {
        w->a.low[i] = s->subgraph_begin[i];
    }
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        gsp_node const v = order == NULL ? i : order[i];
        if (s->subgraph_of[v] != GSP_NONE) {
            w->a.position[v] = w->a.low[s->subgraph_of[v]]++;
            w->a.at[w->a.position[v]] = v;
            n++;
        }
    }
    for (uint32_t p = 0; p < n; p++) {
        gsp_node const v = w->a.at[p];
        gsp_node const before = w->a.at[p > 0u ? p - 1u : 0u];
        w->a.first[p] = p == s->subgraph_begin[s->subgraph_of[v]] || group[v] == GSP_NONE ||
                        group[v] != group[before];
    }
    w->a.first[n] = 1;
}

/* Where the unit that begins at a position ends. */
static uint32_t gspi_limits_end(const gspi_limits *w, uint32_t p)
{
    do {
        p++;
    } while (!w->a.first[p]);
    return p;
}

/* Who reads a value: the last node of its subgraph, and others. */
static void gspi_limits_readers(gspi_limits *w)
{
    const uint32_t *of = w->made.subgraph_of;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *users = gsp_node_users(w->g, v, &n);
        w->a.last[v] = 0;
        w->a.leaves[v] = 0;
        w->a.read_at[v] = GSP_NONE;
        for (uint32_t i = 0; i < n; i++) {
            gsp_node const u = users[i];
            if (of[u] == GSP_NONE || of[u] != of[v]) {
                w->a.leaves[v] = 1;
            } else if (w->a.position[u] > w->a.last[v]) {
                w->a.last[v] = w->a.position[u];
            }
        }
    }
}

/* ---- Windows ---- */

/* Bytes of parameters and called modules by their first use; fails if all sizes exceed 64 bits. */
GSPI_LIMITS_OWN_FRAME gsp_status gspi_limits_sizes(gspi_limits *w)
{
    uint32_t const strings = w->g->module->counts.strings;
    const gsp_atom *target = w->g->module->target + w->g->first;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < strings; i++) {
        w->a.size[i] = w->a.size[strings + i] = UINT64_MAX;
        w->a.count[i] = w->a.count[strings + i] = 0;
    }
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        gsp_op const op = gsp_node_op(w->g, v);
        uint64_t const bytes = gsp_node_params(w->g, v);
        sum = gspi_limits_sum(sum, bytes);
        if (op == GSP_OP_GET_ATTR || op == GSP_OP_CALL_MODULE) {
            uint64_t *size = &w->a.size[(op == GSP_OP_GET_ATTR ? 0u : strings) + target[v]];
            *size = *size == UINT64_MAX ? bytes : *size;
        }
    }
    return sum < UINT64_MAX ? GSP_OK
                            : gspi_limits_fail(w->err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, "");
}

static void gspi_limits_count(gspi_limits *w, uint32_t key, int joins)
{
    if (joins) {
        w->params += w->a.count[key]++ == 0u ? w->a.size[key] : 0u;
    } else {
        w->params -= --w->a.count[key] == 0u ? w->a.size[key] : 0u;
    }
}

/* Parameters of the nodes from p to `end`, which join the window or leave it. */
static void gspi_limits_params(gspi_limits *w, uint32_t p, uint32_t end, int joins)
{
    const gsp_graph *g = w->g;
    const gsp_atom *target = g->module->target + g->first;
    for (; p < end; p++) {
        gsp_node const v = w->a.at[p];
        uint32_t n;
        const gsp_node *inputs = gsp_node_inputs(g, v, &n);
        w->work += 1u + n;
        for (uint32_t i = 0; i < n; i++) {
            if (gsp_node_op(g, inputs[i]) == GSP_OP_GET_ATTR) {
                gspi_limits_count(w, target[inputs[i]], joins);
            }
        }
        if (gsp_node_op(g, v) == GSP_OP_CALL_MODULE) {
            gspi_limits_count(w, g->module->counts.strings + target[v], joins);
        } else {
            uint64_t const own = gsp_node_params(g, v); /* of graphs that it runs */
            w->params = joins ? w->params + own : w->params - own;
        }
    }
}

/* A window that grows at the front. */
typedef struct gspi_limits_window {
    uint32_t end;
    uint32_t inputs;
    uint32_t outputs;
    uint64_t cost;
    uint32_t stamp;
} gspi_limits_window;

static gspi_limits_window gspi_limits_window_at(gspi_limits *w, uint32_t end)
{
    gspi_limits_window x = {0u, 0u, 0u, 0u, 0u};
    x.end = end;
    x.stamp = w->stamp++;
    return x;
}

/* The node at a position joins; its inputs in this subgraph are before it, hence outside. */
static void gspi_limits_join(gspi_limits *w, gspi_limits_window *x, uint32_t p)
{
    gsp_node const v = w->a.at[p];
    int const is_read_later = w->a.last[v] >= x->end;
    uint32_t n;
    const gsp_node *inputs = gsp_node_inputs(w->g, v, &n);
    w->work += 1u + n;
    x->inputs -= w->a.read_at[v] == x->stamp ? 1u : 0u;
    for (uint32_t i = 0; i < n; i++) {
        gsp_node const u = inputs[i];
        if (gsp_node_op(w->g, u) != GSP_OP_GET_ATTR && w->a.read_at[u] != x->stamp) {
            w->a.read_at[u] = x->stamp;
            x->inputs++;
        }
    }
    x->outputs += w->a.leaves[v] || is_read_later ? 1u : 0u;
    x->cost += !w->a.leaves[v] && is_read_later ? gsp_node_bytes(w->g, v) : 0u;
}

/* The window from a position on. */
static gspi_limits_window gspi_limits_range(gspi_limits *w, uint32_t p, uint32_t end)
{
    gspi_limits_window x = gspi_limits_window_at(w, end);
    while (end > p) {
        gspi_limits_join(w, &x, --end);
    }
    return x;
}

static int gspi_limits_ports(const gsp_limit *l, const gspi_limits_window *x)
{
    return (l->inputs == 0u || x->inputs <= l->inputs) &&
           (l->outputs == 0u || x->outputs <= l->outputs);
}

/* The peak inside the window; all parts are 1 before and after. */
static uint64_t gspi_limits_peak(gspi_limits *w, uint32_t p, uint32_t end)
{
    gsp_mark const mark = gsp_arena_mark(w->arena);
    uint64_t peak;
    w->window = gspi_limits_parts(w->a.part, 2u);
    for (uint32_t i = p; i < end; i++) {
        w->a.part[w->a.at[i]] = 0;
    }
    if (GSPI_LIMITS_NEVER(gsp_liveness_run(w->arena, w->g, &w->window, &w->live, NULL) != GSP_OK)) {
        return UINT64_MAX; /* the sum of all sizes was checked */
    }
    peak = w->live.parts[0].bytes;
    for (uint32_t i = p; i < end; i++) {
        w->a.part[w->a.at[i]] = 1;
    }
    w->work += (uint64_t)w->g->n_nodes + w->made.n_nodes;
    gsp_arena_rewind(w->arena, mark);
    return peak;
}

/* 1 if bytes and parameters of the window are within the limits. Each value that is live at a step
 * belongs to a unit, so that the sum of what units need is an upper bound of the peak. */
static int gspi_limits_fits(gspi_limits *w, uint32_t p, uint32_t end)
{
    const gsp_limit *l = w->limit;
    uint64_t const room = l->bytes - w->params;
    if (l->params != 0u && w->params > l->params) {
        return 0;
    }
    if (l->bytes == 0u || w->params > l->bytes) {
        return l->bytes == 0u;
    }
    if (w->a.upper[end] < UINT64_MAX && w->a.upper[end] - w->a.upper[p] <= room) {
        return 1;
    }
    return w->work < w->max_work && gspi_limits_peak(w, p, end) <= room;
}

/* ---- Units that are above a limit by themselves ---- */

/* Numbers the units, and sums up what they need: inputs and results of a node are live at once,
 * those of a group perhaps one after the other. */
GSPI_LIMITS_OWN_FRAME gsp_status gspi_limits_units(gspi_limits *w, uint32_t n)
{
    gsp_mark const mark = gsp_arena_mark(w->arena);
    gsp_liveness_desc d = gspi_limits_parts(w->a.part, 0u);
    gsp_liveness_result peaks;
    gsp_status status;
    if (n == 0u) {
        return GSP_OK; /* no parts would mean the whole graph */
    }
    for (uint32_t p = 0; p < n; p++) {
        d.n_parts += w->a.first[p] ? 1u : 0u;
        w->a.part[w->a.at[p]] = d.n_parts - 1u;
    }
    status = gsp_liveness_run(w->arena, w->g, &d, &peaks, w->err);
    w->work += (uint64_t)w->g->n_nodes + n;
    w->a.upper[0] = 0;
    for (uint32_t p = 0; status == GSP_OK && p < n; p++) {
        uint64_t const bytes = peaks.parts[w->a.part[w->a.at[p]]].bytes;
        uint64_t const most =
            w->a.first[p] && w->a.first[p + 1u] ? bytes : gspi_limits_sum(bytes, bytes);
        w->a.upper[p + 1u] = gspi_limits_sum(w->a.upper[p], w->a.first[p] ? most : 0u);
        w->a.cost[p] = bytes;
    }
    gsp_arena_rewind(w->arena, mark);
    return status;
}

/* 1 if the unit is above a limit; cost[p] is its peak. */
static int gspi_limits_is_large(gspi_limits *w, const gsp_limit *l, uint32_t p, uint32_t end)
{
    gspi_limits_window const x = gspi_limits_range(w, p, end);
    uint64_t params;
    gspi_limits_params(w, p, end, 1);
    params = w->params;
    gspi_limits_params(w, p, end, 0);
    return (l->params != 0u && params > l->params) ||
           (l->bytes != 0u && (params > l->bytes || w->a.cost[p] > l->bytes - params)) ||
           !gspi_limits_ports(l, &x);
}

/* Moves units that are too large to the CPU; returns the number of their nodes. */
GSPI_LIMITS_OWN_FRAME uint32_t gspi_limits_move(gspi_limits *w, uint32_t n)
{
    gsp_placement *to = &w->r.placement;
    uint32_t moved = 0;
    uint32_t end;
    for (uint32_t p = 0; p < n; p = end) {
        uint32_t const kind = w->made.kind[w->a.at[p]];
        end = gspi_limits_end(w, p);
        if (kind == GSP_KIND_CPU || !gspi_limits_is_large(w, &w->d->limits[kind], p, end)) {
            continue;
        }
        for (uint32_t i = p; i < end; i++) {
            to->kind[w->a.at[i]] = GSP_KIND_CPU;
            to->reason[w->a.at[i]] = (uint8_t)GSP_REASON_LARGE;
            to->culprit[w->a.at[i]] = GSP_NONE;
            moved++;
        }
    }
    return moved;
}

static void gspi_limits_take(gsp_placement *to, const gsp_placement *from, const uint8_t *reason)
{
    to->n_kinds = from->n_kinds;
    for (gsp_node v = 0; v < to->n_nodes; v++) {
        to->kind[v] = from->kind[v];
        to->reason[v] = from->reason == NULL ? reason[v] : from->reason[v];
        to->culprit[v] = from->culprit == NULL ? GSP_NONE : from->culprit[v];
        to->group[v] = from->group == NULL ? GSP_NONE : from->group[v];
    }
}

/* Whole subgraphs in which each unit is within the limits. */
static gsp_status gspi_limits_whole(gspi_limits *w)
{
    gsp_mark const mark = gsp_arena_mark(w->arena);
    const gsp_placement *placement = w->d->split->placement;
    uint32_t moved = 0;
    gsp_status status;
    do {
        gsp_arena_rewind(w->arena, mark);
        status = gspi_limits_split(w, placement);
        if (status != GSP_OK) {
            return status;
        }
        if (placement != &w->r.placement) {
            gspi_limits_take(&w->r.placement, placement, w->made.reason);
            placement = &w->r.placement;
        }
        uint32_t const n = w->made.subgraph_begin[w->made.n_subgraphs];
        gsp_mark const passes = gsp_arena_mark(w->arena);
        gspi_limits_sort(w);
        gsp_arena_rewind(w->arena, passes);
        gspi_limits_readers(w);
        w->stamp = 0;
        status = gspi_limits_units(w, n);
        moved = status == GSP_OK ? gspi_limits_move(w, n) : 0u;
        w->r.n_large += moved;
    } while (moved != 0u);
    return status;
}

/* ---- Cuts ---- */

/* Leasts positions from which windows of [begin, end) fit, by two ends that only move forward. */
static void gspi_limits_lows(gspi_limits *w, uint32_t begin, uint32_t end)
{
    uint32_t p = begin;
    uint32_t next;
    for (uint32_t q = begin; q < end; q = next) {
        next = gspi_limits_end(w, q);
        gspi_limits_params(w, q, next, 1);
        while (p < q && !gspi_limits_fits(w, p, next)) {
            uint32_t const after = gspi_limits_end(w, p);
            gspi_limits_params(w, p, after, 0);
            p = after;
        }
        w->a.low[next] = p;
    }
    gspi_limits_params(w, p, end, 0);
}

/* The last piece up to `end`: fewest pieces, then least bytes, then the longest. */
static void gspi_limits_last_piece(gspi_limits *w, uint32_t end)
{
    gspi_limits_window x = gspi_limits_window_at(w, end);
    uint32_t p = end;
    w->a.pieces[end] = UINT32_MAX;
    while (p > w->a.low[end]) {
        gspi_limits_join(w, &x, --p);
        if (!w->a.first[p] || !gspi_limits_ports(w->limit, &x)) {
            continue;
        }
        uint64_t const cost = gspi_limits_sum(w->a.cost[p], x.cost);
        uint32_t const pieces = w->a.pieces[p] + 1u;
        if (pieces < w->a.pieces[end] || (pieces == w->a.pieces[end] && cost <= w->a.cost[end])) {
            w->a.pieces[end] = pieces;
            w->a.cost[end] = cost;
            w->a.from[end] = p;
        }
    }
}

/* The same without inputs, outputs and bytes. */
static void gspi_limits_longest_piece(gspi_limits *w, uint32_t end)
{
    w->a.from[end] = w->a.low[end];
    w->a.pieces[end] = w->a.pieces[w->a.low[end]] + 1u;
    w->a.cost[end] = 0;
}

/* Finds the pieces of [begin, end), which from[] links from the end. */
static gsp_status gspi_limits_cut(gspi_limits *w, uint32_t begin, uint32_t end)
{
    int const ports = w->limit->inputs != 0u || w->limit->outputs != 0u;
    uint32_t next;
    gspi_limits_lows(w, begin, end);
    w->a.pieces[begin] = 0;
    w->a.cost[begin] = 0;
    for (uint32_t q = begin; q < end; q = next) {
        next = gspi_limits_end(w, q);
        if (w->work < w->max_work) {
            gspi_limits_last_piece(w, next);
        } else if (!ports) {
            gspi_limits_longest_piece(w, next);
        } else {
            return gspi_limits_fail(w->err, GSP_STATUS_LIMIT, GSP_DETAIL_WORK, "");
        }
    }
    return GSP_OK;
}

/* 1 if each unit of [begin, end) reads the one before it, which leaves no other order. */
static int gspi_limits_is_chain(const gspi_limits *w, uint32_t begin, uint32_t end)
{
    uint32_t before = begin;
    uint32_t next;
    for (uint32_t q = gspi_limits_end(w, begin); q < end; before = q, q = next) {
        int reads = 0;
        next = gspi_limits_end(w, q);
        for (uint32_t p = q; p < next; p++) {
            uint32_t n;
            const gsp_node *inputs = gsp_node_inputs(w->g, w->a.at[p], &n);
            for (uint32_t i = 0; i < n; i++) {
                uint32_t const subgraph = w->made.subgraph_of[inputs[i]];
                uint32_t const at = w->a.position[inputs[i]];
                reads |= subgraph == w->made.subgraph_of[w->a.at[p]] && at >= before && at < q;
            }
        }
        if (!reads) {
            return 0;
        }
    }
    return 1;
}

/* A lower bound of the pieces of [begin, end): each parameter is in one of them. */
static uint32_t gspi_limits_least(gspi_limits *w, uint32_t begin, uint32_t end)
{
    uint64_t const limits[] = {w->limit->bytes, w->limit->params};
    uint64_t least = 1;
    gspi_limits_params(w, begin, end, 1);
    for (uint32_t i = 0; i < 2u; i++) {
        uint64_t const pieces =
            limits[i] == 0u || w->params == 0u ? 1u : (w->params - 1u) / limits[i] + 1u;
        least = pieces > least ? pieces : least;
    }
    gspi_limits_params(w, begin, end, 0);
    return (uint32_t)least;
}

/* Gives the pieces of [begin, end) their phases; returns the bytes that leave one only because of
 * the cuts. */
static uint64_t gspi_limits_number(gspi_limits *w, uint32_t begin, uint32_t end)
{
    uint32_t phase = w->r.n_subgraphs + w->a.pieces[end];
    uint32_t q = end;
    uint64_t sum = 0;
    w->r.n_subgraphs = phase;
    while (q > begin) {
        uint32_t const from = w->a.from[q];
        uint32_t const to = q;
        phase--;
        while (q > from) {
            gsp_node const v = w->a.at[--q];
            w->a.phase[v] = phase;
            sum = gspi_limits_sum(
                sum, !w->a.leaves[v] && w->a.last[v] >= to ? gsp_node_bytes(w->g, v) : 0u);
        }
    }
    return sum;
}

static gsp_status gspi_limits_subgraph(gspi_limits *w, uint32_t begin, uint32_t end)
{
    gspi_limits_window const x = gspi_limits_range(w, begin, end);
    gsp_status status = GSP_OK;
    int fits;
    gspi_limits_params(w, begin, end, 1);
    fits = gspi_limits_ports(w->limit, &x) && gspi_limits_fits(w, begin, end);
    gspi_limits_params(w, begin, end, 0);
    w->a.from[end] = begin;
    w->a.pieces[end] = 1;
    if (!fits) {
        status = gspi_limits_cut(w, begin, end);
    }
    if (status == GSP_OK) {
        uint32_t const pieces = w->a.pieces[end];
        int const exact = w->work < w->max_work && gspi_limits_is_chain(w, begin, end);
        uint32_t const least = exact ? pieces : gspi_limits_least(w, begin, end);
        uint64_t const bytes = gspi_limits_number(w, begin, end);
        w->r.n_acc += pieces;
        w->r.n_least += least;
        w->r.bytes = gspi_limits_sum(w->r.bytes, bytes);
        w->r.proved &= exact || (pieces == least && bytes == 0u) ? 1u : 0u;
    }
    return status;
}

/* Every subgraph, in order. */
GSPI_LIMITS_OWN_FRAME gsp_status gspi_limits_subgraphs(gspi_limits *w)
{
    const gsp_split_result *s = &w->made;
    gsp_status status = GSP_OK;
    w->r.proved = 1;
    for (uint32_t p = 0; p < s->subgraph_begin[s->n_subgraphs]; p++) {
        w->a.part[w->a.at[p]] = 1;
    }
    for (uint32_t i = 0; i < s->n_subgraphs && status == GSP_OK; i++) {
        uint32_t const kind = s->subgraph_kind[i];
        uint32_t const begin = s->subgraph_begin[i];
        uint32_t const end = s->subgraph_begin[i + 1u];
        if (kind == GSP_KIND_CPU) {
            w->a.from[end] = begin;
            w->a.pieces[end] = 1;
            (void)gspi_limits_number(w, begin, end);
        } else {
            w->limit = &w->d->limits[kind];
            status = gspi_limits_subgraph(w, begin, end);
        }
    }
    return status;
}

/* ---- The pass ---- */

static gsp_status gspi_limits_check(const gsp_graph *g, const gsp_limits_desc *d, gsp_error *err)
{
    const char *field = GSPI_LIMITS_FIELD("limits");
    field = d->split == NULL ? GSPI_LIMITS_FIELD("split") : field;
    field = g == NULL ? GSPI_LIMITS_FIELD("graph") : field;
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_limits_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, "");
    }
    return g != NULL && d->split != NULL && d->limits != NULL
               ? GSP_OK
               : gspi_limits_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, field);
}

/* Fails for less than the bound. */
GSPI_LIMITS_OWN_FRAME gsp_status gspi_limits_room(
    const gsp_arena *arena, const gsp_graph *g, const gsp_limits_desc *d, gsp_error *err)
{
    uint64_t const bound = gspi_limits_bytes(g, d);
    size_t const left = gsp_arena_left(arena);
    if (GSPI_LIMITS_NEVER(bound >= SIZE_MAX)) {
        return gspi_limits_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, "");
    }
    if (left >= bound) {
        return gspi_limits_fail(err, GSP_OK, GSP_DETAIL_NONE, "");
    }
    (void)gspi_limits_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, "");
    if (err != NULL) {
        err->need = bound;
        err->limit = left;
    }
    return GSP_STATUS_NOMEM;
}

/* A workspace in the arena; *low is the end of the results, which stay. */
GSPI_LIMITS_OWN_FRAME gspi_limits *gspi_limits_open(
    gsp_arena *arena, const gsp_graph *g, const gsp_limits_desc *d, gsp_error *err, size_t *low)
{
    gspi_limits_bump b = {arena, 0u};
    gspi_limits *w = (gspi_limits *)gspi_limits_push(&b, 1, sizeof(gspi_limits), 1);
    gsp_limits_result const none = {
        {0u, 0u, 0u, NULL, NULL, NULL, NULL}, NULL, 0u, 0u, 0u, 0u, 0u, 0u, 0u};
    w->r = none;
    w->r.placement = gspi_limits_layout(&b, &w->a, g);
    w->r.phase = w->a.phase;
    w->g = g;
    w->d = d;
    w->arena = arena;
    w->err = err;
    w->max_work = d->max_work == 0u ? GSP_LIMITS_WORK : d->max_work;
    w->work = 0;
    w->params = 0;
    *low = gsp_arena_mark(arena).low;
    return w;
}

gsp_status gsp_limits_run(gsp_arena *arena, const gsp_graph *graph, const gsp_limits_desc *desc,
    gsp_limits_result *result, gsp_error *err)
{
    size_t low = 0;
    if (arena == NULL || desc == NULL || result == NULL) {
        const char *field = GSPI_LIMITS_FIELD("result");
        field = desc == NULL ? GSPI_LIMITS_FIELD("desc") : field;
        field = arena == NULL ? GSPI_LIMITS_FIELD("arena") : field;
        return gspi_limits_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, field);
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_status status = gspi_limits_check(graph, desc, err);
    if (status == GSP_OK) {
        status = gspi_limits_room(arena, graph, desc, err);
    }
    if (status != GSP_OK) {
        return status;
    }
    gspi_limits *w = gspi_limits_open(arena, graph, desc, err, &low);
    status = gspi_limits_sizes(w);
    status = status == GSP_OK ? gspi_limits_whole(w) : status;
    status = status == GSP_OK ? gspi_limits_subgraphs(w) : status;
    if (status == GSP_OK) {
        w->r.work = w->work;
        *result = w->r;
        mark.low = low;
    }
    gsp_arena_rewind(arena, mark);
    return status;
}

#endif

#ifdef __cplusplus
}
#endif

GSPI_LIMITS_END

#endif /* GRAPHSPLIT_LIMITS_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_LIMITS_IMPLEMENTATION */
