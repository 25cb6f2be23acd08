/* The JSON of `pipe`. */
#ifndef CLI_COMMANDS_PIPE_JSON_H
#define CLI_COMMANDS_PIPE_JSON_H

#include "commands/pipe/facts.h"

void pipe_json(const pipe *p, cli_buffer *out);

#endif
