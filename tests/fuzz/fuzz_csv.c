/* Lifetimes as CSV: any bytes are refused with a sentence, or planned; what --save-csv writes is
 * read again, and the offsets in it stand. The first byte chooses the options.
 *     sh tests/fuzz/run.sh 60 csv
 */
#include "program.h"

static const char *const commands[] = {
    "graphsplit memory --csv --porcelain --save-csv out.csv in.csv",
    "graphsplit memory --csv --porcelain --exact=2000 --save-csv out.csv in.csv",
    "graphsplit memory --csv --json --capacity 64 in.csv",
    "graphsplit memory --csv --align 16 in.csv",
    "graphsplit memory --csv --memory a:64:2:8 --memory b:1K in.csv",
    "graphsplit memory --csv --memory a:64:2 --memory b:1M:4:16:ro --exact=2000 --json in.csv",
};

/* The bytes of the arena. */
static uint64_t arena_of(const fuzz_printed *p)
{
    const char *at = strstr(p->out, "arena bytes=");
    return at != NULL ? strtoull(at + 12, NULL, 10) : UINT64_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *command;
    fuzz_printed *p;
    uint64_t arena;
    if (size == 0 || size > 4096u) {
        return 0;
    }
    command = commands[data[0] % CLI_COUNT(commands)];
    fuzz_write("in.csv", data + 1, size - 1u);
    remove("out.csv");
    p = fuzz_command(command);
    if (p->code == CLI_EXIT_OK && strstr(command, "--save-csv") != NULL) {
        arena = arena_of(p);
        p = fuzz_command("graphsplit memory --csv --porcelain out.csv");
        REQUIRE(p->code == CLI_EXIT_OK && arena_of(p) == arena);
    }
    return 0;
}
