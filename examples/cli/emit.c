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
        put_field(b, "file", file_name(s, NULL, at->name, s->front->suffix));
        put_field(b, "kind", at->kind);
        put_field(b, "device", at->device);
        put_inputs(b, &at->graph);
        cli_puts(b, ", ");
        put_outputs(b, &at->graph);
        cli_puts(b, "}");
    }
    cli_puts(b, "]}\n");
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
        pieces[i].path = file_name(s, dir, pieces[i].name, s->front->suffix);
        cli_buffer_init(&pieces[i].content, s);
        code = s->front->piece(s, &pieces[i].graph, &pieces[i].content);
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
