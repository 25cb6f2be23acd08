/* The report of `bisect` for people. */
#include "commands/bisect/bisect.h"

#include "output/output.h"

#include <inttypes.h>

#define ROWS 20u /* culprits, without --all */

static void put_difference(const bisect_difference *d, cli_buffer *out)
{
    uint32_t i;
    cli_puts(out, "    ");
    cli_put_clipped(out, d->name, 60u);
    if (d->types != NULL) {
        cli_printf(out, " is %s\n", d->types);
        return;
    }
    for (i = 0; i < d->n_dims; i++) {
        cli_printf(out, "%s%" PRIu64, i != 0 ? ", " : "[", d->index[i]);
    }
    cli_printf(out, "%s is %s, expected %s", d->n_dims != 0 ? "]" : "", d->got, d->expected);
    if (d->n > 1u) {
        cli_printf(out, "; %" PRIu64 " of %" PRIu64 " values differ", d->n_different, d->n);
    }
    cli_puts(out, "\n");
}

static void put_culprit(const bisect *b, const bisect_culprit *c, cli_buffer *out)
{
    uint32_t const shown = cli_rows(b->session, c->n, 8u);
    uint32_t i;
    cli_puts(out, "  ");
    for (i = 0; i < shown; i++) {
        cli_puts(out, i != 0 ? ", " : "");
        cli_put_clipped(out, gsp_node_name(&b->graph, c->nodes[i]), 40u);
    }
    if (shown < c->n) {
        cli_printf(out, " and %" PRIu32 " more", c->n - shown);
    }
    if (c->n == 1u) {
        cli_puts(out, " (");
        cli_put_clipped(out, gsp_node_target(&b->graph, c->nodes[0]), 40u);
        cli_puts(out, ")");
    }
    cli_puts(
        out, c->is_open ? "; the search has not ended, a part of it may differ as well\n" : "\n");
    put_difference(&c->first, out);
}

void bisect_people(const bisect *b, cli_buffer *out)
{
    uint32_t const shown = cli_rows(b->session, b->n_culprits, ROWS);
    uint32_t i;
    cli_put_styled(out, CLI_BOLD, b->session->path);
    cli_printf(out, "  %" PRIu32 " node%s, %" PRIu32 " run%s: %" PRIu32 " of ", b->n_units,
        cli_plural(b->n_units), bisect_runs(b), cli_plural(bisect_runs(b)), b->tested.runs);
    cli_put_clipped(out, gsp_str_of(b->tested.name), 40u);
    cli_printf(out, ", %" PRIu32 " of ", b->reference.runs);
    cli_put_clipped(out, gsp_str_of(b->reference.name), 40u);
    cli_puts(out, b->is_interrupted ? "; ended by ^C" : "");
    cli_puts(out, b->n_culprits == 0 ? "\nno set that was tried differs\n"
                                     : "\nsmallest sets that differ by themselves:\n");
    for (i = 0; i < shown; i++) {
        put_culprit(b, &b->culprits[i], out);
    }
    cli_put_rest(out, b->n_culprits, shown, NULL);
    if (b->n_culprits != 0 && b->opt.emit != NULL) {
        cli_puts(out, "to reproduce: sh ");
        cli_put_clipped(out, gsp_str_of(b->opt.emit), 80u);
        cli_puts(out, "/culprit0/run.sh\n");
    }
}
