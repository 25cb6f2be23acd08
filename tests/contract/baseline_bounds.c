/* Bounds of modules that are nothing but counts. Arrays are rounded up to 16 bytes: each count
 * takes values in a row, so that one element more or less shows in one of them. */
#include "tests/contract/entry.h"

#define ROUNDS 48u

typedef struct counted {
    gsp_module module;
    gsp_graph graph;
    uint32_t n; /* for the counts of descs */
    gsp_split_result split;
    gsp_placement placement;
} counted;

static void draw_counts(counted *c, t_rng *rng, uint32_t round)
{
    static const uint8_t kinds[64] = {0};
    memset(c, 0, sizeof(*c));
    c->n = 1u + round % 17u;
    c->module.counts.graphs = 1u;
    c->module.counts.nodes = 1u + round;
    c->module.counts.edges = t_below(rng, 60u);
    c->module.counts.args = t_below(rng, 90u);
    c->module.counts.attrs = t_below(rng, 90u);
    c->module.counts.strings = 40u + t_below(rng, 60u);
    c->module.counts.bytes = t_below(rng, 900u);
    c->graph.module = &c->module;
    c->graph.n_nodes = c->module.counts.nodes;
    c->split.n_nodes = c->placement.n_nodes = c->graph.n_nodes;
    c->split.n_kinds = c->placement.n_kinds = 2u + round % 3u;
    c->split.n_subgraphs = c->n;
    c->split.n_raw = c->n + 1u;
    c->split.kind = c->split.subgraph_kind = kinds;
}

static size_t of_placed(const counted *c, uint32_t which)
{
    gsp_support_desc support = {0};
    gsp_split_desc split = {0};
    gsp_split_subgraphs_desc subgraphs = {0};
    gsp_demote_desc demote = {0};
    gsp_move_non_tensor_desc move = {0};
    support.n_pins = c->n;
    split.placement = &c->placement;
    split.limit = which == 1u ? c->n : 0u;
    split.move_non_tensor = which == 2u;
    split.best_start = which == 3u;
    subgraphs.split = split;
    subgraphs.support = support;
    demote.split = &c->split;
    demote.limit = c->n;
    move.n_subgraphs = c->n;
    switch (which) {
    case 4:
        return gsp_support_bound(&c->graph, &support);
    case 5:
        return gsp_split_subgraphs_bound(&c->graph, &subgraphs);
    case 6:
        return gsp_demote_bound(&c->graph, &demote);
    case 7:
        return gsp_move_non_tensor_bound(&c->graph, &move);
    default:
        return gsp_split_bound(&c->graph, &split);
    }
}

static size_t of_parts(const counted *c, uint32_t which)
{
    gsp_str names[20];
    gsp_split_by_tags_desc tags = {0};
    gsp_split_module_desc parts = {0};
    gsp_latency_desc latency = {0};
    gsp_score_desc score = {0};
    gsp_kway_desc kway = {0};
    gsp_kway_floor_desc floor = {0};
    for (uint32_t i = 0; i < c->n; i++) {
        names[i].data = "a name of a part that is long";
        names[i].size = 1u + i;
    }
    tags.n_tags = parts.n_parts = latency.n_parts = score.n_parts = kway.n_parts = floor.n_parts =
        c->n;
    tags.names = names;
    parts.names = which == 1u ? names : NULL;
    score.moves = which == 4u;
    switch (which) {
    case 0:
        return gsp_split_by_tags_bound(&c->graph, &tags);
    case 3:
        return gsp_latency_bound(&c->graph, &latency);
    case 4:
    case 5:
        return gsp_score_bound(&c->graph, &score);
    case 6:
        return gsp_kway_bound(&c->graph, &kway);
    case 7:
        return gsp_kway_floor_bound(&c->graph, &floor);
    default:
        return gsp_split_module_bound(&c->graph, &parts);
    }
}

static size_t of_devices(const counted *c, uint32_t which)
{
    static const gsp_device devices[20] = {{{NULL, 0u}, 0u, 0u}};
    gsp_partition_desc desc = {0};
    desc.devices = devices;
    desc.n_devices = c->n;
    desc.has_rate = 1u;
    desc.mode = which % (uint32_t)GSP_PARTITION_COUNT;
    return which < (uint32_t)GSP_PARTITION_COUNT && desc.mode != (uint32_t)GSP_PARTITION_AOT
               ? gsp_assign_bound(&c->graph, &desc)
               : gsp_partition_bound(&c->graph, &desc);
}

static size_t of_regions(const counted *c, uint32_t which)
{
    gsp_dependences_desc dependences = {0};
    gsp_regions_desc regions = {0};
    gsp_dedup_desc dedup = {0};
    dependences.max_dependences = regions.max_dependences = dedup.max_dependences = c->n;
    dedup.max_outputs = c->n;
    switch (which) {
    case 0:
        return gsp_dependences_bound(&c->graph, NULL);
    case 1:
        return gsp_dependences_bound(&c->graph, &dependences);
    case 2:
        return gsp_node_classes_bound(&c->graph, NULL);
    case 3:
        return gsp_regions_bound(&c->graph, &regions);
    case 4:
        return gsp_dedup_bound(&c->graph, NULL);
    default:
        return gsp_dedup_bound(&c->graph, &dedup);
    }
}

static size_t of_stages(const counted *c, uint32_t which)
{
    gsp_costs costs = {0};
    gsp_stage_costs_desc stage_costs = {0};
    gsp_stages_optimal_desc optimal = {0};
    costs.n_nodes = c->graph.n_nodes;
    costs.n_items = c->n;
    stage_costs.n_stages = c->n;
    stage_costs.model.costs = optimal.model.costs = &costs;
    optimal.n_devices = c->n;
    optimal.n_orders = which == 1u ? GSP_STAGES_OPTIMAL_ORDERS : 1u;
    optimal.keep_groups = which == 2u;
    optimal.model.carried = stage_costs.model.carried = which == 3u || which == 5u;
    switch (which) {
    case 4:
    case 5:
        return gsp_stage_costs_bound(&c->graph, &stage_costs);
    case 6:
        return gsp_stages_even_bound(&c->graph, NULL);
    case 7:
        return gsp_stages_from_marks_bound(&c->graph, NULL);
    default:
        return gsp_stages_optimal_bound(&c->graph, &optimal);
    }
}

static size_t of_memory(const counted *c, uint32_t which)
{
    static const uint64_t scratch[64] = {0};
    gsp_liveness_desc parts = {0};
    gsp_memory_plan_desc plan = {0};
    parts.n_parts = c->n;
    plan.scratch = scratch;
    switch (which) {
    case 0:
        return gsp_liveness_bound(&c->graph, NULL);
    case 1:
        return gsp_liveness_bound(&c->graph, &parts);
    case 2:
        return gsp_memory_plan_bound(&c->graph, NULL);
    case 3:
        return gsp_memory_plan_bound(&c->graph, &plan);
    case 4:
        return gsp_memory_pack_bound(c->graph.n_nodes, NULL);
    case 5:
        return gsp_split_by_memory_bound(&c->graph, NULL);
    case 6:
        return gsp_exec_plan_bound(&c->graph, NULL);
    default:
        return gsp_minimize_bound(&c->graph, NULL);
    }
}

static size_t of_graphs(const counted *c, uint32_t which)
{
    switch (which) {
    case 0:
        return gsp_build_bound(&c->module.counts);
    case 1:
        return gsp_topo_order_bound(&c->graph, NULL);
    case 2:
        return gsp_acc_nodes_bound(&c->graph);
    case 3:
        return gsp_fuse_bound(&c->graph, NULL);
    case 4:
        return gsp_subgraph_grow_bound(&c->graph, NULL);
    case 5:
        return gsp_signatures_bound(&c->graph);
    case 6:
        return gsp_costs_bound(&c->graph);
    default:
        return gsp_pipeline_bound(&c->graph, NULL);
    }
}

static size_t of_modules(const counted *c, uint32_t which)
{
    gsp_stage_devices_desc devices = {0};
    gsp_module m = c->module;
    m.counts.graphs = 1u + c->n % 5u;
    devices.n_stages = devices.n_devices = which;
    switch (which) {
    case 0:
        return gsp_stage_extract_bound(&m);
    case 1:
        return gsp_fingerprints_bound(&m);
    case 2:
        return gsp_draw_bound(&m);
    default:
        return gsp_stage_devices_bound(&m, &devices);
    }
}

/* ---- one case per family and variant ---- */

typedef size_t (*bound_func)(const counted *c, uint32_t which);

static void add_bounds(baseline *t, const char *name, bound_func bound)
{
    snprintf(t->name, sizeof(t->name), "counts %s", name);
    for (uint32_t which = 0; which < 8u; which++) {
        t_rng rng = {23u};
        uint32_t sum = 0;
        counted c;
        char field[16];
        char value[16];
        for (uint32_t round = 0; round < ROUNDS; round++) {
            draw_counts(&c, &rng, round);
            sum = sum * 31u + (uint32_t)bound(&c, which);
        }
        snprintf(field, sizeof(field), "%u", (unsigned)which);
        snprintf(value, sizeof(value), "%u", (unsigned)sum);
        baseline_add(t, field, value);
    }
}

void baseline_add_bounds(baseline *t)
{
    add_bounds(t, "graphs", of_graphs);
    add_bounds(t, "modules", of_modules);
    add_bounds(t, "placed", of_placed);
    add_bounds(t, "parts", of_parts);
    add_bounds(t, "devices", of_devices);
    add_bounds(t, "regions", of_regions);
    add_bounds(t, "stages", of_stages);
    add_bounds(t, "memory", of_memory);
}
