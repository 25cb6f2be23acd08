/* A slow and obvious splitter over at most 64 callable nodes, the cases it judges, and a symbolic
 * evaluator of modules. */
#ifndef GRAPHSPLIT_TESTS_ORACLE_H
#define GRAPHSPLIT_TESTS_ORACLE_H

#include "tests/t.h"

#define ORACLE_NODES  64u
#define ORACLE_LEAVES 8u
#define ORACLE_ALONE  255u

/* A graph and the options of a split: everything that decides the result. */
typedef struct oracle_case {
    uint32_t n;                   /* callable nodes */
    uint64_t in[ORACLE_NODES];    /* callable inputs of a node, as a set */
    uint64_t returned;            /* callable nodes that the graph returns */
    uint8_t out[ORACLE_NODES];    /* gsp_value_kind */
    uint8_t kind[ORACLE_NODES];   /* 0 for the CPU, k for accelerator k */
    uint8_t group[ORACLE_NODES];  /* atomic group, ORACLE_ALONE: none */
    uint64_t value[ORACLE_NODES]; /* for the limit */
    uint32_t n_kinds;
    uint32_t min_size;
    uint32_t waive;
    uint32_t limit;
    uint32_t limit_policy;
    uint32_t max_acc;
    uint32_t min_sizes[8]; /* of kinds, where has_min_sizes */
    uint32_t has_min_sizes;
    uint32_t skip_fusion;
    uint32_t allow_non_tensor;
    /* Only for the text and the module: leaves of the graph, and how arguments look. */
    uint32_t n_placeholders;
    uint32_t n_attributes;
    uint32_t reads_placeholder[ORACLE_NODES]; /* sets */
    uint32_t reads_attribute[ORACLE_NODES];
    uint32_t returned_placeholders;
    uint32_t returned_attributes;
    uint64_t shape; /* seed of nesting, order of arguments, constants; 0 for plain arguments */
} oracle_case;

typedef struct oracle_result {
    gsp_status status;
    uint8_t kind[ORACLE_NODES];  /* after fusion */
    uint64_t unit[ORACLE_NODES]; /* the group of a node as a set; 0 if alone */
    uint32_t raw_of[ORACLE_NODES];
    uint8_t raw_kind[ORACLE_NODES + 1u];
    uint32_t n_raw;
    uint32_t subgraph_of[ORACLE_NODES];
    uint8_t subgraph_kind[ORACLE_NODES + 1u];
    uint32_t n_subgraphs;
    uint32_t too_many;           /* LIMIT: the count above its limit */
    uint8_t small[ORACLE_NODES]; /* 1 if its subgraph was too small, 2 if above the limit */
    uint8_t left[ORACLE_NODES];  /* 1 if moved to the CPU for a non-tensor value, 2 for a group */
} oracle_result;

void oracle_run(const oracle_case *c, oracle_result *r);

/* A random case of up to `max_nodes` callable nodes. */
void oracle_random(t_rng *rng, uint32_t max_nodes, oracle_case *c);

/* Node ids of a built case. */
typedef struct oracle_ids {
    gsp_node call[ORACLE_NODES];
    gsp_node placeholder[ORACLE_LEAVES];
    gsp_node attribute[ORACLE_LEAVES];
} oracle_ids;

/* The case as a module, by the builder; its acc= and group= say what the case says. */
gsp_status oracle_build(
    gsp_arena *arena, const oracle_case *c, gsp_module *module, oracle_ids *ids, gsp_error *err);

/* A random case of the CPU and one accelerator. */
void oracle_random_pair(t_rng *rng, uint32_t max_nodes, oracle_case *c);

/* Such a case, placed, and the options of its split. */
typedef struct oracle_placed {
    gsp_arena arena;
    oracle_case c;
    oracle_ids ids;
    gsp_module module;
    gsp_graph graph;
    gsp_placement placement;
    gsp_split_desc options;
    gsp_split_result split;
} oracle_placed;

/* Builds and places the case in an emptied arena. Returns 0 if that failed. */
int oracle_place(oracle_placed *s);

/* The counts that oracle_build() starts with. */
gsp_counts oracle_counts(const oracle_case *c);

/* Interns what modules compute: equal ids, equal computation. */
typedef struct oracle_values {
    uint32_t *keys; /* all keys one after the other, each after its length */
    size_t n_keys;
    size_t capacity;
    size_t *table; /* [mask + 1] offsets into keys + 1, 0 if free */
    size_t mask;
    size_t used;
} oracle_values;

void oracle_values_open(oracle_values *v);
void oracle_values_reset(oracle_values *v);
void oracle_values_close(oracle_values *v);

/* The value that the root returns; 0 when the module is no module (a call with too few inputs). */
size_t oracle_evaluate(oracle_values *v, const gsp_module *module);

/* Runs the root on hashed values (exec_equal.c) and returns the hash of what it returns; 0, and the
 * reason, when it cannot be run or a value dies at the wrong time. `whole`: as desc.whole;
 * `ignore`: a keyword argument that does not count, or NULL. */
uint64_t oracle_run_hashed(
    const gsp_module *module, int whole, const char *ignore, const char **why);

/* A check: a module made of another, as it is and printed and read back, computes what the other
 * does. */
int oracle_run_equal(const gsp_module *original, const gsp_module *made, const char *ignore);

/* The same for the text without annotations, as porcelain has it: there a getitem of a kernel's
 * aggregate is a kernel, and a pass that passes an aggregate on element by element differs. */
int oracle_run_equal_bare(const gsp_module *original, const gsp_module *made, const char *ignore);

/* A check over files: a graph, and the porcelain of a pass that made a module of it. */
void oracle_check_equal(const char *original, const char *porcelain);

/* Partitions of a module at random places compute what the module does (exec.c). */
void oracle_check_run(const gsp_module *module);

/* Splits a graph with several labellings and checks that each module computes what the graph
 * does, also after printing and reading. */
void oracle_check_module(const gsp_module *module);

/* The text of a random graph with layers that are alike, and of one with blocks of all that hinders
 * deduplication; the caller frees it. */
t_string oracle_dedup_text(t_rng *rng);
t_string oracle_blocks_text(t_rng *rng);

/* A check: a deduplicated module computes what the original does. Returns 1 if that can be run. */
int oracle_run_dedup(const gsp_module *module, const gsp_module *made);

/* Deduplicates a graph and checks that the module computes what the graph does; with the hash
 * forced to collide the module is the same. */
void oracle_check_dedup(const gsp_module *module);

/* Reads, prints and reads back the graph of a file; for texts that are canonical the print is
 * equal. */
void oracle_check_file(const char *path);

#endif
