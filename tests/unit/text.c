/* The graph text, up to the annotations (see annotation.c). */
#include "tests/t.h"

#define HEAD       "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
#define CALL(a)    HEAD "    %f : [num_users=1] = call_function[target=f](" a ")\n    return f\n"

#define ARGS(a)    CALL("args = " a ", kwargs = {}")
#define KWARGS(k)  CALL("args = (%x,), kwargs = " k)
#define RETURN(r)  HEAD "    return " r "\n"

#define SAME(text) T_PRINTS(text, text)

static void test_arguments_print_back(void)
{
    static const char *const texts[] = {
        ARGS("(%x,)"),
        ARGS("(%x, 1)"),
        ARGS("(%x, 007, -1, 0.5, 1e-05, 1E+5, .5, 5., inf, -inf, nan)"),
        ARGS("(True, False, None, %x)"),
        ARGS("(..., Ellipsis, %x)"),
        ARGS("(%x, torch.float32, cpu, cuda:0, torch.channels_last)"),
        ARGS("(%x, (1+2j), (-0-1.5e-07j), [(nan+infj)], ((1+2j),), (1e+20-1j))"),
        ARGS("(%x, 'a', \"b c\", 'it\\'s', \"say \\\"no\\\"\")"),
        ARGS("(%x, 'a(b', ')', '[', \"}\", '\\\\')"),
        ARGS("('a, b', %x, '  # f32[1]', '), kwargs = {}')"),
        ARGS("(%x, bare, two words, a,b, k=v)"),
        ARGS("(%x, device(type='cuda', index=0), <function f at 0x7f>)"),
        ARGS("(%x, [1, 2, [3, (4, 5)]], {a: 1, b: %x, c: [{}]})"),
        ARGS("((%x,), (), [], {}, ((),), [[]], [()])"),
        ARGS("([%x], [%x, %x], ([{k: (%x,)}],))"),
        ARGS("(%x, slice(None, 2, None), slice(1, None, -1))"),
        ARGS("(slice(x, None, None), (slice(None, None, None), slice(0, x, 2)))"),
        ARGS("(%x, slice(None, 2, None), x)"),
        ARGS("(%x, 'a,%x', '%x')"),
        ARGS("(%x, , 1)"),
        ARGS("(%x, )"),
        ARGS("(, , %x)"),
        ARGS("([, ], %x, {k: , l: })"),
        ARGS("(%x, {0: 1, a.b: 2, a b: 3})"),
        ARGS("(%x, f(a, b)[c, d], x)"),
        ARGS("(%x, a:b, http://c/d, 50%, #5)"),
        KWARGS("{}"),
        KWARGS("{dim: 1}"),
        KWARGS("{dim: 1, out: %x, keepdim: False, other: (%x, [None])}"),
        KWARGS("{dtype: torch.float32, device: cuda:0, name: 'a: b, c'}"),
        KWARGS("{a: {b: {c: %x}}}"),
        CALL("args = (), kwargs = {input: %x}"),
    };
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(texts); i++) {
        SAME(texts[i]);
    }
}

/* What the tokens are, not only that they print. */
static void check_tokens(const char *text, const char *expected, int line)
{
    gsp_arena arena;
    gsp_module module;
    if (t_must_read(&arena, text, &module)) {
        gsp_graph const graph = gsp_module_graph(&module, 0u);
        t_string s = t_show_args(&graph, graph.n_nodes - 2u);
        t_check_text(gsp_str_of(s.data), expected, __FILE__, line, text);
        t_free(&s);
    }
    t_arena_close(&arena);
}
#define TOKENS(text, expected) check_tokens((text), (expected), __LINE__)

static void test_tokens(void)
{
    TOKENS(ARGS("(%x,)"), "%x ");
    TOKENS(ARGS("()"), "");
    TOKENS(ARGS("(%x, (1, %x), [])"), "%x (1 %x / [/ ");
    TOKENS(ARGS("(x, 'x', slice(x, None, None))"), "x 'x' <%x None None / ");
    TOKENS(ARGS("(slice(None, y, x), %x)"), "<None y %x / %x ");
    TOKENS(ARGS("(%x, {a: 1, b: [%x]})"), "%x {a: 1 b: [%x / / ");
    TOKENS(ARGS("('a, (b', c d, e,f)"), "'a, (b' c d e,f ");
    TOKENS(ARGS("(device(type='cuda', index=0), 1)"), "device(type='cuda', index=0) 1 ");
    TOKENS(ARGS("(, %x, )"), " %x  ");
    TOKENS(ARGS("((1+2j), ((3-0j), %x), (%x), (j), (x+j, 1))"),
        "(1+2j) ((3-0j) %x / (%x / (j / (x+j 1 / ");
    TOKENS(KWARGS("{dim: 1, out: (%x,)}"), "%x dim: 1 out: (%x / ");
    TOKENS(CALL("args = ((%x,),), kwargs = {}"), "(%x / ");
}

/* Opening and closing tokens point at each other. */
static void test_brackets_match(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena, ARGS("((%x, [1, {k: (2,)}]), [], slice(1, [2], 3))"), &m)) {
        uint32_t i;
        for (i = 0; i < m.counts.args; i++) {
            gsp_arg const a = m.args[i];
            if (a.kind >= GSP_ARG_TUPLE && a.kind <= GSP_ARG_SLICE) {
                T_EQUAL(m.args[i + a.value].kind, GSP_ARG_CLOSE);
                T_EQUAL(m.args[i + a.value].value, a.value);
            }
        }
    }
    t_arena_close(&arena);
}

static void test_returns(void)
{
    static const char *const texts[] = {
        RETURN("x"),
        RETURN("(x,)"),
        RETURN("(x, x)"),
        RETURN("[x, (x, None), [1, 2]]"),
        RETURN("{'a': x, 'b': (x, 1)}"),
        RETURN("(x, 'x', \"a, b\")"),
        RETURN("slice(x, None, None)"),
        "graph():\n    return None\n",
        "graph():\n    return ()\n",
        "graph():\n    return []\n",
        "graph():\n    return {}\n",
        "graph():\n    return 1\n",
        "graph():\n    return 'text'\n",
        "graph():\n    return word\n",
        "graph():\n    return (, )\n",
    };
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(texts); i++) {
        SAME(texts[i]);
    }
}

static void test_returned_names(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena, RETURN("(x, y, 'x', {'x': x})"), &m)) {
        gsp_graph const graph = gsp_module_graph(&m, 0u);
        t_string s = t_show_args(&graph, 1u);
        T_STRING(s.data, "(%x y 'x' {'x': %x / / ");
        t_free(&s);
    }
    t_arena_close(&arena);
}

static void test_old_forms(void)
{
    T_PRINTS(
        "graph():\n"
        "    %x : torch.Tensor [#users=9] = placeholder[target=x]\n"
        "    %m : typing.Optional[torch.Tensor] [#users=1] = placeholder[target=m](default=None)\n"
        "    %d : typing.Dict[str, int] [#users=0] = placeholder[target=d](default={a: 1})\n"
        "    %f : [#users=1] = call_function[target=f](args = (%x, %m), kwargs = {})\n"
        "    return f\n",
        "graph():\n"
        "    %x : torch.Tensor [num_users=1] = placeholder[target=x]\n"
        "    %m : typing.Optional[torch.Tensor] [num_users=1] = "
        "placeholder[target=m](default=None)\n"
        "    %d : typing.Dict[str, int] [num_users=0] = placeholder[target=d](default={a: 1})\n"
        "    %f : [num_users=1] = call_function[target=f](args = (%x, %m), kwargs = {})\n"
        "    return f\n");
}

static void test_defaults(void)
{
    SAME("graph():\n    %x : [num_users=0] = placeholder[target=x](default=None)\n    return "
         "None\n");
    SAME("graph():\n    %x : [num_users=1] = placeholder[target=x](default=(1, [2], 'a)'))  # int\n"
         "    return x\n");
    SAME("graph():\n    %x : [num_users=0] = placeholder[target=x[0][1]]\n    return None\n");
    SAME("graph():\n    %x : [num_users=1] = placeholder[target=*args]\n"
         "    %k : [num_users=1] = placeholder[target=**kwargs]\n    return (x, k)\n");
}

static void test_lines(void)
{
    const char *const canonical = ARGS("(%x, 1)");
    T_PRINTS("graph():\r\n    %x : [num_users=1] = placeholder[target=x]\r\n"
             "    %f : [num_users=1] = call_function[target=f](args = (%x, 1), kwargs = {})\r\n"
             "    return f\r\n",
        canonical);
    T_PRINTS("\n# a comment\n\ngraph():\n#%y : nonsense\n\n"
             "\t%x : [num_users=1] = placeholder[target=x]\n"
             "\t\t%f : [num_users=1] = call_function[target=f](args = (%x, 1), kwargs = {})\n \t\n"
             "\treturn f\n\n# end\n",
        canonical);
    T_PRINTS("graph():\n%x : [num_users=1] = placeholder[target=x]\n"
             "%f : [num_users=1] = call_function[target=f](args = (%x, 1), kwargs = {})\nreturn f",
        canonical);
}

static void test_kinds_of_nodes(void)
{
    SAME(
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]\n"
        "    %w : [num_users=1] = get_attr[target=blk.0.w]\n"
        "    %f : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, %w), "
        "kwargs = {})\n"
        "    %g : [num_users=1] = call_method[target=view](args = (%f, -1), kwargs = {})\n"
        "    %h : [num_users=1] = call_module[target=layers.0.attn](args = (%g,), kwargs = {})\n"
        "    return h\n");
}

/* A name may look like anything that the text itself uses. */
static void test_odd_names(void)
{
    SAME(
        "graph():\n"
        "    %return : [num_users=1] = placeholder[target=return]\n"
        "    %graph : [num_users=1] = placeholder[target=args]\n"
        "    %None : [num_users=1] = call_function[target=f](args = (%return, %graph), kwargs = "
        "{})\n"
        "    %_1 : [num_users=1] = call_function[target=slice](args = (%None, slice(None, _x, 1)), "
        "kwargs = {kwargs: {}})\n"
        "    return _1\n");
}

#define SUB \
    "module _run_on_acc_0\ngraph():\n    %a : [num_users=1] = placeholder[target=a]\n" \
    "    %relu : [num_users=1] = call_function[target=relu](args = (%a,), kwargs = {})\n" \
    "    return relu\n"
#define MAIN \
    "graph():\n    %a : [num_users=1] = placeholder[target=a]\n" \
    "    %_run_on_acc_0 : [num_users=1] = call_module[target=_run_on_acc_0](args = (%a,), kwargs " \
    "= {})\n" \
    "    return _run_on_acc_0\n"

static void test_modules(void)
{
    gsp_arena arena;
    gsp_module m;
    SAME("module main\n" MAIN SUB);
    T_PRINTS("\nmodule main\n\n" MAIN "\n# next\nmodule _run_on_acc_0\n\ngraph():\n"
             "    %a : [num_users=1] = placeholder[target=a]\n"
             "    %relu : [num_users=1] = call_function[target=relu](args = (%a,), kwargs = {})\n"
             "    return relu\n\n",
        "module main\n" MAIN SUB);
    if (t_must_read(&arena, "module main\n" MAIN SUB, &m)) {
        T_EQUAL(m.counts.graphs, 2);
        T_TEXT(gsp_module_str(&m, m.graphs[1].name), "_run_on_acc_0");
        T_EQUAL(m.n_leaves, 0);
        T_EQUAL(gsp_module_find_graph(&m, m.target[1]), 1);
        T_EQUAL(gsp_module_find_graph(&m, m.graphs[0].name), 0);
        T_EQUAL(gsp_module_find_graph(&m, m.target[0]), GSP_NONE);
    }
    t_arena_close(&arena);
}

static void check_written(const gsp_module *m, gsp_text_desc desc, const char *expected)
{
    t_string s = t_print(m, &desc);
    T_STRING(s.data, expected);
    t_free(&s);
}

static void test_write_options(void)
{
    gsp_arena arena;
    gsp_module m;
    gsp_text_desc desc;
    memset(&desc, 0, sizeof(desc));
    if (t_must_read(&arena,
            "graph():\n    %w : [num_users=1] = get_attr[target=w]  # f32[2]\n"
            "    %f : [num_users=1] = call_function[target=f](args = (%w,), kwargs = {})\n"
            "    %y : [num_users=0] = placeholder[target=y]  # int acc=1\n"
            "    %x : [num_users=1] = placeholder[target=x](default=1)  # k=v\n"
            "    return (f, x)\n",
            &m)) {
        desc.no_annotations = 1;
        check_written(&m, desc,
            "graph():\n    %w : [num_users=1] = get_attr[target=w]\n"
            "    %f : [num_users=1] = call_function[target=f](args = (%w,), kwargs = {})\n"
            "    %y : [num_users=0] = placeholder[target=y]\n"
            "    %x : [num_users=1] = placeholder[target=x](default=1)\n"
            "    return (f, x)\n");
        desc.hoist = 1;
        desc.as_module = 1;
        check_written(&m, desc,
            "module main\ngraph():\n    %y : [num_users=0] = placeholder[target=y]\n"
            "    %x : [num_users=1] = placeholder[target=x](default=1)\n"
            "    %w : [num_users=1] = get_attr[target=w]\n"
            "    %f : [num_users=1] = call_function[target=f](args = (%w,), kwargs = {})\n"
            "    return (f, x)\n");
        desc.as_module = 0;
        desc.no_annotations = 0;
        check_written(&m, desc,
            "graph():\n    %y : [num_users=0] = placeholder[target=y]  # int acc=1\n"
            "    %x : [num_users=1] = placeholder[target=x](default=1)  # k=v\n"
            "    %w : [num_users=1] = get_attr[target=w]  # f32[2]\n"
            "    %f : [num_users=1] = call_function[target=f](args = (%w,), kwargs = {})\n"
            "    return (f, x)\n");
    }
    t_arena_close(&arena);
}

/* One graph of a module, and one value of a node, written alone. */
static void test_write_parts(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena, "module main\n" MAIN SUB, &m)) {
        gsp_graph const sub = gsp_module_graph(&m, 1u);
        t_string s = {NULL, 0u, 0u};
        uint32_t n;
        const gsp_arg *args;
        T_EQUAL(gsp_text_write_graph(&sub, NULL, t_sink, &s, NULL), GSP_OK);
        T_STRING(s.data, "graph():\n    %a : [num_users=1] = placeholder[target=a]\n"
                         "    %relu : [num_users=1] = call_function[target=relu](args = (%a,), "
                         "kwargs = {})\n    return relu\n");
        t_free(&s);
        args = gsp_node_args(&sub, 1u, &n);
        T_EQUAL(gsp_text_write_value(&sub, args, n, 0, t_sink, &s, NULL), GSP_OK);
        T_STRING(s.data, "%a");
        t_free(&s);
        T_EQUAL(gsp_text_write_value(&sub, args, n, 1, t_sink, &s, NULL), GSP_OK);
        T_STRING(s.data, "a");
        t_free(&s);
    }
    t_arena_close(&arena);
}

static int stop_after(void *user, const char *data, size_t size)
{
    size_t *const left = (size_t *)user;
    (void)data;
    if (size > *left) {
        return 1;
    }
    *left -= size;
    return 0;
}

static void test_sink_stops(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena, ARGS("(%x, [1, 2], {k: 1})"), &m)) {
        t_string whole = t_print(&m, NULL);
        size_t limit;
        for (limit = 0; limit <= whole.size; limit++) {
            size_t left = limit;
            gsp_error err;
            gsp_status const status = gsp_text_write(&m, NULL, stop_after, &left, &err);
            T_EQUAL(status, limit < whole.size ? GSP_STATUS_LIMIT : GSP_OK);
        }
        t_free(&whole);
    }
    t_arena_close(&arena);
}

/* The counting pass never says too little, and not absurdly much. */
static void test_counts(void)
{
    const char *const text = ARGS("(%x, [1, 2, (3,)], {a: 'b, c', d: slice(x, None, None)})");
    gsp_counts c;
    gsp_arena arena;
    gsp_module m;
    T_EQUAL(gsp_text_count(text, strlen(text), &c, NULL), GSP_OK);
    if (t_must_read(&arena, text, &m)) {
        T_CHECK(c.nodes >= m.counts.nodes && c.args >= m.counts.args && c.edges >= m.counts.edges);
        T_CHECK(c.attrs >= m.counts.attrs && c.strings >= m.counts.strings);
        T_CHECK(c.bytes >= m.counts.bytes && c.graphs >= m.counts.graphs);
        T_CHECK(c.nodes <= 16u && c.args <= 200u && c.strings <= 200u);
    }
    t_arena_close(&arena);
}

static void test_check_users(void)
{
    const char *const right = ARGS("(%x, %x)");
    const char *const wrong = "graph():\n    %x : [num_users=2] = placeholder[target=x]\n"
                              "    %f : [num_users=1] = call_function[target=f](args = (%x, %x), "
                              "kwargs = {})\n    return f\n";
    gsp_text_desc desc;
    gsp_arena arena;
    gsp_module m;
    gsp_error err;
    memset(&desc, 0, sizeof(desc));
    desc.check_users = 1;
    t_arena_open(&arena, 65536u);
    T_EQUAL(gsp_text_read(&arena, right, strlen(right), &desc, &m, &err), GSP_OK);
    T_EQUAL(gsp_text_read(&arena, wrong, strlen(wrong), &desc, &m, &err), GSP_STATUS_PARSE);
    T_EQUAL(err.detail, GSP_DETAIL_USERS_WRONG);
    T_EQUAL(err.line, 2);
    T_EQUAL(gsp_text_read(&arena, wrong, strlen(wrong), NULL, &m, &err), GSP_OK);
    t_arena_close(&arena);
}

/* The same errors where lines are not indented, and where the text ends in a word. */
static void test_bare_lines(void)
{
    static const char later[] =
        "graph():\n%a : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})\n"
        "%b : [num_users=1] = placeholder[target=b]\nreturn a\n";
    gsp_module m;
    gsp_error err;
    gsp_arena arena;
    t_arena_open(&arena, 1u << 14);
    T_EQUAL(gsp_text_read(&arena, later, strlen(later), NULL, &m, &err), GSP_STATUS_PARSE);
    T_EQUAL(err.detail, GSP_DETAIL_NAME_LATER);
    T_EQUAL(gsp_text_read(&arena, "graph():\nreturn", 15u, NULL, &m, &err), GSP_STATUS_PARSE);
    T_EQUAL(err.detail, GSP_DETAIL_RETURN);
    t_arena_close(&arena);
}

/* A byte order mark is skipped, also where nothing follows. */
static void test_byte_order_mark(void)
{
    static const char text[] = "\xEF\xBB\xBF"
                               "graph():\n    return 1\n";
    gsp_module m;
    gsp_error plain;
    gsp_error marked;
    gsp_arena arena;
    t_arena_open(&arena, 1u << 14);
    T_EQUAL(gsp_text_read(&arena, text, sizeof(text) - 1u, NULL, &m, &marked), GSP_OK);
    T_EQUAL(m.counts.nodes, 1);
    T_CHECK(gsp_text_read(&arena, text, 0u, NULL, &m, &plain) != GSP_OK);
    T_EQUAL(gsp_text_read(&arena, text, 3u, NULL, &m, &marked), plain.status);
    T_EQUAL(marked.detail, plain.detail);
    T_EQUAL(marked.line, plain.line);
    T_EQUAL(marked.column, plain.column);
    t_arena_close(&arena);
}

/* A `module` line brings one string. */
static void test_count_module(void)
{
    static const char plain[] = "graph():\n    return None\n";
    static const char named[] = "module m\ngraph():\n    return None\n";
    gsp_counts a;
    gsp_counts b;
    T_EQUAL(gsp_text_count(plain, sizeof(plain) - 1u, &a, NULL), GSP_OK);
    T_EQUAL(gsp_text_count(named, sizeof(named) - 1u, &b, NULL), GSP_OK);
    T_EQUAL(b.strings, a.strings + 1u);
}

void suite_unit_text(void)
{
    t_run("count_module", test_count_module);
    t_run("arguments_print_back", test_arguments_print_back);
    t_run("tokens", test_tokens);
    t_run("brackets_match", test_brackets_match);
    t_run("returns", test_returns);
    t_run("returned_names", test_returned_names);
    t_run("old_forms", test_old_forms);
    t_run("defaults", test_defaults);
    t_run("lines", test_lines);
    t_run("kinds_of_nodes", test_kinds_of_nodes);
    t_run("odd_names", test_odd_names);
    t_run("modules", test_modules);
    t_run("write_options", test_write_options);
    t_run("write_parts", test_write_parts);
    t_run("sink_stops", test_sink_stops);
    t_run("counts", test_counts);
    t_run("check_users", test_check_users);
    t_run("bare_lines", test_bare_lines);
    t_run("byte_order_mark", test_byte_order_mark);
}
