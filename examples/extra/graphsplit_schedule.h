/* graphsplit_schedule.h - an add-on of graphsplit.h: schedules of a pipeline, simulated
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * When each device runs which stage on which microbatch, by GPipe, 1F1B, interleaved 1F1B, or the
 * order of the caller, which is checked. Needs graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_SCHEDULE_IMPLEMENTATION
 *     #include "graphsplit_schedule.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>schedule           Tasks of all devices with their times
 *     >>impl               Implementation guard
 *
 *     gsp_schedule_run     O(tasks + stages + devices)     80 per stage and microbatch, 53 per
 *                                                          device, 8 per stage
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_SCHEDULE_H_INCLUDED
#define GRAPHSPLIT_SCHEDULE_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_SCHEDULE_IMPLEMENTATION)
#error "graphsplit_schedule: GRAPHSPLIT_STATIC needs GRAPHSPLIT_SCHEDULE_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>schedule   Tasks of all devices with their times (API)
 * ---- */

/* The first three have a formula. Others are names: gsp_schedule_run() takes their actions. */
typedef enum gsp_schedule_kind {
    GSP_SCHEDULE_GPIPE,       /* all microbatches forward, then all backward */
    GSP_SCHEDULE_1F1B,        /* alternates forward and backward, which keeps fewer microbatches */
    GSP_SCHEDULE_INTERLEAVED, /* the same with several stages per device: shorter bubbles */
    GSP_SCHEDULE_LOOPED_BFS,  /* GPipe with several stages per device */
    GSP_SCHEDULE_INTERLEAVED_ZB, /* INTERLEAVED: parts for the parameters fill the bubble */
    GSP_SCHEDULE_ZB_H1,          /* 1F1B, likewise; keeps as many microbatches as 1F1B */
    GSP_SCHEDULE_ZB_H2,          /* keeps twice as many: no bubble between the tasks of a device */
    GSP_SCHEDULE_ZBV,            /* two stages per device in the shape of a V */
    GSP_SCHEDULE_V_HALF,         /* the same with half the memory of 1F1B */
    GSP_SCHEDULE_V_MIN,          /* and with a third */
    GSP_SCHEDULE_DUALPIPEV,      /* a V whose forward and backward tasks overlap */
    GSP_SCHEDULE_COUNT,
    GSP_SCHEDULE_FORCE_U32 = 0x7FFFFFFF
} gsp_schedule_kind;

/* What a device does. The first four take time; the rest is communication. */
typedef enum gsp_action_kind {
    GSP_ACTION_FORWARD,
    GSP_ACTION_BACKWARD,
    GSP_ACTION_BACKWARD_INPUT,  /* backward in two parts: the gradient of the input, */
    GSP_ACTION_BACKWARD_WEIGHT, /* and later that of the parameters */
    GSP_ACTION_SEND_FORWARD,
    GSP_ACTION_SEND_BACKWARD,
    GSP_ACTION_RECEIVE_FORWARD,
    GSP_ACTION_RECEIVE_BACKWARD,
    GSP_ACTION_GATHER, /* parameters that are sharded: gathered, released; gradients summed */
    GSP_ACTION_RELEASE,
    GSP_ACTION_REDUCE,
    GSP_ACTION_COUNT,
    GSP_ACTION_FORCE_U32 = 0x7FFFFFFF
} gsp_action_kind;

#define GSP_ACTION_WAIT 11u /* `microbatch` steps without a task, as PyTorch counts */

/* An action of a device. */
typedef struct gsp_action {
    uint32_t stage;
    uint32_t microbatch;
    uint32_t kind;   /* gsp_action_kind, or GSP_ACTION_WAIT */
    uint32_t joined; /* 1 if it may overlap with the next action */
} gsp_action;

/* A pipeline, and an order of its tasks. Stage s is on device s modulo n_devices, unless the order
 * is that of the caller. */
typedef struct gsp_schedule_desc {
    uint32_t start_canary;
    uint32_t kind;            /* gsp_schedule_kind */
    uint32_t n_devices;       /* 0 means 1 */
    uint32_t n_chunks;        /* stages per device; 0 for those of the kind (gsp_schedule_chunks) */
    uint32_t n_microbatches;  /* 0 means 1 */
    uint32_t inference;       /* 1 without backward */
    const uint64_t *forward;  /* [stages] ticks of a microbatch; NULL means 1 each */
    const uint64_t *backward; /* [stages] NULL means twice the forward ticks */
    const uint64_t *weight;   /* [stages] ticks of its part for the parameters; NULL means half */
    const uint64_t *move;     /* [stages] ticks of a transfer either way; NULL means 0 each */
    const uint64_t *stash;    /* [stages] bytes of a microbatch until backward; NULL means 0 each */
    const uint64_t *resident; /* [stages] bytes that are always allocated; NULL means 0 each */
    /* An order of the caller; NULL for that of the kind. */
    const gsp_action *actions; /* per device: the first four kinds, waits, and sends if `sends` */
    const uint32_t *action_begin; /* [n_devices + 1] into actions */
    const uint32_t *device_of;    /* [n_stages] */
    uint32_t n_stages;
    uint32_t sends;   /* 1 if other devices have a result when it is sent to them, not before */
    uint32_t trusted; /* 1 if the order of the caller is valid; it is not checked */
    uint32_t end_canary;
} gsp_schedule_desc;

/* A task: a stage processes a microbatch. */
typedef struct gsp_task {
    uint32_t stage;
    uint32_t microbatch;
    uint32_t backward; /* 0 for forward; otherwise the gsp_action_kind */
    uint32_t device;
    uint64_t begin; /* ticks since the start */
    uint64_t end;
} gsp_task;

/* All arrays are read-only. */
typedef struct gsp_schedule_result {
    uint32_t n_devices;
    uint32_t n_stages; /* devices * chunks, or of the caller's order */
    uint32_t n_tasks;
    uint32_t bubble;            /* idle share of all devices, in millionths, */
    uint32_t gaps;              /* and that between the first and the last task of a device */
    uint64_t span;              /* ticks until the last task ends */
    const uint32_t *task_begin; /* [n_devices + 1] into tasks */
    const gsp_task *tasks;      /* per device, in the order of execution */
    const uint64_t *busy;       /* [n_devices] ticks */
    const uint64_t *peak;       /* [n_devices] most bytes at any time */
    const uint32_t *held;       /* [n_stages] most microbatches kept at any time */
    const uint32_t *in_flight;  /* [n_devices] the same of all stages of a device together */
} gsp_schedule_result;

/* gsp_action_word: "F", "SEND_F", as PyTorch writes it; "" for no action. Time: O(1). */
GSP_API const char *gsp_action_word(uint32_t kind);

/* gsp_task_frees: its stage no longer keeps the microbatch afterwards. Time: O(1). */
GSP_API int gsp_task_frees(const gsp_schedule_desc *desc, const gsp_task *task);

/* gsp_schedule_device: the device of a stage. Time: O(1). */
GSP_API uint32_t gsp_schedule_device(const gsp_schedule_desc *desc, uint32_t stage);

/* gsp_schedule_chunks: stages per device of a kind, and whether no other number is possible. Time:
 * O(1). */
GSP_API uint32_t gsp_schedule_chunks(uint32_t kind, int *fixed);

/* gsp_schedule_is_v: the second stages of the devices run from the last device to the first. Time:
 * O(1). */
GSP_API int gsp_schedule_is_v(uint32_t kind);

/* gsp_schedule_nth: the n-th forward or backward task of INTERLEAVED on its device. Time: O(1). */
GSP_API void gsp_schedule_nth(const gsp_schedule_desc *desc, uint32_t n, gsp_task *task);

/* gsp_schedule_ticks: what a task takes. Time: O(1). */
GSP_API uint64_t gsp_schedule_ticks(const gsp_schedule_desc *desc, const gsp_task *task);

/* gsp_schedule_ahead: forward tasks of a device before forward and backward take turns. Time:
 * O(1). */
GSP_API uint32_t gsp_schedule_ahead(const gsp_schedule_desc *desc, uint32_t device);

/* gsp_schedule_bound: bytes for the run. Per stage and microbatch 80 (17, and 32 per action, for an
 * order of the caller), per device 53, per stage 8. SIZE_MAX if too many, or action_begin is
 * missing. Time: O(1). */
GSP_API size_t gsp_schedule_bound(const gsp_schedule_desc *desc);

/* gsp_schedule_run: the tasks of all devices with their times.
 *
 * What:    The kind fixes the order of a device. GPIPE runs all forward, then all backward tasks.
 *          1F1B runs as many forward as there are devices after it, then one backward and one
 *          forward in turn. INTERLEAVED has microbatches in rounds of about n_devices, each round
 *          through all stages of the device; (chunks - 1) rounds and twice the devices after it run
 *          ahead. A task begins as soon as its device is free and its input is there. Joined
 *          actions wait for the inputs of all of them, then take turns.
 * Errors:  ARG, DESC (CHOICE: a kind that needs actions, or another number of chunks), NOMEM,
 *          OVERFLOW (SIZE: ticks or bytes exceed 63 bits; TOO_MANY), CYCLE (node: the number of an
 *          action that waits for itself through action other). Of an order of the caller: ARG
 *          (RANGE: a stage, microbatch, device or begin, KIND: no such action or join, with the
 *          number of the action as node; ORDER: action node is given twice, or before a task of its
 *          stage that it needs, or on another device than that of its stage; without node, stage
 *          other lacks an action of a microbatch)
 * Time:    O(tasks + stages + devices); integers only
 * Memory:  the bound
 * Example: examples/schedule.c
 * See:     Huang et al. 2019 (GPipe); Narayanan et al. 2021 (interleaved 1F1B)
 */
GSP_API gsp_status gsp_schedule_run(
    gsp_arena *arena, const gsp_schedule_desc *desc, gsp_schedule_result *result, gsp_error *err);

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_SCHEDULE_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_SCHEDULE_IMPLEMENTATION
#ifndef GRAPHSPLIT_SCHEDULE_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_SCHEDULE_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_SCHEDULE_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_SCHEDULE_END _Pragma("GCC diagnostic pop")
#define GSPI_SCHEDULE_OWN_FRAME \
    __attribute__((noinline)) static /* not on the stack of its caller */
#else
#define GSPI_SCHEDULE_BEGIN
#define GSPI_SCHEDULE_END
#define GSPI_SCHEDULE_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_SCHEDULE_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>schedule   Tasks of all devices with their times (implementation)
 * ---- */

/* A formula gives the order of a device: its n-th forward and n-th backward task, and which is
 * next. A worklist of devices gives the times. A device runs until its next task is blocked, and
 * every task that ends unblocks the devices that need it. */

/* A condition that no input makes; `make cov` does not count it. */
#define GSPI_SCHEDULE_NEVER(x) (x)

typedef struct gspi_schedule { /* not on the stack */
    gsp_schedule_desc d;       /* with defaults */
    gsp_task *tasks;
    uint32_t *task_begin;
    uint64_t *busy;
    uint64_t *peak;
    uint32_t *held;
    uint32_t *in_flight;
    uint64_t *end[2];    /* [microbatches * stages] ends of tasks; UINT64_MAX if unknown */
    uint32_t *kept;      /* [stages] microbatches that it keeps now */
    uint32_t *done;      /* [devices] actions, */
    uint32_t *ended;     /* [devices] and tasks among them */
    uint32_t *waiting;   /* [devices] work list */
    uint8_t *is_waiting; /* [devices] */
    uint8_t *seen;       /* [microbatches * stages] GSPI_SCHEDULE_SEEN_* of actions */
    uint32_t n_waiting;
    uint32_t n_stages;
    uint32_t rounds; /* INTERLEAVED: number of rounds of microbatches, */
    uint32_t round;  /* microbatches per round, */
    uint32_t longer; /* rounds that have one more */
} gspi_schedule;

/* Names the argument or field at fault; a second NUL says that no count makes it required. */
#ifdef GSP_NO_MESSAGES
#define GSPI_SCHEDULE_FIELD(text) ""
#else
#define GSPI_SCHEDULE_FIELD(text) text "\0"
#endif

static gsp_status gspi_schedule_fail(gsp_error *err, gsp_status status, gsp_detail detail,
    uint32_t node, uint32_t other, const char *field)
{
    if (err != NULL) {
        gsp_error const e = {status, detail, GSP_WHAT_NONE, node, other, 0, 0, 0, 0u, field};
        *err = e;
    }
    return status;
}

static gsp_status gspi_schedule_missing(gsp_error *err, const char *field)
{
    return gspi_schedule_fail(
        err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, GSP_NONE, field);
}

/* OK if so many bytes are left. */
static gsp_status gspi_schedule_room(const gsp_arena *arena, size_t bound, gsp_error *err)
{
    if (bound == SIZE_MAX) {
        return gspi_schedule_fail(
            err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE, GSP_NONE, "");
    }
    if (gsp_arena_left(arena) >= bound) {
        return gspi_schedule_fail(err, GSP_OK, GSP_DETAIL_NONE, GSP_NONE, GSP_NONE, "");
    }
    (void)gspi_schedule_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, GSP_NONE, "");
    if (err != NULL) {
        err->need = bound;
        err->limit = gsp_arena_left(arena);
    }
    return GSP_STATUS_NOMEM;
}

/* At most GSP_NONE, which is too many; b is not 0. */
static uint64_t gspi_schedule_times(uint64_t a, uint64_t b)
{
    return a > GSP_NONE / b ? GSP_NONE : a * b;
}

static uint64_t gspi_schedule_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Actions that are tasks. */
static int gspi_schedule_is_task(const gsp_action *a)
{
    return a->kind <= (uint32_t)GSP_ACTION_BACKWARD_WEIGHT;
}

int gsp_schedule_is_v(uint32_t kind)
{
    return kind >= (uint32_t)GSP_SCHEDULE_ZBV && kind <= (uint32_t)GSP_SCHEDULE_DUALPIPEV;
}

uint32_t gsp_schedule_chunks(uint32_t kind, int *fixed)
{
    *fixed = kind != (uint32_t)GSP_SCHEDULE_INTERLEAVED &&
             kind != (uint32_t)GSP_SCHEDULE_LOOPED_BFS &&
             kind != (uint32_t)GSP_SCHEDULE_INTERLEAVED_ZB;
    return !*fixed || gsp_schedule_is_v(kind) ? 2u : 1u;
}

GSPI_SCHEDULE_OWN_FRAME void gspi_schedule_resolve(
    gsp_schedule_desc *d, const gsp_schedule_desc *desc)
{
    gsp_schedule_desc const none = {0u, 0u, 0u, 0u, 0u, 0u, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL, 0u, 0u, 0u, 0u};
    *d = desc == NULL ? none : *desc;
    d->n_devices += d->n_devices == 0 ? 1u : 0u;
    d->n_microbatches += d->n_microbatches == 0 ? 1u : 0u;
    if (d->n_chunks == 0) {
        int fixed;
        d->n_chunks = gsp_schedule_chunks(d->kind, &fixed);
    }
}

static uint64_t gspi_schedule_stages(const gsp_schedule_desc *d)
{
    return d->actions != NULL ? d->n_stages : gspi_schedule_times(d->n_devices, d->n_chunks);
}

static void gspi_schedule_find_rounds(gspi_schedule *w)
{
    uint32_t const n = w->d.n_microbatches;
    w->rounds = n > w->d.n_devices ? n / w->d.n_devices : 1u;
    w->round = n / w->rounds;
    w->longer = n % w->rounds;
}

/* ---- Layout ---- */

/* A layout pushes all arrays in order; without an arena it measures them. */
typedef struct gspi_schedule_bump {
    gsp_arena *arena;
    uint64_t used;
} gspi_schedule_bump;

/* GSP_NONE is too many. */
GSPI_SCHEDULE_OWN_FRAME void *gspi_schedule_push(
    gspi_schedule_bump *b, uint64_t count, size_t size, int high)
{
    uint64_t const bytes = count * size + (GSP_GAP + GSP_ALIGN - 1u);
    b->used = gspi_schedule_sum(
        b->used, count >= GSP_NONE ? UINT64_MAX : bytes & ~((uint64_t)GSP_ALIGN - 1u));
    return b->arena == NULL ? NULL
           : high           ? gsp_arena_push_high(b->arena, (size_t)count, size)
                            : gsp_arena_push(b->arena, (size_t)count, size);
}

/* The results first; they stay. */
static void gspi_schedule_layout(gspi_schedule_bump *b, gspi_schedule *w)
{
    const gsp_schedule_desc *d = &w->d;
    uint64_t const devices = d->n_devices;
    uint64_t const stages = gspi_schedule_stages(d);
    uint64_t const pairs = gspi_schedule_times(stages, d->n_microbatches);
    uint64_t const back = d->inference ? 0u : pairs;
    uint64_t const made = gspi_schedule_times(pairs, d->inference ? 1u : 2u);
    uint64_t const tasks = d->actions != NULL ? d->action_begin[d->n_devices] : made;
    uint32_t **const words[] = {&w->in_flight, &w->done, &w->ended, &w->waiting};
    w->tasks = (gsp_task *)gspi_schedule_push(b, tasks, sizeof(gsp_task), 0);
    w->task_begin = (uint32_t *)gspi_schedule_push(b, devices + 1u, sizeof(uint32_t), 0);
    w->busy = (uint64_t *)gspi_schedule_push(b, devices, sizeof(uint64_t), 0);
    w->peak = (uint64_t *)gspi_schedule_push(b, devices, sizeof(uint64_t), 0);
    w->held = (uint32_t *)gspi_schedule_push(b, stages, sizeof(uint32_t), 0);
    for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        *words[i] = (uint32_t *)gspi_schedule_push(b, devices, sizeof(uint32_t), i > 0u);
    }
    w->end[0] = (uint64_t *)gspi_schedule_push(b, pairs, sizeof(uint64_t), 1);
    w->end[1] = (uint64_t *)gspi_schedule_push(b, back, sizeof(uint64_t), 1);
    w->kept = (uint32_t *)gspi_schedule_push(b, stages, sizeof(uint32_t), 1);
    w->is_waiting = (uint8_t *)gspi_schedule_push(b, devices, 1, 1);
    w->seen = (uint8_t *)gspi_schedule_push(b, d->actions != NULL ? pairs : 0u, 1, 1);
    w->n_waiting = 0;
    w->n_stages = (uint32_t)stages;
    gspi_schedule_find_rounds(w);
}

size_t gsp_schedule_bound(const gsp_schedule_desc *desc)
{
    gspi_schedule w;
    gspi_schedule_bump b = {NULL, 2u * GSP_BOUND_SLACK};
    gspi_schedule_resolve(&w.d, desc);
    if (w.d.actions != NULL && w.d.action_begin == NULL) {
        return SIZE_MAX;
    }
    (void)gspi_schedule_push(&b, 1, sizeof w, 1);
    gspi_schedule_layout(&b, &w);
    return b.used < SIZE_MAX ? (size_t)b.used : SIZE_MAX;
}

/* ---- Costs of stages ---- */

/* UINT64_MAX on overflow; the factor is not 0. */
static uint64_t gspi_schedule_times_ticks(uint64_t a, uint64_t factor)
{
    return a > UINT64_MAX / factor ? UINT64_MAX : a * factor;
}

/* ---- Orders ---- */

/* The n-th forward or backward task of a device. */
static void gspi_schedule_find_nth(const gspi_schedule *w, uint32_t n, gsp_task *t)
{
    const gsp_schedule_desc *d = &w->d;
    uint64_t const head = (uint64_t)w->longer * (w->round + 1u); /* microbatches per larger round */
    /* microbatches of the rounds before, or in this round */
    uint64_t const at = d->n_chunks > 1u ? n / d->n_chunks : n;
    uint32_t const size = at < head ? w->round + 1u : w->round;
    uint64_t const first = at < head ? at - at % size : head + (at - head) - (at - head) % size;
    uint32_t const inside = (uint32_t)(n - first * d->n_chunks);
    uint32_t const chunk = inside / size;
    t->microbatch = (uint32_t)first + inside % size;
    t->stage = t->device + d->n_devices * (t->backward ? d->n_chunks - 1u - chunk : chunk);
}

void gsp_schedule_nth(const gsp_schedule_desc *desc, uint32_t n, gsp_task *task)
{
    gspi_schedule w;
    gspi_schedule_resolve(&w.d, desc);
    gspi_schedule_find_rounds(&w);
    gspi_schedule_find_nth(&w, n, task);
}

/* Forward tasks before the first backward one. */
static uint32_t gspi_schedule_forward_ahead(const gspi_schedule *w, uint32_t device)
{
    const gsp_schedule_desc *d = &w->d;
    uint64_t const all = (uint64_t)d->n_chunks * d->n_microbatches;
    uint64_t const behind = d->n_devices - 1u - device;
    uint64_t ahead = behind;
    if (d->inference || d->kind == GSP_SCHEDULE_GPIPE) {
        return (uint32_t)all;
    }
    if (d->n_chunks > 1u) {
        ahead = 2u * behind + (d->n_chunks - 1u) * ((uint64_t)w->round + (w->longer ? 1u : 0u));
    }
    return ahead < all ? (uint32_t)ahead : (uint32_t)all;
}

uint32_t gsp_schedule_ahead(const gsp_schedule_desc *desc, uint32_t device)
{
    gspi_schedule w;
    gspi_schedule_resolve(&w.d, desc);
    gspi_schedule_find_rounds(&w);
    return gspi_schedule_forward_ahead(&w, device);
}

const char *gsp_action_word(uint32_t kind)
{
    const char *word =
        "F\0B\0I\0W\0SEND_F\0SEND_B\0RECV_F\0RECV_B\0UNSHARD\0RESHARD\0REDUCE_GRAD\0";
    uint32_t const skipped = kind < (uint32_t)GSP_ACTION_COUNT ? kind : (uint32_t)GSP_ACTION_COUNT;
    for (uint32_t i = 0; i < skipped; i++) {
        while (*word != '\0') {
            word++;
        }
        word++;
    }
    return word;
}

int gsp_task_frees(const gsp_schedule_desc *desc, const gsp_task *t)
{
    return desc->inference || t->backward == (uint32_t)GSP_ACTION_BACKWARD ||
           t->backward == (uint32_t)GSP_ACTION_BACKWARD_WEIGHT;
}

uint32_t gsp_schedule_device(const gsp_schedule_desc *desc, uint32_t stage)
{
    return desc->actions != NULL ? desc->device_of[stage] : stage % desc->n_devices;
}

/* Task i of a device: first forward tasks, then forward and backward alternate, then backward
 * tasks. */
static gsp_task gspi_schedule_nth_task(const gspi_schedule *w, uint32_t device, uint32_t i)
{
    gsp_task t = {0, 0, 0, 0, 0, 0};
    uint32_t const all = w->d.n_chunks * w->d.n_microbatches;
    uint32_t const ahead = gspi_schedule_forward_ahead(w, device);
    uint32_t const pairs = all - ahead;
    uint32_t n = i;
    t.device = device;
    if (i >= ahead && i < ahead + 2u * pairs) {
        t.backward = (i - ahead) % 2u;
        n = t.backward ? (i - ahead) / 2u : ahead + (i - ahead) / 2u;
    } else if (i >= ahead) {
        t.backward = 1u;
        n = i - all;
    }
    gspi_schedule_find_nth(w, n, &t);
    return t;
}

/* Action i of a device as a task; a send keeps its kind. */
static gsp_task gspi_schedule_task_of(const gspi_schedule *w, uint32_t device, uint32_t i)
{
    gsp_task t = {0, 0, 0, 0, 0, 0};
    const gsp_action *a;
    if (w->d.actions == NULL) {
        return gspi_schedule_nth_task(w, device, i);
    }
    a = &w->d.actions[w->d.action_begin[device] + i];
    t.stage = a->stage;
    t.microbatch = a->microbatch;
    t.backward = a->kind;
    t.device = device;
    return t;
}

static uint32_t gspi_schedule_count_actions(const gspi_schedule *w, uint32_t device)
{
    const gsp_schedule_desc *d = &w->d;
    return d->actions != NULL ? d->action_begin[device + 1u] - d->action_begin[device]
                              : w->task_begin[device + 1u] - w->task_begin[device];
}

/* ---- Times ---- */

static uint64_t gspi_schedule_cost(const uint64_t *costs, uint32_t stage)
{
    return costs == NULL ? 0u : costs[stage];
}

uint64_t gsp_schedule_ticks(const gsp_schedule_desc *d, const gsp_task *t)
{
    uint64_t const forward = d->forward == NULL ? 1u : d->forward[t->stage];
    uint64_t const backward = d->backward == NULL ? 2u * forward : d->backward[t->stage];
    uint64_t const weight = d->weight == NULL ? backward / 2u : d->weight[t->stage];
    switch (t->backward) {
    case GSP_ACTION_FORWARD:
        return forward;
    case GSP_ACTION_BACKWARD_INPUT:
        return backward - weight;
    case GSP_ACTION_BACKWARD_WEIGHT:
        return weight;
    default:
        return backward;
    }
}

/* When the input of a task is there; UINT64_MAX if not yet known. */
static uint64_t gspi_schedule_ready_at(const gspi_schedule *w, const gsp_task *t)
{
    const gsp_schedule_desc *d = &w->d;
    size_t const at = (size_t)t->microbatch * w->n_stages + t->stage;
    int const alone = t->backward ? t->stage + 1u == w->n_stages : t->stage == 0u;
    uint32_t const s = t->backward ? t->stage : t->stage - 1u; /* the end of the pipeline */
    uint64_t other;
    if (alone || t->backward == (uint32_t)GSP_ACTION_BACKWARD_WEIGHT) {
        return 0u;
    }
    other = t->backward ? w->end[1][at + 1u] : w->end[0][at - 1u];
    return other == UINT64_MAX ? other : other + gspi_schedule_cost(d->move, s);
}

static void gspi_schedule_wake(gspi_schedule *w, uint32_t device)
{
    if (!w->is_waiting[device]) {
        w->is_waiting[device] = 1u;
        w->waiting[w->n_waiting++] = device;
    }
}

/* A stage sends its result to the next one, or its gradient to the previous one. */
static void gspi_schedule_hand_over(gspi_schedule *w, const gsp_task *t, uint64_t now)
{
    const gsp_schedule_desc *d = &w->d;
    uint32_t const back = t->backward != (uint32_t)GSP_ACTION_FORWARD &&
                          t->backward != (uint32_t)GSP_ACTION_SEND_FORWARD;
    uint32_t const to = back ? t->stage - 1u : t->stage + 1u;
    if (t->backward == (uint32_t)GSP_ACTION_BACKWARD_WEIGHT || to >= w->n_stages) {
        return;
    }
    if (d->sends && t->backward < (uint32_t)GSP_ACTION_SEND_FORWARD &&
        d->device_of[to] != t->device) {
        return; /* the send will */
    }
    w->end[back][(size_t)t->microbatch * w->n_stages + t->stage] = now;
    gspi_schedule_wake(w, gsp_schedule_device(d, to));
}

/* The first blocked action from i on among joined ones, or GSP_NONE. */
static uint32_t gspi_schedule_find_blocked(const gspi_schedule *w, uint32_t device, uint32_t i)
{
    const gsp_schedule_desc *d = &w->d;
    int joined = 1;
    for (; joined; i++) {
        gsp_task const t = gspi_schedule_task_of(w, device, i);
        if (t.backward < (uint32_t)GSP_ACTION_SEND_FORWARD &&
            gspi_schedule_ready_at(w, &t) == UINT64_MAX) {
            return i;
        }
        joined = d->actions != NULL && d->actions[d->action_begin[device] + i].joined;
    }
    return GSP_NONE;
}

/* Runs the actions of a device until one is blocked. */
static void gspi_schedule_run_device(gspi_schedule *w, uint32_t device)
{
    uint32_t const last = gspi_schedule_count_actions(w, device);
    gsp_task *next = &w->tasks[w->task_begin[device] + w->ended[device]];
    uint64_t now = w->ended[device] == 0u ? 0u : next[-1].end;
    uint32_t i = w->done[device];
    for (; i < last && gspi_schedule_find_blocked(w, device, i) == GSP_NONE; i++) {
        gsp_task t = gspi_schedule_task_of(w, device, i);
        if (t.backward < (uint32_t)GSP_ACTION_SEND_FORWARD) {
            t.begin = gspi_schedule_ready_at(w, &t);
            t.begin = now > t.begin ? now : t.begin;
            t.end = t.begin + gsp_schedule_ticks(&w->d, &t);
            now = t.end;
            w->busy[device] += t.end - t.begin;
            *next++ = t;
        }
        if (t.backward != (uint32_t)GSP_ACTION_WAIT) {
            gspi_schedule_hand_over(w, &t, now);
        }
    }
    w->done[device] = i;
    w->ended[device] = (uint32_t)(next - &w->tasks[w->task_begin[device]]);
}

static void gspi_schedule_count_tasks(gspi_schedule *w)
{
    const gsp_schedule_desc *d = &w->d;
    uint32_t const each = d->n_chunks * d->n_microbatches * (d->inference ? 1u : 2u);
    w->task_begin[0] = 0;
    for (uint32_t k = 0; k < d->n_devices; k++) {
        uint32_t n = d->actions == NULL ? each : 0u;
        for (uint32_t i = 0; d->actions != NULL && i < gspi_schedule_count_actions(w, k); i++) {
            n += gspi_schedule_is_task(&d->actions[d->action_begin[k] + i]) ? 1u : 0u;
        }
        w->task_begin[k + 1u] = w->task_begin[k] + n;
    }
}

static void gspi_schedule_find_times(gspi_schedule *w)
{
    const gsp_schedule_desc *d = &w->d;
    size_t const pairs = (size_t)w->n_stages * d->n_microbatches;
    for (size_t i = 0; i < pairs; i++) {
        w->end[0][i] = UINT64_MAX;
        w->end[d->inference ? 0 : 1][i] = UINT64_MAX;
    }
    for (uint32_t k = 0; k < d->n_devices; k++) {
        w->busy[k] = 0;
        w->done[k] = w->ended[k] = 0;
        w->is_waiting[k] = 0;
    }
    gspi_schedule_count_tasks(w);
    for (uint32_t k = d->n_devices; k > 0; k--) {
        gspi_schedule_wake(w, k - 1u);
    }
    while (w->n_waiting > 0) {
        uint32_t const device = w->waiting[--w->n_waiting];
        w->is_waiting[device] = 0;
        gspi_schedule_run_device(w, device);
    }
}

/* ---- Checks ---- */

#define GSPI_SCHEDULE_SEEN_FORWARD       1u
#define GSPI_SCHEDULE_SEEN_INPUT         2u
#define GSPI_SCHEDULE_SEEN_WEIGHT        4u
#define GSPI_SCHEDULE_SEEN_SEND_FORWARD  8u
#define GSPI_SCHEDULE_SEEN_SEND_BACKWARD 16u

/* Rows of devices, and devices of stages. */
static gsp_status gspi_schedule_check_rows(const gsp_schedule_desc *d, gsp_error *err)
{
    uint32_t at = d->action_begin[0];
    int ascends = at == 0;
    for (uint32_t k = 1; k <= d->n_devices; k++) {
        ascends = d->action_begin[k] < at ? 0 : ascends;
        at = d->action_begin[k];
    }
    if (!ascends) {
        return gspi_schedule_fail(err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_NONE, GSP_NONE,
            GSPI_SCHEDULE_FIELD("action_begin"));
    }
    for (uint32_t s = 0; s < d->n_stages; s++) {
        if (d->device_of[s] >= d->n_devices) {
            return gspi_schedule_fail(err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_NONE, s,
                GSPI_SCHEDULE_FIELD("device_of"));
        }
    }
    return GSP_OK;
}

/* 1 if the kind may be there, and the next action may overlap with it if it says so. */
static int gspi_schedule_is_kind(const gsp_schedule_desc *d, const gsp_action *a, int is_last)
{
    uint32_t const most = d->sends ? GSP_ACTION_SEND_BACKWARD : GSP_ACTION_BACKWARD_WEIGHT;
    int const forward =
        a->kind == (uint32_t)GSP_ACTION_FORWARD || a->kind == (uint32_t)GSP_ACTION_SEND_FORWARD;
    if (a->joined != 0u && (is_last || !gspi_schedule_is_task(a))) {
        return 0;
    }
    return a->kind <= most && (forward || !d->inference);
}

/* An action of a device; in the order of the row, since a stage is in one row. */
static gsp_status gspi_schedule_check_action(
    const gspi_schedule *w, uint32_t i, uint32_t device, gsp_error *err)
{
    /* What an action of these first kinds adds, and what it needs before it. */
    static const uint8_t all_add[] = {GSPI_SCHEDULE_SEEN_FORWARD,
        GSPI_SCHEDULE_SEEN_INPUT | GSPI_SCHEDULE_SEEN_WEIGHT, GSPI_SCHEDULE_SEEN_INPUT,
        GSPI_SCHEDULE_SEEN_WEIGHT, GSPI_SCHEDULE_SEEN_SEND_FORWARD,
        GSPI_SCHEDULE_SEEN_SEND_BACKWARD};
    static const uint8_t all_need[] = {0, GSPI_SCHEDULE_SEEN_FORWARD, GSPI_SCHEDULE_SEEN_FORWARD,
        GSPI_SCHEDULE_SEEN_INPUT, GSPI_SCHEDULE_SEEN_FORWARD, GSPI_SCHEDULE_SEEN_INPUT};
    const gsp_schedule_desc *d = &w->d;
    const gsp_action *a = &d->actions[i];
    int const is_last = i + 1u == d->action_begin[device + 1u];
    if (a->kind == GSP_ACTION_WAIT && a->joined == 0u) {
        return GSP_OK;
    }
    if (!gspi_schedule_is_kind(d, a, is_last)) {
        return gspi_schedule_fail(err, GSP_STATUS_ARG, GSP_DETAIL_KIND, i, GSP_NONE, "");
    }
    if (a->stage >= d->n_stages || a->microbatch >= d->n_microbatches) {
        return gspi_schedule_fail(
            err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, i, GSP_NONE, GSPI_SCHEDULE_FIELD("actions"));
    }
    uint8_t *seen = &w->seen[(size_t)a->microbatch * d->n_stages + a->stage];
    uint32_t const adds = all_add[a->kind];
    uint32_t const needs = all_need[a->kind];
    if (d->device_of[a->stage] != device || (*seen & adds) != 0u || (*seen & needs) != needs) {
        return gspi_schedule_fail(err, GSP_STATUS_ARG, GSP_DETAIL_ORDER, i, GSP_NONE, "");
    }
    *seen = (uint8_t)(*seen | adds);
    return GSP_OK;
}

/* What all microbatches of a stage have in the end. */
static uint32_t gspi_schedule_wanted(const gsp_schedule_desc *d, uint32_t s)
{
    uint32_t const device = d->device_of[s];
    uint32_t const after = s + 1u < d->n_stages ? d->device_of[s + 1u] : device;
    uint32_t const before = s > 0u ? d->device_of[s - 1u] : device;
    uint32_t const there = d->sends && after != device ? GSPI_SCHEDULE_SEEN_SEND_FORWARD : 0u;
    uint32_t const back = d->sends && before != device ? GSPI_SCHEDULE_SEEN_SEND_BACKWARD : 0u;
    uint32_t const both = GSPI_SCHEDULE_SEEN_INPUT | GSPI_SCHEDULE_SEEN_WEIGHT;
    return GSPI_SCHEDULE_SEEN_FORWARD | there | (d->inference ? 0u : both | back);
}

/* The order of the caller. */
static gsp_status gspi_schedule_check(const gspi_schedule *w, gsp_error *err)
{
    const gsp_schedule_desc *d = &w->d;
    gsp_status status = gspi_schedule_check_rows(d, err);
    for (size_t i = 0; i < (size_t)d->n_stages * d->n_microbatches; i++) {
        w->seen[i] = 0;
    }
    for (uint32_t k = 0; status == GSP_OK && k < d->n_devices; k++) {
        for (uint32_t i = d->action_begin[k]; i < d->action_begin[k + 1u]; i++) {
            status = gspi_schedule_check_action(w, i, k, err);
            if (status != GSP_OK) {
                return status;
            }
        }
    }
    for (uint32_t s = 0; status == GSP_OK && s < d->n_stages; s++) {
        uint32_t const wanted = gspi_schedule_wanted(d, s);
        for (uint32_t m = 0; m < d->n_microbatches; m++) {
            if ((w->seen[(size_t)m * d->n_stages + s] & wanted) != wanted) {
                return gspi_schedule_fail(err, GSP_STATUS_ARG, GSP_DETAIL_ORDER, GSP_NONE, s, "");
            }
        }
    }
    return status;
}

/* ---- Deadlocks ---- */

/* The blocked task of a device. */
static gsp_task gspi_schedule_blocked_task(const gspi_schedule *w, uint32_t device)
{
    return gspi_schedule_task_of(w, device, gspi_schedule_find_blocked(w, device, w->done[device]));
}

/* The device with the task that it needs. */
static uint32_t gspi_schedule_waits_for(const gspi_schedule *w, uint32_t device)
{
    gsp_task const t = gspi_schedule_blocked_task(w, device);
    return gsp_schedule_device(&w->d, t.backward ? t.stage + 1u : t.stage - 1u);
}

/* The other device needs this task itself, not a later one. */
static int gspi_schedule_is_awaited(const gspi_schedule *w, uint32_t device, uint32_t by)
{
    gsp_task const t = gspi_schedule_blocked_task(w, by);
    gsp_task const o = gspi_schedule_blocked_task(w, device);
    return o.stage == (t.backward ? t.stage + 1u : t.stage - 1u) && o.microbatch == t.microbatch &&
           !o.backward == !t.backward;
}

/* After as many steps as there are devices, a blocked device is on a cycle. Some device of it needs
 * a later task of a row. */
static gsp_status gspi_schedule_find_circle(const gspi_schedule *w, gsp_error *err)
{
    uint32_t at = 0;
    uint32_t other;
    while (at < w->d.n_devices && w->done[at] == gspi_schedule_count_actions(w, at)) {
        at++;
    }
    if (at == w->d.n_devices) {
        return GSP_OK;
    }
    for (uint32_t i = 0; i < w->d.n_devices; i++) {
        at = gspi_schedule_waits_for(w, at);
    }
    other = gspi_schedule_waits_for(w, at);
    while (gspi_schedule_is_awaited(w, other, at)) {
        at = other;
        other = gspi_schedule_waits_for(w, at);
    }
    return gspi_schedule_fail(err, GSP_STATUS_CYCLE, GSP_DETAIL_NONE,
        w->d.action_begin[at] + gspi_schedule_find_blocked(w, at, w->done[at]),
        w->d.action_begin[other] + gspi_schedule_find_blocked(w, other, w->done[other]), "");
}

/* ---- Results ---- */

static void gspi_schedule_find_resident(gspi_schedule *w)
{
    for (uint32_t k = 0; k < w->d.n_devices; k++) {
        w->peak[k] = 0;
    }
    for (uint32_t s = 0; s < w->n_stages; s++) {
        w->held[s] = w->kept[s] = 0;
        w->peak[gsp_schedule_device(&w->d, s)] += gspi_schedule_cost(w->d.resident, s);
    }
}

/* Bytes over time. A stage keeps a microbatch from the start of its forward task to the end of its
 * last backward task; in inference, during the one task. */
static void gspi_schedule_find_peak(gspi_schedule *w, uint32_t device)
{
    const gsp_schedule_desc *d = &w->d;
    uint64_t bytes = w->peak[device]; /* those that are always allocated */
    uint32_t kept = 0;
    w->in_flight[device] = 0;
    for (uint32_t i = w->task_begin[device]; i < w->task_begin[device + 1u]; i++) {
        uint32_t const s = w->tasks[i].stage;
        if (!w->tasks[i].backward) {
            bytes += gspi_schedule_cost(d->stash, s);
            w->kept[s]++;
            w->held[s] = w->kept[s] > w->held[s] ? w->kept[s] : w->held[s];
            kept++;
            w->in_flight[device] = kept > w->in_flight[device] ? kept : w->in_flight[device];
            w->peak[device] = bytes > w->peak[device] ? bytes : w->peak[device];
        }
        if (gsp_task_frees(d, &w->tasks[i])) {
            bytes -= gspi_schedule_cost(d->stash, s);
            w->kept[s]--;
            kept--;
        }
    }
}

/* part / whole in millionths, rounded half up, by long division. */
static uint32_t gspi_schedule_share(uint64_t part, uint64_t whole)
{
    uint32_t found = 0;
    if (part >= whole) {
        return whole == 0 ? 0u : 1000000u;
    }
    for (uint32_t i = 0; i < 6u; i++) {
        uint32_t digit = 0;
        uint64_t const rest = part;
        part = 0; /* ten times the remainder, minus the part of the digit */
        for (uint32_t k = 0; k < 10u; k++) {
            digit += part >= whole - rest ? 1u : 0u;
            part = part >= whole - rest ? part - (whole - rest) : part + rest;
        }
        found = 10u * found + digit;
    }
    return found + (part >= whole - part ? 1u : 0u);
}

static void gspi_schedule_fill_result(gspi_schedule *w, gsp_schedule_result *r)
{
    uint32_t const devices = w->d.n_devices;
    uint64_t span = 0;
    uint64_t idle = 0;
    uint64_t gaps = 0;
    uint64_t windows = 0; /* of all devices, from the first task to the last */
    gspi_schedule_find_resident(w);
    for (uint32_t k = 0; k < devices; k++) {
        uint64_t const end = w->task_begin[k + 1u] == w->task_begin[k]
                                 ? 0u
                                 : w->tasks[w->task_begin[k + 1u] - 1u].end;
        span = end > span ? end : span;
        gspi_schedule_find_peak(w, k);
    }
    for (uint32_t k = 0; k < devices; k++) {
        idle += span - w->busy[k];
        if (w->task_begin[k] != w->task_begin[k + 1u]) {
            uint64_t const window =
                w->tasks[w->task_begin[k + 1u] - 1u].end - w->tasks[w->task_begin[k]].begin;
            windows += window;
            gaps += window - w->busy[k];
        }
    }
    r->n_devices = devices;
    r->n_stages = w->n_stages;
    r->n_tasks = w->task_begin[devices];
    r->bubble = gspi_schedule_share(idle, span * devices);
    r->gaps = gspi_schedule_share(gaps, windows);
    r->span = span;
    r->task_begin = w->task_begin;
    r->tasks = w->tasks;
    r->busy = w->busy;
    r->peak = w->peak;
    r->held = w->held;
    r->in_flight = w->in_flight;
}

static void gspi_schedule_add(uint64_t *sum, uint64_t a, uint64_t factor)
{
    *sum = gspi_schedule_sum(*sum, gspi_schedule_times_ticks(a, factor));
}

/* The sum of all ticks of all devices fits into 63 bits, and so does the sum of all bytes. */
static int gspi_schedule_sizes_fit(const gsp_schedule_desc *d)
{
    uint32_t const stages = (uint32_t)gspi_schedule_stages(d);
    uint64_t ticks = 0;
    uint64_t all = 0;
    uint64_t bytes = 0;
    for (uint32_t s = 0; s < stages; s++) {
        uint64_t const forward = d->forward == NULL ? 1u : d->forward[s];
        gspi_schedule_add(&ticks, forward, d->backward == NULL ? 3u : 1u);
        gspi_schedule_add(&ticks, gspi_schedule_cost(d->backward, s), 1u);
        gspi_schedule_add(&ticks, gspi_schedule_cost(d->move, s), 2u);
        gspi_schedule_add(&bytes, gspi_schedule_cost(d->stash, s), d->n_microbatches);
        gspi_schedule_add(&bytes, gspi_schedule_cost(d->resident, s), 1u);
    }
    gspi_schedule_add(&all, ticks, (uint64_t)d->n_microbatches * d->n_devices);
    return all <= UINT64_MAX / 2u && bytes <= UINT64_MAX / 2u;
}

/* ---- The pass ---- */

/* Whether the kind has a formula for so many chunks; the order of the caller needs none. */
static int gspi_schedule_has_formula(const gsp_schedule_desc *d)
{
    uint32_t const most = d->kind == (uint32_t)GSP_SCHEDULE_INTERLEAVED ? d->n_chunks : 1u;
    return d->kind <= (uint32_t)GSP_SCHEDULE_INTERLEAVED && d->n_chunks <= most;
}

/* What any desc is checked for. */
static gsp_status gspi_schedule_check_desc(const gsp_schedule_desc *d, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_schedule_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE, GSP_NONE, "");
    }
    if (d->actions == NULL) {
        return gspi_schedule_has_formula(d)
                   ? GSP_OK
                   : gspi_schedule_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CHOICE, GSP_NONE, GSP_NONE,
                         GSPI_SCHEDULE_FIELD("kind"));
    }
    if (d->action_begin == NULL) {
        return gspi_schedule_missing(err, GSPI_SCHEDULE_FIELD("action_begin"));
    }
    return d->device_of != NULL ? GSP_OK
                                : gspi_schedule_missing(err, GSPI_SCHEDULE_FIELD("device_of"));
}

/* Room for a run, in an arena with as many bytes as the bound. */
static gspi_schedule *gspi_schedule_open(gsp_arena *arena, const gsp_schedule_desc *d)
{
    gspi_schedule_bump b = {arena, 0};
    gspi_schedule *w = (gspi_schedule *)gspi_schedule_push(&b, 1, sizeof(gspi_schedule), 1);
    if (GSPI_SCHEDULE_NEVER(w == NULL)) { /* analysers see no room */
        return NULL;
    }
    gspi_schedule_resolve(&w->d, d);
    gspi_schedule_layout(&b, w);
    return w;
}

static gsp_status gspi_schedule_solve(gspi_schedule *w, gsp_schedule_result *result, gsp_error *err)
{
    gsp_status status = GSP_OK;
    if (w->d.actions != NULL && !w->d.trusted) {
        status = gspi_schedule_check(w, err);
    }
    if (status == GSP_OK && !gspi_schedule_sizes_fit(&w->d)) {
        return gspi_schedule_fail(
            err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, GSP_NONE, GSP_NONE, "");
    }
    if (status == GSP_OK) {
        gspi_schedule_find_times(w);
        status = gspi_schedule_find_circle(w, err);
    }
    if (status == GSP_OK) {
        gspi_schedule_fill_result(w, result);
    }
    return status;
}

/* The checks of a desc with its defaults, and room for it. */
GSPI_SCHEDULE_OWN_FRAME gsp_status gspi_schedule_enter(
    const gsp_arena *arena, const gsp_schedule_desc *desc, gsp_error *err)
{
    gsp_schedule_desc d;
    gspi_schedule_resolve(&d, desc);
    gsp_status const status = gspi_schedule_check_desc(&d, err);
    return status != GSP_OK ? status : gspi_schedule_room(arena, gsp_schedule_bound(desc), err);
}

gsp_status gsp_schedule_run(
    gsp_arena *arena, const gsp_schedule_desc *desc, gsp_schedule_result *result, gsp_error *err)
{
    if (arena == NULL || result == NULL) {
        const char *field = GSPI_SCHEDULE_FIELD("result");
        return gspi_schedule_missing(err, arena == NULL ? GSPI_SCHEDULE_FIELD("arena") : field);
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_status status = gspi_schedule_enter(arena, desc, err);
    if (status != GSP_OK) {
        return status;
    }
    gspi_schedule *w = gspi_schedule_open(arena, desc);
    if (GSPI_SCHEDULE_NEVER(w == NULL)) {
        return gspi_schedule_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, GSP_NONE, "");
    }
    status = gspi_schedule_solve(w, result, err);
    if (status == GSP_OK) {
        mark.low = gsp_arena_mark(arena).low; /* the results stay */
    }
    gsp_arena_rewind(arena, mark);
    return status;
}

#ifdef __cplusplus
}
#endif

GSPI_SCHEDULE_END

#endif /* GRAPHSPLIT_SCHEDULE_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_SCHEDULE_IMPLEMENTATION */
