#include "tests/t.h"

typedef struct work {
    gsp_arena arenas[2];
    gsp_module m;
    gsp_graph g;
    gsp_dependences e;
    gsp_error err;
} work;

/* Reads a text and asks for its dependences; t_close() after. */
static gsp_status open_work(work *w, const char *text)
{
    memset(w, 0, sizeof(*w));
    if (!t_must_read(&w->arenas[0], text, &w->m)) {
        t_arena_open(&w->arenas[1], 0u);
        return GSP_STATUS_PARSE;
    }
    w->g = gsp_module_graph(&w->m, 0u);
    t_arena_open(&w->arenas[1], gsp_dependences_bound(&w->g, NULL));
    return gsp_dependences_run(&w->arenas[1], &w->g, NULL, &w->e, &w->err);
}

static void close_work(work *w)
{
    t_arena_close(&w->arenas[1]);
    t_arena_close(&w->arenas[0]);
}

static gsp_node find(const work *w, const char *name)
{
    gsp_node const v = gsp_graph_find(&w->g, gsp_str_of(name));
    T_CHECK(v != GSP_NONE);
    return v;
}

/* 1 when `later` depends on `earlier` by memory. */
static int depends(const work *w, const char *later, const char *earlier)
{
    gsp_node const v = find(w, earlier);
    uint32_t i;
    for (i = w->e.dependent_begin[v]; i < w->e.dependent_begin[v + 1u]; i++) {
        if (w->e.dependents[i] == find(w, later)) {
            return 1;
        }
    }
    return 0;
}

/* 1 when two values alias. */
static int alias(const work *w, const char *a, const char *b)
{
    gsp_node const u = find(w, a);
    gsp_node const v = find(w, b);
    return w->e.alias_begin[u] < w->e.alias_end[v] && w->e.alias_begin[v] < w->e.alias_end[u];
}

#define FUNC(name, target, args, note) \
    "    %" name " : [num_users=1] = call_function[target=" target "](args = (" args "), " \
    "kwargs = {})  # " note "\n"
#define METHOD(name, target, args, note) \
    "    %" name " : [num_users=1] = call_method[target=" target "](args = (" args "), " \
    "kwargs = {})  # " note "\n"
#define INPUT(name) "    %" name " : [num_users=1] = placeholder[target=" name "]  # f32[4]\n"

/* The nodes that a node writes, one after the other. */
static void check_written(const work *w, const char *name, const char *const *written, uint32_t n)
{
    gsp_written_iter walk = {0u, 0u, 0u};
    uint32_t i;
    for (i = 0; i < n; i++) {
        T_EQUAL(gsp_node_next_written(&w->g, find(w, name), &walk), find(w, written[i]));
    }
    T_EQUAL(gsp_node_next_written(&w->g, find(w, name), &walk), GSP_NONE);
    memset(&walk, 0, sizeof(walk));
    T_EQUAL(gsp_node_next_written(&w->g, GSP_NONE, &walk), GSP_NONE);
}

/* z.sin_(); y0.add_(z); y[0] = 3; a function that writes its first argument, then z.sin_(). */
static void test_writes(void)
{
    static const char *const z[] = {"z"};
    static const char *const y[] = {"y"};
    work w;
    T_EQUAL(open_work(&w,
                "graph():\n" INPUT("y") INPUT("z") METHOD("sin_", "sin_", "%z,",
                    "f32[4] mutates=0 alias=0") METHOD("add_", "add_", "%y, %z", "f32[4] mutates=0")
                    FUNC("set", "operator.setitem", "%y, 0, 3", "none mutates=0")
                        FUNC("mut", "fn_mut", "%z, %y", "f32[4] mutates=0")
                            METHOD("sin_1", "sin_", "%z,", "f32[4] mutates=0")
                                METHOD("sum", "sum", "%y,", "f32[]") "    return sum\n"),
        GSP_OK);
    check_written(&w, "sin_", z, 1u);
    check_written(&w, "add_", y, 1u);
    check_written(&w, "set", y, 1u);
    check_written(&w, "mut", z, 1u);
    check_written(&w, "sin_1", z, 1u);
    check_written(&w, "sum", NULL, 0u);
    T_CHECK(alias(&w, "sin_", "z") && !alias(&w, "sin_", "y"));
    T_CHECK(depends(&w, "add_", "sin_"));
    T_CHECK(depends(&w, "set", "add_"));
    T_CHECK(depends(&w, "mut", "add_") && depends(&w, "mut", "set"));
    T_CHECK(depends(&w, "sin_1", "mut"));
    T_CHECK(depends(&w, "sum", "set") && !depends(&w, "sum", "add_"));
    T_EQUAL(w.e.n_dependences, 7);
    close_work(&w);
}

/* An aggregate without elements has no memory, one with two has theirs and one of its own. */
static void test_empty_aggregates(void)
{
    work w;
    T_EQUAL(open_work(&w, "graph():\n" INPUT("x") FUNC("none", "f", "%x,", "tuple()") FUNC("two",
                              "f", "%x,", "tuple(f32[4], f32[4])") "    return (none, two)\n"),
        GSP_OK);
    T_EQUAL(w.e.alias_end[find(&w, "none")] - w.e.alias_begin[find(&w, "none")], 0u);
    T_EQUAL(w.e.alias_end[find(&w, "two")] - w.e.alias_begin[find(&w, "two")], 1u);
    T_EQUAL(w.e.n_alias_sets, 2u);
    close_work(&w);
}

/* [{"x": 3}, ["x", slice(1, 2, 3), 1], [4, 5, 6, [slice(3, 4, 5)]]]: twelve positions. */
static void test_positions(void)
{
    static const char *const leaves[] = {
        "3", "'x'", "1", "2", "3", "1", "4", "5", "6", "3", "4", "5"};
    work w;
    uint32_t n;
    uint32_t i;
    T_EQUAL(open_work(&w, "graph():\n    %f : [num_users=1] = call_function[target=f](args = "
                          "([{x: 3}, ['x', slice(1, 2, 3), 1], [4, 5, 6, [slice(3, 4, 5)]]],), "
                          "kwargs = {})\n    return f\n"),
        GSP_OK);
    for (i = 0; i < T_COUNT_OF(leaves); i++) {
        uint32_t const token = gsp_node_leaf(&w.g, 0u, i);
        const gsp_arg *const args = gsp_node_args(&w.g, 0u, &n);
        if (T_CHECK(token < n)) {
            T_TEXT(gsp_module_str(&w.m, args[token].value), leaves[i]);
        }
    }
    T_EQUAL(gsp_node_leaf(&w.g, 0u, i), GSP_NONE);
    T_EQUAL(gsp_node_leaf(&w.g, 1u, 0u), GSP_NONE);
    close_work(&w);
}

/* What names no argument is not written; a placeholder writes nothing. */
static void test_no_position(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4] mutates=0\n"
            "    %f : [num_users=1] = call_function[target=f](args = (%x, 1), kwargs = {})"
            "  # f32[4] mutates=9,1,0\n    return f\n",
            &m)) {
        gsp_graph const g = gsp_module_graph(&m, 0u);
        gsp_written_iter walk = {0u, 0u, 0u};
        T_EQUAL(gsp_node_next_written(&g, 0u, &walk), GSP_NONE);
        T_EQUAL(gsp_node_next_written(&g, 1u, &walk), 0u);
        T_EQUAL(gsp_node_next_written(&g, 1u, &walk), GSP_NONE);
    }
    t_arena_close(&arena);
}

/* Positions up and down a long list of arguments take 2^26 steps, and no more. */
static void test_positions_take_long(void)
{
    t_string text = {NULL, 0u, 0u};
    gsp_stage_params_result params;
    gsp_stage_params_desc desc;
    uint32_t *stage_of;
    work w;
    t_puts(
        &text, "graph():\n" INPUT("x") "    %f : [num_users=1] = call_function[target=f](args = (");
    for (uint32_t i = 0; i < 8200u; i++) {
        t_puts(&text, "%x, ");
    }
    t_puts(&text, "), kwargs = {})  # f32[4] mutates=0");
    for (uint32_t i = 0; i < 8200u; i++) {
        t_puts(&text, ",8199,0");
    }
    t_puts(&text, "\n    return f\n");
    T_EQUAL(open_work(&w, text.data), GSP_STATUS_LIMIT);
    T_CHECK(w.err.detail == GSP_DETAIL_WORK && w.err.node == 1u);
    memset(&desc, 0, sizeof(desc));
    stage_of = (uint32_t *)t_alloc(w.g.n_nodes * sizeof(uint32_t));
    memset(stage_of, 0, w.g.n_nodes * sizeof(uint32_t));
    desc.stage_of = stage_of;
    t_arena_close(&w.arenas[1]);
    t_arena_open(&w.arenas[1], gsp_stage_params_bound(&w.g, &desc));
    T_EQUAL(gsp_stage_params_run(&w.arenas[1], &w.g, &desc, &params, &w.err), GSP_STATUS_LIMIT);
    T_CHECK(w.err.detail == GSP_DETAIL_WORK && w.err.node == 1u);
    free(stage_of);
    t_free(&text);
    close_work(&w);
}

/* Aggregates whose elements have no memory of their own: an attribute, a view, an element of one
 * that is not flat. An element with alias= is a view of the whole. An empty one has no memory. */
static void test_aggregates(void)
{
    work w;
    T_EQUAL(
        open_work(&w,
            "graph():\n" INPUT(
                "x") "    %w : [num_users=2] = get_attr[target=w]  # "
                     "tuple(f32[1], f32[2])\n" FUNC("w0", "operator.getitem", "%w, 0",
                         "f32[1]") FUNC("w1", "operator.getitem", "%w, 1", "f32[2]") FUNC("t", "f",
                         "%x,", "tuple(tuple(f32[1], f32[2]), f32[1])") FUNC("n",
                         "operator.getitem", "%t, 0",
                         "tuple(f32[1], f32[2])") FUNC("n0", "operator.getitem", "%n, 0",
                         "f32[1]") FUNC("n1", "operator.getitem", "%n, 1", "f32[2]") FUNC("v", "f",
                         "%x,", "tuple(f32[1], f32[2]) alias=0") FUNC("v0", "operator.getitem",
                         "%v, 0", "f32[1]") FUNC("v1", "operator.getitem", "%v, 1", "f32[2]")
                         FUNC("s", "f", "%x,", "tuple(f32[1], f32[2], f32[3])") FUNC("s0",
                             "operator.getitem", "%s, 0",
                             "f32[1] alias=0") FUNC("s1", "operator.getitem", "%s, 1", "f32[2]")
                             FUNC("s2", "operator.getitem", "%s, 2", "f32[3]") FUNC("e", "f", "%x,",
                                 "tuple()") "    return (w0, w1, n0, n1, v0, v1, s0, s1, s2, e)\n"),
        GSP_OK);
    T_CHECK(alias(&w, "w0", "w") && alias(&w, "w0", "w1"));
    T_CHECK(alias(&w, "n", "t") && alias(&w, "n0", "n1"));
    T_CHECK(alias(&w, "v", "x") && alias(&w, "v0", "v1") && alias(&w, "v0", "x"));
    T_CHECK(alias(&w, "s0", "s") && alias(&w, "s0", "s1") && alias(&w, "s0", "s2"));
    T_CHECK(!alias(&w, "s1", "s2") && !alias(&w, "s", "x"));
    T_EQUAL(w.e.alias_begin[find(&w, "e")], w.e.alias_end[find(&w, "e")]);
    close_work(&w);
}

/* Positions count constants and kwargs, in any order; one that is given twice is written twice. */
static void test_written_order(void)
{
    static const char *const found[] = {"z", "y", "y", "z"};
    work w;
    T_EQUAL(open_work(&w,
                "graph():\n" INPUT("y") INPUT(
                    "z") "    %f : [num_users=1] = call_function[target=f](args = (1, [%y, None]), "
                         "kwargs = {out: %z})  # f32[4] mutates=3,1,1,3 alias=3\n"
                         "    return f\n"),
        GSP_OK);
    check_written(&w, "f", found, 4u);
    T_CHECK(alias(&w, "f", "z") && !alias(&w, "f", "y"));
    T_EQUAL(w.e.n_dependences, 0);
    close_work(&w);
}

static void test_bad_positions(void)
{
    static const char *const notes[] = {"mutates=1", "alias=1", "alias=", "mutates=2",
        "mutates=0,2", "mutates=0,", "mutates=,0", "mutates=x", "mutates=-1", "alias=2",
        "alias=0,1", "alias=first", "mutates=4294967295"};
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(notes); i++) {
        work w;
        t_string text = {NULL, 0u, 0u};
        t_puts(&text, "graph():\n" INPUT("x"));
        t_puts(&text, "    %f : [num_users=1] = call_function[target=f](args = (%x, 1), "
                      "kwargs = {})  # f32[4] ");
        t_puts(&text, notes[i]);
        t_puts(&text, "\n    return f\n");
        if (!T_EQUAL(open_work(&w, text.data), GSP_STATUS_ARG)) {
            printf("%s\n", notes[i]);
        }
        T_EQUAL(w.err.detail, GSP_DETAIL_POSITION);
        T_EQUAL(w.err.node, 1);
        close_work(&w);
        t_free(&text);
    }
}

/* An empty list says that nothing is written. */
static void test_none_written(void)
{
    work w;
    T_EQUAL(
        open_work(&w, "graph():\n" INPUT(
                          "x") "    %f : [num_users=1] = "
                               "call_method[target=mul_](args = (%x, 2), kwargs = {})  # mutates=\n"
                               "    return f\n"),
        GSP_OK);
    T_EQUAL(w.e.n_dependences, 0);
    close_work(&w);
}

/* A write through a view is a write of its base; storages by `storage=` and by target. */
static void test_views(void)
{
    work w;
    T_EQUAL(open_work(&w,
                "graph():\n" INPUT(
                    "x") "    %a : [num_users=1] = get_attr[target=w]  # f32[4]\n"
                         "    %b : [num_users=1] = get_attr[target=w]  # f32[4]\n"
                         "    %c : [num_users=1] = get_attr[target=v]  # f32[4] storage=7\n"
                         "    %d : [num_users=1] = get_attr[target=u]  # f32[4] storage=7\n" METHOD(
                             "view", "view", "%x, 4", "f32[4] alias=0") METHOD("back", "view",
                             "%view, 4", "f32[4] alias=0") METHOD("zero", "zero_", "%back,",
                             "none mutates=0") METHOD("sum", "sum", "%x,", "f32[]")
                             METHOD("fill", "fill_", "%a, %c", "none mutates=0") FUNC(
                                 "cat", "cat", "[%b, %d]", "f32[8]") "    return (sum, cat)\n"),
        GSP_OK);
    T_CHECK(alias(&w, "back", "x") && alias(&w, "a", "b") && alias(&w, "c", "d"));
    T_CHECK(!alias(&w, "a", "c") && !alias(&w, "sum", "x"));
    T_CHECK(depends(&w, "sum", "zero") && depends(&w, "cat", "fill"));
    T_CHECK(depends(&w, "zero", "view"));
    T_EQUAL(w.e.n_dependences, 3);
    close_work(&w);
}

/* An aggregate has an alias set per element; a getitem takes one, negative indices from the end. */
static void test_elements(void)
{
    work w;
    T_EQUAL(open_work(&w,
                "graph():\n" INPUT("x") FUNC("s", "split", "%x, 2", "tuple(f32[2], f32[1], f32[1])")
                    FUNC("g0", "operator.getitem", "%s, 0", "f32[2]") FUNC("g2", "operator.getitem",
                        "%s, -1", "f32[1]") FUNC("h2", "operator.getitem", "%s, 2", "f32[1]")
                        FUNC("no", "operator.getitem", "%s, 3", "f32[1]")
                            METHOD("zero", "zero_", "%g2,", "none mutates=0") METHOD(
                                "one", "sum", "%h2,", "f32[]") METHOD("two", "sum", "%g0,", "f32[]")
                                FUNC("cat", "cat", "%s,", "f32[4]") "    return (one, two, cat)\n"),
        GSP_OK);
    T_EQUAL(gsp_node_element(&w.g, find(&w, "g0")), 0);
    T_EQUAL(gsp_node_element(&w.g, find(&w, "g2")), 2);
    T_EQUAL(gsp_node_element(&w.g, find(&w, "h2")), 2);
    T_EQUAL(gsp_node_element(&w.g, find(&w, "no")), GSP_NONE);
    T_EQUAL(gsp_node_element(&w.g, find(&w, "cat")), GSP_NONE);
    T_EQUAL(gsp_node_element_of(&w.g, find(&w, "no"), 4u), 3);
    T_EQUAL(gsp_node_element_of(&w.g, find(&w, "no"), GSP_NONE), GSP_NONE);
    T_CHECK(alias(&w, "g2", "h2") && alias(&w, "g2", "s") && !alias(&w, "g0", "g2"));
    T_CHECK(
        depends(&w, "one", "zero") && !depends(&w, "two", "zero") && depends(&w, "cat", "zero"));
    close_work(&w);
}

/* A barrier raises the segment number by two. */
static void test_segments(void)
{
    work w;
    T_EQUAL(open_work(&w, "graph():\n" INPUT("x") FUNC("a", "sin", "%x,", "f32[4]")
                              FUNC("b", "enter", "", "any barrier=1")
                                  FUNC("c", "sin", "%a,", "f32[4] barrier=0")
                                      FUNC("d", "exit", "%b,", "any barrier=1") "    return c\n"),
        GSP_OK);
    T_EQUAL(w.e.segment[find(&w, "a")], 0);
    T_EQUAL(w.e.segment[find(&w, "b")], 1);
    T_EQUAL(w.e.segment[find(&w, "c")], 2);
    T_EQUAL(w.e.segment[find(&w, "d")], 3);
    T_EQUAL(gsp_node_is_barrier(&w.g, find(&w, "c")), 0);
    close_work(&w);
}

static void test_types(void)
{
    static const struct {
        const char *type;
        gsp_arg_kind kind;
        uint32_t count;
    } rows[] = {{"tuple(f32[2], i8[1, 2])", GSP_ARG_TUPLE, 2u}, {"list(int)", GSP_ARG_LIST, 1u},
        {"tuple()", GSP_ARG_TUPLE, 0u}, {"tuple", GSP_ARG_TUPLE, GSP_NONE},
        {"dict(f32[2])", GSP_ARG_DICT, GSP_NONE},
        {"tuple(f32[1], list(f32[2]))", GSP_ARG_TUPLE, GSP_NONE},
        {"tuple(f32[1], dict)", GSP_ARG_TUPLE, GSP_NONE}, {"f32[2]", GSP_ARG_NONE, GSP_NONE},
        {"float", GSP_ARG_NONE, GSP_NONE}, {"none", GSP_ARG_NONE, GSP_NONE},
        {"", GSP_ARG_NONE, GSP_NONE}};
    gsp_str const two = gsp_str_of(rows[0].type);
    gsp_str element;
    uint32_t at = 0;
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(rows); i++) {
        uint32_t count = 7;
        gsp_str const type = gsp_str_of(rows[i].type);
        T_EQUAL(gsp_type_container(type, &count), rows[i].kind);
        T_EQUAL(count, rows[i].count);
        T_EQUAL(gsp_type_container(type, NULL), rows[i].kind);
    }
    T_CHECK(gsp_type_next_element(two, &at, &element));
    T_TEXT(element, "f32[2]");
    T_CHECK(gsp_type_next_element(two, &at, &element));
    T_TEXT(element, "i8[1, 2]");
    T_EQUAL(gsp_type_next_element(two, &at, &element), 0);
    T_EQUAL(gsp_type_next_element(two, &at, &element), 0);
    at = 0;
    T_EQUAL(gsp_type_next_element(gsp_str_of("tuple()"), &at, &element), 0);
    T_EQUAL(gsp_type_next_element(gsp_str_of("tuple"), &at, &element), 0);
}

/* A writer of an aggregate that was written element by element depends on all of them. */
static void test_limit(void)
{
    static const char text[] = "graph():\n" INPUT("x") METHOD("a", "zero_", "%x,", "none mutates=0")
        METHOD("b", "zero_", "%x,", "none mutates=0")
            METHOD("c", "zero_", "%x,", "none mutates=0") "    return x\n";
    gsp_dependences_desc desc;
    gsp_dependences e;
    gsp_arena arena;
    work w;
    memset(&desc, 0, sizeof(desc));
    desc.max_dependences = 1;
    T_EQUAL(open_work(&w, text), GSP_OK);
    T_EQUAL(w.e.n_dependences, 2);
    t_arena_open(&arena, gsp_dependences_bound(&w.g, &desc));
    T_EQUAL(gsp_dependences_run(&arena, &w.g, &desc, &e, &w.err), GSP_STATUS_LIMIT);
    T_EQUAL(w.err.detail, GSP_DETAIL_DEPENDENCES);
    T_EQUAL(w.err.need, 2);
    T_EQUAL(w.err.limit, 1);
    T_CHECK(arena.low == 0u && arena.high == 0u);
    t_arena_close(&arena);
    close_work(&w);
}

static void put_row(t_string *s, const gsp_graph *g, gsp_edges e, gsp_node v)
{
    for (uint32_t i = e.begin[v]; i < e.begin[v + 1u]; i++) {
        gsp_str const name = gsp_node_name(g, e.at[i]);
        t_add(s, name.data, name.size);
        t_puts(s, " ");
    }
    t_puts(s, "| ");
}

/* Users come first, then dependents; a barrier precedes what follows, up to the next one. */
static void test_order(void)
{
    static const char text[] = "graph():\n" INPUT("x") METHOD("a", "relu", "%x,", "f32[1]")
        METHOD("b", "relu", "%a,", "f32[1]") METHOD("w", "zero_", "%a,", "none mutates=0")
            METHOD("e", "enter", "", "none barrier=1") METHOD("c", "relu", "%a,", "f32[1]")
                METHOD("f", "leave", "", "none barrier=1")
                    METHOD("d", "relu", "%b,", "f32[1]") "    return (c, d)\n";
    gsp_topo_order_desc stack;
    gsp_topo_order_result made;
    gsp_order order;
    gsp_arena arena;
    t_string s = {0};
    work w;
    T_EQUAL(open_work(&w, text), GSP_OK);
    t_arena_open(&arena, gsp_order_bound(&w.g, &w.e) + gsp_topo_order_bound(&w.g, NULL));
    T_EQUAL(gsp_order_run(&arena, &w.g, &w.e, &order, &w.err), GSP_OK);
    for (gsp_node v = 0; v + 1u < w.g.n_nodes; v++) {
        put_row(&s, &w.g, order.after, v);
    }
    T_STRING(s.data, "a | b w c e | d w e | c e | c f | output f | d | output | ");
    t_free(&s);
    memset(&s, 0, sizeof(s));
    for (gsp_node v = 0; v + 1u < w.g.n_nodes; v++) {
        put_row(&s, &w.g, order.before, v);
    }
    T_STRING(s.data, "| x | a | a b | a b w | a w e | e c | b f | ");
    t_free(&s);
    w.g.order = &order; /* the stack would have d before the writer */
    memset(&stack, 0, sizeof(stack));
    stack.kind = GSP_TOPO_ORDER_STACK;
    T_EQUAL(gsp_topo_order_run(&arena, &w.g, &stack, &made, &w.err), GSP_OK);
    for (uint32_t i = 0; i < made.n_nodes; i++) {
        T_EQUAL(made.order[i], i);
    }
    t_arena_close(&arena);
    close_work(&w);
}

void suite_unit_dependences(void)
{
    t_run("writes", test_writes);
    t_run("empty_aggregates", test_empty_aggregates);
    t_run("positions", test_positions);
    t_run("written_order", test_written_order);
    t_run("none_written", test_none_written);
    t_run("bad_positions", test_bad_positions);
    t_run("views", test_views);
    t_run("elements", test_elements);
    t_run("segments", test_segments);
    t_run("types", test_types);
    t_run("limit", test_limit);
    t_run("order", test_order);
    t_run("no_position", test_no_position);
    t_run("positions_take_long", test_positions_take_long);
    t_run("aggregates", test_aggregates);
}
