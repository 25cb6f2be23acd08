/* Parts on disk: one file per part, and manifest.json with what is needed to run them. */
#include "output/output.h"

#include <errno.h>
#include <stdlib.h>
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

typedef struct name_list {
    gsp_str *names;
    size_t n;
    size_t room;
} name_list;

static void add_value(
    cli_session *s, name_list *list, const gsp_graph *g, gsp_node v, const cli_part *part)
{
    gsp_str name;
    uint32_t i;
    for (i = 0; cli_tensor(s, g, v, i, &name); i++) {
        if (list->n == list->room) {
            list->room = list->room * 2u + 16u;
            list->names = (gsp_str *)cli_grow(s, list->names, list->room * sizeof *list->names);
        }
        list->names[list->n++] = cli_outside(part, name);
    }
}

/* By name, then by place. */
static int compare_names(const void *a, const void *b)
{
    const gsp_str *x = *(const gsp_str *const *)a;
    const gsp_str *y = *(const gsp_str *const *)b;
    int const c = cli_compare_text(*x, *y);
    return c != 0 ? c : (x > y) - (x < y);
}

/* A tensor that a name finds is listed once: a repeated name becomes empty. Where the place counts,
 * as in graph text, values repeat. */
static void drop_repeats(cli_session *s, name_list *list)
{
    const gsp_str **sorted = (const gsp_str **)cli_alloc(s, list->n + 1u, sizeof *sorted);
    size_t i;
    for (i = 0; i < list->n; i++) {
        sorted[i] = &list->names[i];
    }
    qsort(sorted, list->n, sizeof *sorted, compare_names);
    for (i = list->n; i-- > 1u;) {
        if (gsp_str_equal(*sorted[i], *sorted[i - 1u])) {
            list->names[sorted[i] - list->names].data = NULL;
        }
    }
    cli_release(s, (void *)sorted);
}

static void put_list(cli_session *s, cli_buffer *b, const char *key, name_list *list)
{
    const char *comma = "";
    size_t i;
    if (s->format->tensor != NULL) {
        drop_repeats(s, list);
    }
    cli_printf(b, "\"%s\": [", key);
    for (i = 0; i < list->n; i++) {
        if (list->names[i].data != NULL) {
            cli_puts(b, comma);
            cli_json_string(b, list->names[i]);
            comma = ", ";
        }
    }
    cli_puts(b, "]");
    cli_release(s, list->names);
}

static void put_inputs(cli_session *s, cli_buffer *b, const gsp_graph *g, const cli_part *part,
    const gsp_graph *whole, const cli_names *names)
{
    name_list list = {NULL, 0, 0};
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        if (gsp_node_op(g, v) == GSP_OP_PLACEHOLDER &&
            !cli_is_inside(names, whole, part, gsp_node_name(g, v))) {
            add_value(s, &list, g, v, part);
        }
    }
    put_list(s, b, "inputs", &list);
}

static void put_outputs(cli_session *s, cli_buffer *b, const gsp_graph *g, const cli_part *part)
{
    name_list list = {NULL, 0, 0};
    uint32_t n;
    uint32_t i;
    const gsp_node *outputs = gsp_node_inputs(g, g->n_nodes - 1u, &n);
    for (i = 0; i < n; i++) {
        add_value(s, &list, g, outputs[i], part);
    }
    put_list(s, b, "outputs", &list);
}

static void put_bind(cli_buffer *b, const cli_part *part)
{
    uint32_t i;
    if (part->n_bind == 0) {
        return;
    }
    cli_puts(b, part->has_model ? ", \"graph_bind\": {" : ", \"bind\": {");
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

/* What is not removed yet. */
static void put_earlier(cli_buffer *b, const cli_earlier *earlier)
{
    uint32_t i;
    cli_puts(b, ", \"earlier\": [");
    for (i = 0; i < earlier->n; i++) {
        cli_puts(b, i != 0 ? ", " : "");
        cli_json_string(b, earlier->names[i]);
    }
    cli_puts(b, "]");
}

/* The file is the model, if there is one, beside its graph. A part that cannot be written has no
 * file, and says why. */
static void put_files(cli_session *s, cli_buffer *b, const cli_part *part, const char *stage)
{
    const cli_part *from = part->same != NULL ? part->same : part;
    const char *model = cli_model_name(s, part, stage);
    const char *file;
    if (from->refused.size != 0) {
        put_field(b, "file", "");
        put_field(b, "refused", from->refused.data);
        return;
    }
    file = file_name(s, stage, part->stem, s->format->suffix);
    put_field(b, "file", model != NULL ? model : part->lacks != NULL ? "" : file);
    if (part->lacks != NULL) {
        put_field(b, "refused", part->lacks);
    }
    if (model != NULL || part->lacks != NULL) {
        put_field(b, "graph", file);
    }
    if (cli_has_data(s, part)) {
        put_field(b, "data", file_name(s, NULL, file, ".data"));
    }
}

/* Where the tiles of an input begin in it. */
static void put_streamed(cli_session *s, cli_buffer *b, const gsp_graph *whole)
{
    const cli_streamed *t = s->streamed;
    uint32_t number = 0;
    uint32_t i;
    gsp_node v;
    if (t == NULL) {
        return;
    }
    cli_puts(b, ",\n \"streamed\": {\"input\": ");
    cli_json_string(b, t->input);
    cli_puts(b, ", \"begin\": {");
    for (v = 0; v < whole->n_nodes; v++) {
        gsp_str name;
        if (gsp_node_op(whole, v) == GSP_OP_PLACEHOLDER && number++ - t->first < t->n &&
            cli_tensor(s, whole, v, 0, &name)) {
            cli_puts(b, number - 1u != t->first ? ", " : "");
            cli_json_string(b, name);
            for (i = 0; i < t->rank; i++) {
                cli_printf(b, "%s%lu", i == 0 ? ": [" : ", ",
                    (unsigned long)t->begin[(number - 1u - t->first) * t->rank + i]);
            }
            cli_puts(b, "]");
        }
    }
    cli_puts(b, "}}");
}

/* stage: the directory of the files, NULL for that of the manifest. */
/* A part without results that has no file. */
static int is_left_out(const cli_part *part)
{
    uint32_t n;
    (void)gsp_node_inputs(&part->graph, part->graph.n_nodes - 1u, &n);
    return part->refused.size != 0 && n == 0;
}

static void put_manifest(cli_session *s, const gsp_graph *whole, const cli_part *parts,
    size_t n_parts, const char *stage, const cli_earlier *earlier, cli_buffer *b)
{
    const cli_part *all = NULL;
    const char *file;
    cli_names names;
    size_t n_put = 0;
    size_t i;
    cli_buffer_init(b, s);
    cli_names_make(s, whole, &names);
    for (i = 0; i < n_parts; i++) {
        all = parts[i].made_of != NULL ? &parts[i] : all;
    }
    cli_puts(b, "{");
    put_field(b, "model", s->path);
    put_field(b, "pass", s->pass->name);
    put_inputs(s, b, whole, NULL, whole, &names);
    cli_puts(b, ", ");
    put_outputs(s, b, all != NULL && all->bind != NULL ? &all->graph : whole, all);
    put_streamed(s, b, whole);
    cli_put_values(s, whole, &names, parts, n_parts, b);
    if (all != NULL) {
        file = file_name(s, stage, all->stem, s->format->suffix);
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
        if (at->made_of != NULL || is_left_out(at)) {
            continue;
        }
        cli_puts(b, n_put++ != 0 ? ",\n  {" : "\n  {");
        put_field(b, "name", at->name);
        put_files(s, b, at, stage);
        put_field(b, "kind", at->kind);
        put_field(b, "device", at->device);
        put_inputs(s, b, &at->graph, at, whole, &names);
        cli_puts(b, ", ");
        put_outputs(s, b, &at->graph, at);
        put_bind(b, at);
        cli_puts(b, at->members != NULL ? at->members : "");
        cli_puts(b, "}");
    }
    cli_puts(b, "]");
    if (stage != NULL) {
        put_earlier(b, earlier);
    }
    cli_puts(b, "}\n");
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

int cli_emit_parameters(
    cli_session *s, const gsp_graph *whole, const uint8_t *kept, cli_part *parts, size_t *n_parts)
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
    parts[*n_parts].is_own = 1;
    parts[*n_parts].kind = "root";
    parts[(*n_parts)++].graph = gsp_module_graph(made, 0);
    return CLI_EXIT_OK;
}

const gsp_origin *cli_part_origins(
    cli_session *s, const gsp_graph *whole, const gsp_split_module_result *made)
{
    gsp_origins origins;
    gsp_arena arena;
    cli_arena(s, &arena, gsp_origins_bound(whole->module, &made->module));
    (void)gsp_split_module_origins(&arena, whole, made, &origins, NULL); /* it fits */
    return origins.origin;
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

/* ---- the files of a part ---- */

int cli_part_make(cli_session *s, cli_part *part, const char *dir)
{
    part->path = file_name(s, dir, part->stem, s->format->suffix);
    cli_buffer_init(&part->content, s);
    cli_buffer_init(&part->refused, s);
    return part->same != NULL ? CLI_EXIT_OK
                              : s->format->part(s, part, &part->content, &part->refused);
}

int cli_part_write_files(cli_session *s, const cli_part *part, const char *dir)
{
    cli_buffer whole;
    int code;
    if (part->same != NULL || part->refused.size != 0) {
        return CLI_EXIT_OK;
    }
    cli_progress(s, "writing files");
    code = cli_fill(s, &part->content, &whole);
    code = code == CLI_EXIT_OK ? cli_write_new(s, part->path, &whole) : code;
    if (whole.data != part->content.data) {
        cli_release(s, whole.data);
    }
    code = code == CLI_EXIT_OK && cli_has_data(s, part) ? s->format->data(s, part) : code;
    return code == CLI_EXIT_OK ? cli_model_write(s, part, dir) : code;
}

/* ---- files ----
 *
 * A set of files replaces another in one step, the renaming of the manifest. All are written into a
 * directory within, the stage. Over an earlier set, a manifest of the files in the stage comes
 * first, which leaves the names outside to nobody. The files get these names, and a second manifest
 * says so. */

typedef struct emission {
    cli_session *session;
    const char *dir;
    const char *stage; /* DIR/.graphsplit-N */
    uint32_t number;   /* of the stage */
    int stands;        /* the manifest lists the files in the stage */
    const gsp_graph *whole;
    cli_part *parts;
    size_t n_parts;
    const char **files; /* [n_files] names of all files but the manifest */
    size_t n_files;
    size_t n_moved; /* of them, out of the stage */
    cli_earlier earlier;
} emission;

/* Makes the path and the content of the file of a part. */
static int make_content(emission *e, cli_part *part)
{
    cli_session *s = e->session;
    int code = cli_part_make(s, part, e->stage);
    if (code == CLI_EXIT_OK && part->same == NULL && part->refused.size == 0) {
        e->files[e->n_files++] = file_name(s, NULL, part->stem, s->format->suffix);
        if (cli_has_data(s, part)) {
            e->files[e->n_files] = file_name(s, NULL, e->files[e->n_files - 1u], ".data");
            e->n_files++;
        }
    }
    return code;
}

#ifdef CLI_NO_STDIN /* nobody else reads the files of the page */

static int fill_dir(emission *e)
{
    cli_session *s = e->session;
    cli_buffer b;
    int code = CLI_EXIT_OK;
    size_t i;
    e->stage = e->dir;
    cli_file_names(s, e->parts, e->n_parts);
    for (i = 0; i < e->n_parts && code == CLI_EXIT_OK; i++) {
        code = make_content(e, &e->parts[i]);
        code =
            code == CLI_EXIT_OK ? cli_part_write_files(e->session, &e->parts[i], e->stage) : code;
    }
    put_manifest(s, e->whole, e->parts, e->n_parts, NULL, &e->earlier, &b);
    return code == CLI_EXIT_OK ? cli_write_new(s, file_name(s, e->dir, "manifest", ".json"), &b)
                               : code;
}

#else

/* Parts that cannot be written: a line for each, an error where there is no other part. */
static int tell_refused(emission *e)
{
    cli_session *s = e->session;
    const cli_part *first = NULL;
    size_t i;
    for (i = e->n_parts; i-- > 0;) {
        first = e->parts[i].refused.size != 0 ? &e->parts[i] : first;
    }
    if (first != NULL && e->n_files == 0) {
        return cli_error(
            s, GSP_STATUS_UNDEFINED, "%s: %s of %s", s->path, first->refused.data, first->name);
    }
    for (i = 0; i < e->n_parts && first != NULL; i++) {
        if (e->parts[i].refused.size != 0) {
            cli_buffer line;
            cli_buffer_init(&line, s);
            cli_printf(&line, "%s: %s has no file: %s\n", s->front->program, e->parts[i].name,
                e->parts[i].refused.data);
            cli_progress_end(s);
            cli_tell(&line);
        }
    }
    return CLI_EXIT_OK;
}

static int cannot_write(const emission *e, const char *path, const char *why)
{
    return cli_error(e->session, GSP_STATUS_ARG, "cannot write %s: %s", path, why);
}

/* Before the first file is written. */
static int check_target(const emission *e, const char *path)
{
    const char *input = cli_is_taken(e->session, path);
    if (input != NULL) {
        return cli_error(
            e->session, GSP_STATUS_ARG, "%s is %s; give --emit another directory", path, input);
    }
    return cli_is_replaceable(path) ? CLI_EXIT_OK
                                    : cannot_write(e, path, "it is protected, or no regular file");
}

/* Out of the stage; `keeps`: the manifest lists the file there, so it stays. */
static int move(const emission *e, const char *file, int keeps)
{
    const char *from = file_name(e->session, e->stage, file, "");
    const char *to = file_name(e->session, e->dir, file, "");
    const char *name = file_name(e->session, e->stage, "link", "");
    int why = 0;
    if (keeps && cli_copy_file(from, name) != 0) {
        return cannot_write(e, name, strerror(errno));
    }
    if (keeps && !e->session->common.no_sync && (why = cli_sync_path(name)) != 0) {
        return cannot_write(e, name, strerror(why));
    }
    return cli_rename(keeps ? name : from, to) == 0 ? CLI_EXIT_OK
                                                    : cannot_write(e, to, strerror(errno));
}

/* The names in a directory are on the disk before what depends on them. */
static int sync_dir(const emission *e, const char *dir)
{
    int const why = e->session->common.no_sync ? 0 : cli_sync_path(dir);
    return why != 0 ? cannot_write(e, dir, strerror(why)) : CLI_EXIT_OK;
}

static int write_manifest(const emission *e, const char *stage)
{
    cli_buffer b;
    int code;
    put_manifest(e->session, e->whole, e->parts, e->n_parts, stage, &e->earlier, &b);
    code = cli_write_new(e->session, file_name(e->session, e->stage, "manifest", ".json"), &b);
    code = code == CLI_EXIT_OK ? move(e, "manifest.json", 0) : code;
    if (code == CLI_EXIT_OK && !e->session->common.no_sync) {
        (void)cli_sync_path(e->dir); /* the manifest stands, so a failure changes nothing */
    }
    return code;
}

static int write_all(emission *e)
{
    int code = CLI_EXIT_OK;
    size_t i;
    for (i = 0; i < e->n_parts && code == CLI_EXIT_OK; i++) {
        code = cli_part_write_files(e->session, &e->parts[i], e->stage);
    }
    if (code == CLI_EXIT_OK) {
        code = sync_dir(e, e->stage);
    }
    cli_hold_commit();
    if (code == CLI_EXIT_OK && e->earlier.is_there) {
        code = write_manifest(e, cli_stage(e->number));
        e->stands = code == CLI_EXIT_OK;
    }
    if (e->stands) {
        cli_earlier_remove(e->session, e->dir, &e->earlier, e->files, e->n_files);
    }
    while (code == CLI_EXIT_OK && e->n_moved < e->n_files) {
        code = move(e, e->files[e->n_moved], e->stands);
        e->n_moved += code == CLI_EXIT_OK ? 1u : 0u;
    }
    code = code == CLI_EXIT_OK ? sync_dir(e, e->dir) : code;
    return code == CLI_EXIT_OK ? write_manifest(e, NULL) : code;
}

static void remove_files(const emission *e, const char *dir, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) {
        cli_remove_file(file_name(e->session, dir, e->files[i], ""));
    }
}

static int make_all(emission *e, const char *manifest_path)
{
    int code = cli_earlier_read(e->session, e->dir, manifest_path, &e->earlier);
    size_t i;
    e->number = e->earlier.stands[0] ? 1u : 0u;
    e->stage = file_name(e->session, e->dir, cli_stage(e->number), "");
    cli_file_names(e->session, e->parts, e->n_parts);
    for (i = 0; i < e->n_parts && code == CLI_EXIT_OK; i++) {
        code = make_content(e, &e->parts[i]);
    }
    code = code == CLI_EXIT_OK ? tell_refused(e) : code;
    if (code == CLI_EXIT_OK) {
        code = cli_models_find(e->session, e->parts, e->n_parts, e->files, &e->n_files);
    }
    code = code == CLI_EXIT_OK ? check_target(e, manifest_path) : code;
    for (i = 0; i < e->n_files && code == CLI_EXIT_OK; i++) {
        code = check_target(e, file_name(e->session, e->dir, e->files[i], ""));
    }
    for (i = 0; i < 2u && code == CLI_EXIT_OK; i++) {
        code = cli_stage_check(e->session, e->dir, (uint32_t)i);
    }
    if (code != CLI_EXIT_OK) {
        return code;
    }
    cli_remove_all(e->stage); /* of a run that was ended */
    return cli_make_dir(e->stage) != 1 ? cannot_write(e, e->stage, strerror(errno)) : CLI_EXIT_OK;
}

static void add_written(const emission *e, const char *manifest_path)
{
    size_t i;
    for (i = 0; i < e->n_files; i++) {
        cli_add_written(e->session, file_name(e->session, e->dir, e->files[i], ""));
    }
    cli_add_written(e->session, manifest_path);
}

static int fill_dir(emission *e)
{
    const char *manifest_path = file_name(e->session, e->dir, "manifest", ".json");
    int code = make_all(e, manifest_path);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    code = write_all(e);
    if (code == CLI_EXIT_OK || !e->stands) {
        remove_files(e, e->stage, e->n_files); /* not all systems list a directory */
        cli_remove_all(e->stage);
    }
    if (code == CLI_EXIT_OK) {
        cli_remove_all(file_name(e->session, e->dir, cli_stage(1u - e->number), ""));
        add_written(e, manifest_path);
    } else if (!e->earlier.is_there) {
        remove_files(e, e->dir, e->n_moved);
    }
    return code;
}

#endif

int cli_emit(
    cli_session *s, const char *dir, const gsp_graph *whole, cli_part *parts, size_t n_parts)
{
    emission e;
    int made;
    int code;
    cli_hold();
    made = cli_make_dir(dir);
    if (made == 0) { /* another run may hold it for long */
        cli_hold_end();
        cli_lock_dir(dir);
        cli_hold();
    } else if (made > 0) {
        cli_lock_dir(dir);
    }
    if (made < 0) {
        cli_hold_end();
        return cli_error(
            s, GSP_STATUS_ARG, "cannot make the directory %s: %s", dir, strerror(errno));
    }
    memset(&e, 0, sizeof e);
    e.session = s;
    e.dir = dir;
    e.whole = whole;
    e.parts = parts;
    e.n_parts = n_parts;
    e.files = (const char **)cli_alloc(s, n_parts * 3u + 1u, sizeof *e.files);
    code = fill_dir(&e);
    if (code != CLI_EXIT_OK && made) {
        cli_remove_dir(dir);
    }
    cli_hold_end();
    return code;
}
