/* The JSON of `module`. */
#include "commands/module/module.h"

#include "output/output.h"

void module_json(const module_work *w, cli_buffer *out)
{
    uint32_t i;
    cli_puts(out, "{\"pass\": \"module\",\n\"partitions\": [");
    for (i = 0; i < w->result.n_parts; i++) {
        cli_printf(out, "%s\n  {\"partition\": ", i != 0 ? "," : "");
        if (w->numbered) {
            cli_put_text(out, w->names[w->result.part[i]]);
        } else {
            cli_json_string(out, w->names[w->result.part[i]]);
        }
        cli_puts(out, ", \"module\": ");
        cli_json_string(out, module_name(w, i + 1u));
        cli_puts(out, "}");
    }
    cli_puts(out, "],\n\"qualnames\": [");
    for (i = 0; i < w->result.n_qualnames; i++) {
        const gsp_qualname *q = &w->result.qualnames[i];
        cli_printf(out, "%s\n  {\"module\": ", i != 0 ? "," : "");
        cli_json_string(out, module_name(w, q->graph));
        cli_puts(out, ", \"target\": ");
        cli_json_string(out, module_string(w, q->made));
        cli_puts(out, ", \"old\": ");
        cli_json_string(out, module_string(w, q->old));
        cli_puts(out, "}");
    }
    cli_puts(out, "],\n");
    cli_json_modules(out, &w->result.module);
    cli_puts(out, "}\n");
}
