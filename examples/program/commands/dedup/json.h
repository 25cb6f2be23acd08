/* The JSON of `dedup`. */
#ifndef CLI_COMMANDS_DEDUP_JSON_H
#define CLI_COMMANDS_DEDUP_JSON_H

#include "commands/dedup/facts.h"

void dedup_json(const dedup *p, cli_buffer *out);

#endif
