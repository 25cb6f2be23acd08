/* The cost of a split before anything is compiled: the operators that an accelerator supports, and
 * the bytes that cross the boundary of every subgraph.
 *     cc -I. -o preview examples/preview.c && ./preview
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <inttypes.h>
#include <stdio.h>

static const char text[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[1, 3, 64, 64]\n"
    "    %conv : [num_users=1] = call_function[target=conv](args = (%x,), kwargs = {})"
    "  # f32[1, 8, 64, 64] acc=1\n"
    "    %topk : [num_users=1] = call_function[target=topk](args = (%conv,), kwargs = {})"
    "  # f32[1, 8, 16]\n"
    "    %fc : [num_users=1] = call_function[target=linear](args = (%topk,), kwargs = {})"
    "  # f32[1, 10] acc=1\n"
    "    return fc\n";

static void print_types(const gsp_signatures_result *types)
{
    for (uint32_t i = 0; i < types->n_signatures; i++) {
        const gsp_signature *type = &types->signatures[i];
        printf("%.*s: %" PRIu32 " node, %s\n", (int)type->name.size, type->name.data, type->n_nodes,
            type->kind == GSP_KIND_CPU ? "CPU" : "accelerator");
    }
}

int main(void)
{
    static unsigned char memory[65536];
    gsp_split_desc desc = {0};
    gsp_placement placement;
    gsp_signatures_result types;
    gsp_split_result split;
    gsp_preview_result preview;
    gsp_module module;
    gsp_arena arena;
    gsp_error error;
    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, text, sizeof text - 1, NULL, &module, &error) != GSP_OK) {
        return 1;
    }
    gsp_graph graph = gsp_module_graph(&module, 0);
    desc.placement = &placement;
    if (gsp_support_run(&arena, &graph, NULL, &placement, &error) != GSP_OK ||
        gsp_signatures_run(&arena, &graph, &placement, &types, &error) != GSP_OK ||
        gsp_split_run(&arena, &graph, &desc, &split, &error) != GSP_OK ||
        gsp_preview_run(&arena, &graph, &split, NULL, &preview, &error) != GSP_OK) {
        printf("%s\n", gsp_detail_text(error.detail));
        return 1;
    }
    print_types(&types);
    for (uint32_t s = 0; s < preview.n_subgraphs; s++) {
        char tag[32];
        double rate;
        gsp_split_tag(&split, s, tag, sizeof tag);
        printf("%s: %" PRIu64 " bytes in, %" PRIu64 " bytes out", tag,
            preview.subgraphs[s].bytes_in, preview.subgraphs[s].bytes_out);
        if (gsp_preview_rate(&preview, s, &rate)) {
            printf(", at most %.0f runs per second", rate);
        }
        printf("\n");
    }
    return 0;
}
