/* Rows of memory: live ranges, plans, parts that fit, and running. */
#include "bench.h"

#include "examples/extra/graphsplit_memories.h"
#include "examples/extra/graphsplit_intervals.h"
#include "examples/extra/graphsplit_prefetch.h"

#include <stdlib.h>
#include <string.h>

/* ---- running ---- */

/* The same kernel is called by the runner, and by a loop that knows nothing but the rows. */
static gsp_status sum_kernel(void *user, const gsp_call *call)
{
    gsp_value sum = 1u;
    (void)user;
    for (uint32_t i = 0; i < call->n_args; i++) {
        sum = sum * 31u + call->values[i];
    }
    call->results[0] = sum;
    return GSP_OK;
}

static void sum_release(void *user, gsp_value value)
{
    *(gsp_value *)user += value;
}

static void step_exec_direct(job *j)
{
    const gsp_graph *g = &j->s->graph;
    gsp_kernel_func volatile kernel = sum_kernel;
    gsp_value *values = j->values;
    gsp_call call;
    memset(&call, 0, sizeof call);
    call.values = j->arguments;
    call.n_results = 1;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t count;
        const gsp_node *inputs = gsp_node_inputs(g, v, &count);
        for (uint32_t i = 0; i < count; i++) {
            j->arguments[i] = values[inputs[i]];
        }
        call.n_args = count;
        call.results = &values[v];
        require(kernel(NULL, &call), "kernel");
    }
}

static void run_once(job *j, void (*release)(void *user, gsp_value value))
{
    gsp_value sum = 0;
    gsp_exec_desc desc = {0};
    desc.kernel = sum_kernel;
    desc.release = release;
    desc.user = &sum;
    require(gsp_exec_run(&j->s->arena, &j->plan, &desc, j->values, j->values, NULL), "exec");
    j->count = j->plan.n_slots;
}

static void step_exec(job *j)
{
    run_once(j, NULL);
}

static void step_exec_release(job *j)
{
    run_once(j, sum_release);
}

static void step_exec_plan(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_exec_plan plan;
    require(gsp_exec_plan_run(&j->s->arena, &j->s->graph, NULL, &plan, NULL), "exec_plan");
    j->count = plan.n_slots;
    gsp_arena_rewind(&j->s->arena, mark);
}

void bench_exec(uint32_t n)
{
    static const step steps[] = {
        step_kahn, step_exec_direct, step_exec, step_exec_release, step_exec_plan};
    static const char *const names[] = {"kahn", "exec-direct", "exec", "exec-release", "exec_plan"};
    subject s;
    job j;
    cli_runs times[5];
    size_t bounds[5] = {0};
    subject_layered(&s, n, KIND_IID);
    j = job_of(&s);
    j.values = (gsp_value *)allocate(s.counts.nodes, sizeof(gsp_value));
    j.arguments = (gsp_value *)allocate(s.counts.nodes, sizeof(gsp_value));
    require(gsp_exec_plan_run(&s.arena, &s.graph, NULL, &j.plan, NULL), "exec_plan");
    bounds[2] = bounds[3] = gsp_exec_bound(&j.plan);
    bounds[4] = gsp_exec_plan_bound(&s.graph, NULL);
    measure(&j, steps, 5, times);
    for (int i = 1; i < 5; i++) {
        row r = row_of(&j, names[i], "iid", &times[i], &times[0]);
        char note[64];
        if (bounds[i]) {
            measure_bytes(&j, steps[i], bounds[i], &r);
        }
        r.count = j.count;
        snprintf(note, sizeof note, "%.1f ns per node above direct calls",
            (times[i].median - times[1].median) / s.counts.nodes);
        r.note = i == 2 || i == 3 ? note : NULL;
        print_row(&r);
    }
    free(j.values);
    free(j.arguments);
    job_free(&j);
    subject_free(&s);
}

/* ---- memory ---- */

static void step_liveness(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_liveness_result result;
    require(gsp_liveness_run(&j->s->arena, &j->s->graph, NULL, &result, NULL), "liveness");
    j->count = (uint32_t)(result.parts[0].bytes / 1024u);
    gsp_arena_rewind(&j->s->arena, mark);
}

static void step_memory_plan(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_memory_plan_result result;
    require(gsp_memory_plan_run(&j->s->arena, &j->s->graph, NULL, &result, NULL), "memory_plan");
    j->count = (uint32_t)(result.arena / 1024u);
    gsp_arena_rewind(&j->s->arena, mark);
}

/* Improves the plan of the pass before; sections times long tensors are too many beyond. */
#define MOST_PACKED 10100u

static void step_memory_pack(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_memory_plan_result plan;
    gsp_memory_pack_result result;
    gsp_memory_pack_desc desc = {0};
    desc.max_work = (uint64_t)1 << 18;
    require(gsp_memory_plan_run(&j->s->arena, &j->s->graph, NULL, &plan, NULL), "memory_plan");
    require(gsp_memory_pack_run(&j->s->arena, plan.tensors, plan.n_tensors, &desc, &result, NULL),
        "memory_pack");
    j->count = (uint32_t)(result.bytes / 1024u);
    gsp_arena_rewind(&j->s->arena, mark);
}

static void step_memory_check(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_memory_plan_result plan;
    require(gsp_memory_plan_run(&j->s->arena, &j->s->graph, NULL, &plan, NULL), "memory_plan");
    require(gsp_memory_check_run(&j->s->arena, plan.tensors, plan.n_tensors, NULL, NULL),
        "memory_check");
    j->count = plan.n_tensors;
    gsp_arena_rewind(&j->s->arena, mark);
}

/* The tensors of the plan of the pass before, in a fast memory of half its size and a slow one. */
static gsp_memories_desc memories_desc(const gsp_memory_plan_result *plan, gsp_memory *two)
{
    gsp_memory const memories[] = {{plan->arena / 2u, 1u, 0u, 0u}, {(uint64_t)1 << 50, 5u, 0u, 0u}};
    gsp_memories_desc desc = {0};
    memcpy(two, memories, sizeof memories);
    desc.tensors = plan->tensors;
    desc.n_tensors = plan->n_tensors;
    desc.memories = two;
    desc.n_memories = 2;
    desc.max_states = 4;
    desc.max_work = (uint64_t)1 << 18;
    return desc;
}

static void step_memories(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_memory_plan_result plan;
    gsp_memories_result result;
    gsp_memory two[2];
    require(gsp_memory_plan_run(&j->s->arena, &j->s->graph, NULL, &plan, NULL), "memory_plan");
    gsp_memories_desc const desc = memories_desc(&plan, two);
    require(gsp_memories_run(&j->s->arena, &desc, &result, NULL), "memories");
    j->count = (uint32_t)(result.cost / 1024u);
    gsp_arena_rewind(&j->s->arena, mark);
}

/* A step and a copy per node, in a memory that holds about eight copies. */
static gsp_prefetch_desc prefetch_desc(uint32_t n, uint64_t *rows, uint32_t *uses)
{
    gsp_prefetch_desc desc = {0};
    for (uint32_t i = 0; i < n; i++) {
        rows[i] = 700u + i % 5u * 100u;
        rows[n + i] = 64u + i % 16u * 64u;
        rows[2u * n + i] = 500u + i % 7u * 150u;
        uses[i] = i;
    }
    desc.n_steps = desc.n_copies = n;
    desc.times = rows;
    desc.bytes = rows + n;
    desc.ticks = rows + 2u * n;
    desc.uses = uses;
    desc.capacity = 4096;
    return desc;
}

static void step_prefetch(job *j)
{
    uint32_t const n = j->s->graph.n_nodes;
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    uint64_t *rows = (uint64_t *)allocate(3u * (size_t)n, sizeof *rows);
    uint32_t *uses = (uint32_t *)allocate(n, sizeof *uses);
    gsp_prefetch_desc const desc = prefetch_desc(n, rows, uses);
    gsp_prefetch_result result;
    require(gsp_prefetch_run(&j->s->arena, &desc, &result, NULL), "prefetch");
    j->count = (uint32_t)(result.stall / 1000u);
    gsp_arena_rewind(&j->s->arena, mark);
    free(uses);
    free(rows);
}

/* First fit of the tensors of a plan. */
static void step_intervals(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_memory_plan_result plan;
    gsp_intervals_desc desc = {0};
    gsp_intervals_fit result;
    require(gsp_memory_plan_run(&j->s->arena, &j->s->graph, NULL, &plan, NULL), "memory_plan");
    desc.n_tensors = plan.n_tensors;
    desc.tensors = plan.tensors;
    require(gsp_intervals_fit_run(&j->s->arena, &desc, &result, NULL), "intervals");
    j->count = (uint32_t)(result.bytes / 1024u);
    gsp_arena_rewind(&j->s->arena, mark);
}

/* A quarter of the peak. */
static void step_split_by_memory(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_liveness_result peak;
    gsp_split_by_memory_result result;
    gsp_split_by_memory_desc desc = {0};
    require(gsp_liveness_run(&j->s->arena, &j->s->graph, NULL, &peak, NULL), "liveness");
    desc.budget = peak.parts[0].bytes / 4u;
    gsp_arena_rewind(&j->s->arena, mark);
    require(gsp_split_by_memory_run(&j->s->arena, &j->s->graph, &desc, &result, NULL),
        "split_by_memory");
    j->count = result.n_parts;
    gsp_arena_rewind(&j->s->arena, mark);
}

void bench_memory(uint32_t n)
{
    static const step steps[] = {step_kahn, step_liveness, step_memory_plan, step_memory_check,
        step_split_by_memory, step_prefetch, step_intervals, step_memory_pack, step_memories};
    static const char *const names[] = {"kahn", "liveness", "memory_plan", "memory_check",
        "split_by_memory", "prefetch", "intervals", "memory_pack", "memories"};
    int const n_steps = n <= MOST_PACKED ? 9 : 7;
    subject s;
    job j;
    cli_runs times[9];
    size_t bounds[9] = {0};
    gsp_memories_desc memories = {0};
    gsp_prefetch_desc prefetch = {0};
    gsp_intervals_desc intervals = {0};
    subject_layered(&s, n, KIND_IID);
    j = job_of(&s);
    memories.n_tensors = prefetch.n_steps = prefetch.n_copies = s.graph.n_nodes;
    intervals.n_tensors = s.graph.n_nodes;
    memories.n_memories = 2;
    memories.max_states = 4;
    bounds[1] = gsp_liveness_bound(&s.graph, NULL);
    bounds[2] = gsp_memory_plan_bound(&s.graph, NULL);
    bounds[3] = bounds[2] + gsp_memory_check_bound(s.graph.n_nodes, NULL);
    bounds[4] = gsp_split_by_memory_bound(&s.graph, NULL);
    bounds[5] = gsp_prefetch_bound(&prefetch);
    bounds[6] = bounds[2] + gsp_intervals_fit_bound(&intervals);
    bounds[7] = bounds[2] + gsp_memory_pack_bound(s.graph.n_nodes, NULL);
    bounds[8] = bounds[2] + gsp_memories_bound(&memories);
    measure(&j, steps, n_steps, times);
    for (int i = 1; i < n_steps; i++) {
        row r = row_of(&j, names[i], "iid", &times[i], &times[0]);
        measure_bytes(&j, steps[i], bounds[i], &r);
        r.count = j.count;
        print_row(&r);
    }
    job_free(&j);
    subject_free(&s);
}
