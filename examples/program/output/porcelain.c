/* Shared by the porcelain of all passes: lists of names, modules. */
#include "output/output.h"

void cli_porcelain_names(cli_buffer *b, const gsp_graph *graph, const gsp_node *nodes, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        cli_puts(b, " ");
        cli_put_text(b, gsp_node_name(graph, nodes[i]));
    }
    cli_puts(b, "\n");
}

void cli_porcelain_modules(cli_buffer *b, const gsp_module *module)
{
    gsp_text_desc desc = {0};
    desc.no_annotations = 1;
    desc.hoist = 1;
    desc.as_module = 1;
    (void)gsp_text_write(module, &desc, cli_sink, b, NULL);
}
