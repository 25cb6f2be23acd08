/* --emit of `split`: the submodules, and the values that the root keeps. */
#include "commands/split/split.h"

static int is_rest(const split *p, gsp_node v)
{
    gsp_node output = p->graph.n_nodes - 1u;
    uint32_t n;
    const gsp_node *users = gsp_node_users(&p->graph, v, &n);
    return gsp_node_op(&p->graph, v) == GSP_OP_GET_ATTR && n != 0 && users[n - 1u] == output;
}

/* A getitem only unpacks the outputs of a part, and is no part. The rest of the root are parameters
 * that are returned. */
int split_emit(const split *p)
{
    const gsp_split_result *r = &p->result;
    cli_part *parts = (cli_part *)cli_alloc(p->session, (size_t)r->n_subgraphs + 1u, sizeof *parts);
    uint8_t *kept = (uint8_t *)cli_alloc(p->session, p->graph.n_nodes, 1u);
    size_t n = 0;
    uint32_t i;
    gsp_node v;
    int code;
    for (v = 0; v < p->graph.n_nodes; v++) {
        kept[v] = (uint8_t)is_rest(p, v);
    }
    code = cli_emit_parameters(p->session, &p->graph, kept, parts, &n);
    for (i = 0; i < r->n_subgraphs && code == CLI_EXIT_OK; i++) {
        parts[n].name = p->tags[i];
        parts[n].kind = r->names[r->subgraph_kind[i]];
        parts[n++].graph = gsp_module_graph(&p->made.module, i + 1u);
    }
    return code == CLI_EXIT_OK ? cli_emit(p->session, p->opt.emit, &p->graph, parts, n) : code;
}
