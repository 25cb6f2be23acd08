/* Splits a network and prints subgraphs and reasons: cc -I. -o hello examples/hello.c && ./hello */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#include <stdio.h>
static const char network[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
    "    %conv : [num_users=1] = call_method[target=f](args = (%x,), kwargs = {})  # i8[4] acc=1\n"
    "    %relu : [num_users=2] = call_method[target=g](args = (%conv,), kwargs = {})  # i8[4] "
    "acc=1\n"
    "    %sort : [num_users=1] = call_method[target=h](args = (%relu,), kwargs = {})  # i8[4]\n"
    "    %add : [num_users=1] = call_method[target=i](args = (%relu, %sort), kwargs = {})"
    "  # i8[4] acc=1\n    return add\n";
static unsigned char memory[1 << 16];
int main(void)
{
    gsp_arena arena;
    gsp_module module;
    gsp_split_subgraphs_result r; /* subgraph i as a graph: number 1 + i of r.subgraphs.module */
    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, network, sizeof network - 1, NULL, &module, NULL) != GSP_OK) {
        return 1;
    }
    gsp_graph graph = gsp_module_graph(&module, 0);
    gsp_status status = gsp_split_subgraphs_run(&arena, &graph, NULL, &r, NULL);
    for (uint32_t s = 0; status == GSP_OK && s < r.split.n_subgraphs; s++) {
        char tag[32];
        printf("%.*s\n", (int)gsp_split_tag(&r.split, s, tag, sizeof tag), tag);
        for (uint32_t i = r.split.subgraph_begin[s]; i < r.split.subgraph_begin[s + 1]; i++) {
            gsp_str name = gsp_node_name(&graph, r.split.nodes[i]);
            printf("    %.*s: %s\n", (int)name.size, name.data,
                gsp_reason_text((gsp_reason)r.split.reason[r.split.nodes[i]]));
        }
    }
    return status != GSP_OK;
}
