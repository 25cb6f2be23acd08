/* Plans: any bytes are refused with a place, or read, applied to a graph, compared, written and
 * read again with the same meaning.
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -o fuzz_plan tests/fuzz/fuzz_plan.c
 *     ./fuzz_plan tests/fuzz/seeds/plan
 */
#include "fuzz.h"

static const char network[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # i8[4]\n"
    "    %a : [num_users=1] = call_function[target=ADD](args = (%x, 1), kwargs = {})  # i8[4]\n"
    "    %b1 : [num_users=1] = call_function[target=ADD](args = (%a,), kwargs = {})  # f32[4]\n"
    "    %b2 : [num_users=1] = call_function[target=ADD](args = (%b1,), kwargs = {})  # f32[4]\n"
    "    return b2\n";

static void check_compare(const gsp_graph *graph, const gsp_plan *plan, const gsp_plan_result *on)
{
    gsp_compare_desc desc = {0};
    gsp_compare_result result;
    gsp_arena arena;
    desc.n_items = graph->n_nodes;
    desc.n_pieces[0] = desc.n_pieces[1] = plan->n_pieces;
    desc.of[0] = desc.of[1] = on->piece_of;
    desc.names[0] = desc.names[1] = plan->names;
    arena = fuzz_arena(gsp_compare_bound(&desc));
    REQUIRE(gsp_compare_run(&arena, &desc, &result, NULL) == GSP_OK);
    REQUIRE(result.n_agree == on->n_placed && result.n_moved == 0);
    fuzz_free(&arena);
}

/* Written and read again, the plan says the same. */
static void check_again(const gsp_graph *graph, const gsp_plan *plan, const gsp_plan_result *on)
{
    gsp_counts counts = gsp_graph_counts(graph);
    gsp_arena arena = fuzz_arena(gsp_plan_write_bound(&counts, plan->n_pieces)), again, applied;
    gsp_plan_desc desc = {0};
    fuzz_text text = {NULL, 0, 0};
    gsp_plan_result result;
    gsp_plan second;
    gsp_text view;
    desc.n_pieces = plan->n_pieces;
    desc.piece_of = on->piece_of;
    desc.names = plan->names;
    desc.notes = plan->notes;
    REQUIRE(gsp_plan_write(&arena, graph, &desc, fuzz_append, &text, NULL) == GSP_OK);
    view.data = text.data;
    view.size = (uint32_t)text.size;
    again = fuzz_arena(gsp_plan_bound(view));
    REQUIRE(gsp_plan_read(&again, view, &second, NULL) == GSP_OK);
    REQUIRE(second.n_pieces == plan->n_pieces && second.n_lines == on->n_placed);
    applied = fuzz_arena(gsp_plan_apply_bound(&counts, &second));
    REQUIRE(gsp_plan_apply(&applied, graph, &second, &result, NULL) == GSP_OK);
    REQUIRE(memcmp(result.piece_of, on->piece_of, graph->n_nodes * sizeof(uint32_t)) == 0);
    fuzz_free(&applied);
    fuzz_free(&again);
    fuzz_free(&arena);
    free(text.data);
}

static void check_plan(const gsp_graph *graph, gsp_text text)
{
    gsp_counts counts = gsp_graph_counts(graph);
    gsp_arena arena = fuzz_arena(gsp_plan_bound(text)), applied;
    gsp_plan_result result;
    gsp_plan plan;
    gsp_error error;
    gsp_status status = gsp_plan_read(&arena, text, &plan, &error);
    REQUIRE(status == GSP_OK || status == GSP_STATUS_PARSE);
    REQUIRE(status == GSP_OK || (error.line > 0 && error.column > 0 && arena.low == 0));
    if (status == GSP_OK) {
        applied = fuzz_arena(gsp_plan_apply_bound(&counts, &plan));
        REQUIRE(gsp_plan_apply(&applied, graph, &plan, &result, NULL) == GSP_OK);
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
    gsp_text text;
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
