/* Orders of tasks by two figures: the peak of live bytes, and the bytes that cross from one phase
 * to a later one. A search by steps as in graphsplit_order.h. A state is the set of tasks that are
 * done; of equal sets all remain that are not dominated. What a call makes is fresh in the phase in
 * which it ran, and crosses once that ends before its last reader: a state dominates another if its
 * peak is not larger, and its bytes are not, even if all crosses that is fresh in it alone. A move
 * is the only one tried if neither figure can suffer: it frees as many live bytes as it takes, and
 * saves as many fresh ones from crossing as it makes. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

#define NONE UINT32_MAX

typedef struct state {
    uint64_t live;
    uint64_t peak;
    uint64_t crossed;
    uint32_t hash; /* of the set */
    uint32_t next; /* another one with the same set, or NONE */
    uint32_t from; /* place of its predecessor * n + task; NONE: it is dropped */
} state;

/* For each state three sets: tasks that are done, that can be next, and that made what is fresh. */
typedef struct layer {
    state *at;
    uint32_t *rows;
    uint32_t n;
} layer;

typedef struct search {
    const tradeoff_tasks *d;
    const gsp_tasks *t;
    tradeoff *r;
    layer now;
    layer next;      /* room for 2 * beam + 1 states */
    uint32_t *slots; /* [mask + 1] hash table of the next states: the first one of a set */
    uint32_t *list;  /* [2 * beam] */
    uint32_t *from;  /* [n * beam] */
    uint32_t *order; /* [n] */
    uint64_t best;   /* least objective, with weights */
    uint64_t floor;  /* peaks up to this do not matter */
    uint64_t max_work;
    size_t width; /* words of a set */
    uint32_t beam;
    uint32_t mask;
    int lost; /* a state was dropped */
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

static void take(uint32_t *set, uint32_t i)
{
    set[i / 32u] &= ~((uint32_t)1u << (i % 32u));
}

/* 1 if all of row i are in a set, or are `task`. */
static int all_in(
    const uint32_t *begin, const uint32_t *at, uint32_t i, const uint32_t *set, uint32_t task)
{
    uint32_t k;
    for (k = begin[i]; k < begin[i + 1u]; k++) {
        if (at[k] != task && !has(set, at[k])) {
            return 0;
        }
    }
    return 1;
}

static uint32_t hash_of(uint32_t task)
{
    uint32_t h = (task + 1u) * 0x9E3779B1u;
    h = (h ^ h >> 16) * 0x85EBCA6Bu;
    return h ^ h >> 13;
}

/* The bytes of what is in a and not in b (NULL: nothing is) that would cross. */
static uint64_t bytes_in(const search *w, const uint32_t *a, const uint32_t *b)
{
    uint64_t sum = 0;
    size_t word;
    for (word = 0; word < w->width; word++) {
        uint32_t bits = a[word] & ~(b == NULL ? 0u : b[word]);
        uint32_t i;
        for (i = (uint32_t)word * 32u; bits != 0; bits >>= 1, i++) {
            sum += (bits & 1u) != 0 ? w->d->bytes[i] : 0u;
        }
    }
    return sum;
}

static uint32_t *row_of(const search *w, const layer *l, uint32_t i)
{
    return l->rows + 3u * w->width * i;
}

/* ---- points ---- */

static uint64_t objective_of(const tradeoff_tasks *d, uint64_t peak, uint64_t crossed)
{
    return d->weight[0] * peak + d->weight[1] * crossed;
}

static uint64_t raised(const search *w, uint64_t peak)
{
    return peak > w->floor ? peak : w->floor;
}

/* Whether no better point can come of these figures. */
static int is_hopeless(const search *w, uint64_t peak, uint64_t crossed)
{
    const tradeoff *r = w->r;
    uint64_t const least = raised(w, peak);
    uint32_t i;
    if (peak > w->d->most_peak) {
        return 1;
    }
    if (TRADEOFF_HAS_WEIGHTS(w->d)) {
        return objective_of(w->d, least, crossed) >= w->best;
    }
    for (i = 0; i < r->n_points && r->points[i].peak <= least; i++) {
        if (r->points[i].crossed <= crossed) {
            return 1;
        }
    }
    return 0;
}

int tradeoff_add(cli_session *s, const tradeoff_tasks *d, tradeoff *r, const tradeoff_point *point)
{
    uint32_t begin = 0;
    uint32_t end;
    while (begin < r->n_points && r->points[begin].peak < point->peak) {
        begin++;
    }
    if (point->peak > d->most_peak ||
        (begin > 0 && r->points[begin - 1u].crossed <= point->crossed) ||
        (begin < r->n_points && r->points[begin].peak == point->peak &&
            r->points[begin].crossed <= point->crossed)) {
        return 0;
    }
    for (end = begin; end < r->n_points && r->points[end].crossed >= point->crossed; end++) {
        cli_release(s, r->points[end].order);
    }
    if (r->n_points + 1u >= r->room) {
        r->room = 2u * r->room + 16u;
        r->points = (tradeoff_point *)cli_grow(s, r->points, r->room * sizeof *r->points);
    }
    memmove(r->points + begin + 1u, r->points + end, (r->n_points - end) * sizeof *r->points);
    r->n_points -= end - begin;
    r->points[begin] = *point;
    r->points[begin].order =
        (uint32_t *)cli_alloc(s, (size_t)d->tasks->n_tasks + 1u, sizeof(uint32_t));
    memcpy(r->points[begin].order, point->order, d->tasks->n_tasks * sizeof(uint32_t));
    r->n_points++;
    return 1;
}

const tradeoff_point *tradeoff_best(const tradeoff_tasks *d, const tradeoff *r)
{
    const tradeoff_point *best = NULL;
    uint32_t i;
    for (i = 0; i < r->n_points; i++) {
        const tradeoff_point *p = &r->points[i];
        if (best == NULL ||
            objective_of(d, p->peak, p->crossed) < objective_of(d, best->peak, best->crossed)) {
            best = p;
        }
    }
    return best;
}

/* ---- tasks ---- */

/* Whether a change of phases tears a group, of which all or none are done. */
static int tears(const search *w, const uint32_t *done)
{
    const cli_lists *groups = &w->d->groups;
    uint32_t g;
    uint32_t k;
    for (g = 0; g < w->d->n_groups; g++) {
        for (k = groups->begin[g] + 1u; k < groups->begin[g + 1u]; k++) {
            if (has(done, groups->at[k]) != has(done, groups->at[k - 1u])) {
                return 1;
            }
        }
    }
    return 0;
}

/* Whether others of its group are done, or it has none. */
static int may_move(const search *w, const uint32_t *done, uint32_t task)
{
    uint32_t const g = w->d->group[task];
    uint32_t k;
    if (g == NONE) {
        return 1;
    }
    for (k = w->d->groups.begin[g]; k < w->d->groups.begin[g + 1u]; k++) {
        if (has(done, w->d->groups.at[k])) {
            return 1;
        }
    }
    return 0;
}

/* The bytes of what is fresh and cannot cross once a task is done; `left`, or NULL, loses it. */
static uint64_t saved_by(const search *w, const uint32_t *done, uint32_t task, uint32_t *left)
{
    const tradeoff_tasks *d = w->d;
    const uint32_t *fresh = done + 2u * w->width;
    uint64_t saved = 0;
    uint32_t k;
    for (k = d->uses.begin[task]; k < d->uses.begin[task + 1u]; k++) {
        uint32_t const from = d->uses.at[k];
        if (has(fresh, from) && all_in(d->users.begin, d->users.at, from, done, task)) {
            saved += d->bytes[from];
            if (left != NULL) {
                take(left, from);
            }
        }
    }
    return saved;
}

void tradeoff_measure(cli_session *s, const tradeoff_tasks *d, tradeoff_point *point)
{
    const gsp_tasks *t = d->tasks;
    uint32_t *phase = (uint32_t *)cli_alloc(s, (size_t)t->n_tasks + 1u, sizeof *phase);
    uint32_t *done = (uint32_t *)cli_alloc(s, t->n_tasks / 32u + 1u, sizeof *done);
    uint64_t live = t->live;
    uint32_t now = 0;
    uint32_t i;
    uint32_t k;
    point->peak = t->least;
    point->crossed = d->fixed;
    for (i = 0; i < t->n_tasks; i++) {
        uint32_t const task = point->order[i];
        gsp_tasks_step(t, done, task, &live, &point->peak);
        put(done, task);
        phase[task] = now;
        now += task >= t->n_calls ? 1u : 0u;
    }
    for (i = 0; i < t->n_tasks; i++) {
        int crosses = 0;
        for (k = d->users.begin[i]; k < d->users.begin[i + 1u]; k++) {
            crosses = crosses || phase[d->users.at[k]] != phase[i];
        }
        point->crossed += crosses ? d->bytes[i] : 0u;
    }
    cli_release(s, done);
    cli_release(s, phase);
}

/* ---- states of the next step ---- */

/* The slot of the set of state i, which is free or has an equal set. */
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

/* By objective, of one figure if there are no weights, then live bytes, then age. */
static int is_worse(const search *w, uint32_t a, uint32_t b)
{
    const state *at = w->next.at;
    uint64_t rank[2];
    uint32_t const of[2] = {a, b};
    uint32_t i;
    for (i = 0; i < 2u; i++) {
        const state *s = &at[of[i]];
        uint64_t const peak = raised(w, s->peak);
        rank[i] =
            TRADEOFF_HAS_WEIGHTS(w->d) ? objective_of(w->d, peak, s->crossed) : peak + s->crossed;
    }
    if (rank[0] != rank[1]) {
        return rank[0] > rank[1];
    }
    return at[a].live != at[b].live ? at[a].live > at[b].live : a > b;
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

/* Puts a state, whose row is there, in front of those with an equal set. */
static void link_state(search *w, uint32_t i)
{
    uint32_t *slot = slot_of(w, i);
    w->next.at[i].next = *slot;
    *slot = i;
}

/* Keeps the best states of the next step. */
static void keep_best(search *w)
{
    layer *l = &w->next;
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < l->n; i++) {
        if (l->at[i].from != NONE) {
            w->list[n++] = i;
        }
    }
    for (i = n / 2u; i > 0; i--) {
        sift(w, n, i - 1u);
    }
    for (; n > w->beam; n--) {
        l->at[w->list[0]].from = NONE;
        w->list[0] = w->list[n - 1u];
        sift(w, n - 1u, 0);
        w->lost = 1;
    }
    clear_slots(w);
    n = l->n;
    l->n = 0;
    for (i = 0; i < n; i++) {
        if (l->at[i].from != NONE) {
            l->at[l->n] = l->at[i];
            memmove(row_of(w, l, l->n), row_of(w, l, i), 3u * w->width * sizeof(uint32_t));
            link_state(w, l->n);
            l->n++;
        }
    }
}

/* Whether state a makes state b, of an equal set, needless. */
static int dominates(const search *w, uint32_t a, uint32_t b)
{
    const state *at = w->next.at;
    return raised(w, at[a].peak) <= raised(w, at[b].peak) && at[a].crossed <= at[b].crossed &&
           at[b].crossed - at[a].crossed >= bytes_in(w, row_of(w, &w->next, a) + 2u * w->width,
                                                row_of(w, &w->next, b) + 2u * w->width);
}

/* Adds what a state becomes by a task; `fresh`: what is then fresh. */
static void add_state(search *w, const uint32_t *done, uint32_t task, const state *s)
{
    layer *l = &w->next;
    uint32_t *row;
    uint32_t i;
    uint32_t k;
    if (l->n == 2u * w->beam) {
        keep_best(w);
    }
    w->r->work += w->width / 16u; /* as long as it takes */
    row = row_of(w, l, l->n);
    memcpy(row, done, 3u * w->width * sizeof *row);
    if (task >= w->t->n_calls) {
        memset(row + 2u * w->width, 0, w->width * sizeof *row);
    } else {
        (void)saved_by(w, done, task, row + 2u * w->width);
        if (w->d->bytes[task] != 0) {
            put(row + 2u * w->width, task);
        }
    }
    put(row, task);
    l->at[l->n] = *s;
    for (i = *slot_of(w, l->n); i != NONE; i = l->at[i].next) {
        w->r->work++;
        if (l->at[i].from != NONE && dominates(w, i, l->n)) {
            return;
        }
        if (dominates(w, l->n, i)) {
            l->at[i].from = NONE;
        }
    }
    take(row + w->width, task);
    for (k = w->t->after.begin[task]; k < w->t->after.begin[task + 1u]; k++) {
        if (all_in(w->t->before.begin, w->t->before.at, w->t->after.at[k], row, NONE)) {
            put(row + w->width, w->t->after.at[k]);
        }
    }
    link_state(w, l->n++);
}

/* The change that comes next; the number of them if all are done. */
static uint32_t changes_in(const gsp_tasks *t, const uint32_t *done)
{
    uint32_t low = 0;
    uint32_t high = t->n_tasks - t->n_calls;
    while (low < high) {
        uint32_t const middle = low + (high - low) / 2u;
        if (has(done, t->n_calls + middle)) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Runs a task in a state. Returns 0 if it cannot, 1, or 2 if it has to be the only one tried. */
static int try_task(
    const search *w, const state *now, const uint32_t *done, uint32_t task, state *s)
{
    const gsp_tasks *t = w->t;
    *s = *now;
    if (task >= t->n_calls) {
        s->crossed += bytes_in(w, done + 2u * w->width, NULL);
        return !tears(w, done);
    }
    gsp_tasks_step(t, done, task, &s->live, &s->peak);
    if (s->peak > raised(w, now->peak) || s->live > now->live || !may_move(w, done, task)) {
        return 1;
    }
    return w->d->bytes[task] <= saved_by(w, done, task, NULL) ? 2 : 1;
}

/* Tries the moves of a state: a free one alone, or all that can lead to a better point. */
static void expand(search *w, uint32_t i, uint32_t step)
{
    state const now = w->now.at[i];
    const uint32_t *done = row_of(w, &w->now, i);
    const uint32_t *ready = done + w->width;
    uint32_t const change = changes_in(w->t, done);
    uint32_t const first = w->t->n_calls;
    uint32_t only = NONE;
    uint32_t task;
    int all;
    for (all = 0; all < 2 && only == NONE; all++) {
        for (task = 0; task < w->t->n_tasks && only == NONE; task++) {
            state s;
            int kind;
            if (!has(ready, task) || (task < first && (w->t->earliest[task] > step - change ||
                                                          w->t->kind[task] != (change & 1u)))) {
                continue;
            }
            w->r->work++;
            kind = try_task(w, &now, done, task, &s);
            only = kind == 2 ? task : NONE;
            if (kind == 2 || (all && kind == 1)) {
                s.hash ^= hash_of(task);
                s.from = i * w->t->n_tasks + task;
                if (!is_hopeless(w, s.peak, s.crossed)) {
                    add_state(w, done, task, &s);
                }
            }
        }
    }
}

/* From one step to the next; 0 if nothing leads on, or the work is used up. */
static int advance(search *w, uint32_t step)
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
    keep_best(w);
    w->now.n = w->next.n;
    for (i = 0; i < w->next.n; i++) {
        w->now.at[i] = w->next.at[i];
        w->from[(size_t)step * w->beam + i] = w->next.at[i].from;
    }
    memcpy(w->now.rows, w->next.rows, 3u * w->width * w->next.n * sizeof *w->now.rows);
    return w->now.n != 0;
}

/* The state before the first task. */
static void start(search *w)
{
    uint32_t *ready = w->now.rows + w->width;
    state *s = w->now.at;
    uint32_t i;
    memset(w->now.rows, 0, 3u * w->width * sizeof *w->now.rows);
    memset(s, 0, sizeof *s);
    for (i = 0; i < w->t->n_tasks; i++) {
        if (w->t->before.begin[i] == w->t->before.begin[i + 1u]) {
            put(ready, i);
        }
    }
    s->live = w->t->live;
    s->peak = w->t->least;
    s->crossed = w->d->fixed;
    w->now.n = 1;
    w->lost = 0;
}

/* The points of all states in which all tasks are done; returns whether they are new. */
static int add_points(const search *w, cli_session *s)
{
    uint32_t const n = w->t->n_tasks;
    int added = 0;
    uint32_t i;
    uint32_t step;
    for (i = 0; i < w->now.n; i++) {
        uint32_t at = i;
        tradeoff_point point;
        for (step = n; step > 0; step--) {
            uint32_t const from = w->from[(size_t)(step - 1u) * w->beam + at];
            w->order[step - 1u] = from % n;
            at = from / n;
        }
        point.peak = w->now.at[i].peak;
        point.crossed = w->now.at[i].crossed;
        point.order = w->order;
        added |= tradeoff_add(s, w->d, w->r, &point);
    }
    return added;
}

/* ---- the whole search ---- */

static void open_search(search *w, cli_session *s)
{
    size_t const beam = w->beam;
    w->width = w->t->n_tasks / 32u + 1u; /* task n, too */
    for (w->mask = 7u; w->mask < 4u * beam; w->mask = 2u * w->mask + 1u) {
    }
    w->now.at = (state *)cli_alloc(s, beam, sizeof *w->now.at);
    w->next.at = (state *)cli_alloc(s, 2u * beam + 1u, sizeof *w->next.at);
    w->now.rows = (uint32_t *)cli_alloc(s, 3u * beam * w->width, sizeof *w->now.rows);
    w->next.rows = (uint32_t *)cli_alloc(s, (6u * beam + 3u) * w->width, sizeof *w->next.rows);
    w->slots = (uint32_t *)cli_alloc(s, (size_t)w->mask + 1u, sizeof *w->slots);
    w->list = (uint32_t *)cli_alloc(s, 2u * beam + 1u, sizeof *w->list);
    w->from = (uint32_t *)cli_alloc(s, beam * w->t->n_tasks, sizeof *w->from);
    w->order = (uint32_t *)cli_alloc(s, w->t->n_tasks, sizeof *w->order);
}

static void close_search(const search *w, cli_session *s)
{
    cli_release(s, w->now.at);
    cli_release(s, w->next.at);
    cli_release(s, w->now.rows);
    cli_release(s, w->next.rows);
    cli_release(s, w->slots);
    cli_release(s, w->list);
    cli_release(s, w->from);
    cli_release(s, w->order);
}

#define NARROW 16u
#define WIDE   524288u
#define ROOM   ((uint64_t)1u << 28u) /* bytes of a search, about */

/* One search with this beam; returns whether it added a point. With the peak alone, all peaks below
 * the best are equal. */
static int search_once(search *w, cli_session *s)
{
    const tradeoff_point *best = tradeoff_best(w->d, w->r);
    uint32_t step;
    int added = 0;
    w->best = best == NULL ? UINT64_MAX : objective_of(w->d, best->peak, best->crossed);
    w->floor = best != NULL && w->d->weight[0] != 0 && w->d->weight[1] == 0 && best->peak != 0
                   ? best->peak - 1u
                   : w->r->least_peak;
    start(w);
    for (step = 0; step < w->t->n_tasks && advance(w, step); step++) {
    }
    if (step == w->t->n_tasks) {
        added = add_points(w, s);
    }
    return added;
}

void tradeoff_search(cli_session *s, const tradeoff_tasks *d, tradeoff *r, uint64_t max_work)
{
    uint64_t const each =
        4u * (uint64_t)d->tasks->n_tasks + 9u * (d->tasks->n_tasks / 8u + 4u) + 200u;
    int const exact = d->weight[0] == 0 || d->weight[1] != 0; /* one search finds the best */
    uint32_t beam;
    r->work = 0;
    r->complete = d->tasks->n_tasks == 0;
    for (beam = NARROW; beam <= WIDE && beam * each <= ROOM && !r->complete && r->work < max_work;
         beam *= 8u) {
        search w;
        memset(&w, 0, sizeof w);
        w.d = d;
        w.t = d->tasks;
        w.r = r;
        w.beam = beam;
        w.max_work = max_work;
        open_search(&w, s);
        while (search_once(&w, s) && !exact) {
        }
        r->complete = !w.lost;
        close_search(&w, s);
    }
}
