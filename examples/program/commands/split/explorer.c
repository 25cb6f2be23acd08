/* --model-explorer: the graph as JSON for Model Explorer (google-ai-edge/model-explorer), which
 * shows namespaces as layers that open and close: one per subgraph, and in it the paths of modules.
 * */
#include "commands/split/split.h"

#include "examples/extra/graphsplit_draw.h"

#include <inttypes.h>

static void put_pair(cli_buffer *out, const char *key, gsp_str value, int *any)
{
    if (value.size != 0) {
        cli_printf(out, "%s{\"key\": \"%s\", \"value\": ", *any ? ", " : "", key);
        cli_json_string(out, value);
        cli_puts(out, "}");
        *any = 1;
    }
}

/* A parameter belongs to the subgraph of its readers if all are in one. */
static uint32_t layer_of(const split *p, gsp_node v)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(&p->graph, v, &n);
    uint32_t layer = n != 0 ? p->result.subgraph_of[users[0]] : GSP_NONE;
    uint32_t i;
    if (gsp_node_op(&p->graph, v) != GSP_OP_GET_ATTR) {
        return p->result.subgraph_of[v];
    }
    for (i = 1; i < n; i++) {
        layer = p->result.subgraph_of[users[i]] == layer ? layer : GSP_NONE;
    }
    return layer;
}

/* "TAG/encoder/layer0": one layer per component of the path of modules. */
static void put_namespace(const split *p, cli_buffer *out, gsp_node v)
{
    uint32_t layer = layer_of(p, v);
    gsp_str scope = gsp_node_attr(&p->graph, v, GSP_KEY_SCOPE);
    cli_buffer text;
    gsp_str path;
    uint32_t i;
    cli_buffer_init(&text, p->session);
    if (layer != GSP_NONE) {
        cli_puts(&text, p->tags[layer]);
        for (i = 0; i < scope.size; i++) {
            cli_puts(&text, i == 0 ? "/" : "");
            cli_put(&text, scope.data[i] == '.' ? "/" : scope.data + i, 1u);
        }
    }
    path.data = text.data;
    path.size = (uint32_t)text.size;
    cli_puts(out, ", \"namespace\": ");
    cli_json_string(out, path);
    cli_release(p->session, text.data);
}

static void put_attributes(const split *p, const split_facts *f, cli_buffer *out, gsp_node v)
{
    static const char *const ops[] = {
        "", "placeholder", "get_attr", "call_function", "call_method", "call_module", "output"};
    const gsp_graph *g = &p->graph;
    const gsp_split_result *r = &p->result;
    const gsp_module *m = g->module;
    const gsp_attr *a = m->attrs + m->attr[g->first + v];
    uint32_t s = r->subgraph_of[v];
    int any = 0;
    cli_puts(out, ", \"attrs\": [");
    put_pair(out, "op", gsp_str_of(ops[gsp_node_op(g, v)]), &any);
    put_pair(out, "target", gsp_node_target(g, v), &any);
    if (s != GSP_NONE) {
        put_pair(out, "kind", gsp_str_of(r->names[r->subgraph_kind[s]]), &any);
        put_pair(out, "reason", gsp_str_of(split_why_text(p, f, v)), &any);
        if (r->culprit[v] != GSP_NONE) {
            put_pair(out, "culprit", gsp_node_name(g, r->culprit[v]), &any);
        }
    }
    for (; a->key != GSP_KEY_NONE; a++) {
        cli_buffer key;
        cli_buffer_init(&key, p->session);
        (void)cli_json_escape_sink(
            &key, gsp_module_str(m, a->key).data, gsp_module_str(m, a->key).size);
        cli_put(&key, "", 1u);
        put_pair(out, key.data, gsp_module_str(m, a->value), &any);
        cli_release(p->session, key.data);
    }
    cli_puts(out, "]");
}

/* Ids are names; no node can have the name "(return)". */
static void put_id(const split *p, cli_buffer *out, gsp_node v)
{
    int is_output = gsp_node_op(&p->graph, v) == GSP_OP_OUTPUT;
    cli_json_string(out, is_output ? gsp_str_of("(return)") : gsp_node_name(&p->graph, v));
}

static void put_edges(const split *p, cli_buffer *out, gsp_node v)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(&p->graph, v, &n);
    uint32_t i;
    cli_puts(out, ", \"incomingEdges\": [");
    for (i = 0; i < n; i++) {
        cli_printf(out, "%s{\"sourceNodeId\": ", i != 0 ? ", " : "");
        put_id(p, out, in[i]);
        cli_printf(
            out, ", \"sourceNodeOutputId\": \"0\", \"targetNodeInputId\": \"%" PRIu32 "\"}", i);
    }
    cli_puts(out, "]");
}

static void put_node(const split *p, const split_facts *f, cli_buffer *out, gsp_node v)
{
    uint32_t s = p->result.subgraph_of[v];
    int any = 0;
    cli_puts(out, "{\"id\": ");
    put_id(p, out, v);
    cli_puts(out, ", \"label\": ");
    if (gsp_node_is_callable(&p->graph, v)) {
        cli_json_string(out, gsp_node_class(&p->graph, v));
    } else {
        put_id(p, out, v);
    }
    put_namespace(p, out, v);
    put_attributes(p, f, out, v);
    put_edges(p, out, v);
    if (gsp_node_type(&p->graph, v).size != 0) {
        cli_puts(out, ", \"outputsMetadata\": [{\"id\": \"0\", \"attrs\": [");
        put_pair(out, "tensor_shape", gsp_node_type(&p->graph, v), &any);
        cli_puts(out, "]}]");
    }
    if (s != GSP_NONE) {
        cli_printf(out, ", \"style\": {\"backgroundColor\": \"%s\"}",
            gsp_draw_fill(p->result.subgraph_kind[s]));
    }
    cli_puts(out, "}");
}

/* The side panel of a subgraph. */
static void put_layers(const split *p, const split_facts *f, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    uint32_t i;
    cli_puts(out, "],\n\"groupNodeAttributes\": {");
    for (i = 0; i < r->n_subgraphs; i++) {
        const split_subgraph *s = &f->subgraphs[i];
        cli_puts(out, i != 0 ? ",\n  " : "\n  ");
        cli_json_string(out, gsp_str_of(p->tags[i]));
        cli_printf(out, ": {\"kind\": \"%s\", \"nodes\": \"%" PRIu32 "\", \"in\": \"",
            r->names[r->subgraph_kind[i]], r->subgraph_begin[i + 1u] - r->subgraph_begin[i]);
        cli_put_bytes(out, s->in);
        cli_puts(out, "\", \"out\": \"");
        cli_put_bytes(out, s->out);
        cli_puts(out, "\", \"parameters\": \"");
        cli_put_bytes(out, s->params);
        cli_puts(out, "\"}");
    }
    cli_puts(out, "}}]}\n");
}

void split_model_explorer(const split *p, cli_buffer *out)
{
    split_facts facts;
    gsp_node v;
    split_facts_make(p, &facts);
    cli_puts(out, "{\"label\": ");
    cli_json_string(out, gsp_str_of(p->session->path));
    cli_puts(out, ", \"graphs\": [{\"id\": \"main\", \"nodes\": [\n  ");
    for (v = 0; v < p->graph.n_nodes; v++) {
        cli_puts(out, v != 0 ? ",\n  " : "");
        put_node(p, &facts, out, v);
    }
    put_layers(p, &facts, out);
}
