/* The command `bisect`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_BISECT_BISECT_H
#define CLI_COMMANDS_BISECT_BISECT_H

#include "core/core.h"
#include "input/input.h"
#include "output/output.h"

/* ==== compare ====
 * The facts of the command `bisect`, and two arrays within a tolerance. */

enum {
    BISECT_SMALLEST,
    BISECT_BINARY,
    BISECT_BLOCK,
    BISECT_SEQUENTIAL,
    BISECT_ACCUMULATE,
    BISECT_SKIP
};

typedef struct bisect_options {
    const char *run; /* NULL if not given, likewise below */
    const char *inputs;
    const char *tolerance;
    const char *emit;
    const char *html;
    const char *record;
    const char *recorded;
    uint64_t timeout; /* seconds */
    uint64_t seed;
    uint32_t mode;
} bisect_options;

/* What runs a model. */
typedef struct bisect_engine {
    const char *name;    /* for people */
    const char *command; /* with {model}, {inputs}, {outputs}; NULL: the interpreter of hashes */
    uint32_t runs;
} bisect_engine;

/* Numbers are equal if they differ by at most absolute + relative * |reference|, or by ulp steps;
 * or arrays are, if 1 - their cosine is at most this. */
typedef struct bisect_tolerance {
    double absolute;
    double relative;
    double cosine; /* < 0: not the measure */
    uint64_t ulp;
    uint64_t integer; /* how far integers may be apart */
} bisect_tolerance;

enum { BISECT_NUMBER = 32 };

/* Statuses beside those of exits: the user has ended the search, or a quiet run failed. */
enum { BISECT_OVER = -1, BISECT_FAILED = -2 };

/* The distance to what is no number, and the largest there is. */
#define BISECT_FAR 1.7976931348623157e308

/* How far the values of a node are from those of the reference. */
typedef struct bisect_error {
    uint64_t n; /* values */
    uint64_t n_different;
    double most;  /* the largest distance */
    double scale; /* the largest size in the reference */
    int differs;  /* they leave the tolerance */
    int is_known;
} bisect_error;

/* How outputs differ; the first value that does, in the order of the outputs. */
typedef struct bisect_difference {
    gsp_str name; /* of the output; empty if nothing differs */
    gsp_node node;
    uint64_t n; /* its values */
    uint64_t n_different;
    uint32_t n_dims;
    uint64_t index[CLI_NPY_DIMS];
    char got[BISECT_NUMBER];
    char expected[BISECT_NUMBER];
    const char *types; /* why no value can be compared; or NULL */
} bisect_difference;

/* A set of nodes whose outputs differ. */
typedef struct bisect_culprit {
    gsp_node *nodes; /* [n] */
    uint32_t n;
    int all_values;
    int is_open; /* the search ended before it was the smallest */
    bisect_difference first;
    const char *dir;   /* the files of its run */
    const char *model; /* in it */
} bisect_culprit;

/* A set of units to run, and how: as it is, or so that it yields the value of each node, which
 * shows what later nodes hide. */
typedef struct bisect_set {
    uint8_t *is_in; /* [n_units] */
    int all_values;
} bisect_set;

/* A set that has run: a bit per unit, and one for all_values. */
typedef struct bisect_tried {
    const uint32_t *words;
    uint32_t unit; /* the first that differs, or GSP_NONE */
} bisect_tried;

/* A unit is a node with the getitems that unpack it. */
typedef struct bisect {
    cli_session *session;
    bisect_options opt;
    bisect_tolerance tolerance;
    gsp_graph graph;
    gsp_counts counts;
    bisect_engine tested;
    bisect_engine reference;
    char temp[CLI_TEMP_SIZE]; /* "" if there is none */
    int made_emit;            /* the directory of --emit was not there */
    const char *values;       /* directory of the inputs and of what the reference yields */
    uint32_t n_units;
    uint32_t *unit_of;   /* [nodes] GSP_NONE of what is taken from the reference */
    gsp_node *first;     /* [n_units] */
    cli_set set;         /* the piece */
    bisect_tried *tried; /* [n_tried] */
    size_t n_tried;
    bisect_difference last; /* of the last run */
    bisect_error *errors;   /* [nodes] the same */
    bisect_error *shown;    /* [nodes] of the first run of all nodes that yields their values */
    int is_quiet;           /* a run may fail without a report */
    int no_values;          /* it did: the engine does not yield all values */
    int is_flaky;
    bisect_set best; /* the smallest set that differs, and is in no culprit yet */
    uint32_t n_best; /* its units; 0 if there is none */
    bisect_difference best_first;
    int is_interrupted;
    const char *model;        /* of the last run */
    bisect_culprit *culprits; /* [n_culprits] */
    uint32_t n_culprits;
} bisect;

/* bisect_compare: compares the files of an output of a node, adds to its error, and notes the first
 * difference in b->last if none is there. Returns an exit status. */
int bisect_compare(bisect *b, gsp_node v, gsp_str name, const char *got, const char *expected);

/* bisect_runs: of both engines. */
uint32_t bisect_runs(const bisect *b);

/* ==== units ====
 * Nodes with what unpacks them. */

/* bisect_units: numbers the nodes that are searched, those with 1 in `is_searched`. */
void bisect_units(bisect *b, const uint8_t *is_searched);

/* bisect_is_needed: the value is read outside of its unit, or returned. */
int bisect_is_needed(const bisect *b, gsp_node v);

/* bisect_mark: fills is_member with the units of a set, and is_wanted with what others read of
 * them, or all values; returns 0 if that is nothing. */
int bisect_mark(bisect *b, const bisect_set *set);

/* bisect_is_input: the node gives a piece a value, and is no parameter. */
int bisect_is_input(const bisect *b, gsp_node v);

/* ==== engines ====
 * Engines: the interpreter, those with a name, and commands. */

/* bisect_engines: from --run and --engine. Returns an exit status. */
int bisect_engines(bisect *b);

/* bisect_take_engine: one with a name, or a command. Returns an exit status. */
int bisect_take_engine(bisect *b, const char *text, bisect_engine *engine);

/* bisect_line: a command with the paths of the files of a run; NULL after a report, as
 * cli_shell_line(). */
const char *bisect_line(
    bisect *b, const char *command, const char *model, const char *inputs, const char *outputs);

/* bisect_run_engine: runs b->model, or a graph on hashes; `dir` has DIR/inputs, and gets
 * DIR/outputs. Returns an exit status. */
int bisect_run_engine(
    bisect *b, const bisect_engine *engine, const gsp_graph *graph, const char *dir);

/* bisect_start: runs a piece; `dir` gets its model and DIR/outputs, and has DIR/inputs. Returns an
 * exit status. */
int bisect_start(bisect *b, bisect_engine *engine, const gsp_graph *piece, const char *dir);

/* ==== inputs ====
 * The values of the inputs of the graph. */

/* bisect_write_hash, bisect_write_random: a value into b->values: the hash of a number, or random
 * numbers of a TYPE. Returns an exit status. */
int bisect_write_hash(bisect *b, gsp_str name, uint64_t number);
int bisect_write_random(bisect *b, gsp_str type, uint64_t number, gsp_str name);

/* bisect_write_tile: the part of an array that begins there and has the shape of a TYPE. Returns an
 * exit status. */
int bisect_write_tile(
    bisect *b, const cli_npy *whole, gsp_str type, const uint64_t *begin, gsp_str name);

/* bisect_is_given: an input of the graph that somebody reads. */
int bisect_is_given(const bisect *b, gsp_node v);

/* bisect_inputs: copies them from --inputs, or makes them, into b->values. Returns an exit
 * status. */
int bisect_inputs(bisect *b);

/* ==== runs ====
 * Runs of sets, each once. */

/* bisect_dir: the directory DIR/NAME, made if it is not there. Returns an exit status. */
int bisect_dir(bisect *b, const char *dir, const char *name, const char **path);

/* bisect_record: the reference runs the whole graph, and leaves all its values. Returns an exit
 * status. */
int bisect_record(bisect *b);

/* bisect_test: the first unit of a set that, from values of the reference, yields what leaves the
 * tolerance, or GSP_NONE. Runs it if it has not run yet. Returns an exit status. */
int bisect_test(bisect *b, const bisect_set *set, uint32_t *unit);

/* bisect_show: all values of all nodes have run. Returns an exit status. */
int bisect_show(bisect *b);

/* bisect_confirm: runs it again; another answer is an error. keep: gets a directory where its files
 * stay, that of --emit if given; or NULL. Returns an exit status. */
int bisect_confirm(bisect *b, const bisect_set *set, const char **keep);

/* bisect_keep_best: takes the smallest set that differs as a culprit, as it is. Returns an exit
 * status. */
int bisect_keep_best(bisect *b);

/* bisect_add_culprit: of units, with the first difference of the last run. From then on the values
 * of its nodes are those of the reference. */
bisect_culprit *bisect_add_culprit(bisect *b, const uint8_t *units);

/* bisect_remove: removes all files of the search; those of culprits with --emit only after a
 * failure. */
void bisect_remove(bisect *b, int failed);

/* ==== search ====
 * The search of the smallest sets that differ. */

/* bisect_search: fills b->culprits as the mode says. Returns an exit status. */
int bisect_search(bisect *b);

/* ==== save ====
 * --emit: what reproduces each culprit. */

/* bisect_save: the expected outputs and the command line, beside the files of the run. Returns an
 * exit status. */
int bisect_save(bisect *b);

/* ==== json ====
 * The JSON of `bisect`. */

void bisect_json(const bisect *b, cli_buffer *out);

/* ==== people ====
 * The report of `bisect` for people. */

void bisect_people(const bisect *b, cli_buffer *out);

/* ==== html ====
 * --html: the error of each node along the graph. */

void bisect_html(const bisect *b, cli_buffer *out);

/* ==== porcelain ====
 * The porcelain of `bisect`. */

void bisect_porcelain(const bisect *b, cli_buffer *out);

/* ==== bisect ====
 * The command `bisect`. */

extern const cli_pass cli_bisect_pass;

#endif
