#include "tests/t.h"

#define X "graph():\n    %x : [num_users=9] = placeholder[target=x]  # f32[4]\n"
#define FN(name, args, note) \
    "    %" name " : [num_users=1] = call_function[target=" name "](args = (" args \
    "), kwargs = {})  # " note "\n"

static const char chain[] = X FN("a", "%x,", "acc=0") FN("b", "%a,", "acc=1")
    FN("c", "%b,", "acc=0") FN("d", "%c,", "acc=1") FN("e", "%d,", "acc=1") FN("f", "%e,", "acc=0")
        FN("g", "%f,", "acc=1") "    return g\n";

/* The subgraphs of a split, one a line. */
static void check(const char *text, const gsp_split_desc *desc, const char *expected, int line)
{
    t_split s;
    t_string found = {NULL, 0u, 0u};
    t_add(&found, "", 0u);
    if (t_check_equal(
            (uint64_t)t_split_text(&s, text, NULL, desc), GSP_OK, __FILE__, line, "status")) {
        uint32_t i;
        for (i = 0; i < s.split.n_subgraphs; i++) {
            t_puts(&found, t_subgraph(&s, i));
            t_puts(&found, "\n");
        }
        t_check_text(gsp_str_of(found.data), expected, __FILE__, line, "subgraphs");
    }
    t_free(&found);
    t_split_close(&s);
}
#define SPLITS(text, desc, expected) check((text), (desc), (expected), __LINE__)

static void test_nothing(void)
{
    SPLITS("graph():\n    return None\n", NULL, "");
    SPLITS(X "    return x\n", NULL, "");
}

static void test_phases(void)
{
    SPLITS(chain, NULL,
        "_run_on_cpu_0: a\n_run_on_acc_1: b\n_run_on_cpu_2: c\n_run_on_acc_3: d e\n"
        "_run_on_cpu_4: f\n_run_on_acc_5: g\n");
}

static void test_min_size(void)
{
    gsp_split_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.min_size = 2;
    SPLITS(chain, &desc, "_run_on_cpu_0: a b c\n_run_on_acc_1: d e\n_run_on_cpu_2: f g\n");
    desc.min_size = 3;
    SPLITS(chain, &desc, "_run_on_cpu_0: a b c d e f g\n");
    desc.waive_min_size = 1;
    SPLITS(chain, &desc, "_run_on_cpu_0: a b c d e f g\n");
    SPLITS(X FN("a", "%x,", "acc=1") "    return a\n", &desc, "_run_on_acc_0: a\n");
    desc.waive_min_size = 0;
    SPLITS(X FN("a", "%x,", "acc=1") "    return a\n", &desc, "_run_on_cpu_0: a\n");
}

static void test_limit(void)
{
    gsp_split_desc desc;
    t_split s;
    memset(&desc, 0, sizeof(desc));
    desc.limit_policy = GSP_LIMIT_ERROR;
    desc.limit = 6;
    T_EQUAL(t_split_text(&s, chain, NULL, &desc), GSP_OK);
    t_split_close(&s);
    desc.limit = 5;
    T_EQUAL(t_split_text(&s, chain, NULL, &desc), GSP_STATUS_LIMIT);
    T_EQUAL(s.err.detail, GSP_DETAIL_SUBGRAPHS);
    T_EQUAL(s.err.need, 6);
    T_EQUAL(s.err.limit, 5);
    t_split_close(&s);
    desc.limit_policy = 0; /* a limit alone demotes */
    T_EQUAL(t_split_text(&s, chain, NULL, &desc), GSP_OK);
    T_CHECK(s.split.n_subgraphs <= 5u);
    t_split_close(&s);
}

/* Bytes between the fields are not compared. */
static int is_same_result(const gsp_split_result *a, const gsp_split_result *b)
{
    return a->n_subgraphs == b->n_subgraphs && a->n_raw == b->n_raw && a->n_phases == b->n_phases &&
           a->kind == b->kind && a->raw_of == b->raw_of && a->subgraph_of == b->subgraph_of &&
           a->nodes == b->nodes;
}

/* A split that fails after its room was found leaves the result as it was. */
static void test_result_of_failure(void)
{
    gsp_split_desc desc;
    gsp_split_result before;
    t_split s;
    memset(&desc, 0, sizeof(desc));
    T_EQUAL(t_split_text(&s, chain, NULL, &desc), GSP_OK);
    before = s.split;
    desc.placement = &s.placement;
    desc.limit_policy = GSP_LIMIT_ERROR;
    desc.limit = 5;
    T_EQUAL(gsp_split_run(&s.arena, &s.graph, &desc, &s.split, &s.err), GSP_STATUS_LIMIT);
    T_CHECK(is_same_result(&before, &s.split));
    desc.limit = 0;
    desc.phase = s.split.subgraph_of;
    T_EQUAL(gsp_split_run(&s.arena, &s.graph, &desc, &s.split, &s.err), GSP_OK);
    s.placement.kind[gsp_graph_find(&s.graph, gsp_str_of("d"))] ^= 1u;
    before = s.split;
    T_EQUAL(gsp_split_run(&s.arena, &s.graph, &desc, &s.split, &s.err), GSP_STATUS_ARG);
    T_EQUAL(s.err.detail, GSP_DETAIL_TAG);
    T_CHECK(is_same_result(&before, &s.split));
    t_split_close(&s);
}

/* The least valuable go first; among equals the earlier. */
static void test_demote(void)
{
    gsp_split_desc desc;
    uint64_t value[9] = {100, 0, 2, 0, 1, 1, 0, 3, 100};
    memset(&desc, 0, sizeof(desc));
    desc.limit = 5;
    desc.limit_policy = GSP_LIMIT_DEMOTE;
    SPLITS(chain, &desc,
        "_run_on_cpu_0: a b c\n_run_on_acc_1: d e\n_run_on_cpu_2: f\n_run_on_acc_3: g\n");
    desc.limit = 3;
    SPLITS(chain, &desc, "_run_on_cpu_0: a b c\n_run_on_acc_1: d e\n_run_on_cpu_2: f g\n");
    desc.limit = 1;
    SPLITS(chain, &desc, "_run_on_cpu_0: a b c d e f g\n");
    desc.value = value;
    desc.limit = 3;
    SPLITS(chain, &desc, "_run_on_cpu_0: a b c d e f\n_run_on_acc_1: g\n");
    value[7] = 1;
    SPLITS(chain, &desc, "_run_on_cpu_0: a b c\n_run_on_acc_1: d e\n_run_on_cpu_2: f g\n");
}

static void test_max_acc(void)
{
    static const uint32_t min_sizes[] = {0, 2};
    gsp_split_desc desc;
    t_split s;
    memset(&desc, 0, sizeof(desc));
    desc.max_acc = 2;
    desc.limit_policy = GSP_LIMIT_ERROR;
    T_EQUAL(t_split_text(&s, chain, NULL, &desc), GSP_STATUS_LIMIT);
    T_EQUAL(s.err.need, 3);
    T_EQUAL(s.err.limit, 2);
    t_split_close(&s);
    desc.limit_policy = GSP_LIMIT_DEMOTE;
    SPLITS(chain, &desc,
        "_run_on_cpu_0: a b c\n_run_on_acc_1: d e\n_run_on_cpu_2: f\n_run_on_acc_3: g\n");
    desc.max_acc = 1;
    SPLITS(chain, &desc, "_run_on_cpu_0: a b c\n_run_on_acc_1: d e\n_run_on_cpu_2: f g\n");
    desc.max_acc = 3;
    desc.limit = 1;
    SPLITS(chain, &desc, "_run_on_cpu_0: a b c d e f g\n");
    memset(&desc, 0, sizeof(desc));
    desc.min_sizes = min_sizes;
    SPLITS(chain, &desc, "_run_on_cpu_0: a b c\n_run_on_acc_1: d e\n_run_on_cpu_2: f g\n");
}

/* Subgraphs above the maximum are cut; a group above it goes to the CPU, a rest may be small. */
static void test_max_size(void)
{
    static const char line[] = X FN("a", "%x,", "acc=1") FN("b", "%a,", "acc=1")
        FN("c", "%b,", "acc=1") FN("d", "%c,", "acc=1") FN("e", "%d,", "acc=1") "    return e\n";
    static const char grouped[] =
        X FN("a", "%x,", "acc=1") FN("b", "%a,", "acc=1 group=g") FN("c", "%b,", "acc=1 group=g")
            FN("d", "%c,", "acc=1 group=g") FN("e", "%d,", "acc=1") "    return e\n";
    static const uint32_t max_sizes[] = {1, 4};
    gsp_split_desc desc;
    t_split s;
    memset(&desc, 0, sizeof(desc));
    desc.max_size = 2;
    SPLITS(line, &desc, "_run_on_acc_0: a b\n_run_on_acc_1: c d\n_run_on_acc_2: e\n");
    desc.min_size = 2;
    SPLITS(line, &desc, "_run_on_acc_0: a b\n_run_on_acc_1: c d\n_run_on_cpu_2: e\n");
    desc.max_acc = 1;
    desc.limit_policy = GSP_LIMIT_DEMOTE;
    SPLITS(line, &desc, "_run_on_cpu_0: a b\n_run_on_acc_1: c d\n_run_on_cpu_2: e\n");
    memset(&desc, 0, sizeof(desc));
    desc.max_size = 3;
    SPLITS(grouped, &desc, "_run_on_acc_0: a\n_run_on_acc_1: b c d\n_run_on_acc_2: e\n");
    desc.max_sizes = max_sizes;
    SPLITS(grouped, &desc, "_run_on_acc_0: a b c d\n_run_on_acc_1: e\n");
    desc.max_sizes = NULL;
    desc.max_size = 2;
    SPLITS(grouped, &desc, "_run_on_acc_0: a\n_run_on_cpu_1: b c d\n_run_on_acc_2: e\n");
    T_EQUAL(t_split_text(&s, grouped, NULL, &desc), GSP_OK);
    T_EQUAL(s.split.reason[1], GSP_REASON_SUPPORTED);
    T_EQUAL(s.split.reason[2], GSP_REASON_LARGE);
    T_EQUAL(s.split.n_raw, 3);
    t_split_close(&s);
}

/* One call does what three do, byte for byte. */
static void test_parts(void)
{
    gsp_arena arena;
    gsp_split_subgraphs_desc desc;
    gsp_split_subgraphs_result r;
    gsp_error err;
    t_split s;
    memset(&desc, 0, sizeof(desc));
    desc.split.prefix = "part_";
    T_EQUAL(t_split_text(&s, chain, NULL, &desc.split), GSP_OK);
    t_arena_open(&arena, gsp_split_subgraphs_bound(&s.graph, &desc));
    if (T_EQUAL(gsp_split_subgraphs_run(&arena, &s.graph, &desc, &r, &err), GSP_OK)) {
        T_CHECK(t_module_equal(&r.subgraphs.module, &s.tags.module));
        T_EQUAL(r.split.n_subgraphs, s.split.n_subgraphs);
        T_EQUAL(r.placement.n_kinds, 2);
    }
    t_arena_close(&arena);
    desc.split.placement = &s.placement;
    t_arena_open(&arena, gsp_split_subgraphs_bound(&s.graph, &desc));
    if (T_EQUAL(gsp_split_subgraphs_run(&arena, &s.graph, &desc, &r, &err), GSP_OK)) {
        T_CHECK(t_module_equal(&r.subgraphs.module, &s.tags.module));
    }
    desc.split.limit = 2;
    desc.split.limit_policy = GSP_LIMIT_ERROR;
    gsp_arena_init(&arena, arena.base, arena.size);
    T_EQUAL(gsp_split_subgraphs_run(&arena, &s.graph, &desc, &r, &err), GSP_STATUS_LIMIT);
    T_EQUAL(arena.low + arena.high, 0);
    desc.end_canary = 1;
    T_EQUAL(gsp_split_subgraphs_run(&arena, &s.graph, &desc, &r, &err), GSP_STATUS_DESC);
    t_arena_close(&arena);
    t_split_close(&s);
}

/* Sums of values beyond 64 bits are refused, or compared without wrapping around. */
static void test_huge_values(void)
{
    gsp_split_desc desc;
    t_split s;
    gsp_status status;
    uint64_t value[9] = {0, 0, 5, 0, UINT64_MAX, 2, 0, 7, 0};
    memset(&desc, 0, sizeof(desc));
    desc.limit = 3;
    desc.limit_policy = GSP_LIMIT_DEMOTE;
    desc.value = value;
    status = t_split_text(&s, chain, NULL, &desc);
    T_CHECK(status == GSP_STATUS_OVERFLOW || status == GSP_OK);
    if (status == GSP_OK) {
        T_STRING(t_subgraph(&s, 1u), "_run_on_acc_1: d e");
    }
    t_split_close(&s);
}

static void test_tags(void)
{
    static const char *const names[] = {"host", "npu"};
    gsp_split_desc desc;
    t_split s;
    char tag[16];
    memset(&desc, 0, sizeof(desc));
    desc.prefix = "part_";
    SPLITS(X FN("a", "%x,", "acc=1") FN("b", "%a,", "acc=0") "    return b\n", &desc,
        "part_acc_0: a\npart_cpu_1: b\n");
    desc.names = names;
    SPLITS(X FN("a", "%x,", "acc=1") FN("b", "%a,", "acc=0") "    return b\n", &desc,
        "part_npu_0: a\npart_host_1: b\n");
    if (T_EQUAL(t_split_text(&s, X FN("a", "%x,", "acc=1") "    return a\n", NULL, NULL), GSP_OK)) {
        T_EQUAL(gsp_split_tag(&s.split, 0u, tag, sizeof(tag)), 13);
        T_STRING(tag, "_run_on_acc_0");
        T_EQUAL(gsp_split_tag(&s.split, 0u, tag, 5u), 13);
        T_STRING(tag, "_run");
        T_EQUAL(gsp_split_tag(&s.split, 0u, tag, 1u), 13);
        T_STRING(tag, "");
        T_EQUAL(gsp_split_tag(&s.split, 0u, NULL, 0u), 13);
        s.split.prefix = NULL;
        T_EQUAL(gsp_split_tag(&s.split, 0u, tag, sizeof(tag)), 5);
        T_EQUAL(gsp_split_tag(&s.split, GSP_NONE, tag, sizeof(tag)), 0);
        T_STRING(tag, "");
    }
    t_split_close(&s);
}

/* Numbers of tags begin above those of names that have the prefix, if one of these would be one. */
static void test_first_tag(void)
{
    static const struct {
        const char *targets[3];
        uint32_t first;
    } rows[] = {{{"a", "b", "run_on_acc_0"}, 0}, {{"_run_on_acc_1", "b", "c"}, 0},
        {{"_run_on_acc_0", "b", "_run_o_9"}, 1}, {{"_run_on_acc_7", "_run_on_cpu_0.w", "c"}, 8},
        {{"_run_on_acc_0", "_run_on_acc_7", "_run_on_0"}, 8},
        {{"_run_on_acc_7", "_run_on_8", "c"}, 0},
        {{"_run_on_acc_0", "_run_on_x_y", "abcdefghi_4"}, 1}};
    for (uint32_t i = 0; i < T_COUNT_OF(rows); i++) {
        t_string text = {NULL, 0u, 0u};
        t_split s;
        t_puts(&text, X);
        for (uint32_t k = 0; k < 3u; k++) {
            t_puts(&text, "    %m");
            t_number(&text, k);
            t_puts(&text, " : [num_users=1] = call_module[target=");
            t_puts(&text, rows[i].targets[k]);
            t_puts(&text, "](args = (%x,), kwargs = {})  # f32[4] acc=1\n");
        }
        t_puts(&text, "    return (m0, m1, m2)\n");
        int const taken = strcmp(rows[i].targets[0], "_run_on_acc_0") == 0;
        T_EQUAL(t_split_text(&s, text.data, NULL, NULL), taken ? GSP_STATUS_ARG : GSP_OK);
        T_EQUAL(s.err.detail, taken ? GSP_DETAIL_TAG_NAME : GSP_DETAIL_NONE);
        T_EQUAL(s.split.n_subgraphs, 1u);
        T_EQUAL(gsp_split_first_tag(&s.graph, &s.split), rows[i].first);
        t_split_close(&s);
        t_free(&text);
    }
}

/* Phases go round the kinds; empty ones vanish; non-tensor values cross between no two kinds. */
static void test_several(void)
{
    gsp_accelerator accelerators[2];
    gsp_support_desc support;
    t_split s;
    memset(accelerators, 0, sizeof(accelerators));
    memset(&support, 0, sizeof(support));
    support.n_accelerators = 2;
    support.accelerators = accelerators;
    if (T_EQUAL(t_split_text(&s,
                    X FN("a", "%x,", "acc=2") FN("b", "%a,", "acc=1") FN("c", "%b,", "acc=0")
                        FN("d", "%c,", "acc=2") FN("e", "%d,", "int acc=2") FN("f", "%e,", "acc=1")
                            FN("g", "%x,", "acc=1") "    return (f, g)\n",
                    &support, NULL),
            GSP_OK)) {
        T_EQUAL(s.split.n_kinds, 3);
        T_STRING(t_subgraph(&s, 0u), "_run_on_acc1_0: g");
        T_STRING(t_subgraph(&s, 1u), "_run_on_acc2_1: a");
        T_STRING(t_subgraph(&s, 2u), "_run_on_acc1_2: b");
        T_STRING(t_subgraph(&s, 3u), "_run_on_cpu_3: c");
        T_STRING(t_subgraph(&s, 4u), "_run_on_acc2_4: d");
        T_STRING(t_subgraph(&s, 5u), "_run_on_cpu_5: e f");
        T_EQUAL(s.split.n_subgraphs, 6);
    }
    t_split_close(&s);
}

/* Case A24: why nodes are where they are. */
static void test_reasons(void)
{
    static const char text[] =
        "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[2, 2]\n"
        "    %y : [num_users=1] = placeholder[target=y]  # int\n"
        "    %sup_f : [num_users=1] = call_function[target=sup_f](args = (%x,), kwargs = {})  # "
        "f32[2, 2] acc=1\n"
        "    %sup_f_1 : [num_users=1] = call_function[target=sup_f](args = (%y,), kwargs = {})  # "
        "int acc=1\n"
        "    %add : [num_users=1] = call_function[target=operator.add](args = (%sup_f, %sup_f_1), "
        "kwargs = {})"
        "  # f32[2, 2]\n"
        "    %sup_f_2 : [num_users=1] = call_function[target=sup_f](args = (%add,), kwargs = {})  "
        "# f32[2, 2] "
        "acc=1\n    return sup_f_2\n";
    gsp_split_desc desc;
    t_split s;
    memset(&desc, 0, sizeof(desc));
    if (T_EQUAL(t_split_text(&s, text, NULL, NULL), GSP_OK)) {
        T_STRING(t_subgraph(&s, 0u), "_run_on_cpu_0: sup_f_1");
        T_STRING(t_subgraph(&s, 1u), "_run_on_acc_1: sup_f");
        T_STRING(t_subgraph(&s, 2u), "_run_on_cpu_2: add");
        T_STRING(t_subgraph(&s, 3u), "_run_on_acc_3: sup_f_2");
        T_EQUAL(s.split.reason[2], GSP_REASON_SUPPORTED);
        T_EQUAL(s.split.reason[3], GSP_REASON_NON_TENSOR_OUT);
        T_EQUAL(s.split.culprit[3], 4);
        T_EQUAL(s.split.reason[4], GSP_REASON_UNSUPPORTED);
        T_EQUAL(s.split.reason[5], GSP_REASON_SUPPORTED);
    }
    t_split_close(&s);
    desc.min_size = 2;
    desc.limit_policy = GSP_LIMIT_DEMOTE;
    if (T_EQUAL(t_split_text(&s, text, NULL, &desc), GSP_OK)) {
        T_EQUAL(s.split.reason[2], GSP_REASON_SMALL);
        T_EQUAL(s.split.reason[5], GSP_REASON_SMALL);
        T_EQUAL(s.split.kind[2], 1);
        T_EQUAL(s.split.n_subgraphs, 1);
        T_EQUAL(s.split.n_raw, 4);
    }
    t_split_close(&s);
    desc.min_size = 0;
    desc.limit = 1;
    if (T_EQUAL(t_split_text(&s, text, NULL, &desc), GSP_OK)) {
        T_EQUAL(s.split.reason[2], GSP_REASON_LIMIT);
    }
    t_split_close(&s);
}

/* The placement needs no more than kinds, and is not changed. */
static void test_bare_placement(void)
{
    gsp_arena arena;
    gsp_module m;
    gsp_error err;
    t_arena_open(&arena, 1u << 16);
    if (T_EQUAL(gsp_text_read(&arena, chain, strlen(chain), NULL, &m, &err), GSP_OK)) {
        uint8_t kind[9] = {GSP_KIND_NONE, 0, 1, 0, 1, 1, 0, 1, GSP_KIND_NONE};
        uint8_t before[9];
        gsp_graph const g = gsp_module_graph(&m, 0u);
        gsp_placement p;
        gsp_split_desc desc;
        gsp_split_result r;
        memset(&p, 0, sizeof(p));
        memset(&desc, 0, sizeof(desc));
        memcpy(before, kind, sizeof(kind));
        p.n_nodes = 9;
        p.n_kinds = 2;
        p.kind = kind;
        desc.placement = &p;
        if (T_EQUAL(gsp_split_run(&arena, &g, &desc, &r, &err), GSP_OK)) {
            T_EQUAL(r.n_subgraphs, 6);
            T_EQUAL(r.reason[1], GSP_REASON_UNSUPPORTED);
            T_EQUAL(r.reason[2], GSP_REASON_SUPPORTED);
            T_EQUAL(r.culprit[2], GSP_NONE);
        }
        T_CHECK(memcmp(before, kind, sizeof(kind)) == 0);
    }
    t_arena_close(&arena);
}

/* A given placement of a graph behind another, whose nodes are of other kinds. */
static void test_placed_child(void)
{
    static const char text[] = "module main\n" X FN("a", "%x,", "")
        FN("b", "%a,", "") "    return b\n"
                           "module child\ngraph():\n"
                           "    %p : [num_users=1] = placeholder[target=p]\n"
                           "    %q : [num_users=1] = placeholder[target=q]\n"
                           "    %r : [num_users=1] = placeholder[target=r]\n"
                           "    %s : [num_users=1] = placeholder[target=s]\n"
                           "    %t : [num_users=1] = placeholder[target=t]\n"
                           "    %u : [num_users=1] = placeholder[target=u]\n" FN(
                               "c", "%p, %q, %r, %s, %t, %u", "") "    return c\n";
    static uint8_t kind[8];
    gsp_placement placement;
    gsp_split_desc desc;
    gsp_split_result result;
    gsp_arena arena;
    gsp_arena work;
    gsp_module module;
    memset(&placement, 0, sizeof(placement));
    memset(&desc, 0, sizeof(desc));
    memset(kind, GSP_KIND_NONE, sizeof(kind));
    kind[6] = 1u;
    placement.n_nodes = T_COUNT_OF(kind);
    placement.n_kinds = 2u;
    placement.kind = kind;
    desc.placement = &placement;
    if (t_must_read(&arena, text, &module)) {
        gsp_graph const child = gsp_module_graph(&module, 1u);
        t_arena_open(&work, gsp_split_bound(&child, &desc));
        if (T_EQUAL(gsp_split_run(&work, &child, &desc, &result, NULL), GSP_OK)) {
            T_EQUAL(result.n_subgraphs, 1u);
            T_EQUAL(result.subgraph_of[6], 0u);
        }
        kind[5] = 1u; /* not callable */
        T_EQUAL(gsp_split_run(&work, &child, &desc, &result, NULL), GSP_STATUS_ARG);
        t_arena_close(&work);
    }
    t_arena_close(&arena);
}

/* A graph without calls has no run of nodes of one kind, however many kinds there are. */
static void test_no_runs(void)
{
    t_split s;
    gsp_split_desc desc;
    gsp_split_result r;
    memset(&desc, 0, sizeof(desc));
    T_EQUAL(
        t_split_text(&s, "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return x\n",
            NULL, NULL),
        GSP_OK);
    s.placement.n_kinds = 3u;
    desc.placement = &s.placement;
    desc.best_start = 1u;
    if (T_EQUAL(gsp_split_run(&s.arena, &s.graph, &desc, &r, &s.err), GSP_OK)) {
        T_EQUAL(r.n_phases, 0);
        T_EQUAL(r.n_least, 0);
    }
    t_split_close(&s);
}

void suite_unit_split(void)
{
    t_run("nothing", test_nothing);
    t_run("no_runs", test_no_runs);
    t_run("phases", test_phases);
    t_run("min_size", test_min_size);
    t_run("limit", test_limit);
    t_run("result_of_failure", test_result_of_failure);
    t_run("demote", test_demote);
    t_run("max_acc", test_max_acc);
    t_run("max_size", test_max_size);
    t_run("parts", test_parts);
    t_run("huge_values", test_huge_values);
    t_run("tags", test_tags);
    t_run("first_tag", test_first_tag);
    t_run("several", test_several);
    t_run("reasons", test_reasons);
    t_run("bare_placement", test_bare_placement);
    t_run("placed_child", test_placed_child);
}
