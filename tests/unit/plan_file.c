/* Plans: text, and what it says about a graph. */
#include "tests/t.h"

#include "examples/program/algorithms/algorithms.h"

static const char network[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
    "    %conv1 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})\n"
    "    %conv2 : [num_users=1] = call_function[target=f](args = (%conv1,), kwargs = {})\n"
    "    %relu : [num_users=1] = call_function[target=f](args = (%conv2,), kwargs = {})\n"
    "    %sort : [num_users=1] = call_function[target=f](args = (%relu,), kwargs = {})\n"
    "    return sort\n";

static const char *wrong_text;

static gsp_status read_plan(gsp_arena *arena, const char *text, cli_plan_text *plan, gsp_error *err)
{
    gsp_str const t = gsp_str_of(text);
    t_arena_open(arena, cli_plan_parse_bound(t));
    return cli_plan_parse(arena, t, plan, &wrong_text, err);
}

static void test_read(void)
{
    gsp_arena arena;
    cli_plan_text plan;
    gsp_error err;
    T_EQUAL(read_plan(&arena,
                "\n# by hand\r\n  plan 1  # the head\n\n[ acc 0 ]  acc # note\r\n%conv1\n"
                " relu*  # all\n[cpu]\nsort\n[acc 0] other\nconv2",
                &plan, &err),
        GSP_OK);
    T_EQUAL(plan.n_parts, 2);
    T_EQUAL(plan.n_lines, 4);
    T_TEXT(plan.names[0], "acc 0");
    T_TEXT(plan.notes[0], "acc");
    T_TEXT(plan.names[1], "cpu");
    T_TEXT(plan.notes[1], "");
    T_TEXT(plan.lines[0].pattern, "conv1");
    T_EQUAL(plan.lines[0].line, 6);
    T_EQUAL(plan.lines[0].is_pattern, 0);
    T_TEXT(plan.lines[1].pattern, "relu*");
    T_EQUAL(plan.lines[1].is_pattern, 1);
    T_EQUAL(plan.lines[2].part, 1);
    T_EQUAL(plan.lines[3].part, 0);
    T_EQUAL(plan.lines[3].line, 11);
    T_EQUAL(arena.high, 0);
    t_arena_close(&arena);
}

typedef struct wrong {
    const char *text;
    const char *sentence;
    size_t line;
    size_t column;
} wrong;

static void test_wrong(void)
{
    static const wrong wrongs[] = {
        {"", CLI_PLAN_WRONG_HEAD, 1, 1},
        {"\n# only\n", CLI_PLAN_WRONG_HEAD, 3, 1},
        {"graph():\n", CLI_PLAN_WRONG_HEAD, 1, 1},
        {"  plan 2\n", CLI_PLAN_WRONG_HEAD, 1, 3},
        {"plan 1\nconv1\n", CLI_PLAN_WRONG_PART, 2, 1},
        {"plan 1\n  [a\n", CLI_PLAN_WRONG_PART, 2, 5},
        {"plan 1\n[ ]\n", CLI_PLAN_WRONG_PART, 2, 3},
        {"plan 1\n[a\tb]\n", CLI_PLAN_WRONG_PART, 2, 3},
        {"plan 1\n[a] b\x01\n", CLI_PLAN_WRONG_PART, 2, 6},
        {"plan 1\n[a]\n x y\n", CLI_PLAN_WRONG_LINE, 3, 3},
        {"plan 1\n[a]\nx=1\n", CLI_PLAN_WRONG_LINE, 3, 2},
        {"plan 1\n[a]\n%\n", CLI_PLAN_WRONG_LINE, 3, 2},
        {"plan 1\n[a]\n%%x\n", CLI_PLAN_WRONG_LINE, 3, 2},
    };
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(wrongs); i++) {
        gsp_arena arena;
        cli_plan_text plan;
        cli_plan_text before;
        gsp_error err;
        memset(&plan, 0x5A, sizeof(plan));
        before = plan;
        T_EQUAL(read_plan(&arena, wrongs[i].text, &plan, &err), GSP_STATUS_PARSE);
        T_STRING(wrong_text, wrongs[i].sentence);
        T_EQUAL(err.line, wrongs[i].line);
        T_EQUAL(err.column, wrongs[i].column);
        T_EQUAL(arena.low + arena.high, 0);
        T_CHECK(memcmp(&plan, &before, sizeof(plan)) == 0);
        t_arena_close(&arena);
    }
}

typedef struct applied {
    gsp_arena arena;
    gsp_arena text;
    gsp_module module;
    gsp_graph graph;
    cli_plan_text plan;
    cli_plan_match result;
} applied;

static int apply(applied *a, const char *text)
{
    gsp_arena module;
    if (!t_must_read(&module, network, &a->module)) {
        return 0;
    }
    a->text = module;
    a->graph = gsp_module_graph(&a->module, 0u);
    t_arena_open(&a->arena, 4096u);
    return T_EQUAL(
               cli_plan_parse(&a->arena, gsp_str_of(text), &a->plan, &wrong_text, NULL), GSP_OK) &&
           T_CHECK(cli_plan_apply_bound(a->graph.n_nodes, &a->plan) < gsp_arena_left(&a->arena)) &&
           T_EQUAL(cli_plan_apply(&a->arena, &a->graph, &a->plan, &a->result, NULL), GSP_OK);
}

static void apply_close(applied *a)
{
    t_arena_close(&a->arena);
    t_arena_close(&a->text);
}

static void test_apply(void)
{
    static const uint8_t uses[] = {CLI_PLAN_OVERRULED, CLI_PLAN_USED, CLI_PLAN_GONE,
        CLI_PLAN_NOT_CALLED, CLI_PLAN_GONE, CLI_PLAN_OVERRULED, CLI_PLAN_USED};
    static const uint32_t parts[] = {GSP_NONE, 1, 0, GSP_NONE, GSP_NONE, GSP_NONE};
    applied a;
    uint32_t i;
    if (apply(&a, "plan 1\n[a]\nconv1\nconv*\ngone\nx\nno?e\n[b]\nconv?1\nconv1\n")) {
        T_EQUAL(a.result.n_placed, 2);
        T_EQUAL(a.result.n_new, 2);
        for (i = 0; i < 6u; i++) {
            T_EQUAL(a.result.part_of[i], parts[i]);
        }
        for (i = 0; i < a.plan.n_lines && i != 5u; i++) {
            T_EQUAL(a.result.use[i], uses[i]);
        }
        T_EQUAL(a.result.use[5], CLI_PLAN_GONE); /* conv?1 wants a byte between */
        T_EQUAL(a.result.line_of[1], 6);
        T_EQUAL(a.result.line_of[2], 1);
    }
    apply_close(&a);
}

/* Of patterns the last decides; one that never does is overruled. */
static void test_patterns(void)
{
    applied a;
    if (apply(&a, "plan 1\n[a]\nc*\nr*\n[b]\n*1\n[c]\n*\n[d]\nrelu\n")) {
        T_EQUAL(a.result.n_placed, 4);
        T_EQUAL(a.result.n_new, 0);
        T_EQUAL(a.result.part_of[1], 2);
        T_EQUAL(a.result.part_of[3], 3);
        T_EQUAL(a.result.use[0], CLI_PLAN_OVERRULED);
        T_EQUAL(a.result.use[1], CLI_PLAN_OVERRULED);
        T_EQUAL(a.result.use[2], CLI_PLAN_OVERRULED);
        T_EQUAL(a.result.use[3], CLI_PLAN_USED);
        T_EQUAL(a.result.n_lines[CLI_PLAN_OVERRULED], 3);
        T_EQUAL(a.result.n_lines[CLI_PLAN_USED], 2);
    }
    apply_close(&a);
}

static void test_write(void)
{
    static const uint32_t part_of[] = {9, 1, 0, 1, GSP_NONE, 9};
    gsp_str names[2];
    gsp_str notes[2];
    cli_plan_desc desc;
    applied a;
    gsp_error err;
    t_string s = {NULL, 0u, 0u};
    t_add(&s, "", 0u);
    memset(&desc, 0, sizeof(desc));
    names[0] = gsp_str_of("first part");
    names[1] = gsp_str_of("b");
    notes[0] = gsp_str_of("");
    notes[1] = gsp_str_of("acc 1");
    desc.n_parts = 2;
    desc.part_of = part_of;
    desc.names = names;
    desc.notes = notes;
    if (apply(&a, "plan 1\n")) {
        T_EQUAL(cli_plan_write(&a.arena, &a.graph, &desc, t_sink, &s, &err), GSP_OK);
        T_STRING(s.data, "plan 1\n\n[first part]\nconv2\n\n[b] acc 1\nconv1\nrelu\n");
        T_EQUAL(cli_plan_parse(&a.arena, gsp_str_of(s.data), &a.plan, &wrong_text, &err), GSP_OK);
        T_EQUAL(cli_plan_apply(&a.arena, &a.graph, &a.plan, &a.result, &err), GSP_OK);
        T_EQUAL(a.result.n_placed, 3);
        T_EQUAL(a.result.part_of[1], 1);
        T_EQUAL(a.result.part_of[2], 0);
        names[1] = names[0];
        T_EQUAL(cli_plan_write(&a.arena, &a.graph, &desc, t_sink, &s, &err), GSP_STATUS_ARG);
        T_EQUAL(err.detail, GSP_DETAIL_TAG_NAME);
        T_EQUAL(err.node, 1);
        names[1] = gsp_str_of("a]");
        T_EQUAL(cli_plan_write(&a.arena, &a.graph, &desc, t_sink, &s, &err), GSP_STATUS_ARG);
        names[1] = gsp_str_of("b");
        notes[0] = gsp_str_of("a # b");
        T_EQUAL(cli_plan_write(&a.arena, &a.graph, &desc, t_sink, &s, &err), GSP_STATUS_ARG);
        T_EQUAL(err.node, 0);
        desc.notes = NULL;
        desc.n_parts = 1;
        T_EQUAL(cli_plan_write(&a.arena, &a.graph, &desc, t_sink, &s, &err), GSP_STATUS_ARG);
        T_EQUAL(err.detail, GSP_DETAIL_TAG);
        T_EQUAL(err.node, 1);
        T_STRING(s.data, "plan 1\n\n[first part]\nconv2\n\n[b] acc 1\nconv1\nrelu\n");
    }
    apply_close(&a);
    t_free(&s);
}

void suite_unit_plan_file(void)
{
    t_run("read", test_read);
    t_run("wrong", test_wrong);
    t_run("apply", test_apply);
    t_run("patterns", test_patterns);
    t_run("write", test_write);
}
