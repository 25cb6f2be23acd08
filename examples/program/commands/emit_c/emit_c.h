/* The command `emit-c`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_EMIT_C_EMIT_C_H
#define CLI_COMMANDS_EMIT_C_EMIT_C_H

#include "commands/memory/memory.h"
#include "core/core.h"

/* ==== names ====
 * Names that no object of a header may have. */

int emit_c_is_identifier(const char *name);

/* emit_c_reserved: why an identifier cannot be the name of an object; NULL if it can. */
const char *emit_c_reserved(const char *name);

/* ==== plan ====
 * The memory plan of a graph as C declarations. */

/* emit_c_put_unused: a file that includes the header need not use the next object. */
void emit_c_put_unused(cli_buffer *out);

typedef struct emit_c_desc {
    const char *name;
    uint64_t align;
    const uint64_t *exact; /* the work of `memory --exact`, or NULL */
    const char *run_of;    /* the plan of a split, which then runs in its order; or NULL */
} emit_c_desc;

/* emit_c_plan: plans the main graph as `memory` does, and prints table and arena. */
int emit_c_plan(cli_session *s, const emit_c_desc *desc);

/* ==== stream_fuse ====
 * Operators that run together, in columns, so that what lives between them is small. */

#define STREAM_RANK      4u
#define STREAM_CONSTANTS 2u /* parameters of an operator: filter and bias */

/* How a value stands in the arena. */
typedef struct stream_place {
    uint32_t region; /* GSP_NONE: whole */
    uint32_t kept;   /* rows */
    uint64_t row;    /* bytes from a row to the next; of ONNX, of one channel */
    uint64_t step;   /* elements from a channel to the next */
    int adds;        /* its operator adds the rows that it reads one by one */
    uint64_t sums;   /* where these sums are, from the offset of what it reads on */
    uint64_t offset;
    uint32_t dims[STREAM_RANK]; /* batch, rows, columns, channels */
    uint32_t rank;
    uint32_t slot; /* of the count of its rows */
} stream_place;

/* Operators that run together for a row of the last one's result, in segments of its columns, or of
 * channels: at most a pointwise convolution, an operator with a window, and pointwise ones behind
 * it. What the first computes for a row, it computes again for the next. */
#define STREAM_MEMBERS 6u
typedef struct stream_group {
    gsp_node members[STREAM_MEMBERS];
    uint32_t n;
    uint32_t window;  /* the place in the group of the operator with the window: 0 or 1 */
    uint32_t segment; /* columns of the result, or channels */
    int by_channels;  /* all columns, a part of the channels */
    gsp_node entry;   /* what the group reads */
    uint64_t bytes[STREAM_MEMBERS]; /* of what a member but the last yields */
    uint64_t macs;                  /* more than without groups */
    gsp_node scratch;               /* in whose tensor that lies */
} stream_group;

typedef struct stream_work {
    cli_session *session;
    int is_onnx;
    const char *name;
    memory m;
    gsp_graph g;
    tile_graph tiles;
    const gsp_tile_op *ops; /* [n] without groups */
    gsp_tile_point point;
    gsp_node source;      /* the input that comes by rows; GSP_NONE if none does */
    stream_place *places; /* [n] */
    stream_group *groups; /* [n_groups] */
    uint32_t n_groups;
    uint32_t *group_of; /* [n] GSP_NONE: an operator runs alone */
    uint64_t before;
    cli_buffer *out;
} stream_work;

/* Which groups there are. */
typedef struct stream_fusion {
    uint8_t *first; /* [n] of an operator with a window: whether one before it is in the group */
    uint32_t *segments;  /* [n] */
    int is_plain;        /* no groups */
    int adds;            /* means that can add rows do, and are in no group */
    uint8_t *tried;      /* [n] */
    gsp_tensor *tensors; /* without groups */
    gsp_tensor *seen;    /* those of the graph of tiles */
    uint64_t plain;      /* peak without groups */
    uint64_t least;      /* peak */
    uint32_t best;       /* segments of it */
} stream_fusion;

/* stream_fuse_open: finds the least peak. */
void stream_fuse_open(stream_work *w, stream_fusion *f);

/* stream_fuse: groups whose peak is at most this one, or the least if that is larger, with the
 * fewest MACs that a local search finds; the graph of tiles and the plan of memory are then those
 * of groups. Returns the MACs that are computed again. */
uint64_t stream_fuse(stream_work *w, stream_fusion *f, uint64_t peak);

/* stream_last: the operator whose number the rows of a group have; itself if it runs alone. */
gsp_node stream_last(const stream_work *w, gsp_node v);

/* ==== stream_params ====
 * What a kernel is told of its operator. */

/* What a kernel reads of an operator. */
typedef struct stream_params {
    uint64_t kernel[2];
    uint64_t stride[2];
    uint64_t dilation[2];
    uint64_t before[2];
    gsp_node values[GSP_TILES_INPUTS]; /* in the order of the inputs */
    uint32_t n_values;
    gsp_node constants[STREAM_CONSTANTS]; /* the first parameters among them */
    uint32_t n_constants;
    uint32_t constant_at; /* which input the first of them is */
} stream_params;

stream_params stream_params_of(const stream_work *w, gsp_node v);

/* stream_places: how many inputs an operator states; _input: one of them, or GSP_NONE. */
uint32_t stream_places(const stream_work *w, gsp_node v);
gsp_node stream_input(const stream_work *w, gsp_node v, uint32_t place);

/* stream_is_known: whether C has the type of a parameter of ONNX. */
int stream_is_known(const stream_work *w, gsp_node v);

/* How a kernel runs: on all of a value, on the rows of a window, or on one row after another. */
typedef enum stream_form { STREAM_WHOLE, STREAM_ROW, STREAM_SUM } stream_form;

stream_form stream_form_of(const stream_work *w, gsp_node v);

/* stream_put_kernel: the name of an operator's kernel. */
void stream_put_kernel(const stream_work *w, gsp_node v);

/* stream_put_params: its sizes and attributes, as constants of a function. */
void stream_put_params(const stream_work *w, gsp_node v, const stream_params *p);

/* stream_put_parameters: those of ONNX, as arrays. Returns an exit status. _parameter: the address
 * of one. */
int stream_put_parameters(const stream_work *w);
void stream_put_parameter(const stream_work *w, gsp_node v);

/* ==== stream_code ====
 * The code of a network that runs by rows. */

/* emit_c_put_stream: returns an exit status. */
int emit_c_put_stream(stream_work *w);

/* ==== stream ====
 * A network as C code in which regions run row by row. */

typedef struct stream_options {
    int layers;         /* without such regions */
    int input;          /* the largest input comes by rows */
    const char *region; /* FIRST..LAST, or NULL: as many as help */
    uint64_t fit;       /* bytes; values may be computed again for it; UINT64_MAX: none are */
    double most; /* MACs, in percent, that may be computed again for the least memory; or below 0 */
} stream_options;

/* emit_c_can_stream: whether the input has the weights that the code reads. */
int emit_c_can_stream(const cli_session *s);

/* emit_c_stream: prints it. */
int emit_c_stream(cli_session *s, const emit_c_desc *desc, const stream_options *opt);

typedef struct stream_need {
    uint64_t bytes;
    uint64_t macs;  /* that are computed again */
    double percent; /* of all MACs */
} stream_need;

/* emit_c_stream_need: what that code takes; 0 if there is none, and nothing is told. */
int emit_c_stream_need(
    cli_session *s, const emit_c_desc *desc, const stream_options *opt, stream_need *need);

/* ==== emit_c ====
 * The command `emit-c`. */

extern const cli_pass cli_emit_c_pass;

#endif
