/* The porcelain of `bisect`. */
#include "commands/bisect/bisect.h"

#include "output/output.h"

#include <inttypes.h>

void bisect_porcelain(const bisect *b, cli_buffer *out)
{
    uint32_t i;
    cli_printf(out, "runs %" PRIu32 "\n", bisect_runs(b));
    for (i = 0; i < b->n_culprits; i++) {
        cli_puts(out, b->culprits[i].is_open ? "open" : "culprit");
        cli_porcelain_names(out, &b->graph, b->culprits[i].nodes, b->culprits[i].n);
    }
    cli_puts(out, b->is_interrupted ? "interrupted\n" : b->n_culprits == 0 ? "clean\n" : "");
}
