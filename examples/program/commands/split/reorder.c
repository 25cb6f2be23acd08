/* The graph of a split in another order, with all that is known of its nodes. */
#include "commands/split/split.h"

int split_reorder(split *p, const gsp_node *calls, gsp_node **order)
{
    uint32_t const n = p->graph.n_nodes;
    uint32_t n_others = 0;
    uint32_t i;
    gsp_node v;
    int code;
    *order = (gsp_node *)cli_alloc(p->session, (size_t)n + 1u, sizeof **order);
    for (v = 0; v < n; v++) {
        if (!gsp_node_is_callable(&p->graph, v) && gsp_node_op(&p->graph, v) != GSP_OP_OUTPUT) {
            (*order)[n_others++] = v;
        }
    }
    for (i = 0; n_others + i + 1u < n; i++) {
        (*order)[n_others + i] = calls[i];
    }
    (*order)[n - 1u] = n - 1u;
    p->is_reordered = 1;
    if ((code = cli_reorder(p->session, &p->graph, *order, "--order")) != CLI_EXIT_OK) {
        return code;
    }
    cli_inside_set(p->session);
    p->graph = gsp_module_graph(&p->session->module, 0);
    code = cli_order_writes(p->session, &p->graph, p->opt.ignore_writes);
    return code == CLI_EXIT_OK
               ? cli_place_run(p->session, &p->place, &p->graph, &p->placement, &p->bodies)
               : code;
}
