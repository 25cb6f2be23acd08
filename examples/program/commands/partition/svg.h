/* --svg of `partition`: when each partition runs. */
#ifndef CLI_COMMANDS_PARTITION_SVG_H
#define CLI_COMMANDS_PARTITION_SVG_H

#include "commands/partition/facts.h"

void partition_svg(const partition *p, cli_buffer *out);

#endif
