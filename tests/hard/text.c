/* Texts without mercy: nesting a million deep, lines of many megabytes, a million lines. Every
 * one is read or refused, in time linear in its size, and with a stack that does not grow. */
#include "tests/t.h"

#include <time.h>

static void repeat(t_string *s, const char *chunk, uint32_t times)
{
    while (times-- != 0u) {
        t_puts(s, chunk);
    }
}

/* Reads; the time has to stay below `per_mb` seconds a megabyte (and 0.1): far above what it
 * takes even under a sanitizer, far below anything that is not linear. Prints back when it
 * is read. */
static void check(
    const t_string *text, gsp_status status, gsp_detail detail, double per_mb, int line)
{
    gsp_arena arena;
    gsp_module m;
    gsp_error err;
    clock_t const start = clock();
    double took;
    t_check_equal((uint64_t)t_read(&arena, text->data, text->size, &m, &err), (uint64_t)status,
        __FILE__, line, "status");
    took = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (status != GSP_OK) {
        t_check_equal((uint64_t)err.detail, (uint64_t)detail, __FILE__, line, "detail");
    } else if (!t_failed()) {
        t_string printed = t_print(&m, NULL);
        t_check(printed.size == text->size && memcmp(printed.data, text->data, text->size) == 0,
            __FILE__, line, "prints back");
        t_free(&printed);
    }
    if (!t_check(took < 0.1 + per_mb * (double)text->size / 1e6, __FILE__, line, "in time")) {
        printf("%.3f s for %.1f MB\n", took, (double)text->size / 1e6);
    }
    t_arena_close(&arena);
}
#define CHECK(text, status, detail) \
    check((text), GSP_STATUS_##status, GSP_DETAIL_##detail, 1.0, __LINE__)

static uint32_t scaled(uint32_t n)
{
    return t_fast ? n / 10u : n;
}

static void nested(const char *open, const char *close, uint32_t depth)
{
    t_string s = {NULL, 0u, 0u};
    t_puts(&s, "graph():\n    %f : [num_users=1] = call_function[target=f](args = (");
    repeat(&s, open, depth);
    t_puts(&s, "1");
    repeat(&s, close, depth);
    t_puts(&s, ", 1), kwargs = {})\n    return f\n");
    CHECK(&s, OK, NONE);
    t_free(&s);
}

static void test_deep(void)
{
    nested("[", "]", scaled(1000000u));
    nested("(", ",)", scaled(300000u));
    nested("{k: ", "}", scaled(300000u));
    nested("slice(1, 2, ", ")", scaled(100000u));
}

static void test_deep_return(void)
{
    t_string s = {NULL, 0u, 0u};
    t_puts(&s, "graph():\n    return ");
    repeat(&s, "[", scaled(1000000u));
    repeat(&s, "]", scaled(1000000u));
    t_puts(&s, "\n");
    CHECK(&s, OK, NONE);
    t_free(&s);
}

static void test_never_closed(void)
{
    t_string s = {NULL, 0u, 0u};
    t_puts(&s, "graph():\n    %f : [num_users=1] = call_function[target=f](args = (");
    repeat(&s, "(", scaled(1000000u));
    t_puts(&s, "\n");
    CHECK(&s, PARSE, BRACKET);
    t_free(&s);
    repeat(&s, "(", scaled(1000000u));
    CHECK(&s, PARSE, HEADER);
    t_free(&s);
    t_puts(&s, "graph():\n    return ");
    repeat(&s, "f(", scaled(1000000u)); /* nothing that the reader has to understand */
    t_puts(&s, "\n");
    CHECK(&s, OK, NONE);
    t_free(&s);
    t_puts(&s, "graph():\n    return ");
    repeat(&s, "(]", scaled(1000000u));
    CHECK(&s, PARSE, BRACKET);
    t_free(&s);
    t_puts(&s, "graph():\n    %x : [num_users=0] = placeholder[target=x]  # ");
    repeat(&s, "tuple(", scaled(200000u));
    CHECK(&s, PARSE, TYPE);
    t_free(&s);
}

static void test_deep_type(void)
{
    t_string s = {NULL, 0u, 0u};
    t_puts(&s, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # ");
    repeat(&s, "tuple(", scaled(200000u));
    t_puts(&s, "f32[1]");
    repeat(&s, ")", scaled(200000u));
    t_puts(&s, "\n    return x\n");
    CHECK(&s, OK, NONE);
    t_free(&s);
}

static void test_long_lines(void)
{
    t_string s = {NULL, 0u, 0u};
    uint32_t const mb = scaled(50u);
    uint32_t i;
    char chunk[1025];
    memset(chunk, 'a', 1024u);
    chunk[1024] = '\0';
    t_puts(&s, "graph():\n    %f : [num_users=1] = call_function[target=f](args = ('");
    for (i = 0; i < mb * 1024u; i++) {
        t_puts(&s, chunk);
    }
    t_puts(&s, "', 1), kwargs = {})\n    return f\n");
    CHECK(&s, OK, NONE);
    t_free(&s);
    t_puts(&s, "graph():\n    %");
    repeat(&s, chunk, mb * 256u);
    CHECK(&s, PARSE, LINE);
    t_free(&s);
    repeat(&s, chunk, mb * 256u);
    CHECK(&s, PARSE, HEADER);
    t_free(&s);
}

static void test_many_arguments(void)
{
    t_string s = {NULL, 0u, 0u};
    t_puts(&s, "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
               "    %f : [num_users=1] = call_function[target=f](args = (");
    repeat(&s, "%x, ", scaled(1000000u));
    t_puts(&s, "1), kwargs = {})\n    return f\n");
    CHECK(&s, OK, NONE);
    t_free(&s);
}

static void node_line(t_string *s, uint32_t i)
{
    t_puts(s, "    %n");
    t_number(s, i);
    t_puts(s, " : [num_users=1] = call_function[target=f](args = (%n");
    t_number(s, i - 1u);
    t_puts(s, ",), kwargs = {})\n");
}

static void test_many_lines(void)
{
    t_string s = {NULL, 0u, 0u};
    uint32_t const n = scaled(1000000u);
    uint32_t i;
    t_puts(&s, "graph():\n    %n0 : [num_users=1] = placeholder[target=x]\n");
    for (i = 1; i <= n; i++) {
        node_line(&s, i);
    }
    t_puts(&s, "    return n");
    t_number(&s, n);
    t_puts(&s, "\n");
    CHECK(&s, OK, NONE);
    t_free(&s);
    t_puts(&s, "graph():\n");
    repeat(&s, "#\n", n);
    repeat(&s, "\n", n);
    t_puts(&s, "    nothing\n");
    CHECK(&s, PARSE, LINE);
    t_free(&s);
}

/* Names made so that weak hashes collide: long, equal but for one place. */
static void test_similar_names(void)
{
    t_string s = {NULL, 0u, 0u};
    uint32_t const n = scaled(50000u);
    uint32_t i;
    char name[160];
    t_puts(&s, "graph():\n");
    for (i = 0; i < n; i++) {
        memset(name, 'a', 64u);
        name[i % 64u] = (char)('b' + i / 64u % 20u);
        snprintf(name + 64, sizeof(name) - 64u, "%u", (unsigned)(i / 1280u));
        t_puts(&s, "    %");
        t_puts(&s, name);
        t_puts(&s, " : [num_users=0] = get_attr[target=w]\n");
    }
    t_puts(&s, "    return None\n");
    CHECK(&s, OK, NONE);
    t_free(&s);
}

/* Many graphs with the same node names in each. */
static void test_many_modules(void)
{
    t_string s = {NULL, 0u, 0u};
    uint32_t const n = scaled(50000u);
    uint32_t i;
    t_puts(&s, "module main\ngraph():\n    return None\n");
    for (i = 0; i < n; i++) {
        t_puts(&s, "module m");
        t_number(&s, i);
        t_puts(&s, "\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n    return x\n");
    }
    CHECK(&s, OK, NONE);
    t_free(&s);
}

void suite_hard_text(void)
{
    t_run("deep", test_deep);
    t_run("deep_return", test_deep_return);
    t_run("never_closed", test_never_closed);
    t_run("deep_type", test_deep_type);
    t_run("long_lines", test_long_lines);
    t_run("many_arguments", test_many_arguments);
    t_run("many_lines", test_many_lines);
    t_run("similar_names", test_similar_names);
    t_run("many_modules", test_many_modules);
}
