/* --once of split and partition: which blocks were decided once, and why others were not. */
#include "output/once.h"

#include "core/buffer.h"
#include "core/json_string.h"
#include "output/table.h"

#include <inttypes.h>

gsp_repeats cli_once_most(const gsp_counts *counts)
{
    gsp_repeats most = {0};
    most.n_repeats = counts->nodes / 4u + 1u; /* of four blocks at least */
    return most;
}

static void put_row(const gsp_graph *graph, const gsp_repeat *r, const gsp_once *once, cli_table *t)
{
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, r->count);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, r->size);
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), gsp_node_name(graph, r->begin), 40u);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, once->copied);
    cli_cell_put(t, CLI_PLAIN, "%s", gsp_once_text((gsp_once_why)once->why));
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN),
                    once->node == GSP_NONE ? gsp_text_of("") : gsp_node_name(graph, once->node),
                    40u);
}

void cli_once_put(cli_session *s, const gsp_graph *graph, const gsp_repeats *repeats,
                  const gsp_once *once, cli_buffer *out)
{
    uint64_t copied = 0;
    cli_table t;
    uint32_t i;
    cli_puts(out, "\n");
    cli_put_styled(out, CLI_BOLD, "BLOCKS");
    cli_puts(out, "  equal, and one after the other\n");
    if (repeats->n_repeats == 0) {
        cli_puts(out, "  none: every node was decided by itself\n");
        return;
    }
    cli_table_init(&t, s, "rrlrll");
    cli_table_head(&t, "blocks|nodes each|from|copied|why|such as");
    for (i = 0; i < repeats->n_repeats; i++) {
        copied += (uint64_t)once[i].copied * repeats->repeats[i].size;
        put_row(graph, &repeats->repeats[i], &once[i], &t);
    }
    cli_table_write(&t, out);
    cli_printf(out,
               "  %" PRIu64 " of %" PRIu32 " nodes took over what an equal block decided; the "
               "result is that of deciding every node.\n",
               copied, graph->n_nodes);
}

void cli_once_json(const gsp_graph *graph, const gsp_repeats *repeats, const gsp_once *once,
                   cli_buffer *out)
{
    uint32_t i;
    cli_puts(out, "\"blocks\": [");
    for (i = 0; i < repeats->n_repeats; i++) {
        const gsp_repeat *r = &repeats->repeats[i];
        cli_printf(out, "%s\n  {\"blocks\": %" PRIu32 ", \"nodes_each\": %" PRIu32 ", \"from\": ",
                   i != 0 ? "," : "", r->count, r->size);
        cli_json_string(out, gsp_node_name(graph, r->begin));
        cli_printf(out, ", \"copied\": %" PRIu32 ", \"why\": \"%s\", \"such_as\": ", once[i].copied,
                   gsp_once_name((gsp_once_why)once[i].why));
        if (once[i].node != GSP_NONE) {
            cli_json_string(out, gsp_node_name(graph, once[i].node));
        } else {
            cli_puts(out, "null");
        }
        cli_puts(out, "}");
    }
    cli_puts(out, "],\n");
}
