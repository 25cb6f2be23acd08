/* When each of four devices runs which stage on which of six microbatches, in three orders.
 *     cc -I. -o schedule examples/schedule.c && ./schedule
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_SCHEDULE_IMPLEMENTATION
#include "examples/extra/graphsplit_schedule.h"
#include <stdio.h>

static const uint32_t kinds[] = {GSP_SCHEDULE_GPIPE, GSP_SCHEDULE_1F1B, GSP_SCHEDULE_ZB_H1};
static unsigned char memory[1 << 14]; /* gsp_actions_bound() and gsp_schedule_bound() are less */

int main(void)
{
    gsp_schedule_desc desc = {0}, order;
    gsp_schedule_result r;
    gsp_arena arena;
    desc.n_devices = 4; /* a stage each; forward takes 1 tick, backward 2 */
    desc.n_microbatches = 6;
    for (uint32_t i = 0; i < 3; i++) {
        desc.kind = kinds[i];
        gsp_arena_init(&arena, memory, sizeof memory);
        if (gsp_actions_run(&arena, &desc, &order, NULL) != GSP_OK ||
            gsp_schedule_run(&arena, &order, &r, NULL) != GSP_OK) {
            return 1;
        }
        for (uint32_t k = 0; k < r.n_devices; k++) {
            uint64_t now = 0;
            for (const gsp_task *t = r.tasks + r.task_begin[k]; t < r.tasks + r.task_begin[k + 1];
                 t++) {
                printf("%*s%s%-*u", 3 * (int)(t->begin - now), "", gsp_action_word(t->backward),
                    3 * (int)(t->end - t->begin) - 1, (unsigned)t->microbatch);
                now = t->end;
            }
            printf("device %u: at most %u microbatches\n", (unsigned)k, (unsigned)r.in_flight[k]);
        }
        printf("%u ticks, idle %u of 1000\n", (unsigned)r.span, (unsigned)(r.bubble / 1000u));
    }
    return 0;
}
