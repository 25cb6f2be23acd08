/* The JSON of `module`. */
#ifndef CLI_COMMANDS_MODULE_JSON_H
#define CLI_COMMANDS_MODULE_JSON_H

#include "commands/module/facts.h"

void module_json(const module_work *w, cli_buffer *out);

#endif
