/* Manifests of an earlier run: any bytes are refused with a sentence, or name files of that
 * directory, which the new run replaces. No file elsewhere, no input and no hidden file goes.
 *     sh tests/fuzz/run.sh 60 manifest
 */
#include "program.h"

static const char network[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
    "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4]\n"
    "    return a\n";

/* The first is written by the run; of the rest, the last go only if the manifest names them. */
enum { OURS = 5, ALL = 7 };
static const char *const files[ALL] = {"out/in.fx", "keep", "out/.hidden", "out/sub/keep",
    "out/.graphsplit-2", "out/old.fx", "out/a b.fx"};

static void clear(void)
{
    cli_remove_all("out/sub");
    cli_remove_all("out/.graphsplit-0");
    cli_remove_all("out/.graphsplit-1");
    cli_remove_all("out");
}

static int names(const uint8_t *data, size_t size, const char *name)
{
    size_t const length = strlen(name);
    for (size_t i = 0; length <= size && i <= size - length; i++) {
        if (memcmp(data + i, name, length) == 0) {
            return 1;
        }
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const fuzz_printed *p;
    clear();
    REQUIRE(cli_make_dir("out") == 1 && cli_make_dir("out/sub") == 1);
    for (int i = 0; i < ALL; i++) {
        fuzz_write(files[i], network, sizeof network - 1u);
    }
    fuzz_write("out/manifest.json", data, size);
    p = fuzz_command("graphsplit split --cpu-nodes a --emit out out/in.fx");
    REQUIRE(p->code != CLI_EXIT_USAGE);
    REQUIRE((p->code == CLI_EXIT_OK) == !fuzz_holds("out/manifest.json", data, size));
    for (int i = 0; i < ALL; i++) {
        REQUIRE(fuzz_holds(files[i], network, sizeof network - 1u) ||
                (p->code == CLI_EXIT_OK && i >= OURS && names(data, size, files[i] + 4)));
    }
    return 0;
}
