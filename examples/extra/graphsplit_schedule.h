/* graphsplit_schedule.h - an add-on of graphsplit.h: schedules of a pipeline, simulated
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * When each device runs which stage on which microbatch, by GPipe, 1F1B, interleaved 1F1B, or the
 * order of the caller, which is checked; and the orders of eight other kinds. Needs graphsplit.h
 * and nothing else.
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
 *     >>actions            The order of a kind, as actions
 *     >>impl               Implementation guard
 *
 *     gsp_schedule_run     O(tasks + stages + devices)     80 per stage and microbatch, 53 per
 *                                                          device, 8 per stage
 *     gsp_actions_run      desc.max_work                   133 per stage and microbatch, 172 per
 *                                                          device, 4 per stage
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

/* The first three have a formula. gsp_schedule_run() takes the actions of the others, which
 * gsp_actions_run() makes. */
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
    uint32_t sends;    /* 1 if other devices have a result when it is sent to them, not before */
    uint32_t trusted;  /* 1 if the order of the caller is valid; it is not checked */
    uint64_t max_work; /* gsp_actions_run(): tasks of the orders that it tries; 0 means 2^23 */
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
 *          OVERFLOW (SIZE: ticks or bytes exceed 63 bits; TOO_MANY), ARG (RANGE: weight of stage
 *          other exceeds backward), CYCLE (node: the number of an action that waits for itself
 *          through action other). Of an order of the caller: ARG (RANGE: a stage, microbatch,
 *          device or begin, KIND: no such action or join, with the number of the action as node;
 *          ORDER: action node is given twice, or before a task of its stage that it needs, or on
 *          another device than that of its stage; without node, stage other lacks an action of a
 *          microbatch)
 * Time:    O(tasks + stages + devices); integers only
 * Memory:  the bound
 * Example: examples/schedule.c
 * See:     Huang et al. 2019 (GPipe); Narayanan et al. 2021 (interleaved 1F1B)
 */
GSP_API gsp_status gsp_schedule_run(
    gsp_arena *arena, const gsp_schedule_desc *desc, gsp_schedule_result *result, gsp_error *err);

/* ----
 * >>actions   The order of a kind, as actions (API)
 * ---- */

/* gsp_actions_least: the least number of microbatches: twice the devices with DUALPIPEV, else 1.
 * Time: O(1). */
GSP_API uint64_t gsp_actions_least(const gsp_schedule_desc *desc);

/* gsp_actions_bound: bytes for the run. Per stage and microbatch 133 with a pattern, 196 for
 * INTERLEAVED_ZB, else 96; per device 172, 44 or 20; per stage 4, per microbatch 2. SIZE_MAX if too
 * many. Time: O(log(devices)). */
GSP_API size_t gsp_actions_bound(const gsp_schedule_desc *desc);

/* gsp_actions_run: the order of a kind as gsp_schedule_run() takes it.
 *
 * What:    The order is the desc with its defaults, and with the actions of the kind instead of
 *          those of the caller; both may be one object. GPIPE, 1F1B and INTERLEAVED have their
 *          formula. LOOPED_BFS, INTERLEAVED_ZB, ZBV and DUALPIPEV have the rows of PyTorch 2.13
 *          with its waits. With ZB_H1, ZB_H2, V_HALF and V_MIN a device runs the tasks of a pattern
 *          in their order. While a task has to wait, the device runs the first one behind it that
 *          can begin and for which there is memory. Of schedules of at most 2^14 tasks several
 *          orders are tried; the best one of at most 2^9 tasks is improved. Of p devices, each
 *          keeps at most so many microbatches of a stage: ZB_H1 p, ZB_H2 2 p - 1, V_HALF p + 2 (p +
 *          1 if p is odd), V_MIN 2 floor((p + 1) / 3) + 2. The order has no sends.
 * Errors:  ARG (NULL_ARGUMENT), DESC (CANARY; CHOICE: no such kind, another number of chunks, or
 *          fewer microbatches than gsp_actions_least()), NOMEM, OVERFLOW (TOO_MANY: 2^29 or more
 *          microbatches of all stages; SIZE: ticks or bytes exceed 63 bits), ARG (RANGE: weight of
 *          stage other exceeds backward)
 * Time:    O(tasks log(devices)), O(devices) per task at both ends, and max_work
 * Memory:  the bound
 * Example: examples/schedule.c
 * See:     Lamy-Poirier 2022 (LOOPED_BFS); Qi et al. 2024 (ZB, ZBV, V_HALF, V_MIN); DeepSeek-AI
 *          2024 (DUALPIPEV)
 */
GSP_API gsp_status gsp_actions_run(
    gsp_arena *arena, const gsp_schedule_desc *desc, gsp_schedule_desc *order, gsp_error *err);

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

/* INTERLEAVED: rounds of microbatches. */
typedef struct gspi_schedule_rounds {
    uint32_t size;   /* microbatches per round, */
    uint32_t longer; /* rounds that have one more */
} gspi_schedule_rounds;

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
    gspi_schedule_rounds rounds;
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
        NULL, NULL, NULL, 0u, 0u, 0u, 0u, 0u};
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

static gspi_schedule_rounds gspi_schedule_find_rounds(const gsp_schedule_desc *d)
{
    uint32_t const n = d->n_microbatches;
    uint32_t const rounds = n > d->n_devices ? n / d->n_devices : 1u;
    gspi_schedule_rounds const r = {n / rounds, n % rounds};
    return r;
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
    w->rounds = gspi_schedule_find_rounds(d);
}

static size_t gspi_schedule_measured(const gspi_schedule_bump *b)
{
    return b->used < SIZE_MAX ? (size_t)b->used : SIZE_MAX;
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
    return gspi_schedule_measured(&b);
}

/* ---- Costs of stages ---- */

/* UINT64_MAX on overflow; the factor is not 0. */
static uint64_t gspi_schedule_times_ticks(uint64_t a, uint64_t factor)
{
    return a > UINT64_MAX / factor ? UINT64_MAX : a * factor;
}

/* ---- Orders ---- */

/* The n-th forward or backward task of a device. */
static void gspi_schedule_find_nth(
    const gsp_schedule_desc *d, gspi_schedule_rounds r, uint32_t n, gsp_task *t)
{
    uint64_t const head = (uint64_t)r.longer * (r.size + 1u); /* microbatches per larger round */
    /* microbatches of the rounds before, or in this round */
    uint64_t const at = d->n_chunks > 1u ? n / d->n_chunks : n;
    uint32_t const size = at < head ? r.size + 1u : r.size;
    uint64_t const first = at < head ? at - at % size : head + (at - head) - (at - head) % size;
    uint32_t const inside = (uint32_t)(n - first * d->n_chunks);
    uint32_t const chunk = inside / size;
    t->microbatch = (uint32_t)first + inside % size;
    t->stage = t->device + d->n_devices * (t->backward ? d->n_chunks - 1u - chunk : chunk);
}

/* Forward tasks before the first backward one. */
static uint32_t gspi_schedule_forward_ahead(
    const gsp_schedule_desc *d, gspi_schedule_rounds r, uint32_t device)
{
    uint64_t const all = (uint64_t)d->n_chunks * d->n_microbatches;
    uint64_t const behind = d->n_devices - 1u - device;
    uint64_t ahead = behind;
    if (d->inference || d->kind == GSP_SCHEDULE_GPIPE) {
        return (uint32_t)all;
    }
    if (d->n_chunks > 1u) {
        ahead = 2u * behind + (d->n_chunks - 1u) * ((uint64_t)r.size + (r.longer ? 1u : 0u));
    }
    return ahead < all ? (uint32_t)ahead : (uint32_t)all;
}

uint32_t gsp_schedule_ahead(const gsp_schedule_desc *desc, uint32_t device)
{
    gsp_schedule_desc d;
    gspi_schedule_resolve(&d, desc);
    return gspi_schedule_forward_ahead(&d, gspi_schedule_find_rounds(&d), device);
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
    if (desc->actions != NULL) {
        return desc->device_of[stage];
    }
    return gsp_schedule_is_v(desc->kind) && stage >= desc->n_devices
               ? 2u * desc->n_devices - 1u - stage
               : stage % desc->n_devices;
}

/* Task i of a device: first forward tasks, then forward and backward alternate, then backward
 * tasks. */
static gsp_task gspi_schedule_nth_task(
    const gsp_schedule_desc *d, gspi_schedule_rounds r, uint32_t device, uint32_t i)
{
    gsp_task t = {0, 0, 0, 0, 0, 0};
    uint32_t const all = d->n_chunks * d->n_microbatches;
    uint32_t const ahead = gspi_schedule_forward_ahead(d, r, device);
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
    gspi_schedule_find_nth(d, r, n, &t);
    return t;
}

/* Action i of a device as a task; a send keeps its kind. */
static gsp_task gspi_schedule_task_of(const gspi_schedule *w, uint32_t device, uint32_t i)
{
    gsp_task t = {0, 0, 0, 0, 0, 0};
    const gsp_action *a;
    if (w->d.actions == NULL) {
        return gspi_schedule_nth_task(&w->d, w->rounds, device, i);
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

/* Tasks of a device by a formula. */
static uint32_t gspi_schedule_each(const gsp_schedule_desc *d)
{
    return d->n_chunks * d->n_microbatches * (d->inference ? 1u : 2u);
}

static void gspi_schedule_count_tasks(gspi_schedule *w)
{
    const gsp_schedule_desc *d = &w->d;
    uint32_t const each = gspi_schedule_each(d);
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

/* No part of a task takes longer than the task. The sum of all ticks of all devices fits into 63
 * bits, and so does the sum of all bytes. */
static gsp_status gspi_schedule_check_costs(const gsp_schedule_desc *d, gsp_error *err)
{
    uint32_t const stages = (uint32_t)gspi_schedule_stages(d);
    uint64_t ticks = 0;
    uint64_t all = 0;
    uint64_t bytes = 0;
    for (uint32_t s = 0; s < stages; s++) {
        uint64_t const forward = d->forward == NULL ? 1u : d->forward[s];
        uint64_t const backward =
            d->backward == NULL ? gspi_schedule_times_ticks(forward, 2u) : d->backward[s];
        if (gspi_schedule_cost(d->weight, s) > backward) {
            return gspi_schedule_fail(
                err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_NONE, s, GSPI_SCHEDULE_FIELD("weight"));
        }
        gspi_schedule_add(&ticks, forward, 1u);
        gspi_schedule_add(&ticks, backward, 1u);
        gspi_schedule_add(&ticks, gspi_schedule_cost(d->move, s), 2u);
        gspi_schedule_add(&bytes, gspi_schedule_cost(d->stash, s), d->n_microbatches);
        gspi_schedule_add(&bytes, gspi_schedule_cost(d->resident, s), 1u);
    }
    gspi_schedule_add(&all, ticks, (uint64_t)d->n_microbatches * d->n_devices);
    if (all > UINT64_MAX / 2u || bytes > UINT64_MAX / 2u) {
        return gspi_schedule_fail(
            err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, GSP_NONE, GSP_NONE, "");
    }
    return GSP_OK;
}

/* ---- The pass ---- */

/* Whether the kind has a formula for so many chunks; the order of the caller needs none. */
static int gspi_schedule_has_formula(const gsp_schedule_desc *d)
{
    uint32_t const most = d->kind == (uint32_t)GSP_SCHEDULE_INTERLEAVED ? d->n_chunks : 1u;
    return d->kind <= (uint32_t)GSP_SCHEDULE_INTERLEAVED && d->n_chunks <= most;
}

static gsp_status gspi_schedule_refuse(gsp_error *err, gsp_detail detail, const char *field)
{
    return gspi_schedule_fail(err, GSP_STATUS_DESC, detail, GSP_NONE, GSP_NONE, field);
}

/* What any desc is checked for. */
static gsp_status gspi_schedule_check_desc(const gsp_schedule_desc *d, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_schedule_refuse(err, GSP_DETAIL_CANARY, "");
    }
    if (d->actions == NULL) {
        return gspi_schedule_has_formula(d)
                   ? GSP_OK
                   : gspi_schedule_refuse(err, GSP_DETAIL_CHOICE, GSPI_SCHEDULE_FIELD("kind"));
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
    if (status == GSP_OK) {
        status = gspi_schedule_check_costs(&w->d, err);
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

/* The results stay, on success. */
static gsp_status gspi_schedule_leave(gsp_arena *arena, gsp_mark mark, gsp_status status)
{
    if (status == GSP_OK) {
        mark.low = gsp_arena_mark(arena).low;
    }
    gsp_arena_rewind(arena, mark);
    return status;
}

gsp_status gsp_schedule_run(
    gsp_arena *arena, const gsp_schedule_desc *desc, gsp_schedule_result *result, gsp_error *err)
{
    if (arena == NULL || result == NULL) {
        const char *field = GSPI_SCHEDULE_FIELD("result");
        return gspi_schedule_missing(err, arena == NULL ? GSPI_SCHEDULE_FIELD("arena") : field);
    }
    gsp_mark const mark = gsp_arena_mark(arena);
    gsp_status const status = gspi_schedule_enter(arena, desc, err);
    if (status != GSP_OK) {
        return status;
    }
    gspi_schedule *w = gspi_schedule_open(arena, desc);
    if (GSPI_SCHEDULE_NEVER(w == NULL)) {
        return gspi_schedule_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, GSP_NONE, "");
    }
    return gspi_schedule_leave(arena, mark, gspi_schedule_solve(w, result, err));
}

/* ----
 * >>actions   The order of a kind, as actions (implementation)
 * ---- */

/* Rows of PyTorch are written from counts of their phases. The other kinds begin with a pattern of
 * the papers, in units in which all tasks take 1. Each device departs from it instead of being
 * idle. A tree finds the device that is next. Small orders are improved: single tasks move, and
 * after a random change they move again. */

#define GSPI_ACTIONS_CODES      6u
#define GSPI_ACTIONS_UNKNOWN    UINT64_MAX

#define GSPI_ACTIONS_SEVERAL    16384u /* tasks of a schedule with several orders, */
#define GSPI_ACTIONS_IMPROVABLE 512u   /* and of one whose best order is improved */
#define GSPI_ACTIONS_REACH      4      /* places by which a task is moved */
#define GSPI_ACTIONS_KICKS      3u     /* tasks that are moved at random before */
#define GSPI_ACTIONS_MOST_WORK  ((uint64_t)1 << 23u)

/* How good an order is. */
typedef struct gspi_actions_score {
    uint64_t span;
    uint64_t windows; /* of all devices, from the first task to the last */
} gspi_actions_score;

/* A task is a code: 2 * part + chunk; part 0 is forward, 1 input, 2 parameters. The n-th task of a
 * code on its device is that of microbatch n. */
typedef struct gspi_actions { /* not on the stack */
    gsp_schedule_desc d;      /* with defaults */
    gsp_action *actions;      /* [2 * tasks + devices] */
    uint32_t *begin;          /* [devices + 1] */
    uint32_t *device_of;      /* [stages] */
    /* INTERLEAVED_ZB */
    gsp_action *raw; /* without the waits for inputs */
    uint32_t *step;  /* [microbatches * stages] of the forward task; GSP_NONE if unknown */
    uint32_t *at;    /* [devices] next action */
    uint32_t *clock; /* [devices] */
    /* With a pattern */
    uint8_t *row;             /* [tasks] the pattern, per device, */
    uint8_t *order;           /* [tasks] the order that is made, */
    uint8_t *best;            /* [tasks] and the best so far */
    uint8_t *queue;           /* [2 * microbatches] chunks whose part for the parameters is left */
    uint32_t *same;           /* [tasks] the next task of its code, or GSP_NONE */
    uint32_t *next;           /* [6 * devices] the next task of every code that is left */
    uint32_t *done;           /* [6 * devices] tasks per code */
    uint32_t *ended;          /* [devices] tasks */
    uint32_t *kept;           /* [devices] microbatches */
    uint32_t *first;          /* [2 * width] a tree: the device that wakes first */
    uint64_t *end[2];         /* [microbatches * stages] of forward and input tasks, or UNKNOWN */
    uint64_t *free_at;        /* [devices] */
    uint64_t *begun;          /* [devices] begin of the first task */
    uint64_t *wake;           /* [width] next time to look for a task; or UNKNOWN */
    uint64_t *ticks;          /* [6 * devices] per code */
    uint64_t work;            /* that is left */
    gspi_actions_score score; /* of the best */
    gspi_schedule_rounds rounds;
    uint32_t n; /* actions so far */
    uint32_t n_stages;
    uint32_t limit; /* microbatches of a stage that a device keeps */
    uint32_t each;  /* tasks per device */
    uint32_t left;  /* tasks that have not run */
    uint32_t width; /* a power of two, at least the devices */
    int is_v;
} gspi_actions;

/* ---- Layout ---- */

static int gspi_actions_has_pattern(const gsp_schedule_desc *d)
{
    return d->kind == (uint32_t)GSP_SCHEDULE_ZB_H1 || d->kind == (uint32_t)GSP_SCHEDULE_ZB_H2 ||
           d->kind == (uint32_t)GSP_SCHEDULE_V_HALF || d->kind == (uint32_t)GSP_SCHEDULE_V_MIN;
}

static uint32_t gspi_actions_limit(uint32_t kind, uint32_t p)
{
    switch (kind) {
    case GSP_SCHEDULE_ZB_H1:
        return p;
    case GSP_SCHEDULE_ZB_H2:
        return 2u * p - 1u;
    case GSP_SCHEDULE_V_HALF:
        return p + 2u - p % 2u;
    default:
        return 2u * ((p + 1u) / 3u) + 2u;
    }
}

/* Without the order of the caller. */
static void gspi_actions_resolve(gsp_schedule_desc *d, const gsp_schedule_desc *desc)
{
    gspi_schedule_resolve(d, desc);
    d->actions = NULL;
    d->action_begin = d->device_of = NULL;
    d->n_stages = d->sends = 0;
}

static uint64_t gspi_actions_least(const gsp_schedule_desc *d)
{
    return d->kind == (uint32_t)GSP_SCHEDULE_DUALPIPEV ? (uint64_t)2u * d->n_devices : 1u;
}

uint64_t gsp_actions_least(const gsp_schedule_desc *desc)
{
    gsp_schedule_desc d;
    gspi_schedule_resolve(&d, desc);
    return gspi_actions_least(&d);
}

static uint32_t *gspi_actions_push_words(gspi_schedule_bump *b, uint64_t count)
{
    return (uint32_t *)gspi_schedule_push(b, count, sizeof(uint32_t), 1);
}

static uint64_t *gspi_actions_push_times(gspi_schedule_bump *b, uint64_t count)
{
    return (uint64_t *)gspi_schedule_push(b, count, sizeof(uint64_t), 1);
}

static uint8_t *gspi_actions_push_codes(gspi_schedule_bump *b, uint64_t count)
{
    return (uint8_t *)gspi_schedule_push(b, count, 1, 1);
}

/* For kinds with a pattern. */
GSPI_SCHEDULE_OWN_FRAME void gspi_actions_layout_pattern(
    gspi_schedule_bump *b, gspi_actions *w, uint64_t pairs)
{
    uint64_t const devices = w->d.n_devices;
    uint64_t width = 1;
    while (width < devices) {
        width *= 2u;
    }
    w->row = gspi_actions_push_codes(b, 3u * pairs);
    w->order = gspi_actions_push_codes(b, 3u * pairs);
    w->best = gspi_actions_push_codes(b, 3u * pairs);
    w->queue = gspi_actions_push_codes(b, (uint64_t)2u * w->d.n_microbatches);
    w->same = gspi_actions_push_words(b, 3u * pairs);
    w->next = gspi_actions_push_words(b, GSPI_ACTIONS_CODES * devices);
    w->done = gspi_actions_push_words(b, GSPI_ACTIONS_CODES * devices);
    w->ended = gspi_actions_push_words(b, devices);
    w->kept = gspi_actions_push_words(b, devices);
    w->first = gspi_actions_push_words(b, 2u * width);
    w->end[0] = gspi_actions_push_times(b, pairs);
    w->end[1] = gspi_actions_push_times(b, pairs);
    w->free_at = gspi_actions_push_times(b, devices);
    w->begun = gspi_actions_push_times(b, devices);
    w->wake = gspi_actions_push_times(b, width);
    w->ticks = gspi_actions_push_times(b, GSPI_ACTIONS_CODES * devices);
    w->width = (uint32_t)width;
}

/* The results first; they stay. */
GSPI_SCHEDULE_OWN_FRAME void gspi_actions_layout(gspi_schedule_bump *b, gspi_actions *w)
{
    const gsp_schedule_desc *d = &w->d;
    uint64_t const devices = d->n_devices;
    uint64_t const stages = gspi_schedule_times(devices, d->n_chunks);
    uint64_t const all = gspi_schedule_times(stages, d->n_microbatches);
    uint64_t const pairs = all < GSP_NONE / 8u ? all : GSP_NONE;
    uint64_t const actions = 6u * pairs + devices; /* three tasks each, and a wait before each */
    w->actions = (gsp_action *)gspi_schedule_push(b, actions, sizeof(gsp_action), 0);
    w->begin = (uint32_t *)gspi_schedule_push(b, devices + 1u, sizeof(uint32_t), 0);
    w->device_of = (uint32_t *)gspi_schedule_push(b, stages, sizeof(uint32_t), 0);
    if (d->kind == (uint32_t)GSP_SCHEDULE_INTERLEAVED_ZB) {
        w->raw = (gsp_action *)gspi_schedule_push(b, actions, sizeof(gsp_action), 1);
        w->step = gspi_actions_push_words(b, pairs);
        w->at = gspi_actions_push_words(b, devices);
        w->clock = gspi_actions_push_words(b, devices);
    }
    if (gspi_actions_has_pattern(d)) {
        gspi_actions_layout_pattern(b, w, pairs);
    }
    w->rounds = gspi_schedule_find_rounds(d);
    w->n = 0;
    w->n_stages = (uint32_t)stages;
    w->is_v = gsp_schedule_is_v(d->kind);
    w->limit = gspi_actions_limit(d->kind, d->n_devices);
    w->each = 3u * d->n_chunks * d->n_microbatches;
    w->work = d->max_work == 0 ? GSPI_ACTIONS_MOST_WORK : d->max_work;
}

size_t gsp_actions_bound(const gsp_schedule_desc *desc)
{
    gspi_actions w;
    gspi_schedule_bump b = {NULL, 2u * GSP_BOUND_SLACK};
    gspi_actions_resolve(&w.d, desc);
    (void)gspi_schedule_push(&b, 1, sizeof w, 1);
    gspi_actions_layout(&b, &w);
    return gspi_schedule_measured(&b);
}

/* ---- Rows ---- */

static void gspi_actions_wait(gspi_actions *w, uint32_t device, uint32_t n)
{
    if (w->n > w->begin[device] && w->actions[w->n - 1u].kind == (uint32_t)GSP_ACTION_WAIT) {
        w->actions[w->n - 1u].microbatch += n;
    } else if (n > 0u) {
        gsp_action const a = {0, n, GSP_ACTION_WAIT, 0};
        w->actions[w->n++] = a;
    }
}

static void gspi_actions_put(gspi_actions *w, uint32_t kind, uint32_t stage, uint32_t microbatch)
{
    gsp_action const a = {stage, microbatch, kind, 0};
    w->actions[w->n++] = a;
}

static void gspi_actions_put_formula(gspi_actions *w, uint32_t device)
{
    for (uint32_t i = 0; i < gspi_schedule_each(&w->d); i++) {
        gsp_task const t = gspi_schedule_nth_task(&w->d, w->rounds, device, i);
        gspi_actions_put(w, t.backward, t.stage, t.microbatch);
    }
}

static void gspi_actions_put_looped_bfs(gspi_actions *w, uint32_t device)
{
    const gsp_schedule_desc *d = &w->d;
    uint32_t const all = d->n_chunks * d->n_microbatches;
    gspi_actions_wait(w, device, device);
    for (uint32_t i = 0; i < all; i++) {
        gspi_actions_put(w, GSP_ACTION_FORWARD, device + i / d->n_microbatches * d->n_devices,
            i % d->n_microbatches);
    }
    gspi_actions_wait(w, device, 2u * (d->n_devices - 1u - device));
    for (uint32_t i = all; i > 0u; i--) {
        gspi_actions_put(w, GSP_ACTION_BACKWARD,
            device + (i - 1u) / d->n_microbatches * d->n_devices, (i - 1u) % d->n_microbatches);
    }
}

static void gspi_actions_put_nth(gspi_actions *w, uint32_t kind, uint32_t device, uint32_t n)
{
    gsp_task t = {0, 0, kind != (uint32_t)GSP_ACTION_FORWARD, device, 0, 0};
    gspi_schedule_find_nth(&w->d, w->rounds, n, &t);
    gspi_actions_put(w, kind, t.stage, t.microbatch);
}

/* INTERLEAVED with less ahead. The part for the parameters comes `device` tasks late. */
static void gspi_actions_put_interleaved_zb(gspi_actions *w, uint32_t device)
{
    const gsp_schedule_desc *d = &w->d;
    uint32_t const all = d->n_chunks * d->n_microbatches;
    uint32_t const behind = d->n_devices - 1u - device;
    uint32_t const longest = w->rounds.size + (w->rounds.longer != 0u ? 1u : 0u);
    uint32_t const wanted = (d->n_chunks - 1u) * longest + behind;
    uint32_t const ahead = wanted < all ? wanted : all;
    gspi_actions_wait(w, device, device);
    for (uint32_t n = 0; n < ahead; n++) {
        gspi_actions_put_nth(w, GSP_ACTION_FORWARD, device, n);
    }
    gspi_actions_wait(w, device, ahead > 0u ? behind : 0u);
    for (uint32_t n = 0; n < all + device; n++) {
        if (n < all - ahead) {
            gspi_actions_put_nth(w, GSP_ACTION_FORWARD, device, ahead + n);
        }
        if (n < all) {
            gspi_actions_put_nth(w, GSP_ACTION_BACKWARD_INPUT, device, n);
        }
        if (n >= device) {
            gspi_actions_put_nth(w, GSP_ACTION_BACKWARD_WEIGHT, device, n - device);
        }
    }
}

/* The step of an action, after those of the previous stage for forward tasks; GSP_NONE if not yet
 * known. */
static uint32_t gspi_actions_step(const gspi_actions *w, const gsp_action *a, uint32_t clock)
{
    uint32_t before;
    if (a->kind != (uint32_t)GSP_ACTION_FORWARD || a->stage == 0u) {
        return clock;
    }
    before = w->step[(size_t)a->microbatch * w->n_stages + a->stage - 1u];
    return before == GSP_NONE ? GSP_NONE : before < clock ? clock : before + 1u;
}

/* Runs a row until it is blocked; returns 1 if some action was run. */
static int gspi_actions_run_row(gspi_actions *w, uint32_t device)
{
    uint32_t const from = w->at[device];
    for (; w->at[device] < w->begin[device + 1u]; w->at[device]++) {
        const gsp_action *a = &w->raw[w->at[device]];
        uint32_t const step = gspi_actions_step(w, a, w->clock[device]);
        if (step == GSP_NONE) {
            break;
        }
        if (a->kind == (uint32_t)GSP_ACTION_FORWARD) {
            w->step[(size_t)a->microbatch * w->n_stages + a->stage] = step;
        }
        w->clock[device] = a->kind == (uint32_t)GSP_ACTION_WAIT ? step + a->microbatch : step + 1u;
    }
    return w->at[device] > from;
}

/* The step of each forward task; rows wait for the previous stage. */
static void gspi_actions_find_steps(gspi_actions *w)
{
    int more = 1;
    for (size_t i = 0; i < (size_t)w->n_stages * w->d.n_microbatches; i++) {
        w->step[i] = GSP_NONE;
    }
    for (uint32_t k = 0; k < w->d.n_devices; k++) {
        w->at[k] = w->begin[k];
        w->clock[k] = 0;
    }
    while (more) {
        more = 0;
        for (uint32_t k = 0; k < w->d.n_devices; k++) {
            more |= gspi_actions_run_row(w, k);
        }
    }
}

/* Adds the steps in which a forward task waits for the previous stage. */
static void gspi_actions_add_waits(gspi_actions *w)
{
    uint32_t i = 0;
    for (uint32_t k = 0; k < w->n; k++) {
        w->raw[k] = w->actions[k];
    }
    gspi_actions_find_steps(w);
    w->n = 0;
    for (uint32_t k = 0; k < w->d.n_devices; k++) {
        uint32_t const end = w->begin[k + 1u];
        uint32_t clock = 0;
        w->begin[k] = w->n;
        for (; i < end; i++) {
            const gsp_action *a = &w->raw[i];
            uint32_t const step = gspi_actions_step(w, a, clock);
            if (a->kind == (uint32_t)GSP_ACTION_WAIT) {
                gspi_actions_wait(w, k, a->microbatch);
                clock += a->microbatch;
                continue;
            }
            gspi_actions_wait(w, k, step - clock);
            gspi_actions_put(w, a->kind, a->stage, a->microbatch);
            clock = step + 1u;
        }
    }
    w->begin[w->d.n_devices] = w->n;
}

/* ---- In the shape of a V: chunk 0 from the first device to the last, chunk 1 back ---- */

typedef struct gspi_actions_v {
    gspi_actions *w;
    uint32_t device;
    uint32_t forward[2]; /* tasks so far of each chunk, */
    uint32_t input[2];
    uint32_t weight[2];
} gspi_actions_v;

/* The next task of a chunk, or a wait after the last microbatch. */
static void gspi_actions_v_put(gspi_actions_v *r, uint32_t kind, uint32_t chunk)
{
    gspi_actions *w = r->w;
    uint32_t *next = kind == (uint32_t)GSP_ACTION_FORWARD           ? r->forward
                     : kind == (uint32_t)GSP_ACTION_BACKWARD_WEIGHT ? r->weight
                                                                    : r->input;
    uint32_t const microbatch = next[chunk]++;
    r->weight[chunk] += kind == (uint32_t)GSP_ACTION_BACKWARD ? 1u : 0u;
    if (microbatch < w->d.n_microbatches) {
        gspi_actions_put(
            w, kind, chunk == 0u ? r->device : w->n_stages - 1u - r->device, microbatch);
    } else {
        gspi_actions_wait(w, r->device, 1u);
    }
}

static void gspi_actions_v_parts(gspi_actions_v *r, uint32_t chunk)
{
    gspi_actions_v_put(r, GSP_ACTION_BACKWARD_INPUT, chunk);
    gspi_actions_v_put(r, GSP_ACTION_BACKWARD_WEIGHT, chunk);
}

/* The last tasks of ZBV. */
static void gspi_actions_end_zbv(gspi_actions_v *r)
{
    for (uint32_t i = 0; i < r->device; i++) {
        gspi_actions_v_put(r, GSP_ACTION_BACKWARD_INPUT, 0);
        gspi_actions_v_put(r, GSP_ACTION_BACKWARD_INPUT, 1);
    }
    for (uint32_t i = 0; i < r->w->d.n_devices - r->device; i++) {
        gspi_actions_v_parts(r, 0);
    }
    for (uint32_t chunk = 2; chunk > 0u; chunk--) {
        while (r->weight[chunk - 1u] < r->input[chunk - 1u]) {
            gspi_actions_v_put(r, GSP_ACTION_BACKWARD_WEIGHT, chunk - 1u);
        }
    }
}

static void gspi_actions_put_zbv(gspi_actions *w, uint32_t device)
{
    uint32_t const p = w->d.n_devices;
    uint32_t const least = 2u * p - 1u; /* fills the V */
    uint32_t const m = w->d.n_microbatches < least ? least : w->d.n_microbatches;
    gspi_actions_v r = {w, device, {0, 0}, {0, 0}, {0, 0}};
    gspi_actions_wait(w, device, device);
    for (uint32_t i = 0; i < 2u * (p - device) - 1u; i++) {
        gspi_actions_v_put(&r, GSP_ACTION_FORWARD, 0);
    }
    for (uint32_t i = 0; i < device; i++) {
        gspi_actions_v_put(&r, GSP_ACTION_FORWARD, 1);
        gspi_actions_v_put(&r, GSP_ACTION_FORWARD, 0);
    }
    for (uint32_t i = 0; i < p - device; i++) {
        gspi_actions_v_put(&r, GSP_ACTION_FORWARD, 1);
        gspi_actions_v_parts(&r, 1);
    }
    while (r.forward[1] < r.forward[0] || r.forward[0] < m) {
        if (r.forward[0] < m) {
            gspi_actions_v_put(&r, GSP_ACTION_FORWARD, 0);
        }
        gspi_actions_v_parts(&r, 0);
        gspi_actions_v_put(&r, GSP_ACTION_FORWARD, 1);
        gspi_actions_v_parts(&r, 1);
    }
    gspi_actions_end_zbv(&r);
}

/* A forward task of one chunk and a backward task of the other that overlap. */
static void gspi_actions_v_both(gspi_actions_v *r, uint32_t forward)
{
    gspi_actions_v_put(r, GSP_ACTION_FORWARD, forward);
    r->w->actions[r->w->n - 1u].joined = 1u;
    gspi_actions_v_put(r, GSP_ACTION_BACKWARD, 1u - forward);
}

/* The last tasks of DUALPIPEV, in which the chunks alternate. From the second half on, weight
 * gradients are delayed; the oldest is first. */
static void gspi_actions_end_dualpipev(gspi_actions_v *r)
{
    uint32_t const p = r->w->d.n_devices;
    uint32_t const half = r->device + 1u;
    for (uint32_t i = 0; i < 2u * half; i++) {
        gspi_actions_v_put(
            r, i < half ? GSP_ACTION_BACKWARD : GSP_ACTION_BACKWARD_INPUT, (i + 1u) % 2u);
    }
    for (uint32_t i = 0; i < p; i++) {
        gspi_actions_v_put(r, GSP_ACTION_BACKWARD_WEIGHT, i < half ? (half + i + 1u) % 2u : 0u);
        if (i < p - half) {
            gspi_actions_v_put(r, GSP_ACTION_BACKWARD_INPUT, 0);
        }
    }
}

static void gspi_actions_put_dualpipev(gspi_actions *w, uint32_t device)
{
    uint32_t const p = w->d.n_devices;
    uint32_t const behind = p - 1u - device;
    uint32_t const pairs = w->d.n_microbatches - 2u * p + device + 1u;
    gspi_actions_v r = {w, device, {0, 0}, {0, 0}, {0, 0}};
    for (uint32_t i = 0; i < 2u * behind; i++) {
        gspi_actions_v_put(&r, GSP_ACTION_FORWARD, 0);
    }
    for (uint32_t i = 0; i <= device; i++) {
        gspi_actions_v_put(&r, GSP_ACTION_FORWARD, 0);
        gspi_actions_v_put(&r, GSP_ACTION_FORWARD, 1);
    }
    for (uint32_t i = 0; i < behind; i++) {
        gspi_actions_v_parts(&r, 1);
        gspi_actions_v_put(&r, GSP_ACTION_FORWARD, 1);
    }
    for (uint32_t i = 0; i < pairs; i++) {
        gspi_actions_v_both(&r, 0);
        if (i == 0u && behind == 0u) { /* on the last device the input would come too late */
            w->actions[w->n - 2u].joined = 0;
        }
        gspi_actions_v_both(&r, 1);
    }
    for (uint32_t i = 0; i < behind; i++) {
        gspi_actions_v_put(&r, GSP_ACTION_BACKWARD, 1);
        gspi_actions_v_both(&r, 1);
    }
    gspi_actions_end_dualpipev(&r);
}

/* ---- Patterns ---- */

/* Forward tasks first, then forward and input tasks alternate; the part for the parameters comes
 * `lag` input tasks late. */
static void gspi_actions_fill_line(
    const gspi_actions *w, uint8_t *row, uint32_t ahead, uint32_t lag)
{
    uint32_t const m = w->d.n_microbatches;
    uint32_t const before = ahead < m ? ahead : m;
    uint32_t n = 0;
    while (n < before) {
        row[n++] = 0u;
    }
    for (uint32_t i = 0; i < m + lag; i++) {
        if (i < m - before) {
            row[n++] = 0u;
        }
        if (i < m) {
            row[n++] = 2u;
        }
        if (i >= lag) {
            row[n++] = 4u;
        }
    }
}

/* When a device works on its first microbatch: forward of chunks 0 and 1, input of 1 and 0. No two
 * of these times are equal modulo 6. */
static void gspi_actions_find_block(const gspi_actions *w, uint32_t device, uint32_t block[4])
{
    uint32_t const p = w->d.n_devices;
    if (w->d.kind == (uint32_t)GSP_SCHEDULE_V_MIN) {
        uint32_t const gap = p % 3u == 0u ? 2u : 0u;
        block[0] = device;
        block[1] = 2u * p - 1u - device;
        block[2] = 2u * p + gap + device;
        block[3] = 4u * p + gap - 1u - device;
    } else {
        uint32_t const gap = p % 2u == 0u ? 3u : 0u;
        block[0] = 2u * device;
        block[1] = 3u * p - 2u - device;
        block[2] = 3u * p - 1u + gap + 2u * device;
        block[3] = 6u * p - 2u + gap - device;
    }
}

/* The block repeats every 6 units, and parts for the parameters fill the gaps. */
static void gspi_actions_fill_v(const gspi_actions *w, uint8_t *row, uint32_t device)
{
    static const uint8_t codes[4] = {0u, 1u, 3u, 2u};
    uint32_t block[4];
    uint32_t n = 0;
    uint32_t queued = 0;
    uint32_t taken = 0;
    gspi_actions_find_block(w, device, block);
    for (uint32_t now = 0; n < w->each; now++) {
        uint32_t i = 0;
        while (i < 4u && (now < block[i] || (now - block[i]) % 6u != 0u ||
                             (now - block[i]) / 6u >= w->d.n_microbatches)) {
            i++;
        }
        if (i < 4u) {
            row[n++] = codes[i];
            if (i >= 2u) {
                w->queue[queued++] = codes[i] % 2u;
            }
        } else if (taken < queued) {
            row[n++] = (uint8_t)(4u + w->queue[taken++]);
        }
    }
}

/* ---- One order ---- */

static uint32_t gspi_actions_kind_of(uint32_t code)
{
    static const uint8_t kinds[] = {
        GSP_ACTION_FORWARD, GSP_ACTION_BACKWARD_INPUT, GSP_ACTION_BACKWARD_WEIGHT};
    return kinds[code / 2u];
}

static uint32_t gspi_actions_stage_of(const gspi_actions *w, uint32_t device, uint32_t code)
{
    return code % 2u == 0u ? device : w->n_stages - 1u - device;
}

static void gspi_actions_find_ticks(gspi_actions *w)
{
    for (uint32_t i = 0; i < GSPI_ACTIONS_CODES * w->d.n_devices; i++) {
        gsp_task t = {0, 0, 0, 0, 0, 0};
        t.stage = gspi_actions_stage_of(w, i / GSPI_ACTIONS_CODES, i);
        t.backward = gspi_actions_kind_of(i % GSPI_ACTIONS_CODES);
        w->ticks[i] = w->is_v || i % 2u == 0u ? gsp_schedule_ticks(&w->d, &t) : 0u;
    }
}

/* A device wakes at a time. Without branches, whose outcome nothing foretells. */
static void gspi_actions_set_wake(gspi_actions *w, uint32_t device, uint64_t at)
{
    w->wake[device] = at;
    for (uint32_t i = (w->width + device) / 2u; i > 0u; i /= 2u) {
        uint32_t const a = w->first[2u * i];
        uint32_t const b = w->first[2u * i + 1u];
        w->first[i] = w->wake[a] <= w->wake[b] ? a : b;
    }
}

static void gspi_actions_begin_order(gspi_actions *w)
{
    size_t const pairs = (size_t)w->n_stages * w->d.n_microbatches;
    w->left = w->d.n_devices * w->each;
    for (uint32_t i = 0; i < GSPI_ACTIONS_CODES * w->d.n_devices; i++) {
        w->done[i] = 0;
    }
    for (uint32_t k = 0; k < w->d.n_devices; k++) {
        w->ended[k] = w->kept[k] = 0;
        w->free_at[k] = w->begun[k] = 0;
    }
    for (size_t i = 0; i < pairs; i++) {
        w->end[0][i] = w->end[1][i] = GSPI_ACTIONS_UNKNOWN;
    }
}

/* When the input of the next task of a code is there. */
static uint64_t gspi_actions_ready_at(const gspi_actions *w, uint32_t device, uint32_t code)
{
    const uint32_t *done = &w->done[GSPI_ACTIONS_CODES * device];
    uint32_t const s = gspi_actions_stage_of(w, device, code);
    uint32_t const from = code < 2u ? s - 1u : s + 1u; /* the end of the pipeline: no stage */
    uint64_t end;
    if (code >= 2u && done[code - 2u] <= done[code]) {
        return GSPI_ACTIONS_UNKNOWN;
    }
    if (code >= 4u || from >= w->n_stages) {
        return 0;
    }
    end = w->end[code / 2u][(size_t)done[code] * w->n_stages + from];
    return end == GSPI_ACTIONS_UNKNOWN ? end
                                       : end + gspi_schedule_cost(w->d.move, code < 2u ? from : s);
}

/* Runs the next task of a code. */
static void gspi_actions_run_task(gspi_actions *w, uint32_t device, uint32_t code, uint64_t now)
{
    uint32_t const s = gspi_actions_stage_of(w, device, code);
    uint32_t const microbatch = w->done[GSPI_ACTIONS_CODES * device + code]++;
    w->begun[device] = w->ended[device]++ == 0u ? now : w->begun[device];
    w->free_at[device] = now + w->ticks[GSPI_ACTIONS_CODES * device + code];
    if (code < 4u) {
        w->end[code / 2u][(size_t)microbatch * w->n_stages + s] = w->free_at[device];
    }
    w->kept[device] += code < 2u ? 1u : 0u;
    w->kept[device] -= code >= 4u ? 1u : 0u;
    w->left--;
}

/* At the end of a V, parts for the parameters only fill gaps. */
static int gspi_actions_is_late(const gspi_actions *w, uint32_t device)
{
    return w->is_v && w->done[GSPI_ACTIONS_CODES * device] == w->d.n_microbatches;
}

/* There is memory for the next forward task of a code, also for those before it in the pattern. A
 * task is left if it does not come before the next one of its code. */
static int gspi_actions_has_room(const gspi_actions *w, uint32_t device, uint32_t code)
{
    const uint32_t *next = &w->next[GSPI_ACTIONS_CODES * device];
    uint32_t kept = w->kept[device];
    uint32_t i = next[code];
    if (kept == w->limit || !w->is_v || gspi_actions_is_late(w, device)) {
        return kept < w->limit;
    }
    for (uint32_t k = 0; k < GSPI_ACTIONS_CODES; k++) {
        i = next[k] < i ? next[k] : i;
    }
    for (; i < next[code] && kept < w->limit; i++) {
        uint32_t const other = w->row[i];
        if (i >= next[other]) {
            kept += other < 2u ? 1u : 0u;
            kept -= other >= 4u ? 1u : 0u;
        }
    }
    return kept < w->limit;
}

typedef struct gspi_actions_choice {
    uint32_t code;  /* GSP_NONE to wait */
    uint64_t later; /* until then */
} gspi_actions_choice;

/* The unvisited code whose next task is first in the pattern; GSP_NONE if none is left. */
static uint32_t gspi_actions_next_code(const gspi_actions *w, uint32_t device, uint32_t seen)
{
    const uint32_t *next = &w->next[GSPI_ACTIONS_CODES * device];
    uint32_t const late = gspi_actions_is_late(w, device) ? UINT32_MAX / 2u + 1u : 0u;
    uint32_t const step = w->is_v ? 1u : 2u;
    uint64_t least = (uint64_t)GSP_NONE * 8u; /* 8 places + code; late ones after all tasks */
    for (uint32_t code = 0; code < GSPI_ACTIONS_CODES; code += step) {
        uint32_t const place = next[code] | (code >= 4u ? late : 0u) | (0u - ((seen >> code) & 1u));
        uint64_t const key = (uint64_t)place * 8u + code;
        least = key < least ? key : least;
    }
    return least < (uint64_t)GSP_NONE * 8u ? (uint32_t)(least % 8u) : GSP_NONE;
}

/* The code that can begin whose task is first in the pattern. `patience`: not if another one before
 * it can begin within so many halves of its time. */
static gspi_actions_choice gspi_actions_choose(
    const gspi_actions *w, uint32_t device, uint64_t now, uint32_t patience)
{
    gspi_actions_choice c = {GSP_NONE, GSPI_ACTIONS_UNKNOWN};
    uint32_t code = gspi_actions_next_code(w, device, 0);
    for (uint32_t seen = 0; code != GSP_NONE; code = gspi_actions_next_code(w, device, seen)) {
        uint64_t const ready = gspi_actions_ready_at(w, device, code);
        if (ready != GSPI_ACTIONS_UNKNOWN &&
            (code >= 2u || gspi_actions_has_room(w, device, code))) {
            uint64_t const ticks = w->ticks[GSPI_ACTIONS_CODES * device + code];
            if (ready > now) {
                c.later = ready < c.later ? ready : c.later;
            } else if (c.later == GSPI_ACTIONS_UNKNOWN || now + patience * ticks / 2u <= c.later) {
                c.code = code;
                return c;
            }
        }
        seen |= 1u << code;
    }
    return c;
}

static void gspi_actions_wake_for(gspi_actions *w, uint32_t stage, uint64_t at)
{
    uint32_t const device = stage < w->d.n_devices ? stage : w->n_stages - 1u - stage;
    uint64_t const free_at = w->free_at[device];
    if ((at > free_at ? at : free_at) < w->wake[device]) {
        gspi_actions_set_wake(w, device, at > free_at ? at : free_at);
    }
}

/* Gives a device that is free its next task. */
static void gspi_actions_advance(gspi_actions *w, uint32_t device, uint64_t now, uint32_t patience)
{
    gspi_actions_choice const c = gspi_actions_choose(w, device, now, patience);
    uint32_t *next = &w->next[GSPI_ACTIONS_CODES * device];
    if (c.code == GSP_NONE) {
        gspi_actions_set_wake(w, device, c.later);
        return;
    }
    w->order[(size_t)device * w->each + w->ended[device]] = (uint8_t)c.code;
    next[c.code] = w->same[next[c.code]];
    gspi_actions_run_task(w, device, c.code, now);
    gspi_actions_set_wake(w, device, w->free_at[device]);
    if (c.code < 4u) {
        uint32_t const from = gspi_actions_stage_of(w, device, c.code);
        uint32_t const to = c.code < 2u ? from + 1u : from - 1u;
        if (to < w->n_stages) {
            gspi_actions_wake_for(w, to, w->free_at[device]);
        }
    }
}

/* Runs an order without changes; returns 0 if it waits for itself. */
static int gspi_actions_run_order(gspi_actions *w)
{
    uint32_t before;
    gspi_actions_begin_order(w);
    do {
        before = w->left;
        for (uint32_t k = 0; k < w->d.n_devices; k++) {
            const uint8_t *row = &w->order[(size_t)k * w->each];
            while (w->ended[k] < w->each) {
                uint32_t const code = row[w->ended[k]];
                uint64_t const ready = gspi_actions_ready_at(w, k, code);
                if (ready == GSPI_ACTIONS_UNKNOWN || (code < 2u && w->kept[k] == w->limit)) {
                    break;
                }
                gspi_actions_run_task(w, k, code, ready > w->free_at[k] ? ready : w->free_at[k]);
            }
        }
    } while (w->left > 0u && w->left < before);
    return w->left == 0u;
}

static gspi_actions_score gspi_actions_find_score(const gspi_actions *w)
{
    gspi_actions_score s = {0, 0};
    for (uint32_t k = 0; k < w->d.n_devices; k++) {
        s.span = w->free_at[k] > s.span ? w->free_at[k] : s.span;
        s.windows += w->free_at[k] - w->begun[k];
    }
    return s;
}

static int gspi_actions_is_better(gspi_actions_score a, gspi_actions_score b)
{
    return a.span < b.span || (a.span == b.span && a.windows < b.windows);
}

static void gspi_actions_copy(const gspi_actions *w, uint8_t *to, const uint8_t *from)
{
    for (size_t i = 0; i < (size_t)w->d.n_devices * w->each; i++) {
        to[i] = from[i];
    }
}

/* Keeps the order, of this score, if it is the best so far. */
static void gspi_actions_keep_best(gspi_actions *w, gspi_actions_score score)
{
    if (gspi_actions_is_better(score, w->score)) {
        w->score = score;
        gspi_actions_copy(w, w->best, w->order);
    }
}

/* The pattern of a device, and the first task of every code. */
static void gspi_actions_fill_row(gspi_actions *w, uint32_t device, uint32_t reach)
{
    uint32_t const begin = device * w->each;
    uint32_t *next = &w->next[GSPI_ACTIONS_CODES * device];
    if (w->is_v) {
        gspi_actions_fill_v(w, w->row + begin, device);
    } else {
        gspi_actions_fill_line(
            w, w->row + begin, reach * (w->d.n_devices - 1u - device), reach * device);
    }
    for (uint32_t code = 0; code < GSPI_ACTIONS_CODES; code++) {
        next[code] = GSP_NONE;
    }
    for (uint32_t i = begin + w->each; i > begin; i--) {
        w->same[i - 1u] = next[w->row[i - 1u]];
        next[w->row[i - 1u]] = i - 1u;
    }
}

static void gspi_actions_make_order(gspi_actions *w, uint32_t reach, uint32_t patience)
{
    gspi_actions_begin_order(w);
    for (uint32_t i = 0; i < w->width; i++) { /* those beyond the last device never wake */
        w->first[w->width + i] = i;
        w->wake[i] = GSPI_ACTIONS_UNKNOWN;
    }
    for (uint32_t i = w->width; i > 1u; i--) {
        w->first[i - 1u] = w->first[2u * (i - 1u)];
    }
    for (uint32_t k = 0; k < w->d.n_devices; k++) {
        gspi_actions_fill_row(w, k, reach);
        gspi_actions_set_wake(w, k, 0);
    }
    while (w->wake[w->first[1]] != GSPI_ACTIONS_UNKNOWN) {
        gspi_actions_advance(w, w->first[1], w->wake[w->first[1]], patience);
    }
    if (GSPI_SCHEDULE_NEVER(w->left > 0u)) { /* an order that ends is known: the pattern */
        gspi_actions_copy(w, w->order, w->row);
        (void)gspi_actions_run_order(w);
    }
    gspi_actions_keep_best(w, gspi_actions_find_score(w));
}

/* ---- Improvement ---- */

/* Moves the task at `from` of a row to `to`. */
static void gspi_actions_move(uint8_t *row, uint32_t from, uint32_t to)
{
    uint8_t const code = row[from];
    for (; from < to; from++) {
        row[from] = row[from + 1u];
    }
    for (; from > to; from--) {
        row[from] = row[from - 1u];
    }
    row[to] = code;
}

/* An order was tried. */
static void gspi_actions_count_work(gspi_actions *w)
{
    uint64_t const n = (uint64_t)w->d.n_devices * w->each;
    w->work -= n < w->work ? n : w->work;
}

/* Moves a task of a row to the places around it; the score is that of the order. Returns 1 if that
 * made it better. */
static int gspi_actions_move_around(
    gspi_actions *w, uint8_t *row, uint32_t from, gspi_actions_score *score)
{
    int gained = 0;
    for (int by = -GSPI_ACTIONS_REACH; by <= GSPI_ACTIONS_REACH; by++) {
        uint32_t const to = from + (uint32_t)by;
        if (to >= w->each || row[to] == row[from]) {
            continue;
        }
        gspi_actions_move(row, from, to);
        gspi_actions_count_work(w);
        if (gspi_actions_run_order(w) &&
            gspi_actions_is_better(gspi_actions_find_score(w), *score)) {
            *score = gspi_actions_find_score(w);
            gained = 1;
        } else {
            gspi_actions_move(row, to, from);
        }
    }
    return gained;
}

/* Moves single tasks of the order, which is of the score, as long as that makes it better. */
static void gspi_actions_climb(gspi_actions *w, gspi_actions_score score)
{
    uint32_t const n = w->d.n_devices * w->each;
    uint32_t since = 0; /* tasks tried since the last gain */
    for (uint32_t i = 0; since < n && w->work > 0u; i = (i + 1u) % n) {
        uint8_t *row = &w->order[i / w->each * w->each];
        since = gspi_actions_move_around(w, row, i % w->each, &score) ? 1u : since + 1u;
    }
    gspi_actions_keep_best(w, score);
}

/* The next of a fixed row of numbers (Knuth's MMIX). */
static uint32_t gspi_actions_random(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33u) % below;
}

/* No order ends sooner: a device begins when the first microbatch is there, works, and before that
 * comes back has memory for so many forward tasks. */
static uint64_t gspi_actions_least_span(const gspi_actions *w)
{
    uint64_t least = 0;
    uint64_t there = 0; /* time of the first microbatch to the device */
    uint32_t const kept = w->limit < w->each / 3u ? w->limit : w->each / 3u;
    for (uint32_t k = 0; k < w->d.n_devices; k++) {
        const uint64_t *ticks = &w->ticks[GSPI_ACTIONS_CODES * k];
        uint64_t const forward = kept * (ticks[0] > ticks[1] ? ticks[0] : ticks[1]);
        uint64_t work = there;
        uint64_t back = 0; /* from there to the first input task */
        for (uint32_t code = 0; code < GSPI_ACTIONS_CODES; code++) {
            work += ticks[code] * w->d.n_microbatches;
        }
        for (uint32_t i = 0; i < w->d.n_devices; i++) {
            const uint64_t *other = &w->ticks[GSPI_ACTIONS_CODES * i];
            back += other[1] + (i >= k ? other[0] : 0u);
            back += i > k && !w->is_v ? other[2] : 0u;
            back += i < k && w->is_v ? other[3] : 0u;
        }
        work += back > forward ? back - forward : 0u;
        least = work > least ? work : least;
        there += ticks[0];
    }
    return least;
}

/* Moves some tasks of the best order at random; the order still ends. */
static void gspi_actions_kick(gspi_actions *w, uint64_t *state)
{
    gspi_actions_copy(w, w->order, w->best);
    for (uint32_t moved = 0; moved < GSPI_ACTIONS_KICKS && w->work > 0u;) {
        uint32_t const device = gspi_actions_random(state, w->d.n_devices);
        uint8_t *row = &w->order[device * w->each];
        uint32_t const from = gspi_actions_random(state, w->each);
        uint32_t const to = gspi_actions_random(state, w->each);
        gspi_actions_move(row, from, to);
        if (gspi_actions_run_order(w)) {
            moved++;
        } else {
            gspi_actions_move(row, to, from);
        }
        gspi_actions_count_work(w);
    }
}

/* Climbs from the best order, and again from one that is changed at random. */
static void gspi_actions_improve(gspi_actions *w)
{
    uint64_t state = 1;
    uint64_t const least = gspi_actions_least_span(w);
    gspi_actions_copy(w, w->order, w->best);
    gspi_actions_climb(w, w->score);
    while (w->work > 0u && w->score.span > least) {
        gspi_actions_kick(w, &state);
        if (w->work > 0u) {
            gspi_actions_climb(w, gspi_actions_find_score(w));
        }
    }
}

/* ---- The pass ---- */

static void gspi_actions_put_best(gspi_actions *w)
{
    for (uint32_t i = 0; i < GSPI_ACTIONS_CODES * w->d.n_devices; i++) {
        w->done[i] = 0;
    }
    for (uint32_t k = 0; k < w->d.n_devices; k++) {
        for (uint32_t i = 0; i < w->each; i++) {
            uint32_t const code = w->best[w->n];
            gspi_actions_put(w, gspi_actions_kind_of(code), gspi_actions_stage_of(w, k, code),
                w->done[GSPI_ACTIONS_CODES * k + code]++);
        }
        w->begin[k + 1u] = w->n;
    }
}

static void gspi_actions_search(gspi_actions *w)
{
    uint32_t const n = w->d.n_devices * w->each;
    uint32_t const own = w->d.kind == (uint32_t)GSP_SCHEDULE_ZB_H2 ? 2u : 1u;
    uint32_t const orders = n > GSPI_ACTIONS_SEVERAL ? 1u : w->is_v ? 3u : 6u;
    w->score.span = UINT64_MAX;
    w->score.windows = UINT64_MAX;
    gspi_actions_find_ticks(w);
    for (uint32_t i = 0; i < orders; i++) {
        gspi_actions_make_order(w, i < 3u ? own : 3u - own, i % 3u);
    }
    if (n <= GSPI_ACTIONS_IMPROVABLE) {
        gspi_actions_improve(w);
    }
    gspi_actions_put_best(w);
}

static void gspi_actions_put_row(gspi_actions *w, uint32_t device)
{
    switch (w->d.kind) {
    case GSP_SCHEDULE_LOOPED_BFS:
        gspi_actions_put_looped_bfs(w, device);
        break;
    case GSP_SCHEDULE_INTERLEAVED_ZB:
        gspi_actions_put_interleaved_zb(w, device);
        break;
    case GSP_SCHEDULE_ZBV:
        gspi_actions_put_zbv(w, device);
        break;
    case GSP_SCHEDULE_DUALPIPEV:
        gspi_actions_put_dualpipev(w, device);
        break;
    default:
        gspi_actions_put_formula(w, device);
        break;
    }
    w->begin[device + 1u] = w->n;
}

/* Inference: the forward tasks alone. */
static void gspi_actions_drop_backward(gspi_actions *w)
{
    uint32_t n = 0;
    uint32_t i = 0;
    for (uint32_t k = 0; k < w->d.n_devices; k++) {
        for (; i < w->begin[k + 1u]; i++) {
            if (w->actions[i].kind == (uint32_t)GSP_ACTION_FORWARD) {
                w->actions[n] = w->actions[i];
                w->actions[n++].joined = 0;
            }
        }
        w->begin[k + 1u] = n;
    }
}

static void gspi_actions_find_devices(gspi_actions *w)
{
    for (uint32_t s = 0; s < w->n_stages; s++) {
        uint32_t const place = s % w->d.n_devices;
        w->device_of[s] = w->is_v && s >= w->d.n_devices ? w->d.n_devices - 1u - place : place;
    }
}

GSPI_SCHEDULE_OWN_FRAME gsp_status gspi_actions_solve(
    gspi_actions *w, gsp_schedule_desc *order, gsp_error *err)
{
    gsp_status const status = gspi_schedule_check_costs(&w->d, err);
    if (status != GSP_OK) {
        return status;
    }
    gspi_actions_find_devices(w);
    w->begin[0] = 0;
    if (gspi_actions_has_pattern(&w->d)) {
        gspi_actions_search(w);
    } else {
        for (uint32_t k = 0; k < w->d.n_devices; k++) {
            gspi_actions_put_row(w, k);
        }
    }
    if (w->d.kind == (uint32_t)GSP_SCHEDULE_INTERLEAVED_ZB) {
        gspi_actions_add_waits(w);
    }
    if (w->d.inference) {
        gspi_actions_drop_backward(w);
    }
    *order = w->d;
    order->n_stages = w->n_stages;
    order->actions = w->actions;
    order->action_begin = w->begin;
    order->device_of = w->device_of;
    return GSP_OK;
}

GSPI_SCHEDULE_OWN_FRAME gsp_status gspi_actions_check_desc(
    const gsp_schedule_desc *desc, gsp_error *err)
{
    gsp_schedule_desc d;
    int fixed;
    uint32_t chunks;
    gspi_schedule_resolve(&d, desc);
    chunks = gsp_schedule_chunks(d.kind, &fixed);
    if (d.start_canary != 0u || d.end_canary != 0u) {
        return gspi_schedule_refuse(err, GSP_DETAIL_CANARY, "");
    }
    if (d.kind >= (uint32_t)GSP_SCHEDULE_COUNT) {
        return gspi_schedule_refuse(err, GSP_DETAIL_CHOICE, GSPI_SCHEDULE_FIELD("kind"));
    }
    if (fixed && d.n_chunks != chunks) {
        return gspi_schedule_refuse(err, GSP_DETAIL_CHOICE, GSPI_SCHEDULE_FIELD("n_chunks"));
    }
    if (d.n_microbatches < gspi_actions_least(&d)) {
        return gspi_schedule_refuse(err, GSP_DETAIL_CHOICE, GSPI_SCHEDULE_FIELD("n_microbatches"));
    }
    return GSP_OK;
}

/* The checks of a desc, and room for it. */
GSPI_SCHEDULE_OWN_FRAME gsp_status gspi_actions_enter(
    const gsp_arena *arena, const gsp_schedule_desc *desc, gsp_error *err)
{
    gsp_status const status = gspi_actions_check_desc(desc, err);
    return status != GSP_OK ? status : gspi_schedule_room(arena, gsp_actions_bound(desc), err);
}

gsp_status gsp_actions_run(
    gsp_arena *arena, const gsp_schedule_desc *desc, gsp_schedule_desc *order, gsp_error *err)
{
    if (arena == NULL || order == NULL) {
        const char *field = GSPI_SCHEDULE_FIELD("order");
        return gspi_schedule_missing(err, arena == NULL ? GSPI_SCHEDULE_FIELD("arena") : field);
    }
    gsp_mark const mark = gsp_arena_mark(arena);
    gsp_status const status = gspi_actions_enter(arena, desc, err);
    if (status != GSP_OK) {
        return status;
    }
    gspi_schedule_bump b = {arena, 0};
    gspi_actions *w = (gspi_actions *)gspi_schedule_push(&b, 1, sizeof(gspi_actions), 1);
    if (GSPI_SCHEDULE_NEVER(w == NULL)) { /* analysers see no room */
        return gspi_schedule_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE, GSP_NONE, "");
    }
    gspi_actions_resolve(&w->d, desc);
    gspi_actions_layout(&b, w);
    return gspi_schedule_leave(arena, mark, gspi_actions_solve(w, order, err));
}

#ifdef __cplusplus
}
#endif

GSPI_SCHEDULE_END

#endif /* GRAPHSPLIT_SCHEDULE_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_SCHEDULE_IMPLEMENTATION */
