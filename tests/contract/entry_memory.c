/* The entry points about memory and plans in one shape; see entry.h. */
#include "tests/contract/entry.h"

static const char plan_text[] = "plan 1\n[first] acc\nn1\nn2\nn*\n# note\n[second]\nn3\nn1\n";
static const char *wrong;

/* ---- liveness ---- */

static gsp_liveness_desc liveness_desc(const entry_input *in)
{
    gsp_liveness_desc d;
    memset(&d, 0, sizeof(d));
    d.n_parts = in->split.n_subgraphs;
    d.part_of = in->split.subgraph_of;
    d.order = in->split.nodes;
    d.n_order = in->split.subgraph_begin[in->split.n_subgraphs];
    return d;
}

size_t entry_liveness_bound(const entry_input *in)
{
    return gsp_liveness_bound(&in->graph, NULL);
}

gsp_status entry_liveness_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    return gsp_liveness_run(arena, &in->graph, NULL, &out->liveness, err);
}

void entry_liveness_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_liveness_result const *const r = &out->liveness;
    uint32_t i;
    (void)in;
    for (i = 0; i < r->n_parts; i++) {
        t_number(bytes, (uint32_t)r->parts[i].bytes);
        t_number(bytes, r->parts[i].node);
        t_number(bytes, r->parts[i].step);
    }
    t_add(bytes, (const char *)r->live, r->step_begin[r->n_parts] * sizeof(uint64_t));
    t_add(bytes, (const char *)r->nodes, r->step_begin[r->n_parts] * sizeof(gsp_node));
    t_add(bytes, (const char *)r->tensors, r->tensor_begin[r->n_parts] * sizeof(gsp_node));
}

size_t entry_liveness_parts_bound(const entry_input *in)
{
    gsp_liveness_desc const d = liveness_desc(in);
    return gsp_liveness_bound(&in->graph, &d);
}

gsp_status entry_liveness_parts_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_liveness_desc const d = liveness_desc(in);
    return gsp_liveness_run(arena, &in->graph, &d, &out->liveness, err);
}

void entry_liveness_parts_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    entry_liveness_dump(in, out, bytes);
}

/* ---- memory plan ---- */

size_t entry_memory_plan_bound(const entry_input *in)
{
    return gsp_memory_plan_bound(&in->graph, NULL);
}

gsp_status entry_memory_plan_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    return gsp_memory_plan_run(arena, &in->graph, NULL, &out->memory_plan, err);
}

void entry_memory_plan_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_memory_plan_result const *const r = &out->memory_plan;
    uint32_t i;
    t_number(bytes, (uint32_t)r->arena);
    for (i = 0; i < r->n_tensors; i++) {
        t_number(bytes, r->tensors[i].node);
        t_number(bytes, (uint32_t)r->tensors[i].offset);
        t_number(bytes, (uint32_t)r->tensors[i].bytes);
    }
    t_add(bytes, (const char *)r->tensor_of, in->counts.nodes * sizeof(uint32_t));
}

/* Scratch for every node, and the tree of tops, in the order of a split, with results in place. */
static uint64_t scratch[ENTRY_NODES + 64u];
static uint32_t in_place[ENTRY_NODES + 64u];

static gsp_memory_plan_desc scratch_desc(const entry_input *in)
{
    gsp_memory_plan_desc d;
    uint32_t i;
    memset(&d, 0, sizeof(d));
    for (i = 0; i < T_COUNT_OF(scratch); i++) {
        scratch[i] = i % 5u * 8u;
        in_place[i] = 3;
    }
    d.scratch = scratch;
    d.in_place = in_place;
    d.part_of = in->split.subgraph_of;
    d.order = in->split.nodes;
    d.n_order = in->split.subgraph_begin[in->split.n_subgraphs];
    d.max_work = 5;
    return d;
}

size_t entry_memory_plan_scratch_bound(const entry_input *in)
{
    gsp_memory_plan_desc const d = scratch_desc(in);
    return gsp_memory_plan_bound(&in->graph, &d);
}

gsp_status entry_memory_plan_scratch_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_memory_plan_desc const d = scratch_desc(in);
    return gsp_memory_plan_run(arena, &in->graph, &d, &out->memory_plan, err);
}

void entry_memory_plan_scratch_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_memory_plan_result const *const r = &out->memory_plan;
    entry_memory_plan_dump(in, out, bytes);
    t_number(bytes, r->n_in_place);
    t_add(bytes, (const char *)r->crosses, r->n_tensors * sizeof(uint32_t));
    t_add(bytes, (const char *)r->stands_on, in->counts.nodes * sizeof(gsp_node));
}

/* ---- memory pack ---- */

/* Stacked tensors that fit into less. */
static gsp_tensor tensors[12];

static gsp_memory_pack_desc memory_pack_desc(void)
{
    gsp_memory_pack_desc d;
    uint32_t i;
    memset(&d, 0, sizeof(d));
    for (i = 0; i < T_COUNT_OF(tensors); i++) {
        tensors[i].offset = 64u * i;
        tensors[i].bytes = 16u * (1u + i % 4u);
        tensors[i].begin = i;
        tensors[i].end = i + i % 3u;
    }
    d.max_work = 5000;
    return d;
}

size_t entry_memory_pack_bound(const entry_input *in)
{
    gsp_memory_pack_desc const d = memory_pack_desc();
    (void)in;
    return gsp_memory_pack_bound(T_COUNT_OF(tensors), &d);
}

gsp_status entry_memory_pack_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_memory_pack_desc const d = memory_pack_desc();
    (void)in;
    return gsp_memory_pack_run(arena, tensors, T_COUNT_OF(tensors), &d, &out->memory_pack, err);
}

void entry_memory_pack_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_memory_pack_result const *const r = &out->memory_pack;
    (void)in;
    t_number(bytes, (uint32_t)r->bytes);
    t_number(bytes, (uint32_t)r->lower_bound);
    t_add(bytes, (const char *)r->offsets, sizeof(tensors) / sizeof(tensors[0]) * sizeof(uint64_t));
}

/* ---- intervals ---- */

/* The same tensors, one of them live twice, two at one address, two apart. */
static gsp_intervals_desc intervals_desc(void)
{
    static const uint32_t together[] = {0, 2};
    static const uint32_t apart[] = {1, 5, 3, 9};
    static uint32_t resumed[T_COUNT_OF(tensors)];
    gsp_intervals_desc d;
    memset(&d, 0, sizeof(d));
    (void)memory_pack_desc();
    tensors[8].bytes = tensors[7].bytes;
    tensors[8].begin = tensors[8].end = 10;
    resumed[8] = 1;
    d.n_tensors = T_COUNT_OF(tensors);
    d.tensors = tensors;
    d.resumed = resumed;
    d.n_together = 1;
    d.together = together;
    d.n_apart = 2;
    d.apart = apart;
    d.capacity = 100;
    d.max_work = 5000;
    return d;
}

size_t entry_intervals_peak_bound(const entry_input *in)
{
    (void)in;
    return gsp_intervals_peak_bound(T_COUNT_OF(tensors));
}

gsp_status entry_intervals_peak_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_intervals_desc const d = intervals_desc();
    (void)in;
    return gsp_intervals_peak_run(arena, d.tensors, d.n_tensors, &out->intervals_peak, err);
}

void entry_intervals_peak_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    t_number(bytes, (uint32_t)out->intervals_peak.bytes);
    t_number(bytes, out->intervals_peak.step);
}

size_t entry_intervals_fit_bound(const entry_input *in)
{
    gsp_intervals_desc const d = intervals_desc();
    (void)in;
    return gsp_intervals_fit_bound(&d);
}

gsp_status entry_intervals_fit_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_intervals_desc const d = intervals_desc();
    (void)in;
    return gsp_intervals_fit_run(arena, &d, &out->intervals_fit, err);
}

void entry_intervals_fit_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    t_number(bytes, (uint32_t)out->intervals_fit.bytes);
    t_add(bytes, (const char *)out->intervals_fit.offsets, T_COUNT_OF(tensors) * sizeof(uint64_t));
}

size_t entry_intervals_bound(const entry_input *in)
{
    gsp_intervals_desc const d = intervals_desc();
    (void)in;
    return gsp_intervals_bound(&d);
}

gsp_status entry_intervals_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_intervals_desc const d = intervals_desc();
    (void)in;
    return gsp_intervals_run(arena, &d, &out->intervals, err);
}

void entry_intervals_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_intervals_result const *const r = &out->intervals;
    (void)in;
    t_number(bytes, (uint32_t)r->bytes);
    t_number(bytes, (uint32_t)r->lower_bound);
    t_number(bytes, (uint32_t)r->fit);
    t_number(bytes, (uint32_t)r->peak.bytes);
    t_add(bytes, (const char *)r->offsets, T_COUNT_OF(tensors) * sizeof(uint64_t));
}

size_t entry_intervals_misfit_bound(const entry_input *in)
{
    gsp_intervals_desc const d = intervals_desc();
    (void)in;
    return gsp_intervals_misfit_bound(&d);
}

gsp_status entry_intervals_misfit_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_intervals_desc const d = intervals_desc();
    (void)in;
    return gsp_intervals_misfit_run(arena, &d, &out->intervals_misfit, err);
}

void entry_intervals_misfit_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_intervals_misfit const *const r = &out->intervals_misfit;
    (void)in;
    t_number(bytes, r->n);
    t_number(bytes, r->minimal);
    t_number(bytes, (uint32_t)r->peak.bytes);
    t_add(bytes, (const char *)r->tensors, r->n * sizeof(uint32_t));
}

/* ---- memory check ---- */

size_t entry_memory_check_bound(const entry_input *in)
{
    (void)in;
    return gsp_memory_check_bound(T_COUNT_OF(tensors), NULL);
}

gsp_status entry_memory_check_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    (void)in;
    (void)out;
    (void)memory_pack_desc();
    return gsp_memory_check_run(arena, tensors, T_COUNT_OF(tensors), NULL, err);
}

void entry_memory_check_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    (void)out;
    t_number(bytes, 0);
}

/* ---- tradeoff ---- */

static gsp_tradeoff_desc tradeoff_desc(void)
{
    static const uint32_t begin[ENTRY_NODES + 1u] = {0};
    static const uint64_t bytes[ENTRY_NODES] = {0};
    gsp_tradeoff_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.uses.begin = begin;
    desc.bytes = bytes;
    desc.fixed = 3;
    desc.max_points = 2;
    desc.max_bytes = 65536;
    return desc;
}

size_t entry_tradeoff_bound(const entry_input *in)
{
    gsp_tradeoff_desc const desc = tradeoff_desc();
    return gsp_tradeoff_bound(&in->tasks, &desc);
}

gsp_status entry_tradeoff_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_tradeoff_desc const desc = tradeoff_desc();
    return gsp_tradeoff_run(arena, &in->tasks, &desc, &out->tradeoff, err);
}

void entry_tradeoff_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    const gsp_tradeoff_result *const r = &out->tradeoff;
    t_number(bytes, r->n_points);
    t_number(bytes, r->complete);
    for (uint32_t i = 0; i < r->n_points; i++) {
        t_number(bytes, (uint32_t)r->points[i].peak);
        t_number(bytes, (uint32_t)r->points[i].crossed);
        t_add(bytes, (const char *)r->points[i].order, in->tasks.n_tasks * sizeof(uint32_t));
    }
}

/* ---- memories ---- */

static gsp_memories_desc memories_desc(void)
{
    static const gsp_memory two[] = {{64u, 1u, 0u, 0u}, {1024u, 3u, 0u, 0u}};
    gsp_memories_desc d;
    (void)memory_pack_desc();
    memset(&d, 0, sizeof(d));
    d.tensors = tensors;
    d.n_tensors = T_COUNT_OF(tensors);
    d.memories = two;
    d.n_memories = T_COUNT_OF(two);
    d.max_states = 2;
    return d;
}

size_t entry_memories_bound(const entry_input *in)
{
    gsp_memories_desc const d = memories_desc();
    (void)in;
    return gsp_memories_bound(&d);
}

gsp_status entry_memories_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_memories_desc const d = memories_desc();
    (void)in;
    return gsp_memories_run(arena, &d, &out->memories, err);
}

void entry_memories_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_memories_result const *const r = &out->memories;
    (void)in;
    t_number(bytes, (uint32_t)r->cost);
    t_number(bytes, (uint32_t)r->lower_bound);
    t_add(bytes, (const char *)r->memory, T_COUNT_OF(tensors) * sizeof(uint32_t));
    t_add(bytes, (const char *)r->offset, T_COUNT_OF(tensors) * sizeof(uint64_t));
}

/* ---- prefetch ---- */

static gsp_prefetch_desc prefetch_desc(void)
{
    static const uint64_t times[] = {3, 1, 4, 2};
    static const uint64_t live[] = {8, 24, 16, 8};
    static const uint32_t uses[] = {1, 1, 2, 3};
    static const uint64_t bytes[] = {8, 16, 24, 16};
    static const uint64_t ticks[] = {2, 4, 6, 4};
    gsp_prefetch_desc d;
    memset(&d, 0, sizeof(d));
    d.n_steps = T_COUNT_OF(times);
    d.times = times;
    d.live = live;
    d.n_copies = T_COUNT_OF(uses);
    d.uses = uses;
    d.bytes = bytes;
    d.ticks = ticks;
    d.capacity = 56;
    return d;
}

size_t entry_prefetch_bound(const entry_input *in)
{
    gsp_prefetch_desc const d = prefetch_desc();
    (void)in;
    return gsp_prefetch_bound(&d);
}

gsp_status entry_prefetch_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_prefetch_desc const d = prefetch_desc();
    (void)in;
    return gsp_prefetch_run(arena, &d, &out->prefetch, err);
}

void entry_prefetch_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_prefetch_desc const d = prefetch_desc();
    gsp_prefetch_result const *const r = &out->prefetch;
    (void)in;
    t_number(bytes, (uint32_t)r->stall);
    t_number(bytes, (uint32_t)r->lower_bound);
    t_number(bytes, (uint32_t)r->serial);
    t_number(bytes, (uint32_t)r->peak);
    t_add(bytes, (const char *)r->starts, d.n_copies * sizeof(uint64_t));
    t_add(bytes, (const char *)r->steps, d.n_copies * sizeof(uint32_t));
    t_add(bytes, (const char *)r->ends, d.n_steps * sizeof(uint64_t));
    t_add(bytes, (const char *)r->stalls, d.n_steps * sizeof(uint64_t));
}

/* ---- split by memory ---- */

static gsp_split_by_memory_desc split_by_memory_desc(const entry_input *in)
{
    gsp_split_by_memory_desc d;
    memset(&d, 0, sizeof(d));
    d.budget = 1u << 20;
    d.order = in->split.nodes;
    d.n_order = in->split.subgraph_begin[in->split.n_subgraphs];
    return d;
}

size_t entry_split_by_memory_bound(const entry_input *in)
{
    gsp_split_by_memory_desc const d = split_by_memory_desc(in);
    return gsp_split_by_memory_bound(&in->graph, &d);
}

gsp_status entry_split_by_memory_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_split_by_memory_desc const d = split_by_memory_desc(in);
    return gsp_split_by_memory_run(arena, &in->graph, &d, &out->split_by_memory, err);
}

void entry_split_by_memory_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_split_by_memory_result const *const r = &out->split_by_memory;
    t_number(bytes, r->n_parts);
    t_number(bytes, (uint32_t)r->boundary);
    t_add(bytes, (const char *)r->part_of, in->counts.nodes * sizeof(uint32_t));
    t_add(bytes, (const char *)r->begin, (r->n_parts + 1u) * sizeof(uint32_t));
    t_add(bytes, (const char *)r->nodes, r->begin[r->n_parts] * sizeof(gsp_node));
}

/* ---- plans ---- */

size_t entry_plan_file_read_bound(const entry_input *in)
{
    (void)in;
    return cli_plan_parse_bound(gsp_str_of(plan_text));
}

gsp_status entry_plan_file_read_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    (void)in;
    return cli_plan_parse(arena, gsp_str_of(plan_text), &out->plan, &wrong, err);
}

void entry_plan_file_read_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    uint32_t i;
    (void)in;
    for (i = 0; i < out->plan.n_lines; i++) {
        cli_plan_line const line = out->plan.lines[i];
        t_add(bytes, line.pattern.data, line.pattern.size);
        t_number(bytes, line.part);
    }
}

static cli_plan_text parsed(gsp_arena *arena)
{
    cli_plan_text plan;
    t_arena_open(arena, cli_plan_parse_bound(gsp_str_of(plan_text)));
    T_EQUAL(cli_plan_parse(arena, gsp_str_of(plan_text), &plan, &wrong, NULL), GSP_OK);
    return plan;
}

size_t entry_plan_file_match_bound(const entry_input *in)
{
    gsp_arena arena;
    cli_plan_text const plan = parsed(&arena);
    size_t const bound = cli_plan_apply_bound(in->counts.nodes, &plan);
    t_arena_close(&arena);
    return bound;
}

gsp_status entry_plan_file_match_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_arena own;
    cli_plan_text const plan = parsed(&own);
    gsp_status const status = cli_plan_apply(arena, &in->graph, &plan, &out->applied, err);
    t_arena_close(&own);
    return status;
}

void entry_plan_file_match_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    t_number(bytes, out->applied.n_placed);
    t_add(bytes, (const char *)out->applied.part_of, in->counts.nodes * sizeof(uint32_t));
    t_add(bytes, (const char *)out->applied.line_of, in->counts.nodes * sizeof(uint32_t));
}

static int nowhere(void *user, const char *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    return 0;
}

size_t entry_plan_file_write_bound(const entry_input *in)
{
    return cli_plan_write_bound(in->counts.nodes, in->split.n_subgraphs);
}

gsp_status entry_plan_file_write_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    cli_plan_desc d;
    (void)out;
    memset(&d, 0, sizeof(d));
    d.n_parts = in->split.n_subgraphs;
    d.part_of = in->split.subgraph_of;
    d.names = in->names;
    return cli_plan_write(arena, &in->graph, &d, nowhere, NULL, err);
}

void entry_plan_file_write_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    (void)out;
    t_puts(bytes, "-");
}

static gsp_compare_desc compare_desc(const entry_input *in)
{
    gsp_compare_desc d;
    memset(&d, 0, sizeof(d));
    d.n_items = in->counts.nodes;
    d.n_parts[0] = in->split.n_subgraphs;
    d.n_parts[1] = in->split.n_raw;
    d.part_of[0] = in->split.subgraph_of;
    d.part_of[1] = in->split.raw_of;
    return d;
}

size_t entry_compare_bound(const entry_input *in)
{
    gsp_compare_desc const d = compare_desc(in);
    return gsp_compare_bound(&d);
}

gsp_status entry_compare_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_compare_desc const d = compare_desc(in);
    return gsp_compare_run(arena, &d, &out->compared, err);
}

void entry_compare_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_compare_result const *const r = &out->compared;
    t_number(bytes, r->n_agree);
    t_number(bytes, r->n_moved);
    t_add(bytes, (const char *)r->partner[0], in->split.n_subgraphs * sizeof(uint32_t));
    t_add(bytes, (const char *)r->partner[1], in->split.n_raw * sizeof(uint32_t));
    t_add(bytes, (const char *)r->change[0], in->split.n_subgraphs);
    t_add(bytes, (const char *)r->change[1], in->split.n_raw);
}

/* ---- orders ---- */

/* Three phases; all calls are in the first one. */
static gsp_tasks_desc tasks_desc(const entry_input *in)
{
    static const uint32_t phase[ENTRY_NODES] = {0};
    gsp_tasks_desc desc = {0};
    (void)in;
    desc.n_phases = 3u;
    desc.early = phase;
    desc.late = phase;
    return desc;
}

size_t entry_tasks_bound(const entry_input *in)
{
    gsp_tasks_desc const desc = tasks_desc(in);
    return gsp_tasks_bound(&in->graph, &desc);
}

gsp_status entry_tasks_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_tasks_desc const desc = tasks_desc(in);
    return gsp_tasks_run(arena, &in->graph, &desc, &out->tasks, err);
}

static void dump_edges(const gsp_edges *edges, uint32_t n, t_string *bytes)
{
    t_add(bytes, (const char *)edges->begin, (n + 1u) * sizeof(uint32_t));
    t_add(bytes, (const char *)edges->at, edges->begin[n] * sizeof(uint32_t));
}

void entry_tasks_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    const gsp_tasks *const t = &out->tasks;
    (void)in;
    t_number(bytes, t->n_tasks);
    t_number(bytes, t->n_calls);
    t_number(bytes, (uint32_t)t->live);
    t_number(bytes, (uint32_t)t->least);
    dump_edges(&t->nodes, t->n_tasks, bytes);
    dump_edges(&t->before, t->n_tasks, bytes);
    dump_edges(&t->after, t->n_tasks, bytes);
    dump_edges(&t->makes, t->n_tasks, bytes);
    dump_edges(&t->reads, t->n_tasks + 1u, bytes);
    dump_edges(&t->readers, t->n_tensors, bytes);
    t_add(bytes, (const char *)t->task_of, t->n_nodes * sizeof(uint32_t));
    t_add(bytes, (const char *)t->bytes, t->n_tensors * sizeof(uint64_t));
    t_add(bytes, (const char *)t->extra, t->n_tasks * sizeof(uint64_t));
    t_add(bytes, (const char *)t->earliest, t->n_tasks * sizeof(uint32_t));
    t_add(bytes, (const char *)t->kind, t->n_tasks);
}

static gsp_least_peak_desc least_peak_desc(void)
{
    gsp_least_peak_desc desc = {0};
    desc.max_states = 1024u;
    desc.tries = 2u;
    return desc;
}

size_t entry_least_peak_bound(const entry_input *in)
{
    gsp_least_peak_desc const desc = least_peak_desc();
    return gsp_least_peak_bound(&in->tasks, &desc);
}

gsp_status entry_least_peak_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_least_peak_desc const desc = least_peak_desc();
    return gsp_least_peak_run(arena, &in->tasks, &desc, &out->least_peak, err);
}

void entry_least_peak_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    const gsp_least_peak_result *const r = &out->least_peak;
    t_number(bytes, (uint32_t)r->peak);
    t_number(bytes, (uint32_t)r->lower_bound);
    t_number(bytes, (uint32_t)r->work);
    t_number(bytes, r->proved);
    t_add(bytes, (const char *)r->order, in->tasks.n_tasks * sizeof(uint32_t));
    t_add(bytes, (const char *)r->nodes, in->graph.n_nodes * sizeof(gsp_node));
}
