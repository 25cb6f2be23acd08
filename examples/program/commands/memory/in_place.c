/* Results in place: what may stand where, and the tensors that a plan with them has. */
#include "commands/memory/memory.h"

#include "input/input.h"

#include <string.h>

/* The arena of the greedy plan of this order with these results in place; UINT64_MAX if there is
 * none. */
static uint64_t arena_with(const memory *m, const uint32_t *in_place)
{
    gsp_memory_plan_desc desc = m->memory_plan_desc;
    gsp_memory_plan_result plan;
    gsp_arena arena;
    desc.in_place = in_place;
    cli_arena(m->session, &arena, gsp_memory_plan_bound(&m->graph, &desc));
    int const planned = gsp_memory_plan_run(&arena, &m->graph, &desc, &plan, NULL) == GSP_OK;
    cli_release(m->session, arena.base);
    return planned ? plan.arena : UINT64_MAX;
}

int memory_in_place_read(memory *m)
{
    uint32_t *in_place = NULL;
    if (!m->opt.in_place.given) {
        return CLI_EXIT_OK;
    }
    int const code = cli_in_place_read(m->session, m->opt.in_place.value, &m->graph, &in_place);
    m->memory_plan_desc.in_place = NULL;
    if (code == CLI_EXIT_OK) {
        m->separate = arena_with(m, NULL);
        m->memory_plan_desc.in_place = in_place;
    }
    return code;
}

uint64_t memory_in_place_least(const memory *m)
{
    uint32_t *in_place = NULL;
    if (m->opt.in_place.given || m->ids != NULL || m->several.n != 0) {
        return UINT64_MAX;
    }
    cli_in_place_known(m->session, &m->graph, &in_place);
    return arena_with(m, in_place);
}

uint32_t memory_step(const memory *m, gsp_node v)
{
    return m->step != NULL ? m->step[v] : v;
}

void memory_shown(memory *m)
{
    const gsp_memory_plan_result *r = &m->memory_plan;
    uint32_t const n = m->graph.n_nodes;
    gsp_tensor *of_node;
    gsp_node v;
    uint32_t i;
    m->shown = r->tensors;
    m->n_shown = r->n_tensors;
    if (r->n_in_place == 0) {
        return;
    }
    of_node = (gsp_tensor *)cli_alloc(m->session, (size_t)n + 1u, sizeof *of_node);
    m->shown = (gsp_tensor *)cli_alloc(m->session, 2u * (size_t)n + 1u, sizeof *m->shown);
    m->n_shown = 0;
    for (i = 0; i < r->n_tensors; i++) {
        if (!r->tensors[i].scratch) {
            of_node[r->tensors[i].node] = r->tensors[i];
        }
    }
    for (v = 0; v < n; v++) {
        if (r->stands_on[v] != GSP_NONE) {
            of_node[v] = r->tensors[r->tensor_of[v]];
            of_node[v].node = v;
            of_node[v].begin = memory_step(m, v);
        }
    }
    for (v = 0; v < n; v++) { /* a tensor ends where a result takes its memory */
        if (r->stands_on[v] != GSP_NONE) {
            of_node[r->stands_on[v]].end = memory_step(m, v);
        }
    }
    for (v = 0, i = 0; v < n; v++) {
        if (of_node[v].bytes != 0) {
            m->shown[m->n_shown++] = of_node[v];
        }
        for (; i < r->n_tensors &&
               (r->tensors[i].node < v || (r->tensors[i].node == v && !r->tensors[i].scratch));
             i++) {
        }
        if (i < r->n_tensors && r->tensors[i].node == v) {
            m->shown[m->n_shown++] = r->tensors[i];
        }
    }
}
