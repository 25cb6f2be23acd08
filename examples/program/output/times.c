/* Times in reports, in the unit that --time-unit chose. */
#include "output/output.h"

#include <inttypes.h>

const char *cli_times_word(const cli_times *times)
{
    static const char *const words[] = {"seconds", "nodes", "shapes"};
    return words[times->unit];
}

void cli_put_time(cli_buffer *out, const cli_times *times, double seconds)
{
    if (times->unit == CLI_TIMES_NODES) {
        double nodes = seconds / CLI_TIMES_NODE;
        cli_printf(out, nodes > 0.5 && nodes < 1.5 ? "%.6g node" : "%.6g nodes", nodes);
    } else {
        cli_put_seconds(out, seconds);
    }
}

/* Where estimates come from, and how far they are off. */
static void put_rates(cli_buffer *out, const cli_times *times, int memory)
{
    const cli_rates *r = times->read;
    cli_printf(out,
        "\nTimes without %scompute= are %sestimates from shapes: the larger of MACs and "
        "bytes per node,\n",
        memory ? "mem= or " : "", cli_rates_rough(r) ? "rough " : "");
    if (r->path != NULL) {
        cli_printf(out, "at the rates of %s, and 1 ns at least.\n", r->path);
    } else {
        cli_printf(out, "at %s per second (--rates MACS,BYTES), and 1 ns at least.\n",
            times->rates != NULL ? times->rates : "1e12,1e11");
    }
    if (r->within > 0.0) {
        cli_printf(out, "On %.0f measured models they are off by a factor of %.2f (median).\n",
            r->models, r->within);
    }
}

void cli_put_times(
    cli_buffer *out, const cli_times *times, const gsp_graph *graph, int memory, int known)
{
    uint32_t missing = cli_times_missing(graph, memory);
    if (times->unit == CLI_TIMES_NODES) {
        cli_puts(out, "\nTimes are counts: every called node takes one unit.\n");
    } else if (times->unit == CLI_TIMES_SHAPES) {
        put_rates(out, times, memory);
    } else if (!known) {
        cli_printf(out,
            "\nNo times are known: seconds at the nodes, such as # f32[8] %s, give "
            "them;\n--time-unit shapes estimates them, --time-unit nodes counts nodes.\n",
            memory ? "mem=0.001 compute=0.002" : "compute=0.002");
    } else if (missing != 0) {
        cli_printf(out, "\n%" PRIu32 " called node%s without %scompute=, which count%s as 0 s.\n",
            missing, cli_plural(missing), memory ? "mem= and " : "", missing == 1u ? "s" : "");
    }
}

void cli_put_open_figures(
    cli_buffer *out, const gsp_module *module, uint32_t untimed, uint32_t called)
{
    if (untimed != 0) {
        cli_printf(out, "%" PRIu32 " of %" PRIu32 " times %s unknown", untimed, called,
            untimed == 1u ? "is" : "are");
    }
    if (module != NULL && cli_unknown_sizes(module)) {
        cli_puts(out, untimed != 0 ? "; " : "");
        cli_put_open_sizes(out, module);
    }
}
