/* Stages of a pipeline three ways: equal numbers of nodes, equal bytes of parameters, and the
 * smallest largest stage time; with the costs of every stage.
 *     cc -I. -o stages examples/stages.c && ./stages
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_STAGES_IMPLEMENTATION
#include "examples/extra/graphsplit_stages.h"

#include <inttypes.h>
#include <stdio.h>

#define LAYER(name, input, note) \
    "    %" name " : [num_users=1] = call_module[target=" name "](args = (%" input ",), " \
    "kwargs = {})  # f32[256] " note "\n"

/* clang-format off */
static const char text[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[256]\n"
    LAYER("embed", "x", "compute=0.001 params=4000000")
    LAYER("block1", "embed", "compute=0.002 params=1000000")
    LAYER("block2", "block1", "compute=0.002 params=1000000")
    LAYER("head", "block2", "compute=0.006 params=2000000")
    "    return head\n";
/* clang-format on */

static void print_stages(gsp_arena *arena, const gsp_graph *graph, const gsp_costs *costs,
    const uint32_t *stage_of, const char *how)
{
    gsp_stage_costs_desc desc = {0};
    gsp_stage_costs_result r;
    desc.n_stages = 2;
    desc.stage_of = stage_of;
    desc.model.costs = costs;
    if (gsp_stage_costs_run(arena, graph, &desc, &r, NULL) != GSP_OK) {
        return;
    }
    printf("%s:", how);
    for (uint32_t s = 0; s < r.n_stages; s++) {
        printf(" stage %" PRIu32 " %" PRIu64 " us %" PRIu64 " bytes;", s, r.stages[s].time / 1000u,
            r.stages[s].params);
    }
    printf(" slowest %" PRIu32 "\n", r.slowest);
}

int main(void)
{
    static unsigned char memory[65536];
    gsp_stages_even_desc even = {0};
    gsp_stages_even_desc by_params = {0};
    gsp_stages_even_result nodes;
    gsp_stages_even_result params;
    gsp_stages_optimal_desc optimal = {0};
    gsp_stages_optimal_result best;
    gsp_costs costs;
    gsp_module module;
    gsp_arena arena;
    gsp_error error;
    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, text, sizeof text - 1, NULL, &module, &error) != GSP_OK) {
        return 1;
    }
    gsp_graph graph = gsp_module_graph(&module, 0);
    even.n_stages = 2;
    optimal.n_devices = 2;
    optimal.model.costs = &costs;
    by_params.n_stages = 2;
    by_params.policy = GSP_STAGES_EVEN_PARAMS;
    if (gsp_costs_run(&arena, &graph, NULL, &costs, &error) != GSP_OK ||
        gsp_stages_even_run(&arena, &graph, &even, &nodes, &error) != GSP_OK ||
        gsp_stages_even_run(&arena, &graph, &by_params, &params, &error) != GSP_OK ||
        gsp_stages_optimal_run(&arena, &graph, &optimal, &best, &error) != GSP_OK) {
        printf("%s\n", gsp_detail_text(error.detail));
        return 1;
    }
    print_stages(&arena, &graph, &costs, nodes.stage_of, "nodes");
    print_stages(&arena, &graph, &costs, params.stage_of, "parameters");
    print_stages(&arena, &graph, &costs, best.stage_of, "time");
    printf("proved: %s\n", best.proved ? "yes" : "no");
    return 0;
}
