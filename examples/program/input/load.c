/* The format of a file, and the module in it. */
#include "input/input.h"

#include <string.h>

static int has_ending(const char *path, const char *ending)
{
    size_t size = strlen(path);
    size_t n = strlen(ending);
    return size > n && strcmp(path + size - n, ending) == 0;
}

void cli_choose_format(cli_session *s)
{
    size_t i = 0;
    while (i + 1u < s->front->n_formats && s->front->formats[i]->ending != NULL &&
           !has_ending(s->path, s->front->formats[i]->ending)) {
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
