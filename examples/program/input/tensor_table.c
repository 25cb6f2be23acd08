/* Tensors of a file of weights as a table of layers. What has a number in its name is a layer, its
 * experts are rows of their own behind it, all else is a row per module. */
#include "input/input.h"

#include "algorithms/algorithms.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_READ ((size_t)1 << 20)
#define MOST_READ  ((size_t)1 << 30) /* of a header */
#define KV_BYTES   2u                /* of a number that is kept, an f16 */

/* Which experts a tensor is of: with the number in the name of the row, all in one tensor, and from
 * FIRST on one. */
enum { NO_EXPERT, EXPERT, STACK, FIRST };

/* When a layer runs. */
enum { EMBEDDING, ENCODER, LAYER, DECODER, NORM, HEAD };

/* ---- layers ---- */

/* The end of the component of a path that begins at a place. */
static uint32_t component(gsp_str path, uint32_t begin)
{
    while (begin < path.size && path.data[begin] != '.') {
        begin++;
    }
    return begin;
}

/* The prefix that ends with the first number behind a place; 0 without. */
static uint32_t number_behind(gsp_str path, uint32_t begin)
{
    while (begin < path.size) {
        uint32_t const end = component(path, begin);
        uint32_t i = begin;
        while (i < end && path.data[i] >= '0' && path.data[i] <= '9') {
            i++;
        }
        if (i == end && end > begin) {
            return end;
        }
        begin = end + 1u;
    }
    return 0;
}

uint32_t cli_numbered_prefix(gsp_str path)
{
    return number_behind(path, 0);
}

static int has_word(gsp_str text, const char *word)
{
    uint32_t const n = (uint32_t)strlen(word);
    uint32_t i = 0;
    while (i + n <= text.size && memcmp(text.data + i, word, n) != 0) {
        i++;
    }
    return i + n <= text.size;
}

static int has_any(gsp_str text, const char *const *words, size_t n)
{
    while (n > 0 && !has_word(text, words[n - 1u])) {
        n--;
    }
    return n > 0;
}

static gsp_str part_of(gsp_str text, uint32_t begin, uint32_t end)
{
    text.data += begin;
    text.size = end - begin;
    return text;
}

/* What belongs to experts behind the number of a layer: experts.7.w1, experts.w1, and in GGUF
 * ffn_up_exps for all and ffn_up.7 for one. */
static void find_expert(cli_stored *t)
{
    static const char *const parts[] = {"ffn_gate", "ffn_up", "ffn_down"};
    uint32_t begin = t->row.size + 1u;
    while (begin < t->name.size) {
        uint32_t const end = component(t->name, begin);
        gsp_str const word = part_of(t->name, begin, end);
        uint32_t const number = number_behind(t->name, end + 1u);
        int const is_numbered = number != 0 && component(t->name, end + 1u) == number;
        if (gsp_str_equal(word, gsp_str_of("experts"))) {
            t->expert = EXPERT;
            t->row.size = is_numbered ? number : end;
            return;
        }
        if (word.size > 5u && memcmp(word.data + word.size - 5u, "_exps", 5u) == 0) {
            t->expert = STACK;
            return;
        }
        for (size_t i = 0; is_numbered && i < CLI_COUNT(parts); i++) {
            uint64_t which;
            if (gsp_str_equal(word, gsp_str_of(parts[i])) &&
                gsp_str_number(part_of(t->name, end + 1u, number), &which) &&
                which < CLI_MOST_TENSORS) {
                t->expert = FIRST + (uint32_t)which;
                return;
            }
        }
        begin = end + 1u;
    }
}

static void find_row(cli_stored *t)
{
    static const char *const first[] = {"embd", "embed", "wte", "wpe"};
    static const char *const encoders[] = {"enc", "vis", "v.blk"};
    static const char *const norms[] = {"norm", "ln_f"};
    t->row = t->name;
    t->row.size = cli_numbered_prefix(t->name);
    if (t->row.size != 0) {
        t->rank = has_any(t->row, encoders, CLI_COUNT(encoders)) ? ENCODER
                  : has_word(t->row, "dec")                      ? DECODER
                                                                 : LAYER;
        find_expert(t);
        return;
    }
    t->rank = has_any(t->name, first, CLI_COUNT(first))   ? EMBEDDING
              : has_any(t->name, norms, CLI_COUNT(norms)) ? NORM
                                                          : HEAD;
    t->row.size = t->name.size - 1u;
    while (t->row.size > 0 && t->name.data[t->row.size] != '.') {
        t->row.size--;
    }
    t->row.size = t->row.size != 0 ? t->row.size : t->name.size;
}

static uint32_t digits_at(gsp_str text, uint32_t at)
{
    uint32_t n = 0;
    while (at + n < text.size && text.data[at + n] >= '0' && text.data[at + n] <= '9') {
        n++;
    }
    return n;
}

/* Of texts whose numbers count as numbers. */
static int compare_text(gsp_str a, gsp_str b)
{
    uint32_t i = 0;
    uint32_t k = 0;
    while (i < a.size && k < b.size) {
        uint32_t n = digits_at(a, i);
        uint32_t m = digits_at(b, k);
        int order;
        for (; n > 1u && a.data[i] == '0'; i++) {
            n--;
        }
        for (; m > 1u && b.data[k] == '0'; k++) {
            m--;
        }
        if (n != m) {
            return n == 0 || m == 0 ? (unsigned char)a.data[i] - (unsigned char)b.data[k]
                   : n < m          ? -1
                                    : 1;
        }
        n = n != 0 ? n : 1u;
        order = memcmp(a.data + i, b.data + k, n);
        if (order != 0) {
            return order;
        }
        i += n;
        k += n;
    }
    return (i < a.size) - (k < b.size);
}

static int compare_rows(const cli_stored *a, const cli_stored *b)
{
    int const order = a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank)
                                         : compare_text(a->row, b->row);
    return order != 0 ? order : (a->expert > b->expert) - (a->expert < b->expert);
}

static int compare(const void *a, const void *b)
{
    const cli_stored *left = (const cli_stored *)a;
    const cli_stored *right = (const cli_stored *)b;
    int const order = compare_rows(left, right);
    return order != 0 ? order : (left->number > right->number) - (left->number < right->number);
}

/* ---- figures ---- */

typedef struct figures {
    uint64_t params;
    double macs;
    uint64_t kept; /* per token */
    uint64_t out;  /* of the one matrix, */
    uint32_t n_matrices;
    int has_experts;
} figures;

/* Bytes of keys and values per token by the shape of a tensor: what it gives. 0 for others. */
static uint64_t kept_by_shape(const cli_stored *t)
{
    static const char *const words[] = {".attn_k.weight", ".attn_v.weight", ".k_proj.weight",
        ".v_proj.weight", "kv_a_proj_with_mqa.weight"};
    return t->n_dims > 1u && has_any(t->name, words, CLI_COUNT(words)) ? t->out * KV_BYTES : 0u;
}

static int is_attention(gsp_str name)
{
    static const char *const words[] = {".attn_k", ".attn_qkv", "_attn.", ".attn.", "attention."};
    return has_any(name, words, CLI_COUNT(words));
}

/* The number that ends a layer's name. */
static uint64_t block_of(gsp_str row)
{
    uint64_t number = 0;
    uint32_t begin = row.size;
    while (begin > 0 && row.data[begin - 1u] != '.') {
        begin--;
    }
    (void)gsp_str_number(part_of(row, begin, row.size), &number);
    return number;
}

static void add(const cli_tensors *t, const cli_stored *tensor, figures *f)
{
    double share = 1.0;
    if (tensor->expert != 0 && t->experts_used != 0 && t->experts_used < t->experts) {
        share = (double)t->experts_used / (double)t->experts;
    }
    f->params = cli_add(f->params, tensor->bytes);
    if (tensor->n_dims > 1u && tensor->rank != EMBEDDING) {
        f->macs += (double)tensor->elements * share;
        f->out = tensor->out;
        f->n_matrices++;
    }
    if (tensor->rank == LAYER || tensor->rank == DECODER) {
        f->kept = cli_add(f->kept, t->key_values == NULL ? kept_by_shape(tensor) : 0u);
    }
    if (tensor->rank == LAYER && t->key_values != NULL && is_attention(tensor->name)) {
        uint64_t const block = block_of(tensor->row);
        f->kept = block < CLI_MOST_BLOCKS ? t->key_values[block] : 0u;
    }
}

/* The width of what passes from layer to layer: of the longest norm, or the embedding. */
static void find_hidden(cli_tensors *t)
{
    uint64_t embedding = 0;
    uint64_t norm = 0;
    for (uint32_t i = 0; i < t->n && t->hidden == 0; i++) {
        const cli_stored *tensor = &t->rows[i];
        if (tensor->n_dims == 1u && has_word(tensor->name, "norm")) {
            norm = tensor->out > norm ? tensor->out : norm;
        } else if (tensor->n_dims == 2u && tensor->rank == EMBEDDING && tensor->out != 0) {
            embedding = tensor->elements / tensor->out;
        }
    }
    t->hidden = t->hidden != 0 ? t->hidden : norm != 0 ? norm : embedding;
}

/* ---- the table ---- */

static void put_name(cli_buffer *out, const cli_stored *t)
{
    for (uint32_t i = 0; i < t->row.size; i++) {
        char const c = t->row.data[i];
        int const is_plain = (unsigned char)c > ' ' && c != 127 && strchr(",\"#", c) == NULL;
        cli_put(out, is_plain ? &c : "_", 1u);
    }
    if (t->expert == STACK) {
        cli_puts(out, ".exps");
    } else if (t->expert >= FIRST) {
        cli_printf(out, ".exps.%" PRIu32, t->expert - FIRST);
    }
}

/* The row that begins with a tensor; returns the tensor behind it. */
static uint32_t put_row(const cli_tensors *t, cli_buffer *out, uint32_t begin, figures *sum)
{
    const cli_stored *first = &t->rows[begin];
    uint32_t end = begin;
    uint64_t width = t->hidden;
    figures f;
    memset(&f, 0, sizeof f);
    for (; end < t->n && compare_rows(first, &t->rows[end]) == 0; end++) {
        add(t, &t->rows[end], &f);
    }
    width = (first->rank == HEAD && f.n_matrices == 1u) || width == 0 ? f.out : width;
    put_name(out, first);
    cli_printf(out, ",%" PRIu64 ",%.17g,%" PRIu64 ",", f.params, f.macs, width * t->value_bytes);
    if (sum->kept != 0) {
        cli_printf(out, "%" PRIu64, f.kept);
    }
    cli_puts(out, "\n");
    sum->has_experts |= first->expert != 0;
    return end;
}

static void tell(const cli_tensors *t, const char *what)
{
    cli_buffer note;
    cli_buffer_init(&note, t->session);
    cli_printf(
        &note, "%s: %s: %s\n", t->session->front->program, cli_shown(t->session, t->path), what);
    cli_progress_end(t->session);
    cli_tell(&note);
    cli_release(t->session, note.data);
}

static void put_table(cli_tensors *t, cli_buffer *out)
{
    figures sum;
    memset(&sum, 0, sizeof sum);
    for (uint32_t i = 0; i < t->n; i++) {
        t->rows[i].number = i;
        find_row(&t->rows[i]);
    }
    for (uint32_t i = 0; i < t->n && sum.kept == 0; i++) {
        add(t, &t->rows[i], &sum);
    }
    find_hidden(t);
    qsort(t->rows, t->n, sizeof *t->rows, compare);
    cli_puts(out, "layer,params,macs,activation,kv_per_token\n");
    for (uint32_t i = 0; i < t->n;) {
        i = put_row(t, out, i, &sum);
    }
    if (t->files > 1u) {
        tell(t, "one file of several; the table has the layers of this one");
    }
    if (sum.kept == 0) {
        tell(t, "no layer has keys and values of known size; --kv gives bytes per layer");
    }
    if (sum.has_experts && t->experts_used == 0) {
        tell(t, "how many experts a token takes is not known; MACs are those of all");
    }
}

/* ---- files ---- */

static int has_ending(const char *path, const char *ending)
{
    size_t const size = strlen(path);
    size_t const n = strlen(ending);
    return size > n && strcmp(path + size - n, ending) == 0;
}

int cli_is_tensors(cli_session *s, const char *path)
{
    char head[32] = {0};
    size_t const n = cli_peek(s, path, head);
    return has_ending(path, ".gguf") || has_ending(path, ".safetensors") ||
           (n >= 4u && memcmp(head, "GGUF", 4u) == 0) ||
           (n >= 10u && head[6] == 0 && head[7] == 0 && memcmp(head + 8, "{\"", 2u) == 0);
}

int cli_tensors_table(cli_session *s, const char *path, cli_buffer *out)
{
    cli_tensors t;
    int code = CLI_EXIT_OK;
    size_t least = strcmp(path, "-") == 0 ? MOST_READ : FIRST_READ;
    char *data = NULL;
    memset(&t, 0, sizeof t);
    cli_add_input(s, path);
    do {
        size_t size = 0;
        cli_release(s, data);
        cli_release(s, t.rows);
        cli_release(s, t.key_values);
        memset(&t, 0, sizeof t);
        t.session = s;
        t.path = path;
        code = cli_head_read(s, path, least, &data, &size);
        if (code != CLI_EXIT_OK) {
            return code;
        }
        t.head.data = data;
        t.head.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
        t.whole = size < least;
        code = has_ending(path, ".gguf") || (size >= 4u && memcmp(data, "GGUF", 4u) == 0)
                   ? cli_gguf_read(&t)
                   : cli_safetensors_read(&t);
        least *= 2u;
    } while (code == CLI_EXIT_OK && t.ended && !t.whole && least <= MOST_READ);
    if (code == CLI_EXIT_OK && t.ended) {
        return cli_tensors_wrong(&t, "%s",
            t.whole ? "the file ends inside its header" : "its header takes more than 1 GiB");
    }
    if (code == CLI_EXIT_OK && t.n == 0) {
        return cli_tensors_wrong(&t, "there are no tensors");
    }
    if (code == CLI_EXIT_OK) {
        put_table(&t, out);
    }
    cli_release(s, data);
    return code;
}
