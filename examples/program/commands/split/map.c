/* --map: from the qualified names of the input to those of the split module. */
#include "commands/split/split.h"

static void put_line(cli_buffer *out, const char *kind, gsp_str old, const char *tag)
{
    cli_printf(out, "%s ", kind);
    cli_put_text(out, old);
    cli_puts(out, " -> ");
    if (tag != NULL) {
        cli_printf(out, "%s.", tag);
    }
    cli_put_text(out, old);
    cli_puts(out, "\n");
}

/* The places that read an attribute: each subgraph that reads it, and the root if it returns it. */
static void put_attribute(const split *p, cli_buffer *out, gsp_node v, uint32_t *seen)
{
    const gsp_split_result *r = &p->result;
    uint32_t n;
    const gsp_node *users = gsp_node_users(&p->graph, v, &n);
    uint32_t i;
    for (i = 0; i < n; i++) {
        uint32_t s = r->subgraph_of[users[i]];
        if (s == GSP_NONE) {
            put_line(out, "attribute", gsp_node_target(&p->graph, v), NULL);
        } else if (seen[s] != v + 1u) {
            seen[s] = v + 1u;
            put_line(out, "attribute", gsp_node_target(&p->graph, v), p->tags[s]);
        }
    }
}

void split_map(const split *p, cli_buffer *out)
{
    const gsp_graph *g = &p->graph;
    uint32_t *seen =
        (uint32_t *)cli_alloc(p->session, (size_t)p->result.n_subgraphs + 1u, sizeof *seen);
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        gsp_op op = gsp_node_op(g, v);
        if (op == GSP_OP_GET_ATTR) {
            put_attribute(p, out, v, seen);
        } else if (gsp_node_is_callable(g, v)) {
            const char *tag = p->tags[p->result.subgraph_of[v]];
            put_line(out, "node", gsp_node_name(g, v), tag);
            if (op == GSP_OP_CALL_MODULE) {
                put_line(out, "module", gsp_node_target(g, v), tag);
            }
        }
    }
}
