/* The least set of nodes that fails: cases A30 to A36, and every traversal. */
#include "tests/t.h"

#define FN(name, args) \
    "    %" name " : [num_users=1] = call_function[target=" name "](args = (" args \
    "), kwargs = {})\n"

static const char three[] = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n" FN(
    "linear", "%x,") FN("linear2", "%linear,") FN("relu", "%linear2,") "    return relu\n";

/* A test that fails exactly when the set holds all of `all`. */
typedef struct failure {
    uint32_t all; /* node ids as bits */
    uint32_t calls;
    uint32_t stop_at; /* 0 for never */
} failure;

static uint32_t bits_of(const gsp_bitset *set)
{
    uint32_t bits = 0;
    gsp_node v;
    for (v = gsp_bitset_next(set, 0u); v != GSP_NONE; v = gsp_bitset_next(set, v + 1u)) {
        bits |= 1u << v;
    }
    return bits;
}

static int fails(void *user, const gsp_graph *graph, const gsp_bitset *set)
{
    failure *const f = (failure *)user;
    T_EQUAL(set->n, graph->n_nodes);
    if (++f->calls == f->stop_at) {
        return -1;
    }
    return f->all != 0u && (bits_of(set) & f->all) == f->all;
}

/* What is found, as bits. */
static uint32_t found_in(
    const char *text, failure f, const gsp_minimize_desc *options, uint32_t *n_tests)
{
    gsp_arena arena;
    gsp_module module;
    uint32_t bits = 0;
    if (t_must_read(&arena, text, &module)) {
        gsp_graph const graph = gsp_module_graph(&module, 0u);
        gsp_minimize_desc desc = *options;
        gsp_minimize_result result;
        gsp_arena room;
        uint32_t i;
        desc.fails = fails;
        desc.user = &f;
        t_arena_open(&room, gsp_minimize_bound(&graph, &desc));
        if (T_EQUAL(gsp_minimize_run(&room, &graph, &desc, &result, NULL), GSP_OK)) {
            for (i = 0; i < result.n_nodes; i++) {
                bits |= 1u << result.nodes[i];
            }
            T_EQUAL(result.n_tests, f.calls);
            *n_tests = result.n_tests;
        }
        t_arena_close(&room);
    }
    t_arena_close(&arena);
    return bits;
}

static uint32_t traverse(uint32_t all, gsp_traversal traversal, uint32_t find_all)
{
    gsp_minimize_desc desc;
    failure f = {0, 0, 0};
    uint32_t n_tests;
    f.all = all;
    memset(&desc, 0, sizeof(desc));
    desc.traversal = (uint32_t)traversal;
    desc.find_all = find_all;
    return found_in(three, f, &desc, &n_tests);
}

#define LINEAR  2u
#define LINEAR2 4u
#define RELU    8u

/* By blocks, and by the least set: the same here. */
static void finds(uint32_t all)
{
    T_EQUAL(traverse(all, GSP_TRAVERSAL_BLOCK, 0), all);
    T_EQUAL(traverse(all, GSP_TRAVERSAL_LEAST, 0), all);
}

static void test_a30(void)
{
    uint32_t t;
    finds(0u);
    for (t = 0; t < GSP_TRAVERSAL_COUNT; t++) {
        T_EQUAL(traverse(0u, (gsp_traversal)t, 1), 0);
    }
}

static void test_a31(void)
{
    finds(LINEAR | LINEAR2 | RELU);
}

static void test_a32(void)
{
    finds(LINEAR);
}

static void test_a33(void)
{
    finds(RELU);
}

static void test_a34(void)
{
    finds(LINEAR2);
}

static void test_a35(void)
{
    finds(LINEAR2 | RELU);
}

static void test_a36(void)
{
    finds(LINEAR | LINEAR2);
}

static void test_traversals(void)
{
    T_EQUAL(traverse(LINEAR | RELU, GSP_TRAVERSAL_BLOCK, 0), LINEAR | LINEAR2 | RELU);
    T_EQUAL(traverse(LINEAR | RELU, GSP_TRAVERSAL_LEAST, 0), LINEAR | RELU);
    T_EQUAL(traverse(LINEAR2, GSP_TRAVERSAL_SEQUENTIAL, 0), LINEAR2);
    T_EQUAL(traverse(LINEAR | LINEAR2, GSP_TRAVERSAL_SEQUENTIAL, 1), 0);
    T_EQUAL(traverse(RELU, GSP_TRAVERSAL_BINARY, 0), RELU);
    T_EQUAL(traverse(LINEAR | LINEAR2, GSP_TRAVERSAL_BINARY, 0), LINEAR | LINEAR2 | RELU);
    T_EQUAL(traverse(LINEAR2 | RELU, GSP_TRAVERSAL_BINARY, 0), LINEAR2 | RELU);
    T_EQUAL(traverse(LINEAR | LINEAR2, GSP_TRAVERSAL_ACCUMULATE, 0), LINEAR2);
}

/* Every node fails alone: the first, or all. */
static int always(void *user, const gsp_graph *graph, const gsp_bitset *set)
{
    (void)user;
    (void)graph;
    return gsp_bitset_count(set) != 0u;
}

static void test_find_all(void)
{
    static const gsp_traversal traversals[] = {GSP_TRAVERSAL_SEQUENTIAL, GSP_TRAVERSAL_BINARY};
    gsp_arena arena;
    gsp_module module;
    uint32_t i;
    if (t_must_read(&arena, three, &module)) {
        gsp_graph const graph = gsp_module_graph(&module, 0u);
        for (i = 0; i < 2u; i++) {
            gsp_minimize_desc desc;
            gsp_minimize_result result;
            gsp_arena room;
            memset(&desc, 0, sizeof(desc));
            desc.fails = always;
            desc.traversal = (uint32_t)traversals[i];
            t_arena_open(&room, 4096);
            T_EQUAL(gsp_minimize_run(&room, &graph, &desc, &result, NULL), GSP_OK);
            T_EQUAL(result.n_nodes, 1);
            T_EQUAL(result.nodes[0], 1);
            desc.find_all = 1;
            T_EQUAL(gsp_minimize_run(&room, &graph, &desc, &result, NULL), GSP_OK);
            T_EQUAL(result.n_nodes, 3);
            t_arena_close(&room);
        }
    }
    t_arena_close(&arena);
}

/* Groups are tested together; only given nodes are searched. */
static void test_groups(void)
{
    static const uint32_t group[] = {GSP_NONE, 0, GSP_NONE, 0, GSP_NONE};
    static const gsp_node nodes[] = {2, 3};
    gsp_minimize_desc desc;
    failure f = {LINEAR, 0, 0};
    uint32_t n_tests;
    memset(&desc, 0, sizeof(desc));
    desc.group = group;
    desc.traversal = GSP_TRAVERSAL_SEQUENTIAL;
    T_EQUAL(found_in(three, f, &desc, &n_tests), LINEAR | RELU);
    desc.group = NULL;
    desc.nodes = nodes;
    desc.n_nodes = 2;
    T_EQUAL(found_in(three, f, &desc, &n_tests), 0);
    f.all = RELU;
    T_EQUAL(found_in(three, f, &desc, &n_tests), RELU);
    desc.n_nodes = 0;
    T_EQUAL(found_in(three, f, &desc, &n_tests), 0);
    T_EQUAL(n_tests, 0);
}

/* Random sets of 24 nodes: the least set is found exactly, a block is the hull, and the numbers of
 * tests are what is promised. */
static void test_random(void)
{
    t_string text = {NULL, 0u, 0u};
    t_rng rng;
    uint32_t k;
    uint32_t i;
    rng.state = t_seed ^ 0xC01u;
    t_puts(&text, "graph():\n");
    for (i = 0; i < 24u; i++) {
        t_puts(&text, "    %n");
        t_number(&text, i);
        t_puts(&text, " : [num_users=0] = call_function[target=f](args = (), kwargs = {})\n");
    }
    t_puts(&text, "    return None\n");
    for (k = 0; k < (t_fast ? 50u : 500u) && !t_failed(); k++) {
        gsp_minimize_desc desc;
        failure f = {0, 0, 0};
        uint32_t first = 24;
        uint32_t last = 0;
        uint32_t count = 0;
        uint32_t n_tests;
        memset(&desc, 0, sizeof(desc));
        for (i = 0; i < 24u; i++) {
            if (t_chance(&rng, 15)) {
                f.all |= 1u << i;
                first = i < first ? i : first;
                last = i;
                count++;
            }
        }
        desc.traversal = GSP_TRAVERSAL_LEAST;
        T_EQUAL(found_in(text.data, f, &desc, &n_tests), f.all);
        T_CHECK(n_tests <= 1u + 6u * count);
        desc.traversal = GSP_TRAVERSAL_BLOCK;
        T_EQUAL(found_in(text.data, f, &desc, &n_tests),
            count == 0u ? 0u : (2u << last) - (1u << first));
        T_CHECK(n_tests <= 11u);
        desc.traversal = GSP_TRAVERSAL_ACCUMULATE;
        T_EQUAL(found_in(text.data, f, &desc, &n_tests), count == 0u ? 0u : 1u << last);
        desc.traversal = GSP_TRAVERSAL_BINARY;
        desc.find_all = t_below(&rng, 2u);
        i = found_in(text.data, f, &desc, &n_tests);
        T_EQUAL(i & f.all, f.all); /* what is found has failed */
        T_CHECK(n_tests <= 48u);
    }
    t_free(&text);
}

static void test_errors(void)
{
    static const gsp_node placeholder[] = {0};
    static const gsp_node twice[] = {2, 2};
    gsp_arena arena;
    gsp_module module;
    gsp_error err;
    failure f = {RELU, 0, 2};
    if (t_must_read(&arena, three, &module)) {
        gsp_graph const graph = gsp_module_graph(&module, 0u);
        gsp_minimize_desc desc;
        gsp_minimize_result result;
        gsp_arena room;
        memset(&desc, 0, sizeof(desc));
        t_arena_open(&room, 4096);
        T_EQUAL(gsp_minimize_run(&room, &graph, &desc, &result, &err), GSP_STATUS_ARG);
        T_EQUAL(err.detail, GSP_DETAIL_NULL_ARGUMENT);
        T_FIELD(&err);
        desc.fails = fails;
        desc.user = &f;
        T_EQUAL(gsp_minimize_run(&room, &graph, &desc, &result, &err), GSP_STATUS_LIMIT);
        T_EQUAL(err.detail, GSP_DETAIL_STOPPED);
        T_EQUAL(f.calls, 2);
        T_EQUAL(room.low + room.high, 0);
        desc.nodes = placeholder;
        desc.n_nodes = 1;
        T_EQUAL(gsp_minimize_run(&room, &graph, &desc, &result, &err), GSP_STATUS_ARG);
        T_EQUAL(err.detail, GSP_DETAIL_RANGE);
        T_FIELD(&err);
        desc.nodes = twice;
        desc.n_nodes = 2;
        T_EQUAL(gsp_minimize_run(&room, &graph, &desc, &result, &err), GSP_STATUS_ARG);
        T_EQUAL(err.node, 2);
        desc.traversal = GSP_TRAVERSAL_COUNT;
        T_EQUAL(gsp_minimize_run(&room, &graph, &desc, &result, &err), GSP_STATUS_DESC);
        t_arena_close(&room);
    }
    t_arena_close(&arena);
}

/* The tags cut a set out, unless it reads what depends on it. */
static void test_tags(void)
{
    gsp_arena arena;
    gsp_module module;
    if (t_must_read(&arena, three, &module)) {
        gsp_graph const graph = gsp_module_graph(&module, 0u);
        uint32_t words[1];
        uint32_t tags[5];
        gsp_bitset set;
        gsp_bitset_init(&set, words, graph.n_nodes);
        gsp_bitset_set(&set, 2u);
        T_EQUAL(gsp_minimize_tags(&graph, &set, tags), GSP_NONE);
        T_EQUAL(tags[0], GSP_NONE);
        T_EQUAL(tags[1], 0);
        T_EQUAL(tags[2], 1);
        T_EQUAL(tags[3], 2);
        gsp_bitset_clear(&set, 2u);
        gsp_bitset_set(&set, 1u);
        gsp_bitset_set(&set, 3u);
        T_EQUAL(gsp_minimize_tags(&graph, &set, tags), 3);
    }
    t_arena_close(&arena);
}

void suite_unit_minimize(void)
{
    t_run("a30", test_a30);
    t_run("a31", test_a31);
    t_run("a32", test_a32);
    t_run("a33", test_a33);
    t_run("a34", test_a34);
    t_run("a35", test_a35);
    t_run("a36", test_a36);
    t_run("traversals", test_traversals);
    t_run("find_all", test_find_all);
    t_run("groups", test_groups);
    t_run("random", test_random);
    t_run("errors", test_errors);
    t_run("tags", test_tags);
}
