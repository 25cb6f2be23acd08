/* Output: a growing buffer of bytes, styles, and figures for people. */
#include "core/core.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CLI_STREAMED ((size_t)1 << 18)

void cli_buffer_init(cli_buffer *b, cli_session *s)
{
    memset(b, 0, sizeof *b);
    b->session = s;
}

static void reserve(cli_buffer *b, size_t more)
{
    size_t room = b->room != 0 ? b->room : 256u;
    if (more <= b->room - b->size) {
        return;
    }
    while (room - b->size < more) {
        room = room <= SIZE_MAX / 2u ? room * 2u : SIZE_MAX;
    }
    b->data = (char *)cli_grow(b->session, b->data, room);
    b->room = room;
}

void cli_put(cli_buffer *b, const char *data, size_t size)
{
    reserve(b, size);
    if (size != 0) {
        memcpy(b->data + b->size, data, size);
    }
    b->size += size;
}

void cli_puts(cli_buffer *b, const char *text)
{
    cli_put(b, text, strlen(text));
}

void cli_put_text(cli_buffer *b, gsp_str text)
{
    cli_put(b, text.data, text.size);
}

void cli_vprintf(cli_buffer *b, const char *format, va_list list)
{
    va_list again;
    int size;
    va_copy(again, list);
    size = vsnprintf(NULL, 0, format, list);
    if (size > 0) {
        reserve(b, (size_t)size + 1u);
        (void)vsnprintf(b->data + b->size, (size_t)size + 1u, format, again);
        b->size += (size_t)size;
    }
    va_end(again);
}

void cli_printf(cli_buffer *b, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    cli_vprintf(b, format, list);
    va_end(list);
}

int cli_sink(void *buffer, const char *data, size_t size)
{
    cli_put((cli_buffer *)buffer, data, size);
    return 0;
}

int cli_out_write(cli_session *s)
{
    errno = 0;
    if (s->out.size != 0 && fwrite(s->out.data, 1u, s->out.size, stdout) != s->out.size &&
        s->out_failed == 0) {
        s->out_failed = errno;
    }
    s->out.size = 0;
    return s->out_failed;
}

int cli_stream(void *session, const char *data, size_t size)
{
    cli_session *s = (cli_session *)session;
    cli_put(&s->out, data, size);
    if (s->out.size < CLI_STREAMED) {
        return 0;
    }
    cli_progress_end(s);
    return cli_out_write(s);
}

void cli_put_style(cli_buffer *b, cli_style style)
{
    static const char *const codes[] = {"0", "1", "2", "31", "32", "33", "34", "35", "36"};
    if (b->colour) {
        cli_printf(b, "\033[%sm", codes[style]);
    }
}

void cli_put_styled(cli_buffer *b, cli_style style, const char *text)
{
    cli_put_style(b, style);
    cli_put_clean(b, gsp_str_of(text));
    cli_put_style(b, CLI_PLAIN);
}

size_t cli_utf8_size(const unsigned char *at, size_t left)
{
    size_t size = at[0] < 0x80u   ? 1u
                  : at[0] < 0xC2u ? 0u
                  : at[0] < 0xE0u ? 2u
                  : at[0] < 0xF0u ? 3u
                                  : 4u;
    size_t i;
    if (size == 0 || size > left || at[0] > 0xF4u) {
        return 0;
    }
    for (i = 1; i < size; i++) {
        if ((at[i] & 0xC0u) != 0x80u) {
            return 0;
        }
    }
    if ((at[0] == 0xE0u && at[1] < 0xA0u) || (at[0] == 0xEDu && at[1] > 0x9Fu) ||
        (at[0] == 0xF0u && at[1] < 0x90u) || (at[0] == 0xF4u && at[1] > 0x8Fu)) {
        return 0;
    }
    return size;
}

int cli_is_control(const unsigned char *at, size_t size)
{
    return *at < 0x20u || *at == 0x7Fu || (size == 2u && at[0] == 0xC2u && at[1] < 0xA0u);
}

size_t cli_clean(char *text, size_t size)
{
    size_t kept = 0;
    size_t i = 0;
    while (i < size) {
        const unsigned char *at = (const unsigned char *)text + i;
        size_t step = cli_utf8_size(at, size - i);
        if (step == 0 || cli_is_control(at, step)) {
            text[kept++] = '?';
        } else {
            memmove(text + kept, text + i, step);
            kept += step;
        }
        i += step != 0 ? step : 1u;
    }
    return kept;
}

/* Octal escapes end after three digits, and \? is never part of a trigraph. */
void cli_put_c_string(cli_buffer *out, gsp_str text)
{
    uint32_t i;
    cli_puts(out, "\"");
    for (i = 0; i < text.size; i++) {
        unsigned char const c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\' || c == '?') {
            cli_printf(out, "\\%c", c);
        } else if (c < 0x20u || c > 0x7eu) {
            cli_printf(out, "\\%03o", (unsigned)c);
        } else {
            cli_printf(out, "%c", c);
        }
    }
    cli_puts(out, "\"");
}

void cli_put_clean(cli_buffer *b, gsp_str text)
{
    while (text.size != 0) {
        const char *end = (const char *)memchr(text.data, '\n', text.size);
        uint32_t const size = end != NULL ? (uint32_t)(end - text.data) : text.size;
        uint32_t const step = end != NULL ? size + 1u : size;
        size_t const begin = b->size;
        cli_put(b, text.data, size);
        b->size = begin + (size != 0 ? cli_clean(b->data + begin, size) : 0u);
        cli_puts(b, end != NULL ? "\\n" : "");
        text.data += step;
        text.size -= step;
    }
}

const char *cli_shown(cli_session *s, const char *path)
{
    cli_buffer b;
    cli_buffer_init(&b, s);
    cli_put_clean(&b, gsp_str_of(strcmp(path, "-") == 0 ? "standard input" : path));
    cli_put(&b, "", 1u);
    return b.data;
}

void cli_tell(cli_buffer *b)
{
    size_t begin = 0;
    while (begin < b->size) {
        const char *end = (const char *)memchr(b->data + begin, '\n', b->size - begin);
        size_t size = end != NULL ? (size_t)(end - b->data) - begin : b->size - begin;
        fwrite(b->data + begin, 1u, cli_clean(b->data + begin, size), stderr);
        if (end != NULL) {
            fputc('\n', stderr);
        }
        begin += size + 1u;
    }
}

void cli_put_clipped(cli_buffer *b, gsp_str text, size_t width)
{
    size_t characters = 0;
    size_t cut = b->size;
    uint32_t i = 0;
    while (i < text.size) {
        const unsigned char *at = (const unsigned char *)text.data + i;
        size_t size = cli_utf8_size(at, text.size - i);
        if (size == 0 || cli_is_control(at, size)) {
            cli_puts(b, "?");
        } else {
            cli_put(b, text.data + i, size);
        }
        i += size != 0 ? (uint32_t)size : 1u;
        if (++characters == width - 3u) {
            cut = b->size;
        } else if (characters == width && i < text.size) {
            b->size = cut;
            cli_puts(b, "...");
            return;
        }
    }
}

/* bytes * scale / unit, where scale is 1 or 10: upward, or to the nearest. */
static uint64_t in_units(uint64_t bytes, uint64_t unit, unsigned scale, int up)
{
    uint64_t add = up ? unit - 1u : unit / 2u;
    return bytes / unit * scale + (bytes % unit * scale + add) / unit;
}

static void put_rounded(cli_buffer *b, uint64_t bytes, int up)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    uint64_t unit = 1024u;
    uint64_t tenths;
    size_t i = 0;
    if (bytes < 1024u) {
        cli_printf(b, "%" PRIu64 " B", bytes);
        return;
    }
    while (i + 1u < CLI_COUNT(units) && in_units(bytes, unit, 1u, up) >= 1000u) {
        unit *= 1024u;
        i++;
    }
    tenths = in_units(bytes, unit, 10u, up);
    if (tenths >= 1000u) {
        cli_printf(b, "%" PRIu64 " %s", in_units(bytes, unit, 1u, up), units[i]);
    } else {
        cli_printf(b, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10u, tenths % 10u, units[i]);
    }
}

void cli_put_bytes(cli_buffer *b, uint64_t bytes)
{
    put_rounded(b, bytes, 0);
}

void cli_put_need(cli_buffer *b, uint64_t bytes)
{
    put_rounded(b, bytes, 1);
}

/* Ten minutes or more, in two units: 29 h 17 min. */
static void put_long(cli_buffer *out, double seconds)
{
    int hours = seconds >= 3599.5;
    uint64_t count;
    if (!(seconds < 1e15)) {
        cli_printf(out, "%.4g h", seconds / 3600.0);
        return;
    }
    count = cli_whole(seconds / (hours ? 60.0 : 1.0) + 0.5);
    cli_printf(out, hours ? "%" PRIu64 " h %" PRIu64 " min" : "%" PRIu64 " min %" PRIu64 " s",
        count / 60u, count % 60u);
}

void cli_put_seconds(cli_buffer *out, double seconds)
{
    static const char *const units[] = {"s", "ms", "us", "ns"};
    size_t i = 0;
    if (seconds >= 600.0) {
        put_long(out, seconds);
        return;
    }
    while (i + 1u < CLI_COUNT(units) && seconds > 0.0 && seconds < 0.99995) { /* not "1000 ms" */
        seconds *= 1000.0;
        i++;
    }
    cli_printf(out, seconds > 0.0 ? "%.4g %s" : "%g %s", seconds, seconds > 0.0 ? units[i] : "s");
}

/* part * 1000 / whole within 64 bits, rounded to the nearest, but 1000 only if all of the whole is
 * there; a part above the whole gives more than 1000. */
static uint64_t per_mille(uint64_t part, uint64_t whole)
{
    uint64_t tenths;
    int more = part > whole;
    while (part > UINT64_MAX / 2000u) {
        part /= 2u;
        whole /= 2u;
    }
    whole = whole != 0 ? whole : 1u;
    tenths = (part * 2000u / whole + 1u) / 2u;
    return tenths < 1000u || more ? tenths : 999u;
}

void cli_put_percent(cli_buffer *b, uint64_t part, uint64_t whole)
{
    uint64_t tenths;
    if (part == whole || whole == 0) {
        cli_puts(b, "100 %");
        return;
    }
    tenths = per_mille(part, whole);
    if (tenths == 0 && part != 0) {
        cli_puts(b, "< 0.1 %");
        return;
    }
    cli_printf(b, "%" PRIu64 ".%" PRIu64 " %%", tenths / 10u, tenths % 10u);
}

const char *cli_plural(uint64_t count)
{
    return count == 1u ? "" : "s";
}
