#include "tests/t.h"

static void test_texts(void)
{
    gsp_str const none = gsp_str_of(NULL);
    T_EQUAL(none.size, 0);
    T_CHECK(gsp_str_equal(none, gsp_str_of("")));
    T_CHECK(gsp_str_equal(gsp_str_of("ab"), gsp_str_of("ab")));
    T_CHECK(!gsp_str_equal(gsp_str_of("ab"), gsp_str_of("abc")));
    T_CHECK(!gsp_str_equal(gsp_str_of("ab"), gsp_str_of("ac")));
}

static void test_find(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena,
            "graph():\n    %x : [num_users=1] = placeholder[target=input]\n"
            "    %size : [num_users=1] = call_method[target=size](args = (%x,), kwargs = {})"
            "  # int\n    return size\n",
            &m)) {
        gsp_graph const g = gsp_module_graph(&m, 0u);
        T_EQUAL(gsp_graph_find(&g, gsp_str_of("size")), 1);
        T_EQUAL(gsp_graph_find(&g, gsp_str_of("input")), GSP_NONE);
        T_EQUAL(gsp_graph_find(&g, gsp_str_of("")), GSP_NONE);
        T_TEXT(gsp_node_target(&g, 0u), "input");
        T_EQUAL(gsp_node_op(&g, 0u), GSP_OP_PLACEHOLDER);
        T_EQUAL(gsp_node_op(&g, 1u), GSP_OP_CALL_METHOD);
        T_EQUAL(gsp_node_op(&g, 2u), GSP_OP_OUTPUT);
        T_EQUAL(gsp_node_is_callable(&g, 0u), 0);
        T_EQUAL(gsp_node_is_callable(&g, 1u), 1);
        T_EQUAL(gsp_node_is_callable(&g, 2u), 0);
        T_TEXT(gsp_node_class(&g, 1u), "size");
        T_TEXT(gsp_node_scope(&g, 1u), "");
        T_EQUAL(gsp_node_value_kind(&g, 1u), GSP_VALUE_OTHER);
    }
    t_arena_close(&arena);
}

/* What is no node, no graph, no string answers with nothing. */
static void check_none(const gsp_graph *g, gsp_node v)
{
    uint32_t n = 7u;
    T_TEXT(gsp_node_name(g, v), "");
    T_TEXT(gsp_node_target(g, v), "");
    T_TEXT(gsp_node_type(g, v), "");
    T_TEXT(gsp_node_class(g, v), "");
    T_TEXT(gsp_node_scope(g, v), "");
    T_CHECK(gsp_node_attr(g, v, GSP_KEY_BYTES).data == NULL);
    T_EQUAL(gsp_node_op(g, v), GSP_OP_NONE);
    T_EQUAL(gsp_node_value_kind(g, v), GSP_VALUE_TENSOR);
    T_EQUAL(gsp_node_is_callable(g, v), 0);
    T_EQUAL(gsp_node_bytes(g, v), 0u);
    T_EQUAL(gsp_node_params(g, v), 0u);
    T_EQUAL((uint32_t)gsp_node_acc(g, v), (uint32_t)-1);
    T_CHECK(gsp_node_inputs(g, v, &n) == NULL && n == 0u);
    n = 7u;
    T_CHECK(gsp_node_users(g, v, &n) == NULL && n == 0u);
    n = 7u;
    T_CHECK(gsp_node_args(g, v, &n) == NULL && n == 0u);
    T_EQUAL(gsp_node_leaf(g, v, 0u), GSP_NONE);
    T_EQUAL(gsp_node_is_barrier(g, v), 0);
    T_EQUAL(gsp_node_element(g, v), GSP_NONE);
    T_EQUAL(gsp_node_element_of(g, v, 2u), GSP_NONE);
#ifndef GSP_NO_COST
    T_CHECK(!(gsp_node_seconds(g, v, GSP_KEY_MEM) > 0.0) &&
            !(gsp_node_seconds(g, v, GSP_KEY_MEM) < 0.0));
#endif
}

static void test_none(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[2] acc=1\n"
            "    %y : [num_users=1] = call_function[target=operator.getitem]"
            "(args = (%x, 0), kwargs = {})  # f32[1] mem=1\n    return y\n",
            &m)) {
        gsp_graph const g = gsp_module_graph(&m, 0u);
        gsp_graph const none = gsp_module_graph(&m, 1u);
        check_none(&g, g.n_nodes);
        check_none(&g, GSP_NONE);
        check_none(&none, 0u);
        T_EQUAL(none.n_nodes, 0u);
        T_EQUAL(gsp_module_graph(&m, GSP_NONE).n_nodes, 0u);
        T_EQUAL(gsp_graph_find(&none, gsp_str_of("x")), GSP_NONE);
        T_EQUAL(gsp_module_find_graph(&m, GSP_NONE), GSP_NONE);
        T_TEXT(gsp_module_str(&m, GSP_NONE), "");
    }
    t_arena_close(&arena);
}

static void test_literals(void)
{
    static gsp_str const names[] = {GSP_STR("relu"), GSP_STR("")};
    T_TEXT(names[0], "relu");
    T_TEXT(names[1], "");
}

static void test_numbers(void)
{
    static const char *const bad[] = {"", "-1", "+1", "1.0", " 1", "1 ", "0x1",
        "18446744073709551616", "a", "99999999999999999999999"};
    uint64_t v = 7;
    uint32_t i;
    T_CHECK(gsp_str_number(gsp_str_of("0"), &v) && v == 0u);
    T_CHECK(gsp_str_number(gsp_str_of("0012"), &v) && v == 12u);
    T_CHECK(gsp_str_number(gsp_str_of("18446744073709551615"), &v) && v == UINT64_MAX);
    for (i = 0; i < T_COUNT_OF(bad); i++) {
        T_EQUAL(gsp_str_number(gsp_str_of(bad[i]), &v), 0);
    }
}

#ifndef GSP_NO_COST
static uint64_t bits_of(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

static int same_as_strtod(const char *text)
{
    double mine = -1.0;
    if (!T_EQUAL(gsp_str_decimal(gsp_str_of(text), &mine), 1) ||
        !T_EQUAL(bits_of(mine), bits_of(strtod(text, NULL)))) {
        printf("decimal %s\n", text);
        return 0;
    }
    return 1;
}

static void test_hard_decimals(void)
{
    static const char *const texts[] = {"0", "-0", "0.0", "1", "-1.5", "1e-05", "1E5", "1e+5", ".5",
        "5.", "00.1e01", "1e22", "1e23", "9007199254740993", "9007199254740992.5",
        "9007199254740993.0000000000000000000001", "1.7976931348623157e308",
        "1.7976931348623158e308", "1.7976931348623159e308", "2e308", "3.5e308", "1e309",
        "2.2250738585072014e-308", "2.2250738585072011e-308", "4.9e-324", "2.4703282292062327e-324",
        "2.4703282292062328e-324", "2.5e-324", "1e-400", "1e400", "0e999999999999",
        "1e-999999999999", "1e999999999999", "3.1415926535897932384626433832795028841971", "8.5e-8",
        "0.000000000000000000000000000000000000000000001", "123456789012345678901234567890e-10",
        "6929001713869936e+236", "7.2057594037927933e16", "1.00000000000000011102230246251565404",
        "1e27", "1e36", "1e45", "1e54", "1e63", "1e81", "1e90", "1e99", "1e108", "1e117", "1e126",
        "1000000000000000000000000000", "1000000000000000000000000000000000000", "inf", "-inf"};
    double d;
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(texts); i++) {
        same_as_strtod(texts[i]);
    }
    T_CHECK(gsp_str_decimal(gsp_str_of("nan"), &d) && d != d);
}

static void test_random_decimals(void)
{
    t_rng rng;
    uint32_t i;
    rng.state = t_seed ^ 0xDECu;
    for (i = 0; i < (t_fast ? 20000u : 200000u) && !t_failed(); i++) {
        char text[64];
        uint64_t bits = t_random(&rng);
        double d;
        memcpy(&d, &bits, sizeof(d));
        if (i % 4u == 0u || d != d) {
            snprintf(text, sizeof(text), "%u.%09ue%d", (unsigned)t_below(&rng, 1000000u),
                (unsigned)t_below(&rng, 1000000000u), (int)t_below(&rng, 80u) - 40);
        } else {
            snprintf(text, sizeof(text),
                i % 4u == 1u   ? "%.17g"
                : i % 4u == 2u ? "%.16e"
                               : "%.21g",
                d);
        }
        same_as_strtod(text);
    }
}

/* Halfway between two doubles, with digits far behind: all of them count. */
static void test_long_decimals(void)
{
    t_rng rng;
    uint32_t i;
    rng.state = t_seed ^ 0x10Du;
    for (i = 0; i < (t_fast ? 200u : 2000u) && !t_failed(); i++) {
        char text[900];
        uint64_t bits = ((uint64_t)t_below(&rng, 2046u) << 52) | (t_random(&rng) >> 12);
        double d;
        size_t n;
        memcpy(&d, &bits, sizeof(d));
        n = (size_t)snprintf(text, sizeof(text), "%.*f", (int)t_below(&rng, 400u), d);
        if (n < 780u) {
            same_as_strtod(text);
        }
    }
}

static void test_not_decimals(void)
{
    static const char *const bad[] = {"", ".", "-", "+", "e5", "1e", "1e+", "1..2", "1.2.3", "0x1",
        "1 ", " 1", "1f", "--1", "in", "1e5.0", "infinite"};
    double d;
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(bad); i++) {
        if (!T_EQUAL(gsp_str_decimal(gsp_str_of(bad[i]), &d), 0)) {
            printf("'%s'\n", bad[i]);
        }
    }
}
#endif

void suite_unit_query(void)
{
    t_run("texts", test_texts);
    t_run("find", test_find);
    t_run("none", test_none);
    t_run("literals", test_literals);
    t_run("numbers", test_numbers);
#ifndef GSP_NO_COST
    t_run("hard_decimals", test_hard_decimals);
    t_run("random_decimals", test_random_decimals);
    t_run("long_decimals", test_long_decimals);
    t_run("not_decimals", test_not_decimals);
#endif
}
