/* The JSON of `eval`. */
#include "commands/eval/eval.h"

#include <inttypes.h>

static void put_cycle(const eval *e, cli_buffer *out)
{
    uint32_t i;
    cli_puts(out, "\"cycle\": [");
    for (i = 0; i < e->score.n_cycle; i++) {
        cli_puts(out, i != 0 ? ", " : "");
        cli_json_string(out, e->parts.names[e->score.cycle[i]]);
    }
    cli_puts(out, "]");
}

static void put_name(cli_buffer *out, const char *key, int given, gsp_str name)
{
    cli_printf(out, ", \"%s\": ", key);
    if (given) {
        cli_json_string(out, name);
    } else {
        cli_puts(out, "null");
    }
}

static gsp_str part_name(const eval *e, uint32_t part)
{
    return e->parts.names[part == GSP_NONE ? 0 : part];
}

static void put_parts(const eval *e, cli_buffer *out)
{
    uint32_t i;
    cli_puts(out, "\"parts\": [");
    for (i = 0; i < e->parts.n_parts; i++) {
        cli_printf(out, "%s\n  {\"part\": ", i != 0 ? "," : "");
        cli_json_string(out, e->parts.names[i]);
        cli_printf(out, ", \"nodes\": %" PRIu32 ", \"load\": %" PRIu64 "}", e->score.n_nodes[i],
            e->score.load[i]);
    }
    cli_puts(out, "],\n\"devices\": [");
    for (i = 0; i < e->n_devices; i++) {
        cli_printf(out, "%s\n  {\"device\": ", i != 0 ? "," : "");
        cli_json_string(out, e->devices[i].name);
        cli_printf(out, ", \"bytes\": %" PRIu64 ", \"limit\": %" PRIu64 "}", e->device_bytes[i],
            e->devices[i].bytes);
    }
    cli_puts(out, "]}\n");
}

void eval_json(const eval *e, cli_buffer *out)
{
    const gsp_score_result *r = &e->score;
    cli_puts(out, "{\"pass\": \"eval\", ");
    cli_json_unknown(out, e->graph.module);
    cli_printf(out,
        "\"valid\": %s, \"cut_edges\": %" PRIu32 ", \"cut_values\": %" PRIu32
        ", \"cut_bytes\": %" PRIu64 ", \"written\": %" PRIu64 ", \"resident\": %" PRIu64
        ",\n\"largest\": %" PRIu64
        ", \"mean\": %.17g, \"imbalance\": %.17g, \"path\": %.17g, \"serial\": %.17g,\n",
        e->valid ? "true" : "false", r->cut_edges, r->cut_values, r->cut_bytes, r->written,
        r->resident, r->largest_load, eval_mean(e), eval_imbalance(e), r->path, r->serial);
    put_cycle(e, out);
    put_name(out, "empty", r->empty != GSP_NONE, part_name(e, r->empty));
    put_name(out, "over", r->overloaded != GSP_NONE, part_name(e, r->overloaded));
    put_name(out, "torn", r->group_node != GSP_NONE, gsp_node_name(&e->graph, r->group_node));
    put_name(out, "moved", r->pin_node != GSP_NONE, gsp_node_name(&e->graph, r->pin_node));
    put_name(out, "unplaced", r->unplaced != GSP_NONE, gsp_node_name(&e->graph, r->unplaced));
    cli_printf(out, ", \"lines\": %" PRIu64 ", \"wanted\": %" PRIu64 ",\n", e->parts.n_lines,
        e->parts.n_wanted);
    put_parts(e, out);
}
