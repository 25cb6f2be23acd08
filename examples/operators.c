/* A table of operators misses three of a network: which one should the accelerator learn first, and
 * which are the fewest that leave at most three subgraphs?
 *     cc -I. -o operators examples/operators.c && ./operators
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_OPERATORS_IMPLEMENTATION
#include "examples/extra/graphsplit_operators.h"

#include <stdio.h>

#define CALL(name, op, args, note) \
    "    %" name " : [num_users=1] = call_function[target=" op "](args = (" args \
    "), kwargs = {})  # f32[8]" note "\n"

static const char text[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[8]\n" CALL(
        "a", "conv", "%x", " acc=1") CALL("b", "gelu", "%a", "") CALL("c", "conv", "%b", " acc=1")
        CALL("d", "norm", "%c", "") CALL("e", "conv", "%d", " acc=1") CALL("f", "gelu", "%e", "")
            CALL("g", "conv", "%f", " acc=1") CALL("h", "topk", "%g", "") "    return h\n";
static const char *const names[] = {"gelu", "norm", "topk"};
static unsigned char memory[1 << 16];

int main(void)
{
    gsp_arena arena;
    gsp_module module;
    gsp_placement placement;
    gsp_split_desc split = {0};
    gsp_operators_desc desc = {0};
    gsp_operators_result r;
    gsp_split_result cut;
    uint32_t operator_of[16];
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (gsp_text_read(&arena, text, sizeof(text) - 1, NULL, &module, NULL) != GSP_OK) {
        return 1;
    }
    gsp_graph graph = gsp_module_graph(&module, 0);
    for (gsp_node v = 0; v < graph.n_nodes; v++) {
        operator_of[v] = GSP_NONE;
        for (uint32_t i = 0; i < 3; i++) {
            if (gsp_str_equal(gsp_node_target(&graph, v), gsp_str_of(names[i]))) {
                operator_of[v] = i;
            }
        }
    }
    split.placement = &placement;
    desc.split = &split;
    desc.operator_of = operator_of;
    desc.n_operators = 3;
    desc.max_subgraphs = 3;
    if (gsp_support_run(&arena, &graph, NULL, &placement, NULL) != GSP_OK ||
        gsp_operators_run(&arena, &graph, &desc, &r, NULL) != GSP_OK ||
        gsp_operators_split_run(&arena, &graph, &desc, r.least, r.n_least, &cut, NULL) != GSP_OK) {
        return 1;
    }
    printf("now: %u subgraphs, %u nodes accelerated\n", (unsigned)r.n_subgraphs[0],
        (unsigned)r.n_nodes[0]);
    for (uint32_t i = 0; i < r.n; i++) {
        printf("and %s: %u subgraphs, %u nodes\n", names[r.order[i]],
            (unsigned)r.n_subgraphs[i + 1], (unsigned)r.n_nodes[i + 1]);
    }
    printf("%u operators are enough for %u subgraphs%s:", (unsigned)r.n_least,
        (unsigned)cut.n_subgraphs, r.proved ? ", no fewer are" : "");
    for (uint32_t i = 0; i < r.n_least; i++) {
        printf(" %s", names[r.least[i]]);
    }
    printf("\n");
    return 0;
}
