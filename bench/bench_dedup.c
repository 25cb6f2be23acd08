/* Rows of deduplication. */
#include "bench.h"

#include "examples/extra/graphsplit_repeats.h"

#include <stdlib.h>

/* ---- deduplication ---- */

/* A chain of equal blocks of 100 nodes, each of which reads two of the three before it. */
static void subject_blocks(subject *s, uint32_t n)
{
    static const char *const targets[] = {"torch.mul", "torch.add", "torch.matmul", "torch.sub"};
    gsp_builder b;
    gsp_node at;
    subject_begin(
        s, &b, gsp_build_counts(1, n + 2u, 4u * n + 64u, 4u * n + 8u, n + 2048u, 10u * n + 65536u));
    add_placeholder(&b);
    at = 0;
    for (uint32_t i = 0; i < n; i++) {
        char text[32];
        uint32_t place = i % 100u;
        gsp_node block = at - place;
        gsp_node v = gsp_build_node(&b, GSP_OP_CALL_FUNCTION, name_of(text, sizeof text, i + 1u),
            gsp_str_of(targets[place % 4u]));
        gsp_build_type(&b, gsp_str_of("f32[4, 8]"));
        gsp_build_arg_node(&b, at);
        gsp_build_arg_node(&b, place > 3u ? at - place % 3u : block);
        gsp_build_constant(&b, gsp_str_of(place % 2u != 0 ? "1" : "2"));
        at = v;
    }
    (void)gsp_build_output(&b);
    gsp_build_arg_node(&b, at);
    subject_finish(s, &b, room_for_passes);
}

static void step_regions(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_regions r;
    require(gsp_regions_run(&j->s->arena, &j->s->graph, NULL, &r, NULL), "regions");
    j->count = r.n_groups;
    gsp_arena_rewind(&j->s->arena, mark);
}

static void step_dedup(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_dedup_result r;
    require(gsp_dedup_run(&j->s->arena, &j->s->graph, NULL, &r, NULL), "dedup");
    j->count = r.selection.n_calls;
    gsp_arena_rewind(&j->s->arena, mark);
}

/* A round of one state, and a work of 64 per node. */
static gsp_repeats_desc repeats_desc(uint32_t n)
{
    gsp_repeats_desc desc = {0};
    desc.max_states = 1;
    desc.max_work = 64u * (uint64_t)n;
    return desc;
}

/* Regions, and those that save most nodes. */
static void step_repeats(job *j)
{
    gsp_repeats_desc const desc = repeats_desc(j->s->graph.n_nodes);
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_regions known;
    gsp_repeats_result r;
    require(gsp_regions_run(&j->s->arena, &j->s->graph, NULL, &known, NULL), "regions");
    require(gsp_repeats_run(&j->s->arena, &j->s->graph, &known, &desc, &r, NULL), "repeats");
    j->count = (uint32_t)r.saved;
    gsp_arena_rewind(&j->s->arena, mark);
}

/* Of regions, and of the search among them. */
static size_t repeats_bound(const gsp_graph *g)
{
    gsp_repeats_desc const desc = repeats_desc(g->n_nodes);
    size_t const bound = gsp_regions_bound(g, NULL);
    void *memory = allocate(bound, 1);
    gsp_arena arena;
    gsp_regions known;
    gsp_arena_init(&arena, memory, bound);
    require(gsp_regions_run(&arena, g, NULL, &known, NULL), "regions");
    size_t const both = bound + gsp_repeats_bound(g, &known, &desc);
    free(memory);
    return both;
}

#define STEPS 4

void bench_dedup(uint32_t n, int blocks)
{
    static const step steps[STEPS] = {step_kahn, step_regions, step_dedup, step_repeats};
    static const char *const names[STEPS] = {"kahn", "regions", "dedup", "repeats"};
    subject s;
    job j;
    cli_runs times[STEPS];
    size_t bounds[STEPS] = {0};
    size_t most;
    void *memory;
    if (blocks) {
        subject_blocks(&s, n);
    } else {
        subject_layered(&s, n, KIND_IID);
    }
    j = job_of(&s);
    bounds[1] = gsp_regions_bound(&s.graph, NULL);
    bounds[2] = gsp_dedup_bound(&s.graph, NULL);
    bounds[3] = repeats_bound(&s.graph);
    most = bounds[2] > bounds[3] ? bounds[2] : bounds[3];
    memory = allocate(most, 1);
    gsp_arena_init(&s.arena, memory, most); /* in place of that behind the module */
    measure(&j, steps, STEPS, times);
    for (int i = 1; i < STEPS; i++) {
        row r = row_of(&j, names[i], blocks ? "block" : "iid", &times[i], &times[0]);
        measure_bytes(&j, steps[i], bounds[i], &r);
        r.count = j.count;
        print_row(&r);
    }
    free(memory);
    job_free(&j);
    subject_free(&s);
}
