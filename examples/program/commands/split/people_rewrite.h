/* The report on operators to support next. */
#ifndef CLI_COMMANDS_SPLIT_PEOPLE_REWRITE_H
#define CLI_COMMANDS_SPLIT_PEOPLE_REWRITE_H

#include "commands/split/facts.h"

void split_put_rewrite(const split *p, const split_facts *f, cli_buffer *out);

#endif
