/* gsp_score_run() and gsp_score_move() against slow counters on random graphs and assignments:
 * every figure anew from its definition, pair by pair, with doubles of the machine. */
#include "tests/oracle/partition.h"

#define PARTS 9u

/* One assignment of a graph. */
typedef struct subject {
    gsp_arena text;
    gsp_arena arena;
    part_case c;
    gsp_module module;
    gsp_graph g;
    uint32_t part_of[PART_NODES + 1u];
    uint64_t weight[PART_NODES + 1u];
    uint32_t group[PART_NODES + 1u];
    uint32_t pin[PART_NODES + 1u];
    uint64_t capacity[PARTS];
    uint32_t device_of[PARTS];
    gsp_score_desc d;
    gsp_score_result r;
} subject;

static int has(part_set s, uint32_t v)
{
    return (int)(s >> v & 1u);
}

/* The part of a node, or PART_NONE. */
static uint32_t part_at(const subject *s, uint32_t v)
{
    int const placed = v < s->c.n && part_callable(&s->c, v) && s->part_of[v] < s->d.n_parts;
    return placed ? s->part_of[v] : PART_NONE;
}

static int cut(const subject *s, uint32_t u, uint32_t v)
{
    return has(s->c.in[v], u) && part_at(s, u) != PART_NONE && part_at(s, v) != PART_NONE &&
           part_at(s, u) != part_at(s, v);
}

/* Whether a node of part q reads node u of another part. */
static int reads(const subject *s, uint32_t q, uint32_t u)
{
    for (uint32_t v = 0; v < s->c.n; v++) {
        if (part_at(s, v) == q && cut(s, u, v)) {
            return 1;
        }
    }
    return 0;
}

static int parent(const subject *s, uint32_t p, uint32_t q)
{
    for (uint32_t u = 0; u < s->c.n; u++) {
        if (part_at(s, u) == p && reads(s, q, u)) {
            return 1;
        }
    }
    return 0;
}

/* Parts without unplaced parents, first in first out; returns how many. */
static uint32_t order_of(const subject *s, uint32_t *order)
{
    int queued[PARTS] = {0};
    uint32_t end = 0;
    for (uint32_t p = 0; p < s->d.n_parts; p++) {
        uint32_t n = 0;
        for (uint32_t q = 0; q < s->d.n_parts; q++) {
            n += (uint32_t)parent(s, q, p);
        }
        if (n == 0) {
            order[end++] = p;
            queued[p] = 1;
        }
    }
    /* a part is ready at the last edge of the last parent: in the order of nodes and users */
    for (uint32_t at = 0; at < end; at++) {
        for (uint32_t u = 0; u < s->c.n; u++) {
            for (uint32_t v = 0; part_at(s, u) == order[at] && v < s->c.n; v++) {
                int ready = cut(s, u, v) && !queued[part_at(s, v)];
                for (uint32_t a = 0; ready && a < s->c.n; a++) {
                    for (uint32_t b = 0; ready && b < s->c.n; b++) {
                        int met = 0;
                        for (uint32_t i = 0; cut(s, a, b) && i <= at; i++) {
                            met |= part_at(s, a) == order[i] &&
                                   (i < at || a < u || (a == u && b <= v));
                        }
                        ready = !cut(s, a, b) || part_at(s, b) != part_at(s, v) || met;
                    }
                }
                if (ready) {
                    order[end++] = part_at(s, v);
                    queued[part_at(s, v)] = 1;
                }
            }
        }
    }
    return end;
}

typedef struct figures {
    uint32_t edges;
    uint32_t values;
    uint64_t bytes;
    uint64_t written;
    uint64_t resident;
    double path;
    double serial;
    uint32_t n_ordered;
} figures;

static double max(double a, double b)
{
    return a > b ? a : b;
}

static void count_times(const subject *s, const uint32_t *order, figures *f)
{
    double done[PARTS] = {0};
    double left[PARTS] = {0};
    double idle[PARTS] = {0};
    for (uint32_t i = 0; i < f->n_ordered; i++) {
        uint32_t const p = order[i];
        uint32_t const device = s->d.device_of == NULL ? p : s->device_of[p];
        part_set nodes = 0;
        double start = 0;
        double begin = idle[device];
        for (uint32_t q = 0; q < s->d.n_parts; q++) {
            int const here = s->d.device_of != NULL && device == s->device_of[q];
            uint64_t bytes = 0;
            for (uint32_t u = 0; u < s->c.n; u++) {
                bytes += part_at(s, u) == q && reads(s, p, u) ? s->c.bytes[u] : 0u;
            }
            if (parent(s, q, p)) {
                double const move = here || bytes == 0u || !s->d.has_rate
                                        ? 0.0
                                        : (double)bytes / s->d.transfer_rate;
                start = max(start, done[q] + move);
                begin = max(begin, left[q] + move);
            }
        }
        for (uint32_t v = 0; v < s->c.n; v++) {
            nodes |= part_at(s, v) == p ? (part_set)1 << v : 0u;
        }
        done[p] = start + part_critical(&s->c, nodes).overall;
        left[p] = begin + part_critical(&s->c, nodes).overall;
        idle[device] = left[p];
        f->path = max(f->path, done[p]);
        f->serial = max(f->serial, left[p]);
    }
}

static figures count(const subject *s)
{
    figures f = {0u, 0u, 0u, 0u, 0u, 0.0, 0.0, 0u};
    uint32_t order[PARTS];
    uint32_t position[PARTS] = {0};
    f.n_ordered = order_of(s, order);
    for (uint32_t i = 0; i < f.n_ordered; i++) {
        position[order[i]] = i;
    }
    for (uint32_t u = 0; u < s->c.n; u++) {
        uint32_t readers = 0;
        uint32_t last = 0;
        for (uint32_t v = 0; v < s->c.n; v++) {
            f.edges += (uint32_t)cut(s, u, v);
        }
        for (uint32_t q = 0; q < s->d.n_parts; q++) {
            if (reads(s, q, u)) {
                readers++;
                last = position[q] > last ? position[q] : last;
            }
        }
        f.values += readers != 0u;
        f.bytes += readers * s->c.bytes[u];
        f.written += readers != 0u ? s->c.bytes[u] : 0u;
        if (readers != 0u && f.n_ordered == s->d.n_parts) {
            f.resident += s->c.bytes[u] * (last - position[part_at(s, u)]);
        }
    }
    if (f.n_ordered == s->d.n_parts) {
        count_times(s, order, &f);
    }
    return f;
}

static int same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof(a)) == 0;
}

static void check_loads(const subject *s)
{
    uint32_t empty = PART_NONE;
    uint32_t over = PART_NONE;
    uint64_t largest = 0;
    for (uint32_t p = s->d.n_parts; p > 0u; p--) {
        uint64_t load = 0;
        uint32_t n = 0;
        for (uint32_t v = 0; v < s->c.n; v++) {
            n += part_at(s, v) == p - 1u;
            load += part_at(s, v) != p - 1u ? 0u : s->d.weight == NULL ? 1u : s->weight[v];
        }
        empty = n == 0u ? p - 1u : empty;
        over = s->d.capacity != NULL && load > s->capacity[p - 1u] ? p - 1u : over;
        largest = load > largest ? load : largest;
        T_EQUAL(s->r.load[p - 1u], load);
        T_EQUAL(s->r.n_nodes[p - 1u], n);
    }
    T_EQUAL(s->r.empty, empty);
    T_EQUAL(s->r.overloaded, over);
    T_EQUAL(s->r.largest_load, largest);
}

static void check_cycle(const subject *s, const figures *f)
{
    T_EQUAL(s->r.n_cycle == 0u, f->n_ordered == s->d.n_parts);
    T_CHECK(s->r.n_cycle != 1u);
    for (uint32_t i = 0; i < s->r.n_cycle; i++) {
        uint32_t const next = s->r.cycle[(i + 1u) % s->r.n_cycle];
        T_CHECK(parent(s, s->r.cycle[i], next));
        for (uint32_t j = 0; j < i; j++) {
            T_CHECK(s->r.cycle[i] != s->r.cycle[j]);
        }
    }
}

static void check_causes(const subject *s)
{
    uint32_t unplaced = PART_NONE;
    uint32_t torn = PART_NONE;
    uint32_t moved = PART_NONE;
    for (uint32_t v = s->c.n; v > 0u; v--) {
        uint32_t const p = part_at(s, v - 1u);
        if (p == PART_NONE) {
            unplaced = part_callable(&s->c, v - 1u) ? v - 1u : unplaced;
            continue;
        }
        if (s->d.group != NULL && s->group[v - 1u] != GSP_NONE &&
            part_at(s, s->group[v - 1u]) != p) {
            torn = v - 1u;
        }
        moved =
            s->d.pin != NULL && s->pin[v - 1u] != GSP_NONE && s->pin[v - 1u] != p ? v - 1u : moved;
    }
    T_EQUAL(s->r.unplaced, unplaced);
    T_EQUAL(s->r.group_node, torn);
    T_EQUAL(s->r.pin_node, moved);
    T_EQUAL(s->r.valid, (unplaced & torn & moved & s->r.empty & s->r.overloaded) == PART_NONE &&
                            s->r.n_cycle == 0u);
}

static void check_cuts(const subject *s, const figures *f)
{
    T_EQUAL(s->r.cut_edges, f->edges);
    T_EQUAL(s->r.cut_values, f->values);
    T_EQUAL(s->r.cut_bytes, f->bytes);
    T_EQUAL(s->r.written, f->written);
    check_loads(s);
}

static void check_run(const subject *s)
{
    figures const f = count(s);
    check_cuts(s, &f);
    check_cycle(s, &f);
    check_causes(s);
    T_EQUAL(s->r.resident, f.resident);
    T_CHECK(same_double(s->r.path, f.path));
    T_CHECK(same_double(s->r.serial, f.serial));
}

/* Nodes that move: the figures are those of the new assignment, or nothing changes. */
static void check_moves(t_rng *rng, subject *s)
{
    for (uint32_t i = 0; i < 6u && !t_failed(); i++) {
        uint32_t const v = t_below(rng, s->c.n);
        uint32_t const to = t_below(rng, s->d.n_parts);
        uint32_t const from = s->part_of[v];
        int sound = 1;
        gsp_error err;
        gsp_status const status = gsp_score_move(&s->g, &s->d, &s->r, v, to, &err);
        if (s->r.unplaced != GSP_NONE || s->r.n_cycle != 0u || !part_callable(&s->c, v)) {
            T_EQUAL(status, GSP_STATUS_ARG);
            continue;
        }
        s->part_of[v] = to;
        for (uint32_t a = 0; a < s->c.n; a++) {
            for (uint32_t b = 0; b < s->c.n; b++) {
                sound &=
                    !cut(s, a, b) || s->r.position[part_at(s, a)] < s->r.position[part_at(s, b)];
            }
        }
        T_EQUAL(status, sound ? GSP_OK : GSP_STATUS_CYCLE);
        s->part_of[v] = status == GSP_OK ? to : from;
        figures const f = count(s);
        T_EQUAL(s->r.part_of[v], s->part_of[v]);
        check_cuts(s, &f);
    }
}

static void random_options(t_rng *rng, subject *s)
{
    int const ordered = t_chance(rng, 60);
    memset(&s->d, 0, sizeof(s->d));
    s->d.n_parts = 1u + t_below(rng, PARTS - 1u);
    for (uint32_t v = 0; v <= s->c.n; v++) {
        uint32_t const run = v * s->d.n_parts / (s->c.n + 1u);
        s->part_of[v] = ordered && t_chance(rng, 95) ? run : t_below(rng, s->d.n_parts);
        s->part_of[v] = t_chance(rng, 1) ? GSP_NONE : s->part_of[v];
        s->weight[v] = t_below(rng, 20u);
        s->group[v] = t_chance(rng, 3) ? t_below(rng, s->c.n) : GSP_NONE;
        if (s->group[v] != GSP_NONE && !part_callable(&s->c, s->group[v])) {
            s->group[v] = GSP_NONE;
        }
        s->pin[v] = t_chance(rng, 20) ? s->part_of[v] : GSP_NONE;
        s->pin[v] = t_chance(rng, 2) ? t_below(rng, s->d.n_parts) : s->pin[v];
    }
    for (uint32_t p = 0; p < s->d.n_parts; p++) {
        s->capacity[p] = 10u + t_below(rng, 200u);
        s->device_of[p] = t_below(rng, s->d.n_parts);
    }
    s->d.part_of = s->part_of;
    s->d.weight = t_chance(rng, 70) ? s->weight : NULL;
    s->d.capacity = t_chance(rng, 50) ? s->capacity : NULL;
    s->d.group = t_chance(rng, 50) ? s->group : NULL;
    s->d.pin = t_chance(rng, 50) ? s->pin : NULL;
    s->d.device_of = t_chance(rng, 60) ? s->device_of : NULL;
    s->d.mem = s->c.mem;
    s->d.compute = s->c.compute;
    s->d.has_rate = (uint32_t)t_chance(rng, 60);
    s->d.transfer_rate = t_chance(rng, 50) ? 3.7e9 : 50.0;
    s->d.moves = (uint32_t)t_chance(rng, 50);
}

static void test_random(void)
{
    t_rng rng = {t_seed + 17u};
    uint32_t const n = t_fast ? 1000u : 10000u;
    uint32_t tally[4] = {0u, 0u, 0u, 0u}; /* valid, cyclic, cut, serial above path */
    subject s;
    memset(&s, 0, sizeof(s));
    t_arena_open(&s.arena, 65536u);
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        gsp_error err;
        t_string text;
        part_random(&rng, PART_SIZE, 4u + t_below(&rng, 12u), &s.c);
        random_options(&rng, &s);
        text = part_text(&s.c);
        if (T_EQUAL(t_read(&s.text, text.data, text.size, &s.module, &err), GSP_OK)) {
            s.g = gsp_module_graph(&s.module, 0u);
            gsp_arena_init(&s.arena, s.arena.base, s.arena.size);
            if (T_EQUAL(gsp_score_run(&s.arena, &s.g, &s.d, &s.r, &err), GSP_OK)) {
                tally[0] += s.r.valid;
                tally[1] += s.r.n_cycle != 0u;
                tally[2] += s.r.cut_bytes != s.r.written;
                tally[3] += s.r.serial > s.r.path;
                check_run(&s);
                if (s.d.moves != 0u && !t_failed()) {
                    check_moves(&rng, &s);
                }
            }
        }
        if (t_failed()) {
            printf("%s\n", text.data);
        }
        t_free(&text);
        t_arena_close(&s.text);
    }
    for (uint32_t i = 0; i < 4u; i++) {
        T_CHECK(tally[i] > n / (t_fast ? 40u : 20u));
    }
    t_arena_close(&s.arena);
}

void suite_oracle_score(void)
{
    t_run("random", test_random);
}
