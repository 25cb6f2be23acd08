/* Growing an accelerator subgraph after the split: a supported node that a subgraph of the CPU took
 * with it comes back, because only the accelerator reads it.
 *     cc -I. -o grow examples/grow.c && ./grow
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>

static const char text[] =
    "graph():\n"
    "    %x : [num_users=2] = placeholder[target=x]  # f32[8]\n"
    "    %sort : [num_users=1] = call_function[target=sort](args = (%x,), kwargs = {})  # f32[8]\n"
    "    %relu : [num_users=1] = call_function[target=relu](args = (%x,), kwargs = {})  # f32[8]\n"
    "    %add : [num_users=1] = call_function[target=add](args = (%relu, %sort), kwargs = {})"
    "  # f32[8]\n"
    "    return add\n";
static unsigned char memory[1 << 16];

int main(void)
{
    /* x, sort, relu, add, output: 1 is supported by the accelerator. */
    static const uint8_t kind[] = {GSP_KIND_NONE, GSP_KIND_CPU, 1, 1, GSP_KIND_NONE};
    uint32_t subgraph_of[] = {0, 0, 0, 1, 0};
    gsp_subgraph_grow_desc desc = {0};
    gsp_arena arena;
    gsp_module module;
    uint32_t n_moved = 0;
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (gsp_text_read(&arena, text, sizeof(text) - 1, NULL, &module, NULL) != GSP_OK) {
        return 1;
    }
    gsp_graph graph = gsp_module_graph(&module, 0);
    desc.subgraph = 1;
    desc.kind = kind;
    if (gsp_subgraph_grow_run(&arena, &graph, &desc, subgraph_of, &n_moved, NULL) != GSP_OK) {
        return 1;
    }
    printf("%u node joined\n", (unsigned)n_moved);
    for (gsp_node v = 1; v < 4; v++) {
        gsp_str name = gsp_node_name(&graph, v);
        printf("%.*s: subgraph %u\n", (int)name.size, name.data, (unsigned)subgraph_of[v]);
    }
    return 0;
}
