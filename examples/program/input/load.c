/* The format of a file, and the module in it. */
#include "input/input.h"

#include <string.h>

static int has_ending(const char *path, const char *ending)
{
    size_t size = strlen(path);
    size_t n = strlen(ending);
    return size > n && strcmp(path + size - n, ending) == 0;
}

static int has_suffix(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strchr(slash != NULL ? slash + 1 : path, '.') != NULL;
}

/* What the name of a file that begins like this would end in; the name itself if nothing is known.
 * A model of ONNX begins with the number of its version, and a field that has a length follows. */
static const char *ending_of(cli_session *s)
{
    char head[32] = {0};
    size_t n;
    if (has_ending(s->path, ".lite")) {
        return ".tflite";
    }
    if (has_suffix(s->path)) {
        return s->path;
    }
    n = cli_peek(s, s->path, head);
    if (n >= 8u && memcmp(head + 4, "TFL3", 4u) == 0) {
        return ".tflite";
    }
    if (n >= 3u && head[0] == 8 && head[1] > 0 && (head[2] & 7) == 2 && head[2] > 8) {
        return ".onnx";
    }
    return memcmp(head, "%%MatrixMarket", 14u) == 0 ? ".mtx" : s->path;
}

void cli_choose_format(cli_session *s)
{
    const char *name = ending_of(s);
    size_t i = 0;
    while (i + 1u < s->front->n_formats && s->front->formats[i]->ending != NULL &&
           strcmp(name, s->front->formats[i]->ending) != 0 &&
           !has_ending(name, s->front->formats[i]->ending)) {
        i++;
    }
    s->format = s->front->formats[i];
}

int cli_load(cli_session *s)
{
    int code;
    cli_choose_format(s);
    cli_add_input(s, s->path);
    code = s->format->load(s);
    code = code == CLI_EXIT_OK ? cli_dims_set(s) : code;
    if (code == CLI_EXIT_OK) {
        cli_inside_set(s);
    }
    return code;
}

int cli_load_main(cli_session *s, gsp_graph *graph, gsp_counts *counts)
{
    int code = cli_load(s);
    if (code == CLI_EXIT_OK) {
        s->out.colour = cli_wants_colour(s);
        cli_dims_tell(s);
        *graph = gsp_module_graph(&s->module, 0);
        *counts = gsp_graph_counts(graph);
    }
    return code;
}
