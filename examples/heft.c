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
static const char text[] =
    "graph():\n    %x : [num_users=2] = placeholder[target=x]  # f32[4]\n" NODE("a", "%x", "1")
        NODE("b", "%a", "2") NODE("c", "%x", "3") NODE("d", "%b, %c", "1") "    return d\n";
static const gsp_device devices[] = {{GSP_STR("left"), 64, 0}, {GSP_STR("right"), 64, 1}};
static unsigned char memory[1 << 20]; /* gsp_heft_bound() is less */
static gsp_module module;
static gsp_heft_result r;

int main(void)
{
    gsp_heft_desc desc = {0};
    gsp_arena arena;
    desc.devices = devices;
    desc.n_devices = 2;
    desc.has_rate = 1;
    desc.transfer_rate = 64.0; /* bytes per second between devices */
    gsp_arena_init(&arena, memory, sizeof memory);
    gsp_status status = gsp_text_read(&arena, text, sizeof text - 1, NULL, &module, NULL);
    gsp_graph const graph = gsp_module_graph(&module, 0);
    status = status != GSP_OK ? status : gsp_heft_run(&arena, &graph, &desc, &r, NULL);
    for (uint32_t v = 1; v < 5 && status == GSP_OK; v++) {
        printf("%c on %s\n", gsp_node_name(&graph, v).data[0],
            devices[r.device_of[r.part_of[v]]].name.data);
    }
    printf("%s: %g seconds, at least %g\n", gsp_status_name(status), r.seconds, r.lower_bound);
    return status != GSP_OK || r.found != GSP_HEFT_FOUND;
}
