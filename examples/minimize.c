/* A backend that cannot compile every subgraph: the split asks it, and a search finds the least set
 * of operators that fails.
 *
 *     cc -I. -o minimize examples/minimize.c && ./minimize
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>
#include <string.h>

static const char text[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[8, 8]\n"
    "    %a : [num_users=1] = call_function[target=exp](args = (%x,), kwargs = {})  # f32[8, 8]\n"
    "    %b : [num_users=1] = call_function[target=mul](args = (%a, 2), kwargs = {})  # f32[8, 8]\n"
    "    %c : [num_users=1] = call_function[target=log](args = (%b,), kwargs = {})  # f32[8, 8]\n"
    "    %d : [num_users=1] = call_function[target=print](args = (%c,), kwargs = {})  # f32[8, 8]\n"
    "    %e : [num_users=1] = call_function[target=mul](args = (%d, 3), kwargs = {})  # f32[8, 8]\n"
    "    return e\n";

static int is(const gsp_graph *graph, gsp_node v, const char *target)
{
    return gsp_str_equal(gsp_node_target(graph, v), gsp_str_of(target));
}

/* The backend: one kernel for exp and one for log, but not both in one program. */
static int compiles(const gsp_graph *graph, const gsp_node *nodes, uint32_t n_nodes)
{
    int has_exp = 0;
    int has_log = 0;
    uint32_t i;
    for (i = 0; i < n_nodes; i++) {
        has_exp |= is(graph, nodes[i], "exp");
        has_log |= is(graph, nodes[i], "log");
    }
    return !(has_exp && has_log);
}

static int accept(void *user, const gsp_graph *graph, const gsp_subgraph *subgraph)
{
    (void)user;
    return compiles(graph, subgraph->nodes, subgraph->n_nodes);
}

static int fails(void *user, const gsp_graph *graph, const gsp_bitset *set)
{
    gsp_node nodes[16];
    uint32_t n = 0;
    gsp_node v;
    (void)user;
    for (v = gsp_bitset_next(set, 0); v != GSP_NONE && n < 16; v = gsp_bitset_next(set, v + 1)) {
        nodes[n++] = v;
    }
    return !compiles(graph, nodes, n);
}

int main(void)
{
    static unsigned char memory[65536];
    gsp_table_entry const entries[] = {{{"exp", 3}, {NULL, 0}, NULL, 0, 0, {NULL, 0}},
        {{"mul", 3}, {NULL, 0}, NULL, 0, 0, {NULL, 0}},
        {{"log", 3}, {NULL, 0}, NULL, 0, 0, {NULL, 0}}};
    gsp_rule rule;
    gsp_accelerator npu = {&rule, 1};
    gsp_support_desc support;
    gsp_split_desc split;
    gsp_minimize_desc search;
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_placement placement;
    gsp_split_result result;
    gsp_minimize_result culprits;
    uint32_t i;
    memset(&rule, 0, sizeof(rule));
    memset(&support, 0, sizeof(support));
    memset(&split, 0, sizeof(split));
    memset(&search, 0, sizeof(search));
    rule.kind = GSP_RULE_TABLE;
    rule.table.entries = entries;
    rule.table.n_entries = 3;
    support.accelerators = &npu;
    support.n_accelerators = 1;
    split.placement = &placement;
    split.accept = accept;
    search.traversal = GSP_TRAVERSAL_LEAST;
    search.fails = fails;
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (gsp_text_read(&arena, text, sizeof(text) - 1, NULL, &module, NULL) != GSP_OK) {
        return 1;
    }
    graph = gsp_module_graph(&module, 0);
    if (gsp_support_run(&arena, &graph, &support, &placement, NULL) != GSP_OK ||
        gsp_split_run(&arena, &graph, &split, &result, NULL) != GSP_OK ||
        gsp_minimize_run(&arena, &graph, &search, &culprits, NULL) != GSP_OK) {
        return 1;
    }
    for (i = 0; i < result.n_subgraphs; i++) {
        char tag[32];
        (void)gsp_split_tag(&result, i, tag, sizeof(tag));
        printf("%s: %u node(s)\n", tag,
            (unsigned)(result.subgraph_begin[i + 1] - result.subgraph_begin[i]));
    }
    printf("a: %s\n", gsp_reason_text((gsp_reason)result.reason[1]));
    printf("%u tests find:", (unsigned)culprits.n_tests);
    for (i = 0; i < culprits.n_nodes; i++) {
        gsp_str const name = gsp_node_target(&graph, culprits.nodes[i]);
        printf(" %.*s", (int)name.size, name.data);
    }
    printf("\n");
    return 0;
}
