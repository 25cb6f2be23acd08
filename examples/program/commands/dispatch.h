/* The program: commands by name. */
#ifndef CLI_COMMANDS_DISPATCH_H
#define CLI_COMMANDS_DISPATCH_H

#include "core/format.h"

int cli_main(const cli_front *front, int argc, char **argv);

#endif
