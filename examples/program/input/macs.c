/* Multiply-accumulates (MACs) of operators, from shapes: one table of rules.
 *
 * A product that is added to a sum is one MAC; torch.utils.flop_counter counts two operations for
 * it. Products of matrices, convolutions, recurrent cells and attention have MACs. Operators on
 * elements, norms, pools and copies have none. An operator that is in neither list is unknown. */

#include "input/input.h"

#include <string.h>

#define MOST_DIM    8u
#define NO_POSITION 255u
#define BIT(i)      ((uint64_t)1 << (i))

typedef struct shape {
    uint32_t rank; /* 0 for a scalar, and for a value that is no tensor */
    int is_tensor;
    double dim[MOST_DIM];
    double elements;
} shape;

typedef struct operation {
    const gsp_graph *g;
    gsp_node v;
    shape out; /* of the first tensor that it yields */
    int known; /* 0 as soon as a shape that takes part is not */
} operation;

typedef struct rule rule;

/* An operator. `a` and `b` are positions of arguments; what `axis` and `weights` mean depends on
 * the function. */
struct rule {
    const char *name;
    double (*macs)(operation *op, const rule *r);
    uint8_t a;
    uint8_t b;
    int8_t axis; /* of the weights, from the end if negative */
    uint64_t weights;
};

/* ---- shapes and arguments ---- */

/* Tensor number `which` of a TYPE. A dimension that is no number counts as 1 and is told. */
static shape type_shape(operation *op, gsp_str type, uint32_t which)
{
    shape s = {0, 0, {0.0}, 0.0};
    uint32_t at = 0;
    uint32_t i = 0;
    gsp_str dtype;
    gsp_str dims;
    gsp_str dim;
    do {
        if (!gsp_type_next(type, &at, &dtype, &dims)) {
            op->known = 0;
            return s;
        }
    } while (which-- != 0);
    s.is_tensor = 1;
    s.elements = 1.0;
    while (s.rank < MOST_DIM && cli_next_dim(dims, &i, &dim)) {
        uint64_t number = 1;
        int const is_number = gsp_str_number(dim, &number);
        op->known &= is_number;
        s.dim[s.rank] = is_number ? (double)number : 1.0;
        s.elements *= s.dim[s.rank++];
    }
    return s;
}

static shape node_shape(operation *op, gsp_node v)
{
    return type_shape(op, gsp_node_type(op->g, v), 0);
}

/* Dimension `i`, from the end if negative; 1 beyond. */
static double dim_of(const shape *s, int i)
{
    int const at = i < 0 ? (int)s->rank + i : i;
    return at >= 0 && at < (int)s->rank ? s->dim[at] : 1.0;
}

/* The token of the argument at a position or, if it has fewer, of the one with this keyword;
 * GSP_NONE if there is neither. */
static uint32_t token_of(const operation *op, uint32_t position, const char *key)
{
    gsp_call call;
    uint32_t i;
    memset(&call, 0, sizeof call);
    call.args = gsp_node_args(op->g, op->v, &call.n_args);
    for (i = 0; key != NULL && i < call.n_args; i++) {
        if (call.args[i].kind == GSP_ARG_KEY &&
            gsp_str_equal(gsp_module_str(op->g->module, call.args[i].value), gsp_str_of(key))) {
            return i + 1u;
        }
    }
    return gsp_call_find(&call, position, NULL);
}

static gsp_arg arg_of(const operation *op, uint32_t token)
{
    gsp_arg none = {GSP_ARG_NONE, 0};
    uint32_t n;
    const gsp_arg *args = gsp_node_args(op->g, op->v, &n);
    return token < n ? args[token] : none;
}

/* The text of a constant argument, else empty. */
static gsp_str text_of(const operation *op, uint32_t position, const char *key)
{
    gsp_arg const a = arg_of(op, token_of(op, position, key));
    return a.kind == GSP_ARG_CONSTANT ? gsp_module_str(op->g->module, a.value) : gsp_str_of("");
}

static int is_true(const operation *op, uint32_t position, const char *key)
{
    return gsp_str_equal(text_of(op, position, key), gsp_str_of("True"));
}

static int has_operand(const operation *op, uint32_t position)
{
    return arg_of(op, token_of(op, position, NULL)).kind == GSP_ARG_NODE;
}

/* The shape of an operand; one that is missing is not known. */
static shape operand_or(operation *op, uint32_t position, const char *key)
{
    shape none = {0, 0, {0.0}, 0.0};
    gsp_arg const a = arg_of(op, token_of(op, position, key));
    if (a.kind == GSP_ARG_NODE) {
        return node_shape(op, a.value);
    }
    op->known = 0;
    return none;
}

static shape operand(operation *op, uint32_t position)
{
    return operand_or(op, position, NULL);
}

/* ---- rules ---- */

/* All weights are used once for each position of the result, which has all output channels. */
static double convolution(operation *op, const rule *r)
{
    shape const w = operand_or(op, r->b, "weight");
    return op->out.elements * w.elements / dim_of(&w, r->axis);
}

/* All weights are used once for each position of the input, which has all input channels. */
static double transposed(operation *op, const rule *r)
{
    shape const x = operand(op, r->a);
    shape const w = operand_or(op, r->b, "weight");
    return x.elements * w.elements / dim_of(&w, r->axis);
}

/* aten.convolution: the flag at position 6 tells which of both. */
static double either(operation *op, const rule *r)
{
    return is_true(op, 6, "transposed") ? transposed(op, r) : convolution(op, r);
}

/* aten.convolution_backward: one convolution each for the gradients that output_mask wants. */
static double convolution_gradients(operation *op, const rule *r)
{
    shape const gradient = operand(op, 0);
    shape const x = operand(op, 1);
    shape const w = operand(op, 2);
    uint32_t const mask = token_of(op, 10, "output_mask");
    double const positions = is_true(op, 7, "transposed") ? x.elements : gradient.elements;
    double wanted = 0.0;
    uint32_t i;
    (void)r;
    for (i = 1; i <= 2u; i++) {
        gsp_arg const a = arg_of(op, mask == GSP_NONE ? mask : mask + i);
        int const no = a.kind == GSP_ARG_CONSTANT &&
                       gsp_str_equal(gsp_module_str(op->g->module, a.value), gsp_str_of("False"));
        wanted += no ? 0.0 : 1.0;
    }
    return wanted * positions * w.elements / dim_of(&w, 0);
}

/* [..., m, k] times [..., k, n], either of them transposed or a vector. */
static double product(operation *op, const rule *r)
{
    shape const a = operand(op, r->a);
    double depth = dim_of(&a, -1);
    if (a.rank > 1u) {
        shape const b = operand(op, r->b);
        double const rows = dim_of(&op->out, -2);
        depth = b.rank < 2u ? dim_of(&b, -1) : rows > 0.0 ? dim_of(&a, -2) * depth / rows : 0.0;
    }
    return op->out.elements * depth;
}

/* Rows of the last dimension of the operand at b, whether weights or input. */
static double dense(operation *op, const rule *r)
{
    shape const w = operand_or(op, r->b, "weight");
    return op->out.elements * dim_of(&w, -1);
}

/* Packed weights: the depth is that of the left operand alone. */
static double packed(operation *op, const rule *r)
{
    shape const x = operand(op, r->a);
    return op->out.elements * dim_of(&x, -1);
}

/* Every element of the left operand meets the last dimension of the right one. */
static double all_pairs(operation *op, const rule *r)
{
    shape const a = operand(op, r->a);
    shape const b = operand(op, r->b);
    return a.elements * dim_of(&b, r->axis);
}

/* torch.dot, torch.vdot */
static double inner(operation *op, const rule *r)
{
    return operand(op, r->a).elements;
}

/* torch.nn.functional.bilinear: x1 [..., i], x2 [..., j], weights [o, i, j]. */
static double bilinear(operation *op, const rule *r)
{
    shape const w = operand_or(op, r->b, "weight");
    return op->out.elements * dim_of(&w, -1) * dim_of(&w, -2);
}

/* Matrices whose positions are bits of `weights`, each used once for every vector of the input. */
static double weighted(operation *op, const rule *r)
{
    shape const x = operand(op, r->a);
    double elements = 0.0;
    uint32_t i;
    for (i = 0; i < 64u; i++) {
        elements +=
            (r->weights & BIT(i)) != 0 && has_operand(op, i) ? operand(op, i).elements : 0.0;
    }
    op->known &= elements > 0.0;
    return dim_of(&x, -1) > 0.0 ? x.elements / dim_of(&x, -1) * elements : 0.0;
}

/* TFLite's LSTM with five inputs has all weights in one matrix. */
static double cell(operation *op, const rule *r)
{
    rule basic = *r;
    basic.weights = token_of(op, 5, NULL) == GSP_NONE ? BIT(2) : r->weights;
    return weighted(op, &basic);
}

/* torch.lstm, gru, rnn_tanh: matrices in the list at position b. */
static double sequence(operation *op, const rule *r)
{
    shape const x = operand(op, r->a);
    uint32_t const list = token_of(op, r->b, NULL);
    uint32_t i = list;
    double elements = 0.0;
    if (arg_of(op, list).kind != GSP_ARG_LIST && arg_of(op, list).kind != GSP_ARG_TUPLE) {
        op->known = 0;
        return 0.0;
    }
    for (; arg_of(op, i).kind != GSP_ARG_CLOSE; i++) {
        if (arg_of(op, i).kind == GSP_ARG_NODE) {
            shape const w = node_shape(op, arg_of(op, i).value);
            elements += w.rank == 2u ? w.elements : 0.0;
        }
    }
    return dim_of(&x, -1) > 0.0 ? x.elements / dim_of(&x, -1) * elements : 0.0;
}

/* Keys that stand before the new ones, in a cache at position `weights`. */
static double cached(operation *op, const rule *r)
{
    shape past;
    if (r->weights == NO_POSITION || !has_operand(op, (uint32_t)r->weights)) {
        return 0.0;
    }
    past = operand(op, (uint32_t)r->weights);
    return dim_of(&past, -2);
}

/* Scores of queries at a and keys at b, then their sum of values: the result has the elements of
 * values per query. Queries that hold keys and values, too, have five dimensions. */
static double attention(operation *op, const rule *r)
{
    shape const q = operand(op, r->a);
    double keys = dim_of(&q, 1);
    if (q.rank != 5u && has_operand(op, r->b)) {
        shape const k = operand(op, r->b);
        keys = k.rank == 5u ? dim_of(&k, 1) : dim_of(&k, -2);
    }
    return ((q.rank == 5u ? q.elements / 3.0 : q.elements) + op->out.elements) *
           (keys + cached(op, r));
}

/* Attention of com.microsoft: the projection of the input [batch, sequence, channels] comes first,
 * by the weights at b. */
static double projected_attention(operation *op, const rule *r)
{
    shape const x = operand(op, r->a);
    double const keys = dim_of(&x, 1) + cached(op, r);
    shape const w = operand(op, r->b);
    return x.elements * dim_of(&w, -1) + 2.0 * op->out.elements * keys;
}

/* LinearAttention of ONNX: every step updates a state of keys and values, and queries read it;
 * rules with delta read it before, too. */
static double linear_attention(operation *op, const rule *r)
{
    gsp_str const update = text_of(op, NO_POSITION, "update_rule");
    shape const q = operand(op, r->a);
    shape const k = operand(op, r->b);
    shape state = {0, 0, {0.0}, 0.0};
    uint32_t i = 0;
    double reads = update.size == 0 ? 1.0 : 0.0; /* gated_delta is the default */
    for (; i + 5u <= update.size; i++) {
        reads = memcmp(update.data + i, "delta", 5u) == 0 ? 1.0 : reads;
    }
    state = has_operand(op, (uint32_t)r->weights) ? operand(op, (uint32_t)r->weights)
                                                  : type_shape(op, gsp_node_type(op->g, op->v), 1);
    op->known &= dim_of(&k, -1) > 0.0;
    return dim_of(&q, 1) * state.elements *
           (1.0 + reads + (dim_of(&k, -1) > 0.0 ? dim_of(&q, -1) / dim_of(&k, -1) : 0.0));
}

/* Backward of scaled dot products (gradient, query, key, value, ...): scores again, and the
 * gradients of scores, values, queries and keys. */
static double attention_gradients(operation *op, const rule *r)
{
    shape const gradient = operand(op, 0);
    shape const q = operand(op, 1);
    shape const k = operand(op, 2);
    (void)r;
    return (3.0 * q.elements + 2.0 * gradient.elements) * dim_of(&k, -2);
}

/* Product of the dimensions of the left operand whose numbers stand in a list. */
static double contracted(operation *op, const rule *r)
{
    shape const x = operand(op, r->a);
    uint32_t i = token_of(op, NO_POSITION, "lhs_contracting_dims");
    double depth = 1.0;
    if (i == GSP_NONE) {
        op->known = 0;
        return 0.0;
    }
    for (i++; arg_of(op, i).kind == GSP_ARG_CONSTANT; i++) {
        uint64_t dim = 0;
        op->known &= gsp_str_number(gsp_module_str(op->g->module, arg_of(op, i).value), &dim);
        depth *= dim_of(&x, (int)(dim & 15u));
    }
    return op->out.elements * depth;
}

/* hlo.convolution: dim_labels such as bf01_oi01->bf01 say which dimension of the weights is o. */
static double labelled(operation *op, const rule *r)
{
    gsp_str const labels = text_of(op, NO_POSITION, "dim_labels");
    shape const w = operand(op, r->b);
    const char *weights = labels.size != 0 ? memchr(labels.data, '_', labels.size) : NULL;
    size_t const left = weights != NULL ? labels.size - (size_t)(weights - labels.data) : 0;
    const char *channels = left != 0 ? memchr(weights, 'o', left) : NULL;
    op->known &= channels != NULL;
    return channels != NULL
               ? op->out.elements * w.elements / dim_of(&w, (int)(channels - weights) - 1)
               : 0.0;
}

/* ---- einsum ---- */

/* Sizes of labels, letters and, behind them, those that an ellipsis stands for. */
typedef struct labels {
    double size[128];
    uint8_t count[128]; /* operands that have it; with the result */
    double hidden;      /* product of the dimensions of an ellipsis */
} labels;

/* The labels of one operand; returns the position behind them. */
static uint32_t take_labels(operation *op, labels *l, gsp_str text, uint32_t at, const shape *s)
{
    uint32_t n = 0;
    uint32_t end = at;
    uint32_t dim = 0;
    for (; end < text.size && text.data[end] != ',' && text.data[end] != '-'; end++) {
        n += text.data[end] != '.' && text.data[end] != ' ' ? 1u : 0u;
    }
    for (; at < end; at++) {
        unsigned char const label = (unsigned char)text.data[at] & 127u;
        if (label == '.') {
            double hidden = 1.0;
            for (; dim + n < s->rank; dim++) {
                hidden *= s->dim[dim];
            }
            l->hidden = hidden > l->hidden ? hidden : l->hidden;
            at += 2u;
        } else if (label != ' ') {
            double const size = dim_of(s, (int)dim++);
            l->size[label] = size > l->size[label] ? size : l->size[label];
            l->count[label]++;
            n--;
        }
    }
    op->known &= dim == s->rank;
    return end + 1u;
}

/* The product of the sizes of labels that more than one operand or the result has: others are
 * summed first. More than two operands meet one after the other. */
static double einsum(operation *op, const rule *r)
{
    gsp_str const quoted = text_of(op, r->a, "equation");
    int const is_quoted = quoted.size > 1u && (quoted.data[0] == '\'' || quoted.data[0] == '"');
    gsp_str const text = {quoted.data + is_quoted, quoted.size - 2u * (uint32_t)is_quoted};
    int const has_result = text.size != 0 && memchr(text.data, '>', text.size) != NULL;
    labels l = {{0.0}, {0}, 1.0};
    uint32_t n;
    const gsp_arg *args = gsp_node_args(op->g, op->v, &n);
    uint32_t at = 0;
    uint32_t operands = 0;
    uint32_t i;
    double macs = 1.0;
    for (i = 0; i < n && at < text.size; i++) {
        if (args[i].kind == GSP_ARG_NODE) {
            shape const s = node_shape(op, args[i].value);
            at = take_labels(op, &l, text, at, &s);
            operands++;
        }
    }
    op->known &= text.size != 0;
    for (; at < text.size; at++) {
        l.count[(unsigned char)text.data[at] & 127u]++;
    }
    for (i = 'A'; i <= 'z'; i++) {
        int const meets = l.count[i] > 1u || (l.count[i] == 1u && !has_result);
        macs *= meets ? l.size[i] : 1.0;
    }
    return operands > 1u ? macs * l.hidden * (double)(operands - 1u) : 0.0;
}

/* ---- called modules, whose weights are bytes alone ---- */

/* Elements of all parameters, which have the type of the result. */
static double parameters(operation *op)
{
    uint64_t const bytes = gsp_node_bytes(op->g, op->v);
    gsp_str const type = gsp_node_type(op->g, op->v);
    double elements = 0.0;
    uint32_t which;
    uint32_t at = 0;
    gsp_str dtype;
    gsp_str dims;
    for (which = 0; gsp_type_next(type, &at, &dtype, &dims); which++) {
        elements += type_shape(op, type, which).elements;
    }
    return bytes != 0 ? (double)gsp_node_params(op->g, op->v) * elements / (double)bytes : 0.0;
}

static shape module_input(operation *op)
{
    shape none = {0, 0, {0.0}, 0.0};
    uint32_t n;
    const gsp_node *inputs = gsp_node_inputs(op->g, op->v, &n);
    op->known &= n != 0;
    return n != 0 ? node_shape(op, inputs[0]) : none;
}

static double module_dense(operation *op, const rule *r)
{
    shape const x = module_input(op);
    (void)r;
    return op->out.elements * dim_of(&x, -1);
}

/* Taps of a kernel are a power, so that a bias can be told from weights. */
static int is_power(uint64_t taps, uint32_t exponent)
{
    uint64_t root = 0;
    uint64_t power = 0;
    while (power < taps) {
        uint32_t i;
        power = ++root;
        for (i = 1; i < exponent; i++) {
            power *= root;
        }
    }
    return power == taps;
}

static int divides(double divisor, double number)
{
    return divisor >= 1.0 && number >= 0.0 && number < 1e15 &&
           (uint64_t)number % (uint64_t)divisor == 0;
}

/* Weights per output channel, less the bias: parameters per channel are taps times the channels of
 * a group, and 1 for a bias. As many channels out as in tell a depthwise kernel, whose taps are a
 * power. */
static double taps_of(double per_channel, double inputs, double outputs, uint32_t spatial)
{
    double const bare = per_channel - 1.0;
    int const fits = bare >= 1.0 && bare <= 1e6;
    int const with = fits && is_power((uint64_t)bare, spatial);
    int const without = fits && is_power((uint64_t)per_channel, spatial);
    if (!fits) {
        return per_channel;
    }
    if (with != without && inputs == outputs && spatial > 1u) {
        return with ? bare : per_channel;
    }
    if (inputs > 1.0 && divides(inputs, bare)) {
        return bare;
    }
    return (inputs > 1.0 && divides(inputs, per_channel)) || (without && !with) ? per_channel
                                                                                : bare;
}

/* Conv1d to Conv3d; axis: dimensions of a batch. */
static double module_convolution(operation *op, const rule *r)
{
    shape const x = module_input(op);
    double const outputs = dim_of(&op->out, r->axis);
    int const spatial = (int)op->out.rank - 1 - r->axis;
    return op->out.elements * taps_of(parameters(op) / outputs, dim_of(&x, r->axis), outputs,
                                  spatial > 1 ? (uint32_t)spatial : 1u);
}

/* ConvTranspose1d to 3d: the bias, if any, is one element per output channel. */
static double module_transposed(operation *op, const rule *r)
{
    shape const x = module_input(op);
    double const all = parameters(op);
    double const inputs = dim_of(&x, r->axis);
    double const outputs = dim_of(&op->out, r->axis);
    double const weights = divides(inputs, all - outputs) ? all - outputs : all;
    return x.elements * weights / inputs;
}

/* LSTM, GRU, RNN, which yield (sequence, (states [layers * directions, batch, hidden], ...));
 * weights: gates. */
static double module_sequence(operation *op, const rule *r)
{
    shape const x = module_input(op);
    shape const state = type_shape(op, gsp_node_type(op->g, op->v), 1);
    double const hidden = dim_of(&state, -1);
    double const directions = hidden > 0.0 ? dim_of(&op->out, -1) / hidden : 0.0;
    double const layers = directions > 0.0 ? dim_of(&state, 0) / directions : 0.0;
    double const first = dim_of(&x, -1) + hidden;
    double const others = (layers - 1.0) * (directions + 1.0) * hidden;
    return dim_of(&x, -1) > 0.0 ? x.elements / dim_of(&x, -1) * directions * (double)r->weights *
                                      hidden * (first + others)
                                : 0.0;
}

/* LSTMCell, GRUCell, RNNCell. */
static double module_cell(operation *op, const rule *r)
{
    shape const x = module_input(op);
    return op->out.elements * (double)r->weights * (dim_of(&x, -1) + dim_of(&op->out, -1));
}

/* MultiheadAttention(query, key, value), which yields (values, weights [..., queries, keys]). */
static double module_attention(operation *op, const rule *r)
{
    shape const q = operand_or(op, 0, "query");
    shape const k = operand_or(op, 1, "key");
    shape const v = operand_or(op, 2, "value");
    shape const scores = type_shape(op, gsp_node_type(op->g, op->v), 1);
    double const width = dim_of(&q, -1);
    (void)r;
    return (q.elements + k.elements + v.elements + op->out.elements) * width +
           2.0 * q.elements * dim_of(&scores, -1);
}

/* InnerProduct of ncnn, which takes all elements of its input. */
static double module_flat(operation *op, const rule *r)
{
    shape const x = module_input(op);
    (void)r;
    return op->out.elements *
           taps_of(parameters(op) / dim_of(&op->out, -1), dim_of(&x, -1), 0.0, 1u);
}

static double module_bilinear(operation *op, const rule *r)
{
    shape const x = module_input(op);
    double const others = parameters(op) / dim_of(&op->out, -1) / dim_of(&x, -1);
    (void)r;
    return op->out.elements * dim_of(&x, -1) * (double)(uint64_t)others;
}

/* ---- the table ---- */

#define WEIGHTS_LSTM (BIT(9) - BIT(1) + BIT(16))
#define WEIGHTS_BOTH (WEIGHTS_LSTM + BIT(26) - BIT(18) + BIT(33) + BIT(48) - BIT(40))

static const rule rules[] = {
    /* TensorFlow Lite: schema.fbs and the kernels' lists of inputs */
    {"tflite.CONV_2D", convolution, 0, 1, 0, 0},
    {"tflite.DEPTHWISE_CONV_2D", convolution, 0, 1, -1, 0},
    {"tflite.CONV_3D", convolution, 0, 1, -1, 0},
    {"tflite.TRANSPOSE_CONV", transposed, 2, 1, -1, 0},
    {"tflite.CONV_3D_TRANSPOSE", transposed, 2, 1, -1, 0},
    {"tflite.FULLY_CONNECTED", dense, 0, 1, 0, 0},
    {"tflite.BATCH_MATMUL", product, 0, 1, 0, 0},
    {"tflite.LSTM", cell, 0, 0, 0, WEIGHTS_LSTM},
    {"tflite.UNIDIRECTIONAL_SEQUENCE_LSTM", weighted, 0, 0, 0, WEIGHTS_LSTM},
    {"tflite.BIDIRECTIONAL_SEQUENCE_LSTM", weighted, 0, 0, 0, WEIGHTS_BOTH},
    {"tflite.RNN", weighted, 0, 0, 0, BIT(1) + BIT(2)},
    {"tflite.UNIDIRECTIONAL_SEQUENCE_RNN", weighted, 0, 0, 0, BIT(1) + BIT(2)},
    {"tflite.BIDIRECTIONAL_SEQUENCE_RNN", weighted, 0, 0, 0,
        BIT(1) + BIT(2) + BIT(5) + BIT(6) + BIT(10) + BIT(11)},
    {"tflite.SVDF", weighted, 0, 0, 0, BIT(1) + BIT(2)},
    {"tflite.RFFT2D", NULL, 0, 0, 0, 0},
    {"tflite.STABLEHLO_CONVOLUTION", NULL, 0, 0, 0, 0},
    {"tflite.STABLEHLO_DOT_GENERAL", NULL, 0, 0, 0, 0},
    {"tflite.STABLEHLO_CUSTOM_CALL", NULL, 0, 0, 0, 0},
    /* ONNX: Operators.md */
    {"onnx.Conv", convolution, 0, 1, 0, 0},
    {"onnx.ConvInteger", convolution, 0, 1, 0, 0},
    {"onnx.QLinearConv", convolution, 0, 3, 0, 0},
    {"onnx.DeformConv", convolution, 0, 1, 0, 0},
    {"onnx.ConvTranspose", transposed, 0, 1, 0, 0},
    {"onnx.MatMul", product, 0, 1, 0, 0},
    {"onnx.MatMulInteger", product, 0, 1, 0, 0},
    {"onnx.QLinearMatMul", product, 0, 3, 0, 0},
    {"onnx.Gemm", product, 0, 1, 0, 0},
    {"onnx.Einsum", einsum, NO_POSITION, 0, 0, 0},
    {"onnx.LSTM", weighted, 0, 0, 0, BIT(1) + BIT(2)},
    {"onnx.GRU", weighted, 0, 0, 0, BIT(1) + BIT(2)},
    {"onnx.RNN", weighted, 0, 0, 0, BIT(1) + BIT(2)},
    {"onnx.Attention", attention, 0, 1, 0, 4},
    {"onnx.LinearAttention", linear_attention, 0, 1, 0, 3},
    {"onnx.CausalConvWithState", convolution, 0, 1, 0, 0},
    {"onnx.AffineGrid", dense, 0, 0, 0, 0},
    {"onnx.DFT", NULL, 0, 0, 0, 0},
    {"onnx.STFT", NULL, 0, 0, 0, 0},
    {"onnx.Det", NULL, 0, 0, 0, 0},
    /* ONNX Runtime: ContribOperators.md */
    {"onnx.com.microsoft.FusedConv", convolution, 0, 1, 0, 0},
    {"onnx.com.microsoft.NhwcFusedConv", convolution, 0, 1, 0, 0},
    {"onnx.com.microsoft.NhwcConv", convolution, 0, 1, 0, 0},
    {"onnx.com.microsoft.QLinearConv", convolution, 0, 3, 0, 0},
    {"onnx.com.microsoft.CausalConvWithState", convolution, 0, 1, 0, 0},
    {"onnx.com.microsoft.ConvTransposeWithDynamicPads", transposed, 0, 1, 0, 0},
    {"onnx.com.microsoft.FusedMatMul", product, 0, 1, 0, 0},
    {"onnx.com.microsoft.FusedMatMulActivation", product, 0, 1, 0, 0},
    {"onnx.com.microsoft.TransposeMatMul", product, 0, 1, 0, 0},
    {"onnx.com.microsoft.FusedGemm", product, 0, 1, 0, 0},
    {"onnx.com.microsoft.GemmFastGelu", product, 0, 1, 0, 0},
    {"onnx.com.microsoft.GemmFloat8", product, 0, 1, 0, 0},
    {"onnx.com.microsoft.QGemm", product, 0, 3, 0, 0},
    {"onnx.com.microsoft.QOrderedMatMul", product, 0, 2, 0, 0},
    {"onnx.com.microsoft.MatMulInteger16", product, 0, 1, 0, 0},
    {"onnx.com.microsoft.MatMulIntegerToFloat", product, 0, 1, 0, 0},
    {"onnx.com.microsoft.DynamicQuantizeMatMul", product, 0, 1, 0, 0},
    {"onnx.com.microsoft.MatMulNBits", packed, 0, 0, 0, 0},
    {"onnx.com.microsoft.MatMulBnb4", packed, 0, 0, 0, 0},
    {"onnx.com.microsoft.MatMulFpQ4", packed, 0, 0, 0, 0},
    {"onnx.com.microsoft.CDist", all_pairs, 0, 1, 0, 0},
    {"onnx.com.microsoft.DynamicQuantizeLSTM", weighted, 0, 0, 0, BIT(1) + BIT(2)},
    {"onnx.com.microsoft.Attention", projected_attention, 0, 1, 0, 4},
    {"onnx.com.microsoft.QAttention", projected_attention, 0, 1, 0, 8},
    {"onnx.com.microsoft.MultiHeadAttention", attention, 0, 1, 0, 6},
    {"onnx.com.microsoft.GroupQueryAttention", attention, 0, 1, 0, 3},
    {"onnx.com.microsoft.DecoderMaskedMultiHeadAttention", attention, 0, 1, 0, 5},
    {"onnx.com.microsoft.LinearAttention", linear_attention, 0, 1, 0, 3},
    /* PyTorch, by the last word of the name without its overload */
    {"torch.conv1d", convolution, 0, 1, 0, 0},
    {"torch.conv2d", convolution, 0, 1, 0, 0},
    {"torch.conv3d", convolution, 0, 1, 0, 0},
    {"torch.conv_transpose1d", transposed, 0, 1, 0, 0},
    {"torch.conv_transpose2d", transposed, 0, 1, 0, 0},
    {"torch.conv_transpose3d", transposed, 0, 1, 0, 0},
    {"torch.conv_tbc", convolution, 0, 1, -1, 0},
    {"torch._conv_depthwise2d", convolution, 0, 1, 0, 0},
    {"torch.conv_depthwise3d", convolution, 0, 1, 0, 0},
    {"torch.thnn_conv2d", convolution, 0, 1, 0, 0},
    {"torch._slow_conv2d_forward", convolution, 0, 1, 0, 0},
    {"torch.slow_conv3d", convolution, 0, 1, 0, 0},
    {"torch.slow_conv_dilated2d", convolution, 0, 1, 0, 0},
    {"torch.slow_conv_dilated3d", convolution, 0, 1, 0, 0},
    {"torch.slow_conv_transpose2d", transposed, 0, 1, 0, 0},
    {"torch.slow_conv_transpose3d", transposed, 0, 1, 0, 0},
    {"torch.convolution_overrideable", either, 0, 1, 0, 0},
    {"torch.cudnn_convolution", convolution, 0, 1, 0, 0},
    {"torch.mkldnn_convolution", convolution, 0, 1, 0, 0},
    {"torch.convolution", either, 0, 1, 0, 0},
    {"torch._convolution", either, 0, 1, 0, 0},
    {"torch.convolution_backward", convolution_gradients, 0, 0, 0, 0},
    {"torch.linear", dense, 0, 1, 0, 0},
    {"torch.mkldnn_linear", dense, 0, 1, 0, 0},
    {"torch.affine_grid", dense, 0, 0, 0, 0},
    {"torch.affine_grid_generator", dense, 0, 0, 0, 0},
    {"torch.cudnn_affine_grid_generator", dense, 0, 0, 0, 0},
    {"torch.matmul", product, 0, 1, 0, 0},
    {"torch.linalg_matmul", product, 0, 1, 0, 0},
    {"torch.linalg_vecdot", inner, 0, 0, 0, 0},
    {"torch.vecdot", inner, 0, 0, 0, 0},
    {"torch.__matmul__", product, 0, 1, 0, 0},
    {"torch.mm", product, 0, 1, 0, 0},
    {"torch.bmm", product, 0, 1, 0, 0},
    {"torch.mv", product, 0, 1, 0, 0},
    {"torch._int_mm", product, 0, 1, 0, 0},
    {"torch._scaled_mm", product, 0, 1, 0, 0},
    {"torch._weight_int8pack_mm", packed, 0, 1, 0, 0},
    {"torch._weight_int4pack_mm", packed, 0, 1, 0, 0},
    {"torch.addmm", product, 1, 2, 0, 0},
    {"torch._addmm_activation", product, 1, 2, 0, 0},
    {"torch.baddbmm", product, 1, 2, 0, 0},
    {"torch.addmv", product, 1, 2, 0, 0},
    {"torch.addbmm", all_pairs, 1, 2, -1, 0},
    {"torch.dot", inner, 0, 0, 0, 0},
    {"torch.vdot", inner, 0, 0, 0, 0},
    {"torch.inner", dense, 0, 1, 0, 0},
    {"torch.cdist", all_pairs, 0, 1, -2, 0},
    {"torch._cdist_forward", all_pairs, 0, 1, -2, 0},
    {"torch.bilinear", bilinear, 0, 2, 0, 0},
    {"torch.einsum", einsum, 0, 0, 0, 0},
    {"torch.lstm", sequence, 0, 2, 0, 0},
    {"torch.gru", sequence, 0, 2, 0, 0},
    {"torch.rnn_tanh", sequence, 0, 2, 0, 0},
    {"torch.rnn_relu", sequence, 0, 2, 0, 0},
    {"torch.lstm_cell", weighted, 0, 0, 0, BIT(2) + BIT(3)},
    {"torch.gru_cell", weighted, 0, 0, 0, BIT(2) + BIT(3)},
    {"torch.rnn_tanh_cell", weighted, 0, 0, 0, BIT(2) + BIT(3)},
    {"torch.rnn_relu_cell", weighted, 0, 0, 0, BIT(2) + BIT(3)},
    {"torch.scaled_dot_product_attention", attention, 0, 1, 0, NO_POSITION},
    {"torch._scaled_dot_product_flash_attention", attention, 0, 1, 0, NO_POSITION},
    {"torch._scaled_dot_product_flash_attention_for_cpu", attention, 0, 1, 0, NO_POSITION},
    {"torch._scaled_dot_product_efficient_attention", attention, 0, 1, 0, NO_POSITION},
    {"torch._scaled_dot_product_cudnn_attention", attention, 0, 1, 0, NO_POSITION},
    {"torch._scaled_dot_product_attention_math", attention, 0, 1, 0, NO_POSITION},
    {"torch._scaled_dot_product_flash_attention_backward", attention_gradients, 0, 0, 0, 0},
    {"torch._scaled_dot_product_flash_attention_for_cpu_backward", attention_gradients, 0, 0, 0, 0},
    {"torch._scaled_dot_product_efficient_attention_backward", attention_gradients, 0, 0, 0, 0},
    /* torch.nn and ncnn, by the class of a called module */
    {"nn.Linear", module_dense, 0, 0, 0, 0},
    {"nn.NonDynamicallyQuantizableLinear", module_dense, 0, 0, 0, 0},
    {"nn.Bilinear", module_bilinear, 0, 0, 0, 0},
    {"nn.Conv1d", module_convolution, 0, 0, 1, 0},
    {"nn.Conv2d", module_convolution, 0, 0, 1, 0},
    {"nn.Conv3d", module_convolution, 0, 0, 1, 0},
    {"nn.ConvTranspose1d", module_transposed, 0, 0, 1, 0},
    {"nn.ConvTranspose2d", module_transposed, 0, 0, 1, 0},
    {"nn.ConvTranspose3d", module_transposed, 0, 0, 1, 0},
    {"nn.LSTM", module_sequence, 0, 0, 0, 4},
    {"nn.GRU", module_sequence, 0, 0, 0, 3},
    {"nn.RNN", module_sequence, 0, 0, 0, 1},
    {"nn.LSTMCell", module_cell, 0, 0, 0, 4},
    {"nn.GRUCell", module_cell, 0, 0, 0, 3},
    {"nn.RNNCell", module_cell, 0, 0, 0, 1},
    {"nn.MultiheadAttention", module_attention, 0, 0, 0, 0},
    {"ncnn.Convolution", module_convolution, 0, 0, 0, 0},
    {"ncnn.ConvolutionDepthWise", module_convolution, 0, 0, 0, 0},
    {"ncnn.Deconvolution", module_transposed, 0, 0, 0, 0},
    {"ncnn.DeconvolutionDepthWise", module_transposed, 0, 0, 0, 0},
    {"ncnn.InnerProduct", module_flat, 0, 0, 0, 0},
    {"ncnn.Gemm", NULL, 0, 0, 0, 0},
    {"ncnn.MatMul", product, 0, 1, 0, 0},
    {"ncnn.MultiHeadAttention", NULL, 0, 0, 0, 0},
    {"hlo.dot", contracted, 0, 1, 0, 0},
    {"hlo.convolution", labelled, 0, 1, 0, 0},
    {"hlo.custom-call", NULL, 0, 0, 0, 0},
    {"hlo.fft", NULL, 0, 0, 0, 0},
};

/* ---- which rule ---- */

static int begins(gsp_str s, const char *with)
{
    size_t const n = strlen(with);
    return s.size >= n && memcmp(s.data, with, n) == 0;
}

/* "mm" of torch.ops.aten.mm.default, aten.mm.default, torch.mm and of a method mm; an in-place name
 * loses its underscore. */
static gsp_str word_of(gsp_str name)
{
    uint32_t const places = begins(name, "torch.ops.") ? 3u : begins(name, "aten.") ? 1u : 0u;
    uint32_t begin = 0;
    uint32_t end = name.size;
    uint32_t dots = 0;
    uint32_t i;
    gsp_str word;
    for (i = 0; i < name.size; i++) {
        if (name.data[i] == '.') {
            dots++;
            begin = places == 0u || dots <= places ? i + 1u : begin;
            end = places != 0u && dots == places + 1u ? i : end;
        }
    }
    word.data = name.data + begin;
    word.size = end - begin;
    if (word.size > 1u && word.data[word.size - 1u] == '_' && word.data[word.size - 2u] != '_') {
        word.size--;
    }
    return word;
}

static int is_torch(const gsp_graph *g, gsp_node v, gsp_str name)
{
    static const char *const places[] = {"torch.ops.aten.", "torch.ops.prim",
        "torch.ops.quantized.", "torch.ops.higher_order.", "torch.ops.inductor.",
        "torch.ops._c10d"};
    static const char *const roots[] = {
        "operator.", "_operator.", "math.", "builtins.", "aten.", "prims."};
    size_t i;
    if (gsp_node_op(g, v) == GSP_OP_CALL_METHOD) {
        return 1;
    }
    for (i = 0; i < CLI_COUNT(places); i++) {
        if (begins(name, places[i])) {
            return 1;
        }
    }
    for (i = 0; i < CLI_COUNT(roots); i++) {
        if (begins(name, roots[i])) {
            return 1;
        }
    }
    return begins(name, "torch.") && !begins(name, "torch.ops.");
}

static const rule *rule_of(const char *family, gsp_str word)
{
    size_t const n = strlen(family);
    size_t i;
    for (i = 0; i < CLI_COUNT(rules); i++) {
        if (strncmp(rules[i].name, family, n) == 0 &&
            gsp_str_equal(word, gsp_str_of(rules[i].name + n))) {
            return &rules[i];
        }
    }
    return NULL;
}

/* Words of PyTorch's operators that multiply; those with a rule were found before. */
static int sounds_like_products(gsp_str word)
{
    static const char *const parts[] = {"matmul", "conv", "linear", "attention", "lstm", "gru",
        "rnn", "einsum", "fft", "stft", "solve", "svd", "linalg_eig", "symeig", "cholesky",
        "inverse", "multi_dot", "chain_mat", "matrix_", "tensordot", "ransformer", "LinearCross",
        "LogSoftmaxWithLoss", "lstsq", "pdist", "linalg_inv", "linalg_pinv", "linalg_lu",
        "linalg_ldl", "linalg_qr", "linalg_det", "logdet", "householder", "tensorinv", "corrcoef"};
    static const char *const others[] = {"convert", "bilinear", "Bilinear2d", "linear1d",
        "trilinear3d", "nonlinear", "float32_matmul", "resolve", "slice_inverse", "fftshift",
        "fftfreq", "matrix_H"};
    static const char *const words[] = {"cov", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv",
        "pinv", "qr", "lu", "geqrf", "ormqr", "orgqr"};
    char text[96];
    size_t i;
    size_t const n = word.size < sizeof text - 1u ? word.size : sizeof text - 1u;
    memcpy(text, word.data, n);
    text[n] = '\0';
    for (i = 0; i < CLI_COUNT(others); i++) {
        if (strstr(text, others[i]) != NULL) {
            return 0;
        }
    }
    for (i = 0; i < CLI_COUNT(parts); i++) {
        if (strstr(text, parts[i]) != NULL) {
            return 1;
        }
    }
    for (i = 0; i < CLI_COUNT(words); i++) {
        if (strcmp(text, words[i]) == 0) {
            return 1;
        }
    }
    return n > 1u && strcmp(text + n - 2u, "mm") == 0;
}

/* 1 for an operator of ONNX itself and for those of ONNX Runtime that multiply nothing. */
static int is_plain_onnx(gsp_str name)
{
    static const char *const plain[] = {"BiasAdd", "BiasDropout", "BiasGelu", "BiasSoftmax",
        "BiasSplitGelu", "BifurcationDetector", "BitmaskBiasDropout", "BitmaskDropout",
        "BranchwiseRMSNorm", "ComplexMul", "ComplexMulConj", "CropAndResize", "DequantizeBFP",
        "DequantizeLinear", "DequantizeWithOrder", "EmbedLayerNormalization", "ExpandDims",
        "FastGelu", "GatedAdd", "GatedRMSNorm", "GatherBlockQuantized", "GatherND", "Gelu",
        "GemmaRotaryEmbedding", "GridSample", "GroupNorm", "IsAllFinite", "LayerNormalization",
        "MRotaryEmbedding", "MaxpoolWithMask", "MulInteger", "MurmurHash3", "NGramRepeatBlock",
        "NhwcMaxPool", "Pad", "QEmbedLayerNormalization", "QLinearAdd", "QLinearAveragePool",
        "QLinearConcat", "QLinearGlobalAveragePool", "QLinearLeakyRelu", "QLinearMul",
        "QLinearReduceMean", "QLinearSigmoid", "QLinearSoftmax", "QLinearWhere", "QOrderedGelu",
        "QOrderedLayerNormalization", "QuantizeBFP", "QuantizeLinear", "QuantizeWithOrder",
        "QuickGelu", "RMSNormRotary", "Range", "ReduceSumInteger", "RelativePositionBias",
        "RemovePadding", "RestorePadding", "RotaryEmbedding", "SampleOp", "ScaledSiLU",
        "SimplifiedLayerNormalization", "SkipGroupNorm", "SkipLayerNormalization",
        "SkipSimplifiedLayerNormalization", "SwiGLU", "Tokenizer", "TorchEmbedding", "Trilu",
        "UnfoldTensor", "Unique"};
    static const char place[] = "onnx.com.microsoft.";
    size_t i = 0;
    if (!begins(name, place)) {
        return memchr(name.data + 5u, '.', name.size - 5u) == NULL ||
               begins(name, "onnx.ai.onnx.ml.");
    }
    name.data += sizeof place - 1u;
    name.size -= (uint32_t)sizeof place - 1u;
    while (i < CLI_COUNT(plain) && !gsp_str_equal(name, gsp_str_of(plain[i]))) {
        i++;
    }
    return i < CLI_COUNT(plain);
}

/* The rule of a node. NULL: *has_none tells whether it multiplies nothing. */
static const rule *find_rule(const gsp_graph *g, gsp_node v, int *has_none)
{
    gsp_str const name = gsp_node_class(g, v);
    gsp_str word = word_of(name);
    const rule *r = rule_of("", name);
    *has_none = 0;
    if (r != NULL || name.size == 0) {
        return r;
    }
    if (gsp_node_op(g, v) == GSP_OP_CALL_MODULE) {
        int const of_torch = begins(name, "torch.");
        if (begins(word, "Lazy")) { /* it has the shapes of the class that it became */
            word.data += 4;
            word.size -= 4u;
        }
        r = of_torch ? rule_of("nn.", word) : NULL;
        *has_none = begins(name, "ncnn.") || (of_torch && !sounds_like_products(word));
    } else if (is_torch(g, v, name)) {
        r = rule_of("torch.", word);
        *has_none = !sounds_like_products(word);
    } else if (begins(name, "onnx.")) {
        *has_none = is_plain_onnx(name);
    } else {
        *has_none =
            begins(name, "hlo.") || (begins(name, "tflite.") && !begins(name, "tflite.custom."));
    }
    return r;
}

gsp_str cli_own_attr(const gsp_graph *g, gsp_node v, const char *key)
{
    const gsp_module *m = g->module;
    const gsp_attr *a = m->attrs + m->attr[g->first + v];
    gsp_str none = {NULL, 0};
    while (a->key != GSP_KEY_NONE && !gsp_str_equal(gsp_module_str(m, a->key), gsp_str_of(key))) {
        a++;
    }
    return a->key != GSP_KEY_NONE ? gsp_module_str(m, a->value) : none;
}

cli_macs cli_node_macs(const gsp_graph *g, gsp_node v)
{
    cli_macs found = {0.0, CLI_MACS_EXACT};
    int has_none;
    const rule *r;
    operation op;
    if (!gsp_node_is_callable(g, v) || gsp_str_decimal(cli_own_attr(g, v, "macs"), &found.n)) {
        return found; /* what the exporter states is exact */
    }
    r = find_rule(g, v, &has_none);
    if (r == NULL || r->macs == NULL) {
        found.state = r == NULL && has_none ? CLI_MACS_EXACT : CLI_MACS_NO_RULE;
        return found;
    }
    op.g = g;
    op.v = v;
    op.known = 1;
    op.out = node_shape(&op, v);
    found.n = r->macs(&op, r);
    found.state = op.known ? CLI_MACS_EXACT : CLI_MACS_NO_SHAPE;
    if (!(found.n >= 0.0) || found.n > 1e300) {
        found.n = 0.0;
        found.state = CLI_MACS_NO_SHAPE;
    }
    return found;
}

/* ---- classes ---- */

#define LITTLE_REUSE 64.0 /* MACs per element of the result */

const char *cli_macs_class(const gsp_graph *g, gsp_node v)
{
    int has_none;
    const rule *r = gsp_node_is_callable(g, v) ? find_rule(g, v, &has_none) : NULL;
    double (*const macs)(operation *, const rule *) = r != NULL ? r->macs : NULL;
    operation op;
    if (macs == NULL) {
        return "other";
    }
    if (macs == weighted || macs == cell || macs == sequence || macs == module_sequence ||
        macs == module_cell) {
        return "recurrent";
    }
    if (macs == attention || macs == projected_attention || macs == attention_gradients ||
        macs == module_attention || macs == linear_attention) {
        return "attention";
    }
    if (macs != convolution && macs != transposed && macs != either && macs != labelled &&
        macs != convolution_gradients && macs != module_convolution && macs != module_transposed) {
        return "matmul";
    }
    op.g = g;
    op.v = v;
    op.known = 1;
    op.out = node_shape(&op, v);
    return macs(&op, r) <= LITTLE_REUSE * op.out.elements ? "depthwise" : "conv";
}

/* ---- with the graphs that nodes run ---- */

static uint32_t worse(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The node itself and what it runs; totals: of graphs that are done. */
static cli_macs with_graphs(const gsp_graph *g, gsp_node v, const cli_macs *totals)
{
    cli_macs sum = {0.0, CLI_MACS_EXACT};
    cli_macs branch = {0.0, CLI_MACS_EXACT};
    cli_macs loop = {0.0, CLI_MACS_EXACT};
    uint64_t trips = 1;
    int any = 0;
    int const stated = gsp_str_decimal(cli_own_attr(g, v, "macs"), &sum.n);
    gsp_called c;
    memset(&c, 0, sizeof c);
    sum.n = 0.0;
    while (!stated && gsp_called_next(g, v, &c)) {
        cli_macs *to = c.role == GSP_ROLE_BRANCH ? &branch : c.role == GSP_ROLE_LOOP ? &loop : &sum;
        const cli_macs *t = &totals[c.graph];
        any = 1;
        if (c.role != GSP_ROLE_INIT) {
            to->n = to == &branch ? (t->n > to->n ? t->n : to->n) : to->n + t->n;
            to->state = worse(to->state, t->state);
        }
        if (c.role == GSP_ROLE_LOOP && !gsp_str_number(cli_own_attr(g, v, "trips"), &trips)) {
            loop.state = worse(loop.state, CLI_MACS_LEAST);
        }
    }
    if (!any) {
        return cli_node_macs(g, v);
    }
    sum.n += branch.n + loop.n * (double)trips;
    sum.state = worse(sum.state, worse(branch.state, loop.state));
    return sum;
}

int cli_graphs_macs(cli_session *s, const gsp_module *module, cli_macs *macs)
{
    cli_macs *totals = (cli_macs *)cli_alloc(s, module->counts.graphs, sizeof *totals);
    gsp_calls_result calls;
    gsp_arena arena;
    gsp_error err;
    uint32_t i;
    cli_arena(s, &arena, gsp_calls_bound(module));
    if (gsp_calls_run(&arena, module, &calls, &err) != GSP_OK) {
        return cli_pass_error(s, NULL, &err);
    }
    for (i = 0; i < calls.n_graphs; i++) {
        gsp_graph const g = gsp_module_graph(module, calls.order[i]);
        cli_macs *total = &totals[g.id];
        gsp_node v;
        for (v = 0; v < g.n_nodes; v++) {
            macs[g.first + v] = with_graphs(&g, v, totals);
            total->n += macs[g.first + v].n;
            total->state = worse(total->state, macs[g.first + v].state);
        }
    }
    cli_release(s, arena.base);
    cli_release(s, totals);
    return CLI_EXIT_OK;
}

/* Adds the name of an operator without a rule, once. */
static void add_name(cli_macs_share *share, const gsp_graph *g, gsp_node v)
{
    gsp_str const name = gsp_node_class(g, v);
    uint32_t i = 0;
    while (i < share->n_names && i < CLI_MACS_NAMES && !gsp_str_equal(share->names[i], name)) {
        i++;
    }
    if (i == share->n_names || i == CLI_MACS_NAMES) {
        share->n_names += i == share->n_names;
        if (i < CLI_MACS_NAMES) {
            share->names[i] = name;
        } else {
            share->n_names = CLI_MACS_NAMES + 1u;
        }
    }
}

void cli_macs_share_of(
    const gsp_graph *graph, const cli_macs *macs, const uint8_t *kind, cli_macs_share *share)
{
    const gsp_module *m = graph->module;
    gsp_node v;
    memset(share, 0, sizeof *share);
    for (v = 0; v < graph->n_nodes; v++) {
        const cli_macs *const of = &macs[graph->first + v];
        share->unknown += of->state > CLI_MACS_LEAST ? 1u : 0u;
        share->least |= of->state == CLI_MACS_LEAST;
        if (of->state <= CLI_MACS_LEAST && kind[v] != GSP_KIND_NONE) {
            share->all += of->n;
            share->of_kind[kind[v]] += of->n;
            share->on_acc += kind[v] != GSP_KIND_CPU ? of->n : 0.0;
        }
    }
    for (uint32_t i = 0; i < m->counts.graphs && share->unknown != 0; i++) {
        gsp_graph const g = gsp_module_graph(m, i);
        for (v = 0; v < g.n_nodes; v++) {
            gsp_called c;
            memset(&c, 0, sizeof c);
            if (!gsp_called_next(&g, v, &c) && cli_node_macs(&g, v).state == CLI_MACS_NO_RULE) {
                add_name(share, &g, v);
            }
        }
    }
}
