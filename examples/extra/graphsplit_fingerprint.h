/* graphsplit_fingerprint.h - an add-on of graphsplit.h: fingerprints of graphs
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Hashes what graphs compute, whatever their names. Needs graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_FINGERPRINT_IMPLEMENTATION
 *     #include "graphsplit_fingerprint.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>fingerprint        Fingerprints of graphs
 *     >>impl               Implementation guard
 *
 *     gsp_fingerprints_run         O(args + their bytes)    25 bytes per graph
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_FINGERPRINT_H_INCLUDED
#define GRAPHSPLIT_FINGERPRINT_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_FINGERPRINT_IMPLEMENTATION)
#error "graphsplit_fingerprint: GRAPHSPLIT_STATIC needs GRAPHSPLIT_FINGERPRINT_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>fingerprint   Fingerprints of graphs (API)
 * ---- */

/* 128 bits over the computation of a graph, independent of names. */
typedef struct gsp_fingerprint {
    uint64_t words[2];
} gsp_fingerprint;

/* Fingerprints of all graphs of a module. */
typedef struct gsp_fingerprints_result {
    uint32_t n_graphs;
    gsp_fingerprint *prints; /* [n_graphs] */
} gsp_fingerprints_result;

/* gsp_fingerprints_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_fingerprints_bound(const gsp_module *module);

/* gsp_fingerprints_run: one fingerprint per graph; graphs of equal ones need one compilation.
 *
 * What:    Hashes operations, targets of functions and methods, classes of called modules (without
 *          a class, their target), arguments with constants, TYPEs, sizes of parameters,
 *          `mutates=`, `alias=`, `state=`, `barrier=`, `device=`, and the fingerprints of called
 *          graphs, with the keys of those that annotations name (`then=`). Names of nodes, inputs,
 *          parameters, graphs and module instances do not count, nor do costs, keys and scopes.
 *          Different graphs have equal fingerprints by chance only; the hash is not cryptographic.
 * Errors:  ARG; after NOMEM: CYCLE (RECURSION: the graph)
 * Time:    O(nodes + args + bytes of their texts), and a search by name per call. Memory: the bound
 * Example: examples/repeated_layers.c
 */
GSP_API gsp_status gsp_fingerprints_run(
    gsp_arena *arena, const gsp_module *module, gsp_fingerprints_result *result, gsp_error *err);

/* gsp_fingerprint_write: 32 hexadecimal digits and a NUL into text[33]. Time: O(1). */
GSP_API void gsp_fingerprint_write(gsp_fingerprint fingerprint, char *text);

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_FINGERPRINT_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_FINGERPRINT_IMPLEMENTATION
#ifndef GRAPHSPLIT_FINGERPRINT_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_FINGERPRINT_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_FINGERPRINT_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_FINGERPRINT_END _Pragma("GCC diagnostic pop")
#else
#define GSPI_FINGERPRINT_BEGIN
#define GSPI_FINGERPRINT_END
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_FINGERPRINT_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>fingerprint   Fingerprints of graphs (implementation)
 * ---- */

/* Two 64-bit lanes hash numbers, never bytes in memory order, so all machines agree. */

static void gspi_fingerprint_number(gsp_fingerprint *f, uint64_t x)
{
    uint64_t a = f->words[0] ^ x;
    uint64_t b = f->words[1] + x;
    a *= 0x9E3779B97F4A7C15u;
    a ^= a >> 29;
    b *= 0xC2B2AE3D27D4EB4Fu;
    b ^= b >> 31;
    f->words[0] = a * 0xBF58476D1CE4E5B9u + b;
    f->words[1] = (b ^ (a >> 17)) * 0x94D049BB133111EBu;
}

static void gspi_fingerprint_text(gsp_fingerprint *f, gsp_str t)
{
    uint64_t x = 0;
    gspi_fingerprint_number(f, t.data == NULL ? UINT64_MAX : t.size);
    for (uint32_t i = 0; i < t.size; i++) {
        x = (x << 8) | (unsigned char)t.data[i];
        if (i % 8u == 7u || i + 1u == t.size) {
            gspi_fingerprint_number(f, x);
            x = 0;
        }
    }
}

typedef struct gspi_fingerprint {
    const gsp_module *m;
    gsp_fingerprint *prints; /* [graphs] */
    uint8_t *state;          /* [graphs] 0 if not visited, 1 on the path, 2 when done */
    uint32_t *path;          /* [graphs] each calls the next one */
    gsp_node *at;            /* [graphs] next node of each */
} gspi_fingerprint;

size_t gsp_fingerprints_bound(const gsp_module *module)
{
    /* No overflow: a graph takes more than 25 bytes of its module, which lies in memory. */
    size_t const n = module->counts.graphs;
    return GSP_BOUND_ARRAY(n, sizeof(gsp_fingerprint)) + GSP_BOUND_ARRAY(n, sizeof(uint8_t)) +
           2u * GSP_BOUND_ARRAY(n, sizeof(uint32_t)) + GSP_BOUND_SLACK;
}

/* The graph that the node at `at` of the module calls or names; GSP_NONE means none. */
static uint32_t gspi_fingerprint_child(const gsp_module *m, uint32_t at)
{
    return m->counts.graphs > 1u &&
                   (m->op[at] == GSP_OP_CALL_MODULE || m->op[at] == GSP_OP_GET_ATTR)
               ? gsp_module_find_graph(m, m->target[at])
               : GSP_NONE;
}

/* A text, or the fingerprint of the called graph of this name. */
static void gspi_fingerprint_named(const gspi_fingerprint *w, gsp_fingerprint *f, gsp_atom s)
{
    uint32_t const child = w->m->counts.graphs > 1u ? gsp_module_find_graph(w->m, s) : GSP_NONE;
    if (child != GSP_NONE && child != 0u && w->state[child] == 2u) {
        gspi_fingerprint_number(f, w->prints[child].words[0]);
        gspi_fingerprint_number(f, w->prints[child].words[1]);
    } else {
        gspi_fingerprint_text(f, gsp_module_str(w->m, s));
    }
}

/* 1 if an annotation may name a graph: it has a key that the library does not know. */
static int gspi_fingerprint_names(const gsp_graph *g, gsp_node v)
{
    const gsp_attr *a = g->module->attrs + g->module->attr[g->first + v];
    if (g->module->counts.graphs < 2u) {
        return 0;
    }
    while (a->key != GSP_KEY_NONE && a->key < (gsp_atom)GSP_KEY_COUNT) {
        a++;
    }
    return a->key != GSP_KEY_NONE;
}

/* The next graph that an annotation of a callable node names. All zero starts the search. */
static int gspi_fingerprint_annotated(const gsp_graph *g, gsp_node v, gsp_called *c)
{
    c->token = UINT32_MAX; /* after all arguments */
    return gsp_node_is_callable(g, v) && gsp_called_next(g, v, c);
}

/* Keys and fingerprints of the graphs that annotations of a node name, in any order. */
static void gspi_fingerprint_runs(
    const gspi_fingerprint *w, gsp_fingerprint *f, const gsp_graph *g, gsp_node v)
{
    const gsp_module *m = w->m;
    gsp_fingerprint sum = {{0u, 0u}};
    gsp_called c = {0, 0, 0, 0, 0};
    while (gspi_fingerprint_annotated(g, v, &c)) {
        gsp_fingerprint one;
        one = w->prints[c.graph];
        gspi_fingerprint_text(
            &one, gsp_module_str(m, m->attrs[m->attr[g->first + v] + c.attr].key));
        sum.words[0] += one.words[0];
        sum.words[1] += one.words[1];
    }
    if ((sum.words[0] | sum.words[1]) != 0u) {
        gspi_fingerprint_number(f, sum.words[0]);
        gspi_fingerprint_number(f, sum.words[1]);
    }
}

/* The fingerprint of a graph, after those of its callees. */
static gsp_fingerprint gspi_fingerprint_graph(const gspi_fingerprint *w, const gsp_graph *g)
{
    static const uint8_t keys[] = {
        GSP_KEY_MUTATES, GSP_KEY_ALIAS, GSP_KEY_STATE, GSP_KEY_BARRIER, GSP_KEY_DEVICE};
    const gsp_module *m = w->m;
    gsp_fingerprint f = {{0u, 1u}};
    gspi_fingerprint_number(&f, g->n_nodes);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t const at = g->first + v;
        uint32_t const op = m->op[at];
        uint32_t const n_args = m->arg_begin[at + 1u] - m->arg_begin[at];
        const gsp_arg *args = m->args + m->arg_begin[at];
        gspi_fingerprint_number(&f, op);
        if (gspi_fingerprint_child(m, at) != GSP_NONE) {
            gspi_fingerprint_named(w, &f, m->target[at]);
        } else if (op == GSP_OP_CALL_FUNCTION || op == GSP_OP_CALL_METHOD) {
            gspi_fingerprint_text(&f, gsp_module_str(m, m->target[at]));
        } else if (op == GSP_OP_CALL_MODULE) {
            gspi_fingerprint_text(&f, gsp_node_class(g, v));
            gspi_fingerprint_number(&f, gsp_node_params(g, v));
        }
        gspi_fingerprint_text(&f, gsp_module_str(m, m->type[at]));
        gspi_fingerprint_number(&f, n_args);
        for (uint32_t i = 0; i < n_args; i++) {
            gspi_fingerprint_number(&f, args[i].kind);
            if (args[i].kind == GSP_ARG_CONSTANT || args[i].kind == GSP_ARG_KEY) {
                gspi_fingerprint_named(w, &f, args[i].value);
            } else {
                gspi_fingerprint_number(&f, args[i].value);
            }
        }
        for (uint32_t i = 0; i < sizeof(keys); i++) {
            gspi_fingerprint_text(&f, gsp_node_attr(g, v, (gsp_key)keys[i]));
        }
        if (gspi_fingerprint_names(g, v)) {
            gspi_fingerprint_runs(w, &f, g, v);
        }
    }
    return f;
}

/* The first graph without fingerprint that an annotation of a node names. */
static uint32_t gspi_fingerprint_named_next(
    const gspi_fingerprint *w, const gsp_graph *g, gsp_node v)
{
    gsp_called c = {0, 0, 0, 0, 0};
    while (gspi_fingerprint_annotated(g, v, &c)) {
        if (w->state[c.graph] != 2u) {
            return c.graph;
        }
    }
    return GSP_NONE;
}

/* The next callee without fingerprint, from node *at on. */
static uint32_t gspi_fingerprint_next(const gspi_fingerprint *w, const gsp_graph *g, gsp_node *at)
{
    for (; *at < g->n_nodes; ++*at) {
        uint32_t const child = gspi_fingerprint_child(w->m, g->first + *at);
        if (child != GSP_NONE && child != 0u && w->state[child] != 2u) {
            return child;
        }
        if (gspi_fingerprint_names(g, *at)) {
            uint32_t const named = gspi_fingerprint_named_next(w, g, *at);
            if (named != GSP_NONE) {
                return named;
            }
        }
    }
    return GSP_NONE;
}

/* A graph and its callees, depth first; returns a graph that calls itself, or GSP_NONE. */
static uint32_t gspi_fingerprint_from(const gspi_fingerprint *w, uint32_t graph)
{
    uint32_t depth = 0;
    uint32_t child = w->state[graph] == 0u ? graph : GSP_NONE;
    while (child != GSP_NONE || depth > 0u) {
        if (child != GSP_NONE) {
            if (w->state[child] == 1u) {
                return child;
            }
            w->state[child] = 1;
            w->at[depth] = 0;
            w->path[depth++] = child;
        }
        gsp_graph const g = gsp_module_graph(w->m, w->path[depth - 1u]);
        child = gspi_fingerprint_next(w, &g, &w->at[depth - 1u]);
        if (child == GSP_NONE) {
            w->prints[g.id] = gspi_fingerprint_graph(w, &g);
            w->state[g.id] = 2;
            depth--;
        }
    }
    return GSP_NONE;
}

/* The fingerprints of all graphs; returns a graph that calls itself, or GSP_NONE. */
static uint32_t gspi_fingerprint_all(const gspi_fingerprint *w)
{
    uint32_t recursive = GSP_NONE;
    for (uint32_t i = 0; i < w->m->counts.graphs; i++) {
        w->state[i] = 0;
    }
    for (uint32_t i = 0; i < w->m->counts.graphs && recursive == GSP_NONE; i++) {
        recursive = gspi_fingerprint_from(w, i);
    }
    return recursive;
}

static gsp_status gspi_fingerprint_end(
    gsp_error *err, gsp_status status, gsp_detail detail, uint32_t graph, size_t need, size_t limit)
{
    if (err != NULL) {
        uint32_t const what = graph == GSP_NONE ? GSP_WHAT_NONE : GSP_WHAT_GRAPH;
        gsp_error const e = {status, detail, what, graph, GSP_NONE, 0, 0, need, limit, ""};
        *err = e;
    }
    return status;
}

/* The argument at fault; a second NUL says that no count makes it required. */
#ifdef GSP_NO_MESSAGES
#define GSPI_FINGERPRINT_FIELD(text) ""
#else
#define GSPI_FINGERPRINT_FIELD(text) text "\0"
#endif

gsp_status gsp_fingerprints_run(
    gsp_arena *arena, const gsp_module *module, gsp_fingerprints_result *result, gsp_error *err)
{
    if (arena == NULL || module == NULL || result == NULL) {
        (void)gspi_fingerprint_end(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, 0u, 0u);
        if (err != NULL) {
            err->field = GSPI_FINGERPRINT_FIELD("result");
            err->field = module == NULL ? GSPI_FINGERPRINT_FIELD("module") : err->field;
            err->field = arena == NULL ? GSPI_FINGERPRINT_FIELD("arena") : err->field;
        }
        return GSP_STATUS_ARG;
    }
    if (module->n_stored != module->counts.strings) { /* its nodes have no arguments to hash */
        return gspi_fingerprint_end(err, GSP_STATUS_ARG, GSP_DETAIL_BARE, GSP_NONE, 0u, 0u);
    }
    size_t const bound = gsp_fingerprints_bound(module);
    size_t const left = gsp_arena_left(arena);
    uint32_t const n = module->counts.graphs;
    gsp_mark mark = gsp_arena_mark(arena);
    void *const state = left < bound ? NULL : gsp_arena_push_high(arena, n, sizeof(uint8_t));
    if (state == NULL) {
        return gspi_fingerprint_end(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, bound, left);
    }
    gspi_fingerprint w = {module, NULL, (uint8_t *)state, NULL, NULL};
    w.prints = (gsp_fingerprint *)gsp_arena_push(arena, n, sizeof *w.prints);
    w.path = (uint32_t *)gsp_arena_push_high(arena, n, sizeof *w.path);
    w.at = (gsp_node *)gsp_arena_push_high(arena, n, sizeof *w.at);
    uint32_t const recursive = gspi_fingerprint_all(&w);
    mark.low = recursive == GSP_NONE ? gsp_arena_mark(arena).low : mark.low; /* the results stay */
    gsp_arena_rewind(arena, mark);
    if (recursive != GSP_NONE) {
        return gspi_fingerprint_end(err, GSP_STATUS_CYCLE, GSP_DETAIL_RECURSION, recursive, 0u, 0u);
    }
    result->n_graphs = n;
    result->prints = w.prints;
    return gspi_fingerprint_end(err, GSP_OK, GSP_DETAIL_NONE, GSP_NONE, 0u, 0u);
}

void gsp_fingerprint_write(gsp_fingerprint fingerprint, char *text)
{
    static const char digits[] = "0123456789abcdef";
    for (uint32_t i = 0; i < 32u; i++) {
        text[i] = digits[(fingerprint.words[i / 16u] >> (60u - 4u * (i % 16u))) & 15u];
    }
    text[32] = '\0';
}

#ifdef __cplusplus
}
#endif

GSPI_FINGERPRINT_END

#endif /* GRAPHSPLIT_FINGERPRINT_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_FINGERPRINT_IMPLEMENTATION */
