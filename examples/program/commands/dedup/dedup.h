/* The command `dedup`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_DEDUP_DEDUP_H
#define CLI_COMMANDS_DEDUP_DEDUP_H

#include "core/core.h"
#include "examples/extra/graphsplit_fingerprint.h"

/* ==== facts ====
 * The input and the results of a deduplication. */

enum { DEDUP_REFERENCE, DEDUP_BEST, DEDUP_AS_OUTPUT };

typedef struct dedup_options {
    uint64_t max_work;
    uint32_t start;
    uint32_t map;
    uint32_t lift;
    const char *dot;
    const char *subgraph;
    const char *emit;
} dedup_options;

/* The constants of --lift-constants, in reading order. */
enum { DEDUP_NUMBERS = 1, DEDUP_STRINGS = 2 };

typedef struct dedup_lifted {
    gsp_graph plain; /* the graph of the file */
    uint32_t kinds;  /* DEDUP_... that are lifted */
    uint32_t n;
    uint32_t *token;     /* [n] in the arguments of its module */
    gsp_node *reader;    /* [n] */
    uint32_t *arguments; /* [n_subgraphs] inputs that are constants and differ between calls */
} dedup_lifted;

typedef struct dedup {
    cli_session *session;
    dedup_options opt;
    gsp_graph graph;
    gsp_counts counts;
    gsp_dedup_desc desc;
    gsp_dedup_result result;
    dedup_lifted lifted;
    const gsp_fingerprint *prints; /* of its graphs; NULL if one calls itself */
    size_t bound;
    void *block; /* memory of a run that is not measured */
    cli_timing timing;
} dedup;

/* ---- a subgraph and its regions ---- */

gsp_str dedup_name(const dedup *p, uint32_t subgraph);
uint32_t dedup_rows(const dedup *p, uint32_t subgraph);
uint32_t dedup_calls(const dedup *p, uint32_t subgraph);

/* dedup_region: the nodes of the region of a call, in graph order. */
gsp_node *dedup_region(const dedup *p, uint32_t subgraph, uint32_t call);

/* dedup_constant: the spelling of a lifted constant of the graph of the file. */
gsp_str dedup_constant(const gsp_graph *plain, const dedup_lifted *l, uint32_t constant);

/* dedup_lifted_arguments: inputs of all subgraphs that are constants and differ between calls. */
uint32_t dedup_lifted_arguments(const dedup *p);

/* dedup_ports: the numbers of values that a graph takes and returns. */
void dedup_ports(const gsp_graph *g, uint32_t *inputs, uint32_t *outputs);

/* dedup_text_bytes: the size of a module as graph text. */
uint64_t dedup_text_bytes(const gsp_module *module);

/* ==== lift ====
 * --lift-constants of `dedup`: numbers, booleans and strings become inputs before the pass; those
 * on which all calls of a subgraph agree return after it. */

/* dedup_lift: makes p->graph a graph in which every constant of these kinds (booleans are numbers)
 * among the arguments of a call is a placeholder of its own, before all nodes. An index of an
 * aggregate stays, because the pass reads it. */
int dedup_lift(dedup *p, uint32_t kinds);

/* dedup_unlift: makes p->graph the graph of the file again, and p->result the result for it. Of
 * `regions` and `selection`, it translates what is read: members, and what names or counts nodes.
 */
int dedup_unlift(dedup *p);

/* ==== search ====
 * Which regions, and which constants are lifted, so that calls replace most nodes. */

/* Runs the pass on p->graph, measured or not. A failure of the pass is in *err. */
typedef int (*dedup_run_pass)(dedup *p, int measured, gsp_error *err);

/* dedup_rejected: 1 if calls do not replace some group of regions, which neither writes values nor
 * reads written ones; *promised: the nodes that all groups would save. */
int dedup_rejected(const dedup *p, uint64_t *promised);

/* dedup_search: sets p->desc and, with --lift-constants, p->graph for the pass: PyTorch's regions,
 * or others that save more, and at least `least` nodes. */
int dedup_search(dedup *p, dedup_run_pass run, uint64_t least);

/* ==== dot ====
 * --dot of `dedup`. */

/* dedup_dot: draws one instance of the subgraph that --subgraph names, else of the one that saves
 * most nodes; if there is none, the graph. Returns an exit status. */
int dedup_dot(const dedup *p, cli_buffer *out);

/* ==== hidden ====
 * Repeats that a graph of torch.fx hides. */

/* dedup_tell_hidden: a line on standard error, if modules of one kind are called. */
void dedup_tell_hidden(const dedup *p);

/* ==== json ====
 * The JSON of `dedup`. */

void dedup_json(const dedup *p, cli_buffer *out);

/* ==== map ====
 * --map of `dedup`. */

void dedup_map(const dedup *p, cli_buffer *out);

/* ==== people ====
 * The report of `dedup` for people. */

void dedup_people(const dedup *p, cli_buffer *out);

/* ==== porcelain ====
 * The porcelain of `dedup`. */

void dedup_porcelain(const dedup *p, cli_buffer *out);

/* ==== dedup ====
 * The command `dedup`. */

extern const cli_pass cli_dedup_pass;

#endif
