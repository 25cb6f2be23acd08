/* Tensors over a fast and a slow memory: what is read and written most stays in the fast one.
 *     cc -I. -o memories examples/memories.c && ./memories
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_MEMORIES_IMPLEMENTATION
#include "examples/extra/graphsplit_memories.h"
#include <stdio.h>

/* offset if fixed, bytes, node, first and last step, scratch */
static const gsp_tensor tensors[] = {
    {0, 4096, 0, 0, 3, 0}, {0, 8192, 0, 1, 2, 0}, {0, 4096, 0, 2, 4, 0}, {0, 8192, 0, 3, 4, 0}};
static const uint64_t traffic[] = {8192, 49152, 8192, 16384}; /* bytes read and written */
static const gsp_memory memories[] = {{12288, 1, 16, 0}, {1u << 23, 4, 16, 0}};
static const char *const names[] = {"sram", "psram"};
static unsigned char memory[1 << 20];

int main(void)
{
    gsp_memories_desc desc = {0};
    gsp_memories_result r;
    gsp_arena arena;
    desc.tensors = tensors;
    desc.n_tensors = 4;
    desc.traffic = traffic;
    desc.memories = memories;
    desc.n_memories = 2;
    desc.max_states = 64; /* a small search needs little memory */
    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_memories_run(&arena, &desc, &r, NULL) != GSP_OK || r.cost == UINT64_MAX) {
        return 1;
    }
    for (int i = 0; i < 4; i++) {
        printf("tensor %d: %s at %u\n", i, names[r.memory[i]], (unsigned)r.offset[i]);
    }
    printf("cost %u, at least %u\n", (unsigned)r.cost, (unsigned)r.lower_bound);
    return 0;
}
