/* Costs in ticks, what stages take, other orders, and the optimal stages of the literature. */
#include "examples/extra/graphsplit_stages.h"
#include "tests/t.h"

/* ---- a chain with given times ---- */

typedef struct chain {
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    uint64_t time[32];
    uint64_t move[32];
    uint64_t stash[32];
    gsp_costs costs;
} chain;

/* Node i + 1 of the graph is layer i. */
static int open_chain(chain *c, const uint64_t *forward, uint32_t n)
{
    t_string text = {NULL, 0u, 0u};
    uint32_t i;
    int good;
    memset(c, 0, sizeof(*c));
    t_puts(&text, "graph():\n    %l : [num_users=1] = placeholder[target=x]  # f32[1]\n");
    for (i = 0; i < n; i++) {
        t_puts(&text, "    %l_");
        t_number(&text, i);
        t_puts(&text, " : [num_users=1] = call_function[target=f](args = (%l");
        t_puts(&text, i > 0u ? "_" : "");
        if (i > 0u) {
            t_number(&text, i - 1u);
        }
        t_puts(&text, ",), kwargs = {})  # f32[1]\n");
        c->time[i + 1u] = 3u * forward[i];
    }
    t_puts(&text, "    return None\n");
    good = t_must_read(&c->arena, text.data, &c->module);
    c->graph = good ? gsp_module_graph(&c->module, 0u) : c->graph;
    c->costs.n_nodes = n + 2u;
    c->costs.time = c->time;
    c->costs.move = c->move;
    c->costs.stash = c->stash;
    t_free(&text);
    return good;
}

static gsp_status optimal(chain *c, const gsp_stages_optimal_desc *d, gsp_arena *arena,
    gsp_stages_optimal_result *r, gsp_error *err)
{
    t_arena_open(arena, gsp_stages_optimal_bound(&c->graph, d));
    return gsp_stages_optimal_run(arena, &c->graph, d, r, err);
}

/* Backward takes twice as long as forward; `ends` are the last layers of the stages. */
static void check_plan(
    const uint64_t *forward, uint32_t n, const uint32_t *ends, uint32_t n_stages, uint64_t slowest)
{
    gsp_stages_optimal_desc d;
    gsp_stages_optimal_result r;
    gsp_arena arena;
    chain c;
    memset(&d, 0, sizeof(d));
    if (open_chain(&c, forward, n)) {
        uint32_t carried;
        for (carried = 0; carried < 2u; carried++) {
            d.n_devices = n_stages;
            d.model.costs = &c.costs;
            d.model.carried = carried;
            if (T_EQUAL(optimal(&c, &d, &arena, &r, NULL), GSP_OK)) {
                uint32_t stage = 0u;
                uint32_t i;
                T_EQUAL(r.n_stages, n_stages);
                T_EQUAL(r.objective, 3u * slowest);
                T_EQUAL(r.proved, 1);
                for (i = 0; i < n; i++) {
                    T_EQUAL(r.stage_of[i + 1u], stage);
                    stage += i == ends[stage] ? 1u : 0u;
                }
            }
            t_arena_close(&arena);
        }
    }
    t_arena_close(&c.arena);
}

static void test_published_plans(void)
{
    static const uint64_t e37[] = {1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000};
    static const uint32_t e37_ends[] = {3, 5, 6, 7};
    static const uint64_t e38[] = {1170, 2846, 1146, 4254, 2199, 1289, 6888, 2312};
    static const uint32_t e38_ends[] = {2, 5, 6, 7};
    static const uint64_t e39[] = {8, 11, 2, 1, 18, 5, 4, 11};
    static const uint32_t e39_ends[] = {0, 3, 4, 7};
    static const uint64_t e40[] = {
        3084, 4757, 4139, 1960, 6283, 2830, 3507, 6252, 6451, 2029, 5175, 5108};
    static const uint32_t e40_ends[] = {1, 3, 4, 6, 7, 8, 10, 11};
    static const uint64_t e41[] = {3424614582864, 6186943846406, 6099927589441, 4961141868353,
        6808911722949, 1723089387674, 6387281953781, 5278282850207, 6543029278476, 3135416417038,
        2027661282943, 2940059633160};
    static const uint32_t e41_ends[] = {1, 2, 3, 4, 6, 7, 8, 11};
    check_plan(e37, 8u, e37_ends, 4u, 11000u);
    check_plan(e38, 8u, e38_ends, 4u, 7742u);
    check_plan(e39, 8u, e39_ends, 4u, 20u);
    check_plan(e40, 12u, e40_ends, 8u, 7841u);
    check_plan(e41, 12u, e41_ends, 8u, 9611558429270u);
}

static const uint64_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};

static void test_memory(void)
{
    gsp_stages_optimal_desc d;
    gsp_stages_optimal_result r;
    gsp_arena arena;
    gsp_error err;
    chain c;
    uint32_t i;
    memset(&d, 0, sizeof(d));
    if (open_chain(&c, ones, 8u)) {
        for (i = 1; i <= 8u; i++) {
            c.stash[i] = 10u;
        }
        d.n_devices = 2u;
        d.model.costs = &c.costs;
        d.model.microbatches = 8u;
        d.memory = 40u;
        T_EQUAL(optimal(&c, &d, &arena, &r, &err), GSP_STATUS_NO_FIT);
        T_EQUAL(err.detail, GSP_DETAIL_MEMORY);
        T_EQUAL(err.need, 60);
        T_EQUAL(err.limit, 40);
        t_arena_close(&arena);
        d.memory = 60u; /* two microbatches of three nodes, one of five and of what enters */
        if (T_EQUAL(optimal(&c, &d, &arena, &r, &err), GSP_OK)) {
            T_EQUAL(r.objective, 15);
            T_EQUAL(r.stage_of[3], 0);
            T_EQUAL(r.stage_of[4], 1);
        }
        t_arena_close(&arena);
    }
    t_arena_close(&c.arena);
}

/* More stages than nodes, none at all, interleaved ones, and work that ends early. */
static void test_edges(void)
{
    gsp_stages_optimal_desc d;
    gsp_stages_optimal_result r;
    gsp_arena arena;
    chain c;
    memset(&d, 0, sizeof(d));
    if (open_chain(&c, ones, 8u)) {
        d.model.costs = &c.costs;
        d.n_devices = 4000000000u;
        if (T_EQUAL(optimal(&c, &d, &arena, &r, NULL), GSP_OK)) {
            T_EQUAL(r.n_stages, 8);
            T_EQUAL(r.objective, 3);
        }
        t_arena_close(&arena);
        d.n_devices = 2u;
        d.n_chunks = 2u;
        d.model.first_time = 100u;
        if (T_EQUAL(optimal(&c, &d, &arena, &r, NULL), GSP_OK)) {
            T_EQUAL(r.n_stages, 4);
            T_EQUAL(r.stage_of[1], 0);
            T_EQUAL(r.stage_of[2], 1);
            T_EQUAL(r.objective, 103);
        }
        t_arena_close(&arena);
        d.n_chunks = 1u;
        d.model.first_time = 0u;
        c.move[4] = 50u;
        d.max_work = 1u;
        if (T_EQUAL(optimal(&c, &d, &arena, &r, NULL), GSP_OK)) {
            T_EQUAL(r.proved, 0);
            T_CHECK(r.lower_bound <= r.objective && r.lower_bound >= 12u);
            T_CHECK(r.objective <= r.reference);
        }
        t_arena_close(&arena);
    }
    t_arena_close(&c.arena);
    if (open_chain(&c, ones, 8u)) {
        d.model.costs = &c.costs;
        c.costs.time = c.costs.move = NULL; /* everything takes no time */
        if (T_EQUAL(optimal(&c, &d, &arena, &r, NULL), GSP_OK)) {
            T_EQUAL(r.objective, 0);
            T_EQUAL(r.reference, 0);
        }
        t_arena_close(&arena);
    }
    t_arena_close(&c.arena);
    if (open_chain(&c, ones, 0u)) {
        d.model.costs = &c.costs;
        if (T_EQUAL(optimal(&c, &d, &arena, &r, NULL), GSP_OK)) {
            T_EQUAL(r.n_stages, 0);
            T_EQUAL(r.objective, 0);
            T_EQUAL(r.proved, 1);
            T_EQUAL(r.stage_of[0], GSP_NONE);
        }
        t_arena_close(&arena);
    }
    t_arena_close(&c.arena);
}

static void test_stages_errors(void)
{
    static const uint32_t rising[] = {1, 2};
    static const uint32_t begin[] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const uint32_t items[] = {5};
    static const uint64_t bytes[] = {1};
    gsp_stages_optimal_desc d;
    gsp_stages_optimal_result r;
    gsp_arena arena;
    gsp_error err;
    chain c;
    memset(&d, 0, sizeof(d));
    if (open_chain(&c, ones, 8u)) {
        d.n_devices = 2u;
        T_EQUAL(optimal(&c, &d, &arena, &r, &err), GSP_STATUS_ARG);
        T_EQUAL(err.detail, GSP_DETAIL_NULL_ARGUMENT);
        T_FIELD(&err);
        t_arena_close(&arena);
        d.model.costs = &c.costs;
        d.model.held = rising;
        T_EQUAL(optimal(&c, &d, &arena, &r, &err), GSP_STATUS_ARG);
        T_EQUAL(err.detail, GSP_DETAIL_HELD);
        T_EQUAL(err.node, 1);
        t_arena_close(&arena);
        d.model.held = NULL;
        c.costs.n_nodes = 3u;
        T_EQUAL(optimal(&c, &d, &arena, &r, &err), GSP_STATUS_ARG);
        T_EQUAL(err.detail, GSP_DETAIL_COSTS);
        t_arena_close(&arena);
        c.costs.n_nodes = 10u;
        c.costs.item_begin = begin;
        c.costs.items = items;
        c.costs.item_bytes = bytes;
        c.costs.n_items = 1u;
        T_EQUAL(optimal(&c, &d, &arena, &r, &err), GSP_STATUS_ARG);
        T_EQUAL(err.detail, GSP_DETAIL_COSTS);
        T_EQUAL(err.node, 0);
        t_arena_close(&arena);
        c.costs.item_begin = NULL;
        c.time[3] = UINT64_MAX / 2u;
        T_EQUAL(optimal(&c, &d, &arena, &r, &err), GSP_STATUS_OVERFLOW);
        T_EQUAL(err.detail, GSP_DETAIL_SIZE);
        T_EQUAL(err.node, 3);
        t_arena_close(&arena);
        c.time[3] = UINT64_MAX / 64u; /* as bytes for each microbatch in flight it is too much */
        c.costs.stash = c.time;
        T_EQUAL(optimal(&c, &d, &arena, &r, &err), GSP_OK);
        t_arena_close(&arena);
        d.model.microbatches = 2u;
        T_EQUAL(optimal(&c, &d, &arena, &r, &err), GSP_STATUS_OVERFLOW);
        T_EQUAL(err.node, 3);
        t_arena_close(&arena);
    }
    t_arena_close(&c.arena);
}

/* ---- stage costs ---- */

static int all_are(const unsigned char *bytes, size_t n, unsigned char value)
{
    size_t i = 0u;
    while (i < n && bytes[i] == value) {
        i++;
    }
    return i == n;
}

static void test_stage_cost_errors(void)
{
    static const uint64_t stash[10] = {0, 0, 0, UINT64_MAX / 20u, 0, 0, 0, 0, 0, 0};
    uint32_t stage_of[10] = {GSP_NONE, 0, 0, 1, 1, 0, 0, 0, 0, GSP_NONE};
    gsp_stage_costs_desc d;
    gsp_stage_costs_result r;
    gsp_arena arena;
    gsp_arena none;
    gsp_error err;
    chain c;
    memset(&d, 0, sizeof(d));
    gsp_arena_init(&none, NULL, 0u);
    t_arena_open(&arena, 65536u);
    if (open_chain(&c, ones, 8u)) {
        d.n_stages = 2u;
        d.model.costs = &c.costs;
        T_EQUAL(gsp_stage_costs_run(&arena, &c.graph, &d, &r, &err), GSP_STATUS_ARG);
        T_EQUAL(err.detail, GSP_DETAIL_NULL_ARGUMENT);
        T_FIELD(&err);
        d.stage_of = stage_of;
        T_EQUAL(gsp_stage_costs_run(&arena, &c.graph, &d, &r, &err), GSP_STATUS_ARG);
        T_EQUAL(err.detail, GSP_DETAIL_STAGE);
        T_EQUAL(err.node, 5);
        T_EQUAL(err.other, 4);
        stage_of[5] = 2u;
        T_EQUAL(gsp_stage_costs_run(&arena, &c.graph, &d, &r, &err), GSP_STATUS_ARG);
        T_EQUAL(err.node, 5);
        T_EQUAL(err.other, GSP_NONE);
        memset(stage_of + 1, 0, 8u * sizeof(uint32_t));
        stage_of[c.graph.n_nodes - 1u] = 1u; /* the output is in no stage */
        T_EQUAL(gsp_stage_costs_run(&arena, &c.graph, &d, &r, &err), GSP_STATUS_ARG);
        T_EQUAL(err.node, c.graph.n_nodes - 1u);
        stage_of[c.graph.n_nodes - 1u] = GSP_NONE;
        c.time[2] = UINT64_MAX - 1u;
        T_EQUAL(gsp_stage_costs_run(&none, &c.graph, &d, &r, &err), GSP_STATUS_OVERFLOW);
        T_EQUAL(err.detail, GSP_DETAIL_SIZE);
        T_EQUAL(err.node, 2);
        c.time[2] = 0u;
        d.model.first_time = UINT64_MAX;
        T_EQUAL(gsp_stage_costs_run(&none, &c.graph, &d, &r, &err), GSP_STATUS_OVERFLOW);
        d.model.first_time = 0u;
        d.model.microbatches = 2u; /* bytes of the stash, times 2 */
        c.costs.stash = stash;
        T_EQUAL(gsp_stage_costs_run(&none, &c.graph, &d, &r, &err), GSP_STATUS_OVERFLOW);
        T_EQUAL(err.node, 3);
        c.costs.stash = NULL;
        d.model.microbatches = 0u;
        T_EQUAL(gsp_stage_costs_run(&none, &c.graph, &d, &r, &err), GSP_STATUS_NOMEM);
        c.time[2] = 0u;
        if (T_EQUAL(gsp_stage_costs_run(&arena, &c.graph, &d, &r, &err), GSP_OK)) {
            T_EQUAL(r.slowest, 0);
            T_EQUAL(r.stages[0].time, 21);
            T_EQUAL(r.stages[1].n_nodes, 0);
            T_EQUAL(r.stages[1].time, 0);
            T_EQUAL(r.greatest, 0);
        }
        memset(c.time, 0, sizeof(c.time));
        if (T_EQUAL(gsp_stage_costs_run(&arena, &c.graph, &d, &r, &err), GSP_OK)) {
            T_EQUAL(r.slowest, 0);
            T_EQUAL(r.greatest, 0);
        }
    }
    t_arena_close(&c.arena);
    t_arena_close(&arena);
}

/* A pointer that may be NULL beside a count: without rows the number of items says nothing, and
 * nothing is written behind the arena. */
static void test_null_beside_count(void)
{
    static const uint32_t stage_of[10] = {GSP_NONE, 0, 0, 0, 0, 1, 1, 1, 1, GSP_NONE};
    uint32_t begin[11] = {0};
    size_t const guard = 8192u;
    gsp_stages_optimal_desc best;
    gsp_stages_optimal_result plan;
    gsp_stage_costs_desc d;
    gsp_stage_costs_result r;
    gsp_arena arena;
    gsp_error err;
    chain c;
    memset(&d, 0, sizeof(d));
    memset(&best, 0, sizeof(best));
    d.n_stages = 2u;
    best.n_devices = 2u;
    if (open_chain(&c, ones, 8u)) {
        size_t const bound_costs = gsp_stage_costs_bound(&c.graph, &d);
        size_t const bound_best = gsp_stages_optimal_bound(&c.graph, &best);
        size_t const most = bound_costs > bound_best ? bound_costs : bound_best;
        unsigned char *block = (unsigned char *)t_alloc(most + guard);
        d.stage_of = stage_of;
        d.model.costs = &c.costs;
        best.model.costs = &c.costs;
        c.costs.n_items = 1500u;
        memset(block, 0x77, most + guard);
        gsp_arena_init(&arena, block, bound_costs);
        T_EQUAL(gsp_stage_costs_run(&arena, &c.graph, &d, &r, &err), GSP_OK);
        T_EQUAL(r.stages[0].params, 0);
        T_CHECK(all_are(block + bound_costs, most + guard - bound_costs, 0x77u));
        free(block);
        block = (unsigned char *)t_alloc(most + guard);
        memset(block, 0x77, most + guard);
        gsp_arena_init(&arena, block, bound_best);
        T_EQUAL(gsp_stages_optimal_run(&arena, &c.graph, &best, &plan, &err), GSP_OK);
        T_CHECK(all_are(block + bound_best, most + guard - bound_best, 0x77u));
        c.costs.item_begin = begin; /* rows, but no bytes of items */
        c.costs.n_items = 1u;
        gsp_arena_init(&arena, block, most);
        T_EQUAL(gsp_stage_costs_run(&arena, &c.graph, &d, &r, &err), GSP_STATUS_ARG);
        T_EQUAL(err.detail, GSP_DETAIL_NULL_ARGUMENT);
        T_FIELD(&err);
        T_EQUAL(gsp_stages_optimal_run(&arena, &c.graph, &best, &plan, &err), GSP_STATUS_ARG);
        T_EQUAL(err.detail, GSP_DETAIL_NULL_ARGUMENT);
        T_FIELD(&err);
        c.costs.item_bytes = c.time; /* rows that read items, but no items */
        begin[10] = 1u;
        T_EQUAL(gsp_stage_costs_run(&arena, &c.graph, &d, &r, &err), GSP_STATUS_ARG);
        T_EQUAL(err.detail, GSP_DETAIL_COSTS);
        T_EQUAL(err.node, 9);
        T_EQUAL(arena.low + arena.high, 0);
        free(block);
    }
    t_arena_close(&c.arena);
}

/* Sums and products that 64 bits do not hold are refused, and none wraps. */
static void test_no_sum_wraps(void)
{
    static const uint64_t wraps[] = {UINT64_MAX, 1};
    static const uint64_t large[] = {(uint64_t)1u << 40, 0};
    static const uint32_t begin[11] = {0};
    gsp_stages_optimal_desc d;
    gsp_stages_optimal_result r;
    gsp_arena none;
    gsp_error err;
    chain c;
    memset(&d, 0, sizeof(d));
    gsp_arena_init(&none, NULL, 0u);
    if (open_chain(&c, ones, 8u)) {
        d.model.costs = &c.costs;
        d.model.first_time = UINT64_MAX;
        d.model.last_time = 1u;
        T_EQUAL(gsp_stages_optimal_run(&none, &c.graph, &d, &r, &err), GSP_STATUS_OVERFLOW);
        T_EQUAL(err.detail, GSP_DETAIL_SIZE);
        d.model.first_time = 0u;
        c.costs.item_begin = begin;
        c.costs.n_items = 2u;
        c.costs.item_bytes = wraps;
        T_EQUAL(gsp_stages_optimal_run(&none, &c.graph, &d, &r, &err), GSP_STATUS_OVERFLOW);
        T_EQUAL(err.detail, GSP_DETAIL_SIZE);
        c.costs.item_bytes = large;
        d.model.copies = (uint32_t)1u << 31;
        T_EQUAL(gsp_stages_optimal_run(&none, &c.graph, &d, &r, &err), GSP_STATUS_OVERFLOW);
        T_EQUAL(err.detail, GSP_DETAIL_SIZE);
        d.model.copies = 2u; /* now the arena is too small, for who asks why and who does not */
        T_EQUAL(gsp_stages_optimal_run(&none, &c.graph, &d, &r, &err), GSP_STATUS_NOMEM);
        T_EQUAL(err.need, gsp_stages_optimal_bound(&c.graph, &d));
        T_EQUAL(gsp_stages_optimal_run(&none, &c.graph, &d, &r, NULL), GSP_STATUS_NOMEM);
        d.goal = (uint32_t)GSP_STAGES_OPTIMAL_COUNT;
        T_EQUAL(gsp_stages_optimal_run(&none, &c.graph, &d, &r, NULL), GSP_STATUS_DESC);
    }
    t_arena_close(&c.arena);
}

/* A marker is in no stage and costs nothing; of another target it is a node as any. */
static void test_marker(void)
{
    static const uint64_t time[] = {0, 5, 100, 7, 0};
    gsp_stages_optimal_desc d;
    gsp_stages_optimal_result r;
    gsp_arena arena;
    chain c;
    memset(&c, 0, sizeof(c));
    memset(&d, 0, sizeof(d));
    if (t_must_read(&c.arena,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[1]\n"
            "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})\n"
            "    %m : [num_users=0] = call_function[target=" GSP_STAGES_MARKER
            "](args = (), kwargs = {})\n"
            "    %b : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})\n"
            "    return b\n",
            &c.module)) {
        c.graph = gsp_module_graph(&c.module, 0u);
        c.costs.n_nodes = c.graph.n_nodes;
        c.costs.time = time;
        d.model.costs = &c.costs;
        d.n_devices = 3u;
        if (T_EQUAL(optimal(&c, &d, &arena, &r, NULL), GSP_OK)) {
            T_EQUAL(r.n_stages, 2);
            T_EQUAL(r.objective, 7);
            T_EQUAL(r.stage_of[2], GSP_NONE);
            T_EQUAL(r.stage_of[3], 1);
        }
        t_arena_close(&arena);
        d.marker = "other";
        if (T_EQUAL(optimal(&c, &d, &arena, &r, NULL), GSP_OK)) {
            T_EQUAL(r.n_stages, 3);
            T_EQUAL(r.objective, 100);
            T_EQUAL(r.stage_of[2], 1);
        }
        t_arena_close(&arena);
    }
    t_arena_close(&c.arena);
}

/* ---- costs ---- */

#define NODE "graph():\n    %a : [num_users=1] = call_module[target=m](args = (), kwargs = {})  # "

static gsp_status costs_of(
    const char *note, const gsp_costs_desc *d, uint64_t *time, uint64_t *move, gsp_error *err)
{
    t_string text = {NULL, 0u, 0u};
    gsp_status status = GSP_OK;
    gsp_arena arena;
    gsp_arena own;
    gsp_module module;
    t_puts(&text, NODE);
    t_puts(&text, note);
    t_puts(&text, "\n    return a\n");
    if (t_must_read(&arena, text.data, &module)) {
        gsp_graph const g = gsp_module_graph(&module, 0u);
        gsp_costs costs;
        t_arena_open(&own, gsp_costs_bound(&g));
        status = gsp_costs_run(&own, &g, d, &costs, err);
        *time = status == GSP_OK ? costs.time[0] : 0u;
        *move = status == GSP_OK ? costs.move[0] : 0u;
        t_arena_close(&own);
    }
    t_arena_close(&arena);
    t_free(&text);
    return status;
}

static void check_ticks(
    const char *note, uint64_t ticks, uint64_t bandwidth, uint64_t time, uint64_t move, int line)
{
    gsp_costs_desc d;
    uint64_t found_time;
    uint64_t found_move;
    memset(&d, 0, sizeof(d));
    d.ticks = ticks;
    d.bandwidth = bandwidth;
    t_check_equal(
        (uint64_t)costs_of(note, &d, &found_time, &found_move, NULL), GSP_OK, __FILE__, line, note);
    t_check_equal(found_time, time, __FILE__, line, note);
    t_check_equal(found_move, move, __FILE__, line, note);
}
#define TICKS(note, ticks, bandwidth, time, move) \
    check_ticks((note), (ticks), (bandwidth), (time), (move), __LINE__)

/* Half a tick goes up; doubles are what they are: 0.1 lies a little above a tenth. */
static void test_ticks(void)
{
    TICKS("f32[1]", 0, 0, 0, 0);
    TICKS("f32[1] compute=1 comm=0.5", 0, 0, 1000000000u, 500000000u);
    TICKS("f32[1] compute=1.5000001e-9 comm=1.4999999e-9", 0, 0, 2, 1);
    TICKS("f32[1] compute=0.5 comm=0.25", 1, 0, 1, 0);
    TICKS("f32[1] compute=0.49999999999999994 comm=5e-324", 1, 0, 0, 0);
    TICKS("f32[1] compute=5e-324 comm=1e-300", UINT64_MAX, 0, 0, 0);
    TICKS("f32[1] compute=4503599627370497.5 comm=9007199254740993", 1, 0, 4503599627370498u,
        9007199254740992u);
    TICKS("f32[1] compute=0.1", 1000000000000000000u, 0, 100000000000000006u, 0);
    TICKS("f32[1] compute=18446744073709549568", 1, 0, 18446744073709549568u, 0);
    TICKS("f32[1] compute=0.0002", 1000000000u, 0, 200000u, 0);
    TICKS("bytes=1000", 0, 1000, 0, 1000000000u);
    TICKS("bytes=3", 1, 2, 0, 2);
    TICKS("bytes=5 comm=7", 1, 2, 0, 7);
    TICKS("bytes=7", 3, 5, 0, 4);
    TICKS("bytes=18446744073709551615", 1000000000, UINT64_MAX, 0, 1000000000u);
}

/* Nodes of one parameter are one item, of the bytes of the first. */
static void test_cost_of_one_parameter(void)
{
    gsp_arena arena;
    gsp_arena own;
    gsp_module module;
    if (t_must_read(&arena,
            "graph():\n    %v : [num_users=1] = get_attr[target=w]  # f32[4]\n"
            "    %w : [num_users=1] = get_attr[target=w]  # f32[8]\n"
            "    %a : [num_users=1] = call_function[target=f](args = (%v,), kwargs = {})\n"
            "    %b : [num_users=1] = call_function[target=f](args = (%w,), kwargs = {})\n"
            "    return (a, b)\n",
            &module)) {
        gsp_graph const g = gsp_module_graph(&module, 0u);
        gsp_costs costs;
        t_arena_open(&own, gsp_costs_bound(&g));
        if (T_EQUAL(gsp_costs_run(&own, &g, NULL, &costs, NULL), GSP_OK) &&
            T_EQUAL(costs.n_items, 1) && T_EQUAL(costs.item_begin[4], 2)) {
            T_EQUAL(costs.item_bytes[0], 16);
            T_CHECK(costs.items[0] == 0u && costs.items[1] == 0u);
        }
        t_arena_close(&own);
    }
    t_arena_close(&arena);
}

static void test_cost_errors(void)
{
    gsp_costs_desc d;
    gsp_error err;
    uint64_t time;
    uint64_t move;
    memset(&d, 0, sizeof(d));
    T_EQUAL(costs_of("f32[1] compute=-1", NULL, &time, &move, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_LATENCY);
    T_EQUAL(err.node, 0);
    T_EQUAL(costs_of("f32[1] comm=nan", NULL, &time, &move, &err), GSP_STATUS_ARG);
    T_EQUAL(costs_of("f32[1] comm=inf", NULL, &time, &move, &err), GSP_STATUS_ARG);
    T_EQUAL(costs_of("f32[1] compute=1e11", NULL, &time, &move, &err), GSP_STATUS_OVERFLOW);
    T_EQUAL(err.detail, GSP_DETAIL_SIZE);
    T_EQUAL(costs_of("f32[1] compute=1e308", NULL, &time, &move, &err), GSP_STATUS_OVERFLOW);
    d.ticks = 1u;
    T_EQUAL(costs_of("f32[1] compute=1e40", &d, &time, &move, &err), GSP_STATUS_OVERFLOW);
    T_EQUAL(costs_of("f32[1] compute=73786976294838206464", &d, &time, &move, &err),
        GSP_STATUS_OVERFLOW); /* 2^66 */
    d.ticks = 1000000000u;
    T_EQUAL(costs_of("f32[1] compute=1e17", &d, &time, &move, &err), GSP_STATUS_OVERFLOW);
    d.ticks = 0u;
    d.scale = 4u;
    T_EQUAL(costs_of("f32[1] compute=9e9", &d, &time, &move, &err), GSP_STATUS_OVERFLOW);
    d.scale = UINT32_MAX;
    d.ticks = 4294967297u; /* the scale times this is 2^64 - 1, which is no time */
    T_EQUAL(costs_of("f32[1] compute=1", &d, &time, &move, &err), GSP_STATUS_OVERFLOW);
    d.ticks--;
    T_EQUAL(costs_of("f32[1] compute=1", &d, &time, &move, &err), GSP_OK);
    T_EQUAL(time, (uint64_t)UINT32_MAX << 32);
    d.ticks = 0;
    d.scale = 4u;
    d.bandwidth = 1u;
    T_EQUAL(costs_of("bytes=20000000000", &d, &time, &move, &err), GSP_STATUS_OVERFLOW);
    d.end_canary = 1u;
    T_EQUAL(costs_of("f32[1]", &d, &time, &move, &err), GSP_STATUS_DESC);
}

/* ---- orders ---- */

#define ROW(name, args) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args ",), kwargs = {})\n"

static void check_order(const gsp_graph *g, gsp_topo_order_desc d)
{
    gsp_topo_order_result r;
    uint32_t at[64];
    gsp_arena arena;
    gsp_node v;
    memset(at, 0xFF, sizeof(at));
    t_arena_open(&arena, gsp_topo_order_bound(g, &d));
    if (T_EQUAL(gsp_topo_order_run(&arena, g, &d, &r, NULL), GSP_OK)) {
        T_EQUAL(r.n_nodes, g->n_nodes);
        for (v = 0; v < g->n_nodes; v++) {
            T_EQUAL(at[r.order[v]], GSP_NONE);
            at[r.order[v]] = v;
            T_CHECK(d.kind != GSP_TOPO_ORDER_LEAST || d.backward || r.order[v] == v);
        }
        for (v = 0; v < g->n_nodes; v++) {
            uint32_t count;
            uint32_t i;
            const gsp_node *inputs = gsp_node_inputs(g, v, &count);
            for (i = 0; i < count; i++) {
                T_CHECK(at[inputs[i]] < at[v]);
            }
        }
    }
    t_arena_close(&arena);
}

/* Every kind, both sides, three seeds, on random graphs: all nodes once, inputs first. */
static void test_topo_orders(void)
{
    t_rng rng;
    uint32_t round;
    rng.state = t_seed;
    for (round = 0; round < (t_fast ? 50u : 500u) && !t_failed(); round++) {
        t_string text = {NULL, 0u, 0u};
        uint32_t const n = t_below(&rng, 20u);
        gsp_arena arena;
        gsp_module module;
        uint32_t i;
        t_puts(&text, "graph():\n    %l_0 : [num_users=1] = placeholder[target=x]\n");
        for (i = 1; i <= n; i++) {
            t_puts(&text, "    %l_");
            t_number(&text, i);
            t_puts(&text, " : [num_users=1] = call_function[target=f](args = (%l_");
            t_number(&text, t_below(&rng, i));
            t_puts(&text, ", %l_");
            t_number(&text, t_below(&rng, i));
            t_puts(&text, "), kwargs = {})\n");
        }
        t_puts(&text, "    return l_0\n");
        if (t_must_read(&arena, text.data, &module)) {
            gsp_graph const g = gsp_module_graph(&module, 0u);
            gsp_topo_order_desc d;
            memset(&d, 0, sizeof(d));
            for (i = 0; i < 24u; i++) {
                d.kind = i % 4u;
                d.backward = i / 4u % 2u;
                d.seed = i / 8u;
                check_order(&g, d);
            }
        }
        t_arena_close(&arena);
        t_free(&text);
    }
}

/* Calls of 1, 4 and 3 ticks, of which the third reads the first: 5 in graph order, and 4 where the
 * second comes last. A mutation or a barrier leaves graph order alone. */
static void check_effect(const char *of_x, const char *of_b, uint64_t objective, uint32_t order)
{
    gsp_costs_desc ticks;
    gsp_stages_optimal_desc d;
    gsp_stages_optimal_result r;
    gsp_arena arena;
    gsp_arena own;
    gsp_module module;
    t_string text = {NULL, 0u, 0u};
    memset(&ticks, 0, sizeof(ticks));
    memset(&d, 0, sizeof(d));
    t_puts(&text, "graph():\n    %x : [num_users=2] = placeholder[target=x]");
    t_puts(&text, of_x);
    t_puts(&text,
        "\n"
        "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # compute=1\n"
        "    %b : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # compute=4");
    t_puts(&text, of_b);
    t_puts(&text, "\n    %c : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})  "
                  "# compute=3\n"
                  "    return (b, c)\n");
    if (t_must_read(&arena, text.data, &module)) {
        gsp_graph const g = gsp_module_graph(&module, 0u);
        gsp_costs costs;
        ticks.ticks = 1;
        d.n_devices = 2;
        d.n_orders = 2;
        d.model.costs = &costs;
        t_arena_open(&own, gsp_costs_bound(&g) + gsp_stages_optimal_bound(&g, &d));
        T_EQUAL(gsp_costs_run(&own, &g, &ticks, &costs, NULL), GSP_OK);
        if (T_EQUAL(gsp_stages_optimal_run(&own, &g, &d, &r, NULL), GSP_OK)) {
            T_EQUAL(r.objective, objective);
            T_EQUAL(r.order, order);
        }
        t_arena_close(&own);
    }
    t_arena_close(&arena);
    t_free(&text);
}

static void test_orders_of_effects(void)
{
    check_effect("", "", 4, 1);
    check_effect("", " mutates=0", 5, 0);
    check_effect("", " barrier=1", 5, 0);
    check_effect("  # barrier=1", "", 5, 0);
}

/* Depth first, without a seed: inputs in the order of the arguments, each before the next one is
 * looked at; backward, the same from the users' side. */
static void test_depth_first(void)
{
    static const char text[] = "graph():\n"
                               "    %x : [num_users=4] = placeholder[target=x]\n" ROW("a", "%x")
                                   ROW("b", "%x") ROW("c", "%x") ROW("d", "%c, %a, %b")
                                       ROW("e", "%b, %x") ROW("f", "%e, %d") "    return f\n";
    static const char *const expected[] = {"xbecadf", "xcbeadf"};
    gsp_arena arena;
    gsp_module module;
    uint32_t i;
    if (t_must_read(&arena, text, &module)) {
        gsp_graph const g = gsp_module_graph(&module, 0u);
        for (i = 0; i < 2u; i++) {
            gsp_topo_order_desc d = {0u, GSP_TOPO_ORDER_DEPTH, i, 0, 0u};
            gsp_topo_order_result r;
            gsp_arena own;
            char names[8];
            uint32_t k;
            t_arena_open(&own, gsp_topo_order_bound(&g, &d));
            if (T_EQUAL(gsp_topo_order_run(&own, &g, &d, &r, NULL), GSP_OK)) {
                for (k = 0; k + 1u < r.n_nodes; k++) {
                    names[k] = gsp_node_name(&g, r.order[k]).data[0];
                }
                names[k] = '\0';
                T_STRING(names, expected[i]);
            }
            t_arena_close(&own);
        }
    }
    t_arena_close(&arena);
}

static void test_order_errors(void)
{
    gsp_arena arena;
    gsp_module module;
    if (t_must_read(&arena, "graph():\n    return None\n", &module)) {
        gsp_graph const g = gsp_module_graph(&module, 0u);
        gsp_topo_order_desc d;
        gsp_topo_order_result r;
        gsp_error err;
        gsp_arena own;
        memset(&d, 0, sizeof(d));
        t_arena_open(&own, gsp_topo_order_bound(&g, NULL));
        d.kind = GSP_TOPO_ORDER_COUNT;
        T_EQUAL(gsp_topo_order_run(&own, &g, &d, &r, &err), GSP_STATUS_DESC);
        T_EQUAL(err.detail, GSP_DETAIL_CHOICE);
        T_FIELD(&err);
        T_EQUAL(gsp_topo_order_run(&own, &g, NULL, &r, &err), GSP_OK);
        T_CHECK(r.n_nodes == 1u && r.order[0] == 0u);
        t_arena_close(&own);
    }
    t_arena_close(&arena);
}

void suite_unit_stages_optimal(void)
{
    t_run("published_plans", test_published_plans);
    t_run("memory", test_memory);
    t_run("edges", test_edges);
    t_run("stages_errors", test_stages_errors);
    t_run("order_errors", test_order_errors);
    t_run("stage_cost_errors", test_stage_cost_errors);
    t_run("null_beside_count", test_null_beside_count);
    t_run("no_sum_wraps", test_no_sum_wraps);
    t_run("marker", test_marker);
    t_run("ticks", test_ticks);
    t_run("cost_of_one_parameter", test_cost_of_one_parameter);
    t_run("cost_errors", test_cost_errors);
    t_run("topo_orders", test_topo_orders);
    t_run("depth_first", test_depth_first);
    t_run("orders_of_effects", test_orders_of_effects);
}
