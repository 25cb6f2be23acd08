/* Runs of the pieces of a manifest, one after the other: a value is a file, which each piece reads
 * and yields by its names for it. */
#include "commands/run_pieces/run_pieces.h"

#include <errno.h>
#include <string.h>

/* ---- engines ---- */

/* The command of "WHICH=COMMAND" for a piece; NULL if it is for others. */
static const char *command_for(const run_pieces *p, const run_piece *piece, const char *text)
{
    const char *equals = strchr(text, '=');
    gsp_str which = gsp_str_of(text);
    uint32_t i;
    which.size = equals != NULL ? (uint32_t)(equals - text) : 0u;
    for (i = 0; i < p->n_pieces && which.size != 0; i++) {
        const run_piece *other = &p->pieces[i];
        if (gsp_str_equal(which, other->kind) || gsp_str_equal(which, other->device) ||
            gsp_str_equal(which, other->name)) {
            return gsp_str_equal(which, piece->kind) || gsp_str_equal(which, piece->device) ||
                           gsp_str_equal(which, piece->name)
                       ? equals + 1
                       : NULL;
        }
    }
    return text;
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

int run_pieces_engines(run_pieces *p)
{
    cli_session *s = p->session;
    uint32_t i;
    int code = CLI_EXIT_OK;
    for (i = 0; i < p->n_pieces && code == CLI_EXIT_OK; i++) {
        run_piece *piece = &p->pieces[i];
        const char *command = usual(piece->file);
        size_t k;
        for (k = 0; k < s->n_given; k++) { /* the last counts */
            const char *own = command_for(p, piece, s->given[k].value);
            command = own != NULL ? own : command;
        }
        if (piece->file.size == 0) {
            return cli_error(s, GSP_STATUS_UNDEFINED, "%s: the piece %s has no file: %s", s->path,
                cli_copy(s, piece->name), cli_copy(s, piece->refused));
        }
        code = bisect_take_engine(&p->work, command, &piece->engine);
    }
    return code;
}

/* ---- values ---- */

static int copy_value(run_pieces *p, const char *from, const char *to)
{
    return cli_copy_file(from, to) == 0
               ? CLI_EXIT_OK
               : cli_error(p->session, GSP_STATUS_ARG, "cannot copy %s to %s: %s", from, to,
                     strerror(errno));
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
            code = copy_value(p, cli_npy_path(p->session, p->opt.inputs, name),
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
    while (*at < piece->n_bind && !gsp_str_equal(piece->bind[*at].outer, outer)) {
        ++*at;
    }
    if (*at < piece->n_bind) {
        *inner = piece->bind[(*at)++].inner;
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
            code = copy_value(p, from, cli_npy_path(s, dir, inner));
        }
        while (code == CLI_EXIT_OK && next_inside(piece, outer, &at, &inner)) {
            code = copy_value(p, from, cli_npy_path(s, dir, inner));
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

/* The graph of a piece for the interpreter of hashes. */
static int load(run_pieces *p, const char *path, gsp_graph *graph)
{
    cli_session *s = p->session;
    const char *manifest = s->path;
    gsp_counts counts;
    int code;
    s->path = path;
    code = cli_load_main(s, graph, &counts);
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
    gsp_graph graph;
    uint64_t const begun = cli_now();
    int code = bisect_dir(&p->work, p->work.temp, "run", &dir);
    code = code == CLI_EXIT_OK ? bisect_dir(&p->work, dir, "inputs", &inputs) : code;
    code = code == CLI_EXIT_OK ? bisect_dir(&p->work, dir, "outputs", &outputs) : code;
    code = code == CLI_EXIT_OK ? give_inputs(p, piece, inputs) : code;
    p->work.model = cli_path(s, p->dir, cli_copy(s, piece->file));
    memset(&graph, 0, sizeof graph);
    if (code == CLI_EXIT_OK && !cli_is_file(p->work.model)) {
        return cli_error(s, GSP_STATUS_ARG, "%s: there is no file %s", s->path, p->work.model);
    }
    if (code == CLI_EXIT_OK && piece->engine.command == NULL) {
        code = load(p, p->work.model, &graph);
    }
    code = code == CLI_EXIT_OK ? bisect_run_engine(&p->work, &piece->engine, &graph, dir) : code;
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
            code = copy_value(p, from, to);
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
        cli_remove_dir(p->work.temp);
    }
}
