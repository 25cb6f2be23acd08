/* Times of steps that take turns, and rows of figures beside a bare Kahn sort. */
#define _POSIX_C_SOURCE 199309L
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the yardstick ---- */

/* A bare Kahn sort: rows as they are, an array of indegrees, a queue; returns the nodes sorted. The
 * queue is written always, without a branch that the processor could guess wrongly. */
static uint32_t kahn(const gsp_graph *graph, const kahn_work *work)
{
    const uint32_t *in = graph->module->in_begin + graph->first;
    const uint32_t *out = graph->module->user_begin + graph->first;
    const gsp_node *users = graph->module->users;
    uint32_t *indegree = work->indegree;
    gsp_node *queue = work->queue;
    uint32_t head = 0, tail = 0;
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        indegree[v] = in[v + 1] - in[v];
        queue[tail] = v;
        tail += indegree[v] == 0;
    }
    while (head < tail) {
        gsp_node v = queue[head++];
        for (uint32_t e = out[v]; e < out[v + 1]; e++) {
            queue[tail] = users[e];
            tail += --indegree[users[e]] == 0;
        }
    }
    return tail;
}

void step_kahn(job *j)
{
    j->count = kahn(&j->s->graph, &j->work);
    if (j->count != j->s->graph.n_nodes) {
        die("the Kahn sort met a cycle");
    }
}

static size_t in_use(const gsp_arena *arena)
{
    return arena->low + arena->high;
}

/* ---- measuring ---- */

enum { MAX_RUNS = 501, MAX_STEPS = 16 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* What the runs of one step say, which stand there until the next measure(). */
static cli_runs runs_of(const double *ns, int n)
{
    static double sorted[MAX_RUNS];
    return cli_runs_of(ns, sorted, (uint32_t)n);
}

/* What looking at the clock costs; taken off every sample. */
static double clock_cost(void)
{
    static double samples[MAX_RUNS];
    for (int k = 0; k < MAX_RUNS; k++) {
        double start = now();
        samples[k] = now() - start;
    }
    return runs_of(samples, MAX_RUNS).median;
}

static double once(job *j, step f)
{
    double start = now();
    f(j);
    return now() - start;
}

void measure(job *j, const step *steps, int n_steps, cli_runs *times)
{
    static double samples[MAX_STEPS][MAX_RUNS];
    double round = 0, cost = clock_cost();
    int runs;
    if (n_steps > MAX_STEPS) {
        die("more steps than measure() has room for");
    }
    for (int s = 0; s < n_steps; s++) {
        round += once(j, steps[s]); /* also warms up */
    }
    runs = round * MAX_RUNS < 6e8 ? MAX_RUNS : (int)(6e8 / round);
    runs = runs < 7 ? 7 : runs;
    for (int k = 0; k < runs; k++) {
        for (int s = 0; s < n_steps; s++) {
            samples[s][k] = once(j, steps[s]) - cost;
        }
    }
    for (int s = 0; s < n_steps; s++) {
        times[s] = runs_of(samples[s], runs);
    }
}

/* ---- the report ---- */

int csv;
FILE *json;
cli_benchmark benchmark;
int failures;

int to_file(void *user, const char *data, size_t size)
{
    return fwrite(data, 1, size, (FILE *)user) != size;
}

void print_head(void)
{
    char model[CLI_MACHINE_SIZE], date[CLI_DATE_SIZE];
    unsigned count = (unsigned)cli_machine(model);
    cli_date(date);
    if (json) {
        cli_benchmark_begin(&benchmark, to_file, json, "bench", ", \"seed\": 1");
    }
    if (csv) {
        printf("row,kind,nodes,edges,ns,kahn_sorts,mb_per_s,used_per_node,bound_per_node,count,"
               "runs,ci_low_ns,ci_high_ns,q1_ns,q3_ns,outliers\n");
        return;
    }
    printf(
        "# %s, %u processors, compiler %s, seed 1, %s\n"
        "# us: median; +-%%: half of its 95 %% confidence interval; spread: quartile to quartile; "
        "out: outliers (Tukey)\n",
        model, count, __VERSION__, date);
    printf("%-22s %-5s %8s %8s %11s %6s %6s %4s %4s %8s %8s %8s %7s %6s %6s %6s %6s %8s\n", "row",
        "kind", "nodes", "edges", "us", "+-%", "spread", "runs", "out", "ns/node", "ns/edge",
        "ns/(n+m)", "Kahns", "growth", "whole", "B/node", "bound", "count");
}

static double exponent(const row *from, const row *to)
{
    return log(to->time.median / from->time.median) / log((double)to->nodes / from->nodes);
}

/* Both exponents of growth. */
static void set_growth(row *r)
{
    static row firsts[256], lasts[256];
    static size_t n_seen;
    size_t i = 0;
    while (i < n_seen &&
           (strcmp(firsts[i].name, r->name) != 0 || strcmp(firsts[i].kind, r->kind) != 0)) {
        i++;
    }
    if (i < n_seen) {
        r->growth = exponent(&lasts[i], r);
        r->whole = exponent(&firsts[i], r);
        lasts[i] = *r;
    } else if (n_seen == sizeof firsts / sizeof *firsts) {
        die("more rows than set_growth() has room for");
    } else {
        firsts[n_seen] = lasts[n_seen] = *r;
        n_seen++;
    }
}

static void json_row(const row *r)
{
    char name[64], counters[256];
    snprintf(name, sizeof name, "%s%s%s/%u", r->name, r->kind[0] ? "/" : "", r->kind,
        (unsigned)r->nodes);
    snprintf(counters, sizeof counters,
        ", \"nodes\": %u, \"edges\": %u, \"kahn_sorts\": %.3f, \"mb_per_s\": %.1f, "
        "\"used_per_node\": %.1f, \"bound_per_node\": %.1f, \"growth\": %.3f, "
        "\"growth_whole\": %.3f, \"count\": %u",
        (unsigned)r->nodes, (unsigned)r->edges, r->time.median / r->kahn, r->mb_per_s, r->used,
        r->bound, r->growth, r->whole, (unsigned)r->count);
    cli_benchmark_row(&benchmark, name, &r->time, counters);
}

static void csv_row(const row *r)
{
    const cli_runs *t = &r->time;
    printf("%s,%s,%u,%u,%.0f,%.3f,%.1f,%.1f,%.1f,%u,", r->name, r->kind, (unsigned)r->nodes,
        (unsigned)r->edges, t->median, t->median / r->kahn, r->mb_per_s, r->used, r->bound,
        (unsigned)r->count);
    printf(
        "%d,%.0f,%.0f,%.0f,%.0f,%d\n", (int)t->n, t->low, t->high, t->q1, t->q3, (int)t->outliers);
}

static void table_row(const row *r)
{
    const cli_runs *t = &r->time;
    char growth[16] = "";
    char whole[16] = "";
    double items = (double)r->nodes + (double)r->edges;
    if (r->whole > 0) {
        snprintf(growth, sizeof growth, "n^%.2f", r->growth);
        snprintf(whole, sizeof whole, "n^%.2f", r->whole);
    }
    printf("%-22s %-5s %8u %8u %11.1f %6.1f %5.1f%% %4d %4d ", r->name, r->kind, (unsigned)r->nodes,
        (unsigned)r->edges, t->median / 1e3, 50.0 * (t->high - t->low) / t->median,
        100.0 * (t->q3 - t->q1) / t->median, (int)t->n, (int)t->outliers);
    printf("%8.1f %8.1f %8.1f %7.2f %6s %6s", t->median / r->nodes, t->median / r->edges,
        t->median / items, t->median / r->kahn, growth, whole);
    if (r->used > 0) {
        printf(" %6.1f %6.1f", r->used, r->bound);
    } else if (r->mb_per_s > 0) {
        printf(" %8.0f MB/s", r->mb_per_s);
    } else {
        printf(" %6s %6s", "", "");
    }
    printf(" %8u%s%s\n", (unsigned)r->count, r->note ? "  " : "", r->note ? r->note : "");
}

void print_row(row *r)
{
    set_growth(r);
    if (json) {
        json_row(r);
    }
    if (csv) {
        csv_row(r);
    } else {
        table_row(r);
    }
}

void measure_bytes(job *j, step f, size_t bound, row *r)
{
    gsp_arena *arena = &j->s->arena;
    size_t before;
    gsp_arena_watch(arena);
    before = in_use(arena);
    f(j);
    r->used = (double)(arena->touched - before) / r->nodes;
    r->bound = (double)bound / r->nodes;
    if (arena->touched - before > bound) {
        fprintf(stderr, "bench: %s used more than its bound\n", r->name);
        failures++;
    }
}

row row_of(
    const job *j, const char *name, const char *kind, const cli_runs *time, const cli_runs *kahn)
{
    row r = {0};
    r.name = name;
    r.kind = kind;
    r.nodes = j->s->counts.nodes;
    r.edges = j->s->counts.edges;
    r.time = *time;
    r.kahn = kahn->median;
    r.count = j->count;
    return r;
}

job job_of(subject *s)
{
    job j;
    memset(&j, 0, sizeof j);
    j.s = s;
    j.work.indegree = (uint32_t *)allocate(s->counts.nodes, sizeof(uint32_t));
    j.work.queue = (gsp_node *)allocate((size_t)s->counts.nodes + 1u, sizeof(gsp_node));
    require(gsp_support_run(&s->arena, &s->graph, NULL, &j.placement, NULL), "support");
    return j;
}

void job_free(job *j)
{
    free(j->work.indegree);
    free(j->work.queue);
    free(j->text);
}

void bench_alone(
    uint32_t n, const char *name, const char *kind, step own, size_t (*bound_of)(uint32_t n_nodes))
{
    step const steps[] = {step_kahn, own};
    subject s;
    cli_runs times[2];
    subject_layered(&s, n, KIND_IID);
    size_t const bound = bound_of(s.graph.n_nodes);
    void *memory = allocate(bound, 1);
    job j = job_of(&s);
    gsp_arena_init(&s.arena, memory, bound); /* in place of that behind the module */
    measure(&j, steps, 2, times);
    row r = row_of(&j, name, kind, &times[1], &times[0]);
    measure_bytes(&j, own, bound, &r);
    r.count = j.count;
    print_row(&r);
    free(memory);
    job_free(&j);
    subject_free(&s);
}
