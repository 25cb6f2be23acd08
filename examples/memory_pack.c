/* Buffers with lifetimes and no graph: the smallest arena, with a proof, and a capacity that is too
 * small. The first plan stacks all buffers; any valid one does.
 *     cc -I. -o memory_pack examples/memory_pack.c && ./memory_pack
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>

#define BUFFERS 7

/* Bytes, and the first and the last step at which they are used. */
static const uint32_t buffers[BUFFERS][3] = {
    {32, 0, 2}, {16, 0, 1}, {48, 2, 4}, {16, 1, 5}, {32, 3, 6}, {16, 5, 8}, {64, 6, 8}};

static union {
    uint64_t align;
    unsigned char bytes[4096];
} memory;

static void print(const char *what, const gsp_memory_pack_result *r, uint64_t capacity)
{
    printf("%s: %u bytes", what, (unsigned)r->bytes);
    if (r->bytes == r->lower_bound) {
        printf(", and no plan takes less");
    }
    if (capacity != 0) {
        printf("; %u bytes %s", (unsigned)capacity,
            r->bytes <= capacity         ? "suffice"
            : r->lower_bound <= capacity ? "may suffice, with more work"
                                         : "cannot suffice");
    }
    printf("\n");
}

int main(void)
{
    gsp_tensor tensors[BUFFERS] = {{0, 0, 0, 0, 0, 0}};
    gsp_memory_pack_desc desc = {0};
    gsp_memory_pack_result result;
    gsp_arena arena;
    uint64_t top = 0;
    int i;
    for (i = 0; i < BUFFERS; i++) {
        tensors[i].bytes = buffers[i][0];
        tensors[i].begin = buffers[i][1];
        tensors[i].end = buffers[i][2];
        tensors[i].offset = top;
        top += buffers[i][0];
    }
    gsp_arena_init(&arena, memory.bytes, sizeof memory.bytes);
    if (gsp_memory_pack_run(&arena, tensors, BUFFERS, &desc, &result, NULL) != GSP_OK) {
        return 1;
    }
    print("packed", &result, 0);
    for (i = 0; i < BUFFERS; i++) {
        printf("  steps %u to %u: %u bytes at %u\n", (unsigned)tensors[i].begin,
            (unsigned)tensors[i].end, (unsigned)tensors[i].bytes, (unsigned)result.offsets[i]);
        tensors[i].offset = result.offsets[i];
    }
    if (gsp_memory_check_run(&arena, tensors, BUFFERS, NULL, NULL) != GSP_OK) {
        return 1;
    }
    desc.capacity = 96;
    gsp_arena_init(&arena, memory.bytes, sizeof memory.bytes);
    if (gsp_memory_pack_run(&arena, tensors, BUFFERS, &desc, &result, NULL) != GSP_OK) {
        return 1;
    }
    print("into 96", &result, desc.capacity);
    return 0;
}
