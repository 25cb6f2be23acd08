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
static int is_same(double x, double y)
{
    return (is_nan(x) && is_nan(y)) || (x >= y && x <= y);
}

static int is_finite(double x)
{
    return size_of(x) <= 1.7976931348623157e308;
}

/* Steps from number to number of this size: their bits, which are ordered as they are. */
static uint64_t steps(const cli_npy *a, const cli_npy *b, uint64_t i, uint32_t part)
{
    uint64_t const x = cli_npy_rank(a, i, part);
    uint64_t const y = cli_npy_rank(b, i, part);
    return x > y ? x - y : y - x;
}

static int is_near(
    const bisect *b, const cli_npy *got, const cli_npy *expected, uint64_t i, uint32_t part)
{
    const bisect_tolerance *t = &b->tolerance;
    double const x = cli_npy_number(got, i, part);
    double const y = cli_npy_number(expected, i, part);
    if (is_same(x, y)) {
        return 1;
    }
    return is_finite(x) && is_finite(y) &&
           (size_of(x - y) <= t->absolute + t->relative * size_of(y) ||
               steps(got, expected, i, part) <= t->ulp);
}

static uint64_t integers_apart(const cli_npy *a, uint64_t x, uint64_t y)
{
    uint64_t const flip = a->kind == 'i' ? (uint64_t)1 << 63u : 0u; /* orders them as unsigned */
    uint64_t const larger = (x ^ flip) > (y ^ flip) ? x : y;
    return larger - (larger == x ? y : x);
}

static int is_equal(const bisect *b, const cli_npy *x, const cli_npy *y, uint64_t i)
{
    if (x->kind == 'V') {
        return memcmp(cli_npy_bytes(x, i), cli_npy_bytes(y, i), x->size) == 0;
    }
    return !is_real(x) ? integers_apart(x, cli_npy_integer(x, i), cli_npy_integer(y, i)) <=
                             b->tolerance.integer
                       : is_near(b, x, y, i, 0) && (x->kind == 'f' || is_near(b, x, y, i, 1));
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

/* ---- errors ---- */

/* The distance of two numbers; BISECT_FAR if one is none or infinite. */
static double apart(const cli_npy *got, const cli_npy *expected, uint64_t i, uint32_t part)
{
    double x;
    double y;
    if (got->kind == 'V') {
        return memcmp(cli_npy_bytes(got, i), cli_npy_bytes(expected, i), got->size) != 0 ? 1.0
                                                                                         : 0.0;
    }
    if (!is_real(got)) {
        return (double)integers_apart(got, cli_npy_integer(got, i), cli_npy_integer(expected, i));
    }
    x = cli_npy_number(got, i, part);
    y = cli_npy_number(expected, i, part);
    if (is_same(x, y)) {
        return 0.0;
    }
    return is_finite(x) && is_finite(y) && is_finite(x - y) ? size_of(x - y) : BISECT_FAR;
}

static double size_at(const cli_npy *a, uint64_t i, uint32_t part)
{
    uint64_t bits;
    if (is_real(a)) {
        double const x = cli_npy_number(a, i, part);
        return is_finite(x) ? size_of(x) : 0.0;
    }
    bits = a->kind == 'V' ? 1u : cli_npy_integer(a, i);
    return (double)(a->kind == 'i' && bits >> 63u != 0 ? 0u - bits : bits);
}

/* By Newton's method, from above. */
static double square_root(double x)
{
    double root = x > 1.0 ? x : 1.0;
    double next = (root + x / root) / 2.0;
    while (next < root) {
        root = next;
        next = (root + x / root) / 2.0;
    }
    return root;
}

/* The length of a vector in units of its largest number, which is > 0. */
static double length_of(const cli_npy *a, double largest)
{
    uint64_t const n = a->kind == 'c' ? a->n * 2u : a->n;
    uint64_t const parts = n != a->n ? 2u : 1u;
    double sum = 0.0;
    uint64_t i;
    for (i = 0; i < n; i++) {
        double const x = size_at(a, i / parts, (uint32_t)(i % parts)) / largest;
        sum += x * x;
    }
    return square_root(sum);
}

static double largest_of(const cli_npy *a)
{
    double largest = 0.0;
    uint64_t i;
    for (i = 0; i < a->n; i++) {
        double const x = size_at(a, i, 0);
        double const y = a->kind == 'c' ? size_at(a, i, 1) : 0.0;
        largest = x > largest ? x : largest;
        largest = y > largest ? y : largest;
    }
    return largest;
}

/* 1 - the cosine of the angle, half of the square between the points of the unit sphere; 0 of two
 * null vectors, 1 of one, BISECT_FAR if one has no finite number where the other has. */
static double angle(const cli_npy *got, const cli_npy *expected)
{
    uint64_t const parts = got->kind == 'c' ? 2u : 1u;
    double const most[2] = {largest_of(got), largest_of(expected)};
    double length[2];
    double sum = 0.0;
    uint64_t i;
    for (i = 0; i < got->n * parts; i++) {
        if (apart(got, expected, i / parts, (uint32_t)(i % parts)) >= BISECT_FAR) {
            return BISECT_FAR;
        }
    }
    if (!(most[0] > 0.0) || !(most[1] > 0.0)) {
        return most[0] > 0.0 || most[1] > 0.0 ? 1.0 : 0.0;
    }
    length[0] = length_of(got, most[0]);
    length[1] = length_of(expected, most[1]);
    for (i = 0; i < got->n * parts; i++) {
        double const x = cli_npy_number(got, i / parts, (uint32_t)(i % parts));
        double const y = cli_npy_number(expected, i / parts, (uint32_t)(i % parts));
        double const d = is_finite(x) ? x / most[0] / length[0] - y / most[1] / length[1] : 0.0;
        sum += d * d;
    }
    return sum / 2.0;
}

static void note_error(bisect *b, gsp_node v, const bisect_error *e)
{
    bisect_error *all = &b->errors[v];
    all->is_known = 1;
    all->n += e->n;
    all->n_different += e->n_different;
    all->differs |= e->differs;
    all->most = e->most > all->most ? e->most : all->most;
    all->scale = e->scale > all->scale ? e->scale : all->scale;
}

/* The values of arrays of one type: the first one that differs; by the angle, that with the largest
 * distance. */
static void compare_values(
    bisect *b, gsp_node v, gsp_str name, const cli_npy *got, const cli_npy *expected)
{
    int const by_angle = b->tolerance.cosine >= 0.0 && is_real(got);
    bisect_error e;
    uint64_t first = 0;
    uint64_t i;
    memset(&e, 0, sizeof e);
    e.n = got->n;
    e.scale = largest_of(expected);
    for (i = 0; i < got->n; i++) {
        double const real = apart(got, expected, i, 0);
        double const other = got->kind == 'c' ? apart(got, expected, i, 1) : 0.0;
        double const distance = other > real ? other : real;
        int const differs = by_angle ? distance > 0.0 : !is_equal(b, got, expected, i);
        first = (by_angle && distance > e.most) || (differs && e.n_different == 0) ? i : first;
        e.most = distance > e.most ? distance : e.most;
        e.n_different += (uint64_t)differs;
    }
    e.differs = by_angle ? angle(got, expected) > b->tolerance.cosine : e.n_different != 0;
    note_error(b, v, &e);
    if (e.differs && b->last.name.size == 0) {
        note(&b->last, name, got, first);
        b->last.node = v;
        b->last.n_different = e.n_different;
        spell(got, first, b->last.got);
        spell(expected, first, b->last.expected);
    }
}

static void note_types(bisect *b, gsp_node v, gsp_str name, const char *types)
{
    bisect_error const e = {0, 0, BISECT_FAR, 0.0, 1, 1};
    note_error(b, v, &e);
    if (b->last.name.size == 0) {
        b->last.name = name;
        b->last.node = v;
        b->last.types = types;
    }
}

int bisect_compare(bisect *b, gsp_node v, gsp_str name, const char *got, const char *expected)
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
        compare_values(b, v, name, &x, &y);
    } else {
        note_types(b, v, name, type_words(s, &x, &y));
    }
    cli_release(s, x.file);
    cli_release(s, y.file);
    return CLI_EXIT_OK;
}

uint32_t bisect_runs(const bisect *b)
{
    return b->tested.runs + b->reference.runs;
}
