/* Phases of least traffic: a chain with one value that can wait, worked out by hand; first kinds,
 * groups, networks without room, progress, every refusal. */
#include "examples/extra/graphsplit_traffic.h"
#include "tests/t.h"

#define MOST 512u
#define CALL(name, args, note) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args "), kwargs = {})" \
    "  # " note "\n"
#define X "graph():\n    %x : [num_users=1] = placeholder[target=x]  # u8[50]\n"

typedef struct subject {
    gsp_arena text;
    gsp_arena arena;
    gsp_module module;
    gsp_graph g;
    uint8_t kind[MOST];
    uint32_t group[MOST];
    gsp_traffic_desc desc;
    gsp_traffic_result r;
    gsp_error err;
    uint32_t calls; /* of progress */
    uint32_t last;  /* call that asks to stop */
    uint64_t work;
} subject;

/* `kinds`: a letter per node: c for the CPU, a for the accelerator. */
static int start(subject *s, const char *text, const char *kinds)
{
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, (size_t)1 << 24u);
    for (uint32_t v = 0; v < MOST; v++) {
        s->group[v] = GSP_NONE;
    }
    for (uint32_t v = 0; kinds[v] != '\0'; v++) {
        s->kind[v] = kinds[v] == 'a';
    }
    s->desc.kind = s->kind;
    s->desc.group = s->group;
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

static gsp_status run(subject *s)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_traffic_run(&s->arena, &s->g, &s->desc, &s->r, &s->err);
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

/* x, then p on the CPU, q, r on the CPU, s: phases 0 to 3. a may be in phase 1 or 3. */
#define CHAIN \
    X CALL("p", "%x", "u8[1]") CALL("a", "%x", "u8[9]") CALL("q", "%p", "u8[1]") \
        CALL("r", "%q", "u8[1]") CALL("s", "%r, %a", "u8[1]") "    return s\n"
#define KINDS "ccaacac"

static void test_chain(void)
{
    subject s;
    if (start(&s, CHAIN, KINDS)) {
        for (uint32_t m = 0; m < (uint32_t)GSP_TRAFFIC_COUNT && !t_failed(); m++) {
            s.desc.measure = m;
            T_EQUAL(run(&s), GSP_OK);
            T_EQUAL(s.r.n_phases, 4);
            T_CHECK(s.r.phase[1] == 0u && s.r.phase[3] == 1u && s.r.phase[4] == 2u);
            T_CHECK(s.r.phase[2] == 3u && s.r.phase[5] == 3u);
            T_CHECK(s.r.phase[0] == GSP_NONE && s.r.unit[0] == GSP_NONE && s.r.unit[2] == 2u);
            T_CHECK(s.r.early[2] == 1u && s.r.late[2] == 3u && s.r.late[3] == 1u);
            T_CHECK(s.r.bytes[0] == 3u && s.r.bytes[1] == 3u && s.r.bytes[2] == 3u);
            T_EQUAL(s.r.lower_bound, 3);
            T_CHECK(s.r.reference[0] == 12u && s.r.reference[1] == 12u);
            T_EQUAL(s.r.reference[2], 21);
            T_EQUAL(s.r.stopped, 0);
        }
        s.desc.group = NULL;
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.bytes[0], 3);
        s.desc.group = s.group; /* a with q: phase 1 */
        s.group[2] = s.group[3] = 0;
        s.group[0] = MOST; /* that of a placeholder is not read */
        s.kind[0] = 7;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.unit[2] == 3u && s.r.phase[2] == 1u);
        T_CHECK(s.r.bytes[0] == 12u && s.r.lower_bound == 21u && s.r.bytes[2] == 21u);
    }
    stop(&s);
}

/* a before c on the CPU, and b on the CPU alone: from the accelerator two phases, else three. */
static void test_starts(void)
{
    subject s;
    if (start(&s,
            X CALL("a", "%x", "u8[4]") CALL("b", "%x", "u8[4]")
                CALL("c", "%a", "u8[4]") "    return (b, c)\n",
            "caccc")) {
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.n_phases, 3);
        T_CHECK(s.r.phase[1] == 1u && s.r.phase[3] == 2u && s.r.early[2] == 0u);
        s.desc.other_start = 1;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_phases == 3u && s.r.early[1] == 0u && s.r.early[2] == 1u);
        s.desc.best_start = 1;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_phases == 0u && s.r.bytes[0] == 4u && s.r.work == 0u);
        s.desc.other_start = 0;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_phases == 2u && s.r.phase[1] == 0u && s.r.phase[3] == 1u);
        T_CHECK(s.r.bytes[0] == 4u && s.r.reference[0] == 4u && s.r.lower_bound == 4u);
    }
    stop(&s);
    if (start(&s, X "    return x\n", "cc")) {
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_phases == 0u && s.r.phase[0] == GSP_NONE && s.r.bytes[2] == 0u);
    }
    stop(&s);
}

/* A chain of calls, and as many values of the accelerator that its last node reads; one of them
 * reads n2. */
static int start_wide(subject *s, uint32_t chain, uint32_t values)
{
    uint32_t const last = chain + values + 1u;
    t_string text = {0};
    char kinds[MOST] = "c";
    t_puts(&text, X);
    for (uint32_t v = 1; v <= last; v++) {
        t_puts(&text, "    %n");
        t_number(&text, v);
        t_puts(&text, " : [num_users=1] = call_function[target=f](args = (%");
        t_puts(&text, v == chain + 6u ? "n2" : v == 1u || (v > chain && v < last) ? "x" : "n");
        if (v > 1u && v <= chain) {
            t_number(&text, v - 1u);
        }
        for (uint32_t i = chain; v == last && i < last; i++) {
            t_puts(&text, i > chain ? ", %n" : "");
            t_number(&text, i);
        }
        t_puts(&text, ",), kwargs = {})  # u8[3]\n");
        kinds[v] = v > chain || v % 2u == 0u ? 'a' : 'c';
    }
    t_puts(&text, "    return n");
    t_number(&text, last);
    t_puts(&text, "\n");
    int const is_read = start(s, text.data, kinds);
    t_free(&text);
    return is_read;
}

static int told(void *user, uint64_t work)
{
    subject *s = (subject *)user;
    T_CHECK(work >= s->work);
    s->work = work;
    return ++s->calls == s->last;
}

/* The chain costs 57 bytes; n25 waits for n60, or n2 for n25. */
static void test_search(void)
{
    subject s;
    if (start_wide(&s, 19, 40)) {
        s.desc.measure = (uint32_t)GSP_TRAFFIC_RESIDENT;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_phases == 20u && s.r.bytes[2] == 108u && s.r.lower_bound == 108u);
        T_CHECK(s.r.work > 0u && s.r.late[20] == 19u && s.r.early[20] == 1u);
        size_t const large = gsp_traffic_bound(&s.g, &s.desc);
        s.desc.max_arcs = 1; /* the exact cut has no room */
        T_CHECK(gsp_traffic_bound(&s.g, &s.desc) < large);
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.bytes[2] == 108u && s.r.lower_bound == 57u);
        s.desc.measure = (uint32_t)GSP_TRAFFIC_READ;
        s.desc.progress = told;
        s.desc.progress_user = &s;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.bytes[1] == 60u && s.r.lower_bound == 57u && s.r.reference[1] == 177u);
        T_CHECK(s.calls > 9u && s.r.stopped == 0u);
        for (s.last = 1; s.last < 4u && !t_failed(); s.last++) {
            s.calls = 0;
            s.work = 0;
            T_EQUAL(run(&s), GSP_OK);
            T_CHECK(s.r.stopped == 1u && s.calls >= s.last && s.r.bytes[1] <= 177u);
        }
        s.desc.progress = NULL;
        s.desc.max_work = 1;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.stopped == 0u && s.r.bytes[1] >= 60u && s.r.lower_bound == 57u);
    }
    stop(&s);
}

/* Units alone are too many for the network. */
static void test_no_room(void)
{
    subject s;
    if (start_wide(&s, 199, 200)) {
        s.desc.measure = (uint32_t)GSP_TRAFFIC_RESIDENT;
        s.desc.max_arcs = 1;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_phases == 200u && s.r.bytes[2] == 3u * (199u + 197u));
        T_EQUAL(s.r.lower_bound, 3u * 199u);
    }
    stop(&s);
}

/* Such counts are refused without touching the memory. */
static void test_huge(void)
{
    gsp_module m;
    gsp_graph const g = {&m, 0u, 0u, 0xFFFFFFFEu, NULL};
    gsp_arena arena;
    gsp_traffic_desc desc = {0};
    gsp_traffic_result r;
    gsp_error err;
    memset(&m, 0, sizeof(m));
    m.counts.graphs = 1u;
    m.counts.nodes = m.counts.edges = 0xFFFFFFFEu;
    desc.kind = (const uint8_t *)"";
    t_arena_open(&arena, 64u);
    T_EQUAL(gsp_traffic_bound(&g, &desc), SIZE_MAX);
    T_EQUAL(gsp_traffic_run(&arena, &g, &desc, &r, &err), GSP_STATUS_OVERFLOW);
    T_EQUAL(err.detail, GSP_DETAIL_TOO_MANY);
    t_arena_close(&arena);
}

static void test_refused(void)
{
    subject s;
    gsp_arena small;
    if (start(&s, CHAIN, KINDS)) {
        t_arena_open(&small, 64u);
        T_EQUAL(gsp_traffic_run(&small, &s.g, &s.desc, &s.r, NULL), GSP_STATUS_NOMEM);
        t_arena_close(&small);
        s.kind[3] = 2;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_KIND, 3, GSP_NONE);
        s.kind[3] = 1;
        s.group[3] = 7; /* of seven nodes */
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 3, GSP_NONE);
        T_STRING(s.err.field, "group");
        s.group[3] = s.group[4] = 6;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_KIND, 4, 3);
        s.group[4] = GSP_NONE;
        s.group[5] = 6; /* q and s, with r between them */
        refused(&s, GSP_STATUS_CYCLE, GSP_DETAIL_PARTS_CYCLE, GSP_NONE, GSP_NONE);
        s.group[5] = GSP_NONE;
        s.desc.measure = (uint32_t)GSP_TRAFFIC_COUNT;
        refused(&s, GSP_STATUS_DESC, GSP_DETAIL_CHOICE, GSP_NONE, GSP_NONE);
        T_STRING(s.err.field, "measure");
        s.desc.measure = 0;
        ((uint64_t *)(uintptr_t)s.module.bytes)[2] = UINT64_MAX;
        refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 2, GSP_NONE);
        ((uint64_t *)(uintptr_t)s.module.bytes)[2] = (UINT64_C(1) << 61u) / 7u - 2u;
        refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 3, GSP_NONE);
    }
    stop(&s);
}

void suite_unit_traffic(void)
{
    t_run("chain", test_chain);
    t_run("starts", test_starts);
    t_run("search", test_search);
    t_run("no_room", test_no_room);
    t_run("huge", test_huge);
    t_run("refused", test_refused);
}
