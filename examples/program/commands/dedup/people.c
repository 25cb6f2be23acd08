/* The report of `dedup` for people: repeated regions, their counts, and the size saved. */
#include "commands/dedup/dedup.h"

#include "output/output.h"

#include <inttypes.h>
#include <string.h>

#define ROWS 20u /* without --all */

static void put_line(cli_table *t, const char *what, const gsp_counts *c, uint64_t bytes)
{
    cli_cell_put(t, CLI_PLAIN, "%s", what);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, c->nodes);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, c->edges);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu64, bytes);
}

static void put_size(const dedup *p, cli_buffer *out)
{
    const gsp_counts *before = &p->session->module.counts;
    const gsp_counts *after = &p->result.module.counts;
    uint64_t bytes = dedup_text_bytes(&p->session->module);
    uint64_t now = dedup_text_bytes(&p->result.module);
    cli_table t;
    cli_table_init(&t, p->session, "lrrr");
    cli_table_head(&t, "|nodes|edges|bytes of text");
    put_line(&t, "before", before, bytes);
    put_line(&t, "after", after, now);
    cli_cell_put(&t, CLI_DIM, "of before");
    cli_put_percent(cli_cell_begin(&t, CLI_DIM), after->nodes, before->nodes);
    cli_put_percent(cli_cell_begin(&t, CLI_DIM), after->edges, before->edges);
    cli_put_percent(cli_cell_begin(&t, CLI_DIM), now, bytes);
    cli_puts(out, "\n");
    cli_table_write(&t, out);
}

/* The nodes of the first region, as many as fit. */
static void put_instance(const dedup *p, cli_buffer *out, uint32_t s)
{
    uint32_t rows = dedup_rows(p, s);
    gsp_node *nodes = dedup_region(p, s, p->result.selection.call_begin[s]);
    for (uint32_t i = 0; i < rows && i < 3u; i++) {
        cli_puts(out, i != 0 ? " " : "");
        cli_put_clipped(out, gsp_node_name(&p->graph, nodes[i]), 20u);
    }
    cli_puts(out, rows > 3u ? " ..." : "");
    cli_release(p->session, nodes);
}

static void put_subgraphs(const dedup *p, cli_buffer *out)
{
    uint32_t n = p->result.selection.n_subgraphs;
    uint32_t shown = cli_rows(p->session, n, ROWS);
    cli_table t;
    cli_table_init(&t, p->session, "lrrrrrkl");
    cli_table_head(&t, "subgraph|calls|left|nodes|in|out|fingerprint|first region");
    for (uint32_t i = 0; i < shown; i++) {
        gsp_graph g = gsp_module_graph(&p->result.module, i + 1u);
        uint32_t columns = p->result.regions.group_regions[p->result.selection.group_of[i]];
        uint32_t inputs;
        uint32_t outputs;
        char print[33] = "-";
        dedup_ports(&g, &inputs, &outputs);
        if (p->prints != NULL) {
            gsp_fingerprint_write(p->prints[i + 1u], print);
        }
        cli_put_clipped(cli_cell_begin(&t, CLI_BOLD), dedup_name(p, i), 40u);
        cli_cell_put(&t, CLI_GREEN, "%" PRIu32, dedup_calls(p, i));
        cli_cell_put(&t, CLI_DIM, "%" PRIu32, columns - dedup_calls(p, i));
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, dedup_rows(p, i));
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, inputs);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, outputs);
        cli_cell_put(&t, CLI_DIM, "%s", print);
        put_instance(p, cli_cell_begin(&t, CLI_PLAIN), i);
    }
    cli_puts(out, "\n");
    cli_table_write(&t, out);
    cli_put_rest(out, n, shown, NULL);
}

void dedup_people(const dedup *p, cli_buffer *out)
{
    const gsp_dedup_selection *a = &p->result.selection;
    const gsp_regions *r = &p->result.regions;
    const char *path = p->session->path;
    uint32_t found = 0;
    for (uint32_t i = 0; i < r->n_groups; i++) {
        found += r->group_regions[i];
    }
    cli_put_styled(out, CLI_BOLD, strcmp(path, "-") == 0 ? "standard input" : path);
    cli_printf(out, "  %" PRIu32 " nodes, %" PRIu32 " edge%s\n\n", p->graph.n_nodes,
        p->counts.edges, cli_plural(p->counts.edges));
    if (found == 0) {
        cli_puts(out, "  No region of two nodes or more occurs twice.\n");
        return;
    }
    cli_printf(out,
        "  %" PRIu32 " of %" PRIu32 " repeated region%s became call%s of %" PRIu32 " subgraph%s",
        a->n_calls, found, cli_plural(found), cli_plural(a->n_calls), a->n_subgraphs,
        cli_plural(a->n_subgraphs));
    if (a->n_calls < found) {
        cli_puts(out, ";\n"
                      "  the others share or write memory, are connected in another way, or would "
                      "close a cycle");
    }
    cli_puts(out, ".\n");
    if (p->opt.lift) {
        uint32_t lifted = dedup_lifted_arguments(p);
        cli_printf(out, "  %" PRIu32 " constant%s that differ%s between calls became argument%s.\n",
            lifted, cli_plural(lifted), lifted == 1u ? "s" : "", cli_plural(lifted));
    }
    if (a->n_subgraphs != 0) {
        put_subgraphs(p, out);
    }
    put_size(p, out);
}
