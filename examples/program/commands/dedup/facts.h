/* The input and the results of a deduplication. */
#ifndef CLI_COMMANDS_DEDUP_FACTS_H
#define CLI_COMMANDS_DEDUP_FACTS_H

#include "core/measure.h"

typedef struct dedup_options {
    uint64_t max_work;
    uint32_t map;
    uint32_t lift;
    const char *dot;
    const char *subgraph;
    const char *emit;
} dedup_options;

/* The constants of --lift-constants, in reading order. */
typedef struct dedup_lifted {
    gsp_graph plain; /* the graph of the file */
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
    const gsp_fingerprint *prints; /* of its graphs; NULL: one calls itself */
    size_t bound;
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

#endif
