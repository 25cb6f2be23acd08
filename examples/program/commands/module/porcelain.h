/* The porcelain of `module`. */
#ifndef CLI_COMMANDS_MODULE_PORCELAIN_H
#define CLI_COMMANDS_MODULE_PORCELAIN_H

#include "commands/module/facts.h"

void module_porcelain(const module_work *w, cli_buffer *out);

#endif
