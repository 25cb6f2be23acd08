/* --map of `dedup`: the node of the module for every node of the input. */
#include "commands/dedup/dedup.h"

void dedup_map(const dedup *p, cli_buffer *out)
{
    gsp_graph root = gsp_module_graph(&p->result.module, 0);
    for (gsp_node v = 0; v + 1u < p->graph.n_nodes; v++) {
        cli_put_text(out, gsp_node_name(&p->graph, v));
        cli_puts(out, " ->");
        for (uint32_t i = p->result.map_begin[v]; i < p->result.map_begin[v + 1u]; i++) {
            cli_puts(out, " ");
            cli_put_text(out, gsp_node_name(&root, p->result.map[i]));
        }
        cli_puts(out, "\n");
    }
}
