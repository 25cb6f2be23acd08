/* Figures of graphsplit beside a bare Kahn sort over the same rows, in the same process.
 *     cc -O2 -I. -Iexamples/program -o bench bench/bench.c examples/program/core/benchmark.c \
 *         examples/program/core/sys.c -lm && ./bench [--csv] [--json FILE] [--nodes N]
 * Times are CPU time of one thread, the median of 7 to 501 runs; rows that are compared take turns.
 * FILE is what google/benchmark writes: its tools/compare.py compares two of them, and
 * bench/plots.py draws them. bench/peers.py compares partitioners (make bench-peers).
 */
#define _POSIX_C_SOURCE 199309L
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_DRAW_IMPLEMENTATION
#include "examples/extra/graphsplit_draw.h"

#include "core/core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static void require(gsp_status status, const char *what)
{
    if (status != GSP_OK) {
        fprintf(stderr, "bench: %s: %s\n", what, gsp_status_name(status));
        exit(1);
    }
}

static void *allocate(size_t count, size_t size)
{
    void *p = count > SIZE_MAX / size ? NULL : malloc(count * size + 1u);
    if (!p) {
        die("out of memory");
    }
    return p;
}

/* ---- the layered random graph ---- */

/* A 64-bit LCG whose draws can be repeated in any language. */
typedef struct rng {
    uint64_t state;
} rng;

static rng rng_of(uint64_t seed)
{
    rng r;
    r.state = seed * UINT64_C(0x9E3779B97F4A7C15) + UINT64_C(0x1234567);
    return r;
}

static uint32_t rng_below(rng *r, uint32_t n)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((r->state >> 33) % n);
}

/* WRITES: as IID, and every tenth node writes what it reads first. */
typedef enum layer_kind { KIND_IID, KIND_RUNS, KIND_WRITES } layer_kind;

/* Callable nodes 0..n-1 in layers of 8 to 32; the first layer reads the placeholder. */
typedef struct layered {
    uint32_t n;
    uint32_t *pred_begin; /* [n + 1] into preds; a node without reads the placeholder */
    uint32_t *preds;
    uint32_t *bytes;
    uint32_t *micros;
    uint8_t *acc;
} layered;

/* Inputs of a node: 1 to 3 draws, seven of ten from the layer before, else from the last eight. */
static uint32_t draw_preds(rng *r, const uint32_t *layer, uint32_t n_layers, uint32_t *preds)
{
    uint32_t draws = 1u + rng_below(r, 3), count = 0;
    for (uint32_t d = 0; d < draws; d++) {
        uint32_t back = rng_below(r, 10) < 7 ? 0 : rng_below(r, 8);
        uint32_t l = back + 1u > n_layers ? 0 : n_layers - 1u - back;
        uint32_t p = layer[l] + rng_below(r, layer[l + 1] - layer[l]);
        uint32_t i = 0;
        while (i < count && preds[i] != p) {
            i++;
        }
        if (i == count) {
            preds[count++] = p;
        }
    }
    return count;
}

static layered layered_make(uint32_t n, uint64_t seed, layer_kind kind)
{
    layered g;
    rng r = rng_of(seed);
    uint32_t *layer = (uint32_t *)allocate((size_t)n / 8u + 3u, sizeof *layer);
    uint32_t i = 0, n_layers = 0, n_preds = 0;
    g.n = n;
    g.pred_begin = (uint32_t *)allocate((size_t)n + 1u, sizeof *g.pred_begin);
    g.preds = (uint32_t *)allocate((size_t)n * 3u, sizeof *g.preds);
    g.bytes = (uint32_t *)allocate(n, sizeof *g.bytes);
    g.micros = (uint32_t *)allocate(n, sizeof *g.micros);
    g.acc = (uint8_t *)allocate(n, 1);
    layer[0] = 0;
    while (i < n) {
        uint32_t width = 8u + rng_below(&r, 25), majority = rng_below(&r, 2);
        uint32_t end = width < n - i ? i + width : n;
        for (; i < end; i++) {
            g.pred_begin[i] = n_preds;
            if (n_layers > 0) {
                n_preds += draw_preds(&r, layer, n_layers, g.preds + n_preds);
            }
            if (kind != KIND_RUNS) {
                g.acc[i] = (uint8_t)rng_below(&r, 2);
            } else {
                g.acc[i] = (uint8_t)(rng_below(&r, 10) < 9 ? majority : 1u - majority);
            }
            g.bytes[i] = 4u * (1u + rng_below(&r, 64));
            g.micros[i] = 1u + rng_below(&r, 100);
        }
        layer[++n_layers] = end;
    }
    g.pred_begin[n] = n_preds;
    free(layer);
    return g;
}

static void layered_free(layered *g)
{
    free(g->pred_begin);
    free(g->preds);
    free(g->bytes);
    free(g->micros);
    free(g->acc);
}

static void layered_print_edges(const layered *g)
{
    printf("%u %u\n", (unsigned)g->n, (unsigned)g->pred_begin[g->n]);
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t begin = g->pred_begin[i], end = g->pred_begin[i + 1];
        printf("%u %u %u %u", (unsigned)g->acc[i], (unsigned)g->bytes[i], (unsigned)g->micros[i],
            (unsigned)(end - begin));
        for (uint32_t e = begin; e < end; e++) {
            printf(" %u", (unsigned)g->preds[e]);
        }
        printf("\n");
    }
}

/* ---- modules ---- */

/* A module and the memory that it and all results lie in; not copied, since the graph points to it.
 * */
typedef struct subject {
    void *memory;
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_counts counts;
} subject;

static gsp_str name_of(char *buffer, size_t size, uint32_t number)
{
    snprintf(buffer, size, "n%u", (unsigned)number);
    return gsp_str_of(buffer);
}

static gsp_str type_of(char *buffer, size_t size, uint32_t elements)
{
    snprintf(buffer, size, "f32[%u]", (unsigned)elements);
    return gsp_str_of(buffer);
}

/* The shortest spelling that reads back as the same number. */
static gsp_str seconds_of(char *buffer, size_t size, double value)
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(buffer, size, "%.*g", digits, value);
        if (!(strtod(buffer, NULL) < value) && !(strtod(buffer, NULL) > value)) {
            break;
        }
    }
    return gsp_str_of(buffer);
}

static void subject_begin(subject *s, gsp_builder *b, gsp_counts counts)
{
    size_t bound = gsp_build_bound(&counts);
    s->memory = allocate(bound, 1);
    gsp_arena_init(&s->arena, s->memory, bound);
    require(gsp_build_init(b, &s->arena, &counts, NULL), "start building");
    gsp_build_graph(b, gsp_str_of("main"));
}

/* Finishes the module and moves it into memory of its own, with `extra` bytes for results. */
static void subject_finish(subject *s, gsp_builder *b, size_t (*extra)(const gsp_counts *))
{
    gsp_module module;
    size_t room;
    void *memory;
    require(gsp_build_finish(b, &module, NULL), "build");
    room = extra(&module.counts);
    memory = allocate(room + 64u, 1);
    gsp_arena_init(&s->arena, memory, room + 64u);
    {
        void *block = gsp_arena_push(&s->arena, module.block_size, 1);
        memcpy(block, module.block, module.block_size);
        require(gsp_module_open(&s->module, block, module.block_size, 0, NULL), "open");
    }
    free(s->memory);
    s->memory = memory;
    s->graph = gsp_module_graph(&s->module, 0);
    s->counts = gsp_graph_counts(&s->graph);
}

static void add_layered_node(gsp_builder *b, const layered *g, uint32_t i)
{
    static const char *const functions[] = {
        "torch.relu", "torch.add", "torch.addcmul", "torch.cat"};
    char name[32], value[40];
    uint32_t begin = g->pred_begin[i], end = g->pred_begin[i + 1];
    uint32_t inputs = begin == end ? 1 : end - begin;
    gsp_build_node(
        b, GSP_OP_CALL_FUNCTION, name_of(name, sizeof name, i), gsp_str_of(functions[inputs % 4u]));
    for (uint32_t e = begin; e < end; e++) {
        gsp_build_arg_node(b, g->preds[e] + 1u);
    }
    if (begin == end) {
        gsp_build_arg_node(b, 0);
    }
    gsp_build_type(b, type_of(value, sizeof value, g->bytes[i] / 4u));
    gsp_build_attr(b, gsp_str_of("mem"), seconds_of(value, sizeof value, g->bytes[i] * 1e-9));
    gsp_build_attr(b, gsp_str_of("compute"), seconds_of(value, sizeof value, g->micros[i] * 1e-6));
    gsp_build_attr(b, gsp_str_of("acc"), gsp_str_of(g->acc[i] ? "1" : "0"));
}

/* return (all nodes that nothing reads) */
static void add_layered_return(gsp_builder *b, const layered *g)
{
    uint8_t *read = (uint8_t *)allocate(g->n, 1);
    memset(read, 0, g->n);
    for (uint32_t e = 0; e < g->pred_begin[g->n]; e++) {
        read[g->preds[e]] = 1;
    }
    gsp_build_output(b);
    gsp_build_open(b, GSP_ARG_TUPLE);
    for (uint32_t i = 0; i < g->n; i++) {
        if (!read[i]) {
            gsp_build_arg_node(b, i + 1u);
        }
    }
    gsp_build_close(b);
    free(read);
}

static void add_placeholder(gsp_builder *b)
{
    gsp_build_node(b, GSP_OP_PLACEHOLDER, gsp_str_of("x"), gsp_str_of("x"));
    gsp_build_type(b, gsp_str_of("f32[16]"));
}

/* Room for the module, a placement, a split and the module of its parts. */
static size_t room_for_passes(const gsp_counts *counts)
{
    gsp_module module = {0};
    gsp_graph graph = {&module, 0, 0, counts->nodes, NULL};
    gsp_split_by_tags_desc tags = {0};
    module.counts = *counts;
    tags.n_tags = counts->nodes;
    size_t passes = gsp_support_bound(&graph, NULL) + gsp_split_bound(&graph, NULL);
    size_t modules = gsp_split_by_tags_bound(&graph, &tags);
    size_t block = gsp_build_bound(counts);
    return block + passes + modules;
}

static void subject_layered(subject *s, uint32_t n, layer_kind kind)
{
    gsp_builder b;
    layered g = layered_make(n, 1, kind);
    subject_begin(s, &b,
        gsp_build_counts(
            1, n + 2u, g.pred_begin[n] + 2u * n + 64u, 4u * n + 8u, n + 2048u, 10u * n + 65536u));
    add_placeholder(&b);
    for (uint32_t i = 0; i < n; i++) {
        add_layered_node(&b, &g, i);
        if (kind == KIND_WRITES && i % 10u == 9u) {
            gsp_build_attr(&b, gsp_str_of("mutates"), gsp_str_of("0"));
        }
    }
    add_layered_return(&b, &g);
    subject_finish(s, &b, room_for_passes);
    layered_free(&g);
}

/* ---- shapes that fusion finds hard ---- */

/* A node `nI` (I: its id) that reads one or two others; `acc` says where it may run. */
static gsp_node add_on(
    gsp_builder *b, const char *acc, const char *type, gsp_node first, gsp_node second)
{
    char name[32];
    gsp_node v = gsp_build_node(b, GSP_OP_CALL_FUNCTION, name_of(name, sizeof name, b->used.nodes),
        gsp_str_of("operator.add"));
    gsp_build_arg_node(b, first);
    if (second != GSP_NONE) {
        gsp_build_arg_node(b, second);
    }
    gsp_build_type(b, gsp_str_of(type));
    gsp_build_attr(b, gsp_str_of("acc"), gsp_str_of(acc));
    return v;
}

static gsp_node add_node(gsp_builder *b, const char *type, gsp_node first, gsp_node second)
{
    return add_on(b, "1", type, first, second);
}

/* One chain of scalars. */
static gsp_node shape_chain(gsp_builder *b, uint32_t count)
{
    gsp_node v = add_node(b, "int", 0, GSP_NONE);
    for (uint32_t i = 2; i < count; i++) {
        v = add_node(b, "int", v, GSP_NONE);
    }
    return add_node(b, "f32[4]", 0, v);
}

/* Groups of a scalar and its reader, apart from each other. */
static gsp_node shape_apart(gsp_builder *b, uint32_t count)
{
    gsp_node v = 0;
    for (uint32_t i = 0; i < count; i++) {
        v = add_node(b, "f32[4]", 0, add_node(b, "int", 0, GSP_NONE));
    }
    return v;
}

/* Pairs of groups that share a node. */
static gsp_node shape_pairs(gsp_builder *b, uint32_t count)
{
    gsp_node v = 0;
    for (uint32_t i = 0; i < count; i += 2) {
        gsp_node size = add_node(b, "int", 0, GSP_NONE);
        gsp_node left = add_node(b, "f32[4]", v, size);
        gsp_node size_1 = add_node(b, "int", 0, GSP_NONE);
        gsp_node right = add_node(b, "f32[4]", v, size_1);
        gsp_node both = add_node(b, "f32[4]", left, right);
        add_node(b, "f32[4]", both, size);
        v = add_node(b, "f32[4]", both, size_1);
    }
    return v;
}

/* A row of groups {size, head, user of both}, each tied to the next: through a node that both hold
 * (`shared`), or by waiting for it while it waits back. One large group in the end. */
static gsp_node row_of_groups(gsp_builder *b, uint32_t count, int shared)
{
    gsp_node size = add_node(b, "int", 0, GSP_NONE);
    gsp_node head = add_node(b, "f32[4]", 0, size);
    gsp_node v = head;
    for (uint32_t i = 1; i < count; i++) {
        gsp_node size_1 = add_node(b, "int", 0, GSP_NONE);
        gsp_node head_1 = add_node(b, "f32[4]", 0, size_1);
        gsp_node both = shared ? add_node(b, "f32[4]", head, head_1) : GSP_NONE;
        add_node(b, "f32[4]", shared ? both : head_1, size);
        v = add_node(b, "f32[4]", shared ? both : head, size_1);
        size = size_1;
        head = head_1;
    }
    return v;
}

static gsp_node shape_braid(gsp_builder *b, uint32_t count)
{
    return row_of_groups(b, count, 1);
}

static gsp_node shape_waiting(gsp_builder *b, uint32_t count)
{
    return row_of_groups(b, count, 0);
}

/* Every group spans the whole graph, and a node that is not supported lies on its way: all fall. */
static gsp_node shape_fallen(gsp_builder *b, uint32_t count)
{
    gsp_node first = b->used.nodes, v = GSP_NONE;
    gsp_node outside = 0;
    for (uint32_t i = 0; i < count; i++) {
        v = add_node(b, "f32[4]", 0, add_node(b, "int", 0, GSP_NONE));
    }
    outside = add_on(b, "0", "f32[4]", v, GSP_NONE);
    for (uint32_t i = 0; i < count; i++) {
        v = add_node(b, "f32[4]", outside, first + 2u * i);
    }
    return v;
}

typedef struct shape {
    const char *name;
    const char *meaning;
    uint32_t count;
    uint32_t nodes_per_item;
    gsp_node (*build)(gsp_builder *b, uint32_t count);
} shape;

static const shape shapes[] = {
    {"fuse.chain", "one chain of 10^5 scalars", 100000, 1, shape_chain},
    {"fuse.apart", "10^5 separate groups", 100000, 2, shape_apart},
    {"fuse.pairs", "10^4 groups, every two share a node", 10000, 4, shape_pairs},
    {"fuse.braid", "10^4 groups, each shares a node with the next", 10000, 5, shape_braid},
    {"fuse.waiting", "10^4 groups, each waits for the next and back", 10000, 4, shape_waiting},
    {"fuse.fallen", "10^4 groups around one node of the CPU", 10000, 3, shape_fallen},
};

static void subject_shape(subject *s, const shape *form)
{
    gsp_builder b;
    uint32_t n = form->count * form->nodes_per_item + 8u;
    gsp_node last;
    subject_begin(s, &b, gsp_build_counts(1, n, 3u * n, 3u * n, n + 64u, 10u * n + 4096u));
    add_placeholder(&b);
    last = form->build(&b, form->count);
    gsp_build_output(&b);
    gsp_build_arg_node(&b, last);
    subject_finish(s, &b, room_for_passes);
}

static void subject_free(subject *s)
{
    free(s->memory);
}

/* ---- the yardstick ---- */

typedef struct kahn_work {
    uint32_t *indegree; /* [n] */
    gsp_node *queue;    /* [n + 1] */
} kahn_work;

/* A bare Kahn sort: rows as they are, an array of indegrees, a queue; returns the nodes sorted. */
static uint32_t kahn(const gsp_graph *graph, const kahn_work *work)
{
    const uint32_t *in = graph->module->in_begin + graph->first;
    const uint32_t *out = graph->module->user_begin + graph->first;
    const gsp_node *users = graph->module->users;
    uint32_t *indegree = work->indegree;
    gsp_node *queue = work->queue;
    uint32_t head = 0, tail = 0;
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        indegree[v] = in[v + 1] - in[v];
        if (indegree[v] == 0) {
            queue[tail++] = v;
        }
    }
    while (head < tail) {
        gsp_node v = queue[head++];
        for (uint32_t e = out[v]; e < out[v + 1]; e++) {
            if (--indegree[users[e]] == 0) {
                queue[tail++] = users[e];
            }
        }
    }
    return tail;
}

/* The same without a branch that the processor could guess wrongly: the queue is written always. */
static uint32_t kahn_branchless(const gsp_graph *graph, const kahn_work *work)
{
    const uint32_t *in = graph->module->in_begin + graph->first;
    const uint32_t *out = graph->module->user_begin + graph->first;
    const gsp_node *users = graph->module->users;
    uint32_t *indegree = work->indegree;
    gsp_node *queue = work->queue;
    uint32_t head = 0, tail = 0;
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        indegree[v] = in[v + 1] - in[v];
        queue[tail] = v;
        tail += indegree[v] == 0;
    }
    while (head < tail) {
        gsp_node v = queue[head++];
        for (uint32_t e = out[v]; e < out[v + 1]; e++) {
            queue[tail] = users[e];
            tail += --indegree[users[e]] == 0;
        }
    }
    return tail;
}

/* ---- what is measured ---- */

/* One job: the subject, what the steps hand to each other, and what the last run used. */
typedef struct job {
    subject *s;
    kahn_work work;
    gsp_exec_plan plan;
    gsp_value *values;    /* [nodes] of direct calls; inputs and outputs of the runner */
    gsp_value *arguments; /* [nodes] */
    gsp_placement placement;
    gsp_costs costs; /* in the arena of the subject, while rows of stages are measured */
    char *text;
    size_t text_size;
    size_t text_room;
    gsp_arena text_arena; /* where reading puts its module */
    uint32_t *quarters;   /* [nodes] four partitions, for aot */
    gsp_dependences dependences;
    size_t used;
    size_t bound;
    uint32_t count; /* subgraphs, groups, ... whatever the row counts */
} job;

typedef void (*step)(job *j);

static void step_kahn(job *j)
{
    j->count = kahn(&j->s->graph, &j->work);
    if (j->count != j->s->graph.n_nodes) {
        die("the Kahn sort met a cycle");
    }
}

static void step_kahn_branchless(job *j)
{
    j->count = kahn_branchless(&j->s->graph, &j->work);
    if (j->count != j->s->graph.n_nodes) {
        die("the Kahn sort met a cycle");
    }
}

static size_t in_use(const gsp_arena *arena)
{
    return arena->low + arena->high;
}

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

/* Eight acyclic parts, the best of one attempt. */
static void step_kway(job *j)
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

/* The score of the same runs as eight parts, with seconds that are numbers already. */
static void step_score(job *j)
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

/* ---- measuring ---- */

enum { MAX_RUNS = 501, MAX_STEPS = 7 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* What the runs of one step say, which stand there until the next measure(). */
static cli_runs runs_of(const double *ns, int n)
{
    static double sorted[MAX_RUNS];
    return cli_runs_of(ns, sorted, (uint32_t)n);
}

/* What looking at the clock costs; taken off every sample. */
static double clock_cost(void)
{
    static double samples[MAX_RUNS];
    for (int k = 0; k < MAX_RUNS; k++) {
        double start = now();
        samples[k] = now() - start;
    }
    return runs_of(samples, MAX_RUNS).median;
}

static double once(job *j, step f)
{
    double start = now();
    f(j);
    return now() - start;
}

/* Times of several steps. They take turns, run by run: repeated on the spot, the processor learns
 * the branches of a small graph by heart, which nobody who splits a graph once gets to see. */
static void measure(job *j, const step *steps, int n_steps, cli_runs *times)
{
    static double samples[MAX_STEPS][MAX_RUNS];
    double round = 0, cost = clock_cost();
    int runs;
    for (int s = 0; s < n_steps; s++) {
        round += once(j, steps[s]); /* also warms up */
    }
    runs = round * MAX_RUNS < 6e8 ? MAX_RUNS : (int)(6e8 / round);
    runs = runs < 7 ? 7 : runs;
    for (int k = 0; k < runs; k++) {
        for (int s = 0; s < n_steps; s++) {
            samples[s][k] = once(j, steps[s]) - cost;
        }
    }
    for (int s = 0; s < n_steps; s++) {
        times[s] = runs_of(samples[s], runs);
    }
}

/* ---- the report ---- */

static int csv;
static FILE *json;
static cli_benchmark benchmark;
static int failures;

typedef struct row {
    const char *name;
    const char *kind;
    uint32_t nodes;
    uint32_t edges;
    cli_runs time;
    double kahn;     /* ns of the bare sort */
    double mb_per_s; /* text rows, or 0 */
    double used;     /* bytes per node; 0 if not measured */
    double bound;    /* bytes per node */
    double growth;   /* exponent from the row before of that name and kind, or 0 */
    double whole;    /* the same from the first row on */
    uint32_t count;
    const char *note; /* figures of others, targets */
} row;

static int to_file(void *user, const char *data, size_t size)
{
    return fwrite(data, 1, size, (FILE *)user) != size;
}

static void print_head(void)
{
    char model[CLI_MACHINE_SIZE], date[CLI_DATE_SIZE];
    unsigned count = (unsigned)cli_machine(model);
    cli_date(date);
    if (json) {
        cli_benchmark_begin(&benchmark, to_file, json, "bench", ", \"seed\": 1");
    }
    if (csv) {
        printf("row,kind,nodes,edges,ns,kahn_sorts,mb_per_s,used_per_node,bound_per_node,count,"
               "runs,ci_low_ns,ci_high_ns,q1_ns,q3_ns,outliers\n");
        return;
    }
    printf(
        "# %s, %u processors, compiler %s, seed 1, %s\n"
        "# us: median; +-%%: half of its 95 %% confidence interval; spread: quartile to quartile; "
        "out: outliers (Tukey)\n",
        model, count, __VERSION__, date);
    printf("%-22s %-5s %8s %8s %11s %6s %6s %4s %4s %8s %8s %8s %7s %6s %6s %6s %6s %8s\n", "row",
        "kind", "nodes", "edges", "us", "+-%", "spread", "runs", "out", "ns/node", "ns/edge",
        "ns/(n+m)", "Kahns", "growth", "whole", "B/node", "bound", "count");
}

static double exponent(const row *from, const row *to)
{
    return log(to->time.median / from->time.median) / log((double)to->nodes / from->nodes);
}

/* Both exponents of growth. */
static void set_growth(row *r)
{
    static row firsts[64], lasts[64];
    static size_t n_seen;
    size_t i = 0;
    while (i < n_seen &&
           (strcmp(firsts[i].name, r->name) != 0 || strcmp(firsts[i].kind, r->kind) != 0)) {
        i++;
    }
    if (i < n_seen) {
        r->growth = exponent(&lasts[i], r);
        r->whole = exponent(&firsts[i], r);
        lasts[i] = *r;
    } else if (n_seen < sizeof firsts / sizeof *firsts) {
        firsts[n_seen] = lasts[n_seen] = *r;
        n_seen++;
    }
}

static void json_row(const row *r)
{
    char name[64], counters[256];
    snprintf(name, sizeof name, "%s%s%s/%u", r->name, r->kind[0] ? "/" : "", r->kind,
        (unsigned)r->nodes);
    snprintf(counters, sizeof counters,
        ", \"nodes\": %u, \"edges\": %u, \"kahn_sorts\": %.3f, \"mb_per_s\": %.1f, "
        "\"used_per_node\": %.1f, \"bound_per_node\": %.1f, \"growth\": %.3f, "
        "\"growth_whole\": %.3f, \"count\": %u",
        (unsigned)r->nodes, (unsigned)r->edges, r->time.median / r->kahn, r->mb_per_s, r->used,
        r->bound, r->growth, r->whole, (unsigned)r->count);
    cli_benchmark_row(&benchmark, name, &r->time, counters);
}

static void csv_row(const row *r)
{
    const cli_runs *t = &r->time;
    printf("%s,%s,%u,%u,%.0f,%.3f,%.1f,%.1f,%.1f,%u,", r->name, r->kind, (unsigned)r->nodes,
        (unsigned)r->edges, t->median, t->median / r->kahn, r->mb_per_s, r->used, r->bound,
        (unsigned)r->count);
    printf(
        "%d,%.0f,%.0f,%.0f,%.0f,%d\n", (int)t->n, t->low, t->high, t->q1, t->q3, (int)t->outliers);
}

static void table_row(const row *r)
{
    const cli_runs *t = &r->time;
    char growth[16] = "";
    char whole[16] = "";
    double items = (double)r->nodes + (double)r->edges;
    if (r->whole > 0) {
        snprintf(growth, sizeof growth, "n^%.2f", r->growth);
        snprintf(whole, sizeof whole, "n^%.2f", r->whole);
    }
    printf("%-22s %-5s %8u %8u %11.1f %6.1f %5.1f%% %4d %4d ", r->name, r->kind, (unsigned)r->nodes,
        (unsigned)r->edges, t->median / 1e3, 50.0 * (t->high - t->low) / t->median,
        100.0 * (t->q3 - t->q1) / t->median, (int)t->n, (int)t->outliers);
    printf("%8.1f %8.1f %8.1f %7.2f %6s %6s", t->median / r->nodes, t->median / r->edges,
        t->median / items, t->median / r->kahn, growth, whole);
    if (r->used > 0) {
        printf(" %6.1f %6.1f", r->used, r->bound);
    } else if (r->mb_per_s > 0) {
        printf(" %8.0f MB/s", r->mb_per_s);
    } else {
        printf(" %6s %6s", "", "");
    }
    printf(" %8u%s%s\n", (unsigned)r->count, r->note ? "  " : "", r->note ? r->note : "");
}

static void print_row(row *r)
{
    set_growth(r);
    if (json) {
        json_row(r);
    }
    if (csv) {
        csv_row(r);
    } else {
        table_row(r);
    }
}

/* Bytes touched by one more run of a step, beside its bound. */
static void measure_bytes(job *j, step f, size_t bound, row *r)
{
    gsp_arena *arena = &j->s->arena;
    size_t before;
    gsp_arena_watch(arena);
    before = in_use(arena);
    f(j);
    r->used = (double)(arena->touched - before) / r->nodes;
    r->bound = (double)bound / r->nodes;
    if (arena->touched - before > bound) {
        fprintf(stderr, "bench: %s used more than its bound\n", r->name);
        failures++;
    }
}

static row row_of(
    const job *j, const char *name, const char *kind, const cli_runs *time, const cli_runs *kahn)
{
    row r = {0};
    r.name = name;
    r.kind = kind;
    r.nodes = j->s->counts.nodes;
    r.edges = j->s->counts.edges;
    r.time = *time;
    r.kahn = kahn->median;
    r.count = j->count;
    return r;
}

static job job_of(subject *s)
{
    job j;
    memset(&j, 0, sizeof j);
    j.s = s;
    j.work.indegree = (uint32_t *)allocate(s->counts.nodes, sizeof(uint32_t));
    j.work.queue = (gsp_node *)allocate((size_t)s->counts.nodes + 1u, sizeof(gsp_node));
    require(gsp_support_run(&s->arena, &s->graph, NULL, &j.placement, NULL), "support");
    return j;
}

static void job_free(job *j)
{
    free(j->work.indegree);
    free(j->work.queue);
    free(j->text);
}

/* What others take for the same work on the iid graphs. Measured elsewhere (one evening, another
 * machine): only the order of magnitude compares. Milliseconds; 0 if not measured. */
static const char *note_of(const char *row_name, layer_kind kind, uint32_t n)
{
    int power = (int)lround(log10(n));
    static const char *const split[] = {
        "measured elsewhere: PyTorch 3.3 ms, ONNX Runtime 0.087 ms",
        "measured elsewhere: PyTorch 66.8 ms, ONNX Runtime 0.85 ms",
        "measured elsewhere: PyTorch 960 ms, ONNX Runtime 10.4 ms",
        "measured elsewhere: ONNX Runtime 130 ms",
    };
    static const char *const modules[] = {
        "measured elsewhere: PyTorch 125 ms",
        "measured elsewhere: PyTorch 5136 ms",
        "measured elsewhere: PyTorch more than 60 s",
    };
    if (kind == KIND_IID && strcmp(row_name, "split") == 0 && power >= 3 && power <= 6) {
        return split[power - 3];
    }
    if (kind == KIND_IID && strcmp(row_name, "split_by_tags") == 0 && power >= 3 && power <= 5) {
        return modules[power - 3];
    }
    return NULL;
}

/* Reading and writing, on the text that the graph itself writes. */
static void bench_text(job *j, const char *kind, const cli_runs *kahn)
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

/* Pictures and previews, what people look at. */
static void bench_views(job *j, const char *kind, const cli_runs *kahn)
{
    static const step steps[] = {step_draw, step_preview, step_score, step_demote, step_kway};
    static const char *const names[] = {"draw", "preview", "score-8", "demote-3", "kway-8"};
    cli_runs times[5];
    int n = j->s->graph.n_nodes <= 100000u ? 5 : 4; /* kway takes a second and more per 100,000 */
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

/* All rows of one layered graph. */
static void bench_layered(uint32_t n, layer_kind kind)
{
    static const step steps[] = {step_kahn, step_kahn_branchless, step_support, step_split,
        step_split_by_tags, step_split_module, step_split_module_many};
    static const char *const names[] = {"kahn", "kahn-flat", "support", "split", "split_by_tags",
        "split_module-8", "split_module-n/16"};
    const char *kind_name = kind == KIND_IID ? "iid" : "runs";
    gsp_split_desc split = {0};
    subject s;
    job j;
    cli_runs times[7];
    size_t bounds[7] = {0};
    gsp_split_by_tags_desc tags = {0};
    subject_layered(&s, n, kind);
    j = job_of(&s);
    split.placement = &j.placement;
    step_split(&j);
    tags.n_tags = j.count;
    bounds[2] = gsp_support_bound(&s.graph, NULL);
    bounds[3] = gsp_split_bound(&s.graph, &split);
    bounds[4] = bounds[3] + gsp_split_by_tags_bound(&s.graph, &tags) + 64u * (size_t)j.count;
    bounds[5] = parts_bound(&s, 8u);
    bounds[6] = parts_bound(&s, s.counts.nodes / 16u);
    measure(&j, steps, 7, times);
    for (int i = 0; i < 7; i++) {
        row r = row_of(&j, names[i], kind_name, &times[i], &times[0]);
        if (bounds[i]) {
            measure_bytes(&j, steps[i], bounds[i], &r);
        } else {
            steps[i](&j);
        }
        r.count = j.count;
        r.note = note_of(names[i], kind, n);
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

static void bench_tables(uint32_t n)
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

/* The runner beside direct calls of the same kernel. */
static void bench_exec(uint32_t n)
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

/* 64 stages of a layered graph, values moving at 1 TB/s. */
static void bench_stages(uint32_t n)
{
    static const step steps[] = {
        step_kahn, step_stages_even, step_stages_optimal, step_stages_carried};
    static const char *const names[] = {
        "kahn", "stages_even-64", "stages_optimal-64", "stages_optimal-carried"};
    static const char *const notes[] = {
        NULL, NULL, "count: 100 * slowest / bound", "count: 100 * slowest / bound"};
    gsp_costs_desc rates = {0};
    gsp_stages_even_desc stages = {0};
    gsp_stages_optimal_desc optimal;
    subject s;
    job j;
    cli_runs times[4];
    size_t bounds[4] = {0};
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
    measure(&j, steps, 4, times);
    for (int i = 1; i < 4; i++) {
        row r = row_of(&j, names[i], "iid", &times[i], &times[0]);
        measure_bytes(&j, steps[i], bounds[i], &r);
        r.count = j.count;
        r.note = notes[i];
        print_row(&r);
    }
    job_free(&j);
    subject_free(&s);
}

/* ---- pipelines: 64 stages, cut and made into a module; with gradients of the first value ---- */

static gsp_pipeline_result pipeline_of(job *j)
{
    gsp_stages_even_desc cut = {0};
    gsp_pipeline_desc desc = {0};
    gsp_stages_even_result stages;
    gsp_pipeline_result made;
    cut.n_stages = 64;
    require(gsp_stages_even_run(&j->s->arena, &j->s->graph, &cut, &stages, NULL), "stages_even");
    desc.params.stage_of = stages.stage_of;
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
static size_t bound_of_pipeline(const subject *s, size_t *train)
{
    gsp_pipeline_desc desc = {0};
    gsp_counts const *c = &s->module.counts;
    size_t pipe = gsp_stages_even_bound(&s->graph, NULL) + gsp_pipeline_bound(&s->graph, &desc);
    *train = pipe + 4u * gsp_build_bound(c) + 2000u * (size_t)c->nodes;
    return pipe;
}

static void bench_pipeline(uint32_t n)
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
    bounds[1] = bound_of_pipeline(&s, &bounds[2]);
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

static void bench_memory(uint32_t n)
{
    static const step steps[] = {
        step_kahn, step_liveness, step_memory_plan, step_split_by_memory, step_memory_pack};
    static const char *const names[] = {
        "kahn", "liveness", "memory_plan", "split_by_memory", "memory_pack"};
    int const n_steps = n <= MOST_PACKED ? 5 : 4;
    subject s;
    job j;
    cli_runs times[5];
    size_t bounds[5] = {0};
    subject_layered(&s, n, KIND_IID);
    j = job_of(&s);
    bounds[1] = gsp_liveness_bound(&s.graph, NULL);
    bounds[2] = gsp_memory_plan_bound(&s.graph, NULL);
    bounds[3] = gsp_split_by_memory_bound(&s.graph, NULL);
    bounds[4] = bounds[2] + gsp_memory_pack_bound(s.graph.n_nodes, NULL);
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

static void bench_shape(const shape *form)
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

/* ---- the command line ---- */

static int usage(FILE *file)
{
    fprintf(file,
        "usage: bench [--csv] [--json FILE] [--nodes N | --quick]\n"
        "       figures of graphs up to N nodes (1000 to 10^7; default 10^6; quick: 10^5);\n"
        "       FILE is read by compare.py of google/benchmark and by bench/plots.py\n"
        "       bench --edges N [iid|runs]   the layered graph as an edge list\n"
        "       bench --text N [iid|runs]    the same as graph text\n");
    return file == stdout ? 0 : 2;
}

static int print_graph(int as_text, const char *count, const char *kind_name)
{
    layer_kind kind = kind_name && strcmp(kind_name, "runs") == 0 ? KIND_RUNS : KIND_IID;
    uint32_t n = (uint32_t)strtoul(count, NULL, 10);
    if (n == 0 || n > 10000000u) {
        return usage(stderr);
    }
    if (as_text) {
        subject s;
        subject_layered(&s, n, kind);
        require(gsp_text_write(&s.module, NULL, to_file, stdout, NULL), "write");
        subject_free(&s);
    } else {
        layered g = layered_make(n, 1, kind);
        layered_print_edges(&g);
        layered_free(&g);
    }
    return 0;
}

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

/* Finding repeated regions, and the module with calls in their place. */
static void bench_dedup(uint32_t n, int blocks)
{
    static const step steps[] = {step_kahn, step_regions, step_dedup};
    static const char *const names[] = {"kahn", "regions", "dedup"};
    subject s;
    job j;
    cli_runs times[3];
    size_t bounds[3] = {0};
    void *memory;
    if (blocks) {
        subject_blocks(&s, n);
    } else {
        subject_layered(&s, n, KIND_IID);
    }
    j = job_of(&s);
    bounds[1] = gsp_regions_bound(&s.graph, NULL);
    bounds[2] = gsp_dedup_bound(&s.graph, NULL);
    memory = allocate(bounds[2], 1);
    gsp_arena_init(&s.arena, memory, bounds[2]); /* in place of that behind the module */
    measure(&j, steps, 3, times);
    for (int i = 1; i < 3; i++) {
        row r = row_of(&j, names[i], blocks ? "block" : "iid", &times[i], &times[0]);
        measure_bytes(&j, steps[i], bounds[i], &r);
        r.count = j.count;
        print_row(&r);
    }
    free(memory);
    job_free(&j);
    subject_free(&s);
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

static void bench_order(uint32_t n)
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

/* Rows of a layered graph: linear modes on any, those that search on small ones. */
static void bench_partition(uint32_t n, int search)
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

/* Layered graphs of 1000 nodes, ten times as many, ... up to `most`. */
static void bench_all(uint32_t most)
{
    print_head();
    for (int kind = KIND_IID; kind <= KIND_RUNS; kind++) {
        for (uint32_t n = 1000; n <= most; n *= 10u) {
            bench_layered(n, (layer_kind)kind);
        }
    }
    for (uint32_t n = 1000; n <= most; n *= 10u) {
        bench_tables(n);
        bench_exec(n);
    }
    for (uint32_t n = 1000; n <= most; n *= 10u) {
        bench_stages(n);
    }
    for (uint32_t n = 1000; n <= most; n *= 10u) {
        bench_pipeline(n);
    }
    for (uint32_t n = 1000; n <= most; n *= 10u) {
        bench_memory(n);
    }
    for (int blocks = 0; blocks < 2; blocks++) {
        for (uint32_t n = 1000; n <= most; n *= 10u) {
            bench_dedup(n, blocks);
        }
    }
    for (uint32_t n = 1000; n <= most; n *= 10u) {
        bench_order(n);
    }
    for (uint32_t n = 1000; n <= most; n *= 10u) {
        bench_partition(n, 0);
    }
    for (uint32_t n = 10; n <= (most > 100000u ? 1000u : 100u); n *= 10u) {
        if (n == 1000u) {
            bench_partition(300, 1);
        }
        bench_partition(n, 1);
    }
    for (size_t i = 0; most >= 100000u && i < sizeof shapes / sizeof *shapes; i++) {
        bench_shape(&shapes[i]);
    }
    if (json) {
        cli_benchmark_end(&benchmark);
        failures += (fclose(json) != 0) | benchmark.failed;
    }
}

int main(int argc, char **argv)
{
    uint32_t most = 1000000;
    for (int i = 1; i < argc; i++) {
        int more = i + 1 < argc;
        if (strcmp(argv[i], "--csv") == 0) {
            csv = 1;
        } else if (strcmp(argv[i], "--quick") == 0) {
            most = 100000;
        } else if (strcmp(argv[i], "--help") == 0) {
            return usage(stdout);
        } else if (more && strcmp(argv[i], "--nodes") == 0) {
            most = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else if (more && strcmp(argv[i], "--json") == 0) {
            json = fopen(argv[++i], "w");
            if (!json) {
                die("cannot write the file of --json");
            }
        } else if (more && strcmp(argv[i], "--edges") == 0) {
            return print_graph(0, argv[i + 1], i + 2 < argc ? argv[i + 2] : NULL);
        } else if (more && strcmp(argv[i], "--text") == 0) {
            return print_graph(1, argv[i + 1], i + 2 < argc ? argv[i + 2] : NULL);
        } else {
            return usage(stderr);
        }
    }
    if (most < 1000u || most > 10000000u) {
        return usage(stderr);
    }
    bench_all(most);
    return failures > 0;
}
