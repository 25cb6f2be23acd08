/* Draws a split as Graphviz text, for `dot -Tsvg`: nodes coloured by support, a frame per subgraph.
 *     cc -I. -o draw examples/draw.c && ./draw
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_DRAW_IMPLEMENTATION
#include "examples/extra/graphsplit_draw.h"
#include <stdio.h>

static const char text[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[8]\n"
    "    %a : [num_users=1] = call_method[target=conv](args = (%x,), kwargs = {})  # f32[8] acc=1\n"
    "    %b : [num_users=1] = call_method[target=sort](args = (%a,), kwargs = {})  # f32[8]\n"
    "    return b\n";
static const gsp_str names[] = {GSP_STR("accelerator"), GSP_STR("CPU")}; /* of subgraphs */
static unsigned char memory[65536];
static gsp_module module;

static int to_file(void *file, const char *data, size_t size)
{
    return fwrite(data, 1, size, (FILE *)file) != size;
}

int main(void)
{
    gsp_split_subgraphs_result r;
    gsp_arena arena;
    gsp_arena_init(&arena, memory, sizeof memory);
    gsp_status status = gsp_text_read(&arena, text, sizeof text - 1, NULL, &module, NULL);
    gsp_graph const graph = gsp_module_graph(&module, 0);
    status = status != GSP_OK ? status : gsp_split_subgraphs_run(&arena, &graph, NULL, &r, NULL);
    if (status != GSP_OK || r.split.n_subgraphs != 2) {
        puts(gsp_status_name(status));
        return 1;
    }
    gsp_draw_desc const draw = {0, 2, "a network", NULL, r.placement.kind, r.split.subgraph_of,
        r.split.subgraph_begin, r.split.nodes, names, r.split.subgraph_kind, 0};
    return gsp_draw_graph(&graph, &draw, to_file, stdout, NULL) != GSP_OK;
}
