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

uint32_t cli_graph_find(const cli_session *s, gsp_str name)
{
    const tflite_model *model = cli_tflite_model(s);
    uint32_t i;
    for (i = 0; i < s->module.counts.graphs; i++) {
        if (gsp_str_equal(gsp_module_str(&s->module, s->module.graphs[i].name), name)) {
            return i;
        }
    }
    for (i = 0; model != NULL && i < model->n_signatures; i++) {
        tflite_signature const signature = tflite_signature_at(model, i);
        if (gsp_str_equal(signature.key, name)) {
            return signature.subgraph;
        }
    }
    return GSP_NONE;
}

#ifndef CLI_NO_CALLS /* the page of the browser shows main, if nothing is called */

/* A graph that a node names and cannot run. */
typedef struct lost {
    const gsp_attr *by; /* NULL if there is none */
    gsp_str name;
} lost;

/* The name is the first graph's, or no graph's of the module. */
static int is_lost(const gsp_module *m, gsp_str name)
{
    uint32_t i = m->counts.graphs;
    while (--i > 0 && !gsp_str_equal(gsp_module_str(m, m->graphs[i].name), name)) {
    }
    return i == 0;
}

/* The first name of calls=A,B that is lost. */
static int find_in_list(const gsp_module *m, gsp_str list, gsp_str *name)
{
    int found = 0;
    uint32_t at;
    name->data = list.data;
    name->size = 0;
    for (at = 0; at <= list.size && !found; at++) {
        if (at < list.size && list.data[at] != ',') {
            name->size++;
        } else if (is_lost(m, *name)) {
            found = 1;
        } else {
            name->data = list.data + at + 1u;
            name->size = 0;
        }
    }
    return found;
}

/* Of then=, else=, body=, cond=, init= and calls= of a node. */
static lost find_lost(const gsp_graph *g, gsp_node v)
{
    static const char *const keys[] = {"then", "else", "body", "cond", "init", "calls"};
    const gsp_module *m = g->module;
    const gsp_attr *a = m->attrs + m->attr[g->first + v];
    lost of = {NULL, {NULL, 0}};
    for (; gsp_node_is_callable(g, v) && a->key != GSP_KEY_NONE && of.by == NULL; a++) {
        size_t i = 0;
        while (
            i < CLI_COUNT(keys) && !gsp_str_equal(gsp_module_str(m, a->key), gsp_str_of(keys[i]))) {
            i++;
        }
        of.name = gsp_module_str(m, a->value);
        if (i + 1u == CLI_COUNT(keys) ? find_in_list(m, of.name, &of.name)
                                      : i < CLI_COUNT(keys) && is_lost(m, of.name)) {
            of.by = a;
        }
    }
    return of;
}

/* trips= that is no number; else NULL. */
static const gsp_attr *find_no_trips(const gsp_graph *g, gsp_node v)
{
    const gsp_module *m = g->module;
    const gsp_attr *a = m->attrs + m->attr[g->first + v];
    for (; a->key != GSP_KEY_NONE; a++) {
        uint64_t number;
        if (gsp_str_equal(gsp_module_str(m, a->key), gsp_str_of("trips")) &&
            !gsp_str_number(gsp_module_str(m, a->value), &number)) {
            return a;
        }
    }
    return NULL;
}

int cli_bodies_check(cli_session *s)
{
    const gsp_module *m = &s->module;
    uint32_t i;
    for (i = 0; i < m->counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, i);
        gsp_node v;
        for (v = 0; v < g.n_nodes; v++) {
            lost const of = find_lost(&g, v);
            const gsp_attr *bad =
                of.by == NULL && m->counts.graphs > 1u ? find_no_trips(&g, v) : of.by;
            if (bad != NULL) {
                return cli_error(s, GSP_STATUS_ARG, "node %s: %s=%s, but %s",
                    cli_copy(s, gsp_node_name(&g, v)), cli_copy(s, gsp_module_str(m, bad->key)),
                    cli_copy(s, of.by != NULL ? of.name : gsp_module_str(m, bad->value)),
                    of.by == NULL ? "it takes a number of trips, 0 or more"
                    : gsp_str_equal(of.name, gsp_module_str(m, m->graphs[0].name))
                        ? "no node can run the first graph"
                        : "the module has no such graph");
            }
        }
    }
    return CLI_EXIT_OK;
}

/* Names the entries of a model that main does not stand for: subgraphs of other signatures. */
static void tell_others(cli_session *s)
{
    const tflite_model *model = cli_tflite_model(s);
    cli_buffer line;
    uint32_t n = 0;
    uint32_t i;
    cli_buffer_init(&line, s);
    for (i = 0; model != NULL && !s->quiet && i < model->n_signatures; i++) {
        tflite_signature const signature = tflite_signature_at(model, i);
        if (signature.subgraph != 0) {
            cli_printf(&line, n++ == 0 ? "%s: %s: main is taken; --graph takes another: " : ", ",
                s->front->program, cli_shown(s, s->path));
            cli_put_text(&line, signature.key);
        }
    }
    if (n != 0) {
        cli_puts(&line, "\n");
        cli_progress_end(s);
        cli_tell(&line);
    }
}

int cli_graph_refuse(cli_session *s, const char *name)
{
    cli_buffer names;
    uint32_t i;
    cli_buffer_init(&names, s);
    for (i = 0; i < s->module.counts.graphs && i < 20u; i++) {
        cli_puts(&names, i != 0 ? ", " : "");
        cli_put_text(&names, gsp_module_str(&s->module, s->module.graphs[i].name));
    }
    cli_puts(&names, i < s->module.counts.graphs ? ", ..." : "");
    cli_put(&names, "", 1u);
    return cli_error(
        s, GSP_STATUS_ARG, "--graph: the module has no graph %s; it has %s", name, names.data);
}

int cli_graph_choose(cli_session *s)
{
    const char *name = s->common.graph;
    uint32_t const id = name != NULL ? cli_graph_find(s, gsp_str_of(name)) : 0u;
    gsp_calls_result calls;
    gsp_module chosen;
    gsp_arena arena;
    gsp_error err;
    if (name == NULL) {
        if (!s->graph_given) {
            tell_others(s);
        }
        return CLI_EXIT_OK;
    }
    if (id == GSP_NONE) {
        return cli_graph_refuse(s, name);
    }
    if (id == 0) {
        return CLI_EXIT_OK;
    }
    cli_arena(s, &arena, gsp_calls_bound(&s->module));
    if (gsp_calls_run(&arena, &s->module, &calls, &err) != GSP_OK) {
        return cli_pass_error(s, NULL, &err);
    }
    cli_arena(s, &arena, gsp_stage_extract_bound(&s->module));
    if (gsp_stage_extract_run(&arena, &s->module, id, &chosen, &err) != GSP_OK) {
        return cli_pass_error(s, NULL, &err);
    }
    s->module = chosen;
    s->source = NULL;
    s->format = &cli_text_format;
    return CLI_EXIT_OK;
}

#endif

int cli_load(cli_session *s)
{
    int code;
    cli_choose_format(s);
    cli_add_input(s, s->path);
    code = s->format->load(s);
    code = code == CLI_EXIT_OK ? cli_dims_set(s) : code;
#ifndef CLI_NO_CALLS
    code = code == CLI_EXIT_OK ? cli_bodies_check(s) : code;
    code = code == CLI_EXIT_OK ? cli_graph_choose(s) : code;
#endif
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
