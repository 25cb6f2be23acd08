/* The passes beside the splitter over one graph, each in an arena of exactly its bound. Refusals
 * are fine, except for lack of memory; what a module is made of can be opened again. */
#ifndef GRAPHSPLIT_FUZZ_MORE_H
#define GRAPHSPLIT_FUZZ_MORE_H

#include "fuzz.h"

#include "examples/program/algorithms/algorithms.h"

/* What all of them take, drawn anew for every graph. */
typedef struct fuzz_more_input {
    const gsp_graph *graph;
    gsp_counts counts; /* of the graph */
    uint32_t state;
    uint32_t *of; /* [n] runs of the graph as parts */
    uint64_t *scratch;
    uint32_t n_parts;
    int stored; /* names may be any bytes */
} fuzz_more_input;

static inline uint32_t fuzz_draw(fuzz_more_input *in, uint32_t below)
{
    in->state = in->state * 1664525u + 1013904223u;
    return (in->state >> 8) % below;
}

/* Ends a pass: no lack of memory, and nothing stays after an error. */
static inline int fuzz_passed(gsp_arena *arena, gsp_status status, const gsp_error *error)
{
    REQUIRE(status == error->status && status != GSP_STATUS_NOMEM);
    REQUIRE(status == GSP_OK || (arena->low == 0 && arena->high == 0));
    return status == GSP_OK;
}

static inline void fuzz_opens(const gsp_module *made)
{
    gsp_module opened;
    size_t written = 0;
    REQUIRE(gsp_module_open(&opened, made->block, made->block_size, 0, NULL) == GSP_OK);
    REQUIRE(gsp_text_write(made, NULL, fuzz_nowhere, &written, NULL) == GSP_OK);
}

static inline void fuzz_memory(fuzz_more_input *in)
{
    gsp_liveness_desc peak = {0};
    gsp_memory_plan_desc offsets = {0};
    gsp_split_by_memory_desc budget = {0};
    gsp_liveness_result peaks;
    gsp_memory_plan_result placed;
    gsp_split_by_memory_result parts;
    gsp_error error;
    gsp_arena arena;
    for (uint32_t round = 0; round < 4u; round++) {
        peak.n_parts = round & 1u ? in->n_parts : 0u;
        peak.part_of = in->of;
        peak.skip_inputs = round >> 1;
        peak.scratch = offsets.scratch = budget.scratch = round == 3u ? in->scratch : NULL;
        arena = fuzz_arena(gsp_liveness_bound(in->graph, &peak));
        fuzz_passed(&arena, gsp_liveness_run(&arena, in->graph, &peak, &peaks, &error), &error);
        fuzz_free(&arena);
        offsets.align = round == 2u ? 64u : 0u;
        offsets.skip_inputs = round >> 1;
        arena = fuzz_arena(gsp_memory_plan_bound(in->graph, &offsets));
        fuzz_passed(
            &arena, gsp_memory_plan_run(&arena, in->graph, &offsets, &placed, &error), &error);
        fuzz_free(&arena);
        budget.budget = (uint64_t)1 << (6u * round + 6u);
        budget.ignore_groups = round & 1u;
        budget.max_work = 10000;
        arena = fuzz_arena(gsp_split_by_memory_bound(in->graph, &budget));
        fuzz_passed(
            &arena, gsp_split_by_memory_run(&arena, in->graph, &budget, &parts, &error), &error);
        fuzz_free(&arena);
    }
}

static inline void fuzz_parts(fuzz_more_input *in)
{
    gsp_split_module_desc desc = {0};
    gsp_split_module_result result;
    gsp_error error;
    for (uint32_t round = 0; round < 4u; round++) {
        gsp_arena arena;
        desc.n_parts = in->n_parts;
        desc.part_of = in->of;
        desc.keep_order = round & 1u;
        desc.number_inputs = round >> 1;
        desc.return_tuple = round == 2u;
        arena = fuzz_arena(gsp_split_module_bound(in->graph, &desc));
        if (fuzz_passed(
                &arena, gsp_split_module_run(&arena, in->graph, &desc, &result, &error), &error)) {
            fuzz_opens(&result.module);
        }
        fuzz_free(&arena);
    }
}

/* A module in which a graph calls itself is refused. */
static inline void fuzz_fingerprints(const gsp_module *module)
{
    gsp_arena arena = fuzz_arena(gsp_fingerprints_bound(module));
    gsp_fingerprints_result prints;
    gsp_error error;
    char text[33];
    if (fuzz_passed(&arena, gsp_fingerprints_run(&arena, module, &prints, &error), &error)) {
        gsp_fingerprint_write(prints.prints[module->counts.graphs - 1u], text);
    }
    fuzz_free(&arena);
}

static inline void fuzz_dedup(fuzz_more_input *in)
{
    gsp_dedup_desc desc = {0};
    gsp_dedup_result result;
    gsp_error error;
    gsp_arena arena;
    desc.hash_bits = fuzz_draw(in, 3u);
    arena = fuzz_arena(gsp_dedup_bound(in->graph, &desc));
    if (fuzz_passed(&arena, gsp_dedup_run(&arena, in->graph, &desc, &result, &error), &error)) {
        fuzz_opens(&result.module);
        fuzz_fingerprints(&result.module);
    }
    fuzz_free(&arena);
}

/* In 1 of 8 cases the pointer beside a count is NULL. */
static inline int fuzz_is_null(fuzz_more_input *in)
{
    return fuzz_draw(in, 8u) == 0u;
}

static inline void fuzz_trained(fuzz_more_input *in, gsp_pipeline_result *pipe)
{
    static const gsp_stage_device devices[2] = {{0, {"cuda:1", 6}}, {1, {"cpu", 3}}};
    gsp_arena arena = fuzz_arena(gsp_backward_bound(&pipe->module, NULL));
    gsp_backward_desc desc = {0};
    gsp_backward_result result;
    gsp_stage_devices_desc move = {0};
    gsp_module moved;
    gsp_error error;
    desc.loss = fuzz_draw(in, 3u);
    desc.spec = gsp_str_of("(True, {'a': (False, False)})");
    desc.spec.data = fuzz_is_null(in) ? NULL : desc.spec.data;
    pipe->call = fuzz_is_null(in) ? NULL : pipe->call;
    if (fuzz_passed(&arena, gsp_backward_run(&arena, pipe, &desc, &result, &error), &error)) {
        fuzz_opens(&result.module);
    }
    fuzz_free(&arena);
    move.n_stages = pipe->n_stages;
    move.devices = fuzz_is_null(in) ? NULL : devices;
    move.n_devices = fuzz_draw(in, 3u);
    arena = fuzz_arena(gsp_stage_devices_bound(&pipe->module, &move));
    if (fuzz_passed(
            &arena, gsp_stage_devices_run(&arena, &pipe->module, &move, &moved, &error), &error)) {
        fuzz_opens(&moved);
    }
    fuzz_free(&arena);
    for (uint32_t g = 0; g < pipe->module.counts.graphs; g++) {
        arena = fuzz_arena(gsp_stage_extract_bound(&pipe->module));
        if (fuzz_passed(
                &arena, gsp_stage_extract_run(&arena, &pipe->module, g, &moved, &error), &error)) {
            fuzz_opens(&moved);
        }
        fuzz_free(&arena);
    }
}

static inline void fuzz_pipe(fuzz_more_input *in)
{
    gsp_pipeline_desc desc = {0};
    gsp_pipeline_result result;
    gsp_stages_from_marks_desc marks = {0};
    gsp_split_point const point = {{fuzz_is_null(in) ? NULL : "blk", 3}, fuzz_draw(in, 2u)};
    gsp_str const name = gsp_node_target(in->graph, fuzz_draw(in, in->graph->n_nodes));
    gsp_stage_param_use const use = {name, fuzz_draw(in, 2u)};
    gsp_stages_from_marks_result marked;
    gsp_error error;
    gsp_arena arena;
    marks.points = fuzz_is_null(in) ? NULL : &point;
    marks.n_points = fuzz_draw(in, 2u);
    arena = fuzz_arena(gsp_stages_from_marks_bound(in->graph, &marks));
    fuzz_passed(
        &arena, gsp_stages_from_marks_run(&arena, in->graph, &marks, &marked, &error), &error);
    fuzz_free(&arena);
    for (uint32_t round = 0; round < 4u; round++) {
        desc.params.stage_of = fuzz_is_null(in) ? NULL : in->of;
        desc.params.multi_use = round & 1u;
        desc.params.uses = fuzz_is_null(in) ? NULL : &use;
        desc.params.n_uses = fuzz_draw(in, 2u);
        desc.keep_targets = round >> 1;
        arena = fuzz_arena(gsp_pipeline_bound(in->graph, &desc));
        if (fuzz_passed(
                &arena, gsp_pipeline_run(&arena, in->graph, &desc, &result, &error), &error)) {
            fuzz_opens(&result.module);
            fuzz_trained(in, &result);
        }
        fuzz_free(&arena);
    }
}

static inline void fuzz_optimal(fuzz_more_input *in, const gsp_costs *costs)
{
    gsp_stage_costs_desc stages = {0};
    gsp_stage_costs_result stage_costs;
    gsp_stages_optimal_desc optimal = {0};
    gsp_stages_optimal_result optimal_result;
    gsp_error error;
    gsp_arena arena;
    stages.n_stages = in->n_parts;
    stages.stage_of = fuzz_is_null(in) ? NULL : in->of;
    stages.model.costs = costs;
    stages.model.carried = fuzz_draw(in, 2u);
    stages.model.microbatches = fuzz_draw(in, 3u);
    arena = fuzz_arena(gsp_stage_costs_bound(in->graph, &stages));
    fuzz_passed(
        &arena, gsp_stage_costs_run(&arena, in->graph, &stages, &stage_costs, &error), &error);
    fuzz_free(&arena);
    optimal.n_devices = 1u + fuzz_draw(in, 5u);
    optimal.n_chunks = fuzz_draw(in, 3u);
    optimal.goal = fuzz_draw(in, 2u);
    optimal.n_orders = fuzz_draw(in, GSP_STAGES_OPTIMAL_ORDERS + 1u);
    optimal.keep_groups = fuzz_draw(in, 2u);
    optimal.memory = (uint64_t)fuzz_draw(in, 2u) << fuzz_draw(in, 20u);
    optimal.max_work = 10000;
    optimal.model = stages.model;
    arena = fuzz_arena(gsp_stages_optimal_bound(in->graph, &optimal));
    fuzz_passed(&arena,
        gsp_stages_optimal_run(&arena, in->graph, &optimal, &optimal_result, &error), &error);
    fuzz_free(&arena);
}

/* Costs of which any pointer may be NULL; where items cannot be read, their number is any. */
static inline gsp_costs fuzz_costs_without(fuzz_more_input *in, gsp_costs costs)
{
    uint32_t const gone = fuzz_draw(in, 64u);
    costs.time = gone & 1u ? NULL : costs.time;
    costs.move = gone & 2u ? NULL : costs.move;
    costs.stash = gone & 4u ? NULL : costs.stash;
    costs.item_begin = gone & 8u ? NULL : costs.item_begin;
    costs.items = gone & 16u ? NULL : costs.items;
    costs.item_bytes = gone & 32u ? NULL : costs.item_bytes;
    costs.n_items = gone & (8u | 32u) ? (uint32_t)1 << fuzz_draw(in, 32u) : costs.n_items;
    return costs;
}

static inline void fuzz_stages(fuzz_more_input *in)
{
    gsp_costs_desc costs_desc = {0};
    gsp_costs costs;
    gsp_stages_even_desc stages = {0};
    gsp_stages_even_result staged;
    gsp_topo_order_desc topo = {0};
    gsp_topo_order_result order;
    gsp_error error;
    gsp_arena arena;
    stages.policy = fuzz_draw(in, GSP_STAGES_EVEN_COUNT);
    stages.n_stages = 1u + fuzz_draw(in, 4u);
    stages.threshold = 1u + fuzz_draw(in, 1000u);
    arena = fuzz_arena(gsp_stages_even_bound(in->graph, &stages));
    fuzz_passed(&arena, gsp_stages_even_run(&arena, in->graph, &stages, &staged, &error), &error);
    fuzz_free(&arena);
    topo.kind = fuzz_draw(in, GSP_TOPO_ORDER_COUNT);
    topo.backward = fuzz_draw(in, 2u);
    topo.seed = fuzz_draw(in, 100u);
    arena = fuzz_arena(gsp_topo_order_bound(in->graph, &topo));
    REQUIRE(gsp_topo_order_run(&arena, in->graph, &topo, &order, &error) == GSP_OK);
    fuzz_free(&arena);
    costs_desc.scale = fuzz_draw(in, 2u);
    costs_desc.ticks = fuzz_draw(in, 3u) * (uint64_t)1000000u;
    costs_desc.bandwidth = fuzz_draw(in, 1000u);
    arena = fuzz_arena(gsp_costs_bound(in->graph));
    if (fuzz_passed(
            &arena, gsp_costs_run(&arena, in->graph, &costs_desc, &costs, &error), &error)) {
        gsp_costs const without = fuzz_costs_without(in, costs);
        fuzz_optimal(in, &costs);
        fuzz_optimal(in, &without);
    }
    fuzz_free(&arena);
}

static inline void fuzz_partition(fuzz_more_input *in)
{
    static const uint32_t ids[2] = {7, 9};
    static const gsp_part_devices parts[3] = {{0, 1, ids}, {1, 2, ids}, {2, 1, ids + 1}};
    gsp_device devices[3] = {{{"a", 1}, 0, 7}, {{"b", 1}, 0, 9}, {{"c", 1}, 0, 4}};
    gsp_partition_desc desc = {0};
    gsp_partition_result result;
    gsp_error error;
    desc.devices = devices;
    desc.n_devices = 3;
    desc.part_of = in->of;
    desc.part_devices = parts;
    desc.n_part_devices = in->n_parts < 3u ? in->n_parts : 3u;
    desc.max_work = 1000;
    desc.has_rate = 1;
    desc.transfer_rate = 4.0;
    for (uint32_t mode = 0; mode < GSP_PARTITION_COUNT; mode++) {
        gsp_arena arena;
        for (uint32_t i = 0; i < 3u; i++) {
            devices[i].bytes = fuzz_draw(in, 2u) ? UINT64_MAX - i : fuzz_draw(in, 100000u);
        }
        desc.mode = mode;
        desc.saturate = fuzz_draw(in, 2u);
        desc.n_sweeps = fuzz_draw(in, 3u);
        arena = fuzz_arena(gsp_partition_bound(in->graph, &desc));
        if (fuzz_passed(
                &arena, gsp_partition_run(&arena, in->graph, &desc, &result, &error), &error)) {
            fuzz_opens(&result.parts->module);
        }
        fuzz_free(&arena);
    }
}

/* Graph order keeps the order of writes, and so does any other that is made under it. */
static inline void fuzz_order(fuzz_more_input *in)
{
    gsp_graph graph = *in->graph;
    gsp_topo_order_desc desc = {0};
    gsp_topo_order_result made;
    gsp_dependences dependences;
    gsp_order order;
    gsp_error error;
    gsp_arena kept = fuzz_arena(gsp_dependences_bound(in->graph, NULL));
    if (fuzz_passed(
            &kept, gsp_dependences_run(&kept, in->graph, NULL, &dependences, &error), &error)) {
        gsp_arena arena = fuzz_arena(gsp_order_bound(in->graph, &dependences));
        gsp_arena topo = fuzz_arena(gsp_topo_order_bound(in->graph, NULL));
        uint32_t *place = (uint32_t *)calloc(graph.n_nodes + 1u, sizeof *place);
        REQUIRE(place != NULL);
        REQUIRE(gsp_order_run(&arena, in->graph, &dependences, &order, &error) == GSP_OK);
        graph.order = &order;
        desc.kind = fuzz_draw(in, 2u) ? GSP_TOPO_ORDER_STACK : GSP_TOPO_ORDER_LEAST;
        REQUIRE(gsp_topo_order_run(&topo, &graph, &desc, &made, &error) == GSP_OK);
        for (uint32_t i = 0; i < graph.n_nodes; i++) {
            REQUIRE(desc.kind != GSP_TOPO_ORDER_LEAST || made.order[i] == i);
            place[made.order[i]] = i;
        }
        for (gsp_node v = 0; v < graph.n_nodes; v++) {
            for (uint32_t e = order.after.begin[v]; e < order.after.begin[v + 1u]; e++) {
                REQUIRE(order.after.at[e] > v && place[order.after.at[e]] > place[v]);
            }
        }
        free(place);
        fuzz_free(&topo);
        fuzz_free(&arena);
    }
    fuzz_free(&kept);
}

static inline void fuzz_plans(fuzz_more_input *in)
{
    gsp_str const names[4] = {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}};
    cli_plan_desc desc = {0};
    fuzz_text text = {NULL, 0, 0};
    gsp_error error;
    gsp_arena arena = fuzz_arena(cli_plan_write_bound(in->counts.nodes, in->n_parts));
    gsp_status status;
    desc.n_parts = in->n_parts;
    desc.part_of = in->of;
    desc.names = names;
    status = cli_plan_write(&arena, in->graph, &desc, fuzz_append, &text, &error);
    fuzz_free(&arena);
    if (status == GSP_OK) {
        gsp_str const written = {text.data, (uint32_t)text.size};
        gsp_arena kept = fuzz_arena(cli_plan_parse_bound(written));
        const char *wrong;
        cli_plan_text plan;
        cli_plan_match result;
        status = cli_plan_parse(&kept, written, &plan, &wrong, &error);
        REQUIRE(status == GSP_OK || (in->stored && status == GSP_STATUS_PARSE));
        if (status == GSP_OK) {
            arena = fuzz_arena(cli_plan_apply_bound(in->counts.nodes, &plan));
            REQUIRE(cli_plan_apply(&arena, in->graph, &plan, &result, &error) == GSP_OK);
            REQUIRE(result.n_new == 0u || in->stored);
            fuzz_free(&arena);
        }
        fuzz_free(&kept);
    }
    free(text.data);
}

static inline void fuzz_more(const gsp_graph *graph, uint32_t seed, int stored)
{
    size_t const n = (size_t)graph->n_nodes + 1u;
    fuzz_more_input in = {0};
    in.graph = graph;
    in.counts = gsp_graph_counts(graph);
    in.state = seed;
    in.stored = stored;
    in.of = (uint32_t *)calloc(n, sizeof *in.of);
    in.scratch = (uint64_t *)calloc(n, sizeof *in.scratch);
    REQUIRE(in.of != NULL && in.scratch != NULL);
    in.n_parts = 1u;
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        in.n_parts += in.n_parts < 4u && v > 0u && fuzz_draw(&in, 3u) == 0u;
        in.of[v] = gsp_node_is_callable(graph, v) ? in.n_parts - 1u : GSP_NONE;
        in.scratch[v] = fuzz_draw(&in, 1000u);
    }
    fuzz_memory(&in);
    fuzz_parts(&in);
    fuzz_fingerprints(graph->module);
    fuzz_dedup(&in);
    fuzz_pipe(&in);
    fuzz_stages(&in);
    fuzz_partition(&in);
    fuzz_order(&in);
    fuzz_plans(&in);
    free(in.scratch);
    free(in.of);
}

#endif
