/* The command `run-pieces`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_RUN_PIECES_RUN_PIECES_H
#define CLI_COMMANDS_RUN_PIECES_RUN_PIECES_H

#include "commands/bisect/bisect.h"

/* ==== manifest ====
 * The facts of the command `run-pieces`: manifest.json of --emit. */

typedef struct run_pieces_options {
    const char *inputs; /* NULL if not given, likewise below */
    const char *outputs;
    const char *equal;
    uint64_t timeout; /* seconds */
    uint64_t seed;    /* UINT64_MAX if not given */
} run_pieces_options;

typedef struct run_names {
    gsp_str *all; /* [n] */
    uint32_t n;
} run_names;

/* Names in a file, and in the model that was cut. */
typedef struct run_bind {
    cli_bind *all; /* [n] */
    uint32_t n;
} run_bind;

typedef struct run_piece {
    gsp_str name;
    gsp_str file;  /* "" if there is none */
    gsp_str graph; /* the text of a model; "" if there is none */
    gsp_str refused;
    gsp_str kind;
    gsp_str device;
    run_names inputs; /* by their names in the model that was cut */
    run_names outputs;
    run_bind bind;
    run_bind graph_bind; /* of `graph` */
    bisect_engine engine;
    double seconds; /* of its run */
} run_piece;

/* A value and its TYPE. */
typedef struct run_type {
    gsp_str name;
    gsp_str type;
} run_type;

/* An input that is a tile of one of the model before. */
typedef struct run_tile {
    gsp_str name;
    uint64_t begin[CLI_NPY_DIMS]; /* in that */
} run_tile;

typedef struct run_pieces {
    cli_session *session;
    run_pieces_options opt;
    const char *dir; /* of the manifest */
    run_names inputs;
    run_names outputs;
    run_type *types; /* [n_types] */
    uint32_t n_types;
    gsp_str streamed; /* the input of which tiles are; empty if there are none */
    run_tile *tiles;  /* [n_tiles] */
    uint32_t n_tiles;
    run_piece *pieces; /* [n_pieces] in the order in which they run */
    uint32_t n_pieces;
    bisect work;             /* what engines and random values need */
    const char *values;      /* a directory of all values so far */
    const char *const *made; /* [outputs.n] TYPEs of the outputs, as NumPy has them */
    const char *differs;     /* --equal: an output that the whole model has otherwise, or NULL */
} run_pieces;

/* run_pieces_read: DIR/manifest.json, or that file. Returns an exit status, as the others do. */
int run_pieces_read(run_pieces *p);

/* run_pieces_type: the TYPE of a value; empty if the manifest has none. */
gsp_str run_pieces_type(const run_pieces *p, gsp_str name);

/* ==== pieces ====
 * Runs of pieces, one after the other. */

/* run_pieces_copy: a value. Returns an exit status. */
int run_pieces_copy(run_pieces *p, const char *from, const char *to);

/* run_pieces_engines: what runs each piece: --run, or what its ending says. */
int run_pieces_engines(run_pieces *p);

/* run_pieces_run: all of them. */
int run_pieces_run(run_pieces *p);

/* run_pieces_remove: the files of the run. */
void run_pieces_remove(run_pieces *p);

/* ==== equal ====
 * The whole model beside its pieces. */

/* run_pieces_compare: runs the model of --equal by work.reference, and fills `differs`. Returns an
 * exit status. */
int run_pieces_compare(run_pieces *p);

/* ==== json ====
 * The JSON of `run-pieces`. */

void run_pieces_json(const run_pieces *p, cli_buffer *out);

/* ==== people ====
 * The report of `run-pieces` for people. */

void run_pieces_people(const run_pieces *p, cli_buffer *out);

/* ==== porcelain ====
 * The porcelain of `run-pieces`. */

void run_pieces_porcelain(const run_pieces *p, cli_buffer *out);

/* ==== run_pieces ====
 * The command `run-pieces`. */

extern const cli_pass cli_run_pieces_pass;

#endif
