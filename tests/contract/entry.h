/* Every function of the library that takes memory from an arena, and those of the program that do
 * as they do, in one shape, so that each rule about memory is tested once for all of them. */
#ifndef GRAPHSPLIT_TESTS_ENTRY_H
#define GRAPHSPLIT_TESTS_ENTRY_H

#include "examples/extra/graphsplit_compare.h"
#include "examples/extra/graphsplit_csr.h"
#include "examples/extra/graphsplit_downsets.h"
#include "examples/extra/graphsplit_draw.h"
#include "examples/extra/graphsplit_devices.h"
#include "examples/extra/graphsplit_fingerprint.h"
#include "examples/extra/graphsplit_heft.h"
#include "examples/extra/graphsplit_intervals.h"
#include "examples/extra/graphsplit_kway.h"
#include "examples/extra/graphsplit_limits.h"
#include "examples/extra/graphsplit_memories.h"
#include "examples/extra/graphsplit_offload.h"
#include "examples/extra/graphsplit_operators.h"
#include "examples/extra/graphsplit_order.h"
#include "examples/extra/graphsplit_origin.h"
#include "examples/extra/graphsplit_prefetch.h"
#include "examples/extra/graphsplit_repeats.h"
#include "examples/extra/graphsplit_schedule.h"
#include "examples/extra/graphsplit_stages.h"
#include "examples/extra/graphsplit_tiles.h"
#include "examples/extra/graphsplit_traffic.h"
#include "examples/program/algorithms/algorithms.h"
#include "tests/oracle/oracle.h"

#define ENTRY_NODES 128u

/* A random case, and what the entry points want as inputs. */
typedef struct entry_input {
    gsp_arena arena; /* of all below */
    oracle_case c;
    oracle_ids ids;
    gsp_module module;
    gsp_graph graph;
    gsp_counts counts;
    t_string text; /* the module as text */
    gsp_str table;
    gsp_placement placement;
    gsp_split_result split;
    gsp_str names[ORACLE_NODES + 1u];
    char tags[ORACLE_NODES + 1u][32];
    const gsp_module *rows; /* arrays of the root for gsp_build_csr(), wherever the graph stands */
    uint32_t target[ENTRY_NODES]; /* indices in names */
    gsp_exec_plan exec_plan;
    gsp_value values[ENTRY_NODES];
    gsp_dependences dependences;
    gsp_stages_from_marks_result stages_from_marks; /* stages, as a policy cuts them */
    gsp_pipeline_result pipeline;                   /* the module of these */
    gsp_pipeline_result trained; /* the same, or another one that returns a value ... */
    t_string loss;               /* ... and a spec for that */
    gsp_split_by_tags_result tagged;
    gsp_dedup_result deduped;
    gsp_tasks tasks;
} entry_input;

/* Everything that an entry point may write outside of its arena, in one block that memcmp can
 * compare. */
typedef struct entry_output {
    gsp_dependences dependences;
    gsp_order order;
    gsp_node_classes node_classes;
    gsp_fingerprints_result prints;
    gsp_calls_result calls;
    gsp_origins origins;
    gsp_regions regions;
    gsp_dedup_result dedup;
    gsp_repeats_result repeats;
    gsp_module module;
    gsp_table table;
    gsp_placement placement;
    gsp_fuse_result fuse;
    gsp_split_result split;
    gsp_split_by_tags_result split_by_tags;
    gsp_split_module_result split_module;
    gsp_stages_from_marks_result stages_from_marks;
    gsp_stage_params_result stage_params;
    gsp_pipeline_result pipeline;
    gsp_backward_result backward;
    gsp_module moved;
    gsp_minimize_result minimized;
    gsp_signatures_result signatures;
    gsp_preview_result preview;
    gsp_exec_plan exec_plan;
    gsp_stages_even_result stages_even;
    gsp_costs costs;
    gsp_stage_costs_result stage_costs;
    gsp_liveness_result liveness;
    gsp_memory_plan_result memory_plan;
    gsp_memory_pack_result memory_pack;
    gsp_intervals_peak intervals_peak;
    gsp_intervals_fit intervals_fit;
    gsp_intervals_result intervals;
    gsp_intervals_misfit intervals_misfit;
    gsp_memories_result memories;
    gsp_prefetch_result prefetch;
    gsp_tiles_result tiles;
    gsp_tile_plan tile_plan;
    gsp_tile_rows tile_rows;
    gsp_split_by_memory_result split_by_memory;
    cli_plan_text plan;
    cli_plan_match applied;
    gsp_compare_result compared;
    gsp_topo_order_result topo_order;
    gsp_stages_optimal_result stages_optimal;
    gsp_downsets_result downsets;
    gsp_downsets_graph_result downsets_graph;
    gsp_stages_unequal_result stages_unequal;
    gsp_schedule_result schedule;
    gsp_schedule_desc actions;
    gsp_value values[8u * ENTRY_NODES];
    gsp_latency_result latency;
    gsp_score_result score;
    gsp_kway_result kway;
    gsp_kway_floor_result floor;
    gsp_min_cut_result min_cut;
    gsp_network network;
    gsp_offload_result offload;
    gsp_sides_result sides;
    gsp_overlap_result overlap;
    gsp_traffic_result traffic;
    gsp_demote_result demote;
    gsp_limits_result limits;
    gsp_operators_result operators;
    gsp_tasks tasks;
    gsp_least_peak_result least_peak;
    gsp_tradeoff_result tradeoff;
    gsp_assignment assignment;
    gsp_heft_result heft;
    gsp_partition_result partition;
    uint32_t n_moved;
    uint32_t subgraph_of[ENTRY_NODES];
    uint8_t kind[ENTRY_NODES];
    uint8_t reason[ENTRY_NODES];
    gsp_node culprit[ENTRY_NODES];
    uint32_t group[ENTRY_NODES];
} entry_output;

typedef struct entry {
    const char *name;
    size_t (*bound)(const entry_input *in);
    gsp_status (*run)(const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err);
    void (*dump)(const entry_input *in, const entry_output *out, t_string *bytes);
} entry;

/* Those about stages and schedules, in a file of their own. */
#define ENTRY_STAGES(X) \
    X(stages_even) \
    X(stages_even_threshold) \
    X(costs) \
    X(stage_costs) \
    X(topo_order) \
    X(stages_optimal) \
    X(stages_optimal_orders) \
    X(downsets) \
    X(downsets_start) \
    X(downsets_graph) \
    X(stages_unequal) \
    X(stages_unequal_any) \
    X(schedule) \
    X(actions) \
    X(actions_pattern) \
    X(actions_zb)
/* Those about devices, likewise. */
#define ENTRY_PARTITION(X) \
    X(latency) \
    X(score) \
    X(score_moves) \
    X(kway) \
    X(kway_bytes) \
    X(kway_floor) \
    X(min_cut) \
    X(network) \
    X(offload) \
    X(offload_given) \
    X(sides) \
    X(sides_given) \
    X(overlap) \
    X(overlap_given) \
    X(traffic) \
    X(demote) \
    X(limits) \
    X(operators) \
    X(operators_split) \
    X(heft) \
    X(heft_any) \
    X(assign_size) \
    X(assign_sparse) \
    X(assign_cost) \
    X(assign_kl) \
    X(partition) \
    X(partition_kl)
/* And those about memory and plans. */
#define ENTRY_MEMORY(X) \
    X(liveness) \
    X(liveness_parts) \
    X(memory_plan) \
    X(memory_plan_scratch) \
    X(memory_check) \
    X(memory_pack) \
    X(intervals_peak) \
    X(intervals_fit) \
    X(intervals) \
    X(intervals_misfit) \
    X(tasks) \
    X(least_peak) \
    X(tradeoff) \
    X(memories) \
    X(prefetch) \
    X(tiles) \
    X(tile_plan) \
    X(tile_rows) \
    X(split_by_memory) \
    X(plan_file_read) \
    X(plan_file_match) \
    X(plan_file_write) \
    X(compare)
#define ENTRY_DECLARE(name) \
    size_t entry_##name##_bound(const entry_input *in); \
    gsp_status entry_##name##_run( \
        const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err); \
    void entry_##name##_dump(const entry_input *in, const entry_output *out, t_string *bytes);
ENTRY_STAGES(ENTRY_DECLARE)
ENTRY_PARTITION(ENTRY_DECLARE)
ENTRY_MEMORY(ENTRY_DECLARE)
#undef ENTRY_DECLARE

extern const entry entry_points[];
extern const uint32_t entry_count;

void entry_open(entry_input *in, t_rng *rng, uint32_t max_nodes);
void entry_close(entry_input *in);

/* Poisons what is only written, sets up what is read and written. */
void entry_prepare(const entry_input *in, entry_output *out);

/* Lines "case,field,value" about one case after the other (baseline.c). */
typedef struct baseline {
    t_string lines;
    char name[64]; /* of the present case */
} baseline;

void baseline_add(baseline *t, const char *field, const char *value);

/* The tables that baseline.c compares with, as they are now; t_free() after. */
t_string baseline_results(void);
t_string baseline_bounds(void);

/* Lines about bounds (baseline_bounds.c). */
void baseline_add_bounds(baseline *t);

#endif
