/* Lists and numbers among the options of `pipe`. */
#ifndef CLI_COMMANDS_PIPE_WORDS_H
#define CLI_COMMANDS_PIPE_WORDS_H

#include "graphsplit.h"

/* pipe_list_item: the next item of a list at commas, from *at; empty: there is none. */
gsp_str pipe_list_item(gsp_str list, uint32_t *at);

/* pipe_integer: 1 for a decimal with or without a sign; *value is -1 for one below 0. */
int pipe_integer(gsp_str text, int64_t *value);

#endif
