/* Tensors of regions that run row by row. */
#include "commands/memory/memory.h"

uint32_t *memory_lines_set(
    cli_session *s, gsp_tensor *tensors, const tile_graph *g, const gsp_tile_region *r)
{
    uint32_t *kept = tile_kept(s, g, r);
    uint32_t i;
    for (i = r->first; i <= r->last; i++) {
        const gsp_tile_value *v = &g->values[i];
        if (g->ops[i].kind == GSP_TILE_NONE) {
            continue;
        }
        tensors[v->tensor].begin = r->first;
        if (i != r->last) {
            tensors[v->tensor].end = r->last;
            tensors[v->tensor].bytes = v->bytes / v->rows[0] * kept[i - r->first];
        }
    }
    if (r->entry != GSP_NONE && g->values[r->entry].tensor + 1u != g->n_tensors) {
        gsp_tensor *t = &tensors[g->values[r->entry].tensor];
        t->end = t->end > r->last ? t->end : r->last;
    }
    return kept;
}

int memory_lines_pack(memory *m)
{
    gsp_arena arena;
    gsp_error err;
    gsp_memory_plan_result *r = &m->memory_plan;
    uint64_t end = 0;
    uint32_t i;
    for (i = 0; i < r->n_tensors; i++) { /* a plan to begin with: side by side */
        r->tensors[i].offset = end;
        end += (r->tensors[i].bytes + m->opt.align - 1u) / m->opt.align * m->opt.align;
    }
    r->arena = end;
    cli_arena(m->session, &arena, memory_pack_bound(m, r->n_tensors));
    return memory_pack(m, &arena, &err) == GSP_OK ? CLI_EXIT_OK
                                                  : cli_pass_error(m->session, &m->graph, &err);
}
