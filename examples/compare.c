/* What changes if an accelerator sorts, too? cc -I. -o compare examples/compare.c && ./compare */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_COMPARE_IMPLEMENTATION
#include "examples/extra/graphsplit_compare.h"
#include <stdio.h>
static const char text[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
    "    %a : [num_users=1] = call_method[target=conv](args = (%x,), kwargs = {})  # i8[4] acc=1\n"
    "    %b : [num_users=1] = call_method[target=sort](args = (%a,), kwargs = {})  # i8[4]\n"
    "    %c : [num_users=1] = call_method[target=relu](args = (%b,), kwargs = {})  # i8[4] acc=1\n"
    "    %d : [num_users=1] = call_method[target=topk](args = (%c,), kwargs = {})\n    return d\n";
static const char *const became[] = {"empty", "the same", "renamed", "split", "merged", "mixed"};
static const gsp_pin learned = {GSP_PIN_TARGET, 1, {"sort", 4}, 0};
static unsigned char memory[1 << 16];
int main(void)
{
    gsp_split_subgraphs_desc options = {0};
    gsp_split_subgraphs_result r;
    gsp_compare_desc desc = {0};
    gsp_compare_result changed;
    gsp_module module;
    gsp_arena arena;
    gsp_arena_init(&arena, memory, sizeof(memory));
    gsp_status status = gsp_text_read(&arena, text, sizeof(text) - 1, NULL, &module, NULL);
    for (uint32_t k = 0; k < 2 && status == GSP_OK; k++) {
        gsp_graph const graph = gsp_module_graph(&module, 0);
        options.support.pins = &learned;
        options.support.n_pins = k;
        status = gsp_split_subgraphs_run(&arena, &graph, &options, &r, NULL);
        desc.n_items = graph.n_nodes;
        desc.part_of[k] = r.split.subgraph_of;
        desc.n_parts[k] = r.split.n_subgraphs;
    }
    status = status == GSP_OK ? gsp_compare_run(&arena, &desc, &changed, NULL) : status;
    for (uint32_t i = 0; status == GSP_OK && i < desc.n_parts[0]; i++) {
        printf("subgraph %u: %s\n", (unsigned)i, became[changed.change[0][i]]);
    }
    return status != GSP_OK;
}
