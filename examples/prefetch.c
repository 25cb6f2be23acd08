/* Weights in flash: each is copied to RAM ahead of its layer, in as little RAM as that takes.
 *     cc -I. -o prefetch examples/prefetch.c && ./prefetch
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_PREFETCH_IMPLEMENTATION
#include "examples/extra/graphsplit_prefetch.h"

#include <stdio.h>

static const uint64_t times[] = {400, 900, 300, 200};      /* us per layer */
static const uint64_t live[] = {9216, 12288, 6144, 1024};  /* bytes of activations */
static const uint32_t layers[] = {0, 1, 2, 3};             /* that read a weight */
static const uint64_t weights[] = {1024, 4096, 8192, 512}; /* bytes */
static const uint64_t copies[] = {100, 400, 800, 50};      /* us per weight */
static unsigned char memory[4096];

int main(void)
{
    gsp_prefetch_desc desc = {0};
    gsp_prefetch_result r;
    gsp_arena arena;
    desc.n_steps = desc.n_copies = 4;
    desc.times = times;
    desc.live = live;
    desc.uses = layers;
    desc.bytes = weights;
    desc.ticks = copies;
    desc.capacity = 32768;
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (gsp_prefetch_run(&arena, &desc, &r, NULL) != GSP_OK) {
        return 1;
    }
    for (int i = 0; i < 4; i++) {
        printf("weight %d: copied from %u us, in layer %u\n", i, (unsigned)r.starts[i], r.steps[i]);
    }
    printf("waits %u us, at least %u, without copies ahead %u; %u bytes\n", (unsigned)r.stall,
        (unsigned)r.lower_bound, (unsigned)r.serial, (unsigned)r.peak);
    return 0;
}
