/* --svg of `pipe`: the schedule of a run as a chart. */
#include "commands/pipe/pipe.h"

#include "output/output.h"

#include <inttypes.h>

#define WIDTH  1100.0
#define LEFT   70.0
#define RIGHT  110.0
#define TOP    62.0
#define ROW    30.0
#define CURVE  18.0 /* the bytes of a device, below its row */
#define GAP    6.0
#define BOTTOM 44.0
#define FONT   11.0 /* of a number in a task; in narrow ones it is smaller, */
#define SMALL  5.0  /* but not that small */
#define DIGIT  0.65 /* width of a digit of font size 1 */

static int has_bytes(const pipe_job *p)
{
    uint32_t k = 0;
    while (k < p->plan.run.n_devices && p->plan.run.peak[k] == 0) {
        k++;
    }
    return pipe_is_timed(p) && k < p->plan.run.n_devices;
}

/* The rows of devices, one after the other. */
static double row_top(const pipe_job *p, uint32_t device)
{
    return TOP + (ROW + GAP + (has_bytes(p) ? CURVE : 0.0)) * (double)device;
}

static uint32_t count_digits(uint32_t number)
{
    uint32_t digits = 1;
    for (; number >= 10u; number /= 10u) {
        digits++;
    }
    return digits;
}

/* All numbers of a kind of task are of one size, in which the longest fits. */
static void put_number(
    const pipe_job *p, cli_buffer *out, const gsp_task *t, double scale, int dark)
{
    double width = (double)(t->end - t->begin) * scale;
    double digits = count_digits(p->plan.schedule.n_microbatches - 1u);
    double size = (width - 1.0) / (DIGIT * digits);
    size = size < FONT ? size : FONT;
    if (size >= SMALL) {
        cli_printf(out, "<text class=\"%s\" x=\"%.2f\" y=\"%.1f\" text-anchor=\"middle\"",
            dark ? "dark" : "light", LEFT + (double)t->begin * scale + width / 2.0,
            row_top(p, t->device) + ROW / 2.0 + 0.36 * size);
        if (size < FONT) {
            cli_printf(out, " font-size=\"%.1f\"", size);
        }
        cli_printf(out, ">%" PRIu32 "</text>", t->microbatch);
    }
}

/* Forward blue, backward green, its part for the parameters brown; later chunks of a device are
 * lighter. */
static void put_task(const pipe_job *p, cli_buffer *out, const gsp_task *t, double scale)
{
    static const char *const hues[] = {"215", "140", "140", "35"};
    const gsp_schedule_result *r = &p->plan.run;
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
        LEFT + (double)t->begin * scale, row_top(p, t->device), (double)(t->end - t->begin) * scale,
        ROW, hues[t->backward], light);
    put_number(p, out, t, scale, light > 55u);
    cli_puts(out, "</g>\n");
}

/* ---- bytes ---- */

typedef struct curve {
    cli_buffer *out;
    double base;  /* y of 0 bytes */
    double scale; /* per tick */
    double most;  /* bytes of the highest curve */
} curve;

static void put_step(const curve *c, uint64_t at, uint64_t bytes)
{
    cli_printf(c->out, "H%.2fV%.2f", LEFT + (double)at * c->scale,
        c->base - (CURVE - 2.0) * (double)bytes / c->most);
}

static void put_peak(const pipe_job *p, cli_buffer *out, uint32_t device)
{
    int const least = cli_graph_least(&p->graph, 0) || cli_graph_least(&p->graph, 1);
    cli_put_least(out, p->plan.run.peak[device], least, cli_put_need);
}

/* The bytes of a device over time, in one scale for all devices. */
static void put_curve(const pipe_job *p, cli_buffer *out, uint32_t device, double scale)
{
    const gsp_schedule_result *r = &p->plan.run;
    curve c = {out, row_top(p, device) + ROW + CURVE, scale, 1.0};
    uint64_t bytes = pipe_resident(p, device);
    uint32_t i;
    for (i = 0; i < r->n_devices; i++) {
        c.most = (double)r->peak[i] > c.most ? (double)r->peak[i] : c.most;
    }
    cli_puts(out, "<g><title>at most ");
    put_peak(p, out, device);
    cli_printf(out,
        "</title><path fill=\"hsl(265,45%%,60%%)\" fill-opacity=\"0.55\" d=\"M%.1f %.1f", LEFT,
        c.base);
    put_step(&c, 0, bytes);
    for (i = r->task_begin[device]; i < r->task_begin[device + 1u]; i++) {
        const gsp_task *t = &r->tasks[i];
        uint64_t const stash = p->plan.schedule.stash[t->stage];
        if (!t->backward && stash != 0) {
            bytes += stash;
            put_step(&c, t->begin, bytes);
        }
        if (gsp_task_frees(&p->plan.schedule, t) && stash != 0) {
            bytes -= stash;
            put_step(&c, t->end, bytes);
        }
    }
    put_step(&c, r->span, 0);
    cli_puts(out, "Z\"/></g>\n");
}

static void put_axis(const pipe_job *p, cli_buffer *out, double scale)
{
    const gsp_schedule_result *r = &p->plan.run;
    double y = row_top(p, r->n_devices) + 4.0;
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

/* A box of the legend at x, filled, with a word. */
static void put_entry(cli_buffer *out, double x, const char *fill, const char *word)
{
    cli_printf(out,
        "<rect x=\"%.1f\" y=\"34\" width=\"12\" height=\"12\" fill=\"%s\"/>"
        "<text x=\"%.1f\" y=\"44\">%s</text>",
        x, fill, x + 17.0, word);
}

static void put_legend(const pipe_job *p, cli_buffer *out)
{
    const gsp_schedule_result *r = &p->plan.run;
    double x = LEFT + 170.0;
    uint32_t i = 0;
    while (i < r->n_tasks && r->tasks[i].backward != (uint32_t)GSP_ACTION_BACKWARD_WEIGHT) {
        i++;
    }
    put_entry(out, LEFT, "hsl(215,55%,42%)", "forward");
    put_entry(out, LEFT + 80.0, "hsl(140,55%,42%)", "backward");
    if (i < r->n_tasks) {
        put_entry(out, x, "hsl(35,55%,42%)", "parameters");
        x += 95.0;
    }
    if (pipe_is_timed(p)) {
        put_entry(out, x, "url(#idle)", "idle");
        x += 60.0;
    }
    if (has_bytes(p)) {
        put_entry(out, x, "hsl(265,45%,60%)", "bytes");
        x += 65.0;
    }
    cli_printf(out,
        "<text x=\"%.1f\" y=\"44\">number: microbatch; lighter: later stage of the "
        "device</text>\n",
        x);
}

static void put_row(const pipe_job *p, cli_buffer *out, uint32_t device, double scale)
{
    const gsp_schedule_result *r = &p->plan.run;
    double y = row_top(p, device);
    cli_printf(out,
        "<rect class=\"row\" x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"/>"
        "<rect fill=\"url(#idle)\" x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"/>"
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">device %" PRIu32 "</text>"
        "<text x=\"%.1f\" y=\"%.1f\">",
        LEFT, y, (double)r->span * scale, ROW, LEFT, y, (double)r->span * scale, ROW, LEFT - 8.0,
        y + ROW / 2.0 + 4.0, device, WIDTH - RIGHT + 8.0, y + ROW / 2.0 - 3.0);
    if (pipe_is_timed(p)) {
        cli_put_percent(out, r->busy[device], r->span);
        cli_puts(out, " busy");
    }
    cli_printf(
        out, "</text><text x=\"%.1f\" y=\"%.1f\">", WIDTH - RIGHT + 8.0, y + ROW / 2.0 + 11.0);
    put_peak(p, out, device);
    cli_puts(out, "</text>\n");
    if (has_bytes(p)) {
        put_curve(p, out, device, scale);
    }
}

void pipe_svg(const pipe_job *p, cli_buffer *out)
{
    const gsp_schedule_result *r = &p->plan.run;
    double scale = r->span == 0 ? 0.0 : (WIDTH - LEFT - RIGHT) / (double)r->span;
    uint32_t i;
    cli_chart_begin(out, WIDTH, row_top(p, r->n_devices) + BOTTOM);
    cli_puts(out, "<defs><pattern id=\"idle\" width=\"6\" height=\"6\" "
                  "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
                  "<rect width=\"2\" height=\"6\" fill=\"hsl(0,45%,60%)\" fill-opacity=\"0.5\"/>"
                  "</pattern></defs>\n");
    cli_printf(out, "<text x=\"%.1f\" y=\"22\" font-size=\"15\">", LEFT);
    pipe_put_schedule(p, out);
    cli_puts(out, "</text>\n");
    put_legend(p, out);
    for (i = 0; i < r->n_devices; i++) {
        put_row(p, out, i, scale);
    }
    for (i = 0; i < r->n_tasks && pipe_is_timed(p); i++) {
        put_task(p, out, &r->tasks[i], scale);
    }
    if (pipe_is_timed(p)) {
        put_axis(p, out, scale);
    }
    cli_puts(out, "</svg>\n");
}
