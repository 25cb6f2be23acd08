/* Instances of Piper: any bytes are refused with a sentence, or read into a graph that prints as
 * text, which is read again as the same text and goes through the cut for which such files are
 * made.
 *     sh tests/fuzz/run.sh 60 piper
 */
#include "program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_printed *p;
    char *text;
    size_t text_size;
    fuzz_write("in.json", data, size);
    p = fuzz_command("graphsplit read in.json");
    if (p->code != CLI_EXIT_OK) {
        return 0;
    }
    text_size = p->out_size;
    text = (char *)malloc(text_size + 1u);
    REQUIRE(text != NULL);
    memcpy(text, p->out, text_size + 1u);
    fuzz_write("again.fx", text, text_size);
    p = fuzz_command("graphsplit read again.fx");
    REQUIRE(p->code == CLI_EXIT_OK);
    REQUIRE(p->out_size == text_size && memcmp(p->out, text, text_size) == 0);
    free(text);
    fuzz_command("graphsplit pipe --stages 2 --policy optimal --max-work 1000 --json in.json");
    return 0;
}
