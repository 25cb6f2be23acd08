/* Splits as if the first accelerator supported more operators. */
#include "algorithms/algorithms.h"

#include "core/core.h"

void cli_trial_open(cli_trial *t, struct cli_session *s, const cli_trial_desc *desc)
{
    const gsp_graph *g = desc->graph;
    t->given = *desc;
    t->placement = *desc->placement;
    t->placement.kind = (uint8_t *)cli_alloc(s, g->n_nodes, 1u);
    t->supported = (uint8_t *)cli_alloc(s, (size_t)desc->n_operators + 1u, 1u);
    t->desc = *desc->split;
    t->desc.placement = &t->placement;
    t->desc.limit = 0;
    t->desc.limit_policy = GSP_LIMIT_ERROR;
    cli_arena(s, &t->arena, gsp_split_bound(g, &t->desc));
    t->start = gsp_arena_mark(&t->arena);
}

int cli_trial_run(cli_trial *t)
{
    const gsp_graph *g = t->given.graph;
    const gsp_placement *now = t->given.placement;
    const uint32_t *of = t->given.operator_of;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        int supported = of[v] != GSP_NONE && t->supported[of[v]] && now->kind[v] == GSP_KIND_CPU &&
                        now->reason[v] == GSP_REASON_UNSUPPORTED;
        t->placement.kind[v] = supported ? 1u : now->kind[v];
    }
    gsp_arena_rewind(&t->arena, t->start);
    return gsp_split_run(&t->arena, g, &t->desc, &t->result, NULL) == GSP_OK;
}

uint32_t cli_trial_one(cli_trial *t, uint32_t op)
{
    int done;
    t->supported[op] = 1;
    done = cli_trial_run(t);
    t->supported[op] = 0;
    return done ? t->result.n_subgraphs : GSP_NONE;
}
