/* Stages of inference, which need memory for parameters and for the peak of live bytes. A range
 * that grows never needs less. So stages as long as a limit permits are the fewest, and bisection
 * finds the least limit. The fastest are those on devices that are equal. */
#include "algorithms/algorithms.h"

#include "core/core.h"
#include "examples/extra/graphsplit_devices.h"

#include <string.h>

#define MOST_STEPS ((uint64_t)1u << 24) /* nodes of the ranges measured */

typedef struct line {
    const cli_inference_desc *d;
    const gsp_graph *g;
    gsp_node *calls;  /* [n] nodes of stages */
    uint32_t *cut;    /* [n_units + 1] places of calls where a stage may begin or end */
    uint32_t *part;   /* [nodes] of the measured ranges */
    cli_need *needs;  /* [n_units + 1] */
    uint32_t *trial;  /* [n_units + 1] units where stages begin */
    uint32_t *best;   /* [n_stages + 1] the same of the result */
    uint32_t *low;    /* [n_stages + 1] the same of stages as long as too little room permits, */
    uint32_t *high;   /* [n_stages + 1] and enough room: those in between begin in between */
    uint64_t next;    /* least need of a stage in `trial` and one unit more, if known */
    uint32_t n;       /* calls */
    uint32_t n_units; /* between places where a stage may begin */
    uint32_t n_stages;
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
        if (gsp_node_is_callable(l->g, v) && !gsp_stages_is_marker(l->g, v, l->d->marker)) {
            l->calls[l->n++] = v;
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
    l->cut = (uint32_t *)cli_alloc(d->session, n, sizeof *l->cut);
    l->part = (uint32_t *)cli_alloc(d->session, n, sizeof *l->part);
    l->needs = (cli_need *)cli_alloc(d->session, n, sizeof *l->needs);
    l->trial = (uint32_t *)cli_alloc(d->session, n, sizeof *l->trial);
    l->best = (uint32_t *)cli_alloc(d->session, n, sizeof *l->best);
    l->low = (uint32_t *)cli_alloc(d->session, n, sizeof *l->low);
    l->high = (uint32_t *)cli_alloc(d->session, n, sizeof *l->high);
    memset(l->high, 0xFF, n * sizeof *l->high);
    read_line(l);
}

static void close_line(const line *l)
{
    cli_release(l->d->session, l->high);
    cli_release(l->d->session, l->low);
    cli_release(l->d->session, l->best);
    cli_release(l->d->session, l->trial);
    cli_release(l->d->session, l->needs);
    cli_release(l->d->session, l->part);
    cli_release(l->d->session, l->cut);
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

static uint64_t need_of(line *l, uint32_t begin, uint32_t end)
{
    uint32_t range[2];
    range[0] = begin;
    range[1] = end;
    return measure(l, range, 1);
}

/* The last end up to `most` of a range that fits; `good` is one. By steps that double from an equal
 * share, then in turns by halving and where a line between the needs meets the room. */
static uint32_t find_end(line *l, uint32_t begin, uint32_t good, uint32_t most, uint64_t room)
{
    uint64_t over = UINT64_MAX; /* need up to `bad` */
    uint64_t under = 0;         /* and up to `good`, if known */
    uint32_t step = good > begin ? 1u : l->n_units / l->n_stages;
    uint32_t bad = most + 1u;
    int by_line = 0;
    while (good + 1u < bad) {
        uint32_t const rest = bad - good;
        uint32_t to = good + (bad <= most ? rest / 2u : step < rest ? step : rest - 1u);
        uint64_t need;
        by_line = !by_line && under != 0 && over != UINT64_MAX;
        if (by_line) {
            double const part = (double)(room - under) / (double)(over - under);
            to = good + 1u + (uint32_t)(part * (rest - 2u));
        }
        need = need_of(l, begin, to);
        if (need <= room) {
            under = need;
            good = to;
            step *= 2u;
        } else {
            over = need;
            bad = to;
        }
    }
    l->next = over < l->next ? over : l->next;
    return good;
}

/* Stages as long as the room permits in `trial`, none empty; 0 if there are none. */
static int fill(line *l, uint64_t room)
{
    l->trial[0] = 0;
    l->next = UINT64_MAX;
    for (uint32_t s = 0; s < l->n_stages; s++) {
        uint32_t const begin = l->trial[s];
        uint32_t const good = l->low[s + 1u] > begin ? l->low[s + 1u] : begin;
        uint32_t most = l->n_units - (l->n_stages - s - 1u);
        most = l->high[s + 1u] < most ? l->high[s + 1u] : most;
        if (l->steps > MOST_STEPS) {
            return 0;
        }
        l->trial[s + 1u] = find_end(l, begin, good, most, room);
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
        l->trial[i] = i;
    }
    r->lower_bound = measure(l, l->trial, l->n_units);
    r->reference = measure_equal(l);
    r->objective = r->reference;
    keep(l);
    while (r->lower_bound < r->objective && l->steps <= MOST_STEPS) {
        uint64_t const middle = r->lower_bound + (r->objective - r->lower_bound) / 2u;
        if (fill(l, middle)) {
            r->objective = measure(l, l->trial, l->n_stages);
            keep(l);
            memcpy(l->high, l->trial, ((size_t)l->n_stages + 1u) * sizeof *l->high);
        } else if (l->steps <= MOST_STEPS) {
            /* with less room than the next need the stages are the same */
            r->lower_bound = l->next < r->objective ? l->next : r->objective;
            memcpy(l->low, l->trial, ((size_t)l->n_stages + 1u) * sizeof *l->low);
        }
    }
}

/* ---- times ---- */

/* Takes the fastest stages that fit, as those on equal devices, if they are proved to be. */
static void find_fastest(const line *l, cli_inference_result *r)
{
    const cli_inference_desc *d = l->d;
    size_t const n = l->g->n_nodes;
    gsp_stages_device *devices =
        (gsp_stages_device *)cli_alloc(d->session, (size_t)l->n_stages + 1u, sizeof *devices);
    gsp_stages_unequal_desc u = {0};
    gsp_stages_unequal_result found;
    gsp_costs costs = *d->costs;
    gsp_arena arena;
    cli_params params;
    for (uint32_t i = 0; i < l->n_stages; i++) {
        gsp_stages_device const one = {d->memory, 1.0, 0};
        devices[i] = one;
    }
    cli_params_open(&params, d->session, l->g->module);
    cli_params_items(&params, d->session, l->g, &costs);
    cli_params_close(&params, d->session);
    u.devices = devices;
    u.n_devices = l->n_stages;
    u.costs = &costs;
    u.keep_groups = d->group != NULL;
    u.copies = (uint32_t)d->copies;
    u.first_time = d->first_time;
    u.last_time = d->last_time;
    u.marker = d->marker;
    cli_arena(d->session, &arena, gsp_stages_unequal_bound(l->g, &u));
    r->complete =
        gsp_stages_unequal_run(&arena, l->g, &u, &found, NULL) == GSP_OK && found.proved != 0u;
    if (r->complete) {
        r->work = found.work;
        r->objective = found.objective;
        memcpy(r->stage_of, found.stage_of, n * sizeof *r->stage_of);
    }
    cli_release(d->session, arena.base);
    cli_release(d->session, devices);
}

/* Returns 1 if the stages fit, and others that fit may be faster. */
static int find_stages(line *l, cli_inference_result *r)
{
    if (!l->d->by_bytes && fill(l, l->d->memory)) {
        keep(l);
        r->fits = 1;
        r->objective = UINT64_MAX; /* which the caller measures */
        return 1;
    }
    find_least(l, r);
    r->complete = r->lower_bound == r->objective;
    r->fits = l->d->by_bytes && r->objective <= l->d->memory;
    return 0;
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
    int const by_time = l.n_units != 0 && find_stages(&l, r);
    for (uint32_t s = 0; s < l.n_stages; s++) {
        for (uint32_t i = l.cut[l.best[s]]; i < l.cut[l.best[s + 1u]]; i++) {
            r->stage_of[l.calls[i]] = s;
        }
    }
    if (by_time) {
        find_fastest(&l, r);
    }
    r->work += l.steps;
    close_line(&l);
}
