/* Liveness, memory plans and splits by memory: small graphs worked out by hand, constant bounds,
 * every status, and parts beside the graphs that are made of them. */
#include "tests/t.h"

#define CALL(name, args, note) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args "), kwargs = {})" \
    "  # " note "\n"
#define TAKE(name, of, index, note) \
    "    %" name " : [num_users=1] = call_function[target=operator.getitem](args = (%" of \
    ", " index "), kwargs = {})  # " note "\n"
#define X "graph():\n    %x : [num_users=1] = placeholder[target=x]  # u8[10]\n"

typedef struct ready {
    gsp_arena text;
    gsp_arena arena;
    gsp_module module;
    gsp_graph g;
    gsp_error err;
} ready;

static int start(ready *r, const char *text)
{
    memset(r, 0, sizeof(*r));
    t_arena_open(&r->arena, 1u << 16);
    if (!t_must_read(&r->text, text, &r->module)) {
        return 0;
    }
    r->g = gsp_module_graph(&r->module, 0u);
    return 1;
}

static void stop(ready *r)
{
    t_arena_close(&r->text);
    t_arena_close(&r->arena);
}

static void check_liveness(
    const char *text, uint64_t bytes, const char *node, uint64_t arena, int line)
{
    ready r;
    gsp_liveness_result peak;
    gsp_memory_plan_desc d;
    gsp_memory_plan_result offsets;
    memset(&d, 0, sizeof(d));
    d.align = 1;
    if (start(&r, text)) {
        t_check_equal(gsp_liveness_run(&r.arena, &r.g, NULL, &peak, &r.err), GSP_OK, __FILE__, line,
            "status");
        t_check_equal(peak.parts[0].bytes, bytes, __FILE__, line, "peak");
        t_check_text(gsp_node_name(&r.g, peak.parts[0].node), node, __FILE__, line, "node");
        t_check_equal(gsp_memory_plan_run(&r.arena, &r.g, &d, &offsets, &r.err), GSP_OK, __FILE__,
            line, "status");
        t_check_equal(offsets.arena, arena, __FILE__, line, "arena");
        t_check_equal(offsets.peak, bytes, __FILE__, line, "least arena");
    }
    stop(&r);
}
#define PEAK(text, bytes, node, arena) check_liveness(text, bytes, node, arena, __LINE__)

static void test_by_hand(void)
{
    PEAK(X CALL("a", "%x", "u8[20]") CALL("b", "%a", "u8[5]") "    return b\n", 30, "a", 30);
    /* a view takes nothing and keeps its storage */
    PEAK(X CALL("a", "%x", "u8[20]") CALL("v", "%a", "u8[20] alias=0") CALL("b", "%x", "u8[7]")
             CALL("c", "%v, %b", "u8[1]") "    return c\n",
        37, "b", 37);
    /* what nobody reads is gone after its step */
    PEAK(X CALL("a", "%x", "u8[20]") CALL("b", "%x", "u8[15]") "    return b\n", 30, "a", 30);
    /* elements die one by one */
    PEAK(X CALL("t", "%x", "tuple(u8[8], u8[9])") TAKE("e", "t", "0", "u8[8]") TAKE("f", "t", "1",
             "u8[9]") CALL("a", "%e", "u8[1]") CALL("b", "%f, %a", "u8[20]") "    return b\n",
        30, "b", 30);
    /* a parameter is apart */
    PEAK("graph():\n    %w : [num_users=1] = get_attr[target=w]  # u8[99]\n"
         "    %x : [num_users=1] = placeholder[target=x]  # u8[10]\n" CALL(
             "a", "%x, %w", "u8[4]") "    return a\n",
        14, "a", 14);
    /* returned values live to the end, given ones from the start */
    PEAK(
        X CALL("a", "%x", "u8[3]") "    %y : [num_users=1] = placeholder[target=y]  # u8[9]\n" CALL(
            "b", "%y", "u8[4]") CALL("c", "%b", "u8[5]") "    return (a, c)\n",
        22, "a", 22);
}

/* Elements whose numbers are equal modulo the number of nodes; views that are none. */
static void test_elements(void)
{
    PEAK(X CALL("t", "%x",
             "tuple(u8[1], u8[1], u8[1], u8[1], u8[1], u8[1], u8[1], u8[1], u8[1], u8[1], u8[1], "
             "u8[1], u8[1], u8[1], u8[1], u8[4])") TAKE("e", "t", "7", "u8[1]")
             TAKE("f", "t", "15", "u8[4]") TAKE("h", "t", "3", "u8[1]") CALL("a", "%e, %f", "u8[1]")
                 CALL("b", "%h, %a", "u8[2]") "    return b\n",
        29, "t", 29);
    PEAK(X CALL("t", "%x",
             "tuple(u8[1], u8[1], u8[1], u8[1], u8[1], u8[1], u8[1], u8[1], u8[1], u8[1], u8[1], "
             "u8[4])") TAKE("e", "t", "3", "u8[1]") TAKE("f", "t", "11", "u8[4]")
             TAKE("h", "t", "7", "u8[1]") CALL("a", "%e, %f", "u8[1]")
                 CALL("b", "%h, %a", "u8[2]") "    return b\n",
        25, "t", 25);
    PEAK(X CALL("t", "%x", "tuple(u8[8], u8[9])") TAKE("e", "t", "0", "u8[8] alias=0")
             TAKE("f", "t", "1", "u8[9]") CALL("a", "%e", "u8[1]")
                 CALL("b", "%f, %a", "u8[20]") "    return b\n",
        30, "b", 30);
}

/* Bounds as constants. */
static void test_constants(void)
{
    static const uint32_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 100, 1000, 12345, 1000000};
    static unsigned char block[GSP_LIVENESS_BOUND(10, 20) + GSP_MEMORY_PLAN_BOUND(10, 20)];
    static const gsp_node order[1] = {0};
    gsp_liveness_desc live;
    gsp_memory_plan_desc plan;
    gsp_split_by_memory_desc budget;
    uint32_t i;
    memset(&live, 0, sizeof(live));
    memset(&plan, 0, sizeof(plan));
    memset(&budget, 0, sizeof(budget));
    live.order = plan.order = budget.order = order;
    T_CHECK(sizeof(block) > 500u);
    for (i = 0; i < T_COUNT_OF(sizes); i++) {
        gsp_module module;
        gsp_graph const g = {&module, 0u, 0u, sizes[i], NULL};
        memset(&module, 0, sizeof(module));
        module.counts.graphs = 1u;
        module.counts.nodes = sizes[i];
        module.counts.edges = 3u * sizes[i];
        T_BOUND(GSP_LIVENESS_BOUND(sizes[i], 3u * sizes[i]), gsp_liveness_bound(&g, NULL));
        T_BOUND(GSP_MEMORY_PLAN_BOUND(sizes[i], 3u * sizes[i]), gsp_memory_plan_bound(&g, NULL));
        T_BOUND(GSP_SPLIT_BY_MEMORY_BOUND(sizes[i], 3u * sizes[i]),
            gsp_split_by_memory_bound(&g, NULL));
        T_BOUND(GSP_LIVENESS_BOUND(sizes[i], 3u * sizes[i]) + GSP_ORDER_BOUND(sizes[i]),
            gsp_liveness_bound(&g, &live));
        T_BOUND(GSP_MEMORY_PLAN_BOUND(sizes[i], 3u * sizes[i]) + GSP_ORDER_BOUND(sizes[i]),
            gsp_memory_plan_bound(&g, &plan));
        T_BOUND(GSP_SPLIT_BY_MEMORY_BOUND(sizes[i], 3u * sizes[i]) + GSP_ORDER_BOUND(sizes[i]),
            gsp_split_by_memory_bound(&g, &budget));
    }
    /* 100 bytes per tensor, 16 of which gsp_liveness_run() leaves before */
    T_CHECK(GSP_MEMORY_PLAN_BOUND(1000000u, 2000000u) <= 84u * 1000000u);
}

static void expect(const ready *r, gsp_status found, gsp_status status, gsp_detail detail, int line)
{
    t_check_equal((uint64_t)found, (uint64_t)status, __FILE__, line, "status");
    t_check_equal((uint64_t)r->err.status, (uint64_t)status, __FILE__, line, "err.status");
    t_check_equal((uint64_t)r->err.detail, (uint64_t)detail, __FILE__, line, "err.detail");
    t_check_field(&r->err, __FILE__, line, "err.field");
    t_check_equal(r->arena.low + r->arena.high, 0u, __FILE__, line, "arena");
}
#define FAILS(call, status, detail) \
    expect(&r, (call), GSP_STATUS_##status, GSP_DETAIL_##detail, __LINE__)

static void test_statuses(void)
{
    static const uint32_t wrong[] = {0, 0, 2, 0};
    ready r;
    gsp_liveness_desc p;
    gsp_liveness_result peak;
    gsp_memory_plan_desc o;
    gsp_memory_plan_result offsets;
    gsp_split_by_memory_desc b;
    gsp_split_by_memory_result budget;
    gsp_arena none;
    memset(&p, 0, sizeof(p));
    memset(&o, 0, sizeof(o));
    memset(&b, 0, sizeof(b));
    if (start(&r, X CALL("a", "%x", "u8[20]") CALL("b", "%a", "u8[5]") "    return b\n")) {
        FAILS(gsp_liveness_run(NULL, &r.g, NULL, &peak, &r.err), ARG, NULL_ARGUMENT);
        FAILS(gsp_liveness_run(&r.arena, NULL, NULL, &peak, &r.err), ARG, NULL_ARGUMENT);
        FAILS(gsp_liveness_run(&r.arena, &r.g, NULL, NULL, &r.err), ARG, NULL_ARGUMENT);
        FAILS(gsp_memory_plan_run(NULL, &r.g, NULL, &offsets, &r.err), ARG, NULL_ARGUMENT);
        FAILS(gsp_memory_plan_run(&r.arena, NULL, NULL, &offsets, &r.err), ARG, NULL_ARGUMENT);
        FAILS(gsp_memory_plan_run(&r.arena, &r.g, NULL, NULL, &r.err), ARG, NULL_ARGUMENT);
        FAILS(gsp_split_by_memory_run(NULL, &r.g, &b, &budget, &r.err), ARG, NULL_ARGUMENT);
        FAILS(gsp_split_by_memory_run(&r.arena, NULL, &b, &budget, &r.err), ARG, NULL_ARGUMENT);
        FAILS(gsp_split_by_memory_run(&r.arena, &r.g, NULL, &budget, &r.err), ARG, NULL_ARGUMENT);
        FAILS(gsp_split_by_memory_run(&r.arena, &r.g, &b, NULL, &r.err), ARG, NULL_ARGUMENT);
        p.n_parts = 2;
        FAILS(gsp_liveness_run(&r.arena, &r.g, &p, &peak, &r.err), ARG, NULL_ARGUMENT);
        p.part_of = wrong;
        FAILS(gsp_liveness_run(&r.arena, &r.g, &p, &peak, &r.err), ARG, TAG);
        T_EQUAL(r.err.node, 2);
        p.end_canary = 1;
        FAILS(gsp_liveness_run(&r.arena, &r.g, &p, &peak, &r.err), DESC, CANARY);
        o.align = 24;
        FAILS(gsp_memory_plan_run(&r.arena, &r.g, &o, &offsets, &r.err), ARG, NUMBER);
        o.start_canary = 1;
        FAILS(gsp_memory_plan_run(&r.arena, &r.g, &o, &offsets, &r.err), DESC, CANARY);
        b.budget = 29;
        FAILS(gsp_split_by_memory_run(&r.arena, &r.g, &b, &budget, &r.err), NO_FIT, BUDGET);
        T_EQUAL(r.err.node, 1);
        T_EQUAL(r.err.need, 30);
        T_EQUAL(r.err.limit, 29);
        b.end_canary = 1;
        FAILS(gsp_split_by_memory_run(&r.arena, &r.g, &b, &budget, &r.err), DESC, CANARY);
    }
    stop(&r);
    if (start(&r, X CALL("a", "%x", "u8[20] alias=1") "    return a\n")) {
        b.end_canary = 0;
        FAILS(gsp_liveness_run(&r.arena, &r.g, NULL, &peak, &r.err), ARG, ALIAS);
        T_EQUAL(r.err.node, 1);
        FAILS(gsp_memory_plan_run(&r.arena, &r.g, NULL, &offsets, &r.err), ARG, ALIAS);
        FAILS(gsp_split_by_memory_run(&r.arena, &r.g, &b, &budget, &r.err), ARG, ALIAS);
        gsp_arena_init(&none, NULL, 0); /* the graph is checked before room */
        FAILS(gsp_liveness_run(&none, &r.g, NULL, &peak, &r.err), ARG, ALIAS);
        FAILS(gsp_memory_plan_run(&none, &r.g, NULL, &offsets, &r.err), ARG, ALIAS);
        FAILS(gsp_split_by_memory_run(&none, &r.g, &b, &budget, &r.err), ARG, ALIAS);
    }
    stop(&r);
    if (start(&r, X CALL("a", "%x", "u8[1] bytes=18446744073709551610") "    return a\n")) {
        FAILS(gsp_liveness_run(&r.arena, &r.g, NULL, &peak, &r.err), OVERFLOW, SIZE);
        FAILS(gsp_memory_plan_run(&r.arena, &r.g, NULL, &offsets, &r.err), OVERFLOW, SIZE);
        FAILS(gsp_split_by_memory_run(&r.arena, &r.g, &b, &budget, &r.err), OVERFLOW, SIZE);
    }
    stop(&r);
}

/* Orders that are none; all passes that take one say the same. */
static void check_order(ready *r, const gsp_node *order, uint32_t n, gsp_node node, gsp_node other)
{
    gsp_liveness_desc p;
    gsp_memory_plan_desc o;
    gsp_split_by_memory_desc b;
    gsp_exec_plan_desc e;
    gsp_liveness_result peak;
    gsp_memory_plan_result offsets;
    gsp_split_by_memory_result budget;
    gsp_exec_plan frames;
    uint32_t i;
    memset(&p, 0, sizeof(p));
    memset(&o, 0, sizeof(o));
    memset(&b, 0, sizeof(b));
    memset(&e, 0, sizeof(e));
    b.budget = 100;
    p.order = o.order = b.order = e.order = order;
    p.n_order = o.n_order = b.n_order = e.n_order = n;
    for (i = 0; i < 4u; i++) {
        gsp_status const found =
            i == 0u   ? gsp_liveness_run(&r->arena, &r->g, &p, &peak, &r->err)
            : i == 1u ? gsp_memory_plan_run(&r->arena, &r->g, &o, &offsets, &r->err)
            : i == 2u ? gsp_split_by_memory_run(&r->arena, &r->g, &b, &budget, &r->err)
                      : gsp_exec_plan_run(&r->arena, &r->g, &e, &frames, &r->err);
        expect(r, found, GSP_STATUS_ARG, GSP_DETAIL_ORDER, __LINE__);
        T_EQUAL(r->err.what, GSP_WHAT_NODE);
        T_EQUAL(r->err.node, node);
        T_EQUAL(r->err.other, other);
    }
}

static void test_wrong_orders(void)
{
    static const gsp_node missing[] = {1, 2};
    static const gsp_node twice[] = {1, 2, 2, 3};
    static const gsp_node unknown[] = {1, 2, 3, 9};
    static const gsp_node later[] = {1, 3, 2};
    static const gsp_node input[] = {1, 2, 3, 0};
    ready r;
    if (start(&r, X CALL("a", "%x", "u8[20]") CALL("b", "%a", "u8[5]")
                      CALL("c", "%b", "u8[5]") "    return a\n")) {
        check_order(&r, missing, 2, 3, GSP_NONE);
        check_order(&r, missing, 0, 1, GSP_NONE);
        check_order(&r, twice, 4, 2, GSP_NONE);
        check_order(&r, unknown, 4, 9, GSP_NONE);
        check_order(&r, later, 3, 3, 2);
        check_order(&r, input, 4, 1, 0);
    }
    stop(&r);
}

/* A split that runs b before a. */
static void test_orders(void)
{
    static const gsp_node order[] = {2, 1, 3};
    static const uint32_t part_of[] = {7, 1, 0, 1, 7};
    ready r;
    gsp_liveness_desc p;
    gsp_liveness_result peak;
    gsp_memory_plan_desc o;
    gsp_memory_plan_result offsets;
    memset(&p, 0, sizeof(p));
    memset(&o, 0, sizeof(o));
    o.align = 1;
    p.order = o.order = order;
    p.n_order = o.n_order = 3;
    o.part_of = part_of;
    if (start(&r, X CALL("a", "%x", "u8[20]") CALL("b", "%x", "u8[3]")
                      CALL("c", "%a, %b", "u8[1]") "    return c\n")) {
        T_EQUAL(gsp_liveness_run(&r.arena, &r.g, &p, &peak, &r.err), GSP_OK);
        T_EQUAL(peak.nodes[0], 0);
        T_EQUAL(peak.nodes[1], 2);
        T_EQUAL(peak.nodes[2], 1);
        T_EQUAL(peak.parts[0].bytes, 33);
        T_EQUAL(peak.parts[0].node, 1);
        T_EQUAL(peak.parts[0].step, 2);
        T_EQUAL(gsp_memory_plan_run(&r.arena, &r.g, &o, &offsets, &r.err), GSP_OK);
        T_EQUAL(offsets.peak, 33);
        T_EQUAL(offsets.n_tensors, 4);
        T_EQUAL(offsets.tensors[1].begin, 2);
        T_EQUAL(offsets.tensors[1].end, 3);
        T_EQUAL(offsets.tensors[2].begin, 1);
        T_EQUAL(offsets.crosses[0], 1); /* an input */
        T_EQUAL(offsets.crosses[1], 0);
        T_EQUAL(offsets.crosses[2], 1);
        T_EQUAL(offsets.crosses[3], 1); /* returned */
        T_CHECK(offsets.stands_on == NULL);
    }
    stop(&r);
}

/* x 10, a 20, r 20 in place, c 5: in place only if the argument is read for the last time, as a
 * whole, by one argument, and has as many bytes. */
static void check_in_place(
    const char *text, uint32_t may, gsp_node stands_on, uint64_t arena, int line)
{
    uint32_t in_place[8] = {0};
    ready r;
    gsp_memory_plan_desc o;
    gsp_memory_plan_result offsets;
    memset(&o, 0, sizeof(o));
    o.align = 1;
    o.in_place = in_place;
    in_place[2] = may;
    if (start(&r, text)) {
        T_EQUAL(gsp_memory_plan_run(&r.arena, &r.g, &o, &offsets, &r.err), GSP_OK);
        t_check_equal(offsets.stands_on[2], stands_on, __FILE__, line, "stands_on");
        t_check_equal(offsets.n_in_place, stands_on != GSP_NONE, __FILE__, line, "n_in_place");
        t_check_equal(offsets.arena, arena, __FILE__, line, "arena");
        t_check_equal(offsets.peak, arena, __FILE__, line, "peak");
        if (stands_on != GSP_NONE) {
            T_EQUAL(offsets.tensor_of[2], offsets.tensor_of[stands_on]);
        }
    }
    stop(&r);
}
#define IN_PLACE(text, may, stands_on, arena) check_in_place(text, may, stands_on, arena, __LINE__)

static void test_in_place(void)
{
    static const char r_of_a[] = X CALL("a", "%x", "u8[20]") CALL("r", "%a, %x, 3", "u8[20]")
        CALL("c", "%r", "u8[5]") "    return c\n";
    IN_PLACE(r_of_a, 0, GSP_NONE, 50);
    IN_PLACE(r_of_a, 1, 1, 30);
    IN_PLACE(r_of_a, 7, 1, 30);
    IN_PLACE(r_of_a, 2, GSP_NONE, 50);              /* x is smaller */
    IN_PLACE(r_of_a, 4, GSP_NONE, 50);              /* a constant */
    IN_PLACE(r_of_a, 8 + (1u << 31), GSP_NONE, 50); /* no argument */
    IN_PLACE(X CALL("a", "%x", "u8[20]") CALL("r", "%a", "u8[20]")
                 CALL("c", "%r, %a", "u8[5]") "    return c\n",
        1, GSP_NONE, 45);
    IN_PLACE(X CALL("a", "%x", "u8[20]") CALL("r", "%a", "u8[20] mutates=0")
                 CALL("c", "%r", "u8[5]") "    return c\n",
        1, GSP_NONE, 40);
    IN_PLACE(X CALL("a", "%x", "u8[20]") CALL("r", "%a, %a", "u8[20]")
                 CALL("c", "%r", "u8[5]") "    return c\n",
        2, 1, 30);
    IN_PLACE(X CALL("a", "%x", "u8[20]") CALL("r", "%a", "u8[20] alias=0")
                 CALL("c", "%r", "u8[5]") "    return c\n",
        1, GSP_NONE, 30);
}

/* What gsp_memory_pack_run() refuses, and no tensors at all. */
/* Values of 2^64 bytes and more in all are refused, also where the sum wraps to little. */
static void test_sums(void)
{
    ready r;
    gsp_liveness_result peak;
    if (start(&r,
            "graph():\n"
            "    %x : [num_users=1] = placeholder[target=x]  # u8[13835058055282163712]\n" CALL(
                "a", "%x", "u8[9223372036854775808]") "    return a\n")) {
        FAILS(gsp_liveness_run(&r.arena, &r.g, NULL, &peak, &r.err), OVERFLOW, SIZE);
        T_EQUAL(r.err.node, 1);
    }
    stop(&r);
}

static void test_pack_statuses(void)
{
    static const uint32_t aligns[] = {4, 0};
    uint32_t resumed[] = {0, 0};
    gsp_tensor t[2];
    gsp_memory_pack_desc d;
    gsp_memory_pack_result pack;
    ready r;
    memset(&r, 0, sizeof(r));
    memset(&d, 0, sizeof(d));
    memset(t, 0, sizeof(t));
    t_arena_open(&r.arena, 1u << 12);
    FAILS(gsp_memory_pack_run(NULL, t, 2, &d, &pack, &r.err), ARG, NULL_ARGUMENT);
    FAILS(gsp_memory_pack_run(&r.arena, NULL, 2, &d, &pack, &r.err), ARG, NULL_ARGUMENT);
    FAILS(gsp_memory_pack_run(&r.arena, t, 2, &d, NULL, &r.err), ARG, NULL_ARGUMENT);
    d.align = 24;
    FAILS(gsp_memory_pack_run(&r.arena, t, 2, &d, &pack, &r.err), ARG, NUMBER);
    d.aligns = aligns;
    FAILS(gsp_memory_pack_run(&r.arena, t, 2, &d, &pack, &r.err), ARG, NUMBER);
    d.aligns = NULL;
    d.align = 0;
    t[1].begin = 1;
    FAILS(gsp_memory_pack_run(&r.arena, t, 2, &d, &pack, &r.err), ARG, RANGE);
    t[1].end = 1;
    d.resumed = resumed;
    resumed[0] = 1;
    FAILS(gsp_memory_pack_run(&r.arena, t, 2, &d, &pack, &r.err), ARG, RANGE);
    resumed[0] = 0;
    resumed[1] = 1;
    t[0].end = 1;
    FAILS(gsp_memory_pack_run(&r.arena, t, 2, &d, &pack, &r.err), ARG, RANGE);
    t[0].end = 0;
    t[0].bytes = 8;
    FAILS(gsp_memory_pack_run(&r.arena, t, 2, &d, &pack, &r.err), ARG, RANGE);
    d.resumed = NULL;
    t[1].bytes = UINT64_MAX / 4u;
    T_EQUAL(gsp_memory_pack_run(&r.arena, t + 1, 1, &d, &pack, &r.err), GSP_OK);
    T_EQUAL(pack.bytes, UINT64_MAX / 4u);
    r.arena.low = 0;
    t[1].bytes++;
    FAILS(gsp_memory_pack_run(&r.arena, t, 2, &d, &pack, &r.err), OVERFLOW, SIZE);
    d.end_canary = 1;
    FAILS(gsp_memory_pack_run(&r.arena, t, 2, &d, &pack, &r.err), DESC, CANARY);
    T_EQUAL(gsp_memory_pack_run(&r.arena, NULL, 0, NULL, &pack, &r.err), GSP_OK);
    T_EQUAL(pack.bytes, 0);
    T_EQUAL(pack.lower_bound, 0);
    t_arena_close(&r.arena);
}

/* A free tensor that fixed ones leave no lower place keeps the given one. 750 sizes of the arena
 * are refused before a tensor is placed. */
static void test_pack_fixed(void)
{
    static const uint32_t fixed[] = {1, 1, 0};
    gsp_tensor t[3];
    gsp_memory_pack_desc d;
    gsp_memory_pack_result pack;
    ready r;
    memset(&r, 0, sizeof(r));
    memset(&d, 0, sizeof(d));
    memset(t, 0, sizeof(t));
    t_arena_open(&r.arena, 1u << 12);
    t[0].bytes = t[1].bytes = t[2].bytes = 1000;
    t[0].offset = t[1].offset = 1500;
    t[2].offset = 2750;
    d.align = 1;
    d.fixed = fixed;
    FAILS(gsp_memory_pack_run(&r.arena, t, 3, &d, &pack, &r.err), ARG, OVERLAP);
    T_EQUAL(r.err.node, 1);
    T_EQUAL(r.err.other, 0);
    t[0].offset = 750;
    t[1].offset = 1750;
    T_EQUAL(gsp_memory_pack_run(&r.arena, t, 3, &d, &pack, &r.err), GSP_OK);
    T_EQUAL(pack.bytes, 3750);
    T_EQUAL(pack.lower_bound, 3750);
    T_EQUAL(pack.offsets[2], 2750);
    T_CHECK(pack.work <= 6750u);
    t_arena_close(&r.arena);
}

static void test_check(void)
{
    gsp_tensor t[3] = {{0, 100, 0, 0, 5, 0}, {112, 60, 1, 0, UINT32_MAX, 0}, {0, 100, 2, 6, 7, 0}};
    uint32_t const fixed[] = {0, 1, 0};
    uint32_t const resumed[] = {0, 0, 1};
    uint32_t const aligns[] = {64, 32, 64};
    gsp_memory_check_desc d;
    ready r;
    memset(&r, 0, sizeof(r));
    memset(&d, 0, sizeof(d));
    t_arena_open(&r.arena, 1u << 12);
    T_EQUAL(gsp_memory_check_run(&r.arena, t, 3, NULL, &r.err), GSP_OK);
    T_EQUAL(gsp_memory_check_run(&r.arena, NULL, 0, NULL, &r.err), GSP_OK);
    FAILS(gsp_memory_check_run(NULL, t, 3, NULL, &r.err), ARG, NULL_ARGUMENT);
    FAILS(gsp_memory_check_run(&r.arena, NULL, 3, NULL, &r.err), ARG, NULL_ARGUMENT);
    T_FIELD(&r.err);
    d.align = 64;
    FAILS(gsp_memory_check_run(&r.arena, t, 3, &d, &r.err), ARG, OFFSET);
    T_EQUAL(r.err.what, GSP_WHAT_TENSOR);
    T_EQUAL(r.err.node, 1);
    d.aligns = aligns;
    FAILS(gsp_memory_check_run(&r.arena, t, 3, &d, &r.err), ARG, OFFSET);
    d.fixed = fixed;
    d.bytes = 172;
    T_EQUAL(gsp_memory_check_run(&r.arena, t, 3, &d, &r.err), GSP_OK);
    d.bytes = 171;
    FAILS(gsp_memory_check_run(&r.arena, t, 3, &d, &r.err), NO_FIT, ARENA);
    T_EQUAL(r.err.node, 1);
    d.bytes = 0;
    t[2].bytes = 113;
    FAILS(gsp_memory_check_run(&r.arena, t, 3, &d, &r.err), ARG, OVERLAP);
    T_EQUAL(r.err.node, 1);
    T_EQUAL(r.err.other, 2);
    t[2].bytes = 0;
    T_EQUAL(gsp_memory_check_run(&r.arena, t, 3, &d, &r.err), GSP_OK);
    t[2].bytes = 100;
    t[2].offset = 120; /* not read: it resumes tensor 1, so it is at 112 and overlaps it */
    d.resumed = resumed;
    FAILS(gsp_memory_check_run(&r.arena, t, 3, &d, &r.err), ARG, OVERLAP);
    t[1].end = 5;
    T_EQUAL(gsp_memory_check_run(&r.arena, t, 3, &d, &r.err), GSP_OK);
    t[1].begin = 6;
    FAILS(gsp_memory_check_run(&r.arena, t, 3, &d, &r.err), ARG, RANGE);
    t[1].begin = 0;
    t[1].bytes = UINT64_MAX / 4u + 1u;
    FAILS(gsp_memory_check_run(&r.arena, t, 3, &d, &r.err), OVERFLOW, SIZE);
    d.aligns = NULL;
    d.align = 3;
    FAILS(gsp_memory_check_run(&r.arena, t, 3, &d, &r.err), ARG, NUMBER);
    T_EQUAL(r.arena.low, 0);
    t_arena_close(&r.arena);
}

static int stop_at(void *user, uint64_t work)
{
    return work >= *(const uint64_t *)user;
}

/* A search that is stopped keeps the best plan so far, and says so. */
static void test_pack_progress(void)
{
    gsp_tensor t[40];
    uint64_t most = UINT64_MAX;
    uint32_t seed = 7;
    gsp_memory_pack_desc d;
    gsp_memory_pack_result all;
    gsp_memory_pack_result pack;
    ready r;
    memset(&r, 0, sizeof(r));
    memset(&d, 0, sizeof(d));
    memset(t, 0, sizeof(t));
    t_arena_open(&r.arena, 1u << 16);
    for (uint32_t i = 0; i < T_COUNT_OF(t); i++) {
        seed = seed * 1664525u + 1013904223u;
        t[i].bytes = 16u * (1u + (seed >> 16u) % 97u);
        t[i].begin = (seed >> 8u) % 30u;
        t[i].end = t[i].begin + (seed >> 24u) % 12u;
        t[i].offset = 16u * 100u * i;
    }
    d.max_work = 400000;
    d.progress = stop_at;
    d.progress_user = &most;
    T_EQUAL(gsp_memory_pack_run(&r.arena, t, T_COUNT_OF(t), &d, &all, &r.err), GSP_OK);
    T_EQUAL(all.stopped, 0);
    most = 100000;
    T_EQUAL(gsp_memory_pack_run(&r.arena, t, T_COUNT_OF(t), &d, &pack, &r.err), GSP_OK);
    T_EQUAL(pack.stopped, all.work > most);
    T_CHECK(pack.bytes >= all.bytes && pack.work <= all.work);
    most = 0;
    T_EQUAL(gsp_memory_pack_run(&r.arena, t, T_COUNT_OF(t), &d, &pack, &r.err), GSP_OK);
    T_EQUAL(pack.stopped, 1);
    T_CHECK(pack.bytes <= 16u * 100u * T_COUNT_OF(t));
    t_arena_close(&r.arena);
}

/* Parts as graphs of their own: each has the peak that was promised. */
/* Of parts with equal peaks the first is the worst. */
static void test_equal_parts(void)
{
    static const uint32_t part_of[] = {0, 0, 1, 0};
    gsp_liveness_desc d;
    gsp_liveness_result peak;
    ready r;
    memset(&d, 0, sizeof(d));
    d.n_parts = 2;
    d.part_of = part_of;
    if (start(&r, X CALL("a", "%x", "u8[10]") CALL("b", "%a", "u8[10]") "    return b\n") &&
        T_EQUAL(gsp_liveness_run(&r.arena, &r.g, &d, &peak, &r.err), GSP_OK)) {
        T_EQUAL(peak.parts[0].bytes, 20);
        T_EQUAL(peak.parts[1].bytes, 20);
        T_EQUAL(peak.worst, 0);
    }
    stop(&r);
}

static void test_made_parts(void)
{
    static const char text[] = X CALL("a", "%x", "u8[20]") CALL("t", "%a", "tuple(u8[8], u8[9])")
        TAKE("e", "t", "0", "u8[8]") CALL("b", "%e", "u8[12]") TAKE("f", "t", "1", "u8[9]")
            CALL("c", "%b, %f", "u8[3]") CALL("d", "%c, %a", "u8[6]")
                CALL("h", "%d", "u8[2]") "    return (h, b)\n";
    ready r;
    gsp_split_by_memory_desc b;
    gsp_split_by_memory_result budget;
    gsp_split_module_desc d;
    gsp_split_module_result parts;
    gsp_liveness_result peak;
    uint32_t i;
    uint32_t most = 0;
    memset(&b, 0, sizeof(b));
    memset(&d, 0, sizeof(d));
    if (start(&r, text)) {
        for (b.budget = 0; b.budget < 80u; b.budget++) {
            gsp_mark const mark = gsp_arena_mark(&r.arena);
            if (gsp_split_by_memory_run(&r.arena, &r.g, &b, &budget, &r.err) == GSP_OK) {
                d.n_parts = budget.n_parts;
                d.part_of = budget.part_of;
                T_EQUAL(gsp_split_module_run(&r.arena, &r.g, &d, &parts, &r.err), GSP_OK);
                for (i = 0; i < budget.n_parts; i++) {
                    gsp_graph const g = gsp_module_graph(&parts.module, i + 1u);
                    T_EQUAL(gsp_liveness_run(&r.arena, &g, NULL, &peak, &r.err), GSP_OK);
                    T_EQUAL(peak.parts[0].bytes, budget.parts[i].bytes);
                    T_CHECK(peak.parts[0].bytes <= b.budget);
                }
                most = budget.n_parts > most ? budget.n_parts : most;
            }
            gsp_arena_rewind(&r.arena, mark);
        }
        T_CHECK(most >= 3u);
    }
    stop(&r);
}

/* What proves a least boundary is counted, so that the same limit does on every machine. */
static void test_work_of_splits(void)
{
    t_string text = {NULL, 0u, 0u};
    gsp_split_by_memory_desc b;
    gsp_split_by_memory_result budget;
    ready r;
    uint32_t i;
    memset(&b, 0, sizeof(b));
    t_puts(&text, "graph():\n    %n0 : [num_users=1] = placeholder[target=x]  # u8[5]\n");
    for (i = 1; i < 40u; i++) {
        t_puts(&text, "    %n");
        t_number(&text, i);
        t_puts(&text, " : [num_users=1] = call_method[target=f](args = (%n");
        t_number(&text, i - 1u);
        t_puts(&text, ", %n");
        t_number(&text, i * i % 7u < i ? i - 1u - i * i % 7u : 0u);
        t_puts(&text, "), kwargs = {})  # u8[");
        t_number(&text, 1u + i * i % 11u);
        t_puts(&text, "]\n");
    }
    t_puts(&text, "    return n39\n");
    if (start(&r, text.data)) {
        b.budget = 26;
        for (b.max_work = 1; b.max_work < 10000u; b.max_work++) {
            gsp_mark const mark = gsp_arena_mark(&r.arena);
            T_EQUAL(gsp_split_by_memory_run(&r.arena, &r.g, &b, &budget, &r.err), GSP_OK);
            if (budget.proved) {
                break;
            }
            gsp_arena_rewind(&r.arena, mark);
        }
        T_EQUAL(budget.n_parts, 5u);
        T_EQUAL(b.max_work, 23u);
    }
    stop(&r);
    t_free(&text);
}

/* A graph that does not exist is empty; only what copies or executes it wants one. */
static void test_no_graph(void)
{
    ready r;
    gsp_liveness_result peak;
    gsp_memory_plan_result offsets;
    gsp_split_by_memory_desc b;
    gsp_split_by_memory_result budget;
    gsp_exec_plan plan;
    gsp_regions regions;
    gsp_dedup_result dedup;
    memset(&b, 0, sizeof(b));
    if (start(&r, X CALL("a", "%x", "u8[20]") "    return a\n")) {
        r.g = gsp_module_graph(&r.module, GSP_NONE);
        T_EQUAL(r.g.n_nodes, 0);
        T_EQUAL(gsp_liveness_run(&r.arena, &r.g, NULL, &peak, &r.err), GSP_OK);
        T_EQUAL(gsp_memory_plan_run(&r.arena, &r.g, NULL, &offsets, &r.err), GSP_OK);
        T_EQUAL(gsp_split_by_memory_run(&r.arena, &r.g, &b, &budget, &r.err), GSP_OK);
        T_EQUAL(budget.n_parts, 0);
        T_EQUAL(gsp_regions_run(&r.arena, &r.g, NULL, &regions, &r.err), GSP_OK);
        T_EQUAL(regions.n_groups, 0);
        T_EQUAL(regions.dependences.n_nodes, 0);
        T_EQUAL(gsp_dedup_run(&r.arena, &r.g, NULL, &dedup, &r.err), GSP_STATUS_ARG);
        T_EQUAL(r.err.detail, GSP_DETAIL_RANGE);
        T_FIELD(&r.err);
        T_EQUAL(gsp_exec_plan_run(&r.arena, &r.g, NULL, &plan, &r.err), GSP_STATUS_ARG);
        T_EQUAL(r.err.detail, GSP_DETAIL_RANGE);
        T_FIELD(&r.err);
    }
    stop(&r);
}

#define MANY 70000u

/* More tensors than are placed by size alone: every value reads the one before it and another of
 * the `reach` before; one in `lasting` is returned. */
static void many_text(t_string *text, t_rng *rng, uint32_t n, uint32_t reach, uint32_t lasting)
{
    uint32_t i;
    t_puts(text, "graph():\n    %n0 : [num_users=1] = placeholder[target=x]  # u8[5]\n");
    for (i = 1; i < n; i++) {
        uint32_t const back = 1u + t_below(rng, i < reach ? i : reach);
        t_puts(text, "    %n");
        t_number(text, i);
        t_puts(text, " : [num_users=1] = call_function[target=f](args = (%n");
        t_number(text, i - 1u);
        t_puts(text, ", %n");
        t_number(text, i - back);
        t_puts(text, "), kwargs = {})  # u8[");
        t_number(text, 1u + t_below(rng, 9u));
        t_puts(text, "]\n");
    }
    t_puts(text, "    return (n0");
    for (i = lasting; i < n; i += lasting) {
        t_puts(text, ", n");
        t_number(text, i);
    }
    t_puts(text, ",)\n");
}

/* Writes every tensor into an arena at its first step: what it replaces has ended. */
static int is_valid(const gsp_memory_plan_result *plan)
{
    uint32_t *until = (uint32_t *)calloc((size_t)plan->arena + 1u, sizeof(*until));
    uint32_t i;
    uint64_t k;
    int valid = until != NULL;
    for (i = 0; i < plan->n_tensors && valid; i++) { /* in order of time */
        const gsp_tensor *t = &plan->tensors[i];
        valid = t->offset + t->bytes <= plan->arena && (i == 0 || t[-1].begin <= t->begin);
        for (k = t->offset; k < t->offset + t->bytes && valid; k++) {
            valid = until[k] <= t->begin;
            until[k] = t->end + 1u;
        }
    }
    free(until);
    return valid;
}

/* The plan is valid, near the peak, and what it was before. */
static void check_many(uint32_t reach, uint32_t lasting, uint32_t align, uint64_t max_work,
    uint64_t percent, uint64_t size, uint64_t work)
{
    t_rng rng = {reach};
    t_string text = {NULL, 0, 0};
    gsp_memory_plan_desc d;
    gsp_memory_plan_result plan;
    ready r;
    memset(&d, 0, sizeof(d));
    d.align = align;
    d.max_work = max_work;
    many_text(&text, &rng, MANY, reach, lasting);
    if (start(&r, text.data)) {
        t_arena_close(&r.arena);
        t_arena_open(&r.arena, gsp_memory_plan_bound(&r.g, &d));
        T_EQUAL(gsp_memory_plan_run(&r.arena, &r.g, &d, &plan, &r.err), GSP_OK);
        T_CHECK(is_valid(&plan));
        T_CHECK(plan.arena * 100u <= plan.peak * percent);
        T_EQUAL(plan.n_tensors, MANY);
        T_EQUAL(plan.arena, size);
        T_EQUAL(plan.work, work);
    }
    stop(&r);
    t_free(&text);
}

static void test_many(void)
{
    check_many(8, 7, 1, 0, 101, 50606, 60000);       /* near the peak in reverse */
    check_many(300, 50000, 4, 0, 180, 973, 526036);  /* then in order of time */
    check_many(300, 50000, 4, 1, 100000, 126309, 1); /* no work for either */
    check_many(20, 500, 2, 200000, 130, 850, 69860); /* in reverse again */
}

/* Where pairs are many, work grows with the tensors, and plans are near the peak. */
static void test_growing(void)
{
    static const uint32_t sizes[] = {1500, 4000, 10000, 20000};
    uint64_t work = 0;
    for (uint32_t i = 0; i < T_COUNT_OF(sizes); i++) {
        t_rng rng = {7};
        t_string text = {NULL, 0, 0};
        gsp_memory_plan_desc d = {0};
        gsp_memory_plan_result plan;
        ready r;
        d.align = 1;
        many_text(&text, &rng, sizes[i], 40, 20);
        if (start(&r, text.data)) {
            t_arena_close(&r.arena);
            t_arena_open(&r.arena, gsp_memory_plan_bound(&r.g, &d));
            T_EQUAL(gsp_memory_plan_run(&r.arena, &r.g, &d, &plan, &r.err), GSP_OK);
            T_CHECK(plan.n_stacked == 0u && plan.work > work && plan.work < 4u * sizes[i]);
            T_CHECK(plan.arena < plan.peak + plan.peak / 32u);
            work = plan.work;
        }
        stop(&r);
        t_free(&text);
    }
}

/* By time c does not fit below b, by size it does; the rest is a chain. */
static void test_many_by_size(void)
{
    t_string text = {NULL, 0, 0};
    gsp_memory_plan_desc d;
    gsp_memory_plan_result plan;
    ready r;
    uint32_t i;
    memset(&d, 0, sizeof(d));
    d.align = 1;
    t_puts(&text, X CALL("a", "%x", "u8[1000]") CALL("b", "%x", "u8[1000]") CALL("d", "%a", "u8[1]")
                      CALL("c", "%b", "u8[2000]") CALL("n0", "%b, %c, %d", "u8[1]"));
    for (i = 1; i < MANY; i++) {
        t_puts(&text, "    %n");
        t_number(&text, i);
        t_puts(&text, " : [num_users=1] = call_function[target=f](args = (%n");
        t_number(&text, i - 1u);
        t_puts(&text, ",), kwargs = {})  # u8[1]\n");
    }
    t_puts(&text, "    return (n0,)\n");
    if (start(&r, text.data)) {
        t_arena_close(&r.arena);
        t_arena_open(&r.arena, gsp_memory_plan_bound(&r.g, &d));
        T_EQUAL(gsp_memory_plan_run(&r.arena, &r.g, &d, &plan, &r.err), GSP_OK);
        T_CHECK(is_valid(&plan));
        T_EQUAL(plan.peak, 3002);
        T_EQUAL(plan.arena, 3002);
    }
    stop(&r);
    t_free(&text);
}

/* Whatever work is allowed, a plan is valid. Where most tensors are live by themselves, work ends
 * during each way to place them. */
static void test_little_work(void)
{
    t_rng rng = {11u};
    uint32_t above = 0;
    for (uint32_t round = 0; round < (t_fast ? 60u : 150u) && !t_failed(); round++) {
        t_string text = {NULL, 0u, 0u};
        int const apart = round % 5u != 0u;
        ready r;
        t_puts(&text, X);
        for (uint32_t v = 0; v < (apart ? 10u : 24u); v++) {
            t_puts(&text, "    %n");
            t_number(&text, v);
            t_puts(&text, " : [num_users=1] = call_function[target=f](args = (");
            t_puts(&text, apart ? "" : "%x, ");
            for (uint32_t i = 0; i < 2u && v > 0u; i++) {
                t_puts(&text, "%n");
                t_number(&text, v - 1u - t_below(&rng, v < 6u ? v : 6u));
                t_puts(&text, ", ");
            }
            t_puts(&text, "), kwargs = {})  # u8[");
            t_number(&text, 1u + t_below(&rng, 40u));
            t_puts(&text, "]\n");
        }
        for (uint32_t v = 0; v < (apart ? 400u : 0u); v++) {
            t_puts(&text, "    %u");
            t_number(&text, v);
            t_puts(&text,
                " : [num_users=0] = call_function[target=f](args = (), kwargs = {})  # u8[1]\n");
        }
        t_puts(&text, apart ? "    return None\n" : "    return n23\n");
        if (start(&r, text.data)) {
            gsp_memory_plan_desc d;
            gsp_memory_plan_result plan;
            gsp_mark const mark = gsp_arena_mark(&r.arena);
            memset(&d, 0, sizeof(d));
            d.align = 1;
            uint64_t const most = apart ? 1000u : 9000u;
            for (d.max_work = 16; d.max_work < most && !t_failed(); d.max_work += 16u) {
                T_EQUAL(gsp_memory_plan_run(&r.arena, &r.g, &d, &plan, &r.err), GSP_OK);
                T_CHECK(is_valid(&plan) && plan.arena >= plan.peak);
                above += plan.arena > plan.peak;
                gsp_arena_rewind(&r.arena, mark);
            }
        }
        stop(&r);
        t_free(&text);
    }
    T_CHECK(above > 0u);
}

/* Beside its aggregate the getitem would run while %x is live, and need more than the graph. */
static void test_budget_of_the_graph(void)
{
    static const uint64_t scratch[5] = {0, 0, 0, 9, 0};
    gsp_split_by_memory_desc desc = {0};
    gsp_split_by_memory_result r;
    gsp_arena arena;
    gsp_arena room;
    gsp_module m;
    if (t_must_read(&arena,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]  # u8[3]\n"
            "    %a : [num_users=3] = call_function[target=f](args = (), kwargs = {})"
            "  # tuple(u8[8], u8[2])\n"
            "    %b : [num_users=0] = call_function[target=f](args = (%x, %a), kwargs = {})"
            "  # u8[0]\n"
            "    %c : [num_users=0] = call_function[target=operator.getitem](args = (%a, 0), "
            "kwargs = "
            "{})  # u8[8]\n"
            "    return a\n",
            &m)) {
        gsp_graph const g = gsp_module_graph(&m, 0u);
        desc.scratch = scratch;
        desc.budget = 19u;
        t_arena_open(&room, gsp_split_by_memory_bound(&g, &desc));
        if (T_EQUAL(gsp_split_by_memory_run(&room, &g, &desc, &r, NULL), GSP_OK)) {
            T_EQUAL(r.n_parts, 1);
            T_EQUAL(r.parts[0].bytes, 19u);
            T_EQUAL(r.parts[0].node, 3);
            T_EQUAL(r.parts[0].step, 1); /* of nodes[]: a, c, b */
        }
        t_arena_close(&room);
    }
    t_arena_close(&arena);
}

void suite_unit_memory_plan(void)
{
    t_run("by_hand", test_by_hand);
    t_run("elements", test_elements);
    t_run("constants", test_constants);
    t_run("statuses", test_statuses);
    t_run("wrong_orders", test_wrong_orders);
    t_run("orders", test_orders);
    t_run("in_place", test_in_place);
    t_run("sums", test_sums);
    t_run("pack_statuses", test_pack_statuses);
    t_run("pack_fixed", test_pack_fixed);
    t_run("check", test_check);
    t_run("pack_progress", test_pack_progress);
    t_run("work_of_splits", test_work_of_splits);
    t_run("no_graph", test_no_graph);
    t_run("equal_parts", test_equal_parts);
    t_run("made_parts", test_made_parts);
    t_run("many", test_many);
    t_run("growing", test_growing);
    t_run("many_by_size", test_many_by_size);
    t_run("little_work", test_little_work);
    t_run("budget_of_the_graph", test_budget_of_the_graph);
}
