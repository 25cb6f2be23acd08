/* The JSON of `bisect`. */
#include "commands/bisect/bisect.h"

#include "output/output.h"

#include <inttypes.h>

static void put_difference(const bisect_difference *d, cli_buffer *out)
{
    uint32_t i;
    cli_puts(out, ", \"value\": ");
    cli_json_string(out, d->name);
    if (d->types != NULL) {
        cli_puts(out, ", \"types\": ");
        cli_json_string(out, gsp_str_of(d->types));
        return;
    }
    cli_puts(out, ", \"index\": [");
    for (i = 0; i < d->n_dims; i++) {
        cli_printf(out, "%s%" PRIu64, i != 0 ? ", " : "", d->index[i]);
    }
    cli_printf(out,
        "], \"got\": \"%s\", \"expected\": \"%s\", \"different\": %" PRIu64
        ", \"values\": %" PRIu64,
        d->got, d->expected, d->n_different, d->n);
}

void bisect_json(const bisect *b, cli_buffer *out)
{
    uint32_t i;
    cli_printf(out, "{\"pass\": \"bisect\", \"runs\": %" PRIu32 ", \"tested\": ", bisect_runs(b));
    cli_json_string(out, gsp_str_of(b->tested.name));
    cli_puts(out, ", \"reference\": ");
    cli_json_string(out, gsp_str_of(b->reference.name));
    cli_printf(out, ", \"searched\": %" PRIu32 "%s,\n\"culprits\": [", b->n_units,
        b->is_interrupted ? ", \"interrupted\": true" : "");
    for (i = 0; i < b->n_culprits; i++) {
        const bisect_culprit *c = &b->culprits[i];
        cli_printf(out, "%s\n  {\"nodes\": ", i != 0 ? "," : "");
        cli_json_names(out, &b->graph, c->nodes, c->n);
        put_difference(&c->first, out);
        cli_puts(out, c->is_open ? ", \"open\": true" : "");
        if (b->opt.emit != NULL) {
            cli_puts(out, ", \"dir\": ");
            cli_json_string(out, gsp_str_of(c->dir));
        }
        cli_puts(out, "}");
    }
    cli_puts(out, "]}\n");
}
