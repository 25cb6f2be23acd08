/* --tile-svg of `memory`: the choices of tiles, memory against what is computed again. */
#include "commands/memory/memory.h"

#include <inttypes.h>

#define LEFT   70.0
#define TOP    20.0
#define WIDTH  640.0
#define HEIGHT 300.0

typedef struct canvas {
    const memory_tiles *tiles;
    cli_buffer *out;
    double x; /* per byte */
    double y; /* per percent */
} canvas;

static double percent_of(const memory_tiles *t, uint64_t macs)
{
    return t->macs > 0.0 ? 100.0 * (double)macs / t->macs : 0.0;
}

static void put_axes(const canvas *c, uint64_t most, double highest)
{
    uint64_t const step = cli_chart_bytes(most);
    double const up = cli_chart_step(highest);
    uint64_t bytes;
    uint32_t i;
    for (bytes = 0; bytes <= most; bytes += step) {
        double const x = LEFT + c->x * (double)bytes;
        cli_printf(c->out,
            "<path class=\"line\" d=\"M%.1f %.1fV%.1f\"/>\n<text class=\"soft\" x=\"%.1f\" "
            "y=\"%.1f\" text-anchor=\"middle\">",
            x, TOP, TOP + HEIGHT, x, TOP + HEIGHT + 16.0);
        cli_put_bytes(c->out, bytes);
        cli_puts(c->out, "</text>\n");
    }
    for (i = 0; (double)i * up <= highest; i++) {
        double const y = TOP + HEIGHT - c->y * (double)i * up;
        cli_printf(c->out,
            "<path class=\"line\" d=\"M%.1f %.1fH%.1f\"/>\n<text class=\"soft\" x=\"%.1f\" "
            "y=\"%.1f\" text-anchor=\"end\">+%.3g %%</text>\n",
            LEFT, y, LEFT + WIDTH, LEFT - 6.0, y + 4.0, (double)i * up);
    }
    cli_printf(c->out,
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">arena against MACs that tiles compute "
        "again</text>\n",
        LEFT + WIDTH / 2.0, TOP + HEIGHT + 34.0);
}

static void put_choice(const canvas *c, const memory_choice *o)
{
    cli_printf(c->out,
        "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>%" PRIu64
        " bytes, +%.1f %% MACs, %" PRIu64 " bytes copied, %" PRIu32 " operators</title></circle>\n",
        o->taken ? "taken" : "dark", LEFT + c->x * (double)o->arena,
        TOP + HEIGHT - c->y * percent_of(c->tiles, o->cost.macs), o->taken ? 6 : 4, o->arena,
        percent_of(c->tiles, o->cost.macs), o->cost.moved, o->cost.steps);
}

void memory_svg_tiles(const memory *m, cli_buffer *out)
{
    canvas c = {&m->tiles, out, 0.0, 0.0};
    uint64_t most = 1;
    double highest = 1.0;
    uint32_t i;
    for (i = 0; i < m->tiles.n_choices; i++) {
        const memory_choice *o = &m->tiles.choices[i];
        double const percent = percent_of(c.tiles, o->cost.macs);
        most = o->arena > most ? o->arena : most;
        highest = percent > highest ? percent : highest;
    }
    c.x = WIDTH / (double)most;
    c.y = HEIGHT / highest;
    cli_chart_begin(out, LEFT + WIDTH + 30.0, TOP + HEIGHT + 46.0);
    cli_puts(out, "<style>.taken{fill:#c2410c}</style>\n");
    put_axes(&c, most, highest);
    for (i = 0; i < m->tiles.n_choices; i++) {
        put_choice(&c, &m->tiles.choices[i]);
    }
    cli_puts(out, "</svg>\n");
}
