/* --emit of `split`: one file per submodule, and a manifest. */
#ifndef CLI_COMMANDS_SPLIT_EMIT_H
#define CLI_COMMANDS_SPLIT_EMIT_H

#include "commands/split/facts.h"

int split_emit(const split *p);

#endif
