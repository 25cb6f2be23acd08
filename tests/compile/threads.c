/* Two threads on one finished module, for ThreadSanitizer: each reads the module with an arena of
 * its own, and both get the same answers.
 * usage: threads GRAPH.fx */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_KWAY_IMPLEMENTATION
#include "examples/extra/graphsplit_kway.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, TURNS = 8, MEMORY = 1 << 24 };

typedef struct job {
    const gsp_module *module;
    unsigned long sum; /* of all answers; 0 after a failure */
} job;

static unsigned long mix(unsigned long sum, const void *data, size_t size)
{
    const unsigned char *at = (const unsigned char *)data;
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ at[i]) * 1099511628211ul;
    }
    return sum;
}

/* The answers of some passes, mixed; 0 if one fails. */
static unsigned long answers(gsp_arena *arena, const gsp_graph *graph)
{
    gsp_split_subgraphs_result split;
    gsp_memory_plan_result plan;
    gsp_dedup_result dedup;
    gsp_kway_result kway;
    gsp_kway_desc parts = {0};
    gsp_error err;
    unsigned long sum = 14695981039346656037ul;
    parts.n_parts = 4;
    if (gsp_split_subgraphs_run(arena, graph, NULL, &split, &err) != GSP_OK ||
        gsp_memory_plan_run(arena, graph, NULL, &plan, &err) != GSP_OK ||
        gsp_dedup_run(arena, graph, NULL, &dedup, &err) != GSP_OK ||
        gsp_kway_run(arena, graph, &parts, &kway, &err) != GSP_OK) {
        printf("%s\n", gsp_detail_text(err.detail));
        return 0;
    }
    sum = mix(sum, split.subgraphs.module.block, split.subgraphs.module.block_size);
    sum = mix(sum, &plan.arena, sizeof plan.arena);
    sum = mix(sum, dedup.module.block, dedup.module.block_size);
    sum = mix(sum, kway.part_of, graph->n_nodes * sizeof *kway.part_of);
    return sum | 1u;
}

static void *work(void *user)
{
    job *j = (job *)user;
    gsp_graph const graph = gsp_module_graph(j->module, 0);
    void *memory = malloc(MEMORY);
    for (int turn = 0; turn < TURNS && memory != NULL; turn++) {
        gsp_arena arena;
        gsp_arena_init(&arena, memory, MEMORY);
        unsigned long const sum = answers(&arena, &graph);
        j->sum = turn == 0 || sum == j->sum ? sum : 0u;
    }
    free(memory);
    return NULL;
}

int main(int argc, char **argv)
{
    static char text[1 << 20];
    static unsigned char memory[1 << 22];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    size_t const size = file != NULL ? fread(text, 1, sizeof text, file) : 0;
    job jobs[THREADS];
    pthread_t threads[THREADS];
    gsp_arena arena;
    gsp_module module;
    gsp_arena_init(&arena, memory, sizeof memory);
    if (file == NULL || gsp_text_read(&arena, text, size, NULL, &module, NULL) != GSP_OK) {
        return 2;
    }
    fclose(file);
    for (int i = 0; i < THREADS; i++) {
        job const j = {&module, 0};
        jobs[i] = j;
        if (pthread_create(&threads[i], NULL, work, &jobs[i]) != 0) {
            return 2;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    return jobs[0].sum != 0 && jobs[0].sum == jobs[1].sum ? 0 : 1;
}
