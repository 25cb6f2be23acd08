/* Every single bit of a stored graph flips in turn: the validator refuses it, or every question to
 * the graph, printing, placing and splitting stay within it, as sanitizers see; all passes on some.
 *     sh tests/cross/damage.sh */
#include "tests/fuzz/fuzz_open.c"

#include "person_detect.h"

#include <stdio.h>

#define EVERY 257u /* bits from one flipped graph that goes through all passes to the next */

/* 1 if refused; 0 if harmless. */
static int is_refused(const unsigned char *block, size_t size, unsigned *sum)
{
    gsp_module module;
    fuzz_text text = {NULL, 0, 0};
    if (gsp_module_open(&module, block, size, 0, NULL) != GSP_OK) {
        return 1;
    }
    for (uint32_t g = 0; g < module.counts.graphs; g++) {
        gsp_graph graph = gsp_module_graph(&module, g);
        gsp_arena arena =
            fuzz_arena(gsp_support_bound(&graph, NULL) + gsp_split_bound(&graph, NULL));
        gsp_split_desc desc = {0};
        gsp_placement placement;
        gsp_split_result result;
        for (gsp_node v = 0; v < graph.n_nodes; v++) {
            *sum += ask_node(&graph, v);
        }
        desc.placement = &placement;
        if (gsp_support_run(&arena, &graph, NULL, &placement, NULL) == GSP_OK) {
            *sum += (unsigned)gsp_split_run(&arena, &graph, &desc, &result, NULL);
        }
        fuzz_free(&arena);
    }
    REQUIRE(gsp_text_write(&module, NULL, fuzz_append, &text, NULL) == GSP_OK);
    free(text.data);
    return 0;
}

int main(void)
{
    size_t const size = sizeof person_detect;
    unsigned char *block = (unsigned char *)malloc(size);
    uint8_t *input = (uint8_t *)malloc(size + 1u);
    unsigned sum = 0;
    size_t refused = 0;
    REQUIRE(block != NULL && input != NULL);
    memcpy(block, person_detect, size);
    input[0] = 0; /* the block itself */
    REQUIRE(!is_refused(block, size, &sum));
    for (size_t bit = 0; bit < 8u * size; bit++) {
        block[bit / 8u] ^= (unsigned char)(1u << bit % 8u);
        refused += (size_t)is_refused(block, size, &sum);
        if (bit % EVERY == 0) {
            memcpy(input + 1, block, size);
            (void)LLVMFuzzerTestOneInput(input, size + 1u);
        }
        block[bit / 8u] ^= (unsigned char)(1u << bit % 8u);
    }
    printf("%u bits: %u refused, %u harmless (%08x)\n", (unsigned)(8u * size), (unsigned)refused,
        (unsigned)(8u * size - refused), sum);
    free(block);
    free(input);
    return 0;
}
