/* Shared by the porcelain of all passes. */
#ifndef CLI_OUTPUT_PORCELAIN_H
#define CLI_OUTPUT_PORCELAIN_H

#include "core/session.h"

/* cli_porcelain_names: " NAME" for every node, then a newline. */
void cli_porcelain_names(
    cli_buffer *b, const gsp_graph *graph, const gsp_node *nodes, size_t count);

/* cli_porcelain_modules: the graphs of a module without annotations, placeholders first. */
void cli_porcelain_modules(cli_buffer *b, const gsp_module *module);

#endif
