/* The report of `run-pieces` for people. */
#include "commands/run_pieces/run_pieces.h"

#include <inttypes.h>

#define ROWS 20u /* pieces, without --all */

void run_pieces_people(const run_pieces *p, cli_buffer *out)
{
    uint32_t const shown = cli_rows(p->session, p->n_pieces, ROWS);
    uint32_t i;
    cli_printf(out, "%s  %" PRIu32 " piece%s\n", cli_shown(p->session, p->session->path),
        p->n_pieces, cli_plural(p->n_pieces));
    for (i = 0; i < shown; i++) {
        const run_piece *piece = &p->pieces[i];
        cli_puts(out, "  ");
        cli_put_clipped(out, piece->name, 40u);
        cli_puts(out, " (");
        cli_put_clipped(out, piece->kind, 20u);
        cli_puts(out, ") by ");
        cli_put_clipped(out, gsp_str_of(piece->engine.name), 60u);
        cli_puts(out, ": ");
        cli_put_seconds(out, piece->seconds);
        cli_puts(out, "\n");
    }
    if (shown < p->n_pieces) {
        cli_printf(out, "  and %" PRIu32 " more; --all shows them\n", p->n_pieces - shown);
    }
    for (i = 0; i < p->outputs.n; i++) {
        cli_puts(out, "  yields ");
        cli_put_clipped(out, p->outputs.all[i], 60u);
        cli_printf(out, " %s\n", p->made[i]);
    }
    if (p->opt.equal != NULL) {
        cli_printf(out, "%s yields %s%s\n", p->opt.equal,
            p->differs == NULL ? "the same bits" : "another ",
            p->differs == NULL ? "" : p->differs);
    }
}
