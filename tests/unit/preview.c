/* Types of nodes with their dtypes, and what a split would cost. */
#include "tests/t.h"

static const char text[] =
    "graph():\n"
    "    %x : [num_users=4] = placeholder[target=x]  # f32[4]\n"
    "    %w : [num_users=1] = get_attr[target=w]  # f16[8]\n"
    "    %i : [num_users=1] = placeholder[target=i]  # int\n"
    "    %a : [num_users=1] = call_function[target=add](args = (%x, 1), kwargs = {alpha: %i})  "
    "# f32[4] acc=1\n"
    "    %b : [num_users=1] = call_function[target=add](args = (%x, %w), kwargs = {})  "
    "# f32[8] acc=1\n"
    "    %c : [num_users=1] = call_function[target=cat](args = ([%a, %b], %x, None), kwargs = "
    "{dim: 1, out: %b})  # f64[12]\n"
    "    %d : [num_users=1] = call_function[target=add](args = (%c, 2), kwargs = {})  "
    "# f64[12] acc=1\n"
    "    %e : [num_users=1] = call_function[target=add](args = (%x, 7), kwargs = {alpha: %i})  "
    "# f32[4] acc=1\n"
    "    return (d, e)\n";

static void check_signature(const gsp_graph *graph, const gsp_signature *s, const char *name,
    uint32_t n_nodes, const char *dtypes)
{
    t_string found = {NULL, 0u, 0u};
    T_TEXT(s->name, name);
    T_EQUAL(s->n_nodes, n_nodes);
    T_EQUAL(gsp_signature_write(graph, s->first, t_sink, &found, NULL), GSP_OK);
    T_STRING(found.data, dtypes);
    t_free(&found);
}

static void test_signatures(void)
{
    t_split s;
    if (T_EQUAL(t_split_text(&s, text, NULL, NULL), GSP_OK)) {
        gsp_signatures_result r;
        gsp_arena arena;
        t_arena_open(&arena, gsp_signatures_bound(&s.graph));
        T_EQUAL(gsp_signatures_run(&arena, &s.graph, &s.placement, &r, NULL), GSP_OK);
        if (T_EQUAL(r.n_signatures, 4)) {
            check_signature(&s.graph, &r.signatures[0], "add", 2, "((f32,), {'alpha': None})");
            check_signature(&s.graph, &r.signatures[1], "add", 1, "((f32, f16), {})");
            check_signature(&s.graph, &r.signatures[2], "add", 1, "((f64,), {})");
            check_signature(&s.graph, &r.signatures[3], "cat", 1, "((None, f32), {'out': f32})");
            T_EQUAL(r.signatures[0].kind, 1);
            T_EQUAL(r.signatures[3].kind, 0);
        }
        t_arena_close(&arena);
    }
    t_split_close(&s);
}

/* So many that some of them have one place in the table. */
static void test_many_signatures(void)
{
    enum { MANY = 60 };
    t_split s;
    t_string many = {NULL, 0u, 0u};
    t_puts(&many, "graph():\n");
    for (uint32_t i = 0; i < MANY; i++) {
        t_puts(&many, "    %x");
        t_number(&many, i);
        t_puts(&many, " : [num_users=1] = placeholder[target=x]  # d");
        t_number(&many, i);
        t_puts(&many, "[1]\n    %a");
        t_number(&many, i);
        t_puts(&many, " : [num_users=0] = call_function[target=f](args = (%x");
        t_number(&many, i);
        t_puts(&many, ",), kwargs = {})\n");
    }
    t_puts(&many, "    return None\n");
    if (T_EQUAL(t_split_text(&s, many.data, NULL, NULL), GSP_OK)) {
        gsp_signatures_result r;
        T_EQUAL(gsp_signatures_run(&s.arena, &s.graph, &s.placement, &r, NULL), GSP_OK);
        T_EQUAL(r.n_signatures, MANY);
    }
    t_split_close(&s);
    t_free(&many);
}

static void test_no_signatures(void)
{
    t_split s;
    if (T_EQUAL(t_split_text(&s, "graph():\n    return None\n", NULL, NULL), GSP_OK)) {
        gsp_signatures_result r;
        T_EQUAL(gsp_signatures_run(&s.arena, &s.graph, &s.placement, &r, NULL), GSP_OK);
        T_EQUAL(r.n_signatures, 0);
        T_EQUAL(gsp_signature_write(&s.graph, 9u, t_sink, NULL, NULL), GSP_STATUS_ARG);
    }
    t_split_close(&s);
}

/* ---- what a split would cost ---- */

static int near_to(double a, double b)
{
    return a > b * 0.999999 && a < b * 1.000001;
}

static void test_bytes(void)
{
    t_split s;
    gsp_preview_result r;
    gsp_arena arena;
    double rate = 0.0;
    T_EQUAL(t_split_text(&s, text, NULL, NULL), GSP_OK);
    T_EQUAL(s.split.n_subgraphs, 3);
    t_arena_open(&arena, gsp_preview_bound(&s.graph, &s.split, NULL));
    T_EQUAL(gsp_preview_run(&arena, &s.graph, &s.split, NULL, &r, NULL), GSP_OK);
    T_EQUAL(r.raw_acc, 2);
    T_EQUAL(r.raw_cpu, 1);
    T_EQUAL(r.n_acc, 2);
    T_EQUAL(r.n_cpu, 1);
    T_EQUAL(r.subgraphs[0].n_nodes, 3); /* a b e */
    T_EQUAL(r.subgraphs[0].n_inputs, 2);
    T_EQUAL(r.subgraphs[0].inputs[0], 0);
    T_EQUAL(r.subgraphs[0].inputs[1], 2);
    T_EQUAL(r.subgraphs[0].odd_inputs, 1); /* i */
    T_EQUAL(r.subgraphs[0].bytes_in, 16);
    T_EQUAL(r.subgraphs[0].n_outputs, 3); /* a b e, e last: the return is */
    T_EQUAL(r.subgraphs[0].outputs[2], 7);
    T_EQUAL(r.subgraphs[0].bytes_out, 64);
    T_EQUAL(r.subgraphs[0].lowered, GSP_LOWERED_NOT);
    T_EQUAL(r.subgraphs[2].bytes_in, 96);
    T_EQUAL(r.subgraphs[2].bytes_out, 96);
    T_EQUAL(r.bottleneck, 2);
    T_EQUAL(r.bandwidth, GSP_BANDWIDTH);
    T_EQUAL(gsp_preview_rate(&r, r.bottleneck, &rate), 1);
    T_CHECK(near_to(rate, 107374182400.0 / 96.0));
    T_EQUAL(gsp_preview_rate(&r, GSP_NONE, &rate), 0);
    t_arena_close(&arena);
    t_split_close(&s);
}

static void test_one_byte(void)
{
    static const char one[] =
        "graph():\n    %x : [num_users=1] = placeholder[target=x]  # i8[1]\n"
        "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # acc=1\n"
        "    return a\n";
    t_split s;
    gsp_preview_result r;
    T_EQUAL(t_split_text(&s, one, NULL, NULL), GSP_OK);
    T_EQUAL(gsp_preview_run(&s.arena, &s.graph, &s.split, NULL, &r, NULL), GSP_OK);
    T_EQUAL(r.subgraphs[0].bytes_in, 1);
    T_EQUAL(r.bottleneck, 0);
    t_split_close(&s);
}

/* No byte moves: there is no bound, and no bottleneck. */
static void test_no_bytes(void)
{
    static const char empty[] =
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
        "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # acc=1\n"
        "    return a\n";
    t_split s;
    gsp_preview_result r;
    double rate = 5.0;
    T_EQUAL(t_split_text(&s, empty, NULL, NULL), GSP_OK);
    T_EQUAL(gsp_preview_run(&s.arena, &s.graph, &s.split, NULL, &r, NULL), GSP_OK);
    T_EQUAL(r.bottleneck, GSP_NONE);
    T_EQUAL(gsp_preview_rate(&r, 0u, &rate), 0);
    T_CHECK(near_to(rate, 5.0));
    t_split_close(&s);
}

static void test_overflow(void)
{
    static const char huge_text[] =
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]  # bytes=18446744073709551615\n"
        "    %y : [num_users=1] = placeholder[target=y]  # bytes=1\n"
        "    %a : [num_users=1] = call_function[target=f](args = (%x, %y), kwargs = {})  # acc=1\n"
        "    return a\n";
    t_split s;
    gsp_preview_result r;
    gsp_error err;
    size_t low;
    T_EQUAL(t_split_text(&s, huge_text, NULL, NULL), GSP_OK);
    low = s.arena.low;
    T_EQUAL(gsp_preview_run(&s.arena, &s.graph, &s.split, NULL, &r, &err), GSP_STATUS_OVERFLOW);
    T_EQUAL(err.detail, GSP_DETAIL_SIZE);
    T_EQUAL(err.node, 1);
    T_EQUAL(s.arena.low, low);
    t_split_close(&s);
}

/* ---- lowering ---- */

typedef struct backend {
    uint32_t lowered;
    uint32_t blamed;
} backend;

/* Fails on `b`, and does not run `d`. */
static gsp_lowered lower(void *user, const gsp_graph *graph, const gsp_preview_subgraph *subgraph)
{
    uint32_t i;
    ((backend *)user)->lowered++;
    for (i = 0; i < subgraph->n_nodes; i++) {
        gsp_str const name = gsp_node_name(graph, subgraph->nodes[i]);
        if (gsp_str_equal(name, gsp_str_of("b"))) {
            return GSP_LOWERED_FAILED;
        }
        if (gsp_str_equal(name, gsp_str_of("d"))) {
            return GSP_LOWERED_RUN_FAILED;
        }
    }
    return GSP_LOWERED_OK;
}

static gsp_node blame(void *user, const gsp_graph *graph, const gsp_preview_subgraph *subgraph)
{
    ((backend *)user)->blamed++;
    T_CHECK(graph->n_nodes == 9u);
    return subgraph->nodes[subgraph->n_nodes > 1u ? 1 : 0];
}

static void test_lowering(void)
{
    t_split s;
    gsp_preview_result r;
    gsp_preview_desc desc;
    backend b = {0, 0};
    memset(&desc, 0, sizeof(desc));
    desc.lower = lower;
    desc.user = &b;
    desc.bandwidth = 960;
    T_EQUAL(t_split_text(&s, text, NULL, NULL), GSP_OK);
    T_EQUAL(gsp_preview_run(&s.arena, &s.graph, &s.split, &desc, &r, NULL), GSP_OK);
    T_EQUAL(b.lowered, 2);
    T_EQUAL(r.subgraphs[0].lowered, GSP_LOWERED_FAILED);
    T_EQUAL(r.subgraphs[0].culprit, GSP_NONE);
    desc.blame = blame;
    T_EQUAL(gsp_preview_run(&s.arena, &s.graph, &s.split, &desc, &r, NULL), GSP_OK);
    T_EQUAL(b.blamed, 2);
    T_EQUAL(r.subgraphs[0].culprit, 4); /* b */
    T_EQUAL(r.subgraphs[1].lowered, GSP_LOWERED_NOT);
    T_EQUAL(r.subgraphs[1].culprit, GSP_NONE);
    T_EQUAL(r.subgraphs[2].lowered, GSP_LOWERED_RUN_FAILED);
    T_EQUAL(r.bandwidth, 960);
    t_split_close(&s);
}

static void test_errors(void)
{
    t_split s;
    gsp_preview_result r;
    gsp_split_result wrong;
    gsp_node nodes[16];
    uint32_t const begin[16] = {0, 1, 1, 1};
    uint32_t whole[16];
    gsp_error err;
    T_EQUAL(t_split_text(&s, text, NULL, NULL), GSP_OK);
    wrong = s.split;
    wrong.n_subgraphs = 2;
    T_EQUAL(gsp_preview_run(&s.arena, &s.graph, &wrong, NULL, &r, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_TAG);
    T_EQUAL(err.node, 6);
    wrong.n_nodes = 3;
    T_EQUAL(gsp_preview_run(&s.arena, &s.graph, &wrong, NULL, &r, &err), GSP_STATUS_ARG);
    wrong = s.split;
    wrong.subgraph_begin = begin; /* not of as many nodes */
    T_EQUAL(gsp_preview_run(&s.arena, &s.graph, &wrong, NULL, &r, &err), GSP_STATUS_ARG);
    T_EQUAL(err.node, GSP_NONE);
    for (gsp_node v = 0; v < s.graph.n_nodes; v++) {
        whole[v] = s.split.subgraph_of[v] == GSP_NONE ? GSP_NONE : 0u;
    }
    wrong.n_subgraphs = 1;
    wrong.subgraph_of = whole;
    T_EQUAL(gsp_preview_run(&s.arena, &s.graph, &wrong, NULL, &r, &err), GSP_STATUS_ARG);
    T_EQUAL(err.node, GSP_NONE);
    wrong = s.split;
    memcpy(nodes, wrong.nodes, s.split.subgraph_begin[s.split.n_subgraphs] * sizeof(*nodes));
    wrong.nodes = nodes;
    nodes[0] = nodes[1];
    nodes[1] = s.graph.n_nodes;
    T_EQUAL(gsp_preview_run(&s.arena, &s.graph, &wrong, NULL, &r, &err), GSP_STATUS_ARG);
    T_EQUAL(err.node, s.graph.n_nodes);
    nodes[1] = nodes[s.split.subgraph_begin[1]]; /* of another subgraph */
    T_EQUAL(gsp_preview_run(&s.arena, &s.graph, &wrong, NULL, &r, &err), GSP_STATUS_ARG);
    T_EQUAL(err.node, nodes[1]);
    t_split_close(&s);
}

void suite_unit_preview(void)
{
    t_run("signatures", test_signatures);
    t_run("many_signatures", test_many_signatures);
    t_run("no_signatures", test_no_signatures);
    t_run("bytes", test_bytes);
    t_run("one_byte", test_one_byte);
    t_run("no_bytes", test_no_bytes);
    t_run("overflow", test_overflow);
    t_run("lowering", test_lowering);
    t_run("errors", test_errors);
}
