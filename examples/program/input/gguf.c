/* The header of a GGUF file: counts, pairs of a key and a value, tensors. */
#include "input/input.h"

#include <inttypes.h>
#include <string.h>

#define MOST_NAME ((uint64_t)65535) /* bytes of a key or a name */
#define MOST_DIMS 4u
#define KV_BYTES  2u /* of a number that is kept, an f16 */
#define MOST_KEPT ((uint64_t)1 << 50)

/* Types of values. */
enum { U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64, N_VALUES };

/* What keys that end like this give, as far as the table needs it. */
typedef enum key {
    HIDDEN,
    HEADS,
    HEADS_KV,
    KEY_LENGTH,
    VALUE_LENGTH,
    KEY_LENGTH_MLA,
    EXPERTS,
    EXPERTS_USED,
    FILES,
    N_KEYS
} key;

typedef struct reader {
    cli_tensors *t;
    size_t at;
    uint64_t given[N_KEYS];
    size_t heads_at; /* an array of heads per block: where, */
    uint64_t n_heads;
    uint32_t heads_type;
} reader;

/* ---- bytes ---- */

static int has(reader *r, uint64_t bytes)
{
    if (bytes > r->t->head.size - r->at) {
        r->t->ended = 1;
    }
    return !r->t->ended;
}

static uint64_t take(reader *r, uint32_t width)
{
    uint64_t value = 0;
    if (!has(r, width)) {
        return 0;
    }
    for (uint32_t i = 0; i < width; i++) {
        value |= (uint64_t)(unsigned char)r->t->head.data[r->at + i] << (8u * i);
    }
    r->at += width;
    return value;
}

static gsp_str take_text(reader *r)
{
    gsp_str text = {NULL, 0};
    uint64_t const size = take(r, 8u);
    if (has(r, size)) {
        text.data = r->t->head.data + r->at;
        text.size = (uint32_t)size;
        r->at += text.size;
    }
    return text;
}

/* A key, or the name of a tensor, which are short. */
static int take_name(reader *r, const char *what, uint64_t which, gsp_str *name)
{
    size_t const begin = r->at;
    uint64_t const size = take(r, 8u);
    memset(name, 0, sizeof *name);
    if (!r->t->ended && size > MOST_NAME) {
        return cli_tensors_wrong(r->t,
            "%s %" PRIu64 " has a name of %" PRIu64 " bytes, above %" PRIu64, what, which, size,
            MOST_NAME);
    }
    r->at = r->t->ended ? r->at : begin;
    *name = take_text(r);
    return CLI_EXIT_OK;
}

/* ---- values ---- */

static uint32_t width_of(uint32_t type)
{
    static const uint32_t widths[] = {1u, 1u, 2u, 2u, 4u, 4u, 4u, 1u, 0, 0, 8u, 8u, 8u};
    return widths[type];
}

static int is_whole(uint32_t type)
{
    return type <= I32 || type == U64 || type == I64;
}

/* A value that is no array; the number, if it is one without a sign. */
static uint64_t take_value(reader *r, uint32_t type)
{
    uint32_t const width = width_of(type);
    uint64_t value;
    if (type == STRING) {
        (void)take_text(r);
        return 0;
    }
    value = take(r, width);
    return is_whole(type) && value >> (8u * width - 1u) == 0 ? value : 0u;
}

static int take_array(reader *r, uint64_t which, int are_heads)
{
    uint32_t const type = (uint32_t)take(r, 4u);
    uint64_t const n = take(r, 8u);
    if (!r->t->ended && (type >= N_VALUES || type == ARRAY)) {
        return cli_tensors_wrong(r->t,
            "key %" PRIu64 " is an array of the type %" PRIu32 ", which is none", which, type);
    }
    if (r->t->ended) {
        return CLI_EXIT_OK;
    }
    if (are_heads && is_whole(type)) {
        r->heads_at = r->at;
        r->heads_type = type;
        r->n_heads = n;
    }
    if (type == STRING) {
        for (uint64_t i = 0; i < n && !r->t->ended; i++) {
            (void)take_text(r);
        }
    } else if (n > UINT64_MAX / 8u || !has(r, n * width_of(type))) {
        r->t->ended = 1;
    } else {
        r->at += (size_t)(n * width_of(type));
    }
    return CLI_EXIT_OK;
}

/* The name of the architecture comes before the first dot. */
static key key_of(gsp_str name)
{
    static const char *const words[] = {"embedding_length", "attention.head_count",
        "attention.head_count_kv", "attention.key_length", "attention.value_length",
        "attention.key_length_mla", "expert_count", "expert_used_count", "count"};
    uint32_t k = 0;
    int const is_of_files = name.size > 6u && memcmp(name.data, "split.", 6u) == 0;
    while (name.size != 0 && name.data[-1] != '.') {
        name.data++;
        name.size--;
    }
    while (
        k < N_KEYS && ((k == FILES) != is_of_files || !gsp_str_equal(name, gsp_str_of(words[k])))) {
        k++;
    }
    return (key)k;
}

static int take_pairs(reader *r, uint64_t n)
{
    int code = CLI_EXIT_OK;
    for (uint64_t i = 0; i < n && !r->t->ended && code == CLI_EXIT_OK; i++) {
        gsp_str name;
        uint32_t type;
        key what;
        code = take_name(r, "key", i, &name);
        if (code != CLI_EXIT_OK) {
            break;
        }
        what = key_of(name);
        type = (uint32_t)take(r, 4u);
        if (type >= N_VALUES) {
            return cli_tensors_wrong(r->t,
                "key %" PRIu64 " has a value of the type %" PRIu32 ", which is none", i, type);
        }
        if (type == ARRAY) {
            code = take_array(r, i, what == HEADS_KV);
        } else if (what != N_KEYS) {
            r->given[what] = take_value(r, type);
        } else {
            (void)take_value(r, type);
        }
    }
    return code;
}

/* ---- tensors ---- */

/* Bytes of a block of elements; 0 for a type that is none. */
static uint32_t block_of(uint32_t type, uint32_t *elements)
{
    static const struct {
        uint32_t type;
        uint32_t elements;
        uint32_t bytes;
    } types[] = {{0, 1, 4}, {1, 1, 2}, {2, 32, 18}, {3, 32, 20}, {6, 32, 22}, {7, 32, 24},
        {8, 32, 34}, {9, 32, 36}, {10, 256, 84}, {11, 256, 110}, {12, 256, 144}, {13, 256, 176},
        {14, 256, 210}, {15, 256, 292}, {16, 256, 66}, {17, 256, 74}, {18, 256, 98}, {19, 256, 50},
        {20, 32, 18}, {21, 256, 110}, {22, 256, 82}, {23, 256, 136}, {24, 1, 1}, {25, 1, 2},
        {26, 1, 4}, {27, 1, 8}, {28, 1, 8}, {29, 256, 56}, {30, 1, 2}, {34, 256, 54}, {35, 256, 66},
        {39, 32, 17}, {40, 64, 36}};
    for (size_t i = 0; i < CLI_COUNT(types); i++) {
        if (types[i].type == type) {
            *elements = types[i].elements;
            return types[i].bytes;
        }
    }
    return 0;
}

static int take_tensor(reader *r, uint64_t which)
{
    uint64_t dims[MOST_DIMS] = {1u, 1u, 1u, 1u};
    uint32_t n_dims;
    uint32_t type;
    uint32_t elements = 1;
    uint32_t bytes;
    uint64_t row;
    gsp_str name = {NULL, 0};
    cli_stored *tensor;
    int code = take_name(r, "tensor", which, &name);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    n_dims = (uint32_t)take(r, 4u);
    if (n_dims > MOST_DIMS) {
        return cli_tensors_wrong(r->t, "tensor %" PRIu64 " has %" PRIu32 " dimensions, above %u",
            which, n_dims, MOST_DIMS);
    }
    for (uint32_t i = n_dims; i > 0; i--) { /* the fastest comes first */
        dims[i - 1u] = take(r, 8u);
    }
    type = (uint32_t)take(r, 4u);
    (void)take(r, 8u); /* where its bytes begin */
    if (r->t->ended) {
        return CLI_EXIT_OK;
    }
    bytes = block_of(type, &elements);
    if (bytes == 0) {
        return cli_tensors_wrong(
            r->t, "tensor %" PRIu64 " has the type %" PRIu32 ", which is not known", which, type);
    }
    code = cli_tensors_add(r->t, name, dims, n_dims, &tensor);
    row = dims[n_dims != 0 ? n_dims - 1u : 0u];
    if (code == CLI_EXIT_OK && row % elements != 0) {
        return cli_tensors_wrong(r->t,
            "tensor %" PRIu64 " has rows of %" PRIu64 " elements, which are not blocks of %" PRIu32,
            which, row, elements);
    }
    if (code == CLI_EXIT_OK) {
        tensor->bytes = tensor->elements / elements * bytes;
    }
    return code;
}

/* ---- what a block keeps per token ---- */

static void set_key_values(reader *r)
{
    const uint64_t *g = r->given;
    uint64_t const length = g[HEADS] != 0 && g[HIDDEN] / g[HEADS] != 0 ? g[HIDDEN] / g[HEADS] : 0u;
    uint64_t const of_key = g[KEY_LENGTH] != 0 ? g[KEY_LENGTH] : length;
    uint64_t const of_value = g[VALUE_LENGTH] != 0 ? g[VALUE_LENGTH] : length;
    uint64_t const of_both = of_key + (g[KEY_LENGTH_MLA] != 0 ? 0u : of_value);
    uint64_t const heads = g[HEADS_KV] != 0 ? g[HEADS_KV] : g[HEADS];
    size_t const end = r->at;
    if (of_both == 0 || of_both > UINT32_MAX || heads > UINT32_MAX ||
        (heads == 0 && r->n_heads == 0)) {
        return;
    }
    r->t->key_values =
        (uint64_t *)cli_alloc(r->t->session, CLI_MOST_BLOCKS, sizeof *r->t->key_values);
    r->at = r->heads_at;
    for (uint32_t i = 0; i < CLI_MOST_BLOCKS; i++) {
        uint64_t n = heads;
        if (r->n_heads != 0) {
            n = i < r->n_heads ? take_value(r, r->heads_type) : 0u;
            n = n > UINT32_MAX ? 0u : n;
        }
        r->t->key_values[i] = n * of_both > MOST_KEPT ? MOST_KEPT : n * of_both * KV_BYTES;
    }
    r->at = end;
}

int cli_gguf_read(cli_tensors *t)
{
    reader r;
    uint64_t version;
    uint64_t n_tensors;
    uint64_t n_pairs;
    int code;
    memset(&r, 0, sizeof r);
    r.t = t;
    if (t->head.size < 4u || memcmp(t->head.data, "GGUF", 4u) != 0) {
        return cli_tensors_wrong(t, "no GGUF file: it does not begin with these letters");
    }
    r.at = 4u;
    version = take(&r, 4u);
    if (!t->ended && version != 2u && version != 3u) {
        return cli_tensors_wrong(t, "version %" PRIu64 " of GGUF; 2 and 3 can be read%s", version,
            version > UINT16_MAX ? ", and the bytes of numbers stand in the other order" : "");
    }
    n_tensors = take(&r, 8u);
    n_pairs = take(&r, 8u);
    code = take_pairs(&r, n_pairs);
    for (uint64_t i = 0; i < n_tensors && code == CLI_EXIT_OK && !t->ended; i++) {
        code = take_tensor(&r, i);
    }
    t->hidden = r.given[HIDDEN];
    t->experts = r.given[EXPERTS];
    t->experts_used = r.given[EXPERTS_USED];
    t->files = r.given[FILES];
    t->value_bytes = 4u;
    if (code == CLI_EXIT_OK && !t->ended) {
        set_key_values(&r);
    }
    return code;
}
