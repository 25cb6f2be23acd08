/* Numbers in place of texts, names that are no identifiers, attributes by any key, and the fields
 * that errors name. */
#include "examples/extra/graphsplit_numbers.h"
#include "tests/t.h"

typedef struct made {
    gsp_arena arena;
    gsp_builder b;
    gsp_module m;
    gsp_error err;
} made;

static void start(made *s)
{
    gsp_counts const counts = gsp_build_counts(1, 20, 60, 40, 80, 4000);
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, (size_t)1u << 18u);
    T_EQUAL(gsp_build_init(&s->b, &s->arena, &counts, &s->err), GSP_OK);
    gsp_build_graph(&s->b, gsp_str_of(""));
}

static gsp_node add(made *s, gsp_op op, const char *name, const char *target, gsp_node input)
{
    gsp_node const v = gsp_build_node(&s->b, op, gsp_str_of(name), gsp_str_of(target));
    if (input != GSP_NONE) {
        gsp_build_arg_node(&s->b, input);
    }
    return v;
}

static int finish(made *s, gsp_node result)
{
    (void)gsp_build_output(&s->b);
    gsp_build_arg_node(&s->b, result);
    return T_EQUAL(gsp_build_finish(&s->b, &s->m, &s->err), GSP_OK);
}

static void test_tensor(void)
{
    static const uint64_t dims[] = {1, GSP_DIM_UNKNOWN, 28, UINT64_MAX - 1u};
    made s;
    uint64_t read[4] = {0, 0, 0, 7};
    start(&s);
    gsp_node v = add(&s, GSP_OP_PLACEHOLDER, "x", "x", GSP_NONE);
    gsp_build_tensor(&s.b, GSP_DTYPE_F32, dims, 3);
    v = add(&s, GSP_OP_CALL_FUNCTION, "a", "f", v);
    gsp_build_tensor(&s.b, GSP_DTYPE_QU8, NULL, 0);
    v = add(&s, GSP_OP_CALL_FUNCTION, "c", "f", v);
    gsp_build_tensor(&s.b, GSP_DTYPE_C128, dims + 2, 1);
    gsp_build_bytes(&s.b, 448);
    gsp_build_seconds(&s.b, GSP_KEY_COMPUTE, 1500, -9);
    gsp_build_seconds(&s.b, GSP_KEY_CPU, 3, 0);
    gsp_build_seconds(&s.b, GSP_KEY_MEM, 2, 1);
    gsp_build_seconds(&s.b, GSP_KEY_COMM, 0, -1);
    if (finish(&s, v)) {
        gsp_graph const g = gsp_module_graph(&s.m, 0);
        t_string text = t_print(&s.m, NULL);
        T_STRING(text.data,
            "graph():\n"
            "    %x : [num_users=1] = placeholder[target=x]  # f32[1, ?, 28]\n"
            "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # qu8[]\n"
            "    %c : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})  # "
            "c128[28] "
            "bytes=448 compute=1500e-9 cpu=3 mem=2e1 comm=0e-1\n"
            "    return c\n");
        t_free(&text);
        T_EQUAL(gsp_type_dtype(gsp_node_type(&g, 0)), GSP_DTYPE_F32);
        T_EQUAL(gsp_type_dims(gsp_node_type(&g, 0), read, 3), 3u);
        T_EQUAL(read[0], 1u);
        T_EQUAL(read[1], GSP_DIM_UNKNOWN);
        T_EQUAL(read[2], 28u);
        T_EQUAL(read[3], 7u);
        T_EQUAL(gsp_type_dims(gsp_node_type(&g, 0), read + 3, 1), 3u);
        T_EQUAL(read[3], 1u);
        T_EQUAL(gsp_type_dtype(gsp_node_type(&g, 1)), GSP_DTYPE_QU8);
        T_EQUAL(gsp_type_dims(gsp_node_type(&g, 1), read, 3), 0u);
        T_EQUAL(gsp_type_dtype(gsp_node_type(&g, 2)), GSP_DTYPE_C128);
        T_EQUAL(gsp_node_bytes(&g, 2), 448u);
        volatile double const seconds[] = {gsp_node_seconds(&g, 2, GSP_KEY_COMPUTE), 1.5e-6};
        T_CHECK(seconds[0] == seconds[1]);
        T_CHECK(gsp_node_seconds(&g, 2, GSP_KEY_MEM) == 20.0);
        T_EQUAL(gsp_node_has_size(&g, 0), 0);
        T_EQUAL(gsp_graph_unknown_sizes(&g), 1u);
    }
    t_arena_close(&s.arena);
    T_EQUAL(gsp_type_dims(gsp_str_of("tuple(int, i64[s0, -1, 3], f32[2])"), read, 4), 3u);
    T_EQUAL(read[0], GSP_DIM_UNKNOWN);
    T_EQUAL(read[1], GSP_DIM_UNKNOWN);
    T_EQUAL(read[2], 3u);
    T_EQUAL(gsp_type_dtype(gsp_str_of("tuple(int, i64[s0], f32[2])")), GSP_DTYPE_I64);
    T_EQUAL(gsp_type_dims(gsp_str_of("int"), read, 4), GSP_NONE);
    T_EQUAL(gsp_type_dtype(gsp_str_of("int")), GSP_DTYPE_NONE);
    T_EQUAL(gsp_type_dtype(gsp_str_of("f4e2m1[3]")), GSP_DTYPE_NONE);
}

/* Every dtype reads back, and the numbers of the builder that it refuses. */
static void test_limits(void)
{
    static const uint64_t dims[GSP_RANK_MAX + 1u] = {0};
    for (uint32_t i = 0; i < 6u; i++) {
        made s;
        start(&s);
        (void)add(&s, GSP_OP_PLACEHOLDER, "x", "x", GSP_NONE);
        if (i == 0u) {
            gsp_build_tensor(&s.b, GSP_DTYPE_F32, dims, GSP_RANK_MAX + 1u);
        } else if (i == 1u) {
            gsp_build_tensor(&s.b, GSP_DTYPE_NONE, dims, 1);
        } else if (i == 2u) {
            gsp_build_tensor(&s.b, GSP_DTYPE_COUNT, dims, 1);
        } else if (i == 3u) {
            gsp_build_seconds(&s.b, GSP_KEY_BYTES, 1, 0);
        } else if (i == 4u) {
            static const uint64_t huge[] = {UINT64_MAX - 1u, 9u};
            gsp_build_tensor(&s.b, GSP_DTYPE_U8, huge, 2);
        } else {
            gsp_build_tensor(&s.b, GSP_DTYPE_F32, dims, GSP_RANK_MAX);
        }
        (void)gsp_build_output(&s.b);
        gsp_build_arg_node(&s.b, 0);
        T_EQUAL(gsp_build_finish(&s.b, &s.m, &s.err), i == 5u   ? GSP_OK
                                                      : i == 4u ? GSP_STATUS_OVERFLOW
                                                                : GSP_STATUS_ARG);
        t_arena_close(&s.arena);
    }
    for (uint32_t i = 1; i < GSP_DTYPE_COUNT; i++) {
        made s;
        start(&s);
        (void)add(&s, GSP_OP_PLACEHOLDER, "x", "x", GSP_NONE);
        gsp_build_tensor(&s.b, (gsp_dtype)i, dims, 2);
        if (finish(&s, 0)) {
            gsp_graph const g = gsp_module_graph(&s.m, 0);
            T_EQUAL(gsp_type_dtype(gsp_node_type(&g, 0)), i);
        }
        t_arena_close(&s.arena);
    }
}

/* A number of the caller stays with its node in subgraphs, in a stored module and in text. */
static void test_user(void)
{
    made s;
    gsp_split_subgraphs_result r;
    static const gsp_table_entry table[] = {GSP_OP("conv", "")};
    start(&s);
    (void)add(&s, GSP_OP_PLACEHOLDER, "x", "x", GSP_NONE);
    gsp_build_user(&s.b, 11);
    (void)add(&s, GSP_OP_CALL_FUNCTION, "a", "conv", 0);
    gsp_build_user(&s.b, UINT64_MAX);
    (void)add(&s, GSP_OP_CALL_FUNCTION, "c", "sort", 1);
    if (finish(&s, 2)) {
        gsp_graph const g = gsp_module_graph(&s.m, 0);
        T_EQUAL(gsp_node_user(&g, 1), UINT64_MAX);
        T_EQUAL(gsp_node_user(&g, 2), 0u);
        T_EQUAL(gsp_node_user(&g, GSP_NONE), 0u);
        gsp_split_subgraphs_desc desc = {0};
        gsp_rule rule = {0};
        gsp_accelerator const npu = {&rule, 1};
        rule.kind = GSP_RULE_TABLE;
        rule.table.entries = table;
        rule.table.n_entries = 1;
        desc.support.accelerators = &npu;
        desc.support.n_accelerators = 1;
        if (T_EQUAL(gsp_split_subgraphs_run(&s.arena, &g, &desc, &r, &s.err), GSP_OK)) {
            gsp_module stored;
            T_EQUAL(r.split.n_subgraphs, 2u);
            T_EQUAL(gsp_module_open(
                        &stored, r.subgraphs.module.block, r.subgraphs.module.block_size, 0, NULL),
                GSP_OK);
            gsp_graph const root = gsp_module_graph(&stored, 0);
            gsp_graph const part = gsp_module_graph(&stored, r.subgraphs.graph_of[1]);
            T_EQUAL(gsp_node_user(&root, 0), 11u);
            T_EQUAL(gsp_node_user(&part, r.subgraphs.node_of[1]), UINT64_MAX);
        }
    }
    t_arena_close(&s.arena);
}

/* A value counts once per other kind that reads it. */
static void test_traffic(void)
{
    t_split s;
    T_EQUAL(t_split_text(&s,
                "graph():\n"
                "    %x : [num_users=1] = placeholder[target=x]  # f32[9]\n"
                "    %a : [num_users=4] = call_function[target=f](args = (%x,), kwargs = {})  # "
                "f32[2] acc=1\n"
                "    %b : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})  # "
                "f32[s0, 3]\n"
                "    %c : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})  # "
                "f32[4]\n"
                "    %d : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})  # "
                "f32[5] acc=1\n"
                "    %e : [num_users=1] = call_function[target=f](args = (%b, %c, %d), kwargs = "
                "{})  # f32[6] acc=1\n"
                "    return (e, a)\n",
                NULL, NULL),
        GSP_OK);
    gsp_traffic const t = gsp_split_traffic(&s.graph, &s.split);
    T_EQUAL(t.values, 3u); /* a to the CPU; b and c back */
    T_EQUAL(t.bytes, 8u + 12u + 16u);
    T_EQUAL(t.unsized, 1u);
    t_split_close(&s);
    T_EQUAL(t_split_text(&s,
                "graph():\n"
                "    %a : [num_users=1] = call_function[target=f](args = (), kwargs = {})  # "
                "f32[2] acc=1 bytes=18446744073709551615\n"
                "    %b : [num_users=1] = call_function[target=f](args = (), kwargs = {})  # "
                "f32[s0] acc=1 bytes=2\n"
                "    %c : [num_users=1] = call_function[target=f](args = (%a, %b), kwargs = {})\n"
                "    return c\n",
                NULL, NULL),
        GSP_OK);
    gsp_traffic const most = gsp_split_traffic(&s.graph, &s.split);
    T_EQUAL(most.values, 2u);
    T_EQUAL(most.bytes, UINT64_MAX);
    T_EQUAL(most.unsized, 0u); /* bytes= says the size */
    t_split_close(&s);
}

/* A scalar has no dimension, and a text that is no number is no number of the caller. */
static void test_texts(void)
{
    static const char text[] = "graph():\n"
                               "    %x : [num_users=1] = placeholder[target=x]  # f32[] user=7 "
                               "name=ab\n"
                               "    %y : [num_users=1] = placeholder[target=y]  # f32[2] user=z\n"
                               "    return (x, y)\n";
    gsp_arena arena;
    gsp_module m;
    uint64_t dims[2] = {0, 0};
    if (t_must_read(&arena, text, &m)) {
        gsp_graph const g = gsp_module_graph(&m, 0);
        T_EQUAL(gsp_graph_find(&g, gsp_str_of("ab")), 0u);
        T_EQUAL(gsp_graph_find(&g, gsp_str_of("a ")), GSP_NONE); /* which is a%20 */
        T_EQUAL(gsp_node_user(&g, 0), 7u);
        T_EQUAL(gsp_node_user(&g, 1), 0u);
        T_EQUAL(gsp_type_dims(gsp_node_type(&g, 0), dims, 2), 0u);
        T_EQUAL(gsp_type_dims(gsp_node_type(&g, 1), dims, 2), 1u);
        T_EQUAL(dims[0], 2u);
    }
    t_arena_close(&arena);
}

/* Builder to subgraphs in one call; whatever fails leaves the arena as it was. */
static void test_simple(void)
{
    static const gsp_table_entry table[] = {GSP_OP("conv", "")};
    gsp_split_subgraphs_result r;
    for (uint32_t i = 0; i < 4u; i++) {
        made s;
        start(&s);
        gsp_node const x = add(&s, GSP_OP_PLACEHOLDER, "x", "x", GSP_NONE);
        gsp_node const conv = gsp_build_call(&s.b, gsp_str_of("conv"), &x, 1);
        gsp_node const both[] = {conv, x};
        gsp_node const again = gsp_build_call(&s.b, gsp_str_of("conv"), both, 2);
        gsp_node const nms = gsp_build_call(&s.b, gsp_str_of("nms"), &again, 1);
        if (i != 1u) {
            (void)gsp_build_output(&s.b);
            gsp_build_arg_node(&s.b, nms);
        }
        gsp_status const status =
            gsp_split_simple(&s.b, i == 2u ? NULL : table, 1, i == 3u ? NULL : &r, &s.err);
        if (i == 0u && T_EQUAL(status, GSP_OK)) {
            gsp_graph const part = gsp_module_graph(&r.subgraphs.module, 1);
            T_EQUAL(r.split.n_subgraphs, 2u);
            T_EQUAL(r.split.subgraph_kind[0], 1u);
            T_EQUAL(r.split.subgraph_begin[1], 2u);
            T_EQUAL(gsp_graph_find(&part, gsp_str_of("conv_1")), 2u);
        } else if (i != 0u) {
            T_EQUAL(status, i == 1u ? GSP_STATUS_PARSE : GSP_STATUS_ARG);
            T_EQUAL(s.arena.low + s.arena.high, 0u);
        }
        t_arena_close(&s.arena);
    }
    T_EQUAL(gsp_split_simple(NULL, table, 1, &r, NULL), GSP_STATUS_ARG);
}

/* With every size of the arena, from too little for the module: an arena as it was, or a result. */
static void test_simple_room(void)
{
    static const gsp_table_entry table[] = {GSP_OP("conv", "")};
    gsp_counts const counts = gsp_build_counts(1, 20, 60, 40, 80, 4000);
    gsp_split_subgraphs_result r;
    uint32_t refused = 0;
    uint32_t n_made = 0;
    for (size_t size = gsp_build_bound(&counts); n_made == 0u && !t_failed(); size += 64u) {
        gsp_arena arena;
        gsp_builder b;
        gsp_error err;
        t_arena_open(&arena, size);
        T_EQUAL(gsp_build_init(&b, &arena, &counts, &err), GSP_OK);
        gsp_build_graph(&b, gsp_str_of(""));
        gsp_node const x = gsp_build_node(
            &b, GSP_OP_PLACEHOLDER, gsp_str_of("a_long_name_for_little_room"), gsp_str_of("x"));
        for (uint32_t i = 0; i < 17u; i++) {
            (void)gsp_build_call(&b, gsp_str_of("conv"), &x, 1);
        }
        (void)gsp_build_output(&b);
        gsp_build_arg_node(&b, 1);
        gsp_status const status = gsp_split_simple(&b, table, 1, &r, &err);
        n_made += status == GSP_OK;
        refused += status == GSP_STATUS_NOMEM;
        if (status == GSP_OK) {
            T_EQUAL(r.split.n_subgraphs, 1u);
            T_EQUAL(r.split.subgraph_begin[1], 17u);
        } else {
            T_CHECK(err.need > err.limit && arena.low + arena.high == 0u);
        }
        t_arena_close(&arena);
    }
    T_CHECK(n_made == 1u && refused > 0u);
}

static void test_names(void)
{
    static const char blank[] = "a b\n%\xC3\xA9";
    made s;
    start(&s);
    (void)add(&s, GSP_OP_PLACEHOLDER, "/conv1/Conv", "x", GSP_NONE);
    (void)add(&s, GSP_OP_CALL_FUNCTION, "_conv1_Conv", "f", 0); /* the name of the first */
    (void)add(&s, GSP_OP_CALL_FUNCTION, ".conv1.Conv", "f", 1);
    (void)add(&s, GSP_OP_CALL_FUNCTION, blank, "f", 2);
    gsp_build_type(&s.b, gsp_str_of("f32[2]"));
    gsp_build_attr(&s.b, gsp_str_of("acc"), gsp_str_of("1"));
    (void)add(&s, GSP_OP_CALL_FUNCTION, "", "f", 3);
    (void)add(&s, GSP_OP_CALL_FUNCTION, "9", "f", 4);
    if (finish(&s, 5)) {
        gsp_graph const g = gsp_module_graph(&s.m, 0);
        gsp_arena arena;
        gsp_module read;
        t_string text = t_print(&s.m, NULL);
        T_STRING(text.data,
            "graph():\n"
            "    %_conv1_Conv : [num_users=1] = placeholder[target=x]  # name=/conv1/Conv\n"
            "    %_conv1_Conv_1 : [num_users=1] = call_function[target=f](args = (%_conv1_Conv,), "
            "kwargs = {})  # name=_conv1_Conv\n"
            "    %_conv1_Conv_2 : [num_users=1] = call_function[target=f](args = "
            "(%_conv1_Conv_1,), "
            "kwargs = {})  # name=.conv1.Conv\n"
            "    %a_b_\xC3\xA9 : [num_users=1] = call_function[target=f](args = (%_conv1_Conv_2,), "
            "kwargs = {})  # f32[2] name=a%20b%0A%25%C3%A9 acc=1\n"
            "    %_ : [num_users=1] = call_function[target=f](args = (%a_b_\xC3\xA9,), kwargs = "
            "{})\n"
            "    %9 : [num_users=1] = call_function[target=f](args = (%_,), kwargs = {})\n"
            "    return 9\n");
        T_EQUAL(gsp_graph_find(&g, gsp_str_of("/conv1/Conv")), 0u);
        T_EQUAL(gsp_graph_find(&g, gsp_str_of("_conv1_Conv")), 1u);
        T_EQUAL(gsp_graph_find(&g, gsp_str_of("_conv1_Conv_1")), 1u);
        T_EQUAL(gsp_graph_find(&g, gsp_str_of(blank)), 3u);
        T_EQUAL(gsp_graph_find(&g, gsp_str_of("a b\n%")), GSP_NONE);
        T_EQUAL(gsp_graph_find(&g, gsp_str_of("/conv1/Con")), GSP_NONE);
        T_EQUAL(gsp_graph_find(&g, gsp_str_of("/conv1/Conv ")), GSP_NONE);
        T_EQUAL(gsp_graph_find(&g, gsp_str_of("9")), 5u);
        T_EQUAL(gsp_node_attr_find(&g, 3, gsp_str_of("acc")).size, 1u);
        T_CHECK(gsp_node_attr_find(&g, 3, gsp_str_of("other")).data == NULL);
        T_CHECK(gsp_node_attr_find(&g, 99, gsp_str_of("acc")).data == NULL);
        if (t_must_read(&arena, text.data, &read)) {
            gsp_graph const again = gsp_module_graph(&read, 0);
            T_EQUAL(gsp_graph_find(&again, gsp_str_of(blank)), 3u);
            t_arena_close(&arena);
        }
        t_free(&text);
    }
    t_arena_close(&s.arena);
    start(&s);
    (void)add(&s, GSP_OP_PLACEHOLDER, "x", "x", GSP_NONE);
    (void)add(&s, GSP_OP_CALL_FUNCTION, "x", "f", 0);
    T_EQUAL(gsp_build_finish(&s.b, &s.m, &s.err), GSP_STATUS_DUPLICATE);
    t_arena_close(&s.arena);
}

static void check_error(const gsp_error *err, const char *field, const char *sentence)
{
    t_string text = {NULL, 0, 0};
    T_STRING(err->field, field);
    T_EQUAL(gsp_error_write(err, NULL, t_sink, &text), GSP_OK);
    T_STRING(text.data, sentence);
    t_free(&text);
}

/* An error of an argument or option says which one it is. */
static void test_fields(void)
{
    gsp_arena arena;
    gsp_module m;
    gsp_error err;
    gsp_split_desc split = {0};
    gsp_split_result cut;
    gsp_split_by_tags_desc tags = {0};
    gsp_split_by_tags_result made_tags;
    gsp_topo_order_desc order = {0};
    gsp_topo_order_result ordered;
    gsp_partition_desc partition = {0};
    gsp_partition_result parts;
    uint32_t tag_of[2] = {0, 0};
    if (!t_must_read(&arena,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return x\n", &m)) {
        return;
    }
    gsp_graph const g = gsp_module_graph(&m, 0);
    gsp_graph const none = {&m, 0, 0, 0, NULL};
    T_EQUAL(gsp_split_run(&arena, NULL, &split, &cut, &err), GSP_STATUS_ARG);
    check_error(&err, "graph", "ARG: graph is NULL");
    T_EQUAL(gsp_split_run(&arena, &g, NULL, &cut, &err), GSP_STATUS_ARG);
    check_error(&err, "desc", "ARG: desc is NULL");
    T_EQUAL(gsp_split_run(&arena, &g, &split, NULL, &err), GSP_STATUS_ARG);
    check_error(&err, "result", "ARG: result is NULL");
    tags.n_tags = 1;
    tags.tag_of = tag_of;
    T_EQUAL(gsp_split_by_tags_run(&arena, &g, &tags, &made_tags, &err), GSP_STATUS_ARG);
    check_error(&err, "names", "ARG: names is NULL; required when n_tags > 0");
    T_EQUAL(gsp_split_by_tags_run(&arena, &none, &tags, &made_tags, &err), GSP_STATUS_ARG);
    check_error(&err, "n_nodes", "ARG: an index points outside of its array, n_nodes");
    order.kind = GSP_TOPO_ORDER_COUNT;
    T_EQUAL(gsp_topo_order_run(&arena, &g, &order, &ordered, &err), GSP_STATUS_DESC);
    check_error(&err, "kind", "DESC: an option names a choice that does not exist, kind");
    partition.n_devices = 1;
    T_EQUAL(gsp_partition_run(&arena, &g, &partition, &parts, &err), GSP_STATUS_ARG);
    check_error(&err, "devices", "ARG: devices is NULL; required when n_devices > 0");
    T_EQUAL(gsp_topo_order_run(&arena, &g, NULL, &ordered, &err), GSP_OK);
    T_STRING(err.field, "");
    t_arena_close(&arena);
}

void suite_unit_numbers(void)
{
    t_run("tensor", test_tensor);
    t_run("limits", test_limits);
    t_run("user", test_user);
    t_run("traffic", test_traffic);
    t_run("texts", test_texts);
    t_run("simple", test_simple);
    t_run("simple_room", test_simple_room);
    t_run("names", test_names);
    t_run("fields", test_fields);
}
