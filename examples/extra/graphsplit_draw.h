/* graphsplit_draw.h - an add-on of graphsplit.h: graphs and modules as Graphviz text
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Draws for a gsp_sink, coloured by placement or subgraph. Needs graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_DRAW_IMPLEMENTATION
 *     #include "graphsplit_draw.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 * `dot -Tsvg` makes a picture of the text.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>draw               Pictures as Graphviz text
 *     >>impl               Implementation guard
 *
 *     gsp_draw_graph       O(n + m)             no memory
 *     gsp_draw_module      O(n + m + args)      16 bytes per graph, and 30
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_DRAW_H_INCLUDED
#define GRAPHSPLIT_DRAW_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_DRAW_IMPLEMENTATION)
#error "graphsplit_draw: no bodies; define GRAPHSPLIT_DRAW_IMPLEMENTATION beside GRAPHSPLIT_STATIC"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>draw   Pictures as Graphviz text (API)
 * ---- */

/* All zero means no colours and no clusters. The colours by support are AliceBlue for nodes without
 * placement, chartreuse1 for supported ones, crimson for unsupported ones. A parameter is drawn
 * only where it is returned; the label of its reader has its bytes. */
typedef struct gsp_draw_desc {
    uint32_t start_canary;
    uint32_t n_clusters;
    const char *title;             /* NULL means none */
    const char *attributes;        /* of the drawing, "rankdir=LR, "; NULL means none */
    const uint8_t *kind;           /* [n] colour by support; NULL means white */
    const uint32_t *cluster_of;    /* [n] cluster of a node; GSP_NONE means none */
    const uint32_t *cluster_begin; /* [n_clusters + 1] into cluster_nodes */
    const gsp_node *cluster_nodes; /* by cluster, each in at most one */
    const gsp_str *cluster_names;  /* [n_clusters] */
    const uint8_t *cluster_kind;   /* [n_clusters] colours; NULL means grey */
    uint32_t end_canary;
} gsp_draw_desc;

/* gsp_draw_fill: the colour of clusters of a kind, "#cfeccf". Time: O(1). */
GSP_API const char *gsp_draw_fill(uint32_t kind);

/* gsp_draw_graph: a graph as Graphviz text: one box per callable node with name, operator and type;
 * edges that cross the border of a cluster are thick, labelled with the bytes of their value.
 *
 * Errors:  ARG (clusters without arrays; RANGE: node not in the graph), LIMIT (the sink stopped)
 * Time:    O(nodes + edges + bytes written). Memory: none
 * Example: examples/draw.c
 * See:     torch.fx graph_drawer; the DOT language
 */
GSP_API gsp_status gsp_draw_graph(
    const gsp_graph *graph, const gsp_draw_desc *desc, gsp_sink sink, void *user, gsp_error *err);

/* All zero means no title and all clusters grey. */
typedef struct gsp_draw_module_desc {
    uint32_t start_canary;
    const char *title;   /* NULL means none */
    const uint8_t *kind; /* [graphs] colours; GSP_KIND_NONE means grey, NULL all grey */
    uint32_t end_canary;
} gsp_draw_module_desc;

/* gsp_draw_bound: bytes for gsp_draw_module(). Time: O(1). */
GSP_API size_t gsp_draw_bound(const gsp_module *module);

/* gsp_draw_module: a module as Graphviz text, one cluster per child graph.
 *
 * What:    A graph with one call is drawn in place of the call, inside the cluster of its caller;
 *          edges lead from the arguments to its inputs. A graph with several calls, or none, is
 *          drawn once; dashed edges lead from the calls to it. A call is call_module of a graph's
 *          name, or a function whose first argument is a get_attr of it (invoke_subgraph).
 * Errors:  ARG, LIMIT (the sink stopped)
 * Time:    O(nodes + edges + args + bytes written), and a search by name per call
 * Memory:  gsp_draw_bound(), all scratch
 */
GSP_API gsp_status gsp_draw_module(gsp_arena *arena, const gsp_module *module,
    const gsp_draw_module_desc *desc, gsp_sink sink, void *user, gsp_error *err);

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_DRAW_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_DRAW_IMPLEMENTATION
#ifndef GRAPHSPLIT_DRAW_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_DRAW_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_DRAW_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_DRAW_END       _Pragma("GCC diagnostic pop")
#define GSPI_DRAW_OWN_FRAME __attribute__((noinline)) static /* not on the stack of its caller */
#else
#define GSPI_DRAW_BEGIN
#define GSPI_DRAW_END
#define GSPI_DRAW_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_DRAW_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>draw   Pictures as Graphviz text (implementation)
 * ---- */

/* Text goes directly to the sink. Only the tree of graphs is stored: per graph the call in whose
 * place it is drawn. The traversal needs no stack. */

static gsp_status gspi_draw_fail(
    gsp_error *err, gsp_status status, gsp_detail detail, gsp_node node)
{
    if (err != NULL) {
        uint32_t const what = node == GSP_NONE ? GSP_WHAT_NONE : GSP_WHAT_NODE;
        gsp_error const e = {status, detail, what, node, GSP_NONE, 0, 0, 0, 0u, ""};
        *err = e;
    }
    return status;
}

/* Names the argument or field at fault, and the count that makes it required. */
#ifdef GSP_NO_MESSAGES
#define GSPI_DRAW_FIELD(text, count) ""
#else
#define GSPI_DRAW_FIELD(text, count) text "\0" count
#endif

static gsp_status gspi_draw_fail_arg(
    gsp_error *err, gsp_detail detail, gsp_node node, const char *field)
{
    (void)gspi_draw_fail(err, GSP_STATUS_ARG, detail, node);
    if (err != NULL) {
        err->field = field;
    }
    return GSP_STATUS_ARG;
}

/* ---- Text into a sink ---- */

typedef struct gspi_draw_writer {
    gsp_sink sink;
    void *user;
    int stopped;
    uint32_t used;
    char buffer[128];
} gspi_draw_writer;

static void gspi_draw_flush(gspi_draw_writer *w)
{
    if (!w->stopped) {
        w->stopped = w->sink(w->user, w->buffer, w->used) != 0;
    }
    w->used = 0;
}

static void gspi_draw_put(gspi_draw_writer *w, gsp_str t)
{
    for (uint32_t i = 0; i < t.size; i++) {
        if (w->used == sizeof(w->buffer)) {
            gspi_draw_flush(w);
        }
        w->buffer[w->used++] = t.data[i];
    }
}

static void gspi_draw_puts(gspi_draw_writer *w, const char *text)
{
    for (; *text != '\0'; text++) {
        if (w->used == sizeof(w->buffer)) {
            gspi_draw_flush(w);
        }
        w->buffer[w->used++] = *text;
    }
}

static void gspi_draw_number(gspi_draw_writer *w, uint64_t n)
{
    char digits[20];
    uint32_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + n % 10u);
        n /= 10u;
    } while (n != 0u);
    gsp_str const text = {digits + at, (uint32_t)sizeof(digits) - at};
    gspi_draw_put(w, text);
}

static void gspi_draw_amount(gspi_draw_writer *w, const char *before, uint64_t n, const char *after)
{
    gspi_draw_puts(w, before);
    gspi_draw_number(w, n);
    gspi_draw_puts(w, after);
}

static gsp_status gspi_draw_end(gspi_draw_writer *w, gsp_error *err)
{
    gspi_draw_puts(w, "}\n");
    gspi_draw_flush(w);
    return gspi_draw_fail(err, w->stopped ? GSP_STATUS_LIMIT : GSP_OK, GSP_DETAIL_NONE, GSP_NONE);
}

#define GSPI_DRAW_LABEL_BYTES 60u

/* Bytes of the UTF-8 character at `at`; 0 means none. */
static uint32_t gspi_draw_utf8(gsp_str t, uint32_t at)
{
    static const unsigned char least[] = {0x80u, 0xA0u, 0x90u}; /* of the second byte: E0, F0 */
    unsigned char const c = (unsigned char)t.data[at];
    uint32_t const size = c < 0x80u ? 1u : c < 0xC2u ? 0u : c < 0xE0u ? 2u : c < 0xF0u ? 3u : 4u;
    if (size == 0u || c > 0xF4u || size > t.size - at) {
        return 0;
    }
    for (uint32_t i = 1; i < size; i++) {
        unsigned char const d = (unsigned char)t.data[at + i];
        unsigned char const low = i > 1u ? 0x80u : least[c == 0xE0u ? 1 : c == 0xF0u ? 2 : 0];
        unsigned char const top = i > 1u ? 0xBFu : c == 0xEDu ? 0x9Fu : c == 0xF4u ? 0x8Fu : 0xBFu;
        if (d < low || d > top) {
            return 0;
        }
    }
    return size;
}

/* Writes the text of a label: escaped and cut; control characters and invalid UTF-8 become '?'. */
static void gspi_draw_label(gspi_draw_writer *w, gsp_str t)
{
    uint32_t i = 0;
    while (i < t.size && i < GSPI_DRAW_LABEL_BYTES) {
        uint32_t const size = gspi_draw_utf8(t, i);
        unsigned char const c = (unsigned char)t.data[i];
        if (c == '"' || c == '\\') {
            gspi_draw_puts(w, "\\");
        }
        if (size == 0u || c < 0x20u || c == 0x7Fu ||
            (c == 0xC2u && (unsigned char)t.data[i + 1u] < 0xA0u)) {
            gspi_draw_puts(w, "?");
        } else {
            gsp_str const character = {t.data + i, size};
            gspi_draw_put(w, character);
        }
        i += size == 0u ? 1u : size;
    }
    gspi_draw_puts(w, i < t.size ? "..." : "");
}

/* "1.5 MiB": one decimal, rounded to the nearest. */
static void gspi_draw_bytes(gspi_draw_writer *w, uint64_t bytes)
{
    static const char units[] =
        "B\0KiB\0MiB\0GiB\0TiB\0PiB\0EiB"; /* each 4 bytes after the first */
    uint32_t unit = 0;
    while (bytes >> (10u * unit) >= 1024u) {
        unit++;
    }
    uint64_t const one = UINT64_C(1) << (10u * unit);
    uint32_t const rest = (uint32_t)(((bytes & (one - 1u)) * 10u + one / 2u) >> (10u * unit));
    gspi_draw_number(w, (bytes >> (10u * unit)) + rest / 10u);
    if (unit > 0u) {
        gspi_draw_amount(w, ".", rest % 10u, "");
    }
    gspi_draw_puts(w, " ");
    gspi_draw_puts(w, units + (unit == 0u ? 0u : 4u * unit - 2u));
}

/* ---- Nodes, edges, clusters ---- */

const char *gsp_draw_fill(uint32_t kind)
{
    static const char fill[] = "#fdebc8\0#cfeccf\0#cfe6f7\0#ead5f5\0#d8dcf0";
    return kind == GSP_KIND_NONE ? "#eeeeee" : fill + (size_t)8 * (kind < 4u ? kind : 4u);
}

static void gspi_draw_head(gspi_draw_writer *w, const char *title, const char *attributes)
{
    gspi_draw_puts(w, "digraph graphsplit {\n    graph [compound=true, ");
    gspi_draw_puts(w, attributes == NULL ? "" : attributes);
    gspi_draw_puts(w, "fontname=\"Helvetica\", labelloc=t, label=\"");
    gspi_draw_label(w, gsp_str_of(title));
    gspi_draw_puts(w, "\"];\n"
                      "    node [shape=box, style=\"filled,rounded\", fillcolor=white, "
                      "color=\"#606060\", fontname=\"Helvetica\", fontsize=10];\n"
                      "    edge [color=\"#606060\", fontname=\"Helvetica\", fontsize=9];\n");
}

static void gspi_draw_id(gspi_draw_writer *w, const gsp_graph *g, gsp_node v)
{
    gspi_draw_amount(w, "g", g->id, "n");
    gspi_draw_number(w, v);
}

/* Parameters are drawn only where returned. */
static int gspi_draw_has(const gsp_graph *g, gsp_node v)
{
    uint32_t n_users;
    const gsp_node *users = gsp_node_users(g, v, &n_users);
    return gsp_node_op(g, v) != GSP_OP_GET_ATTR ||
           (n_users != 0u && users[n_users - 1u] == g->n_nodes - 1u);
}

static int gspi_draw_has_edge(const gsp_graph *g, gsp_node u, gsp_node v)
{
    return gsp_node_op(g, u) != GSP_OP_GET_ATTR || gsp_node_op(g, v) == GSP_OP_OUTPUT;
}

/* An edge between nodes of two graphs; the caller ends the line. */
static void gspi_draw_edge(
    gspi_draw_writer *w, const gsp_graph *from, gsp_node u, const gsp_graph *to, gsp_node v)
{
    gspi_draw_puts(w, "    ");
    gspi_draw_id(w, from, u);
    gspi_draw_puts(w, " -> ");
    gspi_draw_id(w, to, v);
}

/* Ends its line. n is the number of clusters if it crosses a border, else 0. Graphviz is slow at
 * many labels. */
static void gspi_draw_edge_end(gspi_draw_writer *w, uint32_t n, uint64_t bytes)
{
    gspi_draw_puts(w, n != 0u ? " [penwidth=2" : "");
    if (n != 0u && bytes != 0u) {
        gspi_draw_puts(w, n > 60u ? ", tooltip=\"" : ", label=\"");
        gspi_draw_bytes(w, bytes);
        gspi_draw_puts(w, "\"");
    }
    gspi_draw_puts(w, n != 0u ? "];\n" : ";\n");
}

/* `fill` is a colour; NULL means the default. */
GSPI_DRAW_OWN_FRAME void gspi_draw_node(
    gspi_draw_writer *w, const gsp_graph *g, gsp_node v, const char *indent, const char *fill)
{
    int const callable = gsp_node_is_callable(g, v);
    gsp_str const type = gsp_node_type(g, v);
    uint64_t params = callable ? gsp_node_params(g, v) : 0u;
    uint32_t n_inputs;
    const gsp_node *inputs = gsp_node_inputs(g, v, &n_inputs);
    for (uint32_t i = 0; i < n_inputs && callable; i++) {
        params += gsp_node_op(g, inputs[i]) == GSP_OP_GET_ATTR ? gsp_node_bytes(g, inputs[i]) : 0u;
    }
    gspi_draw_puts(w, indent);
    gspi_draw_id(w, g, v);
    gspi_draw_puts(w, " [label=\"");
    gspi_draw_label(w, gsp_node_name(g, v));
    if (callable) {
        gspi_draw_puts(w, "\\n");
        gspi_draw_label(w, gsp_node_class(g, v));
    }
    if (type.size != 0u) {
        gspi_draw_puts(w, "\\n");
        gspi_draw_label(w, type);
    }
    if (params != 0u) {
        gspi_draw_puts(w, "\\nparameters ");
        gspi_draw_bytes(w, params);
    }
    gspi_draw_puts(w, callable ? "\"" : "\", shape=oval");
    if (fill != NULL) {
        gspi_draw_puts(w, ", fillcolor=");
        gspi_draw_puts(w, fill);
    }
    gspi_draw_puts(w, "];\n");
}

/* The head of a cluster; the caller closes it. */
static void gspi_draw_cluster(
    gspi_draw_writer *w, uint32_t number, gsp_str title, uint32_t n_nodes, uint32_t kind)
{
    gspi_draw_amount(w, "    subgraph cluster_", number, " {\n        label=\"");
    gspi_draw_label(w, title);
    gspi_draw_amount(w, ": ", n_nodes, n_nodes == 1u ? " node" : " nodes");
    gspi_draw_puts(w, "\"; labeljust=l; fontsize=11; style=\"filled,rounded\"; color=\"#808080\"; "
                      "fillcolor=\"");
    gspi_draw_puts(w, gsp_draw_fill(kind));
    gspi_draw_puts(w, "\";\n");
}

static const char *gspi_draw_support(const gsp_graph *g, const uint8_t *kind, gsp_node v)
{
    return kind == NULL                  ? NULL
           : !gsp_node_is_callable(g, v) ? "AliceBlue"
           : kind[v] != GSP_KIND_CPU     ? "chartreuse1"
                                         : "\"crimson\", fontcolor=\"white\"";
}

/* Clusters have their arrays, and nodes of the graph. */
static gsp_status gspi_draw_check(const gsp_graph *graph, const gsp_draw_desc *d, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_draw_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE);
    }
    if (d->n_clusters != 0u && (d->cluster_of == NULL || d->cluster_begin == NULL ||
                                   d->cluster_nodes == NULL || d->cluster_names == NULL)) {
        const char *field = GSPI_DRAW_FIELD("cluster_names", "n_clusters");
        field = d->cluster_nodes == NULL ? GSPI_DRAW_FIELD("cluster_nodes", "n_clusters") : field;
        field = d->cluster_begin == NULL ? GSPI_DRAW_FIELD("cluster_begin", "n_clusters") : field;
        field = d->cluster_of == NULL ? GSPI_DRAW_FIELD("cluster_of", "n_clusters") : field;
        return gspi_draw_fail_arg(err, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    for (uint32_t k = 0; k < d->n_clusters; k++) {
        for (uint32_t i = d->cluster_begin[k]; i < d->cluster_begin[k + 1u]; i++) {
            if (d->cluster_nodes[i] >= graph->n_nodes) {
                return gspi_draw_fail_arg(err, GSP_DETAIL_RANGE, d->cluster_nodes[i],
                    GSPI_DRAW_FIELD("cluster_nodes", ""));
            }
        }
    }
    return GSP_OK;
}

gsp_status gsp_draw_graph(
    const gsp_graph *graph, const gsp_draw_desc *desc, gsp_sink sink, void *user, gsp_error *err)
{
    gsp_draw_desc const none = {0u, 0u, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0u};
    const gsp_draw_desc *d = desc == NULL ? &none : desc;
    if (graph == NULL || sink == NULL) {
        const char *const field = GSPI_DRAW_FIELD("sink", "");
        return gspi_draw_fail_arg(err, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE,
            graph == NULL ? GSPI_DRAW_FIELD("graph", "") : field);
    }
    gsp_status const status = gspi_draw_check(graph, d, err);
    if (status != GSP_OK) {
        return status;
    }
    gspi_draw_writer w = {sink, user, 0, 0, {0}};
    gspi_draw_head(&w, d->title, d->attributes);
    for (uint32_t k = 0; k < d->n_clusters && !w.stopped; k++) {
        uint32_t const end = d->cluster_begin[k + 1u];
        gspi_draw_cluster(&w, k, d->cluster_names[k], end - d->cluster_begin[k],
            d->cluster_kind == NULL ? GSP_KIND_NONE : d->cluster_kind[k]);
        for (uint32_t i = d->cluster_begin[k]; i < end; i++) {
            gsp_node const v = d->cluster_nodes[i];
            gspi_draw_node(&w, graph, v, "        ", gspi_draw_support(graph, d->kind, v));
        }
        gspi_draw_puts(&w, "    }\n");
    }
    for (gsp_node v = 0; v < graph->n_nodes && !w.stopped; v++) {
        if ((d->n_clusters == 0u || d->cluster_of[v] >= d->n_clusters) && gspi_draw_has(graph, v)) {
            gspi_draw_node(&w, graph, v, "    ", gspi_draw_support(graph, d->kind, v));
        }
    }
    for (gsp_node v = 0; v < graph->n_nodes && !w.stopped; v++) {
        uint32_t n_inputs;
        const gsp_node *inputs = gsp_node_inputs(graph, v, &n_inputs);
        for (uint32_t i = 0; i < n_inputs; i++) {
            gsp_node const u = inputs[i];
            if (gspi_draw_has_edge(graph, u, v)) {
                int const cut = d->n_clusters != 0u && d->cluster_of[u] != d->cluster_of[v];
                gspi_draw_edge(&w, graph, u, graph, v);
                gspi_draw_edge_end(&w, cut ? d->n_clusters : 0u, gsp_node_bytes(graph, u));
            }
        }
    }
    return gspi_draw_end(&w, err);
}

/* ---- A module ---- */

typedef struct gspi_draw_place {
    uint32_t calls;  /* number of calls of the graph */
    uint32_t parent; /* the graph in whose cluster it is drawn; GSP_NONE means none */
    gsp_node call;   /* its call there */
    uint32_t drawn;
} gspi_draw_place;

typedef struct gspi_draw {
    const gsp_module *m;
    const uint8_t *kind;
    gspi_draw_place *at; /* [graphs] */
    gspi_draw_writer w;
} gspi_draw;

size_t gsp_draw_bound(const gsp_module *module)
{
    /* No overflow: a graph takes more than 16 bytes of its module, which lies in memory. */
    return GSP_BOUND_ARRAY(module->counts.graphs, sizeof(gspi_draw_place)) + GSP_BOUND_SLACK;
}

/* The graph that v calls; GSP_NONE means none. */
static uint32_t gspi_draw_callee(const gsp_graph *g, gsp_node v)
{
    gsp_node holder = v;
    gsp_op op = GSP_OP_CALL_MODULE;
    if (g->module->counts.graphs == 1u) {
        return GSP_NONE;
    }
    if (gsp_node_op(g, v) == GSP_OP_CALL_FUNCTION) { /* invoke_subgraph(holder, name, ...) */
        uint32_t n_args;
        const gsp_arg *args = gsp_node_args(g, v, &n_args);
        holder = n_args >= 2u && args[0].kind == GSP_ARG_NODE ? args[0].value : v;
        op = GSP_OP_GET_ATTR;
    }
    return gsp_node_op(g, holder) == op
               ? gsp_module_find_graph(g->module, g->module->target[g->first + holder])
               : GSP_NONE;
}

/* Whether graph c is drawn in place of its call in graph g. */
static int gspi_draw_within(const gspi_draw *d, const gsp_graph *g, uint32_t c)
{
    return c != GSP_NONE && d->at[c].parent == g->id;
}

static gsp_graph gspi_draw_begin(gspi_draw *d, uint32_t id, uint32_t parent, gsp_node call)
{
    gsp_graph const g = gsp_module_graph(d->m, id);
    uint32_t n = 0;
    d->at[id].drawn = 1;
    d->at[id].parent = parent;
    d->at[id].call = call;
    for (gsp_node v = 0; v < g.n_nodes; v++) {
        n += gsp_node_is_callable(&g, v) ? 1u : 0u;
    }
    if (id != 0u) {
        gspi_draw_cluster(&d->w, id, gsp_module_str(d->m, d->m->graphs[id].name), n,
            d->kind == NULL ? GSP_KIND_NONE : d->kind[id]);
    }
    return g;
}

/* Draws graph `top` and those inside: enters a graph at its only call, leaves it at its end. */
static void gspi_draw_tree(gspi_draw *d, uint32_t top)
{
    gsp_graph g = gspi_draw_begin(d, top, GSP_NONE, 0);
    gsp_node v = 0;
    while (!d->w.stopped) {
        if (v == g.n_nodes) {
            gspi_draw_puts(&d->w, g.id != 0u ? "    }\n" : "");
            if (g.id == top) {
                return;
            }
            v = d->at[g.id].call + 1u;
            g = gsp_module_graph(d->m, d->at[g.id].parent);
            continue;
        }
        uint32_t const c = gspi_draw_callee(&g, v);
        if (c != GSP_NONE && d->at[c].calls == 1u && !d->at[c].drawn) {
            g = gspi_draw_begin(d, c, g.id, v);
            v = 0;
            continue;
        }
        if (gspi_draw_has(&g, v)) {
            gspi_draw_node(&d->w, &g, v, "        ", c != GSP_NONE ? "gold" : NULL);
        }
        v++;
    }
}

/* An edge from node u of graph g; a call drawn as a cluster yields the output of its graph. */
static void gspi_draw_from(
    gspi_draw *d, const gsp_graph *g, gsp_node u, const gsp_graph *to, gsp_node v)
{
    uint32_t const c = gspi_draw_callee(g, u);
    int const within = gspi_draw_within(d, g, c);
    gsp_graph const from = within ? gsp_module_graph(d->m, c) : *g;
    gspi_draw_edge(&d->w, &from, within ? from.n_nodes - 1u : u, to, v);
    gspi_draw_edge_end(
        &d->w, within || to->id != g->id ? d->m->counts.graphs : 0u, gsp_node_bytes(g, u));
}

/* Edges from the arguments of a call to the inputs of graph c in order, the rest to its output. */
static void gspi_draw_bind(gspi_draw *d, const gsp_graph *g, gsp_node v, uint32_t c)
{
    uint32_t const first = gsp_node_op(g, v) == GSP_OP_CALL_FUNCTION ? 2u : 0u;
    gsp_graph const inner = gsp_module_graph(d->m, c);
    uint32_t n_args;
    const gsp_arg *args = gsp_node_args(g, v, &n_args);
    uint32_t end = 0; /* of the open container at the top level */
    gsp_node input = 0;
    for (uint32_t i = first; i < n_args; i++) {
        gsp_arg const a = args[i];
        if (i >= end && i > first && args[i - 1u].kind != GSP_ARG_KEY) {
            input += input < inner.n_nodes - 1u;
        }
        while (input < inner.n_nodes - 1u && gsp_node_op(&inner, input) != GSP_OP_PLACEHOLDER) {
            input++;
        }
        if (i >= end && a.kind >= GSP_ARG_TUPLE) {
            end = i + a.value + 1u;
        }
        if (a.kind == GSP_ARG_NODE && gsp_node_op(g, a.value) != GSP_OP_GET_ATTR) {
            gspi_draw_from(d, g, a.value, &inner, input);
        }
    }
}

static void gspi_draw_inputs(gspi_draw *d, const gsp_graph *g, gsp_node v)
{
    uint32_t const c = gspi_draw_callee(g, v);
    uint32_t n_inputs;
    const gsp_node *inputs = gsp_node_inputs(g, v, &n_inputs);
    if (gspi_draw_within(d, g, c)) {
        gspi_draw_bind(d, g, v, c);
        return;
    }
    for (uint32_t i = 0; i < n_inputs; i++) {
        if (gspi_draw_has_edge(g, inputs[i], v)) {
            gspi_draw_from(d, g, inputs[i], g, v);
        }
    }
    if (c != GSP_NONE) {
        gsp_graph const callee = gsp_module_graph(d->m, c);
        gspi_draw_edge(&d->w, g, v, &callee, callee.n_nodes - 1u);
        gspi_draw_amount(&d->w, " [style=dashed, constraint=false, lhead=cluster_", c, "];\n");
    }
}

/* The number of calls of each graph. */
static void gspi_draw_count(gspi_draw *d)
{
    gspi_draw_place const none = {0u, GSP_NONE, 0u, 0u};
    for (uint32_t id = 0; id < d->m->counts.graphs; id++) {
        d->at[id] = none;
    }
    for (uint32_t id = 0; id < d->m->counts.graphs; id++) {
        gsp_graph const g = gsp_module_graph(d->m, id);
        for (gsp_node v = 0; v < g.n_nodes; v++) {
            uint32_t const c = gspi_draw_callee(&g, v);
            if (c != GSP_NONE) {
                d->at[c].calls++;
            }
        }
    }
}

/* All graphs and their edges. A graph with one call is drawn by its caller; graphs that only call
 * each other come last. */
GSPI_DRAW_OWN_FRAME void gspi_draw_all(gspi_draw *d)
{
    for (uint32_t all = 0; all < 2u; all++) {
        for (uint32_t id = 0; id < d->m->counts.graphs; id++) {
            if (!d->at[id].drawn && (all != 0u || id == 0u || d->at[id].calls != 1u)) {
                gspi_draw_tree(d, id);
            }
        }
    }
    for (uint32_t id = 0; id < d->m->counts.graphs; id++) {
        gsp_graph const g = gsp_module_graph(d->m, id);
        for (gsp_node v = 0; v < g.n_nodes && !d->w.stopped; v++) {
            gspi_draw_inputs(d, &g, v);
        }
    }
}

gsp_status gsp_draw_module(gsp_arena *arena, const gsp_module *module,
    const gsp_draw_module_desc *desc, gsp_sink sink, void *user, gsp_error *err)
{
    if (arena == NULL || module == NULL || sink == NULL) {
        const char *field = GSPI_DRAW_FIELD("sink", "");
        field = module == NULL ? GSPI_DRAW_FIELD("module", "") : field;
        field = arena == NULL ? GSPI_DRAW_FIELD("arena", "") : field;
        return gspi_draw_fail_arg(err, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    if (desc != NULL && (desc->start_canary != 0u || desc->end_canary != 0u)) {
        return gspi_draw_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE);
    }
    size_t const bound = gsp_draw_bound(module);
    size_t const left = gsp_arena_left(arena);
    gsp_mark const mark = gsp_arena_mark(arena);
    void *const at =
        left < bound ? NULL
                     : gsp_arena_push_high(arena, module->counts.graphs, sizeof(gspi_draw_place));
    if (at == NULL) {
        gsp_status const status = gspi_draw_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE);
        if (err != NULL) {
            err->need = bound;
            err->limit = left;
        }
        return status;
    }
    gspi_draw d = {
        module, desc == NULL ? NULL : desc->kind, (gspi_draw_place *)at, {sink, user, 0, 0, {0}}};
    gspi_draw_count(&d);
    gspi_draw_head(&d.w, desc == NULL ? NULL : desc->title, NULL);
    gspi_draw_all(&d);
    gsp_arena_rewind(arena, mark);
    return gspi_draw_end(&d.w, err);
}

#ifdef __cplusplus
}
#endif

GSPI_DRAW_END

#endif /* GRAPHSPLIT_DRAW_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_DRAW_IMPLEMENTATION */
