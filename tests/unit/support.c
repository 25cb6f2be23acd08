#include "tests/t.h"

static const char graph_text[] =
    "graph():\n"
    "    %x : [num_users=2] = placeholder[target=x]  # f32[4]\n"
    "    %q : [num_users=1] = placeholder[target=q]  # qi8[4]\n"
    "    %conv : [num_users=2] = call_module[target=blk.0.conv](args = (%x,), kwargs = {})  # "
    "f32[4] "
    "module=torch.nn.Conv2d\n"
    "    %relu : [num_users=1] = call_function[target=torch.relu](args = (%conv,), kwargs = {})  # "
    "f32[4]\n"
    "    %size : [num_users=1] = call_method[target=size](args = (%relu, 0), kwargs = {})  # int\n"
    "    %add : [num_users=1] = call_function[target=operator.add](args = (%conv, %size), kwargs = "
    "{alpha: %q})  # f32[4] scope=blk.1\n"
    "    %half : [num_users=1] = call_method[target=half](args = (%add,), kwargs = {})  # f16[4] "
    "acc=0\n"
    "    %yes : [num_users=1] = call_function[target=odd](args = (%half, %x), kwargs = {})  # "
    "f16[4] acc=1\n"
    "    return yes\n";
enum { CONV = 2, RELU, SIZE, ADD, HALF, YES };

typedef struct asked {
    gsp_arena text_arena;
    gsp_arena arena;
    gsp_module m;
    gsp_graph g;
    gsp_placement p;
    gsp_error err;
    gsp_support_desc desc;
    gsp_accelerator accelerators[3];
} asked;

static int start(asked *a, const char *text)
{
    memset(a, 0, sizeof(*a));
    a->desc.accelerators = a->accelerators;
    a->desc.n_accelerators = 1;
    if (!t_must_read(&a->text_arena, text, &a->m)) {
        t_arena_close(&a->text_arena);
        return 0;
    }
    a->g = gsp_module_graph(&a->m, 0u);
    return 1;
}

static gsp_status ask(asked *a)
{
    free(a->arena.base);
    t_arena_open(&a->arena, gsp_support_bound(&a->g, &a->desc));
    return gsp_support_run(&a->arena, &a->g, &a->desc, &a->p, &a->err);
}

static void finish(asked *a)
{
    t_arena_close(&a->arena);
    t_arena_close(&a->text_arena);
}

/* Kinds of the callable nodes, as digits. */
static const char *kinds(const asked *a)
{
    static char digits[64];
    gsp_node v;
    size_t n = 0;
    for (v = 0; v < a->p.n_nodes; v++) {
        if (a->p.kind[v] != GSP_KIND_NONE) {
            digits[n++] = (char)('0' + a->p.kind[v]);
        }
    }
    digits[n] = '\0';
    return digits;
}

static const char *asked_text = graph_text;

static void check_rules(const gsp_rule *rules, uint32_t n, const char *expected, int line)
{
    asked a;
    if (start(&a, asked_text)) {
        a.accelerators[0].rules = rules;
        a.accelerators[0].n_rules = n;
        if (t_check_equal((uint64_t)ask(&a), GSP_OK, __FILE__, line, "status")) {
            t_check_text(gsp_str_of(kinds(&a)), expected, __FILE__, line, "kinds");
        }
        finish(&a);
    }
}

static void check_table(const char *table_text, const char *expected, int line)
{
    gsp_arena arena;
    gsp_rule rule;
    gsp_error err;
    size_t const size = strlen(table_text);
    char *const copy = (char *)t_alloc(size); /* no byte behind the text */
    gsp_str const text = {copy, (uint32_t)size};
    memcpy(copy, table_text, size);
    memset(&rule, 0, sizeof(rule));
    rule.kind = GSP_RULE_TABLE;
    t_arena_open(&arena, gsp_table_bound(text));
    if (T_EQUAL(gsp_table_read(&arena, text, &rule.table, &err), GSP_OK)) {
        check_rules(&rule, 1u, expected, line);
    }
    t_arena_close(&arena);
    free(copy);
}
/* conv relu size add half yes; half is acc=0, yes is acc=1 */
#define TABLE(text, expected) check_table((text), (expected), __LINE__)

static void test_tables(void)
{
    TABLE("", "000001");
    TABLE("# nothing\n\n  \n", "000001");
    TABLE("torch.relu\n", "010001");
    TABLE("torch.relu\n  ", "010001"); /* no byte behind it */
    TABLE("torch.nn.Conv2d\nsize", "101001");
    TABLE("  torch.relu  \r\n\toperator.add # both\r\n", "010101");
    TABLE("torch.*", "110001");
    TABLE("torch.relu*", "010001");
    TABLE("*", "111101");
    TABLE("torch.*\n!torch.relu\n", "100001");
    TABLE("!torch.relu\ntorch.*\n", "110001");
    TABLE("*\n!torch.*\ntorch.relu\n", "011101");
    TABLE("torch.relu f32", "010001");
    TABLE("torch.relu f16,f32", "010001");
    TABLE("torch.relu f16", "000001");
    TABLE("torch.relu f3", "000001");
    TABLE("operator.add f32", "000001");
    TABLE("operator.add f32,qi8", "000101");
    TABLE("torch.rel", "000001");
    TABLE("blk.0.conv", "000001");
    TABLE("half\n!odd\n", "000001");
}

static void test_argument_dtypes(void)
{
    gsp_table_entry entry;
    gsp_arg_dtypes args[2];
    gsp_rule rule;
    memset(&entry, 0, sizeof(entry));
    memset(args, 0, sizeof(args));
    memset(&rule, 0, sizeof(rule));
    entry.name = gsp_str_of("operator.add");
    entry.args = args;
    entry.n_args = 2;
    args[0].dtypes = gsp_str_of("f16,f32");
    args[1].key = gsp_str_of("alpha");
    args[1].dtypes = gsp_str_of("qi8");
    rule.kind = GSP_RULE_TABLE;
    rule.table.entries = &entry;
    rule.table.n_entries = 1;
    check_rules(&rule, 1u, "000101", __LINE__);
    args[1].dtypes = gsp_str_of("qu8");
    check_rules(&rule, 1u, "000001", __LINE__);
    args[1].dtypes = gsp_str_of("");
    check_rules(&rule, 1u, "000101", __LINE__);
    args[0].dtypes = gsp_str_of("f16");
    check_rules(&rule, 1u, "000001", __LINE__);
    args[0].dtypes = gsp_str_of("f32");
    args[0].position = 1; /* no tensor there: nothing to refuse */
    check_rules(&rule, 1u, "000101", __LINE__);
}

/* The argument that a line refuses, with what it accepts there. */
static void test_refused_argument(void)
{
    gsp_table_entry entry;
    gsp_arg_dtypes args[2];
    gsp_rule rule;
    asked a;
    gsp_why why;
    memset(&entry, 0, sizeof(entry));
    memset(args, 0, sizeof(args));
    memset(&rule, 0, sizeof(rule));
    if (!start(&a, graph_text)) {
        return;
    }
    entry.name = gsp_str_of("operator.add");
    entry.args = args;
    entry.n_args = 2;
    args[0].dtypes = gsp_str_of("f16,f32");
    args[1].key = gsp_str_of("alpha");
    args[1].dtypes = gsp_str_of("qu8");
    rule.kind = GSP_RULE_TABLE;
    rule.table.entries = &entry;
    rule.table.n_entries = 1;
    a.accelerators[0].rules = &rule;
    a.accelerators[0].n_rules = 1;
    T_EQUAL(gsp_support_why(&a.g, &a.desc, ADD, 1u, &why, &a.err), GSP_OK);
    T_EQUAL(why.takes, 0);
    T_EQUAL(why.arg, 1);
    T_TEXT(why.accepted, "qu8");
    args[0].dtypes = gsp_str_of("f16");
    args[1].dtypes = gsp_str_of("qi8");
    T_EQUAL(gsp_support_why(&a.g, &a.desc, ADD, 1u, &why, &a.err), GSP_OK);
    T_EQUAL(why.arg, 0);
    T_TEXT(why.accepted, "f16");
    finish(&a);
}

static int only_size(void *user, const gsp_graph *graph, gsp_node node)
{
    ++*(int *)user;
    return gsp_str_equal(gsp_node_name(graph, node), gsp_str_of("size")) ? 7 : 0;
}

static void test_rules(void)
{
    static gsp_table_entry entries[2];
    gsp_rule rules[8];
    int calls = 0;
    memset(rules, 0, sizeof(rules));
    memset(entries, 0, sizeof(entries));
    entries[0].name = gsp_str_of("torch.*");
    entries[1].name = gsp_str_of("operator.add");
    rules[0].kind = GSP_RULE_TABLE;
    rules[0].table.entries = entries;
    rules[0].table.n_entries = 2;
    rules[1].kind = GSP_RULE_NOT;
    check_rules(rules, 1u, "110101", __LINE__);
    check_rules(rules, 2u, "001001", __LINE__);
    rules[2].kind = GSP_RULE_CALL;
    rules[2].func = only_size;
    rules[2].user = &calls;
    check_rules(rules + 2, 1u, "001001", __LINE__);
    T_CHECK(calls >= 4 && calls <= 6);
    rules[3].kind = GSP_RULE_ANY;
    rules[3].count = 2;
    check_rules(rules, 4u, "001001", __LINE__);
    rules[1] = rules[2]; /* a term inside a term, which begins above the first answer */
    rules[4] = rules[3];
    check_rules(rules, 5u, "111101", __LINE__);
    rules[1].kind = GSP_RULE_DTYPES;
    rules[1].dtypes = gsp_str_of("f32,f64");
    rules[2].kind = GSP_RULE_ALL;
    rules[2].count = 2;
    check_rules(rules, 3u, "110001", __LINE__);
    rules[0].kind = GSP_RULE_ANNOTATION;
    check_rules(rules, 1u, "000001", __LINE__);
    rules[1].kind = GSP_RULE_ALL;
    rules[1].count = 1;
    check_rules(rules, 2u, "000001", __LINE__);
}

/* The node's own dtype counts as those of its inputs do. */
static void test_own_dtype(void)
{
    asked a;
    gsp_rule rule;
    gsp_why why;
    memset(&rule, 0, sizeof(rule));
    rule.kind = GSP_RULE_DTYPES;
    rule.dtypes = gsp_str_of("f32");
    if (start(&a, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
                  "    %to : [num_users=0] = call_method[target=long](args = (%x,), kwargs = {})  "
                  "# i64[4]\n    return x\n")) {
        a.accelerators[0].rules = &rule;
        a.accelerators[0].n_rules = 1;
        T_EQUAL(ask(&a), GSP_OK);
        T_STRING(kinds(&a), "0");
        T_EQUAL(gsp_support_why(&a.g, &a.desc, 1u, 1u, &why, &a.err), GSP_OK);
        T_EQUAL(why.takes, 0);
        T_EQUAL(why.culprit, 1);
        T_TEXT(why.dtype, "i64");
    }
    finish(&a);
}

/* Two aggregates of one TYPE with a dtype that the line refuses. */
static void test_refused_aggregates(void)
{
    static gsp_table_entry entries[1];
    asked a;
    gsp_rule rule;
    memset(&rule, 0, sizeof(rule));
    rule.kind = GSP_RULE_TABLE;
    entries[0].name = gsp_str_of("split");
    entries[0].dtypes = gsp_str_of("f32");
    rule.table.entries = entries;
    rule.table.n_entries = 1;
    if (start(&a, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
                  "    %a : [num_users=0] = call_method[target=split](args = (%x,), kwargs = {})  "
                  "# tuple(f32[2], i64[2])\n"
                  "    %b : [num_users=0] = call_method[target=split](args = (%x,), kwargs = {})  "
                  "# tuple(f32[2], i64[2])\n"
                  "    %c : [num_users=0] = call_method[target=split](args = (%x,), kwargs = {})  "
                  "# tuple(f32[2], f32[2])\n"
                  "    %d : [num_users=0] = call_method[target=split](args = (%x,), kwargs = {})  "
                  "# tuple(f32[2], f32[2])\n    return x\n")) {
        a.accelerators[0].rules = &rule;
        a.accelerators[0].n_rules = 1;
        T_EQUAL(ask(&a), GSP_OK);
        T_STRING(kinds(&a), "0011");
    }
    finish(&a);
}

/* Nodes of one class with other attributes, and more forms than are remembered. */
static void test_forms(void)
{
    enum { FEW = 60, MANY = 10100 };
    t_rng rng = {7u};
    gsp_arena arena;
    gsp_table table;
    gsp_rule rule;
    gsp_str const line = gsp_str_of("f k==1 rank(0)==1 # of 1 or 2\n");
    memset(&rule, 0, sizeof(rule));
    t_arena_open(&arena, gsp_table_bound(line));
    T_EQUAL(gsp_table_read(&arena, line, &table, NULL), GSP_OK);
    rule.kind = GSP_RULE_TABLE;
    rule.table = table;
    for (uint32_t round = 0; round <= 20u; round++) {
        uint32_t const n = round < 20u ? FEW : MANY;
        t_string text = {NULL, 0u, 0u};
        uint8_t *const takes = (uint8_t *)t_alloc(n);
        asked a;
        t_puts(&text, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n");
        for (uint32_t v = 0; v < n; v++) {
            uint32_t const k = t_below(&rng, 3u);
            uint32_t const m = t_below(&rng, n == MANY ? 2u : 8u);
            takes[v] = k == 1u;
            t_puts(&text, "    %n");
            t_number(&text, v);
            t_puts(&text,
                " : [num_users=0] = call_function[target=f](args = (%x,), kwargs = {})  # f32[");
            t_number(&text, n == MANY ? v : 1u);
            t_puts(&text, k == 0u ? "]" : k == 1u ? "] k=1" : "] k=2");
            if (m > 0u) {
                t_puts(&text, " m=");
                t_number(&text, m);
            }
            t_puts(&text, "\n");
        }
        t_puts(&text, "    return x\n");
        if (start(&a, text.data)) {
            a.accelerators[0].rules = &rule;
            a.accelerators[0].n_rules = 1;
            T_EQUAL(ask(&a), GSP_OK);
            for (uint32_t v = 0; v < n; v++) {
                T_EQUAL(a.p.kind[v + 1u], takes[v]);
            }
        }
        finish(&a);
        free(takes);
        t_free(&text);
    }
    t_arena_close(&arena);
}

/* Nodes that differ in the target alone, among more and more others: some of them share a place in
 * the memory of forms. */
static void test_forms_of_targets(void)
{
    gsp_arena arena;
    gsp_rule rule;
    gsp_str const lines = gsp_str_of("f k==1\ng k==2\n");
    memset(&rule, 0, sizeof(rule));
    rule.kind = GSP_RULE_TABLE;
    t_arena_open(&arena, gsp_table_bound(lines));
    T_EQUAL(gsp_table_read(&arena, lines, &rule.table, NULL), GSP_OK);
    for (uint32_t n = 0; n < 40u; n++) {
        t_string text = {NULL, 0u, 0u};
        asked a;
        t_puts(&text, "graph():\n    %x : [num_users=1] = placeholder[target=x]\n");
        for (uint32_t v = 0; v < n + 2u; v++) {
            t_puts(&text, "    %n");
            t_number(&text, v);
            t_puts(&text, " : [num_users=0] = call_function[target=");
            t_puts(&text, v < n ? "h" : v == n ? "f" : "g");
            t_puts(&text, "](args = (%x,), kwargs = {k: 1})\n");
        }
        t_puts(&text, "    return x\n");
        if (start(&a, text.data)) {
            a.accelerators[0].rules = &rule;
            a.accelerators[0].n_rules = 1;
            T_EQUAL(ask(&a), GSP_OK);
            T_EQUAL(a.p.kind[n + 1u], 1);
            T_EQUAL(a.p.kind[n + 2u], 0);
        }
        finish(&a);
        t_free(&text);
    }
    t_arena_close(&arena);
}

/* gsp_support_why evaluates a program of rules as the run does. */
static void test_why_of_programs(void)
{
    static const uint32_t of[] = {GSP_RULE_ANY, GSP_RULE_ALL};
    asked a;
    gsp_rule rules[3];
    gsp_why why;
    uint32_t i;
    memset(rules, 0, sizeof(rules));
    rules[0].kind = GSP_RULE_DTYPES;
    rules[0].dtypes = gsp_str_of("i8");
    rules[1].kind = GSP_RULE_DTYPES;
    rules[1].dtypes = gsp_str_of("f32");
    rules[2].count = 2;
    for (i = 0; i < T_COUNT_OF(of) && start(&a, graph_text); i++) {
        rules[2].kind = of[i];
        a.accelerators[0].rules = rules;
        a.accelerators[0].n_rules = 3;
        T_EQUAL(ask(&a), GSP_OK);
        T_EQUAL(a.p.kind[RELU], i == 0u);
        T_EQUAL(gsp_support_why(&a.g, &a.desc, RELU, 1u, &why, &a.err), GSP_OK);
        T_EQUAL(why.takes, i == 0u);
        T_EQUAL(why.rule, i == 0u);
        finish(&a);
    }
}

static void test_rules_that_are_none(void)
{
    gsp_rule rules[2];
    asked a;
    uint32_t i;
    memset(rules, 0, sizeof(rules));
    for (i = 0; i < 5u && start(&a, graph_text); i++) {
        rules[0].kind = i == 0u ? GSP_RULE_NOT : i == 3u ? 99u : GSP_RULE_ANNOTATION;
        rules[1].kind = i == 1u ? GSP_RULE_ANY : i == 4u ? GSP_RULE_NOT : GSP_RULE_ANNOTATION;
        rules[1].count = 2;
        a.accelerators[0].rules = rules;
        a.accelerators[0].n_rules = i == 0u || i == 3u ? 1u : 2u;
        T_EQUAL(ask(&a), GSP_STATUS_ARG);
        T_EQUAL(a.err.detail, GSP_DETAIL_RULE);
        finish(&a);
    }
}

/* The stack holds 64 values. */
static void test_many_values(void)
{
    gsp_rule rules[66];
    uint32_t n;
    memset(rules, 0, sizeof(rules));
    for (n = 64u; n < 66u; n++) {
        asked a;
        if (start(&a, graph_text)) {
            uint32_t i;
            for (i = 0; i < n; i++) {
                rules[i].kind = GSP_RULE_ANNOTATION;
            }
            rules[n].kind = GSP_RULE_ANY;
            rules[n].count = n;
            a.accelerators[0].rules = rules;
            a.accelerators[0].n_rules = n + 1u;
            T_EQUAL(ask(&a), n == 64u ? GSP_OK : GSP_STATUS_ARG);
            T_EQUAL(a.err.detail, n == 64u ? GSP_DETAIL_NONE : GSP_DETAIL_RULE);
            finish(&a);
        }
    }
}

static void check_pins(
    const gsp_pin *pins, uint32_t n, gsp_status status, const char *expected, int line)
{
    asked a;
    if (start(&a, graph_text)) {
        a.desc.pins = pins;
        a.desc.n_pins = n;
        t_check_equal((uint64_t)ask(&a), (uint64_t)status, __FILE__, line, "status");
        if (status == GSP_OK) {
            t_check_text(gsp_str_of(kinds(&a)), expected, __FILE__, line, "kinds");
        } else {
            t_check_equal(a.err.detail, GSP_DETAIL_PIN, __FILE__, line, "detail");
            t_check_equal(a.err.node, n - 1u, __FILE__, line, "pin");
        }
        finish(&a);
    }
}

static gsp_pin pin(gsp_pin_what what, uint32_t kind, const char *pattern)
{
    gsp_pin p;
    p.node = 0;
    p.what = (uint32_t)what;
    p.kind = kind;
    p.pattern = gsp_str_of(pattern);
    return p;
}

static void test_pins(void)
{
    static const struct {
        gsp_pin_what what;
        const char *pattern;
        const char *expected; /* with kind 1 */
    } cases[] = {
        {GSP_PIN_NAME, "relu", "010001"},
        {GSP_PIN_NAME, "*", "111111"},
        {GSP_PIN_NAME, "?e*", "010001"},
        {GSP_PIN_NAME, "half", "000011"},
        {GSP_PIN_SCOPE, "blk", "100101"},
        {GSP_PIN_SCOPE, "blk.0", "100001"},
        {GSP_PIN_SCOPE, "blk.1", "000101"},
        {GSP_PIN_SCOPE, "*.conv", "100001"},
        {GSP_PIN_TARGET, "operator.add", "000101"},
        {GSP_PIN_TARGET, "torch.*", "110001"},
        {GSP_PIN_TARGET, "blk.0.conv", "100001"},
        {GSP_PIN_TARGET, "torch.nn.Conv?d", "100001"},
        {GSP_PIN_NAME, "nobody*", "000001"},
    };
    gsp_pin pins[2];
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(cases); i++) {
        pins[0] = pin(cases[i].what, 1u, cases[i].pattern);
        check_pins(pins, 1u, GSP_OK, cases[i].expected, __LINE__);
    }
    pins[0] = pin(GSP_PIN_NAME, 1u, "*");
    pins[1] = pin(GSP_PIN_NAME, 0u, "yes");
    check_pins(pins, 2u, GSP_OK, "111110", __LINE__);
    pins[1] = pin(GSP_PIN_TARGET, 0u, "torch.relu");
    check_pins(pins, 2u, GSP_OK, "101111", __LINE__);
    pins[1] = pin(GSP_PIN_NODE, 0u, "");
    pins[1].node = YES;
    check_pins(pins, 2u, GSP_OK, "111110", __LINE__);
    pins[1].node = RELU;
    check_pins(pins, 2u, GSP_OK, "101111", __LINE__);
    pins[1].node = 0; /* a placeholder */
    check_pins(pins, 2u, GSP_STATUS_ARG, "", __LINE__);
    pins[1].node = GSP_NONE;
    check_pins(pins, 2u, GSP_STATUS_ARG, "", __LINE__);
    pins[0] = pin(GSP_PIN_NODE, 1u, "");
    pins[0].node = RELU;
    pins[1] = pin(GSP_PIN_NAME, 0u, "r*");
    check_pins(pins, 2u, GSP_OK, "000001", __LINE__);
    pins[0] = pin(GSP_PIN_NAME, 1u, "relu");
    pins[1] = pin(GSP_PIN_TARGET, 0u, "torch.relu");
    check_pins(pins, 2u, GSP_OK, "000001", __LINE__);
    pins[1] = pin(GSP_PIN_NAME, 0u, "nobody");
    check_pins(pins, 2u, GSP_STATUS_ARG, "", __LINE__);
    pins[1] = pin(GSP_PIN_TARGET, 1u, "torch.tanh");
    check_pins(pins, 2u, GSP_STATUS_ARG, "", __LINE__);
    pins[1] = pin(GSP_PIN_SCOPE, 1u, "bl");
    check_pins(pins, 2u, GSP_STATUS_ARG, "", __LINE__);
}

/* Tables of the caller are checked like operator files, and tell which lines match. */
static void test_static_tables(void)
{
    static const gsp_table_entry good[] = {
        GSP_OP("torch.*", "f32"), GSP_OP("torch.tanh", ""), GSP_OP("operator.add", "f32,f16")};
    static const gsp_table_entry bad[] = {
        GSP_OP("add", "f32, f16"), GSP_OP("to*ch", ""), GSP_OP("", ""), GSP_OP("two words", "")};
    gsp_table_entry removes[2] = {GSP_OP("torch.*", ""), GSP_OP("torch.relu", "")};
    uint8_t matched[3] = {0, 0, 0};
    gsp_rule rule;
    asked a;
    gsp_why why;
    uint32_t i;
    memset(&rule, 0, sizeof(rule));
    rule.kind = GSP_RULE_TABLE;
    if (!start(&a, graph_text)) {
        return;
    }
    a.accelerators[0].rules = &rule;
    a.accelerators[0].n_rules = 1;
    rule.table.n_entries = 1;
    for (i = 0; i < T_COUNT_OF(bad); i++) {
        rule.table.entries = &bad[i];
        T_EQUAL(ask(&a), GSP_STATUS_ARG);
        T_EQUAL(a.err.detail, GSP_DETAIL_ENTRY);
        T_EQUAL(a.err.what, GSP_WHAT_ENTRY);
        T_EQUAL(a.err.node, 0);
    }
    removes[1].remove = 1;
    rule.table.entries = removes;
    rule.table.n_entries = 2;
    T_EQUAL(ask(&a), GSP_OK);
    T_STRING(kinds(&a), "100001");
    removes[1].dtypes = gsp_str_of("f32"); /* a removal is of all */
    T_EQUAL(ask(&a), GSP_STATUS_ARG);
    T_EQUAL(a.err.node, 1);
    rule.table.entries = good;
    rule.table.n_entries = 3;
    rule.table.matched = matched;
    T_EQUAL(ask(&a), GSP_OK);
    T_CHECK(matched[0] == 1 && matched[1] == 0 && matched[2] == 1);
    T_STRING(kinds(&a), "110001");
    T_EQUAL(a.p.reason[ADD], GSP_REASON_DTYPE);
    T_EQUAL(a.p.culprit[ADD], 1); /* q is qi8 */
    T_EQUAL(a.p.reason[SIZE], GSP_REASON_UNSUPPORTED);
    T_EQUAL(gsp_support_why(&a.g, &a.desc, ADD, 1u, &why, &a.err), GSP_OK);
    T_EQUAL(why.takes, 0);
    T_EQUAL(why.rule, 0);
    T_EQUAL(why.line, 2);
    T_EQUAL(why.culprit, 1);
    T_EQUAL(why.arg, GSP_NONE);
    t_check_text(why.dtype, "qi8", __FILE__, __LINE__, "dtype");
    t_check_text(why.accepted, "f32,f16", __FILE__, __LINE__, "accepted");
    T_EQUAL(gsp_support_why(&a.g, &a.desc, CONV, 1u, &why, &a.err), GSP_OK);
    T_CHECK(why.takes == 1 && why.line == 0 && why.culprit == GSP_NONE);
    T_EQUAL(gsp_support_why(&a.g, &a.desc, SIZE, 1u, &why, &a.err), GSP_OK);
    T_CHECK(why.takes == 0 && why.line == GSP_NONE);
    T_EQUAL(gsp_support_why(&a.g, &a.desc, YES, 1u, &why, &a.err), GSP_OK);
    T_CHECK(why.takes == 1 && why.annotated == 1 && why.rule == GSP_NONE);
    T_EQUAL(gsp_support_why(&a.g, &a.desc, 0u, 1u, &why, &a.err), GSP_STATUS_ARG);
    T_EQUAL(gsp_support_why(&a.g, &a.desc, ADD, 2u, &why, &a.err), GSP_STATUS_ARG);
    rule.kind = GSP_RULE_NOT;
    rule.count = 100;
    T_EQUAL(ask(&a), GSP_STATUS_ARG);
    T_EQUAL(a.err.detail, GSP_DETAIL_RULE);
    finish(&a);
}

static void test_reasons(void)
{
    asked a;
    gsp_pin pins[1];
    if (start(&a, graph_text)) {
        pins[0] = pin(GSP_PIN_NAME, 0u, "relu");
        a.desc.pins = pins;
        a.desc.n_pins = 1;
        T_EQUAL(ask(&a), GSP_OK);
        T_EQUAL(a.p.n_nodes, 9);
        T_EQUAL(a.p.n_kinds, 2);
        T_EQUAL(a.p.kind[0], GSP_KIND_NONE);
        T_EQUAL(a.p.reason[0], GSP_REASON_NONE);
        T_EQUAL(a.p.reason[RELU], GSP_REASON_PINNED);
        T_EQUAL(a.p.reason[YES], GSP_REASON_SUPPORTED);
        T_EQUAL(a.p.reason[HALF], GSP_REASON_UNSUPPORTED);
        T_EQUAL(a.p.reason[CONV], GSP_REASON_UNSUPPORTED);
        T_EQUAL(a.p.culprit[CONV], GSP_NONE);
        T_EQUAL(a.p.group[CONV], GSP_NONE);
        T_STRING(gsp_reason_name(GSP_REASON_PINNED), "PINNED");
        T_CHECK(gsp_reason_text(GSP_REASON_PINNED)[0] != '\0');
        T_STRING(gsp_reason_name(GSP_REASON_COUNT), "?");
        finish(&a);
    }
}

static void test_ignore_annotation(void)
{
    asked a;
    gsp_table_entry all;
    gsp_rule rule;
    memset(&rule, 0, sizeof(rule));
    memset(&all, 0, sizeof(all));
    all.name = gsp_str_of("*");
    rule.kind = GSP_RULE_TABLE;
    rule.table.entries = &all;
    rule.table.n_entries = 1;
    if (start(&a, graph_text)) {
        a.desc.ignore_annotation = 1;
        T_EQUAL(ask(&a), GSP_OK);
        T_STRING(kinds(&a), "000000");
        a.accelerators[0].rules = &rule;
        a.accelerators[0].n_rules = 1;
        T_EQUAL(ask(&a), GSP_OK);
        T_STRING(kinds(&a), "111111");
        finish(&a);
    }
}

/* A node goes to the first accelerator that takes it; acc=k and pins say which. */
static void test_several(void)
{
    asked a;
    gsp_table_entry entries[3];
    gsp_rule rules[3];
    gsp_pin pins[1];
    uint32_t i;
    static const char *const names[] = {"torch.*", "operator.*", "*"};
    memset(entries, 0, sizeof(entries));
    memset(rules, 0, sizeof(rules));
    if (start(&a, graph_text)) {
        for (i = 0; i < 3u; i++) {
            entries[i].name = gsp_str_of(names[i]);
            rules[i].kind = GSP_RULE_TABLE;
            rules[i].table.entries = &entries[i];
            rules[i].table.n_entries = 1;
            a.accelerators[i].rules = &rules[i];
            a.accelerators[i].n_rules = 1;
        }
        pins[0] = pin(GSP_PIN_NAME, 2u, "half");
        a.desc.pins = pins;
        a.desc.n_pins = 1;
        a.desc.n_accelerators = 3;
        T_EQUAL(ask(&a), GSP_OK);
        T_STRING(kinds(&a), "113221");
        T_EQUAL(a.p.n_kinds, 4);
        pins[0].kind = 4u;
        T_EQUAL(ask(&a), GSP_STATUS_ARG);
        T_EQUAL(a.err.detail, GSP_DETAIL_KIND);
        finish(&a);
    }
}

static void test_groups(void)
{
    static const char text[] =
        "graph():\n    %x : [num_users=4] = placeholder[target=x]\n"
        "    %a : [num_users=0] = call_function[target=f](args = (%x,), kwargs = {})  # acc=1 "
        "group=u\n"
        "    %b : [num_users=0] = call_function[target=f](args = (%x,), kwargs = {})  # acc=0 "
        "group=u\n"
        "    %c : [num_users=0] = call_function[target=f](args = (%x,), kwargs = {})  # acc=1 "
        "group=v\n"
        "    %d : [num_users=0] = call_function[target=f](args = (%x,), kwargs = {})  # group=v "
        "acc=1\n"
        "    %e : [num_users=0] = call_function[target=f](args = (), kwargs = {})  # acc=1\n"
        "    return None\n";
    asked a;
    if (start(&a, text)) {
        T_EQUAL(ask(&a), GSP_OK);
        T_STRING(kinds(&a), "00111");
        T_EQUAL(a.p.reason[1], GSP_REASON_GROUP);
        T_EQUAL(a.p.culprit[1], 2);
        T_EQUAL(a.p.reason[2], GSP_REASON_UNSUPPORTED);
        T_CHECK(a.p.group[1] == a.p.group[2] && a.p.group[3] == a.p.group[4]);
        T_CHECK(a.p.group[1] != a.p.group[3] && a.p.group[1] < 7u && a.p.group[3] < 7u);
        T_EQUAL(a.p.group[5], GSP_NONE);
        a.desc.ignore_groups = 1;
        T_EQUAL(ask(&a), GSP_OK);
        T_STRING(kinds(&a), "10111");
        T_EQUAL(a.p.group[1], GSP_NONE);
        finish(&a);
    }
}

/* A group goes to the first accelerator that takes all of it. */
static void test_group_finds_its_accelerator(void)
{
    static const char text[] =
        "graph():\n    %x : [num_users=2] = placeholder[target=x]\n"
        "    %a : [num_users=0] = call_function[target=f](args = (%x,), kwargs = {})  # group=u\n"
        "    %b : [num_users=0] = call_function[target=g](args = (%x,), kwargs = {})  # group=u\n"
        "    return None\n";
    gsp_table_entry entries[2];
    gsp_rule rules[2];
    asked a;
    memset(entries, 0, sizeof(entries));
    memset(rules, 0, sizeof(rules));
    entries[0].name = gsp_str_of("f");
    entries[1].name = gsp_str_of("*");
    if (start(&a, text)) {
        uint32_t i;
        for (i = 0; i < 2u; i++) {
            rules[i].kind = GSP_RULE_TABLE;
            rules[i].table.entries = &entries[i];
            rules[i].table.n_entries = 1;
            a.accelerators[i].rules = &rules[i];
            a.accelerators[i].n_rules = 1;
        }
        a.desc.n_accelerators = 2;
        T_EQUAL(ask(&a), GSP_OK);
        T_STRING(kinds(&a), "22");
        finish(&a);
    }
}

static void test_globs(void)
{
    static const struct {
        const char *pattern;
        const char *text;
        int match;
    } cases[] = {{"", "", 1}, {"", "a", 0}, {"*", "", 1}, {"*", "abc", 1}, {"a*", "abc", 1},
        {"a*", "ba", 0}, {"*c", "abc", 1}, {"*b", "abc", 0}, {"a*c", "abc", 1}, {"a*c", "ac", 1},
        {"a?c", "abc", 1}, {"a?c", "ac", 0}, {"?", "", 0}, {"*a*b*", "xaybz", 1},
        {"*a*b*", "xbya", 0}, {"**", "x", 1}, {"a**?", "ab", 1}, {"a**?", "a", 0},
        {"abc", "abc", 1}, {"abc", "abcd", 0}, {"abcd", "abc", 0}, {"*aab", "aaaab", 1},
        {"*ab*ab", "abab", 1}, {"*ab*ab", "aab", 0}};
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(cases); i++) {
        T_EQUAL(gsp_str_glob(gsp_str_of(cases[i].pattern), gsp_str_of(cases[i].text)) != 0,
            cases[i].match);
    }
}

static void check_table_error(const char *text, size_t line, size_t column, int at)
{
    gsp_arena arena;
    gsp_table table;
    gsp_error err;
    gsp_str const t = gsp_str_of(text);
    t_arena_open(&arena, gsp_table_bound(t));
    t_check_equal(
        (uint64_t)gsp_table_read(&arena, t, &table, &err), GSP_STATUS_PARSE, __FILE__, at, text);
    t_check_equal(err.line, line, __FILE__, at, "line");
    t_check_equal(err.column, column, __FILE__, at, "column");
    T_EQUAL(arena.low + arena.high, 0);
    t_arena_close(&arena);
}

static void test_table_errors(void)
{
    check_table_error("a\n!\n", 2, 2, __LINE__);
    check_table_error("a f32 x", 1, 7, __LINE__);
    check_table_error("!a f32", 1, 4, __LINE__);
    check_table_error("a*\n conv*2d i8", 2, 6, __LINE__);
    check_table_error("!**", 1, 2, __LINE__);
    check_table_error("a f32 stride<3", 1, 7, __LINE__);
    check_table_error("a stride<=3 rank(", 1, 13, __LINE__);
    check_table_error("a f32 rank==4 dim(0)==1", 1, 15, __LINE__);
    check_table_error("a dim(0,1,2)==1", 1, 3, __LINE__);
    check_table_error("a rank(x)==1", 1, 3, __LINE__);
    check_table_error("a rank(0,1)==1", 1, 3, __LINE__);
    check_table_error("a x==rank(0)(1)", 1, 3, __LINE__);
    check_table_error("a x==1 y inrelu", 1, 8, __LINE__);
    check_table_error("a stride<=", 1, 3, __LINE__);
    check_table_error("a stride<= 3 4", 1, 14, __LINE__);
    check_table_error("a act in", 1, 7, __LINE__);
    check_table_error("a act inrelu", 1, 7, __LINE__);
    check_table_error("a const(1)==2", 1, 3, __LINE__);
    check_table_error("a const(out,out)", 1, 3, __LINE__);
    check_table_error("a const()", 1, 3, __LINE__);
    check_table_error("a x==const(1)", 1, 3, __LINE__);
    check_table_error("a x in rank(0)", 1, 3, __LINE__);
    check_table_error("a x==1 !b", 1, 8, __LINE__);
    check_table_error("!a x==1", 1, 4, __LINE__);
    check_table_error("a bodies:", 1, 3, __LINE__);
    check_table_error("a f32 bodies: ", 1, 7, __LINE__);
    check_table_error("a bodies : any", 1, 10, __LINE__);
}

static void test_constraints(void)
{
    TABLE("torch.relu f32 rank==1", "010001");
    TABLE("torch.relu f32 rank==2", "000001");
    TABLE("torch.relu rank(out)==1 dim(0,-1)==4 shape(0)==shape(out)", "010001");
    TABLE("torch.relu f16 rank==1", "000001");
    TABLE("torch.relu rank==2\ntorch.relu batch>=4 # both", "010001");
    TABLE("torch.relu none==1", "000001");
    TABLE("torch.relu none?==1", "010001");
    TABLE("operator.add scope in blk.0,blk.1", "000101");
    TABLE("operator.add const(0)", "000001");
    TABLE("operator.add const(2,3)", "000101");
    TABLE("size rank(out)==1", "000001");
    TABLE("size rank(out)?==1", "001001");
}

/* A rank is a number of up to four digits. */
static void test_many_dimensions(void)
{
    t_string text = {NULL, 0u, 0u};
    asked_text =
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]  # f32[1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 9]\n"
        "    %f : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[2]\n"
        "    return f\n";
    TABLE("f rank==11 rank<=11 rank>=10", "1");
    TABLE("f rank==9", "0");
    TABLE("f rank==1", "0");
    TABLE("f dim(0,-1)==9 dim(0,10)==9 dim(0,-11)==1 dim(0,-4)==8", "1");
    TABLE("f dim(0,-12)?==1 dim(0,11)?==1", "1");
    TABLE("f dim(0,11)==1", "0");
    t_puts(&text, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[1");
    for (uint32_t i = 1; i < 12345u; i++) {
        t_puts(&text, ", 1");
    }
    t_puts(&text,
        "]\n    %f : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[2]\n"
        "    return f\n");
    asked_text = text.data;
    TABLE("f rank==9999 dim(0,9998)==1", "1");
    asked_text = graph_text;
    t_free(&text);
}

/* An argument that a constraint reads tells forms apart wherever it stands. */
static void test_forms_of_many_arguments(void)
{
    t_string text = {NULL, 0u, 0u};
    t_puts(&text, "graph():\n    %x : [num_users=2] = placeholder[target=x]  # f32[1]\n");
    for (uint32_t v = 1; v <= 2u; v++) {
        t_puts(&text, "    %n");
        t_number(&text, v);
        t_puts(&text, " : [num_users=0] = call_function[target=f](args = (%x, [0");
        for (uint32_t i = 1; i < 40u; i++) {
            t_puts(&text, ", 0");
        }
        t_puts(&text, "]), kwargs = {k: ");
        t_number(&text, v);
        t_puts(&text, "})  # f32[1]\n");
    }
    t_puts(&text, "    return x\n");
    asked_text = text.data;
    TABLE("f k==1", "10");
    TABLE("f k==2", "01");
    asked_text = graph_text;
    t_free(&text);
}

void suite_unit_support(void)
{
    t_run("tables", test_tables);
    t_run("argument_dtypes", test_argument_dtypes);
    t_run("refused_argument", test_refused_argument);
    t_run("own_dtype", test_own_dtype);
    t_run("refused_aggregates", test_refused_aggregates);
    t_run("forms", test_forms);
    t_run("forms_of_targets", test_forms_of_targets);
    t_run("why_of_programs", test_why_of_programs);
    t_run("rules", test_rules);
    t_run("rules_that_are_none", test_rules_that_are_none);
    t_run("many_values", test_many_values);
    t_run("pins", test_pins);
    t_run("static_tables", test_static_tables);
    t_run("reasons", test_reasons);
    t_run("ignore_annotation", test_ignore_annotation);
    t_run("several", test_several);
    t_run("groups", test_groups);
    t_run("group_finds_its_accelerator", test_group_finds_its_accelerator);
    t_run("globs", test_globs);
    t_run("table_errors", test_table_errors);
    t_run("constraints", test_constraints);
    t_run("many_dimensions", test_many_dimensions);
    t_run("forms_of_many_arguments", test_forms_of_many_arguments);
}
