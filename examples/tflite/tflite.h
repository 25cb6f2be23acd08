/* tflite.h: a graphsplit module from a TensorFlow Lite model (.tflite), in memory of the caller.
 *
 * Needs graphsplit.h and nothing else: no FlatBuffers, no libc, no allocation, no floating point.
 * Link tflite.c (with fields.h and options.h beside it), or include it behind the implementation
 * of graphsplit.h:
 *
 *     tflite_counts counts;
 *     tflite_model model;
 *     tflite_error err;
 *     gsp_arena arena;
 *     if (tflite_count(data, size, &counts, &err) == GSP_OK) {
 *         size_t bound = tflite_bound(&counts);      (SIZE_MAX: more than can be addressed)
 *         gsp_arena_init(&arena, malloc(bound), bound);
 *         status = tflite_read(&arena, data, size, &model, &err);
 *     }
 *     if (err.status != GSP_OK) {
 *         char text[TFLITE_SENTENCE];
 *         tflite_sentence(&err, text, sizeof(text));  "byte 48: the vector of tensors ends ..."
 *     }
 *
 * The graph: the first subgraph is the root "main". Inputs are placeholders; a tensor that no
 * operator before has written (weights, state) is a get_attr node before its first reader; an
 * operator is a call_function `tflite.CONV_2D`, `tflite.custom.NAME` or, with a code that is newer
 * than this reader, `tflite.OP_207`. Types are "f32[1, 3]", of 8-bit tensors with a scale
 * "qi8[...]" or "qu8[...]"; a dimension that is only known at run time is `s0`, `s1`, ... by its
 * position; of a tensor without shape the type is `f32[?]`, and it counts 0 bytes. Several outputs
 * are a tuple and one operator.getitem each. An operator that writes a state tensor says so with
 * mutates=. The other subgraphs are child graphs, opaque to every pass: an operator names those
 * that it runs as `cond=`, `body=`, `then=`, `else=`, `init=`, `call=` or `graphs=`.
 */
#ifndef GRAPHSPLIT_TFLITE_H
#define GRAPHSPLIT_TFLITE_H

#include "graphsplit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Upper limits of the contents of a file; the bound depends on nothing else. Fields are private. */
typedef struct tflite_counts {
    gsp_counts module;
    uint32_t subgraphs;
    uint32_t tensors; /* of the largest subgraph */
    uint32_t names;   /* entries of the table of names */
    uint32_t bytes;   /* of their texts */
    uint32_t widest;  /* bytes of the longest text */
} tflite_counts;

/* Why a file was refused. Every failing call sets all fields. */
typedef struct tflite_error {
    gsp_status status;
    const char *text;  /* the error as a clause without a full stop, static */
    const char *what;  /* "tensor", "operator", ...: the kind of `item`; "" for none */
    uint64_t offset;   /* byte of the file; TFLITE_NOWHERE: none */
    uint64_t need;     /* NOMEM, LIMIT: as in gsp_error */
    uint64_t limit;    /* NOMEM, LIMIT */
    uint32_t subgraph; /* or GSP_NONE */
    uint32_t item;     /* its index, or GSP_NONE */
} tflite_error;

#define TFLITE_NOWHERE  UINT64_MAX
#define TFLITE_SENTENCE 256u /* bytes that suffice for any sentence */

/* A model that was read. The bytes of the file must stay valid. */
typedef struct tflite_model {
    gsp_module module;    /* main first, then a graph a subgraph, in their order */
    const uint32_t *item; /* [nodes of the module] of a placeholder, get_attr and getitem its
                                 tensor, of another call its operator, else GSP_NONE: indices in
                                 the subgraph, as a delegate sees them */
    const unsigned char *data;
    size_t size;
    uint32_t version;      /* of the schema, 3 */
    uint32_t n_operators;  /* of all subgraphs */
    uint32_t n_custom;     /* of these custom ones */
    uint32_t n_unknown;    /* of these, with a code that the reader has no name for */
    uint32_t n_unshaped;   /* tensors in the graphs that have no shape */
    uint32_t n_untyped;    /* tensors in the graphs whose element type the reader does not know */
    uint32_t n_signatures; /* named entries into the subgraphs */
} tflite_model;

/* A named entry into a subgraph, as the signature runner of tf.lite uses it. */
typedef struct tflite_signature {
    gsp_str key;
    uint32_t subgraph; /* also the graph of the module */
    uint32_t n_inputs;
    uint32_t n_outputs;
} tflite_signature;

/* tflite_is: 1 if the bytes begin like a TFLite file. Time: O(1). */
int tflite_is(const void *data, size_t size);

/* tflite_count: checks every offset and length of the file that reading follows, and counts.
 *
 * What:      nothing behind it trusts the file: no read outside of `data`, no loop longer than a
 *            small multiple of `size`, whatever the bytes are
 * Errors:    ARG (null), PARSE (no TFLite file, or an offset, length or index that leads
 *            outside), OVERFLOW (2^32 items), LIMIT (parts overlap, and more than 16 times over)
 * Time:      O(size)
 * Memory:    none
 */
gsp_status tflite_count(const void *data, size_t size, tflite_counts *counts, tflite_error *err);

/* tflite_bound: bytes of arena that tflite_read() needs; SIZE_MAX if they do not fit into size_t.
 * Time: O(1). */
size_t tflite_bound(const tflite_counts *counts);

/* tflite_read: the module.
 *
 * What:      counts again itself; on error the arena is as before
 * Errors:    as tflite_count(); NOMEM (need); OVERFLOW (a tensor of 2^64 bytes)
 * Time:      O(size)
 * Memory:    tflite_bound(); only the module and `item` stay
 */
gsp_status tflite_read(
    gsp_arena *arena, const void *data, size_t size, tflite_model *model, tflite_error *err);

/* How builtin options of operators and quantisation of tensors are read. */
typedef enum tflite_attributes {
    TFLITE_PLAIN,       /* not at all */
    TFLITE_ANNOTATIONS, /* stride=2x2 act=relu6, of tensors scale=0.5 zero=128 */
    TFLITE_KEYWORDS     /* kwargs = {stride: [2, 2], act: relu6}, of tensors as above */
} tflite_attributes;

/* tflite_read_as: the same with attributes: stride, padding, dilation, kernel (of weights, too),
 * span (the dilated kernel), act, axis, keep_dims, new_shape and others, as options.h has them. */
gsp_status tflite_read_as(gsp_arena *arena, const void *data, size_t size, tflite_attributes how,
    tflite_model *model, tflite_error *err);

/* tflite_sentence: the error as one sentence without a full stop, cut to `room` with its NUL;
 * returns its size. Time: O(size). */
size_t tflite_sentence(const tflite_error *err, char *out, size_t room);

/* tflite_notes: one line per group of facts that the graph cannot express: tensors without shape or
 * with an unknown element type, operators with an unknown code. Most files have none. Returns the
 * answer of the sink; 0 if all is written. Time: O(size). */
int tflite_notes(const tflite_model *model, gsp_sink sink, void *user);

/* tflite_signature_at: signature `index` (< n_signatures). Time: O(1). */
tflite_signature tflite_signature_at(const tflite_model *model, uint32_t index);

/* tflite_signature_input, _output: name of an input or output in the signature; *tensor: its
 * tensor. Time: O(1). */
gsp_str tflite_signature_input(
    const tflite_model *model, uint32_t index, uint32_t input, uint32_t *tensor);
gsp_str tflite_signature_output(
    const tflite_model *model, uint32_t index, uint32_t output, uint32_t *tensor);

#ifdef __cplusplus
}
#endif

#endif
