/* Graph text as a file format. */
#include "input/input.h"

#include <string.h>

int cli_graph_read(cli_session *s, const char *path, char **data, size_t *size)
{
    int code = cli_file_read(s, path, data, size);
    return code == CLI_EXIT_OK ? cli_foreign(s, path, *data, *size) : code;
}

int cli_text_take(cli_session *s)
{
    gsp_counts counts;
    gsp_arena arena;
    gsp_error err;
    gsp_str text = {NULL, 0};
    gsp_status status;
    size_t bound = 0;
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
    cli_release(s, s->text); /* the module has copies */
    s->text = NULL;
    cli_check_returned(s);
    return cli_written_check(s) == CLI_EXIT_OK ? cli_written_set(s) : CLI_EXIT_FAILED;
}

#ifndef CLI_NO_STDIN /* the page of the browser has only files with names */

int cli_text_begin(cli_session *s, int *is_other)
{
    const char *slash = strrchr(s->path, '/');
    int const named = strchr(slash != NULL ? slash : s->path, '.') != NULL;
    char *data = NULL;
    size_t size = 0;
    int const code = cli_file_read(s, s->path, &data, &size);
    cli_net_kind const kind =
        code == CLI_EXIT_OK && !named ? cli_net_guess(data, size) : CLI_NET_COUNT;
    *is_other = kind != CLI_NET_COUNT;
    if (kind == CLI_NET_FX) {
        return cli_error(s, GSP_STATUS_PARSE,
            "%s holds numbers that several formats allow; a file whose name ends in .graph "
            "(METIS), .hgr (hMETIS), .hdag (HyperDAG) or .edges is read as such",
            strcmp(s->path, "-") == 0 ? "standard input" : s->path);
    }
    if (*is_other) {
        return cli_net_take(s, kind, data, size);
    }
    s->text = data;
    s->text_size = size;
    return code == CLI_EXIT_OK ? cli_foreign(s, s->path, data, size) : code;
}

#else

int cli_text_begin(cli_session *s, int *is_other)
{
    *is_other = 0;
    return cli_graph_read(s, s->path, &s->text, &s->text_size);
}

#endif

static int load(cli_session *s)
{
    int is_other;
    int const code = cli_text_begin(s, &is_other);
    return code == CLI_EXIT_OK && !is_other ? cli_text_take(s) : code;
}

#ifndef CLI_NO_CALLS /* the page of the browser writes parts without the graphs that they call */

/* 1 for a graph that calls or names other graphs of its module. */
static int has_children(const gsp_graph *graph)
{
    const gsp_module *m = graph->module;
    gsp_node v;
    for (v = 0; v < graph->n_nodes && m->counts.graphs > 1u; v++) {
        gsp_op op = gsp_node_op(graph, v);
        gsp_called called;
        memset(&called, 0, sizeof called);
        if (gsp_called_next(graph, v, &called) ||
            (op == GSP_OP_GET_ATTR &&
                gsp_module_find_graph(m, m->target[graph->first + v]) != GSP_NONE)) {
            return 1;
        }
    }
    return 0;
}

/* The graph and all that it calls, as a module. */
static gsp_status write_with_children(
    cli_session *s, const gsp_graph *graph, cli_buffer *out, gsp_error *err)
{
    size_t bound = gsp_stage_extract_bound(graph->module);
    void *block = cli_grow(s, NULL, bound);
    gsp_arena arena;
    gsp_module alone;
    gsp_status status;
    gsp_arena_init(&arena, block, bound);
    status = gsp_stage_extract_run(&arena, graph->module, graph->id, &alone, err);
    if (status == GSP_OK) {
        status = gsp_text_write(&alone, NULL, cli_sink, out, err);
    }
    cli_release(s, block);
    return status;
}

int cli_text_part(cli_session *s, const cli_part *part, cli_buffer *out, cli_buffer *why)
{
    const gsp_graph *graph = &part->graph;
    gsp_error err;
    gsp_status status;
    (void)why;
    if (graph->id == 0 && graph->module->counts.graphs > 1u) { /* the whole */
        status = gsp_text_write(graph->module, NULL, cli_sink, out, &err);
    } else if (has_children(graph)) {
        status = write_with_children(s, graph, out, &err);
    } else {
        status = gsp_text_write_graph(graph, NULL, cli_sink, out, &err);
    }
    return status == GSP_OK ? CLI_EXIT_OK : cli_pass_error(s, graph, &err);
}

#endif

const cli_format cli_text_format = {
    NULL,
    ".fx",
    load,
    cli_text_part,
    NULL,
    NULL,
    NULL,
    0,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
};
