/* --emit of `dedup`. */
#ifndef CLI_COMMANDS_DEDUP_EMIT_H
#define CLI_COMMANDS_DEDUP_EMIT_H

#include "commands/dedup/facts.h"

int dedup_emit(const dedup *p); /* Returns an exit status. */

#endif
