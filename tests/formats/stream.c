/* A network that runs row by row beside the same one layer by layer, with the same kernels: prints
 * the bytes of both arenas, of one with operators that run together, and with BY_ROWS of one whose
 * input comes by rows; with CHOSEN and CHOSEN_BY_ROWS, a region that the user names runs, too. Exit
 * 1 if an output differs. Hosts and firmware.
 * With arguments on a host: stream IN EXPECTED...: inputs one after the other, and files of outputs
 * that others made of them; prints per file how many bytes differ, and by how much at most.
 * With ONNX the network is one of floats in channels of rows; others round otherwise, so that what
 * differs by less than 1 / 1000 of the value, or of 1, is equal; of 8 bits also what differs by
 * UNIT. */
#include <stddef.h>
#include <stdint.h>

#ifdef FIRMWARE /* which has no C library */
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
#else
#include <string.h>
#endif

#include "layers.h"
#include "streamed.h"
#include "fused.h"
#ifdef BY_ROWS
#include "byrows.h"
#endif
#ifdef CHOSEN
#include "chosen.h"
#endif
#ifdef CHOSEN_BY_ROWS
#include "chosenrows.h"
#endif

#ifdef ONNX
#include "examples/firmware/row_kernels_onnx.c"
#define RUN(name, context) name##_run(context, arena.bytes)
#else
#include "examples/firmware/row_kernels.c"
#define RUN(name, context) name##_run(context, model, arena.bytes)
#endif

#ifdef FIRMWARE
#include "port.h"
#define SAY(text) port_puts(text)
#else
#include <stdio.h>
#define SAY(text) (void)printf("%s", text)
#endif
#ifndef ONNX
#include "model.h"
#endif

#define TRIALS 2u

union arena {
    double align;
    unsigned char bytes[layers_arena_bytes];
};

static union arena arena;
static unsigned char expected[layers_output_0_bytes];

static void put_number(uint32_t n)
{
    char digits[12];
    char *at = digits + sizeof digits - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + n % 10u);
        n /= 10u;
    } while (n != 0);
    SAY(at);
}

static void fill(unsigned char *to, size_t n, uint32_t seed)
{
    size_t i;
    for (i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        to[i] = (unsigned char)(seed >> 24);
    }
#ifdef ONNX /* from -2 to 2 */
    for (i = 0; i < n; i += sizeof(float)) {
        float const value = (float)((int)to[i] - 128) / 64.0f;
        memcpy(to + i, &value, sizeof value);
    }
#endif
}

/* 1 if a byte behind an arena is not what it was. */
static int is_beyond(size_t size)
{
    size_t k;
    for (k = size; k < sizeof arena.bytes && arena.bytes[k] == 0xAA; k++) {
    }
    return k < sizeof arena.bytes;
}

/* fails_NAME: 1 if the code of that name yields another output than is expected, or writes beyond
 * its arena. */
#define FAILS(name) \
    static int fails_##name(uint32_t trial) \
    { \
        memset(arena.bytes, 0xAA, sizeof arena); \
        fill(arena.bytes + name##_input_0, name##_input_0_bytes, trial); \
        RUN(name, NULL); \
        return memcmp(expected, arena.bytes + name##_output_0, sizeof expected) != 0 || \
               is_beyond(name##_arena_bytes); \
    }

/* A row of the frame; of ONNX, of each channel. */
#ifdef ONNX
#define READ(name, row, to) \
    for (int32_t c = 0; c < name##_n_channels; c++) { \
        memcpy((unsigned char *)(to) + (size_t)c * name##_channel_bytes, \
            frame + ((size_t)c * name##_n_rows + (size_t)(row)) * name##_row_bytes, \
            name##_row_bytes); \
    }
#else
#define READ(name, row, to) memcpy(to, frame + (size_t)(row)*name##_row_bytes, name##_row_bytes);
#endif

/* The same for code whose input comes by rows; also 1 if a row is not in turn. */
#define FAILS_BY_ROWS(name) \
    void name##_read_row(void *context, int32_t row, void *to) \
    { \
        next_row = row == next_row && context == frame ? row + 1 : INT32_MIN; \
        READ(name, row, to) \
    } \
    static int fails_##name(uint32_t trial) \
    { \
        memset(arena.bytes, 0xAA, sizeof arena); \
        fill(frame, sizeof frame, trial); \
        next_row = 0; \
        RUN(name, frame); \
        return next_row <= 0 || next_row > name##_n_rows || \
               memcmp(expected, arena.bytes + name##_output_0, sizeof expected) != 0 || \
               is_beyond(name##_arena_bytes); \
    }

FAILS(streamed)
FAILS(fused)
#ifdef BY_ROWS
static unsigned char frame[layers_input_0_bytes];
static int32_t next_row; /* INT32_MIN after one out of turn */
FAILS_BY_ROWS(byrows)
#endif
#ifdef CHOSEN
FAILS(chosen)
#endif
#ifdef CHOSEN_BY_ROWS /* only with BY_ROWS */
FAILS_BY_ROWS(chosenrows)
#endif

static int trial_fails(uint32_t trial)
{
    int fails;
    memset(arena.bytes, 0x55, sizeof arena);
    fill(arena.bytes + layers_input_0, layers_input_0_bytes, trial);
    RUN(layers, NULL);
    memcpy(expected, arena.bytes + layers_output_0, sizeof expected);
    fails = fails_streamed(trial) || fails_fused(trial);
#ifdef BY_ROWS
    fails = fails || fails_byrows(trial);
#endif
#ifdef CHOSEN
    fails = fails || fails_chosen(trial);
#endif
#ifdef CHOSEN_BY_ROWS
    fails = fails || fails_chosenrows(trial);
#endif
    return fails;
}

static int run(void)
{
    uint32_t i;
    put_number(layers_arena_bytes);
    SAY(" ");
    put_number(streamed_arena_bytes);
    SAY(" ");
    put_number(fused_arena_bytes);
#ifdef BY_ROWS
    SAY(" ");
    put_number(byrows_arena_bytes);
#endif
    SAY("\n");
    for (i = 0; i < TRIALS; i++) {
        if (trial_fails(i)) {
            SAY("an output differs, a byte beyond the arena is written, or a row is not in turn\n");
            return 1;
        }
    }
    return 0;
}

#ifdef FIRMWARE
int firmware_main(void)
{
    return run();
}
#else
#ifdef ONNX
#define ELEMENT sizeof(float)
#ifndef UNIT
#define UNIT 0.0f
#endif
static int difference(const void *expected_at, const void *made_at)
{
    float want;
    float made;
    memcpy(&want, expected_at, sizeof want);
    memcpy(&made, made_at, sizeof made);
    return !(fabsf(want - made) <= UNIT + 1e-3f + 1e-3f * fabsf(want));
}
#else
#define ELEMENT 1u
static int difference(const unsigned char *want, const unsigned char *made)
{
    return (signed char)*want - (signed char)*made;
}
#endif

/* Prints how the outputs differ from those of a file. 0 if one of the files ends too early. */
static int print_differences(const char *in, const char *path)
{
    FILE *inputs = fopen(in, "rb");
    FILE *outputs = inputs != NULL ? fopen(path, "rb") : NULL;
    int most = 0;
    uint32_t n = 0;
    uint32_t runs = 0;
    size_t i;
    while (outputs != NULL &&
           fread(arena.bytes + streamed_input_0, streamed_input_0_bytes, 1, inputs) == 1 &&
           fread(expected, sizeof expected, 1, outputs) == 1) {
        RUN(streamed, NULL);
        for (i = 0; i < sizeof expected; i += ELEMENT) {
            int const d = difference(expected + i, arena.bytes + streamed_output_0 + i);
            n += d != 0 ? 1u : 0u;
            most = d > most ? d : -d > most ? -d : most;
        }
        runs++;
    }
    if (outputs != NULL) {
        (void)fclose(outputs);
    }
    if (inputs != NULL) {
        (void)fclose(inputs);
    }
    (void)printf("%u %d\n", (unsigned)n, most);
    return runs >= 2u;
}

int main(int argc, char **argv)
{
    int i;
    for (i = 2; i < argc; i++) {
        if (!print_differences(argv[1], argv[i])) {
            return 1;
        }
    }
    return argc > 2 ? 0 : run();
}
#endif
