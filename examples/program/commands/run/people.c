/* The report of `run` for people. */
#include "commands/run/run.h"

#include "output/output.h"

#include <inttypes.h>
#include <string.h>

#define ROWS 20u /* outputs, without --all */

void run_people(const run_work *w, cli_buffer *out)
{
    const gsp_module *m = w->graph.module;
    gsp_graph at = gsp_module_graph(m, w->frames.peak_graph);
    uint32_t shown = cli_rows(w->session, w->frames.n_outputs, ROWS);
    cli_put_styled(out, CLI_BOLD, w->session->path);
    cli_printf(out,
        "  runs: %" PRIu32 " input%s, %" PRIu32 " output%s, %" PRIu32 " values at once, %" PRIu32
        " graph%s deep\n",
        w->frames.n_inputs, cli_plural(w->frames.n_inputs), w->frames.n_outputs,
        cli_plural(w->frames.n_outputs), w->frames.n_slots, w->frames.depth,
        cli_plural(w->frames.depth));
    cli_puts(out, "most live bytes: ");
    cli_put_need(out, w->frames.peak_bytes);
    cli_puts(out, " after ");
    cli_put_clipped(out, gsp_node_name(&at, w->frames.peak_node), 32u);
    cli_puts(out, " of ");
    cli_put_clipped(out, gsp_module_str(m, m->graphs[at.id].name), 16u);
    cli_puts(out, ", without parameters\n"
                  "hashes of the outputs, from operations, constants and inputs:\n");
    run_put_outputs(w, shown, out, "  ", "\n");
    cli_puts(out, "\n");
    cli_put_rest(out, w->frames.n_outputs, shown, NULL);
    if (w->verdict != NULL) {
        cli_printf(out, "%s %s\n", w->opt.equal,
            strcmp(w->verdict, "equal") == 0
                ? "computes the same"
                : "has not the same operations; whether the numbers are equal is for an engine to "
                  "say, such as by bisect");
    }
}
