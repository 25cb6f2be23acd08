/* Devices, latencies and partitions: seconds to the last bit, every refusal, early ends. */
#include "tests/t.h"

#include <float.h>

static const char diamond[] =
    "graph():\n"
    "    %a : [num_users=1] = placeholder[target=a]  # f32[4]\n"
    "    %b : [num_users=1] = placeholder[target=b]  # f32[4]\n"
    "    %add : [num_users=1] = call_function[target=operator.add](args = (%a, %b), kwargs = {})"
    "  # f32[4]\n"
    "    %c0 : [num_users=1] = get_attr[target=c0]  # f32[4]\n"
    "    %add_1 : [num_users=1] = call_function[target=operator.add](args = (%add, %c0), kwargs = "
    "{})  # f32[4]\n"
    "    %c1 : [num_users=1] = get_attr[target=c1]  # f32[4]\n"
    "    %add_2 : [num_users=1] = call_function[target=operator.add](args = (%add_1, %c1), kwargs "
    "= {})  # f32[4]\n"
    "    return add_2\n";

static const char fork[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
    "    %a : [num_users=2] = call_function[target=f](args = (%x,), kwargs = {})  # f32[0]\n"
    "    %b : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})  # u8[1]\n"
    "    %c : [num_users=1] = call_function[target=f](args = (%a, %b), kwargs = {})  # f32[4]\n"
    "    return c\n";

#define NODES 8u

typedef struct subject {
    gsp_arena memory;
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_device devices[3];
    uint32_t ids[2];
    gsp_part_devices parts[2];
    uint32_t part_of[NODES];
    double mem[NODES];
    double compute[NODES];
    gsp_partition_desc desc;
    gsp_partition_result result;
    gsp_error err;
} subject;

static int subject_open(subject *s, uint32_t mode, uint64_t bytes)
{
    uint32_t i;
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, 65536u);
    for (i = 0; i < 3u; i++) {
        s->devices[i].name = gsp_str_of("device");
        s->devices[i].bytes = bytes;
        s->devices[i].id = i;
    }
    for (i = 0; i < NODES; i++) {
        s->part_of[i] = i > 4u ? 9u : 5u;
    }
    for (i = 0; i < 2u; i++) {
        s->ids[i] = i;
        s->parts[i].part = 5u + 4u * i;
        s->parts[i].n_ids = 1u;
        s->parts[i].ids = &s->ids[i];
    }
    s->desc.mode = mode;
    s->desc.devices = s->devices;
    s->desc.n_devices = 3u;
    s->desc.mem = s->mem;
    s->desc.compute = s->compute;
    s->desc.part_of = s->part_of;
    s->desc.part_devices = s->parts;
    s->desc.n_part_devices = 2u;
    if (!t_must_read(&s->memory, diamond, &s->module)) {
        return 0;
    }
    s->graph = gsp_module_graph(&s->module, 0u);
    return 1;
}

static void subject_close(subject *s)
{
    t_arena_close(&s->arena);
    t_arena_close(&s->memory);
}

static gsp_status run(subject *s)
{
    gsp_mark const mark = gsp_arena_mark(&s->arena);
    gsp_status const status =
        gsp_partition_run(&s->arena, &s->graph, &s->desc, &s->result, &s->err);
    gsp_arena_rewind(&s->arena, mark);
    return status;
}

static double of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint64_t bits_of(const double *value)
{
    uint64_t bits;
    memcpy(&bits, value, sizeof(bits));
    return bits;
}

/* ---- seconds ---- */

/* Sums that registers of more bits, flushing or truncation would give otherwise. */
static void test_sums(void)
{
    static const uint64_t sums[][3] = {
        {0x3FF0000000000000u, 0x3CA0000000000000u, 0x3FF0000000000000u}, /* a tie, to even */
        {0x3FF0000000000001u, 0x3CA0000000000000u, 0x3FF0000000000002u}, /* a tie, to even */
        {0x3FF0000000000000u, 0x3CA0000800000000u, 0x3FF0000000000001u}, /* rounded twice: 1 */
        {0x3FF0000000000000u, 0x3CA0040000000000u, 0x3FF0000000000001u}, /* one bit above a tie */
        {0x3FF0000000000000u, 0x3C9FFFFFFFFFFFFFu, 0x3FF0000000000000u},
        {0x0000000000000001u, 0x0000000000000001u, 0x0000000000000002u}, /* subnormal */
        {0x000FFFFFFFFFFFFFu, 0x0000000000000001u, 0x0010000000000000u},
        {0x3FB999999999999Au, 0x3FC999999999999Au, 0x3FD3333333333334u}, /* 0.1 + 0.2 */
        {0x3FFFFFFFFFFFFFFFu, 0x3CA0000000000000u, 0x4000000000000000u}, /* carries */
        {0x0000000000000000u, 0x3FF8000000000000u, 0x3FF8000000000000u},
        {0x4340000000000000u, 0x3FF0000000000000u, 0x4340000000000000u},
        {0x7FD0000000000000u, 0x3FF0000000000000u, 0x7FD0000000000000u},
    };
    subject s;
    uint32_t i;
    if (subject_open(&s, GSP_PARTITION_AOT, 1000u)) {
        for (i = 0; i < T_COUNT_OF(sums); i++) {
            gsp_latency_result r;
            uint32_t const one[NODES] = {0u, 0u, 0u, 0u, 0u, 0u, 1u, 1u};
            s.mem[2] = of_bits(sums[i][0]);
            s.mem[4] = of_bits(sums[i][1]);
            gsp_latency_desc desc = {0};
            desc.n_parts = 1u;
            desc.part_of = one;
            desc.mem = s.desc.mem;
            desc.compute = s.desc.compute;
            T_EQUAL(gsp_latency_run(&s.arena, &s.graph, &desc, &r, NULL), GSP_OK);
            T_EQUAL(bits_of(&r.latency[0].mem), sums[i][2]);
            T_EQUAL(bits_of(&r.latency[0].overall), sums[i][2]);
            T_CHECK(r.last[0] == 2u || (r.last[0] == 4u && r.from[4] == 2u));
        }
    }
    subject_close(&s);
}

/* Bytes by the rate, correctly rounded. */
static void test_quotients(void)
{
    static const uint64_t quotients[][2] = {
        {0x4008000000000000u, 0x4015555555555555u}, /* 16 / 3 */
        {0x3FF0000000000000u, 0x4030000000000000u}, /* 16 / 1 */
        {0x40091EB851EB851Fu, 0x401461D59AE78A99u}, /* 16 / 3.14 */
        {0x0000000000000001u, 0x7FF0000000000000u}, /* beyond all: refused */
        {0x7FE0000000000000u, 0x0040000000000000u}, /* 2^4 / 2^1023 */
        {0x3FB999999999999Au, 0x4064000000000000u}, /* 16 / 0.1 */
    };
    subject s;
    uint32_t i;
    if (subject_open(&s, GSP_PARTITION_AOT, 1000u)) {
        s.desc.has_rate = 1u;
        for (i = 0; i < T_COUNT_OF(quotients); i++) {
            s.desc.transfer_rate = of_bits(quotients[i][0]);
            if (quotients[i][1] == 0x7FF0000000000000u) {
                T_EQUAL(run(&s), GSP_STATUS_OVERFLOW);
                T_EQUAL(s.err.detail, GSP_DETAIL_LATENCY);
            } else if (T_EQUAL(run(&s), GSP_OK)) {
                T_EQUAL(s.result.parent_bytes[0], 16u);
                T_EQUAL(bits_of(&s.result.parent_seconds[0]), quotients[i][1]);
                T_EQUAL(bits_of(&s.result.total), quotients[i][1]);
            }
        }
    }
    subject_close(&s);
}

/* ---- bytes ---- */

static void test_bytes(void)
{
    subject s;
    uint32_t words[1];
    gsp_bitset set;
    if (subject_open(&s, GSP_PARTITION_SIZE, 1000u)) {
        gsp_bitset_init(&set, words, s.graph.n_nodes);
        gsp_bitset_fill(&set, 1);
        T_EQUAL(gsp_part_bytes(&s.graph, &set), 112u);
        gsp_bitset_clear(&set, 6u); /* its attribute leaves with it */
        T_EQUAL(gsp_part_bytes(&s.graph, &set), 80u);
        gsp_bitset_fill(&set, 0);
        T_EQUAL(gsp_part_bytes(&s.graph, &set), 0u);
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.result.single == 1u && s.result.bytes[0] == 112u);
        T_EQUAL(s.result.device_bytes[0], 112u);
    }
    subject_close(&s);
}

/* ---- refusals ---- */

static void refuses(subject *s, gsp_status status, gsp_detail detail, uint32_t node, uint32_t other)
{
    size_t const low = s->arena.low;
    T_EQUAL(run(s), status);
    T_EQUAL(s->err.status, status);
    T_EQUAL(s->err.detail, detail);
    T_FIELD(&s->err);
    T_EQUAL(s->err.node, node);
    T_EQUAL(s->err.other, other);
    T_EQUAL(s->arena.low, low);
    T_EQUAL(s->arena.high, 0u);
}

/* The same, and without any room too: such errors come before NOMEM. */
static void refuses_first(
    subject *s, gsp_status status, gsp_detail detail, uint32_t node, uint32_t other)
{
    gsp_arena const arena = s->arena;
    refuses(s, status, detail, node, other);
    gsp_arena_init(&s->arena, NULL, 0u);
    refuses(s, status, detail, node, other);
    s->arena = arena;
}

static void refuses_latency(subject *s, gsp_status status, gsp_node node)
{
    gsp_latency_desc desc = {0};
    gsp_latency_result result;
    gsp_arena none;
    desc.n_parts = 1u;
    desc.part_of = s->part_of;
    desc.mem = s->mem;
    desc.compute = s->compute;
    refuses_first(s, status, GSP_DETAIL_LATENCY, node, GSP_NONE);
    for (uint32_t i = 0u; i < 2u; i++) {
        gsp_arena_init(&none, NULL, 0u);
        T_EQUAL(gsp_latency_run(i == 0u ? &none : &s->arena, &s->graph, &desc, &result, &s->err),
            status);
        T_EQUAL(s->err.detail, GSP_DETAIL_LATENCY);
        T_EQUAL(s->err.node, node);
    }
    desc.compute = NULL; /* of the text: none */
    desc.mem = NULL;
    T_EQUAL(gsp_latency_run(&none, &s->graph, &desc, &result, &s->err), GSP_STATUS_NOMEM);
    T_EQUAL(s->err.need, gsp_latency_bound(&s->graph, &desc));
}

static void test_latency_desc(void)
{
    subject s;
    gsp_latency_desc desc = {0};
    gsp_latency_result result;
    if (subject_open(&s, GSP_PARTITION_AOT, 60u)) {
        T_EQUAL(gsp_latency_bound(&s.graph, NULL), gsp_latency_bound(&s.graph, &desc));
        T_EQUAL(gsp_latency_run(&s.arena, &s.graph, NULL, &result, &s.err), GSP_STATUS_ARG);
        T_EQUAL(gsp_latency_run(&s.arena, &s.graph, &desc, &result, &s.err), GSP_STATUS_ARG);
        T_EQUAL(s.err.detail, GSP_DETAIL_NULL_ARGUMENT);
        T_FIELD(&s.err);
        desc.part_of = s.part_of;
        T_EQUAL(gsp_latency_run(&s.arena, &s.graph, &desc, &result, &s.err), GSP_OK);
        desc.end_canary = 1u;
        T_EQUAL(gsp_latency_run(&s.arena, &s.graph, &desc, &result, &s.err), GSP_STATUS_DESC);
        T_EQUAL(s.err.detail, GSP_DETAIL_CANARY);
    }
    subject_close(&s);
}

/* Bytes of nodes and of what they read, one by one, stay below 2^64 - 1 in sum. */
static void test_sum_of_bytes(void)
{
    static const char *const bytes[] = {"0", "1"};
    uint32_t i;
    for (i = 0; i < 2u; i++) {
        subject s;
        t_string text = {NULL, 0u, 0u};
        t_puts(&text, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # "
                      "bytes=9223372036854775807\n    %a : [num_users=0] = "
                      "call_function[target=f](args = (%x,), kwargs = {})  # bytes=");
        t_puts(&text, bytes[i]);
        t_puts(&text, "\n    return None\n");
        if (subject_open(&s, GSP_PARTITION_SIZE, UINT64_MAX / 4u)) {
            t_arena_close(&s.memory);
            if (t_must_read(&s.memory, text.data, &s.module)) {
                s.graph = gsp_module_graph(&s.module, 0u);
                T_EQUAL(run(&s), i == 0u ? GSP_STATUS_NO_FIT : GSP_STATUS_OVERFLOW);
            }
        }
        subject_close(&s);
        t_free(&text);
    }
}

static void test_refused_devices(void)
{
    subject s;
    if (subject_open(&s, GSP_PARTITION_SIZE, 60u)) {
        s.desc.n_devices = 0u;
        refuses_first(&s, GSP_STATUS_ARG, GSP_DETAIL_DEVICES, GSP_NONE, GSP_NONE);
        s.desc.n_devices = 3u;
        s.devices[2].id = 0u;
        refuses(&s, GSP_STATUS_ARG, GSP_DETAIL_DEVICE_TWICE, 0u, 2u);
        s.devices[2].id = 2u;
        s.devices[1].bytes = UINT64_MAX;
        refuses_first(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, GSP_NONE, 1u);
        s.devices[1].bytes = 5u;
        s.devices[2].bytes = 5u;
        refuses(&s, GSP_STATUS_NO_FIT, GSP_DETAIL_DEVICES_SMALL, GSP_NONE, GSP_NONE);
        T_CHECK(s.err.need == 112u && s.err.limit == 70u);
        s.devices[0].bytes = 40u;
        s.devices[1].bytes = 45u;
        s.devices[2].bytes = 47u;
        refuses(&s, GSP_STATUS_NO_FIT, GSP_DETAIL_NODE_LARGE, 2u, 2u);
        T_CHECK(s.err.need == 48u && s.err.limit == 47u);
        s.desc.mode = GSP_PARTITION_SPARSE;
        refuses(&s, GSP_STATUS_ARG, GSP_DETAIL_DEVICES_UNEQUAL, GSP_NONE, 1u);
        s.desc.mode = GSP_PARTITION_COUNT;
        refuses_first(&s, GSP_STATUS_DESC, GSP_DETAIL_CHOICE, GSP_NONE, GSP_NONE);
        s.desc.mode = GSP_PARTITION_SIZE;
        s.desc.end_canary = 1u;
        refuses_first(&s, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE, GSP_NONE);
    }
    subject_close(&s);
}

static void test_refused_seconds(void)
{
    static const uint64_t bad[] = {0xBFF0000000000000u, 0x7FF0000000000000u, 0xFFF0000000000000u,
        0x7FF8000000000000u, 0x8000000000000001u};
    subject s;
    uint32_t i;
    if (subject_open(&s, GSP_PARTITION_AOT, 1000u)) {
        for (i = 0; i < T_COUNT_OF(bad); i++) {
            s.mem[4] = of_bits(bad[i]);
            refuses_latency(&s, GSP_STATUS_ARG, 4u);
            s.mem[4] = 0.0;
            s.compute[6] = of_bits(bad[i]);
            refuses_latency(&s, GSP_STATUS_ARG, 6u);
            s.compute[6] = 0.0;
            s.desc.has_rate = 1u;
            s.desc.transfer_rate = of_bits(bad[i]);
            refuses_first(&s, GSP_STATUS_ARG, GSP_DETAIL_RATE, GSP_NONE, GSP_NONE);
            s.desc.has_rate = 0u;
        }
        s.desc.has_rate = 1u;
        s.desc.transfer_rate = of_bits(0x8000000000000000u); /* -0 is 0 */
        refuses(&s, GSP_STATUS_ARG, GSP_DETAIL_RATE_ZERO, 6u, 2u);
        T_EQUAL(s.err.need, 16u);
        s.ids[1] = 0u; /* on one device nothing has to move */
        T_EQUAL(run(&s), GSP_OK);
        s.mem[4] = of_bits(0x7FEFFFFFFFFFFFFFu);
        s.compute[2] = s.mem[4];
        refuses_latency(&s, GSP_STATUS_OVERFLOW, GSP_NONE);
    }
    subject_close(&s);
    if (subject_open(&s, GSP_PARTITION_AOT, 1000u)) {
        static const uint32_t ids[3] = {0u, 1u, 2u};
        static const gsp_part_devices parts[3] = {
            {5u, 1u, ids}, {7u, 1u, ids + 1}, {9u, 1u, ids + 2}};
        t_arena_close(&s.memory);
        if (t_must_read(&s.memory, fork, &s.module)) {
            s.graph = gsp_module_graph(&s.module, 0u);
            s.desc.part_devices = parts;
            s.desc.n_part_devices = 3u;
            s.desc.has_rate = 1u;
            s.part_of[1] = 5u;
            s.part_of[2] = 7u;
            s.part_of[3] = 9u;
            refuses(&s, GSP_STATUS_ARG, GSP_DETAIL_RATE_ZERO, 3u, 2u); /* a has no bytes */
            s.part_of[2] = 9u;
            T_EQUAL(run(&s), GSP_OK);
            s.part_of[1] = s.part_of[2] = 5u; /* b moves one byte in subnormal seconds */
            for (uint64_t rate = 0x7FBFFFFFFFFFFFFFu; rate < 0x7FF0000000000000u;
                 rate += 0x0005555555555555u) {
                s.desc.transfer_rate = of_bits(rate);
                if (T_EQUAL(run(&s), GSP_OK) && FLT_EVAL_METHOD == 0) { /* else rounded twice */
                    double const quotient = 1.0 / s.desc.transfer_rate;
                    T_EQUAL(bits_of(&s.result.total), bits_of(&quotient));
                }
            }
            s.desc.transfer_rate = 0.0;
            s.part_of[2] = 9u;
            s.compute[1] = of_bits(0x7FEFFFFFFFFFFFFFu); /* one after the other they round down */
            s.compute[2] = s.compute[3] = of_bits(0x7C8E666666666666u);
            refuses(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_LATENCY, GSP_NONE, GSP_NONE);
        }
    }
    subject_close(&s);
}

static void test_refused_assignments(void)
{
    subject s;
    if (subject_open(&s, GSP_PARTITION_AOT, 1u)) {
        T_EQUAL(run(&s), GSP_OK); /* full or not */
        T_CHECK(s.result.n_parts == 2u && s.result.part_id[0] == 5u && s.result.part_id[1] == 9u);
        s.part_of[4] = GSP_NONE;
        refuses_first(&s, GSP_STATUS_ARG, GSP_DETAIL_PART_NONE, 4u, GSP_NONE);
        s.part_of[4] = 7u;
        refuses(&s, GSP_STATUS_ARG, GSP_DETAIL_PART_DEVICES, 4u, 7u);
        s.part_of[4] = 9u;
        s.part_of[6] = 5u;
        T_EQUAL(run(&s), GSP_STATUS_CYCLE);
        s.part_of[6] = 9u;
        s.ids[1] = 77u;
        refuses(&s, GSP_STATUS_ARG, GSP_DETAIL_DEVICE_UNKNOWN, GSP_NONE, 77u);
        s.ids[1] = 0u; /* twice in one list */
        s.parts[0].n_ids = 2u;
        refuses(&s, GSP_STATUS_ARG, GSP_DETAIL_DEVICE_UNKNOWN, GSP_NONE, 0u);
        s.parts[0].n_ids = 1u;
        s.parts[1].part = 5u; /* of two lists of a part the first counts */
        s.ids[1] = 1u;
        s.part_of[4] = s.part_of[6] = 5u;
        if (T_EQUAL(gsp_partition_run(&s.arena, &s.graph, &s.desc, &s.result, &s.err), GSP_OK)) {
            T_EQUAL(s.result.n_parts, 1u);
            T_CHECK(s.result.device_begin[1] == 1u && s.result.devices[0] == 0u);
        }
        s.desc.part_of = NULL;
        refuses(&s, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, GSP_NONE);
    }
    subject_close(&s);
}

static void test_nothing(void)
{
    subject s;
    subject t;
    if (subject_open(&s, GSP_PARTITION_SIZE, 60u) && subject_open(&t, GSP_PARTITION_SIZE, 60u)) {
        t_arena_close(&t.memory);
        if (t_must_read(&t.memory,
                "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[1]\n"
                "    return x\n",
                &t.module)) {
            t.graph = gsp_module_graph(&t.module, 0u);
            refuses_first(&t, GSP_STATUS_EMPTY, GSP_DETAIL_CALLABLE, GSP_NONE, GSP_NONE);
        }
        subject_close(&t);
    }
    subject_close(&s);
}

/* ---- early ends ---- */

typedef struct watch {
    uint32_t calls;
    uint32_t stop_at;
    uint32_t steps;
    double cost;
} watch;

static int watch_progress(void *user, const gsp_partition_progress *now)
{
    watch *w = (watch *)user;
    w->calls++;
    T_CHECK(now->done <= now->total);
    return w->calls == w->stop_at;
}

static void watch_step(void *user, const gsp_partition_step *step)
{
    watch *w = (watch *)user;
    T_CHECK(w->steps == 0u || step->cost <= w->cost);
    w->steps++;
    w->cost = step->cost;
}

static void test_early_ends(void)
{
    static const uint32_t modes[] = {GSP_PARTITION_COST, GSP_PARTITION_KL};
    uint32_t m;
    for (m = 0; m < 2u; m++) {
        subject s;
        if (subject_open(&s, modes[m], 105u)) {
            watch w = {0u, 0u, 0u, 0.0};
            uint64_t whole;
            uint64_t work;
            s.mem[2] = 1.0;
            s.mem[4] = 2.0;
            s.mem[6] = 4.0;
            s.desc.has_rate = 1u;
            s.desc.transfer_rate = 2.0;
            s.desc.progress_every = 1u;
            s.desc.progress = watch_progress;
            s.desc.progress_user = &w;
            s.desc.step = watch_step;
            s.desc.step_user = &w;
            T_EQUAL(run(&s), GSP_OK);
            T_EQUAL(s.result.stopped, 0u);
            T_EQUAL(s.result.n_steps, w.steps);
            T_EQUAL(s.result.work, w.calls);
            whole = s.result.work;
            for (work = 1u; work < whole; work++) {
                gsp_status status;
                memset(&w, 0, sizeof(w));
                s.desc.max_work = work;
                status = run(&s);
                T_CHECK(status == GSP_OK || status == GSP_STATUS_NO_FIT);
                if (status == GSP_OK) {
                    T_CHECK(s.result.stopped == 1u && s.result.work == work);
                }
                s.desc.max_work = 0u;
                memset(&w, 0, sizeof(w));
                w.stop_at = (uint32_t)work;
                status = run(&s);
                T_CHECK(status != GSP_OK || s.result.stopped == 1u);
                T_EQUAL(w.calls, work);
            }
        }
        subject_close(&s);
    }
}

/* Parameters of graphs that a node runs take room on its device. */
static void test_params_of_graphs(void)
{
    static const uint64_t params[NODES] = {0, 0, 0, 0, 1000, 0, 0, 0};
    subject s;
    if (subject_open(&s, GSP_PARTITION_SIZE, 500u)) {
        T_EQUAL(run(&s), GSP_OK);
        s.module.run_params = params;
        T_EQUAL(run(&s), GSP_STATUS_NO_FIT);
        T_EQUAL(s.err.node, 4u);
    }
    subject_close(&s);
}

void suite_unit_partition(void)
{
    t_run("sums", test_sums);
    t_run("latency_desc", test_latency_desc);
    t_run("quotients", test_quotients);
    t_run("bytes", test_bytes);
    t_run("sum_of_bytes", test_sum_of_bytes);
    t_run("refused_devices", test_refused_devices);
    t_run("refused_seconds", test_refused_seconds);
    t_run("refused_assignments", test_refused_assignments);
    t_run("nothing", test_nothing);
    t_run("early_ends", test_early_ends);
    t_run("params_of_graphs", test_params_of_graphs);
}
