/* An accelerator whose memory holds 44 bytes per subgraph: layer d alone is too large for it.
 *     cc -I. -o limits examples/limits.c && ./limits
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_LIMITS_IMPLEMENTATION
#include "examples/extra/graphsplit_limits.h"
#include <stdio.h>

#define LAYER(name, input, note) \
    "    %" name " : [num_users=1] = call_module[target=" name "](args = (%" input ",), " \
    "kwargs = {})  # " note " acc=1\n"
static const char text[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]  # u8[10]\n" LAYER("a", "x", "u8[10]")
        LAYER("b", "a", "u8[4] params=30") LAYER("c", "b", "u8[8]")
            LAYER("d", "c", "u8[6] params=40") "    return d\n";
static const gsp_limit limits[] = {{0, 0, 0, 0}, {44, 0, 0, 0}}; /* CPU, accelerator */
static unsigned char memory[65536];
static gsp_module module;
static gsp_limits_result r;

int main(void)
{
    gsp_placement placement;
    gsp_split_desc split = {0};
    gsp_limits_desc const desc = {0, &split, limits, 0, 0};
    gsp_arena arena;
    split.placement = &placement;
    gsp_arena_init(&arena, memory, sizeof memory);
    gsp_status status = gsp_text_read(&arena, text, sizeof text - 1, NULL, &module, NULL);
    gsp_graph const graph = gsp_module_graph(&module, 0);
    status = status != GSP_OK ? status : gsp_support_run(&arena, &graph, NULL, &placement, NULL);
    status = status != GSP_OK ? status : gsp_limits_run(&arena, &graph, &desc, &r, NULL);
    for (uint32_t v = 1; v < 5 && status == GSP_OK; v++) { /* phase and placement, for a split */
        printf("%c: subgraph %u on %s\n", gsp_node_name(&graph, v).data[0], (unsigned)r.phase[v],
            r.placement.kind[v] ? "acc" : "cpu");
    }
    printf("%s, %u bytes cross\n", gsp_status_name(status), (unsigned)r.bytes);
    return status != GSP_OK;
}
