/* gsp_kway_run() against all assignments of small graphs: valid by gsp_score_run(), never below the
 * least cut, mostly at it, and NO_FIT only if parts are hard to find. */
#include "examples/extra/graphsplit_kway.h"
#include "tests/oracle/partition.h"

#define PARTS 4u

typedef struct subject {
    gsp_arena text;
    gsp_arena arena;
    part_case c;
    gsp_module module;
    gsp_graph g;
    uint64_t weight[PART_NODES + 1u];
    uint64_t capacity[PARTS];
    uint32_t pin[PART_NODES + 1u];
    uint32_t part_of[PART_NODES + 1u];
    gsp_kway_desc d;
} subject;

static int reads(const subject *s, uint32_t v, uint32_t u)
{
    return (int)(s->c.in[v] >> u & 1u) && part_callable(&s->c, u) && part_callable(&s->c, v);
}

/* Whether the parts are within their capacities; `in_order`: and as gsp_kway_run() makes them. */
static int allowed(const subject *s, int in_order)
{
    uint64_t load[PARTS] = {0};
    uint32_t count[PARTS] = {0};
    int ok = 1;
    for (uint32_t v = 0; v < s->c.n; v++) {
        uint32_t const p = s->part_of[v];
        if (part_callable(&s->c, v)) {
            load[p] += s->weight[v];
            count[p]++;
            ok &= !in_order || s->pin[v] == GSP_NONE || s->pin[v] == p;
        }
        for (uint32_t u = 0; u < v; u++) {
            ok &= !in_order || !reads(s, v, u) || s->part_of[u] <= p;
        }
    }
    for (uint32_t p = 0; p < s->d.n_parts; p++) {
        ok &= count[p] != 0u && load[p] <= s->capacity[p];
    }
    return ok;
}

static uint64_t cut(const subject *s)
{
    uint64_t sum = 0;
    for (uint32_t u = 0; u < s->c.n; u++) {
        uint32_t met = 0;
        for (uint32_t v = u; v < s->c.n; v++) {
            uint32_t const p = s->part_of[v];
            if (reads(s, v, u) && p != s->part_of[u]) {
                sum += s->d.bytes == 0u ? 1u : (met >> p & 1u) != 0u ? 0u : s->c.bytes[u];
                met |= 1u << p;
            }
        }
    }
    return sum;
}

/* The least cut of all assignments, UINT64_MAX if none is allowed. */
static uint64_t least(subject *s, int in_order)
{
    uint64_t best = UINT64_MAX;
    uint32_t v = 0;
    memset(s->part_of, 0, sizeof(s->part_of));
    while (v < s->c.n) {
        if (allowed(s, in_order) && cut(s) < best) {
            best = cut(s);
        }
        for (v = 0; v < s->c.n; v++) {
            s->part_of[v]++;
            if (part_callable(&s->c, v) && s->part_of[v] < s->d.n_parts) {
                break;
            }
            s->part_of[v] = 0;
        }
    }
    return best;
}

static void random_options(t_rng *rng, subject *s)
{
    uint64_t total = 0;
    memset(&s->d, 0, sizeof(s->d));
    s->d.n_parts = 1u + t_below(rng, PARTS - 1u);
    for (uint32_t v = 0; v <= s->c.n; v++) {
        uint32_t const run = v * s->d.n_parts / (s->c.n + 1u);
        s->weight[v] = 1u + t_below(rng, 5u);
        s->pin[v] = t_chance(rng, 10) ? run : GSP_NONE;
        total += v < s->c.n && part_callable(&s->c, v) ? s->weight[v] : 0u;
    }
    for (uint32_t p = 0; p < s->d.n_parts; p++) {
        s->capacity[p] = total / s->d.n_parts + t_below(rng, 8u);
    }
    s->d.bytes = (uint32_t)t_chance(rng, 50);
    s->d.weight = s->weight;
    s->d.capacity = s->capacity;
    s->d.pin = s->pin;
    s->d.seed = t_below(rng, 100u);
}

static void check(const subject *s, const gsp_kway_result *r)
{
    gsp_score_desc desc = {0};
    gsp_score_result score;
    gsp_error err;
    gsp_arena arena;
    t_arena_open(&arena, 65536u);
    desc.n_parts = s->d.n_parts;
    desc.part_of = r->part_of;
    desc.weight = s->weight;
    desc.capacity = s->capacity;
    desc.pin = s->pin;
    if (T_EQUAL(gsp_score_run(&arena, &s->g, &desc, &score, &err), GSP_OK)) {
        T_EQUAL(score.valid, 1u);
        T_EQUAL(s->d.bytes == 0u ? score.cut_edges : score.cut_bytes, r->cut);
    }
    for (uint32_t v = 0; v < s->c.n; v++) {
        T_EQUAL(r->part_of[v] == GSP_NONE, !part_callable(&s->c, v));
        for (uint32_t u = 0; u < v; u++) {
            T_CHECK(!reads(s, v, u) || r->part_of[u] <= r->part_of[v]);
        }
    }
    t_arena_close(&arena);
}

static void test_random(void)
{
    t_rng rng = {t_seed + 29u};
    uint32_t const n = t_fast ? 200u : 2000u;
    uint32_t n_possible = 0;
    uint32_t n_found = 0;
    uint32_t n_least = 0;
    subject s;
    memset(&s, 0, sizeof(s));
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        gsp_error err;
        t_string text;
        part_random(&rng, PART_SIZE, 4u + t_below(&rng, 5u), &s.c);
        random_options(&rng, &s);
        text = part_text(&s.c);
        if (T_EQUAL(t_read(&s.text, text.data, text.size, &s.module, &err), GSP_OK)) {
            gsp_kway_result r;
            s.g = gsp_module_graph(&s.module, 0u);
            t_arena_open(&s.arena, gsp_kway_bound(&s.g, &s.d));
            uint64_t const best = least(&s, 1);
            gsp_status const status = gsp_kway_run(&s.arena, &s.g, &s.d, &r, &err);
            n_possible += best != UINT64_MAX;
            if (status == GSP_OK) {
                check(&s, &r);
                T_CHECK(r.cut >= best && best != UINT64_MAX);
                n_found++;
                n_least += r.cut == best;
            } else {
                T_EQUAL(status, GSP_STATUS_NO_FIT);
            }
            t_arena_close(&s.arena);
        }
        if (t_failed()) {
            printf("%s\n", text.data);
        }
        t_free(&text);
        t_arena_close(&s.text);
    }
    printf("# kway: %u of %u found, %u least\n", (unsigned)n_found, (unsigned)n_possible,
        (unsigned)n_least);
    T_CHECK(n_possible > n / 4u);
    T_CHECK(n_found * 100u >= n_possible * 97u);
    T_CHECK(n_least * 100u >= n_found * 90u);
}

#ifndef GSP_NO_COST

/* gsp_kway_floor_run() against all parts, in any order; equal to the least cut in many cases. */
static void test_floor(void)
{
    t_rng rng = {t_seed + 31u};
    uint32_t const n = t_fast ? 200u : 2000u;
    uint32_t n_possible = 0;
    uint32_t n_equal = 0;
    uint32_t n_by_flow = 0;
    subject s;
    memset(&s, 0, sizeof(s));
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        gsp_kway_floor_desc d = {0};
        gsp_kway_floor_result r;
        gsp_error err;
        part_random(&rng, PART_SIZE, 2u + t_below(&rng, 6u), &s.c);
        random_options(&rng, &s);
        t_string text = part_text(&s.c);
        if (T_EQUAL(t_read(&s.text, text.data, text.size, &s.module, &err), GSP_OK)) {
            s.g = gsp_module_graph(&s.module, 0u);
            d.n_parts = s.d.n_parts;
            d.bytes = s.d.bytes;
            d.weight = s.weight;
            d.capacity = s.capacity;
            t_arena_open(&s.arena, gsp_kway_floor_bound(&s.g, &d));
            uint64_t const best = least(&s, 0);
            d.cut = best != UINT64_MAX && t_chance(&rng, 50) ? best : 0u;
            T_EQUAL(gsp_kway_floor_run(&s.arena, &s.g, &d, &r, &err), GSP_OK);
            T_CHECK(r.floor <= best);
            T_EQUAL(s.arena.low + s.arena.high, 0u);
            n_possible += best != UINT64_MAX;
            n_equal += r.floor == best;
            n_by_flow += r.by_flow;
            t_arena_close(&s.arena);
        }
        t_free(&text);
        t_arena_close(&s.text);
    }
    printf("# kway floor: %u of %u at the least cut, %u by the flow\n", (unsigned)n_equal,
        (unsigned)n_possible, (unsigned)n_by_flow);
    T_CHECK(n_possible > n / 2u);
    T_CHECK(n_equal * 100u >= n_possible * 30u);
    T_CHECK(n_by_flow * 100u >= n * 2u);
}

#endif /* GSP_NO_COST */

void suite_oracle_kway(void)
{
    t_run("random", test_random);
#ifndef GSP_NO_COST
    t_run("floor", test_floor);
#endif
}
