/* Which operator should the accelerator learn first, and which leave at most two subgraphs?
 *     cc -I. -o operators examples/operators.c && ./operators
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_OPERATORS_IMPLEMENTATION
#include "examples/extra/graphsplit_operators.h"
#include <stdio.h>
#define CALL(n, op, in) \
    "    %" n " : [num_users=1] = call_method[target=" op "](args = (%" in ",), kwargs = {})\n"
static const char text[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]\n" CALL("a", "conv", "x")
        CALL("b", "gelu", "a") CALL("c", "conv", "b") CALL("d", "norm", "c") "    return d\n";
static const char *const names[] = {"gelu", "norm"};
static uint8_t kind[] = {GSP_KIND_NONE, 1, GSP_KIND_CPU, 1, GSP_KIND_CPU, GSP_KIND_NONE};
static const uint32_t operator_of[] = {GSP_NONE, GSP_NONE, 0, GSP_NONE, 1, GSP_NONE};
static unsigned char memory[1 << 16];
static gsp_module module;
static gsp_operators_result r;
static gsp_split_result cut;

int main(void)
{
    gsp_placement const placement = {6, 2, 0, kind, NULL, NULL, NULL};
    gsp_split_desc split = {0};
    gsp_operators_desc const desc = {0, 2, operator_of, &split, 0, 2, 0, 0, NULL, NULL, 0};
    gsp_arena arena;
    split.placement = &placement;
    gsp_arena_init(&arena, memory, sizeof memory);
    gsp_status status = gsp_text_read(&arena, text, sizeof text - 1, NULL, &module, NULL);
    gsp_graph const graph = gsp_module_graph(&module, 0);
    if (status != GSP_OK || gsp_operators_run(&arena, &graph, &desc, &r, NULL) != GSP_OK ||
        gsp_operators_split_run(&arena, &graph, &desc, r.least, r.n_least, &cut, NULL) != GSP_OK) {
        return 1;
    }
    for (uint32_t i = 0; i < r.n; i++) {
        printf("%s: %u subgraphs\n", names[r.order[i]], (unsigned)r.n_subgraphs[i + 1]);
    }
    return printf("least %u: %u subgraphs\n", (unsigned)r.n_least, (unsigned)cut.n_subgraphs) < 0;
}
