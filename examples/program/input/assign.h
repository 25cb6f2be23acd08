/* --assign: the partition of each node. */
#ifndef CLI_INPUT_ASSIGN_H
#define CLI_INPUT_ASSIGN_H

#include "core/session.h"

typedef struct cli_assign {
    uint32_t *part_of; /* [n] index into numbers, GSP_NONE: not assigned */
    int64_t *numbers;  /* [n_parts] ascending */
    uint32_t n_parts;
} cli_assign;

/* cli_assign_read: all `--assign NODE=K,...` among the options. */
int cli_assign_read(cli_session *s, const gsp_graph *graph, cli_assign *out);

/* cli_assign_text: the same from the text of a file of NODE=K. */
int cli_assign_text(
    cli_session *s, const gsp_graph *graph, const char *path, gsp_str text, cli_assign *out);

#endif
