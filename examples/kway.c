/* A ladder of 60 steps in four parts, the first of half the load, without a cycle of parts.
 *     cc -I. -o kway examples/kway.c && ./kway
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_KWAY_IMPLEMENTATION
#include "examples/extra/graphsplit_kway.h"
#include <stdio.h>

static const uint64_t capacity[] = {18, 36, 36, 36}; /* nodes in each part */
static unsigned char memory[1 << 18];                /* gsp_kway_bound() says how much suffices */
static gsp_module module;

int main(void)
{
    gsp_counts const most = gsp_build_counts(1, 121, 480, 2, 124, 960);
    gsp_kway_desc const desc = {0, 4, 0, 0, 0, NULL, capacity, NULL, 0, 0, 0};
    gsp_kway_result r;
    gsp_kway_floor_desc const any = {0, 4, 0, NULL, capacity, 0, 0, 0};
    gsp_kway_floor_result least;
    gsp_arena arena;
    gsp_builder b;
    gsp_arena_init(&arena, memory, sizeof memory);
    gsp_build_init(&b, &arena, &most, NULL);
    gsp_build_graph(&b, gsp_str_of("main"));
    for (gsp_node v = 0; v < 120; v++) { /* odd nodes read their neighbour on the step as well */
        gsp_node const below[] = {v - 2, v - 1};
        gsp_build_call(&b, gsp_str_of("f"), below + (v < 2), (v >= 2) + v % 2);
    }
    gsp_build_output(&b);
    gsp_build_arg_node(&b, 119);
    gsp_status status = gsp_build_finish(&b, &module, NULL);
    gsp_graph const graph = gsp_module_graph(&module, 0);
    if (status != GSP_OK || gsp_kway_run(&arena, &graph, &desc, &r, NULL) != GSP_OK ||
        gsp_kway_floor_run(&arena, &graph, &any, &least, NULL) != GSP_OK) {
        return 1;
    }
    return printf("%u edges cut, at least %u; node 52 in part %u\n", (unsigned)r.cut,
               (unsigned)least.floor, (unsigned)r.part_of[52]) < 0;
}
