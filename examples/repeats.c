/* A loop that was unrolled: which regions are equal, so that calls of one subgraph save most nodes?
 *     cc -I. -o repeats examples/repeats.c && ./repeats
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_REPEATS_IMPLEMENTATION
#include "examples/extra/graphsplit_repeats.h"
#include <stdio.h>

static unsigned char memory[1 << 20]; /* gsp_repeats_bound() says how much suffices */
static gsp_module module;
static gsp_repeats_result r;

int main(void)
{
    gsp_counts const most = gsp_build_counts(1, 16, 32, 32, 64, 512);
    gsp_dedup_result dedup;
    gsp_arena arena;
    gsp_builder b;
    gsp_arena_init(&arena, memory, sizeof memory);
    gsp_build_init(&b, &arena, &most, NULL);
    gsp_build_graph(&b, gsp_str_of("main"));
    gsp_node at = gsp_build_node(&b, GSP_OP_PLACEHOLDER, gsp_str_of("x"), gsp_str_of("x"));
    for (uint32_t i = 0; i < 6; i++) {
        at = gsp_build_call(&b, gsp_str_of("torch.tanh"), &at, 1);
    }
    gsp_build_output(&b);
    gsp_build_arg_node(&b, at);
    gsp_status status = gsp_build_finish(&b, &module, NULL);
    gsp_graph const graph = gsp_module_graph(&module, 0);
    if (status != GSP_OK || gsp_dedup_run(&arena, &graph, NULL, &dedup, NULL) != GSP_OK ||
        gsp_repeats_run(&arena, &graph, &dedup.regions, NULL, &r, NULL) != GSP_OK) {
        return 1;
    }
    for (uint32_t i = 0; i < r.regions.group_begin[r.regions.n_groups]; i++) {
        printf("region %u has node %u\n", (unsigned)(i % r.regions.group_regions[0]),
            (unsigned)r.regions.members[i]);
    }
    return printf("saved nodes: %u of at most %u\n", (unsigned)r.saved, (unsigned)r.most) < 0;
}
