/* Small readers: operator files, globs, numbers, types; globs and numbers against slow or libc
 * ones.
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -o fuzz_table tests/fuzz/fuzz_table.c
 *     ./fuzz_table build/seeds/table
 */
#include "fuzz.h"

static const char network[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # i8[4]\n"
    "    %a : [num_users=1] = call_function[target=ADD](args = (%x, 1), kwargs = {})  # i8[4]\n"
    "    %b : [num_users=1] = call_module[target=m.b](args = (%a,), kwargs = {})  # f32[4] "
    "module=CONV_2D\n"
    "    return b\n";

/* By definition, one pattern byte at a time over the set of places in the text. */
static int slow_glob(gsp_str pattern, gsp_str text)
{
    unsigned char *here = (unsigned char *)calloc((size_t)text.size + 1u, 1);
    int result;
    REQUIRE(here != NULL);
    here[0] = 1;
    for (uint32_t p = 0; p < pattern.size; p++) {
        char c = pattern.data[p];
        if (c == '*') {
            for (uint32_t i = 1; i <= text.size; i++) {
                here[i] = here[i] | here[i - 1u];
            }
            continue;
        }
        for (uint32_t i = text.size; i > 0; i--) {
            here[i] = here[i - 1u] && (c == '?' || c == text.data[i - 1u]);
        }
        here[0] = 0;
    }
    result = here[text.size];
    free(here);
    return result;
}

static void check_numbers(gsp_str text)
{
    char buffer[801];
    char *end;
    double value, expected;
    uint64_t number;
    if (text.size > sizeof buffer - 1u) {
        return;
    }
    if (text.size > 0) {
        memcpy(buffer, text.data, text.size);
    }
    buffer[text.size] = 0;
    if (gsp_str_number(text, &number)) {
        REQUIRE(strspn(buffer, "0123456789") == text.size);
        REQUIRE(number == strtoull(buffer, NULL, 10));
    }
    if (gsp_str_decimal(text, &value)) {
        expected = strtod(buffer, &end);
        REQUIRE(end == buffer + text.size);
        REQUIRE(memcmp(&value, &expected, sizeof value) == 0 || strstr(buffer, "nan"));
    }
}

static void check_type(gsp_str type)
{
    uint32_t at = 0, before = 0;
    gsp_str dtype, dims;
    while (gsp_type_next(type, &at, &dtype, &dims)) {
        REQUIRE(at > before && at <= type.size);
        before = at;
    }
}

/* The table, if it is one, used on a small graph. */
static void check_table(gsp_str text)
{
    gsp_arena arena = fuzz_arena(gsp_table_bound(text)), text_memory, memory;
    gsp_rule rule = {0};
    gsp_accelerator accelerator;
    gsp_support_desc desc = {0};
    gsp_placement placement;
    gsp_error error;
    gsp_counts counts;
    gsp_module module;
    gsp_graph graph;
    gsp_status status = gsp_table_read(&arena, text, &rule.table, &error);
    REQUIRE(status == GSP_OK || status == GSP_STATUS_PARSE);
    REQUIRE(status == GSP_OK || (error.line > 0 && error.column > 0));
    if (status == GSP_OK) {
        rule.kind = GSP_RULE_TABLE;
        accelerator.rules = &rule;
        accelerator.n_rules = 1;
        desc.n_accelerators = 1;
        desc.accelerators = &accelerator;
        REQUIRE(gsp_text_count(network, sizeof network - 1u, &counts, NULL) == GSP_OK);
        text_memory = fuzz_arena(gsp_build_bound(&counts));
        REQUIRE(gsp_text_read(&text_memory, network, sizeof network - 1u, NULL, &module, NULL) ==
                GSP_OK);
        graph = gsp_module_graph(&module, 0);
        memory = fuzz_arena(gsp_support_bound(&graph, &desc));
        REQUIRE(gsp_support_run(&memory, &graph, &desc, &placement, NULL) == GSP_OK);
        fuzz_free(&memory);
        fuzz_free(&text_memory);
    }
    fuzz_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gsp_str whole, pattern, text;
    size_t cut = 0;
    if (size > 4096u) {
        return 0;
    }
    while (cut < size && data[cut] != '\n') {
        cut++;
    }
    whole.data = (const char *)data;
    whole.size = (uint32_t)size;
    pattern.data = whole.data;
    pattern.size = (uint32_t)cut;
    text.data = whole.data + (cut < size ? cut + 1u : size);
    text.size = (uint32_t)(cut < size ? size - cut - 1u : 0);
    REQUIRE(gsp_str_glob(pattern, text) == slow_glob(pattern, text));
    check_numbers(whole);
    check_type(whole);
    check_table(whole);
    return 0;
}
