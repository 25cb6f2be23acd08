/* The report of `memory` with several memories, for people. */
#include "commands/memory/memory.h"

#include "output/output.h"

#include <inttypes.h>
#include <stdlib.h>

#define ROWS   20u /* of a table, without --all */
#define SECOND 1e12

static void put_cost(cli_buffer *out, uint64_t cost)
{
    cli_put_seconds(out, (double)cost / SECOND);
}

void memory_people_cost(const memory *m, cli_buffer *out)
{
    const gsp_memories_result *r = &m->several.result;
    if (m->opt.prefetch) {
        memory_prefetch_people(m, out);
        return;
    }
    cli_puts(out, "  traffic     ");
    cli_put_style(out, CLI_BOLD);
    put_cost(out, r->cost);
    cli_put_style(out, CLI_PLAIN);
    cli_printf(out,
        " to read and write %" PRIu32 " tensors in %" PRIu32 " memor%s,\n              ",
        m->memory_plan.n_tensors, m->several.n, m->several.n == 1u ? "y" : "ies");
    if (!memory_proves(m, 1)) {
        cli_puts(out, "by what is known: ");
        cli_put_open_sizes(out, m->graph.module);
    } else if (r->cost == r->lower_bound) {
        cli_puts(out, memory_has_blocks(m)
                          ? "no assignment costs less if what a node runs is one block"
                          : "no assignment costs less, proved by search");
    } else {
        cli_puts(out, "and none costs less than ");
        put_cost(out, r->lower_bound);
        cli_puts(out, "; --exact=WORK searches longer");
    }
    if (r->greedy != UINT64_MAX && r->greedy > r->cost) {
        cli_puts(out, "\n              (the greedy assignment: ");
        put_cost(out, r->greedy);
        cli_puts(out, ")");
    }
    cli_puts(out, "\n");
}

static void put_list(const memory *m, cli_buffer *out)
{
    const memory_several *all = &m->several;
    cli_table t;
    uint32_t i;
    cli_put_heading(out, "MEMORIES", "as given");
    cli_table_init(&t, m->session, "lrrrrrrr");
    cli_table_head(&t, "memory|capacity|used|share|tensors|read and written|ns per byte|costs");
    for (i = 0; i < all->n; i++) {
        const memory_use *use = &all->use[i];
        cli_put_clipped(cli_cell_begin(&t, CLI_PLAIN), all->names[i], 24u);
        cli_put_bytes(cli_cell_begin(&t, CLI_PLAIN), all->list[i].bytes);
        cli_put_need(cli_cell_begin(&t, CLI_PLAIN), use->bytes);
        cli_put_percent(cli_cell_begin(&t, CLI_PLAIN), use->bytes, all->list[i].bytes);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, use->tensors);
        cli_put_bytes(cli_cell_begin(&t, CLI_PLAIN), use->traffic);
        cli_cell_put(&t, CLI_PLAIN, "%g", (double)all->list[i].cost / 1000.0);
        put_cost(cli_cell_begin(&t, CLI_PLAIN), use->traffic * all->list[i].cost);
    }
    cli_table_write(&t, out);
}

typedef struct spill {
    uint64_t more;
    uint32_t tensor;
} spill;

static int compare_spills(const void *a, const void *b)
{
    const spill *x = (const spill *)a;
    const spill *y = (const spill *)b;
    if (x->more != y->more) {
        return x->more < y->more ? 1 : -1;
    }
    return (x->tensor > y->tensor) - (x->tensor < y->tensor);
}

static void put_spill(const memory *m, const spill *s, cli_table *t)
{
    const memory_several *all = &m->several;
    const gsp_tensor *tensor = &m->memory_plan.tensors[s->tensor];
    uint32_t const in = all->result.memory[s->tensor];
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), memory_tensor_name(m, tensor), 40u);
    cli_put_clipped(
        cli_cell_begin(t, CLI_PLAIN), gsp_str_of(memory_kind_word(all->kind[s->tensor])), 12u);
    cli_put_bytes(cli_cell_begin(t, CLI_PLAIN), tensor->bytes);
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), all->names[in], 16u);
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), all->names[all->home[s->tensor]], 16u);
    cli_put_bytes(cli_cell_begin(t, CLI_PLAIN), all->traffic[s->tensor]);
    put_cost(cli_cell_begin(t, CLI_PLAIN), s->more);
}

void memory_people_memories(const memory *m, cli_buffer *out)
{
    const memory_several *all = &m->several;
    spill *list;
    uint32_t shown = cli_rows(m->session, all->spilled, ROWS);
    uint32_t n = 0;
    uint32_t i;
    cli_table t;
    if (all->n == 0) {
        return;
    }
    put_list(m, out);
    if (m->opt.prefetch) {
        memory_prefetch_people_copies(m, out);
        return;
    }
    if (all->spilled == 0) {
        cli_puts(out, "Every tensor lies in its cheapest memory.\n");
        return;
    }
    list = (spill *)cli_alloc(m->session, all->spilled, sizeof *list);
    for (i = 0; i < m->memory_plan.n_tensors; i++) {
        uint32_t const in = all->result.memory[i];
        if (in != all->home[i]) {
            list[n].more = all->traffic[i] * (all->list[in].cost - all->list[all->home[i]].cost);
            list[n++].tensor = i;
        }
    }
    qsort(list, n, sizeof *list, compare_spills);
    cli_put_heading(out, "SPILLED", "not in the memory where they cost least");
    cli_table_init(&t, m->session, "llrllrr");
    cli_table_head(&t, "tensor|kind|bytes|lies in|not in|read and written|costs more");
    for (i = 0; i < shown; i++) {
        put_spill(m, &list[i], &t);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, n, shown, "tensor");
}
