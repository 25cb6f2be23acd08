/* Passes one at a time: sets of node ids, another order, which nodes can run on the accelerator
 * and which belong together, and which nodes and regions repeat.
 *     cc -I. -o sets examples/sets.c && ./sets
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <inttypes.h>
#include <stdio.h>

#define CALL(name, target, args, note) \
    "    %" name " : [num_users=1] = call_function[target=" target "](args = (" args \
    "), kwargs = {})" \
    "  # " note "\n"

static const char text[] =
    "graph():\n"
    "    %x : [num_users=2] = placeholder[target=x]  # f32[8]\n" CALL(
        "a1", "conv", "%x,", "f32[8] acc=1") CALL("a2", "relu", "%a1,", "f32[8] acc=1")
        CALL("b1", "conv", "%a2,", "f32[8] acc=1") CALL("b2", "relu", "%b1,", "f32[8] acc=1")
            CALL("size", "numel", "%x,", "int acc=1")
                CALL("y", "scale", "%b2, %size", "f32[8]") "    return y\n";

static void print(const gsp_graph *graph, const char *what, const gsp_bitset *set)
{
    printf("%-12s %" PRIu32 ":", what, gsp_bitset_count(set));
    for (gsp_node v = 0; (v = gsp_bitset_next(set, v)) != GSP_NONE; v++) {
        gsp_str const name = gsp_node_name(graph, v);
        printf(" %.*s", (int)name.size, name.data);
    }
    printf("\n");
}

static int passes(gsp_arena *arena, const gsp_graph *graph, gsp_error *error)
{
    uint32_t words[3][1]; /* 32 nodes at most */
    gsp_bitset wanted, possible, alone;
    gsp_topo_order_desc backward = {0};
    gsp_topo_order_result order;
    gsp_placement placement;
    gsp_fuse_result fused;
    gsp_node_classes classes;
    gsp_regions regions;
    if (gsp_bitset_words(graph->n_nodes) > 1) {
        return 1;
    }
    gsp_bitset_init(&wanted, words[0], graph->n_nodes);
    gsp_bitset_init(&possible, words[1], graph->n_nodes);
    gsp_bitset_init(&alone, words[2], graph->n_nodes);
    backward.backward = 1;
    if (gsp_arena_left(arena) < gsp_topo_order_bound(graph, &backward) ||
        gsp_topo_order_run(arena, graph, &backward, &order, error) != GSP_OK ||
        gsp_support_run(arena, graph, NULL, &placement, error) != GSP_OK) {
        return 1;
    }
    printf("order       ");
    for (gsp_node i = 0; i < order.n_nodes; i++) {
        gsp_str const name = gsp_node_name(graph, order.order[i]);
        printf(" %.*s", (int)name.size, name.data);
        if (placement.kind[i] == 1) {
            gsp_bitset_set(&wanted, i);
        }
    }
    printf("\n");
    print(graph, "supported", &wanted);
    if (gsp_acc_nodes_run(arena, graph, &placement, error) != GSP_OK ||
        gsp_fuse_run(arena, graph, NULL, &placement, &fused, error) != GSP_OK) {
        return 1;
    }
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        if (placement.kind[v] == 1) {
            gsp_bitset_set(&possible, v);
        }
    }
    gsp_bitset_or(&alone, &wanted);
    gsp_bitset_andnot(&alone, &possible);
    gsp_bitset_and(&wanted, &possible);
    print(graph, "accelerator", &wanted);
    print(graph, "moved", &alone);
    printf("equal sets   %d, groups %" PRIu32 "\n", gsp_bitset_equal(&wanted, &possible),
        fused.n_groups);
    if (gsp_node_classes_run(arena, graph, NULL, &classes, error) != GSP_OK ||
        gsp_regions_run(arena, graph, NULL, &regions, error) != GSP_OK) {
        return 1;
    }
    gsp_bitset_fill(&alone, 1);
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        if (classes.class_of[v] != GSP_NONE || !gsp_node_is_callable(graph, v)) {
            gsp_bitset_clear(&alone, v);
        }
    }
    print(graph, "occur once", &alone);
    printf("classes      %" PRIu32 ", a1 and b1 equal: %d, groups of regions: %" PRIu32 "\n",
        classes.n_classes, gsp_node_equal(graph, 1, 3), regions.n_groups);
    return 0;
}

int main(void)
{
    static unsigned char memory[65536];
    gsp_arena arena;
    gsp_module module;
    gsp_error error;
    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, text, sizeof text - 1, NULL, &module, &error) != GSP_OK) {
        return 1;
    }
    gsp_graph const graph = gsp_module_graph(&module, 0);
    return passes(&arena, &graph, &error);
}
