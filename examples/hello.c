/* Splits a small network between the CPU and one accelerator and prints the pieces and the reasons.
 *     cc -I. -o hello examples/hello.c && ./hello
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>
#include <string.h>

static const char network[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[1, 3, 8, 8]\n"
    "    %conv : [num_users=1] = call_module[target=conv](args = (%x,), kwargs = {})"
    "  # f32[1, 8, 8, 8] module=Conv2d params=896 acc=1\n"
    "    %relu : [num_users=2] = call_function[target=relu](args = (%conv,), kwargs = {})"
    "  # f32[1, 8, 8, 8] acc=1\n"
    "    %sort : [num_users=1] = call_function[target=sort](args = (%relu,), kwargs = {})"
    "  # f32[1, 8, 8, 8]\n"
    "    %add : [num_users=1] = call_function[target=add](args = (%relu, %sort), kwargs = {})"
    "  # f32[1, 8, 8, 8] acc=1\n"
    "    return add\n";

static unsigned char memory[1 << 16];

int main(void)
{
    gsp_arena arena;
    gsp_module module;
    gsp_error error;
    gsp_placement placement;
    gsp_split_desc desc = gsp_split_resolve(NULL);
    gsp_split_result split;

    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, network, strlen(network), NULL, &module, &error) != GSP_OK) {
        printf("line %zu: %s\n", error.line, gsp_detail_text(error.detail));
        return 1;
    }
    gsp_graph graph = gsp_module_graph(&module, 0);
    desc.placement = &placement;
    if (gsp_support_run(&arena, &graph, NULL, &placement, &error) != GSP_OK ||
        gsp_split_run(&arena, &graph, &desc, &split, &error) != GSP_OK) {
        printf("%s\n", gsp_status_text(error.status));
        return 1;
    }
    for (uint32_t s = 0; s < split.n_subgraphs; s++) {
        char tag[64];
        gsp_split_tag(&split, s, tag, sizeof tag);
        printf("%s\n", tag);
        for (uint32_t i = split.subgraph_begin[s]; i < split.subgraph_begin[s + 1]; i++) {
            gsp_node v = split.nodes[i];
            gsp_str name = gsp_node_name(&graph, v);
            printf("    %.*s: %s\n", (int)name.size, name.data,
                   gsp_reason_text((gsp_reason)split.reason[v]));
        }
    }
    return 0;
}
