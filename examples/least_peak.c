/* Two branches, each large before it is small: one after the other they need less memory.
 *     cc -I. -o least_peak examples/least_peak.c && ./least_peak
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_ORDER_IMPLEMENTATION
#include "examples/extra/graphsplit_order.h"
#include <stdio.h>

static const char text[] =
    "graph():\n    %x : [num_users=2] = placeholder[target=x]  # u8[10]\n"
    "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # u8[40]\n"
    "    %b : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # u8[50]\n"
    "    %c : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # u8[2]\n"
    "    %d : [num_users=1] = call_function[target=g](args = (%b,), kwargs = {})  # u8[1]\n"
    "    return (c, d)\n";
static char memory[1 << 22];

int main(void)
{
    gsp_arena arena;
    gsp_module module;
    gsp_tasks tasks;
    gsp_least_peak_desc desc = {0};
    gsp_least_peak_result r;
    desc.max_states = 65536; /* enough for this graph, and less memory than by default */
    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, text, sizeof text - 1, NULL, &module, NULL) != GSP_OK) {
        return 1;
    }
    gsp_graph const graph = gsp_module_graph(&module, 0);
    if (gsp_tasks_run(&arena, &graph, NULL, &tasks, NULL) != GSP_OK ||
        gsp_least_peak_run(&arena, &tasks, &desc, &r, NULL) != GSP_OK) {
        return 1;
    }
    for (uint32_t i = 0; i < graph.n_nodes; i++) {
        printf("%c ", gsp_node_name(&graph, r.nodes[i]).data[0]);
    }
    return printf("\n%u bytes%s\n", (unsigned)r.peak, r.proved ? " are the least" : "") < 0;
}
