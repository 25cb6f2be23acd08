/* Shared by the JSON documents of all passes. */
#ifndef CLI_OUTPUT_JSON_H
#define CLI_OUTPUT_JSON_H

#include "core/session.h"

/* cli_json_names: the names of nodes as an array. */
void cli_json_names(cli_buffer *b, const gsp_graph *graph, const gsp_node *nodes, size_t count);

/* cli_json_modules: `"modules": [{"name", "fingerprint", "text"}]`, texts as in the porcelain. */
void cli_json_modules(cli_buffer *b, const gsp_module *module);

#endif
