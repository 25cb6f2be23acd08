/* Lists of words, on the command line or in files. */
#ifndef CLI_INPUT_LIST_H
#define CLI_INPUT_LIST_H

#include "core/session.h"

/* cli_list_spec: the text behind a SPEC, which is `NAME,NAME` or `@FILE`; sets `*path` for a
 * file. */
int cli_list_spec(cli_session *s, const char *spec, gsp_str *text, const char **path);

/* cli_list_next: the next word from `*at`. Blanks and commas end a word; a comment extends to the
 * end of its line. Empty: no more words. */
gsp_str cli_list_next(gsp_str list, uint32_t *at);

/* cli_integer: a decimal with or without a sign; 0: it is none, or does not fit into 64 bits. */
int cli_integer(gsp_str text, int64_t *number);

#endif
