/* Whole files: reading, and writing. */
#ifndef CLI_CORE_FILE_H
#define CLI_CORE_FILE_H

#include "core/session.h"

/* cli_is_file: it can be opened. */
int cli_is_file(const char *path);

/* cli_file_read: a text, "-" for standard input, with a NUL behind it; as far as a text can go. */
int cli_file_read(cli_session *s, const char *path, char **data, size_t *size);

/* cli_binary_read: all bytes of a file, likewise. */
int cli_binary_read(cli_session *s, const char *path, char **data, size_t *size);

/* cli_write_file: a whole file; a failure is told and leaves none. Returns an exit status. */
int cli_write_file(cli_session *s, const char *path, const cli_buffer *content);

#endif
