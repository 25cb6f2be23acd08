/* Stages of large graphs: every search ends in time, and what it says holds. */
#include "examples/extra/graphsplit_stages.h"
#include "tests/t.h"

#include <time.h>

static double seconds(clock_t from)
{
    return (double)(clock() - from) / CLOCKS_PER_SEC;
}

typedef enum form { CHAIN, HUB, TANGLE } form;

typedef struct large {
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    uint64_t *time;
    uint64_t *move;
    gsp_costs costs;
} large;

static int open_large(large *l, form f, uint32_t n, uint64_t most_move)
{
    gsp_counts const counts = gsp_build_counts(1u, n + 2u, 3u * n + 8u, 8u, n + 64u, 12u * n + 64u);
    t_rng rng;
    gsp_builder b;
    uint32_t i;
    memset(l, 0, sizeof(*l));
    rng.state = t_seed;
    l->time = (uint64_t *)t_alloc((n + 2u) * sizeof(uint64_t));
    l->move = (uint64_t *)t_alloc((n + 2u) * sizeof(uint64_t));
    memset(l->time, 0, (n + 2u) * sizeof(uint64_t));
    memset(l->move, 0, (n + 2u) * sizeof(uint64_t));
    t_arena_open(&l->arena, gsp_build_bound(&counts));
    (void)gsp_build_init(&b, &l->arena, &counts, NULL);
    gsp_build_graph(&b, gsp_str_of("main"));
    (void)gsp_build_node(&b, GSP_OP_PLACEHOLDER, gsp_str_of("x"), gsp_str_of("x"));
    for (i = 1; i <= n; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "n%u", (unsigned)i);
        (void)gsp_build_node(&b, GSP_OP_CALL_FUNCTION, gsp_str_of(name), gsp_str_of("f"));
        gsp_build_arg_node(&b, i - 1u);
        gsp_build_arg_node(&b, f == CHAIN ? i - 1u : f == HUB ? (i > 1u) : t_below(&rng, i));
        l->time[i] = 1u + t_below(&rng, 1000u);
        l->move[i] = most_move == 0u ? 0u : t_below(&rng, (uint32_t)most_move);
    }
    (void)gsp_build_output(&b);
    gsp_build_arg_node(&b, n);
    if (!T_EQUAL(gsp_build_finish(&b, &l->module, NULL), GSP_OK)) {
        return 0;
    }
    l->graph = gsp_module_graph(&l->module, 0u);
    l->costs.n_nodes = l->graph.n_nodes;
    l->costs.time = l->time;
    l->costs.move = l->move;
    return 1;
}

static void close_large(large *l)
{
    t_arena_close(&l->arena);
    free(l->time);
    free(l->move);
}

/* CPU seconds that a search may take: the goal is 1 where building 100 000 nodes takes 0.03, and a
 * sanitizer, an emulator or a busy machine makes both slower. */
static double time_limit(void)
{
    clock_t const start = clock();
    large l;
    double took;
    (void)open_large(&l, CHAIN, 100000u, 0u);
    took = seconds(start);
    close_large(&l);
    return 0.5 + 100.0 * took;
}

static void check_large(double limit, form f, uint32_t n, uint64_t most_move, uint32_t stages,
    uint32_t carried, int proved)
{
    gsp_stages_optimal_desc d;
    gsp_stages_optimal_result r;
    gsp_arena arena;
    large l;
    clock_t start;
    memset(&d, 0, sizeof(d));
    if (open_large(&l, f, n, most_move)) {
        d.n_devices = stages;
        d.model.costs = &l.costs;
        d.model.carried = carried;
        t_arena_open(&arena, gsp_stages_optimal_bound(&l.graph, &d));
        start = clock();
        if (T_EQUAL(gsp_stages_optimal_run(&arena, &l.graph, &d, &r, NULL), GSP_OK)) {
            T_CHECK(seconds(start) < limit);
            T_EQUAL(r.n_stages, stages);
            T_CHECK(r.lower_bound <= r.objective && r.objective <= r.reference);
            T_CHECK(!proved || r.proved);
        }
        t_arena_close(&arena);
    }
    close_large(&l);
}

static void test_large(void)
{
    uint32_t const n = t_fast ? 5000u : 100000u;
    double const limit = time_limit();
    check_large(limit, CHAIN, n, 0u, 64u, 0u, 1);
    check_large(limit, CHAIN, n, 1000u, 64u, 0u, 1);
    check_large(limit, HUB, n, 100u, 64u, 0u, 1);
    check_large(limit, TANGLE, n, 100u, 64u, 1u, 1);
}

static void test_tangle(void)
{
    double const limit = time_limit();
    check_large(limit, TANGLE, t_fast ? 3000u : 100000u, 1000u, 64u, 0u, 0);
    check_large(limit, TANGLE, 2000u, 1000u, 2000u, 0u, 1);
    check_large(limit, CHAIN, 2000u, 1000u, 1999u, 0u, 1);
}

void suite_hard_stages_optimal(void)
{
    t_run("large", test_large);
    t_run("tangle", test_tangle);
}
