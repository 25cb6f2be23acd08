/* The JSON of `run-pieces`. */
#include "commands/run_pieces/run_pieces.h"

void run_pieces_json(const run_pieces *p, cli_buffer *out)
{
    uint32_t i;
    cli_puts(out, "{\"pass\": \"run-pieces\",\n\"pieces\": [");
    for (i = 0; i < p->n_pieces; i++) {
        const run_piece *piece = &p->pieces[i];
        cli_puts(out, i != 0 ? ",\n  {\"name\": " : "\n  {\"name\": ");
        cli_json_string(out, piece->name);
        cli_puts(out, ", \"engine\": ");
        cli_json_string(out, gsp_str_of(piece->engine.name));
        cli_printf(out, ", \"seconds\": %.6f}", piece->seconds);
    }
    cli_puts(out, "],\n\"outputs\": [");
    for (i = 0; i < p->outputs.n; i++) {
        cli_puts(out, i != 0 ? ",\n  {\"name\": " : "\n  {\"name\": ");
        cli_json_string(out, p->outputs.all[i]);
        cli_printf(out, ", \"type\": \"%s\"}", p->made[i]);
    }
    cli_puts(out, "]");
    if (p->opt.equal != NULL) {
        cli_printf(out, ", \"verdict\": \"%s\"", p->differs == NULL ? "equal" : "different");
    }
    cli_puts(out, "}\n");
}
