/* Copies ahead of use. What a step leaves free, and the copies whose uses are over, limit the bytes
 * of all copies that may have started by its end: `limit`. A copy starts after the last step up to
 * its use whose limit is below the bytes of all copies up to this one. Since these ascend, one
 * queue of steps with ascending limits finds all of them. */
#include "algorithms/algorithms.h"

#include <string.h>

#define MOST ((uint64_t)1u << 62) /* of ticks, and of bytes */

typedef struct prefetch {
    const cli_prefetch_desc *d;
    cli_prefetch_copy *copies; /* [n_copies] */
    uint64_t *ends;            /* [n_steps] */
    uint64_t *stalls;          /* [n_steps] */
    uint64_t *sums;            /* [n_copies] bytes of the copies up to each */
    uint64_t *least;           /* [n_copies] bytes of the smallest from each on */
    uint64_t *limit;           /* [n_steps] */
    uint32_t *queue;           /* [n_steps] */
    uint64_t *profile;         /* [n_steps + 1] differences of bytes */
} prefetch;

static size_t lay_out(prefetch *w, gsp_arena *arena, const cli_prefetch_desc *d)
{
    cli_layout l = {arena, 0};
    w->d = d;
    w->copies = CLI_ROW(&l, cli_prefetch_copy, d->n_copies);
    w->ends = CLI_ROW(&l, uint64_t, d->n_steps);
    w->stalls = CLI_ROW(&l, uint64_t, d->n_steps);
    w->sums = CLI_ROW(&l, uint64_t, d->n_copies);
    w->least = CLI_ROW(&l, uint64_t, d->n_copies);
    w->limit = CLI_ROW(&l, uint64_t, d->n_steps);
    w->queue = CLI_ROW(&l, uint32_t, d->n_steps);
    w->profile = CLI_ROW(&l, uint64_t, (size_t)d->n_steps + 1u);
    return cli_layout_bound(&l);
}

size_t cli_prefetch_bound(const cli_prefetch_desc *desc)
{
    prefetch w;
    return lay_out(&w, NULL, desc);
}

static uint64_t live_of(const cli_prefetch_desc *d, uint32_t step)
{
    return d->live != NULL ? d->live[step] : 0u;
}

/* Checks the uses, and that ticks and bytes have sums. */
static gsp_status check(const cli_prefetch_desc *d, gsp_error *err)
{
    uint64_t ticks = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < d->n_steps; i++) {
        if (d->times[i] > MOST - ticks || live_of(d, i) > MOST) {
            return cli_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, i);
        }
        ticks += d->times[i];
    }
    for (uint32_t i = 0; i < d->n_copies; i++) {
        if (d->uses[i] >= d->n_steps || (i != 0 && d->uses[i] < d->uses[i - 1u])) {
            return cli_fail(err, GSP_STATUS_ARG, GSP_DETAIL_TAG, i);
        }
        if (d->ticks[i] > MOST - ticks || d->bytes[i] > MOST - bytes) {
            return cli_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, d->uses[i]);
        }
        ticks += d->ticks[i];
        bytes += d->bytes[i];
    }
    return GSP_OK;
}

/* Sums, and the largest need of a step with the copies that it reads; *at is that step. */
static uint64_t prepare(prefetch *w, uint32_t *at)
{
    const cli_prefetch_desc *d = w->d;
    uint64_t most = 0;
    uint32_t p = 0;
    *at = 0;
    for (uint32_t i = 0; i < d->n_steps; i++) {
        uint64_t need = live_of(d, i);
        for (; p < d->n_copies && d->uses[p] == i; p++) {
            need += d->bytes[p];
            w->sums[p] = (p != 0 ? w->sums[p - 1u] : 0u) + d->bytes[p];
        }
        *at = need > most ? i : *at;
        most = need > most ? need : most;
    }
    for (p = d->n_copies; p-- > 0;) {
        uint64_t const after = p + 1u < d->n_copies ? w->least[p + 1u] : MOST;
        w->least[p] = d->bytes[p] < after ? d->bytes[p] : after;
    }
    return most;
}

/* Ends the steps before `until`, none of which waits for more than the last copy. */
static void end_steps(prefetch *w, uint32_t *done, uint32_t until, uint64_t copied)
{
    for (; *done < until; (*done)++) {
        uint64_t const ready = *done != 0 ? w->ends[*done - 1u] : 0u;
        uint64_t const start = copied > ready ? copied : ready;
        w->stalls[*done] = start - ready;
        w->ends[*done] = start + w->d->times[*done];
    }
}

/* The time line in a memory of so many bytes: its stall. relaxed: each copy may lie beside all
 * others, and is as small as the smallest from it on, so that no order of them has less. */
static uint64_t simulate(prefetch *w, uint64_t capacity, int relaxed)
{
    const cli_prefetch_desc *d = w->d;
    const uint64_t *needs = relaxed ? w->least : w->sums;
    uint32_t done = 0;
    uint32_t head = 0;
    uint32_t tail = 0;
    uint32_t next = 0;  /* the step to queue */
    uint32_t first = 0; /* the step from which on the copy fits */
    uint32_t at = 0;    /* the step during which it starts */
    uint64_t copied = 0;
    uint64_t stall = 0;
    for (uint32_t p = 0; p < d->n_copies; p++) {
        uint32_t const use = d->uses[p];
        uint64_t const over = relaxed || p == 0 ? 0u : w->sums[p - 1u];
        end_steps(w, &done, use, copied);
        for (; next <= use; next++) {
            w->limit[next] = capacity - live_of(d, next) + over;
            while (tail > head && w->limit[w->queue[tail - 1u]] >= w->limit[next]) {
                tail--;
            }
            w->queue[tail++] = next;
        }
        while (head < tail && w->limit[w->queue[head]] < needs[p]) {
            first = w->queue[head++] + 1u;
        }
        uint64_t const free_at = first != 0 ? w->ends[first - 1u] : 0u;
        w->copies[p].start = copied > free_at ? copied : free_at;
        while (at < use && w->ends[at] <= w->copies[p].start) {
            at++;
        }
        w->copies[p].step = at;
        copied = w->copies[p].end = w->copies[p].start + d->ticks[p];
    }
    end_steps(w, &done, d->n_steps, copied);
    for (uint32_t i = 0; i < d->n_steps; i++) {
        stall += w->stalls[i];
    }
    return stall;
}

/* Most bytes at once, of the time line. */
static uint64_t peak_of(prefetch *w)
{
    const cli_prefetch_desc *d = w->d;
    uint64_t copies = 0;
    uint64_t most = 0;
    memset(w->profile, 0, ((size_t)d->n_steps + 1u) * sizeof *w->profile);
    for (uint32_t p = 0; p < d->n_copies; p++) {
        w->profile[w->copies[p].step] += d->bytes[p];
        w->profile[d->uses[p] + 1u] -= d->bytes[p];
    }
    for (uint32_t i = 0; i < d->n_steps; i++) {
        copies += w->profile[i];
        most = live_of(d, i) + copies > most ? live_of(d, i) + copies : most;
    }
    return most;
}

static cli_prefetch_result search(prefetch *w, uint64_t least)
{
    cli_prefetch_result r = {0};
    uint64_t low = least;
    uint64_t high;
    uint64_t const capacity = w->d->capacity < 2u * MOST ? w->d->capacity : 2u * MOST;
    r.bound = simulate(w, capacity, 1);
    r.stall = simulate(w, capacity, 0);
    high = peak_of(w);
    while (low < high) {
        uint64_t const middle = low + (high - low) / 2u;
        if (simulate(w, middle, 0) == r.stall) {
            high = middle;
        } else {
            low = middle + 1u;
        }
    }
    (void)simulate(w, high, 0);
    r.peak = peak_of(w);
    for (uint32_t p = 0; p < w->d->n_copies; p++) {
        r.serial += w->d->ticks[p];
    }
    r.copies = w->copies;
    r.ends = w->ends;
    r.stalls = w->stalls;
    return r;
}

gsp_status cli_prefetch_run(
    gsp_arena *arena, const cli_prefetch_desc *desc, cli_prefetch_result *result, gsp_error *err)
{
    gsp_status status = check(desc, err);
    gsp_mark const mark = gsp_arena_mark(arena);
    prefetch w;
    uint32_t step;
    if (status != GSP_OK || (status = cli_room(arena, cli_prefetch_bound(desc), err)) != GSP_OK ||
        (status = cli_laid_out(lay_out(&w, arena, desc), arena, mark, err)) != GSP_OK) {
        return status;
    }
    uint64_t const least = prepare(&w, &step);
    if (least > desc->capacity) {
        gsp_arena_rewind(arena, mark);
        (void)cli_fail(err, GSP_STATUS_NO_FIT, GSP_DETAIL_BUDGET, step);
        if (err != NULL) {
            err->need = least;
            err->limit = desc->capacity;
        }
        return GSP_STATUS_NO_FIT;
    }
    *result = search(&w, least);
    return GSP_OK;
}
