#include "commands/split/split.h"

#include <inttypes.h>

/* ---- attributes of nodes ---- */

/* The tokens of the argument at `at`. */
static uint32_t arg_size(const gsp_arg *args, uint32_t at)
{
    int opens = args[at].kind >= GSP_ARG_TUPLE && args[at].kind <= GSP_ARG_SLICE;
    return opens ? args[at].value + 1u : 1u;
}

static void put_value(const split *p, cli_buffer *out, const gsp_arg *args, uint32_t n)
{
    cli_puts(out, ",\"");
    (void)gsp_text_write_value(&p->graph, args, n, 0, cli_json_escape_sink, out, NULL);
    cli_puts(out, "\"");
}

/* Positional arguments as one text, unless all are nodes, which the report lists anyway; then each
 * keyword argument. */
static void put_args(const split *p, cli_buffer *out, gsp_node v)
{
    uint32_t n;
    const gsp_arg *args = gsp_node_args(&p->graph, v, &n);
    uint32_t others = 0;
    uint32_t i;
    for (i = 0; i < n && args[i].kind != GSP_ARG_KEY; i += arg_size(args, i)) {
        others += args[i].kind != GSP_ARG_NODE ? 1u : 0u;
    }
    if (others != 0) {
        cli_puts(out, ",\"arguments\"");
        put_value(p, out, args, i);
    }
    while (i < n) {
        uint32_t size = arg_size(args, i + 1u);
        cli_puts(out, ",");
        cli_json_string(out, gsp_module_str(p->graph.module, args[i].value));
        put_value(p, out, args + i + 1u, size);
        i += 1u + size;
    }
}

static void put_annotations(const split *p, cli_buffer *out, gsp_node v)
{
    const gsp_module *m = p->graph.module;
    const gsp_attr *a = m->attrs + m->attr[p->graph.first + v];
    for (; a->key != GSP_KEY_NONE; a++) {
        if (a->key != GSP_KEY_ANNOTATION) {
            cli_puts(out, ",");
            cli_json_string(out, gsp_module_str(m, a->key));
            cli_puts(out, ",");
            cli_json_string(out, gsp_module_str(m, a->value));
        }
    }
}

/* Of each node that has any: its number, then pairs of key and value. */
static void put_attributes(const split *p, cli_buffer *out)
{
    const char *comma = "";
    gsp_node v;
    cli_puts(out, ",\n\"attributes\":[");
    for (v = 0; v < p->graph.n_nodes; v++) {
        cli_buffer row;
        cli_buffer_init(&row, p->session);
        if (gsp_node_is_callable(&p->graph, v)) {
            put_args(p, &row, v);
        }
        put_annotations(p, &row, v);
        if (row.size != 0) {
            cli_printf(out, "%s[%" PRIu32, comma, v);
            cli_put(out, row.data, row.size);
            cli_puts(out, "]");
            comma = ",\n";
        }
        cli_release(p->session, row.data);
    }
    cli_puts(out, "]");
}

/* ---- tables ---- */

/* Of each subgraph; none when sizes are unknown. */
static void put_peaks(const split *p, cli_buffer *out)
{
    const gsp_liveness_part *peak = split_peaks(p);
    uint32_t i;
    cli_puts(out, ",\n\"peaks\":[");
    for (i = 0; peak != NULL && i < p->result.n_subgraphs; i++) {
        cli_printf(out, "%s%" PRIu64, i != 0 ? "," : "", peak[i].bytes);
    }
    cli_puts(out, "]");
}

/* Operators that cause cuts: operator, nodes on the CPU, cuts, subgraphs if it were supported. */
static void put_causes(const split *p, const split_facts *f, cli_buffer *out)
{
    const split_operator **all = split_operators_by_cuts(p, f);
    uint64_t trials = SPLIT_TRIAL_WORK / ((uint64_t)p->graph.n_nodes + 1u);
    split_trial trial;
    uint32_t i;
    split_trial_open(p, f, &trial);
    cli_puts(out, ",\n\"causes\":[");
    for (i = 0; i < f->n_operators && all[i]->cuts != 0; i++) {
        uint32_t op = (uint32_t)(all[i] - f->operators);
        uint32_t left = GSP_NONE;
        if (i < trials && all[i]->reasons[GSP_REASON_UNSUPPORTED] != 0) {
            left = split_trial_one(&trial, op);
        }
        cli_printf(out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32, i != 0 ? "," : "", op,
            all[i]->nodes - all[i]->on_acc, all[i]->cuts);
        if (left == GSP_NONE) {
            cli_puts(out, ",-1]");
        } else {
            cli_printf(out, ",%" PRIu32 "]", left);
        }
    }
    cli_puts(out, "]");
}

/* Operators to support next: operator, subgraphs, nodes, bytes that cross, seconds saved. */
static void put_next(const split *p, const split_facts *f, cli_buffer *out)
{
    split_rewrite r;
    uint32_t i;
    split_rewrite_make(p, f, &r);
    cli_puts(out, ",\n\"next\":[");
    for (i = 0; i < r.n_steps; i++) {
        const split_rewrite_step *step = &r.steps[i];
        cli_printf(out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64, i != 0 ? "," : "",
            step->op, step->subgraphs, step->on_acc, step->bytes);
        cli_printf(out, step->is_timed ? ",%.9g]" : ",null]", step->cpu_saved);
    }
    cli_puts(out, "]");
}

/* What each minimum size leaves: minimum, subgraphs, those on accelerators, nodes there. */
static void put_sizes(const split *p, cli_buffer *out)
{
    split_curve c;
    uint32_t i;
    split_curve_make(p, &c);
    cli_printf(out, ",\n\"sizes\":{\"best\":%" PRIu32 ",\"now\":%" PRIu32 ",\"points\":[", c.best,
        split_curve_present(p, &c));
    for (i = 0; i < c.n_points; i++) {
        cli_printf(out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", i != 0 ? "," : "",
            c.points[i].minimum, c.points[i].subgraphs, c.points[i].n_acc, c.points[i].nodes);
    }
    cli_puts(out, "]}");
}

/* Multiply-accumulates of each kind, the CPU first, nodes of unknown ones, and their operators. */
static void put_macs(const split *p, cli_buffer *out)
{
    cli_macs_share macs;
    uint32_t i;
    split_macs(p, &macs);
    cli_puts(out, ",\n\"macs\":{\"of\":[");
    for (i = 0; i < p->result.n_kinds; i++) {
        cli_printf(out, "%s%.0f", i != 0 ? "," : "", macs.of_kind[i]);
    }
    cli_printf(out, "],\"unknown\":%" PRIu32 ",\"least\":%d,\"names\":[", macs.unknown, macs.least);
    for (i = 0; i < macs.n_names && i < CLI_MACS_NAMES; i++) {
        cli_puts(out, i != 0 ? "," : "");
        cli_json_string(out, macs.names[i]);
    }
    cli_puts(out, "]}");
}

#define MOST_STEPS 512u /* of the picture: more share one, the largest */

/* The run in one memory: its peak, that of the graph's own order, and live bytes by step. */
static void put_run(const split *p, cli_buffer *out)
{
    split_run_peaks peaks;
    uint32_t n = 0;
    const uint64_t *live = split_run_live(p, &n);
    uint32_t const shown = n < MOST_STEPS ? n : MOST_STEPS;
    uint32_t begin = 0;
    uint32_t i;
    if (live == NULL || !split_run_peaks_make(p, &peaks, NULL)) {
        return;
    }
    cli_printf(out,
        ",\n\"run\":{\"peak\":%" PRIu64 ",\"given\":%" PRIu64 ",\"steps\":%" PRIu32 ",\"live\":[",
        peaks.run.bytes, peaks.given.bytes, n);
    for (i = 0; i < shown; i++) {
        uint32_t const end = (uint32_t)((uint64_t)n * (i + 1u) / shown);
        uint64_t most = 0;
        for (; begin < end; begin++) {
            most = live[begin] > most ? live[begin] : most;
        }
        cli_printf(out, "%s%" PRIu64, i != 0 ? "," : "", most);
    }
    cli_puts(out, "]}");
}

/* Peaks against bytes that cross: this split, then the points of which none is as good as another.
 */
static void put_tradeoff(const split *p, cli_buffer *out)
{
    split_tradeoff_points c;
    split_run_peaks peaks;
    uint32_t i;
    if (!split_run_peaks_make(p, &peaks, NULL) || !split_tradeoff_curve(p, &c)) {
        return;
    }
    cli_printf(out,
        ",\n\"tradeoff\":{\"complete\":%d,\"now\":[%" PRIu64 ",%" PRIu64 "],\"points\":[",
        c.complete, peaks.run.bytes, split_crossing(&p->graph, &p->result));
    for (i = 0; i < c.n_points; i++) {
        cli_printf(out, "%s[%" PRIu64 ",%" PRIu64 "]", i != 0 ? "," : "", c.points[i].peak,
            c.points[i].crossed);
    }
    cli_puts(out, "]}");
}

static void put_tiles(const split *p, cli_buffer *out)
{
    const split_tiles *t = p->tiles;
    uint32_t i;
    if (t == NULL || t->n == 0) {
        return;
    }
    cli_printf(out, ",\n\"tiles\":{\"macs\":%" PRIu64 ",\"all\":%.0f,\"list\":[", t->macs, t->all);
    for (i = 0; i < t->n; i++) {
        const split_tiled *r = &t->list[i];
        cli_puts(out, i != 0 ? ",[" : "[");
        cli_json_string(out, r->first);
        cli_puts(out, ",");
        cli_json_string(out, r->last);
        cli_printf(out, ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
            r->region.parts[0], r->region.parts[1], r->cost.peak, r->params, r->cost.moved,
            r->region.cost.macs);
        cli_json_string(out, r->largest);
        cli_printf(out, ",%" PRIu64 "]", r->alone);
    }
    cli_puts(out, "]}");
}

void split_html_tables(const split *p, const split_facts *f, cli_buffer *out)
{
    put_attributes(p, out);
    put_macs(p, out);
    put_peaks(p, out);
    put_causes(p, f, out);
    put_next(p, f, out);
    put_sizes(p, out);
    put_tiles(p, out);
    put_run(p, out);
    put_tradeoff(p, out);
    if (SPLIT_IS_TIMED(p)) {
        split_html_worth(p, out);
    }
}
