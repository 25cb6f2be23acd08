/* What each operator list covers of a graph. */
#ifndef CLI_COMMANDS_OPS_COVER_H
#define CLI_COMMANDS_OPS_COVER_H

#include "core/session.h"
#include "data/operator_lists.h"

typedef struct ops_cover {
    const cli_operator_list *list;
    int is_bound; /* the list is an upper bound */
    uint32_t on_acc;
    uint32_t n_acc; /* subgraphs on the accelerator */
    uint32_t n_subgraphs;
    uint32_t values; /* that cross the boundary of the accelerator */
    uint64_t bytes;
} ops_cover;

typedef struct ops_covers {
    const char *path;
    uint32_t callable;
    int least;         /* bytes are lower bounds */
    ops_cover *covers; /* [n] most nodes first, then fewest subgraphs */
    size_t n;
} ops_covers;

/* ops_cover_all: splits the graph of session->path by every list. Returns an exit status. */
int ops_cover_all(cli_session *s, ops_covers *out);

#endif
