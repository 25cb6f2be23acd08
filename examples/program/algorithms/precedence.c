/* The order of nodes: by values, and by writes where a graph has such an order. */
#include "algorithms/algorithms.h"

const gsp_node *cli_before(const gsp_graph *graph, gsp_node node, uint32_t *count)
{
    if (graph->order == NULL) {
        return gsp_node_inputs(graph, node, count);
    }
    const gsp_edges *before = &graph->order->before;
    *count = before->begin[node + 1u] - before->begin[node];
    return before->at + before->begin[node];
}

int cli_reads(const gsp_graph *graph, gsp_node node, gsp_node other)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(graph, node, &n);
    while (n > 0 && in[n - 1u] != other) {
        n--;
    }
    return n > 0;
}

int cli_is_written(const gsp_graph *graph)
{
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        if (gsp_node_attr(graph, v, GSP_KEY_MUTATES).size != 0u || gsp_node_is_barrier(graph, v)) {
            return 1;
        }
    }
    return 0;
}
