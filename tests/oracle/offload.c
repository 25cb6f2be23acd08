/* The least time of nodes on the CPU and the accelerator, against all choices of small graphs. */
#include "examples/extra/graphsplit_offload.h"
#include "tests/oracle/oracle.h"

#define MOST 9u

typedef struct subject {
    oracle_placed o;
    uint64_t cpu[256];
    uint64_t acc[256];
    uint64_t move[256];
    uint8_t pinned[256];
    uint8_t kind[256];
    uint32_t phase[256];
    gsp_offload_desc desc;
    gsp_offload_result r;
} subject;

static int is_acc(const subject *s, gsp_node v)
{
    return gsp_node_is_callable(&s->o.graph, v) && s->kind[v] == 1u;
}

static int reads(const subject *s, gsp_node v, gsp_node u)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(&s->o.graph, v, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (in[i] == u) {
            return 1;
        }
    }
    return 0;
}

/* On its own kind, groups whole, pins kept. */
static int is_allowed(const subject *s)
{
    for (uint32_t v = 0; v < s->o.c.n; v++) {
        gsp_node const id = s->o.ids.call[v];
        uint32_t const group = s->o.split.group[id];
        if ((s->kind[id] == 1u && s->o.split.kind[id] != 1u) ||
            (s->kind[id] == 0u && s->pinned[id] && s->o.split.kind[id] == 1u)) {
            return 0;
        }
        for (uint32_t u = 0; u < v && group != GSP_NONE; u++) {
            gsp_node const other = s->o.ids.call[u];
            if (s->o.split.group[other] == group && s->kind[other] != s->kind[id]) {
                return 0;
            }
        }
    }
    return 1;
}

/* The accelerator subgraphs of these kinds, as the splitter cuts them; GSP_NONE if it cannot. */
static uint32_t count_acc(subject *s)
{
    gsp_mark const mark = gsp_arena_mark(&s->o.arena);
    gsp_placement placement = s->o.placement;
    gsp_split_desc options = s->o.options;
    gsp_split_result split;
    uint32_t n = 0u;
    placement.kind = s->kind;
    placement.group = (uint32_t *)(uintptr_t)s->o.split.group;
    options.placement = &placement;
    options.skip_fusion = options.allow_non_tensor = options.best_start = 1u;
    options.phase = s->desc.resident ? s->phase : NULL;
    if (gsp_split_run(&s->o.arena, &s->o.graph, &options, &split, NULL) != GSP_OK) {
        n = GSP_NONE;
    }
    for (uint32_t i = 0; n != GSP_NONE && i < split.n_raw; i++) {
        n += split.raw_kind[i] == 1u ? 1u : 0u;
    }
    gsp_arena_rewind(&s->o.arena, mark);
    return n;
}

/* The first phase of the CPU after all that the graph returns. */
static uint32_t end_of(const subject *s)
{
    uint32_t end = 0u;
    for (uint32_t v = 0; v < s->o.c.n; v++) {
        uint32_t const phase = s->phase[s->o.ids.call[v]];
        if (reads(s, s->o.graph.n_nodes - 1u, s->o.ids.call[v]) && phase > end) {
            end = phase;
        }
    }
    return end + (end & 1u);
}

/* How often a value moves, if outputs are in phase `end`; placeholders are in the best phase. */
static uint64_t moves_of(const subject *s, gsp_node u, uint32_t end)
{
    uint32_t last = 0u;
    uint32_t first = 1000u;
    uint64_t apart = 0u;
    for (gsp_node v = u + 1u; v < s->o.graph.n_nodes; v++) {
        if (reads(s, v, u)) {
            uint32_t const at = gsp_node_is_callable(&s->o.graph, v) ? s->phase[v] : end;
            apart |= is_acc(s, u) != is_acc(s, v);
            last = at > last ? at : last;
            first = at - (at & 1u) < first ? at - (at & 1u) : first;
        }
    }
    if (s->desc.resident) {
        uint32_t const own = gsp_node_is_callable(&s->o.graph, u) ? s->phase[u] : first;
        return last > own ? last - own : 0u;
    }
    return apart;
}

/* The definition, node by node; placeholders and outputs are on the CPU. */
static uint64_t time_of(subject *s)
{
    uint64_t least = UINT64_MAX;
    uint64_t sum = 0u;
    uint32_t const launches = count_acc(s);
    if (launches == GSP_NONE) {
        return UINT64_MAX;
    }
    for (uint32_t v = 0; v < s->o.c.n; v++) {
        gsp_node const id = s->o.ids.call[v];
        sum += s->kind[id] == 1u ? s->acc[id] : s->cpu[id];
    }
    for (uint32_t end = end_of(s); end <= s->o.c.n + 2u; end += 2u) {
        uint64_t moves = 0u;
        for (gsp_node u = 0; u < s->o.graph.n_nodes; u++) {
            int const is_value = gsp_node_op(&s->o.graph, u) != GSP_OP_GET_ATTR;
            moves += is_value ? moves_of(s, u, end) * s->move[u] : 0u;
        }
        least = moves < least ? moves : least;
    }
    return sum + least + launches * s->desc.launch;
}

static uint64_t least_once(subject *s)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t bits = 0; bits >> s->o.c.n == 0u; bits++) {
        for (uint32_t v = 0; v < s->o.c.n; v++) {
            s->kind[s->o.ids.call[v]] = (uint8_t)(bits >> v & 1u);
        }
        if (is_allowed(s)) {
            uint64_t const time = time_of(s);
            least = time < least ? time : least;
        }
    }
    return least;
}

/* No edge lowers a phase, and a group has one. */
static int is_schedule(const subject *s)
{
    for (uint32_t v = 0; v < s->o.c.n; v++) {
        for (uint32_t u = 0; u < s->o.c.n; u++) {
            gsp_node const a = s->o.ids.call[u];
            gsp_node const b = s->o.ids.call[v];
            if (((s->o.c.in[v] >> u & 1u) != 0u && s->phase[a] > s->phase[b]) ||
                (s->o.split.group[a] != GSP_NONE && s->o.split.group[a] == s->o.split.group[b] &&
                    s->phase[a] != s->phase[b])) {
                return 0;
            }
        }
    }
    return 1;
}

/* All phases, odd ones on the accelerator; the graph may return between two of them. */
static uint64_t least_resident(subject *s)
{
    uint64_t least = UINT64_MAX;
    uint32_t const n_phases = s->o.c.n + 2u;
    uint64_t total = 1u;
    for (uint32_t v = 0; v < s->o.c.n; v++) {
        total *= n_phases;
    }
    for (uint64_t i = 0; i < total; i++) {
        uint64_t rest = i;
        for (uint32_t v = 0; v < s->o.c.n; v++) {
            gsp_node const id = s->o.ids.call[v];
            s->phase[id] = (uint32_t)(rest % n_phases);
            s->kind[id] = s->phase[id] & 1u;
            rest /= n_phases;
        }
        if (is_schedule(s) && is_allowed(s)) {
            uint64_t const time = time_of(s);
            least = time < least ? time : least;
        }
    }
    return least;
}

static int build(t_rng *rng, subject *s)
{
    gsp_error err;
    int const few = t_chance(rng, 50);
    uint32_t const pins = t_chance(rng, 20) ? 20u : 0u;
    if (!oracle_place(&s->o)) {
        return 0;
    }
    for (gsp_node v = 0; v < s->o.graph.n_nodes; v++) {
        s->cpu[v] = t_below(rng, 40u);
        s->acc[v] = t_below(rng, t_chance(rng, 80) ? 10u : 60u);
        s->move[v] = t_below(rng, few ? 4u : 12u);
        s->pinned[v] = (uint8_t)t_chance(rng, pins);
        s->kind[v] = GSP_KIND_NONE;
    }
    if (!T_EQUAL(
            gsp_split_run(&s->o.arena, &s->o.graph, &s->o.options, &s->o.split, &err), GSP_OK)) {
        return 0;
    }
    s->desc.kind = s->o.split.kind;
    s->desc.pinned = s->pinned;
    s->desc.group = s->o.split.group;
    s->desc.cpu = s->cpu;
    s->desc.acc = s->acc;
    s->desc.move = s->move;
    s->desc.launch = t_chance(rng, 20) ? 0u : t_below(rng, t_chance(rng, 60) ? 5u : 40u);
    s->desc.max_work = 0u;
    return 1;
}

static int run(subject *s)
{
    gsp_arena arena;
    size_t const bound = gsp_offload_bound(&s->o.graph, &s->desc);
    gsp_arena_init(&arena, gsp_arena_push(&s->o.arena, bound, 1u), bound);
    return T_EQUAL(gsp_offload_run(&arena, &s->o.graph, &s->desc, &s->r, NULL), GSP_OK);
}

/* The result is a choice, and takes the time that it says. */
static uint64_t check_result(subject *s)
{
    uint64_t time;
    for (uint32_t v = 0; v < s->o.c.n; v++) {
        gsp_node const id = s->o.ids.call[v];
        s->kind[id] = s->r.kind[id];
        s->phase[id] = s->desc.resident ? s->r.phase[id] : 0u;
    }
    T_CHECK(is_allowed(s));
    time = time_of(s);
    if (s->desc.resident && s->o.c.n > 0u) { /* phases count from the CPU's in time_of() */
        uint32_t const shift = (s->phase[s->o.ids.call[0]] ^ s->kind[s->o.ids.call[0]]) & 1u;
        for (uint32_t v = 0; v < s->o.c.n; v++) {
            s->phase[s->o.ids.call[v]] += shift;
        }
        T_CHECK(is_schedule(s));
        time = time_of(s);
    }
    T_EQUAL(time, s->r.time);
    T_CHECK(s->r.lower_bound <= s->r.time && s->r.time <= s->r.all);
    T_CHECK(s->r.time <= s->r.cpu_only);
    return time;
}

/* A choice alone, as the pass times it. */
static void check_time(t_rng *rng, subject *s)
{
    for (uint32_t v = 0; v < s->o.c.n; v++) {
        gsp_node const id = s->o.ids.call[v];
        s->kind[id] = s->o.split.kind[id] == 1u && t_chance(rng, 60) ? 1u : 0u;
    }
    if (!s->desc.resident && is_allowed(s)) {
        gsp_offload_desc given = s->desc;
        gsp_offload_result r;
        gsp_error err;
        uint64_t const time = time_of(s);
        given.given = s->kind;
        if (gsp_offload_run(&s->o.arena, &s->o.graph, &given, &r, &err) == GSP_OK) {
            T_EQUAL(r.time, time);
            T_EQUAL(r.n_subgraphs, count_acc(s));
        } else {
            T_EQUAL(err.status, GSP_STATUS_CYCLE);
            T_EQUAL(err.detail, GSP_DETAIL_PARTS_CYCLE);
            T_EQUAL(time, UINT64_MAX);
        }
    }
}

static void check(t_rng *rng, subject *s, uint32_t tally[5])
{
    uint64_t least, time;
    if (!run(s) || s->o.c.n == 0u) {
        return;
    }
    time = check_result(s);
    if (t_failed()) {
        return;
    }
    tally[4] += count_acc(s) > 1u ? 1u : 0u;
    check_time(rng, s);
    least = s->desc.resident ? least_resident(s) : least_once(s);
    T_CHECK(s->r.lower_bound <= least && least <= time);
    T_CHECK(!(s->desc.resident || s->desc.launch == 0u) || s->r.lower_bound == time);
    tally[0]++;
    tally[1] += least == time;
    tally[2] += time < s->r.all && time < s->r.cpu_only;
    tally[3] += s->r.lower_bound == time;
    for (uint32_t most = 100u; most <= 100000u; most *= 10u) { /* the work ends anywhere */
        s->desc.max_work = 1u + t_below(rng, most);
        if (run(s)) {
            (void)check_result(s);
            T_CHECK(s->r.lower_bound <= least && least <= s->r.time);
        }
    }
}

/* A path through all nodes, so that several accelerator subgraphs follow each other. */
static void chain(t_rng *rng, oracle_case *c)
{
    for (uint32_t v = 1; v < c->n; v++) {
        c->in[v] |= (uint64_t)1u << (v - 1u);
    }
    for (uint32_t v = 0; v < c->n; v++) {
        c->kind[v] = (uint8_t)t_chance(rng, 60);
    }
}

static void test_random(uint32_t resident)
{
    t_rng rng = {t_seed + 47u};
    uint32_t const n = t_fast ? 300u : 1500u;
    uint32_t tally[5] = {0u}; /* judged, optimal, better, proved, several launches */
    subject s;
    memset(&s, 0, sizeof(s));
    t_arena_open(&s.o.arena, (size_t)1 << 24u);
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        oracle_random_pair(&rng, resident ? 5u : MOST, &s.o.c);
        if (t_chance(&rng, 50)) {
            chain(&rng, &s.o.c);
        }
        s.desc.resident = resident;
        if (build(&rng, &s)) {
            check(&rng, &s, tally);
        }
    }
    T_CHECK(tally[0] > n / 2u && tally[1] * 500u >= tally[0] * 499u);
    T_CHECK(tally[2] > n / 50u && tally[3] > n / 2u && tally[4] > (t_fast ? 0u : n / 50u));
    t_arena_close(&s.o.arena);
}

static void test_once(void)
{
    test_random(0u);
}

static void test_resident(void)
{
    test_random(1u);
}

void suite_oracle_offload(void)
{
    t_run("once", test_once);
    t_run("resident", test_resident);
}
