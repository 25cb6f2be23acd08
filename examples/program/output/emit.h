/* Parts on disk: --emit. */
#ifndef CLI_OUTPUT_EMIT_H
#define CLI_OUTPUT_EMIT_H

#include "core/format.h"

/* cli_emit_parameters: adds a part "root" that returns the marked get_attr nodes, if there are
 * any. Where parts hold their parameters, only those that the graph returns, and those marked
 * with 2. */
int cli_emit_parameters(
    cli_session *s, const gsp_graph *whole, const uint8_t *kept, cli_part *parts, size_t *n_parts);

/* cli_emit_root: the same for the get_attr nodes that split_module leaves in the root. */
int cli_emit_root(cli_session *s, const gsp_graph *whole, const gsp_split_module_result *made,
    cli_part *parts, size_t *n_parts);

/* cli_tensor: the i-th name of a node's value in files; 0: no more names. A format may have several
 * for one node, or none for a parameter. */
int cli_tensor(const cli_session *s, const gsp_graph *graph, gsp_node v, uint32_t i, gsp_str *name);

/* cli_emit: one file per part and DIR/manifest.json, which lists either the files of before or the
 * new ones, even if the program is ended. Removes parts of earlier runs that are not written again.
 * The parts stand in an order in which they can run; `whole` is the graph that was cut. */
int cli_emit(
    cli_session *s, const char *dir, const gsp_graph *whole, cli_part *parts, size_t n_parts);

#endif
