/* Calls of graphs in a deduplicated module: a call runs where all nodes of its graph run. */
#include "input/calls.h"

#include "core/error.h"

#include <string.h>

#define NOT_KNOWN 0xFFu

static int has_target(const gsp_graph *g, gsp_node v, const char *target)
{
    return gsp_node_op(g, v) == GSP_OP_CALL_FUNCTION &&
           gsp_str_equal(gsp_node_target(g, v), gsp_str_of(target));
}

/* The graph that a node calls, GSP_NONE: none. */
static uint32_t graph_of(const gsp_graph *g, gsp_node v)
{
    uint32_t n = 0;
    const gsp_arg *args = gsp_node_args(g, v, &n);
    gsp_node called = v;
    if (has_target(g, v, "torch.ops.higher_order.invoke_subgraph")) {
        called = n != 0 && args[0].kind == GSP_ARG_NODE ? args[0].value : GSP_NONE;
    } else if (gsp_node_op(g, v) != GSP_OP_CALL_MODULE) {
        return GSP_NONE;
    }
    return called == GSP_NONE
               ? GSP_NONE
               : gsp_module_find_graph(g->module, g->module->target[g->first + called]);
}

/* 1 for a node without pin, acc= or operator, which may follow a call. */
static int is_open(const gsp_graph *g, const gsp_placement *p, gsp_node v)
{
    return p->kind[v] == GSP_KIND_CPU && p->reason[v] == GSP_REASON_UNSUPPORTED &&
           p->group[v] == GSP_NONE && gsp_node_attr(g, v, GSP_KEY_ACC).data == NULL;
}

static void give(gsp_placement *p, gsp_node v, uint8_t kind)
{
    if (kind != GSP_KIND_CPU && kind != NOT_KNOWN) {
        p->kind[v] = kind;
        p->reason[v] = GSP_REASON_SUPPORTED;
    }
}

/* Places calls, and the getitem nodes that unpack them, where `whole` places their graphs. */
static void follow(const gsp_graph *g, const uint8_t *whole, gsp_placement *p)
{
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        uint32_t called = graph_of(g, v);
        uint32_t n = 0;
        const gsp_arg *args = gsp_node_args(g, v, &n);
        if (!is_open(g, p, v)) {
            continue;
        }
        if (called != GSP_NONE) {
            give(p, v, whole[called]);
        } else if (has_target(g, v, "operator.getitem") && n != 0 && args[0].kind == GSP_ARG_NODE &&
                   graph_of(g, args[0].value) != GSP_NONE) {
            give(p, v, p->kind[args[0].value]);
        }
    }
}

/* The kind of all called nodes of a graph; the CPU if they differ. */
static uint8_t kind_of_all(const gsp_graph *g, const gsp_placement *p)
{
    uint8_t kind = GSP_KIND_NONE;
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        if (p->kind[v] != GSP_KIND_NONE && kind != GSP_KIND_NONE && p->kind[v] != kind) {
            return GSP_KIND_CPU;
        }
        kind = p->kind[v] != GSP_KIND_NONE ? p->kind[v] : kind;
    }
    return kind == GSP_KIND_NONE ? GSP_KIND_CPU : kind;
}

/* Places the nodes of a child graph. Pins that match nothing in it are meant for another graph. */
static int place_child(cli_session *s, const cli_place *place, const gsp_graph *child,
                       gsp_placement *out)
{
    gsp_support_desc desc = place->desc;
    gsp_pin *pins = (gsp_pin *)cli_alloc(s, desc.n_pins + 1u, sizeof *pins);
    gsp_status status;
    gsp_arena arena;
    gsp_error err;
    if (desc.n_pins != 0) {
        memcpy(pins, desc.pins, desc.n_pins * sizeof *pins);
    }
    desc.pins = pins;
    cli_arena(s, &arena, gsp_support_bound(child, &desc));
    while ((status = gsp_support_run(&arena, child, &desc, out, &err)) == GSP_STATUS_ARG &&
           err.detail == GSP_DETAIL_PIN && err.node < desc.n_pins) {
        desc.n_pins--;
        memmove(pins + err.node, pins + err.node + 1u, (desc.n_pins - err.node) * sizeof *pins);
    }
    return status == GSP_OK ? CLI_EXIT_OK : cli_pass_error(s, child, &err);
}

/* 1 when the kinds of all graphs that a graph calls are known. */
static int is_ready(const gsp_graph *g, const uint8_t *whole)
{
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        uint32_t called = graph_of(g, v);
        if (called != GSP_NONE && whole[called] == NOT_KNOWN) {
            return 0;
        }
    }
    return 1;
}

int cli_place_calls(cli_session *s, const cli_place *place, const gsp_graph *graph,
                    gsp_placement *io)
{
    const gsp_module *m = graph->module;
    uint8_t *whole;
    uint32_t before = 0;
    uint32_t left = m->counts.graphs;
    uint32_t i;
    int code = CLI_EXIT_OK;
    if (left < 2u) {
        return CLI_EXIT_OK;
    }
    whole = (uint8_t *)cli_alloc(s, left, 1u);
    memset(whole, NOT_KNOWN, left);
    while (left != before && code == CLI_EXIT_OK) {
        before = left;
        for (i = 1; i < m->counts.graphs && code == CLI_EXIT_OK; i++) {
            gsp_graph child = gsp_module_graph(m, i);
            gsp_placement p;
            if (whole[i] == NOT_KNOWN && is_ready(&child, whole) &&
                (code = place_child(s, place, &child, &p)) == CLI_EXIT_OK) {
                follow(&child, whole, &p);
                whole[i] = kind_of_all(&child, &p);
                left--;
            }
        }
    }
    follow(graph, whole, io);
    return code;
}
