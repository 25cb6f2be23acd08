/* Parts that end early: two branches worked out by hand, times of the caller, searches that end too
 * soon, progress, bytes of what a node runs, every refusal. */
#include "examples/extra/graphsplit_heft.h"
#include "tests/t.h"

#include <math.h>

#define MOST 64u
#define CALL(name, args, note) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args "), kwargs = {})" \
    "  # " note "\n"
#define X "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"

/* a and b, beside c, then d. */
#define BRANCHES \
    X CALL("a", "%x", "f32[4] compute=1") CALL("b", "%a", "f32[4] compute=2") CALL( \
        "c", "%x", "f32[4] compute=3") CALL("d", "%b, %c", "f32[4] compute=1") "    return d\n"

typedef struct subject {
    gsp_arena text;
    gsp_arena arena;
    gsp_arena given; /* starts */
    gsp_assignment starts[2];
    gsp_module module;
    gsp_graph g;
    gsp_device devices[4];
    gsp_heft_desc desc;
    gsp_heft_result r;
    gsp_error err;
    uint32_t calls; /* of progress */
    uint32_t last;  /* call that asks to stop */
} subject;

static int start(subject *s, const char *text, uint32_t n_devices, uint64_t bytes)
{
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, (size_t)1 << 24u);
    t_arena_open(&s->given, (size_t)1 << 20u);
    for (uint32_t i = 0; i < 4u; i++) {
        s->devices[i].name = gsp_str_of("device");
        s->devices[i].id = i;
        s->devices[i].bytes = bytes;
    }
    s->desc.devices = s->devices;
    s->desc.n_devices = n_devices;
    s->desc.max_work = 20000u;
    s->desc.max_states = 64u;
    if (!t_must_read(&s->text, text, &s->module)) {
        return 0;
    }
    s->g = gsp_module_graph(&s->module, 0u);
    return 1;
}

static void stop(subject *s)
{
    t_arena_close(&s->given);
    t_arena_close(&s->arena);
    t_arena_close(&s->text);
}

/* The assignment of a mode competes. */
static void give(subject *s, uint32_t mode)
{
    gsp_partition_desc d = {0};
    d.mode = mode;
    d.devices = s->devices;
    d.n_devices = s->desc.n_devices;
    d.has_rate = s->desc.has_rate;
    d.transfer_rate = s->desc.transfer_rate;
    T_EQUAL(gsp_assign_run(&s->given, &s->g, &d, &s->starts[s->desc.n_starts++], NULL), GSP_OK);
    s->desc.starts = s->starts;
}

static gsp_status run(subject *s)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_heft_run(&s->arena, &s->g, &s->desc, &s->r, &s->err);
}

static void refused(subject *s, gsp_status status, gsp_detail detail)
{
    T_EQUAL(run(s), status);
    T_EQUAL(s->err.status, status);
    T_EQUAL(s->err.detail, detail);
    T_EQUAL(s->arena.low + s->arena.high, 0u);
}

static int is(double a, double b)
{
    return memcmp(&a, &b, sizeof(a)) == 0;
}

/* All nodes need 80 bytes: with 64, c is on a device of its own, or with d. */
static void test_branches(void)
{
    subject s;
    if (start(&s, BRANCHES, 2u, 64u)) {
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.found == (uint32_t)GSP_HEFT_FOUND && s.r.n_parts >= 2u);
        T_CHECK(is(s.r.seconds, 4.0) && is(s.r.lower_bound, 4.0));
        s.desc.has_rate = 1;
        s.desc.transfer_rate = 64.0;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(is(s.r.seconds, 4.25) && is(s.r.reference, 4.25));
        give(&s, GSP_PARTITION_SIZE);
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(is(s.r.seconds, 4.25) && is(s.r.reference, 4.5));
        T_EQUAL(s.r.part_of[0], GSP_NONE);
        T_EQUAL(s.r.part_of[5], GSP_NONE);
        T_EQUAL(s.r.waits[0], GSP_NONE);
        T_CHECK(s.r.waits[s.r.n_parts - 1u] != GSP_NONE);
        for (s.desc.seed = 1; s.desc.seed < 9u; s.desc.seed++) {
            T_EQUAL(run(&s), GSP_OK);
            T_CHECK(is(s.r.seconds, 4.25));
        }
        s.devices[1].bytes = 80u; /* one device suffices, and has no transfer */
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_parts == 1u && s.r.device_of[0] == 1u && is(s.r.seconds, 4.0));
        T_CHECK(is(s.r.finish[0], 4.0) && is(s.r.reference, 4.0));
    }
    stop(&s);
}

/* Times of the caller count, not those of the text. */
static void test_times(void)
{
    static const double none[] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    static const double mem[] = {0.0, 5.0, 0.0, 1.0, 0.0, 0.0};
    static const double compute[] = {0.0, 1.0, 2.0, 7.0, 0.5, 0.0};
    static double large[] = {0.0, 1e308, 0.0, 0.7968e308, 0.0, 0.0};
    subject s;
    if (start(&s, BRANCHES, 2u, 64u)) {
        s.desc.mem = mem;
        s.desc.compute = compute;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(is(s.r.lower_bound, 7.5) && is(s.r.seconds, 7.5));
        s.desc.mem = large;
        s.desc.compute = none;
        s.desc.has_rate = 1; /* else the first parts need the critical path alone */
        s.desc.transfer_rate = 64.0;
        refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_LATENCY);
        large[3] = 1e308;
        refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_LATENCY);
        large[3] = -1.0;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_LATENCY);
        T_EQUAL(s.err.node, 3u);
        T_EQUAL(s.err.what, GSP_WHAT_NODE);
        s.desc.mem = none;
        s.desc.compute = large;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_LATENCY);
        T_EQUAL(gsp_heft_run(&s.arena, &s.g, &s.desc, &s.r, NULL), GSP_STATUS_ARG);
        s.desc.transfer_rate = HUGE_VAL;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RATE);
        s.desc.transfer_rate = -1.0;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RATE);
    }
    stop(&s);
}

/* Without times, every placement has the critical path. */
static void test_any(void)
{
    subject s;
    if (start(&s, BRANCHES, 3u, 32u)) {
        s.desc.any = 1;
        T_EQUAL(run(&s), GSP_OK); /* a with x has all of a device: four devices */
        T_CHECK(s.r.found == (uint32_t)GSP_HEFT_NONE && s.r.n_parts == 0u);
        s.desc.max_visits = 1;
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.found, GSP_HEFT_UNKNOWN);
        s.desc.any = 0;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.found == (uint32_t)GSP_HEFT_UNKNOWN && s.r.n_parts == 0u);
        s.desc.any = 1;
        s.desc.max_visits = 0;
        for (uint64_t bytes = 33u; bytes < 90u; bytes++) {
            s.devices[0].bytes = bytes;
            T_EQUAL(run(&s), GSP_OK);
            T_CHECK(s.r.found != (uint32_t)GSP_HEFT_UNKNOWN);
        }
        T_CHECK(s.r.found == (uint32_t)GSP_HEFT_FOUND && s.r.n_parts == 1u);
        T_CHECK(s.r.finish == NULL && s.r.waits == NULL && is(s.r.seconds, 0.0));
    }
    stop(&s);
}

static int progress(void *user, double seconds, uint64_t left)
{
    subject *s = (subject *)user;
    T_CHECK(seconds > 0.0 && left < 1u << 25u);
    return ++s->calls == s->last;
}

static void test_progress(void)
{
    subject s;
    if (start(&s, BRANCHES, 2u, 64u)) {
        s.desc.has_rate = 1;
        s.desc.transfer_rate = 64.0;
        s.desc.progress = progress;
        s.desc.progress_user = &s;
        s.desc.max_work = 0;
        s.last = 3u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.stopped == 1u && s.calls == 3u && s.r.n_parts >= 2u);
        s.desc.max_work = 100u;
        s.calls = 10u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.stopped == 0u && s.calls > 10u && s.calls < 30u);
    }
    stop(&s);
}

/* A node holds what it runs. */
static void test_bytes(void)
{
    uint64_t more[MOST] = {0};
    uint64_t params[MOST] = {0};
    subject s;
    if (start(&s, BRANCHES, 1u, 80u)) {
        T_EQUAL(gsp_heft_bytes(&s.g), 80u);
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.found, GSP_HEFT_FOUND);
        s.module.run_bytes = more;
        s.module.run_params = params;
        more[1] = 1u;
        T_EQUAL(gsp_heft_bytes(&s.g), 81u);
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.found, GSP_HEFT_NONE);
        more[1] = UINT64_MAX;
        T_EQUAL(gsp_heft_bytes(&s.g), UINT64_MAX);
        refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE);
        T_EQUAL(s.err.node, 1u);
    }
    stop(&s);
}

/* A node on each device: no part is left for more. */
static void test_pair(void)
{
    subject s;
    if (start(&s, X CALL("a", "%x", "f32[4] mem=1") CALL("b", "%a", "f32[4]") "    return b\n", 2u,
            32u)) {
        s.desc.has_rate = 1;
        s.desc.transfer_rate = 16.0;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_parts == 2u && is(s.r.seconds, 2.0) && is(s.r.lower_bound, 1.0));
        T_CHECK(s.r.waits[0] == GSP_NONE && s.r.waits[1] == 0u);
    }
    stop(&s);
}

/* Graphs on which each of four sweeps moves a node, or a cut; the work then counts. */
static void test_sweeps(void)
{
    static const char moves[] = X CALL("a", "%x", "f32[2] mem=2") CALL("b", "%a", "f32[16] mem=2")
        CALL("c", "%a", "f32[4] mem=1") CALL("d", "%c", "f32[2] mem=4")
            CALL("e", "%d, %b", "f32[1] mem=4") CALL("f", "%c", "f32[4] mem=2")
                CALL("g", "%e, %c, %d", "f32[1] mem=1") CALL("h", "%e, %g", "f32[4] mem=1")
                    CALL("i", "%d, %e", "f32[16] mem=4")
                        CALL("j", "%f", "f32[1] mem=2") "    return j\n";
    static const char cuts[] = X CALL("a", "%x", "f32[8] mem=1") CALL("b", "%a", "f32[8] mem=1")
        CALL("c", "%a", "f32[4] mem=4") CALL("d", "%a, %b", "f32[4] mem=1")
            CALL("e", "%d", "f32[2] mem=3") CALL("f", "%a", "f32[16] mem=1")
                CALL("g", "%f", "f32[1] mem=3") CALL("h", "%c", "f32[8] mem=3")
                    CALL("i", "%c, %e", "f32[1] mem=2") "    return i\n";
    for (uint32_t i = 0; i < 2u; i++) {
        subject s;
        if (start(&s, i == 0 ? moves : cuts, 2u, i == 0 ? 154u : 156u)) {
            s.desc.has_rate = 1;
            s.desc.transfer_rate = i == 0 ? 32.0 : 64.0;
            T_EQUAL(run(&s), GSP_OK);
            T_CHECK(s.r.seconds >= s.r.lower_bound && s.r.seconds <= s.r.reference);
        }
        stop(&s);
    }
}

/* v beside its three readers: if it leaves, the device has no room for three copies. */
static void test_copies(void)
{
    subject s;
    if (start(&s,
            X CALL("v", "%x", "f32[25] mem=1") CALL("u", "%x", "f32[50] mem=1") CALL(
                "s", "%u", "f32[1]") CALL("r1", "%v, %s", "f32[1]") CALL("r2", "%v, %s", "f32[1]")
                CALL("r3", "%v, %s", "f32[1]") "    return (r1, r2, r3)\n",
            2u, 140u)) {
        s.devices[1].bytes = 240u;
        s.desc.has_rate = 1;
        s.desc.transfer_rate = 16.0;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.n_parts == 3u && is(s.r.seconds, 1.25) && is(s.r.lower_bound, 1.0));
    }
    stop(&s);
}

/* Nodes that take no time look through all rows of a device: that counts as work. No device has
 * room for y beside the rest. */
static void test_rows(void)
{
    t_string text = {NULL, 0u, 0u};
    t_string args = {NULL, 0u, 0u};
    char line[128];
    subject s;
    t_puts(&text, X);
    for (unsigned i = 0; i < 720u; i++) {
        snprintf(line, sizeof(line), "    %%v%u", i);
        t_puts(&text, line);
        t_puts(&text, " : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})");
        t_puts(&text, i < 360u ? "  # f32[4] mem=1\n" : "  # f32[4]\n");
        t_puts(&args, line + 4);
        t_puts(&args, ", ");
    }
    t_puts(&text, CALL("y", "%x,", "f32[4]") "    %z : [num_users=1] = call_function[target=f]");
    t_puts(&text, "(args = (");
    t_add(&text, args.data, args.size);
    t_puts(&text, "), kwargs = {})  # f32[4]\n    return (y, z)\n");
    if (start(&s, text.data, 3u, 722u * 16u)) {
        s.desc.has_rate = 1;
        s.desc.transfer_rate = 1000.0;
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.found, GSP_HEFT_FOUND);
        T_CHECK(s.r.n_parts > 1u);
    }
    stop(&s);
    t_free(&args);
    t_free(&text);
}

/* More nodes and devices than any machine has. */
static void test_too_many(void)
{
    gsp_module m;
    gsp_graph const g = {&m, 0u, 0u, 0xFFFFFFFEu, NULL};
    gsp_arena arena;
    gsp_heft_desc desc = {0};
    gsp_heft_result r;
    gsp_error err;
    gsp_device const device = {{"d", 1u}, 1u, 0u};
    memset(&m, 0, sizeof(m));
    m.counts.graphs = 1u;
    m.counts.nodes = m.counts.edges = 0xFFFFFFFEu;
    desc.n_devices = 0xFFFFFFFFu;
    desc.devices = &device;
    t_arena_open(&arena, 64u);
    T_EQUAL(gsp_heft_bound(&g, &desc), SIZE_MAX);
    T_EQUAL(gsp_heft_run(&arena, &g, &desc, &r, &err), GSP_STATUS_OVERFLOW);
    T_EQUAL(err.detail, GSP_DETAIL_TOO_MANY);
    t_arena_close(&arena);
}

/* Each counts only if its parts are on devices that have room. */
static void test_starts(void)
{
    uint32_t part_of[] = {7u, 0u, 0u, 1u, 1u, 7u};
    uint32_t device_of[] = {0u, 1u, 0u, 0u, 0u};
    subject s;
    if (start(&s, BRANCHES, 2u, 64u)) {
        s.desc.has_rate = 1;
        s.desc.transfer_rate = 16.0; /* a value takes a second */
        s.desc.max_work = 1u;
        s.desc.starts = s.starts;
        s.desc.n_starts = 1u;
        s.starts[0].part_of = part_of;
        s.starts[0].device_of = device_of;
        s.starts[0].n_parts = 2u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(is(s.r.reference, 8.0) && s.r.seconds <= 8.0);
        s.starts[1] = s.starts[0]; /* a second one, no better */
        s.desc.n_starts = 2u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(is(s.r.reference, 8.0));
        s.desc.n_starts = 1u;
        device_of[1] = 0u; /* no room */
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.reference <= s.r.seconds);
        device_of[1] = 2u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.reference <= s.r.seconds);
        device_of[1] = 1u;
        part_of[4] = 2u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.reference <= s.r.seconds);
        part_of[4] = 1u;
        s.starts[0].n_parts = 5u; /* more parts than nodes */
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.reference <= s.r.seconds);
        s.starts[0].n_parts = 4u; /* two of them empty */
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(is(s.r.reference, 8.0) && s.r.n_parts <= 3u);
        part_of[1] = part_of[4] = 0u; /* a and d in one part, b in another: a cycle */
        part_of[2] = 1u;
        s.starts[0].n_parts = 2u;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.reference <= s.r.seconds);
        s.desc.transfer_rate = 0.0; /* no value moves */
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RATE_ZERO);
    }
    stop(&s);
}

static void test_refused(void)
{
    subject s;
    if (start(&s, BRANCHES, 2u, 64u)) {
        size_t const bound = gsp_heft_bound(&s.g, &s.desc);
        s.arena.size = bound - 1u;
        refused(&s, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND);
        T_CHECK(s.err.need == bound && s.err.limit == bound - 1u);
        T_EQUAL(gsp_heft_run(&s.arena, &s.g, &s.desc, &s.r, NULL), GSP_STATUS_NOMEM);
        s.arena.size = bound;
        T_EQUAL(run(&s), GSP_OK);
    }
    stop(&s);
    if (start(&s, "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return x\n", 1u,
            1u)) {
        refused(&s, GSP_STATUS_EMPTY, GSP_DETAIL_CALLABLE);
    }
    stop(&s);
}

void suite_unit_heft(void)
{
    t_run("branches", test_branches);
    t_run("times", test_times);
    t_run("any", test_any);
    t_run("progress", test_progress);
    t_run("bytes", test_bytes);
    t_run("pair", test_pair);
    t_run("sweeps", test_sweeps);
    t_run("copies", test_copies);
    t_run("rows", test_rows);
    t_run("too_many", test_too_many);
    t_run("starts", test_starts);
    t_run("refused", test_refused);
}
