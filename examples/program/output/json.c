/* Shared by the JSON documents of all passes. */
#include "output/output.h"

void cli_json_names(cli_buffer *b, const gsp_graph *graph, const gsp_node *nodes, size_t count)
{
    size_t i;
    cli_puts(b, "[");
    for (i = 0; i < count; i++) {
        cli_puts(b, i != 0 ? ", " : "");
        cli_json_string(b, gsp_node_name(graph, nodes[i]));
    }
    cli_puts(b, "]");
}

void cli_json_modules(cli_buffer *b, const gsp_module *module)
{
    gsp_text_desc desc = {0};
    const gsp_fingerprint *prints = cli_fingerprints(b->session, module);
    uint32_t i;
    desc.no_annotations = 1;
    desc.hoist = 1;
    cli_puts(b, "\"modules\": [");
    for (i = 0; i < module->counts.graphs; i++) {
        gsp_graph graph = gsp_module_graph(module, i);
        cli_buffer text;
        cli_buffer_init(&text, b->session);
        (void)gsp_text_write_graph(&graph, &desc, cli_sink, &text, NULL);
        cli_puts(b, i != 0 ? ",\n  {\"name\": " : "\n  {\"name\": ");
        cli_json_string(b, gsp_module_str(module, module->graphs[i].name));
        cli_puts(b, ", ");
        cli_json_fingerprint(b, prints != NULL ? &prints[i] : NULL);
        cli_puts(b, ", \"text\": \"");
        cli_json_escape_sink(b, text.data, text.size);
        cli_puts(b, "\"}");
        cli_release(b->session, text.data);
    }
    cli_puts(b, "]");
}
