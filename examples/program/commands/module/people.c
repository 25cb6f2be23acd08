/* The report of `module` for people. */
#include "commands/module/module.h"

#include "output/output.h"

#include <inttypes.h>

#define ROWS 40u /* of a table, without --all */

/* Numbers of placeholders, calls and returned values of a submodule. */
static void put_row(const module_work *w, cli_table *t, uint32_t i)
{
    gsp_graph g = gsp_module_graph(&w->result.module, i + 1u);
    uint64_t params = 0;
    uint32_t inputs = 0;
    uint32_t calls = 0;
    uint32_t outputs;
    gsp_node v;
    for (v = 0; v < g.n_nodes; v++) {
        inputs += gsp_node_op(&g, v) == GSP_OP_PLACEHOLDER ? 1u : 0u;
        calls += gsp_node_is_callable(&g, v) ? 1u : 0u;
        params += gsp_node_params(&g, v);
    }
    (void)gsp_node_inputs(&g, g.n_nodes - 1u, &outputs);
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), module_name(w, i + 1u), 40u);
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), w->names[w->result.part[i]], 40u);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, calls);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, inputs);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, outputs);
    cli_put_bytes(cli_cell_begin(t, CLI_PLAIN), params);
}

void module_people(const module_work *w, cli_buffer *out)
{
    uint32_t shown = cli_rows(w->session, w->result.n_parts, ROWS);
    cli_table t;
    uint32_t i;
    cli_put_styled(out, CLI_BOLD, w->session->path);
    cli_printf(out, "  %" PRIu32 " nodes in %" PRIu32 " submodule%s, in execution order\n",
        w->graph.n_nodes, w->result.n_parts, cli_plural(w->result.n_parts));
    cli_table_init(&t, w->session, "lrrrrr");
    cli_table_head(&t, "submodule|partition|calls|inputs|outputs|parameters");
    for (i = 0; i < shown; i++) {
        put_row(w, &t, i);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, w->result.n_parts, shown, NULL);
    cli_printf(out,
        "\n%" PRIu32 " called module%s renamed. --porcelain prints the map and the graphs, "
        "--emit DIR writes them.\n",
        w->result.n_qualnames, cli_plural(w->result.n_qualnames));
}
