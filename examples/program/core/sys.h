/* What differs between systems: terminals, clocks, directories. */
#ifndef CLI_CORE_SYS_H
#define CLI_CORE_SYS_H

#include <stddef.h>
#include <stdint.h>

int cli_is_terminal(int number);        /* 1: standard output, 2: standard error */
uint64_t cli_now(void);                 /* nanoseconds of a monotonic clock */
int cli_make_dir(const char *path);     /* 0: it exists now; 1: created; -1: failed */
void cli_remove_file(const char *path); /* but not a device, link or directory of that name */
void cli_remove_dir(const char *path);

/* cli_is_same_file: both names lead to one existing file; devices and pipes are no files. */
int cli_is_same_file(const char *a, const char *b);
void cli_binary_streams(void);

/* cli_map: maps a file of at least so many bytes into memory until the program ends; NULL: a
 * smaller file, or not possible. */
const char *cli_map(const char *path, size_t least, size_t *size);

#endif
