/* Operators to support next, in the outputs of `split`. */
#ifndef CLI_COMMANDS_SPLIT_SHOW_REWRITE_H
#define CLI_COMMANDS_SPLIT_SHOW_REWRITE_H

#include "commands/split/facts.h"

void split_put_rewrite(const split *p, const split_facts *f, cli_buffer *out);

/* split_porcelain_rewrite, split_json_rewrite: with --rewrite-to. */
void split_porcelain_rewrite(const split *p, cli_buffer *out);
void split_json_rewrite(const split *p, const split_facts *f, cli_buffer *out);

#endif
