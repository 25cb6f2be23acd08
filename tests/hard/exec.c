/* Runs of long, deep, wide and nested modules: time in proportion, no recursion. */
#include "tests/t.h"

typedef struct counter {
    uint64_t calls;
    uint64_t tokens;
} counter;

static gsp_status count_kernel(void *user, const gsp_call *call)
{
    counter *const c = (counter *)user;
    uint32_t i;
    c->calls++;
    c->tokens += call->n_args;
    for (i = 0; i < call->n_results; i++) {
        call->results[i] = c->calls;
    }
    return GSP_OK;
}

/* Reads, plans and runs a text; returns the number of frames, 0 if something failed. */
static uint32_t run_text(const t_string *text, counter *c, uint32_t *n_outputs, uint32_t *n_slots)
{
    gsp_arena arenas[2];
    gsp_module module;
    gsp_graph graph;
    gsp_exec_plan frames;
    gsp_exec_desc run;
    gsp_value *values;
    gsp_error err;
    uint32_t depth = 0;
    memset(c, 0, sizeof(*c));
    memset(&run, 0, sizeof(run));
    run.kernel = count_kernel;
    run.user = c;
    if (!t_must_read(&arenas[0], text->data, &module)) {
        return 0;
    }
    graph = gsp_module_graph(&module, 0u);
    t_arena_open(&arenas[1], gsp_exec_plan_bound(&graph, NULL));
    if (T_EQUAL(gsp_exec_plan_run(&arenas[1], &graph, NULL, &frames, &err), GSP_OK)) {
        gsp_arena scratch;
        t_arena_open(&scratch, gsp_exec_bound(&frames));
        values = (gsp_value *)t_alloc((frames.n_inputs + frames.n_outputs + 1u) * 8u);
        memset(values, 0, (frames.n_inputs + frames.n_outputs + 1u) * 8u);
        if (T_EQUAL(gsp_exec_run(&scratch, &frames, &run, values, values + frames.n_inputs, &err),
                GSP_OK)) {
            depth = frames.depth;
            *n_outputs = frames.n_outputs;
            *n_slots = frames.n_slots;
        }
        free(values);
        t_arena_close(&scratch);
    }
    t_arena_close(&arenas[1]);
    t_arena_close(&arenas[0]);
    return depth;
}

static void node(t_string *text, const char *name, uint32_t i, const char *rest)
{
    t_puts(text, "    %");
    t_puts(text, name);
    t_number(text, i);
    t_puts(text, rest);
}

static void test_chain(void)
{
    uint32_t const n = t_fast ? 100000u : 1000000u;
    t_string text = {NULL, 0u, 0u};
    counter c;
    uint32_t outputs = 0;
    uint32_t slots = 0;
    uint32_t i;
    t_puts(&text, "graph():\n    %n0 : [num_users=1] = placeholder[target=x]\n");
    for (i = 1; i <= n; i++) {
        node(&text, "n", i, " : [num_users=1] = call_method[target=f](args = (%n");
        t_number(&text, i - 1u);
        t_puts(&text, ",), kwargs = {})\n");
    }
    t_puts(&text, "    return n");
    t_number(&text, n);
    t_puts(&text, "\n");
    T_EQUAL(run_text(&text, &c, &outputs, &slots), 1u);
    T_EQUAL(c.calls, n);
    T_EQUAL(slots, 4u);
    t_free(&text);
}

/* Graph i calls graph i + 1 twice in the first levels: few graphs, many runs. */
static void test_nesting(void)
{
    uint32_t const n = t_fast ? 2000u : 10000u;
    uint32_t const doubled = 10u;
    t_string text = {NULL, 0u, 0u};
    counter c;
    uint32_t outputs = 0;
    uint32_t slots = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        t_puts(&text, "module ");
        t_puts(&text, i == 0u ? "main" : "g");
        if (i > 0u) {
            t_number(&text, i);
        }
        t_puts(&text, "\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                      "    %a : [num_users=1] = call_module[target=g");
        t_number(&text, i + 1u);
        t_puts(&text, "](args = (%x,), kwargs = {})\n");
        if (i < doubled) {
            t_puts(&text, "    %b : [num_users=1] = call_module[target=g");
            t_number(&text, i + 1u);
            t_puts(&text, "](args = (%a,), kwargs = {})\n");
        }
        t_puts(&text, i < doubled ? "    return b\n" : "    return a\n");
    }
    t_puts(&text, "module g");
    t_number(&text, n);
    t_puts(&text, "\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %a : [num_users=1] = call_method[target=f](args = (%x,), kwargs = {})\n"
                  "    return a\n");
    T_EQUAL(run_text(&text, &c, &outputs, &slots), n + 1u);
    T_EQUAL(c.calls, 1u << doubled);
    t_free(&text);
}

/* A tuple of n pairs comes back from a graph and is unpacked from its end; `flat`: of n values. */
static void unpack(int flat)
{
    uint32_t const n = t_fast ? 3000u : 100000u;
    t_string text = {NULL, 0u, 0u};
    counter c;
    uint32_t outputs = 0;
    uint32_t slots = 0;
    uint32_t i;
    t_puts(&text, "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %s : [num_users=1] = call_module[target=sub](args = (%x,), kwargs = {})\n");
    for (i = n; i > 0u; i--) {
        node(&text, "g", i,
            " : [num_users=1] = call_function[target=operator.getitem](args = (%s, ");
        t_number(&text, i - 1u);
        t_puts(&text, "), kwargs = {})\n");
    }
    t_puts(&text, "    return (");
    for (i = 1; i <= n; i++) {
        t_puts(&text, i > 1u ? ", g" : "g");
        t_number(&text, i);
    }
    t_puts(&text, ")\nmodule sub\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %a : [num_users=1] = call_method[target=f](args = (%x,), kwargs = {})\n"
                  "    return (");
    for (i = 0; i < n; i++) {
        t_puts(&text, i > 0u ? ", " : "");
        t_puts(&text, flat ? "a" : "(a, x)");
    }
    t_puts(&text, ")\n");
    T_EQUAL(run_text(&text, &c, &outputs, &slots), 2u);
    T_EQUAL(outputs, flat ? n : 2u * n);
    T_EQUAL(c.calls, 1u);
    t_free(&text);
}

static void test_wide(void)
{
    unpack(1);
}

static void test_wide_pairs(void)
{
    unpack(0);
}

/* Brackets within brackets, through a submodule, so that they are written out for its kernel. */
static void test_brackets(void)
{
    uint32_t const n = t_fast ? 10000u : 300000u;
    t_string text = {NULL, 0u, 0u};
    counter c;
    uint32_t outputs = 0;
    uint32_t slots = 0;
    uint32_t i;
    t_puts(&text, "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %s : [num_users=1] = call_module[target=sub](args = (");
    for (i = 0; i < n; i++) {
        t_puts(&text, "[");
    }
    t_puts(&text, "%x");
    for (i = 0; i < n; i++) {
        t_puts(&text, "]");
    }
    t_puts(&text,
        ",), kwargs = {})\n    return s\n"
        "module sub\ngraph():\n    %p : [num_users=1] = placeholder[target=p]\n"
        "    %a : [num_users=1] = call_method[target=f](args = ((%p, %p),), kwargs = {})\n"
        "    return a\n");
    T_EQUAL(run_text(&text, &c, &outputs, &slots), 2u);
    T_EQUAL(c.tokens, 2u * (2u * n + 1u) + 2u);
    t_free(&text);
}

/* A call with keywords in the reverse of the placeholders' order. */
static void test_keywords(void)
{
    uint32_t const n = t_fast ? 1000u : 10000u;
    t_string text = {NULL, 0u, 0u};
    counter c;
    uint32_t outputs = 0;
    uint32_t slots = 0;
    uint32_t i;
    t_puts(&text, "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %s : [num_users=1] = call_module[target=sub](args = (), kwargs = {");
    for (i = n; i > 0u; i--) {
        t_puts(&text, "k");
        t_number(&text, i);
        t_puts(&text, i > 1u ? ": %x, " : ": %x");
    }
    t_puts(&text, "})\n    return s\nmodule sub\ngraph():\n");
    for (i = 1; i <= n; i++) {
        node(&text, "k", i, " : [num_users=1] = placeholder[target=k");
        t_number(&text, i);
        t_puts(&text, "]\n");
    }
    t_puts(&text, "    return k1\n");
    T_EQUAL(run_text(&text, &c, &outputs, &slots), 2u);
    t_free(&text);
}

void suite_hard_exec(void)
{
    t_run("chain", test_chain);
    t_run("nesting", test_nesting);
    t_run("wide", test_wide);
    t_run("wide_pairs", test_wide_pairs);
    t_run("brackets", test_brackets);
    t_run("keywords", test_keywords);
}
