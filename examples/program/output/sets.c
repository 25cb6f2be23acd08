/* Any set of nodes as a model of its own. It reads values of nodes outside as inputs, so it may
 * have holes. */
#include "output/output.h"

#include <string.h>

gsp_node cli_unpacked(const gsp_graph *g, gsp_node v)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(g, v, &n);
    int const is_getitem = g->module->target[g->first + v] == (gsp_atom)GSP_KEY_GETITEM;
    return is_getitem && n == 1u && gsp_node_is_callable(g, in[0]) &&
                   gsp_node_value_kind(g, in[0]) == GSP_VALUE_AGGREGATE
               ? in[0]
               : GSP_NONE;
}

void cli_set_make(cli_session *s, const gsp_graph *graph, cli_set *set)
{
    size_t const n = (size_t)graph->n_nodes + 1u;
    set->graph = graph;
    set->is_member = (uint8_t *)cli_alloc(s, n, 1u);
    set->is_wanted = (uint8_t *)cli_alloc(s, n, 1u);
    set->place = (gsp_node *)cli_alloc(s, n, sizeof *set->place);
}

static int is_read_outside(const cli_set *set, gsp_node v)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(set->graph, v, &n);
    while (
        n > 0 && (set->is_member[users[n - 1u]] || cli_unpacked(set->graph, users[n - 1u]) == v)) {
        n--;
    }
    return n > 0;
}

int cli_set_mark(cli_set *set)
{
    gsp_node v;
    int any = 0;
    for (v = 0; v + 1u < set->graph->n_nodes; v++) {
        set->is_wanted[v] = (uint8_t)(set->is_member[v] && is_read_outside(set, v));
        any |= set->is_wanted[v];
    }
    return any;
}

/* The inputs of members that are none: parameters as they are, anything else as a placeholder. */
static void put_inputs(cli_set *set, gsp_builder *to, uint32_t *n_nodes)
{
    const gsp_graph *g = set->graph;
    gsp_node v;
    for (v = 0; v + 1u < g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *users = gsp_node_users(g, v, &n);
        gsp_atom const name = g->module->name[g->first + v];
        while (!set->is_member[v] && n > 0 && !set->is_member[users[n - 1u]]) {
            n--;
        }
        set->place[v] = GSP_NONE;
        if (set->is_member[v] || n == 0) {
            continue;
        }
        set->place[v] = (*n_nodes)++;
        if (gsp_node_op(g, v) == GSP_OP_GET_ATTR) {
            cli_rebuild_node(to, g, v);
        } else {
            (void)gsp_build_node_atoms(to, GSP_OP_PLACEHOLDER, name, name);
            gsp_build_like(to, g, v, 0);
        }
    }
}

static void put_members(cli_set *set, gsp_builder *to, uint32_t n_nodes)
{
    const gsp_graph *g = set->graph;
    gsp_node v;
    for (v = 0; v + 1u < g->n_nodes; v++) {
        uint32_t n;
        const gsp_arg *args = gsp_node_args(g, v, &n);
        if (!set->is_member[v]) {
            continue;
        }
        set->place[v] = n_nodes++;
        cli_rebuild_node(to, g, v);
        for (; n > 0; n--, args++) {
            if (args->kind == GSP_ARG_NODE) {
                gsp_build_arg_node(to, set->place[args->value]);
            } else {
                gsp_build_arg(to, *args);
            }
        }
    }
}

static void put_output(const cli_set *set, gsp_builder *to)
{
    gsp_node v;
    (void)gsp_build_output(to);
    gsp_build_open(to, GSP_ARG_TUPLE);
    for (v = 0; v + 1u < set->graph->n_nodes; v++) {
        if (set->is_wanted[v]) {
            gsp_build_arg_node(to, set->place[v]);
        }
    }
    gsp_build_close(to);
}

int cli_set_graph(cli_session *s, cli_set *set, gsp_graph *out)
{
    const gsp_module *m = set->graph->module;
    gsp_module *made = (gsp_module *)cli_alloc(s, 1u, sizeof *made);
    gsp_counts more = {0};
    gsp_builder to;
    gsp_arena arena;
    gsp_error err;
    uint32_t n_nodes = 0;
    uint32_t i;
    more.nodes = 1;
    more.args = set->graph->n_nodes + 2u;
    err.status = cli_rebuild_begin(s, &to, m, more, &arena);
    if (err.status != GSP_OK) {
        return cli_error(s, err.status, "%s", gsp_status_text(err.status));
    }
    cli_rebuild_start(&to, set->graph);
    put_inputs(set, &to, &n_nodes);
    put_members(set, &to, n_nodes);
    put_output(set, &to);
    for (i = 0; i < m->counts.graphs; i++) {
        gsp_graph const other = gsp_module_graph(m, i);
        if (i != set->graph->id) {
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
static int write_model(cli_session *s, cli_part *part, const char *dir, const char **model)
{
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

int cli_set_model(cli_session *s, const gsp_graph *piece, const char *dir, const char **model)
{
    static char stem[] = "piece";
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
        code = write_model(s, &part, dir, model);
    }
    cli_release(s, part.content.data);
    return code;
}
