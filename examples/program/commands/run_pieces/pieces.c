/* Runs of the pieces of a manifest, one after the other: a value is a file, which each piece reads
 * and yields by its names for it. */
#include "commands/run_pieces/run_pieces.h"

#include <errno.h>
#include <string.h>

/* ---- engines ---- */

static int is_called(const run_piece *piece, gsp_str which)
{
    return gsp_str_equal(which, piece->kind) || gsp_str_equal(which, piece->device) ||
           gsp_str_equal(which, piece->name);
}

static int is_known(const run_pieces *p, gsp_str which)
{
    uint32_t i = 0;
    while (i < p->n_pieces && !is_called(&p->pieces[i], which)) {
        i++;
    }
    return i < p->n_pieces;
}

/* The WHICH of "WHICH=COMMAND"; empty if it is for all pieces: "env A=1 ./npu {model}" begins with
 * a program. */
static gsp_str which_of(const run_pieces *p, const char *text)
{
    const char *equals = strchr(text, '=');
    gsp_str which = gsp_str_of(text);
    which.size = equals != NULL ? (uint32_t)(equals - text) : 0u;
    if (!is_known(p, which) && strcspn(text, " \t\n/'\"{}$") < which.size) {
        which.size = 0;
    }
    return which;
}

/* The command for a piece; NULL if it is for others. */
static const char *command_for(const run_pieces *p, const run_piece *piece, const char *text)
{
    gsp_str const which = which_of(p, text);
    return which.size == 0 ? text : is_called(piece, which) ? text + which.size + 1u : NULL;
}

/* Adds a word that no earlier word of the list is; at most ten. */
static void put_known(cli_buffer *list, gsp_str *all, uint32_t *n, gsp_str word)
{
    uint32_t i = 0;
    while (i < *n && !gsp_str_equal(all[i], word)) {
        i++;
    }
    if (word.size != 0 && i == *n && *n < 10u) {
        all[(*n)++] = word;
        cli_puts(list, *n > 1u ? ", " : "");
        cli_put_clipped(list, word, 40u);
    }
}

static int unknown_which(const run_pieces *p, gsp_str which)
{
    cli_session *s = p->session;
    gsp_str all[10];
    cli_buffer list;
    uint32_t n = 0;
    uint32_t i;
    cli_buffer_init(&list, s);
    for (i = 0; i < p->n_pieces; i++) {
        put_known(&list, all, &n, p->pieces[i].kind);
        put_known(&list, all, &n, p->pieces[i].device);
    }
    for (i = 0; i < p->n_pieces; i++) {
        put_known(&list, all, &n, p->pieces[i].name);
    }
    cli_puts(&list, n == 10u ? ", ..." : "");
    cli_put(&list, "", 1u);
    return cli_usage_error(s, "--run %s: no piece has this name, kind or device; there are %s",
        cli_copy(s, which), list.data);
}

/* Each WHICH is one of a piece, and given once. */
static int check_given(const run_pieces *p)
{
    cli_session *s = p->session;
    size_t i;
    size_t k;
    for (i = 0; i < s->n_given; i++) {
        gsp_str const which = which_of(p, s->given[i].value);
        if (which.size != 0 && !is_known(p, which)) {
            return unknown_which(p, which);
        }
        for (k = 0; k < i; k++) {
            if (gsp_str_equal(which, which_of(p, s->given[k].value))) {
                return cli_usage_error(s, "--run %s%sis given twice", cli_copy(s, which),
                    which.size != 0 ? " " : "for all pieces ");
            }
        }
    }
    return CLI_EXIT_OK;
}

/* What runs files of an ending. */
static const char *usual(gsp_str file)
{
    static const struct {
        const char *ending;
        const char *engine;
    } known[] = {{".tflite", "litert"}, {".onnx", "ort"}};
    size_t i;
    for (i = 0; i < CLI_COUNT(known); i++) {
        uint32_t const size = (uint32_t)strlen(known[i].ending);
        if (file.size > size && memcmp(file.data + file.size - size, known[i].ending, size) == 0) {
            return known[i].engine;
        }
    }
    return "run";
}

/* What runs: of a piece on hashes its graph, since models have other names and attributes. */
static gsp_str file_of(const run_piece *piece)
{
    return piece->engine.command == NULL && piece->graph.size != 0 ? piece->graph : piece->file;
}

static const run_bind *bind_of(const run_piece *piece)
{
    return piece->engine.command == NULL && piece->graph.size != 0 ? &piece->graph_bind
                                                                   : &piece->bind;
}

/* All pieces run on hashes. */
static int is_hashed(const run_pieces *p)
{
    uint32_t i = 0;
    while (i < p->n_pieces && p->pieces[i].engine.command == NULL) {
        i++;
    }
    return i == p->n_pieces;
}

int run_pieces_engines(run_pieces *p)
{
    cli_session *s = p->session;
    uint32_t i;
    int code = check_given(p);
    for (i = 0; i < p->n_pieces && code == CLI_EXIT_OK; i++) {
        run_piece *piece = &p->pieces[i];
        const char *command = usual(piece->file);
        size_t k;
        for (k = 0; k < s->n_given; k++) { /* the last counts */
            const char *own = command_for(p, piece, s->given[k].value);
            command = own != NULL ? own : command;
        }
        code = bisect_take_engine(&p->work, command, &piece->engine);
        if (code == CLI_EXIT_OK && file_of(piece).size == 0) {
            return cli_error(s, GSP_STATUS_UNDEFINED, "%s: the piece %s has no file: %s", s->path,
                cli_copy(s, piece->name), cli_copy(s, piece->refused));
        }
    }
    return code == CLI_EXIT_OK && p->opt.equal != NULL
               ? bisect_take_engine(&p->work,
                     is_hashed(p) ? "run" : usual(gsp_str_of(p->opt.equal)), &p->work.reference)
               : code;
}

/* ---- values ---- */

int run_pieces_copy(run_pieces *p, const char *from, const char *to)
{
    return cli_copy_file(from, to) == 0
               ? CLI_EXIT_OK
               : cli_error(p->session, GSP_STATUS_ARG, "cannot copy %s to %s: %s", from, to,
                     strerror(errno));
}

static int is_read(const run_pieces *p, gsp_str name)
{
    uint32_t i;
    uint32_t k;
    for (i = 0; i < p->n_pieces; i++) {
        for (k = 0; k < p->pieces[i].inputs.n; k++) {
            if (gsp_str_equal(p->pieces[i].inputs.all[k], name)) {
                return 1;
            }
        }
    }
    return 0;
}

/* The tiles of an input that is given as a whole. */
static int cut_input(run_pieces *p)
{
    cli_session *s = p->session;
    const char *path = p->opt.inputs != NULL && p->n_tiles != 0
                           ? cli_npy_path(s, p->opt.inputs, p->streamed)
                           : NULL;
    cli_npy whole;
    uint32_t i;
    int code;
    if (path == NULL || !cli_is_file(path)) {
        return CLI_EXIT_OK;
    }
    code = cli_npy_read(s, path, &whole);
    for (i = 0; i < p->n_tiles && code == CLI_EXIT_OK; i++) {
        const run_tile *tile = &p->tiles[i];
        code = bisect_write_tile(
            &p->work, &whole, run_pieces_type(p, tile->name), tile->begin, tile->name);
    }
    cli_release(s, whole.file);
    return code;
}

/* The inputs of the model that pieces read: given, hashes, or random. */
static int make_inputs(run_pieces *p)
{
    int const hashes = is_hashed(p);
    uint32_t i;
    int code = cut_input(p);
    for (i = 0; i < p->inputs.n && code == CLI_EXIT_OK; i++) {
        gsp_str const name = p->inputs.all[i];
        if (!is_read(p, name) || cli_is_file(cli_npy_path(p->session, p->values, name))) {
            continue;
        }
        if (p->opt.inputs != NULL) {
            code = run_pieces_copy(p, cli_npy_path(p->session, p->opt.inputs, name),
                cli_npy_path(p->session, p->values, name));
        } else {
            code = hashes ? bisect_write_hash(&p->work, name, i)
                          : bisect_write_random(&p->work, run_pieces_type(p, name), i, name);
        }
    }
    return code;
}

/* ---- runs ---- */

/* The next name inside of a piece for one of these values, from *at on: names that are bound to it,
 * or itself. Returns 0 after the last. */
static int next_inside(const run_piece *piece, gsp_str outer, uint32_t *at, gsp_str *inner)
{
    const run_bind *bind = bind_of(piece);
    while (*at < bind->n && !gsp_str_equal(bind->all[*at].outer, outer)) {
        ++*at;
    }
    if (*at < bind->n) {
        *inner = bind->all[(*at)++].inner;
        return 1;
    }
    return 0;
}

static int is_bound(const run_piece *piece, gsp_str outer)
{
    uint32_t at = 0;
    gsp_str inner;
    return next_inside(piece, outer, &at, &inner);
}

static int give_inputs(run_pieces *p, const run_piece *piece, const char *dir)
{
    cli_session *s = p->session;
    uint32_t i;
    int code = CLI_EXIT_OK;
    for (i = 0; i < piece->inputs.n && code == CLI_EXIT_OK; i++) {
        gsp_str const outer = piece->inputs.all[i];
        const char *from = cli_npy_path(s, p->values, outer);
        gsp_str inner = outer;
        uint32_t at = 0;
        if (!cli_is_file(from)) {
            return cli_error(s, GSP_STATUS_UNDEFINED,
                "%s: no piece before %s yields %s, which it reads", s->path,
                cli_copy(s, piece->name), cli_copy(s, outer));
        }
        if (!is_bound(piece, outer)) {
            code = run_pieces_copy(p, from, cli_npy_path(s, dir, inner));
        }
        while (code == CLI_EXIT_OK && next_inside(piece, outer, &at, &inner)) {
            code = run_pieces_copy(p, from, cli_npy_path(s, dir, inner));
        }
    }
    return code;
}

static int take_outputs(run_pieces *p, const run_piece *piece, const char *dir)
{
    cli_session *s = p->session;
    uint32_t i;
    for (i = 0; i < piece->outputs.n; i++) {
        gsp_str const outer = piece->outputs.all[i];
        const char *to = cli_npy_path(s, p->values, outer);
        gsp_str inner = outer;
        uint32_t at = 0;
        int done = cli_rename(cli_npy_path(s, dir, inner), to) == 0 && !is_bound(piece, outer);
        while (!done && next_inside(piece, outer, &at, &inner)) {
            done = cli_rename(cli_npy_path(s, dir, inner), to) == 0;
        }
        if (!done && !cli_is_file(to)) {
            return cli_error(s, GSP_STATUS_UNDEFINED, "%s: %s has not written %s.npy of %s",
                s->path, piece->engine.name, cli_copy(s, inner), cli_copy(s, piece->name));
        }
    }
    return CLI_EXIT_OK;
}

/* A piece in a sentence: its file and its name. */
static const char *label_of(const run_pieces *p, const run_piece *piece)
{
    cli_buffer label;
    cli_buffer_init(&label, p->session);
    cli_printf(&label, "%s, the piece ", p->work.model);
    cli_put_clipped(&label, piece->name, 200u);
    cli_put(&label, "", 1u);
    return label.data;
}

/* The name outside of a piece. */
static gsp_str outside(const run_piece *piece, gsp_str inner)
{
    const run_bind *bind = bind_of(piece);
    uint32_t i = 0;
    while (i < bind->n && !gsp_str_equal(bind->all[i].inner, inner)) {
        i++;
    }
    return i < bind->n ? bind->all[i].outer : inner;
}

/* What stands before the shape; the whole TYPE of what is no tensor. */
static gsp_str dtype_of(gsp_str type)
{
    uint32_t size = 0;
    while (size < type.size && type.data[size] != '[') {
        size++;
    }
    type.size = size;
    return type;
}

static int has_input(const run_piece *piece, gsp_str name)
{
    uint32_t i = 0;
    while (i < piece->inputs.n && !gsp_str_equal(piece->inputs.all[i], name)) {
        i++;
    }
    return i < piece->inputs.n;
}

/* The inputs of a graph have the dtypes of the manifest; weights that only the model has inside
 * have no value. */
static int check_inputs(const run_pieces *p, const run_piece *piece, const gsp_graph *graph)
{
    cli_session *s = p->session;
    gsp_node v;
    for (v = 0; v < graph->n_nodes; v++) {
        gsp_str const name = outside(piece, gsp_node_name(graph, v));
        gsp_str const own = dtype_of(gsp_node_type(graph, v));
        gsp_str const other = dtype_of(run_pieces_type(p, name));
        if (gsp_node_op(graph, v) != GSP_OP_PLACEHOLDER) {
            continue;
        }
        if (piece->graph.size != 0 && !has_input(piece, name)) {
            return cli_error(s, GSP_STATUS_UNDEFINED,
                "the graph has the weight %s as an input, which only the model %s has inside; give "
                "--run an engine of models",
                cli_copy(s, name), cli_copy(s, piece->file));
        }
        if (own.size != 0 && other.size != 0 && !gsp_str_equal(own, other)) {
            return cli_error(s, GSP_STATUS_ARG, "the input %s is %s, and %s says %s",
                cli_copy(s, name), cli_copy(s, own), s->path, cli_copy(s, other));
        }
    }
    return CLI_EXIT_OK;
}

/* Runs a piece on hashes. */
static int run_graph(run_pieces *p, const run_piece *piece, const char *dir)
{
    cli_session *s = p->session;
    const char *manifest = s->path;
    gsp_graph graph;
    gsp_counts counts;
    int code;
    s->path = p->work.model;
    code = cli_load_main(s, &graph, &counts);
    s->path = manifest;
    if (code == CLI_EXIT_OK) {
        s->within = label_of(p, piece);
        code = check_inputs(p, piece, &graph);
        code =
            code == CLI_EXIT_OK ? bisect_run_engine(&p->work, &piece->engine, &graph, dir) : code;
        s->within = NULL;
    }
    return code;
}

/* Runs a piece by its command. */
static int run_model(run_pieces *p, const run_piece *piece, const char *dir)
{
    cli_session *s = p->session;
    const char *manifest = s->path;
    int code;
    s->path = label_of(p, piece);
    code = bisect_run_engine(&p->work, &piece->engine, NULL, dir);
    s->path = manifest;
    return code;
}

static void remove_run(run_pieces *p)
{
    const char *dir = cli_path(p->session, p->work.temp, "run");
    cli_remove_all(cli_path(p->session, dir, "inputs"));
    cli_remove_all(cli_path(p->session, dir, "outputs"));
    cli_remove_all(dir);
}

static int run_piece_of(run_pieces *p, run_piece *piece)
{
    cli_session *s = p->session;
    const char *inputs;
    const char *outputs;
    const char *dir;
    uint64_t const begun = cli_now();
    int code = bisect_dir(&p->work, p->work.temp, "run", &dir);
    code = code == CLI_EXIT_OK ? bisect_dir(&p->work, dir, "inputs", &inputs) : code;
    code = code == CLI_EXIT_OK ? bisect_dir(&p->work, dir, "outputs", &outputs) : code;
    code = code == CLI_EXIT_OK ? give_inputs(p, piece, inputs) : code;
    p->work.model = cli_path(s, p->dir, cli_copy(s, file_of(piece)));
    if (code == CLI_EXIT_OK && !cli_is_file(p->work.model)) {
        return cli_error(s, GSP_STATUS_ARG, "%s: there is no file %s", s->path, p->work.model);
    }
    if (code == CLI_EXIT_OK) {
        code = piece->engine.command == NULL ? run_graph(p, piece, dir) : run_model(p, piece, dir);
    }
    code = code == CLI_EXIT_OK ? take_outputs(p, piece, outputs) : code;
    code = code == BISECT_OVER ? CLI_EXIT_FAILED : code;
    piece->seconds = (double)(cli_now() - begun) * 1e-9;
    remove_run(p);
    return code;
}

/* Copies the outputs to --outputs, and reads their types. */
static int keep_outputs(run_pieces *p)
{
    cli_session *s = p->session;
    const char **made = (const char **)cli_alloc(s, (size_t)p->outputs.n + 1u, sizeof *made);
    uint32_t i;
    int code = CLI_EXIT_OK;
    p->made = made;
    if (p->opt.outputs != NULL && cli_make_dir(p->opt.outputs) < 0) {
        return cli_error(
            s, GSP_STATUS_ARG, "cannot make the directory %s: %s", p->opt.outputs, strerror(errno));
    }
    for (i = 0; i < p->outputs.n && code == CLI_EXIT_OK; i++) {
        const char *from = cli_npy_path(s, p->values, p->outputs.all[i]);
        cli_npy array;
        cli_buffer type;
        if (!cli_is_file(from)) {
            return cli_error(s, GSP_STATUS_UNDEFINED, "%s: no piece yields %s, an output", s->path,
                cli_copy(s, p->outputs.all[i]));
        }
        code = cli_npy_read(s, from, &array);
        if (code == CLI_EXIT_OK) {
            cli_buffer_init(&type, s);
            cli_npy_put_type(&type, &array);
            cli_put(&type, "", 1u);
            made[i] = type.data;
            cli_release(s, array.file);
        }
        if (code == CLI_EXIT_OK && p->opt.outputs != NULL) {
            const char *to = cli_npy_path(s, p->opt.outputs, p->outputs.all[i]);
            cli_remove_file(to);
            code = run_pieces_copy(p, from, to);
        }
    }
    return code;
}

int run_pieces_run(run_pieces *p)
{
    cli_session *s = p->session;
    uint32_t i;
    int code;
    if (cli_make_temp(p->work.temp) != 0) {
        int const why = errno;
        p->work.temp[0] = '\0';
        return cli_error(
            s, GSP_STATUS_ARG, "cannot make a directory for values: %s", strerror(why));
    }
    code = bisect_dir(&p->work, p->work.temp, "values", &p->values);
    p->work.values = p->values;
    code = code == CLI_EXIT_OK ? make_inputs(p) : code;
    for (i = 0; i < p->n_pieces && code == CLI_EXIT_OK; i++) {
        cli_progress(s, "running pieces");
        code = cli_is_stopped() ? CLI_EXIT_FAILED : run_piece_of(p, &p->pieces[i]);
    }
    return code == CLI_EXIT_OK ? keep_outputs(p) : code;
}

void run_pieces_remove(run_pieces *p)
{
    if (p->work.temp[0] != '\0') {
        remove_run(p);
        cli_remove_all(cli_path(p->session, p->work.temp, "values"));
        cli_remove_all(cli_path(p->session, p->work.temp, "whole"));
        cli_remove_dir(p->work.temp);
    }
}
