/* Whole files: reading, and writing. */
#ifndef CLI_CORE_FILE_H
#define CLI_CORE_FILE_H

#include "core/session.h"

/* cli_is_file: the path can be opened. */
int cli_is_file(const char *path);

/* cli_file_read: a text with a NUL after it, "-" for standard input. Stops where the text is no
 * text. */
int cli_file_read(cli_session *s, const char *path, char **data, size_t *size);

/* cli_binary_read: the same for all bytes of a file. */
int cli_binary_read(cli_session *s, const char *path, char **data, size_t *size);

/* cli_write_file: writes a whole file. A failure is reported and leaves no file. Returns an exit
 * status. */
int cli_write_file(cli_session *s, const char *path, const cli_buffer *content);

#endif
