/* Scores: one small graph by hand, every cause, every refusal, moves. */
#include "tests/t.h"

static const char diamond[] =
    "graph():\n"
    "    %x : [num_users=2] = placeholder[target=x]  # f32[4]\n"
    "    %a : [num_users=3] = call_function[target=f](args = (%x,), kwargs = {})"
    "  # f32[25] compute=1.0\n"
    "    %b : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})"
    "  # f32[5] compute=2.0\n"
    "    %c : [num_users=1] = call_function[target=f](args = (%a, %x), kwargs = {})"
    "  # f32[5] compute=4.0\n"
    "    %d : [num_users=1] = call_function[target=f](args = (%a, %b, %c), kwargs = {})"
    "  # f32[1] compute=1.0\n"
    "    return d\n";

enum { X, A, B, C, D, NODES = 6 };

typedef struct subject {
    gsp_arena memory;
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    uint32_t part_of[NODES];
    uint64_t weight[NODES];
    uint64_t capacity[4];
    uint32_t group[NODES];
    uint32_t pin[NODES];
    uint32_t device_of[4];
    gsp_score_desc desc;
    gsp_score_result r;
    gsp_error err;
} subject;

/* a | b | c | d in four parts. */
static int subject_open(subject *s)
{
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, 4096u);
    for (uint32_t v = 0; v < NODES; v++) {
        s->part_of[v] = v - 1u;
        s->weight[v] = 10u * v;
        s->group[v] = s->pin[v] = GSP_NONE;
    }
    s->desc.n_parts = 4u;
    s->desc.part_of = s->part_of;
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
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_score_run(&s->arena, &s->graph, &s->desc, &s->r, &s->err);
}

static int near(double a, double b)
{
    return a - b < 1e-9 && b - a < 1e-9;
}

static void test_figures(void)
{
    subject s;
    if (subject_open(&s) && T_EQUAL(run(&s), GSP_OK)) {
        T_EQUAL(s.r.valid, 1u);
        T_EQUAL(s.r.cut_edges, 5u);
        T_EQUAL(s.r.cut_values, 3u);
        T_EQUAL(s.r.cut_bytes, 340u); /* a three times, b, c */
        T_EQUAL(s.r.written, 140u);
        T_EQUAL(s.r.resident, 360u); /* a over three boundaries, b over two, c over one */
        T_EQUAL(s.r.total_load, 4u);
        T_CHECK(near(s.r.path, 6.0) && near(s.r.serial, 6.0));
        s.desc.weight = s.weight;
        s.desc.device_of = s.device_of; /* one device for all */
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.total_load, 100u);
        T_EQUAL(s.r.largest_load, 40u);
        T_CHECK(near(s.r.path, 6.0) && near(s.r.serial, 8.0));
        s.device_of[2] = 1u; /* c on another: 100 bytes there, 20 back */
        s.desc.has_rate = 1u;
        s.desc.transfer_rate = 50.0;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(near(s.r.path, 1.0 + 2.0 + 4.0 + 0.4 + 1.0));
        T_CHECK(near(s.r.serial, s.r.path));
    }
    subject_close(&s);
}

/* The limit is (1 + imbalance) of the mean rounded up, rounded down, and the heaviest node. */
static void test_imbalance(void)
{
    subject s;
    if (subject_open(&s) && T_EQUAL(run(&s), GSP_OK)) {
        T_EQUAL(s.r.limit, UINT64_MAX);
        s.desc.weight = s.weight; /* 10 20 30 40 */
        s.part_of[B] = s.part_of[C] = s.part_of[D] = 1u;
        s.desc.n_parts = 3u;
        s.part_of[D] = 2u;
        s.desc.imbalance = 1u; /* 34 and a little: 40 */
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.limit, 40u);
        T_EQUAL(s.r.overloaded, 1u);
        s.desc.imbalance = 470588u; /* 49.999992 */
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.limit, 49u);
        T_EQUAL(s.r.valid, 0u);
        s.desc.imbalance = 470589u;
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.limit, 50u);
        T_EQUAL(s.r.valid, 1u);
        s.desc.capacity = s.capacity; /* wins */
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.overloaded, 0u);
    }
    subject_close(&s);
}

static void test_causes(void)
{
    subject s;
    if (subject_open(&s)) {
        s.part_of[C] = 9u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(!s.r.valid && s.r.unplaced == C && s.r.empty == 2u && s.r.cut_edges == 3u);
        s.part_of[C] = s.desc.n_parts;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.unplaced == C && s.r.cut_edges == 3u);
        s.part_of[C] = 0u;
        s.part_of[B] = 1u;
        s.part_of[D] = 0u; /* 0 -> 1 -> 0 */
        s.desc.n_parts = 2u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(!s.r.valid && s.r.n_cycle == 2u && s.r.cycle[0] + s.r.cycle[1] == 1u);
        T_CHECK(s.r.cut_edges == 2u && s.r.cut_bytes == 120u && near(s.r.serial, 0.0));
        s.part_of[D] = 1u;
        s.desc.capacity = s.capacity;
        s.capacity[0] = 2u;
        s.capacity[1] = 1u;
        s.desc.group = s.group;
        s.group[C] = B;
        s.desc.pin = s.pin;
        s.pin[D] = 0u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(!s.r.valid && s.r.overloaded == 1u && s.r.group_node == C && s.r.pin_node == D);
        s.capacity[1] = 2u;
        s.group[C] = A;
        s.pin[D] = 1u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.valid);
    }
    subject_close(&s);
}

static void refuses(subject *s, gsp_status status, gsp_detail detail, uint32_t node)
{
    for (uint32_t i = 0; i < 2u; i++) { /* with room and without */
        gsp_arena none;
        gsp_arena_init(&none, NULL, 0u);
        T_EQUAL(gsp_score_run(i == 0u ? &s->arena : &none, &s->graph, &s->desc, &s->r, &s->err),
            status);
        T_EQUAL(s->err.detail, detail);
        T_FIELD(&s->err);
        T_EQUAL(s->err.node, node);
        T_EQUAL(s->arena.low + s->arena.high, 0u);
    }
}

static void test_refusals(void)
{
    static const double bad[NODES] = {0.0, 0.0, -1.0, 0.0, 0.0, 0.0};
    subject s;
    if (subject_open(&s)) {
        T_EQUAL(gsp_score_bound(&s.graph, NULL) > 0u, 1u);
        T_EQUAL(gsp_score_run(&s.arena, &s.graph, NULL, &s.r, &s.err), GSP_STATUS_ARG);
        s.desc.end_canary = 1u;
        refuses(&s, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE);
        s.desc.end_canary = 0u;
        s.desc.part_of = NULL;
        refuses(&s, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE);
        s.desc.part_of = s.part_of;
        s.desc.has_rate = 1u;
        s.desc.transfer_rate = -1.0;
        refuses(&s, GSP_STATUS_ARG, GSP_DETAIL_RATE, GSP_NONE);
        s.desc.transfer_rate = 1.0;
        s.desc.device_of = s.device_of;
        s.device_of[3] = 4u;
        refuses(&s, GSP_STATUS_ARG, GSP_DETAIL_DEVICE_UNKNOWN, 3u);
        s.desc.device_of = NULL;
        s.desc.weight = s.weight;
        s.weight[C] = UINT64_MAX / 2u;
        refuses(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, C);
        s.desc.weight = NULL;
        s.desc.mem = bad;
        refuses(&s, GSP_STATUS_ARG, GSP_DETAIL_LATENCY, B);
        s.desc.mem = NULL;
        s.desc.transfer_rate = 0.0;
        T_EQUAL(run(&s), GSP_STATUS_ARG);
        T_EQUAL(s.err.detail, GSP_DETAIL_RATE_ZERO);
        s.desc.transfer_rate = 1e-320;
        T_EQUAL(run(&s), GSP_STATUS_OVERFLOW);
        T_EQUAL(s.err.detail, GSP_DETAIL_LATENCY);
    }
    subject_close(&s);
}

static gsp_status move(subject *s, gsp_node v, uint32_t to)
{
    return gsp_score_move(&s->graph, &s->desc, &s->r, v, to, &s->err);
}

static void test_moves(void)
{
    subject s;
    if (subject_open(&s)) {
        s.desc.capacity = s.capacity;
        s.capacity[0] = s.capacity[1] = s.capacity[2] = s.capacity[3] = 1u;
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(move(&s, B, 0u), GSP_STATUS_ARG);
        T_EQUAL(s.err.detail, GSP_DETAIL_STATE);
        s.desc.moves = 1u;
        T_EQUAL(run(&s), GSP_OK);
        gsp_score_result const before = s.r;
        T_EQUAL(move(&s, X, 0u), GSP_STATUS_ARG);
        T_EQUAL(move(&s, B, 4u), GSP_STATUS_ARG);
        T_EQUAL(move(&s, NODES, 0u), GSP_STATUS_ARG);
        T_EQUAL(s.err.detail, GSP_DETAIL_RANGE);
        T_FIELD(&s.err);
        T_EQUAL(move(&s, D, 0u), GSP_STATUS_CYCLE); /* 0 -> 1 -> 0 */
        T_CHECK(s.err.detail == GSP_DETAIL_PARTS_ORDER && s.err.node == D && s.err.other == B);
        T_EQUAL(move(&s, A, 3u), GSP_STATUS_CYCLE);
        T_EQUAL(s.err.other, B);
        T_CHECK(memcmp(&before, &s.r, sizeof(before)) == 0);
        T_EQUAL(move(&s, B, 0u), GSP_OK);
        T_CHECK(s.r.cut_edges == 4u && s.r.cut_values == 3u && s.r.cut_bytes == 240u);
        T_CHECK(s.r.empty == 1u && s.r.overloaded == 0u && s.r.largest_load == 2u);
        T_EQUAL(move(&s, B, 0u), GSP_OK); /* where it is */
        T_EQUAL(move(&s, B, 1u), GSP_OK);
        T_CHECK(memcmp(&before, &s.r, sizeof(before)) == 0);
    }
    subject_close(&s);
}

/* Without a rate the path is the total of the same partitions. */
static void test_total(void)
{
    static const uint32_t ids[] = {0u, 1u};
    gsp_part_devices const devices_of[] = {{0u, 1u, &ids[0]}, {1u, 1u, &ids[1]}};
    gsp_device const devices[] = {{{"a", 1}, 5000u, 0u}, {{"b", 1}, 5000u, 1u}};
    gsp_partition_desc desc = {0};
    gsp_partition_result made;
    gsp_arena arena;
    subject s;
    if (subject_open(&s)) {
        t_arena_open(&arena, 65536u);
        s.part_of[A] = s.part_of[B] = 0u;
        s.part_of[C] = s.part_of[D] = 1u;
        s.desc.n_parts = 2u;
        desc.mode = GSP_PARTITION_AOT;
        desc.part_of = s.part_of;
        desc.devices = devices;
        desc.n_devices = 2u;
        desc.part_devices = devices_of;
        desc.n_part_devices = 2u;
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(gsp_partition_run(&arena, &s.graph, &desc, &made, &s.err), GSP_OK);
        T_CHECK(memcmp(&s.r.path, &made.total, sizeof(made.total)) == 0);
        t_arena_close(&arena);
    }
    subject_close(&s);
}

void suite_unit_score(void)
{
    t_run("figures", test_figures);
    t_run("imbalance", test_imbalance);
    t_run("causes", test_causes);
    t_run("refusals", test_refusals);
    t_run("moves", test_moves);
    t_run("total", test_total);
}
