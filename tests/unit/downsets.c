/* Stages over downsets: two branches worked out by hand, devices, replicas and cores, memory, more
 * sets than are kept, work that ends, progress, every refusal. */
#include "examples/extra/graphsplit_downsets.h"
#include "tests/t.h"

#define MOST  662u /* units */
#define EDGES 1024u

typedef struct subject {
    gsp_arena arena;
    gsp_downsets_units u;
    gsp_downsets_desc desc;
    gsp_downsets_result r;
    gsp_error err;
    uint32_t after_begin[MOST + 1u];
    uint32_t after[EDGES];
    uint32_t value_begin[MOST + 1u];
    uint32_t values[EDGES];
    uint32_t begun[MOST];
    uint32_t held[4];
    gsp_downsets_weight own[MOST];
    gsp_downsets_weight shared[MOST];
    uint32_t calls; /* of progress */
    uint32_t last;  /* call that asks to stop; 0 if none does */
} subject;

static void start(subject *s, uint32_t n, uint32_t n_values)
{
    memset(s, 0, sizeof *s);
    t_arena_open(&s->arena, (size_t)1u << 25u);
    s->u.n = n;
    s->u.n_values = n_values;
    s->u.after.begin = s->after_begin;
    s->u.after.at = s->after;
    s->u.values.begin = s->value_begin;
    s->u.values.at = s->values;
    s->u.own = s->own;
    s->u.shared = s->shared;
    for (uint32_t i = 0; i < n; i++) {
        s->own[i].time = 1;
    }
}

/* The next unit after the last one that has rows. */
static void row(subject *s, uint32_t unit, const uint32_t *after, uint32_t n_after,
    const uint32_t *values, uint32_t n_values)
{
    for (uint32_t i = 0; i < n_after; i++) {
        s->after[s->after_begin[unit] + i] = after[i];
    }
    for (uint32_t i = 0; i < n_values; i++) {
        s->values[s->value_begin[unit] + i] = values[i];
    }
    for (uint32_t i = unit + 1u; i <= s->u.n; i++) {
        s->after_begin[i] = s->after_begin[unit] + n_after;
        s->value_begin[i] = s->value_begin[unit] + n_values;
    }
}

static gsp_status run(subject *s)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_downsets_run(&s->arena, &s->u, &s->desc, &s->r, &s->err);
}

static void refused(subject *s, gsp_status status, gsp_detail detail)
{
    T_EQUAL(run(s), status);
    T_EQUAL(s->err.status, status);
    T_EQUAL(s->err.detail, detail);
    T_FIELD(&s->err);
    T_EQUAL(s->arena.low + s->arena.high, 0u);
}

static void found(subject *s, uint64_t objective, uint64_t bound, uint32_t n_stages)
{
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.objective, objective);
    T_EQUAL(s->r.lower_bound, bound);
    T_EQUAL(s->r.n_stages, n_stages);
}

/* Unit 0, then 1 and 3 beside 2, then 4; all values take a tick to move. */
static void branches(subject *s)
{
    static const uint32_t after[] = {1, 2, 3, 4, 4};
    static const uint32_t values[] = {0, 0, 1, 0, 2, 1, 3, 2, 3};
    start(s, 5, 4);
    row(s, 0, after, 2, values, 1);
    row(s, 1, after + 2, 1, values + 1, 2);
    row(s, 2, after + 3, 1, values + 3, 2);
    row(s, 3, after + 4, 1, values + 5, 2);
    row(s, 4, NULL, 0, values + 7, 2);
    for (uint32_t i = 0; i < 5u; i++) {
        s->own[i].time = i == 2u ? 7u : 4u;
        s->shared[i % 4u].move = 1;
    }
}

/* A row of units, each with a value that the next one reads. */
static void chain(subject *s, uint32_t n)
{
    start(s, n, n - 1u);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const after = i + 1u;
        uint32_t const values[] = {i - 1u, i};
        uint32_t const first = i == 0u ? 1u : 0u;
        row(s, i, &after, i + 1u < n ? 1u : 0u, values + first,
            2u - first - (i + 1u < n ? 0u : 1u));
    }
}

/* ---- by hand ---- */

static void test_by_hand(void)
{
    subject s;
    branches(&s);
    found(&s, 23, 23, 1); /* one device */
    T_EQUAL(s.r.complete, 1u);
    T_EQUAL(s.r.n_sets, 8u);
    s.desc.n_devices = 2;
    found(&s, 14, 14, 2); /* 0, 1, 3 and 2, 4; two values move */
    T_EQUAL(s.r.stage_of[3], 0u);
    T_EQUAL(s.r.stage_of[2], 1u);
    T_EQUAL(s.r.n_devices[0], 1u);
    s.desc.first_time = 1;
    s.desc.last_time = 2;
    found(&s, 15, 15, 2);
    T_EQUAL(gsp_downsets_run(&s.arena, &s.u, NULL, &s.r, NULL), GSP_OK);
    T_EQUAL(s.r.objective, 23u);
    T_EQUAL(s.arena.high, 0u);
    t_arena_close(&s.arena);
}

static void test_none(void)
{
    subject s;
    start(&s, 0, 0);
    memset(&s.u, 0, sizeof s.u);
    found(&s, 0, 0, 0);
    T_EQUAL(s.r.complete, 1u);
    s.desc.exact = 1;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.objective, UINT64_MAX);
    s.desc.start_objective = 7;
    s.desc.n_start = 1;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.n_stages, 1u);
    t_arena_close(&s.arena);
}

/* A chain that moves ticks at every cut: all devices are replicas, unless these have to agree. */
static void test_replicas(void)
{
    subject s;
    chain(&s, 8);
    for (uint32_t i = 0; i < 7u; i++) {
        s.shared[i].move = 1;
    }
    s.desc.n_devices = 4;
    s.desc.replicas = 1;
    found(&s, 2, 2, 1);
    T_EQUAL(s.r.n_devices[0], 4u);
    s.desc.microbatches = 4;
    s.own[7].sync = 8; /* 32 / 16 * 3 more on all four */
    found(&s, 3, 3, 3);
    T_CHECK(s.r.n_devices[0] == 2u || s.r.n_devices[1] == 2u);
    s.desc.microbatches = 3; /* three replicas, or one */
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.complete);
    t_arena_close(&s.arena);
}

/* Units that run on a core, on a device, on both, or nowhere. */
static void test_cores(void)
{
    subject s;
    chain(&s, 6);
    for (uint32_t i = 0; i < 6u; i++) {
        s.own[i].time = 10;
        s.own[i].host = i < 3u ? 12u : 40u;
        s.own[i].no_host = i == 5u;
        s.own[i].no_device = i == 0u;
    }
    s.desc.n_devices = 2;
    s.desc.n_cores = 1;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.objective, 24u);
    T_EQUAL(s.r.n_devices[0], 0u);
    s.own[0].host = 1000; /* the core has no time for others */
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.objective, 1000u);
    T_EQUAL(s.r.lower_bound, 1000u);
    s.desc.by_bytes = 1;
    s.own[1].bytes = 9;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.objective, 0u);
    s.desc.n_cores = 0;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.objective, UINT64_MAX);
    T_EQUAL(s.r.n_stages, 0u);
    T_EQUAL(s.r.complete, 1u);
    t_arena_close(&s.arena);
}

/* Those that a core does at almost the same rate, and some that take no time. */
static void test_rates(void)
{
    subject s;
    start(&s, 9, 0);
    for (uint32_t i = 0; i < 9u; i++) {
        s.own[i].time = 3u + i % 3u;
        s.own[i].host = i % 4u * 5u;
        s.own[i].no_device = i == 7u;
    }
    s.desc.n_devices = 1;
    s.desc.n_cores = 2;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.objective, s.r.lower_bound);
    T_EQUAL(s.r.complete, 0u); /* the bound proves it */
    t_arena_close(&s.arena);
}

static uint64_t peak_of(void *user, const uint8_t *place)
{
    (void)user;
    return place[0] == 1u ? 5u : 0u;
}

/* Parameters, stashes and peaks within the memory of a device. */
static void test_memory(void)
{
    subject s;
    chain(&s, 6);
    for (uint32_t i = 0; i < 6u; i++) {
        s.own[i].bytes = 10;
        s.own[i].stash = 1;
    }
    s.desc.n_devices = 3;
    s.desc.memory = 45; /* two copies of two units, and more */
    s.desc.copies = 2;
    found(&s, 2, 2, 3);
    s.desc.microbatches = 4; /* 3 * 2 stashed by the first stage */
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.objective, UINT64_MAX);
    s.desc.held = s.held;
    s.held[0] = s.held[1] = s.held[2] = 2;
    found(&s, 2, 2, 3);
    s.desc.peak = peak_of;
    s.desc.peak_most = 5;
    s.desc.peak_work = 1;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.n_stages, 0u);
    s.desc.memory = 49;
    found(&s, 2, 2, 3);
    s.desc.by_bytes = 1;
    found(&s, 49, 49, 3);
    s.desc.replicas = 1;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.objective, 49u);
    t_arena_close(&s.arena);
}

/* A value that the first and the last unit of a chain have. */
static void test_carried(void)
{
    subject s;
    uint32_t const values[] = {0};
    start(&s, 3, 1);
    for (uint32_t i = 0; i < 3u; i++) {
        uint32_t const after = i + 1u;
        row(&s, i, &after, i < 2u ? 1u : 0u, values, i == 1u ? 0u : 1u);
    }
    s.shared[0].move = 10;
    s.shared[0].stash = 3;
    s.desc.n_devices = 3;
    s.desc.exact = 1;
    found(&s, 11, 11, 3);
    s.desc.carried = 1;
    found(&s, 21, 21, 3);
    s.desc.by_bytes = 1;
    s.desc.microbatches = 1;
    found(&s, 3, 3, 3);
    t_arena_close(&s.arena);
}

/* ---- more sets than are kept ---- */

/* Units that depend on nothing, whose best stages are of equal times; values of neighbours. */
static void wide(subject *s, uint32_t n)
{
    start(s, n, n - 1u);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const values[] = {i - 1u, i};
        uint32_t const first = i == 0u ? 1u : 0u;
        row(s, i, NULL, 0, values + first, 2u - first - (i + 1u < n ? 0u : 1u));
        s->own[i].time = 10u + i * i % 7u;
        s->shared[i].move = 1u + i % 3u;
    }
    s->desc.n_devices = 3;
}

static void test_wide(void)
{
    subject s;
    wide(&s, 12);
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.n_sets, 4096u); /* in the second search */
    T_EQUAL(s.r.complete, 1u);
    T_EQUAL(s.r.lower_bound, s.r.objective);
    uint64_t const best = s.r.objective;
    s.desc.max_sets = 4095;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.complete, 0u);
    T_CHECK(s.r.n_sets < 4096u && s.r.objective >= best && s.r.lower_bound <= best);
    s.desc.max_sets = 13; /* one per size, and the orders */
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.n_stages != 0u && s.r.objective >= best);
    s.desc.max_sets = 12;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.n_sets, 0u);
    T_EQUAL(s.r.n_stages, 0u);
    T_EQUAL(s.r.objective, UINT64_MAX);
    s.desc.max_sets = UINT32_MAX;
    T_CHECK(gsp_downsets_bound(&s.u, &s.desc) <= s.arena.size);
    t_arena_close(&s.arena);
}

/* The same with a row of units behind, whose sets have more than one word. */
static void test_long(void)
{
    subject s;
    chain(&s, 100);
    s.desc.n_devices = 4;
    s.desc.max_sets = 1000;
    found(&s, 25, 25, 4);
    T_EQUAL(s.r.n_sets, 101u);
    T_EQUAL(s.r.stage_of[99], 3u);
    t_arena_close(&s.arena);
}

/* Two pairs of units have one hash: 276 and 661, 444 and 493. They, and two more, are beside a row
 * of all others. */
static void test_hash(void)
{
    static const uint32_t beside[] = {10, 20, 276, 444, 493, 661};
    subject s;
    uint32_t before = MOST;
    start(&s, MOST, 0);
    for (uint32_t i = MOST; i-- > 0u;) {
        uint32_t k = 0;
        while (k < T_COUNT_OF(beside) && beside[k] != i) {
            k++;
        }
        s.begun[i] = k < T_COUNT_OF(beside) ? MOST : before;
        before = k < T_COUNT_OF(beside) ? before : i;
    }
    for (uint32_t i = 0; i < MOST; i++) {
        row(&s, i, &s.begun[i], s.begun[i] < MOST ? 1u : 0u, NULL, 0);
    }
    s.desc.max_sets = 64u * (MOST + 1u); /* and no more of a size */
    found(&s, MOST, MOST, 1);
    T_EQUAL(s.r.n_sets, 64u * (MOST - 5u));
    T_EQUAL(s.r.complete, 1u);
    t_arena_close(&s.arena);
}

/* Stages to begin with stay unless better ones are found; moves of units make them better. */
static void test_start(void)
{
    subject s;
    wide(&s, 12);
    for (uint32_t i = 0; i < 12u; i++) {
        s.begun[i] = i / 6u;
    }
    s.desc.start = s.begun;
    s.desc.n_start = 3; /* the last one is empty */
    s.desc.start_objective = 1;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.objective, 1u);
    T_EQUAL(s.r.n_stages, 3u);
    T_EQUAL(s.r.stage_of[6], 1u);
    T_EQUAL(s.r.n_devices[2], 1u);
    s.desc.start_objective = 1000;
    s.desc.max_sets = 13;
    s.desc.max_work = 1; /* for no set at all */
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.n_stages, 3u);
    T_EQUAL(s.r.complete, 0u);
    s.desc.max_sets = 0;
    s.desc.max_work = 3000;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.objective < 1000u);
    s.desc.peak = peak_of;
    s.desc.peak_most = 5;
    s.desc.max_work = 1u << 16u;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.objective < 1000u);
    t_arena_close(&s.arena);
}

/* Less and less work: a plan is right whenever there is one. */
static void test_work(void)
{
    subject s;
    wide(&s, 10);
    T_EQUAL(run(&s), GSP_OK);
    uint64_t const best = s.r.objective;
    for (uint64_t work = 1; work < (uint64_t)1u << 17u; work += 1u + work / 3u) {
        s.desc.max_work = work;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.objective >= best && s.r.lower_bound <= best);
        T_CHECK(!s.r.complete || s.r.objective == best);
    }
    s.desc.max_work = UINT64_MAX;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.objective, best);
    s.desc.n_devices = 8; /* all sets are made, but not all stages are tried */
    s.desc.replicas = 1;
    s.desc.max_work = (uint64_t)1u << 18u;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.n_sets, 1024u);
    T_EQUAL(s.r.all_sets, 1u);
    T_EQUAL(s.r.complete, 0u);
    t_arena_close(&s.arena);
}

static int count(void *user, uint64_t work)
{
    subject *s = (subject *)user;
    (void)work;
    return ++s->calls == s->last;
}

/* Whenever a search stops, its stages are those of before, or better. */
static void stopped(subject *s)
{
    uint64_t before = UINT64_MAX;
    s->desc.progress = count;
    s->desc.progress_user = s;
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.stopped, 0u);
    uint32_t const calls = s->calls;
    uint64_t const best = s->r.objective;
    for (s->last = 1; s->last <= calls;
         s->last += s->last * 8u < calls * 7u ? 1u + calls / 90u : 1u) {
        s->calls = 0;
        T_EQUAL(run(s), GSP_OK);
        T_EQUAL(s->r.stopped, 1u);
        T_EQUAL(s->r.complete, 0u);
        T_EQUAL(s->calls, s->last);
        T_CHECK(s->r.objective >= best && s->r.objective <= before && s->r.lower_bound <= best);
        before = s->r.objective;
    }
}

/* Units beside each other: few sets of each size miss the halves that are equal. */
static void test_all_sets_find_more(void)
{
    enum { N = 14 };
    t_rng rng = {t_seed};
    subject s;
    uint64_t sum = 0;
    uint64_t least = UINT64_MAX;
    start(&s, N, 0);
    for (uint32_t i = 0; i < N; i++) {
        row(&s, i, NULL, 0, NULL, 0);
        s.own[i].time = 1000000u + t_below(&rng, 1000000);
        sum += s.own[i].time;
    }
    for (uint32_t set = 0; set < 1u << N; set++) {
        uint64_t half = 0;
        for (uint32_t i = 0; i < N; i++) {
            half += (set >> i & 1u) != 0u ? s.own[i].time : 0u;
        }
        if (2u * half >= sum && half < least) {
            least = half;
        }
    }
    s.desc.n_devices = 2;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.objective, least);
    T_EQUAL(s.r.complete, 1u);
    T_EQUAL(s.r.n_sets, 1u << N);
    t_arena_close(&s.arena);
}

static void test_progress(void)
{
    subject s;
    wide(&s, 8);
    s.desc.n_devices = 2;
    s.desc.max_sets = 27; /* three per size, then moves of units */
    stopped(&s);
    t_arena_close(&s.arena);
    wide(&s, 9); /* some sets, then all */
    s.desc.n_devices = 2;
    stopped(&s);
    t_arena_close(&s.arena);
    wide(&s, 8);
    s.desc.n_devices = 2;
    s.desc.start = s.begun; /* one stage: 8 calls, then the first guess stops */
    s.desc.n_start = 1;
    s.desc.start_objective = 1000;
    s.desc.progress = count;
    s.desc.progress_user = &s;
    s.last = 9;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.stopped, 1u);
    T_EQUAL(s.r.n_stages, 1u);
    t_arena_close(&s.arena);
}

/* ---- refusals ---- */

static void test_rows(void)
{
    subject s;
    branches(&s);
    s.after[0] = 0; /* itself */
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
    T_EQUAL(s.err.node, 0u);
    s.after[0] = 5; /* none */
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
    s.after[0] = 1;
    s.after_begin[2] = 1; /* backwards */
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
    s.after_begin[2] = 3;
    s.after_begin[0] = 1;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
    s.after_begin[0] = 0;
    s.values[2] = 0; /* twice */
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
    T_EQUAL(s.err.node, 1u);
    s.values[2] = 4; /* none */
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
    s.values[2] = 1;
    T_EQUAL(gsp_downsets_run(&s.arena, &s.u, &s.desc, &s.r, NULL), GSP_OK);
    t_arena_close(&s.arena);
}

static void test_desc(void)
{
    subject s;
    branches(&s);
    s.desc.n_start = 2; /* of one device */
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
    s.desc.n_devices = 2;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    s.desc.start = s.begun;
    s.begun[0] = 1; /* after what needs it */
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_STAGE);
    T_EQUAL(s.err.node, 0u);
    s.begun[0] = 0;
    s.begun[4] = 2; /* none */
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_STAGE);
    T_EQUAL(s.err.node, 4u);
    s.begun[4] = 1;
    s.desc.held = s.held;
    s.held[1] = 1;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_HELD);
    T_EQUAL(s.err.node, 1u);
    T_EQUAL(gsp_downsets_run(&s.arena, &s.u, &s.desc, &s.r, NULL), GSP_STATUS_ARG);
    s.desc.held = NULL;
    T_EQUAL(run(&s), GSP_OK);
    t_arena_close(&s.arena);
}

/* Sums that would overflow, and counts that would. */
static void test_sizes(void)
{
    subject s;
    branches(&s);
    s.own[1].time = (uint64_t)1u << 61u;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE);
    s.own[1].time = 1;
    s.own[1].host = UINT64_MAX;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE);
    s.own[1].host = 1;
    s.shared[1].move = UINT64_MAX / 2u + 1u;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE);
    s.shared[1].move = 1;
    s.desc.copies = UINT64_MAX;
    s.own[4].bytes = 1;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE);
    s.desc.copies = 0;
    s.desc.peak = peak_of;
    s.desc.peak_most = UINT64_MAX;
    s.desc.peak_work = UINT64_MAX;
    s.desc.memory = 100;
    T_EQUAL(run(&s), GSP_OK);
    s.desc.by_bytes = 1;
    T_EQUAL(run(&s), GSP_OK);
    s.desc.n_devices = UINT32_MAX;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY);
    s.desc.n_cores = UINT32_MAX;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY);
    T_EQUAL(gsp_downsets_run(&s.arena, &s.u, &s.desc, &s.r, NULL), GSP_STATUS_OVERFLOW);
    s.desc.n_devices = s.desc.n_cores = 1u << 30u;
    s.desc.max_sets = 1000;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY);
    T_EQUAL(gsp_downsets_bound(NULL, NULL), SIZE_MAX);
    s.desc.n_cores = 0;
    s.desc.n_devices = 20;
    s.desc.by_bytes = 0;
    s.desc.memory = 0;
    s.own[1].time = (uint64_t)1u << 60u; /* 21 of the greatest cost have no sum */
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.lower_bound, s.r.objective);
    void *block = s.arena.base;
    gsp_arena_init(&s.arena, block, 1000u);
    T_EQUAL(gsp_downsets_run(&s.arena, &s.u, &s.desc, &s.r, NULL), GSP_STATUS_NOMEM);
    t_arena_close(&s.arena);
}

void suite_unit_downsets(void)
{
    t_run("by_hand", test_by_hand);
    t_run("none", test_none);
    t_run("replicas", test_replicas);
    t_run("cores", test_cores);
    t_run("rates", test_rates);
    t_run("memory", test_memory);
    t_run("carried", test_carried);
    t_run("wide", test_wide);
    t_run("long", test_long);
    t_run("hash", test_hash);
    t_run("start", test_start);
    t_run("work", test_work);
    t_run("progress", test_progress);
    t_run("all_sets_find_more", test_all_sets_find_more);
    t_run("rows", test_rows);
    t_run("desc", test_desc);
    t_run("sizes", test_sizes);
}
