/* Builtin options of operators, as attributes: which fields they have, and how they are written.
 *
 * Numbers of options and of fields are those of the schema. An attribute is a list of integers, a
 * word, or a decimal.
 */
#ifndef GRAPHSPLIT_TFLITE_OPTIONS_H
#define GRAPHSPLIT_TFLITE_OPTIONS_H

#include "fields.h"

typedef enum tfl_option_kind {
    TFL_OPTION_INT,
    TFL_OPTION_FACTOR, /* an integer, 1 if left out */
    TFL_OPTION_BOOL,
    TFL_OPTION_SIZE,  /* height and width, above 0: stands in this field and, width, before it */
    TFL_OPTION_SCALE, /* the same, 1 if left out */
    TFL_OPTION_LIST,
    TFL_OPTION_REAL,
    TFL_OPTION_PADDING,
    TFL_OPTION_ACT
} tfl_option_kind;

typedef struct tfl_option {
    uint8_t type; /* of the options */
    uint8_t index;
    uint8_t kind;
    const char *key;
} tfl_option;

/* By type. */
static const tfl_option tfl_options[] = {
    {1, 0, TFL_OPTION_PADDING, "padding"},
    {1, 2, TFL_OPTION_SIZE, "stride"},
    {1, 5, TFL_OPTION_SCALE, "dilation"},
    {1, 3, TFL_OPTION_ACT, "act"},
    {2, 0, TFL_OPTION_PADDING, "padding"},
    {2, 2, TFL_OPTION_SIZE, "stride"},
    {2, 6, TFL_OPTION_SCALE, "dilation"},
    {2, 3, TFL_OPTION_INT, "depth_multiplier"},
    {2, 4, TFL_OPTION_ACT, "act"},
    {5, 0, TFL_OPTION_PADDING, "padding"},
    {5, 2, TFL_OPTION_SIZE, "stride"},
    {5, 4, TFL_OPTION_SIZE, "kernel"},
    {5, 5, TFL_OPTION_ACT, "act"},
    {6, 0, TFL_OPTION_INT, "svd_rank"},
    {6, 1, TFL_OPTION_ACT, "act"},
    {7, 0, TFL_OPTION_ACT, "act"},
    {8, 0, TFL_OPTION_ACT, "act"},
    {8, 1, TFL_OPTION_BOOL, "weights_format"},
    {8, 2, TFL_OPTION_BOOL, "keep_num_dims"},
    {9, 0, TFL_OPTION_REAL, "beta"},
    {10, 0, TFL_OPTION_INT, "axis"},
    {10, 1, TFL_OPTION_ACT, "act"},
    {11, 0, TFL_OPTION_ACT, "act"},
    {12, 0, TFL_OPTION_ACT, "act"},
    {13, 0, TFL_OPTION_INT, "radius"},
    {14, 0, TFL_OPTION_ACT, "act"},
    {15, 2, TFL_OPTION_BOOL, "align_corners"},
    {15, 3, TFL_OPTION_BOOL, "half_pixel_centers"},
    {17, 0, TFL_OPTION_LIST, "new_shape"},
    {19, 0, TFL_OPTION_INT, "block"},
    {21, 0, TFL_OPTION_ACT, "act"},
    {23, 0, TFL_OPTION_INT, "axis"},
    {23, 1, TFL_OPTION_INT, "batch_dims"},
    {27, 0, TFL_OPTION_BOOL, "keep_dims"},
    {28, 0, TFL_OPTION_ACT, "act"},
    {29, 0, TFL_OPTION_ACT, "act"},
    {30, 0, TFL_OPTION_LIST, "axis"},
    {31, 0, TFL_OPTION_BOOL, "time_major"},
    {31, 1, TFL_OPTION_ACT, "act"},
    {32, 0, TFL_OPTION_INT, "begin_mask"},
    {32, 1, TFL_OPTION_INT, "end_mask"},
    {32, 2, TFL_OPTION_INT, "ellipsis_mask"},
    {32, 3, TFL_OPTION_INT, "new_axis_mask"},
    {32, 4, TFL_OPTION_INT, "shrink_axis_mask"},
    {35, 0, TFL_OPTION_INT, "num_splits"},
    {49, 0, TFL_OPTION_PADDING, "padding"},
    {49, 2, TFL_OPTION_SIZE, "stride"},
    {49, 3, TFL_OPTION_ACT, "act"},
    {59, 1, TFL_OPTION_INT, "axis"},
    {61, 0, TFL_OPTION_INT, "axis"},
    {64, 1, TFL_OPTION_INT, "axis"},
    {71, 0, TFL_OPTION_ACT, "act"},
    {71, 3, TFL_OPTION_BOOL, "time_major"},
    {74, 0, TFL_OPTION_BOOL, "align_corners"},
    {74, 1, TFL_OPTION_BOOL, "half_pixel_centers"},
    {75, 0, TFL_OPTION_REAL, "alpha"},
    {77, 0, TFL_OPTION_INT, "mode"},
    {79, 0, TFL_OPTION_INT, "num_splits"},
    {94, 0, TFL_OPTION_INT, "block"},
    {101, 0, TFL_OPTION_BOOL, "adj_x"},
    {101, 1, TFL_OPTION_BOOL, "adj_y"},
};
#define TFL_OPTIONS    ((uint32_t)(sizeof(tfl_options) / sizeof(tfl_options[0])))
#define TFL_ATTRIBUTES 12u /* most of one operator, with those of its weights */

static const char *const tfl_acts[] = {"none", "relu", "relu_n1_to_1", "relu6", "tanh", "sign_bit"};

/* An attribute: a word, the bits of an f32, or integers. */
typedef struct tfl_value {
    const char *key;
    const char *word; /* or NULL */
    int is_real;
    uint32_t real;
    int32_t pair[2];
    uint32_t n;      /* integers */
    tfl_vector list; /* those of LIST */
} tfl_value;

static inline int32_t tfl_option_int(
    tfl_file *f, const tfl_table *t, uint32_t field, int32_t absent)
{
    uint64_t const at = tfl_field(f, t, field, 4);
    return at == 0u ? absent : tfl_i32_at(f, at);
}

static inline const char *tfl_option_word(tfl_file *f, const tfl_table *t, const tfl_option *o)
{
    uint32_t const code = tfl_u8(f, t, o->index);
    if (o->kind == TFL_OPTION_PADDING && code < 2u) {
        return code == 0u ? "same" : "valid";
    }
    if (o->kind == TFL_OPTION_ACT && code < sizeof(tfl_acts) / sizeof(tfl_acts[0])) {
        return tfl_acts[code];
    }
    tfl_fail(f, GSP_STATUS_PARSE, tfl_field(f, t, o->index, 1),
        o->kind == TFL_OPTION_ACT ? "the activation of an operator is none of the schema"
                                  : "the padding of an operator is neither SAME nor VALID");
    return "";
}

/* The value of an option; a height or width below 1 is an error. */
static inline tfl_value tfl_option_value(tfl_file *f, const tfl_table *t, const tfl_option *o)
{
    int32_t const absent = o->kind == TFL_OPTION_FACTOR || o->kind == TFL_OPTION_SCALE ? 1 : 0;
    tfl_value v = {NULL, NULL, 0, 0, {0, 0}, 1, {0, 0}};
    v.key = o->key;
    switch ((tfl_option_kind)o->kind) {
    case TFL_OPTION_PADDING:
    case TFL_OPTION_ACT:
        v.word = tfl_option_word(f, t, o);
        break;
    case TFL_OPTION_BOOL:
        v.pair[0] = (int32_t)tfl_u8(f, t, o->index);
        break;
    case TFL_OPTION_REAL:
        v.is_real = 1;
        v.real = tfl_u32(f, t, o->index);
        break;
    case TFL_OPTION_LIST:
        v.list = tfl_vector_of(f, t, o->index, 4);
        v.n = v.list.n;
        break;
    case TFL_OPTION_SIZE:
    case TFL_OPTION_SCALE:
        v.n = 2;
        v.pair[0] = tfl_option_int(f, t, o->index, absent);
        v.pair[1] = tfl_option_int(f, t, o->index - 1u, absent);
        if (v.pair[0] < 1 || v.pair[1] < 1) {
            tfl_fail(f, GSP_STATUS_PARSE, t->at,
                "a stride, kernel or dilation of an operator is below 1");
        }
        break;
    default:
        v.pair[0] = tfl_option_int(f, t, o->index, absent);
        break;
    }
    return v;
}

/* ---- decimals, without floating point ---- */

#define TFL_LIMBS 14u /* of nine digits: an f32 has up to 112 in front of its last one */

/* Writes nine significant digits of an f32 into `digits`; returns the power of ten of the first. */
static inline int32_t tfl_decimal_digits(uint32_t bits, char digits[9])
{
    uint32_t limb[TFL_LIMBS] = {0}; /* base 10^9, the lowest first */
    char all[9u * TFL_LIMBS];
    uint32_t const exponent = bits >> 23 & 255u;
    int32_t power = (int32_t)(exponent == 0u ? 1u : exponent) - 150;
    int32_t const point = power < 0 ? -power : 0; /* digits behind the point: m * 5^point */
    uint32_t first = 0;
    uint32_t i;
    limb[0] = (bits & 0x7FFFFFu) | (exponent == 0u ? 0u : 0x800000u);
    while (power != 0) {
        uint32_t const step = power > 8 || power < -8 ? 9u : 1u;
        uint64_t const factor =
            step == 1u ? (point != 0 ? 5u : 2u) : (point != 0 ? 1953125u : 512u);
        uint64_t carry = 0;
        for (i = 0; i < TFL_LIMBS; i++) {
            carry += limb[i] * factor;
            limb[i] = (uint32_t)(carry % 1000000000u);
            carry /= 1000000000u;
        }
        power += power < 0 ? (int32_t)step : -(int32_t)step;
    }
    for (i = 0; i < sizeof all; i++) {
        all[sizeof all - 1u - i] = (char)('0' + limb[i / 9u] % 10u);
        limb[i / 9u] /= 10u;
    }
    while (first < sizeof all - 1u && all[first] == '0') {
        first++;
    }
    if (first + 9u < sizeof all && all[first + 9u] >= '5') { /* rounds half up */
        uint32_t k = first + 8u;
        while (all[k] == '9') {
            all[k--] = '0';
        }
        all[k]++;
        first = k < first ? k : first;
    }
    for (i = 0; i < 9u; i++) {
        digits[i] = (char)(first + i < sizeof all ? all[first + i] : '0');
    }
    return (int32_t)(sizeof all) - 1 - (int32_t)first - point;
}

#endif
