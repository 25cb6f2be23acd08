/* The porcelain of `preview`. */
#ifndef CLI_COMMANDS_PREVIEW_PORCELAIN_H
#define CLI_COMMANDS_PREVIEW_PORCELAIN_H

#include "commands/preview/facts.h"

void preview_porcelain(const preview *w, cli_buffer *out);

#endif
