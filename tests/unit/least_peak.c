/* Orders of the least peak: a graph worked out by hand, what becomes of it as tasks, phases, starts
 * and rules, searches that lose sets, every refusal. */
#include "examples/extra/graphsplit_order.h"
#include "tests/t.h"

#define CALL(name, args, note) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args "), kwargs = {})" \
    "  # " note "\n"
#define TAKE(name, call, i, note) \
    "    %" name " : [num_users=1] = call_function[target=operator.getitem](args = (%" call ", " i \
    "), kwargs = {})  # " note "\n"
#define X "graph():\n    %x : [num_users=1] = placeholder[target=x]  # u8[10]\n"

typedef struct subject {
    gsp_arena text;
    gsp_arena arena;
    gsp_module module;
    gsp_graph g;
    gsp_tasks_desc graph; /* how the graph becomes tasks */
    gsp_tasks tasks;
    gsp_least_peak_desc desc;
    gsp_least_peak_result r;
    gsp_error err;
} subject;

static int start(subject *s, const char *text)
{
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, (size_t)1 << 26u);
    if (!t_must_read(&s->text, text, &s->module)) {
        return 0;
    }
    s->g = gsp_module_graph(&s->module, 0u);
    return 1;
}

static void stop(subject *s)
{
    t_arena_close(&s->arena);
    t_arena_close(&s->text);
}

static gsp_status make(subject *s)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_tasks_run(&s->arena, &s->g, &s->graph, &s->tasks, &s->err);
}

static gsp_status find(subject *s)
{
    return gsp_least_peak_run(&s->arena, &s->tasks, &s->desc, &s->r, &s->err);
}

/* The calls as they run. */
static void check_order(const subject *s, const char *expected)
{
    t_string text = {NULL, 0u, 0u};
    for (uint32_t i = 0; i < s->tasks.n_nodes; i++) {
        if (gsp_node_is_callable(&s->g, s->r.nodes[i])) {
            gsp_str const name = gsp_node_name(&s->g, s->r.nodes[i]);
            t_puts(&text, text.size == 0u ? "" : " ");
            t_add(&text, name.data, name.size);
        }
    }
    T_STRING(text.data, expected);
    t_free(&text);
}

/* a and b are large and become small, c and d. In graph order a and b live at once: 10 + 40 + 50.
 * One after the other: b, then d beside x, 10 + 50 + 1, or c and b, 10 + 2 + 50. */
#define FORK \
    X CALL("a", "%x", "u8[40]") CALL("b", "%x", "u8[50]") CALL("c", "%a", "u8[2]") \
        CALL("d", "%b", "u8[1]") CALL("e", "%c, %d", "u8[1]") "    return e\n"

static void test_fork(void)
{
    subject s;
    if (start(&s, FORK)) {
        T_EQUAL(make(&s), GSP_OK);
        T_CHECK(s.tasks.n_tasks == 5u && s.tasks.n_calls == 5u && s.tasks.n_tensors == 6u);
        T_CHECK(s.tasks.live == 10u && s.tasks.least == 10u && s.tasks.kind == NULL);
        T_EQUAL(find(&s), GSP_OK);
        check_order(&s, "b d a c e");
        T_CHECK(s.r.peak == 61u && s.r.lower_bound == 61u && s.r.proved == 1u);
        s.desc.max_states = 1;
        T_EQUAL(find(&s), GSP_OK); /* one of the orders to begin with */
        T_CHECK(s.r.peak == 61u && s.r.lower_bound == 60u && !s.r.proved && s.r.work == 0u);
        static const uint32_t given[] = {0, 1, 2, 3, 4};
        s.desc.start = given;
        T_EQUAL(find(&s), GSP_OK);
        check_order(&s, "a b c d e");
        T_EQUAL(s.r.peak, 100);
        s.desc.max_states = 0;
        T_EQUAL(find(&s), GSP_OK);
        T_CHECK(s.r.peak == 61u && s.r.proved == 1u && s.r.work > 0u && s.r.bytes > 0u);
        s.desc.beam = 20000; /* sets and tasks in 32 bits each */
        T_EQUAL(find(&s), GSP_OK);
        T_CHECK(s.r.peak == 61u && s.r.proved == 1u);
    }
    stop(&s);
}

static void test_rules(void)
{
    static const char *const expected[] = {"a b c d e", "b d a c e", "a c b d e", ""};
    subject s;
    if (start(&s, FORK)) {
        T_EQUAL(make(&s), GSP_OK);
        s.desc.max_states = 1;
        for (s.desc.rule = 1; s.desc.rule < 40u; s.desc.rule++) {
            T_EQUAL(find(&s), GSP_OK);
            if (s.desc.rule < 4u) {
                check_order(&s, expected[s.desc.rule - 1u]);
            }
            T_CHECK(s.r.peak >= 61u && s.r.peak <= 100u);
        }
    }
    stop(&s);
}

/* k and m read no tensor: k belongs to a, m has two users, and n one that is the output. */
static void test_constants(void)
{
    static const uint64_t scratch[] = {0, 7, 0, 0, 0, 0, 0};
    subject s;
    if (start(&s, X CALL("k", "", "u8[4]") CALL("m", "", "u8[5]") CALL("a", "%x, %k, %m", "u8[3]")
                      CALL("b", "%a, %m", "u8[1]") CALL("n", "", "u8[1]") "    return (b, n)\n")) {
        T_EQUAL(make(&s), GSP_OK);
        T_CHECK(s.tasks.n_tasks == 4u && s.tasks.task_of[1] == s.tasks.task_of[3]);
        T_EQUAL(find(&s), GSP_OK);
        check_order(&s, "m k a b n");
        T_EQUAL(s.r.peak, 22);
        s.graph.scratch = scratch; /* k is a task of its own */
        T_EQUAL(make(&s), GSP_OK);
        T_CHECK(s.tasks.n_tasks == 5u && s.tasks.extra[0] == 7u && s.tasks.extra[1] == 0u);
        T_EQUAL(find(&s), GSP_OK);
        T_CHECK(s.r.proved && s.r.peak == 22u);
        s.module.run_bytes = (uint64_t *)(uintptr_t)scratch;
        s.graph.scratch = NULL;
        T_EQUAL(make(&s), GSP_OK);
        T_EQUAL(s.tasks.n_tasks, 5);
        s.graph.skip_inputs = 1;
        T_EQUAL(make(&s), GSP_OK);
        T_EQUAL(s.tasks.live, 0);
    }
    stop(&s);
}

/* Elements of t are tensors that it makes. The second getitem of an element follows the first one,
 * here for two reasons, and whoever reads all of t reads both elements. Only elements of the same
 * call wait: h and k are both elements of an element of u. */
#define ELEMENTS \
    X CALL("t", "%x", "tuple(u8[8], u8[4])") TAKE("p", "t", "0", "u8[8] mutates=0") \
        TAKE("q", "t", "1", "u8[4]") TAKE("r", "t", "0", "u8[8]") CALL("a", "%p", "u8[1]") \
            CALL("b", "%q, %r", "u8[1]") CALL("c", "%t, %a", "u8[1]") CALL("i", "%x, %x", "u8[2]") \
                TAKE("j", "i", "0", "u8[1]") CALL("u", "%j", "tuple(u8[3], tuple(u8[1], u8[2]))") \
                    TAKE("g", "u", "1", "tuple(u8[1], u8[2])") TAKE("h", "g", "0", "u8[1]") \
                        TAKE("l", "u", "1", "tuple(u8[1], u8[2])") TAKE("k", "l", "0", "u8[1]") \
                            CALL("e", "%h, %k", "u8[1]") "    return (b, c, e)\n"

static void test_elements(void)
{
    subject s;
    if (start(&s, ELEMENTS)) {
        T_EQUAL(make(&s), GSP_OK);
        T_EQUAL(s.tasks.makes.begin[1] - s.tasks.makes.begin[0], 2);
        T_EQUAL(gsp_tasks_bound(&s.g, NULL), gsp_tasks_bound(&s.g, &s.graph));
        for (s.desc.rule = 0; s.desc.rule < 4u; s.desc.rule++) {
            T_EQUAL(find(&s), GSP_OK);
            T_CHECK(s.r.proved);
        }
    }
    stop(&s);
}

/* Writes keep their order: b after a and before c. A barrier keeps all. */
static void test_writes(void)
{
    subject s;
    if (start(&s, X CALL("a", "%x", "u8[4]") CALL("b", "%x", "u8[10] mutates=0 alias=0")
                      CALL("c", "%x", "u8[5]") CALL("d", "%a, %c", "u8[1]") "    return d\n")) {
        s.desc.rule = 2; /* depth first would begin with c */
        s.desc.max_states = 1;
        T_EQUAL(make(&s), GSP_OK);
        T_EQUAL(find(&s), GSP_OK);
        check_order(&s, "a b c d");
    }
    stop(&s);
    if (start(&s,
            X CALL("a", "%x", "u8[40]") CALL("b", "%x", "u8[1]") CALL("s", "", "any barrier=1")
                CALL("c", "%x", "u8[30]") CALL("d", "%a, %b", "u8[1]") CALL("e", "%c, %d", "u8[1]")
                    CALL("k", "", "u8[1]") CALL("l", "%k, %e", "u8[1]") "    return l\n")) {
        T_EQUAL(make(&s), GSP_OK);
        T_CHECK(s.tasks.earliest[0] == 0u && s.tasks.earliest[2] == 2u);
        T_CHECK(s.tasks.earliest[3] == 3u);
        T_EQUAL(find(&s), GSP_OK);
        check_order(&s, "a b s d c e k l");
        T_CHECK(s.r.proved);
        s.desc.rule = 2;
        s.desc.max_states = 1;
        T_EQUAL(find(&s), GSP_OK);
        check_order(&s, "b a s d c e k l");
        static const uint32_t early[] = {0, 1, 3, 2, 4, 5, 6};
        s.desc.start = early;
        T_EQUAL(find(&s), GSP_STATUS_ARG);
        T_EQUAL(s.err.detail, GSP_DETAIL_ORDER);
    }
    stop(&s);
}

/* Phase 0 has a, and b if it likes, phase 1 has c, phase 2 the rest: tasks 5 and 6 are changes. */
static void test_phases(void)
{
    static const uint32_t early[] = {9, 0, 0, 1, 2, 2, 9};
    static const uint32_t late[] = {0, 0, 2, 1, 2, 2, 0};
    static const uint32_t given[] = {0, 1, 5, 2, 6, 3, 4};
    static const uint32_t wrong[][7] = {{0, 1, 5, 2, 3, 6, 4}, {0, 5, 1, 2, 6, 3, 4},
        {0, 0, 5, 2, 6, 3, 4}, {7, 1, 5, 2, 6, 3, 4}, {0, 1, 2, 5, 6, 3, 4}};
    subject s;
    if (start(&s, FORK)) {
        s.graph.n_phases = 3;
        s.graph.early = early;
        s.graph.late = late;
        T_EQUAL(make(&s), GSP_OK);
        T_CHECK(s.tasks.n_calls == 5u && s.tasks.n_tasks == 7u);
        T_CHECK(s.tasks.kind[1] == 0u && s.tasks.kind[2] == 1u);
        T_EQUAL(s.tasks.kind[6], GSP_TASK_CHANGE);
        T_EQUAL(find(&s), GSP_STATUS_ARG); /* without start */
        T_STRING(s.err.field, "start");
        s.desc.start = given;
        T_EQUAL(find(&s), GSP_OK);
        check_order(&s, "a c b d e"); /* b in the last phase */
        T_CHECK(s.r.proved && s.r.peak == 62u);
        for (uint32_t i = 0; i < T_COUNT_OF(wrong); i++) {
            s.desc.start = wrong[i];
            T_EQUAL(find(&s), GSP_STATUS_ARG);
            T_EQUAL(s.err.detail, GSP_DETAIL_ORDER);
        }
    }
    stop(&s);
}

static void test_bad(void)
{
    static const uint32_t zero[] = {0, 0, 0, 0, 0, 0, 0};
    static const uint32_t above[] = {0, 0, 0, 3, 0, 0, 0};
    static const uint32_t below[] = {0, 0, 1, 0, 0, 0, 0};
    subject s;
    if (start(&s, FORK)) {
        s.graph.n_phases = 1;
        T_EQUAL(make(&s), GSP_STATUS_ARG);
        T_STRING(s.err.field, "early");
        s.graph.early = zero;
        T_EQUAL(make(&s), GSP_STATUS_ARG);
        T_STRING(s.err.field, "late");
        s.graph.late = zero;
        T_EQUAL(make(&s), GSP_OK);
        s.graph.late = above;
        T_EQUAL(make(&s), GSP_STATUS_ARG);
        T_CHECK(s.err.detail == GSP_DETAIL_RANGE && s.err.node == 3u);
        s.graph.early = below;
        s.graph.late = zero;
        T_EQUAL(make(&s), GSP_STATUS_ARG);
        T_EQUAL(s.err.node, 2);
        s.graph.n_phases = UINT32_MAX;
        s.graph.early = zero;
        T_EQUAL(gsp_tasks_bound(&s.g, &s.graph), SIZE_MAX);
        T_EQUAL(make(&s), GSP_STATUS_OVERFLOW);
        T_EQUAL(gsp_tasks_run(&s.arena, &s.g, &s.graph, &s.tasks, NULL), GSP_STATUS_OVERFLOW);
    }
    stop(&s);
    if (start(&s, X CALL("a", "%x", "u8[18446744073709551615]") "    return a\n")) {
        T_EQUAL(make(&s), GSP_STATUS_OVERFLOW); /* as the plan has it */
        T_EQUAL(s.err.detail, GSP_DETAIL_SIZE);
        T_EQUAL(s.arena.low + s.arena.high, 0);
    }
    stop(&s);
}

static void test_room(void)
{
    subject s;
    if (start(&s, FORK)) {
        size_t const bound = gsp_tasks_bound(&s.g, NULL);
        gsp_arena little = s.arena;
        little.size = bound - 1u;
        T_EQUAL(gsp_tasks_run(&little, &s.g, NULL, &s.tasks, &s.err), GSP_STATUS_NOMEM);
        T_CHECK(s.err.need == bound && s.err.limit < bound);
        T_EQUAL(gsp_tasks_run(&little, &s.g, NULL, &s.tasks, NULL), GSP_STATUS_NOMEM);
        T_EQUAL(make(&s), GSP_OK);
        size_t const more = gsp_least_peak_bound(&s.tasks, NULL);
        little.base = t_alloc(more);
        gsp_arena_init(&little, little.base, more - 1u);
        T_EQUAL(gsp_least_peak_run(&little, &s.tasks, NULL, &s.r, &s.err), GSP_STATUS_NOMEM);
        T_EQUAL(s.err.need, more);
        gsp_arena_init(&little, little.base, more);
        T_EQUAL(gsp_least_peak_run(&little, &s.tasks, NULL, &s.r, &s.err), GSP_OK);
        free(little.base);
    }
    stop(&s);
}

static void test_empty(void)
{
    subject s;
    if (start(&s, X "    return x\n")) {
        T_EQUAL(make(&s), GSP_OK);
        T_EQUAL(s.tasks.n_tasks, 0);
        s.desc.beam = 9;
        for (s.desc.rule = 0; s.desc.rule < 4u; s.desc.rule++) {
            T_EQUAL(find(&s), GSP_OK);
            T_CHECK(s.r.proved && s.r.peak == 10u && s.r.work == 0u);
            T_CHECK(s.r.nodes[0] == 0u && s.r.nodes[1] == 1u);
        }
        s.desc.beam = 0;
        T_EQUAL(find(&s), GSP_OK);
    }
    stop(&s);
}

/* ---- larger graphs ---- */

/* `n` calls that read one or two of the `near_by` before them; all that none reads is returned. */
static void put_random(t_string *text, t_rng *rng, uint32_t n, uint32_t near_by, int all)
{
    uint8_t *is_read = (uint8_t *)t_alloc(n);
    memset(is_read, 0, n);
    t_puts(text, X);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const from = i > near_by ? i - near_by : 0u;
        t_puts(text, "    %n");
        t_number(text, i);
        t_puts(text, " : [num_users=0] = call_function[target=f](args = (%x");
        for (uint32_t k = 1u + t_below(rng, 2u); k > 0u && i > 0u; k--) {
            uint32_t const read = from + t_below(rng, i - from);
            is_read[read] = 1;
            t_puts(text, ", %n");
            t_number(text, read);
        }
        t_puts(text, "), kwargs = {})  # u8[");
        t_number(text, 1u + t_below(rng, 100u));
        t_puts(text, "]\n");
    }
    t_puts(text, "    return (%x");
    for (uint32_t i = 0; i < n; i++) {
        if (!is_read[i] && (all || i + 1u == n)) {
            t_puts(text, ", %n");
            t_number(text, i);
        }
    }
    t_puts(text, ")\n");
    free(is_read);
}

/* What is claimed: the peak of the order, which the library counts on its own. */
static void check_peak(subject *s)
{
    gsp_mark const mark = gsp_arena_mark(&s->arena);
    gsp_liveness_desc desc = {0};
    gsp_liveness_result live;
    gsp_node *calls = (gsp_node *)gsp_arena_push(&s->arena, s->g.n_nodes, sizeof(gsp_node));
    for (uint32_t i = 0; i < s->g.n_nodes; i++) {
        if (gsp_node_is_callable(&s->g, s->r.nodes[i])) {
            calls[desc.n_order++] = s->r.nodes[i];
        }
    }
    desc.order = calls;
    T_EQUAL(gsp_liveness_run(&s->arena, &s->g, &desc, &live, &s->err), GSP_OK);
    T_EQUAL(live.parts[0].bytes, s->r.peak);
    T_CHECK(s->r.lower_bound <= s->r.peak);
    gsp_arena_rewind(&s->arena, mark);
}

/* Wide graphs whose sets do not all fit: beams, windows and tries, with all kinds of limits. */
static void test_large(void)
{
    static const uint32_t sizes[][3] = {
        {24, 40, 1}, {40, 40, 1}, {150, 40, 0}, {300, 8, 0}, {600, 3, 0}};
    t_rng rng = {t_seed};
    subject s;
    for (uint32_t i = 0; i < T_COUNT_OF(sizes) && !t_failed(); i++) {
        t_string text = {NULL, 0u, 0u};
        put_random(&text, &rng, sizes[i][0], sizes[i][1], sizes[i][2] != 0u);
        if (start(&s, text.data)) {
            uint64_t least[3];
            T_EQUAL(make(&s), GSP_OK);
            s.desc.max_work = t_fast ? 200000u : 2000000u;
            for (uint32_t k = 0; k < 3u; k++) {
                s.desc.beam = k == 0u ? 0u : k == 1u ? 4u : 300u;
                s.desc.tries = k == 1u ? 9u : 2u;
                T_EQUAL(find(&s), GSP_OK);
                check_peak(&s);
                least[k] = s.r.peak;
            }
            s.desc.max_states = 1;
            s.desc.beam = 0;
            T_EQUAL(find(&s), GSP_OK);
            T_CHECK(least[0] <= s.r.peak && least[1] <= s.r.peak && least[2] <= s.r.peak);
            s.desc.max_states = (uint64_t)1 << 24u; /* random tries, too */
            s.desc.max_work = 1;
            T_EQUAL(find(&s), GSP_OK);
            T_CHECK(!s.r.proved);
        }
        stop(&s);
        t_free(&text);
    }
}

/* The same tasks, of which nothing crosses. */
static void check_tradeoff(subject *s)
{
    static const uint32_t begin[64] = {0};
    static const uint64_t bytes[64] = {0};
    gsp_tradeoff_desc desc = {0};
    gsp_tradeoff_result r;
    desc.uses.begin = begin;
    desc.bytes = bytes;
    desc.max_bytes = (uint64_t)1 << 20u;
    T_EQUAL(gsp_tradeoff_run(&s->arena, &s->tasks, &desc, &r, &s->err), GSP_OK);
    T_CHECK(r.complete && r.n_points == 1u && r.points[0].peak == s->r.peak);
}

/* Two chains of five tasks each with the same exclusive or of their hashes: after the other tasks,
 * which are free, the sets with one or the other chain are of one slot and different. Chain b
 * leaves less, and has to be first. */
static void test_equal_hashes(void)
{
    static const uint8_t chain[] = {1, 2, 4, 15, 23, 27, 30, 34, 39, 52};
    t_string text = {NULL, 0u, 0u};
    subject s;
    uint32_t n[3] = {0, 0, 0};
    t_puts(&text, X "    %y : [num_users=1] = placeholder[target=y]  # u8[1]\n");
    for (uint32_t i = 0, k = 0; i < 53u; i++) {
        static const char *const names[] = {"a", "b", "f"};
        uint32_t const of = k < 10u && chain[k] == i ? k % 2u : 2u;
        k += of < 2u ? 1u : 0u;
        t_puts(&text, "    %");
        t_puts(&text, names[of]);
        t_number(&text, n[of] + 1u);
        t_puts(&text, " : [num_users=1] = call_function[target=f](args = (%");
        t_puts(&text, n[of] != 0u ? names[of] : of == 2u ? "x" : "y");
        if (n[of] != 0u) {
            t_number(&text, n[of]);
        }
        n[of]++;
        t_puts(&text, ",), kwargs = {})  # u8[");
        t_number(&text, of == 2u ? 1u : n[of] < 5u ? 70u - 10u * n[of] : 20u - 10u * of);
        t_puts(&text, "]\n");
    }
    t_puts(&text, CALL("z", "%a5, %b5, %f43", "u8[1]") "    return z\n");
    if (start(&s, text.data)) {
        T_EQUAL(make(&s), GSP_OK);
        T_EQUAL(s.tasks.n_tasks, 54);
        T_EQUAL(find(&s), GSP_OK);
        check_peak(&s);
        T_CHECK(s.r.proved && s.r.peak == 121u); /* f43, b5, a1 and a2 */
        check_tradeoff(&s);
    }
    stop(&s);
    t_free(&text);
}

void suite_unit_least_peak(void)
{
    t_run("fork", test_fork);
    t_run("rules", test_rules);
    t_run("constants", test_constants);
    t_run("elements", test_elements);
    t_run("writes", test_writes);
    t_run("phases", test_phases);
    t_run("bad", test_bad);
    t_run("room", test_room);
    t_run("empty", test_empty);
    t_run("large", test_large);
    t_run("equal_hashes", test_equal_hashes);
}
