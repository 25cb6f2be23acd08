/* What is worth offloading: networks arc by arc, a chain by hand, every refusal, long chains. */
#include "examples/extra/graphsplit_offload.h"
#include "tests/t.h"

#define MOST 2200u

/* A chain of calls: placeholder 0, calls 1 to n, output. Every call takes 10 ticks on the CPU and 4
 * on the accelerator, every value 1 to move. With `rng`, each call reads any two before it. */
typedef struct subject {
    gsp_arena memory;
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    uint8_t kind[MOST];
    uint8_t pinned[MOST];
    uint8_t given[MOST];
    uint32_t group[MOST];
    uint64_t cpu[MOST];
    uint64_t acc[MOST];
    uint64_t move[MOST];
    gsp_offload_desc desc;
    gsp_offload_result r;
    gsp_error err;
} subject;

static int subject_open(subject *s, uint32_t n, t_rng *rng)
{
    t_string text = {0};
    memset(s, 0, sizeof(*s));
    t_puts(&text, "graph():\n    %n0 : [num_users=1] = placeholder[target=x]\n");
    for (uint32_t v = 1; v <= n; v++) {
        t_puts(&text, "    %n");
        t_number(&text, v);
        t_puts(&text, " : [num_users=1] = call_function[target=f](args = (%n");
        t_number(&text, rng != NULL ? t_below(rng, v) : v - 1u);
        t_puts(&text, ", %n");
        t_number(&text, rng != NULL ? t_below(rng, v) : v - 1u);
        t_puts(&text, ",), kwargs = {})\n");
    }
    t_puts(&text, "    return n");
    t_number(&text, n);
    t_puts(&text, "\n");
    for (uint32_t v = 0; v < MOST; v++) {
        s->kind[v] = 1u;
        s->group[v] = GSP_NONE;
        s->cpu[v] = 10u;
        s->acc[v] = 4u;
        s->move[v] = 1u;
    }
    s->desc.kind = s->kind;
    s->desc.cpu = s->cpu;
    s->desc.acc = s->acc;
    s->desc.move = s->move;
    s->desc.max_arcs = 20000u;
    t_arena_open(&s->arena, (size_t)4 << 20u);
    int const is_read = t_must_read(&s->memory, text.data, &s->module);
    t_free(&text);
    s->graph = gsp_module_graph(&s->module, 0u);
    return is_read;
}

static void subject_close(subject *s)
{
    t_arena_close(&s->arena);
    t_arena_close(&s->memory);
}

static gsp_status run(subject *s)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_offload_run(&s->arena, &s->graph, &s->desc, &s->r, &s->err);
}

static void refused(subject *s, gsp_status status, gsp_detail detail, gsp_node node, gsp_node other)
{
    T_EQUAL(run(s), status);
    T_EQUAL(s->err.status, status);
    T_EQUAL(s->err.detail, detail);
    T_EQUAL(s->err.node, node);
    T_EQUAL(s->err.other, other);
    T_EQUAL(s->arena.low + s->arena.high, 0u);
}

static void test_network(void)
{
    gsp_arena arena;
    gsp_network net;
    t_arena_open(&arena, gsp_network_bound(3u));
    if (T_EQUAL(gsp_network_init(&arena, 3u, &net, NULL), GSP_OK)) {
        gsp_network_start(&net);
        uint32_t const middle = gsp_network_node(&net);
        T_EQUAL(middle, 2u);
        gsp_network_arc(&net, GSP_NETWORK_SOURCE, middle, 7u);
        gsp_network_both(&net, middle, GSP_NETWORK_SINK, 5u, 1u);
        T_EQUAL(gsp_network_cut(&net), 1);
        T_EQUAL(net.value, 5u);
        T_CHECK(net.side[0] == 1u && net.side[1] == 0u && net.side[2] == 1u);
        T_CHECK(net.work > 2u);
        net.max_work = net.work;
        T_EQUAL(gsp_network_cut(&net), 0); /* the work ended */
        net.max_work++;
        T_EQUAL(gsp_network_cut(&net), 0);
        net.max_work = UINT64_MAX;
        gsp_network_arc(&net, GSP_NETWORK_SOURCE, middle, (uint64_t)1 << 61u);
        T_EQUAL(gsp_network_cut(&net), 0); /* capacities are too large */
        gsp_network_arc(&net, GSP_NETWORK_SOURCE, middle, 1u);
        T_CHECK(!gsp_network_fits(&net) && gsp_network_cut(&net) == 0);
        gsp_network_start(&net);
        gsp_network_arc(&net, GSP_NETWORK_SOURCE, GSP_NETWORK_SINK, GSP_CUT_INFINITE);
        T_EQUAL(gsp_network_cut(&net), 0);
        gsp_network_start(&net);
        T_EQUAL(gsp_network_node(&net) + gsp_network_node(&net), 5u); /* four nodes */
        T_CHECK(!gsp_network_fits(&net) && gsp_network_cut(&net) == 0);
    }
    T_EQUAL(gsp_network_bound(GSP_NONE), SIZE_MAX);
    T_EQUAL(gsp_network_init(&arena, 4u, &net, NULL), GSP_STATUS_NOMEM);
    T_EQUAL(gsp_network_init(&arena, GSP_NONE, &net, NULL), GSP_STATUS_OVERFLOW);
    t_arena_close(&arena);
}

/* Two nodes of 10 ticks, or 4; a value moves there and back. */
static void test_by_hand(void)
{
    subject s;
    if (subject_open(&s, 2u, NULL)) {
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.time, 10u);
        T_EQUAL(s.r.n_subgraphs, 1u);
        T_CHECK(s.r.phase == NULL && s.r.kind[0] == GSP_KIND_NONE && s.r.kind[1] == 1u);
        T_CHECK(s.r.at_most[0] == 20u && s.r.at_most[1] == 10u && s.r.at_most[64] == 10u);
        s.desc.launch = 11u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.time == 20u && s.r.lower_bound == 20u && s.r.all == 21u);
        s.desc.pinned = s.pinned;
        s.pinned[1] = 1u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.time == 21u && s.r.cpu_only == UINT64_MAX && s.r.at_most[0] == UINT64_MAX);
        s.kind[2] = 0u;
        s.desc.group = s.group;
        s.group[1] = s.group[2] = 3u; /* with a node that is not supported */
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.time == 20u && s.r.kind[1] == 0u && s.r.cpu_only == 20u);
        s.desc.move = NULL;
        s.desc.resident = 1u;
        s.group[2] = GSP_NONE;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.time == 25u && s.r.kind[1] == 1u && s.r.phase[1] < s.r.phase[2]);
    }
    subject_close(&s);
}

static void test_given(void)
{
    subject s;
    if (subject_open(&s, 3u, NULL)) {
        s.desc.given = s.given;
        s.given[2] = 1u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.time == 26u && s.r.n_subgraphs == 1u && s.r.lower_bound == 0u);
        s.desc.group = s.group;
        s.group[2] = s.group[3] = 0u;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_KIND, 3u, 2u);
        T_FIELD(&s.err);
        s.group[3] = GSP_NONE;
        s.kind[2] = 0u;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_KIND, 2u, GSP_NONE);
        s.kind[2] = 1u;
        s.given[2] = 0u;
        s.given[1] = s.given[3] = 1u;
        s.group[1] = s.group[3] = 4u;
        refused(&s, GSP_STATUS_CYCLE, GSP_DETAIL_PARTS_CYCLE, GSP_NONE, GSP_NONE);
        s.given[1] = s.given[3] = 0u;
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.time, 30u);
        s.pinned[1] = s.pinned[3] = 1u;
        s.kind[2] = 0u;
        s.desc.pinned = s.pinned;
        s.desc.given = NULL;
        refused(&s, GSP_STATUS_CYCLE, GSP_DETAIL_PARTS_CYCLE, GSP_NONE, GSP_NONE);
        s.desc.resident = 1u;
        refused(&s, GSP_STATUS_CYCLE, GSP_DETAIL_PARTS_CYCLE, GSP_NONE, GSP_NONE);
    }
    subject_close(&s);
}

static void test_refused(void)
{
    subject s;
    uint64_t const much = (uint64_t)1 << 58u;
    if (subject_open(&s, 3u, NULL)) {
        s.desc.group = s.group;
        s.group[2] = s.graph.n_nodes;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 2u, GSP_NONE);
        T_FIELD(&s.err);
        s.desc.group = NULL;
        s.cpu[1] = much;
        refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 1u, GSP_NONE);
        s.cpu[1] = 1u;
        s.acc[3] = much;
        refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 3u, GSP_NONE);
        s.acc[3] = 1u;
        s.move[2] = much;
        refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 2u, GSP_NONE);
        s.move[2] = 1u;
        s.desc.launch = much;
        refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 0u, GSP_NONE);
    }
    subject_close(&s);
}

/* Every second call is supported: more subgraphs than the curve has. */
static void test_long(uint32_t resident)
{
    subject s;
    if (subject_open(&s, 2u * GSP_OFFLOAD_CURVE + 20u, NULL)) {
        uint32_t const n = s.graph.n_nodes - 2u;
        for (uint32_t v = 1; v <= n; v++) {
            s.kind[v] = v % 2u;
        }
        s.desc.resident = resident;
        for (s.desc.launch = 0u; s.desc.launch < 8u; s.desc.launch++) {
            uint64_t const each = 10u - 4u - 2u - s.desc.launch; /* what a subgraph saves */
            T_EQUAL(run(&s), GSP_OK);
            T_EQUAL(s.r.time, 10u * n - (s.desc.launch < 4u ? each * (n / 2u) : 0u));
            T_EQUAL(s.r.n_subgraphs, s.desc.launch < 4u ? n / 2u : 0u);
            T_CHECK(s.r.lower_bound <= s.r.time && s.r.all == 10u * n - each * (n / 2u));
            for (uint32_t k = 1; k < GSP_OFFLOAD_CURVE; k++) {
                T_CHECK(s.r.at_most[k] <= s.r.at_most[k - 1u]);
            }
        }
        s.desc.max_arcs = 1u; /* few turns have room */
        s.desc.launch = 3u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.lower_bound <= s.r.time && s.r.time == 10u * n - n / 2u);
    }
    subject_close(&s);
}

static void test_long_once(void)
{
    test_long(0u);
}

static void test_long_resident(void)
{
    test_long(1u);
}

/* The search may end anywhere; the result is a choice. */
static void test_max_work(void)
{
    subject s;
    if (subject_open(&s, 40u, NULL)) {
        for (uint32_t v = 1; v <= 40u; v++) {
            s.kind[v] = v % 3u != 0u;
            s.acc[v] = v % 7u;
            s.move[v] = v % 4u;
        }
        s.desc.launch = 9u;
        for (s.desc.max_work = 1u; s.desc.max_work < 2000000u; s.desc.max_work *= 2u) {
            T_EQUAL(run(&s), GSP_OK);
            gsp_offload_result const r = s.r;
            memcpy(s.given, r.kind, s.graph.n_nodes);
            s.desc.given = s.given;
            T_EQUAL(run(&s), GSP_OK);
            T_CHECK(s.r.time == r.time && s.r.n_subgraphs == r.n_subgraphs);
            T_CHECK(r.lower_bound <= r.time && r.time <= r.all && r.time <= r.cpu_only);
            s.desc.given = NULL;
        }
    }
    subject_close(&s);
}

/* Times near the limit: nothing overflows, bounds hold. In case 124 prices move until iterations
 * end. */
static void test_large_times(void)
{
    for (uint32_t i = 0; i < 300u && !t_failed(); i++) {
        t_rng rng = {i};
        subject s;
        if (subject_open(&s, 12u, &rng)) {
            uint64_t const unit = ((uint64_t)1 << 58u) / (s.graph.n_nodes * 8000u + 8000u) - 1u;
            for (uint32_t v = 0; v < s.graph.n_nodes; v++) {
                s.kind[v] = (uint8_t)t_chance(&rng, 90);
                s.cpu[v] = unit * t_below(&rng, 1000u);
                s.acc[v] = unit * t_below(&rng, 400u);
                s.move[v] = unit * t_below(&rng, t_chance(&rng, 50) ? 300u : 30u);
            }
            s.desc.launch = unit * t_below(&rng, 1000u);
            s.desc.max_arcs = 0u;
            T_EQUAL(run(&s), GSP_OK);
            T_CHECK(s.r.lower_bound <= s.r.time && s.r.time <= s.r.all);
            T_CHECK(s.r.time <= s.r.cpu_only && s.r.lower_bound > s.r.time / 2u);
        }
        subject_close(&s);
    }
}

/* A large graph may take less work. */
static void test_large_graph(void)
{
    subject s;
    if (subject_open(&s, MOST - 50u, NULL)) {
        s.given[9] = 1u;
        s.desc.given = s.given;
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.time, 10u * (MOST - 50u) - 4u);
    }
    subject_close(&s);
}

/* The graph returns %x at once, but %c reads it in the second turn of the accelerator. A later
 * return lets %x arrive later. */
static void test_late_return(void)
{
    static const char text[] =
        "graph():\n"
        "    %y : [num_users=1] = placeholder[target=y]\n"
        "    %x : [num_users=2] = placeholder[target=x]\n"
        "    %a : [num_users=1] = call_function[target=f](args = (%y,), kwargs = {})\n"
        "    %b : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})\n"
        "    %c : [num_users=0] = call_function[target=f](args = (%b, %x), kwargs = {})\n"
        "    return x\n";
    static const uint8_t given[] = {0, 0, 1, 0, 1, 0};
    static const uint64_t move[] = {0, 100, 1, 1, 0, 0};
    static const uint64_t ticks[] = {0, 0, 0, 0, 0, 0};
    subject s;
    memset(&s, 0, sizeof(s));
    t_arena_open(&s.arena, 65536u);
    if (t_must_read(&s.memory, text, &s.module)) {
        s.graph = gsp_module_graph(&s.module, 0u);
        s.desc.kind = s.desc.given = given;
        s.desc.cpu = s.desc.acc = ticks;
        s.desc.move = move;
        s.desc.resident = 1u;
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.time, 102u); /* x once, a and b once */
    }
    subject_close(&s);
}

void suite_unit_offload(void)
{
    t_run("network", test_network);
    t_run("by_hand", test_by_hand);
    t_run("given", test_given);
    t_run("refused", test_refused);
    t_run("long_once", test_long_once);
    t_run("long_resident", test_long_resident);
    t_run("max_work", test_max_work);
    t_run("large_times", test_large_times);
    t_run("large_graph", test_large_graph);
    t_run("late_return", test_late_return);
}
