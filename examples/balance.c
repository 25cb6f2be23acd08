/* Two stages of a pipeline, the slower of which is as fast as any cut allows, and their costs.
 *     cc -I. -o balance examples/balance.c && ./balance
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_STAGES_IMPLEMENTATION
#include "examples/extra/graphsplit_stages.h"
#include <stdio.h>

static const char text[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
    "    %a : [num_users=1] = call_method[target=f](args = (%x,), kwargs = {})  # compute=0.001\n"
    "    %b : [num_users=1] = call_method[target=f](args = (%a,), kwargs = {})  # compute=0.002\n"
    "    %c : [num_users=1] = call_method[target=f](args = (%b,), kwargs = {})  # compute=0.006\n"
    "    return c\n";
static unsigned char memory[65536]; /* gsp_stages_optimal_bound() says how much suffices */
static gsp_module module;
static gsp_stages_optimal_result best;
static gsp_stage_costs_result r;

int main(void)
{
    gsp_stages_optimal_desc desc = {0};
    gsp_costs costs;
    gsp_arena arena;
    desc.n_devices = 2;
    desc.model.costs = &costs;
    gsp_arena_init(&arena, memory, sizeof memory);
    gsp_status status = gsp_text_read(&arena, text, sizeof text - 1, NULL, &module, NULL);
    gsp_graph const graph = gsp_module_graph(&module, 0);
    status = status != GSP_OK ? status : gsp_costs_run(&arena, &graph, NULL, &costs, NULL);
    status = status != GSP_OK ? status : gsp_stages_optimal_run(&arena, &graph, &desc, &best, NULL);
    gsp_stage_costs_desc const all = {0, best.n_stages, best.stage_of, desc.model, 0};
    status = status != GSP_OK ? status : gsp_stage_costs_run(&arena, &graph, &all, &r, NULL);
    for (unsigned s = 0; s < r.n_stages; s++) {
        printf("stage %u: %u us\n", s, (unsigned)(r.stages[s].time / 1000u));
    }
    puts(gsp_status_name(status));
    return status != GSP_OK || !best.proved;
}
