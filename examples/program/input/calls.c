/* Calls of graphs in a deduplicated module: a call runs where all nodes of its graph run. */
#include "input/input.h"

#include <string.h>

#define NOT_KNOWN 0xFFu

static int has_target(const gsp_graph *g, gsp_node v, const char *target)
{
    return gsp_node_op(g, v) == GSP_OP_CALL_FUNCTION &&
           gsp_str_equal(gsp_node_target(g, v), gsp_str_of(target));
}

/* The kind where all graphs that a node runs go: NOT_KNOWN if it runs none, GSP_KIND_NONE if they
 * have no callable nodes, the CPU if they differ. */
static uint8_t kind_of_graphs(const gsp_graph *g, const uint8_t *whole, gsp_node v)
{
    uint8_t kind = NOT_KNOWN;
    gsp_called c;
    memset(&c, 0, sizeof c);
    while (gsp_called_next(g, v, &c)) {
        uint8_t const other = whole[c.graph];
        kind = kind == NOT_KNOWN || kind == GSP_KIND_NONE || kind == other ? other
               : other == GSP_KIND_NONE                                    ? kind
                                                                           : GSP_KIND_CPU;
    }
    return kind;
}

/* 1 for a node without pin, acc= or operator, which may follow a call. */
static int is_open(const gsp_graph *g, const gsp_placement *p, gsp_node v)
{
    return p->kind[v] == GSP_KIND_CPU && p->reason[v] == GSP_REASON_UNSUPPORTED &&
           p->group[v] == GSP_NONE && gsp_node_attr(g, v, GSP_KEY_ACC).data == NULL;
}

static void give(gsp_placement *p, gsp_node v, uint8_t kind)
{
    if (kind != GSP_KIND_CPU && kind != GSP_KIND_NONE && kind != NOT_KNOWN) {
        p->kind[v] = kind;
        p->reason[v] = GSP_REASON_SUPPORTED;
    }
}

/* 1 for a node that only calls its graph: a called module or an invoke_subgraph. */
static int is_plain_call(const gsp_graph *g, gsp_node v)
{
    return gsp_node_op(g, v) == GSP_OP_CALL_MODULE ||
           has_target(g, v, "torch.ops.higher_order.invoke_subgraph");
}

/* 1 if a line of the operator list takes the node whatever its graphs hold: `bodies: any`. */
static int takes_any(const cli_place *place, const gsp_graph *g, gsp_node v, uint32_t kind)
{
    const gsp_table *table = &place->rules[kind - 1u].table;
    uint32_t i;
    for (i = 0; i < table->n_entries; i++) {
        const gsp_table_entry *e = &table->entries[i];
        if (!e->remove && gsp_str_glob(e->name, gsp_node_class(g, v)) &&
            gsp_str_glob(gsp_str_of("*bodies: any*"), e->constraints)) {
            return 1;
        }
    }
    return 0;
}

/* A node that an operator list supports stays on the CPU if its graphs do not go where it does. */
static void withdraw(
    const cli_place *place, const gsp_graph *g, gsp_placement *p, gsp_node v, uint8_t kind)
{
    int const listed =
        p->reason[v] == GSP_REASON_SUPPORTED && gsp_node_attr(g, v, GSP_KEY_ACC).data == NULL;
    if (listed && kind != p->kind[v] && kind != GSP_KIND_NONE &&
        !takes_any(place, g, v, p->kind[v])) {
        p->kind[v] = GSP_KIND_CPU;
        p->reason[v] = GSP_REASON_UNSUPPORTED;
    }
}

/* Places nodes that run graphs, and the getitem nodes that unpack plain calls, where `whole` places
 * their graphs. */
static void follow(
    const cli_place *place, const gsp_graph *g, const uint8_t *whole, gsp_placement *p)
{
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        uint8_t const kind = kind_of_graphs(g, whole, v);
        uint32_t n = 0;
        const gsp_arg *args = gsp_node_args(g, v, &n);
        if (kind != NOT_KNOWN && gsp_node_is_callable(g, v) && p->kind[v] != GSP_KIND_CPU) {
            withdraw(place, g, p, v, kind);
        } else if (is_open(g, p, v) && kind != NOT_KNOWN && is_plain_call(g, v)) {
            give(p, v, kind);
        } else if (is_open(g, p, v) && has_target(g, v, "operator.getitem") && n != 0 &&
                   args[0].kind == GSP_ARG_NODE && is_plain_call(g, args[0].value) &&
                   kind_of_graphs(g, whole, args[0].value) != NOT_KNOWN) {
            give(p, v, p->kind[args[0].value]);
        }
    }
}

/* The kind of all callable nodes of a graph, GSP_KIND_NONE for none; the CPU if one of them, *way,
 * is there or elsewhere than those before it. */
static uint8_t kind_of_all(const gsp_graph *g, const gsp_placement *p, gsp_node *way)
{
    uint8_t kind = GSP_KIND_NONE;
    gsp_node v;
    *way = GSP_NONE;
    for (v = 0; v < g->n_nodes; v++) {
        int const differs = p->kind[v] == GSP_KIND_CPU || kind != GSP_KIND_NONE;
        if (p->kind[v] == GSP_KIND_NONE || p->kind[v] == kind) {
            continue;
        }
        if (differs) {
            *way = v;
            return GSP_KIND_CPU;
        }
        kind = p->kind[v];
    }
    return kind;
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
    cli_session *s, const cli_place *place, cli_bodies *bodies, const gsp_graph *child)
{
    gsp_pin *pins = (gsp_pin *)cli_alloc(s, place->desc.n_pins + 1u, sizeof *pins);
    gsp_arena arena;
    gsp_placement p;
    int code;
    cli_arena(s, &arena, gsp_support_bound(child, &place->desc));
    code = place_child(s, place, child, pins, &arena, &p);
    if (code == CLI_EXIT_OK) {
        follow(place, child, bodies->kind, &p);
        bodies->kind[child->id] = kind_of_all(child, &p, &bodies->way[child->id]);
    }
    cli_release(s, arena.base);
    cli_release(s, pins);
    return code;
}

int cli_place_calls(cli_session *s, const cli_place *place, const gsp_graph *graph,
    gsp_placement *io, cli_bodies *bodies)
{
    const gsp_module *m = graph->module;
    gsp_calls_result calls;
    gsp_arena arena;
    gsp_error err;
    uint32_t i;
    int code = CLI_EXIT_OK;
    memset(bodies, 0, sizeof *bodies);
    if (m->counts.graphs < 2u) {
        return CLI_EXIT_OK;
    }
    cli_arena(s, &arena, gsp_calls_bound(m));
    if (gsp_calls_run(&arena, m, &calls, &err) != GSP_OK) {
        return cli_pass_error(s, NULL, &err);
    }
    bodies->kind = (uint8_t *)cli_alloc(s, m->counts.graphs, 1u);
    bodies->way = (gsp_node *)cli_alloc(s, m->counts.graphs, sizeof *bodies->way);
    for (i = 0; i < calls.n_graphs && code == CLI_EXIT_OK; i++) {
        gsp_graph const child = gsp_module_graph(m, calls.order[i]);
        if (child.id != 0) { /* main is placed, and its calls follow below */
            code = take_child(s, place, bodies, &child);
        }
    }
    follow(place, graph, bodies->kind, io);
    cli_release(s, arena.base);
    return code;
}

gsp_node cli_bodies_way(const cli_bodies *bodies, gsp_graph *graph, gsp_node node)
{
    gsp_node way = GSP_NONE;
    gsp_called c;
    memset(&c, 0, sizeof c);
    while (bodies->kind != NULL && gsp_called_next(graph, node, &c)) {
        if (bodies->way[c.graph] != GSP_NONE) {
            *graph = gsp_module_graph(graph->module, c.graph);
            way = node = bodies->way[c.graph];
            memset(&c, 0, sizeof c); /* what this node runs may be the reason, in turn */
        }
    }
    return way;
}
