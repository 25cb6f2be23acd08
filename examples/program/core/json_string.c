/* Strings in JSON. */
#include "core/core.h"

static void put_escaped(cli_buffer *b, const char *at, size_t size)
{
    unsigned char c = (unsigned char)at[0];
    if (c == '"' || c == '\\') {
        cli_printf(b, "\\%c", c);
    } else if (c == '\n') {
        cli_puts(b, "\\n");
    } else if (c == '\t') {
        cli_puts(b, "\\t");
    } else if (size == 0 || cli_is_control((const unsigned char *)at, size)) {
        cli_printf(b, "\\u%04x", size == 2u ? (unsigned char)at[1] : c);
    } else {
        cli_put(b, at, size);
    }
}

int cli_json_escape_sink(void *buffer, const char *data, size_t size)
{
    size_t i = 0;
    while (i < size) {
        size_t step = cli_utf8_size((const unsigned char *)data + i, size - i);
        put_escaped((cli_buffer *)buffer, data + i, step);
        i += step != 0 ? step : 1u;
    }
    return 0;
}

void cli_json_string(cli_buffer *b, gsp_str text)
{
    cli_puts(b, "\"");
    cli_json_escape_sink(b, text.data, text.size);
    cli_puts(b, "\"");
}
