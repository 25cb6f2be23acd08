/* graphsplit_csr.h - an add-on of graphsplit.h: graphs in arrays of the caller
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Makes a module of compressed rows, which it reads in place. Needs graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_CSR_IMPLEMENTATION
 *     #include "graphsplit_csr.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>csr                Graphs in arrays of the caller
 *     >>impl               Implementation guard
 *
 *     gsp_build_csr                O(n + m + names)         24 per node, 4 per edge, 28 per name
 *                                                           and its bytes; 50 per name at work
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_CSR_H_INCLUDED
#define GRAPHSPLIT_CSR_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_CSR_IMPLEMENTATION)
#error "graphsplit_csr: no bodies; define GRAPHSPLIT_CSR_IMPLEMENTATION beside GRAPHSPLIT_STATIC"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>csr   Graphs in arrays of the caller (API)
 * ---- */

/* A graph in rows of inputs, or of users. All but n_nodes, begin and at may be NULL. Arrays must
 * outlive the module. Weights of nodes are no part of a graph: gsp_kway_desc.weight and
 * gsp_split_desc.value take them; parameters are the `bytes` of get_attr nodes. */
typedef struct gsp_csr_desc {
    uint32_t start_canary;
    uint32_t n_nodes;      /* the last one is the output, which reads what the graph returns */
    const uint32_t *begin; /* [n_nodes + 1] row v is at[begin[v] .. begin[v + 1]) */
    const gsp_node *at;    /* distinct inputs of v, all below v, in argument order */
    uint32_t users;        /* 1 if rows hold the users of v instead, all above v, ascending */
    const uint8_t *op;     /* [n] gsp_op; NULL means call_function, or placeholder without inputs */
    const uint8_t *out;    /* [n] gsp_value_kind; NULL means tensors */
    const uint64_t *bytes; /* [n] of the value of v; NULL means 0 */
    const uint32_t *target; /* [n] index in names; NULL means no target */
    const gsp_str *names;   /* [n_names] need not be distinct, and need not outlive the call */
    uint32_t n_names;
    uint32_t end_canary;
} gsp_csr_desc;

/* gsp_build_csr_bound: bytes for the call; SIZE_MAX if required arrays are missing. Time:
 * O(n_names). */
GSP_API size_t gsp_build_csr_bound(const gsp_csr_desc *desc);

/* gsp_build_csr: a module of one graph, `main`, over the arrays of the desc.
 *
 * What:    Node 7 is called n7: gsp_node_name_make() makes that name and gsp_graph_find() finds it,
 *          but no string is stored, and gsp_node_name() is empty. The arguments of a node are its
 *          inputs. gsp_node_args() and pins by name find nothing, and attributes and TYPEs are
 *          absent, so every value has memory of its own: graphs with views take the builder. The
 *          results of a node are one value. Nodes of equal target and as many inputs are of one
 *          class, so what differs otherwise needs targets of its own. The module has no block to
 *          store.
 *
 *          Passes take such a graph as it is. Those that make modules store the names and arguments
 *          in them. gsp_text_write(), gsp_dedup_run(), gsp_exec_plan_run() and
 *          gsp_fingerprints_run() refuse it with ARG (BARE).
 * Errors:  ARG (RANGE: no nodes), DESC, OVERFLOW; after NOMEM: DUPLICATE (NAME_TWICE: a target has
 *          the name of node), ARG (ROWS: row of node does not ascend, or has other twice; RANGE:
 *          the row of node has other, which is no node, or its target is other, which is no name;
 *          KIND: operation or value kind of node), CYCLE (NAME_LATER: node reads other).
 *          error.field is the array of the desc at fault
 * Time:    O(nodes + edges + names), which is less than a split. Memory: the bound
 * Example: examples/rows.c
 */
GSP_API gsp_status gsp_build_csr(
    gsp_arena *arena, const gsp_csr_desc *desc, gsp_module *module, gsp_error *err);

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_CSR_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_CSR_IMPLEMENTATION
#ifndef GRAPHSPLIT_CSR_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_CSR_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_CSR_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_CSR_END       _Pragma("GCC diagnostic pop")
#define GSPI_CSR_OWN_FRAME __attribute__((noinline)) static /* not on the stack of its caller */
#else
#define GSPI_CSR_BEGIN
#define GSPI_CSR_END
#define GSPI_CSR_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_CSR_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>csr   Graphs in arrays of the caller (implementation)
 * ---- */

/* A gsp_module is a view, so its arrays need not lie in one block. Rows and values of the caller
 * stand beside the other rows, which a counting sort makes, and beside one array of zeros for all
 * that is absent. A module of one node, its output, interns the targets. */

/* A condition that only inputs of gigabytes can cause; `make cov` does not count it. */
#define GSPI_CSR_NEVER(x) (x)

typedef struct gspi_csr {
    const gsp_csr_desc *d;
    gsp_error *err;
    gsp_builder *b;         /* not on the stack */
    gsp_module m;           /* of the targets, then the result */
    uint32_t *name;         /* [n] */
    uint32_t *zeros;        /* [n + 1], twice as many if values have no bytes */
    uint32_t *begin;        /* [n + 1] of the other rows */
    gsp_node *at;           /* [edges] */
    uint32_t *target;       /* [n] if there are targets */
    uint8_t *op;            /* [n] if no operations are given */
    gsp_graph_entry *graph; /* [1] */
    gsp_symbol *symbols;    /* [2 * n_names] parameters, then leaf modules */
    gsp_atom *atoms;        /* [n_names] */
    uint8_t *seen;          /* [strings] 1 for a parameter, 2 for a leaf module, 3 for both */
} gspi_csr;

/* The array of the desc, or the argument, at fault. For a NULL_ARGUMENT the count that makes it
 * required follows the NUL. */
#ifdef GSP_NO_MESSAGES
#define GSPI_CSR_FIELD(text) ""
#else
#define GSPI_CSR_FIELD(text) text "\0"
#endif

static gsp_status gspi_csr_fail_field(gsp_error *err, gsp_status status, gsp_detail detail,
    gsp_node node, gsp_node other, const char *field)
{
    if (err != NULL) {
        uint32_t const what = node == GSP_NONE ? GSP_WHAT_NONE : GSP_WHAT_NODE;
        gsp_error const e = {status, detail, what, node, other, 0, 0, 0, 0u, field};
        *err = e;
    }
    return status;
}

static gsp_status gspi_csr_fail(gsp_error *err, gsp_status status, gsp_detail detail)
{
    return gspi_csr_fail_field(err, status, detail, GSP_NONE, GSP_NONE, "");
}

static uint64_t gspi_csr_zeros(const gsp_csr_desc *d)
{
    return ((uint64_t)d->n_nodes + 1u) * (d->bytes == NULL ? 2u : 1u);
}

/* Bytes of the names n0, n1, ... */
static uint64_t gspi_csr_name_bytes(uint32_t n)
{
    uint64_t bytes = 2u * (uint64_t)n;
    for (uint64_t more = 10; more < n; more *= 10u) {
        bytes += n - more;
    }
    return bytes;
}

/* The counts of a builder of the targets; bytes are UINT32_MAX if there are too many. */
static gsp_counts gspi_csr_counts(const gsp_csr_desc *d)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < d->n_names && bytes < UINT32_MAX; i++) {
        bytes += d->names[i].size;
    }
    return gsp_build_counts(
        1, 1, 2, 0, d->n_names, (uint32_t)(bytes < UINT32_MAX ? bytes : UINT32_MAX));
}

/* A required array that is missing; NULL if none is. */
static const char *gspi_csr_missing(const gsp_csr_desc *d)
{
    return d->begin == NULL                              ? GSPI_CSR_FIELD("begin")
           : d->at == NULL && d->begin[d->n_nodes] != 0u ? GSPI_CSR_FIELD("at")
           : d->names == NULL && d->n_names != 0u        ? GSPI_CSR_FIELD("names\0n_names")
                                                         : NULL;
}

/* A layout pushes all arrays; without an arena it measures them. */
typedef struct gspi_csr_bump {
    gsp_arena *arena;
    uint64_t used;
} gspi_csr_bump;

GSPI_CSR_OWN_FRAME void *gspi_csr_push(gspi_csr_bump *b, uint64_t count, size_t size, int high)
{
    b->used += (count * size + (GSP_GAP + GSP_ALIGN - 1u)) & ~((uint64_t)GSP_ALIGN - 1u);
    return b->arena == NULL ? NULL
           : high           ? gsp_arena_push_high(b->arena, (size_t)count, size)
                            : gsp_arena_push(b->arena, (size_t)count, size);
}

static void gspi_csr_layout(gspi_csr_bump *b, gspi_csr *w, const gsp_csr_desc *d)
{
    uint64_t const n = d->n_nodes;
    w->name = (uint32_t *)gspi_csr_push(b, n, sizeof(uint32_t), 0);
    w->zeros = (uint32_t *)gspi_csr_push(b, gspi_csr_zeros(d), sizeof(uint32_t), 0);
    w->begin = (uint32_t *)gspi_csr_push(b, n + 1u, sizeof(uint32_t), 0);
    w->at = (gsp_node *)gspi_csr_push(b, d->begin[n], sizeof(gsp_node), 0);
    w->target = (uint32_t *)gspi_csr_push(b, d->target == NULL ? 0u : n, sizeof(uint32_t), 0);
    w->op = (uint8_t *)gspi_csr_push(b, d->op == NULL ? n : 0u, sizeof(uint8_t), 0);
    w->graph = (gsp_graph_entry *)gspi_csr_push(b, 1, sizeof(gsp_graph_entry), 0);
    w->symbols = (gsp_symbol *)gspi_csr_push(b, 2u * (uint64_t)d->n_names, sizeof(gsp_symbol), 0);
    w->b = (gsp_builder *)gspi_csr_push(b, 1, sizeof(gsp_builder), 1);
    w->atoms = (gsp_atom *)gspi_csr_push(b, d->n_names, sizeof(gsp_atom), 1);
    w->seen = (uint8_t *)gspi_csr_push(b, (uint64_t)d->n_names + GSP_KEY_COUNT, 1, 1);
}

/* `w` has room for a layout. */
GSPI_CSR_OWN_FRAME uint64_t gspi_csr_bound(const gsp_csr_desc *d, gspi_csr *w)
{
    gspi_csr_bump b = {NULL, 0u};
    gsp_counts const c = gspi_csr_counts(d);
    uint64_t const targets = gsp_build_bound(&c);
    gspi_csr_layout(&b, w, d);
    /* Ids and bytes of names follow those of the targets. */
    if (GSPI_CSR_NEVER((uint64_t)c.strings + d->n_nodes >= 0x40000000u)) {
        return UINT64_MAX;
    }
    int const fits = targets != SIZE_MAX &&
                     c.bytes + gspi_csr_name_bytes(d->n_nodes) < UINT32_MAX &&
                     d->begin[d->n_nodes] < UINT32_MAX - 2u;
    return fits ? b.used + targets + GSP_BOUND_SLACK : UINT64_MAX;
}

size_t gsp_build_csr_bound(const gsp_csr_desc *desc)
{
    gspi_csr w;
    uint64_t const bound =
        desc != NULL && gspi_csr_missing(desc) == NULL ? gspi_csr_bound(desc, &w) : UINT64_MAX;
    return bound < SIZE_MAX ? (size_t)bound : SIZE_MAX;
}

/* The number of the node that has this name, or GSP_NONE. */
static gsp_node gspi_csr_named(gsp_str t, uint32_t n)
{
    gsp_str digits = {t.data, t.size};
    uint64_t v;
    if (t.size < 2u || t.data[0] != 'n' || (t.size > 2u && t.data[1] == '0')) {
        return GSP_NONE;
    }
    digits.data++;
    digits.size--;
    return gsp_str_number(digits, &v) && v < n ? (gsp_node)v : GSP_NONE;
}

/* Makes a module of the targets; none of them may be the name of a node. */
GSPI_CSR_OWN_FRAME gsp_status gspi_csr_targets(gspi_csr *w, gsp_arena *arena)
{
    gsp_builder *b = w->b;
    gsp_counts const c = gspi_csr_counts(w->d);
    gsp_str const root = GSP_STR("");
    (void)gsp_build_init(b, arena, &c, NULL);
    gsp_build_graph(b, root);
    (void)gsp_build_output(b);
    gsp_build_open(b, GSP_ARG_TUPLE);
    gsp_build_close(b);
    for (uint32_t i = 0; i < w->d->n_names; i++) {
        gsp_node const v = gspi_csr_named(w->d->names[i], w->d->n_nodes);
        if (v != GSP_NONE) {
            return gspi_csr_fail_field(w->err, GSP_STATUS_DUPLICATE, GSP_DETAIL_NAME_TWICE, v,
                GSP_NONE, GSPI_CSR_FIELD("names"));
        }
        w->atoms[i] = gsp_build_atom(b, w->d->names[i]);
    }
    return gsp_build_finish(b, &w->m, w->err);
}

/* Rows begin at 0 and ascend; the row at fault ends before it begins, or behind the last one. */
static gsp_status gspi_csr_ascend(const gspi_csr *w)
{
    const uint32_t *begin = w->d->begin;
    uint32_t const n = w->d->n_nodes;
    gsp_node v = 0;
    while (begin[0] == 0u && v < n && begin[v] <= begin[v + 1u] && begin[v + 1u] <= begin[n]) {
        v++;
    }
    return v == n ? GSP_OK
                  : gspi_csr_fail_field(w->err, GSP_STATUS_ARG, GSP_DETAIL_ROWS, v, GSP_NONE,
                        GSPI_CSR_FIELD("begin"));
}

/* Checks a row of the caller and counts its members. name[u] is the last row with u. */
static gsp_status gspi_csr_row(const gspi_csr *w, gsp_node v)
{
    const gsp_csr_desc *d = w->d;
    for (uint32_t i = d->begin[v]; i < d->begin[v + 1u]; i++) {
        gsp_node const u = d->at[i];
        if (u >= d->n_nodes) {
            return gspi_csr_fail_field(
                w->err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, v, u, GSPI_CSR_FIELD("at"));
        }
        if (d->users ? u <= v : u >= v) {
            return gspi_csr_fail_field(w->err, GSP_STATUS_CYCLE, GSP_DETAIL_NAME_LATER,
                d->users ? u : v, d->users ? v : u, GSPI_CSR_FIELD("at"));
        }
        if (w->name[u] == v || (d->users && i > d->begin[v] && u < d->at[i - 1u])) {
            return gspi_csr_fail_field(
                w->err, GSP_STATUS_ARG, GSP_DETAIL_ROWS, v, u, GSPI_CSR_FIELD("at"));
        }
        w->name[u] = v;
        w->begin[u]++;
    }
    return GSP_OK;
}

/* Makes the other rows, by a counting sort. */
static gsp_status gspi_csr_rows(const gspi_csr *w)
{
    const gsp_csr_desc *d = w->d;
    uint32_t const n = d->n_nodes;
    uint32_t sum = 0;
    gsp_status status = gspi_csr_ascend(w);
    for (gsp_node v = 0; v < n; v++) {
        w->begin[v] = 0;
        w->name[v] = GSP_NONE;
    }
    for (gsp_node v = 0; v < n && status == GSP_OK; v++) {
        status = gspi_csr_row(w, v);
    }
    for (gsp_node v = 0; v < n; v++) {
        sum += w->begin[v];
        w->begin[v] = sum;
    }
    w->begin[n] = sum;
    for (gsp_node v = n; v > 0u && status == GSP_OK; v--) { /* backward, so that rows ascend */
        for (uint32_t i = d->begin[v - 1u]; i < d->begin[v]; i++) {
            w->at[--w->begin[d->at[i]]] = v - 1u;
        }
    }
    return status;
}

/* Lists the target of a get_attr, or of a call of a module, by first use. */
static void gspi_csr_symbol(gspi_csr *w, gsp_node v, int param)
{
    gsp_symbol const symbol = {w->target[v], 0u, v};
    uint32_t const bit = param ? 1u : 2u;
    uint32_t *count = param ? &w->m.n_params : &w->m.n_leaves;
    if ((w->seen[symbol.target] & bit) == 0u) {
        w->seen[symbol.target] = (uint8_t)(w->seen[symbol.target] | bit);
        w->symbols[(param ? 0u : w->d->n_names) + (*count)++] = symbol;
    }
}

static gsp_status gspi_csr_node(gspi_csr *w, gsp_node v, int reads)
{
    const gsp_csr_desc *d = w->d;
    int const last = v + 1u == d->n_nodes;
    uint32_t const op = d->op != NULL ? d->op[v]
                        : last        ? (uint32_t)GSP_OP_OUTPUT
                        : reads       ? (uint32_t)GSP_OP_CALL_FUNCTION
                                      : (uint32_t)GSP_OP_PLACEHOLDER;
    int const good = op != GSP_OP_NONE && op < GSP_OP_COUNT && (op == GSP_OP_OUTPUT) == last &&
                     (!reads || op >= GSP_OP_CALL_FUNCTION);
    if (!good || (d->out != NULL && d->out[v] >= GSP_VALUE_COUNT)) {
        const char *const field = GSPI_CSR_FIELD("op");
        return gspi_csr_fail_field(w->err, GSP_STATUS_ARG, GSP_DETAIL_KIND, v, GSP_NONE,
            good ? GSPI_CSR_FIELD("out") : field);
    }
    if (d->op == NULL) {
        w->op[v] = (uint8_t)op;
    }
    w->name[v] = w->m.n_stored + v;
    if (d->target == NULL) {
        return GSP_OK;
    }
    if (d->target[v] >= d->n_names) {
        return gspi_csr_fail_field(
            w->err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, v, d->target[v], GSPI_CSR_FIELD("target"));
    }
    w->target[v] = w->atoms[d->target[v]];
    if (op == GSP_OP_GET_ATTR || op == GSP_OP_CALL_MODULE) {
        gspi_csr_symbol(w, v, op == GSP_OP_GET_ATTR);
    }
    return GSP_OK;
}

static gsp_status gspi_csr_nodes(gspi_csr *w)
{
    const uint32_t *in_begin = w->d->users ? w->begin : w->d->begin;
    gsp_status status = GSP_OK;
    for (uint32_t s = 0; s < w->m.n_stored; s++) {
        w->seen[s] = 0;
    }
    for (gsp_node v = 0; v < w->d->n_nodes && status == GSP_OK; v++) {
        status = gspi_csr_node(w, v, in_begin[v] != in_begin[v + 1u]);
    }
    return status;
}

static void gspi_csr_counts_of(gspi_csr *w)
{
    gsp_counts *c = &w->m.counts;
    c->nodes = w->d->n_nodes;
    c->edges = w->d->begin[c->nodes];
    c->args = c->edges + 2u; /* and brackets after `return` */
    c->strings += c->nodes;
    c->bytes += (uint32_t)gspi_csr_name_bytes(c->nodes);
}

/* Turns the module of the targets into that of the graph. */
static void gspi_csr_view(gspi_csr *w)
{
    const gsp_csr_desc *d = w->d;
    gsp_module *m = &w->m;
    gsp_graph_entry const graph = {GSP_KEY_MAIN, 0u, d->n_nodes};
    const uint32_t *zeros = w->zeros;
    const uint8_t *none = (const uint8_t *)zeros;
    for (uint64_t i = 0; i < gspi_csr_zeros(d); i++) {
        w->zeros[i] = 0;
    }
    *w->graph = graph;
    gspi_csr_counts_of(w);
    m->block = NULL;
    m->block_size = 0;
    m->bytes = d->bytes != NULL ? d->bytes : (const uint64_t *)(const void *)zeros;
    m->graphs = w->graph;
    m->name = w->name;
    m->target = d->target != NULL ? w->target : zeros;
    m->type = zeros;
    m->attr = zeros;
    m->arg_begin = zeros;
    m->in_begin = d->users ? w->begin : d->begin;
    m->user_begin = d->users ? d->begin : w->begin;
    m->inputs = d->users ? w->at : d->at;
    m->users = d->users ? d->at : w->at;
    m->params = w->symbols;
    m->leaves = w->symbols + d->n_names;
    m->op = d->op != NULL ? d->op : w->op;
    m->out = d->out != NULL ? d->out : none;
    m->flags = none;
}

static gsp_status gspi_csr_check(const gsp_csr_desc *d, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_csr_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    const char *missing = gspi_csr_missing(d);
    if (missing != NULL) {
        return gspi_csr_fail_field(
            err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, GSP_NONE, missing);
    }
    return d->n_nodes != 0u ? GSP_OK
                            : gspi_csr_fail_field(err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_NONE,
                                  GSP_NONE, GSPI_CSR_FIELD("n_nodes"));
}

/* Fails for less than the bound. */
static gsp_status gspi_csr_room(
    const gsp_arena *arena, const gsp_csr_desc *d, gspi_csr *w, gsp_error *err)
{
    uint64_t const bound = gspi_csr_bound(d, w);
    size_t const left = gsp_arena_left(arena);
    if (bound >= SIZE_MAX) {
        return gspi_csr_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY);
    }
    if (left >= bound) {
        return gspi_csr_fail(err, GSP_OK, GSP_DETAIL_NONE);
    }
    (void)gspi_csr_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND);
    if (err != NULL) {
        err->need = bound;
        err->limit = left;
    }
    return GSP_STATUS_NOMEM;
}

gsp_status gsp_build_csr(
    gsp_arena *arena, const gsp_csr_desc *desc, gsp_module *module, gsp_error *err)
{
    gspi_csr w;
    if (arena == NULL || desc == NULL || module == NULL) {
        const char *field = GSPI_CSR_FIELD("module");
        field = desc == NULL ? GSPI_CSR_FIELD("desc") : field;
        field = arena == NULL ? GSPI_CSR_FIELD("arena") : field;
        return gspi_csr_fail_field(
            err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, GSP_NONE, field);
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gspi_csr_bump b = {arena, 0u};
    gsp_status status = gspi_csr_check(desc, err);
    if (status == GSP_OK) {
        status = gspi_csr_room(arena, desc, &w, err);
    }
    if (status != GSP_OK) {
        return status;
    }
    w.d = desc;
    w.err = err;
    gspi_csr_layout(&b, &w, desc);
    status = gspi_csr_targets(&w, arena);
    status = status != GSP_OK ? status : gspi_csr_rows(&w);
    status = status != GSP_OK ? status : gspi_csr_nodes(&w);
    if (status == GSP_OK) {
        gspi_csr_view(&w);
        *module = w.m;
        mark.low = gsp_arena_mark(arena).low; /* the results stay */
    }
    gsp_arena_rewind(arena, mark);
    return status;
}

#ifdef __cplusplus
}
#endif

GSPI_CSR_END

#endif /* GRAPHSPLIT_CSR_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_CSR_IMPLEMENTATION */
