/* The values that the reports of `run` print. */
#include "commands/run/run.h"

#include <inttypes.h>

void run_put_outputs(
    const run_work *w, uint32_t count, cli_buffer *out, const char *before, const char *after)
{
    uint32_t i;
    for (i = 0; i < count; i++) {
        cli_printf(out, "%s%016" PRIx64 "%s", before, w->outputs[i], i + 1u < count ? after : "");
    }
}
