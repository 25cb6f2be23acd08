#include "commands/split/split.h"

#include <inttypes.h>

#define ROWS 10u /* without --all */

static double seconds(uint64_t ticks)
{
    return (double)ticks * 1e-9;
}

/* ---- for people ---- */

static void put_time(cli_buffer *out, uint64_t ticks)
{
    cli_put_seconds(out, seconds(ticks));
}

/* In the first line: of estimates three digits. */
static void put_figure(const split *p, cli_buffer *out, uint64_t ticks)
{
    uint64_t unit = 1;
    if (p->worth->costs.n_estimated != 0) {
        while (ticks / unit >= 1000u) {
            unit *= 10u;
        }
        ticks = ticks / unit + (ticks % unit >= unit - unit / 2u ? 1u : 0u);
        ticks *= unit;
        cli_puts(out, "about ");
    }
    put_time(out, ticks);
}

/* The time of the result, and where it comes from. */
static void put_result(const split *p, cli_buffer *out)
{
    const cli_costs *c = &p->worth->costs;
    put_figure(p, out, p->worth->r.time);
    if (c->n_estimated != 0) {
        cli_printf(out, " (%sestimated from shapes)",
            c->n_on_cpu < c->n_called || c->n_on_acc < c->n_called ? "partly " : "");
    }
}

/* "less by 1.2 s (20 %)", or nothing. */
static void put_less(const split *p, cli_buffer *out, uint64_t from, uint64_t to)
{
    put_figure(p, out, from - to);
    cli_puts(out, " (");
    cli_put_percent(out, from - to, from);
    cli_puts(out, ")");
}

static void put_all(const split *p, cli_buffer *out)
{
    cli_printf(out, "all supported nodes on %s in %" PRIu32 " subgraph%s (",
        p->result.n_kinds > 2u ? "accelerators" : p->result.names[1], p->worth->n_all,
        cli_plural(p->worth->n_all));
    put_figure(p, out, p->worth->r.all);
    cli_puts(out, ")");
}

void split_put_unknown(const split *p, cli_buffer *out)
{
    cli_puts(out, "; by what is known: ");
    cli_put_open_figures(
        out, split_sizes_count(p) ? p->graph.module : NULL, p->proof.untimed, p->proof.called);
}

/* What it is that runs at the same time, also where that is nothing. */
static void put_serial(const split *p, cli_buffer *out)
{
    if (p->worth->overlap != NULL) {
        uint64_t const more = p->worth->serial - p->worth->r.time;
        cli_puts(out, "; side by side, less than one after the other (");
        put_figure(p, out, p->worth->serial);
        cli_puts(out, ") by ");
        put_figure(p, out, more);
        cli_puts(out, more != 0 ? " (" : " (0.0 %)");
        if (more != 0) {
            cli_put_percent(out, more, p->worth->serial);
            cli_puts(out, ")");
        }
    }
}

void split_put_verdict(const split *p, cli_buffer *out)
{
    const gsp_offload_result *r = &p->worth->r;
    cli_put_style(out, CLI_BOLD);
    if (r->time == r->cpu_only && r->all > r->time) {
        cli_puts(out, "The CPU alone is faster by ");
        put_less(p, out, r->all, r->time);
        cli_puts(out, ": ");
        put_result(p, out);
        cli_puts(out, ", against ");
        put_all(p, out);
    } else if (r->time == r->cpu_only) {
        cli_printf(out, "The accelerator%s nothing: the CPU alone takes ",
            p->result.n_kinds > 2u ? "s save" : " saves");
        put_result(p, out);
    } else {
        cli_puts(out, "Worth it: ");
        put_result(p, out);
        if (r->cpu_only != UINT64_MAX) {
            cli_puts(out, ", less than the CPU alone by ");
            put_less(p, out, r->cpu_only, r->time);
        }
        if (r->all > r->time) {
            cli_puts(out, ", less than ");
            put_all(p, out);
            cli_puts(out, " by ");
            put_less(p, out, r->all, r->time);
        }
    }
    put_serial(p, out);
    cli_put_style(out, CLI_PLAIN);
    if (split_has_unknown(p)) {
        split_put_unknown(p, out);
        cli_puts(out, ".\n");
        return;
    }
    cli_puts(out, p->worth->overlap != NULL ? "; " : "; run one after the other, ");
    cli_puts(
        out, r->lower_bound == r->time ? "no choice takes less.\n" : "no choice takes less than ");
    if (r->lower_bound != r->time) {
        put_figure(p, out, r->lower_bound);
        cli_puts(out, ".\n");
    }
}

static void put_saves(cli_table *t, int64_t saves)
{
    if (saves == INT64_MIN) {
        cli_cell_put(t, CLI_DIM, "?");
    } else if (saves < 0) {
        cli_buffer *cell = cli_cell_begin(t, CLI_RED);
        cli_puts(cell, "-");
        put_time(cell, (uint64_t)-saves);
    } else {
        put_time(cli_cell_begin(t, CLI_GREEN), (uint64_t)saves);
    }
}

static void put_rows(const split *p, const split_worth_rows *rows, int is_result, cli_buffer *out)
{
    uint32_t const shown = cli_rows(p->session, rows->n, ROWS);
    cli_table t;
    uint32_t i;
    cli_table_init(&t, p->session, is_result ? "krrrr" : "krrrrr");
    cli_table_head(&t, is_result ? "tag|nodes|on the CPU|accelerated|saves"
                                 : "from node|nodes|kept|on the CPU|accelerated|saves");
    for (i = 0; i < shown; i++) {
        const split_worth_row *row = &rows->rows[i];
        if (is_result) {
            cli_put_clean(cli_cell_begin(&t, CLI_PLAIN), gsp_str_of(p->tags[row->subgraph]));
        } else {
            cli_put_clipped(
                cli_cell_begin(&t, CLI_PLAIN), gsp_node_name(&p->graph, row->first), 40u);
        }
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, row->nodes);
        if (!is_result) {
            cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, row->kept);
        }
        put_time(cli_cell_begin(&t, CLI_PLAIN), row->cpu);
        put_time(cli_cell_begin(&t, CLI_PLAIN), row->acc);
        put_saves(&t, row->saves);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, rows->n, shown, "subgraph");
}

static void put_curve(const split *p, cli_buffer *out)
{
    const uint64_t *at_most = p->worth->r.at_most;
    cli_table t;
    uint32_t k;
    cli_table_init(&t, p->session, "rrl");
    cli_table_head(&t, "at most|time|");
    for (k = 0; k < GSP_OFFLOAD_CURVE; k++) {
        if (at_most[k] != UINT64_MAX && (k == 0 || at_most[k] < at_most[k - 1u])) {
            cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, k);
            put_time(cli_cell_begin(&t, CLI_PLAIN), at_most[k]);
            cli_cell_put(
                &t, CLI_GREEN, "%s", at_most[k] == p->worth->r.time ? "<- this split" : "");
        }
    }
    cli_table_write(&t, out);
}

static void put_sources(const split *p, cli_buffer *out)
{
    const cli_costs *c = &p->worth->costs;
    if (c->n_measured != 0) {
        cli_printf(out, "  Times of %" PRIu32 " of %" PRIu32 " nodes are measured.\n",
            c->n_measured, c->n_called);
    }
    if (c->n_estimated != 0) {
        cli_printf(out,
            "  Estimated from shapes: the times of %" PRIu32 " of %" PRIu32
            " nodes on the CPU, of %" PRIu32 " on the accelerator",
            c->n_on_cpu, c->n_called, c->n_on_acc);
        if (c->n_sizeless != 0) {
            cli_printf(out, "; %" PRIu32 " without sizes count%s as 1 ns", c->n_sizeless,
                c->n_sizeless == 1u ? "s" : "");
        }
        cli_puts(out, ".\n");
    }
    cli_puts(out, "  With --bandwidth ");
    cli_put_bytes(out, c->bandwidth);
    cli_puts(out, "/s, --launch ");
    for (uint32_t k = 1; k < p->place.n_kinds; k++) {
        if (p->place.n_kinds > 2u) {
            cli_printf(out, "%s%s=", k > 1u ? "," : "", p->place.names[k]);
        }
        put_time(out, p->worth->launch[k]);
    }
    if (c->n_estimated != 0) {
        cli_printf(
            out, ", --cpu-rates %s, --acc-rates %s (MACs/s,bytes/s)", c->cpu_rates, c->acc_rates);
    }
    cli_puts(out, ".\n");
}

void split_put_worth(const split *p, cli_buffer *out)
{
    const split_worth *w = p->worth;
    uint32_t const shown = cli_rows(p->session, UINT32_MAX, ROWS);
    split_worth_rows rows;
    if (w->overlap != NULL) {
        split_put_overlap(p, out);
        put_sources(p, out);
        return;
    }
    split_worth_rows_make(p, &p->result, w->r.kind, shown, &rows);
    if (rows.n != 0) {
        cli_put_heading(out, "WORTH IT", "what each accelerator subgraph saves against the CPU");
        put_rows(p, &rows, 1, out);
    }
    if (w->r.all > w->r.time) {
        split_worth_rows_make(p, &w->all, w->all.kind, shown, &rows);
        cli_put_heading(
            out, "ALL OFFLOADED", "what each subgraph would save if all supported nodes were");
        put_rows(p, &rows, 0, out);
    }
    cli_put_heading(out, "TIME", "the best known with so many accelerator subgraphs, or fewer");
    put_curve(p, out);
    put_sources(p, out);
}

/* ---- porcelain, JSON, the report ---- */

static void put_seconds(cli_buffer *out, uint64_t ticks, const char *none)
{
    if (ticks == UINT64_MAX) {
        cli_puts(out, none);
    } else {
        cli_printf(out, "%.12g", seconds(ticks));
    }
}

void split_porcelain_worth(const split *p, cli_buffer *out)
{
    cli_puts(out, "time cpu_only=");
    put_seconds(out, p->worth->r.cpu_only, "none");
    cli_puts(out, " best=");
    put_seconds(out, p->worth->r.time, "none");
    cli_puts(out, "\n");
}

static void put_signed(cli_buffer *out, int64_t ticks)
{
    if (ticks == INT64_MIN) {
        cli_puts(out, "null");
    } else {
        cli_printf(out, "%.12g", (double)ticks * 1e-9);
    }
}

/* Of either split: [subgraph, first node, nodes, kept, CPU, accelerator, saves]. */
static void put_array(const split_worth_rows *rows, cli_buffer *out)
{
    uint32_t i;
    cli_puts(out, "[");
    for (i = 0; i < rows->n; i++) {
        const split_worth_row *row = &rows->rows[i];
        cli_printf(out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%.12g,%.12g,",
            i != 0 ? "," : "", row->subgraph, row->first, row->nodes, row->kept, seconds(row->cpu),
            seconds(row->acc));
        put_signed(out, row->saves);
        cli_puts(out, "]");
    }
    cli_puts(out, "]");
}

static void put_points(const split *p, cli_buffer *out, const char *const words[3])
{
    const uint64_t *at_most = p->worth->r.at_most;
    const char *comma = "";
    uint32_t k;
    for (k = 0; k < GSP_OFFLOAD_CURVE; k++) {
        if (at_most[k] != UINT64_MAX && (k == 0 || at_most[k] < at_most[k - 1u])) {
            cli_printf(out, "%s%s%" PRIu32 "%s%.12g%s", comma, words[0], k, words[1],
                seconds(at_most[k]), words[2]);
            comma = ",";
        }
    }
}

static void put_json_rows(const split *p, const split_worth_rows *rows, int is_all, cli_buffer *out)
{
    uint32_t i;
    for (i = 0; i < rows->n; i++) {
        const split_worth_row *row = &rows->rows[i];
        cli_printf(out, "%s\n    {\"%s\": ", i != 0 ? "," : "", is_all ? "first" : "tag");
        cli_json_string(out,
            is_all ? gsp_node_name(&p->graph, row->first) : gsp_str_of(p->tags[row->subgraph]));
        cli_printf(out,
            ", \"nodes\": %" PRIu32 ", \"kept\": %" PRIu32
            ", \"cpu_seconds\": %.12g, \"acc_seconds\": %.12g, \"saves\": ",
            row->nodes, row->kept, seconds(row->cpu), seconds(row->acc));
        put_signed(out, row->saves);
        cli_puts(out, "}");
    }
}

static void put_totals(const split *p, cli_buffer *out)
{
    const split_worth *w = p->worth;
    cli_puts(out, "{\"cpu_only\": ");
    put_seconds(out, w->r.cpu_only, "null");
    cli_puts(out, ", \"best\": ");
    put_seconds(out, w->r.time, "null");
    cli_puts(out, ", \"bound\": ");
    put_seconds(out, w->r.lower_bound, "null");
    cli_puts(out, ", \"all\": ");
    put_seconds(out, w->r.all, "null");
    cli_printf(out,
        ", \"launch\": %.12g, \"work\": %" PRIu64 ", \"measured\": %" PRIu32
        ", \"unknown_times\": %" PRIu32 ", \"estimated\": %" PRIu32 ", \"called\": %" PRIu32
        ", \"bandwidth\": %" PRIu64 ", \"cpu_rates\": ",
        seconds(w->launch[1]), w->r.work, w->costs.n_measured, p->proof.untimed,
        w->costs.n_estimated, w->costs.n_called, w->costs.bandwidth);
    cli_json_string(out, gsp_str_of(w->costs.cpu_rates));
    cli_puts(out, ", \"acc_rates\": ");
    cli_json_string(out, gsp_str_of(w->costs.acc_rates));
}

void split_json_worth(const split *p, cli_buffer *out)
{
    static const char *const words[3] = {"{\"acc_subgraphs\": ", ", \"seconds\": ", "}"};
    const split_worth *w = p->worth;
    split_worth_rows rows;
    cli_puts(out, "\"time\": ");
    put_totals(p, out);
    cli_puts(out, ",\n  \"at_most\": [");
    put_points(p, out, words);
    cli_puts(out, "],\n  \"subgraphs\": [");
    split_worth_rows_make(p, &p->result, w->r.kind, UINT32_MAX, &rows);
    put_json_rows(p, &rows, 0, out);
    cli_puts(out, "],\n  \"if_all\": [");
    split_worth_rows_make(p, &w->all, w->all.kind, UINT32_MAX, &rows);
    put_json_rows(p, &rows, 1, out);
    cli_puts(out, "]");
    if (w->overlap != NULL) {
        cli_puts(out, ",\n  ");
        split_json_overlap(p, out);
    }
    cli_puts(out, "},\n");
}

void split_html_worth(const split *p, cli_buffer *out)
{
    static const char *const words[3] = {"[", ",", "]"};
    const split_worth *w = p->worth;
    split_worth_rows rows;
    cli_puts(out, ",\n\"worth\":");
    put_totals(p, out);
    cli_puts(out, ",\"points\":[");
    put_points(p, out, words);
    cli_puts(out, "],\n\"made\":");
    split_worth_rows_make(p, &p->result, w->r.kind, UINT32_MAX, &rows);
    put_array(&rows, out);
    cli_puts(out, ",\n\"if_all\":");
    split_worth_rows_make(p, &w->all, w->all.kind, UINT32_MAX, &rows);
    put_array(&rows, out);
    cli_puts(out, "}");
}
