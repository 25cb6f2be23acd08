/* What the files of the benchmark share: graphs, one job with its steps, and rows of figures. A
 * section per file, from the bottom up. */
#ifndef GRAPHSPLIT_BENCH_H
#define GRAPHSPLIT_BENCH_H

#include "graphsplit.h"

#include "core/core.h"

#include <stdio.h>

/* ==== subject ====
 * Graphs to measure on: layered random ones, and shapes that fusion finds hard. */

/* A 64-bit LCG whose draws can be repeated in any language. */
typedef struct rng {
    uint64_t state;
} rng;

/* WRITES: as IID, and every tenth node writes what it reads first. */
typedef enum layer_kind { KIND_IID, KIND_RUNS, KIND_WRITES } layer_kind;

/* Callable nodes 0..n-1 in layers of 8 to 32; the first layer reads the placeholder. */
typedef struct layered {
    uint32_t n;
    uint32_t *pred_begin; /* [n + 1] into preds; a node without reads the placeholder */
    uint32_t *preds;
    uint32_t *bytes;
    uint32_t *micros;
    uint8_t *acc;
} layered;

/* A module and the memory that it and all results lie in; not copied, since the graph points to it.
 * */
typedef struct subject {
    void *memory;
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_counts counts;
} subject;

typedef struct shape {
    const char *name;
    const char *meaning;
    uint32_t count;
    uint32_t nodes_per_item;
    gsp_node (*build)(gsp_builder *b, uint32_t count);
} shape;

enum { SHAPES = 6 };
extern const shape shapes[SHAPES];

void die(const char *what);
void require(gsp_status status, const char *what);
void *allocate(size_t count, size_t size);
rng rng_of(uint64_t seed);
uint32_t rng_below(rng *r, uint32_t n);
layered layered_make(uint32_t n, uint64_t seed, layer_kind kind);
void layered_free(layered *g);
void layered_print_edges(const layered *g);
gsp_str name_of(char *buffer, size_t size, uint32_t number);
void subject_begin(subject *s, gsp_builder *b, gsp_counts counts);

/* Finishes the module and moves it into memory of its own, with `extra` bytes for results. */
void subject_finish(subject *s, gsp_builder *b, size_t (*extra)(const gsp_counts *));

void add_placeholder(gsp_builder *b);

/* Room for the module, a placement, a split and the module of its parts. */
size_t room_for_passes(const gsp_counts *counts);

void subject_layered(subject *s, uint32_t n, layer_kind kind);
void subject_shape(subject *s, const shape *form);
void subject_free(subject *s);

/* ==== measure ====
 * Times of steps that take turns, and rows of figures. */

typedef struct kahn_work {
    uint32_t *indegree; /* [n] */
    gsp_node *queue;    /* [n + 1] */
} kahn_work;

/* One job: the subject, what the steps hand to each other, and what the last run used. */
typedef struct job {
    subject *s;
    kahn_work work;
    gsp_exec_plan plan;
    gsp_value *values;    /* [nodes] of direct calls; inputs and outputs of the runner */
    gsp_value *arguments; /* [nodes] */
    gsp_placement placement;
    gsp_costs costs; /* in the arena of the subject, while rows of stages are measured */
    char *text;
    size_t text_size;
    size_t text_room;
    gsp_arena text_arena; /* where reading puts its module */
    uint32_t *quarters;   /* [nodes] four partitions, for aot */
    gsp_dependences dependences;
    size_t used;
    size_t bound;
    uint32_t count; /* subgraphs, groups, ... whatever the row counts */
} job;

typedef void (*step)(job *j);

typedef struct row {
    const char *name;
    const char *kind;
    uint32_t nodes;
    uint32_t edges;
    cli_runs time;
    double kahn;     /* ns of the bare sort */
    double mb_per_s; /* text rows, or 0 */
    double used;     /* bytes per node; 0 if not measured */
    double bound;    /* bytes per node */
    double growth;   /* exponent from the row before of that name and kind, or 0 */
    double whole;    /* the same from the first row on */
    uint32_t count;
    const char *note; /* targets */
} row;

/* Where rows go. */
extern int csv;
extern FILE *json; /* NULL if not asked for */
extern cli_benchmark benchmark;
extern int failures;

void step_kahn(job *j);

/* Times of several steps. They take turns, run by run: repeated on the spot, the processor learns
 * the branches of a small graph by heart, which nobody who splits a graph once gets to see. */
void measure(job *j, const step *steps, int n_steps, cli_runs *times);

int to_file(void *user, const char *data, size_t size);
void print_head(void);
void print_row(row *r);

/* Bytes touched by one more run of a step, beside its bound. */
void measure_bytes(job *j, step f, size_t bound, row *r);

row row_of(
    const job *j, const char *name, const char *kind, const cli_runs *time, const cli_runs *kahn);
job job_of(subject *s);
void job_free(job *j);

/* The row of a step that makes its own input, of as many elements as a layered graph has nodes. */
void bench_alone(
    uint32_t n, const char *name, const char *kind, step own, size_t (*bound_of)(uint32_t n_nodes));

/* ==== graph ====
 * Reading and writing text; the order of writes. */

/* Reading and writing, on the text that the graph itself writes. */
void bench_text(job *j, const char *kind, const cli_runs *kahn);

void bench_order(uint32_t n);

/* ==== split ====
 * Support, fusion, split, modules of subgraphs, drawings, previews. */

/* All rows of one layered graph. */
void bench_layered(uint32_t n, layer_kind kind);

void bench_tables(uint32_t n);
void bench_shape(const shape *form);

/* ==== partition ====
 * Partitions: modes, parts of equal load, scores. */

/* Eight acyclic parts, the best of one attempt. */
void step_kway(job *j);
void step_kway_floor(job *j);

/* The score of the same runs as eight parts, with seconds that are numbers already. */
void step_score(job *j);

/* Rows of a layered graph: linear modes on any, those that search on small ones. */
void bench_partition(uint32_t n, int search);

/* ==== dedup ====
 * Deduplication. */

/* Finding repeated regions, and the module with calls in their place. */
void bench_dedup(uint32_t n, int blocks);

/* ==== pipeline ====
 * Stages and pipelines. */

/* 64 stages of a layered graph, values moving at 1 TB/s. */
void bench_stages(uint32_t n);

void bench_pipeline(uint32_t n);

/* ==== memory ====
 * Live ranges, memory plans, parts that fit, and running. */

/* The runner beside direct calls of the same kernel. */
void bench_exec(uint32_t n);

void bench_memory(uint32_t n);
void bench_tiles(uint32_t n);
void bench_downsets(uint32_t n);

#endif
