/* --svg of `memory`: a box per tensor of the arena, with time to the right and offsets upwards. */
#include "commands/memory/svg.h"

#include "core/buffer.h"
#include "core/markup.h"

#include <inttypes.h>

#define WIDTH  1000.0
#define HEIGHT 420.0
#define LEFT   90.0
#define TOP    56.0
#define BOTTOM 40.0

typedef struct canvas {
    const memory *m;
    cli_buffer *out;
    double x; /* per step */
    double y; /* per byte */
} canvas;

static double x_of(const canvas *c, uint32_t step)
{
    return LEFT + c->x * (double)step;
}

static double y_of(const canvas *c, uint64_t bytes)
{
    return TOP + HEIGHT - c->y * (double)bytes;
}

static void put_text(const canvas *c, double x, double y, const char *anchor, const char *text)
{
    cli_printf(c->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor,
               text);
}

/* Colours cycle by node, so that neighbours differ. */
static unsigned hue(gsp_node v)
{
    return (unsigned)((uint64_t)v * 137u % 360u);
}

static void put_tensor(const canvas *c, const gsp_tensor *t)
{
    const gsp_graph *g = &c->m->graph;
    int given = gsp_node_op(g, t->node) == GSP_OP_PLACEHOLDER;
    double width = c->x * (double)(t->end - t->begin + 1u);
    double height = c->y * (double)t->bytes;
    cli_printf(c->out,
               "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
               "fill=\"hsl(%u,%s,%s)\"%s><title>",
               x_of(c, t->begin), y_of(c, t->offset + t->bytes), width, height, hue(t->node),
               given ? "10%" : "55%", t->scratch ? "85%" : "72%",
               width < 3.0 || height < 3.0 ? " stroke=\"none\"" : "");
    cli_xml_text(c->out, gsp_node_name(g, t->node), SIZE_MAX);
    cli_printf(c->out,
               "%s: %" PRIu64 " bytes at %" PRIu64 ", steps %" PRIu32 " to %" PRIu32
               "</title></rect>\n",
               t->scratch ? " (inside of the call)"
               : given    ? " (given)"
                          : "",
               t->bytes, t->offset, t->begin, t->end);
}

/* A name inside a box that is large enough. */
static void put_label(const canvas *c, const gsp_tensor *t)
{
    gsp_str name = gsp_node_name(&c->m->graph, t->node);
    double width = c->x * (double)(t->end - t->begin + 1u);
    if (width > 7.0 * (double)name.size + 6.0 && c->y * (double)t->bytes > 13.0) {
        cli_printf(c->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                   x_of(c, t->begin) + width / 2.0,
                   y_of(c, t->offset) - c->y * (double)t->bytes / 2.0 + 4.0);
        cli_xml_text(c->out, name, SIZE_MAX);
        cli_puts(c->out, "</text>\n");
    }
}

/* The live bytes as a staircase. */
static void put_live(const canvas *c)
{
    const gsp_liveness_result *r = &c->m->liveness;
    uint32_t i;
    cli_printf(c->out, "<path class=\"live\" d=\"M%.2f %.2f", x_of(c, 0), y_of(c, 0));
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
    cli_buffer text;
    uint32_t i;
    cli_buffer_init(&text, m->session);
    for (i = 0; i <= 4u; i++) {
        uint64_t bytes = m->memory_plan.arena / 4u * i + m->memory_plan.arena % 4u * i / 4u;
        text.size = 0;
        cli_put_bytes(&text, bytes);
        cli_put(&text, "", 1u);
        cli_printf(c->out, "<path class=\"grid\" d=\"M%.1f %.2fH%.1f\"/>\n", LEFT, y_of(c, bytes),
                   LEFT + WIDTH);
        put_text(c, LEFT - 8.0, y_of(c, bytes) + 4.0, "end", text.data);
    }
    for (i = 0; i <= 5u; i++) {
        uint32_t step = (uint32_t)((uint64_t)m->graph.n_nodes * i / 5u);
        text.size = 0;
        cli_printf(&text, "%" PRIu32, step);
        cli_put(&text, "", 1u);
        put_text(c, x_of(c, step), TOP + HEIGHT + 18.0, "middle", text.data);
    }
    put_text(c, LEFT + WIDTH / 2.0, TOP + HEIGHT + 34.0, "middle", "step");
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
    cli_printf(c->out, " for %" PRIu32 " tensors (boxes); line: live bytes%s</text>\n",
               m->memory_plan.n_tensors, m->split.n_parts > 1u ? "; dashed: parts" : "");
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
    canvas c;
    uint32_t i;
    c.m = m;
    c.out = out;
    c.x = WIDTH / (double)m->graph.n_nodes;
    c.y = HEIGHT / (double)(m->memory_plan.arena != 0 ? m->memory_plan.arena : 1u);
    cli_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
               "font-family=\"sans-serif\" font-size=\"11\">\n"
               "<style>rect{stroke:#444;stroke-width:.6}rect:hover{stroke-width:2}"
               ".grid{stroke:#ccc;stroke-width:.6}.title{font-size:15px;font-weight:bold}"
               ".live{fill:none;stroke:#b00;stroke-width:%s;pointer-events:none}"
               ".cut{stroke:#06c;stroke-width:1.4;stroke-dasharray:5 3}"
               "text{pointer-events:none}</style>\n"
               "<path fill=\"#fff\" d=\"M0 0H%.0fV%.0fH0z\"/>\n",
               LEFT + WIDTH + 30.0, TOP + HEIGHT + BOTTOM, m->graph.n_nodes > 300u ? ".5" : "1.6",
               LEFT + WIDTH + 30.0, TOP + HEIGHT + BOTTOM);
    put_title(&c);
    put_axes(&c);
    for (i = 0; i < m->memory_plan.n_tensors; i++) {
        put_tensor(&c, &m->memory_plan.tensors[i]);
    }
    for (i = 0; i < m->memory_plan.n_tensors; i++) {
        put_label(&c, &m->memory_plan.tensors[i]);
    }
    put_live(&c);
    if (m->opt.budget != UINT64_MAX) {
        put_parts(&c);
    }
    cli_puts(out, "</svg>\n");
}
