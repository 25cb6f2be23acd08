/* Nodes by name. */
#ifndef CLI_INPUT_NAMES_H
#define CLI_INPUT_NAMES_H

#include "core/session.h"

typedef struct cli_name {
    gsp_str name;
    gsp_node node;
} cli_name;

typedef struct cli_names {
    cli_name *entries; /* sorted by bytes */
    uint32_t n;
} cli_names;

void cli_names_make(cli_session *s, const gsp_graph *graph, cli_names *names);

/* cli_names_find: GSP_NONE: there is no such node. */
gsp_node cli_names_find(const cli_names *names, gsp_str name);

#endif
