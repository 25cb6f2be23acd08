/* Plans of intervals: plans worked out by hand, every refusal, limits of numbers and of work. */
#include "examples/extra/graphsplit_intervals.h"
#include "tests/t.h"

#define MOST    ((uint64_t)1 << 62u)
#define TENSORS 8u

typedef struct subject {
    gsp_arena arena;
    gsp_tensor tensors[TENSORS];
    uint32_t aligns[TENSORS];
    uint32_t fixed[TENSORS];
    uint32_t resumed[TENSORS];
    uint32_t together[2];
    uint32_t apart[2];
    gsp_intervals_desc desc;
    gsp_intervals_fit fit;
    gsp_intervals_result r;
    gsp_intervals_misfit misfit;
    gsp_error err;
} subject;

static void start(subject *s)
{
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, 1u << 15);
    s->desc.tensors = s->tensors;
    s->desc.aligns = s->aligns;
    s->desc.fixed = s->fixed;
    s->desc.resumed = s->resumed;
    s->desc.together = s->together;
    s->desc.apart = s->apart;
}

static gsp_tensor *add(subject *s, uint64_t bytes, uint32_t begin, uint32_t end)
{
    uint32_t const i = s->desc.n_tensors++;
    s->aligns[i] = 1;
    s->tensors[i].bytes = bytes;
    s->tensors[i].begin = begin;
    s->tensors[i].end = end;
    return &s->tensors[i];
}

static void fix(subject *s, uint64_t offset, uint32_t how)
{
    s->tensors[s->desc.n_tensors - 1u].offset = offset;
    s->fixed[s->desc.n_tensors - 1u] = how;
}

static gsp_status run(subject *s)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_intervals_run(&s->arena, &s->desc, &s->r, &s->err);
}

static gsp_status fit(subject *s)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_intervals_fit_run(&s->arena, &s->desc, &s->fit, &s->err);
}

static gsp_status misfit(subject *s, uint64_t capacity)
{
    s->desc.capacity = capacity;
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_intervals_misfit_run(&s->arena, &s->desc, &s->misfit, &s->err);
}

static void refused(
    subject *s, gsp_status status, gsp_detail detail, uint32_t tensor, uint32_t other)
{
    T_EQUAL(run(s), status);
    T_EQUAL(s->err.status, status);
    T_EQUAL(s->err.detail, detail);
    T_EQUAL(s->err.node, tensor);
    T_EQUAL(s->err.other, other);
    T_EQUAL(s->err.what, tensor == GSP_NONE ? GSP_WHAT_NONE : GSP_WHAT_TENSOR);
    T_EQUAL(s->arena.low + s->arena.high, 0u);
    T_EQUAL(gsp_intervals_run(&s->arena, &s->desc, &s->r, NULL), status);
    T_EQUAL(fit(s), status);
    T_EQUAL(s->err.detail, detail);
    T_EQUAL(misfit(s, 1), status);
    T_EQUAL(s->err.node, tensor);
    T_EQUAL(s->arena.low + s->arena.high, 0u);
}

static void test_by_hand(void)
{
    subject s;
    start(&s);
    add(&s, 32, 0, 2);
    add(&s, 16, 0, 1);
    add(&s, 48, 2, 4);
    add(&s, 0, 0, 9);
    add(&s, 8, 5, 5);
    s.aligns[4] = 64; /* nothing is in its way at 0 */
    T_EQUAL(fit(&s), GSP_OK);
    T_CHECK(s.fit.bytes == 80u && s.fit.offsets[2] == 0u && s.fit.offsets[0] == 48u);
    T_CHECK(s.fit.offsets[1] == 0u && s.fit.offsets[3] == 0u && s.fit.offsets[4] == 0u);
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.bytes == 80u && s.r.lower_bound == 80u && s.r.fit == 80u && s.r.stopped == 0u);
    T_CHECK(s.r.peak.bytes == 80u && s.r.peak.step == 2u);
    s.desc.aligns = NULL;
    s.desc.align = 32;
    T_EQUAL(fit(&s), GSP_OK);
    T_CHECK(s.fit.bytes == 96u && s.fit.offsets[0] == 64u);
    s.desc.align = 0; /* 16 */
    s.tensors[2].bytes = 47;
    T_EQUAL(fit(&s), GSP_OK);
    T_EQUAL(s.fit.offsets[0], 48u);
    t_arena_close(&s.arena);
}

static void test_empty(void)
{
    subject s;
    gsp_intervals_peak peak;
    start(&s);
    T_EQUAL(fit(&s), GSP_OK);
    T_EQUAL(s.fit.bytes, 0u);
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.bytes == 0u && s.r.lower_bound == 0u && s.r.peak.bytes == 0u);
    T_EQUAL(misfit(&s, 0), GSP_OK);
    T_CHECK(s.misfit.n == 0u && s.misfit.minimal == 0u);
    T_EQUAL(gsp_intervals_peak_run(&s.arena, NULL, 0, &peak, NULL), GSP_OK);
    T_CHECK(peak.bytes == 0u && peak.step == 0u);
    T_EQUAL(gsp_intervals_fit_bound(NULL), SIZE_MAX);
    T_EQUAL(gsp_intervals_bound(NULL), SIZE_MAX);
    T_EQUAL(gsp_intervals_misfit_bound(NULL), SIZE_MAX);
    t_arena_close(&s.arena);
}

static void test_peak(void)
{
    subject s;
    gsp_intervals_peak peak;
    start(&s);
    add(&s, 5, 3, UINT32_MAX);
    add(&s, 7, 0, 3);
    add(&s, 7, UINT32_MAX, UINT32_MAX);
    T_EQUAL(gsp_intervals_peak_run(&s.arena, s.tensors, 3, &peak, &s.err), GSP_OK);
    T_CHECK(peak.bytes == 12u && peak.step == 3u);
    T_EQUAL(s.arena.low + s.arena.high, 0u);
    s.tensors[0].begin = 4; /* not beside the second any more */
    T_EQUAL(gsp_intervals_peak_run(&s.arena, s.tensors, 3, &peak, &s.err), GSP_OK);
    T_CHECK(peak.bytes == 12u && peak.step == UINT32_MAX);
    s.tensors[0].bytes = MOST;
    T_EQUAL(gsp_intervals_peak_run(&s.arena, s.tensors, 3, &peak, &s.err), GSP_STATUS_OVERFLOW);
    T_CHECK(s.err.detail == GSP_DETAIL_SIZE && s.err.node == 0u);
    s.tensors[0].bytes = 5;
    s.tensors[1].begin = 4;
    T_EQUAL(gsp_intervals_peak_run(&s.arena, s.tensors, 3, &peak, &s.err), GSP_STATUS_ARG);
    T_CHECK(s.err.detail == GSP_DETAIL_RANGE && s.err.node == 1u);
    t_arena_close(&s.arena);
}

static void test_sets(void)
{
    subject s;
    start(&s);
    add(&s, 16, 0, 1);
    add(&s, 24, 4, 6);
    add(&s, 8, 1, 5); /* beside both */
    add(&s, 4, 2, 3); /* in the gap of both */
    s.together[0] = 1;
    s.together[1] = 0;
    s.desc.n_together = 1;
    s.aligns[1] = 16;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.offsets[0] == s.r.offsets[1] && s.r.offsets[0] % 16u == 0u);
    T_CHECK(s.r.bytes == 32u && s.r.peak.bytes == 32u && s.r.peak.step == 1u);
    T_EQUAL(misfit(&s, 31), GSP_OK);
    T_CHECK(s.misfit.n == 2u && s.misfit.tensors[0] == 0u && s.misfit.tensors[1] == 2u);
    T_CHECK(s.misfit.minimal == 1u && s.misfit.peak.bytes == 32u && s.misfit.peak.step == 1u);
    s.apart[0] = 3;
    s.apart[1] = 1;
    s.desc.n_apart = 1;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.bytes == 36u && s.r.peak.bytes == 32u && s.r.lower_bound == 36u);
    T_CHECK(s.r.offsets[3] >= s.r.offsets[1] + 24u || s.r.offsets[3] + 4u <= s.r.offsets[1]);
    t_arena_close(&s.arena);
}

/* Sets of several tensors become one, and the caller need not ask why there is no room. */
static void test_chains(void)
{
    subject s;
    uint32_t const pairs[] = {0, 1, 2, 3, 1, 3, 0, 2};
    start(&s);
    for (uint32_t i = 0; i < 4u; i++) {
        add(&s, 8u + i, 2u * i, 2u * i);
    }
    s.desc.together = pairs;
    s.desc.n_together = 4;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.offsets[1] == s.r.offsets[0] && s.r.offsets[2] == s.r.offsets[0]);
    T_CHECK(s.r.offsets[3] == s.r.offsets[0] && s.r.bytes == 11u);
    void *block = s.arena.base;
    gsp_arena_init(&s.arena, block, 1000);
    T_EQUAL(gsp_intervals_run(&s.arena, &s.desc, &s.r, NULL), GSP_STATUS_NOMEM);
    t_arena_close(&s.arena);
}

/* Intervals of one address that touch or overlap are one. */
static void test_touching(void)
{
    subject s;
    start(&s);
    add(&s, 8, 4, 9);
    add(&s, 8, 0, 1);
    add(&s, 8, 2, 3);
    add(&s, 8, 3, 5);
    add(&s, 8, 11, UINT32_MAX);
    s.resumed[4] = 1;
    s.together[0] = 0;
    s.desc.n_together = 1;
    s.together[1] = 4; /* an entry that resumes stands for its tensor */
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.offsets[0] == s.r.offsets[3] && s.r.offsets[3] == s.r.offsets[4]);
    T_CHECK(s.r.bytes == 16u && s.r.peak.bytes == 16u && s.r.peak.step == 3u);
    t_arena_close(&s.arena);
}

static void test_fixed(void)
{
    subject s;
    start(&s);
    add(&s, 8, 0, 4);
    add(&s, 8, 2, 6);
    fix(&s, 3, GSP_INTERVALS_FIXED);
    s.aligns[0] = 4;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.offsets[1] == 3u && s.r.offsets[0] == 12u && s.r.bytes == 20u);
    add(&s, 2, 6, 7);
    fix(&s, 10, GSP_INTERVALS_FIXED);
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_OVERLAP, 2, 1);
    s.fixed[2] = GSP_INTERVALS_SHARED;
    T_EQUAL(fit(&s), GSP_OK);
    T_CHECK(s.fit.offsets[2] == 10u && s.fit.offsets[0] == 12u);
    T_EQUAL(run(&s), GSP_STATUS_ARG);
    s.fixed[1] = GSP_INTERVALS_SHARED; /* then the order of both does not count */
    s.fixed[2] = GSP_INTERVALS_FIXED;
    T_EQUAL(fit(&s), GSP_OK);
    s.tensors[2].offset = 11;
    s.fixed[1] = GSP_INTERVALS_FIXED;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(misfit(&s, 12), GSP_OK); /* ends at 13 */
    T_CHECK(s.misfit.n == 1u && s.misfit.tensors[0] == 2u && s.misfit.minimal == 1u);
    T_CHECK(s.misfit.peak.bytes == 2u && s.misfit.peak.step == 6u);
    T_EQUAL(misfit(&s, 10), GSP_OK); /* both: the larger one */
    T_CHECK(s.misfit.n == 1u && s.misfit.tensors[0] == 1u);
    s.tensors[1].bytes = 0;
    T_EQUAL(misfit(&s, 2), GSP_OK);
    T_CHECK(s.misfit.n == 1u && s.misfit.tensors[0] == 2u);
    t_arena_close(&s.arena);
}

/* The other one is named, whatever lies around both. */
static void test_clash(void)
{
    subject s;
    start(&s);
    add(&s, 8, 0, 4);
    fix(&s, 0, GSP_INTERVALS_FIXED);
    add(&s, 8, 0, 4);
    fix(&s, 16, GSP_INTERVALS_FIXED);
    add(&s, 8, 0, 0);
    fix(&s, 8, GSP_INTERVALS_FIXED);
    add(&s, 8, 5, 6);
    fix(&s, 8, GSP_INTERVALS_FIXED);
    add(&s, 8, 1, 4);
    fix(&s, 8, GSP_INTERVALS_FIXED);
    add(&s, 8, 7, 9);
    T_EQUAL(run(&s), GSP_OK);
    add(&s, 8, 3, 4);
    fix(&s, 23, GSP_INTERVALS_FIXED);
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_OVERLAP, 6, 1);
    s.tensors[6].offset = 9;
    s.tensors[6].bytes = 2;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_OVERLAP, 6, 4);
    s.tensors[6].end = 5;
    s.tensors[6].begin = 5;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_OVERLAP, 6, 3);
    t_arena_close(&s.arena);
}

static void test_refusals(void)
{
    subject s;
    start(&s);
    add(&s, 8, 0, 4);
    add(&s, 8, 6, 7);
    s.aligns[1] = 0;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_NUMBER, 1, GSP_NONE);
    s.aligns[1] = 3;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_NUMBER, 1, GSP_NONE);
    s.aligns[1] = 1;
    s.tensors[0].begin = 5;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 0, GSP_NONE);
    s.tensors[0].begin = 0;
    s.resumed[0] = 1;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 0, GSP_NONE);
    s.resumed[0] = 0;
    s.resumed[1] = 1;
    T_EQUAL(run(&s), GSP_OK);
    s.tensors[1].bytes = 7;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 1, GSP_NONE);
    s.tensors[1].bytes = 8;
    s.tensors[1].begin = 4;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 1, GSP_NONE);
    s.tensors[1].begin = 6;
    s.resumed[1] = 0;
    s.desc.n_together = 1;
    s.together[1] = 2;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 2, GSP_NONE);
    s.together[1] = 1;
    s.fixed[0] = s.fixed[1] = GSP_INTERVALS_FIXED;
    T_EQUAL(run(&s), GSP_OK);
    s.tensors[1].offset = 1;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 0, 1);
    T_STRING(s.err.field, "fixed");
    s.fixed[1] = 0; /* then its offset does not count */
    T_EQUAL(run(&s), GSP_OK);
    s.desc.n_apart = 1;
    s.apart[0] = 2;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 2, GSP_NONE);
    s.apart[0] = 1;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 1, 0);
    T_STRING(s.err.field, "apart");
    s.desc.n_together = 0;
    T_EQUAL(run(&s), GSP_OK);
    s.tensors[1].end = UINT32_MAX;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE, GSP_NONE);
    s.tensors[1].end = UINT32_MAX - 1u;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE, GSP_NONE);
    s.tensors[1].end = UINT32_MAX - 2u;
    T_EQUAL(run(&s), GSP_OK);
    t_arena_close(&s.arena);
}

static void test_sizes(void)
{
    subject s;
    start(&s);
    add(&s, MOST - 2u, 0, 4);
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.bytes, MOST - 2u);
    add(&s, 1, 0, 4);
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 1, GSP_NONE);
    s.tensors[0].bytes = MOST;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 0, GSP_NONE);
    s.tensors[0].bytes = 1;
    fix(&s, MOST, GSP_INTERVALS_FIXED);
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 1, GSP_NONE);
    s.tensors[1].offset = MOST - 1u; /* with its alignment */
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 1, GSP_NONE);
    s.fixed[1] = 0;
    T_EQUAL(run(&s), GSP_OK);
    t_arena_close(&s.arena);
}

static int stop(void *user, uint64_t work)
{
    (void)work;
    ++*(uint32_t *)user;
    return 1;
}

/* Tensors of which many are live at once, for long. */
static void add_random(gsp_tensor *t, uint32_t n, uint32_t steps, uint32_t life, t_rng *rng)
{
    for (uint32_t i = 0; i < n; i++) {
        memset(&t[i], 0, sizeof(t[i]));
        t[i].bytes = 1u + t_below(rng, 1000u);
        t[i].begin = t_below(rng, steps);
        t[i].end = t[i].begin + t_below(rng, 2u * life);
    }
}

/* Long intervals get less work by default: progress says how much that is, and stops. */
static void test_progress(void)
{
    static gsp_tensor tensors[700];
    t_rng rng = {t_seed};
    gsp_intervals_desc d = {0};
    gsp_intervals_result r;
    gsp_arena arena;
    uint32_t calls = 0;
    d.tensors = tensors;
    d.progress = stop;
    d.progress_user = &calls;
    for (uint32_t k = 0; k < 3u; k++) {
        d.n_tensors = k == 0u ? 100u : 700u;
        add_random(tensors, d.n_tensors, 4000, k < 2u ? 50u : 2000u, &rng);
        t_arena_open(&arena, gsp_intervals_bound(&d));
        calls = 0;
        T_EQUAL(gsp_intervals_run(&arena, &d, &r, NULL), GSP_OK);
        T_CHECK(r.bytes >= r.lower_bound && r.bytes <= r.fit && r.lower_bound >= r.peak.bytes);
        T_EQUAL(r.stopped, calls);
        t_arena_close(&arena);
    }
    T_EQUAL(calls, 1u);
}

/* After some blocks and tensors, the others are placed above all of their slices. */
static void test_looks(void)
{
    static gsp_tensor tensors[600];
    t_rng rng = {t_seed};
    gsp_intervals_desc d = {0};
    gsp_intervals_fit few;
    gsp_intervals_fit all;
    gsp_arena arena;
    d.n_tensors = T_COUNT_OF(tensors);
    d.tensors = tensors;
    add_random(tensors, d.n_tensors, 2000, 200, &rng);
    t_arena_open(&arena, 2u * gsp_intervals_fit_bound(&d));
    T_EQUAL(gsp_intervals_fit_run(&arena, &d, &all, NULL), GSP_OK);
    d.max_work = 2000;
    T_EQUAL(gsp_intervals_fit_run(&arena, &d, &few, NULL), GSP_OK);
    T_CHECK(few.bytes > all.bytes);
    for (uint32_t i = 0; i < d.n_tensors; i++) {
        tensors[i].offset = few.offsets[i];
    }
    t_arena_close(&arena);
    t_arena_open(&arena, gsp_memory_check_bound(d.n_tensors, NULL));
    T_EQUAL(gsp_memory_check_run(&arena, tensors, d.n_tensors, NULL, NULL), GSP_OK);
    t_arena_close(&arena);
}

/* A pinwheel: 5 bytes are live at most, but no plan has fewer than 6. Whether a part of it fits as
 * well stays open with little work. */
static void test_misfit_by_search(void)
{
    subject s;
    uint32_t work;
    start(&s);
    add(&s, 3, 0, 0);
    add(&s, 2, 0, 2);
    add(&s, 3, 1, 1);
    add(&s, 2, 2, 4);
    add(&s, 1, 2, 3);
    add(&s, 3, 3, 3);
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.peak.bytes, 6u);
    T_EQUAL(misfit(&s, s.r.bytes), GSP_OK);
    T_EQUAL(s.misfit.n, 0u);
    for (work = 1; work < 40u; work++) {
        s.desc.max_work = work;
        T_EQUAL(misfit(&s, 5), GSP_OK);
        T_CHECK(s.misfit.n >= 2u && s.misfit.minimal == 1u);
    }
    t_arena_close(&s.arena);
}

void suite_unit_intervals(void)
{
    t_run("by_hand", test_by_hand);
    t_run("empty", test_empty);
    t_run("peak", test_peak);
    t_run("sets", test_sets);
    t_run("chains", test_chains);
    t_run("touching", test_touching);
    t_run("fixed", test_fixed);
    t_run("clash", test_clash);
    t_run("refusals", test_refusals);
    t_run("sizes", test_sizes);
    t_run("progress", test_progress);
    t_run("looks", test_looks);
    t_run("misfit_by_search", test_misfit_by_search);
}
