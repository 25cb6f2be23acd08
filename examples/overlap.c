/* Two branches, one on the CPU while the accelerator runs the other.
 *     cc -I. -o overlap examples/overlap.c && ./overlap
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_OFFLOAD_IMPLEMENTATION
#include "examples/extra/graphsplit_offload.h"
#include <stdio.h>

static const char network[] =
    "graph():\n    %x : [num_users=2] = placeholder[target=x]\n"
    "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})\n"
    "    %b : [num_users=1] = call_function[target=g](args = (%x,), kwargs = {})\n"
    "    return (a, b)\n";
static const uint8_t all[] = {0, 1, 1, 0}; /* x, a, b, output */
static const uint64_t cpu[] = {0, 20, 20, 0}, acc[] = {0, 10, 16, 0}, move[] = {2, 2, 2, 0};
static const uint8_t *const can[] = {all, all};
static const uint64_t *const ticks[] = {cpu, acc};
static const char *const resources[] = {"CPU", "accelerator", "channel"};
static unsigned char memory[1 << 18];

int main(void)
{
    gsp_sides_desc const desc = {0, 2, can, ticks, NULL, move, NULL, NULL, 0, 0, 0, NULL, 0};
    gsp_overlap_result r;
    gsp_arena arena;
    gsp_module module;
    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, network, sizeof network - 1, NULL, &module, NULL) != GSP_OK) {
        return 1;
    }
    gsp_graph const graph = gsp_module_graph(&module, 0);
    gsp_status const status = gsp_overlap_run(&arena, &graph, &desc, &r, NULL);
    for (uint32_t i = 0; status == GSP_OK && i < r.n_steps; i++) {
        printf("%2u to %2u: %c on the %s\n", (unsigned)r.steps[i].begin, (unsigned)r.steps[i].end,
            gsp_node_name(&graph, r.steps[i].node).data[0], resources[r.steps[i].resource]);
    }
    return status != GSP_OK;
}
