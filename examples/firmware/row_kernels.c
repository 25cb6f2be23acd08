/* Plain row kernels for what graphsplit emit-c --stream writes: int8, one scale per channel of a
 * filter, requantised with a double and rounded half away from zero. Include it behind that. */

static int32_t limit(double value, const graphsplit_params *params, const graphsplit_dims *out)
{
    double const scaled = value / (double)out->scale;
    int32_t low = -128;
    int32_t high = 127;
    int32_t rounded;
    if (params->activation == 1 || params->activation == 3) {
        low = out->zero;
    }
    if (params->activation == 3 && 6.0 / (double)out->scale + out->zero < 127.0) {
        high = (int32_t)(6.0 / (double)out->scale + 0.5) + out->zero;
    }
    if (scaled > 1000.0 || scaled < -1000.0) {
        return scaled > 0.0 ? high : low;
    }
    rounded = (int32_t)(scaled < 0.0 ? scaled - 0.5 : scaled + 0.5) + out->zero;
    return rounded < low ? low : rounded > high ? high : rounded;
}

/* The weights of a channel, by place. */
typedef struct filter {
    const int8_t *at;
    size_t column;
    size_t input;
    size_t row;
} filter;

static int32_t sum_of(const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const filter *f, int32_t first, int32_t channel, int32_t n)
{
    int32_t sum = 0;
    int32_t y;
    int32_t x;
    int32_t i;
    for (y = 0; y < p->kernel_h; y++) {
        const int8_t *row = (const int8_t *)rows[y];
        for (x = 0; x < p->kernel_w; x++) {
            int32_t const column = first + x * p->dilation_w;
            if (row == NULL || column < 0 || column >= in->w) {
                continue;
            }
            for (i = 0; i < n; i++) {
                sum += (row[column * in->c + channel + i] - in->zero) *
                       f->at[(size_t)y * f->row + (size_t)x * f->column + (size_t)i * f->input];
            }
        }
    }
    return sum;
}

static double scale_of(const graphsplit_params *p, const graphsplit_dims *in, int32_t channel)
{
    return (double)in->scale * (double)p->scales[p->n_scales > 1 ? channel : 0];
}

void row_conv_2d(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    const int32_t *biases = (const int32_t *)bias;
    int32_t const groups = in->c / dims->c;
    int32_t x;
    int32_t c;
    (void)context;
    for (x = 0; x < out->w; x++) {
        for (c = 0; c < out->c; c++) {
            size_t const column = (size_t)dims->c;
            size_t const row = (size_t)dims->w * column;
            filter const f = {
                (const int8_t *)weights + (size_t)c * (size_t)dims->h * row, column, 1, row};
            int32_t const sum = sum_of(p, in, rows, &f, x * p->stride_w - p->pad_w,
                c / (out->c / groups) * dims->c, dims->c);
            double const value = (double)(sum + (biases != NULL ? biases[c] : 0));
            ((int8_t *)to)[x * out->c + c] = (int8_t)limit(value * scale_of(p, in, c), p, out);
        }
    }
}

void row_depthwise_conv_2d(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    const int32_t *biases = (const int32_t *)bias;
    int32_t x;
    int32_t c;
    (void)context;
    for (x = 0; x < out->w; x++) {
        for (c = 0; c < out->c; c++) {
            size_t const column = (size_t)dims->c;
            filter const f = {(const int8_t *)weights + c, column, 1, (size_t)dims->w * column};
            int32_t const sum =
                sum_of(p, in, rows, &f, x * p->stride_w - p->pad_w, c / (out->c / in->c), 1);
            double const value = (double)(sum + (biases != NULL ? biases[c] : 0));
            ((int8_t *)to)[x * out->c + c] = (int8_t)limit(value * scale_of(p, in, c), p, out);
        }
    }
}

/* Largest and sum of a window; how many elements are no padding. */
static int32_t pool(const graphsplit_params *p, const graphsplit_dims *in, const void *const *rows,
    int32_t first, int32_t channel, int32_t *sum, int32_t *most)
{
    int32_t n = 0;
    int32_t y;
    int32_t x;
    *sum = 0;
    *most = -128;
    for (y = 0; y < p->kernel_h; y++) {
        for (x = first; x < first + p->kernel_w; x++) {
            if (rows[y] != NULL && x >= 0 && x < in->w) {
                int32_t const value = ((const int8_t *)rows[y])[x * in->c + channel];
                *sum += value;
                *most = value > *most ? value : *most;
                n++;
            }
        }
    }
    return n;
}

static void pool_row(const graphsplit_params *p, const graphsplit_dims *in, const void *const *rows,
    const graphsplit_dims *out, int8_t *to, int is_average)
{
    int32_t x;
    int32_t c;
    for (x = 0; x < out->w; x++) {
        for (c = 0; c < out->c; c++) {
            int32_t sum;
            int32_t most;
            int32_t const n = pool(p, in, rows, x * p->stride_w - p->pad_w, c, &sum, &most);
            int32_t const half = sum < 0 ? -n / 2 : n / 2;
            to[x * out->c + c] = (int8_t)(is_average ? (sum + half) / n : most);
        }
    }
}

void row_average_pool_2d(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    (void)context, (void)dims, (void)weights, (void)bias;
    pool_row(p, in, rows, out, (int8_t *)to, 1);
}

void row_max_pool_2d(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    (void)context, (void)dims, (void)weights, (void)bias;
    pool_row(p, in, rows, out, (int8_t *)to, 0);
}

void whole_average_pool_2d(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    const void *window[16];
    int32_t y;
    int32_t k;
    (void)context, (void)dims, (void)weights, (void)bias;
    for (y = 0; y < out->h; y++) {
        for (k = 0; k < p->kernel_h && k < 16; k++) {
            int32_t const row = y * p->stride_h - p->pad_h + k;
            window[k] =
                row < 0 || row >= in->h ? NULL : (const int8_t *)rows[0] + row * in->w * in->c;
        }
        pool_row(p, in, window, out, (int8_t *)to + y * out->w * out->c, 1);
    }
}

void row_pad(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    int32_t x;
    int32_t c;
    (void)context, (void)dims, (void)weights, (void)bias;
    for (x = 0; x < out->w; x++) {
        int32_t const column = x - p->pad_w;
        int const is_in = rows[0] != NULL && column >= 0 && column < in->w;
        for (c = 0; c < out->c; c++) {
            ((int8_t *)to)[x * out->c + c] =
                is_in ? ((const int8_t *)rows[0])[column * in->c + c] : (int8_t)out->zero;
        }
    }
}

void row_add(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    int32_t i;
    (void)context, (void)dims, (void)weights, (void)bias;
    for (i = 0; i < out->w * out->c; i++) {
        double const a = (double)in[0].scale * (((const int8_t *)rows[0])[i] - in[0].zero);
        double const b = (double)in[1].scale * (((const int8_t *)rows[1])[i] - in[1].zero);
        ((int8_t *)to)[i] = (int8_t)limit(a + b, p, out);
    }
}

void row_concatenation(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    int8_t *at = (int8_t *)to;
    int32_t x;
    int32_t i;
    int32_t c;
    (void)context, (void)dims, (void)weights, (void)bias;
    for (x = 0; x < out->w; x++) {
        for (i = 0; i < p->n_inputs; i++) {
            for (c = 0; c < in[i].c; c++) {
                *at++ = ((const int8_t *)rows[i])[x * in[i].c + c];
            }
        }
    }
}

/* Copies: the shape is in the dimensions. */
void whole_reshape(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    int32_t const n = out->n * out->h * out->w * out->c;
    int32_t i;
    (void)context, (void)p, (void)in, (void)dims, (void)weights, (void)bias;
    for (i = 0; i < n; i++) {
        ((int8_t *)to)[i] = ((const int8_t *)rows[0])[i];
    }
}

void whole_fully_connected(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    const int8_t *from = (const int8_t *)rows[0];
    const int32_t *biases = (const int32_t *)bias;
    int32_t c;
    int32_t i;
    (void)context;
    for (c = 0; c < out->c; c++) {
        int32_t sum = biases != NULL ? biases[c] : 0;
        for (i = 0; i < dims->c; i++) {
            sum += (from[i] - in->zero) * ((const int8_t *)weights)[c * dims->c + i];
        }
        ((int8_t *)to)[c] = (int8_t)limit((double)sum * scale_of(p, in, c), p, out);
    }
}

/* e to the power of x, which is not positive. */
static double power_of_e(double x)
{
    double y = x < -60.0 ? 0.0 : 1.0 + x / 65536.0;
    int i;
    for (i = 0; i < 16; i++) {
        y *= y;
    }
    return y;
}

void whole_softmax(void *context, const graphsplit_params *p, const graphsplit_dims *in,
    const void *const *rows, const graphsplit_dims *dims, const void *weights, const void *bias,
    const graphsplit_dims *out, void *to)
{
    const int8_t *from = (const int8_t *)rows[0];
    double sum = 0.0;
    int32_t most = -128;
    int32_t i;
    (void)context, (void)dims, (void)weights, (void)bias;
    for (i = 0; i < in->c; i++) {
        most = from[i] > most ? from[i] : most;
    }
    for (i = 0; i < in->c; i++) {
        sum += power_of_e((double)in->scale * (from[i] - most));
    }
    for (i = 0; i < in->c; i++) {
        double const share = power_of_e((double)in->scale * (from[i] - most)) / sum;
        ((int8_t *)to)[i] = (int8_t)limit(share, p, out);
    }
}
