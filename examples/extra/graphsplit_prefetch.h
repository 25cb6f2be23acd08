/* graphsplit_prefetch.h - an add-on of graphsplit.h: copies into a fast memory ahead of use
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Parameters lie in a slow memory, and each is copied into a fast one before the step that reads
 * it. Finds when each copy starts, such that steps wait least for copies, and then in the least
 * memory. Takes steps and copies, and no graph. Needs graphsplit.h alone.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_PREFETCH_IMPLEMENTATION
 *     #include "graphsplit_prefetch.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>prefetch           Copies into a fast memory ahead of use
 *     >>impl               Implementation guard
 *
 *     gsp_prefetch_run     O((s + c) log capacity)    28 per step, 28 per copy
 *     gsp_prefetch_check   O(s + c)                   none
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_PREFETCH_H_INCLUDED
#define GRAPHSPLIT_PREFETCH_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_PREFETCH_IMPLEMENTATION)
#error "graphsplit_prefetch: GRAPHSPLIT_STATIC needs GRAPHSPLIT_PREFETCH_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>prefetch   Copies into a fast memory ahead of use (API)
 * ---- */

/* A step starts when the one before it has ended and the copies of uses up to it have. The channel
 * makes one copy at a time, in the order given. A copy takes bytes of the fast memory from the step
 * in which it starts, which may be waiting, to the step of its use. Ticks are any unit of time. */
typedef struct gsp_prefetch_desc {
    uint32_t start_canary;
    uint32_t n_steps;
    const uint64_t *times; /* [n_steps] ticks that a step takes once it starts */
    const uint64_t *live;  /* [n_steps] bytes of the fast memory for all else; NULL for none */
    uint32_t n_copies;
    const uint32_t *uses;  /* [n_copies] the step that reads it, ascending */
    const uint64_t *bytes; /* [n_copies] */
    const uint64_t *ticks; /* [n_copies] that a copy takes */
    uint64_t capacity;     /* bytes of the fast memory */
    uint32_t end_canary;
} gsp_prefetch_desc;

/* All arrays are read-only. */
typedef struct gsp_prefetch_result {
    const uint64_t *starts; /* [n_copies] ticks since the start of the run */
    const uint32_t *steps;  /* [n_copies] the step in which it starts, at most that of its use */
    const uint64_t *ends;   /* [n_steps] ticks at the end of a step */
    const uint64_t *stalls; /* [n_steps] ticks that a step waits for copies */
    uint64_t stall;         /* their sum; no other copies in this order have less */
    uint64_t lower_bound;   /* no order of the copies has a smaller sum */
    uint64_t serial;        /* the sum if no copy starts before the step of its use */
    uint64_t peak;          /* bytes of the fast memory; the least for that sum */
} gsp_prefetch_result;

/* gsp_prefetch_bound: bytes for the run; SIZE_MAX without a desc. Time: O(1). */
GSP_API size_t gsp_prefetch_bound(const gsp_prefetch_desc *desc);

/* gsp_prefetch_run: the copies with the least stall, and with the least peak for that.
 *
 * What:    Each copy starts as early as the channel and the memory allow. That delays no other one:
 *          those before it are there already, and those after it start later. The peak is found by
 *          bisection, since less memory never means less stall. For offsets, copy i is a tensor
 *          from steps[i] to uses[i] of gsp_memory_pack_run().
 * Errors:  ARG (NULL_ARGUMENT; RANGE: the use of tensor, which is the copy, is no step, or is
 *          before that of the copy before it), DESC, OVERFLOW (SIZE: ticks of all, bytes of all
 *          copies, or live bytes of a step exceed 2^62), NO_FIT (BUDGET: node is the step that
 *          needs most, with what it reads; capacity `need` suffices), NOMEM
 * Time:    O((steps + copies) log capacity)
 * Memory:  the bound; the arrays of the result stay
 * Example: examples/prefetch.c
 */
GSP_API gsp_status gsp_prefetch_run(
    gsp_arena *arena, const gsp_prefetch_desc *desc, gsp_prefetch_result *result, gsp_error *err);

/* gsp_prefetch_check: whether copies that start at given ticks fit into the channel and the memory.
 *
 * Errors:  those of the run without NOMEM, the first that there is; then ARG (OVERLAP: tensor and
 *          other are copies of which the later one starts before the other has ended), OVERFLOW
 *          (SIZE: tensor starts after 2^62), NO_FIT (BUDGET: bytes that node, a step, needs)
 * Time:    O(steps + copies)
 * Memory:  none
 */
GSP_API gsp_status gsp_prefetch_check(
    const gsp_prefetch_desc *desc, const uint64_t *starts, gsp_error *err);

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_PREFETCH_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_PREFETCH_IMPLEMENTATION
#ifndef GRAPHSPLIT_PREFETCH_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_PREFETCH_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_PREFETCH_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_PREFETCH_END       _Pragma("GCC diagnostic pop")
#define GSPI_PREFETCH_OWN_FRAME __attribute__((noinline)) static /* not on that of its caller */
#else
#define GSPI_PREFETCH_BEGIN
#define GSPI_PREFETCH_END
#define GSPI_PREFETCH_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_PREFETCH_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>prefetch   Copies into a fast memory ahead of use (implementation)
 * ---- */

/* What a step leaves free, and the copies whose uses are over, limit the bytes of all copies that
 * may have started by its end. A copy starts after the last step up to its use whose limit is below
 * the bytes of all copies up to this one. Since these ascend, one queue of steps with ascending
 * limits finds all of them. */

#define GSPI_PREFETCH_MOST ((uint64_t)1u << 62) /* of ticks, and of bytes */

/* A condition that no input makes, or one of gigabytes; `make cov` does not count it. */
#define GSPI_PREFETCH_NEVER(x) (x)

typedef struct gspi_prefetch { /* not on the stack */
    const gsp_prefetch_desc *d;
    uint64_t *starts; /* [copies] */
    uint32_t *steps;  /* [copies] */
    uint64_t *ends;   /* [steps] */
    uint64_t *stalls; /* [steps] */
    uint64_t *sums;   /* [copies] bytes of the copies up to each */
    uint64_t *least;  /* [copies] bytes of the smallest from each on */
    uint64_t *limit;  /* [steps] */
    uint32_t *queue;  /* [steps] */
    uint32_t head;    /* of the queue */
    uint32_t tail;
    uint32_t next;   /* step to queue */
    uint32_t ended;  /* steps */
    uint32_t first;  /* step from which on the copy fits */
    uint32_t at;     /* step in which it starts */
    uint64_t copied; /* ticks at the end of the last copy */
    gsp_prefetch_result r;
} gspi_prefetch;

/* Names the argument or field at fault; a second NUL says that no count makes it required. */
#ifdef GSP_NO_MESSAGES
#define GSPI_PREFETCH_FIELD(text) ""
#else
#define GSPI_PREFETCH_FIELD(text) text "\0"
#endif

static gsp_status gspi_prefetch_fail(
    gsp_error *err, gsp_status status, gsp_detail detail, uint32_t copy, const char *field)
{
    if (err != NULL) {
        uint32_t const what = copy == GSP_NONE ? GSP_WHAT_NONE : GSP_WHAT_TENSOR;
        gsp_error const e = {status, detail, what, copy, GSP_NONE, 0, 0, 0, 0u, field};
        *err = e;
    }
    return status;
}

/* A failure for want of bytes; step: GSP_NONE if it is none of a step. */
static gsp_status gspi_prefetch_short(gsp_error *err, gsp_status status, gsp_detail detail,
    uint32_t step, uint64_t need, uint64_t limit)
{
    (void)gspi_prefetch_fail(err, status, detail, GSP_NONE, "");
    if (err != NULL) {
        err->node = step;
        err->need = need;
        err->limit = limit;
    }
    return status;
}

/* ---- Layout ---- */

/* A layout pushes all arrays; without an arena it measures them. */
typedef struct gspi_prefetch_bump {
    gsp_arena *arena;
    uint64_t used;
} gspi_prefetch_bump;

GSPI_PREFETCH_OWN_FRAME void *gspi_prefetch_push(
    gspi_prefetch_bump *b, uint64_t count, size_t size, int high)
{
    b->used += (count * size + (GSP_GAP + GSP_ALIGN - 1u)) & ~((uint64_t)GSP_ALIGN - 1u);
    return b->arena == NULL ? NULL
           : high           ? gsp_arena_push_high(b->arena, (size_t)count, size)
                            : gsp_arena_push(b->arena, (size_t)count, size);
}

static uint64_t *gspi_prefetch_longs(gspi_prefetch_bump *b, uint32_t count, int high)
{
    return (uint64_t *)gspi_prefetch_push(b, count, sizeof(uint64_t), high);
}

static uint32_t *gspi_prefetch_words(gspi_prefetch_bump *b, uint32_t count, int high)
{
    return (uint32_t *)gspi_prefetch_push(b, count, sizeof(uint32_t), high);
}

/* The results first; they stay. */
static void gspi_prefetch_layout(
    gspi_prefetch_bump *b, gspi_prefetch *w, const gsp_prefetch_desc *d)
{
    w->starts = gspi_prefetch_longs(b, d->n_copies, 0);
    w->steps = gspi_prefetch_words(b, d->n_copies, 0);
    w->ends = gspi_prefetch_longs(b, d->n_steps, 0);
    w->stalls = gspi_prefetch_longs(b, d->n_steps, 0);
    w->sums = gspi_prefetch_longs(b, d->n_copies, 1);
    w->least = gspi_prefetch_longs(b, d->n_copies, 1);
    w->limit = gspi_prefetch_longs(b, d->n_steps, 1);
    w->queue = gspi_prefetch_words(b, d->n_steps, 1);
}

size_t gsp_prefetch_bound(const gsp_prefetch_desc *desc)
{
    gspi_prefetch_bump b = {NULL, 2u * GSP_BOUND_SLACK};
    gspi_prefetch w;
    if (desc == NULL) {
        return SIZE_MAX;
    }
    (void)gspi_prefetch_push(&b, 1, sizeof(gspi_prefetch), 1);
    gspi_prefetch_layout(&b, &w, desc);
    return b.used < SIZE_MAX ? (size_t)b.used : SIZE_MAX;
}

/* ---- What is given ---- */

static uint64_t gspi_prefetch_live(const gsp_prefetch_desc *d, uint32_t step)
{
    return d->live != NULL ? d->live[step] : 0u;
}

/* The field that is missing, or NULL. */
static const char *gspi_prefetch_missing(const gsp_prefetch_desc *d)
{
    if (d->n_steps != 0u && d->times == NULL) {
        return GSPI_PREFETCH_FIELD("times");
    }
    if (d->n_copies == 0u) {
        return NULL;
    }
    return d->uses == NULL    ? GSPI_PREFETCH_FIELD("uses")
           : d->bytes == NULL ? GSPI_PREFETCH_FIELD("bytes")
           : d->ticks == NULL ? GSPI_PREFETCH_FIELD("ticks")
                              : NULL;
}

/* Uses ascend, and ticks and bytes have sums. */
static gsp_status gspi_prefetch_numbers(const gsp_prefetch_desc *d, gsp_error *err)
{
    uint64_t ticks = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < d->n_steps; i++) {
        if (d->times[i] > GSPI_PREFETCH_MOST - ticks ||
            gspi_prefetch_live(d, i) > GSPI_PREFETCH_MOST) {
            return gspi_prefetch_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, GSP_NONE, "");
        }
        ticks += d->times[i];
    }
    for (uint32_t i = 0; i < d->n_copies; i++) {
        if (d->uses[i] >= d->n_steps || (i != 0u && d->uses[i] < d->uses[i - 1u])) {
            return gspi_prefetch_fail(
                err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, i, GSPI_PREFETCH_FIELD("uses"));
        }
        if (d->ticks[i] > GSPI_PREFETCH_MOST - ticks || d->bytes[i] > GSPI_PREFETCH_MOST - bytes) {
            return gspi_prefetch_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, i, "");
        }
        ticks += d->ticks[i];
        bytes += d->bytes[i];
    }
    return GSP_OK;
}

/* A step with the copies that it reads fits; *least: the largest need of one. */
static gsp_status gspi_prefetch_fits(const gsp_prefetch_desc *d, uint64_t *least, gsp_error *err)
{
    uint32_t at = 0;
    uint32_t p = 0;
    *least = 0;
    for (uint32_t i = 0; i < d->n_steps; i++) {
        uint64_t need = gspi_prefetch_live(d, i);
        for (; p < d->n_copies && d->uses[p] == i; p++) {
            need += d->bytes[p];
        }
        at = need > *least ? i : at;
        *least = need > *least ? need : *least;
    }
    return *least <= d->capacity ? gspi_prefetch_fail(err, GSP_OK, GSP_DETAIL_NONE, GSP_NONE, "")
                                 : gspi_prefetch_short(err, GSP_STATUS_NO_FIT, GSP_DETAIL_BUDGET,
                                       at, *least, d->capacity);
}

GSPI_PREFETCH_OWN_FRAME gsp_status gspi_prefetch_given(
    const gsp_prefetch_desc *d, uint64_t *least, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_prefetch_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE, "");
    }
    const char *field = gspi_prefetch_missing(d);
    if (field != NULL) {
        return gspi_prefetch_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    gsp_status const status = gspi_prefetch_numbers(d, err);
    return status == GSP_OK ? gspi_prefetch_fits(d, least, err) : status;
}

/* ---- The time line ---- */

static void gspi_prefetch_sums(gspi_prefetch *w)
{
    const gsp_prefetch_desc *d = w->d;
    uint64_t sum = 0;
    uint64_t least = GSPI_PREFETCH_MOST;
    for (uint32_t p = 0; p < d->n_copies; p++) {
        w->sums[p] = sum += d->bytes[p];
        w->r.serial += d->ticks[p];
    }
    for (uint32_t p = d->n_copies; p-- > 0u;) {
        w->least[p] = least = d->bytes[p] < least ? d->bytes[p] : least;
    }
}

/* Ends the steps before `until`, none of which waits for more than the last copy. */
static void gspi_prefetch_end(gspi_prefetch *w, uint32_t until)
{
    for (; w->ended < until; w->ended++) {
        uint64_t const ready = w->ended != 0u ? w->ends[w->ended - 1u] : 0u;
        uint64_t const start = w->copied > ready ? w->copied : ready;
        w->stalls[w->ended] = start - ready;
        w->ends[w->ended] = start + w->d->times[w->ended];
    }
}

/* Queues a step whose limit is `limit`. */
static void gspi_prefetch_queue(gspi_prefetch *w, uint64_t limit)
{
    while (w->tail > w->head && w->limit[w->queue[w->tail - 1u]] >= limit) {
        w->tail--;
    }
    w->limit[w->next] = limit;
    w->queue[w->tail++] = w->next++;
}

/* Starts a copy that needs so many bytes of all limits. The last one is that of its use, which has
 * them. */
static void gspi_prefetch_start(gspi_prefetch *w, uint32_t p, uint64_t need)
{
    while (w->limit[w->queue[w->head]] < need) {
        w->first = w->queue[w->head++] + 1u;
    }
    uint64_t const free_at = w->first != 0u ? w->ends[w->first - 1u] : 0u;
    uint64_t const start = w->copied > free_at ? w->copied : free_at;
    while (w->at < w->d->uses[p] && w->ends[w->at] <= start) {
        w->at++;
    }
    w->starts[p] = start;
    w->steps[p] = w->at;
    w->copied = start + w->d->ticks[p];
}

/* The time line in a memory of so many bytes: its stall. relaxed: each copy may lie beside all
 * others, and is as small as the smallest from it on, so that no order of them has less. */
GSPI_PREFETCH_OWN_FRAME uint64_t gspi_prefetch_simulate(
    gspi_prefetch *w, uint64_t capacity, int relaxed)
{
    const gsp_prefetch_desc *d = w->d;
    uint64_t stall = 0;
    w->head = w->tail = w->next = w->ended = w->first = w->at = 0;
    w->copied = 0;
    for (uint32_t p = 0; p < d->n_copies; p++) {
        uint64_t const over = relaxed || p == 0u ? 0u : w->sums[p - 1u];
        gspi_prefetch_end(w, d->uses[p]);
        while (w->next <= d->uses[p]) {
            gspi_prefetch_queue(w, capacity - gspi_prefetch_live(d, w->next) + over);
        }
        gspi_prefetch_start(w, p, relaxed ? w->least[p] : w->sums[p]);
    }
    gspi_prefetch_end(w, d->n_steps);
    for (uint32_t i = 0; i < d->n_steps; i++) {
        stall += w->stalls[i];
    }
    return stall;
}

/* Most bytes at once, of the time line. */
static uint64_t gspi_prefetch_peak(const gspi_prefetch *w)
{
    const gsp_prefetch_desc *d = w->d;
    uint64_t held = 0;
    uint64_t most = 0;
    uint32_t p = 0;
    uint32_t over = 0; /* copies whose use is over */
    for (uint32_t i = 0; i < d->n_steps; i++) {
        for (; p < d->n_copies && w->steps[p] == i; p++) {
            held += d->bytes[p];
        }
        uint64_t const bytes = gspi_prefetch_live(d, i) + held;
        most = bytes > most ? bytes : most;
        for (; over < p && d->uses[over] == i; over++) {
            held -= d->bytes[over];
        }
    }
    return most;
}

/* Least stall, then least peak, in at least `low` bytes. */
static void gspi_prefetch_search(gspi_prefetch *w, uint64_t low)
{
    uint64_t const most = 2u * GSPI_PREFETCH_MOST;
    uint64_t const capacity = w->d->capacity < most ? w->d->capacity : most;
    w->r.lower_bound = gspi_prefetch_simulate(w, capacity, 1);
    w->r.stall = gspi_prefetch_simulate(w, capacity, 0);
    uint64_t high = gspi_prefetch_peak(w);
    while (low < high) {
        uint64_t const middle = low + (high - low) / 2u;
        if (gspi_prefetch_simulate(w, middle, 0) == w->r.stall) {
            high = middle;
        } else {
            low = middle + 1u;
        }
    }
    (void)gspi_prefetch_simulate(w, high, 0);
    w->r.peak = gspi_prefetch_peak(w);
}

/* ---- The pass ---- */

/* A workspace in the arena; *low is the end of the results, which stay. */
GSPI_PREFETCH_OWN_FRAME gspi_prefetch *gspi_prefetch_make(
    gsp_arena *arena, const gsp_prefetch_desc *d, size_t *low)
{
    gspi_prefetch_bump b = {arena, 0u};
    gspi_prefetch *w = (gspi_prefetch *)gspi_prefetch_push(&b, 1, sizeof(gspi_prefetch), 1);
    gspi_prefetch_layout(&b, w, d);
    gsp_prefetch_result const none = {w->starts, w->steps, w->ends, w->stalls, 0u, 0u, 0u, 0u};
    w->d = d;
    w->r = none;
    *low = gsp_arena_mark(arena).low;
    return w;
}

gsp_status gsp_prefetch_run(
    gsp_arena *arena, const gsp_prefetch_desc *desc, gsp_prefetch_result *result, gsp_error *err)
{
    uint64_t least;
    if (arena == NULL || desc == NULL || result == NULL) {
        const char *field = GSPI_PREFETCH_FIELD("result");
        field = desc == NULL ? GSPI_PREFETCH_FIELD("desc") : field;
        field = arena == NULL ? GSPI_PREFETCH_FIELD("arena") : field;
        return gspi_prefetch_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    gsp_status const status = gspi_prefetch_given(desc, &least, err);
    size_t const bound = gsp_prefetch_bound(desc);
    if (status != GSP_OK) {
        return status;
    }
    if (GSPI_PREFETCH_NEVER(bound == SIZE_MAX)) {
        return gspi_prefetch_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE, "");
    }
    if (gsp_arena_left(arena) < bound) {
        return gspi_prefetch_short(
            err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, bound, gsp_arena_left(arena));
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gspi_prefetch *w = gspi_prefetch_make(arena, desc, &mark.low);
    gspi_prefetch_sums(w);
    gspi_prefetch_search(w, least);
    *result = w->r;
    gsp_arena_rewind(arena, mark);
    return GSP_OK;
}

/* The channel makes one copy at a time. */
static gsp_status gspi_prefetch_channel(
    const gsp_prefetch_desc *d, const uint64_t *starts, gsp_error *err)
{
    for (uint32_t p = 0; p < d->n_copies; p++) {
        if (starts[p] > GSPI_PREFETCH_MOST) {
            return gspi_prefetch_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, p, "");
        }
        if (p != 0u && starts[p] < starts[p - 1u] + d->ticks[p - 1u]) {
            (void)gspi_prefetch_fail(err, GSP_STATUS_ARG, GSP_DETAIL_OVERLAP, p, "");
            if (err != NULL) {
                err->other = p - 1u;
            }
            return GSP_STATUS_ARG;
        }
    }
    return GSP_OK;
}

/* Runs the steps; each needs what is live, and the copies that have started and may be read. */
static gsp_status gspi_prefetch_replay(
    const gsp_prefetch_desc *d, const uint64_t *starts, gsp_error *err)
{
    uint64_t held = 0;
    uint64_t end = 0;
    uint32_t p = 0;    /* copies that have started */
    uint32_t read = 0; /* copies whose use has started */
    uint32_t over = 0; /* copies whose use is over */
    for (uint32_t i = 0; i < d->n_steps; i++) {
        for (; read < d->n_copies && d->uses[read] == i; read++) {
            uint64_t const copied = starts[read] + d->ticks[read];
            end = copied > end ? copied : end;
        }
        end += d->times[i];
        for (; p < d->n_copies && (p < read || starts[p] < end); p++) {
            held += d->bytes[p];
        }
        uint64_t const need = gspi_prefetch_live(d, i) + held;
        if (need > d->capacity) {
            return gspi_prefetch_short(
                err, GSP_STATUS_NO_FIT, GSP_DETAIL_BUDGET, i, need, d->capacity);
        }
        for (; over < read; over++) {
            held -= d->bytes[over];
        }
    }
    return GSP_OK;
}

gsp_status gsp_prefetch_check(const gsp_prefetch_desc *desc, const uint64_t *starts, gsp_error *err)
{
    uint64_t least;
    if (desc == NULL || (starts == NULL && desc->n_copies != 0u)) {
        const char *field = GSPI_PREFETCH_FIELD("starts");
        field = desc == NULL ? GSPI_PREFETCH_FIELD("desc") : field;
        return gspi_prefetch_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    gsp_status status = gspi_prefetch_given(desc, &least, err);
    status = status == GSP_OK ? gspi_prefetch_channel(desc, starts, err) : status;
    return status == GSP_OK ? gspi_prefetch_replay(desc, starts, err) : status;
}

#ifdef __cplusplus
}
#endif

GSPI_PREFETCH_END

#endif /* GRAPHSPLIT_PREFETCH_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_PREFETCH_IMPLEMENTATION */
