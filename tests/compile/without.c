/* A build without fusion and without moving off boundaries: splits that need neither are as ever,
 * the others are refused, and the constant bounds are those of this build. */
#define GSP_NO_FUSE
#define GSP_NO_MOVE_NON_TENSOR
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <string.h>

static const char plain[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[8]\n"
    "    %a : [num_users=1] = call_function[target=a](args = (%x,), kwargs = {})\n"
    "    %b : [num_users=1] = call_function[target=b](args = (%a,), kwargs = {})\n"
    "    return b\n";
/* A tuple from one node of the accelerator to the next: they belong together. */
static const char fused[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[8]\n"
    "    %a : [num_users=1] = call_function[target=a](args = (%x,), kwargs = {})  # tuple\n"
    "    %b : [num_users=1] = call_function[target=b](args = (%a,), kwargs = {})\n"
    "    return b\n";

static unsigned char memory[65536];

/* Both calls are on the accelerator. */
static gsp_status split(
    const char *text, gsp_split_desc *desc, gsp_split_result *result, gsp_error *err)
{
    static uint8_t const kind[] = {0, 1, 1, 0};
    gsp_placement placement;
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_mark before;
    gsp_status status;
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (gsp_text_read(&arena, text, strlen(text), NULL, &module, err) != GSP_OK) {
        return GSP_STATUS_PARSE;
    }
    graph = gsp_module_graph(&module, 0);
    memset(&placement, 0, sizeof(placement));
    placement.n_nodes = graph.n_nodes;
    placement.n_kinds = 2;
    placement.kind = (uint8_t *)(uintptr_t)kind;
    desc->placement = &placement;
    before = gsp_arena_mark(&arena);
    status = gsp_split_run(&arena, &graph, desc, result, err);
    if (status != GSP_OK && (arena.low != before.low || arena.high != before.high)) {
        return GSP_STATUS_COUNT;
    }
    return status;
}

int main(void)
{
    gsp_split_desc desc;
    gsp_split_result result;
    gsp_error err;
    gsp_graph graph;
    uint32_t n;
    memset(&desc, 0, sizeof(desc));
    if (split(plain, &desc, &result, &err) != GSP_OK || result.n_subgraphs != 1 ||
        result.n_groups != 0) {
        return 1;
    }
    if (split(fused, &desc, &result, &err) != GSP_STATUS_DESC || err.detail != GSP_DETAIL_MODE ||
        err.node != 1) {
        return 2;
    }
    desc.skip_fusion = 1;
    if (split(fused, &desc, &result, &err) != GSP_OK || result.n_subgraphs != 1) {
        return 3;
    }
    desc.move_non_tensor = 1;
    if (split(plain, &desc, &result, &err) != GSP_STATUS_DESC || err.detail != GSP_DETAIL_MODE) {
        return 4;
    }
    memset(&graph, 0, sizeof(graph));
    for (n = 0; n < 3000; n += n / 7 + 1) {
        graph.n_nodes = n;
        if (GSP_SPLIT_BOUND(n, 2 * n) != gsp_split_bound(&graph, NULL)) {
            return 5;
        }
    }
    return 0;
}
