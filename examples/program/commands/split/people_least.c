/* Figures of a split that are not known, for a dimension is no number or a TYPE is missing. */
#include "commands/split/split.h"

static void mark_param(const split *p, split_least *least, uint32_t s)
{
    least->subgraphs[s] |= SPLIT_LEAST_PARAMS;
    least->params[0] = 1;
    least->params[1] |= p->result.subgraph_kind[s] != GSP_KIND_CPU;
}

/* A value that subgraph s reads from elsewhere. */
static void mark_crossing(const split *p, split_least *least, gsp_node v, uint32_t s)
{
    uint32_t own = p->result.subgraph_of[v];
    least->subgraphs[s] |= SPLIT_LEAST_IN | SPLIT_LEAST_PEAK;
    if (own != GSP_NONE) {
        int is_boundary =
            (p->result.subgraph_kind[own] | p->result.subgraph_kind[s]) != GSP_KIND_CPU;
        least->boundary |= is_boundary;
        least->rest |= !is_boundary;
    }
}

static void mark_value(const split *p, split_least *least, gsp_node v)
{
    uint32_t own = p->result.subgraph_of[v];
    uint32_t n;
    const gsp_node *users = gsp_node_users(&p->graph, v, &n);
    uint32_t i;
    if (own != GSP_NONE) {
        least->subgraphs[own] |= SPLIT_LEAST_PEAK;
        least->yielded[0] = 1;
        least->yielded[1] |= p->result.subgraph_kind[own] != GSP_KIND_CPU;
    }
    for (i = 0; i < n; i++) {
        uint32_t s = p->result.subgraph_of[users[i]];
        if (own != GSP_NONE && s != own) {
            least->subgraphs[own] |= SPLIT_LEAST_OUT;
        }
        if (s == GSP_NONE || s == own) {
            continue;
        }
        if (gsp_node_op(&p->graph, v) == GSP_OP_GET_ATTR) {
            mark_param(p, least, s);
        } else {
            mark_crossing(p, least, v, s);
        }
    }
}

void split_least_make(const split *p, split_least *least)
{
    static const split_least none;
    gsp_str symbol;
    gsp_node v;
    *least = none;
    least->subgraphs = (uint8_t *)cli_alloc(p->session, (size_t)p->result.n_subgraphs + 1u, 1u);
    for (v = 0; v < p->graph.n_nodes; v++) {
        if (cli_size_of(&p->graph, v, &symbol) != CLI_SIZE_KNOWN) {
            mark_value(p, least, v);
        }
    }
}
