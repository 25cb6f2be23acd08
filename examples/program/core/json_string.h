/* Strings in JSON. */
#ifndef CLI_CORE_JSON_STRING_H
#define CLI_CORE_JSON_STRING_H

#include "core/session.h"

/* cli_json_string: a quoted string; bytes that are not UTF-8 are taken as Latin-1. */
void cli_json_string(cli_buffer *b, gsp_str text);

/* cli_json_escape_sink: a gsp_sink that writes into the inside of a JSON string. */
int cli_json_escape_sink(void *buffer, const char *data, size_t size);

#endif
