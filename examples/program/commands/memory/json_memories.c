/* The JSON of `memory` with several memories. */
#include "commands/memory/memory.h"

#include <inttypes.h>

static void json_tensor(const memory *m, uint32_t i, cli_buffer *out)
{
    const memory_several *all = &m->several;
    const gsp_tensor *t = &m->memory_plan.tensors[i];
    uint64_t const cost = all->list[all->result.memory[i]].cost;
    cli_puts(out, i != 0 ? ",\n  {\"node\": " : "\n  {\"node\": ");
    cli_json_string(out, memory_tensor_name(m, t));
    cli_printf(out, ", \"kind\": \"%s\", \"memory\": ", memory_kind_word(all->kind[i]));
    cli_json_string(out, all->names[all->result.memory[i]]);
    cli_printf(out,
        ", \"offset\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"first\": %" PRIu32
        ", \"last\": %" PRIu32 ", \"traffic\": %" PRIu64 ", \"cost\": %" PRIu64
        ", \"spill\": %" PRIu64 "}",
        t->offset, t->bytes, t->begin, t->end, all->traffic[i], all->traffic[i] * cost,
        all->traffic[i] * (cost - all->list[all->home[i]].cost));
}

void memory_json_in_place(const memory *m, cli_buffer *out)
{
    const char *before = "\n  {\"node\": ";
    gsp_node v;
    if (!m->opt.in_place.given) {
        return;
    }
    cli_puts(out, ", \"in_place\": [");
    for (v = 0; v < m->graph.n_nodes && memory_in_place_count(m) != 0; v++) {
        gsp_node const on = memory_stands_on(m, v);
        if (on != GSP_NONE) {
            cli_puts(out, before);
            cli_json_string(out, gsp_node_name(&m->graph, v));
            cli_puts(out, ", \"on\": ");
            cli_json_string(out, gsp_node_name(&m->graph, on));
            cli_puts(out, "}");
            before = ",\n  {\"node\": ";
        }
    }
    cli_puts(out, "]");
}

void memory_json_memories(const memory *m, cli_buffer *out)
{
    const memory_several *all = &m->several;
    const gsp_memories_result *r = &all->result;
    uint32_t i;
    cli_puts(out, "\"memories\": [");
    for (i = 0; i < all->n; i++) {
        const memory_use *use = &all->use[i];
        cli_puts(out, i != 0 ? ",\n  {\"name\": " : "\n  {\"name\": ");
        cli_json_string(out, all->names[i]);
        cli_printf(out,
            ", \"capacity\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"least\": %" PRIu64
            ", \"align\": %" PRIu32 ", \"tensors\": %" PRIu32 ", \"cost\": %" PRIu64 "}",
            all->list[i].bytes, use->bytes, use->least, all->list[i].align, use->tensors,
            use->traffic * all->list[i].cost);
    }
    cli_puts(out, "],\n\"tensors\": [");
    for (i = 0; i < m->memory_plan.n_tensors; i++) {
        json_tensor(m, i, out);
    }
    cli_puts(out, "]");
    memory_json_in_place(m, out);
    if (m->opt.prefetch) {
        memory_prefetch_json(m, out);
    }
    cli_printf(out,
        ",\n\"proof\": {\"objective\": %" PRIu64 ", \"bound\": %" PRIu64
        ", \"proved\": %s, \"reference\": %" PRIu64 "}",
        r->cost, r->lower_bound,
        memory_proves(m, r->cost == r->lower_bound && !memory_has_blocks(m)) ? "true" : "false",
        r->greedy != UINT64_MAX ? r->greedy : r->cost);
}
