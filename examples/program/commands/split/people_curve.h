/* The part of the report about minimum sizes. */
#ifndef CLI_COMMANDS_SPLIT_PEOPLE_CURVE_H
#define CLI_COMMANDS_SPLIT_PEOPLE_CURVE_H

#include "commands/split/facts.h"

void split_put_curve(const split *p, cli_buffer *out);

#endif
