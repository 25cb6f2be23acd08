/* Names in each format of the program: whatever their bytes are, a terminal sees no control
 * character, and what they are written into stays one string.
 *     sh tests/fuzz/run.sh 60 names
 */
#include "fuzz.h"

#include "core/core.h"

/* UTF-8 without control characters. */
static void check_clean(const cli_buffer *b, size_t begin)
{
    while (begin < b->size) {
        const unsigned char *at = (const unsigned char *)b->data + begin;
        size_t size = cli_utf8_size(at, b->size - begin);
        REQUIRE(size != 0 && *at >= 0x20u && *at != 0x7Fu);
        REQUIRE(size != 2u || *at != 0xC2u || at[1] >= 0xA0u);
        begin += size;
    }
}

/* No quote inside that is not escaped, and a pair after each backslash. */
static void check_quoted(const cli_buffer *b, size_t begin, size_t end)
{
    for (; begin < end; begin++) {
        REQUIRE(b->data[begin] != '"');
        begin += b->data[begin] == '\\' ? 1u : 0u;
    }
    REQUIRE(begin == end);
}

/* What each \u and the other pairs stand for; bytes that are not UTF-8 are Latin-1. */
static void check_meaning(const cli_buffer *b, const uint8_t *data, size_t size)
{
    size_t at = 1;
    size_t i = 0;
    while (i < size) {
        size_t step = cli_utf8_size(data + i, size - i);
        if (b->data[at] != '\\') {
            REQUIRE(step != 0 && memcmp(b->data + at, data + i, step) == 0);
            at += step;
        } else if (b->data[at + 1u] == 'u') {
            unsigned code = step == 2u ? data[i + 1u] : data[i];
            char digits[5] = {0};
            memcpy(digits, b->data + at + 2u, 4u);
            REQUIRE(strtoul(digits, NULL, 16) == code);
            at += 6u;
        } else {
            char c = b->data[at + 1u];
            REQUIRE((c == 'n' ? '\n' : c == 't' ? '\t' : c) == (char)data[i]);
            at += 2u;
        }
        i += step != 0 ? step : 1u;
    }
    REQUIRE(at + 1u == b->size);
}

static void check_markup(cli_session *s, gsp_str text)
{
    cli_buffer b;
    size_t i;
    cli_buffer_init(&b, s);
    cli_xml_text(&b, text, 40u);
    check_clean(&b, 0);
    for (i = 0; i < b.size; i++) {
        REQUIRE(strchr("<>\"", b.data[i]) == NULL);
        REQUIRE(b.data[i] != '&' || memchr(b.data + i, ';', b.size - i) != NULL);
    }
    b.size = 0;
    cli_dot_text(&b, text);
    check_clean(&b, 0);
    check_quoted(&b, 0, b.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const cli_front front = {"fuzz", NULL, NULL, 0};
    gsp_str text = {(const char *)data, (uint32_t)size};
    cli_session s;
    cli_buffer b;
    cli_session_init(&s, &front);
    cli_buffer_init(&b, &s);
    cli_put_clean(&b, text);
    check_clean(&b, 0);
    b.size = 0;
    cli_put_clipped(&b, text, 20u);
    check_clean(&b, 0);
    REQUIRE(b.size <= 80u);
    b.size = 0;
    cli_json_string(&b, text);
    check_clean(&b, 0);
    REQUIRE(b.data[0] == '"' && b.data[b.size - 1u] == '"');
    check_quoted(&b, 1u, b.size - 1u);
    check_meaning(&b, data, size);
    check_markup(&s, text);
    cli_session_end(&s);
    return 0;
}
