/* --svg of `pipe`: the schedule of a run as a chart. */
#include "commands/pipe/svg.h"

#include "core/buffer.h"
#include "core/chart.h"

#include <inttypes.h>

#define WIDTH  1100.0
#define LEFT   70.0
#define RIGHT  110.0
#define TOP    62.0
#define ROW    30.0
#define GAP    6.0
#define BOTTOM 44.0

/* Forward blue, backward green, its part for the parameters brown; later chunks of a device are
 * lighter. */
static void put_task(const pipe *p, cli_buffer *out, const cli_task *t, double scale)
{
    static const char *const hues[] = {"215", "140", "140", "35"};
    const cli_schedule *r = &p->plan.run;
    double x = LEFT + (double)t->begin * scale;
    double y = TOP + (ROW + GAP) * (double)t->device;
    double width = (double)(t->end - t->begin) * scale;
    uint32_t devices = r->n_devices != 0 ? r->n_devices : 1u;
    uint32_t chunk = t->stage / devices;
    uint32_t chunks = (r->n_stages + devices - 1u) / devices;
    uint32_t light = 42u + 34u * chunk / chunks;
    cli_printf(out, "<g><title>%s of microbatch %" PRIu32 ", stage %" PRIu32 ": ",
               pipe_task_name(t), t->microbatch, t->stage);
    pipe_put_time(p, out, t->begin);
    cli_puts(out, " to ");
    pipe_put_time(p, out, t->end);
    cli_printf(out,
               "</title><rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" stroke=\"#fff\" "
               "stroke-width=\"0.5\" fill=\"hsl(%s,55%%,"
               "%" PRIu32 "%%)\"/>",
               x, y, width, ROW, hues[t->backward], light);
    if (width >= 7.0 * (1.0 + (t->microbatch >= 10u) + (t->microbatch >= 100u))) {
        cli_printf(
            out,
            "<text class=\"%s\" x=\"%.2f\" y=\"%.1f\" text-anchor=\"middle\">%" PRIu32 "</text>",
            light > 55u ? "dark" : "light", x + width / 2.0, y + ROW / 2.0 + 4.0, t->microbatch);
    }
    cli_puts(out, "</g>\n");
}

static void put_axis(const pipe *p, cli_buffer *out, double scale)
{
    const cli_schedule *r = &p->plan.run;
    double y = TOP + (ROW + GAP) * (double)r->n_devices + 4.0;
    double step = p->opt.times.unit == CLI_TIMES_NODES ? cli_chart_step((double)r->span / 1e9)
                                                       : cli_chart_seconds((double)r->span / 1e9);
    uint32_t i;
    cli_printf(out, "<path class=\"line\" d=\"M%.1f %.1fH%.1f\"/>\n", LEFT, y,
               LEFT + (double)r->span * scale);
    for (i = 0; step * i * 1e9 <= (double)r->span; i++) {
        double x = LEFT + step * i * 1e9 * scale;
        cli_printf(out,
                   "<path class=\"line\" d=\"M%.1f %.1fv5\"/><text class=\"soft\" x=\"%.1f\" "
                   "y=\"%.1f\" text-anchor=\"middle\">",
                   x, y, x, y + 19.0);
        cli_put_time(out, &p->opt.times, step * i);
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

void pipe_svg(const pipe *p, cli_buffer *out)
{
    const cli_schedule *r = &p->plan.run;
    double scale = r->span == 0 ? 0.0 : (WIDTH - LEFT - RIGHT) / (double)r->span;
    double height = TOP + (ROW + GAP) * (double)r->n_devices + BOTTOM;
    uint32_t i;
    cli_chart_begin(out, WIDTH, height);
    cli_printf(out, "<text x=\"%.1f\" y=\"22\" font-size=\"15\">", LEFT);
    pipe_put_schedule(p, out);
    cli_puts(out, "</text>\n");
    put_legend(out);
    for (i = 0; i < r->n_devices; i++) {
        double y = TOP + (ROW + GAP) * (double)i;
        cli_printf(out,
                   "<rect class=\"row\" x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"/>"
                   "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">device %" PRIu32 "</text>"
                   "<text x=\"%.1f\" y=\"%.1f\">",
                   LEFT, y, (double)r->span * scale, ROW, LEFT - 8.0, y + ROW / 2.0 + 4.0, i,
                   WIDTH - RIGHT + 8.0, y + ROW / 2.0 - 3.0);
        if (pipe_is_timed(p)) {
            cli_put_percent(out, r->busy[i], r->span);
            cli_puts(out, " busy");
        }
        cli_printf(out, "</text><text x=\"%.1f\" y=\"%.1f\">", WIDTH - RIGHT + 8.0,
                   y + ROW / 2.0 + 11.0);
        cli_put_need(out, r->peak[i]);
        cli_puts(out, "</text>\n");
    }
    for (i = 0; i < r->n_tasks && pipe_is_timed(p); i++) {
        put_task(p, out, &r->tasks[i], scale);
    }
    if (pipe_is_timed(p)) {
        put_axis(p, out, scale);
    }
    cli_puts(out, "</svg>\n");
}
