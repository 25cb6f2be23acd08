/* The JSON of `partition`. */
#ifndef CLI_COMMANDS_PARTITION_JSON_H
#define CLI_COMMANDS_PARTITION_JSON_H

#include "commands/partition/facts.h"

void partition_json(const partition *p, cli_buffer *out);

#endif
