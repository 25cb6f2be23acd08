/* Copies ahead of use against all choices of the step from which on each copy may start, and
 * against all orders of the copies; the check of given starts against a run tick by tick. */
#include "examples/extra/graphsplit_prefetch.h"
#include "tests/t.h"

#define STEPS  5u
#define COPIES 4u

typedef struct instance {
    uint64_t times[STEPS];
    uint64_t live[STEPS];
    uint64_t bytes[COPIES];
    uint64_t ticks[COPIES];
    uint32_t uses[COPIES];
    gsp_prefetch_desc d;
    uint32_t order[COPIES]; /* of the copies */
    uint32_t from[COPIES];  /* the step from which on a copy may start */
    uint64_t stall;         /* least so far */
    uint64_t peak;          /* least with it */
    uint64_t any;           /* least stall of all orders */
} instance;

static void random_instance(instance *w, t_rng *rng)
{
    uint32_t const steps = 1u + t_below(rng, STEPS);
    uint32_t const copies = t_below(rng, COPIES + 1u);
    memset(w, 0, sizeof *w);
    for (uint32_t i = 0; i < steps; i++) {
        w->times[i] = t_below(rng, 9u);
        w->live[i] = t_below(rng, 6u);
    }
    for (uint32_t i = 0; i < copies; i++) {
        uint32_t k = i;
        uint32_t const use = t_below(rng, steps);
        w->bytes[i] = t_below(rng, 7u);
        w->ticks[i] = t_below(rng, 9u);
        for (; k > 0u && w->uses[k - 1u] > use; k--) {
            w->uses[k] = w->uses[k - 1u];
        }
        w->uses[k] = use;
    }
    w->d.times = w->times;
    w->d.live = t_chance(rng, 20) ? NULL : w->live;
    w->d.n_steps = steps;
    w->d.n_copies = copies;
    w->d.bytes = w->bytes;
    w->d.ticks = w->ticks;
    w->d.uses = w->uses;
    w->d.capacity = 4u + t_below(rng, 14u);
}

/* The end of a step, which waits for its copies. UINT64_MAX if one of those has no end yet. */
static uint64_t end_of(const instance *w, const uint64_t *ended, uint32_t step)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i <= step; i++) {
        for (uint32_t p = 0; p < w->d.n_copies; p++) {
            if (w->uses[p] == i && ended[p] == UINT64_MAX) {
                return UINT64_MAX;
            }
            end = w->uses[p] == i && ended[p] > end ? ended[p] : end;
        }
        end += w->times[i];
    }
    return end;
}

/* Most bytes at once if a copy takes bytes from the first step on in which it may start. */
static uint64_t peak_of(const instance *w)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < w->d.n_steps; i++) {
        uint64_t bytes = w->d.live != NULL ? w->live[i] : 0u;
        for (uint32_t p = 0; p < w->d.n_copies; p++) {
            bytes += w->from[p] <= i && i <= w->uses[p] ? w->bytes[p] : 0u;
        }
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* The stall of a choice; UINT64_MAX if a copy waits for a step that waits for a later copy. */
static uint64_t stall_of(const instance *w)
{
    uint64_t ended[COPIES];
    uint64_t channel = 0;
    uint64_t sum = 0;
    memset(ended, 0xFF, sizeof ended);
    for (uint32_t k = 0; k < w->d.n_copies; k++) {
        uint32_t const p = w->order[k];
        uint64_t const begin = w->from[p] != 0u ? end_of(w, ended, w->from[p] - 1u) : 0u;
        if (begin == UINT64_MAX) {
            return UINT64_MAX;
        }
        channel = (begin > channel ? begin : channel) + w->ticks[p];
        ended[p] = channel;
    }
    for (uint32_t i = 0; i < w->d.n_steps; i++) {
        sum += w->times[i];
    }
    return end_of(w, ended, w->d.n_steps - 1u) - sum;
}

/* All steps from which on the copies may start, in this order of them. */
static void try_steps(instance *w, int in_order)
{
    uint32_t p = 0;
    memset(w->from, 0, sizeof w->from);
    while (p <= w->d.n_copies) {
        uint64_t const peak = peak_of(w);
        uint64_t const stall = peak <= w->d.capacity ? stall_of(w) : UINT64_MAX;
        w->any = stall < w->any ? stall : w->any;
        if (in_order && stall != UINT64_MAX) {
            w->peak = stall < w->stall || (stall == w->stall && peak < w->peak) ? peak : w->peak;
            w->stall = stall < w->stall ? stall : w->stall;
        }
        for (p = 0; p < w->d.n_copies && w->from[p] == w->uses[p]; p++) {
            w->from[p] = 0;
        }
        if (p == w->d.n_copies) {
            return;
        }
        w->from[p]++;
    }
}

/* All orders (Heap's algorithm), the given one first. */
static void try_orders(instance *w)
{
    uint32_t count[COPIES] = {0};
    for (uint32_t i = 0; i < COPIES; i++) {
        w->order[i] = i;
    }
    w->stall = w->peak = w->any = UINT64_MAX;
    try_steps(w, 1);
    for (uint32_t i = 0; i < w->d.n_copies;) {
        if (count[i] < i) {
            uint32_t const j = i % 2u == 0u ? 0u : count[i];
            uint32_t const other = w->order[j];
            w->order[j] = w->order[i];
            w->order[i] = other;
            try_steps(w, 0);
            count[i]++;
            i = 0;
        } else {
            count[i++] = 0;
        }
    }
}

static gsp_status run(const instance *w, gsp_prefetch_result *r, gsp_error *err)
{
    static unsigned char room[4096];
    gsp_arena arena;
    gsp_arena_init(&arena, room, sizeof room);
    T_CHECK(gsp_prefetch_bound(&w->d) <= sizeof room);
    return gsp_prefetch_run(&arena, &w->d, r, err);
}

/* The result as a choice: what it says of stall and peak. */
static void check_result(instance *w, const gsp_prefetch_result *r)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < w->d.n_copies; i++) {
        w->order[i] = i;
        w->from[i] = r->steps[i];
        T_CHECK(r->steps[i] <= w->uses[i]);
        T_CHECK(r->starts[i] + w->ticks[i] + w->times[w->uses[i]] <= r->ends[w->uses[i]]);
    }
    for (uint32_t i = 0; i < w->d.n_steps; i++) {
        sum += r->stalls[i];
    }
    T_EQUAL(r->stall, sum);
    T_EQUAL(stall_of(w), r->stall);
    T_EQUAL(peak_of(w), r->peak);
}

static void test_all_choices(void)
{
    t_rng rng = {t_seed};
    uint32_t const n = t_fast ? 300u : 30000u;
    uint32_t waited = 0;
    uint32_t tight = 0;
    instance w;
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        gsp_prefetch_result r;
        gsp_error err;
        gsp_status status;
        random_instance(&w, &rng);
        try_orders(&w);
        status = run(&w, &r, &err);
        T_EQUAL(status, w.stall == UINT64_MAX ? GSP_STATUS_NO_FIT : GSP_OK);
        if (status == GSP_OK) {
            T_EQUAL(r.stall, w.stall);
            T_EQUAL(r.peak, w.peak);
            T_CHECK(r.lower_bound <= w.any && w.any <= r.stall && r.stall <= r.serial);
            check_result(&w, &r);
            waited += r.stall != r.lower_bound;
            tight += w.any != r.stall;
        } else {
            T_CHECK(err.limit == w.d.capacity && err.need > err.limit && err.node < w.d.n_steps);
        }
    }
    T_CHECK(waited != 0u && (t_fast || tight != 0u));
}

/* ---- given starts ---- */

typedef struct timeline {
    uint32_t ended[STEPS]; /* ticks */
} timeline;

/* Runs the steps tick by tick: one begins once the one before it and its copies have ended. */
static timeline run_ticks(const instance *w, const uint64_t *starts)
{
    timeline c;
    uint32_t tick = 0;
    memset(&c, 0, sizeof c);
    for (uint32_t i = 0; i < w->d.n_steps; i++) {
        for (int ready = 0; !ready; tick++) {
            ready = 1;
            for (uint32_t p = 0; p < w->d.n_copies; p++) {
                ready &= w->uses[p] > i || tick >= starts[p] + w->ticks[p];
            }
        }
        tick += (uint32_t)w->times[i] - 1u;
        c.ended[i] = tick;
    }
    return c;
}

/* Whether two copies share a tick, or begin out of order. */
static int is_crowded(const instance *w, const uint64_t *starts)
{
    for (uint32_t p = 0; p < w->d.n_copies; p++) {
        for (uint32_t q = 0; q < p; q++) {
            if (starts[q] > starts[p] || starts[q] + w->ticks[q] > starts[p]) {
                return 1;
            }
        }
    }
    return 0;
}

/* Bytes that a step needs: what it and those before it read, unless that is over, and all that has
 * started before it ends. */
static uint64_t bytes_at(
    const instance *w, const uint64_t *starts, const timeline *c, uint32_t step)
{
    uint64_t bytes = w->d.live != NULL ? w->live[step] : 0u;
    for (uint32_t p = 0; p < w->d.n_copies; p++) {
        if (w->uses[p] >= step && (w->uses[p] == step || starts[p] < c->ended[step])) {
            bytes += w->bytes[p];
        }
    }
    return bytes;
}

/* Starts at random, many of them valid. */
static void random_starts(const instance *w, t_rng *rng, uint64_t *starts)
{
    uint64_t at = 0;
    for (uint32_t p = 0; p < w->d.n_copies; p++) {
        at += t_below(rng, 5u);
        starts[p] = at;
        at += t_chance(rng, 95) || w->ticks[p] == 0u ? w->ticks[p] : w->ticks[p] - 1u;
    }
}

static void test_check(void)
{
    t_rng rng = {t_seed};
    uint32_t const n = t_fast ? 3000u : 300000u;
    uint32_t codes[3] = {0, 0, 0};
    instance w;
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        uint64_t starts[COPIES];
        gsp_error err;
        gsp_prefetch_result r;
        uint32_t step = 0;
        random_instance(&w, &rng);
        random_starts(&w, &rng, starts);
        timeline const c = run_ticks(&w, starts);
        gsp_status const possible = run(&w, &r, &err);
        gsp_status const status = gsp_prefetch_check(&w.d, starts, &err);
        T_EQUAL(possible == GSP_OK ? gsp_prefetch_check(&w.d, r.starts, NULL) : possible, possible);
        while (step < w.d.n_steps && bytes_at(&w, starts, &c, step) <= w.d.capacity) {
            step++;
        }
        if (possible != GSP_OK) {
            T_EQUAL(status, possible);
        } else if (is_crowded(&w, starts)) {
            T_EQUAL(status, GSP_STATUS_ARG);
            codes[0]++;
        } else if (step < w.d.n_steps) {
            T_EQUAL(status, GSP_STATUS_NO_FIT);
            T_EQUAL(err.node, step);
            T_EQUAL(err.need, bytes_at(&w, starts, &c, step));
            codes[1]++;
        } else {
            T_EQUAL(status, GSP_OK);
            T_CHECK(c.ended[w.d.n_steps - 1u] >= r.ends[w.d.n_steps - 1u]);
            codes[2]++;
        }
    }
    T_CHECK(codes[0] != 0u && codes[1] != 0u && codes[2] != 0u);
}

void suite_oracle_prefetch(void)
{
    t_run("all_choices", test_all_choices);
    t_run("check", test_check);
}
