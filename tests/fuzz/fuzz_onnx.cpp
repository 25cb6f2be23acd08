/* Reading ONNX models: any bytes give a sentence, or a graph that is printed, read back and split,
 * and of which a part can be made. One input in 64 goes through shape inference and the checker,
 * which run in a process of their own.
 *     clang++ -std=c++11 -g -O1 -fsanitize=fuzzer,address,undefined -I. -DONNX_ML=1 \
 *         -DONNX_NAMESPACE=onnx tests/fuzz/fuzz_onnx.cpp \
 *         examples/onnx/{model,given,infer,rules,contrib,values,graph,parts}.cpp \
 *         -lonnx -lonnx_proto -lprotobuf
 */
#include "tests/fuzz/fuzz.h"

#include "examples/onnx/model.h"

#include <google/protobuf/stubs/logging.h>

using namespace onnx_front;

static void *memory;

static void round_trip(const gsp_module *module)
{
    fuzz_text text = {NULL, 0, 0};
    gsp_counts counts;
    gsp_module again;
    gsp_arena arena;
    REQUIRE(gsp_text_write(module, NULL, fuzz_append, &text, NULL) == GSP_OK);
    REQUIRE(gsp_text_count(text.data, text.size, &counts, NULL) == GSP_OK);
    arena = fuzz_arena(gsp_build_bound(&counts));
    REQUIRE(gsp_text_read(&arena, text.data, text.size, NULL, &again, NULL) == GSP_OK);
    REQUIRE(again.counts.nodes == module->counts.nodes);
    REQUIRE(again.counts.graphs == module->counts.graphs);
    fuzz_free(&arena);
    free(text.data);
}

static void use(const uint8_t *data, size_t size, bool infer)
{
    load_options options = {infer, {}, {}};
    std::unique_ptr<model> m = model::parse(data, size, "fuzz.onnx", options);
    gsp_module module;
    gsp_graph graph;
    part whole;
    make_module(
        *m, false,
        [](size_t bytes) {
            memory = malloc(bytes + 1u);
            REQUIRE(memory != NULL);
            return memory;
        },
        &module);
    round_trip(&module);
    graph = gsp_module_graph(&module, 0);
    fuzz_passes(&graph, NULL, 0);
    make_part(*m, graph, "whole", "", "whole.onnx.data", whole);
    std::string bytes;
    REQUIRE(whole.proto.SerializeToString(&bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static google::protobuf::LogSilencer silence;
    static unsigned count;
    memory = NULL;
    try {
        use(data, size, count++ % 64u == 0);
    } catch (const failure &f) {
        REQUIRE(f.what()[0] != '\0');
    }
    free(memory);
    return 0;
}
