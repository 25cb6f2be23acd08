/* Two branches that join: which units run together on three devices, so that the slowest is fast?
 *     cc -I. -o downsets examples/downsets.c && ./downsets
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_DOWNSETS_IMPLEMENTATION
#include "examples/extra/graphsplit_downsets.h"
#include <stdio.h>

static const char *const names[] = {"stem", "left", "right", "more", "head"};
static const uint32_t after_begin[] = {0, 2, 3, 4, 5, 5}, after[] = {1, 2, 3, 4, 4};
static const uint32_t value_begin[] = {0, 1, 3, 5, 7, 9}, values[] = {0, 0, 1, 0, 2, 1, 3, 2, 3};
static unsigned char memory[1 << 20];

int main(void)
{
    gsp_downsets_weight own[5] = {{0}};
    gsp_downsets_weight const move = {0, 0, 1, 0, 0, 0, 0, 0}; /* a tick at both ends */
    gsp_downsets_weight const shared[] = {move, move, move, move};
    gsp_downsets_units const units = {
        5, 4, {after_begin, after}, {value_begin, values}, own, shared};
    gsp_downsets_desc desc = {0};
    gsp_downsets_result r;
    gsp_arena arena;
    for (uint32_t i = 0; i < 5; i++) {
        own[i].time = i == 2 ? 7 : 4; /* ticks; the right branch takes longer */
    }
    for (desc.n_devices = 1; desc.n_devices <= 3; desc.n_devices++) {
        gsp_arena_init(&arena, memory, sizeof(memory));
        if (gsp_downsets_run(&arena, &units, &desc, &r, NULL) != GSP_OK) {
            return 1;
        }
        printf("%u devices: %u ticks, at least %u\n", (unsigned)desc.n_devices,
            (unsigned)r.objective, (unsigned)r.lower_bound);
        for (uint32_t i = 0; i < 5; i++) {
            printf("  %s in stage %u\n", names[i], (unsigned)r.stage_of[i]);
        }
    }
    return 0;
}
