/* The values of the inputs of the graph: from files, hashes, or random numbers. */
#include "commands/bisect/bisect.h"

#include "commands/run/run.h"
#include "output/output.h"

#include <string.h>

/* Types of tensors, and how their random values are: all bits, one of 0 and 1, or a number below 1
 * whose exponent and its mask are these. */
static const struct {
    const char *name;
    const char *descr;
    uint32_t bytes;
    uint64_t mask;
    uint64_t with;
} types[] = {
    {"f64", "<f8", 8, UINT64_C(0x800FFFFFFFFFFFFF), UINT64_C(0x3FE0000000000000)},
    {"f32", "<f4", 4, 0x807FFFFFu, 0x3F000000u},
    {"f16", "<f2", 2, 0x83FFu, 0x3800u},
    {"i64", "<i8", 8, 1, 0},
    {"i32", "<i4", 4, 1, 0},
    {"u64", "<u8", 8, 1, 0},
    {"u32", "<u4", 4, 1, 0},
    {"i16", "<i2", 2, 0xFFFFu, 0},
    {"qi16", "<i2", 2, 0xFFFFu, 0},
    {"u16", "<u2", 2, 0xFFFFu, 0},
    {"i8", "|i1", 1, 0xFFu, 0},
    {"qi8", "|i1", 1, 0xFFu, 0},
    {"u8", "|u1", 1, 0xFFu, 0},
    {"qu8", "|u1", 1, 0xFFu, 0},
    {"b1", "|b1", 1, 1, 0},
};

static int write_values(bisect *b, gsp_str name, const cli_buffer *content)
{
    return cli_write_new(b->session, cli_npy_path(b->session, b->values, name), content);
}

static void put_number(cli_buffer *out, uint64_t value, uint32_t bytes)
{
    char all[8];
    uint32_t i;
    for (i = 0; i < bytes; i++) {
        all[i] = (char)(value >> (8u * i) & 255u);
    }
    cli_put(out, all, bytes);
}

int bisect_write_hash(bisect *b, gsp_str name, uint64_t number)
{
    cli_buffer out;
    cli_buffer_init(&out, b->session);
    cli_npy_head(&out, "<u8", 0, NULL);
    put_number(&out, run_mix(run_mix(2u, number), b->opt.seed), 8);
    return write_values(b, name, &out);
}

/* The dimensions of "f32[2, 3]"; one that is no number is 1. */
static int read_shape(gsp_str type, uint64_t *dims, uint32_t *n_dims, uint64_t *n)
{
    const char *open = type.size != 0 ? (const char *)memchr(type.data, '[', type.size) : NULL;
    uint32_t at = 0;
    gsp_str inside;
    gsp_str dim;
    *n_dims = 0;
    *n = 1;
    if (open == NULL || type.data[type.size - 1u] != ']') {
        return 0;
    }
    inside.data = open + 1;
    inside.size = (uint32_t)(type.data + type.size - 1u - inside.data);
    while (cli_next_dim(inside, &at, &dim) && *n_dims < CLI_NPY_DIMS) {
        uint64_t d = 1;
        (void)gsp_str_number(dim, &d);
        dims[(*n_dims)++] = d;
        if (d != 0 && *n > (UINT64_C(1) << 40u) / d) {
            return 0;
        }
        *n *= d;
    }
    return 1;
}

/* Which of `types` a TYPE is; their count if it is none. */
static size_t find_type(gsp_str type)
{
    size_t t = 0;
    while (t < CLI_COUNT(types) &&
           (type.size <= strlen(types[t].name) || type.data[strlen(types[t].name)] != '[' ||
               memcmp(type.data, types[t].name, strlen(types[t].name)) != 0)) {
        t++;
    }
    return t;
}

int bisect_write_random(bisect *b, gsp_str type, uint64_t number, gsp_str name)
{
    uint64_t dims[CLI_NPY_DIMS];
    uint32_t n_dims;
    uint64_t n;
    uint64_t i;
    size_t t = find_type(type);
    cli_buffer out;
    if (t == CLI_COUNT(types) || !read_shape(type, dims, &n_dims, &n)) {
        return cli_error(b->session, GSP_STATUS_ARG,
            "input %s: there are no random values of the type '%s'; give --inputs DIR",
            cli_copy(b->session, name), cli_copy(b->session, type));
    }
    cli_buffer_init(&out, b->session);
    cli_npy_head(&out, types[t].descr, n_dims, dims);
    for (i = 0; i < n; i++) {
        uint64_t const bits = run_mix(run_mix(b->opt.seed, number), i);
        put_number(&out, (bits & types[t].mask) | types[t].with, types[t].bytes);
    }
    t = out.size;
    return t != 0 ? write_values(b, name, &out) : CLI_EXIT_FAILED;
}

int bisect_write_tile(
    bisect *b, const cli_npy *whole, gsp_str type, const uint64_t *begin, gsp_str name)
{
    uint64_t dims[CLI_NPY_DIMS];
    uint32_t n_dims;
    uint64_t n;
    uint64_t i;
    uint32_t d;
    size_t const t = find_type(type);
    int fits = t != CLI_COUNT(types) && read_shape(type, dims, &n_dims, &n) &&
               n_dims == whole->n_dims && types[t].bytes == whole->size && !whole->is_big;
    cli_buffer out;
    for (d = 0; fits && d < n_dims; d++) {
        fits = begin[d] <= whole->dims[d] && dims[d] <= whole->dims[d] - begin[d];
    }
    if (!fits) {
        return cli_error(b->session, GSP_STATUS_ARG,
            "input %s: it is no tile of the array that --inputs has, which has another type or "
            "shape",
            cli_copy(b->session, name));
    }
    cli_buffer_init(&out, b->session);
    cli_npy_head(&out, types[t].descr, n_dims, dims);
    for (i = 0; i < n; i++) {
        uint64_t rest = i;
        uint64_t at = 0;
        uint64_t step = 1;
        for (d = n_dims; d-- > 0; step *= whole->dims[d]) {
            at += (begin[d] + rest % dims[d]) * step;
            rest /= dims[d];
        }
        cli_put(&out, (const char *)cli_npy_bytes(whole, at), whole->size);
    }
    return write_values(b, name, &out);
}

/* ---- values that the user has ---- */

static int ends_in(const char *path, const char *suffix)
{
    size_t const n = strlen(path);
    return n > strlen(suffix) && strcmp(path + n - strlen(suffix), suffix) == 0;
}

/* Takes a dimension that is no number from the number of values; 0 if that is not possible. */
static int fit_shape(gsp_str type, uint64_t *dims, uint32_t n_dims, uint64_t n, uint64_t values)
{
    const char *open = (const char *)memchr(type.data, '[', type.size);
    gsp_str inside = {open + 1, (uint32_t)(type.data + type.size - 2 - open)};
    gsp_str dim;
    uint32_t at = 0;
    uint32_t i;
    uint64_t d;
    for (i = 0; i < n_dims && n != values && cli_next_dim(inside, &at, &dim); i++) {
        if (!gsp_str_number(dim, &d)) {
            dims[i] = n != 0 ? values / n : 0u;
            n *= dims[i];
            break;
        }
    }
    return n == values;
}

/* Bytes as they lie in memory of this order: the type and the shape are those of the graph. */
static int copy_bytes(bisect *b, gsp_node v, gsp_str name, const char *from)
{
    cli_session *s = b->session;
    gsp_str const type = gsp_node_type(&b->graph, v);
    size_t const t = find_type(type);
    uint64_t dims[CLI_NPY_DIMS];
    uint32_t n_dims;
    uint64_t n;
    size_t size = 0;
    char *data = NULL;
    cli_buffer out;
    int const code = cli_binary_read(s, from, &data, &size);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (t == CLI_COUNT(types) || !read_shape(type, dims, &n_dims, &n) ||
        size % types[t].bytes != 0 || !fit_shape(type, dims, n_dims, n, size / types[t].bytes)) {
        return cli_file_error(s, "%s has %zu bytes, which are no %s of the input %s", from, size,
            type.size != 0 ? cli_copy(s, type) : "values of a known type", cli_copy(s, name));
    }
    cli_buffer_init(&out, s);
    cli_npy_head(&out, types[t].descr, n_dims, dims);
    cli_put(&out, data, size);
    cli_release(s, data);
    return write_values(b, name, &out);
}

static int copy_array(bisect *b, gsp_str name, const char *from)
{
    cli_session *s = b->session;
    cli_npy array;
    if (cli_npy_read(s, from, &array) != CLI_EXIT_OK) {
        return CLI_EXIT_USAGE;
    }
    cli_release(s, array.file);
    return cli_copy_file(from, cli_npy_path(s, b->values, name)) == 0
               ? CLI_EXIT_OK
               : cli_error(s, GSP_STATUS_ARG, "cannot copy %s", from);
}

static int copy_member(bisect *b, gsp_str name, const char *archive)
{
    cli_session *s = b->session;
    const char *path = cli_npy_path(s, b->values, name);
    cli_buffer member;
    cli_buffer out;
    cli_npy array;
    int code;
    cli_buffer_init(&member, s);
    cli_buffer_init(&out, s);
    cli_put(&member, name.data, name.size);
    cli_put(&member, ".npy", 5u);
    code = cli_zip_read(s, archive, member.data, &out.data, &out.size);
    code = code == CLI_EXIT_OK ? cli_write_new(s, path, &out) : code;
    code = code == CLI_EXIT_OK ? cli_npy_read(s, path, &array) : code;
    if (code == CLI_EXIT_OK) {
        cli_release(s, array.file);
    }
    return code;
}

/* DIR/NAME.bin if there is no DIR/NAME.npy. */
static int copy_from_dir(bisect *b, gsp_node v, gsp_str name, const char *dir)
{
    const char *array = cli_npy_path(b->session, dir, name);
    char *path = cli_copy(b->session, gsp_str_of(array));
    memcpy(path + strlen(path) - 4u, ".bin", 4u);
    return !cli_is_file(array) && cli_is_file(path) ? copy_bytes(b, v, name, path)
                                                    : copy_array(b, name, array);
}

int bisect_is_given(const bisect *b, gsp_node v)
{
    uint32_t n;
    (void)gsp_node_users(&b->graph, v, &n);
    return gsp_node_op(&b->graph, v) == GSP_OP_PLACEHOLDER && n != 0 && bisect_is_input(b, v);
}

static int copy_values(bisect *b, gsp_node v, gsp_str name)
{
    const char *from = b->opt.recorded != NULL ? b->opt.recorded : b->opt.inputs;
    int const is_bin = ends_in(from, ".bin");
    gsp_node other = 0;
    if (ends_in(from, ".npz")) {
        return copy_member(b, name, from);
    }
    if ((!is_bin && !ends_in(from, ".npy")) || !cli_is_file(from)) {
        return copy_from_dir(b, v, name, from);
    }
    while (other < b->graph.n_nodes && (other == v || !bisect_is_given(b, other))) {
        other++;
    }
    if (other < b->graph.n_nodes) {
        return cli_file_error(b->session,
            "%s has one array, and the model has several inputs; give --inputs a directory or an "
            ".npz",
            from);
    }
    return is_bin ? copy_bytes(b, v, name, from) : copy_array(b, name, from);
}

int bisect_inputs(bisect *b)
{
    const gsp_graph *g = &b->graph;
    int const hashes = b->tested.command == NULL || b->reference.command == NULL;
    uint64_t number = 0;
    gsp_node v;
    int code = CLI_EXIT_OK;
    for (v = 0; v < g->n_nodes && code == CLI_EXIT_OK; v++) {
        gsp_str name;
        if (bisect_is_given(b, v)) {
            int const is_copied = b->opt.inputs != NULL || b->opt.recorded != NULL;
            (void)cli_tensor(b->session, g, v, 0, &name);
            code = is_copied ? copy_values(b, v, name)
                   : hashes  ? bisect_write_hash(b, name, number++)
                             : bisect_write_random(b, gsp_node_type(g, v), v, name);
        }
    }
    return code;
}
