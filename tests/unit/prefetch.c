/* Copies ahead of use: plans worked out by hand, ties of starts and ends, the limits of sums, given
 * starts, every refusal. */
#include "examples/extra/graphsplit_prefetch.h"
#include "tests/t.h"

#define MOST ((uint64_t)1 << 62u)

typedef struct subject {
    gsp_arena arena;
    uint64_t times[8];
    uint64_t live[8];
    uint64_t bytes[8];
    uint64_t ticks[8];
    uint64_t starts[8];
    uint32_t uses[8];
    gsp_prefetch_desc desc;
    gsp_prefetch_result r;
    gsp_error err;
} subject;

static void start(subject *s, uint64_t capacity)
{
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, 4096);
    s->desc.times = s->times;
    s->desc.live = s->live;
    s->desc.uses = s->uses;
    s->desc.bytes = s->bytes;
    s->desc.ticks = s->ticks;
    s->desc.capacity = capacity;
}

static void add_step(subject *s, uint64_t time, uint64_t live)
{
    s->times[s->desc.n_steps] = time;
    s->live[s->desc.n_steps++] = live;
}

static void add_copy(subject *s, uint32_t use, uint64_t bytes, uint64_t ticks)
{
    s->uses[s->desc.n_copies] = use;
    s->bytes[s->desc.n_copies] = bytes;
    s->ticks[s->desc.n_copies++] = ticks;
}

static gsp_status run(subject *s)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_prefetch_run(&s->arena, &s->desc, &s->r, &s->err);
}

static void refused(subject *s, gsp_status status, gsp_detail detail, uint32_t node)
{
    T_EQUAL(run(s), status);
    T_EQUAL(s->err.status, status);
    T_EQUAL(s->err.detail, detail);
    T_EQUAL(s->err.node, node);
    T_EQUAL(s->arena.low + s->arena.high, 0u);
    T_EQUAL(gsp_prefetch_run(&s->arena, &s->desc, &s->r, NULL), status);
    if (status != GSP_STATUS_NOMEM) {
        T_EQUAL(gsp_prefetch_check(&s->desc, s->starts, &s->err), status);
        T_EQUAL(s->err.node, node);
    }
}

static void check_is(subject *s, gsp_status status, gsp_detail detail, uint32_t node)
{
    T_EQUAL(gsp_prefetch_check(&s->desc, s->starts, &s->err), status);
    T_EQUAL(s->err.detail, detail);
    T_EQUAL(s->err.node, node);
    T_EQUAL(gsp_prefetch_check(&s->desc, s->starts, NULL), status);
}

/* Two steps with a copy each: with room for both, the second copy is made while the first step
 * runs; without, it waits for its end. */
static void test_by_hand(void)
{
    subject s;
    start(&s, 16);
    add_step(&s, 10, 0);
    add_step(&s, 10, 0);
    add_copy(&s, 0, 8, 4);
    add_copy(&s, 1, 8, 6);
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.stall == 4u && s.r.lower_bound == 4u && s.r.serial == 10u && s.r.peak == 16u);
    T_CHECK(s.r.starts[0] == 0u && s.r.starts[1] == 4u && s.r.steps[1] == 0u);
    T_CHECK(s.r.ends[0] == 14u && s.r.ends[1] == 24u && s.r.stalls[0] == 4u);
    s.desc.capacity = 15;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.stall == 10u && s.r.lower_bound == 4u && s.r.peak == 8u);
    T_CHECK(s.r.starts[1] == 14u && s.r.steps[1] == 1u && s.r.stalls[1] == 6u);
    s.desc.live = NULL;
    s.desc.capacity = UINT64_MAX;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.stall, 4u);
    t_arena_close(&s.arena);
}

/* A copy early enough for a later step lies beside less than one that starts as soon as it can. */
static void test_least_peak(void)
{
    subject s;
    start(&s, 100);
    add_step(&s, 5, 10);
    add_step(&s, 5, 1);
    add_step(&s, 5, 10);
    add_copy(&s, 2, 4, 3);
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.stall == 0u && s.r.peak == 14u && s.r.steps[0] == 0u);
    s.live[0] = 20;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.stall == 0u && s.r.peak == 20u && s.r.steps[0] == 1u && s.r.starts[0] == 5u);
    t_arena_close(&s.arena);
}

/* No steps, no copies; steps and copies that take no time. */
static void test_nothing(void)
{
    subject s;
    start(&s, 8);
    s.desc.times = NULL;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.stall == 0u && s.r.peak == 0u && s.r.lower_bound == 0u);
    T_EQUAL(gsp_prefetch_check(&s.desc, NULL, &s.err), GSP_OK);
    s.desc.times = s.times;
    add_step(&s, 0, 3);
    add_step(&s, 0, 2);
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.peak, 3);
    add_copy(&s, 1, 6, 0);
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.stall == 0u && s.r.peak == 8u && s.r.steps[0] == 1u);
    T_EQUAL(gsp_prefetch_bound(NULL), SIZE_MAX);
    t_arena_close(&s.arena);
}

/* Starts that are valid, late, too early for the channel, and too early for the memory. */
static void test_given_starts(void)
{
    subject s;
    start(&s, 15);
    add_step(&s, 10, 0);
    add_step(&s, 10, 0);
    add_copy(&s, 0, 8, 4);
    add_copy(&s, 1, 8, 6);
    s.starts[1] = 14;
    check_is(&s, GSP_OK, GSP_DETAIL_NONE, GSP_NONE);
    s.starts[1] = 1000;
    check_is(&s, GSP_OK, GSP_DETAIL_NONE, GSP_NONE);
    s.starts[1] = 13;
    check_is(&s, GSP_STATUS_NO_FIT, GSP_DETAIL_BUDGET, 0);
    T_CHECK(s.err.need == 16u && s.err.limit == 15u && s.err.what == GSP_WHAT_NONE);
    s.starts[0] = 10;
    check_is(&s, GSP_STATUS_ARG, GSP_DETAIL_OVERLAP, 1);
    T_CHECK(s.err.other == 0u && s.err.what == GSP_WHAT_TENSOR);
    s.starts[0] = 3;
    s.starts[1] = MOST + 1u;
    check_is(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 1);
    s.starts[1] = MOST;
    check_is(&s, GSP_OK, GSP_DETAIL_NONE, GSP_NONE);
    t_arena_close(&s.arena);
}

static void test_refusals(void)
{
    subject s;
    start(&s, 8);
    add_step(&s, 1, 0);
    add_step(&s, 1, 1);
    add_copy(&s, 1, 4, 1);
    add_copy(&s, 0, 4, 1);
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 1);
    s.uses[1] = 2;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 1);
    s.uses[1] = 1;
    refused(&s, GSP_STATUS_NO_FIT, GSP_DETAIL_BUDGET, 1);
    T_CHECK(s.err.need == 9u && s.err.limit == 8u);
    s.desc.capacity = 9;
    T_EQUAL(run(&s), GSP_OK);
    s.desc.ticks = NULL;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE);
    s.desc.ticks = s.ticks;
    s.desc.capacity = UINT64_MAX;
    s.ticks[1] = MOST - 3u;
    T_EQUAL(run(&s), GSP_OK);
    s.ticks[1]++;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 1);
    s.ticks[1] = 1;
    s.bytes[1] = MOST - 4u;
    s.live[1] = MOST;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.peak, 2u * MOST);
    s.bytes[1]++;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 1);
    s.live[1]++;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, GSP_NONE);
    s.live[1] = 0;
    s.times[1] = MOST;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, GSP_NONE);
    s.times[1] = 1;
    s.bytes[1] = 1;
    s.arena.size = gsp_prefetch_bound(&s.desc) - 1u;
    refused(&s, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE);
    t_arena_close(&s.arena);
}

void suite_unit_prefetch(void)
{
    t_run("by_hand", test_by_hand);
    t_run("least_peak", test_least_peak);
    t_run("nothing", test_nothing);
    t_run("given_starts", test_given_starts);
    t_run("refusals", test_refusals);
}
