/* Downsets, size by size: each set leads to those with one more ready unit, and a hash table finds
 * equal ones. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

typedef struct search {
    cli_session *session;
    const cli_units *u;
    cli_downsets *d;
    uint32_t *ready;  /* [room * width] units that can be next */
    uint32_t *hash;   /* [room] */
    uint32_t *slots;  /* [mask + 1] hash table of the sets of the next size */
    uint32_t *orders; /* [n_orders] hashes of the beginnings so far */
    uint32_t mask;
    uint32_t level; /* the first set of the next size */
    uint32_t room;
    uint32_t n_edges;
    uint32_t edge_room;
    uint64_t n_edges_ever; /* with those removed; each counts more if sets are wide */
} search;

/* A set of the next size, to sort. */
typedef struct ranked {
    uint64_t move;
    uint32_t set;
} ranked;

/* ---- sets ---- */

static int has(const uint32_t *set, uint32_t i)
{
    return (set[i / 32u] >> (i % 32u) & 1u) != 0u;
}

static void put(uint32_t *set, uint32_t i)
{
    set[i / 32u] |= (uint32_t)1u << (i % 32u);
}

int cli_downset_has(const cli_downsets *d, uint32_t set, uint32_t unit)
{
    return has(d->sets + d->width * set, unit);
}

static uint32_t hash_of(uint32_t unit)
{
    uint32_t h = (unit + 1u) * 0x9E3779B1u;
    h = (h ^ h >> 16) * 0x85EBCA6Bu;
    return h ^ h >> 13;
}

static int is_ready(const cli_units *u, uint32_t unit, const uint32_t *set)
{
    for (uint32_t k = u->before.begin[unit]; k < u->before.begin[unit + 1u]; k++) {
        if (!has(set, u->before.at[k])) {
            return 0;
        }
    }
    return 1;
}

/* ---- room ---- */

static void *grown(search *w, void *block, size_t count, size_t size)
{
    return cli_grow(w->session, block, count * size);
}

static void make_room(search *w)
{
    cli_downsets *d = w->d;
    if (d->n == w->room) {
        w->room = w->room * 2u + 64u;
        d->sets = (uint32_t *)grown(w, d->sets, w->room * d->width, sizeof *d->sets);
        d->begin = (uint32_t *)grown(w, d->begin, (size_t)w->room + 1u, sizeof *d->begin);
        d->move = (uint64_t *)grown(w, d->move, w->room, sizeof *d->move);
        d->stash = (uint64_t *)grown(w, d->stash, w->room, sizeof *d->stash);
        w->ready = (uint32_t *)grown(w, w->ready, w->room * d->width, sizeof *w->ready);
        w->hash = (uint32_t *)grown(w, w->hash, w->room, sizeof *w->hash);
    }
    if (w->n_edges == w->edge_room) {
        w->edge_room = w->edge_room * 2u + 64u;
        d->unit = (uint32_t *)grown(w, d->unit, w->edge_room, sizeof *d->unit);
        d->to = (uint32_t *)grown(w, d->to, w->edge_room, sizeof *d->to);
    }
}

/* ---- the table of the next size ---- */

static uint32_t *slot_of(const search *w, uint32_t set)
{
    const cli_downsets *d = w->d;
    uint32_t slot = w->hash[set] & w->mask;
    while (w->slots[slot] != NONE &&
           (w->hash[w->slots[slot]] != w->hash[set] ||
               memcmp(d->sets + d->width * w->slots[slot], d->sets + d->width * set,
                   d->width * sizeof *d->sets) != 0)) {
        slot = (slot + 1u) & w->mask;
    }
    return &w->slots[slot];
}

/* Sets from `level` on, in a table that is at most half full. */
static void fill_slots(search *w)
{
    memset(w->slots, 0xFF, ((size_t)w->mask + 1u) * sizeof *w->slots);
    for (uint32_t i = w->level; i < w->d->n; i++) {
        *slot_of(w, i) = i;
    }
}

static void widen(search *w)
{
    if ((w->d->n - w->level) * 2u >= w->mask) {
        w->mask = w->mask * 2u + 1u;
        w->slots = (uint32_t *)grown(w, w->slots, (size_t)w->mask + 1u, sizeof *w->slots);
        fill_slots(w);
    }
}

/* ---- from one size to the next ---- */

/* The values that have units on both sides, after `unit` has come. */
static void weigh(search *w, uint32_t set, uint32_t unit)
{
    const cli_units *u = w->u;
    const uint32_t *row = w->d->sets + w->d->width * set;
    for (uint32_t k = u->values.begin[unit]; k < u->values.begin[unit + 1u]; k++) {
        uint32_t const value = u->values.at[k];
        uint32_t const end = u->members.begin[value + 1u];
        uint32_t in = 0;
        for (uint32_t i = u->members.begin[value]; i < end; i++) {
            in += has(row, u->members.at[i]) ? 1u : 0u;
        }
        if (in == 1u) {
            w->d->move[set] += u->shared[value].move;
            w->d->stash[set] += u->shared[value].stash;
        } else if (in == end - u->members.begin[value]) {
            w->d->move[set] -= u->shared[value].move;
            w->d->stash[set] -= u->shared[value].stash;
        }
    }
}

/* Adds what a set becomes with a unit, unless it is there. */
static void add(search *w, uint32_t from, uint32_t unit)
{
    cli_downsets *d = w->d;
    size_t const width = d->width;
    uint32_t *slot;
    make_room(w);
    memcpy(d->sets + width * d->n, d->sets + width * from, width * sizeof *d->sets);
    put(d->sets + width * d->n, unit);
    w->hash[d->n] = w->hash[from] ^ hash_of(unit);
    slot = slot_of(w, d->n);
    d->unit[w->n_edges] = unit;
    d->to[w->n_edges++] = *slot == NONE ? d->n : *slot;
    if (*slot != NONE) {
        return;
    }
    *slot = d->n;
    memcpy(w->ready + width * d->n, w->ready + width * from, width * sizeof *d->sets);
    w->ready[width * d->n + unit / 32u] &= ~((uint32_t)1u << (unit % 32u));
    for (uint32_t k = w->u->after.begin[unit]; k < w->u->after.begin[unit + 1u]; k++) {
        if (is_ready(w->u, w->u->after.at[k], d->sets + width * d->n)) {
            put(w->ready + width * d->n, w->u->after.at[k]);
        }
    }
    d->move[d->n] = d->move[from];
    d->stash[d->n] = d->stash[from];
    weigh(w, d->n++, unit);
    widen(w);
}

static int by_move(const void *a, const void *b)
{
    const ranked *x = (const ranked *)a;
    const ranked *y = (const ranked *)b;
    if (x->move != y->move) {
        return x->move < y->move ? -1 : 1;
    }
    return x->set < y->set ? -1 : x->set > y->set;
}

static int is_beginning(const search *w, uint32_t n_orders, uint32_t set)
{
    uint32_t i = 0;
    while (i < n_orders && w->orders[i] != w->hash[set]) {
        i++;
    }
    return i < n_orders;
}

/* Of the sets of the next size the `beam` with least to move remain, and the beginnings of orders;
 * edges from `first_edge` on lead to them. */
static void keep_best(search *w, uint32_t beam, uint32_t n_orders, uint32_t first_edge)
{
    cli_downsets *d = w->d;
    size_t const bytes = d->width * sizeof *d->sets;
    uint32_t const n = d->n - w->level;
    ranked *list = (ranked *)cli_alloc(w->session, n, sizeof *list);
    uint32_t *place = (uint32_t *)cli_alloc(w->session, n, sizeof *place);
    for (uint32_t i = 0; i < n; i++) {
        list[i].move = d->move[w->level + i];
        list[i].set = i;
    }
    qsort(list, n, sizeof *list, by_move);
    for (uint32_t i = 0; i < n; i++) {
        place[list[i].set] = i < beam || is_beginning(w, n_orders, w->level + list[i].set);
    }
    d->n = w->level;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const from = w->level + i;
        if (!place[i]) {
            place[i] = NONE;
            continue;
        }
        memmove(d->sets + d->width * d->n, d->sets + d->width * from, bytes);
        memmove(w->ready + d->width * d->n, w->ready + d->width * from, bytes);
        w->hash[d->n] = w->hash[from];
        d->move[d->n] = d->move[from];
        d->stash[d->n] = d->stash[from];
        place[i] = d->n++;
    }
    for (uint32_t i = first_edge; i < w->n_edges; i++) {
        d->to[i] = place[d->to[i] - w->level];
    }
    cli_release(w->session, list);
    cli_release(w->session, place);
}

/* Edges of removed sets are removed, too. */
static void close_edges(search *w, uint32_t begin, uint32_t end)
{
    cli_downsets *d = w->d;
    uint32_t const n_edges = w->n_edges;
    uint32_t at = d->begin[begin];
    w->n_edges = at;
    for (uint32_t set = begin; set < end; set++) {
        uint32_t const last = set + 1u < end ? d->begin[set + 1u] : n_edges;
        d->begin[set] = w->n_edges;
        for (; at < last; at++) {
            if (d->to[at] != NONE) {
                d->unit[w->n_edges] = d->unit[at];
                d->to[w->n_edges++] = d->to[at];
            }
        }
    }
}

/* The sets after one: with all ready units, or, if it begins some of the orders, with their next
 * units. */
static void expand(
    search *w, uint32_t set, int all, const uint32_t *orders, uint32_t n_orders, uint32_t size)
{
    uint32_t unit;
    for (unit = 0; unit < w->u->n && all; unit++) {
        if (has(w->ready + w->d->width * set, unit)) {
            add(w, set, unit);
        }
    }
    for (uint32_t i = 0; i < n_orders && !all; i++) {
        unit = orders[(size_t)i * w->u->n + size];
        if (w->hash[set] == (w->orders[i] ^ hash_of(unit)) &&
            has(w->ready + w->d->width * set, unit)) {
            add(w, set, unit);
        }
    }
}

/* All sizes in turn; 0 if not all sets are there. A beam has only the orders after `most` edges. */
static int grow(search *w, uint32_t most, uint32_t beam, const uint32_t *orders, uint32_t n_orders)
{
    cli_downsets *d = w->d;
    uint32_t begin = 0;
    int complete = 1;
    for (uint32_t size = 0; size < w->u->n; size++) {
        uint32_t const end = d->n;
        uint32_t const first_edge = w->n_edges;
        int const all = beam == 0 || w->n_edges_ever < most;
        w->level = end;
        w->mask = all ? w->mask : 255u;
        complete = complete && all;
        fill_slots(w);
        for (uint32_t i = 0; i < n_orders; i++) {
            w->orders[i] ^= hash_of(orders[(size_t)i * w->u->n + size]);
        }
        for (uint32_t i = begin; i < end; i++) {
            d->begin[i] = w->n_edges;
            expand(w, i, all, orders, n_orders, size);
            if (beam == 0 && d->n > most) {
                return 0;
            }
        }
        w->n_edges_ever += (w->n_edges - first_edge) * (1u + (uint64_t)d->width / 64u);
        if (beam != 0 && d->n - w->level > beam) {
            keep_best(w, beam, n_orders, first_edge);
            close_edges(w, begin, end);
            complete = 0;
        }
        begin = end;
    }
    d->begin[begin] = w->n_edges;
    d->begin[d->n] = w->n_edges;
    return complete;
}

static void start(search *w)
{
    cli_downsets *d = w->d;
    d->n = 0;
    w->n_edges = 0;
    make_room(w);
    memset(d->sets, 0, d->width * sizeof *d->sets);
    memset(w->ready, 0, d->width * sizeof *w->ready);
    w->hash[0] = 0;
    d->move[0] = 0;
    d->stash[0] = 0;
    for (uint32_t unit = 0; unit < w->u->n; unit++) {
        if (is_ready(w->u, unit, d->sets)) {
            put(w->ready, unit);
        }
    }
    d->n = 1;
}

void cli_downsets_make(cli_session *s, const cli_units *units, uint32_t limit, uint32_t beam,
    const uint32_t *orders, uint32_t n_orders, cli_downsets *made)
{
    search w;
    memset(&w, 0, sizeof w);
    memset(made, 0, sizeof *made);
    w.session = s;
    w.u = units;
    w.d = made;
    w.mask = 255u;
    w.slots = (uint32_t *)cli_alloc(s, (size_t)w.mask + 1u, sizeof *w.slots);
    w.orders = (uint32_t *)cli_alloc(s, (size_t)n_orders + 1u, sizeof *w.orders);
    made->width = units->n / 32u + 1u;
    start(&w);
    made->complete = grow(&w, limit, beam, orders, n_orders);
    cli_release(s, w.ready);
    cli_release(s, w.hash);
    cli_release(s, w.slots);
    cli_release(s, w.orders);
}

void cli_downsets_free(cli_session *s, cli_downsets *made)
{
    cli_release(s, made->sets);
    cli_release(s, made->begin);
    cli_release(s, made->unit);
    cli_release(s, made->to);
    cli_release(s, made->move);
    cli_release(s, made->stash);
}
