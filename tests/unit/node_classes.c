/* Identical nodes, and the regions that grow from them. */
#include "tests/t.h"

typedef struct work {
    gsp_arena arenas[2];
    gsp_module m;
    gsp_graph g;
    gsp_regions r;
    gsp_error err;
} work;

static int open_work(work *w, const char *text)
{
    memset(w, 0, sizeof(*w));
    if (!t_must_read(&w->arenas[0], text, &w->m)) {
        t_arena_open(&w->arenas[1], 0u);
        return 0;
    }
    w->g = gsp_module_graph(&w->m, 0u);
    t_arena_open(&w->arenas[1], gsp_regions_bound(&w->g, NULL));
    return T_EQUAL(gsp_regions_run(&w->arenas[1], &w->g, NULL, &w->r, &w->err), GSP_OK);
}

static void close_work(work *w)
{
    t_arena_close(&w->arenas[1]);
    t_arena_close(&w->arenas[0]);
}

static int open_case(work *w, const char *path)
{
    t_string text = t_read_file(path);
    int const ok = T_CHECK(text.data != NULL) && open_work(w, text.data);
    t_free(&text);
    return ok;
}

/* The class of a node as its names, "" for none. t_free() after. */
static t_string class_of(const work *w, const char *name)
{
    t_string s = {NULL, 0u, 0u};
    gsp_node const v = gsp_graph_find(&w->g, gsp_str_of(name));
    uint32_t const k = v == GSP_NONE ? GSP_NONE : w->r.classes.class_of[v];
    uint32_t i;
    t_puts(&s, "");
    for (i = k == GSP_NONE ? 1u : w->r.classes.class_begin[k];
         i < (k == GSP_NONE ? 0u : w->r.classes.class_begin[k + 1u]); i++) {
        gsp_str const t = gsp_node_name(&w->g, w->r.classes.nodes[i]);
        t_puts(&s, s.size != 0u ? " " : "");
        t_add(&s, t.data, t.size);
    }
    return s;
}

static void check_class(const work *w, const char *name, const char *expected, int line)
{
    t_string s = class_of(w, name);
    t_check_text(gsp_str_of(s.data), expected, __FILE__, line, name);
    t_free(&s);
}
#define CLASS(w, name, expected) check_class((w), (name), (expected), __LINE__)

/* A group as "a b | a_1 b_1". */
static void check_group(const work *w, uint32_t group, const char *expected, int line)
{
    t_string s = {NULL, 0u, 0u};
    const gsp_regions *r = &w->r;
    uint32_t const columns = group < r->n_groups ? r->group_regions[group] : 0u;
    uint32_t const rows =
        columns == 0u ? 0u : (r->group_begin[group + 1u] - r->group_begin[group]) / columns;
    uint32_t i;
    uint32_t p;
    t_puts(&s, "");
    for (i = 0; i < columns; i++) {
        for (p = 0; p < rows; p++) {
            gsp_node const v = r->members[r->group_begin[group] + p * columns + i];
            gsp_str const t = gsp_node_name(&w->g, v);
            t_puts(&s, p != 0u ? " " : i != 0u ? " | " : "");
            t_add(&s, t.data, t.size);
        }
    }
    t_check_text(gsp_str_of(s.data), expected, __FILE__, line, "group");
    t_free(&s);
}
#define GROUP(w, group, expected) check_group((w), (group), (expected), __LINE__)

/* However often nodes are offered, a class lists each once. */
static void test_classes(void)
{
    work w;
    if (open_case(&w, "tests/cases/dedup/c01.fx")) {
        CLASS(&w, "x0", "x0 x0_1 x0_2");
        CLASS(&w, "x0_2", "x0 x0_1 x0_2");
        CLASS(&w, "z", "z z_1 z_2");
        CLASS(&w, "o1", "");
        CLASS(&w, "l_x_", "");
        T_EQUAL(w.r.classes.n_classes, 5);
        GROUP(
            &w, 0u, "x0 y0 sum_1 sum_2 z | x0_1 y0_1 sum_3 sum_4 z_1 | x0_2 y0_2 sum_5 sum_6 z_2");
        T_EQUAL(w.r.n_groups, 1);
    }
    close_work(&w);
}

/* Growth stops where shapes differ; the third group writes an input: found, and never replaced. */
static void test_shapes(void)
{
    work w;
    if (open_case(&w, "tests/cases/dedup/c04.fx")) {
        T_EQUAL(w.r.n_groups, 3);
        GROUP(&w, 0u, "y1_1 sum_5 | y1_2 sum_8");
        GROUP(&w, 1u, "x1 sum_2 z | x1_1 sum_4 z_1 | x1_2 sum_7 z_2");
        GROUP(&w, 2u, "b cos_1 sum_1 | b_1 cos_2 sum_6");
    }
    close_work(&w);
}

static void test_dtypes(void)
{
    work w;
    if (open_case(&w, "tests/cases/dedup/c05.fx")) {
        T_EQUAL(w.r.n_groups, 1);
        GROUP(&w, 0u, "a b s o0 | a_2 b_2 s_2 o2 | a_3 b_3 s_3 o4 | a_4 b_4 s_4 o5");
    }
    close_work(&w);
}

static void test_states(void)
{
    work w;
    if (open_case(&w, "tests/cases/dedup/c07.fx")) {
        T_EQUAL(w.r.n_groups, 2);
        GROUP(&w, 0u, "a_2 b_2 s_2 o2 | a_3 b_3 s_3 o3");
        GROUP(&w, 1u, "a b s o0 | a_1 b_1 s_1 o1");
    }
    close_work(&w);
}

/* The order of the first region is that of all, whatever theirs is. */
static void test_order(void)
{
    work w;
    if (open_case(&w, "tests/cases/dedup/c12.fx")) {
        T_EQUAL(w.r.n_groups, 1);
        GROUP(&w, 0u, "a b z | a_1 b_1 z_1");
    }
    close_work(&w);
}

#define FUNC(name, target, args, kwargs, note) \
    "    %" name " : [num_users=1] = call_function[target=" target "](args = (" args "), " \
    "kwargs = {" kwargs "})  # " note "\n"
#define INPUTS \
    "    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n" \
    "    %y : [num_users=1] = placeholder[target=y]  # f32[4]\n" \
    "    %i : [num_users=1] = placeholder[target=i]  # i32[4]\n"

#define TAKE(name, from, index, note) FUNC(name, "operator.getitem", "%" from ", " index, "", note)
#define OF2                           "tuple(f32[4], f32[4])"
#define OF3                           "tuple(tuple(f32[4], f32[4]), f32[4])"

/* The first region holds v for a and for b. The row of b goes, as its aggregate is of another
 * class, and so does what takes an element of b; v stays, in whichever order the rows come. */
static void check_held_twice(const char *first, const char *second, const char *group)
{
    t_string text = {NULL, 0u, 0u};
    work w;
    t_puts(&text, "graph():\n" INPUTS FUNC("u", "pair", "%x,", "", OF3) TAKE("v", "u", "0", OF2)
                      TAKE("m", "v", "0", "f32[4]") TAKE("n", "v", "1", "f32[4]")
                          FUNC("r", "add", "%m, %n", "", "f32[4]") FUNC("t", "pair", "%y,", "", OF3)
                              TAKE("a", "t", "0", OF2) FUNC("o", "other", "%y,", "", OF3)
                                  TAKE("b", "o", "0", OF2));
    t_puts(&text, first);
    t_puts(&text, second);
    t_puts(&text, FUNC("s", "add", "%p, %q", "", "f32[4]") "    return (r, s)\n");
    if (open_work(&w, text.data)) {
        T_EQUAL(w.r.n_groups, 1);
        GROUP(&w, 0u, group);
    }
    close_work(&w);
    t_free(&text);
}

static void test_held_twice(void)
{
    check_held_twice(
        TAKE("p", "b", "0", "f32[4]"), TAKE("q", "a", "1", "f32[4]"), "u v n r | t a q s");
    check_held_twice(
        TAKE("p", "a", "0", "f32[4]"), TAKE("q", "b", "1", "f32[4]"), "u v m r | t a p s");
}

/* What takes an element by a node, and is the last row, goes as well without its aggregate. */
static void test_last_row(void)
{
    work w;
    if (open_work(&w, "graph():\n" INPUTS FUNC("k", "f", "%x,", "", "i32[1]")
                          FUNC("u", "pair", "%x,", "", OF2) TAKE("v", "u", "%k", "f32[4]")
                              FUNC("l", "f", "%y,", "", "i32[1]") FUNC("o", "other", "%y,", "", OF2)
                                  TAKE("w", "o", "%l", "f32[4]") "    return (v, w)\n")) {
        CLASS(&w, "v", "v w");
        T_EQUAL(w.r.n_groups, 0);
    }
    close_work(&w);
}

/* What one node is compared to another by, row by row. */
static void test_identity(void)
{
    static const struct {
        const char *a;
        const char *b;
        int same;
    } rows[] = {
        {FUNC("a", "f", "%x, 1", "", "f32[4]"), FUNC("b", "f", "%y, 1", "", "f32[4]"), 1},
        {FUNC("a", "f", "%x, 1", "", "f32[4]"), FUNC("b", "g", "%x, 1", "", "f32[4]"), 0},
        {FUNC("a", "f", "%x, 1", "", "f32[4]"), FUNC("b", "f", "%x, 2", "", "f32[4]"), 0},
        {FUNC("a", "f", "%x, 1", "", "f32[4]"), FUNC("b", "f", "%x, 1.0", "", "f32[4]"), 0},
        {FUNC("a", "f", "%x, 1", "", "f32[4]"), FUNC("b", "f", "%x, 1", "", "f32[8]"), 0},
        {FUNC("a", "f", "%x, 1", "", "f32[4]"), FUNC("b", "f", "%i, 1", "", "f32[4]"), 0},
        {FUNC("a", "f", "%x", "", "f32[4] key=1"), FUNC("b", "f", "%x", "", "f32[4] key=2"), 0},
        {FUNC("a", "f", "%x", "", "f32[4] state=1"), FUNC("b", "f", "%x", "", "f32[4]"), 0},
        {FUNC("a", "f", "%x", "", "f32[4] alias=0"), FUNC("b", "f", "%x", "", "f32[4]"), 0},
        {FUNC("a", "f", "%x", "", "f32[4] mutates=0"), FUNC("b", "f", "%x", "", "f32[4]"), 0},
        {FUNC("a", "f", "%x", "", "f32[4] mem=1"), FUNC("b", "f", "%x", "", "f32[4] mem=2"), 1},
        {FUNC("a", "f", "%x", "", "f32[4] barrier=1"), FUNC("b", "f", "%x", "", "f32[4] barrier=1"),
            0},
        {FUNC("a", "f", "%x", "", "f32[4] barrier=0"), FUNC("b", "f", "%x", "", "f32[4]"), 1},
        {FUNC("a", "f", "[%x, %y]", "", "f32[4]"), FUNC("b", "f", "%x, %y", "", "f32[4]"), 0},
        {FUNC("a", "f", "[%x, %y]", "", "f32[4]"), FUNC("b", "f", "(%x, %y)", "", "f32[4]"), 0},
        {FUNC("a", "f", "[%x], [%y]", "", "f32[4]"), FUNC("b", "f", "[%x, %y], []", "", "f32[4]"),
            0},
        {FUNC("a", "f", "%x", "k: 1, l: %y", "f32[4]"),
            FUNC("b", "f", "%x", "l: %y, k: 1", "f32[4]"), 1},
        {FUNC("a", "f", "%x", "k: 1, l: 2", "f32[4]"), FUNC("b", "f", "%x", "k: 2, l: 1", "f32[4]"),
            0},
        {FUNC("a", "f", "%x", "k: 1", "f32[4]"), FUNC("b", "f", "%x", "k: 1, l: 2", "f32[4]"), 0},
        {FUNC("a", "f", "{k: %x, l: 2}", "", "f32[4]"),
            FUNC("b", "f", "{l: 2, k: %y}", "", "f32[4]"), 1},
    };
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(rows); i++) {
        t_string text = {NULL, 0u, 0u};
        work w;
        t_puts(&text, "graph():\n" INPUTS);
        t_puts(&text, rows[i].a);
        t_puts(&text, rows[i].b);
        t_puts(&text, "    return (a, b)\n");
        if (open_work(&w, text.data)) {
            int const barrier = gsp_node_is_barrier(&w.g, 3u);
            if (!T_EQUAL(w.r.classes.n_classes, rows[i].same) ||
                !T_EQUAL(gsp_node_equal(&w.g, 3u, 4u), rows[i].same || barrier)) {
                printf("row %u\n", (unsigned)i);
            }
        }
        close_work(&w);
        t_free(&text);
    }
}

/* The fewer bits of the hash there are, the more is compared; the classes stay. */
static void test_hash_bits(void)
{
    work w;
    uint32_t bits;
    if (open_case(&w, "tests/cases/dedup/c16.fx")) {
        gsp_counts const c = gsp_graph_counts(&w.g);
        for (bits = 1; bits <= 32u; bits++) {
            gsp_node_classes_desc desc;
            gsp_node_classes same;
            gsp_arena arena;
            memset(&desc, 0, sizeof(desc));
            desc.hash_bits = bits;
            t_arena_open(&arena, gsp_node_classes_bound(&w.g, &desc));
            T_EQUAL(gsp_node_classes_run(&arena, &w.g, &desc, &same, NULL), GSP_OK);
            T_EQUAL(same.n_classes, w.r.classes.n_classes);
            T_CHECK(memcmp(same.class_of, w.r.classes.class_of, c.nodes * sizeof(uint32_t)) == 0);
            t_arena_close(&arena);
        }
        T_EQUAL(gsp_node_equal(&w.g, GSP_NONE, 0u), 0);
        T_EQUAL(gsp_node_equal(&w.g, 0u, c.nodes), 0);
    }
    close_work(&w);
}

/* In the order of its keys b ends at its last token, which has no value; what follows in memory is
 * not of b, though it goes on as a does. */
static void test_stored_keys(void)
{
    gsp_module stored;
    work w;
    if (open_work(&w, "graph():\n" INPUTS FUNC("a", "f", "key_a, 1, key_b", "", "f32[4]")
                          FUNC("b", "f", "key_b, 1, key_a", "", "f32[4]")
                              FUNC("c", "f", "1,", "", "f32[4]") "    return (a, b, c)\n")) {
        void *const copy = t_store_keys(&w.m, &stored);
        gsp_graph const g = gsp_module_graph(&stored, 0u);
        T_EQUAL(gsp_node_equal(&g, 3u, 4u), 0);
        free(copy);
    }
    close_work(&w);
}

/* Nodes that run other graphs differ, even if all else is the same. */
static void test_graphs_that_run(void)
{
    static const char graphs[] = "module t\ngraph():\n    return None\n"
                                 "module u\ngraph():\n    return None\n";
    static const struct {
        const char *a;
        const char *b;
        int same;
    } rows[] = {{"f32[4] then=t", "f32[4] then=t", 1}, {"f32[4] then=t", "f32[4] then=u", 0},
        {"f32[4] then=t", "f32[4]", 0}, {"f32[4]", "f32[4] then=t", 0},
        {"f32[4] then=t", "f32[4] then=t else=u", 0}, {"f32[4] calls=t,u", "f32[4] calls=t", 0}};
    for (uint32_t i = 0; i < T_COUNT_OF(rows); i++) {
        t_string text = {NULL, 0u, 0u};
        work w;
        t_puts(&text, "module main\ngraph():\n" INPUTS);
        t_puts(&text,
            "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # ");
        t_puts(&text, rows[i].a);
        t_puts(&text,
            "\n    %b : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # ");
        t_puts(&text, rows[i].b);
        t_puts(&text, "\n    return (a, b)\n");
        t_puts(&text, graphs);
        if (open_work(&w, text.data)) {
            T_EQUAL(gsp_node_equal(&w.g, 3u, 4u), rows[i].same);
            T_EQUAL(w.r.classes.n_classes, rows[i].same);
        }
        close_work(&w);
        t_free(&text);
    }
}

/* The first node of a graph may be a call, and equal to another. */
static void test_first(void)
{
    static const char text[] =
        "graph():\n    %a : [num_users=1] = call_function[target=f](args = (1,), kwargs = {})\n"
        "    %b : [num_users=1] = call_function[target=f](args = (1,), kwargs = {})\n"
        "    return (a, b)\n";
    work w;
    if (open_work(&w, text)) {
        CLASS(&w, "a", "a b");
        CLASS(&w, "b", "a b");
    }
    close_work(&w);
}

void suite_unit_node_classes(void)
{
    t_run("classes", test_classes);
    t_run("first", test_first);
    t_run("shapes", test_shapes);
    t_run("dtypes", test_dtypes);
    t_run("states", test_states);
    t_run("order", test_order);
    t_run("held_twice", test_held_twice);
    t_run("last_row", test_last_row);
    t_run("identity", test_identity);
    t_run("stored_keys", test_stored_keys);
    t_run("hash_bits", test_hash_bits);
    t_run("graphs_that_run", test_graphs_that_run);
}
