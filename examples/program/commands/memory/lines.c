/* Tensors of regions that run row by row. */
#include "commands/memory/memory.h"

static uint64_t aligned(const tile_graph *g, uint64_t bytes)
{
    return (bytes + g->align - 1u) / g->align * g->align;
}

int memory_lines_adds(const tile_graph *g, const gsp_tile_region *r, uint32_t op)
{
    return g->ops[op].n_in != 0 && g->ops[op].sums != 0 && g->ins[g->ops[op].first_in] >= r->first;
}

uint64_t memory_lines_sums(
    const tile_graph *g, const gsp_tile_region *r, const uint32_t *kept, uint32_t op)
{
    uint32_t const of = g->ins[g->ops[op].first_in];
    uint64_t at = aligned(g, g->values[of].bytes / g->values[of].rows[0] * kept[of - r->first]);
    uint32_t i;
    for (i = of + 1u; i < op; i++) {
        if (memory_lines_adds(g, r, i) && g->ins[g->ops[i].first_in] == of) {
            at += aligned(g, g->ops[i].sums);
        }
    }
    return at;
}

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
    for (i = r->first; i <= r->last; i++) {
        if (memory_lines_adds(g, r, i)) {
            tensors[g->values[g->ins[g->ops[i].first_in]].tensor].bytes =
                memory_lines_sums(g, r, kept, i) + aligned(g, g->ops[i].sums);
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
