/* Each tensor in one of several memories. Costs are scaled in the search, so that bounds from whole
 * multipliers lose little. A state of the search has a bound: its cost, the multipliers of the
 * room that its live tensors take from here on, and the least of the same for all later tensors. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <stdlib.h>
#include <string.h>

#define STATES    32768u     /* at most, in one place of the order */
#define HISTORY   (1u << 21) /* states in all places */
#define FORBIDDEN 256u
#define MEMBERS   4096u        /* of these sets */
#define SCALE     1024u        /* of costs, at most */
#define MOST      (1ull << 60) /* a sum of scaled costs */
#define NO_STATE  INT64_MAX
#define NO_BOUND  ((int64_t)1 << 62) /* exceeds all costs */
#define PACK_WORK (1u << 24)
#define TRY_WORK  (1u << 16) /* of packing, where another try follows */

typedef struct candidate {
    int64_t bound;
    uint64_t cost;
    uint32_t parent;
    uint32_t memory;
} candidate;

/* States of one place in the order. */
typedef struct front {
    uint32_t n;
    int64_t *bound;
    uint64_t *cost;
    uint64_t *load; /* [n][memories] live bytes */
    uint64_t *hash; /* [n] of live bytes by memory and by the section in which they end */
    uint8_t *row;   /* [n][width] memory and 1 per slot; then 1 per forbidden set that is avoided */
} front;

/* Tensors that do not fit into a memory together. */
typedef struct forbidden {
    uint32_t memory;
    uint32_t begin; /* in members */
    uint32_t end;
    uint32_t next; /* the first member that has no memory yet */
} forbidden;

typedef struct work {
    const cli_memories_desc *d;
    uint32_t *memory; /* the writable arrays of the result */
    uint64_t *offset;
    cli_memories_result result;
    uint32_t *order;   /* [n] tensors by begin */
    uint32_t *place;   /* [n] of a tensor in it */
    uint32_t *by_size; /* [n] fixed ones first, then falling */
    uint32_t *by_gain; /* [n] the same by traffic per step and byte */
    uint32_t *first;   /* [n] sections: distinct begins */
    uint32_t *last;
    uint32_t *slot; /* [n] */
    uint32_t *live; /* [n_slots] tensors */
    uint32_t n_slots;
    uint32_t n_sections;
    uint64_t round[CLI_MOST_MEMORIES]; /* sizes are rounded up to multiples */
    uint32_t by_cost[CLI_MOST_MEMORIES];
    uint64_t scale;
    uint64_t upper;  /* every assignment costs less */
    double *weight;  /* [memories][n] multipliers */
    double *best;    /* [memories][n] the best ones so far */
    double *sum;     /* [n + 1] */
    int64_t *weigh;  /* [memories][n] as whole numbers */
    int64_t *before; /* [memories][n + 1] their sums */
    int64_t *least;  /* [n] of cost and multipliers, over all memories */
    uint32_t *choice;
    uint64_t *trial; /* [n] offsets */
    cli_fit fits[CLI_MOST_MEMORIES];
    front fronts[2];
    candidate *candidates;
    uint32_t n_candidates;
    uint32_t *history; /* [n][states] parent and memory */
    uint32_t *table;   /* states by hash */
    uint64_t *ending;  /* [n][memories] 0, between two comparisons */
    uint32_t states;   /* at most */
    uint32_t section;  /* of the front */
    int64_t dropped;   /* the least bound of states that were dropped */
    forbidden sets[FORBIDDEN];
    uint32_t n_sets;
    uint32_t *members; /* places in the order */
    uint32_t *set;     /* [n] tensors that are packed */
    gsp_tensor *part;  /* [n] */
    uint32_t *aligns;
    uint32_t *fixed;
    void *room; /* for packing */
    size_t room_size;
    uint64_t max_work;
} work;

/* ---- sizes ---- */

static uint32_t table_size(uint32_t states)
{
    uint32_t size = 64;
    while (size < 2u * states) {
        size *= 2u;
    }
    return size;
}

static size_t lay_out(work *w, gsp_arena *arena, const cli_memories_desc *d)
{
    cli_layout l = {arena, 0};
    size_t const n = d->n_tensors;
    size_t const m = d->n_memories;
    memset(w, 0, sizeof *w);
    w->d = d;
    w->states = n > HISTORY / 8u ? 8u : n < HISTORY / STATES ? STATES : HISTORY / (uint32_t)n;
    w->memory = CLI_ROW(&l, uint32_t, n);
    w->offset = CLI_ROW(&l, uint64_t, n);
    w->order = CLI_ROW(&l, uint32_t, n);
    w->place = CLI_ROW(&l, uint32_t, n);
    w->by_size = CLI_ROW(&l, uint32_t, n);
    w->by_gain = CLI_ROW(&l, uint32_t, n);
    w->first = CLI_ROW(&l, uint32_t, n);
    w->last = CLI_ROW(&l, uint32_t, n);
    w->slot = CLI_ROW(&l, uint32_t, n);
    w->live = CLI_ROW(&l, uint32_t, n);
    w->weight = CLI_ROW(&l, double, n *m);
    w->best = CLI_ROW(&l, double, n *m);
    w->sum = CLI_ROW(&l, double, (n + 1u) * m);
    w->weigh = CLI_ROW(&l, int64_t, n * m);
    w->before = CLI_ROW(&l, int64_t, (n + 1u) * m);
    w->least = CLI_ROW(&l, int64_t, n);
    w->choice = CLI_ROW(&l, uint32_t, n);
    w->trial = CLI_ROW(&l, uint64_t, n);
    for (uint32_t i = 0; i < d->n_memories; i++) {
        w->fits[i].tensors = d->tensors;
        w->fits[i].offset = w->trial;
        w->fits[i].placed = CLI_ROW(&l, uint32_t, n);
    }
    for (uint32_t i = 0; i < 2u; i++) {
        w->fronts[i].bound = CLI_ROW(&l, int64_t, w->states);
        w->fronts[i].cost = CLI_ROW(&l, uint64_t, w->states);
        w->fronts[i].load = CLI_ROW(&l, uint64_t, w->states * m);
        w->fronts[i].hash = CLI_ROW(&l, uint64_t, w->states);
        w->fronts[i].row = CLI_ROW(&l, uint8_t, w->states * (n + FORBIDDEN));
    }
    w->candidates = CLI_ROW(&l, candidate, w->states * m);
    w->history = CLI_ROW(&l, uint32_t, w->states * n);
    w->table = CLI_ROW(&l, uint32_t, table_size(w->states));
    w->ending = CLI_ROW(&l, uint64_t, n * m);
    w->members = CLI_ROW(&l, uint32_t, MEMBERS);
    w->set = CLI_ROW(&l, uint32_t, n);
    w->part = CLI_ROW(&l, gsp_tensor, n);
    w->aligns = CLI_ROW(&l, uint32_t, n);
    w->fixed = CLI_ROW(&l, uint32_t, n);
    w->room_size = gsp_memory_pack_bound(d->n_tensors, NULL);
    w->room = CLI_ROW(&l, uint8_t, w->room_size);
    return cli_layout_bound(&l);
}

size_t cli_memories_bound(const cli_memories_desc *desc)
{
    work w;
    return lay_out(&w, NULL, desc);
}

/* ---- tensors ---- */

static int is_fixed(const cli_memories_desc *d, uint32_t t)
{
    return d->fixed != NULL && d->fixed[t] != 0;
}

static uint64_t align_of(const cli_memories_desc *d, uint32_t t, uint32_t m)
{
    uint32_t const own = d->aligns != NULL ? d->aligns[t] : 1u;
    return is_fixed(d, t) ? 1u : own > d->memories[m].align ? own : d->memories[m].align;
}

static uint64_t size_of(const work *w, uint32_t t, uint32_t m)
{
    return (w->d->tensors[t].bytes + w->round[m] - 1u) / w->round[m] * w->round[m];
}

static uint64_t cost_of(const work *w, uint32_t t, uint32_t m)
{
    return w->d->traffic[t] * w->d->memories[m].cost;
}

int cli_memories_allowed(const cli_memories_desc *desc, uint32_t tensor, uint32_t memory)
{
    const cli_memory *m = &desc->memories[memory];
    const gsp_tensor *t = &desc->tensors[tensor];
    uint64_t const offset = is_fixed(desc, tensor) ? t->offset : 0u;
    return (desc->pins == NULL || desc->pins[tensor] == GSP_NONE || desc->pins[tensor] == memory) &&
           (m->read_only == 0 || (desc->written != NULL && desc->written[tensor] == 0)) &&
           t->bytes <= m->bytes && offset <= m->bytes - t->bytes;
}

typedef struct keyed {
    uint64_t key;
    uint64_t next; /* if keys are equal */
    uint32_t id;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *x = (const keyed *)a;
    const keyed *y = (const keyed *)b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    if (x->next != y->next) {
        return x->next < y->next ? -1 : 1;
    }
    return (x->id > y->id) - (x->id < y->id);
}

/* Sorts tensors by keys, in the memory for packing. */
static void sort(work *w, uint32_t *order)
{
    keyed *list = (keyed *)w->room;
    qsort(list, w->d->n_tensors, sizeof *list, by_key);
    for (uint32_t i = 0; i < w->d->n_tensors; i++) {
        order[i] = list[i].id;
    }
}

static void make_orders(work *w)
{
    const cli_memories_desc *d = w->d;
    keyed *list = (keyed *)w->room;
    for (uint32_t kind = 0; kind < 3u; kind++) {
        for (uint32_t i = 0; i < d->n_tensors; i++) {
            const gsp_tensor *t = &d->tensors[i];
            uint64_t const area = (t->bytes != 0 ? t->bytes : 1u);
            uint64_t const steps = (uint64_t)(t->end - t->begin) + 1u;
            uint64_t const gain = (d->traffic[i] << 10) / area * 1024u / steps;
            list[i].id = i;
            list[i].next = kind == 2u ? ~t->bytes : t->end;
            list[i].key = kind == 0        ? t->begin
                          : is_fixed(d, i) ? 0u
                          : kind == 1u     ? ~t->bytes
                                           : ~gain;
        }
        sort(w, kind == 0 ? w->order : kind == 1u ? w->by_size : w->by_gain);
    }
}

/* Sections, and slots that tensors share one after the other. */
static void make_sections(work *w)
{
    const cli_memories_desc *d = w->d;
    uint32_t *begins = w->set;
    uint32_t *free_slots = w->aligns;
    uint32_t n_free = 0;
    for (uint32_t i = 0; i < d->n_tensors; i++) {
        const gsp_tensor *t = &d->tensors[w->order[i]];
        w->place[w->order[i]] = i;
        if (i == 0 || begins[w->n_sections - 1u] != t->begin) {
            begins[w->n_sections++] = t->begin;
            for (uint32_t k = 0; k < w->n_slots; k++) {
                if (w->live[k] != GSP_NONE && d->tensors[w->live[k]].end < t->begin) {
                    w->live[k] = GSP_NONE;
                    free_slots[n_free++] = k;
                }
            }
        }
        w->first[w->order[i]] = w->n_sections - 1u;
        w->slot[w->order[i]] = n_free != 0 ? free_slots[--n_free] : w->n_slots++;
        w->live[w->slot[w->order[i]]] = w->order[i];
    }
    for (uint32_t i = 0; i < d->n_tensors; i++) { /* the last section that begins before the end */
        uint32_t low = w->first[i];
        uint32_t high = w->n_sections;
        while (high - low > 1u) {
            uint32_t const middle = low + (high - low) / 2u;
            *(begins[middle] <= d->tensors[i].end ? &low : &high) = middle;
        }
        w->last[i] = low;
    }
}

static void make_memories(work *w)
{
    const cli_memories_desc *d = w->d;
    uint32_t i;
    for (uint32_t m = 0; m < d->n_memories; m++) {
        const cli_memory *memory = &d->memories[m];
        w->round[m] = memory->bytes % memory->align == 0 ? memory->align : 1u;
        for (i = 0; i < d->n_tensors; i++) {
            if (is_fixed(d, i) && d->pins[i] == m && d->tensors[i].offset % memory->align != 0) {
                w->round[m] = 1;
            }
        }
        for (i = m; i > 0 && d->memories[w->by_cost[i - 1u]].cost > memory->cost; i--) {
            w->by_cost[i] = w->by_cost[i - 1u];
        }
        w->by_cost[i] = m;
    }
}

/* Whether every tensor has a memory in which it fits alone. */
static int all_fit(const cli_memories_desc *d)
{
    for (uint32_t i = 0; i < d->n_tensors; i++) {
        uint32_t m = 0;
        while (m < d->n_memories && !cli_memories_allowed(d, i, m)) {
            m++;
        }
        if (m == d->n_memories) {
            return 0;
        }
    }
    return 1;
}

/* Checks pins and the greatest sum of costs. */
static gsp_status check(work *w, gsp_error *err)
{
    const cli_memories_desc *d = w->d;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < d->n_tensors; i++) {
        uint64_t most = 0;
        if (d->pins != NULL && d->pins[i] != GSP_NONE && d->pins[i] >= d->n_memories) {
            return cli_fail(err, GSP_STATUS_ARG, GSP_DETAIL_TAG, i);
        }
        for (uint32_t m = 0; m < d->n_memories; m++) {
            most = d->memories[m].cost > most ? d->memories[m].cost : most;
        }
        if (d->tensors[i].bytes > MOST || (most != 0 && d->traffic[i] > (MOST - sum) / most)) {
            return cli_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, i);
        }
        sum += d->traffic[i] * most;
    }
    w->upper = sum + 1u;
    w->scale = SCALE;
    while (w->scale > 1u && sum > MOST / w->scale) {
        w->scale /= 2u;
    }
    return GSP_OK;
}

/* ---- first fit ---- */

/* Keeps the trial if it is the cheapest so far. */
static void keep(work *w)
{
    uint64_t cost = 0;
    for (uint32_t i = 0; i < w->d->n_tensors; i++) {
        cost += cost_of(w, i, w->choice[i]);
    }
    if (cost < w->result.cost) {
        w->result.cost = cost;
        memcpy(w->memory, w->choice, w->d->n_tensors * sizeof *w->memory);
        memcpy(w->offset, w->trial, w->d->n_tensors * sizeof *w->offset);
    }
}

/* Places a tensor in a memory if it fits there. */
static int try_place(work *w, uint32_t t, uint32_t m)
{
    const gsp_tensor *tensor = &w->d->tensors[t];
    uint64_t const least = is_fixed(w->d, t) ? tensor->offset : 0u;
    uint64_t offset;
    if (!cli_memories_allowed(w->d, t, m)) {
        return 0;
    }
    offset = cli_fit_find(&w->fits[m], t, align_of(w->d, t, m), least);
    if (offset > w->d->memories[m].bytes - tensor->bytes ||
        (is_fixed(w->d, t) && offset != least)) {
        return 0;
    }
    cli_fit_add(&w->fits[m], t, offset);
    w->choice[t] = m;
    return 1;
}

/* Places tensors one by one: in the memory of their choice, or the cheapest where they fit. */
static void fill(work *w, const uint32_t *order, int has_choice)
{
    for (uint32_t m = 0; m < w->d->n_memories; m++) {
        w->fits[m].n = 0;
    }
    for (uint32_t i = 0; i < w->d->n_tensors; i++) {
        int placed = has_choice && try_place(w, order[i], w->choice[order[i]]);
        for (uint32_t m = 0; m < w->d->n_memories && !placed; m++) {
            placed = try_place(w, order[i], w->by_cost[m]);
        }
        if (!placed) {
            return;
        }
    }
    keep(w);
}

/* ---- multipliers ---- */

/* What the search has to stay below. */
static uint64_t limit_of(const work *w)
{
    return w->result.cost < w->upper ? w->result.cost : w->upper;
}

/* The best memories under the multipliers, as choices; the value of the relaxation. */
static double relax(work *w)
{
    const cli_memories_desc *d = w->d;
    uint32_t const s = w->n_sections;
    double value = 0.0;
    for (uint32_t m = 0; m < d->n_memories; m++) {
        double *sum = w->sum + (size_t)m * (s + 1u);
        double room;
        sum[0] = 0.0;
        for (uint32_t i = 0; i < s; i++) {
            sum[i + 1u] = sum[i] + w->weight[(size_t)m * s + i];
        }
        room = sum[s] * (double)d->memories[m].bytes;
        value = value - room;
    }
    for (uint32_t i = 0; i < d->n_tensors; i++) {
        double least = -1.0;
        for (uint32_t m = 0; m < d->n_memories; m++) {
            const double *sum = w->sum + (size_t)m * (s + 1u);
            double term = sum[w->last[i] + 1u] - sum[w->first[i]];
            if (cli_memories_allowed(d, i, m)) {
                term = term * (double)size_of(w, i, m);
                term = term + (double)cost_of(w, i, m);
                if (least < 0.0 || term < least) {
                    least = term;
                    w->choice[i] = m;
                }
            }
        }
        value = value + least;
    }
    return value;
}

/* One step along the bytes that exceed each memory. */
static void step(work *w, double value, double factor)
{
    const cli_memories_desc *d = w->d;
    uint32_t const s = w->n_sections;
    double const gap = ((double)limit_of(w) - value) * factor;
    double norm = 0.0;
    for (uint32_t pass = 0; pass < 2u; pass++) {
        for (uint32_t m = 0; m < d->n_memories; m++) {
            double *excess = w->sum;
            double live = 0.0 - (double)d->memories[m].bytes;
            memset(excess, 0, (s + 1u) * sizeof *excess);
            for (uint32_t i = 0; i < d->n_tensors; i++) {
                if (w->choice[i] == m) {
                    excess[w->first[i]] += (double)size_of(w, i, m);
                    excess[w->last[i] + 1u] -= (double)size_of(w, i, m);
                }
            }
            for (uint32_t i = 0; i < s; i++) {
                double *weight = &w->weight[(size_t)m * s + i];
                double change;
                live = live + excess[i];
                change = live * gap;
                if (pass == 0 && (live > 0.0 || *weight > 0.0)) {
                    double const square = live * live;
                    norm = norm + square;
                } else if (pass != 0 && norm > 0.0) {
                    change = change / norm;
                    change = *weight + change;
                    *weight = change > 0.0 ? change : 0.0;
                }
            }
        }
    }
}

/* The best multipliers as whole numbers, with sums that do not overflow. */
static void set_weights(work *w)
{
    uint32_t const s = w->n_sections;
    for (uint32_t m = 0; m < w->d->n_memories; m++) {
        const int64_t most = (int64_t)(MOST / CLI_MOST_MEMORIES / (w->d->memories[m].bytes + 1u));
        int64_t *weigh = w->weigh + (size_t)m * s;
        int64_t *before = w->before + (size_t)m * (s + 1u);
        int64_t left = most;
        before[0] = 0;
        for (uint32_t i = 0; i < s; i++) {
            double const scaled = w->weight[(size_t)m * s + i] * (double)w->scale;
            weigh[i] = scaled < (double)left ? (int64_t)cli_whole(scaled) : left;
            left -= weigh[i];
            before[i + 1u] = before[i] + weigh[i];
        }
    }
}

static int64_t term_of(const work *w, uint32_t t, uint32_t m)
{
    const int64_t *before = w->before + (size_t)m * (w->n_sections + 1u);
    return (int64_t)(cost_of(w, t, m) * w->scale) +
           (int64_t)size_of(w, t, m) * (before[w->last[t] + 1u] - before[w->first[t]]);
}

/* The bound of all assignments, scaled. */
static int64_t root_bound(work *w)
{
    const cli_memories_desc *d = w->d;
    int64_t bound = 0;
    for (uint32_t m = 0; m < d->n_memories; m++) {
        const int64_t *before = w->before + (size_t)m * (w->n_sections + 1u);
        bound -= before[w->n_sections] * (int64_t)d->memories[m].bytes;
    }
    for (uint32_t i = 0; i < d->n_tensors; i++) {
        w->least[i] = INT64_MAX;
        for (uint32_t m = 0; m < d->n_memories; m++) {
            if (cli_memories_allowed(d, i, m) && term_of(w, i, m) < w->least[i]) {
                w->least[i] = term_of(w, i, m);
            }
        }
        bound = w->least[i] > NO_BOUND - bound ? NO_BOUND : bound + w->least[i];
    }
    return bound;
}

/* Improves multipliers; the rounds depend on the size alone. */
static void find_weights(work *w)
{
    size_t const n = (size_t)w->n_sections * w->d->n_memories;
    uint64_t const each = ((uint64_t)w->d->n_tensors + w->n_sections) * w->d->n_memories + 1u;
    uint64_t const rounds = ((uint64_t)1u << 26) / each;
    double factor = 1.0;
    double most = 0.0;
    uint32_t since = 0;
    memset(w->weight, 0, n * sizeof *w->weight);
    for (uint32_t i = 0; i < (rounds > 400u ? 400u : rounds < 10u ? 10u : (uint32_t)rounds); i++) {
        double const value = relax(w);
        if (i == 0 || value > most) {
            most = value;
            since = 0;
            memcpy(w->best, w->weight, n * sizeof *w->best);
        } else if (++since == 10u) {
            since = 0;
            factor = factor / 2.0;
            memcpy(w->weight, w->best, n * sizeof *w->best);
            (void)relax(w);
        }
        if (value >= (double)limit_of(w)) {
            break;
        }
        step(w, value, factor);
    }
    memcpy(w->weight, w->best, n * sizeof *w->best);
    (void)relax(w);
    set_weights(w);
}

/* ---- the search ---- */

static uint32_t width_of(const work *w)
{
    return w->n_slots + w->n_sets;
}

static uint64_t least_bytes(const front *f, const work *w, uint32_t i, uint32_t m)
{
    return f->load[(size_t)i * w->d->n_memories + m];
}

/* A sum of these over live tensors tells live bytes by memory and last section. */
static uint64_t hash_of(const work *w, uint32_t t, uint32_t m)
{
    uint64_t key = ((uint64_t)w->last[t] * CLI_MOST_MEMORIES + m + 1u) * 0x9E3779B97F4A7C15u;
    key = (key ^ key >> 30) * 0xBF58476D1CE4E5B9u;
    key = (key ^ key >> 27) * 0x94D049BB133111EBu;
    return size_of(w, t, m) * (key | 1u);
}

/* Ends sections before `to`: the room that they leave raises bounds; tensors leave their slots. */
static void advance(work *w, front *f, uint32_t to)
{
    uint32_t const n_memories = w->d->n_memories;
    for (; w->section < to; w->section++) {
        for (uint32_t i = 0; i < f->n; i++) {
            for (uint32_t m = 0; m < n_memories; m++) {
                f->bound[i] += w->weigh[(size_t)m * w->n_sections + w->section] *
                               (int64_t)(w->d->memories[m].bytes - least_bytes(f, w, i, m));
            }
        }
        for (uint32_t k = 0; k < w->n_slots; k++) {
            uint32_t const t = w->live[k];
            if (t == GSP_NONE || w->last[t] != w->section) {
                continue;
            }
            for (uint32_t i = 0; i < f->n; i++) {
                uint8_t *row = &f->row[(size_t)i * width_of(w) + k];
                f->load[(size_t)i * n_memories + *row - 1u] -= size_of(w, t, *row - 1u);
                f->hash[i] -= hash_of(w, t, *row - 1u);
                *row = 0;
            }
            w->live[k] = GSP_NONE;
        }
        w->result.work += w->n_slots + (uint64_t)f->n * n_memories;
    }
}

static int is_forbidden(const work *w, const front *f, uint32_t i, uint32_t place, uint32_t m)
{
    const uint8_t *avoided = &f->row[(size_t)i * width_of(w) + w->n_slots];
    for (uint32_t k = 0; k < w->n_sets; k++) {
        const forbidden *set = &w->sets[k];
        if (set->next + 1u == set->end && w->members[set->next] == place && set->memory == m &&
            avoided[k] == 0) {
            return 1;
        }
    }
    return 0;
}

static int by_bound(const void *a, const void *b)
{
    const candidate *x = (const candidate *)a;
    const candidate *y = (const candidate *)b;
    if (x->bound != y->bound) {
        return x->bound < y->bound ? -1 : 1;
    }
    if (x->parent != y->parent) {
        return x->parent < y->parent ? -1 : 1;
    }
    return (x->memory > y->memory) - (x->memory < y->memory);
}

/* All ways to place the next tensor that may cost less than the best plan. */
static void branch(work *w, const front *f, uint32_t place, int64_t limit)
{
    uint32_t const t = w->order[place];
    w->n_candidates = 0;
    for (uint32_t m = 0; m < w->d->n_memories; m++) {
        uint64_t const size = size_of(w, t, m);
        int64_t const more = term_of(w, t, m) - w->least[t];
        if (!cli_memories_allowed(w->d, t, m)) {
            continue;
        }
        for (uint32_t i = 0; i < f->n; i++) {
            if (least_bytes(f, w, i, m) <= w->d->memories[m].bytes - size &&
                f->bound[i] + more <= limit && !is_forbidden(w, f, i, place, m)) {
                candidate *c = &w->candidates[w->n_candidates++];
                c->bound = f->bound[i] + more;
                c->cost = f->cost[i] + cost_of(w, t, m);
                c->parent = i;
                c->memory = m;
            }
        }
    }
    w->result.work += (uint64_t)f->n * w->d->n_memories;
    qsort(w->candidates, w->n_candidates, sizeof *w->candidates, by_bound);
}

/* The row of a state that is appended to the front. */
static void make_row(work *w, const front *from, front *to, uint32_t place, const candidate *c)
{
    uint32_t const width = width_of(w);
    uint8_t *row = &to->row[(size_t)to->n * width];
    memcpy(row, &from->row[(size_t)c->parent * width], width);
    row[w->slot[w->order[place]]] = (uint8_t)(c->memory + 1u);
    for (uint32_t k = 0; k < w->n_sets; k++) {
        const forbidden *set = &w->sets[k];
        if (set->next < set->end && w->members[set->next] == place) {
            uint8_t *avoided = &row[w->n_slots + k];
            *avoided =
                (uint8_t)(set->next + 1u < set->end && (*avoided != 0 || c->memory != set->memory));
        }
    }
}

/* Adds the live bytes of a state, times `sign`, to those that end per section and memory. */
static void add_ending(work *w, const uint8_t *row, uint64_t sign)
{
    for (uint32_t k = 0; k < w->n_slots; k++) {
        if (row[k] != 0) {
            w->ending[(size_t)w->last[w->live[k]] * w->d->n_memories + row[k] - 1u] +=
                sign * size_of(w, w->live[k], row[k] - 1u);
        }
    }
}

/* Whether two states leave the same room, section by section, and avoid the same sets. */
static int is_equal(work *w, const uint8_t *a, const uint8_t *b)
{
    int equal = memcmp(a + w->n_slots, b + w->n_slots, w->n_sets) == 0;
    if (equal && memcmp(a, b, w->n_slots) != 0) {
        add_ending(w, a, 1);
        add_ending(w, b, (uint64_t)0 - 1u);
        for (uint32_t side = 0; side < 2u; side++) {
            const uint8_t *row = side == 0 ? a : b;
            for (uint32_t k = 0; k < w->n_slots; k++) {
                if (row[k] != 0) {
                    uint64_t *bytes =
                        &w->ending[(size_t)w->last[w->live[k]] * w->d->n_memories + row[k] - 1u];
                    equal &= *bytes == 0;
                    *bytes = 0;
                }
            }
        }
    }
    return equal;
}

/* Finds an equal state, or the slot for the last one. */
static uint32_t *find_state(work *w, const front *f)
{
    uint32_t const mask = table_size(w->states) - 1u;
    uint32_t const width = width_of(w);
    const uint8_t *row = &f->row[(size_t)f->n * width];
    uint64_t at = f->hash[f->n];
    for (uint32_t k = 0; k < w->n_sets; k++) {
        at = (at ^ row[w->n_slots + k]) * 1099511628211u;
    }
    at ^= at >> 32;
    while (w->table[at & mask] != 0) {
        uint32_t const i = w->table[at & mask] - 1u;
        if (f->hash[i] == f->hash[f->n] && is_equal(w, &f->row[(size_t)i * width], row)) {
            break;
        }
        at++;
    }
    return &w->table[at & mask];
}

/* The best candidates as the next front. Of equal states the first has the least bound and cost. */
static void select_states(work *w, const front *from, front *to, uint32_t place)
{
    uint32_t const n_memories = w->d->n_memories;
    uint32_t const t = w->order[place];
    uint32_t i;
    to->n = 0;
    w->live[w->slot[t]] = t;
    memset(w->table, 0, table_size(w->states) * sizeof *w->table);
    for (i = 0; i < w->n_candidates; i++) {
        const candidate *c = &w->candidates[i];
        uint32_t *found;
        if (to->n == w->states) {
            w->dropped = c->bound < w->dropped ? c->bound : w->dropped;
            break;
        }
        make_row(w, from, to, place, c);
        to->hash[to->n] = from->hash[c->parent] + hash_of(w, t, c->memory);
        found = find_state(w, to);
        if (*found == 0) {
            uint64_t *load = &to->load[(size_t)to->n * n_memories];
            memcpy(load, &from->load[(size_t)c->parent * n_memories], n_memories * sizeof *load);
            load[c->memory] += size_of(w, t, c->memory);
            to->bound[to->n] = c->bound;
            to->cost[to->n] = c->cost;
            w->history[(size_t)place * w->states + to->n] = c->parent << 5 | c->memory;
            *found = ++to->n;
        }
    }
    w->result.work += (uint64_t)i * (width_of(w) / 8u + 1u);
    for (i = 0; i < w->n_sets; i++) {
        forbidden *set = &w->sets[i];
        set->next += set->next < set->end && w->members[set->next] == place;
    }
}

static void begin_search(work *w, front *f)
{
    f->n = 1;
    f->bound[0] = root_bound(w);
    f->cost[0] = 0;
    memset(f->load, 0, w->d->n_memories * sizeof *f->load);
    memset(f->row, 0, width_of(w));
    memset(w->ending, 0, (size_t)w->n_sections * w->d->n_memories * sizeof *w->ending);
    f->hash[0] = 0;
    for (uint32_t i = 0; i < w->n_slots; i++) {
        w->live[i] = GSP_NONE;
    }
    for (uint32_t i = 0; i < w->n_sets; i++) {
        w->sets[i].next = w->sets[i].begin;
    }
    w->section = 0;
    w->dropped = NO_STATE;
}

/* The cheapest assignment below the best plan whose live bytes fit, as choices; its cost, or
 * UINT64_MAX. */
static uint64_t search(work *w)
{
    uint32_t const n = w->d->n_tensors;
    int64_t const limit = (int64_t)((limit_of(w) - 1u) * w->scale);
    uint64_t best = UINT64_MAX;
    uint32_t at = 0;
    front *f = &w->fronts[0];
    begin_search(w, f);
    for (uint32_t place = 0; place < n && f->n != 0; place++) {
        front *next = &w->fronts[(place + 1u) % 2u];
        advance(w, f, w->first[w->order[place]]);
        if (w->result.work > w->max_work) {
            for (uint32_t i = 0; i < f->n; i++) {
                w->dropped = f->bound[i] < w->dropped ? f->bound[i] : w->dropped;
            }
            return UINT64_MAX;
        }
        branch(w, f, place, limit);
        select_states(w, f, next, place);
        f = next;
    }
    for (uint32_t i = 0; i < f->n; i++) {
        if (f->cost[i] < best && f->cost[i] < w->result.cost) {
            best = f->cost[i];
            at = i;
        }
    }
    for (uint32_t place = n; place-- > 0 && best != UINT64_MAX;) {
        uint32_t const from = w->history[(size_t)place * w->states + at];
        w->choice[w->order[place]] = from & 31u;
        at = from >> 5;
    }
    return best;
}

/* ---- packing ---- */

/* Packs a set, ordered as by_size, in a memory. Returns 1 if it fits; 0 if it does not; -1 if that
 * is open. */
static int pack(work *w, uint32_t n, uint32_t m, uint64_t max_work)
{
    gsp_memory_pack_desc desc = {0};
    gsp_memory_pack_result found;
    gsp_arena arena;
    uint64_t top = 0;
    w->fits[m].n = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const t = w->set[i];
        w->part[i] = w->d->tensors[t];
        if (!is_fixed(w->d, t)) {
            w->part[i].offset = cli_fit_find(&w->fits[m], t, align_of(w->d, t, m), 0);
        }
        cli_fit_add(&w->fits[m], t, w->part[i].offset);
        top =
            top > w->part[i].offset + w->part[i].bytes ? top : w->part[i].offset + w->part[i].bytes;
        w->part[i].bytes = size_of(w, t, m);
        w->aligns[i] = (uint32_t)align_of(w->d, t, m);
        w->fixed[i] = (uint32_t)is_fixed(w->d, t);
    }
    if (top <= w->d->memories[m].bytes) {
        return 1;
    }
    desc.aligns = w->aligns;
    desc.fixed = w->fixed;
    desc.capacity = w->d->memories[m].bytes;
    desc.max_work = max_work;
    gsp_arena_init(&arena, w->room, w->room_size);
    if (gsp_memory_pack_run(&arena, w->part, n, &desc, &found, NULL) != GSP_OK) {
        return -1;
    }
    w->result.work += found.work;
    for (uint32_t i = 0; i < n; i++) {
        w->trial[w->set[i]] = found.offsets[i];
    }
    return found.bytes <= desc.capacity ? 1 : found.lower_bound > desc.capacity ? 0 : -1;
}

/* Forbids what is left of a set when no tensor can be taken out; 0 if there is no room for it. */
static int forbid(work *w, uint32_t n, uint32_t m)
{
    forbidden *set = &w->sets[w->n_sets];
    uint32_t k;
    for (uint32_t i = n; i-- > 0 && w->result.work <= w->max_work;) {
        uint32_t const t = w->set[i];
        memmove(w->set + i, w->set + i + 1u, (n - i - 1u) * sizeof *w->set);
        if (pack(w, n - 1u, m, TRY_WORK) == 0) {
            n--;
        } else {
            memmove(w->set + i + 1u, w->set + i, (n - i - 1u) * sizeof *w->set);
            w->set[i] = t;
        }
    }
    set->begin = w->n_sets != 0 ? set[-1].end : 0u;
    if (n > MEMBERS - set->begin) {
        return 0;
    }
    set->memory = m;
    set->end = set->begin + n;
    for (uint32_t i = 0; i < n; i++) { /* by place */
        uint32_t const place = w->place[w->set[i]];
        for (k = set->begin + i; k > set->begin && w->members[k - 1u] > place; k--) {
            w->members[k] = w->members[k - 1u];
        }
        w->members[k] = place;
    }
    w->n_sets++;
    return 1;
}

/* The tensors that chose a memory and are live in these sections. */
static uint32_t gather(work *w, uint32_t m, uint32_t first, uint32_t last)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->d->n_tensors; i++) {
        uint32_t const t = w->by_size[i];
        if (w->choice[t] == m && w->first[t] <= last && w->last[t] >= first) {
            w->set[n++] = t;
        }
    }
    return n;
}

/* Packs the choices of a memory. Returns 1 if they fit; 0 if those in `set`, *n, do not; -1 if that
 * is open. What takes long to refute as a whole may fail soon within few sections. */
static int pack_memory(work *w, uint32_t m, uint32_t *n)
{
    uint32_t const end = w->n_sections;
    int fits = pack(w, *n = gather(w, m, 0, end), m, TRY_WORK);
    for (uint32_t length = 2; fits < 0 && length < end; length *= 2u) {
        for (uint32_t s = 0; s + length / 2u < end && w->result.work <= w->max_work;
             s += length / 2u) {
            if (pack(w, *n = gather(w, m, s, s + length - 1u), m, TRY_WORK) == 0) {
                return 0;
            }
        }
    }
    return fits >= 0 ? fits : pack(w, *n = gather(w, m, 0, end), m, PACK_WORK);
}

/* Packs the choices. Returns 1 for a better plan; 0 if something is forbidden from now on; -1 if
 * open. */
static int pack_choices(work *w)
{
    int all = 1;
    for (uint32_t m = 0; m < w->d->n_memories && all > 0; m++) {
        uint32_t n;
        all = pack_memory(w, m, &n);
        if (all == 0 && (w->n_sets == FORBIDDEN || !forbid(w, n, m))) {
            all = -1;
        }
    }
    if (all > 0) {
        keep(w);
    } else {
        fill(w, w->by_size, 1);
    }
    return all;
}

static void raise_bound(work *w, uint64_t cost)
{
    uint64_t const dropped = w->dropped == NO_STATE ? UINT64_MAX
                             : w->dropped <= 0      ? 0u
                                               : ((uint64_t)w->dropped + w->scale - 1u) / w->scale;
    uint64_t const least = cost < dropped ? cost : dropped;
    uint64_t const bound = least < w->result.cost ? least : w->result.cost;
    w->result.bound = bound > w->result.bound ? bound : w->result.bound;
}

/* Until no cheaper assignment is left, or packing does not say whether it fits. */
static void improve(work *w)
{
    int packed = 0;
    while (packed >= 0 && w->result.work <= w->max_work && w->result.bound < w->result.cost) {
        uint64_t const cost = search(w);
        raise_bound(w, cost);
        if (cost == UINT64_MAX) {
            return;
        }
        packed = pack_choices(w);
    }
}

static void run(work *w)
{
    make_orders(w);
    make_sections(w);
    make_memories(w);
    fill(w, w->by_gain, 0);
    fill(w, w->by_size, 0);
    w->result.greedy = w->result.cost;
    find_weights(w);
    fill(w, w->by_gain, 1);
    w->dropped = root_bound(w);
    raise_bound(w, UINT64_MAX);
    improve(w);
}

gsp_status cli_memories_run(
    gsp_arena *arena, const cli_memories_desc *desc, cli_memories_result *result, gsp_error *err)
{
    gsp_status status = cli_room(arena, cli_memories_bound(desc), err);
    gsp_mark const mark = gsp_arena_mark(arena);
    work w;
    if (status != GSP_OK) {
        return status;
    }
    if ((status = cli_laid_out(lay_out(&w, arena, desc), arena, mark, err)) != GSP_OK ||
        (status = check(&w, err)) != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    w.max_work = desc->max_work != 0 ? desc->max_work : (uint64_t)1u << 27;
    w.result.cost = w.result.greedy = w.result.bound = UINT64_MAX;
    if (all_fit(desc)) {
        w.result.bound = 0;
        run(&w);
    }
    w.result.memory = w.memory;
    w.result.offset = w.offset;
    *result = w.result;
    return GSP_OK;
}
