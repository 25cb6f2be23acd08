/* Plain row kernels for what graphsplit emit-c --stream writes for .onnx: floats, and 8 bits with
 * scales, channel by channel. A row has its channels `step` elements apart, and columns side by
 * side. Include it behind that code. */
#include <math.h>
#include <string.h>

/* ---- operands ---- */

static int32_t integer_at(const void *at, const char *type, int32_t i)
{
    return type[0] == 'u' ? ((const uint8_t *)at)[i] : ((const int8_t *)at)[i];
}

static float number_at(const void *at, const char *type, int32_t i)
{
    return type[0] == 'f' ? ((const float *)at)[i] : (float)integer_at(at, type, i);
}

static float value_at(const graphsplit_dims *d, const void *row, int32_t c, int32_t x)
{
    return number_at(row, d->type, (c < d->c ? c : 0) * d->step + x);
}

static void put(const graphsplit_dims *out, void *row, int32_t c, int32_t x, float value)
{
    int32_t const at = c * out->step + x;
    if (out->type[0] == 'f') {
        ((float *)row)[at] = value;
    } else if (out->type[0] == 'u') {
        ((uint8_t *)row)[at] = (uint8_t)value;
    } else {
        ((int8_t *)row)[at] = (int8_t)value;
    }
}

/* The number of an attribute, or the default of ONNX. */
static float attribute(const graphsplit_params *p, const char *name, int32_t at, float otherwise)
{
    int32_t i;
    for (i = 0; i < p->n_attributes; i++) {
        const graphsplit_attribute *a = &p->attributes[i];
        if (strcmp(a->name, name) == 0 && at < a->n) {
            return (float)a->numbers[at];
        }
    }
    return otherwise;
}

/* An element of a parameter that has one for all channels, or one of each. */
static float constant_of(const graphsplit_params *p, int32_t place, int32_t c, float otherwise)
{
    const graphsplit_constant *k = place < p->n_constants ? &p->constants[place] : NULL;
    return k == NULL || k->at == NULL ? otherwise : number_at(k->at, k->type, k->n > 1 ? c : 0);
}

/* The element of an input of an operator that takes two: a value, or a parameter. */
static float operand(const graphsplit_params *p, const graphsplit_dims *in, const void *const *rows,
    int32_t place, int32_t c, int32_t x)
{
    int32_t at = 0;
    int32_t i;
    for (i = 0; i < place; i++) {
        at += p->constants[i].at == NULL ? 1 : 0;
    }
    return p->constants[place].at != NULL ? constant_of(p, place, c, 0.0f)
                                          : value_at(&in[at], rows[at], c, x);
}

/* ---- windows ---- */

static float sum_of(const graphsplit_params *p, const graphsplit_dims *in, const void *const *rows,
    const float *weights, const graphsplit_dims *filter, int32_t channel, int32_t first)
{
    float sum = 0.0f;
    int32_t i;
    int32_t y;
    int32_t x;
    for (i = 0; i < filter->c; i++) {
        for (y = 0; y < p->kernel_h; y++) {
            for (x = 0; x < p->kernel_w; x++) {
                int32_t const column = first + x * p->dilation_w;
                if (rows[y] != NULL && column >= 0 && column < in->w) {
                    sum += value_at(in, rows[y], channel + i, column) *
                           weights[(i * filter->h + y) * filter->w + x];
                }
            }
        }
    }
    return sum;
}

void row_conv(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *filter, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    const float *biases = (const float *)bias;
    int32_t const groups = in->c / filter->c;
    int32_t c;
    int32_t x;
    (void)context;
    for (c = 0; c < out->c; c++) {
        const float *own = (const float *)weights + c * filter->c * filter->h * filter->w;
        int32_t const channel = c / (out->c / groups) * filter->c;
        for (x = 0; x < out->w; x++) {
            put(out, to, c, x,
                sum_of(p, in, rows, own, filter, channel, x * p->stride_w - p->pad_w) +
                    (biases != NULL ? biases[c] : 0.0f));
        }
    }
}

static float pooled(const graphsplit_params *p, const graphsplit_dims *in, const void *const *rows,
    int32_t c, int32_t first, int is_average)
{
    float sum = 0.0f;
    float most = -INFINITY;
    int32_t n = 0;
    int32_t y;
    int32_t x;
    for (y = 0; y < p->kernel_h; y++) {
        for (x = 0; x < p->kernel_w; x++) {
            int32_t const column = first + x * p->dilation_w;
            if (rows[y] != NULL && column >= 0 && column < in->w) {
                float const value = value_at(in, rows[y], c, column);
                sum += value;
                most = value > most ? value : most;
                n++;
            }
        }
    }
    n = attribute(p, "count_include_pad", 0, 0.0f) != 0.0f ? p->kernel_h * p->kernel_w : n;
    return is_average ? sum / (float)n : most;
}

static void pool_row(const graphsplit_params *p, const graphsplit_dims *in, const void *const *rows,
    const graphsplit_dims *out, void *to, int is_average)
{
    int32_t c;
    int32_t x;
    for (c = 0; c < out->c; c++) {
        for (x = 0; x < out->w; x++) {
            put(out, to, c, x, pooled(p, in, rows, c, x * p->stride_w - p->pad_w, is_average));
        }
    }
}

void row_max_pool(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    (void)context, (void)dims, (void)weights, (void)bias;
    pool_row(p, in, rows, out, to, 0);
}

/* Row k of a window: sums of columns per channel, in the order of pooled(), then their mean. */
static void sum_row(const graphsplit_params *p, const graphsplit_dims *in, const void *row,
    int32_t k, float *sum, const graphsplit_dims *out, void *to)
{
    int const is_all = attribute(p, "count_include_pad", 0, 0.0f) != 0.0f;
    int32_t c;
    int32_t x;
    for (c = 0; c < out->c; c++) {
        for (x = 0; x < out->w; x++, sum++) {
            int32_t n = 0;
            int32_t i;
            *sum = k == 0 ? 0.0f : *sum;
            for (i = 0; i < p->kernel_w; i++) {
                int32_t const column = x * p->stride_w - p->pad_w + i * p->dilation_w;
                if (column >= 0 && column < in->w) {
                    *sum += value_at(in, row, c, column);
                    n++;
                }
            }
            if (k + 1 == p->kernel_h) {
                put(out, to, c, x, *sum / (float)(p->kernel_h * (is_all ? p->kernel_w : n)));
            }
        }
    }
}

/* Defines the kernels of a mean: of all rows of a window, and of one after another. */
#define MEAN_KERNELS(name) \
    void row_##name(void *context, const graphsplit_params *p, const graphsplit_dims *in, \
        const void *const *rows, const graphsplit_dims *dims, const void *weights, \
        const void *bias, const graphsplit_dims *out, void *to) \
    { \
        (void)context, (void)dims, (void)weights, (void)bias; \
        pool_row(p, in, rows, out, to, 1); \
    } \
    void sum_##name(void *context, const graphsplit_params *p, const graphsplit_dims *in, \
        const void *row, int32_t k, void *sums, const graphsplit_dims *out, void *to) \
    { \
        (void)context; \
        sum_row(p, in, row, k, (float *)sums, out, to); \
    }

MEAN_KERNELS(average_pool)
MEAN_KERNELS(global_average_pool)
MEAN_KERNELS(reduce_mean) /* of rows and columns */

/* ---- elements ---- */

/* Defines a kernel: `value` of element x of channel c. */
#define ROW_KERNEL(name, value) \
    void row_##name(void *context, const graphsplit_params *p, const graphsplit_dims *in, \
        const void *const *rows, const graphsplit_dims *dims, const void *weights, \
        const void *bias, const graphsplit_dims *out, void *to) \
    { \
        int32_t c; \
        int32_t x; \
        (void)context, (void)dims, (void)weights, (void)bias; \
        for (c = 0; c < out->c; c++) { \
            for (x = 0; x < out->w; x++) { \
                float const a = operand(p, in, rows, 0, c, x); \
                put(out, to, c, x, value); \
            } \
        } \
    }

#define OTHER operand(p, in, rows, 1, c, x)

static float normalised(const graphsplit_params *p, float a, int32_t c)
{
    float const variance = constant_of(p, 4, c, 1.0f) + attribute(p, "epsilon", 0, 1e-5f);
    return (a - constant_of(p, 3, c, 0.0f)) / sqrtf(variance) * constant_of(p, 1, c, 1.0f) +
           constant_of(p, 2, c, 0.0f);
}

ROW_KERNEL(relu, a > 0.0f ? a : 0.0f)
ROW_KERNEL(sigmoid, 1.0f / (1.0f + expf(-a)))
ROW_KERNEL(leaky_relu, a < 0.0f ? a * attribute(p, "alpha", 0, 0.01f) : a)
ROW_KERNEL(prelu, a < 0.0f ? a * OTHER : a)
ROW_KERNEL(add, a + OTHER)
ROW_KERNEL(sub, a - OTHER)
ROW_KERNEL(mul, a *OTHER)
ROW_KERNEL(batch_normalization, normalised(p, a, c))
ROW_KERNEL(clip, fminf(fmaxf(a, constant_of(p, 1, 0, -INFINITY)), constant_of(p, 2, 0, INFINITY)))

void row_concat(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    int32_t at = 0;
    int32_t i;
    int32_t c;
    int32_t x;
    (void)context, (void)dims, (void)weights, (void)bias;
    for (i = 0; i < p->n_inputs; i++) {
        for (c = 0; c < in[i].c; c++, at++) {
            for (x = 0; x < out->w; x++) {
                put(out, to, at, x, value_at(&in[i], rows[i], c, x));
            }
        }
    }
}

/* ---- all rows ---- */

/* Copies: the shape is in the dimensions. */
void whole_flatten(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    (void)context, (void)p, (void)in, (void)dims, (void)weights, (void)bias;
    memcpy(to, rows[0],
        (size_t)(out->n * out->c * out->h * out->w) * (out->type[0] == 'f' ? sizeof(float) : 1u));
}

void whole_reshape(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    whole_flatten(context, p, in, rows, dims, weights, bias, out, to);
}

void whole_global_average_pool(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    int32_t c;
    int32_t x;
    (void)context, (void)p, (void)dims, (void)weights, (void)bias;
    for (c = 0; c < in->c; c++) {
        float sum = 0.0f;
        for (x = 0; x < in->h * in->w; x++) {
            sum += value_at(in, rows[0], c, x);
        }
        put(out, to, c, 0, sum / (float)(in->h * in->w));
    }
}

void whole_reduce_mean(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    whole_global_average_pool(context, p, in, rows, dims, weights, bias, out, to);
}

/* Weights as layers of neurons have them: a row for each result (transB). */
void whole_gemm(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    const float *from = (const float *)rows[0];
    const float *own = (const float *)weights;
    int32_t c;
    int32_t i;
    (void)context, (void)p, (void)in;
    for (c = 0; c < out->c; c++, own += dims->c) {
        float sum = bias != NULL ? ((const float *)bias)[c] : 0.0f;
        for (i = 0; i < dims->c; i++) {
            sum += from[i] * own[i];
        }
        ((float *)to)[c] = sum;
    }
}

/* Nearest neighbours, as "asymmetric" places them, by whole factors. */
void whole_resize(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    int32_t c;
    int32_t y;
    int32_t x;
    (void)context, (void)p, (void)dims, (void)weights, (void)bias;
    for (c = 0; c < out->c; c++) {
        for (y = 0; y < out->h; y++) {
            for (x = 0; x < out->w; x++) {
                int32_t const from = y / (out->h / in->h) * in->w + x / (out->w / in->w);
                put(out, to, c, y * out->w + x, value_at(in, rows[0], c, from));
            }
        }
    }
}

/* ---- 8 bits ---- */

/* Such a number stands for (number - zero point) * scale; both are inputs behind an operand. */

static int32_t zero_of(const graphsplit_params *p, int32_t place, int32_t c)
{
    return (int32_t)constant_of(p, place, c, 0.0f);
}

static float scale_of(const graphsplit_params *p, int32_t place, int32_t c)
{
    return constant_of(p, place, c, 1.0f);
}

/* What the operand at a place stands for, in units of its scale. */
static float units_of(const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, int32_t place, int32_t c, int32_t x)
{
    return operand(p, in, rows, place, c, x) - constant_of(p, place + 2, c, 0.0f);
}

/* Stores what is next to so many units; an even number where two are. */
static void put_units(
    const graphsplit_dims *out, void *row, int32_t c, int32_t x, float units, int32_t zero)
{
    float const least = (float)((out->type[0] == 'u' ? 0 : -128) - zero);
    put(out, row, c, x, nearbyintf(fminf(fmaxf(units, least), least + 255.0f)) + (float)zero);
}

/* Defines a kernel of 8 bits: how many units an element has, with scale and zero point of the
 * result at this place. */
#define UNIT_KERNEL(name, at, units) \
    void row_##name(void *context, const graphsplit_params *p, const graphsplit_dims *in, \
        const void *const *rows, const graphsplit_dims *dims, const void *weights, \
        const void *bias, const graphsplit_dims *out, void *to) \
    { \
        float const scale = scale_of(p, at, 0); \
        int32_t c; \
        int32_t x; \
        (void)context, (void)dims, (void)weights, (void)bias; \
        for (c = 0; c < out->c; c++) { \
            for (x = 0; x < out->w; x++) { \
                put_units(out, to, c, x, units, zero_of(p, (at) + 1, 0)); \
            } \
        } \
    }

#define UNITS(place) units_of(p, in, rows, place, c, x)
#define REAL(place)  (UNITS(place) * scale_of(p, (place) + 1, c))

static float leaky(const graphsplit_params *p, float a)
{
    return a < 0.0f ? a * attribute(p, "alpha", 0, 0.01f) : a;
}

ROW_KERNEL(dequantize_linear, (a - constant_of(p, 2, c, 0.0f)) * scale_of(p, 1, c))
UNIT_KERNEL(quantize_linear, 1, operand(p, in, rows, 0, c, x) / scale)
UNIT_KERNEL(com_microsoft_qlinear_add, 6, (REAL(0) + REAL(3)) / scale)
UNIT_KERNEL(com_microsoft_qlinear_mul, 6, REAL(0) * REAL(3) / scale)
UNIT_KERNEL(com_microsoft_qlinear_leaky_relu, 3, leaky(p, REAL(0)) / scale)
UNIT_KERNEL(com_microsoft_qlinear_sigmoid, 3, 1.0f / (1.0f + expf(-REAL(0))) / scale)

/* All rows as if they were one. */
void whole_dequantize_linear(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    graphsplit_dims flat = *out;
    flat.w *= flat.h;
    row_dequantize_linear(context, p, in, rows, dims, weights, bias, &flat, to);
}

void whole_quantize_linear(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    graphsplit_dims flat = *out;
    flat.w *= flat.h;
    row_quantize_linear(context, p, in, rows, dims, weights, bias, &flat, to);
}

/* Behind scale and zero point of the result each value has its own. */
void row_com_microsoft_qlinear_concat(void *context, const graphsplit_params *p,
    const graphsplit_dims *in, const void *const *rows, const graphsplit_dims *dims,
    const void *weights, const void *bias, const graphsplit_dims *out, void *to)
{
    float const scale = scale_of(p, 0, 0);
    int32_t at = 0;
    int32_t i;
    int32_t c;
    int32_t x;
    (void)context, (void)dims, (void)weights, (void)bias;
    for (i = 0; i < p->n_inputs; i++) {
        for (c = 0; c < in[i].c; c++, at++) {
            for (x = 0; x < out->w; x++) {
                put_units(out, to, at, x, REAL(2 + 3 * i) / scale, zero_of(p, 1, 0));
            }
        }
    }
}

/* A filter of a channel, and zero points. */
typedef struct filter {
    const void *at;
    const char *type;
    int32_t zero;
    int32_t zero_in;
} filter;

static int32_t integer_sum(const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const filter *f, int32_t channel,
    int32_t first, int32_t weight)
{
    int32_t sum = 0;
    int32_t i;
    int32_t y;
    int32_t x;
    for (i = 0; i < dims->c; i++) {
        for (y = 0; y < p->kernel_h; y++) {
            for (x = 0; x < p->kernel_w; x++, weight++) {
                int32_t const column = first + x * p->dilation_w;
                if (rows[y] != NULL && column >= 0 && column < in->w) {
                    int32_t const at = (channel + i) * in->step + column;
                    sum += (integer_at(rows[y], in->type, at) - f->zero_in) *
                           (integer_at(f->at, f->type, weight) - f->zero);
                }
            }
        }
    }
    return sum;
}

void row_qlinear_conv(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    const int32_t *biases = (const int32_t *)bias;
    int32_t const groups = in->c / dims->c;
    int32_t c;
    int32_t x;
    (void)context;
    for (c = 0; c < out->c; c++) {
        filter const f = {weights, dims->type, zero_of(p, 5, c), zero_of(p, 2, 0)};
        float const scale = scale_of(p, 1, 0) * scale_of(p, 4, c) / scale_of(p, 6, 0);
        for (x = 0; x < out->w; x++) {
            int32_t const sum = integer_sum(p, in, rows, dims, &f, c / (out->c / groups) * dims->c,
                x * p->stride_w - p->pad_w, c * dims->c * dims->h * dims->w);
            put_units(out, to, c, x, (float)(sum + (biases != NULL ? biases[c] : 0)) * scale,
                zero_of(p, 7, 0));
        }
    }
}

/* Weights as layers of neurons have them: a row for each result (transB). */
void whole_com_microsoft_qgemm(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    int32_t c;
    int32_t i;
    (void)context;
    for (c = 0; c < out->c; c++) {
        float const scale = scale_of(p, 1, 0) * scale_of(p, 4, c);
        int32_t sum = bias != NULL ? ((const int32_t *)bias)[c] : 0;
        for (i = 0; i < dims->c; i++) {
            sum += (integer_at(rows[0], in->type, i) - zero_of(p, 2, 0)) *
                   (integer_at(weights, dims->type, c * dims->c + i) - zero_of(p, 5, c));
        }
        put_units(out, to, c, 0, (float)sum * (scale / scale_of(p, 7, 0)), zero_of(p, 8, 0));
    }
}

static void put_mean(const graphsplit_params *p, const graphsplit_dims *out, void *to, int32_t c,
    int32_t sum, int32_t n)
{
    float const scale = scale_of(p, 1, 0) / (scale_of(p, 3, 0) * (float)n);
    put_units(out, to, c, 0, (float)sum * scale, zero_of(p, 4, 0));
}

/* The channel of a row, without its zero point. */
static int32_t channel_sum(const graphsplit_params *p, const graphsplit_dims *in, const void *row,
    int32_t c, int32_t columns)
{
    int32_t sum = -columns * zero_of(p, 2, 0);
    int32_t x;
    for (x = 0; x < columns; x++) {
        sum += integer_at(row, in->type, c * in->step + x);
    }
    return sum;
}

void whole_com_microsoft_qlinear_global_average_pool(void *context, const graphsplit_params *p,
    const graphsplit_dims *in, const void *const *rows, const graphsplit_dims *dims,
    const void *weights, const void *bias, const graphsplit_dims *out, void *to)
{
    int32_t const n = in->h * in->w;
    int32_t c;
    (void)context, (void)dims, (void)weights, (void)bias;
    for (c = 0; c < out->c; c++) {
        put_mean(p, out, to, c, channel_sum(p, in, rows[0], c, n), n);
    }
}

void row_com_microsoft_qlinear_global_average_pool(void *context, const graphsplit_params *p,
    const graphsplit_dims *in, const void *const *rows, const graphsplit_dims *dims,
    const void *weights, const void *bias, const graphsplit_dims *out, void *to)
{
    int32_t c;
    (void)context, (void)dims, (void)weights, (void)bias;
    for (c = 0; c < out->c; c++) {
        int32_t sum = 0;
        int32_t y;
        for (y = 0; y < p->kernel_h; y++) {
            sum += channel_sum(p, in, rows[y], c, in->w);
        }
        put_mean(p, out, to, c, sum, p->kernel_h * in->w);
    }
}

/* Row k of a mean of rows and columns, added as integers. */
void sum_com_microsoft_qlinear_global_average_pool(void *context, const graphsplit_params *p,
    const graphsplit_dims *in, const void *row, int32_t k, void *sums, const graphsplit_dims *out,
    void *to)
{
    int32_t *sum = (int32_t *)sums;
    int32_t c;
    (void)context;
    for (c = 0; c < out->c; c++) {
        sum[c] = (k == 0 ? 0 : sum[c]) + channel_sum(p, in, row, c, in->w);
        if (k + 1 == p->kernel_h) {
            put_mean(p, out, to, c, sum[c], p->kernel_h * in->w);
        }
    }
}
