/* The report of `split` for people: the subgraphs, the share of each kind, and the reasons. */
#include "commands/split/split.h"

#include <inttypes.h>
#include <string.h>

#define STRIP_WIDTH 72u
#define ROWS        20u /* of a long table, without --all */
#define FIRST_ROWS  4u  /* of it without --more */
#define MIXED       GSP_NONE

/* ---- heading and coverage ---- */

static void put_title(const split *p, const split_facts *f, cli_buffer *out)
{
    const char *path = p->session->path;
    cli_put_styled(out, CLI_BOLD, strcmp(path, "-") == 0 ? "standard input" : path);
    cli_printf(out, "  %" PRIu32 " nodes, %" PRIu64 " of them callable; %" PRIu32 " edge%s\n",
        p->graph.n_nodes, f->nodes.all, p->counts.edges, cli_plural(p->counts.edges));
}

static char strip_letter(uint32_t kind)
{
    static const char letters[] = ".#=+*";
    return kind == MIXED ? ':' : kind < sizeof letters - 1u ? letters[kind] : '*';
}

/* The kind of a slice of the execution order; MIXED if it has several. */
static uint32_t slice_kind(const split *p, uint32_t begin, uint32_t end)
{
    uint32_t const kind = split_kind_of(p, p->result.nodes[begin]);
    uint32_t i = begin;
    while (i < end && split_kind_of(p, p->result.nodes[i]) == kind) {
        i++;
    }
    return i < end ? MIXED : kind;
}

/* All callable nodes in execution order, scaled to one line. */
static void put_strip(const split *p, cli_buffer *out)
{
    uint32_t n = p->result.subgraph_begin[p->result.n_subgraphs];
    uint32_t width = n < STRIP_WIDTH ? n : STRIP_WIDTH;
    uint32_t before = UINT32_MAX - 1u;
    int mixed = 0;
    uint32_t i;
    uint32_t k;
    cli_puts(out, "  |");
    for (i = 0; i < width; i++) {
        uint32_t begin = (uint32_t)((uint64_t)n * i / width);
        uint32_t end = (uint32_t)((uint64_t)n * (i + 1u) / width);
        uint32_t kind = slice_kind(p, begin, end);
        char letter = strip_letter(kind);
        if (kind != before) {
            cli_put_style(out, CLI_PLAIN);
            cli_put_style(out, kind == MIXED ? CLI_PLAIN : cli_kind_style(kind));
        }
        mixed |= kind == MIXED;
        cli_put(out, &letter, 1u);
        before = kind;
    }
    cli_put_style(out, CLI_PLAIN);
    cli_puts(out, p->result.n_kinds > 2u ? "|\n" : "|");
    for (k = 0; k < p->result.n_kinds; k++) {
        cli_printf(out, "  %c %s", strip_letter(k), p->result.names[k]);
    }
    cli_puts(out, mixed ? "  : several\n" : "\n");
}

/* Of lower bounds no percentage is known. */
static void put_share(cli_buffer *out, const split_share *share, const int least[2],
    const char *comma, const char *what)
{
    if (share->all == 0) { /* sizes are unknown */
        return;
    }
    cli_puts(out, comma);
    cli_put_least(out, share->on_acc, least[1], cli_put_bytes);
    cli_puts(out, " of ");
    cli_put_least(out, share->all, least[0], cli_put_bytes);
    cli_printf(out, " %s", what);
    if (!least[0]) {
        cli_puts(out, " (");
        cli_put_percent(out, share->on_acc, share->all);
        cli_puts(out, ")");
    }
}

/* Several accelerators: the number of nodes of each. */
static void put_kinds(const split *p, const cli_macs_share *macs, cli_buffer *out)
{
    uint32_t count[256] = {0};
    uint32_t k;
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes; v++) {
        count[split_kind_of(p, v)]++;
    }
    cli_puts(out, "\n  nodes: ");
    for (k = 1; k < p->result.n_kinds; k++) {
        cli_printf(out, "%" PRIu32 " on %s", count[k], p->result.names[k]);
        cli_put_macs_of(out, macs, k);
        cli_puts(out, ", ");
    }
    cli_printf(out, "%" PRIu32 " on the CPU", count[GSP_KIND_CPU]);
    cli_put_macs_of(out, macs, GSP_KIND_CPU);
}

/* What crosses the boundary of an accelerator, then what passes from CPU to CPU. */
static void put_crossings(
    const split_facts *f, const split_least *least, const char *name, cli_buffer *out)
{
    uint32_t rest = f->crossings - f->boundary;
    cli_printf(
        out, "\n  between them, %" PRIu32 " value%s (", f->boundary, cli_plural(f->boundary));
    cli_put_least(out, f->boundary_bytes, least->boundary, cli_put_bytes);
    cli_printf(out, ") cross%s the boundary of %s", f->boundary == 1u ? "es" : "", name);
    if (rest != 0) {
        cli_printf(out, ", %" PRIu32 " more (", rest);
        cli_put_least(out, f->crossing_bytes - f->boundary_bytes, least->rest, cli_put_bytes);
        cli_printf(out, ") do%s not", rest == 1u ? "es" : "");
    }
    cli_puts(out, "\n");
}

/* Nodes that a pin or acc= put on an accelerator whose list does not take their types. */
static void put_conversions(const split *p, cli_buffer *out)
{
    split_objection first;
    uint32_t n = 0;
    gsp_node v;
    memset(&first, 0, sizeof first);
    for (v = 0; v < p->graph.n_nodes; v++) {
        split_objection o;
        if (split_is_converted(p, v, &o) && n++ == 0) {
            first = o;
        }
    }
    if (n != 0) {
        cli_printf(out,
            "  the list of %s does not take the types of %" PRIu32 " node%s there, which are "
            "converted,\n    such as ",
            p->place.names[first.kind], n, cli_plural(n));
        cli_put_clean(out, gsp_node_name(&p->graph, first.node));
        cli_puts(out, " (");
        cli_put_clean(out, first.dtype);
        cli_puts(out, ", taken: ");
        cli_put_clean(out, first.dtypes);
        cli_puts(out, ")\n");
    }
}

/* What the order of the subgraphs needs in one memory, beside the order of the graph. */
static void put_run_peaks(const split *p, const split_least *least, cli_buffer *out)
{
    split_run_peaks peaks;
    if (!split_run_peaks_make(p, &peaks, NULL) || peaks.given.bytes == 0) {
        return;
    }
    cli_puts(out, "  run in one memory, the peak is ");
    cli_put_least(out, peaks.run.bytes, least->yielded[0], cli_put_need);
    cli_puts(out, "; the graph's own order: ");
    cli_put_least(out, peaks.given.bytes, least->yielded[0], cli_put_need);
    cli_puts(out, "\n");
    if (split_run_is_high(&peaks)) {
        cli_put_style(out, CLI_BOLD);
        cli_puts(out, "  warning: ");
        cli_put_style(out, CLI_PLAIN);
        cli_printf(out, "that is %" PRIu64 ".%" PRIu64 " times as much",
            peaks.run.bytes / peaks.given.bytes,
            peaks.run.bytes % peaks.given.bytes * 10u / peaks.given.bytes);
        cli_puts(out, p->place.n_kinds == 2u
                          ? "; --order least-peak searches an order that needs less\n"
                          : "; other subgraphs, or fewer, may need less\n");
    }
}

static void put_coverage(
    const split *p, const split_facts *f, const split_least *least, cli_buffer *out)
{
    const char *name = p->result.n_kinds == 2u ? p->result.names[1] : "accelerators";
    cli_macs_share macs;
    split_macs(p, &macs);
    cli_printf(out, "  on %s: ", name);
    cli_put_style(out, CLI_BOLD);
    cli_printf(out, "%" PRIu64 " of %" PRIu64 " callable nodes (", f->nodes.on_acc, f->nodes.all);
    cli_put_percent(out, f->nodes.on_acc, f->nodes.all);
    cli_puts(out, p->place.is_bound ? ", upper bound)" : ")");
    cli_put_style(out, CLI_PLAIN);
    put_share(out, &f->yielded, least->yielded, ",\n    ", "that they yield");
    put_share(out, &f->params, least->params, ", ", "of parameters");
    cli_put_macs(out, ",\n    ", &macs);
    if (p->result.n_kinds > 2u) {
        put_kinds(p, &macs, out);
    }
    cli_printf(out, "\n  cut into %" PRIu32 " subgraph%s, %" PRIu32 " on %s", p->result.n_subgraphs,
        cli_plural(p->result.n_subgraphs), f->n_acc, name);
    split_people_proof(p, out);
    put_crossings(f, least, name, out);
    put_run_peaks(p, least, out);
    put_conversions(p, out);
    split_people_convert(p, out);
    put_strip(p, out);
}

/* ---- subgraphs ---- */

static void put_byte_cell(cli_table *t, uint64_t bytes, int least)
{
    cli_put_least(cli_cell_begin(t, CLI_PLAIN), bytes, least, cli_put_bytes);
}

static void put_subgraphs(
    const split *p, const split_facts *f, const split_least *least, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    const gsp_liveness_part *peak = split_peaks(p);
    uint32_t shown = cli_rows(p->session, r->n_subgraphs, p->opt.more ? ROWS : FIRST_ROWS);
    cli_table t;
    uint32_t i;
    cli_put_heading(out, "SUBGRAPHS", "in the order in which they run");
    cli_table_init(&t, p->session, "klrrrrrrr");
    cli_table_head(&t, "tag|kind|nodes|values in|bytes in|values out|bytes out|peak|parameters");
    for (i = 0; i < shown; i++) {
        const split_subgraph *s = &f->subgraphs[i];
        cli_style style = cli_kind_style(r->subgraph_kind[i]);
        uint8_t bits = least->subgraphs[i];
        cli_put_clean(cli_cell_begin(&t, style), gsp_str_of(p->tags[i]));
        cli_cell_put(&t, style, "%s", r->names[r->subgraph_kind[i]]);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, r->subgraph_begin[i + 1u] - r->subgraph_begin[i]);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, s->n_in);
        put_byte_cell(&t, s->in, bits & SPLIT_LEAST_IN);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, s->n_out);
        put_byte_cell(&t, s->out, bits & SPLIT_LEAST_OUT);
        cli_put_least(cli_cell_begin(&t, CLI_PLAIN), peak != NULL ? peak[i].bytes : 0u,
            bits & SPLIT_LEAST_PEAK, cli_put_need);
        put_byte_cell(&t, s->params, bits & SPLIT_LEAST_PARAMS);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, r->n_subgraphs, shown, "subgraph");
}

/* ---- reasons ---- */

/* A row for each reason, and for each way to be unsupported. */
static void put_reasons(const split *p, const split_facts *f, cli_buffer *out)
{
    enum { ROWS_OF = GSP_REASON_COUNT + SPLIT_UNFIT_COUNT };
    const gsp_split_result *r = &p->result;
    uint32_t count[ROWS_OF] = {0};
    gsp_node example[ROWS_OF] = {0};
    cli_table t;
    uint32_t i;
    gsp_node v;
    for (v = 0; v < r->n_nodes; v++) {
        uint32_t const reason = r->reason[v];
        uint32_t const row =
            reason == GSP_REASON_UNSUPPORTED ? f->unfit[v] : SPLIT_UNFIT_COUNT + reason;
        if (split_kind_of(p, v) == GSP_KIND_CPU && count[row]++ == 0) {
            example[row] = v;
        }
    }
    cli_put_heading(out, "WHY ON THE CPU", "--why lists every node, --why=NODE explains one");
    cli_table_init(&t, p->session, "rll");
    cli_table_head(&t, "nodes|reason|such as");
    for (i = 0; i < ROWS_OF; i++) {
        if (count[i] != 0) {
            cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, count[i]);
            cli_cell_put(&t, CLI_PLAIN, "%s", split_why_text(p, f, example[i]));
            cli_put_clipped(
                cli_cell_begin(&t, CLI_PLAIN), gsp_node_name(&p->graph, example[i]), 40u);
        }
    }
    cli_table_write(&t, out);
}

/* Tables of causes; of the rest only with --more what the first screen leaves out. */
static void put_tables(const split *p, const split_facts *f, cli_buffer *out)
{
    int const more = p->opt.more || p->session->common.all;
    int const on_cpu = f->nodes.on_acc != f->nodes.all;
    if (more) {
        split_put_operators(p, f, out);
    }
    if (on_cpu) {
        put_reasons(p, f, out);
    } else {
        cli_puts(out, "\nEvery callable node runs on an accelerator.\n");
    }
    if (more && on_cpu) {
        split_put_cuts(p, f, out);
    }
    if (on_cpu && (more || p->opt.rewrite_to != UINT64_MAX)) {
        split_put_rewrite(p, f, out);
    }
    if (more && !SPLIT_IS_TIMED(p)) {
        split_put_curve(p, out);
    }
    if (!more) {
        split_put_next(p, f, out);
    }
}

void split_people(const split *p, cli_buffer *out)
{
    split_facts facts;
    split_least least;
    split_facts_make(p, &facts);
    split_least_make(p, &least);
    if (SPLIT_IS_TIMED(p)) {
        split_put_verdict(p, out);
    }
    put_title(p, &facts, out);
    if (p->result.n_subgraphs == 0) {
        cli_puts(out, "  no callable nodes: there is nothing to split\n");
        return;
    }
    put_coverage(p, &facts, &least, out);
    put_subgraphs(p, &facts, &least, out);
    if (SPLIT_HAS_TILES(p)) {
        split_people_tiles(p, out);
    }
    if (SPLIT_IS_TIMED(p)) {
        split_put_worth(p, out);
    }
    put_tables(p, &facts, out);
    if (facts.yielded.all == 0) {
        cli_put_unknown(out, p->graph.module);
    }
}
