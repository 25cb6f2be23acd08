/* Phases of least traffic against all schedules of small graphs; figures against the evaluator. */
#include "examples/extra/graphsplit_traffic.h"
#include "tests/oracle/oracle.h"

#define MOST 9u

typedef struct subject {
    oracle_placed o;
    gsp_traffic_desc desc;
    gsp_traffic_result r;
    uint32_t start;
    uint64_t least[GSP_TRAFFIC_COUNT]; /* of all schedules */
} subject;

static int has(uint64_t s, uint32_t v)
{
    return (int)(s >> v & 1u);
}

static uint64_t size_of(const subject *s, uint32_t v)
{
    return gsp_node_bytes(&s->o.graph, s->o.ids.call[v]);
}

/* A node runs with its group, in a phase of its kind, not before what it reads. */
static int is_schedule(const subject *s, const uint32_t *phase, uint32_t n)
{
    for (uint32_t v = 0; v < n; v++) {
        gsp_node const id = s->o.ids.call[v];
        if (((phase[v] ^ s->start) & 1u) != s->o.split.kind[id]) {
            return 0;
        }
        for (uint32_t u = 0; u < n; u++) {
            uint32_t const group = s->o.split.group[id];
            if ((has(s->o.c.in[v], u) && phase[u] > phase[v]) ||
                (group != GSP_NONE && s->o.split.group[s->o.ids.call[u]] == group &&
                    phase[u] != phase[v])) {
                return 0;
            }
        }
    }
    return 1;
}

/* The definitions, reader by reader and phase by phase. */
static void figures(const subject *s, const uint32_t *phase, uint32_t n_phases, uint64_t *bytes)
{
    memset(bytes, 0, GSP_TRAFFIC_COUNT * sizeof(*bytes));
    for (uint32_t u = 0; u < s->o.c.n; u++) {
        uint64_t reads = 0u;
        uint32_t last = phase[u];
        for (uint32_t p = 0; p < n_phases; p++) {
            int read = 0;
            for (uint32_t v = 0; v < s->o.c.n; v++) {
                read |= phase[v] == p && p != phase[u] && has(s->o.c.in[v], u);
            }
            reads += (uint64_t)read;
            last = read ? p : last;
        }
        bytes[GSP_TRAFFIC_WRITTEN] += reads > 0u ? size_of(s, u) : 0u;
        bytes[GSP_TRAFFIC_READ] += reads * size_of(s, u);
        bytes[GSP_TRAFFIC_RESIDENT] += (last - phase[u]) * size_of(s, u);
    }
}

/* All schedules of so many phases, by counting; 0 if too many, or none. */
static int enumerate(subject *s, uint32_t n_phases)
{
    uint32_t phase[ORACLE_NODES] = {0};
    uint32_t v = 0u;
    uint64_t tried = 0u;
    memset(s->least, 0xFF, sizeof(s->least));
    while (++tried < 300000u) {
        if (is_schedule(s, phase, v + 1u < s->o.c.n ? v + 1u : s->o.c.n) && v + 1u < s->o.c.n) {
            v++;
            phase[v] = 0u;
            continue;
        }
        if (is_schedule(s, phase, s->o.c.n) && v + 1u == s->o.c.n) {
            uint64_t bytes[GSP_TRAFFIC_COUNT];
            figures(s, phase, n_phases, bytes);
            for (uint32_t i = 0; i < GSP_TRAFFIC_COUNT; i++) {
                s->least[i] = bytes[i] < s->least[i] ? bytes[i] : s->least[i];
            }
        }
        while (++phase[v] >= n_phases) {
            if (v == 0u) {
                return s->least[0] != UINT64_MAX;
            }
            v--;
        }
    }
    return 0;
}

static int build(t_rng *rng, subject *s)
{
    gsp_error err;
    if (!oracle_place(&s->o)) {
        return 0;
    }
    for (uint32_t v = 0; v < s->o.c.n; v++) {
        uint64_t *bytes = (uint64_t *)(uintptr_t)s->o.module.bytes;
        bytes[s->o.graph.first + s->o.ids.call[v]] = t_below(rng, 8u);
    }
    s->o.options.best_start = (uint32_t)t_chance(rng, 50);
    s->desc.measure = t_below(rng, GSP_TRAFFIC_COUNT);
    s->desc.best_start = s->o.options.best_start;
    s->desc.max_work = 0u;
    return T_EQUAL(
        gsp_split_run(&s->o.arena, &s->o.graph, &s->o.options, &s->o.split, &err), GSP_OK);
}

/* The split of the phases has what was promised; the evaluator agrees. */
static void check_split(subject *s)
{
    gsp_split_desc options = s->o.options;
    gsp_split_result split;
    gsp_score_desc desc = {0};
    gsp_score_result score;
    gsp_error err;
    options.phase = s->r.phase;
    if (T_EQUAL(gsp_split_run(&s->o.arena, &s->o.graph, &options, &split, &err), GSP_OK)) {
        T_CHECK(
            split.n_phases == s->r.n_phases ||
            (split.n_phases < s->r.n_phases && !s->o.options.best_start)); /* one became empty */
        desc.n_parts = split.n_raw;
        desc.part_of = split.raw_of;
        T_EQUAL(gsp_score_run(&s->o.arena, &s->o.graph, &desc, &score, &err), GSP_OK);
        T_EQUAL(score.written, s->r.bytes[GSP_TRAFFIC_WRITTEN]);
        T_EQUAL(score.cut_bytes, s->r.bytes[GSP_TRAFFIC_READ]);
        T_CHECK(
            score.resident == s->r.bytes[GSP_TRAFFIC_RESIDENT] || split.n_phases < s->r.n_phases);
    }
}

static gsp_status run(subject *s)
{
    gsp_arena arena;
    gsp_error err;
    size_t const bound = gsp_traffic_bound(&s->o.graph, &s->desc);
    gsp_status status;
    s->r.phase = NULL;
    s->desc.kind = s->o.split.kind;
    s->desc.group = s->o.split.group;
    gsp_arena_init(&arena, gsp_arena_push(&s->o.arena, bound, 1u), bound);
    status = gsp_traffic_run(&arena, &s->o.graph, &s->desc, &s->r, &err);
    return status;
}

static void check(t_rng *rng, subject *s, uint32_t tally[4])
{
    uint32_t const m = s->desc.measure;
    uint32_t phase[ORACLE_NODES] = {0};
    uint64_t bytes[GSP_TRAFFIC_COUNT];
    if (!T_EQUAL(run(s), GSP_OK)) {
        return;
    }
    T_EQUAL(s->r.n_phases, s->o.split.n_phases);
    if (s->o.c.n == 0u || t_failed()) {
        return;
    }
    for (uint32_t v = 0; v < s->o.c.n; v++) {
        phase[v] = s->r.phase[s->o.ids.call[v]];
    }
    s->start = (phase[0] ^ s->o.split.kind[s->o.ids.call[0]]) & 1u;
    T_CHECK(is_schedule(s, phase, s->o.c.n));
    figures(s, phase, s->r.n_phases, bytes);
    T_CHECK(memcmp(bytes, s->r.bytes, sizeof(bytes)) == 0);
    T_CHECK(s->o.options.best_start || bytes[m] <= s->r.reference[m]);
    check_split(s);
    if (enumerate(s, s->r.n_phases)) {
        T_CHECK(s->r.lower_bound <= s->least[m] && s->least[m] <= bytes[m]);
        T_CHECK(m != GSP_TRAFFIC_RESIDENT || s->r.lower_bound == bytes[m]);
        tally[0]++;
        tally[1] += s->least[m] == bytes[m];
        tally[2] += bytes[m] < s->r.reference[m];
        tally[3] += s->r.lower_bound == bytes[m];
    }
    uint64_t const full = bytes[m];
    s->desc.max_work = 1u + t_below(rng, 200u);
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.bytes[m] >= full && s->r.lower_bound <= full);
    T_CHECK(s->o.options.best_start || s->r.bytes[m] <= s->r.reference[m]);
}

static void test_random(void)
{
    t_rng rng = {t_seed + 43u};
    uint32_t const n = t_fast ? 1500u : 10000u;
    uint32_t tally[4] = {0u, 0u, 0u, 0u}; /* judged, optimal, better, proved */
    subject s;
    memset(&s, 0, sizeof(s));
    t_arena_open(&s.o.arena, (size_t)1 << 24u);
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        oracle_random_pair(&rng, MOST, &s.o.c);
        if (build(&rng, &s)) {
            check(&rng, &s, tally);
        }
    }
    T_CHECK(tally[0] > n / 2u && tally[1] * 500u >= tally[0] * 499u);
    T_CHECK(tally[2] > n / 50u && tally[3] > n / 4u);
    t_arena_close(&s.o.arena);
}

void suite_oracle_traffic(void)
{
    t_run("random", test_random);
}
