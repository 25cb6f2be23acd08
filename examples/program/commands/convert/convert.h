/* The command `convert`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_CONVERT_CONVERT_H
#define CLI_COMMANDS_CONVERT_CONVERT_H

#include "core/core.h"

/* ==== convert ====
 * The command `convert`. */

extern const cli_pass cli_convert_pass;

#endif
