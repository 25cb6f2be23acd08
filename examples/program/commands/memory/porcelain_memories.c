/* The porcelain of `memory` with several memories. */
#include "commands/memory/memory.h"

#include <inttypes.h>

static void put_memory(const memory_several *all, uint32_t i, cli_buffer *out)
{
    const memory_use *use = &all->use[i];
    cli_printf(out,
        "arena bytes=%" PRIu64 " least=%" PRIu64 " align=%" PRIu32 " tensors=%" PRIu32 " memory=",
        use->bytes, use->least, all->list[i].align, use->tensors);
    cli_put_text(out, all->names[i]);
    cli_printf(out, " capacity=%" PRIu64 " cost=%" PRIu64 "\n", all->list[i].bytes,
        use->traffic * all->list[i].cost);
}

static void put_tensor(const memory *m, uint32_t i, cli_buffer *out)
{
    const memory_several *all = &m->several;
    const gsp_tensor *t = &m->memory_plan.tensors[i];
    cli_printf(out, "%s ", memory_kind_word(all->kind[i]));
    cli_put_text(out, memory_tensor_name(m, t));
    cli_printf(out,
        " offset=%" PRIu64 " bytes=%" PRIu64 " first=%" PRIu32 " last=%" PRIu32 " memory=",
        t->offset, t->bytes, t->begin, t->end);
    cli_put_text(out, all->names[all->result.memory[i]]);
    cli_puts(out, "\n");
}

/* A tensor that costs more than in its cheapest memory. */
static void put_spill(const memory *m, uint32_t i, cli_buffer *out)
{
    const memory_several *all = &m->several;
    uint64_t const cost = all->list[all->result.memory[i]].cost;
    uint64_t const least = all->list[all->home[i]].cost;
    if (cost == least) {
        return;
    }
    cli_puts(out, "spill ");
    cli_put_text(out, memory_tensor_name(m, &m->memory_plan.tensors[i]));
    cli_printf(out, " traffic=%" PRIu64 " cost=%" PRIu64 " more=%" PRIu64 " home=", all->traffic[i],
        all->traffic[i] * cost, all->traffic[i] * (cost - least));
    cli_put_text(out, all->names[all->home[i]]);
    cli_puts(out, "\n");
}

void memory_porcelain_in_place(const memory *m, cli_buffer *out)
{
    gsp_node v;
    for (v = 0; v < m->graph.n_nodes && memory_in_place_count(m) != 0; v++) {
        gsp_node const on = memory_stands_on(m, v);
        if (on != GSP_NONE) {
            cli_puts(out, "inplace ");
            cli_put_text(out, gsp_node_name(&m->graph, v));
            cli_puts(out, " on ");
            cli_put_text(out, gsp_node_name(&m->graph, on));
            cli_puts(out, "\n");
        }
    }
}

void memory_porcelain_memories(const memory *m, cli_buffer *out)
{
    const gsp_memories_result *r = &m->several.result;
    uint32_t i;
    for (i = 0; i < m->several.n; i++) {
        put_memory(&m->several, i, out);
    }
    for (i = 0; i < m->memory_plan.n_tensors; i++) {
        put_tensor(m, i, out);
    }
    memory_porcelain_in_place(m, out);
    for (i = 0; i < m->memory_plan.n_tensors; i++) {
        put_spill(m, i, out);
    }
    if (m->opt.prefetch) {
        memory_prefetch_porcelain(m, out);
    }
    cli_printf(out,
        "proof objective=%" PRIu64 " bound=%" PRIu64 " proved=%d reference=%" PRIu64 "\n", r->cost,
        r->lower_bound, memory_proves(m, r->cost == r->lower_bound && !memory_has_blocks(m)),
        r->greedy != UINT64_MAX ? r->greedy : r->cost);
}
