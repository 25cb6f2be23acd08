/* Non-tensor values on boundaries: cases A37 to A46, then what the split makes of them. */
#include "tests/t.h"

/* A node `name` that yields a tensor (t) or an int (n). */
#define T(name, args) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args \
    "), kwargs = {})  # f32[4]\n"
#define N(name, args) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args \
    "), kwargs = {})  # int\n"
#define GRAPH(nodes) "graph():\n" nodes "    return None\n"

/* Subgraphs are digits, one per node, and `kinds` the kinds of the subgraphs, one digit each. */
static void check(const char *text, const char *kinds, const char *before, const char *after,
    const uint32_t *group, int line)
{
    gsp_arena arena;
    gsp_module module;
    uint32_t of[16];
    uint8_t kind[16];
    gsp_move_non_tensor_desc desc;
    gsp_graph graph;
    gsp_arena scratch;
    gsp_node v;
    uint32_t moved = 0;
    uint32_t expected = 0;
    if (!t_must_read(&arena, text, &module)) {
        t_arena_close(&arena);
        return;
    }
    graph = gsp_module_graph(&module, 0u);
    memset(&desc, 0, sizeof(desc));
    desc.n_subgraphs = (uint32_t)strlen(kinds);
    for (v = 0; v < desc.n_subgraphs; v++) {
        kind[v] = (uint8_t)(kinds[v] - '0');
    }
    for (v = 0; before[v] != '\0'; v++) {
        of[v] = (uint32_t)(before[v] - '0');
        expected += before[v] != after[v] ? 1u : 0u;
    }
    desc.kind = kind;
    desc.group = group;
    t_arena_open(&scratch, gsp_move_non_tensor_bound(&graph, &desc));
    t_check_equal((uint64_t)gsp_move_non_tensor_run(&scratch, &graph, &desc, of, &moved, NULL),
        GSP_OK, __FILE__, line, "status");
    t_check_equal(moved, expected, __FILE__, line, "moved");
    for (v = 0; before[v] != '\0'; v++) {
        t_check_equal(of[v], (uint64_t)(after[v] - '0'), __FILE__, line, after + v);
    }
    t_arena_close(&scratch);
    t_arena_close(&arena);
}
#define MOVES(text, kinds, before, after) check(text, kinds, before, after, NULL, __LINE__)

static void test_a37(void)
{
    MOVES(GRAPH(N("n1", "") T("t2", "%n1,") T("t3", "%n1,")), "11", "011", "111");
    /* its only reader is beside it */
    MOVES(GRAPH(N("n1", "") T("t2", "%n1,") T("t3", "%t2,")), "11", "001", "001");
}

static void test_a38(void)
{
    MOVES(GRAPH(T("t1", "") T("t2", "%t1,")), "11", "01", "01");
}

static void test_a39(void)
{
    MOVES(GRAPH(N("n1", "") T("t2", "%n1,")), "01", "01", "01");
}

static void test_a40(void)
{
    MOVES(GRAPH(N("n1", "") T("t2", "%n1,") T("t3", "%n1,")), "111", "012", "012");
}

static void test_a41(void)
{
    MOVES(GRAPH(N("n1", "") N("n2", "%n1,") N("n3", "%n2,") T("t4", "%n3,")), "11", "0001", "1111");
}

static void test_a42(void)
{
    MOVES(GRAPH(N("p", "") N("n1", "%p,") T("t", "%n1,")), "11", "001", "111");
}

static void test_a43(void)
{
    MOVES(GRAPH(""), "11", "", "");
}

static void test_a44(void)
{
    MOVES(GRAPH(N("n1", "") T("t2", "%n1,")), "1", "00", "00");
}

static void test_a45(void)
{
    MOVES(
        GRAPH(N("na", "") T("tb", "%na,") T("tc", "%na,") T("td", "%tb,")), "111", "0021", "0021");
}

static void test_a46(void)
{
    MOVES(GRAPH(N("na", "") T("tb", "%na,")), "10", "01", "11");
}

/* Beyond the reference's own cases. */
static void test_more(void)
{
    static const uint32_t grouped[] = {0, GSP_NONE, GSP_NONE, GSP_NONE};
    static const uint32_t reader_grouped[] = {GSP_NONE, 0, GSP_NONE, GSP_NONE};
    /* a reader inside comes along, and what nobody reads goes as far as its inputs */
    MOVES(GRAPH(N("n", "") T("in", "%n,") T("out", "%n,")), "11", "001", "111");
    MOVES(GRAPH(N("a", "") N("b", "") T("c", "%a, %b") T("d", "%a,") T("e", "%b,")), "111", "00012",
        "12212");
    /* all readers come along with another node: then a value does not stay behind alone */
    MOVES(GRAPH(N("p", "") N("v", "") T("q", "%p, %v") T("t", "%q, %v")), "11", "0001", "1111");
    /* through a subgraph that is emptied later in the order: one call is enough */
    MOVES(GRAPH(N("v", "") N("a", "%v,") T("b", "%v,") T("c", "%a,")), "111", "0122", "2222");
    /* never to another accelerator, never out of a group */
    MOVES(GRAPH(N("n", "") T("t", "%n,")), "12", "01", "01");
    check(
        GRAPH(N("n1", "") T("t2", "%n1,") T("t3", "%n1,")), "11", "011", "011", grouped, __LINE__);
    check(GRAPH(N("n", "") T("in", "%n,") T("out", "%n,")), "11", "001", "001", reader_grouped,
        __LINE__);
}

static void test_errors(void)
{
    gsp_arena arena;
    gsp_module module;
    gsp_error err;
    uint32_t of[] = {1, 0, GSP_NONE};
    uint8_t const kind[] = {1, 1};
    gsp_move_non_tensor_desc desc;
    gsp_graph graph;
    memset(&desc, 0, sizeof(desc));
    desc.n_subgraphs = 2;
    desc.kind = kind;
    if (t_must_read(&arena, GRAPH(N("n1", "") T("t2", "%n1,")), &module)) {
        gsp_arena room;
        graph = gsp_module_graph(&module, 0u);
        t_arena_open(&room, 4096);
        T_EQUAL(gsp_move_non_tensor_run(&room, &graph, &desc, of, NULL, &err), GSP_STATUS_CYCLE);
        T_EQUAL(err.detail, GSP_DETAIL_TAG_ORDER);
        T_EQUAL(err.node, 1);
        T_EQUAL(err.other, 0);
        of[0] = 2;
        T_EQUAL(gsp_move_non_tensor_run(&room, &graph, &desc, of, NULL, &err), GSP_STATUS_ARG);
        T_EQUAL(err.detail, GSP_DETAIL_TAG);
        T_EQUAL(err.node, 0);
        T_EQUAL(of[0], 2);
        t_arena_close(&room);
    }
    t_arena_close(&arena);
}

/* An aggregate is no tensor: it crosses, and with the option it does not. */
static void test_split(void)
{
    static const char text[] =
        "graph():\n    %x : [num_users=2] = placeholder[target=x]  # f32[4]\n"
        "    %s : [num_users=1] = call_function[target=split](args = (%x,), kwargs = {})  "
        "# tuple(f32[2], f32[2]) acc=1\n"
        "    %c : [num_users=1] = call_function[target=c](args = (%x,), kwargs = {})  # f32[4]\n"
        "    %g : [num_users=1] = call_function[target=g](args = (%s, %c), kwargs = {})  "
        "# f32[2] acc=1\n"
        "    return g\n";
    gsp_split_desc desc;
    t_split s;
    memset(&desc, 0, sizeof(desc));
    T_EQUAL(t_split_text(&s, text, NULL, &desc), GSP_OK);
    T_STRING(t_subgraph(&s, 0u), "_run_on_cpu_0: c");
    T_STRING(t_subgraph(&s, 1u), "_run_on_acc_1: s g");
    t_split_close(&s);
}

/* Without fusion a scalar stands on the boundary of two accelerator subgraphs, and may move. */
static const char scalar[] =
    "graph():\n    %x : [num_users=2] = placeholder[target=x]  # f32[4]\n"
    "    %r : [num_users=2] = call_function[target=r](args = (%x,), kwargs = {})  # f32[4] acc=1\n"
    "    %s : [num_users=1] = call_function[target=s](args = (%r,), kwargs = {})  # int acc=1\n"
    "    %c : [num_users=1] = call_function[target=c](args = (%r,), kwargs = {})  # f32[4]\n"
    "    %g : [num_users=1] = call_function[target=g](args = (%s, %c), kwargs = {})  # f32[2] "
    "acc=1\n"
    "    return g\n";

static void test_split_scalar(void)
{
    gsp_split_desc desc;
    t_split s;
    memset(&desc, 0, sizeof(desc));
    desc.skip_fusion = 1;
    T_EQUAL(t_split_text(&s, scalar, NULL, &desc), GSP_OK);
    T_STRING(t_subgraph(&s, 0u), "_run_on_acc_0: r s");
    T_STRING(t_subgraph(&s, 2u), "_run_on_acc_2: g");
    t_split_close(&s);
    desc.move_non_tensor = 1;
    T_EQUAL(t_split_text(&s, scalar, NULL, &desc), GSP_OK);
    T_STRING(t_subgraph(&s, 0u), "_run_on_acc_0: r");
    T_STRING(t_subgraph(&s, 2u), "_run_on_acc_2: s g");
    T_EQUAL(s.split.reason[2], GSP_REASON_MOVED);
    T_EQUAL(s.split.culprit[2], 4);
    t_split_close(&s);
}

/* A node moves for its user, whoever reads the node after it. */
static void test_split_culprit(void)
{
    static const char text[] =
        "graph():\n    %x : [num_users=3] = placeholder[target=x]  # f32[4]\n"
        "    %r : [num_users=1] = call_function[target=r](args = (%x,), kwargs = {})  # f32[4] "
        "acc=1\n"
        "    %s : [num_users=1] = call_function[target=s](args = (%x,), kwargs = {})  # int acc=1\n"
        "    %t : [num_users=1] = call_function[target=t](args = (%x,), kwargs = {})  # f32[4] "
        "acc=1\n"
        "    %c : [num_users=1] = call_function[target=c](args = (%r,), kwargs = {})  # f32[4]\n"
        "    %g : [num_users=1] = call_function[target=g](args = (%s, %c), kwargs = {})  # f32[2] "
        "acc=1\n"
        "    return (t, g)\n";
    gsp_split_desc desc;
    t_split s;
    memset(&desc, 0, sizeof(desc));
    desc.skip_fusion = 1;
    desc.move_non_tensor = 1;
    T_EQUAL(t_split_text(&s, text, NULL, &desc), GSP_OK);
    T_EQUAL(s.split.reason[2], GSP_REASON_MOVED);
    T_EQUAL(s.split.culprit[2], 5);
    t_split_close(&s);
}

/* A subgraph that has become empty is none; sizes count after the move. */
static void test_split_empty(void)
{
    static const char text[] =
        "graph():\n    %x : [num_users=2] = placeholder[target=x]  # f32[4]\n"
        "    %s : [num_users=1] = call_function[target=s](args = (%x,), kwargs = {})  # int acc=1\n"
        "    %a : [num_users=1] = call_function[target=a](args = (%x,), kwargs = {})  # f32[4] "
        "acc=1\n"
        "    %c : [num_users=1] = call_function[target=c](args = (%a,), kwargs = {})  # f32[4]\n"
        "    %g : [num_users=1] = call_function[target=g](args = (%s, %c), kwargs = {})  # f32[2] "
        "acc=1\n"
        "    return g\n";
    gsp_split_desc desc;
    t_split s;
    memset(&desc, 0, sizeof(desc));
    desc.skip_fusion = 1;
    desc.move_non_tensor = 1;
    desc.min_size = 2;
    T_EQUAL(t_split_text(&s, text, NULL, &desc), GSP_OK);
    T_EQUAL(s.split.n_raw, 3);
    T_STRING(t_subgraph(&s, 0u), "_run_on_cpu_0: a c");
    T_STRING(t_subgraph(&s, 1u), "_run_on_acc_1: s g");
    T_EQUAL(s.split.n_subgraphs, 2);
    T_EQUAL(s.split.reason[2], GSP_REASON_SMALL);
    T_EQUAL(s.split.reason[1], GSP_REASON_MOVED);
    t_split_close(&s);
}

/* ---- the caller may refuse a subgraph ---- */

typedef struct refusal {
    uint32_t asked;
    uint32_t sizes[8];
    gsp_node refused; /* the subgraph that holds this node */
} refusal;

static int accepts(void *user, const gsp_graph *graph, const gsp_subgraph *subgraph)
{
    refusal *const r = (refusal *)user;
    uint32_t i;
    int ok = 1;
    T_CHECK(graph->n_nodes > 0u && subgraph->kind == 1u);
    r->sizes[r->asked++] = subgraph->n_nodes;
    for (i = 0; i < subgraph->n_nodes; i++) {
        ok &= subgraph->nodes[i] != r->refused;
        T_CHECK(i == 0u || subgraph->nodes[i] > subgraph->nodes[i - 1u]);
    }
    return ok;
}

static void test_accept(void)
{
    static const char text[] =
        "graph():\n    %x : [num_users=2] = placeholder[target=x]  # f32[4]\n"
        "    %a : [num_users=1] = call_function[target=a](args = (%x,), kwargs = {})  # acc=1\n"
        "    %b : [num_users=1] = call_function[target=b](args = (%a,), kwargs = {})  # acc=1\n"
        "    %c : [num_users=1] = call_function[target=c](args = (%b,), kwargs = {})\n"
        "    %d : [num_users=1] = call_function[target=d](args = (%c,), kwargs = {})  # acc=1\n"
        "    %e : [num_users=1] = call_function[target=e](args = (%d,), kwargs = {})\n"
        "    %f : [num_users=1] = call_function[target=f](args = (%e,), kwargs = {})  # acc=1\n"
        "    %g : [num_users=1] = call_function[target=g](args = (%f,), kwargs = {})  # acc=1\n"
        "    return g\n";
    gsp_split_desc desc;
    refusal r;
    t_split s;
    memset(&desc, 0, sizeof(desc));
    memset(&r, 0, sizeof(r));
    desc.min_size = 2;
    desc.accept = accepts;
    desc.user = &r;
    r.refused = 2;
    T_EQUAL(t_split_text(&s, text, NULL, &desc), GSP_OK);
    T_EQUAL(r.asked, 2); /* not about d: too small */
    T_EQUAL(r.sizes[0], 2);
    T_EQUAL(s.split.n_raw, 5);
    T_EQUAL(s.split.n_subgraphs, 2);
    T_STRING(t_subgraph(&s, 0u), "_run_on_cpu_0: a b c d e");
    T_STRING(t_subgraph(&s, 1u), "_run_on_acc_1: f g");
    T_EQUAL(s.split.reason[1], GSP_REASON_REFUSED);
    T_EQUAL(s.split.reason[2], GSP_REASON_REFUSED);
    T_EQUAL(s.split.reason[4], GSP_REASON_SMALL);
    T_EQUAL(s.split.reason[6], GSP_REASON_SUPPORTED);
    T_EQUAL(s.split.kind[1], 1); /* kinds are those after fusion */
    t_split_close(&s);
    r.asked = 0;
    r.refused = 0;
    T_EQUAL(t_split_text(&s, text, NULL, &desc), GSP_OK);
    T_EQUAL(s.split.n_subgraphs, 3);
    t_split_close(&s);
}

void suite_unit_move_non_tensor(void)
{
    t_run("a37", test_a37);
    t_run("a38", test_a38);
    t_run("a39", test_a39);
    t_run("a40", test_a40);
    t_run("a41", test_a41);
    t_run("a42", test_a42);
    t_run("a43", test_a43);
    t_run("a44", test_a44);
    t_run("a45", test_a45);
    t_run("a46", test_a46);
    t_run("more", test_more);
    t_run("errors", test_errors);
    t_run("split", test_split);
    t_run("split_scalar", test_split_scalar);
    t_run("split_culprit", test_split_culprit);
    t_run("split_empty", test_split_empty);
    t_run("accept", test_accept);
}
