/* The report on minimum sizes: the result of every minimum, and the recommended one. */
#include "commands/split/split.h"

#include <inttypes.h>

#define CURVE_ROWS 12u

static void put_point(const split_curve *c, uint32_t i, uint32_t present, cli_table *t)
{
    const split_curve_point *point = &c->points[i];
    int now = i == present;
    cli_cell_put(t, i == c->best ? CLI_GREEN : CLI_PLAIN, "%" PRIu32, point->minimum);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, point->subgraphs);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, point->n_acc);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, point->nodes);
    cli_put_percent(cli_cell_begin(t, CLI_PLAIN), point->nodes, c->points[0].nodes);
    cli_cell_put(t, i == c->best ? CLI_GREEN : CLI_PLAIN, "%s%s%s",
        i == c->best ? "<- recommended" : "", i == c->best && now ? ", " : "", now ? "<- now" : "");
}

static void put_recommendation(const split_curve *c, cli_buffer *out)
{
    const split_curve_point *first = &c->points[0];
    const split_curve_point *best = &c->points[c->best];
    if (c->best == 0) {
        cli_printf(out,
            "  Recommended: no minimum. None leaves fewer subgraphs and keeps %u %% of the\n"
            "  accelerator's nodes.\n",
            SPLIT_KEEP_PERCENT);
        return;
    }
    cli_puts(out, "  Recommended: ");
    cli_put_style(out, CLI_BOLD);
    cli_printf(out, "--min-acc-module-size %" PRIu32, best->minimum);
    cli_put_style(out, CLI_PLAIN);
    cli_printf(out,
        ", the fewest subgraphs (%" PRIu32 " instead of %" PRIu32 ")\n"
        "  that keep %u %% of the accelerator's nodes.\n",
        best->subgraphs, first->subgraphs, SPLIT_KEEP_PERCENT);
}

void split_put_curve(const split *p, cli_buffer *out)
{
    split_curve c;
    cli_table t;
    uint32_t present;
    uint32_t shown;
    uint32_t i;
    split_curve_make(p, &c);
    if (c.points[0].n_acc == 0) {
        return;
    }
    cli_put_heading(out, "MINIMUM SIZE",
        p->desc.limit == 0 ? "what each --min-acc-module-size leaves"
                           : "what each --min-acc-module-size "
                             "leaves, before the limit");
    if (c.n_points == 1u) {
        cli_printf(out,
            "  Nothing to choose: %s has %" PRIu32 " node%s, and a larger minimum leaves none.\n",
            c.points[0].n_acc == 1u ? "the one accelerator subgraph" : "each accelerator subgraph",
            c.points[0].nodes / c.points[0].n_acc,
            cli_plural(c.points[0].nodes / c.points[0].n_acc));
        return;
    }
    present = split_curve_present(p, &c);
    shown = cli_rows(p->session, c.n_points, CURVE_ROWS);
    cli_table_init(&t, p->session, "rrrrrl");
    cli_table_head(&t, "minimum|subgraphs|accelerated|nodes there|kept|");
    for (i = 0; i < c.n_points; i++) {
        if (i < shown || i == c.best) {
            put_point(&c, i, present, &t);
        }
    }
    cli_table_write(&t, out);
    cli_put_rest(out, c.n_points, shown + (c.best >= shown ? 1u : 0u), "size");
    put_recommendation(&c, out);
}
