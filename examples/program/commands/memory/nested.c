/* Plans of the graphs that nodes run, each as one block of the arena of its caller. */
#include "commands/memory/memory.h"

#include <inttypes.h>
#include <string.h>

/* Interpreters of TFLite give the tensors of a called graph memory of their own. */
static int copies(const gsp_graph *g, gsp_node v)
{
    gsp_str const target = gsp_node_target(g, v);
    return target.size > 7u && memcmp(target.data, "tflite.", 7) == 0;
}

/* Bytes of the block of each node: the arena of the largest graph that it runs. */
static void set_blocks(memory_nested *all, const gsp_graph *g)
{
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        uint64_t *block = &all->block[g->first + v];
        gsp_called c;
        memset(&c, 0, sizeof c);
        while (gsp_node_is_callable(g, v) && copies(g, v) && gsp_called_next(g, v, &c)) {
            uint64_t const bytes = all->plans[c.graph].arena;
            *block = bytes > *block ? bytes : *block;
        }
    }
}

static gsp_status plan_graph(memory *m, const gsp_graph *g, gsp_error *err)
{
    gsp_memory_plan_desc desc = {0};
    gsp_arena arena;
    desc.align = (uint32_t)m->opt.align;
    desc.scratch = m->nested.block + g->first;
    cli_arena(m->session, &arena, gsp_memory_plan_bound(g, &desc));
    return gsp_memory_plan_run(&arena, g, &desc, &m->nested.plans[g->id], err);
}

/* Whether a node of the module runs a graph whose tensors are copies. */
static int has_blocks(const gsp_module *module)
{
    uint32_t i;
    for (i = 0; i < module->counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(module, i);
        gsp_node v;
        for (v = 0; v < g.n_nodes; v++) {
            gsp_called c;
            memset(&c, 0, sizeof c);
            if (gsp_node_is_callable(&g, v) && copies(&g, v) && gsp_called_next(&g, v, &c)) {
                return 1;
            }
        }
    }
    return 0;
}

gsp_status memory_nested_plan(memory *m, gsp_error *err)
{
    const gsp_module *module = &m->session->module;
    memory_nested *all = &m->nested;
    size_t const graphs = (size_t)module->counts.graphs + 1u;
    size_t const nodes = (size_t)module->counts.nodes + 1u;
    gsp_calls_result calls;
    gsp_arena arena;
    gsp_status status;
    uint32_t i;
    memset(all, 0, sizeof *all);
    if (module->counts.graphs < 2u || !has_blocks(module)) {
        return GSP_OK;
    }
    all->block = (uint64_t *)cli_alloc(m->session, nodes, sizeof *all->block);
    memcpy(all->block, module->run_bytes, (nodes - 1u) * sizeof *all->block);
    all->plans = (gsp_memory_plan_result *)cli_alloc(m->session, graphs, sizeof *all->plans);
    all->base = (uint64_t *)cli_alloc(m->session, graphs, sizeof *all->base);
    all->order = (uint32_t *)cli_alloc(m->session, graphs, sizeof *all->order);
    cli_arena(m->session, &arena, gsp_calls_bound(module));
    status = gsp_calls_run(&arena, module, &calls, err);
    for (i = 0; status == GSP_OK && i < calls.n_graphs; i++) {
        gsp_graph const g = gsp_module_graph(module, calls.order[i]);
        all->order[i] = calls.order[i];
        set_blocks(all, &g);
        status = m->graph.id == g.id ? GSP_OK : plan_graph(m, &g, err);
    }
    return status;
}

/* The block of a node in the plan of its graph. */
static const gsp_tensor *block_of(const gsp_memory_plan_result *plan, gsp_node v)
{
    uint32_t low = 0;
    uint32_t high = plan->n_tensors;
    while (low < high) { /* the first tensor after those of the node, of which scratch is last */
        uint32_t const middle = low + (high - low) / 2u;
        if (plan->tensors[middle].node <= v) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low > 0 && plan->tensors[low - 1u].node == v && plan->tensors[low - 1u].scratch
               ? &plan->tensors[low - 1u]
               : NULL;
}

/* Where the graphs that the nodes of a graph run begin. */
static void place_called(memory *m, const gsp_graph *g, const gsp_memory_plan_result *plan)
{
    memory_nested *all = &m->nested;
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        const gsp_tensor *block = copies(g, v) ? block_of(plan, v) : NULL;
        gsp_called c;
        memset(&c, 0, sizeof c);
        while (block != NULL && gsp_called_next(g, v, &c)) {
            uint64_t const at = all->base[g->id];
            uint64_t *base = &all->base[c.graph];
            uint64_t const to = at < MEMORY_TWICE ? at + block->offset : at;
            *base = *base == MEMORY_NOWHERE || *base == to ? to : MEMORY_TWICE;
        }
    }
}

void memory_nested_place(memory *m)
{
    const gsp_module *module = &m->session->module;
    memory_nested *all = &m->nested;
    uint32_t i;
    if (all->block == NULL) {
        return;
    }
    for (i = 0; i < module->counts.graphs; i++) {
        all->base[i] = MEMORY_NOWHERE;
    }
    all->base[m->graph.id] = 0;
    all->plans[m->graph.id] = m->memory_plan;
    for (i = module->counts.graphs; i > 0; i--) { /* callers first */
        gsp_graph const g = gsp_module_graph(module, all->order[i - 1u]);
        if (all->base[g.id] != MEMORY_NOWHERE) {
            place_called(m, &g, &all->plans[g.id]);
        }
    }
}

/* The plan takes blocks as they are; peaks inside them may be lower. */
gsp_status memory_nested_bound(memory *m, gsp_error *err)
{
    gsp_memory_plan_desc desc = m->memory_plan_desc;
    gsp_memory_plan_result peaks;
    gsp_arena arena;
    gsp_status status;
    if (m->nested.block == NULL || m->scratch == NULL) {
        return GSP_OK;
    }
    desc.scratch = m->scratch;
    cli_arena(m->session, &arena, gsp_memory_plan_bound(&m->graph, &desc));
    status = gsp_memory_plan_run(&arena, &m->graph, &desc, &peaks, err);
    if (status == GSP_OK && peaks.peak < m->memory_plan.peak) {
        m->memory_plan.peak = peaks.peak;
    }
    if (status == GSP_OK && peaks.peak < m->lower_bound) {
        m->lower_bound = peaks.peak;
    }
    cli_release(m->session, arena.base);
    return status;
}
