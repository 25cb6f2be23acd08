/* Stages on unequal devices. A state says which slots are used and where the next stage runs, so
 * that the best stages before a place are known per state: forward from place to place, only while
 * they can be within a guess, which grows from a lower bound. Slots that are alike count as one
 * kind. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <math.h>
#include <string.h>

#define NEVER       UINT64_MAX
#define MOST_STATES 32768u             /* 12 devices of 6 kinds, and links between them */
#define MOST_CELLS  ((size_t)1u << 24) /* places times states */
#define FEW_UNITS   512u               /* of a search that cannot have all places */

/* A stage that is to come: it begins at some place, and runs on slots of a kind. */
typedef struct state {
    uint32_t kind;   /* of slots, or the slot itself in the given order */
    uint32_t before; /* the kind of the stage before; GSP_NONE */
    uint32_t used;   /* slots before it */
    uint32_t width;  /* its slots */
    uint32_t set;    /* what is used before it: a mixed radix number */
    uint32_t begin;  /* of its followers */
    uint32_t end;
} state;

typedef struct search {
    cli_device_stages_desc own; /* with the line and the order of slots of this search */
    const cli_device_stages_desc *d;
    cli_device_line *line;
    cli_slot *slots;
    cli_device_stages_result *r;
    /* kinds; without any order each slot is one */
    uint32_t *kind_of; /* [slots] */
    uint32_t *first;   /* [kinds] a slot of it, */
    uint32_t *second;  /* [kinds] and another one */
    uint32_t *count;   /* [kinds] */
    uint32_t *radix;   /* [kinds] */
    uint32_t n_kinds;
    uint32_t any_order;
    /* states */
    state *states;
    uint32_t n;
    uint32_t *next; /* followers */
    uint32_t n_next;
    uint32_t next_room;
    uint32_t *table; /* [2 * MOST_STATES] hashes of states, plus 1 */
    /* cells: [(units + 1) * states] */
    uint64_t *best;
    uint32_t *from;  /* place where the stage before begins */
    uint32_t *state; /* and its state */
    double *rest;    /* [(units + 1) * states] what follows takes no less, by the bound below */
    uint32_t *open;  /* [states] that still grow */
    uint32_t *cut;   /* [used + 1] the best plan, */
    uint32_t *chain; /* [used] its states, */
    uint32_t n_stages;
    int cut_off;  /* a guess ended something */
    double slack; /* ticks that a stage may differ by, as loads are rounded */
} search;

/* ---- loads ---- */

static uint64_t scaled(uint64_t ticks, double speed)
{
    return cli_whole((double)ticks / speed + 0.5);
}

static double speed_of(const search *w, uint32_t kind)
{
    return w->slots[w->first[kind]].speed;
}

/* Ticks of all that crosses a place from a device to the next one. */
static uint64_t cross_ticks(
    const cli_device_stages_desc *d, uint32_t place, uint32_t from, uint32_t to)
{
    const cli_device_line *l = d->line;
    double const rate = d->links[(size_t)from * d->n_devices + to];
    if (l->bytes[place] == 0 && l->own[place] == 0) {
        return 0;
    }
    return rate > 0.0
               ? cli_add(l->own[place], cli_whole((double)l->bytes[place] * 1e9 / rate + 0.5))
               : NEVER;
}

static uint64_t held_of(const cli_device_stages_desc *d, uint32_t used, uint32_t width)
{
    uint32_t const rest = d->n_used - used;
    uint64_t const most = rest < d->microbatches ? rest : d->microbatches;
    uint64_t const held = d->held != NULL ? d->held[used] : most;
    return (held + width - 1u) / width;
}

uint64_t cli_device_memory(
    const cli_device_stages_desc *d, const cli_device_range *range, uint32_t used, uint32_t width)
{
    uint64_t const held = d->line->d->trains ? held_of(d, used, width) : 0u;
    uint64_t bytes = range->params > NEVER / d->copies ? NEVER : range->params * d->copies;
    bytes = cli_add(bytes, range->kv);
    return cli_add(bytes, held != 0 && range->stash > NEVER / held ? NEVER : range->stash * held);
}

/* Ticks of what a range computes. */
static uint64_t compute_of(
    const cli_device_stages_desc *d, const cli_device_range *range, uint32_t used, double speed)
{
    const cli_device_line *l = d->line;
    uint64_t ticks = l->time[range->end] - l->time[range->begin];
    ticks = cli_add(ticks, used == 0 ? d->first_time : 0u);
    return scaled(cli_add(ticks, range->end == l->n ? d->last_time : 0u), speed);
}

/* Of a stage on several slots, with the sums of its gradients. */
static uint64_t shared(
    const cli_device_stages_desc *d, const cli_device_range *range, uint64_t ticks, uint32_t width)
{
    uint64_t const share = (uint64_t)width * d->microbatches;
    uint64_t const sync = cli_sync_ticks(d->bandwidth, range->params);
    if (width == 1u || ticks == NEVER) {
        return ticks;
    }
    ticks = cli_add(ticks, width - 1u) / width;
    return share != 0 ? cli_add(ticks, (sync * 4u + share - 1u) / share * (width - 1u)) : ticks;
}

uint64_t cli_device_load(const cli_device_stages_desc *d, const cli_device_range *range,
    const uint32_t devices[3], uint32_t used, uint32_t slot, uint32_t width)
{
    uint64_t ticks = compute_of(d, range, used, d->slots[slot].speed);
    uint64_t enter = range->enter;
    uint64_t leave = d->latency ? 0u : range->leave;
    if (d->links != NULL) {
        enter = devices[0] != GSP_NONE ? cross_ticks(d, range->begin, devices[0], devices[1]) : 0u;
        leave = devices[2] != GSP_NONE ? cross_ticks(d, range->end, devices[1], devices[2]) : 0u;
        leave = d->latency && leave != NEVER ? 0u : leave;
    }
    return shared(d, range, cli_add(cli_add(ticks, enter), leave), width);
}

/* ---- states ---- */

static int is_alike(const cli_device_stages_desc *d, const cli_slot *a, const cli_slot *b)
{
    uint32_t i = 0;
    if (a->bytes != b->bytes || a->speed < b->speed || a->speed > b->speed) {
        return 0;
    }
    while (d->links != NULL && i < d->n_devices &&
           (i == a->device || i == b->device ||
               memcmp(&d->links[(size_t)a->device * d->n_devices + i],
                   &d->links[(size_t)b->device * d->n_devices + i], sizeof(double)) == 0)) {
        i++;
    }
    return d->links == NULL || i == d->n_devices;
}

static void find_kinds(search *w)
{
    w->n_kinds = 0;
    for (uint32_t i = 0; i < w->d->n_slots; i++) {
        uint32_t k = 0;
        while (k < w->n_kinds &&
               (!w->any_order || !is_alike(w->d, &w->slots[w->first[k]], &w->slots[i]))) {
            k++;
        }
        w->kind_of[i] = k;
        if (k == w->n_kinds) {
            w->first[k] = i;
            w->count[k] = 0;
            w->n_kinds++;
        }
        w->second[k] = i;
        w->count[k]++;
    }
    for (uint32_t k = 0; k < w->n_kinds; k++) {
        w->radix[k] = k != 0 ? w->radix[k - 1u] * (w->count[k - 1u] + 1u) : 1u;
        if (w->any_order && w->radix[k] > MOST_STATES) {
            w->radix[k] = MOST_STATES + 1u;
        }
    }
}

/* Slots of a kind that a set has. */
static uint32_t count_in(const search *w, uint32_t set, uint32_t kind)
{
    return set / w->radix[kind] % (w->count[kind] + 1u);
}

/* The state that has these figures; a new one if there is none. GSP_NONE: there are too many. */
static uint32_t find_state(search *w, const state *wanted)
{
    uint32_t const mask = 2u * MOST_STATES - 1u;
    uint32_t at = wanted->kind * 31u + wanted->before * 17u + wanted->used * 7919u;
    at = (at + wanted->width * 131u + wanted->set * 2654435761u) & mask;
    for (; w->table[at] != 0; at = (at + 1u) & mask) {
        const state *s = &w->states[w->table[at] - 1u];
        if (s->kind == wanted->kind && s->before == wanted->before && s->used == wanted->used &&
            s->width == wanted->width && s->set == wanted->set) {
            return w->table[at] - 1u;
        }
    }
    if (w->n == MOST_STATES) {
        return GSP_NONE;
    }
    w->states[w->n] = *wanted;
    w->table[at] = ++w->n;
    return w->n - 1u;
}

/* Whether a stage may run on so many slots of a kind. */
static int is_width(const search *w, const state *at)
{
    uint32_t left = w->d->n_used - at->used;
    uint32_t i = 1;
    if (at->width > left || (at->width > 1u && w->d->microbatches % at->width != 0)) {
        return 0;
    }
    if (w->any_order) {
        return at->width <= w->count[at->kind] - count_in(w, at->set, at->kind);
    }
    while (i < at->width && at->kind + i < w->d->n_slots &&
           is_alike(w->d, &w->slots[at->kind], &w->slots[at->kind + i])) {
        i++;
    }
    return i == at->width && w->d->n_slots - at->kind >= left;
}

/* Makes the states that may follow when `used` slots are; 0 if there are too many. */
static int follow(search *w, const state *by, uint32_t from)
{
    uint32_t const most = w->d->replicas ? w->d->n_used : 1u;
    for (uint32_t k = w->any_order ? 0u : from; k < w->n_kinds; k++) {
        for (uint32_t width = 1; width <= most; width++) {
            state wanted = *by;
            uint32_t id;
            wanted.kind = k;
            wanted.width = width;
            if (!is_width(w, &wanted)) {
                continue;
            }
            id = find_state(w, &wanted);
            if (id == GSP_NONE) {
                return 0;
            }
            if (w->n_next == w->next_room) {
                w->next_room *= 2u;
                w->next =
                    (uint32_t *)cli_grow(w->d->session, w->next, w->next_room * sizeof *w->next);
            }
            w->next[w->n_next++] = id;
        }
    }
    return 1;
}

/* All states, those of the first stage first; 0 if there are too many. */
static int make_states(search *w)
{
    state by;
    memset(&by, 0, sizeof by);
    by.before = GSP_NONE;
    memset(w->table, 0, 2u * (size_t)MOST_STATES * sizeof *w->table);
    w->n = 0;
    w->n_next = 0;
    find_kinds(w);
    if (w->any_order && w->radix[w->n_kinds - 1u] > MOST_STATES) {
        return 0;
    }
    if (!follow(w, &by, 0)) {
        return 0;
    }
    for (uint32_t i = 0; i < w->n; i++) {
        state const at = w->states[i];
        w->states[i].begin = w->n_next;
        by.before = w->d->links != NULL ? at.kind : GSP_NONE;
        by.used = at.used + at.width;
        by.set = w->any_order ? at.set + at.width * w->radix[at.kind] : 0u;
        if (by.used < w->d->n_used && !follow(w, &by, at.kind + at.width)) {
            return 0;
        }
        w->states[i].end = w->n_next;
    }
    return 1;
}

/* The device of a kind; of the same kind as the one before, another one. */
static uint32_t device_of(const search *w, uint32_t kind, uint32_t beside)
{
    return kind == GSP_NONE ? GSP_NONE
                            : w->slots[kind == beside ? w->second[kind] : w->first[kind]].device;
}

/* ---- what follows takes no less ---- */

/* Stages that follow a place, in a line where parameters, layers and stashed values count at the
 * first call alone: their sums are differences then, so that the best plan takes time linear in the
 * places. No range of the line takes less, hence no plan does. */
typedef struct bound {
    uint64_t *base;  /* [units + 1] bytes of parameters and layers before a place */
    uint64_t *stash; /* [units + 1] and those that are stashed per microbatch */
    uint64_t *enter; /* [units] the least ticks that enter a stage */
    double *ahead;   /* [units + 1] what follows a stage that ends there */
    uint32_t *queue; /* [units + 1] ends, of falling value */
} bound;

static void open_bound(search *w, bound *b)
{
    cli_session *const s = w->d->session;
    size_t const n = (size_t)w->line->n + 1u;
    cli_device_range all;
    b->base = (uint64_t *)cli_alloc(s, n, sizeof *b->base);
    b->stash = (uint64_t *)cli_alloc(s, n, sizeof *b->stash);
    b->enter = (uint64_t *)cli_alloc(s, n, sizeof *b->enter);
    b->ahead = (double *)cli_alloc(s, n, sizeof *b->ahead);
    b->queue = (uint32_t *)cli_alloc(s, n, sizeof *b->queue);
    for (uint32_t u = 0; u < w->line->n; u++) {
        cli_device_range one = cli_device_range_open(w->line, u);
        cli_device_range_grow(w->line, &one);
        b->enter[u] = one.enter;
    }
    all = cli_device_range_open(w->line, 0);
    while (all.end < w->line->n) {
        cli_device_range_grow(w->line, &all);
        b->base[all.end] =
            cli_add(all.params > NEVER / w->d->copies ? NEVER : all.params * w->d->copies, all.kv);
        b->stash[all.end] = all.stash;
    }
}

static void close_bound(search *w, bound *b)
{
    cli_session *const s = w->d->session;
    cli_release(s, b->queue);
    cli_release(s, b->ahead);
    cli_release(s, b->enter);
    cli_release(s, b->stash);
    cli_release(s, b->base);
}

/* Whether a range may be a stage of a state, as far as the bytes of the bound say. */
static int may_hold(const search *w, const bound *b, const state *at, uint32_t begin, uint32_t end)
{
    cli_device_range r;
    memset(&r, 0, sizeof r);
    r.kv = b->base[end] - b->base[begin];
    r.stash = b->stash[end] - b->stash[begin];
    return cli_device_memory(w->d, &r, at->used, at->width) <= w->slots[w->first[at->kind]].bytes;
}

static double enter_of(const search *w, const bound *b, const state *at, uint32_t place)
{
    uint64_t ticks = b->enter[place];
    if (w->d->links != NULL) {
        ticks = at->before == GSP_NONE
                    ? 0u
                    : cross_ticks(w->d, place, device_of(w, at->before, at->kind),
                          device_of(w, at->kind, GSP_NONE));
    }
    return ticks == NEVER ? HUGE_VAL : (double)ticks / at->width;
}

/* What follows a stage of a state, per place where it may end; for the slowest stage no more at a
 * later place, so that one search finds where both are equal. */
static void look_ahead(search *w, bound *b, const state *at)
{
    double least = HUGE_VAL;
    for (uint32_t end = 0; end < w->line->n; end++) {
        double ahead = HUGE_VAL;
        for (uint32_t i = at->begin; i < at->end; i++) {
            double const rest = w->rest[(size_t)end * w->n + w->next[i]];
            ahead = rest < ahead ? rest : ahead;
        }
        least = ahead < least ? ahead : least;
        b->ahead[end] = w->d->latency ? ahead : least;
    }
    w->r->work += (uint64_t)w->line->n * (at->end - at->begin + 1u);
}

/* The bound of a state that is the last one. */
static void bound_last(search *w, const bound *b, uint32_t id)
{
    const state *at = &w->states[id];
    const cli_device_line *l = w->line;
    double const each = speed_of(w, at->kind) * at->width;
    double const own = (double)w->d->last_time + (at->used == 0 ? (double)w->d->first_time : 0.0);
    for (uint32_t place = 0; place < l->n; place++) {
        double const ticks = ((double)(l->time[l->n] - l->time[place]) + own) / each;
        w->rest[(size_t)place * w->n + id] =
            may_hold(w, b, at, place, l->n) ? ticks + enter_of(w, b, at, place) : HUGE_VAL;
    }
}

/* Of a sum of stages: the least end within the memory slides, and leaves those that are greater. */
static void bound_sum(search *w, bound *b, uint32_t id)
{
    const state *at = &w->states[id];
    const cli_device_line *l = w->line;
    double const each = speed_of(w, at->kind) * at->width;
    double const own = at->used == 0 ? (double)w->d->first_time / each : 0.0;
    uint32_t high = l->n - 1u;
    uint32_t head = 0;
    uint32_t tail = 0;
    for (uint32_t end = 0; end < l->n; end++) {
        b->ahead[end] += (double)l->time[end] / each;
    }
    for (uint32_t place = l->n; place-- > 0;) {
        double *rest = &w->rest[(size_t)place * w->n + id];
        while (high > place && !may_hold(w, b, at, place, high)) {
            high--;
        }
        while (place + 1u < l->n && tail > head &&
               b->ahead[b->queue[tail - 1u]] >= b->ahead[place + 1u]) {
            tail--;
        }
        if (place + 1u < l->n) {
            b->queue[tail++] = place + 1u;
        }
        while (head < tail && b->queue[head] > high) {
            head++;
        }
        *rest = head < tail ? b->ahead[b->queue[head]] - (double)l->time[place] / each + own +
                                  enter_of(w, b, at, place)
                            : HUGE_VAL;
    }
}

/* Of the slowest stage: a stage ends about where what follows takes as long. */
static void bound_most(search *w, const bound *b, uint32_t id)
{
    const state *at = &w->states[id];
    const cli_device_line *l = w->line;
    double const each = speed_of(w, at->kind) * at->width;
    uint32_t high = l->n - 1u;
    uint32_t end = high;
    for (uint32_t place = l->n; place-- > 0;) {
        double const own =
            enter_of(w, b, at, place) + (at->used == 0 ? (double)w->d->first_time / each : 0.0);
        double const before = (double)l->time[place];
        double *rest = &w->rest[(size_t)place * w->n + id];
        while (high > place && !may_hold(w, b, at, place, high)) {
            high--;
        }
        *rest = HUGE_VAL;
        if (high <= place) {
            end = place;
            continue;
        }
        end = end > high ? high : end > place ? end : place + 1u;
        while (end < high && own + ((double)l->time[end] - before) / each < b->ahead[end]) {
            end++;
        }
        while (end > place + 1u &&
               own + ((double)l->time[end - 1u] - before) / each >= b->ahead[end - 1u]) {
            end--;
        }
        *rest = own + ((double)l->time[end] - before) / each;
        *rest = *rest > b->ahead[end] ? *rest : b->ahead[end];
        if (end > place + 1u && b->ahead[end - 1u] < *rest) {
            *rest = b->ahead[end - 1u]; /* its own stage takes less */
        }
    }
}

/* The bounds of all states, later stages first; *lower grows to that of all plans. */
static void find_rest(search *w, uint64_t *lower)
{
    double least = HUGE_VAL;
    bound b;
    open_bound(w, &b);
    for (uint32_t used = w->d->n_used; used-- > 0;) {
        for (uint32_t i = 0; i < w->n; i++) {
            const state *at = &w->states[i];
            if (at->used == used && used + at->width == w->d->n_used) {
                bound_last(w, &b, i);
            } else if (at->used == used) {
                look_ahead(w, &b, at);
                if (w->d->latency) {
                    bound_sum(w, &b, i);
                } else {
                    bound_most(w, &b, i);
                }
            }
        }
    }
    for (uint32_t i = 0; i < w->n && w->states[i].used == 0; i++) {
        least = w->rest[i] < least ? w->rest[i] : least;
    }
    close_bound(w, &b);
    w->slack = 1.0;
    for (uint32_t k = 0; k < w->n_kinds; k++) {
        double const error = (double)w->line->time[w->line->n] / speed_of(w, k) * 1e-14;
        w->slack = 1.0 + error > w->slack ? 1.0 + error : w->slack;
    }
    least = least * (1.0 - 1e-9) - w->slack * (w->d->latency ? w->d->n_used : 1u);
    if (least > (double)*lower && least < 1e18) {
        *lower = cli_whole(least);
    }
}

/* ---- plans within a guess ---- */

/* Whether what follows a place cannot be within the guess; `id`: the state that begins there. */
static int is_hopeless(search *w, uint32_t id, uint32_t place, uint64_t so_far, uint64_t guess)
{
    double const rest = w->rest[(size_t)place * w->n + id];
    double const most = (double)guess * (1.0 + 1e-14) + w->slack;
    double least = rest * (1.0 - 1e-9);
    if (w->d->latency) {
        least += (double)so_far - w->slack * (w->d->n_used - w->states[id].used);
    }
    w->cut_off |= least > most && rest < HUGE_VAL; /* not for lack of memory */
    return least > most;
}

/* Live bytes are measured only where they decide. */
static int has_room(search *w, const state *at, cli_device_range *r)
{
    uint64_t const room = w->slots[w->first[at->kind]].bytes;
    uint64_t const bytes = cli_device_memory(w->d, r, at->used, at->width);
    uint64_t const more = w->line->d->trains ? 0u : r->passing;
    if (cli_add(bytes, more) > room) {
        return 0;
    }
    if (w->line->d->trains) {
        return 1;
    }
    if (r->most > room - bytes - more && r->least <= room - bytes - more) {
        cli_device_range_measure(w->line, r);
    }
    return r->most <= room - bytes - more;
}

/* 0 if no stage of the state that is as long or longer fits, or is within the guess. */
static int may_grow(search *w, uint32_t id, const cli_device_range *r, uint64_t guess)
{
    const state *at = &w->states[id];
    uint64_t const so_far = w->d->latency ? w->best[(size_t)r->begin * w->n + id] : 0u;
    uint64_t const room = w->slots[w->first[at->kind]].bytes;
    uint64_t const bytes = cli_device_memory(w->d, r, at->used, at->width);
    if (cli_add(bytes, w->line->d->trains ? 0u : r->least) > room) {
        return 0;
    }
    if (compute_of(w->d, r, at->used, speed_of(w, at->kind)) / at->width > guess - so_far) {
        w->cut_off = 1;
        return 0;
    }
    return 1;
}

static uint64_t load_of(const search *w, const state *at, const cli_device_range *r, uint32_t after)
{
    uint32_t devices[3];
    devices[0] = device_of(w, at->before, at->kind);
    devices[1] = device_of(w, at->kind, GSP_NONE);
    devices[2] = device_of(w, after, at->kind);
    return cli_device_load(w->d, r, devices, at->used, w->first[at->kind], at->width);
}

static void offer(search *w, size_t cell, uint64_t value, uint32_t place, uint32_t id)
{
    if (value < w->best[cell]) {
        w->best[cell] = value;
        w->from[cell] = place;
        w->state[cell] = id;
    }
}

static uint64_t join(const search *w, uint64_t so_far, uint64_t load)
{
    return w->d->latency ? cli_add(so_far, load) : so_far > load ? so_far : load;
}

/* A stage of a state that ends where a range does. The last cell of all is that of whole plans. */
static void end_stage(search *w, uint32_t id, cli_device_range *r, uint64_t guess)
{
    const state *at = &w->states[id];
    uint64_t const so_far = w->best[(size_t)r->begin * w->n + id];
    uint32_t const last = at->used + at->width == w->d->n_used;
    uint64_t value;
    if (last != (r->end == w->line->n)) {
        return;
    }
    if (last) {
        value = join(w, so_far, load_of(w, at, r, GSP_NONE));
        w->cut_off |= value > guess && value != NEVER;
        if (value <= guess && has_room(w, at, r)) {
            offer(w, (size_t)w->line->n * w->n, value, r->begin, id);
        }
        return;
    }
    for (uint32_t i = at->begin; i < at->end; i++) {
        size_t const cell = (size_t)r->end * w->n + w->next[i];
        value = join(w, so_far, load_of(w, at, r, w->states[w->next[i]].kind));
        if (value > guess) {
            w->cut_off |= value != NEVER;
        } else if (!is_hopeless(w, w->next[i], r->end, value, guess) && value < w->best[cell] &&
                   has_room(w, at, r)) {
            offer(w, cell, value, r->begin, id);
        }
    }
}

/* All stages that begin at a place. */
static void run_place(search *w, uint32_t place, uint64_t guess)
{
    cli_device_range r;
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->best[(size_t)place * w->n + i] != NEVER) {
            w->open[n++] = i;
        }
    }
    r = cli_device_range_open(w->line, place);
    while (n > 0 && r.end < w->line->n) {
        uint32_t kept = 0;
        cli_device_range_grow(w->line, &r);
        for (uint32_t i = 0; i < n; i++) {
            if (may_grow(w, w->open[i], &r, guess)) {
                end_stage(w, w->open[i], &r, guess);
                w->open[kept++] = w->open[i];
            }
        }
        w->r->work += n + w->line->work;
        w->line->work = 0;
        n = kept;
    }
}

static void keep_plan(search *w)
{
    size_t cell = (size_t)w->line->n * w->n;
    uint32_t end = w->line->n;
    uint32_t n = 0;
    w->n_stages = 0;
    while (end > 0) {
        w->chain[n] = w->state[cell];
        w->cut[n++] = end;
        end = w->from[cell];
        cell = (size_t)end * w->n + w->chain[n - 1u];
    }
    w->n_stages = n;
    for (uint32_t i = 0; i < n / 2u; i++) {
        uint32_t const stage = w->chain[i];
        uint32_t const cut = w->cut[i];
        w->chain[i] = w->chain[n - 1u - i];
        w->chain[n - 1u - i] = stage;
        w->cut[i] = w->cut[n - 1u - i];
        w->cut[n - 1u - i] = cut;
    }
}

/* The best plan within a guess: its objective, or NEVER; *stopped: no work is left. */
static uint64_t run_guess(search *w, uint64_t guess, int *stopped)
{
    size_t const cells = (size_t)w->line->n * w->n + 1u;
    for (size_t i = 0; i < cells; i++) {
        w->best[i] = NEVER;
    }
    w->cut_off = 0;
    for (uint32_t i = 0; i < w->n && w->states[i].used == 0; i++) {
        w->best[i] = is_hopeless(w, i, 0, 0, guess) ? NEVER : 0u;
    }
    for (uint32_t place = 0; place < w->line->n; place++) {
        run_place(w, place, guess);
        if (w->r->work > w->d->max_work) {
            *stopped = 1;
            return NEVER;
        }
    }
    if (w->best[cells - 1u] != NEVER) {
        keep_plan(w);
    }
    return w->best[cells - 1u];
}

/* ---- the best plan ---- */

/* No plan takes less. */
static uint64_t simple_bound(const search *w)
{
    const cli_device_line *l = w->line;
    double const all = (double)l->time[l->n] + (double)w->d->first_time + (double)w->d->last_time;
    double sum = 0.0;
    double fastest = 0.0;
    double most = 0.0;
    double least;
    uint32_t const width = w->d->replicas ? w->d->n_used : 1u;
    for (uint32_t i = 0; i < w->d->n_slots; i++) {
        sum += w->slots[i].speed;
        fastest = w->slots[i].speed > fastest ? w->slots[i].speed : fastest;
    }
    for (uint32_t u = 0; u < l->n; u++) {
        double const one = (double)(l->time[u + 1u] - l->time[u]) / fastest / width;
        most = one > most ? one : most;
    }
    least = w->d->latency ? all / fastest / width : all / sum;
    least = least > most ? least : most;
    least = least * (1.0 - 1e-9) - (w->d->latency ? w->d->n_used : 1u);
    return cli_whole(least > 0.0 ? least : 0.0);
}

/* Exact where the work suffices: the objective up to `cap`, else NEVER with what is proved in
 * *lower. */
static uint64_t solve(search *w, uint64_t cap, uint64_t *lower, int *stopped)
{
    uint64_t step = *lower / 1024u + 1u;
    uint64_t found = NEVER;
    while (found == NEVER && *lower <= cap) {
        uint64_t const guess = step < cap - *lower ? *lower + step : cap;
        found = run_guess(w, guess, stopped);
        if (*stopped) {
            return NEVER;
        }
        if (found != NEVER) {
            *lower = found;
        } else if (!w->cut_off) {
            *lower = NEVER;
        } else {
            *lower = guess + 1u;
            step = step < cap / 4u ? step * 4u : cap;
        }
    }
    return found;
}

static uint32_t free_slot(const search *w, uint8_t *taken, uint32_t kind)
{
    uint32_t i = 0;
    while (taken[i] || w->kind_of[i] != kind) {
        i++;
    }
    taken[i] = 1;
    return i;
}

/* The plan of the search as the result; `order`: the slots of the caller. */
static void take_plan(search *w, const uint32_t *order, uint64_t objective)
{
    cli_device_stages_result *r = w->r;
    uint8_t *taken = (uint8_t *)cli_alloc(w->d->session, (size_t)w->d->n_slots + 1u, 1u);
    uint32_t used = 0;
    r->n_stages = w->n_stages;
    r->objective = objective;
    r->cut[0] = 0;
    for (uint32_t i = 0; i < w->n_stages; i++) {
        const state *at = &w->states[w->chain[i]];
        r->cut[i + 1u] = w->line->cut[w->cut[i]];
        r->width[i] = at->width;
        for (uint32_t k = 0; k < at->width; k++) {
            r->used[used + k] = order[w->any_order ? free_slot(w, taken, at->kind) : at->kind + k];
        }
        r->slot[i] = r->used[used];
        used += at->width;
    }
    cli_release(w->d->session, taken);
}

static void open_search(search *w, const cli_device_stages_desc *d, cli_device_stages_result *r)
{
    cli_session *const s = d->session;
    size_t const n = (size_t)d->n_slots + 1u;
    memset(w, 0, sizeof *w);
    w->own = *d;
    w->d = &w->own;
    w->line = d->line;
    w->r = r;
    w->slots = (cli_slot *)cli_alloc(s, n, sizeof *w->slots);
    w->own.slots = w->slots;
    w->next_room = 64;
    w->kind_of = (uint32_t *)cli_alloc(s, n, sizeof *w->kind_of);
    w->first = (uint32_t *)cli_alloc(s, n, sizeof *w->first);
    w->second = (uint32_t *)cli_alloc(s, n, sizeof *w->second);
    w->count = (uint32_t *)cli_alloc(s, n, sizeof *w->count);
    w->radix = (uint32_t *)cli_alloc(s, n, sizeof *w->radix);
    w->states = (state *)cli_alloc(s, MOST_STATES, sizeof *w->states);
    w->table = (uint32_t *)cli_alloc(s, 2u * (size_t)MOST_STATES, sizeof *w->table);
    w->next = (uint32_t *)cli_alloc(s, w->next_room, sizeof *w->next);
    w->open = (uint32_t *)cli_alloc(s, MOST_STATES, sizeof *w->open);
    w->cut = (uint32_t *)cli_alloc(s, n, sizeof *w->cut);
    w->chain = (uint32_t *)cli_alloc(s, n, sizeof *w->chain);
}

static void close_search(search *w)
{
    cli_session *const s = w->d->session;
    cli_release(s, w->slots);
    cli_release(s, w->kind_of);
    cli_release(s, w->first);
    cli_release(s, w->second);
    cli_release(s, w->count);
    cli_release(s, w->radix);
    cli_release(s, w->states);
    cli_release(s, w->table);
    cli_release(s, w->next);
    cli_release(s, w->open);
    cli_release(s, w->cut);
    cli_release(s, w->chain);
}

/* On a line: solve() up to `cap`, or with `once` the best within it. */
static uint64_t run_line(
    search *w, cli_device_line *line, uint64_t cap, uint64_t *lower, int once, int *stopped)
{
    cli_session *const s = w->d->session;
    size_t const cells = (size_t)line->n * w->n + 1u;
    uint64_t found;
    w->line = line;
    w->own.line = line;
    w->best = (uint64_t *)cli_alloc(s, cells, sizeof *w->best);
    w->from = (uint32_t *)cli_alloc(s, cells, sizeof *w->from);
    w->state = (uint32_t *)cli_alloc(s, cells, sizeof *w->state);
    w->rest = (double *)cli_alloc(s, cells + w->n, sizeof *w->rest);
    find_rest(w, lower);
    found = once ? run_guess(w, cap, stopped) : solve(w, cap, lower, stopped);
    cli_release(s, w->rest);
    cli_release(s, w->best);
    cli_release(s, w->from);
    cli_release(s, w->state);
    return found;
}

/* On a line of few units, whatever work that takes. */
static void run_few(search *w, cli_device_line *line, const uint32_t *order)
{
    uint64_t const most_work = w->own.max_work;
    cli_device_line_desc desc = *line->d;
    cli_device_line few;
    uint64_t lower;
    uint64_t found;
    int stopped = 0;
    uint64_t const most = MOST_CELLS / (w->n > 1u ? w->n : 1u);
    desc.most_units = (uint32_t)(most < FEW_UNITS ? most : FEW_UNITS);
    cli_device_line_open(&few, &desc);
    w->own.max_work = UINT64_MAX;
    w->own.line = &few;
    w->line = &few;
    lower = simple_bound(w);
    found = run_line(w, &few, w->r->objective - 1u, &lower, 0, &stopped);
    if (found != NEVER) {
        take_plan(w, order, found);
    }
    w->own.max_work = most_work;
    w->own.line = line;
    w->line = line;
    cli_device_line_close(&few);
}

/* One order of slots, or all of them: a better plan as the result. Returns 1 if the search was
 * exact, 0 if no work was left, and -1 if there are too many states. */
static int run_order(
    search *w, const cli_slot *given, const uint32_t *order, uint64_t *lower, int once)
{
    cli_device_line *const line = w->own.line;
    uint64_t const cap = w->r->objective - 1u;
    uint64_t found = NEVER;
    int stopped = 0;
    for (uint32_t i = 0; i < w->d->n_slots; i++) {
        w->slots[i] = given[order[i]];
    }
    if (!make_states(w)) {
        return -1;
    }
    if ((size_t)line->n * w->n >= MOST_CELLS) {
        stopped = 1;
    } else {
        found = run_line(w, line, cap, lower, once, &stopped);
    }
    if (found != NEVER) {
        take_plan(w, order, found);
    } else if (stopped && !once) {
        run_few(w, line, order);
    }
    return !stopped;
}

/* ---- orders of slots, where not all can be searched ---- */

static void swap_slots(uint32_t *order, uint32_t a, uint32_t b)
{
    uint32_t const slot = order[a];
    order[a] = order[b];
    order[b] = slot;
}

/* By falling speed (1), rising speed (2) or falling memory (3); stable. */
static void sort_slots(const cli_slot *slots, uint32_t *order, uint32_t n, uint32_t how)
{
    for (uint32_t i = 1; i < n; i++) {
        for (uint32_t k = i; k > 0; k--) {
            const cli_slot *a = &slots[order[k - 1u]];
            const cli_slot *b = &slots[order[k]];
            int const later = how == 1u   ? a->speed < b->speed
                              : how == 2u ? a->speed > b->speed
                                          : a->bytes < b->bytes;
            if (!later) {
                break;
            }
            swap_slots(order, k - 1u, k);
        }
    }
}

/* Swaps of two slots, as long as one is better; each order for the better plans alone. */
static void swap_orders(search *w, const cli_slot *given, uint32_t *order, uint64_t most_work)
{
    uint32_t const n = w->d->n_slots;
    uint64_t ignored;
    int better = 1;
    while (better) {
        better = 0;
        for (uint32_t a = 0; a < n; a++) {
            for (uint32_t b = a + 1u; b < n; b++) {
                uint64_t const before = w->r->objective;
                if (is_alike(w->d, &given[order[a]], &given[order[b]])) {
                    continue;
                }
                if (w->r->work > most_work || before == 0) {
                    return;
                }
                swap_slots(order, a, b);
                (void)run_order(w, given, order, &ignored, 1);
                if (w->r->objective < before) {
                    better = 1;
                } else {
                    swap_slots(order, a, b);
                }
            }
        }
    }
}

static void run_orders(search *w, const cli_slot *given, uint32_t *order)
{
    uint32_t const n = w->d->n_slots;
    uint64_t const most_work = w->d->max_work;
    uint32_t *best = (uint32_t *)cli_alloc(w->d->session, (size_t)n + 1u, sizeof *best);
    w->any_order = 0;
    for (uint32_t how = 0; how < 4u && w->r->objective != 0; how++) {
        uint64_t const before = w->r->objective;
        uint64_t lower = w->r->lower_bound;
        for (uint32_t i = 0; i < n; i++) {
            order[i] = i;
        }
        sort_slots(given, order, n, how);
        w->own.max_work = cli_add(w->r->work, most_work);
        (void)run_order(w, given, order, &lower, 0);
        if (w->r->objective < before || how == 0) {
            memcpy(best, order, n * sizeof *best);
        }
    }
    if (w->r->n_stages != 0) {
        w->own.max_work = UINT64_MAX;
        swap_orders(w, given, best, cli_add(w->r->work, most_work));
    }
    cli_release(w->d->session, best);
}

void cli_device_stages_run(const cli_device_stages_desc *desc, cli_device_stages_result *result)
{
    cli_session *const s = desc->session;
    size_t const n = (size_t)desc->n_slots + 1u;
    uint32_t *order = (uint32_t *)cli_alloc(s, n, sizeof *order);
    search w;
    int exact;
    memset(result, 0, sizeof *result);
    result->objective = NEVER;
    result->cut = (uint32_t *)cli_alloc(s, n, sizeof *result->cut);
    result->slot = (uint32_t *)cli_alloc(s, n, sizeof *result->slot);
    result->width = (uint32_t *)cli_alloc(s, n, sizeof *result->width);
    result->used = (uint32_t *)cli_alloc(s, n, sizeof *result->used);
    open_search(&w, desc, result);
    for (uint32_t i = 0; i < desc->n_slots; i++) {
        order[i] = i;
        w.slots[i] = desc->slots[i];
    }
    w.any_order = desc->any_order;
    result->lower_bound = simple_bound(&w);
    exact = run_order(&w, desc->slots, order, &result->lower_bound, 0);
    result->complete = exact > 0;
    result->all_orders = exact > 0 && desc->any_order;
    if (exact <= 0 && desc->any_order) {
        run_orders(&w, desc->slots, order);
    }
    if (result->lower_bound > result->objective) {
        result->lower_bound = result->objective;
    }
    result->complete = result->complete || result->lower_bound == result->objective;
    close_search(&w);
    cli_release(s, order);
}
