/* Graphs in arrays of the caller, against the same graphs by the builder; and what they refuse. */
#include "examples/extra/graphsplit_csr.h"
#include "examples/extra/graphsplit_fingerprint.h"
#include "examples/extra/graphsplit_kway.h"
#include "examples/extra/graphsplit_stages.h"
#include "tests/t.h"

#define NODES 60u
#define ROOM  ((size_t)1u << 20u)

/* A random graph in rows of inputs and of users. */
typedef struct rows {
    uint32_t n;
    uint32_t in_begin[NODES + 1u];
    gsp_node inputs[NODES * NODES];
    uint32_t user_begin[NODES + 1u];
    gsp_node users[NODES * NODES];
    uint8_t op[NODES];
    uint8_t out[NODES];
    uint64_t bytes[NODES];
    uint32_t target[NODES];
    gsp_csr_desc desc;
} rows;

static const gsp_str names[] = {
    GSP_STR("x"), GSP_STR("w"), GSP_STR("conv"), GSP_STR("relu"), GSP_STR("sort"), GSP_STR("conv")};

static void make_users(rows *r)
{
    uint32_t n = 0;
    for (gsp_node u = 0; u < r->n; u++) {
        r->user_begin[u] = n;
        for (gsp_node v = u + 1u; v < r->n; v++) {
            for (uint32_t i = r->in_begin[v]; i < r->in_begin[v + 1u]; i++) {
                if (r->inputs[i] == u) {
                    r->users[n++] = v;
                }
            }
        }
    }
    r->user_begin[r->n] = n;
}

static void make_row(rows *r, t_rng *rng, gsp_node v)
{
    uint32_t const wanted = v + 1u == r->n ? 1u + t_below(rng, 2) : 1u + t_below(rng, 3);
    uint32_t end = r->in_begin[v];
    for (uint32_t k = 0; k < wanted; k++) {
        gsp_node const u = v - 1u - t_below(rng, v < 8u ? v : 8u);
        uint32_t i = r->in_begin[v];
        while (i < end && r->inputs[i] != u) {
            i++;
        }
        r->inputs[end] = u;
        end += i == end;
    }
    r->in_begin[v + 1u] = end;
}

static void make_rows(rows *r, t_rng *rng, int by_users, int sized)
{
    memset(r, 0, sizeof(*r));
    r->n = 3u + t_below(rng, NODES - 3u);
    for (gsp_node v = 0; v < r->n; v++) {
        int const last = v + 1u == r->n;
        int const leaf = !last && (v == 0u || t_below(rng, 6) == 0u);
        r->in_begin[v + 1u] = r->in_begin[v];
        r->op[v] = (uint8_t)(last   ? GSP_OP_OUTPUT
                             : leaf ? (v % 2u != 0u ? GSP_OP_GET_ATTR : GSP_OP_PLACEHOLDER)
                             : t_below(rng, 4) == 0u ? GSP_OP_CALL_MODULE
                                                     : GSP_OP_CALL_FUNCTION);
        r->out[v] =
            (uint8_t)(!last && !leaf && t_below(rng, 9) == 0u ? GSP_VALUE_OTHER : GSP_VALUE_TENSOR);
        r->bytes[v] = sized && !last ? 100u * (1u + t_below(rng, 10)) : 0u;
        r->target[v] = leaf ? (v % 2u != 0u ? 1u : 0u) : 2u + t_below(rng, 4);
        if (!leaf) {
            make_row(r, rng, v);
        }
    }
    make_users(r);
    r->desc.n_nodes = r->n;
    r->desc.begin = by_users ? r->user_begin : r->in_begin;
    r->desc.at = by_users ? r->users : r->inputs;
    r->desc.users = by_users ? 1u : 0u;
    r->desc.op = r->op;
    r->desc.out = r->out;
    r->desc.bytes = sized ? r->bytes : NULL;
    r->desc.target = r->target;
    r->desc.names = names;
    r->desc.n_names = (uint32_t)T_COUNT_OF(names);
}

/* The same by the builder, with the names n0, n1, ... and inputs in the order of the module `m`. */
static void build(gsp_arena *arena, const rows *r, const gsp_module *m, gsp_module *built)
{
    gsp_counts const c = gsp_build_counts(1, NODES, 5u * NODES, NODES, 2u * NODES, 4096);
    gsp_graph const g = gsp_module_graph(m, 0);
    gsp_builder b;
    T_EQUAL(gsp_build_init(&b, arena, &c, NULL), GSP_OK);
    gsp_build_graph(&b, gsp_str_of(""));
    for (gsp_node v = 0; v < r->n; v++) {
        char made[GSP_NAME_MADE];
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(&g, v, &n);
        int const last = v + 1u == r->n;
        if (last) {
            (void)gsp_build_output(&b);
        } else {
            (void)gsp_build_node(
                &b, (gsp_op)r->op[v], gsp_node_name_make(&g, v, made), names[r->target[v]]);
        }
        if (last && n != 1u) {
            gsp_build_open(&b, GSP_ARG_TUPLE);
        }
        for (uint32_t i = 0; i < n; i++) {
            gsp_build_arg_node(&b, in[i]);
        }
        if (last && n != 1u) {
            gsp_build_close(&b);
        }
        if (r->out[v] != GSP_VALUE_TENSOR) {
            gsp_build_type(&b, gsp_str_of("int"));
        }
        if (r->desc.bytes != NULL && !last) {
            t_string digits = {NULL, 0, 0};
            t_number(&digits, (uint32_t)r->bytes[v]);
            gsp_build_attr(&b, gsp_str_of("bytes"), gsp_str_of(digits.data));
            t_free(&digits);
        }
    }
    T_EQUAL(gsp_build_finish(&b, built, NULL), GSP_OK);
}

static void put_words(t_string *s, const uint32_t *words, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        t_puts(s, i == 0u ? "" : " ");
        t_number(s, words[i]);
    }
    t_puts(s, "\n");
}

/* Weights are arrays of the desc of a pass: parts of equal weight, and the best two subgraphs. */
static void put_weights(t_string *s, gsp_arena *a, const gsp_graph *g, const gsp_placement *p)
{
    uint64_t weight[NODES];
    gsp_kway_desc kway = {0};
    gsp_kway_result parts;
    gsp_split_desc limited = {0};
    gsp_split_result split;
    gsp_error err;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        weight[v] = 1u + v * 7u % 5u;
    }
    kway.n_parts = 2;
    kway.weight = weight;
    kway.bytes = 1;
    t_puts(s, "weights ");
    if (gsp_kway_run(a, g, &kway, &parts, &err) == GSP_OK) {
        put_words(s, parts.part_of, g->n_nodes);
    }
    limited.placement = p;
    limited.max_acc = 2;
    limited.limit_policy = GSP_LIMIT_DEMOTE;
    limited.value = weight;
    T_EQUAL(gsp_split_run(a, g, &limited, &split, &err), GSP_OK);
    put_words(s, split.subgraph_of, g->n_nodes);
}

/* Stages of the smallest bottleneck, by bytes and parameters. */
static void put_stages(t_string *s, gsp_arena *a, const gsp_graph *g)
{
    gsp_costs_desc desc = {0};
    gsp_costs costs;
    gsp_stages_optimal_desc optimal = {0};
    gsp_stages_optimal_result stages;
    gsp_error err;
    desc.bandwidth = 1000000;
    T_EQUAL(gsp_costs_run(a, g, &desc, &costs, &err), GSP_OK);
    optimal.n_devices = 3;
    optimal.goal = GSP_STAGES_OPTIMAL_BYTES;
    optimal.model.costs = &costs;
    t_puts(s, "stages ");
    if (gsp_stages_optimal_run(a, g, &optimal, &stages, &err) == GSP_OK) {
        put_words(s, stages.stage_of, g->n_nodes);
    } else {
        t_puts(s, gsp_status_name(err.status));
    }
}

/* What the passes of assignments answer. */
static void put_parts(t_string *s, gsp_arena *a, const gsp_graph *g, const gsp_split_result *split)
{
    gsp_score_desc score = {0};
    gsp_score_result scored;
    gsp_kway_desc kway = {0};
    gsp_kway_result parts;
    gsp_stages_even_desc even = {0};
    gsp_stages_even_result stages;
    gsp_error err;
    score.n_parts = split->n_subgraphs;
    score.part_of = split->subgraph_of;
    T_EQUAL(gsp_score_run(a, g, &score, &scored, &err), GSP_OK);
    t_number(s, (uint32_t)scored.cut_bytes);
    t_number(s, scored.cut_edges);
    kway.n_parts = 2;
    if (split->n_subgraphs > 1u && gsp_kway_run(a, g, &kway, &parts, &err) == GSP_OK) {
        put_words(s, parts.part_of, g->n_nodes);
    }
    for (even.policy = GSP_STAGES_EVEN_NODES; even.policy <= GSP_STAGES_EVEN_PARAMS;
         even.policy++) {
        even.n_stages = 3;
        T_EQUAL(gsp_stages_even_run(a, g, &even, &stages, &err), GSP_OK);
        put_words(s, stages.stage_of, g->n_nodes);
    }
}

static uint32_t n_in_place; /* results that stood on an argument */

/* Nodes of equal target are of one class here, with the builder only if their TYPEs agree. */
static void put_memory(t_string *s, gsp_arena *a, const gsp_graph *g, int untyped)
{
    gsp_liveness_result live;
    gsp_memory_plan_desc in_place = {0};
    gsp_memory_plan_result plan;
    gsp_node_classes classes;
    gsp_topo_order_result order;
    gsp_split_by_memory_desc budget = {0};
    gsp_split_by_memory_result fits;
    gsp_regions regions;
    gsp_error err;
    T_EQUAL(gsp_liveness_run(a, g, NULL, &live, &err), GSP_OK);
    t_number(s, (uint32_t)live.parts[0].bytes);
    T_EQUAL(gsp_memory_plan_run(a, g, NULL, &plan, &err), GSP_OK);
    t_number(s, (uint32_t)plan.arena);
    put_words(s, plan.tensor_of, g->n_nodes);
    uint32_t *may = (uint32_t *)gsp_arena_push(a, g->n_nodes, sizeof(*may));
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        may[v] = v % 4u;
    }
    in_place.in_place = may;
    T_EQUAL(gsp_memory_plan_run(a, g, &in_place, &plan, &err), GSP_OK);
    put_words(s, plan.stands_on, g->n_nodes);
    n_in_place += plan.n_in_place;
    T_EQUAL(gsp_topo_order_run(a, g, NULL, &order, &err), GSP_OK);
    put_words(s, order.order, g->n_nodes);
    budget.budget = 3000;
    if (gsp_split_by_memory_run(a, g, &budget, &fits, &err) == GSP_OK) {
        put_words(s, fits.part_of, g->n_nodes);
    }
    if (untyped && T_EQUAL(gsp_node_classes_run(a, g, NULL, &classes, &err), GSP_OK) &&
        T_EQUAL(gsp_regions_run(a, g, NULL, &regions, &err), GSP_OK)) {
        put_words(s, classes.class_of, g->n_nodes);
        put_words(s, regions.group_begin, regions.n_groups + 1u);
        put_words(s, regions.members, regions.group_begin[regions.n_groups]);
    }
}

/* Answers of passes as text; with `modules`, also the modules that they make. */
static t_string answers(gsp_arena *a, const gsp_module *m, int modules)
{
    static const gsp_table_entry table[] = {GSP_OP("conv", ""), GSP_OP("relu", "")};
    static gsp_device const devices[] = {{GSP_STR("a"), 1u << 20, 0}, {GSP_STR("b"), 1u << 20, 1}};
    t_string s = {NULL, 0, 0};
    gsp_graph const g = gsp_module_graph(m, 0);
    gsp_rule rule = {0};
    gsp_accelerator const npu = {&rule, 1};
    gsp_split_subgraphs_desc desc = {0};
    gsp_split_subgraphs_result r;
    gsp_partition_desc partition = {0};
    gsp_partition_result parts;
    gsp_error err;
    rule.kind = GSP_RULE_TABLE;
    rule.table.entries = table;
    rule.table.n_entries = 2;
    desc.support.accelerators = &npu;
    desc.support.n_accelerators = 1;
    if (!T_EQUAL(gsp_split_subgraphs_run(a, &g, &desc, &r, &err), GSP_OK)) {
        return s;
    }
    put_words(&s, r.split.subgraph_of, g.n_nodes);
    put_words(&s, r.split.culprit, g.n_nodes);
    put_parts(&s, a, &g, &r.split);
    put_weights(&s, a, &g, &r.placement);
    put_stages(&s, a, &g);
    put_memory(&s, a, &g, modules);
    if (modules) {
        T_EQUAL(gsp_text_write(&r.subgraphs.module, NULL, t_sink, &s, &err), GSP_OK);
    }
    partition.devices = devices;
    partition.n_devices = 2;
    if (gsp_partition_run(a, &g, &partition, &parts, &err) == GSP_OK) {
        put_words(&s, parts.part_of, g.n_nodes);
        if (modules) {
            gsp_split_module_desc cut = {0};
            gsp_split_module_result made;
            cut.n_parts = parts.n_parts;
            cut.part_of = parts.part_of;
            T_EQUAL(gsp_split_module_run(a, &g, &cut, &made, &err), GSP_OK);
            T_EQUAL(gsp_text_write(&made.module, NULL, t_sink, &s, &err), GSP_OK);
        }
    }
    return s;
}

/* Passes answer as for the graph of a builder, and what they make has its names and arguments. */
static void test_same(void)
{
    t_rng rng = {35};
    n_in_place = 0;
    for (uint32_t i = 0; i < 400u; i++) {
        rows r;
        gsp_arena a;
        gsp_arena bound;
        gsp_module m;
        gsp_module built;
        make_rows(&r, &rng, i % 2u != 0u, i % 4u >= 2u);
        t_arena_open(&a, ROOM);
        t_arena_open(&bound, gsp_build_csr_bound(&r.desc));
        if (T_EQUAL(gsp_build_csr(&bound, &r.desc, &m, NULL), GSP_OK)) {
            build(&a, &r, &m, &built);
            gsp_mark const mark = gsp_arena_mark(&a);
            t_string rowed = answers(&a, &m, 0);
            gsp_arena_rewind(&a, mark);
            t_string named = answers(&a, &built, 0);
            T_STRING(rowed.data, named.data);
            t_free(&rowed);
            t_free(&named);
        }
        t_arena_close(&bound);
        t_arena_close(&a);
    }
    T_CHECK(n_in_place > 20u);
}

/* Modules of a graph whose values are tensors agree to the byte. */
static void test_modules(void)
{
    t_rng rng = {36};
    for (uint32_t i = 0; i < 200u; i++) {
        rows r;
        gsp_arena a;
        gsp_module m;
        gsp_module built;
        make_rows(&r, &rng, i % 2u != 0u, 0);
        memset(r.out, 0, sizeof(r.out));
        t_arena_open(&a, ROOM);
        if (T_EQUAL(gsp_build_csr(&a, &r.desc, &m, NULL), GSP_OK)) {
            build(&a, &r, &m, &built);
            gsp_mark const mark = gsp_arena_mark(&a);
            t_string rowed = answers(&a, &m, 1);
            gsp_arena_rewind(&a, mark);
            t_string named = answers(&a, &built, 1);
            T_STRING(rowed.data, named.data);
            t_free(&rowed);
            t_free(&named);
        }
        t_arena_close(&a);
    }
}

/* Without operations, what reads nothing is a placeholder, and the last node is the output. */
static void test_small(void)
{
    static const uint32_t begin[] = {0, 0, 1, 3, 4};
    static const gsp_node at[] = {0, 1, 0, 2};
    gsp_csr_desc d = {0};
    gsp_arena a;
    gsp_module m;
    char made[GSP_NAME_MADE];
    d.n_nodes = 4;
    d.begin = begin;
    d.at = at;
    t_arena_open(&a, gsp_build_csr_bound(&d));
    if (T_EQUAL(gsp_build_csr(&a, &d, &m, NULL), GSP_OK)) {
        gsp_graph const g = gsp_module_graph(&m, 0);
        uint32_t n;
        T_EQUAL(gsp_node_op(&g, 0), GSP_OP_PLACEHOLDER);
        T_EQUAL(gsp_node_op(&g, 2), GSP_OP_CALL_FUNCTION);
        T_EQUAL(gsp_node_op(&g, 3), GSP_OP_OUTPUT);
        T_EQUAL(gsp_node_users(&g, 0, &n)[1], 2u);
        T_EQUAL(n, 2u);
        T_EQUAL(gsp_node_name(&g, 2).size, 0u);
        T_EQUAL(gsp_str_equal(gsp_node_name_make(&g, 2, made), gsp_str_of("n2")), 1);
        T_EQUAL(gsp_node_name_make(&g, 4, made).size, 0u);
        T_EQUAL(gsp_graph_find(&g, gsp_str_of("n1")), 1u);
        T_EQUAL(gsp_graph_find(&g, gsp_str_of("n3")), GSP_NONE); /* the output has no name */
        T_EQUAL(gsp_graph_find(&g, gsp_str_of("n01")), GSP_NONE);
    }
    t_arena_close(&a);
}

/* Bytes that stay: 24 per node and 4 per edge. */
static void test_bytes(void)
{
    uint32_t const n = 100000;
    uint32_t *begin = (uint32_t *)t_alloc((n + 1u) * sizeof(uint32_t));
    gsp_node *at = (gsp_node *)t_alloc(n * sizeof(gsp_node));
    uint32_t *target = (uint32_t *)t_alloc(n * sizeof(uint32_t));
    gsp_csr_desc d = {0};
    gsp_arena a;
    gsp_module m;
    for (gsp_node v = 0; v < n; v++) {
        begin[v] = v == 0u ? 0u : v - 1u;
        at[v] = v;
        target[v] = v % 6u;
    }
    begin[n] = n - 1u;
    d.n_nodes = n;
    d.begin = begin;
    d.at = at;
    d.target = target;
    d.names = names;
    d.n_names = (uint32_t)T_COUNT_OF(names);
    t_arena_open(&a, gsp_build_csr_bound(&d));
    T_EQUAL(gsp_build_csr(&a, &d, &m, NULL), GSP_OK);
    T_CHECK(a.low <= 24u * n + 4u * (n - 1u));
    T_CHECK(a.size <= 24u * n + 4u * (n - 1u) + 8192u);
    t_arena_close(&a);
    free(begin);
    free(at);
    free(target);
}

/* One change to a good desc, and what it fails with. */
typedef struct bad {
    uint32_t begin[5];
    gsp_node at[4];
    uint8_t op[4];
    uint32_t target[4];
    uint32_t users;
    gsp_status status;
    gsp_detail detail;
    gsp_node node;
    gsp_node other;
    const char *field;
} bad;

static void test_refused(void)
{
    static const bad cases[] = {
        {{0, 0, 1, 3, 4}, {0, 1, 0, 2}, {1, 3, 3, 6}, {0, 2, 2, 0}, 0, GSP_STATUS_OK,
            GSP_DETAIL_NONE, GSP_NONE, GSP_NONE, ""},
        {{0, 2, 1, 3, 4}, {0, 1, 0, 2}, {1, 3, 3, 6}, {0, 2, 2, 0}, 0, GSP_STATUS_ARG,
            GSP_DETAIL_ROWS, 1, GSP_NONE, "begin"},
        {{0, 2, 2, 3, 4}, {0, 1, 0, 2}, {1, 3, 3, 6}, {0, 2, 2, 0}, 0, GSP_STATUS_CYCLE,
            GSP_DETAIL_NAME_LATER, 0, 0, "at"},
        {{0, 0, 2, 1, 4}, {0, 1, 0, 2}, {1, 3, 3, 6}, {0, 2, 2, 0}, 0, GSP_STATUS_ARG,
            GSP_DETAIL_ROWS, 2, GSP_NONE, "begin"},
        {{0, 0, 2, 3, 4}, {0, 1, 0, 2}, {1, 3, 3, 6}, {0, 2, 2, 0}, 0, GSP_STATUS_CYCLE,
            GSP_DETAIL_NAME_LATER, 1, 1, "at"},
        {{0, 3, 2, 3, 4}, {1, 2, 3, 3}, {1, 3, 3, 6}, {0, 2, 2, 0}, 1, GSP_STATUS_ARG,
            GSP_DETAIL_ROWS, 1, GSP_NONE, "begin"},
        {{0, 0, 1, 0, 4}, {0, 1, 0, 2}, {1, 3, 3, 6}, {0, 2, 2, 0}, 0, GSP_STATUS_ARG,
            GSP_DETAIL_ROWS, 2, GSP_NONE, "begin"},
        {{0, 0, 1, 9, 4}, {0, 1, 0, 2}, {1, 3, 3, 6}, {0, 2, 2, 0}, 0, GSP_STATUS_ARG,
            GSP_DETAIL_ROWS, 2, GSP_NONE, "begin"},
        {{1, 1, 1, 3, 4}, {0, 1, 0, 2}, {1, 3, 3, 6}, {0, 2, 2, 0}, 0, GSP_STATUS_ARG,
            GSP_DETAIL_ROWS, 0, GSP_NONE, "begin"},
        {{0, 0, 1, 3, 4}, {0, 1, 1, 2}, {1, 3, 3, 6}, {0, 2, 2, 0}, 0, GSP_STATUS_ARG,
            GSP_DETAIL_ROWS, 2, 1, "at"},
        {{0, 0, 1, 3, 4}, {0, 1, 4, 2}, {1, 3, 3, 6}, {0, 2, 2, 0}, 0, GSP_STATUS_ARG,
            GSP_DETAIL_RANGE, 2, 4, "at"},
        {{0, 0, 1, 3, 4}, {0, 1, 2, 2}, {1, 3, 3, 6}, {0, 2, 2, 0}, 0, GSP_STATUS_CYCLE,
            GSP_DETAIL_NAME_LATER, 2, 2, "at"},
        {{0, 2, 3, 4, 4}, {1, 2, 2, 3}, {1, 3, 3, 6}, {0, 2, 2, 0}, 1, GSP_STATUS_OK,
            GSP_DETAIL_NONE, GSP_NONE, GSP_NONE, ""},
        {{0, 2, 3, 4, 4}, {2, 1, 2, 3}, {1, 3, 3, 6}, {0, 2, 2, 0}, 1, GSP_STATUS_ARG,
            GSP_DETAIL_ROWS, 0, 1, "at"},
        {{0, 2, 3, 4, 4}, {1, 2, 0, 3}, {1, 3, 3, 6}, {0, 2, 2, 0}, 1, GSP_STATUS_CYCLE,
            GSP_DETAIL_NAME_LATER, 0, 1, "at"},
        {{0, 0, 1, 3, 4}, {0, 1, 0, 2}, {1, 3, 7, 6}, {0, 2, 2, 0}, 0, GSP_STATUS_ARG,
            GSP_DETAIL_KIND, 2, GSP_NONE, "op"},
        {{0, 0, 1, 3, 4}, {0, 1, 0, 2}, {1, 0, 3, 6}, {0, 2, 2, 0}, 0, GSP_STATUS_ARG,
            GSP_DETAIL_KIND, 1, GSP_NONE, "op"},
        {{0, 0, 1, 3, 4}, {0, 1, 0, 2}, {1, 3, 2, 6}, {0, 2, 2, 0}, 0, GSP_STATUS_ARG,
            GSP_DETAIL_KIND, 2, GSP_NONE, "op"},
        {{0, 0, 1, 3, 4}, {0, 1, 0, 2}, {1, 3, 6, 6}, {0, 2, 2, 0}, 0, GSP_STATUS_ARG,
            GSP_DETAIL_KIND, 2, GSP_NONE, "op"},
        {{0, 0, 1, 3, 4}, {0, 1, 0, 2}, {1, 3, 3, 3}, {0, 2, 2, 0}, 0, GSP_STATUS_ARG,
            GSP_DETAIL_KIND, 3, GSP_NONE, "op"},
        {{0, 0, 1, 3, 4}, {0, 1, 0, 2}, {1, 3, 3, 6}, {0, 6, 2, 0}, 0, GSP_STATUS_ARG,
            GSP_DETAIL_RANGE, 1, 6, "target"},
    };
    for (uint32_t i = 0; i < T_COUNT_OF(cases); i++) {
        gsp_csr_desc d = {0};
        gsp_arena a;
        gsp_module m = {0};
        gsp_error err;
        d.n_nodes = 4;
        d.begin = cases[i].begin;
        d.at = cases[i].at;
        d.users = cases[i].users;
        d.op = cases[i].op;
        d.target = cases[i].target;
        d.names = names;
        d.n_names = (uint32_t)T_COUNT_OF(names);
        t_arena_open(&a, gsp_build_csr_bound(&d));
        T_EQUAL(gsp_build_csr(&a, &d, &m, &err), cases[i].status);
        T_EQUAL(err.detail, cases[i].detail);
        T_EQUAL(err.node, cases[i].node);
        T_EQUAL(err.other, cases[i].other);
        T_STRING(err.field, cases[i].field);
        T_EQUAL(a.high, 0u);
        T_EQUAL(a.low == 0u && m.op == NULL, cases[i].status != GSP_OK);
        t_arena_close(&a);
    }
}

/* Null arguments, canaries, counts, value kinds, a target named as a node, too little room. */
static void test_arguments(void)
{
    static const uint32_t begin[] = {0, 0, 1};
    static const uint32_t huge[] = {0, 0, UINT32_MAX};
    static const gsp_node at[] = {0};
    static const uint8_t out[] = {0, 9};
    gsp_str taken[] = {
        GSP_STR("n1"), GSP_STR("n01"), GSP_STR("n2"), GSP_STR("n"), GSP_STR("nx"), GSP_STR("n12")};
    gsp_csr_desc d = {0};
    gsp_arena a;
    gsp_module m;
    gsp_error err;
    t_arena_open(&a, 65536);
    T_EQUAL(gsp_build_csr_bound(NULL), SIZE_MAX);
    T_EQUAL(gsp_build_csr_bound(&d), SIZE_MAX);
    T_EQUAL(gsp_build_csr(&a, &d, &m, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_NULL_ARGUMENT);
    T_FIELD(&err);
    d.begin = begin;
    T_EQUAL(gsp_build_csr(&a, &d, &m, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_RANGE);
    T_FIELD(&err);
    d.n_nodes = 2;
    T_EQUAL(gsp_build_csr(&a, &d, &m, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_NULL_ARGUMENT);
    T_FIELD(&err);
    d.at = at;
    T_EQUAL(gsp_build_csr(NULL, &d, &m, &err), GSP_STATUS_ARG);
    T_EQUAL(gsp_build_csr(&a, NULL, &m, &err), GSP_STATUS_ARG);
    T_EQUAL(gsp_build_csr(&a, &d, NULL, NULL), GSP_STATUS_ARG);
    d.end_canary = 1;
    T_EQUAL(gsp_build_csr(&a, &d, &m, &err), GSP_STATUS_DESC);
    d.end_canary = 0;
    d.start_canary = 1;
    T_EQUAL(gsp_build_csr(&a, &d, &m, &err), GSP_STATUS_DESC);
    T_EQUAL(err.detail, GSP_DETAIL_CANARY);
    d.start_canary = 0;
    d.n_names = 1;
    T_EQUAL(gsp_build_csr(&a, &d, &m, &err), GSP_STATUS_ARG);
    d.names = taken;
    T_EQUAL(gsp_build_csr(&a, &d, &m, &err), GSP_STATUS_DUPLICATE);
    T_EQUAL(err.node, 1u);
    d.names = taken + 1;
    d.n_names = 5;
    T_EQUAL(gsp_build_csr(&a, &d, &m, &err), GSP_OK);
    d.out = out;
    T_EQUAL(gsp_build_csr(&a, &d, &m, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_KIND);
    T_EQUAL(err.node, 1u);
    T_STRING(err.field, "out");
    d.out = NULL;
    d.begin = huge;
    T_EQUAL(gsp_build_csr(&a, &d, &m, &err), GSP_STATUS_OVERFLOW);
    d.begin = begin;
    d.names = &taken[1];
    taken[1].size = UINT32_MAX;
    T_EQUAL(gsp_build_csr_bound(&d), SIZE_MAX);
    d.n_names = UINT32_MAX; /* the first name ends the sum */
    T_EQUAL(gsp_build_csr_bound(&d), SIZE_MAX);
    d.n_names = 0x3FFFFFFEu;
    T_EQUAL(gsp_build_csr_bound(&d), SIZE_MAX);
    d.n_names = 1; /* and the names n0 and n1 are too many bytes */
    taken[1].size = UINT32_MAX - GSP_BUILD_BOUND_KEYS - 4u;
    T_EQUAL(gsp_build_csr_bound(&d), SIZE_MAX);
    d.n_names = 0;
    t_arena_close(&a);
    size_t const bound = gsp_build_csr_bound(&d);
    for (size_t size = 0; size < bound; size += 16u) {
        t_arena_open(&a, size);
        T_EQUAL(gsp_build_csr(&a, &d, &m, &err), GSP_STATUS_NOMEM);
        T_EQUAL(err.need, bound);
        T_EQUAL(gsp_build_csr(&a, &d, &m, NULL), GSP_STATUS_NOMEM);
        T_EQUAL(a.low + a.high, 0u);
        t_arena_close(&a);
    }
}

/* Passes that read arguments or stored names say so. */
static void test_bare(void)
{
    static const uint32_t begin[] = {0, 0, 1, 2};
    static const gsp_node at[] = {0, 1};
    gsp_csr_desc d = {0};
    gsp_arena a;
    gsp_module m;
    gsp_error err;
    gsp_exec_plan plan;
    gsp_dedup_result dedup;
    gsp_fingerprints_result prints;
    t_string s = {NULL, 0, 0};
    d.n_nodes = 3;
    d.begin = begin;
    d.at = at;
    t_arena_open(&a, ROOM);
    T_EQUAL(gsp_build_csr(&a, &d, &m, &err), GSP_OK);
    gsp_graph const g = gsp_module_graph(&m, 0);
    T_EQUAL(gsp_text_write(&m, NULL, t_sink, &s, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_BARE);
    T_EQUAL(gsp_text_write_graph(&g, NULL, t_sink, &s, &err), GSP_STATUS_ARG);
    T_EQUAL(gsp_exec_plan_run(&a, &g, NULL, &plan, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_BARE);
    T_EQUAL(gsp_dedup_run(&a, &g, NULL, &dedup, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_BARE);
    T_EQUAL(gsp_fingerprints_run(&a, &m, &prints, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_BARE);
    gsp_error const at_node = {
        GSP_STATUS_ARG, GSP_DETAIL_KIND, GSP_WHAT_NODE, 1, GSP_NONE, 0, 0, 0, 0u, ""};
    T_EQUAL(gsp_error_write(&at_node, &g, t_sink, &s), GSP_OK);
    T_STRING(s.data, "ARG: a node has a kind that does not exist, node 1 'n1'");
    t_free(&s);
    t_arena_close(&a);
}

/* A graph that is copied whole keeps its rows. */
static void test_extracted(void)
{
    static const uint32_t begin[] = {0, 0, 1, 2, 4, 6};
    static const gsp_node at[] = {0, 1, 1, 2, 2, 3};
    gsp_csr_desc d = {0};
    gsp_module m;
    gsp_module alone;
    gsp_error err;
    gsp_arena a;
    d.n_nodes = 5;
    d.begin = begin;
    d.at = at;
    t_arena_open(&a, ROOM);
    if (T_EQUAL(gsp_build_csr(&a, &d, &m, &err), GSP_OK) &&
        T_EQUAL(gsp_stage_extract_run(&a, &m, 0u, &alone, &err), GSP_OK)) {
        gsp_graph const old = gsp_module_graph(&m, 0);
        gsp_graph const g = gsp_module_graph(&alone, 0);
        T_EQUAL(g.n_nodes, old.n_nodes);
        for (gsp_node v = 0; v < g.n_nodes; v++) {
            uint32_t n;
            uint32_t n_old;
            const gsp_node *inputs = gsp_node_inputs(&g, v, &n);
            const gsp_node *old_inputs = gsp_node_inputs(&old, v, &n_old);
            if (T_EQUAL(n, n_old)) {
                T_CHECK(memcmp(inputs, old_inputs, n * sizeof(gsp_node)) == 0);
            }
        }
    }
    t_arena_close(&a);
}

void suite_unit_csr(void)
{
    t_run("same", test_same);
    t_run("modules", test_modules);
    t_run("small", test_small);
    t_run("bytes", test_bytes);
    t_run("refused", test_refused);
    t_run("arguments", test_arguments);
    t_run("bare", test_bare);
    t_run("extracted", test_extracted);
}
