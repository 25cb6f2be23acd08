/* How others cut a graph into subgraphs for CPU and accelerator, as C functions: graph and kinds of
 * nodes in, the subgraph of every node out. Written anew from what is published, not copied:
 *     ort             ONNX Runtime 04c2cf46, onnxruntime/core/providers/partitioning_utils.cc,
 *                     CreateSupportedPartitionNodeGroups, without units of several nodes
 *     tflite          TensorFlow 08df8c40, tensorflow/lite/graph_info.cc,
 *                     PartitionGraphIntoIndependentNodeSubsets, greedily, without control edges
 *     tflite-ordered  the same, not greedily: the order of the file stays
 *     components      connected nodes of a kind, what comes to mind first: subgraphs may wait for
 *                     each other
 * ONNX Runtime groups the nodes of the accelerator alone; those of the CPU that it handles in the
 * same wave are a subgraph here, which comes before the group.
 *     splitters NAME GRAPH PART
 * reads "n m", the kind of each node (1 for the accelerator), then "u v" per edge, from 0, nodes in
 * the order of the graph; writes a number per node into PART; prints the nanoseconds of the
 * function alone. */
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NONE UINT32_MAX

typedef struct graph {
    uint32_t n;
    uint32_t *kind;        /* [n] */
    uint32_t *input_begin; /* [n + 1] into inputs */
    uint32_t *inputs;
    uint32_t *user_begin; /* [n + 1] into users */
    uint32_t *users;
} graph;

static void die(const char *what)
{
    fprintf(stderr, "splitters: %s\n", what);
    exit(1);
}

static uint32_t *numbers(size_t count, uint32_t value)
{
    uint32_t *p = (uint32_t *)malloc((count + 1u) * sizeof *p);
    if (!p) {
        die("out of memory");
    }
    for (size_t i = 0; i <= count; i++) {
        p[i] = value;
    }
    return p;
}

/* ---- the splitters ---- */

/* Waves: a node of the CPU that reads the wave's group waits for the next wave. */
static void ort(const graph *g, uint32_t *part)
{
    uint32_t *missing = numbers(g->n, 0), *reads_wave = numbers(g->n, NONE);
    uint32_t *ready = numbers(g->n, 0), *later = numbers(g->n, 0);
    uint32_t n_ready = 0;
    for (uint32_t v = 0; v < g->n; v++) {
        missing[v] = g->input_begin[v + 1] - g->input_begin[v];
        if (missing[v] == 0) {
            ready[n_ready++] = v;
        }
    }
    for (uint32_t wave = 0; n_ready > 0; wave++) {
        uint32_t n_later = 0, *swap;
        for (uint32_t i = 0; i < n_ready; i++) {
            uint32_t v = ready[i];
            if (!g->kind[v] && reads_wave[v] == wave) {
                later[n_later++] = v;
                continue;
            }
            part[v] = 2u * wave + g->kind[v];
            for (uint32_t e = g->user_begin[v]; e < g->user_begin[v + 1]; e++) {
                uint32_t u = g->users[e];
                reads_wave[u] = g->kind[v] ? wave : reads_wave[u];
                if (--missing[u] == 0) {
                    ready[n_ready++] = u;
                }
            }
        }
        swap = ready;
        ready = later;
        later = swap;
        n_ready = n_later;
    }
    free(missing);
    free(reads_wave);
    free(ready);
    free(later);
}

static int is_ready(const graph *g, uint32_t v, const uint32_t *part)
{
    for (uint32_t e = g->input_begin[v]; e < g->input_begin[v + 1]; e++) {
        if (part[g->inputs[e]] == NONE) {
            return 0;
        }
    }
    return 1;
}

/* One epoch: nodes of the kind of the first that is ready, in passes over all until none moves. Not
 * greedily, it ends behind the first run of nodes that join. Returns how many joined. */
static uint32_t epoch(const graph *g, uint32_t number, int greedily, uint32_t *part)
{
    uint32_t kind = NONE, joined = 0, before;
    do {
        before = joined;
        for (uint32_t v = 0; v < g->n; v++) {
            if (part[v] == NONE && is_ready(g, v, part) && (kind == NONE || kind == g->kind[v])) {
                kind = g->kind[v];
                part[v] = number;
                joined++;
            } else if (joined > before && !greedily) {
                return joined;
            }
        }
    } while (joined > before);
    return joined;
}

static void tflite(const graph *g, uint32_t *part)
{
    for (uint32_t number = 0; epoch(g, number, 1, part) > 0; number++) {
    }
}

static void tflite_ordered(const graph *g, uint32_t *part)
{
    for (uint32_t number = 0; epoch(g, number, 0, part) > 0; number++) {
    }
}

static uint32_t root_of(uint32_t *above, uint32_t v)
{
    while (above[v] != v) {
        v = above[v] = above[above[v]];
    }
    return v;
}

static void components(const graph *g, uint32_t *part)
{
    for (uint32_t v = 0; v < g->n; v++) {
        part[v] = v;
    }
    for (uint32_t v = 0; v < g->n; v++) {
        for (uint32_t e = g->input_begin[v]; e < g->input_begin[v + 1]; e++) {
            if (g->kind[v] == g->kind[g->inputs[e]]) {
                part[root_of(part, v)] = root_of(part, g->inputs[e]);
            }
        }
    }
    for (uint32_t v = 0; v < g->n; v++) {
        part[v] = root_of(part, v);
    }
}

static const struct splitter {
    const char *name;
    void (*split)(const graph *g, uint32_t *part);
} splitters[] = {
    {"ort", ort},
    {"tflite", tflite},
    {"tflite-ordered", tflite_ordered},
    {"components", components},
};

/* ---- files ---- */

static uint32_t read_number(FILE *file, uint32_t below)
{
    unsigned long value;
    if (fscanf(file, "%lu", &value) != 1 || value >= below) {
        die("the graph cannot be read");
    }
    return (uint32_t)value;
}

/* Rows of `key`, in the order of the edges. */
static uint32_t *rows_of(
    uint32_t n, uint32_t m, const uint32_t *key, const uint32_t *value, uint32_t **row)
{
    uint32_t *begin = numbers(n + 1u, 0);
    *row = numbers(m, 0);
    for (uint32_t e = 0; e < m; e++) {
        begin[key[e] + 2u]++;
    }
    for (uint32_t v = 2; v <= n; v++) {
        begin[v] += begin[v - 1];
    }
    for (uint32_t e = 0; e < m; e++) {
        (*row)[begin[key[e] + 1u]++] = value[e];
    }
    return begin;
}

static graph read_graph(const char *path)
{
    FILE *file = fopen(path, "r");
    graph g = {0};
    uint32_t m, *from, *to;
    if (!file) {
        die("the graph cannot be opened");
    }
    g.n = read_number(file, 1u << 24);
    m = read_number(file, 1u << 28);
    g.kind = numbers(g.n, 0);
    from = numbers(m, 0);
    to = numbers(m, 0);
    for (uint32_t v = 0; v < g.n; v++) {
        g.kind[v] = read_number(file, 2);
    }
    for (uint32_t e = 0; e < m; e++) {
        from[e] = read_number(file, g.n);
        to[e] = read_number(file, g.n);
    }
    fclose(file);
    g.input_begin = rows_of(g.n, m, to, from, &g.inputs);
    g.user_begin = rows_of(g.n, m, from, to, &g.users);
    free(from);
    free(to);
    return g;
}

/* Numbers without gaps, in the order of those that the function gave. */
static void write_parts(const char *path, const uint32_t *part, uint32_t n)
{
    FILE *file = fopen(path, "w");
    uint32_t *number = numbers(2u * n, 0), count = 0;
    if (!file) {
        die("the parts cannot be written");
    }
    for (uint32_t v = 0; v < n; v++) {
        if (part[v] == NONE) {
            die("the graph has a cycle");
        }
        number[part[v]] = 1;
    }
    for (uint32_t p = 0; p < 2u * n; p++) {
        uint32_t used = number[p];
        number[p] = count;
        count += used;
    }
    for (uint32_t v = 0; v < n; v++) {
        fprintf(file, "%u\n", (unsigned)number[part[v]]);
    }
    if (fclose(file) != 0) {
        die("the parts cannot be written");
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 4 && i < sizeof splitters / sizeof *splitters; i++) {
        if (strcmp(argv[1], splitters[i].name) == 0) {
            graph g = read_graph(argv[2]);
            uint32_t *part = numbers(g.n, NONE);
            double begin = now();
            splitters[i].split(&g, part);
            printf("%.0f\n", now() - begin);
            write_parts(argv[3], part, g.n);
            return 0;
        }
    }
    fprintf(stderr, "usage: splitters ort|tflite|tflite-ordered|components GRAPH PART\n");
    return 2;
}
