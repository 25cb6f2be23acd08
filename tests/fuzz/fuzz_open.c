/* Opening stored modules: a block is refused, or every query and pass on it stays within it. The
 * first byte of the input chooses a good block to damage: the rest are patches (two bytes offset,
 * one byte value), or, for 0, the block itself.
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Iexamples/program \
 *         -o fuzz_open tests/fuzz/fuzz_open.c examples/program/algorithms/plan_file.c
 */
#include "fuzz_more.h"

static const char *const texts[] = {
    "graph():\n    return None\n",
    "graph():\n"
    "    %x : [num_users=2] = placeholder[target=x](default=None)  # f32[4]\n"
    "    %w : [num_users=1] = get_attr[target=blk.w]  # f32[8, 3] storage=s\n"
    "    %a : [num_users=2] = call_module[target=conv](args = (%x, [%w, (1, {k: %x})]), kwargs = "
    "{d: 1})"
    "  # tuple(f32[4], i64[2]) module=Conv params=8 acc=1 group=g\n"
    "    %b : [num_users=1] = call_method[target=size](args = (%a, slice(0, 1, None)), kwargs = {})"
    "  # int acc=1 compute=1.5e-06\n"
    "    return {'a': (a, b)}\n",
    "module main\ngraph():\n"
    "    %x : [num_users=1] = placeholder[target=x]\n"
    "    %s : [num_users=1] = call_module[target=sub](args = (%x,), kwargs = {})\n"
    "    return s\n"
    "module sub\ngraph():\n"
    "    %x : [num_users=1] = placeholder[target=x]\n"
    "    %n : [num_users=1] = call_function[target=torch.neg](args = (%x,), kwargs = {})\n"
    "    return n\n",
    "module main\ngraph():\n"
    "    %x : [num_users=1] = placeholder[target=x]\n"
    "    %k : [num_users=1] = placeholder[target=**k](default={a: 1})\n"
    "    %h : [num_users=1] = get_attr[target=sub]\n"
    "    %a : [num_users=2] = call_method[target=split](args = (%x,), kwargs = {})"
    "  # tuple(f32[2], list(f32[1], int))\n"
    "    %s : [num_users=1] = call_module[target=sub](args = (%a, [%x, 1]), kwargs = {z: (2,)})\n"
    "    %i : [num_users=1] = call_function[target=torch.ops.higher_order.invoke_subgraph]"
    "(args = (%h, sub, %a, [%x, %x], (%x,)), kwargs = {})\n"
    "    %g : [num_users=1] = call_function[target=operator.getitem](args = (%s, 1), kwargs = {})\n"
    "    return (g, i, {k: a})\n"
    "module sub\ngraph():\n"
    "    %p : [num_users=1] = placeholder[target=p]\n"
    "    %q : [num_users=1] = placeholder[target=q]\n"
    "    %z : [num_users=1] = placeholder[target=z]\n"
    "    %e : [num_users=1] = call_function[target=operator.getitem](args = (%q, -1), kwargs = "
    "{})\n"
    "    %f : [num_users=1] = call_method[target=f](args = (%e, (%p, %z)), kwargs = {})\n"
    "    return (f, (q, 3))\n",
};

enum { N_TEXTS = sizeof texts / sizeof *texts };

/* A copy of the bytes of a good module, aligned as malloc aligns. */
static unsigned char *good_block(const char *text, size_t *size)
{
    gsp_counts counts;
    gsp_module module;
    gsp_arena arena;
    unsigned char *block;
    REQUIRE(gsp_text_count(text, strlen(text), &counts, NULL) == GSP_OK);
    arena = fuzz_arena(gsp_build_bound(&counts));
    REQUIRE(gsp_text_read(&arena, text, strlen(text), NULL, &module, NULL) == GSP_OK);
    *size = module.block_size;
    block = (unsigned char *)malloc(*size);
    REQUIRE(block != NULL);
    memcpy(block, module.block, *size);
    fuzz_free(&arena);
    return block;
}

static unsigned char *damaged_block(const uint8_t *data, size_t size, size_t *block_size)
{
    unsigned char *block;
    unsigned choice = size > 0 ? data[0] % (N_TEXTS + 1u) : 0;
    if (choice == 0) {
        *block_size = size > 0 ? size - 1u : 0;
        block = (unsigned char *)malloc(size + 1u);
        REQUIRE(block != NULL);
        if (*block_size > 0) {
            memcpy(block, data + 1, *block_size);
        }
        return block;
    }
    block = good_block(texts[choice - 1u], block_size);
    for (size_t i = 1; i + 2u < size; i += 3u) {
        size_t at = (data[i] | (size_t)data[i + 1] << 8) % *block_size;
        block[at] = data[i + 2];
    }
    return block;
}

/* Reads all bytes of a text. */
static unsigned sum_of(gsp_str text)
{
    unsigned sum = 0;
    for (uint32_t i = 0; i < text.size; i++) {
        sum += (unsigned char)text.data[i];
    }
    return sum;
}

static unsigned ask_node(const gsp_graph *graph, gsp_node v)
{
    gsp_str dtype, dims, type = gsp_node_type(graph, v);
    unsigned sum =
        sum_of(gsp_node_name(graph, v)) + sum_of(gsp_node_target(graph, v)) + sum_of(type);
    uint32_t at = 0, count;
    const gsp_node *row;
    sum += sum_of(gsp_node_class(graph, v)) + sum_of(gsp_node_scope(graph, v));
    for (int key = 0; key < GSP_KEY_COUNT; key++) {
        sum += sum_of(gsp_node_attr(graph, v, (gsp_key)key));
    }
    sum += (unsigned)(gsp_node_bytes(graph, v) + gsp_node_params(graph, v));
    sum += (unsigned)gsp_node_acc(graph, v) + (unsigned)gsp_node_op(graph, v) +
           (unsigned)gsp_node_value_kind(graph, v);
    sum += gsp_node_seconds(graph, v, GSP_KEY_COMPUTE) > 0;
    row = gsp_node_inputs(graph, v, &count);
    for (uint32_t i = 0; i < count; i++) {
        REQUIRE(row[i] < v);
    }
    row = gsp_node_users(graph, v, &count);
    for (uint32_t i = 0; i < count; i++) {
        REQUIRE(row[i] > v && row[i] < graph->n_nodes);
    }
    while (gsp_type_next(type, &at, &dtype, &dims)) {
        sum += sum_of(dtype) + sum_of(dims);
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned total = 0;
    size_t block_size;
    unsigned char *block = damaged_block(data, size, &block_size);
    gsp_module module;
    fuzz_text text = {NULL, 0, 0};
    if (gsp_module_open(&module, block, block_size, 0, NULL) == GSP_OK) {
        for (uint32_t g = 0; g < module.counts.graphs; g++) {
            gsp_graph graph = gsp_module_graph(&module, g);
            for (gsp_node v = 0; v < graph.n_nodes; v++) {
                total += ask_node(&graph, v);
            }
            fuzz_passes(&graph, NULL, 1);
            fuzz_more(&graph, (uint32_t)size, 1);
        }
        for (uint32_t s = 0; s < module.counts.strings; s++) {
            total += gsp_module_find_graph(&module, s) != GSP_NONE;
        }
        REQUIRE(gsp_text_write(&module, NULL, fuzz_append, &text, NULL) == GSP_OK);
        free(text.data);
    }
    free(block);
    return total == 1 ? -1 : 0; /* keeps the queries alive; -1 if not worth a corpus entry */
}
