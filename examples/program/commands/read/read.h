/* The command `read`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_READ_READ_H
#define CLI_COMMANDS_READ_READ_H

#include "core/core.h"

/* ==== read ====
 * The command `read`. */

extern const cli_pass cli_read_pass;

#endif
