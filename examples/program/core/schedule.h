/* Schedules of a pipeline: the tasks of every device with their times. */
#ifndef GRAPHSPLIT_CLI_SCHEDULE_H
#define GRAPHSPLIT_CLI_SCHEDULE_H

#include "graphsplit.h"

typedef enum cli_schedule_kind {
    CLI_SCHEDULE_GPIPE,       /* all microbatches forward, then all backward */
    CLI_SCHEDULE_1F1B,        /* one forward, one backward in turn: keeps fewer microbatches */
    CLI_SCHEDULE_INTERLEAVED, /* the same with several stages per device: shorter bubbles */
    CLI_SCHEDULE_COUNT
} cli_schedule_kind;

typedef struct cli_schedule_desc {
    uint32_t kind;            /* cli_schedule_kind */
    uint32_t n_devices;       /* 0: 1 */
    uint32_t n_chunks;        /* INTERLEAVED: stages per device, 0: 2; the others: 1 */
    uint32_t n_microbatches;  /* 0: 1 */
    uint32_t inference;       /* 1: no backward */
    const uint64_t *forward;  /* [stages] ticks of a microbatch; NULL: 1 each */
    const uint64_t *backward; /* [stages] NULL: twice the forward ticks */
    const uint64_t *move;     /* [stages] ticks on the way to the next stage, and of the gradient on
                               * the way back; NULL: 0 each */
    const uint64_t *stash; /* [stages] bytes of a microbatch from its forward to its backward task;
                               * NULL: 0 each */
    const uint64_t *resident; /* [stages] bytes that are always allocated; NULL: 0 each */
} cli_schedule_desc;

/* A task: a stage processes a microbatch. */
typedef struct cli_task {
    uint32_t stage;
    uint32_t microbatch;
    uint32_t backward; /* 0: forward */
    uint32_t device;
    uint64_t begin; /* ticks since the start */
    uint64_t end;
} cli_task;

/* All arrays lie at the low end of the arena. */
typedef struct cli_schedule {
    uint32_t n_devices;
    uint32_t n_stages; /* devices * chunks; stage s on device s % n_devices */
    uint32_t n_tasks;
    uint32_t bubble;            /* idle share of all devices, in millionths */
    uint64_t span;              /* ticks until the last task ends */
    const uint32_t *task_begin; /* [n_devices + 1] into tasks */
    const cli_task *tasks;      /* per device, in the order of execution */
    const uint64_t *busy;       /* [n_devices] ticks */
    const uint64_t *peak;       /* [n_devices] most bytes at any time */
    const uint32_t *held;       /* [n_stages] most microbatches kept at any time */
} cli_schedule;

/* cli_schedule_bound: bytes for cli_schedule_run(): 80 per stage and microbatch, 40 per device, 4
 * per stage, and padding. SIZE_MAX: too many. */
size_t cli_schedule_bound(const cli_schedule_desc *desc);

/* cli_schedule_run: the tasks of all devices with their times.
 *
 * What:      The kind fixes the order of a device: GPIPE: all forward, then all backward. 1F1B:
 *            as many forward as there are devices after it, then one backward and one forward in
 *            turn. INTERLEAVED: microbatches in rounds of about n_devices, each round through all
 *            stages of the device; (chunks - 1) rounds and twice the devices after it run ahead.
 *            A task begins as soon as its device is free and its input is there.
 * Errors:    DESC, NOMEM (need), OVERFLOW (detail SIZE: ticks or bytes exceed 63 bits; TOO_MANY);
 *            on error the arena is unchanged
 * Time:      O(tasks + devices); integers only
 * See:       Huang et al. 2019 (GPipe); Narayanan et al. 2021 (interleaved 1F1B)
 */
gsp_status cli_schedule_run(gsp_arena *arena, const cli_schedule_desc *desc, cli_schedule *result,
                            gsp_error *err);

#endif
