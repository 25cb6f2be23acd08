/* graphsplit_origin.h - an add-on of graphsplit.h: from nodes of a new module back to the old
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Maps each node of a module that a pass has made to the old node whose value it yields, and old
 * nodes to their copies. Needs graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_ORIGIN_IMPLEMENTATION
 *     #include "graphsplit_origin.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>origin             Origins of the nodes of new modules
 *     >>impl               Implementation guard
 *
 *     gsp_*_origins                O(nodes + args + strings)   16 per new node, 4 per old node;
 *                                                              4 per old string at work
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_ORIGIN_H_INCLUDED
#define GRAPHSPLIT_ORIGIN_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_ORIGIN_IMPLEMENTATION)
#error "graphsplit_origin: GRAPHSPLIT_STATIC needs GRAPHSPLIT_ORIGIN_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>origin   Origins of the nodes of new modules (API)
 * ---- */

/* The node of the old module whose value a new node yields. */
typedef struct gsp_origin {
    uint32_t graph;   /* GSP_NONE if no old node has this value: a call that returns a tuple, ... */
    gsp_node node;    /* in that graph */
    uint32_t element; /* the element of its value; GSP_NONE means all of it */
} gsp_origin;

/* Both directions. The number of a node in its module is gsp_graph.first plus its id. */
typedef struct gsp_origins {
    const gsp_origin *origin; /* [nodes of the new module] */
    const uint32_t *begin;    /* [nodes of the old module + 1] into copies */
    const uint32_t *copies;   /* numbers of the new nodes whose origin is an old node, ascending */
} gsp_origins;

/* gsp_origins_bound: bytes for any of these functions; `made` is the new module. Time: O(1). */
GSP_API size_t gsp_origins_bound(const gsp_module *old, const gsp_module *made);

#ifndef GSP_NO_SPLIT

/* gsp_split_by_tags_origins: origins of the nodes of result->module in the graph that was split.
 *
 * What:    The origin of a copy is its original; inputs, parameters and the output of the root are
 *          copies. A placeholder of a subgraph has the origin of the argument of the first call.
 *          A call has the origin of its returned value, if it returns one, and a getitem of a call
 *          has the origin of the element. In child graphs that the pass copied whole, every node
 *          has its original. The result and both modules must be unchanged since the pass.
 * Errors:  ARG, OVERFLOW
 * Time:    O(nodes + args + strings), O(log graphs) per call. Memory: the bound
 * Example: examples/origins.c
 */
GSP_API gsp_status gsp_split_by_tags_origins(gsp_arena *arena, const gsp_graph *graph,
    const gsp_split_by_tags_result *result, gsp_origins *origins, gsp_error *err);

/* gsp_split_module_origins: the same for gsp_split_module_run(), and for gsp_partition_run(), whose
 * parts are such a result. Errors: ARG, OVERFLOW. Time: as gsp_split_by_tags_origins(). Memory: the
 * bound. */
GSP_API gsp_status gsp_split_module_origins(gsp_arena *arena, const gsp_graph *graph,
    const gsp_split_module_result *result, gsp_origins *origins, gsp_error *err);

#endif /* GSP_NO_SPLIT */

#ifndef GSP_NO_PIPELINE

/* gsp_pipeline_origins: the same for gsp_pipeline_run(). Errors: ARG, OVERFLOW. Time: as
 * gsp_split_by_tags_origins(). Memory: the bound. */
GSP_API gsp_status gsp_pipeline_origins(gsp_arena *arena, const gsp_graph *graph,
    const gsp_pipeline_result *result, gsp_origins *origins, gsp_error *err);

#endif /* GSP_NO_PIPELINE */

#ifndef GSP_NO_DEDUP

/* gsp_dedup_origins: the same for gsp_dedup_run(). The origin of a node of a subgraph is in the
 * first region; the origin of a value that the root reads of a call is in the region of that call.
 * Errors: ARG, OVERFLOW. Time: as gsp_split_by_tags_origins(). Memory: the bound. */
GSP_API gsp_status gsp_dedup_origins(gsp_arena *arena, const gsp_graph *graph,
    const gsp_dedup_result *result, gsp_origins *origins, gsp_error *err);

#endif /* GSP_NO_DEDUP */

/* gsp_module_origins: the same for passes that copy a whole module. `graph` is the extracted graph
 * for gsp_stage_extract_run(), and 0 for gsp_backward_run() and gsp_stage_devices_run(). A graph
 * of a new name, such as a copy for another device, has the origins of the graph that its callers
 * called before. The root has no origins if `graph` is none of the old graphs.
 * Errors: ARG, OVERFLOW. Time: O(nodes + strings), O(log graphs) per graph. Memory: the bound. */
GSP_API gsp_status gsp_module_origins(gsp_arena *arena, const gsp_module *old, uint32_t graph,
    const gsp_module *made, gsp_origins *origins, gsp_error *err);

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_ORIGIN_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_ORIGIN_IMPLEMENTATION
#ifndef GRAPHSPLIT_ORIGIN_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_ORIGIN_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_ORIGIN_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_ORIGIN_END _Pragma("GCC diagnostic pop")
#else
#define GSPI_ORIGIN_BEGIN
#define GSPI_ORIGIN_END
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_ORIGIN_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>origin   Origins of the nodes of new modules (implementation)
 * ---- */

/* Passes adopt the strings of their input, so a name has one atom in both modules, and a copy keeps
 * its name. A new node in another graph may have the same name; hence a copy also has to be in the
 * graph that the result states for the old node. Arguments and returned values of calls give the
 * origins of values that cross between graphs. */

typedef struct gspi_origin {
    const gsp_module *old;
    const gsp_module *made;
    const gsp_graph *from;   /* the graph that was cut; NULL if all graphs keep their nodes */
    uint32_t root;           /* the old graph of the root, if so */
    const uint32_t *part_of; /* [n] the new graph of a node, less `first`; GSP_NONE is the root */
    uint32_t first;
    const uint32_t *map_begin; /* as in gsp_dedup_result; or NULL */
    const gsp_node *map;
    const uint32_t *item_of;
    gsp_origin *origin; /* [nodes of made] */
    uint32_t *begin;    /* [nodes of old + 1] */
    uint32_t *copies;   /* [nodes of made] */
    gsp_node *named;    /* [strings of old] node of `from` with this name */
} gspi_origin;

/* A condition that the check before it excludes; `make cov` does not count it. */
#define GSPI_ORIGIN_NEVER(x) (x)

/* The argument at fault; a second NUL says that no count makes it required. */
#ifdef GSP_NO_MESSAGES
#define GSPI_ORIGIN_FIELD(text) ""
#else
#define GSPI_ORIGIN_FIELD(text) text "\0"
#endif

static gsp_status gspi_origin_fail(
    gsp_error *err, gsp_status status, gsp_detail detail, uint64_t need, const char *field)
{
    if (err != NULL) {
        gsp_error const e = {
            status, detail, GSP_WHAT_NONE, GSP_NONE, GSP_NONE, 0, 0, need, 0u, field};
        *err = e;
    }
    return status;
}

/* An array at an end of the arena; without an arena it is measured. */
static void *gspi_origin_push(
    gsp_arena *arena, uint64_t *used, uint64_t count, size_t size, int high)
{
    *used += (count * size + (GSP_GAP + GSP_ALIGN - 1u)) & ~((uint64_t)GSP_ALIGN - 1u);
    return arena == NULL ? NULL
           : high        ? gsp_arena_push_high(arena, (size_t)count, size)
                         : gsp_arena_push(arena, (size_t)count, size);
}

static uint64_t gspi_origin_layout(gsp_arena *arena, gspi_origin *w)
{
    uint64_t used = GSP_BOUND_SLACK;
    uint64_t const n = w->made->counts.nodes;
    w->origin = (gsp_origin *)gspi_origin_push(arena, &used, n, sizeof(gsp_origin), 0);
    w->begin = (uint32_t *)gspi_origin_push(
        arena, &used, (uint64_t)w->old->counts.nodes + 1u, sizeof(uint32_t), 0);
    w->copies = (uint32_t *)gspi_origin_push(arena, &used, n, sizeof(uint32_t), 0);
    w->named =
        (gsp_node *)gspi_origin_push(arena, &used, w->old->counts.strings, sizeof(gsp_node), 1);
    return used;
}

static uint64_t gspi_origin_bytes(const gsp_module *old, const gsp_module *made)
{
    gspi_origin w = {old, made, NULL, 0u, NULL, 0u, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    return gspi_origin_layout(NULL, &w);
}

size_t gsp_origins_bound(const gsp_module *old, const gsp_module *made)
{
    uint64_t const bytes = old == NULL || made == NULL ? UINT64_MAX : gspi_origin_bytes(old, made);
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

static void gspi_origin_set(gsp_origin *o, uint32_t graph, gsp_node node, uint32_t element)
{
    o->graph = graph;
    o->node = node;
    o->element = element;
}

/* The old node of this name, or GSP_NONE. */
static gsp_node gspi_origin_named(const gspi_origin *w, gsp_atom name)
{
    return name < w->old->counts.strings ? w->named[name] : GSP_NONE;
}

static void gspi_origin_names(gspi_origin *w)
{
    for (gsp_atom s = 0; s < w->old->counts.strings; s++) {
        w->named[s] = GSP_NONE;
    }
    for (uint32_t i = 0; i < w->made->counts.nodes; i++) {
        gspi_origin_set(&w->origin[i], GSP_NONE, GSP_NONE, GSP_NONE);
    }
    for (gsp_node v = 0; w->from != NULL && v + 1u < w->from->n_nodes; v++) {
        w->named[w->old->name[w->from->first + v]] = v;
    }
}

/* Sets the origins in a graph that both modules have. */
static void gspi_origin_same(gspi_origin *w, const gsp_graph *g, const gsp_graph *old)
{
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        int const output = v + 1u == g->n_nodes;
        gsp_node const u = output ? old->n_nodes - 1u : v;
        if (output || (u + 1u < old->n_nodes &&
                          w->made->name[g->first + v] == w->old->name[old->first + u])) {
            gspi_origin_set(&w->origin[g->first + v], old->id, u, GSP_NONE);
        }
    }
}

/* Sets the origins of copies in the root or a subgraph. */
static void gspi_origin_copies(gspi_origin *w, const gsp_graph *g)
{
    for (gsp_node v = 0; v + 1u < g->n_nodes; v++) {
        gsp_op const op = gsp_node_op(g, v);
        gsp_node const u = gspi_origin_named(w, w->made->name[g->first + v]);
        if (u != GSP_NONE && gsp_node_op(w->from, u) == op) {
            uint32_t const part = w->part_of[u];
            uint32_t const graph = part == GSP_NONE ? 0u : part + w->first;
            if (op == GSP_OP_GET_ATTR || graph == g->id) {
                gspi_origin_set(&w->origin[g->first + v], w->from->id, u, GSP_NONE);
            }
        }
    }
    if (g->id == 0u) {
        gspi_origin_set(&w->origin[g->n_nodes - 1u], w->from->id, w->from->n_nodes - 1u, GSP_NONE);
    }
}

/* The old graph of a new one; GSP_NONE if there is none, as for a root that was cut. */
static uint32_t gspi_origin_graph(const gspi_origin *w, uint32_t id)
{
    gsp_atom const name = w->made->graphs[id].name;
    if (id == 0u) {
        return w->from == NULL && w->root < w->old->counts.graphs ? w->root : GSP_NONE;
    }
    return name < w->old->counts.strings ? gsp_module_find_graph(w->old, name) : GSP_NONE;
}

static void gspi_origin_graphs(gspi_origin *w)
{
    for (uint32_t i = 0; i < w->made->counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(w->made, i);
        uint32_t const old = gspi_origin_graph(w, i);
        if (old != GSP_NONE) {
            gsp_graph const same = gsp_module_graph(w->old, old);
            gspi_origin_same(w, &g, &same);
        } else if (w->from != NULL) {
            gspi_origin_copies(w, &g);
        }
    }
}

/* The old graph of all nodes of a new one, or GSP_NONE. */
static uint32_t gspi_origin_whole(const gspi_origin *w, const gsp_graph *g)
{
    return w->origin[g->first + g->n_nodes - 1u].graph;
}

/* Sets the origins of graphs that only their callers lead to: what a node called before is what its
 * copy calls now. `copies` is the queue of callers, since the inverse is not made yet. */
static void gspi_origin_called(gspi_origin *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->made->counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(w->made, i);
        w->copies[n] = i;
        n += gspi_origin_whole(w, &g) != GSP_NONE;
    }
    for (uint32_t k = 0; k < n; k++) {
        gsp_graph const g = gsp_module_graph(w->made, w->copies[k]);
        gsp_graph const old = gsp_module_graph(w->old, gspi_origin_whole(w, &g));
        for (gsp_node v = 0; v + 1u < g.n_nodes && v + 1u < old.n_nodes; v++) {
            gsp_called now = {0u, 0u, 0u, 0u, 0u};
            gsp_called before = {0u, 0u, 0u, 0u, 0u};
            while (gsp_called_next(&g, v, &now)) {
                (void)gsp_called_next(&old, v, &before); /* nodes keep what they call */
                gsp_graph const copy = gsp_module_graph(w->made, now.graph);
                gsp_graph const from = gsp_module_graph(w->old, before.graph);
                if (gspi_origin_whole(w, &copy) == GSP_NONE) {
                    gspi_origin_same(w, &copy, &from);
                    w->copies[n++] = now.graph;
                }
            }
        }
    }
}

/* Sets the origins of placeholders of a called graph, by the arguments of its first call. */
static void gspi_origin_enter(gspi_origin *w, const gsp_graph *root, gsp_node call, uint32_t id)
{
    gsp_graph const g = gsp_module_graph(w->made, id);
    uint32_t n_args;
    const gsp_arg *args = gsp_node_args(root, call, &n_args);
    uint32_t i = gsp_node_op(root, call) == GSP_OP_CALL_FUNCTION ? 1u : 0u; /* the graph itself */
    for (gsp_node v = 0; v < g.n_nodes; v++) {
        if (gsp_node_op(&g, v) != GSP_OP_PLACEHOLDER) {
            continue;
        }
        while (i < n_args && args[i].kind != (uint32_t)GSP_ARG_NODE) {
            i++;
        }
        if (i < n_args && w->origin[g.first + v].graph == GSP_NONE) {
            w->origin[g.first + v] = w->origin[args[i].value];
        }
        i++;
    }
}

/* Sets the origins of what the root reads of a call that the pass has made: a value, or elements of
 * a tuple, each by a getitem. */
static void gspi_origin_leave(gspi_origin *w, const gsp_graph *root, gsp_node call, uint32_t id)
{
    gsp_graph const g = gsp_module_graph(w->made, id);
    uint32_t n_returned;
    uint32_t n;
    const gsp_arg *returned = gsp_node_args(&g, g.n_nodes - 1u, &n_returned);
    const gsp_node *users = gsp_node_users(root, call, &n);
    if (GSPI_ORIGIN_NEVER(returned == NULL)) { /* compilers see no output */
        return;
    }
    if (returned->kind == (uint32_t)GSP_ARG_NODE) {
        w->origin[call] = w->origin[g.first + returned->value];
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const place = gsp_node_element_of(root, users[i], n_returned);
        if (place < n_returned - 1u) {
            w->origin[users[i]] = w->origin[g.first + returned[place + 1u].value];
        }
    }
}

/* Sets the origins of root nodes by a map. The node that reads an element of an aggregate is the
 * origin, rather than the element. */
static void gspi_origin_map(gspi_origin *w)
{
    for (gsp_node v = 0; w->map != NULL && v + 1u < w->from->n_nodes; v++) {
        int const parted =
            w->item_of[v] != GSP_NONE && gsp_node_value_kind(w->from, v) == GSP_VALUE_AGGREGATE;
        for (uint32_t i = w->map_begin[v]; i < w->map_begin[v + 1u]; i++) {
            uint32_t const element = parted ? i - w->map_begin[v] : GSP_NONE;
            gspi_origin_set(&w->origin[w->map[i]], w->from->id, v, element);
        }
    }
}

/* Sets the origins of root nodes that the pass has made, in graph order, unless a map has set them.
 * Calls that the input had keep their origin. */
static void gspi_origin_calls(gspi_origin *w)
{
    int const mapped = w->map != NULL;
    gsp_graph const root = gsp_module_graph(w->made, 0);
    for (gsp_node v = 0; v < root.n_nodes; v++) {
        gsp_called called = {0u, 0u, 0u, 0u, 0u};
        if (gsp_node_is_callable(&root, v) && (mapped || w->origin[v].graph == GSP_NONE) &&
            gsp_called_next(&root, v, &called)) {
            gspi_origin_enter(w, &root, v, called.graph);
            if (!mapped) {
                gspi_origin_leave(w, &root, v, called.graph);
            }
        }
    }
}

/* The number of an origin in the old module, or GSP_NONE. */
static uint32_t gspi_origin_number(const gspi_origin *w, uint32_t i)
{
    gsp_origin const o = w->origin[i];
    return o.graph == GSP_NONE ? GSP_NONE : w->old->graphs[o.graph].first + o.node;
}

/* Makes the inverse, by a counting sort. */
static void gspi_origin_inverse(gspi_origin *w)
{
    uint32_t const n = w->old->counts.nodes;
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= n; i++) {
        w->begin[i] = 0;
    }
    for (uint32_t i = 0; i < w->made->counts.nodes; i++) {
        uint32_t const at = gspi_origin_number(w, i);
        if (at != GSP_NONE) {
            w->begin[at]++;
        }
    }
    for (uint32_t i = 0; i <= n; i++) {
        sum += w->begin[i];
        w->begin[i] = sum;
    }
    for (uint32_t i = w->made->counts.nodes; i-- > 0u;) { /* backward, so that rows ascend */
        uint32_t const at = gspi_origin_number(w, i);
        if (at != GSP_NONE) {
            w->copies[--w->begin[at]] = i;
        }
    }
}

/* Makes room, and finds the origins of copies. */
static gsp_status gspi_origin_open(gspi_origin *w, gsp_arena *arena, gsp_error *err)
{
    uint64_t const need = gspi_origin_bytes(w->old, w->made);
    size_t const left = gsp_arena_left(arena);
    if (need > SIZE_MAX) {
        return gspi_origin_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, 0u, "");
    }
    if (need > left) {
        (void)gspi_origin_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, need, "");
        if (err != NULL) {
            err->limit = left;
        }
        return GSP_STATUS_NOMEM;
    }
    (void)gspi_origin_layout(arena, w);
    if (GSPI_ORIGIN_NEVER(w->origin == NULL || w->named == NULL)) { /* analysers see no room */
        return GSP_STATUS_NOMEM;
    }
    gspi_origin_names(w);
    gspi_origin_graphs(w);
    return GSP_OK;
}

/* Makes the inverse, and keeps both. */
static gsp_status gspi_origin_close(
    gspi_origin *w, gsp_arena *arena, gsp_mark mark, gsp_origins *origins)
{
    gspi_origin_inverse(w);
    origins->origin = w->origin;
    origins->begin = w->begin;
    origins->copies = w->copies;
    mark.low = gsp_arena_mark(arena).low; /* the results stay */
    gsp_arena_rewind(arena, mark);
    return GSP_OK;
}

/* Refuses a missing argument; `one` and `two` are the names of the modules. */
static gsp_status gspi_origin_begin(const gspi_origin *w, const gsp_arena *arena,
    const gsp_origins *origins, gsp_error *err, const char *one, const char *two)
{
    const char *field = arena == NULL     ? GSPI_ORIGIN_FIELD("arena")
                        : w->old == NULL  ? one
                        : w->made == NULL ? two
                        : origins == NULL ? GSPI_ORIGIN_FIELD("origins")
                                          : NULL;
    return field == NULL
               ? gspi_origin_fail(err, GSP_OK, GSP_DETAIL_NONE, 0u, "")
               : gspi_origin_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, 0u, field);
}

gsp_status gsp_module_origins(gsp_arena *arena, const gsp_module *old, uint32_t graph,
    const gsp_module *made, gsp_origins *origins, gsp_error *err)
{
    gspi_origin w = {old, made, NULL, graph, NULL, 0u, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    gsp_mark mark = {0u, 0u};
    gsp_status status = gspi_origin_begin(
        &w, arena, origins, err, GSPI_ORIGIN_FIELD("old"), GSPI_ORIGIN_FIELD("made"));
    if (status == GSP_OK) {
        mark = gsp_arena_mark(arena);
        status = gspi_origin_open(&w, arena, err);
    }
    if (status == GSP_OK) {
        gspi_origin_called(&w);
        status = gspi_origin_close(&w, arena, mark, origins);
    }
    return status;
}

/* The origins for a graph that was cut. */
static gsp_status gspi_origin_run(
    gspi_origin *w, gsp_arena *arena, const gsp_graph *graph, gsp_origins *origins, gsp_error *err)
{
    w->from = graph;
    w->old = graph == NULL ? NULL : graph->module;
    gsp_status status = gspi_origin_begin(
        w, arena, origins, err, GSPI_ORIGIN_FIELD("graph"), GSPI_ORIGIN_FIELD("result"));
    if (status != GSP_OK) {
        return status;
    }
    gsp_mark const mark = gsp_arena_mark(arena);
    status = gspi_origin_open(w, arena, err);
    if (status != GSP_OK) {
        return status;
    }
    gspi_origin_map(w);
    gspi_origin_calls(w);
    return gspi_origin_close(w, arena, mark, origins);
}

/* The origins for a result that has, or has not, a module and parts. */
static gspi_origin gspi_origin_of(const gsp_module *made, const uint32_t *part_of, uint32_t first)
{
    gspi_origin w = {
        NULL, made, NULL, 0u, part_of, first, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    return w;
}

#ifndef GSP_NO_SPLIT

gsp_status gsp_split_by_tags_origins(gsp_arena *arena, const gsp_graph *graph,
    const gsp_split_by_tags_result *result, gsp_origins *origins, gsp_error *err)
{
    gspi_origin w = result == NULL ? gspi_origin_of(NULL, NULL, 0u)
                                   : gspi_origin_of(&result->module, result->graph_of, 0u);
    return gspi_origin_run(&w, arena, graph, origins, err);
}

gsp_status gsp_split_module_origins(gsp_arena *arena, const gsp_graph *graph,
    const gsp_split_module_result *result, gsp_origins *origins, gsp_error *err)
{
    gspi_origin w = result == NULL ? gspi_origin_of(NULL, NULL, 0u)
                                   : gspi_origin_of(&result->module, result->graph_of, 0u);
    return gspi_origin_run(&w, arena, graph, origins, err);
}

#endif /* GSP_NO_SPLIT */

#ifndef GSP_NO_PIPELINE

gsp_status gsp_pipeline_origins(gsp_arena *arena, const gsp_graph *graph,
    const gsp_pipeline_result *result, gsp_origins *origins, gsp_error *err)
{
    gspi_origin w = result == NULL ? gspi_origin_of(NULL, NULL, 1u)
                                   : gspi_origin_of(&result->module, result->stage_of, 1u);
    return gspi_origin_run(&w, arena, graph, origins, err);
}

#endif /* GSP_NO_PIPELINE */

#ifndef GSP_NO_DEDUP

gsp_status gsp_dedup_origins(gsp_arena *arena, const gsp_graph *graph,
    const gsp_dedup_result *result, gsp_origins *origins, gsp_error *err)
{
    gspi_origin w = result == NULL
                        ? gspi_origin_of(NULL, NULL, 1u)
                        : gspi_origin_of(&result->module, result->selection.subgraph_of, 1u);
    if (result != NULL) {
        w.map_begin = result->map_begin;
        w.map = result->map;
        w.item_of = result->selection.item_of;
    }
    return gspi_origin_run(&w, arena, graph, origins, err);
}

#endif /* GSP_NO_DEDUP */

#ifdef __cplusplus
}
#endif

GSPI_ORIGIN_END

#endif /* GRAPHSPLIT_ORIGIN_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_ORIGIN_IMPLEMENTATION */
