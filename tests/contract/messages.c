/* Texts that cannot be read: status, detail, and the exact line and column of the first offence. */
#include "tests/t.h"

#define HEAD     "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
#define L3(line) HEAD "    " line "\n    return x\n"
/* columns of L3: the line starts at column 5; "%f : [num_users=1] = " ends at 25 */
#define F(rest)    L3("%f : [num_users=1] = " rest)
#define ARGS(a)    F("call_function[target=f](args = " a ", kwargs = {})") /* a starts at 57 */
#define NOTE(note) F("call_function[target=f](args = (), kwargs = {})  # " note) /* at 77 */

typedef struct wrong {
    const char *text;
    gsp_status status;
    gsp_detail detail;
    size_t line;
    size_t column; /* 0 for any */
} wrong;
#define W(text, status, detail, line, column) \
    { \
        text, GSP_STATUS_##status, GSP_DETAIL_##detail, line, column \
    }

static const wrong wrongs[] = {
    /* the frame */
    W("", PARSE, HEADER, 1, 1),
    W("\n\n# only a comment\n", PARSE, HEADER, 4, 1),
    W("hello\n", PARSE, HEADER, 1, 1),
    W("    %x : [num_users=1] = placeholder[target=x]\n    return x\n", PARSE, HEADER, 1, 5),
    W("graph()\n", PARSE, HEADER, 1, 7),
    W("graph(): x\n    return None\n", PARSE, HEADER, 1, 7),
    W("graph():\n", PARSE, RETURN, 2, 1),
    W("graph():", PARSE, RETURN, 2, 1),
    W(HEAD, PARSE, RETURN, 3, 1),
    W(HEAD "    return x\n    return x\n", PARSE, AFTER_RETURN, 4, 5),
    W(HEAD "    return x\nnonsense\n", PARSE, AFTER_RETURN, 4, 1),
    W(L3("something"), PARSE, LINE, 3, 5),
    W(L3("% : [num_users=1] = placeholder[target=y]"), PARSE, NAME, 3, 7),
    W(L3("%f"), PARSE, LINE, 3, 7),
    W(L3("%f [num_users=1] = placeholder[target=y]"), PARSE, LINE, 3, 8),
    W(L3("%f : = placeholder[target=y]"), PARSE, USERS, 3, 0),
    W(L3("%f : [num_users=] = placeholder[target=y]"), PARSE, USERS, 3, 21),
    W(L3("%f : [num_users=one] = placeholder[target=y]"), PARSE, USERS, 3, 21),
    W(L3("%f : [users=1] = placeholder[target=y]"), PARSE, USERS, 3, 0),
    W(F("place[target=y]"), PARSE, OP, 3, 26),
    W(F("output[target=y]"), PARSE, OP, 3, 26),
    W(F("placeholder"), PARSE, TARGET, 3, 37),
    W(F("placeholder[tgt=y]"), PARSE, TARGET, 3, 37),
    W(F("placeholder[target=y"), PARSE, TARGET, 3, 45),
    W(F("placeholder[target=y] more"), PARSE, TRAILING, 3, 0),
    W(F("placeholder[target=y](deflt=1)"), PARSE, DEFAULT, 3, 47),
    W(F("get_attr[target=y](default=1)"), PARSE, TRAILING, 3, 44),
    W(F("call_function[target=f]"), PARSE, ARGS, 3, 49),
    W(F("call_function[target=f](%x)"), PARSE, ARGS, 3, 49),
    W(F("call_function[target=f](args = (%x,))"), PARSE, ARGS, 3, 0),
    W(F("call_function[target=f](args = (%x,), kwargs = {}"), PARSE, ARGS, 3, 75),
    W(F("call_function[target=f](args = (%x,), kwargs = {}) more"), PARSE, TRAILING, 3, 0),
    /* arguments */
    W(ARGS("(%y,)"), PARSE, NAME_UNKNOWN, 3, 58),
    W(ARGS("(%x, [1, %y])"), PARSE, NAME_UNKNOWN, 3, 66),
    W(ARGS("(%f,)"), PARSE, NAME_LATER, 3, 58),
    W(ARGS("(%x"), PARSE, ARGS, 3, 74),
    W(ARGS("(%x]"), PARSE, BRACKET, 3, 60),
    W(ARGS("([%x)"), PARSE, BRACKET, 3, 61),
    W(ARGS("(1))"), PARSE, ARGS, 3, 60),
    W(F("call_function[target=f](args = (), kwargs = {1})"), PARSE, KEY, 3, 71),
    W(ARGS("([1]2, 3)"), PARSE, BRACKET, 3, 61),
    W(ARGS("(%x,1)"), PARSE, SEPARATOR, 3, 58),
    /* names */
    W(L3("%x : [num_users=1] = placeholder[target=y]"), PARSE, NAME_TWICE, 3, 6),
    W("graph():\n    %a : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})\n"
      "    %b : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})\n    return b\n",
        PARSE, NAME_LATER, 2, 58),
    W(HEAD "    return %y\n", PARSE, NAME_UNKNOWN, 3, 12),
    W(HEAD "    return %y,\n", PARSE, NAME_UNKNOWN, 3, 12),
    /* annotations */
    W(NOTE("f32[1"), PARSE, TYPE, 3, 0),
    W(NOTE("tuple(f32[1]"), PARSE, TYPE, 3, 0),
    W(NOTE("what"), PARSE, TYPE, 3, 77),
    W(NOTE("f32[1] what"), PARSE, ANNOTATION, 3, 84),
    W(NOTE("f32[1] =1"), PARSE, ANNOTATION, 3, 84),
    W(NOTE("f32[1] bytes=x"), PARSE, NUMBER, 3, 90),
    W(NOTE("f32[1] bytes=-1"), PARSE, NUMBER, 3, 90),
    W(NOTE("f32[1] params=1.5"), PARSE, NUMBER, 3, 91),
    W(NOTE("f32[1] acc=yes"), PARSE, NUMBER, 3, 88),
    W(NOTE("f32[1] mem=fast"), PARSE, NUMBER, 3, 88),
    W(NOTE("f32[1] bytes=18446744073709551616"), OVERFLOW, SIZE, 3, 90),
    W(NOTE("f32[4294967296, 4294967296]"), OVERFLOW, SIZE, 3, 77),
    W(F("call_function[target=f](args = (), kwargs = {}) # int"), PARSE, TRAILING, 3, 74),
    W("graph():\n    return word\r\r  # int\n", PARSE, TRAILING, 2,
        16), /* the line would end there */
    /* modules */
    W("module sub\ngraph():\n    return None\nmodule sub\ngraph():\n    return None\n", PARSE,
        MODULE_NAME, 4, 8),
    W("module sub\ngraph():\n    return None\nmodule main\ngraph():\n    return None\n", PARSE,
        MODULE_NAME, 4, 8),
    W("module \ngraph():\n    return None\n", PARSE, MODULE_NAME, 1, 0),
    W("module main\n    return None\n", PARSE, HEADER, 2, 5),
    W("module main\ngraph():\n    return None\nmodule main\ngraph():\n    return None\n", PARSE,
        MODULE_NAME, 4, 8),
    W("graph():\n    return None\nmodule b\ngraph():\n    return None\n", PARSE, AFTER_RETURN, 3,
        1),
    W("module main\ngraph():\n    return None\nmodule b\n", PARSE, HEADER, 5, 1),
    W("module main\ngraph():\n    return None\nmodule b\ngraph():\n", PARSE, RETURN, 6, 1),
    W("graph():\n    return None\ngraph():\n    return None\n", PARSE, AFTER_RETURN, 3, 1),
};

static void show(const wrong *w, const gsp_error *err)
{
    printf("found %s %s at %lu:%lu in\n%s\n", gsp_status_name(err->status),
        gsp_detail_text(err->detail), (unsigned long)err->line, (unsigned long)err->column,
        w->text);
}

static void check(const wrong *w)
{
    gsp_arena arena;
    gsp_module module;
    gsp_module before;
    gsp_error err;
    gsp_status status;
    int ok;
    memset(&module, 0x7E, sizeof(module));
    memcpy(&before, &module, sizeof(module));
    status = t_read(&arena, w->text, strlen(w->text), &module, &err);
    ok = T_EQUAL(status, w->status) && T_EQUAL(err.detail, w->detail) &&
         T_EQUAL(err.line, w->line) && (w->column == 0u || T_EQUAL(err.column, w->column)) &&
         T_EQUAL(arena.low + arena.high, 0) &&
         T_CHECK(memcmp(&before, &module, sizeof(module)) == 0);
    if (!ok) {
        show(w, &err);
    }
    t_arena_close(&arena);
}

static void test_places(void)
{
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(wrongs); i++) {
        check(&wrongs[i]);
    }
}

static void test_nul_bytes(void)
{
    static const char text[] =
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return x\n";
    size_t at;
    for (at = 0; at < sizeof(text) - 1u; at++) {
        char copy[sizeof(text)];
        gsp_arena arena;
        gsp_module m;
        gsp_error err;
        memcpy(copy, text, sizeof(text));
        copy[at] = '\0';
        T_EQUAL(t_read(&arena, copy, sizeof(text) - 1u, &m, &err), GSP_STATUS_PARSE);
        t_arena_close(&arena);
    }
    {
        static const char in_name[] =
            "graph():\n    %a\0b : [num_users=1] = placeholder[target=x]\n";
        gsp_arena arena;
        gsp_module m;
        gsp_error err;
        T_EQUAL(t_read(&arena, in_name, sizeof(in_name) - 1u, &m, &err), GSP_STATUS_PARSE);
        T_EQUAL(err.detail, GSP_DETAIL_NUL_BYTE);
        T_EQUAL(err.line, 2);
        T_EQUAL(err.column, 7);
        t_arena_close(&arena);
    }
}

/* Every prefix of a good text is read or refused, never anything else; so is every single byte
 * gone. */
static void test_cut(void)
{
    static const char text[] =
        "module main\r\ngraph():\n    %x : typing.Any [#users=1] = "
        "placeholder[target=x](default=(1,))  # "
        "tuple(f32[1, s0]) a=b\n    %f : [num_users=1] = call_method[target=f](args = ([%x, "
        "'a\\'b'], slice("
        "x, None, None), {a: ()}), kwargs = {k: %x})  # f32[2] mem=1e-5\n    return {'a': (f, x)}\n"
        "module b\ngraph():\n    return ()\n";
    size_t n;
    for (n = 0; n + 1u < sizeof(text); n++) {
        char copy[sizeof(text)];
        gsp_arena arena;
        gsp_module m;
        gsp_error err;
        gsp_status status = t_read(&arena, text, n, &m, &err);
        T_CHECK(status == GSP_OK || (err.line >= 1u && err.column >= 1u));
        t_arena_close(&arena);
        memcpy(copy, text, n);
        memcpy(copy + n, text + n + 1u, sizeof(text) - n - 1u);
        status = t_read(&arena, copy, sizeof(text) - 2u, &m, &err);
        T_CHECK(status == GSP_OK || (err.line >= 1u && err.column >= 1u));
        t_arena_close(&arena);
    }
}

/* Random damage: a text that is still read prints and reads back as the same module. */
static void test_damage(void)
{
    static const char text[] =
        "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[1, 2] a=b\n"
        "    %f : [num_users=1] = call_function[target=f](args = ((1, %x), [x, 'q, (']), kwargs = "
        "{k: slice("
        "x, None, None), l: {m: n}})  # tuple(f32[2], int) bytes=3\n    return (f, [x, {'k': "
        "None}])\n";
    static const char alphabet[] = "()[]{},: %'\"\\\n\r\t#=x1f-. ";
    t_rng rng;
    uint32_t k;
    uint32_t read = 0;
    rng.state = t_seed ^ 0xD0u;
    for (k = 0; k < (t_fast ? 20000u : 200000u) && !t_failed(); k++) {
        char copy[sizeof(text)];
        gsp_arena arena;
        gsp_module m;
        gsp_error err;
        uint32_t n = 1u + t_below(&rng, 3u);
        memcpy(copy, text, sizeof(text));
        while (n-- != 0u) {
            copy[t_below(&rng, sizeof(text) - 1u)] = alphabet[t_below(&rng, sizeof(alphabet) - 1u)];
        }
        if (t_read(&arena, copy, sizeof(text) - 1u, &m, &err) == GSP_OK) {
            t_string printed = t_print(&m, NULL);
            gsp_arena second;
            gsp_module again;
            read++;
            if (!T_CHECK(t_read(&second, printed.data, printed.size, &again, &err) == GSP_OK &&
                         t_module_equal(&m, &again))) {
                printf("%s\nprinted as\n%s", copy, printed.data);
            }
            t_free(&printed);
            t_arena_close(&second);
        }
        t_arena_close(&arena);
    }
    T_CHECK(read > k / 50u);
}

void suite_contract_messages(void)
{
    t_run("places", test_places);
    t_run("nul_bytes", test_nul_bytes);
    t_run("cut", test_cut);
    t_run("damage", test_damage);
}
