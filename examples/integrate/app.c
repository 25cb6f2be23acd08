/* The program that every build system here builds: splits two nodes and prints the result. */
#include "graphsplit.h"

#include <stdio.h>
#include <string.h>

static const char text[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]\n"
    "    %a : [num_users=1] = call_method[target=relu](args = (%x,), kwargs = {})  # f32[8] acc=1\n"
    "    %b : [num_users=1] = call_method[target=sort](args = (%a,), kwargs = {})  # f32[8] acc=0\n"
    "    return b\n";

int main(void)
{
    static unsigned char memory[65536];
    gsp_split_desc desc;
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_placement placement;
    gsp_split_result result;
    memset(&desc, 0, sizeof desc);
    desc.placement = &placement;
    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, text, sizeof text - 1u, NULL, &module, NULL) != GSP_OK) {
        return 1;
    }
    graph = gsp_module_graph(&module, 0);
    if (gsp_support_run(&arena, &graph, NULL, &placement, NULL) != GSP_OK ||
        gsp_split_run(&arena, &graph, &desc, &result, NULL) != GSP_OK) {
        return 1;
    }
    printf("%u subgraphs\n", (unsigned)result.n_subgraphs);
    return result.n_subgraphs == 2u ? 0 : 1;
}
