/* --emit of `partition`. */
#ifndef CLI_COMMANDS_PARTITION_EMIT_H
#define CLI_COMMANDS_PARTITION_EMIT_H

#include "commands/partition/facts.h"

int partition_emit(const partition *p);

#endif
