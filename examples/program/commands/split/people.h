/* The report of `split` for people. */
#ifndef CLI_COMMANDS_SPLIT_PEOPLE_H
#define CLI_COMMANDS_SPLIT_PEOPLE_H

#include "commands/split/facts.h"

void split_people(const split *p, cli_buffer *out);

#endif
