/* The table of emit-c --plan, against the graph beside it: rows and lifetimes are those of the
 * library, tensors that are live together do not overlap, and offsets are aligned. Prints the
 * table as `memory --porcelain` does. */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include "planned.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what, uint32_t i)
{
    fprintf(stderr, "%s of tensor %" PRIu32 " (%s)\n", what, i, planned_plan[i].name);
    return 1;
}

/* Every value and every scratch has one row. */
static int check_rows(const gsp_graph *graph, const gsp_memory_plan_result *own)
{
    uint32_t i;
    if (own->n_tensors != (uint32_t)planned_tensors) {
        fprintf(stderr, "%" PRIu32 " tensors in the library\n", own->n_tensors);
        return 1;
    }
    for (i = 0; i < own->n_tensors; i++) {
        const gsp_tensor *t = &own->tensors[i];
        gsp_str const name = gsp_node_name(graph, t->node);
        if (planned_plan[i].node != t->node || planned_plan[i].scratch != t->scratch ||
            planned_plan[i].bytes != t->bytes ||
            !gsp_str_equal(name, gsp_str_of(planned_plan[i].name))) {
            return fail("node or size", i);
        }
        if (planned_plan[i].offset % PLANNED_ALIGN != 0 ||
            planned_plan[i].offset + planned_plan[i].bytes > sizeof planned_arena) {
            return fail("offset", i);
        }
    }
    return (uintptr_t)planned_arena % PLANNED_ALIGN != 0;
}

/* At every step the tensors that are live lie apart, and are at least the live bytes. */
static int check_steps(const gsp_liveness_result *live, const gsp_memory_plan_result *own)
{
    uint32_t step;
    uint32_t i;
    uint32_t k;
    for (step = 0; step < live->step_begin[1]; step++) {
        uint64_t bytes = 0;
        for (i = 0; i < own->n_tensors; i++) {
            if (own->tensors[i].begin > step || own->tensors[i].end < step) {
                continue;
            }
            bytes += planned_plan[i].bytes;
            for (k = 0; k < i; k++) {
                if (own->tensors[k].begin <= step && own->tensors[k].end >= step &&
                    planned_plan[i].offset < planned_plan[k].offset + planned_plan[k].bytes &&
                    planned_plan[k].offset < planned_plan[i].offset + planned_plan[i].bytes) {
                    return fail("overlap", i);
                }
            }
        }
        if (bytes < live->live[step]) {
            fprintf(stderr, "step %" PRIu32 " has more live bytes\n", step);
            return 1;
        }
    }
    return sizeof planned_arena < live->parts[0].bytes;
}

int main(void)
{
    gsp_liveness_desc live_desc = {0};
    gsp_memory_plan_desc plan_desc = {0};
    gsp_liveness_result live;
    gsp_memory_plan_result own;
    gsp_module module;
    gsp_graph graph;
    gsp_arena arena;
    uint64_t *scratch;
    uint32_t i;
    if (gsp_module_open(&module, planned, sizeof planned, 0, NULL) != GSP_OK) {
        return 2;
    }
    graph = gsp_module_graph(&module, 0);
    scratch = (uint64_t *)calloc((size_t)graph.n_nodes + 1u, sizeof *scratch);
    for (i = 0; scratch != NULL && i < (uint32_t)planned_tensors; i++) {
        scratch[planned_plan[i].node] += planned_plan[i].scratch ? planned_plan[i].bytes : 0u;
    }
    live_desc.scratch = scratch;
    plan_desc.scratch = scratch;
    arena.size = gsp_liveness_bound(&graph, &live_desc) + gsp_memory_plan_bound(&graph, &plan_desc);
    gsp_arena_init(&arena, malloc(arena.size), arena.size);
    if (gsp_liveness_run(&arena, &graph, &live_desc, &live, NULL) != GSP_OK ||
        gsp_memory_plan_run(&arena, &graph, &plan_desc, &own, NULL) != GSP_OK ||
        check_rows(&graph, &own) || check_steps(&live, &own)) {
        return 1;
    }
    printf("arena bytes=%" PRIu64 "\n", (uint64_t)sizeof planned_arena);
    for (i = 0; i < (uint32_t)planned_tensors; i++) {
        printf("%s %s offset=%" PRIu64 " bytes=%" PRIu64 "\n",
            planned_plan[i].scratch ? "scratch" : "tensor", planned_plan[i].name,
            (uint64_t)planned_plan[i].offset, (uint64_t)planned_plan[i].bytes);
    }
    return 0;
}
