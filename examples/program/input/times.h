/* Times of nodes where the graph has none: counts of nodes, or estimates from shapes. */
#ifndef CLI_INPUT_TIMES_H
#define CLI_INPUT_TIMES_H

#include "core/command.h"

enum { CLI_TIMES_SECONDS, CLI_TIMES_NODES, CLI_TIMES_SHAPES };

/* Among the options of a pass. */
typedef struct cli_times {
    uint32_t unit;
    const char *rates; /* NULL: not given */
} cli_times;

#define CLI_TIMES_UNIT(offset)                                                                    \
    {                                                                                             \
        "--time-unit", "seconds|nodes|shapes", CLI_CHOICE, offset, 0, 0,                          \
            "times are the seconds of the graph (the default); or every called node takes one "   \
            "unit; or nodes without seconds get an estimate from shapes: the larger of the time " \
            "of its multiply-accumulates (MACs) and that of its bytes"                            \
    }
#define CLI_TIMES_RATES(offset)                                                    \
    {                                                                              \
        "--rates", "MACS,BYTES", CLI_STRING, offset, 0, 0,                         \
            "for --time-unit shapes: MACs and bytes per second; default 1e12,1e11" \
    }

/* cli_times_set: gives the called nodes of the module these times, as compute=. memory: nodes with
 * mem= alone have a time, too. */
int cli_times_set(cli_session *s, const cli_times *times, int memory);

/* Per second. */
typedef struct cli_rates {
    double macs;
    double bytes;
} cli_rates;

/* cli_rates_read: the text MACS,BYTES of an option. Returns an exit status. */
int cli_rates_read(cli_session *s, const char *option, const char *text, cli_rates *rates);

/* cli_multiplications: the MACs of a node; the elements of its result if it multiplies nothing. */
double cli_multiplications(const gsp_graph *graph, gsp_node v);

/* cli_time_estimate: seconds, from shapes: the larger of MACs and bytes, and 1 ns at least. */
double cli_time_estimate(const gsp_graph *graph, gsp_node v, const cli_rates *rates);

/* cli_times_word: the unit as --time-unit takes it. */
const char *cli_times_word(const cli_times *times);

/* cli_put_time: "1.5 ms", or "3 nodes". */
void cli_put_time(cli_buffer *out, const cli_times *times, double seconds);

/* cli_put_times: a line that says where times come from, or how to give those that are missing.
 * known: some time is not 0. */
void cli_put_times(
    cli_buffer *out, const cli_times *times, const gsp_graph *graph, int memory, int known);

#endif
