/* What each operator list covers of a graph. */
#include "commands/ops/ops.h"

#include "input/input.h"

#include <stdlib.h>
#include <string.h>

/* Values that pass between subgraphs, once per receiver, but for those from CPU to CPU. */
static void count_crossings(
    cli_session *s, const gsp_graph *g, const gsp_split_result *r, ops_cover *c)
{
    gsp_node *last = (gsp_node *)cli_alloc(s, (size_t)r->n_subgraphs + 1u, sizeof *last);
    for (uint32_t i = 0; i < r->n_subgraphs; i++) {
        last[i] = GSP_NONE;
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t n;
        uint32_t from = r->subgraph_of[v];
        const gsp_node *users = gsp_node_users(g, v, &n);
        for (uint32_t i = 0; i < n && from != GSP_NONE; i++) {
            uint32_t to = r->subgraph_of[users[i]];
            if (to != GSP_NONE && to != from && last[to] != v &&
                (r->subgraph_kind[to] != GSP_KIND_CPU || r->subgraph_kind[from] != GSP_KIND_CPU)) {
                last[to] = v;
                c->values++;
                c->bytes += gsp_node_bytes(g, v);
            }
        }
    }
}

static gsp_status cover(
    cli_session *s, const gsp_graph *g, const cli_macs *macs, ops_cover *c, gsp_error *err)
{
    gsp_arena arena;
    gsp_rule rule;
    cli_place place;
    cli_bodies bodies;
    gsp_accelerator accelerator;
    gsp_support_desc support;
    gsp_placement placement;
    gsp_split_desc desc;
    gsp_split_result result;
    cli_buffer lines;
    gsp_str text;
    gsp_status status;
    memset(&rule, 0, sizeof rule);
    memset(&support, 0, sizeof support);
    memset(&desc, 0, sizeof desc);
    accelerator.rules = &rule;
    accelerator.n_rules = 1;
    support.n_accelerators = 1;
    support.accelerators = &accelerator;
    desc.placement = &placement;
    cli_buffer_init(&lines, s);
    cli_operators_text(c->list, &lines);
    text.data = lines.data;
    text.size = (uint32_t)lines.size;
    rule.kind = GSP_RULE_TABLE;
    cli_arena(s, &arena, gsp_table_bound(text));
    status = gsp_table_read(&arena, text, &rule.table, err);
    if (status == GSP_OK) {
        cli_arena(s, &arena, gsp_support_bound(g, &support));
        status = gsp_support_run(&arena, g, &support, &placement, err);
    }
    memset(&place, 0, sizeof place);
    place.n_kinds = 2;
    place.desc = support;
    place.rules = &rule;
    if (status == GSP_OK && cli_place_calls(s, &place, g, &placement, &bodies) != CLI_EXIT_OK) {
        return GSP_STATUS_CYCLE;
    }
    if (status == GSP_OK && cli_operators_run_once(text)) {
        cli_run_once(s, g, 1u, &placement);
    }
    if (status == GSP_OK) {
        cli_arena(s, &arena, gsp_split_bound(g, &desc));
        status = gsp_split_run(&arena, g, &desc, &result, err);
    }
    if (status != GSP_OK) {
        return status;
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        c->on_acc += result.kind[v] == 1u ? 1u : 0u;
    }
    for (uint32_t i = 0; i < result.n_subgraphs; i++) {
        c->n_acc += result.subgraph_kind[i] == 1u ? 1u : 0u;
    }
    c->n_subgraphs = result.n_subgraphs;
    cli_macs_share_of(g, macs, result.kind, &c->macs);
    count_crossings(s, g, &result, c);
    return GSP_OK;
}

static int by_coverage(const void *a, const void *b)
{
    const ops_cover *x = (const ops_cover *)a;
    const ops_cover *y = (const ops_cover *)b;
    if (x->on_acc != y->on_acc) {
        return x->on_acc > y->on_acc ? -1 : 1;
    }
    if (x->n_subgraphs != y->n_subgraphs) {
        return x->n_subgraphs < y->n_subgraphs ? -1 : 1;
    }
    return strcmp(x->list->name, y->list->name);
}

/* 1 for a call of torch.fx, which lists of PyTorch do not name: they have operators of ATen. */
static int is_traced(const gsp_graph *g, gsp_node v)
{
    gsp_str const target = gsp_node_target(g, v);
    gsp_op const op = gsp_node_op(g, v);
    return op == GSP_OP_CALL_METHOD ||
           (op == GSP_OP_CALL_MODULE &&
               gsp_module_find_graph(g->module, g->module->target[g->first + v]) == GSP_NONE) ||
           (op == GSP_OP_CALL_FUNCTION && gsp_str_glob(gsp_str_of("torch.*"), target) &&
               !gsp_str_glob(gsp_str_of("torch.ops.*"), target));
}

/* A line on standard error, if no list covers a graph of torch.fx: where one that lists cover comes
 * from. */
static void tell_traced(cli_session *s, const gsp_graph *g, const ops_covers *covers)
{
    cli_buffer b;
    gsp_node v = 0;
    while (v < g->n_nodes && !(gsp_node_is_callable(g, v) && is_traced(g, v))) {
        v++;
    }
    if (v == g->n_nodes || covers->n == 0 || covers->covers[0].on_acc != 0) {
        return;
    }
    cli_buffer_init(&b, s);
    cli_printf(&b, "%s: %s: no list has an operator of the graph, such as ", s->front->program,
        covers->path);
    cli_put_clipped(&b, gsp_node_target(g, v), 60u);
    cli_puts(
        &b, "; the lists of PyTorch name operators of ATen, which a graph of torch.export has\n");
    cli_progress_end(s);
    cli_tell(&b);
}

int ops_cover_all(cli_session *s, ops_covers *out)
{
    const cli_operator_list *list;
    gsp_graph graph;
    gsp_counts counts;
    gsp_error err;
    cli_macs *macs;
    int code = cli_load_main(s, &graph, &counts);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    memset(out, 0, sizeof *out);
    out->path = s->path;
    out->least = cli_graph_least(&graph, 0);
    for (gsp_node v = 0; v < graph.n_nodes; v++) {
        out->callable += gsp_node_is_callable(&graph, v) ? 1u : 0u;
    }
    for (list = cli_operator_lists; list->name != NULL; list++) {
        out->n++;
    }
    macs = (cli_macs *)cli_alloc(s, s->module.counts.nodes + 1u, sizeof *macs);
    code = cli_graphs_macs(s, &s->module, macs);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    out->covers = (ops_cover *)cli_alloc(s, out->n + 1u, sizeof *out->covers);
    memset(out->covers, 0, (out->n + 1u) * sizeof *out->covers);
    for (list = cli_operator_lists; list->name != NULL; list++) {
        ops_cover *c = &out->covers[list - cli_operator_lists];
        c->list = list;
        c->is_bound = ops_is_bound(s, list);
        if (cover(s, &graph, macs, c, &err) != GSP_OK) {
            return cli_pass_error(s, &graph, &err);
        }
    }
    qsort(out->covers, out->n, sizeof *out->covers, by_coverage);
    tell_traced(s, &graph, out);
    return CLI_EXIT_OK;
}
