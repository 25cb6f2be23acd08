/* The header of a safetensors file: its length, and JSON with the tensors. */
#include "input/input.h"

#include <inttypes.h>
#include <string.h>

#define MOST_HEADER ((uint64_t)100000000) /* bytes, as the format has it */
#define MOST_DIMS   16u

/* Bits of an element; 0 for a type that is not known. */
static uint64_t bits_of(gsp_str type)
{
    static const struct {
        const char *name;
        uint64_t bits;
    } types[] = {{"F64", 64}, {"I64", 64}, {"U64", 64}, {"C64", 64}, {"F32", 32}, {"I32", 32},
        {"U32", 32}, {"F16", 16}, {"BF16", 16}, {"I16", 16}, {"U16", 16}, {"BOOL", 8}, {"I8", 8},
        {"U8", 8}, {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
        {"F8_E5M2FNUZ", 8}, {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F4", 4}};
    for (size_t i = 0; i < CLI_COUNT(types); i++) {
        if (gsp_str_equal(type, gsp_str_of(types[i].name))) {
            return types[i].bits;
        }
    }
    return 0;
}

/* A list of numbers. Returns how many there are. */
static uint32_t read_numbers(cli_json_in *in, uint64_t *numbers, uint32_t most)
{
    uint32_t n = 0;
    int begun = 0;
    cli_json_expect(in, '[', "expected a list of numbers");
    while (cli_json_next(in, &begun, ']')) {
        uint32_t const at = in->at;
        double const value = cli_json_number(in);
        if (n == most) {
            cli_json_fail(in, at, "more numbers than there can be");
            return n;
        }
        numbers[n++] = (uint64_t)value;
    }
    return n;
}

static void read_tensor(cli_tensors *t, cli_json_in *in, gsp_str name)
{
    uint64_t dims[MOST_DIMS];
    uint64_t place[2] = {0, 0};
    uint32_t n_dims = 0;
    uint32_t n_place = 0;
    gsp_str type = {NULL, 0};
    uint32_t const begin = in->at;
    uint64_t bits;
    cli_stored *tensor;
    int begun = 0;
    cli_json_expect(in, '{', "expected a tensor: dtype, shape and data_offsets");
    while (cli_json_next(in, &begun, '}')) {
        gsp_str const key = cli_json_key(in);
        if (cli_json_is(key, "dtype")) {
            type = cli_json_text(in);
        } else if (cli_json_is(key, "shape")) {
            n_dims = read_numbers(in, dims, MOST_DIMS);
        } else if (cli_json_is(key, "data_offsets")) {
            n_place = read_numbers(in, place, 2u);
        } else {
            cli_json_skip(in);
        }
    }
    if (in->code == CLI_EXIT_OK && (n_place != 2u || place[1] < place[0] || type.size == 0)) {
        cli_json_fail(in, begin, "a tensor requires dtype, shape and data_offsets, begin and end");
    }
    in->code = in->code != CLI_EXIT_OK ? in->code : cli_tensors_add(t, name, dims, n_dims, &tensor);
    if (in->code != CLI_EXIT_OK) {
        return;
    }
    bits = bits_of(type);
    tensor->bytes = place[1] - place[0];
    if (bits != 0 && tensor->elements * bits / 8u != tensor->bytes) {
        cli_json_fail(in, begin, "the data_offsets are not those of its shape and dtype");
    }
}

int cli_safetensors_read(cli_tensors *t)
{
    cli_json_in in;
    uint64_t size = 0;
    int begun = 0;
    for (uint32_t i = 0; i < 8u && i < t->head.size; i++) {
        size |= (uint64_t)(unsigned char)t->head.data[i] << (8u * i);
    }
    if (t->head.size < 8u) {
        t->ended = 1;
        return CLI_EXIT_OK;
    }
    if (size > MOST_HEADER) {
        return cli_tensors_wrong(t,
            "no safetensors file: its header would have %" PRIu64 " bytes, above %" PRIu64, size,
            MOST_HEADER);
    }
    if (size > t->head.size - 8u) {
        t->ended = 1;
        return CLI_EXIT_OK;
    }
    memset(&in, 0, sizeof in);
    in.session = t->session;
    in.path = t->path;
    in.text.data = t->head.data + 8;
    in.text.size = (uint32_t)size;
    t->value_bytes = 2u;
    cli_json_expect(&in, '{', "expected an object with tensors");
    while (cli_json_next(&in, &begun, '}')) {
        gsp_str const name = cli_json_key(&in);
        if (cli_json_is(name, "__metadata__")) {
            cli_json_skip(&in);
        } else if (in.code == CLI_EXIT_OK) {
            read_tensor(t, &in, name);
        }
    }
    if (in.code == CLI_EXIT_OK && cli_json_peek(&in) != '\0') {
        cli_json_fail(&in, in.at, "expected the end of the header");
    }
    return in.code;
}
