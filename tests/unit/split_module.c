/* split_module: options, names, child graphs, errors. What it makes of a graph as such is shown by
 * tests/golden/module, tests/cases (D1 to D17) and tests/oracle/split_module.c. */
#include "tests/t.h"

typedef struct parts {
    gsp_arena arena;
    gsp_module m;
    gsp_graph g;
    gsp_split_module_desc desc;
    gsp_split_module_result r;
    gsp_error err;
    uint32_t part_of[32];
} parts;

/* `digits`: the partition of every callable node, a digit each. */
static void open(parts *s, const char *text, const char *digits)
{
    gsp_node v;
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, 1u << 18);
    T_EQUAL(gsp_text_read(&s->arena, text, strlen(text), NULL, &s->m, &s->err), GSP_OK);
    s->g = gsp_module_graph(&s->m, 0u);
    for (v = 0; v < s->g.n_nodes; v++) {
        if (gsp_node_is_callable(&s->g, v)) {
            s->part_of[v] = (uint32_t)(*digits++ - '0');
            s->desc.n_parts =
                s->part_of[v] >= s->desc.n_parts ? s->part_of[v] + 1u : s->desc.n_parts;
        }
    }
    s->desc.part_of = s->part_of;
}

static gsp_status run(parts *s)
{
    return gsp_split_module_run(&s->arena, &s->g, &s->desc, &s->r, &s->err);
}

static void close(parts *s)
{
    t_arena_close(&s->arena);
}

static void check_text(const parts *s, const char *expected, int line)
{
    t_string text = t_print(&s->r.module, NULL);
    t_check_text(gsp_str_of(text.data), expected, __FILE__, line, "module");
    t_free(&text);
}
#define IS(s, expected) check_text((s), (expected), __LINE__)

static gsp_str string_of(const parts *s, gsp_atom id)
{
    return gsp_module_str(&s->r.module, id);
}

static const char chain[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]\n"
    "    %a : [num_users=2] = call_function[target=f](args = (%x,), kwargs = {})  # f32[2]\n"
    "    %arg_0 : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})\n"
    "    %c : [num_users=1] = call_function[target=h](args = (%arg_0, %a), kwargs = {})\n"
    "    return c\n";

/* Inputs by number go past the names of the partition's own nodes. */
static void test_number_inputs(void)
{
    parts s;
    open(&s, chain, "011");
    s.desc.number_inputs = 1;
    T_EQUAL(run(&s), GSP_OK);
    IS(&s, "module main\n"
           "graph():\n"
           "    %x : [num_users=1] = placeholder[target=x]\n"
           "    %submod_0 : [num_users=1] = call_module[target=submod_0](args = (%x,), kwargs = "
           "{})  # f32[2]\n"
           "    %submod_1 : [num_users=1] = call_module[target=submod_1](args = (%submod_0,), "
           "kwargs = {})\n"
           "    return submod_1\n"
           "module submod_0\n"
           "graph():\n"
           "    %arg_0 : [num_users=1] = placeholder[target=arg_0]\n"
           "    %a : [num_users=1] = call_function[target=f](args = (%arg_0,), kwargs = {})  # "
           "f32[2]\n"
           "    return a\n"
           "module submod_1\n"
           "graph():\n"
           "    %arg_1 : [num_users=2] = placeholder[target=arg_1]  # f32[2]\n"
           "    %arg_0 : [num_users=1] = call_function[target=g](args = (%arg_1,), kwargs = {})\n"
           "    %c : [num_users=1] = call_function[target=h](args = (%arg_0, %arg_1), kwargs = "
           "{})\n"
           "    return c\n");
    close(&s);
}

/* Targets of modules and names of nodes do not take each other's numbers. */
static void test_numbers_and_targets(void)
{
    static const char text[] =
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]\n"
        "    %a : [num_users=1] = call_module[target=arg_0](args = (%x,), kwargs = {})\n"
        "    %b : [num_users=1] = call_module[target=arg_0](args = (%a,), kwargs = {})\n"
        "    %c : [num_users=1] = call_module[target=arg_0](args = (%b,), kwargs = {})\n"
        "    return c\n";
    parts s;
    uint32_t i;
    open(&s, text, "012");
    s.desc.number_inputs = 1;
    T_EQUAL(run(&s), GSP_OK);
    for (i = 1; i <= 3u; i++) {
        gsp_graph const part = gsp_module_graph(&s.r.module, i);
        T_TEXT(gsp_node_name(&part, 0u), "arg_0");
        T_TEXT(gsp_node_target(&part, 1u), "arg_0");
    }
    close(&s);
}

static void test_prefix_and_tuple(void)
{
    static const gsp_str names[] = {{"red", 3}, {"blue", 4}};
    parts s;
    open(&s, chain, "001");
    s.desc.names = names;
    s.desc.prefix = "part.";
    s.desc.return_tuple = 1;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.n_parts, 2);
    T_TEXT(string_of(&s, s.r.module.graphs[1].name), "part.red");
    T_TEXT(string_of(&s, s.r.module.graphs[2].name), "part.blue");
    T_EQUAL(s.r.root_of[3], s.r.call[1] + 1u); /* the getitem of the only value */
    close(&s);
}

/* Two targets that flatten to one name, in one partition and in two. */
static void test_flat_names(void)
{
    static const char text[] =
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]\n"
        "    %a : [num_users=1] = call_module[target=a.b_c](args = (%x,), kwargs = {})\n"
        "    %b : [num_users=1] = call_module[target=a_b.c](args = (%a,), kwargs = {})\n"
        "    %c : [num_users=1] = call_module[target=a_b_c_1](args = (%b,), kwargs = {})\n"
        "    %d : [num_users=1] = call_module[target=a.b_c](args = (%c,), kwargs = {})\n"
        "    %e : [num_users=1] = call_module[target=a_b.c](args = (%d,), kwargs = {})\n"
        "    return e\n";
    static const char *const made[] = {"a_b_c", "a_b_c_1", "a_b_c_2", "a_b_c"};
    static const char *const old[] = {"a.b_c", "a_b.c", "a_b_c_1", "a_b.c"};
    parts s;
    uint32_t i;
    open(&s, text, "00001");
    T_EQUAL(run(&s), GSP_OK);
    if (T_EQUAL(s.r.n_qualnames, 4)) {
        for (i = 0; i < 4u; i++) {
            T_TEXT(string_of(&s, s.r.qualnames[i].made), made[i]);
            T_TEXT(string_of(&s, s.r.qualnames[i].old), old[i]);
            T_EQUAL(s.r.qualnames[i].graph, i < 3u ? 1u : 2u);
        }
    }
    close(&s);
}

/* A graph is never named like an attribute, a called module or a child graph: they would be taken
 * for it when the text is read. */
static void test_taken_names(void)
{
    static const char text[] =
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]\n"
        "    %submod_1 : [num_users=1] = get_attr[target=submod_0]\n"
        "    %a : [num_users=1] = call_module[target=submod.2](args = (%x, %submod_1), kwargs = "
        "{})\n"
        "    %b : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})\n"
        "    return b\n";
    parts s;
    open(&s, text, "01");
    T_EQUAL(run(&s), GSP_OK);
    T_TEXT(string_of(&s, s.r.module.graphs[1].name), "submod_1");
    T_TEXT(string_of(&s, s.r.module.graphs[2].name), "submod_3");
    close(&s);
}

/* Case D14, and deduplicated input: a get_attr that names a child graph is copied behind the
 * placeholders, other attributes are passed; a call of a child graph keeps its target. */
static void test_child_graphs(void)
{
    static const char text[] =
        "module main\n"
        "graph():\n"
        "    %x : [num_users=2] = placeholder[target=x]\n"
        "    %branch : [num_users=2] = get_attr[target=blk.0]\n"
        "    %y : [num_users=1] = placeholder[target=y]\n"
        "    %w : [num_users=1] = get_attr[target=w]\n"
        "    %op1 : [num_users=1] = call_function[target=invoke](args = (%branch, %x, %w), kwargs "
        "= {})\n"
        "    %op2 : [num_users=1] = call_function[target=invoke](args = (%branch, %op1), kwargs = "
        "{})\n"
        "    %op3 : [num_users=1] = call_module[target=blk.0](args = (%op2, %y, %x), kwargs = "
        "{})\n"
        "    return op3\n"
        "module blk.0\n"
        "graph():\n"
        "    %p : [num_users=1] = placeholder[target=p]\n"
        "    return p\n";
    parts s;
    open(&s, text, "011");
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.n_qualnames, 0);
    IS(&s, "module main\n"
           "graph():\n"
           "    %x : [num_users=2] = placeholder[target=x]\n"
           "    %y : [num_users=1] = placeholder[target=y]\n"
           "    %w : [num_users=1] = get_attr[target=w]\n"
           "    %submod_0 : [num_users=1] = call_module[target=submod_0](args = (%x, %w), kwargs = "
           "{})\n"
           "    %submod_1 : [num_users=1] = call_module[target=submod_1](args = (%submod_0, %y, "
           "%x), kwargs = {})\n"
           "    return submod_1\n"
           "module submod_0\n"
           "graph():\n"
           "    %x : [num_users=1] = placeholder[target=x]\n"
           "    %w : [num_users=1] = placeholder[target=w]\n"
           "    %branch : [num_users=1] = get_attr[target=blk.0]\n"
           "    %op1 : [num_users=1] = call_function[target=invoke](args = (%branch, %x, %w), "
           "kwargs = {})\n"
           "    return op1\n"
           "module submod_1\n"
           "graph():\n"
           "    %op1 : [num_users=1] = placeholder[target=op1]\n"
           "    %y : [num_users=1] = placeholder[target=y]\n"
           "    %x : [num_users=1] = placeholder[target=x]\n"
           "    %branch : [num_users=1] = get_attr[target=blk.0]\n"
           "    %op2 : [num_users=1] = call_function[target=invoke](args = (%branch, %op1), kwargs "
           "= {})\n"
           "    %op3 : [num_users=1] = call_module[target=blk.0](args = (%op2, %y, %x), kwargs = "
           "{})\n"
           "    return op3\n"
           "module blk.0\n"
           "graph():\n"
           "    %p : [num_users=1] = placeholder[target=p]\n"
           "    return p\n");
    close(&s);
}

static void refuses(const char *text, const char *digits, int keep, gsp_detail detail,
    uint32_t node, uint32_t other, uint64_t need)
{
    parts s;
    gsp_arena before;
    open(&s, text, digits);
    s.desc.keep_order = (uint32_t)keep;
    memcpy(&before, &s.arena, sizeof(before));
    T_EQUAL(run(&s), detail == GSP_DETAIL_TAG ? GSP_STATUS_ARG : GSP_STATUS_CYCLE);
    T_EQUAL(s.err.detail, detail);
    T_EQUAL(s.err.node, node);
    T_EQUAL(s.err.other, other);
    T_EQUAL(s.err.need, need);
    T_CHECK(memcmp(&before, &s.arena, sizeof(before)) == 0 ||
            s.arena.touched > before.touched); /* scratch may have been touched */
    T_EQUAL(s.arena.low, before.low);
    T_EQUAL(s.arena.high, before.high);
    close(&s);
}

static const char four[] =
    "graph():\n"
    "    %x : [num_users=2] = placeholder[target=x]\n"
    "    %a : [num_users=2] = call_method[target=sin](args = (%x,), kwargs = {})\n"
    "    %b : [num_users=1] = call_method[target=cos](args = (%a,), kwargs = {})\n"
    "    %c : [num_users=1] = call_method[target=tan](args = (%b,), kwargs = {})\n"
    "    %d : [num_users=1] = call_function[target=operator.add](args = (%a, %c, %x), kwargs = "
    "{})\n"
    "    return d\n";

/* Partition 0 reads from the cycle of 1 and 2, and is not on it. */
static const char beside[] =
    "graph():\n"
    "    %x : [num_users=2] = placeholder[target=x]\n"
    "    %a : [num_users=1] = call_method[target=sin](args = (%x,), kwargs = {})\n"
    "    %b : [num_users=1] = call_method[target=cos](args = (%x,), kwargs = {})\n"
    "    %c : [num_users=1] = call_method[target=tan](args = (%b,), kwargs = {})\n"
    "    %d : [num_users=1] = call_method[target=abs](args = (%c,), kwargs = {})\n"
    "    %e : [num_users=1] = call_function[target=operator.add](args = (%a, %d), kwargs = {})\n"
    "    return e\n";

static void test_errors(void)
{
    parts s;
    refuses(beside, "01210", 0, GSP_DETAIL_PARTS_CYCLE, 2, 1, 1);
    refuses(four, "0:01", 0, GSP_DETAIL_PARTS_CYCLE, 10, 0, 0); /* a colon is 10 */
    refuses(four, "0120", 0, GSP_DETAIL_PARTS_CYCLE, 2, 0, 1);
    refuses(four, "0100", 1, GSP_DETAIL_PARTS_CYCLE, 1, 0, 0);
    open(&s, four, "0001");
    s.desc.n_parts = 1;
    T_EQUAL(run(&s), GSP_STATUS_ARG);
    T_EQUAL(s.err.detail, GSP_DETAIL_TAG);
    T_EQUAL(s.err.node, 4);
    s.desc.n_parts = 2;
    s.desc.prefix = " x";
    T_EQUAL(run(&s), GSP_STATUS_ARG);
    T_EQUAL(s.err.detail, GSP_DETAIL_TAG_NAME);
    s.desc.prefix = NULL;
    s.desc.end_canary = 1;
    T_EQUAL(run(&s), GSP_STATUS_DESC);
    close(&s);
}

/* D17: an original order that the data forbids; without the option it is fine. */
static void test_original_order(void)
{
    static const char text[] =
        "graph():\n"
        "    %x : [num_users=2] = placeholder[target=x]\n"
        "    %sin : [num_users=1] = call_method[target=sin](args = (%x,), kwargs = {})\n"
        "    %cos : [num_users=1] = call_method[target=cos](args = (%x,), kwargs = {})\n"
        "    %add : [num_users=1] = call_function[target=operator.add](args = (%sin, %cos), kwargs "
        "= {})\n"
        "    return add\n";
    parts s;
    refuses(text, "010", 1, GSP_DETAIL_PARTS_ORDER, 0, 1, 0);
    open(&s, text, "010");
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.part[0], 1);
    T_EQUAL(s.r.part[1], 0);
    close(&s);
}

void suite_unit_split_module(void)
{
    t_run("number_inputs", test_number_inputs);
    t_run("numbers_and_targets", test_numbers_and_targets);
    t_run("prefix_and_tuple", test_prefix_and_tuple);
    t_run("flat_names", test_flat_names);
    t_run("taken_names", test_taken_names);
    t_run("child_graphs", test_child_graphs);
    t_run("errors", test_errors);
    t_run("original_order", test_original_order);
}
