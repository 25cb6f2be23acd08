/* The report by operator: where its nodes run, and how many cuts it causes. */
#include "commands/split/split.h"

#include <inttypes.h>

#define ROWS     20u /* of a long table, without --all */
#define CUT_ROWS 10u

/* ---- operators ---- */

/* "3 unsupported, 2 small": the names of reasons in lower case. */
static void put_short_reasons(const split *p, cli_buffer *b, const split_operator *op)
{
    static const char *const about[] = {"", "types", "shapes", "types or shapes", "arguments",
        "types or arguments", "shapes or arguments", "types, shapes or arguments"};
    uint32_t kinds = 0;
    uint32_t i;
    for (i = 0; i < GSP_REASON_COUNT; i++) {
        const char *name = split_reason_name(p, i);
        if (op->reasons[i] == 0) {
            continue;
        }
        cli_puts(b, kinds++ != 0 ? ", " : "");
        if (op->reasons[i] != op->nodes) {
            cli_printf(b, "%" PRIu32 " ", op->reasons[i]);
        }
        for (; *name != '\0'; name++) {
            char c = (char)(*name == '_' ? '-' : *name >= 'A' && *name <= 'Z' ? *name + 32 : *name);
            cli_put(b, &c, 1u);
        }
        if (i == GSP_REASON_UNSUPPORTED && op->types == op->reasons[i]) {
            cli_printf(b, " with these %s", about[op->about]);
        } else if (i == GSP_REASON_UNSUPPORTED && op->types != 0) {
            cli_printf(b, " (%" PRIu32 " for its %s)", op->types, about[op->about]);
        }
    }
}

void split_put_operators(const split *p, const split_facts *f, cli_buffer *out)
{
    const split_operator **all = split_operators_by_cpu(p, f);
    uint32_t shown = cli_rows(p->session, f->n_operators, ROWS);
    cli_table t;
    uint32_t i;
    cli_put_heading(out, "OPERATORS", NULL);
    cli_table_init(&t, p->session, "lrrrl");
    cli_table_head(&t, "operator|nodes|accelerated|CPU|why on the CPU");
    for (i = 0; i < shown; i++) {
        const split_operator *op = all[i];
        uint32_t cpu = op->nodes - op->on_acc;
        cli_put_clipped(cli_cell_begin(&t, CLI_PLAIN), op->name, 48u);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, op->nodes);
        cli_cell_put(&t, op->on_acc != 0 ? CLI_GREEN : CLI_DIM, "%" PRIu32, op->on_acc);
        cli_cell_put(&t, cpu != 0 ? CLI_YELLOW : CLI_DIM, "%" PRIu32, cpu);
        put_short_reasons(p, cli_cell_begin(&t, CLI_PLAIN), op);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, f->n_operators, shown, "operator");
}

/* ---- cuts ---- */

static void put_trial(const split *p, const split_facts *f, split_trial *t, cli_table *table,
    const split_operator *op)
{
    uint32_t left = GSP_NONE;
    if (op->reasons[GSP_REASON_UNSUPPORTED] != 0) {
        left = split_trial_one(t, (uint32_t)(op - f->operators));
    }
    if (left == GSP_NONE) {
        cli_cell_put(table, CLI_DIM, "-");
    } else {
        cli_cell_put(table, left < p->result.n_subgraphs ? CLI_GREEN : CLI_PLAIN, "%" PRIu32, left);
    }
}

void split_put_cuts(const split *p, const split_facts *f, cli_buffer *out)
{
    const split_operator **all = split_operators_by_cuts(p, f);
    uint64_t trials = SPLIT_TRIAL_WORK / ((uint64_t)p->graph.n_nodes + 1u);
    uint32_t n = 0;
    uint32_t shown;
    cli_table table;
    split_trial t;
    uint32_t i;
    while (n < f->n_operators && all[n]->cuts != 0) {
        n++;
    }
    if (n == 0) {
        return;
    }
    shown = cli_rows(p->session, n, CUT_ROWS);
    cli_put_heading(out, "CUTS", NULL);
    cli_puts(out, "  A cut is a value that passes between an accelerator and the CPU, once per "
                  "receiving subgraph. It\n"
                  "  counts for the operator of its node on the CPU, or of the node that forced "
                  "that node there.\n");
    cli_table_init(&table, p->session, "lrrr");
    cli_table_head(&table, "operator|nodes on the CPU|cuts|subgraphs if supported");
    split_trial_open(p, f, &t);
    for (i = 0; i < shown; i++) {
        cli_progress(p->session, "trying operators");
        cli_put_clipped(cli_cell_begin(&table, CLI_PLAIN), all[i]->name, 48u);
        cli_cell_put(&table, CLI_PLAIN, "%" PRIu32, all[i]->nodes - all[i]->on_acc);
        cli_cell_put(&table, CLI_RED, "%" PRIu32, all[i]->cuts);
        if (i < trials) {
            put_trial(p, f, &t, &table, all[i]);
        } else {
            cli_cell_put(&table, CLI_DIM, "?");
        }
    }
    cli_table_write(&table, out);
    cli_put_rest(out, n, shown, "operator");
}
