/* Writing a .tflite file out of tables that are made and tables of another file. Every table and
 * vector is written behind what points to it, since offsets of a FlatBuffer lead forward. */
#ifndef CLI_INPUT_TFLITE_COPY_H
#define CLI_INPUT_TFLITE_COPY_H

#include "core/session.h"

#include "examples/tflite/fields.h"

/* What a field points to, in the file that is copied. */
typedef enum cli_shape {
    CLI_ROW8, /* a vector of elements of so many bits */
    CLI_ROW16,
    CLI_ROW32,
    CLI_ROW64,
    CLI_BYTES16, /* bytes that stand at a multiple of 16 */
    CLI_TEXT,    /* with a NUL behind it */
    CLI_TABLE,
    CLI_TABLES /* a vector of them */
} cli_shape;

/* Tables that are copied, by their fields. */
typedef enum cli_kind {
    CLI_KIND_CODE,
    CLI_KIND_QUANTIZATION,
    CLI_KIND_CUSTOM_QUANTIZATION,
    CLI_KIND_SPARSITY,
    CLI_KIND_DIMENSION,
    CLI_KIND_INDICES, /* and the next two: a vector of 32, 16 and 8 bits */
    CLI_KIND_INDICES_8 = CLI_KIND_INDICES + 2,
    CLI_KIND_VARIANT,
    CLI_KIND_OPTIONS,                           /* and their type */
    CLI_KIND_OPTIONS2 = CLI_KIND_OPTIONS + 127, /* and their type */
    CLI_KIND_NONE = CLI_KIND_OPTIONS2 + 24      /* unknown */
} cli_kind;

typedef struct cli_target {
    uint64_t from; /* of the table, or of the first element; 0: nothing to copy */
    uint64_t n;    /* elements */
    cli_shape shape;
    uint32_t kind; /* of tables */
} cli_target;

/* A field of a table that is made. */
typedef struct cli_field {
    uint32_t width; /* bytes, 1 or 4; 0: the table lacks it */
    uint32_t value;
    cli_target copy; /* what the field points to, if that is copied */
    size_t at;       /* set by cli_copy_table(): where it stands in the output */
} cli_field;

typedef struct cli_waiting cli_waiting;

typedef struct cli_copier {
    tfl_file file; /* the source; its error stays */
    tflite_error err;
    cli_buffer *out;
    const char *why; /* not NULL: this cannot be written, a clause */
    cli_waiting *queue;
    size_t n;
    size_t done;
    size_t room;
} cli_copier;

void cli_copy_begin(cli_copier *w, const tflite_model *model, cli_buffer *out);

/* cli_copy_calls: options of this kind name subgraphs, which makes no sense in another file. */
int cli_copy_calls(uint32_t kind);

/* cli_copy_find: what a field of the source points to; from 0: the table lacks the field. */
cli_target cli_copy_find(
    cli_copier *w, const tfl_table *t, uint32_t field, cli_shape shape, uint32_t kind);

/* cli_copy_number, _offset, _field: fills a field: a number; an offset that is set later; a copy of
 * what the same field of the source points to. */
void cli_copy_number(cli_field *f, uint32_t width, uint32_t value);
void cli_copy_offset(cli_field *f);
void cli_copy_field(cli_field *f, cli_target target);

/* cli_copy_table: writes a table, to which the offset at `place` leads. */
void cli_copy_table(cli_copier *w, size_t place, cli_field *fields, uint32_t n);

/* cli_copy_numbers: the same for a vector of n zeros; returns where the first stands. */
size_t cli_copy_numbers(cli_copier *w, size_t place, uint32_t n);

void cli_copy_text(cli_copier *w, size_t place, gsp_str text);
void cli_copy_set(cli_copier *w, size_t place, uint32_t value);

/* cli_copy_later: copies what the offset at `place` shall lead to. */
void cli_copy_later(cli_copier *w, size_t place, cli_target target);

/* cli_copy_end: writes all that was put off. */
void cli_copy_end(cli_copier *w);

#endif
