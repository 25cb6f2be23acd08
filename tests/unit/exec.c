/* Plans and runs: binding, frames, aggregates, lives of values, failures. */
#include "tests/t.h"

/* ---- a run with a diary ---- */

/* Every value is a number; the kernel adds what it can (and 100 for each result before), and writes
 * down what it was asked. */
typedef struct diary {
    t_string text;
    uint32_t asked;
    uint32_t fails_at; /* fails when asked for this time, 0 for never */
    int alive;
} diary;

static void note_tokens(diary *d, const gsp_call *call)
{
    uint32_t i;
    for (i = 0; i < call->n_args; i++) {
        gsp_str const text = gsp_call_str(call, i);
        static const char *const marks[GSP_ARG_COUNT] = {"?", "", "", "", "(", "[", "{", "<", "/"};
        t_puts(&d->text, i > 0u ? " " : "");
        t_puts(&d->text, marks[call->args[i].kind]);
        t_add(&d->text, text.data, text.size);
        if (call->args[i].kind == GSP_ARG_NODE) {
            t_number(&d->text, (uint32_t)call->values[i]);
        } else if (call->args[i].kind == GSP_ARG_KEY) {
            t_puts(&d->text, ":");
        }
    }
}

static gsp_status note(diary *d, const gsp_call *call, const char *before)
{
    gsp_str const name = gsp_node_name(&call->graph, call->node);
    t_puts(&d->text, before);
    t_add(&d->text, name.data, name.size);
    t_puts(&d->text, "(");
    note_tokens(d, call);
    t_puts(&d->text, ") ");
    return ++d->asked == d->fails_at ? GSP_STATUS_NO_FIT : GSP_OK;
}

static gsp_status add(void *user, const gsp_call *call)
{
    static const char *const marks[GSP_REQUEST_COUNT] = {"", "@", "#", ""};
    diary *const d = (diary *)user;
    gsp_status const status = note(d, call, marks[call->request]);
    uint64_t sum = call->request == GSP_REQUEST_ATTR ? 1000u : 0u;
    uint32_t i;
    for (i = 0; i < call->n_args && status == GSP_OK; i++) {
        uint64_t number = 0;
        (void)gsp_str_number(gsp_call_str(call, i), &number);
        sum += call->values[i] + number;
    }
    for (i = 0; i < call->n_results && status == GSP_OK; i++) {
        call->results[i] = sum + 100u * i;
        d->alive += call->request != GSP_REQUEST_ATTR;
    }
    return status;
}

static gsp_status entered(void *user, const gsp_call *call)
{
    return note((diary *)user, call, ">");
}

static void let_go(void *user, gsp_value value)
{
    diary *const d = (diary *)user;
    t_puts(&d->text, "-");
    t_number(&d->text, (uint32_t)value);
    t_puts(&d->text, " ");
    d->alive--;
}

typedef struct subject {
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_exec_plan_desc desc;
    gsp_input inputs[8];
    gsp_value values[8];
    gsp_value outputs[16];
    gsp_exec_plan frames;
    gsp_exec_desc run;
    gsp_error err;
    diary diary;
} subject;

static void open_text(subject *s, const char *text)
{
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, 1u << 17);
    T_EQUAL(gsp_text_read(&s->arena, text, strlen(text), NULL, &s->module, &s->err), GSP_OK);
    s->graph = gsp_module_graph(&s->module, 0u);
    s->run.kernel = add;
    s->run.user = &s->diary;
    t_puts(&s->diary.text, "");
}

static void close_text(subject *s)
{
    t_free(&s->diary.text);
    t_arena_close(&s->arena);
}

static gsp_status plan(subject *s)
{
    return gsp_exec_plan_run(&s->arena, &s->graph, &s->desc, &s->frames, &s->err);
}

static gsp_status run(subject *s)
{
    s->diary.text.size = 0;
    s->diary.asked = 0;
    return gsp_exec_run(&s->arena, &s->frames, &s->run, s->values, s->outputs, &s->err);
}

/* Plans and runs with inputs 1, 2, 3, ...; the diary has to be `expected`. */
static void check_diary(subject *s, const char *expected, int line)
{
    uint32_t i;
    for (i = 0; i < 8u; i++) {
        s->values[i] = i + 1u;
    }
    if (t_check_equal(plan(s), GSP_OK, __FILE__, line, "plan") &&
        t_check_equal(run(s), GSP_OK, __FILE__, line, "run")) {
        t_add(&s->diary.text, "", 1u);
        t_check_text(gsp_str_of(s->diary.text.data), expected, __FILE__, line, "diary");
    }
}
#define DIARY(s, expected) check_diary((s), (expected), __LINE__)

/* ---- inputs ---- */

static const char one_default[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
    "    %y : [num_users=1] = placeholder[target=y](default=2)\n"
    "    %add : [num_users=1] = call_function[target=operator.add](args = (%x, %y), kwargs = {})\n"
    "    return add\n";

static const char two_defaults[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x](default=1)\n"
    "    %y : [num_users=1] = placeholder[target=y](default=2)\n"
    "    %add : [num_users=1] = call_function[target=operator.add](args = (%x, %y), kwargs = {})\n"
    "    return add\n";

typedef struct binding {
    const char *text;
    const char *names; /* one character an input: its name, or - by position */
    const char *values;
    uint32_t sum; /* 0 for an error */
    gsp_detail detail;
    uint32_t node;
    uint32_t other; /* the input that is named */
} binding;

static void check_binding(const binding *b)
{
    subject s;
    uint32_t i;
    open_text(&s, b->text);
    s.desc.inputs = s.inputs;
    s.desc.n_inputs = (uint32_t)strlen(b->names);
    for (i = 0; i < s.desc.n_inputs; i++) {
        s.inputs[i].name = gsp_str_of(b->names + i);
        s.inputs[i].name.size = b->names[i] == '-' ? 0u : 1u;
        s.values[i] = (gsp_value)(b->values[i] - '0');
    }
    if (b->sum == 0u) {
        T_EQUAL(plan(&s), GSP_STATUS_ARG);
        T_EQUAL(s.err.detail, b->detail);
        T_EQUAL(s.err.node, b->node);
        T_EQUAL(s.err.other, b->other);
    } else if (T_EQUAL(plan(&s), GSP_OK) && T_EQUAL(run(&s), GSP_OK)) {
        T_EQUAL(s.frames.n_inputs, s.desc.n_inputs);
        T_EQUAL(s.outputs[0], b->sum);
    }
    close_text(&s);
}

static void test_bindings(void)
{
    static const binding bindings[] = {
        {one_default, "-", "1", 3, GSP_DETAIL_NONE, 0, 0},
        {one_default, "-y", "13", 4, GSP_DETAIL_NONE, 0, 0},
        {one_default, "--", "14", 5, GSP_DETAIL_NONE, 0, 0},
        {one_default, "-z", "13", 0, GSP_DETAIL_INPUT_UNKNOWN, GSP_NONE, 1},
        {one_default, "-yz", "134", 0, GSP_DETAIL_INPUT_UNKNOWN, GSP_NONE, 2},
        {one_default, "--y", "134", 0, GSP_DETAIL_INPUT_TWICE, 1, 2},
        {one_default, "-yy", "134", 0, GSP_DETAIL_INPUT_TWICE, 1, 2},
        {one_default, "---", "134", 0, GSP_DETAIL_INPUT_MANY, GSP_NONE, 2},
        {one_default, "", "", 0, GSP_DETAIL_INPUT_MISSING, 0, GSP_NONE},
        {one_default, "y", "3", 0, GSP_DETAIL_INPUT_MISSING, 0, GSP_NONE},
        {one_default, "y-", "31", 0, GSP_DETAIL_INPUT_ORDER, GSP_NONE, 1},
        {two_defaults, "", "", 3, GSP_DETAIL_NONE, 0, 0},
        {two_defaults, "-", "2", 4, GSP_DETAIL_NONE, 0, 0},
        {two_defaults, "x", "3", 5, GSP_DETAIL_NONE, 0, 0},
        {two_defaults, "y", "4", 5, GSP_DETAIL_NONE, 0, 0},
        {two_defaults, "--", "33", 6, GSP_DETAIL_NONE, 0, 0},
        {two_defaults, "-y", "34", 7, GSP_DETAIL_NONE, 0, 0},
        {two_defaults, "xy", "44", 8, GSP_DETAIL_NONE, 0, 0},
        {two_defaults, "yx", "44", 8, GSP_DETAIL_NONE, 0, 0},
        {two_defaults, "-x", "44", 0, GSP_DETAIL_INPUT_TWICE, 0, 1},
    };
    size_t i;
    for (i = 0; i < T_COUNT_OF(bindings); i++) {
        check_binding(&bindings[i]);
    }
}

static void test_rest(void)
{
    subject s;
    open_text(&s,
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
        "    %args : [num_users=2] = placeholder[target=*args]\n"
        "    %_kwargs : [num_users=2] = placeholder[target=**kwargs]\n"
        "    %g : [num_users=1] = call_function[target=operator.getitem](args = (%_kwargs, 'foo'), "
        "kwargs = {})\n"
        "    %h : [num_users=1] = call_function[target=operator.getitem](args = (%args, 1), "
        "kwargs = {})\n"
        "    %a : [num_users=1] = call_method[target=add](args = (%x, %g, [%h, %args]), kwargs = "
        "{k: %_kwargs})\n"
        "    return (a, _kwargs)\n");
    s.desc.inputs = s.inputs;
    s.desc.n_inputs = 5;
    s.inputs[3].name = gsp_str_of("foo");
    s.inputs[4].name = gsp_str_of("bar");
    DIARY(&s, "a(1 4 [ 3 ( 2 3 / / k: { foo: 4 bar: 5 /) ");
    T_EQUAL(s.frames.n_outputs, 3u);
    T_EQUAL(s.frames.n_output, 9u);
    T_EQUAL(s.outputs[0], 22u);
    s.desc.n_inputs = 3; /* no foo */
    T_EQUAL(plan(&s), GSP_STATUS_ARG);
    T_EQUAL(s.err.detail, GSP_DETAIL_ELEMENT);
    T_EQUAL(s.err.node, 3u);
    s.desc.n_inputs = 5;
    s.inputs[4].name = gsp_str_of("x");
    T_EQUAL(plan(&s), GSP_STATUS_ARG);
    T_EQUAL(s.err.detail, GSP_DETAIL_INPUT_TWICE);
    T_EQUAL(s.err.other, 4u);
    close_text(&s);
}

static void test_types(void)
{
    static const struct {
        const char *given;
        gsp_detail detail;
    } cases[] = {
        {"f32[2, s0, 4]", GSP_DETAIL_NONE},
        {"f32[2, 3, s1]", GSP_DETAIL_NONE},
        {"f32[2, 3, 5]", GSP_DETAIL_INPUT_SHAPE},
        {"f32[2, 3]", GSP_DETAIL_INPUT_SHAPE},
        {"f32[2, 3, 4, 1]", GSP_DETAIL_INPUT_SHAPE},
        {"f32[]", GSP_DETAIL_INPUT_SHAPE},
        {"f16[2, 3, 4]", GSP_DETAIL_INPUT_DTYPE},
        {"int", GSP_DETAIL_INPUT_TYPE},
        {"", GSP_DETAIL_NONE},
    };
    size_t i;
    for (i = 0; i < T_COUNT_OF(cases); i++) {
        subject s;
        open_text(&s, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[2, 3, 4]\n"
                      "    %n : [num_users=1] = placeholder[target=n]  # int\n"
                      "    %any : [num_users=1] = placeholder[target=any]\n    return (x, n)\n");
        s.desc.inputs = s.inputs;
        s.desc.n_inputs = 3;
        s.inputs[0].type = gsp_str_of(cases[i].given);
        s.inputs[1].type = gsp_str_of("int");
        s.inputs[2].type = gsp_str_of("f32[2]");
        T_EQUAL(plan(&s), cases[i].detail == GSP_DETAIL_NONE ? GSP_OK : GSP_STATUS_ARG);
        T_EQUAL(s.err.detail, cases[i].detail);
        s.inputs[0].type = gsp_str_of("");
        s.inputs[1].type = gsp_str_of("bool");
        T_EQUAL(plan(&s), GSP_STATUS_ARG);
        T_EQUAL(s.err.detail, GSP_DETAIL_INPUT_TYPE);
        T_EQUAL(s.err.node, 1u);
        T_EQUAL(s.err.other, 1u);
        close_text(&s);
    }
}

/* ---- aggregates and frames ---- */

/* Aggregates of a kernel, of a graph, through graphs, and constants on the way. */
static const char nested[] =
    "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
    "    %y : [num_users=1] = placeholder[target=y](default=2)  # f32[4]\n"
    "    %w : [num_users=1] = get_attr[target=w]  # f32[4]\n"
    "    %sub : [num_users=1] = get_attr[target=sub]\n"
    "    %a : [num_users=4] = call_function[target=torch.split](args = (%x, 4), kwargs = {d: 1})  "
    "# tuple(f32[2], list(f32[3], i64[1]))\n"
    "    %g0 : [num_users=1] = call_function[target=operator.getitem](args = (%a, 0), kwargs = "
    "{})\n"
    "    %g1 : [num_users=1] = call_function[target=operator.getitem](args = (%a, -1), kwargs = "
    "{})\n"
    "    %c : [num_users=2] = call_function[target=torch.cat](args = ([%a, %g1], (%y, 1)), kwargs "
    "= {w: %w})\n"
    "    %s : [num_users=2] = call_module[target=sub](args = (%c, %a), kwargs = {z: 7})\n"
    "    %h0 : [num_users=2] = call_function[target=operator.getitem](args = (%s, 0), kwargs = "
    "{})\n"
    "    %h1 : [num_users=1] = call_function[target=operator.getitem](args = (%s, 1), kwargs = "
    "{})\n"
    "    %i : [num_users=1] = call_function[target=torch.ops.higher_order.invoke_subgraph](args = "
    "(%sub, sub, %c, %a, %h0), kwargs = {})\n"
    "    return (h0, h1, i, None, {k: g0})\n"
    "module sub\ngraph():\n    %p : [num_users=1] = placeholder[target=p]\n"
    "    %q : [num_users=1] = placeholder[target=q]\n"
    "    %z : [num_users=2] = placeholder[target=z]\n"
    "    %m : [num_users=2] = call_method[target=relu](args = (%p, %z), kwargs = {})  # f32[8]\n"
    "    %e : [num_users=1] = call_function[target=operator.getitem](args = (%q, 1), kwargs = {})\n"
    "    return (m, e, z, 3, m)\n";

static void test_aggregates(void)
{
    subject s;
    open_text(&s, nested);
    s.run.enter = entered;
    DIARY(&s, "#y(2) @w() a(1 4 d: 1) c([ ( 6 [ 106 206 / / [ 106 206 / / ( 2 1 / w: 1000) #s(7) "
              ">s(1633 ( 6 [ 106 206 / / 7) m(1633 7) #output(3) "
              ">i(1633 ( 6 [ 106 206 / / 1640) m(1633 1640) #output(3) ");
    T_EQUAL(s.frames.n_outputs, 10u);
    T_EQUAL(s.outputs[0], 1640u);
    T_EQUAL(s.outputs[1], 106u);
    T_EQUAL(s.outputs[2], 206u);
    T_EQUAL(s.outputs[3], 3273u);
    T_EQUAL(s.outputs[6], 1640u); /* what came in as z */
    T_EQUAL(s.outputs[9], 6u);
    T_EQUAL(s.frames.depth, 2u);
    close_text(&s);
}

static void test_whole(void)
{
    subject s;
    open_text(&s, "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %a : [num_users=1] = call_method[target=split](args = (%x,), kwargs = {})  "
                  "# tuple(f32[2], f32[2])\n"
                  "    %g : [num_users=1] = call_function[target=operator.getitem](args = (%a, 1), "
                  "kwargs = {})\n    return g\n");
    DIARY(&s, "a(1) ");
    T_EQUAL(s.outputs[0], 101u);
    s.desc.whole = 1;
    DIARY(&s, "a(1) g(1 1) ");
    close_text(&s);
}

/* The other graphs of a module can be run, too. */
static void test_child_alone(void)
{
    subject s;
    open_text(&s, nested);
    s.graph = gsp_module_graph(&s.module, 1u);
    DIARY(&s, "m(1 3) e(2 1) "); /* q is one value here, so its element is a kernel's */
    T_EQUAL(s.frames.n_outputs, 4u);
    T_EQUAL(s.outputs[1], 3u);
    close_text(&s);
}

/* Each caller's inputs are its own, also where the older form passes them as one tuple. */
static void test_packed(void)
{
    subject s;
    open_text(&s, "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %y : [num_users=1] = placeholder[target=y]\n"
                  "    %h : [num_users=2] = get_attr[target=r]\n"
                  "    %i : [num_users=1] = "
                  "call_function[target=torch.ops.higher_order.invoke_subgraph](args "
                  "= (%h, r, (%x, %y)), kwargs = {})\n"
                  "    %j : [num_users=1] = "
                  "call_function[target=torch.ops.higher_order.invoke_subgraph](args "
                  "= (%h, r, %i, %i), kwargs = {})\n"
                  "    return j\n"
                  "module r\ngraph():\n    %a : [num_users=1] = placeholder[target=a]\n"
                  "    %b : [num_users=1] = placeholder[target=b]\n"
                  "    %c : [num_users=1] = call_method[target=add](args = (%a, %b), kwargs = {})\n"
                  "    return c\n");
    DIARY(&s, "c(1 2) c(3 3) ");
    T_EQUAL(s.outputs[0], 6u);
    close_text(&s);
}

/* Negative elements, beyond the first one too; keys; calls of a graph by few arguments. */
static void test_elements(void)
{
    static const struct {
        const char *take;
        gsp_detail detail;
        uint64_t value;
    } rows[] = {{"%t, -3", GSP_DETAIL_NONE, 1u}, {"%t, -4", GSP_DETAIL_ELEMENT, 0u},
        {"%n, -2", GSP_DETAIL_NONE, 0u}, {"%n, -3", GSP_DETAIL_ELEMENT, 0u},
        {"%d, 'b'", GSP_DETAIL_NONE, 2u}, {"%d, 'c'", GSP_DETAIL_ELEMENT, 0u}};
    for (uint32_t i = 0; i < T_COUNT_OF(rows); i++) {
        t_string text = {NULL, 0u, 0u};
        subject s;
        t_puts(&text,
            "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %y : [num_users=1] = placeholder[target=y]\n"
            "    %t : [num_users=1] = call_module[target=flat](args = (%x, %y), kwargs = {})\n"
            "    %n : [num_users=1] = call_module[target=deep](args = (%x, %y), kwargs = {})\n"
            "    %d : [num_users=1] = call_module[target=keys](args = (%x, %y), kwargs = {})\n"
            "    %g : [num_users=1] = call_function[target=operator.getitem](args = (");
        t_puts(&text, rows[i].take);
        t_puts(&text, "), kwargs = {})\n    return g\n");
        for (uint32_t k = 0; k < 3u; k++) {
            t_puts(&text, k == 0u ? "module flat\n" : k == 1u ? "module deep\n" : "module keys\n");
            t_puts(&text, "graph():\n    %p : [num_users=1] = placeholder[target=p]\n"
                          "    %q : [num_users=1] = placeholder[target=q]\n    return ");
            t_puts(&text, k == 0u ? "(p, q, p)\n" : k == 1u ? "((p, q), q)\n" : "{a: p, b: q}\n");
        }
        open_text(&s, text.data);
        s.values[0] = 1u;
        s.values[1] = 2u;
        if (T_EQUAL(plan(&s), rows[i].detail == GSP_DETAIL_NONE ? GSP_OK : GSP_STATUS_ARG)) {
            T_EQUAL(s.err.detail, rows[i].detail);
        }
        if (rows[i].value != 0u && T_EQUAL(run(&s), GSP_OK)) {
            T_EQUAL(s.outputs[0], rows[i].value);
        }
        close_text(&s);
        t_free(&text);
    }
}

/* Symbols fit all sizes; a tuple among other inputs is one input; a kernel may be called by the
 * name of the function that calls graphs. */
static void test_other_inputs(void)
{
    subject s;
    open_text(&s,
        "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[2, s0]\n    return x\n");
    s.desc.inputs = s.inputs;
    s.desc.n_inputs = 1;
    s.inputs[0].type = gsp_str_of("f32[2, 7]");
    T_EQUAL(plan(&s), GSP_OK);
    s.inputs[0].type = gsp_str_of("f32[3, 7]");
    T_EQUAL(plan(&s), GSP_STATUS_ARG);
    close_text(&s);
    open_text(&s, "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %h : [num_users=2] = get_attr[target=r]\n"
                  "    %i : [num_users=1] = call_function[target=torch.ops.higher_order."
                  "invoke_subgraph](args = (%h, r, (%x, 1), %x), kwargs = {})\n    return i\n"
                  "module r\ngraph():\n    %a : [num_users=1] = placeholder[target=a]\n"
                  "    %b : [num_users=1] = placeholder[target=b]\n"
                  "    %c : [num_users=1] = call_method[target=add](args = (%a, %b), kwargs = {})\n"
                  "    return c\n");
    DIARY(&s, "#i(1) c(( 1 1 / 1) ");
    close_text(&s);
    open_text(&s, "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %i : [num_users=1] = call_function[target=torch.ops.higher_order."
                  "invoke_subgraph](args = (%x,), kwargs = {})\n"
                  "    %j : [num_users=1] = call_function[target=torch.ops.higher_order."
                  "invoke_subgraph](args = (%i, 2), kwargs = {})\n"
                  "    %k : [num_users=1] = call_function[target=torch.ops.higher_order."
                  "invoke_subgraph](args = (3, %j), kwargs = {})\n    return k\n");
    DIARY(&s, "i(1) j(1 2) k(3 3) ");
    T_EQUAL(gsp_exec_run(&s.arena, &s.frames, &s.run, s.values, NULL, &s.err), GSP_STATUS_ARG);
    T_EQUAL(s.err.detail, GSP_DETAIL_NULL_ARGUMENT);
    T_FIELD(&s.err);
    close_text(&s);
    open_text(&s, "graph():\n    return ()\n");
    T_EQUAL(plan(&s), GSP_OK);
    T_EQUAL(gsp_exec_run(&s.arena, &s.frames, &s.run, NULL, NULL, &s.err), GSP_OK);
    close_text(&s);
}

/* An attribute that names a graph has no value, unless the call reads it at another place too. */
static void test_holders(void)
{
    static const char *const names[] = {"r", "%h"};
    static const char *const expected[] = {"c(1) ", "@h() c(1) "};
    uint32_t i;
    for (i = 0; i < 2u; i++) {
        subject s;
        t_string text = {NULL, 0u, 0u};
        t_puts(&text, "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                      "    %h : [num_users=1] = get_attr[target=r]\n    %i : [num_users=1] = "
                      "call_function[target=torch.ops.higher_order.invoke_subgraph](args = (%h, ");
        t_puts(&text, names[i]);
        t_puts(&text,
            ", %x), kwargs = {})\n    return i\n"
            "module r\ngraph():\n    %a : [num_users=1] = placeholder[target=a]\n"
            "    %c : [num_users=1] = call_method[target=neg](args = (%a,), kwargs = {})\n"
            "    return c\n");
        open_text(&s, text.data);
        DIARY(&s, expected[i]);
        close_text(&s);
        t_free(&text);
    }
}

/* ---- lives ---- */

static void test_releases(void)
{
    subject s;
    open_text(&s, nested);
    s.run.release = let_go;
    DIARY(&s, "#y(2) @w() a(1 4 d: 1) c([ ( 6 [ 106 206 / / [ 106 206 / / ( 2 1 / w: 1000) #s(7) "
              "m(1633 7) #output(3) -3 -7 m(1633 1640) #output(3) -1633 -2 ");
    T_EQUAL(s.diary.alive, 6); /* what is returned: six values, some of them twice */
    close_text(&s);
}

/* Each time that the kernel or `enter` is asked it may fail: its status and place come back, and
 * everything alive is released. */
static void test_failures(void)
{
    static const struct {
        uint32_t node;
        uint32_t graph;
    } places[] = {
        {1, 0}, {2, 0}, {4, 0}, {7, 0}, {8, 0}, {8, 0}, {3, 1}, {5, 1}, {11, 0}, {3, 1}, {5, 1}};
    subject s;
    uint32_t i;
    open_text(&s, nested);
    s.run.enter = entered;
    s.run.release = let_go;
    T_EQUAL(plan(&s), GSP_OK);
    for (i = 0; i < T_COUNT_OF(places); i++) {
        gsp_mark const mark = gsp_arena_mark(&s.arena);
        s.diary.alive = 0;
        s.diary.fails_at = i + 1u;
        T_EQUAL(run(&s), GSP_STATUS_NO_FIT);
        T_EQUAL(s.err.status, GSP_STATUS_NO_FIT);
        T_EQUAL(s.err.detail, GSP_DETAIL_KERNEL);
        T_EQUAL(s.err.node, places[i].node);
        T_EQUAL(s.err.other, places[i].graph);
        T_EQUAL(s.diary.alive, 0);
        T_EQUAL(s.arena.low, mark.low);
        T_EQUAL(s.arena.high, mark.high);
    }
    s.diary.fails_at = i + 1u;
    T_EQUAL(run(&s), GSP_OK);
    close_text(&s);
}

/* A default that is returned is the caller's; one that is only read is not. */
static void test_default_lives(void)
{
    subject s;
    open_text(&s, two_defaults);
    s.run.release = let_go;
    s.desc.inputs = s.inputs;
    DIARY(&s, "#x(1) #y(2) add(1 2) -1 -2 ");
    close_text(&s);
    open_text(&s, "graph():\n    %x : [num_users=1] = placeholder[target=x](default=(1, 2))\n"
                  "    %a : [num_users=1] = call_function[target=operator.getitem](args = (%x, 1), "
                  "kwargs = {})\n    return (a, a)\n");
    s.run.release = let_go;
    DIARY(&s, "#x(1) #x(2) -1 ");
    T_EQUAL(s.diary.alive, 1);
    close_text(&s);
}

/* x, y alive: 16 + 32; a takes 64 more; in the submodule 128 on top of x and a. */
static void test_peak(void)
{
    subject s;
    open_text(&s,
        "module main\ngraph():\n    %x : [num_users=2] = placeholder[target=x]  # f32[4]\n"
        "    %y : [num_users=1] = placeholder[target=y]  # f32[8]\n"
        "    %w : [num_users=1] = get_attr[target=w]  # f32[1000]\n"
        "    %a : [num_users=1] = call_method[target=f](args = (%x, %y, %w), kwargs = {}) "
        " # f32[16]\n"
        "    %s : [num_users=1] = call_module[target=sub](args = (%x, %a), kwargs = {})\n"
        "    return s\n"
        "module sub\ngraph():\n    %p : [num_users=1] = placeholder[target=p]  # f32[4]\n"
        "    %q : [num_users=1] = placeholder[target=q]  # f32[16]\n"
        "    %b : [num_users=1] = call_method[target=f](args = (%p, %q), kwargs = {})  # "
        "f32[32]\n"
        "    %c : [num_users=1] = call_method[target=f](args = (%b,), kwargs = {})  # "
        "f32[8]\n    return c\n");
    T_EQUAL(plan(&s), GSP_OK);
    T_EQUAL(s.frames.peak_bytes, 16u + 64u + 128u + 32u);
    T_EQUAL(s.frames.peak_graph, 1u);
    T_EQUAL(s.frames.peak_node, 3u);
    close_text(&s);
}

/* Elements of an aggregate take what their TYPEs say: one byte each where a dtype has no digits. */
static void test_peak_of_elements(void)
{
    subject s;
    open_text(&s, "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %a : [num_users=1] = call_method[target=split](args = (%x,), kwargs = {})  "
                  "# tuple(q[5], f32[2])\n    return a\n");
    T_EQUAL(plan(&s), GSP_OK);
    T_EQUAL(s.frames.peak_bytes, 5u + 8u);
    close_text(&s);
}

/* Sums of bytes stay below 2^63: `a` takes 2^62, and `b` in the submodule the rest or one more. */
static void test_greatest_peak(void)
{
    static const char *const bytes[] = {"4611686018427387903", "4611686018427387904"};
    uint32_t i;
    for (i = 0; i < 2u; i++) {
        subject s;
        t_string text = {NULL, 0u, 0u};
        t_puts(&text,
            "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %a : [num_users=1] = call_method[target=f](args = (%x,), kwargs = {})  # "
            "bytes=4611686018427387904\n"
            "    %s : [num_users=1] = call_module[target=sub](args = (%a,), kwargs = {})\n"
            "    return s\n"
            "module sub\ngraph():\n    %p : [num_users=1] = placeholder[target=p]\n"
            "    %b : [num_users=1] = call_method[target=f](args = (%p,), kwargs = {})  # bytes=");
        t_puts(&text, bytes[i]);
        t_puts(&text,
            "\n    %c : [num_users=1] = call_method[target=f](args = (%b,), kwargs = {})\n"
            "    return c\n");
        open_text(&s, text.data);
        if (i == 0u) {
            T_EQUAL(plan(&s), GSP_OK);
            T_EQUAL(s.frames.peak_bytes, UINT64_MAX / 2u);
        } else {
            T_EQUAL(plan(&s), GSP_STATUS_OVERFLOW);
            T_EQUAL(s.err.detail, GSP_DETAIL_SIZE);
        }
        close_text(&s);
        t_free(&text);
    }
}

/* Slots are used again: a chain takes three, whatever its length (one more at either end). */
static void test_slots(void)
{
    subject s;
    t_string text = {NULL, 0u, 0u};
    uint32_t i;
    t_puts(&text, "graph():\n    %n0 : [num_users=1] = placeholder[target=x]\n");
    for (i = 1; i < 100u; i++) {
        t_puts(&text, "    %n");
        t_number(&text, i);
        t_puts(&text, " : [num_users=1] = call_method[target=f](args = (%n");
        t_number(&text, i - 1u);
        t_puts(&text, ",), kwargs = {})\n");
    }
    t_puts(&text, "    return n99\n");
    open_text(&s, text.data);
    T_EQUAL(plan(&s), GSP_OK);
    T_EQUAL(s.frames.frames[0].n_slots, 2u);
    T_EQUAL(s.frames.n_slots, 4u);
    close_text(&s);
    t_free(&text);
}

/* A graph without values has no slots, whatever its caller holds. */
static void test_no_values(void)
{
    subject s;
    open_text(&s, "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %a : [num_users=0] = call_module[target=s](args = (), kwargs = {})\n"
                  "    return x\nmodule s\ngraph():\n    return ()\n");
    T_EQUAL(plan(&s), GSP_OK);
    T_EQUAL(s.frames.frames[0].n_slots, 1u);
    T_EQUAL(s.frames.frames[1].n_slots, 0u);
    close_text(&s);
}

/* ---- what cannot be planned ---- */

#define CALL(name, target, args) \
    "    %" name " : [num_users=1] = call_module[target=" target "](args = (" args \
    "), kwargs = {})\n"
#define HEAD "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
#define PAIR \
    "module s\ngraph():\n    %p : [num_users=1] = placeholder[target=p]\n" \
    "    %q : [num_users=1] = placeholder[target=q]\n    return (p, q)\n"

static void test_wrong_modules(void)
{
    static const struct {
        const char *text;
        gsp_status status;
        gsp_detail detail;
        uint32_t node;
        uint32_t graph;
    } cases[] = {
        {HEAD CALL("a", "s", "%x") "    return a\n" PAIR, GSP_STATUS_ARG, GSP_DETAIL_CALL_INPUTS, 1,
            0},
        {HEAD CALL("a", "s", "%x, 1, 2") "    return a\n" PAIR, GSP_STATUS_ARG,
            GSP_DETAIL_CALL_INPUTS, 1, 0},
        {HEAD CALL("a", "s", "%x, 1") CALL("b", "s", "%a, 1") "    return b\n" PAIR, GSP_STATUS_ARG,
            GSP_DETAIL_FORMS, 2, 0},
        {HEAD CALL("a", "s", "%x, (1,)") CALL("b", "s", "%x, [1]") "    return b\n" PAIR,
            GSP_STATUS_ARG, GSP_DETAIL_FORMS, 2, 0},
        {HEAD CALL("a", "s", "%x, (1, 1, (1, 1), 1)")
                CALL("b", "s", "%x, (1, 1, 1, (1, 1))") "    return b\n" PAIR,
            GSP_STATUS_ARG, GSP_DETAIL_FORMS, 2, 0},
        {HEAD CALL("a", "s", "%x, 1") "    %b : [num_users=1] = call_function[target=operator."
                                      "getitem](args = (%a, 2), kwargs = {})\n    return b\n" PAIR,
            GSP_STATUS_ARG, GSP_DETAIL_ELEMENT, 2, 0},
        {HEAD CALL("a", "main", "%x") "    return a\n", GSP_STATUS_CYCLE, GSP_DETAIL_RECURSION, 1,
            0},
        {HEAD CALL("a", "s", "%x") "    return a\nmodule s\ngraph():\n"
                                   "    %p : [num_users=1] = placeholder[target=p]\n" CALL("b", "t",
                                       "%p") "    return b\nmodule t\ngraph():\n"
                                             "    %p : [num_users=1] = "
                                             "placeholder[target=p]\n" CALL("c", "s", "%p") "    "
                                                                                            "return"
                                                                                            " c\n",
            GSP_STATUS_CYCLE, GSP_DETAIL_RECURSION, 1, 2},
    };
    size_t i;
    for (i = 0; i < T_COUNT_OF(cases); i++) {
        subject s;
        gsp_mark mark;
        open_text(&s, cases[i].text);
        mark = gsp_arena_mark(&s.arena);
        T_EQUAL(plan(&s), cases[i].status);
        T_EQUAL(s.err.detail, cases[i].detail);
        T_EQUAL(s.err.node, cases[i].node);
        T_EQUAL(s.err.other, cases[i].graph);
        T_EQUAL(s.arena.low, mark.low);
        T_EQUAL(s.arena.high, mark.high);
        close_text(&s);
    }
}

/* Pairs of pairs of pairs: 2^40 values have no room, and the desc is told so. */
static void test_doubling(void)
{
    subject s;
    t_string text = {NULL, 0u, 0u};
    uint32_t i;
    t_puts(&text, HEAD CALL("n0", "s", "%x, %x"));
    for (i = 1; i < 40u; i++) {
        t_puts(&text, "    %n");
        t_number(&text, i);
        t_puts(&text, " : [num_users=1] = call_module[target=s");
        t_number(&text, i);
        t_puts(&text, "](args = (%n");
        t_number(&text, i - 1u);
        t_puts(&text, ", %n");
        t_number(&text, i - 1u);
        t_puts(&text, "), kwargs = {})\n");
    }
    t_puts(&text, "    return n39\n" PAIR);
    for (i = 1; i < 40u; i++) {
        t_puts(&text, "module s");
        t_number(&text, i);
        t_puts(&text, "\ngraph():\n    %p : [num_users=1] = placeholder[target=p]\n"
                      "    %q : [num_users=1] = placeholder[target=q]\n    return (p, q)\n");
    }
    open_text(&s, text.data);
    T_EQUAL(plan(&s), GSP_STATUS_LIMIT);
    T_EQUAL(s.err.detail, GSP_DETAIL_AGGREGATES);
    T_CHECK(s.err.need > s.err.limit);
    close_text(&s);
    t_free(&text);
}

/* A stored TYPE that closes nothing: there is room for what it opens, or for the ends as well. */
static void test_unclosed(void)
{
    enum { DEEP = 60 };
    subject s;
    t_string text = {NULL, 0u, 0u};
    uint32_t i;
    t_puts(&text, "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %a : [num_users=1] = call_method[target=f](args = (%x,), kwargs = {})  # ");
    for (i = 0; i < 2u * DEEP + 1u; i++) {
        t_puts(&text, i < DEEP ? "tuple(" : i == DEEP ? "f32[1]" : ")");
    }
    t_puts(&text, "\n    return a\n");
    open_text(&s, text.data);
    if (!t_failed()) {
        gsp_str const type = gsp_node_type(&s.graph, 1u);
        const unsigned char *const end = (const unsigned char *)type.data + type.size;
        unsigned char *const copy = (unsigned char *)t_alloc(s.module.block_size);
        gsp_module stored;
        memcpy(copy, s.module.block, s.module.block_size);
        memset(copy + (end - (const unsigned char *)s.module.block) - DEEP, ' ', DEEP);
        T_EQUAL(gsp_module_open(&stored, copy, s.module.block_size, 0, &s.err), GSP_OK);
        s.graph = gsp_module_graph(&stored, 0u);
        s.desc.aggregates = 1;
        T_EQUAL(plan(&s), GSP_STATUS_LIMIT);
        T_EQUAL(s.err.detail, GSP_DETAIL_AGGREGATES);
        s.desc.aggregates = 4u * DEEP;
        T_EQUAL(plan(&s), GSP_OK);
        free(copy);
    }
    close_text(&s);
    t_free(&text);
}

/* ---- statuses of both functions ---- */

static void test_statuses(void)
{
    subject s;
    gsp_module huge;
    gsp_graph g = {NULL, 0u, 0u, 0u, NULL};
    gsp_arena tiny;
    open_text(&s, two_defaults);
    T_EQUAL(gsp_exec_plan_run(NULL, &s.graph, NULL, &s.frames, &s.err), GSP_STATUS_ARG);
    T_EQUAL(gsp_exec_plan_run(&s.arena, NULL, NULL, &s.frames, &s.err), GSP_STATUS_ARG);
    T_EQUAL(gsp_exec_plan_run(&s.arena, &s.graph, NULL, NULL, &s.err), GSP_STATUS_ARG);
    T_EQUAL(s.err.detail, GSP_DETAIL_NULL_ARGUMENT);
    T_FIELD(&s.err);
    s.desc.start_canary = 1;
    T_EQUAL(plan(&s), GSP_STATUS_DESC);
    s.desc.start_canary = 0;
    s.desc.end_canary = 1;
    T_EQUAL(plan(&s), GSP_STATUS_DESC);
    s.desc.end_canary = 0;
    gsp_arena_init(&tiny, NULL, 0u);
    T_EQUAL(gsp_exec_plan_run(&tiny, &s.graph, &s.desc, &s.frames, &s.err), GSP_STATUS_NOMEM);
    T_EQUAL(s.err.need, gsp_exec_plan_bound(&s.graph, &s.desc));
    s.desc.n_inputs = 2;
    T_EQUAL(plan(&s), GSP_OK);
    T_EQUAL(gsp_exec_run(NULL, &s.frames, &s.run, s.values, s.outputs, &s.err), GSP_STATUS_ARG);
    T_EQUAL(gsp_exec_run(&s.arena, NULL, &s.run, s.values, s.outputs, &s.err), GSP_STATUS_ARG);
    T_EQUAL(gsp_exec_run(&s.arena, &s.frames, NULL, s.values, s.outputs, &s.err), GSP_STATUS_ARG);
    T_EQUAL(gsp_exec_run(&s.arena, &s.frames, &s.run, NULL, s.outputs, &s.err), GSP_STATUS_ARG);
    T_EQUAL(gsp_exec_run(&s.arena, &s.frames, &s.run, s.values, NULL, &s.err), GSP_STATUS_ARG);
    T_EQUAL(gsp_exec_run(&tiny, &s.frames, &s.run, s.values, s.outputs, &s.err), GSP_STATUS_NOMEM);
    T_EQUAL(s.err.need, gsp_exec_bound(&s.frames));
    s.run.end_canary = 1;
    T_EQUAL(run(&s), GSP_STATUS_DESC);
    s.run.end_canary = 0;
    s.run.kernel = NULL;
    T_EQUAL(run(&s), GSP_STATUS_ARG);
    memset(&huge, 0, sizeof(huge));
    huge.counts.graphs = 1;
    huge.counts.nodes = UINT32_MAX - 2u;
    g.module = &huge;
    T_EQUAL(gsp_exec_plan_bound(&g, NULL), SIZE_MAX);
    close_text(&s);
}

/* ---- reading a call ---- */

static gsp_status look(void *user, const gsp_call *call)
{
    (void)user;
    T_EQUAL(gsp_call_find(call, 0u, NULL), 0u);
    T_EQUAL(gsp_call_find(call, 1u, "second"), 1u);
    T_EQUAL(gsp_call_find(call, 2u, NULL), 8u);
    T_EQUAL(gsp_call_find(call, 3u, NULL), GSP_NONE);
    T_EQUAL(gsp_call_find(call, 3u, "k"), 10u);
    T_EQUAL(gsp_call_find(call, GSP_NONE, "l"), 18u);
    T_EQUAL(gsp_call_find(call, GSP_NONE, "m"), GSP_NONE);
    T_TEXT(gsp_call_str(call, 8u), "None");
    T_TEXT(gsp_call_str(call, 9u), "k");
    T_TEXT(gsp_call_str(call, 0u), "");
    T_TEXT(gsp_call_str(call, 99u), "");
    call->results[0] = 5;
    return GSP_OK;
}

static void test_find(void)
{
    subject s;
    open_text(&s, "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %a : [num_users=1] = call_method[target=f](args = (%x, (%x, {k: 1}), None), "
                  "kwargs = {k: [m, (1, 2)], l: 3})\n    return a\n");
    s.run.kernel = look;
    T_EQUAL(plan(&s), GSP_OK);
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.outputs[0], 5u);
    close_text(&s);
}

/* Nothing is read behind the last token, a key. */
static gsp_status look_at_keys(void *user, const gsp_call *call)
{
    gsp_arg *const args = (gsp_arg *)t_alloc(call->n_args * sizeof(*args));
    gsp_call own = *call;
    (void)user;
    memcpy(args, call->args, call->n_args * sizeof(*args));
    own.args = args;
    T_EQUAL(own.n_args, 2u);
    T_EQUAL(gsp_call_find(&own, GSP_NONE, "key_none"), 2u);
    T_EQUAL(gsp_call_find(&own, 1u, "other"), GSP_NONE);
    call->results[0] = call->values[0] + 5u;
    free(args);
    return GSP_OK;
}

/* Keys without values: the arguments of a call end in one, a dict has one. */
static void test_stored_keys(void)
{
    static const char *const taken[] = {"b", "a"};
    for (uint32_t i = 0; i < T_COUNT_OF(taken); i++) {
        t_string text = {NULL, 0u, 0u};
        subject s;
        gsp_module stored;
        void *copy;
        t_puts(&text, HEAD CALL("d", "keys", "%x") "    %g : [num_users=1] = call_function["
                                                   "target=operator.getitem](args = (%d, ");
        t_puts(&text, taken[i]);
        t_puts(&text, "), kwargs = {})\n    %f : [num_users=1] = call_method[target=f](args = "
                      "(%g, key_none), kwargs = {})\n    return f\nmodule keys\ngraph():\n"
                      "    %p : [num_users=1] = placeholder[target=p]\n"
                      "    return {a: key_none, b: p}\n");
        open_text(&s, text.data);
        copy = t_store_keys(&s.module, &stored);
        s.graph = gsp_module_graph(&stored, 0u);
        s.run.kernel = look_at_keys;
        s.values[0] = 7u;
        if (i != 0u) {
            T_EQUAL(plan(&s), GSP_STATUS_ARG);
            T_EQUAL(s.err.detail, GSP_DETAIL_ELEMENT);
        } else if (T_EQUAL(plan(&s), GSP_OK) && T_EQUAL(run(&s), GSP_OK)) {
            T_EQUAL(s.outputs[0], 12u);
        }
        free(copy);
        close_text(&s);
        t_free(&text);
    }
}

/* The inputs of the graph count as the arguments of a call. */
static void test_tokens(void)
{
    subject s;
    open_text(&s, "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %y : [num_users=0] = placeholder[target=y]\n"
                  "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})\n"
                  "    return a\n");
    T_EQUAL(plan(&s), GSP_OK);
    T_EQUAL(s.frames.n_tokens, 2);
    close_text(&s);
}

void suite_unit_exec(void)
{
    t_run("bindings", test_bindings);
    t_run("rest", test_rest);
    t_run("types", test_types);
    t_run("aggregates", test_aggregates);
    t_run("whole", test_whole);
    t_run("child_alone", test_child_alone);
    t_run("packed", test_packed);
    t_run("elements", test_elements);
    t_run("other_inputs", test_other_inputs);
    t_run("holders", test_holders);
    t_run("releases", test_releases);
    t_run("failures", test_failures);
    t_run("default_lives", test_default_lives);
    t_run("peak", test_peak);
    t_run("peak_of_elements", test_peak_of_elements);
    t_run("greatest_peak", test_greatest_peak);
    t_run("slots", test_slots);
    t_run("tokens", test_tokens);
    t_run("no_values", test_no_values);
    t_run("wrong_modules", test_wrong_modules);
    t_run("doubling", test_doubling);
    t_run("unclosed", test_unclosed);
    t_run("statuses", test_statuses);
    t_run("find", test_find);
    t_run("stored_keys", test_stored_keys);
}
