/* --emit of `split`: the submodules, and the values that the root keeps. */
#include "commands/split/split.h"

#include <string.h>

static int is_rest(const split *p, gsp_node v)
{
    gsp_node output = p->graph.n_nodes - 1u;
    uint32_t n;
    const gsp_node *users = gsp_node_users(&p->graph, v, &n);
    return gsp_node_op(&p->graph, v) == GSP_OP_GET_ATTR && n != 0 && users[n - 1u] == output;
}

#ifndef CLI_NO_CALLS /* the page of the browser writes parts with its second program */

/* Offsets in the order in which the subgraphs run. */
static const char **all_members(const split *p)
{
    const gsp_split_result *r = &p->result;
    return cli_members(
        p->session, &p->graph, r->subgraph_of, r->nodes, r->subgraph_begin, r->n_subgraphs);
}

/* --blocks: graphs that subgraphs call are written once. */
static int emit_blocks(const split *p)
{
    const gsp_split_result *r = &p->result;
    const char **names =
        (const char **)cli_alloc(p->session, (size_t)r->n_subgraphs + 1u, sizeof *names);
    const char **kinds =
        (const char **)cli_alloc(p->session, (size_t)r->n_subgraphs + 1u, sizeof *kinds);
    cli_call_parts parts;
    uint32_t i;
    for (i = 0; i < r->n_subgraphs; i++) {
        names[i] = p->tags[i];
        kinds[i] = r->names[r->subgraph_kind[i]];
    }
    parts.n_parts = r->n_subgraphs;
    parts.part_of = p->blocks->part_of;
    parts.names = names;
    parts.kinds = kinds;
    parts.members = all_members(p);
    return cli_emit_calls(p->session, p->opt.emit, &p->graph, &p->blocks->result, &parts);
}

#endif /* CLI_NO_CALLS */

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
#ifndef CLI_NO_CALLS
    if (SPLIT_HAS_BLOCKS(p)) {
        return emit_blocks(p);
    }
#endif
    for (v = 0; v < p->graph.n_nodes; v++) {
        kept[v] = (uint8_t)is_rest(p, v);
    }
    code = cli_emit_parameters(p->session, &p->graph, kept, parts, &n);
    for (i = 0; i < r->n_subgraphs && code == CLI_EXIT_OK; i++) {
        parts[n].name = p->tags[i];
        parts[n].kind = r->names[r->subgraph_kind[i]];
        parts[n++].graph = gsp_module_graph(&p->made.module, i + 1u);
    }
#ifndef CLI_NO_CALLS
    if (code == CLI_EXIT_OK) {
        const char **members = all_members(p);
        for (i = 0; i < r->n_subgraphs; i++) {
            parts[n - r->n_subgraphs + i].members = members[i];
        }
    }
#endif
    return code == CLI_EXIT_OK ? cli_emit(p->session, p->opt.emit, &p->graph, parts, n) : code;
}
