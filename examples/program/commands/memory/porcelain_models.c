/* Several models in one RAM, in every output. */
#include "commands/memory/memory.h"

#include "output/output.h"

#include <inttypes.h>

void memory_porcelain_models(const memory *m, const memory_models *all, cli_buffer *out)
{
    uint32_t i;
    for (i = 0; i < all->n; i++) {
        const memory_model *at = &all->list[i];
        cli_puts(out, "model ");
        cli_put_text(out, gsp_str_of(at->path));
        cli_printf(out, " offset=%" PRIu64 " bytes=%" PRIu64 " least=%" PRIu64 "\n", at->offset,
            at->bytes, at->least);
    }
    cli_printf(out,
        "arena bytes=%" PRIu64 " least=%" PRIu64 " align=%" PRIu64 " models=%" PRIu32 "\n"
        "proof objective=%" PRIu64 " bound=%" PRIu64 " proved=%d reference=%" PRIu64 "\n",
        all->bytes, all->least, m->opt.align, all->n, all->bytes, all->least,
        all->bytes == all->least && all->n_open == 0, all->separate);
}

void memory_json_models(const memory *m, const memory_models *all, cli_buffer *out)
{
    uint32_t i;
    cli_puts(out, "{\"pass\": \"memory\",\n\"models\": [");
    for (i = 0; i < all->n; i++) {
        const memory_model *at = &all->list[i];
        cli_puts(out, i != 0 ? ",\n  {\"model\": " : "\n  {\"model\": ");
        cli_json_string(out, gsp_str_of(at->path));
        cli_printf(out,
            ", \"offset\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"least\": %" PRIu64 "}",
            at->offset, at->bytes, at->least);
    }
    cli_printf(out,
        "],\n\"arena\": {\"bytes\": %" PRIu64 ", \"least\": %" PRIu64 ", \"align\": %" PRIu64
        ", \"concurrent\": %s},\n\"proof\": {\"objective\": %" PRIu64 ", \"bound\": %" PRIu64
        ", \"proved\": %s, \"reference\": %" PRIu64 "}}\n",
        all->bytes, all->least, m->opt.align, m->opt.concurrent ? "true" : "false", all->bytes,
        all->least, all->bytes == all->least && all->n_open == 0 ? "true" : "false", all->separate);
}

void memory_people_models(const memory *m, const memory_models *all, cli_buffer *out)
{
    cli_table t;
    uint32_t i;
    cli_printf(out, "%" PRIu32 " models in one RAM, %s\n\n", all->n,
        m->opt.concurrent ? "side by side: they may run at once"
                          : "one after the other: they share it");
    cli_table_init(&t, m->session, "lrr");
    cli_table_head(&t, "model|offset|bytes");
    for (i = 0; i < all->n; i++) {
        cli_put_clipped(cli_cell_begin(&t, CLI_PLAIN), gsp_str_of(all->list[i].path), 60u);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu64, all->list[i].offset);
        cli_cell_put(
            &t, CLI_PLAIN, "%s%" PRIu64, all->list[i].is_open ? ">= " : "", all->list[i].bytes);
    }
    cli_table_write(&t, out);
    cli_puts(out, "\n  arena       ");
    cli_put_least(out, all->bytes, all->n_open != 0, cli_put_need);
    cli_printf(out, " (%" PRIu64 " bytes)", all->bytes);
    if (all->n_open != 0) {
        cli_printf(out, ": %" PRIu32 " of these models ha%s sizes that are unknown\n", all->n_open,
            all->n_open == 1u ? "s" : "ve");
    } else if (all->bytes == all->least) {
        cli_puts(out, m->opt.in_place.given ? ": no plan with these in place takes less\n"
                                            : ": no plan without results in place takes less\n");
    } else {
        cli_puts(out, "; no plan takes less than ");
        cli_put_need(out, all->least);
        cli_puts(out, "\n");
    }
}
