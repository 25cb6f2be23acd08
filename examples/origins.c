/* From subgraphs back to the graph: which of your nodes each new node stands for, and where your
 * nodes are now.
 *     cc -I. -o origins examples/origins.c && ./origins
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_ORIGIN_IMPLEMENTATION
#include "examples/extra/graphsplit_origin.h"

#include <stdio.h>

static const char network[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
    "    %conv : [num_users=2] = call_function[target=conv](args = (%x,), kwargs = {})  # f32[4] "
    "acc=1\n"
    "    %sort : [num_users=1] = call_function[target=sort](args = (%conv,), kwargs = {})  # "
    "f32[4]\n"
    "    %add : [num_users=1] = call_function[target=add](args = (%conv, %sort), kwargs = {})  # "
    "f32[4] acc=1\n"
    "    return add\n";
static unsigned char memory[1 << 16];

static int print(void *user, const char *data, size_t size)
{
    (void)user;
    return fwrite(data, 1, size, stdout) != size;
}

int main(void)
{
    gsp_arena arena;
    gsp_module module;
    gsp_split_subgraphs_result r;
    gsp_origins o;
    gsp_error error;
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (gsp_text_read(&arena, network, sizeof(network) - 1, NULL, &module, &error) != GSP_OK) {
        return gsp_error_write(&error, NULL, print, NULL), 1;
    }
    gsp_graph const graph = gsp_module_graph(&module, 0);
    if (gsp_split_subgraphs_run(&arena, &graph, NULL, &r, &error) != GSP_OK ||
        gsp_split_by_tags_origins(&arena, &graph, &r.subgraphs, &o, &error) != GSP_OK) {
        return gsp_error_write(&error, &graph, print, NULL), 1;
    }
    const gsp_module *made = &r.subgraphs.module;
    for (uint32_t id = 0; id < made->counts.graphs; id++) {
        gsp_graph const g = gsp_module_graph(made, id);
        for (gsp_node v = 0; v < g.n_nodes; v++) {
            gsp_str const name = gsp_node_name(&g, v);
            gsp_origin const from = o.origin[g.first + v];
            gsp_str const old = gsp_node_name(&graph, from.node);
            printf("graph %u: %.*s is %.*s\n", (unsigned)id, (int)name.size, name.data,
                (int)(from.graph == GSP_NONE ? 1u : old.size),
                from.graph == GSP_NONE ? "-" : old.data);
        }
    }
    for (gsp_node v = 0; v + 1 < graph.n_nodes; v++) {
        gsp_str const name = gsp_node_name(&graph, v);
        printf("%.*s has %u copies\n", (int)name.size, name.data,
            (unsigned)(o.begin[v + 1] - o.begin[v]));
    }
    return 0;
}
