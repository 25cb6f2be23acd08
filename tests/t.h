/* A tiny test harness, and what the tests share: randomness, memory, texts, equality of modules.
 * Everything declared here is defined in main.c or unit/help.c. */
#ifndef GRAPHSPLIT_TESTS_T_H
#define GRAPHSPLIT_TESTS_T_H

#include "graphsplit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- harness (main.c) ---- */

extern int t_fast;      /* 1 for fewer random graphs, smaller shapes */
extern uint64_t t_seed; /* of all random tests; printed at the start, settable by --seed */

/* Runs a test if the arguments ask for it. A test fails when one of its checks does. */
void t_run(const char *name, void (*test)(void));

/* Counts the running test as skipped, with the reason. */
void t_skip(const char *why);

/* In a build with gaps between arrays: skips the running test, which counts bytes; returns 1. */
int t_skip_with_gaps(void);

/* 1 once a check of the running test has failed: long loops stop there. */
int t_failed(void);

int t_check(int ok, const char *file, int line, const char *what);
/* Where `what` names a status, a detail, a reason, an op or a kind, so does a failure. */
int t_check_equal(uint64_t a, uint64_t b, const char *file, int line, const char *what);
int t_check_status(gsp_status a, gsp_status b, const char *file, int line, const char *what);
int t_check_detail(gsp_detail a, gsp_detail b, const char *file, int line, const char *what);
/* An error of an argument or option, ARG or DESC, says which one it is. */
int t_check_field(const gsp_error *err, const char *file, int line, const char *what);
int t_check_text(gsp_str a, const char *b, const char *file, int line, const char *what);

#define T_HERE         __FILE__, __LINE__
#define T_CHECK(cond)  t_check(!!(cond), T_HERE, #cond)
#define T_EQUAL(a, b)  t_check_equal((uint64_t)(a), (uint64_t)(b), T_HERE, #a " == " #b)
#define T_FIELD(err)   t_check_field((err), T_HERE, #err)
#define T_TEXT(a, b)   t_check_text((a), (b), T_HERE, #a)
#define T_STRING(a, b) t_check_text(gsp_str_of(a), (b), T_HERE, #a)
/* A constant bound suffices, and says at most GSP_BOUND_WORKSPACE bytes too many. */
#define T_BOUND(constant, bound) \
    t_check((constant) >= (bound) && (constant) - (bound) <= GSP_BOUND_WORKSPACE, T_HERE, \
        #constant " is " #bound " and at most a workspace more")
#define T_COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

/* Every file of tests brings one suite; main.c runs them in this order. */
#define T_SUITES(X) \
    X(unit_status) \
    X(unit_memory) \
    X(unit_bitset) \
    X(unit_graph) \
    X(unit_build) \
    X(unit_csr) \
    X(unit_numbers) \
    X(unit_origin) \
    X(unit_questions) \
    X(unit_query) \
    X(unit_check) \
    X(unit_text) \
    X(unit_annotation) \
    X(unit_calls) \
    X(unit_support) \
    X(unit_acc_nodes) \
    X(unit_fuse) \
    X(unit_move_non_tensor) \
    X(unit_split) \
    X(unit_split_by_tags) \
    X(unit_plan_file) \
    X(unit_memory_plan) \
    X(unit_memories) \
    X(unit_prefetch) \
    X(unit_tiles) \
    X(unit_exec) \
    X(unit_split_module) \
    X(unit_stages_even) \
    X(unit_stages_optimal) \
    X(unit_downsets) \
    X(unit_downsets_graph) \
    X(unit_repeats) \
    X(unit_partition) \
    X(unit_score) \
    X(unit_kway) \
    X(unit_heft) \
    X(unit_intervals) \
    X(unit_unequal) \
    X(unit_flow) \
    X(unit_limits) \
    X(unit_compare) \
    X(unit_operators) \
    X(unit_least_peak) \
    X(unit_tradeoff) \
    X(unit_offload) \
    X(unit_sides) \
    X(unit_traffic) \
    X(unit_schedule) \
    X(unit_pipeline) \
    X(unit_dependences) \
    X(unit_node_classes) \
    X(unit_dedup) \
    X(unit_subgraph_grow) \
    X(unit_minimize) \
    X(unit_preview) \
    X(unit_draw) \
    X(unit_tflite) \
    X(contract_bound) \
    X(contract_oom) \
    X(contract_errors) \
    X(contract_given) \
    X(contract_misuse) \
    X(contract_messages) \
    X(contract_desc) \
    X(contract_order) \
    X(contract_place) \
    X(contract_overflow) \
    X(contract_stored) \
    X(contract_values) \
    X(contract_edges) \
    X(contract_corners) \
    X(contract_limits) \
    X(contract_why) \
    X(contract_builder) \
    X(contract_mutated) \
    X(contract_baseline) \
    X(oracle_constraint) \
    X(oracle_split) \
    X(oracle_split_by_tags) \
    X(oracle_split_module) \
    X(oracle_exec) \
    X(oracle_text) \
    X(oracle_memory_plan) \
    X(oracle_memories) \
    X(oracle_prefetch) \
    X(oracle_tiles) \
    X(oracle_memory_pack) \
    X(oracle_intervals) \
    X(oracle_stages_optimal) \
    X(oracle_downsets) \
    X(oracle_downsets_graph) \
    X(oracle_schedule) \
    X(oracle_pipeline) \
    X(oracle_dedup) \
    X(oracle_repeats) \
    X(oracle_dedup_equal) \
    X(oracle_backward) \
    X(oracle_partition) \
    X(oracle_score) \
    X(oracle_kway) \
    X(oracle_heft) \
    X(oracle_unequal) \
    X(oracle_flow) \
    X(oracle_demote) \
    X(oracle_limits) \
    X(oracle_compare) \
    X(oracle_operators) \
    X(oracle_least_peak) \
    X(oracle_traffic) \
    X(oracle_offload) \
    X(oracle_sides) \
    X(oracle_adjust) \
    X(oracle_writes) \
    X(hard_shapes) \
    X(hard_stages_optimal) \
    X(hard_dedup) \
    X(hard_aggregate) \
    X(hard_exec) \
    X(hard_text)
#define T_DECLARE_SUITE(name) void suite_##name(void);
T_SUITES(T_DECLARE_SUITE)
#undef T_DECLARE_SUITE

/* ---- randomness: splitmix64 (unit/help.c) ---- */

typedef struct t_rng {
    uint64_t state;
} t_rng;

uint64_t t_random(t_rng *rng);
uint32_t t_below(t_rng *rng, uint32_t n);    /* 0 .. n - 1 */
int t_chance(t_rng *rng, uint32_t per_cent); /* 1 in so many per cent of the calls */

/* ---- memory and texts (unit/help.c) ---- */

void *t_alloc(size_t size); /* ends the program when there is none */
void t_arena_open(gsp_arena *arena, size_t size);
void t_arena_close(gsp_arena *arena);

/* A growing string; `data` is NUL-terminated. */
typedef struct t_string {
    char *data;
    size_t size;
    size_t capacity;
} t_string;

void t_add(t_string *s, const char *data, size_t size);
void t_puts(t_string *s, const char *text);
void t_number(t_string *s, uint32_t value);
void t_free(t_string *s);
int t_sink(void *user, const char *data, size_t size); /* a gsp_sink; user: t_string */

/* The module as text, in a string that the caller frees. */
t_string t_print(const gsp_module *module, const gsp_text_desc *desc);

/* The whole file; `data` is NULL when it cannot be read. */
t_string t_read_file(const char *path);

/* Reads a text into an arena of exactly the bound, which it opens. */
gsp_status t_read(
    gsp_arena *arena, const char *text, size_t size, gsp_module *module, gsp_error *err);

/* Reads a text that has to be right; 0 and a failed check when it is not. */
int t_must_read(gsp_arena *arena, const char *text, gsp_module *module);

/* Opens a copy of the module in which constants named key_... are keys, as no text but a stored
 * module may have them. Returns the copy; free() it after. */
void *t_store_keys(const gsp_module *module, gsp_module *stored);

/* 1 when every array of both agrees, strings compared by their bytes. */
int t_module_equal(const gsp_module *a, const gsp_module *b);

/* Text -> module -> text; fails a check when the second text is not `expected`. */
void t_check_print(const char *text, const char *expected, const char *file, int line);
#define T_PRINTS(text, expected) t_check_print((text), (expected), __FILE__, __LINE__)

/* The argument tokens of a node, e.g. "(%x 1 / k: None " for `((%x, 1),), {k: None}`: opening
 * tokens are ( [ { < and any closing one is /. t_free() after. */
t_string t_show_args(const gsp_graph *graph, gsp_node node);

/* ---- a split of a text with one call ---- */

typedef struct t_split {
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_placement placement;
    gsp_split_result split;
    gsp_split_by_tags_result tags;
    gsp_error err;
} t_split;

/* Reads, asks acc= and group= (desc NULL) or the support desc, splits, builds the module. Status
 * of the first step that failed. `options` may be NULL; its placement is filled in.
 * t_split_close() after. */
gsp_status t_split_text(
    t_split *s, const char *text, const gsp_support_desc *support, const gsp_split_desc *options);
void t_split_close(t_split *s);

/* Builds the module of a finished split into `arena` (of any size that suffices). */
gsp_status t_split_tags(gsp_arena *arena, const gsp_graph *graph, const gsp_split_result *split,
    gsp_split_by_tags_result *tags, gsp_error *err);

/* The names of a subgraph's nodes, "TAG: a b c"; "" beyond the last. In a static buffer. */
const char *t_subgraph(const t_split *s, uint32_t subgraph);

#endif
