/* Tensors that are contiguous parts of another: arguments of a concatenation, results of a split or
 * slice. Shapes alone tell where a part begins, but for slices, whose bounds are constants. */
#include "input/input.h"

#include <string.h>

#define MOST_DIMS 8u

typedef struct shape {
    gsp_str dtype;
    uint64_t dims[MOST_DIMS];
    uint32_t n;
} shape;

typedef struct children {
    cli_session *session;
    const gsp_graph *graph;
    cli_child *list;
    uint32_t n;
} children;

/* ---- shapes ---- */

/* The shape of a tensor; 0 if a dimension is unknown. */
static int read_shape(gsp_str type, shape *made)
{
    gsp_str dims;
    uint32_t at = 0;
    uint32_t i = 0;
    made->n = 0;
    if (gsp_type_container(type, NULL) != GSP_ARG_NONE ||
        !gsp_type_next(type, &at, &made->dtype, &dims)) {
        return 0;
    }
    while (i < dims.size && made->n < MOST_DIMS) {
        gsp_str word = {dims.data + i, 0};
        while (i < dims.size && dims.data[i] != ',') {
            i++;
            word.size++;
        }
        if (!gsp_str_number(word, &made->dims[made->n++]) || made->dims[made->n - 1u] == 0) {
            return 0;
        }
        for (i++; i < dims.size && dims.data[i] == ' '; i++) {
        }
    }
    return i >= dims.size && made->n != 0;
}

/* Bytes of dims[from .. n). */
static uint64_t stride(const shape *s, uint32_t from)
{
    uint64_t bits = 0;
    uint64_t bytes;
    uint32_t i;
    for (i = 0; i < s->dtype.size; i++) {
        char const c = s->dtype.data[i];
        bits = c >= '0' && c <= '9' ? 10u * bits + (uint64_t)(c - '0') : bits;
    }
    bytes = bits < 8u ? 1u : bits / 8u;
    for (i = from; i < s->n; i++) {
        bytes *= s->dims[i];
    }
    return bytes;
}

/* 1 if a tensor of shape b inside one of shape a is contiguous. Of the dimensions before the last
 * in which they differ, those of b are 1; for slabs those of a, too. */
static int is_part(const shape *a, const shape *b, int slabs)
{
    uint32_t last = 0;
    uint32_t i;
    if (a->n != b->n || !gsp_str_equal(a->dtype, b->dtype)) {
        return 0;
    }
    for (i = 0; i < a->n; i++) {
        last = a->dims[i] != b->dims[i] ? i : last;
        if (b->dims[i] > a->dims[i]) {
            return 0;
        }
    }
    for (i = 0; i < last; i++) {
        if (b->dims[i] != 1u || (slabs && a->dims[i] != 1u)) {
            return 0;
        }
    }
    return 1;
}

/* ---- arguments ---- */

/* The leaf at a position; GSP_ARG_NONE after the last. */
static gsp_arg leaf_at(const gsp_graph *g, gsp_node v, uint32_t position)
{
    uint32_t n;
    const gsp_arg *args = gsp_node_args(g, v, &n);
    uint32_t const token = gsp_node_leaf(g, v, position);
    gsp_arg none;
    memset(&none, 0, sizeof none);
    none.kind = GSP_ARG_NONE;
    return token != GSP_NONE ? args[token] : none;
}

/* A constant leaf that is a number. */
static int number_at(const gsp_graph *g, gsp_node v, uint32_t position, uint64_t *number)
{
    gsp_arg const leaf = leaf_at(g, v, position);
    return leaf.kind == GSP_ARG_CONSTANT &&
           gsp_str_number(gsp_module_str(g->module, leaf.value), number);
}

static void add(children *c, gsp_node at, gsp_node child, gsp_node parent, uint64_t offset)
{
    cli_child const made = {at, child, parent, offset, 0};
    c->list[c->n++] = made;
}

/* ---- concatenations ---- */

/* Tensors that fill the result one after the other, without gaps. */
static void add_concat(children *c, gsp_node v, const shape *whole)
{
    const gsp_graph *g = c->graph;
    uint32_t const before = c->n;
    uint64_t offset = 0;
    uint32_t k;
    gsp_arg leaf = leaf_at(g, v, 0);
    shape part;
    for (k = 1; leaf.kind != GSP_ARG_NONE; k++) {
        if (leaf.kind == GSP_ARG_NODE && read_shape(gsp_node_type(g, leaf.value), &part) &&
            is_part(whole, &part, 1)) {
            add(c, v, leaf.value, v, offset);
            offset += gsp_node_bytes(g, leaf.value);
        }
        leaf = leaf_at(g, v, k);
    }
    c->n = offset == gsp_node_bytes(g, v) ? c->n : before;
}

/* ---- splits ---- */

/* Where an element of an aggregate begins, after those before it; all gets the bytes of all. */
static int find_element(gsp_str type, uint32_t element, uint64_t *offset, uint64_t *all, shape *own)
{
    gsp_str text;
    shape s;
    uint32_t at = 0;
    uint32_t i;
    int found = 0;
    *all = 0;
    for (i = 0; gsp_type_next_element(type, &at, &text); i++) {
        if (!read_shape(text, &s)) {
            return 0;
        }
        if (i == element) {
            *offset = *all;
            *own = s;
            found = 1;
        }
        *all += stride(&s, 0);
    }
    return found;
}

/* The argument that is split: elements fill it, or each of them is the whole (ncnn). */
static gsp_node split_of(const gsp_graph *g, gsp_node v, const shape *element, uint64_t all)
{
    gsp_arg leaf = leaf_at(g, v, 0);
    shape whole;
    uint32_t k;
    for (k = 1; leaf.kind != GSP_ARG_NONE; k++) {
        if (leaf.kind == GSP_ARG_NODE && read_shape(gsp_node_type(g, leaf.value), &whole) &&
            is_part(&whole, element, 1) &&
            (stride(&whole, 0) == all || stride(&whole, 0) == stride(element, 0))) {
            return leaf.value;
        }
        leaf = leaf_at(g, v, k);
    }
    return GSP_NONE;
}

static void add_split(children *c, gsp_node v)
{
    const gsp_graph *g = c->graph;
    uint32_t n;
    const gsp_node *users = gsp_node_users(g, v, &n);
    uint32_t i;
    for (i = 0; i < n; i++) {
        uint32_t const element = gsp_node_element(g, users[i]);
        uint64_t offset = 0;
        uint64_t all = 0;
        shape own;
        if (element != GSP_NONE &&
            find_element(gsp_node_type(g, v), element, &offset, &all, &own)) {
            gsp_node const u = split_of(g, v, &own, all);
            if (u != GSP_NONE) {
                int const copy = all > gsp_node_bytes(g, u);
                add(c, v, users[i], u, copy ? 0u : offset);
                c->list[c->n - 1u].shared = copy;
            }
        }
    }
}

/* ---- slices ---- */

/* The first element of every dimension: [[BEGIN, END], ...] of HLO, or DIM, BEGIN of PyTorch. */
static int read_starts(const gsp_graph *g, gsp_node v, const shape *part, uint64_t *starts)
{
    gsp_str const target = gsp_node_target(g, v);
    int const hlo = target.size > 4u && memcmp(target.data, "hlo.", 4u) == 0;
    uint64_t dim = 0;
    uint64_t end = 0;
    uint32_t i;
    memset(starts, 0, MOST_DIMS * sizeof *starts);
    for (i = 0; i < part->n && hlo; i++) {
        if (!number_at(g, v, 1u + 2u * i, &starts[i]) || !number_at(g, v, 2u + 2u * i, &end) ||
            end - starts[i] != part->dims[i]) {
            return 0;
        }
    }
    if (hlo) {
        return leaf_at(g, v, 1u + 2u * part->n).kind == GSP_ARG_NONE;
    }
    int const stepless =
        leaf_at(g, v, 4).kind == GSP_ARG_NONE || (number_at(g, v, 4, &end) && end == 1u);
    return stepless && number_at(g, v, 1, &dim) && dim < part->n &&
           number_at(g, v, 2, &starts[dim]);
}

static void add_slice(children *c, gsp_node v, const shape *part)
{
    const gsp_graph *g = c->graph;
    gsp_arg const leaf = leaf_at(g, v, 0);
    uint64_t starts[MOST_DIMS];
    uint64_t offset = 0;
    shape whole;
    uint32_t i;
    if (leaf.kind != GSP_ARG_NODE || !read_shape(gsp_node_type(g, leaf.value), &whole) ||
        !is_part(&whole, part, 0) || !read_starts(g, v, part, starts)) {
        return;
    }
    for (i = 0; i < whole.n; i++) {
        if (starts[i] > whole.dims[i] - part->dims[i]) {
            return;
        }
        offset += starts[i] * stride(&whole, i + 1u);
    }
    add(c, v, v, leaf.value, offset);
}

cli_child *cli_children_find(
    cli_session *s, const gsp_graph *graph, const uint32_t *parts, uint32_t *n)
{
    children c;
    size_t most = 1;
    gsp_node v;
    shape whole;
    c.session = s;
    c.graph = graph;
    c.n = 0;
    for (v = 0; v < graph->n_nodes; v++) {
        uint32_t n_args = 0;
        uint32_t n_users = 0;
        if (parts[v] != 0) {
            (void)gsp_node_args(graph, v, &n_args);
            (void)gsp_node_users(graph, v, &n_users);
        }
        most += (size_t)n_args + n_users;
    }
    c.list = (cli_child *)cli_alloc(s, most, sizeof *c.list);
    for (v = 0; v < graph->n_nodes; v++) {
        uint32_t const before = c.n;
        if (parts[v] != 0 && gsp_type_container(gsp_node_type(graph, v), NULL) != GSP_ARG_NONE) {
            add_split(&c, v);
        } else if (parts[v] != 0 && read_shape(gsp_node_type(graph, v), &whole)) {
            add_concat(&c, v, &whole);
            if (c.n == before) {
                add_slice(&c, v, &whole);
            }
        }
    }
    *n = c.n;
    return c.list;
}
