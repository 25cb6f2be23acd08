/* A placement that fits: every node where it adds least, then moves, then a bounded search. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

#define MOST_SWEEPS 16u
#define MOST_VISITS ((uint64_t)1u << 27) /* of nodes, inputs and devices: about a second */
#define MOST_FAILED ((uint32_t)1u << 17) /* states that are kept */
#define MOST_WORDS  ((uint32_t)1u << 24) /* of them */
#define MOST_LOOKED 256u                 /* states of a hash */

/* ---- moves ---- */

static uint64_t excess_of(const cli_placement *r, uint32_t device)
{
    return cli_placement_fits(r, device) ? 0u : r->used[device] - r->devices[device].bytes;
}

/* Bytes above capacities. */
static uint64_t excess(const cli_placement *r)
{
    uint64_t sum = 0;
    for (uint32_t d = 0; d < r->n_devices; d++) {
        sum += excess_of(r, d);
    }
    return sum;
}

/* Each node where the least is above, and the least added. */
static void fill(cli_placement *r)
{
    for (uint32_t i = 0; i < r->n_calls; i++) {
        uint32_t best = 0;
        uint64_t least_above = UINT64_MAX;
        uint64_t least = UINT64_MAX;
        for (uint32_t d = 0; d < r->n_devices; d++) {
            uint64_t const before = r->used[d];
            uint64_t above;
            uint64_t added;
            cli_placement_put(r, r->calls[i], d);
            above = excess_of(r, d);
            added = r->used[d] - before;
            cli_placement_take(r, r->calls[i]);
            if (above < least_above || (above == least_above && added < least)) {
                best = d;
                least_above = above;
                least = added;
            }
        }
        cli_placement_put(r, r->calls[i], best);
    }
}

/* Moves a node where it lowers the excess most. */
static int lower(cli_placement *r, gsp_node v, uint64_t *now)
{
    uint32_t const from = r->device_of[v];
    uint32_t best = from;
    for (uint32_t d = 0; d < r->n_devices; d++) {
        uint64_t then = *now;
        if (d != from) {
            cli_placement_shift(r, v, d);
            then = excess(r);
        }
        if (then < *now) {
            *now = then;
            best = d;
        }
    }
    cli_placement_shift(r, v, best);
    return best != from;
}

static int improve(cli_placement *r)
{
    uint64_t now = excess(r);
    int moved = 1;
    for (uint32_t sweep = 0; sweep < MOST_SWEEPS && moved && now != 0; sweep++) {
        moved = 0;
        for (uint32_t i = 0; i < r->n_calls && now != 0; i++) {
            moved |= lower(r, r->calls[i], &now);
        }
    }
    return now == 0;
}

/* ---- the search ---- */

/* Depth first, in graph order: the bytes that a node adds to its device are known when it is
 * placed. Later nodes depend on the bytes in use and on the devices of live values, so a state
 * fails if one with the same devices, and no more bytes on any, has failed. */
typedef struct search {
    cli_placement *r;
    uint32_t *tried; /* [n_calls] devices, from the one with the least added on */
    uint32_t *order; /* [n_calls][n_devices] */
    uint64_t *added; /* [n_devices] */
    uint64_t *least; /* [n_devices] */
    uint64_t *bytes; /* [n] of the output */
    uint64_t visits;
    uint32_t *last;  /* [n] 1 + index of the last call that reads a node, or 0 */
    uint32_t stride; /* words of a state */
    uint32_t n_failed;
    uint32_t most_failed;
    uint32_t *table;  /* [MOST_FAILED] 1 + the last failed state of a hash */
    uint32_t *next;   /* [most_failed] 1 + the one before */
    uint32_t *state;  /* [most_failed + 1][stride] */
    uint64_t *in_use; /* [most_failed][n_devices] */
} search;

/* least[d]: bytes that v takes at least on device d, given the nodes that are placed. */
static void find_least(search *w, gsp_node v)
{
    const cli_placement *r = w->r;
    uint64_t all = cli_placement_node_bytes(r->g, v);
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(r->g, v, &n);
    memset(w->least, 0, r->n_devices * sizeof *w->least);
    w->visits += r->n_devices + n;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t const at = r->device_of[in[k]];
        if (at != GSP_NONE) {
            all += w->bytes[in[k]];
            w->least[at] += w->bytes[in[k]];
        }
    }
    for (uint32_t d = 0; d < r->n_devices; d++) {
        w->least[d] = all - w->least[d];
    }
}

/* Whether each node from i on has a device for itself, and all of them room together. */
static int may_fit(search *w, uint32_t i)
{
    const cli_placement *r = w->r;
    uint64_t left = 0;
    for (uint32_t d = 0; d < r->n_devices; d++) {
        uint64_t const more = r->devices[d].bytes - r->used[d];
        left = left <= UINT64_MAX - more ? left + more : UINT64_MAX;
    }
    for (; i < r->n_calls; i++) {
        uint64_t least = UINT64_MAX;
        find_least(w, r->calls[i]);
        for (uint32_t d = 0; d < r->n_devices; d++) {
            uint64_t const need = w->least[d];
            least = need <= r->devices[d].bytes - r->used[d] && need < least ? need : least;
        }
        if (least > left) {
            return 0;
        }
        left -= least;
    }
    return 1;
}

/* Devices for node i by what it adds; of equal empty ones only the first. */
static uint32_t choices(search *w, uint32_t i)
{
    cli_placement *r = w->r;
    uint32_t *order = w->order + (size_t)i * r->n_devices;
    uint32_t n = 0;
    uint32_t k;
    for (uint32_t d = 0; d < r->n_devices; d++) {
        uint64_t const before = r->used[d];
        int twin = 0;
        for (k = 0; k < d && before == 0 && !twin; k++) {
            twin = r->used[k] == 0 && r->devices[k].bytes == r->devices[d].bytes;
        }
        cli_placement_put(r, r->calls[i], d);
        w->added[d] = r->used[d] - before;
        if (!twin && cli_placement_fits(r, d)) {
            for (k = n++; k > 0 && w->added[order[k - 1u]] > w->added[d]; k--) {
                order[k] = order[k - 1u];
            }
            order[k] = d;
        }
        cli_placement_take(r, r->calls[i]);
    }
    for (k = n; k < r->n_devices; k++) {
        order[k] = GSP_NONE;
    }
    return n;
}

/* Appends the state before call i to the failed ones; returns its hash. */
static uint32_t put_state(search *w, uint32_t i)
{
    const cli_placement *r = w->r;
    uint32_t *state = w->state + (size_t)w->n_failed * w->stride;
    uint32_t hash = 2166136261u;
    uint32_t n = 0;
    memset(state, 0, w->stride * sizeof *state);
    state[n++] = i;
    for (gsp_node v = 0; v < r->g->n_nodes; v++) {
        if (w->last[v] <= i) {
            continue;
        }
        if (gsp_node_is_callable(r->g, v)) {
            state[n++] = r->device_of[v]; /* GSP_NONE for a later node */
        } else {
            for (uint32_t d = 0; d < r->n_devices; d++) {
                state[n++] = r->held[(size_t)r->row[v] * r->n_devices + d] != 0;
            }
        }
    }
    for (uint32_t d = 0; d < n; d++) {
        hash = (hash ^ state[d]) * 16777619u;
    }
    return (hash ^ hash >> 15) % MOST_FAILED;
}

static int has_failed(search *w, uint32_t i)
{
    const cli_placement *r = w->r;
    uint32_t k = w->table[put_state(w, i)];
    const uint32_t *state = w->state + (size_t)w->n_failed * w->stride;
    for (uint32_t looked = 0; k != 0 && looked < MOST_LOOKED; looked++) {
        const uint64_t *in_use = w->in_use + (size_t)(k - 1u) * r->n_devices;
        uint32_t d = 0;
        while (d < r->n_devices && in_use[d] <= r->used[d]) {
            d++;
        }
        if (d == r->n_devices && memcmp(state, w->state + (size_t)(k - 1u) * w->stride,
                                     w->stride * sizeof *state) == 0) {
            return 1;
        }
        k = w->next[k - 1u];
    }
    return 0;
}

static void add_failed(search *w, uint32_t i)
{
    uint32_t hash;
    if (w->n_failed == w->most_failed) {
        return;
    }
    hash = put_state(w, i);
    memcpy(w->in_use + (size_t)w->n_failed * w->r->n_devices, w->r->used,
        w->r->n_devices * sizeof *w->r->used);
    w->next[w->n_failed] = w->table[hash];
    w->table[hash] = ++w->n_failed;
}

static cli_placement_found search_all(search *w, uint64_t most)
{
    cli_placement *r = w->r;
    uint32_t i = 0;
    (void)choices(w, 0);
    while (w->visits < most) {
        uint32_t const t = w->tried[i]++;
        uint32_t const d = t < r->n_devices ? w->order[(size_t)i * r->n_devices + t] : GSP_NONE;
        if (d == GSP_NONE) { /* back */
            w->tried[i] = 0;
            add_failed(w, i);
            if (i == 0) {
                return CLI_PLACEMENT_PROVED;
            }
            cli_placement_take(r, r->calls[--i]);
            continue;
        }
        cli_placement_put(r, r->calls[i], d);
        if (i + 1u == r->n_calls) {
            return CLI_PLACEMENT_FOUND;
        }
        if (may_fit(w, i + 1u) && !has_failed(w, i + 1u) && choices(w, i + 1u) != 0) {
            i++;
        } else {
            cli_placement_take(r, r->calls[i]);
        }
    }
    return CLI_PLACEMENT_NOT_FOUND;
}

static void open_search(search *w, cli_session *s)
{
    const cli_placement *r = w->r;
    w->tried = (uint32_t *)cli_alloc(s, (size_t)r->n_calls + 1u, sizeof *w->tried);
    w->order = (uint32_t *)cli_alloc(s, (size_t)r->n_calls * r->n_devices + 1u, sizeof *w->order);
    w->added = (uint64_t *)cli_alloc(s, (size_t)r->n_devices + 1u, sizeof *w->added);
    w->least = (uint64_t *)cli_alloc(s, (size_t)r->n_devices + 1u, sizeof *w->least);
    w->bytes = (uint64_t *)cli_alloc(s, (size_t)r->g->n_nodes + 1u, sizeof *w->bytes);
    w->last = (uint32_t *)cli_alloc(s, (size_t)r->g->n_nodes + 1u, sizeof *w->last);
    w->stride = 1;
    for (uint32_t i = 0; i < r->g->n_nodes; i++) {
        w->stride += gsp_node_is_callable(r->g, i) ? 1u : r->n_devices;
        w->bytes[i] = gsp_node_bytes(r->g, i);
    }
    for (uint32_t i = 0; i < r->n_calls; i++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(r->g, r->calls[i], &n);
        while (n != 0) {
            w->last[in[--n]] = i + 1u;
        }
    }
    w->most_failed = MOST_WORDS / w->stride < MOST_FAILED ? MOST_WORDS / w->stride : MOST_FAILED;
    w->table = (uint32_t *)cli_alloc(s, MOST_FAILED, sizeof *w->table);
    w->next = (uint32_t *)cli_alloc(s, (size_t)w->most_failed + 1u, sizeof *w->next);
    w->state =
        (uint32_t *)cli_alloc(s, ((size_t)w->most_failed + 1u) * w->stride, sizeof *w->state);
    w->in_use =
        (uint64_t *)cli_alloc(s, ((size_t)w->most_failed + 1u) * r->n_devices, sizeof *w->in_use);
}

static void close_search(const search *w, cli_session *s)
{
    cli_release(s, w->tried);
    cli_release(s, w->order);
    cli_release(s, w->added);
    cli_release(s, w->least);
    cli_release(s, w->bytes);
    cli_release(s, w->last);
    cli_release(s, w->table);
    cli_release(s, w->next);
    cli_release(s, w->state);
    cli_release(s, w->in_use);
}

cli_placement_found cli_placement_search(cli_placement *r, cli_session *s, uint64_t work)
{
    search w = {0};
    cli_placement_found found;
    fill(r);
    if (improve(r)) {
        return CLI_PLACEMENT_FOUND;
    }
    cli_placement_clear(r);
    w.r = r;
    open_search(&w, s);
    found = search_all(&w, work > MOST_VISITS ? work : MOST_VISITS);
    close_search(&w, s);
    return found;
}
