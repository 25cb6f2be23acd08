/* A tiny writer of .tflite files for tests: a model as tables of C, out come the bytes. Every table
 * is followed by what it points to, so that all offsets lead forward. */
#ifndef GRAPHSPLIT_TFLITE_WRITER_H
#define GRAPHSPLIT_TFLITE_WRITER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { W_ROOM = 1 << 16, W_FIELDS = 13 };

typedef struct w_file {
    unsigned char data[W_ROOM];
    uint32_t size;
} w_file;

/* Numbers; the field is left out if v is NULL. */
typedef struct w_ints {
    const int32_t *v;
    uint32_t n;
} w_ints;

#define W_INTS(...) \
    { \
        (const int32_t[]){__VA_ARGS__}, sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t) \
    }
#define W_EMPTY \
    { \
        (const int32_t[]){0}, 0 \
    }
#define W_NONE \
    { \
        NULL, 0 \
    }
#define W_LIST(list) (list), sizeof(list) / sizeof((list)[0])

enum { W_STATE = 1, W_SCALE = 2, W_DATA = 4, W_RANK = 8, W_AXIS = 16, W_ZEROS = 32 };

typedef struct w_tensor {
    const char *name; /* or NULL */
    int type;
    w_ints shape;
    w_ints signature;
    uint32_t flags;
} w_tensor;

typedef struct w_operator {
    uint32_t code;
    w_ints inputs;
    w_ints outputs;
    uint32_t options;    /* their type, 100 * 8 + type for the second union, or 0 */
    uint32_t numbers[3]; /* their first fields */
} w_operator;

enum { W_SECOND = 800 };

typedef struct w_graph {
    const char *name;
    const w_tensor *tensors;
    size_t n_tensors;
    w_ints inputs;
    w_ints outputs;
    const w_operator *operators;
    size_t n_operators;
} w_graph;

typedef struct w_code {
    int old;
    const char *custom;
    int builtin;
} w_code;

typedef struct w_signature {
    const char *key;
    const char *input; /* of tensor 0 */
    uint32_t graph;
} w_signature;

typedef struct w_model {
    const w_code *codes;
    size_t n_codes;
    const w_graph *graphs;
    size_t n_graphs;
    const w_signature *signatures;
    size_t n_signatures;
} w_model;

static uint32_t w_put(w_file *f, uint64_t value, uint32_t bytes)
{
    uint32_t const at = f->size;
    if (bytes > W_ROOM - f->size) {
        abort();
    }
    for (uint32_t i = 0; i < bytes; i++) {
        f->data[f->size++] = (unsigned char)(value >> (8u * i));
    }
    return at;
}

static void w_align(w_file *f, uint32_t to)
{
    while (f->size % to != 0) {
        w_put(f, 0, 1);
    }
}

static void w_patch(w_file *f, uint32_t at, uint32_t value)
{
    for (uint32_t i = 0; i < 4; i++) {
        f->data[at + i] = (unsigned char)(value >> (8u * i));
    }
}

/* What comes next is what the field at `at` points to. */
static void w_point(w_file *f, uint32_t at)
{
    w_align(f, 4);
    w_patch(f, at, f->size - at);
}

/* A table of fields of these bytes (0 if left out), all 0; fields[i] are their offsets. */
static void w_table(w_file *f, uint32_t at, const uint8_t *bytes, uint32_t n, uint32_t *fields)
{
    uint32_t offset = 4;
    uint32_t row;
    w_align(f, 4);
    row = w_put(f, 4u + 2u * n, 2);
    w_put(f, 0, 2);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const to = bytes[i] > 4 ? 4 : bytes[i];
        offset = bytes[i] ? (offset + to - 1) / to * to : offset;
        w_put(f, bytes[i] ? offset : 0, 2);
        fields[i] = offset;
        offset += bytes[i];
    }
    f->data[row + 2] = (unsigned char)offset;
    w_point(f, at);
    for (uint32_t i = 0; i < n; i++) {
        fields[i] += f->size;
    }
    w_put(f, f->size - row, 4);
    while (offset-- > 4) {
        w_put(f, 0, 1);
    }
}

static void w_string(w_file *f, uint32_t at, const char *text)
{
    w_point(f, at);
    w_put(f, strlen(text), 4);
    for (; *text != '\0'; text++) {
        w_put(f, (unsigned char)*text, 1);
    }
    w_put(f, 0, 1);
}

static void w_numbers(w_file *f, uint32_t at, w_ints ints)
{
    w_point(f, at);
    w_put(f, ints.n, 4);
    for (uint32_t i = 0; i < ints.n; i++) {
        w_put(f, (uint32_t)ints.v[i], 4);
    }
}

/* A vector of tables that are still to come: where the first offset stands. */
static uint32_t w_list(w_file *f, uint32_t at, size_t n)
{
    uint32_t first;
    w_point(f, at);
    w_put(f, n, 4);
    first = f->size;
    for (size_t i = 0; i < n; i++) {
        w_put(f, 0, 4);
    }
    return first;
}

static void w_write_tensor(w_file *f, uint32_t at, const w_tensor *t)
{
    uint8_t const bytes[] = {t->shape.v ? 4 : 0, 1, 4, t->name ? 4 : 0, t->flags & W_SCALE ? 4 : 0,
        1, 0, t->signature.v ? 4 : 0, t->flags & W_RANK ? 1 : 0};
    uint32_t fields[W_FIELDS];
    w_table(f, at, bytes, sizeof bytes, fields);
    f->data[fields[1]] = (unsigned char)t->type;
    w_patch(f, fields[2], t->flags & W_DATA ? 1 : 0);
    f->data[fields[5]] = t->flags & W_STATE ? 1 : 0;
    if (t->flags & W_RANK) {
        f->data[fields[8]] = 1;
    }
    if (t->shape.v) {
        w_numbers(f, fields[0], t->shape);
    }
    if (t->signature.v) {
        w_numbers(f, fields[7], t->signature);
    }
    if (t->name) {
        w_string(f, fields[3], t->name);
    }
    if (t->flags & W_SCALE) {
        uint8_t const scale[] = {0, 0, 4, t->flags & W_ZEROS ? 4 : 0};
        w_ints const one = W_INTS(0x3F000000);
        w_ints const two = W_INTS(0x3F000000, 0x2D800001);
        w_table(f, fields[4], scale, t->flags & W_ZEROS ? 4 : 3, fields);
        w_numbers(f, fields[2], t->flags & W_AXIS ? two : one);
        if (t->flags & W_ZEROS) { /* of 64 bits: -3 */
            w_point(f, fields[3]);
            w_put(f, 1, 4);
            w_put(f, UINT64_MAX - 2u, 8);
        }
    }
}

static void w_write_operator(w_file *f, uint32_t at, const w_operator *o)
{
    uint8_t const first = o->options != 0 && o->options < W_SECOND;
    uint8_t const second = o->options >= W_SECOND;
    uint8_t const bytes[] = {4, o->inputs.v ? 4 : 0, o->outputs.v ? 4 : 0, first, first ? 4 : 0, 0,
        0, 0, 0, 0, 0, second, second ? 4 : 0};
    uint32_t fields[W_FIELDS];
    w_table(f, at, bytes, sizeof bytes, fields);
    w_patch(f, fields[0], o->code);
    if (o->inputs.v) {
        w_numbers(f, fields[1], o->inputs);
    }
    if (o->outputs.v) {
        w_numbers(f, fields[2], o->outputs);
    }
    if (o->options) {
        uint8_t const numbers[] = {4, 4, 4};
        uint32_t own[W_FIELDS];
        f->data[fields[first ? 3 : 11]] = (unsigned char)(o->options % W_SECOND);
        w_table(f, fields[first ? 4 : 12], numbers, sizeof numbers, own);
        for (uint32_t i = 0; i < 3; i++) {
            w_patch(f, own[i], o->numbers[i]);
        }
    }
}

static void w_write_graph(w_file *f, uint32_t at, const w_graph *g)
{
    uint8_t const bytes[] = {4, 4, 4, 4, g->name ? 4 : 0};
    uint32_t fields[W_FIELDS];
    uint32_t list;
    w_table(f, at, bytes, sizeof bytes, fields);
    list = w_list(f, fields[0], g->n_tensors);
    for (uint32_t i = 0; i < g->n_tensors; i++) {
        w_write_tensor(f, list + 4 * i, &g->tensors[i]);
    }
    w_numbers(f, fields[1], g->inputs);
    w_numbers(f, fields[2], g->outputs);
    list = w_list(f, fields[3], g->n_operators);
    for (uint32_t i = 0; i < g->n_operators; i++) {
        w_write_operator(f, list + 4 * i, &g->operators[i]);
    }
    if (g->name) {
        w_string(f, fields[4], g->name);
    }
}

static void w_write_signatures(w_file *f, uint32_t at, const w_model *m)
{
    uint32_t const list = w_list(f, at, m->n_signatures);
    for (uint32_t i = 0; i < m->n_signatures; i++) {
        uint8_t const bytes[] = {4, 0, 4, 0, 4};
        uint8_t const map[] = {4, 4};
        uint32_t fields[W_FIELDS];
        uint32_t own[W_FIELDS];
        uint32_t inputs;
        w_table(f, list + 4 * i, bytes, sizeof bytes, fields);
        w_patch(f, fields[4], m->signatures[i].graph);
        w_string(f, fields[2], m->signatures[i].key);
        inputs = w_list(f, fields[0], 1);
        w_table(f, inputs, map, sizeof map, own);
        w_string(f, own[0], m->signatures[i].input);
    }
}

/* Where the data of tensors lie behind the model, if they do: offset and size. */
static uint64_t w_outside[2];

static void w_write_buffer(w_file *f, uint32_t at)
{
    uint8_t const inside[] = {4};
    uint8_t const outside[] = {0, 8, 8};
    uint32_t fields[W_FIELDS];
    if (w_outside[1] != 0) {
        w_table(f, at, outside, sizeof outside, fields);
        for (uint32_t i = 0; i < 2; i++) {
            w_patch(f, fields[i + 1], (uint32_t)w_outside[i]);
            w_patch(f, fields[i + 1] + 4, (uint32_t)(w_outside[i] >> 32));
        }
    } else {
        w_table(f, at, inside, sizeof inside, fields);
        w_point(f, fields[0]);
        w_put(f, 4, 4);
        w_put(f, 0x01020304u, 4);
    }
}

static void w_write_model(w_file *f, const w_model *m)
{
    uint8_t const bytes[] = {4, 4, 4, 4, 4, 0, 0, m->n_signatures ? 4 : 0};
    uint8_t const code[] = {1, 4, 4, 4};
    uint32_t root[W_FIELDS];
    uint32_t fields[W_FIELDS];
    uint32_t list;
    f->size = 0;
    w_put(f, 0, 4);
    w_put(f, 0x334C4654u, 4); /* TFL3 */
    w_table(f, 0, bytes, sizeof bytes, root);
    w_patch(f, root[0], 3);
    list = w_list(f, root[1], m->n_codes);
    for (uint32_t i = 0; i < m->n_codes; i++) {
        w_table(f, list + 4 * i, code, sizeof code, fields);
        f->data[fields[0]] = (unsigned char)m->codes[i].old;
        w_patch(f, fields[2], 1);
        w_patch(f, fields[3], (uint32_t)m->codes[i].builtin);
        w_string(f, fields[1], m->codes[i].custom ? m->codes[i].custom : "");
    }
    list = w_list(f, root[2], m->n_graphs);
    for (uint32_t i = 0; i < m->n_graphs; i++) {
        w_write_graph(f, list + 4 * i, &m->graphs[i]);
    }
    w_string(f, root[3], "written by hand");
    list = w_list(f, root[4], 2); /* buffer 0 is the one of tensors without data */
    w_table(f, list, NULL, 0, fields);
    w_write_buffer(f, list + 4);
    if (m->n_signatures) {
        w_write_signatures(f, root[7], m);
    }
}

#endif
