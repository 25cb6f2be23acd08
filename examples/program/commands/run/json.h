/* The JSON of `run`. */
#ifndef CLI_COMMANDS_RUN_JSON_H
#define CLI_COMMANDS_RUN_JSON_H

#include "commands/run/facts.h"

void run_json(const run_work *w, cli_buffer *out);

#endif
