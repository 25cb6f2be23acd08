/* Two branches, each large before it is small: one after the other they need less memory.
 *     cc -I. -o least_peak examples/least_peak.c && ./least_peak
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_ORDER_IMPLEMENTATION
#include "examples/extra/graphsplit_order.h"

#include <stdio.h>

#define CALL(name, args, note) \
    "    %" name " : [num_users=1] = call_function[target=conv](args = (" args \
    "), kwargs = {})  # " note "\n"

static const char text[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # u8[10]\n" CALL("a", "%x", "u8[40]")
        CALL("b", "%x", "u8[50]") CALL("c", "%a", "u8[2]") CALL("d", "%b", "u8[1]")
            CALL("e", "%c, %d", "u8[1]") "    return e\n";

static char memory[1 << 22];

int main(void)
{
    gsp_arena arena;
    gsp_module module;
    gsp_tasks tasks;
    gsp_least_peak_desc desc = {0};
    gsp_least_peak_result result;
    gsp_error error;
    desc.max_states = 65536; /* enough for this graph, and less memory than by default */
    gsp_arena_init(&arena, memory, sizeof(memory));
    gsp_status status = gsp_text_read(&arena, text, sizeof(text) - 1, NULL, &module, &error);
    gsp_graph graph = gsp_module_graph(&module, 0);
    if (status == GSP_OK) {
        status = gsp_tasks_run(&arena, &graph, NULL, &tasks, &error);
    }
    if (status == GSP_OK) {
        status = gsp_least_peak_run(&arena, &tasks, &desc, &result, &error);
    }
    if (status != GSP_OK) {
        printf("%s\n", gsp_detail_text(error.detail));
        return 1;
    }
    for (uint32_t i = 0; i < graph.n_nodes; i++) {
        gsp_str name = gsp_node_name(&graph, result.nodes[i]);
        printf("%.*s ", (int)name.size, name.data);
    }
    printf("\n%u bytes at the peak%s\n", (unsigned)result.peak,
        result.proved ? ", which is proved to be least" : "");
    return 0;
}
