/* graphsplit_compare.h - an add-on of graphsplit.h: two assignments of the same items compared
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Which parts of two splits are the same, what became of the others, and how many nodes moved.
 * Needs graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_COMPARE_IMPLEMENTATION
 *     #include "graphsplit_compare.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>compare            Two assignments of the same items compared
 *     >>impl               Implementation guard
 *
 *     gsp_compare_run      O(items + parts)    5 bytes per part; at work 16 per item, 8 per part
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_COMPARE_H_INCLUDED
#define GRAPHSPLIT_COMPARE_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_COMPARE_IMPLEMENTATION)
#error "graphsplit_compare: GRAPHSPLIT_STATIC needs GRAPHSPLIT_COMPARE_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>compare   Two assignments of the same items compared (API)
 * ---- */

/* What became of a part of one assignment in the other. */
typedef enum gsp_change {
    GSP_CHANGE_EMPTY,   /* shares no item with the other assignment */
    GSP_CHANGE_SAME,    /* one part of the same name */
    GSP_CHANGE_RENAMED, /* one part of another name */
    GSP_CHANGE_SPLIT,   /* several parts, which hold nothing else */
    GSP_CHANGE_MERGED,  /* with others one part */
    GSP_CHANGE_MIXED,   /* gave items away and received others, or kept only some */
    GSP_CHANGE_COUNT,
    GSP_CHANGE_FORCE_U32 = 0x7FFFFFFF
} gsp_change;

/* [2]: of the first and of the second assignment. */
typedef struct gsp_compare_desc {
    uint32_t start_canary;
    uint32_t n_items; /* nodes, or anything else that both assignments contain */
    uint32_t n_parts[2];
    const uint32_t *part_of[2]; /* [n_items] GSP_NONE if not in this assignment; required */
    const gsp_str *names[2];    /* [n_parts] or NULL; unless both are given, numbers are names */
    uint32_t end_canary;
} gsp_compare_desc;

/* All arrays are read-only. */
typedef struct gsp_compare_result {
    uint32_t n_agree;           /* items whose parts are partners */
    uint32_t n_moved;           /* items that are in both, but do not agree */
    uint32_t n_only[2];         /* items that are in one assignment only */
    const uint32_t *partner[2]; /* [n_parts] the part of the other assignment, or GSP_NONE */
    const uint8_t *change[2];   /* [n_parts] gsp_change of every part of both */
} gsp_compare_result;

/* gsp_compare_bound: bytes for the run; SIZE_MAX without a desc. Time: O(1). */
GSP_API size_t gsp_compare_bound(const gsp_compare_desc *desc);

/* gsp_compare_run: what changed from one assignment of items to parts to another one.
 *
 * What:    Partners are the parts that share most items, chosen greedily; of equals those of one
 *          name, then the first. Each part has one partner at most. With names or without, changes
 *          follow from the items that parts share; names tell SAME from RENAMED alone.
 * Errors:  ARG (NULL_ARGUMENT; RANGE: the part of item `node`), DESC (CANARY), OVERFLOW (TOO_MANY)
 * Time:    O(items + parts) by counting sorts, and two comparisons of names per pair of parts that
 *          share items
 * Memory:  the bound; partner and change stay
 * Example: examples/compare.c
 */
GSP_API gsp_status gsp_compare_run(
    gsp_arena *arena, const gsp_compare_desc *desc, gsp_compare_result *result, gsp_error *err);

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_COMPARE_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_COMPARE_IMPLEMENTATION
#ifndef GRAPHSPLIT_COMPARE_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_COMPARE_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_COMPARE_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_COMPARE_END _Pragma("GCC diagnostic pop")
#else
#define GSPI_COMPARE_BEGIN
#define GSPI_COMPARE_END
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_COMPARE_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>compare   Two assignments of the same items compared (implementation)
 * ---- */

/* Items sorted by both parts lie in runs, one per pair of parts that share items; the first item of
 * a run stands for the pair. The pairs, sorted by size, make partners; the number of pairs of a
 * part decides its change. */

typedef struct gspi_compare {
    const gsp_compare_desc *d;
    uint32_t *partner[2]; /* [n_parts] of the result, */
    uint8_t *change[2];   /* [n_parts] */
    uint32_t *n_pairs[2]; /* [n_parts] pairs of a part */
    uint32_t *count;      /* [n_items, or n_parts] of the values of a key, then their places */
    uint32_t *rank;   /* [n_items] of the item of a pair: items in both, less those of the pair */
    uint32_t *items;  /* [n_items] those in both, later those of pairs */
    uint32_t *sorted; /* [n_items] */
    uint32_t n_both;  /* items in both */
    uint32_t n;       /* pairs */
} gspi_compare;

/* A condition that no input makes, or one of gigabytes; `make cov` does not count it. */
#define GSPI_COMPARE_NEVER(x) (x)

/* Names the argument at fault; a second NUL, or the name of a count, follows. */
#ifdef GSP_NO_MESSAGES
#define GSPI_COMPARE_FIELD(text) ""
#else
#define GSPI_COMPARE_FIELD(text) text "\0"
#endif

static gsp_status gspi_compare_fail(
    gsp_error *err, gsp_status status, gsp_detail detail, uint32_t item, const char *field)
{
    if (err != NULL) {
        uint32_t const what = item == GSP_NONE ? GSP_WHAT_NONE : GSP_WHAT_NODE;
        gsp_error const e = {status, detail, what, item, GSP_NONE, 0, 0, 0, 0u, field};
        *err = e;
    }
    return status;
}

/* ---- Layout ---- */

/* A layout pushes all arrays; without an arena it measures them. */
typedef struct gspi_compare_bump {
    gsp_arena *arena;
    uint64_t used;
} gspi_compare_bump;

static void *gspi_compare_push(gspi_compare_bump *b, uint64_t count, size_t size, int high)
{
    b->used += (count * size + (GSP_GAP + GSP_ALIGN - 1u)) & ~((uint64_t)GSP_ALIGN - 1u);
    return b->arena == NULL ? NULL
           : high           ? gsp_arena_push_high(b->arena, (size_t)count, size)
                            : gsp_arena_push(b->arena, (size_t)count, size);
}

/* The results at the low end; they stay. */
static void gspi_compare_layout(gspi_compare_bump *b, gspi_compare *w, const gsp_compare_desc *d)
{
    uint32_t **const words[] = {&w->rank, &w->items, &w->sorted, &w->count};
    uint32_t most = d->n_items;
    for (uint32_t k = 0; k < 2u; k++) {
        uint32_t const n = d->n_parts[k];
        w->partner[k] = (uint32_t *)gspi_compare_push(b, n, sizeof(uint32_t), 0);
        w->change[k] = (uint8_t *)gspi_compare_push(b, n, 1, 0);
        w->n_pairs[k] = (uint32_t *)gspi_compare_push(b, n, sizeof(uint32_t), 1);
        most = n > most ? n : most;
    }
    for (uint32_t i = 0; i < 4u; i++) {
        uint32_t const n = i < 3u ? d->n_items : most;
        *words[i] = (uint32_t *)gspi_compare_push(b, n, sizeof(uint32_t), 1);
    }
}

size_t gsp_compare_bound(const gsp_compare_desc *desc)
{
    gspi_compare_bump b = {NULL, 2u * GSP_BOUND_SLACK};
    gspi_compare w;
    if (desc == NULL) {
        return SIZE_MAX;
    }
    gspi_compare_layout(&b, &w, desc);
    return b.used < SIZE_MAX ? (size_t)b.used : SIZE_MAX;
}

/* ---- What is given ---- */

static gsp_status gspi_compare_check(const gsp_compare_desc *d, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_compare_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE, "");
    }
    for (uint32_t k = 0; k < 2u; k++) {
        if (d->part_of[k] == NULL && d->n_items != 0u) {
            return gspi_compare_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE,
                GSPI_COMPARE_FIELD("part_of\0n_items"));
        }
        for (uint32_t i = 0; i < d->n_items; i++) {
            if (d->part_of[k][i] != GSP_NONE && d->part_of[k][i] >= d->n_parts[k]) {
                return gspi_compare_fail(
                    err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, i, GSPI_COMPARE_FIELD("part_of"));
            }
        }
    }
    return gspi_compare_fail(err, GSP_OK, GSP_DETAIL_NONE, GSP_NONE, "");
}

/* OK if so many bytes are left. */
static gsp_status gspi_compare_space(const gsp_arena *arena, size_t bound, gsp_error *err)
{
    size_t const left = gsp_arena_left(arena);
    if (GSPI_COMPARE_NEVER(bound == SIZE_MAX)) {
        return gspi_compare_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE, "");
    }
    if (left >= bound) {
        return GSP_OK;
    }
    (void)gspi_compare_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, "");
    if (err != NULL) {
        err->need = bound;
        err->limit = left;
    }
    return GSP_STATUS_NOMEM;
}

/* ---- Pairs ---- */

/* Counting sort, which keeps the order of equals: to[n] = from[n] by a key below n_keys. */
static void gspi_compare_sort(const gspi_compare *w, const uint32_t *key, uint32_t n_keys,
    const uint32_t *from, uint32_t *to, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < n_keys; k++) {
        w->count[k] = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        w->count[key[from[i]]]++;
    }
    for (uint32_t k = 0; k < n_keys; k++) {
        uint32_t const n_equal = w->count[k];
        w->count[k] = sum;
        sum += n_equal;
    }
    for (uint32_t i = 0; i < n; i++) {
        to[w->count[key[from[i]]]++] = from[i];
    }
}

/* Lists the items in both, and counts those in one. */
static void gspi_compare_take(gspi_compare *w, gsp_compare_result *r)
{
    r->n_only[0] = r->n_only[1] = 0;
    w->n_both = 0;
    for (uint32_t i = 0; i < w->d->n_items; i++) {
        int const first = w->d->part_of[0][i] != GSP_NONE;
        int const second = w->d->part_of[1][i] != GSP_NONE;
        if (first && second) {
            w->items[w->n_both++] = i;
        } else {
            r->n_only[0] += first ? 1u : 0u;
            r->n_only[1] += second ? 1u : 0u;
        }
    }
}

/* 1 if the parts of an item have different names. */
static uint32_t gspi_compare_renamed(const gsp_compare_desc *d, uint32_t item)
{
    uint32_t const a = d->part_of[0][item];
    uint32_t const b = d->part_of[1][item];
    int const same = d->names[0] == NULL || d->names[1] == NULL
                         ? a == b
                         : gsp_str_equal(d->names[0][a], d->names[1][b]);
    return same ? 0u : 1u;
}

/* The end of the run of items that begins at `begin`. */
static uint32_t gspi_compare_end(const gspi_compare *w, uint32_t begin)
{
    const uint32_t *first = w->d->part_of[0];
    const uint32_t *second = w->d->part_of[1];
    uint32_t const item = w->items[begin];
    uint32_t end = begin + 1u;
    while (end < w->n_both && first[w->items[end]] == first[item] &&
           second[w->items[end]] == second[item]) {
        end++;
    }
    return end;
}

/* Lists the pairs, the largest first, of equals those of one name, then the first. */
static void gspi_compare_list(gspi_compare *w)
{
    const gsp_compare_desc *d = w->d;
    gspi_compare_sort(w, d->part_of[1], d->n_parts[1], w->items, w->sorted, w->n_both);
    gspi_compare_sort(w, d->part_of[0], d->n_parts[0], w->sorted, w->items, w->n_both);
    w->n = 0;
    for (uint32_t renamed = 0; renamed < 2u; renamed++) {
        uint32_t end;
        for (uint32_t i = 0; i < w->n_both; i = end) {
            uint32_t const item = w->items[i];
            end = gspi_compare_end(w, i);
            if (gspi_compare_renamed(d, item) == renamed) {
                w->sorted[w->n++] = item;
                w->rank[item] = w->n_both - (end - i);
            }
        }
    }
    gspi_compare_sort(w, w->rank, w->n_both, w->sorted, w->items, w->n);
}

/* ---- What became of parts ---- */

/* Returns how many items agree. */
static uint32_t gspi_compare_match(const gspi_compare *w)
{
    uint32_t n_agree = 0;
    for (uint32_t k = 0; k < 2u; k++) {
        for (uint32_t i = 0; i < w->d->n_parts[k]; i++) {
            w->partner[k][i] = GSP_NONE;
            w->n_pairs[k][i] = 0;
        }
    }
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t const a = w->d->part_of[0][w->items[i]];
        uint32_t const b = w->d->part_of[1][w->items[i]];
        w->n_pairs[0][a]++;
        w->n_pairs[1][b]++;
        if (w->partner[0][a] == GSP_NONE && w->partner[1][b] == GSP_NONE) {
            w->partner[0][a] = b;
            w->partner[1][b] = a;
            n_agree += w->n_both - w->rank[w->items[i]];
        }
    }
    return n_agree;
}

/* With several pairs a part is SPLIT or MERGED, or MIXED if one of them is with such a part. */
static void gspi_compare_several(const gspi_compare *w)
{
    for (uint32_t k = 0; k < 2u; k++) {
        uint8_t const several = (uint8_t)(k == 0u ? GSP_CHANGE_SPLIT : GSP_CHANGE_MERGED);
        for (uint32_t i = 0; i < w->d->n_parts[k]; i++) {
            w->change[k][i] = w->n_pairs[k][i] > 1u ? several : (uint8_t)GSP_CHANGE_EMPTY;
        }
    }
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t const a = w->d->part_of[0][w->items[i]];
        uint32_t const b = w->d->part_of[1][w->items[i]];
        if (w->n_pairs[0][a] > 1u && w->n_pairs[1][b] > 1u) {
            w->change[0][a] = w->change[1][b] = (uint8_t)GSP_CHANGE_MIXED;
        }
    }
}

/* With one pair a part takes the change of the other, or is SAME or RENAMED if that has one too. */
static void gspi_compare_follow(const gspi_compare *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t const item = w->items[i];
        uint32_t const a = w->d->part_of[0][item];
        uint32_t const b = w->d->part_of[1][item];
        uint8_t *first = &w->change[0][a];
        uint8_t *second = &w->change[1][b];
        if (w->n_pairs[0][a] == 1u && w->n_pairs[1][b] == 1u) {
            int const renamed = gspi_compare_renamed(w->d, item) != 0u;
            *first = *second = (uint8_t)(renamed ? GSP_CHANGE_RENAMED : GSP_CHANGE_SAME);
        } else if (w->n_pairs[0][a] == 1u) {
            *first = *second;
        } else if (w->n_pairs[1][b] == 1u) {
            *second = *first;
        }
    }
}

gsp_status gsp_compare_run(
    gsp_arena *arena, const gsp_compare_desc *desc, gsp_compare_result *result, gsp_error *err)
{
    gspi_compare_bump b = {arena, 0u};
    gspi_compare w;
    const char *field = arena == NULL    ? GSPI_COMPARE_FIELD("arena")
                        : desc == NULL   ? GSPI_COMPARE_FIELD("desc")
                        : result == NULL ? GSPI_COMPARE_FIELD("result")
                                         : NULL;
    if (field != NULL) {
        return gspi_compare_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    gsp_status status = gspi_compare_check(desc, err);
    status = status == GSP_OK ? gspi_compare_space(arena, gsp_compare_bound(desc), err) : status;
    if (status != GSP_OK) {
        return status;
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gspi_compare_layout(&b, &w, desc);
    w.d = desc;
    gspi_compare_take(&w, result);
    gspi_compare_list(&w);
    result->n_agree = gspi_compare_match(&w);
    result->n_moved = w.n_both - result->n_agree;
    gspi_compare_several(&w);
    gspi_compare_follow(&w);
    for (uint32_t k = 0; k < 2u; k++) {
        result->partner[k] = w.partner[k];
        result->change[k] = w.change[k];
    }
    mark.low = gsp_arena_mark(arena).low; /* the results stay */
    gsp_arena_rewind(arena, mark);
    return GSP_OK;
}

#ifdef __cplusplus
}
#endif

GSPI_COMPARE_END

#endif /* GRAPHSPLIT_COMPARE_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_COMPARE_IMPLEMENTATION */
