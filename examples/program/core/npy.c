/* Arrays in .npy files, as NumPy has them. */
#include "core/core.h"

#include <inttypes.h>
#include <string.h>

#define MAGIC      "\x93NUMPY"
#define MAGIC_SIZE 6u

/* ---- reading ---- */

/* What follows 'KEY': in the head of a file; NULL if it has no such key. */
static const char *after_key(const char *head, const char *key)
{
    const char *at = strstr(head, key);
    at = at != NULL ? strchr(at, ':') : NULL;
    return at != NULL ? at + 1u + strspn(at + 1, " ") : NULL;
}

static uint64_t number_at(const char **at)
{
    uint64_t value = 0;
    while (**at >= '0' && **at <= '9') {
        value = value < UINT64_MAX / 20u ? value * 10u + (uint64_t)(**at - '0') : UINT64_MAX / 10u;
        (*at)++;
    }
    return value;
}

/* '<f4': order of bytes, kind and size. Returns 0 if values of it cannot be compared. */
static int read_descr(const char *at, cli_npy *out)
{
    if (at == NULL || (*at != '\'' && *at != '"') || strchr("<>|=", at[1]) == NULL) {
        return 0;
    }
    out->is_big = at[1] == '>';
    out->kind = at[2];
    at += 3;
    out->size = (uint32_t)number_at(&at);
    switch (out->kind) {
    case 'b':
        return out->size == 1u;
    case 'i':
    case 'u':
        return out->size == 1u || out->size == 2u || out->size == 4u || out->size == 8u;
    case 'f':
        return out->size == 2u || out->size == 4u || out->size == 8u;
    case 'c':
        return out->size == 8u || out->size == 16u;
    case 'V':
        return out->size != 0;
    default:
        return 0;
    }
}

/* "(3, 4)". Returns 0 if that is not what stands there, or more than memory can hold. */
static int read_shape(const char *at, cli_npy *out)
{
    out->n = 1;
    if (at == NULL || *at++ != '(') {
        return 0;
    }
    while (*at >= '0' && *at <= '9' && out->n_dims < CLI_NPY_DIMS) {
        uint64_t const d = number_at(&at);
        if (d != 0 && out->n > UINT64_MAX / 16u / d) {
            return 0;
        }
        out->dims[out->n_dims++] = d;
        out->n *= d;
        at += strspn(at, ", L");
    }
    return *at == ')';
}

static int read_head(const char *head, cli_npy *out)
{
    const char *order = after_key(head, "'fortran_order'");
    out->is_columns = order != NULL && strncmp(order, "True", 4u) == 0;
    return order != NULL && read_descr(after_key(head, "'descr'"), out) &&
           read_shape(after_key(head, "'shape'"), out);
}

/* Where the values begin, after the head; 0 if this is no such file. */
static size_t find_head(const unsigned char *file, size_t size, gsp_str *head)
{
    size_t at = MAGIC_SIZE + 2u;
    size_t length;
    if (size < at + 4u || memcmp(file, MAGIC, MAGIC_SIZE) != 0) {
        return 0;
    }
    length = (size_t)file[at] + ((size_t)file[at + 1u] << 8u);
    if (file[MAGIC_SIZE] > 1u) {
        length += ((size_t)file[at + 2u] << 16u) + ((size_t)file[at + 3u] << 24u);
        at += 2u;
    }
    at += 2u;
    head->data = (const char *)file + at;
    head->size = (uint32_t)length;
    return length <= size - at ? at + length : 0;
}

int cli_npy_read(cli_session *s, const char *path, cli_npy *out)
{
    gsp_str head = {NULL, 0};
    size_t size = 0;
    size_t begin;
    int code;
    memset(out, 0, sizeof *out);
    code = cli_binary_read(s, path, &out->file, &size);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    begin = find_head((const unsigned char *)out->file, size, &head);
    if (begin == 0) {
        return cli_error(s, GSP_STATUS_PARSE, "%s is no .npy file", path);
    }
    if (!read_head(cli_copy(s, head), out)) {
        return cli_error(s, GSP_STATUS_PARSE,
            "%s: the type or shape of the array is none that can be compared", path);
    }
    if ((size - begin) / out->size < out->n) {
        return cli_error(s, GSP_STATUS_PARSE, "%s ends before its last value", path);
    }
    out->values = (const unsigned char *)out->file + begin;
    return CLI_EXIT_OK;
}

/* ---- elements ---- */

const unsigned char *cli_npy_bytes(const cli_npy *a, uint64_t i)
{
    uint64_t at = 0;
    uint64_t step = a->n;
    uint32_t d = a->n_dims;
    if (!a->is_columns) {
        return a->values + i * a->size;
    }
    while (d-- > 0) {
        step /= a->dims[d];
        at += i % a->dims[d] * step;
        i /= a->dims[d];
    }
    return a->values + at * a->size;
}

/* So many bytes as a number. */
static uint64_t bits_of(const cli_npy *a, const unsigned char *at, uint32_t size)
{
    uint64_t bits = 0;
    uint32_t k;
    for (k = 0; k < size; k++) {
        bits |= (uint64_t)at[a->is_big ? size - 1u - k : k] << (8u * k);
    }
    return bits;
}

uint64_t cli_npy_integer(const cli_npy *a, uint64_t i)
{
    uint64_t bits = bits_of(a, cli_npy_bytes(a, i), a->size);
    uint64_t const sign = (uint64_t)1 << (8u * a->size - 1u);
    return a->kind == 'i' ? (bits ^ sign) - sign : bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A number of so many bits of exponent and fraction as one of 11 and 52, whose bits are the same
 * but for their places and the bias. */
static double widen(uint64_t bits, uint32_t exponent_bits, uint32_t fraction_bits)
{
    uint64_t const most = ((uint64_t)1 << exponent_bits) - 1u;
    uint64_t const sign = bits >> (exponent_bits + fraction_bits) << 63u;
    uint64_t const bias = 1023u - (most >> 1u);
    uint64_t exponent = bits >> fraction_bits & most;
    uint64_t fraction = (bits & (((uint64_t)1 << fraction_bits) - 1u)) << (52u - fraction_bits);
    if (exponent == most) {
        exponent = 2047u;
    } else if (exponent != 0) {
        exponent += bias;
    } else if (fraction != 0) { /* no leading 1: the difference to the number that has one */
        exponent = bias + 1u;
        return double_of(sign | exponent << 52u | fraction) - double_of(sign | exponent << 52u);
    }
    return double_of(sign | exponent << 52u | fraction);
}

double cli_npy_number(const cli_npy *a, uint64_t i, uint32_t part)
{
    uint32_t const size = a->kind == 'c' ? a->size / 2u : a->size;
    uint64_t const bits = bits_of(a, cli_npy_bytes(a, i) + (size_t)part * size, size);
    return size == 2u ? widen(bits, 5, 10) : size == 4u ? widen(bits, 8, 23) : double_of(bits);
}

uint64_t cli_npy_rank(const cli_npy *a, uint64_t i, uint32_t part)
{
    uint32_t const size = a->kind == 'c' ? a->size / 2u : a->size;
    uint64_t const bits = bits_of(a, cli_npy_bytes(a, i) + (size_t)part * size, size);
    uint64_t const sign = (uint64_t)1 << ((8u * size - 1u) & 63u);
    return (bits & sign) != 0 ? sign - (bits ^ sign) : sign + bits;
}

/* ---- writing ---- */

void cli_npy_head(cli_buffer *out, const char *descr, uint32_t n_dims, const uint64_t *dims)
{
    cli_buffer head;
    char length[2];
    uint32_t i;
    cli_buffer_init(&head, out->session);
    cli_printf(&head, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (i = 0; i < n_dims; i++) {
        cli_printf(&head, "%" PRIu64 "%s", dims[i], i + 1u == n_dims && i != 0 ? "" : ", ");
    }
    cli_puts(&head, "), }");
    while ((MAGIC_SIZE + 4u + head.size + 1u) % 64u != 0) {
        cli_puts(&head, " ");
    }
    cli_puts(&head, "\n");
    length[0] = (char)(head.size & 255u);
    length[1] = (char)(head.size >> 8u);
    cli_put(out, MAGIC "\1\0", MAGIC_SIZE + 2u);
    cli_put(out, length, 2u);
    cli_put(out, head.data, head.size);
    cli_release(out->session, head.data);
}

void cli_npy_put_type(cli_buffer *out, const cli_npy *a)
{
    uint32_t i;
    cli_printf(out, "%c%" PRIu32 "[", a->kind, a->size);
    for (i = 0; i < a->n_dims; i++) {
        cli_printf(out, "%s%" PRIu64, i != 0 ? ", " : "", a->dims[i]);
    }
    cli_puts(out, "]");
}

const char *cli_npy_path(cli_session *s, const char *dir, gsp_str name)
{
    cli_buffer b;
    uint32_t i;
    cli_buffer_init(&b, s);
    cli_printf(&b, "%s/", dir);
    for (i = 0; i < name.size; i++) {
        char const c = name.data[i];
        int const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || (c != '\0' && strchr("_.-~", c) != NULL);
        cli_printf(&b, letter ? "%c" : "%%%02X", letter ? c : (int)(unsigned char)c);
    }
    cli_put(&b, ".npy", 5u);
    return b.data;
}
