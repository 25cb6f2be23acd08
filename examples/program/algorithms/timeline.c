/* Nodes one after the other on each device: a node takes the first gap after its inputs arrive. */
#include "algorithms/algorithms.h"

#include "core/core.h"

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

void cli_timeline_open(cli_timeline *t, cli_session *s, cli_placement *placement, double rate)
{
    size_t n = (size_t)placement->g->n_nodes + 1u;
    t->placement = placement;
    t->rate = rate;
    t->seconds = (double *)cli_alloc(s, n, sizeof *t->seconds);
    t->begin = (double *)cli_alloc(s, n, sizeof *t->begin);
    t->end = (double *)cli_alloc(s, n, sizeof *t->end);
    t->list = (gsp_node *)cli_alloc(s, n, sizeof *t->list);
    t->first = (gsp_node *)cli_alloc(s, (size_t)placement->n_devices + 1u, sizeof *t->first);
    t->last = (gsp_node *)cli_alloc(s, (size_t)placement->n_devices + 1u, sizeof *t->last);
    t->before = (gsp_node *)cli_alloc(s, n, sizeof *t->before);
    t->after = (gsp_node *)cli_alloc(s, n, sizeof *t->after);
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
    cli_release(s, t->first);
    cli_release(s, t->last);
    cli_release(s, t->before);
    cli_release(s, t->after);
}

/* The begin of v on a device; *after: the node before it there, or GSP_NONE. */
static double earliest(const cli_timeline *t, gsp_node v, uint32_t device, gsp_node *after)
{
    const cli_placement *r = t->placement;
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(r->g, v, &n);
    double at = 0.0;
    gsp_node x = t->last[device];
    gsp_node y;
    while (n != 0) {
        gsp_node const u = in[--n];
        double there = t->end[u];
        if (r->device_of[u] == GSP_NONE) {
            continue;
        }
        there += r->device_of[u] != device ? transfer(t, u) : 0.0;
        at = there > at ? there : at;
    }
    while (x != GSP_NONE && t->end[x] > at) {
        x = t->before[x];
    }
    y = x == GSP_NONE ? t->first[device] : t->after[x];
    while (y != GSP_NONE && t->begin[y] - at < t->seconds[v]) {
        at = t->end[y] > at ? t->end[y] : at;
        x = y;
        y = t->after[y];
    }
    *after = x;
    return at;
}

static void insert(cli_timeline *t, gsp_node v, uint32_t device, double begin, gsp_node after)
{
    gsp_node const next = after == GSP_NONE ? t->first[device] : t->after[after];
    t->begin[v] = begin;
    t->end[v] = begin + t->seconds[v];
    t->before[v] = after;
    t->after[v] = next;
    *(after == GSP_NONE ? &t->first[device] : &t->after[after]) = v;
    *(next == GSP_NONE ? &t->last[device] : &t->before[next]) = v;
}

static void clear(const cli_timeline *t)
{
    memset(t->first, 0xFF, t->placement->n_devices * sizeof *t->first);
    memset(t->last, 0xFF, t->placement->n_devices * sizeof *t->last);
}

int cli_timeline_place(cli_timeline *t)
{
    cli_placement *r = t->placement;
    clear(t);
    for (uint32_t i = 0; i < r->n_calls; i++) {
        gsp_node const v = t->list[i];
        uint32_t best = GSP_NONE;
        double begin = 0.0;
        gsp_node after = GSP_NONE;
        for (uint32_t d = 0; d < r->n_devices; d++) {
            gsp_node x;
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
        insert(t, v, best, begin, after);
    }
    return 1;
}

double cli_timeline_run(cli_timeline *t)
{
    const cli_placement *r = t->placement;
    double total = 0.0;
    clear(t);
    for (uint32_t i = 0; i < r->n_calls; i++) {
        gsp_node const v = t->list[i];
        gsp_node after;
        double const at = earliest(t, v, r->device_of[v], &after);
        insert(t, v, r->device_of[v], at, after);
        total = t->end[v] > total ? t->end[v] : total;
    }
    return total;
}
