/* Figures of graphsplit beside a bare Kahn sort over the same rows, in the same process.
 *     cc -O2 -I. -Iexamples/program -o bench bench/bench*.c \
 *         examples/program/core/{benchmark,impl,sys}.c -lm
 *     ./bench [--csv] [--json FILE] [--nodes N]
 * Times are CPU time of one thread, the median of 7 to 501 runs; rows that are compared take turns.
 * FILE is what google/benchmark writes: its tools/compare.py compares two of them, and
 * bench/plots.py draws them. bench/peers.py compares partitioners (make bench-peers).
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

static int usage(FILE *file)
{
    fprintf(file,
        "usage: bench [--csv] [--json FILE] [--nodes N | --quick]\n"
        "       figures of graphs up to N nodes (1000 to 10^7; default 10^6; quick: 10^5);\n"
        "       FILE is read by compare.py of google/benchmark and by bench/plots.py\n"
        "       bench --edges N [iid|runs]   the layered graph as an edge list\n"
        "       bench --text N [iid|runs]    the same as graph text\n");
    return file == stdout ? 0 : 2;
}

static int print_graph(int as_text, const char *count, const char *kind_name)
{
    layer_kind kind = kind_name && strcmp(kind_name, "runs") == 0 ? KIND_RUNS : KIND_IID;
    uint32_t n = (uint32_t)strtoul(count, NULL, 10);
    if (n == 0 || n > 10000000u) {
        return usage(stderr);
    }
    if (as_text) {
        subject s;
        subject_layered(&s, n, kind);
        require(gsp_text_write(&s.module, NULL, to_file, stdout, NULL), "write");
        subject_free(&s);
    } else {
        layered g = layered_make(n, 1, kind);
        layered_print_edges(&g);
        layered_free(&g);
    }
    return 0;
}

/* Layered graphs of 1000 nodes, ten times as many, ... up to `most`. */
static void bench_all(uint32_t most)
{
    print_head();
    for (int kind = KIND_IID; kind <= KIND_RUNS; kind++) {
        for (uint32_t n = 1000; n <= most; n *= 10u) {
            bench_layered(n, (layer_kind)kind);
        }
    }
    for (uint32_t n = 1000; n <= most; n *= 10u) {
        bench_tables(n);
        bench_exec(n);
    }
    for (uint32_t n = 1000; n <= most; n *= 10u) {
        bench_stages(n);
    }
    for (uint32_t n = 1000; n <= most; n *= 10u) {
        bench_pipeline(n);
        bench_downsets(n);
    }
    for (uint32_t n = 1000; n <= most; n *= 10u) {
        bench_memory(n);
        bench_tiles(n);
    }
    for (int blocks = 0; blocks < 2; blocks++) {
        for (uint32_t n = 1000; n <= most; n *= 10u) {
            bench_dedup(n, blocks);
        }
    }
    for (uint32_t n = 1000; n <= most; n *= 10u) {
        bench_order(n);
    }
    for (uint32_t n = 1000; n <= most; n *= 10u) {
        bench_partition(n, 0);
    }
    for (uint32_t n = 10; n <= (most > 100000u ? 1000u : 100u); n *= 10u) {
        if (n == 1000u) {
            bench_partition(300, 1);
        }
        bench_partition(n, 1);
    }
    for (size_t i = 0; most >= 100000u && i < SHAPES; i++) {
        bench_shape(&shapes[i]);
    }
    if (json) {
        cli_benchmark_end(&benchmark);
        failures += (fclose(json) != 0) | benchmark.failed;
    }
}

int main(int argc, char **argv)
{
    uint32_t most = 1000000;
    for (int i = 1; i < argc; i++) {
        int more = i + 1 < argc;
        if (strcmp(argv[i], "--csv") == 0) {
            csv = 1;
        } else if (strcmp(argv[i], "--quick") == 0) {
            most = 100000;
        } else if (strcmp(argv[i], "--help") == 0) {
            return usage(stdout);
        } else if (more && strcmp(argv[i], "--nodes") == 0) {
            most = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else if (more && strcmp(argv[i], "--json") == 0) {
            json = fopen(argv[++i], "w");
            if (!json) {
                die("cannot write the file of --json");
            }
        } else if (more && strcmp(argv[i], "--edges") == 0) {
            return print_graph(0, argv[i + 1], i + 2 < argc ? argv[i + 2] : NULL);
        } else if (more && strcmp(argv[i], "--text") == 0) {
            return print_graph(1, argv[i + 1], i + 2 < argc ? argv[i + 2] : NULL);
        } else {
            return usage(stderr);
        }
    }
    if (most < 1000u || most > 10000000u) {
        return usage(stderr);
    }
    bench_all(most);
    return failures > 0;
}
