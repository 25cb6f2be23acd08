/* What the nodes of a run write: values with the memory that they show. */
#include "commands/run/run.h"

#include "input/input.h"

#include <stdlib.h>
#include <string.h>

#define FRONT (UINT32_MAX - 1u) /* elements of a value that may have any number of them */

/* Memory that several values show, or that a node has written. `state` is a hash of the writes in
 * their order, 0 before the first one. */
typedef struct memory {
    uint64_t state;
    uint64_t below;  /* sum of the states of this memory and of its elements */
    uint32_t parent; /* the memory of which it is an element; 0 for none */
    uint32_t index;
} memory;

/* A get_attr; those of one key share memory. */
typedef struct attribute {
    uint64_t key;
    gsp_graph graph;
    gsp_node node;
} attribute;

struct run_writes {
    cli_session *session;
    const gsp_str *targets;
    gsp_graph
        *graph_of;     /* [graphs of the module + 1] that has the annotations of each; main last */
    gsp_node *node_of; /* [nodes] there; GSP_NONE: the node itself */
    attribute *attributes;
    uint32_t n_attributes;
    uint32_t *handle_of; /* [nodes] of a get_attr */
    run_cell *cells;     /* by handle */
    size_t n_cells;
    size_t room_of_cells;
    uint64_t free_cell; /* its value is the next one; 0 for none */
    memory *memories;   /* the first one is none */
    size_t n_memories;
    size_t room_of_memories;
    uint32_t *elements; /* by hash of what they are elements of, and the index; 0 for none */
    size_t room_of_elements;
};

/* ---- memory ---- */

uint64_t run_mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 32;
    h *= UINT64_C(0xD6E8FEB86659FD93);
    return h ^ (h >> 29);
}
static uint32_t new_memory(run_writes *w)
{
    if (w->n_memories == w->room_of_memories) {
        w->room_of_memories = 2u * w->room_of_memories + 64u;
        w->memories =
            (memory *)cli_grow(w->session, w->memories, w->room_of_memories * sizeof *w->memories);
    }
    memset(&w->memories[w->n_memories], 0, sizeof *w->memories);
    return (uint32_t)w->n_memories++;
}

/* Where the element stands among all, or may. */
static uint32_t *place_of(const run_writes *w, uint32_t of, uint32_t index)
{
    size_t at = (size_t)run_mix(run_mix(4u, of), index) & (w->room_of_elements - 1u);
    while (w->elements[at] != 0 && (w->memories[w->elements[at]].parent != of ||
                                       w->memories[w->elements[at]].index != index)) {
        at = (at + 1u) & (w->room_of_elements - 1u);
    }
    return &w->elements[at];
}

static void make_room(run_writes *w)
{
    uint32_t *old = w->elements;
    size_t const n_old = w->room_of_elements;
    size_t i;
    w->room_of_elements = n_old == 0 ? 64u : 2u * n_old;
    w->elements = (uint32_t *)cli_alloc(w->session, w->room_of_elements, sizeof *w->elements);
    for (i = 0; i < n_old; i++) {
        if (old[i] != 0) {
            *place_of(w, w->memories[old[i]].parent, w->memories[old[i]].index) = old[i];
        }
    }
    cli_release(w->session, old);
}

static uint32_t element_of(run_writes *w, uint32_t of, uint32_t index)
{
    uint32_t *place;
    if (2u * w->n_memories >= w->room_of_elements) {
        make_room(w);
    }
    place = place_of(w, of, index);
    if (*place == 0) {
        *place = new_memory(w);
        w->memories[*place].parent = of;
        w->memories[*place].index = index;
    }
    return *place;
}

static void write_memory(run_writes *w, uint32_t at, uint64_t hash)
{
    uint64_t const before = w->memories[at].state;
    uint64_t const after = run_mix(run_mix(3u, before), hash);
    w->memories[at].state = after;
    for (; at != 0; at = w->memories[at].parent) {
        w->memories[at].below += after - before;
    }
}

/* What was written to a memory, to its elements and to what it is an element of. */
static uint64_t writes_of(const run_writes *w, uint32_t at)
{
    uint64_t sum = w->memories[at].below;
    while (at != 0 && (at = w->memories[at].parent) != 0) {
        sum += w->memories[at].state;
    }
    return sum;
}

/* ---- values ---- */

static uint64_t new_cell(run_writes *w, run_cell cell)
{
    uint64_t handle = w->free_cell;
    if (handle != 0) {
        w->free_cell = w->cells[handle].value;
    } else {
        if (w->n_cells == w->room_of_cells) {
            w->room_of_cells = 2u * w->room_of_cells + 64u;
            w->cells =
                (run_cell *)cli_grow(w->session, w->cells, w->room_of_cells * sizeof *w->cells);
        }
        handle = w->n_cells++;
    }
    w->cells[handle] = cell;
    return handle;
}

static uint32_t memory_of(run_writes *w, uint64_t handle)
{
    if (w->cells[handle].memory == 0) {
        w->cells[handle].memory = new_memory(w);
    }
    return w->cells[handle].memory;
}

run_cell run_cell_of(const run_writes *w, gsp_value value)
{
    run_cell cell = {0, 0, 0};
    cell.value = value;
    return w != NULL ? w->cells[value] : cell;
}

run_cell run_cell_element(run_writes *w, run_cell of, uint32_t index, uint64_t value)
{
    if (of.memory != 0 && !of.is_view) {
        of.memory = element_of(w, of.memory, index);
    }
    of.value = value;
    return of;
}

uint64_t run_cell_content(const run_writes *w, run_cell cell)
{
    uint64_t const writes = cell.memory != 0 ? writes_of(w, cell.memory) : 0;
    return writes != 0 ? run_mix(cell.value, writes) : cell.value;
}

void run_cell_release(run_writes *w, gsp_value value)
{
    w->cells[value].value = w->free_cell;
    w->free_cell = value;
}

/* ---- annotations ---- */

/* The node whose mutates=, alias= and storage= hold for a node of the module that runs. */
static gsp_node annotated(const run_writes *w, const gsp_graph *g, gsp_node v, gsp_graph *of)
{
    gsp_node const u = w->node_of[g->first + v];
    *of = u != GSP_NONE ? w->graph_of[g->id] : *g;
    return u != GSP_NONE ? u : v;
}

/* The next position of a list; 0 at its end. */
static int next_position(gsp_str list, uint32_t *at, uint64_t *position)
{
    gsp_str word = {NULL, 0};
    if (*at >= list.size) {
        return 0;
    }
    word.data = list.data + *at;
    while (*at < list.size && list.data[*at] != ',') {
        ++*at;
        word.size++;
    }
    ++*at;
    return gsp_str_number(word, position);
}

/* Goes through the arguments of a call, each of which may be several tokens. */
typedef struct cursor {
    const gsp_call *call;
    const gsp_arg *args;
    uint32_t n;
    uint32_t i;      /* the next argument */
    uint64_t n_seen; /* nodes and constants before it */
    uint32_t begin;  /* tokens of the last of these */
    uint32_t end;
    int is_node;
} cursor;

static cursor begin_arguments(const gsp_call *call)
{
    cursor c = {call, NULL, 0, 0, 0, 0, 0, 0};
    c.args = gsp_node_args(&call->graph, call->node, &c.n);
    return c;
}

/* 1 if a node is at the position, which is not before that of the last call. Its tokens, an
 * aggregate in its elements, are from begin to end. */
static int find_tokens(cursor *c, uint64_t position)
{
    const gsp_call *call = c->call;
    while (c->n_seen <= position) {
        uint32_t depth = 0;
        uint32_t kind;
        if (c->i == c->n || c->end >= call->n_args) {
            return 0;
        }
        kind = c->args[c->i++].kind;
        c->begin = c->end;
        do {
            uint32_t const token = call->args[c->end++].kind;
            depth += token == GSP_ARG_CLOSE ? UINT32_MAX : token >= GSP_ARG_TUPLE ? 1u : 0u;
        } while (kind == GSP_ARG_NODE && depth != 0 && c->end < call->n_args);
        c->is_node = kind == GSP_ARG_NODE;
        c->n_seen += c->is_node || kind == GSP_ARG_CONSTANT;
    }
    return c->is_node;
}

int run_find_alias(const run_writes *w, const gsp_call *call, uint32_t *begin, uint32_t *end)
{
    gsp_graph of;
    gsp_node v;
    gsp_str alias;
    uint64_t position = 0;
    cursor c;
    int is_node;
    if (w == NULL || call->request != GSP_REQUEST_CALL) {
        return 0;
    }
    v = annotated(w, &call->graph, call->node, &of);
    alias = gsp_node_attr(&of, v, GSP_KEY_ALIAS);
    if (alias.data != NULL ? !gsp_str_number(alias, &position)
                           : !gsp_str_equal(gsp_node_target(&call->graph, call->node),
                                 gsp_str_of("operator.getitem"))) {
        return 0;
    }
    c = begin_arguments(call);
    is_node = find_tokens(&c, position);
    *begin = c.begin;
    *end = c.end;
    return is_node;
}

/* ---- what a call yields and writes ---- */

static gsp_value yield(run_writes *w, const gsp_call *call, uint64_t hash, uint32_t index)
{
    run_cell cell = {0, 0, 0};
    uint32_t i;
    uint32_t end;
    cell.value = hash;
    if (run_find_alias(w, call, &i, &end)) {
        while (i < end && call->args[i].kind != GSP_ARG_NODE) {
            i++;
        }
        if (i < end) {
            gsp_value const of = call->values[i];
            cell.memory = memory_of(w, of);
            if (index == GSP_NONE) { /* of a value without a TYPE, from the front */
                index = gsp_node_element_of(&call->graph, call->node, FRONT);
                index = index < FRONT / 2u ? index : GSP_NONE;
            }
            cell.is_view = index == GSP_NONE || w->cells[of].is_view;
            if (!cell.is_view) {
                cell.memory = element_of(w, cell.memory, index);
            }
        }
    }
    return new_cell(w, cell);
}

static int compare_positions(const void *a, const void *b)
{
    uint64_t const x = *(const uint64_t *)a;
    uint64_t const y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Writes at the positions of a list. Writes of one content commute, so one pass finds them all. */
static void write_all(run_writes *w, const gsp_call *call, gsp_str list, uint64_t content)
{
    cursor c = begin_arguments(call);
    uint64_t *positions = (uint64_t *)cli_alloc(w->session, list.size / 2u + 1u, sizeof *positions);
    uint32_t n = 0;
    uint32_t at = 0;
    uint32_t i;
    uint32_t k;
    while (next_position(list, &at, &positions[n])) {
        n++;
    }
    qsort(positions, n, sizeof *positions, compare_positions);
    for (k = 0; k < n; k++) {
        int const is_node = find_tokens(&c, positions[k]);
        for (i = c.begin; is_node && i < c.end; i++) {
            if (call->args[i].kind == GSP_ARG_NODE) {
                write_memory(w, memory_of(w, call->values[i]), content);
            }
        }
    }
    cli_release(w->session, positions);
}

gsp_value run_written(
    run_writes *w, const gsp_call *call, uint64_t hash, uint64_t content, uint32_t index)
{
    gsp_graph of;
    gsp_node v;
    gsp_str list;
    gsp_value result;
    if (call->request == GSP_REQUEST_ATTR) {
        result = w->handle_of[call->graph.first + call->node];
        w->cells[result].value = hash;
        return result;
    }
    result = yield(w, call, hash, index);
    if (call->request != GSP_REQUEST_CALL) {
        return result;
    }
    v = annotated(w, &call->graph, call->node, &of);
    list = gsp_node_attr(&of, v, GSP_KEY_MUTATES);
    if (list.size != 0) {
        write_all(w, call, list, content);
    }
    return result;
}

/* ---- a run ---- */

gsp_value run_writes_input(run_writes *w, uint64_t hash)
{
    run_cell cell = {0, 0, 0};
    cell.value = hash;
    return new_cell(w, cell);
}

void run_writes_begin(run_writes *w)
{
    run_cell const none = {0, 0, 0};
    uint32_t i;
    uint32_t shared = 0;
    w->free_cell = w->n_cells = w->n_memories = 0;
    memset(w->elements, 0, w->room_of_elements * sizeof *w->elements);
    (void)new_memory(w);
    (void)new_cell(w, none);
    for (i = 0; i < w->n_attributes; i++) {
        run_cell cell = {0, 0, 0};
        const attribute *a = &w->attributes[i];
        if (i == 0 || a->key != a[-1].key) {
            shared = new_memory(w);
        }
        cell.memory = shared;
        w->handle_of[a->graph.first + a->node] = (uint32_t)new_cell(w, cell);
    }
}

uint64_t run_writes_digest(const run_writes *w, uint64_t h, const gsp_value *inputs, uint32_t n)
{
    uint64_t sum = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        uint32_t const at = w->cells[inputs[i]].memory;
        h = at != 0 && writes_of(w, at) != 0 ? run_mix(run_mix(h, i), writes_of(w, at)) : h;
    }
    for (i = 0; i < w->n_attributes; i++) {
        const attribute *a = &w->attributes[i];
        uint64_t const writes =
            writes_of(w, w->cells[w->handle_of[a->graph.first + a->node]].memory);
        if (writes != 0 && (i == 0 || a->key != a[-1].key)) {
            sum += run_mix(a->key, writes);
        }
    }
    return sum != 0 ? run_mix(h, sum) : h;
}

/* ---- all annotations of a module ---- */

/* Finds nodes of a graph by name in the one that has the annotations. */
static void match(run_writes *w, const gsp_graph *g, const gsp_graph *of, const cli_names *names)
{
    gsp_node v;
    w->graph_of[g->id] = *of;
    for (v = 0; v < g->n_nodes; v++) {
        gsp_node const u = gsp_node_op(g, v) == GSP_OP_OUTPUT
                               ? GSP_NONE
                               : cli_names_find(names, gsp_node_name(g, v));
        uint32_t n[2] = {0, 0};
        if (u != GSP_NONE && gsp_node_op(g, v) == gsp_node_op(of, u)) {
            (void)gsp_node_args(g, v, &n[0]);
            (void)gsp_node_args(of, u, &n[1]);
            w->node_of[g->first + v] = n[0] == n[1] ? u : GSP_NONE;
        }
    }
}

/* A module without annotations, such as that of a porcelain: those of the nodes of the same names,
 * in the graph of the same name or else in main, hold. */
static void match_all(run_writes *w, const gsp_module *m, const gsp_module *of)
{
    gsp_graph const root = gsp_module_graph(of, 0);
    cli_names names;
    uint32_t i;
    uint32_t k;
    cli_names_make(w->session, &root, &names);
    for (i = 0; i < m->counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, i);
        gsp_str const name = gsp_module_str(m, m->graphs[i].name);
        for (k = 1;
             k < of->counts.graphs && !gsp_str_equal(name, gsp_module_str(of, of->graphs[k].name));
             k++) {
        }
        if (i != 0 && k < of->counts.graphs) {
            gsp_graph const same = gsp_module_graph(of, k);
            cli_names own;
            cli_names_make(w->session, &same, &own);
            match(w, &g, &same, &own);
            cli_release(w->session, own.entries);
        } else {
            match(w, &g, &root, &names);
        }
    }
    cli_release(w->session, names.entries);
}

static uint64_t hash_text(uint64_t h, gsp_str text)
{
    uint32_t i;
    for (i = 0; i < text.size; i++) {
        h = run_mix(h, (unsigned char)text.data[i]);
    }
    return run_mix(h, text.size);
}

static int compare_keys(const void *a, const void *b)
{
    const attribute *x = (const attribute *)a;
    const attribute *y = (const attribute *)b;
    return (x->key > y->key) - (x->key < y->key);
}

static void find_attributes(run_writes *w, const gsp_module *m)
{
    uint32_t i;
    gsp_node v;
    w->attributes = (attribute *)cli_alloc(w->session, m->counts.nodes, sizeof *w->attributes);
    for (i = 0; i < m->counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, i);
        for (v = 0; v < g.n_nodes; v++) {
            attribute *a = &w->attributes[w->n_attributes];
            gsp_graph of;
            gsp_node const u = annotated(w, &g, v, &of);
            gsp_str const storage = gsp_node_attr(&of, u, GSP_KEY_STORAGE);
            if (gsp_node_op(&g, v) != GSP_OP_GET_ATTR) {
                continue;
            }
            a->graph = g;
            a->node = v;
            a->key = storage.data != NULL ? hash_text(1u, storage)
                                          : hash_text(2u, w->targets[g.first + v]);
            w->n_attributes++;
        }
    }
    qsort(w->attributes, w->n_attributes, sizeof *w->attributes, compare_keys);
}

int run_has_annotations(const gsp_module *m)
{
    uint32_t v = 0;
    while (v < m->counts.nodes && m->attrs[m->attr[v]].key == (gsp_atom)GSP_KEY_NONE) {
        v++;
    }
    return v < m->counts.nodes;
}

int run_has_writes(const gsp_module *m)
{
    uint32_t i;
    gsp_node v;
    for (i = 0; i < m->counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, i);
        for (v = 0; v < g.n_nodes; v++) {
            if (gsp_node_is_callable(&g, v) && gsp_node_attr(&g, v, GSP_KEY_MUTATES).size != 0) {
                return 1;
            }
        }
    }
    return 0;
}

run_writes *run_writes_make(
    cli_session *s, const gsp_module *m, const gsp_module *of, const gsp_str *targets)
{
    run_writes *w = (run_writes *)cli_alloc(s, 1u, sizeof *w);
    w->session = s;
    w->targets = targets;
    w->graph_of = (gsp_graph *)cli_alloc(s, (size_t)m->counts.graphs + 1u, sizeof *w->graph_of);
    w->node_of = (gsp_node *)cli_alloc(s, m->counts.nodes, sizeof *w->node_of);
    w->handle_of = (uint32_t *)cli_alloc(s, m->counts.nodes, sizeof *w->handle_of);
    memset(w->node_of, 0xFF, m->counts.nodes * sizeof *w->node_of);
    if (of != NULL) {
        match_all(w, m, of);
    }
    find_attributes(w, m);
    make_room(w);
    return w;
}
