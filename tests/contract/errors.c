/* Every status that an entry point can give, provoked (texts: messages.c, memory: bound.c). */
#include "tests/contract/ready.h"

static void test_null_arguments(void)
{
    ready s;
    gsp_counts c;
    gsp_builder b;
    gsp_module m;
    gsp_table table;
    gsp_split_desc split;
    gsp_split_by_tags_desc tags;
    gsp_split_by_tags_result tags_result;
    gsp_str some;
    ready_start(&s);
    memset(&split, 0, sizeof(split));
    memset(&tags, 0, sizeof(tags));
    memset(&c, 0, sizeof(c));
    split.placement = &s.p;
    some.data = NULL;
    some.size = 3;
    REFUSED(gsp_text_count(NULL, 1u, &c, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_text_count(ready_text, 1u, NULL, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_text_read(NULL, ready_text, 1u, NULL, &m, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_text_read(&s.arena, NULL, 1u, NULL, &m, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_text_read(&s.arena, ready_text, 1u, NULL, NULL, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_text_write(NULL, NULL, t_sink, NULL, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_text_write(&s.m, NULL, NULL, NULL, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_text_write_graph(NULL, NULL, t_sink, NULL, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_text_write_graph(&s.g, NULL, NULL, NULL, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_build_init(NULL, &s.arena, &c, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_build_init(&b, NULL, &c, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_build_init(&b, &s.arena, NULL, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_build_finish(NULL, &m, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_module_open(NULL, s.m.block, s.m.block_size, 0, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_module_open(&m, NULL, 64u, 0, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_table_read(NULL, gsp_str_of("a"), &table, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_table_read(&s.arena, some, &table, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_table_read(&s.arena, gsp_str_of("a"), NULL, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_support_run(NULL, &s.g, NULL, &s.p, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_support_run(&s.arena, NULL, NULL, &s.p, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_support_run(&s.arena, &s.g, NULL, NULL, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_acc_nodes_run(NULL, &s.g, &s.p, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_acc_nodes_run(&s.arena, NULL, &s.p, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_acc_nodes_run(&s.arena, &s.g, NULL, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_split_run(NULL, &s.g, &split, &s.split, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_split_run(&s.arena, NULL, &split, &s.split, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_split_run(&s.arena, &s.g, &split, NULL, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_split_run(&s.arena, &s.g, NULL, &s.split, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_split_by_tags_run(NULL, &s.g, &tags, &tags_result, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_split_by_tags_run(&s.arena, NULL, &tags, &tags_result, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_split_by_tags_run(&s.arena, &s.g, &tags, NULL, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_split_by_tags_run(&s.arena, &s.g, NULL, &tags_result, &s.err), ARG, NULL_ARGUMENT);
    t_arena_close(&s.arena);
}

static void test_fuse_null_arguments(void)
{
    ready s;
    gsp_fuse_result fuse;
    gsp_placement bare;
    ready_start(&s);
    bare = s.p;
    REFUSED(gsp_fuse_run(NULL, &s.g, NULL, &s.p, &fuse, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_fuse_run(&s.arena, NULL, NULL, &s.p, &fuse, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_fuse_run(&s.arena, &s.g, NULL, NULL, &fuse, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_fuse_run(&s.arena, &s.g, NULL, &s.p, NULL, &s.err), ARG, NULL_ARGUMENT);
    bare.group = NULL;
    REFUSED(gsp_fuse_run(&s.arena, &s.g, NULL, &bare, &fuse, &s.err), ARG, NULL_ARGUMENT);
    bare.group = s.p.group;
    bare.kind = NULL;
    REFUSED(gsp_fuse_run(&s.arena, &s.g, NULL, &bare, &fuse, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_acc_nodes_run(&s.arena, &s.g, &bare, &s.err), ARG, NULL_ARGUMENT);
    t_arena_close(&s.arena);
}

/* A placement that does not fit the graph, or names kinds that do not exist. */
static void bad_placements(const gsp_placement *p, ready *t, int line)
{
    gsp_split_desc split;
    gsp_fuse_result fuse;
    gsp_placement io = *p;
    memset(&split, 0, sizeof(split));
    split.placement = p;
    ready_refused(t, gsp_split_run(&t->arena, &t->g, &split, &t->split, &t->err), GSP_STATUS_ARG,
        GSP_DETAIL_KIND, "placement", __FILE__, line);
    ready_refused(t, gsp_acc_nodes_run(&t->arena, &t->g, &io, &t->err), GSP_STATUS_ARG,
        GSP_DETAIL_KIND, "placement", __FILE__, line);
    ready_refused(t, gsp_fuse_run(&t->arena, &t->g, NULL, &io, &fuse, &t->err), GSP_STATUS_ARG,
        GSP_DETAIL_KIND, "placement", __FILE__, line);
}

static void test_bad_placements(void)
{
    ready s;
    gsp_placement p;
    ready_start(&s);
    p = s.p;
    p.kind[1] = 2;
    bad_placements(&p, &s, __LINE__);
    T_EQUAL(s.err.node, 1);
    p.kind[1] = GSP_KIND_NONE;
    bad_placements(&p, &s, __LINE__);
    p.kind[1] = 1;
    p.kind[0] = 1;
    bad_placements(&p, &s, __LINE__);
    T_EQUAL(s.err.node, 0);
    p.kind[0] = GSP_KIND_NONE;
    p.n_kinds = 0;
    bad_placements(&p, &s, __LINE__);
    p.n_kinds = 256;
    bad_placements(&p, &s, __LINE__);
    p.n_kinds = 2;
    p.n_nodes = 3;
    bad_placements(&p, &s, __LINE__);
    p.n_nodes = 4;
    p.group[1] = 4;
    bad_placements(&p, &s, __LINE__);
    t_arena_close(&s.arena);
}

/* A desc that was not cleared, or says what cannot be. */
static void test_descs(void)
{
    ready s;
    gsp_split_desc split;
    gsp_text_desc text_desc;
    gsp_support_desc support;
    gsp_split_by_tags_desc tags;
    gsp_split_by_tags_result tags_result;
    gsp_fuse_desc fuse;
    gsp_fuse_result fuse_result;
    int end;
    ready_start(&s);
    for (end = 0; end < 2; end++) {
        uint32_t const first = end ? 0u : 0xCCCCCCCCu;
        uint32_t const last = end ? 1u : 0u;
        gsp_module m;
        memset(&split, 0, sizeof(split));
        memset(&text_desc, 0, sizeof(text_desc));
        memset(&support, 0, sizeof(support));
        memset(&tags, 0, sizeof(tags));
        memset(&fuse, 0, sizeof(fuse));
        split.placement = &s.p;
        split.start_canary = text_desc.start_canary = support.start_canary = first;
        split.end_canary = text_desc.end_canary = support.end_canary = last;
        tags.start_canary = fuse.start_canary = first;
        tags.end_canary = fuse.end_canary = last;
        REFUSED(gsp_split_run(&s.arena, &s.g, &split, &s.split, &s.err), DESC, CANARY);
        REFUSED(gsp_text_read(&s.arena, ready_text, strlen(ready_text), &text_desc, &m, &s.err),
            DESC, CANARY);
        REFUSED(gsp_text_write(&s.m, &text_desc, t_sink, NULL, &s.err), DESC, CANARY);
        REFUSED(gsp_text_write_graph(&s.g, &text_desc, t_sink, NULL, &s.err), DESC, CANARY);
        REFUSED(gsp_support_run(&s.arena, &s.g, &support, &s.p, &s.err), DESC, CANARY);
        REFUSED(gsp_split_by_tags_run(&s.arena, &s.g, &tags, &tags_result, &s.err), DESC, CANARY);
        REFUSED(gsp_fuse_run(&s.arena, &s.g, &fuse, &s.p, &fuse_result, &s.err), DESC, CANARY);
    }
    t_arena_close(&s.arena);
}

static void test_policy(void)
{
    ready s;
    gsp_split_desc split;
    gsp_status status;
    ready_start(&s);
    memset(&split, 0, sizeof(split));
    split.placement = &s.p;
    split.limit_policy = GSP_LIMIT_COUNT;
    status = gsp_split_run(&s.arena, &s.g, &split, &s.split, &s.err);
    T_EQUAL(status, GSP_STATUS_DESC);
    T_EQUAL(s.err.status, GSP_STATUS_DESC);
    t_arena_close(&s.arena);
}

static void test_table(void)
{
    ready s;
    gsp_table table;
    ready_start(&s);
    REFUSED(gsp_table_read(&s.arena, gsp_str_of("!"), &table, &s.err), PARSE, ENTRY);
    t_arena_close(&s.arena);
}

/* ---- deduplication ---- */

/* Twice the same three nodes, of which the second yields two tensors that leave in one. */
static const char twice[] =
    "graph():\n    %x : [num_users=2] = placeholder[target=x]  # f32[4]\n"
    "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4]\n"
    "    %b : [num_users=2] = call_function[target=g](args = (%a,), kwargs = {})"
    "  # tuple(f32[4], f32[4])\n"
    "    %c : [num_users=1] = call_function[target=h](args = (%b,), kwargs = {})  # f32[4]\n"
    "    %d : [num_users=1] = call_function[target=k](args = (%b,), kwargs = {})  # i8[4]\n"
    "    %a_1 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4]\n"
    "    %b_1 : [num_users=2] = call_function[target=g](args = (%a_1,), kwargs = {})"
    "  # tuple(f32[4], f32[4])\n"
    "    %c_1 : [num_users=1] = call_function[target=h](args = (%b_1,), kwargs = {})  # f32[4]\n"
    "    %d_1 : [num_users=1] = call_function[target=l](args = (%b_1,), kwargs = {})  # i8[4]\n"
    "    return (c, c_1, d, d_1)\n";

static void start_with(ready *s, const char *graph)
{
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, 1u << 20);
    T_EQUAL(gsp_text_read(&s->arena, graph, strlen(graph), NULL, &s->m, &s->err), GSP_OK);
    s->g = gsp_module_graph(&s->m, 0u);
    s->mark = gsp_arena_mark(&s->arena);
}

static void test_dedup_null_arguments(void)
{
    ready s;
    gsp_dependences dependences;
    gsp_order order;
    gsp_node_classes classes;
    gsp_regions regions;
    gsp_dedup_result result;
    memset(&regions, 0, sizeof(regions));
    start_with(&s, twice);
    REFUSED(gsp_dependences_run(NULL, &s.g, NULL, &dependences, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_dependences_run(&s.arena, NULL, NULL, &dependences, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_dependences_run(&s.arena, &s.g, NULL, NULL, &s.err), ARG, NULL_ARGUMENT);
    memset(&dependences, 0, sizeof(dependences));
    REFUSED(gsp_order_run(NULL, &s.g, &dependences, &order, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_order_run(&s.arena, NULL, &dependences, &order, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_order_run(&s.arena, &s.g, NULL, &order, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_order_run(&s.arena, &s.g, &dependences, NULL, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_order_run(&s.arena, &s.g, &dependences, &order, &s.err), ARG, RANGE);
    REFUSED(gsp_node_classes_run(NULL, &s.g, NULL, &classes, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_node_classes_run(&s.arena, NULL, NULL, &classes, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_node_classes_run(&s.arena, &s.g, NULL, NULL, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_regions_run(NULL, &s.g, NULL, &regions, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_regions_run(&s.arena, NULL, NULL, &regions, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_regions_run(&s.arena, &s.g, NULL, NULL, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_dedup_run(NULL, &s.g, NULL, &result, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_dedup_run(&s.arena, NULL, NULL, &result, &s.err), ARG, NULL_ARGUMENT);
    REFUSED(gsp_dedup_run(&s.arena, &s.g, NULL, NULL, &s.err), ARG, NULL_ARGUMENT);
    t_arena_close(&s.arena);
}

static void test_dedup_descs(void)
{
    ready s;
    int end;
    start_with(&s, twice);
    for (end = 0; end < 2; end++) {
        uint32_t const first = end ? 0u : 0xCCCCCCCCu;
        uint32_t const last = end ? 1u : 0u;
        gsp_dependences_desc dependences_desc;
        gsp_node_classes_desc classes_desc;
        gsp_regions_desc regions_desc;
        gsp_dedup_desc dedup_desc;
        gsp_dependences dependences;
        gsp_node_classes classes;
        gsp_regions regions;
        gsp_dedup_result result;
        memset(&dependences_desc, 0, sizeof(dependences_desc));
        memset(&classes_desc, 0, sizeof(classes_desc));
        memset(&regions_desc, 0, sizeof(regions_desc));
        memset(&dedup_desc, 0, sizeof(dedup_desc));
        memset(&regions, 0, sizeof(regions));
        dependences_desc.start_canary = classes_desc.start_canary = regions_desc.start_canary =
            first;
        dedup_desc.start_canary = first;
        dependences_desc.end_canary = classes_desc.end_canary = regions_desc.end_canary = last;
        dedup_desc.end_canary = last;
        REFUSED(gsp_dependences_run(&s.arena, &s.g, &dependences_desc, &dependences, &s.err), DESC,
            CANARY);
        REFUSED(
            gsp_node_classes_run(&s.arena, &s.g, &classes_desc, &classes, &s.err), DESC, CANARY);
        REFUSED(gsp_regions_run(&s.arena, &s.g, &regions_desc, &regions, &s.err), DESC, CANARY);
        REFUSED(gsp_dedup_run(&s.arena, &s.g, &dedup_desc, &result, &s.err), DESC, CANARY);
    }
    t_arena_close(&s.arena);
}

/* Every limit ends in LIMIT with what is needed; one more is enough. */
static void test_dedup_limits(void)
{
    ready s;
    gsp_dedup_desc desc;
    gsp_dedup_result result;
    gsp_mark mark;
    uint64_t work;
    memset(&desc, 0, sizeof(desc));
    start_with(&s, twice);
    mark = gsp_arena_mark(&s.arena);
    T_EQUAL(gsp_dedup_run(&s.arena, &s.g, &desc, &result, &s.err), GSP_OK);
    T_EQUAL(result.selection.n_calls, 2);
    T_CHECK(result.selection.n_outputs > 1u);
    work = result.regions.work;
    T_CHECK(work > 1u);
    desc.max_outputs = result.selection.n_outputs - 1u;
    gsp_arena_rewind(&s.arena, mark);
    REFUSED(gsp_dedup_run(&s.arena, &s.g, &desc, &result, &s.err), LIMIT, OUTPUTS);
    T_EQUAL(s.err.need, desc.max_outputs + 1u);
    T_EQUAL(s.err.limit, desc.max_outputs);
    desc.max_outputs++;
    desc.max_work = work - 1u;
    REFUSED(gsp_dedup_run(&s.arena, &s.g, &desc, &result, &s.err), LIMIT, WORK);
    T_EQUAL(s.err.limit, desc.max_work);
    desc.max_work++;
    T_EQUAL(gsp_dedup_run(&s.arena, &s.g, &desc, &result, &s.err), GSP_OK);
    T_EQUAL(result.selection.n_calls, 2);
    t_arena_close(&s.arena);
}

/* What reading and writing says is checked before anything is made of it. */
static void test_dedup_positions(void)
{
    static const char written[] =
        "graph():\n    %x : [num_users=3] = placeholder[target=x]\n"
        "    %a : [num_users=0] = call_method[target=zero_](args = (%x,), kwargs = {})  "
        "# none mutates=0\n"
        "    %b : [num_users=0] = call_method[target=zero_](args = (%x,), kwargs = {})  "
        "# none mutates=0\n"
        "    %c : [num_users=0] = call_method[target=zero_](args = (%x,), kwargs = {})  "
        "# none mutates=0\n"
        "    return x\n";
    static const char wrong[] =
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
        "    %a : [num_users=1] = call_method[target=zero_](args = (%x,), kwargs = {})  "
        "# f32[4] mutates=1\n"
        "    return a\n";
    ready s;
    gsp_dedup_desc desc;
    gsp_dedup_result result;
    gsp_dependences dependences;
    gsp_arena none;
    memset(&desc, 0, sizeof(desc));
    start_with(&s, wrong);
    REFUSED(gsp_dedup_run(&s.arena, &s.g, NULL, &result, &s.err), ARG, POSITION);
    T_EQUAL(s.err.node, 1);
    gsp_arena_init(&none, NULL, 0u); /* before there is room */
    REFUSED(gsp_dependences_run(&none, &s.g, NULL, &dependences, &s.err), ARG, POSITION);
    REFUSED(gsp_regions_run(&none, &s.g, NULL, &result.regions, &s.err), ARG, POSITION);
    REFUSED(gsp_dedup_run(&none, &s.g, NULL, &result, &s.err), ARG, POSITION);
    T_EQUAL(s.err.what, GSP_WHAT_NODE);
    t_arena_close(&s.arena);
    start_with(&s, written);
    desc.max_dependences = 1;
    REFUSED(gsp_dedup_run(&s.arena, &s.g, &desc, &result, &s.err), LIMIT, DEPENDENCES);
    T_EQUAL(s.err.need, 2);
    T_EQUAL(s.err.limit, 1);
    desc.max_dependences = 2;
    T_EQUAL(gsp_dedup_run(&s.arena, &s.g, &desc, &result, &s.err), GSP_OK);
    t_arena_close(&s.arena);
}

static int never_fails(void *user, const gsp_graph *graph, const gsp_bitset *set)
{
    (void)user;
    (void)graph;
    (void)set;
    return 0;
}

static void adjust_no_graph(ready *t, uint32_t *moved)
{
    gsp_move_non_tensor_desc move;
    gsp_subgraph_grow_desc grow;
    gsp_minimize_desc minimize;
    gsp_minimize_result least;
    uint32_t of = 0;
    memset(&move, 0, sizeof(move));
    memset(&grow, 0, sizeof(grow));
    memset(&minimize, 0, sizeof(minimize));
    T_EQUAL(gsp_move_non_tensor_run(&t->arena, &t->g, &move, &of, moved, &t->err), GSP_OK);
    grow.kind = t->split.kind;
    T_EQUAL(gsp_subgraph_grow_run(&t->arena, &t->g, &grow, &of, NULL, &t->err), GSP_STATUS_ARG);
    T_EQUAL(t->err.detail, GSP_DETAIL_TAG_EMPTY);
    minimize.fails = never_fails;
    T_EQUAL(gsp_minimize_run(&t->arena, &t->g, &minimize, &least, &t->err), GSP_OK);
    T_EQUAL(least.n_nodes, 0);
}

/* A graph that does not exist is empty; only what copies it wants one. */
static void test_no_graph(void)
{
    ready s;
    gsp_topo_order_result order;
    gsp_fuse_result fuse;
    gsp_split_desc split;
    gsp_preview_result preview;
    gsp_signatures_result signatures;
    gsp_split_by_tags_desc tags;
    gsp_split_by_tags_result tags_result;
    gsp_split_subgraphs_result subgraphs;
    gsp_split_module_desc parts;
    gsp_split_module_result parts_result;
    uint32_t moved = 1;
    ready_start(&s);
    memset(&split, 0, sizeof(split));
    memset(&tags, 0, sizeof(tags));
    memset(&parts, 0, sizeof(parts));
    s.g = gsp_module_graph(&s.m, GSP_NONE);
    T_EQUAL(gsp_topo_order_run(&s.arena, &s.g, NULL, &order, &s.err), GSP_OK);
    T_EQUAL(order.n_nodes, 0);
    T_EQUAL(gsp_support_run(&s.arena, &s.g, NULL, &s.p, &s.err), GSP_OK);
    T_EQUAL(gsp_acc_nodes_run(&s.arena, &s.g, &s.p, &s.err), GSP_OK);
    T_EQUAL(gsp_fuse_run(&s.arena, &s.g, NULL, &s.p, &fuse, &s.err), GSP_OK);
    T_EQUAL(fuse.n_groups, 0);
    T_EQUAL(gsp_signatures_run(&s.arena, &s.g, &s.p, &signatures, &s.err), GSP_OK);
    T_EQUAL(signatures.n_signatures, 0);
    split.placement = &s.p;
    split.move_non_tensor = split.max_size = split.limit = split.waive_min_size = 1;
    split.limit_policy = GSP_LIMIT_DEMOTE;
    T_EQUAL(gsp_split_run(&s.arena, &s.g, &split, &s.split, &s.err), GSP_OK);
    T_EQUAL(s.split.n_subgraphs, 0);
    T_EQUAL(gsp_preview_run(&s.arena, &s.g, &s.split, NULL, &preview, &s.err), GSP_OK);
    T_EQUAL(preview.n_subgraphs, 0);
    adjust_no_graph(&s, &moved);
    T_EQUAL(moved, 0);
    s.mark = gsp_arena_mark(&s.arena);
    REFUSED(gsp_split_by_tags_run(&s.arena, &s.g, &tags, &tags_result, &s.err), ARG, RANGE);
    REFUSED(gsp_split_subgraphs_run(&s.arena, &s.g, NULL, &subgraphs, &s.err), ARG, RANGE);
    REFUSED(gsp_split_module_run(&s.arena, &s.g, &parts, &parts_result, &s.err), ARG, RANGE);
    t_arena_close(&s.arena);
}

/* Success after failure: all fields say so. */
static void test_success_is_clean(void)
{
    ready s;
    gsp_counts c;
    ready_start(&s);
    memset(&s.err, 0x55, sizeof(s.err));
    T_EQUAL(gsp_text_count(NULL, 1u, &c, &s.err), GSP_STATUS_ARG);
    T_EQUAL(s.err.node, GSP_NONE);
    T_EQUAL(s.err.other, GSP_NONE);
    T_EQUAL(s.err.line, 0);
    T_EQUAL(s.err.column, 0);
    T_EQUAL(s.err.need, 0);
    T_EQUAL(s.err.limit, 0);
    t_arena_close(&s.arena);
}

void suite_contract_errors(void)
{
    t_run("null_arguments", test_null_arguments);
    t_run("fuse_null_arguments", test_fuse_null_arguments);
    t_run("bad_placements", test_bad_placements);
    t_run("descs", test_descs);
    t_run("policy", test_policy);
    t_run("table", test_table);
    t_run("dedup_null_arguments", test_dedup_null_arguments);
    t_run("dedup_descs", test_dedup_descs);
    t_run("dedup_limits", test_dedup_limits);
    t_run("dedup_positions", test_dedup_positions);
    t_run("no_graph", test_no_graph);
    t_run("success_is_clean", test_success_is_clean);
}
