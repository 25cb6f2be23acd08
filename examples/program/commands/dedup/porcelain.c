/* The porcelain of `dedup`. */
#include "commands/dedup/dedup.h"

#include "output/output.h"

#include <inttypes.h>

void dedup_porcelain(const dedup *p, cli_buffer *out)
{
    const gsp_dedup_selection *a = &p->result.selection;
    for (uint32_t s = 0; s < a->n_subgraphs; s++) {
        for (uint32_t c = a->call_begin[s]; c < a->call_begin[s + 1u]; c++) {
            gsp_node *nodes = dedup_region(p, s, c);
            cli_puts(out, "region ");
            cli_put_text(out, dedup_name(p, s));
            cli_printf(out, " %" PRIu32 " :", c - a->call_begin[s]);
            cli_porcelain_names(out, &p->graph, nodes, dedup_rows(p, s));
            cli_release(p->session, nodes);
        }
    }
    cli_porcelain_modules(out, &p->result.module);
}
