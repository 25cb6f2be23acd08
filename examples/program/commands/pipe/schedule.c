/* graphsplit pipe: the schedule of a run, as figures and as a chart. */
#include "commands/pipe/pipe.h"

#include <inttypes.h>
#include <string.h>

/* ---- the schedule ---- */

static uint64_t add_capped(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Times of the tasks of a stage: forward what the plan says; backward `--backward` times the
 * nodes, and the gradients of all that entered and left. */
static void read_loads(pipe *p, uint64_t *rows[4])
{
    uint64_t factor = p->opt.backward != 0 ? p->opt.backward : 2u;
    uint32_t i;
    for (i = 0; i < p->made.n_stages; i++) {
        const gsp_stage_cost *load = &p->plan.loads.loads[i];
        uint64_t copies = p->opt.copies != 0 ? p->opt.copies : 1u;
        uint64_t moved = add_capped(load->enter, load->leave);
        rows[0][i] = load->time;
        rows[1][i] = load->compute > UINT64_MAX / factor ? UINT64_MAX : load->compute * factor;
        rows[1][i] = add_capped(rows[1][i], moved);
        rows[2][i] = load->stash;
        rows[3][i] = load->params > UINT64_MAX / copies ? UINT64_MAX : load->params * copies;
    }
}

int pipe_schedule_make(pipe *p)
{
    cli_session *s = p->session;
    cli_schedule_desc *d = &p->plan.schedule;
    uint64_t *rows[4];
    gsp_arena arena;
    gsp_error err;
    size_t bound;
    uint32_t i;
    if (p->made.n_stages == 0 || p->made.n_stages % d->n_chunks != 0) {
        return cli_error(s, GSP_STATUS_ARG,
                         "--schedule: %" PRIu32 " stages cannot be dealt out to devices with "
                         "%" PRIu32 " each",
                         p->made.n_stages, d->n_chunks);
    }
    d->n_devices = p->made.n_stages / d->n_chunks;
    for (i = 0; i < 4u; i++) {
        rows[i] = (uint64_t *)cli_alloc(s, p->made.n_stages, sizeof *rows[i]);
    }
    read_loads(p, rows);
    d->forward = rows[0];
    d->backward = rows[1];
    d->stash = rows[2];
    d->resident = rows[3];
    bound = cli_schedule_bound(d);
    if (bound == SIZE_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "--microbatches %" PRIu64 ": too many",
                         p->opt.microbatches);
    }
    cli_arena(s, &arena, bound);
    if (cli_schedule_run(&arena, d, &p->plan.run, &err) != GSP_OK) {
        return cli_pass_error(s, &p->graph, &err);
    }
    return CLI_EXIT_OK;
}

static const char *kind_name(const pipe *p)
{
    static const char *const names[] = {"GPipe", "1F1B", "interleaved 1F1B"};
    return names[p->plan.schedule.kind];
}

/* ---- people ---- */

static void put_title(const pipe *p, cli_buffer *out)
{
    const cli_schedule *r = &p->plan.run;
    cli_printf(out, "%s, %" PRIu32 " microbatch%s on %" PRIu32 " device%s: ", kind_name(p),
               p->plan.schedule.n_microbatches, p->plan.schedule.n_microbatches == 1u ? "" : "es",
               r->n_devices, cli_plural(r->n_devices));
    cli_put_seconds(out, (double)r->span / 1e9);
    cli_printf(out, ", bubble %" PRIu32 ".%02" PRIu32 " %%", r->bubble / 10000u,
               r->bubble % 10000u / 100u);
}

void pipe_schedule_people(const pipe *p, cli_buffer *out)
{
    const cli_schedule *r = &p->plan.run;
    cli_table t;
    uint32_t i;
    cli_puts(out, "\n");
    put_title(p, out);
    cli_puts(out, r->span != 0 ? "\n" : "; no node has compute=, so nothing takes time\n");
    cli_table_init(&t, p->session, "rrrr");
    cli_table_head(&t, "device|busy|of the time|greatest bytes");
    for (i = 0; i < r->n_devices && (i < PIPE_ROWS || p->session->common.all); i++) {
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, i);
        cli_put_seconds(cli_cell_begin(&t, CLI_PLAIN), (double)r->busy[i] / 1e9);
        if (r->span != 0) {
            cli_put_percent(cli_cell_begin(&t, CLI_PLAIN), r->busy[i], r->span);
        } else {
            cli_cell_put(&t, CLI_PLAIN, "-");
        }
        cli_put_bytes(cli_cell_begin(&t, CLI_PLAIN), r->peak[i]);
    }
    cli_table_write(&t, out);
    if (i < r->n_devices) {
        cli_printf(out, "  ... and %" PRIu32 " more (--all shows them)\n", r->n_devices - i);
    }
}

/* ---- JSON ---- */

static void put_json_device(const pipe *p, cli_buffer *out, uint32_t device)
{
    const cli_schedule *r = &p->plan.run;
    uint32_t i;
    cli_printf(out,
               "%s\n  {\"device\": %" PRIu32 ", \"busy_ns\": %" PRIu64 ", \"peak_bytes\": %" PRIu64
               ", \"tasks\": [",
               device != 0 ? "," : "", device, r->busy[device], r->peak[device]);
    for (i = r->task_begin[device]; i < r->task_begin[device + 1u]; i++) {
        const cli_task *t = &r->tasks[i];
        cli_printf(out,
                   "%s\n    {\"kind\": \"%s\", \"stage\": %" PRIu32 ", \"microbatch\": %" PRIu32
                   ", \"begin_ns\": %" PRIu64 ", \"end_ns\": %" PRIu64 "}",
                   i != r->task_begin[device] ? "," : "", t->backward ? "backward" : "forward",
                   t->stage, t->microbatch, t->begin, t->end);
    }
    cli_puts(out, "]}");
}

void pipe_schedule_json(const pipe *p, cli_buffer *out)
{
    const cli_schedule *r = &p->plan.run;
    uint32_t i;
    cli_printf(out,
               "\"schedule\": {\"kind\": \"%s\", \"microbatches\": %" PRIu32
               ", \"span_ns\": %" PRIu64 ", \"bubble_millionths\": %" PRIu32 ", \"devices\": [",
               p->opt.schedule, p->plan.schedule.n_microbatches, r->span, r->bubble);
    for (i = 0; i < r->n_devices; i++) {
        put_json_device(p, out, i);
    }
    cli_puts(out, "]},\n");
}

/* ---- the chart ---- */

#define WIDTH  1100.0
#define LEFT   70.0
#define RIGHT  110.0
#define TOP    62.0
#define ROW    30.0
#define GAP    6.0
#define BOTTOM 44.0

/* Forward blue, backward green; later chunks of a device lighter. */
static void put_task(const pipe *p, cli_buffer *out, const cli_task *t, double scale)
{
    const cli_schedule *r = &p->plan.run;
    double x = LEFT + (double)t->begin * scale;
    double y = TOP + (ROW + GAP) * (double)t->device;
    double width = (double)(t->end - t->begin) * scale;
    uint32_t chunk = r->n_devices != 0 ? t->stage / r->n_devices : 0;
    uint32_t light = 42u + 34u * chunk / p->plan.schedule.n_chunks;
    cli_printf(out, "<g><title>%s of microbatch %" PRIu32 ", stage %" PRIu32 ": ",
               t->backward ? "backward" : "forward", t->microbatch, t->stage);
    cli_put_seconds(out, (double)t->begin / 1e9);
    cli_puts(out, " to ");
    cli_put_seconds(out, (double)t->end / 1e9);
    cli_printf(out,
               "</title><rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" stroke=\"#fff\" "
               "stroke-width=\"0.5\" fill=\"hsl(%s,55%%,"
               "%" PRIu32 "%%)\"/>",
               x, y, width, ROW, t->backward ? "140" : "215", light);
    if (width >= 7.0 * (1.0 + (t->microbatch >= 10u) + (t->microbatch >= 100u))) {
        cli_printf(
            out,
            "<text x=\"%.2f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"%s\">%" PRIu32 "</text>",
            x + width / 2.0, y + ROW / 2.0 + 4.0, light > 55u ? "#222" : "#fff", t->microbatch);
    }
    cli_puts(out, "</g>\n");
}

/* 1, 2 or 5 times a power of ten: five to ten of them make the span. */
static double tick_of(uint64_t span)
{
    double tick = 1.0;
    uint32_t i;
    for (i = 0; tick * 10.0 < (double)span; i++) {
        tick *= i % 3u == 1u ? 2.5 : 2.0;
    }
    return tick;
}

static void put_axis(const pipe *p, cli_buffer *out, double scale)
{
    const cli_schedule *r = &p->plan.run;
    double y = TOP + (ROW + GAP) * (double)r->n_devices + 4.0;
    double tick = tick_of(r->span);
    double at;
    cli_printf(out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#888\" fill=\"none\"/>\n", LEFT, y,
               LEFT + (double)r->span * scale);
    for (at = 0.0; at <= (double)r->span; at += tick) {
        cli_printf(out,
                   "<path d=\"M%.1f %.1fv5\" stroke=\"#888\"/><text x=\"%.1f\" y=\"%.1f\" "
                   "text-anchor=\"middle\">",
                   LEFT + at * scale, y, LEFT + at * scale, y + 19.0);
        cli_put_seconds(out, at / 1e9);
        cli_puts(out, "</text>\n");
    }
}

static void put_legend(cli_buffer *out)
{
    cli_printf(out,
               "<rect x=\"%.1f\" y=\"34\" width=\"12\" height=\"12\" fill=\"hsl(215,55%%,42%%)\"/>"
               "<text x=\"%.1f\" y=\"44\">forward</text>"
               "<rect x=\"%.1f\" y=\"34\" width=\"12\" height=\"12\" fill=\"hsl(140,55%%,42%%)\"/>"
               "<text x=\"%.1f\" y=\"44\">backward</text>"
               "<text x=\"%.1f\" y=\"44\">number: microbatch; lighter: later stage of the "
               "device</text>\n",
               LEFT, LEFT + 17.0, LEFT + 80.0, LEFT + 97.0, LEFT + 170.0);
}

static void put_svg(const pipe *p, cli_buffer *out)
{
    const cli_schedule *r = &p->plan.run;
    double scale = r->span == 0 ? 0.0 : (WIDTH - LEFT - RIGHT) / (double)r->span;
    double height = TOP + (ROW + GAP) * (double)r->n_devices + BOTTOM;
    uint32_t i;
    cli_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
               "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"11\">\n"
               "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
               "<text x=\"%.1f\" y=\"22\" font-size=\"15\">",
               WIDTH, height, WIDTH, height, LEFT);
    put_title(p, out);
    cli_puts(out, "</text>\n");
    put_legend(out);
    for (i = 0; i < r->n_devices; i++) {
        double y = TOP + (ROW + GAP) * (double)i;
        cli_printf(out,
                   "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"#eee\"/>"
                   "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">device %" PRIu32 "</text>"
                   "<text x=\"%.1f\" y=\"%.1f\">",
                   LEFT, y, (double)r->span * scale, ROW, LEFT - 8.0, y + ROW / 2.0 + 4.0, i,
                   WIDTH - RIGHT + 8.0, y + ROW / 2.0 - 3.0);
        cli_put_percent(out, r->busy[i], r->span);
        cli_printf(out, " busy</text><text x=\"%.1f\" y=\"%.1f\">", WIDTH - RIGHT + 8.0,
                   y + ROW / 2.0 + 11.0);
        cli_put_bytes(out, r->peak[i]);
        cli_puts(out, "</text>\n");
    }
    for (i = 0; i < r->n_tasks; i++) {
        put_task(p, out, &r->tasks[i], scale);
    }
    put_axis(p, out, scale);
    cli_puts(out, "</svg>\n");
}

int pipe_schedule_to_out(const pipe *p)
{
    return p->opt.svg != NULL && strcmp(p->opt.svg, "-") == 0;
}

int pipe_schedule_write(const pipe *p)
{
    cli_session *s = p->session;
    cli_buffer svg;
    if (pipe_schedule_to_out(p)) {
        put_svg(p, &s->out);
        return CLI_EXIT_OK;
    }
    cli_buffer_init(&svg, s);
    put_svg(p, &svg);
    return cli_write_file(s, p->opt.svg, &svg);
}
