/* Errors of the library as sentences. */
#ifndef CLI_COMMANDS_PARTITION_REFUSE_H
#define CLI_COMMANDS_PARTITION_REFUSE_H

#include "commands/partition/facts.h"

int partition_refuse(partition *p, const gsp_error *err);

#endif
