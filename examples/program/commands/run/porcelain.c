/* The porcelain of `run`. */
#include "commands/run/run.h"

#include <inttypes.h>

void run_porcelain(const run_work *w, cli_buffer *out)
{
    cli_printf(out, "run inputs=%" PRIu32 " slots=%" PRIu32 " depth=%" PRIu32 " peak=%" PRIu64 "\n",
        w->frames.n_inputs, w->frames.n_slots, w->frames.depth, w->frames.peak_bytes);
    run_put_outputs(w, w->frames.n_outputs, out, "output ", "\n");
    cli_puts(out, w->frames.n_outputs != 0 ? "\n" : "");
    if (w->verdict != NULL) {
        cli_printf(out, "verdict %s\n", w->verdict);
    }
}
