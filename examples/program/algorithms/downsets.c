/* Downsets, size by size: each set leads to those with one more ready unit, and a hash table finds
 * equal ones. A set of the next size is one of this size and a unit until all of them are known. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

#define NONE UINT32_MAX

typedef struct search {
    cli_session *session;
    const cli_units *u;
    cli_downsets *d;
    uint32_t *ready;  /* [sets of this size * width] units that can be next, */
    uint32_t *next;   /* and those of the next size */
    uint32_t *hash;   /* [room] */
    uint32_t *from;   /* [room] the set before the last unit, */
    uint32_t *last;   /* [room] and that unit */
    uint32_t *near;   /* [room] see is_near() */
    uint32_t *slots;  /* [mask + 1] hash table of the sets of the next size */
    uint32_t *orders; /* [n_orders] hashes of the beginnings so far */
    uint32_t mask;
    uint32_t begin; /* the first set of this size */
    uint32_t level; /* and of the next one */
    uint32_t room;
    size_t row_room;   /* of d->sets, */
    size_t ready_room; /* and of ready and next */
    uint32_t n_edges;
    uint32_t edge_room;
    uint64_t n_edges_ever; /* with those removed; each counts more if sets are wide */
} search;

/* ---- sets ---- */

static int has(const uint32_t *set, uint32_t i)
{
    return (set[i / 32u] >> (i % 32u) & 1u) != 0u;
}

static void put(uint32_t *set, uint32_t i)
{
    set[i / 32u] |= (uint32_t)1u << (i % 32u);
}

static uint32_t *row_of(const cli_downsets *d, uint32_t set)
{
    return d->sets + d->width * set;
}

int cli_downset_has(const cli_downsets *d, uint32_t set, uint32_t unit)
{
    return has(row_of(d, set), unit);
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
        d->begin = (uint32_t *)grown(w, d->begin, (size_t)w->room + 1u, sizeof *d->begin);
        d->move = (uint64_t *)grown(w, d->move, w->room, sizeof *d->move);
        d->stash = (uint64_t *)grown(w, d->stash, w->room, sizeof *d->stash);
        w->hash = (uint32_t *)grown(w, w->hash, w->room, sizeof *w->hash);
        w->from = (uint32_t *)grown(w, w->from, w->room, sizeof *w->from);
        w->last = (uint32_t *)grown(w, w->last, w->room, sizeof *w->last);
        w->near = (uint32_t *)grown(w, w->near, w->room, sizeof *w->near);
    }
    if (w->n_edges == w->edge_room) {
        w->edge_room = w->edge_room * 2u + 64u;
        d->unit = (uint32_t *)grown(w, d->unit, w->edge_room, sizeof *d->unit);
        d->to = (uint32_t *)grown(w, d->to, w->edge_room, sizeof *d->to);
    }
}

/* Of the rows of all sets. */
static void make_row_room(search *w)
{
    cli_downsets *d = w->d;
    size_t const sets = d->n - w->level;
    if (d->n > w->row_room) {
        w->row_room = (size_t)d->n * 2u + 64u;
        d->sets = (uint32_t *)grown(w, d->sets, w->row_room * d->width, sizeof *d->sets);
    }
    if (sets > w->ready_room) {
        w->ready_room = sets * 2u + 64u;
        w->ready = (uint32_t *)grown(w, w->ready, w->ready_room * d->width, sizeof *w->ready);
        w->next = (uint32_t *)grown(w, w->next, w->ready_room * d->width, sizeof *w->next);
    }
}

/* ---- the table of the next size ---- */

/* Whether each of two sets of this size has one unit that the other lacks. What is known of `a`
 * stays while `b` is the same. */
static int is_near(search *w, uint32_t a, uint32_t b)
{
    const uint32_t *x = row_of(w->d, a);
    const uint32_t *y = row_of(w->d, b);
    uint32_t n = 0;
    if (w->near[a] / 2u == b + 1u) {
        return (int)(w->near[a] & 1u);
    }
    for (size_t i = 0; i < w->d->width && n < 2u; i++) {
        for (uint32_t only = x[i] & ~y[i]; only != 0 && n < 2u; only &= only - 1u) {
            n++;
        }
    }
    w->near[a] = (b + 1u) * 2u + (n == 1u);
    return n == 1u;
}

/* Whether a set of the next size is what another one becomes with a unit. */
static int is_same(search *w, uint32_t set, uint32_t from, uint32_t unit)
{
    const cli_downsets *d = w->d;
    if (w->from[set] == from) {
        return w->last[set] == unit;
    }
    return has(row_of(d, w->from[set]), unit) && has(row_of(d, from), w->last[set]) &&
           is_near(w, w->from[set], from);
}

/* The place of what a set becomes with a unit. */
static uint32_t *slot_of(search *w, uint32_t from, uint32_t unit, uint32_t hash)
{
    uint32_t slot = hash & w->mask;
    while (w->slots[slot] != NONE &&
           (w->hash[w->slots[slot]] != hash || !is_same(w, w->slots[slot], from, unit))) {
        slot = (slot + 1u) & w->mask;
    }
    return &w->slots[slot];
}

/* Sets from `level` on, in a table that is at most half full. All are different. */
static void fill_slots(search *w)
{
    memset(w->slots, 0xFF, ((size_t)w->mask + 1u) * sizeof *w->slots);
    for (uint32_t i = w->level; i < w->d->n; i++) {
        uint32_t slot = w->hash[i] & w->mask;
        while (w->slots[slot] != NONE) {
            slot = (slot + 1u) & w->mask;
        }
        w->slots[slot] = i;
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

/* The values that have units on both sides, after the last unit has come. */
static void weigh(search *w, uint32_t set)
{
    const cli_units *u = w->u;
    cli_downsets *d = w->d;
    uint32_t const unit = w->last[set];
    const uint32_t *row = row_of(d, w->from[set]);
    d->move[set] = d->move[w->from[set]];
    d->stash[set] = d->stash[w->from[set]];
    for (uint32_t k = u->values.begin[unit]; k < u->values.begin[unit + 1u]; k++) {
        uint32_t const value = u->values.at[k];
        uint32_t const end = u->members.begin[value + 1u];
        uint32_t in = 1;
        for (uint32_t i = u->members.begin[value]; i < end; i++) {
            in += has(row, u->members.at[i]) ? 1u : 0u;
        }
        if (in == 1u) {
            d->move[set] += u->shared[value].move;
            d->stash[set] += u->shared[value].stash;
        } else if (in == end - u->members.begin[value]) {
            d->move[set] -= u->shared[value].move;
            d->stash[set] -= u->shared[value].stash;
        }
    }
}

/* Adds what a set becomes with a unit, unless it is there. */
static void add(search *w, uint32_t from, uint32_t unit)
{
    cli_downsets *d = w->d;
    uint32_t const hash = w->hash[from] ^ hash_of(unit);
    uint32_t *slot = slot_of(w, from, unit, hash);
    make_room(w);
    d->unit[w->n_edges] = unit;
    d->to[w->n_edges++] = *slot == NONE ? d->n : *slot;
    if (*slot != NONE) {
        return;
    }
    *slot = d->n;
    w->hash[d->n] = hash;
    w->from[d->n] = from;
    w->last[d->n] = unit;
    w->near[d->n] = 0;
    weigh(w, d->n++);
    widen(w);
}

/* The rows of the sets of the next size, and which units are ready. */
static void write_rows(search *w)
{
    cli_downsets *d = w->d;
    size_t const width = d->width;
    uint32_t *swap;
    make_row_room(w);
    for (uint32_t set = w->level; set < d->n; set++) {
        uint32_t const unit = w->last[set];
        uint32_t *row = row_of(d, set);
        uint32_t *ready = w->next + width * (set - w->level);
        memcpy(row, row_of(d, w->from[set]), width * sizeof *row);
        memcpy(ready, w->ready + width * (w->from[set] - w->begin), width * sizeof *ready);
        put(row, unit);
        ready[unit / 32u] &= ~((uint32_t)1u << (unit % 32u));
        for (uint32_t k = w->u->after.begin[unit]; k < w->u->after.begin[unit + 1u]; k++) {
            if (is_ready(w->u, w->u->after.at[k], row)) {
                put(ready, w->u->after.at[k]);
            }
        }
    }
    swap = w->ready;
    w->ready = w->next;
    w->next = swap;
}

static int is_beginning(const search *w, uint32_t n_orders, uint32_t set)
{
    uint32_t i = 0;
    while (i < n_orders && w->orders[i] != w->hash[set]) {
        i++;
    }
    return i < n_orders;
}

/* Marks the `beam` sets of the next size with least to move, of equal ones the first. */
static void mark_best(search *w, uint32_t beam, uint32_t *place)
{
    const uint64_t *move = w->d->move + w->level;
    uint32_t const n = w->d->n - w->level;
    uint32_t *best = (uint32_t *)cli_alloc(w->session, beam, sizeof *best); /* ascending */
    uint32_t n_best = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = n_best;
        if (at == beam && move[best[at - 1u]] <= move[i]) {
            continue;
        }
        at -= at == beam;
        for (; at > 0 && move[best[at - 1u]] > move[i]; at--) {
            best[at] = best[at - 1u];
        }
        best[at] = i;
        n_best += n_best < beam;
    }
    for (uint32_t i = 0; i < n_best; i++) {
        place[best[i]] = 1u;
    }
    cli_release(w->session, best);
}

/* Of the sets of the next size the `beam` with least to move remain, and the beginnings of orders;
 * edges from `first_edge` on lead to them. */
static void keep_best(search *w, uint32_t beam, uint32_t n_orders, uint32_t first_edge)
{
    cli_downsets *d = w->d;
    uint32_t const end = d->n;
    uint32_t *place = (uint32_t *)cli_alloc(w->session, end - w->level, sizeof *place);
    mark_best(w, beam, place);
    d->n = w->level;
    for (uint32_t set = w->level; set < end; set++) {
        uint32_t *to = &place[set - w->level];
        if (*to == 0 && !is_beginning(w, n_orders, set)) {
            *to = NONE;
            continue;
        }
        w->hash[d->n] = w->hash[set];
        w->from[d->n] = w->from[set];
        w->last[d->n] = w->last[set];
        d->move[d->n] = d->move[set];
        d->stash[d->n] = d->stash[set];
        *to = d->n++;
    }
    for (uint32_t i = first_edge; i < w->n_edges; i++) {
        d->to[i] = place[d->to[i] - w->level];
    }
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
    const uint32_t *ready = w->ready + w->d->width * (set - w->begin);
    for (uint32_t i = 0; i < w->d->width && all; i++) {
        uint32_t unit = i * 32u;
        for (uint32_t units = ready[i]; units != 0; units >>= 1, unit++) {
            if ((units & 1u) != 0) {
                add(w, set, unit);
            }
        }
    }
    for (uint32_t i = 0; i < n_orders && !all; i++) {
        uint32_t const unit = orders[(size_t)i * w->u->n + size];
        if (w->hash[set] == (w->orders[i] ^ hash_of(unit)) && has(ready, unit)) {
            add(w, set, unit);
        }
    }
}

/* All sizes in turn; 0 if not all sets are there. A beam has only the orders after `most` edges. */
static int grow(search *w, uint32_t most, uint32_t beam, const uint32_t *orders, uint32_t n_orders)
{
    cli_downsets *d = w->d;
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
        for (uint32_t i = w->begin; i < end; i++) {
            d->begin[i] = w->n_edges;
            expand(w, i, all, orders, n_orders, size);
            if (beam == 0 && d->n > most) {
                return 0;
            }
        }
        w->n_edges_ever += (w->n_edges - first_edge) * (1u + (uint64_t)d->width / 64u);
        if (beam != 0 && d->n - w->level > beam) {
            keep_best(w, beam, n_orders, first_edge);
            close_edges(w, w->begin, end);
            complete = 0;
        }
        write_rows(w);
        w->begin = end;
    }
    d->begin[w->begin] = w->n_edges;
    d->begin[d->n] = w->n_edges;
    return complete;
}

/* The empty set. */
static void start(search *w)
{
    cli_downsets *d = w->d;
    d->n = 0;
    make_room(w);
    d->n = 1;
    make_row_room(w);
    memset(d->sets, 0, d->width * sizeof *d->sets);
    memset(w->ready, 0, d->width * sizeof *w->ready);
    w->hash[0] = 0;
    w->near[0] = 0;
    d->move[0] = 0;
    d->stash[0] = 0;
    for (uint32_t unit = 0; unit < w->u->n; unit++) {
        if (is_ready(w->u, unit, d->sets)) {
            put(w->ready, unit);
        }
    }
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
    cli_release(s, w.next);
    cli_release(s, w.hash);
    cli_release(s, w.from);
    cli_release(s, w.last);
    cli_release(s, w.near);
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
