/* graphsplit_memories.h - an add-on of graphsplit.h: tensors in several memories at least cost
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Gives each tensor one of several memories and an offset there, such that bytes read and written
 * cost least, with a lower bound. Takes intervals and no graph. Needs graphsplit.h alone.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_MEMORIES_IMPLEMENTATION
 *     #include "graphsplit_memories.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 * Multipliers are floating point. With GSP_NO_COST or GSP_NO_MEMORY this header is empty.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>memories           Tensors in several memories at least cost
 *     >>impl               Implementation guard
 *
 *     gsp_memories_run     O(n^2), then desc.max_work   326 per tensor, and 52 per memory; states
 *                                                       14 to 53 MB, see max_states
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_MEMORIES_H_INCLUDED
#define GRAPHSPLIT_MEMORIES_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_MEMORIES_IMPLEMENTATION)
#error "graphsplit_memories: GRAPHSPLIT_STATIC needs GRAPHSPLIT_MEMORIES_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>memories   Tensors in several memories at least cost (API)
 * ---- */

#ifndef GSP_NO_MEMORY
#ifndef GSP_NO_COST

#define GSP_MEMORIES_MOST 16u /* memories */

/* A memory in which tensors may lie. */
typedef struct gsp_memory {
    uint64_t bytes;     /* its capacity; what exceeds 2^60 does not count */
    uint64_t cost;      /* per byte read or written, in any unit */
    uint32_t align;     /* of every offset in bytes, a power of two; 0 means 16 */
    uint32_t read_only; /* 1 if it takes only tensors that nothing writes */
} gsp_memory;

/* Called before a tensor is placed by the search. Returns nonzero to stop with the best so far. */
typedef int (*gsp_memories_progress_func)(void *user, uint64_t work);

/* Tensors, memories, and what the search may take. */
typedef struct gsp_memories_desc {
    uint32_t start_canary;
    uint32_t n_tensors;
    const gsp_tensor *tensors;  /* [n_tensors] bytes, begin and end; offset if fixed */
    const gsp_memory *memories; /* [n_memories] */
    uint32_t n_memories;        /* at most GSP_MEMORIES_MOST */
    uint32_t max_states;     /* per tensor in the search; 0 and more than that mean 32,768, less if
                                there are more than 64 tensors (2^21 / n_tensors, 8 at least) */
    const uint64_t *traffic; /* [n_tensors] bytes read and written; NULL means those of tensors */
    const uint32_t *written; /* [n_tensors] 0 if nothing writes it; NULL if all are written */
    const uint32_t *aligns;  /* [n_tensors] powers of two, beside those of memories; or NULL */
    const uint32_t *pins;    /* [n_tensors] the memory, GSP_NONE for any; or NULL */
    const uint32_t *fixed;   /* [n_tensors] 1 if a pinned tensor keeps its offset; or NULL */
    uint64_t max_work;       /* see gsp_memories_result.work; 0 means 2^27 */
    gsp_memories_progress_func progress; /* or NULL */
    void *progress_user;
    uint32_t end_canary;
} gsp_memories_desc;

/* All arrays are read-only. */
typedef struct gsp_memories_result {
    uint64_t cost;          /* sum of traffic times cost; UINT64_MAX if no plan was found */
    uint64_t lower_bound;   /* no plan costs less; UINT64_MAX if there is proved to be none */
    uint64_t greedy;        /* the cost before the search, or UINT64_MAX */
    uint64_t work;          /* states of the search, and tensors of packing visited */
    const uint32_t *memory; /* [n_tensors] without a plan, this and offset have no meaning */
    const uint64_t *offset; /* [n_tensors] */
    uint32_t misfit;        /* the first tensor that fits into no memory by itself, or GSP_NONE */
    uint32_t stopped;       /* 1 if progress ended the search early */
} gsp_memories_result;

/* gsp_memories_bound: bytes for the run; SIZE_MAX without a desc. Time: O(1). */
GSP_API size_t gsp_memories_bound(const gsp_memories_desc *desc);

/* gsp_memories_run: a memory and an offset for every tensor, at least cost where that is proved.
 *
 * What:    First fit, then Lagrange multipliers per memory and step, which give a lower bound and
 *          a better first fit. Then a search over tensors by first step. Its states are the
 *          memories of live tensors; if there are too many, those of the best bounds stay. The
 *          cheapest assignment whose live bytes fit is packed by gsp_memory_pack_run(). If it does
 *          not fit, a minimal set of tensors at fault is forbidden in that memory, and the search
 *          starts again.
 * Errors:  ARG, DESC (CHOICE: n_memories); after NOMEM: ARG (NUMBER: an alignment; RANGE: tensor
 *          begins after its end, or has a pin that is no memory, or is fixed without a pin;
 *          OVERLAP: tensor and other are fixed), OVERFLOW (SIZE: bytes, or their cost, exceed
 *          2^60 up to tensor)
 * Time:    O(n^2) for the first plans, up to 400 rounds of O(n memories), max_work
 * Memory:  the bound
 * Order:   of plans of equal cost the first one found
 * Example: examples/memories.c
 * See:     Held, Wolfe, Crowder 1974 (subgradients); Lawler, Wood 1966 (branch and bound)
 */
GSP_API gsp_status gsp_memories_run(
    gsp_arena *arena, const gsp_memories_desc *desc, gsp_memories_result *result, gsp_error *err);

#endif
#endif

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_MEMORIES_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_MEMORIES_IMPLEMENTATION
#ifndef GRAPHSPLIT_MEMORIES_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_MEMORIES_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_MEMORIES_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_MEMORIES_END       _Pragma("GCC diagnostic pop")
#define GSPI_MEMORIES_OWN_FRAME __attribute__((noinline)) static /* not on that of its caller */
#else
#define GSPI_MEMORIES_BEGIN
#define GSPI_MEMORIES_END
#define GSPI_MEMORIES_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_MEMORIES_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>memories   Tensors in several memories at least cost (implementation)
 * ---- */

#ifndef GSP_NO_MEMORY
#ifndef GSP_NO_COST

/* A section is a range of steps in which no tensor begins but at its first step. A multiplier per
 * memory and section prices a live byte; costs are scaled, so that prices in whole numbers lose
 * little. The bound of a state is its cost, and the price of the room that its live tensors take
 * from here on, and the least of both for each later tensor, less the price of all room left. */

#define GSPI_MEMORIES_STATES    32768u   /* at most, per tensor */
#define GSPI_MEMORIES_HISTORY   2097152u /* states of all tensors */
#define GSPI_MEMORIES_FORBIDDEN 256u
#define GSPI_MEMORIES_MEMBERS   4096u           /* of these sets */
#define GSPI_MEMORIES_SCALE     1024u           /* of costs, at most */
#define GSPI_MEMORIES_LIMIT     (1ull << 60)    /* of bytes, and of scaled costs */
#define GSPI_MEMORIES_NO_BOUND  (INT64_MAX / 2) /* exceeds all costs */
#define GSPI_MEMORIES_PACK_WORK 16777216u
#define GSPI_MEMORIES_TRY_WORK  65536u /* of packing, if another try follows */
#define GSPI_MEMORIES_WORK      ((uint64_t)1u << 27)

/* A condition that no input makes, or one of gigabytes; `make cov` does not count it. */
#define GSPI_MEMORIES_NEVER(x) (x)

/* An item to sort. As a candidate of the search: biased bound, parent, memory. */
typedef struct gspi_memories_key {
    uint64_t key;
    uint64_t next; /* if keys are equal */
    uint32_t id;
} gspi_memories_key;

/* The states between two tensors of the search. */
typedef struct gspi_memories_front {
    uint32_t n;
    int64_t *bound;
    uint64_t *cost;
    uint64_t *load; /* [n][memories] live bytes */
    uint64_t *hash; /* [n] of live bytes by memory and by the section in which they end */
    uint8_t *row;   /* [n][width] memory + 1 per slot; then 1 per forbidden set that is avoided */
} gspi_memories_front;

/* Tensors that do not fit into a memory together. */
typedef struct gspi_memories_forbidden {
    uint32_t memory;
    uint32_t begin; /* in members */
    uint32_t end;
    uint32_t next; /* the first member that has no memory yet */
} gspi_memories_forbidden;

typedef struct gspi_memories_rows {
    uint32_t n;      /* tensors */
    uint32_t m;      /* memories */
    uint32_t states; /* at most */
    uint32_t table_size;
    uint32_t *memory;  /* [n] of the result */
    uint64_t *offset;  /* [n] */
    uint32_t *allowed; /* [n] a bit per memory in which the tensor fits by itself */
    uint32_t *order;   /* [n] by begin */
    uint32_t *place;   /* [n] of a tensor in it */
    uint32_t *by_size; /* [n] fixed ones first, then falling */
    uint32_t *by_gain; /* [n] the same by traffic per step and byte */
    uint32_t *first;   /* [n] sections */
    uint32_t *last;    /* [n] */
    uint32_t *slot;    /* [n] which tensors share one after the other */
    uint32_t *live;    /* [n] tensors by slot */
    uint32_t *choice;  /* [n] memories of the plan that is tried */
    uint64_t *trial;   /* [n] its offsets */
    uint32_t *placed;  /* [m][n] by offset */
    double *weight;    /* [m][sections] multipliers */
    double *best;      /* [m][sections] the best ones so far */
    double *sum;       /* [m][sections + 1] */
    int64_t *weigh;    /* [m][sections] as whole numbers */
    int64_t *before;   /* [m][sections + 1] their sums */
    int64_t *least;    /* [n] of cost and price, over all memories */
    gspi_memories_front fronts[2];
    gspi_memories_key *keys; /* [states * m], n at least */
    uint32_t *history;       /* [n][states] parent and memory */
    uint32_t *table;         /* [table_size] states by hash */
    uint64_t *ending;        /* [sections][m] 0, between two comparisons */
    gspi_memories_forbidden *sets;
    uint32_t *members; /* places in the order */
    uint32_t *set;     /* [n] tensors that are packed */
    gsp_tensor *part;  /* [n] */
    uint32_t *aligns;  /* [n] */
    uint32_t *fixed;   /* [n] */
} gspi_memories_rows;

typedef struct gspi_memories { /* not on the stack */
    gsp_arena *arena;
    const gsp_memories_desc *d;
    gsp_memories_result r;
    gspi_memories_rows a;
    uint64_t bytes[GSP_MEMORIES_MOST];
    uint64_t align[GSP_MEMORIES_MOST];
    uint64_t round[GSP_MEMORIES_MOST]; /* sizes are rounded up to multiples */
    uint32_t by_cost[GSP_MEMORIES_MOST];
    uint32_t n_placed[GSP_MEMORIES_MOST];
    uint32_t n_slots;
    uint32_t n_sections;
    uint32_t n_keys;
    uint32_t mask; /* of the part of the table that is used */
    uint32_t n_sets;
    uint32_t section; /* of the front */
    uint64_t scale;
    uint64_t upper; /* every assignment costs less */
    uint64_t max_work;
    int64_t dropped; /* the least bound of states that were dropped */
    gsp_memory_pack_desc pack;
    gsp_memory_pack_result packed;
} gspi_memories;

/* Names the argument or field at fault; a second NUL says that no count makes it required. */
#ifdef GSP_NO_MESSAGES
#define GSPI_MEMORIES_FIELD(text) ""
#else
#define GSPI_MEMORIES_FIELD(text) text "\0"
#endif

static gsp_status gspi_memories_fail(
    gsp_error *err, gsp_status status, gsp_detail detail, uint32_t tensor, const char *field)
{
    if (err != NULL) {
        uint32_t const what = tensor == GSP_NONE ? GSP_WHAT_NONE : GSP_WHAT_TENSOR;
        gsp_error const e = {status, detail, what, tensor, GSP_NONE, 0, 0, 0, 0u, field};
        *err = e;
    }
    return status;
}

/* ---- Layout ---- */

/* A layout pushes all arrays; without an arena it measures them. */
typedef struct gspi_memories_bump {
    gsp_arena *arena;
    uint64_t used;
} gspi_memories_bump;

GSPI_MEMORIES_OWN_FRAME void *gspi_memories_push(
    gspi_memories_bump *b, uint64_t count, size_t size, int high)
{
    b->used += (count * size + (GSP_GAP + GSP_ALIGN - 1u)) & ~((uint64_t)GSP_ALIGN - 1u);
    return b->arena == NULL ? NULL
           : high           ? gsp_arena_push_high(b->arena, (size_t)count, size)
                            : gsp_arena_push(b->arena, (size_t)count, size);
}

static uint32_t *gspi_memories_words(gspi_memories_bump *b, uint64_t count)
{
    return (uint32_t *)gspi_memories_push(b, count, sizeof(uint32_t), 1);
}

static uint64_t *gspi_memories_longs(gspi_memories_bump *b, uint64_t count)
{
    return (uint64_t *)gspi_memories_push(b, count, sizeof(uint64_t), 1);
}

static int64_t *gspi_memories_signed(gspi_memories_bump *b, uint64_t count)
{
    return (int64_t *)gspi_memories_push(b, count, sizeof(int64_t), 1);
}

static double *gspi_memories_reals(gspi_memories_bump *b, uint64_t count)
{
    return (double *)gspi_memories_push(b, count, sizeof(double), 1);
}

/* States per tensor, and the size of their table. */
static void gspi_memories_sizes(gspi_memories_rows *a, const gsp_memories_desc *d)
{
    uint32_t const most = d->n_tensors > GSPI_MEMORIES_HISTORY / 8u ? 8u
                          : d->n_tensors < GSPI_MEMORIES_HISTORY / GSPI_MEMORIES_STATES
                              ? GSPI_MEMORIES_STATES
                              : GSPI_MEMORIES_HISTORY / d->n_tensors;
    a->n = d->n_tensors;
    a->m = d->n_memories < GSP_MEMORIES_MOST ? d->n_memories : GSP_MEMORIES_MOST;
    a->states = d->max_states - 1u < most ? d->max_states : most;
    a->table_size = 64u;
    while (a->table_size < 2u * a->states) {
        a->table_size *= 2u;
    }
}

/* The arrays of the search. */
GSPI_MEMORIES_OWN_FRAME void gspi_memories_states(gspi_memories_bump *b, gspi_memories_rows *a)
{
    uint64_t const n = a->n;
    uint64_t const states = a->states;
    uint64_t const keys = states * a->m;
    for (uint32_t i = 0; i < 2u; i++) {
        gspi_memories_front *f = &a->fronts[i];
        f->bound = gspi_memories_signed(b, states);
        f->cost = gspi_memories_longs(b, states);
        f->load = gspi_memories_longs(b, states * a->m);
        f->hash = gspi_memories_longs(b, states);
        f->row = (uint8_t *)gspi_memories_push(b, states * (n + GSPI_MEMORIES_FORBIDDEN), 1, 1);
    }
    a->keys = (gspi_memories_key *)gspi_memories_push(
        b, keys > n ? keys : n, sizeof(gspi_memories_key), 1);
    a->history = gspi_memories_words(b, states * n);
    a->table = gspi_memories_words(b, a->table_size);
    a->ending = gspi_memories_longs(b, n * a->m);
    a->members = gspi_memories_words(b, GSPI_MEMORIES_MEMBERS);
    a->sets = (gspi_memories_forbidden *)gspi_memories_push(
        b, GSPI_MEMORIES_FORBIDDEN, sizeof(gspi_memories_forbidden), 1);
}

/* The results first; they stay. */
GSPI_MEMORIES_OWN_FRAME void gspi_memories_layout(gspi_memories_bump *b, gspi_memories_rows *a)
{
    uint32_t **const words[] = {&a->allowed, &a->order, &a->place, &a->by_size, &a->by_gain,
        &a->first, &a->last, &a->slot, &a->live, &a->choice, &a->set, &a->aligns, &a->fixed};
    uint64_t const n = a->n;
    uint64_t const all = n * a->m;
    a->memory = (uint32_t *)gspi_memories_push(b, n, sizeof(uint32_t), 0);
    a->offset = (uint64_t *)gspi_memories_push(b, n, sizeof(uint64_t), 0);
    for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        *words[i] = gspi_memories_words(b, n);
    }
    a->placed = gspi_memories_words(b, all);
    a->trial = gspi_memories_longs(b, n);
    a->weight = gspi_memories_reals(b, all);
    a->best = gspi_memories_reals(b, all);
    a->sum = gspi_memories_reals(b, all + a->m);
    a->weigh = gspi_memories_signed(b, all);
    a->before = gspi_memories_signed(b, all + a->m);
    a->least = gspi_memories_signed(b, n);
    a->part = (gsp_tensor *)gspi_memories_push(b, n, sizeof(gsp_tensor), 1);
    gspi_memories_states(b, a);
}

/* Also for the check of fixed offsets, which needs less than packing. */
size_t gsp_memories_bound(const gsp_memories_desc *desc)
{
    gspi_memories_bump b = {NULL, 2u * GSP_BOUND_SLACK};
    gspi_memories_rows a;
    if (desc == NULL) {
        return SIZE_MAX;
    }
    size_t const pack = gsp_memory_pack_bound(desc->n_tensors, NULL);
    gspi_memories_sizes(&a, desc);
    (void)gspi_memories_push(&b, 1, sizeof(gspi_memories), 1);
    gspi_memories_layout(&b, &a);
    uint64_t const all = b.used + pack;
    return all < SIZE_MAX ? (size_t)all : SIZE_MAX;
}

/* ---- Tensors and memories ---- */

static void gspi_memories_copy(uint32_t *to, const uint32_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = from[i];
    }
}

static int gspi_memories_is_fixed(const gspi_memories *w, uint32_t t)
{
    return w->d->fixed != NULL && w->d->fixed[t] != 0u;
}

static uint32_t gspi_memories_pin(const gspi_memories *w, uint32_t t)
{
    return w->d->pins == NULL ? GSP_NONE : w->d->pins[t];
}

static uint64_t gspi_memories_traffic(const gspi_memories *w, uint32_t t)
{
    return w->d->traffic == NULL ? w->d->tensors[t].bytes : w->d->traffic[t];
}

static uint64_t gspi_memories_align(const gspi_memories *w, uint32_t t, uint32_t m)
{
    uint64_t const own = w->d->aligns == NULL ? 1u : w->d->aligns[t];
    return gspi_memories_is_fixed(w, t) ? 1u : own > w->align[m] ? own : w->align[m];
}

static uint64_t gspi_memories_size(const gspi_memories *w, uint32_t t, uint32_t m)
{
    return (w->d->tensors[t].bytes + w->round[m] - 1u) & ~(w->round[m] - 1u);
}

static uint64_t gspi_memories_cost(const gspi_memories *w, uint32_t t, uint32_t m)
{
    return gspi_memories_traffic(w, t) * w->d->memories[m].cost;
}

static int gspi_memories_is_allowed(const gspi_memories *w, uint32_t t, uint32_t m)
{
    return (w->a.allowed[t] >> m & 1u) != 0u;
}

/* The memories in which a tensor may lie and fits by itself. */
static uint32_t gspi_memories_mask(const gspi_memories *w, uint32_t t)
{
    const gsp_tensor *tensor = &w->d->tensors[t];
    uint32_t const pin = gspi_memories_pin(w, t);
    uint32_t const first = pin == GSP_NONE ? 0u : pin;
    uint32_t const end = pin == GSP_NONE ? w->a.m : pin + 1u;
    uint64_t const offset = gspi_memories_is_fixed(w, t) ? tensor->offset : 0u;
    uint32_t const written = w->d->written == NULL ? 1u : w->d->written[t];
    uint32_t mask = 0;
    for (uint32_t m = first; m < end; m++) {
        int const fits = tensor->bytes <= w->bytes[m] && offset <= w->bytes[m] - tensor->bytes;
        if (fits && (written == 0u || w->d->memories[m].read_only == 0u)) {
            mask |= 1u << m;
        }
    }
    return mask;
}

/* 1 if sums of bytes and of costs stay below their limit. */
static int gspi_memories_add(
    const gspi_memories *w, uint32_t t, uint64_t price, uint64_t *bytes, uint64_t *cost)
{
    uint64_t const traffic = gspi_memories_traffic(w, t);
    if (w->d->tensors[t].bytes > GSPI_MEMORIES_LIMIT - *bytes ||
        traffic > (GSPI_MEMORIES_LIMIT - *cost) / price) {
        return 0;
    }
    *bytes += w->d->tensors[t].bytes;
    *cost += traffic * price;
    return 1;
}

/* Reads pins, bytes and costs; finds the scale of costs. */
GSPI_MEMORIES_OWN_FRAME gsp_status gspi_memories_read(gspi_memories *w, gsp_error *err)
{
    uint64_t price = 1;
    uint64_t bytes = 0;
    uint64_t cost = 0;
    for (uint32_t m = 0; m < w->a.m; m++) {
        price = w->d->memories[m].cost > price ? w->d->memories[m].cost : price;
    }
    for (uint32_t i = 0; i < w->a.n; i++) {
        uint32_t const pin = gspi_memories_pin(w, i);
        if (pin == GSP_NONE ? gspi_memories_is_fixed(w, i) : pin >= w->a.m) {
            return gspi_memories_fail(
                err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, i, GSPI_MEMORIES_FIELD("pins"));
        }
        if (!gspi_memories_add(w, i, price, &bytes, &cost)) {
            return gspi_memories_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, i, "");
        }
        w->a.allowed[i] = gspi_memories_mask(w, i);
        w->r.misfit = w->a.allowed[i] == 0u && i < w->r.misfit ? i : w->r.misfit;
    }
    w->upper = cost + 1u;
    w->scale = GSPI_MEMORIES_SCALE;
    while (cost > GSPI_MEMORIES_LIMIT / w->scale) {
        w->scale /= 2u;
    }
    return GSP_OK;
}

/* Reads memories, and sorts them by cost. */
GSPI_MEMORIES_OWN_FRAME gsp_status gspi_memories_open(gspi_memories *w, gsp_error *err)
{
    for (uint32_t m = 0; m < w->a.m; m++) {
        const gsp_memory *memory = &w->d->memories[m];
        uint32_t i = m;
        w->bytes[m] = memory->bytes < GSPI_MEMORIES_LIMIT ? memory->bytes : GSPI_MEMORIES_LIMIT;
        w->align[m] = memory->align == 0u ? 16u : memory->align;
        if ((w->align[m] & (w->align[m] - 1u)) != 0u) {
            return gspi_memories_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NUMBER, GSP_NONE, "");
        }
        w->round[m] = (w->bytes[m] & (w->align[m] - 1u)) == 0u ? w->align[m] : 1u;
        for (; i > 0u && w->d->memories[w->by_cost[i - 1u]].cost > memory->cost; i--) {
            w->by_cost[i] = w->by_cost[i - 1u];
        }
        w->by_cost[i] = m;
    }
    return GSP_OK;
}

/* Checks live ranges, alignments and fixed offsets, memory by memory. */
GSPI_MEMORIES_OWN_FRAME gsp_status gspi_memories_check(gspi_memories *w, gsp_error *err)
{
    gsp_memory_check_desc plan = {0u, 1u, NULL, NULL, NULL, 0u, 0u};
    gsp_mark const mark = gsp_arena_mark(w->arena);
    plan.aligns = w->d->aligns;
    plan.fixed = w->d->fixed;
    for (uint32_t m = 0; m < w->a.m; m++) {
        for (uint32_t i = 0; i < w->a.n; i++) {
            gsp_tensor *t = &w->a.part[i];
            *t = w->d->tensors[i];
            if (!gspi_memories_is_fixed(w, i) || w->d->pins[i] != m) {
                t->bytes = t->offset = 0;
            } else if ((t->offset & (w->align[m] - 1u)) != 0u) {
                w->round[m] = 1;
            }
        }
        gsp_status const status = gsp_memory_check_run(w->arena, w->a.part, w->a.n, &plan, err);
        gsp_arena_rewind(w->arena, mark);
        if (status != GSP_OK) {
            return status;
        }
    }
    return GSP_OK;
}

/* ---- Orders and sections ---- */

static int gspi_memories_less(const gspi_memories_key *x, const gspi_memories_key *y)
{
    return x->key != y->key     ? x->key < y->key
           : x->next != y->next ? x->next < y->next
                                : x->id < y->id;
}

static void gspi_memories_sift(
    gspi_memories_key *heap, uint32_t root, uint32_t end, gspi_memories_key item)
{
    for (uint32_t child = 2u * root + 1u; child < end; child = 2u * root + 1u) {
        if (child + 1u < end && gspi_memories_less(&heap[child], &heap[child + 1u])) {
            child++;
        }
        if (!gspi_memories_less(&item, &heap[child])) {
            break;
        }
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = item;
}

/* Heapsort of the first n keys. */
static void gspi_memories_sort(gspi_memories *w, uint32_t n)
{
    gspi_memories_key *heap = w->a.keys;
    for (uint32_t i = n / 2u; i > 0u; i--) {
        gspi_memories_sift(heap, i - 1u, n, heap[i - 1u]);
    }
    for (uint32_t i = n; i > 1u; i--) {
        gspi_memories_key const last = heap[i - 1u];
        heap[i - 1u] = heap[0];
        gspi_memories_sift(heap, 0, i - 1u, last);
    }
}

/* Sorts tensors by begin, and fixed ones first by size, and by gain. */
GSPI_MEMORIES_OWN_FRAME void gspi_memories_orders(gspi_memories *w)
{
    uint32_t *const orders[] = {w->a.order, w->a.by_size, w->a.by_gain};
    for (uint32_t kind = 0; kind < 3u; kind++) {
        for (uint32_t i = 0; i < w->a.n; i++) {
            const gsp_tensor *t = &w->d->tensors[i];
            gspi_memories_key *k = &w->a.keys[i];
            uint64_t const steps = (uint64_t)(t->end - t->begin) + 1u;
            uint64_t const area = t->bytes != 0u ? t->bytes : 1u;
            uint64_t const gain = (gspi_memories_traffic(w, i) << 10u) / area * 1024u / steps;
            uint64_t const falling = kind == 1u ? ~t->bytes : ~gain;
            k->id = i;
            k->next = kind == 2u ? ~t->bytes : t->end;
            k->key = kind == 0u ? t->begin : gspi_memories_is_fixed(w, i) ? 0u : falling;
        }
        gspi_memories_sort(w, w->a.n);
        for (uint32_t i = 0; i < w->a.n; i++) {
            orders[kind][i] = w->a.keys[i].id;
        }
    }
}

/* Frees the slots of tensors that end before a step. */
static uint32_t gspi_memories_free(gspi_memories *w, uint32_t begin, uint32_t n_free)
{
    for (uint32_t k = 0; k < w->n_slots; k++) {
        if (w->a.live[k] != GSP_NONE && w->d->tensors[w->a.live[k]].end < begin) {
            w->a.live[k] = GSP_NONE;
            w->a.aligns[n_free++] = k;
        }
    }
    return n_free;
}

/* Sections, and slots that tensors share one after the other. */
GSPI_MEMORIES_OWN_FRAME void gspi_memories_sections(gspi_memories *w)
{
    uint32_t *begins = w->a.set;
    uint32_t n_free = 0;
    for (uint32_t i = 0; i < w->a.n; i++) {
        uint32_t const t = w->a.order[i];
        uint32_t const begin = w->d->tensors[t].begin;
        w->a.place[t] = i;
        if (i == 0u || begins[w->n_sections - 1u] != begin) {
            begins[w->n_sections++] = begin;
            n_free = gspi_memories_free(w, begin, n_free);
        }
        w->a.first[t] = w->n_sections - 1u;
        w->a.slot[t] = n_free != 0u ? w->a.aligns[--n_free] : w->n_slots++;
        w->a.live[w->a.slot[t]] = t;
    }
    for (uint32_t i = 0; i < w->a.n; i++) { /* the last section that begins before the end */
        uint32_t low = w->a.first[i];
        uint32_t high = w->n_sections;
        while (high - low > 1u) {
            uint32_t const middle = low + (high - low) / 2u;
            *(begins[middle] <= w->d->tensors[i].end ? &low : &high) = middle;
        }
        w->a.last[i] = low;
    }
}

/* ---- First fit ---- */

static int gspi_memories_meet(const gsp_tensor *x, const gsp_tensor *y)
{
    return x->begin <= y->end && y->begin <= x->end;
}

/* The lowest free offset of a tensor in a memory. */
static uint64_t gspi_memories_lowest(const gspi_memories *w, uint32_t t, uint32_t m)
{
    const gsp_tensor *tensor = &w->d->tensors[t];
    const uint32_t *placed = w->a.placed + (size_t)m * w->a.n;
    uint64_t const mask = gspi_memories_align(w, t, m) - 1u;
    uint64_t offset = 0;
    if (gspi_memories_is_fixed(w, t)) {
        return tensor->offset;
    }
    for (uint32_t i = 0; i < w->n_placed[m]; i++) {
        uint64_t const begin = w->a.trial[placed[i]];
        uint64_t const end = begin + w->d->tensors[placed[i]].bytes;
        if (begin >= offset + tensor->bytes) {
            break;
        }
        if (end > offset && gspi_memories_meet(&w->d->tensors[placed[i]], tensor)) {
            offset = (end + mask) & ~mask;
        }
    }
    return offset;
}

static void gspi_memories_put(gspi_memories *w, uint32_t t, uint32_t m, uint64_t offset)
{
    uint32_t *placed = w->a.placed + (size_t)m * w->a.n;
    uint32_t i = w->n_placed[m];
    w->a.trial[t] = offset;
    if (w->d->tensors[t].bytes == 0u) {
        return; /* in the way of none */
    }
    for (; i > 0u && w->a.trial[placed[i - 1u]] > offset; i--) {
        placed[i] = placed[i - 1u];
    }
    placed[i] = t;
    w->n_placed[m]++;
}

/* Places a tensor in a memory if it fits there; fixed ones come first, and fit. */
static int gspi_memories_try(gspi_memories *w, uint32_t t, uint32_t m)
{
    if (!gspi_memories_is_allowed(w, t, m)) {
        return 0;
    }
    uint64_t const offset = gspi_memories_lowest(w, t, m);
    if (offset > w->bytes[m] - w->d->tensors[t].bytes) {
        return 0;
    }
    gspi_memories_put(w, t, m, offset);
    w->a.choice[t] = m;
    return 1;
}

/* Keeps the trial if it is the cheapest so far. */
static void gspi_memories_keep(gspi_memories *w)
{
    uint64_t cost = 0;
    for (uint32_t i = 0; i < w->a.n; i++) {
        cost += gspi_memories_cost(w, i, w->a.choice[i]);
    }
    if (cost < w->r.cost) {
        w->r.cost = cost;
        gspi_memories_copy(w->a.memory, w->a.choice, w->a.n);
        for (uint32_t i = 0; i < w->a.n; i++) {
            w->a.offset[i] = w->a.trial[i];
        }
    }
}

/* Places tensors one by one: in the memory of their choice, or the cheapest where they fit. */
GSPI_MEMORIES_OWN_FRAME void gspi_memories_fill(
    gspi_memories *w, const uint32_t *order, int has_choice)
{
    for (uint32_t m = 0; m < w->a.m; m++) {
        w->n_placed[m] = 0;
    }
    for (uint32_t i = 0; i < w->a.n; i++) {
        uint32_t const t = order[i];
        int placed = has_choice && gspi_memories_try(w, t, w->a.choice[t]);
        for (uint32_t m = 0; m < w->a.m && !placed; m++) {
            placed = gspi_memories_try(w, t, w->by_cost[m]);
        }
        if (!placed) {
            return;
        }
    }
    gspi_memories_keep(w);
}

/* ---- Multipliers ---- */

/* What the search has to stay below. */
static uint64_t gspi_memories_limit(const gspi_memories *w)
{
    return w->r.cost < w->upper ? w->r.cost : w->upper;
}

/* The best memory of a tensor under the multipliers, as its choice; what it costs there. */
static double gspi_memories_relax_tensor(gspi_memories *w, uint32_t t)
{
    double least = -1.0;
    for (uint32_t m = 0; m < w->a.m; m++) {
        const double *sum = w->a.sum + (size_t)m * (w->n_sections + 1u);
        if (gspi_memories_is_allowed(w, t, m)) {
            uint64_t const size = gspi_memories_size(w, t, m);
            uint64_t const cost = gspi_memories_cost(w, t, m);
            double term = sum[w->a.last[t] + 1u] - sum[w->a.first[t]];
            term = term * (double)size;
            term = term + (double)cost;
            if (least < 0.0 || term < least) {
                least = term;
                w->a.choice[t] = m;
            }
        }
    }
    return least;
}

/* The best memories under the multipliers, as choices; the value of the relaxation. */
static double gspi_memories_relax(gspi_memories *w)
{
    uint32_t const s = w->n_sections;
    double value = 0.0;
    for (uint32_t m = 0; m < w->a.m; m++) {
        double *sum = w->a.sum + (size_t)m * (s + 1u);
        sum[0] = 0.0;
        for (uint32_t i = 0; i < s; i++) {
            sum[i + 1u] = sum[i] + w->a.weight[(size_t)m * s + i];
        }
        double const room = sum[s] * (double)w->bytes[m];
        value = value - room;
    }
    for (uint32_t i = 0; i < w->a.n; i++) {
        value = value + gspi_memories_relax_tensor(w, i);
    }
    return value;
}

/* The bytes that exceed a memory, per section. */
static void gspi_memories_excess(gspi_memories *w, uint32_t m)
{
    uint32_t const s = w->n_sections;
    double *excess = w->a.sum + (size_t)m * (s + 1u);
    double live = 0.0 - (double)w->bytes[m];
    for (uint32_t i = 0; i <= s; i++) {
        excess[i] = 0.0;
    }
    for (uint32_t i = 0; i < w->a.n; i++) {
        if (w->a.choice[i] == m) {
            uint64_t const size = gspi_memories_size(w, i, m);
            excess[w->a.first[i]] += (double)size;
            excess[w->a.last[i] + 1u] -= (double)size;
        }
    }
    for (uint32_t i = 0; i < s; i++) {
        live = live + excess[i];
        excess[i] = live;
    }
}

/* One step along the bytes that exceed each memory. */
static void gspi_memories_step(gspi_memories *w, double gap)
{
    uint32_t const s = w->n_sections;
    double norm = 0.0;
    for (uint32_t m = 0; m < w->a.m; m++) {
        const double *excess = w->a.sum + (size_t)m * (s + 1u);
        gspi_memories_excess(w, m);
        for (uint32_t i = 0; i < s; i++) {
            if (excess[i] > 0.0 || w->a.weight[(size_t)m * s + i] > 0.0) {
                double const square = excess[i] * excess[i];
                norm = norm + square;
            }
        }
    }
    for (uint32_t m = 0; m < w->a.m && norm > 0.0; m++) {
        const double *excess = w->a.sum + (size_t)m * (s + 1u);
        for (uint32_t i = 0; i < s; i++) {
            double *weight = &w->a.weight[(size_t)m * s + i];
            double change = excess[i] * gap;
            change = change / norm;
            change = *weight + change;
            *weight = change > 0.0 ? change : 0.0;
        }
    }
}

/* The multipliers as whole numbers, with sums that do not overflow. */
static void gspi_memories_round(gspi_memories *w)
{
    uint32_t const s = w->n_sections;
    for (uint32_t m = 0; m < w->a.m; m++) {
        int64_t *weigh = w->a.weigh + (size_t)m * s;
        int64_t *before = w->a.before + (size_t)m * (s + 1u);
        int64_t left = (int64_t)(GSPI_MEMORIES_LIMIT / GSP_MEMORIES_MOST / (w->bytes[m] + 1u));
        before[0] = 0;
        for (uint32_t i = 0; i < s; i++) {
            double const scaled = w->a.weight[(size_t)m * s + i] * (double)w->scale;
            weigh[i] = scaled < (double)left ? (int64_t)scaled : left;
            left -= weigh[i];
            before[i + 1u] = before[i] + weigh[i];
        }
    }
}

static void gspi_memories_copy_reals(double *to, const double *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = from[i];
    }
}

/* Improves multipliers; the rounds depend on the size alone. */
GSPI_MEMORIES_OWN_FRAME void gspi_memories_weights(gspi_memories *w)
{
    size_t const n = (size_t)w->n_sections * w->a.m;
    uint64_t const each = ((uint64_t)w->a.n + w->n_sections) * w->a.m + 1u;
    uint64_t const rounds = ((uint64_t)1u << 26) / each + 10u;
    double factor = 1.0;
    double most = -1.0; /* the first value is 0 or more */
    uint32_t since = 0;
    for (size_t i = 0; i < n; i++) {
        w->a.weight[i] = 0.0;
    }
    for (uint32_t i = 0; i < 400u && i < rounds; i++) {
        double const value = gspi_memories_relax(w);
        uint64_t const limit = gspi_memories_limit(w);
        double gap = (double)limit - value;
        if (value > most) {
            most = value;
            since = 0;
            gspi_memories_copy_reals(w->a.best, w->a.weight, n);
        } else if (++since == 10u) {
            since = 0;
            factor = factor / 2.0;
            gspi_memories_copy_reals(w->a.weight, w->a.best, n);
            (void)gspi_memories_relax(w);
        }
        if (gap <= 0.0) {
            break;
        }
        gap = gap * factor;
        gspi_memories_step(w, gap);
    }
    gspi_memories_copy_reals(w->a.weight, w->a.best, n);
    (void)gspi_memories_relax(w);
    gspi_memories_round(w);
}

/* Scaled cost and price of a tensor in a memory that allows it. */
static int64_t gspi_memories_term(const gspi_memories *w, uint32_t t, uint32_t m)
{
    const int64_t *before = w->a.before + (size_t)m * (w->n_sections + 1u);
    int64_t const price = before[w->a.last[t] + 1u] - before[w->a.first[t]];
    return (int64_t)(gspi_memories_cost(w, t, m) * w->scale) +
           (int64_t)gspi_memories_size(w, t, m) * price;
}

/* The bound of all assignments, scaled. */
GSPI_MEMORIES_OWN_FRAME int64_t gspi_memories_root(gspi_memories *w)
{
    int64_t bound = 0;
    for (uint32_t m = 0; m < w->a.m; m++) {
        const int64_t *before = w->a.before + (size_t)m * (w->n_sections + 1u);
        bound -= before[w->n_sections] * (int64_t)w->bytes[m];
    }
    for (uint32_t i = 0; i < w->a.n; i++) {
        int64_t least = INT64_MAX;
        for (uint32_t m = 0; m < w->a.m; m++) {
            int64_t const term =
                gspi_memories_is_allowed(w, i, m) ? gspi_memories_term(w, i, m) : INT64_MAX;
            least = term < least ? term : least;
        }
        w->a.least[i] = least;
        bound += GSPI_MEMORIES_NEVER(least > GSPI_MEMORIES_NO_BOUND - bound) ? 0 : least;
    }
    return bound;
}

/* ---- The search ---- */

static uint32_t gspi_memories_width(const gspi_memories *w)
{
    return w->n_slots + w->n_sets;
}

/* A sum of these over live tensors tells live bytes by memory and last section. */
static uint64_t gspi_memories_hash(const gspi_memories *w, uint32_t t, uint32_t m)
{
    uint64_t key = ((uint64_t)w->a.last[t] * GSP_MEMORIES_MOST + m + 1u) * 0x9E3779B97F4A7C15u;
    key = (key ^ key >> 30u) * 0xBF58476D1CE4E5B9u;
    key = (key ^ key >> 27u) * 0x94D049BB133111EBu;
    return gspi_memories_size(w, t, m) * (key | 1u);
}

/* Tensors whose last section this is leave their slots. */
static void gspi_memories_retire(gspi_memories *w, gspi_memories_front *f)
{
    for (uint32_t k = 0; k < w->n_slots; k++) {
        uint32_t const t = w->a.live[k];
        if (t == GSP_NONE || w->a.last[t] != w->section) {
            continue;
        }
        for (uint32_t i = 0; i < f->n; i++) {
            uint8_t *row = &f->row[(size_t)i * gspi_memories_width(w) + k];
            uint32_t const m = *row - 1u;
            f->load[(size_t)i * w->a.m + m] -= gspi_memories_size(w, t, m);
            f->hash[i] -= gspi_memories_hash(w, t, m);
            *row = 0;
        }
        w->a.live[k] = GSP_NONE;
    }
}

/* Ends sections before `to`: the room that they leave raises bounds. */
static void gspi_memories_advance(gspi_memories *w, gspi_memories_front *f, uint32_t to)
{
    for (; w->section < to; w->section++) {
        for (uint32_t i = 0; i < f->n; i++) {
            for (uint32_t m = 0; m < w->a.m; m++) {
                uint64_t const room = w->bytes[m] - f->load[(size_t)i * w->a.m + m];
                f->bound[i] += w->a.weigh[(size_t)m * w->n_sections + w->section] * (int64_t)room;
            }
        }
        gspi_memories_retire(w, f);
        w->r.work += w->n_slots + (uint64_t)f->n * w->a.m;
    }
}

/* Whether the next member of a set that has no memory yet is at this place. */
static int gspi_memories_is_next(
    const gspi_memories *w, const gspi_memories_forbidden *set, uint32_t place)
{
    return set->next < set->end && w->a.members[set->next] == place;
}

/* Whether the tensor at a place would complete a forbidden set in a memory. */
static int gspi_memories_is_forbidden(
    const gspi_memories *w, const gspi_memories_front *f, uint32_t i, uint32_t place, uint32_t m)
{
    const uint8_t *avoided = &f->row[(size_t)i * gspi_memories_width(w) + w->n_slots];
    for (uint32_t k = 0; k < w->n_sets; k++) {
        const gspi_memories_forbidden *set = &w->a.sets[k];
        if (set->memory == m && avoided[k] == 0u && set->next + 1u == set->end &&
            w->a.members[set->next] == place) {
            return 1;
        }
    }
    return 0;
}

/* All ways to place the next tensor that may cost less than the best plan, sorted by bound. */
static void gspi_memories_branch(
    gspi_memories *w, const gspi_memories_front *f, uint32_t place, int64_t limit)
{
    uint32_t const t = w->a.order[place];
    w->n_keys = 0;
    for (uint32_t m = 0; m < w->a.m; m++) {
        if (!gspi_memories_is_allowed(w, t, m)) {
            continue;
        }
        uint64_t const most = w->bytes[m] - gspi_memories_size(w, t, m);
        int64_t const more = gspi_memories_term(w, t, m) - w->a.least[t];
        for (uint32_t i = 0; i < f->n; i++) {
            int64_t const bound = f->bound[i] + more;
            if (f->load[(size_t)i * w->a.m + m] <= most && bound <= limit &&
                !gspi_memories_is_forbidden(w, f, i, place, m)) {
                gspi_memories_key *k = &w->a.keys[w->n_keys++];
                k->key = (uint64_t)bound ^ (uint64_t)1u << 63u;
                k->next = i;
                k->id = m;
            }
        }
    }
    w->r.work += (uint64_t)f->n * w->a.m;
    gspi_memories_sort(w, w->n_keys);
}

/* The row of a state that is appended to the front. */
static void gspi_memories_row(
    gspi_memories *w, const uint8_t *from, uint8_t *row, uint32_t place, uint32_t memory)
{
    uint32_t const width = gspi_memories_width(w);
    for (uint32_t k = 0; k < width; k++) {
        row[k] = from[k];
    }
    row[w->a.slot[w->a.order[place]]] = (uint8_t)(memory + 1u);
    for (uint32_t k = 0; k < w->n_sets; k++) {
        const gspi_memories_forbidden *set = &w->a.sets[k];
        if (gspi_memories_is_next(w, set, place)) {
            uint8_t *avoided = &row[w->n_slots + k];
            *avoided |= memory != set->memory ? 1u : 0u;
            *avoided = set->next + 1u < set->end ? *avoided : (uint8_t)0;
        }
    }
}

static uint64_t *gspi_memories_end(const gspi_memories *w, uint32_t slot, uint32_t memory)
{
    return &w->a.ending[(size_t)w->a.last[w->a.live[slot]] * w->a.m + memory];
}

/* Adds the live bytes of a state, times `sign`, to those that end per section and memory. */
static void gspi_memories_add_ending(gspi_memories *w, const uint8_t *row, uint64_t sign)
{
    for (uint32_t k = 0; k < w->n_slots; k++) {
        if (row[k] != 0u) {
            uint32_t const m = row[k] - 1u;
            *gspi_memories_end(w, k, m) += sign * gspi_memories_size(w, w->a.live[k], m);
        }
    }
}

/* Clears what a state has added; 1 if all was 0. */
static int gspi_memories_clear_ending(gspi_memories *w, const uint8_t *row)
{
    int clear = 1;
    for (uint32_t k = 0; k < w->n_slots; k++) {
        if (row[k] != 0u) {
            uint64_t *bytes = gspi_memories_end(w, k, row[k] - 1u);
            clear &= *bytes == 0u;
            *bytes = 0;
        }
    }
    return clear;
}

/* How many bytes of two rows are equal before the first that differs. */
static uint32_t gspi_memories_common(const uint8_t *x, const uint8_t *y, uint32_t n)
{
    uint32_t i = 0;
    while (i < n && x[i] == y[i]) {
        i++;
    }
    return i;
}

/* Whether two states leave the same room, section by section, and avoid the same sets. */
static int gspi_memories_is_equal(gspi_memories *w, const uint8_t *x, const uint8_t *y)
{
    uint32_t const n = w->n_slots;
    if (gspi_memories_common(x + n, y + n, w->n_sets) < w->n_sets) {
        return 0;
    }
    if (gspi_memories_common(x, y, n) == n) {
        return 1;
    }
    gspi_memories_add_ending(w, x, 1u);
    gspi_memories_add_ending(w, y, UINT64_MAX);
    int const equal = gspi_memories_clear_ending(w, x);
    return equal & gspi_memories_clear_ending(w, y);
}

/* Finds a state equal to the last one, which is not counted yet, or an entry for it. */
static uint32_t *gspi_memories_find(gspi_memories *w, const gspi_memories_front *f)
{
    uint32_t const mask = w->mask;
    uint32_t const width = gspi_memories_width(w);
    const uint8_t *row = &f->row[(size_t)f->n * width];
    uint64_t at = f->hash[f->n];
    for (uint32_t k = 0; k < w->n_sets; k++) {
        at = (at ^ row[w->n_slots + k]) * 1099511628211u;
    }
    at ^= at >> 32u;
    while (w->a.table[at & mask] != 0u) {
        uint32_t const i = w->a.table[at & mask] - 1u;
        if (f->hash[i] == f->hash[f->n] &&
            gspi_memories_is_equal(w, &f->row[(size_t)i * width], row)) {
            break;
        }
        at++;
    }
    return &w->a.table[at & mask];
}

/* Appends a candidate to the next front unless an equal state is there, which has the same or a
 * lower bound, hence cost. */
static void gspi_memories_append(gspi_memories *w, const gspi_memories_front *from,
    gspi_memories_front *to, uint32_t place, const gspi_memories_key *c)
{
    size_t const parent = (size_t)c->next;
    uint32_t const m = c->id;
    uint32_t const t = w->a.order[place];
    uint32_t const width = gspi_memories_width(w);
    gspi_memories_row(w, &from->row[parent * width], &to->row[(size_t)to->n * width], place, m);
    to->hash[to->n] = from->hash[parent] + gspi_memories_hash(w, t, m);
    uint32_t *found = gspi_memories_find(w, to);
    if (*found == 0u) {
        uint64_t *load = &to->load[(size_t)to->n * w->a.m];
        for (uint32_t i = 0; i < w->a.m; i++) {
            load[i] = from->load[parent * w->a.m + i];
        }
        load[m] += gspi_memories_size(w, t, m);
        to->bound[to->n] = (int64_t)(c->key ^ (uint64_t)1u << 63u);
        to->cost[to->n] = from->cost[parent] + gspi_memories_cost(w, t, m);
        w->a.history[(size_t)place * w->a.states + to->n] = (uint32_t)(parent << 5u) | m;
        *found = ++to->n;
    }
}

static void gspi_memories_drop(gspi_memories *w, int64_t bound)
{
    w->dropped = bound < w->dropped ? bound : w->dropped;
}

/* The best candidates as the next front. */
static void gspi_memories_select(
    gspi_memories *w, const gspi_memories_front *from, gspi_memories_front *to, uint32_t place)
{
    uint32_t const t = w->a.order[place];
    uint32_t i = 0;
    to->n = 0;
    w->a.live[w->a.slot[t]] = t;
    w->mask = 63u;
    while (w->mask < 2u * w->n_keys && w->mask + 1u < w->a.table_size) {
        w->mask = 2u * w->mask + 1u;
    }
    for (uint32_t k = 0; k <= w->mask; k++) {
        w->a.table[k] = 0;
    }
    for (; i < w->n_keys && to->n < w->a.states; i++) {
        gspi_memories_append(w, from, to, place, &w->a.keys[i]);
    }
    if (i < w->n_keys) {
        gspi_memories_drop(w, (int64_t)(w->a.keys[i].key ^ (uint64_t)1u << 63u));
    }
    w->r.work += (uint64_t)i * (gspi_memories_width(w) / 8u + 1u);
    for (i = 0; i < w->n_sets; i++) {
        gspi_memories_forbidden *set = &w->a.sets[i];
        set->next += gspi_memories_is_next(w, set, place) ? 1u : 0u;
    }
}

static void gspi_memories_begin(gspi_memories *w, gspi_memories_front *f)
{
    f->n = 1;
    f->bound[0] = gspi_memories_root(w);
    f->cost[0] = 0;
    f->hash[0] = 0;
    for (uint32_t i = 0; i < w->a.m; i++) {
        f->load[i] = 0;
    }
    for (uint32_t i = 0; i < gspi_memories_width(w); i++) {
        f->row[i] = 0;
    }
    for (size_t i = 0; i < (size_t)w->n_sections * w->a.m; i++) {
        w->a.ending[i] = 0;
    }
    for (uint32_t i = 0; i < w->n_slots; i++) {
        w->a.live[i] = GSP_NONE;
    }
    for (uint32_t i = 0; i < w->n_sets; i++) {
        w->a.sets[i].next = w->a.sets[i].begin;
    }
    w->section = 0;
    w->dropped = INT64_MAX;
}

/* Once it is asked to stop, there is no work left. */
static int gspi_memories_is_over(gspi_memories *w)
{
    const gsp_memories_desc *d = w->d;
    if (d->progress != NULL && d->progress(d->progress_user, w->r.work) != 0) {
        w->r.stopped = 1;
        w->max_work = 0;
    }
    return w->r.work > w->max_work;
}

/* The assignment of the cheapest state at the end as choices; its cost, or UINT64_MAX. */
static uint64_t gspi_memories_choose(gspi_memories *w, const gspi_memories_front *f)
{
    uint64_t best = w->r.cost;
    uint32_t at = GSP_NONE;
    for (uint32_t i = 0; i < f->n; i++) {
        if (f->cost[i] < best) {
            best = f->cost[i];
            at = i;
        }
    }
    if (at == GSP_NONE) {
        return UINT64_MAX;
    }
    for (uint32_t place = w->a.n; place-- > 0u;) {
        uint32_t const from = w->a.history[(size_t)place * w->a.states + at];
        w->a.choice[w->a.order[place]] = from & 31u;
        at = from >> 5u;
    }
    return best;
}

/* The cheapest assignment below the best plan whose live bytes fit, as choices; its cost, or
 * UINT64_MAX. */
GSPI_MEMORIES_OWN_FRAME uint64_t gspi_memories_search(gspi_memories *w)
{
    int64_t const limit = (int64_t)((gspi_memories_limit(w) - 1u) * w->scale);
    gspi_memories_front *f = &w->a.fronts[0];
    gspi_memories_begin(w, f);
    for (uint32_t place = 0; place < w->a.n && f->n != 0u; place++) {
        gspi_memories_front *next = &w->a.fronts[(place + 1u) % 2u];
        gspi_memories_advance(w, f, w->a.first[w->a.order[place]]);
        if (gspi_memories_is_over(w)) {
            for (uint32_t i = 0; i < f->n; i++) {
                gspi_memories_drop(w, f->bound[i]);
            }
            return UINT64_MAX;
        }
        gspi_memories_branch(w, f, place, limit);
        gspi_memories_select(w, f, next, place);
        f = next;
    }
    return gspi_memories_choose(w, f);
}

/* ---- Packing ---- */

/* The set, ordered as by_size, by first fit, for gsp_memory_pack_run(); its end. */
GSPI_MEMORIES_OWN_FRAME uint64_t gspi_memories_stack(gspi_memories *w, uint32_t n, uint32_t m)
{
    uint64_t top = 0;
    w->r.work += n;
    w->n_placed[m] = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const t = w->a.set[i];
        gsp_tensor *part = &w->a.part[i];
        *part = w->d->tensors[t];
        part->offset = gspi_memories_lowest(w, t, m);
        gspi_memories_put(w, t, m, part->offset);
        top = top > part->offset + part->bytes ? top : part->offset + part->bytes;
        part->bytes = gspi_memories_size(w, t, m);
        w->a.aligns[i] = (uint32_t)gspi_memories_align(w, t, m);
        w->a.fixed[i] = gspi_memories_is_fixed(w, t) ? 1u : 0u;
    }
    return top;
}

/* Packs a set in a memory. Returns 1 if it fits; 0 if it does not; -1 if that is open. */
GSPI_MEMORIES_OWN_FRAME int gspi_memories_pack(
    gspi_memories *w, uint32_t n, uint32_t m, uint64_t max_work)
{
    uint64_t const capacity = w->bytes[m];
    uint64_t const left = w->max_work > w->r.work ? w->max_work - w->r.work : 0u;
    gsp_mark const mark = gsp_arena_mark(w->arena);
    if (gspi_memories_stack(w, n, m) <= capacity) {
        return 1;
    }
    w->pack.capacity = capacity;
    w->pack.max_work = left > max_work ? max_work : left + 1u;
    if (GSPI_MEMORIES_NEVER(
            gsp_memory_pack_run(w->arena, w->a.part, n, &w->pack, &w->packed, NULL) != GSP_OK)) {
        return -1;
    }
    w->r.work += w->packed.work;
    for (uint32_t i = 0; i < n; i++) {
        w->a.trial[w->a.set[i]] = w->packed.offsets[i];
    }
    gsp_arena_rewind(w->arena, mark);
    return w->packed.bytes <= capacity ? 1 : w->packed.lower_bound > capacity ? 0 : -1;
}

/* Shrinks a set that does not fit until no tensor can be taken out; returns its size. Whole ranges
 * are taken out as long as the rest does not fit. */
static uint32_t gspi_memories_shrink(gspi_memories *w, uint32_t n, uint32_t m)
{
    uint32_t *set = w->a.set;
    uint32_t *out = w->a.live; /* the search is over */
    uint32_t range = n;
    for (uint32_t end = n; end > 0u && w->r.work <= w->max_work;) {
        uint32_t const size = range < end ? range : end;
        uint32_t const begin = end - size;
        gspi_memories_copy(out, set + begin, size);
        gspi_memories_copy(set + begin, set + end, n - end);
        if (gspi_memories_pack(w, n - size, m, GSPI_MEMORIES_TRY_WORK) == 0) {
            n -= size;
            end = begin;
            range = 2u * size;
            continue;
        }
        for (uint32_t k = n; k > end; k--) {
            set[k - 1u] = set[k - 1u - size];
        }
        gspi_memories_copy(set + begin, out, size);
        end -= size == 1u ? 1u : 0u;
        range = size == 1u ? 1u : size / 2u;
    }
    return n;
}

/* Forbids what is left of a set; 0 if there is no room for it. */
GSPI_MEMORIES_OWN_FRAME int gspi_memories_forbid(gspi_memories *w, uint32_t n, uint32_t m)
{
    uint32_t const begin = w->n_sets != 0u ? w->a.sets[w->n_sets - 1u].end : 0u;
    uint32_t *members = w->a.members + begin;
    if (w->n_sets == GSPI_MEMORIES_FORBIDDEN) {
        return 0;
    }
    n = gspi_memories_shrink(w, n, m);
    if (n > GSPI_MEMORIES_MEMBERS - begin) {
        return 0;
    }
    gspi_memories_forbidden const set = {m, begin, begin + n, begin};
    for (uint32_t i = 0; i < n; i++) { /* by place */
        uint32_t const place = w->a.place[w->a.set[i]];
        uint32_t k = i;
        for (; k > 0u && members[k - 1u] > place; k--) {
            members[k] = members[k - 1u];
        }
        members[k] = place;
    }
    w->a.sets[w->n_sets++] = set;
    return 1;
}

/* The tensors that chose a memory and are live in these sections. */
static uint32_t gspi_memories_gather(gspi_memories *w, uint32_t m, uint32_t first, uint32_t end)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->a.n; i++) {
        uint32_t const t = w->a.by_size[i];
        if (w->a.choice[t] == m && w->a.first[t] < end && w->a.last[t] >= first) {
            w->a.set[n++] = t;
        }
    }
    return n;
}

/* Packs the choices of a memory. Returns 1 if they fit; 0 if those in `set`, *n, do not; -1 if that
 * is open. What takes long to refute as a whole may fail soon within few sections. */
GSPI_MEMORIES_OWN_FRAME int gspi_memories_pack_memory(gspi_memories *w, uint32_t m, uint32_t *n)
{
    uint32_t const end = w->n_sections;
    *n = gspi_memories_gather(w, m, 0, end);
    int const fits = gspi_memories_pack(w, *n, m, GSPI_MEMORIES_TRY_WORK);
    if (fits >= 0) {
        return fits;
    }
    for (uint32_t half = 1; 2u * half < end; half *= 2u) {
        for (uint32_t s = 0; s + half < end && w->r.work <= w->max_work; s += half) {
            *n = gspi_memories_gather(w, m, s, s + 2u * half);
            if (gspi_memories_pack(w, *n, m, GSPI_MEMORIES_TRY_WORK) == 0) {
                return 0;
            }
        }
    }
    *n = gspi_memories_gather(w, m, 0, end);
    return gspi_memories_pack(w, *n, m, GSPI_MEMORIES_PACK_WORK);
}

/* Packs the choices. Returns 0 if there is a better plan, or if something is forbidden from now on;
 * else -1. */
static int gspi_memories_pack_choices(gspi_memories *w)
{
    int fits = 1;
    for (uint32_t m = 0; m < w->a.m && fits > 0; m++) {
        uint32_t n;
        fits = gspi_memories_pack_memory(w, m, &n);
        if (fits == 0 && !gspi_memories_forbid(w, n, m)) {
            fits = -1;
        }
    }
    if (fits > 0) {
        gspi_memories_keep(w);
    } else {
        gspi_memories_fill(w, w->a.by_size, 1);
    }
    return fits;
}

/* ---- The pass ---- */

/* After a search that found a plan of this cost, and dropped states. */
GSPI_MEMORIES_OWN_FRAME void gspi_memories_raise(gspi_memories *w, uint64_t cost)
{
    int64_t const bound = w->dropped > 0 ? w->dropped : 0;
    uint64_t const scaled = ((uint64_t)bound + w->scale - 1u) / w->scale;
    uint64_t const dropped = w->dropped == INT64_MAX ? UINT64_MAX : scaled;
    uint64_t const least = cost < dropped ? cost : dropped;
    uint64_t const most = least < w->r.cost ? least : w->r.cost;
    w->r.lower_bound = most > w->r.lower_bound ? most : w->r.lower_bound;
}

/* Until no cheaper assignment is left, or packing does not tell whether it fits. */
GSPI_MEMORIES_OWN_FRAME void gspi_memories_improve(gspi_memories *w)
{
    int packed = 0;
    while (packed >= 0 && w->r.work <= w->max_work && w->r.lower_bound < w->r.cost) {
        uint64_t const cost = gspi_memories_search(w);
        gspi_memories_raise(w, cost);
        if (cost == UINT64_MAX) {
            return;
        }
        packed = gspi_memories_pack_choices(w);
    }
}

static void gspi_memories_plan(gspi_memories *w)
{
    w->r.lower_bound = 0;
    gspi_memories_orders(w);
    gspi_memories_sections(w);
    gspi_memories_fill(w, w->a.by_gain, 0);
    gspi_memories_fill(w, w->a.by_size, 0);
    w->r.greedy = w->r.cost;
    gspi_memories_weights(w);
    gspi_memories_fill(w, w->a.by_gain, 1);
    w->dropped = gspi_memories_root(w);
    gspi_memories_raise(w, UINT64_MAX);
    gspi_memories_improve(w);
}

GSPI_MEMORIES_OWN_FRAME gsp_status gspi_memories_given(const gsp_memories_desc *d, gsp_error *err)
{
    const char *field = GSPI_MEMORIES_FIELD("memories");
    field = d->n_tensors > 0u && d->tensors == NULL ? GSPI_MEMORIES_FIELD("tensors") : field;
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_memories_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE, "");
    }
    if ((d->n_tensors > 0u && d->tensors == NULL) || (d->n_memories > 0u && d->memories == NULL)) {
        return gspi_memories_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    return d->n_memories <= GSP_MEMORIES_MOST
               ? GSP_OK
               : gspi_memories_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CHOICE, GSP_NONE,
                     GSPI_MEMORIES_FIELD("n_memories"));
}

/* OK if so many bytes are left. */
GSPI_MEMORIES_OWN_FRAME gsp_status gspi_memories_room(
    const gsp_arena *arena, size_t bound, gsp_error *err)
{
    if (GSPI_MEMORIES_NEVER(bound == SIZE_MAX)) {
        return gspi_memories_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE, "");
    }
    if (gsp_arena_left(arena) >= bound) {
        return gspi_memories_fail(err, GSP_OK, GSP_DETAIL_NONE, GSP_NONE, "");
    }
    (void)gspi_memories_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, "");
    if (err != NULL) {
        err->need = bound;
        err->limit = gsp_arena_left(arena);
    }
    return GSP_STATUS_NOMEM;
}

/* A workspace in the arena; *low is the end of the results, which stay. */
GSPI_MEMORIES_OWN_FRAME gspi_memories *gspi_memories_make(
    gsp_arena *arena, const gsp_memories_desc *d, size_t *low)
{
    gspi_memories_bump b = {arena, 0u};
    gspi_memories *w = (gspi_memories *)gspi_memories_push(&b, 1, sizeof(gspi_memories), 1);
    gsp_memories_result const none = {
        UINT64_MAX, UINT64_MAX, UINT64_MAX, 0u, NULL, NULL, GSP_NONE, 0u};
    gsp_memory_pack_desc const pack = {0u, 0u, NULL, NULL, 0u, 0u, NULL, NULL, NULL, 0u};
    gspi_memories_sizes(&w->a, d);
    gspi_memories_layout(&b, &w->a);
    w->arena = arena;
    w->d = d;
    w->r = none;
    w->r.memory = w->a.memory;
    w->r.offset = w->a.offset;
    w->pack = pack;
    w->pack.aligns = w->a.aligns;
    w->pack.fixed = w->a.fixed;
    w->n_slots = w->n_sections = w->n_sets = 0;
    w->max_work = d->max_work != 0u ? d->max_work : GSPI_MEMORIES_WORK;
    *low = gsp_arena_mark(arena).low;
    return w;
}

gsp_status gsp_memories_run(
    gsp_arena *arena, const gsp_memories_desc *desc, gsp_memories_result *result, gsp_error *err)
{
    size_t low = 0;
    if (arena == NULL || desc == NULL || result == NULL) {
        const char *field = GSPI_MEMORIES_FIELD("result");
        field = desc == NULL ? GSPI_MEMORIES_FIELD("desc") : field;
        field = arena == NULL ? GSPI_MEMORIES_FIELD("arena") : field;
        return gspi_memories_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_status status = gspi_memories_given(desc, err);
    status = status == GSP_OK ? gspi_memories_room(arena, gsp_memories_bound(desc), err) : status;
    if (status != GSP_OK) {
        return status;
    }
    gspi_memories *w = gspi_memories_make(arena, desc, &low);
    status = gspi_memories_open(w, err);
    status = status == GSP_OK ? gspi_memories_read(w, err) : status;
    status = status == GSP_OK ? gspi_memories_check(w, err) : status;
    if (status == GSP_OK) {
        if (w->r.misfit == GSP_NONE) {
            gspi_memories_plan(w);
        }
        *result = w->r;
        mark.low = low;
    }
    gsp_arena_rewind(arena, mark);
    return status;
}

#endif
#endif

#ifdef __cplusplus
}
#endif

GSPI_MEMORIES_END

#endif /* GRAPHSPLIT_MEMORIES_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_MEMORIES_IMPLEMENTATION */
