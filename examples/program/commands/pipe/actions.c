/* The schedule as rows of actions. The transfers have the order of PyTorch 2.13
 * (torch.distributed.pipelining.schedules): its devices run one action each in rotation, and a send
 * puts the receive into the row of the other device. */
#include "commands/pipe/pipe.h"

#include <string.h>

#define ACTIVE 3u /* stages whose parameters a device has gathered, or one more in an overlap */

static void append(
    const pipe_job *p, pipe_row *row, uint32_t kind, uint32_t stage, uint32_t microbatch)
{
    gsp_action *a;
    if (row->n == row->room) {
        row->room = row->room != 0 ? 2u * row->room : 64u;
        row->actions =
            (gsp_action *)cli_grow(p->session, row->actions, row->room * sizeof *row->actions);
    }
    a = &row->actions[row->n++];
    a->stage = stage;
    a->microbatch = microbatch;
    a->kind = kind;
    a->joined = 0;
}

pipe_row *pipe_rows(const pipe_job *p)
{
    const gsp_schedule_result *r = &p->plan.run;
    const gsp_schedule_desc *d = &p->plan.schedule;
    pipe_row *rows = (pipe_row *)cli_alloc(p->session, r->n_devices, sizeof *rows);
    uint32_t k;
    uint32_t i;
    for (k = 0; k < r->n_devices && d->actions == NULL; k++) {
        for (i = r->task_begin[k]; i < r->task_begin[k + 1u]; i++) {
            append(p, &rows[k], r->tasks[i].backward, r->tasks[i].stage, r->tasks[i].microbatch);
        }
    }
    for (k = 0; k < r->n_devices && d->actions != NULL; k++) {
        for (i = d->action_begin[k]; i < d->action_begin[k + 1u]; i++) {
            const gsp_action *a = &d->actions[i];
            if (a->kind <= (uint32_t)GSP_ACTION_BACKWARD_WEIGHT ||
                (a->kind == (uint32_t)GSP_ACTION_WAIT && !p->opt.transfers)) {
                append(p, &rows[k], a->kind, a->stage, a->microbatch);
                rows[k].actions[rows[k].n - 1u].joined = a->joined;
            }
        }
    }
    return rows;
}

/* ---- parameters ---- */

static int is_in(const uint32_t *list, uint32_t n, uint32_t stage)
{
    uint32_t i = 0;
    while (i < n && list[i] != stage) {
        i++;
    }
    return i < n;
}

/* The next stages of a row, as many as are active; those of an overlap together. */
static uint32_t find_next(const pipe_row *row, uint32_t from, uint32_t most, uint32_t *next)
{
    uint32_t n = 0;
    uint32_t i;
    for (i = from; i < row->n && (n < most || row->actions[i - 1u].joined); i++) {
        if (n <= ACTIVE && !is_in(next, n, row->actions[i].stage)) {
            next[n++] = row->actions[i].stage;
        }
    }
    return n;
}

/* Releases what is in `from` and not in `to`, by number. */
static void release(const pipe_job *p, pipe_row *out, const uint32_t *from, uint32_t n,
    const uint32_t *to, uint32_t m)
{
    uint32_t left[ACTIVE + 1u];
    uint32_t count = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        uint32_t k = count;
        if (is_in(to, m, from[i])) {
            continue;
        }
        for (; k > 0 && left[k - 1u] > from[i]; k--) {
            left[k] = left[k - 1u];
        }
        left[k] = from[i];
        count++;
    }
    for (i = 0; i < count; i++) {
        append(p, out, GSP_ACTION_RELEASE, left[i], 0);
    }
}

/* Adds gathers, releases and sums; `ended` counts the last backward tasks of every stage. */
static void add_gathers(
    const pipe_job *p, const pipe_row *row, uint32_t n_local, uint32_t *ended, pipe_row *out)
{
    uint32_t const most = n_local < ACTIVE ? n_local : ACTIVE;
    uint32_t active[2][ACTIVE + 1u];
    uint32_t n[2] = {0, 0};
    uint32_t turn = 0;
    uint32_t head = 0; /* of an overlap */
    uint32_t i;
    for (i = 0; i < row->n; i++) {
        const gsp_action *a = &row->actions[i];
        if (i == head) {
            uint32_t k;
            n[!turn] = find_next(row, i, most, active[!turn]);
            release(p, out, active[turn], n[turn], active[!turn], n[!turn]);
            for (k = 0; k < n[!turn]; k++) {
                if (!is_in(active[turn], n[turn], active[!turn][k])) {
                    append(p, out, GSP_ACTION_GATHER, active[!turn][k], 0);
                }
            }
            turn = !turn;
        }
        append(p, out, a->kind, a->stage, a->microbatch);
        out->actions[out->n - 1u].joined = a->joined;
        if (a->joined) {
            continue;
        }
        for (; head <= i; head++) {
            const gsp_action *b = &row->actions[head];
            ended[b->stage] += b->kind == (uint32_t)GSP_ACTION_BACKWARD ||
                               b->kind == (uint32_t)GSP_ACTION_BACKWARD_WEIGHT;
            if (b->kind != (uint32_t)GSP_ACTION_FORWARD &&
                b->kind != (uint32_t)GSP_ACTION_BACKWARD_INPUT &&
                ended[b->stage] == p->plan.schedule.n_microbatches) {
                append(p, out, GSP_ACTION_REDUCE, b->stage, 0);
            }
        }
    }
    release(p, out, active[turn], n[turn], NULL, 0);
}

/* ---- transfers ---- */

typedef struct transfers {
    const pipe_job *p;
    pipe_row *todo;
    pipe_row *rows;
    uint32_t *at;      /* [devices] into todo */
    uint8_t *ended[2]; /* [stages * microbatches] forward, backward */
} transfers;

static size_t place(const transfers *w, uint32_t stage, uint32_t microbatch)
{
    return (size_t)stage * w->p->plan.schedule.n_microbatches + microbatch;
}

static int is_ready(const transfers *w, const gsp_action *a)
{
    switch (a->kind) {
    case GSP_ACTION_FORWARD:
        return a->stage == 0 || w->ended[0][place(w, a->stage - 1u, a->microbatch)];
    case GSP_ACTION_BACKWARD:
    case GSP_ACTION_BACKWARD_INPUT:
        return a->stage + 1u == w->p->plan.run.n_stages ||
               w->ended[1][place(w, a->stage + 1u, a->microbatch)];
    default:
        return 1;
    }
}

/* What follows an action: its send, and the receive elsewhere. */
static void transfer(transfers *w, const gsp_action *a)
{
    const gsp_schedule_desc *d = &w->p->plan.schedule;
    uint32_t back = a->kind != (uint32_t)GSP_ACTION_FORWARD;
    uint32_t to = back ? a->stage - 1u : a->stage + 1u;
    uint32_t device = gsp_schedule_device(d, a->stage);
    if (a->kind > (uint32_t)GSP_ACTION_BACKWARD_INPUT) {
        return;
    }
    w->ended[back][place(w, a->stage, a->microbatch)] = 1u;
    if (to < w->p->plan.run.n_stages && gsp_schedule_device(d, to) != device) {
        append(w->p, &w->rows[device], back ? GSP_ACTION_SEND_BACKWARD : GSP_ACTION_SEND_FORWARD,
            a->stage, a->microbatch);
        append(w->p, &w->rows[gsp_schedule_device(d, to)],
            back ? GSP_ACTION_RECEIVE_BACKWARD : GSP_ACTION_RECEIVE_FORWARD, to, a->microbatch);
    }
}

/* The next action of a device, with those that are joined, if the inputs of all are there. */
static void take_turn(transfers *w, uint32_t device)
{
    const pipe_row *todo = &w->todo[device];
    pipe_row *row = &w->rows[device];
    uint32_t end = w->at[device];
    uint32_t i;
    do {
        if (!is_ready(w, &todo->actions[end])) {
            return;
        }
    } while (todo->actions[end++].joined);
    for (i = w->at[device]; i < end; i++) {
        const gsp_action *a = &todo->actions[i];
        append(w->p, row, a->kind, a->stage, a->microbatch);
        row->actions[row->n - 1u].joined = a->joined;
    }
    for (; w->at[device] < end; w->at[device]++) {
        transfer(w, &todo->actions[w->at[device]]);
    }
}

pipe_row *pipe_rows_with_transfers(const pipe_job *p)
{
    cli_session *s = p->session;
    const gsp_schedule_result *r = &p->plan.run;
    pipe_row *tasks = pipe_rows(p);
    size_t pairs = (size_t)r->n_stages * p->plan.schedule.n_microbatches;
    uint32_t *ended = (uint32_t *)cli_alloc(s, r->n_stages, sizeof *ended);
    uint32_t *n_local = (uint32_t *)cli_alloc(s, r->n_devices, sizeof *n_local);
    uint32_t left = r->n_devices;
    transfers w;
    uint32_t k;
    w.p = p;
    w.todo = (pipe_row *)cli_alloc(s, r->n_devices, sizeof *w.todo);
    w.rows = (pipe_row *)cli_alloc(s, r->n_devices, sizeof *w.rows);
    w.at = (uint32_t *)cli_alloc(s, r->n_devices, sizeof *w.at);
    w.ended[0] = (uint8_t *)cli_alloc(s, pairs, 1u);
    w.ended[1] = (uint8_t *)cli_alloc(s, pairs, 1u);
    for (k = 0; k < r->n_stages; k++) {
        n_local[gsp_schedule_device(&p->plan.schedule, k)]++;
    }
    for (k = 0; k < r->n_devices; k++) {
        add_gathers(p, &tasks[k], n_local[k], ended, &w.todo[k]);
    }
    while (left > 0) { /* the run has shown that the order ends */
        left = 0;
        for (k = 0; k < r->n_devices; k++) {
            if (w.at[k] < w.todo[k].n) {
                take_turn(&w, k);
            }
            left += w.at[k] < w.todo[k].n;
        }
    }
    return w.rows;
}
