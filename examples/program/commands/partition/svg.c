/* --svg: the time of each partition, one row each, with the critical path highlighted and
 * connected. */
#include "commands/partition/partition.h"

#include "output/output.h"

#include <inttypes.h>
#include <string.h>

#define MOST_ROWS  120u
#define WIDTH      1000.0
#define LABEL      230.0 /* columns of names on the left */
#define RIGHT      24.0
#define TOP        86.0
#define ROW        26.0
#define BAR        16.0
#define LEGEND_ROW 20.0
#define MOVING     "#9aa4b0"
#define LABELLED   36.0 /* a wider transfer shows its bytes */

typedef struct drawing {
    const partition *p;
    cli_buffer *out;
    uint32_t *row_of; /* [n_parts] GSP_NONE if not drawn */
    uint32_t *parts;  /* [n_rows] */
    uint32_t n_rows;
    double scale; /* pixels per second */
} drawing;

/* ---- texts ---- */

static void put_text_begin(cli_buffer *out, double x, double y, uint32_t size, const char *more)
{
    cli_printf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%" PRIu32 "\"%s>", x, y, size, more);
}

static void put_device_names(const drawing *d, uint32_t part, size_t width)
{
    cli_buffer names;
    gsp_str text;
    cli_buffer_init(&names, d->p->session);
    partition_put_devices(d->p, part, &names);
    text.data = names.data;
    text.size = (uint32_t)names.size;
    cli_xml_text(d->out, text, width);
    cli_release(d->p->session, names.data);
}

static const char *device_fill(uint32_t device)
{
    static const char *const fills[] = {
        "#5b8def", "#4fb38a", "#c9a227", "#9b6bd3", "#d9707a", "#4aa8c0", "#8a9a5b", "#a0785a"};
    return fills[device % CLI_COUNT(fills)];
}

/* ---- which rows ---- */

/* All partitions in the order of the calls; if there are too many, those of the critical path. */
static void choose_rows(drawing *d)
{
    const gsp_partition_result *r = &d->p->result;
    int all = r->n_parts <= MOST_ROWS;
    uint32_t i;
    d->row_of = (uint32_t *)cli_alloc(d->p->session, (size_t)r->n_parts + 1u, sizeof *d->row_of);
    d->parts = (uint32_t *)cli_alloc(d->p->session, (size_t)r->n_parts + 1u, sizeof *d->parts);
    for (i = 0; i < r->n_parts; i++) {
        uint32_t part = r->parts->part[i];
        int wanted = (all || d->p->critical[part]) && d->n_rows < MOST_ROWS;
        d->row_of[part] = wanted ? d->n_rows : GSP_NONE;
        if (wanted) {
            d->parts[d->n_rows++] = part;
        }
    }
}

static double x_of(const drawing *d, double seconds)
{
    return LABEL + seconds * d->scale;
}

static double y_of(uint32_t row)
{
    return TOP + (double)row * ROW;
}

/* ---- the parts of the drawing ---- */

static void put_head(const drawing *d, double height)
{
    const gsp_partition_result *r = &d->p->result;
    const char *path = d->p->session->path;
    const char *stopped_by = partition_stopped_by(d->p);
    cli_chart_begin(d->out, WIDTH, height);
    put_text_begin(d->out, 16.0, 28.0, 18u, " font-weight=\"bold\"");
    cli_xml_text(d->out, gsp_str_of(strcmp(path, "-") == 0 ? "standard input" : path), 90u);
    cli_puts(d->out, "</text>\n");
    put_text_begin(d->out, 16.0, 48.0, 13u, " class=\"soft\"");
    cli_printf(d->out, "%" PRIu32 " partition%s on %" PRIu32 " device%s, mode %s, ", r->n_parts,
        cli_plural(r->n_parts), d->p->n_devices, cli_plural(d->p->n_devices),
        partition_modes[d->p->opt.mode]);
    if (r->total > 0.0) {
        cli_puts(
            d->out, d->p->opt.times.unit == CLI_TIMES_SHAPES ? "estimated latency " : "latency ");
        cli_put_time(d->out, &d->p->opt.times, r->total);
    } else {
        cli_puts(d->out, "latency unknown without mem= and compute= at the nodes");
    }
    if (stopped_by != NULL) {
        cli_printf(d->out, "; stopped by %s: the best so far", stopped_by);
    }
    if (d->n_rows < r->n_parts) {
        cli_printf(d->out, "; %" PRIu32 " partitions of the critical path are shown", d->n_rows);
    }
    cli_puts(d->out, "</text>\n");
}

static void put_axis(const drawing *d)
{
    double total = d->p->result.total;
    double step =
        d->p->opt.times.unit == CLI_TIMES_NODES ? cli_chart_step(total) : cli_chart_seconds(total);
    uint32_t i;
    for (i = 0; i <= 10u && (double)i * step <= total * (1.0 + 1e-9); i++) {
        double x = x_of(d, (double)i * step);
        cli_printf(d->out, "<path class=\"line\" d=\"M%.1f %.1fV%.1f\"/>\n", x, TOP - 8.0,
            y_of(d->n_rows));
        put_text_begin(d->out, x, TOP - 14.0, 11u, " text-anchor=\"middle\" class=\"soft\"");
        cli_put_time(d->out, &d->p->opt.times, (double)i * step);
        cli_puts(d->out, "</text>\n");
    }
}

static void put_tip(const drawing *d, uint32_t part)
{
    const gsp_partition_result *r = &d->p->result;
    uint32_t const n = r->part_begin[part + 1u] - r->part_begin[part];
    cli_puts(d->out, "<title>");
    cli_xml_text(d->out, partition_submodule(d->p, part), 60u);
    cli_puts(d->out, " on ");
    put_device_names(d, part, 200u);
    cli_printf(d->out, ": %" PRIu32 " node%s, ", n, cli_plural(n));
    cli_put_need(d->out, r->bytes[part]);
    cli_puts(d->out, ", receives ");
    cli_put_bytes(d->out, partition_received(d->p, part));
    if (r->total > 0.0) {
        cli_puts(d->out, ", runs from ");
        cli_put_time(d->out, &d->p->opt.times, partition_start(d->p, part));
        cli_puts(d->out, " to ");
        cli_put_time(d->out, &d->p->opt.times, r->finish[part]);
    }
    cli_puts(d->out, "</title>");
}

/* Transfers, each as long as its slowest one. */
static void put_moving(const drawing *d, uint32_t part, double y)
{
    const gsp_partition_result *r = &d->p->result;
    uint32_t parent = r->late_parent[part];
    double from = parent != GSP_NONE ? r->finish[parent] : 0.0;
    double to = partition_start(d->p, part);
    if (to > from) {
        cli_printf(d->out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"" MOVING "\"/>"
            "\n",
            x_of(d, from), y + BAR / 2.0 - 2.0, (to - from) * d->scale, 4.0);
    }
    if ((to - from) * d->scale > LABELLED && parent != GSP_NONE) {
        put_text_begin(d->out, x_of(d, (from + to) / 2.0), y + BAR / 2.0 - 4.0, 10u,
            " text-anchor=\"middle\" class=\"soft\"");
        cli_put_bytes(d->out, partition_bytes_from(d->p, part, parent));
        cli_puts(d->out, "</text>\n");
    }
}

static void put_row(const drawing *d, uint32_t row)
{
    const gsp_partition_result *r = &d->p->result;
    uint32_t part = d->parts[row];
    double start = partition_start(d->p, part);
    double y = y_of(row);
    double width = (r->finish[part] - start) * d->scale;
    int critical = d->p->critical[part];
    put_text_begin(
        d->out, 16.0, y + 12.0, 12u, critical ? " font-weight=\"bold\" class=\"mark\"" : "");
    cli_xml_text(d->out, partition_submodule(d->p, part), 18u);
    cli_puts(d->out, "</text>\n");
    put_text_begin(d->out, LABEL - 10.0, y + 12.0, 11u, " text-anchor=\"end\" class=\"soft\"");
    put_device_names(d, part, 16u);
    cli_puts(d->out, "</text>\n");
    put_moving(d, part, y);
    cli_printf(d->out,
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\" fill=\"%s\"",
        x_of(d, start), y, width > 1.0 ? width : 1.0, BAR,
        device_fill(r->devices[r->device_begin[part]]));
    cli_puts(d->out, critical ? " class=\"mark\" stroke-width=\"2\">" : ">");
    put_tip(d, part);
    cli_puts(d->out, "</rect>\n");
}

/* From the end of each critical partition to the start of the next. */
static void put_path(const drawing *d)
{
    const gsp_partition_result *r = &d->p->result;
    uint32_t part = partition_last(d->p);
    while (r->late_parent[part] != GSP_NONE) {
        uint32_t parent = r->late_parent[part];
        if (d->row_of[part] != GSP_NONE && d->row_of[parent] != GSP_NONE) {
            double x = x_of(d, r->finish[parent]);
            cli_printf(d->out,
                "<path class=\"mark\" d=\"M%.1f %.1f V%.1f H%.1f\" stroke-width=\"1.5\"/>\n", x,
                y_of(d->row_of[parent]) + BAR / 2.0, y_of(d->row_of[part]) + BAR / 2.0,
                x_of(d, partition_start(d->p, part)));
        }
        part = parent;
    }
}

static void put_legend(const drawing *d, double y, uint32_t n)
{
    uint32_t i;
    cli_printf(d->out,
        "<g transform=\"translate(%.0f %.1f)\"><path class=\"mark\" stroke-width=\"2\" "
        "d=\"M0 6h14\"/><text x=\"20\" y=\"10\" font-size=\"12\">critical path</text>"
        "<rect x=\"130\" y=\"4\" width=\"14\" height=\"4\" fill=\"" MOVING "\"/>"
        "<text x=\"150\" y=\"10\" font-size=\"12\">transfer</text></g>\n",
        LABEL + 200.0, y);
    for (i = 0; i < n; i++) {
        const gsp_device *device = &d->p->devices[i];
        cli_printf(d->out,
            "<rect x=\"16\" y=\"%.1f\" width=\"12\" height=\"12\" rx=\"2\" fill=\"%s\"/>\n", y,
            device_fill(i));
        put_text_begin(d->out, 36.0, y + 10.0, 12u, "");
        cli_xml_text(d->out, device->name, 60u);
        cli_puts(d->out, ": ");
        cli_put_need(d->out, d->p->result.device_bytes[i]);
        if (d->p->opt.mode != PARTITION_KWAY) {
            cli_puts(d->out, " of ");
            cli_put_bytes(d->out, device->bytes);
        }
        cli_puts(d->out, " in use</text>\n");
        y += LEGEND_ROW;
    }
}

void partition_svg(const partition *p, cli_buffer *out)
{
    uint32_t n_legend = p->n_devices <= 16u ? p->n_devices : 16u;
    double legend;
    drawing d;
    uint32_t i;
    memset(&d, 0, sizeof d);
    d.p = p;
    d.out = out;
    choose_rows(&d);
    d.scale = p->result.total > 0.0 ? (WIDTH - LABEL - RIGHT) / p->result.total : 0.0;
    legend = y_of(d.n_rows) + 16.0;
    put_head(&d, legend + LEGEND_ROW * (double)n_legend + 12.0);
    if (p->result.total > 0.0) {
        put_axis(&d);
    } else {
        put_text_begin(out, LABEL, TOP - 14.0, 12u, " class=\"soft\"");
        cli_puts(out, "no seconds are known (mem= and compute= of the graph)</text>\n");
    }
    for (i = 0; i < d.n_rows; i++) {
        put_row(&d, i);
    }
    put_path(&d);
    put_legend(&d, legend, n_legend);
    cli_puts(out, "</svg>\n");
}
