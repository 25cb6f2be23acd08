/* The report of `preview` for people. */
#include "commands/preview/preview.h"

#include "output/output.h"

#include <inttypes.h>

#define PREVIEW_ROWS 20u /* of a long table, without --all */

/* The rows of types from `begin` on that are on an accelerator, or not; returns the number. */
static uint32_t put_types(const preview *w, cli_buffer *out, uint32_t begin, int supported)
{
    uint32_t n = 0;
    uint32_t shown;
    uint32_t i;
    cli_table t;
    while (begin + n < w->types.n_signatures &&
           (w->types.signatures[begin + n].kind != GSP_KIND_CPU) == supported) {
        n++;
    }
    cli_put_heading(out, supported ? "SUPPORTED TYPES OF NODES" : "UNSUPPORTED TYPES OF NODES",
        n == 0 ? "none" : "operator with the dtypes of its arguments");
    cli_table_init(&t, w->cut.session, "rlll");
    cli_table_head(&t, "nodes|on|operator|dtypes");
    shown = cli_rows(w->cut.session, n, PREVIEW_ROWS);
    for (i = begin; i < begin + shown; i++) {
        const gsp_signature *s = &w->types.signatures[i];
        cli_buffer text;
        cli_buffer_init(&text, w->cut.session);
        preview_put_signature(w, &text, s);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, s->n_nodes);
        cli_cell_put(&t, cli_kind_style(s->kind), "%s", preview_kind(w, s->kind));
        cli_put_clipped(cli_cell_begin(&t, CLI_PLAIN), s->name, 48u);
        {
            gsp_str dtypes = gsp_str_of(NULL);
            dtypes.data = text.data;
            dtypes.size = (uint32_t)text.size;
            cli_put_clipped(cli_cell_begin(&t, CLI_PLAIN), dtypes, 60u);
        }
        cli_release(w->cut.session, text.data);
    }
    if (n != 0) {
        cli_table_write(&t, out);
    }
    cli_put_rest(out, n, shown, "type");
    return n;
}

/* A rate in words: "1.2 million". */
static void put_rate(cli_buffer *out, double rate)
{
    static const char *const scales[] = {"", " thousand", " million", " billion"};
    size_t i = 0;
    while (rate >= 1000.0 && i + 1u < CLI_COUNT(scales)) {
        rate /= 1000.0;
        i++;
    }
    cli_printf(out, i == 0 && rate < 10.0 ? "%.3g%s" : "%.1f%s", rate, scales[i]);
}

static int is_least(const preview *w, uint32_t i)
{
    const gsp_preview_subgraph *s = &w->result.subgraphs[i];
    return cli_any_least(&w->cut.graph, s->inputs, s->n_inputs) ||
           cli_any_least(&w->cut.graph, s->outputs, s->n_outputs);
}

static void rate_cell(const preview *w, cli_table *t, uint32_t i)
{
    cli_style style = i == w->result.bottleneck ? CLI_RED : CLI_PLAIN;
    cli_buffer *cell = cli_cell_begin(t, style);
    double rate;
    if (w->result.subgraphs[i].kind == GSP_KIND_CPU) {
        cli_puts(cell, "-");
    } else if (gsp_preview_rate(&w->result, i, &rate)) {
        cli_puts(cell, is_least(w, i) ? "<= " : "");
        put_rate(cell, rate);
    } else {
        cli_puts(cell, is_least(w, i) ? "?" : "no bound");
    }
}

static void put_subgraphs(const preview *w, cli_buffer *out)
{
    const gsp_preview_result *r = &w->result;
    uint32_t shown = cli_rows(w->cut.session, r->n_subgraphs, PREVIEW_ROWS);
    cli_table t;
    uint32_t i;
    cli_put_heading(
        out, "SUBGRAPHS", "bytes of tensors in and out, and the runs per second that they allow");
    cli_table_init(&t, w->cut.session, "klrrrrrr");
    cli_table_head(&t, "tag|kind|nodes|values in|bytes in|values out|bytes out|runs per second");
    for (i = 0; i < shown; i++) {
        const gsp_preview_subgraph *s = &r->subgraphs[i];
        cli_style style = cli_kind_style(s->kind);
        cli_put_clean(cli_cell_begin(&t, style), gsp_str_of(w->cut.tags[i]));
        cli_cell_put(&t, style, "%s", preview_kind(w, s->kind));
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, s->n_nodes);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, s->n_inputs);
        cli_put_least(cli_cell_begin(&t, CLI_PLAIN), s->bytes_in,
            cli_any_least(&w->cut.graph, s->inputs, s->n_inputs), cli_put_bytes);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, s->n_outputs);
        cli_put_least(cli_cell_begin(&t, CLI_PLAIN), s->bytes_out,
            cli_any_least(&w->cut.graph, s->outputs, s->n_outputs), cli_put_bytes);
        rate_cell(w, &t, i);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, r->n_subgraphs, shown, "subgraph");
}

/* Values that a lowering may not accept. */
static void put_warnings(const preview *w, cli_buffer *out)
{
    uint32_t i;
    for (i = 0; i < w->result.n_subgraphs; i++) {
        const gsp_preview_subgraph *s = &w->result.subgraphs[i];
        if (s->kind != GSP_KIND_CPU && s->odd_inputs != 0) {
            cli_puts(out, "\n");
            cli_put_clean(out, gsp_str_of(w->cut.tags[i]));
            cli_puts(out, " reads values that are not tensors: ");
            preview_put_odd(w, out, s->inputs, s->n_inputs, ", ");
        }
        if (s->kind != GSP_KIND_CPU && s->odd_outputs != 0) {
            cli_puts(out, "\n");
            cli_put_clean(out, gsp_str_of(w->cut.tags[i]));
            cli_puts(out, " returns values that are not tensors: ");
            preview_put_odd(w, out, s->outputs, s->n_outputs, ", ");
        }
    }
}

static void put_bound(const preview *w, cli_buffer *out)
{
    double rate;
    int least = 0;
    uint32_t i;
    for (i = 0; i < w->result.n_subgraphs && !least; i++) {
        least = w->result.subgraphs[i].kind != GSP_KIND_CPU && is_least(w, i);
    }
    if (!gsp_preview_rate(&w->result, w->result.bottleneck, &rate)) {
        cli_puts(out, "\n"
                      "No tensor of known size crosses, so bandwidth sets no limit.\n");
        return;
    }
    cli_puts(out, "\nAt ");
    cli_put_bytes(out, w->result.bandwidth);
    cli_puts(out, "/s the model runs at most ");
    cli_put_style(out, CLI_BOLD);
    put_rate(out, rate);
    cli_put_style(out, CLI_PLAIN);
    cli_puts(out, " times per second; the bottleneck is ");
    cli_put_clean(out, gsp_str_of(w->cut.tags[w->result.bottleneck]));
    if (least) {
        cli_puts(out, ", as far as sizes are known: ");
        cli_put_open_sizes(out, w->cut.graph.module);
    }
    cli_puts(out, ".\n");
}

static void put_macs(const preview *w, cli_buffer *out)
{
    uint32_t const n = w->cut.result.n_kinds;
    cli_macs_share macs;
    uint32_t k;
    preview_macs(w, &macs);
    if (!(macs.all > 0.0) && macs.unknown == 0) {
        return;
    }
    cli_put_macs(out, macs.all > 0.0 ? "  on accelerators, " : "  ", &macs);
    for (k = 1; k < n && n > 2u; k++) {
        cli_printf(out, "%s%s", k == 1u ? "\n    " : ", ", preview_kind(w, k));
        cli_put_macs_of(out, &macs, k);
    }
    cli_puts(out, "\n");
}

void preview_people(const preview *w, cli_buffer *out)
{
    const gsp_preview_result *r = &w->result;
    uint32_t n;
    if (w->types.n_signatures == 0) {
        cli_puts(out, "no callable nodes: there is nothing to split\n");
        return;
    }
    n = put_types(w, out, 0, 1);
    (void)put_types(w, out, n, 0);
    cli_put_heading(out, "SPLIT", NULL);
    cli_printf(out,
        "  %" PRIu32 " subgraph%s (%" PRIu32 " on accelerators, %" PRIu32 " on the CPU)",
        r->raw_acc + r->raw_cpu, cli_plural(r->raw_acc + r->raw_cpu), r->raw_acc, r->raw_cpu);
    cli_printf(out,
        "\n  before small ones are removed, %" PRIu32 " (%" PRIu32 ", %" PRIu32 ") after\n",
        r->n_subgraphs, r->n_acc, r->n_cpu);
    put_macs(w, out);
    put_subgraphs(w, out);
    put_warnings(w, out);
    put_bound(w, out);
    cli_put_unknown(out, w->cut.graph.module);
}
