/* graphsplit_pack.h - an add-on of graphsplit.h: smaller memory plans, with a proof
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Searches the smallest arena for tensors of given live ranges. Needs graphsplit.h and nothing
 * else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_PACK_IMPLEMENTATION
 *     #include "graphsplit_pack.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 * With GSP_NO_MEMORY there are no tensors, and this header is empty.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>memory_pack        Smaller plans, with a proof
 *     >>impl               Implementation guard
 *
 *     gsp_memory_pack_run          O(n log n + p), search   180 per tensor
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_PACK_H_INCLUDED
#define GRAPHSPLIT_PACK_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_PACK_IMPLEMENTATION)
#error "graphsplit_pack: no bodies; define GRAPHSPLIT_PACK_IMPLEMENTATION beside GRAPHSPLIT_STATIC"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>memory_pack   Smaller plans, with a proof (API)
 * ---- */
#ifndef GSP_NO_MEMORY

/* All zero searches for the smallest arena with offsets aligned to 16. */
typedef struct gsp_memory_pack_desc {
    uint32_t start_canary;
    uint32_t align;          /* bytes, a power of two; 0 means 16 */
    const uint32_t *aligns;  /* [n_tensors] powers of two; NULL means align */
    const uint32_t *fixed;   /* [n_tensors] 1 if the tensor keeps its offset; or NULL */
    uint64_t capacity;       /* the search ends at a plan of this size */
    uint64_t max_work;       /* see gsp_memory_pack_result.work; 0 means 2^26 */
    const uint32_t *resumed; /* [n_tensors] 1 if it is the tensor before it, live again; or NULL */
    uint32_t end_canary;
} gsp_memory_pack_desc;

/* All arrays are read-only. */
typedef struct gsp_memory_pack_result {
    uint64_t bytes;       /* size of the arena */
    uint64_t lower_bound; /* no plan is smaller; `bytes` if that is proved */
    uint64_t work;        /* tensors visited by the search */
    uint64_t *offsets;    /* [n_tensors] */
} gsp_memory_pack_result;

/* gsp_memory_pack_bound: bytes for the run, 180 per tensor. Time: O(1). */
GSP_API size_t gsp_memory_pack_bound(uint32_t n_tensors, const gsp_memory_pack_desc *desc);

/* gsp_memory_pack_run: the smallest arena for tensors with given live ranges, proved where
 * possible.
 *
 * What:    A complete search for plans smaller than the given one, such as that of
 *          gsp_memory_plan_run(), by bytes, offset, begin and end of the tensors. Tensors of 0
 *          bytes do not count. A tensor with gaps in its live range is one entry per live interval
 *          (resumed), with equal bytes at the offset of the first, which alone may be fixed.
 * Errors:  ARG (NUMBER: an alignment; RANGE: begin after end, or resumed before the end or with
 *          other bytes), OVERFLOW (SIZE)
 * Time:    O(n log n + p) for p pairs of tensors with overlapping live ranges; and max_work, 10 to
 *          60 ns per unit in networks, O(n) at worst. Memory: the bound
 * Order:   of plans of the same size the first one found; the given one before all
 * Example: examples/memory_pack.c
 * See:     Moffitt 2023 (MiniMalloc); Boussemart et al. 2004 (weights of failures)
 */
GSP_API gsp_status gsp_memory_pack_run(gsp_arena *arena, const gsp_tensor *tensors,
    uint32_t n_tensors, const gsp_memory_pack_desc *desc, gsp_memory_pack_result *result,
    gsp_error *err);

#endif /* GSP_NO_MEMORY */

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_PACK_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_PACK_IMPLEMENTATION
#ifndef GRAPHSPLIT_PACK_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_PACK_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_PACK_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_PACK_END       _Pragma("GCC diagnostic pop")
#define GSPI_PACK_OWN_FRAME __attribute__((noinline)) static /* not on the stack of its caller */
#else
#define GSPI_PACK_BEGIN
#define GSPI_PACK_END
#define GSPI_PACK_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_PACK_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>memory_pack   Smaller plans, with a proof (implementation)
 * ---- */
#ifndef GSP_NO_MEMORY

/* A depth-first search places the next tensor directly above those live with it. Any plan whose
 * tensors cannot move down results from placing them by (offset, rank), so the search tries only
 * larger pairs. Sections are the maximal sets of tensors live together; a branch ends if one has no
 * room. Restarts with more work rank tensors by recent failures of their sections. Tensors not yet
 * placed that are connected by shared sections form a part. The parent of a placement is the last
 * placement on which its part depends; a part that fails returns there. */

/* A condition that only inputs of gigabytes can cause; `make cov` does not count it. */
#define GSPI_PACK_NEVER(x) (x)

/* The argument at fault, and the count that makes it required. */
#ifdef GSP_NO_MESSAGES
#define GSPI_PACK_FIELD(text, count) ""
#else
#define GSPI_PACK_FIELD(text, count) text "\0" count
#endif

static gsp_status gspi_pack_fail(
    gsp_error *err, gsp_status status, gsp_detail detail, const char *field)
{
    if (err != NULL) {
        gsp_error const e = {status, detail, GSP_WHAT_NONE, GSP_NONE, GSP_NONE, 0, 0, 0, 0u, field};
        *err = e;
    }
    return status;
}

static void gspi_pack_amount(gsp_error *err, size_t need, size_t limit)
{
    if (err != NULL) {
        err->need = need;
        err->limit = limit;
    }
}

static void gspi_pack_raise(uint64_t *at, uint64_t top)
{
    *at = top > *at ? top : *at;
}

static uint64_t gspi_pack_round(uint64_t offset, uint32_t align)
{
    return (offset + align - 1u) & ~((uint64_t)align - 1u);
}

static int gspi_pack_less(uint32_t a, uint32_t b, const uint64_t *key)
{
    return key[a] < key[b] || (key[a] == key[b] && a < b);
}

static void gspi_pack_sift(uint32_t *ids, uint32_t root, uint32_t end, const uint64_t *key)
{
    uint32_t const id = ids[root];
    while (root < end / 2u) {
        uint32_t child = 2u * root + 1u;
        if (child + 1u < end && gspi_pack_less(ids[child], ids[child + 1u], key)) {
            child++;
        }
        if (!gspi_pack_less(id, ids[child], key)) {
            break;
        }
        ids[root] = ids[child];
        root = child;
    }
    ids[root] = id;
}

/* Heapsort, ascending by key, ties by id. */
static void gspi_pack_sort(uint32_t *ids, uint32_t n, const uint64_t *key)
{
    for (uint32_t i = n / 2u; i > 0u; i--) {
        gspi_pack_sift(ids, i - 1u, n, key);
    }
    for (uint32_t i = n; i > 1u; i--) {
        uint32_t const top = ids[0];
        ids[0] = ids[i - 1u];
        ids[i - 1u] = top;
        gspi_pack_sift(ids, 0, i - 1u, key);
    }
}

/* A layout pushes all arrays in order; without an arena it measures them. */
typedef struct gspi_pack_bump {
    gsp_arena *arena;
    uint64_t used;
} gspi_pack_bump;

/* Pushes an array at either end. Inlining makes compilers warn of NULL from a full arena, which
 * gsp_memory_pack_run() excludes. */
GSPI_PACK_OWN_FRAME void *gspi_pack_push(gspi_pack_bump *b, size_t count, size_t size, int high)
{
    uint64_t const bytes = (uint64_t)count * size + (GSP_GAP + GSP_ALIGN - 1u);
    b->used += bytes & ~((uint64_t)GSP_ALIGN - 1u);
    return b->arena == NULL ? NULL
           : high           ? gsp_arena_push_high(b->arena, count, size)
                            : gsp_arena_push(b->arena, count, size);
}

typedef struct gspi_packed {
    uint64_t offset; /* a lower bound if not placed */
    uint64_t least;  /* least offset above placed tensors live with it */
    uint64_t lowest; /* least offset without them */
    uint64_t highest;
    uint64_t bytes;
    uint32_t id;    /* its place in the tensors of the caller */
    uint32_t first; /* sections; GSP_NONE in [n] */
    uint32_t end;   /* last one before a gap */
    uint32_t last;
    uint32_t next;   /* its stretch after the gap, or GSP_NONE */
    uint32_t before; /* tensors not placed, by `first`, in a ring through [n] */
    uint32_t after;
    uint32_t rank;
    uint32_t align;
    uint32_t width;   /* in steps */
    uint32_t support; /* the placed tensor below `least`, or GSP_NONE */
} gspi_packed;

/* Sizes are rounded up to multiples of gspi_pack.unit; only the highest tensor needs less. */
typedef struct gspi_pack_section {
    uint64_t load;
    uint64_t slack;  /* the most that one tensor is rounded up */
    uint64_t sum;    /* bytes above some offset */
    uint64_t weight; /* of failures */
    uint32_t cut;    /* tensors not placed that are also live in the next section */
} gspi_pack_section;

/* A placement, or the choice to make next, from (offset, rank) on. */
typedef struct gspi_pack_step {
    uint64_t offset;
    uint64_t top; /* greatest end of this tensor and of its parents */
    uint32_t tensor;
    uint32_t rank;
    uint32_t parent;
    uint32_t end; /* sections of its part end here */
} gspi_pack_step;

typedef struct gspi_pack {
    gspi_packed *at;       /* [n + 1] by begin */
    gspi_pack_section *in; /* [n] */
    gspi_pack_step *steps; /* [n] placements */
    uint64_t *key;         /* [n] */
    uint32_t *list;        /* [n] */
    uint64_t capacity;     /* of the search */
    uint64_t max_work;
    uint64_t failure; /* weight of the next one */
    uint32_t attempt;
    uint32_t n;
    uint32_t depth;
    uint32_t unit; /* all offsets are multiples of it */
    gsp_memory_pack_result r;
} gspi_pack;

static void gspi_pack_layout(gspi_pack_bump *b, gspi_pack *w, uint32_t n)
{
    w->r.offsets = (uint64_t *)gspi_pack_push(b, n, sizeof(uint64_t), 0);
    w->at = (gspi_packed *)gspi_pack_push(b, (size_t)n + 1u, sizeof(gspi_packed), 1);
    w->in = (gspi_pack_section *)gspi_pack_push(b, n, sizeof(gspi_pack_section), 1);
    w->steps = (gspi_pack_step *)gspi_pack_push(b, n, sizeof(gspi_pack_step), 1);
    w->key = (uint64_t *)gspi_pack_push(b, n, sizeof(uint64_t), 1);
    w->list = (uint32_t *)gspi_pack_push(b, n, sizeof(uint32_t), 1);
}

size_t gsp_memory_pack_bound(uint32_t n_tensors, const gsp_memory_pack_desc *desc)
{
    gspi_pack w;
    gspi_pack_bump b = {NULL, GSP_BOUND_ARRAY(sizeof w, 1) + GSP_BOUND_SLACK};
    (void)desc;
    gspi_pack_layout(&b, &w, n_tensors);
    return GSPI_PACK_NEVER(b.used >= SIZE_MAX) ? SIZE_MAX : (size_t)b.used;
}

/* The section in which the first tensor not placed begins, or GSP_NONE if all are placed. */
static uint32_t gspi_pack_begin(const gspi_pack *w)
{
    return w->at[w->at[w->n].after].first;
}

/* Links a tensor into the ring, `by` 1, or out of it, `by` UINT32_MAX. */
static void gspi_pack_link(gspi_pack *w, uint32_t i, uint32_t by)
{
    gspi_packed *t = &w->at[i];
    w->at[t->before].after = by == 1u ? i : t->after;
    w->at[t->after].before = by == 1u ? i : t->before;
    for (uint32_t s = t->first; s < t->last; s++) {
        w->in[s].cut += by;
    }
}

/* The tensor that `id` resumes, or itself. */
static uint32_t gspi_pack_before(const gsp_memory_pack_desc *d, uint32_t id)
{
    return d->resumed != NULL && d->resumed[id] != 0u ? id - 1u : id;
}

static void gspi_pack_read(gspi_pack *w, const gsp_tensor *tensors, const gsp_memory_pack_desc *d)
{
    for (uint32_t i = 0; i < w->n; i++) {
        gspi_pack_section const empty = {0u, 0u, 0u, 0u, 0};
        w->in[i] = empty;
        w->list[i] = i;
        w->key[i] = tensors[i].begin;
        w->r.offsets[i] = tensors[i].offset;
    }
    gspi_pack_sort(w->list, w->n, w->key);
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t const id = w->list[i];
        int const fixed = d->fixed != NULL && d->fixed[id] != 0u;
        gspi_packed *t = &w->at[i];
        t->id = id;
        t->least = t->lowest = fixed ? tensors[id].offset : 0u;
        t->highest = fixed ? tensors[id].offset : UINT64_MAX;
        t->bytes = tensors[id].bytes;
        t->align = fixed ? 1u : d->aligns != NULL ? d->aligns[id] : d->align;
        w->unit |= fixed ? (uint32_t)t->lowest : t->align;
        t->width = tensors[id].end - tensors[id].begin;
        t->support = GSP_NONE;
        t->next = GSP_NONE;
        t->before = 0;
        t->first = t->end = i;
        while (t->end + 1u < w->n && tensors[w->list[t->end + 1u]].begin <= tensors[id].end) {
            t->end++;
        }
        t->last = t->end;
        w->key[id] = i;
        w->in[t->end].cut = 1;
    }
    for (uint32_t id = w->n; id-- > 0u;) {
        if (gspi_pack_before(d, id) < id) {
            gspi_packed *t = &w->at[w->key[id - 1u]];
            t->next = (uint32_t)w->key[id];
            t->last = w->at[t->next].last;
            w->at[t->next].before = GSP_NONE;
        }
    }
}

/* Merges places where no tensor ends into the next section. Links the tensors that have bytes. */
static void gspi_pack_sections(gspi_pack *w)
{
    uint32_t section = 0;
    w->unit &= 0u - w->unit;
    for (uint32_t i = 0; i < w->n; i++) {
        w->list[i] = section;
        section += w->in[i].cut;
        w->in[i].cut = 0;
    }
    w->at[w->n].first = GSP_NONE;
    w->at[w->n].before = w->at[w->n].after = w->n;
    for (uint32_t i = 0; i < w->n; i++) {
        gspi_packed *t = &w->at[i];
        t->first = w->list[t->first];
        t->end = w->list[t->end];
        t->last = w->list[t->last];
        if (t->bytes > 0u && t->before != GSP_NONE) {
            t->before = w->at[w->n].before;
            t->after = w->n;
            gspi_pack_link(w, i, 1);
        }
        for (uint32_t s = t->first; s <= t->end; s++) {
            uint64_t const bytes = gspi_pack_round(t->bytes, w->unit);
            w->in[s].load += bytes;
            gspi_pack_raise(&w->in[s].slack, bytes - t->bytes);
        }
    }
}

static int gspi_pack_meet(const gspi_pack *w, const gspi_packed *t, const gspi_packed *o)
{
    while (o->first > t->end || o->end < t->first) { /* advances the one that ends first */
        const gspi_packed **first = t->end < o->first ? &t : &o;
        if ((*first)->next == GSP_NONE) {
            return 0;
        }
        *first = &w->at[(*first)->next];
    }
    return 1;
}

/* 1 if a tensor is at (offset, rank) or later. */
static int gspi_pack_from(const gspi_packed *t, const gspi_pack_step *at)
{
    return t->least > at->offset || (t->least == at->offset && t->rank >= at->rank);
}

/* A lower bound of the offset of a tensor. A skipped tensor is above one not placed. */
static uint64_t gspi_pack_release(
    const gspi_pack *w, const gspi_packed *t, const gspi_pack_step *at)
{
    uint64_t release = UINT64_MAX;
    if (gspi_pack_from(t, at)) {
        return t->least;
    }
    for (uint32_t i = w->at[w->n].after; w->at[i].first < t->last + 1u; i = w->at[i].after) {
        const gspi_packed *o = &w->at[i];
        uint64_t const end = (o->least < at->offset ? at->offset : o->least) + o->bytes;
        release = end < release && o != t && gspi_pack_meet(w, t, o) ? end : release;
    }
    return release;
}

/* Counts a failure; it weighs 1/32 more than the one before. */
static void gspi_pack_weigh(gspi_pack *w, uint32_t section)
{
    w->in[section].weight += w->failure;
    w->failure += w->failure / 32u;
    if (w->failure >> 30u != 0u) {
        w->failure >>= 10u;
        for (uint32_t s = 0; s < w->n; s++) {
            w->in[s].weight >>= 10u;
        }
    }
}

/* 1 if the tensors above each offset fit, in each section of a part. */
static int gspi_pack_fits(gspi_pack *w, const gspi_pack_step *at)
{
    uint32_t n = 0;
    for (uint32_t i = w->at[w->n].after; w->at[i].first < at->end; i = w->at[i].after) {
        gspi_packed *t = &w->at[i];
        t->offset = gspi_pack_release(w, t, at);
        w->r.work++;
        if (t->offset > t->highest || t->offset > w->capacity) {
            return 0;
        }
        w->key[i] = ~t->offset;
        w->list[n++] = i;
    }
    gspi_pack_sort(w->list, n, w->key);
    for (uint32_t s = gspi_pack_begin(w); s < at->end; s++) {
        w->in[s].sum = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        const gspi_packed *t = &w->at[w->list[i]];
        uint64_t const room = gspi_pack_round(w->capacity, w->unit) - t->offset;
        uint64_t const bytes = gspi_pack_round(t->bytes, w->unit);
        for (uint32_t k = w->list[i]; k != GSP_NONE; k = w->at[k].next) {
            for (uint32_t s = w->at[k].first; s <= w->at[k].end; s++) {
                w->in[s].sum += bytes;
                if (w->in[s].sum > room) {
                    gspi_pack_weigh(w, s);
                    return 0;
                }
            }
        }
    }
    return 1;
}

static void gspi_pack_place(gspi_pack *w, const gspi_pack_step *at)
{
    gspi_packed *t = &w->at[at->tensor];
    gspi_pack_step *step = &w->steps[w->depth++];
    uint64_t const end = at->offset + t->bytes;
    *step = *at;
    step->top = end;
    if (at->parent != GSP_NONE) {
        gspi_pack_raise(&step->top, w->steps[at->parent].top);
    }
    t->offset = at->offset;
    gspi_pack_link(w, at->tensor, UINT32_MAX);
    for (uint32_t i = w->at[w->n].after; w->at[i].first < t->last + 1u; i = w->at[i].after) {
        gspi_packed *o = &w->at[i];
        if (o->least < end && gspi_pack_meet(w, t, o)) {
            o->least = gspi_pack_round(end, o->align);
            o->support = at->tensor;
        }
    }
}

/* Finds the support that a tensor had when `parent` was placed. */
static void gspi_pack_lower(const gspi_pack *w, gspi_packed *t, uint32_t parent)
{
    uint64_t top = 0;
    t->support = GSP_NONE;
    for (uint32_t p = parent; p != GSP_NONE && w->steps[p].top > top; p = w->steps[p].parent) {
        const gspi_packed *o = &w->at[w->steps[p].tensor];
        if (o->offset + o->bytes > top && gspi_pack_meet(w, t, o)) {
            top = o->offset + o->bytes;
            t->support = w->steps[p].tensor;
        }
    }
    t->least = gspi_pack_round(top, t->align);
    gspi_pack_raise(&t->least, t->lowest);
}

static void gspi_pack_undo(gspi_pack *w, uint32_t depth)
{
    while (w->depth > depth) {
        const gspi_pack_step *step = &w->steps[--w->depth];
        for (uint32_t i = w->at[w->n].after; w->at[i].first < w->at[step->tensor].last + 1u;
             i = w->at[i].after) {
            if (w->at[i].support == step->tensor) {
                gspi_pack_lower(w, &w->at[i], step->parent);
            }
        }
        gspi_pack_link(w, step->tensor, 1);
    }
}

/* Chooses the first tensor from (offset, rank) on; returns 0 if there is none, or a whole tensor
 * fits below it. */
static int gspi_pack_next(const gspi_pack *w, gspi_pack_step *at)
{
    uint64_t offset = UINT64_MAX;
    uint64_t end = UINT64_MAX;
    uint32_t rank = GSP_NONE;
    for (uint32_t i = w->at[w->n].after; w->at[i].first < at->end; i = w->at[i].after) {
        const gspi_packed *t = &w->at[i];
        end = t->least + t->bytes < end ? t->least + t->bytes : end;
        if (gspi_pack_from(t, at) &&
            (t->least < offset || (t->least == offset && t->rank < rank))) {
            at->tensor = i;
            offset = t->least;
            rank = t->rank;
        }
    }
    at->offset = offset;
    at->rank = rank;
    return offset < end && offset + w->at[at->tensor].bytes <= w->capacity;
}

/* The first part not placed, and the placement that it depends on. */
static gspi_pack_step gspi_pack_part(const gspi_pack *w)
{
    uint32_t const begin = gspi_pack_begin(w);
    gspi_pack_step at = {0u, 0, 0, 0, w->depth, begin};
    while (w->in[at.end++].cut != 0u) {
    }
    while (--at.parent != GSP_NONE) {
        const gspi_pack_step *step = &w->steps[at.parent];
        if (w->at[step->tensor].last >= begin) {
            at.offset = step->offset;
            at.rank = step->rank;
            break;
        }
    }
    return at;
}

/* Places all tensors before section `end`. Returns 1 if they fit, 0 if they cannot, -1 after too
 * much work. */
static int gspi_pack_search(gspi_pack *w, uint32_t end, uint64_t work)
{
    uint64_t const stop = w->r.work + work;
    while (gspi_pack_begin(w) < end) {
        gspi_pack_step at = gspi_pack_part(w);
        int open = w->depth > 0u || gspi_pack_fits(w, &at);
        while (open) {
            if (w->r.work++ >= stop) {
                gspi_pack_undo(w, 0);
                return -1;
            }
            if (gspi_pack_next(w, &at)) {
                gspi_pack_place(w, &at);
                if (gspi_pack_fits(w, &at)) {
                    break;
                }
                gspi_pack_undo(w, w->depth - 1u);
            } else if (at.parent != GSP_NONE) {
                gspi_pack_undo(w, at.parent);
                at = w->steps[at.parent];
            } else {
                open = 0;
            }
            at.rank++;
        }
        if (!open) {
            return 0;
        }
    }
    return 1;
}

/* Ranks tensors by the greatest weight of a section, then by steps; or by the product. */
static void gspi_pack_rank(gspi_pack *w, uint32_t end)
{
    int const both = w->attempt++ % 2u != 0u;
    uint32_t n = 0;
    for (uint32_t i = w->at[w->n].after; w->at[i].first < end; i = w->at[i].after) {
        const gspi_packed *t = &w->at[i];
        uint64_t const steps = (uint64_t)t->width + 1u;
        uint64_t weight = 0;
        for (uint32_t k = i; k != GSP_NONE; k = w->at[k].next) {
            for (uint32_t s = w->at[k].first; s <= w->at[k].end; s++) {
                gspi_pack_raise(&weight, w->in[s].weight);
            }
        }
        w->list[n++] = i;
        w->key[i] = ~(both ? (weight >> 4) * steps : (weight << 24u) + steps);
    }
    gspi_pack_sort(w->list, n, w->key);
    for (uint32_t i = 0; i < n; i++) {
        w->at[w->list[i]].rank = i;
    }
}

/* Searches smaller plans of a part; half of the work is for the lower bound, the rest for sizes in
 * between. */
static void gspi_pack_improve(gspi_pack *w, uint32_t end)
{
    gsp_memory_pack_result *r = &w->r;
    uint64_t n = 0;
    uint64_t size = 0;
    uint64_t lower = 0;
    for (uint32_t i = w->at[w->n].after; w->at[i].first < end; i = w->at[i].after) {
        const gspi_packed *t = &w->at[i];
        gspi_pack_raise(&size, t->bytes + w->r.offsets[t->id]);
        gspi_pack_raise(&lower, t->bytes + t->lowest);
        n++;
    }
    for (uint32_t s = gspi_pack_begin(w); s < end; s++) {
        gspi_pack_raise(&lower, w->in[s].load - w->in[s].slack);
    }
    uint64_t limit = n * n + 32u;
    while (size > lower && size > r->bytes && r->work < w->max_work) {
        uint64_t const goal = lower > r->bytes ? lower : r->bytes;
        uint32_t const shift = r->work < w->max_work / 2u ? 0u : w->attempt / 2u % 4u + 1u;
        uint64_t const left = w->max_work - r->work;
        w->capacity = size - ((size - goal - 1u) >> shift) - 1u;
        gspi_pack_rank(w, end);
        int const found = gspi_pack_search(w, end, limit < left ? limit : left);
        limit = shift == 0u && r->work >= w->max_work / 2u ? n * n : limit + limit / 32u;
        size = found > 0 ? 0u : size;
        lower = found == 0 ? w->capacity + 1u : lower;
        for (uint32_t i = 0; i < w->depth; i++) {
            const gspi_packed *t = &w->at[w->steps[i].tensor];
            w->r.offsets[t->id] = t->offset;
            gspi_pack_raise(&size, t->offset + t->bytes);
        }
        gspi_pack_undo(w, 0);
    }
    gspi_pack_raise(&r->bytes, size);
    gspi_pack_raise(&r->lower_bound, lower);
}

/* Checks the alignments and live ranges of all tensors. */
static gsp_status gspi_pack_check(
    const gsp_tensor *tensors, uint32_t n, const gsp_memory_pack_desc *d, gsp_error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const align = d->aligns != NULL ? d->aligns[i] : d->align;
        if (align == 0u || (align & (align - 1u)) != 0u) {
            return gspi_pack_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NUMBER, "");
        }
        if (tensors[i].begin > tensors[i].end) {
            return gspi_pack_fail(
                err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSPI_PACK_FIELD("tensors", ""));
        }
        if ((tensors[i].offset | tensors[i].bytes) > UINT64_MAX / 4u) {
            return gspi_pack_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, "");
        }
        if (gspi_pack_before(d, i) != i && (i == 0u || tensors[i - 1u].end >= tensors[i].begin ||
                                               tensors[i - 1u].bytes != tensors[i].bytes)) {
            return gspi_pack_fail(
                err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSPI_PACK_FIELD("tensors", ""));
        }
    }
    return GSP_OK;
}

/* Prepares a run in an arena with room for its arrays. */
static void gspi_pack_open(gspi_pack *w, gspi_pack_bump *b, const gsp_tensor *tensors,
    uint32_t n_tensors, const gsp_memory_pack_desc *d)
{
    gspi_pack_layout(b, w, n_tensors);
    w->capacity = 0;
    w->max_work = d->max_work == 0u ? (uint64_t)1u << 26 : d->max_work;
    w->failure = 1024;
    w->attempt = 0;
    w->n = n_tensors;
    w->depth = 0;
    w->unit = (uint32_t)1u << 31;
    w->r.bytes = d->capacity;
    w->r.lower_bound = 0;
    w->r.work = 0;
    gspi_pack_read(w, tensors, d);
    gspi_pack_sections(w);
}

/* Searches part after part; those below the largest so far need no work. */
static void gspi_pack_all(gspi_pack *w)
{
    while (gspi_pack_begin(w) != GSP_NONE) {
        uint32_t const end = gspi_pack_part(w).end;
        gspi_pack_improve(w, end);
        for (uint32_t i = w->at[w->n].after; w->at[i].first < end; i = w->at[i].after) {
            gspi_pack_link(w, i, UINT32_MAX);
        }
    }
}

gsp_status gsp_memory_pack_run(gsp_arena *arena, const gsp_tensor *tensors, uint32_t n_tensors,
    const gsp_memory_pack_desc *desc, gsp_memory_pack_result *result, gsp_error *err)
{
    static const gsp_memory_pack_desc zero = {0u, 0, NULL, NULL, 0, 0, NULL, 0};
    gsp_memory_pack_desc d = desc == NULL ? zero : *desc;
    if (arena == NULL || (tensors == NULL && n_tensors != 0u) || result == NULL) {
        return gspi_pack_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT,
            arena == NULL    ? GSPI_PACK_FIELD("arena", "")
            : result == NULL ? GSPI_PACK_FIELD("result", "")
                             : GSPI_PACK_FIELD("tensors", "n_tensors"));
    }
    if (d.start_canary != 0u || d.end_canary != 0u) {
        return gspi_pack_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, "");
    }
    d.align = d.align == 0u ? GSP_ALIGN : d.align;
    gsp_status const status = gspi_pack_check(tensors, n_tensors, &d, err);
    if (status != GSP_OK) {
        return status;
    }
    size_t const bound = gsp_memory_pack_bound(n_tensors, &d);
    size_t const left = gsp_arena_left(arena);
    if (GSPI_PACK_NEVER(bound == SIZE_MAX)) {
        return gspi_pack_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, "");
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gspi_pack_bump b = {arena, 0};
    gspi_pack *w = left < bound ? NULL : (gspi_pack *)gspi_pack_push(&b, 1, sizeof(gspi_pack), 1);
    if (w == NULL) {
        (void)gspi_pack_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, "");
        gspi_pack_amount(err, bound, left);
        return GSP_STATUS_NOMEM;
    }
    gspi_pack_open(w, &b, tensors, n_tensors, &d);
    gspi_pack_all(w);
    w->r.bytes = 0;
    for (uint32_t i = 0; i < n_tensors; i++) {
        w->r.offsets[i] = w->r.offsets[gspi_pack_before(&d, i)];
        gspi_pack_raise(
            &w->r.bytes, tensors[i].bytes > 0u ? w->r.offsets[i] + tensors[i].bytes : 0u);
    }
    *result = w->r;
    mark.low = gsp_arena_mark(arena).low; /* the results stay */
    gsp_arena_rewind(arena, mark);
    return gspi_pack_fail(err, GSP_OK, GSP_DETAIL_NONE, "");
}

#endif /* GSP_NO_MEMORY */

#ifdef __cplusplus
}
#endif

GSPI_PACK_END

#endif /* GRAPHSPLIT_PACK_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_PACK_IMPLEMENTATION */
