/* The parts of the report about operators and cuts. */
#ifndef CLI_COMMANDS_SPLIT_PEOPLE_OPERATORS_H
#define CLI_COMMANDS_SPLIT_PEOPLE_OPERATORS_H

#include "commands/split/facts.h"

void split_put_operators(const split *p, const split_facts *f, cli_buffer *out);
void split_put_cuts(const split *p, const split_facts *f, cli_buffer *out);

#endif
