/* The JSON of `run`. */
#include "commands/run/run.h"

#include <inttypes.h>

void run_json(const run_work *w, cli_buffer *out)
{
    cli_printf(out,
        "{\"pass\": \"run\", \"inputs\": %" PRIu32 ", \"slots\": %" PRIu32 ", \"depth\": %" PRIu32
        ", \"peak_bytes\": %" PRIu64 ", \"outputs\": [",
        w->frames.n_inputs, w->frames.n_slots, w->frames.depth, w->frames.peak_bytes);
    run_put_outputs(w, w->frames.n_outputs, out, "\"", "\", ");
    cli_puts(out, w->frames.n_outputs != 0 ? "\"]" : "]");
    if (w->verdict != NULL) {
        cli_printf(out, ", \"verdict\": \"%s\"", w->verdict);
    }
    cli_puts(out, "}\n");
}
