/* Counts near 2^32: a bound says a huge number or SIZE_MAX, and never wraps around to a small
 * one. */
#include "examples/extra/graphsplit_kway.h"
#include "examples/extra/graphsplit_compare.h"
#include "examples/extra/graphsplit_devices.h"
#include "examples/extra/graphsplit_downsets.h"
#include "examples/extra/graphsplit_heft.h"
#include "examples/extra/graphsplit_intervals.h"
#include "examples/extra/graphsplit_limits.h"
#include "examples/extra/graphsplit_memories.h"
#include "examples/extra/graphsplit_offload.h"
#include "examples/extra/graphsplit_operators.h"
#include "examples/extra/graphsplit_prefetch.h"
#include "examples/extra/graphsplit_repeats.h"
#include "examples/extra/graphsplit_schedule.h"
#include "examples/extra/graphsplit_stages.h"
#include "examples/extra/graphsplit_tiles.h"
#include "examples/extra/graphsplit_traffic.h"
#include "tests/t.h"

static gsp_counts huge(uint32_t n)
{
    gsp_counts c;
    c.graphs = n;
    c.nodes = n;
    c.edges = n;
    c.args = n;
    c.attrs = n;
    c.strings = n;
    c.bytes = n;
    return c;
}

/* A module of one graph of such counts; it has nothing else. */
static gsp_module huge_module(const gsp_counts *c)
{
    gsp_module m;
    memset(&m, 0, sizeof(m));
    m.counts = *c;
    m.counts.graphs = 1u;
    return m;
}

/* No less than what the results alone take: `least` bytes, or SIZE_MAX. */
static void enough(size_t bound, uint64_t least)
{
    T_CHECK(bound == SIZE_MAX || bound >= least);
}

static void test_bounds(void)
{
    static const uint32_t counts[] = {
        0x7FFFFFFFu, 0x80000000u, 0xFFFFFFF0u, 0xFFFFFFFEu, 0xFFFFFFFFu};
    gsp_split_desc demote;
    uint32_t i;
    memset(&demote, 0, sizeof(demote));
    demote.limit = 3;
    demote.limit_policy = GSP_LIMIT_DEMOTE;
    for (i = 0; i < T_COUNT_OF(counts); i++) {
        uint64_t const n = counts[i];
        gsp_counts const c = huge(counts[i]);
        enough(gsp_build_bound(&c), 60u * n);
        gsp_module const m = huge_module(&c);
        gsp_graph const g = {&m, 0u, 0u, counts[i], NULL};
        gsp_str const name = {NULL, UINT32_MAX};
        gsp_split_by_tags_desc const unnamed = {0u, counts[i], NULL, NULL, 0u, 0u};
        gsp_split_by_tags_desc const named = {0u, 1u, NULL, &name, 0u, 0u};
        enough(gsp_support_bound(&g, NULL), 10u * n);
        enough(gsp_acc_nodes_bound(&g), n);
        enough(gsp_fuse_bound(&g, NULL), 4u * n);
        enough(gsp_split_bound(&g, NULL), 22u * n);
        enough(gsp_split_bound(&g, &demote), 22u * n);
        enough(gsp_split_by_tags_bound(&g, &unnamed), 60u * n);
        enough(gsp_split_by_tags_bound(&g, &named), 60u * n);
    }
}

/* Bounds grow with every count. */
static void test_monotone(void)
{
    uint32_t shift;
    for (shift = 0; shift < 31u; shift++) {
        gsp_counts const less = huge(1u << shift);
        gsp_counts const more = huge(2u << shift);
        T_CHECK(gsp_build_bound(&less) <= gsp_build_bound(&more));
        gsp_module const less_module = huge_module(&less);
        gsp_module const more_module = huge_module(&more);
        gsp_graph const a = {&less_module, 0u, 0u, less.nodes, NULL};
        gsp_graph const b = {&more_module, 0u, 0u, more.nodes, NULL};
        gsp_split_by_tags_desc const tags = {0u, 1u << shift, NULL, NULL, 0u, 0u};
        T_CHECK(gsp_support_bound(&a, NULL) <= gsp_support_bound(&b, NULL));
        T_CHECK(gsp_acc_nodes_bound(&a) <= gsp_acc_nodes_bound(&b));
        T_CHECK(gsp_fuse_bound(&a, NULL) <= gsp_fuse_bound(&b, NULL));
        T_CHECK(gsp_split_bound(&a, NULL) <= gsp_split_bound(&b, NULL));
        T_CHECK(gsp_split_by_tags_bound(&a, &tags) <= gsp_split_by_tags_bound(&b, &tags));
    }
}

static void test_build_counts(void)
{
    gsp_counts const c = gsp_build_counts(
        0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu);
    T_CHECK(c.nodes >= 0xFFFFFFF0u && c.args >= 0xFFFFFFF0u && c.attrs >= 0xFFFFFFF0u);
    T_CHECK(c.strings >= 0xFFFFFFF0u && c.bytes >= 0xFFFFFFF0u && c.graphs >= 0xFFFFFFF0u);
}

/* Such counts are refused without touching the memory. */
static void test_refused(void)
{
    unsigned char block[256];
    gsp_arena arena;
    gsp_builder b;
    gsp_error err;
    gsp_counts const c = huge(0xFFFFFFFFu);
    gsp_status status;
    memset(block, 0x77, sizeof(block));
    gsp_arena_init(&arena, block, sizeof(block));
    status = gsp_build_init(&b, &arena, &c, &err);
    T_CHECK(status == GSP_STATUS_NOMEM || status == GSP_STATUS_OVERFLOW);
    T_EQUAL(err.status, status);
    T_EQUAL(arena.low + arena.high, 0);
    T_CHECK(block[0] == 0x77 && block[255] == 0x77);
}

static void test_bytes_at_the_edge(void)
{
    gsp_arena arena;
    gsp_module module;
    if (t_must_read(&arena,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]  "
            "# i8[18446744073709551615]\n    return x\n",
            &module)) {
        T_EQUAL(module.bytes[0], UINT64_MAX);
    }
    t_arena_close(&arena);
}

/* All other bounds: each pass has at least a word per node. */
static void test_bounds_of_all(void)
{
    static const uint32_t counts[] = {
        0x3FFFFFFFu, 0x40000001u, 0x7FFFFFFFu, 0x80000001u, 0xC0000001u, 0xFFFFFFFEu};
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(counts); i++) {
        gsp_counts const c = huge(counts[i]);
        gsp_module const m = huge_module(&c);
        gsp_graph const g = {&m, 0u, 0u, counts[i], NULL};
        uint64_t const least = 4u * (uint64_t)counts[i];
        gsp_demote_desc demote;
        gsp_support_desc pinned;
        gsp_memory_plan_desc scratch;
        gsp_split_desc cut;
        gsp_limits_desc limits;
        gsp_operators_desc operators = {0};
        gsp_compare_desc compared = {0};
        gsp_schedule_desc schedule;
        gsp_memories_desc memories = {0};
        gsp_prefetch_desc prefetch = {0};
        gsp_intervals_desc intervals = {0};
        gsp_tiles_desc tilings = {0};
        gsp_tiles_graph tiles = {0};
        gsp_downsets_units const units = {0};
        gsp_downsets_desc downsets = {0};
        gsp_regions const regions = {0};
        gsp_tensor const tensor = {0};
        gsp_split_result split;
        uint64_t one = 0;
        memset(&scratch, 0, sizeof(scratch));
        scratch.scratch = &one;
        memset(&cut, 0, sizeof(cut));
        memset(&limits, 0, sizeof(limits));
        memset(&schedule, 0, sizeof(schedule));
        limits.split = &cut;
        operators.split = &cut;
        operators.n_operators = counts[i];
        memset(&demote, 0, sizeof(demote));
        memset(&pinned, 0, sizeof(pinned));
        memset(&split, 0, sizeof(split));
        split.n_nodes = counts[i];
        split.n_kinds = 3u;
        demote.split = &split;
        pinned.n_pins = counts[i];
        enough(gsp_topo_order_bound(&g, NULL), least);
        enough(gsp_support_bound(&g, &pinned), least);
        enough(gsp_split_subgraphs_bound(&g, NULL), least);
        enough(gsp_move_non_tensor_bound(&g, NULL), counts[i]);
        enough(gsp_subgraph_grow_bound(&g, NULL), least);
        enough(gsp_minimize_bound(&g, NULL), least);
        enough(gsp_signatures_bound(&g), least);
        enough(gsp_demote_bound(&g, &demote), counts[i]);
        enough(gsp_dependences_bound(&g, NULL), least);
        enough(gsp_node_classes_bound(&g, NULL), least);
        enough(gsp_regions_bound(&g, NULL), least);
        enough(gsp_dedup_bound(&g, NULL), least);
        enough(gsp_repeats_bound(&g, &regions, NULL), least);
        enough(gsp_costs_bound(&g), least);
        enough(gsp_stages_even_bound(&g, NULL), least);
        enough(gsp_stages_from_marks_bound(&g, NULL), least);
        enough(gsp_stages_optimal_bound(&g, NULL), least);
        enough(gsp_stages_unequal_bound(&g, NULL), least);
        enough(gsp_stage_params_bound(&g, NULL), counts[i]);
        enough(gsp_pipeline_bound(&g, NULL), least);
        enough(gsp_liveness_bound(&g, NULL), least);
        enough(gsp_memory_plan_bound(&g, NULL), least);
        enough(gsp_memory_plan_bound(&g, &scratch), least);
        enough(gsp_split_by_memory_bound(&g, NULL), least);
        enough(gsp_memory_pack_bound(counts[i], NULL), counts[i]);
        enough(gsp_memory_check_bound(counts[i], NULL), counts[i]);
        memories.n_tensors = counts[i];
        enough(gsp_memories_bound(&memories), counts[i]);
        enough(gsp_intervals_peak_bound(counts[i]), counts[i]);
        intervals.n_tensors = counts[i];
        enough(gsp_intervals_fit_bound(&intervals), counts[i]);
        enough(gsp_intervals_bound(&intervals), counts[i]);
        enough(gsp_intervals_misfit_bound(&intervals), counts[i]);
        intervals.n_apart = counts[i];
        enough(gsp_intervals_misfit_bound(&intervals), counts[i]);
        prefetch.n_steps = counts[i];
        enough(gsp_prefetch_bound(&prefetch), counts[i]);
        prefetch.n_copies = counts[i];
        enough(gsp_prefetch_bound(&prefetch), counts[i]);
        tiles.tensors = &tensor;
        tiles.n_tensors = counts[i];
        enough(gsp_tiles_bound(&tiles, NULL), counts[i]);
        tilings.max_tilings = tilings.max_points = tilings.max_regions = counts[i];
        enough(gsp_tiles_bound(&tiles, &tilings), counts[i]);
        downsets.n_devices = counts[i];
        downsets.max_sets = 1000u;
        enough(gsp_downsets_bound(&units, &downsets), counts[i]);
        enough(gsp_downsets_graph_bound(&g, NULL), least);
        enough(gsp_exec_plan_bound(&g, NULL), least);
        enough(gsp_kway_bound(&g, NULL), least);
        enough(gsp_kway_floor_bound(&g, NULL), least);
        compared.n_items = compared.n_parts[0] = compared.n_parts[1] = counts[i];
        enough(gsp_compare_bound(&compared), least);
        enough(gsp_limits_bound(&g, &limits), least);
        enough(gsp_operators_bound(&g, &operators), least);
        enough(gsp_operators_split_bound(&g, &operators), least);
        enough(gsp_network_bound(counts[i]), least);
        enough(gsp_offload_bound(&g, NULL), least);
        enough(gsp_sides_bound(&g, NULL), least);
        enough(gsp_overlap_bound(&g, NULL), least);
        enough(gsp_traffic_bound(&g, NULL), least);
        enough(gsp_heft_bound(&g, NULL), least);
        schedule.n_devices = counts[i];
        schedule.n_chunks = i + 1u;
        enough(gsp_schedule_bound(&schedule), least);
        schedule.n_microbatches = counts[i];
        T_EQUAL(gsp_schedule_bound(&schedule), SIZE_MAX);
        for (schedule.kind = 0; schedule.kind <= GSP_SCHEDULE_COUNT; schedule.kind++) {
            T_EQUAL(gsp_actions_bound(&schedule), SIZE_MAX);
        }
        enough(gsp_score_bound(&g, NULL), counts[i]);
        enough(gsp_assign_bound(&g, NULL), counts[i]);
    }
}

/* A network has less than 2^31 arcs, each of them twice; no graph beyond has a bound. */
static void test_most_arcs(void)
{
    static const uint32_t edges[] = {0x60000000u, 0x7FFFFFF4u, 0x7FFFFFF5u};
    gsp_demote_desc one;
    memset(&one, 0, sizeof(one));
    one.limit = 1u;
    for (uint32_t i = 0; i < T_COUNT_OF(edges) && sizeof(size_t) == 8u; i++) {
        gsp_counts c = huge(10u);
        c.edges = edges[i];
        gsp_module const m = huge_module(&c);
        gsp_graph const g = {&m, 0u, 0u, 10u, NULL};
        T_EQUAL(gsp_demote_bound(&g, &one) == SIZE_MAX, i == 2u);
    }
}

/* Each count alone is too many for a module. */
static void test_one_too_many(void)
{
    uint32_t i;
    for (i = 0; i < 7u; i++) {
        gsp_counts c = gsp_build_counts(1u, 1u, 1u, 1u, 1u, 1u);
        uint32_t *const fields[7] = {
            &c.graphs, &c.nodes, &c.edges, &c.args, &c.attrs, &c.strings, &c.bytes};
        T_CHECK(gsp_build_bound(&c) < 4096u);
        *fields[i] = UINT32_MAX;
        T_EQUAL(gsp_build_bound(&c), SIZE_MAX);
    }
}

void suite_contract_overflow(void)
{
    t_run("bounds_of_all", test_bounds_of_all);
    t_run("most_arcs", test_most_arcs);
    t_run("one_too_many", test_one_too_many);
    t_run("bounds", test_bounds);
    t_run("monotone", test_monotone);
    t_run("build_counts", test_build_counts);
    t_run("refused", test_refused);
    t_run("bytes_at_the_edge", test_bytes_at_the_edge);
}
