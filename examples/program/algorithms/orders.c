/* Orders. Those of PyTorch are written from counts of their phases. */
#include "algorithms/algorithms.h"

#include <string.h>

enum {
    FORWARD = GSP_ACTION_FORWARD,
    FULL = GSP_ACTION_BACKWARD,
    INPUT = GSP_ACTION_BACKWARD_INPUT,
    WEIGHT = GSP_ACTION_BACKWARD_WEIGHT
};

typedef struct orders {
    gsp_schedule_desc d; /* with defaults */
    gsp_action *actions;
    uint32_t *begin;     /* [devices + 1] */
    uint32_t *device_of; /* [stages] */
    gsp_mark results;
    uint32_t n; /* actions so far */
    uint32_t n_stages;
    /* INTERLEAVED_ZB */
    gsp_action *raw; /* without the waits for inputs */
    uint32_t *step;  /* [stages * microbatches] of the forward task; GSP_NONE if unknown */
    uint32_t *at;    /* [devices] */
    uint32_t *clock; /* [devices] */
    cli_greedy greedy;
} orders;

int cli_orders_need(uint32_t kind)
{
    return kind > (uint32_t)GSP_SCHEDULE_INTERLEAVED && kind < (uint32_t)GSP_SCHEDULE_COUNT;
}

static int is_greedy(uint32_t kind)
{
    return kind == (uint32_t)GSP_SCHEDULE_ZB_H1 || kind == (uint32_t)GSP_SCHEDULE_ZB_H2 ||
           kind == (uint32_t)GSP_SCHEDULE_V_HALF || kind == (uint32_t)GSP_SCHEDULE_V_MIN;
}

static gsp_schedule_desc resolve(const gsp_schedule_desc *desc)
{
    gsp_schedule_desc d = *desc;
    int fixed;
    d.n_devices += d.n_devices == 0 ? 1u : 0u;
    d.n_microbatches += d.n_microbatches == 0 ? 1u : 0u;
    d.n_chunks = d.n_chunks == 0 ? gsp_schedule_chunks(d.kind, &fixed) : d.n_chunks;
    return d;
}

uint32_t cli_orders_least(const gsp_schedule_desc *desc)
{
    gsp_schedule_desc const d = resolve(desc);
    return d.kind == (uint32_t)GSP_SCHEDULE_DUALPIPEV ? 2u * d.n_devices : 1u;
}

static size_t lay_out(orders *o, gsp_arena *arena, const gsp_schedule_desc *desc)
{
    gsp_schedule_desc const d = resolve(desc);
    cli_layout l = {arena, 0};
    uint64_t const stages = (uint64_t)d.n_devices * d.n_chunks;
    uint64_t const pairs = stages < UINT32_MAX ? stages * d.n_microbatches : UINT64_MAX;
    size_t const tasks = 3u * (size_t)pairs;
    int const waits = d.kind == (uint32_t)GSP_SCHEDULE_INTERLEAVED_ZB;
    if (pairs >= UINT32_MAX / 8u) { /* three tasks each, and a wait before each */
        return SIZE_MAX;
    }
    o->d = d;
    o->n = 0;
    o->n_stages = (uint32_t)stages;
    o->actions = CLI_ROW(&l, gsp_action, 2u * tasks + d.n_devices);
    o->begin = CLI_ROW(&l, uint32_t, d.n_devices + (size_t)1u);
    o->device_of = CLI_ROW(&l, uint32_t, (size_t)stages);
    if (arena != NULL) {
        o->results = gsp_arena_mark(arena);
    }
    o->raw = CLI_ROW(&l, gsp_action, waits ? 2u * tasks + d.n_devices : 0u);
    o->step = CLI_ROW(&l, uint32_t, waits ? tasks / 3u : 0u);
    o->at = CLI_ROW(&l, uint32_t, waits ? d.n_devices : 0u);
    o->clock = CLI_ROW(&l, uint32_t, waits ? d.n_devices : 0u);
    if (is_greedy(d.kind)) {
        cli_greedy_lay_out(&o->greedy, &l, &d);
    }
    return cli_layout_bound(&l);
}

size_t cli_orders_bound(const gsp_schedule_desc *desc)
{
    orders o;
    return lay_out(&o, NULL, desc);
}

/* ---- rows ---- */

static void put_wait(orders *o, uint32_t device, uint32_t n)
{
    if (o->n > o->begin[device] && o->actions[o->n - 1u].kind == (uint32_t)GSP_ACTION_WAIT) {
        o->actions[o->n - 1u].microbatch += n;
    } else if (n > 0) {
        gsp_action const a = {0, n, GSP_ACTION_WAIT, 0};
        o->actions[o->n++] = a;
    }
}

static void put(orders *o, uint32_t kind, uint32_t stage, uint32_t microbatch)
{
    gsp_action const a = {stage, microbatch, kind, 0};
    o->actions[o->n++] = a;
}

static void looped_bfs(orders *o, uint32_t device)
{
    const gsp_schedule_desc *d = &o->d;
    put_wait(o, device, device);
    for (uint32_t i = 0; i < d->n_chunks * d->n_microbatches; i++) {
        put(o, FORWARD, device + i / d->n_microbatches * d->n_devices, i % d->n_microbatches);
    }
    put_wait(o, device, 2u * (d->n_devices - 1u - device));
    for (uint32_t i = d->n_chunks * d->n_microbatches; i > 0; i--) {
        put(o, FULL, device + (i - 1u) / d->n_microbatches * d->n_devices,
            (i - 1u) % d->n_microbatches);
    }
}

static void put_nth(orders *o, uint32_t kind, uint32_t device, uint32_t n)
{
    gsp_task t = {0, 0, kind != (uint32_t)FORWARD, device, 0, 0};
    gsp_schedule_nth(&o->d, n, &t);
    put(o, kind, t.stage, t.microbatch);
}

/* INTERLEAVED with less ahead. The part for the parameters comes `device` tasks late. */
static void interleaved_zb(orders *o, uint32_t device)
{
    const gsp_schedule_desc *d = &o->d;
    uint32_t const all = d->n_chunks * d->n_microbatches;
    uint32_t const rounds = d->n_microbatches > d->n_devices ? d->n_microbatches / d->n_devices : 1;
    uint32_t const round = (d->n_microbatches + rounds - 1u) / rounds;
    uint32_t const wanted = (d->n_chunks - 1u) * round + d->n_devices - 1u - device;
    uint32_t const ahead = wanted < all ? wanted : all;
    put_wait(o, device, device);
    for (uint32_t n = 0; n < ahead; n++) {
        put_nth(o, FORWARD, device, n);
    }
    put_wait(o, device, ahead > 0 ? d->n_devices - 1u - device : 0u);
    for (uint32_t n = 0; n < all + device; n++) {
        if (n < all - ahead) {
            put_nth(o, FORWARD, device, ahead + n);
        }
        if (n < all) {
            put_nth(o, INPUT, device, n);
        }
        if (n >= device) {
            put_nth(o, WEIGHT, device, n - device);
        }
    }
}

/* The step of an action, after those of the previous stage for forward tasks; GSP_NONE if not yet
 * known. */
static uint32_t find_step(const orders *o, const gsp_action *a, uint32_t clock)
{
    uint32_t before;
    if (a->kind != (uint32_t)FORWARD || a->stage == 0) {
        return clock;
    }
    before = o->step[(size_t)(a->stage - 1u) * o->d.n_microbatches + a->microbatch];
    return before == GSP_NONE ? GSP_NONE : before < clock ? clock : before + 1u;
}

/* Runs a row until it is blocked; returns 1 if some action was run. */
static int run_row(orders *o, uint32_t device)
{
    uint32_t const from = o->at[device];
    for (; o->at[device] < o->begin[device + 1u]; o->at[device]++) {
        const gsp_action *a = &o->raw[o->at[device]];
        uint32_t const step = find_step(o, a, o->clock[device]);
        if (step == GSP_NONE) {
            break;
        }
        if (a->kind == (uint32_t)FORWARD) {
            o->step[(size_t)a->stage * o->d.n_microbatches + a->microbatch] = step;
        }
        o->clock[device] = a->kind == (uint32_t)GSP_ACTION_WAIT ? step + a->microbatch : step + 1u;
    }
    return o->at[device] > from;
}

/* Adds the steps in which a forward task waits for the previous stage. */
static void add_waits(orders *o)
{
    uint32_t const devices = o->d.n_devices;
    int more = 1;
    memcpy(o->raw, o->actions, o->n * sizeof *o->raw);
    memset(o->step, 0xFF, (size_t)o->n_stages * o->d.n_microbatches * sizeof *o->step);
    memcpy(o->at, o->begin, devices * sizeof *o->at);
    memset(o->clock, 0, devices * sizeof *o->clock);
    while (more) {
        more = 0;
        for (uint32_t k = 0; k < devices; k++) {
            more |= run_row(o, k);
        }
    }
    o->n = 0;
    for (uint32_t k = 0; k < devices; k++) {
        uint32_t const end = o->begin[k + 1u];
        uint32_t clock = 0;
        uint32_t i = k == 0 ? 0u : o->at[k - 1u];
        o->at[k] = end;
        o->begin[k] = o->n;
        for (; i < end; i++) {
            const gsp_action *a = &o->raw[i];
            uint32_t const step = find_step(o, a, clock);
            if (a->kind == (uint32_t)GSP_ACTION_WAIT) {
                put_wait(o, k, a->microbatch);
                clock += a->microbatch;
                continue;
            }
            put_wait(o, k, step - clock);
            put(o, a->kind, a->stage, a->microbatch);
            clock = step + 1u;
        }
    }
    o->begin[devices] = o->n;
}

/* ---- in the shape of a V: chunk 0 from the first device to the last, chunk 1 back ---- */

typedef struct v_row {
    orders *o;
    uint32_t device;
    uint32_t stage[2];
    uint32_t forward[2]; /* tasks so far of each chunk, */
    uint32_t input[2];
    uint32_t weight[2];
} v_row;

static v_row begin_v(orders *o, uint32_t device)
{
    v_row const r = {o, device, {device, o->n_stages - 1u - device}, {0, 0}, {0, 0}, {0, 0}};
    return r;
}

/* The next task of a chunk, or a wait after the last microbatch. */
static void put_next(v_row *r, uint32_t kind, uint32_t chunk)
{
    uint32_t *next = kind == (uint32_t)FORWARD  ? r->forward
                     : kind == (uint32_t)WEIGHT ? r->weight
                                                : r->input;
    uint32_t const microbatch = next[chunk]++;
    r->weight[chunk] += kind == (uint32_t)FULL ? 1u : 0u;
    if (microbatch < r->o->d.n_microbatches) {
        put(r->o, kind, r->stage[chunk], microbatch);
    } else {
        put_wait(r->o, r->device, 1u);
    }
}

static void put_parts(v_row *r, uint32_t chunk)
{
    put_next(r, INPUT, chunk);
    put_next(r, WEIGHT, chunk);
}

static void zbv(orders *o, uint32_t device)
{
    uint32_t const p = o->d.n_devices;
    uint32_t const m =
        o->d.n_microbatches < 2u * p - 1u ? 2u * p - 1u : o->d.n_microbatches; /* fills the V */
    v_row r = begin_v(o, device);
    put_wait(o, device, device);
    for (uint32_t i = 0; i < 2u * (p - device) - 1u; i++) {
        put_next(&r, FORWARD, 0);
    }
    for (uint32_t i = 0; i < device; i++) {
        put_next(&r, FORWARD, 1);
        put_next(&r, FORWARD, 0);
    }
    for (uint32_t i = 0; i < p - device; i++) {
        put_next(&r, FORWARD, 1);
        put_parts(&r, 1);
    }
    while (r.forward[1] < r.forward[0] || r.forward[0] < m) {
        if (r.forward[0] < m) {
            put_next(&r, FORWARD, 0);
        }
        put_parts(&r, 0);
        put_next(&r, FORWARD, 1);
        put_parts(&r, 1);
    }
    for (uint32_t i = 0; i < device; i++) {
        put_next(&r, INPUT, 0);
        put_next(&r, INPUT, 1);
    }
    for (uint32_t i = 0; i < p - device; i++) {
        put_parts(&r, 0);
    }
    while (r.weight[1] < r.input[1]) {
        put_next(&r, WEIGHT, 1);
    }
    while (r.weight[0] < r.input[0]) {
        put_next(&r, WEIGHT, 0);
    }
}

/* A forward task of one chunk and a backward task of the other that overlap. */
static void put_both(v_row *r, uint32_t forward)
{
    put_next(r, FORWARD, forward);
    r->o->actions[r->o->n - 1u].joined = 1u;
    put_next(r, FULL, !forward);
}

/* The last backward tasks, in which the chunks alternate. From the second half on, weight gradients
 * are delayed; the oldest is first. */
static void end_dualpipev(v_row *r)
{
    uint32_t const p = r->o->d.n_devices;
    uint32_t const half = r->device + 1u;
    uint32_t const behind = p - half;
    for (uint32_t i = 0; i < 2u * half; i++) {
        put_next(r, i < half ? FULL : INPUT, (i + 1u) % 2u);
    }
    for (uint32_t i = 0; i < p; i++) {
        put_next(r, WEIGHT, i < half ? (half + i + 1u) % 2u : 0u);
        if (i < behind) {
            put_next(r, INPUT, 0);
        }
    }
}

static void dualpipev(orders *o, uint32_t device)
{
    uint32_t const p = o->d.n_devices;
    uint32_t const behind = p - 1u - device;
    uint32_t const pairs = o->d.n_microbatches - 2u * p + device + 1u;
    v_row r = begin_v(o, device);
    for (uint32_t i = 0; i < 2u * behind; i++) {
        put_next(&r, FORWARD, 0);
    }
    for (uint32_t i = 0; i <= device; i++) {
        put_next(&r, FORWARD, 0);
        put_next(&r, FORWARD, 1);
    }
    for (uint32_t i = 0; i < behind; i++) {
        put_parts(&r, 1);
        put_next(&r, FORWARD, 1);
    }
    for (uint32_t i = 0; i < pairs; i++) {
        put_both(&r, 0);
        if (i == 0 && behind == 0) { /* on the last device the input would come too late */
            o->actions[o->n - 2u].joined = 0;
        }
        put_both(&r, 1);
    }
    for (uint32_t i = 0; i < behind; i++) {
        put_next(&r, FULL, 1);
        put_both(&r, 1);
    }
    end_dualpipev(&r);
}

/* ---- all ---- */

static void put_rows(orders *o)
{
    void (*row)(orders *, uint32_t) = NULL;
    switch (o->d.kind) {
    case GSP_SCHEDULE_LOOPED_BFS:
        row = looped_bfs;
        break;
    case GSP_SCHEDULE_INTERLEAVED_ZB:
        row = interleaved_zb;
        break;
    case GSP_SCHEDULE_ZBV:
        row = zbv;
        break;
    default:
        row = dualpipev;
        break;
    }
    o->begin[0] = 0;
    for (uint32_t k = 0; k < o->d.n_devices; k++) {
        row(o, k);
        o->begin[k + 1u] = o->n;
    }
    if (o->d.kind == (uint32_t)GSP_SCHEDULE_INTERLEAVED_ZB) {
        add_waits(o);
    }
}

/* Inference: the forward tasks alone. */
static void drop_backward(orders *o)
{
    uint32_t n = 0;
    uint32_t i = 0;
    for (uint32_t k = 0; k < o->d.n_devices; k++) {
        for (; i < o->begin[k + 1u]; i++) {
            if (o->actions[i].kind == (uint32_t)FORWARD) {
                o->actions[n] = o->actions[i];
                o->actions[n++].joined = 0;
            }
        }
        o->begin[k + 1u] = n;
    }
}

gsp_status cli_orders_make(gsp_arena *arena, gsp_schedule_desc *desc, gsp_error *err)
{
    orders o;
    gsp_mark before;
    gsp_status status;
    size_t bound;
    if (!cli_orders_need(desc->kind) || desc->n_microbatches < cli_orders_least(desc)) {
        return cli_fail(err, GSP_STATUS_DESC, GSP_DETAIL_NONE, GSP_NONE);
    }
    bound = cli_orders_bound(desc);
    status = cli_room(arena, bound, err);
    if (status != GSP_OK) {
        return status;
    }
    before = gsp_arena_mark(arena);
    if ((status = cli_laid_out(lay_out(&o, arena, desc), arena, before, err)) != GSP_OK) {
        return status;
    }
    for (uint32_t s = 0; s < o.n_stages; s++) {
        uint32_t const chunk = s / o.d.n_devices;
        uint32_t const place = s % o.d.n_devices;
        o.device_of[s] =
            gsp_schedule_is_v(o.d.kind) && chunk == 1u ? o.d.n_devices - 1u - place : place;
    }
    if (is_greedy(o.d.kind)) {
        cli_greedy_run(&o.greedy, o.actions, o.begin);
    } else {
        put_rows(&o);
    }
    if (o.d.inference) {
        drop_backward(&o);
    }
    *desc = o.d;
    desc->n_stages = o.n_stages;
    desc->actions = o.actions;
    desc->action_begin = o.begin;
    desc->device_of = o.device_of;
    gsp_arena_rewind(arena, o.results);
    return GSP_OK;
}
