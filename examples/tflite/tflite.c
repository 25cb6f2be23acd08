/* tflite.c: see tflite.h. Counting and reading walk the file with the same functions. */
#include "options.h"

#define TFL_CUSTOM   32 /* the operator code that means: see the name */
#define TFL_NO_INDEX (-1)

/* Names of operators by code. */
/* clang-format off */
static const char *const tfl_builtin[] = {
    "ADD", "AVERAGE_POOL_2D", "CONCATENATION", "CONV_2D", "DEPTHWISE_CONV_2D", "DEPTH_TO_SPACE",
    "DEQUANTIZE", "EMBEDDING_LOOKUP", "FLOOR", "FULLY_CONNECTED", "HASHTABLE_LOOKUP",
    "L2_NORMALIZATION", "L2_POOL_2D", "LOCAL_RESPONSE_NORMALIZATION", "LOGISTIC", "LSH_PROJECTION",
    "LSTM", "MAX_POOL_2D", "MUL", "RELU", "RELU_N1_TO_1", "RELU6", "RESHAPE", "RESIZE_BILINEAR",
    "RNN", "SOFTMAX", "SPACE_TO_DEPTH", "SVDF", "TANH", "CONCAT_EMBEDDINGS", "SKIP_GRAM", "CALL",
    "CUSTOM", "EMBEDDING_LOOKUP_SPARSE", "PAD", "UNIDIRECTIONAL_SEQUENCE_RNN", "GATHER",
    "BATCH_TO_SPACE_ND", "SPACE_TO_BATCH_ND", "TRANSPOSE", "MEAN", "SUB", "DIV", "SQUEEZE",
    "UNIDIRECTIONAL_SEQUENCE_LSTM", "STRIDED_SLICE", "BIDIRECTIONAL_SEQUENCE_RNN", "EXP",
    "TOPK_V2", "SPLIT", "LOG_SOFTMAX", "DELEGATE", "BIDIRECTIONAL_SEQUENCE_LSTM", "CAST", "PRELU",
    "MAXIMUM", "ARG_MAX", "MINIMUM", "LESS", "NEG", "PADV2", "GREATER", "GREATER_EQUAL",
    "LESS_EQUAL", "SELECT", "SLICE", "SIN", "TRANSPOSE_CONV", "SPARSE_TO_DENSE", "TILE",
    "EXPAND_DIMS", "EQUAL", "NOT_EQUAL", "LOG", "SUM", "SQRT", "RSQRT", "SHAPE", "POW", "ARG_MIN",
    "FAKE_QUANT", "REDUCE_PROD", "REDUCE_MAX", "PACK", "LOGICAL_OR", "ONE_HOT", "LOGICAL_AND",
    "LOGICAL_NOT", "UNPACK", "REDUCE_MIN", "FLOOR_DIV", "REDUCE_ANY", "SQUARE", "ZEROS_LIKE",
    "FILL", "FLOOR_MOD", "RANGE", "RESIZE_NEAREST_NEIGHBOR", "LEAKY_RELU", "SQUARED_DIFFERENCE",
    "MIRROR_PAD", "ABS", "SPLIT_V", "UNIQUE", "CEIL", "REVERSE_V2", "ADD_N", "GATHER_ND", "COS",
    "WHERE", "RANK", "ELU", "REVERSE_SEQUENCE", "MATRIX_DIAG", "QUANTIZE", "MATRIX_SET_DIAG",
    "ROUND", "HARD_SWISH", "IF", "WHILE", "NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5",
    "SCATTER_ND", "SELECT_V2", "DENSIFY", "SEGMENT_SUM", "BATCH_MATMUL",
    "PLACEHOLDER_FOR_GREATER_OP_CODES", "CUMSUM", "CALL_ONCE", "BROADCAST_TO", "RFFT2D", "CONV_3D",
    "IMAG", "REAL", "COMPLEX_ABS", "HASHTABLE", "HASHTABLE_FIND", "HASHTABLE_IMPORT",
    "HASHTABLE_SIZE", "REDUCE_ALL", "CONV_3D_TRANSPOSE", "VAR_HANDLE", "READ_VARIABLE",
    "ASSIGN_VARIABLE", "BROADCAST_ARGS", "RANDOM_STANDARD_NORMAL", "BUCKETIZE", "RANDOM_UNIFORM",
    "MULTINOMIAL", "GELU", "DYNAMIC_UPDATE_SLICE", "RELU_0_TO_1", "UNSORTED_SEGMENT_PROD",
    "UNSORTED_SEGMENT_MAX", "UNSORTED_SEGMENT_SUM", "ATAN2", "UNSORTED_SEGMENT_MIN", "SIGN",
    "BITCAST", "BITWISE_XOR", "RIGHT_SHIFT", "STABLEHLO_LOGISTIC", "STABLEHLO_ADD",
    "STABLEHLO_DIVIDE", "STABLEHLO_MULTIPLY", "STABLEHLO_MAXIMUM", "STABLEHLO_RESHAPE",
    "STABLEHLO_CLAMP", "STABLEHLO_CONCATENATE", "STABLEHLO_BROADCAST_IN_DIM",
    "STABLEHLO_CONVOLUTION", "STABLEHLO_SLICE", "STABLEHLO_CUSTOM_CALL", "STABLEHLO_REDUCE",
    "STABLEHLO_ABS", "STABLEHLO_AND", "STABLEHLO_COSINE", "STABLEHLO_EXPONENTIAL",
    "STABLEHLO_FLOOR", "STABLEHLO_LOG", "STABLEHLO_MINIMUM", "STABLEHLO_NEGATE", "STABLEHLO_OR",
    "STABLEHLO_POWER", "STABLEHLO_REMAINDER", "STABLEHLO_RSQRT", "STABLEHLO_SELECT",
    "STABLEHLO_SUBTRACT", "STABLEHLO_TANH", "STABLEHLO_SCATTER", "STABLEHLO_COMPARE",
    "STABLEHLO_CONVERT", "STABLEHLO_DYNAMIC_SLICE", "STABLEHLO_DYNAMIC_UPDATE_SLICE",
    "STABLEHLO_PAD", "STABLEHLO_IOTA", "STABLEHLO_DOT_GENERAL", "STABLEHLO_REDUCE_WINDOW",
    "STABLEHLO_SORT", "STABLEHLO_WHILE", "STABLEHLO_GATHER", "STABLEHLO_TRANSPOSE", "DILATE",
    "STABLEHLO_RNG_BIT_GENERATOR", "REDUCE_WINDOW", "STABLEHLO_COMPOSITE", "STABLEHLO_SHIFT_LEFT",
    "STABLEHLO_CBRT", "STABLEHLO_CASE"
};
/* clang-format on */
#define TFL_BUILTINS ((int32_t)(sizeof(tfl_builtin) / sizeof(tfl_builtin[0])))

/* Element types by code: the name, and its bits. */
typedef struct tfl_type {
    const char *name; /* "": a value that is no tensor of numbers; NULL if unknown */
    uint32_t bits;
} tfl_type;

static const tfl_type tfl_types[] = {
    {"f32", 32},
    {"f16", 16},
    {"i32", 32},
    {"u8", 8},
    {"i64", 64},
    {"", 0},
    {"b1", 8},
    {"i16", 16},
    {"c64", 64},
    {"i8", 8},
    {"f64", 64},
    {"c128", 128},
    {"u64", 64},
    {"", 0},
    {"", 0},
    {"u32", 32},
    {"u16", 16},
    {"i4", 4},
    {"bf16", 16},
};

/* Fields of options that name subgraphs. */
typedef struct tfl_call {
    uint8_t field; /* of the operator: which options */
    uint8_t type;  /* of these options */
    uint8_t index; /* their field that holds the index of the subgraph */
    const char *key;
} tfl_call;

static const tfl_call tfl_calls[] = {
#define TFL_CALL(field, type, index, key) {field, type, index, key},
    TFL_CALL_LIST(TFL_CALL)
#undef TFL_CALL
};
#define TFL_CALLS ((uint32_t)(sizeof(tfl_calls) / sizeof(tfl_calls[0])))

/* ---- the model: what every function below knows ---- */

typedef struct tfl_model {
    tfl_table root;
    tfl_vector codes;
    tfl_vector subgraphs;
    tfl_vector buffers;
} tfl_model;

typedef struct tfl_subgraph {
    tfl_table table;
    tfl_vector tensors;
    tfl_vector inputs;
    tfl_vector outputs;
    tfl_vector operators;
} tfl_subgraph;

typedef struct tfl_operator {
    tfl_table table;
    tfl_vector inputs;
    tfl_vector outputs;
    int32_t code;
    gsp_str custom; /* its name, when it is custom */
} tfl_operator;

/* A tensor, as far as its type goes. */
typedef struct tfl_tensor {
    tfl_table table;
    tfl_vector shape;
    const char *dtype; /* "": no numbers; NULL if unknown */
    uint32_t bits;
    int quantized;
    int unshaped;
    uint64_t bytes;
} tfl_tensor;

int tflite_is(const void *data, size_t size)
{
    const unsigned char *p = (const unsigned char *)data;
    return data != NULL && size >= 8u && p[4] == 'T' && p[5] == 'F' && p[6] == 'L' && p[7] == '3';
}

static tfl_model tfl_model_open(tfl_file *f)
{
    tfl_model m;
    if (!tflite_is(f->data, (size_t)f->size)) {
        tfl_fail(f, GSP_STATUS_PARSE, 4, "this is no TFLite file: it has no TFL3 at byte 4");
    }
    m.root = tfl_ok(f) ? tfl_table_at(f, tfl_u32_at(f, 0)) : tfl_no_table();
    m.codes = tfl_vector_of(f, &m.root, TFL_MODEL_CODES, 4);
    m.subgraphs = tfl_vector_of(f, &m.root, TFL_MODEL_SUBGRAPHS, 4);
    m.buffers = tfl_vector_of(f, &m.root, TFL_MODEL_BUFFERS, 4);
    if (m.subgraphs.n == 0u) {
        tfl_fail(f, GSP_STATUS_EMPTY, TFLITE_NOWHERE, "the model has no subgraph");
    }
    return m;
}

static tfl_subgraph tfl_subgraph_open(tfl_file *f, const tfl_model *m, uint32_t i)
{
    tfl_subgraph g;
    f->subgraph = i;
    tfl_about(f, "", GSP_NONE);
    g.table = tfl_element(f, &m->subgraphs, i);
    g.tensors = tfl_vector_of(f, &g.table, TFL_SUBGRAPH_TENSORS, 4);
    g.inputs = tfl_vector_of(f, &g.table, TFL_SUBGRAPH_INPUTS, 4);
    g.outputs = tfl_vector_of(f, &g.table, TFL_SUBGRAPH_OUTPUTS, 4);
    g.operators = tfl_vector_of(f, &g.table, TFL_SUBGRAPH_OPERATORS, 4);
    return g;
}

/* Older files store the code in one byte; newer files have a field for codes that do not fit. */
static void tfl_code_open(tfl_file *f, const tfl_model *m, uint32_t i, tfl_operator *o)
{
    tfl_table const t = tfl_element(f, &m->codes, i);
    int32_t const old = tfl_i8(f, &t, TFL_CODE_OLD);
    int32_t const code = tfl_signed(tfl_u32(f, &t, TFL_CODE_BUILTIN));
    o->code = code > old ? code : old;
    o->custom = tfl_text_of(f, &t, TFL_CODE_CUSTOM);
    if (o->code < 0) {
        tfl_fail(f, GSP_STATUS_PARSE, t.at, "an operator code is negative");
    }
}

static tfl_operator tfl_operator_open(
    tfl_file *f, const tfl_model *m, const tfl_subgraph *g, uint32_t i)
{
    tfl_operator o;
    uint32_t code;
    tfl_about(f, "operator", i);
    o.table = tfl_element(f, &g->operators, i);
    o.inputs = tfl_vector_of(f, &o.table, TFL_OPERATOR_INPUTS, 4);
    o.outputs = tfl_vector_of(f, &o.table, TFL_OPERATOR_OUTPUTS, 4);
    o.code = 0;
    o.custom.data = "";
    o.custom.size = 0;
    code = tfl_u32(f, &o.table, TFL_OPERATOR_CODE);
    if (code >= m->codes.n) {
        tfl_fail(f, GSP_STATUS_PARSE, o.table.at, "there is no operator code of this index");
    } else {
        tfl_code_open(f, m, code, &o);
    }
    return o;
}

/* 1 when there are constant bytes behind a tensor, here or after the FlatBuffer. */
static int tfl_has_data(tfl_file *f, const tfl_model *m, const tfl_table *tensor)
{
    uint32_t const buffer = tfl_u32(f, tensor, TFL_TENSOR_BUFFER);
    tfl_table t;
    if (buffer == 0u || buffer >= m->buffers.n) {
        return 0;
    }
    t = tfl_element(f, &m->buffers, buffer);
    return tfl_vector_of(f, &t, TFL_BUFFER_DATA, 1).n != 0u ||
           tfl_u64(f, &t, TFL_BUFFER_SIZE) != 0u;
}

/* Bytes of the numbers of a tensor; an unknown dimension counts as 1. */
static uint64_t tfl_bytes(tfl_file *f, const tfl_tensor *t)
{
    uint64_t n = 1;
    uint32_t i;
    int zero = 0;
    int large = 0;
    tfl_spend(f, t->shape.n);
    for (i = 0; i < t->shape.n && tfl_ok(f); i++) {
        int32_t const d = tfl_number(f, &t->shape, i);
        uint64_t const dim = d < 0 ? 1u : (uint64_t)d;
        zero |= dim == 0u;
        large |= dim != 0u && n > UINT64_MAX / 32u / dim;
        n = dim == 0u || large ? n : n * dim;
    }
    if (large && !zero) {
        tfl_fail(f, GSP_STATUS_OVERFLOW, t->table.at, "a tensor has more than 2^59 elements");
    }
    return zero ? 0u : t->bits < 8u ? (n * t->bits + 7u) / 8u : n * (t->bits / 8u);
}

static tfl_tensor tfl_tensor_open(
    tfl_file *f, const tfl_model *m, const tfl_subgraph *g, uint32_t i)
{
    tfl_tensor t;
    tfl_table q;
    uint32_t type;
    int const named = tfl_ok(f) && i < g->tensors.n;
    tfl_about(f, "tensor", i);
    if (tfl_ok(f) && !named) {
        tfl_fail(f, GSP_STATUS_PARSE, g->table.at, "there is no tensor of this index");
    }
    t.table = named ? tfl_element(f, &g->tensors, i) : tfl_no_table();
    t.shape = tfl_vector_of(f, &t.table, TFL_TENSOR_SIGNATURE, 4);
    if (t.shape.n == 0u) {
        t.shape = tfl_vector_of(f, &t.table, TFL_TENSOR_SHAPE, 4);
    }
    q = tfl_table_of(f, &t.table, TFL_TENSOR_QUANTIZATION);
    t.quantized = tfl_vector_of(f, &q, TFL_QUANT_SCALE, 4).n != 0u;
    type = tfl_u8(f, &t.table, TFL_TENSOR_TYPE);
    t.dtype = NULL;
    t.bits = 0;
    if (type < sizeof(tfl_types) / sizeof(tfl_types[0])) {
        t.dtype = tfl_types[type].name;
        t.bits = tfl_types[type].bits;
    }
    /* A scalar has an empty shape; without a shape the rank is unknown, unless the file states it.
     * */
    t.unshaped = t.bits != 0u && t.shape.at == 0u &&
                 tfl_u8(f, &t.table, TFL_TENSOR_HAS_RANK) == 0u && !tfl_has_data(f, m, &t.table);
    t.bytes = t.unshaped ? 0u : tfl_bytes(f, &t);
    return t;
}

/* An element of a list of tensors; TFL_NO_INDEX: omitted. */
static int32_t tfl_index(tfl_file *f, const tfl_subgraph *g, const tfl_vector *v, uint32_t i)
{
    int32_t const t = tfl_number(f, v, i);
    if (t < TFL_NO_INDEX || (t >= 0 && (uint32_t)t >= g->tensors.n)) {
        tfl_fail(f, GSP_STATUS_PARSE, v->at + 4u * (uint64_t)i,
            "a list of tensors names one that does not exist");
        return TFL_NO_INDEX;
    }
    return t;
}

/* The subgraph that an operator names by this rule, or GSP_NONE. */
static uint32_t tfl_called(
    tfl_file *f, const tfl_model *m, const tfl_operator *o, const tfl_call *rule)
{
    tfl_table options;
    uint32_t index;
    if (tfl_u8(f, &o->table, rule->field - 1u) != rule->type) {
        return GSP_NONE;
    }
    options = tfl_table_of(f, &o->table, rule->field);
    index = tfl_u32(f, &options, rule->index);
    if (options.at == 0u || !tfl_ok(f)) {
        return GSP_NONE;
    }
    if (index >= m->subgraphs.n) {
        tfl_fail(
            f, GSP_STATUS_PARSE, options.at, "an operator calls a subgraph that does not exist");
        return GSP_NONE;
    }
    return index;
}

/* ---- attributes of operators, quantisation of tensors ---- */

/* Height and width of the weights of a convolution, and what they cover with the dilation. */
static uint32_t tfl_kernel(tfl_file *f, const tfl_subgraph *g, const tfl_operator *o,
    const tfl_value *dilation, tfl_value *out)
{
    int32_t const weights = o->inputs.n > 1u ? tfl_number(f, &o->inputs, 1) : TFL_NO_INDEX;
    tfl_table tensor;
    tfl_vector shape;
    uint32_t i;
    if (weights < 0 || (uint32_t)weights >= g->tensors.n) {
        return 0;
    }
    tensor = tfl_element(f, &g->tensors, (uint32_t)weights);
    shape = tfl_vector_of(f, &tensor, TFL_TENSOR_SHAPE, 4);
    out[0] = out[1] = *dilation;
    out[0].key = "kernel";
    out[1].key = "span";
    for (i = 0; i < 2u && shape.n == 4u; i++) {
        int32_t const d = dilation->pair[i];
        int32_t const k = tfl_number(f, &shape, i + 1u);
        if (k < 1 || k > 65536 || d < 1 || d > 32767) {
            return 0;
        }
        out[0].pair[i] = k;
        out[1].pair[i] = (k - 1) * d + 1;
    }
    return shape.n == 4u ? 2u : 0u;
}

/* The attributes of an operator; *n: how many. */
static void tfl_attributes(tfl_file *f, const tfl_subgraph *g, const tfl_operator *o,
    tfl_value out[TFL_ATTRIBUTES], uint32_t *n)
{
    uint32_t const type = tfl_u8(f, &o->table, TFL_OPERATOR_OPTIONS_TYPE);
    tfl_table const t = tfl_table_of(f, &o->table, TFL_OPERATOR_OPTIONS);
    uint32_t i;
    *n = 0;
    for (i = 0; i < TFL_OPTIONS && t.at != 0u && tfl_ok(f); i++) {
        if (tfl_options[i].type == type) {
            out[*n] = tfl_option_value(f, &t, &tfl_options[i]);
            *n += out[*n].n == 0u ? 0u : 1u;
            if (type <= 2u && tfl_options[i].kind == TFL_OPTION_SCALE && tfl_ok(f)) {
                *n += tfl_kernel(f, g, o, &out[*n - 1u], &out[*n]);
            }
        }
    }
}

typedef struct tfl_quant {
    tfl_vector scales;
    tfl_vector zeros; /* of 8 bytes */
    int32_t axis;
} tfl_quant;

static tfl_quant tfl_quant_open(tfl_file *f, const tfl_table *tensor)
{
    tfl_table const t = tfl_table_of(f, tensor, TFL_TENSOR_QUANTIZATION);
    tfl_quant q;
    q.scales = tfl_vector_of(f, &t, TFL_QUANT_SCALE, 4);
    q.zeros = tfl_vector_of(f, &t, TFL_QUANT_ZERO, 8);
    q.axis = tfl_signed(tfl_u32(f, &t, TFL_QUANT_AXIS));
    return q;
}

/* What TensorFlow Lite asks of a quantisation without details. Biases may have the dimension of
 * their weights, which they do not have: then any of theirs counts. */
static void tfl_quant_check(tfl_file *f, const tfl_table *tensor)
{
    tfl_table const t = tfl_table_of(f, tensor, TFL_TENSOR_QUANTIZATION);
    tfl_quant const q = tfl_quant_open(f, tensor);
    tfl_vector const shape = tfl_vector_of(f, tensor, TFL_TENSOR_SHAPE, 4);
    int const within = q.axis >= 0 && (uint32_t)q.axis < shape.n;
    int found = 0;
    uint32_t i;
    tfl_spend(f, shape.n);
    if (!tfl_ok(f) || tfl_u8(f, &t, TFL_QUANT_DETAILS) != 0u) {
        return;
    }
    for (i = 0; i < shape.n; i++) {
        found |=
            (!within || i == (uint32_t)q.axis) && (uint32_t)tfl_number(f, &shape, i) == q.scales.n;
    }
    if (q.scales.n != 0u && q.zeros.n != 0u && q.zeros.n != q.scales.n) {
        tfl_fail(f, GSP_STATUS_PARSE, q.zeros.at - 4u,
            "a quantisation has another number of zero points than of scales");
    } else if (q.scales.n > 1u && !found) {
        tfl_fail(f, GSP_STATUS_PARSE, q.scales.at - 4u,
            "a quantisation has neither one scale nor one per element of its dimension");
    }
}

/* ---- texts ---- */

/* A text that is being written; the part that does not fit is cut off. */
typedef struct tfl_writer {
    char *out;
    size_t room;
    size_t size;
} tfl_writer;

static void tfl_put(tfl_writer *w, char c)
{
    if (w->size < w->room) {
        w->out[w->size++] = c;
    }
}

static void tfl_puts(tfl_writer *w, const char *s)
{
    while (*s != '\0') {
        tfl_put(w, *s++);
    }
}

static void tfl_put_number(tfl_writer *w, uint64_t n)
{
    char digits[20];
    uint32_t k = 0;
    do {
        digits[k++] = (char)('0' + (char)(n % 10u));
        n /= 10u;
    } while (n != 0u);
    while (k > 0u) {
        tfl_put(w, digits[--k]);
    }
}

static void tfl_put_int(tfl_writer *w, int64_t n)
{
    tfl_puts(w, n < 0 ? "-" : "");
    tfl_put_number(w, n < 0 ? 0u - (uint64_t)n : (uint64_t)n);
}

/* An f32 with up to nine digits, as "%.9g" has it, but "1.0". */
static void tfl_put_real(tfl_writer *w, uint32_t bits)
{
    char digits[9];
    uint32_t n = 9;
    int32_t i;
    int32_t const power = tfl_decimal_digits(bits, digits);
    int const plain = power > -5 && power < 9;
    int32_t const point = !plain ? 1 : power < 0 ? 0 : power + 1; /* digits in front of it */
    tfl_puts(w, bits >> 31 != 0u ? "-" : "");
    if ((bits >> 23 & 255u) == 255u) {
        tfl_puts(w, (bits & 0x7FFFFFu) != 0u ? "nan" : "inf");
        return;
    }
    while (n > 1u && digits[n - 1u] == '0') {
        n--;
    }
    if (digits[0] == '0') {
        tfl_puts(w, "0.0");
        return;
    }
    tfl_puts(w, point == 0 ? "0." : "");
    for (i = power; plain && i < -1; i++) {
        tfl_put(w, '0');
    }
    for (i = 0; i < (int32_t)n || i <= point; i++) {
        tfl_puts(w, i == point && i > 0 ? "." : "");
        tfl_put(w, i < (int32_t)n ? digits[i] : '0');
    }
    if (!plain) {
        tfl_put(w, 'e');
        tfl_put_int(w, power);
    }
}

/* Integer i of a value. */
static int32_t tfl_value_at(const tfl_file *f, const tfl_value *v, uint32_t i)
{
    return v->list.n != 0u ? tfl_number(f, &v->list, i) : v->pair[i];
}

/* "3x3", "relu", "1.0"; lists as "1,2". */
static void tfl_put_value(tfl_writer *w, const tfl_file *f, const tfl_value *v)
{
    uint32_t i;
    tfl_puts(w, v->word != NULL ? v->word : "");
    if (v->is_real) {
        tfl_put_real(w, v->real);
    }
    for (i = 0; i < v->n && v->word == NULL && !v->is_real; i++) {
        tfl_puts(w, i == 0u ? "" : v->list.n != 0u ? "," : "x");
        tfl_put_int(w, tfl_value_at(f, v, i));
    }
}

static gsp_str tfl_written(const tfl_writer *w)
{
    gsp_str t;
    t.data = w->out;
    t.size = (uint32_t)w->size;
    return t;
}

static int tfl_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int tfl_is_word(char c)
{
    return tfl_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Bytes of the UTF-8 character at `i`; of an invalid one, as many as one replacement character
 * covers in other decoders. */
static uint32_t tfl_character(gsp_str t, uint32_t i)
{
    const unsigned char *p = (const unsigned char *)t.data + i;
    uint32_t const want = p[0] < 0xC2u || p[0] > 0xF4u ? 1u
                          : p[0] < 0xE0u               ? 2u
                          : p[0] < 0xF0u               ? 3u
                                                       : 4u;
    uint32_t low = p[0] == 0xE0u ? 0xA0u : p[0] == 0xF0u ? 0x90u : 0x80u;
    uint32_t high = p[0] == 0xEDu ? 0x9Fu : p[0] == 0xF4u ? 0x8Fu : 0xBFu;
    uint32_t n = 1;
    while (n < want && n < t.size - i && p[n] >= low && p[n] <= high) {
        low = 0x80u;
        high = 0xBFu;
        n++;
    }
    return n;
}

/* A name as a path of words: '/' and ':' separate words, invalid characters become '_'. `part`
 * stands between the words. */
static void tfl_put_path(tfl_writer *w, gsp_str t, char part)
{
    size_t const begin = w->size;
    uint32_t i;
    int parted = 0;
    for (i = 0; i < t.size; i += tfl_character(t, i)) {
        char const c = t.data[i];
        if (c == '/' || c == ':' || c == '.') {
            parted = 1;
            continue;
        }
        if (parted && w->size > begin) {
            tfl_put(w, part);
        }
        parted = 0;
        tfl_put(w, (char)(tfl_is_word(c) ? c : '_'));
    }
    if (w->size == begin) {
        tfl_put(w, '_');
    }
}

/* A name as one word. */
static void tfl_put_word(tfl_writer *w, gsp_str t)
{
    uint32_t i;
    tfl_puts(w, t.size == 0u ? "_" : "");
    for (i = 0; i < t.size; i += tfl_character(t, i)) {
        tfl_put(w, (char)(tfl_is_word(t.data[i]) ? t.data[i] : '_'));
    }
}

/* The whole name of an operator, "CONV_2D" or "custom.NAME"; `lower` for its nodes: "conv_2d". */
static void tfl_put_operator(tfl_writer *w, const tfl_operator *o, int lower)
{
    size_t i = w->size;
    if (o->code == TFL_CUSTOM) {
        tfl_puts(w, lower ? "" : "custom.");
        tfl_put_path(w, o->custom, '_');
    } else if (o->code < TFL_BUILTINS) {
        tfl_puts(w, tfl_builtin[o->code]);
    } else {
        tfl_puts(w, "OP_");
        tfl_put_number(w, (uint64_t)o->code);
    }
    for (; lower && i < w->size; i++) {
        w->out[i] =
            (char)(w->out[i] >= 'A' && w->out[i] <= 'Z' ? w->out[i] - 'A' + 'a' : w->out[i]);
    }
}

/* The type of a tensor; nothing if its elements are unknown. */
static void tfl_put_type(tfl_writer *w, const tfl_file *f, const tfl_tensor *t)
{
    uint32_t i;
    if (t->dtype == NULL || t->bits == 0u) {
        tfl_puts(w, t->dtype == NULL ? "" : "any");
        return;
    }
    tfl_puts(w, t->quantized && t->bits <= 8u && t->dtype[0] != 'b' ? "q" : "");
    tfl_puts(w, t->dtype);
    tfl_put(w, '[');
    tfl_puts(w, t->unshaped ? "?" : "");
    for (i = 0; i < t->shape.n; i++) {
        int32_t const d = tfl_number(f, &t->shape, i);
        tfl_puts(w, i == 0u ? "" : ", ");
        tfl_puts(w, d < 0 ? "s" : "");
        tfl_put_number(w, d < 0 ? i : (uint32_t)d);
    }
    tfl_put(w, ']');
}

/* Room that tfl_put_type() takes at most. */
static uint64_t tfl_type_room(const tfl_tensor *t)
{
    return 10u + 13u * (uint64_t)t->shape.n;
}

/* 1 if the type alone does not determine the bytes. */
static int tfl_wants_bytes(const tfl_tensor *t)
{
    return t->unshaped || (t->bits != 0u && t->bits < 8u);
}

/* Operators that count. */
enum {
    TFL_ADD = 0,
    TFL_MUL = 18,
    TFL_SUB = 41,
    TFL_LESS = 58,
    TFL_GREATER = 61,
    TFL_GREATER_EQUAL = 62,
    TFL_LESS_EQUAL = 63,
    TFL_LOGICAL_AND = 86,
    TFL_WHILE = 119
};

/* ---- counting: every offset is followed once ---- */

typedef struct tfl_total {
    uint64_t nodes;
    uint64_t args;
    uint64_t attrs;
    uint64_t strings;
    uint64_t bytes; /* of these */
    uint64_t tensors;
    uint64_t names; /* entries of the table of names */
    uint64_t name_bytes;
    uint64_t widest;
} tfl_total;

#define TFL_SUFFIX 12u /* most bytes that a name grows by: '_' in front, "_1234567890" at the end */

static void tfl_count_text(tfl_total *n, uint64_t size)
{
    n->strings++;
    n->bytes += size;
    n->widest = size > n->widest ? size : n->widest;
}

/* A name that has to be unique: the table stores it and its base. */
static void tfl_count_name(tfl_total *n, uint64_t size)
{
    tfl_count_text(n, size + TFL_SUFFIX);
    n->names += 2u;
    n->name_bytes += 2u * (size + TFL_SUFFIX);
}

static void tfl_count_quant(tfl_file *f, tfl_total *n, const tfl_table *tensor)
{
    tfl_quant const q = tfl_quant_open(f, tensor);
    tfl_spend(f, (uint64_t)q.scales.n + q.zeros.n);
    tfl_count_text(n, 17u * (uint64_t)q.scales.n);
    tfl_count_text(n, 21u * (uint64_t)q.zeros.n);
    tfl_count_text(n, 11u);
    n->attrs += 3u;
}

static void tfl_count_attributes(
    tfl_file *f, const tfl_subgraph *g, const tfl_operator *o, tfl_total *n)
{
    tfl_value values[TFL_ATTRIBUTES];
    uint32_t count;
    uint32_t i;
    tfl_attributes(f, g, o, values, &count);
    for (i = 0; i < count; i++) {
        tfl_spend(f, values[i].n);
        tfl_count_text(n, 16u + 12u * (uint64_t)values[i].n);
        n->strings += values[i].n;
        n->bytes += 12u * (uint64_t)values[i].n;
        n->args += (uint64_t)values[i].n + 3u;
        n->attrs++;
    }
}

/* A tensor may become one node, with a path besides its name. Without a name it is "t17". */
static void tfl_count_tensor(tfl_file *f, tfl_total *n, const tfl_tensor *t)
{
    gsp_str const name = tfl_text_of(f, &t->table, TFL_TENSOR_NAME);
    uint64_t const size = name.size < 11u ? 11u : name.size;
    tfl_spend(f, name.size);
    tfl_count_name(n, size);
    tfl_count_name(n, size);
    tfl_count_text(n, tfl_type_room(t));
    tfl_count_text(n, 20u); /* bytes= */
    tfl_count_quant(f, n, &t->table);
    n->nodes++;
    n->attrs++;
}

static void tfl_check_buffer(tfl_file *f, const tfl_model *m, const tfl_table *t)
{
    uint32_t const buffer = tfl_u32(f, t, TFL_TENSOR_BUFFER);
    if (buffer != 0u && buffer >= m->buffers.n) {
        tfl_fail(f, GSP_STATUS_PARSE, t->at, "a tensor names a buffer that does not exist");
    }
}

static void tfl_count_tensors(tfl_file *f, const tfl_model *m, const tfl_subgraph *g, tfl_total *n)
{
    uint32_t i;
    tfl_spend(f, g->tensors.n);
    for (i = 0; i < g->tensors.n && tfl_ok(f); i++) {
        tfl_tensor const t = tfl_tensor_open(f, m, g, i);
        (void)tfl_table_of(f, &t.table, TFL_TENSOR_SPARSITY);
        (void)tfl_vector_of(f, &t.table, TFL_TENSOR_SHAPE, 4);
        tfl_check_buffer(f, m, &t.table);
        tfl_quant_check(f, &t.table);
        tfl_count_tensor(f, n, &t);
    }
    n->tensors = g->tensors.n > n->tensors ? g->tensors.n : n->tensors;
}

/* Several outputs: a tuple, and one node per output. */
static void tfl_count_outputs(
    tfl_file *f, const tfl_model *m, const tfl_subgraph *g, const tfl_operator *o, tfl_total *n)
{
    uint64_t room = 10u;
    uint32_t i;
    tfl_spend(f, o->outputs.n);
    for (i = 0; i < o->outputs.n && tfl_ok(f); i++) {
        int32_t const index = tfl_index(f, g, &o->outputs, i);
        if (o->outputs.n == 1u) {
            if (tfl_ok(f) && index >= 0) {
                tfl_tensor const t = tfl_tensor_open(f, m, g, (uint32_t)index);
                tfl_count_quant(f, n, &t.table);
            }
            return;
        }
        tfl_count_name(n, 7u); /* getitem */
        tfl_count_text(n, 10u);
        n->nodes++;
        n->args += 2u;
        n->attrs++;
        if (tfl_ok(f) && index >= 0) {
            tfl_tensor const t = tfl_tensor_open(f, m, g, (uint32_t)index);
            room += tfl_type_room(&t);
            tfl_count_quant(f, n, &t.table);
        }
        room += 5u;
    }
    tfl_count_text(n, room);
}

static void tfl_count_operator(
    tfl_file *f, const tfl_model *m, const tfl_subgraph *g, uint32_t i, tfl_total *n)
{
    tfl_operator const o = tfl_operator_open(f, m, g, i);
    tfl_vector const within = tfl_vector_of(f, &o.table, TFL_OPERATOR_INTERMEDIATES, 4);
    uint32_t k;
    (void)tfl_vector_of(f, &o.table, TFL_OPERATOR_CUSTOM_OPTIONS, 1);
    (void)tfl_vector_of(f, &o.table, TFL_OPERATOR_MUTATING, 1);
    (void)tfl_table_of(f, &o.table, TFL_OPERATOR_OPTIONS);
    (void)tfl_table_of(f, &o.table, TFL_OPERATOR_OPTIONS2);
    tfl_spend(f, (uint64_t)o.inputs.n + within.n);
    for (k = 0; k < o.inputs.n && tfl_ok(f); k++) {
        (void)tfl_index(f, g, &o.inputs, k);
    }
    for (k = 0; k < within.n && tfl_ok(f); k++) {
        (void)tfl_index(f, g, &within, k);
    }
    for (k = 0; k < TFL_CALLS && tfl_ok(f); k++) {
        (void)tfl_called(f, m, &o, &tfl_calls[k]);
    }
    if (tfl_ok(f)) {
        tfl_count_attributes(f, g, &o, n);
    }
    tfl_count_name(n, (uint64_t)o.custom.size + 40u);
    tfl_count_text(n, 11u * (uint64_t)o.inputs.n); /* mutates= */
    tfl_count_text(n, 20u);                        /* bytes= */
    n->nodes++;
    n->args += o.inputs.n;
    tfl_count_text(n, o.code == TFL_WHILE ? 20u : 0u); /* trips= */
    n->attrs += o.code == TFL_WHILE ? 5u : 4u;
    tfl_spend(f, o.custom.size);
    tfl_count_outputs(f, m, g, &o, n);
}

/* Inputs are placeholders, one node each even if one is named twice. */
static void tfl_count_ends(tfl_file *f, const tfl_model *m, const tfl_subgraph *g, tfl_total *n)
{
    uint32_t i;
    tfl_spend(f, (uint64_t)g->inputs.n + g->outputs.n);
    for (i = 0; i < g->inputs.n && tfl_ok(f); i++) {
        int32_t index;
        tfl_about(f, "", GSP_NONE);
        index = tfl_index(f, g, &g->inputs, i);
        if (index < 0) {
            tfl_fail(f, GSP_STATUS_PARSE, g->inputs.at + 4u * (uint64_t)i,
                "an input of the subgraph names no tensor");
        } else {
            tfl_tensor const t = tfl_tensor_open(f, m, g, (uint32_t)index);
            tfl_count_tensor(f, n, &t);
        }
    }
    tfl_about(f, "", GSP_NONE);
    for (i = 0; i < g->outputs.n && tfl_ok(f); i++) {
        (void)tfl_index(f, g, &g->outputs, i);
    }
    n->args += (uint64_t)g->outputs.n + 2u;
    n->nodes++; /* the output */
}

static void tfl_count_subgraph(tfl_file *f, const tfl_model *m, uint32_t s, tfl_total *n)
{
    tfl_subgraph const g = tfl_subgraph_open(f, m, s);
    gsp_str const name = tfl_text_of(f, &g.table, TFL_SUBGRAPH_NAME);
    uint32_t i;
    tfl_spend(f, name.size);
    tfl_count_name(n, (uint64_t)name.size + 20u);
    tfl_count_tensors(f, m, &g, n);
    tfl_count_ends(f, m, &g, n);
    tfl_spend(f, g.operators.n);
    for (i = 0; i < g.operators.n && tfl_ok(f); i++) {
        tfl_count_operator(f, m, &g, i, n);
    }
    f->subgraph = GSP_NONE;
    tfl_about(f, "", GSP_NONE);
}

static void tfl_count_codes(tfl_file *f, const tfl_model *m, tfl_total *n)
{
    uint32_t i;
    tfl_spend(f, m->codes.n);
    for (i = 0; i < m->codes.n && tfl_ok(f); i++) {
        tfl_operator o;
        tfl_about(f, "operator code", i);
        tfl_code_open(f, m, i, &o);
        tfl_spend(f, o.custom.size);
        tfl_count_text(n, (uint64_t)o.custom.size + 64u); /* the target */
    }
}

static void tfl_check_buffers(tfl_file *f, const tfl_model *m)
{
    uint32_t i;
    tfl_spend(f, m->buffers.n);
    for (i = 0; i < m->buffers.n && tfl_ok(f); i++) {
        tfl_table t;
        uint64_t offset;
        tfl_about(f, "buffer", i);
        t = tfl_element(f, &m->buffers, i);
        offset = tfl_u64(f, &t, TFL_BUFFER_OFFSET);
        (void)tfl_vector_of(f, &t, TFL_BUFFER_DATA, 1);
        if (offset > 1u && !tfl_holds(f, offset, tfl_u64(f, &t, TFL_BUFFER_SIZE))) {
            tfl_fail(f, GSP_STATUS_PARSE, t.at,
                "the data that stand behind the model reach " TFL_BEYOND);
        }
    }
}

static void tfl_check_metadata(tfl_file *f, const tfl_model *m)
{
    tfl_vector const v = tfl_vector_of(f, &m->root, TFL_MODEL_METADATA, 4);
    uint32_t i;
    (void)tfl_vector_of(f, &m->root, TFL_MODEL_METADATA_BUFFER, 4);
    (void)tfl_text_of(f, &m->root, TFL_MODEL_DESCRIPTION);
    tfl_spend(f, v.n);
    for (i = 0; i < v.n && tfl_ok(f); i++) {
        tfl_table t;
        tfl_about(f, "metadata entry", i);
        t = tfl_element(f, &v, i);
        (void)tfl_text_of(f, &t, TFL_METADATA_NAME);
        if (tfl_u32(f, &t, TFL_METADATA_BUFFER) >= m->buffers.n && tfl_ok(f)) {
            tfl_fail(f, GSP_STATUS_PARSE, t.at, "metadata name a buffer that does not exist");
        }
    }
}

static void tfl_check_map(
    tfl_file *f, const tfl_subgraph *g, const tfl_table *signature, uint32_t field)
{
    tfl_vector const v = tfl_vector_of(f, signature, field, 4);
    uint32_t i;
    tfl_spend(f, v.n);
    for (i = 0; i < v.n && tfl_ok(f); i++) {
        tfl_table const t = tfl_element(f, &v, i);
        (void)tfl_text_of(f, &t, TFL_MAP_NAME);
        if (tfl_u32(f, &t, TFL_MAP_TENSOR) >= g->tensors.n && tfl_ok(f)) {
            tfl_fail(f, GSP_STATUS_PARSE, t.at, "a signature names a tensor that does not exist");
        }
    }
}

static void tfl_check_signatures(tfl_file *f, const tfl_model *m)
{
    tfl_vector const v = tfl_vector_of(f, &m->root, TFL_MODEL_SIGNATURES, 4);
    uint32_t i;
    tfl_spend(f, v.n);
    for (i = 0; i < v.n && tfl_ok(f); i++) {
        tfl_table const t = tfl_element(f, &v, i);
        uint32_t const s = tfl_u32(f, &t, TFL_SIGNATURE_SUBGRAPH);
        tfl_subgraph g;
        if (tfl_ok(f) && s >= m->subgraphs.n) {
            tfl_fail(f, GSP_STATUS_PARSE, t.at, "a signature names a subgraph that does not exist");
            return;
        }
        g = tfl_subgraph_open(f, m, s);
        f->subgraph = GSP_NONE;
        tfl_about(f, "signature", i);
        (void)tfl_text_of(f, &t, TFL_SIGNATURE_KEY);
        tfl_check_map(f, &g, &t, TFL_SIGNATURE_INPUTS);
        tfl_check_map(f, &g, &t, TFL_SIGNATURE_OUTPUTS);
    }
}

/* Converts the sums to counts at the end. */
static void tfl_count_end(
    tfl_file *f, const tfl_model *m, const tfl_total *n, tflite_counts *counts)
{
    uint64_t const most = 0x3FFFFFF0u;
    tfl_about(f, "", GSP_NONE);
    if (tfl_ok(f) && (n->nodes > most || n->args > most || n->attrs > most || n->strings > most ||
                         n->bytes > most || n->names > most || n->name_bytes > most)) {
        tfl_fail(f, GSP_STATUS_OVERFLOW, TFLITE_NOWHERE,
            "the graphs have more than 2^30 items, or names of more than 1 GiB");
    }
    if (!tfl_ok(f)) {
        return;
    }
    counts->module = gsp_build_counts(m->subgraphs.n, (uint32_t)n->nodes, (uint32_t)n->args,
        (uint32_t)n->attrs, (uint32_t)n->strings + 80u, (uint32_t)n->bytes + 1024u);
    counts->subgraphs = m->subgraphs.n;
    counts->tensors = (uint32_t)n->tensors;
    counts->names = (uint32_t)n->names + 1u;
    counts->bytes = (uint32_t)n->name_bytes + 16u;
    counts->widest = (uint32_t)n->widest + 32u;
}

gsp_status tflite_count(const void *data, size_t size, tflite_counts *counts, tflite_error *err)
{
    tflite_error own;
    tfl_file f;
    tfl_model m;
    tfl_total n = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    uint32_t s;
    tfl_file_open(&f, data, size, err != NULL ? err : &own);
    if (data == NULL || counts == NULL) {
        tfl_fail(&f, GSP_STATUS_ARG, TFLITE_NOWHERE, "a pointer that must not be null is null");
        return GSP_STATUS_ARG;
    }
    f.left = (uint64_t)size * 16u + 4096u;
    m = tfl_model_open(&f);
    tfl_count_codes(&f, &m, &n);
    tfl_check_buffers(&f, &m);
    tfl_about(&f, "", GSP_NONE);
    tfl_check_metadata(&f, &m);
    tfl_spend(&f, m.subgraphs.n);
    for (s = 0; s < m.subgraphs.n && tfl_ok(&f); s++) {
        tfl_count_subgraph(&f, &m, s, &n);
    }
    tfl_check_signatures(&f, &m);
    f.subgraph = GSP_NONE;
    tfl_count_end(&f, &m, &n, counts);
    return f.err->status;
}

/* ---- names that are free ---- */

typedef struct tfl_name {
    uint32_t begin; /* in chars */
    uint32_t size;
    uint32_t space;
    uint32_t number; /* the last suffix given out for this base */
    uint32_t taken;  /* 0 for only a base so far */
} tfl_name;

/* Every graph has a space of names and one of paths; graph names share one space. */
#define TFL_SPACE_GRAPHS   0u
#define TFL_SPACE_NAMES(g) (2u * (g) + 1u)
#define TFL_SPACE_PATHS(g) (2u * (g) + 2u)

typedef struct tfl_names {
    tfl_name *entries;
    uint32_t *slots; /* index of an entry and 1, 0 if free */
    char *chars;
    uint32_t n;
    uint32_t n_slots; /* a power of two */
    uint32_t n_chars;
} tfl_names;

static uint32_t tfl_slots(uint32_t names)
{
    uint32_t n = 16u;
    while (n < 2u * names) {
        n *= 2u;
    }
    return n;
}

/* The slot of a name, or the slot where it would go. */
static uint32_t tfl_slot(const tfl_names *t, uint32_t space, gsp_str text)
{
    uint32_t h = 2166136261u ^ space * 0x9E3779B1u;
    uint32_t i;
    for (i = 0; i < text.size; i++) {
        h = (h ^ (unsigned char)text.data[i]) * 16777619u;
    }
    h = (h ^ (h >> 15)) & (t->n_slots - 1u);
    for (; t->slots[h] != 0u; h = (h + 1u) & (t->n_slots - 1u)) {
        const tfl_name *e = &t->entries[t->slots[h] - 1u];
        gsp_str other;
        other.data = t->chars + e->begin;
        other.size = e->size;
        if (e->space == space && gsp_str_equal(other, text)) {
            break;
        }
    }
    return h;
}

static tfl_name *tfl_name_find(const tfl_names *t, uint32_t space, gsp_str text)
{
    uint32_t const slot = tfl_slot(t, space, text);
    return t->slots[slot] == 0u ? NULL : &t->entries[t->slots[slot] - 1u];
}

/* The entry of a name, created if there is none. The count reserved the room. */
static tfl_name *tfl_name_entry(tfl_names *t, uint32_t space, gsp_str text)
{
    uint32_t const slot = tfl_slot(t, space, text);
    tfl_name *e;
    uint32_t i;
    if (t->slots[slot] != 0u) {
        return &t->entries[t->slots[slot] - 1u];
    }
    e = &t->entries[t->n++];
    t->slots[slot] = t->n;
    e->begin = t->n_chars;
    e->size = text.size;
    e->space = space;
    e->number = 0;
    e->taken = 0;
    for (i = 0; i < text.size; i++) {
        t->chars[t->n_chars++] = text.data[i];
    }
    return e;
}

/* Words of the text form and of PyTorch that are no node names. */
static int tfl_is_reserved(gsp_str t)
{
    static const char words[] =
        " None True False inf nan Ellipsis cpu cuda slice return module int "
        "float bool str tuple list dict torch graph ";
    uint32_t i;
    for (i = 0; i + t.size + 1u < sizeof(words); i++) {
        uint32_t k = 0;
        while (k < t.size && words[i + 1u + k] == t.data[k]) {
            k++;
        }
        if (words[i] == ' ' && k == t.size && words[i + 1u + k] == ' ' && k > 0u) {
            return 1;
        }
    }
    return 0;
}

/* Cuts a suffix _N of up to nine digits from the text and returns N. */
static uint32_t tfl_suffix(tfl_writer *w)
{
    uint32_t digits = 0;
    uint32_t number = 0;
    size_t i;
    while (digits < 10u && digits < w->size && tfl_is_digit(w->out[w->size - 1u - digits])) {
        digits++;
    }
    if (digits == 0u || digits > 9u || digits == w->size || w->out[w->size - 1u - digits] != '_') {
        return 0;
    }
    for (i = w->size - digits; i < w->size; i++) {
        number = number * 10u + (uint32_t)(w->out[i] - '0');
    }
    w->size -= digits + 1u;
    return number;
}

/* Makes the word in `w` unique and records it: "add" -> "add_1" -> "add_2". */
static void tfl_name_free(tfl_names *t, tfl_writer *w, uint32_t space)
{
    tfl_name *base = tfl_name_find(t, space, tfl_written(w));
    tfl_name *other;
    uint32_t k;
    size_t size;
    if ((base == NULL || !base->taken) && !tfl_is_reserved(tfl_written(w))) {
        tfl_name_entry(t, space, tfl_written(w))->taken = 1;
        return;
    }
    k = tfl_suffix(w);
    size = w->size;
    base = tfl_name_entry(t, space, tfl_written(w));
    k = base->number > k ? base->number : k;
    do {
        k++;
        w->size = size;
        tfl_put(w, '_');
        tfl_put_number(w, k);
        other = tfl_name_find(t, space, tfl_written(w));
    } while (other != NULL && other->taken);
    base->number = k;
    tfl_name_entry(t, space, tfl_written(w))->taken = 1;
}

/* Makes the path in `w` unique among attributes, since passes may merge equal paths. */
static void tfl_path_free(tfl_names *t, tfl_writer *w, uint32_t space)
{
    tfl_name *e = tfl_name_entry(t, space, tfl_written(w));
    size_t const size = w->size;
    uint32_t k = e->taken ? e->number + 1u : 0u;
    while (k != 0u) {
        w->size = size;
        tfl_put(w, '_');
        tfl_put_number(w, k);
        if (tfl_name_find(t, space, tfl_written(w)) == NULL) {
            break;
        }
        k++;
    }
    e->taken = 1;
    e->number = k;
    if (k != 0u) {
        tfl_name_entry(t, space, tfl_written(w))->taken = 1;
    }
}

/* ---- the graphs ---- */

typedef struct tfl_reader {
    tfl_file file;
    tfl_model model;
    tfl_subgraph graph; /* the current one */
    uint32_t graph_id;
    gsp_builder build;
    tfl_names names;
    tfl_writer text;       /* of one name or type at a time */
    uint32_t *value;       /* [tensors of the graph] the node that holds it, or GSP_NONE */
    uint32_t *graph_names; /* [subgraphs] entries of `names` */
    uint32_t *item;        /* [nodes] */
    uint32_t n_items;
    tflite_attributes attributes;
    char number[TFL_SUFFIX]; /* the name of a tensor that has none */
} tfl_reader;

/* Starts a text. */
static tfl_writer *tfl_begin(tfl_reader *r)
{
    r->text.size = 0;
    return &r->text;
}

/* An error of the builder becomes the error of the file. */
static void tfl_refused(tfl_reader *r)
{
    gsp_module none;
    gsp_error err;
    if (gsp_build_finish(&r->build, &none, &err) != GSP_OK) {
        tfl_fail(&r->file, err.status, TFLITE_NOWHERE, gsp_detail_text(err.detail));
    }
}

static gsp_node tfl_node(tfl_reader *r, gsp_op op, gsp_atom name, gsp_atom target, uint32_t item)
{
    gsp_node const v = gsp_build_node_atoms(&r->build, op, name, target);
    if (v == GSP_NONE) {
        tfl_refused(r);
    } else {
        r->item[r->n_items++] = item;
    }
    return v;
}

/* The text as a unique name of a node of the current graph. */
static gsp_atom tfl_node_name(tfl_reader *r)
{
    tfl_writer *w = &r->text;
    if (tfl_is_digit(w->out[0])) {
        size_t i;
        tfl_put(w, '_');
        for (i = w->size - 1u; i > 0u; i--) {
            w->out[i] = w->out[i - 1u];
        }
        w->out[0] = '_';
    }
    tfl_name_free(&r->names, &r->text, TFL_SPACE_NAMES(r->graph_id));
    return gsp_build_atom(&r->build, tfl_written(&r->text));
}

static void tfl_attr_number(tfl_reader *r, const char *key, uint64_t number)
{
    tfl_put_number(tfl_begin(r), number);
    gsp_build_attr(&r->build, gsp_str_of(key), tfl_written(&r->text));
}

/* The text as the type of the current node. */
static void tfl_type_text(tfl_reader *r)
{
    if (r->text.size != 0u) {
        gsp_build_type(&r->build, tfl_written(&r->text));
    }
}

/* `scale=`, `zero=` and, of several, `quant_axis=`. */
static void tfl_attr_quant(tfl_reader *r, const tfl_table *tensor)
{
    tfl_quant const q = tfl_quant_open(&r->file, tensor);
    uint32_t n = 1;
    uint32_t i;
    if (q.scales.n == 0u || r->attributes == TFLITE_PLAIN) {
        return;
    }
    (void)tfl_begin(r);
    for (i = 0; i < q.scales.n; i++) {
        tfl_puts(&r->text, i == 0u ? "" : ",");
        tfl_put_real(&r->text, tfl_u32_at(&r->file, q.scales.at + 4u * (uint64_t)i));
    }
    gsp_build_attr(&r->build, gsp_str_of("scale"), tfl_written(&r->text));
    for (i = 1; i < q.zeros.n; i++) { /* equal ones are one */
        n = tfl_u64_at(&r->file, q.zeros.at + 8u * (uint64_t)i) != tfl_u64_at(&r->file, q.zeros.at)
                ? q.zeros.n
                : n;
    }
    (void)tfl_begin(r);
    for (i = 0; i < n && q.zeros.n != 0u; i++) {
        tfl_puts(&r->text, i == 0u ? "" : ",");
        tfl_put_int(&r->text, tfl_i32_at(&r->file, q.zeros.at + 8u * (uint64_t)i));
    }
    if (r->text.size != 0u) {
        gsp_build_attr(&r->build, gsp_str_of("zero"), tfl_written(&r->text));
    }
    if (q.scales.n > 1u) {
        tfl_attr_number(r, "quant_axis", (uint32_t)q.axis);
    }
}

static void tfl_type_of(tfl_reader *r, int32_t index)
{
    if (index >= 0) {
        tfl_tensor const t = tfl_tensor_open(&r->file, &r->model, &r->graph, (uint32_t)index);
        tfl_put_type(tfl_begin(r), &r->file, &t);
        tfl_type_text(r);
        if (tfl_wants_bytes(&t)) {
            tfl_attr_number(r, "bytes", t.bytes);
        }
        tfl_attr_quant(r, &t.table);
    }
}

/* The name that the file gives a tensor, "t17" without one. */
static gsp_str tfl_tensor_name(tfl_reader *r, uint32_t index)
{
    tfl_table const t = tfl_element(&r->file, &r->graph.tensors, index);
    gsp_str const name = tfl_text_of(&r->file, &t, TFL_TENSOR_NAME);
    tfl_writer w;
    if (name.size != 0u) {
        return name;
    }
    w.out = r->number;
    w.room = sizeof r->number;
    w.size = 0;
    tfl_put(&w, 't');
    tfl_put_number(&w, index);
    return tfl_written(&w);
}

static uint32_t tfl_find_char(gsp_str t, char c)
{
    uint32_t i = 0;
    while (i < t.size && t.data[i] != c) {
        i++;
    }
    return i;
}

static void tfl_read_input(tfl_reader *r, uint32_t index)
{
    gsp_atom name;
    tfl_put_path(tfl_begin(r), tfl_tensor_name(r, index), '_');
    name = tfl_node_name(r);
    r->value[index] = tfl_node(r, GSP_OP_PLACEHOLDER, name, name, index);
    tfl_type_of(r, (int32_t)index);
}

/* A tensor that no operator has written. Names are "scope/of/layers/name;of/what/was/fused". */
static void tfl_read_constant(tfl_reader *r, uint32_t index)
{
    gsp_str const whole = tfl_tensor_name(r, index);
    gsp_str path = whole;
    gsp_str last;
    gsp_atom target;
    path.size = tfl_find_char(whole, ';');
    last = path;
    while (tfl_find_char(last, '/') < last.size) {
        uint32_t const part = tfl_find_char(last, '/') + 1u;
        last.data += part;
        last.size -= part;
    }
    tfl_put_path(tfl_begin(r), path, '.');
    tfl_path_free(&r->names, &r->text, TFL_SPACE_PATHS(r->graph_id));
    target = gsp_build_atom(&r->build, tfl_written(&r->text));
    tfl_put_word(tfl_begin(r), last.size != 0u ? last : whole);
    r->value[index] = tfl_node(r, GSP_OP_GET_ATTR, tfl_node_name(r), target, index);
    tfl_type_of(r, (int32_t)index);
}

/* Creates nodes for the tensors of a list that have none. */
static void tfl_read_uses(tfl_reader *r, const tfl_vector *list)
{
    uint32_t i;
    for (i = 0; i < list->n && tfl_ok(&r->file); i++) {
        int32_t const t = tfl_index(&r->file, &r->graph, list, i);
        if (t >= 0 && r->value[t] == GSP_NONE) {
            tfl_read_constant(r, (uint32_t)t);
        }
    }
}

/* The first n of a list of tensors as arguments of the current node. */
static void tfl_args(tfl_reader *r, const tfl_vector *list, uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n; i++) {
        int32_t const t = tfl_index(&r->file, &r->graph, list, i);
        if (t < 0) {
            gsp_build_constant(&r->build, gsp_str_of("None"));
        } else {
            gsp_build_arg_node(&r->build, r->value[t]);
        }
    }
}

/* Omitted inputs at the end are no arguments. */
static uint32_t tfl_given(tfl_reader *r, const tfl_vector *list)
{
    uint32_t n = list->n;
    while (n > 0u && tfl_number(&r->file, list, n - 1u) < 0) {
        n--;
    }
    return n;
}

static int tfl_has_state(const tfl_operator *o)
{
    switch (o->code) {
    case 16: /* LSTM */
    case 24: /* RNN */
    case 27: /* SVDF */
    case 35: /* UNIDIRECTIONAL_SEQUENCE_RNN */
    case 44: /* UNIDIRECTIONAL_SEQUENCE_LSTM */
    case 52: /* BIDIRECTIONAL_SEQUENCE_LSTM */
    case TFL_CUSTOM:
        return 1;
    default:
        return 0;
    }
}

/* An operator writes the state tensors that it reads. */
static void tfl_attr_mutates(tfl_reader *r, const tfl_operator *o)
{
    tfl_writer *w = tfl_begin(r);
    uint32_t i;
    for (i = 0; i < o->inputs.n && tfl_has_state(o); i++) {
        int32_t const index = tfl_index(&r->file, &r->graph, &o->inputs, i);
        if (index >= 0) {
            tfl_table const t = tfl_element(&r->file, &r->graph.tensors, (uint32_t)index);
            if (tfl_u8(&r->file, &t, TFL_TENSOR_VARIABLE) != 0u) {
                tfl_puts(w, w->size == 0u ? "" : ",");
                tfl_put_number(w, i);
            }
        }
    }
    if (w->size != 0u) {
        gsp_build_attr(&r->build, gsp_str_of("mutates"), tfl_written(w));
    }
}

static void tfl_attr_graphs(tfl_reader *r, const tfl_operator *o)
{
    uint32_t i;
    for (i = 0; i < TFL_CALLS; i++) {
        uint32_t const g = tfl_called(&r->file, &r->model, o, &tfl_calls[i]);
        if (g != GSP_NONE) {
            const tfl_name *e = &r->names.entries[r->graph_names[g]];
            gsp_str name;
            name.data = r->names.chars + e->begin;
            name.size = e->size;
            gsp_build_attr(&r->build, gsp_str_of(tfl_calls[i].key), name);
        }
    }
}

/* ---- trips of loops whose counter is compared with a constant ---- */

#ifndef TFLITE_NO_TRIPS

#define TFL_MOST_SEEN  4096u /* operators of a subgraph, elements of a list */
#define TFL_MOST_TRIPS 64    /* of a counter that is multiplied */

/* A WHILE operator, its condition and its body. */
typedef struct tfl_loop {
    const tfl_model *model;
    const tfl_subgraph *outside;
    const tfl_operator *op;
    tfl_subgraph cond;
    tfl_subgraph body;
} tfl_loop;

/* The operator of a subgraph that yields a tensor; 0 if there is none. */
static int tfl_producer(
    tfl_file *f, const tfl_model *m, const tfl_subgraph *g, int32_t tensor, tfl_operator *o)
{
    uint32_t i;
    uint32_t k;
    for (i = g->operators.n < TFL_MOST_SEEN ? g->operators.n : 0u; i > 0 && tfl_ok(f); i--) {
        *o = tfl_operator_open(f, m, g, i - 1u);
        for (k = 0; k < o->outputs.n && k < TFL_MOST_SEEN && tfl_ok(f); k++) {
            if (tfl_number(f, &o->outputs, k) == tensor) {
                return tensor >= 0 && tfl_ok(f);
            }
        }
    }
    return 0;
}

/* The place of a tensor in a list; GSP_NONE if it is not in it. */
static uint32_t tfl_place(tfl_file *f, const tfl_vector *list, int32_t tensor)
{
    uint32_t i = list->n < TFL_MOST_SEEN ? 0u : list->n;
    while (i < list->n && tfl_number(f, list, i) != tensor) {
        i++;
    }
    return i < list->n ? i : GSP_NONE;
}

/* A constant of one element of 32 or 64 bits. */
static int tfl_constant(
    tfl_file *f, const tfl_model *m, const tfl_subgraph *g, int32_t tensor, int64_t *value)
{
    tfl_table const t = tensor >= 0 && (uint32_t)tensor < g->tensors.n
                            ? tfl_element(f, &g->tensors, (uint32_t)tensor)
                            : tfl_no_table();
    uint32_t const buffer = tfl_u32(f, &t, TFL_TENSOR_BUFFER);
    uint32_t const type = tfl_u8(f, &t, TFL_TENSOR_TYPE);
    tfl_table const b = buffer != 0u && buffer < m->buffers.n ? tfl_element(f, &m->buffers, buffer)
                                                              : tfl_no_table();
    tfl_vector const data = tfl_vector_of(f, &b, TFL_BUFFER_DATA, 1);
    if (!tfl_ok(f) || (type != 2u && type != 4u) || data.n != (type == 2u ? 4u : 8u)) {
        return 0;
    }
    if (type == 2u) {
        *value = tfl_i32_at(f, data.at);
        return 1;
    }
    *value = (int64_t)tfl_u32_at(f, data.at) | (int64_t)tfl_i32_at(f, data.at + 4u) * 4294967296;
    return 1;
}

/* The value that a carried tensor has before the loop. */
static int tfl_initial(tfl_file *f, const tfl_loop *loop, uint32_t i, int64_t *value)
{
    return i < loop->op->inputs.n &&
           tfl_constant(f, loop->model, loop->outside, tfl_number(f, &loop->op->inputs, i), value);
}

/* A value of the condition that no trip changes. */
static int tfl_invariant(tfl_file *f, const tfl_loop *loop, int32_t tensor, int64_t *value)
{
    uint32_t const i = tfl_place(f, &loop->cond.inputs, tensor);
    if (i == GSP_NONE) {
        return tfl_constant(f, loop->model, &loop->cond, tensor, value);
    }
    return i < loop->body.inputs.n && i < loop->body.outputs.n &&
           tfl_number(f, &loop->body.inputs, i) == tfl_number(f, &loop->body.outputs, i) &&
           tfl_initial(f, loop, i, value);
}

/* What the body does with a counter: adds a constant, or multiplies by it. */
static int tfl_step(tfl_file *f, const tfl_loop *loop, uint32_t i, int64_t *by, int *multiplies)
{
    tfl_operator o;
    int32_t counter;
    int second;
    if (i >= loop->body.inputs.n || i >= loop->body.outputs.n ||
        !tfl_producer(f, loop->model, &loop->body, tfl_number(f, &loop->body.outputs, i), &o) ||
        o.inputs.n != 2u || (o.code != TFL_ADD && o.code != TFL_SUB && o.code != TFL_MUL)) {
        return 0;
    }
    counter = tfl_number(f, &loop->body.inputs, i);
    second = tfl_number(f, &o.inputs, 1) == counter;
    if (tfl_number(f, &o.inputs, second ? 1u : 0u) != counter || (second && o.code == TFL_SUB) ||
        !tfl_constant(
            f, loop->model, &loop->body, tfl_number(f, &o.inputs, second ? 0u : 1u), by)) {
        return 0;
    }
    *by = o.code == TFL_SUB ? -*by : *by;
    *multiplies = o.code == TFL_MUL;
    return 1;
}

/* Trips while `first` stays below `end`; 0 where that is not known. */
static int tfl_count_trips(int64_t first, int64_t end, int64_t by, int multiplies, uint64_t *trips)
{
    int64_t const most = INT64_MAX / 4;
    *trips = 0;
    if (first > most || first < -most || end > most || end < -most || by > most || by < -most) {
        return 0;
    }
    if (!multiplies) {
        *trips = first >= end || by <= 0 ? 0u : (uint64_t)((end - first + by - 1) / by);
        return first >= end || by > 0;
    }
    for (; first < end && *trips < TFL_MOST_TRIPS; ++*trips) {
        if (by < 2 || first < 1 || first > most / by) {
            return 0;
        }
        first *= by;
    }
    return first >= end;
}

/* Trips by the comparison that yields a tensor of the condition. */
static int tfl_trips_by(tfl_file *f, const tfl_loop *loop, const tfl_operator *o, uint64_t *trips)
{
    int const less = o->code == TFL_LESS || o->code == TFL_LESS_EQUAL;
    int const equal = o->code == TFL_LESS_EQUAL || o->code == TFL_GREATER_EQUAL;
    int64_t first;
    int64_t end;
    int64_t by;
    int multiplies = 0;
    int swapped = 0;
    for (; swapped < 2 && o->inputs.n == 2u; swapped++) {
        int32_t const counter = tfl_number(f, &o->inputs, swapped ? 1u : 0u);
        uint32_t const i = tfl_place(f, &loop->cond.inputs, counter);
        if (i != GSP_NONE && tfl_initial(f, loop, i, &first) &&
            tfl_invariant(f, loop, tfl_number(f, &o->inputs, swapped ? 0u : 1u), &end) &&
            tfl_step(f, loop, i, &by, &multiplies)) {
            int const rises = less != swapped; /* the counter is below the other value */
            if (rises) {
                return tfl_count_trips(first, equal ? end + 1 : end, by, multiplies, trips);
            }
            return !multiplies && by != INT64_MIN && end != INT64_MIN && first != INT64_MIN &&
                   tfl_count_trips(-first, equal ? 1 - end : -end, -by, 0, trips);
        }
    }
    return 0;
}

/* Trips of the loop; two comparisons may be joined by a LOGICAL_AND. */
static int tfl_trips(tfl_file *f, const tfl_loop *loop, uint64_t *trips)
{
    tfl_operator o;
    uint64_t other;
    uint32_t i;
    if (loop->cond.outputs.n != 1u ||
        !tfl_producer(f, loop->model, &loop->cond, tfl_number(f, &loop->cond.outputs, 0), &o)) {
        return 0;
    }
    if (o.code != TFL_LOGICAL_AND) {
        return (o.code == TFL_LESS || (o.code >= TFL_GREATER && o.code <= TFL_LESS_EQUAL)) &&
               tfl_trips_by(f, loop, &o, trips);
    }
    *trips = UINT64_MAX;
    for (i = 0; i < 2u; i++) {
        tfl_operator part;
        if (o.inputs.n != 2u ||
            !tfl_producer(f, loop->model, &loop->cond, tfl_number(f, &o.inputs, i), &part) ||
            !(part.code == TFL_LESS || (part.code >= TFL_GREATER && part.code <= TFL_LESS_EQUAL)) ||
            !tfl_trips_by(f, loop, &part, &other)) {
            return 0;
        }
        *trips = other < *trips ? other : *trips;
    }
    return 1;
}

static void tfl_attr_trips(tfl_reader *r, const tfl_operator *o)
{
    uint32_t const here = r->file.subgraph;
    uint32_t graphs[2] = {GSP_NONE, GSP_NONE};
    uint64_t trips = 0;
    tfl_loop loop;
    uint32_t i;
    for (i = 0; i < TFL_CALLS && o->code == TFL_WHILE; i++) {
        uint32_t const g = tfl_called(&r->file, &r->model, o, &tfl_calls[i]);
        graphs[tfl_calls[i].key[0] == 'b'] = g != GSP_NONE ? g : graphs[tfl_calls[i].key[0] == 'b'];
    }
    if (graphs[0] == GSP_NONE || graphs[1] == GSP_NONE) {
        return;
    }
    loop.model = &r->model;
    loop.outside = &r->graph;
    loop.op = o;
    loop.cond = tfl_subgraph_open(&r->file, &r->model, graphs[0]);
    loop.body = tfl_subgraph_open(&r->file, &r->model, graphs[1]);
    if (tfl_trips(&r->file, &loop, &trips)) {
        tfl_attr_number(r, "trips", trips);
    }
    r->file.subgraph = here;
}
#else

/* Without the code that counts them, no loop has trips=. */
static void tfl_attr_trips(const tfl_reader *r, const tfl_operator *o)
{
    (void)r;
    (void)o;
}
#endif

/* The type of a call: a tensor, a tuple of them, or none. */
static void tfl_type_outputs(tfl_reader *r, const tfl_operator *o)
{
    uint64_t bytes = 0;
    int wanted = 0;
    uint32_t i;
    if (o->outputs.n == 1u) {
        tfl_type_of(r, tfl_index(&r->file, &r->graph, &o->outputs, 0));
        return;
    }
    tfl_puts(tfl_begin(r), o->outputs.n == 0u ? "none" : "tuple(");
    for (i = 0; i < o->outputs.n && tfl_ok(&r->file); i++) {
        int32_t const index = tfl_index(&r->file, &r->graph, &o->outputs, i);
        size_t before;
        tfl_puts(&r->text, i == 0u ? "" : ", ");
        before = r->text.size;
        if (index >= 0) {
            tfl_tensor const t = tfl_tensor_open(&r->file, &r->model, &r->graph, (uint32_t)index);
            tfl_put_type(&r->text, &r->file, &t);
            wanted |= tfl_wants_bytes(&t);
            if (t.bytes > UINT64_MAX - bytes) {
                tfl_fail(&r->file, GSP_STATUS_OVERFLOW, o->table.at,
                    "the outputs of an operator have more than 2^64 bytes");
                return;
            }
            bytes += t.bytes;
        }
        tfl_puts(&r->text, r->text.size == before ? "any" : "");
    }
    tfl_puts(&r->text, o->outputs.n == 0u ? "" : ")");
    tfl_type_text(r);
    if (wanted) {
        tfl_attr_number(r, "bytes", bytes);
    }
}

static void tfl_read_elements(tfl_reader *r, const tfl_operator *o, gsp_node tuple)
{
    uint32_t i;
    for (i = 0; i < o->outputs.n && tfl_ok(&r->file); i++) {
        int32_t const index = tfl_index(&r->file, &r->graph, &o->outputs, i);
        gsp_node node;
        tfl_puts(tfl_begin(r), "getitem");
        node = tfl_node(r, GSP_OP_CALL_FUNCTION, tfl_node_name(r), GSP_KEY_GETITEM,
            index < 0 ? GSP_NONE : (uint32_t)index);
        gsp_build_arg_node(&r->build, tuple);
        tfl_put_number(tfl_begin(r), i);
        gsp_build_constant(&r->build, tfl_written(&r->text));
        tfl_type_of(r, index);
        if (index >= 0) {
            r->value[index] = node;
        }
    }
}

/* A value as the keyword argument of the current node. */
static void tfl_keyword(tfl_reader *r, const tfl_value *v)
{
    int const is_list = v->list.n != 0u || v->n > 1u;
    uint32_t i;
    gsp_build_key(&r->build, gsp_str_of(v->key));
    if (!is_list) {
        tfl_put_value(tfl_begin(r), &r->file, v);
        gsp_build_constant(&r->build, tfl_written(&r->text));
        return;
    }
    gsp_build_open(&r->build, GSP_ARG_LIST);
    for (i = 0; i < v->n; i++) {
        tfl_put_int(tfl_begin(r), tfl_value_at(&r->file, v, i));
        gsp_build_constant(&r->build, tfl_written(&r->text));
    }
    gsp_build_close(&r->build);
}

/* The attributes of an operator, as this reading has them. */
static void tfl_read_attributes(tfl_reader *r, const tfl_operator *o, tflite_attributes how)
{
    tfl_value values[TFL_ATTRIBUTES];
    uint32_t n;
    uint32_t i;
    if (r->attributes != how) {
        return;
    }
    tfl_attributes(&r->file, &r->graph, o, values, &n);
    for (i = 0; i < n && tfl_ok(&r->file); i++) {
        if (how == TFLITE_KEYWORDS) {
            tfl_keyword(r, &values[i]);
        } else {
            tfl_put_value(tfl_begin(r), &r->file, &values[i]);
            gsp_build_attr(&r->build, gsp_str_of(values[i].key), tfl_written(&r->text));
        }
    }
}

static void tfl_read_operator(tfl_reader *r, uint32_t i)
{
    tfl_operator const o = tfl_operator_open(&r->file, &r->model, &r->graph, i);
    gsp_atom name;
    gsp_node node;
    tfl_read_uses(r, &o.inputs);
    if (!tfl_ok(&r->file)) {
        return;
    }
    tfl_put_operator(tfl_begin(r), &o, 1);
    name = tfl_node_name(r);
    tfl_puts(tfl_begin(r), "tflite.");
    tfl_put_operator(&r->text, &o, 0);
    node = tfl_node(
        r, GSP_OP_CALL_FUNCTION, name, gsp_build_atom(&r->build, tfl_written(&r->text)), i);
    tfl_args(r, &o.inputs, tfl_given(r, &o.inputs));
    tfl_read_attributes(r, &o, TFLITE_KEYWORDS);
    tfl_type_outputs(r, &o);
    tfl_read_attributes(r, &o, TFLITE_ANNOTATIONS);
    tfl_attr_mutates(r, &o);
    tfl_attr_graphs(r, &o);
    tfl_attr_trips(r, &o);
    if (o.outputs.n != 1u) {
        tfl_read_elements(r, &o, node);
    } else if (tfl_index(&r->file, &r->graph, &o.outputs, 0) >= 0) {
        r->value[tfl_index(&r->file, &r->graph, &o.outputs, 0)] = node;
    }
}

static void tfl_read_outputs(tfl_reader *r)
{
    uint32_t const n = r->graph.outputs.n;
    tfl_read_uses(r, &r->graph.outputs);
    r->item[r->n_items++] = GSP_NONE;
    (void)gsp_build_output(&r->build);
    if (n != 1u) {
        gsp_build_open(&r->build, GSP_ARG_TUPLE);
    }
    tfl_args(r, &r->graph.outputs, n);
    if (n != 1u) {
        gsp_build_close(&r->build);
    }
}

static void tfl_read_graph(tfl_reader *r, uint32_t g)
{
    const tfl_name *e = &r->names.entries[r->graph_names[g]];
    gsp_str name;
    uint32_t i;
    name.data = r->names.chars + e->begin;
    name.size = e->size;
    r->graph_id = g;
    r->graph = tfl_subgraph_open(&r->file, &r->model, g);
    gsp_build_graph(&r->build, name);
    for (i = 0; i < r->graph.tensors.n; i++) {
        r->value[i] = GSP_NONE;
    }
    for (i = 0; i < r->graph.inputs.n && tfl_ok(&r->file); i++) {
        tfl_read_input(r, (uint32_t)tfl_number(&r->file, &r->graph.inputs, i));
    }
    for (i = 0; i < r->graph.operators.n && tfl_ok(&r->file); i++) {
        tfl_read_operator(r, i);
    }
    if (tfl_ok(&r->file)) {
        tfl_read_outputs(r);
    }
}

/* Graphs get names first, since operators name later graphs. */
static void tfl_read_names(tfl_reader *r)
{
    uint32_t g;
    for (g = 0; g < r->model.subgraphs.n; g++) {
        tfl_subgraph const s = tfl_subgraph_open(&r->file, &r->model, g);
        gsp_str const name = tfl_text_of(&r->file, &s.table, TFL_SUBGRAPH_NAME);
        if (g == 0u) {
            tfl_puts(tfl_begin(r), "main");
        } else if (name.size != 0u) {
            tfl_put_path(tfl_begin(r), name, '_');
        } else {
            tfl_puts(tfl_begin(r), "subgraph_");
            tfl_put_number(&r->text, g);
        }
        tfl_name_free(&r->names, &r->text, TFL_SPACE_GRAPHS);
        r->graph_names[g] =
            r->names.slots[tfl_slot(&r->names, TFL_SPACE_GRAPHS, tfl_written(&r->text))] - 1u;
    }
}

/* ---- memory ---- */

/* The room that reading takes besides the builder; over no arena, it only counts. */
static size_t tfl_array(
    gsp_arena *arena, size_t used, int low, size_t count, size_t size, void **out)
{
    size_t const most = SIZE_MAX - GSP_GAP - GSP_ALIGN;
    *out = NULL;
    if (used == SIZE_MAX || (count != 0u && size > (most - GSP_ALIGN) / count) ||
        count * size > most - used) {
        return SIZE_MAX;
    }
    if (arena != NULL) {
        *out = low ? gsp_arena_push(arena, count, size) : gsp_arena_push_high(arena, count, size);
    }
    return used + GSP_BOUND_ARRAY(count, size);
}

static size_t tfl_layout(gsp_arena *arena, const tflite_counts *c, tfl_reader *r)
{
    uint32_t const slots = tfl_slots(c->names);
    void *p;
    size_t used = tfl_array(arena, 0, 1, c->module.nodes, sizeof(uint32_t), &p);
    r->item = (uint32_t *)p;
    used = tfl_array(arena, used, 0, c->tensors, sizeof(uint32_t), &p);
    r->value = (uint32_t *)p;
    used = tfl_array(arena, used, 0, c->subgraphs, sizeof(uint32_t), &p);
    r->graph_names = (uint32_t *)p;
    used = tfl_array(arena, used, 0, c->names, sizeof(tfl_name), &p);
    r->names.entries = (tfl_name *)p;
    used = tfl_array(arena, used, 0, slots, sizeof(uint32_t), &p);
    r->names.slots = (uint32_t *)p;
    used = tfl_array(arena, used, 0, c->bytes, 1u, &p);
    r->names.chars = (char *)p;
    used = tfl_array(arena, used, 0, c->widest, 1u, &p);
    r->text.out = (char *)p;
    r->text.room = c->widest;
    r->names.n_slots = r->names.slots == NULL ? 0u : slots;
    return used;
}

size_t tflite_bound(const tflite_counts *counts)
{
    tfl_reader unused;
    size_t own;
    size_t build;
    if (counts == NULL) {
        return SIZE_MAX;
    }
    own = tfl_layout(NULL, counts, &unused);
    build = gsp_build_bound(&counts->module);
    return own > SIZE_MAX - 64u || build > SIZE_MAX - 64u - own ? SIZE_MAX : own + build + 64u;
}

/* ---- reading ---- */

/* A model that was read, with a view on its file. */
typedef struct tfl_view {
    tfl_file file;
    tflite_error err;
    tfl_model model;
    tfl_subgraph graph;
} tfl_view;

static void tfl_view_open(tfl_view *v, const tflite_model *model)
{
    tfl_file_open(&v->file, model->data, model->size, &v->err);
    v->model = tfl_model_open(&v->file);
}

/* The tensor that a node yields; GSP_NONE if none or several. */
static uint32_t tfl_yields(
    tfl_view *v, const tflite_model *model, const gsp_graph *graph, gsp_node node)
{
    uint32_t const item = model->item[graph->first + node];
    int const element = model->module.target[graph->first + node] == (gsp_atom)GSP_KEY_GETITEM;
    tfl_operator o;
    if (item == GSP_NONE || element || !gsp_node_is_callable(graph, node)) {
        return item;
    }
    o = tfl_operator_open(&v->file, &v->model, &v->graph, item);
    return o.outputs.n == 1u ? (uint32_t)tfl_number(&v->file, &o.outputs, 0) : GSP_NONE;
}

static int tfl_is_unknown(const tfl_tensor *t)
{
    return t->dtype == NULL;
}

static int tfl_is_unshaped(const tfl_tensor *t)
{
    return t->unshaped;
}

static void tfl_count_facts(tfl_view *v, tflite_model *model, const gsp_graph *graph)
{
    gsp_node node;
    uint32_t i;
    for (node = 0; node < graph->n_nodes; node++) {
        uint32_t const index = tfl_yields(v, model, graph, node);
        if (index != GSP_NONE) {
            tfl_tensor const t = tfl_tensor_open(&v->file, &v->model, &v->graph, index);
            model->n_unshaped += tfl_is_unshaped(&t) ? 1u : 0u;
            model->n_untyped += tfl_is_unknown(&t) ? 1u : 0u;
        }
    }
    for (i = 0; i < v->graph.operators.n; i++) {
        tfl_operator const o = tfl_operator_open(&v->file, &v->model, &v->graph, i);
        model->n_custom += o.code == TFL_CUSTOM ? 1u : 0u;
        model->n_unknown += o.code >= TFL_BUILTINS ? 1u : 0u;
    }
    model->n_operators += v->graph.operators.n;
}

static void tfl_read_facts(tflite_model *model)
{
    tfl_view v;
    uint32_t g;
    tfl_view_open(&v, model);
    model->version = tfl_u32(&v.file, &v.model.root, TFL_MODEL_VERSION);
    model->n_signatures = tfl_vector_of(&v.file, &v.model.root, TFL_MODEL_SIGNATURES, 4).n;
    model->n_operators = 0;
    model->n_custom = 0;
    model->n_unknown = 0;
    model->n_unshaped = 0;
    model->n_untyped = 0;
    for (g = 0; g < model->module.counts.graphs; g++) {
        gsp_graph const graph = gsp_module_graph(&model->module, g);
        v.graph = tfl_subgraph_open(&v.file, &v.model, g);
        tfl_count_facts(&v, model, &graph);
    }
}

static void tfl_read_module(
    tfl_reader *r, const tflite_counts *counts, gsp_arena *arena, tflite_model *model)
{
    gsp_error err;
    uint32_t g;
    (void)tfl_layout(arena, counts, r);
    for (g = 0; g < r->names.n_slots; g++) {
        r->names.slots[g] = 0;
    }
    r->names.n = 0;
    r->names.n_chars = 0;
    r->n_items = 0;
    r->text.size = 0;
    if (gsp_build_init(&r->build, arena, &counts->module, &err) != GSP_OK) {
        tfl_fail(&r->file, err.status, TFLITE_NOWHERE, gsp_detail_text(err.detail));
        return;
    }
    r->model = tfl_model_open(&r->file);
    tfl_read_names(r);
    for (g = 0; g < r->model.subgraphs.n && tfl_ok(&r->file); g++) {
        tfl_read_graph(r, g);
    }
    r->file.subgraph = GSP_NONE;
    tfl_about(&r->file, "", GSP_NONE);
    if (tfl_ok(&r->file) && gsp_build_finish(&r->build, &model->module, &err) != GSP_OK) {
        tfl_fail(&r->file, err.status, TFLITE_NOWHERE, gsp_detail_text(err.detail));
    }
}

gsp_status tflite_read(
    gsp_arena *arena, const void *data, size_t size, tflite_model *model, tflite_error *err)
{
    return tflite_read_as(arena, data, size, TFLITE_PLAIN, model, err);
}

gsp_status tflite_read_as(gsp_arena *arena, const void *data, size_t size, tflite_attributes how,
    tflite_model *model, tflite_error *err)
{
    tflite_counts counts;
    tflite_error own;
    tfl_reader r;
    gsp_mark before;
    gsp_mark after;
    size_t bound;
    err = err != NULL ? err : &own;
    tfl_file_open(&r.file, data, size, err);
    r.attributes = how;
    if (arena == NULL || data == NULL || model == NULL) {
        tfl_fail(
            &r.file, GSP_STATUS_ARG, TFLITE_NOWHERE, "a pointer that must not be null is null");
        return GSP_STATUS_ARG;
    }
    if (tflite_count(data, size, &counts, err) != GSP_OK) {
        return err->status;
    }
    bound = tflite_bound(&counts);
    if (bound > gsp_arena_left(arena)) {
        tfl_fail(&r.file, GSP_STATUS_NOMEM, TFLITE_NOWHERE,
            "the arena holds fewer bytes than the bound");
        err->need = bound;
        err->limit = gsp_arena_left(arena);
        return GSP_STATUS_NOMEM;
    }
    before = gsp_arena_mark(arena);
    tfl_read_module(&r, &counts, arena, model);
    after = gsp_arena_mark(arena);
    after.high = before.high;
    gsp_arena_rewind(arena, err->status == GSP_OK ? after : before);
    if (err->status == GSP_OK) {
        model->item = r.item;
        model->data = (const unsigned char *)data;
        model->size = size;
        tfl_read_facts(model);
    }
    return err->status;
}

/* ---- sentences ---- */

size_t tflite_sentence(const tflite_error *err, char *out, size_t room)
{
    tfl_writer w;
    w.out = out;
    w.room = room > 0u ? room - 1u : 0u;
    w.size = 0;
    if (err->offset != TFLITE_NOWHERE) {
        tfl_puts(&w, "byte ");
        tfl_put_number(&w, err->offset);
        tfl_puts(&w, ": ");
    }
    tfl_puts(&w, err->text);
    if (err->item != GSP_NONE || err->subgraph != GSP_NONE) {
        tfl_puts(&w, " (");
        if (err->item != GSP_NONE) {
            tfl_puts(&w, err->what);
            tfl_put(&w, ' ');
            tfl_put_number(&w, err->item);
        }
        if (err->subgraph != GSP_NONE) {
            tfl_puts(&w, err->item != GSP_NONE ? " of subgraph " : "subgraph ");
            tfl_put_number(&w, err->subgraph);
        }
        tfl_put(&w, ')');
    }
    if (err->status == GSP_STATUS_NOMEM) {
        tfl_puts(&w, ": it takes ");
        tfl_put_number(&w, err->need);
        tfl_puts(&w, " bytes, and there are ");
        tfl_put_number(&w, err->limit);
    }
    if (room > 0u) {
        out[w.size] = '\0';
    }
    return w.size;
}

/* Notes go directly to the sink; the first nonzero answer ends them. */
typedef struct tfl_notes {
    gsp_sink sink;
    void *user;
    int stopped;
} tfl_notes;

static void tfl_note(tfl_notes *n, gsp_str text)
{
    if (!n->stopped && text.size != 0u) {
        n->stopped = n->sink(n->user, text.data, text.size);
    }
}

static void tfl_note_number(tfl_notes *n, uint64_t number)
{
    char digits[20];
    tfl_writer w;
    w.out = digits;
    w.room = sizeof digits;
    w.size = 0;
    tfl_put_number(&w, number);
    tfl_note(n, tfl_written(&w));
}

/* "2 tensors have no shape ...: a, b" with the names of their nodes. */
static void tfl_note_tensors(tfl_notes *n, const tflite_model *model, uint32_t count,
    const char *what, int (*is)(const tfl_tensor *))
{
    tfl_view v;
    uint32_t g;
    uint32_t found = 0;
    if (count == 0u) {
        return;
    }
    tfl_view_open(&v, model);
    tfl_note_number(n, count);
    tfl_note(n, gsp_str_of(count == 1u ? " tensor has " : " tensors have "));
    tfl_note(n, gsp_str_of(what));
    for (g = 0; g < model->module.counts.graphs; g++) {
        gsp_graph const graph = gsp_module_graph(&model->module, g);
        gsp_node node;
        v.graph = tfl_subgraph_open(&v.file, &v.model, g);
        for (node = 0; node < graph.n_nodes; node++) {
            uint32_t const index = tfl_yields(&v, model, &graph, node);
            if (index != GSP_NONE) {
                tfl_tensor const t = tfl_tensor_open(&v.file, &v.model, &v.graph, index);
                if (is(&t)) {
                    tfl_note(n, gsp_str_of(found++ == 0u ? ": " : ", "));
                    tfl_note(n, gsp_node_name(&graph, node));
                }
            }
        }
    }
    tfl_note(n, gsp_str_of("\n"));
}

static void tfl_note_operators(tfl_notes *n, const tflite_model *model)
{
    tfl_view v;
    uint32_t found = 0;
    uint32_t i;
    if (model->n_unknown == 0u) {
        return;
    }
    tfl_view_open(&v, model);
    tfl_note_number(n, model->n_unknown);
    tfl_note(n, gsp_str_of(model->n_unknown == 1u ? " operator has" : " operators have"));
    tfl_note(n, gsp_str_of(" a code newer than this reader"));
    for (i = 0; i < v.model.codes.n; i++) {
        tfl_operator o;
        tfl_code_open(&v.file, &v.model, i, &o);
        if (o.code >= TFL_BUILTINS) {
            tfl_note(n, gsp_str_of(found++ == 0u ? ": tflite.OP_" : ", tflite.OP_"));
            tfl_note_number(n, (uint64_t)o.code);
        }
    }
    tfl_note(n, gsp_str_of("\n"));
}

int tflite_notes(const tflite_model *model, gsp_sink sink, void *user)
{
    tfl_notes n;
    n.sink = sink;
    n.user = user;
    n.stopped = 0;
    tfl_note_tensors(&n, model, model->n_unshaped, "no shape and count 0 bytes", tfl_is_unshaped);
    tfl_note_tensors(&n, model, model->n_untyped,
        "an element type newer than this reader and count 0 bytes", tfl_is_unknown);
    tfl_note_operators(&n, model);
    return n.stopped;
}

/* ---- signatures ---- */

static tfl_table tfl_signature(tfl_view *v, const tflite_model *model, uint32_t i)
{
    tfl_vector all;
    tfl_view_open(v, model);
    all = tfl_vector_of(&v->file, &v->model.root, TFL_MODEL_SIGNATURES, 4);
    return i < all.n ? tfl_element(&v->file, &all, i) : tfl_no_table();
}

tflite_signature tflite_signature_at(const tflite_model *model, uint32_t index)
{
    tfl_view v;
    tfl_table const t = tfl_signature(&v, model, index);
    tflite_signature s;
    s.key = tfl_text_of(&v.file, &t, TFL_SIGNATURE_KEY);
    s.subgraph = tfl_u32(&v.file, &t, TFL_SIGNATURE_SUBGRAPH);
    s.n_inputs = tfl_vector_of(&v.file, &t, TFL_SIGNATURE_INPUTS, 4).n;
    s.n_outputs = tfl_vector_of(&v.file, &t, TFL_SIGNATURE_OUTPUTS, 4).n;
    return s;
}

static gsp_str tfl_map(
    const tflite_model *model, uint32_t index, uint32_t field, uint32_t i, uint32_t *tensor)
{
    tfl_view v;
    tfl_table const t = tfl_signature(&v, model, index);
    tfl_vector const list = tfl_vector_of(&v.file, &t, field, 4);
    tfl_table const map = i < list.n ? tfl_element(&v.file, &list, i) : tfl_no_table();
    *tensor = map.at != 0u ? tfl_u32(&v.file, &map, TFL_MAP_TENSOR) : GSP_NONE;
    return tfl_text_of(&v.file, &map, TFL_MAP_NAME);
}

gsp_str tflite_signature_input(
    const tflite_model *model, uint32_t index, uint32_t input, uint32_t *tensor)
{
    return tfl_map(model, index, TFL_SIGNATURE_INPUTS, input, tensor);
}

gsp_str tflite_signature_output(
    const tflite_model *model, uint32_t index, uint32_t output, uint32_t *tensor)
{
    return tfl_map(model, index, TFL_SIGNATURE_OUTPUTS, output, tensor);
}
