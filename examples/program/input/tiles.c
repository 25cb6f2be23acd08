/* The operators of a graph as tiles see them: which rows of their inputs they need. */
#include "input/input.h"

#include <string.h>

typedef enum manner {
    POINTS,       /* each element of the result from the elements of its place */
    CHANNELS,     /* joined along the channels */
    CHANNEL_WISE, /* with constants of a channel each */
    WINDOW,
    AVERAGE, /* of what is no padding */
    PADDING,
    RESIZE /* larger by whole factors */
} manner;

typedef struct rule {
    const char *name;
    manner how;
} rule;

static const rule tflite_rules[] = {
    {"ABS", POINTS},
    {"ADD", POINTS},
    {"AVERAGE_POOL_2D", AVERAGE},
    {"CONCATENATION", CHANNELS},
    {"CONV_2D", WINDOW},
    {"DEPTHWISE_CONV_2D", WINDOW},
    {"DEQUANTIZE", POINTS},
    {"DIV", POINTS},
    {"ELU", POINTS},
    {"EXP", POINTS},
    {"HARD_SWISH", POINTS},
    {"LEAKY_RELU", POINTS},
    {"LOGISTIC", POINTS},
    {"MAXIMUM", POINTS},
    {"MAX_POOL_2D", WINDOW},
    {"MINIMUM", POINTS},
    {"MUL", POINTS},
    {"NEG", POINTS},
    {"PAD", PADDING},
    {"PADV2", PADDING},
    {"PRELU", POINTS},
    {"QUANTIZE", POINTS},
    {"RELU", POINTS},
    {"RELU6", POINTS},
    {"RELU_N1_TO_1", POINTS},
    {"RESIZE_BILINEAR", RESIZE},
    {"RESIZE_NEAREST_NEIGHBOR", RESIZE},
    {"RSQRT", POINTS},
    {"SQRT", POINTS},
    {"SQUARE", POINTS},
    {"SQUARED_DIFFERENCE", POINTS},
    {"SUB", POINTS},
    {"TANH", POINTS},
};

static const rule onnx_rules[] = {
    {"Abs", POINTS},
    {"Add", POINTS},
    {"AveragePool", WINDOW},
    {"BatchNormalization", CHANNEL_WISE},
    {"Clip", POINTS},
    {"Concat", CHANNELS},
    {"Conv", WINDOW},
    {"DequantizeLinear", POINTS},
    {"Div", POINTS},
    {"Elu", POINTS},
    {"Exp", POINTS},
    {"HardSigmoid", POINTS},
    {"HardSwish", POINTS},
    {"Identity", POINTS},
    {"LeakyRelu", POINTS},
    {"Max", POINTS},
    {"MaxPool", WINDOW},
    {"Min", POINTS},
    {"Mul", POINTS},
    {"Neg", POINTS},
    {"PRelu", POINTS},
    {"QLinearConv", WINDOW},
    {"QuantizeLinear", POINTS},
    {"Relu", POINTS},
    {"Resize", RESIZE},
    {"Selu", POINTS},
    {"Sigmoid", POINTS},
    {"Softplus", POINTS},
    {"Sqrt", POINTS},
    {"Sub", POINTS},
    {"Tanh", POINTS},
    {"com.microsoft.QLinearAdd", POINTS},
    {"com.microsoft.QLinearConcat", CHANNELS},
    {"com.microsoft.QLinearLeakyRelu", POINTS},
    {"com.microsoft.QLinearMul", POINTS},
    {"com.microsoft.QLinearSigmoid", POINTS},
};

#define RANK        4u
#define MOST_FACTOR 64u
#define MOST_EXACT  (1u << 24) /* rows that floats tell apart */

/* Values of three dimensions have columns alone: the steps of a 1-D convolution. */
#define LEAST_RANK 3u

typedef struct work {
    cli_session *session;
    const gsp_graph *g;
    const gsp_memory_plan_result *plan;
    tile_graph *t;
    uint64_t *dims; /* [nodes][RANK] aligned to the last */
    uint32_t *rank; /* [nodes] RANK + 1 if it is larger, or a dimension is 0 */
    uint32_t axis;  /* of rows; columns follow */
    int is_onnx;
    gsp_str open; /* a dimension that is no number */
} work;

static void read_shape(work *w, gsp_node v)
{
    uint64_t *dims = w->dims + (size_t)v * RANK;
    gsp_str const type = gsp_node_type(w->g, v);
    uint32_t at = 0;
    uint32_t i = 0;
    uint32_t n = 0;
    uint64_t number = 1;
    gsp_str dtype;
    gsp_str list;
    gsp_str dim;
    w->rank[v] = RANK + 1u;
    if (!gsp_type_next(type, &at, &dtype, &list)) {
        return;
    }
    dims[0] = dims[1] = dims[2] = dims[3] = 1;
    for (; n < RANK && cli_next_dim(list, &i, &dim); n++) {
        if (!gsp_str_number(dim, &number)) {
            w->open = dim;
            return;
        }
        if (number == 0 || number > UINT32_MAX / 2u) {
            return;
        }
        memmove(dims, dims + 1, (RANK - 1u) * sizeof *dims);
        dims[RANK - 1u] = number;
    }
    if (!cli_next_dim(list, &i, &dim) && !gsp_type_next(type, &at, &dtype, &list)) {
        w->rank[v] = n;
    }
}

/* "3x2" of an attribute; 0 if there is none. */
static int read_pair(const gsp_graph *g, gsp_node v, const char *key, uint32_t pair[2])
{
    gsp_str text = cli_own_attr(g, v, key);
    gsp_str const all = text;
    uint64_t n[2];
    uint32_t at = 0;
    while (at < all.size && all.data[at] != 'x') {
        at++;
    }
    text.size = at;
    if (at == all.size || !gsp_str_number(text, &n[0])) {
        return 0;
    }
    text.data = all.data + at + 1u;
    text.size = all.size - at - 1u;
    if (!gsp_str_number(text, &n[1]) || n[0] - 1u >= UINT32_MAX / 4u ||
        n[1] - 1u >= UINT32_MAX / 4u) {
        return 0;
    }
    pair[0] = (uint32_t)n[0];
    pair[1] = (uint32_t)n[1];
    return 1;
}

static int is_target(const work *w, gsp_node v, const char *name)
{
    return gsp_str_equal(gsp_node_target(w->g, v), gsp_str_of(name));
}

static int begins_with(gsp_str text, const char *with)
{
    size_t const n = strlen(with);
    return text.size >= n && memcmp(text.data, with, n) == 0;
}

/* A float that meets weights of 8 bits is scaled by the largest element of all rows. */
static int is_hybrid(const gsp_graph *g, gsp_node v, const gsp_node *in, uint32_t n)
{
    return n > 1u && begins_with(gsp_node_type(g, in[0]), "f") &&
           !begins_with(gsp_node_type(g, in[1]), "f") && begins_with(gsp_node_type(g, v), "f");
}

/* The argument of a keyword; behind all if there is none. */
static uint32_t find_key(const gsp_graph *g, gsp_node v, const char *key)
{
    uint32_t n;
    const gsp_arg *args = gsp_node_args(g, v, &n);
    uint32_t i;
    for (i = 0; i + 1u < n; i++) {
        if (args[i].kind == GSP_ARG_KEY &&
            gsp_str_equal(gsp_module_str(g->module, args[i].value), gsp_str_of(key))) {
            return i + 1u;
        }
    }
    return n;
}

/* Integers of a keyword such as `pads: [1, 1, 1, 1]`; they stay if there is none. 0 if they are
 * others, or of another number. */
static int read_list(const gsp_graph *g, gsp_node v, const char *key, uint32_t n, uint32_t *out)
{
    uint32_t n_args;
    const gsp_arg *args = gsp_node_args(g, v, &n_args);
    uint32_t i = find_key(g, v, key);
    uint32_t k;
    if (i == n_args) {
        return 1;
    }
    for (i++, k = 0; k < n; i++, k++) {
        uint64_t number;
        if (i >= n_args || args[i].kind != GSP_ARG_CONSTANT ||
            !gsp_str_number(gsp_module_str(g->module, args[i].value), &number) ||
            number > UINT32_MAX / 4u) {
            return 0;
        }
        out[k] = (uint32_t)number;
    }
    return i < n_args && args[i].kind == GSP_ARG_CLOSE;
}

/* A word or a number, without quotes; empty if there is none. */
static gsp_str read_word(const gsp_graph *g, gsp_node v, const char *key)
{
    uint32_t n;
    const gsp_arg *args = gsp_node_args(g, v, &n);
    uint32_t const i = find_key(g, v, key);
    gsp_str text = gsp_str_of("");
    if (i < n && args[i].kind == GSP_ARG_CONSTANT) {
        text = gsp_module_str(g->module, args[i].value);
    }
    if (text.size > 1u && (text.data[0] == '\'' || text.data[0] == '"')) {
        text.data++;
        text.size -= 2u;
    }
    return text;
}

/* Kernel with dilation, strides and padding of rows and columns. */
typedef struct window {
    uint32_t span[GSP_TILES_AXES];
    uint32_t stride[GSP_TILES_AXES];
    uint32_t pads[2u * GSP_TILES_AXES]; /* all before, then all after */
    int is_same;                        /* padding is what the shapes need, one half of it before */
    int is_lower;                       /* the larger one */
} window;

static int read_tflite(const work *w, gsp_node v, window *to)
{
    to->is_same = gsp_str_equal(cli_own_attr(w->g, v, "padding"), gsp_str_of("same"));
    return (read_pair(w->g, v, "span", to->span) || read_pair(w->g, v, "kernel", to->span)) &&
           read_pair(w->g, v, "stride", to->stride);
}

/* The first axis that a value has. */
static uint32_t first_axis(const work *w, gsp_node v)
{
    return RANK - w->rank[v];
}

static int has_axes(const work *w, gsp_node v)
{
    return w->rank[v] == RANK || (w->is_onnx && w->rank[v] == LEAST_RANK);
}

static int read_onnx(const work *w, gsp_node v, window *to)
{
    uint32_t const first = first_axis(w, v);
    uint32_t const n_axes = GSP_TILES_AXES - first;
    uint32_t pads[2u * GSP_TILES_AXES] = {0};
    uint32_t dilation[GSP_TILES_AXES] = {1, 1};
    uint32_t n_in;
    const gsp_node *in = gsp_node_inputs(w->g, v, &n_in);
    uint32_t const weights = is_target(w, v, "onnx.QLinearConv") ? 3u : 1u;
    gsp_str const padding = read_word(w->g, v, "auto_pad");
    uint32_t i;
    to->span[0] = to->stride[0] = to->stride[1] = 1;
    to->is_lower = gsp_str_equal(padding, gsp_str_of("SAME_LOWER"));
    to->is_same = to->is_lower || gsp_str_equal(padding, gsp_str_of("SAME_UPPER"));
    if (n_in > weights && w->rank[in[weights]] == w->rank[v]) {
        for (i = first; i < GSP_TILES_AXES; i++) {
            to->span[i] = (uint32_t)w->dims[(size_t)in[weights] * RANK + w->axis + i];
        }
    }
    if (!read_list(w->g, v, "kernel_shape", n_axes, to->span + first) ||
        !read_list(w->g, v, "strides", n_axes, to->stride + first) ||
        !read_list(w->g, v, "dilations", n_axes, dilation + first) ||
        !read_list(w->g, v, "pads", 2u * n_axes, pads)) {
        return 0;
    }
    memcpy(to->pads + first, pads, n_axes * sizeof *pads);
    memcpy(to->pads + GSP_TILES_AXES + first, pads + n_axes, n_axes * sizeof *pads);
    for (i = 0; i < GSP_TILES_AXES; i++) {
        if (to->span[i] == 0 || to->stride[i] == 0 || dilation[i] == 0 ||
            to->span[i] > UINT32_MAX / 4u / dilation[i]) {
            return 0;
        }
        to->span[i] = (to->span[i] - 1u) * dilation[i] + 1u;
    }
    return 1;
}

/* What PAD reads, with the element of PADV2 before a pool of the largest. */
static void set_constants(const work *w, gsp_node v, gsp_tile_op *o)
{
    const uint64_t *dims = w->dims + (size_t)v * RANK;
    uint64_t const element = gsp_node_bytes(w->g, v) / dims[0] / dims[1] / dims[2] / dims[3];
    o->padding = 2u * RANK * 4u;
    o->filler = is_target(w, v, "tflite.MAX_POOL_2D") ? (uint32_t)element : 0u;
}

static const char *set_windows(work *w, gsp_node v, manner how, gsp_tile_op *o)
{
    const uint64_t *out = w->dims + (size_t)v * RANK + w->axis;
    const uint64_t *in = w->dims + (size_t)w->t->ins[o->first_in] * RANK + w->axis;
    window own;
    int is_same = 0;
    uint32_t i;
    memset(&own, 0, sizeof own);
    if (w->is_onnx ? !read_onnx(w, v, &own) : !read_tflite(w, v, &own)) {
        return "has attributes that are not known";
    }
    o->kind = w->is_onnx ? GSP_TILE_PADDING : GSP_TILE_OP; /* ONNX pads each side by itself */
    if (!w->is_onnx) {
        set_constants(w, v, o);
    }
    for (i = first_axis(w, v); i < GSP_TILES_AXES; i++) {
        uint64_t const needs = (out[i] - 1u) * own.stride[i] + own.span[i];
        uint64_t const pads = needs > in[i] ? needs - in[i] : 0u;
        uint32_t const before =
            own.is_same ? (uint32_t)(pads + (own.is_lower ? 1u : 0u)) / 2u : own.pads[i];
        if (own.is_same ? pads >= own.span[i] : pads > before + own.pads[GSP_TILES_AXES + i]) {
            return "has another shape than its attributes tell";
        }
        if (own.is_same && out[i] != (in[i] - 1u) / own.stride[i] + 1u) {
            return "has another shape than its attributes tell";
        }
        is_same |= pads != 0 && how == AVERAGE;
        o->window[i].span = own.span[i];
        o->window[i].stride = own.stride[i];
        o->window[i].before = before;
    }
    o->window[0].is_same = o->window[1].is_same =
        is_same ? 1u : 0u; /* explicit padding would be counted */
    return NULL;
}

static int is_one_of(gsp_str word, const char *a, const char *b)
{
    return word.size == 0 || gsp_str_equal(word, gsp_str_of(a)) ||
           gsp_str_equal(word, gsp_str_of(b));
}

/* Whether row i of a nearest neighbour is i / factor, as rounding of the kernels of TensorFlow Lite
 * leaves it: those compute in floats. */
static int is_exact(const work *w, gsp_node v, uint64_t rows, uint64_t factor)
{
    int const half = !is_one_of(cli_own_attr(w->g, v, "half_pixel_centers"), "0", "false");
    volatile float const scale = 1.0f / (float)factor;
    uint64_t i = 0;
    while (i < rows && rows <= MOST_EXACT) {
        volatile float const place = ((float)i + (half ? 0.5f : 0.0f)) * scale;
        if ((uint64_t)place != i / factor) {
            break;
        }
        i++;
    }
    return i == rows;
}

/* Powers of two keep the place of every row exact. Other factors round places between rows. */
static const char *set_factors(work *w, gsp_node v, gsp_tile_op *o)
{
    const uint64_t *out = w->dims + (size_t)v * RANK + w->axis;
    const uint64_t *in = w->dims + (size_t)w->t->ins[o->first_in] * RANK + w->axis;
    int const is_nearest =
        gsp_str_equal(w->is_onnx ? read_word(w->g, v, "mode") : gsp_node_target(w->g, v),
            gsp_str_of(w->is_onnx ? "nearest" : "tflite.RESIZE_NEAREST_NEIGHBOR"));
    uint32_t i;
    if (w->is_onnx
            ? !is_one_of(read_word(w->g, v, "coordinate_transformation_mode"), "half_pixel",
                  "asymmetric") ||
                  !is_one_of(read_word(w->g, v, "mode"), "nearest", "linear") ||
                  read_word(w->g, v, "keep_aspect_ratio_policy").size != 0 || w->rank[v] != RANK
            : !is_one_of(cli_own_attr(w->g, v, "align_corners"), "0", "false")) {
        return "places rows by how many there are";
    }
    for (i = 0; i < GSP_TILES_AXES; i++) {
        uint64_t const factor = in[i] != 0 ? out[i] / in[i] : 0u;
        if (factor == 0 || factor * in[i] != out[i] || factor > MOST_FACTOR) {
            return "makes rows larger by no whole factor of at most 64";
        }
        if ((factor & (factor - 1u)) != 0 &&
            (!is_nearest || (!w->is_onnx && !is_exact(w, v, out[i], factor)))) {
            return "interpolates by a factor that is no power of two, which rounds by place";
        }
        o->window[i].factor = (uint32_t)factor;
        o->window[i].margin = is_nearest && !w->is_onnx ? 0u : 1u;
    }
    return NULL;
}

static const char *set_padding(work *w, gsp_node v, gsp_tile_op *o)
{
    int32_t pads[2 * RANK];
    uint32_t i;
    if (!cli_tflite_paddings(w->session, w->g, v, pads)) {
        return "has paddings that the file does not state";
    }
    for (i = 0; i < 2u * RANK; i++) {
        int const tiled = i >= 2u * w->axis && i < 2u * (w->axis + GSP_TILES_AXES);
        if (pads[i] < 0 || (!tiled && pads[i] != 0)) {
            return "pads more than rows and columns";
        }
    }
    o->kind = GSP_TILE_PADDING;
    set_constants(w, v, o);
    for (i = 0; i < GSP_TILES_AXES; i++) {
        o->window[i].before = (uint32_t)pads[2u * (w->axis + i)];
    }
    return NULL;
}

/* Inputs of the graph may lie elsewhere; other values are in tensors, or views. */
static uint32_t tensor_of(const work *w, gsp_node v)
{
    int const is_elsewhere = gsp_node_op(w->g, v) == GSP_OP_PLACEHOLDER;
    uint32_t const tensor = w->plan->tensor_of[v];
    return tensor == GSP_NONE && is_elsewhere ? w->plan->n_tensors : tensor;
}

/* Inputs that have memory, and whether constants differ by row. */
static const char *set_inputs(work *w, gsp_node v, manner how, gsp_tile_op *o)
{
    const uint64_t *out = w->dims + (size_t)v * RANK;
    uint32_t n;
    uint32_t i;
    uint32_t k;
    const gsp_node *in = gsp_node_inputs(w->g, v, &n);
    o->n_in = 0;
    for (i = 0; i < n; i++) {
        const uint64_t *dims = w->dims + (size_t)in[i] * RANK;
        int const is_point = how == POINTS || how == CHANNELS;
        int const is_given = w->t->ops[in[i]].kind != GSP_TILE_NONE;
        if (is_given && (tensor_of(w, in[i]) == GSP_NONE || w->rank[in[i]] != w->rank[v])) {
            return "reads values of several ranks";
        }
        for (k = first_axis(w, v); is_point && k < GSP_TILES_AXES; k++) {
            if (w->rank[in[i]] > RANK || dims[w->axis + k] != (is_given ? out[w->axis + k] : 1u)) {
                return is_given ? "reads values of several shapes"
                                : "reads a constant that differs by place";
            }
        }
        if (how == CHANNEL_WISE && !is_given && w->rank[in[i]] != 1u) {
            return "reads a constant that differs by place";
        }
        if (is_given && o->n_in == GSP_TILES_INPUTS) {
            return "reads too many values";
        }
        if (is_given) {
            w->t->ins[o->first_in + o->n_in++] = in[i];
        }
    }
    return o->n_in == 0 || (!(how == POINTS || how == CHANNELS) && o->n_in != 1u)
               ? "reads weights that are computed"
               : NULL;
}

static const rule *find_rule(const work *w, gsp_str target)
{
    const rule *list = w->is_onnx ? onnx_rules : tflite_rules;
    size_t const n = w->is_onnx ? CLI_COUNT(onnx_rules) : CLI_COUNT(tflite_rules);
    const char *prefix = w->is_onnx ? "onnx." : "tflite.";
    size_t i;
    if (!begins_with(target, prefix)) {
        return NULL;
    }
    target.data += strlen(prefix);
    target.size -= (uint32_t)strlen(prefix);
    for (i = 0; i < n && !gsp_str_equal(target, gsp_str_of(list[i].name)); i++) {
    }
    return i < n ? &list[i] : NULL;
}

/* Whether values are joined along the channels. */
static int joins_channels(const work *w, gsp_node v)
{
    gsp_str const axis = w->is_onnx ? read_word(w->g, v, "axis") : cli_own_attr(w->g, v, "axis");
    return gsp_str_equal(axis, gsp_str_of(w->is_onnx ? "1" : "3")) ||
           gsp_str_equal(axis, gsp_str_of(!w->is_onnx          ? "-1"
                                          : w->rank[v] == RANK ? "-3"
                                                               : "-2"));
}

/* Why an operator cannot run in tiles; NULL if it can. */
static const char *set_op(work *w, gsp_node v, gsp_tile_op *o)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(w->g, v, &n);
    const rule *r = find_rule(w, gsp_node_target(w->g, v));
    const char *why;
    if (r == NULL) {
        return "is none of the operators that can";
    }
    if (!has_axes(w, v) || tensor_of(w, v) == GSP_NONE) {
        return w->is_onnx ? "has no single result of three or four known dimensions"
                          : "has no single result of four known dimensions";
    }
    if ((why = set_inputs(w, v, r->how, o)) != NULL) {
        return why;
    }
    if (!w->is_onnx && is_hybrid(w->g, v, in, n)) {
        return "scales its input by the largest element of all rows";
    }
    if (r->how == CHANNEL_WISE &&
        !gsp_str_equal(read_word(w->g, v, "training_mode"), gsp_str_of("")) &&
        !gsp_str_equal(read_word(w->g, v, "training_mode"), gsp_str_of("0"))) {
        return "computes statistics of all rows";
    }
    if (r->how == CHANNELS && !joins_channels(w, v)) {
        return "joins other dimensions than channels";
    }
    return r->how == WINDOW || r->how == AVERAGE ? set_windows(w, v, r->how, o)
           : r->how == PADDING                   ? set_padding(w, v, o)
           : r->how == RESIZE                    ? set_factors(w, v, o)
                                                 : NULL;
}

/* Weights that an operator scales, such as those of QuantizeLinear and DequantizeLinear. */
static int is_constant(const work *w, gsp_node v)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(w->g, v, &n);
    uint32_t i = 0;
    while (i < n && w->t->ops[in[i]].kind == GSP_TILE_NONE) {
        i++;
    }
    return n != 0 && i == n;
}

static void read_op(work *w, gsp_node v)
{
    gsp_tile_op *o = &w->t->ops[v];
    gsp_tile_value *value = &w->t->values[v];
    uint32_t i;
    o->first_in = v == 0 ? 0u : o[-1].first_in + o[-1].n_in;
    o->kind = gsp_node_op(w->g, v) == GSP_OP_GET_ATTR ? GSP_TILE_NONE : GSP_TILE_FIXED;
    value->bytes = gsp_node_bytes(w->g, v);
    value->tensor = tensor_of(w, v);
    for (i = 0; i < GSP_TILES_AXES; i++) {
        value->rows[i] = (uint32_t)w->dims[(size_t)v * RANK + w->axis + i]; /* 0 if not known */
        o->window[i].span = o->window[i].stride = 1;
    }
    if (w->is_onnx && w->rank[v] == LEAST_RANK) {
        value->rows[0] = 1;
    }
    if (!gsp_node_is_callable(w->g, v)) {
        return;
    }
    o->is_op = 1;
    if (is_constant(w, v)) {
        o->kind = GSP_TILE_NONE;
        w->t->why[v] = "is computed from constants";
        return;
    }
    o->kind = GSP_TILE_OP;
    o->macs = cli_whole(cli_node_macs(w->g, v).n);
    w->t->why[v] = set_op(w, v, o);
    if (w->t->why[v] != NULL) {
        o->kind = GSP_TILE_FIXED;
        o->n_in = 0;
    }
}

int cli_tiles_read(cli_session *s, const gsp_graph *g, const gsp_memory_plan_result *plan,
    uint64_t align, tile_graph *t)
{
    work w;
    gsp_node v;
    gsp_tensor *tensors;
    size_t edges = 1;
    memset(&w, 0, sizeof w);
    memset(t, 0, sizeof *t);
    for (v = 0; v < g->n_nodes; v++) {
        uint32_t n;
        (void)gsp_node_inputs(g, v, &n);
        edges += n;
    }
    w.session = s;
    w.is_onnx = cli_tflite_model(s) == NULL;
    w.axis = w.is_onnx ? 2u : 1u;
    w.g = g;
    w.plan = plan;
    w.t = t;
    w.dims = (uint64_t *)cli_alloc(s, (size_t)g->n_nodes + 1u, RANK * sizeof *w.dims);
    w.rank = (uint32_t *)cli_alloc(s, (size_t)g->n_nodes + 1u, sizeof *w.rank);
    t->n = g->n_nodes;
    t->align = align;
    t->stream = t->first = t->last = GSP_NONE;
    t->slice = w.is_onnx ? 3u * GSP_TILES_AXES * 8u : 2u * RANK * 4u;
    t->n_tensors = plan->n_tensors + 1u; /* the last one: elsewhere */
    tensors = (gsp_tensor *)cli_alloc(s, t->n_tensors, sizeof *tensors);
    memcpy(tensors, plan->tensors, plan->n_tensors * sizeof *tensors);
    t->tensors = tensors;
    t->ops = (gsp_tile_op *)cli_alloc(s, (size_t)t->n + 1u, sizeof *t->ops);
    t->values = (gsp_tile_value *)cli_alloc(s, (size_t)t->n + 1u, sizeof *t->values);
    t->ins = (uint32_t *)cli_alloc(s, edges, sizeof *t->ins);
    t->n_ins = (uint32_t)edges;
    t->why = (const char **)cli_alloc(s, (size_t)t->n + 1u, sizeof *t->why);
    for (v = 0; v < g->n_nodes; v++) {
        read_shape(&w, v);
    }
    if (w.open.size != 0) {
        char *dim = cli_copy(s, w.open);
        return cli_error(s, GSP_STATUS_ARG,
            "--tile requires sizes that are known, and %s depends on %s: give --dim %s=N", s->path,
            dim, dim);
    }
    for (v = 0; v < g->n_nodes; v++) {
        read_op(&w, v);
        t->macs += (double)t->ops[v].macs;
    }
    return CLI_EXIT_OK;
}

/* Bytes of the sums of a row of a mean, of 4 per element, where all rows of its windows are there
 * and take more than that. Each row is in one window. */
static uint64_t sums_of(const work *w, gsp_node v, gsp_node from, const gsp_tile_window *rows)
{
    const uint64_t *dims = w->dims + (size_t)v * RANK;
    uint64_t const out = w->t->values[v].rows[0];
    uint64_t const in = w->t->values[from].rows[0];
    uint64_t const sums = 4u * (dims[0] * dims[1] * dims[2] * dims[3] / out);
    if (rows->before != 0 || (out - 1u) * rows->stride + rows->span > in ||
        (rows->stride < rows->span && out != 1u) || gsp_node_bytes(w->g, v) / out > sums) {
        return 0;
    }
    return (rows->span - 1u) * (gsp_node_bytes(w->g, from) / in) > sums ? sums : 0u;
}

/* Whether an operator is a mean of rows side by side. */
static int is_average(const work *w, gsp_node v)
{
    uint32_t dilation[GSP_TILES_AXES] = {1, 1};
    return is_target(w, v, "tflite.AVERAGE_POOL_2D") ||
           (is_target(w, v, "onnx.AveragePool") && w->rank[v] == RANK &&
               read_list(w->g, v, "dilations", GSP_TILES_AXES, dilation) && dilation[0] == 1u);
}

/* Whether the shapes tell that a mean is of all rows and columns, which it may leave out. */
static int is_of_space(const work *w, gsp_node v, gsp_node from)
{
    const uint64_t *in = w->dims + (size_t)from * RANK;
    const uint64_t *out = w->dims + (size_t)v * RANK;
    if (w->rank[from] != RANK || in[0] != 1u) {
        return 0;
    }
    return w->rank[v] == RANK ? out[1] == in[1] && out[2] == 1u && out[3] == 1u
                              : w->rank[v] == 2u && out[3] == in[1] && in[1] != 1u &&
                                    in[1] != in[2] && in[1] != in[3];
}

/* A mean of ONNX of all rows and columns runs by rows if it can add them. Returns how many inputs
 * there are with it. */
static uint32_t set_mean(const work *w, gsp_node v, uint32_t n_ins)
{
    tile_graph *t = w->t;
    gsp_tile_op made = t->ops[v];
    uint32_t n;
    uint32_t i;
    const gsp_node *in = gsp_node_inputs(w->g, v, &n);
    if ((!is_target(w, v, "onnx.GlobalAveragePool") && !is_target(w, v, "onnx.ReduceMean") &&
            !is_target(w, v, "onnx.com.microsoft.QLinearGlobalAveragePool")) ||
        t->ops[in[0]].kind == GSP_TILE_NONE || t->values[in[0]].tensor == GSP_NONE ||
        t->values[v].tensor == GSP_NONE || !is_of_space(w, v, in[0])) {
        return n_ins;
    }
    for (i = 0; i < GSP_TILES_AXES; i++) {
        made.window[i].span = made.window[i].stride = t->values[in[0]].rows[i];
    }
    made.sums = sums_of(w, v, in[0], &made.window[0]);
    if (made.sums == 0) {
        return n_ins;
    }
    made.kind = GSP_TILE_OP;
    made.first_in = n_ins;
    made.n_in = 1;
    t->ops[v] = made;
    t->ins[n_ins] = in[0];
    t->values[v].rows[0] = t->values[v].rows[1] = 1;
    t->why[v] = NULL;
    return n_ins + 1u;
}

void cli_tiles_by_rows(cli_session *s, const gsp_graph *g, tile_graph *t)
{
    work w;
    gsp_node v;
    uint32_t n_ins = t->n != 0 ? t->ops[t->n - 1u].first_in + t->ops[t->n - 1u].n_in : 0u;
    memset(&w, 0, sizeof w);
    w.g = g;
    w.t = t;
    w.is_onnx = cli_tflite_model(s) == NULL;
    w.dims = (uint64_t *)cli_alloc(s, (size_t)g->n_nodes + 1u, RANK * sizeof *w.dims);
    w.rank = (uint32_t *)cli_alloc(s, (size_t)g->n_nodes + 1u, sizeof *w.rank);
    for (v = 0; v < g->n_nodes; v++) {
        gsp_tile_op *o = &t->ops[v];
        int const runs = o->kind == GSP_TILE_OP || o->kind == GSP_TILE_PADDING;
        int is_batch;
        o->window[0].is_same = o->window[1].is_same = 0; /* rows know which of them are padding */
        read_shape(&w, v);
        is_batch = w.dims[(size_t)v * RANK + (runs ? first_axis(&w, v) : 0u)] != 1u;
        if (runs && (is_batch || o->window[0].factor != 0)) {
            t->why[v] = is_batch ? "has a batch" : "makes rows larger, which no row kernel does";
            o->kind = GSP_TILE_FIXED;
            o->n_in = 0;
        } else if (runs) {
            o->sums = is_average(&w, v) ? sums_of(&w, v, t->ins[o->first_in], &o->window[0]) : 0u;
            o->kind = w.is_onnx ? (uint32_t)GSP_TILE_OP : o->kind;
        } else if (w.is_onnx && o->kind == GSP_TILE_FIXED && o->is_op) {
            n_ins = set_mean(&w, v, n_ins);
        }
    }
}

/* ---- the region of the user ---- */

int cli_region_check(cli_session *s, const char *region)
{
    const char *dots = strstr(region, "..");
    return dots != NULL && dots != region && dots[2] != '\0'
               ? CLI_EXIT_OK
               : cli_usage_error(
                     s, "--region expects FIRST..LAST, names of two operators, got '%s'", region);
}

/* The operator of a name; GSP_NONE if there is none. */
static gsp_node operator_of(const gsp_graph *g, gsp_str name)
{
    gsp_node const v = gsp_graph_find(g, name);
    return v != GSP_NONE && gsp_node_is_callable(g, v) ? v : GSP_NONE;
}

static int refuse_region(
    cli_session *s, const gsp_graph *g, gsp_node v, const char *what, const char *why)
{
    char *name = cli_copy(s, gsp_node_name(g, v));
    char *target = cli_copy(s, gsp_node_target(g, v));
    return cli_error(s, GSP_STATUS_ARG, "--region: %%%s (%s) %s%s", name, target, what, why);
}

/* Operators that cannot be in a region, or at its ends. */
static int check_region(
    cli_session *s, const gsp_graph *g, const tile_graph *t, gsp_tile_region *r, const char *how)
{
    const char *why = NULL;
    uint32_t n_ops = 0;
    gsp_node v;
    for (v = r->first; v <= r->last; v++) {
        const gsp_tile_op *o = &t->ops[v];
        int const is_end = v == r->first || v == r->last;
        if (o->kind == GSP_TILE_FIXED || (o->kind == GSP_TILE_NONE && is_end)) {
            return refuse_region(s, g, v, how, t->why[v] != NULL ? t->why[v] : "is no operator");
        }
        n_ops += o->kind != GSP_TILE_NONE ? 1u : 0u;
    }
    if (n_ops > GSP_TILES_OPS) {
        return cli_error(s, GSP_STATUS_ARG, "--region: it has %lu operators, more than %lu",
            (unsigned long)n_ops, (unsigned long)GSP_TILES_OPS);
    }
    v = tile_breach(t, r, &why);
    return v == GSP_NONE ? CLI_EXIT_OK
                         : refuse_region(s, g, v, why, ": a region has one entry and one exit");
}

int cli_tiles_region(
    cli_session *s, const gsp_graph *g, const char *region, const char *how, tile_graph *t)
{
    const char *dots = strstr(region, "..");
    const char *names[2];
    gsp_tile_region r = {0, 0, GSP_NONE, {1, 1}, {0, 0, 0, 0}};
    gsp_node ends[2] = {GSP_NONE, GSP_NONE};
    uint32_t i;
    names[0] = region;
    names[1] = dots + 2;
    for (i = 0; i < 2u; i++) {
        gsp_str const name = {
            names[i], (uint32_t)(i == 0 ? (size_t)(dots - region) : strlen(dots + 2))};
        ends[i] = operator_of(g, name);
        if (ends[i] == GSP_NONE) {
            return cli_error(
                s, GSP_STATUS_ARG, "--region: the graph has no operator %%%s", cli_copy(s, name));
        }
    }
    r.first = t->first = ends[0];
    r.last = t->last = ends[1];
    return r.first <= r.last
               ? check_region(s, g, t, &r, how)
               : refuse_region(s, g, r.last, "runs before the first operator of it", "");
}

static int refuse_stream(
    cli_session *s, const gsp_graph *g, gsp_node input, gsp_node reader, const char *why)
{
    char *name = cli_copy(s, gsp_node_name(g, input));
    char *of = cli_copy(s, gsp_node_name(g, reader));
    char *target = cli_copy(s, gsp_node_target(g, reader));
    return cli_error(s, GSP_STATUS_ARG,
        "--stream-input: %%%s (%s) reads %%%s, and cannot run in tiles since it %s", of, target,
        name, why != NULL ? why : "is no operator of tiles");
}

int cli_tiles_stream(cli_session *s, const gsp_graph *g, const tile_graph *t, gsp_node *input)
{
    gsp_node v;
    uint32_t n;
    uint32_t i;
    *input = GSP_NONE;
    for (v = 0; v < t->n; v++) {
        if (gsp_node_op(g, v) == GSP_OP_PLACEHOLDER &&
            (*input == GSP_NONE || t->values[v].bytes > t->values[*input].bytes)) {
            *input = v;
        }
    }
    if (*input == GSP_NONE) {
        return cli_error(s, GSP_STATUS_ARG, "--stream-input: %s has no input", s->path);
    }
    const gsp_node *users = gsp_node_users(g, *input, &n);
    for (i = 0; i < n; i++) {
        const gsp_tile_op *o = &t->ops[users[i]];
        if (o->kind != GSP_TILE_OP && o->kind != GSP_TILE_PADDING) {
            return refuse_stream(s, g, *input, users[i], t->why[users[i]]);
        }
    }
    return CLI_EXIT_OK;
}

int cli_percent_read(cli_session *s, const char *option, const char *value, double *percent)
{
    gsp_str text = gsp_str_of(value);
    text.size -= text.size != 0 && text.data[text.size - 1u] == '%' ? 1u : 0u;
    return gsp_str_decimal(text, percent) && *percent >= 0.0
               ? CLI_EXIT_OK
               : cli_usage_error(s, "%s expects percent, 0 or more, got '%s'", option, value);
}
