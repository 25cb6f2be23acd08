/* The bound is what it takes: every entry point runs in exactly so many bytes at any address,
 * and is refused, with nothing touched, at one byte less. */
#include "tests/contract/entry.h"

#define REDZONE 64u

typedef struct zone {
    unsigned char *block;
    size_t size; /* without redzones */
    uint32_t offset;
    gsp_arena arena;
} zone;

static void zone_open(zone *z, size_t size, uint32_t offset, int fill)
{
    z->size = size;
    z->offset = offset;
    z->block = (unsigned char *)t_alloc(size + 2u * REDZONE + 32u);
    memset(z->block, 0x5A, size + 2u * REDZONE + 32u);
    memset(z->block + REDZONE + offset, fill, size);
    gsp_arena_init(&z->arena, z->block + REDZONE + offset, size);
}

static int all_bytes(const unsigned char *p, size_t n, int value)
{
    size_t i;
    for (i = 0; i < n; i++) {
        if (p[i] != value) {
            return 0;
        }
    }
    return 1;
}

static int zone_intact(const zone *z)
{
    size_t const before = REDZONE + z->offset;
    return all_bytes(z->block, before, 0x5A) &&
           all_bytes(z->block + before + z->size, REDZONE + 32u - z->offset, 0x5A);
}

static int runs_at_bound(const entry *e, const entry_input *in, size_t bound, uint32_t offset)
{
    zone z;
    entry_output out;
    gsp_error err;
    int ok;
    zone_open(&z, bound, offset, 0xC3);
    entry_prepare(in, &out);
    ok = T_EQUAL(e->run(in, &z.arena, &out, &err), GSP_OK) && T_CHECK(zone_intact(&z)) &&
         T_CHECK(z.arena.touched <= bound) && T_EQUAL(z.arena.high, 0);
    free(z.block);
    return ok;
}

static int refused_below(const entry *e, const entry_input *in, size_t bound, uint32_t offset)
{
    zone z;
    entry_output out;
    entry_output before;
    gsp_arena arena;
    gsp_error err;
    int ok;
    zone_open(&z, bound - 1u, offset, 0xC3);
    memset(&before, 0, sizeof(before));
    memset(&out, 0, sizeof(out));
    entry_prepare(in, &out);
    before = out;
    memcpy(&before, &out, sizeof(out));
    memcpy(&arena, &z.arena, sizeof(arena));
    ok = T_EQUAL(e->run(in, &z.arena, &out, &err), GSP_STATUS_NOMEM) &&
         T_EQUAL(err.status, GSP_STATUS_NOMEM) && T_EQUAL(err.detail, GSP_DETAIL_BOUND) &&
         T_EQUAL(err.need, bound) && T_EQUAL(err.limit, bound - 1u) &&
         T_CHECK(memcmp(&before, &out, sizeof(out)) == 0) &&
         T_CHECK(memcmp(&arena, &z.arena, sizeof(arena)) == 0) &&
         T_CHECK(all_bytes(z.arena.base, z.size, 0xC3)) && T_CHECK(zone_intact(&z));
    free(z.block);
    return ok;
}

/* What is left between two used ends is what counts: as many bytes as the bound, not one less. */
static int runs_between(const entry *e, const entry_input *in, size_t bound)
{
    zone z;
    gsp_arena fewer;
    entry_output out;
    gsp_error err;
    int ok;
    zone_open(&z, bound + 200u, 5u, 0xC3);
    T_CHECK(gsp_arena_push(&z.arena, 13u, 1u) != NULL);
    fewer = z.arena;
    while (gsp_arena_left(&z.arena) > bound && gsp_arena_push_high(&z.arena, 1u, 1u) != NULL) {
    }
    entry_prepare(in, &out);
    ok = gsp_arena_left(&z.arena) < bound || T_EQUAL(e->run(in, &z.arena, &out, &err), GSP_OK);
    if (ok && gsp_arena_push_high(&fewer, fewer.size - fewer.low - fewer.high - bound + 1u, 1u)) {
        entry_prepare(in, &out);
        ok = T_EQUAL(e->run(in, &fewer, &out, &err), GSP_STATUS_NOMEM) &&
             T_EQUAL(err.detail, GSP_DETAIL_BOUND) && T_EQUAL(err.need, bound) &&
             T_EQUAL(err.limit, fewer.size - fewer.low - fewer.high);
    }
    free(z.block);
    return ok;
}

static void all_of(const entry *e, const entry_input *in)
{
    size_t const bound = e->bound(in);
    uint32_t offset;
    for (offset = 0; offset < 32u; offset++) {
        if (!runs_at_bound(e, in, bound, offset) || !refused_below(e, in, bound, offset)) {
            printf("%s: bound %lu at offset %u\n", e->name, (unsigned long)bound, (unsigned)offset);
            return;
        }
    }
    if (!runs_between(e, in, bound)) {
        printf("%s: between two used ends\n", e->name);
    }
}

static void test_bounds(void)
{
    t_rng rng;
    uint32_t i;
    uint32_t k;
    rng.state = t_seed ^ 0xB0u;
    for (k = 0; k < (t_fast ? 14u : 150u) && !t_failed(); k++) {
        entry_input in;
        entry_open(&in, &rng, k < 10u ? k / 2u : 60u);
        for (i = 0; i < entry_count && !t_failed(); i++) {
            all_of(&entry_points[i], &in);
        }
        entry_close(&in);
    }
}

/* The promises of the documentation about sizes. */
static void test_promises(void)
{
    static const uint32_t sizes[] = {0, 1, 2, 10, 1000, 1000000};
    uint32_t i;
    uint32_t k;
    for (i = 0; i < T_COUNT_OF(sizes) && !t_skip_with_gaps(); i++) {
        for (k = 0; k < T_COUNT_OF(sizes); k++) {
            gsp_counts counts;
            gsp_graph g = {NULL, 0u, 0u, sizes[i], NULL};
            gsp_move_non_tensor_desc const ten = {0u, 10u, NULL, NULL, 0u};
            gsp_split_desc demote;
            gsp_split_desc move;
            gsp_module fake;
            uint64_t const n = sizes[i];
            uint64_t const m = sizes[k];
            memset(&counts, 0, sizeof(counts));
            memset(&demote, 0, sizeof(demote));
            memset(&move, 0, sizeof(move));
            demote.limit_policy = GSP_LIMIT_DEMOTE;
            demote.limit = 1;
            counts.nodes = sizes[i];
            counts.edges = sizes[k];
            memset(&fake, 0, sizeof(fake));
            fake.counts = counts;
            fake.counts.graphs = 1;
            g.module = &fake;
            T_CHECK(gsp_split_bound(&g, NULL) <= 40u * n + 8u * m + 1024u);
            T_CHECK(gsp_split_bound(&g, &demote) <= 52u * n + 8u * m + 1024u);
            T_CHECK(gsp_acc_nodes_bound(&g) <= 8u * n + 64u);
            T_CHECK(gsp_fuse_bound(&g, NULL) <= 32u * n + 256u);
            move.move_non_tensor = 1;
            T_CHECK(gsp_split_bound(&g, &move) <= 53u * n + 8u * m + 1200u);
            T_CHECK(gsp_move_non_tensor_bound(&g, &ten) <= 9u * n + 256u);
            T_CHECK(gsp_subgraph_grow_bound(&g, NULL) <= 16u * n + 128u);
            T_CHECK(gsp_dependences_bound(&g, NULL) <= 56u * n + 8u * m + 512u);
            T_CHECK(gsp_node_classes_bound(&g, NULL) <= 28u * n + 256u);
            T_CHECK(gsp_regions_bound(&g, NULL) <= 99u * n + 8u * m + 1024u);
            T_CHECK(gsp_minimize_bound(&g, NULL) <= 14u * n + 600u);
            T_CHECK(gsp_network_bound(sizes[k]) <= 73u * m + 128u);
            gsp_memories_desc memories = {0};
            memories.n_tensors = (uint32_t)n;
            memories.n_memories = 2;
            memories.max_states = 4;
            T_CHECK(gsp_memories_bound(&memories) <= 28000u + (330u + 2u * 52u + 24u) * n);
            gsp_intervals_desc intervals = {0};
            intervals.n_tensors = (uint32_t)n;
            T_CHECK(gsp_intervals_peak_bound((uint32_t)n) <= 200u + 32u * n);
            T_CHECK(gsp_intervals_fit_bound(&intervals) <= 9000u + (8u + 238u) * n);
            T_CHECK(gsp_intervals_bound(&intervals) <= 9000u + (8u + 238u) * n);
            T_CHECK(gsp_intervals_misfit_bound(&intervals) <= 9000u + (8u + 316u) * n);
            gsp_prefetch_desc prefetch = {0};
            prefetch.n_steps = (uint32_t)n;
            prefetch.n_copies = (uint32_t)n;
            T_CHECK(gsp_prefetch_bound(&prefetch) <= 500u + (28u + 28u) * n);
            gsp_offload_desc given = {0};
            given.given = (const uint8_t *)"";
            T_CHECK(gsp_offload_bound(&g, &given) <= 79u * n + 8u * m + 1500u);
            gsp_sides_desc sides = {0};
            sides.n_kinds = 2;
            T_CHECK(gsp_overlap_bound(&g, &sides) <=
                    (645u + 58u) * n + 184u * m + 73u * (6u * (n + m) + 6u * n) + 92000u);
            sides.given = given.given;
            T_CHECK(gsp_sides_bound(&g, &sides) <= (87u + 16u) * n + 20u * m + 1500u);
            gsp_heft_desc early = {0};
            early.n_devices = 1u;
            early.max_states = 1u;
            T_CHECK(gsp_heft_bound(&g, &early) <= 238u * n + 4500u);
            gsp_traffic_desc few = {0};
            few.max_arcs = 1;
            T_CHECK(gsp_traffic_bound(&g, &few) <= 44u * n + 4u * m + 365u * (n + m) + 1500u);
        }
    }
}

/* Only counts and desc decide: the same bound for other data of the same counts. */
static void test_independent_of_data(void)
{
    gsp_arena a;
    gsp_arena b;
    gsp_module one;
    gsp_module other;
    if (t_must_read(&a,
            "graph():\n    %a : [num_users=1] = call_function[target=f](args = (), "
            "kwargs = {})\n    %b : [num_users=1] = call_function[target=f](args = "
            "(%a,), kwargs = {})\n    return b\n",
            &one) &&
        t_must_read(&b,
            "graph():\n    %a : [num_users=1] = call_function[target=f](args = (), "
            "kwargs = {})\n    %b : [num_users=1] = call_function[target=f](args = "
            "(%a,), kwargs = {})\n    return a\n",
            &other)) {
        gsp_graph const g = gsp_module_graph(&one, 0u);
        gsp_graph const h = gsp_module_graph(&other, 0u);
        gsp_split_by_tags_desc const tags = {0u, 2u, NULL, NULL, 0u, 0u};
        T_EQUAL(gsp_split_bound(&g, NULL), gsp_split_bound(&h, NULL));
        T_EQUAL(gsp_split_by_tags_bound(&g, &tags), gsp_split_by_tags_bound(&h, &tags));
    }
    t_arena_close(&a);
    t_arena_close(&b);
}

/* Without a desc, the bound of the defaults. */
static void test_no_desc(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
            "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # "
            "f32[4]\n"
            "    return a\n",
            &m)) {
        gsp_graph const g = gsp_module_graph(&m, 0u);
#define NO_DESC(pass, type) \
    { \
        gsp_##type##_desc d; \
        memset(&d, 0, sizeof(d)); \
        T_EQUAL(gsp_##pass##_bound(&g, NULL), gsp_##pass##_bound(&g, &d)); \
    }
        NO_DESC(topo_order, topo_order)
        NO_DESC(support, support)
        NO_DESC(fuse, fuse)
        NO_DESC(move_non_tensor, move_non_tensor)
        NO_DESC(split, split)
        NO_DESC(split_by_tags, split_by_tags)
        NO_DESC(split_module, split_module)
        NO_DESC(subgraph_grow, subgraph_grow)
        NO_DESC(minimize, minimize)
        NO_DESC(assign, partition)
        NO_DESC(partition, partition)
        NO_DESC(dependences, dependences)
        NO_DESC(node_classes, node_classes)
        NO_DESC(regions, regions)
        NO_DESC(dedup, dedup)
        NO_DESC(stages_even, stages_even)
        NO_DESC(stage_costs, stage_costs)
        NO_DESC(stages_optimal, stages_optimal)
        NO_DESC(stages_unequal, stages_unequal)
        NO_DESC(stages_from_marks, stages_from_marks)
        NO_DESC(stage_params, stage_params)
        NO_DESC(pipeline, pipeline)
        NO_DESC(liveness, liveness)
        NO_DESC(memory_plan, memory_plan)
        NO_DESC(split_by_memory, split_by_memory)
        NO_DESC(exec_plan, exec_plan)
        NO_DESC(demote, demote)
        NO_DESC(kway, kway)
        NO_DESC(kway_floor, kway_floor)
        NO_DESC(heft, heft)
        NO_DESC(offload, offload)
        NO_DESC(sides, sides)
        NO_DESC(overlap, sides)
        NO_DESC(traffic, traffic)
        NO_DESC(tasks, tasks)
        NO_DESC(latency, latency)
        NO_DESC(score, score)
        NO_DESC(split_subgraphs, split_subgraphs)
#undef NO_DESC
    }
    t_arena_close(&arena);
}

/* Tags without names have room for names of 32 bytes. */
static void test_no_names(void)
{
    gsp_module m;
    gsp_graph const g = {&m, 0u, 0u, 9u, NULL};
    gsp_split_by_tags_desc d;
    gsp_str names[40];
    size_t bound;
    memset(&m, 0, sizeof(m));
    memset(&d, 0, sizeof(d));
    m.counts.graphs = 1u;
    m.counts.nodes = 9u;
    d.n_tags = T_COUNT_OF(names);
    bound = gsp_split_by_tags_bound(&g, &d);
    for (uint32_t i = 0; i < d.n_tags; i++) {
        names[i].data = NULL;
        names[i].size = 32u;
    }
    d.names = names;
    T_EQUAL(gsp_split_by_tags_bound(&g, &d), bound);
}

/* There is a bound as long as the numbers of all values fit into 32 bits. */
static void test_most_values(void)
{
    gsp_module m;
    gsp_graph const g = {&m, 0u, 0u, 0u, NULL};
    gsp_exec_plan_desc d;
    memset(&m, 0, sizeof(m));
    memset(&d, 0, sizeof(d));
    d.n_inputs = 1u;
    m.counts.nodes = 1400000000u;
    T_CHECK((gsp_exec_plan_bound(&g, &d) < SIZE_MAX) == (sizeof(size_t) > 4u));
    m.counts.nodes = 1500000000u;
    T_CHECK(gsp_exec_plan_bound(&g, &d) == SIZE_MAX);
}

/* The constant macros say what the functions say, over a grid of counts. */
static void test_macros(void)
{
    static const uint32_t grid[] = {0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 64, 89, 1000, 100003};
    /* usable where a constant is wanted */
    static unsigned char memory[GSP_SPLIT_BOUND(89u, 100u)];
    uint32_t i;
    uint32_t k;
    gsp_module m;
    gsp_graph g = {&m, 0u, 0u, 0u, NULL};
    gsp_placement placement;
    gsp_split_desc desc;
    memset(&m, 0, sizeof(m));
    memset(&placement, 0, sizeof(placement));
    memset(&desc, 0, sizeof(desc));
    desc.placement = &placement;
    for (i = 0; i < T_COUNT_OF(grid); i++) {
        for (k = 0; k < T_COUNT_OF(grid); k++) {
            g.n_nodes = grid[i];
            m.counts.strings = grid[k];
            placement.n_kinds = k + 2u;
            T_EQUAL(GSP_SUPPORT_BOUND(grid[i], grid[k]), gsp_support_bound(&g, NULL));
            T_EQUAL(GSP_ACC_NODES_BOUND(grid[i], grid[k]), gsp_acc_nodes_bound(&g));
            T_EQUAL(GSP_FUSE_BOUND(grid[i], grid[k]), gsp_fuse_bound(&g, NULL));
            T_EQUAL(GSP_SPLIT_BOUND(grid[i], grid[k]), gsp_split_bound(&g, NULL));
            T_EQUAL(GSP_SPLIT_BOUND_K(grid[i], grid[k], k + 1u), gsp_split_bound(&g, &desc));
        }
    }
    g.n_nodes = 89u;
    T_EQUAL(sizeof(memory), gsp_split_bound(&g, NULL));
}

static void test_build_macro(void)
{
    static const uint32_t grid[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 64, 89, 1000, 100003};
    static unsigned char memory[GSP_BUILD_BOUND(1u, 9u, 20u, 5u, 30u, 200u)];
    gsp_counts c = gsp_build_counts(1u, 9u, 20u, 5u, 30u, 200u);
    uint32_t i;
    uint32_t k;
    T_BOUND(sizeof(memory), gsp_build_bound(&c));
    for (i = 0; i < T_COUNT_OF(grid); i++) {
        for (k = 0; k < T_COUNT_OF(grid); k++) {
            uint32_t const a = grid[i];
            uint32_t const b = grid[k];
            c = gsp_build_counts(a, b, a, b, a, b);
            T_BOUND(GSP_BUILD_BOUND(a, b, a, b, a, b), gsp_build_bound(&c));
            c = gsp_build_counts(1u, a, b, 3u, b, a);
            T_BOUND(GSP_BUILD_BOUND(1u, a, b, 3u, b, a), gsp_build_bound(&c));
        }
    }
    for (i = 0; i < 3000u; i++) {
        c = gsp_build_counts(1u, 1u, 1u, 1u, i, 1u);
        T_BOUND(GSP_BUILD_BOUND(1u, 1u, 1u, 1u, i, 1u), gsp_build_bound(&c));
    }
}

/* Splits into modules; a module with `limit` subgraphs and few tags stays small. */
static void test_module_macros(void)
{
    static const uint32_t grid[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 64, 89, 1000, 100003};
    static unsigned char memory[GSP_SPLIT_SUBGRAPHS_BOUND(22u, 30u, 40u, 1u, 60u, 400u, 4u)];
    gsp_module m;
    gsp_graph g = {&m, 0u, 0u, 0u, NULL};
    gsp_split_by_tags_desc tags;
    gsp_split_subgraphs_desc desc;
    memset(&m, 0, sizeof(m));
    memset(&tags, 0, sizeof(tags));
    memset(&desc, 0, sizeof(desc));
    m.counts.graphs = 1u;
    for (uint32_t i = 0; i < T_COUNT_OF(grid); i++) {
        for (uint32_t k = 0; k < T_COUNT_OF(grid); k++) {
            uint32_t const n = grid[i];
            uint32_t const e = grid[(i + k) % T_COUNT_OF(grid)];
            uint32_t const s = 30u + grid[(i + 2u * k) % T_COUNT_OF(grid)];
            uint32_t const limit = k % 4u != 0u ? grid[k] : 0u;
            g.n_nodes = m.counts.nodes = n;
            m.counts.edges = e;
            m.counts.args = e + 3u;
            m.counts.attrs = 1u + k % 2u * n;
            m.counts.strings = s;
            m.counts.bytes = 9u * s;
            tags.n_tags = grid[k];
            desc.split.limit = limit;
            T_BOUND(GSP_SPLIT_BY_TAGS_BOUND(
                        n, e, e + 3u, 1u + k % 2u * n, s, 9u * s, grid[k], 32u * grid[k]),
                gsp_split_by_tags_bound(&g, &tags));
            T_BOUND(GSP_SPLIT_SUBGRAPHS_BOUND(n, e, e + 3u, 1u + k % 2u * n, s, 9u * s, limit),
                gsp_split_subgraphs_bound(&g, &desc));
        }
    }
    T_CHECK(sizeof(memory) > 4096u);
    /* 1,000 nodes with 1,200 edges, names of 10 bytes, 16 subgraphs */
    T_CHECK(GSP_SPLIT_SUBGRAPHS_BOUND(1000u, 1200u, 1700u, 1u, 1500u, 15000u, 16u) <= 400000u);
}

static void test_run_macros(void)
{
    static const uint32_t grid[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 64, 89, 1000, 100003};
    static unsigned char memory[GSP_EXEC_BOUND(89u, 9u, 1u, 2u)];
    uint32_t i;
    uint32_t k;
    gsp_module module;
    gsp_graph const g = {&module, 0u, 0u, 0u, NULL};
    gsp_exec_plan_desc desc;
    gsp_exec_plan plan;
    memset(&module, 0, sizeof(module));
    memset(&desc, 0, sizeof(desc));
    memset(&plan, 0, sizeof(plan));
    for (i = 0; i < T_COUNT_OF(grid); i++) {
        for (k = 0; k < T_COUNT_OF(grid); k++) {
            module.counts.graphs = grid[(i + k) % 5];
            module.counts.nodes = grid[i];
            module.counts.args = grid[k];
            desc.aggregates = grid[(i + 2 * k) % 7];
            desc.n_inputs = grid[(3 * i + k) % 11];
            T_BOUND(GSP_EXEC_PLAN_BOUND(module.counts.graphs, module.counts.nodes,
                        module.counts.args, desc.aggregates, desc.n_inputs),
                gsp_exec_plan_bound(&g, &desc));
            plan.n_slots = grid[i];
            plan.n_tokens = grid[k] - 1u;
            plan.n_results = grid[(i + k) % 5];
            plan.depth = grid[(2 * i + k) % 7];
            T_EQUAL(GSP_EXEC_BOUND(plan.n_slots, plan.n_tokens, plan.n_results, plan.depth),
                gsp_exec_bound(&plan));
        }
    }
    plan.n_slots = 89u;
    plan.n_tokens = 9u;
    plan.n_results = 1u;
    plan.depth = 2u;
    T_EQUAL(sizeof(memory), gsp_exec_bound(&plan));
}

void suite_contract_bound(void)
{
    t_run("bounds", test_bounds);
    t_run("promises", test_promises);
    t_run("independent_of_data", test_independent_of_data);
    t_run("no_desc", test_no_desc);
    t_run("no_names", test_no_names);
    t_run("most_values", test_most_values);
    t_run("macros", test_macros);
    t_run("build macro", test_build_macro);
    t_run("module_macros", test_module_macros);
    t_run("run_macros", test_run_macros);
}
