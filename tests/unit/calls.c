/* Graphs that nodes run: where they are named, their roles, callees first. */
#include "tests/t.h"

static const char text[] =
    "module main\n"
    "graph():\n"
    "    %x : [num_users=5] = placeholder[target=x]\n"
    "    %a : [num_users=2] = get_attr[target=body]\n"
    "    %if : [num_users=0] = call_function[target=tflite.IF](args = (%x,), kwargs = {})"
    "  # f32[1] then=body else=other\n"
    "    %loop : [num_users=0] = call_function[target=f](args = (%x,), kwargs = {})"
    "  # f32[1] cond=other body=body init=inner\n"
    "    %cond : [num_users=0] = call_function[target=torch.ops.higher_order.cond]"
    "(args = (%x, %a, [%x]), kwargs = {})\n"
    "    %list : [num_users=0] = call_function[target=f](args = (%x,), kwargs = {})"
    "  # f32[1] calls=inner,missing,other device=body\n"
    "    %while : [num_users=0] = call_function[target=torch.ops.higher_order.while_loop]"
    "(args = (%x, %a), kwargs = {})\n"
    "    %map : [num_users=0] = call_function[target=torch.ops.higher_order.map_impl]"
    "(args = (%x, %a), kwargs = {})\n"
    "    %scan : [num_users=0] = call_function[target=torch.ops.higher_order.scan]"
    "(args = (%x, %a), kwargs = {})\n"
    "    %plain : [num_users=0] = call_function[target=f](args = (%a,), kwargs = {})"
    "  # f32[1] then=main else=other\n"
    "    %called : [num_users=1] = call_module[target=inner](args = (%x, %a), kwargs = {})\n"
    "    return called\n"
    "module other\n"
    "graph():\n"
    "    %y : [num_users=1] = placeholder[target=y]\n"
    "    %call : [num_users=1] = call_module[target=body](args = (%y,), kwargs = {})\n"
    "    return call\n"
    "module body\n"
    "graph():\n"
    "    %z : [num_users=1] = placeholder[target=z]\n"
    "    return z\n"
    "module inner\n"
    "graph():\n"
    "    %u : [num_users=1] = placeholder[target=u]\n"
    "    return u\n";

/* "GRAPH/ROLE ..." of all that a node runs. */
static void shows(const gsp_module *module, const char *node, const char *expected)
{
    gsp_graph const g = gsp_module_graph(module, 0);
    gsp_called c;
    t_string s = {NULL, 0, 0};
    memset(&c, 0, sizeof(c));
    t_puts(&s, "");
    while (gsp_called_next(&g, gsp_graph_find(&g, gsp_str_of(node)), &c)) {
        gsp_str const name = gsp_module_str(module, module->graphs[c.graph].name);
        t_add(&s, name.data, name.size);
        t_puts(&s, "/");
        t_number(&s, c.role);
        t_puts(&s, " ");
    }
    T_STRING(s.data, expected);
    t_free(&s);
}

static void test_next(void)
{
    gsp_arena arena;
    gsp_module module;
    if (!t_must_read(&arena, text, &module)) {
        return;
    }
    shows(&module, "x", "");
    shows(&module, "if", "body/1 other/1 ");
    shows(&module, "loop", "other/2 body/2 inner/3 ");
    shows(&module, "cond", "body/1 ");
    shows(&module, "list", "inner/0 other/0 ");
    shows(&module, "while", "body/2 ");
    shows(&module, "map", "body/2 ");
    shows(&module, "scan", "body/2 ");
    shows(&module, "plain", "body/0 other/1 "); /* nothing runs the root */
    shows(&module, "called", "inner/0 body/0 ");
    t_arena_close(&arena);
}

static void test_order(void)
{
    gsp_arena arena;
    gsp_arena room;
    gsp_module module;
    gsp_calls_result result;
    gsp_error err;
    if (!t_must_read(&arena, text, &module)) {
        return;
    }
    t_arena_open(&room, gsp_calls_bound(&module));
    T_EQUAL(gsp_calls_run(&room, &module, &result, &err), GSP_OK);
    T_EQUAL(result.n_graphs, 4);
    T_EQUAL(result.order[0], 2);
    T_EQUAL(result.order[1], 1);
    T_EQUAL(result.order[2], 3);
    T_EQUAL(result.order[3], 0);
    t_arena_close(&room);
    t_arena_open(&room, gsp_calls_bound(&module) - 1u - 64u);
    T_EQUAL(gsp_calls_run(&room, &module, &result, &err), GSP_STATUS_NOMEM);
    T_EQUAL(gsp_calls_run(NULL, &module, &result, &err), GSP_STATUS_ARG);
    T_EQUAL(gsp_calls_run(&room, NULL, &result, &err), GSP_STATUS_ARG);
    T_EQUAL(gsp_calls_run(&room, &module, NULL, &err), GSP_STATUS_ARG);
    T_FIELD(&err);
    t_arena_close(&room);
    t_arena_close(&arena);
}

static void test_recursion(void)
{
    static const char recursive[] =
        "module main\n"
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]\n"
        "    %f : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[1] "
        "body=b\n"
        "    return f\n"
        "module b\n"
        "graph():\n"
        "    %y : [num_users=1] = placeholder[target=y]\n"
        "    %g : [num_users=1] = call_function[target=g](args = (%y,), kwargs = {})  # f32[1] "
        "then=b\n"
        "    return g\n";
    gsp_arena arena;
    gsp_arena room;
    gsp_module module;
    gsp_calls_result result;
    gsp_error err;
    if (!t_must_read(&arena, recursive, &module)) {
        return;
    }
    t_arena_open(&room, gsp_calls_bound(&module));
    T_EQUAL(gsp_calls_run(&room, &module, &result, &err), GSP_STATUS_CYCLE);
    T_EQUAL(err.detail, GSP_DETAIL_RECURSION);
    T_EQUAL(err.node, 1);
    T_EQUAL(room.low, 0);
    t_arena_close(&room);
    t_arena_close(&arena);
}

/* What the caller says of graphs that nodes run counts in sizes, costs, peaks and plans. */
static void test_needs(void)
{
    static const char sized[] =
        "module main\n"
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
        "    %f : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[2] "
        "body=b\n"
        "    %g : [num_users=1] = call_function[target=g](args = (%f,), kwargs = {})  # f32[1]\n"
        "    return g\n"
        "module b\n"
        "graph():\n"
        "    %y : [num_users=1] = placeholder[target=y]\n"
        "    return y\n";
    static const char called[] =
        "module main\n"
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
        "    %f : [num_users=1] = call_module[target=m](args = (%x,), kwargs = {})  # params=100\n"
        "    %g : [num_users=1] = call_module[target=m](args = (%f,), kwargs = {})  # params=100\n"
        "    return g\n";
    static const uint64_t params[] = {0, 100, 0, 0, 0, 0};
    static const uint64_t bytes[] = {0, 1000, 0, 0, 0, 0};
    gsp_arena arena;
    gsp_arena room;
    gsp_module module;
    gsp_graph g;
    gsp_liveness_result live;
    gsp_memory_plan_result plan;
    gsp_costs costs;
    gsp_stages_even_desc even;
    gsp_stages_even_result stages;
    uint32_t word = 6; /* f and g */
    gsp_bitset nodes = {&word, 5};
    memset(&even, 0, sizeof(even));
    even.policy = GSP_STAGES_EVEN_PARAMS;
    if (!t_must_read(&arena, sized, &module)) {
        return;
    }
    T_CHECK(module.run_bytes == NULL && module.run_params == NULL);
    g = gsp_module_graph(&module, 0);
    T_EQUAL(gsp_part_bytes(&g, &nodes), 28);
    module.run_params = params;
    module.run_bytes = bytes;
    T_EQUAL(gsp_node_params(&g, 1), 100);
    T_EQUAL(gsp_node_params(&g, 0), 0);
    T_EQUAL(gsp_part_bytes(&g, &nodes), 1128);
    t_arena_open(&room, 1u << 16);
    T_EQUAL(gsp_liveness_run(&room, &g, NULL, &live, NULL), GSP_OK);
    T_EQUAL(live.parts[0].bytes, 1024);
    T_EQUAL(gsp_memory_plan_run(&room, &g, NULL, &plan, NULL), GSP_OK);
    T_EQUAL(plan.peak, 1024);
    T_EQUAL(plan.n_tensors, 4);
    T_EQUAL(gsp_costs_run(&room, &g, NULL, &costs, NULL), GSP_OK);
    T_EQUAL(costs.n_items, 2);
    T_EQUAL(costs.item_bytes[0], 100);
    T_EQUAL(gsp_stages_even_run(&room, &g, &even, &stages, NULL), GSP_OK);
    T_EQUAL(stages.weight[0], 100);
    t_arena_close(&arena);
    if (t_must_read(&arena, called, &module)) { /* a called module counts once */
        static const uint64_t none[] = {0, 0, 0, 0};
        g = gsp_module_graph(&module, 0);
        module.run_params = none;
        T_EQUAL(gsp_stages_even_run(&room, &g, &even, &stages, NULL), GSP_OK);
        T_EQUAL(stages.weight[0], 100);
    }
    t_arena_close(&room);
    t_arena_close(&arena);
}

void suite_unit_calls(void)
{
    t_run("next", test_next);
    t_run("order", test_order);
    t_run("recursion", test_recursion);
    t_run("needs", test_needs);
}
