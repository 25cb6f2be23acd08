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

int cli_json_take(cli_json_in *r, char c)
{
    int const found = cli_json_peek(r) == c && c != '\0';
    r->at += found ? 1u : 0u;
    return found;
}

void cli_json_expect(cli_json_in *r, char c, const char *what)
{
    if (!cli_json_take(r, c)) {
        cli_json_fail(r, r->at, what);
    }
}

int cli_json_next(cli_json_in *r, int *begun, char close)
{
    if (r->code != CLI_EXIT_OK || cli_json_take(r, close)) {
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

gsp_str cli_json_key(cli_json_in *r)
{
    gsp_str const key = cli_json_text(r);
    cli_json_expect(r, ':', "expected a colon behind the key");
    return key;
}

/* A word or number. */
static gsp_str read_word(cli_json_in *r)
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
    word = read_word(r);
    if (!gsp_str_decimal(word, &value) || !(value >= 0.0) || value > 1e18) {
        cli_json_fail(r, begin, "expected a number from 0 to 10^18");
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
        } else if (read_word(r).size == 0) {
            cli_json_fail(r, r->at, "expected a value");
        }
    } while (depth > 0 && r->code == CLI_EXIT_OK);
}

int cli_json_is(gsp_str key, const char *name)
{
    return gsp_str_equal(key, gsp_str_of(name));
}
