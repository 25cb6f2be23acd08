/* Pipelines: what files of cases cannot say. */
#include "tests/t.h"

typedef struct fixture {
    gsp_arena input;
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_stages_from_marks_result marks;
    gsp_pipeline_result made;
    gsp_error err;
} fixture;

static int open_text(fixture *f, const char *text)
{
    memset(f, 0, sizeof *f);
    if (!t_must_read(&f->input, text, &f->module)) {
        return 0;
    }
    f->graph = gsp_module_graph(&f->module, 0);
    t_arena_open(&f->arena, (size_t)1 << 20);
    return T_CHECK(
        gsp_stages_from_marks_run(&f->arena, &f->graph, NULL, &f->marks, &f->err) == GSP_OK);
}

static void close_text(fixture *f)
{
    t_arena_close(&f->arena);
    t_arena_close(&f->input);
}

/* The module of the stages that the markers make. */
static gsp_status run_pipe(fixture *f, gsp_multi_use use, uint32_t keep_targets)
{
    gsp_pipeline_desc desc = {0};
    desc.params.stage_of = f->marks.stage_of;
    desc.params.multi_use = (uint32_t)use;
    desc.keep_targets = keep_targets;
    return gsp_pipeline_run(&f->arena, &f->graph, &desc, &f->made, &f->err);
}

static void check_graph(const gsp_module *module, uint32_t id, const char *expected)
{
    gsp_text_desc desc = {0};
    gsp_graph g = gsp_module_graph(module, id);
    t_string s = {0};
    desc.no_annotations = 1;
    T_EQUAL(gsp_text_write_graph(&g, &desc, t_sink, &s, NULL), GSP_OK);
    T_STRING(s.data, expected);
    t_free(&s);
}

#define MARK "call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})\n"
#define CALL(name, target, args) \
    "    %" name " : [num_users=0] = call_function[target=" target "](args = (" args \
    "), kwargs = {})\n"
#define LEAF(name, target, args) \
    "    %" name " : [num_users=0] = call_module[target=" target "](args = (" args \
    "), kwargs = {})\n"
#define INPUT(name)        "    %" name " : [num_users=0] = placeholder[target=" name "]\n"
#define ATTR(name, target) "    %" name " : [num_users=0] = get_attr[target=" target "]\n"
#define CUT(name)          "    %" name " : [num_users=0] = " MARK

static const char three[] = "graph():\n" INPUT("x") CALL("a", "f", "%x,") CUT("m") CALL(
    "b", "f", "%a,") CUT("n") CALL("c", "f", "%b, %a") "    return {'loss': c, 'rest': (a, 3)}\n";

static void test_lookup(void)
{
    fixture f;
    gsp_graph g;
    if (open_text(&f, three) && T_CHECK(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 0) == GSP_OK)) {
        uint32_t i;
        T_EQUAL(f.made.n_stages, 3);
        for (i = 0; i < 3u; i++) {
            gsp_graph root = gsp_module_graph(&f.made.module, 0);
            char digit[2] = {(char)('0' + (int)i), '\0'};
            g = gsp_module_graph(&f.made.module, 1u + i);
            T_EQUAL(g.id, i + 1u);
            T_TEXT(gsp_node_attr(&root, f.made.call[i], GSP_KEY_STAGE), digit);
        }
    }
    close_text(&f);
}

static gsp_status find_loss(
    fixture *f, gsp_loss kind, uint32_t output, const char *spec, gsp_backward_result *back)
{
    gsp_backward_desc desc = {0};
    desc.loss = (uint32_t)kind;
    desc.output = output;
    desc.spec = gsp_str_of(spec);
    return gsp_backward_run(&f->arena, &f->made, &desc, back, &f->err);
}

static void check_loss(fixture *f, const char *spec, const char *name)
{
    gsp_backward_result back;
    gsp_graph root;
    if (T_CHECK(find_loss(f, GSP_LOSS_SPEC, 0, spec, &back) == GSP_OK)) {
        root = gsp_module_graph(&back.module, 0);
        T_TEXT(gsp_node_name(&root, back.loss), name);
    }
}

static void refuse_loss(fixture *f, const char *spec, gsp_detail detail, size_t column)
{
    gsp_backward_result back;
    T_EQUAL(find_loss(f, GSP_LOSS_SPEC, 0, spec, &back), GSP_STATUS_ARG);
    T_EQUAL(f->err.detail, detail);
    T_EQUAL(f->err.line, column != 0u);
    T_EQUAL(f->err.column, column);
}

static void test_loss(void)
{
    gsp_backward_desc none;
    fixture f;
    gsp_backward_result back;
    if (open_text(&f, three) && T_CHECK(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 0) == GSP_OK)) {
        check_loss(&f, "{'loss': True, 'rest': False}", "submod_2");
        check_loss(&f, " { loss :True , \"rest\": ( False,False, ) , } ", "submod_2");
        check_loss(&f, "{'loss': False, 'rest': [True, False]}", "submod_0");
        check_loss(&f, "{'loss': True, 'rest': (True, False)}", "submod_2");
        refuse_loss(&f, "{'loss': False, 'rest': (False, True)}", GSP_DETAIL_LOSS_SPEC, 33);
        refuse_loss(&f, "{'loss': False, 'rest': False}", GSP_DETAIL_LOSS_NONE, 0);
        refuse_loss(&f, "{'loss': True}", GSP_DETAIL_LOSS_SPEC, 14);
        refuse_loss(&f, "{'rest': True, 'loss': False}", GSP_DETAIL_LOSS_SPEC, 2);
        refuse_loss(&f, "{'loss': True, 'rest': (True,)}", GSP_DETAIL_LOSS_SPEC, 30);
        refuse_loss(&f, "{'loss': True, 'rest': (True, False]}", GSP_DETAIL_LOSS_SPEC, 36);
        refuse_loss(&f, "{'loss': True, 'rest': True}", GSP_DETAIL_LOSS_SPEC, 24);
        refuse_loss(&f, "(True, False)", GSP_DETAIL_LOSS_SPEC, 1);
        refuse_loss(&f, "True", GSP_DETAIL_LOSS_SPEC, 1);
        refuse_loss(&f, "", GSP_DETAIL_LOSS_SPEC, 1);
        refuse_loss(&f, "{'loss'", GSP_DETAIL_LOSS_SPEC, 2);
        refuse_loss(&f, "{'loss': True, 'rest': (True, False", GSP_DETAIL_LOSS_SPEC, 36);
        memset(&none, 0, sizeof(none));
        none.loss = GSP_LOSS_SPEC;
        none.spec = gsp_str_of("x");
        T_EQUAL(gsp_backward_run(&f.arena, &f.made, &none, &back, NULL), GSP_STATUS_ARG);
        refuse_loss(&f, "{'loss': True, 'rest': False} x", GSP_DETAIL_LOSS_SPEC, 31);
        T_EQUAL(find_loss(&f, GSP_LOSS_KEY, 0, NULL, &back), GSP_OK);
        T_EQUAL(back.loss, f.made.call[2]);
        T_CHECK(back.call[0] != GSP_NONE && back.call[1] != GSP_NONE && back.call[2] != GSP_NONE);
        T_EQUAL(find_loss(&f, GSP_LOSS_OUTPUT, 0, NULL, &back), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_LOSS_VALUE);
        T_EQUAL(find_loss(&f, GSP_LOSS_OUTPUT, 1, NULL, &back), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_LOSS_INDEX);
        T_EQUAL(f.err.limit, 1);
        T_EQUAL(find_loss(&f, GSP_LOSS_COUNT, 0, NULL, &back), GSP_STATUS_DESC);
    }
    close_text(&f);
    if (open_text(&f, "graph():\n" INPUT("x") CALL("a", "f", "%x,") "    return {xlossx: a}\n") &&
        T_CHECK(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 0) == GSP_OK)) {
        T_EQUAL(find_loss(&f, GSP_LOSS_KEY, 0, NULL, &back), GSP_STATUS_ARG);
        check_loss(&f, "{xlossx: True}", "submod_0");
    }
    close_text(&f);
    if (open_text(&f, "graph():\n" INPUT("x") CALL("a", "f", "%x,") "    return a\n") &&
        T_CHECK(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 0) == GSP_OK)) {
        check_loss(&f, "True", "submod_0");
        T_EQUAL(find_loss(&f, GSP_LOSS_KEY, 0, NULL, &back), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_LOSS_KEY);
        T_EQUAL(gsp_backward_run(&f.arena, &f.made, NULL, &back, &f.err), GSP_OK);
    }
    close_text(&f);
}

/* Only what the loss depends on gets a backward part. */
/* An empty container among the returned values. */
static void test_loss_beside_nothing(void)
{
    fixture f;
    if (open_text(&f, "graph():\n" INPUT("x") CALL("a", "f", "%x,") CUT("m")
                          CALL("b", "f", "%a,") "    return ((), [], b)\n") &&
        T_CHECK(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 0) == GSP_OK)) {
        check_loss(&f, "((), [], True)", "submod_1");
        refuse_loss(&f, "((,), [], True)", GSP_DETAIL_LOSS_SPEC, 3);
    }
    close_text(&f);
}

/* A node in no stage that reads one is left out. */
static void test_unused(void)
{
    static const uint32_t stage_of[6] = {GSP_NONE, 0u, GSP_NONE, 1u, GSP_NONE, GSP_NONE};
    fixture f;
    if (open_text(&f, "graph():\n" INPUT("x") CALL("a", "f", "%x,") CALL("u", "f", "%a,")
                          CALL("b", "f", "%a,") "    return b\n")) {
        gsp_pipeline_desc desc = {0};
        desc.params.stage_of = stage_of;
        if (T_EQUAL(gsp_pipeline_run(&f.arena, &f.graph, &desc, &f.made, &f.err), GSP_OK)) {
            T_EQUAL(f.made.n_stages, 2u);
            check_graph(&f.made.module, 1,
                "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})\n"
                "    return a\n");
        }
    }
    close_text(&f);
}

/* A call that writes what holds a graph: no parameter is written. */
static void test_written_graphs(void)
{
    static const uint32_t stage_of[5] = {GSP_NONE, GSP_NONE, 0u, 1u, GSP_NONE};
    fixture f;
    if (open_text(&f,
            "module main\ngraph():\n" INPUT("x") ATTR("h",
                "sub") "    %a : [num_users=1] = call_function[target=torch.ops.higher_order."
                       "invoke_subgraph](args = (%h, 'sub', %x), kwargs = {})  # f32[4] mutates=0\n"
                       "    %b : [num_users=1] = call_function[target=torch.ops.higher_order."
                       "invoke_subgraph](args = (%h, 'sub', %a), kwargs = {})\n"
                       "    return b\nmodule sub\ngraph():\n" INPUT("p") "    return p\n")) {
        gsp_pipeline_desc desc = {0};
        desc.params.stage_of = stage_of;
        T_EQUAL(gsp_pipeline_run(&f.arena, &f.graph, &desc, &f.made, &f.err), GSP_OK);
    }
    close_text(&f);
}

/* A module made by hand: stages on one device, a graph that no stage calls. */
static void test_uncalled(void)
{
    static const gsp_stage_device devices[2] = {{0, {"cuda:0", 6}}, {1, {"cuda:0", 6}}};
    gsp_stage_devices_desc desc = {0};
    gsp_module moved;
    fixture f;
    if (open_text(&f,
            "module main\ngraph():\n" INPUT("x") LEAF("a", "s0", "%x,") LEAF(
                "b", "s1", "%a,") "    return b\nmodule s0\ngraph():\n" INPUT("p")
                LEAF("q", "sub", "%p,") "    return q\nmodule s1\ngraph():\n" INPUT("p") LEAF(
                    "q", "sub", "%p,") "    return q\nmodule sub\ngraph():\n" INPUT("p")
                    CALL("o", "f", "%p, device=cpu") "    return o\nmodule alone\ngraph():\n" INPUT(
                        "p") "    return p\n")) {
        desc.n_stages = 2;
        desc.devices = devices;
        desc.n_devices = 2;
        if (T_EQUAL(gsp_stage_devices_run(&f.arena, &f.module, &desc, &moved, &f.err), GSP_OK)) {
            T_EQUAL(moved.counts.graphs, 5u); /* no copy of `sub` */
        }
    }
    close_text(&f);
}

/* There is room for the name of a device, however long. */
static void test_long_device(void)
{
    static char name[3000];
    gsp_stage_device device = {0, {name, sizeof(name)}};
    gsp_stage_devices_desc desc = {0};
    gsp_module moved;
    fixture f;
    memset(name, 'd', sizeof(name));
    if (open_text(&f, "module main\ngraph():\n" INPUT("x")
                          LEAF("a", "s0", "%x,") "    return a\nmodule s0\ngraph():\n" INPUT("p")
                              CALL("o", "f", "%p, device=cpu") "    return o\n")) {
        desc.n_stages = 1;
        desc.devices = &device;
        desc.n_devices = 1;
        T_EQUAL(gsp_stage_devices_run(&f.arena, &f.module, &desc, &moved, &f.err), GSP_OK);
    }
    close_text(&f);
}

static void test_dead_stages(void)
{
    fixture f;
    gsp_backward_result back;
    if (open_text(&f, "graph():\n" INPUT("x") CALL("a", "f", "%x,") CUT("m") CALL("b", "f", "%x,")
                          CUT("n") CALL("c", "f", "%b,") "    return (a, c)\n") &&
        T_CHECK(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 0) == GSP_OK)) {
        T_EQUAL(find_loss(&f, GSP_LOSS_OUTPUT, 0, NULL, &back), GSP_OK);
        T_CHECK(back.call[0] != GSP_NONE && back.call[1] == GSP_NONE && back.call[2] == GSP_NONE);
        T_EQUAL(find_loss(&f, GSP_LOSS_OUTPUT, 1, NULL, &back), GSP_OK);
        T_CHECK(back.call[0] == GSP_NONE && back.call[1] != GSP_NONE && back.call[2] != GSP_NONE);
    }
    close_text(&f);
}

/* Values of a stage are the getitems behind its call, and no other function that reads it. */
static void test_other_function(void)
{
    static const char text[] = "module main\ngraph():\n" INPUT("x") LEAF("s", "submod_0", "%x,")
        CALL("a", "operator.add", "%s, 0") LEAF(
            "t", "submod_1", "%s, %a") "    return t\n"
                                       "module submod_0\ngraph():\n" INPUT(
                                           "x") "    return x\n"
                                                "module submod_1\ngraph():\n" INPUT("x") INPUT("y")
                                                    CALL("c", "f", "%x, %y") "    return c\n";
    static const gsp_node calls[] = {1, 3};
    gsp_backward_result back;
    fixture f;
    if (open_text(&f, text)) {
        f.made.module = f.module;
        f.made.n_stages = 2;
        f.made.call = calls;
        if (T_CHECK(gsp_backward_run(&f.arena, &f.made, NULL, &back, &f.err) == GSP_OK)) {
            gsp_graph const root = gsp_module_graph(&back.module, 0);
            uint32_t count = 0;
            const gsp_node *read = gsp_node_inputs(&root, back.call[0], &count);
            if (T_EQUAL(count, 3)) {
                T_EQUAL(read[0], 1); /* the call; 2 is the sum */
                T_EQUAL(read[1], back.grad_of[1]);
                T_EQUAL(read[2], 0);
            }
            T_CHECK(back.grad_of[2] != GSP_NONE);
        }
    }
    close_text(&f);
}

/* An index beyond the returned values is refused with their number, also when they are a tuple. */
static void test_loss_beyond(void)
{
    gsp_backward_result back;
    fixture f;
    if (open_text(&f, "graph():\n" INPUT("x") CALL("a", "f", "%x,") CUT("m")
                          CALL("b", "f", "%a,") "    return (a, b)\n") &&
        T_CHECK(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 0) == GSP_OK)) {
        T_EQUAL(find_loss(&f, GSP_LOSS_OUTPUT, 1, NULL, &back), GSP_OK);
        T_EQUAL(find_loss(&f, GSP_LOSS_OUTPUT, 2, NULL, &back), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_LOSS_INDEX);
        T_EQUAL(f.err.limit, 2);
    }
    close_text(&f);
}

/* Checks that need no scratch come before room; a graph that does not exist has no pipeline. */
static void test_before_room(void)
{
    gsp_backward_result back;
    gsp_pipeline_desc desc = {0};
    gsp_arena none;
    gsp_graph gone;
    fixture f;
    gsp_arena_init(&none, NULL, 0);
    if (open_text(&f, three) && T_CHECK(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 0) == GSP_OK)) {
        gsp_arena const kept = f.arena;
        f.arena = none;
        T_EQUAL(find_loss(&f, GSP_LOSS_OUTPUT, 1, NULL, &back), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_LOSS_INDEX);
        T_EQUAL(find_loss(&f, GSP_LOSS_OUTPUT, 0, NULL, &back), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_LOSS_VALUE);
        T_EQUAL(find_loss(&f, GSP_LOSS_KEY, 0, NULL, &back), GSP_STATUS_NOMEM);
        f.arena = kept;
        gone = gsp_module_graph(&f.module, 1);
        desc.params.stage_of = f.marks.stage_of;
        T_EQUAL(gsp_pipeline_run(&f.arena, &gone, &desc, &f.made, &f.err), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_RANGE);
        T_FIELD(&f.err);
        T_STRING(f.err.field, "n_nodes");
    }
    close_text(&f);
}

/* Targets that flatten to one name, stages whose names are taken, and targets as they were. */
static void test_names(void)
{
    static const char text[] = "graph():\n" INPUT("x") LEAF("a", "b.c", "%x,")
        LEAF("b", "b_c", "%a,") LEAF("c", "b.c", "%b,") CUT("m") LEAF("d", "submod_0", "%c,")
            LEAF("e", "submod.1", "%d,") "    return e\n";
    fixture f;
    if (open_text(&f, text) && T_CHECK(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 0) == GSP_OK)) {
        check_graph(&f.made.module, 0,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %submod_1 : [num_users=1] = call_module[target=submod_1](args = (%x,), "
            "kwargs = {})\n"
            "    %submod_2 : [num_users=1] = call_module[target=submod_2](args = "
            "(%submod_1,), kwargs = {})\n    return submod_2\n");
        check_graph(&f.made.module, 1,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %a : [num_users=1] = call_module[target=b_c](args = (%x,), kwargs = {})\n"
            "    %b : [num_users=1] = call_module[target=b_c_1](args = (%a,), kwargs = {})\n"
            "    %c : [num_users=1] = call_module[target=b_c](args = (%b,), kwargs = {})\n"
            "    return c\n");
        check_graph(&f.made.module, 2,
            "graph():\n    %c : [num_users=1] = placeholder[target=c]\n"
            "    %d : [num_users=1] = call_module[target=submod_0](args = (%c,), kwargs = "
            "{})\n"
            "    %e : [num_users=1] = call_module[target=submod_3](args = (%d,), kwargs = "
            "{})\n    return e\n");
        T_CHECK(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 1) == GSP_OK);
        check_graph(&f.made.module, 1,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %a : [num_users=1] = call_module[target=b.c](args = (%x,), kwargs = {})\n"
            "    %b : [num_users=1] = call_module[target=b_c](args = (%a,), kwargs = {})\n"
            "    %c : [num_users=1] = call_module[target=b.c](args = (%b,), kwargs = {})\n"
            "    return c\n");
    }
    close_text(&f);
}

/* Beside parameters whose first part has a '_' and is no string, a string, or a called module. */
static void test_names_of_parameters(void)
{
    static const char text[] = "graph():\n" INPUT("x") ATTR("p", "m_m.p") ATTR("q", "g_g.q")
        ATTR("r", "b_c.r") LEAF("a", "b.c", "%x, %p, %q, %r") LEAF("b", "b_c", "%a,")
            LEAF("c", "m.m", "%b,") CALL("g_g", "g", "%c,") "    return g_g\n";
    fixture f;
    if (open_text(&f, text) && T_CHECK(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 0) == GSP_OK)) {
        check_graph(&f.made.module, 1,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %p : [num_users=1] = get_attr[target=m_m.p]\n"
            "    %q : [num_users=1] = get_attr[target=g_g.q]\n"
            "    %r : [num_users=1] = get_attr[target=b_c.r]\n"
            "    %a : [num_users=1] = call_module[target=b_c](args = (%x, %p, %q, %r), "
            "kwargs = {})\n"
            "    %b : [num_users=1] = call_module[target=b_c_1](args = (%a,), kwargs = {})\n"
            "    %c : [num_users=1] = call_module[target=m_m_1](args = (%b,), kwargs = {})\n"
            "    %g_g : [num_users=1] = call_function[target=g](args = (%c,), kwargs = {})\n"
            "    return g_g\n");
    }
    close_text(&f);
}

/* Stages need not be runs of the graph's order, and numbers may have holes. */
static void test_order(void)
{
    static const uint32_t stage_of[5] = {GSP_NONE, 3u, 1u, 3u, GSP_NONE};
    static const uint32_t wrong[5] = {GSP_NONE, 3u, 1u, 0u, GSP_NONE};
    static const uint32_t gone[5] = {GSP_NONE, GSP_NONE, 1u, 1u, GSP_NONE};
    static const uint32_t large[5] = {GSP_NONE, 1u, 1u, 5u, GSP_NONE};
    fixture f;
    if (open_text(&f, "graph():\n" INPUT("x") CALL("a", "f", "%x,") CALL("b", "g", "%x,")
                          CALL("c", "h", "%a, %b") "    return c\n")) {
        f.marks.stage_of = stage_of;
        T_CHECK(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 0) == GSP_OK);
        T_EQUAL(f.made.n_stages, 2);
        T_EQUAL(f.made.stage_of[1], 1);
        T_EQUAL(f.made.stage_of[2], 0);
        T_EQUAL(f.made.node_of[3], 3);
        check_graph(&f.made.module, 2,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %b : [num_users=1] = placeholder[target=b]\n"
            "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})\n"
            "    %c : [num_users=1] = call_function[target=h](args = (%a, %b), kwargs = "
            "{})\n    return c\n");
        f.marks.stage_of = wrong;
        T_EQUAL(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 0), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_STAGE_ORDER);
        T_EQUAL(f.err.node, 3);
        T_EQUAL(f.err.other, 1);
        f.marks.stage_of = gone;
        T_EQUAL(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 0), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_STAGE);
        T_EQUAL(f.err.node, 3);
        T_EQUAL(f.err.other, 1);
        f.marks.stage_of = large;
        T_EQUAL(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 0), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_STAGE);
        T_EQUAL(f.err.node, 3);
        T_EQUAL(f.err.other, GSP_NONE);
    }
    close_text(&f);
}

/* A parameter that is written has one place: copies would differ. */
static void test_written(void)
{
    static const char text[] = "graph():\n" INPUT("x")
        ATTR("p", "w") "    %a : [num_users=0] = call_method[target=add_]"
                       "(args = (%x, [3, %p]), kwargs = {})  # f32[2] mutates=2\n" CUT("m")
                           ATTR("q", "w") CALL("b", "f", "%a, %q") "    return b\n";
    fixture f;
    if (open_text(&f, text)) {
        T_EQUAL(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 0), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_WRITTEN);
        T_EQUAL(f.err.node, 2);
        T_EQUAL(f.err.other, 1);
        T_EQUAL(run_pipe(&f, GSP_MULTI_USE_TRANSMIT, 0), GSP_OK);
        T_EQUAL(f.made.params.n_replicated, 0);
        T_EQUAL(f.made.params.params[0].transmitted, 1);
    }
    close_text(&f);
}

/* Child graphs: those in use come along, those of stages on different devices are told apart. */
static const char children[] =
    "module main\ngraph():\n" INPUT("x") LEAF("a", "inner", "%x,") CUT("m") ATTR("h",
        "held") "    %b : [num_users=0] = call_function[target=invoke](args = (%h, %a), kwargs = "
                "{})\n"
                "    %c : [num_users=0] = call_module[target=inner](args = (%b,), kwargs = {})\n"
                "    %z : [num_users=0] = call_function[target=torch.zeros](args = (2,), kwargs = "
                "{device: "
                "cpu})\n"
                "    return (b, c, z)\n"
                "module unused\ngraph():\n" INPUT(
                    "x") "    return x\n"
                         "module inner\ngraph():\n" INPUT("y") LEAF("d", "deep",
                             "%y,") "    return d\n"
                                    "module deep\ngraph():\n" INPUT(
                                        "y") "    %o : [num_users=0] = "
                                             "call_function[target=torch.ones](args = (2,), "
                                             "kwargs = {device: "
                                             "cpu, dtype: torch.float32})\n"
                                             "    return o\n"
                                             "module held\ngraph():\n" INPUT(
                                                 "y") "    %k : [num_users=0] = "
                                                      "call_method[target=to](args = (%y,), "
                                                      "kwargs = {device: cpu})\n"
                                                      "    return k\n";

static void check_name(const gsp_module *m, uint32_t id, const char *name)
{
    T_TEXT(gsp_module_str(m, m->graphs[id].name), name);
}

static void test_children(void)
{
    gsp_stage_device devices[3] = {{0, {"cuda:9", 6}}, {1, {"cuda:1", 6}}, {0, {"cuda:0", 6}}};
    gsp_stage_devices_desc desc = {0};
    gsp_module moved;
    gsp_module alone;
    gsp_module back;
    gsp_arena arena;
    fixture f;
    t_string text;
    if (!open_text(&f, children) || !T_CHECK(run_pipe(&f, GSP_MULTI_USE_TRANSMIT, 0) == GSP_OK)) {
        close_text(&f);
        return;
    }
    T_EQUAL(f.made.module.counts.graphs, 6);
    check_name(&f.made.module, 3, "inner");
    check_name(&f.made.module, 4, "deep");
    check_name(&f.made.module, 5, "held");
    T_EQUAL(f.made.params.n_params, 0);
    T_EQUAL(f.made.params.n_shared, 1);
    desc.n_stages = 2;
    desc.devices = devices;
    desc.n_devices = 3;
    T_CHECK(gsp_stage_devices_run(&f.arena, &f.made.module, &desc, &moved, &f.err) == GSP_OK);
    T_EQUAL(moved.counts.graphs, 8);
    check_name(&moved, 6, "inner_1");
    check_name(&moved, 7, "deep_1");
    check_graph(&moved, 4,
        "graph():\n    %y : [num_users=0] = placeholder[target=y]\n"
        "    %o : [num_users=1] = call_function[target=torch.ones](args = (2,), kwargs = "
        "{device: cuda:0, dtype: torch.float32})\n    return o\n");
    check_graph(&moved, 5,
        "graph():\n    %y : [num_users=1] = placeholder[target=y]\n"
        "    %k : [num_users=1] = call_method[target=to](args = (%y,), kwargs = {device: "
        "cpu})\n    return k\n");
    check_graph(&moved, 6,
        "graph():\n    %y : [num_users=1] = placeholder[target=y]\n"
        "    %d : [num_users=1] = call_module[target=deep_1](args = (%y,), kwargs = {})\n"
        "    return d\n");
    check_graph(&moved, 7,
        "graph():\n    %y : [num_users=0] = placeholder[target=y]\n"
        "    %o : [num_users=1] = call_function[target=torch.ones](args = (2,), kwargs = "
        "{device: cuda:1, dtype: torch.float32})\n    return o\n");
    desc.n_devices = 1; /* stage 0 alone: what stage 1 uses stays as it was */
    T_CHECK(gsp_stage_devices_run(&f.arena, &f.made.module, &desc, &moved, &f.err) == GSP_OK);
    T_EQUAL(moved.counts.graphs, 8);
    T_CHECK(gsp_stage_extract_run(&f.arena, &moved, 2, &alone, &f.err) == GSP_OK);
    T_EQUAL(alone.counts.graphs, 4);
    text = t_print(&alone, NULL);
    T_CHECK(strstr(text.data, "cuda") == NULL);
    if (T_CHECK(t_read(&arena, text.data, text.size, &back, &f.err) == GSP_OK)) {
        t_string again = t_print(&back, NULL);
        T_STRING(again.data, text.data);
        t_free(&again);
        t_arena_close(&arena);
    }
    t_free(&text);
    T_EQUAL(gsp_stage_extract_run(&f.arena, &moved, 8, &alone, &f.err), GSP_STATUS_ARG);
    T_EQUAL(f.err.detail, GSP_DETAIL_STAGE_INDEX);
    close_text(&f);
}

/* A graph that is called inside of a stage, and whose value nobody returns. */
static void test_inner_child(void)
{
    static const char text[] =
        "module main\ngraph():\n" INPUT("x") LEAF("a", "inner", "%x,") CALL("b", "f", "%a,")
            CUT("m") CALL("c", "g", "%b,") "    return c\nmodule unused\ngraph():\n" INPUT(
                "x") "    return x\nmodule inner\ngraph():\n" INPUT("y") "    return y\n";
    fixture f;
    if (open_text(&f, text) && T_CHECK(run_pipe(&f, GSP_MULTI_USE_TRANSMIT, 0) == GSP_OK)) {
        T_EQUAL(f.made.module.counts.graphs, 4);
        check_name(&f.made.module, 3, "inner");
    }
    close_text(&f);
}

/* Stages whose nodes take turns in graph order: a module is listed once per stage that calls it. */
static void test_turns(void)
{
    static const char text[] = "graph():\n" INPUT(
        "x") "    %a : [num_users=1] = call_module[target=m](args = (%x,), kwargs = {})\n"
             "    %b : [num_users=1] = call_module[target=m](args = (%x,), kwargs = {})\n"
             "    %c : [num_users=1] = call_module[target=m](args = (%x,), kwargs = {})\n"
             "    return (a, b, c)\n";
    static const uint32_t stage_of[5] = {GSP_NONE, 0, 1, 0, GSP_NONE};
    gsp_stage_params_desc desc = {0};
    gsp_stage_params_result r;
    fixture f;
    if (open_text(&f, text)) {
        desc.stage_of = stage_of;
        T_EQUAL(gsp_stage_params_bound(&f.graph, NULL), gsp_stage_params_bound(&f.graph, &desc));
        T_EQUAL(gsp_stage_params_run(&f.arena, &f.graph, NULL, &r, &f.err), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_NULL_ARGUMENT);
        T_FIELD(&f.err);
        T_EQUAL(gsp_stage_params_run(&f.arena, &f.graph, &desc, &r, &f.err), GSP_OK);
        T_EQUAL(r.n_shared, 1);
        T_EQUAL(r.n_held, 2);
        T_EQUAL(r.held[r.shared[0].begin], 0);
        T_EQUAL(r.held[r.shared[0].end - 1u], 1);
    }
    close_text(&f);
}

static void test_devices(void)
{
    static const char *const bad[] = {"", " cuda:0", "(cuda", "%x", "a, b", "cuda:0\n"};
    gsp_stage_device device = {0, {NULL, 0}};
    gsp_stage_devices_desc desc = {0};
    gsp_module moved;
    fixture f;
    uint32_t i;
    if (open_text(&f, three) && T_CHECK(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 0) == GSP_OK)) {
        desc.n_stages = 3;
        desc.devices = &device;
        desc.n_devices = 1;
        for (i = 0; i < T_COUNT_OF(bad); i++) {
            device.device = gsp_str_of(bad[i]);
            T_EQUAL(gsp_stage_devices_run(&f.arena, &f.made.module, &desc, &moved, &f.err),
                GSP_STATUS_ARG);
            T_EQUAL(f.err.detail, GSP_DETAIL_DEVICE);
            T_EQUAL(f.err.node, 0);
        }
        device.device = gsp_str_of("cuda:0");
        device.stage = 3;
        T_EQUAL(
            gsp_stage_devices_run(&f.arena, &f.made.module, &desc, &moved, &f.err), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_STAGE_INDEX);
        desc.n_stages = 4;
        T_EQUAL(
            gsp_stage_devices_run(&f.arena, &f.made.module, &desc, &moved, &f.err), GSP_STATUS_ARG);
    }
    close_text(&f);
}

static int never(void *user, const gsp_graph *graph, gsp_node node)
{
    *(uint32_t *)user += 1u;
    return gsp_node_is_callable(graph, node) ? 0 : 1;
}

static void test_marks(void)
{
    gsp_split_point point = {{"a.b", 3}, (uint32_t)GSP_SPLIT_POINT_COUNT};
    gsp_stages_from_marks_desc desc = {0};
    gsp_stages_from_marks_result r;
    fixture f;
    uint32_t asked = 0;
    if (open_text(&f, three)) {
        desc.points = &point;
        desc.n_points = 1;
        T_EQUAL(gsp_stages_from_marks_run(&f.arena, &f.graph, &desc, &r, &f.err), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_POINT);
        T_EQUAL(f.err.node, 0);
        point.point = (uint32_t)GSP_SPLIT_POINT_END;
        T_EQUAL(gsp_stages_from_marks_run(&f.arena, &f.graph, &desc, &r, &f.err), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_PATH);
        T_EQUAL(f.err.what, GSP_WHAT_POINT);
        T_EQUAL(gsp_stages_from_marks_run(&f.arena, &f.graph, &desc, &r, NULL), GSP_STATUS_ARG);
        point.path.data = NULL;
        point.path.size = 0;
        T_EQUAL(gsp_stages_from_marks_run(&f.arena, &f.graph, &desc, &r, &f.err), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_PATH); /* an empty path, which names nothing */
        point.path.size = 3;
        T_EQUAL(gsp_stages_from_marks_run(&f.arena, &f.graph, &desc, &r, NULL), GSP_STATUS_ARG);
        T_EQUAL(gsp_stages_from_marks_run(&f.arena, &f.graph, &desc, &r, &f.err), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_NULL_ARGUMENT);
        T_FIELD(&f.err);
        desc.policy = never;
        desc.user = &asked;
        T_EQUAL(gsp_stages_from_marks_run(&f.arena, &f.graph, &desc, &r, &f.err), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_POLICY);
        desc.n_points = 0;
        T_EQUAL(gsp_stages_from_marks_run(&f.arena, &f.graph, &desc, &r, &f.err), GSP_OK);
        T_EQUAL(r.n_stages, 1);
        T_EQUAL(asked, 3);
        memset(&desc, 0, sizeof desc);
        desc.marker = "f";
        T_EQUAL(gsp_stages_from_marks_run(&f.arena, &f.graph, &desc, &r, &f.err), GSP_OK);
        T_EQUAL(r.n_stages, 2); /* between the two real markers, which are nodes now */
        T_EQUAL(r.stage_of[1], GSP_NONE);
    }
    close_text(&f);
}

/* A setting of a parameter that no node reads is refused, the first one too. */
static void test_unknown_parameter(void)
{
    gsp_stage_param_use const uses[] = {
        {{"v", 1}, (uint32_t)GSP_MULTI_USE_TRANSMIT}, {{"w", 1}, (uint32_t)GSP_MULTI_USE_TRANSMIT}};
    gsp_pipeline_desc desc = {0};
    fixture f;
    if (open_text(&f, "graph():\n" ATTR("p", "w") CALL("a", "f", "%p,") "    return a\n")) {
        desc.params.stage_of = f.marks.stage_of;
        desc.params.uses = uses;
        desc.params.n_uses = 2;
        T_EQUAL(gsp_pipeline_run(&f.arena, &f.graph, &desc, &f.made, &f.err), GSP_STATUS_ARG);
        T_EQUAL(f.err.detail, GSP_DETAIL_PARAMETER);
        T_EQUAL(f.err.node, 0);
    }
    close_text(&f);
}

/* No callable node, and a stage without any output. */
static void test_edges(void)
{
    fixture f;
    if (open_text(&f, "graph():\n" INPUT("x") ATTR("p", "w") ATTR("q", "w")
                          ATTR("u", "v") "    return (x, q)\n") &&
        T_CHECK(run_pipe(&f, GSP_MULTI_USE_TRANSMIT, 0) == GSP_OK)) {
        T_EQUAL(f.made.n_stages, 0);
        T_EQUAL(f.made.params.n_params, 0);
        check_graph(&f.made.module, 0,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %p : [num_users=1] = get_attr[target=w]\n    return (x, p)\n");
    }
    close_text(&f);
    if (open_text(&f, "graph():\n" INPUT("x") CALL("a", "f", "%x,") CUT("m")
                          CALL("b", "f", "%x,") "    return b\n") &&
        T_CHECK(run_pipe(&f, GSP_MULTI_USE_REPLICATE, 0) == GSP_OK)) {
        check_graph(&f.made.module, 1,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %a : [num_users=0] = call_function[target=f](args = (%x,), kwargs = {})\n"
            "    return ()\n");
    }
    close_text(&f);
}

void suite_unit_pipeline(void)
{
    t_run("lookup", test_lookup);
    t_run("loss", test_loss);
    t_run("loss_beyond", test_loss_beyond);
    t_run("loss_beside_nothing", test_loss_beside_nothing);
    t_run("unused", test_unused);
    t_run("uncalled", test_uncalled);
    t_run("written_graphs", test_written_graphs);
    t_run("long_device", test_long_device);
    t_run("dead_stages", test_dead_stages);
    t_run("other_function", test_other_function);
    t_run("before_room", test_before_room);
    t_run("names", test_names);
    t_run("names_of_parameters", test_names_of_parameters);
    t_run("order", test_order);
    t_run("written", test_written);
    t_run("children", test_children);
    t_run("inner_child", test_inner_child);
    t_run("turns", test_turns);
    t_run("devices", test_devices);
    t_run("marks", test_marks);
    t_run("unknown_parameter", test_unknown_parameter);
    t_run("edges", test_edges);
}
