/* a may run before the accelerator does, or after: its input takes memory, or its output crosses.
 *     cc -I. -o tradeoff examples/tradeoff.c && ./tradeoff
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_ORDER_IMPLEMENTATION
#include "examples/extra/graphsplit_order.h"

#include <stdio.h>

#define CALL(name, args, note) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args \
    "), kwargs = {})  # " note "\n"

static const char text[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # u8[50]\n"
    "    %y : [num_users=1] = placeholder[target=y]  # u8[1]\n" CALL("a", "%x", "u8[30]")
        CALL("b", "%y", "u8[64]") CALL("c", "%b", "u8[4]")
            CALL("e", "%a, %c", "u8[1]") "    return e\n";
static const uint32_t early[] = {0, 0, 0, 1, 1, 2, 0}, late[] = {0, 0, 2, 1, 1, 2, 0};
static const uint32_t begin[] = {0, 0, 0, 1, 2, 2, 2}, at[] = {1, 0}; /* c uses b, e uses a */
static const uint64_t bytes[] = {30, 64, 0, 0, 0, 0};
static char memory[1 << 22];

int main(void)
{
    gsp_arena arena;
    gsp_module module;
    gsp_tasks tasks;
    gsp_tasks_desc phases = {0, 0, NULL, 3, early, late, 0};
    gsp_tradeoff_desc desc = {0};
    gsp_tradeoff_result r;
    desc.uses.begin = begin;
    desc.uses.at = at;
    desc.bytes = bytes;
    desc.fixed = 4;           /* c: e runs in a later phase */
    desc.max_bytes = 1 << 20; /* enough for this graph, and less memory than by default */
    gsp_arena_init(&arena, memory, sizeof(memory));
    gsp_status status = gsp_text_read(&arena, text, sizeof(text) - 1, NULL, &module, NULL);
    gsp_graph graph = gsp_module_graph(&module, 0);
    if (status != GSP_OK || gsp_tasks_run(&arena, &graph, &phases, &tasks, NULL) != GSP_OK ||
        gsp_tradeoff_run(&arena, &tasks, &desc, &r, NULL) != GSP_OK) {
        return 1;
    }
    for (uint32_t i = 0; i < r.n_points; i++) {
        const gsp_tradeoff_point *p = &r.points[i];
        printf("%u bytes at the peak, %u cross\n", (unsigned)p->peak, (unsigned)p->crossed);
    }
    return 0;
}
