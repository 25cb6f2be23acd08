/* Splitting: bytes are turned into a graph by the builder and into options; the split of it keeps
 * its promises, takes its bound and not a byte less, and its parts are a module.
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -o fuzz_split tests/fuzz/fuzz_split.c
 */
#include "fuzz.h"

enum { MAX_NODES = 96 };

typedef struct bytes {
    const uint8_t *data;
    size_t size;
    size_t at;
} bytes;

static unsigned next_byte(bytes *in)
{
    return in->at < in->size ? in->data[in->at++] : 0;
}

static gsp_str numbered(char *buffer, char letter, unsigned number)
{
    snprintf(buffer, 16, "%c%u", letter, number);
    return gsp_str_of(buffer);
}

/* One node from two bytes and a byte an input. */
static void add_node(gsp_builder *b, bytes *in, unsigned id)
{
    static const char *const types[] = {"f32[4]", "tuple(f32[2], f32[2])", "int", ""};
    static const gsp_op ops[] = {GSP_OP_CALL_FUNCTION, GSP_OP_CALL_METHOD, GSP_OP_CALL_MODULE,
        GSP_OP_CALL_FUNCTION, GSP_OP_CALL_FUNCTION, GSP_OP_CALL_FUNCTION, GSP_OP_GET_ATTR,
        GSP_OP_PLACEHOLDER};
    char name[16], value[16];
    unsigned what = next_byte(in), how = next_byte(in);
    gsp_op op = ops[what & 7u];
    gsp_build_node(b, op, numbered(name, 'n', id), gsp_str_of("t"));
    if (op != GSP_OP_GET_ATTR && op != GSP_OP_PLACEHOLDER) {
        for (unsigned i = 0; id > 0 && i < (how & 3u); i++) {
            unsigned back = next_byte(in) % id;
            gsp_build_arg_node(b, id - 1u - back);
        }
    }
    if (types[what >> 3 & 3u][0]) {
        gsp_build_type(b, gsp_str_of(types[what >> 3 & 3u]));
    }
    if (how & 4u) {
        gsp_build_attr(b, gsp_str_of("acc"), gsp_str_of(how & 8u ? "0" : "1"));
    }
    if ((how & 0x70u) == 0x70u) {
        gsp_build_attr(b, gsp_str_of("group"), numbered(value, 'g', what >> 5));
    }
}

/* return of up to three nodes */
static void add_output(gsp_builder *b, bytes *in, unsigned n)
{
    gsp_build_output(b);
    gsp_build_open(b, GSP_ARG_TUPLE);
    for (unsigned i = next_byte(in) & 3u; i > 0 && n > 0; i--) {
        gsp_build_arg_node(b, next_byte(in) % n);
    }
    gsp_build_close(b);
}

/* An arbitrary taste. */
static int accepts(void *user, const gsp_graph *graph, const gsp_subgraph *subgraph)
{
    (void)user;
    return subgraph->n_nodes % 3u != 0u && subgraph->nodes[0] < graph->n_nodes;
}

static gsp_split_desc options_of(bytes *in)
{
    gsp_split_desc desc = {0};
    unsigned flags = next_byte(in);
    desc.min_size = flags & 3u;
    desc.waive_min_size = flags >> 2 & 1u;
    desc.skip_fusion = flags >> 3 & 1u;
    desc.allow_non_tensor = flags >> 4 & 1u;
    desc.limit_policy = flags >> 5 & 1u;
    desc.limit = flags >> 6;
    flags = next_byte(in);
    desc.move_non_tensor = flags & 1u;
    desc.accept = flags & 2u ? accepts : NULL;
    desc.max_size = flags >> 2 & 3u;
    return desc;
}

/* One byte less than the bound is too little, and the error says how much is enough. */
static void check_refusal(const gsp_graph *graph, const gsp_split_desc *options)
{
    gsp_arena support = fuzz_arena(gsp_support_bound(graph, NULL));
    gsp_split_desc desc = *options;
    size_t bound;
    gsp_placement placement;
    gsp_split_result split;
    gsp_error error;
    gsp_arena arena;
    REQUIRE(gsp_support_run(&support, graph, NULL, &placement, NULL) == GSP_OK);
    desc.placement = &placement;
    bound = gsp_split_bound(graph, &desc);
    arena = fuzz_arena(bound - 1u);
    REQUIRE(gsp_split_run(&arena, graph, &desc, &split, &error) == GSP_STATUS_NOMEM);
    REQUIRE(error.need == bound && error.limit == bound - 1u);
    REQUIRE(arena.low == 0 && arena.high == 0);
    fuzz_free(&arena);
    fuzz_free(&support);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes in = {data, size, 0};
    gsp_split_desc desc = options_of(&in);
    unsigned n = next_byte(&in) % MAX_NODES;
    gsp_counts counts =
        gsp_build_counts(1, n + 1u, 4u * n + 16u, 4u * n + 4u, 3u * n + 32u, 32u * n + 256u);
    gsp_arena arena = fuzz_arena(gsp_build_bound(&counts));
    gsp_builder builder;
    gsp_module module;
    gsp_graph graph;
    REQUIRE(gsp_build_init(&builder, &arena, &counts, NULL) == GSP_OK);
    gsp_build_graph(&builder, gsp_str_of(""));
    for (unsigned i = 0; i < n; i++) {
        add_node(&builder, &in, i);
    }
    add_output(&builder, &in, n);
    REQUIRE(gsp_build_finish(&builder, &module, NULL) == GSP_OK);
    graph = gsp_module_graph(&module, 0);
    fuzz_passes(&graph, &desc, 0);
    check_refusal(&graph, &desc);
    fuzz_free(&arena);
    return 0;
}
