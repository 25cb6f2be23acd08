/* Finds the layer that a network repeats, and replaces it by calls of one subgraph.
 *     cc -I. -o repeated_layers examples/repeated_layers.c && ./repeated_layers
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_FINGERPRINT_IMPLEMENTATION
#include "examples/extra/graphsplit_fingerprint.h"
#include <stdio.h>

#define CALL(name, op, in) \
    "    %" name " : [num_users=1] = call_function[target=torch." op "](args = (%" in \
    "), kwargs = {})  # f32[8, 8]\n"
#define LAYER(n, x) \
    "    %w" n " : [num_users=1] = get_attr[target=w" n "]  # f32[8, 8]\n" CALL("mm" n, "matmul", \
        x ", %w" n) CALL("relu" n, "relu", "mm" n ",") CALL("add" n, "add", "relu" n ", %" x)
static const char text[] =
    "graph():\n    %x : [num_users=2] = placeholder[target=x]  # f32[8, 8]\n" LAYER("0", "x")
        LAYER("1", "add0") LAYER("2", "add1") LAYER("3", "add2") "    return add3\n";
static unsigned char memory[1 << 20];
static gsp_module module;

int main(void)
{
    gsp_dedup_result r;
    gsp_fingerprints_result prints;
    char hex[33];
    gsp_arena arena;
    gsp_arena_init(&arena, memory, sizeof memory);
    gsp_status status = gsp_text_read(&arena, text, sizeof text - 1, NULL, &module, NULL);
    gsp_graph const graph = gsp_module_graph(&module, 0);
    if (status != GSP_OK || gsp_dedup_run(&arena, &graph, NULL, &r, NULL) != GSP_OK ||
        gsp_fingerprints_run(&arena, &r.module, &prints, NULL) != GSP_OK) {
        return 1;
    }
    gsp_fingerprint_write(prints.prints[1], hex);
    return printf("%u nodes, %u times, fingerprint %s; %u nodes in the root, %u before\n",
               (unsigned)gsp_module_graph(&r.module, 1).n_nodes,
               (unsigned)r.selection.call_begin[1], hex,
               (unsigned)gsp_module_graph(&r.module, 0).n_nodes, (unsigned)graph.n_nodes) < 0;
}
