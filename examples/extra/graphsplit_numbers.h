/* graphsplit_numbers.h - an add-on of graphsplit.h: numbers in place of texts
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Shapes, sizes, times and pointers of nodes as numbers, in and out. Needs graphsplit.h and nothing
 * else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_NUMBERS_IMPLEMENTATION
 *     #include "graphsplit_numbers.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>numbers            Numbers in place of texts
 *     >>impl               Implementation guard
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_NUMBERS_H_INCLUDED
#define GRAPHSPLIT_NUMBERS_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_NUMBERS_IMPLEMENTATION)
#error "graphsplit_numbers: GRAPHSPLIT_STATIC needs GRAPHSPLIT_NUMBERS_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>numbers   Numbers in place of texts (API)
 * ---- */

/* A dimension that is no number. */
#define GSP_DIM_UNKNOWN UINT64_MAX

/* Dimensions of a tensor at most. */
#define GSP_RANK_MAX 16u

/* A TYPE may also have others. */
/* clang-format off */
#define GSP_DTYPE_LIST(X) \
    X(F64, "f64") X(F32, "f32") X(F16, "f16") X(BF16, "bf16") X(F8, "f8") \
    X(I64, "i64") X(I32, "i32") X(I16, "i16") X(I8, "i8") \
    X(U64, "u64") X(U32, "u32") X(U16, "u16") X(U8, "u8") \
    X(B1, "b1") X(C64, "c64") X(C128, "c128") X(QI8, "qi8") X(QU8, "qu8")
/* clang-format on */

/* The types of elements of GSP_DTYPE_LIST. */
typedef enum gsp_dtype {
    GSP_DTYPE_NONE,
#define GSP_DTYPE_ENUM(name, text) GSP_DTYPE_##name,
    GSP_DTYPE_LIST(GSP_DTYPE_ENUM)
#undef GSP_DTYPE_ENUM
        GSP_DTYPE_COUNT,
    GSP_DTYPE_FORCE_U32 = 0x7FFFFFFF
} gsp_dtype;

/* gsp_build_tensor: gsp_build_type() of a tensor of dims[0 .. rank), unknown ones as `?`. Another
 * dtype, or a rank above GSP_RANK_MAX, fails the builder as an empty TYPE does. Time: O(rank).
 * Example: examples/numbers.c
 */
GSP_API void gsp_build_tensor(gsp_builder *b, gsp_dtype dtype, const uint64_t *dims, uint32_t rank);

/* gsp_build_bytes: bytes of the value of the present node, which override its TYPE. Time: O(1). */
GSP_API void gsp_build_bytes(gsp_builder *b, uint64_t bytes);

/* gsp_build_seconds: value * 10^exponent seconds for GSP_KEY_MEM, COMPUTE, CPU or COMM, without
 * floating point: 1500, -9 are 1.5 us. Another key fails the builder. Time: O(1). */
GSP_API void gsp_build_seconds(gsp_builder *b, gsp_key key, uint64_t value, int exponent);

/* gsp_build_user: a number of the present node, such as a pointer, which every copy of the node
 * keeps: in modules that passes make, in stored modules, and as `user=` in text. Time: O(1). */
GSP_API void gsp_build_user(gsp_builder *b, uint64_t user);

/* gsp_node_user: that number, else 0. Time: O(attributes). */
GSP_API uint64_t gsp_node_user(const gsp_graph *graph, gsp_node node);

/* gsp_type_dtype: of the first tensor of a TYPE; NONE without one, or for another dtype.
 * Time: O(size). */
GSP_API gsp_dtype gsp_type_dtype(gsp_str type);

/* gsp_type_dims: the rank of the first tensor of a TYPE, else GSP_NONE. Its first `room` dimensions
 * go to `dims`. Time: O(size). */
GSP_API uint32_t gsp_type_dims(gsp_str type, uint64_t *dims, uint32_t room);

/* gsp_node_has_size: 0 if the TYPE of a node has an unknown dimension and it has no `bytes=`;
 * gsp_node_bytes() then counts that dimension as 1. Time: O(size of the TYPE). */
GSP_API int gsp_node_has_size(const gsp_graph *graph, gsp_node node);

/* gsp_graph_unknown_sizes: the number of nodes without a size. Time: O(sizes of the TYPEs). */
GSP_API uint32_t gsp_graph_unknown_sizes(const gsp_graph *graph);

#ifndef GSP_NO_SPLIT

/* What crosses between kinds: the value of a callable node once per other kind that reads it. */
typedef struct gsp_traffic {
    uint64_t values;
    uint64_t bytes;
    uint64_t unsized; /* values without a size */
} gsp_traffic;

/* gsp_split_traffic: the totals of a split, without a module. Time: O(nodes + edges). */
GSP_API gsp_traffic gsp_split_traffic(const gsp_graph *graph, const gsp_split_result *split);
#endif

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_NUMBERS_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_NUMBERS_IMPLEMENTATION
#ifndef GRAPHSPLIT_NUMBERS_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_NUMBERS_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_NUMBERS_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_NUMBERS_END _Pragma("GCC diagnostic pop")
#else
#define GSPI_NUMBERS_BEGIN
#define GSPI_NUMBERS_END
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_NUMBERS_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>numbers   Numbers in place of texts (implementation)
 * ---- */

/* The library interns texts, so a number becomes one on the stack; readers parse without memory. */

typedef struct gspi_numbers {
    char text[22u * GSP_RANK_MAX + 16u]; /* dimensions with separators; "complex128[" and "]" */
    uint32_t size;
} gspi_numbers;

static void gspi_numbers_puts(gspi_numbers *w, const char *text)
{
    while (*text != '\0') {
        w->text[w->size++] = *text++;
    }
}

static void gspi_numbers_put(gspi_numbers *w, uint64_t n)
{
    uint64_t unit = 1;
    while (n / unit >= 10u) {
        unit *= 10u;
    }
    for (; unit != 0u; unit /= 10u) {
        w->text[w->size++] = "0123456789"[n / unit % 10u];
    }
}

static gsp_str gspi_numbers_text(const gspi_numbers *w)
{
    gsp_str t = {NULL, 0u};
    t.data = w->text;
    t.size = w->size;
    return t;
}

static const char *gspi_numbers_dtype(uint32_t dtype)
{
    switch (dtype) {
#define GSPI_NUMBERS_CASE(name, text) \
    case GSP_DTYPE_##name: \
        return text;
        GSP_DTYPE_LIST(GSPI_NUMBERS_CASE)
#undef GSPI_NUMBERS_CASE
    default:
        return "";
    }
}

void gsp_build_tensor(gsp_builder *b, gsp_dtype dtype, const uint64_t *dims, uint32_t rank)
{
    gspi_numbers w;
    const char *name = gspi_numbers_dtype((uint32_t)dtype);
    w.size = 0;
    if (*name != '\0' && rank <= GSP_RANK_MAX) {
        gspi_numbers_puts(&w, name);
        gspi_numbers_puts(&w, "[");
        for (uint32_t i = 0; i < rank; i++) {
            gspi_numbers_puts(&w, i == 0u ? "" : ", ");
            if (dims[i] == GSP_DIM_UNKNOWN) {
                gspi_numbers_puts(&w, "?");
            } else {
                gspi_numbers_put(&w, dims[i]);
            }
        }
        gspi_numbers_puts(&w, "]");
    }
    gsp_build_type(b, gspi_numbers_text(&w));
}

static void gspi_numbers_attr(gsp_builder *b, const char *key, const gspi_numbers *w)
{
    gsp_build_attr(b, gsp_str_of(key), gspi_numbers_text(w));
}

void gsp_build_bytes(gsp_builder *b, uint64_t bytes)
{
    gspi_numbers w;
    w.size = 0;
    gspi_numbers_put(&w, bytes);
    gspi_numbers_attr(b, "bytes", &w);
}

void gsp_build_seconds(gsp_builder *b, gsp_key key, uint64_t value, int exponent)
{
    gspi_numbers w;
    uint32_t const e = (uint32_t)exponent;
    w.size = 0;
    gspi_numbers_put(&w, value);
    if (exponent != 0) {
        gspi_numbers_puts(&w, exponent < 0 ? "e-" : "e");
        gspi_numbers_put(&w, exponent < 0 ? 0u - e : e);
    }
    gspi_numbers_attr(b,
        key == GSP_KEY_MEM       ? "mem"
        : key == GSP_KEY_COMPUTE ? "compute"
        : key == GSP_KEY_CPU     ? "cpu"
        : key == GSP_KEY_COMM    ? "comm"
                                 : "",
        &w);
}

void gsp_build_user(gsp_builder *b, uint64_t user)
{
    gspi_numbers w;
    w.size = 0;
    gspi_numbers_put(&w, user);
    gspi_numbers_attr(b, "user", &w);
}

uint64_t gsp_node_user(const gsp_graph *graph, gsp_node node)
{
    uint64_t user = 0;
    gsp_str const text = gsp_node_attr_find(graph, node, gsp_str_of("user"));
    return text.size != 0u && gsp_str_number(text, &user) ? user : 0u;
}

gsp_dtype gsp_type_dtype(gsp_str type)
{
    gsp_str dtype;
    gsp_str dims;
    uint32_t at = 0;
    uint32_t i = 1;
    if (!gsp_type_next(type, &at, &dtype, &dims)) {
        return GSP_DTYPE_NONE;
    }
    while (i < GSP_DTYPE_COUNT && !gsp_str_equal(gsp_str_of(gspi_numbers_dtype(i)), dtype)) {
        i++;
    }
    return i < GSP_DTYPE_COUNT ? (gsp_dtype)i : GSP_DTYPE_NONE;
}

/* The next dimension from *at on; 0 after the last. */
static int gspi_numbers_dim(gsp_str dims, uint32_t *at, uint64_t *dim)
{
    gsp_str text = {dims.data, 0u};
    while (*at < dims.size && (dims.data[*at] == ' ' || dims.data[*at] == ',')) {
        (*at)++;
    }
    if (*at >= dims.size) {
        return 0;
    }
    text.data += *at;
    while (*at < dims.size && dims.data[*at] != ',') {
        (*at)++;
        text.size++;
    }
    *dim = gsp_str_number(text, dim) ? *dim : GSP_DIM_UNKNOWN;
    return 1;
}

uint32_t gsp_type_dims(gsp_str type, uint64_t *dims, uint32_t room)
{
    gsp_str dtype;
    gsp_str list;
    uint64_t dim = 0;
    uint32_t at = 0;
    uint32_t rank = 0;
    if (!gsp_type_next(type, &at, &dtype, &list)) {
        return GSP_NONE;
    }
    for (at = 0; gspi_numbers_dim(list, &at, &dim); rank++) {
        if (rank < room) {
            dims[rank] = dim;
        }
    }
    return rank;
}

int gsp_node_has_size(const gsp_graph *graph, gsp_node node)
{
    gsp_str const type = gsp_node_type(graph, node);
    gsp_str dtype;
    gsp_str dims;
    uint32_t at = 0;
    int known = 1;
    while (known && gsp_type_next(type, &at, &dtype, &dims)) {
        uint64_t dim = 0;
        uint32_t i = 0;
        while (known && gspi_numbers_dim(dims, &i, &dim)) {
            known = dim != GSP_DIM_UNKNOWN;
        }
    }
    return known || gsp_node_attr(graph, node, GSP_KEY_BYTES).data != NULL;
}

uint32_t gsp_graph_unknown_sizes(const gsp_graph *graph)
{
    uint32_t count = 0;
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        count += gsp_node_has_size(graph, v) ? 0u : 1u;
    }
    return count;
}

#ifndef GSP_NO_SPLIT

/* Counts the value of u once per kind that reads it and is not its own. */
static void gspi_numbers_cross(
    gsp_traffic *t, const gsp_graph *graph, const gsp_split_result *split, gsp_node u)
{
    uint32_t seen[8] = {0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u};
    uint32_t const own = split->subgraph_kind[split->subgraph_of[u]];
    uint32_t n;
    const gsp_node *users = gsp_node_users(graph, u, &n);
    seen[own / 32u] = (uint32_t)1u << (own % 32u);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const subgraph = split->subgraph_of[users[i]];
        uint32_t const kind = subgraph == GSP_NONE ? own : split->subgraph_kind[subgraph];
        uint32_t const bit = (uint32_t)1u << (kind % 32u);
        if ((seen[kind / 32u] & bit) == 0u) {
            uint64_t const bytes = gsp_node_bytes(graph, u);
            seen[kind / 32u] |= bit;
            t->values++;
            t->bytes = bytes > UINT64_MAX - t->bytes ? UINT64_MAX : t->bytes + bytes;
            t->unsized += gsp_node_has_size(graph, u) ? 0u : 1u;
        }
    }
}

gsp_traffic gsp_split_traffic(const gsp_graph *graph, const gsp_split_result *split)
{
    gsp_traffic t = {0u, 0u, 0u};
    for (gsp_node u = 0; u < split->n_nodes; u++) {
        if (split->subgraph_of[u] != GSP_NONE) {
            gspi_numbers_cross(&t, graph, split, u);
        }
    }
    return t;
}
#endif

#ifdef __cplusplus
}
#endif

GSPI_NUMBERS_END

#endif /* GRAPHSPLIT_NUMBERS_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_NUMBERS_IMPLEMENTATION */
