/* A pattern is matched from its last step backwards, along the inputs of nodes. Each arc from a
 * step to one that it reads chooses among the inputs of the node; when no input fits, the last
 * choice moves on. Only the last node of a unit is read from outside, so no path leaves a unit and
 * returns, and units can be ordered. */
#include "input/input.h"

#include <inttypes.h>
#include <string.h>

#define MOST_TRIES 4096u /* of inputs, per last node */

typedef struct unit_finder {
    cli_session *s;
    const gsp_graph *g;
    uint32_t *group; /* of the placement */
    unit_pattern pattern;
    gsp_node node[UNIT_MOST_STEPS]; /* of a match, or GSP_NONE */
    uint32_t at[UNIT_MOST_ARCS];    /* the input that each arc chose */
    uint32_t n_units;
    uint32_t n_nodes;
} unit_finder;

static int is_free(const unit_finder *w, gsp_node v)
{
    return gsp_node_is_callable(w->g, v) && w->group[v] == GSP_NONE;
}

static void add_node(unit_finder *w, gsp_node v, uint32_t group)
{
    w->group[v] = group;
    w->n_nodes++;
}

/* ---- patterns ---- */

static int is_chosen(const unit_finder *w, gsp_node v)
{
    uint32_t i;
    for (i = 0; i < w->pattern.n_steps; i++) {
        if (w->node[i] == v) {
            return 1;
        }
    }
    return 0;
}

/* Whether nobody outside reads a node that is not the last. */
static int has_one_exit(const unit_finder *w)
{
    uint32_t i;
    for (i = 0; i + 1u < w->pattern.n_steps; i++) {
        uint32_t n;
        const gsp_node *users = gsp_node_users(w->g, w->node[i], &n);
        while (n > 0 && is_chosen(w, users[n - 1u])) {
            n--;
        }
        if (n != 0) {
            return 0;
        }
    }
    return 1;
}

/* The next input of an arc that fits, from w->at[arc] on. A step that has a node keeps it. */
static int choose(unit_finder *w, uint32_t arc, int is_fixed, uint32_t *tries)
{
    uint32_t step = w->pattern.arcs[arc].input;
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(w->g, w->node[w->pattern.arcs[arc].user], &n);
    for (; w->at[arc] < n && *tries < MOST_TRIES; w->at[arc]++, (*tries)++) {
        gsp_node v = in[w->at[arc]];
        if (is_fixed ? w->node[step] == v
                     : is_free(w, v) && !is_chosen(w, v) &&
                           unit_step_fits(w->pattern.steps[step], gsp_node_class(w->g, v))) {
            w->node[step] = v;
            return 1;
        }
    }
    return 0;
}

/* The arc is the first that leads to its step, and so it chose the node. */
static int is_first(const unit_pattern *p, uint32_t arc)
{
    uint32_t i;
    for (i = 0; i < arc && p->arcs[i].input != p->arcs[arc].input; i++) {
    }
    return i == arc;
}

/* Finds a unit whose last node is w->node[n_steps - 1]. */
static int match(unit_finder *w)
{
    const unit_pattern *p = &w->pattern;
    uint32_t tries = 0;
    uint32_t arc = 0;
    w->at[0] = 0;
    while (tries < MOST_TRIES) {
        int goes_on = choose(w, arc, !is_first(p, arc), &tries);
        if (goes_on && arc + 1u < p->n_arcs) {
            w->at[++arc] = 0;
            continue;
        }
        if (goes_on && has_one_exit(w)) {
            return 1;
        }
        while (!goes_on && arc > 0) { /* back to the last arc that chose */
            arc--;
            goes_on = is_first(p, arc);
        }
        if (!goes_on) {
            return 0;
        }
        if (is_first(p, arc)) {
            w->node[p->arcs[arc].input] = GSP_NONE;
        }
        w->at[arc]++;
        tries++;
    }
    return 0;
}

static void find_pattern(unit_finder *w)
{
    uint32_t last = w->pattern.n_steps - 1u;
    gsp_node v;
    for (v = 0; v < w->g->n_nodes; v++) {
        uint32_t i;
        if (!is_free(w, v) || !unit_step_fits(w->pattern.steps[last], gsp_node_class(w->g, v))) {
            continue;
        }
        for (i = 0; i < last; i++) {
            w->node[i] = GSP_NONE;
        }
        w->node[last] = v;
        if (match(w)) {
            for (i = 0; i <= last; i++) {
                add_node(w, w->node[i], v);
            }
            w->n_units++;
        }
    }
}

/* ---- qdq ---- */

/* 1 if a component of the name begins like this: "DequantizeLinear", "quantize_per_tensor". */
static int has_component(gsp_str name, const char *begin)
{
    size_t size = strlen(begin);
    uint32_t i;
    for (i = 0; i + size <= name.size; i++) {
        size_t k = 0;
        while (k < size && (name.data[i + k] | 0x20) == begin[k]) {
            k++;
        }
        if (k == size && (i == 0 || name.data[i - 1u] == '.') &&
            (i + size == name.size || (name.data[i + size] | 0x20) != 'd')) {
            return 1;
        }
    }
    return 0;
}

static int is_quantize(const unit_finder *w, gsp_node v)
{
    return is_free(w, v) && has_component(gsp_node_class(w->g, v), "quantize");
}

static int is_dequantize(const unit_finder *w, gsp_node v)
{
    return is_free(w, v) && has_component(gsp_node_class(w->g, v), "dequantize");
}

static void find_qdq(unit_finder *w)
{
    gsp_node v;
    for (v = 0; v < w->g->n_nodes; v++) {
        uint32_t n_in;
        uint32_t n_users;
        const gsp_node *in = gsp_node_inputs(w->g, v, &n_in);
        const gsp_node *users = gsp_node_users(w->g, v, &n_users);
        uint32_t n_quantized = 0;
        uint32_t n_own = 0; /* DequantizeLinear that nothing else reads */
        uint32_t i;
        if (!is_free(w, v) || is_quantize(w, v) || is_dequantize(w, v)) {
            continue;
        }
        for (i = 0; i < n_users; i++) {
            n_quantized += is_quantize(w, users[i]) ? 1u : 0u;
        }
        for (i = 0; i < n_in; i++) {
            uint32_t readers;
            (void)gsp_node_users(w->g, in[i], &readers);
            n_own += readers == 1u && is_dequantize(w, in[i]) ? 1u : 0u;
        }
        if (n_own == 0 || n_users == 0 || n_quantized != n_users) {
            continue;
        }
        for (i = 0; i < n_in; i++) {
            uint32_t readers;
            (void)gsp_node_users(w->g, in[i], &readers);
            if (readers == 1u && is_dequantize(w, in[i])) {
                add_node(w, in[i], v);
            }
        }
        for (i = 0; i < n_users; i++) {
            add_node(w, users[i], v);
        }
        add_node(w, v, v);
        w->n_units++;
    }
}

/* ---- options ---- */

static void tell(unit_finder *w, const char *what)
{
    if (!w->s->common.porcelain) {
        cli_buffer line;
        cli_buffer_init(&line, w->s);
        if (w->n_units == 0) {
            cli_printf(&line, "graphsplit: --units: no nodes match '%s'\n", what);
        } else {
            cli_printf(&line,
                "graphsplit: --units: %" PRIu32 " unit%s with %" PRIu32 " nodes for '%s'\n",
                w->n_units, cli_plural(w->n_units), w->n_nodes, what);
        }
        cli_tell(&line);
    }
    w->n_units = 0;
    w->n_nodes = 0;
}

/* The next line of a file without its comment and the blanks around it; 0 after the last. */
static int next_line(gsp_str *rest, gsp_str *line)
{
    const char *end;
    if (rest->size == 0) {
        return 0;
    }
    end = (const char *)memchr(rest->data, '\n', rest->size);
    line->data = rest->data;
    line->size = end != NULL ? (uint32_t)(end - rest->data) : rest->size;
    rest->data += line->size + (end != NULL ? 1u : 0u);
    rest->size -= line->size + (end != NULL ? 1u : 0u);
    end = line->size != 0 ? (const char *)memchr(line->data, '#', line->size) : NULL;
    line->size = end != NULL ? (uint32_t)(end - line->data) : line->size;
    while (line->size != 0 && (unsigned char)line->data[line->size - 1u] <= ' ') {
        line->size--;
    }
    while (line->size != 0 && (unsigned char)line->data[0] <= ' ') {
        line->data++;
        line->size--;
    }
    return 1;
}

static int run_pattern(unit_finder *w, gsp_str text, const char *path, uint32_t line)
{
    const char *wrong = unit_pattern_read(&w->pattern, text);
    const char *shown = cli_copy(w->s, text);
    if (wrong != NULL) {
        return path == NULL
                   ? cli_usage_error(w->s, "--units '%s': %s", shown, wrong)
                   : cli_file_error(w->s, "%s:%" PRIu32 ": %s: '%s'", path, line, wrong, shown);
    }
    find_pattern(w);
    tell(w, shown);
    return CLI_EXIT_OK;
}

static int run_file(unit_finder *w, const char *path)
{
    gsp_str rest;
    gsp_str line;
    char *data;
    size_t size;
    uint32_t number = 0;
    int code = cli_file_read(w->s, path, &data, &size);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    rest.data = data;
    rest.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    while (code == CLI_EXIT_OK && next_line(&rest, &line)) {
        number++;
        if (line.size != 0) {
            code = run_pattern(w, line, path, number);
        }
    }
    return code;
}

int cli_units_run(cli_session *s, const gsp_graph *graph, gsp_placement *placement)
{
    unit_finder w;
    int code = CLI_EXIT_OK;
    size_t i;
    memset(&w, 0, sizeof w);
    w.s = s;
    w.g = graph;
    w.group = placement->group;
    for (i = 0; i < s->n_given && code == CLI_EXIT_OK; i++) {
        const char *value = s->given[i].value;
        if (strcmp(s->given[i].option->name, "--units") != 0) {
            continue;
        }
        if (strcmp(value, "qdq") == 0) {
            find_qdq(&w);
            tell(&w, "qdq");
        } else if (strchr(value, '+') != NULL && !cli_is_file(value)) {
            code = run_pattern(&w, gsp_str_of(value), NULL, 0);
        } else {
            code = run_file(&w, value[0] == '@' ? value + 1 : value);
        }
    }
    return code;
}
