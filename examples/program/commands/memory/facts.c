/* The memory that each graph of a module needs, including the graphs that it calls. */
#include "commands/memory/memory.h"

#include <string.h>

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

const char *memory_kind_word(uint32_t kind)
{
    static const char *const words[] = {"tensor", "scratch", "state", "parameter", "copy"};
    return words[kind];
}

gsp_str memory_cut(gsp_str *text, char end)
{
    gsp_str part = {text->data, 0};
    while (part.size < text->size && part.data[part.size] != end) {
        part.size++;
    }
    uint32_t used = part.size < text->size ? part.size + 1u : part.size;
    text->data += used;
    text->size -= used;
    while (part.size != 0 && strchr(" \t\r", part.data[part.size - 1u]) != NULL) {
        part.size--;
    }
    while (part.size != 0 && strchr(" \t", part.data[0]) != NULL) {
        part.data++;
        part.size--;
    }
    return part;
}

memory_written memory_written_of(const gsp_graph *g, gsp_node v, gsp_node *leaves)
{
    memory_written w = {leaves, 0, {NULL, 0}};
    uint32_t n;
    uint32_t i;
    const gsp_arg *args = gsp_node_args(g, v, &n);
    if (gsp_node_is_callable(g, v)) {
        w.rest = gsp_node_attr(g, v, GSP_KEY_MUTATES);
    }
    for (i = 0; i < n && w.rest.size != 0; i++) {
        if (args[i].kind == GSP_ARG_NODE || args[i].kind == GSP_ARG_CONSTANT) {
            leaves[w.n++] = args[i].kind == GSP_ARG_NODE ? args[i].value : GSP_NONE;
        }
    }
    return w;
}

gsp_node memory_next_written(memory_written *w)
{
    while (w->rest.size != 0) {
        uint64_t position;
        if (gsp_str_number(memory_cut(&w->rest, ','), &position) && position < w->n &&
            w->leaves[position] != GSP_NONE) {
            return w->leaves[position];
        }
    }
    return GSP_NONE;
}

/* Marks the targets of get_attr that a node writes. */
static void mark_written(const gsp_graph *g, gsp_node v, gsp_node *leaves, uint32_t *writer)
{
    memory_written walk = memory_written_of(g, v, leaves);
    gsp_node w;
    while ((w = memory_next_written(&walk)) != GSP_NONE) {
        if (gsp_node_op(g, w) == GSP_OP_GET_ATTR) {
            writer[g->module->target[g->first + w]] = g->id + 1u;
        }
    }
}

/* Parameters that nodes of a graph write are state. writer[atom]: 1 and the last graph with a node
 * that writes this target; next: the parameter after one in the list of its graph. */
static void find_state(
    memory_graph *at, gsp_node *leaves, uint32_t *writer, uint32_t param, const uint32_t *next)
{
    const gsp_graph *g = &at->graph;
    const gsp_module *m = g->module;
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        mark_written(g, v, leaves, writer);
    }
    for (; param != GSP_NONE; param = next[param]) {
        gsp_node const node = m->params[param].node;
        if (writer[m->target[g->first + node]] == g->id + 1u) {
            at->state += gsp_node_bytes(g, node);
        }
    }
}

/* The parameters of each graph as a list; `head`: [graphs]. */
static uint32_t *list_params(memory *m, uint32_t **head)
{
    const gsp_module *module = &m->session->module;
    size_t const graphs = (size_t)module->counts.graphs + 1u;
    uint32_t *next = (uint32_t *)cli_alloc(m->session, (size_t)module->n_params + 1u, sizeof *next);
    uint32_t i;
    *head = (uint32_t *)cli_alloc(m->session, graphs, sizeof **head);
    memset(*head, 0xFF, graphs * sizeof **head);
    for (i = 0; i < module->n_params; i++) {
        next[i] = (*head)[module->params[i].graph];
        (*head)[module->params[i].graph] = i;
    }
    return next;
}

/* Bytes of the variables whose handles the graph makes: what is read from each, or put into it. */
static uint64_t variables(const gsp_graph *g)
{
    uint64_t sum = 0;
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        uint64_t most = 0;
        uint32_t n = 0;
        const gsp_node *users = gsp_node_users(g, v, &n);
        int const is_handle = gsp_str_equal(gsp_node_target(g, v), gsp_str_of("tflite.VAR_HANDLE"));
        while (is_handle && n > 0) {
            uint32_t n_in;
            const gsp_node *in = gsp_node_inputs(g, users[--n], &n_in);
            uint64_t bytes = gsp_node_bytes(g, users[n]);
            for (; n_in > 0; n_in--) {
                bytes = cli_add(bytes, gsp_node_bytes(g, in[n_in - 1u]));
            }
            most = bytes > most ? bytes : most;
        }
        sum = cli_add(sum, most);
    }
    return sum;
}

int memory_graphs(memory *m)
{
    gsp_module *module = &m->session->module;
    uint32_t n = module->counts.graphs;
    uint32_t *writer = (uint32_t *)cli_alloc(m->session, module->counts.strings, sizeof *writer);
    gsp_node *leaves = (gsp_node *)cli_alloc(m->session, module->counts.args, sizeof *leaves);
    cli_inside inside;
    uint32_t *head;
    uint32_t *next;
    gsp_error err;
    uint32_t i;
    module->run_bytes = module->run_params = NULL;
    m->graphs = (memory_graph *)cli_alloc(m->session, n, sizeof *m->graphs);
    if (cli_inside_make(m->session, module, &inside, &err) != GSP_OK) {
        return cli_pass_error(m->session, NULL, &err);
    }
    m->has_micro = cli_tflite_micro(m->session, NULL, &m->micro);
    next = list_params(m, &head);
    for (i = 0; i < n; i++) {
        memory_graph *at = &m->graphs[i];
        at->graph = gsp_module_graph(module, i);
        at->peak = i == m->chosen && m->opt.skip_inputs ? inside.on_top[i] : inside.peak[i];
        at->n_calls = inside.calls[i];
        find_state(at, leaves, writer, head[i], next);
        at->params = inside.whole[i] - at->state;
        at->state =
            cli_add(at->state, i == 0 && m->has_micro ? m->micro.variables : variables(&at->graph));
    }
    cli_release(m->session, leaves);
    module->run_bytes = inside.bytes;
    module->run_params = inside.params;
    m->scratch = m->graphs[m->chosen].n_calls != 0 ? inside.bytes + m->graph.first : NULL;
    return CLI_EXIT_OK;
}

int memory_choose(memory *m)
{
    uint32_t const id =
        m->opt.graph != NULL ? cli_graph_find(m->session, gsp_str_of(m->opt.graph)) : 0u;
    if (id == GSP_NONE) {
        return cli_graph_refuse(m->session, m->opt.graph);
    }
    m->chosen = id;
    m->graph = gsp_module_graph(&m->session->module, id);
    m->counts = gsp_graph_counts(&m->graph);
    return memory_graphs(m);
}

size_t memory_parts_bound(const memory *m)
{
    gsp_liveness_desc desc = {0};
    desc.n_parts = 1;
    return gsp_split_by_memory_bound(&m->graph, &m->split_desc) +
           (m->opt.skip_inputs ? gsp_liveness_bound(&m->graph, &desc) : 0u);
}

/* In one RAM a value takes its bytes from its producer to its last reader, wherever cuts are. So
 * every cut needs the peak of the graph, and one part is the fewest. */
static gsp_status one_memory(memory *m, gsp_arena *arena, gsp_error *err)
{
    gsp_liveness_result alone;
    gsp_status status;
    m->split_desc.budget = UINT64_MAX;
    status = gsp_split_by_memory_run(arena, &m->graph, &m->split_desc, &m->split, err);
    if (status == GSP_OK && m->opt.skip_inputs && m->split.n_parts != 0) {
        gsp_liveness_desc desc = {0};
        desc.n_parts = 1;
        desc.part_of = (const uint32_t *)cli_alloc(m->session, m->graph.n_nodes, sizeof(uint32_t));
        desc.scratch = m->scratch;
        desc.skip_inputs = 1;
        status = gsp_liveness_run(arena, &m->graph, &desc, &alone, err);
        m->whole = alone.parts[0];
        m->split.parts = &m->whole;
    }
    m->split_desc.budget = m->liveness.parts[0].bytes;
    if (status == GSP_OK && m->split_desc.budget > m->opt.budget) {
        m->no_fit.status = GSP_STATUS_NO_FIT;
        m->no_fit.node = m->liveness.parts[0].node;
        m->no_fit.need = m->split_desc.budget;
        m->no_fit.limit = m->opt.budget;
    }
    return status;
}

gsp_status memory_parts(memory *m, gsp_arena *arena, gsp_error *err)
{
    gsp_status status;
    if (!m->pieces) {
        return one_memory(m, arena, err);
    }
    m->split_desc.budget = m->opt.budget;
    status = gsp_split_by_memory_run(arena, &m->graph, &m->split_desc, &m->split, err);
    if (status == GSP_STATUS_NO_FIT) {
        m->no_fit = *err;
        status = GSP_OK; /* the report tells the rest, too */
    }
    return status;
}

static int measure_nodes(memory *m)
{
    gsp_liveness_desc desc = {0};
    gsp_arena arena;
    gsp_error err;
    uint32_t *part_of = (uint32_t *)cli_alloc(m->session, m->graph.n_nodes, sizeof *part_of);
    gsp_node v;
    for (v = 0; v < m->graph.n_nodes; v++) {
        part_of[v] = gsp_node_is_callable(&m->graph, v) ? desc.n_parts++ : GSP_NONE;
    }
    desc.part_of = part_of;
    desc.scratch = m->scratch;
    cli_arena(m->session, &arena, gsp_liveness_bound(&m->graph, &desc));
    return gsp_liveness_run(&arena, &m->graph, &desc, &m->alone, &err) == GSP_OK
               ? CLI_EXIT_OK
               : cli_pass_error(m->session, &m->graph, &err);
}

/* Mostly the need of the greatest node is enough; groups may need more, so the rest is bisection
 * between what some node or group needs and what works. */
int memory_least(memory *m)
{
    uint64_t least = m->no_fit.need;
    uint64_t most = m->graphs[m->chosen].peak.bytes;
    gsp_arena arena;
    gsp_error err;
    int code = measure_nodes(m);
    if (code != CLI_EXIT_OK || !m->pieces) {
        return code;
    }
    if (m->alone.parts[m->alone.worst].bytes > least) {
        least = m->alone.parts[m->alone.worst].bytes;
    }
    cli_arena(m->session, &arena, gsp_split_by_memory_bound(&m->graph, &m->split_desc));
    m->split_desc.max_work = 1u;
    m->split_desc.budget = least;
    while (least < most) {
        gsp_arena tried = arena;
        if (gsp_split_by_memory_run(&tried, &m->graph, &m->split_desc, &m->split, &err) == GSP_OK) {
            most = m->split_desc.budget;
        } else {
            least = err.need;
        }
        m->split_desc.budget = least + (most - least) / 2u;
    }
    m->split_desc.max_work = 0;
    m->split_desc.budget = least;
    return gsp_split_by_memory_run(&arena, &m->graph, &m->split_desc, &m->split, &err) == GSP_OK
               ? CLI_EXIT_OK
               : cli_pass_error(m->session, &m->graph, &err);
}

int memory_is_least(const memory *m, int params)
{
    uint32_t i;
    int least = 0;
    for (i = 0; i < m->graph.module->counts.graphs && !least; i++) {
        gsp_graph g = gsp_module_graph(m->graph.module, i);
        least = cli_graph_least(&g, params);
    }
    return least;
}

int memory_has_blocks(const memory *m)
{
    uint32_t i = 0;
    while (i < m->memory_plan.n_tensors && !m->memory_plan.tensors[i].scratch) {
        i++;
    }
    return i < m->memory_plan.n_tensors;
}

int memory_proves(const memory *m, int found)
{
    return found && (m->ids != NULL || !cli_unknown_sizes(m->graph.module));
}
