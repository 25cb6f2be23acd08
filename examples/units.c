/* Two branches as a graph: which calls share one of two devices, so that the slower one is fast?
 *     cc -I. -o units examples/units.c && ./units
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_DOWNSETS_IMPLEMENTATION
#include "examples/extra/graphsplit_downsets.h"
#include <stdio.h>

static const char text[] =
    "graph():\n    %x : [num_users=2] = placeholder[target=x]\n"
    "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})\n"
    "    %b : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})\n"
    "    %c : [num_users=1] = call_function[target=f](args = (%b, %a), kwargs = {})\n"
    "    return c\n";
static unsigned char memory[1 << 20];
static gsp_downsets_weight nodes[5], outputs[5]; /* of x, a, b, c, and what is returned */

int main(void)
{
    gsp_downsets_desc const search = {.n_devices = 2, .max_sets = 100};
    gsp_downsets_graph_desc const desc = {.nodes = nodes, .outputs = outputs, .stages = &search};
    gsp_downsets_graph_result made = {0};
    gsp_downsets_result r = {0};
    gsp_module module;
    gsp_arena arena;
    nodes[1].time = nodes[3].time = 4; /* ticks */
    nodes[2].time = 7;
    outputs[1].move = outputs[2].move = 1; /* where a value leaves a device, or enters one */
    gsp_arena_init(&arena, memory, sizeof memory);
    gsp_status status = gsp_text_read(&arena, text, sizeof text - 1, NULL, &module, NULL);
    gsp_graph const g = gsp_module_graph(&module, 0);
    status = status != GSP_OK ? status : gsp_downsets_graph_run(&arena, &g, &desc, &made, NULL);
    status = status != GSP_OK ? status : gsp_downsets_run(&arena, &made.units, &search, &r, NULL);
    for (gsp_node v = 1; v < 4 && status == GSP_OK; v++) {
        printf("%c in stage %u\n", "xabc"[v], (unsigned)r.stage_of[made.unit_of[v]]);
    }
    printf("%u ticks, at least %u\n", (unsigned)r.objective, (unsigned)r.lower_bound);
    return status != GSP_OK;
}
