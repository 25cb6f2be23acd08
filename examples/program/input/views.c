/* --views: operators that only give a tensor another shape yield a view of it. */
#include "input/input.h"

#include <string.h>

/* 1 if a node has the bytes of its first argument, and no alias= yet. */
static int is_view(const gsp_graph *g, gsp_node v)
{
    static const char *const operators[] = {"onnx.Reshape", "onnx.Squeeze", "onnx.Unsqueeze",
        "onnx.Flatten", "onnx.Identity", "tflite.RESHAPE", "tflite.SQUEEZE", "tflite.EXPAND_DIMS"};
    uint32_t n;
    const gsp_arg *args = gsp_node_args(g, v, &n);
    size_t i = 0;
    while (i < CLI_COUNT(operators) &&
           !gsp_str_equal(gsp_node_target(g, v), gsp_str_of(operators[i]))) {
        i++;
    }
    return i < CLI_COUNT(operators) && n != 0 && args[0].kind == GSP_ARG_NODE &&
           gsp_node_bytes(g, v) == gsp_node_bytes(g, args[0].value) &&
           gsp_node_attr(g, v, GSP_KEY_ALIAS).data == NULL;
}

/* A line per node; one with an annotation has more of it. */
static void put_line(const gsp_graph *g, gsp_node v, const char *line, size_t size, cli_buffer *out)
{
    const gsp_module *m = g->module;
    int const annotated = gsp_node_type(g, v).size != 0 ||
                          m->attrs[m->attr[g->first + v]].key != (gsp_atom)GSP_KEY_NONE;
    cli_put(out, line, size);
    if (is_view(g, v)) {
        cli_puts(out, annotated ? " alias=0" : "  # alias=0");
    }
    cli_puts(out, "\n");
}

int cli_views_set(cli_session *s)
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
        return cli_error(s, (gsp_status)err.status, "--views: text cannot express this model");
    }
    while (at < text.size) {
        const char *line = text.data + at;
        size_t const size = (size_t)((const char *)memchr(line, '\n', text.size - at) - line);
        gsp_graph const g = gsp_module_graph(&s->module, graph);
        if (size > 4u && memcmp(line, "    ", 4u) == 0) {
            put_line(&g, v++, line, size, &out);
            graph += v == g.n_nodes ? 1u : 0u;
            v = v == g.n_nodes ? 0u : v;
        } else {
            cli_put(&out, line, size + 1u);
        }
        at += size + 1u;
    }
    return cli_read_again(s, &out, "--views");
}
