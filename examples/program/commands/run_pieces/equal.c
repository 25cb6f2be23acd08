/* --equal: the whole model on the inputs of the pieces, and whether its outputs are the same. */
#include "commands/run_pieces/run_pieces.h"

#include <string.h>

/* The inputs of the pieces; of one that comes in tiles the whole. */
static int copy_inputs(run_pieces *p)
{
    cli_session *s = p->session;
    gsp_node v;
    int code = CLI_EXIT_OK;
    for (v = 0; v < p->work.graph.n_nodes && code == CLI_EXIT_OK; v++) {
        gsp_str name;
        if (bisect_is_given(&p->work, v)) {
            (void)cli_tensor(s, &p->work.graph, v, 0, &name);
            code = run_pieces_copy(p,
                cli_npy_path(s, gsp_str_equal(name, p->streamed) ? p->opt.inputs : p->values, name),
                cli_npy_path(s, p->work.values, name));
        }
    }
    return code;
}

/* All calls are one unit, so that the model yields what it returns, and no more. */
static int run_whole(run_pieces *p)
{
    cli_session *s = p->session;
    bisect *b = &p->work;
    gsp_node v;
    int code = cli_load_main(s, &b->graph, &b->counts);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    b->unit_of = (uint32_t *)cli_alloc(s, b->graph.n_nodes, sizeof *b->unit_of);
    for (v = 0; v < b->graph.n_nodes; v++) {
        b->unit_of[v] = gsp_node_is_callable(&b->graph, v) ? 0u : GSP_NONE;
    }
    cli_set_make(s, &b->graph, &b->set);
    code = bisect_dir(b, b->temp, "whole", &b->values);
    code = code == CLI_EXIT_OK ? copy_inputs(p) : code;
    return code == CLI_EXIT_OK ? bisect_record(b) : code;
}

static int is_equal(const cli_npy *a, const cli_npy *b)
{
    return a->kind == b->kind && a->size == b->size && a->is_big == b->is_big &&
           a->is_columns == b->is_columns && a->n_dims == b->n_dims &&
           memcmp(a->dims, b->dims, a->n_dims * sizeof *a->dims) == 0 &&
           memcmp(a->values, b->values, (size_t)(a->n * a->size)) == 0;
}

/* An output, in the whole model by its name, or else its place: tiles have other names. A parameter
 * that is returned has no value there. */
static int compare_one(run_pieces *p, uint32_t i)
{
    cli_session *s = p->session;
    const gsp_graph *g = &p->work.graph;
    gsp_str name = p->outputs.all[i];
    const char *whole = cli_npy_path(s, p->work.values, name);
    uint32_t n;
    const gsp_node *returned = gsp_node_inputs(g, g->n_nodes - 1u, &n);
    cli_npy a;
    cli_npy b;
    int code;
    if (!cli_is_file(whole) && i < n) {
        if (gsp_node_op(g, returned[i]) == GSP_OP_GET_ATTR) {
            return CLI_EXIT_OK;
        }
        (void)cli_tensor(s, g, returned[i], 0, &name);
        whole = cli_npy_path(s, p->work.values, name);
    }
    name = p->outputs.all[i];
    code = cli_npy_read(s, cli_npy_path(s, p->values, name), &a);
    code = code == CLI_EXIT_OK ? cli_npy_read(s, whole, &b) : code;
    p->differs = code == CLI_EXIT_OK && !is_equal(&a, &b) ? cli_copy(s, name) : NULL;
    return code;
}

int run_pieces_compare(run_pieces *p)
{
    const char *manifest = p->session->path;
    uint32_t i;
    int code;
    p->session->path = p->opt.equal;
    code = run_whole(p);
    for (i = 0; i < p->outputs.n && code == CLI_EXIT_OK && p->differs == NULL; i++) {
        code = compare_one(p, i);
    }
    p->session->path = manifest;
    return code;
}
