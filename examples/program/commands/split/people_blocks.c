/* What compilers of accelerators get with --blocks. */
#include "commands/split/split.h"

#include <inttypes.h>

static void put_programs(cli_buffer *out, const char *when, const split_programs *n)
{
    cli_printf(out,
        "  %s  %" PRIu32 " graph%s on accelerators, %" PRIu32 " to compile, of %" PRIu64
        " node%s\n",
        when, n->graphs, cli_plural(n->graphs), n->programs, n->nodes, cli_plural(n->nodes));
}

void split_people_blocks(const split *p, cli_buffer *out)
{
    const split_blocks *b = p->blocks;
    uint32_t const n = b->result.selection.n_subgraphs;
    uint32_t const shown = cli_rows(p->session, n, 10u);
    uint32_t k;
    cli_put_heading(out, "Blocks", NULL);
    if (n == 0) {
        cli_puts(out, "  No region of two nodes or more repeats on an accelerator.\n");
        return;
    }
    put_programs(out, "before", &b->before);
    put_programs(out, "after ", &b->after);
    for (k = 0; k < shown; k++) {
        const gsp_dedup_selection *a = &b->result.selection;
        cli_puts(out, "  ");
        cli_put_text(out, split_block_name(p, k));
        cli_printf(out, " is %" PRIu32 " subgraphs\n", a->call_begin[k + 1u] - a->call_begin[k]);
    }
    cli_put_rest(out, n, shown, NULL);
}
