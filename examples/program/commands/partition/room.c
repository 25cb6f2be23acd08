/* Nodes on devices. A device holds, per node, its output, its parameters and the values that it
 * reads from other devices, and each placeholder and get_attr once. */
#include "commands/partition/partition.h"

#include "algorithms/algorithms.h"

#include <stdlib.h>
#include <string.h>

void partition_room_open(partition_room *r, partition *p)
{
    cli_session *s = p->session;
    size_t n = (size_t)p->graph.n_nodes + 1u;
    size_t n_rows = 0;
    gsp_node v;
    r->g = &p->graph;
    r->devices = p->devices;
    r->n_devices = p->n_devices;
    r->n_calls = 0;
    r->calls = (gsp_node *)cli_alloc(s, n, sizeof *r->calls);
    r->device_of = (uint32_t *)cli_alloc(s, n, sizeof *r->device_of);
    r->used = (uint64_t *)cli_alloc(s, (size_t)p->n_devices + 1u, sizeof *r->used);
    r->row = (uint32_t *)cli_alloc(s, n, sizeof *r->row);
    for (v = 0; v < p->graph.n_nodes; v++) {
        r->device_of[v] = GSP_NONE;
        if (gsp_node_is_callable(&p->graph, v)) {
            r->calls[r->n_calls++] = v;
        } else {
            r->row[v] = (uint32_t)n_rows++;
        }
    }
    r->held = (uint32_t *)cli_alloc(s, n_rows * p->n_devices + 1u, sizeof *r->held);
}

uint64_t partition_node_bytes(const gsp_graph *g, gsp_node v)
{
    return gsp_node_bytes(g, v) +
           (gsp_node_op(g, v) == GSP_OP_CALL_MODULE ? gsp_node_params(g, v) : 0u);
}

/* Adds `sign` times the bytes of v on a device that does not have it. */
static void count_node(partition_room *r, gsp_node v, uint32_t device, uint32_t sign)
{
    uint64_t const factor = sign == 1u ? 1u : UINT64_MAX; /* -1, modulo 2^64 */
    uint64_t bytes = partition_node_bytes(r->g, v);
    uint32_t n;
    uint32_t i;
    const gsp_node *at = gsp_node_inputs(r->g, v, &n);
    for (i = 0; i < n; i++) {
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
    for (i = 0; i < n; i++) {
        bytes -= r->device_of[at[i]] == device ? gsp_node_bytes(r->g, v) : 0u;
    }
    r->used[device] += factor * bytes;
}

void partition_room_put(partition_room *r, gsp_node v, uint32_t device)
{
    count_node(r, v, device, 1u);
    r->device_of[v] = device;
}

void partition_room_take(partition_room *r, gsp_node v)
{
    uint32_t const device = r->device_of[v];
    r->device_of[v] = GSP_NONE;
    count_node(r, v, device, UINT32_MAX);
}

void partition_room_clear(partition_room *r)
{
    uint32_t i;
    for (i = 0; i < r->n_calls; i++) {
        if (r->device_of[r->calls[i]] != GSP_NONE) {
            partition_room_take(r, r->calls[i]);
        }
    }
}

void partition_room_close(const partition_room *r, cli_session *s)
{
    cli_release(s, r->calls);
    cli_release(s, r->device_of);
    cli_release(s, r->used);
    cli_release(s, r->row);
    cli_release(s, r->held);
}

int partition_room_fits(const partition_room *r, uint32_t device)
{
    return r->used[device] <= r->devices[device].bytes;
}

void partition_room_shift(partition_room *r, gsp_node v, uint32_t to)
{
    partition_room_take(r, v);
    partition_room_put(r, v, to);
}

int partition_room_move(partition_room *r, gsp_node v, uint32_t to)
{
    uint32_t const from = r->device_of[v];
    partition_room_shift(r, v, to);
    if (partition_room_fits(r, from) && partition_room_fits(r, to)) {
        return 1;
    }
    partition_room_shift(r, v, from);
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

uint32_t partition_phases(
    const partition_room *r, cli_session *s, uint32_t *part_of, uint32_t *device_of)
{
    uint32_t *phase = (uint32_t *)cli_alloc(s, (size_t)r->g->n_nodes + 1u, sizeof *phase);
    place *places = (place *)cli_alloc(s, (size_t)r->n_calls + 1u, sizeof *places);
    uint32_t n = 0;
    uint32_t i;
    uint32_t k;
    for (i = 0; i < r->n_calls; i++) {
        gsp_node const v = r->calls[i];
        uint32_t n_in;
        const gsp_node *in = cli_before(r->g, v, &n_in);
        for (k = 0; k < n_in; k++) {
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
    for (i = 0; i < r->n_calls; i++) {
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

void partition_give(partition *p, const uint32_t *part_of, uint32_t n, const uint32_t *device_of)
{
    cli_session *s = p->session;
    gsp_part_devices *on = (gsp_part_devices *)cli_alloc(s, (size_t)n + 1u, sizeof *on);
    uint32_t *ids = (uint32_t *)cli_alloc(s, (size_t)n + 1u, sizeof *ids);
    uint32_t i;
    for (i = 0; i < n; i++) {
        ids[i] = p->devices[device_of[i]].id;
        on[i].part = i;
        on[i].n_ids = 1;
        on[i].ids = &ids[i];
    }
    p->desc.mode = GSP_PARTITION_AOT;
    p->desc.devices = p->devices;
    p->desc.n_devices = p->n_devices;
    p->desc.part_of = part_of;
    p->desc.part_devices = on;
    p->desc.n_part_devices = n;
}
