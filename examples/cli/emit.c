/* Pieces on disk: a file a piece, and manifest.json with what is needed to run them. */
#include "cli.h"

#include <stdio.h>

/* "NAME.fx", after `dir` when there is one. */
static char *file_name(cli_session *s, const char *dir, const char *name, const char *suffix)
{
    cli_buffer b;
    cli_buffer_init(&b, s);
    if (dir != NULL) {
        cli_printf(&b, "%s/", dir);
    }
    cli_printf(&b, "%s%s", name, suffix);
    cli_put(&b, "", 1u);
    return b.data;
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

static void put_field(cli_buffer *b, const char *key, const char *value)
{
    cli_printf(b, "\"%s\": ", key);
    cli_json_string(b, gsp_text_of(value));
    cli_puts(b, ", ");
}

static void put_manifest(cli_session *s, const gsp_graph *whole, const cli_piece *pieces,
                         size_t n_pieces, cli_buffer *b)
{
    size_t i;
    cli_puts(b, "{");
    put_field(b, "model", s->path);
    put_field(b, "pass", s->pass->name);
    put_inputs(b, whole);
    cli_puts(b, ", ");
    put_outputs(b, whole);
    cli_puts(b, ",\n \"pieces\": [");
    for (i = 0; i < n_pieces; i++) {
        const cli_piece *at = &pieces[i];
        cli_puts(b, i != 0 ? ",\n  {" : "\n  {");
        put_field(b, "name", at->name);
        put_field(b, "file", file_name(s, NULL, at->name, s->format->suffix));
        put_field(b, "kind", at->kind);
        put_field(b, "device", at->device);
        put_inputs(b, &at->graph);
        cli_puts(b, ", ");
        put_outputs(b, &at->graph);
        cli_puts(b, "}");
    }
    cli_puts(b, "]}\n");
}

/* ---- the piece of what the root keeps ---- */

static void add_parameter(gsp_builder *b, const gsp_graph *g, gsp_node v)
{
    const gsp_module *m = g->module;
    const gsp_attr *a = m->attrs + m->attr[g->first + v];
    (void)gsp_build_node(b, GSP_OP_GET_ATTR, gsp_node_name(g, v), gsp_node_target(g, v));
    if (gsp_node_type(g, v).size != 0) {
        gsp_build_type(b, gsp_node_type(g, v));
    }
    for (; a->key != GSP_KEY_NONE; a++) {
        gsp_build_attr(b, gsp_module_string(m, a->key), gsp_module_string(m, a->value));
    }
}

static void add_output(gsp_builder *b, uint32_t count)
{
    uint32_t i;
    (void)gsp_build_output(b);
    gsp_build_open(b, GSP_ARG_TUPLE);
    for (i = 0; i < count; i++) {
        gsp_build_arg_node(b, i);
    }
    gsp_build_close(b);
}

int cli_emit_parameters(cli_session *s, const gsp_graph *whole, const uint8_t *kept,
                        cli_piece *pieces, size_t *n_pieces)
{
    const gsp_counts *c = &whole->module->counts;
    gsp_module *made = (gsp_module *)cli_alloc(s, 1u, sizeof *made);
    gsp_counts counts;
    gsp_builder b;
    gsp_arena arena;
    gsp_error err;
    gsp_status status;
    uint32_t count = 0;
    gsp_node v;
    for (v = 0; v < whole->n_nodes; v++) {
        count += kept[v] ? 1u : 0u;
    }
    if (count == 0) {
        return CLI_EXIT_OK;
    }
    counts = gsp_build_counts(1, count + 1u, count + 2u, c->attrs, c->strings, c->bytes);
    cli_arena(s, &arena, gsp_build_bound(&counts));
    status = gsp_build_init(&b, &arena, &counts, &err);
    if (status == GSP_OK) {
        gsp_build_graph(&b, gsp_text_of(NULL));
        for (v = 0; v < whole->n_nodes; v++) {
            if (kept[v]) {
                add_parameter(&b, whole, v);
            }
        }
        add_output(&b, count);
        status = gsp_build_finish(&b, made, &err);
    }
    if (status != GSP_OK) {
        return cli_pass_error(s, NULL, &err);
    }
    pieces[*n_pieces].name = "root";
    pieces[*n_pieces].kind = "root";
    pieces[(*n_pieces)++].graph = gsp_module_graph(made, 0);
    return CLI_EXIT_OK;
}

/* ---- files ---- */

static int write_pieces(cli_session *s, const cli_piece *pieces, size_t n_pieces,
                        const char *manifest_path, const cli_buffer *manifest)
{
    int code = CLI_EXIT_OK;
    size_t written = 0;
    while (written < n_pieces && code == CLI_EXIT_OK) {
        cli_progress(s, "writing pieces");
        code = cli_write_file(s, pieces[written].path, &pieces[written].content);
        written += code == CLI_EXIT_OK ? 1u : 0u;
    }
    if (code == CLI_EXIT_OK) {
        code = cli_write_file(s, manifest_path, manifest);
    }
    while (code != CLI_EXIT_OK && written-- != 0) {
        (void)remove(pieces[written].path);
    }
    return code;
}

int cli_emit(cli_session *s, const char *dir, const gsp_graph *whole, cli_piece *pieces,
             size_t n_pieces)
{
    const char *manifest_path = file_name(s, dir, "manifest", ".json");
    cli_buffer manifest;
    int made;
    int code = CLI_EXIT_OK;
    size_t i;
    for (i = 0; i < n_pieces && code == CLI_EXIT_OK; i++) {
        pieces[i].path = file_name(s, dir, pieces[i].name, s->format->suffix);
        cli_buffer_init(&pieces[i].content, s);
        code = s->format->piece(s, &pieces[i].graph, &pieces[i].content);
    }
    if (code != CLI_EXIT_OK) {
        return code;
    }
    cli_buffer_init(&manifest, s);
    put_manifest(s, whole, pieces, n_pieces, &manifest);
    made = cli_make_dir(dir);
    if (made < 0) {
        return cli_error(s, GSP_STATUS_ARG, "cannot make the directory %s", dir);
    }
    code = write_pieces(s, pieces, n_pieces, manifest_path, &manifest);
    if (code != CLI_EXIT_OK && made) {
        cli_remove_dir(dir);
    }
    return code;
}
