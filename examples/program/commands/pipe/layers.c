/* graphsplit pipe: layers of a graph, and the bytes that they keep. */
#include "commands/pipe/pipe.h"

/* What the layer of a node is called; empty if it has none. */
static gsp_str layer_name(const pipe_job *p, gsp_node v, int numbered)
{
    gsp_str path = gsp_node_scope(&p->graph, v);
    if (numbered) {
        path.size = pipe_numbered_prefix(path);
    } else if (gsp_node_op(&p->graph, v) != GSP_OP_CALL_MODULE ||
               gsp_node_params(&p->graph, v) == 0) {
        path.size = 0;
    }
    return path;
}

/* Numbers the layers of nodes by their names. Returns how many there are. */
static uint32_t name_layers(const pipe_job *p, int numbered, uint32_t *layer, uint64_t *kv)
{
    gsp_str *names = (gsp_str *)cli_alloc(p->session, (size_t)p->graph.n_nodes + 1u, sizeof *names);
    uint32_t n = 0;
    for (gsp_node v = 0; v < p->graph.n_nodes; v++) {
        gsp_str const name = layer_name(p, v, numbered);
        uint32_t i = n;
        if (!gsp_node_is_callable(&p->graph, v) || name.size == 0) {
            continue;
        }
        while (i > 0 && !gsp_str_equal(names[i - 1u], name)) {
            i--;
        }
        if (i == 0) {
            names[n++] = name;
            i = n;
        }
        layer[v] = i - 1u;
        kv[v] = p->opt.kv;
    }
    cli_release(p->session, names);
    return n;
}

uint32_t pipe_layers(const pipe_job *p, uint32_t *layer, uint64_t *kv)
{
    const gsp_graph *g = &p->graph;
    uint32_t n = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        layer[v] = GSP_NONE;
    }
    if (p->opt.kv != 0) {
        n = name_layers(p, 1, layer, kv);
        n = n != 0 ? n : name_layers(p, 0, layer, kv);
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        gsp_str const own = cli_attribute_of(g, v, "kv");
        uint64_t bytes;
        if (gsp_node_is_callable(g, v) && own.data != NULL && cli_bytes_read(own, &bytes)) {
            layer[v] = n++;
            kv[v] = bytes;
        }
    }
    return n;
}
