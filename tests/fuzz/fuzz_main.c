/* Drives a fuzz entry without libFuzzer: the files given, or random mutations of them for some
 * seconds.
 *     cc -I. -Iexamples/program -o fuzz_text tests/fuzz/fuzz_text.c tests/fuzz/fuzz_main.c
 *     ./fuzz_text FILE...     or     ./fuzz_text -seconds=10 FILE...
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_SIZE = 4096, MAX_SEEDS = 64 };

typedef struct input {
    uint8_t data[MAX_SIZE];
    size_t size;
} input;

static input seeds[MAX_SEEDS];
static size_t n_seeds = 1; /* the first is empty */
static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % n;
}

static void read_seed(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    if (n_seeds < MAX_SEEDS) {
        seeds[n_seeds].size = fread(seeds[n_seeds].data, 1, MAX_SIZE, file);
        n_seeds++;
    }
    fclose(file);
}

/* Puts a part of another seed, or random bytes, somewhere. */
static void mutate(input *in)
{
    const input *other = &seeds[below((uint32_t)n_seeds)];
    uint32_t at = below((uint32_t)in->size + 1u);
    uint32_t length = 1u + below(below(4) ? 4 : 64);
    if (length > MAX_SIZE - at) {
        length = MAX_SIZE - at;
    }
    switch (below(4)) {
    case 0: /* remove */
        length = length < in->size - at ? length : (uint32_t)in->size - at;
        memmove(in->data + at, in->data + at + length, in->size - at - length);
        in->size -= length;
        return;
    case 1: /* insert */
        if (in->size + length <= MAX_SIZE) {
            memmove(in->data + at + length, in->data + at, in->size - at);
            in->size += length;
        }
        break;
    default: /* overwrite */
        break;
    }
    if (at + length > in->size) {
        in->size = at + length;
    }
    if (other->size >= length && below(2)) {
        memcpy(in->data + at, other->data + below((uint32_t)(other->size - length) + 1u), length);
        return;
    }
    for (uint32_t i = 0; i < length; i++) {
        in->data[at + i] = (uint8_t)below(256);
    }
}

int main(int argc, char **argv)
{
    unsigned seconds = 0;
    unsigned runs = 0;
    time_t end;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-seconds=", 9) == 0) {
            seconds = (unsigned)strtoul(argv[i] + 9, NULL, 10);
        } else {
            read_seed(argv[i]);
        }
    }
    for (size_t i = 0; i < n_seeds; i++) {
        LLVMFuzzerTestOneInput(seeds[i].data, seeds[i].size);
    }
    end = time(NULL) + (time_t)seconds;
    while (seconds > 0 && time(NULL) < end) {
        static input in;
        in = seeds[below((uint32_t)n_seeds)];
        for (uint32_t i = 1u + below(8); i > 0; i--) {
            mutate(&in);
        }
        LLVMFuzzerTestOneInput(in.data, in.size);
        runs++;
    }
    printf("%u seeds, %u mutations\n", (unsigned)n_seeds, runs);
    return 0;
}
