/* Details of "unsupported". */
#ifndef CLI_COMMANDS_SPLIT_TYPES_H
#define CLI_COMMANDS_SPLIT_TYPES_H

#include "core/buffer.h"
#include "input/accelerators.h"

typedef struct split_objection {
    uint32_t kind;      /* an accelerator whose list contains the operator ... */
    gsp_str dtypes;     /* ... only with these types, */
    gsp_node node;      /* and the input with another type, or the node itself, ... */
    gsp_str dtype;      /* ... and that type; */
    gsp_str constraint; /* or only with this constraint about `node` */
} split_objection;

/* What objections are about, as bits. */
enum { SPLIT_ABOUT_TYPE = 1, SPLIT_ABOUT_SHAPE = 2, SPLIT_ABOUT_ARGUMENT = 4 };

uint32_t split_about_of(const split_objection *o);

/* split_put_value: the value that the node has for the left side of a constraint. */
void split_put_value(const gsp_graph *graph, const split_objection *o, cli_buffer *out);

/* split_is_listed: the list of an accelerator contains the operator of a node. */
int split_is_listed(const cli_place *place, const gsp_graph *graph, gsp_node v);

/* split_objection_of: 0: the types are not the reason. */
int split_objection_of(
    const cli_place *place, const gsp_graph *graph, gsp_node v, split_objection *o);

/* split_vendor_of: the vendor of the program in a custom operator; NULL: unknown. */
const char *split_vendor_of(gsp_str name);

#endif
