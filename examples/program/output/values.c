/* Values that pass between parts: their names, and their types for the manifest of --emit. */
#include "output/output.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

int cli_tensor(const cli_session *s, const gsp_graph *graph, gsp_node v, uint32_t i, gsp_str *name)
{
    if (s->format->tensor != NULL) {
        return s->format->tensor(graph, v, i, name);
    }
    *name = gsp_node_name(graph, v);
    return i == 0;
}

gsp_str cli_outside(const cli_part *part, gsp_str name)
{
    uint32_t i;
    for (i = 0; part != NULL && i < part->n_bind; i++) {
        if (gsp_str_equal(part->bind[i].inner, name)) {
            return part->bind[i].outer;
        }
    }
    return name;
}

int cli_compare_text(gsp_str a, gsp_str b)
{
    uint32_t const size = a.size < b.size ? a.size : b.size;
    int const c = size != 0 ? memcmp(a.data, b.data, size) : 0;
    return c != 0 ? c : (a.size > b.size) - (a.size < b.size);
}

int cli_is_inside(
    const cli_names *names, const gsp_graph *whole, const cli_part *part, gsp_str name)
{
    gsp_node const from =
        part != NULL && part->has_model ? cli_names_find(names, cli_outside(part, name)) : GSP_NONE;
    return from != GSP_NONE && gsp_node_op(whole, from) == GSP_OP_GET_ATTR;
}

/* ---- types ---- */

typedef struct value {
    gsp_str name;
    gsp_str type;
    size_t place; /* the first is kept */
    int is_first;
} value;

typedef struct values {
    cli_session *session;
    const gsp_graph *whole;
    const cli_names *names; /* of its nodes */
    value *all;             /* [n] */
    size_t n;
    size_t room;
} values;

/* One of several tensors of a node has the type of one element. */
static gsp_str type_of(const cli_session *s, const gsp_graph *g, gsp_node v, uint32_t i)
{
    gsp_str const type = gsp_node_type(g, v);
    gsp_str element = type;
    uint32_t count;
    uint32_t at = 0;
    if (s->format->tensor != NULL && gsp_type_container(type, &count) != GSP_ARG_NONE) {
        while (gsp_type_next_element(type, &at, &element) && i-- > 0) {
        }
    }
    return element;
}

static void add(values *all, const gsp_graph *g, gsp_node v, const cli_part *part)
{
    gsp_str name;
    uint32_t i;
    for (i = 0; cli_tensor(all->session, g, v, i, &name); i++) {
        gsp_str const type = type_of(all->session, g, v, i);
        if (type.size == 0) {
            continue;
        }
        if (all->n == all->room) {
            all->room = all->room * 2u + 16u;
            all->all = (value *)cli_grow(all->session, all->all, all->room * sizeof *all->all);
        }
        all->all[all->n].name = cli_outside(part, name);
        all->all[all->n].type = type;
        all->all[all->n].place = all->n;
        all->all[all->n++].is_first = 0;
    }
}

static void add_graph(values *all, const gsp_graph *g, const cli_part *part)
{
    uint32_t n;
    uint32_t i;
    const gsp_node *outputs = gsp_node_inputs(g, g->n_nodes - 1u, &n);
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        if (gsp_node_op(g, v) == GSP_OP_PLACEHOLDER &&
            !cli_is_inside(all->names, all->whole, part, gsp_node_name(g, v))) {
            add(all, g, v, part);
        }
    }
    for (i = 0; i < n; i++) {
        add(all, g, outputs[i], part);
    }
}

static int by_name(const void *a, const void *b)
{
    const value *x = (const value *)a;
    const value *y = (const value *)b;
    int const order = cli_compare_text(x->name, y->name);
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

static int by_place(const void *a, const void *b)
{
    const value *x = (const value *)a;
    const value *y = (const value *)b;
    return (x->place > y->place) - (x->place < y->place);
}

static void put_shape(cli_buffer *out, gsp_str dims)
{
    const char *comma = "";
    uint32_t at = 0;
    gsp_str dim;
    cli_puts(out, ", \"shape\": [");
    while (cli_next_dim(dims, &at, &dim)) {
        uint64_t number;
        cli_puts(out, comma);
        if (gsp_str_number(dim, &number)) {
            cli_put_text(out, dim);
        } else {
            cli_json_string(out, dim);
        }
        comma = ", ";
    }
    cli_puts(out, "]");
}

/* A tensor has a dtype and a shape; what else there is has a type alone. */
static void put_value(cli_buffer *out, const value *v)
{
    gsp_str dtype = {NULL, 0};
    gsp_str dims = {NULL, 0};
    uint32_t at = 0;
    uint32_t count;
    int const is_tensor = gsp_type_container(v->type, &count) == GSP_ARG_NONE &&
                          gsp_type_next(v->type, &at, &dtype, &dims);
    cli_json_string(out, v->name);
    cli_puts(out, is_tensor ? ": {\"dtype\": " : ": {\"type\": ");
    cli_json_string(out, is_tensor ? dtype : v->type);
    if (is_tensor) {
        put_shape(out, dims);
    }
    cli_puts(out, "}");
}

void cli_put_values(cli_session *s, const gsp_graph *whole, const cli_names *names,
    const cli_part *parts, size_t n_parts, cli_buffer *out)
{
    values all = {NULL, NULL, NULL, NULL, 0, 0};
    const char *comma = "";
    size_t i;
    all.session = s;
    all.whole = whole;
    all.names = names;
    add_graph(&all, whole, NULL);
    for (i = 0; i < n_parts; i++) {
        if (parts[i].made_of == NULL) {
            add_graph(&all, &parts[i].graph, &parts[i]);
        }
    }
    if (all.n != 0) {
        qsort(all.all, all.n, sizeof *all.all, by_name);
    }
    for (i = 0; i < all.n; i++) {
        all.all[i].is_first = i == 0 || !gsp_str_equal(all.all[i].name, all.all[i - 1u].name);
    }
    if (all.n != 0) {
        qsort(all.all, all.n, sizeof *all.all, by_place);
    }
    cli_puts(out, ",\n \"values\": {");
    for (i = 0; i < all.n; i++) {
        if (all.all[i].is_first) {
            cli_puts(out, comma);
            put_value(out, &all.all[i]);
            comma = ", ";
        }
    }
    cli_puts(out, "}");
    cli_release(s, all.all);
}
