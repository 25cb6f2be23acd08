/* Rows of stages and pipelines. */
#include "bench.h"

#include "examples/extra/graphsplit_devices.h"
#include "examples/extra/graphsplit_stages.h"

#include <stdlib.h>

/* ---- stages ---- */

static void step_stages_even(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_stages_even_desc desc = {0};
    gsp_stages_even_result result;
    desc.policy = GSP_STAGES_EVEN_PARAMS;
    desc.n_stages = 64;
    require(gsp_stages_even_run(&j->s->arena, &j->s->graph, &desc, &result, NULL), "stages_even");
    j->count = result.n_stages;
    gsp_arena_rewind(&j->s->arena, mark);
}

static gsp_stages_optimal_desc optimal_desc(const job *j, uint32_t carried)
{
    gsp_stages_optimal_desc desc = {0};
    desc.n_devices = 64;
    desc.model.costs = &j->costs;
    desc.model.carried = carried;
    return desc;
}

static void optimal_stages(job *j, uint32_t carried)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_stages_optimal_desc desc = optimal_desc(j, carried);
    gsp_stages_optimal_result result;
    require(
        gsp_stages_optimal_run(&j->s->arena, &j->s->graph, &desc, &result, NULL), "stages_optimal");
    j->count = (uint32_t)(100u * result.objective / (result.lower_bound ? result.lower_bound : 1u));
    gsp_arena_rewind(&j->s->arena, mark);
}

static void step_stages_optimal(job *j)
{
    optimal_stages(j, 0);
}

static void step_stages_carried(job *j)
{
    optimal_stages(j, 1);
}

/* Eight devices of four speeds, with memory for all. */
static gsp_stages_unequal_desc unequal_desc(const job *j)
{
#define DEVICE(speed) \
    { \
        (uint64_t)1 << 60, speed, 0 \
    }
    static const gsp_stages_device devices[] = {DEVICE(4.0), DEVICE(4.0), DEVICE(2.0), DEVICE(2.0),
        DEVICE(1.5), DEVICE(1.5), DEVICE(1.0), DEVICE(1.0)};
#undef DEVICE
    gsp_stages_unequal_desc desc = {0};
    desc.devices = devices;
    desc.n_devices = 8;
    desc.costs = &j->costs;
    return desc;
}

static void step_stages_unequal(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_stages_unequal_desc desc = unequal_desc(j);
    gsp_stages_unequal_result result;
    require(
        gsp_stages_unequal_run(&j->s->arena, &j->s->graph, &desc, &result, NULL), "stages_unequal");
    j->count = (uint32_t)(100u * result.objective / (result.lower_bound ? result.lower_bound : 1u));
    gsp_arena_rewind(&j->s->arena, mark);
}

void bench_stages(uint32_t n)
{
    static const step steps[] = {
        step_kahn, step_stages_even, step_stages_optimal, step_stages_carried, step_stages_unequal};
    static const char *const names[] = {"kahn", "stages_even-64", "stages_optimal-64",
        "stages_optimal-carried", "stages_unequal-8"};
    static const char *const bound_note = "count: 100 * slowest / bound";
    gsp_costs_desc rates = {0};
    gsp_stages_even_desc stages = {0};
    gsp_stages_optimal_desc optimal;
    gsp_stages_unequal_desc unequal;
    subject s;
    job j;
    cli_runs times[5];
    size_t bounds[5] = {0};
    subject_layered(&s, n, KIND_IID);
    j = job_of(&s);
    rates.bandwidth = 1000000000000u;
    require(gsp_costs_run(&s.arena, &s.graph, &rates, &j.costs, NULL), "costs");
    stages.policy = GSP_STAGES_EVEN_PARAMS;
    stages.n_stages = 64;
    bounds[1] = gsp_stages_even_bound(&s.graph, &stages);
    for (uint32_t carried = 0; carried < 2u; carried++) {
        optimal = optimal_desc(&j, carried);
        bounds[2u + carried] = gsp_stages_optimal_bound(&s.graph, &optimal);
    }
    unequal = unequal_desc(&j);
    bounds[4] = gsp_stages_unequal_bound(&s.graph, &unequal);
    measure(&j, steps, 5, times);
    for (int i = 1; i < 5; i++) {
        row r = row_of(&j, names[i], "iid", &times[i], &times[0]);
        measure_bytes(&j, steps[i], bounds[i], &r);
        r.count = j.count;
        r.note = i > 1 ? bound_note : NULL;
        print_row(&r);
    }
    job_free(&j);
    subject_free(&s);
}

/* ---- pipelines: 64 stages, cut and made into a module; with gradients of the first value ---- */

static const uint32_t *stages_of(subject *s)
{
    gsp_stages_even_desc cut = {0};
    gsp_stages_even_result stages;
    cut.n_stages = 64;
    require(gsp_stages_even_run(&s->arena, &s->graph, &cut, &stages, NULL), "stages_even");
    return stages.stage_of;
}

static gsp_pipeline_result pipeline_of(job *j)
{
    gsp_pipeline_desc desc = {0};
    gsp_pipeline_result made;
    desc.params.stage_of = stages_of(j->s);
    require(gsp_pipeline_run(&j->s->arena, &j->s->graph, &desc, &made, NULL), "pipeline");
    j->count = made.n_stages;
    return made;
}

static void step_pipeline(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    (void)pipeline_of(j);
    gsp_arena_rewind(&j->s->arena, mark);
}

static void step_backward(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_pipeline_result made = pipeline_of(j);
    gsp_backward_result back;
    require(gsp_backward_run(&j->s->arena, &made, NULL, &back, NULL), "backward");
    gsp_arena_rewind(&j->s->arena, mark);
}

/* What the steps need at most: the root has no more of anything than its module. */
static size_t bound_of_pipeline(const subject *s, const uint32_t *stage_of, size_t *train)
{
    gsp_pipeline_desc desc = {0};
    gsp_counts const *c = &s->module.counts;
    desc.params.stage_of = stage_of;
    size_t pipe = gsp_stages_even_bound(&s->graph, NULL) + gsp_pipeline_bound(&s->graph, &desc);
    *train = pipe + 4u * gsp_build_bound(c) + 2000u * (size_t)c->nodes;
    return pipe;
}

void bench_pipeline(uint32_t n)
{
    static const step steps[] = {step_kahn, step_pipeline, step_backward};
    static const char *const names[] = {"kahn", "pipeline-64", "pipeline-64-train"};
    subject s;
    job j;
    cli_runs times[3];
    size_t bounds[3] = {0};
    void *memory;
    subject_layered(&s, n, KIND_IID);
    j = job_of(&s);
    bounds[1] = bound_of_pipeline(&s, stages_of(&s), &bounds[2]);
    memory = allocate(bounds[2], 1);
    gsp_arena_init(&s.arena, memory, bounds[2]); /* in place of that behind the module */
    measure(&j, steps, 3, times);
    for (int i = 1; i < 3; i++) {
        row r = row_of(&j, names[i], "iid", &times[i], &times[0]);
        measure_bytes(&j, steps[i], bounds[i], &r);
        r.count = j.count;
        print_row(&r);
    }
    free(memory);
    job_free(&j);
    subject_free(&s);
}
