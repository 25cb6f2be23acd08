/* A graph in your arrays: n0 input, n1 weight, n2 conv(n0, n1), n3 sort(n2), n4 mul(n2, n3).
 *     cc -I. -o rows examples/rows.c && ./rows
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_CSR_IMPLEMENTATION
#include "examples/extra/graphsplit_csr.h"
#include <stdio.h>

static const uint32_t begin[] = {0, 0, 0, 2, 3, 5, 6}, inputs[] = {0, 1, 2, 2, 3, 4};
static const uint8_t op[] = {GSP_OP_PLACEHOLDER, GSP_OP_GET_ATTR, GSP_OP_CALL_FUNCTION,
    GSP_OP_CALL_FUNCTION, GSP_OP_CALL_FUNCTION, GSP_OP_OUTPUT};
static const uint64_t bytes[] = {64, 256, 64, 64, 64, 0};
static const uint32_t target[] = {0, 1, 2, 3, 4, 5};
static const gsp_str names[] = {GSP_STR("x"), GSP_STR("w"), GSP_STR("conv"), GSP_STR("sort"),
    GSP_STR("mul"), GSP_STR("output")};
static uint8_t kind[] = {GSP_KIND_NONE, GSP_KIND_NONE, 1, GSP_KIND_CPU, 1, GSP_KIND_NONE};
static unsigned char memory[32768]; /* gsp_build_csr_bound() and gsp_split_bound() are less */

int main(void)
{
    gsp_csr_desc const rows = {0, 6, begin, inputs, 0, op, NULL, bytes, target, names, 6, 0};
    gsp_placement const npu = {6, 2, 0, kind, NULL, NULL, NULL};
    gsp_split_desc desc = {0};
    static gsp_split_result r;
    static gsp_module module;
    gsp_arena arena;
    desc.placement = &npu;
    gsp_arena_init(&arena, memory, sizeof memory);
    gsp_status status = gsp_build_csr(&arena, &rows, &module, NULL);
    gsp_graph const graph = gsp_module_graph(&module, 0);
    status = status != GSP_OK ? status : gsp_split_run(&arena, &graph, &desc, &r, NULL);
    for (uint32_t v = 2; v < 5 && status == GSP_OK; v++) {
        gsp_str const name = gsp_node_target(&graph, v);
        printf("n%u %.*s: subgraph %u\n", (unsigned)v, (int)name.size, name.data,
            (unsigned)r.subgraph_of[v]);
    }
    puts(gsp_status_name(status));
    return status != GSP_OK;
}
