/* What annotations say of the nodes of a pipeline, as a search for stages takes it. */
#include "input/input.h"

#include <string.h>

int cli_own_bytes(const gsp_graph *g, gsp_node v, uint64_t *fixed, uint64_t *kept)
{
    uint64_t *const bytes[] = {fixed, kept};
    gsp_str words[2];
    words[0] = cli_attribute_of(g, v, "fixed");
    words[1] = cli_attribute_of(g, v, "kept");
    for (uint32_t i = 0; i < 2u; i++) {
        double value = 0.0;
        *bytes[i] = 0;
        if (words[i].data != NULL && gsp_str_decimal(words[i], &value) && value > 0.0) {
            *bytes[i] = cli_whole(value < 1e15 ? value : 1e15);
        }
    }
    return words[0].data != NULL || words[1].data != NULL;
}

int cli_own_move(const gsp_graph *g, gsp_node v, uint32_t i, uint64_t *ticks)
{
    gsp_str list = cli_attribute_of(g, v, "each");
    double seconds = 0.0;
    uint32_t end = 0;
    if (list.data == NULL) {
        return 0;
    }
    for (;; i--) {
        for (end = 0; end < list.size && list.data[end] != ','; end++) {
        }
        if (i == 0 || end == list.size) {
            break;
        }
        list.data += end + 1u;
        list.size -= end + 1u;
    }
    list.size = end;
    *ticks = i == 0 && gsp_str_decimal(list, &seconds) ? cli_ticks(seconds) : 0u;
    return 1;
}

int cli_is_backward(const gsp_graph *g, gsp_node v)
{
    gsp_str const given = cli_attribute_of(g, v, "backward");
    gsp_str name = gsp_node_class(g, v);
    if (given.data != NULL) {
        return !gsp_str_equal(given, gsp_str_of("0"));
    }
    if (name.size > 9u && name.data[name.size - 9u] == '.') {
        name.data += name.size - 8u;
        name.size = 8u;
    }
    return gsp_str_equal(name, gsp_str_of("Backward"));
}

static uint64_t cost_at(const uint64_t *costs, uint32_t i)
{
    return costs == NULL ? 0u : costs[i];
}

/* Groups that are kept, which the backward part belongs to. */
static void keep_groups(cli_session *s, const gsp_graph *g, gsp_downsets_graph_desc *made)
{
    uint32_t *group = cli_groups(s, g);
    uint8_t *backward = (uint8_t *)cli_alloc(s, (size_t)g->n_nodes + 1u, 1u);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (group[v] != GSP_NONE) {
            group[group[v]] = group[v];
        }
        backward[v] = (uint8_t)cli_is_backward(g, v);
    }
    made->group = group;
    made->backward = backward;
}

/* each= of nodes. */
static void read_moves(cli_session *s, const gsp_graph *g, gsp_downsets_graph_desc *made)
{
    size_t const edges = gsp_graph_counts(g).edges;
    uint32_t *begin = (uint32_t *)cli_alloc(s, (size_t)g->n_nodes + 1u, sizeof *begin);
    uint64_t *moves = (uint64_t *)cli_alloc(s, edges + 1u, sizeof *moves);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t n;
        (void)gsp_node_users(g, v, &n);
        begin[v + 1u] = begin[v];
        for (uint32_t i = 0; i < n && cli_own_move(g, v, i, &moves[begin[v] + i]); i++) {
            begin[v + 1u]++;
        }
    }
    made->move_begin = begin;
    made->moves = moves;
}

static void weigh_nodes(cli_session *s, const cli_unit_costs_desc *d, gsp_downsets_graph_desc *made)
{
    const gsp_graph *g = d->graph;
    size_t const n = (size_t)g->n_nodes + 1u;
    gsp_downsets_weight *nodes = (gsp_downsets_weight *)cli_alloc(s, n, sizeof *nodes);
    gsp_downsets_weight *outputs = (gsp_downsets_weight *)cli_alloc(s, n, sizeof *outputs);
    uint8_t *skip = (uint8_t *)cli_alloc(s, n, 1u);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        gsp_downsets_weight *w = &nodes[v];
        uint64_t ignored;
        w->time = cost_at(d->costs->time, v);
        w->host = cli_ticks(gsp_node_seconds(g, v, GSP_KEY_CPU));
        w->no_device = d->stages->n_cores != 0 && gsp_node_acc(g, v) == 0 ? 1u : 0u;
        w->no_host = gsp_node_attr(g, v, GSP_KEY_CPU).data == NULL ? 1u : 0u;
        outputs[v].move = cost_at(d->costs->move, v);
        if (d->own_bytes) {
            (void)cli_own_bytes(g, v, &w->bytes, &w->stash);
        } else if (!cli_own_move(g, v, 0, &ignored)) {
            outputs[v].stash = cost_at(d->costs->stash, v);
        }
        skip[v] = (uint8_t)gsp_stages_is_marker(g, v, d->marker);
    }
    made->nodes = nodes;
    made->outputs = outputs;
    made->skip = skip;
}

void cli_unit_costs(cli_session *s, const cli_unit_costs_desc *desc, gsp_downsets_graph_desc *made)
{
    const gsp_costs *c = desc->costs;
    gsp_downsets_weight *items =
        (gsp_downsets_weight *)cli_alloc(s, (size_t)c->n_items + 1u, sizeof *items);
    memset(made, 0, sizeof *made);
    for (uint32_t i = 0; i < c->n_items; i++) {
        items[i].bytes = desc->own_bytes ? 0u : c->item_bytes[i];
        items[i].sync = cli_sync_ticks(desc->bandwidth, c->item_bytes[i]);
    }
    made->n_items = c->n_items;
    made->items = items;
    made->reads.begin = c->item_begin;
    made->reads.at = c->items;
    made->stages = desc->stages;
    read_moves(s, desc->graph, made);
    weigh_nodes(s, desc, made);
    if (desc->keep_groups) {
        keep_groups(s, desc->graph, made);
    }
}
