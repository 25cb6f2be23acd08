/* From options to a placement. */
#include "input/input.h"

static int pin_error(
    cli_session *s, const cli_place *place, const gsp_graph *graph, const gsp_error *err)
{
    const gsp_pin *pin = &place->pins[err->node];
    const char *pattern = cli_copy(s, pin->pattern);
    const char *what = pin->what == GSP_PIN_SCOPE    ? "module path"
                       : pin->what == GSP_PIN_TARGET ? "target"
                                                     : "name";
    cli_buffer near_it;
    cli_buffer_init(&near_it, s);
    cli_place_near(s, place, graph, pin, &near_it);
    cli_put(&near_it, "", 1u);
    return cli_error(s, err->status, "%s: no called node has the %s '%s'%s",
        place->pin_from[err->node]->option->name, what, pattern, near_it.data);
}

enum { BEFORE, ENTERED, LEFT };

/* Where the paths to a node are at most; *left: an input that a path left it for. */
static uint8_t paths_to(const gsp_graph *graph, gsp_node v, const uint8_t *where, gsp_node *left)
{
    uint32_t n;
    uint32_t i;
    uint8_t most = BEFORE;
    const gsp_node *inputs = gsp_node_inputs(graph, v, &n);
    for (i = 0; i < n; i++) {
        if (where[inputs[i]] > most) {
            most = where[inputs[i]];
            *left = inputs[i];
        }
    }
    return most;
}

void cli_run_once(cli_session *s, const gsp_graph *graph, uint32_t kind, gsp_placement *p)
{
    uint8_t *where = (uint8_t *)cli_alloc(s, (size_t)graph->n_nodes + 1u, 1u);
    gsp_node v;
    for (v = 0; v < graph->n_nodes; v++) {
        gsp_node left = GSP_NONE;
        where[v] = paths_to(graph, v, where, &left);
        if (p->kind[v] == GSP_KIND_NONE) {
            continue;
        }
        if (p->kind[v] != kind) {
            where[v] = where[v] == BEFORE ? BEFORE : LEFT;
        } else if (where[v] != LEFT) {
            where[v] = ENTERED;
        } else if (p->reason[v] == GSP_REASON_SUPPORTED && gsp_node_acc(graph, v) < 0) {
            p->kind[v] = GSP_KIND_CPU;
            p->reason[v] = GSP_REASON_BEHIND;
            p->culprit[v] = left;
        }
    }
    cli_release(s, where);
}

int cli_place_run(cli_session *s, const cli_place *place, const gsp_graph *graph,
    gsp_placement *out, cli_bodies *bodies)
{
    gsp_arena arena;
    gsp_error err;
    size_t bound = gsp_support_bound(graph, &place->desc);
    if (bound == SIZE_MAX) {
        return cli_error(
            s, GSP_STATUS_OVERFLOW, "the graph is too large for this machine to place its nodes");
    }
#ifndef CLI_NO_CALLS /* the page of the browser has the lists of the program only */
    if (cli_place_limit(s, place, graph) != CLI_EXIT_OK ||
        cli_pins_check(s, place, graph) != CLI_EXIT_OK) {
        return CLI_EXIT_FAILED;
    }
#endif
    cli_arena(s, &arena, bound);
    if (gsp_support_run(&arena, graph, &place->desc, out, &err) == GSP_OK) {
        int code = CLI_EXIT_OK;
        for (gsp_node v = 0; v < graph->n_nodes; v++) {
            if (out->reason[v] == GSP_REASON_DTYPE) { /* reports name these types themselves */
                out->reason[v] = GSP_REASON_UNSUPPORTED;
                out->culprit[v] = GSP_NONE;
            }
        }
        for (uint32_t k = 1; k < place->n_kinds; k++) {
            if (place->once[k]) {
                cli_run_once(s, graph, k, out);
            }
        }
        code = cli_place_calls(s, place, graph, out, bodies);
#ifndef CLI_NO_CALLS /* the page of the browser takes no options of units */
        code = code == CLI_EXIT_OK ? cli_units_run(s, graph, out) : code;
        cli_constraints_tell(s, place, graph);
#endif
        return code == CLI_EXIT_OK ? cli_place_check(s, place, graph) : code;
    }
    if (err.detail == GSP_DETAIL_PIN && err.node < place->desc.n_pins) {
        return pin_error(s, place, graph, &err);
    }
    if (err.detail == GSP_DETAIL_KIND && err.node < graph->n_nodes) {
        return cli_error(s, err.status, "node %s: acc=%s, but the number of accelerators is %u",
            cli_copy(s, gsp_node_name(graph, err.node)),
            cli_copy(s, gsp_node_attr(graph, err.node, GSP_KEY_ACC)),
            place->desc.n_accelerators == 0u ? 1u : (unsigned)place->desc.n_accelerators);
    }
    return cli_pass_error(s, graph, &err);
}
