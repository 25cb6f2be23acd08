/* The report by operator: where its nodes run, and how many cuts it causes. */
#include "commands/split/split.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CUT_ROWS 10u
/* Node visits that may be spent on asking what the support of an operator would bring. */
#define TRIAL_WORK 4000000u

/* ---- order ---- */

static int compare_names(gsp_str a, gsp_str b)
{
    uint32_t size = a.size < b.size ? a.size : b.size;
    int order = size != 0 ? memcmp(a.data, b.data, size) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int descending(uint32_t a, uint32_t b)
{
    return (a < b) - (a > b);
}

/* Most nodes on the CPU first, then most nodes. */
static int by_cpu(const void *a, const void *b)
{
    const split_operator *x = *(const split_operator *const *)a;
    const split_operator *y = *(const split_operator *const *)b;
    int order = descending(x->nodes - x->on_acc, y->nodes - y->on_acc);
    order = order != 0 ? order : descending(x->nodes, y->nodes);
    return order != 0 ? order : compare_names(x->name, y->name);
}

static int by_cuts(const void *a, const void *b)
{
    const split_operator *x = *(const split_operator *const *)a;
    const split_operator *y = *(const split_operator *const *)b;
    int order = descending(x->cuts, y->cuts);
    return order != 0 ? order : by_cpu(a, b);
}

static const split_operator **sorted(const split *p, const split_facts *f,
                                     int (*compare)(const void *, const void *))
{
    const split_operator **all =
        (const split_operator **)cli_alloc(p->session, (size_t)f->n_operators + 1u, sizeof *all);
    uint32_t i;
    for (i = 0; i < f->n_operators; i++) {
        all[i] = &f->operators[i];
    }
    qsort((void *)all, f->n_operators, sizeof *all, compare);
    return all;
}

/* ---- operators ---- */

/* "3 unsupported, 2 small": the names of the reasons in small letters. */
static void put_short_reasons(const split *p, cli_buffer *b, const split_operator *op)
{
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
            cli_puts(b, " with these types");
        } else if (i == GSP_REASON_UNSUPPORTED && op->types != 0) {
            cli_printf(b, " (%" PRIu32 " for its types)", op->types);
        }
    }
}

void split_put_operators(const split *p, const split_facts *f, cli_buffer *out)
{
    const split_operator **all = sorted(p, f, by_cpu);
    uint32_t shown = split_rows(p, f->n_operators, SPLIT_ROWS);
    cli_table t;
    uint32_t i;
    split_heading(out, "OPERATORS", NULL);
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
    split_rest(out, f->n_operators, shown, "operator");
}

/* ---- cuts ---- */

/* What a trial run needs, made once. */
typedef struct trial {
    gsp_arena arena;
    gsp_placement placement;
    gsp_split_desc desc;
} trial;

static void trial_init(const split *p, trial *t)
{
    t->placement = p->placement;
    t->placement.kind = (uint8_t *)cli_alloc(p->session, p->graph.n_nodes, 1u);
    t->desc = p->desc;
    t->desc.placement = &t->placement;
    t->desc.limit = 0;
    t->desc.limit_policy = GSP_LIMIT_ERROR;
    cli_arena(p->session, &t->arena, gsp_split_bound(&p->counts, &t->desc));
}

/* Subgraphs if the first accelerator supported this operator; GSP_NONE: it cannot be said. */
static uint32_t trial_run(const split *p, const split_facts *f, trial *t, uint32_t op)
{
    gsp_mark mark = gsp_arena_mark(&t->arena);
    gsp_split_result result;
    gsp_status status;
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes; v++) {
        int supported = f->operator_of[v] == op && p->placement.kind[v] == GSP_KIND_CPU &&
                        p->placement.reason[v] == GSP_REASON_UNSUPPORTED;
        t->placement.kind[v] = supported ? 1u : p->placement.kind[v];
    }
    status = gsp_split_run(&t->arena, &p->graph, &t->desc, &result, NULL);
    gsp_arena_rewind(&t->arena, mark);
    return status == GSP_OK ? result.n_subgraphs : GSP_NONE;
}

static void put_trial(const split *p, const split_facts *f, trial *t, cli_table *table,
                      const split_operator *op)
{
    uint32_t left = GSP_NONE;
    if (op->reasons[GSP_REASON_UNSUPPORTED] != 0) {
        left = trial_run(p, f, t, (uint32_t)(op - f->operators));
    }
    if (left == GSP_NONE) {
        cli_cell_put(table, CLI_DIM, "-");
    } else {
        cli_cell_put(table, left < p->result.n_subgraphs ? CLI_GREEN : CLI_PLAIN, "%" PRIu32, left);
    }
}

void split_put_cuts(const split *p, const split_facts *f, cli_buffer *out)
{
    const split_operator **all = sorted(p, f, by_cuts);
    uint64_t trials = TRIAL_WORK / ((uint64_t)p->graph.n_nodes + 1u);
    uint32_t n = 0;
    uint32_t shown;
    cli_table table;
    trial t;
    uint32_t i;
    while (n < f->n_operators && all[n]->cuts != 0) {
        n++;
    }
    if (n == 0) {
        return;
    }
    shown = split_rows(p, n, CUT_ROWS);
    split_heading(out, "CUTS", NULL);
    cli_puts(
        out,
        "  A cut is a value that passes between an accelerator and the CPU, once a receiving "
        "subgraph;\n  it counts for the operator of the node at its CPU end, or of the node that "
        "sent that one to the CPU.\n");
    cli_table_init(&table, p->session, "lrrr");
    cli_table_head(&table, "operator|nodes on the CPU|cuts|subgraphs if supported");
    trial_init(p, &t);
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
    split_rest(out, n, shown, "operator");
}
