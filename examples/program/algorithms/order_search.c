/* Orders of tasks with the least peak: a search by steps over the sets of tasks that can be done
 * (Ahn et al. 2020, SERENITY). Of equal sets the least peak remains, of all sets of a step the best
 * `beam`. A move that neither raises the live bytes nor exceeds what is allowed is the only one
 * tried: by exchange, some best order begins with it. The first search allows the peak so far; the
 * next ones what is just below the best known peak, and so have fewer sets; some search only around
 * the peak, the others rank sets a little at random. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

#define NONE UINT32_MAX

typedef struct state {
    uint64_t live;
    uint64_t peak;
    uint32_t hash;
    uint32_t from; /* place of its predecessor * n + task */
} state;

/* For each state two sets: the tasks that are done, and those that can be next. */
typedef struct layer {
    state *at;
    uint32_t *rows;
    uint32_t n;
} layer;

typedef struct search {
    const order_tasks *t;
    order_result *r;
    layer now;
    layer next;      /* room for 2 * beam + 1 states */
    uint32_t *first; /* the sets at the begin of a search */
    uint32_t *slots; /* [mask + 1] hash table of the next states */
    uint32_t *list;  /* [2 * beam] */
    uint32_t *from;  /* [n * beam] of the states of every step, or from_short */
    uint16_t *from_short;
    int is_short;
    uint32_t *place; /* [n] of a task in the best order */
    uint64_t floor;  /* peaks up to this do not matter */
    uint64_t max_work;
    size_t width; /* words of a set */
    uint32_t beam;
    uint32_t mask;
    uint32_t end;  /* tasks from this place on stay there */
    uint32_t seed; /* of the scores, or 0 */
    int lost;      /* a state was dropped */
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

int order_all_in(const cli_lists *rows, uint32_t i, const uint32_t *set, uint32_t task)
{
    uint32_t k;
    for (k = rows->begin[i]; k < rows->begin[i + 1u]; k++) {
        if (rows->at[k] != task && !has(set, rows->at[k])) {
            return 0;
        }
    }
    return 1;
}

/* The least member from `i` on; NONE: there is none. */
static uint32_t next_in(const uint32_t *set, size_t width, uint32_t i)
{
    size_t word = i / 32u;
    uint32_t bits = word < width ? set[word] & UINT32_MAX << (i % 32u) : 0u;
    while (bits == 0u && ++word < width) {
        bits = set[word];
    }
    if (bits == 0u) {
        return NONE;
    }
    for (i = (uint32_t)word * 32u; (bits & 1u) == 0u; bits >>= 1) {
        i++;
    }
    return i;
}

/* ---- live bytes ---- */

void order_run_task(
    const order_tasks *t, const uint32_t *done, uint32_t task, uint64_t *live, uint64_t *peak)
{
    uint64_t freed = 0;
    uint64_t most;
    uint32_t k;
    for (k = t->makes.begin[task]; k < t->makes.begin[task + 1u]; k++) {
        uint32_t const tensor = t->makes.at[k];
        *live += t->bytes[tensor];
        freed += t->readers.begin[tensor] == t->readers.begin[tensor + 1u] ? t->bytes[tensor] : 0u;
    }
    for (k = t->reads.begin[task]; k < t->reads.begin[task + 1u]; k++) {
        uint32_t const tensor = t->reads.at[k];
        freed += order_all_in(&t->readers, tensor, done, task) ? t->bytes[tensor] : 0u;
    }
    most = *live + t->extra[task];
    *peak = most > *peak ? most : *peak;
    *live -= freed;
}

void order_start(cli_session *s, const order_tasks *t, const uint32_t *order, order_result *r)
{
    uint32_t *done = (uint32_t *)cli_alloc(s, t->n / 32u + 1u, sizeof *done);
    state at = {0, 0, 0, 0};
    uint32_t i;
    uint32_t k;
    memset(r, 0, sizeof *r);
    r->order = (uint32_t *)cli_alloc(s, (size_t)t->n + 1u, sizeof *r->order);
    r->lower_bound = t->peak;
    at.live = t->live;
    at.peak = t->peak;
    for (i = 0; i < t->n; i++) {
        uint64_t alone = t->extra[i];
        for (k = t->reads.begin[i]; k < t->reads.begin[i + 1u]; k++) {
            alone += t->bytes[t->reads.at[k]];
        }
        for (k = t->makes.begin[i]; k < t->makes.begin[i + 1u]; k++) {
            alone += t->bytes[t->makes.at[k]];
        }
        r->lower_bound = alone > r->lower_bound ? alone : r->lower_bound;
        r->order[i] = order != NULL ? order[i] : i;
        order_run_task(t, done, r->order[i], &at.live, &at.peak);
        put(done, r->order[i]);
    }
    r->peak = at.peak;
    cli_release(s, done);
}

/* ---- states of the next step ---- */

static uint32_t *row_of(const search *w, const layer *l, uint32_t i)
{
    return l->rows + 2u * w->width * i;
}

uint32_t order_hash(uint32_t task)
{
    uint32_t h = (task + 1u) * 0x9E3779B1u;
    h = (h ^ h >> 16) * 0x85EBCA6Bu;
    return h ^ h >> 13;
}

/* The slot of state i, which is free or has an earlier equal set. */
static uint32_t *slot_of(const search *w, uint32_t i)
{
    const state *at = w->next.at;
    uint32_t slot = at[i].hash & w->mask;
    while (w->slots[slot] != NONE &&
           (at[w->slots[slot]].hash != at[i].hash ||
               memcmp(row_of(w, &w->next, w->slots[slot]), row_of(w, &w->next, i),
                   w->width * sizeof(uint32_t)) != 0)) {
        slot = (slot + 1u) & w->mask;
    }
    return &w->slots[slot];
}

static void clear_slots(search *w)
{
    memset(w->slots, 0xFF, ((size_t)w->mask + 1u) * sizeof *w->slots);
}

/* Live bytes, and in later searches more at random, up to a half, all, twice, four times. */
static uint64_t score(const search *w, const state *at)
{
    return at->live + (w->seed == 0 ? 0u
                                    : (at->live / (512u >> w->seed % 4u)) *
                                          (order_hash(at->hash ^ w->seed) >> 24));
}

/* By peak, then score, then age. */
static int is_worse(const search *w, uint32_t a, uint32_t b)
{
    const state *at = w->next.at;
    uint64_t const peak_a = at[a].peak > w->floor ? at[a].peak : w->floor;
    uint64_t const peak_b = at[b].peak > w->floor ? at[b].peak : w->floor;
    uint64_t const score_a = score(w, &at[a]);
    uint64_t const score_b = score(w, &at[b]);
    if (peak_a != peak_b) {
        return peak_a > peak_b;
    }
    return score_a != score_b ? score_a > score_b : a > b;
}

/* A heap with the worst state at its root. */
static void sift(const search *w, uint32_t n, uint32_t i)
{
    uint32_t *heap = w->list;
    uint32_t const id = heap[i];
    uint32_t child;
    while ((child = 2u * i + 1u) < n) {
        child += child + 1u < n && is_worse(w, heap[child + 1u], heap[child]) ? 1u : 0u;
        if (!is_worse(w, heap[child], id)) {
            break;
        }
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = id;
}

/* Keeps the best states of the next step. */
static void keep_best(search *w)
{
    layer *l = &w->next;
    uint32_t n = l->n;
    uint32_t i;
    for (i = 0; i < n; i++) {
        w->list[i] = i;
    }
    for (i = n / 2u; i > 0; i--) {
        sift(w, n, i - 1u);
    }
    for (; n > w->beam; n--) {
        l->at[w->list[0]].from = NONE;
        w->list[0] = w->list[n - 1u];
        sift(w, n - 1u, 0);
    }
    clear_slots(w);
    n = l->n;
    l->n = 0;
    for (i = 0; i < n; i++) {
        if (l->at[i].from != NONE) {
            l->at[l->n] = l->at[i];
            memmove(row_of(w, l, l->n), row_of(w, l, i), 2u * w->width * sizeof(uint32_t));
            *slot_of(w, l->n) = l->n;
            l->n++;
        }
    }
    w->lost = 1;
}

/* Adds what a state becomes by a task. */
static void add_state(search *w, const uint32_t *done, uint32_t task, const state *s)
{
    layer *l = &w->next;
    uint32_t *row;
    uint32_t *slot;
    uint32_t k;
    if (l->n == 2u * w->beam) {
        keep_best(w);
    }
    w->r->work += w->width / 16u; /* as long as it takes */
    row = row_of(w, l, l->n);
    memcpy(row, done, 2u * w->width * sizeof *row);
    put(row, task);
    l->at[l->n] = *s;
    slot = slot_of(w, l->n);
    if (*slot != NONE) {
        if (s->peak < l->at[*slot].peak) {
            l->at[*slot] = *s;
        }
        return;
    }
    *slot = l->n++;
    row[w->width + task / 32u] &= ~((uint32_t)1u << (task % 32u));
    for (k = w->t->after.begin[task]; k < w->t->after.begin[task + 1u]; k++) {
        if (order_all_in(&w->t->before, w->t->after.at[k], row, NONE)) {
            put(row + w->width, w->t->after.at[k]);
        }
    }
}

/* The kind of tasks that runs: changes, the last tasks, are done one after the other. */
static uint32_t kind_of(const order_tasks *t, const uint32_t *done)
{
    uint32_t low = 0;
    uint32_t high = t->n_changes;
    while (low < high) {
        uint32_t const middle = low + (high - low) / 2u;
        if (has(done, t->n - t->n_changes + middle)) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low & 1u;
}

/* Tries the moves of a state: a free one alone, or all that stay below the best peak. */
static void expand(search *w, uint32_t i, uint32_t step)
{
    state const now = w->now.at[i];
    const uint32_t *done = row_of(w, &w->now, i);
    const uint32_t *ready = done + w->width;
    uint64_t const allowed = now.peak > w->floor ? now.peak : w->floor;
    uint32_t const running = kind_of(w->t, done);
    int all;
    uint32_t task;
    for (all = 0; all < 2; all++) {
        for (task = next_in(ready, w->width, 0); task != NONE;
             task = next_in(ready, w->width, task + 1u)) {
            state s = now;
            uint32_t const kind = w->t->kind != NULL ? w->t->kind[task] : 0u;
            int is_free;
            if (w->t->earliest[task] > step || w->place[task] >= w->end ||
                (kind != running && kind != ORDER_CHANGES)) {
                continue;
            }
            w->r->work++;
            order_run_task(w->t, done, task, &s.live, &s.peak);
            is_free = s.peak <= allowed && s.live <= now.live && kind != ORDER_CHANGES;
            if (s.peak < w->r->peak && (all || is_free)) {
                s.hash ^= order_hash(task);
                s.from = i * w->t->n + task;
                add_state(w, done, task, &s);
            }
            if (is_free) {
                return;
            }
        }
    }
}

static void set_from(search *w, size_t at, uint32_t from)
{
    if (w->is_short) {
        w->from_short[at] = (uint16_t)from;
    } else {
        w->from[at] = from;
    }
}

/* From one step to the next; 0 if nothing leads on, or the work is used up. */
static int advance(search *w, uint32_t step, uint32_t begin)
{
    uint32_t i;
    w->next.n = 0;
    clear_slots(w);
    for (i = 0; i < w->now.n; i++) {
        if (w->r->work >= w->max_work) {
            w->lost = 1;
            return 0;
        }
        expand(w, i, step);
    }
    if (w->next.n > w->beam) {
        keep_best(w);
    }
    w->now.n = w->next.n;
    for (i = 0; i < w->next.n; i++) {
        w->now.at[i] = w->next.at[i];
        set_from(w, (size_t)(step - begin) * w->beam + i, w->next.at[i].from);
    }
    memcpy(w->now.rows, w->next.rows, 2u * w->width * w->next.n * sizeof *w->now.rows);
    return w->now.n != 0;
}

/* The peak of the best order; *step: where it is first. */
static uint64_t measure(const search *w, uint32_t *step)
{
    state s = {0, 0, 0, 0};
    uint32_t i;
    *step = 0;
    s.live = w->t->live;
    s.peak = w->t->peak;
    memset(w->first, 0, w->width * sizeof *w->first);
    for (i = 0; i < w->t->n; i++) {
        uint64_t const before = s.peak;
        order_run_task(w->t, w->first, w->r->order[i], &s.live, &s.peak);
        put(w->first, w->r->order[i]);
        w->place[w->r->order[i]] = i;
        *step = s.peak > before ? i : *step;
    }
    return s.peak;
}

/* The state at a place of the best order. */
static void start_at(search *w, uint32_t begin)
{
    uint32_t *ready = w->first + w->width;
    uint32_t i;
    state *s = w->now.at;
    memset(w->first, 0, 2u * w->width * sizeof *w->first);
    memset(s, 0, sizeof *s);
    s->live = w->t->live;
    for (i = 0; i < begin; i++) {
        order_run_task(w->t, w->first, w->r->order[i], &s->live, &s->peak);
        put(w->first, w->r->order[i]);
    }
    for (i = 0; i < w->t->n; i++) {
        if (!has(w->first, i) && order_all_in(&w->t->before, i, w->first, NONE)) {
            put(ready, i);
        }
    }
    s->peak = w->t->peak;
    w->now.n = 1;
    memcpy(w->now.rows, w->first, 2u * w->width * sizeof *w->first);
}

/* Searches an order below the best peak, between two places of the best order. Returns whether
 * there is one. */
static int improve(search *w, uint32_t begin, uint32_t end)
{
    uint32_t const n = w->t->n;
    uint32_t step;
    uint32_t from = 0;
    w->lost = 0;
    w->end = end;
    start_at(w, begin);
    for (step = begin; step < end; step++) {
        if (!advance(w, step, begin)) {
            return 0;
        }
    }
    for (step = end; step > begin; step--) {
        size_t const at = (size_t)(step - 1u - begin) * w->beam + from;
        from = w->is_short ? w->from_short[at] : w->from[at];
        w->r->order[step - 1u] = from % n;
        from /= n;
    }
    w->r->peak = measure(w, &step);
    return 1;
}

#define WINDOW 32u

/* Improves the best order around its peak, further and further around. */
static void improve_windows(search *w)
{
    uint32_t const n = w->t->n;
    uint32_t size = WINDOW;
    while (size < n && w->r->peak > w->r->lower_bound && w->r->work < w->max_work) {
        uint32_t at;
        uint32_t begin;
        (void)measure(w, &at);
        begin = at > size / 2u ? at - size / 2u : 0u;
        w->floor = w->r->peak - 1u;
        size = improve(w, begin, n - begin > size ? begin + size : n) ? WINDOW : 2u * size;
    }
}

/* ---- the whole search ---- */

static void *room(search *w, cli_session *s, size_t count, size_t size)
{
    w->r->bytes += (uint64_t)count * size;
    return cli_alloc(s, count, size);
}

static void open_search(search *w, cli_session *s)
{
    size_t const beam = w->beam;
    w->width = w->t->n / 32u + 1u; /* task n, too */
    for (w->mask = 7u; w->mask < 4u * beam; w->mask = 2u * w->mask + 1u) {
    }
    w->now.at = (state *)room(w, s, beam, sizeof *w->now.at);
    w->next.at = (state *)room(w, s, 2u * beam + 1u, sizeof *w->next.at);
    w->now.rows = (uint32_t *)room(w, s, 2u * beam * w->width, sizeof *w->now.rows);
    w->next.rows = (uint32_t *)room(w, s, (4u * beam + 2u) * w->width, sizeof *w->next.rows);
    w->first = (uint32_t *)room(w, s, 2u * w->width, sizeof *w->first);
    w->slots = (uint32_t *)room(w, s, (size_t)w->mask + 1u, sizeof *w->slots);
    w->list = (uint32_t *)room(w, s, 2u * beam, sizeof *w->list);
    w->is_short = beam * w->t->n <= UINT16_MAX;
    if (w->is_short) {
        w->from_short = (uint16_t *)room(w, s, beam * w->t->n, sizeof *w->from_short);
    } else {
        w->from = (uint32_t *)room(w, s, beam * w->t->n, sizeof *w->from);
    }
    w->place = (uint32_t *)room(w, s, w->t->n, sizeof *w->place);
}

static void close_search(search *w, cli_session *s)
{
    cli_release(s, w->now.at);
    cli_release(s, w->next.at);
    cli_release(s, w->now.rows);
    cli_release(s, w->next.rows);
    cli_release(s, w->first);
    cli_release(s, w->slots);
    cli_release(s, w->list);
    cli_release(s, w->from);
    cli_release(s, w->from_short);
    cli_release(s, w->place);
}

void order_search(cli_session *s, const order_tasks *t, uint32_t beam, uint32_t tries,
    uint64_t max_work, order_result *r)
{
    search w;
    if (t->n == 0 || r->peak <= r->lower_bound) {
        return;
    }
    memset(&w, 0, sizeof w);
    w.t = t;
    w.r = r;
    w.beam = beam < (NONE - 1u) / t->n ? beam : (NONE - 1u) / t->n;
    w.max_work = max_work;
    r->bytes = 0;
    open_search(&w, s);
    w.floor = r->lower_bound;
    (void)improve(&w, 0, t->n);
    if (!w.lost) {
        r->lower_bound = r->peak;
    }
    improve_windows(&w);
    while (r->peak > r->lower_bound && w.seed < tries) {
        w.floor = r->peak - 1u;
        if (improve(&w, 0, t->n)) {
            improve_windows(&w);
            continue;
        }
        w.seed++;
        if (!w.lost) {
            r->lower_bound = r->peak;
        }
    }
    close_search(&w, s);
}

#define NARROW 4u
#define WIDE   16384u
#define WORK   ((uint64_t)3u << 22) /* a second */
#define TRIES  64u
#define ROOM   ((uint64_t)1u << 28) /* bytes of a search, about */

void order_search_all(cli_session *s, const order_tasks *t, uint32_t beam, order_result *r)
{
    if (beam != 0) {
        order_search(s, t, beam, TRIES, UINT64_MAX, r);
        return;
    }
    for (beam = NARROW; beam <= WIDE && 4u * (uint64_t)beam * t->n <= ROOM; beam *= 16u) {
        order_search(s, t, beam, 1u, WORK, r);
    }
    if (beam > WIDE) {
        order_search(s, t, 64u * NARROW, TRIES, WORK, r);
    }
}

/* ---- other orders ---- */

/* Less is better. */
static uint64_t rank_of(
    const order_tasks *t, const uint32_t *done, uint32_t number, uint32_t task, uint32_t place)
{
    state s = {0, 0, 0, 0};
    switch (number) {
    case 0:
        return place;
    case 1:
        return NONE - place;
    case 2:
        s.live = UINT64_MAX / 2u;
        order_run_task(t, done, task, &s.live, &s.peak);
        return s.live;
    default:
        return order_hash(task ^ order_hash(number));
    }
}

void order_other(cli_session *s, const order_tasks *t, uint32_t number, uint32_t *order)
{
    uint32_t *done = (uint32_t *)cli_alloc(s, t->n / 32u + 1u, sizeof *done);
    uint32_t *listed = (uint32_t *)cli_alloc(s, t->n / 32u + 1u, sizeof *listed);
    uint32_t *ready = (uint32_t *)cli_alloc(s, (size_t)t->n + 1u, sizeof *ready);
    uint32_t n = 0;
    uint32_t i;
    uint32_t k;
    for (i = 0; i < t->n; i++) {
        if (t->before.begin[i] == t->before.begin[i + 1u]) {
            ready[n++] = i;
        }
    }
    for (i = 0; i < t->n; i++) {
        uint32_t best = NONE;
        uint64_t least = UINT64_MAX;
        uint32_t task;
        for (k = 0; k < n; k++) {
            uint64_t const rank = rank_of(t, done, number, ready[k], k);
            if (t->earliest[ready[k]] <= i && rank < least) {
                least = rank;
                best = k;
            }
        }
        task = ready[best];
        order[i] = task;
        put(done, task);
        n--;
        memmove(ready + best, ready + best + 1u, (n - best) * sizeof *ready);
        for (k = t->after.begin[task]; k < t->after.begin[task + 1u]; k++) {
            uint32_t const next = t->after.at[k];
            if (!has(listed, next) && order_all_in(&t->before, next, done, NONE)) {
                put(listed, next);
                ready[n++] = next;
            }
        }
    }
    cli_release(s, ready);
    cli_release(s, listed);
    cli_release(s, done);
}
