/* A plan of 1,000 buffers in one arena by the planner alone:
 * sh examples/integrate/extract.sh memory_pack > gsp_memory_pack.h; cc -I. THIS_FILE */
#include <stdio.h>
#define GRAPHSPLIT_IMPLEMENTATION
#include "gsp_memory_pack.h"

static unsigned char memory[1u << 20];
static gsp_tensor tensors[1000];

int main(void)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < 1000u; i++) {
        tensors[i].bytes = (i * 7919u % 977u + 1u) * 16u;
        tensors[i].begin = i; /* the first step that needs it, and the last */
        tensors[i].end = i + i * 31u % 9u;
        tensors[i].offset = end; /* a valid plan to start from */
        end += tensors[i].bytes;
    }
    gsp_arena arena;
    gsp_memory_pack_result plan;
    gsp_arena_init(&arena, memory, sizeof memory);
    gsp_status const status = gsp_memory_pack_run(&arena, tensors, 1000, NULL, &plan, NULL);
    printf("%s: %lu of %lu bytes, lower bound %lu\n", gsp_status_name(status),
        (unsigned long)plan.bytes, (unsigned long)end, (unsigned long)plan.lower_bound);
    return status != GSP_OK || plan.bytes != plan.lower_bound;
}
