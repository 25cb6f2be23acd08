/* Rows of graphs: reading and writing text, and the order of writes. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

static void step_read(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->text_arena);
    gsp_module module;
    require(gsp_text_read(&j->text_arena, j->text, j->text_size, NULL, &module, NULL), "read");
    j->count = module.counts.nodes;
    gsp_arena_rewind(&j->text_arena, mark);
}

static int to_buffer(void *user, const char *data, size_t size)
{
    job *j = (job *)user;
    if (size > j->text_room - j->text_size) {
        return 1;
    }
    memcpy(j->text + j->text_size, data, size);
    j->text_size += size;
    return 0;
}

static void step_write(job *j)
{
    j->text_size = 0;
    require(gsp_text_write(&j->s->module, NULL, to_buffer, j, NULL), "write");
}

void bench_text(job *j, const char *kind, const cli_runs *kahn)
{
    static const step steps[] = {step_write, step_read};
    static const char *const names[] = {"write", "read"};
    gsp_counts counts;
    cli_runs times[2];
    size_t bound;
    void *memory;
    j->text_room = (size_t)j->s->counts.nodes * 256u + 4096u;
    j->text = (char *)allocate(j->text_room, 1);
    step_write(j);
    require(gsp_text_count(j->text, j->text_size, &counts, NULL), "count");
    bound = gsp_build_bound(&counts);
    memory = allocate(bound, 1);
    gsp_arena_init(&j->text_arena, memory, bound);
    measure(j, steps, 2, times);
    for (int s = 0; s < 2; s++) {
        row r = row_of(j, names[s], kind, &times[s], kahn);
        r.mb_per_s = (double)j->text_size / times[s].median * 1e3;
        r.count = (uint32_t)j->text_size;
        print_row(&r);
    }
    free(memory);
}

/* ---- the order of writes ---- */

static void step_dependences(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_dependences d;
    require(gsp_dependences_run(&j->s->arena, &j->s->graph, NULL, &d, NULL), "dependences");
    j->count = d.n_dependences;
    gsp_arena_rewind(&j->s->arena, mark);
}

static void step_order(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_order order;
    require(gsp_order_run(&j->s->arena, &j->s->graph, &j->dependences, &order, NULL), "order");
    j->count = order.after.begin[j->s->graph.n_nodes];
    gsp_arena_rewind(&j->s->arena, mark);
}

void bench_order(uint32_t n)
{
    static const step steps[] = {step_kahn, step_dependences, step_order};
    static const char *const names[] = {"kahn", "dependences", "order"};
    subject s;
    job j;
    cli_runs times[3];
    size_t bounds[3] = {0};
    size_t room;
    void *memory;
    subject_layered(&s, n, KIND_WRITES);
    j = job_of(&s);
    bounds[1] = gsp_dependences_bound(&s.graph, NULL);
    memory = allocate(bounds[1], 1);
    gsp_arena_init(&s.arena, memory, bounds[1]);
    require(gsp_dependences_run(&s.arena, &s.graph, NULL, &j.dependences, NULL), "dependences");
    bounds[2] = gsp_order_bound(&s.graph, &j.dependences);
    room = bounds[1] > bounds[2] ? bounds[1] : bounds[2];
    gsp_arena_init(&s.arena, allocate(room, 1), room);
    measure(&j, steps, 3, times);
    for (int i = 1; i < 3; i++) {
        row r = row_of(&j, names[i], "write", &times[i], &times[0]);
        measure_bytes(&j, steps[i], bounds[i], &r);
        r.count = j.count;
        print_row(&r);
    }
    free(s.arena.base);
    free(memory);
    job_free(&j);
    subject_free(&s);
}
