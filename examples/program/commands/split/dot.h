/* --dot, --dot-support, --dot-module: drawings for Graphviz. */
#ifndef CLI_COMMANDS_SPLIT_DOT_H
#define CLI_COMMANDS_SPLIT_DOT_H

#include "commands/split/facts.h"

void split_dot(const split *p, cli_buffer *out);
void split_dot_support(const split *p, cli_buffer *out);
int split_dot_module(const split *p, cli_buffer *out);

#endif
