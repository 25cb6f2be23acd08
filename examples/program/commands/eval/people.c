/* The report of `eval` for people. */
#include "commands/eval/eval.h"

#include "output/output.h"

#include <inttypes.h>

#define EVAL_ROWS 40u

static void put_name(cli_buffer *out, const char *before, gsp_str name, const char *after)
{
    cli_puts(out, before);
    cli_put_clipped(out, name, 60u);
    cli_puts(out, after);
}

static void put_cycle(const eval *e, cli_buffer *out)
{
    uint32_t i;
    cli_puts(out, "  parts read each other in a cycle: ");
    for (i = 0; i < e->score.n_cycle; i++) {
        put_name(out, "", e->parts.names[e->score.cycle[i]], " -> ");
    }
    put_name(out, "", e->parts.names[e->score.cycle[0]], "\n");
}

static void put_causes(const eval *e, cli_buffer *out)
{
    const gsp_score_result *r = &e->score;
    int const least = cli_graph_least(&e->graph, 0) || cli_graph_least(&e->graph, 1);
    uint32_t i;
    if (r->n_cycle != 0) {
        put_cycle(e, out);
    }
    if (r->empty != GSP_NONE) {
        put_name(out, "  part ", e->parts.names[r->empty], " has no nodes\n");
    }
    if (r->overloaded != GSP_NONE) {
        put_name(out, "  part ", e->parts.names[r->overloaded], "");
        cli_printf(out, " has a load of %" PRIu64 ", above %" PRIu64 "\n", r->load[r->overloaded],
            e->desc.capacity[r->overloaded]);
    }
    for (i = 0; i < e->n_devices; i++) {
        if (e->device_bytes[i] > e->devices[i].bytes) {
            put_name(out, "  device ", e->devices[i].name, " needs ");
            cli_put_least(out, e->device_bytes[i], least, cli_put_need);
            cli_puts(out, " and has ");
            cli_put_bytes(out, e->devices[i].bytes);
            cli_puts(out, "\n");
        }
    }
    if (r->group_node != GSP_NONE) {
        put_name(out, "  ", gsp_node_name(&e->graph, r->group_node),
            " is in another part than its group\n");
    }
    if (r->pin_node != GSP_NONE) {
        put_name(out, "  ", gsp_node_name(&e->graph, r->pin_node),
            " is not in the part that --fix says\n");
    }
    if (e->parts.n_lines != e->parts.n_wanted) {
        cli_printf(out, "  %" PRIu64 " lines for %" PRIu64 " nodes\n", e->parts.n_lines,
            e->parts.n_wanted);
    } else if (r->unplaced != GSP_NONE) {
        put_name(out, "  ", gsp_node_name(&e->graph, r->unplaced), " has no part\n");
    }
}

/* 1 if another part reads a value whose bytes are not known. */
static int is_cut_least(const eval *e)
{
    const uint32_t *part_of = e->score.part_of;
    gsp_node v;
    for (v = 0; v < e->graph.n_nodes; v++) {
        uint32_t n;
        const gsp_node *users = gsp_node_users(&e->graph, v, &n);
        while (n > 0 && (part_of[users[n - 1u]] == GSP_NONE || part_of[v] == GSP_NONE ||
                            part_of[users[n - 1u]] == part_of[v])) {
            n--;
        }
        if (n > 0 && cli_any_least(&e->graph, &v, 1u)) {
            return 1;
        }
    }
    return 0;
}

static void put_cuts(const eval *e, cli_buffer *out)
{
    const gsp_score_result *r = &e->score;
    int const least = is_cut_least(e);
    cli_printf(out, "  cut: %" PRIu32 " edge%s, %" PRIu32 " value%s; ", r->cut_edges,
        cli_plural(r->cut_edges), r->cut_values, cli_plural(r->cut_values));
    cli_put_least(out, r->written, least, cli_put_bytes);
    cli_puts(out, " written, ");
    cli_put_least(out, r->cut_bytes, least, cli_put_bytes);
    cli_puts(out, " read");
    if (r->n_cycle == 0) {
        cli_puts(out, ", ");
        cli_put_least(out, r->resident, least, cli_put_bytes);
        cli_puts(out, " resident");
    }
    cli_printf(out, "\n  load: largest %" PRIu64 ", mean %.6g, imbalance %.2f %%\n",
        r->largest_load, eval_mean(e), eval_imbalance(e) * 100.0);
    if (r->path > 0.0) {
        cli_puts(out, "  critical path ");
        cli_put_seconds(out, r->path);
        cli_puts(out, ", with one part at a time per device ");
        cli_put_seconds(out, r->serial);
        cli_puts(out, "\n");
    }
}

void eval_people(const eval *e, cli_buffer *out)
{
    uint32_t n = cli_rows(e->session, e->parts.n_parts, EVAL_ROWS);
    uint32_t n_nodes = 0;
    cli_table t;
    uint32_t i;
    for (i = 0; i < e->parts.n_parts; i++) {
        n_nodes += e->score.n_nodes[i];
    }
    cli_put_styled(out, CLI_BOLD, e->path);
    cli_printf(out, "  %" PRIu32 " part%s of %" PRIu32 " node%s: ", e->parts.n_parts,
        cli_plural(e->parts.n_parts), n_nodes, cli_plural(n_nodes));
    cli_put_style(out, e->valid ? CLI_GREEN : CLI_RED);
    cli_puts(out, e->valid ? "valid" : "not valid");
    cli_put_style(out, CLI_PLAIN);
    cli_puts(out, "\n");
    put_causes(e, out);
    put_cuts(e, out);
    cli_put_heading(out, "PARTS", NULL);
    cli_table_init(&t, e->session, "lrr");
    cli_table_head(&t, "part|nodes|load");
    for (i = 0; i < n; i++) {
        cli_put_clipped(cli_cell_begin(&t, CLI_PLAIN), e->parts.names[i], 40u);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, e->score.n_nodes[i]);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu64, e->score.load[i]);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, e->parts.n_parts, n, NULL);
}
