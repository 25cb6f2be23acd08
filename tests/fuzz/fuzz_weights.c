/* Files of weights: any bytes are refused with a sentence, or make a table of layers, which the cut
 * on devices takes as it takes the file.
 *     sh tests/fuzz/run.sh 60 weights
 */
#include "program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int const is_gguf = size >= 4u && memcmp(data, "GGUF", 4u) == 0;
    fuzz_printed *p;
    fuzz_write("in.gguf", data, size);
    fuzz_write("in.safetensors", data, size);
    p = fuzz_command(is_gguf ? "graphsplit read in.gguf" : "graphsplit read in.safetensors");
    REQUIRE(p->code == CLI_EXIT_OK || p->out_size == 0);
    if (p->code == CLI_EXIT_OK && p->out_size < 4096u) {
        fuzz_write("in.csv", (const uint8_t *)p->out, p->out_size);
        fuzz_command("graphsplit pipe --table in.csv --device a:1G:2 --device b:1G --porcelain");
    }
    return 0;
}
