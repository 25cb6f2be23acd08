/* --svg of `memory`: a box per tensor, with time to the right and offsets upwards; several memories
 * side by side, each with a scale of its own. */
#include "commands/memory/memory.h"

#include <inttypes.h>

#define WIDTH  1000.0
#define HEIGHT 420.0
#define LEFT   90.0
#define RIGHT  30.0
#define TOP    80.0
#define BOTTOM 60.0
#define GAP    80.0 /* between memories, for the next axis */
#define LETTER 6.5  /* its width, about */
#define LINE   13.0
#define NAMES  24u   /* letters */
#define NAMED  400u  /* with more tensors, names beside boxes would be a tangle */
#define TOLD   1000u /* steps that the pointer tells apart */

typedef struct area {
    double x;
    double y;
    double width;
    double height;
} area;

/* A memory; without --memory the arena. */
typedef struct panel {
    double left;
    double width;
    double x; /* per step */
    double y; /* per byte */
    uint64_t bytes;
    uint64_t *live; /* [told] greatest bytes in a slice of the steps */
} panel;

typedef struct canvas {
    const memory *m;
    cli_buffer *out;
    panel panels[GSP_MEMORIES_MOST];
    uint32_t n_panels;
    uint64_t n_steps;
    uint32_t told; /* slices of the steps */
    area *taken;   /* boxes, then names beside boxes */
    uint32_t n_taken;
} canvas;

/* Bytes are lower bounds, for those of an activation are not known. */
static int is_least(const memory *m)
{
    return m->ids == NULL && cli_graph_least(&m->graph, 0);
}

/* ---- panels ---- */

static uint32_t panel_of(const canvas *c, uint32_t i)
{
    return c->m->several.n != 0 ? c->m->several.result.memory[i] : 0u;
}

static double x_of(const panel *p, uint64_t step)
{
    return p->left + p->x * (double)step;
}

static double y_of(const panel *p, uint64_t bytes)
{
    return TOP + HEIGHT - p->y * (double)bytes;
}

/* The slice of a step, or of its end. */
static uint32_t slice_of(const canvas *c, uint64_t step)
{
    return (uint32_t)(step * c->told / c->n_steps);
}

/* Live bytes change at begins and ends; a slice has the most of its steps. */
static void count_live(canvas *c, uint32_t at)
{
    const gsp_memory_plan_result *plan = &c->m->memory_plan;
    panel *p = &c->panels[at];
    size_t const room = (size_t)c->n_steps + 1u;
    uint64_t *change = (uint64_t *)cli_alloc(c->m->session, room, sizeof *change);
    uint64_t live = 0;
    uint32_t i;
    uint64_t k;
    p->live = (uint64_t *)cli_alloc(c->m->session, (size_t)c->told + 1u, sizeof *p->live);
    for (i = 0; i < plan->n_tensors; i++) {
        const gsp_tensor *t = &plan->tensors[i];
        if (panel_of(c, i) == at) {
            change[t->begin] += t->bytes;
            change[t->end + 1u] -= t->bytes;
        }
    }
    for (k = 0; k < c->n_steps; k++) {
        uint64_t *most = &p->live[slice_of(c, k)];
        live += change[k];
        *most = live > *most ? live : *most;
    }
    cli_release(c->m->session, change);
}

static void make_panels(canvas *c)
{
    const memory *m = c->m;
    uint32_t i;
    c->n_panels = m->several.n != 0 ? m->several.n : 1u;
    c->n_steps = m->graph.n_nodes;
    c->told = c->n_steps < TOLD ? (uint32_t)c->n_steps : TOLD;
    for (i = 0; i < c->n_panels; i++) {
        panel *p = &c->panels[i];
        p->bytes = m->several.n != 0 ? m->several.use[i].bytes : m->memory_plan.arena;
        p->width = (WIDTH - GAP * (double)(c->n_panels - 1u)) / (double)c->n_panels;
        p->left = LEFT + (p->width + GAP) * (double)i;
        p->x = p->width / (double)c->n_steps;
        p->y = HEIGHT / (double)(p->bytes != 0 ? p->bytes : 1u);
        count_live(c, i);
    }
}

/* Colours cycle by node, so that neighbours differ. */
static unsigned hue(gsp_node v)
{
    return (unsigned)((uint64_t)v * 137u % 360u);
}

static area box_of(const canvas *c, uint32_t i)
{
    const gsp_tensor *t = &c->m->memory_plan.tensors[i];
    const panel *p = &c->panels[panel_of(c, i)];
    area a;
    a.x = x_of(p, t->begin);
    a.y = y_of(p, t->offset + t->bytes);
    a.width = p->x * (double)(t->end - t->begin + 1u);
    a.height = p->y * (double)t->bytes;
    return a;
}

/* What the tooltip adds to the name of a tensor; NULL for an activation. */
static const char *note_of(const memory *m, uint32_t i)
{
    const gsp_tensor *t = &m->memory_plan.tensors[i];
    uint32_t const kind = m->several.n != 0 ? m->several.kind[i] : 0u;
    return kind >= MEMORY_STATE                                    ? memory_kind_word(kind)
           : t->scratch                                            ? "inside of the call"
           : gsp_node_op(&m->graph, t->node) == GSP_OP_PLACEHOLDER ? "given"
                                                                   : NULL;
}

static void put_tensor(const canvas *c, uint32_t i)
{
    const memory *m = c->m;
    const gsp_tensor *t = &m->memory_plan.tensors[i];
    const char *note = note_of(m, i);
    area a = box_of(c, i);
    cli_printf(c->out,
        "<rect class=\"box%s%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
        "fill=\"hsl(%u,%s,%s)\"><title>",
        a.width < 3.0 || a.height < 3.0 ? " thin" : "",
        m->misfit != NULL && m->misfit[i] != 0 ? " misfit" : "", a.x, a.y, a.width, a.height,
        hue(t->node), note != NULL && !t->scratch ? "10%" : "55%", t->scratch ? "85%" : "72%");
    cli_xml_text(c->out, memory_tensor_name(m, t), SIZE_MAX);
    cli_puts(c->out, note != NULL ? " (" : "");
    cli_puts(c->out, note != NULL ? note : "");
    cli_printf(c->out,
        "%s: %s%" PRIu64 " bytes at %" PRIu64 ", steps %" PRIu32 " to %" PRIu32 "</title></rect>\n",
        note != NULL ? ")" : "",
        m->ids == NULL && cli_any_least(&m->graph, &t->node, 1u) ? ">= " : "", t->bytes, t->offset,
        t->begin, t->end);
}

/* ---- names: inside of boxes, upright in tall ones, or beside them where there is space ---- */

static void put_name(const canvas *c, uint32_t i, const char *attributes, double x, double y)
{
    cli_printf(c->out, "<text class=\"%s transform=\"translate(%.1f %.1f)", attributes, x, y);
    cli_puts(c->out, attributes[0] == 'u' ? " rotate(-90)\">" : "\">");
    cli_xml_text(c->out, memory_tensor_name(c->m, &c->m->memory_plan.tensors[i]), NAMES);
    cli_puts(c->out, "</text>\n");
}

static double name_width(const canvas *c, uint32_t i)
{
    uint32_t size = memory_tensor_name(c->m, &c->m->memory_plan.tensors[i]).size;
    return LETTER * (double)(size < NAMES ? size : NAMES) + 6.0;
}

static int put_inside(const canvas *c, uint32_t i)
{
    area a = box_of(c, i);
    double width = name_width(c, i);
    if (a.width > width && a.height > LINE) {
        put_name(c, i, "dark middle\"", a.x + a.width / 2.0, a.y + a.height / 2.0 + 4.0);
    } else if (a.height > width && a.width > LINE) {
        put_name(c, i, "upright dark middle\"", a.x + a.width / 2.0 + 4.0, a.y + a.height / 2.0);
    } else {
        return 0;
    }
    return 1;
}

static int is_free(const canvas *c, const panel *p, const area *a)
{
    uint32_t i;
    for (i = 0; i < c->n_taken; i++) {
        const area *b = &c->taken[i];
        if (a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
            b->y < a->y + a->height) {
            return 0;
        }
    }
    return a->x >= p->left && a->x + a->width <= p->left + p->width + RIGHT && a->y >= TOP - LINE &&
           a->y + a->height <= TOP + HEIGHT;
}

/* Above, to the right, to the left. */
static void put_beside(canvas *c, uint32_t i)
{
    area a = box_of(c, i);
    area name;
    uint32_t side;
    name.width = name_width(c, i);
    name.height = LINE;
    for (side = 0; side < 3u; side++) {
        name.x = side == 0    ? a.x + (a.width - name.width) / 2.0
                 : side == 1u ? a.x + a.width
                              : a.x - name.width;
        name.y = side == 0 ? a.y - LINE : a.y + (a.height - LINE) / 2.0;
        if (is_free(c, &c->panels[panel_of(c, i)], &name)) {
            put_name(c, i, "halo middle\"", name.x + name.width / 2.0, name.y + 10.0);
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
        c->taken[c->n_taken++] = box_of(c, i);
    }
    for (i = 0; i < plan->n_tensors; i++) {
        if (!put_inside(c, i) && plan->n_tensors <= NAMED) {
            put_beside(c, i);
        }
    }
}

/* ---- lines ---- */

/* The live bytes as a staircase. */
static void put_live(const canvas *c, const panel *p)
{
    double const slice = p->width / (double)c->told;
    uint32_t i;
    cli_printf(c->out, "<path class=\"live\" d=\"M%.2f %.2f", p->left, y_of(p, 0));
    for (i = 0; i < c->told; i++) {
        if (i == 0 || p->live[i] != p->live[i - 1u]) {
            cli_printf(c->out, "H%.2fV%.2f", p->left + slice * (double)i, y_of(p, p->live[i]));
        }
    }
    cli_printf(c->out, "H%.2fV%.2f\"/>\n", p->left + p->width, y_of(p, 0));
}

static void put_axes(const canvas *c, uint32_t at)
{
    const memory_several *all = &c->m->several;
    const panel *p = &c->panels[at];
    uint64_t bytes = cli_chart_bytes(p->bytes);
    double const most = p->width / 50.0 < 10.0 ? p->width / 50.0 : 10.0; /* labels */
    uint64_t steps = cli_whole(cli_chart_step((double)c->n_steps * 10.0 / most));
    uint64_t i;
    steps = steps != 0 ? steps : 1u;
    for (i = 0; i <= p->bytes / bytes; i++) {
        double y = y_of(p, bytes * i);
        cli_printf(c->out,
            "<path class=\"line\" d=\"M%.1f %.2fH%.1f\"/><text class=\"soft\" x=\"%.1f\" "
            "y=\"%.1f\" text-anchor=\"end\">",
            p->left, y, p->left + p->width, p->left - 8.0, y + 4.0);
        cli_put_bytes(c->out, bytes * i);
        cli_puts(c->out, "</text>\n");
    }
    for (i = 0; i <= c->n_steps / steps; i++) {
        cli_printf(c->out, "<text class=\"soft middle\" x=\"%.1f\" y=\"%.1f\">%" PRIu64 "</text>\n",
            x_of(p, i * steps), TOP + HEIGHT + 18.0, i * steps);
    }
    cli_printf(c->out, "<text class=\"%s middle\" x=\"%.1f\" y=\"%.1f\">",
        all->n != 0 ? "name" : "soft", p->left + p->width / 2.0, TOP + HEIGHT + 34.0);
    if (all->n != 0) {
        cli_xml_text(c->out, all->names[at], 12u);
        cli_puts(c->out, ": ");
        cli_put_least(c->out, p->bytes, is_least(c->m), cli_put_need);
        cli_puts(c->out, " of ");
        cli_put_bytes(c->out, all->list[at].bytes);
    } else {
        cli_puts(c->out, "step");
    }
    cli_puts(c->out, "</text>\n");
}

/* The capacity that the outlined tensors exceed. */
static void put_capacity(const canvas *c)
{
    const panel *p = &c->panels[0];
    double const y = y_of(p, c->m->opt.capacity);
    if (c->m->misfit != NULL) {
        cli_printf(c->out, "<path class=\"limit\" d=\"M%.1f %.2fH%.1f\"/>\n", p->left, y,
            p->left + p->width);
    }
}

/* ---- the step under the pointer ---- */

/* A text per slice, which the script shows: the step with the most live bytes. */
static void put_steps(const canvas *c)
{
    const memory *m = c->m;
    uint32_t i;
    uint32_t k;
    uint64_t step = 0;
    for (i = 0; i < c->told; i++) {
        uint64_t best = step;
        for (; step < c->n_steps && slice_of(c, step) == i; step++) {
            best = m->liveness.live[step] > m->liveness.live[best] ? step : best;
        }
        cli_printf(c->out, "<text class=\"told\" x=\"%.0f\" y=\"%.0f\">step %" PRIu64 ", ", LEFT,
            TOP + HEIGHT + 52.0, best);
        cli_xml_text(c->out, memory_node_name(&m->graph, (gsp_node)best), 40u);
        cli_puts(c->out, ": ");
        for (k = 0; k < c->n_panels; k++) {
            cli_puts(c->out, k != 0 ? ", " : "");
            cli_put_least(c->out, c->panels[k].live[i], is_least(m), cli_put_need);
            cli_puts(c->out, m->several.n != 0 ? " in " : " live");
            if (m->several.n != 0) {
                cli_xml_text(c->out, m->several.names[k], 12u);
            }
        }
        cli_puts(c->out, "</text>\n");
    }
    for (k = 0; k < c->n_panels; k++) {
        cli_printf(c->out,
            "<path class=\"at\" data-left=\"%.2f\" data-width=\"%.2f\" d=\"M0 %.0fV%.0f\"/>\n",
            c->panels[k].left, c->panels[k].width, TOP, TOP + HEIGHT);
    }
    cli_puts(c->out,
        "<script>//<![CDATA[\n"
        "(function () {\n"
        "  var svg = document.currentScript.parentNode, shown = null;\n"
        "  var told = svg.querySelectorAll('.told'), lines = svg.querySelectorAll('.at');\n"
        "  svg.addEventListener('mousemove', function (event) {\n"
        "    var p = new DOMPoint(event.clientX, event.clientY);\n"
        "    var x = p.matrixTransform(svg.getScreenCTM().inverse()).x, at = -1;\n"
        "    lines.forEach(function (line) {\n"
        "      var part = (x - line.dataset.left) / line.dataset.width;\n"
        "      if (part >= 0 && part < 1) at = Math.floor(part * told.length);\n"
        "    });\n"
        "    if (shown) shown.style.display = 'none';\n"
        "    shown = at < 0 ? null : told[at];\n"
        "    if (shown) shown.style.display = 'inline';\n"
        "    lines.forEach(function (line) {\n"
        "      var to = +line.dataset.left + (at + 0.5) / told.length * line.dataset.width;\n"
        "      line.style.display = at < 0 ? 'none' : 'inline';\n"
        "      line.setAttribute('transform', 'translate(' + to + ' 0)');\n"
        "    });\n"
        "  });\n"
        "})();\n"
        "//]]></script>\n");
}

/* ---- title and legend ---- */

static void put_title(const canvas *c)
{
    const memory *m = c->m;
    int const least = is_least(m);
    cli_printf(c->out, "<text class=\"title\" x=\"%.0f\" y=\"22\">", LEFT);
    cli_xml_text(c->out, gsp_str_of(m->session->path), SIZE_MAX);
    cli_printf(c->out, "</text>\n<text x=\"%.0f\" y=\"42\">peak ", LEFT);
    cli_put_least(c->out, m->liveness.parts[0].bytes, least, cli_put_need);
    cli_printf(c->out, " at step %" PRIu32 ", while ", m->liveness.parts[0].step);
    cli_xml_text(c->out, memory_node_name(&m->graph, m->liveness.parts[0].node), SIZE_MAX);
    cli_puts(c->out, " runs; ");
    if (m->several.n != 0) {
        cli_put_seconds(c->out, (double)m->several.result.cost / 1e12);
        cli_puts(c->out, " to read and write");
    } else {
        cli_puts(c->out, "arena ");
        cli_put_least(c->out, m->memory_plan.arena, least, cli_put_need);
        cli_puts(c->out, " for");
    }
    cli_printf(c->out, " %" PRIu32 " tensors</text>\n", m->memory_plan.n_tensors);
}

typedef struct entry {
    int shown;
    const char *mark;
    const char *text;
} entry;

static void put_legend(const canvas *c)
{
    const memory *m = c->m;
    entry list[] = {
        {1, "<rect class=\"box\" width=\"14\" height=\"10\" y=\"-9\" fill=\"hsl(215,55%,72%)\"/>",
            "tensor: its offset, from its first to its last step"},
        {1, "<rect class=\"box\" width=\"14\" height=\"10\" y=\"-9\" fill=\"hsl(215,10%,72%)\"/>",
            "given to the graph"},
        {1, "<path class=\"live\" d=\"M0 -4h14\"/>", "live bytes"},
        {0, "<path class=\"cut\" d=\"M7 -10v12\"/>", "first step of a part"},
        {0,
            "<rect class=\"box misfit\" width=\"14\" height=\"10\" y=\"-9\" "
            "fill=\"hsl(215,55%,72%)\"/>",
            "do not fit below the line together"}};
    double x = LEFT;
    size_t i;
    list[1].text = m->several.n != 0 ? "given, state, parameters" : list[1].text;
    list[3].shown = m->split.n_parts > 1u;
    list[4].shown = m->misfit != NULL;
    for (i = 0; i < CLI_COUNT(list); i++) {
        if (list[i].shown) {
            cli_printf(c->out,
                "<g transform=\"translate(%.0f 62)\">%s<text x=\"20\">%s</text></g>\n", x,
                list[i].mark, list[i].text);
            x += 44.0 + LETTER * (double)gsp_str_of(list[i].text).size;
        }
    }
}

/* The first nodes of parts, if nodes are in graph order. */
static void put_parts(const canvas *c)
{
    const gsp_split_by_memory_result *r = &c->m->split;
    uint32_t i;
    for (i = 1; i < r->n_parts; i++) {
        double x = x_of(&c->panels[0], r->nodes[r->begin[i]]);
        cli_printf(c->out,
            "<path class=\"cut\" d=\"M%.2f %.1fV%.1f\"><title>part %" PRIu32 "</title></path>\n", x,
            TOP - 6.0, TOP + HEIGHT, i);
    }
}

static void put_boxes(const canvas *c)
{
    const memory *m = c->m;
    uint32_t pass;
    uint32_t i;
    for (pass = 0; pass < 2u; pass++) { /* outlined ones above all others */
        for (i = 0; i < m->memory_plan.n_tensors; i++) {
            if ((m->misfit != NULL && m->misfit[i] != 0) == (pass != 0)) {
                put_tensor(c, i);
            }
        }
    }
}

void memory_svg(const memory *m, cli_buffer *out)
{
    canvas c = {0};
    uint32_t i;
    c.m = m;
    c.out = out;
    make_panels(&c);
    cli_chart_begin(out, LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM);
    cli_puts(out, "<style>.box{stroke:#444;stroke-width:.6}.box:hover{stroke-width:2}"
                  ".thin{stroke:none}.misfit{stroke:#c00;stroke-width:2.2}.limit{stroke:#c00;"
                  "stroke-dasharray:6 4}"
                  ".title{font-size:15px;font-weight:bold}.middle{text-anchor:middle}"
                  ".live{fill:none;stroke:#7d8794;stroke-width:.9;stroke-opacity:.75}"
                  ".told,.at{display:none}.at{stroke:#2f7fe0;stroke-width:.8}"
                  "text,.live,.at,.limit{pointer-events:none}"
                  ".cut{stroke:#2f7fe0;stroke-width:1.4;stroke-dasharray:5 3}</style>\n");
    put_title(&c);
    put_legend(&c);
    for (i = 0; i < c.n_panels; i++) {
        put_axes(&c, i);
    }
    put_boxes(&c);
    for (i = 0; i < c.n_panels; i++) {
        put_live(&c, &c.panels[i]);
    }
    put_capacity(&c);
    put_names(&c);
    if (m->opt.budget != UINT64_MAX) {
        put_parts(&c);
    }
    put_steps(&c);
    cli_puts(out, "</svg>\n");
}
