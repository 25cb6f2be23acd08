/* Shapes, times and pointers of nodes as numbers: into a graph, and back from it.
 *     cc -I. -o numbers examples/numbers.c && ./numbers
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_NUMBERS_IMPLEMENTATION
#include "examples/extra/graphsplit_numbers.h"
#include <stdio.h>

static const uint64_t image[] = {1, 3, 8, 8}, row[] = {1, GSP_DIM_UNKNOWN};
static unsigned char memory[4096]; /* gsp_build_bound() says how much suffices */
static gsp_module module;

int main(void)
{
    gsp_counts const most = gsp_build_counts(1, 9, 9, 9, 9, 999);
    gsp_builder b;
    gsp_arena arena;
    uint64_t dims[GSP_RANK_MAX];
    gsp_arena_init(&arena, memory, sizeof memory);
    gsp_build_init(&b, &arena, &most, NULL);
    gsp_build_graph(&b, gsp_str_of("main"));
    gsp_node const x = gsp_build_node(&b, GSP_OP_PLACEHOLDER, gsp_str_of("x"), gsp_str_of("x"));
    gsp_build_tensor(&b, GSP_DTYPE_F32, image, 4);
    gsp_node const y = gsp_build_call(&b, gsp_str_of("flatten"), &x, 1);
    gsp_build_tensor(&b, GSP_DTYPE_F32, row, 2);
    gsp_build_bytes(&b, 768);                              /* as one dimension is unknown */
    gsp_build_seconds(&b, GSP_KEY_COMPUTE, 1500, -9);      /* 1.5 us */
    gsp_build_user(&b, (uint64_t)(uintptr_t) "my object"); /* each copy of the node keeps it */
    gsp_build_output(&b);
    gsp_build_arg_node(&b, y);
    if (gsp_build_finish(&b, &module, NULL) != GSP_OK) {
        return 1;
    }
    gsp_graph const graph = gsp_module_graph(&module, 0);
    uint32_t const rank = gsp_type_dims(gsp_node_type(&graph, x), dims, GSP_RANK_MAX);
    return printf("%s: rank %u, last dimension %u; %u bytes\n",
               (const char *)(uintptr_t)gsp_node_user(&graph, y), rank, (unsigned)dims[3],
               (unsigned)gsp_node_bytes(&graph, y)) < 0;
}
