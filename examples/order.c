/* A network that writes into its state: split by values alone, `sum` would read the state before
 * `store` has written it. The order of writes keeps it behind:
 *     cc -I. -o order examples/order.c && ./order
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>

#define CALL " = call_function[target=f](args = "

static const char network[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
    "    %state : [num_users=2] = get_attr[target=state]  # f32[4]\n"
    "    %relu : [num_users=2]" CALL "(%x,), kwargs = {})  # f32[4] acc=1\n"
    "    %store : [num_users=0]" CALL "(%state, %relu), kwargs = {})  # f32[4] mutates=0\n"
    "    %sum : [num_users=1]" CALL "(%state, %relu), kwargs = {})  # f32[4] acc=1\n"
    "    return sum\n";

static int print_split(gsp_arena *arena, const gsp_graph *graph, const char *by)
{
    gsp_split_subgraphs_result r;
    if (gsp_split_subgraphs_run(arena, graph, NULL, &r, NULL) != GSP_OK) {
        return 1;
    }
    printf("%s:", by);
    for (uint32_t s = 0; s < r.split.n_subgraphs; s++) {
        printf("%s", s > 0 ? " |" : "");
        for (uint32_t i = r.split.subgraph_begin[s]; i < r.split.subgraph_begin[s + 1]; i++) {
            gsp_str name = gsp_node_name(graph, r.split.nodes[i]);
            printf(" %.*s", (int)name.size, name.data);
        }
    }
    printf("\n");
    return 0;
}

int main(void)
{
    static unsigned char memory[1 << 16];
    gsp_arena arena;
    gsp_module module;
    gsp_dependences dependences;
    gsp_order order;
    gsp_graph graph;
    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, network, sizeof network - 1, NULL, &module, NULL) != GSP_OK) {
        return 1;
    }
    graph = gsp_module_graph(&module, 0);
    if (print_split(&arena, &graph, "by values") != 0 ||
        gsp_dependences_run(&arena, &graph, NULL, &dependences, NULL) != GSP_OK ||
        gsp_order_run(&arena, &graph, &dependences, &order, NULL) != GSP_OK) {
        return 1;
    }
    graph.order = &order;
    return print_split(&arena, &graph, "by writes");
}
