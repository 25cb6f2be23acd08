/* Subgraphs and calls: order, map, and what other passes make of them; fingerprints. */
#include "examples/extra/graphsplit_fingerprint.h"
#include "tests/t.h"

typedef struct work {
    gsp_arena arenas[2];
    gsp_module m;
    gsp_graph g;
    gsp_dedup_result r;
    gsp_graph root;
    gsp_error err;
} work;

static int open_work(work *w, const char *text)
{
    memset(w, 0, sizeof(*w));
    if (!t_must_read(&w->arenas[0], text, &w->m)) {
        t_arena_open(&w->arenas[1], 0u);
        return 0;
    }
    w->g = gsp_module_graph(&w->m, 0u);
    t_arena_open(&w->arenas[1], gsp_dedup_bound(&w->g, NULL));
    if (!T_EQUAL(gsp_dedup_run(&w->arenas[1], &w->g, NULL, &w->r, &w->err), GSP_OK)) {
        return 0;
    }
    w->root = gsp_module_graph(&w->r.module, 0u);
    return 1;
}

static void close_work(work *w)
{
    t_arena_close(&w->arenas[1]);
    t_arena_close(&w->arenas[0]);
}

static int open_case(work *w, const char *path)
{
    t_string text = t_read_file(path);
    int const ok = T_CHECK(text.data != NULL) && open_work(w, text.data);
    t_free(&text);
    return ok;
}

static const char *const cases[] = {"tests/cases/dedup/c01.fx", "tests/cases/dedup/c02.fx",
    "tests/cases/dedup/c04.fx", "tests/cases/dedup/c06.fx", "tests/cases/dedup/c14.fx",
    "tests/cases/dedup/c15.fx", "tests/cases/dedup/c16.fx", "tests/cases/dedup/c17.fx",
    "tests/cases/dedup/c18.fx", "tests/cases/dedup/c19.fx", "tests/cases/dedup/c20.fx",
    "tests/cases/dedup/c24.fx", "tests/cases/dedup/c25.fx", "tests/cases/dedup/c27.fx",
    "tests/cases/dedup/c29.fx", "tests/cases/dedup/c30.fx", "tests/cases/dedup/c31.fx"};

/* Nothing but an output. */
static void test_output_alone(void)
{
    work w;
    if (open_work(&w, "graph():\n    return None\n")) {
        T_EQUAL(w.root.n_nodes, 1);
        T_EQUAL(w.r.selection.n_calls, 0);
        T_EQUAL(w.r.map[w.r.map_begin[0]], 0);
    }
    close_work(&w);
}

/* Every input stands before its reader, the output is last, and the map says what is where. */
static void test_order(void)
{
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(cases) && !t_failed(); i++) {
        work w;
        gsp_node v;
        if (open_case(&w, cases[i])) {
            T_EQUAL(gsp_node_op(&w.root, w.root.n_nodes - 1u), GSP_OP_OUTPUT);
            for (v = 0; v < w.root.n_nodes; v++) {
                uint32_t n;
                const gsp_node *const inputs = gsp_node_inputs(&w.root, v, &n);
                while (n-- != 0u) {
                    T_CHECK(inputs[n] < v);
                }
            }
            for (v = 0; v < w.g.n_nodes; v++) {
                uint32_t const *const now = w.r.map_begin + v;
                int const stays = w.r.selection.subgraph_of[v] == GSP_NONE;
                T_CHECK(!stays || now[1] - now[0] == 1u);
                T_CHECK(
                    !stays || v + 1u == w.g.n_nodes ||
                    gsp_str_equal(gsp_node_name(&w.root, w.r.map[now[0]]), gsp_node_name(&w.g, v)));
            }
        }
        close_work(&w);
    }
}

/* A result has nothing left of two nodes or more that repeats with the same wiring. */
static void test_calls(void)
{
    work w;
    uint32_t s;
    if (open_case(&w, "tests/cases/dedup/c16.fx")) {
        const gsp_dedup_selection *const a = &w.r.selection;
        T_EQUAL(a->n_subgraphs, 2);
        T_EQUAL(a->n_calls, 5);
        for (s = 0; s < a->n_calls; s++) {
            uint32_t n;
            const gsp_arg *const args = gsp_node_args(&w.root, w.r.call[s], &n);
            T_TEXT(gsp_node_target(&w.root, w.r.call[s]), "torch.ops.higher_order.invoke_subgraph");
            T_CHECK(n >= 3u);
            T_EQUAL(gsp_node_op(&w.root, args[0].value), GSP_OP_GET_ATTR);
            T_TEXT(gsp_module_str(&w.r.module, args[1].value),
                s < a->call_begin[1] ? "subgraph_0" : "subgraph_1");
        }
    }
    close_work(&w);
}

#define ADDS \
    "    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n" \
    "    %y : [num_users=1] = placeholder[target=y]  # f32[4]\n"
#define SUMS \
    "    %add_1 : [num_users=1] = call_function[target=add](args = (%y, 2), kwargs = {})\n" \
    "    %sum_1 : [num_users=1] = call_method[target=sum](args = (%add,), kwargs = {})\n" \
    "    %sum_2 : [num_users=1] = call_method[target=sum](args = (%add_1,), kwargs = {})\n" \
    "    %add_2 : [num_users=1] = call_function[target=add](args = (%sum_1, %sum_2), " \
    "kwargs = {})\n" \
    "    return add_2\n"

/* A node that reads one behind it never becomes a graph: the reader names line and column. */
static void test_no_cycle_gets_in(void)
{
    static const char *const bad[] = {
        "graph():\n" ADDS "    %add : [num_users=1] = call_function[target=add](args = (%x, "
        "%add_2), kwargs = {})\n" SUMS,
        "graph():\n" ADDS "    %add : [num_users=1] = call_function[target=add](args = (%x, %add), "
        "kwargs = {})\n" SUMS};
    static const size_t column[] = {66u, 66u};
    work w;
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(bad); i++) {
        gsp_arena arena;
        gsp_module m;
        gsp_error err;
        T_EQUAL(t_read(&arena, bad[i], strlen(bad[i]), &m, &err), GSP_STATUS_PARSE);
        T_EQUAL(err.line, 4);
        T_EQUAL(err.column, column[i]);
        t_arena_close(&arena);
    }
    if (open_work(&w, "graph():\n" ADDS
                      "    %add : [num_users=1] = call_function[target=add](args = (%x, 1), "
                      "kwargs = {})\n" SUMS)) {
        T_EQUAL(w.r.selection.n_calls, 0);
        T_EQUAL(w.root.n_nodes, w.g.n_nodes);
    }
    close_work(&w);
}

/* The regions of a case that became calls: the last nodes of each. */
static void check_calls(const char *path, const char *const *ends, uint32_t n)
{
    work w;
    uint32_t i;
    if (open_case(&w, path) && T_EQUAL(w.r.selection.n_calls, n)) {
        for (i = 0; i < n; i++) {
            T_EQUAL(w.r.selection.call_of[gsp_graph_find(&w.g, gsp_str_of(ends[i]))], i);
        }
    }
    close_work(&w);
}

/* Two calls that would wait for each other, by waits alone or by an argument and a wait: the second
 * is not made; nor is one that would wait for a node that waits for it. */
static void test_calls_that_wait(void)
{
    static const char *const ends[] = {"b0", "b2"};
    check_calls("tests/cases/dedup/c24.fx", ends, T_COUNT_OF(ends));
    check_calls("tests/cases/dedup/c25.fx", ends, T_COUNT_OF(ends));
}

/* A stored result whose first call was made to read the last sum: opening it names both; where it
 * is trusted, the sort finds that not all can come out. */
static void test_call_in_a_circle(void)
{
    work w;
    if (open_case(&w, "tests/cases/dedup/c19.fx")) {
        const gsp_module *const m = &w.r.module;
        const unsigned char *const block = (const unsigned char *)m->block;
        unsigned char *const copy = (unsigned char *)t_alloc(m->block_size);
        gsp_node const call = w.r.call[0];
        gsp_node const last = gsp_graph_find(&w.root, gsp_str_of("add_4"));
        gsp_node const x = gsp_graph_find(&w.root, gsp_str_of("l_x_"));
        uint32_t n;
        const gsp_node *inputs = gsp_node_inputs(&w.root, call, &n);
        const gsp_arg *args = gsp_node_args(&w.root, call, &n);
        gsp_module damaged;
        gsp_graph g;
        gsp_arena arena;
        gsp_dedup_result r;
        gsp_error err;
        memcpy(copy, block, m->block_size);
        while (*inputs != x) {
            inputs++;
        }
        while (args->kind != GSP_ARG_NODE || args->value != x) {
            args++;
        }
        memcpy(copy + ((const unsigned char *)inputs - block), &last, sizeof(last));
        memcpy(copy + ((const unsigned char *)&args->value - block), &last, sizeof(last));
        T_EQUAL(gsp_module_open(&damaged, copy, m->block_size, 0, &err), GSP_STATUS_CYCLE);
        T_EQUAL(err.detail, GSP_DETAIL_NAME_LATER);
        T_EQUAL(err.node, call);
        T_EQUAL(err.other, last);
        T_EQUAL(gsp_module_open(&damaged, copy, m->block_size, 1, &err), GSP_OK);
        g = gsp_module_graph(&damaged, 0u);
        t_arena_open(&arena, gsp_dedup_bound(&g, NULL));
        T_EQUAL(gsp_dedup_run(&arena, &g, NULL, &r, &err), GSP_STATUS_DAMAGED);
        T_EQUAL(err.detail, GSP_DETAIL_ROWS);
        T_CHECK(arena.low == 0u && arena.high == 0u);
        t_arena_close(&arena);
        free(copy);
    }
    close_work(&w);
}

/* Waits never make one: what waits stands behind, in every graph that there is. */
static void test_waits_go_forward(void)
{
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(cases) && !t_failed(); i++) {
        work w;
        if (open_case(&w, cases[i])) {
            const gsp_dependences *const e = &w.r.regions.dependences;
            gsp_node v;
            uint32_t k;
            for (v = 0; v < w.g.n_nodes; v++) {
                for (k = e->dependent_begin[v]; k < e->dependent_begin[v + 1u]; k++) {
                    T_CHECK(e->dependents[k] > v && e->dependents[k] + 1u < w.g.n_nodes);
                }
            }
        }
        close_work(&w);
    }
}

/* The last node keeps its name, though a call wants it. */
static void test_name_of_the_last(void)
{
    static const char text[] =
        "graph():\n" ADDS
        "    %add : [num_users=1] = call_function[target=add](args = (%x, 2), kwargs = {})\n"
        "    %add_1 : [num_users=1] = call_function[target=add](args = (%y, 2), kwargs = {})\n"
        "    %sum_1 : [num_users=1] = call_method[target=sum](args = (%add,), kwargs = {})\n"
        "    %sum_2 : [num_users=1] = call_method[target=sum](args = (%add_1,), kwargs = {})\n"
        "    %invoke_subgraph : [num_users=1] = call_function[target=mul](args = (%sum_1, "
        "%sum_2), kwargs = {})\n    return invoke_subgraph\n";
    work w;
    if (open_work(&w, text)) {
        T_CHECK(w.r.selection.n_calls == 2u);
        T_TEXT(gsp_node_name(&w.root, w.root.n_nodes - 2u), "invoke_subgraph");
        T_TEXT(gsp_node_name(&w.root, w.r.call[0]), "invoke_subgraph_1");
    }
    close_work(&w);
}

/* The whole of what repeats is one call: the same program as before under a new name. */
static void test_again(void)
{
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(cases) && !t_failed(); i++) {
        work w;
        if (open_case(&w, cases[i])) {
            gsp_arena arena;
            gsp_dedup_result again;
            t_arena_open(&arena, gsp_dedup_bound(&w.root, NULL));
            T_EQUAL(gsp_dedup_run(&arena, &w.root, NULL, &again, NULL), GSP_OK);
            T_CHECK(again.selection.n_subgraphs == 0u ||
                    again.module.counts.graphs > w.r.module.counts.graphs);
            t_arena_close(&arena);
        }
        close_work(&w);
    }
}

/* Regions that cannot be one graph: other wiring inside, no inputs, arguments in another order,
 * only calls of a graph. `more` follows the graph. */
static void count_calls(const char *text, uint32_t n_calls, int line)
{
    work w;
    if (open_work(&w, text)) {
        t_check_equal(w.r.selection.n_calls, n_calls, __FILE__, line, text);
    }
    close_work(&w);
}
#define NODE(name, target, args, kwargs) \
    "    %" name " : [num_users=1] = call_function[target=" target "](args = (" args "), " \
    "kwargs = {" kwargs "})  # f32[4]\n"
#define IN4(name) "    %" name " : [num_users=1] = placeholder[target=" name "]  # f32[4]\n"
#define XY        "graph():\n" IN4("x") IN4("y")

static void test_wiring(void)
{
    count_calls(XY NODE("a", "g", "%x,", "") NODE("b", "g", "%x,", "") NODE("c", "f", "%a, %b", "")
                    NODE("d", "g", "%y,", "") NODE("e", "g", "%y,", "")
                        NODE("h", "f", "%d, %e", "") "    return (c, h)\n",
        2u, __LINE__);
    count_calls(XY NODE("a", "g", "%x,", "") NODE("b", "g", "%a,", "") NODE("c", "f", "%a, %b", "")
                    NODE("d", "g", "%y,", "") NODE("e", "g", "%d,", "")
                        NODE("h", "f", "%e, %d", "") "    return (c, h)\n",
        0u, __LINE__);
    count_calls(XY NODE("a", "g", "%x,", "") NODE("b", "g", "%x,", "") NODE(
                    "c", "f", "%a, %b, %a", "") NODE("d", "g", "%y,", "") NODE("e", "g", "%y,", "")
                    NODE("h", "f", "%d, %e, %e", "") "    return (c, h)\n",
        0u, __LINE__);
    count_calls(XY NODE("a", "g", "%x,", "") NODE("c", "f", "%x,", "k: %a, m: 1") NODE(
                    "d", "g", "%y,", "") NODE("h", "f", "%y,", "m: 1, k: %d") "    return (c, h)\n",
        0u, __LINE__);
    count_calls("graph():\n" NODE("a", "rand", "", "") NODE("b", "g", "%a,", "")
                    NODE("c", "rand", "", "") NODE("d", "g", "%c,", "") "    return (b, d)\n",
        0u, __LINE__);
    count_calls("module main\n" XY NODE("a", "rand", "", "") NODE("b", "g", "%a, %x", "")
                    NODE("c", "g", "1,", "") NODE("d", "g", "%c, %y",
                        "") "    %h : [num_users=2] = get_attr[target=sub]\n" NODE("i",
                        "torch.ops.higher_order.invoke_subgraph", "%h, 'sub', %b",
                        "") NODE("j", "torch.ops.higher_order.invoke_subgraph", "%h, 'sub', %d",
                        "") "    return (i, j)\nmodule sub\ngraph():\n" IN4("p") "    return p\n",
        2u, __LINE__);
}

#define NOTED(name, target, args, note) \
    "    %" name " : [num_users=1] = call_function[target=" target "](args = (" args "), " \
    "kwargs = {})  # " note "\n"
#define GETITEM "operator.getitem"
#define OF2     "tuple(f32[4], f32[4])"
#define OF4     "tuple(f32[4], f32[4], f32[4], f32[4])"

/* Rows have the order of the first region, which cannot be replaced: it reads x and a view of x. In
 * the others a node would read a later one. */
static void test_rows_in_order(void)
{
    count_calls(XY IN4("z") NOTED("v", "view", "%x,", "f32[4] alias=0") NODE("s", "f", "%x,", "")
                    NODE("t", "f", "%v,", "") NODE("r", "g", "%s, %t", "") NODE("t1", "f", "%y,",
                        "") NODE("s1", "f", "%t1,", "") NODE("r1", "g", "%s1, %t1", "")
                        NODE("t2", "f", "%z,", "") NODE("s2", "f", "%t2,", "")
                            NODE("r2", "g", "%s2, %t2", "") "    return (r, r1, r2)\n",
        0u, __LINE__);
}

/* An element that is a view of its whole aggregate: of the regions that read such an element of a
 * call, those that read a view of it too are not replaced, those that read another element are. */
static void test_views_of_elements(void)
{
#define ELEMENTS(t0, t1) \
    XY NODE("z0", "mul", "%x, %y", "") NODE("w0", "k", "%z0,", "") NODE("z1", "mul", "%y, %x", "") \
        NODE("w1", "k", "%z1,", "") NODE("a0", "f", "%x,", "") NOTED("p0", "g", "%a0,", OF4) \
            NODE("a1", "f", "%y,", "") NOTED("p1", "g", "%a1,", OF4) \
                NOTED("e0", GETITEM, "%p0, 0", "f32[4] alias=0") \
                    NOTED("e1", GETITEM, "%p1, 1", "f32[4] alias=0") \
                        t0 t1 NODE("z2", "mul", "%t0, %e0", "") NODE("w2", "k", "%z2,", "") \
                            NODE("z3", "mul", "%t1, %e1", "") \
                                NODE("w3", "k", "%z3,", "") "    return (w0, w1, w2, w3)\n"
    count_calls(ELEMENTS(NOTED("t0", "view", "%e0,", "f32[4] alias=0"),
                    NOTED("t1", "narrow", "%e1,", "f32[4] alias=0")),
        4u, __LINE__);
    count_calls(
        ELEMENTS(NOTED("t0", "view", "%e0,", "f32[4]"), NOTED("t1", "narrow", "%e1,", "f32[4]")),
        6u, __LINE__);
    count_calls(ELEMENTS(NOTED("t0", GETITEM, "%p0, 2", "f32[4] alias=0"),
                    NOTED("t1", GETITEM, "%p1, 3", "f32[4] alias=0")),
        6u, __LINE__);
}

/* s reads an empty aggregate of its region, s1 that of a call, which is no value at all. */
static void test_empty_aggregates(void)
{
    count_calls(XY NOTED("e", "mk", "%x,", "tuple()") NODE("s", "f", "%e,", "") NODE("r", "k",
                    "%s, %e", "") NODE("q1", "g", "%x,", "") NOTED("m1", "mk2", "%q1,", "tuple()")
                    NODE("q2", "g", "%y,", "") NOTED("m2", "mk2", "%q2,", "tuple()")
                        NOTED("e1", "mk", "%y,", "tuple()") NODE("s1", "f", "%m1,", "")
                            NODE("r1", "k", "%s1, %e1", "") "    return (r, r1, m2)\n",
        2u, __LINE__);
}

/* An element of a call is read after another element is written: it comes with the call all the
 * same, and the write waits for the element that it reads. */
static void test_written_elements(void)
{
    work w;
    uint32_t n;
    if (open_work(&w, XY NODE("a", "f", "%x,", "") NOTED("p", "g", "%a,", OF2) NODE("b", "f", "%y,",
                          "") NOTED("q", "g", "%b,", OF2) NOTED("e", GETITEM, "%p, 0", "f32[4]")
                          NOTED("z", "zero_", "%e,", "none mutates=0")
                              NOTED("v", GETITEM, "%p, 1", "f32[4]") "    return (v, e, q)\n") &&
        T_EQUAL(w.r.selection.n_calls, 2)) {
        uint32_t const *const e = w.r.map_begin + gsp_graph_find(&w.g, gsp_str_of("e"));
        uint32_t const *const v = w.r.map_begin + gsp_graph_find(&w.g, gsp_str_of("v"));
        T_EQUAL(e[1] - e[0], 1);
        T_EQUAL(v[1] - v[0], 1);
        T_CHECK(w.r.map[e[0]] < gsp_graph_find(&w.root, gsp_str_of("z")));
        T_EQUAL(*gsp_node_inputs(&w.root, w.r.map[v[0]], &n), w.r.call[0]);
        T_EQUAL(n, 1);
    }
    close_work(&w);
}

/* Aggregates that are views do not leave. */
static void test_views(void)
{
#define ROW(a, t, u, v, x, of_t, of_u) \
    NODE(a, "g", "%" x ",", "") \
    "    %" t " : [num_users=1] = call_function[target=f](args = (%" a ",), kwargs = {})  # " \
    "tuple(f32[1], f32[2])" of_t "\n    %" u " : [num_users=1] = call_function[target=" \
    "operator.getitem](args = (%" t ", 0), kwargs = {})  # f32[1]" of_u "\n    %" v \
    " : [num_users=1] = call_function[target=operator.getitem](args = (%" t \
    ", 1), kwargs = {})  # f32[2]\n"
    count_calls(XY ROW("a", "t", "u", "v", "x", " alias=0", "") ROW("a1", "t1", "u1", "v1", "y",
                    " alias=0", "") "    return (t, u, v, t1, u1, v1)\n",
        0u, __LINE__);
}

/* Elements of a list that a call returns are inputs of another subgraph: they share no memory. */
static void test_elements(void)
{
#define CALL(name, target, args, type) \
    "    %" name " : [num_users=1] = call_function[target=" target "](args = (" args "), " \
    "kwargs = {})" type "\n"
#define LIST(name, target, arg) CALL(name, target, "%" arg ",", "  # list(f32[4], f32[4])")
#define W(name)                 CALL(name, "f", "%w,", "  # f32[4]")
#define PAIR(name, a, b)        CALL(name, "z", "%" a ", %" b ", [%" b "]", "")
    static const char text[] = "graph():\n" IN4("x") IN4("w") LIST("a", "h", "x") W("b")
        PAIR("c", "a", "b") CALL("d", "z", "%a, %c", "") LIST("e", "h", "b") W("f")
            PAIR("g", "e", "f") LIST("i", "h", "e") W("j") PAIR("k", "i", "j") LIST("l", "h", "w")
                LIST("m", "q", "l") LIST("n", "h", "l") W("o")
                    PAIR("p", "n", "o") "    return (b, g, l, m, p)\n";
    count_calls(text, 5u, __LINE__);
#undef CALL
#undef LIST
#undef W
#undef PAIR
}

/* A run with given regions, in new memory. */
static gsp_status run_given(work *w, const gsp_regions *given, gsp_dedup_result *r)
{
    gsp_dedup_desc d;
    memset(&d, 0, sizeof(d));
    d.given = given;
    t_arena_close(&w->arenas[1]);
    t_arena_open(&w->arenas[1], gsp_dedup_bound(&w->g, &d));
    return gsp_dedup_run(&w->arenas[1], &w->g, &d, r, &w->err);
}

/* Regions from elsewhere, where those that grow from the end differ in what they read. */
static void test_given(void)
{
    static const char text[] = XY NODE("a", "g", "%x,", "") NODE("b", "f", "%a,", "")
        NODE("c", "h", "%b, %x", "") NODE("d", "g", "%c,", "") NODE("e", "f", "%d,", "")
            NODE("k", "h", "%e, %x", "") "    return k\n";
    gsp_node members[] = {2, 5, 3, 6};
    uint32_t begin[] = {0, 4};
    uint32_t regions[] = {2};
    gsp_regions given;
    gsp_dedup_result r;
    work w;
    memset(&given, 0, sizeof(given));
    given.n_groups = 1;
    given.group_begin = begin;
    given.group_regions = regions;
    given.members = members;
    if (open_work(&w, text)) {
        T_EQUAL(w.r.selection.n_calls, 0); /* x and x differ from c and x */
        if (T_EQUAL(run_given(&w, &given, &r), GSP_OK)) {
            T_EQUAL(r.selection.n_calls, 2);
            T_CHECK(r.selection.call_of[2] == 0u && r.selection.call_of[3] == 0u);
            T_CHECK(r.selection.call_of[5] == 1u && r.selection.call_of[6] == 1u);
        }
        given.n_groups = 0;
        T_EQUAL(run_given(&w, &given, &r), GSP_OK);
        T_EQUAL(r.regions.n_groups, 0);
    }
    close_work(&w);
}

/* Regions that are no table of identical nodes are refused. */
static void test_given_wrong(void)
{
    static const char text[] = XY NODE("a", "g", "%x,", "") NODE("b", "f", "%a,", "")
        NODE("c", "g", "%b,", "") "    %w : [num_users=0] = call_function[target=k](args = (%y,), "
                                  "kwargs = {})  # none barrier=1\n" NODE("d", "g", "%c,", "")
                                      NODE("e", "f", "%d,", "") "    return e\n";
    static const struct {
        uint32_t n_groups;
        uint32_t regions;
        uint32_t end;
        gsp_node members[4];
    } rows[] = {
        {5, 2, 4, {2, 6, 3, 7}}, /* more groups than pairs of nodes */
        {1, 1, 4, {2, 6, 3, 7}}, /* one region */
        {1, 2, 2, {2, 6, 3, 7}}, /* one row */
        {1, 2, 3, {2, 6, 3, 7}}, /* less than two rows */
        {1, 2, 5, {2, 6, 3, 7}}, /* no whole rows */
        {1, 3, 4, {2, 6, 3, 7}}, {1, 2, 0, {2, 6, 3, 7}},
        {1, 2, 28, {2, 6, 3, 7}},                         /* more members than there can be */
        {1, 2, 4, {2, 9, 3, 7}}, {1, 2, 4, {2, 6, 3, 4}}, /* not identical */
        {1, 2, 4, {2, 5, 3, 7}},                          /* identical to none */
        {1, 2, 4, {0, 1, 3, 7}},                          /* placeholders */
        {1, 2, 4, {2, 4, 3, 7}},                          /* across the barrier */
        {1, 2, 4, {2, 6, 2, 6}},                          /* twice in a region */
    };
    gsp_dedup_result r;
    work w;
    if (open_work(&w, text)) {
        for (uint32_t i = 0; i < T_COUNT_OF(rows); i++) {
            gsp_node members[4];
            uint32_t begin[2] = {0, 0};
            uint32_t regions = rows[i].regions;
            gsp_regions given;
            memcpy(members, rows[i].members, sizeof(members));
            memset(&given, 0, sizeof(given));
            begin[1] = rows[i].end;
            given.n_groups = rows[i].n_groups;
            given.group_begin = begin;
            given.group_regions = &regions;
            given.members = members;
            T_EQUAL(run_given(&w, &given, &r), GSP_STATUS_ARG);
            T_EQUAL(w.err.detail, GSP_DETAIL_RANGE);
        }
    }
    close_work(&w);
}

/* Nodes that read many others, and a module that has a subgraph_0. */
static void test_dense(void)
{
    t_string text = {NULL, 0u, 0u};
    t_puts(&text, "module main\n" XY);
    for (uint32_t k = 0; k < 24u; k++) {
        t_puts(&text, k < 12u ? "    %a" : "    %b");
        t_number(&text, k % 12u);
        t_puts(&text, " : [num_users=1] = call_function[target=g](args = (");
        for (uint32_t i = 0; i < k % 12u; i++) {
            t_puts(&text, k < 12u ? "%a" : "%b");
            t_number(&text, i);
            t_puts(&text, ", ");
        }
        t_puts(&text, k < 12u ? "%x,), kwargs = {})\n" : "%y,), kwargs = {})\n");
    }
    t_puts(&text,
        "    %s : [num_users=1] = call_module[target=subgraph_0](args = (%b11,), kwargs = "
        "{})\n    return (a11, s)\nmodule subgraph_0\ngraph():\n" IN4("p") "    return p\n");
    count_calls(text.data, 2u, __LINE__);
    t_free(&text);
}

/* With little work allowed deduplication is refused or the same, the selection too. */
static void test_select_work(void)
{
    uint32_t late = 0u; /* refusals after the regions were found */
    for (uint32_t i = 0; i < T_COUNT_OF(cases) && !t_failed(); i++) {
        work w;
        if (open_case(&w, cases[i])) {
            gsp_dedup_desc d;
            gsp_dedup_result r;
            gsp_arena arena;
            uint64_t const regions = w.r.regions.work;
            uint64_t const most = w.r.selection.work > regions ? w.r.selection.work : regions;
            memset(&d, 0, sizeof(d));
            t_arena_open(&arena, gsp_dedup_bound(&w.g, &d));
            for (d.max_work = 1u; d.max_work <= most; d.max_work++) {
                gsp_status const status = gsp_dedup_run(&arena, &w.g, &d, &r, &w.err);
                T_EQUAL(status == GSP_OK, d.max_work == most);
                if (status == GSP_OK) {
                    T_EQUAL(r.selection.n_calls, w.r.selection.n_calls);
                    T_EQUAL(r.selection.work, w.r.selection.work);
                } else {
                    late += d.max_work >= regions;
                    T_EQUAL(status, GSP_STATUS_LIMIT);
                    T_CHECK(w.err.detail == GSP_DETAIL_WORK && w.err.need > w.err.limit);
                }
                gsp_arena_init(&arena, arena.base, arena.size);
            }
            t_arena_close(&arena);
        }
        close_work(&w);
    }
    T_CHECK(late > 0u);
}

/* A call of a graph alone is not worth another call, a call and what reads it is. */
static void test_called_regions(void)
{
    static const char head[] = "module main\ngraph():\n"
                               "    %x : [num_users=2] = placeholder[target=x]  # f32[4]\n";
    static const char body[] =
        "module s\ngraph():\n    %p : [num_users=1] = placeholder[target=p]\n"
        "    return (p,)\n";
    static const char *const reader[] = {"operator.getitem](args = (%", "f](args = (%"};
    uint32_t n;
    for (n = 0; n < 2u; n++) {
        work w;
        t_string text = {NULL, 0u, 0u};
        uint32_t i;
        t_puts(&text, head);
        for (i = 0; i < 2u; i++) {
            const char *const call = i == 0u ? "a" : "b";
            t_puts(&text, "    %");
            t_puts(&text, call);
            t_puts(&text, " : [num_users=1] = call_module[target=s](args = (%x,), kwargs = {})  # "
                          "tuple(f32[4])\n    %of_");
            t_puts(&text, call);
            t_puts(&text, " : [num_users=1] = call_function[target=");
            t_puts(&text, reader[n]);
            t_puts(&text, call);
            t_puts(&text, ", 0), kwargs = {})  # f32[4]\n");
        }
        t_puts(&text, "    return (of_a, of_b)\n");
        t_puts(&text, body);
        if (open_work(&w, text.data)) {
            T_EQUAL(w.r.selection.n_subgraphs, n);
        }
        close_work(&w);
        t_free(&text);
    }
}

/* ---- fingerprints ---- */

/* A module of two graphs `a` and `b` that the root calls; 1 when their fingerprints are equal. */
static int equal_prints(const char *a, const char *b, const char *more)
{
    t_string text = {NULL, 0u, 0u};
    gsp_arena arenas[2];
    gsp_module m;
    gsp_fingerprints_result prints;
    int equal = 0;
    t_puts(&text, "module main\ngraph():\n    %x : [num_users=2] = placeholder[target=x]\n"
                  "    %p : [num_users=1] = call_module[target=a](args = (%x,), kwargs = {})\n"
                  "    %q : [num_users=1] = call_module[target=b](args = (%x,), kwargs = {})\n"
                  "    return (p, q)\nmodule a\ngraph():\n");
    t_puts(&text, a);
    t_puts(&text, "module b\ngraph():\n");
    t_puts(&text, b);
    t_puts(&text, more);
    if (t_must_read(&arenas[0], text.data, &m)) {
        t_arena_open(&arenas[1], gsp_fingerprints_bound(&m));
        if (T_EQUAL(gsp_fingerprints_run(&arenas[1], &m, &prints, NULL), GSP_OK)) {
            equal = memcmp(&prints.prints[1], &prints.prints[2], sizeof(*prints.prints)) == 0;
        }
        t_arena_close(&arenas[1]);
    }
    t_arena_close(&arenas[0]);
    t_free(&text);
    return equal;
}

#define IN(name) "    %" name " : [num_users=1] = placeholder[target=" name "]  # f32[4]\n"
#define ONE(name, call, args, note) \
    "    %" name " : [num_users=1] = " call "(args = (" args "), kwargs = {})  # " note "\n" \
    "    return " name "\n"

static void test_prints(void)
{
    static const char fx[] = IN("x") ONE("f", "call_function[target=f]", "%x, 1", "f32[4]");
    static const struct {
        const char *other;
        int equal;
    } rows[] = {
        {IN("z") ONE("g", "call_function[target=f]", "%z, 1", "f32[4]"), 1},
        {IN("x") ONE("f", "call_function[target=f]", "%x, 1", "f32[4] key=7 mem=2 scope=a.b"), 1},
        {IN("x") ONE("f", "call_function[target=g]", "%x, 1", "f32[4]"), 0},
        {IN("x") ONE("f", "call_method[target=f]", "%x, 1", "f32[4]"), 0},
        {IN("x") ONE("f", "call_function[target=f]", "%x, 2", "f32[4]"), 0},
        {IN("x") ONE("f", "call_function[target=f]", "[%x, 1]", "f32[4]"), 0},
        {IN("x") ONE("f", "call_function[target=f]", "%x, 1", "f32[5]"), 0},
        {IN("x") ONE("f", "call_function[target=f]", "%x, 1", "f32[4] mutates=0"), 0},
        {IN("x") ONE("f", "call_function[target=f]", "%x, 1", "f32[4] state=1"), 0},
        {IN("x") ONE("f", "call_function[target=f]", "%x, 1", "f32[4] device=0"), 0},
        {IN("x") IN("y") ONE("f", "call_function[target=f]", "%x, 1", "f32[4]"), 0},
        {IN("y") IN("x") ONE("f", "call_function[target=f]", "%x, 1", "f32[4]"), 0},
    };
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(rows); i++) {
        if (!T_EQUAL(equal_prints(fx, rows[i].other, ""), rows[i].equal)) {
            printf("row %u\n", (unsigned)i);
        }
    }
    T_CHECK(!equal_prints(IN("x") IN("y") ONE("f", "call_function[target=f]", "%x, 1", "f32[4]"),
        IN("x") IN("y") ONE("f", "call_function[target=f]", "%y, 1", "f32[4]"), ""));
    /* a text that names a graph which nobody calls */
    T_CHECK(equal_prints(IN("x") ONE("f", "call_function[target=f]", "%x, c", "f32[4]"),
        IN("x") ONE("f", "call_function[target=f]", "%x, c", "f32[4]"),
        "module c\ngraph():\n    return None\n"));
    T_CHECK(equal_prints(
        "    %w : [num_users=1] = get_attr[target=a.w]  # f32[4]\n" IN("x")
            ONE("f", "call_module[target=l0]", "%x, %w", "f32[4] module=torch.nn.Linear params=8"),
        "    %v : [num_users=1] = get_attr[target=b.w]  # f32[4]\n" IN("x")
            ONE("f", "call_module[target=l1]", "%x, %v", "f32[4] module=torch.nn.Linear params=8"),
        ""));
    T_CHECK(!equal_prints(
        IN("x") ONE("f", "call_module[target=l0]", "%x,", "f32[4] module=torch.nn.Linear params=8"),
        IN("x") ONE("f", "call_module[target=l0]", "%x,", "f32[4] module=torch.nn.Linear params=4"),
        ""));
}

/* A print is of a graph alone, whatever else its module holds, and the same everywhere. */
static void test_prints_stay(void)
{
#define LONELY IN("x") ONE("f", "call_function[target=f]", "%x, 1, b=some", "f32[4]")
    static const char *const texts[] = {"graph():\n" LONELY,
        "module main\ngraph():\n" IN("z") ONE("g", "call_function[target=other]", "%z, 3, some",
            "f32[8]") "module a\ngraph():\n" LONELY};
    uint32_t i;
    for (i = 0; i < 2u; i++) {
        gsp_arena arenas[2];
        gsp_module m;
        gsp_fingerprints_result prints;
        char hex[33];
        if (t_must_read(&arenas[0], texts[i], &m)) {
            t_arena_open(&arenas[1], gsp_fingerprints_bound(&m));
            if (T_EQUAL(gsp_fingerprints_run(&arenas[1], &m, &prints, NULL), GSP_OK)) {
                gsp_fingerprint_write(prints.prints[i], hex);
                T_STRING(hex, "e8365c6de4281a8dd4a183fe3f09853a");
            }
            t_arena_close(&arenas[1]);
        }
        t_arena_close(&arenas[0]);
    }
}

/* What a graph calls counts however deep it is, and by what it does. */
static void test_nested_prints(void)
{
    static const char call[] = IN("x") ONE("f", "call_module[target=c]", "%x,", "f32[4]");
    static const char other[] = IN("x") ONE("f", "call_module[target=d]", "%x,", "f32[4]");
    static const char deep[] = "module c\ngraph():\n" IN("x")
        ONE("f", "call_module[target=e]", "%x,", "f32[4]") "module d\ngraph():\n" IN("x")
            ONE("f", "call_module[target=h]", "%x,", "f32[4]") "module e\ngraph():\n" IN("x")
                ONE("f", "call_function[target=f]", "%x,", "f32[4]");
    static const char *const last[] = {"module h\ngraph():\n" IN("y")
                                           ONE("g", "call_function[target=f]", "%y,", "f32[4]"),
        "module h\ngraph():\n" IN("x") ONE("f", "call_function[target=g]", "%x,", "f32[4]")};
    uint32_t i;
    for (i = 0; i < 2u; i++) {
        t_string text = {NULL, 0u, 0u};
        t_puts(&text, deep);
        t_puts(&text, last[i]);
        T_EQUAL(equal_prints(call, other, text.data), i == 0u);
        T_EQUAL(equal_prints(call, call, text.data), 1);
        t_free(&text);
    }
}

static void test_recursion(void)
{
    static const char text[] = "module main\ngraph():\n" IN("x")
        ONE("f", "call_module[target=a]", "%x,", "f32[4]") "module a\ngraph():\n" IN("x")
            ONE("f", "call_module[target=b]", "%x,", "f32[4]") "module b\ngraph():\n" IN("x")
                ONE("f", "call_module[target=a]", "%x,", "f32[4]");
    gsp_arena arenas[2];
    gsp_module m;
    gsp_error err;
    gsp_fingerprints_result prints;
    if (t_must_read(&arenas[0], text, &m)) {
        t_arena_open(&arenas[1], gsp_fingerprints_bound(&m));
        T_EQUAL(gsp_fingerprints_run(&arenas[1], &m, &prints, &err), GSP_STATUS_CYCLE);
        T_EQUAL(err.detail, GSP_DETAIL_RECURSION);
        T_CHECK(arenas[1].low == 0u && arenas[1].high == 0u);
        T_EQUAL(gsp_fingerprints_run(NULL, &m, &prints, &err), GSP_STATUS_ARG);
        T_EQUAL(gsp_fingerprints_run(&arenas[1], NULL, &prints, &err), GSP_STATUS_ARG);
        T_EQUAL(gsp_fingerprints_run(&arenas[1], &m, NULL, &err), GSP_STATUS_ARG);
        T_EQUAL(gsp_fingerprints_run(&arenas[1], &m, NULL, NULL), GSP_STATUS_ARG);
        t_arena_close(&arenas[1]);
    }
    t_arena_close(&arenas[0]);
}

/* The four layers of a case are one program once they have bodies of their own. */
static void test_print_of_bodies(void)
{
    work w;
    char text[33];
    if (open_case(&w, "tests/cases/dedup/c16.fx")) {
        gsp_arena arena;
        gsp_fingerprints_result prints;
        t_arena_open(&arena, gsp_fingerprints_bound(&w.r.module));
        T_EQUAL(gsp_fingerprints_run(&arena, &w.r.module, &prints, NULL), GSP_OK);
        T_CHECK(memcmp(&prints.prints[1], &prints.prints[2], sizeof(*prints.prints)) != 0);
        gsp_fingerprint_write(prints.prints[1], text);
        T_EQUAL(strlen(text), 32);
        T_EQUAL(strspn(text, "0123456789abcdef"), 32);
        t_arena_close(&arena);
    }
    close_work(&w);
}

void suite_unit_dedup(void)
{
    t_run("output_alone", test_output_alone);
    t_run("order", test_order);
    t_run("calls", test_calls);
    t_run("no_cycle_gets_in", test_no_cycle_gets_in);
    t_run("calls_that_wait", test_calls_that_wait);
    t_run("call_in_a_circle", test_call_in_a_circle);
    t_run("waits_go_forward", test_waits_go_forward);
    t_run("name_of_the_last", test_name_of_the_last);
    t_run("again", test_again);
    t_run("wiring", test_wiring);
    t_run("rows_in_order", test_rows_in_order);
    t_run("views_of_elements", test_views_of_elements);
    t_run("empty_aggregates", test_empty_aggregates);
    t_run("written_elements", test_written_elements);
    t_run("views", test_views);
    t_run("elements", test_elements);
    t_run("given", test_given);
    t_run("given_wrong", test_given_wrong);
    t_run("dense", test_dense);
    t_run("select_work", test_select_work);
    t_run("called_regions", test_called_regions);
    t_run("prints", test_prints);
    t_run("prints_stay", test_prints_stay);
    t_run("nested_prints", test_nested_prints);
    t_run("recursion", test_recursion);
    t_run("print_of_bodies", test_print_of_bodies);
}
