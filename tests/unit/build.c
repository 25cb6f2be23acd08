#include "tests/t.h"

typedef struct building {
    gsp_arena arena;
    gsp_builder b;
    gsp_module m;
    gsp_error err;
} building;

static void start(building *s)
{
    gsp_counts const counts = gsp_build_counts(3u, 20u, 100u, 40u, 60u, 2000u);
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, gsp_build_bound(&counts));
    T_EQUAL(gsp_build_init(&s->b, &s->arena, &counts, &s->err), GSP_OK);
}

static gsp_node add(building *s, gsp_op op, const char *name, const char *target)
{
    return gsp_build_node(&s->b, op, gsp_str_of(name), gsp_str_of(target));
}

static void constant(building *s, const char *spelling)
{
    gsp_build_constant(&s->b, gsp_str_of(spelling));
}

static void finish(building *s, const char *expected)
{
    if (T_EQUAL(gsp_build_finish(&s->b, &s->m, &s->err), GSP_OK)) {
        t_string text = t_print(&s->m, NULL);
        T_STRING(text.data, expected);
        t_free(&text);
    }
    t_arena_close(&s->arena);
}

/* The builder keeps its first error; at the end the arena is as it was. */
static void fails(building *s, gsp_status status, gsp_detail detail, int line)
{
    t_check_equal((uint64_t)gsp_build_finish(&s->b, &s->m, &s->err), (uint64_t)status, __FILE__,
        line, "status");
    t_check_equal((uint64_t)s->err.detail, (uint64_t)detail, __FILE__, line, "detail");
    t_check_field(&s->err, __FILE__, line, "field");
    t_check_equal(s->arena.low + s->arena.high, 0u, __FILE__, line, "arena");
    t_check(s->m.block == NULL, __FILE__, line, "module untouched");
    t_arena_close(&s->arena);
}
#define FAILS(s, status, detail) fails((s), GSP_STATUS_##status, GSP_DETAIL_##detail, __LINE__)

/* The string of GSP_KEY_NONE stays the one empty string when the table of strings grows. */
static void test_empty_string(void)
{
    building s;
    char name[] = "aa";
    start(&s);
    gsp_build_graph(&s.b, gsp_str_of("g"));
    for (uint32_t i = 0; i < 18u; i++) {
        name[0] = (char)('a' + (int)i);
        name[1] = 'n';
        (void)add(&s, GSP_OP_PLACEHOLDER, name, name + 1);
        name[1] = 't';
        gsp_build_attr(&s.b, gsp_str_of("my"), gsp_str_of(name));
    }
    (void)add(&s, GSP_OP_CALL_FUNCTION, "f", "f");
    constant(&s, "");
    (void)gsp_build_output(&s.b);
    constant(&s, "None");
    if (T_EQUAL(gsp_build_finish(&s.b, &s.m, &s.err), GSP_OK)) {
        T_CHECK(s.m.counts.strings > GSP_KEY_COUNT + 36u);
        T_EQUAL(s.m.args[0].kind, GSP_ARG_CONSTANT);
        T_EQUAL(s.m.args[0].value, GSP_KEY_NONE);
    }
    t_arena_close(&s.arena);
}

static void test_everything(void)
{
    building s;
    gsp_node x;
    gsp_node f;
    start(&s);
    gsp_build_graph(&s.b, gsp_str_of(""));
    x = add(&s, GSP_OP_PLACEHOLDER, "x", "x");
    constant(&s, "None");
    gsp_build_type(&s.b, gsp_str_of("f32[2, 3]"));
    f = add(&s, GSP_OP_CALL_MODULE, "f", "blk.f");
    gsp_build_arg_node(&s.b, x);
    gsp_build_open(&s.b, GSP_ARG_TUPLE);
    gsp_build_open(&s.b, GSP_ARG_LIST);
    constant(&s, "1");
    gsp_build_arg_node(&s.b, x);
    gsp_build_close(&s.b);
    gsp_build_open(&s.b, GSP_ARG_SLICE);
    constant(&s, "0");
    gsp_build_arg_node(&s.b, x);
    constant(&s, "None");
    gsp_build_close(&s.b);
    gsp_build_close(&s.b);
    gsp_build_key(&s.b, gsp_str_of("k"));
    gsp_build_open(&s.b, GSP_ARG_DICT);
    gsp_build_key(&s.b, gsp_str_of("a"));
    constant(&s, "'b, c'");
    gsp_build_close(&s.b);
    gsp_build_attr(&s.b, gsp_str_of("module"), gsp_str_of("torch.nn.Linear"));
    gsp_build_attr(&s.b, gsp_str_of("my"), gsp_str_of("own"));
    T_EQUAL(gsp_build_output(&s.b), 2);
    gsp_build_open(&s.b, GSP_ARG_TUPLE);
    gsp_build_arg_node(&s.b, f);
    gsp_build_close(&s.b);
    finish(&s,
        "graph():\n    %x : [num_users=1] = placeholder[target=x](default=None)  # f32[2, 3]\n"
        "    %f : [num_users=1] = call_module[target=blk.f](args = (%x, ([1, %x], slice(0, x, "
        "None))), kwargs = {k: {a: 'b, c'}})  # module=torch.nn.Linear my=own\n"
        "    return (f,)\n");
}

static void test_two_graphs(void)
{
    building s;
    gsp_node x;
    start(&s);
    gsp_build_graph(&s.b, gsp_str_of("main"));
    x = add(&s, GSP_OP_PLACEHOLDER, "x", "x");
    T_EQUAL(x, 0);
    x = add(&s, GSP_OP_CALL_MODULE, "sub", "sub");
    gsp_build_arg_node(&s.b, 0u);
    gsp_build_output(&s.b);
    gsp_build_arg_node(&s.b, x);
    gsp_build_graph(&s.b, gsp_str_of("sub"));
    T_EQUAL(add(&s, GSP_OP_PLACEHOLDER, "x", "x"), 0);
    gsp_build_output(&s.b);
    gsp_build_arg_node(&s.b, 0u);
    finish(&s, "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
               "    %sub : [num_users=1] = call_module[target=sub](args = (%x,), kwargs = {})\n"
               "    return sub\nmodule sub\ngraph():\n"
               "    %x : [num_users=1] = placeholder[target=x]\n    return x\n");
}

/* A root has any name, and keeps it in text that reads back. */
static void test_name_of_root(void)
{
    static const char *const names[] = {"net", "sub"};
    static const char *const texts[] = {"module net\ngraph():\n    return None\n",
        "module net\ngraph():\n    return None\n"
        "module sub\ngraph():\n    return None\n"};
    uint32_t n;
    for (n = 0; n < 2u; n++) {
        building s;
        uint32_t i;
        start(&s);
        for (i = 0; i <= n; i++) {
            gsp_build_graph(&s.b, gsp_str_of(names[i]));
            gsp_build_output(&s.b);
            constant(&s, "None");
        }
        finish(&s, texts[n]);
        t_check_print(texts[n], texts[n], __FILE__, __LINE__);
    }
}

/* Graph with a node x and the start of a call f, for the errors below. */
static void start_call(building *s)
{
    start(s);
    gsp_build_graph(&s->b, gsp_str_of(""));
    add(s, GSP_OP_PLACEHOLDER, "x", "x");
    add(s, GSP_OP_CALL_FUNCTION, "f", "f");
}

static void end_graph(building *s)
{
    gsp_build_output(&s->b);
    gsp_build_arg_node(&s->b, 0u);
}

/* A constant is refused, or it reads back as it is. */
static void refused_or_reads_back(const char *spelling, int may_refuse, int may_accept)
{
    building s;
    gsp_status status;
    start_call(&s);
    constant(&s, spelling);
    constant(&s, "1");
    gsp_build_key(&s.b, gsp_str_of("k"));
    constant(&s, spelling);
    end_graph(&s);
    status = gsp_build_finish(&s.b, &s.m, &s.err);
    if (status != GSP_OK) {
        T_CHECK(may_refuse);
        T_EQUAL(s.err.detail, GSP_DETAIL_CONSTANT);
    } else {
        gsp_arena arena;
        gsp_module again;
        t_string text = t_print(&s.m, NULL);
        int const same = t_must_read(&arena, text.data, &again) && t_module_equal(&s.m, &again);
        if (!T_CHECK(may_accept) || !T_CHECK(same)) {
            printf("constant '%s'\n", spelling);
        }
        t_arena_close(&arena);
        t_free(&text);
    }
    t_arena_close(&s.arena);
}

static void test_constants(void)
{
    static const char *const bad[] = {
        "a, b", "%x", "(", ")", "(1)", "[1]", "a)", "a,%x", "slice(1)", "a\nb", "{a: 1}"};
    static const char *const good[] = {
        "a,b", "a b", "f(a, b)", "'%x, ('", "'a,%x'", "a,%y", "100%x", "x", "100%", "", "-1"};
    static const char *const either[] = {"{", "}", "'open", " a", "a ", "%", "{1, 2}", "f(", "\t",
        "a\tb", "a\r", ",", "slice", "slice(", "\"", ": "};
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(bad); i++) {
        refused_or_reads_back(bad[i], 1, 0);
    }
    for (i = 0; i < T_COUNT_OF(good); i++) {
        refused_or_reads_back(good[i], 0, 1);
    }
    for (i = 0; i < T_COUNT_OF(either); i++) {
        refused_or_reads_back(either[i], 1, 1);
    }
}

/* After `return` and in a slice a bare word that names a node is that node, so no constant may
 * say so. */
static void test_constants_that_name_nodes(void)
{
    building s;
    start_call(&s);
    gsp_build_output(&s.b);
    constant(&s, "f");
    FAILS(&s, ARG, CONSTANT);
    start_call(&s);
    gsp_build_open(&s.b, GSP_ARG_SLICE);
    constant(&s, "x");
    constant(&s, "None");
    constant(&s, "None");
    gsp_build_close(&s.b);
    end_graph(&s);
    FAILS(&s, ARG, CONSTANT);
    start_call(&s);
    gsp_build_open(&s.b, GSP_ARG_SLICE);
    gsp_build_open(&s.b, GSP_ARG_SLICE);
    constant(&s, "0");
    gsp_build_close(&s.b);
    constant(&s, "x"); /* still in the outer slice */
    gsp_build_close(&s.b);
    end_graph(&s);
    FAILS(&s, ARG, CONSTANT);
    start_call(&s);
    gsp_build_open(&s.b, GSP_ARG_SLICE);
    constant(&s, "0");
    gsp_build_close(&s.b);
    constant(&s, "x"); /* after it */
    end_graph(&s);
    T_EQUAL(gsp_build_finish(&s.b, &s.m, &s.err), GSP_OK);
    t_arena_close(&s.arena);
}

static void test_names(void)
{
    building s;
    start_call(&s);
    gsp_build_attr(&s.b, gsp_str_of("kind"), gsp_str_of("1")); /* no original name */
    add(&s, GSP_OP_CALL_FUNCTION, "f", "f");
    FAILS(&s, DUPLICATE, NAME_TWICE);
    start_call(&s);
    T_EQUAL(add(&s, GSP_OP_PLACEHOLDER, "x", "y"), GSP_NONE);
    T_EQUAL(add(&s, GSP_OP_PLACEHOLDER, "z", "z"), GSP_NONE);
    FAILS(&s, DUPLICATE, NAME_TWICE);
    T_EQUAL(s.err.what, GSP_WHAT_NODE);
    T_EQUAL(s.err.node, 2u);  /* the node that was to come */
    T_EQUAL(s.err.other, 0u); /* the one that has the name */
    start_call(&s);
    add(&s, GSP_OP_CALL_FUNCTION, "g", "a\nb");
    FAILS(&s, ARG, TARGET);
}

static void test_unknown_strings(void)
{
    building s;
    start(&s);
    gsp_build_graph(&s.b, gsp_str_of(""));
    T_EQUAL(gsp_build_node_atoms(&s.b, GSP_OP_CALL_FUNCTION, 9999u, 0u), GSP_NONE);
    FAILS(&s, ARG, RANGE);
}

static void test_later_nodes(void)
{
    building s;
    start_call(&s);
    gsp_build_arg_node(&s.b, 1u);
    end_graph(&s);
    FAILS(&s, UNDEFINED, NAME_UNKNOWN);
    start_call(&s);
    gsp_build_arg_node(&s.b, 7u);
    end_graph(&s);
    FAILS(&s, UNDEFINED, NAME_UNKNOWN);
}

static void test_state(void)
{
    building s;
    start(&s);
    add(&s, GSP_OP_PLACEHOLDER, "x", "x");
    FAILS(&s, ARG, STATE);
    start(&s);
    gsp_build_graph(&s.b, gsp_str_of(""));
    constant(&s, "1");
    FAILS(&s, ARG, STATE);
    start_call(&s);
    gsp_build_close(&s.b);
    FAILS(&s, ARG, BRACKET);
    start_call(&s);
    gsp_build_open(&s.b, GSP_ARG_TUPLE);
    end_graph(&s);
    FAILS(&s, ARG, BRACKET);
    start_call(&s);
    gsp_build_graph(&s.b, gsp_str_of("b"));
    FAILS(&s, ARG, STATE);
    start_call(&s);
    end_graph(&s);
    add(&s, GSP_OP_PLACEHOLDER, "y", "y");
    FAILS(&s, ARG, STATE);
    start_call(&s);
    gsp_build_key(&s.b, gsp_str_of("k"));
    end_graph(&s);
    FAILS(&s, ARG, KEY);
    start_call(&s);
    add(&s, GSP_OP_OUTPUT, "o", "output");
    FAILS(&s, ARG, OP);
}

static void test_unfinished(void)
{
    building s;
    start(&s);
    FAILS(&s, EMPTY, HEADER);
    start_call(&s);
    FAILS(&s, PARSE, RETURN);
    start_call(&s);
    gsp_build_output(&s.b);
    FAILS(&s, PARSE, RETURN);
    start_call(&s);
    end_graph(&s);
    gsp_build_graph(&s.b, gsp_str_of("main"));
    gsp_build_output(&s.b);
    constant(&s, "None");
    FAILS(&s, DUPLICATE, MODULE_NAME);
    T_EQUAL(s.err.what, GSP_WHAT_GRAPH);
    T_EQUAL(s.err.node, 1u);
    T_EQUAL(s.err.other, 0u);
}

static void test_bad_notes(void)
{
    static const char *const types[] = {
        "f32[", "f32", "tuple(f32[1]", "f32[1] x", "xyz", "f32[1]\n"};
    static const char *const users[] = {"int [num_users=1]", "int [#users=1]"};
    uint32_t i;
    building s;
    for (i = 0; i < T_COUNT_OF(types); i++) {
        start_call(&s);
        gsp_build_type(&s.b, gsp_str_of(types[i]));
        end_graph(&s);
        FAILS(&s, ARG, TYPE);
    }
    start_call(&s);
    gsp_build_attr(&s.b, gsp_str_of("bytes"), gsp_str_of("many"));
    end_graph(&s);
    FAILS(&s, ARG, NUMBER);
    start_call(&s);
    gsp_build_attr(&s.b, gsp_str_of("acc"), gsp_str_of("255")); /* GSP_KIND_NONE */
    end_graph(&s);
    FAILS(&s, ARG, KIND);
    start_call(&s);
    gsp_build_attr(&s.b, gsp_str_of("a b"), gsp_str_of("1"));
    end_graph(&s);
    FAILS(&s, ARG, ANNOTATION);
    start_call(&s);
    gsp_build_attr(&s.b, gsp_str_of("a"), gsp_str_of("1 2"));
    end_graph(&s);
    FAILS(&s, ARG, ANNOTATION);
    for (i = 0; i < T_COUNT_OF(users); i++) {
        start_call(&s); /* a type expression that would read back as another */
        gsp_build_attr(&s.b, gsp_str_of(":"), gsp_str_of(users[i]));
        end_graph(&s);
        FAILS(&s, ARG, ANNOTATION);
    }
}

/* To reserve the name of a node changes nothing: constants cannot hide the node. */
static void test_reserve_taken(void)
{
    building s;
    start_call(&s);
    add(&s, GSP_OP_CALL_FUNCTION, "g", "g");
    gsp_build_reserve(&s.b, gsp_build_atom(&s.b, gsp_str_of("f")));
    constant(&s, "1,%f");
    end_graph(&s);
    FAILS(&s, ARG, CONSTANT);
}

/* More of anything than the counts said: OVERFLOW, never past the end; the error says of what, how
 * many there would be and how many were counted. */
static void test_capacity(void)
{
    static const gsp_detail details[6] = {GSP_DETAIL_CAPACITY_GRAPHS, GSP_DETAIL_CAPACITY_NODES,
        GSP_DETAIL_CAPACITY_ARGS, GSP_DETAIL_CAPACITY_ATTRS, GSP_DETAIL_CAPACITY_STRINGS,
        GSP_DETAIL_CAPACITY_BYTES};
    uint32_t which;
    for (which = 0; which < 6u; which++) {
        uint32_t n[6] = {2, 9, 8, 8, 16, 400};
        gsp_counts counts;
        building s;
        uint32_t i;
        char name[80];
        n[which] = which == 5u ? 20u : 1u;
        memset(&s, 0, sizeof(s));
        counts = gsp_build_counts(n[0], n[1], n[2], n[3], n[4], n[5]);
        t_arena_open(&s.arena, gsp_build_bound(&counts));
        T_EQUAL(gsp_build_init(&s.b, &s.arena, &counts, &s.err), GSP_OK);
        gsp_build_graph(&s.b, gsp_str_of(""));
        for (i = 0; i < 7u; i++) {
            snprintf(name, sizeof(name), "a_rather_long_name_for_a_node_%u", (unsigned)i);
            add(&s, GSP_OP_CALL_FUNCTION, name, "f");
            constant(&s, "1");
            gsp_build_attr(&s.b, gsp_str_of("k"), gsp_str_of("1"));
        }
        end_graph(&s);
        gsp_build_graph(&s.b, gsp_str_of("b"));
        end_graph(&s);
        T_CHECK(s.b.used.graphs <= counts.graphs && s.b.used.nodes <= counts.nodes);
        T_CHECK(s.b.used.args <= counts.args && s.b.used.attrs <= counts.attrs);
        T_CHECK(s.b.used.strings <= counts.strings && s.b.used.bytes <= counts.bytes);
        fails(&s, GSP_STATUS_OVERFLOW, details[which], __LINE__);
        {
            uint32_t const limits[6] = {counts.graphs, counts.nodes, counts.args, counts.attrs,
                counts.strings, counts.bytes};
            T_EQUAL(s.err.limit, limits[which]);
            T_CHECK(s.err.need > s.err.limit && (which == 5u || s.err.need == s.err.limit + 1u));
        }
    }
}

/* What a builder adds by itself has to be counted; edges are counted at the end. */
static void test_own_capacity(void)
{
    gsp_counts counts = gsp_build_counts(1u, 4u, 8u, 0u, 8u, 100u);
    building s;
    memset(&s, 0, sizeof(s));
    t_arena_open(&s.arena, gsp_build_bound(&counts));
    counts.attrs = 0u;
    T_EQUAL(gsp_build_init(&s.b, &s.arena, &counts, &s.err), GSP_STATUS_OVERFLOW);
    T_EQUAL(s.err.detail, GSP_DETAIL_CAPACITY);
    counts.attrs = 5u;
    counts.edges = 0u;
    T_EQUAL(gsp_build_init(&s.b, &s.arena, &counts, &s.err), GSP_OK);
    gsp_build_graph(&s.b, gsp_str_of(""));
    add(&s, GSP_OP_PLACEHOLDER, "x", "x");
    gsp_build_output(&s.b);
    gsp_build_arg_node(&s.b, 0u);
    FAILS(&s, OVERFLOW, CAPACITY_EDGES);
    T_EQUAL(s.err.need, 1u);
    T_EQUAL(s.err.limit, 0u);
}

/* ---- copying by ids ---- */

static const char original[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[2] bytes=100 acc=1\n"
    "    %f : [num_users=1] = call_function[target=f](args = (%x, [1]), kwargs = {k: %x})  # int "
    "my=own\n"
    "    return (f,)\n";

static gsp_counts room(const gsp_module *m)
{
    return gsp_build_counts(
        2u, 20u, 60u, m->counts.attrs + 40u, m->counts.strings + 60u, m->counts.bytes + 1000u);
}

static void copy_args(gsp_builder *b, const gsp_graph *g, gsp_node v)
{
    uint32_t n;
    uint32_t i;
    const gsp_arg *const args = gsp_node_args(g, v, &n);
    for (i = 0; i < n; i++) {
        gsp_build_arg(b, args[i]);
    }
}

static void test_adopt(void)
{
    gsp_arena arena;
    gsp_module m;
    building s;
    gsp_counts counts;
    memset(&s, 0, sizeof(s));
    if (t_must_read(&arena, original, &m)) {
        gsp_graph const g = gsp_module_graph(&m, 0u);
        counts = room(&m);
        t_arena_open(&s.arena, gsp_build_bound(&counts));
        T_EQUAL(gsp_build_init(&s.b, &s.arena, &counts, &s.err), GSP_OK);
        gsp_build_adopt(&s.b, &m);
        gsp_build_graph(&s.b, gsp_str_of(""));
        gsp_build_node_atoms(&s.b, GSP_OP_PLACEHOLDER, m.name[0], m.target[0]);
        gsp_build_like(&s.b, &g, 0u, 0);
        gsp_build_node_atoms(
            &s.b, GSP_OP_CALL_FUNCTION, gsp_build_name(&s.b, gsp_node_name(&g, 0u)), m.target[1]);
        copy_args(&s.b, &g, 1u);
        gsp_build_like(&s.b, &g, 1u, 1);
        gsp_build_output(&s.b);
        copy_args(&s.b, &g, 2u);
        T_EQUAL(gsp_build_atom(&s.b, gsp_str_of("x")), m.name[0]);
        finish(&s, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[2] bytes=100\n"
                   "    %x_1 : [num_users=1] = call_function[target=f](args = (%x, [1]), kwargs = "
                   "{k: %x})  # int my=own\n    return (x_1,)\n");
    }
    t_arena_close(&arena);
}

static void check_name(building *s, const char *wanted, const char *expected, int line)
{
    gsp_atom const id = gsp_build_name(&s->b, gsp_str_of(wanted));
    gsp_str found;
    found.data = s->b.chars + s->b.string_begin[id];
    found.size = s->b.string_begin[id + 1u] - s->b.string_begin[id];
    t_check_text(found, expected, __FILE__, line, wanted);
    gsp_build_node_atoms(&s->b, GSP_OP_CALL_FUNCTION, id, id);
}

static void test_free_names(void)
{
    building s;
    start(&s);
    gsp_build_graph(&s.b, gsp_str_of(""));
    check_name(&s, "add", "add", __LINE__);
    check_name(&s, "add", "add_1", __LINE__);
    check_name(&s, "add", "add_2", __LINE__);
    check_name(&s, "add_1", "add_3", __LINE__);
    check_name(&s, "mul_7", "mul_7", __LINE__);
    check_name(&s, "mul_7", "mul_8", __LINE__);
    check_name(&s, "mul", "mul", __LINE__);
    check_name(&s, "a.b-c", "a_b_c", __LINE__);
    check_name(&s, "a..b", "a_b", __LINE__);
    check_name(&s, "3d", "_3d", __LINE__);
    check_name(&s, "a_b_c", "a_b_c_1", __LINE__);
    end_graph(&s);
    T_EQUAL(gsp_build_finish(&s.b, &s.m, &s.err), GSP_OK);
    t_arena_close(&s.arena);
}

void suite_unit_build(void)
{
    t_run("empty_string", test_empty_string);
    t_run("everything", test_everything);
    t_run("two_graphs", test_two_graphs);
    t_run("name_of_root", test_name_of_root);
    t_run("constants", test_constants);
    t_run("constants_that_name_nodes", test_constants_that_name_nodes);
    t_run("names", test_names);
    t_run("unknown_strings", test_unknown_strings);
    t_run("later_nodes", test_later_nodes);
    t_run("state", test_state);
    t_run("unfinished", test_unfinished);
    t_run("bad_notes", test_bad_notes);
    t_run("reserve_taken", test_reserve_taken);
    t_run("capacity", test_capacity);
    t_run("own capacity", test_own_capacity);
    t_run("adopt", test_adopt);
    t_run("free_names", test_free_names);
}
