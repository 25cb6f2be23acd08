/* Why a node is not on the accelerator: the line of the operator table that decides, and the dtype
 * that it refuses.
 *     cc -I. -o why examples/why.c && ./why
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>

static const char text[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # i8[8]\n"
    "    %conv : [num_users=1] = call_function[target=conv](args = (%x,), kwargs = {})  # i8[8]\n"
    "    %cast : [num_users=1] = call_function[target=cast](args = (%conv,), kwargs = {})"
    "  # i64[8]\n"
    "    %add : [num_users=1] = call_function[target=add](args = (%cast, 1), kwargs = {})"
    "  # i64[8]\n"
    "    return add\n";
static const gsp_table_entry operators[] = {GSP_OP("conv", "i8,f32"), GSP_OP("add", "i8,i32")};
static unsigned char memory[1 << 16];

static void print_str(const char *before, gsp_str s)
{
    printf("%s%.*s", before, (int)s.size, s.data);
}

static void print_why(const gsp_graph *graph, gsp_node v, const gsp_why *why)
{
    print_str("", gsp_node_name(graph, v));
    if (why->takes) {
        print_str(": supported by ", operators[why->line].name);
    } else if (why->line == GSP_NONE) {
        printf(": no line of the table names its operator");
    } else {
        print_str(": the table accepts ", why->accepted);
        print_str(", and ", gsp_node_name(graph, why->culprit));
        print_str(" is ", why->dtype);
    }
    printf("\n");
}

int main(void)
{
    gsp_rule rule = {0};
    gsp_accelerator npu = {&rule, 1};
    gsp_support_desc support = {0};
    gsp_arena arena;
    gsp_module module;
    rule.kind = GSP_RULE_TABLE;
    rule.table.entries = operators;
    rule.table.n_entries = 2;
    support.accelerators = &npu;
    support.n_accelerators = 1;
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (gsp_text_read(&arena, text, sizeof(text) - 1, NULL, &module, NULL) != GSP_OK) {
        return 1;
    }
    gsp_graph graph = gsp_module_graph(&module, 0);
    for (gsp_node v = 0; v < graph.n_nodes; v++) {
        gsp_why why;
        if (gsp_support_why(&graph, &support, v, 1, &why, NULL) == GSP_OK) {
            print_why(&graph, v, &why);
        }
    }
    return 0;
}
