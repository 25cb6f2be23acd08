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

/* Its files, too. */
static void forget_best(bisect *b)
{
    remove_run(b, cli_path(b->session, b->temp, "best"));
    b->n_best = 0;
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
    forget_best(b);
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

/* All values from a directory, or to one: --recorded, --record. */
static int copy_all(bisect *b, const char *from, const char *to, int with_inputs)
{
    cli_session *s = b->session;
    gsp_node v;
    for (v = 0; v + 1u < b->graph.n_nodes; v++) {
        int const is_one = b->set.is_wanted[v] || (with_inputs && bisect_is_given(b, v));
        gsp_str tensor;
        uint32_t i;
        for (i = 0; is_one && cli_tensor(s, &b->graph, v, i, &tensor); i++) {
            const char *file = cli_npy_path(s, from, tensor);
            if (!cli_is_file(file)) {
                return cli_file_error(s, "cannot read %s, a value of the reference", file);
            }
            if (cli_copy_file(file, cli_npy_path(s, to, tensor)) != 0) {
                return cli_error(s, GSP_STATUS_ARG, "cannot write %s: %s",
                    cli_npy_path(s, to, tensor), strerror(errno));
            }
        }
    }
    return CLI_EXIT_OK;
}

static int run_reference(bisect *b)
{
    const char *dir;
    gsp_graph piece;
    int code;
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

int bisect_record(bisect *b)
{
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
    code = b->opt.recorded != NULL ? copy_all(b, b->opt.recorded, b->values, 0) : run_reference(b);
    if (code != CLI_EXIT_OK || b->opt.record == NULL) {
        return code;
    }
    return cli_make_dir(b->opt.record) < 0
               ? cli_error(b->session, GSP_STATUS_ARG, "cannot make the directory %s: %s",
                     b->opt.record, strerror(errno))
               : copy_all(b, b->values, b->opt.record, 1);
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
                       ? bisect_compare(b, v, tensor, got, cli_npy_path(s, b->values, tensor))
                   : b->is_quiet
                       ? BISECT_FAILED
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
    bisect *b, const bisect_set *set, const char *parent, const char *name, const char **dir)
{
    gsp_graph piece;
    int code;
    memset(&b->last, 0, sizeof b->last);
    memset(b->errors, 0, b->graph.n_nodes * sizeof *b->errors);
    if (!bisect_mark(b, set)) {
        return CLI_EXIT_OK;
    }
    code = cli_set_graph(b->session, &b->set, &piece);
    code = code == CLI_EXIT_OK ? make_run(b, &piece, parent, name, dir) : code;
    code = code == CLI_EXIT_OK ? bisect_start(b, &b->tested, &piece, *dir) : code;
    return code == CLI_EXIT_OK ? compare_outputs(b, *dir) : code;
}

/* The values of a set that others read may be all that it has. */
static bisect_set form_of(bisect *b, const bisect_set *set)
{
    bisect_set form = *set;
    gsp_node v;
    form.all_values = 0;
    (void)bisect_mark(b, &form);
    for (v = 0; v + 1u < b->graph.n_nodes; v++) {
        form.all_values |= set->all_values && b->set.is_member[v] && !b->set.is_wanted[v] &&
                           bisect_is_needed(b, v);
    }
    return form;
}

static uint32_t count(const bisect *b, const bisect_set *set)
{
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < b->n_units; i++) {
        n += set->is_in[i];
    }
    return n;
}

static uint32_t *words_of(bisect *b, const bisect_set *set)
{
    uint32_t *words = (uint32_t *)cli_alloc(b->session, b->n_units / 32u + 1u, sizeof *words);
    uint32_t i;
    for (i = 0; i < b->n_units; i++) {
        words[i / 32u] |= (uint32_t)(set->is_in[i] != 0) << (i % 32u);
    }
    words[i / 32u] |= (uint32_t)(set->all_values != 0) << (i % 32u);
    return words;
}

static void remember(bisect *b, const uint32_t *words)
{
    if ((b->n_tried & (b->n_tried - 1u)) == 0) { /* room is the next power of two */
        b->tried = (bisect_tried *)cli_grow(
            b->session, b->tried, (b->n_tried * 2u + 1u) * sizeof *b->tried);
    }
    b->tried[b->n_tried].words = words;
    b->tried[b->n_tried++].unit =
        b->last.name.size != 0 ? b->unit_of[b->last.node] : (uint32_t)GSP_NONE;
}

/* Keeps the errors of a run: those of a run of all nodes that yields their values, and until then
 * those of any. */
static void show_errors(bisect *b, const bisect_set *set)
{
    int const is_whole = set->all_values && count(b, set) == b->n_units;
    gsp_node v;
    for (v = 0; v + 1u < b->graph.n_nodes; v++) {
        if (b->errors[v].is_known && (is_whole || !b->shown[v].is_known)) {
            b->shown[v] = b->errors[v];
        }
    }
}

/* Takes the last run as the best so far, if it is. Returns 1 if its files have moved. */
static int take_best(bisect *b, const bisect_set *set, const char *dir)
{
    uint32_t const n = count(b, set);
    const char *best = cli_path(b->session, b->temp, "best");
    if (b->last.name.size == 0 || (b->n_best != 0 && b->n_best <= n)) {
        return 0;
    }
    forget_best(b);
    if (cli_rename(dir, best) != 0) {
        return 0;
    }
    memcpy(b->best.is_in, set->is_in, b->n_units);
    b->best.all_values = set->all_values;
    b->best_first = b->last;
    b->n_best = n;
    return 1;
}

static int test_form(bisect *b, const bisect_set *form, const uint32_t *words, uint32_t *unit)
{
    const char *dir = NULL;
    int code;
    if (cli_search_interrupted()) {
        return BISECT_OVER;
    }
    cli_progress(b->session, "running pieces (^C: take the best so far)");
    b->is_quiet = form->all_values;
    code = run_set(b, form, b->temp, "run", &dir);
    b->is_quiet = 0;
    if (code == BISECT_FAILED) { /* and so would others */
        b->no_values = 1;
        code = CLI_EXIT_OK;
    } else if (code == CLI_EXIT_OK) {
        remember(b, words);
        show_errors(b, form);
        *unit = b->tried[b->n_tried - 1u].unit;
        dir = take_best(b, form, dir) ? NULL : dir;
    }
    if (dir != NULL) {
        remove_run(b, dir);
    }
    return code;
}

int bisect_test(bisect *b, const bisect_set *set, uint32_t *unit)
{
    bisect_set const form = form_of(b, set);
    uint32_t *words = words_of(b, &form);
    size_t const size = (b->n_units / 32u + 1u) * sizeof *words;
    size_t i = 0;
    *unit = GSP_NONE;
    while (i < b->n_tried && memcmp(b->tried[i].words, words, size) != 0) {
        i++;
    }
    if (i == b->n_tried && !(form.all_values && b->no_values)) {
        return test_form(b, &form, words, unit);
    }
    *unit = i < b->n_tried ? b->tried[i].unit : (uint32_t)GSP_NONE;
    cli_release(b->session, words);
    return CLI_EXIT_OK;
}

int bisect_show(bisect *b)
{
    bisect_set all;
    uint32_t unit;
    int code;
    all.all_values = 1;
    all.is_in = (uint8_t *)cli_alloc(b->session, (size_t)b->n_units + 1u, 1u);
    memset(all.is_in, 1, b->n_units);
    code = bisect_test(b, &all, &unit);
    cli_release(b->session, all.is_in);
    return code;
}

/* ---- culprits ---- */

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

bisect_culprit *bisect_add_culprit(bisect *b, const uint8_t *units)
{
    bisect_culprit *c;
    uint32_t i;
    b->culprits = (bisect_culprit *)cli_grow(
        b->session, b->culprits, (b->n_culprits + 1u) * sizeof *b->culprits);
    c = &b->culprits[b->n_culprits++];
    memset(c, 0, sizeof *c);
    c->nodes = (gsp_node *)cli_alloc(b->session, b->n_units, sizeof *c->nodes);
    c->first = b->last;
    c->model = b->model;
    for (i = 0; i < b->n_units; i++) {
        if (units[i]) {
            c->nodes[c->n++] = b->first[i];
        }
    }
    forget_best(b);
    return c;
}

static const char *parent_of_culprits(const bisect *b)
{
    return b->opt.emit != NULL ? b->opt.emit : b->temp;
}

int bisect_confirm(bisect *b, const bisect_set *set, const char **keep)
{
    bisect_set const form = form_of(b, set);
    const char *parent = keep != NULL ? parent_of_culprits(b) : b->temp;
    const char *name = "run";
    const char *dir = NULL;
    uint32_t unit = GSP_NONE;
    int code = bisect_test(b, set, &unit);
    if (code == CLI_EXIT_OK && keep != NULL) {
        code = make_culprit(b, parent, &name);
    }
    code = code == CLI_EXIT_OK ? run_set(b, &form, parent, name, &dir) : code;
    if (code == CLI_EXIT_OK && (unit != GSP_NONE) != (b->last.name.size != 0)) {
        b->is_flaky = 1;
        code = cli_error(b->session, GSP_STATUS_ARG,
            "%s: %s is flaky: a piece that %s at first %s the second time", b->session->path,
            b->tested.command != NULL ? "the command" : b->tested.name,
            unit != GSP_NONE ? "differed" : "was right", unit != GSP_NONE ? "is right" : "differs");
    }
    if (dir != NULL && (keep == NULL || code != CLI_EXIT_OK)) {
        remove_run(b, dir);
    } else if (keep != NULL) {
        *keep = dir;
    }
    return code;
}

/* What the best run has written, beside a new copy of what it read. */
static int copy_best(bisect *b, const char *dir)
{
    cli_session *s = b->session;
    const char *from = cli_path(s, cli_path(s, b->temp, "best"), "outputs");
    const char *to = cli_path(s, dir, "outputs");
    gsp_node v;
    for (v = 0; v + 1u < b->graph.n_nodes; v++) {
        gsp_str tensor;
        uint32_t i;
        for (i = 0; b->set.is_wanted[v] && cli_tensor(s, &b->graph, v, i, &tensor); i++) {
            if (cli_copy_file(cli_npy_path(s, from, tensor), cli_npy_path(s, to, tensor)) != 0) {
                return cli_error(s, GSP_STATUS_ARG, "cannot write %s", to);
            }
        }
    }
    return CLI_EXIT_OK;
}

int bisect_keep_best(bisect *b)
{
    cli_session *s = b->session;
    const char *name;
    const char *dir = NULL;
    gsp_graph piece;
    int code;
    if (b->n_best == 0 || b->is_flaky) {
        return CLI_EXIT_OK;
    }
    (void)bisect_mark(b, &b->best);
    code = make_culprit(b, parent_of_culprits(b), &name);
    code = code == CLI_EXIT_OK ? cli_set_graph(s, &b->set, &piece) : code;
    code = code == CLI_EXIT_OK ? make_run(b, &piece, parent_of_culprits(b), name, &dir) : code;
    code = code == CLI_EXIT_OK ? cli_set_model(s, &piece, dir, &b->model) : code;
    code = code == CLI_EXIT_OK ? copy_best(b, dir) : code;
    if (code == CLI_EXIT_OK) {
        bisect_culprit *c;
        b->last = b->best_first;
        c = bisect_add_culprit(b, b->best.is_in);
        c->dir = dir;
        c->all_values = b->best.all_values;
        c->is_open = 1;
    }
    return code;
}
