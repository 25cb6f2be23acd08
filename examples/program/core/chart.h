/* Charts: the head of an SVG in light and dark colours, and steps of axes. */
#ifndef CLI_CORE_CHART_H
#define CLI_CORE_CHART_H

#include "core/session.h"

/* cli_chart_begin: an <svg> with its background. Classes have the colours of both modes:
 *     text, text.soft, text.mark, text.halo (above lines)
 *     text.dark, text.light (within boxes: the same in both modes)
 *     rect.row (the ground of a row), path.line (an axis), path.mark (what matters most)
 * A viewer that knows no media queries shows the light ones. */
void cli_chart_begin(cli_buffer *out, double width, double height);

/* The steps of axes: at most ten, of round numbers. */

/* cli_chart_step: 1, 2 or 5 times a power of ten. */
double cli_chart_step(double span);

/* cli_chart_seconds: the same below two minutes, then minutes, hours and days. */
double cli_chart_seconds(double span);

/* cli_chart_bytes: a power of 2, as bytes are printed. */
uint64_t cli_chart_bytes(uint64_t span);

#endif
