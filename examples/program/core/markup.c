/* Texts in XML (SVG) and in DOT. */
#include "core/core.h"

void cli_xml_text(cli_buffer *b, gsp_str text, size_t width)
{
    cli_buffer clipped;
    size_t i;
    cli_buffer_init(&clipped, b->session);
    cli_put_clipped(&clipped, text, width);
    for (i = 0; i < clipped.size; i++) {
        char c = clipped.data[i];
        if (c == '&') {
            cli_puts(b, "&amp;");
        } else if (c == '<' || c == '>') {
            cli_puts(b, c == '<' ? "&lt;" : "&gt;");
        } else if (c == '"') {
            cli_puts(b, "&quot;");
        } else {
            cli_put(b, &c, 1u);
        }
    }
    cli_release(b->session, clipped.data);
}

void cli_dot_text(cli_buffer *b, gsp_str text)
{
    cli_buffer clean;
    size_t i;
    cli_buffer_init(&clean, b->session);
    cli_put_clean(&clean, text);
    for (i = 0; i < clean.size; i++) {
        cli_puts(b, clean.data[i] == '"' || clean.data[i] == '\\' ? "\\" : "");
        cli_put(b, clean.data + i, 1u);
    }
    cli_release(b->session, clean.data);
}
