/* Plans a pipeline: the costs of a graph, the stages that minimise the largest stage time, their
 * costs, and their schedule for eight microbatches.
 *     cc -I. -o pipeline_plan examples/pipeline_plan.c && ./pipeline_plan
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_STAGES_IMPLEMENTATION
#include "examples/extra/graphsplit_stages.h"
#define GRAPHSPLIT_SCHEDULE_IMPLEMENTATION
#include "examples/extra/graphsplit_schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CALL(name, input, note) \
    "    %" name " : [num_users=1] = call_module[target=" name "](args = (%" input ",), " \
    "kwargs = {})  # f32[1024] " note "\n"

static const char text[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[1024]\n" CALL(
        "embed", "x", "compute=0.001 comm=0.0001 params=4000000")
        CALL("layer1", "embed", "compute=0.004 comm=0.0001 params=1000000")
            CALL("layer2", "layer1", "compute=0.004 comm=0.0001 params=1000000")
                CALL("layer3", "layer2", "compute=0.004 comm=0.0001 params=1000000")
                    CALL("layer4", "layer3", "compute=0.003 comm=0.0001 params=1000000")
                        CALL("head", "layer4",
                            "compute=0.008 comm=0.0001 params=4000000") "    return head\n";

static uint64_t memory[8192]; /* 64 KiB, of which little is used */

static int give_up(const char *what, const gsp_error *error)
{
    printf("%s: %s\n", what, gsp_detail_text(error->detail));
    return 1;
}

static void print_stages(const gsp_graph *graph, const gsp_stages_optimal_result *plan,
    const gsp_stage_costs_result *loads)
{
    uint32_t s;
    gsp_node v;
    for (s = 0; s < plan->n_stages; s++) {
        const gsp_stage_cost *load = &loads->stages[s];
        printf("stage %" PRIu32 ":", s);
        for (v = 0; v < graph->n_nodes; v++) {
            if (plan->stage_of[v] == s) {
                gsp_str name = gsp_node_name(graph, v);
                printf(" %.*s", (int)name.size, name.data);
            }
        }
        printf(", %" PRIu64 " us, %" PRIu64 " bytes\n", load->time / 1000u, load->memory);
    }
}

static void print_schedule(const gsp_schedule_result *run)
{
    uint32_t d;
    uint32_t i;
    printf(
        "1F1B: %" PRIu64 " us, bubble %" PRIu32 " %%\n", run->span / 1000u, run->bubble / 10000u);
    for (d = 0; d < run->n_devices; d++) {
        for (i = run->task_begin[d]; i < run->task_begin[d + 1u]; i++) {
            printf("%s%c%" PRIu32, i == run->task_begin[d] ? "" : " ",
                run->tasks[i].backward ? 'B' : 'F', run->tasks[i].microbatch);
        }
        printf("\n");
    }
}

int main(void)
{
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_costs costs;
    gsp_stages_optimal_desc balance;
    gsp_stages_optimal_result plan;
    gsp_stage_costs_desc desc;
    gsp_stage_costs_result loads;
    gsp_schedule_desc schedule;
    gsp_schedule_result run;
    gsp_error error;
    uint64_t rows[4][3]; /* of stages: forward, backward, stash, resident */
    gsp_arena_init(&arena, memory, sizeof(memory));
    memset(&balance, 0, sizeof(balance));
    memset(&desc, 0, sizeof(desc));
    memset(&schedule, 0, sizeof(schedule));
    if (gsp_text_read(&arena, text, sizeof(text) - 1u, NULL, &module, &error) != GSP_OK) {
        return give_up("read", &error);
    }
    graph = gsp_module_graph(&module, 0);
    if (gsp_costs_run(&arena, &graph, NULL, &costs, &error) != GSP_OK) {
        return give_up("costs", &error);
    }
    balance.n_devices = 3;
    balance.model.costs = &costs;
    balance.model.microbatches = 8;
    balance.memory = 7000000;
    if (gsp_stages_optimal_run(&arena, &graph, &balance, &plan, &error) != GSP_OK) {
        return give_up("balance", &error);
    }
    desc.n_stages = plan.n_stages;
    desc.stage_of = plan.stage_of;
    desc.model = balance.model;
    if (gsp_stage_costs_run(&arena, &graph, &desc, &loads, &error) != GSP_OK) {
        return give_up("loads", &error);
    }
    print_stages(&graph, &plan, &loads);
    printf("slowest %" PRIu64 " us%s, equal numbers of nodes %" PRIu64 " us\n",
        plan.objective / 1000u, plan.proved ? ", the least there is" : "", plan.reference / 1000u);
    schedule.kind = GSP_SCHEDULE_1F1B;
    schedule.n_devices = plan.n_stages;
    schedule.n_microbatches = 8;
    for (uint32_t i = 0; i < plan.n_stages; i++) {
        const gsp_stage_cost *load = &loads.stages[i];
        rows[0][i] = load->time;
        rows[1][i] = 2u * load->compute + load->enter + load->leave;
        rows[2][i] = load->stash;
        rows[3][i] = load->params;
    }
    schedule.forward = rows[0];
    schedule.backward = rows[1];
    schedule.stash = rows[2];
    schedule.resident = rows[3];
    if (gsp_schedule_run(&arena, &schedule, &run, &error) != GSP_OK) {
        return give_up("schedule", &error);
    }
    print_schedule(&run);
    return 0;
}
