/* Formats of partitioners by content, for files without an ending. */
#include "input/input.h"

#include <string.h>

#ifndef CLI_NO_STDIN /* the page of the browser has only files with names */

typedef struct figures {
    uint64_t head[3]; /* of the first line */
    uint32_t n_head;  /* its numbers, 4 where there are more */
    uint64_t lines;   /* after it, without those that are blank or comments */
    uint64_t blank;
    uint64_t words;
    int pairs; /* each of these lines has two numbers */
} figures;

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static int begins(gsp_str text, const char *word)
{
    size_t const n = strlen(word);
    return text.size > n && memcmp(text.data, word, n) == 0;
}

/* The numbers of a line, the first three into `head`; 0 where something else stands there. */
static uint32_t count_numbers(gsp_str line, uint64_t head[3])
{
    uint32_t n = 0;
    uint32_t i = 0;
    while (i < line.size) {
        gsp_str word = {line.data + i, 0};
        uint64_t number;
        while (i + word.size < line.size && !is_blank(word.data[word.size])) {
            word.size++;
        }
        if (word.size != 0 && !gsp_str_number(word, &number)) {
            return 0;
        }
        if (word.size != 0 && n++ < 3u) {
            head[n - 1u] = number;
        }
        i += word.size + 1u;
    }
    return n;
}

/* False where a line holds anything but numbers. */
static int measure(gsp_str text, figures *f)
{
    uint32_t at = 0;
    memset(f, 0, sizeof *f);
    f->pairs = 1;
    while (at < text.size) {
        const char *begin = text.data + at;
        const char *end = (const char *)memchr(begin, '\n', text.size - at);
        gsp_str line = {begin, end != NULL ? (uint32_t)(end - begin) : text.size - at};
        uint64_t ignored[3];
        uint32_t n;
        at += line.size + 1u;
        while (line.size != 0 && is_blank(line.data[line.size - 1u])) {
            line.size--;
        }
        if (line.size != 0 && line.data[0] == '%') {
            continue;
        }
        n = count_numbers(line, f->n_head == 0 ? f->head : ignored);
        if (n == 0 && line.size != 0) {
            return 0;
        }
        if (f->n_head == 0) {
            f->n_head = n < 4u ? n : 4u;
        } else {
            f->lines += n != 0;
            f->blank += n == 0;
            f->words += n;
            f->pairs = f->pairs && (n == 0 || n == 2u);
        }
    }
    return f->n_head != 0;
}

static cli_net_kind kind_of(const figures *f)
{
    int const three = f->n_head == 3u;
    uint64_t const nets = f->head[0] + (three && f->head[2] / 10u == 1u ? f->head[1] : 0u);
    int const is[CLI_NET_COUNT] = {
        0,
        f->lines + f->blank == f->head[0] &&
            (f->n_head != 2u || f->words == 2u * f->head[1]), /* METIS: a line per node */
        f->lines == nets && (f->n_head == 2u || (three && f->head[2] <= 11u)),
        0,
        0,
        three && f->lines == f->head[0] + f->head[1] + f->head[2],
        f->n_head == 2u && f->lines == f->head[1] && f->pairs,
    };
    cli_net_kind found = CLI_NET_COUNT;
    uint32_t i;
    if (is[CLI_NET_METIS] && f->n_head == 2u && !f->pairs) { /* both sums are right */
        return CLI_NET_METIS;
    }
    for (i = 0; i < (uint32_t)CLI_NET_COUNT; i++) {
        if (is[i]) {
            if (found != CLI_NET_COUNT) {
                return CLI_NET_FX;
            }
            found = (cli_net_kind)i;
        }
    }
    return found;
}

cli_net_kind cli_net_guess(const char *data, size_t size)
{
    gsp_str text = {data, size <= UINT32_MAX ? (uint32_t)size : 0u};
    figures f;
    while (text.size != 0 && (is_blank(text.data[0]) || text.data[0] == '\n')) {
        text.data++;
        text.size--;
    }
    if (begins(text, "digraph") || begins(text, "strict") || begins(text, "graph ") ||
        begins(text, "graph{")) {
        return CLI_NET_DOT;
    }
    return measure(text, &f) ? kind_of(&f) : CLI_NET_COUNT;
}

#endif
