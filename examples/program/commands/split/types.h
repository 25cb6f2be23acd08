/* What is behind "unsupported". */
#ifndef CLI_COMMANDS_SPLIT_TYPES_H
#define CLI_COMMANDS_SPLIT_TYPES_H

#include "input/accelerators.h"

typedef struct split_objection {
    uint32_t kind;  /* the accelerator whose list has the operator ... */
    gsp_str dtypes; /* ... with these types alone, */
    gsp_node node;  /* and this input, or the node itself, ... */
    gsp_str dtype;  /* ... has another */
} split_objection;

/* split_is_listed: the operator of a node is in the list of an accelerator. */
int split_is_listed(const cli_place *place, const gsp_graph *graph, gsp_node v);

/* split_objection_of: 0: it is not the types that a list objects to. */
int split_objection_of(const cli_place *place, const gsp_graph *graph, gsp_node v,
                       split_objection *o);

/* split_vendor_of: whose program a custom operator is; NULL: nobody's that is known. */
const char *split_vendor_of(gsp_str name);

#endif
