/* The porcelain of `module`. */
#include "commands/module/module.h"

#include "output/output.h"

void module_porcelain(const module_work *w, cli_buffer *out)
{
    uint32_t i;
    for (i = 0; i < w->result.n_qualnames; i++) {
        const gsp_qualname *q = &w->result.qualnames[i];
        cli_puts(out, "qualname ");
        cli_put_text(out, module_name(w, q->graph));
        cli_puts(out, ".");
        cli_put_text(out, module_string(w, q->made));
        cli_puts(out, " = ");
        cli_put_text(out, module_string(w, q->old));
        cli_puts(out, "\n");
    }
    cli_porcelain_modules(out, &w->result.module);
}
