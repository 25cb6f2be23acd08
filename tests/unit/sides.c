/* The CPU and several accelerators: by hand, starts, given choices, every refusal, limits. */
#include "examples/extra/graphsplit_offload.h"
#include "tests/t.h"

#define MOST  1200u
#define KINDS 255u

/* Calls 1 to n behind placeholder 0; call v reads v - 1, or any before it. A call takes 10 ticks on
 * the CPU, 4 on accelerators, and any one may be there. */
typedef struct subject {
    gsp_arena memory;
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    uint8_t can[3][MOST];
    uint64_t ticks[3][MOST];
    uint64_t move[MOST];
    uint64_t launch[KINDS];
    uint32_t group[MOST];
    uint8_t given[MOST];
    uint8_t start[MOST];
    const uint8_t *starts[2];
    const uint8_t *cans[KINDS + 1u];
    const uint64_t *columns[KINDS + 1u];
    gsp_sides_desc desc;
    gsp_sides_result r;
    gsp_overlap_result o;
    gsp_error err;
} subject;

static void fill(subject *s)
{
    for (uint32_t v = 0; v < MOST; v++) {
        for (uint32_t p = 0; p < 3u; p++) {
            s->can[p][v] = 1u;
            s->ticks[p][v] = p == 0 ? 10u : 4u;
        }
        s->group[v] = GSP_NONE;
        s->move[v] = 1u;
    }
    for (uint32_t p = 0; p <= KINDS; p++) {
        s->cans[p] = s->can[p < 3u ? p : 2u];
        s->columns[p] = s->ticks[p < 3u ? p : 2u];
    }
    s->starts[0] = s->start;
    s->starts[1] = s->given;
    s->desc.n_kinds = 3u;
    s->desc.can = s->cans;
    s->desc.ticks = s->columns;
    s->desc.move = s->move;
    s->desc.max_arcs = 20000u;
}

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
        t_puts(&text, ",), kwargs = {})\n");
    }
    t_puts(&text, "    return n");
    t_number(&text, n);
    t_puts(&text, "\n");
    fill(s);
    t_arena_open(&s->arena, (size_t)64 << 20u);
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
    return gsp_sides_run(&s->arena, &s->graph, &s->desc, &s->r, &s->err);
}

static gsp_status run_overlap(subject *s)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_overlap_run(&s->arena, &s->graph, &s->desc, &s->o, &s->err);
}

static void refused(subject *s, gsp_status status, gsp_detail detail, gsp_node node)
{
    for (int overlap = 0; overlap < 2; overlap++) {
        T_EQUAL(overlap ? run_overlap(s) : run(s), status);
        T_EQUAL(s->err.status, status);
        T_EQUAL(s->err.detail, detail);
        T_EQUAL(s->err.node, node);
        T_EQUAL(s->arena.low + s->arena.high, 0u);
    }
    if (status == GSP_STATUS_ARG) {
        T_FIELD(&s->err);
    }
}

/* Four calls, the first two faster on accelerator 1, the others on 2. */
static void test_by_hand(void)
{
    subject s;
    if (subject_open(&s, 4u, NULL)) {
        for (gsp_node v = 1; v <= 4u; v++) {
            s.ticks[v <= 2u ? 1 : 2][v] = 1u;
        }
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.time, 8u); /* in, out, in, out */
        T_EQUAL(s.r.lower_bound, 8u);
        T_CHECK(s.r.kind[0] == GSP_KIND_NONE && s.r.kind[2] == 1u && s.r.kind[3] == 2u);
        T_CHECK(s.r.cpu_only == 40u && s.r.reference == 8u && s.r.n_subgraphs == 2u);
        T_CHECK(s.r.phase[0] == GSP_NONE && s.r.phase[1] < s.r.phase[3]);
        s.desc.launch = s.launch;
        s.launch[0] = 1000u; /* does not count */
        s.launch[1] = 9u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.time == 12u && s.r.n_subgraphs == 1u && s.r.kind[1] == 2u);
        s.can[0][2] = 0;
        s.can[2][2] = 0;
        s.can[1][3] = 0;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.cpu_only == UINT64_MAX && s.r.kind[2] == 1u);
        s.can[1][2] = 0; /* nowhere */
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.kind[2] == 0u && s.r.cpu_only == 40u);
    }
    subject_close(&s);
}

/* One kind, and calls that are all there is. */
static void test_cpu_alone(void)
{
    subject s;
    if (subject_open(&s, 3u, NULL)) {
        s.desc.n_kinds = 1u;
        s.desc.move = NULL;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.time == 30u && s.r.lower_bound == 30u && s.r.n_subgraphs == 0u);
        T_EQUAL(run_overlap(&s), GSP_OK);
        T_CHECK(s.o.makespan == 30u && s.o.lower_bound == 30u && s.o.n_resources == 1u);
        T_CHECK(s.o.n_steps == 3u && s.o.busy[0] == 30u);
    }
    subject_close(&s);
    if (subject_open(&s, 0u, NULL)) {
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.time == 0u && s.r.kind[0] == GSP_KIND_NONE);
        T_EQUAL(run_overlap(&s), GSP_OK);
        T_CHECK(s.o.makespan == 0u && s.o.n_steps == 0u);
    }
    subject_close(&s);
}

/* Two branches: 4 ticks one after the other, 3 side by side. */
static void test_overlap_by_hand(void)
{
    static const char text[] =
        "graph():\n    %x : [num_users=2] = placeholder[target=x]\n"
        "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})\n"
        "    %b : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})\n"
        "    %c : [num_users=1] = call_function[target=f](args = (%a, %b), kwargs = {})\n"
        "    return c\n";
    subject s;
    memset(&s, 0, sizeof(s));
    fill(&s);
    t_arena_open(&s.arena, (size_t)1 << 20u);
    if (t_must_read(&s.memory, text, &s.module)) {
        s.graph = gsp_module_graph(&s.module, 0u);
        s.desc.n_kinds = 2u;
        s.desc.move = NULL;
        s.ticks[0][1] = s.ticks[0][2] = 2u;
        s.ticks[0][3] = s.ticks[1][1] = 1u;
        s.ticks[1][2] = 2u;
        s.can[1][3] = 0;
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.time, 4u);
        T_EQUAL(run_overlap(&s), GSP_OK);
        T_EQUAL(s.o.makespan, 3u);
        T_EQUAL(s.o.lower_bound, 3u);
        T_EQUAL(s.o.path, 3u);
        T_EQUAL(s.o.share, 2u);
        T_CHECK(s.o.busy[0] == 3u && s.o.busy[1] == 1u && s.o.busy[2] == 0u);
        T_CHECK(s.o.steps[2].node == 3u && s.o.steps[2].begin == 2u);
        s.desc.given = s.given;
        T_EQUAL(run_overlap(&s), GSP_OK);
        T_CHECK(s.o.makespan == 5u && s.o.reference == 5u && s.o.lower_bound == 3u);
    }
    subject_close(&s);
}

/* Moves that take longer than all calls leave these on the CPU, which no path says. */
static void test_bound_of_moves(void)
{
    t_rng rng = {t_seed + 73u};
    subject s;
    if (subject_open(&s, 60u, &rng)) {
        for (gsp_node v = 0; v < s.graph.n_nodes; v++) {
            s.move[v] = 1000u;
        }
        s.desc.n_kinds = 2u;
        T_EQUAL(run_overlap(&s), GSP_OK);
        T_EQUAL(s.o.makespan, 600u);
        T_CHECK(s.o.path < 200u && s.o.share > 400u && s.o.lower_bound == s.o.share);
    }
    subject_close(&s);
}

/* Starts that are no choices are made ones; the first is the reference. */
static void test_starts(void)
{
    subject s;
    if (subject_open(&s, 3u, NULL)) {
        s.desc.starts = s.starts;
        s.desc.n_starts = 2u;
        s.desc.group = s.group;
        s.group[1] = s.group[2] = 7u % s.graph.n_nodes;
        s.start[1] = 1u; /* apart from 2: both on the CPU */
        s.start[3] = 2u;
        s.can[0][3] = s.can[2][3] = 0u; /* on 1 */
        s.given[1] = s.given[2] = s.given[3] = 1u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.reference == 26u && s.r.time == 14u);
        T_EQUAL(run_overlap(&s), GSP_OK);
        T_CHECK(s.o.reference == 26u && s.o.makespan == 14u);
        s.desc.given = s.start;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.time == 26u && s.r.kind[1] == 0u && s.r.kind[3] == 1u && s.r.lower_bound == 0u);
    }
    subject_close(&s);
}

static void test_refused(void)
{
    subject s;
    if (subject_open(&s, 3u, NULL)) {
        s.desc.n_kinds = 0u;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_KIND, GSP_NONE);
        s.desc.n_kinds = 256u;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_KIND, GSP_NONE);
        s.desc.n_kinds = 3u;
        s.desc.group = s.group;
        s.group[2] = s.graph.n_nodes;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 2u);
        s.group[2] = GSP_NONE;
        s.desc.given = s.given;
        s.given[3] = 3u;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_KIND, 3u);
        s.desc.given = NULL;
        s.desc.starts = s.starts;
        s.desc.n_starts = 2u;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_KIND, 3u);
        s.starts[0] = s.given;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_KIND, 3u);
        s.desc.n_starts = 0u;
        T_EQUAL(run(&s), GSP_OK);
        s.ticks[2][1] = (uint64_t)1 << 58u;
        refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, GSP_NONE);
        s.ticks[2][1] = s.ticks[2][2] = UINT64_MAX - 1u;
        refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, GSP_NONE);
        s.ticks[2][1] = s.ticks[2][2] = 1u;
        s.move[1] = UINT64_MAX / 2u + 1u;
        refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, GSP_NONE);
        s.move[1] = 1u;
        s.desc.launch = s.launch;
        s.launch[2] = UINT64_MAX / 2u;
        refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, GSP_NONE);
    }
    subject_close(&s);
}

/* Groups that read each other in turns are one unit, in any order of their nodes. */
static void test_groups_in_turns(void)
{
    subject s;
    if (subject_open(&s, 6u, NULL)) {
        s.desc.group = s.group;
        s.group[1] = s.group[4] = 0u;
        s.group[2] = s.group[5] = 1u;
        s.group[3] = s.group[6] = 4u;
        s.can[1][5] = 0u;
        s.ticks[1][1] = s.ticks[1][2] = 0u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.time == 26u && s.r.lower_bound == 26u && s.r.n_subgraphs == 1u);
        for (gsp_node v = 1; v <= 6u; v++) {
            T_EQUAL(s.r.kind[v], 2u);
        }
    }
    subject_close(&s);
}

/* Times so large that networks have fewer parts of a tick, and none. */
static void test_large_times(void)
{
    subject s;
    if (subject_open(&s, 4u, NULL)) {
        for (uint32_t bits = 40u; bits < 56u; bits++) {
            for (gsp_node v = 1; v <= 4u; v++) {
                s.ticks[0][v] = (uint64_t)1 << bits;
            }
            s.desc.launch = s.launch;
            s.launch[1] = 7u;
            s.launch[2] = 5u;
            T_EQUAL(run(&s), GSP_OK);
            T_CHECK(s.r.time == 23u && s.r.lower_bound <= 23u);
            T_EQUAL(run_overlap(&s), GSP_OK);
            T_CHECK(s.o.makespan >= 18u && s.o.lower_bound <= s.o.makespan);
        }
    }
    subject_close(&s);
}

/* All kinds that there may be, too many resources for a search of all schedules. */
static void test_many_kinds(void)
{
    subject s;
    if (subject_open(&s, 3u, NULL)) {
        s.desc.n_kinds = KINDS;
        s.desc.max_work = 300000u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.time == 14u && s.r.lower_bound == 12u);
        s.desc.given = s.given;
        s.given[1] = 254u;
        s.given[2] = 253u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.time == 22u && s.r.kind[1] == 254u);
        s.desc.given = NULL;
        s.desc.n_kinds = 40u;
        for (gsp_node v = 1; v <= 3u; v++) {
            for (uint32_t p = 0; p < 3u; p++) {
                s.can[p][v] = v == p;
            }
        }
        s.can[0][3] = 1u;
        T_EQUAL(run_overlap(&s), GSP_OK);
        T_CHECK(s.o.makespan >= s.o.lower_bound && s.o.n_resources == 79u);
    }
    subject_close(&s);
}

/* Graphs beyond the search for all schedules, and beyond what may take long from the start. */
static void test_large(void)
{
    t_rng rng = {t_seed + 61u};
    subject s;
    if (subject_open(&s, 80u, &rng)) {
        for (gsp_node v = 1; v <= 80u; v++) {
            s.ticks[1][v] = 1u + t_below(&rng, 12u);
            s.ticks[2][v] = 1u + t_below(&rng, 12u);
        }
        T_EQUAL(run_overlap(&s), GSP_OK);
        T_CHECK(s.o.makespan >= s.o.lower_bound && s.o.makespan <= s.o.reference);
        for (uint32_t v = 0; v < MOST; v++) { /* few choices, but too many steps */
            s.can[1][v] = s.can[2][v] = v == 3u;
        }
        T_EQUAL(run_overlap(&s), GSP_OK);
        T_CHECK(s.o.makespan >= s.o.lower_bound);
    }
    subject_close(&s);
    if (subject_open(&s, 1100u, &rng)) {
        s.desc.launch = s.launch;
        s.launch[1] = s.launch[2] = 3u;
        s.desc.max_work = 3000000u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.time >= s.r.lower_bound && s.r.time <= s.r.cpu_only);
    }
    subject_close(&s);
}

/* Bounds that are not met, and work that ends anywhere. */
static void test_max_work(void)
{
    t_rng rng = {t_seed + 71u};
    for (uint32_t turn = 0; turn < 40u && !t_failed(); turn++) {
        subject s;
        if (subject_open(&s, 10u + t_below(&rng, 60u), &rng)) {
            s.desc.n_kinds = 2u + turn % 2u;
            for (gsp_node v = 0; v < s.graph.n_nodes; v++) {
                s.ticks[0][v] = 1u + t_below(&rng, 30u);
                s.ticks[1][v] = 1u + t_below(&rng, 20u);
                s.ticks[2][v] = 1u + t_below(&rng, 20u);
                s.move[v] = t_below(&rng, 9u);
            }
            s.desc.launch = t_chance(&rng, 50) ? s.launch : NULL;
            s.launch[1] = s.launch[2] = 1u + t_below(&rng, 9u);
            for (uint32_t i = 0; i < 40u; i++) {
                s.desc.max_work = i == 0 ? 0u : 1u + t_below(&rng, 500u * i);
                T_EQUAL(run(&s), GSP_OK);
                T_CHECK(s.r.time >= s.r.lower_bound && s.r.time <= s.r.cpu_only);
            }
        }
        subject_close(&s);
    }
}

/* Where calls may be on the accelerator alone, all work is that of times and of one cut. */
static void test_work_in_a_cut(void)
{
    subject s;
    if (subject_open(&s, 50u, NULL)) {
        s.desc.n_kinds = 2u;
        memset(s.can[0], 0, MOST);
        for (uint64_t most = 100u; most < 6000u; most += 20u) {
            s.desc.max_work = most;
            T_EQUAL(run(&s), GSP_OK);
            T_CHECK(s.r.time == 202u && s.r.lower_bound <= 202u);
        }
        s.desc.max_work = 0u;
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.lower_bound, 202u);
    }
    subject_close(&s);
}

/* Twelve calls that may be on both sides: more schedules than the search may see. */
static void test_many_schedules(void)
{
    t_rng rng = {t_seed + 67u};
    subject s;
    if (subject_open(&s, 13u, &rng)) {
        s.desc.n_kinds = 2u;
        for (gsp_node v = 1; v <= 13u; v++) {
            s.ticks[0][v] = 5u + t_below(&rng, 9u);
            s.ticks[1][v] = 5u + t_below(&rng, 9u);
            s.move[v] = 1u + t_below(&rng, 4u);
        }
        T_EQUAL(run_overlap(&s), GSP_OK);
        T_CHECK(s.o.makespan >= s.o.lower_bound);
    }
    subject_close(&s);
}

void suite_unit_sides(void)
{
    t_run("by_hand", test_by_hand);
    t_run("cpu_alone", test_cpu_alone);
    t_run("overlap_by_hand", test_overlap_by_hand);
    t_run("bound_of_moves", test_bound_of_moves);
    t_run("starts", test_starts);
    t_run("refused", test_refused);
    t_run("groups_in_turns", test_groups_in_turns);
    t_run("large_times", test_large_times);
    t_run("many_kinds", test_many_kinds);
    t_run("large", test_large);
    t_run("max_work", test_max_work);
    t_run("work_in_a_cut", test_work_in_a_cut);
    t_run("many_schedules", test_many_schedules);
}
