/* More annotations for the nodes of a module, by way of its text. */
#include "input/input.h"

#include <string.h>

/* A line per node; one with an annotation has more of it. */
static void put_line(const gsp_graph *g, gsp_node v, const char *line, size_t size, cli_note note,
    void *user, cli_buffer *out)
{
    const gsp_module *m = g->module;
    int const annotated = gsp_node_type(g, v).size != 0 ||
                          m->attrs[m->attr[g->first + v]].key != (gsp_atom)GSP_KEY_NONE;
    size_t begin;
    cli_put(out, line, size);
    begin = out->size;
    cli_puts(out, annotated ? "" : "  #");
    note(user, g, v, out);
    out->size = out->size == begin + 3u ? begin : out->size;
    cli_puts(out, "\n");
}

int cli_annotate(cli_session *s, cli_note note, void *user, const char *option)
{
    cli_buffer text;
    cli_buffer out;
    gsp_error err;
    size_t at = 0;
    uint32_t graph = 0;
    gsp_node v = 0;
    cli_buffer_init(&text, s);
    cli_buffer_init(&out, s);
    if (gsp_text_write(&s->module, NULL, cli_sink, &text, &err) != GSP_OK) {
        return cli_error(s, (gsp_status)err.status, "%s: text cannot express this model", option);
    }
    while (at < text.size) {
        const char *line = text.data + at;
        size_t const size = (size_t)((const char *)memchr(line, '\n', text.size - at) - line);
        gsp_graph const g = gsp_module_graph(&s->module, graph);
        if (size > 4u && memcmp(line, "    ", 4u) == 0) {
            put_line(&g, v++, line, size, note, user, &out);
            graph += v == g.n_nodes ? 1u : 0u;
            v = v == g.n_nodes ? 0u : v;
        } else {
            cli_put(&out, line, size + 1u);
        }
        at += size + 1u;
    }
    return cli_read_again(s, &out, option);
}
