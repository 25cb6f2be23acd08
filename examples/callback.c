/* Operator support: an operator table, a callback and a combination of both, for two accelerators
 * in order of priority, and a pin that overrides them.
 *     cc -I. -o callback examples/callback.c && ./callback
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>

static const char network[] = "graph():\n"
                              "    %x : [num_users=1] = placeholder[target=x]  # i8[1, 16]\n"
                              "    %conv : [num_users=1] = call_function[target=CONV_2D](args = "
                              "(%x,), kwargs = {})  # i8[1, 16]\n"
                              "    %wide : [num_users=1] = call_function[target=CONV_2D](args = "
                              "(%conv,), kwargs = {})  # i8[1, 4096]\n"
                              "    %tanh : [num_users=1] = call_function[target=TANH](args = "
                              "(%wide,), kwargs = {})  # f32[1, 16]\n"
                              "    %conv_1 : [num_users=1] = call_function[target=CONV_2D](args = "
                              "(%tanh,), kwargs = {})  # i8[1, 16]\n"
                              "    return conv_1\n";

static const char npu_operators[] = "# what the NPU knows\n"
                                    "CONV_2D i8,qi8\n"
                                    "ADD\n";

static uint64_t memory[4096];

/* The NPU's buffers hold results of at most `*user` bytes. */
static int fits(void *user, const gsp_graph *graph, gsp_node node)
{
    const uint64_t *room = (const uint64_t *)user;
    return gsp_node_bytes(graph, node) <= *room;
}

static gsp_status place(
    gsp_arena *arena, const gsp_graph *graph, gsp_placement *placement, gsp_error *error)
{
    static uint64_t room = 1024;
    gsp_rule npu[3] = {{0}}, dsp[1] = {{0}};
    gsp_accelerator accelerators[2];
    gsp_pin pin;
    gsp_support_desc desc = {0};
    gsp_status status = gsp_table_read(arena, gsp_str_of(npu_operators), &npu[0].table, error);
    if (status != GSP_OK) {
        return status;
    }
    npu[0].kind = GSP_RULE_TABLE; /* listed in the table, ... */
    npu[1].kind = GSP_RULE_CALL;  /* ... small enough, ... */
    npu[1].func = fits;
    npu[1].user = &room;
    npu[2].kind = GSP_RULE_ALL; /* ... both of them */
    npu[2].count = 2;
    dsp[0].kind = GSP_RULE_DTYPES; /* the DSP takes nodes whose values are all integers */
    dsp[0].dtypes = gsp_str_of("i8,i16");
    accelerators[0].rules = npu;
    accelerators[0].n_rules = 3;
    accelerators[1].rules = dsp;
    accelerators[1].n_rules = 1;
    pin.what = GSP_PIN_TARGET; /* TANH runs on the CPU, whatever the rules say */
    pin.kind = GSP_KIND_CPU;
    pin.pattern = gsp_str_of("TAN*");
    desc.n_accelerators = 2;
    desc.accelerators = accelerators;
    desc.pins = &pin;
    desc.n_pins = 1;
    return gsp_support_run(arena, graph, &desc, placement, error);
}

int main(void)
{
    static const char *const names[] = {"CPU", "NPU", "DSP"};
    gsp_arena arena;
    gsp_module module;
    gsp_placement placement;
    gsp_error error;

    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, network, sizeof network - 1u, NULL, &module, &error) != GSP_OK) {
        return 1;
    }
    gsp_graph graph = gsp_module_graph(&module, 0);
    if (place(&arena, &graph, &placement, &error) != GSP_OK) {
        printf("%s: %s\n", gsp_status_name(error.status), gsp_detail_text(error.detail));
        return 1;
    }
    for (gsp_node v = 0; v < graph.n_nodes; v++) {
        if (gsp_node_is_callable(&graph, v)) {
            gsp_str name = gsp_node_name(&graph, v);
            printf("%-6.*s %s  %s\n", (int)name.size, name.data, names[placement.kind[v]],
                gsp_reason_name((gsp_reason)placement.reason[v]));
        }
    }
    return 0;
}
