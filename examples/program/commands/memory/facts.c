/* The memory that each graph of a module needs, including the graphs that it calls. */
#include "commands/memory/facts.h"

#include "core/error.h"

#include <inttypes.h>

gsp_str memory_node_name(const gsp_graph *graph, gsp_node node)
{
    if (node >= graph->n_nodes) {
        return gsp_str_of("-");
    }
    return gsp_node_op(graph, node) == GSP_OP_OUTPUT ? gsp_str_of("return")
                                                     : gsp_node_name(graph, node);
}

gsp_str memory_tensor_name(const memory *m, const gsp_tensor *tensor)
{
    return m->ids != NULL ? m->ids[tensor->node] : gsp_node_name(&m->graph, tensor->node);
}

/* The child graph that a node calls, as the target of a called module or as an argument. */
static uint32_t called_graph(const gsp_graph *g, gsp_node v, uint32_t at)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(g, v, &n);
    gsp_node named = at == 0 ? v : at <= n ? in[at - 1u] : GSP_NONE;
    if (named == GSP_NONE || (at == 0 && gsp_node_op(g, v) != GSP_OP_CALL_MODULE) ||
        (at != 0 && gsp_node_op(g, named) != GSP_OP_GET_ATTR)) {
        return GSP_NONE;
    }
    return gsp_module_find_graph(g->module, g->module->target[g->first + named]);
}

/* Fills the bytes that calls of child graphs need; 0: some child graph is not done yet. */
static int fill_scratch(memory *m, uint32_t id, uint64_t *scratch)
{
    const gsp_graph *g = &m->graphs[id].graph;
    gsp_node v;
    m->graphs[id].n_calls = 0;
    for (v = 0; v < g->n_nodes; v++) {
        uint64_t inside = 0;
        uint32_t n;
        uint32_t i;
        scratch[v] = 0;
        (void)gsp_node_inputs(g, v, &n);
        for (i = 0; i <= n && gsp_node_is_callable(g, v); i++) {
            uint32_t child = called_graph(g, v, i);
            if (child != GSP_NONE && !m->graphs[child].done) {
                return 0;
            }
            if (child != GSP_NONE) {
                m->graphs[id].n_calls++;
                inside = m->graphs[child].inside > inside ? m->graphs[child].inside : inside;
            }
        }
        if (inside > gsp_node_bytes(g, v)) { /* the output of the call is already counted */
            scratch[v] = inside - gsp_node_bytes(g, v);
        }
    }
    return 1;
}

static int measure_graph(memory *m, uint32_t id, const uint64_t *scratch)
{
    memory_graph *at = &m->graphs[id];
    gsp_liveness_desc desc = {0};
    gsp_liveness_result result;
    gsp_error err;
    gsp_arena arena;
    uint32_t skip;
    for (skip = 0; skip < 2u; skip++) {
        desc.scratch = scratch;
        desc.skip_inputs = skip;
        cli_arena(m->session, &arena, gsp_liveness_bound(&at->graph, &desc));
        if (gsp_liveness_run(&arena, &at->graph, &desc, &result, &err) != GSP_OK) {
            return cli_pass_error(m->session, &at->graph, &err);
        }
        if (skip) {
            at->inside = result.parts[0].bytes;
        } else {
            at->peak = result.parts[0];
        }
        cli_release(m->session, arena.base);
    }
    at->done = 1;
    return CLI_EXIT_OK;
}

/* Counts each parameter once per target, and the parameters of called modules. */
static uint64_t parameters(const gsp_graph *g)
{
    const gsp_module *m = g->module;
    uint64_t sum = 0;
    uint32_t i;
    gsp_node v;
    for (i = 0; i < m->n_params; i++) {
        gsp_graph of = gsp_module_graph(m, m->params[i].graph);
        sum += of.id == g->id ? gsp_node_bytes(&of, m->params[i].node) : 0u;
    }
    for (v = 0; v < g->n_nodes; v++) {
        sum += gsp_node_op(g, v) == GSP_OP_CALL_MODULE ? gsp_node_params(g, v) : 0u;
    }
    return sum;
}

/* Rounds over the graphs, from the last on since children mostly follow their callers, until a
 * round makes no progress. */
int memory_graphs(memory *m)
{
    const gsp_module *module = &m->session->module;
    uint32_t n = module->counts.graphs;
    uint64_t *scratch = (uint64_t *)cli_alloc(m->session, module->counts.nodes, sizeof *scratch);
    uint32_t left = n;
    uint32_t before;
    uint32_t i;
    m->graphs = (memory_graph *)cli_alloc(m->session, n, sizeof *m->graphs);
    for (i = 0; i < n; i++) {
        m->graphs[i].graph = gsp_module_graph(module, i);
        m->graphs[i].params = parameters(&m->graphs[i].graph);
    }
    do {
        before = left;
        for (i = n; i-- > 0;) {
            if (!m->graphs[i].done && fill_scratch(m, i, scratch)) {
                int code = measure_graph(m, i, scratch);
                if (code != CLI_EXIT_OK) {
                    return code;
                }
                left--;
            }
        }
    } while (left != 0 && left < before);
    if (left != 0) {
        return cli_error(m->session, GSP_STATUS_CYCLE,
                         "%" PRIu32 " graphs of the module call each other in a cycle", left);
    }
    (void)fill_scratch(m, m->chosen, scratch);
    m->scratch = m->graphs[m->chosen].n_calls != 0 ? scratch : NULL;
    return CLI_EXIT_OK;
}
