/* Nodes on the CPU or on one of several accelerators, in least time.
 *
 * Every value moves by way of the CPU's memory, so that the time is a sum over accelerators of what
 * two places would take, this one or elsewhere, in which a node is on one of them at most. With a
 * multiplier per unit for that (Lagrange), each term is a minimum cut, and the sum of the cuts is a
 * lower bound. Choices come from those cuts, and from moves of any set of units to one place, which
 * are minimum cuts, too (alpha expansion: Boykov, Veksler, Zabih 2001). */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

#define MOST_WORK  ((uint64_t)1u << 28u)
#define MOST_TIME  ((uint64_t)1u << 57u)
#define MOST_ARCS  ((uint32_t)1u << 24u)
#define SMALL      1000u /* units of a graph in which moves may take long from the start */
#define STEPS      150u  /* of the multipliers */
#define LAUNCHES   8u    /* of them with launches */
#define IDLE       6u    /* steps after which they become shorter */
#define TRY_WITHIN 50u   /* a choice is improved if it is at most so small a part above the best */

typedef struct search {
    cli_sides *x;
    cli_session *s;
    cli_sides_result *r;
    gsp_network net;
    uint64_t scale;   /* parts of a tick in networks, so that prices are fine */
    uint64_t work;    /* of searches for two places */
    uint64_t limit;   /* of all work for now */
    int is_last;      /* moves that take long are made, too */
    uint64_t base;    /* what no cut avoids */
    uint32_t to;      /* place that units may move to */
    int expands;      /* from the choice `at`; else units are there or elsewhere */
    uint8_t *at;      /* [n] */
    uint8_t *on;      /* [n * places] 1 if the cut of a place has the unit there */
    int64_t *price;   /* [n] of a place among accelerators */
    int64_t *best;    /* [n] prices of the best bound */
    uint64_t *at_cpu; /* [n] ticks elsewhere, in the terms of accelerators */
    uint8_t *can;     /* [nodes] for searches with two places */
    uint64_t *cpu;
    uint64_t *acc;
    uint64_t *move;
    uint32_t *group;
    uint32_t *path; /* [n_path] units, each of which the next one reads; the most that there are */
    uint32_t n_path;
} search;

/* In parts of ticks. */
static uint64_t ticks_of(const search *q, uint32_t u, uint32_t place)
{
    uint64_t const ticks = q->x->ticks[(size_t)u * q->x->d->n_places + place];
    return ticks == CLI_SIDES_NEVER ? CLI_SIDES_NEVER : ticks * q->scale;
}

static uint64_t most_work(const search *q)
{
    return q->x->d->max_work != 0 ? q->x->d->max_work : MOST_WORK;
}

static int may_go_on(const search *q)
{
    return q->work + q->x->work + q->net.work < q->limit;
}

/* ---- networks ---- */

/* An arc that a cut can contain. */
static void put_arc(search *q, int reverse, uint32_t from, uint32_t to, uint64_t capacity)
{
    uint32_t const a = reverse ? to : from;
    uint32_t const b = reverse ? from : to;
    if (a == b || a == GSP_NETWORK_SINK || b == GSP_NETWORK_SOURCE) {
        return;
    }
    if (a == GSP_NETWORK_SOURCE && b == GSP_NETWORK_SINK) {
        q->base += capacity;
    } else {
        gsp_network_arc(&q->net, a, b, capacity);
    }
}

/* The node of "the unit is on `place`": a unit moves on the side of the source. Whoever is there
 * and may leave is on the other side; all of a term are read alike. */
static uint32_t literal(const search *q, uint32_t u, uint32_t place)
{
    int const moves = u != q->x->n && ticks_of(q, u, q->to) != CLI_SIDES_NEVER;
    int is_there = 0;
    if (q->expands && u != q->x->n) {
        is_there = q->at[u] == place;
    }
    if (place == q->to) {
        return is_there ? GSP_NETWORK_SOURCE : moves ? u + 2u : GSP_NETWORK_SINK;
    }
    return !is_there ? GSP_NETWORK_SOURCE : moves ? u + 2u : GSP_NETWORK_SINK;
}

/* What units cost if one is on a place. Out: if the writer is there and some reader is not; in: if
 * some reader is there and the writer is not. */
static void put_term(search *q, uint32_t place, int is_in, uint64_t cost, uint32_t from,
    const uint32_t *readers, uint32_t n_readers)
{
    int const negated = place != q->to;
    uint32_t const writer = literal(q, from, place);
    int const reverse = negated != is_in;
    uint32_t const never = is_in != negated ? GSP_NETWORK_SOURCE : GSP_NETWORK_SINK;
    uint32_t const always = is_in != negated ? GSP_NETWORK_SINK : GSP_NETWORK_SOURCE;
    uint32_t n = 0;
    uint32_t one = GSP_NONE;
    if (writer == never) {
        return;
    }
    for (uint32_t k = 0; k < n_readers; k++) {
        uint32_t const reader = literal(q, readers[k], place);
        n += reader != always ? 1u : 0u;
        one = reader != always && one != never ? reader : one;
    }
    if (n == 1u || one == never) {
        put_arc(q, reverse, writer, one, cost * q->scale);
    } else if (n > 1u) {
        uint32_t const any = gsp_network_node(&q->net);
        put_arc(q, reverse, writer, any, cost * q->scale);
        for (uint32_t k = 0; k < n_readers; k++) {
            put_arc(q, reverse, any, literal(q, readers[k], place), GSP_CUT_INFINITE);
        }
    }
}

static void begin_network(search *q, uint32_t to, int expands)
{
    q->to = to;
    q->expands = expands;
    q->base = 0;
    gsp_network_start(&q->net);
    for (uint32_t u = 0; u < q->x->n; u++) {
        (void)gsp_network_node(&q->net);
    }
}

/* Values that move, and launches: as many as the longest path has entries. */
static void put_values(search *q, uint32_t place)
{
    const cli_sides *x = q->x;
    for (uint32_t i = 0; i < x->n_values; i++) {
        const cli_side_value *value = &x->values[i];
        for (int is_in = 0; is_in < 2 && value->move != 0; is_in++) {
            put_term(q, place, is_in, value->move, value->unit, x->readers + value->begin,
                value->end - value->begin);
        }
    }
    for (uint32_t i = 0; i < q->n_path && x->d->launch[place] != 0; i++) {
        put_term(q, place, 1, x->d->launch[place], i > 0 ? q->path[i - 1u] : x->n, q->path + i, 1u);
    }
}

static void put_choice(search *q, uint32_t u, int64_t more)
{
    if (more > 0) {
        put_arc(q, 0, u + 2u, GSP_NETWORK_SINK, (uint64_t)more);
    } else {
        put_arc(q, 0, GSP_NETWORK_SOURCE, u + 2u, (uint64_t)-more);
    }
}

/* ---- choices ---- */

static void keep(search *q, const uint8_t *at, uint64_t time)
{
    if (time < q->r->time) {
        q->r->time = time;
        q->r->n_subgraphs = q->x->n_subgraphs;
        memcpy(q->r->at, at, q->x->n);
        memcpy(q->r->phase, q->x->phase, q->x->n * sizeof *q->r->phase);
    }
}

static uint64_t try_choice(search *q, const uint8_t *at)
{
    uint64_t const time = cli_sides_time(q->x, at);
    keep(q, at, time);
    return time;
}

/* The best set of units that move to a place, from `at`. Returns 0 if none is better. */
static int expand(search *q, uint32_t to, uint64_t *now)
{
    uint8_t *const moved = q->on;
    begin_network(q, to, 1);
    for (uint32_t p = 1; p < q->x->d->n_places; p++) {
        put_values(q, p);
    }
    for (uint32_t u = 0; u < q->x->n; u++) {
        uint64_t const there = ticks_of(q, u, to);
        if (there != CLI_SIDES_NEVER && q->at[u] != to) {
            put_choice(q, u, (int64_t)there - (int64_t)ticks_of(q, u, q->at[u]));
        }
    }
    if (!gsp_network_cut(&q->net)) {
        return 0;
    }
    for (uint32_t u = 0; u < q->x->n; u++) {
        int const moves = q->net.side[u + 2u] != 0 && ticks_of(q, u, to) != CLI_SIDES_NEVER;
        moved[u] = moves ? (uint8_t)to : q->at[u];
    }
    uint64_t const time = try_choice(q, moved);
    if (time < *now) {
        *now = time;
        memcpy(q->at, moved, q->x->n);
        return 1;
    }
    return 0;
}

/* Whole subgraphs to other places. Returns 0 if none is better. */
static int move_subgraphs(search *q, uint64_t *now)
{
    const cli_sides *x = q->x;
    uint8_t *const moved = q->on;
    uint32_t *phase = (uint32_t *)cli_alloc(q->s, (size_t)x->n + 1u, sizeof *phase);
    uint32_t n_phases = 0;
    int any = 0;
    (void)cli_sides_time(q->x, q->at);
    memcpy(phase, x->phase, x->n * sizeof *phase);
    for (uint32_t u = 0; u < x->n; u++) {
        n_phases = phase[u] >= n_phases ? phase[u] + 1u : n_phases;
    }
    for (uint32_t i = 0; i < n_phases; i++) {
        for (uint32_t to = 0; to < x->d->n_places && may_go_on(q); to++) {
            uint64_t time;
            for (uint32_t u = 0; u < x->n; u++) {
                int const moves = phase[u] == i && ticks_of(q, u, to) != CLI_SIDES_NEVER;
                moved[u] = moves ? (uint8_t)to : q->at[u];
            }
            time = try_choice(q, moved);
            if (time < *now) {
                *now = time;
                memcpy(q->at, moved, x->n);
                any = 1;
            }
        }
    }
    cli_release(q->s, phase);
    return any;
}

static int move_units(search *q, uint64_t *now)
{
    int any = 0;
    for (uint32_t u = 0; u < q->x->n; u++) {
        for (uint32_t to = 0; to < q->x->d->n_places && may_go_on(q); to++) {
            uint8_t const from = q->at[u];
            uint64_t time;
            if (to == from || ticks_of(q, u, to) == CLI_SIDES_NEVER) {
                continue;
            }
            q->at[u] = (uint8_t)to;
            time = try_choice(q, q->at);
            q->at[u] = time < *now ? q->at[u] : from;
            any |= time < *now;
            *now = time < *now ? time : *now;
        }
    }
    return any;
}

/* From `at`, until no move is better. */
static void improve(search *q, uint64_t now)
{
    int any = 1;
    while (any && may_go_on(q) && q->r->time > q->r->lower_bound) {
        any = 0;
        for (uint32_t p = 0; p < q->x->d->n_places; p++) {
            any |= expand(q, p, &now);
        }
        if (!any && q->is_last) {
            any = move_subgraphs(q, &now) || move_units(q, &now);
        }
    }
}

/* ---- bounds ---- */

/* A unit that cannot be on the CPU is on one of the accelerators. */
static int is_pinned(const search *q, uint32_t u)
{
    return ticks_of(q, u, 0) == CLI_SIDES_NEVER;
}

/* Prices with which a unit is on its best place alone, if values do not move. */
static void start_prices(search *q)
{
    for (uint32_t u = 0; u < q->x->n; u++) {
        uint64_t least[2] = {UINT64_MAX, UINT64_MAX};
        for (uint32_t p = 1; p < q->x->d->n_places; p++) {
            uint64_t const ticks = ticks_of(q, u, p);
            least[1] = ticks < least[0] ? least[0] : ticks < least[1] ? ticks : least[1];
            least[0] = ticks < least[0] ? ticks : least[0];
        }
        q->at_cpu[u] = is_pinned(q, u) ? least[0] : ticks_of(q, u, 0);
        q->price[u] = least[1] < q->at_cpu[u] ? (int64_t)(q->at_cpu[u] - least[1]) : 0;
    }
}

/* What does not depend on places, with these prices. */
static int64_t constant(const search *q)
{
    int64_t sum = 0;
    for (uint32_t u = 0; u < q->x->n; u++) {
        sum += (int64_t)q->at_cpu[u] - q->price[u];
    }
    return sum;
}

/* The term of a place; 0 if the work ended, with a bound all the same. */
static int cut_term(search *q, uint32_t place, int64_t *bound)
{
    begin_network(q, place, 0);
    put_values(q, place);
    int64_t sum = 0;
    for (uint32_t u = 0; u < q->x->n; u++) {
        if (ticks_of(q, u, place) != CLI_SIDES_NEVER) {
            int64_t const more =
                (int64_t)ticks_of(q, u, place) - (int64_t)q->at_cpu[u] + q->price[u];
            sum += more < 0 ? more : 0;
            put_choice(q, u, more);
        }
    }
    int const done = gsp_network_cut(&q->net);
    *bound += sum + (int64_t)(q->base + q->net.value);
    for (uint32_t u = 0; u < q->x->n; u++) {
        int const there = done && q->net.side[u + 2u] != 0;
        q->on[(size_t)u * q->x->d->n_places + place] =
            there && ticks_of(q, u, place) != CLI_SIDES_NEVER;
    }
    return done;
}

/* The same with launches, by the search for two places. */
static int run_term(search *q, uint32_t place, int64_t *bound)
{
    const cli_sides_desc *d = q->x->d;
    gsp_offload_desc desc = {0};
    gsp_offload_result r;
    gsp_arena arena;
    memset(q->cpu, 0, d->graph->n_nodes * sizeof *q->cpu);
    memset(q->acc, 0, d->graph->n_nodes * sizeof *q->acc);
    for (gsp_node v = d->graph->n_nodes; v > 0; v--) {
        uint32_t const u = q->x->unit[v - 1u];
        int const called = gsp_node_is_callable(d->graph, v - 1u);
        q->can[v - 1u] = called && ticks_of(q, u, place) != CLI_SIDES_NEVER;
        q->group[v - 1u] = called ? u : GSP_NONE;
    }
    for (gsp_node v = 0; v < d->graph->n_nodes; v++) { /* a unit counts at one of its nodes */
        uint32_t const u = q->x->unit[v];
        if (q->group[v] != GSP_NONE && q->x->tail[u] != UINT64_MAX) {
            uint64_t const there = q->can[v] ? ticks_of(q, u, place) : 0u;
            q->x->tail[u] = UINT64_MAX;
            q->cpu[v] = q->at_cpu[u] + (q->price[u] < 0 ? (uint64_t)-q->price[u] : 0u);
            q->acc[v] = there + (q->price[u] > 0 ? (uint64_t)q->price[u] : 0u);
            *bound -= (int64_t)q->cpu[v];
        }
    }
    memset(q->x->tail, 0, q->x->n * sizeof *q->x->tail);
    desc.kind = q->can;
    desc.group = q->group;
    desc.cpu = q->cpu;
    desc.acc = q->acc;
    desc.move = q->move;
    desc.launch = d->launch[place] * q->scale;
    desc.max_work = most_work(q) / (8u * LAUNCHES * d->n_places) + 1u;
    cli_arena(q->s, &arena, gsp_offload_bound(d->graph, &desc));
    int const done = gsp_offload_run(&arena, d->graph, &desc, &r, NULL) == GSP_OK;
    if (done) {
        q->work += r.work;
        *bound += (int64_t)r.lower_bound;
        for (gsp_node v = 0; v < d->graph->n_nodes; v++) {
            if (q->group[v] != GSP_NONE) {
                q->on[(size_t)q->x->unit[v] * d->n_places + place] = r.kind[v] == 1u;
            }
        }
    }
    cli_release(q->s, arena.base);
    return done;
}

/* The choice in which a unit is on the best of its places in the cuts. */
static void resolve(search *q)
{
    for (uint32_t u = 0; u < q->x->n; u++) {
        uint64_t least = UINT64_MAX;
        q->at[u] = 0;
        for (uint32_t p = 1; p < q->x->d->n_places; p++) {
            uint64_t const ticks = ticks_of(q, u, p);
            int const there = q->on[(size_t)u * q->x->d->n_places + p] || is_pinned(q, u);
            if (there && ticks < least) {
                least = ticks;
                q->at[u] = (uint8_t)p;
            }
        }
    }
}

/* How many places too many a unit has. */
static int64_t excess(const search *q, uint32_t u)
{
    int64_t n = -1;
    for (uint32_t p = 1; p < q->x->d->n_places; p++) {
        n += q->on[(size_t)u * q->x->d->n_places + p];
    }
    return n == -1 && !is_pinned(q, u) && q->price[u] <= 0 ? 0 : n;
}

/* Prices towards one place per unit. Returns 0 if all have one. */
static int move_prices(search *q, double distance)
{
    double norm = 0.0;
    for (uint32_t u = 0; u < q->x->n; u++) {
        int64_t const n = excess(q, u);
        norm += (double)(n * n);
    }
    double const step = norm > 0.0 ? distance / norm : 0.0;
    for (uint32_t u = 0; u < q->x->n; u++) {
        int64_t const moved = q->price[u] + (int64_t)(step * (double)excess(q, u));
        q->price[u] = moved < 0 && !is_pinned(q, u) ? 0 : moved;
    }
    return step >= 1.0;
}

/* Terms of all places; 0 if the work ended. */
static int bound_once(search *q, int launches, int64_t *bound)
{
    int done = 1;
    *bound = constant(q);
    for (uint32_t p = 1; p < q->x->d->n_places && done; p++) {
        done = launches ? run_term(q, p, bound) : cut_term(q, p, bound);
    }
    return done;
}

static void raise_bound(search *q, uint32_t steps, int launches)
{
    double shorter = 1.0;
    uint32_t idle = 0;
    int64_t highest = 0;
    for (uint32_t i = 0; i < steps && q->r->time > q->r->lower_bound && may_go_on(q); i++) {
        uint64_t const best = q->r->time;
        int64_t bound;
        if (!bound_once(q, launches, &bound)) {
            return;
        }
        idle++;
        if (bound > highest || i == 0) {
            memcpy(q->best, q->price, q->x->n * sizeof *q->best);
            highest = bound;
            idle = 0;
        }
        uint64_t const whole = bound > 0 ? ((uint64_t)bound + q->scale - 1u) / q->scale : 0u;
        q->r->lower_bound = whole > q->r->lower_bound ? whole : q->r->lower_bound;
        double const distance = (double)(best * q->scale) - (double)bound;
        int const moved = move_prices(q, distance * shorter);
        resolve(q);
        uint64_t const time = try_choice(q, q->at);
        if (time < best + best / TRY_WITHIN && (time < best || i % IDLE == 0)) {
            improve(q, time);
        }
        if (!moved) {
            return;
        }
        if (idle == IDLE) {
            idle = 0;
            shorter /= 2.0;
        }
    }
}

/* The choices of the search for two places. */
static void try_alone(search *q)
{
    uint32_t const k = q->x->d->n_places;
    start_prices(q);
    memset(q->price, 0, q->x->n * sizeof *q->price);
    for (uint32_t p = 1; p < k && may_go_on(q); p++) {
        int64_t bound = 0;
        memset(q->on, 0, (size_t)q->x->n * k);
        if (run_term(q, p, &bound)) {
            resolve(q);
            improve(q, try_choice(q, q->at));
        }
    }
}

/* ---- all of it ---- */

static void find_path(search *q)
{
    const cli_sides *x = q->x;
    uint32_t *length = (uint32_t *)cli_alloc(q->s, (size_t)x->n + 1u, sizeof *length);
    uint32_t last = GSP_NONE;
    q->path = (uint32_t *)cli_alloc(q->s, (size_t)x->n + 1u, sizeof *q->path);
    for (uint32_t u = 0; u < x->n; u++) {
        for (uint32_t e = x->before.begin[u]; e < x->before.begin[u + 1u]; e++) {
            uint32_t const w = x->before.at[e];
            length[u] = length[w] > length[u] ? length[w] : length[u];
        }
        length[u]++;
        last = last == GSP_NONE || length[u] > length[last] ? u : last;
    }
    q->n_path = last != GSP_NONE ? length[last] : 0u;
    for (uint32_t i = q->n_path; i > 0; i--) {
        uint32_t before = GSP_NONE;
        q->path[i - 1u] = last;
        for (uint32_t e = x->before.begin[last]; e < x->before.begin[last + 1u]; e++) {
            before = length[x->before.at[e]] + 1u == i ? x->before.at[e] : before;
        }
        last = before;
    }
    cli_release(q->s, length);
}

static void open_search(search *q)
{
    cli_session *s = q->s;
    size_t const n = (size_t)q->x->n + 1u;
    size_t const nodes = (size_t)q->x->d->graph->n_nodes + 1u;
    gsp_arena arena;
    uint64_t const arcs =
        6u * ((uint64_t)q->x->n_readers + q->x->n_values) + 2u * n * (1u + q->x->d->n_places);
    uint32_t const most = arcs < MOST_ARCS ? (uint32_t)arcs : MOST_ARCS;
    gsp_arena *kept = (gsp_arena *)cli_alloc(s, 1u, sizeof *kept);
    cli_arena(s, &arena, gsp_network_bound(most));
    *kept = arena;
    (void)gsp_network_init(kept, most, &q->net, NULL); /* it fits */
    q->net.max_work = most_work(q);
    q->limit = most_work(q) / 4u * 3u;
    q->is_last = q->x->has_launch && q->x->n < SMALL;
    q->at = (uint8_t *)cli_alloc(s, n, 1u);
    q->on = (uint8_t *)cli_alloc(s, n * q->x->d->n_places, 1u);
    q->price = (int64_t *)cli_alloc(s, n, sizeof *q->price);
    q->best = (int64_t *)cli_alloc(s, n, sizeof *q->best);
    q->at_cpu = (uint64_t *)cli_alloc(s, n, sizeof *q->at_cpu);
    q->can = (uint8_t *)cli_alloc(s, nodes, 1u);
    q->cpu = (uint64_t *)cli_alloc(s, nodes, sizeof *q->cpu);
    q->acc = (uint64_t *)cli_alloc(s, nodes, sizeof *q->acc);
    q->move = (uint64_t *)cli_alloc(s, nodes, sizeof *q->move);
    q->group = (uint32_t *)cli_alloc(s, nodes, sizeof *q->group);
    q->scale = 1024;
    find_path(q);
    while (q->scale > 1u && q->x->most > MOST_TIME / q->scale) {
        q->scale /= 2u;
    }
    for (gsp_node v = 0; v < q->x->d->graph->n_nodes; v++) {
        q->move[v] = q->x->d->move[v] * q->scale;
    }
    q->r->at = (uint8_t *)cli_alloc(s, n, 1u);
    q->r->phase = (uint32_t *)cli_alloc(s, n, sizeof *q->r->phase);
    q->r->time = UINT64_MAX;
    q->r->lower_bound = 0;
}

static void close_search(search *q)
{
    cli_release(q->s, q->net.arena->base);
    cli_release(q->s, q->net.arena);
    cli_release(q->s, q->at);
    cli_release(q->s, q->on);
    cli_release(q->s, q->price);
    cli_release(q->s, q->best);
    cli_release(q->s, q->at_cpu);
    cli_release(q->s, q->can);
    cli_release(q->s, q->cpu);
    cli_release(q->s, q->acc);
    cli_release(q->s, q->path);
    cli_release(q->s, q->move);
    cli_release(q->s, q->group);
}

/* Units on this place or, where they cannot be, on the CPU, or on their fastest. */
static void try_place(search *q, uint32_t place)
{
    int pinned = 0;
    for (uint32_t u = 0; u < q->x->n; u++) {
        uint32_t best = ticks_of(q, u, place) != CLI_SIDES_NEVER ? place : 0u;
        for (uint32_t p = 1; p < q->x->d->n_places && ticks_of(q, u, best) == CLI_SIDES_NEVER;
             p++) {
            best = p;
        }
        pinned |= best != place && place == 0;
        q->at[u] = (uint8_t)best;
    }
    uint64_t const time = try_choice(q, q->at);
    q->r->cpu_only = place != 0 ? q->r->cpu_only : pinned ? UINT64_MAX : time;
    improve(q, time);
}

/* What units take at least, wherever each is. */
static uint64_t least_ticks(const cli_sides *x)
{
    uint64_t sum = 0;
    for (uint32_t u = 0; u < x->n; u++) {
        const uint64_t *row = &x->ticks[(size_t)u * x->d->n_places];
        uint64_t least = row[0];
        for (uint32_t p = 1; p < x->d->n_places; p++) {
            least = row[p] < least ? row[p] : least;
        }
        sum += least;
    }
    return sum;
}

void cli_sides_search(cli_sides *x, cli_session *s, const uint8_t *start, cli_sides_result *result)
{
    search q;
    memset(&q, 0, sizeof q);
    q.x = x;
    q.s = s;
    q.r = result;
    open_search(&q);
    result->lower_bound = least_ticks(x);
    memcpy(q.at, start, x->n);
    improve(&q, try_choice(&q, q.at));
    for (uint32_t p = 0; p < x->d->n_places; p++) {
        try_place(&q, p);
    }
    start_prices(&q);
    raise_bound(&q, STEPS, 0);
    if (x->has_launch) {
        try_alone(&q);
        memcpy(q.price, q.best, x->n * sizeof *q.price);
        raise_bound(&q, LAUNCHES, 1);
    }
    q.limit = most_work(&q);
    q.is_last = x->has_launch;
    memcpy(q.at, result->at, x->n);
    improve(&q, result->time);
    close_search(&q);
}
