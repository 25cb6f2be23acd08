/* Tensors over a fast and a slow memory: what is read and written most stays in the fast one.
 *     cc -I. -o memories examples/memories.c && ./memories
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_MEMORIES_IMPLEMENTATION
#include "examples/extra/graphsplit_memories.h"

#include <stdio.h>

/* bytes, first and last step, bytes read and written */
static const uint32_t tensors[4][4] = {
    {4096, 0, 3, 8192}, {8192, 1, 2, 49152}, {4096, 2, 4, 8192}, {8192, 3, 4, 16384}};
static const gsp_memory memories[] = {{12288, 1, 16, 0}, {1u << 23, 4, 16, 0}};
static const char *const names[] = {"sram", "psram"};
static unsigned char memory[1 << 20];

int main(void)
{
    gsp_tensor list[4] = {{0, 0, 0, 0, 0, 0}};
    uint64_t traffic[4];
    gsp_memories_desc desc = {0};
    gsp_memories_result r;
    gsp_arena arena;
    for (int i = 0; i < 4; i++) {
        list[i].bytes = tensors[i][0];
        list[i].begin = tensors[i][1];
        list[i].end = tensors[i][2];
        traffic[i] = tensors[i][3];
    }
    desc.tensors = list;
    desc.n_tensors = 4;
    desc.traffic = traffic;
    desc.memories = memories;
    desc.n_memories = 2;
    desc.max_states = 64; /* a small search needs little memory */
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (gsp_memories_run(&arena, &desc, &r, NULL) != GSP_OK || r.cost == UINT64_MAX) {
        return 1;
    }
    for (int i = 0; i < 4; i++) {
        printf("tensor %d: %s at %u\n", i, names[r.memory[i]], (unsigned)r.offset[i]);
    }
    printf("cost %u, at least %u\n", (unsigned)r.cost, (unsigned)r.lower_bound);
    return 0;
}
