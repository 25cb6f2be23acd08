/* A graph in another order: its text with the lines in that order. */
#include "input/input.h"

#include <string.h>

/* The line of the text at `at`, with its end. */
static gsp_str line_at(const cli_buffer *text, size_t at)
{
    const char *end = (const char *)memchr(text->data + at, '\n', text->size - at);
    gsp_str line = {text->data + at, 0};
    line.size = (uint32_t)((end != NULL ? (size_t)(end - line.data) + 1u : text->size - at));
    return line;
}

/* Every node is one line, below the line graph():. */
static void permute(cli_session *s, const gsp_graph *g, const gsp_node *order,
    const cli_buffer *text, cli_buffer *out)
{
    uint32_t const n = g->n_nodes;
    gsp_str *lines = (gsp_str *)cli_alloc(s, n, sizeof *lines);
    uint32_t graph = 0;
    size_t at = 0;
    uint32_t i;
    while (at < text->size) {
        gsp_str const line = line_at(text, at);
        at += line.size;
        cli_put(out, line.data, line.size);
        if (line.size < 7u || memcmp(line.data, "graph()", 7u) != 0 || graph++ != g->id) {
            continue;
        }
        for (i = 0; i < n; i++) {
            lines[i] = line_at(text, at);
            at += lines[i].size;
        }
        for (i = 0; i < n; i++) {
            cli_put(out, lines[order[i]].data, lines[order[i]].size);
        }
    }
}

int cli_reorder(cli_session *s, const gsp_graph *graph, const gsp_node *order, const char *option)
{
    cli_buffer text;
    cli_buffer out;
    gsp_error err;
    cli_buffer_init(&text, s);
    cli_buffer_init(&out, s);
    if (gsp_text_write(&s->module, NULL, cli_sink, &text, &err) != GSP_OK) {
        return cli_error(s, (gsp_status)err.status, "%s: text cannot express this model", option);
    }
    permute(s, graph, order, &text, &out);
    cli_release(s, text.data);
    return cli_read_again(s, &out, option);
}
