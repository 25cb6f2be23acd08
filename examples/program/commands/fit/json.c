/* The JSON of `fit`. */
#include "commands/fit/fit.h"

#include "core/core.h"

#include <inttypes.h>

void fit_json(const fit *f, cli_buffer *out)
{
    const char *comma = "";
    uint32_t way;
    cli_puts(out, "{\"pass\": \"fit\", ");
    cli_json_unknown(out, f->m.graph.module);
    cli_printf(out, "\"ram\": %" PRIu64 ",\n\"ways\": [", f->opt.ram);
    for (way = 0; way < FIT_WAYS; way++) {
        const fit_row *r = &f->rows[way];
        if (r->tried) {
            cli_printf(out,
                "%s\n  {\"way\": \"%s\", \"ram\": %" PRIu64 ", \"fits\": %s, \"macs\": %" PRIu64
                ", \"moved\": %" PRIu64 "}",
                comma, fit_name(way), r->ram, r->fits ? "true" : "false", r->macs, r->moved);
            comma = ",";
        }
    }
    cli_printf(out, "],\n\"parameters\": %" PRIu64 ", \"parameters_fit\": %s,\n", f->params,
        fit_params(f) ? "true" : "false");
    if (f->chosen != FIT_WAYS) {
        cli_printf(out, "\"chosen\": \"%s\"}\n", fit_name(f->chosen));
    } else {
        cli_puts(out, "\"chosen\": null}\n");
    }
}
