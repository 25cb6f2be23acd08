/* Schedules: an order of the caller, worked out by hand, and everything for which one is refused.
 * The oracle has the times of all kinds. */
#include "examples/extra/graphsplit_schedule.h"
#include "tests/t.h"

#define F  GSP_ACTION_FORWARD
#define B  GSP_ACTION_BACKWARD
#define I  GSP_ACTION_BACKWARD_INPUT
#define W  GSP_ACTION_BACKWARD_WEIGHT
#define SF GSP_ACTION_SEND_FORWARD
#define SB GSP_ACTION_SEND_BACKWARD

typedef struct subject {
    gsp_arena arena;
    gsp_action actions[16];
    uint32_t begin[3];
    uint32_t device_of[2];
    gsp_schedule_desc desc;
    gsp_schedule_result r;
    gsp_error err;
} subject;

/* Two stages on two devices, one microbatch, sends: F of 0 takes 1 tick, the rest twice as long. */
static void start(subject *s)
{
    static const gsp_action actions[] = {{0, 0, F, 0}, {0, 0, SF, 0}, {0, 0, B, 0}, {1, 0, F, 0},
        {1, 0, I, 0}, {1, 0, SB, 0}, {0, 3, GSP_ACTION_WAIT, 0}, {1, 0, W, 0}};
    memset(s, 0, sizeof(*s));
    memcpy(s->actions, actions, sizeof(actions));
    s->begin[1] = 3;
    s->begin[2] = 8;
    s->device_of[1] = 1;
    s->desc.n_devices = 2;
    s->desc.n_stages = 2;
    s->desc.sends = 1;
    s->desc.actions = s->actions;
    s->desc.action_begin = s->begin;
    s->desc.device_of = s->device_of;
    t_arena_open(&s->arena, (size_t)1 << 12u);
}

static gsp_status run(subject *s)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_schedule_run(&s->arena, &s->desc, &s->r, &s->err);
}

static void refused(subject *s, gsp_detail detail, uint32_t node, uint32_t other)
{
    T_EQUAL(run(s), GSP_STATUS_ARG);
    T_EQUAL(s->err.status, GSP_STATUS_ARG);
    T_EQUAL(s->err.detail, detail);
    T_EQUAL(s->err.node, node);
    T_EQUAL(s->err.other, other);
    T_EQUAL(s->arena.low + s->arena.high, 0u);
}

/* An action that is another one for this time. */
static void changed(
    subject *s, uint32_t i, gsp_action action, gsp_detail detail, uint32_t node, uint32_t other)
{
    gsp_action const before = s->actions[i];
    s->actions[i] = action;
    refused(s, detail, node, other);
    s->actions[i] = before;
}

static void test_given(void)
{
    subject s;
    start(&s);
    for (s.desc.trusted = 0; s.desc.trusted < 2u; s.desc.trusted++) {
        if (T_EQUAL(run(&s), GSP_OK)) {
            T_CHECK(s.r.n_tasks == 5u && s.r.n_stages == 2u && s.r.task_begin[1] == 2u);
            T_CHECK(s.r.tasks[0].end == 1u && s.r.tasks[2].begin == 1u);
            T_CHECK(s.r.tasks[3].begin == 2u && s.r.tasks[3].end == 3u);
            T_CHECK(s.r.tasks[1].begin == 3u && s.r.tasks[1].end == 5u);
            T_CHECK(s.r.tasks[4].begin == 3u && s.r.span == 5u);
            T_CHECK(s.r.busy[0] == 3u && s.r.busy[1] == 3u && s.r.bubble == 400000u);
        }
    }
    s.desc.trusted = 0;
    s.desc.inference = 1; /* the forward part alone */
    s.begin[1] = 2;
    s.begin[2] = 3;
    s.actions[2] = s.actions[3];
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.n_tasks == 2u && s.r.span == 2u);
    s.desc.sends = 0; /* without sends it is there at once */
    s.begin[1] = 1;
    s.begin[2] = 2;
    s.actions[1] = s.actions[2];
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.n_tasks == 2u && s.r.span == 2u);
    T_EQUAL(gsp_schedule_run(&s.arena, NULL, &s.r, &s.err), GSP_OK);
    T_CHECK(s.r.n_tasks == 2u && s.r.span == 3u && s.r.n_devices == 1u);
    t_arena_close(&s.arena);
}

static void test_refused(void)
{
    subject s;
    static const gsp_action beyond = {2, 0, F, 0};
    static const gsp_action later = {0, 1, F, 0};
    static const gsp_action no_kind = {0, 0, GSP_ACTION_GATHER, 0};
    static const gsp_action joined_wait = {0, 0, GSP_ACTION_WAIT, 1};
    static const gsp_action joined_send = {0, 0, SF, 1};
    static const gsp_action joined_last = {0, 0, B, 1};
    static const gsp_action of_other = {1, 0, F, 0};
    static const gsp_action forward = {0, 0, F, 0};
    static const gsp_action full = {1, 0, B, 0};
    static const gsp_action wait = {0, 0, GSP_ACTION_WAIT, 0};
    static const gsp_action weight = {1, 0, W, 0};
    start(&s);
    changed(&s, 0, beyond, GSP_DETAIL_RANGE, 0, GSP_NONE);
    changed(&s, 0, later, GSP_DETAIL_RANGE, 0, GSP_NONE);
    changed(&s, 0, no_kind, GSP_DETAIL_KIND, 0, GSP_NONE);
    changed(&s, 1, joined_wait, GSP_DETAIL_KIND, 1, GSP_NONE);
    changed(&s, 1, joined_send, GSP_DETAIL_KIND, 1, GSP_NONE);
    changed(&s, 2, joined_last, GSP_DETAIL_KIND, 2, GSP_NONE);
    changed(&s, 0, of_other, GSP_DETAIL_ORDER, 0, GSP_NONE);
    changed(&s, 2, forward, GSP_DETAIL_ORDER, 2, GSP_NONE);
    changed(&s, 7, full, GSP_DETAIL_ORDER, 7, GSP_NONE);
    changed(&s, 4, weight, GSP_DETAIL_ORDER, 4, GSP_NONE);
    changed(&s, 1, wait, GSP_DETAIL_ORDER, GSP_NONE, 0);
    changed(&s, 5, wait, GSP_DETAIL_ORDER, GSP_NONE, 1);
    changed(&s, 7, wait, GSP_DETAIL_ORDER, GSP_NONE, 1);
    s.desc.inference = 1;
    refused(&s, GSP_DETAIL_KIND, 2, GSP_NONE);
    s.desc.inference = 0;
    s.device_of[1] = 2;
    refused(&s, GSP_DETAIL_RANGE, GSP_NONE, 1);
    T_STRING(s.err.field, "device_of");
    s.device_of[1] = 1;
    s.begin[1] = 9;
    refused(&s, GSP_DETAIL_RANGE, GSP_NONE, GSP_NONE);
    T_STRING(s.err.field, "action_begin");
    s.begin[1] = 3;
    s.begin[0] = 1;
    refused(&s, GSP_DETAIL_RANGE, GSP_NONE, GSP_NONE);
    s.begin[0] = 0;
    s.desc.device_of = NULL;
    refused(&s, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, GSP_NONE);
    s.desc.action_begin = NULL;
    refused(&s, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, GSP_NONE);
    T_EQUAL(gsp_schedule_bound(&s.desc), SIZE_MAX);
    t_arena_close(&s.arena);
}

/* Both stages on one device, in an order that waits for itself. */
static void test_circle(void)
{
    subject s;
    static const gsp_action actions[] = {{1, 0, F, 0}, {0, 0, F, 0}, {1, 0, B, 0}, {0, 0, B, 0}};
    start(&s);
    memcpy(s.actions, actions, sizeof(actions));
    s.desc.n_devices = 1;
    s.begin[1] = 4;
    s.device_of[1] = 0;
    T_EQUAL(run(&s), GSP_STATUS_CYCLE);
    T_CHECK(s.err.node == 0u && s.err.other == 0u);
    T_EQUAL(gsp_schedule_run(&s.arena, &s.desc, &s.r, NULL), GSP_STATUS_CYCLE);
    s.actions[0] = actions[1];
    s.actions[1] = actions[0];
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.span, 6);
    t_arena_close(&s.arena);
}

/* Stages 0 and 2 on one device, 1 on the other, two microbatches: the row of the first device. */
static void circle(subject *s, const uint8_t row[8], uint32_t node, uint32_t other)
{
    static const uint32_t device_of[] = {0, 1, 0};
    static const uint32_t begin[] = {0, 8, 12};
    s->desc.n_devices = s->desc.n_microbatches = 2;
    s->desc.n_stages = 3;
    s->desc.sends = 0;
    s->desc.device_of = device_of;
    s->desc.action_begin = begin;
    for (uint32_t i = 0; i < 12u; i++) {
        gsp_action *a = &s->actions[i];
        a->joined = 0;
        a->stage = i < 8u ? 2u * (row[i] & 1u) : 1u;
        a->microbatch = i < 8u ? row[i] >> 1u & 1u : i & 1u;
        a->kind = (i < 8u ? row[i] >> 2u : (i - 8u) / 2u) != 0u ? B : F;
    }
    T_EQUAL(run(s), GSP_STATUS_CYCLE);
    T_EQUAL(s->err.node, node);
    T_EQUAL(s->err.other, other);
}

/* 0B0 waits for 1B0, which is behind 1F0, which waits for a send behind 0B0. */
static void test_late_send(void)
{
    subject s;
    gsp_action backward;
    start(&s);
    backward = s.actions[2];
    s.actions[2] = s.actions[1];
    s.actions[1] = backward;
    T_EQUAL(run(&s), GSP_STATUS_CYCLE);
    T_EQUAL(s.err.node, 1u);
    T_EQUAL(s.err.other, 3u);
    t_arena_close(&s.arena);
}

/* Bits of a task: stage 2, microbatch 1, backward. */
static void test_circles(void)
{
    subject s;
    static const uint8_t forward[] = {1, 0, 2, 3, 5, 4, 7, 6};
    static const uint8_t later[] = {3, 0, 2, 1, 5, 4, 7, 6};
    static const uint8_t backward[] = {0, 2, 1, 3, 4, 5, 6, 7};
    start(&s);
    circle(&s, forward, 8, 0); /* 1F0 waits for 0F0, which is behind 2F0 */
    circle(&s, later, 0, 8);
    circle(&s, backward, 10, 4);
    t_arena_close(&s.arena);
}

static void test_figures(void)
{
    subject s;
    static const gsp_action of_one[] = {
        {0, 0, F, 0}, {1, 0, F, 0}, {1, 0, I, 0}, {0, 0, B, 0}, {1, 0, W, 0}};
    static const uint64_t none[] = {0, 0};
    static const uint64_t move[] = {5, 5};
    static const uint64_t backward[] = {6, 9};
    static const uint64_t weight[] = {1, 2};
    start(&s);
    s.desc.backward = backward;
    s.desc.weight = weight;
    if (T_EQUAL(run(&s), GSP_OK)) {
        T_CHECK(s.r.tasks[3].end == 9u && s.r.tasks[4].end == 11u && s.r.tasks[1].end == 15u);
    }
    s.begin[1] = s.begin[2] = 5; /* a device without tasks */
    s.device_of[1] = 0;
    memcpy(s.actions, of_one, sizeof(of_one));
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.busy[1] == 0u && s.r.task_begin[2] == 5u && s.r.gaps == 0u);
    memset(&s.desc, 0, sizeof(s.desc));
    s.desc.kind = GSP_SCHEDULE_1F1B;
    s.desc.n_devices = 2;
    s.desc.forward = none;
    s.desc.move = move;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.span == 10u && s.r.bubble == 1000000u);
    s.desc.n_microbatches = 3;
    T_CHECK(gsp_schedule_ahead(&s.desc, 0) == 1u && gsp_schedule_ahead(&s.desc, 1) == 0u);
    t_arena_close(&s.arena);
}

static void test_words(void)
{
    gsp_arena small;
    gsp_schedule_result r;
    T_STRING(gsp_action_word(I), "I");
    T_STRING(gsp_action_word(GSP_ACTION_REDUCE), "REDUCE_GRAD");
    T_STRING(gsp_action_word(GSP_ACTION_WAIT), "");
    T_STRING(gsp_action_word(GSP_NONE), "");
    t_arena_open(&small, 64u);
    T_EQUAL(gsp_schedule_run(&small, NULL, &r, NULL), GSP_STATUS_NOMEM);
    t_arena_close(&small);
}

/* ---- the order of a kind ---- */

static void refused_choice(subject *s, const char *field)
{
    gsp_schedule_desc order = {0};
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    T_EQUAL(gsp_actions_run(&s->arena, &s->desc, &order, &s->err), GSP_STATUS_DESC);
    T_EQUAL(s->err.detail, GSP_DETAIL_CHOICE);
    T_STRING(s->err.field, field);
    T_CHECK(s->arena.low + s->arena.high == 0u && order.actions == NULL);
}

static void test_choices(void)
{
    subject s;
    gsp_schedule_desc order;
    memset(&s, 0, sizeof(s));
    t_arena_open(&s.arena, (size_t)1 << 16u);
    s.desc.kind = GSP_SCHEDULE_COUNT;
    refused_choice(&s, "kind");
    s.desc.kind = GSP_SCHEDULE_ZB_H1;
    s.desc.n_chunks = 2;
    refused_choice(&s, "n_chunks");
    s.desc.kind = GSP_SCHEDULE_DUALPIPEV;
    s.desc.n_devices = 2;
    s.desc.n_microbatches = 3;
    refused_choice(&s, "n_microbatches");
    T_EQUAL(gsp_actions_least(&s.desc), 4u);
    s.desc.n_devices = UINT32_MAX;
    T_CHECK(gsp_actions_least(&s.desc) == (uint64_t)2u * UINT32_MAX);
    s.desc.n_devices = 1;
    T_EQUAL(gsp_actions_run(&s.arena, &s.desc, &order, &s.err), GSP_OK);
    T_EQUAL(gsp_actions_least(NULL), 1u);
    gsp_arena_init(&s.arena, s.arena.base, s.arena.size);
    T_EQUAL(gsp_actions_run(&s.arena, NULL, &order, NULL), GSP_OK);
    T_CHECK(order.n_devices == 1u && order.n_stages == 1u && order.action_begin[1] == 2u);
    T_CHECK(order.actions[0].kind == F && order.actions[1].kind == B);
    s.desc.n_devices = s.desc.n_chunks = 1u << 15u;
    s.desc.kind = GSP_SCHEDULE_LOOPED_BFS;
    T_EQUAL(gsp_actions_run(&s.arena, &s.desc, &order, &s.err), GSP_STATUS_OVERFLOW);
    T_EQUAL(s.err.detail, GSP_DETAIL_TOO_MANY);
    t_arena_close(&s.arena);
}

/* No part of a task takes longer than the task, and sums fit. */
static void test_costs(void)
{
    subject s;
    gsp_schedule_desc order = {0};
    uint64_t forward[2] = {1, 4};
    uint64_t weight[2] = {2, 9};
    memset(&s, 0, sizeof(s));
    t_arena_open(&s.arena, (size_t)1 << 16u);
    s.desc.kind = GSP_SCHEDULE_ZB_H1;
    s.desc.n_devices = 2;
    s.desc.forward = forward;
    s.desc.weight = weight;
    T_EQUAL(gsp_actions_run(&s.arena, &s.desc, &order, &s.err), GSP_STATUS_ARG);
    T_CHECK(s.err.detail == GSP_DETAIL_RANGE && s.err.other == 1u && order.actions == NULL);
    T_STRING(s.err.field, "weight");
    T_CHECK(s.arena.low + s.arena.high == 0u);
    s.desc.kind = GSP_SCHEDULE_1F1B;
    T_EQUAL(run(&s), GSP_STATUS_ARG);
    T_STRING(s.err.field, "weight");
    weight[1] = 8;
    T_EQUAL(run(&s), GSP_OK);
    forward[1] = UINT64_MAX / 2u;
    T_EQUAL(gsp_actions_run(&s.arena, &s.desc, &order, &s.err), GSP_STATUS_OVERFLOW);
    T_EQUAL(s.err.detail, GSP_DETAIL_SIZE);
    t_arena_close(&s.arena);
}

static uint64_t span_of(uint32_t kind, uint32_t n_devices, uint32_t n_microbatches, uint64_t work)
{
    static const uint64_t forward[] = {9, 2, 7, 4, 5, 3, 8, 1};
    gsp_schedule_desc desc = {0};
    gsp_schedule_desc order;
    gsp_schedule_result r = {0};
    gsp_arena arena;
    desc.kind = kind;
    desc.n_devices = n_devices;
    desc.n_microbatches = n_microbatches;
    desc.forward = forward;
    desc.max_work = work;
    t_arena_open(&arena, gsp_actions_bound(&desc));
    if (T_EQUAL(gsp_actions_run(&arena, &desc, &order, NULL), GSP_OK)) {
        gsp_arena times;
        t_arena_open(&times, gsp_schedule_bound(&order));
        T_EQUAL(gsp_schedule_run(&times, &order, &r, NULL), GSP_OK);
        t_arena_close(&times);
    }
    t_arena_close(&arena);
    return r.span;
}

/* More work, no later end; the bound counts stages and microbatches; a large order ends as well. */
static void test_work(void)
{
    gsp_schedule_desc d = {0};
    uint64_t const first = span_of(GSP_SCHEDULE_V_MIN, 4u, 6u, 1u);
    uint64_t const some = span_of(GSP_SCHEDULE_V_MIN, 4u, 6u, 4000u);
    uint64_t const all = span_of(GSP_SCHEDULE_V_MIN, 4u, 6u, 0u);
    size_t less;
    T_CHECK(some <= first && all <= some && all < first);
    T_EQUAL(span_of(GSP_SCHEDULE_ZB_H1, 8u, 1024u, 0u) >= 1024u * 27u, 1);
    d.kind = GSP_SCHEDULE_ZB_H1;
    d.n_devices = 64u;
    d.n_microbatches = 100u;
    less = gsp_actions_bound(&d);
    d.n_microbatches = 200u;
    T_CHECK(gsp_actions_bound(&d) - less <= 6400u * 133u + 200u + 64u);
    T_CHECK(less <= 6400u * 133u + 64u * 176u + 200u + 2000u);
    d.kind = GSP_SCHEDULE_INTERLEAVED_ZB;
    d.n_chunks = 1;
    T_CHECK(gsp_actions_bound(&d) <= 12800u * 196u + 64u * 48u + 1500u);
    d.kind = GSP_SCHEDULE_1F1B;
    T_CHECK(gsp_actions_bound(&d) <= 12800u * 96u + 64u * 24u + 1500u);
}

void suite_unit_schedule(void)
{
    t_run("given", test_given);
    t_run("refused", test_refused);
    t_run("circle", test_circle);
    t_run("circles", test_circles);
    t_run("late_send", test_late_send);
    t_run("choices", test_choices);
    t_run("costs", test_costs);
    t_run("work", test_work);
    t_run("figures", test_figures);
    t_run("words", test_words);
}
