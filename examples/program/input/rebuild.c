/* Copies of graphs in a module of their own. */
#include "input/input.h"

void cli_rebuild_node(gsp_builder *b, const gsp_graph *g, gsp_node v)
{
    uint32_t at = g->first + v;
    gsp_op op = gsp_node_op(g, v);
    if (op == GSP_OP_OUTPUT) {
        (void)gsp_build_output(b);
    } else {
        (void)gsp_build_node_atoms(b, op, g->module->name[at], g->module->target[at]);
    }
    gsp_build_like(b, g, v, 1);
}

void cli_rebuild_start(gsp_builder *b, const gsp_graph *g)
{
    gsp_build_graph(b, gsp_module_str(g->module, g->module->graphs[g->id].name));
}

void cli_rebuild_graph(gsp_builder *b, const gsp_graph *g)
{
    gsp_node v;
    cli_rebuild_start(b, g);
    for (v = 0; v < g->n_nodes; v++) {
        uint32_t n;
        const gsp_arg *args = gsp_node_args(g, v, &n);
        cli_rebuild_node(b, g, v);
        while (n-- != 0) {
            gsp_build_arg(b, *args++);
        }
    }
}

gsp_status cli_rebuild_begin(
    cli_session *s, gsp_builder *b, const gsp_module *like, gsp_counts more, gsp_arena *arena)
{
    gsp_counts counts = gsp_build_counts(like->counts.graphs, like->counts.nodes + more.nodes,
        like->counts.args + more.args, like->counts.attrs, like->counts.strings + more.strings,
        like->counts.bytes + more.bytes);
    size_t bound = gsp_build_bound(&counts);
    gsp_status status = GSP_STATUS_OVERFLOW;
    if (bound != SIZE_MAX) {
        cli_arena(s, arena, bound);
        status = gsp_build_init(b, arena, &counts, NULL);
    }
    if (status == GSP_OK) {
        gsp_build_adopt(b, like);
    }
    return status;
}
