/* What --stream tells a kernel of its operator: sizes, attributes, and where parameters lie. Those
 * of .tflite lie in the bytes of the file, those of .onnx, where no float is aligned, in the code.
 */
#include "commands/emit_c/emit_c.h"

#include "input/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

stream_form stream_form_of(const stream_work *w, gsp_node v)
{
    return w->tiles.ops[v].kind == GSP_TILE_FIXED ? STREAM_WHOLE
           : w->places[v].adds                    ? STREAM_SUM
                                                  : STREAM_ROW;
}

void stream_put_kernel(const stream_work *w, gsp_node v)
{
    static const char *const prefixes[] = {"whole_", "row_", "sum_"};
    gsp_str const target = gsp_node_target(&w->g, v);
    char before = '_';
    uint32_t i;
    cli_puts(w->out, prefixes[stream_form_of(w, v)]);
    for (i = w->is_onnx ? 5u : 7u; i < target.size; i++) {
        char const c = target.data[i];
        int const is_upper = c >= 'A' && c <= 'Z';
        int const is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
        cli_puts(w->out, is_upper && before >= 'a' && before <= 'z' ? "_" : "");
        cli_printf(w->out, "%c", is_upper ? c - 'A' + 'a' : is_plain ? c : '_');
        before = c;
    }
}

static void put_dims(const stream_work *w, gsp_node v)
{
    const stream_place *p = &w->places[v];
    uint32_t at = 0;
    gsp_str dtype = gsp_str_of("");
    gsp_str list;
    cli_tflite_value t;
    memset(&t, 0, sizeof t);
    if (!w->is_onnx) {
        t = cli_tflite_tensor(w->session, v);
    }
    (void)gsp_type_next(gsp_node_type(&w->g, v), &at, &dtype, &list);
    cli_printf(w->out, "{%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", ", p->dims[0],
        p->dims[1], p->dims[2], p->dims[3]);
    cli_printf(w->out, "%.9ef, %" PRIi64 ", \"",
        t.n_scales != 0 ? (double)cli_tflite_scale(w->session, &t, 0) : 0.0, t.zero);
    cli_put_text(w->out, dtype);
    cli_printf(w->out, "\", %" PRIu64 "}", p->step);
}

/* "3x2" of an attribute. */
static void read_pair(const stream_work *w, gsp_node v, const char *key, uint64_t pair[2])
{
    gsp_str text = cli_own_attr(&w->g, v, key);
    uint32_t i;
    pair[0] = pair[1] = 1;
    for (i = 0; i < text.size && text.data[i] != 'x'; i++) {
    }
    if (i < text.size) {
        gsp_str const last = {text.data + i + 1u, text.size - i - 1u};
        text.size = i;
        (void)gsp_str_number(text, &pair[0]);
        (void)gsp_str_number(last, &pair[1]);
    }
}

static uint32_t activation_of(const stream_work *w, gsp_node v)
{
    static const char *const words[] = {"none", "relu", "relu_n1_to_1", "relu6"};
    gsp_str const text = cli_own_attr(&w->g, v, "act");
    uint32_t i;
    for (i = 0; i < CLI_COUNT(words) && !gsp_str_equal(text, gsp_str_of(words[i])); i++) {
    }
    return i < CLI_COUNT(words) ? i : 0u;
}

/* ---- windows ---- */

static void read_tflite(const stream_work *w, gsp_node v, stream_params *p)
{
    int const is_same = gsp_str_equal(cli_own_attr(&w->g, v, "padding"), gsp_str_of("same"));
    uint32_t i;
    read_pair(w, v, "kernel", p->kernel);
    read_pair(w, v, "stride", p->stride);
    read_pair(w, v, "dilation", p->dilation);
    for (i = 0; i < 2u; i++) {
        uint64_t const needs = (w->places[v].dims[1u + i] - 1u) * p->stride[i] +
                               (p->kernel[i] - 1u) * p->dilation[i] + 1u;
        uint64_t const rows = w->places[p->values[0]].dims[1u + i];
        p->before[i] =
            is_same ? (needs > rows ? (needs - rows) / 2u : 0u) : w->ops[v].window[i].before;
    }
}

/* The last numbers of a list such as `dilations: [2, 1]`; what is below 1 counts as 1. */
static void read_dilations(const stream_work *w, gsp_node v, uint64_t pair[2])
{
    uint32_t n;
    const gsp_arg *args = gsp_node_args(&w->g, v, &n);
    uint32_t i = 0;
    while (i < n && !(args[i].kind == GSP_ARG_KEY &&
                        gsp_str_equal(
                            gsp_module_str(w->g.module, args[i].value), gsp_str_of("dilations")))) {
        i++;
    }
    for (i += 2u; i < n && args[i].kind == GSP_ARG_CONSTANT; i++) {
        uint64_t number = 0;
        (void)gsp_str_number(gsp_module_str(w->g.module, args[i].value), &number);
        pair[0] = pair[1];
        pair[1] = number != 0 ? number : 1u;
    }
}

static void read_onnx(const stream_work *w, gsp_node v, stream_params *p)
{
    const gsp_tile_window *window = w->ops[v].window;
    uint32_t i;
    p->dilation[0] = p->dilation[1] = 1;
    read_dilations(w, v, p->dilation);
    for (i = 0; i < 2u; i++) {
        p->kernel[i] = (window[i].span - 1u) / p->dilation[i] + 1u;
        p->stride[i] = window[i].stride;
        p->before[i] = window[i].before;
    }
}

uint32_t stream_places(const stream_work *w, gsp_node v)
{
    uint32_t n;
    uint32_t i = 0;
    const gsp_arg *args = gsp_node_args(&w->g, v, &n);
    while (i < n && (args[i].kind == GSP_ARG_NODE || args[i].kind == GSP_ARG_CONSTANT)) {
        i++;
    }
    return i;
}

gsp_node stream_input(const stream_work *w, gsp_node v, uint32_t place)
{
    uint32_t n;
    const gsp_arg *arg = &gsp_node_args(&w->g, v, &n)[place];
    return arg->kind == GSP_ARG_NODE ? arg->value : GSP_NONE;
}

static int is_parameter(const stream_work *w, gsp_node v)
{
    return gsp_node_op(&w->g, v) == GSP_OP_GET_ATTR;
}

/* Whether a parameter is among the first that a kernel is given: of quantised operators, whose
 * scales and zero points are inputs, too, weights and bias are. */
static int is_weight(const stream_work *w, gsp_node v, uint32_t place)
{
    int const is_gemm =
        gsp_str_equal(gsp_node_target(&w->g, v), gsp_str_of("onnx.com.microsoft.QGemm"));
    int const is_scaled =
        is_gemm || gsp_str_equal(gsp_node_target(&w->g, v), gsp_str_of("onnx.QLinearConv"));
    return !is_scaled || place == 3u || place == (is_gemm ? 6u : 8u);
}

stream_params stream_params_of(const stream_work *w, gsp_node v)
{
    stream_params p;
    uint32_t const n = stream_places(w, v);
    uint32_t i;
    memset(&p, 0, sizeof p);
    for (i = 0; i < n; i++) {
        gsp_node const in = stream_input(w, v, i);
        if (in == GSP_NONE) {
            continue;
        }
        if (!is_parameter(w, in)) {
            p.values[p.n_values++] = in;
        } else if (p.n_constants < STREAM_CONSTANTS && is_weight(w, v, i)) {
            p.constant_at = p.n_constants == 0 ? i : p.constant_at;
            p.constants[p.n_constants++] = in;
        }
    }
    if (w->is_onnx) {
        read_onnx(w, v, &p);
    } else {
        read_tflite(w, v, &p);
    }
    return p;
}

/* ---- attributes ---- */

/* A word of C, as numbers and names of ONNX are. */
static int is_plain(gsp_str text)
{
    uint32_t i = 0;
    while (i < text.size && strchr("'\"\\\n", text.data[i]) == NULL) {
        i++;
    }
    return i == text.size;
}

static int is_number(gsp_str text)
{
    uint32_t const at = text.size > 1u && text.data[0] == '-' ? 1u : 0u;
    return text.size != 0 && text.data[at] >= '0' && text.data[at] <= '9';
}

static int has_point(gsp_str text)
{
    return memchr(text.data, '.', text.size) != NULL || memchr(text.data, 'e', text.size) != NULL;
}

/* How many numbers an attribute has, from its first argument on. */
static uint32_t count_numbers(const stream_work *w, const gsp_arg *args, uint32_t n)
{
    uint32_t const first = n != 0 && args[0].kind == GSP_ARG_LIST ? 1u : 0u;
    uint32_t const end = first != 0 ? n : n < 1u ? n : 1u;
    uint32_t i = first;
    while (i < end && args[i].kind == GSP_ARG_CONSTANT &&
           is_number(gsp_module_str(w->g.module, args[i].value))) {
        i++;
    }
    return i - first;
}

/* One of the numbers of all attributes. */
static void put_number(const stream_work *w, gsp_str text, uint32_t place)
{
    cli_puts(w->out, place != 0 ? ", " : "    static const double numbers[] = {");
    cli_put_text(w->out, text);
    cli_puts(w->out, has_point(text) ? "" : ".0");
}

/* One of the attributes: a word, or numbers from a place on. */
static void put_attribute(const stream_work *w, uint32_t place, gsp_str key, gsp_str word,
    uint32_t first, uint32_t n_numbers)
{
    cli_puts(w->out, place != 0 ? ",\n        {\""
                                : "    static const graphsplit_attribute attributes[] = {{\"");
    cli_put_text(w->out, key);
    cli_puts(w->out, "\", \"");
    cli_put_text(w->out, is_plain(word) ? word : gsp_str_of(""));
    if (n_numbers != 0) {
        cli_printf(w->out, "\", numbers + %" PRIu32 ", %" PRIu32 "}", first, n_numbers);
    } else {
        cli_puts(w->out, "\", NULL, 0}");
    }
}

/* The next attribute of .tflite that is one number; the others, and the scale, have places of their
 * own. The end of the list if there is none. */
static const gsp_attr *next_number(const stream_work *w, const gsp_attr *a)
{
    double number;
    while (a->key != GSP_KEY_NONE) {
        gsp_str const key = gsp_module_str(w->g.module, a->key);
        gsp_str const text = gsp_module_str(w->g.module, a->value);
        if (is_number(text) && gsp_str_decimal(text, &number) &&
            !gsp_str_equal(key, gsp_str_of("scale")) && !gsp_str_equal(key, gsp_str_of("zero"))) {
            break;
        }
        a++;
    }
    return a;
}

/* Returns how many attributes of .tflite there are. */
static uint32_t put_own_attributes(const stream_work *w, gsp_node v)
{
    const gsp_module *m = w->g.module;
    const gsp_attr *first = next_number(w, m->attrs + m->attr[w->g.first + v]);
    const gsp_attr *a;
    uint32_t n = 0;
    for (a = first; a->key != GSP_KEY_NONE; a = next_number(w, a + 1)) {
        put_number(w, gsp_module_str(m, a->value), n++);
    }
    cli_puts(w->out, n != 0 ? "};\n" : "");
    n = 0;
    for (a = first; a->key != GSP_KEY_NONE; a = next_number(w, a + 1), n++) {
        put_attribute(w, n, gsp_module_str(m, a->key), gsp_str_of(""), n, 1);
    }
    cli_puts(w->out, n != 0 ? "};\n" : "");
    return n;
}

/* The numbers of all attributes of ONNX, one after the other. */
static void put_numbers(const stream_work *w, gsp_node v)
{
    uint32_t n;
    uint32_t n_made = 0;
    uint32_t i;
    uint32_t k;
    const gsp_arg *args = gsp_node_args(&w->g, v, &n);
    for (i = stream_places(w, v); i + 1u < n; i++) {
        uint32_t const count =
            args[i].kind == GSP_ARG_KEY ? count_numbers(w, args + i + 1u, n - i - 1u) : 0u;
        uint32_t const first = i + 1u + (args[i + 1u].kind == GSP_ARG_LIST ? 1u : 0u);
        for (k = 0; k < count; k++) {
            put_number(w, gsp_module_str(w->g.module, args[first + k].value), n_made++);
        }
    }
    cli_puts(w->out, n_made != 0 ? "};\n" : "");
}

/* Returns how many attributes of ONNX there are. */
static uint32_t put_attributes(const stream_work *w, gsp_node v)
{
    uint32_t n;
    uint32_t count = 0;
    uint32_t first = 0;
    uint32_t i;
    const gsp_arg *args = gsp_node_args(&w->g, v, &n);
    put_numbers(w, v);
    for (i = stream_places(w, v); i + 1u < n; i++) {
        uint32_t n_numbers;
        gsp_str text = gsp_str_of("");
        if (args[i].kind != GSP_ARG_KEY) {
            continue;
        }
        n_numbers = count_numbers(w, args + i + 1u, n - i - 1u);
        if (n_numbers == 0 && args[i + 1u].kind == GSP_ARG_CONSTANT) {
            text = gsp_module_str(w->g.module, args[i + 1u].value);
        }
        put_attribute(
            w, count++, gsp_module_str(w->g.module, args[i].value), text, first, n_numbers);
        first += n_numbers;
    }
    cli_puts(w->out, count != 0 ? "};\n" : "");
    return count;
}

/* ---- parameters ---- */

static const struct {
    const char *name;
    const char *type;
    uint32_t bytes;
} types[] = {{"f32", "float", 4}, {"f64", "double", 8}, {"i8", "int8_t", 1}, {"u8", "uint8_t", 1},
    {"i16", "int16_t", 2}, {"u16", "uint16_t", 2}, {"i32", "int32_t", 4}, {"u32", "uint32_t", 4},
    {"i64", "int64_t", 8}, {"u64", "uint64_t", 8}, {"b1", "uint8_t", 1}, {"f16", "uint16_t", 2},
    {"bf16", "uint16_t", 2}};

/* The row of a parameter's type; behind all if there is none. */
static uint32_t type_of(const stream_work *w, gsp_node v)
{
    gsp_str const type = gsp_node_type(&w->g, v);
    uint32_t at = 0;
    uint32_t i;
    gsp_str dtype = gsp_str_of("");
    gsp_str list;
    (void)gsp_type_next(type, &at, &dtype, &list);
    for (i = 0; i < CLI_COUNT(types) && !gsp_str_equal(dtype, gsp_str_of(types[i].name)); i++) {
    }
    return i;
}

static uint64_t elements_of(const stream_work *w, gsp_node v)
{
    return gsp_node_bytes(&w->g, v) / types[type_of(w, v)].bytes;
}

int stream_is_known(const stream_work *w, gsp_node v)
{
    return type_of(w, v) < CLI_COUNT(types);
}

/* An element, little-endian; 0 if C has no literal for it. */
static int put_element(cli_buffer *out, uint32_t type, const unsigned char *at)
{
    uint64_t bits = 0;
    uint64_t sign = 0x80u;
    uint32_t i = types[type].bytes;
    int const is_signed = types[type].type[0] == 'i';
    while (i-- > 0) {
        bits = bits << 8 | at[i];
        sign <<= i > 0 ? 8 : 0;
    }
    if (type == 0) {
        uint32_t const word = (uint32_t)bits;
        float value;
        memcpy(&value, &word, sizeof value);
        cli_printf(out, "%.9ef", (double)value);
        return (word & 0x7F800000u) != 0x7F800000u;
    }
    if (type == 1u) {
        double value;
        memcpy(&value, &bits, sizeof value);
        cli_printf(out, "%.17e", value);
        return (bits >> 52 & 0x7FFu) != 0x7FFu;
    }
    if (is_signed) {
        int64_t const value = (int64_t)((bits ^ sign) - sign);
        if (value != INT64_MIN) {
            cli_printf(out, "%" PRIi64, value);
        } else {
            cli_puts(out, "INT64_MIN");
        }
    } else {
        cli_printf(out, "%" PRIu64 "u", bits);
    }
    return 1;
}

static int put_parameter(const stream_work *w, gsp_node v)
{
    cli_session *s = w->session;
    uint32_t const type = type_of(w, v);
    uint64_t const n = elements_of(w, v);
    cli_buffer bytes;
    uint64_t i;
    int code;
    cli_buffer_init(&bytes, s);
    code = s->format->parameter(s, &w->g, v, &bytes);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (bytes.size != n * types[type].bytes) {
        char *name = cli_copy(s, gsp_node_name(&w->g, v));
        return cli_error(s, GSP_STATUS_DAMAGED,
            "--stream: %%%s has %lu bytes in the file, not those of its shape", name,
            (unsigned long)bytes.size);
    }
    cli_printf(w->out, "\nstatic const %s %s_parameter_%" PRIu32 "[%" PRIu64 "] = { /* ",
        types[type].type, w->name, v, n);
    cli_put_text(w->out, gsp_node_name(&w->g, v));
    cli_puts(w->out, " */");
    for (i = 0; i < n; i++) {
        cli_puts(w->out, i % 6u == 0 ? "\n    " : " ");
        if (!put_element(w->out, type, (const unsigned char *)bytes.data + i * types[type].bytes)) {
            char *name = cli_copy(s, gsp_node_name(&w->g, v));
            return cli_error(
                s, GSP_STATUS_ARG, "--stream: %%%s has an element that is no finite number", name);
        }
        cli_puts(w->out, ",");
    }
    cli_puts(w->out, "};\n");
    cli_release(s, bytes.data);
    return CLI_EXIT_OK;
}

/* Whether an operator reads it, and it has elements. */
static int is_read(const stream_work *w, gsp_node v)
{
    uint32_t n;
    uint32_t i;
    const gsp_node *users = gsp_node_users(&w->g, v, &n);
    for (i = 0; i < n && !gsp_node_is_callable(&w->g, users[i]); i++) {
    }
    return i < n && gsp_node_bytes(&w->g, v) != 0;
}

int stream_put_parameters(const stream_work *w)
{
    gsp_node v;
    int code = CLI_EXIT_OK;
    for (v = 0; v < w->g.n_nodes && w->is_onnx && code == CLI_EXIT_OK; v++) {
        if (is_parameter(w, v) && is_read(w, v)) {
            code = put_parameter(w, v);
        }
    }
    return code;
}

void stream_put_parameter(const stream_work *w, gsp_node v)
{
    if (!w->is_onnx) {
        cli_printf(w->out, "s->model + %" PRIu64 "u", cli_tflite_tensor(w->session, v).at);
    } else if (is_read(w, v)) {
        cli_printf(w->out, "%s_parameter_%" PRIu32, w->name, v);
    } else {
        cli_puts(w->out, "NULL");
    }
}

/* The inputs of an operator of ONNX; returns how many. */
static uint32_t put_constants(const stream_work *w, gsp_node v)
{
    uint32_t const n = stream_places(w, v);
    uint32_t i;
    for (i = 0; i < n; i++) {
        gsp_node const in = stream_input(w, v, i);
        cli_puts(w->out, i != 0 ? ", {" : "    static const graphsplit_constant constants[] = {{");
        if (in != GSP_NONE && is_parameter(w, in) && is_read(w, in)) {
            stream_put_parameter(w, in);
            cli_printf(
                w->out, ", %" PRIu64 ", \"%s\"}", elements_of(w, in), types[type_of(w, in)].name);
        } else {
            cli_puts(w->out, "NULL, 0, \"\"}");
        }
    }
    cli_puts(w->out, n != 0 ? "};\n" : "");
    return n;
}

/* ---- all ---- */

static uint32_t put_scales(const stream_work *w, const stream_params *p)
{
    cli_tflite_value filter;
    uint32_t i;
    if (w->is_onnx || p->n_constants == 0) {
        return 0;
    }
    filter = cli_tflite_tensor(w->session, p->constants[0]);
    for (i = 0; i < filter.n_scales; i++) {
        cli_puts(w->out, i == 0 ? "    static const float scales[] = {" : "");
        cli_printf(w->out, "%s%.9ef,", i % 6u == 0 ? "\n        " : " ",
            (double)cli_tflite_scale(w->session, &filter, i));
    }
    cli_puts(w->out, i != 0 ? "};\n" : "");
    return i;
}

void stream_put_params(const stream_work *w, gsp_node v, const stream_params *p)
{
    uint32_t const n_scales = put_scales(w, p);
    uint32_t const n_constants = w->is_onnx ? put_constants(w, v) : 0u;
    uint32_t const n_attributes = w->is_onnx ? put_attributes(w, v) : put_own_attributes(w, v);
    uint32_t i;
    cli_printf(w->out, "    static const graphsplit_params params = {");
    for (i = 0; i < 2u; i++) {
        cli_printf(w->out, "%" PRIu64 ", ", p->kernel[i]);
    }
    cli_printf(w->out,
        "%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu32
        ", %s, %" PRIu32 ", %" PRIu32 ", %" PRIu32 ",\n        %s, %" PRIu32 ", %s, %" PRIu32
        "};\n",
        p->stride[0], p->stride[1], p->dilation[0], p->dilation[1], p->before[0], p->before[1],
        activation_of(w, v), n_scales != 0 ? "scales" : "NULL", n_scales, p->constant_at,
        p->n_values, n_constants != 0 ? "constants" : "NULL", n_constants,
        n_attributes != 0 ? "attributes" : "NULL", n_attributes);
    cli_puts(w->out, "    static const graphsplit_dims in[] = {");
    for (i = 0; i < p->n_values; i++) {
        cli_puts(w->out, i != 0 ? ", " : "");
        put_dims(w, p->values[i]);
    }
    cli_puts(w->out, "};\n    static const graphsplit_dims out = ");
    put_dims(w, v);
    cli_puts(w->out, ";\n");
    if (p->n_constants != 0 && stream_form_of(w, v) != STREAM_SUM) {
        cli_puts(w->out, "    static const graphsplit_dims filter = ");
        put_dims(w, p->constants[0]);
        cli_puts(w->out, ";\n");
    }
}
