/* Files of other formats, by their bytes or names. */
#ifndef CLI_INPUT_FOREIGN_H
#define CLI_INPUT_FOREIGN_H

#include "core/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* cli_foreign: an error that says what a file is and what to do, if it is in a format that others
 * use and this reader does not take. Returns CLI_EXIT_FAILED; CLI_EXIT_OK: it is in none. */
int cli_foreign(cli_session *s, const char *path, const char *data, size_t size);

#ifdef __cplusplus
}
#endif
#endif
