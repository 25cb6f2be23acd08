/* Operators that an accelerator should learn: a chain worked out by hand, goals, work, progress,
 * what a split takes over, bad descs. */
#include "examples/extra/graphsplit_operators.h"
#include "tests/t.h"

#define CALL(name, args) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args "), kwargs = {})" \
    "  # u8[4]\n"
#define X "graph():\n    %x : [num_users=1] = placeholder[target=x]  # u8[4]\n"

enum { A, B, C, N };

typedef struct learning {
    gsp_arena text;
    gsp_arena arena;
    gsp_module module;
    gsp_graph g;
    uint8_t kind[16];
    uint8_t reason[16];
    gsp_node culprit[16];
    uint32_t operator_of[16];
    gsp_placement placement;
    gsp_split_desc split;
    gsp_operators_desc desc;
    gsp_operators_result r;
    gsp_split_result made;
    gsp_error err;
} learning;

/* One letter per callable node: '+' is on the accelerator, '-' stays on the CPU. */
static int start(learning *s, const char *text, const char *nodes)
{
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, (size_t)1 << 16u);
    if (!t_must_read(&s->text, text, &s->module)) {
        return 0;
    }
    s->g = gsp_module_graph(&s->module, 0u);
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        char const c = gsp_node_is_callable(&s->g, v) ? *nodes++ : ' ';
        s->kind[v] = (uint8_t)(c == ' ' ? GSP_KIND_NONE : c == '+' ? 1u : GSP_KIND_CPU);
        s->reason[v] = (uint8_t)(c == '+'   ? GSP_REASON_SUPPORTED
                                 : c == '-' ? GSP_REASON_PINNED
                                            : GSP_REASON_UNSUPPORTED);
        s->culprit[v] = v;
        s->operator_of[v] = c >= 'a' ? (uint32_t)(c - 'a') : GSP_NONE;
    }
    s->placement.n_nodes = s->g.n_nodes;
    s->placement.n_kinds = 2;
    s->placement.kind = s->kind;
    s->placement.reason = s->reason;
    s->split.placement = &s->placement;
    s->desc.split = &s->split;
    s->desc.operator_of = s->operator_of;
    s->desc.n_operators = N;
    return 1;
}

static void stop(learning *s)
{
    t_arena_close(&s->arena);
    t_arena_close(&s->text);
}

static gsp_status run(learning *s)
{
    return gsp_operators_run(&s->arena, &s->g, &s->desc, &s->r, &s->err);
}

/* Operators as "a b". */
static void check_operators(const uint32_t *operators, uint32_t n, const char *expected)
{
    char text[2u * N + 1u] = "";
    for (uint32_t i = 0; i < n; i++) {
        text[2u * i] = (char)('a' + (char)operators[i]);
        text[2u * i + 1u] = i + 1u < n ? ' ' : '\0';
    }
    T_STRING(text, expected);
}

#define CHAIN \
    X CALL("n0", "%x") CALL("n1", "%n0") CALL("n2", "%n1") CALL("n3", "%n2") CALL("n4", "%n3") \
        CALL("n5", "%n4") "    return n5\n"
#define CHAIN_NODES "+a+b+c"

/* The last operator is at the end of the chain, where it cuts least. */
static void test_order(void)
{
    static const uint32_t n_subgraphs[] = {6, 4, 2, 1};
    static const uint32_t n_nodes[] = {3, 4, 5, 6};
    learning s;
    if (start(&s, CHAIN, CHAIN_NODES)) {
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.n, N);
        T_CHECK(s.r.ordered);
        check_operators(s.r.order, N, "a b c");
        T_CHECK(memcmp(s.r.n_subgraphs, n_subgraphs, sizeof(n_subgraphs)) == 0);
        T_CHECK(memcmp(s.r.n_nodes, n_nodes, sizeof(n_nodes)) == 0);
        T_CHECK(s.r.n_least == 0u && s.r.n_greedy == 0u && s.r.proved); /* no goal */
        T_EQUAL(s.r.work, (1u + 1u + 3u + 2u) * (s.g.n_nodes + 1u));
        s.operator_of[2] = GSP_NONE; /* of a */
        T_EQUAL(run(&s), GSP_OK);
        check_operators(s.r.order, s.r.n, "b c");
    }
    stop(&s);
}

static void test_goals(void)
{
    learning s;
    if (start(&s, CHAIN, CHAIN_NODES)) {
        s.desc.max_subgraphs = 4;
        T_EQUAL(run(&s), GSP_OK);
        check_operators(s.r.least, s.r.n_least, "a");
        T_CHECK(s.r.bound == 1u && s.r.proved && s.r.n_greedy == 1u);
        s.desc.max_subgraphs = 1;
        T_EQUAL(run(&s), GSP_OK);
        check_operators(s.r.least, s.r.n_least, "a b c");
        T_CHECK(s.r.bound == 3u && s.r.proved);
        s.desc.max_subgraphs = 0;
        s.desc.min_nodes = 5; /* two of the three */
        T_EQUAL(run(&s), GSP_OK);
        check_operators(s.r.least, s.r.n_least, "a b");
        s.desc.min_nodes = 7; /* that is none of a graph of six */
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_least == GSP_NONE && s.r.n_greedy == GSP_NONE && s.r.proved);
        T_EQUAL(s.r.bound, 4);
    }
    stop(&s);
}

/* Neither a nor b alone joins anything, and c joins most at first: the order takes three. */
static void test_search(void)
{
    learning s;
    if (start(&s,
            X CALL("n0", "%x") CALL("n1", "%n0") CALL("n2", "%n1") CALL("n3", "%n2")
                CALL("n4", "%n3") CALL("n5", "%n4") CALL("n6", "%n5") "    return n6\n",
            "+ab+ab+")) {
        s.desc.max_subgraphs = 1;
        T_EQUAL(run(&s), GSP_OK);
        check_operators(s.r.least, s.r.n_least, s.r.order[0] == A ? "a b" : "b a");
        s.reason[2] = (uint8_t)GSP_REASON_PINNED; /* one node of a stays */
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_least == GSP_NONE && s.r.proved);
        T_EQUAL(s.r.bound, 3);
    }
    stop(&s);
}

/* Out of work: without an order, then within the search. */
static void test_work(void)
{
    learning s;
    if (start(&s, CHAIN, CHAIN_NODES)) {
        s.desc.max_subgraphs = 1;
        s.desc.max_work = 6u * (s.g.n_nodes + 1u) - 1u; /* 3 + 2 + 1 splits make an order */
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(!s.r.ordered && s.r.n_greedy == GSP_NONE);
        check_operators(s.r.order, N, "a b c");
        s.desc.max_work = 1;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_least == GSP_NONE && !s.r.proved && s.r.bound == 1u && !s.r.stopped);
        T_EQUAL(s.r.work, 2u * (s.g.n_nodes + 1u));
        s.desc.max_work = s.g.n_nodes + 1u; /* two sets, since the first ends within it */
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.work, 3u * (s.g.n_nodes + 1u));
        s.desc.max_work = UINT64_MAX;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_least == 3u && s.r.proved);
    }
    stop(&s);
}

static int stop_after(void *user, uint64_t work)
{
    uint32_t *left = (uint32_t *)user;
    T_CHECK(work != 0u);
    return (*left)-- == 0u;
}

static void test_progress(void)
{
    learning s;
    uint32_t left = 1;
    if (start(&s, CHAIN, CHAIN_NODES)) {
        s.desc.progress = stop_after;
        s.desc.progress_user = &left;
        s.desc.max_subgraphs = 2;
        T_EQUAL(run(&s), GSP_OK); /* in the order */
        T_CHECK(s.r.stopped && !s.r.ordered && s.r.n_least == GSP_NONE && !s.r.proved);
        left = 2;
        T_EQUAL(run(&s), GSP_OK); /* in the search: the order has two */
        T_CHECK(s.r.stopped && s.r.ordered && s.r.n_least == 2u && !s.r.proved);
        check_operators(s.r.least, s.r.n_least, "a b");
        left = 1000;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(!s.r.stopped && s.r.n_least == 2u && s.r.proved);
    }
    stop(&s);
}

/* A node that moves is supported, and nobody is its culprit. */
static void test_split(void)
{
    static const uint32_t more[] = {B, B};
    learning s;
    if (start(&s, CHAIN, CHAIN_NODES)) {
        s.placement.culprit = s.culprit;
        s.split.limit = s.split.max_acc = 1; /* not read */
        T_EQUAL(
            gsp_operators_split_run(&s.arena, &s.g, &s.desc, more, 2u, &s.made, &s.err), GSP_OK);
        T_EQUAL(s.made.n_subgraphs, 4);
        T_CHECK(s.made.kind[4] == 1u && s.made.reason[4] == (uint8_t)GSP_REASON_SUPPORTED);
        T_EQUAL(s.made.culprit[4], GSP_NONE);
        T_CHECK(s.made.kind[2] == GSP_KIND_CPU && s.made.culprit[2] == 2u);
        T_EQUAL(s.made.reason[2], GSP_REASON_UNSUPPORTED);
        T_EQUAL(
            gsp_operators_split_run(&s.arena, &s.g, &s.desc, NULL, 0u, &s.made, &s.err), GSP_OK);
        T_EQUAL(s.made.n_subgraphs, 6);
    }
    stop(&s);
}

/* The second of two accelerators learns. */
static void test_kind(void)
{
    static const uint32_t more[] = {A};
    learning s;
    if (start(&s, CHAIN, CHAIN_NODES)) {
        s.placement.n_kinds = 3;
        s.desc.kind = 2;
        s.desc.max_subgraphs = 6;
        T_EQUAL(
            gsp_operators_split_run(&s.arena, &s.g, &s.desc, more, 1u, &s.made, &s.err), GSP_OK);
        T_CHECK(s.made.kind[2] == 2u && s.made.n_subgraphs == 6u);
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_least == 0u && s.r.n_nodes[N] == 6u && s.r.n_subgraphs[N] == 6u);
        s.desc.kind = 3;
        T_EQUAL(run(&s), GSP_STATUS_ARG);
        T_EQUAL(s.err.detail, GSP_DETAIL_KIND);
        T_STRING(s.err.field, "kind");
    }
    stop(&s);
}

/* Phases of the caller fit only some sets. */
static void test_phases(void)
{
    static const uint32_t own[] = {GSP_NONE, 0, 1, 2, 3, 4, 5, GSP_NONE};
    static const uint32_t with_cpu[] = {GSP_NONE, 0, 1, 2, 3, 4, 4, GSP_NONE};
    static const uint32_t together[] = {GSP_NONE, 0, 1, 1, 2, GSP_NONE};
    learning s;
    if (start(&s, CHAIN, CHAIN_NODES)) {
        s.split.phase = own;
        s.desc.max_subgraphs = 5;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_least == GSP_NONE && s.r.proved && s.r.bound == 4u);
        s.kind[5] = GSP_KIND_CPU; /* it stays, beside c */
        s.split.phase = with_cpu;
        s.desc.max_subgraphs = 1;
        s.reason[5] = (uint8_t)GSP_REASON_PINNED;
        T_EQUAL(run(&s), GSP_STATUS_ARG); /* all operators */
        T_EQUAL(s.err.detail, GSP_DETAIL_TAG);
    }
    stop(&s);
    if (start(&s,
            X CALL("n0", "%x") CALL("n1", "%n0") CALL("n2", "%n1")
                CALL("n3", "%n2") "    return n3\n",
            "+ab+")) {
        s.split.phase = together;
        s.desc.max_subgraphs = 1;
        T_EQUAL(run(&s), GSP_STATUS_ARG); /* one of the two, for the order */
        s.desc.max_work = 6;
        T_EQUAL(run(&s), GSP_STATUS_ARG); /* and in the search */
        T_EQUAL(s.arena.low + s.arena.high, 0);
        T_EQUAL(gsp_operators_split_run(
                    &s.arena, &s.g, &s.desc, s.operator_of + 2, 1u, &s.made, &s.err),
            GSP_STATUS_ARG);
        T_EQUAL(s.arena.low + s.arena.high, 0);
    }
    stop(&s);
}

static void test_empty(void)
{
    learning s;
    if (start(&s, X "    return x\n", "")) {
        s.desc.n_operators = 0;
        s.desc.max_subgraphs = 1;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n == 0u && s.r.ordered && s.r.n_subgraphs[0] == 0u && s.r.n_least == 0u);
        s.desc.min_nodes = 1;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_least == GSP_NONE && s.r.proved && s.r.bound == 1u);
    }
    stop(&s);
}

static void test_bad(void)
{
    static const uint32_t none[] = {N};
    learning s;
    gsp_arena small;
    if (start(&s, CHAIN, CHAIN_NODES)) {
        T_EQUAL(gsp_operators_run(NULL, &s.g, &s.desc, &s.r, NULL), GSP_STATUS_ARG);
        t_arena_open(&small, 64u);
        T_EQUAL(gsp_operators_run(&small, &s.g, &s.desc, &s.r, NULL), GSP_STATUS_NOMEM);
        t_arena_close(&small);
        T_EQUAL(gsp_operators_split_run(&s.arena, &s.g, &s.desc, none, 1u, &s.made, &s.err),
            GSP_STATUS_ARG);
        T_EQUAL(s.err.detail, GSP_DETAIL_RANGE);
        T_STRING(s.err.field, "operators");
        s.operator_of[2] = N;
        T_EQUAL(run(&s), GSP_STATUS_ARG);
        T_CHECK(s.err.detail == GSP_DETAIL_RANGE && s.err.node == 2u);
        s.operator_of[2] = A;
        s.kind[3] = 9;
        T_EQUAL(run(&s), GSP_STATUS_ARG); /* the split finds it */
        T_CHECK(s.err.detail == GSP_DETAIL_KIND && s.err.node == 3u);
        s.placement.n_nodes--;
        T_EQUAL(run(&s), GSP_STATUS_ARG);
        T_STRING(s.err.field, "kind");
    }
    stop(&s);
}

void suite_unit_operators(void)
{
    t_run("order", test_order);
    t_run("goals", test_goals);
    t_run("search", test_search);
    t_run("work", test_work);
    t_run("progress", test_progress);
    t_run("split", test_split);
    t_run("kind", test_kind);
    t_run("phases", test_phases);
    t_run("empty", test_empty);
    t_run("bad", test_bad);
}
