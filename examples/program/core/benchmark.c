/* Figures of repeated runs, and the JSON of google/benchmark. */
#include "core/core.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __VERSION__
#define COMPILER __VERSION__
#else
#define COMPILER "unknown"
#endif

enum { MOST_KEPT = 25 };

/* ---- figures ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The rank where the 95 % confidence interval of the median begins: 1.96 deviations, sqrt(n) / 2
 * each, below the middle. */
static uint32_t first_rank(uint32_t n)
{
    uint32_t rank = n / 2u;
    double twice = n - 2.0 * rank; /* its distance from the middle */
    while (rank > 0 && twice * twice < 1.96 * 1.96 * n) {
        rank--;
        twice += 2.0;
    }
    return rank;
}

cli_runs cli_runs_of(const double *ns, double *sorted, uint32_t n)
{
    uint32_t first = first_rank(n);
    double fence;
    uint32_t i;
    cli_runs r = {0};
    memcpy(sorted, ns, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    r.ns = ns;
    r.n = n;
    r.median = sorted[n / 2u];
    r.low = sorted[first];
    r.high = sorted[first == 0 ? n - 1u : n - first];
    r.q1 = sorted[n / 4u];
    r.q3 = sorted[n - 1u - n / 4u];
    fence = 1.5 * (r.q3 - r.q1);
    for (i = 0; i < n; i++) {
        r.outliers += ns[i] < r.q1 - fence || ns[i] > r.q3 + fence;
    }
    return r;
}

/* ---- JSON ---- */

static void put(cli_benchmark *b, const char *text)
{
    b->failed |= b->sink(b->user, text, strlen(text)) != 0;
}

static void put_figures(cli_benchmark *b, const char *format, ...) CLI_PRINTF(2, 3);

static void put_figures(cli_benchmark *b, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    put(b, text);
}

void cli_benchmark_begin(
    cli_benchmark *b, gsp_sink sink, void *user, const char *executable, const char *context)
{
    char date[CLI_DATE_SIZE];
    char machine[CLI_MACHINE_SIZE];
    uint32_t n_cpus = cli_machine(machine);
    b->sink = sink;
    b->user = user;
    b->failed = 0;
    b->n_entries = 0;
    cli_date(date);
    put_figures(b, "{\n  \"context\": {\"date\": \"%s\", \"executable\": \"%s\"", date, executable);
    put_figures(b, ", \"num_cpus\": %" PRIu32 ",\n    \"machine\": \"%s\", \"compiler\": \"%s\"",
        n_cpus, machine, COMPILER);
    put(b, context);
    put(b, ",\n    \"library_version\": \"" GSP_VERSION_STRING "\", \"json_schema_version\": 1},\n"
           "  \"benchmarks\": [");
}

/* What every entry has. There is one clock: both times are the same. */
static void put_entry(
    cli_benchmark *b, const char *name, const char *suffix, const char *type, double ns)
{
    put(b, b->n_entries++ > 0 ? ",\n    {\"name\": \"" : "\n    {\"name\": \"");
    put(b, name);
    put(b, suffix);
    put(b, "\", \"run_name\": \"");
    put(b, name);
    put_figures(b,
        "\", \"run_type\": \"%s\", \"threads\": 1, \"iterations\": 1, \"real_time\": %.0f, "
        "\"cpu_time\": %.0f, \"time_unit\": \"ns\"",
        type, ns, ns);
}

void cli_benchmark_row(
    cli_benchmark *b, const char *name, const cli_runs *runs, const char *counters)
{
    uint32_t kept = runs->n < MOST_KEPT ? runs->n : MOST_KEPT;
    uint32_t i;
    for (i = 0; i < kept; i++) {
        put_entry(b, name, "", "iteration", runs->ns[(uint64_t)i * runs->n / kept]);
        put_figures(
            b, ", \"repetitions\": %" PRIu32 ", \"repetition_index\": %" PRIu32 "}", kept, i);
    }
    put_entry(b, name, "_median", "aggregate", runs->median);
    put_figures(b,
        ", \"repetitions\": %" PRIu32 ", \"aggregate_name\": \"median\", "
        "\"aggregate_unit\": \"time\", \"runs\": %" PRIu32
        ", \"ci_low\": %.0f, \"ci_high\": %.0f, \"q1\": %.0f, \"q3\": %.0f, \"outliers\": %" PRIu32,
        kept, runs->n, runs->low, runs->high, runs->q1, runs->q3, runs->outliers);
    put(b, counters);
    put(b, "}");
}

void cli_benchmark_end(cli_benchmark *b)
{
    put(b, "\n  ]\n}\n");
}
