/* What the files of the `dedup` command share. */
#ifndef GRAPHSPLIT_CLI_DEDUP_H
#define GRAPHSPLIT_CLI_DEDUP_H

#include "cli.h"

typedef struct dedup_options {
    uint64_t max_work;
    const char *dot;
    const char *emit;
    uint32_t map;
} dedup_options;

typedef struct dedup {
    cli_session *session;
    dedup_options opt;
    gsp_graph graph;
    gsp_counts counts;
    gsp_dedup_desc desc;
    gsp_dedup_result result;
    size_t bound;
    cli_timing timing;
} dedup;

/* ---- a subgraph and its regions ---- */

gsp_text dedup_name(const dedup *p, uint32_t subgraph);
uint32_t dedup_rows(const dedup *p, uint32_t subgraph);
uint32_t dedup_calls(const dedup *p, uint32_t subgraph);

/* dedup_region: the nodes of the region of a call, in their order. */
gsp_node *dedup_region(const dedup *p, uint32_t subgraph, uint32_t call);

/* ---- outputs, one file each ---- */

void dedup_porcelain(const dedup *p, cli_buffer *out);

#endif
