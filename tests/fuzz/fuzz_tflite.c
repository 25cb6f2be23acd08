/* TensorFlow Lite models: refused with a status and a sentence, or read, in exactly the bound, into
 * a module that opens, prints, reads back and goes through all passes. An odd first byte chooses a
 * good model to damage: the rest are patches (two bytes offset, one byte value), of which most
 * leave the tables whole. Else the input is the model; the first byte of a written one is even.
 *     sh tests/fuzz/run.sh 60 tflite
 */
#include "fuzz_more.h"

#include "examples/tflite/tflite.h"
#include "tests/unit/tflite_models.h"

enum { MOST = 1 << 16 };

static unsigned char *copy_of(const uint8_t *data, size_t size)
{
    unsigned char *copy = (unsigned char *)malloc(size + (size == 0));
    REQUIRE(copy != NULL);
    memcpy(copy, data, size);
    return copy;
}

/* The model that an input stands for. */
static unsigned char *model_of(const uint8_t *data, size_t *size)
{
    static const w_model *const models[] = {&small, &odd, &flow, &state};
    static w_file file;
    size_t const n_models = sizeof models / sizeof *models;
    if (*size == 0 || data[0] % 2u == 0) {
        return copy_of(data, *size);
    }
    w_write_model(&file, models[data[0] / 2u % n_models]);
    for (size_t i = 1; i + 2u < *size; i += 3u) {
        size_t at = (data[i] | (size_t)data[i + 1] << 8) % file.size;
        file.data[at] = data[i + 2];
    }
    *size = file.size;
    return copy_of(file.data, file.size);
}

static void check_sentence(const tflite_error *err)
{
    char text[TFLITE_SENTENCE];
    size_t const size = tflite_sentence(err, text, sizeof text);
    REQUIRE(size < sizeof text - 1u && strlen(text) == size);
    REQUIRE((err->status == GSP_OK) == (size == 0));
}

/* What it prints is the same module again. */
static void check_text(const gsp_module *module)
{
    fuzz_text first = {NULL, 0, 0}, second = {NULL, 0, 0};
    gsp_counts counts;
    gsp_module again;
    gsp_arena arena;
    REQUIRE(gsp_text_write(module, NULL, fuzz_append, &first, NULL) == GSP_OK);
    REQUIRE(gsp_text_count(first.data, first.size, &counts, NULL) == GSP_OK);
    arena = fuzz_arena(gsp_build_bound(&counts));
    REQUIRE(gsp_text_read(&arena, first.data, first.size, NULL, &again, NULL) == GSP_OK);
    REQUIRE(gsp_text_write(&again, NULL, fuzz_append, &second, NULL) == GSP_OK);
    REQUIRE(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
    fuzz_free(&arena);
    free(first.data);
    free(second.data);
}

static void check_facts(const tflite_model *model)
{
    const gsp_module *m = &model->module;
    fuzz_text notes = {NULL, 0, 0};
    gsp_module opened;
    REQUIRE(gsp_module_open(&opened, m->block, m->block_size, 0, NULL) == GSP_OK);
    REQUIRE(tflite_notes(model, fuzz_append, &notes) == 0);
    REQUIRE((notes.size == 0) == (model->n_unshaped + model->n_untyped + model->n_unknown == 0));
    free(notes.data);
    for (uint32_t i = 0; i <= model->n_signatures && i < 8u; i++) {
        tflite_signature const s = tflite_signature_at(model, i);
        uint32_t tensor;
        REQUIRE(s.subgraph < m->counts.graphs);
        for (uint32_t k = 0; k <= s.n_inputs && k < 8u; k++) {
            (void)tflite_signature_input(model, i, k, &tensor);
            REQUIRE(k < s.n_inputs || tensor == GSP_NONE);
        }
    }
    for (uint32_t g = 0; g < m->counts.graphs; g++) {
        gsp_graph const graph = gsp_module_graph(m, g);
        for (gsp_node v = 0; v < graph.n_nodes; v++) {
            REQUIRE(gsp_node_op(&graph, v) != GSP_OP_OUTPUT ||
                    model->item[graph.first + v] == GSP_NONE);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = model_of(data, &size);
    tflite_counts counts;
    tflite_model model;
    tflite_error err;
    gsp_arena arena;
    if (size <= MOST && tflite_count(copy, size, &counts, &err) == GSP_OK) {
        arena = fuzz_arena(tflite_bound(&counts));
        if (tflite_read(&arena, copy, size, &model, &err) == GSP_OK) {
            gsp_graph const graph = gsp_module_graph(&model.module, 0);
            check_facts(&model);
            check_text(&model.module);
            if (graph.n_nodes < 200u) {
                fuzz_passes(&graph, NULL, 0);
                fuzz_more(&graph, (uint32_t)size, 0);
            }
        } else {
            REQUIRE(err.status != GSP_STATUS_NOMEM && arena.low == 0 && arena.high == 0);
        }
        fuzz_free(&arena);
    }
    if (size <= MOST) {
        check_sentence(&err);
    }
    free(copy);
    return 0;
}
