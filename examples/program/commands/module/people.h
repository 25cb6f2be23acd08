/* The report of `module` for people. */
#ifndef CLI_COMMANDS_MODULE_PEOPLE_H
#define CLI_COMMANDS_MODULE_PEOPLE_H

#include "commands/module/facts.h"

void module_people(const module_work *w, cli_buffer *out);

#endif
