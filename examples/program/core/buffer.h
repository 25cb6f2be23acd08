/* Output: a growing buffer of bytes, styles, and figures for people. */
#ifndef CLI_CORE_BUFFER_H
#define CLI_CORE_BUFFER_H

#include "core/session.h"

#include <stdarg.h>

typedef enum cli_style {
    CLI_PLAIN,
    CLI_BOLD,
    CLI_DIM,
    CLI_RED,
    CLI_GREEN,
    CLI_YELLOW,
    CLI_BLUE,
    CLI_MAGENTA,
    CLI_CYAN
} cli_style;

void cli_buffer_init(cli_buffer *b, cli_session *s);
void cli_put(cli_buffer *b, const char *data, size_t size);
void cli_puts(cli_buffer *b, const char *text);
void cli_put_text(cli_buffer *b, gsp_str text);
void cli_printf(cli_buffer *b, const char *format, ...) CLI_PRINTF(2, 3);
void cli_vprintf(cli_buffer *b, const char *format, va_list list) CLI_PRINTF(2, 0);

/* cli_sink: a gsp_sink into a cli_buffer. */
int cli_sink(void *buffer, const char *data, size_t size);

/* cli_put_style: begins a style; CLI_PLAIN ends it. Nothing without colour. */
void cli_put_style(cli_buffer *b, cli_style style);

/* cli_put_styled: a line in a style, clean. */
void cli_put_styled(cli_buffer *b, cli_style style, const char *text);

/* cli_utf8_size: bytes of the UTF-8 character at `at`; 0: none, or an invalid one. */
size_t cli_utf8_size(const unsigned char *at, size_t left);

/* cli_is_control: the UTF-8 character of so many bytes is a control character, C0, DEL or C1. */
int cli_is_control(const unsigned char *at, size_t size);

/* cli_clean: a line for people, in place: control characters, which terminals obey, and bytes that
 * are not UTF-8 become '?'. Returns the new size. */
size_t cli_clean(char *text, size_t size);

/* cli_put_clean: a line, clean. */
void cli_put_clean(cli_buffer *b, gsp_str text);

/* cli_put_clipped: the same, at most `width` characters. */
void cli_put_clipped(cli_buffer *b, gsp_str text, size_t width);

/* cli_tell: lines on standard error, clean; changes the buffer. */
void cli_tell(cli_buffer *b);

/* cli_put_bytes: "1.5 KiB", to the nearest tenth. */
void cli_put_bytes(cli_buffer *b, uint64_t bytes);

/* cli_put_need: the same rounded upward, for peaks and needs: that much memory is enough. */
void cli_put_need(cli_buffer *b, uint64_t bytes);

/* cli_put_seconds: "1.25 ms", "29 h 17 min". */
void cli_put_seconds(cli_buffer *b, double seconds);

/* cli_put_percent: "93.4 %" of a whole; "100 %" of nothing. Rounding never makes less than all 100
 * %. */
void cli_put_percent(cli_buffer *b, uint64_t part, uint64_t whole);

/* cli_plural: "s" unless there is exactly one. */
const char *cli_plural(uint64_t count);

#endif
