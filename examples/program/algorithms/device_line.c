/* The called nodes of a graph as a line of units, and what ranges of them take: a range grows by
 * one unit, and each value, parameter and layer counts once. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

/* ---- the line ---- */

/* Places where a stage may begin, which are outside of groups. */
static void find_cuts(cli_device_line *l)
{
    const uint32_t *first = l->d->group;
    uint32_t *last =
        (uint32_t *)cli_alloc(l->d->session, (size_t)l->d->graph->n_nodes + 1u, sizeof *last);
    uint32_t reach = 0;
    for (uint32_t i = 0; i < l->n_calls; i++) {
        gsp_node const v = l->calls[i];
        last[first != NULL && first[v] != GSP_NONE ? first[v] : v] = i;
    }
    for (uint32_t i = 0; i < l->n_calls; i++) {
        gsp_node const v = l->calls[i];
        uint32_t const end = last[first != NULL && first[v] != GSP_NONE ? first[v] : v];
        if (i == 0 || reach < i) {
            l->cut[l->n++] = i;
        }
        reach = end > reach ? end : reach;
    }
    l->cut[l->n] = l->n_calls;
    cli_release(l->d->session, last);
}

/* Keeps so many of the places, at about equal times. */
static void thin_cuts(cli_device_line *l)
{
    const uint64_t *time = l->d->costs->time;
    double all = 0.0;
    double before = 0.0;
    uint32_t n = 1;
    uint32_t unit = 1;
    if (l->d->most_units == 0 || l->n <= l->d->most_units) {
        return;
    }
    for (uint32_t i = 0; i < l->n_calls; i++) {
        all += (double)time[l->calls[i]] + 1.0;
    }
    for (uint32_t i = 0; i < l->n_calls; i++) {
        if (unit < l->n && l->cut[unit] == i) {
            unit++;
            if (n < l->d->most_units && before >= all * n / l->d->most_units) {
                l->cut[n++] = i;
            }
        }
        before += (double)time[l->calls[i]] + 1.0;
    }
    l->n = n;
    l->cut[n] = l->n_calls;
}

static uint64_t cost_at(const uint64_t *costs, gsp_node v)
{
    return costs != NULL ? costs[v] : 0u;
}

/* The units before a place of calls that is no later, by halving. */
static uint32_t unit_of(const cli_device_line *l, uint32_t place)
{
    uint32_t low = 0;
    for (uint32_t high = l->n; high - low > 1u;) {
        uint32_t const middle = low + (high - low) / 2u;
        low = l->cut[middle] <= place ? middle : low;
        high = l->cut[middle] <= place ? high : middle;
    }
    return low;
}

/* Adds a value to the sums of the places that it crosses, as differences. */
static void add_cross(uint64_t *sums, uint32_t from, uint32_t to, uint64_t value)
{
    sums[from + 1u] += value;
    sums[to + 1u] -= value;
}

static void sum_units(cli_device_line *l)
{
    for (uint32_t i = 0; i < l->n_calls; i++) {
        gsp_node const v = l->calls[i];
        uint32_t const from = unit_of(l, i);
        uint64_t const bytes = gsp_node_bytes(l->d->graph, v);
        int const given = gsp_node_attr(l->d->graph, v, GSP_KEY_COMM).data != NULL;
        l->time[from + 1u] += cost_at(l->d->costs->time, v);
        if (l->last[v] != GSP_NONE) {
            uint32_t const to = unit_of(l, l->last[v]);
            uint64_t const move = cost_at(l->d->costs->move, v);
            add_cross(l->cross, from, to, move);
            add_cross(l->own, from, to, given ? move : 0u);
            add_cross(l->bytes, from, to, given ? 0u : bytes);
            add_cross(l->all, from, to, bytes);
        }
    }
    for (uint32_t u = 0; u < l->n; u++) {
        l->time[u + 1u] += l->time[u];
        l->cross[u + 1u] += l->cross[u];
        l->own[u + 1u] += l->own[u];
        l->bytes[u + 1u] += l->bytes[u];
        l->all[u + 1u] += l->all[u];
    }
}

static void read_calls(cli_device_line *l)
{
    const gsp_graph *g = l->d->graph;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        int const member = gsp_node_is_callable(g, v) && !gsp_stages_is_marker(g, v, l->d->marker);
        l->place[v] = member ? l->n_calls : GSP_NONE;
        if (member) {
            l->calls[l->n_calls++] = v;
        }
        l->last[v] = GSP_NONE;
    }
    for (uint32_t i = 0; i < l->n_calls; i++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(g, l->calls[i], &n);
        while (n > 0) {
            l->last[in[--n]] = i;
        }
    }
}

/* Whether each value has memory of its own, which no part of it outlives. */
static int is_plain(const gsp_graph *g)
{
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (gsp_node_attr(g, v, GSP_KEY_ALIAS).data != NULL ||
            (gsp_node_op(g, v) != GSP_OP_OUTPUT &&
                gsp_node_value_kind(g, v) == GSP_VALUE_AGGREGATE)) {
            return 0;
        }
    }
    return 1;
}

/* The bytes that live while each call runs, in the whole line and as a range of its own: those of
 * any range are between the two. */
static void read_live(cli_device_line *l)
{
    const gsp_graph *g = l->d->graph;
    gsp_liveness_desc desc = {0};
    gsp_liveness_result whole;
    gsp_liveness_result alone;
    gsp_arena arena;
    uint32_t *part_of = (uint32_t *)cli_alloc(l->d->session, 2u * (size_t)g->n_nodes + 1u, 4u);
    desc.n_parts = l->n_calls + 1u;
    desc.part_of = l->part;
    cli_arena(l->d->session, &arena, 2u * gsp_liveness_bound(g, &desc));
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        l->part[v] = l->place[v] == GSP_NONE;
        part_of[v] = l->place[v] == GSP_NONE ? l->n_calls : l->place[v];
    }
    desc.n_parts = 2;
    l->plain = gsp_liveness_run(&arena, g, &desc, &whole, NULL) == GSP_OK;
    desc.n_parts = l->n_calls + 1u;
    desc.part_of = part_of;
    l->plain = l->plain && gsp_liveness_run(&arena, g, &desc, &alone, NULL) == GSP_OK;
    for (uint32_t i = 0; i < l->n_calls && l->plain; i++) {
        l->live[i] = whole.live[i];
        l->alone[i] = alone.parts[i].bytes;
    }
    cli_release(l->d->session, arena.base);
    cli_release(l->d->session, part_of);
}

void cli_device_line_open(cli_device_line *l, const cli_device_line_desc *desc)
{
    cli_session *const s = desc->session;
    size_t const n = (size_t)desc->graph->n_nodes + 2u;
    memset(l, 0, sizeof *l);
    l->d = desc;
    l->calls = (gsp_node *)cli_alloc(s, n, sizeof *l->calls);
    l->cut = (uint32_t *)cli_alloc(s, n, sizeof *l->cut);
    l->time = (uint64_t *)cli_alloc(s, n, sizeof *l->time);
    l->cross = (uint64_t *)cli_alloc(s, n, sizeof *l->cross);
    l->own = (uint64_t *)cli_alloc(s, n, sizeof *l->own);
    l->bytes = (uint64_t *)cli_alloc(s, n, sizeof *l->bytes);
    l->all = (uint64_t *)cli_alloc(s, n, sizeof *l->all);
    l->place = (uint32_t *)cli_alloc(s, n, sizeof *l->place);
    l->last = (uint32_t *)cli_alloc(s, n, sizeof *l->last);
    l->seen = (uint32_t *)cli_alloc(s, n, sizeof *l->seen);
    l->seen_layer = (uint32_t *)cli_alloc(s, 2u * n, sizeof *l->seen_layer);
    l->seen_item =
        (uint32_t *)cli_alloc(s, (size_t)desc->costs->n_items + 1u, sizeof *l->seen_item);
    l->part = (uint32_t *)cli_alloc(s, n, sizeof *l->part);
    l->live = (uint64_t *)cli_alloc(s, n, sizeof *l->live);
    l->alone = (uint64_t *)cli_alloc(s, n, sizeof *l->alone);
    cli_params_open(&l->params, s, desc->graph->module);
    read_calls(l);
    if (!desc->trains && l->n_calls != 0 && is_plain(desc->graph)) {
        read_live(l);
    }
    find_cuts(l);
    thin_cuts(l);
    sum_units(l);
}

void cli_device_line_close(cli_device_line *l)
{
    cli_session *const s = l->d->session;
    cli_params_close(&l->params, s);
    cli_release(s, l->alone);
    cli_release(s, l->live);
    cli_release(s, l->part);
    cli_release(s, l->seen_item);
    cli_release(s, l->seen_layer);
    cli_release(s, l->seen);
    cli_release(s, l->last);
    cli_release(s, l->place);
    cli_release(s, l->all);
    cli_release(s, l->bytes);
    cli_release(s, l->own);
    cli_release(s, l->cross);
    cli_release(s, l->time);
    cli_release(s, l->cut);
    cli_release(s, l->calls);
}

/* ---- ranges ---- */

cli_device_range cli_device_range_open(cli_device_line *l, uint32_t begin)
{
    cli_device_range r;
    memset(&r, 0, sizeof r);
    r.begin = begin;
    r.end = begin;
    if (l->d->carried) {
        r.enter = l->cross[begin];
        r.stash = l->all[begin];
        r.passing = l->all[begin];
    }
    l->stamp++;
    cli_params_clear(&l->params);
    return r;
}

/* Parameters: in training those that the library counts, once each. */
static uint64_t params_of(cli_device_line *l, gsp_node v)
{
    const gsp_costs *c = l->d->costs;
    uint64_t sum = 0;
    if (!l->d->trains) {
        return cli_params_of(&l->params, l->d->graph, v);
    }
    for (uint32_t i = c->item_begin[v]; i < c->item_begin[v + 1u]; i++) {
        sum += l->seen_item[c->items[i]] != l->stamp ? c->item_bytes[c->items[i]] : 0u;
        l->seen_item[c->items[i]] = l->stamp;
    }
    return sum;
}

/* A value that a call at a place reads. */
static void read_value(cli_device_line *l, cli_device_range *r, gsp_node u, uint32_t place)
{
    uint64_t const move = cost_at(l->d->costs->move, u);
    uint64_t const bytes = gsp_node_bytes(l->d->graph, u);
    int const before = l->place[u] == GSP_NONE || l->place[u] < l->cut[r->begin];
    if (l->seen[u] == l->stamp || (!before && l->last[u] != place)) {
        r->most += before && r->least != 0 ? bytes : 0u; /* it may live longer */
        return;
    }
    l->seen[u] = l->stamp;
    r->most += before ? bytes : 0u;
    if (l->d->carried) {
        r->passing -= before && l->place[u] != GSP_NONE ? bytes : 0u;
    } else if (!before) {
        r->leave -= move;
    } else if (l->place[u] != GSP_NONE) {
        r->enter += move;
        r->stash += cost_at(l->d->costs->stash, u);
    }
}

void cli_device_range_grow(cli_device_line *l, cli_device_range *r)
{
    const gsp_graph *g = l->d->graph;
    for (uint32_t i = l->cut[r->end]; i < l->cut[r->end + 1u]; i++) {
        gsp_node const v = l->calls[i];
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(g, v, &n);
        l->work += n + 1u;
        r->params = cli_add(r->params, params_of(l, v));
        r->stash += cost_at(l->d->costs->stash, v);
        r->most = cli_add(r->most, gsp_node_bytes(g, v));
        r->most = cli_add(
            r->most, g->module->run_bytes != NULL ? g->module->run_bytes[g->first + v] : 0u);
        r->leave += l->last[v] != GSP_NONE && !l->d->carried ? cost_at(l->d->costs->move, v) : 0u;
        if (l->d->layer[v] != GSP_NONE && l->seen_layer[l->d->layer[v]] != l->stamp) {
            l->seen_layer[l->d->layer[v]] = l->stamp;
            r->kv = cli_add(r->kv, l->d->kv[v]);
        }
        while (n > 0) {
            read_value(l, r, in[--n], i);
        }
        r->top = l->live[i] > r->top ? l->live[i] : r->top;
        r->least = l->alone[i] > r->least ? l->alone[i] : r->least;
    }
    r->end++;
    if (l->plain) {
        r->most = r->top < r->most ? r->top : r->most;
        r->most = l->cut[r->end] - l->cut[r->begin] == 1u ? r->least : r->most;
    }
    r->leave = l->d->carried ? l->cross[r->end] : r->leave;
}

void cli_device_range_measure(cli_device_line *l, cli_device_range *r)
{
    cli_need need = {0};
    gsp_error err;
    if (r->least == r->most) {
        return;
    }
    for (gsp_node v = 0; v < l->d->graph->n_nodes; v++) {
        l->part[v] = 1u;
    }
    for (uint32_t i = l->cut[r->begin]; i < l->cut[r->end]; i++) {
        l->part[l->calls[i]] = 0u;
    }
    l->work += l->d->graph->n_nodes;
    if (cli_need_measure(l->d->session, l->d->graph, l->part, 2u, 1u, &need, &err) == GSP_OK) {
        r->most = need.peak;
    }
    r->least = r->most;
}
