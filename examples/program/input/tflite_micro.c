/* What TensorFlow Lite Micro needs for a model: structures per tensor and operator, what the
 * reference kernels keep and borrow, and a plan across all subgraphs. The sizes are those of its
 * public sources of 2026: with pointers of 64 bits as its Python package is built (with
 * compression), with pointers of 32 bits as for a core (without). */
#include "input/input.h"

#include "algorithms/algorithms.h"

#include <string.h>

#define ALIGN     16u /* of tensors, and of what kernels keep */
#define MOST_RUNS (1u << 22)
#define NESTED    64u
#define BORROWED  8u /* buffers per operator */

/* What a kernel does beside its fixed bytes. */
typedef enum extra {
    NOTHING,
    PER_CHANNEL, /* a multiplier and a shift per channel of the filter */
    PER_CHANNEL_1X,
    TRANSPOSE_CONV,
    FULLY,
    SOFTMAX_TABLES,
    MEAN,
    REDUCE,
    MATMUL,
    MIRROR,
    POINTERS,
    ONLY_8,
    LSTM,
    SVDF,
    RFFT,
    IRFFT,
    CHANNELS_64,
    CHANNELS_32,
    FRAMER,
    STACKER,
    DELAY,
    OVERLAP
} extra;

typedef struct rule {
    const char *name;
    uint8_t options; /* bytes of parsed options */
    uint8_t options_align;
    uint16_t data; /* bytes of its data with pointers of 64 bits; 0 for none */
    uint16_t data_32;
    uint8_t extra;
} rule;

/* clang-format off */
static const rule rules[] = {
    {"ABS", 0, 1, 28, 28, NOTHING}, {"ADD", 8, 4, 60, 60, NOTHING},
    {"ADD_N", 0, 1, 0, 0, POINTERS}, {"ARG_MAX", 4, 4, 0, 0, NOTHING},
    {"ARG_MIN", 4, 4, 0, 0, NOTHING}, {"ASSIGN_VARIABLE", 0, 1, 4, 0, NOTHING},
    {"AVERAGE_POOL_2D", 40, 4, 32, 32, NOTHING}, {"BATCH_MATMUL", 3, 1, 32, 16, MATMUL},
    {"BATCH_TO_SPACE_ND", 0, 1, 0, 0, NOTHING}, {"BROADCAST_ARGS", 0, 1, 0, 0, NOTHING},
    {"BROADCAST_TO", 0, 1, 0, 0, NOTHING}, {"CALL_ONCE", 4, 4, 8, 8, NOTHING},
    {"CAST", 8, 4, 0, 0, NOTHING}, {"CEIL", 0, 1, 0, 0, NOTHING},
    {"CONCATENATION", 8, 4, 80, 24, NOTHING}, {"CONV_2D", 28, 4, 80, 56, PER_CHANNEL},
    {"COS", 0, 1, 0, 0, NOTHING}, {"CUMSUM", 2, 1, 36, 36, ONLY_8},
    {"DEPTHWISE_CONV_2D", 28, 4, 80, 56, PER_CHANNEL_1X},
    {"DEPTH_TO_SPACE", 4, 4, 0, 0, NOTHING}, {"DEQUANTIZE", 0, 1, 32, 32, NOTHING},
    {"DIV", 4, 4, 28, 28, NOTHING}, {"DYNAMIC_UPDATE_SLICE", 0, 1, 0, 0, NOTHING},
    {"ELU", 0, 1, 256, 256, NOTHING}, {"EMBEDDING_LOOKUP", 0, 1, 16, 8, NOTHING},
    {"EQUAL", 0, 1, 32, 32, NOTHING}, {"EXP", 0, 1, 0, 0, NOTHING},
    {"EXPAND_DIMS", 0, 1, 0, 0, NOTHING}, {"FILL", 0, 1, 0, 0, NOTHING},
    {"FLOOR", 0, 1, 0, 0, NOTHING}, {"FLOOR_DIV", 0, 1, 0, 0, NOTHING},
    {"FLOOR_MOD", 0, 1, 0, 0, NOTHING}, {"FULLY_CONNECTED", 16, 4, 72, 48, FULLY},
    {"GATHER", 8, 4, 0, 0, NOTHING}, {"GATHER_ND", 0, 1, 0, 0, NOTHING},
    {"GREATER", 0, 1, 32, 32, NOTHING}, {"GREATER_EQUAL", 0, 1, 32, 32, NOTHING},
    {"HARD_SWISH", 0, 1, 20, 20, NOTHING}, {"IF", 8, 4, 8, 8, NOTHING},
    {"L2_NORMALIZATION", 4, 4, 4, 4, NOTHING}, {"L2_POOL_2D", 40, 4, 0, 0, NOTHING},
    {"LEAKY_RELU", 4, 4, 24, 24, NOTHING}, {"LESS", 0, 1, 32, 32, NOTHING},
    {"LESS_EQUAL", 0, 1, 32, 32, NOTHING}, {"LOG", 0, 1, 0, 0, NOTHING},
    {"LOGICAL_AND", 0, 1, 0, 0, NOTHING}, {"LOGICAL_NOT", 0, 1, 0, 0, NOTHING},
    {"LOGICAL_OR", 0, 1, 0, 0, NOTHING}, {"LOGISTIC", 0, 1, 16, 16, NOTHING},
    {"LOG_SOFTMAX", 0, 1, 40, 28, NOTHING}, {"MAXIMUM", 0, 1, 0, 0, NOTHING},
    {"MAX_POOL_2D", 40, 4, 32, 32, NOTHING}, {"MEAN", 1, 1, 44, 44, MEAN},
    {"MINIMUM", 0, 1, 0, 0, NOTHING}, {"MIRROR_PAD", 4, 4, 20, 20, MIRROR},
    {"MUL", 4, 4, 36, 36, NOTHING}, {"NEG", 0, 1, 0, 0, NOTHING},
    {"NOT_EQUAL", 0, 1, 32, 32, NOTHING}, {"PACK", 8, 4, 0, 0, NOTHING},
    {"PAD", 0, 1, 56, 56, NOTHING}, {"PADV2", 0, 1, 56, 56, NOTHING},
    {"PRELU", 0, 1, 28, 28, NOTHING}, {"QUANTIZE", 0, 1, 32, 32, NOTHING},
    {"READ_VARIABLE", 0, 1, 0, 0, NOTHING}, {"REDUCE_ALL", 1, 1, 44, 44, REDUCE},
    {"REDUCE_MAX", 1, 1, 44, 44, REDUCE}, {"REDUCE_MIN", 1, 1, 44, 44, REDUCE},
    {"RELU", 0, 1, 28, 28, NOTHING}, {"RELU6", 0, 1, 8, 8, NOTHING},
    {"RESHAPE", 36, 4, 0, 0, NOTHING}, {"RESIZE_BILINEAR", 2, 1, 0, 0, NOTHING},
    {"RESIZE_NEAREST_NEIGHBOR", 2, 1, 0, 0, NOTHING}, {"REVERSE_V2", 0, 1, 0, 0, NOTHING},
    {"ROUND", 0, 1, 0, 0, NOTHING}, {"RSQRT", 0, 1, 28, 28, NOTHING},
    {"SELECT_V2", 0, 1, 1, 1, NOTHING}, {"SHAPE", 4, 4, 0, 0, NOTHING},
    {"SIN", 0, 1, 0, 0, NOTHING}, {"SLICE", 0, 1, 0, 0, NOTHING},
    {"SOFTMAX", 4, 4, 80, 56, SOFTMAX_TABLES}, {"SPACE_TO_BATCH_ND", 0, 1, 4, 4, NOTHING},
    {"SPACE_TO_DEPTH", 4, 4, 0, 0, NOTHING}, {"SPLIT", 4, 4, 0, 0, NOTHING},
    {"SPLIT_V", 4, 4, 0, 0, NOTHING}, {"SQRT", 0, 1, 0, 0, NOTHING},
    {"SQUARE", 0, 1, 0, 0, NOTHING}, {"SQUARED_DIFFERENCE", 0, 1, 112, 112, NOTHING},
    {"SQUEEZE", 36, 4, 0, 0, NOTHING}, {"STRIDED_SLICE", 24, 4, 84, 84, NOTHING},
    {"SUB", 8, 4, 52, 52, NOTHING}, {"SUM", 1, 1, 44, 44, MEAN}, {"SVDF", 12, 4, 36, 36, SVDF},
    {"TANH", 0, 1, 16, 16, NOTHING}, {"TRANSPOSE", 0, 1, 0, 0, NOTHING},
    {"TRANSPOSE_CONV", 20, 4, 88, 72, TRANSPOSE_CONV},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", 16, 4, 688, 688, LSTM},
    {"UNPACK", 8, 4, 0, 0, NOTHING}, {"VAR_HANDLE", 16, 8, 4, 4, NOTHING},
    {"WHILE", 8, 4, 8, 8, NOTHING}, {"ZEROS_LIKE", 0, 1, 0, 0, NOTHING},
    {"custom.SignalDelay", 0, 1, 32, 20, DELAY}, {"custom.SignalEnergy", 0, 1, 8, 8, NOTHING},
    {"custom.SignalFftAutoScale", 0, 1, 0, 0, NOTHING},
    {"custom.SignalFilterBank", 0, 1, 64, 32, CHANNELS_64},
    {"custom.SignalFilterBankLog", 0, 1, 8, 8, NOTHING},
    {"custom.SignalFilterBankSpectralSubtraction", 0, 1, 56, 44, CHANNELS_32},
    {"custom.SignalFilterBankSquareRoot", 0, 1, 0, 0, NOTHING},
    {"custom.SignalFramer", 0, 1, 40, 28, FRAMER}, {"custom.SignalIrfft", 0, 1, 32, 24, IRFFT},
    {"custom.SignalOverlapAdd", 0, 1, 32, 24, OVERLAP},
    {"custom.SignalPCAN", 0, 1, 4, 4, NOTHING}, {"custom.SignalRfft", 0, 1, 48, 32, RFFT},
    {"custom.SignalStacker", 0, 1, 56, 36, STACKER}, {"custom.SignalWindow", 0, 1, 8, 8, NOTHING},
    {"custom.CIRCULAR_BUFFER", 0, 1, 8, 8, NOTHING}};
/* clang-format on */

typedef struct tensor {
    uint64_t bytes;
    uint64_t count; /* elements */
    uint64_t first; /* scopes; `first` is NEVER before the first use */
    uint64_t last;
    uint32_t offset; /* of a plan in the file; above INT32_MAX: the interpreter places it */
    int planned;
} tensor;

#define NEVER UINT64_MAX

/* An operator, as its kernel prepares it. */
typedef struct op {
    tfl_table table;
    tfl_vector in;
    tfl_vector out;
    const rule *rule;
    gsp_str name;
    uint64_t borrowed[BORROWED];
    uint32_t n_borrowed;
    uint64_t first;
    uint64_t last;
} op;

typedef struct subgraph {
    tfl_vector tensors;
    tfl_vector operators;
    tfl_vector in;
    tfl_vector out;
    uint32_t first_tensor; /* of all of the model */
    uint32_t first_op;
} subgraph;

typedef struct work {
    cli_session *session;
    const tflite_model *model;
    cli_copier copy; /* reads */
    tfl_vector buffers;
    subgraph *graphs;
    tensor *tensors;
    op *ops;
    uint32_t *order; /* [operators and one] of each subgraph as they run */
    uint32_t n_graphs;
    uint32_t n_tensors;
    uint32_t n_ops;
    int narrow; /* pointers of 32 bits */
    uint64_t tail;
    cli_micro *out;
} work;

/* ---- the end of the arena, from which memory is taken ---- */

static void take(work *w, uint64_t bytes, uint32_t align)
{
    w->tail = (w->tail + bytes + align - 1u) / align * align;
}

static void keep(work *w, uint64_t bytes)
{
    take(w, bytes, ALIGN);
}

static uint32_t word(const work *w)
{
    return w->narrow ? 4u : 8u;
}

/* ---- tensors ---- */

static uint32_t type_bytes(uint32_t type)
{
    static const uint8_t bytes[] = {4, 2, 4, 1, 8, 0, 1, 2, 8, 1, 8, 16, 8, 0, 0, 4, 2};
    return type < CLI_COUNT(bytes) ? bytes[type] : 0u;
}

enum { FLOAT32 = 0, INT16 = 7, INT8 = 9, INT4 = 17 };

static tfl_table table_of(work *w, const subgraph *g, int32_t i)
{
    return i >= 0 && (uint32_t)i < g->tensors.n
               ? tfl_element(&w->copy.file, &g->tensors, (uint32_t)i)
               : tfl_no_table();
}

static tfl_table operand(work *w, const subgraph *g, const op *o, uint32_t i)
{
    return i < o->in.n ? table_of(w, g, tfl_number(&w->copy.file, &o->in, i)) : tfl_no_table();
}

static uint32_t type_of(work *w, const tfl_table *t)
{
    return tfl_u8(&w->copy.file, t, TFL_TENSOR_TYPE);
}

static uint64_t dim_of(work *w, const tfl_table *t, uint32_t i)
{
    tfl_vector const shape = tfl_vector_of(&w->copy.file, t, TFL_TENSOR_SHAPE, 4);
    int32_t const dim = i < shape.n ? tfl_number(&w->copy.file, &shape, i) : 0;
    return dim > 0 ? (uint64_t)dim : 0u;
}

static uint32_t rank_of(work *w, const tfl_table *t)
{
    return tfl_vector_of(&w->copy.file, t, TFL_TENSOR_SHAPE, 4).n;
}

static uint64_t count_of(work *w, const tfl_table *t)
{
    uint64_t count = 1;
    uint32_t i;
    for (i = rank_of(w, t); i > 0; i--) {
        uint64_t const dim = dim_of(w, t, i - 1u);
        count = dim == 0 || count > UINT32_MAX ? 0u : count * dim;
    }
    return count;
}

static uint32_t channels_of(work *w, const tfl_table *t)
{
    tfl_table const q = tfl_table_of(&w->copy.file, t, TFL_TENSOR_QUANTIZATION);
    return tfl_vector_of(&w->copy.file, &q, TFL_QUANT_SCALE, 4).n;
}

/* Whether the file holds its values. */
static int is_constant(work *w, const tfl_table *t)
{
    tfl_file *f = &w->copy.file;
    uint32_t const i = tfl_u32(f, t, TFL_TENSOR_BUFFER);
    tfl_table const b = i < w->buffers.n ? tfl_element(f, &w->buffers, i) : tfl_no_table();
    return tfl_vector_of(f, &b, TFL_BUFFER_DATA, 1).n != 0 ||
           tfl_u64(f, &b, TFL_BUFFER_OFFSET) > 1u;
}

static void read_tensor(work *w, const subgraph *g, uint32_t i)
{
    tfl_table const t = tfl_element(&w->copy.file, &g->tensors, i);
    tensor *to = &w->tensors[g->first_tensor + i];
    to->count = count_of(w, &t);
    to->bytes =
        type_of(w, &t) == INT4 ? (to->count + 1u) / 2u : to->count * type_bytes(type_of(w, &t));
    to->first = NEVER;
    to->offset = UINT32_MAX;
    to->planned = to->bytes != 0 && !is_constant(w, &t) &&
                  tfl_u8(&w->copy.file, &t, TFL_TENSOR_VARIABLE) == 0;
}

/* ---- options of custom operators: a FlexBuffer with a map, by falling names ---- */

static uint64_t flex_number(const unsigned char *p, uint32_t bytes)
{
    uint64_t number = 0;
    while (bytes > 0) {
        number = number << 8 | p[--bytes];
    }
    return number;
}

/* The value of an entry of the map, in the order of names; 0 if there is none. */
static uint64_t flex_entry(work *w, const op *o, uint32_t i)
{
    tfl_vector const v = tfl_vector_of(&w->copy.file, &o->table, TFL_OPERATOR_CUSTOM_OPTIONS, 1);
    const unsigned char *p = w->copy.file.data + v.at;
    uint32_t const root = v.n > 2u ? p[v.n - 1u] : 0u; /* bytes of the offset of the map */
    uint32_t width;
    uint64_t back;
    uint64_t at;
    if (root == 0 || root > 8u || v.n < root + 2u) {
        return 0;
    }
    width = 1u << (p[v.n - 2u] & 3u);
    back = flex_number(p + v.n - 2u - root, root);
    at = v.n - 2u - root;
    if (back > at || at - back < width || i >= flex_number(p + at - back - width, width) ||
        at - back + ((uint64_t)i + 1u) * width > v.n) {
        return 0;
    }
    return flex_number(p + at - back + (uint64_t)i * width, width);
}

/* ---- kernels ---- */

static void borrow(op *o, uint64_t bytes)
{
    o->borrowed[o->n_borrowed++] = bytes;
}

static void per_channel(work *w, uint64_t channels)
{
    keep(w, channels * 4u);
    keep(w, channels * 4u);
}

/* A copy of a matrix, transposed. */
static void keep_transposed(work *w, const subgraph *g, const op *o, uint32_t i)
{
    tfl_table const t = operand(w, g, o, i);
    keep(w, w->narrow ? 12u : 24u);
    keep(w, 4u + 4u * rank_of(w, &t));
    keep(w, count_of(w, &t) * type_bytes(type_of(w, &t)));
}

static void prepare_matmul(work *w, const subgraph *g, const op *o)
{
    tfl_table const lhs = operand(w, g, o, 0);
    tfl_table const options = tfl_table_of(&w->copy.file, &o->table, TFL_OPERATOR_OPTIONS);
    if (type_of(w, &lhs) != FLOAT32) {
        keep(w, 28);
    }
    if (tfl_u8(&w->copy.file, &options, 0) != 0) {
        keep_transposed(w, g, o, 0);
    }
    if (tfl_u8(&w->copy.file, &options, 1) == 0) {
        keep_transposed(w, g, o, 1);
    }
}

/* A complex FFT of half the length, its twiddles, and those that make it real. */
static uint64_t fft_bytes(const work *w, uint64_t length, uint32_t scalar)
{
    uint64_t const half = length / 2u;
    uint64_t const complex = 2u * (uint64_t)scalar;
    return (w->narrow ? 12u : 24u) + 264u + half * complex + complex * (half * 3u / 2u);
}

static uint64_t ring_bytes(const work *w, uint64_t capacity)
{
    return (w->narrow ? 24u : 40u) + 4u * capacity;
}

/* A ring buffer per row. */
static void keep_rings(work *w, const subgraph *g, const op *o, uint64_t capacity)
{
    tfl_table const t = operand(w, g, o, 0);
    uint32_t const rank = rank_of(w, &t);
    uint64_t const inner = rank != 0 ? dim_of(w, &t, rank - 1u) : 0u;
    uint64_t rows = inner != 0 ? count_of(w, &t) / inner : 0u;
    capacity += o->rule->extra == DELAY ? inner : 0u;
    keep(w, rows * word(w));
    keep(w, rows * word(w));
    for (rows = rows < UINT16_MAX ? rows : 0u; rows > 0; rows--) {
        keep(w, ring_bytes(w, capacity));
    }
}

static void keep_overlaps(work *w, const subgraph *g, const op *o)
{
    tfl_table const t = operand(w, g, o, 0);
    uint32_t const rank = rank_of(w, &t);
    uint64_t const frame = rank > 1u ? dim_of(w, &t, rank - 1u) * dim_of(w, &t, rank - 2u) : 0u;
    uint64_t rows = frame != 0 ? count_of(w, &t) / frame : 0u;
    keep(w, rows * word(w));
    for (rows = rows < UINT16_MAX ? rows : 0u; rows > 0; rows--) {
        keep(w, dim_of(w, &t, rank - 1u) * type_bytes(type_of(w, &t)));
    }
}

static void prepare_signal(work *w, const subgraph *g, op *o)
{
    tfl_table const t = operand(w, g, o, 0);
    uint64_t const size = flex_entry(w, o, 0);
    uint64_t const step = flex_entry(w, o, 1);
    switch ((extra)o->rule->extra) {
    case RFFT:
        keep(w, fft_bytes(w, step, type_bytes(type_of(w, &t))));
        borrow(o, step * type_bytes(type_of(w, &t)));
        return;
    case IRFFT:
        keep(w, fft_bytes(w, step, type_bytes(type_of(w, &t))));
        return;
    case CHANNELS_64:
        keep(w, (size + 1u) * 8u);
        return;
    case CHANNELS_32:
        keep(w, flex_entry(w, o, 4) * 4u);
        return;
    case FRAMER:
        keep_rings(w, g, o, step != 0 ? (size + step - 1u) / step * step + step : 0u);
        return;
    case DELAY:
        keep_rings(w, g, o, size);
        return;
    case STACKER:
        keep(w, ring_bytes(w, size * (step + flex_entry(w, o, 2) + 1u)));
        return;
    default:
        keep_overlaps(w, g, o);
        return;
    }
}

/* Buffers of a reduction: sums of results of 8 and 16 bits, and positions. */
static void prepare_reduce(work *w, const subgraph *g, op *o)
{
    tfl_table const t = operand(w, g, o, 0);
    tfl_table const axes = operand(w, g, o, 1);
    tfl_table const made =
        o->out.n != 0 ? table_of(w, g, tfl_number(&w->copy.file, &o->out, 0)) : tfl_no_table();
    uint32_t const type = type_of(w, &t);
    if (o->rule->extra == MEAN && (type == INT8 || type == INT16)) {
        borrow(o, count_of(w, &made) * 4u);
    }
    borrow(o, 4u * (uint64_t)rank_of(w, &t));
    borrow(o, 4u * count_of(w, &axes));
}

/* State and gates of a recurrent cell. */
static void prepare_state(work *w, const subgraph *g, op *o)
{
    tfl_table const t = operand(w, g, o, 0);
    tfl_table const made =
        o->out.n != 0 ? table_of(w, g, tfl_number(&w->copy.file, &o->out, 0)) : tfl_no_table();
    if (o->rule->extra == SVDF) {
        tfl_table const weights = operand(w, g, o, 1);
        borrow(o, dim_of(w, &made, 0) * dim_of(w, &weights, 0) * 4u);
        if (type_of(w, &t) != FLOAT32) {
            borrow(o, count_of(w, &made) * 4u);
        }
        return;
    }
    {
        tfl_table const cell = operand(w, g, o, 19);
        uint64_t const bytes = count_of(w, &cell) * type_bytes(type_of(w, &cell));
        uint32_t i;
        for (i = 0; i < 4u; i++) {
            borrow(o, bytes);
        }
    }
}

static void prepare_conv(work *w, const subgraph *g, op *o)
{
    int const turned = o->rule->extra == TRANSPOSE_CONV;
    tfl_table const filter = operand(w, g, o, 1);
    tfl_table const t = operand(w, g, o, turned ? 2u : 0u);
    uint32_t const type = type_of(w, &t);
    per_channel(w, dim_of(w, &filter, o->rule->extra == PER_CHANNEL_1X ? 3u : 0u));
    if (turned && (type == INT8 || type == INT16)) {
        tfl_table const made =
            o->out.n != 0 ? table_of(w, g, tfl_number(&w->copy.file, &o->out, 0)) : tfl_no_table();
        tfl_table const bias = operand(w, g, o, 3);
        borrow(o, count_of(w, &made) * (type == INT8 ? 4u : 8u));
        if (type == INT16 && bias.at != 0 && type_of(w, &bias) == INT16) {
            borrow(o, count_of(w, &bias) * 8u);
        }
    } else if (!turned && type_of(w, &filter) == INT4) {
        borrow(o, count_of(w, &filter));
    }
}

static void prepare_extra(work *w, const subgraph *g, op *o)
{
    tfl_table const t = operand(w, g, o, 0);
    tfl_table const second = operand(w, g, o, 1);
    uint32_t const type = type_of(w, &t);
    switch ((extra)o->rule->extra) {
    case PER_CHANNEL:
    case PER_CHANNEL_1X:
    case TRANSPOSE_CONV:
        prepare_conv(w, g, o);
        return;
    case FULLY:
        if (type != FLOAT32 && channels_of(w, &second) > 1u) {
            per_channel(w, channels_of(w, &second));
        }
        if (type_of(w, &second) == INT4) {
            borrow(o, count_of(w, &second));
        }
        return;
    case SOFTMAX_TABLES:
        if (type == INT16) {
            keep(w, 1026);
            keep(w, 1026);
        }
        return;
    case MEAN:
    case REDUCE:
        prepare_reduce(w, g, o);
        return;
    case MATMUL:
        prepare_matmul(w, g, o);
        return;
    case MIRROR:
        borrow(o, 4u * (uint64_t)rank_of(w, &t));
        borrow(o, 4u * (uint64_t)rank_of(w, &t));
        return;
    case POINTERS:
        borrow(o, (uint64_t)o->in.n * word(w));
        if (type == INT8) {
            keep(w, 40);
        }
        return;
    case LSTM:
    case SVDF:
        prepare_state(w, g, o);
        return;
    case NOTHING:
    case ONLY_8:
        return;
    default:
        prepare_signal(w, g, o);
        return;
    }
}

static void parse(work *w, const op *o)
{
    const rule *r = o->rule;
    if (r != NULL) {
        take(w, w->narrow && r->options_align == 8u ? r->options / 2u : r->options,
            r->options_align);
    }
}

static void prepare(work *w, const subgraph *g, op *o)
{
    tfl_table const t = operand(w, g, o, 0);
    const rule *r = o->rule;
    uint32_t data;
    o->n_borrowed = 0;
    if (r == NULL) {
        return;
    }
    data = w->narrow ? r->data_32 : r->data;
    if (data != 0 && (r->extra != ONLY_8 || type_of(w, &t) == INT8)) {
        keep(w, data);
    }
    prepare_extra(w, g, o);
}

/* ---- lifetimes: a scope per operator, and per run of a subgraph ---- */

typedef struct frame {
    uint32_t graph;
    uint32_t op;
    uint32_t at; /* of cli_copy_called() */
    int inside;  /* the operator has begun */
} frame;

static void touch(work *w, const subgraph *g, const tfl_vector *list, uint64_t scope, int begins)
{
    uint32_t i;
    for (i = 0; i < list->n; i++) {
        int32_t const at = tfl_number(&w->copy.file, list, i);
        if (at >= 0 && (uint32_t)at < g->tensors.n) {
            tensor *t = &w->tensors[g->first_tensor + (uint32_t)at];
            t->first = begins && t->first == NEVER ? scope : t->first;
            t->last = scope;
        }
    }
}

/* The next graph that an operator runs, which becomes the innermost frame. */
static int enter(work *w, frame *f, const op *o, uint64_t *scope)
{
    tfl_file *file = &w->copy.file;
    uint32_t graph = 0;
    uint32_t type = tfl_u8(file, &o->table, TFL_OPERATOR_OPTIONS_TYPE);
    tfl_table options = tfl_table_of(file, &o->table, TFL_OPERATOR_OPTIONS);
    uint32_t kind = (uint32_t)CLI_KIND_OPTIONS + type;
    if (type == 0) {
        type = tfl_u8(file, &o->table, TFL_OPERATOR_OPTIONS2_TYPE);
        options = tfl_table_of(file, &o->table, TFL_OPERATOR_OPTIONS2);
        kind = (uint32_t)CLI_KIND_OPTIONS2 + type;
    }
    if (type == 0 || !cli_copy_called(&w->copy, &options, kind, &f->at, &graph) ||
        graph >= w->n_graphs) {
        return 0;
    }
    f[1].graph = graph;
    f[1].op = f[1].at = 0;
    f[1].inside = 0;
    ++*scope;
    touch(w, &w->graphs[graph], &w->graphs[graph].in, *scope, 1);
    return 1;
}

/* One operator begins, or ends after the graphs that it runs. Returns the change of depth. */
static int step(work *w, frame *f, uint64_t *scope)
{
    const subgraph *g = &w->graphs[f->graph];
    op *o = &w->ops[w->order[g->first_op + f->op]];
    if (f->op == g->operators.n) {
        touch(w, g, &g->out, *scope, 1);
        return -1;
    }
    if (!f->inside) {
        ++*scope;
        touch(w, g, &o->out, *scope, 1);
        o->first = o->first == NEVER ? *scope : o->first;
        f->inside = 1;
        f->at = 0;
    }
    if (enter(w, f, o, scope)) {
        return 1;
    }
    touch(w, g, &o->in, *scope, 0);
    touch(w, g, &o->out, *scope, 1);
    o->last = *scope;
    f->inside = 0;
    f->op++;
    return 0;
}

/* Returns 0 if the runs are too many or too deep to follow. */
static int walk(work *w)
{
    frame stack[NESTED + 1u];
    uint32_t depth = 1;
    uint64_t scope = 0;
    memset(stack, 0, sizeof stack);
    touch(w, &w->graphs[0], &w->graphs[0].in, 0, 1);
    while (depth > 0 && depth < NESTED && scope < MOST_RUNS) {
        int const change = step(w, &stack[depth - 1u], &scope);
        depth = change > 0 ? depth + 1u : depth - (change < 0 ? 1u : 0u);
    }
    return depth == 0;
}

/* ---- the plan ---- */

static void set_tensor(gsp_tensor *t, uint64_t bytes, uint64_t first, uint64_t last)
{
    memset(t, 0, sizeof *t);
    t->bytes = (bytes + ALIGN - 1u) / ALIGN * ALIGN;
    t->begin = (uint32_t)first;
    t->end = (uint32_t)(last > first ? last : first);
}

/* Tensors of all subgraphs and what kernels borrow, by first fit around those that a plan in the
 * file places: all runs of a subgraph take the same memory from the first to the last. */
static int plan(work *w)
{
    size_t const room = (size_t)w->n_tensors + (size_t)w->n_ops * BORROWED + 1u;
    uint32_t *fixed = (uint32_t *)cli_alloc(w->session, room, sizeof *fixed);
    gsp_tensor *list = (gsp_tensor *)cli_alloc(w->session, room, sizeof *list);
    uint32_t n = 0;
    uint32_t i;
    uint32_t k;
    w->out->placed = 0;
    for (i = 0; i < w->n_tensors; i++) {
        const tensor *t = &w->tensors[i];
        int const placed = t->offset <= INT32_MAX;
        if (t->planned && t->first != NEVER) {
            fixed[n] = placed ? GSP_INTERVALS_SHARED : 0u;
            set_tensor(&list[n], t->bytes, t->first, t->last);
            list[n++].offset = placed ? t->offset : 0u;
            w->out->placed += placed ? 1u : 0u;
        }
    }
    for (i = 0; i < w->n_ops; i++) {
        const op *o = &w->ops[i];
        for (k = 0; k < o->n_borrowed && o->first != NEVER; k++) {
            set_tensor(&list[n++], o->borrowed[k], o->first, o->last);
        }
    }
    return cli_fit(w->session, list, n, ALIGN, fixed, &w->out->plan);
}

/* ---- the model ---- */

static const rule *rule_of(gsp_str name)
{
    size_t i = 0;
    while (i < CLI_COUNT(rules) && !gsp_str_equal(name, gsp_str_of(rules[i].name))) {
        i++;
    }
    return i < CLI_COUNT(rules) ? &rules[i] : NULL;
}

/* Names of operators, from the nodes of the graph. */
static void name_ops(work *w)
{
    static const char before[] = "tflite.";
    const gsp_module *m = &w->model->module;
    uint32_t i;
    for (i = 0; i < w->n_graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, i);
        gsp_node v;
        for (v = 0; v < g.n_nodes; v++) {
            gsp_str target = gsp_node_target(&g, v);
            uint32_t const item = w->model->item[g.first + v];
            size_t const n = sizeof before - 1u;
            if (gsp_node_is_callable(&g, v) && item < w->graphs[i].operators.n && target.size > n &&
                memcmp(target.data, before, n) == 0) {
                op *o = &w->ops[w->graphs[i].first_op + item];
                o->name = gsp_node_target(&g, v);
                target.data += n;
                target.size -= (uint32_t)n;
                o->rule = rule_of(target);
            }
        }
    }
}

static void read_graphs(work *w)
{
    tfl_file *f = &w->copy.file;
    tfl_table const root = tfl_table_at(f, tfl_u32_at(f, 0));
    tfl_vector const list = tfl_vector_of(f, &root, TFL_MODEL_SUBGRAPHS, 4);
    uint32_t i;
    w->buffers = tfl_vector_of(f, &root, TFL_MODEL_BUFFERS, 4);
    w->n_graphs = list.n;
    w->graphs = (subgraph *)cli_alloc(w->session, (size_t)list.n + 1u, sizeof *w->graphs);
    for (i = 0; i < list.n; i++) {
        tfl_table const t = tfl_element(f, &list, i);
        subgraph *g = &w->graphs[i];
        g->tensors = tfl_vector_of(f, &t, TFL_SUBGRAPH_TENSORS, 4);
        g->operators = tfl_vector_of(f, &t, TFL_SUBGRAPH_OPERATORS, 4);
        g->in = tfl_vector_of(f, &t, TFL_SUBGRAPH_INPUTS, 4);
        g->out = tfl_vector_of(f, &t, TFL_SUBGRAPH_OUTPUTS, 4);
        g->first_tensor = w->n_tensors;
        g->first_op = w->n_ops;
        w->n_tensors += g->tensors.n;
        w->n_ops += g->operators.n;
    }
}

/* The offsets of a plan in the file, if that is one for all tensors. */
static void read_plan(work *w)
{
    tfl_file *f = &w->copy.file;
    tfl_table const root = tfl_table_at(f, tfl_u32_at(f, 0));
    tfl_vector const list = tfl_vector_of(f, &root, TFL_MODEL_METADATA, 4);
    uint32_t i;
    uint32_t k;
    for (i = 0; i < list.n; i++) {
        tfl_table const t = tfl_element(f, &list, i);
        uint32_t const at = tfl_u32(f, &t, TFL_METADATA_BUFFER);
        tfl_table const b = at < w->buffers.n ? tfl_element(f, &w->buffers, at) : tfl_no_table();
        tfl_vector const data = tfl_vector_of(f, &b, TFL_BUFFER_DATA, 1);
        if (gsp_str_equal(tfl_text_of(f, &t, TFL_METADATA_NAME), gsp_str_of(CLI_AMEND_PLAN)) &&
            data.n == 4u * ((uint64_t)w->n_tensors + 3u) &&
            tfl_u32_at(f, data.at + 8u) == w->n_tensors) {
            for (k = 0; k < w->n_tensors; k++) {
                w->tensors[k].offset = tfl_u32_at(f, data.at + 12u + 4u * (uint64_t)k);
            }
        }
    }
}

/* A plan of the module of the session, which has the nodes of the file in an order of its own. */
static void take_plan(work *w, const uint64_t *offsets)
{
    const gsp_module *own = &w->session->module;
    const gsp_module *m = &w->model->module;
    uint32_t *numbers = (uint32_t *)cli_alloc(w->session, (size_t)w->n_tensors + 1u, 4u);
    uint64_t *of = (uint64_t *)cli_alloc(w->session, (size_t)m->counts.nodes + 1u, sizeof *of);
    uint32_t n_ops = 0;
    uint32_t i;
    gsp_node v;
    memset(numbers, 0xFF, (size_t)w->n_tensors * sizeof *numbers);
    memset(of, 0xFF, m->counts.nodes * sizeof *of);
    for (i = 0; i < m->counts.graphs && i < own->counts.graphs; i++) {
        gsp_graph const from = gsp_module_graph(own, i);
        gsp_graph const to = gsp_module_graph(m, i);
        cli_names names;
        cli_names_make(w->session, &to, &names);
        for (v = 0; v < from.n_nodes; v++) {
            gsp_node const u = cli_names_find(&names, gsp_node_name(&from, v));
            if (u == GSP_NONE) {
                continue;
            }
            of[to.first + u] = offsets[from.first + v];
            if (i == 0 && gsp_node_is_callable(&to, u) && n_ops < w->graphs[0].operators.n &&
                !gsp_str_equal(gsp_node_target(&to, u), gsp_str_of("operator.getitem"))) {
                w->order[n_ops++] = w->model->item[to.first + u];
            }
        }
    }
    (void)cli_tflite_offsets(&w->copy.file, w->model, of, numbers);
    for (i = 0; i < w->n_tensors; i++) {
        w->tensors[i].offset = numbers[i];
    }
    cli_release(w->session, of);
    cli_release(w->session, numbers);
}

static void read_items(work *w)
{
    tfl_file *f = &w->copy.file;
    uint32_t i;
    uint32_t k;
    w->tensors = (tensor *)cli_alloc(w->session, (size_t)w->n_tensors + 1u, sizeof *w->tensors);
    w->ops = (op *)cli_alloc(w->session, (size_t)w->n_ops + 1u, sizeof *w->ops);
    for (i = 0; i < w->n_graphs; i++) {
        const subgraph *g = &w->graphs[i];
        for (k = 0; k < g->tensors.n; k++) {
            read_tensor(w, g, k);
        }
        for (k = 0; k < g->operators.n; k++) {
            op *o = &w->ops[g->first_op + k];
            o->table = tfl_element(f, &g->operators, k);
            o->in = tfl_vector_of(f, &o->table, TFL_OPERATOR_INPUTS, 4);
            o->out = tfl_vector_of(f, &o->table, TFL_OPERATOR_OUTPUTS, 4);
            o->first = NEVER;
        }
    }
    w->order = (uint32_t *)cli_alloc(w->session, (size_t)w->n_ops + 1u, sizeof *w->order);
    for (i = 0; i < w->n_ops; i++) {
        w->order[i] = i;
    }
}

/* Structures of inputs or outputs of the main graph, with scales and zero points. */
static void take_ends(work *w, const tfl_vector *list)
{
    const subgraph *g = &w->graphs[0];
    uint32_t i;
    keep(w, (uint64_t)list->n * word(w));
    for (i = 0; i < list->n; i++) {
        tfl_table const t = table_of(w, g, tfl_number(&w->copy.file, list, i));
        take(w, w->narrow ? CLI_MICRO_END : CLI_MICRO_END_64, word(w));
        if (channels_of(w, &t) != 0) {
            take(w, w->narrow ? 12u : 24u, word(w));
            take(w, 4u + 4u * (uint64_t)channels_of(w, &t), 4);
        }
    }
}

/* ---- variables ---- */

static int is_op(const op *o, const char *name)
{
    return o->rule != NULL && gsp_str_equal(gsp_str_of(o->rule->name), gsp_str_of(name));
}

/* The tensor of an operand, or GSP_NONE. */
static uint32_t place_of(work *w, const subgraph *g, const tfl_vector *list, uint32_t i)
{
    int32_t const at = i < list->n ? tfl_number(&w->copy.file, list, i) : -1;
    return at >= 0 && (uint32_t)at < g->tensors.n ? g->first_tensor + (uint32_t)at : GSP_NONE;
}

typedef struct variable {
    gsp_str container;
    gsp_str name;
    uint64_t bytes;
} variable;

typedef struct variables {
    variable *list;
    uint32_t n;
    uint32_t *of; /* [tensors] of a handle, or GSP_NONE */
} variables;

/* The variable of a handle; a name that was met before is the same one. */
static uint32_t variable_of(work *w, variables *all, const op *o)
{
    tfl_table const options = tfl_table_of(&w->copy.file, &o->table, TFL_OPERATOR_OPTIONS);
    variable *v = &all->list[all->n];
    uint32_t i = 0;
    v->container = tfl_text_of(&w->copy.file, &options, 0);
    v->name = tfl_text_of(&w->copy.file, &options, 1);
    while (!gsp_str_equal(all->list[i].name, v->name) ||
           !gsp_str_equal(all->list[i].container, v->container)) {
        i++;
    }
    all->n += i == all->n ? 1u : 0u;
    return i;
}

/* What an operator reads from a variable, or puts into it. */
static void use_variable(work *w, variables *all, const subgraph *g, const op *o)
{
    uint32_t const handle = place_of(w, g, &o->in, 0);
    uint32_t const value = is_op(o, "READ_VARIABLE")     ? place_of(w, g, &o->out, 0)
                           : is_op(o, "ASSIGN_VARIABLE") ? place_of(w, g, &o->in, 1)
                                                         : GSP_NONE;
    if (handle != GSP_NONE && value != GSP_NONE && all->of[handle] != GSP_NONE) {
        variable *v = &all->list[all->of[handle]];
        v->bytes = w->tensors[value].bytes > v->bytes ? w->tensors[value].bytes : v->bytes;
    }
}

static void find_variables(work *w, variables *all)
{
    uint32_t i;
    uint32_t k;
    all->list = (variable *)cli_alloc(w->session, (size_t)w->n_ops + 1u, sizeof *all->list);
    all->of = (uint32_t *)cli_alloc(w->session, (size_t)w->n_tensors + 1u, sizeof *all->of);
    memset(all->of, 0xFF, ((size_t)w->n_tensors + 1u) * sizeof *all->of);
    for (i = 0; i < w->n_graphs; i++) {
        const subgraph *g = &w->graphs[i];
        for (k = 0; k < g->operators.n; k++) {
            const op *o = &w->ops[g->first_op + k];
            uint32_t const made = place_of(w, g, &o->out, 0);
            if (is_op(o, "VAR_HANDLE") && made != GSP_NONE) {
                all->of[made] = variable_of(w, all, o);
                w->tensors[made].planned = 0;
            }
        }
        for (k = 0; k < g->operators.n; k++) {
            use_variable(w, all, g, &w->ops[g->first_op + k]);
        }
    }
    for (i = 0; i < all->n; i++) {
        w->out->variables = cli_add(w->out->variables, all->list[i].bytes);
    }
}

/* ---- all of it ---- */

static void take_structures(work *w, const variables *all)
{
    uint32_t i;
    w->tail = w->narrow ? CLI_MICRO_FIXED : CLI_MICRO_FIXED_64;
    if (all->n != 0) {
        take(w, w->narrow ? 12u : 16u, ALIGN);
        take(w, (uint64_t)all->n * (w->narrow ? 24u : 48u), ALIGN);
    }
    take(w, (uint64_t)w->n_graphs * (w->narrow ? 8u : 24u), word(w));
    for (i = 0; i < w->n_graphs; i++) {
        const subgraph *g = &w->graphs[i];
        take(w, (uint64_t)g->tensors.n * (w->narrow ? CLI_MICRO_TENSOR : CLI_MICRO_TENSOR_64),
            word(w));
        take(w, (uint64_t)g->operators.n * (w->narrow ? CLI_MICRO_OPERATOR : CLI_MICRO_OPERATOR_64),
            word(w));
    }
    w->out->tensors = w->n_tensors;
    w->out->operators = w->n_ops;
    w->out->ends = (uint64_t)w->graphs[0].in.n + w->graphs[0].out.n;
}

/* What kernels keep; after it, their buffers are known. */
static void take_kernels(work *w, const variables *all)
{
    uint64_t const before = w->tail;
    uint64_t handles = 0;
    uint32_t i;
    uint32_t k;
    for (i = 0; i < w->n_ops; i++) {
        parse(w, &w->ops[w->order[i]]);
    }
    for (i = 0; i < w->n_graphs; i++) {
        for (k = 0; k < w->graphs[i].operators.n; k++) {
            op *o = &w->ops[w->order[w->graphs[i].first_op + k]];
            prepare(w, &w->graphs[i], o);
            handles += o->n_borrowed;
            if (o->rule == NULL && w->out->outside.size == 0) {
                w->out->outside = o->name;
            }
        }
    }
    w->out->kernels = w->tail - before;
    for (i = 0; i < all->n; i++) {
        take(w, all->list[i].bytes, ALIGN);
    }
    take(w, handles * word(w), word(w));
}

/* State tensors of all subgraphs. */
static void take_states(work *w)
{
    uint32_t i;
    uint32_t k;
    for (i = 0; i < w->n_graphs; i++) {
        const subgraph *g = &w->graphs[i];
        for (k = 0; k < g->tensors.n; k++) {
            tfl_table const t = tfl_element(&w->copy.file, &g->tensors, k);
            if (tfl_u8(&w->copy.file, &t, TFL_TENSOR_VARIABLE) != 0) {
                take(w, w->tensors[g->first_tensor + k].bytes, ALIGN);
            }
        }
    }
}

static int measure(work *w, int narrow)
{
    variables all;
    uint32_t i;
    memset(&all, 0, sizeof all);
    w->narrow = narrow;
    w->out->variables = 0;
    find_variables(w, &all);
    take_structures(w, &all);
    take_kernels(w, &all);
    take_ends(w, &w->graphs[0].in);
    take_ends(w, &w->graphs[0].out);
    take_states(w);
    for (i = 0; i < w->n_ops; i++) {
        w->ops[i].first = NEVER;
    }
    if (!tfl_ok(&w->copy.file) || !walk(w) || !plan(w)) {
        return 0;
    }
    *(narrow ? &w->out->whole : &w->out->whole_64) =
        w->out->plan + (w->tail + ALIGN - 1u) / ALIGN * ALIGN;
    return 1;
}

int cli_tflite_micro(cli_session *s, const uint64_t *offsets, cli_micro *micro)
{
    work w;
    memset(micro, 0, sizeof *micro);
    memset(&w, 0, sizeof w);
    w.session = s;
    w.model = cli_tflite_model(s);
    w.out = micro;
    if (w.model == NULL) {
        return 0;
    }
    cli_copy_begin(&w.copy, w.model, NULL);
    w.copy.file.left = UINT64_MAX;
    read_graphs(&w);
    read_items(&w);
    name_ops(&w);
    if (offsets != NULL) {
        take_plan(&w, offsets);
    } else {
        read_plan(&w);
    }
    return w.n_graphs != 0 && tfl_ok(&w.copy.file) && measure(&w, 0) && measure(&w, 1);
}
