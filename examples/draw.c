/* Draws a split as Graphviz text: nodes coloured by support, a frame per subgraph. Pipe it into
 * `dot -Tsvg`.
 *     cc -I. -o draw examples/draw.c && ./draw
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_DRAW_IMPLEMENTATION
#include "examples/extra/graphsplit_draw.h"

#include <stdio.h>

static const char text[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[8]\n"
    "    %a : [num_users=1] = call_function[target=conv](args = (%x,), kwargs = {})"
    "  # f32[8] acc=1\n"
    "    %b : [num_users=1] = call_function[target=sort](args = (%a,), kwargs = {})  # f32[8]\n"
    "    return b\n";

static int to_stdout(void *user, const char *data, size_t size)
{
    (void)user;
    return fwrite(data, 1, size, stdout) != size;
}

int main(void)
{
    static unsigned char memory[65536];
    gsp_split_desc desc = {0};
    gsp_draw_desc draw = {0};
    gsp_placement placement;
    gsp_split_result split;
    gsp_str names[2];
    char tags[2][32];
    gsp_module module;
    gsp_arena arena;
    gsp_error error;
    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, text, sizeof text - 1, NULL, &module, &error) != GSP_OK) {
        return 1;
    }
    gsp_graph graph = gsp_module_graph(&module, 0);
    desc.placement = &placement;
    if (gsp_support_run(&arena, &graph, NULL, &placement, &error) != GSP_OK ||
        gsp_split_run(&arena, &graph, &desc, &split, &error) != GSP_OK || split.n_subgraphs != 2) {
        return 1;
    }
    for (uint32_t s = 0; s < 2; s++) {
        gsp_split_tag(&split, s, tags[s], sizeof tags[s]);
        names[s] = gsp_str_of(tags[s]);
    }
    draw.title = "a network";
    draw.kind = placement.kind;
    draw.n_clusters = split.n_subgraphs;
    draw.cluster_of = split.subgraph_of;
    draw.cluster_begin = split.subgraph_begin;
    draw.cluster_nodes = split.nodes;
    draw.cluster_names = names;
    draw.cluster_kind = split.subgraph_kind;
    return gsp_draw_graph(&graph, &draw, to_stdout, NULL, &error) != GSP_OK;
}
