/* Zero is the default everywhere, and NULL is all zeros. */
#include "examples/extra/graphsplit_draw.h"
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
        T_EQUAL(gsp_support_run(&arena, &g, NULL, &p, NULL), GSP_OK);
        T_EQUAL(gsp_support_run(&arena, &g, &zero_support, &q, NULL), GSP_OK);
        T_EQUAL(gsp_support_bound(&g, NULL), gsp_support_bound(&g, &zero_support));
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

static void test_split(void)
{
    gsp_split_desc zero;
    gsp_graph const g = {NULL, 0u, 0u, 100u, NULL};
    memset(&zero, 0, sizeof(zero));
    T_EQUAL(gsp_split_bound(&g, NULL), gsp_split_bound(&g, &zero));
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

static int takes_all(void *user, const gsp_graph *graph, const gsp_bitset *set)
{
    (void)user;
    (void)graph;
    (void)set;
    return 0;
}

/* A desc that was not zeroed is refused, at either end, and nothing is touched. */
static void test_canaries_of_looks(void)
{
    uint32_t of[4] = {0, 0, 0, 0};
    uint32_t end;
    t_split s;
    T_EQUAL(t_split_text(&s, text, NULL, NULL), GSP_OK);
    memcpy(of, s.split.subgraph_of, s.graph.n_nodes * sizeof(uint32_t));
    for (end = 0; end < 2u; end++) {
        gsp_move_non_tensor_desc boundary;
        gsp_subgraph_grow_desc extend;
        gsp_minimize_desc minimize;
        gsp_preview_desc preview;
        gsp_draw_desc draw;
        gsp_draw_module_desc draw_module;
        gsp_minimize_result minimized;
        gsp_preview_result result;
        gsp_mark const mark = gsp_arena_mark(&s.arena);
        gsp_error err;
        memset(&boundary, 0, sizeof(boundary));
        memset(&extend, 0, sizeof(extend));
        memset(&minimize, 0, sizeof(minimize));
        memset(&preview, 0, sizeof(preview));
        memset(&draw, 0, sizeof(draw));
        memset(&draw_module, 0, sizeof(draw_module));
        boundary.kind = s.split.subgraph_kind;
        boundary.n_subgraphs = s.split.n_subgraphs;
        extend.kind = s.split.kind;
        minimize.fails = takes_all;
        *(end ? &boundary.end_canary : &boundary.start_canary) = 1;
        *(end ? &extend.end_canary : &extend.start_canary) = 1;
        *(end ? &minimize.end_canary : &minimize.start_canary) = 1;
        *(end ? &preview.end_canary : &preview.start_canary) = 1;
        *(end ? &draw.end_canary : &draw.start_canary) = 1;
        *(end ? &draw_module.end_canary : &draw_module.start_canary) = 1;
        T_EQUAL(gsp_move_non_tensor_run(&s.arena, &s.graph, &boundary, of, NULL, &err),
            GSP_STATUS_DESC);
        T_EQUAL(err.detail, GSP_DETAIL_CANARY);
        T_EQUAL(
            gsp_subgraph_grow_run(&s.arena, &s.graph, &extend, of, NULL, &err), GSP_STATUS_DESC);
        T_EQUAL(gsp_minimize_run(&s.arena, &s.graph, &minimize, &minimized, &err), GSP_STATUS_DESC);
        T_EQUAL(gsp_preview_run(&s.arena, &s.graph, &s.split, &preview, &result, &err),
            GSP_STATUS_DESC);
        T_EQUAL(gsp_draw_graph(&s.graph, &draw, t_sink, NULL, &err), GSP_STATUS_DESC);
        T_EQUAL(gsp_draw_module(&s.arena, &s.module, &draw_module, t_sink, NULL, &err),
            GSP_STATUS_DESC);
        T_EQUAL(s.arena.low, mark.low);
        T_EQUAL(s.arena.high, mark.high);
    }
    t_split_close(&s);
}

/* Null pointers are refused before anything else is looked at. */
static void test_nulls_of_looks(void)
{
    gsp_signatures_result types;
    gsp_preview_result preview;
    uint32_t of[4] = {0, 0, 0, 0};
    gsp_error err;
    t_split s;
    T_EQUAL(t_split_text(&s, text, NULL, NULL), GSP_OK);
    T_EQUAL(gsp_move_non_tensor_run(&s.arena, &s.graph, NULL, of, NULL, &err), GSP_STATUS_ARG);
    T_EQUAL(gsp_subgraph_grow_run(&s.arena, &s.graph, NULL, of, NULL, &err), GSP_STATUS_ARG);
    T_EQUAL(gsp_minimize_run(&s.arena, &s.graph, NULL, NULL, &err), GSP_STATUS_ARG);
    T_EQUAL(gsp_signatures_run(&s.arena, &s.graph, NULL, &types, &err), GSP_STATUS_ARG);
    T_EQUAL(gsp_signatures_run(&s.arena, &s.graph, &s.placement, NULL, &err), GSP_STATUS_ARG);
    T_EQUAL(gsp_preview_run(&s.arena, &s.graph, NULL, NULL, &preview, &err), GSP_STATUS_ARG);
    T_EQUAL(gsp_draw_graph(&s.graph, NULL, NULL, NULL, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_NULL_ARGUMENT);
    T_FIELD(&err);
    t_split_close(&s);
}

void suite_contract_desc(void)
{
    t_run("null_is_default", test_null_is_default);
    t_run("split", test_split);
    t_run("fields_count", test_fields_count);
    t_run("allow_non_tensor", test_allow_non_tensor);
    t_run("canaries_of_looks", test_canaries_of_looks);
    t_run("nulls_of_looks", test_nulls_of_looks);
}
