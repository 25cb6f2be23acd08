/* Items are sorted by their two parts into runs, one per pair of parts that share items. The runs,
 * sorted by size, make partners; the number of runs of a part decides its change. */
#include "algorithms/algorithms.h"

#include <stdlib.h>
#include <string.h>

typedef struct run {
    uint32_t part[2];
    uint32_t n_items;
    uint32_t renamed; /* the parts have different names */
} run;

typedef struct work {
    const cli_compare_desc *d;
    uint32_t *partner;
    uint8_t *change[2];
    gsp_mark results;  /* arena mark */
    uint32_t *back;    /* [n_parts[1]] partner in the first */
    uint32_t *runs[2]; /* [n_parts] runs of a part */
    run *list;         /* [n_items] */
    uint32_t n_runs;
} work;

static size_t lay_out(work *w, gsp_arena *arena, const cli_compare_desc *d)
{
    cli_layout l = {arena, 0};
    w->d = d;
    w->partner = CLI_ROW(&l, uint32_t, d->n_parts[0]);
    w->change[0] = CLI_ROW(&l, uint8_t, d->n_parts[0]);
    w->change[1] = CLI_ROW(&l, uint8_t, d->n_parts[1]);
    if (arena != NULL) {
        w->results = gsp_arena_mark(arena);
    }
    w->back = CLI_ROW(&l, uint32_t, d->n_parts[1]);
    w->runs[0] = CLI_ROW(&l, uint32_t, d->n_parts[0]);
    w->runs[1] = CLI_ROW(&l, uint32_t, d->n_parts[1]);
    w->list = CLI_ROW(&l, run, d->n_items);
    return cli_layout_bound(&l);
}

size_t cli_compare_bound(const cli_compare_desc *desc)
{
    work w;
    return lay_out(&w, NULL, desc);
}

static int by_parts(const void *a, const void *b)
{
    const run *x = (const run *)a;
    const run *y = (const run *)b;
    uint32_t const k = x->part[0] != y->part[0] ? 0u : 1u;
    return (x->part[k] > y->part[k]) - (x->part[k] < y->part[k]);
}

/* Most items first, then equal names. */
static int by_size(const void *a, const void *b)
{
    const run *x = (const run *)a;
    const run *y = (const run *)b;
    int const less = (x->n_items < y->n_items) - (x->n_items > y->n_items);
    int const renamed = (x->renamed > y->renamed) - (x->renamed < y->renamed);
    return less != 0 ? less : renamed != 0 ? renamed : by_parts(a, b);
}

/* One run per item that is in both; counts those that are in one. */
static gsp_status take_items(work *w, cli_compared *r, gsp_error *err)
{
    const cli_compare_desc *d = w->d;
    r->n_only[0] = r->n_only[1] = 0;
    w->n_runs = 0;
    for (uint32_t i = 0; i < d->n_items; i++) {
        uint32_t const a = d->of[0][i];
        uint32_t const b = d->of[1][i];
        if ((a != GSP_NONE && a >= d->n_parts[0]) || (b != GSP_NONE && b >= d->n_parts[1])) {
            return cli_fail(err, GSP_STATUS_ARG, GSP_DETAIL_TAG, i);
        }
        if (a != GSP_NONE && b != GSP_NONE) {
            run const one = {{a, b}, 1u, 0};
            w->list[w->n_runs++] = one;
        } else {
            r->n_only[0] += a != GSP_NONE ? 1u : 0u;
            r->n_only[1] += b != GSP_NONE ? 1u : 0u;
        }
    }
    r->n_moved = w->n_runs; /* minus those that agree, below */
    return GSP_OK;
}

static uint32_t names_differ(const cli_compare_desc *d, const uint32_t *part)
{
    int const same = d->names[0] == NULL || d->names[1] == NULL
                         ? part[0] == part[1]
                         : gsp_str_equal(d->names[0][part[0]], d->names[1][part[1]]);
    return same ? 0u : 1u;
}

/* One run per pair of parts, the largest first. */
static void join_runs(work *w)
{
    uint32_t n = 0;
    qsort(w->list, w->n_runs, sizeof *w->list, by_parts);
    memset(w->runs[0], 0, w->d->n_parts[0] * sizeof(uint32_t));
    memset(w->runs[1], 0, w->d->n_parts[1] * sizeof(uint32_t));
    for (uint32_t i = 0; i < w->n_runs; i++) {
        if (n > 0 && by_parts(&w->list[n - 1u], &w->list[i]) == 0) {
            w->list[n - 1u].n_items++;
            continue;
        }
        w->list[n] = w->list[i];
        w->list[n].renamed = names_differ(w->d, w->list[n].part);
        w->runs[0][w->list[n].part[0]]++;
        w->runs[1][w->list[n].part[1]]++;
        n++;
    }
    w->n_runs = n;
    qsort(w->list, w->n_runs, sizeof *w->list, by_size);
}

/* Returns how many items agree. */
static uint32_t find_partners(work *w)
{
    uint32_t agree = 0;
    memset(w->partner, 0xFF, w->d->n_parts[0] * sizeof(uint32_t));
    memset(w->back, 0xFF, w->d->n_parts[1] * sizeof(uint32_t));
    for (uint32_t i = 0; i < w->n_runs; i++) {
        const uint32_t *part = w->list[i].part;
        if (w->partner[part[0]] == GSP_NONE && w->back[part[1]] == GSP_NONE) {
            w->partner[part[0]] = part[1];
            w->back[part[1]] = part[0];
            agree += w->list[i].n_items;
        }
    }
    return agree;
}

/* Without a run a part is EMPTY. With several runs it is SPLIT or MERGED, or MIXED if it shares
 * items with a part that has several runs too. With one run it takes over the change of the other
 * part, or is SAME or RENAMED if that has one run too. */
static void find_changes(work *w)
{
    for (uint32_t k = 0; k < 2u; k++) {
        for (uint32_t i = 0; i < w->d->n_parts[k]; i++) {
            w->change[k][i] = w->runs[k][i] == 0u   ? CLI_CHANGE_EMPTY
                              : w->runs[k][i] == 1u ? CLI_CHANGE_SAME
                              : k == 0u             ? CLI_CHANGE_SPLIT
                                                    : CLI_CHANGE_MERGED;
        }
    }
    for (uint32_t i = 0; i < w->n_runs; i++) { /* a part of several shares one with such a part */
        const uint32_t *part = w->list[i].part;
        if (w->runs[0][part[0]] > 1u && w->runs[1][part[1]] > 1u) {
            w->change[0][part[0]] = w->change[1][part[1]] = CLI_CHANGE_MIXED;
        }
    }
    for (uint32_t i = 0; i < w->n_runs; i++) { /* then parts with one run follow the other */
        uint8_t *a = &w->change[0][w->list[i].part[0]];
        uint8_t *b = &w->change[1][w->list[i].part[1]];
        int const one[2] = {
            w->runs[0][w->list[i].part[0]] == 1u, w->runs[1][w->list[i].part[1]] == 1u};
        if (one[0] && one[1]) {
            *a = *b = w->list[i].renamed ? CLI_CHANGE_RENAMED : CLI_CHANGE_SAME;
        } else if (one[0]) {
            *a = *b;
        } else if (one[1]) {
            *b = *a;
        }
    }
}

gsp_status cli_compare(
    gsp_arena *arena, const cli_compare_desc *desc, cli_compared *result, gsp_error *err)
{
    gsp_mark const before = gsp_arena_mark(arena);
    cli_compared r;
    work w;
    gsp_status status = cli_room(arena, cli_compare_bound(desc), err);
    if (status != GSP_OK) {
        return status;
    }
    status = cli_laid_out(lay_out(&w, arena, desc), arena, before, err);
    if (status != GSP_OK) {
        return status;
    }
    status = take_items(&w, &r, err);
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, before);
        return status;
    }
    join_runs(&w);
    r.n_agree = find_partners(&w);
    r.n_moved -= r.n_agree;
    find_changes(&w);
    r.partner = w.partner;
    r.change[0] = w.change[0];
    r.change[1] = w.change[1];
    *result = r;
    gsp_arena_rewind(arena, w.results);
    return GSP_OK;
}
