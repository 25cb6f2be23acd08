/* Units of a graph: branches worked out by hand, groups, circles, backward calls, writes, units
 * that join another one and those that do not, outputs with own moves, items, every refusal. */
#include "examples/extra/graphsplit_downsets.h"
#include "tests/t.h"

#define MOST 16u

#define CALL(name, args, note) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args \
    "), kwargs = {})  # f32[4]" note "\n"
#define GRAPH(calls, last) \
    "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n" calls \
    "    return " last "\n"

typedef struct subject {
    gsp_arena text;
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_downsets_desc stages;
    gsp_downsets_graph_desc desc;
    gsp_downsets_graph_result r;
    gsp_error err;
    gsp_downsets_weight nodes[MOST];
    gsp_downsets_weight outputs[MOST];
    gsp_downsets_weight items[4];
    uint32_t begin[MOST + 1u];
    uint32_t reads[MOST];
    uint32_t move_begin[MOST + 1u];
    uint64_t moves[MOST];
    uint32_t group[MOST];
    uint8_t skip[MOST];
    uint8_t backward[MOST];
} subject;

/* All calls take time. */
static void start(subject *s, const char *text)
{
    memset(s, 0, sizeof *s);
    t_arena_open(&s->arena, 1u << 20u);
    (void)t_must_read(&s->text, text, &s->module);
    s->graph = gsp_module_graph(&s->module, 0);
    s->desc.nodes = s->nodes;
    s->desc.outputs = s->outputs;
    s->desc.items = s->items;
    s->desc.stages = &s->stages;
    for (uint32_t i = 0; i < MOST; i++) {
        s->nodes[i].time = 1;
        s->outputs[i].move = 10u + i;
        s->group[i] = GSP_NONE;
    }
}

static void stop(subject *s)
{
    t_arena_close(&s->text);
    t_arena_close(&s->arena);
}

static gsp_status run(subject *s)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_downsets_graph_run(&s->arena, &s->graph, &s->desc, &s->r, &s->err);
}

/* The units of the calls as letters, '-' for none. */
static void found(subject *s, const char *units)
{
    char text[MOST + 1u] = "";
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->arena.high, 0u);
    for (gsp_node v = 0; v < s->graph.n_nodes; v++) {
        text[v] = s->r.unit_of[v] == GSP_NONE ? '-' : (char)('a' + s->r.unit_of[v]);
    }
    T_CHECK(strcmp(text, units) == 0);
}

static void row(const gsp_edges *rows, uint32_t i, const char *numbers)
{
    t_string text = {NULL, 0u, 0u};
    t_puts(&text, "");
    for (uint32_t k = rows->begin[i]; k < rows->begin[i + 1u]; k++) {
        t_number(&text, rows->at[k]);
        t_puts(&text, " ");
    }
    T_CHECK(strcmp(text.data, numbers) == 0);
    t_free(&text);
}

static void refused(subject *s, gsp_status status, gsp_detail detail, uint32_t node)
{
    T_EQUAL(run(s), status);
    T_EQUAL(s->err.status, status);
    T_EQUAL(s->err.detail, detail);
    T_EQUAL(s->err.node, node);
    T_FIELD(&s->err);
    T_EQUAL(s->arena.low + s->arena.high, 0u);
}

static const char branches[] = GRAPH(
    CALL("a", "%x,", "") CALL("b", "%a,", "") CALL("c", "%a,", "") CALL("d", "%b, %c", ""), "d");
static const char chain[] =
    GRAPH(CALL("a", "%x,", "") CALL("b", "%a,", "") CALL("c", "%b,", "") CALL("d", "%c,", ""), "d");

/* ---- by hand ---- */

static void test_branches(void)
{
    subject s;
    start(&s, branches);
    s.nodes[1].bytes = 5;
    s.outputs[4].stash = 7; /* of d, which no call reads */
    s.outputs[2].stash = 3;
    found(&s, "-abcd-");
    row(&s.r.units.after, 0, "1 2 ");
    row(&s.r.units.after, 1, "3 ");
    row(&s.r.units.after, 2, "3 ");
    row(&s.r.units.after, 3, "");
    T_EQUAL(s.r.units.n, 4u);
    T_EQUAL(s.r.units.n_values, 3u);
    row(&s.r.units.values, 0, "0 ");
    row(&s.r.units.values, 1, "0 1 ");
    row(&s.r.units.values, 2, "0 2 ");
    row(&s.r.units.values, 3, "1 2 ");
    T_EQUAL(s.r.units.shared[0].move, 11u);
    T_EQUAL(s.r.units.shared[1].stash, 3u);
    T_EQUAL(s.r.units.own[0].bytes, 5u);
    T_EQUAL(s.r.units.own[3].stash, 7u);
    T_EQUAL(s.r.units.own[3].move, 0u);
    T_EQUAL(s.r.has_backward + s.r.has_writes, 0u);
    s.nodes[1].time = s.nodes[2].time = UINT64_MAX; /* sums have a limit */
    s.group[1] = s.group[2] = 0;
    s.desc.group = s.group;
    found(&s, "-aabc-");
    T_EQUAL(s.r.units.own[0].time, UINT64_MAX);
    stop(&s);
}

/* Without a desc nothing takes time, and all is one unit; without calls there is none. */
static void test_nothing(void)
{
    subject s;
    start(&s, chain);
    T_EQUAL(gsp_downsets_graph_run(&s.arena, &s.graph, NULL, &s.r, NULL), GSP_OK);
    T_EQUAL(s.r.units.n, 1u);
    T_EQUAL(s.r.units.n_values, 0u);
    stop(&s);
    start(&s, GRAPH("", "x"));
    found(&s, "--");
    T_EQUAL(s.r.units.n, 0u);
    stop(&s);
}

static void test_groups(void)
{
    subject s;
    start(&s, branches);
    s.desc.group = s.group;
    s.group[2] = s.group[3] = 5;
    found(&s, "-abbc-");
    row(&s.r.units.values, 1, "0 1 2 ");
    T_EQUAL(s.r.units.own[1].time, 2u);
    s.group[1] = s.group[4] = 0; /* a circle */
    found(&s, "-aaaa-");
    s.group[2] = s.group[3] = GSP_NONE;
    s.skip[2] = 1;
    s.desc.skip = s.skip;
    found(&s, "-a-aa-");
    s.skip[2] = 0;
    s.skip[1] = 1; /* d alone is of the group, and ready with nothing before b and c */
    found(&s, "--abc-");
    row(&s.r.units.after, 0, "2 ");
    stop(&s);
}

/* Two circles that share a unit, found from its middle. */
static void test_circles(void)
{
    subject s;
    start(&s, GRAPH(CALL("a", "%x,", "") CALL("b", "%a,", "") CALL("c", "%b,", "")
                        CALL("d", "%c,", "") CALL("e", "%d,", "") CALL("g", "%e,", ""),
                  "g"));
    s.desc.group = s.group;
    s.group[2] = s.group[4] = 1; /* b and d, around c */
    s.group[3] = s.group[5] = 2; /* c and e, around d */
    found(&s, "-abbbbc-");
    row(&s.r.units.after, 0, "1 ");
    row(&s.r.units.after, 1, "2 ");
    stop(&s);
}

static const char trained[] = GRAPH(
    CALL("a", "%x,", "") CALL("b", "%a,", "") CALL("q", "%b,", "") CALL("p", "%q, %a", ""), "p");

/* Alone, backward calls come in the opposite order, as on the devices of a forward part. */
static void test_backward(void)
{
    subject s;
    start(&s, trained);
    s.desc.backward = s.backward;
    s.backward[3] = 1; /* p reads q */
    s.stages.exact = 1;
    found(&s, "-abdc-");
    T_EQUAL(s.r.has_backward, 1u);
    T_EQUAL(s.r.backward[4], 1u);
    T_EQUAL(s.r.backward[5], 1u); /* the output */
    T_EQUAL(s.r.backward[2], 0u);
    row(&s.r.units.after, 0, "1 ");
    row(&s.r.units.after, 1, "");
    row(&s.r.units.after, 2, "3 ");
    s.desc.group = s.group;
    s.group[1] = s.group[4] = 0;
    s.group[2] = s.group[3] = 1;
    found(&s, "-abba-");
    row(&s.r.units.after, 0, "1 ");
    s.group[2] = GSP_NONE; /* q has no forward call, p's unit has one */
    found(&s, "-abca-");
    row(&s.r.units.after, 0, "1 2 ");
    s.group[3] = 0; /* p has no forward call, q's unit has one */
    s.group[4] = GSP_NONE;
    found(&s, "-bcba-");
    s.group[3] = 1;
    s.group[4] = 0;
    s.backward[3] = 0;
    s.backward[0] = 1;   /* of no call */
    found(&s, "-aaaa-"); /* so p follows q, and is where a is */
    stop(&s);
}

/* A graph that writes keeps its order. */
static void test_writes(void)
{
    static const char *const texts[] = {
        GRAPH(CALL("a", "%x,", "") CALL("b", "%x,", " mutates=0") CALL("c", "%x,", ""), "c"),
        GRAPH(CALL("a", "%x,", "") CALL("b", "%x,", " barrier=1") CALL("c", "%x,", ""), "c")};
    for (uint32_t i = 0; i < 2u; i++) {
        subject s;
        start(&s, texts[i]);
        s.nodes[3].time = 0;
        found(&s, "-abc-");
        T_EQUAL(s.r.has_writes, 1u);
        row(&s.r.units.after, 0, "1 ");
        row(&s.r.units.after, 1, "2 ");
        s.desc.group = s.group;
        s.group[1] = s.group[3] = 0;
        found(&s, "-aaa-");
        s.desc.backward = s.backward;
        s.backward[3] = 1; /* it may run in between */
        found(&s, "-aba-");
        s.desc.group = NULL;
        s.skip[2] = 1;
        s.desc.skip = s.skip;
        found(&s, "-a-b-");
        T_EQUAL(s.r.has_writes, 0u);
        row(&s.r.units.after, 0, "");
        stop(&s);
    }
}

/* ---- units that take no time ---- */

static void test_joins(void)
{
    subject s;
    start(&s, chain);
    s.nodes[1].time = s.nodes[2].time = 0;
    found(&s, "-aaab-");
    s.nodes[4].time = 0;
    found(&s, "-aaaa-");
    s.nodes[2].time = 1;
    s.nodes[3].time = 0;
    found(&s, "-aaaa-");
    s.nodes[4].time = 1;
    found(&s, "-aabc-"); /* c has two neighbours */
    stop(&s);
    start(&s, branches);
    s.nodes[2].time = 0;
    found(&s, "-abcd-");
    s.nodes[3].time = s.nodes[4].time = 0;
    found(&s, "-abcd-"); /* a ring has no ends */
    s.stages.memory = 1;
    found(&s, "-abcd-");
    stop(&s);
}

/* Of two that have each other the first joins; a star has its middle. Numbers keep the order. */
static void test_ends(void)
{
    subject s;
    start(&s, GRAPH(CALL("a", "%x,", "") CALL("b", "%a,", "") CALL("c", "%x,", "")
                        CALL("d", "%c,", "") CALL("e", "%c,", "") CALL("g", "%x,", ""),
                  "g"));
    s.desc.nodes = NULL;
    found(&s, "-aabbbc-");
    T_EQUAL(s.r.units.own[0].time, 0u);
    stop(&s);
    start(&s, GRAPH(CALL("a", "%x,", "") CALL("b", "%x,", "") CALL("c", "%a,", ""), "c"));
    s.desc.nodes = NULL;
    found(&s, "-bab-"); /* a joins c */
    stop(&s);
}

static void test_does_not_join(void)
{
    subject s;
    start(&s, chain);
    s.nodes[1].time = 0;
    found(&s, "-aabc-");
    s.stages.by_bytes = 1;
    found(&s, "-abcd-");
    s.stages.by_bytes = 0;
    s.stages.exact = 1;
    found(&s, "-abcd-");
    s.stages.exact = 0;
    s.stages.first_time = 1; /* a stage without time could have it */
    found(&s, "-abcd-");
    s.stages.first_time = 0;
    s.stages.last_time = 1;
    found(&s, "-abcd-");
    s.stages.last_time = 0;
    s.nodes[1].no_device = 1;
    found(&s, "-abcd-");
    s.nodes[1].no_device = 0;
    s.nodes[1].no_host = 1;
    found(&s, "-aabc-");
    s.stages.n_cores = 1;
    found(&s, "-abcd-");
    s.nodes[1].no_host = 0;
    found(&s, "-aabc-");
    s.nodes[1].host = 1;
    found(&s, "-abcd-");
    s.stages.n_cores = 0;
    found(&s, "-aabc-");
    s.nodes[1].sync = 1;
    found(&s, "-aabc-");
    s.stages.replicas = 1;
    found(&s, "-abcd-");
    s.nodes[1].sync = 0;
    s.outputs[1].sync = 1;
    found(&s, "-abcd-");
    s.outputs[1].sync = 0;
    found(&s, "-aabc-");
    s.desc.n_items = 1;
    s.desc.reads.begin = s.begin;
    s.desc.reads.at = s.reads;
    for (uint32_t i = 2; i < MOST; i++) {
        s.begin[i] = 1; /* a reads item 0 */
    }
    found(&s, "-aabc-");
    s.items[0].sync = 1;
    found(&s, "-abcd-");
    s.items[0].sync = 0;
    s.items[0].bytes = 1;
    found(&s, "-abcd-");
    s.stages.replicas = 0;
    found(&s, "-aabc-");
    stop(&s);
}

/* Units join if the bytes of all fit. */
static void test_memory(void)
{
    subject s;
    uint32_t const held[] = {5, 1};
    start(&s, chain);
    s.nodes[1].time = 0;
    s.nodes[1].bytes = 10;
    s.nodes[2].stash = 3;
    s.outputs[4].stash = 4;
    s.desc.n_items = 1;
    s.items[0].bytes = 20; /* that nothing reads */
    s.stages.memory = 29;
    found(&s, "-abcd-");
    s.stages.memory = 30;
    found(&s, "-aabc-");
    s.stages.copies = 2;
    found(&s, "-abcd-");
    s.stages.memory = 60;
    found(&s, "-aabc-");
    s.stages.microbatches = 6;
    s.stages.memory = 101;
    found(&s, "-abcd-");
    s.stages.memory = 102;
    found(&s, "-aabc-");
    s.stages.n_devices = 2;
    s.stages.held = held;
    s.stages.memory = 95;
    found(&s, "-aabc-");
    s.stages.memory = 94;
    found(&s, "-abcd-");
    s.items[0].bytes = UINT64_MAX;
    s.stages.memory = UINT64_MAX - 1u;
    found(&s, "-abcd-");
    s.stages.memory = 0;
    found(&s, "-aabc-");
    stop(&s);
}

static uint64_t peak_of(void *user, const uint8_t *place)
{
    (void)user;
    return place[0];
}

static void test_peak(void)
{
    subject s;
    start(&s, chain);
    s.nodes[1].time = 0;
    s.stages.memory = 5;
    s.stages.peak_most = 6;
    found(&s, "-aabc-");
    s.stages.peak = peak_of;
    found(&s, "-abcd-");
    s.stages.peak_most = 5;
    found(&s, "-aabc-");
    stop(&s);
}

/* ---- values ---- */

/* a is read by b, c and the output; b and c are of one unit. */
static void test_moves(void)
{
    subject s;
    start(&s, branches);
    s.desc.move_begin = s.move_begin;
    s.desc.moves = s.moves;
    s.moves[0] = 100;
    s.moves[1] = 200;
    s.outputs[1].stash = 9;
    for (uint32_t i = 2; i <= MOST; i++) {
        s.move_begin[i] = 2;
    }
    found(&s, "-abcd-");
    T_EQUAL(s.r.units.n_values, 4u);
    row(&s.r.units.values, 0, "0 1 ");
    row(&s.r.units.values, 1, "0 2 ");
    row(&s.r.units.values, 2, "1 3 ");
    T_EQUAL(s.r.units.shared[0].move, 100u);
    T_EQUAL(s.r.units.shared[1].move, 200u);
    T_EQUAL(s.r.units.shared[1].stash, 0u);
    T_EQUAL(s.r.units.own[0].stash, 9u);
    s.desc.group = s.group;
    s.group[1] = s.group[2] = 0;
    found(&s, "-aabc-");
    T_EQUAL(s.r.units.shared[0].move, 200u);
    row(&s.r.units.values, 1, "0 2 ");
    s.skip[3] = 1;
    s.desc.skip = s.skip;
    found(&s, "-aa-b-");
    T_EQUAL(s.r.units.n_values, 1u);
    T_EQUAL(s.r.units.shared[0].move, 12u);
    s.skip[1] = 1; /* its moves are of no unit */
    found(&s, "--a-b-");
    T_EQUAL(s.r.units.n_values, 1u);
    stop(&s);
}

static void test_items(void)
{
    static const uint32_t begin[] = {0, 1, 3, 4, 5, 7, 7};
    static const uint32_t reads[] = {0, 1, 2, 1, 1, 2, 2}; /* of x, a, b, c, d */
    subject s;
    start(&s, branches);
    s.desc.n_items = 4;
    s.desc.reads.begin = begin;
    s.desc.reads.at = reads;
    for (uint32_t i = 0; i < 4u; i++) {
        s.items[i].bytes = 1u << i;
        s.items[i].sync = 10u + i;
        s.items[i].stash = 20u + i;
    }
    found(&s, "-abcd-");
    T_EQUAL(s.r.units.n_values, 5u); /* three outputs, and two items */
    row(&s.r.units.values, 0, "0 3 4 ");
    row(&s.r.units.values, 1, "0 1 3 ");
    row(&s.r.units.values, 3, "1 2 4 ");
    T_EQUAL(s.r.units.shared[3].bytes, 2u);
    T_EQUAL(s.r.units.shared[4].sync, 12u);
    T_EQUAL(s.r.units.shared[4].stash, 22u);
    T_EQUAL(s.r.units.shared[4].move, 0u);
    s.desc.group = s.group;
    s.group[1] = s.group[2] = s.group[3] = 3;
    found(&s, "-aaab-");
    T_EQUAL(s.r.units.own[0].bytes, 2u);
    T_EQUAL(s.r.units.own[0].sync, 11u);
    T_EQUAL(s.r.units.own[1].bytes, 0u);
    stop(&s);
}

/* ---- errors ---- */

static void test_refused(void)
{
    subject s;
    start(&s, branches);
    s.desc.group = s.group;
    s.group[3] = s.graph.n_nodes;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 3);
    s.desc.group = NULL;
    s.desc.n_items = 2;
    s.desc.items = NULL;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE);
    s.desc.items = s.items;
    s.desc.reads.begin = s.begin;
    T_EQUAL(run(&s), GSP_OK);
    s.begin[6] = 2;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE);
    s.desc.reads.at = s.reads;
    T_EQUAL(run(&s), GSP_OK);
    s.reads[1] = 2;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 5);
    s.reads[1] = 1;
    s.begin[0] = 1;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 0);
    s.begin[1] = s.begin[2] = s.begin[3] = s.begin[4] = s.begin[5] = 1;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 0);
    s.begin[0] = s.begin[1] = s.begin[2] = s.begin[4] = s.begin[5] = 0;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 3);
    s.begin[3] = 0;
    s.begin[4] = 3;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 3);
    s.begin[4] = 0;
    s.desc.move_begin = s.move_begin;
    T_EQUAL(run(&s), GSP_OK);
    s.move_begin[6] = 1;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE);
    s.desc.moves = s.moves;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 5);
    s.move_begin[2] = s.move_begin[3] = s.move_begin[4] = s.move_begin[5] = 1;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 1);
    s.move_begin[2] = s.move_begin[3] = s.move_begin[4] = s.move_begin[5] = 2;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 1);
    s.move_begin[6] = 2;
    T_EQUAL(run(&s), GSP_OK);
    s.desc.n_items = UINT32_MAX;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE);
    s.desc.n_items = 0;
    s.begin[6] = 0;
    void *block = s.arena.base;
    gsp_arena_init(&s.arena, block, 1000u);
    refused(&s, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE);
    stop(&s);
}

void suite_unit_downsets_graph(void)
{
    t_run("branches", test_branches);
    t_run("nothing", test_nothing);
    t_run("groups", test_groups);
    t_run("circles", test_circles);
    t_run("backward", test_backward);
    t_run("writes", test_writes);
    t_run("joins", test_joins);
    t_run("ends", test_ends);
    t_run("does_not_join", test_does_not_join);
    t_run("memory", test_memory);
    t_run("peak", test_peak);
    t_run("moves", test_moves);
    t_run("items", test_items);
    t_run("refused", test_refused);
}
