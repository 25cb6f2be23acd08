/* The input and the results of a deduplication. */
#ifndef CLI_COMMANDS_DEDUP_FACTS_H
#define CLI_COMMANDS_DEDUP_FACTS_H

#include "core/measure.h"

typedef struct dedup_options {
    uint64_t max_work;
    uint32_t map;
    const char *dot;
    const char *subgraph;
    const char *emit;
} dedup_options;

typedef struct dedup {
    cli_session *session;
    dedup_options opt;
    gsp_graph graph;
    gsp_counts counts;
    gsp_dedup_desc desc;
    gsp_dedup_result result;
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

/* dedup_ports: the numbers of values that a graph takes and returns. */
void dedup_ports(const gsp_graph *g, uint32_t *inputs, uint32_t *outputs);

/* dedup_text_bytes: the size of a module as graph text. */
uint64_t dedup_text_bytes(const gsp_module *module);

#endif
