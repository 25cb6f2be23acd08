/* What the called modules and parameters of two modules are called in the first of them. */
#include "commands/run/run.h"

#include "input/input.h"

#include <string.h>

/* Passes that make modules write '_' for a dot, and may append _N so that targets differ. */
static int is_flat_of(gsp_str flat, gsp_str target, int numbered)
{
    uint32_t i = 0;
    while (i < target.size && i < flat.size &&
           flat.data[i] == (target.data[i] == '.' ? '_' : target.data[i])) {
        i++;
    }
    if (i < target.size || (numbered && (flat.size < i + 2u || flat.data[i] != '_'))) {
        return 0;
    }
    for (i += numbered ? 1u : 0u; numbered && i < flat.size; i++) {
        if (flat.data[i] < '0' || flat.data[i] > '9') {
            return 0;
        }
    }
    return i == flat.size;
}

/* The target of the main graph's node of this name, if it becomes that of `v`. */
static gsp_str by_node(const gsp_graph *of, const cli_names *names, const gsp_graph *g, gsp_node v)
{
    gsp_str const flat = gsp_node_target(g, v);
    gsp_node const same = cli_names_find(names, gsp_node_name(g, v));
    gsp_str target = {NULL, 0};
    if (same != GSP_NONE && gsp_node_op(of, same) == gsp_node_op(g, v)) {
        gsp_str const found = gsp_node_target(of, same);
        target = is_flat_of(flat, found, 0) || is_flat_of(flat, found, 1) ? found : target;
    }
    return target;
}

/* The one target of the other module that becomes this one; itself if there is none, or several. */
static gsp_str by_target(const gsp_module *of, int is_param, gsp_str flat)
{
    const gsp_symbol *symbols = is_param ? of->params : of->leaves;
    uint32_t const n = is_param ? of->n_params : of->n_leaves;
    gsp_str target = flat;
    uint32_t found = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        gsp_str const one = gsp_module_str(of, symbols[i].target);
        if (is_flat_of(flat, one, 0)) {
            target = one;
            found++;
        }
    }
    return found == 1u ? target : flat;
}

/* ---- qualname GRAPH.NEW = OLD ---- */

typedef struct qualnames {
    cli_names names; /* [n] NEW with its number */
    gsp_str *old;    /* [n] */
} qualnames;

/* The next line with these words; 0 after the last. */
static int next_qualname(gsp_str text, uint32_t *at, gsp_str *made, gsp_str *old)
{
    static const char word[] = "qualname ";
    while (*at < text.size) {
        const char *line = text.data + *at;
        const char *end = (const char *)memchr(line, '\n', text.size - *at);
        size_t const size = end != NULL ? (size_t)(end - line) : text.size - *at;
        size_t is = sizeof word - 1u;
        *at += (uint32_t)size + 1u;
        if (size < is || memcmp(line, word, is) != 0) {
            continue;
        }
        made->data = line + is;
        while (is + 3u <= size && memcmp(line + is, " = ", 3u) != 0) {
            is++;
        }
        if (is + 3u <= size) {
            made->size = (uint32_t)(line + is - made->data);
            old->data = line + is + 3u;
            old->size = (uint32_t)(size - is - 3u);
            return 1;
        }
    }
    return 0;
}

static void read_qualnames(cli_session *s, gsp_str text, qualnames *q)
{
    gsp_str made;
    gsp_str old;
    uint32_t at = 0;
    size_t n = 0;
    while (next_qualname(text, &at, &made, &old)) {
        n++;
    }
    q->names.entries = (cli_name *)cli_alloc(s, n + 1u, sizeof *q->names.entries);
    q->old = (gsp_str *)cli_alloc(s, n + 1u, sizeof *q->old);
    for (at = 0, n = 0; next_qualname(text, &at, &made, &old); n++) {
        q->names.entries[n].name = made;
        q->names.entries[n].node = (gsp_node)n;
        q->old[n] = old;
    }
    q->names.n = (uint32_t)n;
    cli_names_sort(&q->names);
}

/* The target as it is written, unless a line tells another. */
static gsp_str by_qualname(cli_session *s, const qualnames *q, const gsp_graph *g, gsp_node v)
{
    gsp_str const graph = gsp_module_str(g->module, g->module->graphs[g->id].name);
    gsp_str const target = gsp_node_target(g, v);
    cli_buffer made;
    gsp_str name;
    uint32_t found;
    cli_buffer_init(&made, s);
    cli_put_text(&made, graph);
    cli_puts(&made, ".");
    cli_put_text(&made, target);
    name.data = made.data;
    name.size = (uint32_t)made.size;
    found = cli_names_find(&q->names, name);
    cli_release(s, made.data);
    return found != GSP_NONE ? q->old[found] : target;
}

/* ---- all targets ---- */

const gsp_str *run_targets(
    cli_session *s, const gsp_module *m, const gsp_module *of, gsp_str header)
{
    gsp_str *targets = (gsp_str *)cli_alloc(s, (size_t)m->counts.nodes + 1u, sizeof *targets);
    gsp_str *known = (gsp_str *)cli_alloc(s, 2u * (size_t)m->counts.strings, sizeof *known);
    gsp_graph const root = gsp_module_graph(of, 0);
    qualnames q;
    cli_names names;
    uint32_t i;
    cli_names_make(s, &root, &names);
    read_qualnames(s, header, &q);
    for (i = 0; i < m->counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, i);
        gsp_node v;
        for (v = 0; v < g.n_nodes; v++) {
            uint32_t const is_param = gsp_node_op(&g, v) == GSP_OP_GET_ATTR;
            gsp_str *one = &known[2u * m->target[g.first + v] + is_param];
            gsp_str *target = &targets[g.first + v];
            *target = gsp_node_target(&g, v);
            if (i == 0 || (!is_param && gsp_node_op(&g, v) != GSP_OP_CALL_MODULE)) {
                continue;
            }
            if (q.names.n != 0) {
                *target = by_qualname(s, &q, &g, v);
                continue;
            }
            if (one->data == NULL) {
                *one = by_target(of, (int)is_param, *target);
            }
            *target = by_node(&root, &names, &g, v);
            *target = target->data != NULL ? *target : *one;
        }
    }
    cli_release(s, known);
    cli_release(s, names.entries);
    cli_release(s, q.names.entries);
    cli_release(s, q.old);
    return targets;
}
