/* Graph text as a file format. */
#include "input/text.h"

#include "core/buffer.h"
#include "core/error.h"
#include "core/file.h"
#include "input/returned.h"

#include <string.h>

/* Reports a model in another format that was read as text, because of its name or through a pipe.
 * */
static int refuse_model(cli_session *s, const char *path, const char *data, size_t size)
{
    static const char onnx[] = ".onnx";
    size_t n = strlen(path);
    if (size >= 8u && memcmp(data + 4, "TFL3", 4) == 0) {
        return cli_error(s, GSP_STATUS_PARSE,
                         "%s is a TensorFlow Lite model; it is read from a file whose name "
                         "ends in .tflite",
                         path);
    }
    if (n >= sizeof(onnx) && strcmp(path + n - sizeof(onnx) + 1u, onnx) == 0) {
        return cli_error(s, GSP_STATUS_PARSE,
                         "%s is an ONNX model, which graphsplit-onnx reads (make onnx)", path);
    }
    return CLI_EXIT_OK;
}

int cli_graph_read(cli_session *s, const char *path, char **data, size_t *size)
{
    int code = cli_file_read(s, path, data, size);
    return code == CLI_EXIT_OK ? refuse_model(s, path, *data, *size) : code;
}

static int load(cli_session *s)
{
    gsp_counts counts;
    gsp_arena arena;
    gsp_error err;
    gsp_str text = {NULL, 0};
    gsp_status status;
    size_t bound = 0;
    int code = cli_graph_read(s, s->path, &s->text, &s->text_size);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (s->text_size <= UINT32_MAX) {
        text.data = s->text;
        text.size = (uint32_t)s->text_size;
    }
    status = gsp_text_count(s->text, s->text_size, &counts, &err);
    if (status == GSP_OK) {
        bound = gsp_build_bound(&counts);
        if (bound == SIZE_MAX) {
            return cli_error(s, GSP_STATUS_OVERFLOW,
                             "%s: the graph needs more memory than this "
                             "machine can address",
                             s->path);
        }
        cli_arena(s, &arena, bound);
        status = gsp_text_read(&arena, s->text, s->text_size, NULL, &s->module, &err);
    }
    if (status != GSP_OK) {
        return cli_text_error(s, s->path, text, &err);
    }
    cli_check_returned(s);
    return CLI_EXIT_OK;
}

int cli_text_part(cli_session *s, const cli_part *part, cli_buffer *out)
{
    const gsp_graph *graph = &part->graph;
    int module = graph->id == 0 && graph->module->counts.graphs > 1u; /* with child graphs */
    gsp_error err;
    if ((module ? gsp_text_write(graph->module, NULL, cli_sink, out, &err)
                : gsp_text_write_graph(graph, NULL, cli_sink, out, &err)) != GSP_OK) {
        return cli_pass_error(s, graph, &err);
    }
    return CLI_EXIT_OK;
}

const cli_format cli_text_format = {NULL, ".fx", load, cli_text_part, NULL, NULL, NULL, 0, NULL};
