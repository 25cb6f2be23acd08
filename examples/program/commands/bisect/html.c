/* --html: a page without script, in one file: the culprits, a chart of the error of each node along
 * the graph, and a table. It needs no network. */
#include "commands/bisect/bisect.h"

#include "output/output.h"

#include <inttypes.h>
#include <string.h>

#define MOST_ROWS   1000u /* of the table */
#define MOST_POINTS 600u  /* of the chart */
#define LEAST_SHOWN (-16) /* decades of the axis */
#define WIDTH       1000.0
#define HEIGHT      240.0
#define LEFT        52.0
#define TOP         14.0

static const char *const style[] = {
    ":root{color-scheme:light dark;--bg:#f5f6f8;--panel:#fff;--ink:#17202b;--soft:#566270;",
    "--line:#dfe4ea;--good:#1a8f69;--bad:#c2410c;--tint:#fdeee6;--link:#2f52cf}\n",
    "@media(prefers-color-scheme:dark){:root{--bg:#0f1419;--panel:#171d24;--ink:#e7ecf1;",
    "--soft:#9aa7b5;--line:#2b343e;--good:#3cbf90;--bad:#ff8a4c;--tint:#33201a;--link:#8fa8ff}}\n",
    "*{box-sizing:border-box}\n",
    "body{margin:0 auto;max-width:1080px;padding:20px;background:var(--bg);color:var(--ink);",
    "font:14px/1.5 system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;overflow-wrap:anywhere}\n",
    "h1{font-size:20px;margin:0 0 4px}h2{font-size:15px;margin:26px 0 8px}\n",
    "p{margin:0 0 6px;color:var(--soft)}b{color:var(--ink)}a{color:var(--link)}\n",
    ".panel{background:var(--panel);border:1px solid var(--line);border-radius:10px;",
    "padding:10px 14px;margin:0 0 10px}\n",
    ".bad{border-left:4px solid var(--bad)}\n",
    "svg{display:block;width:100%;height:auto}svg text{fill:var(--soft);font-size:11px}\n",
    ".grid{stroke:var(--line)}.limit{stroke:var(--soft);stroke-dasharray:4 4}\n",
    ".in{stroke:var(--good);fill:var(--good)}.out{stroke:var(--bad);fill:var(--bad)}\n",
    ".mark{fill:var(--tint)}a:hover .in,a:hover .out{stroke-width:5}\n",
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n",
    "th{text-align:left;font-weight:600;color:var(--soft)}\n",
    "th,td{padding:4px 8px;border-bottom:1px solid var(--line);vertical-align:top}\n",
    ".far td{background:var(--tint)}tr:target td{outline:2px solid var(--link)}\n",
    ".n{text-align:right;white-space:nowrap}small{color:var(--soft)}\n",
    ".bar{display:block;height:6px;border-radius:3px;background:var(--good);min-width:1px}\n",
    ".far .bar{background:var(--bad)}td.meter{width:110px}\n",
    "@media(max-width:640px){body{padding:12px}thead{display:none}\n",
    "tr{display:block;padding:8px 0;border-bottom:1px solid var(--line)}\n",
    "td,td.meter{display:block;width:auto;border:0;padding:1px 6px}\n",
    "td.n{display:inline-block;text-align:left}td:empty{display:none}\n",
    "td[data-is]:before{content:attr(data-is) ' ';color:var(--soft)}svg text{font-size:22px}}\n",
};

/* ---- figures ---- */

/* Where a positive number lies between decades: 10^k at k. Straight between powers of two, so that
 * no logarithm is needed. */
static double decades(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return ((double)(bits >> 52u) - 1023.0 +
               (double)(bits & UINT64_C(0xFFFFFFFFFFFFF)) / 4503599627370496.0) *
           0.30102999566398120;
}

/* The largest difference as a share of the largest value. */
static double share_of(const bisect_error *e)
{
    return e->most >= BISECT_FAR || !(e->scale > 0.0) || e->most / e->scale >= BISECT_FAR
               ? e->most
               : e->most / e->scale;
}

static void put_share(cli_buffer *out, const bisect_error *e)
{
    if (e->most >= BISECT_FAR) {
        cli_puts(out, e->n == 0 ? "another type" : "no number");
    } else {
        cli_printf(out, e->most > 0.0 ? "%.2g" : "0", share_of(e));
    }
}

static int is_culprit(const bisect *b, gsp_node v)
{
    uint32_t i;
    uint32_t k;
    for (i = 0; i < b->n_culprits; i++) {
        for (k = 0; k < b->culprits[i].n; k++) {
            if (b->culprits[i].nodes[k] == v) {
                return 1;
            }
        }
    }
    return 0;
}

/* The decades of the axis: at least four, of all errors that are numbers. */
typedef struct axis {
    int low;
    int high;
} axis;

static axis axis_of(const bisect *b)
{
    axis a = {0, LEAST_SHOWN};
    gsp_node v;
    for (v = 0; v < b->graph.n_nodes; v++) {
        const bisect_error *e = &b->shown[v];
        double const share = share_of(e);
        if (e->is_known && share > 0.0 && share < BISECT_FAR) {
            double const at = decades(share);
            while (a.low > LEAST_SHOWN && a.low > at) {
                a.low--;
            }
            while (a.high < 16 && a.high < at) {
                a.high++;
            }
        }
    }
    a.high = a.high > LEAST_SHOWN ? a.high : 0;
    a.low = a.low > a.high - 4 ? a.high - 4 : a.low;
    return a;
}

/* From 0 (none, or below the axis) to 1 (no number, or above it). */
static double level(const axis *a, const bisect_error *e)
{
    double const share = share_of(e);
    double at;
    if (!(share > 0.0)) {
        return 0.0;
    }
    at = (decades(share) - a->low + 0.5) / (a->high - a->low + 1.0);
    return share >= BISECT_FAR || at > 1.0 ? 1.0 : at > 0.02 ? at : 0.02;
}

/* ---- parts ---- */

static void put_name(cli_buffer *out, const bisect *b, gsp_node v, size_t width)
{
    cli_xml_text(out, gsp_node_name(&b->graph, v), width);
}

static void put_link(cli_buffer *out, const bisect *b, gsp_node v)
{
    cli_printf(out, "<a href=\"#n%" PRIu32 "\">", v);
    put_name(out, b, v, 80u);
    cli_puts(out, "</a>");
}

static void put_difference(cli_buffer *out, const bisect_difference *d)
{
    uint32_t i;
    cli_puts(out, "<p><b>");
    cli_xml_text(out, d->name, 80u);
    for (i = 0; i < d->n_dims; i++) {
        cli_printf(out, "%s%" PRIu64, i != 0 ? ", " : "[", d->index[i]);
    }
    cli_puts(out, d->n_dims != 0 ? "]</b> is <b>" : "</b> is <b>");
    if (d->types != NULL) {
        cli_xml_text(out, gsp_str_of(d->types), 200u);
        cli_puts(out, "</b></p>\n");
        return;
    }
    cli_printf(out, "%s</b>, expected <b>%s</b>; %" PRIu64 " of %" PRIu64 " values differ</p>\n",
        d->got, d->expected, d->n_different, d->n);
}

static void put_culprit(cli_buffer *out, const bisect *b, const bisect_culprit *c)
{
    uint32_t i;
    cli_puts(out, "<div class=\"panel bad\"><p>");
    for (i = 0; i < c->n && i < 50u; i++) {
        cli_puts(out, i != 0 ? ", " : "");
        put_link(out, b, c->nodes[i]);
        cli_puts(out, " <small>");
        cli_xml_text(out, gsp_node_target(&b->graph, c->nodes[i]), 60u);
        cli_puts(out, "</small>");
    }
    if (i < c->n) {
        cli_printf(out, " and %" PRIu32 " more", c->n - i);
    }
    cli_puts(out, "</p>\n");
    put_difference(out, &c->first);
    if (c->is_open) {
        cli_puts(out, "<p>The search has not ended: a part of this set may differ as well.</p>\n");
    }
    if (b->opt.emit != NULL) {
        cli_puts(out, "<p>To reproduce it: <code>sh ");
        cli_xml_text(out, gsp_str_of(c->dir), 400u);
        cli_puts(out, "/run.sh</code></p>\n");
    }
    cli_puts(out, "</div>\n");
}

static void put_head(cli_buffer *out, const bisect *b)
{
    size_t i;
    cli_puts(out, "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n"
                  "<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
                  "content=\"width=device-width, initial-scale=1\"/>\n<title>bisect ");
    cli_xml_text(out, gsp_str_of(b->session->path), 200u);
    cli_puts(out, "</title>\n<style>\n");
    for (i = 0; i < CLI_COUNT(style); i++) {
        cli_puts(out, style[i]);
    }
    cli_puts(out, "</style>\n</head>\n<body>\n<h1>");
    cli_xml_text(out, gsp_str_of(b->session->path), 200u);
    cli_printf(out, "</h1>\n<p><b>%" PRIu32 "</b> node%s searched, <b>%" PRIu32 "</b> run%s of <b>",
        b->n_units, cli_plural(b->n_units), b->tested.runs, cli_plural(b->tested.runs));
    cli_xml_text(out, gsp_str_of(b->tested.name), 200u);
    cli_printf(out, "</b>, %" PRIu32 " of <b>", b->reference.runs);
    cli_xml_text(out, gsp_str_of(b->reference.name), 200u);
    cli_printf(out, "</b>; tolerance <b>");
    cli_xml_text(out, gsp_str_of(b->opt.tolerance != NULL ? b->opt.tolerance : "1e-5,1e-3"), 100u);
    cli_printf(out, "</b>%s</p>\n", b->is_interrupted ? "; the search was ended by ^C" : "");
}

static void put_culprits(cli_buffer *out, const bisect *b)
{
    uint32_t i;
    cli_puts(out, "<h2>Smallest sets that differ by themselves</h2>\n");
    for (i = 0; i < b->n_culprits; i++) {
        put_culprit(out, b, &b->culprits[i]);
    }
    if (b->n_culprits == 0) {
        cli_puts(out, "<div class=\"panel\"><p>No set that was tried differs.</p></div>\n");
    }
}

/* ---- the chart ---- */

static double height_of(double at)
{
    return TOP + (HEIGHT - TOP - 26.0) * (1.0 - at);
}

static void put_axis(cli_buffer *out, const axis *a)
{
    int const step = a->high - a->low > 8 ? 4 : 2;
    int k;
    for (k = a->low; k <= a->high; k += step) {
        double const y = height_of((k - a->low + 0.5) / (a->high - a->low + 1.0));
        cli_printf(out,
            "<path class=\"grid\" d=\"M%g %.1fH%g\"/><text x=\"%g\" y=\"%.1f\" "
            "text-anchor=\"end\">1e%d</text>\n",
            LEFT, y, WIDTH, LEFT - 6.0, y + 4.0, k);
    }
    cli_printf(out,
        "<path class=\"grid\" d=\"M%g %gH%g\"/><text x=\"%g\" y=\"%g\">first node</text>"
        "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">last node</text>\n",
        LEFT, height_of(0.0), WIDTH, LEFT, HEIGHT - 8.0, WIDTH, HEIGHT - 8.0);
}

/* The node with the largest error of those from *v on that share a place of the chart; GSP_NONE if
 * none of them has one. */
static gsp_node next_point(const bisect *b, const axis *a, gsp_node *v, uint32_t step)
{
    gsp_node worst = GSP_NONE;
    uint32_t n = 0;
    for (; *v < b->graph.n_nodes && n < step; (*v)++) {
        const bisect_error *e = &b->shown[*v];
        n += e->is_known != 0;
        if (e->is_known && (worst == GSP_NONE || e->differs > b->shown[worst].differs ||
                               (e->differs == b->shown[worst].differs &&
                                   level(a, e) > level(a, &b->shown[worst])))) {
            worst = *v;
        }
    }
    return worst;
}

static void put_point(cli_buffer *out, const bisect *b, const axis *a, gsp_node v, double x)
{
    const bisect_error *e = &b->shown[v];
    double const y = height_of(level(a, e));
    const char *kind = e->differs ? "out" : "in";
    cli_printf(out, "<a href=\"#n%" PRIu32 "\"><title>", v);
    put_name(out, b, v, 80u);
    cli_puts(out, ": ");
    put_share(out, e);
    cli_puts(out, "</title>");
    if (is_culprit(b, v)) {
        cli_printf(out, "<rect class=\"mark\" x=\"%.1f\" y=\"0\" width=\"8\" height=\"%g\"/>",
            x - 4.0, height_of(0.0));
    }
    cli_printf(out,
        "<path class=\"%s\" d=\"M%.1f %gV%.1f\"/><circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" "
        "r=\"%g\"/></a>\n",
        kind, x, height_of(0.0), y, kind, x, y, is_culprit(b, v) ? 5.0 : 2.5);
}

static uint32_t count_known(const bisect *b)
{
    uint32_t n = 0;
    gsp_node v;
    for (v = 0; v < b->graph.n_nodes; v++) {
        n += b->shown[v].is_known != 0;
    }
    return n;
}

static void put_chart(cli_buffer *out, const bisect *b, const axis *a)
{
    uint32_t const n = count_known(b);
    uint32_t const step = n / MOST_POINTS + 1u;
    uint32_t const points = (n + step - 1u) / step;
    gsp_node v = 0;
    uint32_t i;
    cli_printf(out,
        "<h2>Error of each node along the graph</h2>\n<p>The largest difference of its values, as "
        "a "
        "share of the largest value of the reference%s.</p>\n<div class=\"panel\"><svg "
        "xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" role=\"img\" "
        "aria-label=\"Error of each node\">\n",
        step > 1u ? "; a point is the worst of several nodes" : "", WIDTH + 10.0, HEIGHT);
    put_axis(out, a);
    for (i = 0; i < points; i++) {
        gsp_node const worst = next_point(b, a, &v, step);
        double const x = LEFT + 10.0 + (WIDTH - LEFT - 20.0) * (i + 0.5) / points;
        if (worst != GSP_NONE) {
            put_point(out, b, a, worst, x);
        }
    }
    cli_puts(out, "</svg></div>\n");
}

/* ---- the table ---- */

static void put_inputs(cli_buffer *out, const bisect *b, gsp_node v, const uint8_t *has_row)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(&b->graph, v, &n);
    uint32_t i;
    cli_puts(out, "<td data-is=\"reads\">");
    for (i = 0; i < n && i < 12u; i++) {
        cli_puts(out, i != 0 ? ", " : "");
        if (has_row[in[i]]) {
            put_link(out, b, in[i]);
        } else {
            put_name(out, b, in[i], 40u);
        }
    }
    cli_puts(out, i < n ? " ...</td>" : "</td>");
}

static void put_row(
    cli_buffer *out, const bisect *b, const axis *a, gsp_node v, const uint8_t *has_row)
{
    const bisect_error *e = &b->shown[v];
    cli_printf(out, "<tr id=\"n%" PRIu32 "\"%s><td>%s", v, e->differs ? " class=\"far\"" : "",
        is_culprit(b, v) ? "<b>" : "");
    put_name(out, b, v, 80u);
    cli_puts(out, is_culprit(b, v) ? "</b><br/><small>" : "<br/><small>");
    cli_xml_text(out, gsp_node_target(&b->graph, v), 60u);
    cli_puts(out, " ");
    cli_xml_text(out, gsp_node_type(&b->graph, v), 60u);
    cli_puts(out, "</small></td>");
    if (e->is_known) {
        cli_printf(out,
            "<td class=\"meter\"><span class=\"bar\" style=\"width:%.0f%%\"></span></td>",
            level(a, e) * 100.0);
        cli_puts(out, "<td class=\"n\" data-is=\"share\">");
        put_share(out, e);
        cli_puts(out, "</td><td class=\"n\" data-is=\"largest difference\">");
        cli_printf(out, e->most < BISECT_FAR ? "%.6g" : "-", e->most);
        cli_printf(out, "</td><td class=\"n\" data-is=\"differ\">%" PRIu64 " of %" PRIu64 "</td>",
            e->n_different, e->n);
    } else {
        cli_puts(out, "<td></td><td></td><td></td><td></td>");
    }
    put_inputs(out, b, v, has_row);
    cli_puts(out, "</tr>\n");
}

/* All called nodes if they are few, else those that differ or belong to a culprit, then the others
 * as long as there is room. */
static uint32_t choose_rows(const bisect *b, uint8_t *has_row)
{
    uint32_t left = MOST_ROWS;
    uint32_t out = 0;
    uint32_t pass;
    gsp_node v;
    for (pass = 0; pass < 2u; pass++) {
        out = 0;
        for (v = 0; v < b->graph.n_nodes; v++) {
            int const is_due = pass != 0 || b->shown[v].differs || is_culprit(b, v);
            if (gsp_node_is_callable(&b->graph, v) && !has_row[v]) {
                has_row[v] = (uint8_t)(is_due && left > 0);
                left -= has_row[v];
                out += !has_row[v];
            }
        }
    }
    return out;
}

static void put_table(cli_buffer *out, const bisect *b, const axis *a)
{
    uint8_t *has_row = (uint8_t *)cli_alloc(b->session, (size_t)b->graph.n_nodes + 1u, 1u);
    uint32_t const left_out = choose_rows(b, has_row);
    gsp_node v;
    cli_puts(out,
        "<h2>Nodes</h2>\n<table class=\"panel\"><thead><tr><th>node</th><th>error</th><th>"
        "share</th><th>largest difference</th><th>values that differ</th><th>reads</th>"
        "</tr></thead>\n<tbody>\n");
    for (v = 0; v < b->graph.n_nodes; v++) {
        if (has_row[v]) {
            put_row(out, b, a, v, has_row);
        }
    }
    cli_puts(out, "</tbody></table>\n");
    if (left_out != 0) {
        cli_printf(out, "<p>%" PRIu32 " more nodes%s have no row.</p>\n", left_out,
            b->n_culprits != 0 ? ", most of them within the tolerance," : "");
    }
    cli_release(b->session, has_row);
}

void bisect_html(const bisect *b, cli_buffer *out)
{
    axis const a = axis_of(b);
    put_head(out, b);
    put_culprits(out, b);
    put_chart(out, b, &a);
    put_table(out, b, &a);
    cli_puts(out, "</body>\n</html>\n");
}
