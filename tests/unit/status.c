#include "tests/t.h"

static void test_names(void)
{
    T_STRING(gsp_status_name(GSP_OK), "OK");
    T_STRING(gsp_status_name(GSP_STATUS_NOMEM), "NOMEM");
    T_STRING(gsp_status_name(GSP_STATUS_NO_FIT), "NO_FIT");
    T_STRING(gsp_status_name(GSP_STATUS_COUNT), "?");
    T_STRING(gsp_status_name(GSP_STATUS_FORCE_U32), "?");
}

/* Every status and every detail has a sentence of its own. */
static void test_texts(void)
{
    uint32_t i;
    uint32_t k;
    for (i = 0; i < GSP_STATUS_COUNT; i++) {
        T_CHECK(gsp_status_text((gsp_status)i)[0] != '\0');
        T_CHECK(gsp_status_name((gsp_status)i)[0] != '?');
    }
    for (i = 0; i < GSP_DETAIL_COUNT; i++) {
        T_CHECK(gsp_detail_text((gsp_detail)i)[0] != '\0');
        for (k = 0; k < i; k++) {
            T_CHECK(strcmp(gsp_detail_text((gsp_detail)i), gsp_detail_text((gsp_detail)k)) != 0);
        }
    }
    T_CHECK(gsp_status_text(GSP_STATUS_COUNT) != NULL);
    T_CHECK(gsp_detail_text(GSP_DETAIL_COUNT) != NULL);
}

/* A success after a failure leaves nothing of the failure behind, and NULL details are fine. */
static void test_optional(void)
{
    gsp_counts counts;
    T_EQUAL(gsp_text_count(NULL, 3u, &counts, NULL), GSP_STATUS_ARG);
    T_EQUAL(gsp_text_count("", 0u, &counts, NULL), GSP_OK);
}

static void check_sentence(const gsp_error *error, const gsp_graph *graph, const char *expected)
{
    t_string text;
    memset(&text, 0, sizeof(text));
    T_EQUAL(gsp_error_write(error, graph, t_sink, &text), GSP_OK);
    T_STRING(text.data, expected);
    t_free(&text);
}

static int stop(void *user, const char *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    return 1;
}

/* A second number that is no node is not named as one. */
static void test_other_things(gsp_error error, const gsp_graph *g)
{
    static const struct {
        gsp_detail detail;
        const char *expected;
    } cases[] = {{GSP_DETAIL_EMBEDDINGS, ", node 0 'x', device 1"},
        {GSP_DETAIL_MAPPING, ", node 0 'x', device 1"},
        {GSP_DETAIL_NODE_LARGE, ", node 0 'x', device 1"},
        {GSP_DETAIL_EMBEDDING_LARGE, ", node 0 'x', device 1"},
        {GSP_DETAIL_PART_NONE, ", node 0 'x', node 1 'output'"},
        {GSP_DETAIL_PART_DEVICES, ", node 0 'x', part 1"}, {GSP_DETAIL_INPUT_MANY, ", node 0 'x'"},
        {GSP_DETAIL_INPUT_TYPE, ", node 0 'x'"}, {GSP_DETAIL_CALL_INPUTS, ", node 0 'x', graph 1"},
        {GSP_DETAIL_FORMS, ", node 0 'x', graph 1"}, {GSP_DETAIL_KERNEL, ", node 0 'x', graph 1"},
        {GSP_DETAIL_INPUT_MISSING, ", node 0 'x', node 1 'output'"},
        {GSP_DETAIL_RECURSION, ", node 0 'x', node 1 'output'"}};
    error.status = GSP_STATUS_NO_FIT;
    error.what = GSP_WHAT_NODE;
    error.node = 0u;
    error.other = 1u;
    error.need = 5u;
    error.limit = 4u;
    for (uint32_t i = 0; i < T_COUNT_OF(cases); i++) {
        t_string text = {NULL, 0u, 0u};
        t_puts(&text, "NO_FIT: ");
        t_puts(&text, gsp_detail_text(cases[i].detail));
        t_puts(&text, cases[i].expected);
        t_puts(&text, ", 5 needed, 4 available");
        error.detail = cases[i].detail;
        check_sentence(&error, g, text.data);
        t_free(&text);
    }
}

/* One sentence with everything that an error knows. */
static void test_sentences(void)
{
    gsp_arena arena;
    gsp_module m;
    gsp_error error;
    gsp_counts counts;
    T_EQUAL(gsp_text_count("", 0u, &counts, &error), GSP_OK);
    check_sentence(&error, NULL, "OK: success");
    T_EQUAL(gsp_error_write(&error, NULL, stop, NULL), GSP_STATUS_LIMIT);
    T_EQUAL(gsp_error_write(NULL, NULL, stop, NULL), GSP_STATUS_ARG);
    T_EQUAL(gsp_error_write(&error, NULL, NULL, NULL), GSP_STATUS_ARG);
    gsp_arena_init(&arena, NULL, 0u);
    T_EQUAL(gsp_text_read(&arena, "x", 1u, NULL, &m, &error), GSP_STATUS_NOMEM);
    error.need = 4096u;
    check_sentence(&error, NULL,
        "NOMEM: the arena holds fewer bytes than the bound, 4096 bytes needed, 0 available");
    if (t_must_read(&arena,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    return x\n",
            &m)) {
        gsp_graph const g = gsp_module_graph(&m, 0u);
        gsp_arena other;
        gsp_arena_init(&other, NULL, 0u);
        error.status = GSP_STATUS_CYCLE;
        error.detail = GSP_DETAIL_NAME_LATER;
        error.what = GSP_WHAT_NODE;
        error.node = 0u;
        error.other = 9u;
        check_sentence(&error, &g,
            "CYCLE: this node is defined only here or later, out of order or in a cycle, "
            "node 0 'x', node 9");
        check_sentence(&error, NULL,
            "CYCLE: this node is defined only here or later, out of order or in a cycle, "
            "node 0, node 9");
        error.status = GSP_STATUS_LIMIT;
        error.detail = GSP_DETAIL_NONE;
        error.what = GSP_WHAT_GRAPH;
        error.other = GSP_NONE;
        error.need = 3u;
        error.limit = 2u;
        check_sentence(&error, &g,
            "LIMIT: a limit that the caller set is exceeded, graph 0 'main', "
            "3 reached, 2 allowed");
        error.what = GSP_WHAT_COUNT;
        error.need = 0u;
        check_sentence(&error, &g, "LIMIT: a limit that the caller set is exceeded");
        test_other_things(error, &g);
        T_EQUAL(gsp_text_read(&other, "graph(", 6u, NULL, &m, &error), GSP_STATUS_NOMEM);
    }
    t_arena_close(&arena);
    {
        static unsigned char memory[8192];
        gsp_arena_init(&arena, memory, sizeof(memory));
        T_EQUAL(gsp_text_read(&arena, "graph(", 6u, NULL, &m, &error), GSP_STATUS_PARSE);
        check_sentence(&error, NULL, "PARSE: expected 'graph():', line 1, column 7");
    }
}

void suite_unit_status(void)
{
    t_run("names", test_names);
    t_run("texts", test_texts);
    t_run("optional", test_optional);
    t_run("sentences", test_sentences);
}
