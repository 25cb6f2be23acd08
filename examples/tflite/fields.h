/* Fields of a .tflite file, for tflite.c and for others who need more of it than the graph.
 *
 * A FlatBuffer is bytes and offsets: a table points back to its row of field offsets, a field of a
 * table points forward to another table or to a vector. Everything here goes through
 * tfl_table_at(), tfl_field() and tfl_vector_of(), which look at no byte outside of the file; bytes
 * are put together one by one, so that neither alignment nor byte order matter. The first error
 * stays, and ends every loop.
 */
#ifndef GRAPHSPLIT_TFLITE_FIELDS_H
#define GRAPHSPLIT_TFLITE_FIELDS_H

#include "tflite.h"

#define TFL_BEYOND "beyond the end of the file, which is cut short or damaged"

typedef struct tfl_file {
    const unsigned char *data;
    uint64_t size;
    uint64_t left; /* elements that may still be visited: parts may overlap */
    tflite_error *err;
    uint32_t subgraph; /* the item that is being read, for errors */
    uint32_t item;
    const char *what;
} tfl_file;

typedef struct tfl_table {
    uint64_t at;   /* 0 if there is none */
    uint64_t row;  /* of its field offsets */
    uint32_t size; /* bytes of that row */
} tfl_table;

typedef struct tfl_vector {
    uint64_t at; /* of its first element */
    uint32_t n;
} tfl_vector;

/* Fields by their numbers in the schema. */
enum {
    TFL_MODEL_VERSION = 0,
    TFL_MODEL_CODES = 1,
    TFL_MODEL_SUBGRAPHS = 2,
    TFL_MODEL_DESCRIPTION = 3,
    TFL_MODEL_BUFFERS = 4,
    TFL_MODEL_METADATA_BUFFER = 5,
    TFL_MODEL_METADATA = 6,
    TFL_MODEL_SIGNATURES = 7,
    TFL_CODE_OLD = 0,
    TFL_CODE_CUSTOM = 1,
    TFL_CODE_VERSION = 2,
    TFL_CODE_BUILTIN = 3,
    TFL_SUBGRAPH_TENSORS = 0,
    TFL_SUBGRAPH_INPUTS = 1,
    TFL_SUBGRAPH_OUTPUTS = 2,
    TFL_SUBGRAPH_OPERATORS = 3,
    TFL_SUBGRAPH_NAME = 4,
    TFL_TENSOR_SHAPE = 0,
    TFL_TENSOR_TYPE = 1,
    TFL_TENSOR_BUFFER = 2,
    TFL_TENSOR_NAME = 3,
    TFL_TENSOR_QUANTIZATION = 4,
    TFL_TENSOR_VARIABLE = 5,
    TFL_TENSOR_SPARSITY = 6,
    TFL_TENSOR_SIGNATURE = 7,
    TFL_TENSOR_HAS_RANK = 8,
    TFL_TENSOR_VARIANTS = 9,
    TFL_TENSOR_EXTERNAL = 10,
    TFL_QUANT_SCALE = 2,
    TFL_QUANT_ZERO = 3,
    TFL_QUANT_DETAILS = 4,
    TFL_QUANT_AXIS = 6,
    TFL_OPERATOR_CODE = 0,
    TFL_OPERATOR_INPUTS = 1,
    TFL_OPERATOR_OUTPUTS = 2,
    TFL_OPERATOR_OPTIONS_TYPE = 3,
    TFL_OPERATOR_OPTIONS = 4,
    TFL_OPERATOR_CUSTOM_OPTIONS = 5,
    TFL_OPERATOR_CUSTOM_FORMAT = 6,
    TFL_OPERATOR_MUTATING = 7,
    TFL_OPERATOR_INTERMEDIATES = 8,
    TFL_OPERATOR_LARGE_OFFSET = 9,
    TFL_OPERATOR_LARGE_SIZE = 10,
    TFL_OPERATOR_OPTIONS2_TYPE = 11,
    TFL_OPERATOR_OPTIONS2 = 12,
    TFL_BUFFER_DATA = 0,
    TFL_BUFFER_OFFSET = 1,
    TFL_BUFFER_SIZE = 2,
    TFL_METADATA_NAME = 0,
    TFL_METADATA_BUFFER = 1,
    TFL_SIGNATURE_INPUTS = 0,
    TFL_SIGNATURE_OUTPUTS = 1,
    TFL_SIGNATURE_KEY = 2,
    TFL_SIGNATURE_SUBGRAPH = 4,
    TFL_MAP_NAME = 0,
    TFL_MAP_TENSOR = 1
};

/* Fields of options that name subgraphs: the options of the operator, their type, their field that
 * holds the index of the subgraph, and how the subgraph is run. */
#define TFL_CALL_LIST(X) \
    X(TFL_OPERATOR_OPTIONS, 16, 0, "call") \
    X(TFL_OPERATOR_OPTIONS, 92, 0, "then") \
    X(TFL_OPERATOR_OPTIONS, 92, 1, "else") \
    X(TFL_OPERATOR_OPTIONS, 93, 0, "cond") \
    X(TFL_OPERATOR_OPTIONS, 93, 1, "body") \
    X(TFL_OPERATOR_OPTIONS, 103, 0, "init") \
    X(TFL_OPERATOR_OPTIONS2, 6, 1, "body") \
    X(TFL_OPERATOR_OPTIONS2, 7, 6, "body") \
    X(TFL_OPERATOR_OPTIONS2, 13, 5, "body") \
    X(TFL_OPERATOR_OPTIONS2, 14, 2, "body") \
    X(TFL_OPERATOR_OPTIONS2, 15, 0, "cond") \
    X(TFL_OPERATOR_OPTIONS2, 15, 1, "body") \
    X(TFL_OPERATOR_OPTIONS2, 21, 1, "call")

/* ---- errors ---- */

static inline void tfl_error_clear(tflite_error *err)
{
    err->status = GSP_OK;
    err->text = "";
    err->what = "";
    err->offset = TFLITE_NOWHERE;
    err->need = 0;
    err->limit = 0;
    err->subgraph = GSP_NONE;
    err->item = GSP_NONE;
}

static inline void tfl_fail(tfl_file *f, gsp_status status, uint64_t offset, const char *text)
{
    if (f->err->status == GSP_OK) {
        tfl_error_clear(f->err);
        f->err->status = status;
        f->err->text = text;
        f->err->what = f->what;
        f->err->offset = offset;
        f->err->subgraph = f->subgraph;
        f->err->item = f->item;
    }
}

static inline int tfl_ok(const tfl_file *f)
{
    return f->err->status == GSP_OK;
}

/* Sets the item that errors from here on name. */
static inline void tfl_about(tfl_file *f, const char *what, uint32_t item)
{
    f->what = what;
    f->item = item;
}

static inline void tfl_file_open(tfl_file *f, const void *data, size_t size, tflite_error *err)
{
    tfl_error_clear(err);
    f->data = (const unsigned char *)data;
    f->size = size;
    f->left = UINT64_MAX;
    f->err = err;
    f->subgraph = GSP_NONE;
    tfl_about(f, "", GSP_NONE);
}

/* Call before a loop over so many elements. */
static inline void tfl_spend(tfl_file *f, uint64_t n)
{
    if (n > f->left) {
        tfl_fail(f, GSP_STATUS_LIMIT, TFLITE_NOWHERE,
            "parts of the file overlap many times over, as no model's do");
        n = f->left;
    }
    f->left -= n;
}

/* ---- bytes, tables, vectors ---- */

static inline uint32_t tfl_u16_at(const tfl_file *f, uint64_t at)
{
    const unsigned char *p = f->data + at;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t tfl_u32_at(const tfl_file *f, uint64_t at)
{
    return tfl_u16_at(f, at) | tfl_u16_at(f, at + 2u) << 16;
}

static inline uint64_t tfl_u64_at(const tfl_file *f, uint64_t at)
{
    return (uint64_t)tfl_u32_at(f, at) | (uint64_t)tfl_u32_at(f, at + 4u) << 32;
}

/* Two's complement, independent of the machine. */
static inline int32_t tfl_signed(uint32_t bits)
{
    return bits <= 0x7FFFFFFFu ? (int32_t)bits : -(int32_t)(UINT32_MAX - bits) - 1;
}

static inline int32_t tfl_i32_at(const tfl_file *f, uint64_t at)
{
    return tfl_signed(tfl_u32_at(f, at));
}

/* 1 if the file has so many bytes there. */
static inline int tfl_holds(const tfl_file *f, uint64_t at, uint64_t bytes)
{
    return at <= f->size && bytes <= f->size - at;
}

static inline tfl_table tfl_no_table(void)
{
    tfl_table t;
    t.at = 0;
    t.row = 0;
    t.size = 0;
    return t;
}

static inline tfl_table tfl_table_at(tfl_file *f, uint64_t at)
{
    tfl_table t = tfl_no_table();
    int64_t row;
    uint32_t size;
    if (!tfl_ok(f)) {
        return t;
    }
    if (!tfl_holds(f, at, 4)) {
        tfl_fail(f, GSP_STATUS_PARSE, at, "a table stands " TFL_BEYOND);
        return t;
    }
    row = (int64_t)at - tfl_i32_at(f, at);
    if (row < 0 || !tfl_holds(f, (uint64_t)row, 4)) {
        tfl_fail(f, GSP_STATUS_PARSE, at, "the field row of a table stands outside of the file");
        return t;
    }
    size = tfl_u16_at(f, (uint64_t)row);
    if (size < 4u || size % 2u != 0u || !tfl_holds(f, (uint64_t)row, size)) {
        tfl_fail(f, GSP_STATUS_PARSE, (uint64_t)row, "the field row of a table has no valid size");
        return t;
    }
    if (!tfl_holds(f, at, tfl_u16_at(f, (uint64_t)row + 2u))) {
        tfl_fail(f, GSP_STATUS_PARSE, at, "a table reaches " TFL_BEYOND);
        return t;
    }
    t.at = at;
    t.row = (uint64_t)row;
    t.size = size;
    return t;
}

/* The offset of a field of so many bytes; 0 if the table does not have it. */
static inline uint64_t tfl_field(tfl_file *f, const tfl_table *t, uint32_t field, uint64_t bytes)
{
    uint32_t const slot = 4u + 2u * field;
    uint32_t offset;
    if (!tfl_ok(f) || slot + 2u > t->size) {
        return 0;
    }
    offset = tfl_u16_at(f, t->row + slot);
    if (offset == 0u) {
        return 0;
    }
    if (!tfl_holds(f, t->at + offset, bytes)) {
        tfl_fail(f, GSP_STATUS_PARSE, t->row + slot, "a field of a table stands " TFL_BEYOND);
        return 0;
    }
    return t->at + offset;
}

static inline uint32_t tfl_u8(tfl_file *f, const tfl_table *t, uint32_t field)
{
    uint64_t const at = tfl_field(f, t, field, 1);
    return at == 0u ? 0u : f->data[at];
}

static inline int32_t tfl_i8(tfl_file *f, const tfl_table *t, uint32_t field)
{
    int32_t const byte = (int32_t)tfl_u8(f, t, field);
    return byte < 128 ? byte : byte - 256;
}

static inline uint32_t tfl_u32(tfl_file *f, const tfl_table *t, uint32_t field)
{
    uint64_t const at = tfl_field(f, t, field, 4);
    return at == 0u ? 0u : tfl_u32_at(f, at);
}

static inline uint64_t tfl_u64(tfl_file *f, const tfl_table *t, uint32_t field)
{
    uint64_t const at = tfl_field(f, t, field, 8);
    return at == 0u ? 0u : tfl_u64_at(f, at);
}

/* The table that a field points to, at 0 if there is none. */
static inline tfl_table tfl_table_of(tfl_file *f, const tfl_table *t, uint32_t field)
{
    uint64_t const at = tfl_field(f, t, field, 4);
    return at == 0u ? tfl_no_table() : tfl_table_at(f, at + tfl_u32_at(f, at));
}

/* The vector that a field points to, of elements of `width` bytes, or empty. */
static inline tfl_vector tfl_vector_of(
    tfl_file *f, const tfl_table *t, uint32_t field, uint32_t width)
{
    uint64_t const at = tfl_field(f, t, field, 4);
    tfl_vector v;
    uint64_t begin;
    uint32_t n;
    v.at = 0;
    v.n = 0;
    if (at == 0u) {
        return v;
    }
    begin = at + tfl_u32_at(f, at);
    if (!tfl_holds(f, begin, 4)) {
        tfl_fail(f, GSP_STATUS_PARSE, at, "a vector stands " TFL_BEYOND);
        return v;
    }
    n = tfl_u32_at(f, begin);
    if (!tfl_holds(f, begin + 4u, (uint64_t)n * width)) {
        tfl_fail(f, GSP_STATUS_PARSE, begin, "a vector reaches " TFL_BEYOND);
        return v;
    }
    v.at = begin + 4u;
    v.n = n;
    return v;
}

static inline tfl_table tfl_element(tfl_file *f, const tfl_vector *v, uint32_t i)
{
    uint64_t const at = v->at + 4u * (uint64_t)i;
    return tfl_ok(f) ? tfl_table_at(f, at + tfl_u32_at(f, at)) : tfl_no_table();
}

static inline int32_t tfl_number(const tfl_file *f, const tfl_vector *v, uint32_t i)
{
    return tfl_i32_at(f, v->at + 4u * (uint64_t)i);
}

static inline gsp_str tfl_text_of(tfl_file *f, const tfl_table *t, uint32_t field)
{
    tfl_vector const v = tfl_vector_of(f, t, field, 1);
    gsp_str text;
    text.data = (const char *)f->data + v.at;
    text.size = v.n;
    return text;
}

#endif
