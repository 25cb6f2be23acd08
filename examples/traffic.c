/* Which subgraphs move the fewest bytes: `a` waits for its reader, and does not cross.
 *     cc -I. -o traffic examples/traffic.c && ./traffic
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_TRAFFIC_IMPLEMENTATION
#include "examples/extra/graphsplit_traffic.h"

#include <stdio.h>

#define NODE(name, args, note) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args \
    "), kwargs = {})  # " note "\n"
static const char network[] =
    "graph():\n    %x : [num_users=2] = placeholder[target=x]  # u8[50]\n" NODE("p", "%x", "u8[1]")
        NODE("a", "%x", "u8[9] acc=1") NODE("q", "%p", "u8[1] acc=1") NODE("r", "%q", "u8[1]")
            NODE("s", "%r, %a", "u8[1] acc=1") "    return s\n";
static unsigned char memory[1 << 20];

int main(void)
{
    static const char *const names[] = {"written", "read", "resident"};
    gsp_arena arena;
    gsp_module module;
    gsp_placement placement;
    gsp_split_result split;
    gsp_split_desc options = {0};
    gsp_traffic_desc desc = {0};
    gsp_traffic_result r;
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (gsp_text_read(&arena, network, sizeof(network) - 1, NULL, &module, NULL) != GSP_OK) {
        return 1;
    }
    gsp_graph const graph = gsp_module_graph(&module, 0);
    options.placement = &placement;
    if (gsp_support_run(&arena, &graph, NULL, &placement, NULL) != GSP_OK ||
        gsp_split_run(&arena, &graph, &options, &split, NULL) != GSP_OK) {
        return 1;
    }
    desc.kind = split.kind;
    desc.group = split.group;
    desc.max_arcs = 1000; /* a small graph needs no large network */
    for (desc.measure = 0; desc.measure < (uint32_t)GSP_TRAFFIC_COUNT; desc.measure++) {
        if (gsp_traffic_run(&arena, &graph, &desc, &r, NULL) != GSP_OK) {
            return 1;
        }
        printf("bytes %s: %u, at least %u, without the search %u\n", names[desc.measure],
            (unsigned)r.bytes[desc.measure], (unsigned)r.lower_bound,
            (unsigned)r.reference[desc.measure]);
    }
    options.phase = r.phase; /* the split that has them */
    if (gsp_split_run(&arena, &graph, &options, &split, NULL) != GSP_OK) {
        return 1;
    }
    printf("%u subgraphs; a is in number %u\n", (unsigned)split.n_subgraphs,
        (unsigned)split.subgraph_of[2] + 1u);
    return 0;
}
