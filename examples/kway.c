/* A ladder of 60 steps in four parts of equal load, cut three times, and the edges that any such
 * parts cut at least. Then the first part takes half as much as the others, and a node has its part
 * already.
 *     cc -I. -o kway examples/kway.c && ./kway
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_KWAY_IMPLEMENTATION
#include "examples/extra/graphsplit_kway.h"

#include <stdio.h>

#define NODES 120
#define PARTS 4

static gsp_status build(gsp_arena *arena, gsp_module *module, gsp_error *error)
{
    gsp_builder b;
    gsp_counts counts = gsp_build_counts(1, NODES + 1, 4 * NODES, 2, NODES + 4, 8 * NODES);
    gsp_status status = gsp_build_init(&b, arena, &counts, error);
    if (status != GSP_OK) {
        return status;
    }
    gsp_build_graph(&b, gsp_str_of("main"));
    for (gsp_node v = 0; v < NODES; v++) { /* an odd node reads its neighbour on the step */
        char name[16];
        snprintf(name, sizeof(name), "n%u", (unsigned)v);
        gsp_build_node(&b, GSP_OP_CALL_FUNCTION, gsp_str_of(name), gsp_str_of("f"));
        if (v >= 2) {
            gsp_build_arg_node(&b, v - 2);
        }
        if (v % 2 == 1) {
            gsp_build_arg_node(&b, v - 1);
        }
    }
    gsp_build_output(&b);
    gsp_build_arg_node(&b, NODES - 1);
    return gsp_build_finish(&b, module, error);
}

static int cut(gsp_arena *arena, const gsp_graph *graph, const gsp_kway_desc *desc)
{
    unsigned loads[PARTS] = {0};
    gsp_kway_result r;
    gsp_error error;
    if (gsp_kway_run(arena, graph, desc, &r, &error) != GSP_OK) {
        printf("%s\n", gsp_detail_text(error.detail));
        return 1;
    }
    for (gsp_node v = 0; v < NODES; v++) {
        loads[r.part_of[v]]++;
    }
    printf("%u edges cut; loads", (unsigned)r.cut);
    for (int p = 0; p < PARTS; p++) {
        printf(" %u", loads[p]);
    }
    printf("; n52 in part %u\n", (unsigned)r.part_of[52]);
    return 0;
}

static void bound(gsp_arena *arena, const gsp_graph *graph)
{
    static const uint64_t capacity[PARTS] = {30, 30, 30, 30};
    gsp_kway_floor_desc desc = {0};
    gsp_kway_floor_result r;
    desc.n_parts = PARTS;
    desc.capacity = capacity;
    if (gsp_kway_floor_run(arena, graph, &desc, &r, NULL) == GSP_OK) {
        printf("at least %u edges\n", (unsigned)r.floor);
    }
}

int main(void)
{
    static unsigned char memory[1 << 18];
    static uint32_t pin[NODES + 1];
    static const uint64_t capacity[PARTS] = {18, 36, 36, 36};
    gsp_arena arena;
    gsp_module module;
    gsp_error error;
    gsp_kway_desc desc = {0};
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (build(&arena, &module, &error) != GSP_OK) {
        printf("%s\n", gsp_detail_text(error.detail));
        return 1;
    }
    gsp_graph graph = gsp_module_graph(&module, 0);
    desc.n_parts = PARTS;
    if (cut(&arena, &graph, &desc) != 0) {
        return 1;
    }
    bound(&arena, &graph);
    for (gsp_node v = 0; v < NODES; v++) {
        pin[v] = v == 52 ? 2 : GSP_NONE;
    }
    desc.capacity = capacity;
    desc.pin = pin;
    return cut(&arena, &graph, &desc);
}
