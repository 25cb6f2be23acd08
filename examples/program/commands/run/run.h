/* The command `run`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_RUN_RUN_H
#define CLI_COMMANDS_RUN_RUN_H

#include "output/output.h"

/* ==== targets ====
 * Targets of two modules that are compared. */

/* run_targets: [nodes of m] what `of` calls the target. A graph that main calls may have it with
 * '_' for dots: lines `qualname` of the header of a porcelain tell the target, else the node of
 * this name does, else the only target that becomes this one. Main is as it is written. */
const gsp_str *run_targets(
    cli_session *s, const gsp_module *m, const gsp_module *of, gsp_str header);

/* ==== writes ====
 * What the nodes of a run write (mutates=): values with the memory that they show (alias=). Values
 * of a run are then handles of cells. */

typedef struct run_writes run_writes;

typedef struct run_cell {
    uint64_t value;   /* hash without what was written since */
    uint32_t memory;  /* that it shows; 0 as long as no other value does and nothing is written */
    uint32_t is_view; /* elements show all of the memory */
} run_cell;

/* run_mix: a hash with one more number. */
uint64_t run_mix(uint64_t h, uint64_t x);

/* run_has_annotations: 1 if a node has some other than its TYPE. */
int run_has_annotations(const gsp_module *m);

/* run_has_writes: 1 if a node has positions in mutates=. */
int run_has_writes(const gsp_module *m);

/* run_writes_make: for the runs of a module. Annotations are those of nodes of the same names in
 * `of`, or the module's own if it is NULL. `targets`: [nodes] as for run_facts. */
run_writes *run_writes_make(
    cli_session *s, const gsp_module *m, const gsp_module *of, const gsp_str *targets);

/* run_writes_begin: nothing is written yet, and all handles are free. */
void run_writes_begin(run_writes *w);

/* run_writes_input: the handle of an input. */
gsp_value run_writes_input(run_writes *w, uint64_t hash);

/* run_cell_of: the cell of a value, which is the hash itself if `w` is NULL. */
run_cell run_cell_of(const run_writes *w, gsp_value value);

/* run_cell_element: an element of an aggregate, with the hash `value`. */
run_cell run_cell_element(run_writes *w, run_cell of, uint32_t index, uint64_t value);

/* run_cell_content: the hash with what was written. */
uint64_t run_cell_content(const run_writes *w, run_cell cell);

/* run_find_alias: the tokens whose memory the result of the call shows; 0 for none. */
int run_find_alias(const run_writes *w, const gsp_call *call, uint32_t *begin, uint32_t *end);

/* run_written: the result of a kernel, after what it writes. `hash`: of the call, without writes to
 * what its result shows; `content`: with them; `index`: the element of a known aggregate that it
 * is, or GSP_NONE. */
gsp_value run_written(
    run_writes *w, const gsp_call *call, uint64_t hash, uint64_t content, uint32_t index);

/* run_cell_release: its handle is free. */
void run_cell_release(run_writes *w, gsp_value value);

/* run_writes_digest: a hash with what was written to inputs and attributes. */
uint64_t run_writes_digest(const run_writes *w, uint64_t h, const gsp_value *inputs, uint32_t n);

/* ==== values ====
 * Values of `graphsplit run`: hashes of the operation and its arguments. */

typedef struct run_aggregate {
    uint64_t value;
    uint32_t kind; /* gsp_arg_kind; 0 for a free entry */
    uint32_t count;
    gsp_str text; /* of GSP_ARG_CONSTANT, which is no aggregate */
} run_aggregate;

/* Values that are aggregates of so many elements by some TYPE, or constants. Only these entries
 * show that an aggregate equals its elements in a container, and an input equals its constant. */
typedef struct run_facts {
    cli_session *session; /* NULL if nothing is recorded; an aggregate is one value */
    uint64_t left;        /* of --max-work; 0 if it is spent, and all hashes since are wrong */
    run_aggregate *places;
    size_t n;
    size_t room;                   /* 0, or a power of two */
    const gsp_fingerprint *prints; /* [graphs] of the module that runs; NULL if not compared */
    const gsp_str *targets;        /* [nodes] of it; NULL: dots equal '_' */
    run_writes *writes;            /* of it; NULL: none are followed */
} run_facts;

/* run_kernel: a gsp_kernel_func; `user`: the run_facts that it reads and extends. LIMIT when their
 * work is spent: a token, a byte of text and an element of an aggregate count 1 each. */
gsp_status run_kernel(void *user, const gsp_call *call);

/* run_release: the release of a gsp_exec_desc that follows writes. */
void run_release(void *user, gsp_value value);

/* run_enter: the gsp_kernel_func of called graphs: a node and an input count 1 each. */
gsp_status run_enter(void *user, const gsp_call *call);

/* run_digest: the returned values as one number. */
uint64_t run_digest(run_facts *facts, const gsp_exec_plan *frames, const gsp_value *outputs);

/* ==== facts ====
 * The input of the command `run`, and the values that the graph returned. */

typedef struct run_options {
    const char *graph;
    const char *equal;
    const char *input_dir;
    const char *output_dir;
    uint64_t max_work;
} run_options;

#define RUN_DEFAULT_WORK UINT64_C(100000000)

typedef struct run_work {
    cli_session *session;
    run_options opt;
    gsp_input *inputs;
    uint32_t n_inputs;
    run_facts *facts;
    const gsp_fingerprint *prints; /* see run_facts */
    const gsp_str *targets;        /* the same */
    run_writes *writes;            /* the same */
    uint64_t left;                 /* of --max-work */
    gsp_graph graph;
    gsp_exec_plan frames;
    gsp_value *given;  /* [n_inputs] values of the inputs; NULL if any will do */
    gsp_value *values; /* inputs */
    gsp_value *outputs;
    gsp_str header;      /* of the porcelain that the graph comes from */
    int is_bare;         /* no node of its text has annotations, as in a porcelain */
    const char *verdict; /* of --equal: "equal" or "different"; NULL if not asked for */
    size_t bound;
    cli_timing timing;
} run_work;

/* run_put_outputs: the values of the first `count` outputs. */
void run_put_outputs(
    const run_work *w, uint32_t count, cli_buffer *out, const char *before, const char *after);

/* ==== execute ====
 * The run of a graph: its plan, then its values. */

/* run_too_much: an error when the work of --max-work is spent. */
int run_too_much(const run_work *w);

/* run_execute: fills `frames`, `outputs` and `timing`. Returns an exit status. */
int run_execute(run_work *w);

/* ==== files ====
 * --inputs and --outputs of `run`: hashes in .npy files. */

/* run_read: the inputs that have a file in a directory, before run_execute(). */
int run_read(run_work *w, const char *dir);

/* run_write: the returned values, after it. Returns an exit status, likewise above. */
int run_write(const run_work *w, const char *dir);

/* ==== json ====
 * The JSON of `run`. */

void run_json(const run_work *w, cli_buffer *out);

/* ==== people ====
 * The report of `run` for people. */

void run_people(const run_work *w, cli_buffer *out);

/* ==== porcelain ====
 * The porcelain of `run`. */

void run_porcelain(const run_work *w, cli_buffer *out);

/* ==== run ====
 * The command `run`. */

extern const cli_pass cli_run_pass;

#endif
