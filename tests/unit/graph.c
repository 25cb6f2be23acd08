/* What a finished module looks like: rows, ids, tables of parameters and leaf modules. */
#include "tests/t.h"

static const char text[] =
    "module main\ngraph():\n"
    "    %x : [num_users=2] = placeholder[target=x]  # f32[4]\n"
    "    %w : [num_users=2] = get_attr[target=blk.w]  # f32[2]\n"
    "    %f : [num_users=3] = call_module[target=blk.conv](args = (%x, %w, %x), kwargs = {})\n"
    "    %v : [num_users=0] = get_attr[target=blk.w]\n"
    "    %g : [num_users=1] = call_module[target=sub](args = ([%f, (%w,)], %f), kwargs = {a: %x})\n"
    "    %h : [num_users=1] = call_module[target=blk.conv](args = (%g, %f), kwargs = {})\n"
    "    return (h, f)\n"
    "module sub\ngraph():\n"
    "    %x : [num_users=1] = placeholder[target=x]\n"
    "    %u : [num_users=1] = get_attr[target=u]\n"
    "    %f : [num_users=1] = call_module[target=deep](args = (%u, %x), kwargs = {})\n"
    "    return f\n";

static void check_row(const gsp_node *row, uint32_t n, const char *expected, int line)
{
    t_string s = {NULL, 0u, 0u};
    uint32_t i;
    t_add(&s, "", 0u);
    for (i = 0; i < n; i++) {
        t_number(&s, row[i]);
        t_puts(&s, " ");
    }
    t_check_text(gsp_str_of(s.data), expected, __FILE__, line, "row");
    t_free(&s);
}

static void check_rows(
    const gsp_graph *g, gsp_node v, const char *inputs, const char *users, int line)
{
    uint32_t n;
    const gsp_node *row = gsp_node_inputs(g, v, &n);
    check_row(row, n, inputs, line);
    row = gsp_node_users(g, v, &n);
    check_row(row, n, users, line);
}
#define ROWS(v, inputs, users) check_rows(&g, (v), (inputs), (users), __LINE__)

static void test_rows(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena, text, &m)) {
        gsp_graph g = gsp_module_graph(&m, 0u);
        ROWS(0u, "", "2 4 ");
        ROWS(1u, "", "2 4 ");
        ROWS(2u, "0 1 ", "4 5 6 ");
        ROWS(3u, "", "");
        ROWS(4u, "2 1 0 ", "5 ");
        ROWS(5u, "4 2 ", "6 ");
        ROWS(6u, "5 2 ", "");
        g = gsp_module_graph(&m, 1u);
        T_EQUAL(g.first, 7);
        T_EQUAL(g.n_nodes, 4);
        ROWS(0u, "", "2 ");
        ROWS(2u, "1 0 ", "3 ");
        ROWS(3u, "2 ", "");
    }
    t_arena_close(&arena);
}

static void test_counts(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena, text, &m)) {
        gsp_graph const g = gsp_module_graph(&m, 0u);
        gsp_counts const c = gsp_graph_counts(&g);
        T_EQUAL(m.counts.graphs, 2);
        T_EQUAL(m.counts.nodes, 11);
        T_EQUAL(m.counts.edges, 9 + 3);
        T_EQUAL(c.graphs, 1);
        T_EQUAL(c.nodes, 7);
        T_EQUAL(c.edges, 9);
        T_EQUAL(c.strings, m.counts.strings);
        T_EQUAL(c.bytes, m.counts.bytes);
        T_EQUAL(m.string_begin[m.counts.strings], m.counts.bytes);
        T_EQUAL(m.in_begin[11], 12);
        T_EQUAL(m.user_begin[11], 12);
        T_EQUAL(m.arg_begin[11], m.counts.args);
    }
    t_arena_close(&arena);
}

static void test_uses(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena, text, &m)) {
        T_EQUAL(m.n_params, 2);
        T_TEXT(gsp_module_str(&m, m.params[0].target), "blk.w");
        T_EQUAL(m.params[0].node, 1);
        T_EQUAL(m.params[0].graph, 0);
        T_TEXT(gsp_module_str(&m, m.params[1].target), "u");
        T_EQUAL(m.params[1].node, 1);
        T_EQUAL(m.params[1].graph, 1);
        T_EQUAL(m.n_leaves, 2);
        T_TEXT(gsp_module_str(&m, m.leaves[0].target), "blk.conv");
        T_EQUAL(m.leaves[0].node, 2);
        T_TEXT(gsp_module_str(&m, m.leaves[1].target), "deep");
        T_EQUAL(m.leaves[1].graph, 1);
    }
    t_arena_close(&arena);
}

/* A parameter and a leaf module may have one name. */
static void test_use_of_one_name(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena,
            "graph():\n    %w : [num_users=1] = get_attr[target=w]\n"
            "    %a : [num_users=1] = call_module[target=w](args = (%w,), kwargs = {})\n"
            "    return a\n",
            &m)) {
        T_EQUAL(m.n_params, 1);
        T_EQUAL(m.n_leaves, 1);
        T_EQUAL(m.leaves[0].node, 1);
    }
    t_arena_close(&arena);
}

/* The known keys are the first strings of every module; every string stands once. */
static void test_strings(void)
{
#define KEY_TEXT(name, key_text) key_text,
    static const char *const keys[] = {GSP_KEY_LIST(KEY_TEXT)};
#undef KEY_TEXT
    gsp_arena arena;
    gsp_module m;
    uint32_t i;
    uint32_t k;
    if (t_must_read(&arena, text, &m)) {
        for (i = 0; i < GSP_KEY_COUNT; i++) {
            T_TEXT(gsp_module_str(&m, i), keys[i]);
        }
        for (i = 0; i < m.counts.strings; i++) {
            for (k = 0; k < i; k++) {
                T_CHECK(!gsp_str_equal(gsp_module_str(&m, i), gsp_module_str(&m, k)));
            }
        }
        T_EQUAL(gsp_module_str(&m, m.counts.strings).size, 0);
        T_EQUAL(gsp_module_str(&m, GSP_NONE).size, 0);
        T_EQUAL(m.name[0], m.name[7]);
        for (i = 1; i < m.counts.graphs; i++) {
            T_CHECK(m.graphs[m.by_name[i - 1u]].name < m.graphs[m.by_name[i]].name);
        }
    }
    t_arena_close(&arena);
}

void suite_unit_graph(void)
{
    t_run("rows", test_rows);
    t_run("counts", test_counts);
    t_run("uses", test_uses);
    t_run("use_of_one_name", test_use_of_one_name);
    t_run("strings", test_strings);
}
