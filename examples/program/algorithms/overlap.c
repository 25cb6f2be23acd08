/* The CPU, accelerators and a channel of each at work at the same time.
 *
 * A choice of places makes steps: nodes, launches, and transfers by way of the CPU's memory. Lists
 * by several priorities run each step on its resource once what it waits for is done; single units
 * move to other places while that makes the makespan less. For a small graph all choices are seen,
 * and for each all active schedules that a bound does not rule out (Giffler, Thompson 1960). */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WORK     ((uint64_t)1u << 27u)
#define NO_RESOURCE   GSP_NONE
#define SMALL         64u /* steps */
#define SMALL_CHOICES ((uint64_t)1u << 14u)
#define SMALL_WORK    ((uint64_t)1u << 24u) /* visits of steps */
#define SHARES        200u                  /* changes of weights for the division of the work */

typedef enum priority {
    BY_PATH,
    BY_PATH_AND_READERS,
    BY_LENGTH,
    BY_READERS,
    BY_ORDER,
    PRIORITIES
} priority;

typedef struct entry {
    uint64_t key;
    uint32_t step;
} entry;

typedef struct heap {
    entry *at;
    uint32_t n;
} heap;

typedef struct plan {
    cli_sides *x;
    cli_session *s;
    cli_overlap_result *r;
    uint32_t n_places;
    uint32_t n_resources;
    cli_step *steps;  /* [n] in an order that works */
    uint64_t *length; /* [n] */
    uint64_t *tail;   /* [n] with the step itself */
    uint32_t *waits;  /* [n] */
    uint32_t *begin;  /* [n + 1] of those that wait for a step */
    uint32_t *after;  /* [n_edges] */
    uint32_t *from;   /* [n_edges] */
    uint32_t *to;
    uint32_t n;
    uint32_t n_edges;
    uint32_t *task;   /* [nodes] */
    uint32_t *out;    /* [nodes] transfers, or GSP_NONE */
    uint32_t *in;     /* [nodes * n_places] */
    uint32_t *level;  /* [units * n_places] launches that paths to a unit need */
    uint32_t *launch; /* [n_places * (units + 1)] */
    uint64_t *key;    /* [n] */
    uint64_t *when;   /* [n] begins of the last list */
    heap *ready;      /* [n_resources] */
    heap running;
    uint32_t *left; /* [n] */
    uint8_t *at;    /* [units] that is tried */
    uint64_t work;
} plan;

static uint32_t place_of(const plan *q, const uint8_t *at, gsp_node v)
{
    uint32_t const u = q->x->unit[v];
    return u == q->x->n ? 0u : at[u];
}

/* ---- steps of a choice ---- */

static uint32_t add_step(
    plan *q, cli_step_what what, uint32_t resource, gsp_node v, uint64_t length)
{
    cli_step *made = &q->steps[q->n];
    made->what = (uint32_t)what;
    made->resource = length != 0 ? resource : NO_RESOURCE;
    made->node = v;
    q->length[q->n] = length;
    return q->n++;
}

static void add_edge(plan *q, uint32_t from, uint32_t to)
{
    if (from != GSP_NONE) {
        q->from[q->n_edges] = from;
        q->to[q->n_edges++] = to;
    }
}

/* Launches as paths need them. */
static void count_levels(plan *q, const uint8_t *at)
{
    const cli_sides *x = q->x;
    uint32_t const k = q->n_places;
    memset(q->launch, 0xFF, (size_t)k * (x->n + 1u) * sizeof *q->launch);
    for (uint32_t u = 0; u < x->n && x->has_launch; u++) {
        uint32_t *row = &q->level[(size_t)u * k];
        memset(row, 0, k * sizeof *row);
        row[at[u]] = 1;
        for (uint32_t e = x->before.begin[u]; e < x->before.begin[u + 1u]; e++) {
            uint32_t const w = x->before.at[e];
            for (uint32_t p = 1; p < k; p++) {
                uint32_t const enters = p == at[u] && at[w] != p ? 1u : 0u;
                uint32_t const level = q->level[(size_t)w * k + p] + enters;
                row[p] = level > row[p] ? level : row[p];
            }
        }
    }
}

/* The launch before a unit, made with those before it. */
static uint32_t launch_of(plan *q, uint32_t unit, uint32_t place)
{
    uint32_t *row = &q->launch[(size_t)place * (q->x->n + 1u)];
    uint32_t const level = q->level[(size_t)unit * q->n_places + place];
    for (uint32_t i = 1; i <= level; i++) {
        if (row[i] == GSP_NONE) {
            row[i] = add_step(q, CLI_STEP_LAUNCH, place, GSP_NONE, q->x->d->launch[place]);
            add_edge(q, i > 1u ? row[i - 1u] : GSP_NONE, row[i]);
        }
    }
    return row[level];
}

/* What a step on a place waits for to have the value of v. */
static uint32_t arrival(plan *q, const uint8_t *at, gsp_node v, uint32_t place)
{
    uint32_t const from = place_of(q, at, v);
    uint32_t const task = q->task[v];
    uint64_t const move = q->x->d->move[v];
    uint32_t *in = &q->in[(size_t)v * q->n_places + place];
    if (from == place || move == 0) {
        return task;
    }
    if (from != 0 && q->out[v] == GSP_NONE) {
        q->out[v] = add_step(q, CLI_STEP_OUT, q->n_places - 1u + from, v, move);
        add_edge(q, task, q->out[v]);
    }
    if (place == 0) {
        return q->out[v];
    }
    if (*in == GSP_NONE) {
        *in = add_step(q, CLI_STEP_IN, q->n_places - 1u + place, v, move);
        add_edge(q, from != 0 ? q->out[v] : task, *in);
    }
    return *in;
}

/* Rows of what waits for a step. */
static void sort_edges(plan *q)
{
    memset(q->begin, 0, ((size_t)q->n + 2u) * sizeof *q->begin);
    memset(q->waits, 0, ((size_t)q->n + 1u) * sizeof *q->waits);
    for (uint32_t e = 0; e < q->n_edges; e++) {
        q->begin[q->from[e] + 2u]++;
        q->waits[q->to[e]]++;
    }
    for (uint32_t i = 2; i <= q->n; i++) {
        q->begin[i] += q->begin[i - 1u];
    }
    for (uint32_t e = 0; e < q->n_edges; e++) {
        q->after[q->begin[q->from[e] + 1u]++] = q->to[e];
    }
    for (uint32_t i = q->n; i > 0; i--) {
        uint64_t most = 0;
        for (uint32_t e = q->begin[i - 1u]; e < q->begin[i]; e++) {
            uint64_t const tail = q->tail[q->after[e]];
            most = tail > most ? tail : most;
        }
        q->tail[i - 1u] = most + q->length[i - 1u];
    }
}

/* Steps come after what they wait for, in the order of the graph. */
static void make_steps(plan *q, const uint8_t *at)
{
    const gsp_graph *g = q->x->d->graph;
    q->n = 0;
    q->n_edges = 0;
    memset(q->task, 0xFF, g->n_nodes * sizeof *q->task);
    memset(q->out, 0xFF, g->n_nodes * sizeof *q->out);
    memset(q->in, 0xFF, (size_t)g->n_nodes * q->n_places * sizeof *q->in);
    count_levels(q, at);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(g, v, &n);
        int const called = gsp_node_is_callable(g, v);
        uint32_t const place = q->x->unit[v] != GSP_NONE ? place_of(q, at, v) : 0u;
        uint32_t const launch = called && place != 0 && q->x->d->launch[place] != 0
                                    ? launch_of(q, q->x->unit[v], place)
                                    : GSP_NONE;
        uint32_t n_waits = 0;
        if (!called && gsp_node_op(g, v) != GSP_OP_OUTPUT) {
            continue;
        }
        for (uint32_t i = 0; i < n; i++) { /* transfers come before the step */
            if (q->x->unit[in[i]] != GSP_NONE) {
                uint32_t const there = arrival(q, at, in[i], place);
                q->left[n_waits] = there;
                n_waits += there != GSP_NONE ? 1u : 0u;
            }
        }
        if (called) {
            uint64_t const length = q->x->d->ticks[place][v];
            q->task[v] = add_step(q, CLI_STEP_NODE, place, v, length);
            add_edge(q, launch, q->task[v]);
            for (uint32_t i = 0; i < n_waits; i++) {
                add_edge(q, q->left[i], q->task[v]);
            }
        }
    }
    sort_edges(q);
    q->work += (uint64_t)q->n + q->n_edges + g->n_nodes;
}

/* ---- lists ---- */

static int is_before(entry a, entry b)
{
    return a.key != b.key ? a.key < b.key : a.step < b.step;
}

static void push(heap *h, uint64_t key, uint32_t step)
{
    uint32_t i = h->n++;
    entry const made = {key, step};
    while (i > 0 && is_before(made, h->at[(i - 1u) / 2u])) {
        h->at[i] = h->at[(i - 1u) / 2u];
        i = (i - 1u) / 2u;
    }
    h->at[i] = made;
}

static entry pop(heap *h)
{
    entry const first = h->at[0];
    entry const last = h->at[--h->n];
    uint32_t i = 0;
    uint32_t child = 1;
    while (child < h->n) {
        child += child + 1u < h->n && is_before(h->at[child + 1u], h->at[child]) ? 1u : 0u;
        if (!is_before(h->at[child], last)) {
            break;
        }
        h->at[i] = h->at[child];
        i = child;
        child = 2u * i + 1u;
    }
    h->at[i] = last;
    return first;
}

/* The least key runs first. */
static void make_keys(plan *q, priority by)
{
    for (uint32_t i = 0; i < q->n; i++) {
        uint32_t const readers = q->begin[i + 1u] - q->begin[i];
        uint64_t const path = q->tail[i];
        q->key[i] = by == BY_ORDER     ? i
                    : by == BY_LENGTH  ? UINT64_MAX - q->length[i]
                    : by == BY_READERS ? UINT64_MAX - readers
                    : by == BY_PATH
                        ? UINT64_MAX - path
                        : UINT64_MAX - path - path / 16u * (readers < 8u ? readers : 8u);
    }
}

static void add_ready(plan *q, uint32_t step, uint64_t now)
{
    uint32_t const resource = q->steps[step].resource;
    if (resource == NO_RESOURCE) {
        q->when[step] = now;
        push(&q->running, now, step);
    } else {
        push(&q->ready[resource], q->key[step], step);
    }
}

/* The makespan of a list; begins are in `when`. */
static uint64_t run_list(plan *q)
{
    uint8_t busy[512] = {0};
    uint64_t now = 0;
    q->running.n = 0;
    for (uint32_t k = 0; k < q->n_resources; k++) {
        q->ready[k].n = 0;
    }
    memcpy(q->left, q->waits, q->n * sizeof *q->left);
    for (uint32_t i = 0; i < q->n; i++) {
        if (q->left[i] == 0) {
            add_ready(q, i, 0);
        }
    }
    for (;;) {
        for (uint32_t k = 0; k < q->n_resources; k++) {
            if (!busy[k] && q->ready[k].n != 0) {
                uint32_t const step = pop(&q->ready[k]).step;
                busy[k] = 1;
                q->when[step] = now;
                push(&q->running, now + q->length[step], step);
            }
        }
        if (q->running.n == 0) {
            break;
        }
        now = q->running.at[0].key;
        while (q->running.n != 0 && q->running.at[0].key == now) {
            uint32_t const step = pop(&q->running).step;
            if (q->steps[step].resource != NO_RESOURCE) {
                busy[q->steps[step].resource] = 0;
            }
            for (uint32_t e = q->begin[step]; e < q->begin[step + 1u]; e++) {
                if (--q->left[q->after[e]] == 0) {
                    add_ready(q, q->after[e], now);
                }
            }
        }
    }
    q->work += 4u * (uint64_t)q->n + q->n_edges;
    return now;
}

/* ---- choices ---- */

static int compare_steps(const void *a, const void *b)
{
    const cli_step *x = (const cli_step *)a;
    const cli_step *y = (const cli_step *)b;
    if (x->begin != y->begin) {
        return x->begin < y->begin ? -1 : 1;
    }
    if (x->end != y->end) {
        return x->end < y->end ? -1 : 1;
    }
    return x->node != y->node ? (x->node < y->node ? -1 : 1) : (int)x->what - (int)y->what;
}

/* Takes over a schedule; begin: [n] */
static void keep(plan *q, const uint8_t *at, const uint64_t *begin, uint64_t span)
{
    cli_overlap_result *r = q->r;
    r->span = span;
    r->n_steps = q->n;
    memcpy(r->at, at, q->x->n);
    memset(r->busy, 0, q->n_resources * sizeof *r->busy);
    for (uint32_t i = 0; i < q->n; i++) {
        r->steps[i] = q->steps[i];
        r->steps[i].begin = begin[i];
        r->steps[i].end = begin[i] + q->length[i];
        if (q->steps[i].resource != NO_RESOURCE) {
            r->busy[q->steps[i].resource] += q->length[i];
        }
    }
}

/* The makespan of a choice by the first `n` priorities. */
static uint64_t try_choice(plan *q, const uint8_t *at, uint32_t n)
{
    uint64_t least = UINT64_MAX;
    make_steps(q, at);
    for (uint32_t i = 0; i < n; i++) {
        make_keys(q, (priority)i);
        uint64_t const span = run_list(q);
        if (span < q->r->span) {
            keep(q, at, q->when, span);
        }
        least = span < least ? span : least;
    }
    return least;
}

static int can_be(const plan *q, uint32_t u, uint32_t place)
{
    return q->x->ticks[(size_t)u * q->n_places + place] != CLI_SIDES_NEVER;
}

/* Single units to other places while that is of use. */
static void improve(plan *q)
{
    uint64_t const most = q->x->d->max_work != 0 ? q->x->d->max_work : MOST_WORK;
    uint64_t now = try_choice(q, q->at, PRIORITIES);
    int moved = 1;
    while (moved && q->work < most && q->r->span > q->r->lower_bound) {
        moved = 0;
        for (uint32_t u = 0; u < q->x->n; u++) {
            for (uint32_t p = 0; p < q->n_places && q->work < most; p++) {
                uint8_t const from = q->at[u];
                if (p == from || !can_be(q, u, p)) {
                    continue;
                }
                q->at[u] = (uint8_t)p;
                uint64_t const span = try_choice(q, q->at, 2u);
                if (span < now) {
                    now = span;
                    moved = 1;
                } else {
                    q->at[u] = from;
                }
            }
        }
    }
}

/* Each unit where it ends first, in the order of units; channels do not count. */
static void place_by_finish(plan *q)
{
    const cli_sides *x = q->x;
    uint64_t *end = q->key; /* of units, which are no more than steps */
    uint64_t free[256] = {0};
    for (uint32_t u = 0; u < x->n; u++) {
        uint64_t best = UINT64_MAX;
        for (uint32_t p = 0; p < q->n_places; p++) {
            uint64_t begin = free[p];
            for (uint32_t e = x->before.begin[u]; e < x->before.begin[u + 1u]; e++) {
                uint32_t const w = x->before.at[e];
                begin = end[w] > begin ? end[w] : begin;
            }
            uint64_t const finish =
                can_be(q, u, p) ? begin + x->ticks[(size_t)u * q->n_places + p] : UINT64_MAX;
            if (finish < best) {
                best = finish;
                q->at[u] = (uint8_t)p;
            }
        }
        end[u] = best;
        free[q->at[u]] = best;
    }
}

/* ---- bounds ---- */

/* The longest path if each value takes the best way. */
static uint64_t longest_path(plan *q)
{
    const cli_sides *x = q->x;
    uint32_t const k = q->n_places;
    const gsp_graph *g = x->d->graph;
    uint64_t *end = (uint64_t *)cli_alloc(q->s, (size_t)g->n_nodes * k + 1u, sizeof *end);
    uint64_t longest = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(g, v, &n);
        uint64_t least = UINT64_MAX;
        if (x->unit[v] == GSP_NONE) {
            continue;
        }
        for (uint32_t p = 0; p < k; p++) {
            int const there = x->unit[v] == x->n ? p == 0 : can_be(q, x->unit[v], p);
            uint64_t begin = p != 0 ? x->d->launch[p] : 0u;
            for (uint32_t i = 0; i < n && there; i++) {
                uint64_t first = UINT64_MAX;
                for (uint32_t from = 0; from < k && x->unit[in[i]] != GSP_NONE; from++) {
                    uint64_t const moves =
                        from == p ? 0u : (from != 0 ? 1u : 0u) + (p != 0 ? 1u : 0u);
                    uint64_t const at =
                        cli_add(end[(size_t)in[i] * k + from], moves * x->d->move[in[i]]);
                    first = at < first ? at : first;
                }
                begin = first != UINT64_MAX && first > begin ? first : begin;
            }
            uint64_t const called = gsp_node_is_callable(g, v) && there ? x->d->ticks[p][v] : 0u;
            end[(size_t)v * k + p] = there ? begin + called : UINT64_MAX;
            least = end[(size_t)v * k + p] < least ? end[(size_t)v * k + p] : least;
        }
        longest = least != UINT64_MAX && least > longest ? least : longest;
    }
    cli_release(q->s, end);
    return longest;
}

/* What units take at least if a tick of each place counts as its weight says, of 1 in all. */
static double weighted(const plan *q, const double *weight, double *load)
{
    double sum = 0.0;
    memset(load, 0, q->n_places * sizeof *load);
    for (uint32_t u = 0; u < q->x->n; u++) {
        double least = 0.0;
        uint32_t best = GSP_NONE;
        for (uint32_t p = 0; p < q->n_places; p++) {
            double const cost = weight[p] * (double)q->x->ticks[(size_t)u * q->n_places + p];
            if (can_be(q, u, p) && (best == GSP_NONE || cost < least)) {
                least = cost;
                best = p;
            }
        }
        sum += least;
        load[best] += (double)q->x->ticks[(size_t)u * q->n_places + best];
    }
    return sum;
}

/* The work, divided in the best way: weights move towards the places with most of it. */
static uint64_t best_share(const plan *q)
{
    double weight[256];
    double load[256];
    double best = 0.0;
    for (uint32_t p = 0; p < q->n_places; p++) {
        weight[p] = 1.0 / q->n_places;
    }
    for (uint32_t i = 0; i < SHARES; i++) {
        double const bound = weighted(q, weight, load);
        double all = 0.0;
        best = bound > best ? bound : best;
        for (uint32_t p = 0; p < q->n_places; p++) {
            double const over = bound > 0.0 ? load[p] / bound : 0.0;
            weight[p] *= 1.0 + (over - 1.0) / (2.0 + i / 4.0) * 0.5;
            weight[p] = weight[p] > 1e-6 ? weight[p] : 1e-6;
            all += weight[p];
        }
        for (uint32_t p = 0; p < q->n_places; p++) {
            weight[p] /= all;
        }
    }
    double const sure = best - best * 1e-11; /* sums of doubles are not exact */
    return (uint64_t)sure + (sure > (double)(uint64_t)sure ? 1u : 0u);
}

/* ---- small graphs ---- */

typedef struct small {
    plan *q;
    uint64_t est[SMALL][SMALL]; /* by depth: the earliest begin of a step that waits for none */
    uint32_t left[SMALL][SMALL];
    uint64_t free[SMALL][SMALL]; /* by depth and resource */
    uint64_t begin[SMALL];       /* of steps that run */
    uint64_t limit[SMALL];       /* candidates begin below this, */
    uint32_t resource[SMALL];    /* on this resource, */
    uint32_t next[SMALL];        /* from this step on */
    uint32_t chosen[SMALL];
    uint8_t done[SMALL];
    uint64_t work;
} small;

/* The steps that a schedule can continue with; 0 if none is better than the best. */
static int open_depth(small *m, uint32_t depth)
{
    const plan *q = m->q;
    uint64_t head[SMALL]; /* of the steps of a resource that are left: the least begin, */
    uint64_t sum[SMALL] = {0};
    uint64_t rest[SMALL]; /* and the shortest path behind one */
    uint64_t first = UINT64_MAX;
    uint32_t which = 0;
    memset(head, 0xFF, sizeof head);
    memset(rest, 0xFF, sizeof rest);
    for (uint32_t i = 0; i < q->n; i++) {
        if (m->done[i]) {
            continue;
        }
        uint32_t const resource = q->steps[i].resource;
        uint64_t begin = m->est[depth][i];
        begin = resource != NO_RESOURCE && m->free[depth][resource] > begin
                    ? m->free[depth][resource]
                    : begin;
        if (begin + q->tail[i] >= q->r->span) {
            return 0;
        }
        if (resource != NO_RESOURCE) {
            uint64_t const behind = q->tail[i] - q->length[i];
            head[resource] = begin < head[resource] ? begin : head[resource];
            rest[resource] = behind < rest[resource] ? behind : rest[resource];
            sum[resource] += q->length[i];
        }
        if (m->left[depth][i] == 0 && begin + q->length[i] < first) {
            first = begin + q->length[i];
            which = i;
        }
    }
    for (uint32_t k = 0; k < q->n_resources; k++) {
        if (head[k] != UINT64_MAX && head[k] + sum[k] + rest[k] >= q->r->span) {
            return 0;
        }
    }
    m->limit[depth] = first;
    m->resource[depth] = q->steps[which].resource;
    m->next[depth] = m->resource[depth] == NO_RESOURCE ? which : 0u;
    m->work += q->n;
    return 1;
}

/* The next candidate, or GSP_NONE. */
static uint32_t next_step(small *m, uint32_t depth)
{
    const plan *q = m->q;
    while (m->next[depth] < q->n) {
        uint32_t const i = m->next[depth]++;
        uint32_t const resource = m->resource[depth];
        if (m->done[i] || m->left[depth][i] != 0 || q->steps[i].resource != resource) {
            continue;
        }
        if (resource == NO_RESOURCE) {
            m->next[depth] = q->n; /* nothing is gained by another */
            return i;
        }
        uint64_t const free = m->free[depth][resource];
        if ((m->est[depth][i] > free ? m->est[depth][i] : free) < m->limit[depth]) {
            return i;
        }
    }
    return GSP_NONE;
}

static void enter(small *m, uint32_t depth, uint32_t i)
{
    const plan *q = m->q;
    uint32_t const resource = q->steps[i].resource;
    uint64_t begin = m->est[depth][i];
    memcpy(m->est[depth + 1u], m->est[depth], sizeof m->est[0]);
    memcpy(m->left[depth + 1u], m->left[depth], sizeof m->left[0]);
    memcpy(m->free[depth + 1u], m->free[depth], sizeof m->free[0]);
    begin = resource != NO_RESOURCE && m->free[depth][resource] > begin ? m->free[depth][resource]
                                                                        : begin;
    uint64_t const end = begin + q->length[i];
    m->begin[i] = begin;
    m->done[i] = 1;
    m->chosen[depth] = i;
    if (resource != NO_RESOURCE) {
        m->free[depth + 1u][resource] = end;
    }
    for (uint32_t e = q->begin[i]; e < q->begin[i + 1u]; e++) {
        uint32_t const j = q->after[e];
        m->left[depth + 1u][j]--;
        m->est[depth + 1u][j] = end > m->est[depth + 1u][j] ? end : m->est[depth + 1u][j];
    }
}

/* All active schedules of a choice whose steps are made. */
static void see_schedules(small *m, const uint8_t *at)
{
    plan *q = m->q;
    uint32_t depth = 0;
    memset(m->done, 0, sizeof m->done);
    memset(m->est[0], 0, sizeof m->est[0]);
    memset(m->free[0], 0, sizeof m->free[0]);
    memcpy(m->left[0], q->waits, q->n * sizeof *q->waits);
    if (q->n == 0 || !open_depth(m, 0)) {
        return;
    }
    for (;;) {
        uint32_t const i = m->work < SMALL_WORK ? next_step(m, depth) : GSP_NONE;
        if (i != GSP_NONE) {
            enter(m, depth, i);
            if (depth + 1u == q->n) {
                uint64_t span = 0;
                for (uint32_t k = 0; k < q->n; k++) {
                    uint64_t const end = m->begin[k] + q->length[k];
                    span = end > span ? end : span;
                }
                if (span < q->r->span) {
                    keep(q, at, m->begin, span);
                }
                m->done[i] = 0;
            } else if (open_depth(m, depth + 1u)) {
                depth++;
            } else {
                m->done[i] = 0;
            }
        } else if (depth == 0) {
            return;
        } else {
            m->done[m->chosen[--depth]] = 0;
        }
    }
}

/* The next choice, as a number with a digit per unit; 0 after the last. */
static int next_choice(const plan *q, uint8_t *at)
{
    for (uint32_t u = 0; u < q->x->n; u++) {
        do {
            at[u]++;
        } while (at[u] < q->n_places && !can_be(q, u, at[u]));
        if (at[u] < q->n_places) {
            return 1;
        }
        for (at[u] = 0; !can_be(q, u, at[u]);) {
            at[u]++;
        }
    }
    return 0;
}

/* Proves the best, or finds a better one, where choices are few. */
static void see_all(plan *q)
{
    uint64_t choices = 1;
    int fits = q->n_resources <= SMALL;
    for (uint32_t u = 0; u < q->x->n && choices <= SMALL_CHOICES; u++) {
        uint64_t n = 0;
        q->at[u] = UINT8_MAX;
        for (uint32_t p = q->n_places; p > 0; p--) {
            n += can_be(q, u, p - 1u) ? 1u : 0u;
            q->at[u] = can_be(q, u, p - 1u) ? (uint8_t)(p - 1u) : q->at[u];
        }
        choices *= n;
    }
    if (choices > SMALL_CHOICES || !fits) {
        return;
    }
    small *m = (small *)cli_alloc(q->s, 1u, sizeof *m);
    m->q = q;
    do {
        make_steps(q, q->at);
        fits = q->n < SMALL;
        if (fits) {
            see_schedules(m, q->at);
        }
    } while (
        fits && m->work < SMALL_WORK && q->r->span > q->r->lower_bound && next_choice(q, q->at));
    if (fits && m->work < SMALL_WORK) {
        q->r->lower_bound = q->r->span;
    }
    cli_release(q->s, m);
}

/* ---- all of it ---- */

static uint32_t *words(const plan *q, size_t n)
{
    return (uint32_t *)cli_alloc(q->s, n + 1u, sizeof(uint32_t));
}

static uint64_t *longs(const plan *q, size_t n)
{
    return (uint64_t *)cli_alloc(q->s, n + 1u, sizeof(uint64_t));
}

static void open_plan(plan *q)
{
    const cli_sides *x = q->x;
    size_t const nodes = x->d->graph->n_nodes;
    size_t const edges = gsp_graph_counts(x->d->graph).edges;
    size_t const launches = x->has_launch ? x->n : 0u;
    size_t const n = 2u * nodes + edges + launches + 2u;
    size_t const n_edges = 2u * (nodes + edges + launches) + nodes + 2u;
    q->n_places = x->d->n_places;
    q->n_resources = 2u * q->n_places - 1u;
    q->steps = (cli_step *)cli_alloc(q->s, n, sizeof *q->steps);
    q->r->steps = (cli_step *)cli_alloc(q->s, n, sizeof *q->steps);
    q->length = longs(q, n);
    q->tail = longs(q, n);
    q->key = longs(q, n);
    q->when = longs(q, n);
    q->waits = words(q, n);
    q->left = words(q, n);
    q->begin = words(q, n + 2u);
    q->after = words(q, n_edges);
    q->from = words(q, n_edges);
    q->to = words(q, n_edges);
    q->task = words(q, nodes);
    q->out = words(q, nodes);
    q->in = words(q, nodes * q->n_places);
    q->level = words(q, (size_t)x->n * q->n_places);
    q->launch = words(q, (size_t)q->n_places * (x->n + 1u));
    q->running.at = (entry *)cli_alloc(q->s, n, sizeof *q->running.at);
    q->ready = (heap *)cli_alloc(q->s, q->n_resources, sizeof *q->ready);
    for (uint32_t k = 0; k < q->n_resources; k++) {
        q->ready[k].at = (entry *)cli_alloc(q->s, n, sizeof *q->ready[k].at);
    }
    q->at = (uint8_t *)cli_alloc(q->s, (size_t)x->n + 1u, 1u);
    q->r->at = (uint8_t *)cli_alloc(q->s, (size_t)x->n + 1u, 1u);
    q->r->busy = longs(q, q->n_resources);
    q->r->n_resources = q->n_resources;
    q->r->span = UINT64_MAX;
}

/* The fastest place of each unit. */
static void place_by_speed(plan *q)
{
    for (uint32_t u = 0; u < q->x->n; u++) {
        uint64_t least = UINT64_MAX;
        for (uint32_t p = 0; p < q->n_places; p++) {
            uint64_t const ticks = q->x->ticks[(size_t)u * q->n_places + p];
            q->at[u] = ticks < least ? (uint8_t)p : q->at[u];
            least = ticks < least ? ticks : least;
        }
    }
}

void cli_overlap_search(
    cli_sides *x, cli_session *s, const uint8_t *const starts[2], cli_overlap_result *result)
{
    plan q;
    memset(&q, 0, sizeof q);
    memset(result, 0, sizeof *result);
    q.x = x;
    q.s = s;
    q.r = result;
    open_plan(&q);
    result->path = longest_path(&q);
    result->share = best_share(&q);
    result->lower_bound = result->path > result->share ? result->path : result->share;
    result->given = try_choice(&q, starts[0], PRIORITIES);
    for (uint32_t i = 0; i < 2u; i++) {
        memcpy(q.at, starts[i], x->n);
        improve(&q);
    }
    place_by_finish(&q);
    improve(&q);
    place_by_speed(&q);
    improve(&q);
    see_all(&q);
    qsort(result->steps, result->n_steps, sizeof *result->steps, compare_steps);
}
