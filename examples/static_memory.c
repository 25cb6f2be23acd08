/* The library without malloc: everything lies in one static block, as firmware would have it. The
 * bound of every step is known before the step runs; the program checks what each one took.
 *     cc -I. -o static_memory examples/static_memory.c && ./static_memory
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>

static const char network[] =
    "graph():\n"
    "    %x : [num_users=2] = placeholder[target=x]  # i8[1, 49, 10, 1]\n"
    "    %conv : [num_users=1] = call_function[target=CONV_2D](args = (%x,), kwargs = {})"
    "  # i8[1, 25, 5, 64] acc=1\n"
    "    %shape : [num_users=1] = call_function[target=SHAPE](args = (%x,), kwargs = {})  # int\n"
    "    %flat : [num_users=1] = call_function[target=RESHAPE](args = (%conv, %shape), kwargs = {})"
    "  # i8[1, 8000]\n"
    "    %fc : [num_users=1] = call_function[target=FULLY_CONNECTED](args = (%flat,), kwargs = {})"
    "  # i8[1, 12] acc=1\n"
    "    return fc\n";

#define MEMORY_BYTES 16384u

static uint64_t memory[MEMORY_BYTES / sizeof(uint64_t)];

/* Prints one line per step: whether it stayed within its bound. */
static int report(
    const char *step, gsp_status status, const gsp_arena *arena, size_t before, size_t bound)
{
    size_t used = arena->touched - before;
    if (status != GSP_OK) {
        printf("%s: %s\n", step, gsp_status_name(status));
        return 0;
    }
    printf("%s: %s its bound\n", step, used <= bound ? "within" : "ABOVE");
    return used <= bound;
}

static size_t start(gsp_arena *arena)
{
    gsp_arena_watch(arena);
    return arena->touched;
}

int main(void)
{
    gsp_arena arena;
    gsp_counts counts;
    gsp_module module;
    gsp_placement placement;
    gsp_split_desc desc = {0};
    gsp_split_result split;
    size_t before;
    gsp_status status;

    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_count(network, sizeof network - 1u, &counts, NULL) != GSP_OK) {
        return 1;
    }
    before = start(&arena);
    status = gsp_text_read(&arena, network, sizeof network - 1u, NULL, &module, NULL);
    if (!report("read", status, &arena, before, gsp_build_bound(&counts))) {
        return 1;
    }
    gsp_graph graph = gsp_module_graph(&module, 0);
    before = start(&arena);
    status = gsp_support_run(&arena, &graph, NULL, &placement, NULL);
    if (!report("support", status, &arena, before, gsp_support_bound(&graph, NULL))) {
        return 1;
    }
    desc.placement = &placement;
    before = start(&arena);
    status = gsp_split_run(&arena, &graph, &desc, &split, NULL);
    if (!report("split", status, &arena, before, gsp_split_bound(&graph, &desc))) {
        return 1;
    }
    printf("the module takes %u bytes\n", (unsigned)module.block_size);
    printf("%u subgraphs of %u nodes within %u bytes: %s\n", (unsigned)split.n_subgraphs,
        (unsigned)split.n_nodes, MEMORY_BYTES, arena.touched <= MEMORY_BYTES ? "yes" : "no");
    return 0;
}
