/* The program: commands by name. */
#ifndef CLI_COMMANDS_COMMANDS_H
#define CLI_COMMANDS_COMMANDS_H

#include "core/core.h"

int cli_main(const cli_front *front, int argc, char **argv);

#endif
