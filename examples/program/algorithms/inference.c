/* Stages of inference, which need memory for parameters and for the peak of live bytes. A range
 * that grows never needs less. So stages as long as a limit permits are the fewest, and bisection
 * finds the least limit. For times, a table over prefixes has every range that fits. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

#define MOST_STEPS ((uint64_t)1u << 24) /* nodes of the ranges measured, and of the table */

typedef struct line {
    const cli_inference_desc *d;
    const gsp_graph *g;
    gsp_node *calls;  /* [n] nodes of stages */
    uint32_t *place;  /* [nodes] of a call, else GSP_NONE */
    uint32_t *cut;    /* [n_units + 1] places of calls where a stage may begin or end */
    uint32_t *last;   /* [nodes] the last place that reads the value, GSP_NONE for none */
    uint32_t *part;   /* [nodes] of the measured ranges */
    cli_need *needs;  /* [n_units + 1] */
    uint32_t *trial;  /* [n_stages + 1] units */
    uint32_t *best;   /* [n_stages + 1] the same of the result */
    uint32_t *reach;  /* [n_units] the last end of a stage that fits */
    uint32_t *seen;   /* [nodes] values that enter */
    uint32_t n;       /* calls */
    uint32_t n_units; /* between places where a stage may begin */
    uint32_t n_stages;
    uint32_t stamp;
    uint64_t steps;
} line;

static uint64_t sum_of(const line *l, const cli_need *need)
{
    uint64_t const copies = l->d->copies;
    return cli_add(
        need->params > UINT64_MAX / copies ? UINT64_MAX : need->params * copies, need->peak);
}

/* ---- the line ---- */

/* Finds the places where a stage may begin, which are outside of groups. */
static void find_cuts(line *l)
{
    uint32_t *last = (uint32_t *)cli_alloc(l->d->session, (size_t)l->g->n_nodes + 1u, sizeof *last);
    const uint32_t *first = l->d->group;
    uint32_t reach = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        gsp_node const v = l->calls[i];
        last[first != NULL && first[v] != GSP_NONE ? first[v] : v] = i;
    }
    for (uint32_t i = 0; i < l->n; i++) {
        gsp_node const v = l->calls[i];
        uint32_t const end = last[first != NULL && first[v] != GSP_NONE ? first[v] : v];
        if (i == 0 || reach < i) {
            l->cut[l->n_units++] = i;
        }
        reach = end > reach ? end : reach;
    }
    l->cut[l->n_units] = l->n;
    cli_release(l->d->session, last);
}

static void read_line(line *l)
{
    for (gsp_node v = 0; v < l->g->n_nodes; v++) {
        int const member =
            gsp_node_is_callable(l->g, v) && !gsp_stages_is_marker(l->g, v, l->d->marker);
        l->place[v] = member ? l->n : GSP_NONE;
        if (member) {
            l->calls[l->n++] = v;
        }
        l->last[v] = GSP_NONE;
    }
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(l->g, l->calls[i], &n);
        while (n > 0) {
            l->last[in[--n]] = i;
        }
    }
    find_cuts(l);
    l->n_stages = l->d->n_stages < l->n_units ? l->d->n_stages : l->n_units;
}

static void open_line(line *l, const cli_inference_desc *d)
{
    size_t const n = (size_t)d->graph->n_nodes + 1u;
    memset(l, 0, sizeof *l);
    l->d = d;
    l->g = d->graph;
    l->calls = (gsp_node *)cli_alloc(d->session, n, sizeof *l->calls);
    l->place = (uint32_t *)cli_alloc(d->session, n, sizeof *l->place);
    l->cut = (uint32_t *)cli_alloc(d->session, n, sizeof *l->cut);
    l->last = (uint32_t *)cli_alloc(d->session, n, sizeof *l->last);
    l->part = (uint32_t *)cli_alloc(d->session, n, sizeof *l->part);
    l->needs = (cli_need *)cli_alloc(d->session, n, sizeof *l->needs);
    l->trial = (uint32_t *)cli_alloc(d->session, n, sizeof *l->trial);
    l->best = (uint32_t *)cli_alloc(d->session, n, sizeof *l->best);
    l->reach = (uint32_t *)cli_alloc(d->session, n, sizeof *l->reach);
    l->seen = (uint32_t *)cli_alloc(d->session, n, sizeof *l->seen);
    read_line(l);
}

static void close_line(const line *l)
{
    cli_release(l->d->session, l->seen);
    cli_release(l->d->session, l->reach);
    cli_release(l->d->session, l->best);
    cli_release(l->d->session, l->trial);
    cli_release(l->d->session, l->needs);
    cli_release(l->d->session, l->part);
    cli_release(l->d->session, l->last);
    cli_release(l->d->session, l->cut);
    cli_release(l->d->session, l->place);
    cli_release(l->d->session, l->calls);
}

/* ---- ranges ---- */

/* The needs of n ranges of units in a row, from those at begin[0] on; UINT64_MAX if unknown. */
static uint64_t measure(line *l, const uint32_t *begin, uint32_t n)
{
    uint64_t most = 0;
    gsp_error err;
    l->steps += l->g->n_nodes;
    for (gsp_node v = 0; v < l->g->n_nodes; v++) {
        l->part[v] = n;
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = l->cut[begin[i]]; k < l->cut[begin[i + 1u]]; k++) {
            l->part[l->calls[k]] = i;
        }
    }
    if (cli_need_measure(l->d->session, l->g, l->part, n + 1u, n, l->needs, &err) != GSP_OK) {
        return UINT64_MAX;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint64_t const bytes = sum_of(l, &l->needs[i]);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static int fits(line *l, uint32_t begin, uint32_t end, uint64_t room)
{
    uint32_t range[2];
    range[0] = begin;
    range[1] = end;
    return measure(l, range, 1) <= room;
}

/* The last end up to `most` of a range that fits; `good` is one. By doubling, then by halving. */
static uint32_t find_end(line *l, uint32_t begin, uint32_t good, uint32_t most, uint64_t room)
{
    uint32_t step = 1;
    uint32_t bad = most + 1u;
    while (good + 1u < bad) {
        uint32_t const rest = bad - good;
        uint32_t const to =
            bad <= most ? good + rest / 2u : good + (step < rest ? step : rest - 1u);
        if (fits(l, begin, to, room)) {
            good = to;
            step *= 2u;
        } else {
            bad = to;
        }
    }
    return good;
}

/* Stages as long as the room permits in `trial`, none empty; 0 if there are none. */
static int fill(line *l, uint64_t room)
{
    l->trial[0] = 0;
    for (uint32_t s = 0; s < l->n_stages; s++) {
        uint32_t const begin = l->trial[s];
        uint32_t const most = l->n_units - (l->n_stages - s - 1u);
        if (l->steps > MOST_STEPS) {
            return 0;
        }
        l->trial[s + 1u] = find_end(l, begin, begin, most, room);
        if (l->trial[s + 1u] == begin) {
            return 0;
        }
    }
    return l->trial[l->n_stages] == l->n_units;
}

static void keep(line *l)
{
    memcpy(l->best, l->trial, ((size_t)l->n_stages + 1u) * sizeof *l->best);
}

/* Stages of equal numbers of calls. */
static uint64_t measure_equal(line *l)
{
    l->trial[0] = 0;
    for (uint32_t s = 0; s < l->n_stages; s++) {
        uint32_t const rest = l->n_units - l->trial[s];
        uint32_t const left = l->n_stages - s;
        l->trial[s + 1u] = l->trial[s] + rest / left + (rest % left != 0);
    }
    return measure(l, l->trial, l->n_stages);
}

/* The least largest need. */
static void find_least(line *l, cli_inference_result *r)
{
    for (uint32_t i = 0; i <= l->n_units; i++) {
        l->reach[i] = i;
    }
    r->lower_bound = measure(l, l->reach, l->n_units);
    r->reference = measure_equal(l);
    r->objective = r->reference;
    keep(l);
    while (r->lower_bound < r->objective && l->steps <= MOST_STEPS) {
        uint64_t const middle = r->lower_bound + (r->objective - r->lower_bound) / 2u;
        if (fill(l, middle)) {
            r->objective = measure(l, l->trial, l->n_stages);
            keep(l);
        } else if (l->steps <= MOST_STEPS) {
            r->lower_bound = middle + 1u;
        }
    }
}

/* ---- times ---- */

static uint64_t move_of(const line *l, gsp_node v)
{
    const gsp_costs *c = l->d->costs;
    return l->place[v] != GSP_NONE && c->move != NULL ? c->move[v] : 0u;
}

/* Extends a stage from place `begin` to the call at place i: what it computes and receives, and
 * what it hands on. */
static void extend(line *l, uint32_t begin, uint32_t i, uint64_t *time, uint64_t *leave)
{
    gsp_node const v = l->calls[i];
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(l->g, v, &n);
    l->steps += n + 1u;
    *time = cli_add(*time, l->d->costs->time != NULL ? l->d->costs->time[v] : 0u);
    *leave = cli_add(*leave, l->last[v] != GSP_NONE ? move_of(l, v) : 0u);
    while (n > 0) {
        gsp_node const u = in[--n];
        if (l->place[u] == GSP_NONE) {
            continue;
        }
        if (l->place[u] < begin && l->seen[u] != l->stamp) {
            l->seen[u] = l->stamp;
            *time = cli_add(*time, move_of(l, u));
        } else if (l->place[u] >= begin && l->last[u] == i && l->seen[u] != l->stamp) {
            l->seen[u] = l->stamp;
            *leave -= move_of(l, u);
        }
    }
}

/* One row of the table: stages s that begin at unit b, with `before` for the slowest so far. */
static void fill_row(
    line *l, uint32_t s, uint32_t b, uint64_t before, uint64_t *next, uint32_t *from)
{
    uint32_t const most = l->n_units - (l->n_stages - s - 1u);
    uint64_t time = s == 0 ? l->d->first_time : 0u;
    uint64_t leave = 0;
    l->stamp++;
    time = cli_add(time, s + 1u == l->n_stages ? l->d->last_time : 0u);
    for (uint32_t e = b + 1u; e <= l->reach[b] && e <= most; e++) {
        uint64_t load;
        for (uint32_t i = l->cut[e - 1u]; i < l->cut[e]; i++) {
            extend(l, l->cut[b], i, &time, &leave);
        }
        load = cli_add(time, leave);
        load = load > before ? load : before;
        if (load < next[e]) {
            next[e] = load;
            from[e] = b;
        }
    }
}

/* The fastest stages that fit; returns 0 if the table takes too long. */
static int find_fastest(line *l, cli_inference_result *r)
{
    size_t const n = (size_t)l->n_units + 1u;
    cli_session *const s = l->d->session;
    uint64_t *table = (uint64_t *)cli_alloc(s, 2u * n, sizeof *table);
    uint32_t *from = (uint32_t *)cli_alloc(s, n * l->n_stages + 1u, sizeof *from);
    uint64_t *now = table;
    uint64_t *next = table + n;
    memset(now, 0xFF, n * sizeof *now);
    now[0] = 0;
    for (uint32_t k = 0; k < l->n_stages && l->steps <= 2u * MOST_STEPS; k++) {
        uint64_t *const swap = now;
        memset(next, 0xFF, n * sizeof *next);
        for (uint32_t b = k; b < l->n_units && l->steps <= 2u * MOST_STEPS; b++) {
            if (now[b] != UINT64_MAX) {
                fill_row(l, k, b, now[b], next, from + k * n);
            }
        }
        now = next;
        next = swap;
    }
    r->complete = l->steps <= 2u * MOST_STEPS;
    if (r->complete) {
        r->objective = now[l->n_units];
        l->best[l->n_stages] = l->n_units;
        for (uint32_t k = l->n_stages; k > 0; k--) {
            l->best[k - 1u] = from[(k - 1u) * n + l->best[k]];
        }
    }
    cli_release(s, from);
    cli_release(s, table);
    return r->complete;
}

/* Finds the last end of a stage that fits, per begin; these ends are non-decreasing. */
static int find_reach(line *l)
{
    uint32_t end = 0;
    for (uint32_t b = 0; b < l->n_units; b++) {
        end = end > b ? end : b;
        while (end < l->n_units && fits(l, b, end + 1u, l->d->memory)) {
            end++;
        }
        l->reach[b] = end;
        if (l->steps > MOST_STEPS) {
            return 0;
        }
    }
    return 1;
}

static void find_stages(line *l, cli_inference_result *r)
{
    if (l->d->by_bytes) {
        find_least(l, r);
        r->complete = r->lower_bound == r->objective;
        r->fits = r->objective <= l->d->memory;
        return;
    }
    r->fits = fill(l, l->d->memory);
    if (!r->fits) {
        find_least(l, r);
        r->complete = r->lower_bound == r->objective;
        return;
    }
    keep(l);
    r->objective = UINT64_MAX; /* of the longest stages, which the caller measures */
    if (find_reach(l)) {
        (void)find_fastest(l, r);
    }
}

void cli_inference_run(const cli_inference_desc *desc, cli_inference_result *r)
{
    line l;
    open_line(&l, desc);
    memset(r, 0, sizeof *r);
    r->stage_of = (uint32_t *)cli_alloc(
        desc->session, (size_t)desc->graph->n_nodes + 1u, sizeof *r->stage_of);
    for (gsp_node v = 0; v < desc->graph->n_nodes; v++) {
        r->stage_of[v] = GSP_NONE;
    }
    r->n_stages = l.n_stages;
    if (l.n_units != 0) {
        find_stages(&l, r);
    }
    for (uint32_t s = 0; s < l.n_stages; s++) {
        for (uint32_t i = l.cut[l.best[s]]; i < l.cut[l.best[s + 1u]]; i++) {
            r->stage_of[l.calls[i]] = s;
        }
    }
    r->work = l.steps;
    close_line(&l);
}
