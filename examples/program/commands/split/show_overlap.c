/* --overlap: the timeline as a table, as JSON, as a chart and as a trace. */
#include "commands/split/split.h"

#include <inttypes.h>

#define ROWS   20u /* of the timeline, without --all */
#define WIDTH  1100.0
#define LEFT   110.0
#define RIGHT  90.0
#define TOP    58.0
#define ROW    30.0
#define GAP    6.0
#define BOTTOM 40.0
#define LETTER 6.2 /* width of a letter in a step */

static uint32_t place_of(const split *p, uint32_t resource)
{
    uint32_t const n = p->worth->sides.n_kinds;
    return resource < n ? resource : resource - n + 1u;
}

static int is_channel(const split *p, uint32_t resource)
{
    return resource >= p->worth->sides.n_kinds;
}

static void put_resource(const split *p, uint32_t resource, cli_buffer *out)
{
    cli_puts(out, p->place.names[place_of(p, resource)]);
    cli_puts(out, is_channel(p, resource) ? " channel" : "");
}

/* "conv1", "launch", "conv1 in" */
static void put_name(const split *p, const gsp_overlap_step *step, cli_buffer *out)
{
    if (step->what == (uint32_t)GSP_OVERLAP_LAUNCH) {
        cli_puts(out, "launch");
        return;
    }
    cli_put_clean(out, gsp_node_name(&p->graph, step->node));
    cli_puts(out, step->what == (uint32_t)GSP_OVERLAP_OUT  ? " out"
                  : step->what == (uint32_t)GSP_OVERLAP_IN ? " in"
                                                           : "");
}

static double seconds(uint64_t ticks)
{
    return (double)ticks * 1e-9;
}

static void put_devices(const split *p, cli_buffer *out)
{
    const gsp_overlap_result *r = p->worth->overlap;
    cli_table t;
    cli_table_init(&t, p->session, "lrr");
    cli_table_head(&t, "device|busy|of the time");
    for (uint32_t k = 0; k < r->n_resources; k++) {
        put_resource(p, k, cli_cell_begin(&t, cli_kind_style(place_of(p, k))));
        cli_put_seconds(cli_cell_begin(&t, CLI_PLAIN), seconds(r->busy[k]));
        cli_put_percent(cli_cell_begin(&t, CLI_PLAIN), r->busy[k], r->makespan);
    }
    cli_table_write(&t, out);
}

void split_put_overlap(const split *p, cli_buffer *out)
{
    const gsp_overlap_result *r = p->worth->overlap;
    uint32_t const shown = cli_rows(p->session, r->n_steps, ROWS);
    cli_table t;
    cli_put_heading(out, "SIDE BY SIDE", "what devices and their channels do until the end");
    put_devices(p, out);
    cli_put_heading(out, "TIMELINE", "nodes, launches, and values that move");
    cli_table_init(&t, p->session, "rrll");
    cli_table_head(&t, "begins|ends|device|step");
    for (uint32_t i = 0; i < shown; i++) {
        const gsp_overlap_step *step = &r->steps[i];
        cli_put_seconds(cli_cell_begin(&t, CLI_PLAIN), seconds(step->begin));
        cli_put_seconds(cli_cell_begin(&t, CLI_PLAIN), seconds(step->end));
        put_resource(
            p, step->resource, cli_cell_begin(&t, cli_kind_style(place_of(p, step->resource))));
        put_name(p, step, cli_cell_begin(&t, CLI_PLAIN));
    }
    cli_table_write(&t, out);
    cli_put_rest(out, r->n_steps, shown, "step");
}

/* A string of what a function writes. */
static void put_string(
    const split *p, cli_buffer *out, const gsp_overlap_step *step, uint32_t resource)
{
    cli_buffer text;
    gsp_str string;
    cli_buffer_init(&text, p->session);
    if (step != NULL) {
        put_name(p, step, &text);
    } else {
        put_resource(p, resource, &text);
    }
    string.data = text.data;
    string.size = (uint32_t)text.size;
    cli_json_string(out, string);
    cli_release(p->session, text.data);
}

void split_json_overlap(const split *p, cli_buffer *out)
{
    const gsp_overlap_result *r = p->worth->overlap;
    cli_printf(out,
        "\"overlap\": {\"seconds\": %.12g, \"one_after_the_other\": %.12g, \"path\": %.12g, "
        "\"share\": %.12g, \"steps\": [",
        seconds(r->makespan), seconds(p->worth->serial), seconds(r->path), seconds(r->share));
    for (uint32_t i = 0; i < r->n_steps; i++) {
        const gsp_overlap_step *step = &r->steps[i];
        cli_printf(out, "%s\n    {\"begin\": %.12g, \"end\": %.12g, \"device\": ", i > 0 ? "," : "",
            seconds(step->begin), seconds(step->end));
        put_string(p, out, NULL, step->resource);
        cli_puts(out, ", \"step\": ");
        put_string(p, out, step, 0);
        cli_puts(out, "}");
    }
    cli_puts(out, "]}");
}

/* ---- chart ---- */

static double row_top(uint32_t resource)
{
    return TOP + (ROW + GAP) * (double)resource;
}

static void put_row(const split *p, uint32_t resource, cli_buffer *out)
{
    const gsp_overlap_result *r = p->worth->overlap;
    double const y = row_top(resource);
    cli_printf(out,
        "<rect class=\"row\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>"
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">",
        LEFT, y, WIDTH - LEFT - RIGHT, ROW, LEFT - 8.0, y + ROW / 2.0 + 4.0);
    put_resource(p, resource, out);
    cli_printf(
        out, "</text><text x=\"%.1f\" y=\"%.1f\">", WIDTH - RIGHT + 8.0, y + ROW / 2.0 + 4.0);
    cli_put_percent(out, r->busy[resource], r->makespan);
    cli_puts(out, " busy</text>\n");
}

/* The name, where the step is wide enough. */
static void put_box(const split *p, const gsp_overlap_step *step, double scale, cli_buffer *out)
{
    static const char *const hues[] = {"215", "35", "265", "265"};
    double const x = LEFT + (double)step->begin * scale;
    double const width = (double)(step->end - step->begin) * scale;
    cli_buffer name;
    gsp_str text;
    cli_buffer_init(&name, p->session);
    put_name(p, step, &name);
    text.data = name.data;
    text.size = (uint32_t)name.size;
    cli_puts(out, "<g><title>");
    cli_xml_text(out, text, 200u);
    cli_puts(out, ": ");
    cli_put_seconds(out, seconds(step->begin));
    cli_puts(out, " to ");
    cli_put_seconds(out, seconds(step->end));
    cli_printf(out,
        "</title><rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" stroke=\"#fff\" "
        "stroke-width=\"0.5\" fill=\"hsl(%s,55%%,42%%)\"/>",
        x, row_top(step->resource), width, ROW, hues[step->what]);
    if (width >= LETTER * (double)name.size + 4.0) {
        cli_printf(out, "<text class=\"light\" x=\"%.2f\" y=\"%.1f\" text-anchor=\"middle\">",
            x + width / 2.0, row_top(step->resource) + ROW / 2.0 + 4.0);
        cli_xml_text(out, text, 200u);
        cli_puts(out, "</text>");
    }
    cli_puts(out, "</g>\n");
    cli_release(p->session, name.data);
}

static void put_axis(const split *p, double scale, cli_buffer *out)
{
    const gsp_overlap_result *r = p->worth->overlap;
    double const y = row_top(r->n_resources) + 2.0;
    double const step = cli_chart_seconds(seconds(r->makespan));
    cli_printf(out, "<path class=\"line\" d=\"M%.1f %.1fH%.1f\"/>\n", LEFT, y, WIDTH - RIGHT);
    for (uint32_t i = 0; step * i <= seconds(r->makespan); i++) {
        double const x = LEFT + step * i * 1e9 * scale;
        cli_printf(out,
            "<path class=\"line\" d=\"M%.1f %.1fv5\"/><text class=\"soft\" x=\"%.1f\" y=\"%.1f\" "
            "text-anchor=\"middle\">",
            x, y, x, y + 19.0);
        cli_put_seconds(out, step * i);
        cli_puts(out, "</text>\n");
    }
}

void split_overlap_svg(const split *p, cli_buffer *out)
{
    const gsp_overlap_result *r = p->worth->overlap;
    double const scale = r->makespan == 0 ? 0.0 : (WIDTH - LEFT - RIGHT) / (double)r->makespan;
    cli_chart_begin(out, WIDTH, row_top(r->n_resources) + BOTTOM);
    cli_printf(out, "<text x=\"%.1f\" y=\"22\" font-size=\"15\">", LEFT);
    cli_put_seconds(out, seconds(r->makespan));
    cli_puts(out, " side by side, ");
    cli_put_seconds(out, seconds(p->worth->serial));
    cli_printf(out,
        " one after the other</text><text class=\"soft\" x=\"%.1f\" y=\"42\">blue: nodes; brown: "
        "launches; violet: values that move</text>\n",
        LEFT);
    for (uint32_t k = 0; k < r->n_resources; k++) {
        put_row(p, k, out);
    }
    for (uint32_t i = 0; i < r->n_steps; i++) {
        if (r->steps[i].end > r->steps[i].begin) {
            put_box(p, &r->steps[i], scale, out);
        }
    }
    if (r->makespan != 0) {
        put_axis(p, scale, out);
    }
    cli_puts(out, "</svg>\n");
}

/* ---- trace ---- */

void split_overlap_trace(const split *p, cli_buffer *out)
{
    const gsp_overlap_result *r = p->worth->overlap;
    cli_puts(out, "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n"
                  "{\"ph\": \"M\", \"pid\": 0, \"name\": \"process_name\", \"args\": {\"name\": "
                  "\"side by side\"}}");
    for (uint32_t k = 0; k < r->n_resources; k++) {
        cli_printf(out,
            ",\n{\"ph\": \"M\", \"pid\": 0, \"tid\": %" PRIu32
            ", \"name\": \"thread_name\", \"args\": {\"name\": ",
            k);
        put_string(p, out, NULL, k);
        cli_printf(out,
            "}},\n{\"ph\": \"M\", \"pid\": 0, \"tid\": %" PRIu32
            ", \"name\": \"thread_sort_index\", \"args\": {\"sort_index\": %" PRIu32 "}}",
            k, k);
    }
    for (uint32_t i = 0; i < r->n_steps; i++) {
        static const char *const kinds[] = {"node", "launch", "out", "in"};
        const gsp_overlap_step *step = &r->steps[i];
        uint64_t const length = step->end - step->begin;
        cli_printf(
            out, ",\n{\"ph\": \"X\", \"pid\": 0, \"tid\": %" PRIu32 ", \"name\": ", step->resource);
        put_string(p, out, step, 0);
        cli_printf(out,
            ", \"cat\": \"%s\", \"ts\": %" PRIu64 ".%03" PRIu64 ", \"dur\": %" PRIu64 ".%03" PRIu64
            "}",
            kinds[step->what], step->begin / 1000u, step->begin % 1000u, length / 1000u,
            length % 1000u);
    }
    cli_puts(out, "\n]}\n");
}
