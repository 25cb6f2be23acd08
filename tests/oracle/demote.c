/* gsp_demote_run() against all sets of units that may stay on the accelerator. */
#include "tests/oracle/oracle.h"

#define MOST 9u

typedef struct subject {
    oracle_placed o;
    uint64_t value[ORACLE_NODES * 4u];
    gsp_demote_desc desc;
    gsp_demote_result r;
} subject;

static int has(uint64_t s, uint32_t v)
{
    return (int)(s >> v & 1u);
}

/* Phases of a kind when the set `on` runs on the accelerator and kind `start` comes first. */
static uint32_t phases_from(const subject *s, uint64_t on, uint32_t start, uint32_t kind)
{
    uint32_t phase[ORACLE_NODES] = {0};
    uint32_t n = 0u;
    for (uint32_t turn = 0; turn <= s->o.c.n; turn++) { /* units may stand in any order */
        for (uint32_t v = 0; v < s->o.c.n; v++) {
            uint32_t const k = (uint32_t)has(on, v);
            uint32_t p = k != start ? 1u : 0u;
            for (uint32_t u = 0; u < s->o.c.n; u++) {
                uint32_t const group = s->o.split.group[s->o.ids.call[v]];
                int const same = group != GSP_NONE && s->o.split.group[s->o.ids.call[u]] == group;
                uint32_t const least = phase[u] + (uint32_t)(has(on, u) != has(on, v));
                p = (has(s->o.c.in[v], u) || same) && least > p ? least : p;
            }
            phase[v] = p;
        }
    }
    for (uint32_t v = 0; v < s->o.c.n; v++) {
        n = phase[v] + 1u > n ? phase[v] + 1u : n;
    }
    return kind == GSP_KIND_NONE ? n : (n + (kind == start ? 1u : 0u)) / 2u;
}

static int fits(const subject *s, uint64_t on)
{
    for (uint32_t start = 0; start < 2u; start++) {
        if ((s->desc.limit == 0u || phases_from(s, on, start, GSP_KIND_NONE) <= s->desc.limit) &&
            (s->desc.max_acc == 0u || phases_from(s, on, start, 1u) <= s->desc.max_acc)) {
            return 1;
        }
    }
    return 0;
}

/* The value of a set; 0 and `whole` 0 if a group is torn or a node cannot run there. */
static uint64_t value_of(const subject *s, uint64_t on, int *whole)
{
    uint64_t sum = 0u;
    *whole = 1;
    for (uint32_t v = 0; v < s->o.c.n; v++) {
        gsp_node const id = s->o.ids.call[v];
        sum += !has(on, v) ? 0u : s->desc.value == NULL ? 1u : s->value[id];
        *whole &= !has(on, v) || s->o.split.kind[id] == 1u;
        for (uint32_t u = 0; u < v; u++) {
            *whole &= s->o.split.group[id] == GSP_NONE ||
                      s->o.split.group[s->o.ids.call[u]] != s->o.split.group[id] ||
                      has(on, u) == has(on, v);
        }
    }
    return sum;
}

static uint64_t most_of(const subject *s)
{
    uint64_t most = 0u;
    for (uint64_t on = 0; on < (uint64_t)1 << s->o.c.n; on++) {
        int whole;
        uint64_t const value = value_of(s, on, &whole);
        most = whole && value > most && fits(s, on) ? value : most;
    }
    return most;
}

static uint64_t kept(const subject *s)
{
    uint64_t sum = 0u;
    for (uint32_t v = 0; v < s->o.c.n; v++) {
        gsp_node const id = s->o.ids.call[v];
        sum += s->o.split.subgraph_kind[s->o.split.subgraph_of[id]] == 0u ? 0u
               : s->desc.value == NULL                                    ? 1u
                                                                          : s->value[id];
    }
    return sum;
}

/* The kinds that the pass returns, split again, hold the limits and what they promise. */
static void check_split(subject *s)
{
    gsp_placement p = s->o.placement;
    gsp_split_desc options = s->o.options;
    gsp_error err;
    uint64_t on = 0u;
    int whole;
    for (uint32_t v = 0; v < s->o.c.n; v++) {
        on |= (uint64_t)(s->r.kind[s->o.ids.call[v]] == 1u) << v;
    }
    T_EQUAL(value_of(s, on, &whole), s->r.value);
    T_CHECK(whole && (fits(s, on) || s->r.value == kept(s)));
    p.kind = (uint8_t *)(uintptr_t)s->r.kind;
    p.group = (uint32_t *)(uintptr_t)s->o.split.group;
    options.placement = &p;
    options.skip_fusion = 1u;
    options.allow_non_tensor = 1u;
    options.best_start = 1u;
    options.limit_policy = (uint32_t)GSP_LIMIT_ERROR;
    if (T_EQUAL(gsp_split_run(&s->o.arena, &s->o.graph, &options, &s->o.split, &err), GSP_OK)) {
        T_EQUAL(kept(s), s->r.value);
    }
}

static void check(t_rng *rng, subject *s, uint32_t tally[2])
{
    gsp_error err;
    uint64_t const before = kept(s);
    s->desc.split = &s->o.split;
    s->desc.max_work = 0u;
    if (!T_EQUAL(gsp_demote_run(&s->o.arena, &s->o.graph, &s->desc, &s->r, &err), GSP_OK)) {
        return;
    }
    uint64_t const most = most_of(s);
    T_EQUAL(s->r.value, most);
    T_EQUAL(s->r.upper_bound, most);
    tally[0] += most > before;
    gsp_demote_result const full = s->r;
    s->desc.max_work = 1u + t_below(rng, 60u);
    T_EQUAL(gsp_demote_run(&s->o.arena, &s->o.graph, &s->desc, &s->r, &err), GSP_OK);
    T_CHECK(s->r.value >= before && s->r.value <= most && s->r.upper_bound >= most);
    tally[1] += s->r.upper_bound > most;
    s->r = full;
    check_split(s);
}

static int build(t_rng *rng, subject *s)
{
    gsp_error err;
    if (!oracle_place(&s->o)) {
        return 0;
    }
    memset(&s->desc, 0, sizeof(s->desc));
    s->o.options.limit_policy = (uint32_t)GSP_LIMIT_DEMOTE;
    s->o.options.limit = t_chance(rng, 60) ? 1u + t_below(rng, 5u) : 0u;
    s->o.options.max_acc =
        s->o.options.limit == 0u || t_chance(rng, 30) ? 1u + t_below(rng, 3u) : 0u;
    for (gsp_node v = 0; v < s->o.graph.n_nodes; v++) {
        s->value[v] = (uint64_t)1 << 62u; /* of nodes that do not count */
    }
    for (uint32_t v = 0; v < s->o.c.n; v++) {
        s->value[s->o.ids.call[v]] = s->o.c.value[v];
    }
    s->desc.value = t_chance(rng, 70) ? s->value : NULL;
    s->o.options.value = s->desc.value;
    s->desc.limit = s->o.options.limit;
    s->desc.max_acc = s->o.options.max_acc;
    return T_EQUAL(
        gsp_split_run(&s->o.arena, &s->o.graph, &s->o.options, &s->o.split, &err), GSP_OK);
}

static void test_random(void)
{
    t_rng rng = {t_seed + 41u};
    uint32_t const n = t_fast ? 1000u : 8000u;
    uint32_t tally[2] = {0u, 0u}; /* better than whole subgraphs, not proved */
    subject s;
    memset(&s, 0, sizeof(s));
    t_arena_open(&s.o.arena, (size_t)1 << 20u);
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        oracle_random_pair(&rng, MOST, &s.o.c);
        if (build(&rng, &s)) {
            check(&rng, &s, tally);
        }
    }
    T_CHECK(tally[0] > n / 100u);
    T_CHECK(tally[1] > n / (t_fast ? 100u : 50u));
    t_arena_close(&s.o.arena);
}

void suite_oracle_demote(void)
{
    t_run("random", test_random);
}
