/* What the files of the `dedup` command share. */
#ifndef GRAPHSPLIT_CLI_DEDUP_H
#define GRAPHSPLIT_CLI_DEDUP_H

#include "core/cli.h"

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

/* dedup_region: the nodes of the region of a call, in their order. */
gsp_node *dedup_region(const dedup *p, uint32_t subgraph, uint32_t call);

/* ---- outputs, one file each ---- */

void dedup_porcelain(const dedup *p, cli_buffer *out);
void dedup_people(const dedup *p, cli_buffer *out);
void dedup_json(const dedup *p, cli_buffer *out);
int dedup_emit(const dedup *p); /* an exit status */
void dedup_map(const dedup *p, cli_buffer *out);

/* dedup_dot: one instance of the subgraph that --subgraph names, or of the one that takes most
 * nodes away; without any, the graph. Returns an exit status. */
int dedup_dot(const dedup *p, cli_buffer *out);

/* dedup_ports: values that a graph takes, and that it returns. */
void dedup_ports(const gsp_graph *g, uint32_t *inputs, uint32_t *outputs);

#endif
