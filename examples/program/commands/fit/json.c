/* The JSON of `fit`. */
#include "commands/fit/fit.h"

#include "core/core.h"
#include "output/output.h"

#include <inttypes.h>

/* All that TensorFlow Lite Micro needs. */
static void json_micro(const fit *f, const fit_row *r, cli_buffer *out)
{
    if (r->has_micro) {
        cli_printf(out,
            ", \"tflm\": {\"bytes\": %" PRIu64 ", \"bytes_64\": %" PRIu64
            ", \"complete\": %s, \"fits\": %s}",
            r->micro.whole, r->micro.whole_64, fit_micro_least(f, r) ? "false" : "true",
            !fit_micro_least(f, r) && r->micro.whole <= f->opt.ram ? "true" : "false");
    }
}

static void json_command(const fit *f, uint32_t way, cli_buffer *out)
{
    gsp_str text;
    cli_buffer line;
    cli_buffer_init(&line, f->session);
    fit_put_command(&line, f, way);
    text.data = line.data;
    text.size = (uint32_t)line.size;
    cli_puts(out, ", \"command\": ");
    cli_json_string(out, text);
    cli_puts(out, "}");
    cli_release(f->session, line.data);
}

void fit_json(const fit *f, cli_buffer *out)
{
    const char *comma = "";
    uint32_t way;
    cli_puts(out, "{\"pass\": \"fit\", ");
    cli_json_unknown(out, f->m.graph.module);
    cli_printf(out, "\"ram\": %" PRIu64 ", \"fits_by\": \"tensors\",\n\"ways\": [", f->opt.ram);
    for (way = 0; way < FIT_WAYS; way++) {
        const fit_row *r = &f->rows[way];
        if (r->tried) {
            cli_printf(out,
                "%s\n  {\"way\": \"%s\", \"ram\": %" PRIu64 ", \"fits\": %s, \"macs\": %" PRIu64
                ", \"moved\": %" PRIu64,
                comma, fit_name(way), r->ram, r->fits ? "true" : "false", r->macs, r->moved);
            json_micro(f, r, out);
            json_command(f, way, out);
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
