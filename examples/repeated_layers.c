/* Finds the layer that a network repeats, and replaces it by calls of one subgraph.
 *     cc -I. -o repeated_layers examples/repeated_layers.c && ./repeated_layers
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_FINGERPRINT_IMPLEMENTATION
#include "examples/extra/graphsplit_fingerprint.h"

#include <stdio.h>

#define LAYERS 4

static unsigned char memory[1 << 20];

/* x -> matmul with weights of its own -> relu -> add x; LAYERS times. */
static gsp_status make(gsp_arena *arena, gsp_module *module, gsp_error *error)
{
    static const char *const weights[LAYERS] = {"w0", "w1", "w2", "w3"};
    static const char *const names[LAYERS][3] = {{"mm0", "relu0", "add0"}, {"mm1", "relu1", "add1"},
        {"mm2", "relu2", "add2"}, {"mm3", "relu3", "add3"}};
    static const char *const targets[3] = {"torch.matmul", "torch.relu", "torch.add"};
    gsp_counts const counts = gsp_build_counts(1, 64, 256, 64, 64, 1024);
    gsp_builder b;
    gsp_node x;
    int layer;
    int k;
    if (gsp_build_init(&b, arena, &counts, error) != GSP_OK) {
        return error->status;
    }
    gsp_build_graph(&b, gsp_str_of("main"));
    x = gsp_build_node(&b, GSP_OP_PLACEHOLDER, gsp_str_of("x"), gsp_str_of("x"));
    gsp_build_type(&b, gsp_str_of("f32[8, 8]"));
    for (layer = 0; layer < LAYERS; layer++) {
        gsp_node in = x;
        gsp_node w = gsp_build_node(
            &b, GSP_OP_GET_ATTR, gsp_str_of(weights[layer]), gsp_str_of(weights[layer]));
        gsp_build_type(&b, gsp_str_of("f32[8, 8]"));
        for (k = 0; k < 3; k++) {
            gsp_node v = gsp_build_node(
                &b, GSP_OP_CALL_FUNCTION, gsp_str_of(names[layer][k]), gsp_str_of(targets[k]));
            gsp_build_type(&b, gsp_str_of("f32[8, 8]"));
            gsp_build_arg_node(&b, in);
            if (k != 1) {
                gsp_build_arg_node(&b, k == 0 ? w : x);
            }
            in = v;
        }
        x = in;
    }
    (void)gsp_build_output(&b);
    gsp_build_arg_node(&b, x);
    return gsp_build_finish(&b, module, error);
}

int main(void)
{
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_graph body;
    gsp_dedup_result result;
    gsp_error error;
    gsp_fingerprints_result fingerprints;
    char print[33];
    unsigned i;
    gsp_arena_init(&arena, memory, sizeof memory);
    if (make(&arena, &module, &error) != GSP_OK) {
        printf("%s\n", gsp_detail_text(error.detail));
        return 1;
    }
    graph = gsp_module_graph(&module, 0);
    if (gsp_dedup_run(&arena, &graph, NULL, &result, &error) != GSP_OK) {
        printf("%s\n", gsp_detail_text(error.detail));
        return 1;
    }
    if (gsp_fingerprints_run(&arena, &result.module, &fingerprints, &error) != GSP_OK) {
        printf("%s\n", gsp_detail_text(error.detail));
        return 1;
    }
    for (i = 0; i < result.selection.n_subgraphs; i++) {
        body = gsp_module_graph(&result.module, i + 1u);
        gsp_fingerprint_write(fingerprints.prints[i + 1u], print);
        printf("subgraph_%u: %u nodes, called %u times, fingerprint %s\n", i, body.n_nodes,
            result.selection.call_begin[i + 1u] - result.selection.call_begin[i], print);
    }
    printf("%u nodes in the root, %u before\n", gsp_module_graph(&result.module, 0).n_nodes,
        graph.n_nodes);
    return 0;
}
