/* Values at the edge of what is given: labels of any bytes, costs, settings of parameters,
 * latencies. */
#include "examples/extra/graphsplit_stages.h"
#include "tests/contract/subject.h"

static const char chain[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
    "    %w : [num_users=1] = get_attr[target=m.w]  # f32[4]\n"
    "    %a : [num_users=1] = call_function[target=f](args = (%x, %w), kwargs = {})"
    "  # f32[4] compute=1e308\n"
    "    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})"
    "  # f32[4] compute=1e308\n"
    "    return b\n";

/* Code points by definition: the bytes of one, 0 for none. */
static size_t character(const unsigned char *c, size_t left)
{
    uint32_t point = 0;
    size_t n = c[0] < 0x80u                    ? 1u
               : c[0] >= 0xC0u && c[0] < 0xE0u ? 2u
               : c[0] >= 0xE0u && c[0] < 0xF0u ? 3u
               : c[0] >= 0xF0u && c[0] < 0xF8u ? 4u
                                               : 0u;
    size_t i;
    if (n == 0u || n > left) {
        return 0;
    }
    point = n == 1u ? c[0] : c[0] & (0xFFu >> (n + 1u));
    for (i = 1; i < n; i++) {
        if (c[i] / 0x40u != 2u) {
            return 0;
        }
        point = point * 0x40u + (c[i] & 0x3Fu);
    }
    if ((n == 2u && point < 0x80u) || (n == 3u && point < 0x800u) ||
        (n == 4u && point < 0x10000u) || point > 0x10FFFFu ||
        (point >= 0xD800u && point < 0xE000u) || point == 0x7Fu ||
        (point >= 0x80u && point < 0xA0u) || (point < 0x20u && point != '\n')) {
        return 0;
    }
    return n;
}

/* Whatever the bytes of a target are, a drawing is UTF-8 without control characters, and shows
 * each good character as it is and each other byte as '?'. */
static void test_labels(void)
{
    static const uint8_t bytes[] = {0x01u, 0x1Fu, 0x20u, 'a', 0x7Fu, 0x80u, 0x8Fu, 0x90u, 0x9Fu,
        0xA0u, 0xBFu, 0xC0u, 0xC2u, 0xC3u, 0xDFu, 0xE0u, 0xE1u, 0xEDu, 0xEFu, 0xF0u, 0xF1u, 0xF4u,
        0xF5u, 0xFFu};
    uint32_t const rounds = t_fast ? 4000u : 40000u;
    t_rng rng;
    uint32_t k;
    rng.state = t_seed ^ 0x8Fu;
    for (k = 0; k < rounds && !t_failed(); k++) {
        gsp_counts const counts = gsp_build_counts(1u, 4u, 8u, 2u, 10u, 200u);
        unsigned char target[10];
        char expected[64];
        size_t n_expected = 0;
        size_t n = 1u + t_below(&rng, 9u);
        size_t i;
        gsp_builder b;
        gsp_str t;
        subject s;
        t_string drawn = {NULL, 0u, 0u};
        memset(&s, 0, sizeof(s));
        for (i = 0; i < n; i++) {
            target[i] = bytes[t_below(&rng, (uint32_t)sizeof(bytes))];
        }
        for (i = 0; i < n;) {
            size_t const size = character(target + i, n - i);
            if (size != 0u) {
                memcpy(expected + n_expected, target + i, size);
                n_expected += size;
                i += size;
            } else { /* a control character is one '?', a wrong byte too */
                expected[n_expected++] = '?';
                i += target[i] == 0xC2u && i + 1u < n && target[i + 1u] / 0x20u == 4u ? 2u : 1u;
            }
        }
        expected[n_expected] = '\0';
        t.data = (const char *)target;
        t.size = (uint32_t)n;
        t_arena_open(&s.arena, gsp_build_bound(&counts));
        T_EQUAL(gsp_build_init(&b, &s.arena, &counts, &s.err), GSP_OK);
        gsp_build_graph(&b, gsp_str_of("main"));
        (void)gsp_build_node(&b, GSP_OP_CALL_FUNCTION, gsp_str_of("a"), t);
        (void)gsp_build_output(&b);
        gsp_build_arg_node(&b, 0u);
        if (T_EQUAL(gsp_build_finish(&b, &s.m, &s.err), GSP_OK)) {
            s.g = gsp_module_graph(&s.m, 0u);
            T_EQUAL(gsp_draw_graph(&s.g, NULL, t_sink, &drawn, &s.err), GSP_OK);
            for (i = 0; i < drawn.size && !t_failed();) {
                size_t const size = character((unsigned char *)drawn.data + i, drawn.size - i);
                T_CHECK(size != 0u);
                i += size;
            }
            if (!T_CHECK(strstr(drawn.data, expected) != NULL)) {
                printf("%s in %s\n", expected, drawn.data);
            }
            t_free(&drawn);
        }
        t_arena_close(&s.arena);
    }
}

/* Costs of a caller, each wrong in one way. */
static void test_costs(void)
{
    static const uint32_t stage_of[5] = {GSP_NONE, GSP_NONE, 0u, 1u, GSP_NONE};
    static const uint64_t huge[5] = {0u, 0u, UINT64_MAX / 16u, UINT64_MAX / 16u, 0u};
    static const uint64_t above[5] = {0u, 0u, UINT64_MAX / 8u, 0u, 0u};
    subject s;
    if (open_text(&s, chain)) {
        uint32_t begin[6] = {0u, 0u, 0u, 1u, 1u, 1u};
        uint32_t items[1] = {0u};
        uint64_t bytes[1] = {4u};
        gsp_costs costs;
        gsp_stage_costs_desc desc;
        gsp_stage_costs_result result;
        memset(&costs, 0, sizeof(costs));
        memset(&desc, 0, sizeof(desc));
        costs.n_nodes = 5u;
        costs.n_items = 1u;
        costs.item_begin = begin;
        costs.items = items;
        costs.item_bytes = bytes;
        desc.n_stages = 2u;
        desc.stage_of = stage_of;
        desc.model.costs = &costs;
        T_EQUAL(gsp_stage_costs_run(&s.arena, &s.g, &desc, &result, &s.err), GSP_OK);
#define COSTS(status, detail) \
    GIVES(gsp_stage_costs_run(&s.arena, &s.g, &desc, &result, &s.err), status, detail)
        begin[0] = 1u;
        COSTS(ARG, COSTS);
        begin[0] = 0u;
        begin[4] = 0u; /* descends */
        COSTS(ARG, COSTS);
        begin[4] = 1u;
        begin[5] = 99u; /* more than there are reads */
        COSTS(ARG, COSTS);
        begin[5] = 1u;
        costs.n_items = 99u;
        COSTS(ARG, COSTS);
        costs.n_items = 1u;
        costs.items = NULL;
        COSTS(ARG, COSTS);
        costs.items = items;
        items[0] = 1u;
        COSTS(ARG, COSTS);
        items[0] = 0u;
        costs.n_nodes = 4u;
        COSTS(ARG, COSTS);
        costs.n_nodes = 5u;
        bytes[0] = UINT64_MAX / 16u; /* the most */
        COSTS(OK, NONE);
        bytes[0] = UINT64_MAX;
        COSTS(OVERFLOW, SIZE);
        bytes[0] = 4u;
        desc.model.first_time = UINT64_MAX / 8u;
        COSTS(OVERFLOW, SIZE);
        desc.model.first_time = 0u;
        costs.time = huge;
        COSTS(OVERFLOW, SIZE);
        costs.time = above;
        COSTS(OVERFLOW, SIZE);
        costs.time = NULL;
        costs.move = huge;
        COSTS(OVERFLOW, SIZE);
        costs.move = NULL;
        costs.stash = huge;
        COSTS(OVERFLOW, SIZE);
    }
    close_text(&s);
}

/* Nodes that no stage needs have none. */
static void test_params_unused(void)
{
    static const char unused[] =
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
        "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})\n"
        "    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})\n"
        "    %c : [num_users=0] = call_function[target=f](args = (%b,), kwargs = {})\n"
        "    return a\n";
    static const uint32_t stage_of[5] = {GSP_NONE, 0u, GSP_NONE, GSP_NONE, GSP_NONE};
    subject s;
    if (open_text(&s, unused)) {
        gsp_stage_params_desc desc;
        gsp_stage_params_result result;
        memset(&desc, 0, sizeof(desc));
        desc.stage_of = stage_of;
        GIVES(gsp_stage_params_run(&s.arena, &s.g, &desc, &result, &s.err), OK, NONE);
    }
    close_text(&s);
}

/* The first node of a graph may be a call. */
static void test_params_first(void)
{
    static const uint32_t stage_of[2] = {9u, GSP_NONE};
    subject s;
    if (open_text(&s, "graph():\n"
                      "    %a : [num_users=1] = call_function[target=f](args = (1,), kwargs = {})\n"
                      "    return a\n")) {
        gsp_stage_params_desc desc;
        gsp_stage_params_result result;
        memset(&desc, 0, sizeof(desc));
        desc.stage_of = stage_of;
        GIVES(gsp_stage_params_run(&s.arena, &s.g, &desc, &result, &s.err), ARG, STAGE);
        T_EQUAL(s.err.node, 0u);
    }
    close_text(&s);
}

static void test_params(void)
{
    static const uint32_t stage_of[5] = {GSP_NONE, GSP_NONE, 0u, 1u, GSP_NONE};
    subject s;
    if (open_text(&s, chain)) {
        gsp_stage_param_use use = {{"m.w", 3u}, 0u};
        gsp_stage_params_desc desc;
        gsp_stage_params_result result;
        memset(&desc, 0, sizeof(desc));
#define PARAMS(status, detail) \
    GIVES(gsp_stage_params_run(&s.arena, &s.g, &desc, &result, &s.err), status, detail)
        PARAMS(ARG, NULL_ARGUMENT);
        desc.stage_of = stage_of;
        PARAMS(OK, NONE);
        desc.n_uses = 1u;
        PARAMS(ARG, NULL_ARGUMENT);
        desc.uses = &use;
        PARAMS(OK, NONE);
        desc.multi_use = GSP_MULTI_USE_COUNT;
        PARAMS(ARG, MULTI_USE);
        desc.multi_use = 0u;
        use.multi_use = GSP_MULTI_USE_COUNT;
        PARAMS(ARG, MULTI_USE);
        use.multi_use = 0u;
        use.target.data = NULL;
        PARAMS(ARG, NULL_ARGUMENT);
        T_EQUAL(gsp_stages_is_marker(&s.g, 99u, NULL), 0);
        T_EQUAL(gsp_stages_is_marker(&s.g, 2u, NULL), 0);
        T_EQUAL(gsp_stages_is_marker(&s.g, 2u, "f"), 1);
    }
    close_text(&s);
}

/* Seconds whose sum is no finite number. */
static void test_latencies(void)
{
    subject s;
    if (open_text(&s, chain)) {
        gsp_device devices[2];
        uint32_t part_of[5] = {GSP_NONE, GSP_NONE, 0u, 1u, GSP_NONE};
        gsp_partition_desc desc;
        gsp_assignment a;
        gsp_score_desc score;
        gsp_score_result scored;
        memset(&desc, 0, sizeof(desc));
        memset(&score, 0, sizeof(score));
        devices[0].name = devices[1].name = gsp_str_of("d");
        devices[0].id = 0u;
        devices[1].id = 1u;
        devices[0].bytes = devices[1].bytes = 1000u;
        desc.devices = devices;
        desc.n_devices = 2u;
        desc.has_rate = 1u;
        desc.transfer_rate = 1.0;
        desc.mode = GSP_PARTITION_COST;
        GIVES(gsp_assign_run(&s.arena, &s.g, &desc, &a, &s.err), OVERFLOW, LATENCY);
        desc.mode = GSP_PARTITION_KL;
        GIVES(gsp_assign_run(&s.arena, &s.g, &desc, &a, &s.err), OVERFLOW, LATENCY);
        score.n_parts = 2u;
        score.part_of = part_of;
        GIVES(gsp_score_run(&s.arena, &s.g, &score, &scored, &s.err), OVERFLOW, LATENCY);
    }
    close_text(&s);
}

/* A transfer that takes forever, where no device can hold both nodes. */
static void test_transfers(void)
{
    subject s;
    if (open_text(&s, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
                      "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})"
                      "  # f32[4] compute=1.0\n"
                      "    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})"
                      "  # f32[4] compute=1.0\n    return b\n")) {
        gsp_device devices[2];
        gsp_partition_desc desc;
        gsp_assignment a;
        memset(&desc, 0, sizeof(desc));
        devices[0].name = devices[1].name = gsp_str_of("d");
        devices[0].id = 0u;
        devices[1].id = 1u;
        devices[0].bytes = devices[1].bytes = 33u;
        desc.devices = devices;
        desc.n_devices = 2u;
        desc.has_rate = 1u;
        for (desc.mode = GSP_PARTITION_COST; desc.mode <= GSP_PARTITION_KL; desc.mode++) {
            desc.transfer_rate = 1e-308;
            GIVES(gsp_assign_run(&s.arena, &s.g, &desc, &a, &s.err), OVERFLOW, LATENCY);
            desc.transfer_rate = 0.0;
            GIVES(gsp_assign_run(&s.arena, &s.g, &desc, &a, &s.err), ARG, RATE_ZERO);
        }
    }
    close_text(&s);
}

static void test_choices(void)
{
    static const uint64_t time[5] = {0u, 0u, 1u, 1u, 0u};
    subject s;
    if (open_text(&s, chain)) {
        gsp_costs costs;
        gsp_stages_optimal_desc desc;
        gsp_stages_optimal_result result;
        memset(&costs, 0, sizeof(costs));
        memset(&desc, 0, sizeof(desc));
        costs.n_nodes = 5u;
        costs.time = time;
        desc.n_devices = 2u;
        desc.model.costs = &costs;
        desc.goal = GSP_STAGES_OPTIMAL_COUNT;
        GIVES(gsp_stages_optimal_run(&s.arena, &s.g, &desc, &result, &s.err), DESC, CHOICE);
        desc.goal = 0u;
        desc.marker = "mark";
        T_EQUAL(gsp_stages_optimal_run(&s.arena, &s.g, &desc, &result, &s.err), GSP_OK);
    }
    close_text(&s);
}

/* Too little work for the best cut into parts still gives parts within the budget. */
static void test_little_work(void)
{
    t_string text = {NULL, 0u, 0u};
    subject s;
    uint32_t i;
    t_puts(&text, "graph():\n    %n0 : [num_users=0] = placeholder[target=x]  # f32[4]\n");
    for (i = 1; i < 60u; i++) {
        t_puts(&text, "    %n");
        t_number(&text, i);
        t_puts(&text, " : [num_users=0] = call_function[target=f](args = (%n");
        t_number(&text, i - 1u);
        t_puts(&text, ", %n");
        t_number(&text, i / 2u);
        t_puts(&text, "), kwargs = {})  # f32[4]\n");
    }
    t_puts(&text, "    return n59\n");
    if (open_text(&s, text.data)) {
        gsp_split_by_memory_desc desc;
        gsp_split_by_memory_result best;
        gsp_split_by_memory_result quick;
        memset(&desc, 0, sizeof(desc));
        for (desc.budget = 64u; desc.budget < 2048u; desc.budget *= 2u) {
            gsp_mark const mark = gsp_arena_mark(&s.arena);
            gsp_status status;
            desc.max_work = 0u;
            status = gsp_split_by_memory_run(&s.arena, &s.g, &desc, &best, &s.err);
            desc.max_work = 1u;
            T_EQUAL(gsp_split_by_memory_run(&s.arena, &s.g, &desc, &quick, &s.err), status);
            if (status == GSP_OK) {
                T_EQUAL(quick.n_parts, best.n_parts);
            }
            gsp_arena_rewind(&s.arena, mark);
        }
    }
    close_text(&s);
    t_free(&text);
}

void suite_contract_values(void)
{
    t_run("labels", test_labels);
    t_run("costs", test_costs);
    t_run("params", test_params);
    t_run("params_unused", test_params_unused);
    t_run("params_first", test_params_first);
    t_run("latencies", test_latencies);
    t_run("transfers", test_transfers);
    t_run("choices", test_choices);
    t_run("little_work", test_little_work);
}
