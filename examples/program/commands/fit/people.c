/* The report of `fit` for people: what each way needs, and what it costs. */
#include "commands/fit/fit.h"

#include "output/output.h"

#include <inttypes.h>

static const char *const about[FIT_WAYS] = {
    "the order of the file",
    "another order of the same nodes",
    "results in the memory of arguments",
    "both",
    "subgraphs in the order of least peak",
    "regions in tiles",
    "several memories",
    "parts; waiting values stored elsewhere",
    "your own row kernels, row by row",
    "the same, and the input by rows",
    "row kernels, some MACs again",
    "input by rows, some MACs again",
};

static void put_row(cli_table *t, const fit *f, uint32_t way)
{
    const fit_row *r = &f->rows[way];
    int const is_open = f->least && r->ram <= f->opt.ram;
    cli_cell_put(t, CLI_PLAIN, "%s", about[way]);
    cli_put_least(cli_cell_begin(t, CLI_PLAIN), r->ram, f->least, cli_put_need);
    if (f->rows[FIT_PLAN].has_micro) {
        cli_buffer *cell = cli_cell_begin(t, CLI_PLAIN);
        if (r->has_micro) {
            cli_put_least(cell, r->micro.whole, fit_micro_least(f, r), cli_put_need);
        }
    }
    cli_cell_put(t, r->fits ? CLI_GREEN : CLI_RED, "%s", r->fits ? "yes" : is_open ? "?" : "no");
    cli_cell_put(t, CLI_PLAIN, "+%.3g %%", r->percent);
    cli_put_bytes(cli_cell_begin(t, CLI_PLAIN), r->moved);
}

/* By which figure a way fits. */
static void put_judge(const fit *f, cli_buffer *out)
{
    if (!f->rows[FIT_PLAN].has_micro) {
        return;
    }
    cli_puts(out,
        "\n  A way fits by its tensors alone, the least RAM of a runtime of your own. TFLM is "
        "all that\n  TensorFlow Lite Micro needs on a 32-bit core with that plan in the "
        "file, as an estimate.\n");
}

/* The first way that fits, of tensors alone and of all that TensorFlow Lite Micro needs. */
static void put_chosen(const fit *f, cli_buffer *out)
{
    if (f->chosen == FIT_WAYS && f->least) {
        cli_puts(out, "  none of these is known to fit: ");
        cli_put_open_sizes(out, f->m.graph.module);
        cli_puts(out, f->dims);
        cli_puts(out, "\n");
        return;
    }
    if (f->chosen == FIT_WAYS) {
        cli_puts(out, "  none of these fits\n");
        return;
    }
    cli_printf(out, "  the first that fits: %s\n", about[f->chosen]);
    if (f->whole != FIT_WAYS) {
        cli_printf(out, "  the first that fits with TFLM: %s\n", about[f->whole]);
    } else if (f->rows[FIT_PLAN].has_micro) {
        cli_puts(out, "  none of these fits with TFLM\n");
    }
}

static void put_commands(const fit *f, cli_buffer *out)
{
    uint32_t way;
    cli_put_heading(out, "COMMANDS", "the ways, in that order");
    for (way = 0; way < FIT_WAYS; way++) {
        if (f->rows[way].tried) {
            cli_puts(out, "  ");
            fit_put_command(out, f, way);
            cli_puts(out, "\n");
        }
    }
}

void fit_people(const fit *f, cli_buffer *out)
{
    uint32_t way;
    cli_table t;
    cli_put_styled(out, CLI_BOLD, f->session->path);
    cli_puts(out, "  what fits into ");
    cli_put_need(out, f->opt.ram);
    cli_puts(out, " of RAM\n\n");
    cli_table_init(&t, f->session, f->rows[FIT_PLAN].has_micro ? "lrrlrr" : "lrlrr");
    cli_table_head(&t, f->rows[FIT_PLAN].has_micro ? "way|least RAM|TFLM|fits|MACs|moved"
                                                   : "way|least RAM|fits|MACs|moved");
    for (way = 0; way < FIT_WAYS; way++) {
        if (f->rows[way].tried) {
            put_row(&t, f, way);
        }
    }
    cli_table_write(&t, out);
    put_judge(f, out);
    cli_puts(out, "\n  parameters  ");
    cli_put_least(out, f->params, f->params_least, cli_put_bytes);
    if (f->opt.flash != UINT64_MAX) {
        cli_puts(out, fit_params(f)               ? ", which fit into "
                      : f->params <= f->opt.flash ? ", which may not fit into "
                                                  : ", which do not fit into ");
        cli_put_need(out, f->opt.flash);
        cli_puts(out, " of flash");
    }
    cli_puts(out, "\n");
    put_chosen(f, out);
    put_commands(f, out);
}
