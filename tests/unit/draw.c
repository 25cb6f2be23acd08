/* Pictures: the colours of support, frames, graphs in graphs. */
#include "examples/extra/graphsplit_draw.h"
#include "tests/t.h"

#define FN(name, args, note) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args "), kwargs = {})" note \
    "\n"

static t_string draw(const char *text, const gsp_draw_desc *desc)
{
    t_string out = {NULL, 0u, 0u};
    gsp_arena arena;
    gsp_module module;
    if (t_must_read(&arena, text, &module)) {
        gsp_graph const graph = gsp_module_graph(&module, 0u);
        T_EQUAL(gsp_draw_graph(&graph, desc, t_sink, &out, NULL), GSP_OK);
    }
    t_arena_close(&arena);
    return out;
}

static t_string draw_module(const char *text, const gsp_draw_module_desc *desc)
{
    t_string out = {NULL, 0u, 0u};
    gsp_arena arena;
    gsp_module module;
    if (t_must_read(&arena, text, &module)) {
        gsp_arena room;
        t_arena_open(&room, gsp_draw_bound(&module));
        T_EQUAL(gsp_draw_module(&room, &module, desc, t_sink, &out, NULL), GSP_OK);
        T_EQUAL(room.low + room.high, 0);
        t_arena_close(&room);
    }
    t_arena_close(&arena);
    return out;
}

static uint32_t count(const t_string *s, const char *what)
{
    uint32_t n = 0;
    const char *at = s->data == NULL ? NULL : strstr(s->data, what);
    for (; at != NULL; at = strstr(at + 1, what)) {
        n++;
    }
    return n;
}
#define HAS(s, what, n) T_EQUAL(count(&(s), (what)), (n))

static const char plain[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
    "    %w : [num_users=1] = get_attr[target=w]  # f32[1023]\n"
    "    %v : [num_users=1] = get_attr[target=v]  # f32[2]\n" FN("a", "%x, %w", "  # f32[4]")
        FN("b", "%a,", "") "    return (b, v)\n";

/* Not placed: AliceBlue; supported: chartreuse1; not supported: crimson. */
static void test_support(void)
{
    static const uint8_t kind[] = {255, 255, 255, 1, 0, 255};
    gsp_draw_desc desc;
    t_string out;
    memset(&desc, 0, sizeof(desc));
    desc.kind = kind;
    desc.title = "a \"title\"";
    out = draw(plain, &desc);
    HAS(out, "label=\"a \\\"title\\\"\"", 1);
    HAS(out, "fillcolor=AliceBlue", 3); /* x, v, output; the parameter w is no box */
    HAS(out, "fillcolor=chartreuse1", 1);
    HAS(out, "fillcolor=\"crimson\"", 1);
    HAS(out, "a\\nf\\nf32[4]\\nparameters 4.0 KiB", 1);
    HAS(out, " -> ", 4);
    HAS(out, "g0n0 -> g0n3;", 1);
    HAS(out, "g0n2 -> g0n5;", 1);
    t_free(&out);
    out = draw(plain, NULL);
    HAS(out, "AliceBlue", 0);
    t_free(&out);
}

static void test_frames(void)
{
    static const uint32_t of[] = {GSP_NONE, GSP_NONE, GSP_NONE, 0, 1, GSP_NONE};
    static const uint32_t begin[62] = {0, 1, 2};
    static const gsp_node nodes[] = {3, 4};
    static const uint8_t kind[61] = {1, 0};
    gsp_str names[61];
    gsp_draw_desc desc;
    t_string out;
    memset(&desc, 0, sizeof(desc));
    memset(names, 0, sizeof(names));
    names[0] = gsp_str_of("acc_0");
    names[1] = gsp_str_of("cpu_1");
    desc.n_clusters = 2;
    desc.cluster_of = of;
    desc.cluster_begin = begin;
    desc.cluster_nodes = nodes;
    desc.cluster_names = names;
    desc.cluster_kind = kind;
    out = draw(plain, &desc);
    HAS(out, "subgraph cluster_0 {\n        label=\"acc_0: 1 node\"", 1);
    HAS(out, "subgraph cluster_", 2);
    HAS(out, "g0n0 -> g0n3 [penwidth=2, label=\"16 B\"];", 1);
    HAS(out, "g0n4 -> g0n5 [penwidth=2];", 1); /* of unknown bytes */
    t_free(&out);
    desc.n_clusters = 61; /* among many, as a tooltip */
    out = draw(plain, &desc);
    HAS(out, "g0n0 -> g0n3 [penwidth=2, tooltip=\"16 B\"];", 1);
    t_free(&out);
}

/* A unit begins with one of it. */
static void test_units(void)
{
    gsp_draw_desc desc;
    t_string out;
    memset(&desc, 0, sizeof(desc));
    out = draw("graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
               "    %w : [num_users=1] = get_attr[target=w]  # f32[256]\n" FN(
                   "a", "%x, %w", "") "    return a\n",
        &desc);
    HAS(out, "parameters 1.0 KiB", 1);
    t_free(&out);
}

/* Whatever the names are, the text stays one that Graphviz reads. */
static void test_labels(void)
{
    static const char text[] =
        "graph():\n    %x\xC3\xA9 : [num_users=0] = placeholder[target=x]  # f32[\"q\"]\n"
        "    %y\xFFz : [num_users=0] = placeholder[target=y]\n"
        "    %s\xED\xA0\x80 : [num_users=0] = placeholder[target=y]\n"
        "    %c : [num_users=0] = call_function[target=a\\b](args = (), kwargs = {})\n"
        "    %n123456789012345678901234567890123456789012345678901234567890 : [num_users=0] = "
        "placeholder[target=y]\n"
        "    return None\n";
    t_string out = draw(text, NULL);
    HAS(out, "x\xC3\xA9\\nf32[\\\"q\\\"]", 1);
    HAS(out, "y?z", 1);
    HAS(out, "s???", 1);
    HAS(out, "c\\na\\\\b", 1);
    HAS(out, "n12345678901234567890123456789012345678901234567890123456789...\"", 1);
    t_free(&out);
}

static const char nested[] =
    "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
    "    %acc : [num_users=2] = call_module[target=acc](args = (%x,), kwargs = {})\n"
    "    %g : [num_users=1] = call_function[target=operator.getitem](args = (%acc, 0), kwargs = "
    "{})\n"
    "    %h : [num_users=1] = call_function[target=operator.getitem](args = (%acc, 1), kwargs = "
    "{})\n"
    "    %cpu : [num_users=1] = call_module[target=cpu](args = (%g,), kwargs = {k: %h})\n"
    "    return cpu\n"
    "module acc\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
    "    %in : [num_users=2] = call_module[target=inner](args = (%x,), kwargs = {})\n"
    "    return (in, in)\n"
    "module inner\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n" FN(
        "a", "%x,", "") "    return a\n"
                        "module cpu\ngraph():\n    %p : [num_users=1] = placeholder[target=p]\n"
                        "    %q : [num_users=1] = placeholder[target=q]\n" FN(
                            "b", "%p, %q", "") "    return b\n";

/* Graphs 1 acc, 2 inner, 3 cpu; frames stand in frames, calls are replaced by them. */
static void test_module(void)
{
    static const uint8_t kind[] = {GSP_KIND_NONE, 1, GSP_KIND_NONE, 0};
    gsp_draw_module_desc desc;
    t_string out;
    memset(&desc, 0, sizeof(desc));
    desc.kind = kind;
    out = draw_module(nested, &desc);
    HAS(out, "subgraph cluster_", 3);
    HAS(out, "}\n", 4);
    HAS(out, "label=\"acc: 1 node\"", 1);
    HAS(out, "fillcolor=\"#cfeccf\"", 1);
    HAS(out, "g0n1 ", 0);                    /* a call that a frame stands for is no box */
    HAS(out, "g0n0 -> g1n0 [penwidth=2", 1); /* its argument is the input of the frame */
    HAS(out, "g1n0 -> g2n0 [penwidth=2", 1);
    HAS(out, "g2n2 -> g1n2 [penwidth=2", 1); /* what is returned is what comes out */
    HAS(out, "g1n2 -> g0n2 [penwidth=2", 1);
    HAS(out, "g0n2 -> g3n0 [penwidth=2", 1);
    HAS(out, "g0n3 -> g3n1 [penwidth=2", 1);
    HAS(out, "g3n3 -> g0n5 [penwidth=2", 1);
    t_free(&out);
}

/* The first node calls, with more arguments than the graph has nodes. */
static void test_first_calls(void)
{
    static const char text[] =
        "module main\ngraph():\n"
        "    %f : [num_users=1] = call_module[target=f](args = (), kwargs = {})\n"
        "    %g : [num_users=1] = call_module[target=g](args = (%f, %f, %f, %f), kwargs = {})\n"
        "    return g\n"
        "module f\ngraph():\n" FN("a", "",
            "") "    return a\n"
                "module g\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n    return x\n"
                "module h\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n    return "
                "x\n";
    t_string out = draw_module(text, NULL);
    HAS(out, "g0n0 ", 0); /* a frame stands for each call */
    HAS(out, "g0n1 ", 0);
    HAS(out, "g1n1 -> g2n0 ", 1);
    HAS(out, "g1n1 -> g2n1 ", 3);
    HAS(out, "g1n1 -> ", 4);
    t_free(&out);
}

/* Called twice: one frame, and two calls that point to it. Case A47: get_attr names a graph. */
static void test_a47(void)
{
    static const char text[] =
        "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
        "    %h : [num_users=2] = get_attr[target=body]\n"
        "    %a : [num_users=1] = call_function[target=torch.ops.higher_order.invoke_subgraph]("
        "args = (%h, 'body', %x), kwargs = {})\n"
        "    %b : [num_users=1] = call_function[target=torch.ops.higher_order.invoke_subgraph]("
        "args = (%h, 'body', %a), kwargs = {})\n"
        "    %o : [num_users=1] = get_attr[target=once]\n"
        "    %c : [num_users=1] = call_function[target=torch.ops.higher_order.invoke_subgraph]("
        "args = (%o, 'once', (%b, 1), %x), kwargs = {})\n"
        "    return c\n"
        "module body\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n" FN("f", "%x,",
            "") "    return f\n"
                "module once\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                "    %y : [num_users=1] = placeholder[target=y]\n" FN(
                    "f", "%x, %y", "") "    return f\n";
    t_string out = draw_module(text, NULL);
    HAS(out, "subgraph cluster_", 2);
    HAS(out, "lhead=cluster_1", 2);
    HAS(out, "g0n1", 0); /* the holder is no box */
    HAS(out, "g0n3 -> g2n0 [penwidth=2", 1);
    HAS(out, "g0n0 -> g2n1 [penwidth=2", 1);
    t_free(&out);
}

/* Graphs that call each other, and one that nobody calls, are drawn all the same. */
static void test_circle(void)
{
    static const char text[] = "module main\ngraph():\n    return None\n"
                               "module a\ngraph():\n    %x : [num_users=1] = "
                               "call_module[target=b](args = (), kwargs = {})\n"
                               "    return x\n"
                               "module b\ngraph():\n    %x : [num_users=1] = "
                               "call_module[target=a](args = (), kwargs = {})\n"
                               "    return x\n"
                               "module lone\ngraph():\n    return None\n"
                               "module self\ngraph():\n    %x : [num_users=1] = "
                               "call_module[target=self](args = (), kwargs "
                               "= {})\n    return x\n";
    t_string out = draw_module(text, NULL);
    HAS(out, "subgraph cluster_", 4);
    HAS(out, "lhead=cluster_1", 1);
    HAS(out, "lhead=cluster_4", 1);
    HAS(out, "label=\"lone: 0 nodes\"", 1);
    t_free(&out);
}

static int stop(void *user, const char *data, size_t size)
{
    (void)data;
    (void)size;
    return ++*(int *)user > 2;
}

static void test_errors(void)
{
    gsp_arena arena;
    gsp_module module;
    gsp_error err;
    int calls = 0;
    if (t_must_read(&arena, nested, &module)) {
        gsp_graph const graph = gsp_module_graph(&module, 0u);
        static const uint32_t of[] = {0, 0, 0, 0, 0, 0};
        static const uint32_t begin[] = {0, 1};
        static const gsp_node nodes[] = {6};
        gsp_str name;
        gsp_draw_desc desc;
        gsp_arena room;
        t_arena_open(&room, gsp_draw_bound(&module));
        memset(&desc, 0, sizeof(desc));
        T_EQUAL(gsp_draw_module(&room, &module, NULL, stop, &calls, &err), GSP_STATUS_LIMIT);
        T_EQUAL(calls, 3);
        T_EQUAL(room.low + room.high, 0);
        calls = 0;
        T_EQUAL(gsp_draw_graph(&graph, NULL, stop, &calls, &err), GSP_STATUS_LIMIT);
        T_EQUAL(gsp_draw_graph(NULL, NULL, stop, &calls, &err), GSP_STATUS_ARG);
        T_EQUAL(gsp_draw_graph(NULL, NULL, stop, &calls, NULL), GSP_STATUS_ARG);
        T_EQUAL(gsp_draw_module(&room, NULL, NULL, stop, &calls, &err), GSP_STATUS_ARG);
        desc.n_clusters = 1;
        T_EQUAL(gsp_draw_graph(&graph, &desc, stop, &calls, &err), GSP_STATUS_ARG);
        name = gsp_str_of("n");
        desc.cluster_of = of;
        desc.cluster_begin = begin;
        desc.cluster_nodes = nodes;
        desc.cluster_names = &name;
        T_EQUAL(gsp_draw_graph(&graph, &desc, stop, &calls, &err), GSP_STATUS_ARG);
        T_EQUAL(err.detail, GSP_DETAIL_RANGE);
        T_FIELD(&err);
        T_EQUAL(err.node, 6);
        t_arena_close(&room);
        t_arena_open(&room, 16u);
        T_EQUAL(gsp_draw_module(&room, &module, NULL, stop, &calls, NULL), GSP_STATUS_NOMEM);
        t_arena_close(&room);
    }
    t_arena_close(&arena);
}

void suite_unit_draw(void)
{
    t_run("support", test_support);
    t_run("frames", test_frames);
    t_run("units", test_units);
    t_run("labels", test_labels);
    t_run("module", test_module);
    t_run("first_calls", test_first_calls);
    t_run("a47", test_a47);
    t_run("circle", test_circle);
    t_run("errors", test_errors);
}
