/* --save-plan of `split`: parts are subgraphs; their notes are the kinds. */
#include "commands/split/split.h"

int split_save_plan(const split *p)
{
    const gsp_split_result *r = &p->result;
    gsp_str *names = (gsp_str *)cli_alloc(p->session, (size_t)r->n_subgraphs + 1u, sizeof *names);
    gsp_str *notes = (gsp_str *)cli_alloc(p->session, (size_t)r->n_subgraphs + 1u, sizeof *notes);
    cli_plan_desc desc = {0};
    uint32_t i;
    for (i = 0; i < r->n_subgraphs; i++) {
        names[i] = gsp_str_of(p->tags[i]);
        notes[i] = gsp_str_of(r->names[r->subgraph_kind[i]]);
    }
    desc.n_parts = r->n_subgraphs;
    desc.part_of = r->subgraph_of;
    desc.names = names;
    desc.notes = notes;
    return cli_plan_save(p->session, p->opt.save_plan, &p->graph, &desc);
}
