/* The JSON of `preview`. */
#include "commands/preview/preview.h"

#include <inttypes.h>

static void json_odd(const preview *w, cli_buffer *out, const gsp_node *nodes, uint32_t n)
{
    const char *comma = "";
    uint32_t i;
    cli_puts(out, "[");
    for (i = 0; i < n; i++) {
        if (gsp_node_value_kind(&w->cut.graph, nodes[i]) != GSP_VALUE_TENSOR) {
            cli_puts(out, comma);
            cli_json_string(out, gsp_node_name(&w->cut.graph, nodes[i]));
            comma = ", ";
        }
    }
    cli_puts(out, "]");
}

static void json_subgraph(const preview *w, cli_buffer *out, uint32_t i)
{
    const gsp_preview_subgraph *s = &w->result.subgraphs[i];
    double rate;
    cli_puts(out, i != 0 ? ",\n  {\"tag\": " : "\n  {\"tag\": ");
    cli_json_string(out, gsp_str_of(w->cut.tags[i]));
    cli_printf(
        out, ", \"kind\": \"%s\", \"nodes\": %" PRIu32, preview_kind(w, s->kind), s->n_nodes);
    cli_printf(out, ", \"inputs\": %" PRIu32 ", \"bytes_in\": %" PRIu64, s->n_inputs, s->bytes_in);
    cli_printf(
        out, ", \"outputs\": %" PRIu32 ", \"bytes_out\": %" PRIu64, s->n_outputs, s->bytes_out);
    cli_puts(out, ", \"non_tensor_in\": ");
    json_odd(w, out, s->inputs, s->n_inputs);
    cli_puts(out, ", \"non_tensor_out\": ");
    json_odd(w, out, s->outputs, s->n_outputs);
    if (s->kind != GSP_KIND_CPU && gsp_preview_rate(&w->result, i, &rate)) {
        cli_printf(out, ", \"rate\": %.17g}", rate);
    } else {
        cli_puts(out, ", \"rate\": null}");
    }
}

void preview_json(const preview *w, cli_buffer *out)
{
    const gsp_preview_result *r = &w->result;
    cli_macs_share macs;
    uint32_t i;
    preview_macs(w, &macs);
    cli_puts(out, "{\"pass\": \"preview\", ");
    cli_json_unknown(out, w->cut.graph.module);
    cli_puts(out, "\"model\": ");
    cli_json_string(out, gsp_str_of(w->cut.session->path));
    cli_puts(out, ",\n\"types\": [");
    for (i = 0; i < w->types.n_signatures; i++) {
        const gsp_signature *s = &w->types.signatures[i];
        cli_buffer text;
        cli_buffer_init(&text, w->cut.session);
        preview_put_signature(w, &text, s);
        cli_printf(out,
            "%s\n  {\"kind\": \"%s\", \"nodes\": %" PRIu32 ", \"name\": ", i != 0 ? "," : "",
            preview_kind(w, s->kind), s->n_nodes);
        cli_json_string(out, s->name);
        cli_puts(out, ", \"dtypes\": \"");
        cli_json_escape_sink(out, text.data, text.size);
        cli_puts(out, "\"}");
        cli_release(w->cut.session, text.data);
    }
    cli_printf(out,
        "],\n\"before\": {\"acc\": %" PRIu32 ", \"cpu\": %" PRIu32
        "}, \"after\": {\"acc\": %" PRIu32 ", \"cpu\": %" PRIu32 "},\n",
        r->raw_acc, r->raw_cpu, r->n_acc, r->n_cpu);
    cli_json_macs(out, &macs, w->cut.result.names, w->cut.result.n_kinds);
    cli_puts(out, ",\n\"subgraphs\": [");
    for (i = 0; i < r->n_subgraphs; i++) {
        json_subgraph(w, out, i);
    }
    cli_printf(out, "],\n\"bandwidth\": %" PRIu64 ", \"bottleneck\": ", r->bandwidth);
    if (r->bottleneck != GSP_NONE) {
        cli_json_string(out, gsp_str_of(w->cut.tags[r->bottleneck]));
        cli_puts(out, "}\n");
    } else {
        cli_puts(out, "null}\n");
    }
}
