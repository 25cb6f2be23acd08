/* The porcelain of `run-pieces`. */
#include "commands/run_pieces/run_pieces.h"

void run_pieces_porcelain(const run_pieces *p, cli_buffer *out)
{
    uint32_t i;
    for (i = 0; i < p->n_pieces; i++) {
        cli_puts(out, "ran ");
        cli_put_text(out, p->pieces[i].name);
        cli_puts(out, "\n");
    }
    for (i = 0; i < p->outputs.n; i++) {
        cli_puts(out, "value ");
        cli_put_text(out, p->outputs.all[i]);
        cli_printf(out, " %s\n", p->made[i]);
    }
    if (p->opt.equal != NULL) {
        cli_printf(out, "verdict %s\n", p->differs == NULL ? "equal" : "different");
    }
}
