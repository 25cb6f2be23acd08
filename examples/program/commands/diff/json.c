/* The JSON of `diff`. */
#include "commands/diff/diff.h"

#include <inttypes.h>

static void json_part(const diff *d, uint32_t which, uint32_t part, cli_buffer *out)
{
    if (part == GSP_NONE) {
        cli_puts(out, "null");
    } else {
        cli_json_string(out, d->plans[which].names[part]);
    }
}

static void json_device(const diff *d, uint32_t which, uint32_t part, cli_buffer *out)
{
    if (diff_device(d, which, part).size == 0) {
        cli_puts(out, "null");
    } else {
        cli_json_string(out, diff_device(d, which, part));
    }
}

static void json_side(const diff *d, const diff_side *side, cli_buffer *out)
{
    cli_printf(
        out, "\n  {\"placed\": %" PRIu32 ", \"parts\": %" PRIu32, side->n_placed, side->n_parts);
    if (d->has_cpu) {
        cli_printf(out, ", \"on_accelerators\": %" PRIu32 ", \"parts_on_accelerators\": %" PRIu32,
            side->n_acc, side->n_acc_parts);
    }
    if (d->session->path != NULL) {
        cli_printf(out, ", \"crossing_values\": %" PRIu32 ", \"crossing_bytes\": %" PRIu64,
            side->crossings, side->crossing_bytes);
    }
    if (d->session->path != NULL && d->has_cpu) {
        cli_printf(out, ", \"boundary_values\": %" PRIu32 ", \"boundary_bytes\": %" PRIu64,
            side->boundary, side->boundary_bytes);
    }
    cli_puts(out, "}");
}

void diff_json(const diff *d, cli_buffer *out)
{
    const gsp_compare_result *r = &d->result;
    const char *comma = "";
    uint32_t i;
    cli_printf(out,
        "{\"pass\": \"diff\", \"agree\": %" PRIu32 ", \"moved\": %" PRIu32
        ", \"only_first\": %" PRIu32 ", \"only_second\": %" PRIu32 ", \"changed_device\": %" PRIu32
        ",\n\"plans\": [",
        r->n_agree, r->n_moved, r->n_only[0], r->n_only[1], d->n_changed);
    json_side(d, &d->sides[0], out);
    cli_puts(out, ",");
    json_side(d, &d->sides[1], out);
    cli_puts(out, "],\n\"pieces\": [");
    for (i = 0; i < d->plans[0].n_parts; i++, comma = ",") {
        cli_printf(out, "%s\n  {\"first\": ", comma);
        json_part(d, 0, i, out);
        cli_puts(out, ", \"second\": ");
        json_part(d, 1, r->partner[0][i], out);
        cli_printf(out, ", \"change\": \"%s\"}", diff_changes[r->change[0][i]]);
    }
    for (i = 0; i < d->plans[1].n_parts; i++) {
        if (r->partner[1][i] == GSP_NONE) {
            cli_printf(out, "%s\n  {\"first\": null, \"second\": ", comma);
            json_part(d, 1, i, out);
            cli_printf(out, ", \"change\": \"%s\"}", diff_changes[r->change[1][i]]);
            comma = ",";
        }
    }
    cli_puts(out, "],\n\"nodes\": [");
    for (i = 0, comma = ""; i < d->n; i++) {
        int placed = d->of[0][i] != GSP_NONE || d->of[1][i] != GSP_NONE;
        if (placed && (!diff_agrees(d, i) || diff_changed(d, i))) {
            cli_printf(out, "%s\n  {\"node\": ", comma);
            cli_json_string(out, d->items[i]);
            cli_puts(out, ", \"first\": ");
            json_part(d, 0, d->of[0][i], out);
            cli_puts(out, ", \"second\": ");
            json_part(d, 1, d->of[1][i], out);
            cli_puts(out, ", \"devices\": [");
            json_device(d, 0, d->of[0][i], out);
            cli_puts(out, ", ");
            json_device(d, 1, d->of[1][i], out);
            cli_puts(out, "]}");
            comma = ",";
        }
    }
    cli_puts(out, "]}\n");
}
