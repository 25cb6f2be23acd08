/* Calls of graphs in a deduplicated module: a call runs where all nodes of its graph run. */
#include "input/input.h"

#include <string.h>

#define NOT_KNOWN 0xFFu

typedef struct visit {
    uint32_t begun;
    uint32_t caller; /* the graph whose call comes here, or GSP_NONE */
    gsp_node at;     /* next node to look at */
} visit;

static int has_target(const gsp_graph *g, gsp_node v, const char *target)
{
    return gsp_node_op(g, v) == GSP_OP_CALL_FUNCTION &&
           gsp_str_equal(gsp_node_target(g, v), gsp_str_of(target));
}

/* The graph that a node calls, or GSP_NONE. */
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

/* Places the nodes of a child graph. Pins that match nothing in it are meant for another graph;
 * `pins` has room for all. */
static int place_child(cli_session *s, const cli_place *place, const gsp_graph *child,
    gsp_pin *pins, gsp_arena *arena, gsp_placement *out)
{
    gsp_support_desc desc = place->desc;
    gsp_status status;
    gsp_error err;
    if (desc.n_pins != 0) {
        memcpy(pins, desc.pins, desc.n_pins * sizeof *pins);
    }
    desc.pins = pins;
    while ((status = gsp_support_run(arena, child, &desc, out, &err)) == GSP_STATUS_ARG &&
           err.detail == GSP_DETAIL_PIN && err.node < desc.n_pins) {
        desc.n_pins--;
        memmove(pins + err.node, pins + err.node + 1u, (desc.n_pins - err.node) * sizeof *pins);
    }
    return status == GSP_OK ? CLI_EXIT_OK : cli_pass_error(s, child, &err);
}

/* The kind of a child graph, in memory of its own: there may be many. */
static int take_child(
    cli_session *s, const cli_place *place, uint8_t *whole, const gsp_graph *child)
{
    gsp_pin *pins = (gsp_pin *)cli_alloc(s, place->desc.n_pins + 1u, sizeof *pins);
    gsp_arena arena;
    gsp_placement p;
    int code;
    cli_arena(s, &arena, gsp_support_bound(child, &place->desc));
    code = place_child(s, place, child, pins, &arena, &p);
    if (code == CLI_EXIT_OK) {
        follow(child, whole, &p);
        whole[child->id] = kind_of_all(child, &p);
    }
    cli_release(s, arena.base);
    cli_release(s, pins);
    return code;
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

/* The next graph called from node *at on that was not visited, or GSP_NONE. */
static uint32_t next_called(const gsp_graph *g, const visit *visits, gsp_node *at)
{
    while (*at < g->n_nodes) {
        uint32_t called = graph_of(g, (*at)++);
        if (called != GSP_NONE && !visits[called].begun) {
            return called;
        }
    }
    return GSP_NONE;
}

/* Depth first, so that a graph comes after those that it calls. Those of a cycle stay unknown. */
static int take_from(cli_session *s, const cli_place *place, uint8_t *whole, visit *visits,
    const gsp_module *m, uint32_t id)
{
    int code = CLI_EXIT_OK;
    visits[id].begun = 1;
    visits[id].caller = GSP_NONE;
    while (id != GSP_NONE && code == CLI_EXIT_OK) {
        gsp_graph g = gsp_module_graph(m, id);
        uint32_t called = next_called(&g, visits, &visits[id].at);
        if (called != GSP_NONE) {
            visits[called].begun = 1;
            visits[called].caller = id;
            id = called;
            continue;
        }
        if (is_ready(&g, whole)) {
            code = take_child(s, place, whole, &g);
        }
        id = visits[id].caller;
    }
    return code;
}

int cli_place_calls(
    cli_session *s, const cli_place *place, const gsp_graph *graph, gsp_placement *io)
{
    const gsp_module *m = graph->module;
    uint32_t n = m->counts.graphs;
    uint8_t *whole;
    visit *visits;
    uint32_t i;
    int code = CLI_EXIT_OK;
    if (n < 2u) {
        return CLI_EXIT_OK;
    }
    whole = (uint8_t *)cli_alloc(s, n, 1u);
    visits = (visit *)cli_alloc(s, n, sizeof *visits);
    memset(whole, NOT_KNOWN, n);
    visits[0].begun = 1; /* main is placed, and its calls follow below */
    for (i = 1; i < n && code == CLI_EXIT_OK; i++) {
        if (!visits[i].begun) {
            code = take_from(s, place, whole, visits, m, i);
        }
    }
    follow(graph, whole, io);
    return code;
}
