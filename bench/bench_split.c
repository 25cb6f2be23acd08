/* Rows of splits: support, fusion, split, modules of subgraphs, drawings, previews. */
#include "bench.h"

#include "examples/extra/graphsplit_compare.h"
#include "examples/extra/graphsplit_downsets.h"
#include "examples/extra/graphsplit_draw.h"
#include "examples/extra/graphsplit_limits.h"
#include "examples/extra/graphsplit_offload.h"
#include "examples/extra/graphsplit_operators.h"
#include "examples/extra/graphsplit_order.h"

#include <stdlib.h>
#include <string.h>

static void step_support(job *j)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_placement placement;
    require(gsp_support_run(&j->s->arena, &j->s->graph, NULL, &placement, NULL), "support");
    j->count = placement.n_kinds;
    gsp_arena_rewind(&j->s->arena, mark);
}

/* All operators are in a table. */
static void run_table(job *j, const char *line)
{
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    gsp_placement placement;
    gsp_rule rule = {0};
    gsp_accelerator acc = {&rule, 1};
    gsp_support_desc desc = {0};
    rule.kind = GSP_RULE_TABLE;
    desc.accelerators = &acc;
    desc.n_accelerators = 1;
    require(gsp_table_read(&j->s->arena, gsp_str_of(line), &rule.table, NULL), "table");
    require(gsp_support_run(&j->s->arena, &j->s->graph, &desc, &placement, NULL), "support");
    j->count = 0;
    for (gsp_node v = 0; v < j->s->graph.n_nodes; v++) {
        j->count += placement.kind[v] == 1u ? 1u : 0u;
    }
    gsp_arena_rewind(&j->s->arena, mark);
}

static void step_support_table(job *j)
{
    run_table(j, "* f32");
}

static void step_support_constraints(job *j)
{
    run_table(j, "* f32 stride<=3 dilation==1 rank==4 batch==1 const(1)");
}

/* Support bits to tags. */
static void split_and_tag(job *j, gsp_split_result *result)
{
    gsp_split_desc desc = {0};
    char tag[32];
    desc.placement = &j->placement;
    require(gsp_split_run(&j->s->arena, &j->s->graph, &desc, result, NULL), "split");
    for (uint32_t i = 0; i < result->n_subgraphs; i++) {
        gsp_split_tag(result, i, tag, sizeof tag);
    }
}

static void step_split(job *j)
{
    gsp_arena *arena = &j->s->arena;
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_split_result result;
    split_and_tag(j, &result);
    j->count = result.n_subgraphs;
    gsp_arena_rewind(arena, mark);
}

/* The split, and the module of all submodules and their root. */
static void step_split_by_tags(job *j)
{
    enum { TAG_BYTES = 32 };
    gsp_arena *arena = &j->s->arena;
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_split_result split;
    gsp_split_by_tags_desc desc = {0};
    gsp_split_by_tags_result result;
    gsp_str *names;
    char *chars;
    split_and_tag(j, &split);
    names = (gsp_str *)gsp_arena_push(arena, split.n_subgraphs, sizeof *names);
    chars = (char *)gsp_arena_push(arena, split.n_subgraphs, TAG_BYTES);
    if (!names || !chars) {
        die("no room for tags");
    }
    for (uint32_t i = 0; i < split.n_subgraphs; i++) {
        names[i].data = chars + (size_t)i * TAG_BYTES;
        names[i].size =
            (uint32_t)gsp_split_tag(&split, i, chars + (size_t)i * TAG_BYTES, TAG_BYTES);
    }
    desc.n_tags = split.n_subgraphs;
    desc.tag_of = split.subgraph_of;
    desc.names = names;
    require(gsp_split_by_tags_run(arena, &j->s->graph, &desc, &result, NULL), "split_by_tags");
    j->count = result.module.counts.graphs;
    gsp_arena_rewind(arena, mark);
}

/* The graph as DOT, coloured by support, into a sink that counts. */
static int to_count(void *user, const char *data, size_t size)
{
    (void)data;
    *(size_t *)user += size;
    return 0;
}

static void step_draw(job *j)
{
    gsp_draw_desc desc = {0};
    size_t size = 0;
    desc.kind = j->placement.kind;
    require(gsp_draw_graph(&j->s->graph, &desc, to_count, &size, NULL), "draw");
    j->count = (uint32_t)size;
}

/* The split, types of nodes, and what the split would move. */
static void step_preview(job *j)
{
    gsp_arena *arena = &j->s->arena;
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_split_result split;
    gsp_signatures_result types;
    gsp_preview_result preview;
    split_and_tag(j, &split);
    require(gsp_signatures_run(arena, &j->s->graph, &j->placement, &types, NULL), "types");
    require(gsp_preview_run(arena, &j->s->graph, &split, NULL, &preview, NULL), "preview");
    j->count = preview.n_subgraphs;
    gsp_arena_rewind(arena, mark);
}

/* The nodes that at most three accelerator subgraphs keep. */
static void step_demote(job *j)
{
    gsp_arena *arena = &j->s->arena;
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_split_result split;
    gsp_demote_desc desc = {0};
    gsp_demote_result result;
    gsp_arena room;
    size_t bound;
    split_and_tag(j, &split);
    desc.split = &split;
    desc.max_acc = 3;
    bound = gsp_demote_bound(&j->s->graph, &desc);
    gsp_arena_init(&room, malloc(bound), bound);
    require(gsp_demote_run(&room, &j->s->graph, &desc, &result, NULL), "demote");
    j->count = (uint32_t)result.value;
    free(room.base);
    gsp_arena_rewind(arena, mark);
}

/* Accelerator subgraphs of at most 1 KB. */
static void step_limits(job *j)
{
    gsp_arena *arena = &j->s->arena;
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_split_desc split = {0};
    gsp_limit const limits[2] = {{0, 0, 0, 0}, {1024, 0, 0, 0}};
    gsp_limits_desc desc = {0};
    gsp_limits_result result;
    gsp_arena room;
    size_t bound;
    split.placement = &j->placement;
    desc.split = &split;
    desc.limits = limits;
    bound = gsp_limits_bound(&j->s->graph, &desc);
    gsp_arena_init(&room, malloc(bound), bound);
    require(gsp_limits_run(&room, &j->s->graph, &desc, &result, NULL), "limits");
    j->count = result.n_acc;
    free(room.base);
    gsp_arena_rewind(arena, mark);
}

/* The order of the least peak, with 2^16 tasks tried. */
static void step_least_peak(job *j)
{
    gsp_least_peak_desc desc = {0};
    gsp_least_peak_result result;
    gsp_tasks tasks;
    gsp_arena room[2];
    size_t bound = gsp_tasks_bound(&j->s->graph, NULL);
    gsp_arena_init(&room[0], malloc(bound), bound);
    require(gsp_tasks_run(&room[0], &j->s->graph, NULL, &tasks, NULL), "tasks");
    desc.max_work = (uint64_t)1 << 16;
    bound = gsp_least_peak_bound(&tasks, &desc);
    gsp_arena_init(&room[1], malloc(bound), bound);
    require(gsp_least_peak_run(&room[1], &tasks, &desc, &result, NULL), "least_peak");
    j->count = (uint32_t)(result.peak / 1024u);
    free(room[1].base);
    free(room[0].base);
}

/* Columns of three kinds, each of which is fast at a third of the nodes. */
typedef struct sides {
    uint8_t *can;
    uint64_t *ticks[3];
    const uint8_t *cans[3];
    const uint64_t *columns[3];
    gsp_sides_desc desc;
} sides;

static void sides_open(const job *j, sides *s)
{
    uint32_t const n = j->s->graph.n_nodes;
    memset(s, 0, sizeof *s);
    s->can = (uint8_t *)malloc(n);
    memset(s->can, 1, n);
    for (uint32_t p = 0; p < 3u; p++) {
        s->ticks[p] = (uint64_t *)malloc(n * sizeof(uint64_t));
        for (gsp_node v = 0; v < n; v++) {
            s->ticks[p][v] = (v * 2654435761u >> 9u) % 3u == p ? 100u : 300u;
        }
        s->cans[p] = s->can;
        s->columns[p] = s->ticks[p];
    }
    s->desc.n_kinds = 3;
    s->desc.can = s->cans;
    s->desc.ticks = s->columns;
    s->desc.move = s->ticks[0];
    s->desc.max_work = 64u * (uint64_t)n;
}

static void sides_close(sides *s)
{
    free(s->can);
    for (uint32_t p = 0; p < 3u; p++) {
        free(s->ticks[p]);
    }
}

/* The CPU and two accelerators, with 64 arcs or nodes visited for each node. */
static void step_sides(job *j)
{
    sides s;
    gsp_sides_result result;
    gsp_arena room;
    sides_open(j, &s);
    size_t const bound = gsp_sides_bound(&j->s->graph, &s.desc);
    gsp_arena_init(&room, malloc(bound), bound);
    require(gsp_sides_run(&room, &j->s->graph, &s.desc, &result, NULL), "sides");
    j->count = result.n_subgraphs;
    free(room.base);
    sides_close(&s);
}

/* The same, all at work at the same time. */
static void step_overlap(job *j)
{
    sides s;
    gsp_overlap_result result;
    gsp_arena room;
    sides_open(j, &s);
    size_t const bound = gsp_overlap_bound(&j->s->graph, &s.desc);
    gsp_arena_init(&room, malloc(bound), bound);
    require(gsp_overlap_run(&room, &j->s->graph, &s.desc, &result, NULL), "overlap");
    j->count = result.n_steps;
    free(room.base);
    sides_close(&s);
}

/* The order of eight operators, and the fewest that put nine nodes of ten on the accelerator. */
static void step_operators(job *j)
{
    const gsp_graph *g = &j->s->graph;
    uint32_t *of = (uint32_t *)allocate(g->n_nodes, sizeof *of);
    gsp_split_desc split = {0};
    gsp_operators_desc desc = {0};
    gsp_operators_result result;
    gsp_arena room;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        of[v] = v * 7u % 97u % 8u;
    }
    split.placement = &j->placement;
    desc.split = &split;
    desc.n_operators = 8;
    desc.operator_of = of;
    desc.min_nodes = g->n_nodes / 10u * 9u;
    size_t const bound = gsp_operators_bound(g, &desc);
    gsp_arena_init(&room, allocate(bound, 1), bound);
    require(gsp_operators_run(&room, g, &desc, &result, NULL), "operators");
    j->count = result.n_least;
    free(room.base);
    free(of);
}

/* Parts of 16 nodes against the same, moved by a node. */
static void step_compare(job *j)
{
    uint32_t const n = j->s->graph.n_nodes;
    uint32_t *of = (uint32_t *)allocate((size_t)n + 1u, sizeof *of);
    gsp_compare_desc desc = {0};
    gsp_compare_result result;
    gsp_arena room;
    for (gsp_node v = 0; v <= n; v++) {
        of[v] = v / 16u;
    }
    desc.n_items = n;
    desc.n_parts[0] = desc.n_parts[1] = n / 16u + 1u;
    desc.part_of[0] = of;
    desc.part_of[1] = of + 1;
    size_t const bound = gsp_compare_bound(&desc);
    gsp_arena_init(&room, allocate(bound, 1), bound);
    require(gsp_compare_run(&room, &desc, &result, NULL), "compare");
    j->count = result.n_agree;
    free(room.base);
    free(of);
}

/* split_module of runs of equal length: `parts` of them. */
static void cut_evenly(job *j, uint32_t parts)
{
    const gsp_graph *g = &j->s->graph;
    gsp_arena *arena = &j->s->arena;
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_split_module_desc desc = {0};
    gsp_split_module_result result;
    uint32_t *part_of = (uint32_t *)gsp_arena_push(arena, g->n_nodes, sizeof *part_of);
    if (!part_of) {
        die("no room for partitions");
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        part_of[v] = (uint32_t)((uint64_t)v * parts / g->n_nodes);
    }
    desc.part_of = part_of;
    desc.n_parts = parts;
    require(gsp_split_module_run(arena, g, &desc, &result, NULL), "split_module");
    j->count = result.n_parts;
    gsp_arena_rewind(arena, mark);
}

static void step_split_module(job *j)
{
    cut_evenly(j, 8u);
}

static void step_split_module_many(job *j)
{
    cut_evenly(j, j->s->graph.n_nodes / 16u);
}

/* Units of calls that take no time. */
static void step_units(job *j)
{
    const gsp_graph *g = &j->s->graph;
    gsp_downsets_graph_result result;
    gsp_arena room;
    size_t const bound = gsp_downsets_graph_bound(g, NULL);
    gsp_arena_init(&room, malloc(bound), bound);
    require(gsp_downsets_graph_run(&room, g, NULL, &result, NULL), "units");
    j->count = result.units.n;
    free(room.base);
}

/* Pictures and previews, what people look at. */
static void bench_views(job *j, const char *kind, const cli_runs *kahn)
{
    static const step steps[] = {step_draw, step_preview, step_score, step_demote, step_limits,
        step_compare, step_kway_floor, step_kway, step_least_peak, step_sides, step_overlap,
        step_operators, step_units};
    static const char *const names[] = {"draw", "preview", "score-8", "demote-3", "limits-1k",
        "compare", "kway-floor", "kway-8", "least-peak", "sides-3", "overlap-3", "operators-8",
        "units"};
    cli_runs times[13];
    int n = j->s->graph.n_nodes < 1000000u ? 13 : 7; /* kway takes a second per 100,000 */
    measure(j, steps, n, times);
    for (int s = 0; s < n; s++) {
        row r = row_of(j, names[s], kind, &times[s], kahn);
        steps[s](j);
        r.count = j->count;
        print_row(&r);
    }
}

static size_t parts_bound(const subject *s, uint32_t parts)
{
    gsp_split_module_desc desc = {0};
    desc.n_parts = parts;
    return gsp_split_module_bound(&s->graph, &desc) + 4u * (size_t)s->counts.nodes + 64u;
}

void bench_layered(uint32_t n, layer_kind kind)
{
    static const step steps[] = {step_kahn, step_support, step_split, step_split_by_tags,
        step_split_module, step_split_module_many};
    static const char *const names[] = {
        "kahn", "support", "split", "split_by_tags", "split_module-8", "split_module-n/16"};
    const char *kind_name = kind == KIND_IID ? "iid" : "runs";
    gsp_split_desc split = {0};
    subject s;
    job j;
    cli_runs times[6];
    size_t bounds[6] = {0};
    gsp_split_by_tags_desc tags = {0};
    subject_layered(&s, n, kind);
    j = job_of(&s);
    split.placement = &j.placement;
    step_split(&j);
    tags.n_tags = j.count;
    bounds[1] = gsp_support_bound(&s.graph, NULL);
    bounds[2] = gsp_split_bound(&s.graph, &split);
    bounds[3] = bounds[2] + gsp_split_by_tags_bound(&s.graph, &tags) + 64u * (size_t)j.count;
    bounds[4] = parts_bound(&s, 8u);
    bounds[5] = parts_bound(&s, s.counts.nodes / 16u);
    measure(&j, steps, 6, times);
    for (int i = 0; i < 6; i++) {
        row r = row_of(&j, names[i], kind_name, &times[i], &times[0]);
        if (bounds[i]) {
            measure_bytes(&j, steps[i], bounds[i], &r);
        } else {
            steps[i](&j);
        }
        r.count = j.count;
        print_row(&r);
    }
    bench_text(&j, kind_name, &times[0]);
    bench_views(&j, kind_name, &times[0]);
    job_free(&j);
    subject_free(&s);
}

/* A chain of convolutions whose forms repeat, as those of a model do: strides, channels. */
static void subject_convolutions(subject *s, uint32_t n)
{
    static const char *const types[] = {
        "f32[1, 8, 8, 8]", "f32[1, 16, 8, 8]", "f32[1, 24, 8, 8]", "f32[1, 32, 8, 8]"};
    gsp_builder b;
    rng r = rng_of(1);
    gsp_node from;
    subject_begin(s, &b, gsp_build_counts(1, n + 3u, 16u * n + 8u, 0, n + 64u, 10u * n + 4096u));
    from = gsp_build_node(&b, GSP_OP_PLACEHOLDER, gsp_str_of("x"), gsp_str_of("x"));
    gsp_build_type(&b, gsp_str_of(types[0]));
    gsp_build_node(&b, GSP_OP_GET_ATTR, gsp_str_of("w"), gsp_str_of("w"));
    gsp_build_type(&b, gsp_str_of("f32[8, 8, 3, 3]"));
    for (uint32_t i = 0; i < n; i++) {
        char name[32];
        uint32_t stride = rng_below(&r, 3);
        gsp_node v = gsp_build_node(&b, GSP_OP_CALL_FUNCTION, name_of(name, sizeof name, i),
            gsp_str_of(i % 2u == 0 ? "torch.conv2d" : "torch.conv_transpose2d"));
        gsp_build_arg_node(&b, from);
        gsp_build_arg_node(&b, 1);
        gsp_build_key(&b, gsp_str_of("stride"));
        gsp_build_open(&b, GSP_ARG_LIST);
        gsp_build_constant(&b, gsp_str_of(stride == 0 ? "1" : stride == 1 ? "2" : "3"));
        gsp_build_constant(&b, gsp_str_of(stride == 0 ? "1" : stride == 1 ? "2" : "3"));
        gsp_build_close(&b);
        gsp_build_key(&b, gsp_str_of("dilation"));
        gsp_build_constant(&b, gsp_str_of("1"));
        gsp_build_type(&b, gsp_str_of(types[rng_below(&r, 4)]));
        from = v;
    }
    gsp_build_output(&b);
    gsp_build_arg_node(&b, from);
    subject_finish(s, &b, room_for_passes);
}

void bench_tables(uint32_t n)
{
    static const step steps[] = {step_kahn, step_support_table, step_support_constraints};
    static const char *const names[] = {"kahn", "support-table", "support-5-constraints"};
    subject s;
    job j;
    cli_runs times[3];
    subject_convolutions(&s, n);
    j = job_of(&s);
    measure(&j, steps, 3, times);
    for (int i = 1; i < 3; i++) {
        row r = row_of(&j, names[i], "chain", &times[i], &times[0]);
        steps[i](&j);
        r.count = j.count;
        print_row(&r);
    }
    job_free(&j);
    subject_free(&s);
}

void bench_shape(const shape *form)
{
    static const step steps[] = {step_kahn, step_split};
    gsp_split_desc split = {0};
    subject s;
    job j;
    cli_runs times[2];
    row r;
    subject_shape(&s, form);
    j = job_of(&s);
    split.placement = &j.placement;
    measure(&j, steps, 2, times);
    r = row_of(&j, form->name, "", &times[1], &times[0]);
    measure_bytes(&j, step_split, gsp_split_bound(&s.graph, &split), &r);
    r.count = j.count;
    r.note = form->meaning;
    print_row(&r);
    job_free(&j);
    subject_free(&s);
}
