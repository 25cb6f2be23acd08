/* The report of `dedup` for people. */
#ifndef CLI_COMMANDS_DEDUP_PEOPLE_H
#define CLI_COMMANDS_DEDUP_PEOPLE_H

#include "commands/dedup/facts.h"

void dedup_people(const dedup *p, cli_buffer *out);

#endif
