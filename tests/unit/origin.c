/* Origins of the nodes of new modules, against the rows that results have, names and arguments. */
#include "examples/extra/graphsplit_csr.h"
#include "examples/extra/graphsplit_origin.h"
#include "tests/oracle/oracle.h"

#define ROOM  ((size_t)1u << 21u)
#define PARTS 4u

static uint32_t n_partitions; /* of check_partitions() */

typedef struct work {
    gsp_arena arena;
    gsp_graph g; /* that a pass takes */
    const gsp_module *made;
    gsp_origins o;
    gsp_error err;
} work;

static gsp_origin origin_of(const work *w, const gsp_graph *g, gsp_node v)
{
    return w->o.origin[g->first + v];
}

/* 1 if a node of the new module has the name of its origin, which is in the old graph. */
static int is_named_alike(const work *w, const gsp_graph *g, gsp_node v)
{
    char one[GSP_NAME_MADE];
    char two[GSP_NAME_MADE];
    gsp_origin const o = origin_of(w, g, v);
    return o.graph == w->g.id && o.element == GSP_NONE &&
           gsp_str_equal(gsp_node_name_make(g, v, one), gsp_node_name_make(&w->g, o.node, two));
}

/* Arguments of a copy have the arguments of its original as origins. */
static void check_arguments(const work *w, const gsp_graph *g, gsp_node v, gsp_node u)
{
    uint32_t n;
    uint32_t n_old;
    const gsp_arg *args = gsp_node_args(g, v, &n);
    const gsp_arg *old = gsp_node_args(&w->g, u, &n_old);
    if (n != n_old) { /* graphs in rows have no tokens; dedup spells aggregates out */
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].kind == (uint32_t)GSP_ARG_NODE && old[i].kind == (uint32_t)GSP_ARG_NODE) {
            gsp_origin const o = origin_of(w, g, args[i].value);
            T_EQUAL(o.graph, w->g.id);
            T_EQUAL(o.node, old[i].value);
        }
    }
}

/* Of the root and the first n_parts graphs; inputs of these have the names of their values. */
static void check_cut(const work *w, uint32_t n_parts, int named)
{
    for (uint32_t id = 0; id <= n_parts; id++) {
        gsp_graph const g = gsp_module_graph(w->made, id);
        for (gsp_node v = 0; v + 1u < g.n_nodes; v++) {
            gsp_origin const o = origin_of(w, &g, v);
            if (id != 0u && o.graph == GSP_NONE) {
                T_EQUAL(gsp_node_op(&g, v), GSP_OP_CALL_FUNCTION); /* dedup takes elements */
            } else if (id != 0u && named) {
                T_CHECK(is_named_alike(w, &g, v));
            }
            if (o.graph != GSP_NONE && is_named_alike(w, &g, v)) {
                check_arguments(w, &g, v, o.node);
            }
        }
    }
    gsp_graph const root = gsp_module_graph(w->made, 0);
    T_EQUAL(origin_of(w, &root, root.n_nodes - 1u).node, w->g.n_nodes - 1u);
    check_arguments(w, &root, root.n_nodes - 1u, w->g.n_nodes - 1u);
}

/* Each origin stands in the row of its node, and nothing else does. */
static void check_inverse(const work *w, const gsp_module *old)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < w->made->counts.nodes; i++) {
        known += w->o.origin[i].graph != GSP_NONE;
    }
    T_EQUAL(w->o.begin[0], 0u);
    T_EQUAL(w->o.begin[old->counts.nodes], known);
    for (uint32_t u = 0; u < old->counts.nodes; u++) {
        for (uint32_t i = w->o.begin[u]; i < w->o.begin[u + 1u]; i++) {
            gsp_origin const o = w->o.origin[w->o.copies[i]];
            T_EQUAL(old->graphs[o.graph].first + o.node, u);
            T_CHECK(i == w->o.begin[u] || w->o.copies[i - 1u] < w->o.copies[i]);
        }
    }
}

/* Rows that lead to the new nodes lead back. */
static void check_rows(const work *w, const uint32_t *graph_of, uint32_t first, const gsp_node *at)
{
    for (gsp_node v = 0; v < w->g.n_nodes; v++) {
        if (graph_of[v] != GSP_NONE) {
            gsp_graph const g = gsp_module_graph(w->made, graph_of[v] + first);
            gsp_origin const o = origin_of(w, &g, at[v]);
            T_CHECK(o.graph == w->g.id && o.node == v && o.element == GSP_NONE);
        }
    }
}

/* The module of a result may be stored, and opened again. */
static void check_reopened(work *w, gsp_split_by_tags_result *r)
{
    gsp_origins o;
    size_t const size = r->module.block_size;
    void *block = gsp_arena_push(&w->arena, size, 1u);
    if (T_CHECK(block != NULL)) {
        memcpy(block, r->module.block, size);
        T_EQUAL(gsp_module_open(&r->module, block, size, 0, &w->err), GSP_OK);
        T_EQUAL(gsp_split_by_tags_origins(&w->arena, &w->g, r, &o, &w->err), GSP_OK);
        T_CHECK(memcmp(o.origin, w->o.origin, r->module.counts.nodes * sizeof(*o.origin)) == 0);
    }
}

static void check_parts(work *w, const uint32_t *part_of, int tuples, int numbers)
{
    static const gsp_str names[PARTS] = {
        GSP_STR("p0"), GSP_STR("p1"), GSP_STR("p2"), GSP_STR("p3")};
    gsp_split_by_tags_desc tags = {0};
    gsp_split_by_tags_result tagged;
    gsp_split_module_desc parts = {0};
    gsp_split_module_result made;
    tags.n_tags = PARTS;
    tags.tag_of = part_of;
    tags.names = names;
    tags.return_tuple = tuples ? 1u : 0u;
    if (gsp_split_by_tags_run(&w->arena, &w->g, &tags, &tagged, &w->err) == GSP_OK &&
        T_EQUAL(gsp_split_by_tags_origins(&w->arena, &w->g, &tagged, &w->o, &w->err), GSP_OK)) {
        check_reopened(w, &tagged);
        w->made = &tagged.module;
        check_rows(w, tagged.graph_of, 0u, tagged.node_of);
        check_cut(w, PARTS, 1);
        check_inverse(w, w->g.module);
    }
    parts.n_parts = PARTS;
    parts.part_of = part_of;
    parts.return_tuple = tags.return_tuple;
    parts.number_inputs = numbers ? 1u : 0u;
    if (gsp_split_module_run(&w->arena, &w->g, &parts, &made, &w->err) == GSP_OK &&
        T_EQUAL(gsp_split_module_origins(&w->arena, &w->g, &made, &w->o, &w->err), GSP_OK)) {
        w->made = &made.module;
        check_rows(w, made.graph_of, 0u, made.node_of);
        check_cut(w, made.n_parts, !numbers);
        check_inverse(w, w->g.module);
        gsp_graph const root = gsp_module_graph(&made.module, 0);
        for (gsp_node v = 0; v + 1u < w->g.n_nodes; v++) {
            if (made.root_of[v] != GSP_NONE) {
                T_EQUAL(origin_of(w, &root, made.root_of[v]).node, v);
            }
        }
    }
}

/* Partitions on devices: their modules are a result of split_module. */
static void check_partitions(work *w, const uint32_t *part_of)
{
    static const gsp_device device = {GSP_STR("npu"), UINT64_MAX / 2u, 0};
    static const uint32_t first = 0;
    gsp_part_devices of[PARTS];
    gsp_partition_desc desc = {0};
    gsp_partition_result r;
    for (uint32_t i = 0; i < PARTS; i++) {
        gsp_part_devices const one = {i, 1u, &first};
        of[i] = one;
    }
    desc.mode = GSP_PARTITION_AOT;
    desc.devices = &device;
    desc.n_devices = 1;
    desc.part_of = part_of;
    desc.part_devices = of;
    desc.n_part_devices = PARTS;
    if (gsp_partition_run(&w->arena, &w->g, &desc, &r, &w->err) == GSP_OK &&
        T_EQUAL(gsp_split_module_origins(&w->arena, &w->g, r.parts, &w->o, &w->err), GSP_OK)) {
        w->made = &r.parts->module;
        check_rows(w, r.parts->graph_of, 0u, r.parts->node_of);
        check_cut(w, r.n_parts, 1);
        check_inverse(w, w->g.module);
        n_partitions += r.n_parts;
    }
}

/* A module that was stored has the origins of the module that was not. */
static void check_stored(work *w, const gsp_module *old, const gsp_module *made, uint32_t graph)
{
    gsp_module stored;
    gsp_origins o;
    void *block = gsp_arena_push(&w->arena, made->block_size, 1u);
    if (T_CHECK(block != NULL)) {
        memcpy(block, made->block, made->block_size);
        if (T_EQUAL(gsp_module_open(&stored, block, made->block_size, 0, &w->err), GSP_OK) &&
            T_EQUAL(gsp_module_origins(&w->arena, old, graph, &stored, &o, &w->err), GSP_OK)) {
            T_CHECK(memcmp(o.origin, w->o.origin, made->counts.nodes * sizeof(*o.origin)) == 0);
        }
    }
}

/* A module that a pass made of a whole one: nodes keep their numbers. */
static void check_whole(work *w, const gsp_module *old, const gsp_module *made, uint32_t graph)
{
    gsp_graph const g = gsp_module_graph(old, graph);
    gsp_graph const root = gsp_module_graph(made, 0);
    if (T_EQUAL(gsp_module_origins(&w->arena, old, graph, made, &w->o, &w->err), GSP_OK)) {
        w->made = made;
        for (gsp_node v = 0; v + 1u < g.n_nodes; v++) {
            gsp_origin const o = origin_of(w, &root, v);
            T_CHECK(o.graph == graph && o.node == v);
        }
        T_EQUAL(origin_of(w, &root, root.n_nodes - 1u).node, g.n_nodes - 1u);
        check_inverse(w, old);
        check_stored(w, old, made, graph);
    }
}

static void check_stages(work *w, const uint32_t *stage_of)
{
    gsp_pipeline_desc desc = {0};
    gsp_pipeline_result pipe;
    gsp_backward_result back;
    gsp_module alone;
    desc.params.stage_of = stage_of;
    if (gsp_pipeline_run(&w->arena, &w->g, &desc, &pipe, &w->err) == GSP_OK &&
        T_EQUAL(gsp_pipeline_origins(&w->arena, &w->g, &pipe, &w->o, &w->err), GSP_OK)) {
        w->made = &pipe.module;
        check_rows(w, pipe.stage_of, 1u, pipe.node_of);
        check_cut(w, pipe.n_stages, 1);
        check_inverse(w, w->g.module);
        if (gsp_backward_run(&w->arena, &pipe, NULL, &back, &w->err) == GSP_OK) {
            check_whole(w, &pipe.module, &back.module, 0u);
        }
        if (pipe.n_stages != 0u &&
            T_EQUAL(gsp_stage_extract_run(&w->arena, &pipe.module, 1u, &alone, &w->err), GSP_OK)) {
            check_whole(w, &pipe.module, &alone, 1u);
        }
    }
}

/* Random graphs in four contiguous parts. */
static void test_random(void)
{
    t_rng rng = {t_seed ^ 0x35u};
    for (uint32_t k = 0; k < (t_fast ? 100u : 3000u) && !t_failed(); k++) {
        oracle_case c;
        oracle_ids ids;
        gsp_module m;
        work w;
        memset(&w, 0, sizeof(w));
        t_arena_open(&w.arena, ROOM);
        oracle_random(&rng, 30u, &c);
        if (T_EQUAL(oracle_build(&w.arena, &c, &m, &ids, &w.err), GSP_OK)) {
            uint32_t part_of[256];
            w.g = gsp_module_graph(&m, 0);
            for (gsp_node v = 0; v < w.g.n_nodes; v++) {
                part_of[v] = v * PARTS / w.g.n_nodes;
            }
            check_parts(&w, part_of, k % 2u != 0u, k % 4u > 1u);
            check_stages(&w, part_of);
            check_partitions(&w, part_of);
        }
        t_arena_close(&w.arena);
    }
    T_CHECK(n_partitions > 0u);
}

/* Regions: what the root reads of a call is of the region of that call. */
static void check_regions(const work *w, const gsp_dedup_result *r)
{
    gsp_graph const root = gsp_module_graph(w->made, 0);
    const gsp_dedup_selection *a = &r->selection;
    for (gsp_node v = 0; v + 1u < w->g.n_nodes; v++) {
        for (uint32_t i = r->map_begin[v]; i < r->map_begin[v + 1u]; i++) {
            gsp_origin const o = origin_of(w, &root, r->map[i]);
            T_CHECK(o.node == v || (o.graph != GSP_NONE && o.node > v)); /* more specific */
        }
    }
    for (gsp_node v = 0; v < w->g.n_nodes; v++) {
        uint32_t const call = a->call_of[v];
        if (call != GSP_NONE && a->call_begin[a->subgraph_of[v]] == call) {
            gsp_graph const g = gsp_module_graph(w->made, 1u + a->subgraph_of[v]);
            gsp_node const copy = gsp_graph_find(&g, gsp_node_name(&w->g, v));
            T_EQUAL(origin_of(w, &g, copy).node, v);
        }
    }
}

static void test_dedup(void)
{
    static const char *const cases[] = {"c01", "c02", "c04", "c06", "c14", "c15", "c16", "c17",
        "c18", "c19", "c20", "c24", "c25", "c27", "c29", "c30", "c31"};
    for (uint32_t i = 0; i < T_COUNT_OF(cases); i++) {
        char path[64];
        gsp_arena arena;
        gsp_module m;
        gsp_dedup_result r;
        work w;
        snprintf(path, sizeof(path), "tests/cases/dedup/%s.fx", cases[i]);
        t_string text = t_read_file(path);
        memset(&w, 0, sizeof(w));
        if (T_CHECK(text.data != NULL) && t_must_read(&arena, text.data, &m)) {
            w.g = gsp_module_graph(&m, 0);
            t_arena_open(&w.arena, gsp_dedup_bound(&w.g, NULL) + 40u * m.counts.nodes + ROOM);
            if (T_EQUAL(gsp_dedup_run(&w.arena, &w.g, NULL, &r, &w.err), GSP_OK) &&
                T_EQUAL(gsp_dedup_origins(&w.arena, &w.g, &r, &w.o, &w.err), GSP_OK)) {
                w.made = &r.module;
                check_regions(&w, &r);
                check_cut(&w, r.selection.n_subgraphs, 0);
                check_inverse(&w, &m);
            }
            t_arena_close(&w.arena);
            t_arena_close(&arena);
        }
        t_free(&text);
    }
}

/* Elements of an aggregate that several calls return; a name that the root gives anew. */
static void test_elements(void)
{
    static const char text[] =
        "module main\ngraph():\n"
        "    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
        "    %getitem : [num_users=2] = call_function[target=f](args = (%x,), kwargs = {})  # "
        "tuple(f32[2], f32[2])\n"
        "    %a : [num_users=1] = call_function[target=operator.getitem](args = (%getitem, 0), "
        "kwargs = {})  # f32[2]\n"
        "    %b : [num_users=1] = call_function[target=operator.getitem](args = (%getitem, 1), "
        "kwargs = {})  # f32[2]\n"
        "    %s : [num_users=1] = call_module[target=sub](args = (%a, %b), kwargs = {})  # f32[2]\n"
        "    return s\n"
        "module sub\ngraph():\n"
        "    %p : [num_users=1] = placeholder[target=p]\n"
        "    %q : [num_users=1] = placeholder[target=q]\n"
        "    %n : [num_users=1] = call_function[target=add](args = (%p, %q), kwargs = {})\n"
        "    return n\n";
    static const uint32_t part_of[] = {0, 0, 0, 0, 1, 0};
    gsp_arena arena;
    gsp_module m;
    gsp_split_module_desc desc = {0};
    gsp_split_module_result r;
    work w;
    memset(&w, 0, sizeof(w));
    if (t_must_read(&arena, text, &m)) {
        w.g = gsp_module_graph(&m, 0);
        t_arena_open(&w.arena, ROOM);
        desc.n_parts = 2;
        desc.part_of = part_of;
        if (T_EQUAL(gsp_split_module_run(&w.arena, &w.g, &desc, &r, &w.err), GSP_OK) &&
            T_EQUAL(gsp_split_module_origins(&w.arena, &w.g, &r, &w.o, &w.err), GSP_OK)) {
            gsp_graph const root = gsp_module_graph(&r.module, 0);
            gsp_node const item = gsp_graph_find(&root, gsp_str_of("getitem"));
            gsp_graph const sub = gsp_module_graph(&r.module, r.module.counts.graphs - 1u);
            w.made = &r.module;
            T_EQUAL(origin_of(&w, &root, item).node, 2u); /* a, not %getitem */
            T_EQUAL(origin_of(&w, &root, r.call[0]).graph, GSP_NONE);
            T_EQUAL(origin_of(&w, &root, r.call[1]).node, 4u); /* its one value */
            T_EQUAL(origin_of(&w, &sub, 2).graph, 1u);
            T_EQUAL(origin_of(&w, &sub, 2).node, 2u);
            check_cut(&w, 2u, 1);
        }
        t_arena_close(&w.arena);
        t_arena_close(&arena);
    }
}

/* Copies of child graphs for another device, one inside the other, lead to the old child graphs. */
static void test_devices(void)
{
    static const char text[] =
        "module main\ngraph():\n"
        "    %x : [num_users=1] = placeholder[target=x]\n"
        "    %a : [num_users=1] = call_module[target=s0](args = (%x,), kwargs = {})\n"
        "    %b : [num_users=1] = call_module[target=s1](args = (%a,), kwargs = {})\n"
        "    return b\n"
        "module s0\ngraph():\n"
        "    %x : [num_users=1] = placeholder[target=x]\n"
        "    %q : [num_users=1] = call_module[target=inner](args = (%x,), kwargs = {})\n"
        "    return q\n"
        "module s1\ngraph():\n"
        "    %x : [num_users=1] = placeholder[target=x]\n"
        "    %g : [num_users=1] = get_attr[target=inner]\n"
        "    %q : [num_users=1] = call_function[target=checkpoint](args = (%g, %x), kwargs = {})\n"
        "    return q\n"
        "module deep\ngraph():\n"
        "    %y : [num_users=1] = placeholder[target=y]\n"
        "    %o : [num_users=1] = call_function[target=ones](args = (%y,), kwargs = {device: "
        "cpu})\n"
        "    return o\n"
        "module inner\ngraph():\n"
        "    %y : [num_users=1] = placeholder[target=y]\n"
        "    %d : [num_users=1] = call_module[target=deep](args = (%y,), kwargs = {})\n"
        "    return d\n";
    static const gsp_stage_device devices[] = {{0, GSP_STR("cuda:0")}, {1, GSP_STR("cuda:1")}};
    gsp_stage_devices_desc desc = {0};
    gsp_arena arena;
    gsp_module m;
    gsp_module moved;
    work w;
    memset(&w, 0, sizeof(w));
    desc.n_stages = 2;
    desc.devices = devices;
    desc.n_devices = 2;
    if (t_must_read(&arena, text, &m)) {
        t_arena_open(&w.arena, ROOM);
        if (T_EQUAL(gsp_stage_devices_run(&w.arena, &m, &desc, &moved, &w.err), GSP_OK) &&
            T_EQUAL(moved.counts.graphs, m.counts.graphs + 2u)) {
            check_whole(&w, &m, &moved, 0u);
            for (uint32_t i = m.counts.graphs; i < moved.counts.graphs; i++) {
                gsp_graph const g = gsp_module_graph(&moved, i);
                gsp_str const name = gsp_module_str(&moved, moved.graphs[i].name);
                uint32_t const old = gsp_str_equal(name, gsp_str_of("deep_1")) ? 3u : 4u;
                for (gsp_node v = 0; v < g.n_nodes; v++) {
                    T_EQUAL(origin_of(&w, &g, v).graph, old);
                    T_EQUAL(origin_of(&w, &g, v).node, v);
                }
            }
            for (uint32_t u = m.graphs[3].first; u < m.counts.nodes; u++) {
                T_EQUAL(w.o.begin[u + 1u] - w.o.begin[u], 2u); /* both copies are known */
            }
        }
        t_arena_close(&w.arena);
        t_arena_close(&arena);
    }
}

/* A graph in rows has no names that are stored, and its copies are found. */
static void test_rows(void)
{
    static const uint32_t begin[] = {0, 0, 1, 2, 4, 5};
    static const gsp_node at[] = {0, 1, 1, 2, 3};
    static const uint32_t part_of[] = {0, 0, 1, 1, 1};
    gsp_csr_desc d = {0};
    gsp_module m;
    work w;
    memset(&w, 0, sizeof(w));
    d.n_nodes = 5;
    d.begin = begin;
    d.at = at;
    t_arena_open(&w.arena, ROOM);
    if (T_EQUAL(gsp_build_csr(&w.arena, &d, &m, &w.err), GSP_OK)) {
        w.g = gsp_module_graph(&m, 0);
        check_parts(&w, part_of, 0, 0);
        check_parts(&w, part_of, 1, 1);
        T_CHECK(w.made != NULL);
    }
    t_arena_close(&w.arena);
}

/* A call that the input has may pass too little: its graph keeps the origins of its inputs. */
static void test_call_of_the_input(void)
{
    static const char text[] =
        "module main\ngraph():\n"
        "    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
        "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4]\n"
        "    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # f32[4]\n"
        "    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # f32[4]\n"
        "    %d : [num_users=1] = call_function[target=g](args = (%c,), kwargs = {})  # f32[4]\n"
        "    %s : [num_users=1] = call_module[target=sub](args = (%d,), kwargs = {})  # f32[4]\n"
        "    return s\n"
        "module sub\ngraph():\n"
        "    %p : [num_users=1] = placeholder[target=p]  # f32[4]\n"
        "    %q : [num_users=1] = placeholder[target=q]  # f32[4]\n"
        "    %n : [num_users=1] = call_function[target=add](args = (%p, %q), kwargs = {})\n"
        "    return n\n";
    gsp_arena arena;
    gsp_module m;
    gsp_dedup_result r;
    work w;
    memset(&w, 0, sizeof(w));
    if (t_must_read(&arena, text, &m)) {
        w.g = gsp_module_graph(&m, 0);
        t_arena_open(&w.arena, ROOM);
        if (T_EQUAL(gsp_dedup_run(&w.arena, &w.g, NULL, &r, &w.err), GSP_OK) &&
            T_EQUAL(gsp_dedup_origins(&w.arena, &w.g, &r, &w.o, &w.err), GSP_OK)) {
            w.made = &r.module;
            T_EQUAL(r.selection.n_subgraphs, 1u);
            gsp_graph const sub = gsp_module_graph(&r.module, r.module.counts.graphs - 1u);
            for (gsp_node v = 0; v < sub.n_nodes; v++) {
                gsp_origin const o = origin_of(&w, &sub, v);
                T_CHECK(o.graph == 1u && o.node == v && o.element == GSP_NONE);
            }
            check_cut(&w, 1u, 0);
            check_inverse(&w, &m);
        }
        t_arena_close(&w.arena);
        t_arena_close(&arena);
    }
}

/* A copy for another device has origins. None has a node of another name, or a root that no old
 * graph is of. */
static void test_no_origin(void)
{
    static const char text[] =
        "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
        "    %a : [num_users=1] = call_module[target=s0](args = (%x,), kwargs = {})\n"
        "    %b : [num_users=1] = call_module[target=s1](args = (%a,), kwargs = {})\n"
        "    return b\n"
        "module s0\ngraph():\n    %p : [num_users=1] = placeholder[target=p]\n"
        "    %q : [num_users=1] = call_module[target=sub](args = (%p,), kwargs = {})\n"
        "    return q\n"
        "module s1\ngraph():\n    %p : [num_users=1] = placeholder[target=p]\n"
        "    %q : [num_users=1] = call_module[target=sub](args = (%p,), kwargs = {})\n"
        "    return q\n"
        "module sub\ngraph():\n    %p : [num_users=1] = placeholder[target=p]\n"
        "    %o : [num_users=1] = call_function[target=f](args = (%p,), kwargs = {device: cpu})\n"
        "    return o\n";
    static const gsp_stage_device devices[] = {{0, GSP_STR("cuda:0")}, {1, GSP_STR("cuda:1")}};
    gsp_stage_devices_desc desc = {0};
    gsp_arena arena;
    gsp_module m;
    gsp_module made;
    work w;
    memset(&w, 0, sizeof(w));
    if (t_must_read(&arena, text, &m)) {
        t_arena_open(&w.arena, ROOM);
        w.made = &made;
        desc.n_stages = desc.n_devices = 2;
        desc.devices = devices;
        if (T_EQUAL(gsp_stage_devices_run(&w.arena, &m, &desc, &made, &w.err), GSP_OK) &&
            T_EQUAL(gsp_module_origins(&w.arena, &m, 0u, &made, &w.o, &w.err), GSP_OK)) {
            T_EQUAL(made.counts.graphs, m.counts.graphs + 1u);
            for (uint32_t i = 0; i < made.counts.nodes; i++) {
                T_EQUAL(w.o.origin[i].graph == 3u, i >= m.graphs[3].first);
                T_CHECK(w.o.origin[i].graph != GSP_NONE);
            }
            check_inverse(&w, &m);
        }
        gsp_atom *name = (gsp_atom *)t_alloc(m.counts.nodes * sizeof(gsp_atom));
        memcpy(name, m.name, m.counts.nodes * sizeof(gsp_atom));
        made = m;
        made.name = name;
        name[2] = name[1];
        if (T_EQUAL(gsp_module_origins(&w.arena, &m, 0u, &made, &w.o, &w.err), GSP_OK)) {
            for (uint32_t i = 0; i < m.counts.nodes; i++) {
                T_EQUAL(w.o.origin[i].graph == GSP_NONE, i == 2u);
            }
        }
        if (T_EQUAL(gsp_module_origins(&w.arena, &m, m.counts.graphs, &m, &w.o, &w.err), GSP_OK)) {
            for (uint32_t i = 0; i < m.counts.nodes; i++) {
                T_EQUAL(w.o.origin[i].graph == GSP_NONE, i < m.graphs[0].n_nodes);
            }
        }
        free(name);
        t_arena_close(&w.arena);
        t_arena_close(&arena);
    }
}

static void test_refused(void)
{
    gsp_module m = {0};
    gsp_graph const g = {&m, 0, 0, 0, NULL};
    gsp_split_by_tags_result tags = {0};
    gsp_split_module_result parts = {0};
    gsp_pipeline_result pipe = {0};
    gsp_dedup_result dedup = {0};
    gsp_origins o;
    gsp_arena a;
    gsp_error err;
    t_arena_open(&a, 65536);
#define MISSING(call, name) \
    T_EQUAL(call, GSP_STATUS_ARG); \
    T_EQUAL(err.detail, GSP_DETAIL_NULL_ARGUMENT); \
    T_STRING(err.field, name)
    MISSING(gsp_split_by_tags_origins(NULL, &g, &tags, &o, &err), "arena");
    MISSING(gsp_split_by_tags_origins(&a, NULL, &tags, &o, &err), "graph");
    MISSING(gsp_split_by_tags_origins(&a, &g, NULL, &o, &err), "result");
    MISSING(gsp_split_by_tags_origins(&a, &g, &tags, NULL, &err), "origins");
    MISSING(gsp_split_module_origins(&a, &g, NULL, &o, &err), "result");
    MISSING(gsp_split_module_origins(&a, NULL, &parts, &o, &err), "graph");
    MISSING(gsp_pipeline_origins(&a, &g, NULL, &o, &err), "result");
    MISSING(gsp_pipeline_origins(&a, NULL, &pipe, &o, &err), "graph");
    MISSING(gsp_dedup_origins(&a, &g, NULL, &o, &err), "result");
    MISSING(gsp_dedup_origins(&a, NULL, &dedup, &o, &err), "graph");
    MISSING(gsp_module_origins(&a, NULL, 0u, &m, &o, &err), "old");
    MISSING(gsp_module_origins(&a, &m, 0u, NULL, &o, &err), "made");
    MISSING(gsp_module_origins(NULL, &m, 0u, &m, &o, &err), "arena");
    T_EQUAL(gsp_module_origins(&a, &m, 0u, &m, NULL, NULL), GSP_STATUS_ARG);
#undef MISSING
    T_EQUAL(gsp_origins_bound(NULL, &m), SIZE_MAX);
    T_EQUAL(gsp_origins_bound(&m, NULL), SIZE_MAX);
    t_arena_close(&a);
    size_t const bound = gsp_origins_bound(&m, &m);
    for (size_t size = 0; size <= bound; size++) {
        t_arena_open(&a, size);
        T_EQUAL(gsp_module_origins(&a, &m, 0u, &m, &o, size % 2u != 0u ? &err : NULL),
            size < bound ? GSP_STATUS_NOMEM : GSP_OK);
        t_arena_close(&a);
    }
}

void suite_unit_origin(void)
{
    t_run("random", test_random);
    t_run("dedup", test_dedup);
    t_run("elements", test_elements);
    t_run("devices", test_devices);
    t_run("rows", test_rows);
    t_run("call_of_the_input", test_call_of_the_input);
    t_run("no_origin", test_no_origin);
    t_run("refused", test_refused);
}
