/* --dot, --dot-support, --dot-module: drawings for Graphviz. The library draws nodes and frames; a
 * large graph gets one box per subgraph instead, with the values that pass between them. */
#include "commands/split/split.h"

#include "examples/extra/graphsplit_draw.h"

#include <inttypes.h>

#define DOT_NODES 2000u
/* For Graphviz each edge label costs a node: with more boxes, labels become tooltips. */
#define DOT_LABELLED_BOXES 60u
/* Limits the search of Graphviz, which takes minutes for hundreds of boxes otherwise. */
#define DOT_LIMITS "nslimit=1, nslimit1=1, mclimit=0.3, splines=polyline, "

/* ---- every node: the library draws ---- */

static void draw(const split *p, const gsp_draw_desc *desc, cli_buffer *out)
{
    (void)gsp_draw_graph(&p->graph, desc, cli_sink, out, NULL); /* a sink into memory never stops */
}

static void put_nodes(const split *p, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    gsp_str *names = (gsp_str *)cli_alloc(p->session, (size_t)r->n_subgraphs + 1u, sizeof *names);
    gsp_draw_desc desc = {0};
    uint32_t i;
    for (i = 0; i < r->n_subgraphs; i++) {
        names[i] = gsp_str_of(p->tags[i]);
    }
    desc.title = p->session->path;
    desc.n_clusters = r->n_subgraphs;
    desc.cluster_of = r->subgraph_of;
    desc.cluster_begin = r->subgraph_begin;
    desc.cluster_nodes = r->nodes;
    desc.cluster_names = names;
    desc.cluster_kind = r->subgraph_kind;
    draw(p, &desc, out);
}

void split_dot_support(const split *p, cli_buffer *out)
{
    gsp_draw_desc desc = {0};
    desc.title = p->session->path;
    desc.kind = p->placement.kind;
    draw(p, &desc, out);
}

/* Frames of submodules have the colours of their kinds; those of the input's own graphs are grey.
 * */
int split_dot_module(const split *p, cli_buffer *out)
{
    const gsp_module *made = &p->made.module;
    uint8_t *kind = (uint8_t *)cli_alloc(p->session, made->counts.graphs, 1u);
    gsp_draw_module_desc desc = {0};
    gsp_arena arena;
    gsp_error err;
    uint32_t i;
    for (i = 0; i < made->counts.graphs; i++) {
        uint32_t n = p->result.n_subgraphs;
        kind[i] = i != 0 && i <= n ? p->result.subgraph_kind[i - 1u] : GSP_KIND_NONE;
    }
    desc.title = p->session->path;
    desc.kind = kind;
    cli_arena(p->session, &arena, gsp_draw_bound(made));
    if (gsp_draw_module(&arena, made, &desc, cli_sink, out, &err) != GSP_OK) {
        return cli_pass_error(p->session, &p->graph, &err);
    }
    return CLI_EXIT_OK;
}

/* ---- one box per subgraph ---- */

typedef struct dot_edge {
    uint32_t from; /* subgraph; n_subgraphs: the inputs of the graph */
    uint32_t values;
    uint64_t bytes;
} dot_edge;

static void put_box(const split *p, const split_facts *f, cli_buffer *out, uint32_t s)
{
    const gsp_split_result *r = &p->result;
    uint32_t nodes = r->subgraph_begin[s + 1u] - r->subgraph_begin[s];
    cli_printf(
        out, "    s%" PRIu32 " [fillcolor=\"%s\", label=\"", s, gsp_draw_fill(r->subgraph_kind[s]));
    cli_dot_text(out, gsp_str_of(p->tags[s]));
    cli_printf(
        out, " (%s)\\n%" PRIu32 " node%s", r->names[r->subgraph_kind[s]], nodes, cli_plural(nodes));
    if (f->subgraphs[s].params != 0) {
        cli_puts(out, "\\nparameters ");
        cli_put_bytes(out, f->subgraphs[s].params);
    }
    cli_puts(out, "\"];\n");
}

/* The values that one reader takes from elsewhere; taken[value] == reader + 1 once it is counted.
 * The reader n_subgraphs + 1 is the output. */
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
    cli_puts(out, "digraph graphsplit {\n    graph [fontname=\"Helvetica\", " DOT_LIMITS);
    cli_printf(
        out, "labelloc=t, label=\"more than %u nodes: one box per subgraph\"];\n", DOT_NODES);
    cli_puts(out, "    node [shape=box, style=\"filled,rounded\", fillcolor=white, "
                  "fontname=\"Helvetica\", fontsize=10];\n"
                  "    edge [color=\"#606060\", fontname=\"Helvetica\", fontsize=9];\n");
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
    cli_puts(out, "}\n");
}

void split_dot(const split *p, cli_buffer *out)
{
    if (p->graph.n_nodes > DOT_NODES) {
        put_boxes(p, out);
    } else {
        put_nodes(p, out);
    }
}
