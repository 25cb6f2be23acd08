/* Whole files: reading, and writing. */
#ifndef CLI_CORE_FILE_H
#define CLI_CORE_FILE_H

#include "core/session.h"

/* cli_is_file: the path can be opened. */
int cli_is_file(const char *path);

/* cli_add_input: a file that is read, so that nothing writes or removes it. */
void cli_add_input(cli_session *s, const char *path);

/* cli_add_written: a file that an option has written, so that no other does. */
void cli_add_written(cli_session *s, const char *path);

/* cli_is_taken: "the input", "an input", or that another option has written it, if the path leads
 * to such a file; otherwise NULL. */
const char *cli_is_taken(const cli_session *s, const char *path);

/* cli_file_read: a text with a NUL after it, "-" for standard input. Stops where the text is no
 * text. Adds the file to the inputs. */
int cli_file_read(cli_session *s, const char *path, char **data, size_t *size);

/* cli_binary_read: all bytes of a file, which it does not add to the inputs. */
int cli_binary_read(cli_session *s, const char *path, char **data, size_t *size);

/* cli_write_new: writes a file that nobody reads yet. A failure is reported and leaves no file.
 * Returns an exit status. */
int cli_write_new(cli_session *s, const char *path, const cli_buffer *content);

/* cli_write_file: writes a whole file, but not onto one that is taken. The old file stands until
 * the new one is complete. A failure is reported. Returns an exit status. */
int cli_write_file(cli_session *s, const char *path, const cli_buffer *content);

#endif
