/* Runs of sets, each once; and the files of the search. */
#include "commands/bisect/bisect.h"

#include "output/output.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* ---- files ---- */

int bisect_dir(bisect *b, const char *dir, const char *name, const char **path)
{
    *path = cli_path(b->session, dir, name);
    return cli_make_dir(*path) >= 0
               ? CLI_EXIT_OK
               : cli_error(b->session, GSP_STATUS_ARG, "cannot make the directory %s: %s", *path,
                     strerror(errno));
}

static void remove_run(bisect *b, const char *dir)
{
    cli_remove_all(cli_path(b->session, dir, "inputs"));
    cli_remove_all(cli_path(b->session, dir, "outputs"));
    cli_remove_all(cli_path(b->session, dir, "expected"));
    cli_remove_all(dir);
}

void bisect_remove(bisect *b, int failed)
{
    uint32_t i;
    if (b->temp[0] == '\0') {
        return;
    }
    for (i = 0; i < b->n_culprits && (failed || b->opt.emit == NULL); i++) {
        remove_run(b, b->culprits[i].dir);
    }
    remove_run(b, cli_path(b->session, b->temp, "run"));
    cli_remove_all(cli_path(b->session, b->temp, "values"));
    cli_remove_dir(b->temp);
    if (b->opt.emit != NULL && (failed || b->n_culprits == 0) && b->made_emit) {
        cli_remove_dir(b->opt.emit);
    }
}

/* A directory with the inputs of a piece, and room for its outputs. */
static int make_run(
    bisect *b, const gsp_graph *piece, const char *parent, const char *name, const char **dir)
{
    cli_session *s = b->session;
    const char *outputs;
    const char *inputs;
    gsp_node v;
    int code = bisect_dir(b, parent, name, dir);
    code = code == CLI_EXIT_OK ? bisect_dir(b, *dir, "outputs", &outputs) : code;
    code = code == CLI_EXIT_OK ? bisect_dir(b, *dir, "inputs", &inputs) : code;
    for (v = 0; v + 1u < piece->n_nodes && code == CLI_EXIT_OK; v++) {
        gsp_node const from = gsp_graph_find(&b->graph, gsp_node_name(piece, v));
        gsp_str tensor;
        uint32_t i;
        if (gsp_node_op(piece, v) != GSP_OP_PLACEHOLDER || !bisect_is_input(b, from)) {
            continue;
        }
        for (i = 0; cli_tensor(s, &b->graph, from, i, &tensor) && code == CLI_EXIT_OK; i++) {
            const char *to = cli_npy_path(s, inputs, tensor);
            if (cli_copy_file(cli_npy_path(s, b->values, tensor), to) != 0) {
                code = cli_error(s, GSP_STATUS_ARG, "cannot write %s: %s", to, strerror(errno));
            }
        }
    }
    return code;
}

/* ---- the reference ---- */

/* Takes each output of a run as a value. */
static int keep_outputs(bisect *b, const char *dir)
{
    cli_session *s = b->session;
    const char *outputs = cli_path(b->session, dir, "outputs");
    gsp_node v;
    for (v = 0; v + 1u < b->graph.n_nodes; v++) {
        gsp_str tensor;
        uint32_t i;
        for (i = 0; b->set.is_wanted[v] && cli_tensor(s, &b->graph, v, i, &tensor); i++) {
            const char *from = cli_npy_path(s, outputs, tensor);
            if (cli_rename(from, cli_npy_path(s, b->values, tensor)) != 0) {
                return cli_error(s, GSP_STATUS_ARG, "%s: %s has not written %s.npy", s->path,
                    b->reference.name, cli_copy(s, tensor));
            }
        }
    }
    return CLI_EXIT_OK;
}

int bisect_record(bisect *b)
{
    const char *dir;
    gsp_graph piece;
    gsp_node v;
    int any = 0;
    int code;
    for (v = 0; v + 1u < b->graph.n_nodes; v++) {
        b->set.is_member[v] = (uint8_t)gsp_node_is_callable(&b->graph, v);
        b->set.is_wanted[v] = (uint8_t)(b->set.is_member[v] && bisect_is_needed(b, v));
        any |= b->set.is_wanted[v];
    }
    if (!any) {
        return CLI_EXIT_OK;
    }
    cli_progress(b->session, "running the reference");
    code = cli_set_graph(b->session, &b->set, &piece);
    code = code == CLI_EXIT_OK ? make_run(b, &piece, b->temp, "run", &dir) : code;
    code = code == CLI_EXIT_OK ? bisect_start(b, &b->reference, &piece, dir) : code;
    code = code == CLI_EXIT_OK ? keep_outputs(b, dir) : code;
    if (code == CLI_EXIT_OK) {
        remove_run(b, dir);
    }
    return code;
}

/* ---- sets ---- */

static int compare_outputs(bisect *b, const char *dir)
{
    cli_session *s = b->session;
    const char *outputs = cli_path(b->session, dir, "outputs");
    gsp_node v;
    int code = CLI_EXIT_OK;
    memset(&b->last, 0, sizeof b->last);
    for (v = 0; v + 1u < b->graph.n_nodes && code == CLI_EXIT_OK; v++) {
        gsp_str tensor;
        uint32_t i;
        for (i = 0;
             b->set.is_wanted[v] && cli_tensor(s, &b->graph, v, i, &tensor) && code == CLI_EXIT_OK;
             i++) {
            const char *got = cli_npy_path(s, outputs, tensor);
            code = cli_is_file(got)
                       ? bisect_compare(b, tensor, got, cli_npy_path(s, b->values, tensor))
                       : cli_error(s, GSP_STATUS_ARG, "%s: %s has not written %s.npy", s->path,
                             b->tested.command != NULL ? "the command" : b->tested.name,
                             cli_copy(s, tensor));
        }
    }
    return code;
}

/* Runs the units of a set; `dir` keeps the files of the run. A set that yields nothing does not
 * differ. */
static int run_set(
    bisect *b, const uint8_t *set, const char *parent, const char *name, const char **dir)
{
    gsp_graph piece;
    int code;
    memset(&b->last, 0, sizeof b->last);
    if (!bisect_mark(b, set)) {
        return CLI_EXIT_OK;
    }
    code = cli_set_graph(b->session, &b->set, &piece);
    code = code == CLI_EXIT_OK ? make_run(b, &piece, parent, name, dir) : code;
    code = code == CLI_EXIT_OK ? bisect_start(b, &b->tested, &piece, *dir) : code;
    return code == CLI_EXIT_OK ? compare_outputs(b, *dir) : code;
}

static uint32_t *words_of(bisect *b, const uint8_t *set)
{
    uint32_t *words = (uint32_t *)cli_alloc(b->session, b->n_units / 32u + 1u, sizeof *words);
    uint32_t i;
    for (i = 0; i < b->n_units; i++) {
        words[i / 32u] |= (uint32_t)(set[i] != 0) << (i % 32u);
    }
    return words;
}

static void remember(bisect *b, const uint32_t *words)
{
    if ((b->n_tried & (b->n_tried - 1u)) == 0) { /* room is the next power of two */
        b->tried = (bisect_tried *)cli_grow(
            b->session, b->tried, (b->n_tried * 2u + 1u) * sizeof *b->tried);
    }
    b->tried[b->n_tried].words = words;
    b->tried[b->n_tried++].differs = b->last.name.size != 0;
}

int bisect_test(bisect *b, const uint8_t *set, int *differs)
{
    cli_session *s = b->session;
    uint32_t *words = words_of(b, set);
    size_t const size = (b->n_units / 32u + 1u) * sizeof *words;
    const char *dir = NULL;
    size_t i;
    int code;
    for (i = 0; i < b->n_tried; i++) {
        if (memcmp(b->tried[i].words, words, size) == 0) {
            cli_release(s, words);
            *differs = b->tried[i].differs;
            return CLI_EXIT_OK;
        }
    }
    cli_progress(s, "running pieces");
    code = run_set(b, set, b->temp, "run", &dir);
    if (code == CLI_EXIT_OK) {
        remember(b, words);
        *differs = b->last.name.size != 0;
        if (dir != NULL) {
            remove_run(b, dir);
        }
    }
    return code;
}

/* A directory of its own for the next culprit. */
static int make_culprit(bisect *b, const char *parent, const char **name)
{
    cli_buffer text;
    const char *path;
    cli_buffer_init(&text, b->session);
    cli_printf(&text, "culprit%" PRIu32 "%c", b->n_culprits, '\0');
    *name = text.data;
    path = cli_path(b->session, parent, *name);
    return cli_make_dir(path) == 1
               ? CLI_EXIT_OK
               : cli_error(b->session, GSP_STATUS_ARG, "cannot make the directory %s: %s", path,
                     errno != 0 ? strerror(errno) : "it is there already");
}

int bisect_confirm(bisect *b, const uint8_t *set, const char **keep)
{
    const char *parent = keep != NULL && b->opt.emit != NULL ? b->opt.emit : b->temp;
    const char *name = "run";
    const char *dir = NULL;
    int differs = 0;
    int code = bisect_test(b, set, &differs);
    if (code == CLI_EXIT_OK && keep != NULL) {
        code = make_culprit(b, parent, &name);
    }
    code = code == CLI_EXIT_OK ? run_set(b, set, parent, name, &dir) : code;
    if (code == CLI_EXIT_OK && differs != (b->last.name.size != 0)) {
        code = cli_error(b->session, GSP_STATUS_ARG,
            "%s: %s is flaky: a piece that %s at first %s the second time", b->session->path,
            b->tested.command != NULL ? "the command" : b->tested.name,
            differs ? "differed" : "was right", differs ? "is right" : "differs");
    }
    if (dir != NULL && (keep == NULL || code != CLI_EXIT_OK)) {
        remove_run(b, dir);
    } else if (keep != NULL) {
        *keep = dir;
    }
    return code;
}
