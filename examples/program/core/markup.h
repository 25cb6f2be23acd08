/* Texts in XML (SVG) and in DOT. */
#ifndef CLI_CORE_MARKUP_H
#define CLI_CORE_MARKUP_H

#include "core/session.h"

/* cli_xml_text: a text or an attribute, at most `width` characters, clean. */
void cli_xml_text(cli_buffer *b, gsp_str text, size_t width);

/* cli_dot_text: the inside of a quoted label, clean. */
void cli_dot_text(cli_buffer *b, gsp_str text);

#endif
