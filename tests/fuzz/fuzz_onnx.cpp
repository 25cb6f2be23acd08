/* Reading ONNX models: any bytes give a sentence, or a graph that is printed, read back and split,
 * and of which a part can be made. One input in 64 goes through shape inference and the checker,
 * which run in a process of their own.
 *     clang++ -std=c++11 -g -O1 -fsanitize=fuzzer,address,undefined -I. -DONNX_ML=1 \
 *         -DONNX_NAMESPACE=onnx tests/fuzz/fuzz_onnx.cpp \
 *         examples/onnx/{model,given,infer,rules,contrib,values,graph,parts,weights}.cpp \
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

static void *get_memory(size_t bytes)
{
    memory = realloc(memory, bytes + 1u);
    REQUIRE(memory != NULL);
    return memory;
}

/* The graph as a part, as bytes; large data that stayed in the model are put in. */
static std::string part_of(const model &m, const gsp_module *module)
{
    gsp_graph const graph = gsp_module_graph(module, 0);
    std::string bytes;
    part whole;
    make_part(m, graph, "whole", "", "whole.onnx.data", whole);
    REQUIRE(whole.proto.SerializeToString(&bytes));
    if (m.skipped) {
        store from;
        from.open_memory(bytes.data(), bytes.size());
        woven const made = weave_weights(from, m.bytes);
        std::string out(static_cast<size_t>(made.size), '\0');
        put_woven(made, &out[0]);
        return out;
    }
    return bytes;
}

static void use(const uint8_t *data, size_t size, bool infer)
{
    load_options options = {infer, {}, {}, 16u};
    std::unique_ptr<model> m = model::parse(data, size, "fuzz.onnx", options);
    gsp_module module;
    make_module(*m, false, get_memory, &module);
    round_trip(&module);
    gsp_graph const graph = gsp_module_graph(&module, 0);
    fuzz_passes(&graph, NULL, 0);
    std::string const made = part_of(*m, &module);
    if (m->skipped && !infer) {
        options.keep = SIZE_MAX;
        m = model::parse(data, size, "fuzz.onnx", options);
        make_module(*m, false, get_memory, &module);
        REQUIRE(part_of(*m, &module) == made);
    }
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
