/* Greedy orders. The patterns are those of the papers, in units in which all tasks take 1. */
#include "algorithms/algorithms.h"

#include <string.h>

#define CODES      6u
#define UNKNOWN    UINT64_MAX

#define SEVERAL    (1u << 14) /* tasks of a schedule for which several orders are tried, */
#define IMPROVABLE (1u << 9)  /* and of one whose best order is improved */
#define REACH      4          /* places by which a task is moved */
#define KICKS      3u         /* tasks that are moved at random before */
#define MOST_WORK  (1u << 23) /* tasks of all orders that are tried */

static const uint32_t kinds[] = {
    GSP_ACTION_FORWARD, GSP_ACTION_BACKWARD_INPUT, GSP_ACTION_BACKWARD_WEIGHT};

static uint32_t limit_of(uint32_t kind, uint32_t p)
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

void cli_greedy_lay_out(cli_greedy *g, cli_layout *l, const gsp_schedule_desc *d)
{
    size_t const devices = d->n_devices;
    size_t const pairs = devices * d->n_chunks * d->n_microbatches;
    g->d = *d;
    g->n_stages = d->n_devices * d->n_chunks;
    g->is_v = gsp_schedule_is_v(d->kind);
    g->limit = limit_of(d->kind, d->n_devices);
    g->each = 3u * d->n_chunks * d->n_microbatches;
    g->width = 1;
    while (g->width < d->n_devices) {
        g->width *= 2u;
    }
    g->row = CLI_ROW(l, uint8_t, 3u * pairs);
    g->same = CLI_ROW(l, uint32_t, 3u * pairs);
    g->next = CLI_ROW(l, uint32_t, CODES * devices);
    g->queue = CLI_ROW(l, uint8_t, (size_t)2u * d->n_microbatches);
    g->order = CLI_ROW(l, uint8_t, 3u * pairs);
    g->best = CLI_ROW(l, uint8_t, 3u * pairs);
    g->done = CLI_ROW(l, uint32_t, CODES * devices);
    g->ended = CLI_ROW(l, uint32_t, devices);
    g->kept = CLI_ROW(l, uint32_t, devices);
    g->end[0] = CLI_ROW(l, uint64_t, pairs);
    g->end[1] = CLI_ROW(l, uint64_t, pairs);
    g->free_at = CLI_ROW(l, uint64_t, devices);
    g->begun = CLI_ROW(l, uint64_t, devices);
    g->wake = CLI_ROW(l, uint64_t, g->width);
    g->ticks = CLI_ROW(l, uint64_t, CODES * devices);
    g->first = CLI_ROW(l, uint32_t, (size_t)2u * g->width);
}

/* ---- patterns ---- */

/* Forward tasks first, then forward and input tasks alternate; the part for the parameters comes
 * `lag` input tasks late. */
static void fill_line(const cli_greedy *g, uint8_t *row, uint32_t ahead, uint32_t lag)
{
    uint32_t const m = g->d.n_microbatches;
    uint32_t const before = ahead < m ? ahead : m;
    uint32_t n = before;
    memset(row, 0, before);
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

/* When a device works on its first microbatch: forward of chunks 0 and 1, input of 1 and 0. */
static void find_block(const cli_greedy *g, uint32_t device, uint32_t block[4])
{
    uint32_t const p = g->d.n_devices;
    if (g->d.kind == (uint32_t)GSP_SCHEDULE_V_MIN) {
        uint32_t const gap = p % 3u == 0 ? 2u : 0u; /* no two tasks at one time */
        block[0] = device;
        block[1] = 2u * p - 1u - device;
        block[2] = 2u * p + gap + device;
        block[3] = 4u * p + gap - 1u - device;
    } else {
        uint32_t const gap = p % 2u == 0 ? 3u : 0u;
        block[0] = 2u * device;
        block[1] = 3u * p - 2u - device;
        block[2] = 3u * p - 1u + gap + 2u * device;
        block[3] = 6u * p - 2u + gap - device;
    }
}

/* The block repeats every 6 units, and parts for the parameters fill the gaps. */
static void fill_v(const cli_greedy *g, uint8_t *row, uint32_t device)
{
    static const uint8_t codes[4] = {0u, 1u, 3u, 2u};
    uint32_t block[4];
    uint32_t n = 0;
    uint32_t left = 0; /* in the queue */
    uint32_t taken = 0;
    find_block(g, device, block);
    for (uint32_t now = 0; n < g->each; now++) {
        uint32_t i = 0;
        while (i < 4u && (now < block[i] || (now - block[i]) % 6u != 0 ||
                             (now - block[i]) / 6u >= g->d.n_microbatches)) {
            i++;
        }
        if (i < 4u) {
            row[n++] = codes[i];
            if (i >= 2u) {
                g->queue[left++] = codes[i] % 2u;
            }
        } else if (taken < left) {
            row[n++] = (uint8_t)(4u + g->queue[taken++]);
        }
    }
}

/* ---- one order ---- */

static uint32_t stage_of(const cli_greedy *g, uint32_t device, uint32_t code)
{
    return code % 2u == 0 ? device : g->n_stages - 1u - device;
}

static uint32_t device_of(const cli_greedy *g, uint32_t stage)
{
    return stage < g->d.n_devices ? stage : g->n_stages - 1u - stage;
}

static void find_ticks(cli_greedy *g)
{
    for (uint32_t i = 0; i < CODES * g->d.n_devices; i++) {
        gsp_task t = {0, 0, 0, 0, 0, 0};
        t.stage = stage_of(g, i / CODES, i);
        t.backward = kinds[i % CODES / 2u];
        g->ticks[i] = g->is_v || i % 2u == 0 ? gsp_schedule_ticks(&g->d, &t) : 0u;
    }
}

/* A device wakes at a time. Without branches, whose outcome nothing foretells. */
static void set_wake(cli_greedy *g, uint32_t device, uint64_t at)
{
    g->wake[device] = at;
    for (uint32_t i = (g->width + device) / 2u; i > 0; i /= 2u) {
        uint32_t const a = g->first[2u * i];
        uint32_t const b = g->first[2u * i + 1u];
        g->first[i] = g->wake[a] <= g->wake[b] ? a : b;
    }
}

static void begin_order(cli_greedy *g)
{
    size_t const devices = g->d.n_devices;
    size_t const pairs = (size_t)g->n_stages * g->d.n_microbatches;
    memset(g->done, 0, CODES * devices * sizeof *g->done);
    memset(g->ended, 0, devices * sizeof *g->ended);
    memset(g->kept, 0, devices * sizeof *g->kept);
    memset(g->free_at, 0, devices * sizeof *g->free_at);
    memset(g->begun, 0, devices * sizeof *g->begun);
    memset(g->end[0], 0xFF, pairs * sizeof *g->end[0]);
    memset(g->end[1], 0xFF, pairs * sizeof *g->end[1]);
}

/* When the input of the next task of a code is there. */
static uint64_t ready_at(const cli_greedy *g, uint32_t device, uint32_t code)
{
    const uint32_t *done = &g->done[CODES * device];
    uint32_t const s = stage_of(g, device, code);
    uint32_t const from = code < 2u ? s - 1u : s + 1u; /* the end of the pipeline: no stage */
    uint64_t end;
    if (code >= 2u && done[code - 2u] <= done[code]) {
        return UNKNOWN;
    }
    if (code >= 4u || from >= g->n_stages) {
        return 0;
    }
    end = g->end[code / 2u][(size_t)done[code] * g->n_stages + from];
    return end == UNKNOWN || g->d.move == NULL ? end : end + g->d.move[code < 2u ? from : s];
}

/* Runs the next task of a code. */
static void run_task(cli_greedy *g, uint32_t device, uint32_t code, uint64_t now)
{
    uint32_t const s = stage_of(g, device, code);
    uint32_t const microbatch = g->done[CODES * device + code]++;
    g->begun[device] = g->ended[device]++ == 0 ? now : g->begun[device];
    g->free_at[device] = now + g->ticks[CODES * device + code];
    if (code < 4u) {
        g->end[code / 2u][(size_t)microbatch * g->n_stages + s] = g->free_at[device];
    }
    g->kept[device] += code < 2u ? 1u : 0u;
    g->kept[device] -= code >= 4u ? 1u : 0u;
}

/* At the end of a V, parts for the parameters only fill gaps. */
static int is_late(const cli_greedy *g, uint32_t device)
{
    return g->is_v && g->done[CODES * device] == g->d.n_microbatches;
}

/* There is memory for the next forward task of a code, also for those before it in the pattern. A
 * task is left if it does not come before the next one of its code. */
static int has_room(const cli_greedy *g, uint32_t device, uint32_t code)
{
    const uint32_t *next = &g->next[CODES * device];
    uint32_t kept = g->kept[device];
    uint32_t i = next[code];
    if (kept == g->limit || !g->is_v || is_late(g, device)) {
        return kept < g->limit;
    }
    for (uint32_t k = 0; k < CODES; k++) {
        i = next[k] < i ? next[k] : i;
    }
    for (; i < next[code] && kept < g->limit; i++) {
        uint32_t const other = g->row[i];
        if (i >= next[other]) {
            kept += other < 2u ? 1u : 0u;
            kept -= other >= 4u ? 1u : 0u;
        }
    }
    return kept < g->limit;
}

typedef struct choice {
    uint32_t code;  /* GSP_NONE to wait */
    uint64_t later; /* until then */
} choice;

/* The unvisited code whose next task is first in the pattern; GSP_NONE if none is left. */
static uint32_t next_code(const cli_greedy *g, uint32_t device, uint32_t seen)
{
    const uint32_t *next = &g->next[CODES * device];
    uint32_t const late = is_late(g, device) ? UINT32_MAX / 2u + 1u : 0u; /* after all tasks */
    uint32_t const step = g->is_v ? 1u : 2u;
    uint64_t least = (uint64_t)GSP_NONE * 8u; /* 8 places + code */
    for (uint32_t code = 0; code < CODES; code += step) {
        uint32_t const place = next[code] | (code >= 4u ? late : 0u) | (0u - (seen >> code & 1u));
        uint64_t const key = (uint64_t)place * 8u + code;
        least = key < least ? key : least;
    }
    return least < (uint64_t)GSP_NONE * 8u ? (uint32_t)(least % 8u) : GSP_NONE;
}

/* The code that can begin whose task is first in the pattern. `patience`: not if another one before
 * it can begin within so many halves of its time. */
static choice choose(const cli_greedy *g, uint32_t device, uint64_t now, uint32_t patience)
{
    choice c = {GSP_NONE, UNKNOWN};
    uint32_t seen = 0;
    for (;;) {
        uint32_t const code = next_code(g, device, seen);
        uint64_t const ready = code == GSP_NONE ? UNKNOWN : ready_at(g, device, code);
        if (code == GSP_NONE) {
            return c;
        }
        if (ready != UNKNOWN && (code >= 2u || has_room(g, device, code))) {
            if (ready > now) {
                c.later = ready < c.later ? ready : c.later;
            } else if (c.later == UNKNOWN ||
                       now + patience * g->ticks[CODES * device + code] / 2u <= c.later) {
                c.code = code;
                return c;
            }
        }
        seen |= 1u << code;
    }
}

static void wake_for(cli_greedy *g, uint32_t stage, uint64_t at)
{
    uint32_t const device = device_of(g, stage);
    uint64_t const free_at = g->free_at[device];
    if ((at > free_at ? at : free_at) < g->wake[device]) {
        set_wake(g, device, at > free_at ? at : free_at);
    }
}

/* Gives a device that is free its next task. */
static void advance(cli_greedy *g, uint32_t device, uint64_t now, uint32_t patience)
{
    choice const c = choose(g, device, now, patience);
    uint32_t *next = &g->next[CODES * device];
    if (c.code == GSP_NONE) {
        set_wake(g, device, c.later);
        return;
    }
    g->order[(size_t)device * g->each + g->ended[device]] = (uint8_t)c.code;
    next[c.code] = g->same[next[c.code]];
    run_task(g, device, c.code, now);
    set_wake(g, device, g->free_at[device]);
    if (c.code < 4u) {
        uint32_t const from = stage_of(g, device, c.code);
        uint32_t const to = c.code < 2u ? from + 1u : from - 1u;
        if (to < g->n_stages) {
            wake_for(g, to, g->free_at[device]);
        }
    }
}

static cli_greedy_score find_score(const cli_greedy *g)
{
    cli_greedy_score s = {0, 0};
    for (uint32_t k = 0; k < g->d.n_devices; k++) {
        s.span = g->free_at[k] > s.span ? g->free_at[k] : s.span;
        s.windows += g->free_at[k] - g->begun[k];
    }
    return s;
}

static int is_better(cli_greedy_score a, cli_greedy_score b)
{
    return a.span < b.span || (a.span == b.span && a.windows < b.windows);
}

/* Keeps the order, of this score, if it is the best so far. */
static void keep_best(cli_greedy *g, cli_greedy_score score)
{
    if (is_better(score, g->score)) {
        g->score = score;
        memcpy(g->best, g->order, (size_t)g->d.n_devices * g->each);
    }
}

static void make_order(cli_greedy *g, uint32_t reach, uint32_t patience)
{
    begin_order(g);
    for (uint32_t i = 0; i < g->width; i++) { /* those beyond the last device never wake */
        g->first[g->width + i] = i;
        g->wake[i] = UNKNOWN;
    }
    for (uint32_t i = g->width; i > 1u; i--) {
        g->first[i - 1u] = g->first[2u * (i - 1u)];
    }
    for (uint32_t k = 0; k < g->d.n_devices; k++) {
        uint32_t const begin = k * g->each;
        if (g->is_v) {
            fill_v(g, g->row + begin, k);
        } else {
            fill_line(g, g->row + begin, reach * (g->d.n_devices - 1u - k), reach * k);
        }
        memset(&g->next[CODES * k], 0xFF, CODES * sizeof *g->next);
        for (uint32_t i = begin + g->each; i > begin; i--) {
            uint32_t *next = &g->next[CODES * k + g->row[i - 1u]];
            g->same[i - 1u] = *next;
            *next = i - 1u;
        }
        set_wake(g, k, 0);
    }
    while (g->wake[g->first[1]] != UNKNOWN) {
        advance(g, g->first[1], g->wake[g->first[1]], patience);
    }
    keep_best(g, find_score(g));
}

/* ---- improvement ---- */

/* Runs an order without changes; returns 0 on a deadlock. */
static int run_order(cli_greedy *g)
{
    uint32_t left = g->d.n_devices * g->each;
    uint32_t before;
    begin_order(g);
    do {
        before = left;
        for (uint32_t k = 0; k < g->d.n_devices; k++) {
            const uint8_t *row = &g->order[(size_t)k * g->each];
            while (g->ended[k] < g->each) {
                uint32_t const code = row[g->ended[k]];
                uint64_t const ready = ready_at(g, k, code);
                if (ready == UNKNOWN || (code < 2u && g->kept[k] == g->limit)) {
                    break;
                }
                run_task(g, k, code, ready > g->free_at[k] ? ready : g->free_at[k]);
                left--;
            }
        }
    } while (left > 0 && left < before);
    return left == 0;
}

/* Moves the task at `from` of a row to `to`. */
static void move_task(uint8_t *row, uint32_t from, uint32_t to)
{
    uint8_t const code = row[from];
    if (from < to) {
        memmove(row + from, row + from + 1u, to - from);
    } else {
        memmove(row + to + 1u, row + to, from - to);
    }
    row[to] = code;
}

/* Moves single tasks of the order as long as that makes it better; it is of the score. Returns the
 * work that is left. */
static uint32_t climb(cli_greedy *g, cli_greedy_score score, uint32_t work)
{
    uint32_t const n = g->d.n_devices * g->each;
    uint32_t since = 0; /* tasks tried since the last gain */
    for (uint32_t i = 0; since < n && work > 0; i = (i + 1u) % n, since++) {
        uint8_t *row = &g->order[i / g->each * g->each];
        uint32_t const from = i % g->each;
        for (int by = -REACH; by <= REACH; by++) {
            uint32_t const to = from + (uint32_t)by;
            if (to >= g->each || row[to] == row[from]) {
                continue;
            }
            move_task(row, from, to);
            work -= n < work ? n : work;
            if (run_order(g) && is_better(find_score(g), score)) {
                score = find_score(g);
                since = 0;
            } else {
                move_task(row, to, from);
            }
        }
    }
    keep_best(g, score);
    return work;
}

/* The next of a fixed row of numbers (Knuth's MMIX). */
static uint32_t next_number(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33u) % below;
}

/* No order ends sooner: a device begins when the first microbatch is there, works, and before that
 * comes back has memory for so many forward tasks. */
static uint64_t least_span(const cli_greedy *g)
{
    uint64_t least = 0;
    uint64_t there = 0; /* time of the first microbatch to the device */
    for (uint32_t k = 0; k < g->d.n_devices; k++) {
        const uint64_t *ticks = &g->ticks[CODES * k];
        uint64_t const forward = ticks[0] > ticks[1] ? ticks[0] : ticks[1];
        uint32_t const kept = g->limit < g->each / 3u ? g->limit : g->each / 3u;
        uint64_t work = 0;
        uint64_t back = 0; /* from there to the first input task */
        for (uint32_t code = 0; code < CODES; code++) {
            work += ticks[code] * g->d.n_microbatches;
        }
        for (uint32_t i = 0; i < g->d.n_devices; i++) {
            const uint64_t *other = &g->ticks[CODES * i];
            back += other[1] + (i >= k ? other[0] : 0u);
            back += i > k && !g->is_v ? other[2] : 0u;
            back += i < k && g->is_v ? other[3] : 0u;
        }
        work += there + (back > kept * forward ? back - kept * forward : 0u);
        least = work > least ? work : least;
        there += ticks[0];
    }
    return least;
}

/* Moves some tasks of the best order at random, and climbs again. */
static void improve(cli_greedy *g)
{
    uint32_t const n = g->d.n_devices * g->each;
    uint32_t work = MOST_WORK;
    uint64_t state = 1;
    uint64_t const least = least_span(g);
    memcpy(g->order, g->best, n);
    work = climb(g, g->score, work);
    while (work > 0 && g->score.span > least) {
        memcpy(g->order, g->best, n);
        for (uint32_t moved = 0; moved < KICKS && work > 0; work -= n < work ? n : work) {
            uint8_t *row = &g->order[next_number(&state, g->d.n_devices) * g->each];
            uint32_t const from = next_number(&state, g->each);
            uint32_t const to = next_number(&state, g->each);
            move_task(row, from, to);
            if (run_order(g)) {
                moved++;
            } else {
                move_task(row, to, from);
            }
        }
        if (work > 0 && run_order(g)) {
            work = climb(g, find_score(g), work);
        }
    }
}

void cli_greedy_run(cli_greedy *g, gsp_action *actions, uint32_t *begin)
{
    uint32_t const n = g->d.n_devices * g->each;
    uint32_t const own = g->d.kind == (uint32_t)GSP_SCHEDULE_ZB_H2 ? 2u : 1u;
    g->score.span = UINT64_MAX;
    find_ticks(g);
    make_order(g, own, 0);
    for (uint32_t i = 1; i < (g->is_v ? 3u : 6u) && n <= SEVERAL; i++) {
        make_order(g, i < 3u ? own : 3u - own, i % 3u);
    }
    if (n <= IMPROVABLE) {
        improve(g);
    }
    memset(g->done, 0, (size_t)CODES * g->d.n_devices * sizeof *g->done);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const device = i / g->each;
        uint32_t const code = g->best[i];
        actions[i].stage = stage_of(g, device, code);
        actions[i].microbatch = g->done[CODES * device + code]++;
        actions[i].kind = kinds[code / 2u];
        actions[i].joined = 0;
    }
    for (uint32_t k = 0; k <= g->d.n_devices; k++) {
        begin[k] = k * g->each;
    }
}
