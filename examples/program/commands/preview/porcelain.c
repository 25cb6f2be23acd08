/* The porcelain of `preview`. */
#include "commands/preview/preview.h"

#include <inttypes.h>

static void porcelain_subgraph(const preview *w, cli_buffer *out, uint32_t i)
{
    const gsp_preview_subgraph *s = &w->result.subgraphs[i];
    double rate;
    cli_printf(out,
        "subgraph %s %s nodes=%" PRIu32 " inputs=%" PRIu32 " bytes_in=%" PRIu64 " outputs=%" PRIu32
        " bytes_out=%" PRIu64 " rate=",
        w->cut.tags[i], preview_kind(w, s->kind), s->n_nodes, s->n_inputs, s->bytes_in,
        s->n_outputs, s->bytes_out);
    if (s->kind != GSP_KIND_CPU && gsp_preview_rate(&w->result, i, &rate)) {
        cli_printf(out, "%.17g\n", rate);
    } else {
        cli_puts(out, "none\n");
    }
    if (s->odd_inputs != 0) {
        cli_printf(out, "non_tensor_in %s ", w->cut.tags[i]);
        preview_put_odd(w, out, s->inputs, s->n_inputs, " ");
        cli_puts(out, "\n");
    }
    if (s->odd_outputs != 0) {
        cli_printf(out, "non_tensor_out %s ", w->cut.tags[i]);
        preview_put_odd(w, out, s->outputs, s->n_outputs, " ");
        cli_puts(out, "\n");
    }
}

void preview_porcelain(const preview *w, cli_buffer *out)
{
    const gsp_preview_result *r = &w->result;
    uint32_t i;
    for (i = 0; i < w->types.n_signatures; i++) {
        const gsp_signature *s = &w->types.signatures[i];
        cli_printf(out, "type %s %" PRIu32 " ", preview_kind(w, s->kind), s->n_nodes);
        cli_put_text(out, s->name);
        cli_puts(out, " ");
        preview_put_signature(w, out, s);
        cli_puts(out, "\n");
    }
    cli_printf(out, "before acc=%" PRIu32 " cpu=%" PRIu32 "\n", r->raw_acc, r->raw_cpu);
    cli_printf(out, "after acc=%" PRIu32 " cpu=%" PRIu32 "\n", r->n_acc, r->n_cpu);
    for (i = 0; i < r->n_subgraphs; i++) {
        porcelain_subgraph(w, out, i);
    }
    cli_printf(
        out, "bottleneck %s\n", r->bottleneck == GSP_NONE ? "none" : w->cut.tags[r->bottleneck]);
}
