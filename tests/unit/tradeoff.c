/* Orders by peak and by bytes that cross: a graph worked out by hand, weights, groups, limits,
 * searches that lose sets, every refusal. */
#include "examples/extra/graphsplit_order.h"
#include "tests/t.h"

#define CALL(name, args, bytes) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args "), kwargs = {})" \
    "  # u8[" bytes "]\n"
#define X     "graph():\n    %x : [num_users=1] = placeholder[target=x]  # u8[10]\n"
#define NODES 64u

typedef struct subject {
    gsp_arena text;
    gsp_arena arena;
    gsp_module module;
    gsp_graph g;
    uint32_t early[NODES];
    uint32_t late[NODES];
    gsp_tasks_desc graph;
    gsp_tasks tasks;
    uint32_t begin[NODES + 1u]; /* of the uses */
    uint32_t at[2u * NODES];
    uint64_t bytes[NODES];
    uint32_t group[NODES];
    gsp_tradeoff_desc desc;
    gsp_tradeoff_result r;
    gsp_error err;
} subject;

/* The tasks of a graph whose calls run in phases 0 and 2 of `phases`, those with an even number in
 * 0 alone; uses are the inputs. */
static int start(subject *s, const char *text, uint32_t phases)
{
    memset(s, 0, sizeof(*s));
    memset(s->group, 0xFF, sizeof(s->group));
    t_arena_open(&s->arena, (size_t)1 << 26u);
    if (!t_must_read(&s->text, text, &s->module)) {
        return 0;
    }
    s->g = gsp_module_graph(&s->module, 0u);
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        s->late[v] = phases > 2u ? 2u : 0u;
    }
    s->graph.n_phases = phases;
    s->graph.early = s->early;
    s->graph.late = s->late;
    if (!T_EQUAL(gsp_tasks_run(&s->arena, &s->g, &s->graph, &s->tasks, &s->err), GSP_OK)) {
        return 0;
    }
    for (uint32_t i = 0; i < s->tasks.n_tasks; i++) {
        uint32_t n = 0;
        const gsp_node *in = NULL;
        if (i < s->tasks.n_calls) {
            gsp_node const v = s->tasks.nodes.at[s->tasks.nodes.begin[i]];
            in = gsp_node_inputs(&s->g, v, &n);
            s->bytes[i] = gsp_node_bytes(&s->g, v);
        }
        s->begin[i + 1u] = s->begin[i];
        for (uint32_t k = 0; k < n; k++) {
            if (gsp_node_is_callable(&s->g, in[k])) {
                s->at[s->begin[i + 1u]++] = s->tasks.task_of[in[k]];
            }
        }
    }
    s->desc.uses.begin = s->begin;
    s->desc.uses.at = s->at;
    s->desc.bytes = s->bytes;
    s->desc.group = s->group;
    s->desc.max_bytes = (uint64_t)1 << 22u;
    return 1;
}

static void stop(subject *s)
{
    t_arena_close(&s->arena);
    t_arena_close(&s->text);
}

static gsp_status run(subject *s)
{
    return gsp_tradeoff_run(&s->arena, &s->tasks, &s->desc, &s->r, &s->err);
}

static void refused(subject *s, gsp_status status, gsp_detail detail)
{
    gsp_mark const mark = gsp_arena_mark(&s->arena);
    T_EQUAL(run(s), status);
    T_EQUAL(s->err.detail, detail);
    T_EQUAL(gsp_arena_mark(&s->arena).low, mark.low);
    T_EQUAL(gsp_arena_mark(&s->arena).high, mark.high);
    T_EQUAL(gsp_tradeoff_run(&s->arena, &s->tasks, &s->desc, &s->r, NULL), status);
}

static void check_point(const subject *s, uint32_t i, uint64_t peak, uint64_t crossed)
{
    if (T_CHECK(i < s->r.n_points)) {
        T_EQUAL(s->r.points[i].peak, peak);
        T_EQUAL(s->r.points[i].crossed, crossed);
    }
}

/* a and b read x and become small, c and d. No order needs less than 61 (see least_peak.c), and
 * nothing has to cross. */
#define FORK \
    X CALL("a", "%x", "40") CALL("b", "%x", "50") CALL("c", "%a", "2") CALL("d", "%b", "1") \
        CALL("e", "%c, %d", "1") "    return e\n"

static void test_by_hand(void)
{
    subject s;
    if (start(&s, FORK, 3)) {
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_points == 1u && s.r.best == 0u && s.r.complete == 1u && s.r.work > 0u);
        check_point(&s, 0, 61, 0);
        s.group[0] = s.group[1] = 0; /* a and b in one phase, c and d in the other one */
        s.late[1] = s.late[2] = 0;
        s.early[3] = s.early[4] = s.early[5] = 2;
        T_EQUAL(gsp_tasks_run(&s.arena, &s.g, &s.graph, &s.tasks, &s.err), GSP_OK);
        T_EQUAL(run(&s), GSP_OK);
        check_point(&s, 0, 100, 90);
        T_CHECK(s.r.n_points == 1u && s.r.complete == 1u);
        s.desc.fixed = 7;
        T_EQUAL(run(&s), GSP_OK);
        check_point(&s, 0, 100, 97);
        s.desc.most_peak = 99;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_points == 0u && s.r.best == GSP_NONE && s.r.complete == 1u);
    }
    stop(&s);
}

/* a may run before b and c, or after: its input of 50 bytes is live while b runs, or its output of
 * 30 crosses. c crosses in any case. */
#define CURVE \
    "graph():\n    %x : [num_users=1] = placeholder[target=x]  # u8[50]\n" \
    "    %y : [num_users=1] = placeholder[target=y]  # u8[1]\n" CALL("a", "%x", "30") \
        CALL("b", "%y", "64") CALL("c", "%b", "4") CALL("e", "%a, %c", "1") "    return e\n"

static int start_curve(subject *s)
{
    static const uint32_t early[] = {0, 0, 0, 1, 1, 2, 0};
    static const uint32_t late[] = {0, 0, 2, 1, 1, 2, 0};
    if (!start(s, CURVE, 3)) {
        return 0;
    }
    s->graph.early = early;
    s->graph.late = late;
    return T_EQUAL(gsp_tasks_run(&s->arena, &s->g, &s->graph, &s->tasks, &s->err), GSP_OK);
}

static void test_curve(void)
{
    static const uint32_t starts[] = {0, 4, 1, 2, 5, 3, 4, 1, 2, 5, 0, 3, 0, 4, 1, 2, 5, 3};
    subject s;
    if (start_curve(&s)) {
        for (s.desc.n_starts = 0; s.desc.n_starts < 4u; s.desc.n_starts++) {
            s.desc.starts = starts;
            T_EQUAL(run(&s), GSP_OK);
            T_CHECK(s.r.n_points == 2u && s.r.complete == 1u && s.r.best == 0u);
            check_point(&s, 0, 98, 34);
            check_point(&s, 1, 118, 4);
        }
        s.desc.starts = starts + 6; /* the others come before */
        s.desc.n_starts = 1;
        T_EQUAL(run(&s), GSP_OK);
        check_point(&s, 0, 98, 34);
        s.desc.max_points = 1;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_points == 1u && s.r.complete == 0u);
        check_point(&s, 0, 118, 4);
        s.desc.max_points = 0;
        s.desc.weight_peak = 1;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.best == 0u && s.r.complete == 1u && s.r.points[0].peak == 98u);
        s.desc.weight_crossed = 1;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.complete == 1u && s.r.points[s.r.best].crossed == 4u);
        s.desc.weight_peak = 0;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.complete == 1u && s.r.points[s.r.best].crossed == 4u);
        s.desc.most_peak = 117;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.complete == 1u && s.r.n_points == 1u && s.r.points[0].crossed == 34u);
    }
    stop(&s);
}

/* Starts of one peak of which the later one is better, and one that an earlier one makes needless.
 */
static void test_starts(void)
{
    static const uint32_t starts[] = {
        0, 1, 5, 6, 2, 3, 4, 0, 1, 2, 3, 4, 5, 6, 1, 3, 0, 2, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6};
    static const uint32_t peaks[] = {100, 100, 61, 61};
    subject s;
    if (start(&s, FORK, 3)) {
        s.desc.starts = starts;
        s.desc.max_bytes = 1; /* no search */
        for (uint32_t i = 0; i < 4u; i++) {
            s.desc.n_starts = i + 1u;
            T_EQUAL(run(&s), GSP_OK);
            T_EQUAL(s.r.n_points, 1);
            check_point(&s, 0, peaks[i], i == 0u ? 90u : 0u);
        }
    }
    stop(&s);
}

/* After u and w, one before the phase of b and the other one behind it, the order with w first has
 * the smaller peak, and fewer bytes crossed. But then u, which e reads in the last phase, crosses,
 * and w behind does not: d reads it at once. */
#define FRESH \
    "graph():\n    %p : [num_users=1] = placeholder[target=p]  # u8[50]\n" \
    "    %q : [num_users=1] = placeholder[target=q]  # u8[50]\n" \
    "    %y : [num_users=1] = placeholder[target=y]  # u8[1]\n" CALL("u", "%p", "30") \
        CALL("w", "%q", "10") CALL("b", "%y", "64") CALL("c", "%b", "4") CALL("d", "%w, %c", "1") \
            CALL("e", "%u, %d", "1") "    return e\n"

static void test_fresh(void)
{
    static const uint32_t early[] = {0, 0, 0, 0, 0, 1, 1, 2, 4, 0};
    static const uint32_t late[] = {0, 0, 0, 2, 2, 1, 1, 2, 4, 0};
    subject s;
    if (start(&s, FRESH, 3)) {
        s.graph.n_phases = 5;
        s.graph.early = early;
        s.graph.late = late;
        T_EQUAL(gsp_tasks_run(&s.arena, &s.g, &s.graph, &s.tasks, &s.err), GSP_OK);
        for (uint32_t i = s.tasks.n_calls; i < s.tasks.n_tasks; i++) {
            s.begin[i + 1u] = s.begin[i];
        }
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_points == 2u && s.r.complete == 1u);
        check_point(&s, 0, 111, 45); /* both first */
        check_point(&s, 1, 148, 35); /* u first */
    }
    stop(&s);
}

/* So many calls that may run in any order, in two phases, that no beam holds their sets. */
static void put_wide(t_string *text, uint32_t n)
{
    t_rng rng = {3};
    t_puts(text, X);
    for (uint32_t i = 0; i < n; i++) {
        t_puts(text, "    %n");
        t_number(text, i);
        t_puts(text, " : [num_users=1] = call_function[target=f](args = (%");
        if (i < 4u || t_chance(&rng, 20)) {
            t_puts(text, "x");
        } else {
            t_puts(text, "n");
            t_number(text, i - 1u - t_below(&rng, 4u));
        }
        t_puts(text, "), kwargs = {})  # u8[");
        t_number(text, 1u + t_below(&rng, 40u));
        t_puts(text, "]\n");
    }
    t_puts(text, "    return (");
    for (uint32_t i = 0; i < n; i++) {
        t_puts(text, "%n");
        t_number(text, i);
        t_puts(text, ", ");
    }
    t_puts(text, ")\n");
}

static void test_limits(void)
{
    t_string text = {NULL, 0u, 0u};
    subject s;
    put_wide(&text, 36);
    if (start(&s, text.data, 3)) {
        for (uint32_t i = 0; i < s.tasks.n_calls; i++) {
            s.bytes[i] = 1u + i % 5u;
            s.early[s.tasks.nodes.at[s.tasks.nodes.begin[i]]] = i % 3u == 0u ? 2u : 0u;
        }
        for (uint32_t weights = 0; weights < 4u; weights++) {
            s.desc.weight_peak = weights & 1u;
            s.desc.weight_crossed = weights >> 1;
            s.desc.max_work = 0;
            s.desc.max_bytes = 40000;
            T_EQUAL(run(&s), GSP_OK);
            T_CHECK(s.r.n_points != 0u && (weights != 0u || !s.r.complete));
            s.desc.max_work = 50;
            T_EQUAL(run(&s), GSP_OK);
            T_CHECK(!s.r.complete && s.r.work < 200u);
            s.desc.max_work = 0;
            s.desc.max_bytes = 1; /* no search */
            T_EQUAL(run(&s), GSP_OK);
            T_CHECK(!s.r.complete && s.r.n_points == 0u && s.r.work == 0u);
        }
    }
    stop(&s);
    t_free(&text);
}

/* Without calls, without phases, without groups. */
static void test_nothing(void)
{
    subject s;
    if (start(&s, X "    return x\n", 1)) {
        s.desc.uses.begin = NULL;
        s.desc.bytes = NULL;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_points == 0u && s.r.complete == 1u);
        s.desc.starts = s.at;
        s.desc.n_starts = 1;
        T_EQUAL(run(&s), GSP_OK);
        check_point(&s, 0, 10, 0);
    }
    stop(&s);
    if (start(&s,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]  # u8[0]\n" CALL(
                "a", "%x", "0") "    return a\n",
            1)) {
        s.desc.weight_peak = 1;
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(run(&s), GSP_OK);
        check_point(&s, 0, 0, 0);
    }
    stop(&s);
    if (start(&s, FORK, 0)) {
        s.desc.group = NULL;
        T_EQUAL(run(&s), GSP_OK);
        check_point(&s, 0, 61, 0);
        T_EQUAL(gsp_tradeoff_bound(NULL, &s.desc), SIZE_MAX);
        T_EQUAL(gsp_tradeoff_bound(&s.tasks, NULL), SIZE_MAX);
        s.desc.max_bytes = GSP_TRADEOFF_BYTES;
        {
            size_t const bytes = gsp_tradeoff_bound(&s.tasks, &s.desc);
            s.desc.max_bytes = 0;
            T_EQUAL(gsp_tradeoff_bound(&s.tasks, &s.desc), bytes);
        }
        s.desc.max_bytes = UINT64_MAX;
        T_CHECK(gsp_tradeoff_bound(&s.tasks, &s.desc) > (size_t)1 << 24u);
    }
    stop(&s);
}

static void test_sizes(subject *s)
{
    uint64_t const most = (uint64_t)1 << 62u;
    s->desc.weight_peak = most;
    s->desc.weight_crossed = 1;
    refused(s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE);
    s->desc.weight_peak = UINT64_MAX;
    refused(s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE);
    s->desc.weight_peak = most / 64u;
    refused(s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE);
    s->desc.weight_peak = s->desc.weight_crossed = 0;
    s->desc.least_peak = most + 1u;
    refused(s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE);
    s->desc.least_peak = 0;
    s->desc.fixed = most - 5u; /* x has 10 */
    refused(s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE);
    s->desc.fixed = most - 200u;
    s->bytes[0] = 100;
    refused(s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE);
    s->tasks.least = most + 1u;
    refused(s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE);
    s->tasks.least = 10;
    s->desc.fixed = 0;
    s->tasks.extra[1] = most;
    refused(s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE);
    s->tasks.extra[1] = 0;
}

static void test_refusals(void)
{
    static const uint32_t wrong[] = {0, 2, 1, 1, 4, 5, 6};
    static const uint32_t torn[] = {0, 2, 5, 6, 1, 3, 4};
    subject s;
    if (start(&s, FORK, 3)) {
        s.desc.n_starts = 1;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
        s.desc.starts = wrong;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_ORDER);
        s.desc.starts = torn;
        T_EQUAL(run(&s), GSP_OK);
        s.group[0] = s.group[1] = 3;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_ORDER);
        s.group[4] = 7;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
        s.group[4] = GSP_NONE;
        s.desc.n_starts = 0;
        s.at[0] = 5;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
        s.at[0] = 0;
        s.begin[3]++;
        s.begin[4]--;
        s.begin[2] += 3;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
        s.begin[2] -= 3;
        s.begin[4]++;
        s.begin[3]--;
        s.begin[0] = 1;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
        s.begin[0] = 0;
        s.desc.bytes = NULL;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
        s.desc.bytes = s.bytes;
        s.desc.uses.begin = NULL;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
        s.desc.uses.begin = s.begin;
        test_sizes(&s);
        s.arena.size = s.arena.low + s.arena.high + gsp_tradeoff_bound(&s.tasks, &s.desc) - 1u;
        refused(&s, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND);
    }
    stop(&s);
}

void suite_unit_tradeoff(void)
{
    t_run("by_hand", test_by_hand);
    t_run("curve", test_curve);
    t_run("starts", test_starts);
    t_run("fresh", test_fresh);
    t_run("limits", test_limits);
    t_run("nothing", test_nothing);
    t_run("refusals", test_refusals);
}
