/* The JSON of `split`: the porcelain, with bytes, reasons and culprits. */
#include "commands/split/split.h"

#include <inttypes.h>

static void put_acc(const split *p, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    const char *comma = "";
    gsp_node v;
    cli_puts(out, "\"acc\": [");
    for (v = 0; v < r->n_nodes; v++) {
        if (r->kind[v] != GSP_KIND_CPU && r->kind[v] != GSP_KIND_NONE) {
            cli_puts(out, comma);
            cli_json_string(out, gsp_node_name(&p->graph, v));
            comma = ", ";
        }
    }
    cli_puts(out, "],\n");
}

static void put_fusions(const split *p, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    uint8_t *fusion = split_is_fusion(p);
    uint32_t *begin;
    gsp_node *members = split_members(p->session, r->group, r->n_nodes, r->n_groups, &begin);
    const char *comma = "";
    uint32_t i;
    cli_puts(out, "\"fusion\": [");
    for (i = 0; i < r->n_groups; i++) {
        if (fusion[i]) {
            cli_puts(out, comma);
            cli_json_names(out, &p->graph, members + begin[i], begin[i + 1u] - begin[i]);
            comma = ", ";
        }
    }
    cli_puts(out, "],\n");
}

static void put_raw(const split *p, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    uint32_t *begin;
    gsp_node *members = split_members(p->session, r->raw_of, r->n_nodes, r->n_raw, &begin);
    uint32_t i;
    cli_puts(out, "\"raw\": [");
    for (i = 0; i < r->n_raw; i++) {
        cli_printf(out, "%s\n  {\"kind\": \"%s\", \"nodes\": ", i != 0 ? "," : "",
            r->names[r->raw_kind[i]]);
        cli_json_names(out, &p->graph, members + begin[i], begin[i + 1u] - begin[i]);
        cli_puts(out, "}");
    }
    cli_puts(out, "],\n");
}

/* Inputs and outputs of a submodule, in its order. */
static void put_ports(const split *p, cli_buffer *out, uint32_t subgraph)
{
    gsp_graph g = gsp_module_graph(&p->made.module, subgraph + 1u);
    const gsp_node *outputs;
    uint32_t n_out;
    uint32_t n_in = 0;
    gsp_node *inputs = (gsp_node *)cli_alloc(p->session, g.n_nodes, sizeof *inputs);
    gsp_node v;
    for (v = 0; v < g.n_nodes; v++) {
        if (gsp_node_op(&g, v) == GSP_OP_PLACEHOLDER) {
            inputs[n_in++] = v;
        }
    }
    outputs = gsp_node_inputs(&g, g.n_nodes - 1u, &n_out);
    cli_puts(out, ", \"inputs\": ");
    cli_json_names(out, &g, inputs, n_in);
    cli_puts(out, ", \"outputs\": ");
    cli_json_names(out, &g, outputs, n_out);
    cli_release(p->session, inputs);
}

static void put_subgraphs(const split *p, const split_facts *f, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    uint32_t i;
    cli_puts(out, "\"subgraphs\": [");
    for (i = 0; i < r->n_subgraphs; i++) {
        uint32_t begin = r->subgraph_begin[i];
        cli_puts(out, i != 0 ? ",\n  {\"tag\": " : "\n  {\"tag\": ");
        cli_json_string(out, gsp_str_of(p->tags[i]));
        cli_printf(out, ", \"kind\": \"%s\", \"nodes\": ", r->names[r->subgraph_kind[i]]);
        cli_json_names(out, &p->graph, r->nodes + begin, r->subgraph_begin[i + 1u] - begin);
        put_ports(p, out, i);
        cli_printf(out,
            ", \"bytes_in\": %" PRIu64 ", \"bytes_out\": %" PRIu64 ", \"param_bytes\": %" PRIu64
            "}",
            f->subgraphs[i].in, f->subgraphs[i].out, f->subgraphs[i].params);
    }
    cli_puts(out, "],\n");
}

static void put_nodes(const split *p, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    const char *comma = "";
    gsp_node v;
    cli_puts(out, "\"nodes\": [");
    for (v = 0; v < r->n_nodes; v++) {
        if (r->subgraph_of[v] == GSP_NONE) {
            continue;
        }
        cli_printf(out, "%s\n  {\"name\": ", comma);
        cli_json_string(out, gsp_node_name(&p->graph, v));
        cli_puts(out, ", \"operator\": ");
        cli_json_string(out, gsp_node_class(&p->graph, v));
        cli_printf(out, ", \"kind\": \"%s\", \"subgraph\": ", r->names[split_kind_of(p, v)]);
        cli_json_string(out, gsp_str_of(p->tags[r->subgraph_of[v]]));
        cli_printf(out, ", \"reason\": \"%s\", \"culprit\": ", split_reason_name(p, r->reason[v]));
        if (r->culprit[v] != GSP_NONE) {
            cli_json_string(out, gsp_node_name(&p->graph, r->culprit[v]));
        } else {
            cli_puts(out, "null");
        }
        cli_puts(out, "}");
        comma = ",";
    }
    cli_puts(out, "],\n");
}

/* Nodes with types that the list of their accelerator does not take, so that they are converted. */
static void put_conversions(const split *p, cli_buffer *out)
{
    const char *comma = "";
    gsp_node v;
    cli_puts(out, "\"conversions\": [");
    for (v = 0; v < p->result.n_nodes; v++) {
        split_objection o;
        if (split_is_converted(p, v, &o)) {
            cli_printf(out, "%s\n  {\"node\": ", comma);
            cli_json_string(out, gsp_node_name(&p->graph, v));
            cli_printf(out, ", \"kind\": \"%s\", \"value\": ", p->result.names[o.kind]);
            cli_json_string(out, gsp_node_name(&p->graph, o.node));
            cli_puts(out, ", \"dtype\": ");
            cli_json_string(out, o.dtype);
            cli_puts(out, ", \"taken\": ");
            cli_json_string(out, o.dtypes);
            cli_puts(out, "}");
            comma = ",";
        }
    }
    cli_puts(out, "],\n");
}

static void put_programs(cli_buffer *out, const char *key, const split_programs *n)
{
    cli_printf(out,
        "\"%s\": {\"graphs\": %" PRIu32 ", \"programs\": %" PRIu32 ", \"nodes\": %" PRIu64 "}", key,
        n->graphs, n->programs, n->nodes);
}

static void put_blocks(const split *p, cli_buffer *out)
{
    const split_blocks *b = p->blocks;
    uint32_t k;
    cli_puts(out, "\"blocks\": [");
    for (k = 0; k < b->result.selection.n_subgraphs; k++) {
        const char *comma = "";
        uint32_t i;
        cli_puts(out, k != 0 ? ",\n  {\"graph\": " : "\n  {\"graph\": ");
        cli_json_string(out, split_block_name(p, k));
        cli_puts(out, ", \"tags\": [");
        for (i = 0; i < p->result.n_subgraphs; i++) {
            if (b->shared[i] == k) {
                cli_puts(out, comma);
                cli_json_string(out, gsp_str_of(p->tags[i]));
                comma = ", ";
            }
        }
        cli_puts(out, "]}");
    }
    cli_puts(out, "],\n\"compiled\": {");
    put_programs(out, "before", &b->before);
    cli_puts(out, ", ");
    put_programs(out, "after", &b->after);
    cli_puts(out, "},\n");
}

void split_json(const split *p, cli_buffer *out)
{
    split_facts facts;
    split_run_peaks peaks;
    cli_macs_share macs;
    split_macs(p, &macs);
    split_facts_make(p, &facts);
    cli_puts(out, "{\"pass\": \"split\", ");
    cli_json_unknown(out, p->graph.module);
    cli_puts(out, "\"model\": ");
    cli_json_string(out, gsp_str_of(p->session->path));
    cli_puts(out, ",\n");
    cli_printf(out,
        "\"coverage\": {\"on_accelerators\": %" PRIu64 ", \"callable\": %" PRIu64
        ", \"upper_bound\": %s},\n",
        facts.nodes.on_acc, facts.nodes.all, p->place.is_bound ? "true" : "false");
    cli_json_macs(out, &macs, p->result.names, p->result.n_kinds);
    cli_puts(out, ",\n");
    put_acc(p, out);
    put_fusions(p, out);
    put_raw(p, out);
#ifndef CLI_NO_STDIN
    split_json_tries(p, out);
#endif
    if (SPLIT_HAS_TILES(p)) {
        split_json_tiles(p, out);
    }
    put_subgraphs(p, &facts, out);
    if (SPLIT_HAS_BLOCKS(p)) {
        put_blocks(p, out);
    }
    put_nodes(p, out);
    put_conversions(p, out);
#ifndef GSP_NO_FLOW
    split_json_convert(p, out);
#endif
    if (split_run_peaks_make(p, &peaks, NULL)) {
        cli_printf(out, "\"run_memory\": {\"peak\": %" PRIu64 ", \"given\": %" PRIu64 "},\n",
            peaks.run.bytes, peaks.given.bytes);
    }
    if (SPLIT_IS_TIMED(p)) {
        split_json_worth(p, out);
    }
    if (p->proof.what != SPLIT_PROOF_NONE) {
        cli_printf(out,
            "\"proof\": {\"objective\": %" PRIu64 ", \"bound\": %" PRIu64
            ", \"proved\": %s, \"reference\": %" PRIu64 "},\n",
            p->proof.objective, p->proof.bound,
            p->proof.objective == p->proof.bound && !split_has_unknown(p) ? "true" : "false",
            p->proof.reference);
    }
    if (p->opt.rewrite_to != UINT64_MAX) {
        split_json_rewrite(p, &facts, out);
    }
    cli_json_modules(out, &p->made.module);
    cli_puts(out, "}\n");
}
