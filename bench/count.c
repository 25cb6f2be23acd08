/* What bench/instructions.sh counts: every pass once over a network, in order of what each needs. A
 * port of examples/firmware says the names; the counters look at what runs between two marks
 * (Cortex-M4, QEMU), or at the functions count_...() (x86-64, callgrind).
 *     sh bench/instructions.sh */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_DRAW_IMPLEMENTATION
#include "examples/extra/graphsplit_draw.h"
#define GRAPHSPLIT_FINGERPRINT_IMPLEMENTATION
#include "examples/extra/graphsplit_fingerprint.h"
#define GRAPHSPLIT_STAGES_IMPLEMENTATION
#include "examples/extra/graphsplit_stages.h"

#include "../examples/firmware/port.h"

/* The functions below are to be there while what they call runs. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-optimize-sibling-calls")
#endif

#if defined(__thumb__)
#define MARK() __asm__ volatile("yield" ::: "memory")
#else
#define MARK() ((void)0)
#endif

enum { MEMORY = 2 << 20, NODES = 1024, PARTS = 4, CUT_SIDE = 32, CUT_NODES = 32 * 32 };

extern const char network_begin[];
extern const char network_end[];
extern const char operators_begin[];
extern const char operators_end[];

static unsigned char memory[MEMORY];
static gsp_arena arena;
static gsp_module module;
static gsp_graph graph;
static gsp_table table;
static gsp_placement placement;
static gsp_split_result split;
static gsp_split_by_tags_result tags;
static gsp_exec_plan plan;
static gsp_assignment sizes;
static gsp_dependences waits;
static gsp_regions regions;
static gsp_costs costs;
static gsp_stages_even_result stages;
static gsp_pipeline_result pipe;
static gsp_device devices[PARTS];
static gsp_partition_desc parts;
static double seconds[NODES];
static gsp_value values[NODES];
static gsp_str names[NODES];
static char tag_bytes[NODES][16];
static uint32_t numbers[NODES];
static gsp_node faulty;

/* ---- what the callbacks do ---- */

static int count_bytes(void *user, const char *data, size_t size)
{
    (void)data;
    *(size_t *)user += size;
    return 0;
}

static gsp_status add_values(void *user, const gsp_call *call)
{
    uint32_t i;
    (void)user;
    call->results[0] = 1;
    for (i = 0; i < call->n_args; i++) {
        call->results[0] += call->values[i];
    }
    return GSP_OK;
}

/* One node is at fault. */
static int fails(void *user, const gsp_graph *g, const gsp_bitset *set)
{
    (void)g;
    return gsp_bitset_has(set, *(const gsp_node *)user);
}

/* ---- graph and text ---- */

static gsp_status count_text_read(void)
{
    return gsp_text_read(
        &arena, network_begin, (size_t)(network_end - network_begin), NULL, &module, NULL);
}

static gsp_status count_module_open(void)
{
    return gsp_module_open(&module, module.block, module.block_size, 0, NULL);
}

static gsp_status count_text_write(void)
{
    size_t size = 0;
    return gsp_text_write(&module, NULL, count_bytes, &size, NULL);
}

/* ---- splitting ---- */

static gsp_status count_table_read(void)
{
    gsp_str t;
    t.data = operators_begin;
    t.size = (uint32_t)(operators_end - operators_begin);
    return gsp_table_read(&arena, t, &table, NULL);
}

static gsp_status count_support_run(void)
{
    static gsp_rule rule;
    static const gsp_accelerator npu = {&rule, 1};
    gsp_support_desc desc = {0};
    rule.kind = GSP_RULE_TABLE;
    rule.table = table;
    desc.accelerators = &npu;
    desc.n_accelerators = 1;
    graph = gsp_module_graph(&module, 0);
    return gsp_support_run(&arena, &graph, &desc, &placement, NULL);
}

static gsp_status count_split_run(void)
{
    gsp_split_desc desc = {0};
    desc.placement = &placement;
    return gsp_split_run(&arena, &graph, &desc, &split, NULL);
}

static gsp_status count_acc_nodes_run(void)
{
    return gsp_acc_nodes_run(&arena, &graph, &placement, NULL);
}

static gsp_status count_fuse_run(void)
{
    gsp_fuse_result result;
    return gsp_fuse_run(&arena, &graph, NULL, &placement, &result, NULL);
}

static gsp_status count_move_non_tensor_run(void)
{
    gsp_move_non_tensor_desc desc = {0};
    uint32_t moved;
    desc.n_subgraphs = split.n_subgraphs;
    desc.kind = split.subgraph_kind;
    return gsp_move_non_tensor_run(&arena, &graph, &desc, numbers, &moved, NULL);
}

static gsp_status count_split_by_tags_run(void)
{
    gsp_split_by_tags_desc desc = {0};
    desc.n_tags = split.n_subgraphs;
    desc.tag_of = split.subgraph_of;
    desc.names = names;
    return gsp_split_by_tags_run(&arena, &graph, &desc, &tags, NULL);
}

static gsp_status count_split_module_run(void)
{
    gsp_split_module_desc desc = {0};
    gsp_split_module_result result;
    desc.n_parts = split.n_subgraphs;
    desc.part_of = split.subgraph_of;
    return gsp_split_module_run(&arena, &graph, &desc, &result, NULL);
}

static gsp_status count_subgraph_grow_run(void)
{
    gsp_subgraph_grow_desc desc = {0};
    uint32_t moved;
    while (desc.subgraph + 1u < split.n_subgraphs && split.subgraph_kind[desc.subgraph] == 0) {
        desc.subgraph++;
    }
    desc.kind = split.kind;
    return gsp_subgraph_grow_run(&arena, &graph, &desc, numbers, &moved, NULL);
}

static gsp_status count_minimize_run(void)
{
    gsp_minimize_desc desc = {0};
    gsp_minimize_result result;
    desc.fails = fails;
    desc.user = &faulty;
    return gsp_minimize_run(&arena, &graph, &desc, &result, NULL);
}

static gsp_status count_signatures_run(void)
{
    gsp_signatures_result result;
    return gsp_signatures_run(&arena, &graph, &placement, &result, NULL);
}

static gsp_status count_preview_run(void)
{
    gsp_preview_result result;
    return gsp_preview_run(&arena, &graph, &split, NULL, &result, NULL);
}

/* ---- running ---- */

static gsp_status count_exec_plan_run(void)
{
    return gsp_exec_plan_run(&arena, &graph, NULL, &plan, NULL);
}

static gsp_status count_exec_run(void)
{
    gsp_exec_desc desc = {0};
    desc.kernel = add_values;
    return gsp_exec_run(&arena, &plan, &desc, values, values, NULL);
}

/* ---- memory ---- */

static gsp_status count_liveness_run(void)
{
    gsp_liveness_result result;
    return gsp_liveness_run(&arena, &graph, NULL, &result, NULL);
}

static gsp_status count_memory_plan_run(void)
{
    gsp_memory_plan_result result;
    return gsp_memory_plan_run(&arena, &graph, NULL, &result, NULL);
}

static gsp_status count_split_by_memory_run(void)
{
    gsp_split_by_memory_desc desc = {0};
    gsp_split_by_memory_result result;
    desc.budget = 16u << 20;
    return gsp_split_by_memory_run(&arena, &graph, &desc, &result, NULL);
}

/* ---- partitions ---- */

static gsp_status assign(uint32_t mode, gsp_assignment *made)
{
    parts.mode = mode;
    return gsp_assign_run(&arena, &graph, &parts, made, NULL);
}

static gsp_status count_assign_size(void)
{
    return assign(GSP_PARTITION_SIZE, &sizes);
}

static gsp_status count_assign_sparse(void)
{
    gsp_assignment made;
    return assign(GSP_PARTITION_SPARSE, &made);
}

static gsp_status count_assign_cost(void)
{
    gsp_assignment made;
    return assign(GSP_PARTITION_COST, &made);
}

static gsp_status count_assign_kl(void)
{
    gsp_assignment made;
    return assign(GSP_PARTITION_KL, &made);
}

static gsp_status count_latency_run(void)
{
    gsp_latency_result result;
    gsp_latency_desc desc = {0};
    desc.n_parts = sizes.n_parts;
    desc.part_of = sizes.part_of;
    desc.mem = parts.mem;
    desc.compute = parts.compute;
    return gsp_latency_run(&arena, &graph, &desc, &result, NULL);
}

static gsp_status count_score_run(void)
{
    gsp_score_result result;
    gsp_score_desc desc = {0};
    desc.n_parts = sizes.n_parts;
    desc.part_of = sizes.part_of;
    desc.mem = parts.mem;
    desc.compute = parts.compute;
    return gsp_score_run(&arena, &graph, &desc, &result, NULL);
}

/* A place of the grid: the last one is the sink. */
static uint32_t place(uint32_t i)
{
    return i == 1u ? CUT_NODES - 1u : i == CUT_NODES - 1u ? 1u : i;
}

static gsp_status count_min_cut_run(void)
{
    static gsp_cut_arc arcs[2 * CUT_NODES];
    gsp_min_cut_desc desc = {0};
    gsp_min_cut_result result;
    uint32_t i;
    desc.n_nodes = CUT_NODES;
    desc.n_arcs = 2u * (CUT_NODES - CUT_SIDE);
    desc.arcs = arcs;
    for (i = 0; i < desc.n_arcs; i++) { /* to the row below, and on */
        arcs[i].from = place(i / 2u);
        arcs[i].to = place(i / 2u + (i % 2u == 0 ? CUT_SIDE : 1u));
        arcs[i].capacity = 1u + i * 7u % 11u;
        arcs[i].back = 0;
    }
    return gsp_min_cut_run(&arena, &desc, &result, NULL);
}

static gsp_status count_demote_run(void)
{
    gsp_demote_desc desc = {0};
    gsp_demote_result result;
    desc.split = &split;
    desc.max_acc = 2u;
    return gsp_demote_run(&arena, &graph, &desc, &result, NULL);
}

static gsp_status count_partition_run(void)
{
    gsp_partition_result result;
    parts.mode = GSP_PARTITION_SIZE;
    return gsp_partition_run(&arena, &graph, &parts, &result, NULL);
}

/* ---- deduplication ---- */

static gsp_status count_dependences_run(void)
{
    return gsp_dependences_run(&arena, &graph, NULL, &waits, NULL);
}

static gsp_status count_order_run(void)
{
    gsp_order order;
    return gsp_order_run(&arena, &graph, &waits, &order, NULL);
}

static gsp_status count_node_classes_run(void)
{
    gsp_node_classes same;
    return gsp_node_classes_run(&arena, &graph, NULL, &same, NULL);
}

static gsp_status count_regions_run(void)
{
    return gsp_regions_run(&arena, &graph, NULL, &regions, NULL);
}

static gsp_status count_dedup_run(void)
{
    gsp_dedup_result result;
    return gsp_dedup_run(&arena, &graph, NULL, &result, NULL);
}

static gsp_status count_fingerprints_run(void)
{
    gsp_fingerprints_result prints;
    return gsp_fingerprints_run(&arena, &tags.module, &prints, NULL);
}

/* ---- pipelines ---- */

static gsp_status count_costs_run(void)
{
    gsp_costs_desc desc = {0};
    desc.bandwidth = 1000000000u;
    return gsp_costs_run(&arena, &graph, &desc, &costs, NULL);
}

static gsp_status count_stages_even_run(void)
{
    gsp_stages_even_desc desc = {0};
    desc.n_stages = PARTS;
    return gsp_stages_even_run(&arena, &graph, &desc, &stages, NULL);
}

static gsp_status count_stage_costs_run(void)
{
    gsp_stage_costs_desc desc = {0};
    gsp_stage_costs_result result;
    desc.n_stages = stages.n_stages;
    desc.stage_of = stages.stage_of;
    desc.model.costs = &costs;
    return gsp_stage_costs_run(&arena, &graph, &desc, &result, NULL);
}

static gsp_status count_topo_order_run(void)
{
    gsp_topo_order_result order;
    return gsp_topo_order_run(&arena, &graph, NULL, &order, NULL);
}

static gsp_status count_stages_optimal_run(void)
{
    gsp_stages_optimal_desc desc = {0};
    gsp_stages_optimal_result result;
    desc.n_devices = PARTS;
    desc.model.costs = &costs;
    return gsp_stages_optimal_run(&arena, &graph, &desc, &result, NULL);
}

static gsp_status count_stages_from_marks_run(void)
{
    gsp_stages_from_marks_result result;
    return gsp_stages_from_marks_run(&arena, &graph, NULL, &result, NULL);
}

static gsp_status count_stage_params_run(void)
{
    gsp_stage_params_desc desc = {0};
    gsp_stage_params_result result;
    desc.stage_of = stages.stage_of;
    return gsp_stage_params_run(&arena, &graph, &desc, &result, NULL);
}

static gsp_status count_pipeline_run(void)
{
    gsp_pipeline_desc desc = {0};
    desc.params.stage_of = stages.stage_of;
    return gsp_pipeline_run(&arena, &graph, &desc, &pipe, NULL);
}

static gsp_status count_backward_run(void)
{
    gsp_backward_result result;
    return gsp_backward_run(&arena, &pipe, NULL, &result, NULL);
}

static gsp_status count_stage_devices_run(void)
{
    static const gsp_stage_device second = {1, {"cuda:1", 6}};
    gsp_stage_devices_desc desc = {0};
    gsp_module moved;
    desc.n_stages = pipe.n_stages;
    desc.devices = &second;
    desc.n_devices = 1;
    return gsp_stage_devices_run(&arena, &pipe.module, &desc, &moved, NULL);
}

static gsp_status count_stage_extract_run(void)
{
    gsp_module extracted;
    return gsp_stage_extract_run(&arena, &pipe.module, 1, &extracted, NULL);
}

/* ---- pictures ---- */

static gsp_status count_draw_graph(void)
{
    size_t size = 0;
    return gsp_draw_graph(&graph, NULL, count_bytes, &size, NULL);
}

static gsp_status count_draw_module(void)
{
    size_t size = 0;
    return gsp_draw_module(&arena, &tags.module, NULL, count_bytes, &size, NULL);
}

/* ---- all of them ---- */

typedef struct step {
    const char *name;
    gsp_status (*run)(void);
} step;

#define STEP(name) \
    { \
        "gsp_" #name "\n", count_##name \
    }

static const step steps[] = {STEP(text_read), STEP(module_open), STEP(text_write), STEP(table_read),
    STEP(support_run), STEP(split_run), STEP(acc_nodes_run), STEP(fuse_run),
    STEP(move_non_tensor_run), STEP(split_by_tags_run), STEP(split_module_run),
    STEP(subgraph_grow_run), STEP(minimize_run), STEP(signatures_run), STEP(preview_run),
    STEP(exec_plan_run), STEP(exec_run), STEP(liveness_run), STEP(memory_plan_run),
    STEP(split_by_memory_run), STEP(assign_size), STEP(assign_sparse), STEP(assign_cost),
    STEP(assign_kl), STEP(latency_run), STEP(partition_run), STEP(score_run), STEP(min_cut_run),
    STEP(demote_run), STEP(dependences_run), STEP(order_run), STEP(node_classes_run),
    STEP(regions_run), STEP(dedup_run), STEP(fingerprints_run), STEP(costs_run),
    STEP(stages_even_run), STEP(stage_costs_run), STEP(topo_order_run), STEP(stages_optimal_run),
    STEP(stages_from_marks_run), STEP(stage_params_run), STEP(pipeline_run), STEP(backward_run),
    STEP(stage_devices_run), STEP(stage_extract_run), STEP(draw_graph), STEP(draw_module)};

/* What is needed between steps and is no pass. */
static void prepare(void)
{
    uint64_t bytes = 0;
    uint32_t i;
    for (i = 0; i < split.n_subgraphs && i < NODES; i++) {
        names[i].data = tag_bytes[i];
        names[i].size = (uint32_t)gsp_split_tag(&split, i, tag_bytes[i], sizeof tag_bytes[i]);
    }
    for (i = 0; i < graph.n_nodes && i < NODES; i++) {
        numbers[i] = split.subgraph_of[i];
        seconds[i] = (double)(1u + i * 37u % 100u);
        bytes += gsp_node_bytes(&graph, i);
        faulty = i <= graph.n_nodes / 2u && gsp_node_is_callable(&graph, i) ? i : faulty;
    }
    for (i = 0; i < PARTS; i++) {
        devices[i].name = gsp_str_of("device");
        devices[i].bytes = 2u * bytes;
        devices[i].id = i;
    }
    parts.devices = devices;
    parts.n_devices = PARTS;
    parts.mem = seconds;
}

int firmware_main(void)
{
    uint32_t i;
    gsp_arena_init(&arena, memory, sizeof memory);
    for (i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        gsp_status status;
        port_puts(steps[i].name);
        MARK();
        status = steps[i].run();
        MARK();
        if (status != GSP_OK) {
            port_puts("FAILED: ");
            port_puts(gsp_status_name(status));
            port_puts("\n");
            return 1;
        }
        if (steps[i].run == count_split_run) {
            prepare();
        }
    }
    return 0;
}
