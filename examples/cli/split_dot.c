/* --dot: the split graph for Graphviz: a cluster a subgraph; for large graphs a box a subgraph. */
#include "split.h"

#include <inttypes.h>

#define DOT_NODES 2000u
/* Labels on edges cost Graphviz a node each: with more boxes they become tooltips. */
#define DOT_LABELLED_BOXES 60u

/* Inside of a quoted label: quotes and backslashes escaped, control bytes as blanks. */
static void put_escaped(cli_buffer *out, gsp_text text, size_t width)
{
    cli_buffer clipped;
    size_t i;
    cli_buffer_init(&clipped, out->session);
    cli_put_clipped(&clipped, text, width);
    for (i = 0; i < clipped.size; i++) {
        if (clipped.data[i] == '"' || clipped.data[i] == '\\') {
            cli_puts(out, "\\");
        }
        cli_put(out, clipped.data + i, 1u);
    }
    cli_release(out->session, clipped.data);
}

static const char *fill_of(uint32_t kind)
{
    static const char *const fills[] = {"#fdebc8", "#cfeccf", "#cfe6f7", "#ead5f5", "#d8dcf0"};
    return fills[kind < CLI_COUNT(fills) ? kind : CLI_COUNT(fills) - 1u];
}

/* `layout`: further attributes of the drawing, each with a comma behind it. */
static void put_head(const split *p, cli_buffer *out, const char *layout, const char *note)
{
    cli_printf(out,
               "digraph split {\n"
               "    graph [rankdir=TB, %sfontname=\"Helvetica\", labelloc=t, label=\"",
               layout);
    put_escaped(out, gsp_text_of(p->session->path), 100u);
    cli_printf(out, "%s\"];\n", note);
    cli_puts(out, "    node [shape=box, style=\"filled,rounded\", fillcolor=white, "
                  "fontname=\"Helvetica\", fontsize=10];\n"
                  "    edge [color=\"#606060\", fontname=\"Helvetica\", fontsize=9];\n");
}

/* ---- every node ---- */

/* Parameters are no boxes of their own: a node says how many bytes of them it reads. */
static uint64_t param_bytes(const gsp_graph *g, gsp_node v)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(g, v, &n);
    uint64_t bytes = gsp_node_params(g, v);
    uint32_t i;
    for (i = 0; i < n; i++) {
        bytes += gsp_node_op(g, in[i]) == GSP_OP_GET_ATTR ? gsp_node_bytes(g, in[i]) : 0u;
    }
    return bytes;
}

static void put_node(const split *p, cli_buffer *out, gsp_node v, const char *indent)
{
    const gsp_graph *g = &p->graph;
    gsp_text type = gsp_node_type(g, v);
    uint64_t params = gsp_node_is_callable(g, v) ? param_bytes(g, v) : 0u;
    cli_printf(out, "%sn%" PRIu32 " [label=\"", indent, v);
    put_escaped(out, gsp_node_name(g, v), 60u);
    if (gsp_node_is_callable(g, v)) {
        cli_puts(out, "\\n");
        put_escaped(out, gsp_node_class(g, v), 60u);
    }
    if (type.size != 0) {
        cli_puts(out, "\\n");
        put_escaped(out, type, 60u);
    }
    if (params != 0) {
        cli_puts(out, "\\nparameters ");
        cli_put_bytes(out, params);
    }
    cli_puts(out, gsp_node_is_callable(g, v) ? "\"];\n" : "\", shape=oval, style=solid];\n");
}

static void put_clusters(const split *p, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    uint32_t s;
    for (s = 0; s < r->n_subgraphs; s++) {
        uint32_t i;
        cli_printf(out,
                   "    subgraph cluster_%" PRIu32 " {\n"
                   "        label=\"%s: %" PRIu32 " node(s)\"; labeljust=l; fontsize=11;\n",
                   s, p->tags[s], r->subgraph_begin[s + 1u] - r->subgraph_begin[s]);
        cli_printf(out, "        style=\"filled,rounded\"; color=\"#808080\"; fillcolor=\"%s\";\n",
                   fill_of(r->subgraph_kind[s]));
        for (i = r->subgraph_begin[s]; i < r->subgraph_begin[s + 1u]; i++) {
            put_node(p, out, r->nodes[i], "        ");
        }
        cli_puts(out, "    }\n");
    }
}

/* A parameter is drawn only where the graph returns it. */
static int is_drawn(const split *p, gsp_node v)
{
    gsp_node output = p->graph.n_nodes - 1u;
    uint32_t n;
    const gsp_node *users = gsp_node_users(&p->graph, v, &n);
    return gsp_node_op(&p->graph, v) != GSP_OP_GET_ATTR || (n != 0 && users[n - 1u] == output);
}

static void put_nodes(const split *p, cli_buffer *out)
{
    const gsp_graph *g = &p->graph;
    gsp_node v;
    put_clusters(p, out);
    for (v = 0; v < g->n_nodes; v++) {
        if (!gsp_node_is_callable(g, v) && is_drawn(p, v)) {
            put_node(p, out, v, "    ");
        }
    }
    for (v = 0; v < g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(g, v, &n);
        uint32_t i;
        for (i = 0; i < n; i++) {
            int crosses = p->result.subgraph_of[in[i]] != p->result.subgraph_of[v];
            int is_attribute = gsp_node_op(g, in[i]) == GSP_OP_GET_ATTR;
            if (!is_attribute || gsp_node_op(g, v) == GSP_OP_OUTPUT) {
                cli_printf(out, "    n%" PRIu32 " -> n%" PRIu32 "%s;\n", in[i], v,
                           crosses ? " [penwidth=2]" : "");
            }
        }
    }
}

/* ---- a box a subgraph ---- */

typedef struct dot_edge {
    uint32_t from; /* subgraph; n_subgraphs: the inputs of the graph */
    uint32_t values;
    uint64_t bytes;
} dot_edge;

static void put_box(const split *p, const split_facts *f, cli_buffer *out, uint32_t s)
{
    const gsp_split_result *r = &p->result;
    uint32_t nodes = r->subgraph_begin[s + 1u] - r->subgraph_begin[s];
    cli_printf(out, "    s%" PRIu32 " [fillcolor=\"%s\", label=\"%s (%s)\\n%" PRIu32 " node%s", s,
               fill_of(r->subgraph_kind[s]), p->tags[s], r->names[r->subgraph_kind[s]], nodes,
               cli_plural(nodes));
    if (f->subgraphs[s].params != 0) {
        cli_puts(out, "\\nparameters ");
        cli_put_bytes(out, f->subgraphs[s].params);
    }
    cli_puts(out, "\"];\n");
}

/* What one reader takes from elsewhere; taken[value] == reader + 1 when it has it already. The
 * reader n_subgraphs + 1 is the output. */
static void take_inputs(const split *p, gsp_node v, uint32_t reader, uint32_t *taken,
                        dot_edge *from, uint32_t *order, uint32_t *n_order)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(&p->graph, v, &n);
    uint32_t i;
    for (i = 0; i < n; i++) {
        uint32_t s = p->result.subgraph_of[in[i]];
        if (s == reader || taken[in[i]] == reader + 1u ||
            gsp_node_op(&p->graph, in[i]) == GSP_OP_GET_ATTR) {
            continue;
        }
        taken[in[i]] = reader + 1u;
        s = s == GSP_NONE ? p->result.n_subgraphs : s;
        if (from[s].values++ == 0) {
            order[(*n_order)++] = s;
        }
        from[s].bytes += gsp_node_bytes(&p->graph, in[i]);
    }
}

static void put_box_edges(const split *p, cli_buffer *out, uint32_t reader, dot_edge *from,
                          const uint32_t *order, uint32_t n_order)
{
    const char *what = p->result.n_subgraphs > DOT_LABELLED_BOXES ? "tooltip" : "label";
    uint32_t i;
    for (i = 0; i < n_order; i++) {
        dot_edge *e = &from[order[i]];
        cli_printf(out, "    s%" PRIu32 " -> s%" PRIu32 " [%s=\"%" PRIu32 " value%s\\n", order[i],
                   reader, what, e->values, cli_plural(e->values));
        cli_put_bytes(out, e->bytes);
        cli_puts(out, "\"];\n");
        e->values = 0;
        e->bytes = 0;
    }
}

static void put_boxes(const split *p, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    uint32_t n = r->n_subgraphs;
    uint32_t *taken = (uint32_t *)cli_alloc(p->session, r->n_nodes, sizeof *taken);
    uint32_t *order = (uint32_t *)cli_alloc(p->session, (size_t)n + 1u, sizeof *order);
    dot_edge *from = (dot_edge *)cli_alloc(p->session, (size_t)n + 1u, sizeof *from);
    uint32_t n_order = 0;
    split_facts facts;
    uint32_t s;
    split_facts_make(p, &facts);
    cli_printf(out, "    s%" PRIu32 " [shape=oval, style=solid, label=\"inputs\"];\n", n);
    cli_printf(out, "    s%" PRIu32 " [shape=oval, style=solid, label=\"output\"];\n", n + 1u);
    for (s = 0; s < n; s++) {
        uint32_t i;
        put_box(p, &facts, out, s);
        n_order = 0;
        for (i = r->subgraph_begin[s]; i < r->subgraph_begin[s + 1u]; i++) {
            take_inputs(p, r->nodes[i], s, taken, from, order, &n_order);
        }
        put_box_edges(p, out, s, from, order, n_order);
    }
    n_order = 0;
    take_inputs(p, r->n_nodes - 1u, n + 1u, taken, from, order, &n_order);
    put_box_edges(p, out, n + 1u, from, order, n_order);
}

void split_dot(const split *p, cli_buffer *out)
{
    if (p->graph.n_nodes > DOT_NODES) {
        /* Limits on the search of Graphviz, which else takes minutes for hundreds of boxes. */
        put_head(p, out, "nslimit=1, nslimit1=1, mclimit=0.3, splines=polyline, ",
                 "\\n(more than 2000 nodes: a box a subgraph)");
        put_boxes(p, out);
    } else {
        put_head(p, out, "", "");
        put_nodes(p, out);
    }
    cli_puts(out, "}\n");
}
