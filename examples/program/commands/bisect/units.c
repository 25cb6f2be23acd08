/* Nodes with the getitems that unpack them. */
#include "commands/bisect/bisect.h"

void bisect_units(bisect *b, const uint8_t *is_searched)
{
    const gsp_graph *g = &b->graph;
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        gsp_node const of = gsp_node_is_callable(g, v) ? cli_unpacked(g, v) : GSP_NONE;
        b->unit_of[v] = GSP_NONE;
        if (of != GSP_NONE) {
            b->unit_of[v] = b->unit_of[of];
        } else if (gsp_node_is_callable(g, v) && is_searched[v]) {
            b->unit_of[v] = b->n_units;
            b->first[b->n_units++] = v;
        }
    }
}

int bisect_is_needed(const bisect *b, gsp_node v)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(&b->graph, v, &n);
    while (n-- > 0) {
        uint32_t const unit = b->unit_of[users[n]];
        if ((unit == GSP_NONE || unit != b->unit_of[v]) && cli_unpacked(&b->graph, users[n]) != v) {
            return 1;
        }
    }
    return 0;
}

int bisect_mark(bisect *b, const bisect_set *set)
{
    gsp_node v;
    int any;
    for (v = 0; v + 1u < b->graph.n_nodes; v++) {
        b->set.is_member[v] = (uint8_t)(b->unit_of[v] != GSP_NONE && set->is_in[b->unit_of[v]]);
    }
    any = cli_set_mark(&b->set);
    for (v = 0; v + 1u < b->graph.n_nodes && set->all_values; v++) {
        b->set.is_wanted[v] = (uint8_t)(b->set.is_member[v] && bisect_is_needed(b, v));
        any |= b->set.is_wanted[v];
    }
    return any;
}

int bisect_is_input(const bisect *b, gsp_node v)
{
    gsp_str name;
    return gsp_node_op(&b->graph, v) != GSP_OP_GET_ATTR &&
           cli_tensor(b->session, &b->graph, v, 0, &name);
}
