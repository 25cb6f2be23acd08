/* Assignments from files: integers, NODE=K, plans. */
#ifndef CLI_INPUT_PARTS_H
#define CLI_INPUT_PARTS_H

#include "core/session.h"

typedef struct cli_parts {
    uint32_t n_parts;
    uint32_t *part_of; /* [n] GSP_NONE: none */
    gsp_str *names;    /* [n_parts] */
    int64_t *numbers;  /* [n_parts] ascending; NULL: 0, 1, ... */
    uint64_t n_lines;  /* integers: what the file has, and what the graph has; else 0 */
    uint64_t n_wanted;
} cli_parts;

/* cli_part_nodes: the nodes of a file of integers: of a graph format all, by their numbers; else
 * the callable ones. */
const gsp_node *cli_part_nodes(cli_session *s, const gsp_graph *graph, uint32_t *count);

/* cli_parts_read: NODE=K itself, or a file with a plan, NODE=K, or one integer per line, by its
 * first word. `parts`: how many there are, 0: as many as the file names. Returns an exit status. */
int cli_parts_read(
    cli_session *s, const gsp_graph *graph, const char *path, uint32_t parts, cli_parts *out);

/* cli_fixed_read: the part of every node, one of the parts of `of`, from one integer per line, -1:
 * GSP_NONE. `parts` as above. */
int cli_fixed_read(cli_session *s, const gsp_graph *graph, const char *path, uint32_t parts,
    const cli_parts *of, uint32_t *pin);

#endif
