/* --run-of: the order in which the parts of a plan run. */
#include "commands/memory/memory.h"

#include "input/input.h"
#include "output/output.h"

int memory_run_of(memory *m)
{
    const gsp_graph *g = &m->graph;
    gsp_graph ordered = m->graph;
    cli_parts *parts = &m->parts;
    gsp_node v;
    int code;
    if (m->opt.run_of == NULL) {
        return CLI_EXIT_OK;
    }
    code = cli_parts_read(m->session, g, m->opt.run_of, 0, parts);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    for (v = 0; v < g->n_nodes; v++) {
        if (gsp_node_is_callable(g, v) && parts->part_of[v] == GSP_NONE) {
            return cli_error(m->session, GSP_STATUS_ARG,
                "--run-of: %%%s is in no part of the plan, so that it is not known when it runs",
                cli_copy(m->session, gsp_node_name(g, v)));
        }
    }
    if ((code = cli_check_writes(m->session, g, parts->part_of)) != CLI_EXIT_OK ||
        (code = cli_order_writes(m->session, &ordered, 0)) != CLI_EXIT_OK) {
        return code;
    }
    m->order = cli_parts_order(m->session, &ordered, parts, &m->n_order);
    return CLI_EXIT_OK;
}

void memory_steps(memory *m)
{
    uint32_t i;
    if (m->order != NULL) {
        m->step = (uint32_t *)cli_alloc(m->session, (size_t)m->graph.n_nodes + 1u, sizeof *m->step);
        for (i = 0; i < m->graph.n_nodes; i++) {
            m->step[m->liveness.nodes[i]] = i;
        }
    }
}
