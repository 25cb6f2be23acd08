/* graphsplit pipe: cuts by markers and split specs. */
#include "commands/pipe/pipe.h"

#include <string.h>

/* Splits PATH=POINT at the last '='. */
static int read_point(pipe_job *p, gsp_str item, gsp_split_point *out)
{
    gsp_str word;
    uint32_t at = item.size;
    while (at > 0 && item.data[at - 1u] != '=') {
        at--;
    }
    if (at == 0) {
        return cli_usage_error(p->session,
            "--split-spec expects PATH=beginning or PATH=end, got '%s'",
            cli_copy(p->session, item));
    }
    out->path = item;
    out->path.size = at - 1u;
    word.data = item.data + at;
    word.size = item.size - at;
    out->point = gsp_str_equal(word, gsp_str_of("beginning")) ? (uint32_t)GSP_SPLIT_POINT_BEGINNING
                 : gsp_str_equal(word, gsp_str_of("end"))     ? (uint32_t)GSP_SPLIT_POINT_END
                                                              : (uint32_t)GSP_SPLIT_POINT_COUNT;
    return CLI_EXIT_OK;
}

int pipe_marks_read(pipe_job *p)
{
    cli_session *s = p->session;
    gsp_split_point *points;
    size_t bytes = 0;
    size_t i;
    for (i = 0; i < s->n_given; i++) {
        bytes += strlen(s->given[i].value) + 1u;
    }
    points = (gsp_split_point *)cli_alloc(s, bytes + 1u, sizeof *points);
    for (i = 0; i < s->n_given; i++) {
        gsp_str list = gsp_str_of(s->given[i].value);
        uint32_t at = 0;
        gsp_str item;
        if (strcmp(s->given[i].option->name, "--split-spec") != 0) {
            continue;
        }
        while ((item = pipe_list_item(list, &at)).size > 0) {
            int code = read_point(p, item, &points[p->marks.n_points++]);
            if (code != CLI_EXIT_OK) {
                return code;
            }
        }
    }
    p->marks.points = points;
    p->marks.marker = p->opt.marker;
    return CLI_EXIT_OK;
}

/* The longest prefix of a path that some callable node has. */
static uint32_t known_part(const pipe_job *p, gsp_str path)
{
    uint32_t best = 0;
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes; v++) {
        gsp_str scope = gsp_node_scope(&p->graph, v);
        uint32_t i;
        if (!gsp_node_is_callable(&p->graph, v)) {
            continue;
        }
        for (i = 0; i <= path.size && i <= scope.size; i++) {
            int ends = (i == path.size || path.data[i] == '.') &&
                       (i == scope.size || scope.data[i] == '.');
            best = ends && i > best ? i : best;
            if (i < path.size && i < scope.size && path.data[i] != scope.data[i]) {
                break;
            }
        }
    }
    return best;
}

int pipe_marks_refuse(pipe_job *p, const gsp_error *err)
{
    cli_session *s = p->session;
    gsp_str path;
    gsp_str known;
    if (err->detail == GSP_DETAIL_POINT) {
        return cli_error(s, err->status,
            "--split-spec %s: expected beginning or end as split point",
            cli_copy(s, p->marks.points[err->node].path));
    }
    if (err->detail != GSP_DETAIL_PATH) {
        return cli_pass_error(s, &p->graph, err);
    }
    path = p->marks.points[err->node].path;
    known = path;
    known.size = known_part(p, path);
    if (known.size == 0) {
        return cli_error(s, err->status,
            "--split-spec %s: no called node has this module path or one below it "
            "(see scope= and the targets of called modules)",
            cli_copy(s, path));
    }
    return cli_error(s, err->status,
        "--split-spec %s: no called node has this module path or one below it; there "
        "are some under %s",
        cli_copy(s, path), cli_copy(s, known));
}
