/* The run of a graph: its plan, then its values. */
#include "commands/run/run.h"

#include "input/input.h"

#include <inttypes.h>
#include <string.h>

#define ELEMENT_WORK 40u /* an element has about 100 bytes in a plan and a run */

int run_too_much(const run_work *w)
{
    return cli_error(w->session, GSP_STATUS_LIMIT,
        "--max-work %" PRIu64
        ": calls repeat, or aggregates grow, beyond that; a larger one runs longer",
        w->opt.max_work);
}

/* The first input whose name no placeholder has; n_inputs if there is none, or if a placeholder
 * takes all other names. */
static uint32_t unknown_input(const run_work *w)
{
    uint32_t i;
    gsp_node v;
    for (v = 0; v < w->graph.n_nodes; v++) {
        gsp_str target = gsp_node_target(&w->graph, v);
        if (gsp_node_op(&w->graph, v) == GSP_OP_PLACEHOLDER && target.size != 0 &&
            target.data[0] == '*') {
            return w->n_inputs;
        }
    }
    for (i = 0; i < w->n_inputs; i++) {
        for (v = 0; v < w->graph.n_nodes; v++) {
            if (gsp_node_op(&w->graph, v) == GSP_OP_PLACEHOLDER &&
                gsp_str_equal(gsp_node_target(&w->graph, v), w->inputs[i].name)) {
                break;
            }
        }
        if (w->inputs[i].name.size != 0 && v == w->graph.n_nodes) {
            return i;
        }
    }
    return w->n_inputs;
}

/* An error of planning names the input, and the node in its own graph. */
static int refused(const run_work *w, const gsp_module *module, const gsp_error *err)
{
    cli_session *s = w->session;
    if (err->detail == GSP_DETAIL_KERNEL) {
        return run_too_much(w);
    }
    if (err->detail >= GSP_DETAIL_INPUT_MISSING && err->detail <= GSP_DETAIL_INPUT_TYPE) {
        cli_buffer where;
        uint32_t unknown = unknown_input(w);
        if (unknown < w->n_inputs) {
            return cli_error(s, err->status,
                "--input %s: the graph has no placeholder of this name", s->given[unknown].value);
        }
        cli_buffer_init(&where, s);
        if (err->other < w->n_inputs) {
            cli_printf(&where, "input %" PRIu32, err->other + 1u);
        }
        if (err->other < w->n_inputs && w->inputs[err->other].name.size != 0) {
            cli_puts(&where, " (");
            cli_put_clipped(&where, w->inputs[err->other].name, 200u);
            cli_puts(&where, ")");
        }
        if (err->node != GSP_NONE) {
            cli_puts(&where, where.size != 0 ? ", placeholder " : "placeholder ");
            cli_put_clipped(&where, gsp_node_name(&w->graph, err->node), 200u);
        }
        cli_puts(&where, "");
        return cli_error(
            s, err->status, "%.*s: %s", (int)where.size, where.data, gsp_detail_text(err->detail));
    }
    if (err->node != GSP_NONE && err->other < module->counts.graphs) {
        gsp_graph at = gsp_module_graph(module, err->other);
        gsp_str of = gsp_module_str(module, module->graphs[err->other].name);
        gsp_str node = gsp_node_name(&at, err->node);
        return cli_error(s, err->status, "node %.*s of graph %.*s: %s", (int)node.size, node.data,
            (int)of.size, of.data, gsp_detail_text(err->detail));
    }
    return cli_pass_error(s, NULL, err);
}

/* Plans in an arena of its own, which grows as long as aggregates need more room, within the
 * work. */
static int plan(run_work *w, const gsp_graph *graph, gsp_exec_plan *frames)
{
    cli_session *s = w->session;
    gsp_exec_plan_desc desc = {0};
    gsp_error err = {0};
    gsp_arena arena;
    gsp_status status;
    uint64_t most = w->opt.max_work / ELEMENT_WORK;
    most = most < UINT32_MAX ? most : UINT32_MAX - 1u;
    desc.whole = 1;
    desc.n_inputs = w->n_inputs;
    desc.inputs = w->n_inputs != 0 ? w->inputs : NULL;
    do {
        size_t bound;
        desc.aggregates = (uint32_t)err.need;
        bound = gsp_exec_plan_bound(graph, &desc);
        if (bound == SIZE_MAX) {
            return cli_error(s, GSP_STATUS_OVERFLOW, "%s", gsp_status_text(GSP_STATUS_OVERFLOW));
        }
        cli_arena(s, &arena, bound);
        status = gsp_exec_plan_run(&arena, graph, &desc, frames, &err);
        if (status != GSP_OK) {
            cli_release(s, arena.base);
        }
    } while (status == GSP_STATUS_LIMIT && err.need <= most);
    return status == GSP_OK             ? CLI_EXIT_OK
           : status == GSP_STATUS_LIMIT ? run_too_much(w)
                                        : refused(w, graph->module, &err);
}

static gsp_status work(void *user, gsp_arena *arena, gsp_error *err)
{
    run_work *w = (run_work *)user;
    gsp_exec_desc desc = {0};
    uint32_t i;
    desc.kernel = run_kernel;
    desc.enter = run_enter;
    desc.release = w->writes != NULL ? run_release : NULL;
    desc.user = w->facts;
    w->facts->prints = w->prints;
    w->facts->targets = w->targets;
    w->facts->writes = w->writes;
    if (w->writes != NULL) {
        run_writes_begin(w->writes);
    }
    for (i = 0; i < w->frames.n_inputs; i++) {
        w->values[i] = w->given != NULL ? w->given[i] : run_mix(2u, i);
        if (w->writes != NULL) {
            w->values[i] = run_writes_input(w->writes, w->values[i]);
        }
    }
    w->facts->left = w->left; /* --time repeats a run, but not its work */
    return gsp_exec_run(arena, &w->frames, &desc, w->values, w->outputs, err);
}

int run_execute(run_work *w)
{
    cli_session *s = w->session;
    gsp_arena arena;
    gsp_error err;
    int code = plan(w, &w->graph, &w->frames);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    w->values = (gsp_value *)cli_alloc(s, (size_t)w->frames.n_inputs + 1u, sizeof(gsp_value));
    w->outputs = (gsp_value *)cli_alloc(s, (size_t)w->frames.n_outputs + 1u, sizeof(gsp_value));
    w->bound = gsp_exec_bound(&w->frames);
    if ((code = cli_pass_arena(s, &arena, w->bound)) != CLI_EXIT_OK) {
        return code;
    }
    if (cli_measure(s, &arena, work, w, &w->timing, &err) != GSP_OK) {
        return refused(w, w->graph.module, &err);
    }
    w->left = w->facts->left;
    return CLI_EXIT_OK;
}
