/* Minimum cuts, exact limits, phases of the caller: small graphs by hand, and refusals. */
#include "tests/t.h"

/* a and b are on the accelerator, c between them is not. */
static const char line[] =
    "graph():\n"
    "    %x : [num_users=2] = placeholder[target=x]  # f32[4]\n"
    "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4] acc=1\n"
    "    %c : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # f32[4] acc=0\n"
    "    %d : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4] acc=1\n"
    "    %b : [num_users=1] = call_function[target=f](args = (%c, %d), kwargs = {})"
    "  # f32[4] acc=1\n"
    "    return b\n";

enum { X, A, C, D, B, OUT, NODES };

static void test_min_cut(void)
{
    gsp_cut_arc arcs[3] = {{3u, 0u, 0u, 2u}, {5u, 0u, 2u, 1u}, {0u, 2u, 1u, 0u}};
    gsp_min_cut_desc desc = {0};
    gsp_min_cut_result r;
    gsp_arena arena;
    gsp_error err;
    t_arena_open(&arena, 1024u);
    desc.n_nodes = 3u;
    desc.n_arcs = 3u;
    desc.arcs = arcs;
    T_EQUAL(gsp_min_cut_run(&arena, &desc, &r, &err), GSP_OK);
    T_CHECK(r.value == 5u && r.side[0] == 1u && r.side[1] == 0u && r.side[2] == 0u);
    desc.max_work = 1u;
    T_EQUAL(gsp_min_cut_run(&arena, &desc, &r, &err), GSP_OK);
    T_CHECK(r.side == NULL && r.value <= 5u);
    desc.max_work = 0u;
    arcs[0].capacity = arcs[1].capacity = GSP_CUT_INFINITE;
    T_EQUAL(gsp_min_cut_run(&arena, &desc, &r, &err), GSP_OK);
    T_CHECK(r.side == NULL && r.value >= (uint64_t)1 << 61u);
    arcs[0].capacity = UINT64_MAX; /* is infinite as well */
    arcs[0].back = 10u;
    arcs[1].capacity = 7u;
    T_EQUAL(gsp_min_cut_run(&arena, &desc, &r, &err), GSP_OK);
    T_CHECK(r.value == 9u && r.side[2] == 1u);
    arcs[0].back = 0u;
    arcs[1].capacity = GSP_CUT_INFINITE;
    arcs[0].capacity = arcs[1].back = (uint64_t)1 << 60u;
    T_EQUAL(gsp_min_cut_run(&arena, &desc, &r, &err), GSP_STATUS_OVERFLOW);
    T_EQUAL(err.detail, GSP_DETAIL_SIZE);
    arcs[1].back -= 3u; /* all together 2^61 - 1 */
    T_EQUAL(gsp_min_cut_run(&arena, &desc, &r, &err), GSP_OK);
    arcs[0].from = 3u;
    T_EQUAL(gsp_min_cut_run(&arena, &desc, &r, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_RANGE);
    T_FIELD(&err);
    desc.n_arcs = 0x7fffffffu; /* and as many back */
    T_EQUAL(gsp_min_cut_run(&arena, &desc, &r, &err), GSP_STATUS_OVERFLOW);
    T_EQUAL(err.detail, GSP_DETAIL_TOO_MANY);
    desc.n_arcs = 3u;
    desc.n_nodes = 1u;
    T_EQUAL(gsp_min_cut_run(&arena, &desc, &r, &err), GSP_STATUS_DESC);
    desc.n_nodes = 3u;
    desc.arcs = NULL;
    T_EQUAL(gsp_min_cut_run(&arena, &desc, &r, &err), GSP_STATUS_ARG);
    desc.end_canary = 1u;
    T_EQUAL(gsp_min_cut_run(&arena, &desc, &r, &err), GSP_STATUS_DESC);
    T_EQUAL(err.detail, GSP_DETAIL_CANARY);
    t_arena_close(&arena);
}

static void test_demote(void)
{
    gsp_demote_desc desc = {0};
    gsp_demote_result r;
    gsp_error err;
    t_split s;
    uint64_t value[NODES] = {0};
    if (!T_EQUAL(t_split_text(&s, line, NULL, NULL), GSP_OK)) {
        return;
    }
    T_EQUAL(s.split.n_subgraphs, 3u);
    gsp_split_result two = s.split;
    desc.split = &s.split;
    T_EQUAL(gsp_demote_run(&s.arena, &s.graph, &desc, &r, &err), GSP_OK);
    T_CHECK(r.value == 3u && r.upper_bound == 3u); /* no limit */
    desc.max_acc = 1u;
    T_EQUAL(gsp_demote_run(&s.arena, &s.graph, &desc, &r, &err), GSP_OK);
    T_CHECK(r.value == 2u && r.upper_bound == 2u);
    T_CHECK(r.kind[A] == 0u && r.kind[B] == 1u && r.kind[C] == 0u && r.kind[D] == 1u);
    T_CHECK(r.kind[X] == GSP_KIND_NONE && r.kind[OUT] == GSP_KIND_NONE);
    value[A] = 9u;
    desc.value = value;
    T_EQUAL(gsp_demote_run(&s.arena, &s.graph, &desc, &r, &err), GSP_OK);
    T_CHECK(r.value == 9u && r.kind[A] == 1u && r.kind[B] == 0u);
    desc.limit = 1u;
    T_EQUAL(gsp_demote_run(&s.arena, &s.graph, &desc, &r, &err), GSP_OK);
    T_CHECK(r.value == 0u && r.upper_bound == 0u);
    value[B] = (uint64_t)1 << 61u;
    T_EQUAL(gsp_demote_run(&s.arena, &s.graph, &desc, &r, &err), GSP_STATUS_OVERFLOW);
    T_EQUAL(err.node, B);
    two.n_kinds = 3u;
    desc.split = &two;
    T_EQUAL(gsp_demote_run(&s.arena, &s.graph, &desc, &r, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_KIND);
    two = s.split;
    two.n_subgraphs = 2u;
    T_EQUAL(gsp_demote_run(&s.arena, &s.graph, &desc, &r, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_TAG);
    two = s.split;
    two.kind = NULL;
    T_EQUAL(gsp_demote_run(&s.arena, &s.graph, &desc, &r, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_NULL_ARGUMENT);
    T_FIELD(&err);
    two = s.split;
    two.group = NULL;
    T_EQUAL(gsp_demote_run(&s.arena, &s.graph, &desc, &r, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_NULL_ARGUMENT);
    T_FIELD(&err);
    desc.split = NULL;
    T_EQUAL(gsp_demote_run(&s.arena, &s.graph, &desc, &r, &err), GSP_STATUS_ARG);
    desc.start_canary = 1u;
    T_EQUAL(gsp_demote_run(&s.arena, &s.graph, &desc, &r, &err), GSP_STATUS_DESC);
    t_split_close(&s);
}

/* A split by these phases: its status and what the error names. */
static void phases(gsp_status status, uint32_t a, uint32_t c, uint32_t d, uint32_t b, gsp_node node,
    gsp_node other)
{
    uint32_t const phase[NODES] = {GSP_NONE, a, c, d, b, GSP_NONE};
    gsp_split_desc desc = {0};
    t_split s;
    desc.phase = phase;
    T_EQUAL(t_split_text(&s, line, NULL, &desc), status);
    if (status == GSP_OK) {
        T_EQUAL(s.split.n_phases, 3u);
        T_EQUAL(s.split.n_reference, 3u);
        T_CHECK(s.split.subgraph_of[A] == 0u && s.split.subgraph_of[C] == 1u);
        T_CHECK(s.split.subgraph_of[B] == 2u && s.split.subgraph_of[D] == (d == a ? 0u : 2u));
    } else {
        T_CHECK(s.err.node == node && s.err.other == other);
    }
    t_split_close(&s);
}

static void test_phases(void)
{
    phases(GSP_OK, 0u, 1u, 0u, 2u, 0u, 0u);
    phases(GSP_OK, 0u, 1u, 2u, 2u, 0u, 0u);
    phases(GSP_OK, 1u, 3u, 1u, 5u, 0u, 0u); /* empty ones do not count */
    phases(GSP_STATUS_ARG, 0u, 1u, 1u, 2u, D, C);
    phases(GSP_STATUS_ARG, 0u, 1u, NODES, 2u, D, GSP_NONE);
    phases(GSP_STATUS_CYCLE, 2u, 1u, 0u, 2u, C, A);
}

void suite_unit_flow(void)
{
    t_run("min cut", test_min_cut);
    t_run("demote", test_demote);
    t_run("phases", test_phases);
}
