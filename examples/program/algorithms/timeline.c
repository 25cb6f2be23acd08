/* Nodes one after the other on each device: a node takes the first gap after its inputs arrive. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static double transfer(const cli_timeline *t, gsp_node v)
{
    return t->rate > 0.0 ? (double)gsp_node_bytes(t->placement->g, v) / t->rate : 0.0;
}

typedef struct ranked {
    double rank;
    gsp_node node;
} ranked;

static int compare(const void *a, const void *b)
{
    const ranked *x = (const ranked *)a;
    const ranked *y = (const ranked *)b;
    if (x->rank > y->rank || x->rank < y->rank) {
        return x->rank > y->rank ? -1 : 1;
    }
    return x->node < y->node ? -1 : 1;
}

/* Inputs come before their readers: no rank is below that of a reader; ties are by number. */
static void make_list(cli_timeline *t, cli_session *s)
{
    const cli_placement *r = t->placement;
    double *rank = t->begin;
    ranked *all = (ranked *)cli_alloc(s, (size_t)r->n_calls + 1u, sizeof *all);
    for (uint32_t i = r->n_calls; i > 0; i--) {
        gsp_node const v = r->calls[i - 1u];
        uint32_t n;
        const gsp_node *users = gsp_node_users(r->g, v, &n);
        double below = 0.0;
        while (n != 0) {
            gsp_node const u = users[--n];
            if (gsp_node_is_callable(r->g, u) && rank[u] + transfer(t, v) > below) {
                below = rank[u] + transfer(t, v);
            }
        }
        rank[v] = t->seconds[v] + below;
        all[i - 1u].rank = rank[v];
        all[i - 1u].node = v;
    }
    qsort(all, r->n_calls, sizeof *all, compare);
    for (uint32_t i = 0; i < r->n_calls; i++) {
        t->list[i] = all[i].node;
    }
    cli_release(s, all);
}

static void open_rows(cli_line_rows *r, cli_session *s, size_t n)
{
    r->before = (uint32_t *)cli_alloc(s, n, sizeof *r->before);
    r->after = (uint32_t *)cli_alloc(s, n, sizeof *r->after);
}

void cli_timeline_open(cli_timeline *t, cli_session *s, cli_placement *placement, double rate)
{
    size_t const n = (size_t)placement->g->n_nodes + placement->n_devices;
    t->placement = placement;
    t->n = placement->g->n_nodes;
    t->rate = rate;
    t->seconds = (double *)cli_alloc(s, n, sizeof *t->seconds);
    t->begin = (double *)cli_alloc(s, n, sizeof *t->begin);
    t->end = (double *)cli_alloc(s, n, sizeof *t->end);
    t->list = (gsp_node *)cli_alloc(s, n, sizeof *t->list);
    open_rows(&t->rows, s, n);
    open_rows(&t->gaps, s, n);
    for (size_t head = t->n; head < n; head++) {
        t->begin[head] = DBL_MAX;
    }
    for (uint32_t i = 0; i < placement->n_calls; i++) {
        gsp_node const v = placement->calls[i];
        double const mem = gsp_node_seconds(placement->g, v, GSP_KEY_MEM);
        double const compute = gsp_node_seconds(placement->g, v, GSP_KEY_COMPUTE);
        t->seconds[v] = mem > compute ? mem : compute;
    }
    make_list(t, s);
}

void cli_timeline_close(const cli_timeline *t, cli_session *s)
{
    cli_release(s, t->seconds);
    cli_release(s, t->begin);
    cli_release(s, t->end);
    cli_release(s, t->list);
    cli_release(s, t->rows.before);
    cli_release(s, t->rows.after);
    cli_release(s, t->gaps.before);
    cli_release(s, t->gaps.after);
}

/* The time at which the inputs of v are on a device. */
static double arrival(const cli_timeline *t, gsp_node v, uint32_t device)
{
    const cli_placement *r = t->placement;
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(r->g, v, &n);
    double at = 0.0;
    while (n != 0) {
        gsp_node const u = in[--n];
        double there = t->end[u];
        if (r->device_of[u] == GSP_NONE) {
            continue;
        }
        there += r->device_of[u] != device ? transfer(t, u) : 0.0;
        at = there > at ? there : at;
    }
    return at;
}

/* The begin of v on a device; *after: the row before it there. What takes no time begins when
 * another ends; anything else fits into gaps alone. */
static double earliest(cli_timeline *t, gsp_node v, uint32_t device, uint32_t *after)
{
    const cli_line_rows *way = t->seconds[v] > 0.0 ? &t->gaps : &t->rows;
    double at = arrival(t, v, device);
    uint32_t x = way->before[t->n + device];
    while (x < t->n && t->end[x] > at) {
        x = way->before[x];
        t->work++;
    }
    while (t->begin[t->rows.after[x]] - at < t->seconds[v]) {
        x = way->after[x];
        at = t->end[x] > at ? t->end[x] : at;
        t->work++;
    }
    *after = x;
    return at;
}

static void link_row(const cli_line_rows *r, uint32_t v, uint32_t x)
{
    uint32_t const next = r->after[x];
    r->before[v] = x;
    r->after[v] = next;
    r->after[x] = v;
    r->before[next] = v;
}

static void insert(const cli_timeline *t, gsp_node v, double begin, uint32_t x)
{
    uint32_t const next = t->rows.after[x];
    t->begin[v] = begin;
    t->end[v] = begin + t->seconds[v];
    if (t->begin[next] > t->end[v]) {
        link_row(&t->gaps, v, x);
    }
    if (x < t->n && t->begin[next] > t->end[x] && !(begin > t->end[x])) {
        uint32_t const before = t->gaps.before[x];
        t->gaps.after[before] = t->gaps.after[x];
        t->gaps.before[t->gaps.after[x]] = before;
    }
    link_row(&t->rows, v, x);
}

/* No row but the heads of the devices, which end at 0 and begin after all others. */
static void clear(cli_timeline *t)
{
    for (uint32_t head = t->n; head < t->n + t->placement->n_devices; head++) {
        t->rows.before[head] = t->rows.after[head] = head;
        t->gaps.before[head] = t->gaps.after[head] = head;
    }
    t->work = 0;
}

int cli_timeline_place(cli_timeline *t)
{
    cli_placement *r = t->placement;
    clear(t);
    for (uint32_t i = 0; i < r->n_calls; i++) {
        gsp_node const v = t->list[i];
        uint32_t best = GSP_NONE;
        double begin = 0.0;
        uint32_t after = GSP_NONE;
        for (uint32_t d = 0; d < r->n_devices; d++) {
            uint32_t x;
            double const at = earliest(t, v, d, &x);
            int fits;
            if (best != GSP_NONE && at >= begin) {
                continue;
            }
            cli_placement_put(r, v, d);
            fits = cli_placement_fits(r, d);
            cli_placement_take(r, v);
            if (fits) {
                best = d;
                begin = at;
                after = x;
            }
        }
        if (best == GSP_NONE) {
            return 0;
        }
        cli_placement_put(r, v, best);
        insert(t, v, begin, after);
    }
    return 1;
}

double cli_timeline_run(cli_timeline *t, double limit)
{
    const cli_placement *r = t->placement;
    double total = 0.0;
    clear(t);
    for (uint32_t i = 0; i < r->n_calls && total < limit; i++) {
        gsp_node const v = t->list[i];
        uint32_t after;
        double const at = earliest(t, v, r->device_of[v], &after);
        insert(t, v, at, after);
        total = t->end[v] > total ? t->end[v] : total;
    }
    return total;
}
