/* What is worth offloading: a chain whose ends the accelerator supports, at three launch times.
 *     cc -I. -o offload examples/offload.c && ./offload
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_OFFLOAD_IMPLEMENTATION
#include "examples/extra/graphsplit_offload.h"
#include <stdio.h>

#define NODE(name, input) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (%" input ",), kwargs = {})\n"
static const char network[] = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n" NODE(
    "a", "x") NODE("b", "a") NODE("c", "b") "    return c\n";
static unsigned char memory[1 << 18];

int main(void)
{
    static const uint8_t can[] = {0, 1, 0, 1, 0}; /* x, a, b, c, output */
    static const uint64_t cpu[] = {0, 40, 20, 50, 0}, acc[] = {0, 10, 0, 10, 0};
    static const uint64_t move[] = {10, 10, 10, 10, 0}, launches[] = {2, 15, 21};
    gsp_offload_desc desc = {0, 0, can, NULL, NULL, cpu, acc, move, 0, 0, 0, NULL, 0};
    gsp_arena arena;
    gsp_module module;
    gsp_offload_result r;
    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, network, sizeof network - 1, NULL, &module, NULL) != GSP_OK) {
        return 1;
    }
    gsp_graph const graph = gsp_module_graph(&module, 0);
    for (int i = 0; i < 3; i++) {
        desc.launch = launches[i];
        if (gsp_offload_run(&arena, &graph, &desc, &r, NULL) != GSP_OK) {
            return 1;
        }
        printf("launch %u: a %u, c %u; time %u, at least %u, the CPU alone %u, all offloaded %u\n",
            (unsigned)desc.launch, r.kind[1], r.kind[3], (unsigned)r.time, (unsigned)r.lower_bound,
            (unsigned)r.cpu_only, (unsigned)r.all);
    }
    return 0;
}
