/* --emit of `split`: the submodules, and what the root keeps for itself. */
#include "split.h"

static int is_rest(const split *p, gsp_node v)
{
    gsp_node output = p->graph.n_nodes - 1u;
    uint32_t n;
    const gsp_node *users = gsp_node_users(&p->graph, v, &n);
    return gsp_node_op(&p->graph, v) == GSP_OP_GET_ATTR && n != 0 && users[n - 1u] == output;
}

/* Unpacking is how a piece hands on several outputs, and no piece. What is left of the root are
 * parameters that are returned: a graph that reads them. Returns how many there are. */
static uint32_t count_rest(const split *p)
{
    uint32_t count = 0;
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes; v++) {
        count += is_rest(p, v) ? 1u : 0u;
    }
    return count;
}

static void add_parameter(const split *p, gsp_builder *b, gsp_node v)
{
    const gsp_module *m = p->graph.module;
    const gsp_attr *a = m->attrs + m->attr[p->graph.first + v];
    (void)gsp_build_node(b, GSP_OP_GET_ATTR, gsp_node_name(&p->graph, v),
                         gsp_node_target(&p->graph, v));
    if (gsp_node_type(&p->graph, v).size != 0) {
        gsp_build_type(b, gsp_node_type(&p->graph, v));
    }
    for (; a->key != GSP_KEY_NONE; a++) {
        gsp_build_attr(b, gsp_module_string(m, a->key), gsp_module_string(m, a->value));
    }
}

static int build_rest(const split *p, uint32_t count, gsp_module *rest)
{
    const gsp_counts *c = &p->graph.module->counts;
    gsp_counts counts = gsp_build_counts(1, count + 1u, count + 2u, c->attrs, c->strings, c->bytes);
    gsp_builder b;
    gsp_arena arena;
    gsp_error err;
    gsp_node v;
    uint32_t i;
    cli_arena(p->session, &arena, gsp_build_bound(&counts));
    if (gsp_build_init(&b, &arena, &counts, &err) != GSP_OK) {
        return cli_pass_error(p->session, NULL, &err);
    }
    gsp_build_graph(&b, gsp_text_of(NULL));
    for (v = 0; v < p->graph.n_nodes; v++) {
        if (is_rest(p, v)) {
            add_parameter(p, &b, v);
        }
    }
    (void)gsp_build_output(&b);
    gsp_build_open(&b, GSP_ARG_TUPLE);
    for (i = 0; i < count; i++) {
        gsp_build_arg_node(&b, i);
    }
    gsp_build_close(&b);
    if (gsp_build_finish(&b, rest, &err) != GSP_OK) {
        return cli_pass_error(p->session, NULL, &err);
    }
    return CLI_EXIT_OK;
}

int split_emit(const split *p)
{
    const gsp_split_result *r = &p->result;
    cli_piece *pieces =
        (cli_piece *)cli_alloc(p->session, (size_t)r->n_subgraphs + 1u, sizeof *pieces);
    uint32_t count = count_rest(p);
    gsp_module rest;
    size_t n = 0;
    uint32_t i;
    if (count != 0) {
        int code = build_rest(p, count, &rest);
        if (code != CLI_EXIT_OK) {
            return code;
        }
        pieces[n].name = "root";
        pieces[n].kind = "root";
        pieces[n++].graph = gsp_module_graph(&rest, 0);
    }
    for (i = 0; i < r->n_subgraphs; i++) {
        pieces[n].name = p->tags[i];
        pieces[n].kind = r->names[r->subgraph_kind[i]];
        pieces[n++].graph = gsp_module_graph(&p->made.module, i + 1u);
    }
    return cli_emit(p->session, p->opt.emit, &p->graph, pieces, n);
}
