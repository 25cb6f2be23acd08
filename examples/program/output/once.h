/* Equal blocks that are decided once. */
#ifndef CLI_OUTPUT_ONCE_H
#define CLI_OUTPUT_ONCE_H

#include "core/session.h"

/* cli_once_most: as many repeats as may be found, to be measured with. */
gsp_repeats cli_once_most(const gsp_counts *counts);

/* cli_once_put, _json: what became of them, as a table and as a list `"blocks": [...],`. */
void cli_once_put(cli_session *s, const gsp_graph *graph, const gsp_repeats *repeats,
                  const gsp_once *once, cli_buffer *out);
void cli_once_json(const gsp_graph *graph, const gsp_repeats *repeats, const gsp_once *once,
                   cli_buffer *out);

#endif
