/* Any set of nodes as a model of its own. It reads values of nodes outside as inputs, so it may
 * have holes. */
#include "commands/bisect/bisect.h"

#include "output/output.h"

#include <string.h>

/* The node that a getitem unpacks; GSP_NONE for any other node. */
static gsp_node unpacked(const gsp_graph *g, gsp_node v)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(g, v, &n);
    int const is_getitem = g->module->target[g->first + v] == (gsp_atom)GSP_KEY_GETITEM;
    return is_getitem && n == 1u && gsp_node_is_callable(g, in[0]) &&
                   gsp_node_value_kind(g, in[0]) == GSP_VALUE_AGGREGATE
               ? in[0]
               : GSP_NONE;
}

void bisect_units(bisect *b, const uint8_t *is_searched)
{
    const gsp_graph *g = &b->graph;
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        gsp_node const of = gsp_node_is_callable(g, v) ? unpacked(g, v) : GSP_NONE;
        b->unit_of[v] = GSP_NONE;
        if (of != GSP_NONE) {
            b->unit_of[v] = b->unit_of[of];
        } else if (gsp_node_is_callable(g, v) && is_searched[v]) {
            b->unit_of[v] = b->n_units;
            b->first[b->n_units++] = v;
        }
    }
}

int bisect_is_needed(const bisect *b, gsp_node v, int own)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(&b->graph, v, &n);
    while (n-- > 0) {
        int const outside =
            own ? !b->is_member[users[n]]
                : b->unit_of[users[n]] == GSP_NONE || b->unit_of[users[n]] != b->unit_of[v];
        if (outside && unpacked(&b->graph, users[n]) != v) {
            return 1;
        }
    }
    return 0;
}

int bisect_mark(bisect *b, const uint8_t *set)
{
    gsp_node v;
    int any = 0;
    for (v = 0; v + 1u < b->graph.n_nodes; v++) {
        b->is_member[v] = (uint8_t)(b->unit_of[v] != GSP_NONE && set[b->unit_of[v]]);
    }
    for (v = 0; v + 1u < b->graph.n_nodes; v++) {
        b->is_wanted[v] = (uint8_t)(b->is_member[v] && bisect_is_needed(b, v, 1));
        any |= b->is_wanted[v];
    }
    return any;
}

int bisect_is_input(const bisect *b, gsp_node v)
{
    gsp_str name;
    return gsp_node_op(&b->graph, v) != GSP_OP_GET_ATTR &&
           cli_tensor(b->session, &b->graph, v, 0, &name);
}

/* The inputs of members that are none: parameters as they are, anything else as a placeholder. */
static void put_inputs(bisect *b, gsp_builder *to, uint32_t *n_nodes)
{
    const gsp_graph *g = &b->graph;
    gsp_node v;
    for (v = 0; v + 1u < g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *users = gsp_node_users(g, v, &n);
        gsp_atom const name = g->module->name[g->first + v];
        while (!b->is_member[v] && n > 0 && !b->is_member[users[n - 1u]]) {
            n--;
        }
        b->place[v] = GSP_NONE;
        if (b->is_member[v] || n == 0) {
            continue;
        }
        b->place[v] = (*n_nodes)++;
        if (gsp_node_op(g, v) == GSP_OP_GET_ATTR) {
            cli_rebuild_node(to, g, v);
        } else {
            (void)gsp_build_node_atoms(to, GSP_OP_PLACEHOLDER, name, name);
            gsp_build_like(to, g, v, 0);
        }
    }
}

static void put_members(bisect *b, gsp_builder *to, uint32_t n_nodes)
{
    const gsp_graph *g = &b->graph;
    gsp_node v;
    for (v = 0; v + 1u < g->n_nodes; v++) {
        uint32_t n;
        const gsp_arg *args = gsp_node_args(g, v, &n);
        if (!b->is_member[v]) {
            continue;
        }
        b->place[v] = n_nodes++;
        cli_rebuild_node(to, g, v);
        for (; n > 0; n--, args++) {
            if (args->kind == GSP_ARG_NODE) {
                gsp_build_arg_node(to, b->place[args->value]);
            } else {
                gsp_build_arg(to, *args);
            }
        }
    }
}

static void put_output(const bisect *b, gsp_builder *to)
{
    gsp_node v;
    (void)gsp_build_output(to);
    gsp_build_open(to, GSP_ARG_TUPLE);
    for (v = 0; v + 1u < b->graph.n_nodes; v++) {
        if (b->is_wanted[v]) {
            gsp_build_arg_node(to, b->place[v]);
        }
    }
    gsp_build_close(to);
}

int bisect_piece(bisect *b, gsp_graph *out)
{
    cli_session *s = b->session;
    const gsp_module *m = b->graph.module;
    gsp_module *made = (gsp_module *)cli_alloc(s, 1u, sizeof *made);
    gsp_counts more = {0};
    gsp_builder to;
    gsp_arena arena;
    gsp_error err;
    uint32_t n_nodes = 0;
    uint32_t i;
    more.nodes = 1;
    more.args = b->graph.n_nodes + 2u;
    err.status = cli_rebuild_begin(s, &to, m, more, &arena);
    if (err.status != GSP_OK) {
        return cli_error(s, err.status, "%s", gsp_status_text(err.status));
    }
    cli_rebuild_start(&to, &b->graph);
    put_inputs(b, &to, &n_nodes);
    put_members(b, &to, n_nodes);
    put_output(b, &to);
    for (i = 0; i < m->counts.graphs; i++) {
        gsp_graph const other = gsp_module_graph(m, i);
        if (i != b->graph.id) {
            cli_rebuild_graph(&to, &other);
        }
    }
    if (gsp_build_finish(&to, made, &err) != GSP_OK) {
        return cli_pass_error(s, NULL, &err);
    }
    *out = gsp_module_graph(made, 0);
    return CLI_EXIT_OK;
}

/* The model of a format whose parts are text. */
static int write_model(bisect *b, cli_part *part, const char *dir, const char **model)
{
    cli_session *s = b->session;
    cli_buffer content;
    cli_buffer why;
    int code;
    cli_buffer_init(&content, s);
    cli_buffer_init(&why, s);
    code = s->format->model(s, part, &content, &why);
    if (code == CLI_EXIT_OK && content.size == 0) {
        cli_put(&why, "", 1u);
        return cli_error(s, GSP_STATUS_UNDEFINED, "%s: a piece has no %s file: %s", s->path,
            s->format->model_suffix, why.data);
    }
    part->has_model = 1;
    *model = cli_model_name(s, part, dir);
    code = code == CLI_EXIT_OK ? cli_write_new(s, *model, &content) : code;
    part->has_model = 0; /* it is written */
    cli_release(s, content.data);
    return code;
}

int bisect_model(bisect *b, const gsp_graph *piece, const char *dir, const char **model)
{
    static char stem[] = "piece";
    cli_session *s = b->session;
    cli_part part;
    int code;
    memset(&part, 0, sizeof part);
    part.name = part.stem = stem;
    part.kind = "acc";
    part.device = "";
    part.graph = *piece;
    code = cli_part_make(s, &part, dir);
    *model = part.path;
    if (code == CLI_EXIT_OK && part.refused.size != 0) {
        return cli_error(
            s, GSP_STATUS_UNDEFINED, "%s: a piece has no file: %s", s->path, part.refused.data);
    }
    code = code == CLI_EXIT_OK ? cli_part_write_files(s, &part, dir) : code;
    if (code == CLI_EXIT_OK && s->format->model != NULL) {
        code = write_model(b, &part, dir, model);
    }
    cli_release(s, part.content.data);
    return code;
}
