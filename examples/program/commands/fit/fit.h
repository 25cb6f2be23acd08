/* The command `fit`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_FIT_FIT_H
#define CLI_COMMANDS_FIT_FIT_H

#include "commands/emit_c/emit_c.h"
#include "commands/memory/memory.h"
#include "commands/split/split.h"

/* ==== facts ====
 * The input and the results of the command `fit`. */

typedef struct fit_options {
    uint64_t ram;
    uint64_t flash; /* UINT64_MAX if not given */
    uint64_t align; /* 0 if not given */
    cli_maybe in_place;
    const char *graph;
    const char *emit_model;
    const char *save_tflite;
} fit_options;

/* The ways to need less, in the order in which they are tried. */
typedef enum fit_way {
    FIT_PLAN,     /* the order of the file */
    FIT_ORDER,    /* another order */
    FIT_IN_PLACE, /* results in place, in the order of the file */
    FIT_BOTH,
    FIT_SPLIT,    /* with an accelerator: its subgraphs in the order of the least peak */
    FIT_TILES,    /* regions in tiles, some rows computed again */
    FIT_MEMORIES, /* with --memory */
    FIT_PARTS,    /* values that wait are stored elsewhere */
    FIT_STREAM,   /* code of one's own, row by row in rolling buffers */
    FIT_STREAM_INPUT,
    FIT_AGAIN, /* the same two, in segments; where nothing else fits */
    FIT_AGAIN_INPUT,
    FIT_WAYS
} fit_way;

typedef struct fit_row {
    int tried;
    int fits;
    uint64_t ram;   /* the least that it gives */
    uint64_t moved; /* bytes written elsewhere and read again */
    uint64_t macs;  /* more than without tiles */
    double percent; /* of all MACs */
    uint32_t parts;
    int has_micro;
    cli_micro micro; /* all that TensorFlow Lite Micro needs */
} fit_row;

typedef struct fit {
    cli_session *session;
    fit_options opt;
    gsp_module given;
    cli_source *source;
    gsp_module ordered; /* with an accelerator: in the order of the least peak of its subgraphs */
    memory m;           /* the last way that was tried */
    fit_row rows[FIT_WAYS];
    uint32_t chosen; /* the first that fits; FIT_WAYS if none does */
    uint32_t whole;  /* the first where all that TensorFlow Lite Micro needs fits, likewise */
    uint64_t params;
    int least; /* 1 if the bytes of some activation are not known: nothing is said to fit */
    int params_least;
    const char *dims; /* what sets the dimensions that are not known; "" if all are */
} fit;

/* fit_try: all ways, and which of them is chosen; f->m is that one. Returns an exit status. */
int fit_try(fit *f);

/* fit_plan: the plan of a way in one arena, as f->m. Returns an exit status. */
int fit_plan(fit *f, uint32_t way);

/* fit_params: 1 if the parameters fit into --flash, or none is given. */
int fit_params(const fit *f);

/* fit_micro_least: 1 if TensorFlow Lite Micro needs more than is estimated. */
int fit_micro_least(const fit *f, const fit_row *r);

/* fit_name: a word for a way. */
const char *fit_name(uint32_t way);

/* fit_put_command: the command that gives a way, as a line of the shell. */
void fit_put_command(cli_buffer *out, const fit *f, uint32_t way);

/* ==== json ====
 * The JSON of `fit`. */

void fit_json(const fit *f, cli_buffer *out);

/* ==== people ====
 * The report of `fit` for people. */

void fit_people(const fit *f, cli_buffer *out);

/* ==== porcelain ====
 * The porcelain of `fit`. */

void fit_porcelain(const fit *f, cli_buffer *out);

/* ==== fit ====
 * The command `fit`. */

extern const cli_pass cli_fit_pass;

#endif
