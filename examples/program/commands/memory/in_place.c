/* Results in place: what may stand where, and the tensors that a plan with them has. */
#include "commands/memory/memory.h"

#include "input/input.h"

#include <string.h>

/* The arena of the greedy plan of this order with these results in place, NULL for none; UINT64_MAX
 * if there is no plan. */
static uint64_t arena_with(const memory *m, const cli_in_place *in_place)
{
    memory one = *m;
    gsp_arena arena;
    uint64_t bytes = UINT64_MAX;
    one.memory_plan_desc.in_place = in_place != NULL ? in_place->arguments : NULL;
    cli_arena(m->session, &arena, gsp_memory_plan_bound(&m->graph, &one.memory_plan_desc));
    if (gsp_memory_plan_run(&arena, &m->graph, &one.memory_plan_desc, &one.memory_plan, NULL) ==
        GSP_OK) {
        bytes =
            in_place != NULL ? memory_children_least(&one, in_place->parts) : one.memory_plan.arena;
    }
    cli_release(m->session, arena.base);
    return bytes;
}

int memory_in_place_read(memory *m)
{
    if (!m->opt.in_place.given) {
        return CLI_EXIT_OK;
    }
    int const code = cli_in_place_read(m->session, m->opt.in_place.value, &m->graph, &m->in_place);
    m->memory_plan_desc.in_place = NULL;
    if (code == CLI_EXIT_OK) {
        m->separate = arena_with(m, NULL);
        m->memory_plan_desc.in_place = m->in_place.arguments;
    }
    return code;
}

uint64_t memory_in_place_least(const memory *m)
{
    cli_in_place in_place;
    if (m->opt.in_place.given || m->ids != NULL || m->several.n != 0) {
        return UINT64_MAX;
    }
    cli_in_place_known(m->session, &m->graph, &in_place);
    return arena_with(m, &in_place);
}

gsp_node memory_stands_on(const memory *m, gsp_node v)
{
    gsp_node const on = m->memory_plan.n_in_place != 0 ? m->memory_plan.stands_on[v] : GSP_NONE;
    return on == GSP_NONE && m->children.n != 0 ? m->children.lies_in[v] : on;
}

uint32_t memory_in_place_count(const memory *m)
{
    return m->memory_plan.n_in_place + m->children.n;
}

const gsp_tensor *memory_tensor_of(const memory *m, gsp_node v)
{
    const gsp_memory_plan_result *r = &m->memory_plan;
    const uint32_t *of = m->children.n != 0 ? m->children.tensor_of : r->tensor_of;
    const gsp_tensor *tensors = m->children.n != 0 ? m->children.tensors : r->tensors;
    return of[v] != GSP_NONE ? &tensors[of[v]] : NULL;
}

/* The step at which a node runs. */
static uint32_t step_of(const memory *m, gsp_node v)
{
    return m->step != NULL ? m->step[v] : v;
}

void memory_shown(memory *m)
{
    const gsp_memory_plan_result *r = &m->memory_plan;
    gsp_tensor *tensors = m->children.n != 0 ? m->children.tensors : r->tensors;
    uint32_t const n_tensors = m->children.n != 0 ? m->children.n_tensors : r->n_tensors;
    uint32_t const n = m->graph.n_nodes;
    gsp_tensor *of_node;
    gsp_node v;
    uint32_t i;
    m->shown = tensors;
    m->n_shown = n_tensors;
    if (r->n_in_place == 0) {
        return;
    }
    of_node = (gsp_tensor *)cli_alloc(m->session, (size_t)n + 1u, sizeof *of_node);
    m->shown = (gsp_tensor *)cli_alloc(m->session, 2u * (size_t)n + 1u, sizeof *m->shown);
    m->n_shown = 0;
    for (i = 0; i < n_tensors; i++) {
        if (!tensors[i].scratch) {
            of_node[tensors[i].node] = tensors[i];
        }
    }
    for (v = 0; v < n; v++) {
        const gsp_tensor *tensor = memory_tensor_of(m, v);
        if (tensor != NULL && r->stands_on[v] != GSP_NONE) {
            of_node[v] = *tensor;
            of_node[v].node = v;
            of_node[v].begin = step_of(m, v);
        }
    }
    for (v = 0; v < n; v++) { /* a tensor ends where a result takes its memory */
        if (r->stands_on[v] != GSP_NONE) {
            of_node[r->stands_on[v]].end = step_of(m, v);
        }
    }
    for (v = 0, i = 0; v < n; v++) {
        if (of_node[v].bytes != 0) {
            m->shown[m->n_shown++] = of_node[v];
        }
        for (; i < n_tensors &&
               (tensors[i].node < v || (tensors[i].node == v && !tensors[i].scratch));
             i++) {
        }
        if (i < n_tensors && tensors[i].node == v) {
            m->shown[m->n_shown++] = tensors[i];
        }
    }
}
