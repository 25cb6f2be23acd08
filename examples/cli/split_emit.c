/* --emit: a file a submodule, and manifest.json with what is needed to run them. */
#include "split.h"

#include <stdio.h>
#include <string.h>

typedef struct piece {
    const char *name;
    const char *kind;
    gsp_graph graph;
    char *path;
    cli_buffer content;
} piece;

typedef struct pieces {
    piece *all;
    uint32_t n;
    gsp_module rest; /* of the root: parameters that the graph returns as they are */
} pieces;

/* ---- the root's own nodes ---- */

static int is_returned(const split *p, gsp_node v)
{
    gsp_node output = p->graph.n_nodes - 1u;
    uint32_t n;
    const gsp_node *users = gsp_node_users(&p->graph, v, &n);
    return n != 0 && users[n - 1u] == output;
}

/* Unpacking is how a piece hands on several outputs, and no piece. What is left of the root are
 * parameters that are returned: a graph that reads them. Returns how many there are. */
static uint32_t count_rest(const split *p)
{
    uint32_t count = 0;
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes; v++) {
        count += gsp_node_op(&p->graph, v) == GSP_OP_GET_ATTR && is_returned(p, v) ? 1u : 0u;
    }
    return count;
}

static void add_parameter(const split *p, gsp_builder *b, gsp_node v)
{
    const gsp_module *m = p->graph.module;
    const gsp_attr *a = m->attrs + m->attr[p->graph.first + v];
    (void)gsp_build_node(b, GSP_OP_GET_ATTR, gsp_node_name(&p->graph, v),
                         gsp_node_target(&p->graph, v));
    if (gsp_node_type(&p->graph, v).size != 0) {
        gsp_build_type(b, gsp_node_type(&p->graph, v));
    }
    for (; a->key != GSP_KEY_NONE; a++) {
        gsp_build_attr(b, gsp_module_string(m, a->key), gsp_module_string(m, a->value));
    }
}

static int build_rest(const split *p, uint32_t count, gsp_module *rest)
{
    const gsp_counts *c = &p->graph.module->counts;
    gsp_counts counts = gsp_build_counts(1, count + 1u, count + 2u, c->attrs, c->strings, c->bytes);
    gsp_builder b;
    gsp_arena arena;
    gsp_error err;
    gsp_node v;
    uint32_t i;
    cli_arena(p->session, &arena, gsp_build_bound(&counts));
    if (gsp_build_init(&b, &arena, &counts, &err) != GSP_OK) {
        return cli_pass_error(p->session, NULL, &err);
    }
    gsp_build_graph(&b, gsp_text_of(NULL));
    for (v = 0; v < p->graph.n_nodes; v++) {
        if (gsp_node_op(&p->graph, v) == GSP_OP_GET_ATTR && is_returned(p, v)) {
            add_parameter(p, &b, v);
        }
    }
    (void)gsp_build_output(&b);
    gsp_build_open(&b, GSP_ARG_TUPLE);
    for (i = 0; i < count; i++) {
        gsp_build_arg_node(&b, i);
    }
    gsp_build_close(&b);
    if (gsp_build_finish(&b, rest, &err) != GSP_OK) {
        return cli_pass_error(p->session, NULL, &err);
    }
    return CLI_EXIT_OK;
}

/* ---- pieces ---- */

static const char *piece_file(const split *p, const piece *x, cli_buffer *b)
{
    b->size = 0;
    cli_printf(b, "%s%s", x->name, p->session->front->suffix);
    cli_put(b, "", 1u);
    return b->data;
}

static int make_piece(const split *p, pieces *x, const char *name, const char *kind,
                      const gsp_graph *graph)
{
    piece *at = &x->all[x->n++];
    cli_buffer path;
    cli_buffer file;
    cli_buffer_init(&path, p->session);
    cli_buffer_init(&file, p->session);
    at->name = name;
    at->kind = kind;
    at->graph = *graph;
    cli_printf(&path, "%s/%s", p->opt.emit, piece_file(p, at, &file));
    cli_put(&path, "", 1u);
    at->path = path.data;
    cli_buffer_init(&at->content, p->session);
    return p->session->front->piece(p->session, graph, &at->content);
}

static int make_pieces(const split *p, pieces *x)
{
    uint32_t rest = count_rest(p);
    int code = CLI_EXIT_OK;
    gsp_graph graph;
    uint32_t i;
    x->n = 0;
    x->all = (piece *)cli_alloc(p->session, (size_t)p->result.n_subgraphs + 1u, sizeof *x->all);
    if (rest != 0) {
        code = build_rest(p, rest, &x->rest);
        if (code == CLI_EXIT_OK) {
            graph = gsp_module_graph(&x->rest, 0);
            code = make_piece(p, x, "root", "root", &graph);
        }
    }
    for (i = 0; i < p->result.n_subgraphs && code == CLI_EXIT_OK; i++) {
        graph = gsp_module_graph(&p->made.module, i + 1u);
        code = make_piece(p, x, p->tags[i], p->result.names[p->result.subgraph_kind[i]], &graph);
    }
    return code;
}

/* ---- the manifest ---- */

static void put_inputs(cli_buffer *b, const gsp_graph *g)
{
    const char *comma = "";
    gsp_node v;
    cli_puts(b, "\"inputs\": [");
    for (v = 0; v < g->n_nodes; v++) {
        if (gsp_node_op(g, v) == GSP_OP_PLACEHOLDER) {
            cli_puts(b, comma);
            cli_json_string(b, gsp_node_name(g, v));
            comma = ", ";
        }
    }
    cli_puts(b, "]");
}

static void put_outputs(cli_buffer *b, const gsp_graph *g)
{
    uint32_t n;
    const gsp_node *outputs = gsp_node_inputs(g, g->n_nodes - 1u, &n);
    cli_puts(b, "\"outputs\": ");
    cli_json_names(b, g, outputs, n);
}

static void put_manifest(const split *p, const pieces *x, cli_buffer *b)
{
    cli_buffer file;
    uint32_t i;
    cli_buffer_init(&file, p->session);
    cli_puts(b, "{\"model\": ");
    cli_json_string(b, gsp_text_of(p->session->path));
    cli_puts(b, ", \"pass\": \"split\", ");
    put_inputs(b, &p->graph);
    cli_puts(b, ", ");
    put_outputs(b, &p->graph);
    cli_puts(b, ",\n \"pieces\": [");
    for (i = 0; i < x->n; i++) {
        const piece *at = &x->all[i];
        cli_printf(
            b, "%s\n  {\"name\": \"%s\", \"file\": \"%s\", \"kind\": \"%s\", \"device\": \"\", ",
            i != 0 ? "," : "", at->name, piece_file(p, at, &file), at->kind);
        put_inputs(b, &at->graph);
        cli_puts(b, ", ");
        put_outputs(b, &at->graph);
        cli_puts(b, "}");
    }
    cli_puts(b, "]}\n");
}

/* ---- writing: all or nothing ---- */

static int write_pieces(const split *p, const pieces *x, const char *path,
                        const cli_buffer *manifest, int made_dir)
{
    int code = CLI_EXIT_OK;
    uint32_t written = 0;
    while (written < x->n && code == CLI_EXIT_OK) {
        cli_progress(p->session, "writing pieces");
        code = cli_write_file(p->session, x->all[written].path, &x->all[written].content);
        written += code == CLI_EXIT_OK ? 1u : 0u;
    }
    if (code == CLI_EXIT_OK) {
        code = cli_write_file(p->session, path, manifest);
    }
    if (code != CLI_EXIT_OK) {
        while (written-- != 0) {
            (void)remove(x->all[written].path);
        }
        if (made_dir) {
            cli_remove_dir(p->opt.emit);
        }
    }
    return code;
}

int split_emit(const split *p)
{
    pieces x;
    cli_buffer manifest;
    cli_buffer path;
    int made;
    int code = make_pieces(p, &x);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    cli_buffer_init(&manifest, p->session);
    cli_buffer_init(&path, p->session);
    put_manifest(p, &x, &manifest);
    cli_printf(&path, "%s/manifest.json", p->opt.emit);
    cli_put(&path, "", 1u);
    made = cli_make_dir(p->opt.emit);
    if (made < 0) {
        return cli_error(p->session, GSP_STATUS_ARG, "cannot make the directory %s", p->opt.emit);
    }
    return write_pieces(p, &x, path.data, &manifest, made);
}
