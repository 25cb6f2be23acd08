/* The porcelain of `diff`. */
#include "commands/diff/diff.h"

#include <inttypes.h>

void diff_porcelain(const diff *d, cli_buffer *out)
{
    const gsp_compare_result *r = &d->result;
    uint32_t i;
    cli_printf(out,
        "diff agree=%" PRIu32 " moved=%" PRIu32 " only_first=%" PRIu32 " only_second=%" PRIu32 "\n",
        r->n_agree, r->n_moved, r->n_only[0], r->n_only[1]);
    for (i = 0; i < d->plans[0].n_parts; i++) {
        cli_printf(out, "piece %s ", diff_changes[r->change[0][i]]);
        cli_put_text(out, diff_part_name(d, 0, i));
        cli_puts(out, " = ");
        cli_put_text(out, diff_part_name(d, 1, r->partner[0][i]));
        cli_puts(out, "\n");
    }
    for (i = 0; i < d->plans[1].n_parts; i++) {
        if (r->partner[1][i] == GSP_NONE) {
            cli_printf(out, "new %s ", diff_changes[r->change[1][i]]);
            cli_put_text(out, diff_part_name(d, 1, i));
            cli_puts(out, "\n");
        }
    }
    for (i = 0; i < d->n; i++) {
        if (!diff_agrees(d, i) && (d->of[0][i] != GSP_NONE || d->of[1][i] != GSP_NONE)) {
            cli_puts(out, diff_moved(d, i) ? "moved " : "only ");
            cli_put_text(out, d->items[i]);
            cli_puts(out, " : ");
            cli_put_text(out, diff_left_name(d, i));
            cli_puts(out, " -> ");
            cli_put_text(out, diff_part_name(d, 1, d->of[1][i]));
            cli_puts(out, "\n");
        }
    }
}
