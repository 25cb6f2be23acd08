/* Units: groups (forward and backward nodes alike); groups that depend on each other in a circle
 * are one unit; units that take no time and have one neighbour join it. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

#define MANY (UINT32_MAX - 1u)

typedef struct making {
    cli_session *s;
    const cli_graph_units_desc *d;
    const gsp_graph *g;
    cli_graph_units *made;
    uint32_t *class_of; /* [nodes] group, later unit */
    uint32_t n_classes;
    uint32_t *from; /* [n_pairs] pairs of classes: one comes before the other */
    uint32_t *to;
    size_t n_pairs;
} making;

/* ---- ticks ---- */

uint64_t cli_ticks(double seconds)
{
    return cli_nanoseconds(seconds < 1e8 ? seconds : 1e8);
}

uint64_t cli_sync_ticks(uint64_t bandwidth, uint64_t bytes)
{
    return bandwidth == 0 ? 0u : cli_ticks((double)bytes / (double)bandwidth);
}

/* ---- nodes ---- */

static int is_placed(const cli_graph_units_desc *d, gsp_node v)
{
    return gsp_node_is_callable(d->graph, v) && !gsp_stages_is_marker(d->graph, v, d->marker);
}

gsp_str cli_attribute_of(const gsp_graph *g, gsp_node v, const char *key)
{
    const gsp_attr *a = g->module->attrs + g->module->attr[g->first + v];
    gsp_str none = {NULL, 0};
    while (a->key != (gsp_atom)GSP_KEY_NONE &&
           !gsp_str_equal(gsp_module_str(g->module, a->key), gsp_str_of(key))) {
        a++;
    }
    return a->key != (gsp_atom)GSP_KEY_NONE ? gsp_module_str(g->module, a->value) : none;
}

int cli_own_bytes(const gsp_graph *g, gsp_node v, uint64_t *fixed, uint64_t *kept)
{
    uint64_t *const bytes[] = {fixed, kept};
    gsp_str words[2];
    words[0] = cli_attribute_of(g, v, "fixed");
    words[1] = cli_attribute_of(g, v, "kept");
    for (uint32_t i = 0; i < 2u; i++) {
        double value = 0.0;
        *bytes[i] = 0;
        if (words[i].data != NULL && gsp_str_decimal(words[i], &value) && value > 0.0) {
            *bytes[i] = cli_whole(value < 1e15 ? value : 1e15);
        }
    }
    return words[0].data != NULL || words[1].data != NULL;
}

int cli_own_move(const gsp_graph *g, gsp_node v, uint32_t i, uint64_t *ticks)
{
    gsp_str list = cli_attribute_of(g, v, "each");
    double seconds = 0.0;
    uint32_t end = 0;
    if (list.data == NULL) {
        return 0;
    }
    for (;; i--) {
        for (end = 0; end < list.size && list.data[end] != ','; end++) {
        }
        if (i == 0 || end == list.size) {
            break;
        }
        list.data += end + 1u;
        list.size -= end + 1u;
    }
    list.size = end;
    *ticks = i == 0 && gsp_str_decimal(list, &seconds) ? cli_ticks(seconds) : 0u;
    return 1;
}

int cli_is_backward(const gsp_graph *g, gsp_node v)
{
    gsp_str const given = cli_attribute_of(g, v, "backward");
    gsp_str name = gsp_node_class(g, v);
    if (given.data != NULL) {
        return !gsp_str_equal(given, gsp_str_of("0"));
    }
    if (name.size > 9u && name.data[name.size - 9u] == '.') {
        name.data += name.size - 8u;
        name.size = 8u;
    }
    return gsp_str_equal(name, gsp_str_of("Backward"));
}

/* What reads a backward node is one too. */
static void find_backward(making *m)
{
    for (gsp_node v = 0; v < m->g->n_nodes && m->d->keep_groups; v++) {
        uint32_t n;
        const gsp_node *inputs = gsp_node_inputs(m->g, v, &n);
        uint32_t found = is_placed(m->d, v) && cli_is_backward(m->g, v) ? 1u : 0u;
        for (; n > 0; n--) {
            found |= m->made->backward[inputs[n - 1u]];
        }
        m->made->backward[v] = found;
        m->made->has_backward |= (int)found;
    }
}

/* Nodes of one group= are a class, others have their own. */
static void find_classes(making *m)
{
    const gsp_module *mod = m->g->module;
    cli_session *s = m->s;
    uint32_t *first = (uint32_t *)cli_alloc(s, (size_t)mod->counts.strings + 1u, sizeof *first);
    memset(first, 0xFF, ((size_t)mod->counts.strings + 1u) * sizeof *first);
    for (gsp_node v = 0; v < m->g->n_nodes; v++) {
        const gsp_attr *a = mod->attrs + mod->attr[m->g->first + v];
        m->class_of[v] = GSP_NONE;
        if (!is_placed(m->d, v)) {
            continue;
        }
        while (a->key != (gsp_atom)GSP_KEY_NONE && a->key != (gsp_atom)GSP_KEY_GROUP) {
            a++;
        }
        if (!m->d->keep_groups || a->key == (gsp_atom)GSP_KEY_NONE) {
            m->class_of[v] = m->n_classes++;
        } else if (first[a->value] == GSP_NONE) {
            m->class_of[v] = first[a->value] = m->n_classes++;
        } else {
            m->class_of[v] = first[a->value];
        }
    }
    cli_release(s, first);
}

/* ---- what comes before what ---- */

static void add_pair(making *m, uint32_t from, uint32_t to)
{
    if (from != to) {
        m->from[m->n_pairs] = from;
        m->to[m->n_pairs++] = to;
    }
}

/* Edges of forward nodes order their classes. Classes with backward nodes alone are ordered like a
 * mirror image. A graph with writes keeps its order. Returns whether it has any. */
static int find_pairs(making *m)
{
    cli_session *s = m->s;
    const uint32_t *backward = m->made->backward;
    uint32_t *has_forward = (uint32_t *)cli_alloc(s, (size_t)m->n_classes + 1u, 4u);
    uint32_t before = GSP_NONE;
    int writes = 0;
    uint32_t n;
    for (gsp_node v = 0; v < m->g->n_nodes; v++) {
        if (m->class_of[v] != GSP_NONE) {
            has_forward[m->class_of[v]] |= !backward[v];
            writes |= gsp_node_is_barrier(m->g, v) ||
                      gsp_node_attr(m->g, v, GSP_KEY_MUTATES).data != NULL;
        }
    }
    for (gsp_node v = 0; v < m->g->n_nodes; v++) {
        const gsp_node *inputs = gsp_node_inputs(m->g, v, &n);
        uint32_t const to = m->class_of[v];
        for (; n > 0 && to != GSP_NONE; n--) {
            uint32_t const from = m->class_of[inputs[n - 1u]];
            if (from != GSP_NONE && !backward[v]) {
                add_pair(m, from, to);
            } else if (from != GSP_NONE && backward[inputs[n - 1u]] &&
                       (!has_forward[from] || !has_forward[to])) {
                add_pair(m, to, from);
            }
        }
        if (writes && to != GSP_NONE && !backward[v]) {
            if (before != GSP_NONE) {
                add_pair(m, before, to);
            }
            before = to;
        }
    }
    cli_release(s, has_forward);
    return writes;
}

/* The classes become their components. */
static void merge_circles(making *m)
{
    cli_session *s = m->s;
    cli_lists before = cli_lists_make(s, m->n_classes, m->to, m->from, m->n_pairs, m->n_classes);
    uint32_t *number = (uint32_t *)cli_alloc(s, (size_t)m->n_classes + 1u, sizeof *number);
    uint32_t const n_made = cli_lists_components(s, m->n_classes, &before, number);
    size_t const n_pairs = m->n_pairs;
    for (gsp_node v = 0; v < m->g->n_nodes; v++) {
        m->class_of[v] = m->class_of[v] == GSP_NONE ? GSP_NONE : number[m->class_of[v]];
    }
    m->n_pairs = 0;
    for (size_t i = 0; i < n_pairs; i++) {
        add_pair(m, number[m->from[i]], number[m->to[i]]);
    }
    m->n_classes = n_made;
    cli_lists_free(s, &before);
    cli_release(s, number);
}

/* ---- weights ---- */

static uint64_t cost_at(const uint64_t *costs, uint32_t i)
{
    return costs == NULL ? 0u : costs[i];
}

/* Sums of nodes by class, without items. */
static gsp_downsets_weight *weigh_nodes(const making *m)
{
    gsp_downsets_weight *own =
        (gsp_downsets_weight *)cli_alloc(m->s, (size_t)m->n_classes + 1u, sizeof *own);
    for (gsp_node v = 0; v < m->g->n_nodes; v++) {
        uint64_t fixed;
        uint64_t kept;
        gsp_downsets_weight *w;
        if (m->class_of[v] == GSP_NONE) {
            continue;
        }
        w = &own[m->class_of[v]];
        w->time += cost_at(m->d->costs->time, v);
        w->host += cli_ticks(gsp_node_seconds(m->g, v, GSP_KEY_CPU));
        w->no_device += m->d->stages->n_cores != 0 && gsp_node_acc(m->g, v) == 0 ? 1u : 0u;
        w->no_host += gsp_node_attr(m->g, v, GSP_KEY_CPU).data == NULL ? 1u : 0u;
        if (m->d->own_bytes) {
            (void)cli_own_bytes(m->g, v, &fixed, &kept);
            w->bytes += fixed;
            w->stash += kept;
        }
    }
    return own;
}

/* Bytes of items by class, shared ones at every reader. */
static uint64_t *weigh_items(const making *m, int *fits)
{
    const gsp_costs *c = m->d->costs;
    uint64_t *bytes = (uint64_t *)cli_alloc(m->s, (size_t)m->n_classes + 1u, 8u);
    uint64_t const memory = m->d->stages->memory;
    uint64_t const held = m->d->stages->microbatches;
    uint64_t sum = 0;
    for (gsp_node v = 0; v < m->g->n_nodes; v++) {
        sum = cli_add(sum, held != 0 ? cost_at(c->stash, v) : 0u);
    }
    sum = sum > UINT64_MAX / (held + 1u) ? UINT64_MAX : sum * held;
    for (gsp_node v = 0; v < m->g->n_nodes && c->item_begin != NULL; v++) {
        for (uint32_t i = c->item_begin[v]; i < c->item_begin[v + 1u]; i++) {
            if (m->class_of[v] != GSP_NONE) {
                bytes[m->class_of[v]] = cli_add(bytes[m->class_of[v]], c->item_bytes[c->items[i]]);
            }
        }
    }
    for (uint32_t i = 0; i < c->n_items; i++) {
        sum = cli_add(sum, c->item_bytes[i] * m->d->stages->copies);
    }
    sum = m->d->stages->peak != NULL ? cli_add(sum, m->d->stages->peak_most) : sum;
    *fits = memory == 0 || (!m->d->own_bytes && sum <= memory);
    return bytes;
}

uint32_t cli_root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* The only other class that a class has edges with; or GSP_NONE, or MANY. */
static void find_neighbours(const making *m, uint32_t *parent, uint32_t *other)
{
    memset(other, 0xFF, ((size_t)m->n_classes + 1u) * sizeof *other);
    for (gsp_node v = 0; v < m->g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *inputs = gsp_node_inputs(m->g, v, &n);
        for (; n > 0 && m->class_of[v] != GSP_NONE; n--) {
            uint32_t a;
            uint32_t b;
            if (m->class_of[inputs[n - 1u]] == GSP_NONE) {
                continue;
            }
            a = cli_root_of(parent, m->class_of[v]);
            b = cli_root_of(parent, m->class_of[inputs[n - 1u]]);
            if (a != b) {
                other[a] = other[a] == GSP_NONE || other[a] == b ? b : MANY;
                other[b] = other[b] == GSP_NONE || other[b] == a ? a : MANY;
            }
        }
    }
}

/* Numbers the classes that are left. */
static uint32_t number_roots(const uint32_t *parent, uint32_t n, uint32_t *number)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        number[i] = parent[i] == i ? found++ : GSP_NONE;
    }
    return found;
}

/* A class that takes no time and has one neighbour is nowhere better than with it, if memory is
 * no question. */
static void join_leaves(making *m)
{
    cli_session *s = m->s;
    size_t const n = (size_t)m->n_classes + 1u;
    uint32_t *parent = (uint32_t *)cli_alloc(s, n, sizeof *parent);
    uint32_t *other = (uint32_t *)cli_alloc(s, n, sizeof *other);
    gsp_downsets_weight *own = weigh_nodes(m);
    int fits;
    uint64_t *bytes = weigh_items(m, &fits);
    int joined = 1;
    size_t n_pairs;
    for (uint32_t i = 0; i < m->n_classes; i++) {
        parent[i] = i;
    }
    while (joined) {
        joined = 0;
        find_neighbours(m, parent, other);
        for (uint32_t i = 0; i < m->n_classes; i++) {
            int const host_is_free =
                m->d->stages->n_cores == 0 || (own[i].host | own[i].no_host) == 0;
            if (parent[i] == i && other[i] < MANY && own[i].time == 0 && host_is_free &&
                own[i].no_device == 0 && fits && (!m->d->stages->replicas || bytes[i] == 0) &&
                cli_root_of(parent, other[i]) != i) {
                parent[i] = cli_root_of(parent, other[i]);
                joined = 1;
            }
        }
    }
    m->n_classes = number_roots(parent, m->n_classes, other);
    for (gsp_node v = 0; v < m->g->n_nodes; v++) {
        if (m->class_of[v] != GSP_NONE) {
            m->class_of[v] = other[cli_root_of(parent, m->class_of[v])];
        }
    }
    n_pairs = m->n_pairs;
    m->n_pairs = 0;
    for (size_t at = 0; at < n_pairs; at++) {
        add_pair(m, other[cli_root_of(parent, m->from[at])], other[cli_root_of(parent, m->to[at])]);
    }
    cli_release(s, parent);
    cli_release(s, other);
    cli_release(s, own);
    cli_release(s, bytes);
}

/* ---- units ---- */

/* Pairs of a value and a unit. */
typedef struct pairs {
    uint32_t *value;
    uint32_t *unit;
    size_t n;
} pairs;

/* The unit of a node, unless the value has it; 1 if it is new. */
static int see(const making *m, pairs *list, uint32_t *stamp, uint32_t value, gsp_node v)
{
    uint32_t const unit = m->class_of[v];
    if (unit == GSP_NONE || stamp[unit] == value + 1u) {
        return 0;
    }
    stamp[unit] = value + 1u;
    list->value[list->n] = value;
    list->unit[list->n++] = unit;
    return 1;
}

/* What a value of one unit takes is of the unit. */
static gsp_downsets_weight *weight_of(const making *m, const pairs *list, size_t begin)
{
    if (list->n - begin > 1u) {
        return &m->made->shared[m->made->units.n_values++];
    }
    return &m->made->own[list->unit[begin]];
}

/* The output of a node with each=: a value per reader. */
static void add_moves(const making *m, pairs *list, uint32_t *stamp, gsp_node v)
{
    uint32_t *n_values = &m->made->units.n_values;
    uint32_t n;
    const gsp_node *users = gsp_node_users(m->g, v, &n);
    for (uint32_t i = 0; i < n; i++) {
        size_t const begin = list->n;
        (void)see(m, list, stamp, *n_values, v);
        if (see(m, list, stamp, *n_values, users[i])) {
            (void)cli_own_move(m->g, v, i, &m->made->shared[(*n_values)++].move);
        } else {
            stamp[list->unit[begin]] = 0;
            list->n = begin;
        }
    }
}

/* Values of nodes. */
static void add_values(const making *m, pairs *list, uint32_t *stamp)
{
    const gsp_costs *c = m->d->costs;
    const uint32_t *n_values = &m->made->units.n_values;
    for (gsp_node v = 0; v < m->g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *users = gsp_node_users(m->g, v, &n);
        size_t const begin = list->n;
        uint64_t ignored;
        gsp_downsets_weight *w;
        if (m->class_of[v] != GSP_NONE && cli_own_move(m->g, v, 0, &ignored)) {
            add_moves(m, list, stamp, v);
            continue;
        }
        if (!see(m, list, stamp, *n_values, v)) {
            continue;
        }
        for (; n > 0; n--) {
            (void)see(m, list, stamp, *n_values, users[n - 1u]);
        }
        w = weight_of(m, list, begin);
        w->move += list->n - begin > 1u ? cost_at(c->move, v) : 0u;
        w->stash += m->d->own_bytes ? 0u : cost_at(c->stash, v);
        if (list->n - begin == 1u) {
            stamp[list->unit[begin]] = 0;
            list->n = begin;
        }
    }
}

/* Parameters and called modules, by the nodes that read them. */
static void add_items(const making *m, pairs *list, uint32_t *stamp)
{
    const gsp_costs *c = m->d->costs;
    size_t const reads = c->item_begin == NULL ? 0u : c->item_begin[m->g->n_nodes];
    uint32_t *node = (uint32_t *)cli_alloc(m->s, reads + 1u, sizeof *node);
    cli_lists rows;
    for (gsp_node v = 0; v < m->g->n_nodes && reads != 0; v++) {
        for (uint32_t k = c->item_begin[v]; k < c->item_begin[v + 1u]; k++) {
            node[k] = v;
        }
    }
    rows = cli_lists_make(m->s, c->n_items, c->items, node, reads, m->g->n_nodes);
    for (uint32_t item = 0; item < c->n_items; item++) {
        size_t const begin = list->n;
        gsp_downsets_weight *w;
        for (uint32_t k = rows.begin[item]; k < rows.begin[item + 1u]; k++) {
            (void)see(m, list, stamp, m->made->units.n_values, rows.at[k]);
        }
        if (list->n == begin) {
            continue;
        }
        w = weight_of(m, list, begin);
        w->bytes += m->d->own_bytes ? 0u : c->item_bytes[item];
        w->sync += cli_sync_ticks(m->d->bandwidth, c->item_bytes[item]);
        if (list->n - begin == 1u) {
            stamp[list->unit[begin]] = 0;
            list->n = begin;
        }
    }
    cli_lists_free(m->s, &rows);
    cli_release(m->s, node);
}

static void make_units(making *m)
{
    cli_session *s = m->s;
    const gsp_costs *c = m->d->costs;
    cli_graph_units *made = m->made;
    gsp_downsets_units *u = &made->units;
    size_t const reads = c->item_begin == NULL ? 0u : c->item_begin[m->g->n_nodes];
    size_t const most = (size_t)m->g->n_nodes + 2u * m->d->n_edges + reads + 1u;
    uint32_t *stamp = (uint32_t *)cli_alloc(s, (size_t)m->n_classes + 1u, sizeof *stamp);
    pairs list;
    list.value = (uint32_t *)cli_alloc(s, most, sizeof *list.value);
    list.unit = (uint32_t *)cli_alloc(s, most, sizeof *list.unit);
    list.n = 0;
    u->n = m->n_classes;
    made->own = weigh_nodes(m);
    made->shared = (gsp_downsets_weight *)cli_alloc(
        s, (size_t)m->g->n_nodes + m->d->n_edges + c->n_items + 1u, sizeof *made->shared);
    made->after = cli_lists_make(s, u->n, m->from, m->to, m->n_pairs, u->n);
    add_values(m, &list, stamp);
    add_items(m, &list, stamp);
    made->values = cli_lists_make(s, u->n, list.unit, list.value, list.n, u->n_values);
    u->after.begin = made->after.begin;
    u->after.at = made->after.at;
    u->values.begin = made->values.begin;
    u->values.at = made->values.at;
    u->own = made->own;
    u->shared = made->shared;
    cli_release(s, stamp);
    cli_release(s, list.value);
    cli_release(s, list.unit);
}

void cli_graph_units_make(
    struct cli_session *s, const cli_graph_units_desc *desc, cli_graph_units *made)
{
    size_t const nodes = (size_t)desc->graph->n_nodes + 1u;
    size_t const most = (size_t)desc->n_edges + nodes;
    making m;
    memset(&m, 0, sizeof m);
    memset(made, 0, sizeof *made);
    m.s = s;
    m.d = desc;
    m.g = desc->graph;
    m.made = made;
    made->unit_of = (uint32_t *)cli_alloc(s, nodes, sizeof *made->unit_of);
    made->backward = (uint32_t *)cli_alloc(s, nodes, sizeof *made->backward);
    m.class_of = made->unit_of;
    m.from = (uint32_t *)cli_alloc(s, most, sizeof *m.from);
    m.to = (uint32_t *)cli_alloc(s, most, sizeof *m.to);
    find_backward(&m);
    find_classes(&m);
    made->writes = find_pairs(&m);
    merge_circles(&m);
    if (!made->writes && !desc->stages->by_bytes && !desc->stages->exact) {
        join_leaves(&m);
        merge_circles(&m);
    }
    make_units(&m);
    cli_release(s, m.from);
    cli_release(s, m.to);
}

void cli_graph_units_free(struct cli_session *s, cli_graph_units *made)
{
    cli_lists_free(s, &made->after);
    cli_lists_free(s, &made->values);
    cli_release(s, made->own);
    cli_release(s, made->shared);
    cli_release(s, made->unit_of);
    cli_release(s, made->backward);
}
