/* Which subgraphs move the fewest bytes: `a` waits for its reader, and does not cross.
 *     cc -I. -o traffic examples/traffic.c && ./traffic
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_TRAFFIC_IMPLEMENTATION
#include "examples/extra/graphsplit_traffic.h"
#include <stdio.h>

#define NODE(n, in, t) \
    "    %" n " : [num_users=1] = call_method[target=f](args = (" in "), kwargs = {})  # u8" t "\n"
static const char text[] =
    "graph():\n    %x : [num_users=2] = placeholder[target=x]  # u8[50]\n" NODE("p", "%x", "[1]")
        NODE("a", "%x", "[9] acc=1") NODE("q", "%p", "[1] acc=1") NODE("r", "%q", "[1]")
            NODE("s", "%r, %a", "[1] acc=1") "    return s\n";
static unsigned char memory[1 << 20]; /* gsp_traffic_bound() says how much suffices */
static gsp_module module;
static gsp_placement placement;
static gsp_traffic_result r;
static gsp_split_result split;

int main(void)
{
    gsp_split_desc options = {0};
    gsp_arena arena;
    gsp_arena_init(&arena, memory, sizeof memory);
    gsp_status status = gsp_text_read(&arena, text, sizeof text - 1, NULL, &module, NULL);
    gsp_graph const graph = gsp_module_graph(&module, 0);
    status = status != GSP_OK ? status : gsp_support_run(&arena, &graph, NULL, &placement, NULL);
    gsp_traffic_desc const desc = {
        0, GSP_TRAFFIC_RESIDENT, placement.kind, placement.group, 0, 0, 0, 1000, NULL, NULL, 0};
    status = status != GSP_OK ? status : gsp_traffic_run(&arena, &graph, &desc, &r, NULL);
    options.placement = &placement;
    options.phase = r.phase;
    status = status != GSP_OK ? status : gsp_split_run(&arena, &graph, &options, &split, NULL);
    printf("%s: %u subgraphs, bytes between them: %u, at least %u, otherwise %u\n",
        gsp_status_name(status), (unsigned)split.n_subgraphs, (unsigned)r.bytes[desc.measure],
        (unsigned)r.lower_bound, (unsigned)r.reference[desc.measure]);
    return status != GSP_OK;
}
