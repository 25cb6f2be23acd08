/* What a function needs is refused when it is missing: each pointer NULL, each canary set. */
#include "tests/contract/entry.h"
#include "tests/contract/ready.h"

#define MISSING(call) REFUSED(call, ARG, NULL_ARGUMENT)

/* f(arena, input, desc, result, err), without one of them. */
#define WITHOUT(f, input, desc, result) \
    MISSING(f(NULL, input, &(desc), result, &s.err)); \
    MISSING(f(&s.arena, NULL, &(desc), result, &s.err)); \
    MISSING(f(&s.arena, input, &(desc), NULL, &s.err))
#define WITHOUT_DESC(f, input, result) MISSING(f(&s.arena, input, NULL, result, &s.err))

/* The same with a desc that was not cleared, at either end. */
#define CANARIES(f, input, desc, result) \
    (desc).start_canary = 1u; \
    REFUSED(f(&s.arena, input, &(desc), result, &s.err), DESC, CANARY); \
    (desc).start_canary = 0u; \
    (desc).end_canary = 1u; \
    REFUSED(f(&s.arena, input, &(desc), result, &s.err), DESC, CANARY); \
    (desc).end_canary = 0u

static void test_split(void)
{
    ready s;
    entry_output out;
    gsp_topo_order_desc order = {0};
    gsp_split_subgraphs_desc subgraphs = {0};
    gsp_split_subgraphs_result subgraphs_result;
    gsp_split_by_tags_desc tags = {0};
    gsp_split_module_desc parts = {0};
    gsp_split_module_desc named = {0};
    gsp_str const no_name = {NULL, 3u};
    static const uint32_t of[4] = {GSP_NONE, 0u, 0u, GSP_NONE};
    ready_start(&s);
    WITHOUT(gsp_topo_order_run, &s.g, order, &out.topo_order);
    CANARIES(gsp_topo_order_run, &s.g, order, &out.topo_order);
    WITHOUT(gsp_split_subgraphs_run, &s.g, subgraphs, &subgraphs_result);
    CANARIES(gsp_split_subgraphs_run, &s.g, subgraphs, &subgraphs_result);
    MISSING(gsp_split_by_tags_run(&s.arena, &s.g, &tags, &out.split_by_tags, &s.err));
    tags.tag_of = of;
    tags.n_tags = 1u;
    MISSING(gsp_split_by_tags_run(&s.arena, &s.g, &tags, &out.split_by_tags, &s.err));
    tags.names = &no_name;
    REFUSED(
        gsp_split_by_tags_run(&s.arena, &s.g, &tags, &out.split_by_tags, &s.err), ARG, TAG_NAME);
    WITHOUT(gsp_split_module_run, &s.g, parts, &out.split_module);
    WITHOUT_DESC(gsp_split_module_run, &s.g, &out.split_module);
    CANARIES(gsp_split_module_run, &s.g, parts, &out.split_module);
    MISSING(gsp_split_module_run(&s.arena, &s.g, &parts, &out.split_module, &s.err));
    named.part_of = of;
    named.n_parts = 1u;
    named.names = &no_name;
    REFUSED(gsp_split_module_run(&s.arena, &s.g, &named, &out.split_module, &s.err), ARG, TAG_NAME);
    t_arena_close(&s.arena);
}

static int takes_all(void *user, const gsp_graph *graph, const gsp_bitset *set)
{
    (void)user;
    (void)graph;
    (void)set;
    return 0;
}

/* Without a result besides what is changed in place. */
#define WITHOUT_MOVED(f, desc) \
    MISSING(f(NULL, &s.g, &(desc), out.subgraph_of, NULL, &s.err)); \
    MISSING(f(&s.arena, NULL, &(desc), out.subgraph_of, NULL, &s.err)); \
    MISSING(f(&s.arena, &s.g, NULL, out.subgraph_of, NULL, &s.err)); \
    MISSING(f(&s.arena, &s.g, &(desc), NULL, NULL, &s.err))

static void test_adjust(void)
{
    ready s;
    entry_output out;
    gsp_move_non_tensor_desc move = {0};
    gsp_subgraph_grow_desc grow = {0};
    gsp_minimize_desc minimize = {0};
    gsp_preview_desc preview = {0};
    gsp_demote_desc demote = {0};
    gsp_limits_desc limits = {0};
    ready_start(&s);
    WITHOUT_MOVED(gsp_move_non_tensor_run, move);
    move.n_subgraphs = 1u;
    MISSING(gsp_move_non_tensor_run(&s.arena, &s.g, &move, out.subgraph_of, NULL, &s.err));
    WITHOUT_MOVED(gsp_subgraph_grow_run, grow);
    MISSING(gsp_subgraph_grow_run(&s.arena, &s.g, &grow, out.subgraph_of, NULL, &s.err));
    minimize.fails = takes_all;
    WITHOUT(gsp_minimize_run, &s.g, minimize, &out.minimized);
    WITHOUT_DESC(gsp_minimize_run, &s.g, &out.minimized);
    WITHOUT(gsp_signatures_run, &s.g, s.p, &out.signatures);
    MISSING(gsp_signature_write(NULL, 0u, t_sink, NULL, &s.err));
    MISSING(gsp_signature_write(&s.g, 0u, NULL, NULL, &s.err));
    MISSING(gsp_preview_run(NULL, &s.g, &s.split, &preview, &out.preview, &s.err));
    MISSING(gsp_preview_run(&s.arena, NULL, &s.split, &preview, &out.preview, &s.err));
    MISSING(gsp_preview_run(&s.arena, &s.g, NULL, &preview, &out.preview, &s.err));
    MISSING(gsp_preview_run(&s.arena, &s.g, &s.split, &preview, NULL, &s.err));
    WITHOUT(gsp_demote_run, &s.g, demote, &out.demote);
    WITHOUT_DESC(gsp_demote_run, &s.g, &out.demote);
    CANARIES(gsp_demote_run, &s.g, demote, &out.demote);
    WITHOUT(gsp_limits_run, &s.g, limits, &out.limits);
    WITHOUT_DESC(gsp_limits_run, &s.g, &out.limits);
    CANARIES(gsp_limits_run, &s.g, limits, &out.limits);
    t_arena_close(&s.arena);
}

/* Operators to support, with a split and its placement. */
static void test_operators(void)
{
    ready s;
    entry_output out;
    static uint32_t const of[4] = {0};
    gsp_split_desc split = {0};
    gsp_placement unplaced = {0};
    gsp_operators_desc d = {0};
    ready_start(&s);
    WITHOUT(gsp_operators_run, &s.g, d, &out.operators);
    WITHOUT_DESC(gsp_operators_run, &s.g, &out.operators);
    MISSING(gsp_operators_run(&s.arena, &s.g, &d, &out.operators, &s.err));
    T_EQUAL(gsp_operators_bound(&s.g, NULL), SIZE_MAX);
    T_EQUAL(gsp_operators_bound(&s.g, &d), SIZE_MAX);
    T_EQUAL(gsp_operators_split_bound(&s.g, NULL), SIZE_MAX);
    T_EQUAL(gsp_operators_split_bound(&s.g, &d), SIZE_MAX);
    d.split = &split;
    MISSING(gsp_operators_run(&s.arena, &s.g, &d, &out.operators, &s.err));
    split.placement = &unplaced;
    MISSING(gsp_operators_run(&s.arena, &s.g, &d, &out.operators, &s.err));
    split.placement = &s.p;
    MISSING(gsp_operators_run(&s.arena, &s.g, &d, &out.operators, &s.err));
    MISSING(gsp_operators_split_run(&s.arena, &s.g, &d, NULL, 0u, &out.split, &s.err));
    d.operator_of = of;
    d.n_operators = 1u;
    CANARIES(gsp_operators_run, &s.g, d, &out.operators);
    MISSING(gsp_operators_split_run(&s.arena, &s.g, &d, NULL, 1u, &out.split, &s.err));
    t_arena_close(&s.arena);
}

/* Two assignments; of no items they need no parts. */
static void test_compare(void)
{
    ready s;
    entry_output out;
    static uint32_t const of[4] = {0};
    gsp_compare_desc d = {0};
    ready_start(&s);
    T_EQUAL(gsp_compare_bound(NULL), SIZE_MAX);
    MISSING(gsp_compare_run(NULL, &d, &out.compared, &s.err));
    MISSING(gsp_compare_run(&s.arena, NULL, &out.compared, &s.err));
    MISSING(gsp_compare_run(&s.arena, &d, NULL, &s.err));
    d.n_items = 4u;
    d.n_parts[0] = d.n_parts[1] = 1u;
    for (uint32_t k = 0; k < 2u; k++) {
        MISSING(gsp_compare_run(&s.arena, &d, &out.compared, &s.err));
        d.part_of[k] = of;
    }
    d.start_canary = 1u;
    REFUSED(gsp_compare_run(&s.arena, &d, &out.compared, &s.err), DESC, CANARY);
    d.start_canary = 0u;
    d.end_canary = 1u;
    REFUSED(gsp_compare_run(&s.arena, &d, &out.compared, &s.err), DESC, CANARY);
    memset(&d, 0, sizeof(d)); /* nothing is compared with nothing */
    T_EQUAL(gsp_compare_run(&s.arena, &d, &out.compared, &s.err), GSP_OK);
    t_arena_close(&s.arena);
}

static void test_min_cut(void)
{
    ready s;
    entry_output out;
    gsp_cut_arc const arc = {3u, 0u, 0u, 1u};
    gsp_cut_arc const nowhere = {3u, 0u, 0u, 2u};
    gsp_min_cut_desc desc = {0};
    ready_start(&s);
    desc.n_nodes = 2u;
    MISSING(gsp_min_cut_run(NULL, &desc, &out.min_cut, &s.err));
    MISSING(gsp_min_cut_run(&s.arena, NULL, &out.min_cut, &s.err));
    MISSING(gsp_min_cut_run(&s.arena, &desc, NULL, &s.err));
    desc.end_canary = 1u;
    REFUSED(gsp_min_cut_run(&s.arena, &desc, &out.min_cut, &s.err), DESC, CANARY);
    desc.end_canary = 0u;
    desc.start_canary = 1u;
    REFUSED(gsp_min_cut_run(&s.arena, &desc, &out.min_cut, &s.err), DESC, CANARY);
    desc.start_canary = 0u;
    desc.n_arcs = 1u;
    MISSING(gsp_min_cut_run(&s.arena, &desc, &out.min_cut, &s.err));
    desc.arcs = &nowhere;
    REFUSED(gsp_min_cut_run(&s.arena, &desc, &out.min_cut, &s.err), ARG, RANGE);
    desc.arcs = &arc;
    desc.n_arcs = GSP_NONE / 2u;
    T_EQUAL(gsp_min_cut_bound(&desc), SIZE_MAX);
    desc.n_arcs = 1u;
    T_EQUAL(gsp_min_cut_run(&s.arena, &desc, &out.min_cut, &s.err), GSP_OK);
    T_EQUAL(out.min_cut.value, 3);
    t_arena_close(&s.arena);
}

static void test_offload(void)
{
    ready s;
    entry_output out;
    gsp_offload_desc desc = {0};
    static const uint8_t kind[ENTRY_NODES] = {0};
    static const uint64_t ticks[ENTRY_NODES] = {0};
    ready_start(&s);
    MISSING(gsp_network_init(NULL, 1u, &out.network, &s.err));
    MISSING(gsp_network_init(&s.arena, 1u, NULL, &s.err));
    WITHOUT(gsp_offload_run, &s.g, desc, &out.offload);
    WITHOUT_DESC(gsp_offload_run, &s.g, &out.offload);
    CANARIES(gsp_offload_run, &s.g, desc, &out.offload);
    MISSING(gsp_offload_run(&s.arena, &s.g, &desc, &out.offload, &s.err));
    desc.kind = kind;
    MISSING(gsp_offload_run(&s.arena, &s.g, &desc, &out.offload, &s.err));
    desc.cpu = ticks;
    MISSING(gsp_offload_run(&s.arena, &s.g, &desc, &out.offload, &s.err));
    desc.acc = ticks;
    T_EQUAL(gsp_offload_run(&s.arena, &s.g, &desc, &out.offload, &s.err), GSP_OK);
    t_arena_close(&s.arena);
}

/* Each family of several kinds. */
#define SIDES(f, result) \
    { \
        gsp_sides_desc desc = {0}; \
        const uint8_t *cans[1] = {NULL}; \
        const uint64_t *columns[1] = {NULL}; \
        const uint8_t *starts[1] = {NULL}; \
        WITHOUT(f, &s.g, desc, result); \
        WITHOUT_DESC(f, &s.g, result); \
        CANARIES(f, &s.g, desc, result); \
        desc.n_kinds = 1u; \
        MISSING(f(&s.arena, &s.g, &desc, result, &s.err)); \
        desc.can = cans; \
        MISSING(f(&s.arena, &s.g, &desc, result, &s.err)); \
        desc.ticks = columns; \
        MISSING(f(&s.arena, &s.g, &desc, result, &s.err)); \
        cans[0] = kind; \
        MISSING(f(&s.arena, &s.g, &desc, result, &s.err)); \
        columns[0] = ticks; \
        desc.n_starts = 1u; \
        MISSING(f(&s.arena, &s.g, &desc, result, &s.err)); \
        desc.starts = starts; \
        MISSING(f(&s.arena, &s.g, &desc, result, &s.err)); \
    }

static void test_sides(void)
{
    ready s;
    entry_output out;
    static const uint8_t kind[ENTRY_NODES] = {0};
    static const uint64_t ticks[ENTRY_NODES] = {0};
    ready_start(&s);
    SIDES(gsp_sides_run, &out.sides);
    SIDES(gsp_overlap_run, &out.overlap);
    t_arena_close(&s.arena);
}

static void test_schedule(void)
{
    ready s;
    entry_output out;
    gsp_schedule_desc desc = {0};
    ready_start(&s);
    MISSING(gsp_schedule_run(NULL, &desc, &out.schedule, &s.err));
    MISSING(gsp_schedule_run(&s.arena, &desc, NULL, &s.err));
    desc.start_canary = 1u;
    REFUSED(gsp_schedule_run(&s.arena, &desc, &out.schedule, &s.err), DESC, CANARY);
    desc.start_canary = 0u;
    desc.end_canary = 1u;
    REFUSED(gsp_schedule_run(&s.arena, &desc, &out.schedule, &s.err), DESC, CANARY);
    desc.end_canary = 0u;
    MISSING(gsp_actions_run(NULL, &desc, &out.actions, &s.err));
    MISSING(gsp_actions_run(&s.arena, &desc, NULL, &s.err));
    desc.start_canary = 1u;
    REFUSED(gsp_actions_run(&s.arena, &desc, &out.actions, &s.err), DESC, CANARY);
    desc.start_canary = 0u;
    desc.end_canary = 1u;
    REFUSED(gsp_actions_run(&s.arena, &desc, &out.actions, &s.err), DESC, CANARY);
    desc.end_canary = 0u;
    T_EQUAL(gsp_schedule_run(&s.arena, &desc, &out.schedule, &s.err), GSP_OK);
    T_EQUAL(gsp_actions_run(&s.arena, &desc, &out.actions, &s.err), GSP_OK);
    t_arena_close(&s.arena);
}

static void test_least_peak(void)
{
    ready s;
    entry_output out;
    gsp_tasks_desc tasks = {0};
    gsp_least_peak_desc desc = {0};
    gsp_tradeoff_desc curve = {0};
    ready_start(&s);
    WITHOUT(gsp_tasks_run, &s.g, tasks, &out.tasks);
    CANARIES(gsp_tasks_run, &s.g, tasks, &out.tasks);
    T_EQUAL(gsp_tasks_run(&s.arena, &s.g, &tasks, &out.tasks, &s.err), GSP_OK);
    s.mark = gsp_arena_mark(&s.arena);
    WITHOUT(gsp_least_peak_run, &out.tasks, desc, &out.least_peak);
    CANARIES(gsp_least_peak_run, &out.tasks, desc, &out.least_peak);
    WITHOUT(gsp_tradeoff_run, &out.tasks, curve, &out.tradeoff);
    WITHOUT_DESC(gsp_tradeoff_run, &out.tasks, &out.tradeoff);
    CANARIES(gsp_tradeoff_run, &out.tasks, curve, &out.tradeoff);
    MISSING(gsp_tradeoff_run(&s.arena, &out.tasks, &curve, &out.tradeoff, &s.err));
    t_arena_close(&s.arena);
}

static void test_traffic(void)
{
    ready s;
    entry_output out;
    gsp_traffic_desc desc = {0};
    static const uint8_t kind[ENTRY_NODES] = {0};
    ready_start(&s);
    WITHOUT(gsp_traffic_run, &s.g, desc, &out.traffic);
    WITHOUT_DESC(gsp_traffic_run, &s.g, &out.traffic);
    CANARIES(gsp_traffic_run, &s.g, desc, &out.traffic);
    MISSING(gsp_traffic_run(&s.arena, &s.g, &desc, &out.traffic, &s.err));
    desc.kind = kind;
    desc.max_arcs = 1u;
    T_EQUAL(gsp_traffic_run(&s.arena, &s.g, &desc, &out.traffic, &s.err), GSP_OK);
    t_arena_close(&s.arena);
}

static void test_heft(void)
{
    ready s;
    entry_output out;
    gsp_heft_desc desc = {0};
    gsp_device const device = {{"d", 1u}, 100u, 0u};
    ready_start(&s);
    WITHOUT(gsp_heft_run, &s.g, desc, &out.heft);
    WITHOUT_DESC(gsp_heft_run, &s.g, &out.heft);
    CANARIES(gsp_heft_run, &s.g, desc, &out.heft);
    MISSING(gsp_heft_run(&s.arena, &s.g, &desc, &out.heft, &s.err));
    desc.devices = &device;
    desc.max_states = 1u;
    REFUSED(gsp_heft_run(&s.arena, &s.g, &desc, &out.heft, &s.err), ARG, DEVICES);
    desc.n_starts = 1u;
    MISSING(gsp_heft_run(&s.arena, &s.g, &desc, &out.heft, &s.err));
    T_STRING(s.err.field, "starts");
    desc.n_starts = 0u;
    desc.any = 1u;
    REFUSED(gsp_heft_run(&s.arena, &s.g, &desc, &out.heft, &s.err), ARG, DEVICES);
    desc.n_devices = 1u;
    T_EQUAL(gsp_heft_run(&s.arena, &s.g, &desc, &out.heft, &s.err), GSP_OK);
    t_arena_close(&s.arena);
}

static void test_devices(void)
{
    ready s;
    entry_output out;
    gsp_latency_desc latency = {0};
    gsp_partition_desc partition = {0};
    gsp_score_desc score = {0};
    gsp_kway_desc kway = {0};
#ifndef GSP_NO_COST
    gsp_kway_floor_desc floor = {0};
#endif
    gsp_device const devices[1] = {{{"npu", 3u}, 1024u, 0u}};
    static const uint32_t part_of[4] = {0u, 0u, 0u, 0u};
    ready_start(&s);
    WITHOUT(gsp_latency_run, &s.g, latency, &out.latency);
    WITHOUT_DESC(gsp_latency_run, &s.g, &out.latency);
    CANARIES(gsp_latency_run, &s.g, latency, &out.latency);
    WITHOUT(gsp_assign_run, &s.g, partition, &out.assignment);
    WITHOUT_DESC(gsp_assign_run, &s.g, &out.assignment);
    CANARIES(gsp_assign_run, &s.g, partition, &out.assignment);
    partition.n_devices = 1u;
    MISSING(gsp_assign_run(&s.arena, &s.g, &partition, &out.assignment, &s.err));
    partition.n_devices = 0u;
    partition.n_part_devices = 1u;
    MISSING(gsp_assign_run(&s.arena, &s.g, &partition, &out.assignment, &s.err));
    partition.n_part_devices = 0u;
    partition.mode = GSP_PARTITION_AOT;
    MISSING(gsp_partition_run(&s.arena, &s.g, &partition, &out.partition, &s.err));
    partition.part_of = part_of;
    partition.devices = devices;
    partition.n_devices = 1u;
    REFUSED(gsp_assign_run(&s.arena, &s.g, &partition, &out.assignment, &s.err), DESC, CHOICE);
    WITHOUT(gsp_score_run, &s.g, score, &out.score);
    WITHOUT_DESC(gsp_score_run, &s.g, &out.score);
    CANARIES(gsp_score_run, &s.g, score, &out.score);
    MISSING(gsp_score_move(NULL, &score, &out.score, 0u, 0u, &s.err));
    MISSING(gsp_score_move(&s.g, NULL, &out.score, 0u, 0u, &s.err));
    MISSING(gsp_score_move(&s.g, &score, NULL, 0u, 0u, &s.err));
    WITHOUT(gsp_kway_run, &s.g, kway, &out.kway);
    WITHOUT_DESC(gsp_kway_run, &s.g, &out.kway);
    CANARIES(gsp_kway_run, &s.g, kway, &out.kway);
#ifndef GSP_NO_COST
    WITHOUT(gsp_kway_floor_run, &s.g, floor, &out.floor);
    WITHOUT_DESC(gsp_kway_floor_run, &s.g, &out.floor);
    CANARIES(gsp_kway_floor_run, &s.g, floor, &out.floor);
#endif
    t_arena_close(&s.arena);
}

static void test_stages(void)
{
    ready s;
    entry_output out;
    gsp_costs_desc costs = {0};
    gsp_stages_even_desc even = {0};
    gsp_stage_costs_desc stages = {0};
    gsp_stages_optimal_desc optimal = {0};
    gsp_stages_unequal_desc unequal = {0};
    gsp_stages_from_marks_desc marks = {0};
    static const uint32_t of[4] = {0u, 0u, 0u, 0u};
    ready_start(&s);
    WITHOUT(gsp_costs_run, &s.g, costs, &out.costs);
    CANARIES(gsp_costs_run, &s.g, costs, &out.costs);
    WITHOUT(gsp_stages_even_run, &s.g, even, &out.stages_even);
    CANARIES(gsp_stages_even_run, &s.g, even, &out.stages_even);
    WITHOUT(gsp_stage_costs_run, &s.g, stages, &out.stage_costs);
    CANARIES(gsp_stage_costs_run, &s.g, stages, &out.stage_costs);
    stages.stage_of = of;
    MISSING(gsp_stage_costs_run(&s.arena, &s.g, &stages, &out.stage_costs, &s.err));
    memset(&out.costs, 0, sizeof(out.costs));
    stages.stage_of = NULL;
    stages.model.costs = &out.costs;
    MISSING(gsp_stage_costs_run(&s.arena, &s.g, &stages, &out.stage_costs, &s.err));
    WITHOUT(gsp_stages_optimal_run, &s.g, optimal, &out.stages_optimal);
    CANARIES(gsp_stages_optimal_run, &s.g, optimal, &out.stages_optimal);
    WITHOUT(gsp_stages_unequal_run, &s.g, unequal, &out.stages_unequal);
    CANARIES(gsp_stages_unequal_run, &s.g, unequal, &out.stages_unequal);
    unequal.costs = &out.costs;
    unequal.n_devices = 1u;
    MISSING(gsp_stages_unequal_run(&s.arena, &s.g, &unequal, &out.stages_unequal, &s.err));
    WITHOUT(gsp_stages_from_marks_run, &s.g, marks, &out.stages_from_marks);
    CANARIES(gsp_stages_from_marks_run, &s.g, marks, &out.stages_from_marks);
    marks.n_points = 1u;
    MISSING(gsp_stages_from_marks_run(&s.arena, &s.g, &marks, &out.stages_from_marks, &s.err));
    t_arena_close(&s.arena);
}

/* Units have rows and weights; a canary is no default. */
static void test_downsets(void)
{
    ready s;
    entry_output out;
    static uint32_t const begin[] = {0, 1};
    static uint32_t const at[] = {0};
    gsp_downsets_weight const weight = {0};
    gsp_downsets_units u = {0};
    gsp_downsets_desc d = {0};
    ready_start(&s);
    WITHOUT(gsp_downsets_run, &u, d, &out.downsets);
    CANARIES(gsp_downsets_run, &u, d, &out.downsets);
    u.n = u.n_values = 1u;
    MISSING(gsp_downsets_run(&s.arena, &u, &d, &out.downsets, &s.err));
    u.after.begin = begin;
    MISSING(gsp_downsets_run(&s.arena, &u, &d, &out.downsets, &s.err));
    u.after.at = at;
    MISSING(gsp_downsets_run(&s.arena, &u, &d, &out.downsets, &s.err));
    u.values.begin = begin;
    MISSING(gsp_downsets_run(&s.arena, &u, &d, &out.downsets, &s.err));
    u.values.at = at;
    MISSING(gsp_downsets_run(&s.arena, &u, &d, &out.downsets, &s.err));
    u.own = &weight;
    MISSING(gsp_downsets_run(&s.arena, &u, &d, &out.downsets, &s.err));
    T_EQUAL(gsp_downsets_bound(&u, &d), SIZE_MAX);
    t_arena_close(&s.arena);
}

/* Units of a graph need items and moves that are counted. */
static void test_downsets_graph(void)
{
    ready s;
    entry_output out;
    static uint32_t const begin[] = {0, 0, 1, 1, 1};
    static uint32_t const at[] = {0};
    static gsp_downsets_weight const item = {0, 0, 0, 0, 0, 0, 0, 0};
    gsp_downsets_graph_desc d = {0};
    ready_start(&s);
    WITHOUT(gsp_downsets_graph_run, &s.g, d, &out.downsets_graph);
    CANARIES(gsp_downsets_graph_run, &s.g, d, &out.downsets_graph);
    d.n_items = 1u;
    MISSING(gsp_downsets_graph_run(&s.arena, &s.g, &d, &out.downsets_graph, &s.err));
    d.items = &item;
    d.reads.begin = begin;
    MISSING(gsp_downsets_graph_run(&s.arena, &s.g, &d, &out.downsets_graph, &s.err));
    d.reads.at = at;
    d.move_begin = begin;
    MISSING(gsp_downsets_graph_run(&s.arena, &s.g, &d, &out.downsets_graph, &s.err));
    t_arena_close(&s.arena);
}

/* Groups of equal regions are looked for in a graph with its regions. */
static void test_repeats(void)
{
    ready s;
    entry_output out;
    gsp_regions regions;
    gsp_repeats_desc d = {0};
    ready_start(&s);
    T_EQUAL(gsp_regions_run(&s.arena, &s.g, NULL, &regions, &s.err), GSP_OK);
    s.mark = gsp_arena_mark(&s.arena);
    MISSING(gsp_repeats_run(NULL, &s.g, &regions, &d, &out.repeats, &s.err));
    MISSING(gsp_repeats_run(&s.arena, NULL, &regions, &d, &out.repeats, &s.err));
    MISSING(gsp_repeats_run(&s.arena, &s.g, NULL, &d, &out.repeats, &s.err));
    MISSING(gsp_repeats_run(&s.arena, &s.g, &regions, &d, NULL, &s.err));
    d.start_canary = 1u;
    REFUSED(gsp_repeats_run(&s.arena, &s.g, &regions, &d, &out.repeats, &s.err), DESC, CANARY);
    d.start_canary = 0u;
    d.end_canary = 1u;
    REFUSED(gsp_repeats_run(&s.arena, &s.g, &regions, &d, &out.repeats, &s.err), DESC, CANARY);
    t_arena_close(&s.arena);
}

static void test_pipeline(void)
{
    ready s;
    entry_output out;
    gsp_stage_params_desc hold = {0};
    gsp_pipeline_desc pipe = {0};
    gsp_pipeline_result piped;
    gsp_backward_desc backward = {0};
    gsp_stage_devices_desc devices = {0};
    gsp_stage_device device = {0};
    gsp_graph empty;
    static const uint32_t of[4] = {0u, 0u, 0u, 0u};
    ready_start(&s);
    memset(&piped, 0, sizeof(piped));
    empty = gsp_module_graph(&s.m, GSP_NONE);
    WITHOUT(gsp_stage_params_run, &s.g, hold, &out.stage_params);
    CANARIES(gsp_stage_params_run, &s.g, hold, &out.stage_params);
    MISSING(gsp_stage_params_run(&s.arena, &s.g, &hold, &out.stage_params, &s.err));
    hold.stage_of = of;
    hold.n_uses = 1u;
    MISSING(gsp_stage_params_run(&s.arena, &s.g, &hold, &out.stage_params, &s.err));
    WITHOUT(gsp_pipeline_run, &s.g, pipe, &piped);
    REFUSED(gsp_pipeline_run(&s.arena, &empty, &pipe, &piped, &s.err), ARG, RANGE);
    CANARIES(gsp_pipeline_run, &s.g, pipe, &piped);
    WITHOUT(gsp_backward_run, &piped, backward, &out.backward);
    CANARIES(gsp_backward_run, &piped, backward, &out.backward);
    backward.spec.size = 4u;
    MISSING(gsp_backward_run(&s.arena, &piped, &backward, &out.backward, &s.err));
    backward.spec = gsp_str_of("True");
    piped.n_stages = 1u;
    MISSING(gsp_backward_run(&s.arena, &piped, &backward, &out.backward, &s.err));
    WITHOUT(gsp_stage_devices_run, &s.m, devices, &out.moved);
    CANARIES(gsp_stage_devices_run, &s.m, devices, &out.moved);
    devices.n_devices = 1u;
    MISSING(gsp_stage_devices_run(&s.arena, &s.m, &devices, &out.moved, &s.err));
    MISSING(gsp_stage_extract_run(NULL, &s.m, 0u, &out.moved, &s.err));
    MISSING(gsp_stage_extract_run(&s.arena, NULL, 0u, &out.moved, &s.err));
    MISSING(gsp_stage_extract_run(&s.arena, &s.m, 0u, NULL, &s.err));
    pipe.params.stage_of = of;
    T_EQUAL(gsp_pipeline_run(&s.arena, &s.g, &pipe, &piped, &s.err), GSP_OK);
    s.mark = gsp_arena_mark(&s.arena);
    device.device.size = 3u;
    devices.devices = &device;
    devices.n_stages = 1u;
    MISSING(gsp_stage_devices_run(&s.arena, &piped.module, &devices, &out.moved, &s.err));
    t_arena_close(&s.arena);
}

static void test_memory(void)
{
    ready s;
    entry_output out;
    gsp_liveness_desc liveness = {0};
    gsp_memory_plan_desc plan = {0};
    gsp_memory_pack_desc pack = {0};
    gsp_memory_check_desc check = {0};
    gsp_split_by_memory_desc budget = {0};
    gsp_exec_plan exec_plan;
    gsp_exec_desc exec = {0};
    gsp_value value = 0;
    ready_start(&s);
    memset(&exec_plan, 0, sizeof(exec_plan));
    CANARIES(gsp_liveness_run, &s.g, liveness, &out.liveness);
    CANARIES(gsp_memory_plan_run, &s.g, plan, &out.memory_plan);
    pack.start_canary = 1u;
    REFUSED(gsp_memory_pack_run(&s.arena, NULL, 0u, &pack, &out.memory_pack, &s.err), DESC, CANARY);
    pack.start_canary = 0u;
    pack.end_canary = 1u;
    REFUSED(gsp_memory_pack_run(&s.arena, NULL, 0u, &pack, &out.memory_pack, &s.err), DESC, CANARY);
    check.start_canary = 1u;
    REFUSED(gsp_memory_check_run(&s.arena, NULL, 0u, &check, &s.err), DESC, CANARY);
    check.start_canary = 0u;
    check.end_canary = 1u;
    REFUSED(gsp_memory_check_run(&s.arena, NULL, 0u, &check, &s.err), DESC, CANARY);
    CANARIES(gsp_split_by_memory_run, &s.g, budget, &out.split_by_memory);
    exec_plan.n_inputs = 1u;
    MISSING(gsp_exec_run(&s.arena, &exec_plan, &exec, NULL, NULL, &s.err));
    MISSING(gsp_exec_run(&s.arena, &exec_plan, NULL, &value, NULL, &s.err));
    exec_plan.n_outputs = 1u;
    MISSING(gsp_exec_run(&s.arena, &exec_plan, &exec, &value, NULL, &s.err));
    exec.start_canary = 1u;
    REFUSED(gsp_exec_run(&s.arena, &exec_plan, &exec, &value, &value, &s.err), DESC, CANARY);
    exec.start_canary = 0u;
    exec.end_canary = 1u;
    REFUSED(gsp_exec_run(&s.arena, &exec_plan, &exec, &value, &value, &s.err), DESC, CANARY);
    t_arena_close(&s.arena);
}

static void test_memories(void)
{
    ready s;
    entry_output out;
    gsp_memories_desc d = {0};
    ready_start(&s);
    MISSING(gsp_memories_run(NULL, &d, &out.memories, &s.err));
    MISSING(gsp_memories_run(&s.arena, NULL, &out.memories, &s.err));
    MISSING(gsp_memories_run(&s.arena, &d, NULL, &s.err));
    d.start_canary = 1u;
    REFUSED(gsp_memories_run(&s.arena, &d, &out.memories, &s.err), DESC, CANARY);
    d.start_canary = 0u;
    d.end_canary = 1u;
    REFUSED(gsp_memories_run(&s.arena, &d, &out.memories, &s.err), DESC, CANARY);
    d.end_canary = 0u;
    d.n_tensors = 1u;
    MISSING(gsp_memories_run(&s.arena, &d, &out.memories, &s.err));
    d.n_tensors = 0u;
    d.n_memories = 1u;
    MISSING(gsp_memories_run(&s.arena, &d, &out.memories, &s.err));
    t_arena_close(&s.arena);
}

static void test_intervals(void)
{
    ready s;
    entry_output out;
    gsp_intervals_desc d = {0};
    ready_start(&s);
    MISSING(gsp_intervals_peak_run(NULL, NULL, 0, &out.intervals_peak, &s.err));
    MISSING(gsp_intervals_peak_run(&s.arena, NULL, 1, &out.intervals_peak, &s.err));
    MISSING(gsp_intervals_peak_run(&s.arena, NULL, 0, NULL, &s.err));
    MISSING(gsp_intervals_fit_run(NULL, &d, &out.intervals_fit, &s.err));
    MISSING(gsp_intervals_fit_run(&s.arena, NULL, &out.intervals_fit, &s.err));
    MISSING(gsp_intervals_fit_run(&s.arena, &d, NULL, &s.err));
    MISSING(gsp_intervals_run(NULL, &d, &out.intervals, &s.err));
    MISSING(gsp_intervals_run(&s.arena, NULL, &out.intervals, &s.err));
    MISSING(gsp_intervals_run(&s.arena, &d, NULL, &s.err));
    MISSING(gsp_intervals_misfit_run(NULL, &d, &out.intervals_misfit, &s.err));
    MISSING(gsp_intervals_misfit_run(&s.arena, NULL, &out.intervals_misfit, &s.err));
    MISSING(gsp_intervals_misfit_run(&s.arena, &d, NULL, &s.err));
    d.start_canary = 1u;
    REFUSED(gsp_intervals_run(&s.arena, &d, &out.intervals, &s.err), DESC, CANARY);
    d.start_canary = 0u;
    d.end_canary = 1u;
    REFUSED(gsp_intervals_run(&s.arena, &d, &out.intervals, &s.err), DESC, CANARY);
    d.end_canary = 0u;
    d.n_tensors = 1u;
    MISSING(gsp_intervals_run(&s.arena, &d, &out.intervals, &s.err));
    d.n_tensors = 0u;
    d.n_together = 1u;
    MISSING(gsp_intervals_run(&s.arena, &d, &out.intervals, &s.err));
    d.n_together = 0u;
    d.n_apart = 1u;
    MISSING(gsp_intervals_run(&s.arena, &d, &out.intervals, &s.err));
    t_arena_close(&s.arena);
}

static void test_prefetch(void)
{
    ready s;
    entry_output out;
    gsp_prefetch_desc d = {0};
    uint64_t const one = 1;
    uint32_t const none = 0;
    ready_start(&s);
    MISSING(gsp_prefetch_run(NULL, &d, &out.prefetch, &s.err));
    MISSING(gsp_prefetch_run(&s.arena, NULL, &out.prefetch, &s.err));
    MISSING(gsp_prefetch_run(&s.arena, &d, NULL, &s.err));
    MISSING(gsp_prefetch_check(NULL, &one, &s.err));
    d.start_canary = 1u;
    REFUSED(gsp_prefetch_run(&s.arena, &d, &out.prefetch, &s.err), DESC, CANARY);
    REFUSED(gsp_prefetch_check(&d, &one, &s.err), DESC, CANARY);
    d.start_canary = 0u;
    d.end_canary = 1u;
    REFUSED(gsp_prefetch_run(&s.arena, &d, &out.prefetch, &s.err), DESC, CANARY);
    d.end_canary = 0u;
    d.n_steps = d.n_copies = 1u;
    MISSING(gsp_prefetch_check(&d, NULL, &s.err));
    MISSING(gsp_prefetch_run(&s.arena, &d, &out.prefetch, &s.err));
    d.times = &one;
    MISSING(gsp_prefetch_run(&s.arena, &d, &out.prefetch, &s.err));
    d.uses = &none;
    MISSING(gsp_prefetch_run(&s.arena, &d, &out.prefetch, &s.err));
    d.bytes = &one;
    MISSING(gsp_prefetch_run(&s.arena, &d, &out.prefetch, &s.err));
    t_arena_close(&s.arena);
}

static void test_tiles(void)
{
    ready s;
    entry_output out;
    gsp_tiles_graph g = {0};
    gsp_tiles_desc d = {0};
    gsp_tile_region r = {0};
    gsp_tile_op const op = {0};
    gsp_tile_value const value = {0};
    uint32_t const in = 0;
    ready_start(&s);
    WITHOUT(gsp_tiles_run, &g, d, &out.tiles);
    WITHOUT(gsp_tile_plan_run, &g, r, &out.tile_plan);
    WITHOUT(gsp_tile_rows_run, &g, r, &out.tile_rows);
    MISSING(gsp_tile_plan_run(&s.arena, &g, NULL, &out.tile_plan, &s.err));
    MISSING(gsp_tile_rows_run(&s.arena, &g, NULL, &out.tile_rows, &s.err));
    MISSING(gsp_tile_region_run(NULL, &r, &s.err));
    MISSING(gsp_tile_region_run(&g, NULL, &s.err));
    g.n = g.n_ins = g.n_tensors = 1u;
    MISSING(gsp_tile_region_run(&g, &r, &s.err));
    g.ops = &op;
    MISSING(gsp_tile_region_run(&g, &r, &s.err));
    g.values = &value;
    MISSING(gsp_tile_region_run(&g, &r, &s.err));
    g.ins = &in;
    MISSING(gsp_tile_region_run(&g, &r, &s.err));
    g.n = g.n_ins = g.n_tensors = 0u;
    g.stream = GSP_NONE;
    d.start_canary = 1u;
    REFUSED(gsp_tiles_run(&s.arena, &g, &d, &out.tiles, &s.err), DESC, CANARY);
    d.start_canary = 0u;
    d.end_canary = 1u;
    REFUSED(gsp_tiles_run(&s.arena, &g, &d, &out.tiles, &s.err), DESC, CANARY);
    t_arena_close(&s.arena);
}

/* Clusters are drawn from four arrays. */
static void without_cluster_array(ready *t, gsp_draw_desc desc, int line)
{
    ready_refused(t, gsp_draw_graph(&t->g, &desc, t_sink, NULL, &t->err), GSP_STATUS_ARG,
        GSP_DETAIL_NULL_ARGUMENT, "gsp_draw_graph", __FILE__, line);
}

static void test_looks(void)
{
    ready s;
    gsp_support_desc support = {0};
    gsp_why why;
    gsp_counts counts;
    gsp_draw_desc draw = {0};
    gsp_draw_desc bare;
    gsp_arg const arg = {0, 0};
    static const uint32_t begin[2] = {0u, 0u};
    gsp_str const names[1] = {{"c", 1u}};
    ready_start(&s);
    MISSING(gsp_text_count(NULL, 0u, NULL, &s.err));
    T_EQUAL(gsp_text_count(NULL, 0u, &counts, &s.err), GSP_OK);
    T_EQUAL(counts.nodes, 0);
    MISSING(gsp_text_write_value(NULL, &arg, 1u, 0, t_sink, NULL, &s.err));
    MISSING(gsp_text_write_value(&s.g, &arg, 1u, 0, NULL, NULL, &s.err));
    MISSING(gsp_text_write_value(&s.g, NULL, 1u, 0, t_sink, NULL, &s.err));
    T_EQUAL(gsp_text_write_value(&s.g, NULL, 0u, 0, t_sink, NULL, &s.err), GSP_OK);
    MISSING(gsp_support_why(NULL, &support, 1u, 1u, &why, &s.err));
    MISSING(gsp_support_why(&s.g, &support, 1u, 1u, NULL, &s.err));
    support.n_accelerators = 1u;
    MISSING(gsp_support_run(&s.arena, &s.g, &support, &s.p, &s.err));
    MISSING(gsp_support_why(&s.g, &support, 1u, 1u, &why, &s.err));
    support.n_accelerators = 0u;
    support.n_pins = 1u;
    MISSING(gsp_support_run(&s.arena, &s.g, &support, &s.p, &s.err));
    MISSING(gsp_draw_module(NULL, &s.m, NULL, t_sink, NULL, &s.err));
    MISSING(gsp_draw_module(&s.arena, NULL, NULL, t_sink, NULL, &s.err));
    MISSING(gsp_draw_module(&s.arena, &s.m, NULL, NULL, NULL, &s.err));
    draw.n_clusters = 1u;
    draw.cluster_of = begin;
    draw.cluster_begin = begin;
    draw.cluster_nodes = begin;
    draw.cluster_names = names;
    bare = draw;
    bare.cluster_of = NULL;
    without_cluster_array(&s, bare, __LINE__);
    bare = draw;
    bare.cluster_begin = NULL;
    without_cluster_array(&s, bare, __LINE__);
    bare = draw;
    bare.cluster_nodes = NULL;
    without_cluster_array(&s, bare, __LINE__);
    bare = draw;
    bare.cluster_names = NULL;
    without_cluster_array(&s, bare, __LINE__);
    t_arena_close(&s.arena);
}

void suite_contract_given(void)
{
    t_run("split", test_split);
    t_run("adjust", test_adjust);
    t_run("min_cut", test_min_cut);
    t_run("offload", test_offload);
    t_run("sides", test_sides);
    t_run("least_peak", test_least_peak);
    t_run("traffic", test_traffic);
    t_run("heft", test_heft);
    t_run("schedule", test_schedule);
    t_run("devices", test_devices);
    t_run("stages", test_stages);
    t_run("pipeline", test_pipeline);
    t_run("memory", test_memory);
    t_run("memories", test_memories);
    t_run("intervals", test_intervals);
    t_run("prefetch", test_prefetch);
    t_run("tiles", test_tiles);
    t_run("downsets", test_downsets);
    t_run("downsets_graph", test_downsets_graph);
    t_run("repeats", test_repeats);
    t_run("operators", test_operators);
    t_run("compare", test_compare);
    t_run("looks", test_looks);
}
