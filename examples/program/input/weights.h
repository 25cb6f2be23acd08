/* weight= of nodes, and other attributes that the library does not know. */
#ifndef CLI_INPUT_WEIGHTS_H
#define CLI_INPUT_WEIGHTS_H

#include "core/session.h"

/* cli_attribute: its text; empty: none. */
gsp_str cli_attribute(const gsp_graph *graph, gsp_node v, const char *key);

/* cli_weights_read: weight= of called nodes, else 1; 0 for others. Returns an exit status. */
int cli_weights_read(cli_session *s, const gsp_graph *graph, uint64_t **weights);

/* cli_capacities: of every part (1 + E) * total / n_parts rounded down, but not below the heaviest
 * node; E is the text of --imbalance. Returns an exit status. */
int cli_capacities(cli_session *s, const char *imbalance, uint64_t total, uint64_t heaviest,
    uint32_t n_parts, uint64_t **capacity);

#endif
