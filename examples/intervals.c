/* Buffers and no graph: the smallest arena, and which of them exceed a smaller one.
 *     cc -I. -o intervals examples/intervals.c && ./intervals
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_INTERVALS_IMPLEMENTATION
#include "examples/extra/graphsplit_intervals.h"

#include <stdio.h>

/* Bytes, and the first and last step. The last buffer is live twice. */
static const gsp_tensor buffers[] = {{0, 32, 0, 0, 2, 0}, {0, 16, 1, 0, 1, 0}, {0, 48, 2, 2, 4, 0},
    {0, 32, 3, 3, 6, 0}, {0, 16, 4, 1, 3, 0}, {0, 16, 4, 7, 8, 0}};
static const uint32_t resumed[] = {0, 0, 0, 0, 0, 1};
static const uint32_t together[] = {0, 3}; /* one address */
static unsigned char memory[1u << 14];

int main(void)
{
    gsp_intervals_desc desc = {0};
    gsp_intervals_result plan;
    gsp_intervals_misfit misfit;
    gsp_arena arena;
    desc.n_tensors = 6;
    desc.tensors = buffers;
    desc.resumed = resumed;
    desc.n_together = 1;
    desc.together = together;
    desc.capacity = 64;
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (gsp_intervals_run(&arena, &desc, &plan, NULL) != GSP_OK ||
        gsp_intervals_misfit_run(&arena, &desc, &misfit, NULL) != GSP_OK) {
        return 1;
    }
    for (int i = 0; i < 6; i++) {
        printf("buffer %u at %u\n", (unsigned)buffers[i].node, (unsigned)plan.offsets[i]);
    }
    printf("%u bytes; %u buffers exceed 64\n", (unsigned)plan.bytes, (unsigned)misfit.n);
    return plan.bytes == plan.lower_bound && misfit.n == 2u ? 0 : 1;
}
