/* Rows of partitions. */
#include "bench.h"

#include "examples/extra/graphsplit_kway.h"

#include <stdlib.h>

void step_kway(job *j)
{
    gsp_kway_desc desc = {0};
    gsp_kway_result result;
    gsp_arena room;
    size_t bound;
    desc.n_parts = 8;
    desc.attempts = 1;
    bound = gsp_kway_bound(&j->s->graph, &desc);
    gsp_arena_init(&room, malloc(bound), bound);
    require(gsp_kway_run(&room, &j->s->graph, &desc, &result, NULL), "kway");
    j->count = (uint32_t)result.cut;
    free(room.base);
}

void step_kway_floor(job *j)
{
    static const uint64_t capacity[8] = {
        1000000, 1000000, 1000000, 1000000, 1000000, 1000000, 1000000, 1000000};
    gsp_kway_floor_desc desc = {0};
    gsp_kway_floor_result result;
    gsp_arena room;
    size_t bound;
    desc.n_parts = 8;
    desc.capacity = capacity;
    bound = gsp_kway_floor_bound(&j->s->graph, &desc);
    gsp_arena_init(&room, malloc(bound), bound);
    require(gsp_kway_floor_run(&room, &j->s->graph, &desc, &result, NULL), "kway floor");
    j->count = (uint32_t)result.floor;
    free(room.base);
}

void step_score(job *j)
{
    const gsp_graph *g = &j->s->graph;
    gsp_arena *arena = &j->s->arena;
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_score_desc desc = {0};
    gsp_score_result result;
    uint32_t *part_of = (uint32_t *)gsp_arena_push(arena, g->n_nodes, sizeof *part_of);
    double *seconds = (double *)gsp_arena_push(arena, g->n_nodes, sizeof *seconds);
    if (!part_of || !seconds) {
        die("no room for parts");
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        part_of[v] = (uint32_t)((uint64_t)v * 8u / g->n_nodes);
        seconds[v] = 1e-6;
    }
    desc.mem = seconds;
    desc.compute = seconds;
    desc.part_of = part_of;
    desc.n_parts = 8;
    require(gsp_score_run(arena, g, &desc, &result, NULL), "score");
    j->count = result.cut_values;
    gsp_arena_rewind(arena, mark);
}

/* ---- partitions ---- */

/* Partitions as the caller says: four stretches of graph order, and the module of them. */
static void step_aot(job *j)
{
    static const uint32_t ids[4] = {0, 1, 2, 3};
    gsp_arena *arena = &j->s->arena;
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_partition_desc desc = {0};
    gsp_part_devices parts[4];
    gsp_device devices[4];
    gsp_partition_result r;
    gsp_error err;
    for (uint32_t i = 0; i < 4u; i++) {
        devices[i].name = gsp_str_of("device");
        devices[i].bytes = UINT32_MAX;
        devices[i].id = i;
        parts[i].part = i;
        parts[i].n_ids = 1;
        parts[i].ids = &ids[i];
    }
    desc.mode = GSP_PARTITION_AOT;
    desc.devices = devices;
    desc.n_devices = 4;
    desc.part_of = j->quarters;
    desc.part_devices = parts;
    desc.n_part_devices = 4;
    require(gsp_partition_run(arena, &j->s->graph, &desc, &r, &err), "aot");
    j->count = r.n_parts;
    gsp_arena_rewind(arena, mark);
}

/* Four equal devices with `share` per cent of what the size-based mode may need at most; latencies
 * are those of the text, which has none: one for every node here. */
static void partition(job *j, uint32_t mode, uint32_t share)
{
    static double seconds[1003];
    gsp_arena *arena = &j->s->arena;
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_partition_desc desc = {0};
    gsp_device devices[4];
    gsp_assignment a;
    gsp_error err;
    uint64_t bytes = 0;
    for (gsp_node v = 0; v < j->s->graph.n_nodes; v++) {
        bytes += gsp_node_bytes(&j->s->graph, v);
    }
    for (uint32_t v = 0; v < 1003u; v++) {
        seconds[v] = (double)(1u + v * 37u % 100u) * 1e-6;
    }
    for (uint32_t i = 0; i < 4u; i++) {
        devices[i].name = gsp_str_of("device");
        devices[i].bytes = bytes * share / 100u;
        devices[i].id = i;
    }
    desc.mode = mode;
    desc.devices = devices;
    desc.n_devices = 4;
    desc.mem = j->s->graph.n_nodes <= 1003u ? seconds : NULL;
    desc.has_rate = 1;
    desc.transfer_rate = 1e9;
    require(gsp_assign_run(arena, &j->s->graph, &desc, &a, &err), "assign");
    j->count = a.n_parts;
    gsp_arena_rewind(arena, mark);
}

static void step_size(job *j)
{
    partition(j, GSP_PARTITION_SIZE, 60);
}

static void step_sparse(job *j)
{
    partition(j, GSP_PARTITION_SPARSE, 60);
}

static void step_cost(job *j)
{
    partition(j, GSP_PARTITION_COST, 70);
}

static void step_kl(job *j)
{
    partition(j, GSP_PARTITION_KL, 70);
}

void bench_partition(uint32_t n, int search)
{
    static const step linear[] = {step_kahn, step_size, step_sparse, step_aot};
    static const step searching[] = {step_kahn, step_kl, step_cost};
    static const char *const names[] = {
        "kahn", "by-size", "sparse", "aot", "kahn", "kl", "by-cost"};
    const step *steps = search ? searching : linear;
    int const n_steps = search ? (n < 1000u ? 3 : 2) : 4; /* COST takes a minute for 1000 */
    gsp_partition_desc desc = {0};
    subject s;
    job j;
    cli_runs times[4];
    size_t bounds[4] = {0};
    size_t room = 0;
    void *memory;
    desc.n_devices = 4;
    desc.n_part_devices = 4;
    desc.mode = GSP_PARTITION_AOT;
    subject_layered(&s, n, KIND_IID);
    j = job_of(&s);
    j.quarters = (uint32_t *)allocate(s.counts.nodes, sizeof *j.quarters);
    for (uint32_t v = 0; v < s.counts.nodes; v++) {
        j.quarters[v] = (uint32_t)((uint64_t)v * 4u / s.counts.nodes);
    }
    bounds[3] = search ? 0u : gsp_partition_bound(&s.graph, &desc);
    desc.mode = search ? GSP_PARTITION_KL : GSP_PARTITION_SIZE;
    bounds[1] = gsp_assign_bound(&s.graph, &desc);
    desc.mode = search ? GSP_PARTITION_COST : GSP_PARTITION_SPARSE;
    bounds[2] = gsp_assign_bound(&s.graph, &desc);
    for (int i = 1; i < 4; i++) {
        room = bounds[i] > room ? bounds[i] : room;
    }
    memory = allocate(room, 1);
    gsp_arena_init(&s.arena, memory, room);
    measure(&j, steps, n_steps, times);
    for (int i = 1; i < n_steps; i++) {
        row r = row_of(&j, names[(search ? 4 : 0) + i], "iid", &times[i], &times[0]);
        measure_bytes(&j, steps[i], bounds[i], &r);
        r.count = j.count;
        print_row(&r);
    }
    free(j.quarters);
    free(memory);
    job_free(&j);
    subject_free(&s);
}
