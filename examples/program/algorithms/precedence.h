/* The order of nodes: by values, and by writes where a graph has such an order. */
#ifndef CLI_ALGORITHMS_PRECEDENCE_H
#define CLI_ALGORITHMS_PRECEDENCE_H

#include "graphsplit.h"

/* cli_before: the nodes that must run before a node. */
const gsp_node *cli_before(const gsp_graph *graph, gsp_node node, uint32_t *count);

/* cli_after: the nodes that must run after it. */
const gsp_node *cli_after(const gsp_graph *graph, gsp_node node, uint32_t *count);

/* cli_is_written: 1 if a node writes in place or is a barrier: values alone do not order nodes. */
int cli_is_written(const gsp_graph *graph);

/* cli_reads: 1 if a node reads another. */
int cli_reads(const gsp_graph *graph, gsp_node node, gsp_node other);

#endif
