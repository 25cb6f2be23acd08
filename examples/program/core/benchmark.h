/* Figures of repeated runs, and the JSON of google/benchmark, whose compare.py compares two files.
 * bench/bench.c writes with it, too: it knows no session. */
#ifndef CLI_CORE_BENCHMARK_H
#define CLI_CORE_BENCHMARK_H

#include "graphsplit.h"

typedef struct cli_runs {
    const double *ns; /* [n] of every run, in the order in which they were made */
    uint32_t n;
    uint32_t outliers; /* runs more than 1.5 (q3 - q1) outside the quartiles (Tukey) */
    double median;
    double low, high; /* its 95 % confidence interval, from ranks: it assumes no distribution */
    double q1, q3;    /* quartiles */
} cli_runs;

/* cli_runs_of: at least one run; `sorted` has room for n. */
cli_runs cli_runs_of(const double *ns, double *sorted, uint32_t n);

typedef struct cli_benchmark {
    gsp_sink sink;
    void *user;
    int failed; /* the sink did */
    uint32_t n_entries;
} cli_benchmark;

/* cli_benchmark_begin: `context` is "" or further members of the context: ", \"seed\": 1". */
void cli_benchmark_begin(
    cli_benchmark *b, gsp_sink sink, void *user, const char *executable, const char *context);

/* cli_benchmark_row: at most 25 of the runs, at equal distances, and the median of all with its
 * figures and `counters`: ", \"nodes\": 7". The name is the inside of a JSON string. */
void cli_benchmark_row(
    cli_benchmark *b, const char *name, const cli_runs *runs, const char *counters);

void cli_benchmark_end(cli_benchmark *b);

#endif
