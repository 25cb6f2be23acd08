/* Each pass of the header with arguments that give it work, and its documented order. */
#ifndef GRAPHSPLIT_TESTS_STEPS_PASSES_H
#define GRAPHSPLIT_TESTS_STEPS_PASSES_H

#include "tests/bench/graphs.h"

#define PARTS 8u
#define ROOM  ((size_t)3 << 30) /* pages that are not used cost nothing */

/* A graph, what passes take besides it, and results that later passes read. */
typedef struct scene {
    text source;
    void *memory; /* ROOM bytes */
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    size_t size;       /* nodes and edges */
    uint32_t widest;   /* inputs of the node that has most */
    uint32_t collide;  /* nodes whose names have one hash */
    int slow;          /* an input of tests/program/slow.sh: a pass may refuse it */
    uint64_t largest;  /* bytes of a node and its inputs, at most */
    uint64_t bytes;    /* of all nodes and their inputs */
    double more;       /* what the documented order has beside the size, added by a pass */
    uint32_t *part_of; /* PARTS parts in graph order */
    uint32_t *moving;  /* the same for passes that change it */
    uint8_t *kind;     /* 1 each */
    double *seconds;
    gsp_cut_arc *arcs; /* the edges as a network */
    uint32_t n_arcs;
    gsp_placement placement;
    gsp_split_result split;
    gsp_costs costs;
    gsp_regions regions;
    gsp_memory_plan_result plan;
    gsp_pipeline_result pipe;
    gsp_exec_plan exec;
} scene;

static const uint8_t kinds[PARTS] = {0u, 1u, 0u, 1u, 0u, 1u, 0u, 1u};
static const uint32_t ids[PARTS] = {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u};

static int drop(void *user, const char *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    return 0;
}

static gsp_status run_text_read(scene *s)
{
    return gsp_text_read(&s->arena, s->source.data, s->source.size, NULL, &s->module, NULL);
}

static gsp_status run_text_write(scene *s)
{
    return gsp_text_write(&s->module, NULL, drop, NULL, NULL);
}

static gsp_status run_module_open(scene *s)
{
    gsp_module again;
    return gsp_module_open(&again, s->module.block, s->module.block_size, 0, NULL);
}

static gsp_status run_support(scene *s)
{
    return gsp_support_run(&s->arena, &s->graph, NULL, &s->placement, NULL);
}

/* Each node tests five constraints, of which one reads absent arguments. */
static gsp_status run_support_constraints(scene *s)
{
    static const char line[] = "* f32,int stride?<=3 rank(0)?==1 rank(out)?==1 dtype(0)?==f32";
    gsp_rule rule = {0};
    gsp_accelerator acc;
    gsp_support_desc desc = {0};
    gsp_placement placement;
    rule.kind = GSP_RULE_TABLE;
    acc.rules = &rule;
    acc.n_rules = 1u;
    desc.accelerators = &acc;
    desc.n_accelerators = 1u;
    desc.ignore_annotation = 1u;
    gsp_status const status = gsp_table_read(&s->arena, gsp_str_of(line), &rule.table, NULL);
    return status != GSP_OK ? status
                            : gsp_support_run(&s->arena, &s->graph, &desc, &placement, NULL);
}

static gsp_status run_fuse(scene *s)
{
    gsp_fuse_result result;
    return gsp_fuse_run(&s->arena, &s->graph, NULL, &s->placement, &result, NULL);
}

static gsp_status run_split(scene *s)
{
    gsp_split_desc desc = {0};
    desc.placement = &s->placement;
    return gsp_split_run(&s->arena, &s->graph, &desc, &s->split, NULL);
}

static gsp_status run_split_by_tags(scene *s)
{
    static char const letters[] = "abcdefgh";
    gsp_str names[PARTS];
    gsp_split_by_tags_desc desc = {0};
    gsp_split_by_tags_result result;
    for (uint32_t i = 0u; i < PARTS; i++) {
        names[i].data = letters + i;
        names[i].size = 1u;
    }
    desc.n_tags = PARTS;
    desc.tag_of = s->part_of;
    desc.names = names;
    return gsp_split_by_tags_run(&s->arena, &s->graph, &desc, &result, NULL);
}

static gsp_status run_move_non_tensor(scene *s)
{
    gsp_move_non_tensor_desc desc = {0};
    desc.n_subgraphs = PARTS;
    desc.kind = kinds;
    return gsp_move_non_tensor_run(&s->arena, &s->graph, &desc, s->moving, NULL, NULL);
}

static gsp_status run_subgraph_grow(scene *s)
{
    gsp_subgraph_grow_desc desc = {0};
    desc.subgraph = PARTS - 1u;
    desc.kind = s->kind;
    return gsp_subgraph_grow_run(&s->arena, &s->graph, &desc, s->moving, NULL, NULL);
}

/* The middle node is at fault. */
static int fails(void *user, const gsp_graph *g, const gsp_bitset *set)
{
    (void)user;
    return gsp_bitset_has(set, g->n_nodes / 2u);
}

static gsp_status run_minimize(scene *s)
{
    gsp_minimize_desc desc = {0};
    gsp_minimize_result result = {0};
    desc.traversal = GSP_TRAVERSAL_LEAST;
    desc.fails = fails;
    gsp_status const status = gsp_minimize_run(&s->arena, &s->graph, &desc, &result, NULL);
    s->more = (double)result.n_tests * s->graph.n_nodes;
    return status;
}

static gsp_status run_preview(scene *s)
{
    gsp_preview_result result;
    return gsp_preview_run(&s->arena, &s->graph, &s->split, NULL, &result, NULL);
}

static gsp_status run_demote(scene *s)
{
    gsp_demote_desc desc = {0};
    gsp_demote_result result = {0};
    desc.limit = 4u;
    desc.split = &s->split;
    desc.max_work = 1u << 18;
    gsp_status const status = gsp_demote_run(&s->arena, &s->graph, &desc, &result, NULL);
    s->more = (double)result.work;
    return status;
}

static gsp_status run_min_cut(scene *s)
{
    gsp_min_cut_desc desc = {0};
    gsp_min_cut_result result;
    desc.n_nodes = s->graph.n_nodes + 2u;
    desc.n_arcs = s->n_arcs;
    desc.arcs = s->arcs;
    return gsp_min_cut_run(&s->arena, &desc, &result, NULL);
}

static gsp_status run_latency(scene *s)
{
    gsp_latency_desc desc = {0};
    gsp_latency_result result = {0};
    desc.n_parts = PARTS;
    desc.part_of = s->part_of;
    desc.mem = s->seconds;
    desc.compute = s->seconds;
    return gsp_latency_run(&s->arena, &s->graph, &desc, &result, NULL);
}

static void fill_devices(gsp_device *devices, uint32_t n, uint64_t bytes)
{
    for (uint32_t i = 0u; i < n; i++) {
        devices[i].name = gsp_str_of("device");
        devices[i].id = i;
        devices[i].bytes = bytes;
    }
}

/* Devices for a quarter of the graph each, but for the last, where every node fits. */
static gsp_partition_desc partition(const scene *s, uint32_t mode, gsp_device *devices)
{
    gsp_partition_desc desc = {0};
    fill_devices(devices, PARTS, mode == GSP_PARTITION_SPARSE ? 2u * s->bytes : s->bytes / 4u);
    devices[PARTS - 1u].bytes = 2u * s->bytes;
    desc.mode = mode;
    desc.devices = devices;
    desc.n_devices = PARTS;
    desc.mem = s->seconds;
    desc.compute = s->seconds;
    desc.has_rate = 1u;
    desc.transfer_rate = 1e9;
    return desc;
}

static gsp_status assign(scene *s, uint32_t mode, uint64_t max_work, double per_trial)
{
    gsp_device devices[PARTS];
    gsp_assignment result;
    gsp_partition_desc desc = partition(s, mode, devices);
    desc.max_work = max_work;
    gsp_status const status = gsp_assign_run(&s->arena, &s->graph, &desc, &result, NULL);
    s->more = (double)result.work * per_trial;
    return status;
}

/* Two devices per node, of which one in two holds the largest node, and others none. */
static gsp_status run_assign_devices(scene *s)
{
    uint32_t const n = 2u * s->graph.n_nodes;
    gsp_device *const devices = (gsp_device *)gsp_arena_push(&s->arena, n, sizeof(gsp_device));
    gsp_partition_desc desc = {0};
    gsp_assignment result;
    fill_devices(devices, n, s->largest);
    for (uint32_t i = 0u; i < n; i += 2u) {
        devices[i].bytes = 1u;
    }
    desc.mode = GSP_PARTITION_SIZE;
    desc.devices = devices;
    desc.n_devices = n;
    s->more = (double)s->graph.n_nodes * n + (double)n * n;
    return gsp_assign_run(&s->arena, &s->graph, &desc, &result, NULL);
}

static gsp_status run_assign_size(scene *s)
{
    return assign(s, GSP_PARTITION_SIZE, 0u, 0);
}

static gsp_status run_assign_sparse(scene *s)
{
    return assign(s, GSP_PARTITION_SPARSE, 0u, 0);
}

/* Every module is an embedding. */
static int embeds(void *user, const gsp_graph *g, gsp_node v)
{
    (void)user;
    (void)g;
    (void)v;
    return 1;
}

/* A device for each run of embeddings. */
static gsp_status run_assign_embeddings(scene *s)
{
    uint32_t const n = s->graph.n_nodes / 64u + 1u;
    gsp_device *const devices = (gsp_device *)gsp_arena_push(&s->arena, n, sizeof(gsp_device));
    gsp_partition_desc desc = {0};
    gsp_assignment result = {0};
    fill_devices(devices, n, 2u * s->bytes);
    desc.mode = GSP_PARTITION_SPARSE;
    desc.devices = devices;
    desc.n_devices = n;
    desc.is_embedding = embeds;
    gsp_status const status = gsp_assign_run(&s->arena, &s->graph, &desc, &result, NULL);
    s->more = (double)result.n_steps * ((double)result.n_steps + result.n_parts);
    return status;
}

static gsp_status run_assign_cost(scene *s)
{
    return assign(s, GSP_PARTITION_COST, 2000u, (double)s->graph.n_nodes * PARTS + (double)s->size);
}

static gsp_status run_assign_kl(scene *s)
{
    return assign(s, GSP_PARTITION_KL, 5000u, (double)s->size);
}

static gsp_status partition_of(scene *s, uint32_t mode)
{
    gsp_device devices[PARTS];
    gsp_part_devices part_devices[PARTS];
    gsp_partition_result result;
    gsp_partition_desc desc = partition(s, mode, devices);
    for (uint32_t i = 0u; i < PARTS; i++) {
        part_devices[i].part = i;
        part_devices[i].n_ids = 1u;
        part_devices[i].ids = ids + i;
    }
    desc.part_of = s->part_of;
    desc.part_devices = part_devices;
    desc.n_part_devices = PARTS;
    return gsp_partition_run(&s->arena, &s->graph, &desc, &result, NULL);
}

static gsp_status run_partition_size(scene *s)
{
    return partition_of(s, GSP_PARTITION_SIZE);
}

static gsp_status run_partition_aot(scene *s)
{
    return partition_of(s, GSP_PARTITION_AOT);
}

static gsp_status run_kway(scene *s)
{
    gsp_kway_desc desc = {0};
    gsp_kway_result result;
    desc.n_parts = PARTS;
    desc.attempts = 1u;
    desc.imbalance = 300000u; /* three tenths */
    s->more = (double)s->graph.n_nodes * PARTS;
    return gsp_kway_run(&s->arena, &s->graph, &desc, &result, NULL);
}

static gsp_status run_split_subgraphs(scene *s)
{
    gsp_split_subgraphs_result result;
    return gsp_split_subgraphs_run(&s->arena, &s->graph, NULL, &result, NULL);
}

static gsp_status run_split_module(scene *s)
{
    gsp_split_module_desc desc = {0};
    gsp_split_module_result result;
    desc.n_parts = 8u;
    desc.part_of = s->part_of;
    return gsp_split_module_run(&s->arena, &s->graph, &desc, &result, NULL);
}

static gsp_status run_score(scene *s)
{
    gsp_score_desc desc = {0};
    gsp_score_result result;
    desc.n_parts = PARTS;
    desc.part_of = s->part_of;
    return gsp_score_run(&s->arena, &s->graph, &desc, &result, NULL);
}

static gsp_status run_stages_even(scene *s)
{
    gsp_stages_even_desc desc = {0};
    gsp_stages_even_result result;
    desc.n_stages = 8u;
    return gsp_stages_even_run(&s->arena, &s->graph, &desc, &result, NULL);
}

static gsp_status run_calls(scene *s)
{
    gsp_calls_result result;
    return gsp_calls_run(&s->arena, &s->module, &result, NULL);
}

static gsp_status run_fingerprints(scene *s)
{
    gsp_fingerprints_result result;
    return gsp_fingerprints_run(&s->arena, &s->module, &result, NULL);
}

static gsp_status run_costs(scene *s)
{
    return gsp_costs_run(&s->arena, &s->graph, NULL, &s->costs, NULL);
}

static gsp_status run_stage_costs(scene *s)
{
    gsp_stage_costs_desc desc = {0};
    gsp_stage_costs_result result;
    desc.n_stages = PARTS;
    desc.stage_of = s->part_of;
    desc.model.costs = &s->costs;
    return gsp_stage_costs_run(&s->arena, &s->graph, &desc, &result, NULL);
}

static gsp_status optimal(scene *s, uint32_t goal, uint32_t carried)
{
    gsp_stages_optimal_desc desc = {0};
    gsp_stages_optimal_result result = {0};
    desc.n_devices = PARTS;
    desc.goal = goal;
    desc.model.costs = &s->costs;
    desc.model.carried = carried;
    desc.max_work = 4u * s->size;
    gsp_status const status = gsp_stages_optimal_run(&s->arena, &s->graph, &desc, &result, NULL);
    s->more = (double)result.work * (double)s->size / s->graph.n_nodes; /* with edges */
    return status;
}

static gsp_status run_stages_optimal(scene *s)
{
    return optimal(s, GSP_STAGES_OPTIMAL_TIME, 0u);
}

static gsp_status run_stages_optimal_bytes(scene *s)
{
    return optimal(s, GSP_STAGES_OPTIMAL_BYTES, 0u);
}

static gsp_status run_stages_optimal_carried(scene *s)
{
    return optimal(s, GSP_STAGES_OPTIMAL_TIME, 1u);
}

static int begins(void *user, const gsp_graph *g, gsp_node v)
{
    (void)user;
    (void)g;
    return v % 64u == 0u;
}

static gsp_status run_stages_from_marks(scene *s)
{
    gsp_stages_from_marks_desc desc = {0};
    gsp_stages_from_marks_result result;
    desc.policy = begins;
    return gsp_stages_from_marks_run(&s->arena, &s->graph, &desc, &result, NULL);
}

static gsp_status run_stage_params(scene *s)
{
    gsp_stage_params_desc desc = {0};
    gsp_stage_params_result result;
    desc.stage_of = s->part_of;
    return gsp_stage_params_run(&s->arena, &s->graph, &desc, &result, NULL);
}

static gsp_status run_pipeline(scene *s)
{
    gsp_pipeline_desc desc = {0};
    desc.params.stage_of = s->part_of;
    return gsp_pipeline_run(&s->arena, &s->graph, &desc, &s->pipe, NULL);
}

static gsp_status run_backward(scene *s)
{
    gsp_backward_result result;
    if (s->pipe.n_stages == 0u) {
        return GSP_STATUS_LIMIT; /* there is no pipeline */
    }
    return gsp_backward_run(&s->arena, &s->pipe, NULL, &result, NULL);
}

static gsp_status run_stage_devices(scene *s)
{
    static const gsp_stage_device second = {1u, {"cuda:1", 6u}};
    gsp_stage_devices_desc desc = {0};
    gsp_module result;
    desc.n_stages = s->pipe.n_stages;
    desc.devices = &second;
    desc.n_devices = 1u;
    return gsp_stage_devices_run(&s->arena, &s->pipe.module, &desc, &result, NULL);
}

static gsp_status run_stage_extract(scene *s)
{
    gsp_module result;
    return gsp_stage_extract_run(&s->arena, &s->module, 0u, &result, NULL);
}

/* Pairs of tensors with overlapping lifetimes. */
static double pairs(scene *s)
{
    uint32_t *const begun = (uint32_t *)gsp_arena_push(&s->arena, s->graph.n_nodes + 1u, 4u);
    double sum = 0;
    memset(begun, 0, 4u * ((size_t)s->graph.n_nodes + 1u));
    for (uint32_t i = 0u; i < s->plan.n_tensors; i++) {
        begun[s->plan.tensors[i].begin + 1u]++;
    }
    for (gsp_node v = 0u; v < s->graph.n_nodes; v++) {
        begun[v + 1u] += begun[v];
    }
    for (uint32_t i = 0u; i < s->plan.n_tensors; i++) {
        sum += begun[s->plan.tensors[i].end + 1u] - begun[s->plan.tensors[i].begin];
    }
    return sum;
}

static gsp_status run_memory_plan(scene *s)
{
    gsp_status const status = gsp_memory_plan_run(&s->arena, &s->graph, NULL, &s->plan, NULL);
    double const most = 536870912; /* 16 per unit of max_work */
    s->more = pairs(s);
    s->more = s->more < most ? s->more : most;
    return status;
}

static gsp_status run_memory_pack(scene *s)
{
    gsp_memory_pack_desc desc = {0};
    gsp_memory_pack_result result = {0};
    desc.max_work = 1u << 14;
    gsp_status const status =
        gsp_memory_pack_run(&s->arena, s->plan.tensors, s->plan.n_tensors, &desc, &result, NULL);
    s->more = (double)result.work + pairs(s);
    return status;
}

static gsp_status run_memory_check(scene *s)
{
    return gsp_memory_check_run(&s->arena, s->plan.tensors, s->plan.n_tensors, NULL, NULL);
}

static gsp_status run_split_by_memory(scene *s)
{
    gsp_split_by_memory_desc desc = {0};
    gsp_split_by_memory_result result;
    desc.budget = 2u * s->largest;
    desc.max_work = s->size;
    return gsp_split_by_memory_run(&s->arena, &s->graph, &desc, &result, NULL);
}

static gsp_status run_exec_plan(scene *s)
{
    return gsp_exec_plan_run(&s->arena, &s->graph, NULL, &s->exec, NULL);
}

/* Calls may double from graph to graph, so so many are enough. */
static gsp_status kernel(void *user, const gsp_call *call)
{
    double *const calls = (double *)user;
    for (uint32_t i = 0u; i < call->n_results; i++) {
        call->results[i] = i;
    }
    *calls += 1.0 + call->n_args;
    return *calls < 4e6 ? GSP_OK : GSP_STATUS_LIMIT;
}

static gsp_status run_exec(scene *s)
{
    gsp_exec_desc desc = {0};
    size_t const n = (size_t)s->exec.n_inputs + s->exec.n_outputs + 1u;
    gsp_value *const values = (gsp_value *)gsp_arena_push(&s->arena, n, sizeof(gsp_value));
    desc.kernel = kernel;
    desc.user = &s->more;
    memset(values, 0, n * sizeof(gsp_value));
    if (s->exec.frames == NULL) {
        return GSP_STATUS_LIMIT; /* there is no plan */
    }
    return gsp_exec_run(&s->arena, &s->exec, &desc, values, values + s->exec.n_inputs, NULL);
}

static gsp_status run_regions(scene *s)
{
    return gsp_regions_run(&s->arena, &s->graph, NULL, &s->regions, NULL);
}

static gsp_status run_draw_graph(scene *s)
{
    return gsp_draw_graph(&s->graph, NULL, drop, NULL, NULL);
}

static gsp_status run_draw_module(scene *s)
{
    return gsp_draw_module(&s->arena, &s->module, NULL, drop, NULL, NULL);
}

static gsp_status run_acc_nodes(scene *s)
{
    return gsp_acc_nodes_run(&s->arena, &s->graph, &s->placement, NULL);
}

static gsp_status run_signatures(scene *s)
{
    gsp_signatures_result result;
    return gsp_signatures_run(&s->arena, &s->graph, &s->placement, &result, NULL);
}

static gsp_status run_order(scene *s)
{
    gsp_dependences dependences;
    gsp_order result;
    gsp_status const status = gsp_dependences_run(&s->arena, &s->graph, NULL, &dependences, NULL);
    return status != GSP_OK ? status
                            : gsp_order_run(&s->arena, &s->graph, &dependences, &result, NULL);
}

/* Passes that take a graph, no desc, and give a result. */
#define PLAIN_PASSES(X) \
    X(topo_order, gsp_topo_order_result) \
    X(liveness, gsp_liveness_result) \
    X(dependences, gsp_dependences) \
    X(node_classes, gsp_node_classes) \
    X(dedup, gsp_dedup_result)
#define PLAIN(name, type) \
    static gsp_status run_##name(scene *s) \
    { \
        type result; \
        return gsp_##name##_run(&s->arena, &s->graph, NULL, &result, NULL); \
    }
PLAIN_PASSES(PLAIN)
#undef PLAIN

/* What the header says of each pass, beside scene.more, and the largest factor that was measured,
 * with a margin. OPEN: for a node of k inputs k * nodes / 768 more. */
typedef enum order { BYTES, LINEAR, LOG, OPEN } order;

enum {
    NAMES = 1, /* interns names: compares a name with all that have its hash */
    KEEP = 2,  /* later passes read its result */
    SMALL = 4  /* more than linear, or slow: not above MOST_SMALL nodes and edges */
};

typedef struct pass {
    const char *name;
    gsp_status (*run)(scene *s);
    order order;
    int traits;
    double factor;
} pass;

static const pass passes[] = {
    {"text_read", run_text_read, BYTES, NAMES | KEEP, 40},
    {"text_write", run_text_write, BYTES, 0, 9},
    {"module_open", run_module_open, OPEN, 0, 75},
    {"topo_order", run_topo_order, LOG, 0, 3},
    {"calls", run_calls, LINEAR, 0, 24},
    {"support", run_support, LINEAR, KEEP, 65},
    {"support, constraints", run_support_constraints, LINEAR, 0, 550},
    {"acc_nodes", run_acc_nodes, LINEAR, 0, 25},
    {"fuse", run_fuse, LINEAR, 0, 10},
    {"split", run_split, LINEAR, KEEP, 45},
    {"split_subgraphs", run_split_subgraphs, LINEAR, NAMES, 620},
    {"split_by_tags", run_split_by_tags, LINEAR, NAMES, 300},
    {"split_module", run_split_module, LINEAR, NAMES, 340},
    {"move_non_tensor", run_move_non_tensor, LINEAR, 0, 35},
    {"subgraph_grow", run_subgraph_grow, LINEAR, 0, 45},
    {"minimize", run_minimize, LINEAR, 0, 8},
    {"signatures", run_signatures, LINEAR, 0, 160},
    {"preview", run_preview, LINEAR, 0, 40},
    {"demote", run_demote, LINEAR, 0, 95},
    {"min_cut", run_min_cut, LINEAR, 0, 430},
    {"latency", run_latency, LINEAR, 0, 55},
    {"assign, size", run_assign_size, LINEAR, 0, 25},
    {"assign, many devices", run_assign_devices, LINEAR, SMALL, 2},
    {"assign, sparse", run_assign_sparse, LINEAR, 0, 55},
    {"assign, embeddings", run_assign_embeddings, LINEAR, SMALL, 65},
    {"assign, cost", run_assign_cost, LINEAR, SMALL, 30},
    {"assign, kl", run_assign_kl, LINEAR, SMALL, 45},
    {"partition, size", run_partition_size, LINEAR, NAMES, 230},
    {"partition, aot", run_partition_aot, LINEAR, NAMES, 440},
    {"score", run_score, LINEAR, 0, 85},
    {"kway", run_kway, LOG, SMALL, 2540},
    {"dependences", run_dependences, LOG, 0, 6},
    {"dependences, order", run_order, LOG, 0, 11},
    {"node_classes", run_node_classes, LINEAR, 0, 100},
    {"regions", run_regions, LOG, KEEP, 22},
    {"dedup", run_dedup, LOG, NAMES, 50},
    {"fingerprints", run_fingerprints, LINEAR, 0, 90},
    {"costs", run_costs, LINEAR, KEEP, 35},
    {"stages_even", run_stages_even, LINEAR, 0, 17},
    {"stage_costs", run_stage_costs, LINEAR, 0, 45},
    {"stages_optimal", run_stages_optimal, LINEAR, 0, 25},
    {"stages_optimal, bytes", run_stages_optimal_bytes, LINEAR, 0, 25},
    {"stages_optimal, carried", run_stages_optimal_carried, LOG, 0, 25},
    {"stages_from_marks", run_stages_from_marks, LINEAR, 0, 15},
    {"stage_params", run_stage_params, LINEAR, 0, 55},
    {"pipeline", run_pipeline, LINEAR, NAMES | KEEP, 330},
    {"backward", run_backward, LINEAR, NAMES, 440},
    {"stage_devices", run_stage_devices, LINEAR, NAMES, 210},
    {"stage_extract", run_stage_extract, LINEAR, NAMES, 140},
    {"liveness", run_liveness, LINEAR, 0, 70},
    {"memory_plan", run_memory_plan, LOG, KEEP, 45},
    {"memory_pack", run_memory_pack, LOG, SMALL, 16},
    {"memory_check", run_memory_check, LOG, 0, 20},
    {"split_by_memory", run_split_by_memory, LOG, 0, 55},
    {"exec_plan", run_exec_plan, LINEAR, KEEP, 65},
    {"exec", run_exec, LINEAR, 0, 15},
    {"draw_graph", run_draw_graph, LINEAR, 0, 470},
    {"draw_module", run_draw_module, LINEAR, NAMES, 520},
};
#define N_PASSES (sizeof passes / sizeof passes[0])

#endif
