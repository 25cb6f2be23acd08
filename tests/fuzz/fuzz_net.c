/* Files of partitioners: METIS, hMETIS, Matrix Market, DOT, HyperDAG, edge lists, as the first byte
 * says. Any bytes are refused with a sentence, or read into a module that opens and reads back as
 * text.
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Iexamples/program -o fuzz_net \
 *         tests/fuzz/fuzz_net.c examples/program/core/{buffer,error,json_string,session,sys}.c \
 *         examples/program/input/net{,_dot,_read}.c
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

static void check_module(const gsp_module *module)
{
    fuzz_text text = {NULL, 0, 0};
    gsp_counts counts;
    gsp_module again;
    gsp_arena arena;
    REQUIRE(gsp_module_open(&again, module->block, module->block_size, 0, NULL) == GSP_OK);
    REQUIRE(gsp_text_write(module, NULL, fuzz_append, &text, NULL) == GSP_OK);
    REQUIRE(gsp_text_count(text.data, text.size, &counts, NULL) == GSP_OK);
    arena = fuzz_arena(gsp_build_bound(&counts));
    REQUIRE(gsp_text_read(&arena, text.data, text.size, NULL, &again, NULL) == GSP_OK);
    REQUIRE(again.counts.nodes == module->counts.nodes);
    REQUIRE(again.counts.edges == module->counts.edges);
    fuzz_free(&arena);
    free(text.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int (*const readers[])(cli_net *) = {cli_net_read_metis, cli_net_read_hmetis,
        cli_net_read_mtx, cli_net_read_dot, cli_net_read_hyperdag, cli_net_read_edges};
    cli_session session;
    cli_net net;
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
    net.text.data = cli_copy(&session, net.text);
    code = readers[data[0] % CLI_COUNT(readers)](&net);
    code = code == CLI_EXIT_OK ? cli_net_finish(&net) : code;
    REQUIRE(code == CLI_EXIT_OK || code == CLI_EXIT_FAILED || code == CLI_EXIT_USAGE);
    if (code == CLI_EXIT_OK) {
        check_module(&session.module);
    }
    cli_session_end(&session);
    return 0;
}
