/* --inputs and --outputs of `run`: hashes in .npy files. */
#include "commands/run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* One hash. */
static int read_hash(cli_session *s, const char *path, gsp_value *value)
{
    cli_npy array;
    int const code = cli_npy_read(s, path, &array);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (array.kind != 'u' || array.size != 8u || array.n != 1u) {
        return cli_error(s, GSP_STATUS_ARG,
            "%s is no hash: the type of a hash is u8, and it stands alone", path);
    }
    *value = cli_npy_integer(&array, 0);
    cli_release(s, array.file);
    return CLI_EXIT_OK;
}

int run_read(run_work *w, const char *dir)
{
    cli_session *s = w->session;
    gsp_node v;
    int code = CLI_EXIT_OK;
    w->n_inputs = 0;
    w->inputs = (gsp_input *)cli_alloc(s, (size_t)w->graph.n_nodes + 1u, sizeof *w->inputs);
    w->given = (gsp_value *)cli_alloc(s, (size_t)w->graph.n_nodes + 1u, sizeof *w->given);
    for (v = 0; v < w->graph.n_nodes && code == CLI_EXIT_OK; v++) {
        const char *path;
        if (gsp_node_op(&w->graph, v) != GSP_OP_PLACEHOLDER) {
            continue;
        }
        path = cli_npy_path(s, dir, gsp_node_name(&w->graph, v));
        if (cli_is_file(path)) { /* one with a default needs none */
            w->inputs[w->n_inputs].name = gsp_node_target(&w->graph, v);
            code = read_hash(s, path, &w->given[w->n_inputs++]);
        }
    }
    return code;
}

static int write_hash(const run_work *w, const char *dir, gsp_node v, gsp_value value)
{
    cli_buffer b;
    uint32_t i;
    cli_buffer_init(&b, w->session);
    cli_npy_head(&b, "<u8", 0, NULL);
    for (i = 0; i < 8u; i++) {
        char const byte = (char)(value >> (8u * i) & 255u);
        cli_put(&b, &byte, 1u);
    }
    return cli_replace_file(
        w->session, cli_npy_path(w->session, dir, gsp_node_name(&w->graph, v)), &b);
}

static int write_returned(const run_work *w, const char *dir)
{
    const gsp_exec_plan *plan = &w->frames;
    uint32_t n;
    const gsp_arg *returned = gsp_node_args(&w->graph, w->graph.n_nodes - 1u, &n);
    uint32_t i;
    int code = CLI_EXIT_OK;
    if (n != plan->n_output) {
        return cli_error(w->session, GSP_STATUS_UNDEFINED,
            "--outputs: the graph returns an aggregate of another graph, whose elements have no "
            "names");
    }
    for (i = 0; i < n && code == CLI_EXIT_OK; i++) {
        if (returned[i].kind == GSP_ARG_NODE && plan->output[i].kind == GSP_ARG_NODE) {
            code = write_hash(w, dir, returned[i].value, w->outputs[plan->output[i].value]);
        }
    }
    return code;
}

int run_write(const run_work *w, const char *dir)
{
    int const begins = cli_hold();
    int const made = cli_make_dir(dir);
    int const code = made >= 0 ? write_returned(w, dir)
                               : cli_error(w->session, GSP_STATUS_ARG,
                                     "cannot make the directory %s: %s", dir, strerror(errno));
    if (code != CLI_EXIT_OK) {
        cli_unwrite(w->session);
    }
    if (code != CLI_EXIT_OK && made > 0) {
        cli_remove_dir(dir);
    }
    if (begins) {
        cli_hold_end();
    }
    return code;
}
