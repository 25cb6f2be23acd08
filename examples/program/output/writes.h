/* Nodes that write, and the order in which parts run. */
#ifndef CLI_OUTPUT_WRITES_H
#define CLI_OUTPUT_WRITES_H

#include "core/session.h"

#define CLI_IGNORE_WRITES(offset)                                                              \
    {                                                                                          \
        "--ignore-writes", NULL, CLI_FLAG, offset, 0, 0,                                       \
            "values alone order the nodes, as in PyTorch; without it, nodes with mutates= or " \
            "barrier= keep their order"                                                        \
    }

/* cli_order_writes: unless `ignore`, passes keep nodes in order that depend on others by mutates=
 * or barrier=. Returns an exit status. */
int cli_order_writes(cli_session *s, gsp_graph *graph, uint32_t ignore);

/* cli_check_writes: finds nodes that run in an earlier part than what they depend on: a warning if
 * writes are ignored, else an error. part: [n] of callable nodes, numbered in the order in which
 * parts run; GSP_NONE: other nodes. Returns an exit status. */
int cli_check_writes(cli_session *s, const gsp_graph *graph, const uint32_t *part);

#endif
