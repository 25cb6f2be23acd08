/* graphsplit split --once: which blocks were decided once, and why others were not. */
#include "split.h"

#include <inttypes.h>
#include <stddef.h>

size_t split_once_bound(const split *p, gsp_split_desc *desc)
{
    gsp_repeats most = {0};
    size_t find = gsp_repeats_bound(&p->counts, NULL);
    size_t cut;
    most.n_repeats = p->counts.nodes / 4u + 1u; /* of four blocks at least */
    desc->repeats = &most;
    cut = gsp_split_bound(&p->counts, desc);
    desc->repeats = NULL;
    return cut > SIZE_MAX - find ? SIZE_MAX : find + cut;
}

gsp_status split_once_find(split *p, gsp_arena *arena, gsp_error *err)
{
    gsp_status status = gsp_repeats_run(arena, &p->graph, NULL, &p->repeats, err);
    p->desc.repeats = &p->repeats;
    return status;
}

static void put_row(const split *p, uint32_t i, cli_table *t)
{
    const gsp_repeat *r = &p->repeats.repeats[i];
    const gsp_once *once = &p->result.once[i];
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, r->count);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, r->size);
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), gsp_node_name(&p->graph, r->begin), 40u);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, once->copied);
    cli_cell_put(t, CLI_PLAIN, "%s", gsp_once_text((gsp_once_why)once->why));
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN),
                    once->node == GSP_NONE ? gsp_text_of("") : gsp_node_name(&p->graph, once->node),
                    40u);
}

void split_put_once(const split *p, cli_buffer *out)
{
    uint64_t copied = 0;
    cli_table t;
    uint32_t i;
    for (i = 0; i < p->repeats.n_repeats; i++) {
        copied += (uint64_t)p->result.once[i].copied * p->repeats.repeats[i].size;
    }
    split_heading(out, "BLOCKS", "equal, and one after the other");
    if (p->repeats.n_repeats == 0) {
        cli_puts(out, "  none: every node was decided by itself\n");
        return;
    }
    cli_table_init(&t, p->session, "rrlrll");
    cli_table_head(&t, "blocks|nodes each|from|copied|why|such as");
    for (i = 0; i < p->repeats.n_repeats; i++) {
        put_row(p, i, &t);
    }
    cli_table_write(&t, out);
    cli_printf(out,
               "  %" PRIu64 " of %" PRIu32 " nodes took over what an equal block decided; the "
               "result is that of deciding every node.\n",
               copied, p->graph.n_nodes);
}
