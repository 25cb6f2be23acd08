/* Zero is the default everywhere, NULL is all zeros, and resolve says what the defaults are. */
#include "tests/t.h"

static const char text[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[1]\n"
    "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # acc=1\n"
    "    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})\n"
    "    return b\n";

static void test_null_is_default(void)
{
    gsp_arena arena;
    gsp_module m;
    gsp_module n;
    gsp_text_desc zero;
    gsp_support_desc zero_support;
    gsp_placement p;
    gsp_placement q;
    t_string a = {NULL, 0u, 0u};
    t_string b = {NULL, 0u, 0u};
    memset(&zero, 0, sizeof(zero));
    memset(&zero_support, 0, sizeof(zero_support));
    t_arena_open(&arena, 1u << 16);
    T_EQUAL(gsp_text_read(&arena, text, strlen(text), NULL, &m, NULL), GSP_OK);
    T_EQUAL(gsp_text_read(&arena, text, strlen(text), &zero, &n, NULL), GSP_OK);
    T_CHECK(t_module_equal(&m, &n));
    T_EQUAL(gsp_text_write(&m, NULL, t_sink, &a, NULL), GSP_OK);
    T_EQUAL(gsp_text_write(&m, &zero, t_sink, &b, NULL), GSP_OK);
    T_STRING(a.data, text);
    T_STRING(b.data, text);
    {
        gsp_graph const g = gsp_module_graph(&m, 0u);
        gsp_counts const c = gsp_graph_counts(&g);
        T_EQUAL(gsp_support_run(&arena, &g, NULL, &p, NULL), GSP_OK);
        T_EQUAL(gsp_support_run(&arena, &g, &zero_support, &q, NULL), GSP_OK);
        T_EQUAL(gsp_support_bound(&c, NULL), gsp_support_bound(&c, &zero_support));
        T_EQUAL(p.n_kinds, 2);
        T_EQUAL(q.n_kinds, 2);
        T_CHECK(memcmp(p.kind, q.kind, p.n_nodes) == 0);
        T_EQUAL(p.kind[1], 1);
        T_EQUAL(p.kind[2], 0);
    }
    t_free(&a);
    t_free(&b);
    t_arena_close(&arena);
}

static void test_resolve(void)
{
    gsp_split_desc zero;
    gsp_split_desc d;
    gsp_counts c;
    memset(&c, 0, sizeof(c));
    memset(&zero, 0, sizeof(zero));
    c.nodes = 100;
    c.edges = 300;
    d = gsp_split_resolve(NULL);
    T_EQUAL(d.min_size, 1);
    T_STRING(d.prefix, "_run_on_");
    T_EQUAL(d.limit, 0);
    T_EQUAL(d.limit_policy, GSP_LIMIT_ERROR);
    T_EQUAL(d.start_canary, 0);
    T_EQUAL(d.end_canary, 0);
    d = gsp_split_resolve(&zero);
    T_EQUAL(d.min_size, 1);
    T_STRING(d.prefix, "_run_on_");
    zero.min_size = 7;
    zero.prefix = "p";
    zero.limit = 3;
    d = gsp_split_resolve(&zero);
    T_EQUAL(d.min_size, 7);
    T_STRING(d.prefix, "p");
    T_EQUAL(d.limit, 3);
    d = gsp_split_resolve(&d);
    T_EQUAL(d.min_size, 7);
    T_EQUAL(gsp_split_bound(&c, NULL), gsp_split_bound(&c, &zero));
}

/* Every switch of the split changes what it says, and 0 leaves it off. */
static void test_fields_count(void)
{
    static const char scalars[] =
        "graph():\n    %x : [num_users=2] = placeholder[target=x]\n"
        "    %n : [num_users=1] = call_method[target=size](args = (%x,), kwargs = {})  # int "
        "acc=1\n"
        "    %c : [num_users=1] = call_function[target=c](args = (%x,), kwargs = {})\n"
        "    %f : [num_users=1] = call_function[target=f](args = (%n, %c), kwargs = {})  # acc=1\n"
        "    return f\n";
    gsp_split_desc d;
    t_split s;
    memset(&d, 0, sizeof(d));
    T_EQUAL(t_split_text(&s, scalars, NULL, &d), GSP_OK);
    T_EQUAL(s.split.n_subgraphs, 2);
    T_STRING(t_subgraph(&s, 1u), "_run_on_acc_1: n f");
    t_split_close(&s);
    d.skip_fusion = 1;
    T_EQUAL(t_split_text(&s, scalars, NULL, &d), GSP_OK);
    T_STRING(t_subgraph(&s, 0u), "_run_on_cpu_0: c");
    T_STRING(t_subgraph(&s, 1u), "_run_on_acc_1: n f");
    t_split_close(&s);
}

static void test_allow_non_tensor(void)
{
    static const char scalar_out[] = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                                     "    %n : [num_users=1] = call_method[target=size](args = "
                                     "(%x,), kwargs = {})  # int acc=1\n"
                                     "    return n\n";
    gsp_split_desc d;
    t_split s;
    memset(&d, 0, sizeof(d));
    T_EQUAL(t_split_text(&s, scalar_out, NULL, &d), GSP_OK);
    T_STRING(t_subgraph(&s, 0u), "_run_on_cpu_0: n");
    t_split_close(&s);
    d.allow_non_tensor = 1;
    T_EQUAL(t_split_text(&s, scalar_out, NULL, &d), GSP_OK);
    T_STRING(t_subgraph(&s, 0u), "_run_on_acc_0: n");
    t_split_close(&s);
}

void suite_contract_desc(void)
{
    t_run("null_is_default", test_null_is_default);
    t_run("resolve", test_resolve);
    t_run("fields_count", test_fields_count);
    t_run("allow_non_tensor", test_allow_non_tensor);
}
