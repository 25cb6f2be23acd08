/* A chain on the CPU and two accelerators, each of which is fast at some of its calls.
 *     cc -I. -o sides examples/sides.c && ./sides
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_OFFLOAD_IMPLEMENTATION
#include "examples/extra/graphsplit_offload.h"
#include <stdio.h>

static const char network[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
    "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})\n"
    "    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})\n"
    "    %c : [num_users=1] = call_function[target=h](args = (%b,), kwargs = {})\n    return c\n";
static const uint8_t all[] = {0, 1, 1, 1, 0}, not_b[] = {0, 1, 0, 1, 0}; /* x, a, b, c, output */
static const uint64_t cpu[] = {0, 40, 20, 50, 0}, npu[] = {0, 10, 30, 45, 0};
static const uint64_t gpu[] = {0, 30, 0, 12, 0}, move[] = {4, 4, 4, 4, 0};
static const uint8_t *const can[] = {all, all, not_b};
static const uint64_t *const ticks[] = {cpu, npu, gpu};
static const char *const names[] = {"CPU", "NPU", "GPU"};
static unsigned char memory[1 << 18];

int main(void)
{
    gsp_sides_desc const desc = {0, 3, can, ticks, NULL, move, NULL, NULL, 0, 0, 0, NULL, 0};
    gsp_sides_result r;
    gsp_module module;
    gsp_arena arena;
    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, network, sizeof network - 1, NULL, &module, NULL) != GSP_OK) {
        return 1;
    }
    gsp_graph const graph = gsp_module_graph(&module, 0);
    if (gsp_sides_run(&arena, &graph, &desc, &r, NULL) != GSP_OK) {
        return 1;
    }
    printf("a %s, b %s, c %s: %u, at least %u\n", names[r.kind[1]], names[r.kind[2]],
        names[r.kind[3]], (unsigned)r.time, (unsigned)r.lower_bound);
    return 0;
}
