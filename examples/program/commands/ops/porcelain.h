/* Coverage by operator lists for programs. */
#ifndef CLI_COMMANDS_OPS_PORCELAIN_H
#define CLI_COMMANDS_OPS_PORCELAIN_H

#include "commands/ops/cover.h"

/* ops_porcelain_covers: a line `cover` per list. */
void ops_porcelain_covers(const ops_covers *c, cli_buffer *out);

#endif
