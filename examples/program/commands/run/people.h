/* The report of `run` for people. */
#ifndef CLI_COMMANDS_RUN_PEOPLE_H
#define CLI_COMMANDS_RUN_PEOPLE_H

#include "commands/run/facts.h"

void run_people(const run_work *w, cli_buffer *out);

#endif
