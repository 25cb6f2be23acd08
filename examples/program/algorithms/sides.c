/* Nodes on the CPU or on one of several accelerators: what a choice takes, one after the other. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

/* ---- units ---- */

/* Nodes of one group, and of groups that read each other in turns, are one unit. */
static void number_units(cli_sides *x, cli_session *s)
{
    const gsp_graph *g = x->d->graph;
    size_t const n = (size_t)g->n_nodes + 1u;
    size_t const n_edges = gsp_graph_counts(g).edges;
    uint32_t *first = (uint32_t *)cli_alloc(s, n, sizeof *first); /* of a group: 1 + a node */
    uint32_t *whole = (uint32_t *)cli_alloc(s, n, sizeof *whole); /* the node that stands for it */
    uint32_t *from = (uint32_t *)cli_alloc(s, n_edges + 1u, sizeof *from);
    uint32_t *to = (uint32_t *)cli_alloc(s, n_edges + 1u, sizeof *to);
    size_t n_pairs = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t const group = x->d->group[v];
        uint32_t n_in;
        const gsp_node *in = gsp_node_inputs(g, v, &n_in);
        whole[v] = v;
        if (gsp_node_is_callable(g, v) && group != GSP_NONE) {
            first[group] = first[group] != 0 ? first[group] : v + 1u;
            whole[v] = first[group] - 1u;
        }
        for (uint32_t i = 0; i < n_in && n_pairs < n_edges && gsp_node_is_callable(g, v); i++) {
            from[n_pairs] = whole[v];
            to[n_pairs++] = whole[in[i]];
        }
    }
    cli_lists before = cli_lists_make(s, g->n_nodes, from, to, n_pairs, g->n_nodes);
    uint32_t const n_rows = cli_lists_components(s, g->n_nodes, &before, x->unit);
    memset(first, 0, n * sizeof *first);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        x->unit[v] = x->unit[whole[v]];
        first[x->unit[v]] |= gsp_node_is_callable(g, v) ? 1u : 0u;
    }
    for (uint32_t i = 0; i < n_rows; i++) { /* components become units */
        first[i] = first[i] != 0 ? x->n++ : GSP_NONE;
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        x->unit[v] = gsp_node_op(g, v) == GSP_OP_GET_ATTR ? GSP_NONE
                     : gsp_node_is_callable(g, v)         ? first[x->unit[v]]
                                                          : x->n;
    }
    cli_lists_free(s, &before);
    cli_release(s, first);
    cli_release(s, whole);
    cli_release(s, from);
    cli_release(s, to);
}

/* A unit that could be nowhere is on the CPU, as elsewhere a group with a node that must be. */
static void sum_ticks(cli_sides *x, cli_session *s)
{
    const cli_sides_desc *d = x->d;
    uint64_t *cpu = (uint64_t *)cli_alloc(s, (size_t)x->n + 1u, sizeof *cpu);
    x->ticks = (uint64_t *)cli_alloc(s, (size_t)x->n * d->n_places + 1u, sizeof *x->ticks);
    for (gsp_node v = 0; v < d->graph->n_nodes; v++) {
        if (gsp_node_is_callable(d->graph, v)) {
            cpu[x->unit[v]] = cli_add(cpu[x->unit[v]], d->ticks[0][v]);
        }
        for (uint32_t p = 0; p < d->n_places && gsp_node_is_callable(d->graph, v); p++) {
            uint64_t *sum = &x->ticks[(size_t)x->unit[v] * d->n_places + p];
            *sum = d->can[p][v] ? cli_add(*sum, d->ticks[p][v]) : CLI_SIDES_NEVER;
        }
    }
    for (uint32_t u = 0; u < x->n; u++) {
        uint64_t *row = &x->ticks[(size_t)u * d->n_places];
        uint64_t most = 0;
        int any = 0;
        for (uint32_t p = 0; p < d->n_places; p++) {
            any |= row[p] != CLI_SIDES_NEVER;
            most = row[p] != CLI_SIDES_NEVER && row[p] > most ? row[p] : most;
        }
        row[0] = any ? row[0] : cpu[u];
        most = any ? most : cpu[u];
        x->most = cli_add(x->most, most);
    }
    cli_release(s, cpu);
}

/* ---- values ---- */

static uint64_t times(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Readers in other units, each once; stamp: [n + 1] the last value that a unit reads. */
static void add_value(cli_sides *x, gsp_node v, uint32_t *stamp)
{
    const gsp_graph *g = x->d->graph;
    cli_side_value *made = &x->values[x->n_values];
    uint32_t n;
    const gsp_node *users = gsp_node_users(g, v, &n);
    made->unit = x->unit[v];
    made->node = v;
    made->move = x->d->move[v];
    made->begin = made->end = x->n_readers;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const reader = x->unit[users[i]];
        if (reader != made->unit && stamp[reader] != v + 1u) {
            stamp[reader] = v + 1u;
            x->readers[made->end++] = reader;
        }
    }
    x->n_readers = made->end;
    x->n_values += made->end > made->begin ? 1u : 0u;
    x->most = cli_add(x->most, times(made->move, (uint64_t)(made->end - made->begin) + 1u));
}

static void list_values(cli_sides *x, cli_session *s)
{
    const gsp_graph *g = x->d->graph;
    size_t const n_edges = (size_t)gsp_graph_counts(g).edges + 1u;
    uint32_t *stamp = (uint32_t *)cli_alloc(s, (size_t)x->n + 1u, sizeof *stamp);
    uint32_t *from = (uint32_t *)cli_alloc(s, n_edges, sizeof *from);
    uint32_t *to = (uint32_t *)cli_alloc(s, n_edges, sizeof *to);
    size_t n = 0;
    x->values = (cli_side_value *)cli_alloc(s, (size_t)g->n_nodes + 1u, sizeof *x->values);
    x->readers = (uint32_t *)cli_alloc(s, n_edges, sizeof *x->readers);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (x->unit[v] != GSP_NONE && gsp_node_op(g, v) != GSP_OP_OUTPUT) {
            add_value(x, v, stamp);
        }
    }
    for (uint32_t i = 0; i < x->n_values; i++) {
        const cli_side_value *value = &x->values[i];
        for (uint32_t k = value->begin; k < value->end && value->unit != x->n; k++) {
            from[n] = value->unit;
            to[n] = x->readers[k];
            n += x->readers[k] != x->n ? 1u : 0u;
        }
    }
    x->after = cli_lists_make(s, x->n, from, to, n, x->n);
    x->before = cli_lists_make(s, x->n, to, from, n, x->n);
    cli_release(s, stamp);
    cli_release(s, from);
    cli_release(s, to);
}

void cli_sides_open(cli_sides *x, cli_session *s, const cli_sides_desc *desc)
{
    size_t const n = (size_t)desc->graph->n_nodes + 1u;
    memset(x, 0, sizeof *x);
    x->d = desc;
    x->unit = (uint32_t *)cli_alloc(s, n, sizeof *x->unit);
    number_units(x, s);
    sum_ticks(x, s);
    list_values(x, s);
    x->waits = (uint32_t *)cli_alloc(s, n, sizeof *x->waits);
    x->next = (uint32_t *)cli_alloc(s, n, sizeof *x->next);
    x->tail = (uint64_t *)cli_alloc(s, n, sizeof *x->tail);
    x->phase = (uint32_t *)cli_alloc(s, n, sizeof *x->phase);
    x->trial = (uint32_t *)cli_alloc(s, n, sizeof *x->trial);
    for (uint32_t p = 1; p < desc->n_places; p++) {
        x->has_launch |= desc->launch[p] != 0;
        x->most = cli_add(x->most, times(desc->launch[p], x->n));
    }
}

void cli_sides_close(cli_sides *x, cli_session *s)
{
    cli_lists_free(s, &x->before);
    cli_lists_free(s, &x->after);
    cli_release(s, x->unit);
    cli_release(s, x->ticks);
    cli_release(s, x->values);
    cli_release(s, x->readers);
    cli_release(s, x->waits);
    cli_release(s, x->next);
    cli_release(s, x->tail);
    cli_release(s, x->phase);
    cli_release(s, x->trial);
}

/* ---- the order of subgraphs ---- */

/* Which accelerator runs next, of those with units that are ready. */
typedef enum rule { LONGEST, FIRST, LAST, TURNS, RULES } rule;

/* The launches on paths that begin behind a unit. */
static void measure_tails(cli_sides *x, const uint8_t *at)
{
    for (uint32_t u = x->n; u > 0; u--) {
        uint64_t most = 0;
        for (uint32_t e = x->after.begin[u - 1u]; e < x->after.begin[u]; e++) {
            uint32_t const v = x->after.at[e];
            uint64_t const step = at[v] != at[u - 1u] && at[v] != 0 ? x->d->launch[at[v]] + 1u : 0u;
            most = x->tail[v] + step > most ? x->tail[v] + step : most;
        }
        x->tail[u - 1u] = most;
    }
}

static uint32_t pick(const cli_sides *x, rule r, const uint32_t *ready, uint32_t last)
{
    uint32_t const n = x->d->n_places;
    uint32_t best = 0;
    uint64_t most = 0;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t const p = r == TURNS ? 1u + (last + i - 1u) % (n - 1u) : i;
        if (ready[p] == GSP_NONE || (best != 0 && r != LONGEST && r != LAST)) {
            continue;
        }
        uint64_t longest = 0;
        for (uint32_t u = ready[p]; u != GSP_NONE && r == LONGEST; u = x->next[u]) {
            longest = x->tail[u] > longest ? x->tail[u] : longest;
        }
        if (best == 0 || r == LAST || longest > most) {
            best = p;
            most = longest;
        }
    }
    return best;
}

/* Runs all that is ready on the CPU, then on an accelerator, and so on. Returns the launches. */
static uint64_t run_phases(cli_sides *x, const uint8_t *at, rule r, uint32_t *n_subgraphs)
{
    uint32_t ready[256];
    uint32_t phase = 0;
    uint32_t place = 0;
    uint64_t sum = 0;
    memset(ready, 0xFF, sizeof ready);
    *n_subgraphs = 0;
    for (uint32_t u = x->n; u > 0; u--) {
        x->waits[u - 1u] = x->before.begin[u] - x->before.begin[u - 1u];
        if (x->waits[u - 1u] == 0) {
            x->next[u - 1u] = ready[at[u - 1u]];
            ready[at[u - 1u]] = u - 1u;
        }
    }
    do {
        while (ready[place] != GSP_NONE) {
            uint32_t const u = ready[place];
            ready[place] = x->next[u];
            x->trial[u] = phase;
            for (uint32_t e = x->after.begin[u]; e < x->after.begin[u + 1u]; e++) {
                uint32_t const v = x->after.at[e];
                if (--x->waits[v] == 0) {
                    x->next[v] = ready[at[v]];
                    ready[at[v]] = v;
                }
            }
        }
        phase++;
        place = ready[0] != GSP_NONE ? 0u : pick(x, r, ready, place);
        sum += place != 0 ? x->d->launch[place] : 0u;
        *n_subgraphs += place != 0 ? 1u : 0u;
    } while (place != 0 || ready[0] != GSP_NONE);
    x->work += 4u * (uint64_t)x->n + 2u * x->after.begin[x->n];
    return sum;
}

static uint64_t least_launches(cli_sides *x, const uint8_t *at)
{
    uint32_t const rules = x->has_launch && x->d->n_places > 2u ? (uint32_t)RULES : 1u;
    uint64_t least = UINT64_MAX;
    measure_tails(x, at);
    for (uint32_t r = 0; r < rules; r++) {
        uint32_t n_subgraphs;
        uint64_t const sum = run_phases(x, at, (rule)r, &n_subgraphs);
        if (sum < least) {
            uint32_t *const other = x->phase;
            x->phase = x->trial;
            x->trial = other;
            x->n_subgraphs = n_subgraphs;
            least = sum;
        }
    }
    return least;
}

/* ---- times ---- */

uint64_t cli_sides_moves(const cli_sides *x, const cli_side_value *value, const uint8_t *at)
{
    uint64_t seen[4] = {0};
    uint32_t const from = value->unit == x->n ? 0u : at[value->unit];
    uint64_t n = 0;
    for (uint32_t k = value->begin; k < value->end; k++) {
        uint32_t const to = x->readers[k] == x->n ? 0u : at[x->readers[k]];
        if (to != from && (seen[to / 64u] >> (to % 64u) & 1u) == 0) {
            seen[to / 64u] |= (uint64_t)1u << (to % 64u);
            n += to != 0 ? 1u : 0u;
            seen[0] |= 1u; /* by way of the CPU's memory */
        }
    }
    return n + (from != 0 ? seen[0] & 1u : 0u);
}

uint64_t cli_sides_time(cli_sides *x, const uint8_t *at)
{
    uint64_t sum = least_launches(x, at);
    for (uint32_t u = 0; u < x->n; u++) {
        uint64_t const ticks = x->ticks[(size_t)u * x->d->n_places + at[u]];
        if (ticks == CLI_SIDES_NEVER) {
            return UINT64_MAX;
        }
        sum += ticks;
    }
    for (uint32_t i = 0; i < x->n_values; i++) {
        sum += x->values[i].move * cli_sides_moves(x, &x->values[i], at);
    }
    x->work += x->n_readers;
    return sum;
}
