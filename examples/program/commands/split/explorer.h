/* --model-explorer: the graph for Model Explorer. */
#ifndef CLI_COMMANDS_SPLIT_EXPLORER_H
#define CLI_COMMANDS_SPLIT_EXPLORER_H

#include "commands/split/facts.h"

void split_model_explorer(const split *p, cli_buffer *out);

#endif
