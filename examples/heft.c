/* Neither device has room for all nodes: what goes where, so that all of them end early?
 *     cc -I. -o heft examples/heft.c && ./heft
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_HEFT_IMPLEMENTATION
#include "examples/extra/graphsplit_heft.h"

#include <stdio.h>

#define NODE(name, args, note) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args \
    "), kwargs = {})  # f32[4] compute=" note "\n"
static const char network[] =
    "graph():\n    %x : [num_users=2] = placeholder[target=x]  # f32[4]\n" NODE("a", "%x", "1")
        NODE("b", "%a", "2") NODE("c", "%x", "3") NODE("d", "%b, %c", "1") "    return d\n";
static unsigned char memory[1 << 20];

int main(void)
{
    static const gsp_device devices[] = {{{"left", 4}, 64, 0}, {{"right", 5}, 64, 1}};
    gsp_arena arena;
    gsp_module module;
    gsp_partition_desc by_size = {0};
    gsp_assignment start;
    gsp_heft_desc desc = {0};
    gsp_heft_result r;
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (gsp_text_read(&arena, network, sizeof(network) - 1, NULL, &module, NULL) != GSP_OK) {
        return 1;
    }
    gsp_graph const graph = gsp_module_graph(&module, 0);
    by_size.n_devices = desc.n_devices = 2;
    by_size.devices = desc.devices = devices;
    if (gsp_assign_run(&arena, &graph, &by_size, &start, NULL) != GSP_OK) {
        return 1;
    }
    desc.starts = &start; /* it competes, so the result is no worse */
    desc.n_starts = 1;
    desc.has_rate = 1;
    desc.max_states = 100;
    for (desc.transfer_rate = 64.0; desc.transfer_rate >= 4.0; desc.transfer_rate /= 16.0) {
        if (gsp_heft_run(&arena, &graph, &desc, &r, NULL) != GSP_OK) {
            return 1;
        }
        printf("%g bytes per second: %g seconds, by size %g, at least %g\n", desc.transfer_rate,
            r.seconds, r.reference, r.lower_bound);
        for (uint32_t v = 0; v < graph.n_nodes; v++) {
            if (r.part_of[v] != GSP_NONE) {
                gsp_str const name = gsp_node_name(&graph, v);
                gsp_str const on = devices[r.device_of[r.part_of[v]]].name;
                printf("  %.*s on %.*s\n", (int)name.size, name.data, (int)on.size, on.data);
            }
        }
    }
    return 0;
}
