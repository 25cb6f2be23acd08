/* What is known of the bytes of a value. */
#ifndef CLI_CORE_SIZE_H
#define CLI_CORE_SIZE_H

#include "core/session.h"

typedef enum cli_size {
    CLI_SIZE_KNOWN,
    CLI_SIZE_LEAST,  /* a dimension is no number and counts as 1 */
    CLI_SIZE_UNKNOWN /* a tensor without TYPE or shape */
} cli_size;

/* cli_size_of: *symbol is the last dimension that is no number, if there is one. */
cli_size cli_size_of(const gsp_graph *graph, gsp_node node, gsp_str *symbol);

/* cli_any_least: 1 if the bytes of one of the nodes are not known. */
int cli_any_least(const gsp_graph *graph, const gsp_node *nodes, uint32_t n);

/* cli_graph_least: 1 if the bytes of an activation (params: a parameter) are not known. */
int cli_graph_least(const gsp_graph *graph, int params);

/* cli_next_dim: the next dimension of "1, s0" from *at on; 0: none. */
int cli_next_dim(gsp_str dims, uint32_t *at, gsp_str *dim);

/* The bytes of several values. */
typedef struct cli_sum {
    uint64_t bytes;
    int least; /* more, by those that are not known */
} cli_sum;

void cli_sum_add(cli_sum *sum, const gsp_graph *graph, gsp_node node);

/* cli_put_least: "16 B" by `put`; of a lower bound ">= 16 B", or "?" when nothing is known. */
void cli_put_least(cli_buffer *out, uint64_t bytes, int least, void (*put)(cli_buffer *, uint64_t));

/* cli_put_sum: the same of a sum. */
void cli_put_sum(cli_buffer *out, const cli_sum *sum);

/* cli_json_unknown: `"unknown_sizes": N, `, the values whose bytes are not known. */
void cli_json_unknown(cli_buffer *out, const gsp_module *module);

/* cli_put_unknown: a line with the number of values without TYPE or shape, if there are any.
 * Readers of other formats than text have told it. */
void cli_put_unknown(cli_buffer *out, const gsp_module *module);

/* cli_put_size: the bytes of a value; ">= 16 B" and "?" where they are not known. */
void cli_put_size(cli_buffer *out, const gsp_graph *graph, gsp_node node);

#endif
