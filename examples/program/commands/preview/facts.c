/* Shared by the reports of `preview`. */
#include "commands/preview/preview.h"

const char *preview_kind(const preview *w, uint32_t kind)
{
    return w->cut.place.names[kind];
}

void preview_macs(const preview *w, cli_macs_share *share)
{
    split_macs(&w->cut, share);
}

void preview_put_signature(const preview *w, cli_buffer *out, const gsp_signature *s)
{
    (void)gsp_signature_write(&w->cut.graph, s->first, cli_sink, out, NULL);
}

/* The non-tensor values of a row. */
void preview_put_odd(
    const preview *w, cli_buffer *out, const gsp_node *nodes, uint32_t n, const char *separator)
{
    const char *before = "";
    uint32_t i;
    for (i = 0; i < n; i++) {
        if (gsp_node_value_kind(&w->cut.graph, nodes[i]) != GSP_VALUE_TENSOR) {
            cli_puts(out, before);
            cli_put_text(out, gsp_node_name(&w->cut.graph, nodes[i]));
            before = separator;
        }
    }
}
