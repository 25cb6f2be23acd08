/* A graph that is arrays already: rows of inputs, operations, bytes, targets in a table. No node is
 * built and no name is stored.
 *     cc -I. -o rows examples/rows.c && ./rows
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_CSR_IMPLEMENTATION
#include "examples/extra/graphsplit_csr.h"

#include <stdio.h>

/* n0 input, n1 weight, n2 conv(n0, n1), n3 sort(n2), n4 mul(n2, n3), and the output returns n4. */
static const uint32_t begin[] = {0, 0, 0, 2, 3, 5, 6};
static const gsp_node inputs[] = {0, 1, 2, 2, 3, 4};
static const uint8_t op[] = {GSP_OP_PLACEHOLDER, GSP_OP_GET_ATTR, GSP_OP_CALL_FUNCTION,
    GSP_OP_CALL_FUNCTION, GSP_OP_CALL_FUNCTION, GSP_OP_OUTPUT};
static const uint64_t bytes[] = {64, 256, 64, 64, 64, 0};
static const gsp_str names[] = {GSP_STR("x"), GSP_STR("w"), GSP_STR("conv"), GSP_STR("sort"),
    GSP_STR("mul"), GSP_STR("output")};
static const uint32_t target[] = {0, 1, 2, 3, 4, 5};
static const gsp_table_entry operators[] = {GSP_OP("conv", ""), GSP_OP("mul", "")};
static unsigned char memory[32768];

static int print(void *user, const char *data, size_t size)
{
    (void)user;
    return fwrite(data, 1, size, stdout) != size;
}

int main(void)
{
    gsp_csr_desc rows = {0};
    gsp_rule rule = {0};
    gsp_accelerator npu = {&rule, 1};
    gsp_split_subgraphs_desc desc = {0};
    gsp_split_subgraphs_result r;
    gsp_arena arena;
    gsp_module module;
    gsp_error error;
    rows.n_nodes = 6;
    rows.begin = begin;
    rows.at = inputs;
    rows.op = op;
    rows.bytes = bytes;
    rows.target = target;
    rows.names = names;
    rows.n_names = 6;
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (gsp_build_csr(&arena, &rows, &module, &error) != GSP_OK) {
        return gsp_error_write(&error, NULL, print, NULL), 1;
    }
    gsp_graph graph = gsp_module_graph(&module, 0);
    rule.kind = GSP_RULE_TABLE;
    rule.table.entries = operators;
    rule.table.n_entries = 2;
    desc.support.accelerators = &npu;
    desc.support.n_accelerators = 1;
    if (gsp_split_subgraphs_run(&arena, &graph, &desc, &r, &error) != GSP_OK) {
        return gsp_error_write(&error, &graph, print, NULL), 1;
    }
    for (uint32_t i = 0; i < r.split.n_subgraphs; i++) {
        printf("%s:", r.split.subgraph_kind[i] ? "npu" : "cpu");
        for (uint32_t k = r.split.subgraph_begin[i]; k < r.split.subgraph_begin[i + 1]; k++) {
            printf(" n%u", (unsigned)r.split.nodes[k]); /* your own ids */
        }
        printf("\n");
    }
    return 0;
}
