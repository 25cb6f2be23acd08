#include "commands/split/split.h"

int split_run(split *p, const gsp_split_desc *desc, gsp_split_result *result)
{
    gsp_arena arena;
    gsp_error err;
    size_t const bound = gsp_split_bound(&p->graph, desc);
    if (bound == SIZE_MAX) {
        (void)cli_error(p->session, GSP_STATUS_OVERFLOW, "the split is too large for this machine");
        return CLI_EXIT_FAILED;
    }
    cli_arena(p->session, &arena, bound);
    if (gsp_split_run(&arena, &p->graph, desc, result, &err) != GSP_OK) {
        (void)cli_pass_error(p->session, &p->graph, &err);
        return CLI_EXIT_FAILED;
    }
    return CLI_EXIT_OK;
}

int split_take(split *p, const gsp_split_result *reference, const uint8_t *kind,
    gsp_split_desc *desc, gsp_placement *placement, gsp_split_result *result)
{
    gsp_node v;
    *placement = p->placement;
    placement->kind = (uint8_t *)(uintptr_t)kind;
    placement->group = (uint32_t *)(uintptr_t)reference->group;
    placement->reason = (uint8_t *)cli_alloc(p->session, p->graph.n_nodes, 1u);
    placement->culprit =
        (gsp_node *)cli_alloc(p->session, p->graph.n_nodes, sizeof *placement->culprit);
    for (v = 0; v < p->graph.n_nodes; v++) {
        int const called = reference->kind[v] != GSP_KIND_NONE;
        int const gives_way =
            called && reference->kind[v] != GSP_KIND_CPU && kind[v] == GSP_KIND_CPU;
        int const stays = called && kind[v] != GSP_KIND_CPU;
        placement->reason[v] = gives_way ? (uint8_t)GSP_REASON_LIMIT
                               : stays   ? p->placement.reason[v]
                                         : reference->reason[v];
        placement->culprit[v] = gives_way ? GSP_NONE : reference->culprit[v];
    }
    *desc = p->desc;
    desc->placement = placement;
    desc->best_start = 1;
    desc->skip_fusion = 1;
    desc->allow_non_tensor = 1;
    return split_run(p, desc, result);
}
