/* Operators to support next: in which order, and the fewest that reach a goal; for people, as
 * porcelain and as JSON. */
#include "commands/split/split.h"

#include <inttypes.h>

#define ROWS 10u /* without --all */

static void put_step(const split *p, const split_facts *f, const split_rewrite_step *step,
    uint32_t before, int is_timed, cli_table *t)
{
    int least = step->on_acc < f->nodes.all && cli_graph_least(&p->graph, 0);
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), f->operators[step->op].name, 48u);
    cli_cell_put(t, step->subgraphs < before ? CLI_GREEN : CLI_PLAIN, "%" PRIu32, step->subgraphs);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu64, step->on_acc);
    cli_put_percent(cli_cell_begin(t, CLI_PLAIN), step->on_acc, f->nodes.all);
    cli_put_least(cli_cell_begin(t, CLI_PLAIN), step->bytes, least, cli_put_bytes);
    if (is_timed && step->is_timed) {
        cli_put_seconds(cli_cell_begin(t, CLI_PLAIN), step->cpu_saved);
    } else if (is_timed) {
        cli_cell_put(t, CLI_DIM, "?");
    }
}

static void put_steps(const split *p, const split_facts *f, const split_rewrite *r, cli_buffer *out)
{
    uint32_t shown = cli_rows(p->session, r->n_steps, ROWS);
    int is_timed = r->n_steps != 0 && r->steps[0].is_timed;
    cli_table t;
    uint32_t i;
    cli_table_init(&t, p->session, is_timed ? "lrrrrr" : "lrrrr");
    cli_table_head(&t, is_timed ? "support also|subgraphs|accelerated|share|cross|time saved"
                                : "support also|subgraphs|accelerated|share|cross");
    for (i = 0; i < shown; i++) {
        put_step(p, f, &r->steps[i], i != 0 ? r->steps[i - 1u].subgraphs : p->result.n_subgraphs,
            is_timed, &t);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, r->n_steps, shown, "step");
}

static void put_goal(const split_rewrite *r, cli_buffer *out)
{
    if (r->goal == 0) {
        cli_puts(out, "nothing runs on the CPU");
    } else {
        cli_printf(out, "at most %" PRIu32 " subgraph%s remain%s", r->goal, cli_plural(r->goal),
            r->goal == 1u ? "s" : "");
    }
}

static void put_least(const split_facts *f, const split_rewrite *r, cli_buffer *out)
{
    uint32_t i;
    if (r->least.n_least == GSP_NONE) {
        cli_puts(out, r->least.proved ? "  No set of operators is enough so that "
                                      : "  No set of operators was found so that ");
        put_goal(r, out);
        cli_puts(out, ".\n");
        return;
    }
    if (r->least.n_least == 0) {
        cli_puts(out, "  Without any more operators, ");
        put_goal(r, out);
        cli_puts(out, " already.\n");
        return;
    }
    cli_puts(out, "  So that ");
    put_goal(r, out);
    cli_printf(
        out, ", support %" PRIu32 " operator%s", r->least.n_least, cli_plural(r->least.n_least));
    for (i = 0; i < r->least.n_least; i++) {
        cli_puts(out, i == 0 ? ": " : ", ");
        cli_put_clean(out, f->operators[r->least.least[i]].name);
    }
    if (r->least.proved) {
        cli_puts(out, "\n  (no fewer are enough)\n");
    } else {
        cli_printf(out, "\n  (fewer than %" PRIu32 " are not enough; the search ended there)\n",
            r->least.bound);
    }
}

void split_put_rewrite(const split *p, const split_facts *f, cli_buffer *out)
{
    split_rewrite r;
    split_rewrite_make(p, f, &r);
    if (r.n_steps < 2u && r.goal == GSP_NONE) { /* CUTS says what one changes */
        return;
    }
    cli_put_heading(out, "SUPPORT NEXT", "each row with the operators of the rows above it");
    put_steps(p, f, &r, out);
    if (r.goal != GSP_NONE) {
        put_least(f, &r, out);
    }
}

void split_put_next(const split *p, const split_facts *f, cli_buffer *out)
{
    split_rewrite r;
    cli_put_heading(
        out, "NEXT", "--more: operators, cuts, what to support next, sizes; --html FILE: a report");
    if (p->opt.rewrite_to != UINT64_MAX) {
        return;
    }
    split_rewrite_make(p, f, &r);
    if (r.n_steps != 0 &&
        (r.steps[0].on_acc != f->nodes.on_acc || r.steps[0].subgraphs != p->result.n_subgraphs)) {
        cli_puts(out, "  With ");
        cli_put_clipped(out, f->operators[r.steps[0].op].name, 32u);
        cli_printf(out, " supported as well: %" PRIu32 " subgraph%s, %" PRIu64 " of %" PRIu64,
            r.steps[0].subgraphs, cli_plural(r.steps[0].subgraphs), r.steps[0].on_acc,
            f->nodes.all);
        cli_puts(out, " nodes (");
        cli_put_percent(out, r.steps[0].on_acc, f->nodes.all);
        cli_puts(out, ")\n");
    }
}

/* A number of operators, or `none`: no set is known. */
static void put_count(cli_buffer *out, uint32_t n, const char *none)
{
    if (n == GSP_NONE) {
        cli_puts(out, none);
    } else {
        cli_printf(out, "%" PRIu32, n);
    }
}

void split_porcelain_rewrite(const split *p, cli_buffer *out)
{
    split_facts f;
    split_rewrite r;
    uint32_t i;
    split_facts_make(p, &f);
    split_rewrite_make(p, &f, &r);
    for (i = 0; i < r.n_steps; i++) {
        cli_puts(out, "support ");
        cli_put_text(out, f.operators[r.steps[i].op].name);
        cli_printf(out, " subgraphs=%u nodes=%" PRIu64 " bytes=%" PRIu64 "\n", r.steps[i].subgraphs,
            r.steps[i].on_acc, r.steps[i].bytes);
    }
    cli_puts(out, r.least.n_least != GSP_NONE ? "least" : "least none");
    for (i = 0; r.least.n_least != GSP_NONE && i < r.least.n_least; i++) {
        cli_puts(out, " ");
        cli_put_text(out, f.operators[r.least.least[i]].name);
    }
    cli_puts(out, "\nproof objective=");
    put_count(out, r.least.n_least, "none");
    cli_printf(out, " bound=%u proved=%d reference=", r.least.bound, r.least.proved);
    put_count(out, r.least.n_greedy, "none");
    cli_puts(out, "\n");
}

void split_json_rewrite(const split *p, const split_facts *f, cli_buffer *out)
{
    split_rewrite r;
    uint32_t i;
    split_rewrite_make(p, f, &r);
    cli_puts(out, "\"support_next\": [");
    for (i = 0; i < r.n_steps; i++) {
        const split_rewrite_step *step = &r.steps[i];
        cli_puts(out, i != 0 ? ",\n  {\"operator\": " : "\n  {\"operator\": ");
        cli_json_string(out, f->operators[step->op].name);
        cli_printf(out,
            ", \"subgraphs\": %" PRIu32 ", \"nodes\": %" PRIu64 ", \"boundary_bytes\": %" PRIu64
            ", \"seconds_saved\": ",
            step->subgraphs, step->on_acc, step->bytes);
        cli_printf(out, step->is_timed ? "%.9g}" : "null}", step->cpu_saved);
    }
    cli_printf(out, "],\n\"support_least\": {\"goal\": %" PRIu32 ", \"operators\": ", r.goal);
    for (i = 0; r.least.n_least != GSP_NONE && i < r.least.n_least; i++) {
        cli_puts(out, i != 0 ? ", " : "[");
        cli_json_string(out, f->operators[r.least.least[i]].name);
    }
    cli_puts(out, r.least.n_least == GSP_NONE ? "null" : r.least.n_least == 0 ? "[]" : "]");
    cli_puts(out, ", \"proof\": {\"objective\": ");
    put_count(out, r.least.n_least, "null");
    cli_printf(out, ", \"bound\": %" PRIu32 ", \"proved\": %s, \"reference\": ", r.least.bound,
        r.least.proved ? "true" : "false");
    put_count(out, r.least.n_greedy, "null");
    cli_puts(out, "}},\n");
}
