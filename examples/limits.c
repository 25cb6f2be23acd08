/* A chain of five layers for an accelerator whose memory holds 44 bytes of parameters and
 * activations per subgraph: one layer alone is too large, and the others need two subgraphs.
 *     cc -I. -o limits examples/limits.c && ./limits
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_LIMITS_IMPLEMENTATION
#include "examples/extra/graphsplit_limits.h"

#include <stdio.h>

#define CALL(name, args, note) \
    "    %" name " : [num_users=1] = call_function[target=conv](args = (" args \
    "), kwargs = {})  # " note " acc=1\n"

static const char text[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # u8[10]\n"
    "    %v : [num_users=1] = get_attr[target=v]  # u8[30]\n"
    "    %w : [num_users=1] = get_attr[target=w]  # u8[40]\n" CALL("a", "%x", "u8[10]")
        CALL("b", "%a, %v", "u8[4]") CALL("c", "%b", "u8[8]") CALL("d", "%c, %w", "u8[6]")
            CALL("e", "%d", "u8[1]") "    return e\n";

static char memory[65536];

int main(void)
{
    gsp_arena arena;
    gsp_module module;
    gsp_placement placement;
    gsp_split_desc split = {0};
    gsp_limit limits[2] = {{0, 0, 0, 0}, {44, 0, 0, 0}}; /* of the CPU, of the accelerator */
    gsp_limits_desc desc = {0};
    gsp_limits_result limited;
    gsp_split_result result;
    gsp_error error;
    gsp_arena_init(&arena, memory, sizeof(memory));
    gsp_status status = gsp_text_read(&arena, text, sizeof(text) - 1, NULL, &module, &error);
    gsp_graph graph = gsp_module_graph(&module, 0);
    split.placement = &placement;
    desc.split = &split;
    desc.limits = limits;
    if (status == GSP_OK) {
        status = gsp_support_run(&arena, &graph, NULL, &placement, &error);
    }
    if (status == GSP_OK) {
        status = gsp_limits_run(&arena, &graph, &desc, &limited, &error);
    }
    if (status == GSP_OK) { /* the same split, within the limits */
        split.placement = &limited.placement;
        split.phase = limited.phase;
        status = gsp_split_run(&arena, &graph, &split, &result, &error);
    }
    if (status != GSP_OK) {
        printf("%s\n", gsp_detail_text(error.detail));
        return 1;
    }
    for (uint32_t i = 0; i < result.n_subgraphs; i++) {
        printf("%s", result.subgraph_kind[i] == GSP_KIND_CPU ? "cpu:" : "acc:");
        for (uint32_t k = result.subgraph_begin[i]; k < result.subgraph_begin[i + 1]; k++) {
            gsp_str name = gsp_node_name(&graph, result.nodes[k]);
            printf(" %.*s", (int)name.size, name.data);
        }
        printf("\n");
    }
    printf("%u nodes are too large; %u more bytes cross%s\n", (unsigned)limited.n_large,
        (unsigned)limited.bytes, limited.proved ? ", which is proved to be least" : "");
    return 0;
}
