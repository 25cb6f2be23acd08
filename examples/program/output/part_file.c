/* --part: the part of every node, one integer per line, as partitioners write it. */
#include "output/output.h"

#include <inttypes.h>

int cli_part_write(
    cli_session *s, const char *path, const gsp_graph *graph, const uint32_t *part_of)
{
    cli_buffer text;
    const gsp_node *nodes;
    uint32_t n;
    uint32_t i;
    if (path == NULL) {
        return CLI_EXIT_OK;
    }
    cli_buffer_init(&text, s);
    nodes = cli_part_nodes(s, graph, &n);
    for (i = 0; i < n; i++) {
        cli_printf(&text, "%" PRIu32 "\n", part_of[nodes[i]]);
    }
    return cli_write_file(s, path, &text);
}
