/* Acyclic parts: one small graph by hand, every refusal, pins, capacities, seeds. */
#include "examples/extra/graphsplit_csr.h"
#include "examples/extra/graphsplit_kway.h"
#include "tests/t.h"

#define CALL " = call_function[target=f](args = "

/* Two chains of three that meet: a b c, p q r, then z. */
static const char chains[] = "graph():\n"
                             "    %x : [num_users=2] = placeholder[target=x]  # f32[4]\n"
                             "    %a : [num_users=1]" CALL "(%x,), kwargs = {})  # f32[1]\n"
                             "    %b : [num_users=1]" CALL "(%a,), kwargs = {})  # f32[2]\n"
                             "    %p : [num_users=1]" CALL "(%x,), kwargs = {})  # f32[4]\n"
                             "    %q : [num_users=1]" CALL "(%p,), kwargs = {})  # f32[8]\n"
                             "    %c : [num_users=1]" CALL "(%b,), kwargs = {})  # f32[16]\n"
                             "    %r : [num_users=1]" CALL "(%q,), kwargs = {})  # f32[32]\n"
                             "    %z : [num_users=1]" CALL "(%c, %r), kwargs = {})  # f32[1]\n"
                             "    return z\n";

enum { X, A, B, P, Q, C, R, Z, OUT, NODES };

typedef struct subject {
    gsp_arena memory;
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    uint64_t weight[NODES];
    uint64_t capacity[4];
    uint32_t pin[NODES];
    gsp_kway_desc desc;
    gsp_kway_result r;
    gsp_error err;
} subject;

static int subject_open(subject *s)
{
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, 65536u);
    for (uint32_t v = 0; v < NODES; v++) {
        s->weight[v] = 1u;
        s->pin[v] = GSP_NONE;
    }
    s->desc.n_parts = 2u;
    if (!t_must_read(&s->memory, chains, &s->module)) {
        return 0;
    }
    s->graph = gsp_module_graph(&s->module, 0u);
    return 1;
}

static void subject_close(subject *s)
{
    t_arena_close(&s->arena);
    t_arena_close(&s->memory);
}

static gsp_status run(subject *s)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_kway_run(&s->arena, &s->graph, &s->desc, &s->r, &s->err);
}

static void test_defaults(void)
{
    subject s;
    if (subject_open(&s)) {
        for (s.desc.n_parts = 1u; s.desc.n_parts < 8u; s.desc.n_parts++) { /* the mean rounded up */
            T_EQUAL(run(&s), GSP_OK);
            T_EQUAL(s.r.excess, 0u);
        }
    }
    subject_close(&s);
}

/* Five nodes of 4, two of 1: two parts of 8 leave no room for a, which is first, and z, which is
 * last, but with 9 there is some. The limit is named, works, and is taken on request. */
static void test_best_effort(void)
{
    subject s;
    if (subject_open(&s)) {
        s.desc.weight = s.weight;
        s.desc.n_parts = 3u;
        for (uint32_t v = B; v < Z; v++) {
            s.weight[v] = 4u;
        }
        T_EQUAL(run(&s), GSP_STATUS_NO_FIT);
        T_EQUAL(s.err.what, GSP_WHAT_PART);
        T_EQUAL(s.err.limit, 8u);
        T_EQUAL(s.err.need, 9u);
        s.desc.best_effort = 1u;
        if (T_EQUAL(run(&s), GSP_OK)) {
            T_EQUAL(s.r.excess, 1u);
        }
        s.desc.best_effort = 0u;
        s.desc.imbalance = 125000u; /* 9 of 8 */
        if (T_EQUAL(run(&s), GSP_OK)) {
            T_EQUAL(s.r.excess, 0u);
        }
    }
    subject_close(&s);
}

/* Bisections exceed capacities by less than filling does: their excess is the result. */
static void test_bisected_excess(void)
{
    static const uint32_t begin[] = {0, 0, 1, 2, 5, 9, 14};
    static const gsp_node at[] = {0, 0, 0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4};
    static const uint64_t weight[] = {6u, 1u, 3u, 8u, 1u, 1u};
    static const uint64_t capacity[] = {6u, 5u, 8u};
    gsp_csr_desc rows = {0};
    subject s;
    memset(&s, 0, sizeof(s));
    t_arena_open(&s.arena, 65536u);
    t_arena_open(&s.memory, 65536u);
    rows.n_nodes = T_COUNT_OF(weight);
    rows.begin = begin;
    rows.at = at;
    if (T_EQUAL(gsp_build_csr(&s.memory, &rows, &s.module, &s.err), GSP_OK)) {
        s.graph = gsp_module_graph(&s.module, 0u);
        s.desc.n_parts = 3u;
        s.desc.weight = weight;
        s.desc.capacity = capacity;
        s.desc.seed = 4u;
        s.desc.best_effort = 1u;
        if (T_EQUAL(run(&s), GSP_OK)) {
            uint64_t load[3] = {0u, 0u, 0u};
            T_EQUAL(s.r.excess, 1u);
            for (gsp_node v = 0; v < rows.n_nodes; v++) {
                if (s.r.part_of[v] != GSP_NONE) {
                    load[s.r.part_of[v]] += weight[v];
                }
            }
            for (uint32_t p = 0; p < 3u; p++) {
                T_CHECK(load[p] > 0u && load[p] <= capacity[p] + s.r.excess);
            }
        }
    }
    subject_close(&s);
}

/* More parts than nodes: there is room, but one side always has too few of them. */
static void test_more_parts_than_nodes(void)
{
    static const uint64_t roomy[] = {7u, 7u, 7u, 7u, 7u, 7u, 7u, 7u};
    subject s;
    if (subject_open(&s)) {
        s.desc.n_parts = T_COUNT_OF(roomy);
        s.desc.capacity = roomy;
        T_EQUAL(run(&s), GSP_STATUS_NO_FIT);
        T_EQUAL(s.err.detail, GSP_DETAIL_PARTS_LOAD);
        s.desc.n_parts = 7u;
        T_EQUAL(run(&s), GSP_OK);
    }
    subject_close(&s);
}

/* Up to 3 % above the mean, and no more: the limit has no fraction. */
static void test_default_imbalance(void)
{
    subject s;
    if (subject_open(&s)) {
        for (uint32_t v = A; v < Z; v++) {
            s.pin[v] = 0u;
        }
        s.pin[Z] = 1u;
        s.weight[A] = 1029995u;
        s.weight[Z] = 970000u;
        s.desc.weight = s.weight;
        s.desc.pin = s.pin;
        T_EQUAL(run(&s), GSP_OK);
        s.weight[B]++;
        s.weight[Z]--;
        T_EQUAL(run(&s), GSP_STATUS_NO_FIT);
        T_EQUAL(s.err.detail, GSP_DETAIL_PARTS_LOAD);
    }
    subject_close(&s);
}

static void test_cuts(void)
{
    subject s;
    if (subject_open(&s)) {
        s.desc.imbalance = 200000u; /* 4 of 3.5 */
        if (T_EQUAL(run(&s), GSP_OK)) {
            T_EQUAL(s.r.cut, 1u);
            T_EQUAL(s.r.part_of[X], GSP_NONE);
            T_EQUAL(s.r.part_of[OUT], GSP_NONE);
            T_EQUAL(s.r.part_of[Z], 1u);
            T_EQUAL(s.r.part_of[A], s.r.part_of[C]);
            T_EQUAL(s.r.part_of[P], s.r.part_of[R]);
        }
        s.desc.bytes = 1u; /* b and p are smaller than c */
        if (T_EQUAL(run(&s), GSP_OK)) {
            T_EQUAL(s.r.cut, 24u);
            T_EQUAL(s.r.part_of[C], 1u);
        }
        s.desc.n_parts = 1u;
        if (T_EQUAL(run(&s), GSP_OK)) {
            T_EQUAL(s.r.cut, 0u);
            T_EQUAL(s.r.part_of[Z], 0u);
        }
        s.desc.n_parts = 7u;
        if (T_EQUAL(run(&s), GSP_OK)) {
            T_EQUAL(s.r.cut, 4u * (1u + 2u + 4u + 8u + 16u + 32u));
        }
    }
    subject_close(&s);
}

static void test_limits(void)
{
    subject s;
    if (subject_open(&s)) {
        s.desc.capacity = s.capacity;
        s.capacity[0] = 1u;
        s.capacity[1] = 6u;
        if (T_EQUAL(run(&s), GSP_OK)) {
            T_CHECK(s.r.part_of[A] == 0u || s.r.part_of[P] == 0u);
            T_EQUAL(s.r.cut, 1u);
        }
        s.desc.pin = s.pin;
        s.pin[P] = 0u;
        if (T_EQUAL(run(&s), GSP_OK)) {
            T_EQUAL(s.r.part_of[P], 0u);
            T_EQUAL(s.r.part_of[A], 1u);
        }
        s.desc.weight = s.weight;
        s.weight[P] = 2u;
        s.capacity[1] = 7u;
        T_EQUAL(run(&s), GSP_STATUS_NO_FIT); /* p has no other part */
        T_EQUAL(s.err.detail, GSP_DETAIL_PARTS_LOAD);
        T_EQUAL(s.err.what, GSP_WHAT_PART);
        T_EQUAL(s.err.node, 0u);
        T_EQUAL(gsp_kway_run(&s.arena, &s.graph, &s.desc, &s.r, NULL), GSP_STATUS_NO_FIT);
        s.capacity[1] = 6u;
        T_EQUAL(run(&s), GSP_STATUS_NO_FIT);
        T_EQUAL(s.err.need, 8u);
        T_EQUAL(s.err.limit, 7u);
        T_EQUAL(gsp_kway_run(&s.arena, &s.graph, &s.desc, &s.r, NULL), GSP_STATUS_NO_FIT);
    }
    subject_close(&s);
}

static void test_refusals(void)
{
    subject s;
    if (subject_open(&s)) {
        s.desc.n_parts = 0u;
        T_EQUAL(run(&s), GSP_STATUS_ARG);
        T_EQUAL(s.err.detail, GSP_DETAIL_RANGE);
        T_FIELD(&s.err);
        T_EQUAL(gsp_kway_run(&s.arena, &s.graph, &s.desc, &s.r, NULL), GSP_STATUS_ARG);
        s.desc.n_parts = 8u; /* of 7 nodes */
        T_EQUAL(run(&s), GSP_STATUS_NO_FIT);
        s.desc.n_parts = 2u;
        s.desc.pin = s.pin;
        s.pin[B] = 2u;
        T_EQUAL(run(&s), GSP_STATUS_ARG);
        T_EQUAL(s.err.detail, GSP_DETAIL_RANGE);
        T_FIELD(&s.err);
        T_EQUAL(s.err.node, B);
        s.pin[B] = 1u;
        s.pin[Z] = 0u;
        T_EQUAL(run(&s), GSP_STATUS_CYCLE);
        T_EQUAL(s.err.detail, GSP_DETAIL_PARTS_ORDER);
        T_EQUAL(s.err.node, Z);
        T_EQUAL(s.err.other, C);
        s.pin[Z] = GSP_NONE;
        s.desc.weight = s.weight;
        s.weight[P] = (uint64_t)1u << 60;
        T_EQUAL(run(&s), GSP_STATUS_OVERFLOW);
        T_EQUAL(s.err.node, P);
        s.desc.end_canary = 1u;
        T_EQUAL(run(&s), GSP_STATUS_DESC);
    }
    subject_close(&s);
}

/* Too large for all minimum cuts: nodes that read some of the last 40. */
static void test_large(void)
{
    enum { MANY = 9000, READS = 8 };
    t_string text = {NULL, 0u, 0u};
    t_rng rng = {0x1A46E};
    subject s;
    memset(&s, 0, sizeof(s));
    t_puts(&text, "graph():\n");
    for (uint32_t v = 0; v < MANY; v++) {
        t_puts(&text, "    %n");
        t_number(&text, v);
        t_puts(&text, " : [num_users=1]" CALL "(");
        for (uint32_t i = 0; i < READS && v > 0u; i++) {
            t_puts(&text, "%n");
            t_number(&text, v - 1u - t_below(&rng, v < 40u ? v : 40u));
            t_puts(&text, ", ");
        }
        t_puts(&text, "), kwargs = {})\n");
    }
    t_puts(&text, "    return n8999\n");
    if (t_must_read(&s.memory, text.data, &s.module)) {
        uint64_t cut = 0;
        uint32_t load[2] = {0u, 0u};
        uint32_t back = 0;
        s.graph = gsp_module_graph(&s.module, 0u);
        s.desc.n_parts = 2u;
        s.desc.attempts = 1u;
        s.desc.imbalance = 400000u;
        t_arena_open(&s.arena, gsp_kway_bound(&s.graph, &s.desc));
        if (T_EQUAL(run(&s), GSP_OK)) {
            for (gsp_node v = 0; v < MANY; v++) {
                uint32_t n;
                const gsp_node *const inputs = gsp_node_inputs(&s.graph, v, &n);
                load[s.r.part_of[v]]++;
                for (uint32_t i = 0; i < n; i++) {
                    cut += s.r.part_of[inputs[i]] != s.r.part_of[v];
                    back += s.r.part_of[inputs[i]] > s.r.part_of[v];
                }
            }
            T_EQUAL(s.r.cut, cut);
            T_EQUAL(back, 0u);
            T_CHECK(load[0] <= MANY * 7u / 10u && load[1] <= MANY * 7u / 10u);
            T_CHECK(cut <= 40u * READS);
        }
    }
    t_free(&text);
    subject_close(&s);
}

/* Attempts end where none wins any more: four thousand million give what some thousands do. */
static void test_vain_attempts(void)
{
    subject s;
    if (subject_open(&s)) {
        uint64_t cut = 0;
        s.desc.bytes = 1u;
        s.desc.n_parts = 3u;
        s.desc.attempts = 4000u;
        if (T_EQUAL(run(&s), GSP_OK)) {
            cut = s.r.cut;
        }
        s.desc.attempts = UINT32_MAX;
        if (T_EQUAL(run(&s), GSP_OK)) {
            T_EQUAL(s.r.cut, cut);
        }
    }
    subject_close(&s);
}

/* What little capacities lack is spread over the parts: graphs of few, of more and of many nodes,
 * of which some hold a part that light ones would fit in. */
static void test_beyond_capacity(void)
{
    static const uint32_t sizes[] = {40u, 900u, 9000u};
    static const uint64_t little[] = {15u, 15u};
    for (uint32_t i = 0; i < T_COUNT_OF(sizes); i++) {
        uint32_t const n = sizes[i];
        uint64_t *weight = (uint64_t *)t_alloc((n + 1u) * sizeof(uint64_t));
        t_string text = {NULL, 0u, 0u};
        uint64_t total = 0;
        uint64_t load[2] = {0u, 0u};
        subject s;
        memset(&s, 0, sizeof(s));
        t_puts(&text, "graph():\n");
        for (uint32_t v = 0; v < n; v++) {
            weight[v] = v % 30u == 29u ? 1u : 10u;
            total += weight[v];
            t_puts(&text, "    %n");
            t_number(&text, v);
            t_puts(&text, " : [num_users=0]" CALL "(), kwargs = {})\n");
        }
        weight[n] = 0u;
        t_puts(&text, "    return None\n");
        if (t_must_read(&s.memory, text.data, &s.module)) {
            s.graph = gsp_module_graph(&s.module, 0u);
            s.desc.n_parts = 2u;
            s.desc.attempts = 1u;
            s.desc.weight = weight;
            s.desc.capacity = little;
            t_arena_open(&s.arena, gsp_kway_bound(&s.graph, &s.desc));
            T_EQUAL(run(&s), GSP_STATUS_NO_FIT);
            T_EQUAL(s.err.need, total);
            s.desc.best_effort = 1u;
            if (T_EQUAL(run(&s), GSP_OK)) {
                for (uint32_t v = 0; v < n; v++) {
                    load[s.r.part_of[v]] += weight[v];
                }
                T_CHECK(load[0] <= 15u + s.r.excess && load[1] <= 15u + s.r.excess);
                T_CHECK(2u * (15u + s.r.excess) >= total);
                T_CHECK(2u * (15u + s.r.excess) <= total + 40u + (n > 8000u ? total / 256u : 0u));
            }
        }
        t_free(&text);
        free(weight);
        subject_close(&s);
    }
}

/* Weights beyond 32 bits; and no effort makes up for fewer nodes than parts. */
static void test_extremes(void)
{
    subject s;
    if (subject_open(&s)) {
        s.desc.weight = s.weight;
        s.weight[A] = (uint64_t)1u << 40u;
        if (T_EQUAL(run(&s), GSP_OK)) {
            T_CHECK(s.r.part_of[A] == 0u && s.r.part_of[Z] == 1u);
        }
        s.desc.best_effort = 1u;
        s.desc.n_parts = 8u;
        T_EQUAL(run(&s), GSP_STATUS_NO_FIT);
    }
    subject_close(&s);
}

#ifndef GSP_NO_COST

static gsp_status find_floor(
    subject *s, const gsp_kway_floor_desc *desc, gsp_kway_floor_result *result)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_kway_floor_run(&s->arena, &s->graph, desc, result, &s->err);
}

/* The chains are a tree of seven calls: each part above one cuts an edge, the smallest value of
 * those that are read has four bytes; five parts of four nodes need no more. */
static void test_floor(void)
{
    static const uint64_t four[5] = {4u, 4u, 4u, 4u, 4u};
    static const uint64_t many[6000] = {0u};
    gsp_kway_floor_desc desc = {0};
    gsp_kway_floor_result r;
    subject s;
    if (subject_open(&s)) {
        desc.capacity = four;
        for (desc.n_parts = 2u; desc.n_parts <= 5u; desc.n_parts++) {
            T_EQUAL(find_floor(&s, &desc, &r), GSP_OK);
            T_EQUAL(r.floor, desc.n_parts - 1u);
        }
        desc.n_parts = 6000u; /* so many that choosing the largest takes too long for a flow */
        desc.capacity = many;
        T_EQUAL(find_floor(&s, &desc, &r), GSP_OK);
        T_CHECK(r.floor == 5999u && r.work == 0u);
        desc.n_parts = 1u; /* too few for all nodes */
        desc.capacity = four;
        T_EQUAL(find_floor(&s, &desc, &r), GSP_OK);
        desc.n_parts = 3u;
        desc.bytes = 1u;
        T_EQUAL(find_floor(&s, &desc, &r), GSP_OK);
        T_CHECK(r.floor >= 8u && r.floor <= 68u && r.work != 0u);
        desc.cut = 1u;
        T_EQUAL(find_floor(&s, &desc, &r), GSP_OK);
        T_CHECK(r.floor == 8u && r.work == 0u && r.by_flow == 0u);
        desc.cut = 0u;
        desc.max_work = 100u;
        T_EQUAL(find_floor(&s, &desc, &r), GSP_OK);
        T_CHECK(r.floor == 8u && r.work == 0u && r.by_flow == 0u);
        desc.max_work = 5u * 81u * 9u;
        T_EQUAL(find_floor(&s, &desc, &r), GSP_OK);
        T_CHECK(r.work != 0u && r.work <= desc.max_work);
    }
    subject_close(&s);
}

static void test_floor_refusals(void)
{
    gsp_kway_floor_desc desc = {0};
    gsp_kway_floor_result r;
    subject s;
    if (subject_open(&s)) {
        desc.capacity = s.capacity;
        T_EQUAL(find_floor(&s, &desc, &r), GSP_STATUS_ARG);
        T_CHECK(s.err.detail == GSP_DETAIL_RANGE && strcmp(s.err.field, "n_parts") == 0);
        desc.n_parts = 2u;
        desc.capacity = NULL;
        T_EQUAL(find_floor(&s, &desc, &r), GSP_STATUS_ARG);
        T_CHECK(s.err.detail == GSP_DETAIL_NULL_ARGUMENT && strcmp(s.err.field, "capacity") == 0);
        desc.capacity = s.capacity;
        desc.weight = s.weight;
        s.weight[B] = (uint64_t)1u << 60u;
        T_EQUAL(find_floor(&s, &desc, &r), GSP_STATUS_OVERFLOW);
        T_CHECK(s.err.detail == GSP_DETAIL_SIZE && s.err.node == B);
    }
    subject_close(&s);
}

#endif /* GSP_NO_COST */

void suite_unit_kway(void)
{
    t_run("defaults", test_defaults);
    t_run("best_effort", test_best_effort);
    t_run("bisected_excess", test_bisected_excess);
    t_run("more_parts_than_nodes", test_more_parts_than_nodes);
    t_run("default_imbalance", test_default_imbalance);
    t_run("cuts", test_cuts);
    t_run("limits", test_limits);
    t_run("refusals", test_refusals);
    t_run("large", test_large);
    t_run("vain_attempts", test_vain_attempts);
    t_run("beyond_capacity", test_beyond_capacity);
    t_run("extremes", test_extremes);
#ifndef GSP_NO_COST
    t_run("floor", test_floor);
    t_run("floor_refusals", test_floor_refusals);
#endif
}
