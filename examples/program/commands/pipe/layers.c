/* graphsplit pipe: layers of a graph, and the bytes that they keep. */
#include "commands/pipe/pipe.h"

#include "input/input.h"

/* What the layer of a node is called; empty if it has none. */
static gsp_str layer_name(const pipe_job *p, gsp_node v, int numbered)
{
    gsp_str path = gsp_node_scope(&p->graph, v);
    if (numbered) {
        path.size = cli_numbered_prefix(path);
    } else if (gsp_node_op(&p->graph, v) != GSP_OP_CALL_MODULE ||
               gsp_node_params(&p->graph, v) == 0) {
        path.size = 0;
    }
    return path;
}

/* Numbers the layers of nodes by their names, in the order in which they begin. Returns how many
 * there are. */
static uint32_t name_layers(const pipe_job *p, int numbered, uint32_t *layer, uint64_t *kv)
{
    size_t const most = (size_t)p->graph.n_nodes + 1u;
    uint32_t *number = (uint32_t *)cli_alloc(p->session, most, sizeof *number);
    cli_names names = {NULL, 0};
    uint32_t first = 0;
    uint32_t n = 0;
    names.entries = (cli_name *)cli_alloc(p->session, most, sizeof *names.entries);
    for (gsp_node v = 0; v < p->graph.n_nodes; v++) {
        cli_name const entry = {layer_name(p, v, numbered), v};
        if (gsp_node_is_callable(&p->graph, v) && entry.name.size != 0) {
            names.entries[names.n++] = entry;
        }
    }
    cli_names_sort(&names);
    for (uint32_t i = 0; i < names.n; i++) { /* one node of each */
        const cli_name *entry = &names.entries[i];
        first = i != 0 && gsp_str_equal(entry[-1].name, entry->name) ? first : entry->node;
        layer[entry->node] = first;
        number[entry->node] = GSP_NONE;
    }
    for (gsp_node v = 0; v < p->graph.n_nodes; v++) {
        if (layer[v] != GSP_NONE && number[layer[v]] == GSP_NONE) {
            kv[n] = p->opt.kv;
            number[layer[v]] = n++;
        }
        layer[v] = layer[v] != GSP_NONE ? number[layer[v]] : GSP_NONE;
    }
    cli_release(p->session, names.entries);
    cli_release(p->session, number);
    return n;
}

/* kv= of a node, or kv_per_token= of so many tokens. */
static int read_own(const gsp_graph *g, gsp_node v, uint64_t tokens, uint64_t *bytes)
{
    gsp_str const own = cli_attribute_of(g, v, "kv");
    gsp_str const each = cli_attribute_of(g, v, "kv_per_token");
    if (own.data != NULL && cli_bytes_read(own, bytes)) {
        return 1;
    }
    if (each.data == NULL || !cli_bytes_read(each, bytes)) {
        return 0;
    }
    *bytes = tokens != 0 && *bytes > UINT64_MAX / tokens ? UINT64_MAX : *bytes * tokens;
    return 1;
}

int pipe_has_tokens(const pipe_job *p)
{
    const gsp_graph *g = &p->graph;
    gsp_node v = 0;
    uint64_t bytes;
    while (v < g->n_nodes &&
           (!gsp_node_is_callable(g, v) || cli_attribute_of(g, v, "kv").data != NULL ||
               !read_own(g, v, 1u, &bytes) || bytes == 0)) {
        v++;
    }
    return v < g->n_nodes;
}

uint32_t pipe_layers(const pipe_job *p, uint64_t tokens, uint32_t *layer, uint64_t *kv)
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
        uint64_t bytes;
        if (gsp_node_is_callable(g, v) && read_own(g, v, tokens, &bytes)) {
            layer[v] = n;
            kv[n++] = bytes;
        }
    }
    return n;
}
