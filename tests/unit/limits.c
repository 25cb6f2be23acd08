/* Limits of accelerator subgraphs: a chain worked out by hand, kinds with limits of their own,
 * what comes after the cuts, work, bad descs. */
#include "examples/extra/graphsplit_limits.h"
#include "tests/t.h"

#define CALL(name, args, note) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args "), kwargs = {})" \
    "  # " note "\n"
#define WEIGHT(name, note) "    %" name " : [num_users=1] = get_attr[target=" name "]  # " note "\n"
#define X                  "graph():\n    %x : [num_users=1] = placeholder[target=x]  # u8[10]\n"

typedef struct limited {
    gsp_arena text;
    gsp_arena arena;
    gsp_module module;
    gsp_graph g;
    gsp_placement placement;
    gsp_split_desc options;
    gsp_limit limits[3];
    gsp_limits_desc desc;
    gsp_limits_result r;
    gsp_split_result split;
    gsp_error err;
} limited;

static int start(limited *s, const char *text, uint32_t accelerators)
{
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, (size_t)1 << 18u);
    if (!t_must_read(&s->text, text, &s->module)) {
        return 0;
    }
    s->g = gsp_module_graph(&s->module, 0u);
    s->options.placement = &s->placement;
    s->desc.split = &s->options;
    s->desc.limits = s->limits;
    if (!T_EQUAL(gsp_support_run(&s->arena, &s->g, NULL, &s->placement, &s->err), GSP_OK)) {
        return 0;
    }
    s->placement.n_kinds = 1u + accelerators;
    return 1;
}

static void stop(limited *s)
{
    t_arena_close(&s->arena);
    t_arena_close(&s->text);
}

/* Runs the pass and then the split. */
static gsp_status run(limited *s)
{
    gsp_split_desc options = s->options;
    gsp_status const status = gsp_limits_run(&s->arena, &s->g, &s->desc, &s->r, &s->err);
    if (status == GSP_OK) {
        options.placement = &s->r.placement;
        options.phase = s->r.phase;
        T_EQUAL(gsp_split_run(&s->arena, &s->g, &options, &s->split, &s->err), GSP_OK);
    }
    return status;
}

/* Subgraphs as "cpu: a b | acc: c". */
static void check_subgraphs(const limited *s, const char *expected)
{
    t_string text = {NULL, 0u, 0u};
    for (uint32_t i = 0; i < s->split.n_subgraphs; i++) {
        t_puts(&text, i == 0u ? "" : " | ");
        t_puts(&text, s->split.subgraph_kind[i] == GSP_KIND_CPU ? "cpu:" : "acc:");
        for (uint32_t k = s->split.subgraph_begin[i]; k < s->split.subgraph_begin[i + 1u]; k++) {
            gsp_str const name = gsp_node_name(&s->g, s->split.nodes[k]);
            t_puts(&text, " ");
            t_add(&text, name.data, name.size);
        }
    }
    T_STRING(text.data, expected);
    t_free(&text);
}

/* Peaks of the nodes are 20, 14, 12, 18 and 11 bytes; b has 30 bytes of parameters, d 5. */
#define CHAIN \
    X WEIGHT("v", "u8[30]") WEIGHT("w", "u8[5]") CALL("a", "%x", "u8[10] acc=1") \
        CALL("b", "%a, %v", "u8[4] acc=1") CALL("c", "%b", "u8[8] acc=1") \
            CALL("d", "%c, %w", "u8[10] acc=1") CALL("e", "%d", "u8[1] acc=1") "    return e\n"

static void test_chain(void)
{
    limited s;
    if (start(&s, CHAIN, 1)) {
        T_EQUAL(run(&s), GSP_OK);
        check_subgraphs(&s, "acc: a b c d e");
        T_CHECK(s.r.proved && s.r.n_acc == 1u && s.r.n_least == 1u && s.r.bytes == 0u);
        s.limits[1].params = 30;
        T_EQUAL(run(&s), GSP_OK);
        check_subgraphs(&s, "acc: a b | acc: c d e"); /* 4 bytes cross, which is least */
        T_CHECK(s.r.proved && s.r.n_acc == 2u && s.r.n_least == 2u && s.r.bytes == 4u);
        s.limits[1].params = 0;
        s.limits[1].bytes = 44;
        T_EQUAL(run(&s), GSP_OK);
        check_subgraphs(&s, "acc: a | acc: b | acc: c d e");
        T_CHECK(s.r.proved && s.r.bytes == 14u && s.r.n_large == 0u);
        s.limits[1].bytes = 43; /* b needs 44 */
        T_EQUAL(run(&s), GSP_OK);
        check_subgraphs(&s, "acc: a | cpu: b | acc: c d e");
        T_EQUAL(s.r.n_large, 1);
        T_EQUAL(s.r.placement.reason[4], GSP_REASON_LARGE);
        T_CHECK(s.r.proved && s.r.n_acc == 2u && s.r.bytes == 0u);
    }
    stop(&s);
}

/* Not a chain: as few subgraphs as the parameters need, but bytes cross. */
static void test_parallel(void)
{
    limited s;
    if (start(&s,
            "graph():\n    %x : [num_users=2] = placeholder[target=x]  # u8[10]\n" WEIGHT(
                "v", "u8[30]") WEIGHT("w", "u8[5]") CALL("a", "%x", "u8[9] acc=1")
                CALL("b", "%x", "u8[9] acc=1") CALL("c", "%a, %b, %v", "u8[8] acc=1")
                    CALL("d", "%c, %w", "u8[9] acc=1") "    return d\n",
            1)) {
        s.limits[1].params = 30;
        T_EQUAL(run(&s), GSP_OK);
        check_subgraphs(&s, "acc: a b c | acc: d");
        T_CHECK(s.r.n_acc == 2u && s.r.n_least == 2u && s.r.bytes == 8u && !s.r.proved);
    }
    stop(&s);
}

static void test_ports(void)
{
    limited s;
    if (start(&s,
            X CALL("a", "%x", "u8[9] acc=1") CALL("b", "%x", "u8[9] acc=1") CALL("c", "%a, %b",
                "u8[9] acc=1") CALL("d", "%b, %c", "u8[9] acc=1") "    return (a, d)\n",
            1)) {
        s.limits[1].outputs = 1;
        T_EQUAL(run(&s), GSP_OK);
        check_subgraphs(&s, "acc: a | acc: b c d");
        T_CHECK(s.r.n_acc == 2u && s.r.n_least == 1u && !s.r.proved && s.r.bytes == 0u);
        s.limits[1].inputs = 1; /* c and d read two values each */
        T_EQUAL(run(&s), GSP_OK);
        check_subgraphs(&s, "acc: a | acc: b | cpu: c d");
        T_EQUAL(s.r.n_large, 2);
        s.limits[1].inputs = 2;
        s.desc.max_work = 1;
        T_EQUAL(run(&s), GSP_STATUS_LIMIT);
        T_EQUAL(s.err.detail, GSP_DETAIL_WORK);
    }
    stop(&s);
}

/* Above max_work, sums of what nodes need decide: a takes 20 bytes of 44 already. */
static void test_work(void)
{
    limited s;
    if (start(&s, CHAIN, 1)) {
        s.limits[1].bytes = 44;
        s.desc.max_work = 1;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(!s.r.proved && s.r.work > 1u);
        T_EQUAL(s.r.n_least, 1);
        check_subgraphs(&s, "acc: a | acc: b | acc: c | acc: d e");
        T_EQUAL(s.r.bytes, 22);
    }
    stop(&s);
}

static void test_kinds(void)
{
    limited s;
    if (start(&s, CHAIN, 2)) {
        s.placement.kind[5] = s.placement.kind[6] = s.placement.kind[7] = 2; /* c, d, e */
        s.limits[0].bytes = 1;                                               /* not read */
        s.limits[2].bytes = 22;                                              /* d needs 23 */
        T_EQUAL(run(&s), GSP_OK);
        check_subgraphs(&s, "acc: a b | acc: c | cpu: d | acc: e");
        T_CHECK(s.r.proved && s.r.n_large == 1u && s.r.bytes == 0u);
    }
    stop(&s);
}

/* Options of the split that apply after the cuts. */
static int refuse(void *user, const gsp_graph *graph, const gsp_subgraph *subgraph)
{
    (void)user;
    (void)graph;
    return subgraph->n_nodes != 1u;
}

static void test_options(void)
{
    limited s;
    if (start(&s, CHAIN, 1)) {
        s.options.min_size = 2;
        s.options.max_size = 2;
        s.options.accept = refuse;
        s.options.limit = 1;
        s.options.max_acc = 1;
        s.options.limit_policy = (uint32_t)GSP_LIMIT_DEMOTE;
        s.limits[1].bytes = 44;
        T_EQUAL(gsp_limits_run(&s.arena, &s.g, &s.desc, &s.r, &s.err), GSP_OK);
        T_EQUAL(s.r.n_acc, 3);
        s.placement.reason = NULL; /* nor culprits, nor groups */
        s.placement.culprit = NULL;
        s.placement.group = NULL;
        T_EQUAL(gsp_limits_run(&s.arena, &s.g, &s.desc, &s.r, &s.err), GSP_OK);
        T_EQUAL(s.r.n_acc, 3);
        T_EQUAL(s.r.placement.reason[3], GSP_REASON_SUPPORTED);
    }
    stop(&s);
}

static void test_sizes(void)
{
    limited s;
    if (start(&s,
            X WEIGHT("v", "u8[18446744073709551615]")
                CALL("a", "%x, %v", "u8[1] acc=1") "    return a\n",
            1)) {
        T_EQUAL(run(&s), GSP_STATUS_OVERFLOW);
        T_EQUAL(s.err.detail, GSP_DETAIL_SIZE);
    }
    stop(&s);
    if (start(&s,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]  # "
            "u8[9300000000000000000]\n" CALL(
                "a", "%x", "u8[9300000000000000000] acc=1") "    return a\n",
            1)) { /* all sizes together */
        T_EQUAL(run(&s), GSP_STATUS_OVERFLOW);
        T_EQUAL(s.err.node, 1);
    }
    stop(&s);
    /* The sum of what nodes need has more than 64 bits, the peak has not. */
    if (start(&s,
            X CALL("a", "%x", "u8[6000000000000000000] acc=1") CALL("b", "%a",
                "u8[6000000000000000000] acc=1") CALL("c", "%b", "u8[1] acc=1") "    return c\n",
            1)) {
        s.limits[1].bytes = UINT64_MAX - 1u;
        T_EQUAL(run(&s), GSP_OK);
        check_subgraphs(&s, "acc: a b c");
    }
    stop(&s);
    if (start(&s,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]  # u8[10]\n    return x\n",
            1)) {
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.proved && s.r.n_subgraphs == 0u && s.r.n_acc == 0u);
    }
    stop(&s);
}

static void test_bad(void)
{
    limited s;
    if (start(&s, CHAIN, 1)) {
        gsp_arena small;
        T_EQUAL(gsp_limits_bound(&s.g, NULL), SIZE_MAX);
        t_arena_open(&small, 64u);
        T_EQUAL(gsp_limits_run(&small, &s.g, &s.desc, &s.r, NULL), GSP_STATUS_NOMEM);
        t_arena_close(&small);
        s.placement.kind[3] = 9;
        T_EQUAL(run(&s), GSP_STATUS_ARG);
        T_EQUAL(s.err.detail, GSP_DETAIL_KIND);
        s.desc.limits = NULL;
        T_EQUAL(run(&s), GSP_STATUS_ARG);
        T_STRING(s.err.field, "limits");
        s.desc.split = NULL;
        T_EQUAL(run(&s), GSP_STATUS_ARG);
        T_STRING(s.err.field, "split");
        T_EQUAL(gsp_limits_bound(&s.g, &s.desc), SIZE_MAX);
    }
    stop(&s);
}

void suite_unit_limits(void)
{
    t_run("chain", test_chain);
    t_run("parallel", test_parallel);
    t_run("ports", test_ports);
    t_run("work", test_work);
    t_run("kinds", test_kinds);
    t_run("options", test_options);
    t_run("sizes", test_sizes);
    t_run("bad", test_bad);
}
