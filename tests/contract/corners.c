/* More single conditions that no other test decides alone: damaged modules that are trusted, names
 * that are taken, values at the ends of ranges. */
#include "examples/extra/graphsplit_stages.h"
#include "tests/contract/subject.h"

#define INPUT(name) "    %" name " : [num_users=1] = placeholder[target=" name "]  # f32[4]\n"
#define CALL(name, args, note) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args "), kwargs = {})" \
    "  # " note "\n"
#define LEAF(name, target, args) \
    "    %" name " : [num_users=1] = call_module[target=" target "](args = (" args \
    "), kwargs = {})  # f32[4]\n"
#define TAKE(name, of, index) \
    "    %" name " : [num_users=1] = call_function[target=operator.getitem](args = (%" of \
    ", " index "), kwargs = {})  # f32[1]\n"

/* ---- stored modules ---- */

/* A block of these counts, which the trusted form opens; its arrays are zeros. */
static unsigned char *forge(const gsp_module *m, const gsp_counts *counts, gsp_module *made)
{
    enum { COUNTS = 20, SIZE = 48 }; /* of the head */
    unsigned char *const copy = (unsigned char *)t_alloc(m->block_size);
    uint64_t size = 0;
    memset(copy, 0, m->block_size);
    memcpy(copy, m->block, 56u);
    memset(copy + 12, 0, 8u); /* no parameters */
    memcpy(copy + COUNTS, counts, sizeof(*counts));
    do {
        size++;
        memcpy(copy + SIZE, &size, sizeof(size));
    } while (size < m->block_size && gsp_module_open(made, copy, m->block_size, 1, NULL) != GSP_OK);
    T_CHECK(size < m->block_size);
    return copy;
}

#define FILL(field, count) \
    memcpy((void *)(uintptr_t)made.field, s.m.field, (count) * sizeof(*s.m.field))

/* Too few strings for the keys, no graph, no end of the attributes. */
static void test_counts(void)
{
    subject s;
    if (open_text(&s, "graph():\n" INPUT("x") CALL("a", "%x,", "f32[4] my=own") "    return a\n")) {
        for (uint32_t i = 0; i < 3u; i++) {
            gsp_counts counts = s.m.counts;
            gsp_module made;
            counts.strings = i == 0u ? GSP_KEY_COUNT - 1u : counts.strings;
            counts.graphs = i == 1u ? 0u : counts.graphs;
            counts.nodes = i == 1u ? 0u : counts.nodes;
            counts.args = i == 1u ? 0u : counts.args;
            counts.edges = i == 1u ? 0u : counts.edges;
            counts.attrs = i == 2u ? 0u : counts.attrs;
            unsigned char *const copy = forge(&s.m, &counts, &made);
            FILL(string_begin, counts.strings + 1u);
            FILL(chars, counts.bytes);
            FILL(attrs, counts.attrs);
            FILL(graphs, counts.graphs);
            FILL(by_name, counts.graphs);
            FILL(arg_begin, counts.nodes + 1u);
            FILL(in_begin, counts.nodes + 1u);
            FILL(user_begin, counts.nodes + 1u);
            GIVES(gsp_module_open(&made, copy, s.m.block_size, 0, &s.err), DAMAGED, RANGE);
            free(copy);
        }
    }
    close_text(&s);
}

/* The module opened as trusted, in which the only argument of `name` is another node. */
static unsigned char *redirect(subject *s, const char *name, const char *other)
{
    gsp_node const v = gsp_graph_find(&s->g, gsp_str_of(name));
    gsp_node const u = gsp_graph_find(&s->g, gsp_str_of(other));
    unsigned char *const copy = (unsigned char *)t_alloc(s->m.block_size);
    uint32_t n;
    const gsp_arg *a = gsp_node_args(&s->g, v, &n);
    while (a->kind != GSP_ARG_NODE) {
        a++;
    }
    memcpy(copy, s->m.block, s->m.block_size);
    memcpy(copy + ((const unsigned char *)&a->value - (const unsigned char *)s->m.block), &u,
        sizeof(u));
    T_EQUAL(gsp_module_open(&s->m, copy, s->m.block_size, 1, &s->err), GSP_OK);
    s->g = gsp_module_graph(&s->m, 0u);
    return copy;
}

static const char two_stages[] = "graph():\n" INPUT("x") LEAF("a", "k", "%x,") LEAF("b", "l", "%a,")
    LEAF("c", "l", "%b,") LEAF("d", "m", "%c,") LEAF("e", "n", "%d,") "    return e\n";

/* An argument that is no input of its node: of another part, or later. */
static void test_arguments(void)
{
    static const uint32_t part_of[7] = {GSP_NONE, 0u, 0u, 1u, 1u, 1u, GSP_NONE};
    subject s;
    for (uint32_t i = 0; i < 4u; i++) {
        if (open_text(&s, two_stages)) {
            unsigned char *const copy = redirect(&s, i < 3u ? "c" : "a", i < 3u ? "a" : "c");
            gsp_split_module_desc parts;
            gsp_split_module_result made;
            gsp_split_by_tags_desc tags;
            gsp_split_by_tags_result split;
            gsp_pipeline_desc pipe;
            gsp_pipeline_result stages;
            gsp_exec_plan plan;
            gsp_str const names[2] = {gsp_str_of("p"), gsp_str_of("q")};
            memset(&parts, 0, sizeof(parts));
            memset(&tags, 0, sizeof(tags));
            memset(&pipe, 0, sizeof(pipe));
            parts.n_parts = tags.n_tags = 2u;
            parts.part_of = tags.tag_of = pipe.params.stage_of = part_of;
            tags.names = names;
            if (i == 0u) {
                GIVES(gsp_split_module_run(&s.arena, &s.g, &parts, &made, &s.err), DAMAGED, ROWS);
            } else if (i == 1u) {
                GIVES(gsp_split_by_tags_run(&s.arena, &s.g, &tags, &split, &s.err), DAMAGED, ROWS);
            } else if (i == 2u) { /* the next called module of the stage has no name */
                GIVES(gsp_pipeline_run(&s.arena, &s.g, &pipe, &stages, &s.err), DAMAGED, ROWS);
            } else {
                GIVES(gsp_exec_plan_run(&s.arena, &s.g, NULL, &plan, &s.err), DAMAGED, ROWS);
            }
            T_EQUAL(s.arena.low + s.arena.high, 0u);
            free(copy);
        }
        close_text(&s);
    }
}

/* Arguments of calls of elements and of graphs that come later, or have no value. */
static void test_damaged_calls(void)
{
    static const char text[] = "module main\ngraph():\n" INPUT(
        "x") "    %h : [num_users=1] = get_attr[target=sub]\n" TAKE("a", "x",
        "0") "    %i : [num_users=1] = call_function[target=torch.ops.higher_order."
             "invoke_subgraph](args = (%h, 7, %a), kwargs = {})\n" CALL("b", "%i,",
                 "f32[4]") "    return b\nmodule sub\ngraph():\n" INPUT("p") "    return p\n";
    static const char *const rows[][2] = {{"a", "b"}, {"i", "b"}, {"b", "h"}};
    for (uint32_t i = 0; i < T_COUNT_OF(rows); i++) {
        subject s;
        if (open_text(&s, text)) {
            unsigned char *const copy = redirect(&s, rows[i][0], rows[i][1]);
            gsp_exec_plan plan;
            GIVES(gsp_exec_plan_run(&s.arena, &s.g, NULL, &plan, &s.err), DAMAGED, ROWS);
            free(copy);
        }
        close_text(&s);
    }
}

/* The same in a module of stages. */
static void test_stages(void)
{
    static const gsp_stage_device device = {0u, {"cuda:0", 6u}};
    subject s;
    if (open_text(&s,
            "module main\ngraph():\n" INPUT("x") CALL("a", "%x,", "f32[4]")
                CALL("b", "%a,", "f32[4]") LEAF("c", "s0",
                    "%b,") "    return c\nmodule s0\ngraph():\n" INPUT("p") "    return p\n")) {
        unsigned char *const copy = redirect(&s, "a", "b");
        gsp_stage_devices_desc d;
        gsp_module made;
        memset(&d, 0, sizeof(d));
        d.n_stages = 1u;
        d.devices = &device;
        d.n_devices = 1u;
        GIVES(gsp_stage_devices_run(&s.arena, &s.m, &d, &made, &s.err), DAMAGED, ROWS);
        T_EQUAL(s.arena.low + s.arena.high, 0u);
        free(copy);
    }
    close_text(&s);
}

/* ---- the builder ---- */

static void start(subject *s, gsp_builder *b, uint32_t strings)
{
    gsp_counts const counts = gsp_build_counts(2u, 20u, 40u, 20u, strings, 2000u);
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, gsp_build_bound(&counts));
    T_EQUAL(gsp_build_init(b, &s->arena, &counts, &s->err), GSP_OK);
    gsp_build_graph(b, gsp_str_of("main"));
    (void)gsp_build_node(b, GSP_OP_PLACEHOLDER, gsp_str_of("x"), gsp_str_of("x"));
}

static void test_builder(void)
{
    gsp_builder b;
    gsp_module m;
    subject s;
    start(&s, &b, 20u); /* a reserved name is no node */
    (void)gsp_build_node(&b, GSP_OP_CALL_FUNCTION, gsp_str_of("a"), gsp_str_of("f"));
    gsp_build_reserve(&b, gsp_build_name(&b, gsp_str_of("r")));
    gsp_build_constant(&b, gsp_str_of("1,%r"));
    T_EQUAL(b.error.status, GSP_OK);
    gsp_build_constant(&b, gsp_str_of("1,%x")); /* this one is */
    T_EQUAL(b.error.detail, GSP_DETAIL_CONSTANT);
    t_arena_close(&s.arena);

    start(&s, &b, 20u); /* after `return`, "  # " would begin an annotation */
    (void)gsp_build_output(&b);
    gsp_build_constant(&b, gsp_str_of("1  # 2"));
    GIVES(gsp_build_finish(&b, &m, &s.err), ARG, CONSTANT);
    t_arena_close(&s.arena);

    start(&s, &b, 4u); /* room for the base of a taken name, and for no more */
    (void)gsp_build_node(&b, GSP_OP_CALL_FUNCTION, gsp_str_of("a_1"), gsp_str_of("f"));
    T_EQUAL(b.used.strings + 1u, b.cap.strings);
    T_EQUAL(gsp_build_name(&b, gsp_str_of("a_1")), GSP_KEY_NONE);
    GIVES(gsp_build_finish(&b, &m, &s.err), OVERFLOW, CAPACITY_STRINGS);
    t_arena_close(&s.arena);
}

/* Only a builder without strings of its own adopts those of a module. */
static void test_adopt_late(void)
{
    subject s;
    if (open_text(&s, "graph():\n" INPUT("x") "    return x\n")) {
        gsp_counts const counts = gsp_build_counts(2u, 20u, 40u, 20u, 80u, 2000u);
        gsp_builder b;
        gsp_module m;
        T_EQUAL(gsp_build_init(&b, &s.arena, &counts, &s.err), GSP_OK);
        (void)gsp_build_atom(&b, gsp_str_of("own"));
        gsp_build_adopt(&b, &s.m);
        GIVES(gsp_build_finish(&b, &m, &s.err), ARG, STATE);
    }
    close_text(&s);
}

/* A parameter takes no argument, a placeholder one default. */
static void test_arguments_of_leaves(void)
{
    for (uint32_t i = 0; i < 2u; i++) {
        gsp_builder b;
        gsp_module m;
        subject s;
        start(&s, &b, 20u);
        if (i == 0u) {
            (void)gsp_build_node(&b, GSP_OP_GET_ATTR, gsp_str_of("w"), gsp_str_of("w"));
        } else {
            gsp_build_constant(&b, gsp_str_of("1"));
        }
        gsp_build_constant(&b, gsp_str_of("2"));
        (void)gsp_build_output(&b);
        gsp_build_arg_node(&b, 0u);
        GIVES(gsp_build_finish(&b, &m, &s.err), ARG, STATE);
        t_arena_close(&s.arena);
    }
}

/* `bytes=` of another node cannot join shared annotations. */
static void test_like(void)
{
    subject s;
    if (open_text(&s, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4] bytes=3\n"
                      "    return x\n")) {
        gsp_arena arena;
        gsp_builder b;
        gsp_module m;
        t_arena_open(&arena, gsp_build_bound(&s.m.counts));
        T_EQUAL(gsp_build_init(&b, &arena, &s.m.counts, &s.err), GSP_OK);
        gsp_build_adopt(&b, &s.m);
        gsp_build_graph(&b, gsp_str_of("main"));
        (void)gsp_build_node(&b, GSP_OP_PLACEHOLDER, gsp_str_of("x"), gsp_str_of("x"));
        gsp_build_like(&b, &s.g, 0u, 1);
        gsp_build_like(&b, &s.g, 0u, 0);
        GIVES(gsp_build_finish(&b, &m, &s.err), ARG, ANNOTATION);
        t_arena_close(&arena);
    }
    close_text(&s);
}

/* ---- names ---- */

/* Three targets of one flat name; one that is all digits; parts without a prefix. */
static void test_flat_names(void)
{
    static const uint32_t part_of[6] = {GSP_NONE, 0u, 0u, 0u, 0u, GSP_NONE};
    static const char *const flat[] = {"a_b_c", "a_b_c_1", "a_b_c_2", "0_1"};
    subject s;
    if (open_text(&s, "graph():\n" INPUT("x") LEAF("p", "a.b.c", "%x,") LEAF("q", "a_b.c", "%p,")
                          LEAF("r", "a.b_c", "%q,") LEAF("s", "0", "%r,") "    return s\n")) {
        gsp_split_module_desc d;
        gsp_split_module_result r;
        memset(&d, 0, sizeof(d));
        d.n_parts = 1u;
        d.part_of = part_of;
        d.prefix = "";
        if (T_EQUAL(gsp_split_module_run(&s.arena, &s.g, &d, &r, &s.err), GSP_OK)) {
            T_TEXT(gsp_module_str(&r.module, r.module.graphs[1].name), "0_1");
            T_EQUAL(r.n_qualnames, 4u);
            for (uint32_t i = 0; i < r.n_qualnames; i++) {
                T_TEXT(gsp_module_str(&r.module, r.qualnames[i].made), i < 3u ? flat[i] : "0");
            }
        }
    }
    close_text(&s);
}

/* A call in the root may have the name of a node of a part, and is not that node. */
static void test_found_names(void)
{
    static const uint32_t tag_of[4] = {GSP_NONE, 0u, 1u, GSP_NONE};
    gsp_str const names[2] = {gsp_str_of("b"), gsp_str_of("t")};
    subject s;
    if (open_text(&s, "graph():\n" INPUT("x") CALL("a", "%x,", "f32[4]")
                          CALL("b", "%a,", "f32[4]") "    return b\n")) {
        gsp_split_by_tags_desc d;
        gsp_split_by_tags_result r;
        memset(&d, 0, sizeof(d));
        d.n_tags = 2u;
        d.tag_of = tag_of;
        d.names = names;
        if (T_EQUAL(gsp_split_by_tags_run(&s.arena, &s.g, &d, &r, &s.err), GSP_OK)) {
            gsp_graph const root = gsp_module_graph(&r.module, 0u);
            T_CHECK(gsp_graph_find(&root, gsp_str_of("b")) != GSP_NONE);
            T_EQUAL(r.graph_of[2], 2u);
            T_CHECK(r.node_of[2] != GSP_NONE);
        }
    }
    close_text(&s);
}

/* A tag with the name of a child graph that its nodes call. */
static void test_tag_names(void)
{
    static const uint32_t tag_of[4] = {GSP_NONE, 0u, 1u, GSP_NONE};
    gsp_str const names[2] = {gsp_str_of("t"), gsp_str_of("sub")};
    subject s;
    if (open_text(
            &s, "module main\ngraph():\n" INPUT("x") CALL("a", "%x,", "f32[4]") LEAF("b", "sub",
                    "%a,") "    return b\nmodule sub\ngraph():\n" INPUT("y") "    return y\n")) {
        gsp_split_by_tags_desc d;
        gsp_split_by_tags_result r;
        memset(&d, 0, sizeof(d));
        d.n_tags = 2u;
        d.tag_of = tag_of;
        d.names = names;
        GIVES(gsp_split_by_tags_run(&s.arena, &s.g, &d, &r, &s.err), ARG, TAG_NAME);
        T_EQUAL(s.err.node, 1u);
        T_EQUAL(s.err.what, GSP_WHAT_TAG);
    }
    close_text(&s);
}

/* ---- the split ---- */

/* Placements by hand say CPU for what cannot be called; they need not be of this graph. */
static void test_placements(void)
{
    static uint8_t kind[4] = {0u, 1u, 1u, 0u};
    subject s;
    if (open_text(&s, "graph():\n" INPUT("x") CALL("a", "%x,", "f32[4]")
                          CALL("b", "%a,", "f32[4]") "    return b\n")) {
        gsp_placement p;
        gsp_split_desc d;
        gsp_split_result r;
        gsp_demote_desc demote;
        gsp_demote_result less;
        memset(&p, 0, sizeof(p));
        memset(&d, 0, sizeof(d));
        memset(&demote, 0, sizeof(demote));
        p.n_nodes = 4u;
        p.n_kinds = 2u;
        p.kind = kind;
        d.placement = &p;
        d.min_size = 9u;
        if (T_EQUAL(gsp_split_run(&s.arena, &s.g, &d, &r, &s.err), GSP_OK)) {
            T_EQUAL(r.n_subgraphs, 1u);
            T_EQUAL(r.subgraph_kind[0], GSP_KIND_CPU);
        }
        d.waive_min_size = 1u; /* all of it may run on the accelerator */
        if (T_EQUAL(gsp_split_run(&s.arena, &s.g, &d, &r, &s.err), GSP_OK)) {
            T_EQUAL(r.subgraph_kind[0], 1u);
            demote.split = &r;
            r.n_nodes--;
            GIVES(gsp_demote_run(&s.arena, &s.g, &demote, &less, &s.err), ARG, KIND);
        }
    }
    close_text(&s);
}

/* ---- equal nodes ---- */

/* The order of keys is free, but not of equal ones. */
static void test_keys(void)
{
    static const struct {
        const char *args[2];
        int equal;
    } rows[] = {
        {{"(), kwargs = {k: 1, m: 2}", "(), kwargs = {m: 2, k: 1}"}, 1},
        {{"(), kwargs = {k: 1, m: 2}", "(), kwargs = {m: 1, k: 2}"}, 0},
        {{"(), kwargs = {k: 1, k: 2, j: 3}", "(), kwargs = {j: 3, k: 1, k: 2}"}, 1},
        {{"(), kwargs = {k: 1, k: 2, j: 3}", "(), kwargs = {j: 3, k: 2, k: 1}"}, 0},
        {{"({b: (1,), a: 2}), kwargs = {}", "({a: 2, b: (1,)}), kwargs = {}"}, 1},
        {{"({b: (1,), a: 2}), kwargs = {}", "({a: 2, b: [1]}), kwargs = {}"}, 0},
        {{"(), kwargs = {}", "(), kwargs = {}"}, 1},
    };
    for (uint32_t i = 0; i < T_COUNT_OF(rows); i++) {
        t_string text = {NULL, 0u, 0u};
        subject s;
        t_puts(&text, "graph():\n");
        for (uint32_t k = 0; k < 2u; k++) {
            t_puts(&text, k == 0u ? "    %a" : "    %b");
            t_puts(&text, " : [num_users=0] = call_function[target=f](args = ");
            t_puts(&text, rows[i].args[k]);
            t_puts(&text, ")\n");
        }
        t_puts(&text, "    return None\n");
        if (open_text(&s, text.data) &&
            !T_EQUAL(gsp_node_equal(&s.g, 0u, 1u) != 0, rows[i].equal)) {
            printf("%s", text.data);
        }
        close_text(&s);
        t_free(&text);
    }
}

/* ---- execution ---- */

/* However little room for aggregates is asked for, a plan is refused or is the whole one. */
static void test_room_of_plans(void)
{
    static const char body[] =
        "    %t : [num_users=1] = call_function[target=f](args = (%x, [1, 2]), kwargs = {})"
        "  # tuple(f32[1], list(f32[1], f32[1]), f32[1])\n"
        "    %u : [num_users=1] = call_module[target=pass](args = (%t, %t, 3), kwargs = {})\n"
        "    %v : [num_users=1] = call_module[target=more](args = (%x, 4, 5, %x), kwargs = {a: "
        "6})\n"
        "    %w : [num_users=1] = call_module[target=last](args = (%u, %v), kwargs = {})\n"
        "    %z : [num_users=1] = call_module[target=pass](args = (%t, %t, 7), kwargs = {})\n";
    t_string text = {NULL, 0u, 0u};
    subject s;
    t_puts(&text, "module main\ngraph():\n" INPUT("x"));
    t_puts(&text, body);
    for (uint32_t i = 0; i < 12u; i++) {
        t_puts(&text, "    %c");
        t_number(&text, i);
        t_puts(&text,
            " : [num_users=1] = call_module[target=pass](args = (%t, %t, 3), kwargs = {})\n");
    }
    t_puts(&text,
        "    %l : [num_users=1] = call_module[target=late](args = (%x, %x, %x), kwargs = {})\n");
    t_puts(&text,
        "    return (z, w, l, [c1, c2, c3, c4, {k: c5}], c6, c7, c8, c9, c10, c11)\n"
        "module pass\ngraph():\n" INPUT("p") INPUT("q") INPUT(
            "r") "    return (p, q, r, p, q, [p, r])\n"
                 "module more\ngraph():\n" INPUT(
                     "p") "    %r : [num_users=1] = placeholder[target=*r]\n"
                          "    %k : [num_users=1] = placeholder[target=**k]\n    return (p, r, k)\n"
                          "module late\ngraph():\n" INPUT("p") INPUT("q")
                              INPUT("r") "    return r\n"
                                         "module last\ngraph():\n" INPUT("p") INPUT(
                                             "q") "    %i : [num_users=1] = "
                                                  "call_module[target=inner](args "
                                                  "= (%q, %p, %p), kwargs = {})\n"
                                                  "    return (i, p)\n"
                                                  "module inner\ngraph():\n" INPUT("a") INPUT("b")
                                                      INPUT("c") "    return (c, b, a)\n");
    if (open_text(&s, text.data)) {
        gsp_exec_plan_desc d;
        gsp_exec_plan whole;
        gsp_exec_plan plan;
        uint32_t refused = 0;
        gsp_mark mark;
        memset(&d, 0, sizeof(d));
        t_arena_close(&s.arena);
        t_arena_open(&s.arena, 1u << 20);
        d.aggregates = 5000u;
        T_EQUAL(gsp_exec_plan_run(&s.arena, &s.g, &d, &whole, &s.err), GSP_OK);
        mark = gsp_arena_mark(&s.arena);
        for (d.aggregates = 1u; d.aggregates < 5000u && !t_failed(); d.aggregates++) {
            gsp_status const status = gsp_exec_plan_run(&s.arena, &s.g, &d, &plan, &s.err);
            if (status == GSP_OK) {
                T_EQUAL(plan.n_outputs, whole.n_outputs);
                T_EQUAL(plan.n_tokens, whole.n_tokens);
                break;
            }
            T_CHECK(status == GSP_STATUS_LIMIT && s.err.detail == GSP_DETAIL_AGGREGATES);
            refused++;
            gsp_arena_rewind(&s.arena, mark);
        }
        T_CHECK(refused > 10u && refused < 4000u);
    }
    close_text(&s);
    t_free(&text);
}

/* Many inputs by name for one placeholder: two tokens each. */
static void test_named_inputs(void)
{
    enum { MOST = 90 };
    subject s;
    if (open_text(
            &s, "graph():\n    %k : [num_users=1] = placeholder[target=**k]\n    return k\n")) {
        static char names[MOST][4];
        static gsp_input inputs[MOST];
        uint32_t refused = 0;
        for (uint32_t n = 0; n < MOST; n++) {
            gsp_exec_plan_desc d;
            gsp_exec_plan plan;
            gsp_mark const mark = gsp_arena_mark(&s.arena);
            snprintf(names[n], sizeof(names[n]), "n%u", (unsigned)n);
            inputs[n].name = gsp_str_of(names[n]);
            memset(&d, 0, sizeof(d));
            d.aggregates = 1u;
            d.inputs = inputs;
            d.n_inputs = n + 1u;
            if (gsp_exec_plan_run(&s.arena, &s.g, &d, &plan, &s.err) == GSP_OK) {
                T_EQUAL(plan.n_outputs, n + 1u);
            } else {
                T_EQUAL(s.err.detail, GSP_DETAIL_AGGREGATES);
                refused++;
            }
            gsp_arena_rewind(&s.arena, mark);
        }
        T_CHECK(refused > 0u && refused < MOST);
    }
    close_text(&s);
}

/* ---- a graph without nodes ---- */

static void test_no_nodes(void)
{
    subject s;
    if (open_text(&s, two_stages)) {
        static const gsp_costs none = {0u, 0u, NULL, NULL, NULL, NULL, NULL, NULL};
        gsp_graph gone = s.g;
        gsp_stage_params_desc params;
        gsp_stage_params_result held;
        gsp_stages_optimal_desc line;
        gsp_stages_optimal_result stages;
        gone.n_nodes = 0u;
        memset(&params, 0, sizeof(params));
        memset(&line, 0, sizeof(line));
        line.model.costs = &none;
        T_EQUAL(gsp_stage_params_run(&s.arena, &gone, &params, &held, &s.err), GSP_OK);
        T_EQUAL(gsp_stages_optimal_run(&s.arena, &gone, &line, &stages, &s.err), GSP_OK);
    }
    close_text(&s);
}

/* ---- numbers ---- */

/* The largest counts of a desc do not wrap around in a bound. */
static void test_bounds(void)
{
    subject s;
    if (open_text(&s, two_stages)) {
        gsp_stage_params_desc d;
        gsp_stage_param_use use;
        memset(&d, 0, sizeof(d));
        memset(&use, 0, sizeof(use));
        d.uses = &use;
        d.n_uses = 0x40000000u;
        T_EQUAL(gsp_stage_params_bound(&s.g, &d), SIZE_MAX);
    }
    close_text(&s);
}

void suite_contract_corners(void)
{
    t_run("counts", test_counts);
    t_run("arguments", test_arguments);
    t_run("damaged_calls", test_damaged_calls);
    t_run("stages", test_stages);
    t_run("builder", test_builder);
    t_run("adopt_late", test_adopt_late);
    t_run("arguments_of_leaves", test_arguments_of_leaves);
    t_run("like", test_like);
    t_run("flat_names", test_flat_names);
    t_run("found_names", test_found_names);
    t_run("tag_names", test_tag_names);
    t_run("placements", test_placements);
    t_run("bounds", test_bounds);
    t_run("no_nodes", test_no_nodes);
    t_run("keys", test_keys);
    t_run("room_of_plans", test_room_of_plans);
    t_run("named_inputs", test_named_inputs);
}
