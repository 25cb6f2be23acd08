/* Answers to questions of section 3 of the manual, as a program would follow them. */
#include "examples/extra/graphsplit_numbers.h"
#include "examples/extra/graphsplit_origin.h"
#include "tests/t.h"

/* The manual still has this question, and names these functions or fields in its answer. */
static void check_manual(const char *question, const char *const *words, uint32_t n_words)
{
    t_string manual = t_read_file("graphsplit.h");
    const char *at = manual.data == NULL ? NULL : strstr(manual.data, question);
    if (T_CHECK(at != NULL)) {
        const char *const next = strstr(at, "?    ");
        const char *const end = next == NULL ? at : strstr(next + 1, "?    ");
        for (uint32_t i = 0; i < n_words; i++) {
            const char *const word = strstr(at, words[i]);
            if (!T_CHECK(word != NULL && end != NULL && word < end)) {
                printf("%s %s\n", question, words[i]);
            }
        }
    }
    t_free(&manual);
}
#define MANUAL(question, ...) \
    do { \
        static const char *const words[] = {__VA_ARGS__}; \
        check_manual((question), words, (uint32_t)T_COUNT_OF(words)); \
    } while (0)

/* x 16 bytes, a 32 and c 4 on the accelerator, b 8 on the CPU. */
static const char chain[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
    "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[8] acc=1\n"
    "    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # f32[2]\n"
    "    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # f32[1] acc=1\n"
    "    return c\n";

static void test_bytes_across(void)
{
    t_split s;
    gsp_preview_result preview;
    gsp_score_desc desc = {0};
    gsp_score_result score;
    gsp_arena a;
    MANUAL("How many bytes cross a cut?", "gsp_preview_run()", "gsp_score_run()", "n_parts",
        "part_of", "n_subgraphs", "subgraph_of");
    t_arena_open(&a, 65536);
    if (T_EQUAL(t_split_text(&s, chain, NULL, NULL), GSP_OK)) {
        T_EQUAL(gsp_preview_run(&a, &s.graph, &s.split, NULL, &preview, &s.err), GSP_OK);
        T_EQUAL(preview.subgraphs[1].bytes_in, 32u);
        T_EQUAL(preview.subgraphs[1].bytes_out, 8u);
        desc.n_parts = s.split.n_subgraphs;
        desc.part_of = s.split.subgraph_of;
        T_EQUAL(gsp_score_run(&a, &s.graph, &desc, &score, &s.err), GSP_OK);
        T_EQUAL(score.cut_bytes, 40u);
        T_EQUAL(gsp_split_traffic(&s.graph, &s.split).bytes, 40u);
    }
    t_split_close(&s);
    t_arena_close(&a);
}

/* The peak of each subgraph, and one RAM for the root's values and the subgraph that runs. */
static void test_memory_of_a_split(void)
{
    t_split s;
    gsp_liveness_desc live = {0};
    gsp_liveness_result peaks;
    gsp_memory_plan_desc desc = {0};
    gsp_memory_plan_result plan;
    gsp_arena a;
    uint64_t scratch[8] = {0};
    MANUAL("How much memory does a split take?", "gsp_liveness_run()", "skip_inputs",
        "gsp_memory_plan_run()", "desc.scratch");
    t_arena_open(&a, 65536);
    if (T_EQUAL(t_split_text(&s, chain, NULL, NULL), GSP_OK)) {
        gsp_graph const root = gsp_module_graph(&s.tags.module, 0);
        live.n_parts = s.split.n_subgraphs;
        live.part_of = s.split.subgraph_of;
        T_EQUAL(gsp_liveness_run(&a, &s.graph, &live, &peaks, &s.err), GSP_OK);
        T_EQUAL(peaks.parts[0].bytes, 48u); /* x and a */
        T_EQUAL(peaks.parts[1].bytes, 40u);
        live.skip_inputs = 1;
        T_EQUAL(gsp_liveness_run(&a, &s.graph, &live, &peaks, &s.err), GSP_OK);
        T_EQUAL(peaks.parts[0].bytes, 32u);
        for (uint32_t i = 0; i < s.split.n_subgraphs; i++) {
            scratch[1u + i] = peaks.parts[i].bytes; /* x comes first, then the calls */
            T_EQUAL(gsp_node_op(&root, 1u + i), GSP_OP_CALL_MODULE);
        }
        desc.scratch = scratch;
        T_EQUAL(gsp_memory_plan_run(&a, &root, &desc, &plan, &s.err), GSP_OK);
        T_CHECK(plan.arena >= 16u + 32u && plan.arena <= 16u + 32u + 32u);
    }
    t_split_close(&s);
    t_arena_close(&a);
}

static void test_own_data(void)
{
    static const uint32_t mine[] = {10, 11, 12, 13, 14};
    t_split s;
    gsp_origins o;
    gsp_arena a;
    MANUAL("My own data per node?", "graph_of[v]", "node_of[v]", "graphsplit_origin.h",
        "gsp_build_user()");
    t_arena_open(&a, 65536);
    if (T_EQUAL(t_split_text(&s, chain, NULL, NULL), GSP_OK)) {
        T_EQUAL(gsp_split_by_tags_origins(&a, &s.graph, &s.tags, &o, &s.err), GSP_OK);
        for (gsp_node v = 1; v < 4u; v++) {
            gsp_graph const g = gsp_module_graph(&s.tags.module, s.tags.graph_of[v]);
            T_CHECK(
                gsp_str_equal(gsp_node_name(&g, s.tags.node_of[v]), gsp_node_name(&s.graph, v)));
            T_EQUAL(mine[o.origin[g.first + s.tags.node_of[v]].node], 10u + v);
        }
    }
    t_split_close(&s);
    t_arena_close(&a);
}

static void test_several_outputs(void)
{
    t_split s;
    MANUAL("Several outputs?", "TYPE tuple(...)", "operator.getitem");
    T_EQUAL(t_split_text(&s,
                "graph():\n"
                "    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
                "    %two : [num_users=2] = call_function[target=f](args = (%x,), kwargs = {})  # "
                "tuple(f32[2], f32[2]) acc=1\n"
                "    %p : [num_users=1] = call_function[target=operator.getitem](args = (%two, 0), "
                "kwargs = {})  # f32[2] acc=1\n"
                "    %q : [num_users=1] = call_function[target=operator.getitem](args = (%two, 1), "
                "kwargs = {})  # f32[2] acc=1\n"
                "    %r : [num_users=1] = call_function[target=g](args = (%p, %q), kwargs = {})  # "
                "f32[2]\n"
                "    return (r, p)\n",
                NULL, NULL),
        GSP_OK);
    gsp_graph const root = gsp_module_graph(&s.tags.module, 0);
    uint32_t items = 0;
    T_EQUAL(gsp_node_value_kind(&s.graph, 1), GSP_VALUE_AGGREGATE);
    for (gsp_node v = 0; v < root.n_nodes; v++) {
        items += gsp_str_equal(gsp_node_target(&root, v), gsp_str_of("operator.getitem")) ? 1u : 0u;
    }
    T_EQUAL(items, 2u); /* of the first subgraph, which returns p and q */
    t_split_close(&s);
}

static void test_dynamic_shapes(void)
{
    static const gsp_table_entry limited[] = {
        {GSP_STR("f"), GSP_STR(""), NULL, 0u, 0u, GSP_STR("dim(out,0)<=8")}};
    gsp_rule rule = {0};
    gsp_accelerator const npu = {&rule, 1};
    gsp_support_desc support = {0};
    t_split s;
    MANUAL("Dynamic shapes?", "A symbol counts as 1", "`bytes=`", "constraints", "unknown value");
    rule.kind = GSP_RULE_TABLE;
    rule.table.entries = limited;
    rule.table.n_entries = 1;
    support.accelerators = &npu;
    support.n_accelerators = 1;
    T_EQUAL(t_split_text(&s,
                "graph():\n"
                "    %x : [num_users=3] = placeholder[target=x]  # f32[s0, 4]\n"
                "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # "
                "f32[s0, 4] bytes=4096\n"
                "    %b : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # "
                "f32[8, 4]\n"
                "    return (a, b)\n",
                &support, NULL),
        GSP_OK);
    T_EQUAL(gsp_node_bytes(&s.graph, 0), 16u);
    T_EQUAL(gsp_node_bytes(&s.graph, 1), 4096u);
    T_EQUAL(gsp_graph_unknown_sizes(&s.graph), 1u);
    T_EQUAL(s.split.kind[1], 0u);
    T_EQUAL(s.split.kind[2], 1u);
    t_split_close(&s);
}

static void test_control_flow(void)
{
    static const char text[] =
        "module main\ngraph():\n"
        "    %x : [num_users=1] = placeholder[target=x]\n"
        "    %c : [num_users=1] = call_function[target=my_if](args = (%x,), kwargs = {})  # "
        "then=yes else=no\n"
        "    return c\n"
        "module yes\ngraph():\n"
        "    %p : [num_users=1] = placeholder[target=p]\n"
        "    %f : [num_users=1] = call_function[target=f](args = (%p,), kwargs = {})  # f32[2] "
        "acc=1\n"
        "    return f\n"
        "module no\ngraph():\n"
        "    %p : [num_users=1] = placeholder[target=p]\n"
        "    return p\n";
    gsp_called called = {0, 0, 0, 0, 0};
    gsp_calls_result calls;
    gsp_placement placement;
    gsp_split_desc desc = {0};
    gsp_split_result split;
    gsp_arena a;
    gsp_arena work;
    gsp_module m;
    gsp_error err;
    MANUAL("Control flow?", "gsp_called_next()", "gsp_calls_run()", "gsp_module_graph()");
    t_arena_open(&work, 65536);
    if (t_must_read(&a, text, &m)) {
        gsp_graph const root = gsp_module_graph(&m, 0);
        T_EQUAL(gsp_called_next(&root, 1, &called), 1);
        T_EQUAL(called.graph, 1u);
        T_EQUAL(called.role, GSP_ROLE_BRANCH);
        T_EQUAL(gsp_called_next(&root, 1, &called), 1);
        T_EQUAL(called.graph, 2u);
        T_EQUAL(gsp_called_next(&root, 1, &called), 0);
        T_EQUAL(gsp_calls_run(&work, &m, &calls, &err), GSP_OK);
        T_EQUAL(calls.order[2], 0u); /* after those that it runs */
        gsp_graph const yes = gsp_module_graph(&m, 1);
        T_EQUAL(gsp_support_run(&work, &yes, NULL, &placement, &err), GSP_OK);
        desc.placement = &placement;
        T_EQUAL(gsp_split_run(&work, &yes, &desc, &split, &err), GSP_OK);
        T_EQUAL(split.subgraph_kind[0], 1u);
        t_arena_close(&a);
    }
    t_arena_close(&work);
}

/* A copy of a graph in which one operator is another. */
static void copy_with(gsp_builder *b, const gsp_graph *g, const char *old, const char *target)
{
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t n;
        const gsp_arg *args = gsp_node_args(g, v, &n);
        int const changed = gsp_str_equal(gsp_node_target(g, v), gsp_str_of(old));
        if (gsp_node_op(g, v) == GSP_OP_OUTPUT) {
            (void)gsp_build_output(b);
        } else {
            (void)gsp_build_node_atoms(b, gsp_node_op(g, v), g->module->name[g->first + v],
                changed ? gsp_build_atom(b, gsp_str_of(target)) : g->module->target[g->first + v]);
        }
        for (uint32_t i = 0; i < n; i++) {
            gsp_build_arg(b, args[i]);
        }
        gsp_build_like(b, g, v, 1);
    }
}

static void test_change(void)
{
    gsp_arena a;
    gsp_arena work;
    gsp_module m;
    gsp_module changed;
    gsp_builder b;
    gsp_error err;
    MANUAL("Change one node?", "gsp_build_adopt()", "gsp_build_node_atoms()", "gsp_build_like()",
        "gsp_build_arg()", "examples/edit.c");
    t_arena_open(&work, 65536);
    if (t_must_read(&a, chain, &m)) {
        gsp_graph const g = gsp_module_graph(&m, 0);
        gsp_counts room = m.counts;
        room.strings += 1u;
        room.bytes += 8u;
        T_EQUAL(gsp_build_init(&b, &work, &room, &err), GSP_OK);
        gsp_build_adopt(&b, &m);
        gsp_build_graph(&b, gsp_str_of(""));
        copy_with(&b, &g, "g", "other");
        T_EQUAL(gsp_build_finish(&b, &changed, &err), GSP_OK);
        t_string text = t_print(&changed, NULL);
        T_CHECK(strstr(text.data, "%b : [num_users=1] = call_function[target=other](args = (%a,), "
                                  "kwargs = {})  # f32[2]\n") != NULL);
        T_CHECK(strstr(text.data, "target=g]") == NULL && strstr(text.data, "acc=1") != NULL);
        t_free(&text);
        t_arena_close(&a);
    }
    t_arena_close(&work);
}

static void test_names(void)
{
    gsp_counts const most = gsp_build_counts(1, 4, 8, 4, 8, 99);
    gsp_arena a;
    gsp_builder b;
    gsp_module m;
    gsp_error err;
    MANUAL(
        "My names are no identifiers (\"/conv1/Conv\")?", "gsp_build_node()", "gsp_graph_find()");
    t_arena_open(&a, 65536);
    T_EQUAL(gsp_build_init(&b, &a, &most, &err), GSP_OK);
    gsp_build_graph(&b, gsp_str_of("main"));
    (void)gsp_build_node(&b, GSP_OP_PLACEHOLDER, gsp_str_of("/conv1/Conv"), gsp_str_of("x"));
    (void)gsp_build_node(&b, GSP_OP_PLACEHOLDER, gsp_str_of(".conv1.Conv"), gsp_str_of("y"));
    (void)gsp_build_output(&b);
    gsp_build_arg_node(&b, 1);
    if (T_EQUAL(gsp_build_finish(&b, &m, &err), GSP_OK)) {
        gsp_graph const g = gsp_module_graph(&m, 0);
        T_EQUAL(gsp_graph_find(&g, gsp_str_of("/conv1/Conv")), 0u);
        T_EQUAL(gsp_graph_find(&g, gsp_str_of(".conv1.Conv")), 1u);
    }
    t_arena_close(&a);
}

void suite_unit_questions(void)
{
    t_run("bytes_across", test_bytes_across);
    t_run("memory_of_a_split", test_memory_of_a_split);
    t_run("own_data", test_own_data);
    t_run("several_outputs", test_several_outputs);
    t_run("dynamic_shapes", test_dynamic_shapes);
    t_run("control_flow", test_control_flow);
    t_run("change", test_change);
    t_run("names", test_names);
}
