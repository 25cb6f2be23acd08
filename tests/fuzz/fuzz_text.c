/* Reading: any bytes give a module or an error with a place; what is read prints, reads back and
 * prints the same, and goes through all passes.
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Iexamples/program \
 *         -o fuzz_text tests/fuzz/fuzz_text.c examples/program/algorithms/plan_file.c
 *     ./fuzz_text build/seeds/text
 */
#include "fuzz_more.h"

static gsp_status read_text(const char *text, size_t size, gsp_arena *arena, gsp_module *module)
{
    gsp_counts counts;
    gsp_error error;
    gsp_status status = gsp_text_count(text, size, &counts, &error);
    REQUIRE(status == GSP_OK);
    *arena = fuzz_arena(gsp_build_bound(&counts));
    status = gsp_text_read(arena, text, size, NULL, module, &error);
    if (status != GSP_OK) {
        REQUIRE(status == error.status && status != GSP_STATUS_NOMEM);
        REQUIRE(status != GSP_STATUS_PARSE || (error.line > 0 && error.column > 0));
        REQUIRE(arena->low == 0 && arena->high == 0);
    }
    return status;
}

/* print(parse(print(m))) is print(m). */
static void check_round_trip(const gsp_module *module)
{
    fuzz_text first = {NULL, 0, 0}, second = {NULL, 0, 0};
    gsp_arena arena;
    gsp_module again;
    REQUIRE(gsp_text_write(module, NULL, fuzz_append, &first, NULL) == GSP_OK);
    REQUIRE(read_text(first.data, first.size, &arena, &again) == GSP_OK);
    REQUIRE(again.counts.nodes == module->counts.nodes);
    REQUIRE(again.counts.edges == module->counts.edges);
    REQUIRE(again.counts.args == module->counts.args);
    REQUIRE(memcmp(again.op, module->op, module->counts.nodes) == 0);
    REQUIRE(memcmp(again.out, module->out, module->counts.nodes) == 0);
    REQUIRE(gsp_text_write(&again, NULL, fuzz_append, &second, NULL) == GSP_OK);
    REQUIRE(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
    fuzz_free(&arena);
    free(first.data);
    free(second.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gsp_arena arena;
    gsp_module module, opened;
    char *text = (char *)malloc(size + 1u);
    if (text && size > 0) {
        memcpy(text, data, size);
    }
    if (read_text(text, size, &arena, &module) == GSP_OK) {
        REQUIRE(gsp_module_open(&opened, module.block, module.block_size, 0, NULL) == GSP_OK);
        check_round_trip(&module);
        for (uint32_t i = 0; i < module.counts.graphs; i++) {
            gsp_graph graph = gsp_module_graph(&module, i);
            fuzz_passes(&graph, NULL, 0);
            fuzz_more(&graph, (uint32_t)size, 0);
        }
    }
    fuzz_free(&arena);
    free(text);
    return 0;
}
