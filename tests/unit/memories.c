/* Tensors in several memories: plans worked out by hand, few states, little work, sets without
 * room, progress, every refusal. */
#include "examples/extra/graphsplit_memories.h"
#include "tests/t.h"

#define MOST 6000u

typedef struct subject {
    gsp_arena arena;
    gsp_tensor t[MOST];
    uint64_t traffic[MOST];
    uint32_t pins[MOST];
    uint32_t fixed[MOST];
    uint32_t aligns[MOST];
    gsp_memory memories[GSP_MEMORIES_MOST + 1u];
    gsp_memories_desc desc;
    gsp_memories_result r;
    gsp_error err;
    uint32_t calls; /* of progress */
    uint32_t last;  /* call that asks to stop */
    uint64_t work;
} subject;

static subject *start(void)
{
    subject *s = (subject *)t_alloc(sizeof(*s));
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, (size_t)1 << 26u);
    for (uint32_t i = 0; i < MOST; i++) {
        s->pins[i] = GSP_NONE;
        s->aligns[i] = 1;
    }
    s->desc.tensors = s->t;
    s->desc.memories = s->memories;
    return s;
}

static void stop(subject *s)
{
    t_arena_close(&s->arena);
    free(s);
}

static void add(subject *s, uint64_t bytes, uint32_t begin, uint32_t end)
{
    gsp_tensor *t = &s->t[s->desc.n_tensors++];
    t->bytes = bytes;
    t->begin = begin;
    t->end = end;
}

static void add_memory(subject *s, uint64_t bytes, uint64_t cost, uint32_t align)
{
    gsp_memory *m = &s->memories[s->desc.n_memories++];
    m->bytes = bytes;
    m->cost = cost;
    m->align = align;
}

static gsp_status run(subject *s)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_memories_run(&s->arena, &s->desc, &s->r, &s->err);
}

static void refused(subject *s, gsp_status status, gsp_detail detail, uint32_t tensor)
{
    T_EQUAL(run(s), status);
    T_EQUAL(s->err.status, status);
    T_EQUAL(s->err.detail, detail);
    T_EQUAL(s->err.node, tensor);
    T_EQUAL(s->arena.low + s->arena.high, 0u);
}

/* A fast memory of 16 bytes, a slow one: of three tensors at once, that of least traffic leaves. */
static void test_by_hand(void)
{
    subject *s = start();
    add(s, 8, 0, 2);
    add(s, 8, 0, 1);
    add(s, 8, 1, 3);
    add(s, 0, 1, 1);
    s->traffic[0] = 30;
    s->traffic[1] = 20;
    s->traffic[2] = 40;
    s->desc.traffic = s->traffic;
    add_memory(s, 16, 1, 1);
    add_memory(s, UINT64_MAX, 5, 0);
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.cost == 170u && s->r.lower_bound == 170u && s->r.misfit == GSP_NONE);
    T_CHECK(s->r.memory[0] == 0u && s->r.memory[1] == 1u && s->r.memory[2] == 0u);
    T_CHECK(s->r.greedy >= 170u && s->r.stopped == 0u);
    s->pins[1] = 0; /* then the first one leaves: 150 + 20 + 40 */
    s->desc.pins = s->pins;
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.cost == 210u && s->r.lower_bound == 210u && s->r.memory[0] == 1u);
    s->fixed[1] = 1; /* in the middle: no other one fits beside it */
    s->t[1].offset = 4;
    s->desc.fixed = s->fixed;
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.cost == 370u && s->r.lower_bound == 370u && s->r.offset[1] == 4u);
    s->desc.pins = s->desc.fixed = NULL;
    s->desc.traffic = NULL; /* 8 each */
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.cost == 56u && s->r.lower_bound == 56u);
    stop(s);
}

/* Memories that take only what nothing writes, and tensors for which there is none. */
static void test_misfits(void)
{
    static const uint32_t written[] = {1, 0};
    subject *s = start();
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.cost == 0u && s->r.lower_bound == 0u && s->r.misfit == GSP_NONE);
    add(s, 8, 0, 1);
    add(s, 8, 0, 1);
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.cost == UINT64_MAX && s->r.lower_bound == UINT64_MAX && s->r.misfit == 0u);
    add_memory(s, 16, 1, 1);
    s->memories[0].read_only = 1;
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.misfit, 0);
    s->desc.written = written;
    add_memory(s, 8, 2, 1);
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.cost == 24u && s->r.memory[0] == 1u && s->r.memory[1] == 0u);
    s->t[1].bytes = 17;
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.misfit, 1);
    s->t[1].bytes = 16;
    s->t[1].offset = 1;
    s->pins[1] = 0;
    s->fixed[1] = 1;
    s->desc.pins = s->pins;
    s->desc.fixed = s->fixed;
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.misfit, 1);
    s->desc.pins = s->desc.fixed = NULL; /* live together: each fits, both do not */
    s->desc.written = NULL;
    s->memories[0].read_only = 0;
    s->t[0].bytes = 9;
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.cost == UINT64_MAX && s->r.lower_bound == UINT64_MAX);
    T_EQUAL(s->r.misfit, GSP_NONE);
    stop(s);
}

/* One state per tensor, and no work: a plan, and a bound below it. */
static void test_limits(void)
{
    subject *s = start();
    t_rng rng = {t_seed};
    for (uint32_t i = 0; i < 60u; i++) {
        uint32_t const begin = t_below(&rng, 30u);
        add(s, 1u + t_below(&rng, 9u), begin, begin + t_below(&rng, 6u));
    }
    add_memory(s, 20, 1, 1);
    add_memory(s, 24, 3, 4);
    add_memory(s, 900, 9, 1);
    T_EQUAL(run(s), GSP_OK);
    uint64_t const cost = s->r.cost;
    T_EQUAL(s->r.lower_bound, cost);
    s->desc.max_states = 1;
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.cost >= cost && s->r.lower_bound <= cost);
    s->desc.max_work = 1;
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.cost >= cost && s->r.lower_bound <= cost && s->r.work < 1000u);
    stop(s);
}

/* Groups whose bytes fit into the first memory, and whose alignment does not let them: each is a
 * forbidden set. */
static void add_groups(subject *s, uint32_t groups, uint32_t members)
{
    for (uint32_t i = 0; i < groups * members; i++) {
        add(s, 1u + i % 2u, i / members, i / members);
    }
    add_memory(s, 16u * (members - 1u) + 1u, 0, 16);
    add_memory(s, 64, 1, 16);
    s->memories[0].bytes -= members == 2u ? 0u : 16u;
    s->desc.max_states = 8;
}

/* Until there is no room for another set, or for its members; one cannot fit for three of four
 * tensors, in any order. */
static void test_forbidden(void)
{
    subject *s = start();
    add_groups(s, 20, 2);
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.cost == 0u && s->r.lower_bound == 0u);
    s->memories[0].bytes = 16;
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.cost == 20u && s->r.lower_bound == 20u);
    stop(s);
    s = start();
    add_groups(s, 300, 2);
    s->memories[0].bytes = 15;
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.cost == 300u && s->r.lower_bound >= 256u && s->r.lower_bound < 300u);
    stop(s);
    s = start(); /* equal live bytes, and other sets avoided */
    for (uint32_t i = 0; i < 8u; i++) {
        add(s, 2, i, 8);
    }
    add_memory(s, 50, 0, 16);
    add_memory(s, 64, 1, 16);
    add_memory(s, 64, 2, 16);
    s->desc.max_states = 40;
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.cost == 8u && s->r.lower_bound <= 8u);
    stop(s);
}

/* Halves beside a fixed tensor that no sizes fill: packing has too little work for them among many
 * other tensors, and enough in a window of their time. */
static void test_windows(void)
{
    static const uint32_t sizes[] = {1259, 1000 + 1001, 1000 + 1897, 1000 + 2016};
    subject *s = start();
    uint64_t sum = 0;
    s->desc.pins = s->pins;
    s->desc.fixed = s->fixed;
    add(s, 1, 0, 0);
    s->fixed[0] = 1;
    s->pins[0] = 0;
    for (uint32_t i = 0; i < T_COUNT_OF(sizes); i++) {
        add(s, sizes[i], 0, 0);
        sum += sizes[i];
    }
    s->t[0].offset = sum / 2u;
    for (uint32_t i = 1; i < 2000u; i++) {
        add(s, 1, i, i);
    }
    add_memory(s, sum + 1u, 0, 1);
    add_memory(s, sum, 1, 1);
    s->desc.max_states = 8;
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.cost == s->r.lower_bound && s->r.cost == 2001u);
    stop(s);
}

static int last_work(void *user, uint64_t work)
{
    subject *s = (subject *)user;
    s->calls++;
    s->work = s->calls == s->desc.n_tensors ? work : s->work; /* of the first search */
    return 0;
}

/* The work ends when the first search does: its set is forbidden as it is, if there is room. */
static void test_no_work_left(void)
{
    static const uint32_t groups[] = {20, 2500};
    for (uint32_t i = 0; i < 2u; i++) {
        subject *s = start();
        add_groups(s, groups[i], 2);
        s->memories[0].bytes = 15;
        s->desc.max_states = 1;
        s->desc.max_work = 200000;
        s->desc.progress = last_work;
        s->desc.progress_user = s;
        T_EQUAL(run(s), GSP_OK);
        s->desc.max_work = s->work;
        T_EQUAL(run(s), GSP_OK);
        T_CHECK(s->r.cost == groups[i] && s->r.lower_bound < groups[i]);
        stop(s);
    }
}

/* Dense tensors that packing does not decide soon, as a whole and in windows of time. */
static void test_dense(void)
{
    for (uint32_t k = 0; k < 8u && !t_failed(); k++) {
        subject *s = start();
        t_rng rng = {5u + k};
        uint64_t live[96] = {0};
        uint64_t most = 0;
        for (uint32_t i = 0; i < 200u; i++) {
            uint32_t const begin = t_below(&rng, 60u);
            add(s, 1u + t_below(&rng, 999u), begin, begin + t_below(&rng, 20u));
            for (uint32_t step = begin; step <= s->t[i].end; step++) {
                live[step] += s->t[i].bytes;
                most = live[step] > most ? live[step] : most;
            }
        }
        add_memory(s, most, 0, 1);
        add_memory(s, most, 1, 1);
        s->desc.max_states = 2;
        for (s->desc.max_work = 60000; s->desc.max_work < 500000u; s->desc.max_work += 340000u) {
            T_EQUAL(run(s), GSP_OK);
            T_CHECK(s->r.lower_bound <= s->r.cost && s->r.work < s->desc.max_work + 200000u);
        }
        stop(s);
    }
}

/* Of a tensor that ends in a section, in a memory, as the search takes it. */
static uint64_t key_of(uint32_t section, uint32_t memory)
{
    uint64_t key = ((uint64_t)section * GSP_MEMORIES_MOST + memory + 1u) * 0x9E3779B97F4A7C15u;
    key = (key ^ key >> 30u) * 0xBF58476D1CE4E5B9u;
    return (key ^ key >> 27u) * 0x94D049BB133111EBu | 1u;
}

/* Two tensors, each in either memory: sizes for which both ways have the same hash. */
static void test_equal_hashes(void)
{
    uint64_t const large = (uint64_t)1 << 59u;
    subject *s = start();
    uint32_t last = 1;
    while ((key_of(last, 1) - key_of(last, 2)) % 32u != 0u) {
        last++;
    }
    add(s, large + 1u, 0, last);
    add(s, 1, 0, last);
    for (uint32_t i = 2; i < last + 3u; i++) {
        add(s, 2, i < 4u ? 0u : i - 2u, i < 4u ? 0u : i - 2u);
    }
    for (uint32_t i = 0; i < s->desc.n_tensors; i++) {
        s->traffic[i] = 1;
    }
    s->desc.traffic = s->traffic;
    add_memory(s, 17, 0, 16);
    add_memory(s, 2u * large, 1, 1);
    add_memory(s, 2u * large, 1, 1);
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.cost == s->r.lower_bound && s->r.cost == 2u);
    stop(s);
}

/* So many tensors in so many memories that multipliers get fewer rounds. */
static void test_rounds(void)
{
    subject *s = start();
    for (uint32_t i = 0; i < MOST; i++) {
        add(s, 2, i, i + 2u);
    }
    for (uint32_t i = 0; i < GSP_MEMORIES_MOST; i++) {
        add_memory(s, 4, i, 1);
    }
    s->desc.max_states = 1;
    s->desc.max_work = 1;
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.lower_bound <= s->r.cost && s->r.cost != UINT64_MAX);
    stop(s);
}

/* Of more than 2^18 tensors, 8 states each. */
static void test_sizes(void)
{
    gsp_memories_desc desc = {0};
    T_EQUAL(gsp_memories_bound(NULL), SIZE_MAX);
    desc.n_memories = 99;
    desc.n_tensors = 1000;
    size_t const some = gsp_memories_bound(&desc);
    desc.max_states = 9;
    T_CHECK(gsp_memories_bound(&desc) < some / 4u);
    desc.max_states = UINT32_MAX;
    T_EQUAL(gsp_memories_bound(&desc), some);
    desc.n_tensors = 1u << 20;
    size_t const many = gsp_memories_bound(&desc);
    desc.max_states = 8;
    T_EQUAL(gsp_memories_bound(&desc), many);
}

static int progress(void *user, uint64_t work)
{
    subject *s = (subject *)user;
    (void)work;
    return ++s->calls == s->last;
}

static void test_progress(void)
{
    subject *s = start();
    s->desc.progress = progress;
    s->desc.progress_user = s;
    for (uint32_t i = 0; i < 40u; i++) {
        add(s, 2, i / 2u, i / 2u);
    }
    add_memory(s, 17, 0, 16);
    add_memory(s, 64, 1, 16);
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.stopped == 0u && s->r.cost == s->r.lower_bound && s->calls > 40u);
    s->last = 30;
    s->calls = 0;
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.stopped == 1u && s->calls == 30u && s->r.cost == 40u && s->r.lower_bound < 40u);
    stop(s);
}

static void test_refusals(void)
{
    subject *s = start();
    add(s, 8, 0, 1);
    add(s, 8, 1, 2);
    add_memory(s, 64, 1, 24);
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_NUMBER, GSP_NONE);
    s->memories[0].align = 8;
    s->desc.aligns = s->aligns;
    s->aligns[1] = 0;
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_NUMBER, 1);
    s->aligns[1] = 16;
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.offset[1] % 16u, 0);
    s->desc.aligns = NULL;
    s->desc.fixed = s->fixed;
    s->fixed[1] = 1;
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 1); /* no pin */
    s->desc.pins = s->pins;
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 1);
    s->pins[1] = 1;
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 1);
    T_FIELD(&s->err);
    s->pins[1] = s->pins[0] = 0;
    s->fixed[0] = 1;
    s->t[1].offset = 7;
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_OVERLAP, 1);
    T_EQUAL(s->err.other, 0);
    s->t[1].offset = 8;
    T_EQUAL(run(s), GSP_OK);
    s->fixed[1] = 0;
    s->t[1].end = 0;
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 1);
    s->t[1].end = 2;
    s->t[1].bytes = (uint64_t)1 << 60u;
    refused(s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 1);
    s->t[1].bytes = 8;
    s->memories[0].cost = (uint64_t)1 << 57u;
    refused(s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 1);
    s->memories[0].cost = (uint64_t)1 << 55u; /* costs that leave room for no scale */
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.cost, (uint64_t)1 << 59u);
    s->desc.n_memories = GSP_MEMORIES_MOST + 1u;
    refused(s, GSP_STATUS_DESC, GSP_DETAIL_CHOICE, GSP_NONE);
    s->desc.n_memories = 1;
    s->arena.size = gsp_memories_bound(&s->desc) - 1u;
    refused(s, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE);
    T_EQUAL(gsp_memories_run(&s->arena, &s->desc, &s->r, NULL), GSP_STATUS_NOMEM);
    stop(s);
}

void suite_unit_memories(void)
{
    t_run("by_hand", test_by_hand);
    t_run("misfits", test_misfits);
    t_run("limits", test_limits);
    t_run("forbidden", test_forbidden);
    t_run("no_work_left", test_no_work_left);
    t_run("dense", test_dense);
    t_run("windows", test_windows);
    t_run("equal_hashes", test_equal_hashes);
    t_run("rounds", test_rounds);
    t_run("sizes", test_sizes);
    t_run("progress", test_progress);
    t_run("refusals", test_refusals);
}
