/* Schedules of a pipeline: the tasks of every device with their times. */
#ifndef CLI_ALGORITHMS_SCHEDULE_H
#define CLI_ALGORITHMS_SCHEDULE_H

#include "graphsplit.h"

typedef enum cli_schedule_kind {
    CLI_SCHEDULE_GPIPE,       /* all microbatches forward, then all backward */
    CLI_SCHEDULE_1F1B,        /* one forward, one backward in turn: keeps fewer microbatches */
    CLI_SCHEDULE_INTERLEAVED, /* the same with several stages per device: shorter bubbles */
    /* Those that cli_order_make() gives as actions. Most split backward into two parts. */
    CLI_SCHEDULE_LOOPED_BFS,     /* GPipe with several stages per device */
    CLI_SCHEDULE_INTERLEAVED_ZB, /* INTERLEAVED: parts for the parameters fill the bubble */
    CLI_SCHEDULE_ZB_H1,          /* 1F1B, likewise; keeps as many microbatches as 1F1B */
    CLI_SCHEDULE_ZB_H2,          /* keeps twice as many: no bubble between the tasks of a device */
    CLI_SCHEDULE_ZBV,            /* two stages per device in the shape of a V */
    CLI_SCHEDULE_V_HALF,         /* the same with half the memory of 1F1B */
    CLI_SCHEDULE_V_MIN,          /* and with a third */
    CLI_SCHEDULE_DUALPIPEV,      /* a V whose forward and backward tasks overlap */
    CLI_SCHEDULE_COUNT
} cli_schedule_kind;

/* What a device does. The first four take time; the rest is communication. */
typedef enum cli_action_kind {
    CLI_ACTION_FORWARD,
    CLI_ACTION_BACKWARD,
    CLI_ACTION_BACKWARD_INPUT,  /* backward in two parts: the gradient of the input, */
    CLI_ACTION_BACKWARD_WEIGHT, /* and later that of the parameters */
    CLI_ACTION_SEND_FORWARD,
    CLI_ACTION_SEND_BACKWARD,
    CLI_ACTION_RECEIVE_FORWARD,
    CLI_ACTION_RECEIVE_BACKWARD,
    CLI_ACTION_GATHER, /* parameters that are sharded: gathered, released; gradients summed */
    CLI_ACTION_RELEASE,
    CLI_ACTION_REDUCE,
    CLI_ACTION_COUNT,
    CLI_ACTION_WAIT = CLI_ACTION_COUNT /* `microbatch` steps without a task, as PyTorch counts */
} cli_action_kind;

typedef struct cli_action {
    uint32_t stage;
    uint32_t microbatch;
    uint32_t kind;   /* cli_action_kind */
    uint32_t joined; /* 1: may overlap with the next action */
} cli_action;

typedef struct cli_schedule_desc {
    uint32_t kind;            /* cli_schedule_kind */
    uint32_t n_devices;       /* 0: 1 */
    uint32_t n_chunks;        /* stages per device, 0: those of the kind (cli_schedule_chunks) */
    uint32_t n_microbatches;  /* 0: 1 */
    uint32_t inference;       /* 1: no backward */
    const uint64_t *forward;  /* [stages] ticks of a microbatch; NULL: 1 each */
    const uint64_t *backward; /* [stages] NULL: twice the forward ticks */
    const uint64_t *weight;   /* [stages] ticks of its part for the parameters; NULL: half */
    const uint64_t *move;     /* [stages] ticks on the way to the next stage, and of the gradient on
                               * the way back; NULL: 0 each */
    const uint64_t *stash; /* [stages] bytes of a microbatch from its forward to its backward task;
                               * NULL: 0 each */
    const uint64_t *resident; /* [stages] bytes that are always allocated; NULL: 0 each */
    /* An order of the caller; NULL: that of the kind. */
    const cli_action *actions;    /* per device: the first four kinds, and sends if `sends` */
    const uint32_t *action_begin; /* [n_devices + 1] into actions */
    const uint32_t *device_of;    /* [n_stages] */
    uint32_t n_stages;
    uint32_t sends; /* 1: a stage hands its result to another device when that sends it, not before
                     */
} cli_schedule_desc;

/* A task: a stage processes a microbatch. */
typedef struct cli_task {
    uint32_t stage;
    uint32_t microbatch;
    uint32_t backward; /* 0: forward; otherwise the cli_action_kind */
    uint32_t device;
    uint64_t begin; /* ticks since the start */
    uint64_t end;
} cli_task;

/* All arrays lie at the low end of the arena. */
typedef struct cli_schedule {
    uint32_t n_devices;
    uint32_t n_stages; /* devices * chunks, or of the caller's order */
    uint32_t n_tasks;
    uint32_t bubble;            /* idle share of all devices, in millionths, */
    uint32_t gaps;              /* and that between the first and the last task of a device */
    uint64_t span;              /* ticks until the last task ends */
    const uint32_t *task_begin; /* [n_devices + 1] into tasks */
    const cli_task *tasks;      /* per device, in the order of execution */
    const uint64_t *busy;       /* [n_devices] ticks */
    const uint64_t *peak;       /* [n_devices] most bytes at any time */
    const uint32_t *held;       /* [n_stages] most microbatches kept at any time */
    const uint32_t *in_flight;  /* [n_devices] the same of all stages of a device together */
} cli_schedule;

/* cli_action_word: "F", "SEND_F", as PyTorch writes it. */
const char *cli_action_word(uint32_t kind);

/* cli_task_frees: its stage no longer keeps the microbatch afterwards. */
int cli_task_frees(const cli_schedule_desc *desc, const cli_task *task);

/* cli_schedule_device: the device of a stage. */
uint32_t cli_schedule_device(const cli_schedule_desc *desc, uint32_t stage);

/* cli_schedule_chunks: stages per device of a kind, and whether another number is possible. */
uint32_t cli_schedule_chunks(uint32_t kind, int *fixed);

/* cli_schedule_is_v: the second stages of the devices go back from the last device to the first. */
int cli_schedule_is_v(uint32_t kind);

/* cli_schedule_nth: the n-th forward or backward task of INTERLEAVED on its device. */
void cli_schedule_nth(const cli_schedule_desc *desc, uint32_t n, cli_task *task);

/* cli_schedule_ticks: what a task takes. */
uint64_t cli_schedule_ticks(const cli_schedule_desc *desc, const cli_task *task);

/* cli_schedule_ahead: forward tasks of a device before forward and backward take turns. */
uint32_t cli_schedule_ahead(const cli_schedule_desc *desc, uint32_t device);

#define CLI_SCHEDULE_LOADS 5u /* rows of costs */

/* What cli_schedule_use_loads() needs beside the costs of the stages. */
typedef struct cli_schedule_loads {
    const gsp_stage_cost *loads; /* [n_stages] of gsp_stage_costs_run() */
    uint32_t n_stages;
    uint64_t backward; /* backward takes so many times the compute time; 0: 2 */
    uint64_t copies;   /* of the parameters, 0: 1 */
    uint64_t
        *rows; /* [CLI_SCHEDULE_LOADS * n_stages] room for the costs, as long as they are used */
} cli_schedule_loads;

/* cli_schedule_use_loads: sets forward, backward, weight, stash and resident. Forward takes the
 * time of the stage; backward `backward` times its compute time, and the transfer of the gradients
 * of all values that enter and leave; its part for the parameters half of the compute time. */
void cli_schedule_use_loads(cli_schedule_desc *desc, const cli_schedule_loads *from);

/* cli_schedule_bound: bytes for cli_schedule_run(): 80 per stage and microbatch (16, and 32 per
 * action, for an order of the caller), 48 per device, 4 per stage, and padding. SIZE_MAX: too
 * many. */
size_t cli_schedule_bound(const cli_schedule_desc *desc);

/* cli_schedule_run: the tasks of all devices with their times.
 *
 * What:      The kind fixes the order of a device: GPIPE: all forward, then all backward. 1F1B:
 *            as many forward as there are devices after it, then one backward and one forward in
 *            turn. INTERLEAVED: microbatches in rounds of about n_devices, each round through all
 *            stages of the device; (chunks - 1) rounds and twice the devices after it run ahead.
 *            A task begins as soon as its device is free and its input is there. Joined actions
 *            wait for the inputs of all of them, then take turns.
 * Requires:  of an order of the caller, what input/actions.h checks: every task once, on the device
 *            of its stage, after those of its stage that it needs
 * Errors:    DESC (also a kind that needs actions without them), NOMEM (need), OVERFLOW (detail
 *            SIZE: ticks or bytes exceed 63 bits; TOO_MANY);
 *            CYCLE (node: an action that waits for itself through action `other`);
 *            on error the arena is unchanged
 * Time:      O(tasks + stages + devices); integers only
 * See:       Huang et al. 2019 (GPipe); Narayanan et al. 2021 (interleaved 1F1B)
 */
gsp_status cli_schedule_run(
    gsp_arena *arena, const cli_schedule_desc *desc, cli_schedule *result, gsp_error *err);

#endif
