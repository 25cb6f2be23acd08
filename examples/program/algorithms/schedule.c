/* Schedules. A formula gives the order of a device: its n-th forward and n-th backward task, and
 * which is next. A worklist of devices gives the times. A device runs until its next task is
 * blocked, and every task that ends unblocks the devices that need it. */
#include "algorithms/algorithms.h"

#include <string.h>

typedef struct work {
    cli_schedule_desc d; /* with defaults */
    cli_task *tasks;
    uint32_t *task_begin;
    uint64_t *busy;
    uint64_t *peak;
    uint32_t *held;
    uint32_t *in_flight;
    gsp_mark results;    /* arena mark */
    uint64_t *end[2];    /* [microbatches * stages] ends of tasks; UINT64_MAX if unknown */
    uint32_t *kept;      /* [stages] microbatches that it keeps now */
    uint32_t *done;      /* [devices] actions, */
    uint32_t *ended;     /* [devices] and tasks among them */
    uint32_t *waiting;   /* [devices] work list */
    uint8_t *is_waiting; /* [devices] */
    uint32_t n_waiting;
    uint32_t n_stages;
    uint32_t rounds; /* INTERLEAVED: number of rounds of microbatches, */
    uint32_t round;  /* microbatches per round, */
    uint32_t longer; /* rounds that have one more */
} work;

static size_t times(size_t a, size_t b)
{
    return b != 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

/* Actions that are tasks. */
static int is_task(const cli_action *a)
{
    return a->kind <= (uint32_t)CLI_ACTION_BACKWARD_WEIGHT;
}

static cli_schedule_desc resolve(const cli_schedule_desc *desc)
{
    cli_schedule_desc d = *desc;
    d.n_devices += d.n_devices == 0 ? 1u : 0u;
    d.n_microbatches += d.n_microbatches == 0 ? 1u : 0u;
    if (d.n_chunks == 0) {
        int fixed;
        d.n_chunks = cli_schedule_chunks(d.kind, &fixed);
    }
    return d;
}

int cli_schedule_is_v(uint32_t kind)
{
    return kind >= (uint32_t)CLI_SCHEDULE_ZBV && kind <= (uint32_t)CLI_SCHEDULE_DUALPIPEV;
}

uint32_t cli_schedule_chunks(uint32_t kind, int *fixed)
{
    *fixed = kind != (uint32_t)CLI_SCHEDULE_INTERLEAVED &&
             kind != (uint32_t)CLI_SCHEDULE_LOOPED_BFS &&
             kind != (uint32_t)CLI_SCHEDULE_INTERLEAVED_ZB;
    return !*fixed || cli_schedule_is_v(kind) ? 2u : 1u;
}

static size_t count_stages(const cli_schedule_desc *d)
{
    return d->actions != NULL ? d->n_stages : times(d->n_devices, d->n_chunks);
}

static void find_rounds(work *w)
{
    uint32_t const n = w->d.n_microbatches;
    w->rounds = n > w->d.n_devices ? n / w->d.n_devices : 1u;
    w->round = n / w->rounds;
    w->longer = n % w->rounds;
}

static size_t lay_out(work *w, gsp_arena *arena, const cli_schedule_desc *desc)
{
    cli_schedule_desc const d = resolve(desc);
    cli_layout l = {arena, 0};
    size_t const stages = count_stages(&d);
    size_t const pairs = times(stages, d.n_microbatches);
    size_t const tasks = d.actions != NULL ? d.action_begin[d.n_devices]
                         : d.inference     ? pairs
                                           : times(pairs, 2u);
    w->d = d;
    w->tasks = CLI_ROW(&l, cli_task, tasks < UINT32_MAX ? tasks : SIZE_MAX);
    w->task_begin = CLI_ROW(&l, uint32_t, d.n_devices + (size_t)1u);
    w->busy = CLI_ROW(&l, uint64_t, d.n_devices);
    w->peak = CLI_ROW(&l, uint64_t, d.n_devices);
    w->held = CLI_ROW(&l, uint32_t, stages);
    w->in_flight = CLI_ROW(&l, uint32_t, d.n_devices);
    if (arena != NULL) {
        w->results = gsp_arena_mark(arena);
    }
    w->end[0] = CLI_ROW(&l, uint64_t, pairs);
    w->end[1] = CLI_ROW(&l, uint64_t, d.inference ? 0u : pairs);
    w->kept = CLI_ROW(&l, uint32_t, stages);
    w->done = CLI_ROW(&l, uint32_t, d.n_devices);
    w->ended = CLI_ROW(&l, uint32_t, d.n_devices);
    w->waiting = CLI_ROW(&l, uint32_t, d.n_devices);
    w->is_waiting = CLI_ROW(&l, uint8_t, d.n_devices);
    w->n_waiting = 0;
    w->n_stages = (uint32_t)stages;
    find_rounds(w);
    return cli_layout_bound(&l);
}

size_t cli_schedule_bound(const cli_schedule_desc *desc)
{
    work w;
    return lay_out(&w, NULL, desc);
}

/* ---- costs of stages ---- */

/* UINT64_MAX on overflow. */
static uint64_t times_ticks(uint64_t a, uint64_t factor)
{
    return factor != 0 && a > UINT64_MAX / factor ? UINT64_MAX : a * factor;
}

void cli_schedule_use_loads(cli_schedule_desc *desc, const cli_schedule_loads *from)
{
    uint64_t const factor = from->backward != 0 ? from->backward : 2u;
    uint64_t const copies = from->copies != 0 ? from->copies : 1u;
    size_t const n = from->n_stages;
    uint64_t *row = from->rows;
    for (size_t i = 0; i < n; i++) {
        const gsp_stage_cost *load = &from->loads[i];
        uint64_t const compute = times_ticks(load->compute, factor);
        row[i] = load->time;
        row[n + i] = cli_add(compute, cli_add(load->enter, load->leave));
        row[2u * n + i] = compute / 2u;
        row[3u * n + i] = load->stash;
        row[4u * n + i] = times_ticks(load->params, copies);
    }
    desc->forward = row;
    desc->backward = row + n;
    desc->weight = row + 2u * n;
    desc->stash = row + 3u * n;
    desc->resident = row + 4u * n;
}

/* ---- orders ---- */

/* The n-th forward or backward task of a device. */
static void find_nth(const work *w, uint32_t n, cli_task *t)
{
    const cli_schedule_desc *d = &w->d;
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

void cli_schedule_nth(const cli_schedule_desc *desc, uint32_t n, cli_task *task)
{
    work w;
    w.d = resolve(desc);
    find_rounds(&w);
    find_nth(&w, n, task);
}

/* Forward tasks before the first backward one. */
static uint32_t forward_ahead(const work *w, uint32_t device)
{
    const cli_schedule_desc *d = &w->d;
    uint64_t const all = (uint64_t)d->n_chunks * d->n_microbatches;
    uint64_t const behind = d->n_devices - 1u - device;
    uint64_t ahead = behind;
    if (d->inference || d->kind == CLI_SCHEDULE_GPIPE) {
        return (uint32_t)all;
    }
    if (d->n_chunks > 1u) {
        ahead = 2u * behind + (d->n_chunks - 1u) * ((uint64_t)w->round + (w->longer ? 1u : 0u));
    }
    return ahead < all ? (uint32_t)ahead : (uint32_t)all;
}

uint32_t cli_schedule_ahead(const cli_schedule_desc *desc, uint32_t device)
{
    work w;
    w.d = resolve(desc);
    find_rounds(&w);
    return forward_ahead(&w, device);
}

const char *cli_action_word(uint32_t kind)
{
    static const char *const words[] = {"F", "B", "I", "W", "SEND_F", "SEND_B", "RECV_F", "RECV_B",
        "UNSHARD", "RESHARD", "REDUCE_GRAD"};
    return words[kind];
}

int cli_task_frees(const cli_schedule_desc *desc, const cli_task *t)
{
    return desc->inference || t->backward == (uint32_t)CLI_ACTION_BACKWARD ||
           t->backward == (uint32_t)CLI_ACTION_BACKWARD_WEIGHT;
}

uint32_t cli_schedule_device(const cli_schedule_desc *desc, uint32_t stage)
{
    return desc->actions != NULL ? desc->device_of[stage] : stage % desc->n_devices;
}

/* Task i of a device: first forward tasks, then forward and backward alternate, then backward
 * tasks. */
static cli_task nth_task(const work *w, uint32_t device, uint32_t i)
{
    cli_task t = {0};
    uint32_t const all = w->d.n_chunks * w->d.n_microbatches;
    uint32_t const ahead = forward_ahead(w, device);
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
    find_nth(w, n, &t);
    return t;
}

/* Action i of a device as a task; a send keeps its kind. */
static cli_task task_of(const work *w, uint32_t device, uint32_t i)
{
    cli_task t = {0};
    const cli_action *a;
    if (w->d.actions == NULL) {
        return nth_task(w, device, i);
    }
    a = &w->d.actions[w->d.action_begin[device] + i];
    t.stage = a->stage;
    t.microbatch = a->microbatch;
    t.backward = a->kind;
    t.device = device;
    return t;
}

static uint32_t count_actions(const work *w, uint32_t device)
{
    const cli_schedule_desc *d = &w->d;
    return d->actions != NULL ? d->action_begin[device + 1u] - d->action_begin[device]
                              : w->task_begin[device + 1u] - w->task_begin[device];
}

/* ---- times ---- */

static uint64_t cost(const uint64_t *costs, uint32_t stage)
{
    return costs == NULL ? 0u : costs[stage];
}

uint64_t cli_schedule_ticks(const cli_schedule_desc *d, const cli_task *t)
{
    uint64_t const forward = d->forward == NULL ? 1u : d->forward[t->stage];
    uint64_t const backward = d->backward == NULL ? 2u * forward : d->backward[t->stage];
    uint64_t const weight = d->weight == NULL ? backward / 2u : d->weight[t->stage];
    switch (t->backward) {
    case CLI_ACTION_FORWARD:
        return forward;
    case CLI_ACTION_BACKWARD_INPUT:
        return backward - weight;
    case CLI_ACTION_BACKWARD_WEIGHT:
        return weight;
    default:
        return backward;
    }
}

/* When the input of a task is there; UINT64_MAX if not yet known. */
static uint64_t ready_at(const work *w, const cli_task *t)
{
    const cli_schedule_desc *d = &w->d;
    size_t const at = (size_t)t->microbatch * w->n_stages + t->stage;
    int const alone = t->backward ? t->stage + 1u == w->n_stages : t->stage == 0u;
    uint32_t const s = t->backward ? t->stage : t->stage - 1u; /* the end of the pipeline */
    uint64_t other;
    if (alone || t->backward == (uint32_t)CLI_ACTION_BACKWARD_WEIGHT) {
        return 0u;
    }
    other = t->backward ? w->end[1][at + 1u] : w->end[0][at - 1u];
    return other == UINT64_MAX ? other : other + cost(d->move, s);
}

static void wake(work *w, uint32_t device)
{
    if (!w->is_waiting[device]) {
        w->is_waiting[device] = 1u;
        w->waiting[w->n_waiting++] = device;
    }
}

/* A stage sends its result to the next one, or its gradient to the previous one. */
static void hand_over(work *w, const cli_task *t, uint64_t now)
{
    const cli_schedule_desc *d = &w->d;
    uint32_t const back = t->backward != (uint32_t)CLI_ACTION_FORWARD &&
                          t->backward != (uint32_t)CLI_ACTION_SEND_FORWARD;
    uint32_t const to = back ? t->stage - 1u : t->stage + 1u;
    if (t->backward == (uint32_t)CLI_ACTION_BACKWARD_WEIGHT || to >= w->n_stages) {
        return;
    }
    if (d->sends && t->backward < (uint32_t)CLI_ACTION_SEND_FORWARD &&
        d->device_of[to] != t->device) {
        return; /* the send will */
    }
    w->end[back][(size_t)t->microbatch * w->n_stages + t->stage] = now;
    wake(w, cli_schedule_device(d, to));
}

/* The first blocked action from i on among joined ones, or GSP_NONE. */
static uint32_t find_blocked(const work *w, uint32_t device, uint32_t i)
{
    const cli_schedule_desc *d = &w->d;
    int joined = 1;
    for (; joined; i++) {
        cli_task const t = task_of(w, device, i);
        if (t.backward < (uint32_t)CLI_ACTION_SEND_FORWARD && ready_at(w, &t) == UINT64_MAX) {
            return i;
        }
        joined = d->actions != NULL && d->actions[d->action_begin[device] + i].joined;
    }
    return GSP_NONE;
}

/* Runs the actions of a device until one is blocked. */
static void run_device(work *w, uint32_t device)
{
    uint32_t const last = count_actions(w, device);
    cli_task *next = &w->tasks[w->task_begin[device] + w->ended[device]];
    uint64_t now = w->ended[device] == 0u ? 0u : next[-1].end;
    uint32_t i = w->done[device];
    for (; i < last && find_blocked(w, device, i) == GSP_NONE; i++) {
        cli_task t = task_of(w, device, i);
        if (t.backward < (uint32_t)CLI_ACTION_SEND_FORWARD) {
            t.begin = ready_at(w, &t);
            t.begin = now > t.begin ? now : t.begin;
            t.end = t.begin + cli_schedule_ticks(&w->d, &t);
            now = t.end;
            w->busy[device] += t.end - t.begin;
            *next++ = t;
        }
        if (t.backward != (uint32_t)CLI_ACTION_WAIT) {
            hand_over(w, &t, now);
        }
    }
    w->done[device] = i;
    w->ended[device] = (uint32_t)(next - &w->tasks[w->task_begin[device]]);
}

static void count_tasks(work *w)
{
    const cli_schedule_desc *d = &w->d;
    uint32_t const each = d->n_chunks * d->n_microbatches * (d->inference ? 1u : 2u);
    w->task_begin[0] = 0;
    for (uint32_t k = 0; k < d->n_devices; k++) {
        uint32_t n = d->actions == NULL ? each : 0u;
        for (uint32_t i = 0; d->actions != NULL && i < count_actions(w, k); i++) {
            n += is_task(&d->actions[d->action_begin[k] + i]) ? 1u : 0u;
        }
        w->task_begin[k + 1u] = w->task_begin[k] + n;
    }
}

static void find_times(work *w)
{
    const cli_schedule_desc *d = &w->d;
    size_t const pairs = (size_t)w->n_stages * d->n_microbatches;
    memset(w->end[0], 0xFF, pairs * sizeof *w->end[0]);
    memset(w->end[1], 0xFF, (d->inference ? 0u : pairs) * sizeof *w->end[1]);
    memset(w->busy, 0, d->n_devices * sizeof *w->busy);
    memset(w->done, 0, d->n_devices * sizeof *w->done);
    memset(w->ended, 0, d->n_devices * sizeof *w->ended);
    memset(w->is_waiting, 0, d->n_devices);
    count_tasks(w);
    for (uint32_t k = d->n_devices; k > 0; k--) {
        wake(w, k - 1u);
    }
    while (w->n_waiting > 0) {
        uint32_t const device = w->waiting[--w->n_waiting];
        w->is_waiting[device] = 0;
        run_device(w, device);
    }
}

/* The blocked task of a device. */
static cli_task blocked_task(const work *w, uint32_t device)
{
    return task_of(w, device, find_blocked(w, device, w->done[device]));
}

/* The device with the task that it needs. */
static uint32_t waits_for(const work *w, uint32_t device)
{
    cli_task const t = blocked_task(w, device);
    return cli_schedule_device(&w->d, t.backward ? t.stage + 1u : t.stage - 1u);
}

/* The other device needs this task itself, not a later one. */
static int is_awaited(const work *w, uint32_t device, uint32_t by)
{
    cli_task const t = blocked_task(w, by);
    cli_task const o = blocked_task(w, device);
    return o.stage == (t.backward ? t.stage + 1u : t.stage - 1u) && o.microbatch == t.microbatch &&
           !o.backward == !t.backward;
}

/* After as many steps as there are devices, a blocked device is on a cycle. Some device of it needs
 * a later task of a row. */
static gsp_status find_circle(const work *w, gsp_error *err)
{
    uint32_t at = 0;
    uint32_t other;
    while (at < w->d.n_devices && w->done[at] == count_actions(w, at)) {
        at++;
    }
    if (at == w->d.n_devices) {
        return GSP_OK;
    }
    for (uint32_t i = 0; i < w->d.n_devices; i++) {
        at = waits_for(w, at);
    }
    other = waits_for(w, at);
    while (is_awaited(w, other, at)) {
        at = other;
        other = waits_for(w, at);
    }
    cli_fail(err, GSP_STATUS_CYCLE, GSP_DETAIL_NONE,
        w->d.action_begin[at] + find_blocked(w, at, w->done[at]));
    if (err != NULL) {
        err->other = w->d.action_begin[other] + find_blocked(w, other, w->done[other]);
    }
    return GSP_STATUS_CYCLE;
}

/* ---- results ---- */

static void find_resident(work *w)
{
    memset(w->peak, 0, w->d.n_devices * sizeof *w->peak);
    memset(w->held, 0, w->n_stages * sizeof *w->held);
    memset(w->kept, 0, w->n_stages * sizeof *w->kept);
    for (uint32_t s = 0; s < w->n_stages; s++) {
        w->peak[cli_schedule_device(&w->d, s)] += cost(w->d.resident, s);
    }
}

/* Bytes over time. A stage keeps a microbatch from the start of its forward task to the end of its
 * last backward task; in inference, during the one task. */
static void find_peak(work *w, uint32_t device)
{
    const cli_schedule_desc *d = &w->d;
    uint64_t bytes = w->peak[device]; /* those that are always allocated */
    uint32_t kept = 0;
    w->in_flight[device] = 0;
    for (uint32_t i = w->task_begin[device]; i < w->task_begin[device + 1u]; i++) {
        uint32_t const s = w->tasks[i].stage;
        if (!w->tasks[i].backward) {
            bytes += cost(d->stash, s);
            w->kept[s]++;
            w->held[s] = w->kept[s] > w->held[s] ? w->kept[s] : w->held[s];
            kept++;
            w->in_flight[device] = kept > w->in_flight[device] ? kept : w->in_flight[device];
            w->peak[device] = bytes > w->peak[device] ? bytes : w->peak[device];
        }
        if (cli_task_frees(d, &w->tasks[i])) {
            bytes -= cost(d->stash, s);
            w->kept[s]--;
            kept--;
        }
    }
}

/* part / whole in millionths, rounded half up, by long division. */
static uint32_t share(uint64_t part, uint64_t whole)
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

static void fill_result(work *w, cli_schedule *r)
{
    uint32_t const devices = w->d.n_devices;
    uint64_t span = 0;
    uint64_t idle = 0;
    uint64_t gaps = 0;
    uint64_t windows = 0; /* of all devices, from the first task to the last */
    find_resident(w);
    for (uint32_t k = 0; k < devices; k++) {
        uint64_t const end = w->task_begin[k + 1u] == w->task_begin[k]
                                 ? 0u
                                 : w->tasks[w->task_begin[k + 1u] - 1u].end;
        span = end > span ? end : span;
        find_peak(w, k);
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
    r->bubble = share(idle, span * devices);
    r->gaps = share(gaps, windows);
    r->span = span;
    r->task_begin = w->task_begin;
    r->tasks = w->tasks;
    r->busy = w->busy;
    r->peak = w->peak;
    r->held = w->held;
    r->in_flight = w->in_flight;
}

static void add(uint64_t *sum, uint64_t a, uint64_t factor)
{
    *sum = cli_add(*sum, times_ticks(a, factor));
}

/* The sum of all ticks of all devices fits into 63 bits, and so does the sum of all bytes. */
static int sizes_fit(const cli_schedule_desc *d)
{
    uint32_t const stages = (uint32_t)count_stages(d);
    uint64_t ticks = 0;
    uint64_t all = 0;
    uint64_t bytes = 0;
    for (uint32_t s = 0; s < stages; s++) {
        uint64_t const forward = d->forward == NULL ? 1u : d->forward[s];
        add(&ticks, forward, d->backward == NULL ? 3u : 1u);
        add(&ticks, cost(d->backward, s), 1u);
        add(&ticks, cost(d->move, s), 2u);
        add(&bytes, cost(d->stash, s), d->n_microbatches);
        add(&bytes, cost(d->resident, s), 1u);
    }
    add(&all, ticks, (uint64_t)d->n_microbatches * d->n_devices);
    return all <= UINT64_MAX / 2u && bytes <= UINT64_MAX / 2u;
}

gsp_status cli_schedule_run(
    gsp_arena *arena, const cli_schedule_desc *desc, cli_schedule *result, gsp_error *err)
{
    cli_schedule_desc const d = resolve(desc);
    gsp_mark start;
    gsp_status status;
    work w;
    if (d.actions == NULL && (d.kind > (uint32_t)CLI_SCHEDULE_INTERLEAVED ||
                                 (d.n_chunks > 1u && d.kind != CLI_SCHEDULE_INTERLEAVED))) {
        return cli_fail(err, GSP_STATUS_DESC, GSP_DETAIL_NONE, GSP_NONE);
    }
    status = cli_room(arena, cli_schedule_bound(&d), err);
    if (status != GSP_OK) {
        return status;
    }
    if (!sizes_fit(&d)) {
        return cli_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, GSP_NONE);
    }
    start = gsp_arena_mark(arena);
    if ((status = cli_laid_out(lay_out(&w, arena, &d), arena, start, err)) != GSP_OK) {
        return status;
    }
    find_times(&w);
    status = find_circle(&w, err);
    if (status == GSP_OK) {
        fill_result(&w, result);
    }
    gsp_arena_rewind(arena, status == GSP_OK ? w.results : start);
    return status;
}
