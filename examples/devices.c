/* A graph too large for any one of its devices: partitions that fit, on which device each runs,
 * what it waits for, and whether a faster plan exists. Seconds come from mem= and compute= of the
 * text. */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <inttypes.h>
#include <stdio.h>

static const char text[] =
    "graph():\n"
    "    %x : [num_users=2] = placeholder[target=x]  # f32[64]\n"
    "    %left : [num_users=1] = call_module[target=left](args = (%x,), kwargs = {})"
    "  # f32[64] params=4096 compute=4e-06\n"
    "    %right : [num_users=1] = call_module[target=right](args = (%x,), kwargs = {})"
    "  # f32[64] params=4096 compute=3e-06\n"
    "    %both : [num_users=1] = call_function[target=torch.add](args = (%left, %right), kwargs = "
    "{})"
    "  # f32[64] compute=1e-06\n"
    "    return both\n";

static int plan(gsp_arena *arena, const gsp_graph *graph, gsp_partition_mode mode, const char *name)
{
    static const gsp_device devices[] = {
        {{"npu", 3}, 6000, 0},
        {{"dsp", 3}, 6000, 1},
    };
    gsp_partition_desc desc = {0};
    gsp_partition_result result;
    gsp_error error;
    uint32_t p;
    desc.mode = (uint32_t)mode;
    desc.devices = devices;
    desc.n_devices = 2;
    desc.has_rate = 1;
    desc.transfer_rate = 1e9;
    if (gsp_partition_run(arena, graph, &desc, &result, &error) != GSP_OK) {
        printf("%s: %s: %s\n", name, gsp_status_text(error.status), gsp_detail_text(error.detail));
        return 1;
    }
    printf("%s: %.3f us\n", name, result.total * 1e6);
    for (p = 0; p < result.n_parts; p++) {
        const gsp_device *device = &devices[result.devices[result.device_begin[p]]];
        uint32_t i;
        printf("    on %.*s, %" PRIu64 " bytes, done at %.3f us:", (int)device->name.size,
            device->name.data, result.bytes[p], result.finish[p] * 1e6);
        for (i = result.part_begin[p]; i < result.part_begin[p + 1u]; i++) {
            gsp_str node = gsp_node_name(graph, result.nodes[i]);
            printf(" %.*s", (int)node.size, node.data);
        }
        printf("\n");
    }
    return 0;
}

int main(void)
{
    static unsigned char memory[65536];
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_error error;
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (gsp_text_read(&arena, text, sizeof(text) - 1, NULL, &module, &error) != GSP_OK) {
        printf("line %u: %s\n", (unsigned)error.line, gsp_detail_text(error.detail));
        return 1;
    }
    graph = gsp_module_graph(&module, 0);
    return plan(&arena, &graph, GSP_PARTITION_SIZE, "one device after the other") ||
           plan(&arena, &graph, GSP_PARTITION_COST, "merged as long as it gets faster") ||
           plan(&arena, &graph, GSP_PARTITION_KL, "nodes that change places");
}
