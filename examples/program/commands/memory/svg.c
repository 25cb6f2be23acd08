/* --svg of `memory`: a box per tensor of the arena, with time to the right and offsets upwards. */
#include "commands/memory/svg.h"

#include "core/buffer.h"
#include "core/chart.h"
#include "core/markup.h"

#include <inttypes.h>

#define WIDTH  1000.0
#define HEIGHT 420.0
#define LEFT   90.0
#define RIGHT  30.0
#define TOP    80.0
#define BOTTOM 40.0
#define LETTER 6.5 /* its width, about */
#define LINE   13.0
#define NAMES  24u  /* letters */
#define NAMED  400u /* with more tensors, names beside boxes would be a tangle */

typedef struct area {
    double x;
    double y;
    double width;
    double height;
} area;

typedef struct canvas {
    const memory *m;
    cli_buffer *out;
    double x;    /* per step */
    double y;    /* per byte */
    area *taken; /* boxes, then names beside boxes */
    uint32_t n_taken;
} canvas;

static double x_of(const canvas *c, uint32_t step)
{
    return LEFT + c->x * (double)step;
}

static double y_of(const canvas *c, uint64_t bytes)
{
    return TOP + HEIGHT - c->y * (double)bytes;
}

/* Colours cycle by node, so that neighbours differ. */
static unsigned hue(gsp_node v)
{
    return (unsigned)((uint64_t)v * 137u % 360u);
}

static area box_of(const canvas *c, const gsp_tensor *t)
{
    area a;
    a.x = x_of(c, t->begin);
    a.y = y_of(c, t->offset + t->bytes);
    a.width = c->x * (double)(t->end - t->begin + 1u);
    a.height = c->y * (double)t->bytes;
    return a;
}

static void put_tensor(const canvas *c, const gsp_tensor *t)
{
    const gsp_graph *g = &c->m->graph;
    int given = gsp_node_op(g, t->node) == GSP_OP_PLACEHOLDER;
    area a = box_of(c, t);
    cli_printf(c->out,
               "<rect class=\"box\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
               "fill=\"hsl(%u,%s,%s)\"%s><title>",
               a.x, a.y, a.width, a.height, hue(t->node), given ? "10%" : "55%",
               t->scratch ? "85%" : "72%",
               a.width < 3.0 || a.height < 3.0 ? " stroke=\"none\"" : "");
    cli_xml_text(c->out, gsp_node_name(g, t->node), SIZE_MAX);
    cli_printf(c->out,
               "%s: %" PRIu64 " bytes at %" PRIu64 ", steps %" PRIu32 " to %" PRIu32
               "</title></rect>\n",
               t->scratch ? " (inside of the call)"
               : given    ? " (given)"
                          : "",
               t->bytes, t->offset, t->begin, t->end);
}

/* ---- names: inside of boxes, upright in tall ones, or beside them where nothing else is ---- */

static void put_name(const canvas *c, const gsp_tensor *t, const char *attributes, double x,
                     double y)
{
    cli_printf(c->out, "<text class=\"%s transform=\"translate(%.1f %.1f)", attributes, x, y);
    cli_puts(c->out, attributes[0] == 'u' ? " rotate(-90)\">" : "\">");
    cli_xml_text(c->out, gsp_node_name(&c->m->graph, t->node), NAMES);
    cli_puts(c->out, "</text>\n");
}

static double name_width(const canvas *c, const gsp_tensor *t)
{
    uint32_t size = gsp_node_name(&c->m->graph, t->node).size;
    return LETTER * (double)(size < NAMES ? size : NAMES) + 6.0;
}

static int put_inside(const canvas *c, const gsp_tensor *t)
{
    area a = box_of(c, t);
    double width = name_width(c, t);
    if (a.width > width && a.height > LINE) {
        put_name(c, t, "dark middle\"", a.x + a.width / 2.0, a.y + a.height / 2.0 + 4.0);
    } else if (a.height > width && a.width > LINE) {
        put_name(c, t, "upright dark middle\"", a.x + a.width / 2.0 + 4.0, a.y + a.height / 2.0);
    } else {
        return 0;
    }
    return 1;
}

static int is_free(const canvas *c, const area *a)
{
    uint32_t i;
    for (i = 0; i < c->n_taken; i++) {
        const area *b = &c->taken[i];
        if (a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
            b->y < a->y + a->height) {
            return 0;
        }
    }
    return a->x >= LEFT && a->x + a->width <= LEFT + WIDTH + RIGHT && a->y >= TOP - LINE &&
           a->y + a->height <= TOP + HEIGHT;
}

/* Above, to the right, to the left. */
static void put_beside(canvas *c, const gsp_tensor *t)
{
    area a = box_of(c, t);
    area name;
    uint32_t side;
    name.width = name_width(c, t);
    name.height = LINE;
    for (side = 0; side < 3u; side++) {
        name.x = side == 0    ? a.x + (a.width - name.width) / 2.0
                 : side == 1u ? a.x + a.width
                              : a.x - name.width;
        name.y = side == 0 ? a.y - LINE : a.y + (a.height - LINE) / 2.0;
        if (is_free(c, &name)) {
            put_name(c, t, "halo middle\"", name.x + name.width / 2.0, name.y + 10.0);
            c->taken[c->n_taken++] = name;
            return;
        }
    }
}

static void put_names(canvas *c)
{
    const gsp_memory_plan_result *plan = &c->m->memory_plan;
    uint32_t i;
    c->taken = (area *)cli_alloc(c->m->session, (size_t)plan->n_tensors * 2u + 1u, sizeof(area));
    for (i = 0; i < plan->n_tensors; i++) {
        c->taken[c->n_taken++] = box_of(c, &plan->tensors[i]);
    }
    for (i = 0; i < plan->n_tensors; i++) {
        if (!put_inside(c, &plan->tensors[i]) && plan->n_tensors <= NAMED) {
            put_beside(c, &plan->tensors[i]);
        }
    }
}

/* The live bytes as a staircase. */
static void put_live(const canvas *c)
{
    const gsp_liveness_result *r = &c->m->liveness;
    uint32_t i;
    cli_printf(c->out, "<path class=\"mark live\" d=\"M%.2f %.2f", x_of(c, 0), y_of(c, 0));
    for (i = 0; i < r->step_begin[1]; i++) {
        if (i == 0 || r->live[i] != r->live[i - 1u]) {
            cli_printf(c->out, "H%.2fV%.2f", x_of(c, i), y_of(c, r->live[i]));
        }
    }
    cli_printf(c->out, "H%.2fV%.2f\"/>\n", x_of(c, r->step_begin[1]), y_of(c, 0));
}

static void put_axes(const canvas *c)
{
    const memory *m = c->m;
    uint64_t bytes = cli_chart_bytes(m->memory_plan.arena);
    uint32_t steps = (uint32_t)cli_chart_step((double)m->graph.n_nodes);
    uint32_t i;
    steps = steps != 0 ? steps : 1u;
    for (i = 0; i <= m->memory_plan.arena / bytes; i++) {
        double y = y_of(c, bytes * i);
        cli_printf(c->out,
                   "<path class=\"line\" d=\"M%.1f %.2fH%.1f\"/><text class=\"soft\" x=\"%.1f\" "
                   "y=\"%.1f\" text-anchor=\"end\">",
                   LEFT, y, LEFT + WIDTH, LEFT - 8.0, y + 4.0);
        cli_put_bytes(c->out, bytes * i);
        cli_puts(c->out, "</text>\n");
    }
    for (i = 0; i <= m->graph.n_nodes / steps; i++) {
        cli_printf(c->out, "<text class=\"soft middle\" x=\"%.1f\" y=\"%.1f\">%" PRIu32 "</text>\n",
                   x_of(c, i * steps), TOP + HEIGHT + 18.0, i * steps);
    }
    cli_printf(c->out, "<text class=\"soft middle\" x=\"%.1f\" y=\"%.1f\">step</text>\n",
               LEFT + WIDTH / 2.0, TOP + HEIGHT + 34.0);
}

static void put_title(const canvas *c)
{
    const memory *m = c->m;
    cli_printf(c->out, "<text class=\"title\" x=\"%.0f\" y=\"22\">", LEFT);
    cli_xml_text(c->out, gsp_str_of(m->session->path), SIZE_MAX);
    cli_printf(c->out, "</text>\n<text x=\"%.0f\" y=\"42\">peak ", LEFT);
    cli_put_need(c->out, m->liveness.parts[0].bytes);
    cli_printf(c->out, " at step %" PRIu32 ", while ", m->liveness.parts[0].step);
    cli_xml_text(c->out, memory_node_name(&m->graph, m->liveness.parts[0].node), SIZE_MAX);
    cli_puts(c->out, " runs; arena ");
    cli_put_need(c->out, m->memory_plan.arena);
    cli_printf(c->out, " for %" PRIu32 " tensors</text>\n", m->memory_plan.n_tensors);
}

static void put_legend(const canvas *c)
{
    static const char *const says[] = {
        "<rect class=\"box\" width=\"14\" height=\"10\" y=\"-9\" fill=\"hsl(215,55%,72%)\"/>"
        "<text x=\"20\">tensor: its offset, from its first to its last step</text>",
        "<rect class=\"box\" width=\"14\" height=\"10\" y=\"-9\" fill=\"hsl(215,10%,72%)\"/>"
        "<text x=\"20\">given to the graph</text>",
        "<path class=\"mark\" stroke-width=\"1.6\" d=\"M0 -4h14\"/><text x=\"20\">live "
        "bytes</text>",
        "<path class=\"cut\" d=\"M7 -10v12\"/><text x=\"20\">first step of a part</text>"};
    static const double at[] = {0.0, 330.0, 470.0, 570.0};
    uint32_t n = c->m->split.n_parts > 1u ? 4u : 3u;
    uint32_t i;
    for (i = 0; i < n; i++) {
        cli_printf(c->out, "<g transform=\"translate(%.0f 62)\">%s</g>\n", LEFT + at[i], says[i]);
    }
}

/* The first nodes of parts, if nodes stand in graph order. */
static void put_parts(const canvas *c)
{
    const gsp_split_by_memory_result *r = &c->m->split;
    uint32_t i;
    for (i = 1; i < r->n_parts; i++) {
        double x = x_of(c, r->nodes[r->begin[i]]);
        cli_printf(c->out,
                   "<path class=\"cut\" d=\"M%.2f %.1fV%.1f\"><title>part %" PRIu32
                   "</title></path>\n",
                   x, TOP - 6.0, TOP + HEIGHT, i);
    }
}

void memory_svg(const memory *m, cli_buffer *out)
{
    canvas c = {0};
    uint32_t i;
    c.m = m;
    c.out = out;
    c.x = WIDTH / (double)m->graph.n_nodes;
    c.y = HEIGHT / (double)(m->memory_plan.arena != 0 ? m->memory_plan.arena : 1u);
    cli_chart_begin(out, LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM);
    cli_printf(out,
               "<style>.box{stroke:#444;stroke-width:.6}.box:hover{stroke-width:2}"
               ".title{font-size:15px;font-weight:bold}.middle{text-anchor:middle}"
               ".live{stroke-width:%s;pointer-events:none}text{pointer-events:none}"
               ".cut{stroke:#2f7fe0;stroke-width:1.4;stroke-dasharray:5 3}</style>\n",
               m->graph.n_nodes > 300u ? ".5" : "1.6");
    put_title(&c);
    put_legend(&c);
    put_axes(&c);
    for (i = 0; i < m->memory_plan.n_tensors; i++) {
        put_tensor(&c, &m->memory_plan.tensors[i]);
    }
    put_live(&c);
    put_names(&c);
    if (m->opt.budget != UINT64_MAX) {
        put_parts(&c);
    }
    cli_puts(out, "</svg>\n");
}
