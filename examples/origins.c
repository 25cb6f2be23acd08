/* From the nodes of subgraphs back to the graph: which of your nodes has the value of a new node.
 *     cc -I. -o origins examples/origins.c && ./origins
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_ORIGIN_IMPLEMENTATION
#include "examples/extra/graphsplit_origin.h"
#include <stdio.h>

static const char text[] = /* nodes 0 to 4; -1 is none */
    "graph():\n    %x : [num_users=1] = placeholder[target=x]  # i8[4]\n"
    "    %conv : [num_users=2] = call_method[target=f](args = (%x,), kwargs = {})  # i8[4] acc=1\n"
    "    %sort : [num_users=1] = call_method[target=g](args = (%conv,), kwargs = {})  # i8[4]\n"
    "    %add : [num_users=1] = call_method[target=h](args = (%conv, %sort), kwargs = {})"
    "  # i8[4] acc=1\n    return add\n";
static unsigned char memory[1 << 16];
static gsp_module module;
static gsp_split_subgraphs_result r;
static gsp_origins o;

int main(void)
{
    gsp_arena arena;
    gsp_arena_init(&arena, memory, sizeof memory);
    gsp_status status = gsp_text_read(&arena, text, sizeof text - 1, NULL, &module, NULL);
    gsp_graph const graph = gsp_module_graph(&module, 0);
    if (status != GSP_OK || gsp_split_subgraphs_run(&arena, &graph, NULL, &r, NULL) != GSP_OK ||
        gsp_split_by_tags_origins(&arena, &graph, &r.subgraphs, &o, NULL) != GSP_OK) {
        return 1;
    }
    for (uint32_t id = 0; id < r.subgraphs.module.counts.graphs; id++) {
        gsp_graph const made = gsp_module_graph(&r.subgraphs.module, id);
        for (gsp_node v = 0; v < made.n_nodes; v++) {
            gsp_str const name = gsp_node_name(&made, v);
            printf("graph %u: %.*s has the value of %d\n", (unsigned)id, (int)name.size, name.data,
                (int)o.origin[made.first + v].node);
        }
    }
    return printf("conv has %u copies\n", (unsigned)(o.begin[2] - o.begin[1])) < 0;
}
