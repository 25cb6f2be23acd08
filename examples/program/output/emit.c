/* Parts on disk: one file per part, and manifest.json with what is needed to run them. */
#include "output/emit.h"

#include "core/buffer.h"
#include "core/command.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json_string.h"
#include "core/sys.h"
#include "output/earlier.h"

#include <errno.h>
#include <string.h>

/* "NAME.fx", after `dir` if given. */
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

int cli_tensor(const cli_session *s, const gsp_graph *graph, gsp_node v, uint32_t i, gsp_str *name)
{
    if (s->format->tensor != NULL) {
        return s->format->tensor(graph, v, i, name);
    }
    *name = gsp_node_name(graph, v);
    return i == 0;
}

static gsp_str outside(const cli_part *part, gsp_str name)
{
    uint32_t i;
    for (i = 0; part != NULL && i < part->n_bind; i++) {
        if (gsp_str_equal(part->bind[i].inner, name)) {
            return part->bind[i].outer;
        }
    }
    return name;
}

/* The names of a value, each once per list; `*comma` separates them. */
static void put_value(const cli_session *s, cli_buffer *b, const gsp_graph *g, gsp_node v,
                      const cli_part *part, const char **comma)
{
    gsp_str name;
    uint32_t i;
    for (i = 0; cli_tensor(s, g, v, i, &name); i++) {
        cli_puts(b, *comma);
        cli_json_string(b, outside(part, name));
        *comma = ", ";
    }
}

static void put_inputs(const cli_session *s, cli_buffer *b, const gsp_graph *g,
                       const cli_part *part)
{
    const char *comma = "";
    gsp_node v;
    cli_puts(b, "\"inputs\": [");
    for (v = 0; v < g->n_nodes; v++) {
        if (gsp_node_op(g, v) == GSP_OP_PLACEHOLDER) {
            put_value(s, b, g, v, part, &comma);
        }
    }
    cli_puts(b, "]");
}

static void put_outputs(const cli_session *s, cli_buffer *b, const gsp_graph *g,
                        const cli_part *part)
{
    const char *comma = "";
    uint32_t n;
    uint32_t i;
    const gsp_node *outputs = gsp_node_inputs(g, g->n_nodes - 1u, &n);
    cli_puts(b, "\"outputs\": [");
    for (i = 0; i < n; i++) {
        put_value(s, b, g, outputs[i], part, &comma);
    }
    cli_puts(b, "]");
}

static void put_bind(cli_buffer *b, const cli_part *part)
{
    uint32_t i;
    if (part->n_bind == 0) {
        return;
    }
    cli_puts(b, ", \"bind\": {");
    for (i = 0; i < part->n_bind; i++) {
        cli_puts(b, i != 0 ? ", " : "");
        cli_json_string(b, part->bind[i].inner);
        cli_puts(b, ": ");
        cli_json_string(b, part->bind[i].outer);
    }
    cli_puts(b, "}");
}

static void put_field(cli_buffer *b, const char *key, const char *value)
{
    cli_printf(b, "\"%s\": ", key);
    cli_json_string(b, gsp_str_of(value));
    cli_puts(b, ", ");
}

static const cli_part *file_of(const cli_part *part)
{
    return part->same != NULL ? part->same : part;
}

static void put_manifest(cli_session *s, const gsp_graph *whole, const cli_part *parts,
                         size_t n_parts, cli_buffer *b)
{
    const cli_part *all = NULL;
    const char *file;
    size_t i;
    for (i = 0; i < n_parts; i++) {
        all = parts[i].made_of != NULL ? &parts[i] : all;
    }
    cli_puts(b, "{");
    put_field(b, "model", s->path);
    put_field(b, "pass", s->pass->name);
    put_inputs(s, b, whole, NULL);
    cli_puts(b, ", ");
    put_outputs(s, b, all != NULL && all->bind != NULL ? &all->graph : whole, all);
    if (all != NULL) {
        file = file_name(s, NULL, all->name, s->format->suffix);
        cli_puts(b, ",\n \"whole\": ");
        cli_json_string(b, gsp_str_of(file));
        if (cli_has_data(s, all)) {
            cli_puts(b, ", \"whole_data\": ");
            cli_json_string(b, gsp_str_of(file_name(s, NULL, file, ".data")));
        }
        put_bind(b, all);
    }
    cli_puts(b, ",\n \"pieces\": [");
    for (i = 0; i < n_parts; i++) {
        const cli_part *at = &parts[i];
        if (at->made_of != NULL) {
            continue;
        }
        cli_puts(b, i != 0 ? ",\n  {" : "\n  {");
        put_field(b, "name", at->name);
        file = file_name(s, NULL, file_of(at)->name, s->format->suffix);
        put_field(b, "file", file);
        if (cli_has_data(s, file_of(at))) {
            put_field(b, "data", file_name(s, NULL, file, ".data"));
        }
        put_field(b, "kind", at->kind);
        put_field(b, "device", at->device);
        put_inputs(s, b, &at->graph, at);
        cli_puts(b, ", ");
        put_outputs(s, b, &at->graph, at);
        put_bind(b, at);
        cli_puts(b, "}");
    }
    cli_puts(b, "]}\n");
}

/* ---- the part of what the root keeps ---- */

static void add_parameter(gsp_builder *b, const gsp_graph *g, gsp_node v)
{
    const gsp_module *m = g->module;
    const gsp_attr *a = m->attrs + m->attr[g->first + v];
    (void)gsp_build_node(b, GSP_OP_GET_ATTR, gsp_node_name(g, v), gsp_node_target(g, v));
    if (gsp_node_type(g, v).size != 0) {
        gsp_build_type(b, gsp_node_type(g, v));
    }
    for (; a->key != GSP_KEY_NONE; a++) {
        gsp_build_attr(b, gsp_module_str(m, a->key), gsp_module_str(m, a->value));
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

static int is_kept(const cli_session *s, const gsp_graph *whole, const uint8_t *kept, gsp_node v)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(whole, v, &n);
    int returned = n != 0 && users[n - 1u] == whole->n_nodes - 1u;
    return kept[v] == 2u || (kept[v] && (returned || !s->format->holds_parameters));
}

int cli_emit_parameters(cli_session *s, const gsp_graph *whole, const uint8_t *kept,
                        cli_part *parts, size_t *n_parts)
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
        count += is_kept(s, whole, kept, v) ? 1u : 0u;
    }
    if (count == 0) {
        return CLI_EXIT_OK;
    }
    counts = gsp_build_counts(1, count + 1u, count + 2u, c->attrs, c->strings, c->bytes);
    cli_arena(s, &arena, gsp_build_bound(&counts));
    status = gsp_build_init(&b, &arena, &counts, &err);
    if (status == GSP_OK) {
        gsp_build_graph(&b, gsp_str_of(NULL));
        for (v = 0; v < whole->n_nodes; v++) {
            if (is_kept(s, whole, kept, v)) {
                add_parameter(&b, whole, v);
            }
        }
        add_output(&b, count);
        status = gsp_build_finish(&b, made, &err);
    }
    if (status != GSP_OK) {
        return cli_pass_error(s, NULL, &err);
    }
    parts[*n_parts].name = "root";
    parts[*n_parts].kind = "root";
    parts[(*n_parts)++].graph = gsp_module_graph(made, 0);
    return CLI_EXIT_OK;
}

int cli_emit_root(cli_session *s, const gsp_graph *whole, const gsp_split_module_result *made,
                  cli_part *parts, size_t *n_parts)
{
    uint8_t *kept = (uint8_t *)cli_alloc(s, whole->n_nodes, 1u);
    gsp_node v;
    for (v = 0; v < whole->n_nodes; v++) {
        kept[v] = gsp_node_op(whole, v) == GSP_OP_GET_ATTR && made->root_of[v] != GSP_NONE;
    }
    return cli_emit_parameters(s, whole, kept, parts, n_parts);
}

/* ---- files ---- */

static void remove_part(cli_session *s, const cli_part *part)
{
    cli_remove_file(part->path);
    if (cli_has_data(s, part)) {
        cli_remove_file(file_name(s, NULL, part->path, ".data"));
    }
}

static int write_part(cli_session *s, const cli_part *part)
{
    int code;
    if (part->same != NULL) {
        return CLI_EXIT_OK;
    }
    cli_progress(s, "writing files");
    code = cli_write_file(s, part->path, &part->content);
    if (code == CLI_EXIT_OK && cli_has_data(s, part)) {
        code = s->format->data(s, part);
        if (code != CLI_EXIT_OK) {
            remove_part(s, part);
        }
    }
    return code;
}

static int write_parts(cli_session *s, const cli_part *parts, size_t n_parts,
                       const char *manifest_path, const cli_buffer *manifest)
{
    int code = CLI_EXIT_OK;
    size_t written = 0;
    while (written < n_parts && code == CLI_EXIT_OK) {
        code = write_part(s, &parts[written]);
        written += code == CLI_EXIT_OK ? 1u : 0u;
    }
    if (code == CLI_EXIT_OK) {
        code = cli_write_file(s, manifest_path, manifest);
    }
    while (code != CLI_EXIT_OK && written-- != 0) {
        remove_part(s, &parts[written]);
    }
    return code;
}

/* Makes the path and the content of the file of a part. */
static int make_content(cli_session *s, const char *dir, cli_part *part)
{
    part->path =
        file_name(s, dir, part->same != NULL ? part->same->name : part->name, s->format->suffix);
    cli_buffer_init(&part->content, s);
    return part->same != NULL ? CLI_EXIT_OK : s->format->part(s, part, &part->content);
}

int cli_emit(cli_session *s, const char *dir, const gsp_graph *whole, cli_part *parts,
             size_t n_parts)
{
    const char *manifest_path = file_name(s, dir, "manifest", ".json");
    cli_earlier earlier;
    cli_buffer manifest;
    int made;
    int code = cli_earlier_read(s, dir, manifest_path, &earlier);
    size_t i;
    for (i = 0; i < n_parts && code == CLI_EXIT_OK; i++) {
        code = make_content(s, dir, &parts[i]);
    }
    if (code != CLI_EXIT_OK) {
        return code;
    }
    cli_buffer_init(&manifest, s);
    put_manifest(s, whole, parts, n_parts, &manifest);
    made = cli_make_dir(dir);
    if (made < 0) {
        return cli_error(s, GSP_STATUS_ARG, "cannot make the directory %s: %s", dir,
                         strerror(errno));
    }
    code = write_parts(s, parts, n_parts, manifest_path, &manifest);
    if (code == CLI_EXIT_OK) {
        cli_earlier_remove(s, dir, &earlier, parts, n_parts);
    } else if (made) {
        cli_remove_dir(dir);
    }
    return code;
}
