/* The JSON of `dedup`. */
#include "commands/dedup/dedup.h"

#include "output/output.h"

#include <inttypes.h>

static void put_subgraph(const dedup *p, cli_buffer *out, uint32_t s)
{
    const gsp_dedup_selection *a = &p->result.selection;
    cli_puts(out, "{\"name\": ");
    cli_json_string(out, dedup_name(p, s));
    cli_printf(out, ", \"found\": %" PRIu32 ", ", p->result.regions.group_regions[a->group_of[s]]);
    cli_json_fingerprint(out, p->prints != NULL ? &p->prints[s + 1u] : NULL);
    if (p->opt.lift) {
        cli_printf(out, ", \"lifted\": %" PRIu32, p->lifted.arguments[s]);
    }
    cli_puts(out, ",\n   \"regions\": [");
    for (uint32_t c = a->call_begin[s]; c < a->call_begin[s + 1u]; c++) {
        gsp_node *nodes = dedup_region(p, s, c);
        cli_puts(out, c != a->call_begin[s] ? ",\n    " : "\n    ");
        cli_json_names(out, &p->graph, nodes, dedup_rows(p, s));
        cli_release(p->session, nodes);
    }
    cli_puts(out, "]}");
}

void dedup_json(const dedup *p, cli_buffer *out)
{
    const gsp_dedup_selection *a = &p->result.selection;
    cli_printf(out,
        "{\"pass\": \"dedup\", \"nodes\": %" PRIu32 ", \"edges\": %" PRIu32
        ", \"nodes_after\": %" PRIu32 ", \"groups_found\": %" PRIu32,
        p->graph.n_nodes, p->counts.edges, p->result.module.counts.nodes,
        p->result.regions.n_groups);
    if (p->opt.lift) {
        cli_printf(out, ", \"constants_lifted\": %" PRIu32, dedup_lifted_arguments(p));
    }
    cli_puts(out, ",\n \"subgraphs\": [");
    for (uint32_t i = 0; i < a->n_subgraphs; i++) {
        cli_puts(out, i != 0 ? ",\n  " : "\n  ");
        put_subgraph(p, out, i);
    }
    cli_puts(out, "],\n ");
    cli_json_modules(out, &p->result.module);
    cli_puts(out, "}\n");
}
