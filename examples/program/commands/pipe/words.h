/* Lists and numbers among the options of `pipe`. */
#ifndef CLI_COMMANDS_PIPE_WORDS_H
#define CLI_COMMANDS_PIPE_WORDS_H

#include "graphsplit.h"

/* pipe_list_item: the next item of a list separated by commas, from *at; empty: no more items. */
gsp_str pipe_list_item(gsp_str list, uint32_t *at);

/* pipe_integer: 1 for a decimal with or without a sign; *value is -1 if it is negative, and
 * UINT32_MAX if it is larger. */
int pipe_integer(gsp_str text, int64_t *value);

#endif
