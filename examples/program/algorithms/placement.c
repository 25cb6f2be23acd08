/* Nodes on devices. A device holds, per node, its output, its parameters and the values that it
 * reads from other devices, and each placeholder and get_attr once. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WORK ((uint64_t)1 << 36) /* nodes squared and four per edge, of all trials */

void cli_placement_open(cli_placement *r, cli_session *s, const gsp_graph *g,
    const gsp_device *devices, uint32_t n_devices)
{
    size_t n = (size_t)g->n_nodes + 1u;
    size_t n_rows = 0;
    r->g = g;
    r->devices = devices;
    r->n_devices = n_devices;
    r->n_calls = 0;
    r->calls = (gsp_node *)cli_alloc(s, n, sizeof *r->calls);
    r->device_of = (uint32_t *)cli_alloc(s, n, sizeof *r->device_of);
    r->used = (uint64_t *)cli_alloc(s, (size_t)n_devices + 1u, sizeof *r->used);
    r->row = (uint32_t *)cli_alloc(s, n, sizeof *r->row);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        r->device_of[v] = GSP_NONE;
        if (gsp_node_is_callable(g, v)) {
            r->calls[r->n_calls++] = v;
        } else {
            r->row[v] = (uint32_t)n_rows++;
        }
    }
    r->held = (uint32_t *)cli_alloc(s, n_rows * n_devices + 1u, sizeof *r->held);
}

uint32_t cli_placement_called(const gsp_graph *g)
{
    uint32_t n = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        n += gsp_node_is_callable(g, v) ? 1u : 0u;
    }
    return n;
}

uint64_t cli_placement_trials(const gsp_graph *g)
{
    uint64_t const n = cli_placement_called(g);
    return MOST_WORK / (n * n + 4u * (uint64_t)gsp_graph_counts(g).edges + 1u) + 1u;
}

uint64_t cli_placement_params(const gsp_graph *g, gsp_node v)
{
    const uint64_t *run = g->module->run_bytes;
    return !gsp_node_is_callable(g, v) ? 0u
           : run == NULL               ? gsp_node_params(g, v)
                                       : cli_add(run[g->first + v], gsp_node_params(g, v));
}

uint64_t cli_placement_node_bytes(const gsp_graph *g, gsp_node v)
{
    return gsp_node_bytes(g, v) + cli_placement_params(g, v);
}

uint64_t cli_placement_sum(const gsp_graph *g)
{
    uint64_t sum = 0;
    for (gsp_node v = 0; v + 1u < g->n_nodes; v++) {
        sum = cli_add(sum, cli_add(gsp_node_bytes(g, v), cli_placement_params(g, v)));
    }
    return sum;
}

/* Adds `sign` times the bytes of v on a device that does not have it. */
static void count_node(cli_placement *r, gsp_node v, uint32_t device, uint32_t sign)
{
    uint64_t const factor = sign == 1u ? 1u : UINT64_MAX; /* -1, modulo 2^64 */
    uint64_t bytes = cli_placement_node_bytes(r->g, v);
    uint32_t n;
    const gsp_node *at = gsp_node_inputs(r->g, v, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (gsp_node_is_callable(r->g, at[i])) {
            bytes += r->device_of[at[i]] != device ? gsp_node_bytes(r->g, at[i]) : 0u;
        } else {
            uint32_t *held = &r->held[(size_t)r->row[at[i]] * r->n_devices + device];
            uint32_t const before = *held;
            *held += sign;
            bytes += before == 0 || *held == 0 ? gsp_node_bytes(r->g, at[i]) : 0u;
        }
    }
    at = gsp_node_users(r->g, v, &n);
    for (uint32_t i = 0; i < n; i++) {
        bytes -= r->device_of[at[i]] == device ? gsp_node_bytes(r->g, v) : 0u;
    }
    r->used[device] += factor * bytes;
}

void cli_placement_put(cli_placement *r, gsp_node v, uint32_t device)
{
    count_node(r, v, device, 1u);
    r->device_of[v] = device;
}

void cli_placement_take(cli_placement *r, gsp_node v)
{
    uint32_t const device = r->device_of[v];
    r->device_of[v] = GSP_NONE;
    count_node(r, v, device, UINT32_MAX);
}

void cli_placement_clear(cli_placement *r)
{
    for (uint32_t i = 0; i < r->n_calls; i++) {
        if (r->device_of[r->calls[i]] != GSP_NONE) {
            cli_placement_take(r, r->calls[i]);
        }
    }
}

void cli_placement_close(const cli_placement *r, cli_session *s)
{
    cli_release(s, r->calls);
    cli_release(s, r->device_of);
    cli_release(s, r->used);
    cli_release(s, r->row);
    cli_release(s, r->held);
}

int cli_placement_fits(const cli_placement *r, uint32_t device)
{
    return r->used[device] <= r->devices[device].bytes;
}

void cli_placement_shift(cli_placement *r, gsp_node v, uint32_t to)
{
    cli_placement_take(r, v);
    cli_placement_put(r, v, to);
}

int cli_placement_move(cli_placement *r, gsp_node v, uint32_t to)
{
    uint32_t const from = r->device_of[v];
    cli_placement_shift(r, v, to);
    if (cli_placement_fits(r, from) && cli_placement_fits(r, to)) {
        return 1;
    }
    cli_placement_shift(r, v, from);
    return 0;
}

/* ---- parts ---- */

typedef struct place {
    uint32_t phase;
    uint32_t device;
    gsp_node node;
} place;

static int compare(const void *a, const void *b)
{
    const place *x = (const place *)a;
    const place *y = (const place *)b;
    if (x->phase != y->phase) {
        return x->phase < y->phase ? -1 : 1;
    }
    if (x->device != y->device) {
        return x->device < y->device ? -1 : 1;
    }
    return x->node < y->node ? -1 : 1;
}

uint32_t cli_placement_phases(
    const cli_placement *r, cli_session *s, uint32_t *part_of, uint32_t *device_of)
{
    uint32_t *phase = (uint32_t *)cli_alloc(s, (size_t)r->g->n_nodes + 1u, sizeof *phase);
    place *places = (place *)cli_alloc(s, (size_t)r->n_calls + 1u, sizeof *places);
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_calls; i++) {
        gsp_node const v = r->calls[i];
        uint32_t n_in;
        const gsp_node *in = cli_before(r->g, v, &n_in);
        for (uint32_t k = 0; k < n_in; k++) {
            uint32_t const at = r->device_of[in[k]];
            uint32_t const then =
                phase[in[k]] + (at != GSP_NONE && at != r->device_of[v] ? 1u : 0u);
            phase[v] = then > phase[v] ? then : phase[v];
        }
        places[i].phase = phase[v];
        places[i].device = r->device_of[v];
        places[i].node = v;
    }
    qsort(places, r->n_calls, sizeof *places, compare);
    for (uint32_t i = 0; i < r->n_calls; i++) {
        if (i == 0 || places[i].phase != places[i - 1u].phase ||
            places[i].device != places[i - 1u].device) {
            device_of[n++] = places[i].device;
        }
        part_of[places[i].node] = n - 1u;
    }
    cli_release(s, places);
    cli_release(s, phase);
    return n;
}
