/* The report of `diff` for people. */
#ifndef CLI_COMMANDS_DIFF_PEOPLE_H
#define CLI_COMMANDS_DIFF_PEOPLE_H

#include "commands/diff/facts.h"

void diff_people(const diff *d, cli_buffer *out);

#endif
