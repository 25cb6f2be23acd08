/* Stages on three unequal devices: a fast one, and two of half its speed, one of them small.
 *     cc -I. -o unequal examples/unequal.c && ./unequal
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_DEVICES_IMPLEMENTATION
#include "examples/extra/graphsplit_devices.h"
#include <stdio.h>
#define LAYER(to, from) \
    "    %" to " : [num_users=1] = call_function[target=f](args = (%" from ",), kwargs = {})" \
    "  # f32[256] compute=0.001\n"
static const char text[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[256]\n" LAYER("a", "x")
        LAYER("b", "a") LAYER("c", "b") LAYER("d", "c") "    return d\n";
static const gsp_stages_device devices[] = {{2048, 1.0, 0}, {65536, 2.0, 1}, {65536, 1.0, 2}};
static unsigned char memory[1 << 18];
static gsp_module module;

int main(void)
{
    gsp_stages_unequal_desc desc = {0};
    gsp_stages_unequal_result r;
    gsp_costs costs;
    gsp_arena arena;
    gsp_arena_init(&arena, memory, sizeof memory);
    desc.devices = devices;
    desc.n_devices = 3;
    desc.any_order = 1;
    desc.costs = &costs;
    gsp_status status = gsp_text_read(&arena, text, sizeof text - 1, NULL, &module, NULL);
    gsp_graph graph = gsp_module_graph(&module, 0);
    if (status != GSP_OK || gsp_costs_run(&arena, &graph, NULL, &costs, NULL) != GSP_OK ||
        gsp_stages_unequal_run(&arena, &graph, &desc, &r, NULL) != GSP_OK) {
        return 1;
    }
    for (unsigned i = 0; i < r.n_stages; i++) {
        printf("stage %u: %u nodes on device %u\n", i, r.stages[i].n_nodes, r.devices[i]);
    }
    return printf("slowest: %u us\n", (unsigned)(r.objective / 1000u)) < 0;
}
