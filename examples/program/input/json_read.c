/* JSON as it is read: values one after another, until the first error. */
#include "input/input.h"

#include <string.h>

void cli_json_fail(cli_json_in *r, uint32_t at, const char *what)
{
    gsp_error err;
    uint32_t i;
    if (r->code != CLI_EXIT_OK) {
        return;
    }
    memset(&err, 0, sizeof err);
    err.status = GSP_STATUS_PARSE;
    err.line = 1u;
    err.column = 1u;
    for (i = 0; i < at; i++) {
        err.line += r->text.data[i] == '\n' ? 1u : 0u;
        err.column = r->text.data[i] == '\n' ? 1u : err.column + 1u;
    }
    r->code = cli_text_wrong(r->session, r->path, r->text, &err, what);
}

char cli_json_peek(cli_json_in *r)
{
    while (r->at < r->text.size && strchr(" \t\r\n", r->text.data[r->at]) != NULL) {
        r->at++;
    }
    return r->at < r->text.size && r->code == CLI_EXIT_OK ? r->text.data[r->at] : '\0';
}

/* 1 if the next character is `c`, which is then behind. */
static int json_take(cli_json_in *r, char c)
{
    int const found = cli_json_peek(r) == c && c != '\0';
    r->at += found ? 1u : 0u;
    return found;
}

void cli_json_expect(cli_json_in *r, char c, const char *what)
{
    if (!json_take(r, c)) {
        cli_json_fail(r, r->at, what);
    }
}

int cli_json_next(cli_json_in *r, int *begun, char close)
{
    if (r->code != CLI_EXIT_OK || json_take(r, close)) {
        return 0;
    }
    if (*begun) {
        cli_json_expect(r, ',', "expected a comma or the end of the list");
    }
    *begun = 1;
    return r->code == CLI_EXIT_OK;
}

gsp_str cli_json_text(cli_json_in *r)
{
    gsp_str s = {NULL, 0};
    cli_json_expect(r, '"', "expected a string");
    s.data = r->text.data + r->at;
    while (r->code == CLI_EXIT_OK && r->at < r->text.size && r->text.data[r->at] != '"') {
        r->at += r->text.data[r->at] == '\\' && r->at + 1u < r->text.size ? 2u : 1u;
    }
    s.size = (uint32_t)(r->text.data + r->at - s.data);
    cli_json_expect(r, '"', "expected the end of the string");
    return s;
}

/* The number of "\u00e9" at `at`; 0 if it is none. */
static uint32_t code_at(gsp_str text, uint32_t at)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    uint32_t code = 0;
    uint32_t i;
    if (at + 6u > text.size || text.data[at] != '\\' || text.data[at + 1u] != 'u') {
        return 0;
    }
    for (i = at + 2u; i < at + 6u; i++) {
        const char *digit = text.data[i] != '\0' ? strchr(digits, text.data[i]) : NULL;
        if (digit == NULL) {
            return 0;
        }
        code = code * 16u + (uint32_t)(digit - digits) % 16u;
    }
    return code;
}

static void put_code(cli_buffer *out, uint32_t code)
{
    uint32_t shift = code < 0x80u ? 0u : code < 0x800u ? 6u : code < 0x10000u ? 12u : 18u;
    char byte = (char)(shift == 0   ? code
                       : shift == 6 ? 0xC0u | code >> 6u
                                    : (shift == 12u ? 0xE0u : 0xF0u) | code >> shift);
    cli_put(out, &byte, 1u);
    while (shift != 0) {
        shift -= 6u;
        byte = (char)(0x80u | (code >> shift & 0x3Fu));
        cli_put(out, &byte, 1u);
    }
}

/* What the backslash at `at` begins; returns its size. */
static uint32_t put_escaped(cli_buffer *out, gsp_str text, uint32_t at)
{
    static const char letters[] = "nrtbf";
    static const char values[] = "\n\r\t\b\f";
    uint32_t code = code_at(text, at);
    uint32_t const low = code >= 0xD800u && code < 0xDC00u ? code_at(text, at + 6u) : 0u;
    const char *letter;
    if (low >= 0xDC00u && low < 0xE000u) {
        put_code(out, 0x10000u + ((code - 0xD800u) << 10u) + (low - 0xDC00u));
        return 12u;
    }
    if (code != 0) {
        put_code(out, code);
        return 6u;
    }
    letter = at + 1u < text.size && text.data[at + 1u] != '\0' ? strchr(letters, text.data[at + 1u])
                                                               : NULL;
    cli_put(out, letter != NULL ? &values[letter - letters] : text.data + at + 1u,
        at + 1u < text.size ? 1u : 0u);
    return 2u;
}

gsp_str cli_json_plain(cli_json_in *r)
{
    gsp_str text = cli_json_text(r);
    cli_buffer out;
    uint32_t at = 0;
    if (text.size == 0 || memchr(text.data, '\\', text.size) == NULL) {
        return text;
    }
    cli_buffer_init(&out, r->session);
    while (at < text.size) {
        if (text.data[at] == '\\') {
            at += put_escaped(&out, text, at);
        } else {
            cli_put(&out, text.data + at++, 1u);
        }
    }
    text.data = out.data;
    text.size = (uint32_t)out.size;
    return text;
}

gsp_str cli_json_key(cli_json_in *r)
{
    gsp_str const key = cli_json_text(r);
    cli_json_expect(r, ':', "expected a colon behind the key");
    return key;
}

gsp_str cli_json_word(cli_json_in *r)
{
    gsp_str s;
    (void)cli_json_peek(r);
    s.data = r->text.data + r->at;
    while (r->at < r->text.size && strchr(" \t\r\n,:[]{}\"", r->text.data[r->at]) == NULL) {
        r->at++;
    }
    s.size = (uint32_t)(r->text.data + r->at - s.data);
    return s;
}

double cli_json_number(cli_json_in *r)
{
    uint32_t begin;
    double value = 0.0;
    gsp_str word;
    (void)cli_json_peek(r);
    begin = r->at;
    word = cli_json_word(r);
    if (!gsp_str_decimal(word, &value) || !(value >= 0.0) || value > 1e18) {
        cli_json_fail(r, begin, "expected a number from 0 to 10^18");
        return 0.0;
    }
    return value;
}

void cli_json_skip(cli_json_in *r)
{
    uint32_t depth = 0;
    do {
        char const c = cli_json_peek(r);
        if (c == '"') {
            (void)cli_json_text(r);
        } else if (c == '{' || c == '[') {
            depth++;
            r->at++;
        } else if (depth > 0 && c != '\0' && strchr("}],:", c) != NULL) {
            depth -= c == '}' || c == ']' ? 1u : 0u;
            r->at++;
        } else if (cli_json_word(r).size == 0) {
            cli_json_fail(r, r->at, "expected a value");
        }
    } while (depth > 0 && r->code == CLI_EXIT_OK);
}

int cli_json_is(gsp_str key, const char *name)
{
    return gsp_str_equal(key, gsp_str_of(name));
}
