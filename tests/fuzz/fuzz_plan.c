/* Plans: any bytes are refused with a place, or read, applied to a graph, compared, written and
 * read again with the same meaning.
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Iexamples/program \
 *         -o fuzz_plan tests/fuzz/fuzz_plan.c examples/program/algorithms/plan_file.c
 *     ./fuzz_plan build/seeds/plan
 */
#include "fuzz.h"

#include "examples/program/algorithms/algorithms.h"

static const char network[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # i8[4]\n"
    "    %a : [num_users=1] = call_function[target=ADD](args = (%x, 1), kwargs = {})  # i8[4]\n"
    "    %b1 : [num_users=1] = call_function[target=ADD](args = (%a,), kwargs = {})  # f32[4]\n"
    "    %b2 : [num_users=1] = call_function[target=ADD](args = (%b1,), kwargs = {})  # f32[4]\n"
    "    return b2\n";

static void check_compare(
    const gsp_graph *graph, const cli_plan_text *plan, const cli_plan_match *on)
{
    gsp_compare_desc desc = {0};
    gsp_compare_result result;
    gsp_arena arena;
    desc.n_items = graph->n_nodes;
    desc.n_parts[0] = desc.n_parts[1] = plan->n_parts;
    desc.part_of[0] = desc.part_of[1] = on->part_of;
    desc.names[0] = desc.names[1] = plan->names;
    arena = fuzz_arena(gsp_compare_bound(&desc));
    REQUIRE(gsp_compare_run(&arena, &desc, &result, NULL) == GSP_OK);
    REQUIRE(result.n_agree == on->n_placed && result.n_moved == 0);
    fuzz_free(&arena);
}

/* Written and read again, the plan says the same. */
static void check_again(const gsp_graph *graph, const cli_plan_text *plan, const cli_plan_match *on)
{
    gsp_arena arena = fuzz_arena(cli_plan_write_bound(graph->n_nodes, plan->n_parts)), again,
              applied;
    cli_plan_desc desc = {0};
    fuzz_text text = {NULL, 0, 0};
    cli_plan_match result;
    cli_plan_text second;
    const char *wrong;
    gsp_str view;
    desc.n_parts = plan->n_parts;
    desc.part_of = on->part_of;
    desc.names = plan->names;
    desc.notes = plan->notes;
    REQUIRE(cli_plan_write(&arena, graph, &desc, fuzz_append, &text, NULL) == GSP_OK);
    view.data = text.data;
    view.size = (uint32_t)text.size;
    again = fuzz_arena(cli_plan_parse_bound(view));
    REQUIRE(cli_plan_parse(&again, view, &second, &wrong, NULL) == GSP_OK);
    REQUIRE(second.n_parts == plan->n_parts && second.n_lines == on->n_placed);
    applied = fuzz_arena(cli_plan_apply_bound(graph->n_nodes, &second));
    REQUIRE(cli_plan_apply(&applied, graph, &second, &result, NULL) == GSP_OK);
    REQUIRE(memcmp(result.part_of, on->part_of, graph->n_nodes * sizeof(uint32_t)) == 0);
    fuzz_free(&applied);
    fuzz_free(&again);
    fuzz_free(&arena);
    free(text.data);
}

static void check_plan(const gsp_graph *graph, gsp_str text)
{
    gsp_arena arena = fuzz_arena(cli_plan_parse_bound(text)), applied;
    cli_plan_match result;
    cli_plan_text plan;
    gsp_error error;
    const char *wrong = NULL;
    gsp_status status = cli_plan_parse(&arena, text, &plan, &wrong, &error);
    REQUIRE(status == GSP_OK || status == GSP_STATUS_PARSE);
    REQUIRE(status == GSP_OK ||
            (error.line > 0 && error.column > 0 && wrong != NULL && arena.low == 0));
    if (status == GSP_OK) {
        applied = fuzz_arena(cli_plan_apply_bound(graph->n_nodes, &plan));
        REQUIRE(cli_plan_apply(&applied, graph, &plan, &result, NULL) == GSP_OK);
        REQUIRE(result.n_placed + result.n_new == 3u);
        check_compare(graph, &plan, &result);
        check_again(graph, &plan, &result);
        fuzz_free(&applied);
    }
    fuzz_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gsp_counts counts;
    gsp_module module;
    gsp_graph graph;
    gsp_arena arena;
    gsp_str text;
    if (size > 4096u) {
        return 0;
    }
    REQUIRE(gsp_text_count(network, sizeof network - 1u, &counts, NULL) == GSP_OK);
    arena = fuzz_arena(gsp_build_bound(&counts));
    REQUIRE(gsp_text_read(&arena, network, sizeof network - 1u, NULL, &module, NULL) == GSP_OK);
    graph = gsp_module_graph(&module, 0);
    text.data = (const char *)data;
    text.size = (uint32_t)size;
    check_plan(&graph, text);
    fuzz_free(&arena);
    return 0;
}
