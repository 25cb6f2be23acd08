/* When each of four devices runs which stage on which of six microbatches, in three orders.
 *     cc -I. -o schedule examples/schedule.c && ./schedule
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_SCHEDULE_IMPLEMENTATION
#include "examples/extra/graphsplit_schedule.h"

#include <stdio.h>

#define DEVICES 4u
static unsigned char memory[1 << 14];

static void print(const gsp_schedule_result *r)
{
    for (uint32_t k = 0; k < r->n_devices; k++) {
        uint64_t now = 0;
        printf("device %u ", (unsigned)k);
        for (uint32_t i = r->task_begin[k]; i < r->task_begin[k + 1u]; i++) {
            const gsp_task *t = &r->tasks[i];
            for (; now < t->begin; now++) {
                printf(" . ");
            }
            for (; now < t->end; now++) {
                printf(" %s%u", gsp_action_word(t->backward), (unsigned)t->microbatch);
            }
        }
        printf("   at most %u microbatches\n", (unsigned)r->in_flight[k]);
    }
    printf("%u ticks, idle %u of 1000\n", (unsigned)r->span, (unsigned)(r->bubble / 1000u));
}

int main(void)
{
    static const uint32_t kinds[] = {GSP_SCHEDULE_GPIPE, GSP_SCHEDULE_1F1B, GSP_SCHEDULE_ZB_H1};
    gsp_schedule_desc desc = {0};
    desc.n_devices = DEVICES; /* a stage each; forward takes 1 tick, backward 2 */
    desc.n_microbatches = 6;
    for (uint32_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        gsp_arena arena;
        gsp_schedule_desc order;
        gsp_schedule_result r;
        gsp_arena_init(&arena, memory, sizeof(memory));
        desc.kind = kinds[i];
        if (gsp_actions_run(&arena, &desc, &order, NULL) != GSP_OK ||
            gsp_schedule_run(&arena, &order, &r, NULL) != GSP_OK) {
            return 1;
        }
        print(&r);
    }
    return 0;
}
