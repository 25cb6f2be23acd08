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

static void put_view(void *user, const gsp_graph *g, gsp_node v, cli_buffer *out)
{
    (void)user;
    if (is_view(g, v)) {
        cli_puts(out, " alias=0");
    }
}

int cli_views_set(cli_session *s)
{
    return cli_annotate(s, put_view, NULL, "--views");
}
