/* Stages by counts and by bytes of parameters. */
#include "tests/t.h"

#define HEAD "graph():\n    %x : [num_users=9] = placeholder[target=x]  # f32[4]\n"
#define ATTR(name, target, note) \
    "    %" name " : [num_users=1] = get_attr[target=" target "]  # " note "\n"
#define FN(name, args) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args "), kwargs = {})  # " \
    "f32[4]\n"
#define MODULE(name, target, args, params) \
    "    %" name " : [num_users=1] = call_module[target=" target "](args = (" args \
    "), kwargs = {})  # f32[4] params=" params "\n"
#define MARK(name) \
    "    %" name " : [num_users=0] = call_function[target=" GSP_STAGES_MARKER "](args = (), " \
    "kwargs = {})  # none\n"

/* The stages as "a b | c d" and their weights as " : 2 2". */
static void check(
    const char *text, const gsp_stages_even_desc *desc, const char *expected, int line)
{
    t_string found = {NULL, 0u, 0u};
    gsp_arena arena;
    gsp_arena own;
    gsp_module module;
    gsp_graph graph;
    gsp_stages_even_result result;
    gsp_error err;
    uint32_t stage = 0u;
    gsp_node v;
    t_add(&found, "", 0u);
    if (!t_must_read(&arena, text, &module)) {
        t_free(&found);
        return;
    }
    graph = gsp_module_graph(&module, 0u);
    t_arena_open(&own, gsp_stages_even_bound(&graph, desc));
    if (t_check_equal((uint64_t)gsp_stages_even_run(&own, &graph, desc, &result, &err), GSP_OK,
            __FILE__, line, "status")) {
        for (v = 0u; v < graph.n_nodes; v++) {
            if (result.stage_of[v] != GSP_NONE) {
                t_puts(&found, result.stage_of[v] != stage ? "| " : "");
                stage = result.stage_of[v];
                t_add(&found, gsp_node_name(&graph, v).data, gsp_node_name(&graph, v).size);
                t_puts(&found, " ");
            }
        }
        t_puts(&found, ":");
        for (stage = 0u; stage < result.n_stages; stage++) {
            t_puts(&found, " ");
            t_number(&found, (uint32_t)result.weight[stage]);
        }
        t_check_text(gsp_str_of(found.data), expected, __FILE__, line, "stages");
    }
    t_arena_close(&own);
    t_arena_close(&arena);
    t_free(&found);
}
#define STAGES(text, desc, expected) check((text), (desc), (expected), __LINE__)

static gsp_stages_even_desc policy(gsp_stages_even_policy p, uint32_t n_stages)
{
    gsp_stages_even_desc d;
    memset(&d, 0, sizeof(d));
    d.policy = (uint32_t)p;
    d.n_stages = n_stages;
    return d;
}

static const char seven[] = HEAD FN("a", "%x,") FN("b", "%a,") FN("c", "%b,") FN("d", "%c,")
    FN("e", "%d,") FN("f", "%e,") FN("g", "%f,") "    return g\n";

static void test_nodes(void)
{
    gsp_stages_even_desc d = policy(GSP_STAGES_EVEN_NODES, 3u);
    STAGES(seven, NULL, "a b c d e f g : 7");
    STAGES(seven, &d, "a b c | d e | f g : 3 2 2");
    d.n_stages = 7u;
    STAGES(seven, &d, "a | b | c | d | e | f | g : 1 1 1 1 1 1 1");
    d.n_stages = 4000000000u;
    STAGES(seven, &d, "a | b | c | d | e | f | g : 1 1 1 1 1 1 1");
    STAGES("graph():\n    return None\n", &d, ":");
    STAGES(HEAD "    return x\n", &d, ":");
}

/* Markers weigh nothing, whatever they are called. */
static void test_markers(void)
{
    gsp_stages_even_desc d = policy(GSP_STAGES_EVEN_NODES, 2u);
    static const char text[] = HEAD MARK("m") FN("a", "%x,") FN("b", "%a,") FN("c", "%b,") MARK("n")
        FN("d", "%c,") "    return d\n";
    STAGES(text, &d, "a b | c d : 2 2");
    d.marker = "f";
    STAGES(text, &d, "m | n : 1 1");
}

static const char loaded[] =
    HEAD ATTR("p", "p", "f32[4]") FN("a", "%x, %p") ATTR("q", "q", "f32[1]") FN("b", "%a, %q")
        MODULE("c", "m", "%b,", "12") ATTR("p_1", "p", "f32[99]") FN("d", "%c, %p_1, %q")
            MODULE("e", "m", "%d,", "12") FN("f", "%e,") "    return f\n";

/* Every name counts once, with the bytes that it has where it stands first. */
static void test_params(void)
{
    gsp_stages_even_desc d = policy(GSP_STAGES_EVEN_PARAMS, 1u);
    STAGES(loaded, &d, "a b c d e f : 32");
    d.n_stages = 2u;
    STAGES(loaded, &d, "a | b c d e f : 16 16");
    d.n_stages = 3u;
    STAGES(loaded, &d, "a | b c | d e f : 16 16 0");
    d.n_stages = 5u;
    STAGES(loaded, &d, "a | b | c | d e | f : 16 4 12 0 0");
    STAGES(seven, &d, "a b | c d | e | f | g : 0 0 0 0 0");
}

/* The case of the reference: 32-bit elements, no more than 300000 a stage. */
static void test_threshold(void)
{
    static const char text[] = HEAD ATTR("mm_param", "mm_param", "f32[512, 512]")
        FN("mm", "%x, %mm_param") FN("relu", "%mm,") ATTR("mm_param_1", "mm_param", "f32[512, 512]")
            FN("mm_1", "%relu, %mm_param_1") ATTR("buffer", "buffer", "f32[603, 512]")
                FN("getitem", "%buffer,") FN("add", "%mm_1, %getitem")
                    MODULE("lin", "lin", "%add,", "1050624") FN("relu_1", "%lin,")
                        FN("add_1", "%relu_1, %mm") ATTR("mm_param2", "mm_param2", "f32[512, 512]")
                            FN("mm_2", "%add_1, %mm_param2")
                                MODULE("lin_1", "lin", "%mm_2,", "1050624")
                                    FN("relu_2", "%lin_1,") "    return relu_2\n";
    gsp_stages_even_desc d = policy(GSP_STAGES_EVEN_THRESHOLD, 0u);
    d.threshold = 1200000u;
    STAGES(text, &d,
        "mm relu mm_1 | getitem add | lin relu_1 add_1 | mm_2 | lin_1 relu_2 "
        ": 1048576 1234944 1050624 1048576 1050624");
    d.n_stages = 3u;
    STAGES(text, &d,
        "mm relu mm_1 | getitem add | lin relu_1 add_1 mm_2 lin_1 relu_2 "
        ": 1048576 1234944 3149824");
    d.threshold = 0u;
    d.n_stages = 5u;
    STAGES(text, &d,
        "mm | relu mm_1 | getitem | add lin | relu_1 add_1 mm_2 lin_1 relu_2 "
        ": 1048576 1048576 1234944 1050624 2099200");
    d.threshold = 100000000u;
    STAGES(text, &d, "mm relu mm_1 getitem add lin relu_1 add_1 mm_2 lin_1 relu_2 : 5433344");
    STAGES(HEAD "    return x\n", &d, ":");
    /* What the node that opens a stage reads counts once there. */
    d.n_stages = 0u;
    d.threshold = 20u;
    STAGES(HEAD ATTR("p", "p", "f32[3]") FN("a", "%x, %p") ATTR("q", "q", "f32[4]")
               FN("b", "%a, %q") FN("c", "%b, %q") "    return c\n",
        &d, "a | b c : 12 16");
    d.threshold = 28u; /* which may be reached */
    STAGES(HEAD ATTR("p", "p", "f32[3]") FN("a", "%x, %p") ATTR("q", "q", "f32[4]")
               FN("b", "%a, %q") FN("c", "%b, %q") "    return c\n",
        &d, "a b c : 28");
}

static gsp_status fails(const char *text, const gsp_stages_even_desc *desc, gsp_error *err)
{
    gsp_arena arena;
    gsp_arena own;
    gsp_module module;
    gsp_graph graph;
    gsp_stages_even_result result;
    gsp_status status = GSP_OK;
    if (t_must_read(&arena, text, &module)) {
        graph = gsp_module_graph(&module, 0u);
        t_arena_open(&own, 65536u);
        status = gsp_stages_even_run(&own, &graph, desc, &result, err);
        T_EQUAL(own.low + own.high, 0);
        t_arena_close(&own);
        t_arena_close(&arena);
    }
    return status;
}

static void test_errors(void)
{
    gsp_stages_even_desc d = policy(GSP_STAGES_EVEN_THRESHOLD, 0u);
    gsp_error err;
    static const char huge_text[] = HEAD MODULE("a", "a", "%x,", "18446744073709551615")
        MODULE("b", "b", "%a,", "1") FN("c", "%b,") "    return c\n";
    T_EQUAL(fails(seven, &d, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_THRESHOLD);
    d = policy(GSP_STAGES_EVEN_PARAMS, 2u);
    T_EQUAL(fails(huge_text, &d, &err), GSP_STATUS_OVERFLOW);
    T_EQUAL(err.detail, GSP_DETAIL_SIZE);
    T_EQUAL(err.node, 1);
    d.policy = GSP_STAGES_EVEN_COUNT;
    T_EQUAL(fails(seven, &d, &err), GSP_STATUS_DESC);
}

void suite_unit_stages_even(void)
{
    t_run("nodes", test_nodes);
    t_run("markers", test_markers);
    t_run("params", test_params);
    t_run("threshold", test_threshold);
    t_run("errors", test_errors);
}
