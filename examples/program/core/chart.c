#include "core/core.h"

#define MOST 10.0 /* steps */

void cli_chart_begin(cli_buffer *out, double width, double height)
{
    cli_printf(out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
        "height=\"%.0f\" style=\"max-width:100%%;height:auto\" font-family=\"Helvetica, Arial, "
        "sans-serif\" font-size=\"11\">\n",
        width, height, width, height);
    cli_puts(out,
        "<style>\n"
        ".ground{fill:#fff}.row{fill:#eef0f3}.line{stroke:#d5d9df;fill:none}\n"
        "text{fill:#1f2937}.soft{fill:#5b6472}.dark{fill:#1f2937}.light{fill:#fff}\n"
        ".halo{paint-order:stroke;stroke:#fff;stroke-width:3}\n"
        "text.mark{fill:#b83a0a}path.mark,rect.mark{stroke:#c2410c}path.mark{fill:none}\n"
        "@media (prefers-color-scheme:dark){\n"
        ".ground{fill:#14191f}.halo{stroke:#14191f}.row{fill:#232b33}.line{stroke:#3a444e}\n"
        "text{fill:#e6eaee}.soft{fill:#a3adb8}.dark{fill:#1f2937}.light{fill:#fff}\n"
        "text.mark{fill:#ff9a63}path.mark,rect.mark{stroke:#ff8a4c}}\n"
        "</style>\n"
        "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n");
}

double cli_chart_step(double span)
{
    double step = 1.0;
    while (step * MOST > span) {
        step /= 10.0;
    }
    while (step * MOST < span) {
        step *= 10.0;
    }
    if (step / 5.0 * MOST >= span) {
        return step / 5.0;
    }
    return step / 2.0 * MOST >= span ? step / 2.0 : step;
}

double cli_chart_seconds(double span)
{
    static const double steps[] = {30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0, 14400.0,
        28800.0, 43200.0, 86400.0};
    size_t i;
    if (span < 120.0) {
        return cli_chart_step(span);
    }
    for (i = 0; i < CLI_COUNT(steps); i++) {
        if (steps[i] * MOST >= span) {
            return steps[i];
        }
    }
    return 86400.0 * cli_chart_step(span / 86400.0);
}

uint64_t cli_chart_bytes(uint64_t span)
{
    uint64_t unit = 1;
    uint64_t step = 1;
    while (span / unit >= 1024u) {
        unit *= 1024u;
    }
    while (step < span / (uint64_t)MOST || step < unit / 2u) { /* no 0.3 MiB */
        step *= 2u;
    }
    return step;
}
