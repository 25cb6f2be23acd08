/* The five ways to assign a graph to devices, compared: two lookups in tables and the layers above
 * them on three equal devices. Then the critical path of each part of one's own assignment.
 *     cc -I. -o partition_modes examples/partition_modes.c && ./partition_modes
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>

#define NODES   7
#define DEVICES 3

static const char text[] =
    "graph():\n"
    "    %x : [num_users=2] = placeholder[target=x]  # i32[64]\n"
    "    %users : [num_users=1] = call_module[target=users](args = (%x,), kwargs = {})"
    "  # f32[64] params=4000 module=Embedding mem=3e-06\n"
    "    %items : [num_users=1] = call_module[target=items](args = (%x,), kwargs = {})"
    "  # f32[64] params=4000 module=Embedding mem=3e-06\n"
    "    %both : [num_users=1] = call_function[target=torch.add](args = (%users, %items), kwargs"
    " = {})  # f32[64] compute=1e-06\n"
    "    %hidden : [num_users=1] = call_module[target=hidden](args = (%both,), kwargs = {})"
    "  # f32[64] params=1000 compute=2e-06\n"
    "    %score : [num_users=1] = call_module[target=score](args = (%hidden,), kwargs = {})"
    "  # f32[1] params=500 compute=1e-06\n"
    "    return score\n";

/* AOT: a partition per lookup, the rest with the second. */
static const uint32_t own[NODES] = {GSP_NONE, 0, 1, 1, 1, 1, GSP_NONE};

static int compare(gsp_arena *arena, const gsp_graph *graph)
{
    static const char *const names[] = {"size", "sparse", "cost", "kl", "aot"};
    static const uint32_t ids[] = {0, 1};
    static const gsp_part_devices part_devices[] = {{0, 1, &ids[0]}, {1, 1, &ids[1]}};
    static const gsp_device devices[DEVICES] = {
        {{"npu0", 4}, 7500, 0}, {{"npu1", 4}, 7500, 1}, {{"npu2", 4}, 7500, 2}};
    gsp_partition_desc desc = {0};
    desc.devices = devices;
    desc.n_devices = DEVICES;
    desc.has_rate = 1;
    desc.transfer_rate = 1e9;
    desc.part_of = own;
    desc.part_devices = part_devices;
    desc.n_part_devices = 2;
    for (uint32_t mode = 0; mode < GSP_PARTITION_COUNT; mode++) {
        gsp_mark const mark = gsp_arena_mark(arena);
        gsp_partition_result result;
        gsp_error error;
        desc.mode = mode;
        if (gsp_partition_run(arena, graph, &desc, &result, &error) != GSP_OK) {
            printf("%s: %s\n", names[mode], gsp_detail_text(error.detail));
            return 1;
        }
        printf("%-6s %u partitions, %6.3f us, bytes on devices:", names[mode],
            (unsigned)result.n_parts, result.total * 1e6);
        for (uint32_t i = 0; i < DEVICES; i++) {
            printf(" %4u", (unsigned)result.device_bytes[i]);
        }
        printf("\n");
        gsp_arena_rewind(arena, mark);
    }
    return 0;
}

static int paths(gsp_arena *arena, const gsp_graph *graph)
{
    gsp_latency_desc desc = {0};
    gsp_latency_result result;
    desc.n_parts = 2;
    desc.part_of = own;
    if (gsp_latency_run(arena, graph, &desc, &result, NULL) != GSP_OK) {
        return 1;
    }
    for (uint32_t part = 0; part < desc.n_parts; part++) {
        printf("part %u takes %.3f us, back from its end:", (unsigned)part,
            result.latency[part].overall * 1e6);
        for (gsp_node v = result.last[part]; v != GSP_NONE; v = result.from[v]) {
            gsp_str name = gsp_node_name(graph, v);
            printf(" %.*s", (int)name.size, name.data);
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
    return compare(&arena, &graph) || paths(&arena, &graph);
}
