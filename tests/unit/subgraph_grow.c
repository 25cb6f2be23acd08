/* Growing an accelerator subgraph backwards: case A18, and what else may join. */
#include "tests/t.h"

#define FN(name, op, args, note) \
    "    %" name " : [num_users=1] = call_function[target=" op "](args = (" args "), kwargs = {})" \
    "  # " note "\n"

static const char a18[] =
    "graph():\n    %a : [num_users=1] = placeholder[target=a]  # f32[2]\n" /*                 0 */
    FN("add", "operator.add", "%a, %a", "f32[2] acc=1") /*                                   1 */
    FN("sub", "operator.sub", "%add, %add", "f32[2]")   /*                                     2 */
    FN("add_1", "operator.add", "%add, %add", "f32[2] acc=1")   /*                             3 */
    FN("add_2", "operator.add", "%sub, %add_1", "f32[2] acc=1") /*                           4 */
    FN("size", "size", "%add_2,", "tuple acc=1") /*                                          5 */
    FN("getitem", "operator.getitem", "%size, 0", "int acc=1") /*                            6 */
    FN("add_3", "operator.add", "%add_2, %getitem", "f32[2] acc=1") /*                       7 */
    FN("add_4", "operator.add", "%add_3, %getitem", "f32[2] acc=1") /*                       8 */
    FN("sub_1", "operator.sub", "%add_2, %add_3", "f32[2]") /*                               9 */
    FN("add_5", "operator.add", "%sub_1, %add_4", "f32[2] acc=1") /*                        10 */
    "    return add_5\n";

static void grow(const t_split *s, uint32_t subgraph, uint32_t *of, uint32_t expected)
{
    gsp_subgraph_grow_desc desc;
    gsp_arena arena;
    uint32_t moved = 99;
    memset(&desc, 0, sizeof(desc));
    desc.subgraph = subgraph;
    desc.kind = s->split.kind;
    desc.group = s->split.group;
    t_arena_open(&arena, gsp_subgraph_grow_bound(&s->graph, &desc));
    T_EQUAL(gsp_subgraph_grow_run(&arena, &s->graph, &desc, of, &moved, NULL), GSP_OK);
    T_EQUAL(moved, expected);
    T_EQUAL(arena.low + arena.high, 0);
    t_arena_close(&arena);
}

/* Nodes of a graph of the split module, placeholders and output included. */
static uint32_t size_of(t_split *s, const uint32_t *of, uint32_t subgraph)
{
    static char const *const names[] = {"acc_0", "cpu_1", "acc_2", "cpu_3", "acc_4"};
    gsp_str tags[5];
    gsp_split_by_tags_desc desc;
    gsp_split_by_tags_result result;
    gsp_arena arena;
    uint32_t i;
    uint32_t size = 0;
    memset(&desc, 0, sizeof(desc));
    for (i = 0; i < 5u; i++) {
        tags[i] = gsp_str_of(names[i]);
    }
    desc.n_tags = 5;
    desc.tag_of = of;
    desc.names = tags;
    t_arena_open(&arena, 1u << 16);
    if (T_EQUAL(gsp_split_by_tags_run(&arena, &s->graph, &desc, &result, NULL), GSP_OK)) {
        size = result.module.graphs[subgraph + 1u].n_nodes;
    }
    t_arena_close(&arena);
    return size;
}

static void test_a18(void)
{
    t_split s;
    uint32_t of[12];
    if (!T_EQUAL(t_split_text(&s, a18, NULL, NULL), GSP_OK)) {
        t_split_close(&s);
        return;
    }
    T_EQUAL(s.split.n_subgraphs, 5);
    T_STRING(t_subgraph(&s, 0u), "_run_on_acc_0: add add_1");
    T_STRING(t_subgraph(&s, 2u), "_run_on_acc_2: add_2 size getitem add_3 add_4");
    memcpy(of, s.split.subgraph_of, sizeof(of));
    T_EQUAL(size_of(&s, of, 0u), 4);
    T_EQUAL(size_of(&s, of, 2u), 8);
    grow(&s, 2u, of, 1u);
    T_EQUAL(of[3], 2);
    T_EQUAL(size_of(&s, of, 0u), 3);
    T_EQUAL(size_of(&s, of, 2u), 9);
    grow(&s, 4u, of, 0u);
    T_EQUAL(size_of(&s, of, 2u), 9);
    T_EQUAL(size_of(&s, of, 4u), 4);
    t_split_close(&s);
}

/* A chain comes step by step; a node that an earlier subgraph reads stays, and with it what only
 * it would have let go. */
static void test_chain(void)
{
    static const char text[] =
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n" /*    0 */
        FN("a", "f", "%x,", "acc=1")    /*                                    1 */
        FN("b", "f", "%a,", "acc=1")    /*                                    2 */
        FN("c", "f", "%b,", "acc=1")    /*                                    3 */
        FN("k", "g", "%a,", "acc=0")    /*                                    4 */
        FN("z", "f", "%c, %k", "acc=1") /*                                 5 */
        "    return z\n";
    t_split s;
    uint32_t of[7];
    T_EQUAL(t_split_text(&s, text, NULL, NULL), GSP_OK);
    T_EQUAL(s.split.n_subgraphs, 3);
    memcpy(of, s.split.subgraph_of, sizeof(of));
    grow(&s, 2u, of, 2u); /* b and c; the CPU reads a before */
    T_EQUAL(of[1], 0);
    T_EQUAL(of[2], 2);
    T_EQUAL(of[3], 2);
    t_split_close(&s);
}

/* A given group joins as one, or not at all. */
static void test_group(void)
{
    static const char text[] =
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n" /*          0 */
        FN("a", "f", "%x,", "acc=1 group=g") /*                                  1 */
        FN("b", "f", "%x,", "acc=1 group=g") /*                                  2 */
        FN("k", "g", "%b,", "acc=0")         /*                                          3 */
        FN("z", "f", "%a, %k", "acc=1")      /*                                       4 */
        "    return z\n";
    t_split s;
    uint32_t of[6];
    T_EQUAL(t_split_text(&s, text, NULL, NULL), GSP_OK);
    memcpy(of, s.split.subgraph_of, sizeof(of));
    grow(&s, 2u, of, 0u);
    {
        gsp_subgraph_grow_desc desc;
        gsp_arena arena;
        uint32_t moved;
        memset(&desc, 0, sizeof(desc));
        desc.subgraph = 2;
        desc.kind = s.split.kind;
        t_arena_open(&arena, 4096);
        T_EQUAL(gsp_subgraph_grow_run(&arena, &s.graph, &desc, of, &moved, NULL), GSP_OK);
        T_EQUAL(moved, 1); /* a alone may */
        T_EQUAL(of[1], 2);
        t_arena_close(&arena);
    }
    t_split_close(&s);
}

static void test_errors(void)
{
    t_split s;
    uint32_t of[12];
    uint32_t group[12];
    gsp_subgraph_grow_desc desc;
    gsp_arena arena;
    gsp_error err;
    t_arena_open(&arena, 4096);
    T_EQUAL(t_split_text(&s, a18, NULL, NULL), GSP_OK);
    memcpy(of, s.split.subgraph_of, sizeof(of));
    memset(&desc, 0, sizeof(desc));
    desc.kind = s.split.kind;
    desc.subgraph = 9;
    T_EQUAL(gsp_subgraph_grow_run(&arena, &s.graph, &desc, of, NULL, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_TAG_EMPTY);
    T_EQUAL(err.node, 9);
    desc.subgraph = 1; /* on the CPU */
    T_EQUAL(gsp_subgraph_grow_run(&arena, &s.graph, &desc, of, NULL, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_KIND);
    desc.subgraph = 2;
    memset(group, 0xFF, sizeof(group));
    group[3] = 12;
    desc.group = group;
    T_EQUAL(gsp_subgraph_grow_run(&arena, &s.graph, &desc, of, NULL, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_KIND);
    T_EQUAL(err.node, 3);
    desc.group = NULL;
    of[1] = 3;
    T_EQUAL(gsp_subgraph_grow_run(&arena, &s.graph, &desc, of, NULL, &err), GSP_STATUS_CYCLE);
    T_EQUAL(err.node, 2);
    T_EQUAL(err.other, 1);
    t_split_close(&s);
    t_arena_close(&arena);
}

void suite_unit_subgraph_grow(void)
{
    t_run("a18", test_a18);
    t_run("chain", test_chain);
    t_run("group", test_group);
    t_run("errors", test_errors);
}
