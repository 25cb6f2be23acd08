/* Graphs to measure on. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

void die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

void require(gsp_status status, const char *what)
{
    if (status != GSP_OK) {
        fprintf(stderr, "bench: %s: %s\n", what, gsp_status_name(status));
        exit(1);
    }
}

void *allocate(size_t count, size_t size)
{
    void *p = count > SIZE_MAX / size ? NULL : malloc(count * size + 1u);
    if (!p) {
        die("out of memory");
    }
    return p;
}

/* ---- the layered random graph ---- */

rng rng_of(uint64_t seed)
{
    rng r;
    r.state = seed * UINT64_C(0x9E3779B97F4A7C15) + UINT64_C(0x1234567);
    return r;
}

uint32_t rng_below(rng *r, uint32_t n)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((r->state >> 33) % n);
}

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

layered layered_make(uint32_t n, uint64_t seed, layer_kind kind)
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

void layered_free(layered *g)
{
    free(g->pred_begin);
    free(g->preds);
    free(g->bytes);
    free(g->micros);
    free(g->acc);
}

void layered_print_edges(const layered *g)
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

gsp_str name_of(char *buffer, size_t size, uint32_t number)
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

void subject_begin(subject *s, gsp_builder *b, gsp_counts counts)
{
    size_t bound = gsp_build_bound(&counts);
    s->memory = allocate(bound, 1);
    gsp_arena_init(&s->arena, s->memory, bound);
    require(gsp_build_init(b, &s->arena, &counts, NULL), "start building");
    gsp_build_graph(b, gsp_str_of("main"));
}

void subject_finish(subject *s, gsp_builder *b, size_t (*extra)(const gsp_counts *))
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

void add_placeholder(gsp_builder *b)
{
    gsp_build_node(b, GSP_OP_PLACEHOLDER, gsp_str_of("x"), gsp_str_of("x"));
    gsp_build_type(b, gsp_str_of("f32[16]"));
}

size_t room_for_passes(const gsp_counts *counts)
{
    gsp_module module = {0};
    gsp_graph graph = {&module, 0, 0, counts->nodes, NULL};
    gsp_split_by_tags_desc tags = {0};
    gsp_split_module_desc parts = {0};
    module.counts = *counts;
    tags.n_tags = counts->nodes;
    parts.n_parts = counts->nodes / 16u;
    size_t passes = gsp_support_bound(&graph, NULL) + gsp_split_bound(&graph, NULL);
    size_t modules =
        gsp_split_by_tags_bound(&graph, &tags) + gsp_split_module_bound(&graph, &parts);
    size_t block = gsp_build_bound(counts);
    return block + passes + modules;
}

void subject_layered(subject *s, uint32_t n, layer_kind kind)
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

const shape shapes[SHAPES] = {
    {"fuse.chain", "one chain of 10^5 scalars", 100000, 1, shape_chain},
    {"fuse.apart", "10^5 separate groups", 100000, 2, shape_apart},
    {"fuse.pairs", "10^4 groups, every two share a node", 10000, 4, shape_pairs},
    {"fuse.braid", "10^4 groups, each shares a node with the next", 10000, 5, shape_braid},
    {"fuse.waiting", "10^4 groups, each waits for the next and back", 10000, 4, shape_waiting},
    {"fuse.fallen", "10^4 groups around one node of the CPU", 10000, 3, shape_fallen},
};

void subject_shape(subject *s, const shape *form)
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

void subject_free(subject *s)
{
    free(s->memory);
}
