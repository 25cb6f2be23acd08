/* The JSON of `preview`. */
#ifndef CLI_COMMANDS_PREVIEW_JSON_H
#define CLI_COMMANDS_PREVIEW_JSON_H

#include "commands/preview/facts.h"

void preview_json(const preview *w, cli_buffer *out);

#endif
