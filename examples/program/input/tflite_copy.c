/* Writing a .tflite file out of tables that are made and tables of another file. */
#include "input/input.h"

#include <string.h>

#define MOST 0x7FFFFFF0u /* bytes of a file, since offsets are 31 bits */

/* A table of known fields is copied as bytes, followed by what its offsets lead to. An unknown
 * field may be an offset, so that its table cannot be copied. */
typedef struct known_offset {
    uint8_t kind;
    uint8_t field;
    uint8_t shape;
    uint8_t arg; /* the kind of tables; of a union, that of its type 1 */
} known_offset;

#define UNION 0x80u /* in the shape: the field before says which table */

static const known_offset offsets[] = {
    {CLI_KIND_CODE, 1, CLI_TEXT, 0}, {CLI_KIND_QUANTIZATION, 0, CLI_ROW32, 0},
    {CLI_KIND_QUANTIZATION, 1, CLI_ROW32, 0}, {CLI_KIND_QUANTIZATION, 2, CLI_ROW32, 0},
    {CLI_KIND_QUANTIZATION, 3, CLI_ROW64, 0},
    {CLI_KIND_QUANTIZATION, 5, CLI_TABLE | UNION, CLI_KIND_CUSTOM_QUANTIZATION},
    {CLI_KIND_CUSTOM_QUANTIZATION, 0, CLI_BYTES16, 0}, {CLI_KIND_SPARSITY, 0, CLI_ROW32, 0},
    {CLI_KIND_SPARSITY, 1, CLI_ROW32, 0}, {CLI_KIND_SPARSITY, 2, CLI_TABLES, CLI_KIND_DIMENSION},
    {CLI_KIND_DIMENSION, 3, CLI_TABLE | UNION, CLI_KIND_INDICES},
    {CLI_KIND_DIMENSION, 5, CLI_TABLE | UNION, CLI_KIND_INDICES},
    {CLI_KIND_INDICES, 0, CLI_ROW32, 0}, {CLI_KIND_INDICES + 1, 0, CLI_ROW16, 0},
    {CLI_KIND_INDICES_8, 0, CLI_ROW8, 0}, {CLI_KIND_VARIANT, 0, CLI_ROW32, 0},
    {CLI_KIND_OPTIONS + 3, 1, CLI_ROW32, 0},   /* ConcatEmbeddings */
    {CLI_KIND_OPTIONS + 3, 2, CLI_ROW32, 0},   /* ConcatEmbeddings */
    {CLI_KIND_OPTIONS + 8, 5, CLI_ROW8, 0},    /* FullyConnected */
    {CLI_KIND_OPTIONS + 17, 0, CLI_ROW32, 0},  /* Reshape */
    {CLI_KIND_OPTIONS + 30, 0, CLI_ROW32, 0},  /* Squeeze */
    {CLI_KIND_OPTIONS + 111, 0, CLI_TEXT, 0},  /* VarHandle */
    {CLI_KIND_OPTIONS + 111, 1, CLI_TEXT, 0},  /* VarHandle */
    {CLI_KIND_OPTIONS + 115, 0, CLI_ROW32, 0}, /* Bucketize */
    {CLI_KIND_OPTIONS2 + 2, 0, CLI_ROW64, 0},  /* StablehloBroadcastInDim */
    {CLI_KIND_OPTIONS2 + 6, 0, CLI_ROW64, 0},  /* StablehloReduce */
    {CLI_KIND_OPTIONS2 + 7, 1, CLI_ROW64, 0},  /* StablehloScatter */
    {CLI_KIND_OPTIONS2 + 7, 2, CLI_ROW64, 0},  /* StablehloScatter */
    {CLI_KIND_OPTIONS2 + 7, 3, CLI_ROW64, 0},  /* StablehloScatter */
    {CLI_KIND_OPTIONS2 + 13, 0, CLI_ROW64, 0}, /* StablehloReduceWindow */
    {CLI_KIND_OPTIONS2 + 13, 1, CLI_ROW64, 0}, /* StablehloReduceWindow */
    {CLI_KIND_OPTIONS2 + 13, 2, CLI_ROW64, 0}, /* StablehloReduceWindow */
    {CLI_KIND_OPTIONS2 + 13, 3, CLI_ROW64, 0}, /* StablehloReduceWindow */
    {CLI_KIND_OPTIONS2 + 13, 4, CLI_ROW64, 0}, /* StablehloReduceWindow */
    {CLI_KIND_OPTIONS2 + 21, 0, CLI_TEXT, 0},  /* StableHLOComposite */
    {CLI_KIND_OPTIONS2 + 21, 2, CLI_ROW8, 0},  /* StableHLOComposite */
    {CLI_KIND_OPTIONS2 + 3, 0, CLI_ROW64, 0},  /* StablehloSlice */
    {CLI_KIND_OPTIONS2 + 3, 1, CLI_ROW64, 0},  /* StablehloSlice */
    {CLI_KIND_OPTIONS2 + 3, 2, CLI_ROW64, 0},  /* StablehloSlice */
    {CLI_KIND_OPTIONS2 + 4, 0, CLI_ROW64, 0},  /* StablehloConvolution */
    {CLI_KIND_OPTIONS2 + 4, 1, CLI_ROW64, 0},  /* StablehloConvolution */
    {CLI_KIND_OPTIONS2 + 4, 2, CLI_ROW64, 0},  /* StablehloConvolution */
    {CLI_KIND_OPTIONS2 + 4, 3, CLI_ROW64, 0},  /* StablehloConvolution */
    {CLI_KIND_OPTIONS2 + 4, 4, CLI_ROW8, 0},   /* StablehloConvolution */
    {CLI_KIND_OPTIONS2 + 4, 7, CLI_ROW64, 0},  /* StablehloConvolution */
    {CLI_KIND_OPTIONS2 + 4, 10, CLI_ROW64, 0}, /* StablehloConvolution */
    {CLI_KIND_OPTIONS2 + 4, 13, CLI_ROW64, 0}, /* StablehloConvolution */
    {CLI_KIND_OPTIONS2 + 4, 16, CLI_ROW32, 0}, /* StablehloConvolution */
    {CLI_KIND_OPTIONS2 + 9, 0, CLI_ROW64, 0},  /* StablehloDynamicSlice */
    {CLI_KIND_OPTIONS2 + 10, 0, CLI_ROW64, 0}, /* StablehloPad */
    {CLI_KIND_OPTIONS2 + 10, 1, CLI_ROW64, 0}, /* StablehloPad */
    {CLI_KIND_OPTIONS2 + 10, 2, CLI_ROW64, 0}, /* StablehloPad */
    {CLI_KIND_OPTIONS2 + 12, 0, CLI_ROW64, 0}, /* StablehloDotGeneral */
    {CLI_KIND_OPTIONS2 + 12, 1, CLI_ROW64, 0}, /* StablehloDotGeneral */
    {CLI_KIND_OPTIONS2 + 12, 2, CLI_ROW64, 0}, /* StablehloDotGeneral */
    {CLI_KIND_OPTIONS2 + 12, 3, CLI_ROW64, 0}, /* StablehloDotGeneral */
    {CLI_KIND_OPTIONS2 + 12, 4, CLI_ROW32, 0}, /* StablehloDotGeneral */
    {CLI_KIND_OPTIONS2 + 16, 0, CLI_ROW64, 0}, /* StablehloGather */
    {CLI_KIND_OPTIONS2 + 16, 1, CLI_ROW64, 0}, /* StablehloGather */
    {CLI_KIND_OPTIONS2 + 16, 2, CLI_ROW64, 0}, /* StablehloGather */
    {CLI_KIND_OPTIONS2 + 16, 4, CLI_ROW64, 0}, /* StablehloGather */
    {CLI_KIND_OPTIONS2 + 17, 0, CLI_ROW64, 0}, /* StablehloTranspose */
};

#define CALLS 255 /* the fields list subgraphs */

/* Fields that name one subgraph. */
static const struct {
    uint8_t kind;
    uint8_t field;
} calls[] = {
#define CALL(options, type, index, key) \
    {(uint8_t)(((options) == TFL_OPERATOR_OPTIONS ? (int)CLI_KIND_OPTIONS \
                                                  : (int)CLI_KIND_OPTIONS2) + \
               (type)), \
        index},
    TFL_CALL_LIST(CALL)
#undef CALL
};

/* How many fields a kind has. */
/* clang-format off */
static const uint8_t known_fields[] = {
    4, 7, 1, 3, 6, 1, 1, 1, 3, /* up to CLI_KIND_VARIANT */
    /* builtin options */
    0, 7, 7, 3, 1, 6, 3, 2, 6, 1, 2, 2, 1, 4, 5, 4, 1, 1, 3, 1, 1, 1, 0, 2, 0, 0, 0, 1, 2,
    1, 1, 3, 6, 0, 0, 1, 0, 2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 5, 1, 0, 0, 0, 0, 1, 0, 1, 4, 2,
    0, 1, 0, 0, 2, 0, 0, 0, 0, 6, 4, 6, 0, 0, 2, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0,
    0, 2, 2, 1, 0, 0, 0, 0, 0, 0, 3, 2, 1, 0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 2, 1, 1, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0,
    /* builtin options 2 */
    0, 1, 1, 3, 17, CALLS, 2, 7, 2, 1, 3, 1, 5, 6, 3, 2, 6, 1, 0, 1, 1,
    5, 0, CALLS
};
/* clang-format on */

struct cli_waiting {
    size_t place;
    cli_target target;
};

void cli_copy_begin(cli_copier *w, const tflite_model *model, cli_buffer *out)
{
    memset(w, 0, sizeof *w);
    tfl_file_open(&w->file, model->data, model->size, &w->err);
    w->file.left = (uint64_t)model->size * 16u + 4096u;
    w->out = out;
}

int cli_copy_calls(uint32_t kind)
{
    return known_fields[kind] == CALLS;
}

int cli_copy_called(
    cli_copier *w, const tfl_table *options, uint32_t kind, uint32_t *at, uint32_t *graph)
{
    while (*at < CLI_COUNT(calls)) {
        uint32_t const i = (*at)++;
        if (calls[i].kind == kind && tfl_field(&w->file, options, calls[i].field, 4) != 0u) {
            *graph = tfl_u32(&w->file, options, calls[i].field);
            return 1;
        }
    }
    return 0;
}

static void refuse(cli_copier *w, const char *why)
{
    w->why = w->why == NULL ? why : w->why;
}

static int is_good(const cli_copier *w)
{
    return w->why == NULL && tfl_ok(&w->file);
}

/* ---- bytes ---- */

static void put_zeros(cli_copier *w, size_t n)
{
    static const char zeros[16] = {0};
    for (; n > sizeof zeros; n -= sizeof zeros) {
        cli_put(w->out, zeros, sizeof zeros);
    }
    cli_put(w->out, zeros, n);
}

/* Up to where a size of `step`, a power of two, leaves this rest. */
static void align(cli_copier *w, size_t step, size_t rest)
{
    put_zeros(w, (rest - w->out->size) & (step - 1u));
}

static void put_number(cli_copier *w, uint32_t value, uint32_t width)
{
    char bytes[4];
    uint32_t i;
    for (i = 0; i < 4u; i++) {
        bytes[i] = (char)(unsigned char)(value >> (8u * i) & 255u);
    }
    cli_put(w->out, bytes, width);
}

void cli_copy_set(cli_copier *w, size_t place, uint32_t value)
{
    uint32_t i;
    for (i = 0; i < 4u; i++) {
        w->out->data[place + i] = (char)(unsigned char)(value >> (8u * i) & 255u);
    }
}

/* The offset leads to the end of what is written. */
static void lead_here(cli_copier *w, size_t place)
{
    cli_copy_set(w, place, (uint32_t)(w->out->size - place));
}

static int has_room(cli_copier *w, uint64_t bytes)
{
    if (w->out->size >= MOST || bytes >= MOST - w->out->size) {
        refuse(w, "it would take 2 GiB or more");
    }
    return is_good(w);
}

/* Begins a vector, if there is room for it; the elements are at a multiple of `step`. */
static int begin_vector(cli_copier *w, size_t place, uint64_t n, uint64_t bytes, size_t step)
{
    if (!has_room(w, bytes)) {
        return 0;
    }
    align(w, step, step - 4u);
    lead_here(w, place);
    put_number(w, (uint32_t)n, 4);
    return 1;
}

size_t cli_copy_numbers(cli_copier *w, size_t place, uint32_t n)
{
    size_t at = 0;
    if (begin_vector(w, place, n, 4u * (uint64_t)n, 4)) {
        at = w->out->size;
        put_zeros(w, 4u * (size_t)n);
    }
    return at;
}

void cli_copy_text(cli_copier *w, size_t place, gsp_str text)
{
    if (begin_vector(w, place, text.size, text.size, 4)) {
        cli_put_text(w->out, text);
        put_zeros(w, 1);
    }
}

/* ---- tables that are made ---- */

cli_target cli_copy_find(
    cli_copier *w, const tfl_table *t, uint32_t field, cli_shape shape, uint32_t kind)
{
    static const uint8_t widths[] = {1, 2, 4, 8, 1, 1, 0, 4};
    cli_target target = {0, 0, CLI_ROW8, 0};
    tfl_vector v;
    target.shape = shape;
    target.kind = kind;
    if (shape == CLI_TABLE) {
        target.from = tfl_table_of(&w->file, t, field).at;
    } else if (tfl_field(&w->file, t, field, 4) != 0u) {
        v = tfl_vector_of(&w->file, t, field, widths[shape]);
        target.from = v.at;
        target.n = v.n;
    }
    return target;
}

void cli_copy_number(cli_field *f, uint32_t width, uint32_t value)
{
    f->width = width;
    f->value = value;
}

void cli_copy_offset(cli_field *f)
{
    f->width = 4;
}

void cli_copy_field(cli_field *f, cli_target target)
{
    f->width = target.from != 0u ? 4u : 0u;
    f->copy = target;
}

/* The widest fields come first, so that all are aligned. */
void cli_copy_table(cli_copier *w, size_t place, cli_field *fields, uint32_t n)
{
    static const uint32_t widths[] = {4, 1};
    size_t row;
    size_t at;
    uint32_t i;
    uint32_t k;
    if (!is_good(w)) {
        return;
    }
    align(w, 4, 2u * (n & 1u));
    row = w->out->size;
    put_zeros(w, 4u + 2u * (size_t)n);
    at = w->out->size;
    lead_here(w, place);
    put_number(w, (uint32_t)(at - row), 4);
    for (k = 0; k < CLI_COUNT(widths); k++) {
        for (i = 0; i < n; i++) {
            if (fields[i].width == widths[k]) {
                fields[i].at = w->out->size;
                w->out->data[row + 4u + 2u * i] = (char)(w->out->size - at);
                put_number(w, fields[i].value, widths[k]);
            }
        }
    }
    w->out->data[row] = (char)(4u + 2u * n);
    w->out->data[row + 2u] = (char)(w->out->size - at);
    for (i = 0; i < n; i++) {
        if (fields[i].copy.from != 0u) {
            cli_copy_later(w, fields[i].at, fields[i].copy);
        }
    }
}

/* ---- tables that are copied ---- */

void cli_copy_later(cli_copier *w, size_t place, cli_target target)
{
    if (w->n == w->room) {
        w->room = w->room * 2u + 64u;
        w->queue = (cli_waiting *)cli_grow(w->out->session, w->queue, w->room * sizeof *w->queue);
    }
    w->queue[w->n].place = place;
    w->queue[w->n++].target = target;
}

/* What an offset of a table leads to; `from` is 0 if it cannot be copied. */
static cli_target follow(cli_copier *w, const tfl_table *t, const known_offset *o)
{
    uint32_t kind = o->arg;
    uint32_t type;
    if ((o->shape & UNION) != 0u) {
        type = tfl_u8(&w->file, t, o->field - 1u);
        if (type == 0u || type > (o->kind == CLI_KIND_DIMENSION ? 3u : 1u)) {
            refuse(w, "it has a quantisation or sparsity that cannot be copied");
        }
        kind += type - 1u;
    }
    return cli_copy_find(w, t, o->field, (cli_shape)(o->shape & ~UNION), kind);
}

/* 1 if every field of the table is known and in it, after the offset to its row. */
static int is_known(cli_copier *w, const tfl_table *t, uint32_t kind, uint32_t size)
{
    uint32_t const n = (t->size - 4u) / 2u;
    uint32_t i;
    if (size < 4u) {
        tfl_fail(&w->file, GSP_STATUS_PARSE, t->at, "a table has no valid size");
    }
    for (i = 0; i < n; i++) {
        uint32_t const offset = tfl_u16_at(&w->file, t->row + 4u + 2u * i);
        if (offset != 0u && (offset < 4u || offset >= size)) {
            tfl_fail(&w->file, GSP_STATUS_PARSE, t->row + 4u + 2u * i,
                "a field of a table lies outside of it");
        }
        if (offset != 0u && i >= known_fields[kind]) {
            refuse(w, "it has options that are newer than this program");
        }
    }
    return is_good(w);
}

/* The subgraphs that the copy of a table names, by their places in the new file. */
static void set_called(cli_copier *w, const tfl_table *t, uint32_t kind, size_t at)
{
    uint32_t i;
    for (i = 0; i < CLI_COUNT(calls); i++) {
        if (calls[i].kind == kind && tfl_field(&w->file, t, calls[i].field, 4) != 0u) {
            cli_copy_set(w, at + tfl_u16_at(&w->file, t->row + 4u + 2u * calls[i].field),
                w->graph_at[tfl_u32(&w->file, t, calls[i].field)]);
        }
    }
}

static void copy_table(cli_copier *w, size_t place, uint64_t from, uint32_t kind)
{
    tfl_table const t = tfl_table_at(&w->file, from);
    uint32_t const size = tfl_ok(&w->file) ? tfl_u16_at(&w->file, t.row + 2u) : 0u;
    size_t row;
    size_t at;
    uint32_t i;
    tfl_spend(&w->file, (uint64_t)t.size + size);
    if (!has_room(w, (uint64_t)t.size + size) || !is_known(w, &t, kind, size)) {
        return;
    }
    align(w, 2, 0);
    row = w->out->size;
    cli_put(w->out, (const char *)w->file.data + t.row, t.size);
    align(w, 8, (size_t)(t.at & 7u));
    at = w->out->size;
    lead_here(w, place);
    cli_put(w->out, (const char *)w->file.data + t.at, size);
    cli_copy_set(w, at, (uint32_t)(at - row));
    set_called(w, &t, kind, at);
    for (i = 0; i < CLI_COUNT(offsets); i++) {
        if (offsets[i].kind == kind && tfl_field(&w->file, &t, offsets[i].field, 4) != 0u) {
            size_t const slot = (size_t)tfl_u16_at(&w->file, t.row + 4u + 2u * offsets[i].field);
            if (slot + 4u > size) {
                tfl_fail(&w->file, GSP_STATUS_PARSE, t.at, "a field of a table lies outside of it");
                return;
            }
            cli_copy_later(w, at + slot, follow(w, &t, &offsets[i]));
        }
    }
}

static void copy_tables(cli_copier *w, size_t place, const cli_target *v)
{
    size_t const at = cli_copy_numbers(w, place, (uint32_t)v->n);
    uint64_t i;
    tfl_spend(&w->file, v->n);
    for (i = 0; i < v->n && is_good(w); i++) {
        cli_target element = {0, 0, CLI_TABLE, 0};
        element.from = v->from + 4u * i + tfl_u32_at(&w->file, v->from + 4u * i);
        element.kind = v->kind;
        cli_copy_later(w, at + 4u * (size_t)i, element);
    }
}

static void copy_vector(cli_copier *w, size_t place, const cli_target *v)
{
    static const uint8_t widths[] = {1, 2, 4, 8, 1, 1};
    uint64_t const bytes = v->n * widths[v->shape];
    size_t const step = v->shape == CLI_BYTES16 ? 16u : v->shape == CLI_ROW64 ? 8u : 4u;
    tfl_spend(&w->file, bytes);
    if (begin_vector(w, place, v->n, bytes, step)) {
        cli_put(w->out, (const char *)w->file.data + v->from, (size_t)bytes);
        put_zeros(w, v->shape == CLI_TEXT ? 1u : 0u);
    }
}

void cli_copy_end(cli_copier *w)
{
    while (w->done < w->n && is_good(w)) {
        cli_waiting const next = w->queue[w->done++];
        if (next.target.shape == CLI_TABLES) {
            copy_tables(w, next.place, &next.target);
        } else if (next.target.shape != CLI_TABLE) {
            copy_vector(w, next.place, &next.target);
        } else {
            copy_table(w, next.place, next.target.from, next.target.kind);
        }
    }
    cli_release(w->out->session, w->queue);
}
