/* Two arrays within a tolerance, and the facts that the reports of `bisect` print. */
#include "commands/bisect/bisect.h"

#include <inttypes.h>
#include <string.h>

static int is_real(const cli_npy *a)
{
    return a->kind == 'f' || a->kind == 'c';
}

static int is_nan(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & UINT64_C(0x7FFFFFFFFFFFFFFF)) > UINT64_C(0x7FF0000000000000);
}

static double size_of(double x)
{
    return x < 0.0 ? -x : x;
}

/* Infinite numbers of one sign are equal, and so are two that are none. */
static int is_near(const bisect *b, double x, double y)
{
    if (is_nan(x) || is_nan(y)) {
        return is_nan(x) && is_nan(y);
    }
    return (x >= y && x <= y) || (size_of(y) <= 1.7976931348623157e308 &&
                                     size_of(x - y) <= b->absolute + b->relative * size_of(y));
}

/* ABS alone is about integers. */
static int is_near_integer(const bisect *b, const cli_npy *a, uint64_t x, uint64_t y)
{
    uint64_t const flip = a->kind == 'i' ? (uint64_t)1 << 63u : 0u; /* orders them as unsigned */
    uint64_t const larger = (x ^ flip) > (y ^ flip) ? x : y;
    return larger - (larger == x ? y : x) <= cli_whole(b->absolute);
}

static int is_equal(const bisect *b, const cli_npy *x, const cli_npy *y, uint64_t i)
{
    if (x->kind == 'V') {
        return memcmp(cli_npy_bytes(x, i), cli_npy_bytes(y, i), x->size) == 0;
    }
    return !is_real(x) ? is_near_integer(b, x, cli_npy_integer(x, i), cli_npy_integer(y, i))
                       : is_near(b, cli_npy_number(x, i, 0), cli_npy_number(y, i, 0)) &&
                             (x->kind == 'f' ||
                                 is_near(b, cli_npy_number(x, i, 1), cli_npy_number(y, i, 1)));
}

static void spell(const cli_npy *a, uint64_t i, char *out)
{
    if (a->kind == 'V') {
        (void)snprintf(out, BISECT_NUMBER, "%u bytes", (unsigned)a->size);
    } else if (a->kind == 'c') {
        (void)snprintf(
            out, BISECT_NUMBER, "%.6g%+.6gj", cli_npy_number(a, i, 0), cli_npy_number(a, i, 1));
    } else if (a->kind == 'f') {
        (void)snprintf(out, BISECT_NUMBER, "%.*g", a->size == 8u ? 17 : 9, cli_npy_number(a, i, 0));
    } else if (a->kind == 'i') {
        int64_t value;
        uint64_t const bits = cli_npy_integer(a, i);
        memcpy(&value, &bits, sizeof value);
        (void)snprintf(out, BISECT_NUMBER, "%" PRId64, value);
    } else {
        (void)snprintf(out, BISECT_NUMBER, "%" PRIu64, cli_npy_integer(a, i));
    }
}

static int is_same_type(const cli_npy *x, const cli_npy *y)
{
    return x->kind == y->kind && x->size == y->size && x->n_dims == y->n_dims &&
           memcmp(x->dims, y->dims, x->n_dims * sizeof *x->dims) == 0;
}

static const char *type_words(cli_session *s, const cli_npy *got, const cli_npy *expected)
{
    cli_buffer b;
    cli_buffer_init(&b, s);
    cli_npy_put_type(&b, got);
    cli_puts(&b, ", expected ");
    cli_npy_put_type(&b, expected);
    cli_put(&b, "", 1u);
    return b.data;
}

static void note(bisect_difference *d, gsp_str name, const cli_npy *a, uint64_t at)
{
    uint32_t k = a->n_dims;
    d->name = name;
    d->n = a->n;
    d->n_dims = a->n_dims;
    while (k-- > 0) {
        d->index[k] = at % a->dims[k];
        at /= a->dims[k];
    }
}

/* The values of arrays of one type. */
static void compare_values(bisect *b, gsp_str name, const cli_npy *got, const cli_npy *expected)
{
    bisect_difference d;
    uint64_t i;
    memset(&d, 0, sizeof d);
    for (i = 0; i < got->n; i++) {
        if (is_equal(b, got, expected, i)) {
            continue;
        }
        if (d.n_different++ == 0) {
            note(&d, name, got, i);
            spell(got, i, d.got);
            spell(expected, i, d.expected);
        }
    }
    if (d.n_different != 0 && b->last.name.size == 0) {
        b->last = d;
    }
}

int bisect_compare(bisect *b, gsp_str name, const char *got, const char *expected)
{
    cli_session *s = b->session;
    cli_npy x;
    cli_npy y;
    int code = cli_npy_read(s, got, &x);
    if (code != CLI_EXIT_OK) {
        return CLI_EXIT_FAILED;
    }
    code = cli_npy_read(s, expected, &y);
    if (code != CLI_EXIT_OK) {
        return CLI_EXIT_FAILED;
    }
    if (is_same_type(&x, &y)) {
        compare_values(b, name, &x, &y);
    } else if (b->last.name.size == 0) {
        b->last.name = name;
        b->last.types = type_words(s, &x, &y);
    }
    cli_release(s, x.file);
    cli_release(s, y.file);
    return CLI_EXIT_OK;
}

uint32_t bisect_runs(const bisect *b)
{
    return b->tested.runs + b->reference.runs;
}
