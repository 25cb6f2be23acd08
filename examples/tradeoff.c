/* a may run before the accelerator does, or after: its input takes memory, or its output crosses.
 *     cc -I. -o tradeoff examples/tradeoff.c && ./tradeoff
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_ORDER_IMPLEMENTATION
#include "examples/extra/graphsplit_order.h"
#include <stdio.h>

static const char text[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]  # u8[50]\n"
    "    %a : [num_users=1] = call_method[target=f](args = (%x,), kwargs = {})  # u8[30]\n"
    "    %b : [num_users=1] = call_method[target=f](args = (), kwargs = {})  # u8[64]\n"
    "    %c : [num_users=1] = call_method[target=f](args = (%b,), kwargs = {})  # u8[4]\n"
    "    %e : [num_users=1] = call_method[target=f](args = (%a, %c), kwargs = {})\n    return e\n";
static const uint32_t early[] = {0, 0, 1, 1, 2, 0}, late[] = {0, 2, 1, 1, 2, 0};
static const uint32_t begin[] = {0, 0, 0, 1, 2, 2, 2}, at[] = {1, 0}; /* c uses b, e uses a */
static const uint64_t bytes[] = {30, 64, 0, 0, 0, 0}; /* the 4 of c cross in any order */
static char memory[1 << 22];
static gsp_module module;

int main(void)
{
    gsp_tradeoff_desc const d = {0, 0, 0, {begin, at}, bytes, 4, 0, 0, 0, 0, 0, 0, 65536, 0, 0};
    gsp_tasks_desc const phases = {0, 0, NULL, 3, early, late, 0};
    gsp_tradeoff_result r;
    gsp_tasks tasks;
    gsp_arena arena;
    gsp_arena_init(&arena, memory, sizeof memory);
    gsp_status status = gsp_text_read(&arena, text, sizeof text - 1, NULL, &module, NULL);
    gsp_graph graph = gsp_module_graph(&module, 0);
    if (status != GSP_OK || gsp_tasks_run(&arena, &graph, &phases, &tasks, NULL) != GSP_OK ||
        gsp_tradeoff_run(&arena, &tasks, &d, &r, NULL) != GSP_OK) {
        return 1;
    }
    for (const gsp_tradeoff_point *p = r.points; p < r.points + r.n_points; p++) {
        printf("%u bytes at the peak, %u cross\n", (unsigned)p->peak, (unsigned)p->crossed);
    }
    return 0;
}
