/* Stages on unequal devices: plans worked out by hand, more states and places than a search takes,
 * live bytes that have to be measured, every refusal. */
#include "examples/extra/graphsplit_devices.h"
#include "tests/t.h"

#define MOST 1200u /* layers */
#define LOTS 400u  /* devices */

typedef struct subject {
    gsp_arena text;
    gsp_arena arena;
    void *memory;
    gsp_module module;
    gsp_graph graph;
    uint64_t time[MOST + 8u];
    uint64_t move[MOST + 8u];
    gsp_costs costs;
    gsp_stages_device devices[LOTS];
    double links[LOTS * LOTS];
    gsp_stages_unequal_desc d;
    gsp_stages_unequal_result r;
    gsp_error err;
} subject;

static int open_text(subject *s, const char *text)
{
    if (!t_must_read(&s->text, text, &s->module)) {
        return 0;
    }
    s->graph = gsp_module_graph(&s->module, 0u);
    s->costs.n_nodes = s->graph.n_nodes;
    s->costs.time = s->time;
    s->costs.move = s->move;
    s->d.costs = &s->costs;
    s->d.devices = s->devices;
    return 1;
}

/* A chain of so many layers of 100 ticks, in values of 64 bytes. */
static subject *start(uint32_t layers)
{
    subject *s = (subject *)t_alloc(sizeof(*s));
    t_string text = {NULL, 0u, 0u};
    uint32_t i;
    memset(s, 0, sizeof(*s));
    t_puts(&text, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # i8[64]\n");
    for (i = 0; i < layers; i++) {
        s->time[i + 1u] = 100;
        t_puts(&text, "    %n");
        t_number(&text, i);
        t_puts(&text, " : [num_users=1] = call_function[target=f](args = (%");
        t_puts(&text, i != 0u ? "n" : "x");
        if (i != 0u) {
            t_number(&text, i - 1u);
        }
        t_puts(&text, ",), kwargs = {})  # i8[64]\n");
    }
    t_puts(&text, "    return ");
    t_puts(&text, layers != 0u ? "n" : "x");
    if (layers != 0u) {
        t_number(&text, layers - 1u);
    }
    t_puts(&text, "\n");
    (void)open_text(s, text.data);
    t_free(&text);
    return s;
}

static void stop(subject *s)
{
    t_arena_close(&s->text);
    free(s->memory);
    free(s);
}

static void add(subject *s, uint64_t bytes, double speed)
{
    gsp_stages_device *a = &s->devices[s->d.n_devices];
    a->bytes = bytes;
    a->speed = speed;
    a->link = s->d.n_devices++;
}

/* Links of so many bytes per second between all devices. */
static void link_all(subject *s, double rate)
{
    uint32_t i;
    s->d.links = s->links;
    s->d.n_links = s->d.n_devices;
    for (i = 0; i < s->d.n_devices * s->d.n_devices; i++) {
        s->links[i] = rate;
    }
}

static gsp_status run(subject *s)
{
    size_t const size = gsp_stages_unequal_bound(&s->graph, &s->d);
    free(s->memory);
    s->memory = t_alloc(size);
    gsp_arena_init(&s->arena, s->memory, size);
    return gsp_stages_unequal_run(&s->arena, &s->graph, &s->d, &s->r, &s->err);
}

static void refused(subject *s, gsp_status status, gsp_detail detail, uint32_t what, uint32_t item)
{
    T_EQUAL(run(s), status);
    T_EQUAL(s->err.status, status);
    T_EQUAL(s->err.detail, detail);
    T_EQUAL(s->err.what, what);
    T_EQUAL(s->err.node, item);
    T_EQUAL(s->arena.low + s->arena.high, 0u);
}

/* 24 equal layers on speeds 4 : 2 : 1 : 1 take 3 layers of the slowest device, not 6. */
static void test_by_hand(void)
{
    subject *s = start(24);
    add(s, 1u << 20u, 4.0);
    add(s, 1u << 20u, 2.0);
    add(s, 1u << 20u, 1.0);
    add(s, 1u << 20u, 1.0);
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.objective, 300u);
    T_EQUAL(s->r.reference, 600u);
    T_EQUAL(s->r.proved, 1u);
    T_EQUAL(s->r.all_orders, 0u);
    T_EQUAL(s->r.stages[0].n_nodes, 12u);
    T_EQUAL(s->r.stages[0].live, 128u);
    T_EQUAL(s->r.stages[3].n_nodes, 3u);
    T_EQUAL(s->r.stage_of[0], GSP_NONE);
    T_EQUAL(s->r.stage_of[24], 3u);
    s->d.goal = GSP_STAGES_UNEQUAL_LATENCY;
    s->d.any_order = 1;
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.objective, 525u + 50u + 200u); /* one layer each on all but the fastest */
    T_EQUAL(s->r.all_orders, 1u);
    s->d.n_used = 1;
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.objective, 600u);
    T_EQUAL(s->r.devices[0], 0u);
    T_EQUAL(s->r.n_stages, 1u);
    stop(s);
}

/* More devices than layers, none at all, and a marker. */
static void test_few_nodes(void)
{
    subject *s = start(2);
    add(s, 1u << 20u, 1.0);
    add(s, 1u << 20u, 2.0);
    add(s, 1u << 20u, 3.0);
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.n_stages, 2u);
    T_EQUAL(s->r.objective, 50u);
    T_EQUAL(s->r.devices[0], 1u);
    s->d.replicas = 1;
    T_EQUAL(run(s), GSP_STATUS_NO_FIT); /* three devices that differ, two layers */
    stop(s);
    s = start(0);
    add(s, 0, 1.0);
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.n_stages, 0u);
    T_EQUAL(s->r.objective, 0u);
    T_EQUAL(s->r.reference, 0u);
    T_EQUAL(s->r.proved, 1u);
    stop(s);
    s = start(3);
    add(s, 1u << 20u, 1.0);
    s->d.marker = "f"; /* all of them */
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.n_stages, 0u);
    T_EQUAL(s->r.stage_of[2], GSP_NONE);
    stop(s);
}

static void test_links(void)
{
    subject *s = start(4);
    add(s, 1u << 20u, 1.0);
    add(s, 1u << 20u, 1.0);
    add(s, 1u << 20u, 1.0);
    s->d.n_used = 2;
    s->d.any_order = 1;
    link_all(s, 0.0);
    s->links[2u * 3u + 0u] = 6.4e9; /* from the last one to the first, ten ticks; not back */
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.objective, 210u);
    T_EQUAL(s->r.reference, UINT64_MAX);
    T_EQUAL(s->r.devices[0], 2u);
    T_EQUAL(s->r.devices[1], 0u);
    T_EQUAL(s->r.stages[0].leave, 10u);
    T_EQUAL(s->r.stages[1].enter, 10u);
    s->d.any_order = 0;
    refused(s, GSP_STATUS_NO_FIT, GSP_DETAIL_MEMORY, GSP_WHAT_STAGE, 2);
    stop(s);
}

/* What has no room is named: a device, a node, or the stages. */
static void test_no_room(void)
{
    subject *s = start(4);
    add(s, 1u << 20u, 1.0);
    add(s, 127, 1.0);
    refused(s, GSP_STATUS_NO_FIT, GSP_DETAIL_MEMORY, GSP_WHAT_DEVICE, 1);
    T_EQUAL(s->err.other, 1u);
    T_EQUAL(s->err.need, 128u);
    T_EQUAL(s->err.limit, 127u);
    s->d.n_used = 1;
    s->devices[0].bytes = 100;
    refused(s, GSP_STATUS_NO_FIT, GSP_DETAIL_MEMORY, GSP_WHAT_NODE, 1);
    T_EQUAL(s->err.need, 128u);
    T_EQUAL(s->err.limit, 127u);
    T_EQUAL(gsp_stages_unequal_run(&s->arena, &s->graph, &s->d, &s->r, NULL), GSP_STATUS_NO_FIT);
    s->d.n_used = 0;
    s->devices[0].bytes = s->devices[1].bytes = 191;
    s->costs.n_items = 1;
    {
        static const uint32_t begin[] = {0, 0, 1, 2, 3, 4, 4};
        static const uint32_t items[] = {0, 0, 0, 0};
        static const uint64_t bytes[] = {63};
        s->costs.item_begin = begin;
        s->costs.items = items;
        s->costs.item_bytes = bytes;
        T_EQUAL(run(s), GSP_OK);
        s->d.copies = UINT32_MAX;
        refused(s, GSP_STATUS_NO_FIT, GSP_DETAIL_MEMORY, GSP_WHAT_DEVICE, 0);
        T_EQUAL(
            gsp_stages_unequal_run(&s->arena, &s->graph, &s->d, &s->r, NULL), GSP_STATUS_NO_FIT);
        s->d.copies = 1;
        s->d.max_work = 1;
        s->devices[1].bytes = 128;
        refused(s, GSP_STATUS_NO_FIT, GSP_DETAIL_MEMORY, GSP_WHAT_DEVICE, 1);
    }
    stop(s);
    s = start(4);
    add(s, 1u << 20u, 1.0);
    add(s, 128, 1.0);
    s->d.microbatches = 3;
    s->d.held = NULL;
    {
        uint64_t stash[6] = {0, 64, 64, 64, 64, 0};
        s->costs.stash = stash;
        s->devices[0].bytes = 255;
        refused(s, GSP_STATUS_NO_FIT, GSP_DETAIL_MEMORY, GSP_WHAT_STAGE, 2);
        s->d.max_work = 1;
        refused(s, GSP_STATUS_NO_FIT, GSP_DETAIL_WORK, GSP_WHAT_STAGE, 2);
        s->d.any_order = 1;
        refused(s, GSP_STATUS_NO_FIT, GSP_DETAIL_WORK, GSP_WHAT_STAGE, 2);
        s->d.max_work = UINT64_MAX;
        refused(s, GSP_STATUS_NO_FIT, GSP_DETAIL_MEMORY, GSP_WHAT_STAGE, 2);
    }
    stop(s);
}

/* Without work left: few places, some orders and swaps of devices, and a bound. */
static void test_no_work_left(void)
{
    subject *s = start(MOST);
    uint32_t i;
    for (i = 0; i < MOST; i++) {
        s->time[i + 1u] = 1u + i * 37u % 101u;
    }
    for (i = 0; i < 6u; i++) {
        add(s, 1u << 20u, 1.0 + i * 0.5);
    }
    s->d.max_work = 1;
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.proved, 0u);
    T_EQUAL(s->r.n_stages, 6u);
    T_CHECK(s->r.objective >= s->r.lower_bound);
    s->d.any_order = 1;
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.all_orders, 0u);
    T_CHECK(s->r.objective >= s->r.lower_bound);
    s->d.goal = GSP_STAGES_UNEQUAL_LATENCY;
    s->d.max_work = 20000;
    T_EQUAL(run(s), GSP_OK);
    T_CHECK(s->r.objective >= s->r.lower_bound);
    stop(s);
}

static int count_down(void *user, uint64_t work)
{
    uint32_t *left = (uint32_t *)user;
    (void)work;
    return (*left)-- == 0;
}

/* Progress that stops the search at each of its calls leaves stages, and a bound that holds. */
static void test_progress(void)
{
    subject *s = start(40);
    uint32_t const every[] = {1, 1, 1};
    uint64_t least;
    uint32_t left = UINT32_MAX;
    uint32_t n_stops = 0;
    uint32_t i;
    for (i = 0; i < 40u; i++) {
        s->time[i + 1u] = 1u + i * 37u % 101u;
    }
    for (i = 0; i < 7u; i++) {
        add(s, 1u << 20u, 1.0 + i * 0.5);
    }
    s->d.progress = count_down;
    s->d.progress_user = &left;
    for (i = 0; i < 3u; i++) {
        s->d.any_order = i != 0u;
        s->d.n_used = i == 2u ? 5u : 0u;
        left = UINT32_MAX;
        T_EQUAL(run(s), GSP_OK);
        T_EQUAL(s->r.stopped, 0u);
        T_EQUAL(s->r.proved, 1u);
        least = s->r.objective;
        for (uint32_t calls = 0, stopped = 1; stopped != 0u; calls += every[i]) {
            left = calls;
            T_EQUAL(run(s), GSP_OK);
            stopped = s->r.stopped;
            n_stops += stopped;
            T_CHECK(s->r.objective >= least && s->r.lower_bound <= least);
            T_CHECK(s->r.proved == (s->r.objective == s->r.lower_bound));
            T_CHECK(s->r.all_orders == 0u || (stopped == 0u && s->d.any_order != 0u));
        }
    }
    T_CHECK(n_stops > 100u);
    stop(s);
}

/* Progress that stops a search in some orders. */
static void test_progress_of_orders(void)
{
    subject *s = start(40);
    uint32_t left;
    uint32_t i;
    for (i = 0; i < 18u; i++) {
        add(s, (1u << 20u) + i, 1.0 + i * 0.25);
    }
    s->d.any_order = 1;
    s->d.n_used = 5;
    s->d.max_work = 100000;
    s->d.progress = count_down;
    s->d.progress_user = &left;
    s->r.stopped = 1;
    for (uint32_t calls = 0; s->r.stopped != 0u; calls += 3u) {
        left = calls;
        T_EQUAL(run(s), GSP_OK);
        T_CHECK(s->r.n_stages == 5u || s->r.stopped != 0u);
        T_CHECK(s->r.objective >= s->r.lower_bound && s->r.all_orders == 0u);
    }
    T_EQUAL(s->r.n_stages, 5u);
    stop(s);
}

/* Random devices that all differ, so that swaps of two of them look for a better order. */
static void test_swaps(void)
{
    t_rng rng = {t_seed};
    uint32_t n_plans = 0;
    uint32_t n_refused = 0;
    for (uint32_t round = 0; round < 60u; round++) {
        subject *s = start(30);
        uint32_t const lean = 1u + t_below(&rng, 8);
        for (uint32_t i = 1; i <= 30u; i++) {
            s->time[i] = t_below(&rng, round % 4u == 0u ? 2u : 1000u);
        }
        for (uint32_t i = 0; i < 14u; i++) {
            add(s, 64u * (lean + t_below(&rng, 20)) + i, 1.0 + (double)t_below(&rng, 1000) * 0.01);
        }
        s->d.any_order = 1;
        s->d.n_used = round % 3u == 0u ? 0u : 4u + t_below(&rng, 10);
        s->d.goal = round % 2u;
        s->d.replicas = round % 5u == 1u;
        s->d.microbatches = round % 7u;
        s->d.max_work = 2000000;
        s->costs.stash = s->move;
        for (uint32_t i = 1; i <= 30u; i++) {
            s->move[i] = 64u * t_below(&rng, 3);
        }
        if (run(s) == GSP_OK) {
            T_CHECK(s->r.objective >= s->r.lower_bound);
            n_plans++;
        } else {
            T_EQUAL(s->err.status, GSP_STATUS_NO_FIT);
            n_refused++;
        }
        stop(s);
    }
    T_CHECK(n_plans > 20u && n_refused > 0u);
}

/* 12 devices of 6 kinds with links are searched in all orders. */
static void test_six_kinds(void)
{
    subject *s = start(24);
    uint32_t i;
    for (i = 0; i < 12u; i++) {
        add(s, (1u << 20u) + i / 2u, 1.0 + (i / 2u) * 0.25);
    }
    s->d.any_order = 1;
    s->d.devices = NULL;
    T_CHECK(gsp_stages_unequal_bound(&s->graph, &s->d) < SIZE_MAX);
    s->d.devices = s->devices;
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.all_orders, 1u);
    T_EQUAL(s->r.proved, 1u);
    T_EQUAL(s->r.objective, 150u); /* three layers at 2.25 take 133, two at 1.25 take 160 */
    link_all(s, 1e12);
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.all_orders, 1u);
    T_EQUAL(s->r.proved, 1u);
    stop(s);
}

/* The same with more places than memory for them, whatever work is left. */
static void test_many_places(void)
{
    subject *s = start(MOST);
    uint32_t i;
    for (i = 0; i < 12u; i++) {
        add(s, (1u << 20u) + i / 2u, 1.0 + (i / 2u) * 0.25);
    }
    link_all(s, 1e12);
    s->d.any_order = 1;
    s->d.max_work = UINT64_MAX;
    T_CHECK(gsp_stages_unequal_bound(&s->graph, &s->d) < (size_t)220000000u);
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.all_orders, 0u);
    T_EQUAL(s->r.objective, 6178u); /* 1200 layers of 100 at a speed of 19.5 take 6154 */
    T_CHECK(s->r.work < (uint64_t)1 << 27u);
    stop(s);
}

/* 18 devices that all differ have more states than a search takes. */
static void test_many_kinds(void)
{
    subject *s = start(40);
    uint32_t i;
    for (i = 0; i < 18u; i++) {
        add(s, (1u << 20u) + i, 1.0 + i * 0.25);
    }
    s->d.any_order = 1;
    s->d.n_used = 5;
    s->d.max_work = 100000;
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.all_orders, 0u);
    T_CHECK(s->r.objective >= s->r.lower_bound);
    T_EQUAL(s->r.n_stages, 5u);
    for (i = 1; i < 40u; i++) { /* nothing takes time: no order is better */
        s->time[i] = 0;
    }
    s->time[40] = 0;
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.objective, 0u);
    T_EQUAL(s->r.proved, 1u);
    s->d.n_used = 0;
    s->costs.n_items = 1; /* of the first node; one device has room, the last of the given order */
    {
        static const uint32_t items[] = {0};
        static const uint64_t bytes[] = {(uint64_t)1 << 22u};
        uint32_t begin[43] = {0, 0};
        for (i = 2; i < 43u; i++) {
            begin[i] = 1;
        }
        s->costs.item_begin = begin;
        s->costs.items = items;
        s->costs.item_bytes = bytes;
        s->devices[17].bytes = (uint64_t)1 << 23u;
        if (T_EQUAL(run(s), GSP_OK)) {
            T_EQUAL(s->r.devices[0], 17u);
        }
    }
    stop(s);
}

/* Bytes of parameters that exceed 64 bits, ticks of a link that do, and replicas that take long to
 * keep equal. */
static void test_saturated(void)
{
    static const uint32_t begin[] = {0, 0, 1, 2, 2};
    static const uint32_t items[] = {0, 0};
    uint64_t bytes[] = {UINT64_MAX / 2u};
    subject *s = start(2);
    add(s, 1u << 20u, 1.0);
    add(s, 1u << 20u, 1.0);
    s->costs.n_items = 1;
    s->costs.item_begin = begin;
    s->costs.items = items;
    s->costs.item_bytes = bytes;
    s->d.copies = 3;
    refused(s, GSP_STATUS_NO_FIT, GSP_DETAIL_MEMORY, GSP_WHAT_DEVICE, 0);
    T_EQUAL(s->err.need, UINT64_MAX);
    s->d.copies = 1;
    bytes[0] = 1u << 19u;
    s->d.replicas = 1;
    s->d.microbatches = 2;
    s->d.bandwidth = 1;
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.n_stages, 2u);
    s->d.goal = GSP_STAGES_UNEQUAL_LATENCY;
    bytes[0] = 400000000000000u;
    s->devices[0].bytes = s->devices[1].bytes = UINT64_MAX;
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.n_stages, 2u);
    s->d.replicas = 0;
    link_all(s, 1e-300);
    T_EQUAL(run(s), GSP_STATUS_NO_FIT);
    s->d.links = NULL;
    s->d.replicas = 1;
    s->costs.n_items = 0;
    s->costs.item_begin = NULL;
    s->time[1] = s->time[2] = (uint64_t)1 << 51u;
    s->devices[0].speed = s->devices[1].speed = 1e-6;
    T_EQUAL(run(s), GSP_STATUS_NO_FIT);
    stop(s);
    s = start(3); /* two layers take longer than can be told */
    for (uint32_t i = 0; i < 3u; i++) {
        add(s, 1u << 20u, 1e-6);
        s->time[i + 1u] = 12000000000000u;
    }
    s->d.replicas = 1;
    s->d.microbatches = 2;
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.n_stages, 3u);
    stop(s);
}

/* A stage holds the values that pass through it. */
static void test_passing(void)
{
    subject *s = (subject *)t_alloc(sizeof(*s));
    memset(s, 0, sizeof(*s));
    if (open_text(s,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]  # i8[8]\n"
            "    %a : [num_users=2] = call_function[target=f](args = (%x,), kwargs = {})  # "
            "i8[999]\n"
            "    %b : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # i8[8]\n"
            "    %c : [num_users=1] = call_function[target=f](args = (%a, %b), kwargs = {})  # "
            "i8[8]\n"
            "    return c\n")) {
        add(s, 1u << 20u, 1.0);
        add(s, 1016, 1.0);
        add(s, 1u << 20u, 1.0);
        s->d.carried = 1;
        T_EQUAL(run(s), GSP_OK);
        s->devices[1].bytes = 1006;
        T_EQUAL(run(s), GSP_STATUS_NO_FIT);
        s->devices[1].bytes = 500;
        T_EQUAL(run(s), GSP_STATUS_NO_FIT);
        s->d.carried = 0;
        T_EQUAL(run(s), GSP_OK);
    }
    stop(s);
}

/* In the given order, too: many devices that may stay idle, with links, or as replicas. */
static void test_many_states(void)
{
    subject *s = start(64);
    uint32_t i;
    for (i = 0; i < 100u; i++) {
        add(s, 1u << 20u, 1.0 + i * 0.25);
    }
    link_all(s, 1e12);
    s->d.n_used = 50;
    refused(s, GSP_STATUS_NO_FIT, GSP_DETAIL_WORK, GSP_WHAT_STAGE, 50);
    s->d.n_used = 99; /* more than there are layers */
    refused(s, GSP_STATUS_NO_FIT, GSP_DETAIL_WORK, GSP_WHAT_STAGE, 64);
    s->d.n_used = 2;
    T_EQUAL(run(s), GSP_OK);
    stop(s);
    s = start(MOST);
    for (i = 0; i < LOTS; i++) {
        add(s, 1u << 20u, 1.0);
    }
    s->d.n_used = LOTS / 2u;
    s->d.replicas = 1;
    refused(s, GSP_STATUS_NO_FIT, GSP_DETAIL_WORK, GSP_WHAT_STAGE, LOTS / 2u);
    s->d.n_used = 8; /* few enough states, too many pairs of a state and the next */
    T_CHECK(gsp_stages_unequal_bound(&s->graph, &s->d) < (size_t)250000000u);
    refused(s, GSP_STATUS_NO_FIT, GSP_DETAIL_WORK, GSP_WHAT_STAGE, 8);
    stop(s);
}

/* Live bytes of stages that are not between two known figures, and of a graph that runs another. */
static void test_measured(void)
{
    subject *s = (subject *)t_alloc(sizeof(*s));
    uint32_t i;
    memset(s, 0, sizeof(*s));
    if (open_text(s,
            "graph():\n"
            "    %x : [num_users=1] = placeholder[target=x]  # i8[64]\n"
            "    %a : [num_users=2] = call_function[target=f](args = (%x,), kwargs = {})  # "
            "i8[64]\n"
            "    %b : [num_users=1] = call_function[target=view](args = (%a,), kwargs = {})  # "
            "i8[64] "
            "alias=0\n"
            "    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # "
            "i8[64]\n"
            "    %d : [num_users=1] = call_function[target=f](args = (%c, %a), kwargs = {})  # "
            "i8[64]\n"
            "    return d\n")) {
        for (i = 1; i < 5u; i++) {
            s->time[i] = 100;
        }
        add(s, 192, 1.0);
        add(s, 192, 1.0);
        T_EQUAL(run(s), GSP_OK);
        T_EQUAL(s->r.objective, 200u);
        T_EQUAL(s->r.stages[1].live, 192u);
        s->devices[1].bytes = 191;
        refused(s, GSP_STATUS_NO_FIT, GSP_DETAIL_MEMORY, GSP_WHAT_STAGE, 2);
        s->devices[1].bytes = 192;
        s->d.carried = 1;
        if (T_EQUAL(run(s), GSP_OK)) {
            T_EQUAL(s->r.stages[1].memory, 192u);
        }
    }
    stop(s);
}

/* A tuple is one storage, of which parts live longer. */
static void test_tuple(void)
{
    subject *s = (subject *)t_alloc(sizeof(*s));
    memset(s, 0, sizeof(*s));
    if (open_text(s,
            "graph():\n"
            "    %x : [num_users=1] = placeholder[target=x]  # i8[64]\n"
            "    %a : [num_users=1] = call_function[target=split](args = (%x,), kwargs = {})  # "
            "tuple(i8[32], i8[32])\n"
            "    %b : [num_users=1] = call_function[target=operator.getitem](args = (%a, 0), "
            "kwargs = {})  # i8[32]\n"
            "    return b\n")) {
        s->time[1] = s->time[2] = 100;
        add(s, 128, 1.0);
        add(s, 128, 1.0);
        if (T_EQUAL(run(s), GSP_OK)) {
            T_EQUAL(s->r.stages[0].live, 128u);
        }
    }
    stop(s);
}

static void test_refusals(void)
{
    static const uint32_t begin[] = {0, 0, 1, 1, 1, 1};
    static const uint32_t late[] = {1, 1, 1, 1, 1, 1};
    static const uint32_t falls[] = {0, 1, 0, 1, 1, 1};
    static const uint32_t item[] = {1};
    static const uint64_t bytes[] = {8};
    uint32_t layers[6] = {GSP_NONE, 0, GSP_NONE, 1, GSP_NONE, GSP_NONE};
    double const bad[] = {0.0, -1.0, 1e-7, 1e7};
    subject *s = start(3);
    uint32_t i;
    refused(s, GSP_STATUS_DESC, GSP_DETAIL_CHOICE, GSP_WHAT_NONE, GSP_NONE);
    add(s, 1u << 20u, 1.0);
    s->d.n_used = 2;
    refused(s, GSP_STATUS_DESC, GSP_DETAIL_CHOICE, GSP_WHAT_NONE, GSP_NONE);
    s->d.n_used = 0;
    s->d.goal = GSP_STAGES_UNEQUAL_COUNT;
    refused(s, GSP_STATUS_DESC, GSP_DETAIL_CHOICE, GSP_WHAT_NONE, GSP_NONE);
    T_STRING(s->err.field, "goal");
    s->d.goal = 0;
    for (i = 0; i < T_COUNT_OF(bad); i++) {
        s->devices[0].speed = bad[i];
        refused(s, GSP_STATUS_ARG, GSP_DETAIL_NUMBER, GSP_WHAT_DEVICE, 0);
    }
    s->devices[0].speed = 1.0;
    link_all(s, -1.0);
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_RATE, GSP_WHAT_DEVICE, 0);
    s->links[0] = 1e301;
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_RATE, GSP_WHAT_DEVICE, 0);
    s->links[0] = 1.0;
    s->devices[0].link = 1;
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_WHAT_DEVICE, 0);
    s->d.links = NULL;
    s->d.layer_of = layers;
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_WHAT_NONE, GSP_NONE);
    s->d.layer_bytes = bytes;
    s->d.n_layers = 1;
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_WHAT_NODE, 3);
    layers[3] = 0;
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.stages[0].kept, 8u);
    s->costs.n_nodes--;
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_COSTS, GSP_WHAT_NONE, GSP_NONE);
    s->costs.n_nodes++;
    s->costs.item_begin = late;
    s->costs.n_items = 1;
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_WHAT_NONE, GSP_NONE);
    s->costs.item_bytes = bytes;
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_COSTS, GSP_WHAT_NONE, GSP_NONE);
    s->costs.item_begin = begin;
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_COSTS, GSP_WHAT_NODE, 1);
    s->costs.items = item;
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_COSTS, GSP_WHAT_NODE, 1);
    s->costs.n_items = 2;
    s->costs.item_begin = falls;
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_COSTS, GSP_WHAT_NODE, 1);
    s->costs.item_begin = NULL;
    s->move[2] = UINT64_MAX / 8u;
    refused(s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, GSP_WHAT_NODE, 2);
    s->move[2] = 0;
    s->costs.stash = s->move;
    s->move[2] = UINT64_MAX / 8u;
    s->costs.move = NULL;
    refused(s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, GSP_WHAT_NODE, 2);
    s->costs.stash = NULL;
    s->d.first_time = UINT64_MAX;
    refused(s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, GSP_WHAT_NODE, 0);
    s->d.first_time = 0;
    T_EQUAL(run(s), GSP_OK);
    gsp_arena_init(&s->arena, s->memory, gsp_stages_unequal_bound(&s->graph, &s->d) - 1u);
    T_EQUAL(gsp_stages_unequal_run(&s->arena, &s->graph, &s->d, &s->r, &s->err), GSP_STATUS_NOMEM);
    T_EQUAL(s->err.need, gsp_stages_unequal_bound(&s->graph, &s->d));
    T_EQUAL(gsp_stages_unequal_run(&s->arena, &s->graph, &s->d, &s->r, NULL), GSP_STATUS_NOMEM);
    stop(s);
}

/* A value of 2^59 bytes twice, and an alias that names no argument. */
static void test_refused_costs(void)
{
    subject *s = start(2);
    s->d.replicas = 1;
    T_CHECK(gsp_stages_unequal_bound(&s->graph, &s->d) != 0);
    add(s, 1u << 20u, 1.0);
    s->d.costs = NULL;
    T_EQUAL(run(s), GSP_STATUS_ARG);
    T_STRING(s->err.field, "costs");
    stop(s);
}

static void test_refused_values(void)
{
    static const char *const texts[] = {"i8[1152921504606846976]", "i8[64] alias=7"};
    static const gsp_status statuses[] = {GSP_STATUS_OVERFLOW, GSP_STATUS_ARG};
    static const gsp_detail details[] = {GSP_DETAIL_SIZE, GSP_DETAIL_ALIAS};
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(texts); i++) {
        subject *s = (subject *)t_alloc(sizeof(*s));
        t_string text = {NULL, 0u, 0u};
        memset(s, 0, sizeof(*s));
        t_puts(&text,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]  # i8[64]\n"
            "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # ");
        t_puts(&text, texts[i]);
        t_puts(&text,
            "\n    %b : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})  # ");
        t_puts(&text, texts[i]);
        t_puts(&text, "\n    return b\n");
        if (open_text(s, text.data)) {
            add(s, 1u << 20u, 1.0);
            T_EQUAL(run(s), statuses[i]);
            T_EQUAL(s->err.detail, details[i]);
            T_EQUAL(s->arena.low + s->arena.high, 0u);
        }
        t_free(&text);
        stop(s);
    }
}

void suite_unit_unequal(void)
{
    t_run("by_hand", test_by_hand);
    t_run("few_nodes", test_few_nodes);
    t_run("links", test_links);
    t_run("no_room", test_no_room);
    t_run("no_work_left", test_no_work_left);
    t_run("progress", test_progress);
    t_run("swaps", test_swaps);
    t_run("progress of orders", test_progress_of_orders);
    t_run("six_kinds", test_six_kinds);
    t_run("many_places", test_many_places);
    t_run("many_kinds", test_many_kinds);
    t_run("saturated", test_saturated);
    t_run("passing", test_passing);
    t_run("many_states", test_many_states);
    t_run("measured", test_measured);
    t_run("tuple", test_tuple);
    t_run("refusals", test_refusals);
    t_run("refused_costs", test_refused_costs);
    t_run("refused_values", test_refused_values);
}
