/* Memory of a model on a small device, in static memory: the peak, an offset for every tensor, the
 * fewest parts that fit into less than the peak, and those parts saved as a plan.
 *     cc -I. -Iexamples/program -o memory_plan examples/memory_plan.c \
 *         examples/program/algorithms/plan_file.c && ./memory_plan
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include "examples/program/algorithms/algorithms.h"

#include <stdio.h>

#define NODE(name, op, args, note) \
    "    %" name " : [num_users=1] = call_function[target=" op "](args = (" args "), kwargs" \
    " = {})  # " note "\n"

/* clang-format off */
static const char network[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # i8[1, 96, 96, 1]\n"
    NODE("side", "POOL", "%x", "i8[1, 24, 24, 16]")
    NODE("conv", "CONV_2D", "%x", "i8[1, 48, 48, 8]")
    NODE("wide", "CONV_2D", "%conv", "i8[1, 48, 48, 16]")
    NODE("pool", "POOL", "%wide", "i8[1, 24, 24, 16]")
    NODE("flat", "RESHAPE", "%pool", "i8[9216] alias=0")
    NODE("skip", "ADD", "%flat, %side", "i8[9216]")
    NODE("fc", "FULLY_CONNECTED", "%skip", "i8[10]")
    "    return fc\n";
/* clang-format on */

enum { NODES = 9, EDGES = 9 };

static uint64_t model[2048];
static unsigned char memory[GSP_LIVENESS_BOUND(NODES, EDGES) + GSP_MEMORY_PLAN_BOUND(NODES, EDGES)];
static unsigned char more[GSP_SPLIT_BY_MEMORY_BOUND(NODES, EDGES) + 1024];

static int print(void *user, const char *data, size_t size)
{
    return fwrite(data, 1, size, (FILE *)user) != size;
}

static void print_text(gsp_str t)
{
    printf("%.*s", (int)t.size, t.data);
}

static int show_arena(gsp_arena *arena, const gsp_graph *graph, uint64_t *peak_bytes)
{
    gsp_liveness_result peak;
    gsp_memory_plan_result plan;
    uint32_t i;
    if (gsp_liveness_run(arena, graph, NULL, &peak, NULL) != GSP_OK ||
        gsp_memory_plan_run(arena, graph, NULL, &plan, NULL) != GSP_OK) {
        return 1;
    }
    *peak_bytes = peak.parts[0].bytes;
    printf("peak %u bytes, while ", (unsigned)peak.parts[0].bytes);
    print_text(gsp_node_name(graph, peak.parts[0].node));
    printf(" runs; arena %u bytes\n", (unsigned)plan.arena);
    for (i = 0; i < plan.n_tensors; i++) {
        const gsp_tensor *t = &plan.tensors[i];
        printf("  %6u + %5u  steps %u to %u  ", (unsigned)t->offset, (unsigned)t->bytes, t->begin,
            t->end);
        print_text(gsp_node_name(graph, t->node));
        printf("\n");
    }
    return 0;
}

static int show_parts(gsp_arena *arena, const gsp_graph *graph, uint64_t bytes)
{
    static const gsp_str names[] = {{"first", 5}, {"second", 6}, {"third", 5}, {"fourth", 6}};
    gsp_split_by_memory_desc desc = {0};
    cli_plan_desc plan = {0};
    gsp_split_by_memory_result result;
    gsp_error error;
    desc.budget = bytes;
    if (gsp_split_by_memory_run(arena, graph, &desc, &result, &error) != GSP_OK) {
        if (error.node >= graph->n_nodes) {
            printf("%s\n", gsp_status_text(error.status));
            return 1;
        }
        printf("%u bytes: ", (unsigned)bytes);
        print_text(gsp_node_name(graph, error.node));
        printf(" alone needs %u\n", (unsigned)error.need);
        return 0;
    }
    printf("%u bytes: %u parts hand over %u bytes\n", (unsigned)bytes, result.n_parts,
        (unsigned)result.boundary);
    plan.n_parts = result.n_parts;
    plan.part_of = result.part_of;
    plan.names = names;
    return cli_plan_write(arena, graph, &plan, print, stdout, &error) != GSP_OK;
}

int main(void)
{
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    uint64_t peak;
    gsp_arena_init(&arena, model, sizeof model);
    if (gsp_text_read(&arena, network, sizeof network - 1, NULL, &module, NULL) != GSP_OK) {
        return 1;
    }
    graph = gsp_module_graph(&module, 0);
    gsp_arena_init(&arena, memory, sizeof memory);
    if (show_arena(&arena, &graph, &peak) != 0) {
        return 1;
    }
    gsp_arena_init(&arena, more, sizeof more);
    return show_parts(&arena, &graph, peak / 2u) + show_parts(&arena, &graph, peak - 1u) != 0;
}
