/* Files of partitioners: METIS, hMETIS, Matrix Market, DOT, HyperDAG, edge lists, as the first byte
 * says. Any bytes are refused with a sentence, or read into a module that reads back as text, with
 * the same arrays as those of a builder.
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Iexamples/program -o fuzz_net \
 *         tests/fuzz/fuzz_net.c examples/program/core/{buffer,error,json_string,session,sys}.c \
 *         examples/program/input/net{,_dot,_module,_read}.c
 *     ./fuzz_net build/seeds/net
 */
#include "fuzz.h"

#include "examples/program/core/core.h"
#include "examples/program/input/input.h"

static const cli_front front = {"fuzz", "", NULL, 0};

/* A number of five digits is a count for which nodes are made: their text takes seconds here. */
static int is_large(const uint8_t *data, size_t size)
{
    size_t digits = 0;
    for (size_t i = 0; i < size && digits < 5u; i++) {
        digits = data[i] >= '0' && data[i] <= '9' ? digits + 1u : 0u;
    }
    return digits == 5u;
}

#define SAME(field, n) memcmp(a->field, b->field, (n) * sizeof *a->field) == 0

static int same_text(const gsp_module *a, gsp_atom s, const gsp_module *b, gsp_atom t)
{
    return gsp_str_equal(gsp_module_str(a, s), gsp_module_str(b, t));
}

static void check_same(const gsp_module *a, const gsp_module *b)
{
    size_t const n = a->counts.nodes;
    REQUIRE(b->counts.nodes == n && a->counts.edges == b->counts.edges);
    REQUIRE(a->counts.args == b->counts.args && a->counts.graphs == b->counts.graphs);
    REQUIRE(SAME(bytes, n) && SAME(op, n) && SAME(out, n) && SAME(flags, n));
    REQUIRE(SAME(arg_begin, n + 1u) && SAME(in_begin, n + 1u) && SAME(user_begin, n + 1u));
    REQUIRE(SAME(inputs, a->counts.edges) && SAME(users, a->counts.edges));
    REQUIRE(SAME(args, a->counts.args));
    for (gsp_node v = 0; v < n; v++) {
        const gsp_attr *x = a->attrs + a->attr[v];
        const gsp_attr *y = b->attrs + b->attr[v];
        REQUIRE(same_text(a, a->name[v], b, b->name[v]));
        REQUIRE(same_text(a, a->target[v], b, b->target[v]));
        REQUIRE(same_text(a, a->type[v], b, b->type[v]));
        for (; x->key != GSP_KEY_NONE; x++, y++) {
            REQUIRE(same_text(a, x->key, b, y->key) && same_text(a, x->value, b, y->value));
        }
        REQUIRE(y->key == GSP_KEY_NONE);
    }
}

static void check_module(const gsp_module *module)
{
    fuzz_text text = {NULL, 0, 0};
    gsp_counts counts;
    gsp_module again;
    gsp_arena arena;
    REQUIRE(gsp_text_write(module, NULL, fuzz_append, &text, NULL) == GSP_OK);
    REQUIRE(gsp_text_count(text.data, text.size, &counts, NULL) == GSP_OK);
    arena = fuzz_arena(gsp_build_bound(&counts));
    REQUIRE(gsp_text_read(&arena, text.data, text.size, NULL, &again, NULL) == GSP_OK);
    check_same(module, &again);
    fuzz_free(&arena);
    free(text.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int (*const readers[])(cli_net *) = {cli_net_read_metis, cli_net_read_hmetis,
        cli_net_read_mtx, cli_net_read_dot, cli_net_read_hyperdag, cli_net_read_edges};
    cli_session session;
    cli_net net;
    cli_net_rows rows;
    int code;
    if (size == 0 || is_large(data, size)) {
        return 0;
    }
    cli_session_init(&session, &front);
    memset(&net, 0, sizeof net);
    net.session = &session;
    net.path = "input";
    net.text.data = (const char *)data + 1;
    net.text.size = (uint32_t)(size - 1u);
    net.text.data = net.data = cli_copy(&session, net.text);
    code = readers[data[0] % CLI_COUNT(readers)](&net);
    code = code == CLI_EXIT_OK ? cli_net_sort(&net, &rows) : code;
    code = code == CLI_EXIT_OK ? cli_net_module(&net, &rows) : code;
    REQUIRE(code == CLI_EXIT_OK || code == CLI_EXIT_FAILED || code == CLI_EXIT_USAGE);
    if (code == CLI_EXIT_OK) {
        check_module(&session.module);
    }
    cli_session_end(&session);
    return 0;
}
