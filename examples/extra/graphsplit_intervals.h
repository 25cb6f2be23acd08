/* graphsplit_intervals.h - an add-on of graphsplit.h: memory plans of live intervals
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Plans buffers by their live intervals alone: no plan to begin with is needed, and buffers may
 * share an address or stay apart. Tells which buffers do not fit into a capacity. Needs
 * graphsplit.h, or its extract memory_pack, and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_INTERVALS_IMPLEMENTATION
 *     #include "graphsplit_intervals.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>intervals          Memory plans of live intervals
 *     >>impl               Implementation guard
 *
 *     gsp_intervals_peak_run     O(n log n)              at work 32 per tensor
 *     gsp_intervals_fit_run      O(n log n + p)          8 per tensor; at work 238, and 483 per
 *                                                        pair that is apart
 *     gsp_intervals_run          that, and max_work      the same
 *     gsp_intervals_misfit_run   that, and 3 max_work    8 per tensor; at work 316, and 640 per
 *                                                        pair that is apart
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_INTERVALS_H_INCLUDED
#define GRAPHSPLIT_INTERVALS_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_INTERVALS_IMPLEMENTATION)
#error "graphsplit_intervals: GRAPHSPLIT_STATIC needs GRAPHSPLIT_INTERVALS_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>intervals   Memory plans of live intervals (API)
 * ---- */

#ifndef GSP_NO_MEMORY

#define GSP_INTERVALS_WORK  ((uint64_t)1u << 26u) /* of a search by default, at most */
#define GSP_INTERVALS_LOOKS ((uint64_t)1u << 29u) /* blocks and entries that first fit reads */

/* Of gsp_intervals_desc.fixed. */
#define GSP_INTERVALS_FIXED 1u /* the tensor keeps its offset */
#define GSP_INTERVALS_SHARED \
    2u /* it also may overlap other fixed ones; of gsp_intervals_fit_run() */

/* Of a tensor, bytes, begin and end are read, and the offset if it is fixed. All zero aligns
 * offsets to 16 and searches for the smallest arena. */
typedef struct gsp_intervals_desc {
    uint32_t start_canary;
    uint32_t n_tensors;
    const gsp_tensor *tensors; /* [n_tensors] */
    uint32_t align;            /* bytes, a power of two; 0 means 16 */
    const uint32_t *aligns;    /* [n_tensors] powers of two; NULL means align */
    const uint32_t *fixed;     /* [n_tensors] 0, GSP_INTERVALS_FIXED or _SHARED; or NULL */
    const uint32_t *resumed;   /* [n_tensors] 1 if it is the entry before it, live again; or NULL */
    uint32_t n_together;
    const uint32_t *together; /* [2 * n_together] pairs of tensors that have one address */
    uint32_t n_apart;
    const uint32_t *apart; /* [2 * n_apart] pairs of tensors that do not overlap at any time */
    uint64_t capacity;     /* the search ends at a plan of this size */
    uint64_t max_work;     /* of a search, see gsp_memory_pack_result.work; 0 means
                            * GSP_INTERVALS_WORK, less for many tensors or long intervals; of
                            * gsp_intervals_fit_run(): GSP_INTERVALS_LOOKS */
    gsp_memory_pack_progress_func progress; /* as for gsp_memory_pack_run(); or NULL */
    void *progress_user;
    uint32_t end_canary;
} gsp_intervals_desc;

/* The most bytes that are live at once. */
typedef struct gsp_intervals_peak {
    uint64_t bytes;
    uint32_t step; /* the first with so many */
} gsp_intervals_peak;

/* The array is read-only. */
typedef struct gsp_intervals_fit {
    uint64_t bytes;    /* size of the arena */
    uint64_t *offsets; /* [n_tensors] */
} gsp_intervals_fit;

/* The array is read-only. */
typedef struct gsp_intervals_result {
    uint64_t bytes;       /* size of the arena */
    uint64_t lower_bound; /* no plan is smaller; `bytes` if that is proved */
    uint64_t fit;         /* size of the plan by first fit */
    gsp_intervals_peak peak;
    uint64_t work;     /* tensors visited by the search */
    uint64_t *offsets; /* [n_tensors] */
    uint32_t stopped;  /* 1 if progress ended the search early */
} gsp_intervals_result;

/* The array is read-only. Of tensors that have one address, the first is listed. */
typedef struct gsp_intervals_misfit {
    uint32_t n;              /* 0 if no proof shows that the tensors do not fit */
    uint32_t *tensors;       /* [n] descending by bytes */
    uint32_t minimal;        /* 1 if they fit without any one of them */
    gsp_intervals_peak peak; /* of these tensors */
    uint64_t work;           /* tensors visited by all searches */
} gsp_intervals_misfit;

/* gsp_intervals_peak_bound: bytes, 32 per tensor. Time: O(1). */
GSP_API size_t gsp_intervals_peak_bound(uint32_t n_tensors);

/* gsp_intervals_peak_run: the most bytes that are live at once, a lower bound of every plan.
 *
 * Errors:  ARG (NULL_ARGUMENT; RANGE: tensor begins after its end), OVERFLOW (SIZE: tensor)
 * Time:    O(n log n). Memory: the bound, all of it scratch
 * Order:   the first of several steps
 */
GSP_API gsp_status gsp_intervals_peak_run(gsp_arena *arena, const gsp_tensor *tensors,
    uint32_t n_tensors, gsp_intervals_peak *result, gsp_error *err);

/* gsp_intervals_fit_bound: bytes. Time: O(1). */
GSP_API size_t gsp_intervals_fit_bound(const gsp_intervals_desc *desc);

/* gsp_intervals_fit_run: a plan by first fit, the largest tensors first.
 *
 * What:    Fixed tensors are placed first. Each other one, by falling size, takes the lowest offset
 *          at which its bytes are free in all its intervals. Placed tensors are listed by slices of
 *          time in blocks, of which a search passes most at once. After max_work blocks and
 *          tensors, the others are placed above all of their slices. Tensors of one address are one
 *          tensor: it has the largest size and alignment of them, and is live while one of them is.
 *          A tensor of several intervals is one entry per interval (resumed), with equal bytes; the
 *          first entry has the alignment, and may be fixed. If bytes may not be reused within some
 *          steps, let tensors end so many steps later. Capacity and progress are not read.
 * Errors:  ARG (NULL_ARGUMENT; NUMBER: an alignment; RANGE: tensor begins after its end, or is
 *          resumed before the end or with other bytes; a pair names no tensor; `fixed`: tensor and
 *          other have one address and two offsets; `apart`: tensor and other have one address),
 *          DESC (CANARY), OVERFLOW (SIZE: tensor; TOO_MANY: pairs of apart, of which each needs a
 *          step below 2^32); after NOMEM: ARG (OVERLAP: fixed tensor and other)
 * Time:    O(n log n + p), p at most the pairs of tensors that are live together
 * Memory:  the bound; offsets stay
 * Order:   tensors of equal size as listed
 * See:     Pisarchyk, Lee 2020
 */
GSP_API gsp_status gsp_intervals_fit_run(
    gsp_arena *arena, const gsp_intervals_desc *desc, gsp_intervals_fit *result, gsp_error *err);

/* gsp_intervals_bound: bytes. Time: O(1). */
GSP_API size_t gsp_intervals_bound(const gsp_intervals_desc *desc);

/* gsp_intervals_run: the smallest arena for tensors with given intervals, proved where possible.
 *
 * What:    gsp_intervals_fit_run() within GSP_INTERVALS_LOOKS, then gsp_memory_pack_run() from that
 *          plan. Pairs that are apart are live together at a step of their own after all others.
 * Errors:  as gsp_intervals_fit_run(); fixed tensors may not overlap, shared or not
 * Time:    that of both. Memory: the bound; offsets stay
 * Order:   as for both
 * Example: examples/intervals.c
 */
GSP_API gsp_status gsp_intervals_run(
    gsp_arena *arena, const gsp_intervals_desc *desc, gsp_intervals_result *result, gsp_error *err);

/* gsp_intervals_misfit_bound: bytes. Time: O(1). */
GSP_API size_t gsp_intervals_misfit_bound(const gsp_intervals_desc *desc);

/* gsp_intervals_misfit_run: few tensors that do not fit into desc.capacity.
 *
 * What:    A fixed tensor that ends above the capacity; or else tensors that are live at one step
 *          and have more bytes, without the smallest as long as that holds; or else all of which a
 *          search proves that they do not fit. Without one of them, the smallest first, others may
 *          still not fit: searches leave it out then. The first search may take max_work, and the
 *          others twice as much.
 * Errors:  as gsp_intervals_run()
 * Time:    that of gsp_intervals_run(), and of a search per tensor, within max_work each
 * Memory:  the bound; tensors stays
 * Example: examples/intervals.c
 */
GSP_API gsp_status gsp_intervals_misfit_run(
    gsp_arena *arena, const gsp_intervals_desc *desc, gsp_intervals_misfit *result, gsp_error *err);

#endif /* GSP_NO_MEMORY */

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_INTERVALS_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_INTERVALS_IMPLEMENTATION
#ifndef GRAPHSPLIT_INTERVALS_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_INTERVALS_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_INTERVALS_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_INTERVALS_END       _Pragma("GCC diagnostic pop")
#define GSPI_INTERVALS_OWN_FRAME __attribute__((noinline)) static /* not on that of its caller */
#else
#define GSPI_INTERVALS_BEGIN
#define GSPI_INTERVALS_END
#define GSPI_INTERVALS_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_INTERVALS_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>intervals   Memory plans of live intervals (implementation)
 * ---- */

#ifndef GSP_NO_MEMORY

/* What is planned is a list of entries: the intervals of a tensor, or of all tensors that have one
 * address, follow each other. First fit searches the list of all placed entries for one that is
 * live in many slices of time; for others the lists of their slices, and that of entries in many
 * slices. The offset of a search only grows, past every entry in its way, so each list is read
 * once, in order; the search ends when no list has an entry in its way any more. */

#define GSPI_INTERVALS_MOST    (UINT64_MAX / 4u) /* bytes of all tensors */
#define GSPI_INTERVALS_TRIES   16u               /* tries to leave a tensor out have such a part */
#define GSPI_INTERVALS_LONG    512u /* steps on average that make a unit of work long */
#define GSPI_INTERVALS_SLICES  64u
#define GSPI_INTERVALS_FEW     2u
#define GSPI_INTERVALS_MANY    16u /* slices of an entry that is searched for in the list of all */
#define GSPI_INTERVALS_BLOCK   64u /* entries at most */
#define GSPI_INTERVALS_LISTS   (GSPI_INTERVALS_SLICES + 2u)

#define GSPI_INTERVALS_OF_MANY GSPI_INTERVALS_SLICES /* list of entries in many slices */
#define GSPI_INTERVALS_OF_ALL  (GSPI_INTERVALS_SLICES + 1u)

typedef struct gspi_intervals_key {
    uint64_t key;
    uint32_t id;
} gspi_intervals_key;

/* A placed entry. */
typedef struct gspi_intervals_spot {
    uint64_t offset;
    uint64_t top;
    uint32_t begin;
    uint32_t end;
} gspi_intervals_spot;

/* Entries that follow each other in a list, and what a search needs to pass them at once. */
typedef struct gspi_intervals_block {
    uint64_t lowest;         /* offset of the first */
    uint64_t top;            /* the highest end, */
    uint64_t gap;            /* most bytes between entries that none of them takes */
    gspi_intervals_spot *at; /* [GSPI_INTERVALS_BLOCK] by offset */
    uint32_t n;
    uint32_t highest; /* the first that ends there */
    uint32_t first_begin;
    uint32_t last_begin;
    uint32_t first_end;
    uint32_t last_end;
} gspi_intervals_block;

typedef struct gspi_intervals_list {
    gspi_intervals_block *blocks; /* by offset, none empty */
    gspi_intervals_spot *spots;   /* of the blocks */
    uint64_t top;                 /* the highest end */
    uint32_t n;
    uint32_t block; /* of a search, */
    uint32_t entry; /* and its entry */
} gspi_intervals_list;

/* Placed entries. */
typedef struct gspi_intervals_crowd {
    gspi_intervals_block *blocks; /* of all lists */
    gspi_intervals_spot *spots;
    gspi_intervals_list *lists; /* [GSPI_INTERVALS_LISTS] */
    uint32_t *n_in;             /* [GSPI_INTERVALS_LISTS] entries that come into each */
    gspi_intervals_key *order;  /* [2 m] */
    uint64_t n_steps;
    uint64_t looks; /* blocks and entries that were read, */
    uint64_t most;  /* and how many may be */
} gspi_intervals_crowd;

typedef struct gspi_intervals_range {
    uint32_t first;
    uint32_t last;
} gspi_intervals_range;

/* Tensors that may not fit, and what a search for them needs. */
typedef struct gspi_intervals_set {
    uint32_t *tensors;        /* [n] of the result */
    gspi_intervals_key *keys; /* [2 m] */
    uint32_t *out;            /* [m] 1 if the entry is left out */
    gsp_tensor *list;         /* [m] the others */
    uint32_t *aligns;         /* [m] */
    uint32_t *fixed;          /* [m] */
    uint32_t *resumed;        /* [m] */
    uint32_t n;               /* others */
    uint32_t n_keys;          /* tensors, ascending by bytes */
    uint64_t max_work;        /* of the first search */
    gsp_intervals_misfit r;
} gspi_intervals_set;

typedef struct gspi_intervals { /* not on the stack */
    const gsp_intervals_desc *d;
    gsp_arena *arena;
    gsp_error *err;
    void *kept;        /* [n] of the result: offsets, or tensors of a misfit */
    gsp_tensor *list;  /* [m] node: the first tensor of this address; scratch: the one to name */
    uint32_t *aligns;  /* [m] */
    uint32_t *fixed;   /* [m] */
    uint32_t *resumed; /* [m] */
    uint32_t *first;   /* [n] of the tensors of one address; of a resumed one, its first entry */
    uint32_t *next;    /* [n] tensor of the same address, in a ring */
    uint32_t *size;    /* [n] of a first one: how many; then its entry */
    gspi_intervals_key *sides; /* [2 * n_apart] key: the first of an address; id: the pair */
    uint32_t n;                /* entries */
    uint32_t side;             /* those before are in the list */
    uint32_t end;              /* the last step of a tensor */
    gsp_mark mark;             /* what searches need is above */
    gsp_memory_pack_desc pack;
    gsp_memory_pack_result packed;
    gspi_intervals_crowd crowd;
    gspi_intervals_set set;
} gspi_intervals;

/* A condition that no input makes, or one of gigabytes; `make cov` does not count it. */
#define GSPI_INTERVALS_NEVER(x) (x)

/* Names the argument or field at fault; a second NUL, or the name of a count, follows. */
#ifdef GSP_NO_MESSAGES
#define GSPI_INTERVALS_FIELD(text) ""
#else
#define GSPI_INTERVALS_FIELD(text) text "\0"
#endif

static gsp_status gspi_intervals_fail(gsp_error *err, gsp_status status, gsp_detail detail,
    uint32_t tensor, uint32_t other, const char *field)
{
    if (err != NULL) {
        uint32_t const what = tensor == GSP_NONE ? GSP_WHAT_NONE : GSP_WHAT_TENSOR;
        gsp_error const e = {status, detail, what, tensor, other, 0, 0, 0, 0u, field};
        *err = e;
    }
    return status;
}

static gsp_status gspi_intervals_lacks(gsp_error *err, const char *field)
{
    return gspi_intervals_fail(
        err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, GSP_NONE, field);
}

/* OK if so many bytes are left. */
GSPI_INTERVALS_OWN_FRAME gsp_status gspi_intervals_room(
    const gsp_arena *arena, size_t bound, gsp_error *err)
{
    if (GSPI_INTERVALS_NEVER(bound == SIZE_MAX)) {
        return gspi_intervals_fail(
            err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE, GSP_NONE, "");
    }
    if (gsp_arena_left(arena) >= bound) {
        return gspi_intervals_fail(err, GSP_OK, GSP_DETAIL_NONE, GSP_NONE, GSP_NONE, "");
    }
    (void)gspi_intervals_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, GSP_NONE, "");
    if (err != NULL) {
        err->need = bound;
        err->limit = gsp_arena_left(arena);
    }
    return GSP_STATUS_NOMEM;
}

/* ---- Layout ---- */

/* A layout pushes all arrays; without an arena it measures them. */
typedef struct gspi_intervals_bump {
    gsp_arena *arena;
    uint64_t used;
} gspi_intervals_bump;

GSPI_INTERVALS_OWN_FRAME void *gspi_intervals_push(
    gspi_intervals_bump *b, uint64_t count, size_t size, int high)
{
    b->used += (count * size + (GSP_GAP + GSP_ALIGN - 1u)) & ~((uint64_t)GSP_ALIGN - 1u);
    return b->arena == NULL ? NULL
           : high           ? gsp_arena_push_high(b->arena, (size_t)count, size)
                            : gsp_arena_push(b->arena, (size_t)count, size);
}

static uint32_t *gspi_intervals_words(gspi_intervals_bump *b, uint64_t count)
{
    return (uint32_t *)gspi_intervals_push(b, count, sizeof(uint32_t), 1);
}

static gspi_intervals_key *gspi_intervals_keys(gspi_intervals_bump *b, uint64_t count)
{
    return (gspi_intervals_key *)gspi_intervals_push(b, count, sizeof(gspi_intervals_key), 1);
}

/* Entries at most. */
static uint64_t gspi_intervals_entries(const gsp_intervals_desc *d)
{
    return (uint64_t)d->n_tensors + 2u * (uint64_t)d->n_apart;
}

static void gspi_intervals_list_layout(gspi_intervals_bump *b, gspi_intervals *w, uint64_t m)
{
    w->list = (gsp_tensor *)gspi_intervals_push(b, m, sizeof(gsp_tensor), 1);
    w->aligns = gspi_intervals_words(b, m);
    w->fixed = gspi_intervals_words(b, m);
    w->resumed = gspi_intervals_words(b, m);
}

/* What a call needs from its start to its end. */
GSPI_INTERVALS_OWN_FRAME void gspi_intervals_layout(
    gspi_intervals_bump *b, gspi_intervals *w, const gsp_intervals_desc *d)
{
    w->kept = gspi_intervals_push(b, d->n_tensors, sizeof(uint64_t), 0);
    gspi_intervals_list_layout(b, w, gspi_intervals_entries(d));
    w->first = gspi_intervals_words(b, d->n_tensors);
    w->next = gspi_intervals_words(b, d->n_tensors);
    w->size = gspi_intervals_words(b, d->n_tensors);
    w->sides = gspi_intervals_keys(b, 2u * (uint64_t)d->n_apart);
}

/* Blocks of a list, the one of a short list as large as it: others have half their entries at
 * least. */
static uint32_t gspi_intervals_blocks(uint32_t n_in)
{
    uint32_t const few = n_in != 0u ? 1u : 0u;
    return n_in < GSPI_INTERVALS_BLOCK ? few : n_in / (GSPI_INTERVALS_BLOCK / 2u);
}

GSPI_INTERVALS_OWN_FRAME void gspi_intervals_crowd_layout(
    gspi_intervals_bump *b, gspi_intervals_crowd *c, uint64_t m)
{
    uint64_t const all = (GSPI_INTERVALS_FEW + 1u) * m;
    uint64_t const lists = all < GSPI_INTERVALS_LISTS ? all : GSPI_INTERVALS_LISTS;
    uint64_t const blocks = all / (GSPI_INTERVALS_BLOCK / 2u) + lists;
    c->blocks =
        (gspi_intervals_block *)gspi_intervals_push(b, blocks, sizeof(gspi_intervals_block), 1);
    c->spots =
        (gspi_intervals_spot *)gspi_intervals_push(b, 2u * all, sizeof(gspi_intervals_spot), 1);
    c->lists = (gspi_intervals_list *)gspi_intervals_push(
        b, GSPI_INTERVALS_LISTS, sizeof(gspi_intervals_list), 1);
    c->n_in = gspi_intervals_words(b, GSPI_INTERVALS_LISTS);
    c->order = gspi_intervals_keys(b, 2u * m);
}

static size_t gspi_intervals_size(uint64_t used)
{
    uint64_t const bytes = used + 2u * (uint64_t)GSP_BOUND_SLACK;
    return GSPI_INTERVALS_NEVER(used >= SIZE_MAX - 2u * GSP_BOUND_SLACK) ? SIZE_MAX : (size_t)bytes;
}

size_t gsp_intervals_peak_bound(uint32_t n_tensors)
{
    gspi_intervals_bump b = {NULL, 0};
    (void)gspi_intervals_keys(&b, 2u * (uint64_t)n_tensors);
    return n_tensors < GSP_NONE / 2u ? gspi_intervals_size(b.used) : SIZE_MAX;
}

/* The workspace, the list, and after them what first fit needs. */
static uint64_t gspi_intervals_used(const gsp_intervals_desc *d, uint64_t *crowd)
{
    gspi_intervals_bump b = {NULL, 0};
    gspi_intervals_bump after = {NULL, 0};
    gspi_intervals w;
    (void)gspi_intervals_push(&b, 1, sizeof(gspi_intervals), 1);
    gspi_intervals_layout(&b, &w, d);
    gspi_intervals_crowd_layout(&after, &w.crowd, gspi_intervals_entries(d));
    *crowd = after.used;
    return b.used;
}

/* The bytes of a call whose searches need `more`; SIZE_MAX with too many entries. */
static size_t gspi_intervals_need(const gsp_intervals_desc *d, uint64_t searches)
{
    uint64_t crowd;
    uint64_t const used = gspi_intervals_used(d, &crowd);
    int const any = searches < SIZE_MAX && gspi_intervals_entries(d) < GSP_NONE / 2u;
    return any ? gspi_intervals_size(used + (crowd > searches ? crowd : searches)) : SIZE_MAX;
}

static uint64_t gspi_intervals_pack_bound(const gsp_intervals_desc *d)
{
    uint64_t const m = gspi_intervals_entries(d);
    return m < GSP_NONE / 2u ? gsp_memory_pack_bound((uint32_t)m, NULL) : SIZE_MAX;
}

size_t gsp_intervals_fit_bound(const gsp_intervals_desc *desc)
{
    return desc == NULL ? SIZE_MAX : gspi_intervals_need(desc, 0);
}

size_t gsp_intervals_bound(const gsp_intervals_desc *desc)
{
    return desc == NULL ? SIZE_MAX : gspi_intervals_need(desc, gspi_intervals_pack_bound(desc));
}

/* ---- Sorting ---- */

static int gspi_intervals_less(gspi_intervals_key a, gspi_intervals_key b)
{
    return a.key != b.key ? a.key < b.key : a.id < b.id;
}

static void gspi_intervals_sift(
    gspi_intervals_key *heap, uint32_t root, uint32_t n, gspi_intervals_key key)
{
    while (root < n / 2u) {
        uint32_t child = 2u * root + 1u;
        child += child + 1u < n && gspi_intervals_less(heap[child], heap[child + 1u]) ? 1u : 0u;
        if (!gspi_intervals_less(key, heap[child])) {
            break;
        }
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = key;
}

/* Heapsort. */
static void gspi_intervals_sort(gspi_intervals_key *heap, uint32_t n)
{
    for (uint32_t i = n / 2u; i > 0u; i--) {
        gspi_intervals_sift(heap, i - 1u, n, heap[i - 1u]);
    }
    for (uint32_t i = n; i > 1u; i--) {
        gspi_intervals_key const last = heap[i - 1u];
        heap[i - 1u] = heap[0];
        gspi_intervals_sift(heap, 0, i - 1u, last);
    }
}

/* ---- The peak ---- */

/* The peak of n entries, without those after the last step; keys: [2 * n]. */
GSPI_INTERVALS_OWN_FRAME gsp_intervals_peak gspi_intervals_peak_of(
    const gsp_tensor *list, uint32_t n, uint32_t last, gspi_intervals_key *keys)
{
    gsp_intervals_peak peak = {0, 0};
    uint64_t live = 0;
    uint32_t n_keys = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (list[i].begin <= last) { /* at a step, what ended before is gone first */
            gspi_intervals_key const begin = {2u * (uint64_t)list[i].begin + 1u, i};
            gspi_intervals_key const end = {2u * (uint64_t)list[i].end + 2u, i};
            keys[n_keys++] = begin;
            keys[n_keys++] = end;
        }
    }
    gspi_intervals_sort(keys, n_keys);
    for (uint32_t k = 0; k < n_keys; k++) {
        uint64_t const bytes = list[keys[k].id].bytes;
        live = keys[k].key % 2u != 0u ? live + bytes : live - bytes;
        if (live > peak.bytes) {
            peak.bytes = live;
            peak.step = (uint32_t)(keys[k].key / 2u);
        }
    }
    return peak;
}

static gsp_status gspi_intervals_tensor(
    const gsp_tensor *t, uint32_t i, uint64_t *sum, uint64_t more, gsp_error *err)
{
    if (t->begin > t->end) {
        return gspi_intervals_fail(
            err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, i, GSP_NONE, GSPI_INTERVALS_FIELD("begin"));
    }
    if (more > GSPI_INTERVALS_MOST || t->bytes > GSPI_INTERVALS_MOST - more ||
        t->bytes + more > GSPI_INTERVALS_MOST - *sum) {
        return gspi_intervals_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, i, GSP_NONE, "");
    }
    *sum += t->bytes + more;
    return GSP_OK;
}

gsp_status gsp_intervals_peak_run(gsp_arena *arena, const gsp_tensor *tensors, uint32_t n_tensors,
    gsp_intervals_peak *result, gsp_error *err)
{
    gsp_status status = GSP_OK;
    uint64_t sum = 0;
    if (arena == NULL || result == NULL || (n_tensors > 0u && tensors == NULL)) {
        const char *field = result == NULL ? GSPI_INTERVALS_FIELD("result")
                                           : GSPI_INTERVALS_FIELD("tensors\0n_tensors");
        return gspi_intervals_lacks(err, arena == NULL ? GSPI_INTERVALS_FIELD("arena") : field);
    }
    for (uint32_t i = 0; i < n_tensors && status == GSP_OK; i++) {
        status = gspi_intervals_tensor(&tensors[i], i, &sum, 0, err);
    }
    status = status == GSP_OK ? gspi_intervals_room(arena, gsp_intervals_peak_bound(n_tensors), err)
                              : status;
    if (status == GSP_OK) {
        gsp_mark const mark = gsp_arena_mark(arena);
        gspi_intervals_bump b = {arena, 0};
        gspi_intervals_key *keys = gspi_intervals_keys(&b, 2u * (uint64_t)n_tensors);
        *result = gspi_intervals_peak_of(tensors, n_tensors, UINT32_MAX, keys);
        gsp_arena_rewind(arena, mark);
    }
    return status;
}

/* ---- What is given ---- */

static int gspi_intervals_resumes(const gsp_intervals_desc *d, uint32_t i)
{
    return d->resumed != NULL && d->resumed[i] != 0u;
}

static uint32_t gspi_intervals_fixed(const gsp_intervals_desc *d, uint32_t i)
{
    return d->fixed != NULL && !gspi_intervals_resumes(d, i) ? d->fixed[i] : 0u;
}

static uint32_t gspi_intervals_align(const gsp_intervals_desc *d, uint32_t i)
{
    uint32_t const align = d->align != 0u ? d->align : (uint32_t)GSP_ALIGN;
    return d->aligns != NULL ? d->aligns[i] : align;
}

/* The field that is missing, or NULL. */
static const char *gspi_intervals_missing(const gsp_intervals_desc *d)
{
    return d->n_tensors != 0u && d->tensors == NULL ? GSPI_INTERVALS_FIELD("tensors\0n_tensors")
           : d->n_together != 0u && d->together == NULL
               ? GSPI_INTERVALS_FIELD("together\0n_together")
           : d->n_apart != 0u && d->apart == NULL ? GSPI_INTERVALS_FIELD("apart\0n_apart")
                                                  : NULL;
}

GSPI_INTERVALS_OWN_FRAME gsp_status gspi_intervals_tensors(
    const gsp_intervals_desc *d, uint32_t *last, gsp_error *err)
{
    gsp_status status = GSP_OK;
    uint64_t sum = 0;
    *last = 0;
    for (uint32_t i = 0; i < d->n_tensors && status == GSP_OK; i++) {
        const gsp_tensor *t = &d->tensors[i];
        uint32_t const align = gspi_intervals_align(d, i);
        uint64_t const offset = gspi_intervals_fixed(d, i) != 0u ? t->offset : 0u;
        int const again = gspi_intervals_resumes(d, i);
        if (align == 0u || (align & (align - 1u)) != 0u) {
            return gspi_intervals_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NUMBER, i, GSP_NONE, "");
        }
        if (again && (i == 0u || t[-1].end >= t->begin || t[-1].bytes != t->bytes)) {
            return gspi_intervals_fail(err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, i, GSP_NONE,
                GSPI_INTERVALS_FIELD("resumed"));
        }
        status =
            offset > GSPI_INTERVALS_MOST
                ? gspi_intervals_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, i, GSP_NONE, "")
                : gspi_intervals_tensor(t, i, &sum, offset + align, err);
        *last = t->end > *last ? t->end : *last;
    }
    return status;
}

static gsp_status gspi_intervals_pairs(const gsp_intervals_desc *d, const uint32_t *pairs,
    uint32_t n, const char *field, gsp_error *err)
{
    for (uint64_t k = 0; k < 2u * (uint64_t)n; k++) {
        if (pairs[k] >= d->n_tensors) {
            return gspi_intervals_fail(
                err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, pairs[k], GSP_NONE, field);
        }
    }
    return GSP_OK;
}

GSPI_INTERVALS_OWN_FRAME gsp_status gspi_intervals_given(
    const gsp_intervals_desc *d, uint32_t *last, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_intervals_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE, GSP_NONE, "");
    }
    const char *field = gspi_intervals_missing(d);
    if (field != NULL) {
        return gspi_intervals_lacks(err, field);
    }
    gsp_status status = gspi_intervals_tensors(d, last, err);
    status = status == GSP_OK ? gspi_intervals_pairs(d, d->together, d->n_together,
                                    GSPI_INTERVALS_FIELD("together"), err)
                              : status;
    status = status == GSP_OK
                 ? gspi_intervals_pairs(d, d->apart, d->n_apart, GSPI_INTERVALS_FIELD("apart"), err)
                 : status;
    if (status == GSP_OK && d->n_apart >= UINT32_MAX - *last && d->n_apart != 0u) {
        status = gspi_intervals_fail(
            err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE, GSP_NONE, "");
    }
    return status;
}

/* ---- The list ---- */

/* The first tensor of an address. */
static uint32_t gspi_intervals_first(const gspi_intervals *w, uint32_t i)
{
    return w->first[w->first[i]];
}

/* Makes one address of two; the larger set keeps its own. */
static void gspi_intervals_join(gspi_intervals *w, uint32_t a, uint32_t b)
{
    uint32_t const keep = w->size[a] >= w->size[b] ? a : b;
    uint32_t const drop = keep == a ? b : a;
    uint32_t i = drop;
    do {
        w->first[i] = keep;
        i = w->next[i];
    } while (i != drop);
    i = w->next[keep];
    w->next[keep] = w->next[drop];
    w->next[drop] = i;
    w->size[keep] += w->size[drop];
}

/* Finds the first tensor of each address. */
GSPI_INTERVALS_OWN_FRAME void gspi_intervals_addresses(gspi_intervals *w)
{
    const gsp_intervals_desc *d = w->d;
    for (uint32_t i = 0; i < d->n_tensors; i++) {
        w->first[i] = gspi_intervals_resumes(d, i) ? w->first[i - 1u] : i;
        w->next[i] = i;
        w->size[i] = 1;
    }
    for (uint32_t k = 0; k < d->n_together; k++) {
        uint32_t const a = gspi_intervals_first(w, d->together[2u * (size_t)k]);
        uint32_t const b = gspi_intervals_first(w, d->together[2u * (size_t)k + 1u]);
        if (a != b) {
            gspi_intervals_join(w, a, b);
        }
    }
    for (uint32_t i = 0; i < d->n_tensors; i++) {
        uint32_t k = i;
        while (w->first[k] > i) { /* the first of its ring that is met */
            w->first[k] = i;
            k = w->next[k];
        }
    }
}

/* Sorts the pairs that are apart by the first tensors of their addresses. */
static gsp_status gspi_intervals_sides(gspi_intervals *w)
{
    const gsp_intervals_desc *d = w->d;
    for (uint32_t k = 0; k < d->n_apart; k++) {
        const uint32_t *pair = &d->apart[2u * (size_t)k];
        for (uint32_t i = 0; i < 2u; i++) {
            gspi_intervals_key const side = {gspi_intervals_first(w, pair[i]), k};
            w->sides[2u * k + i] = side;
        }
        if (w->sides[2u * k].key == w->sides[2u * k + 1u].key) {
            return gspi_intervals_fail(w->err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, pair[0], pair[1],
                GSPI_INTERVALS_FIELD("apart"));
        }
    }
    gspi_intervals_sort(w->sides, 2u * d->n_apart);
    return GSP_OK;
}

/* Lists the intervals of all tensors of an address by their begin, and returns how many. The next
 * entry gets their largest size and alignment, and the offset of the fixed ones. */
static uint32_t gspi_intervals_collect(gspi_intervals *w, uint32_t first, gsp_status *status)
{
    const gsp_intervals_desc *d = w->d;
    gsp_tensor *to = &w->list[w->n];
    uint32_t n = 0;
    uint32_t i = first;
    to->bytes = to->offset = 0;
    to->scratch = GSP_NONE;
    w->aligns[w->n] = 1;
    w->fixed[w->n] = 0;
    do {
        uint32_t const align = gspi_intervals_align(d, i);
        uint32_t const fixed = gspi_intervals_fixed(d, i);
        uint32_t k = i;
        do {
            gspi_intervals_key const key = {d->tensors[k].begin, k};
            w->crowd.order[n++] = key;
        } while (++k < d->n_tensors && gspi_intervals_resumes(d, k));
        to->bytes = d->tensors[i].bytes > to->bytes ? d->tensors[i].bytes : to->bytes;
        w->aligns[w->n] = align > w->aligns[w->n] ? align : w->aligns[w->n];
        if (fixed != 0u && to->scratch != GSP_NONE && to->offset != d->tensors[i].offset) {
            *status = gspi_intervals_fail(w->err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, to->scratch, i,
                GSPI_INTERVALS_FIELD("fixed"));
        } else if (fixed != 0u) {
            to->offset = d->tensors[i].offset;
            to->scratch = i;
            w->fixed[w->n] = fixed > w->fixed[w->n] ? fixed : w->fixed[w->n];
        }
        i = w->next[i];
    } while (i != first);
    to->scratch = to->scratch == GSP_NONE ? first : to->scratch;
    gspi_intervals_sort(w->crowd.order, n);
    return n;
}

/* Adds another interval of the last entry. */
static void gspi_intervals_again(gspi_intervals *w, uint32_t begin, uint32_t end)
{
    w->list[w->n] = w->list[w->n - 1u];
    w->list[w->n].begin = begin;
    w->list[w->n].end = end;
    w->aligns[w->n] = w->aligns[w->n - 1u];
    w->fixed[w->n] = 0;
    w->resumed[w->n++] = 1;
}

/* Appends the entries of an address: intervals that touch are one. */
static gsp_status gspi_intervals_append(gspi_intervals *w, uint32_t first)
{
    gsp_status status = GSP_OK;
    const gspi_intervals_key *order = w->crowd.order;
    uint32_t const n = gspi_intervals_collect(w, first, &status);
    uint32_t const at = w->n++;
    w->size[first] = at;
    w->resumed[at] = 0;
    w->list[at].node = first;
    w->list[at].begin = (uint32_t)order[0].key;
    w->list[at].end = w->d->tensors[order[0].id].end;
    for (uint32_t k = 1; k < n; k++) {
        gsp_tensor *last = &w->list[w->n - 1u];
        uint32_t const begin = (uint32_t)order[k].key;
        uint32_t const end = w->d->tensors[order[k].id].end;
        if (begin > last->end && begin - last->end > 1u) {
            gspi_intervals_again(w, begin, end);
        } else {
            last->end = end > last->end ? end : last->end;
        }
    }
    for (; w->side < 2u * w->d->n_apart && w->sides[w->side].key == first; w->side++) {
        uint32_t const step = w->end + 1u + w->sides[w->side].id;
        gspi_intervals_again(w, step, step);
    }
    return status;
}

/* Makes the list of all entries. */
GSPI_INTERVALS_OWN_FRAME gsp_status gspi_intervals_read(gspi_intervals *w)
{
    gspi_intervals_addresses(w);
    gsp_status status = gspi_intervals_sides(w);
    for (uint32_t i = 0; i < w->d->n_tensors && status == GSP_OK; i++) {
        status = w->first[i] == i ? gspi_intervals_append(w, i) : GSP_OK;
    }
    return status;
}

/* ---- Placed entries ---- */

static gspi_intervals_range gspi_intervals_slices(
    const gspi_intervals_crowd *c, const gsp_tensor *t)
{
    gspi_intervals_range r;
    r.first = (uint32_t)((uint64_t)t->begin * GSPI_INTERVALS_SLICES / c->n_steps);
    r.last = (uint32_t)((uint64_t)t->end * GSPI_INTERVALS_SLICES / c->n_steps);
    return r;
}

/* The lists that an entry is in, beside that of all. */
static gspi_intervals_range gspi_intervals_lists_of(
    const gspi_intervals_crowd *c, const gsp_tensor *t)
{
    gspi_intervals_range r = gspi_intervals_slices(c, t);
    if (r.last - r.first >= GSPI_INTERVALS_FEW) {
        r.first = r.last = GSPI_INTERVALS_OF_MANY;
    }
    return r;
}

/* Counts what comes into each list. */
static void gspi_intervals_count(gspi_intervals *w)
{
    gspi_intervals_crowd *c = &w->crowd;
    for (uint32_t l = 0; l < GSPI_INTERVALS_LISTS; l++) {
        c->n_in[l] = 0;
    }
    for (uint32_t i = 0; i < w->n; i++) {
        gspi_intervals_range const r = gspi_intervals_lists_of(c, &w->list[i]);
        for (uint32_t l = r.first; l <= r.last; l++) {
            c->n_in[l]++;
        }
        c->n_in[GSPI_INTERVALS_OF_ALL]++;
    }
}

/* Gives each list the blocks and the places that it needs at most. */
GSPI_INTERVALS_OWN_FRAME void gspi_intervals_crowd_open(gspi_intervals *w)
{
    gspi_intervals_crowd *c = &w->crowd;
    gspi_intervals_block *blocks = c->blocks;
    gspi_intervals_spot *spots = c->spots;
    c->n_steps = 1;
    c->looks = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        uint64_t const steps = (uint64_t)w->list[i].end + 1u;
        c->n_steps = steps > c->n_steps ? steps : c->n_steps;
    }
    gspi_intervals_count(w);
    for (uint32_t l = 0; l < GSPI_INTERVALS_LISTS; l++) {
        uint32_t const n_in = c->n_in[l];
        uint32_t const n = gspi_intervals_blocks(n_in);
        gspi_intervals_list const none = {blocks, spots, 0, 0, 0, 0};
        c->lists[l] = none;
        blocks += n;
        spots += n_in < GSPI_INTERVALS_BLOCK ? n_in : (size_t)n * GSPI_INTERVALS_BLOCK;
    }
}

static uint64_t gspi_intervals_aligned(uint64_t offset, uint64_t align)
{
    return (offset + align - 1u) & ~(align - 1u);
}

static uint64_t gspi_intervals_top(const gsp_tensor *t)
{
    return t->offset + t->bytes;
}

/* What a search looks for, and how far it is. */
typedef struct gspi_intervals_find {
    const gsp_tensor *t;
    uint64_t align;
    uint64_t offset;
} gspi_intervals_find;

/* Moves an offset past an entry that is in the way. */
static void gspi_intervals_pass(const gspi_intervals_spot *o, gspi_intervals_find *f)
{
    if (o->top > f->offset && o->begin <= f->t->end && f->t->begin <= o->end) {
        f->offset = gspi_intervals_aligned(o->top, f->align);
    }
}

/* Moves an offset past all entries of a list that are in the way. */
static void gspi_intervals_pass_list(
    gspi_intervals_crowd *c, gspi_intervals_list *list, gspi_intervals_find *f)
{
    const gsp_tensor *t = f->t;
    for (; list->block < list->n; list->block++, list->entry = 0) {
        const gspi_intervals_block *b = &list->blocks[list->block];
        int const clear = b->top <= f->offset || b->first_begin > t->end || b->last_end < t->begin;
        int const wall = b->last_begin <= t->end && t->begin <= b->first_end && b->gap < t->bytes;
        c->looks++;
        if (list->entry == 0u && wall && b->lowest < f->offset + t->bytes) {
            gspi_intervals_pass(&b->at[b->highest], f);
            continue;
        }
        for (; !clear && list->entry < b->n; list->entry++, c->looks++) {
            const gspi_intervals_spot *o = &b->at[list->entry];
            if (o->offset >= f->offset + t->bytes) {
                return;
            }
            gspi_intervals_pass(o, f);
        }
    }
}

/* Finds the lowest offset, a multiple of `align`, from f->offset on. */
GSPI_INTERVALS_OWN_FRAME void gspi_intervals_search(gspi_intervals *w, gspi_intervals_find *f)
{
    gspi_intervals_crowd *c = &w->crowd;
    gspi_intervals_range const r = gspi_intervals_slices(c, f->t);
    int const of_all = r.last - r.first >= GSPI_INTERVALS_MANY;
    uint32_t const n = of_all ? 1u : r.last - r.first + 2u;
    uint32_t calm = 0; /* lists in a row with nothing in the way */
    uint32_t i = 0;
    f->offset = gspi_intervals_aligned(f->offset, f->align);
    for (uint32_t l = 0; l < GSPI_INTERVALS_LISTS; l++) {
        c->lists[l].block = c->lists[l].entry = 0;
    }
    while (calm < n) {
        uint64_t const before = f->offset;
        uint32_t const own = i == 0u ? GSPI_INTERVALS_OF_MANY : r.first + i - 1u;
        gspi_intervals_pass_list(c, &c->lists[of_all ? GSPI_INTERVALS_OF_ALL : own], f);
        calm = before == f->offset ? calm + 1u : 1u;
        i = i + 1u < n ? i + 1u : 0u;
    }
}

/* Moves an offset above all entries of the same slices, without a search. */
static void gspi_intervals_above(const gspi_intervals *w, gspi_intervals_find *f)
{
    const gspi_intervals_crowd *c = &w->crowd;
    gspi_intervals_range const r = gspi_intervals_slices(c, f->t);
    uint64_t top = c->lists[GSPI_INTERVALS_OF_MANY].top;
    for (uint32_t l = r.first; l <= r.last; l++) {
        top = c->lists[l].top > top ? c->lists[l].top : top;
    }
    f->offset = gspi_intervals_aligned(top > f->offset ? top : f->offset, f->align);
}

/* Says anew what a search needs of a block. */
static void gspi_intervals_measure(gspi_intervals_block *b)
{
    const gspi_intervals_spot *o = &b->at[0];
    b->lowest = o->offset;
    b->top = o->top;
    b->highest = 0;
    b->first_begin = b->last_begin = o->begin;
    b->first_end = b->last_end = o->end;
    b->gap = 0;
    for (uint32_t i = 1; i < b->n; i++) {
        o = &b->at[i];
        uint64_t const gap = o->offset > b->top ? o->offset - b->top : 0u;
        b->gap = gap > b->gap ? gap : b->gap;
        b->first_begin = o->begin < b->first_begin ? o->begin : b->first_begin;
        b->last_begin = o->begin > b->last_begin ? o->begin : b->last_begin;
        b->first_end = o->end < b->first_end ? o->end : b->first_end;
        b->last_end = o->end > b->last_end ? o->end : b->last_end;
        b->highest = o->top > b->top ? i : b->highest;
        b->top = o->top > b->top ? o->top : b->top;
    }
}

/* Opens an empty block at a place of a list. */
static void gspi_intervals_open_block(gspi_intervals_list *list, uint32_t at)
{
    gspi_intervals_spot *spots = &list->spots[(size_t)list->n * GSPI_INTERVALS_BLOCK];
    for (uint32_t k = list->n++; k > at; k--) {
        list->blocks[k] = list->blocks[k - 1u];
    }
    list->blocks[at].n = 0;
    list->blocks[at].at = spots;
}

/* Moves the upper half of a full block into one of its own. */
static void gspi_intervals_halve(gspi_intervals_list *list, uint32_t at)
{
    gspi_intervals_open_block(list, at + 1u);
    gspi_intervals_block *b = &list->blocks[at];
    b->n = GSPI_INTERVALS_BLOCK / 2u;
    for (uint32_t k = b->n; k < GSPI_INTERVALS_BLOCK; k++) {
        b[1].at[b[1].n++] = b->at[k];
    }
    gspi_intervals_measure(b);
    gspi_intervals_measure(b + 1);
}

/* The block that takes an entry of this offset, with room for it. */
static gspi_intervals_block *gspi_intervals_block_for(gspi_intervals_list *list, uint64_t offset)
{
    uint32_t low = 0;
    uint32_t high = list->n;
    while (low < high) {
        uint32_t const middle = low + (high - low) / 2u;
        if (list->blocks[middle].lowest <= offset) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    low -= low != 0u ? 1u : 0u;
    if (list->n == 0u) {
        gspi_intervals_open_block(list, 0);
    } else if (list->blocks[low].n == GSPI_INTERVALS_BLOCK) {
        gspi_intervals_halve(list, low);
        low += list->blocks[low + 1u].lowest <= offset ? 1u : 0u;
    }
    return &list->blocks[low];
}

static void gspi_intervals_insert(gspi_intervals_list *list, const gsp_tensor *t)
{
    gspi_intervals_spot const spot = {t->offset, gspi_intervals_top(t), t->begin, t->end};
    gspi_intervals_block *b = gspi_intervals_block_for(list, spot.offset);
    uint32_t at = b->n++;
    while (at > 0u && b->at[at - 1u].offset > spot.offset) {
        b->at[at] = b->at[at - 1u];
        at--;
    }
    b->at[at] = spot;
    gspi_intervals_measure(b);
    list->top = spot.top > list->top ? spot.top : list->top;
}

/* ---- First fit ---- */

/* The entry that resumes this one, or the end of the list. */
static uint32_t gspi_intervals_next(const gspi_intervals *w, uint32_t i)
{
    return i + 1u < w->n && w->resumed[i + 1u] != 0u ? i + 1u : w->n;
}

/* The first offset at which all entries of a tensor are free. */
static uint64_t gspi_intervals_offset(gspi_intervals *w, uint32_t id)
{
    uint64_t const align = w->fixed[id] != 0u ? 1u : w->aligns[id];
    gspi_intervals_find f = {&w->list[id], align, w->list[id].offset};
    uint64_t before = f.offset + 1u;
    while (f.offset != before && f.t->bytes != 0u) {
        before = f.offset;
        for (uint32_t i = id; i < w->n; i = gspi_intervals_next(w, i)) {
            f.t = &w->list[i];
            if (w->fixed[id] != 0u || w->crowd.looks < w->crowd.most) {
                gspi_intervals_search(w, &f);
            } else {
                gspi_intervals_above(w, &f);
            }
        }
    }
    return f.offset;
}

/* Refuses a fixed tensor, and names the one that it overlaps. */
static gsp_status gspi_intervals_clash(const gspi_intervals *w, uint32_t id)
{
    uint32_t other = 0;
    for (uint32_t i = id; i < w->n; i = gspi_intervals_next(w, i)) {
        const gsp_tensor *t = &w->list[i];
        for (uint32_t k = 0; k < w->n; k++) {
            const gsp_tensor *o = &w->list[k];
            int const fixed = w->fixed[w->size[o->node]] == GSP_INTERVALS_FIXED;
            if (fixed && o->node != t->node && o->begin <= t->end && t->begin <= o->end &&
                o->offset < gspi_intervals_top(t) && t->offset < gspi_intervals_top(o)) {
                other = o->scratch;
            }
        }
    }
    return gspi_intervals_fail(
        w->err, GSP_STATUS_ARG, GSP_DETAIL_OVERLAP, w->list[id].scratch, other, "");
}

/* Places a tensor at the first offset at which all its entries are free. */
static gsp_status gspi_intervals_place(gspi_intervals *w, uint32_t id)
{
    gspi_intervals_crowd *c = &w->crowd;
    uint64_t const given = w->list[id].offset;
    uint64_t const offset =
        w->fixed[id] != GSP_INTERVALS_SHARED ? gspi_intervals_offset(w, id) : given;
    if (w->fixed[id] != 0u && offset != given) {
        return gspi_intervals_clash(w, id);
    }
    for (uint32_t i = id; i < w->n; i = gspi_intervals_next(w, i)) {
        gsp_tensor *t = &w->list[i];
        gspi_intervals_range const r = gspi_intervals_lists_of(c, t);
        t->offset = offset;
        for (uint32_t l = r.first; l <= r.last && t->bytes != 0u; l++) {
            gspi_intervals_insert(&c->lists[l], t);
        }
        if (t->bytes != 0u) {
            gspi_intervals_insert(&c->lists[GSPI_INTERVALS_OF_ALL], t);
        }
    }
    return GSP_OK;
}

/* Places fixed tensors, then all others by falling size. *bytes: the size of the arena. */
GSPI_INTERVALS_OWN_FRAME gsp_status gspi_intervals_place_all(gspi_intervals *w, uint64_t *bytes)
{
    gspi_intervals_key *order = w->crowd.order;
    gsp_status status = GSP_OK;
    uint32_t n = 0;
    gspi_intervals_crowd_open(w);
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->resumed[i] == 0u) {
            uint64_t const size = ~w->list[i].bytes;
            gspi_intervals_key const key = {w->fixed[i] != 0u ? w->fixed[i] : size, i};
            order[n++] = key;
        }
    }
    gspi_intervals_sort(order, n);
    *bytes = 0;
    for (uint32_t k = 0; k < n && status == GSP_OK; k++) {
        const gsp_tensor *t = &w->list[order[k].id];
        status = gspi_intervals_place(w, order[k].id);
        if (t->bytes != 0u && gspi_intervals_top(t) > *bytes) {
            *bytes = gspi_intervals_top(t);
        }
    }
    return status;
}

/* Gives the tensors the offsets of their addresses. */
static uint64_t *gspi_intervals_give(const gspi_intervals *w)
{
    uint64_t *offsets = (uint64_t *)w->kept;
    for (uint32_t i = 0; i < w->d->n_tensors; i++) {
        offsets[i] = w->list[w->size[gspi_intervals_first(w, i)]].offset;
    }
    return offsets;
}

/* ---- Calls ---- */

/* Makes a workspace with the list of all entries. */
GSPI_INTERVALS_OWN_FRAME gsp_status gspi_intervals_open(gspi_intervals **made, gsp_arena *arena,
    const gsp_intervals_desc *d, uint32_t last, gsp_error *err)
{
    gspi_intervals_bump b = {arena, 0};
    gspi_intervals *w = (gspi_intervals *)gspi_intervals_push(&b, 1, sizeof(gspi_intervals), 1);
    gsp_memory_pack_desc const pack = {0u, 0u, NULL, NULL, 0u, 0u, NULL, NULL, NULL, 0u};
    gspi_intervals_layout(&b, w, d);
    w->d = d;
    w->arena = arena;
    w->err = err;
    w->n = w->side = 0;
    w->end = last;
    w->pack = pack;
    w->pack.aligns = w->aligns;
    w->pack.fixed = w->fixed;
    w->pack.resumed = w->resumed;
    w->pack.capacity = d->capacity;
    w->pack.max_work = d->max_work;
    w->pack.progress = d->progress;
    w->pack.progress_user = d->progress_user;
    w->mark = gsp_arena_mark(arena);
    *made = w;
    gspi_intervals_crowd_layout(&b, &w->crowd, gspi_intervals_entries(d));
    return gspi_intervals_read(w);
}

/* Checks what is given, and opens a workspace. */
GSPI_INTERVALS_OWN_FRAME gsp_status gspi_intervals_start(gspi_intervals **made, gsp_arena *arena,
    const gsp_intervals_desc *d, size_t bound, gsp_error *err)
{
    uint32_t last = 0;
    gsp_status status = gspi_intervals_given(d, &last, err);
    status = status == GSP_OK ? gspi_intervals_room(arena, bound, err) : status;
    return status == GSP_OK ? gspi_intervals_open(made, arena, d, last, err) : status;
}

/* Rewinds the arena. After success the result stays. */
static gsp_status gspi_intervals_close(
    gsp_arena *arena, gsp_mark before, const gspi_intervals *w, gsp_status status)
{
    gsp_mark mark = before;
    mark.low = status == GSP_OK ? w->mark.low : before.low;
    gsp_arena_rewind(arena, mark);
    return status;
}

static const char *gspi_intervals_null(
    const gsp_arena *arena, const gsp_intervals_desc *desc, const void *result)
{
    return arena == NULL    ? GSPI_INTERVALS_FIELD("arena")
           : desc == NULL   ? GSPI_INTERVALS_FIELD("desc")
           : result == NULL ? GSPI_INTERVALS_FIELD("result")
                            : NULL;
}

gsp_status gsp_intervals_fit_run(
    gsp_arena *arena, const gsp_intervals_desc *desc, gsp_intervals_fit *result, gsp_error *err)
{
    const char *field = gspi_intervals_null(arena, desc, result);
    gspi_intervals *w = NULL;
    if (field != NULL) {
        return gspi_intervals_lacks(err, field);
    }
    gsp_mark const mark = gsp_arena_mark(arena);
    gsp_status status = gspi_intervals_start(&w, arena, desc, gsp_intervals_fit_bound(desc), err);
    if (status == GSP_OK) {
        w->crowd.most = desc->max_work != 0u ? desc->max_work : GSP_INTERVALS_LOOKS;
        status = gspi_intervals_place_all(w, &result->bytes);
    }
    if (status == GSP_OK) {
        result->offsets = gspi_intervals_give(w);
    }
    return gspi_intervals_close(arena, mark, w, status);
}

/* Fixed tensors may not overlap here. */
static void gspi_intervals_unshare(gspi_intervals *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        w->fixed[i] = w->fixed[i] != 0u ? GSP_INTERVALS_FIXED : 0u;
    }
}

/* The work of a search by default: a unit takes longer where tensors live for many steps. */
static uint64_t gspi_intervals_work(const gspi_intervals *w)
{
    uint64_t work = w->n > 256u ? ((uint64_t)1u << 34u) / w->n : GSP_INTERVALS_WORK;
    uint64_t steps = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        steps += (uint64_t)(w->list[i].end - w->list[i].begin) + 1u;
    }
    if (w->n > GSPI_INTERVALS_LONG && steps / GSPI_INTERVALS_LONG > w->n) {
        uint64_t const each = steps / w->n < w->n ? steps / w->n : w->n;
        work = work / each * GSPI_INTERVALS_LONG;
    }
    return w->d->max_work != 0u ? w->d->max_work : work;
}

/* What comes before a search: the plan by first fit, the peak, and the work that it may take. */
GSPI_INTERVALS_OWN_FRAME gsp_status gspi_intervals_prepare(
    gspi_intervals *w, uint64_t *bytes, gsp_intervals_peak *peak)
{
    gspi_intervals_unshare(w);
    w->crowd.most = GSP_INTERVALS_LOOKS;
    w->pack.max_work = gspi_intervals_work(w);
    gsp_status const status = gspi_intervals_place_all(w, bytes);
    *peak = gspi_intervals_peak_of(w->list, w->n, w->end, w->crowd.order);
    gsp_arena_rewind(w->arena, w->mark);
    return status;
}

/* Searches a smaller plan. */
GSPI_INTERVALS_OWN_FRAME gsp_status gspi_intervals_pack(
    gspi_intervals *w, gsp_intervals_result *result)
{
    const gsp_memory_pack_result *found = &w->packed;
    gsp_status const status =
        gsp_memory_pack_run(w->arena, w->list, w->n, &w->pack, &w->packed, w->err);
    if (GSPI_INTERVALS_NEVER(status != GSP_OK)) {
        return status;
    }
    for (uint32_t i = 0; i < w->n; i++) {
        w->list[i].offset = found->offsets[i];
    }
    gsp_arena_rewind(w->arena, w->mark);
    result->offsets = gspi_intervals_give(w);
    result->bytes = found->bytes;
    result->lower_bound = found->lower_bound;
    result->work = found->work;
    result->stopped = found->stopped;
    return status;
}

gsp_status gsp_intervals_run(
    gsp_arena *arena, const gsp_intervals_desc *desc, gsp_intervals_result *result, gsp_error *err)
{
    const char *field = gspi_intervals_null(arena, desc, result);
    gspi_intervals *w = NULL;
    if (field != NULL) {
        return gspi_intervals_lacks(err, field);
    }
    gsp_mark const mark = gsp_arena_mark(arena);
    gsp_status status = gspi_intervals_start(&w, arena, desc, gsp_intervals_bound(desc), err);
    status = status == GSP_OK ? gspi_intervals_prepare(w, &result->fit, &result->peak) : status;
    status = status == GSP_OK ? gspi_intervals_pack(w, result) : status;
    return gspi_intervals_close(arena, mark, w, status);
}

/* ---- A capacity that is too small ---- */

/* What a search for few tensors needs. */
GSPI_INTERVALS_OWN_FRAME void gspi_intervals_set_layout(
    gspi_intervals_bump *b, gspi_intervals_set *s, uint64_t m)
{
    s->keys = gspi_intervals_keys(b, 2u * m);
    s->out = gspi_intervals_words(b, m);
    s->list = (gsp_tensor *)gspi_intervals_push(b, m, sizeof(gsp_tensor), 1);
    s->aligns = gspi_intervals_words(b, m);
    s->fixed = gspi_intervals_words(b, m);
    s->resumed = gspi_intervals_words(b, m);
}

size_t gsp_intervals_misfit_bound(const gsp_intervals_desc *desc)
{
    gspi_intervals_bump b = {NULL, 0};
    gspi_intervals_set s;
    if (desc == NULL) {
        return SIZE_MAX;
    }
    gspi_intervals_set_layout(&b, &s, gspi_intervals_entries(desc));
    uint64_t const pack = gspi_intervals_pack_bound(desc);
    return gspi_intervals_need(desc, pack < SIZE_MAX ? pack + b.used : SIZE_MAX);
}

/* Sorts the tensors of the set by rising bytes. */
static void gspi_intervals_set_sort(const gspi_intervals *w, gspi_intervals_set *s)
{
    for (uint32_t k = 0; k < s->n_keys; k++) {
        s->keys[k].key = w->list[s->keys[k].id].bytes;
    }
    gspi_intervals_sort(s->keys, s->n_keys);
}

/* The largest fixed tensor that ends above the capacity. */
static void gspi_intervals_too_high(const gspi_intervals *w, gspi_intervals_set *s)
{
    for (uint32_t i = 0; i < w->n; i++) {
        const gsp_tensor *t = &w->list[i];
        if (w->fixed[i] != 0u && t->bytes != 0u && gspi_intervals_top(t) > w->d->capacity &&
            (s->n_keys == 0u || t->bytes > w->list[s->keys[0].id].bytes)) {
            s->n_keys = 1;
            s->keys[0].id = i;
        }
    }
}

/* Tensors of the peak, without the smallest as long as they exceed the capacity. */
static void gspi_intervals_at_peak(const gspi_intervals *w, gspi_intervals_set *s)
{
    uint64_t bytes = s->r.peak.bytes;
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        const gsp_tensor *t = &w->list[i];
        if (t->bytes != 0u && t->begin <= s->r.peak.step && s->r.peak.step <= t->end) {
            s->keys[s->n_keys++].id = w->size[t->node]; /* its first entry */
        }
    }
    gspi_intervals_set_sort(w, s);
    while (bytes - s->keys[n].key > w->d->capacity) {
        bytes -= s->keys[n++].key;
    }
    s->n_keys -= n;
    for (uint32_t k = 0; k < s->n_keys; k++) {
        s->keys[k] = s->keys[k + n];
    }
}

/* Puts all entries of a tensor in or out. */
static void gspi_intervals_put(
    const gspi_intervals *w, gspi_intervals_set *s, uint32_t id, uint32_t out)
{
    for (uint32_t i = id; i < w->n; i = gspi_intervals_next(w, i)) {
        s->out[i] = out;
    }
}

static void gspi_intervals_select(const gspi_intervals *w, gspi_intervals_set *s)
{
    s->n = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        if (s->out[i] == 0u) {
            s->list[s->n] = w->list[i];
            s->aligns[s->n] = w->aligns[i];
            s->fixed[s->n] = w->fixed[i];
            s->resumed[s->n++] = w->resumed[i];
        }
    }
}

/* Whether a search proves that the set exceeds the capacity. With neither a proof nor a plan, the
 * result may not be minimal. */
GSPI_INTERVALS_OWN_FRAME int gspi_intervals_exceeds(
    gspi_intervals *w, gspi_intervals_set *s, uint64_t max_work)
{
    gsp_mark const mark = gsp_arena_mark(w->arena);
    gspi_intervals_select(w, s);
    w->pack.aligns = s->aligns;
    w->pack.fixed = s->fixed;
    w->pack.resumed = s->resumed;
    w->pack.max_work = max_work;
    gsp_status const status =
        gsp_memory_pack_run(w->arena, s->list, s->n, &w->pack, &w->packed, NULL);
    if (GSPI_INTERVALS_NEVER(status != GSP_OK)) {
        return 0;
    }
    gsp_arena_rewind(w->arena, mark);
    s->r.work += w->packed.work + s->n + (uint64_t)s->n * s->n / 32u; /* pairs, at most */
    if (w->packed.lower_bound <= w->d->capacity && w->packed.bytes > w->d->capacity) {
        s->r.minimal = 0;
    }
    return w->packed.lower_bound > w->d->capacity;
}

/* Leaves out the tensors that a proof does not need, the smallest first. */
GSPI_INTERVALS_OWN_FRAME void gspi_intervals_reduce(gspi_intervals *w, gspi_intervals_set *s)
{
    uint64_t const most = s->max_work;
    uint64_t const end = most < UINT64_MAX / 4u ? 3u * most : UINT64_MAX;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < s->n_keys; k++) {
        gspi_intervals_key const key = s->keys[k];
        gspi_intervals_put(w, s, key.id, 1);
        s->r.minimal = s->r.work < end ? s->r.minimal : 0u;
        if (s->r.work >= end || !gspi_intervals_exceeds(w, s, most / GSPI_INTERVALS_TRIES + 1u)) {
            gspi_intervals_put(w, s, key.id, 0);
            s->keys[kept++] = key;
        }
    }
    s->n_keys = kept;
}

/* Takes in the tensors of the set, and no others. */
static void gspi_intervals_only(const gspi_intervals *w, gspi_intervals_set *s)
{
    for (uint32_t i = 0; i < w->n; i++) {
        s->out[i] = 1;
    }
    for (uint32_t k = 0; k < s->n_keys; k++) {
        gspi_intervals_put(w, s, s->keys[k].id, 0);
    }
}

/* Whether the set fits without any one of its tensors, each above the one before. */
static int gspi_intervals_stacks(const gspi_intervals *w, const gspi_intervals_set *s)
{
    uint64_t least = UINT64_MAX;
    uint64_t sum = 0;
    uint32_t fixed = 0;
    for (uint32_t k = 0; k < s->n_keys; k++) {
        uint32_t const id = s->keys[k].id;
        uint64_t const bytes = gspi_intervals_aligned(w->list[id].bytes, w->aligns[id]);
        least = bytes < least ? bytes : least;
        sum += bytes;
        fixed |= w->fixed[id];
    }
    return fixed == 0u && sum - least <= w->d->capacity;
}

/* All tensors, if a search proves that they do not fit. */
GSPI_INTERVALS_OWN_FRAME void gspi_intervals_all(gspi_intervals *w, gspi_intervals_set *s)
{
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->resumed[i] == 0u && w->list[i].bytes != 0u) {
            s->keys[s->n_keys++].id = i;
        }
    }
    gspi_intervals_only(w, s);
    gspi_intervals_set_sort(w, s);
    s->n_keys = gspi_intervals_exceeds(w, s, s->max_work) ? s->n_keys : 0u;
}

/* Finds the set and describes it. */
GSPI_INTERVALS_OWN_FRAME void gspi_intervals_find_set(gspi_intervals *w, gspi_intervals_set *s)
{
    uint32_t n = 0;
    gspi_intervals_too_high(w, s);
    if (s->n_keys == 0u) {
        if (s->r.peak.bytes > w->d->capacity) {
            gspi_intervals_at_peak(w, s);
            gspi_intervals_only(w, s);
        } else {
            gspi_intervals_all(w, s);
        }
        if (s->n_keys != 0u && !gspi_intervals_stacks(w, s)) {
            gspi_intervals_reduce(w, s);
        }
    }
    for (uint32_t k = s->n_keys; k > 0u; k--) {
        s->tensors[n++] = w->list[s->keys[k - 1u].id].node;
    }
    gspi_intervals_only(w, s);
    gspi_intervals_select(w, s);
    s->r.n = n;
    s->r.tensors = s->tensors;
    s->r.peak = gspi_intervals_peak_of(s->list, s->n, w->end, s->keys);
}

/* Opens the set above the workspace. */
GSPI_INTERVALS_OWN_FRAME void gspi_intervals_set_open(gspi_intervals *w)
{
    gspi_intervals_bump b = {w->arena, 0};
    gspi_intervals_set *s = &w->set;
    gspi_intervals_set_layout(&b, s, gspi_intervals_entries(w->d));
    s->tensors = (uint32_t *)w->kept;
    s->n_keys = 0;
    s->max_work = w->pack.max_work;
    s->r.work = 0;
    s->r.minimal = 1;
}

gsp_status gsp_intervals_misfit_run(
    gsp_arena *arena, const gsp_intervals_desc *desc, gsp_intervals_misfit *result, gsp_error *err)
{
    const char *field = gspi_intervals_null(arena, desc, result);
    gspi_intervals *w = NULL;
    if (field != NULL) {
        return gspi_intervals_lacks(err, field);
    }
    gsp_mark const mark = gsp_arena_mark(arena);
    gsp_status status =
        gspi_intervals_start(&w, arena, desc, gsp_intervals_misfit_bound(desc), err);
    status =
        status == GSP_OK ? gspi_intervals_prepare(w, &w->packed.bytes, &w->set.r.peak) : status;
    if (status == GSP_OK) {
        gspi_intervals_set_open(w);
        gspi_intervals_find_set(w, &w->set);
        *result = w->set.r;
        result->minimal = result->n != 0u ? result->minimal : 0u;
    }
    return gspi_intervals_close(arena, mark, w, status);
}

#endif /* GSP_NO_MEMORY */

#ifdef __cplusplus
}
#endif

GSPI_INTERVALS_END

#endif /* GRAPHSPLIT_INTERVALS_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_INTERVALS_IMPLEMENTATION */
